# SPDX-License-Identifier: MIT
"""The driver `softpipe`: what a picture is, in numpy.

In: the pipe interface (pydri/pipe) and nothing else. Out: the same pixels as pipe_llvm's, by plain
operations on whole arrays: all vertices of a draw at once, all fragments of a draw at once, shaders
by the interpreter of nir, or by that of TGSI (PYDRI_SHADER_IR=tgsi). It is slow and short on
purpose, and kept to be read: where the two drivers differ, the specification says which of them is
wrong. Counterpart of Mesa's softpipe.

Reading order: context.py (calls), vertices.py, assemble.py, clip.py, lines.py, points.py and
polygons.py (geometry), raster.py and area.py (coverage and planes), fragments.py, tests.py and
blend.py (what happens to a fragment), memory.py and pixels.py (surfaces and formats).
"""

from __future__ import annotations

from typing import Any

from pydri.pipe.interface import PipeScreen


def create_screen(winsys: Any) -> PipeScreen:
    """The driver on a winsys."""
    from pipe_soft.screen import SoftScreen

    return SoftScreen(winsys)
