# SPDX-License-Identifier: MIT
"""Immediate mode, display lists and array draws (Mesa's vbo_exec, vbo_save and dlist.c)."""

from pydri.vbo.context import attach

#: modules of kernels for the core image, and modules with Python entries
PARTS = (
    "pydri.vbo.core",
    "pydri.vbo.exec",
    "pydri.vbo.restart",
    "pydri.vbo.arrays",
    "pydri.vbo.multi",
    "pydri.vbo.lists",
    "pydri.vbo.playback",
    "pydri.vbo.eval_kernels",
)
ENTRIES = ("pydri.vbo.evaluators",)

__all__ = ["ENTRIES", "PARTS", "attach"]
