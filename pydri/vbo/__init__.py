# SPDX-License-Identifier: MIT
"""Immediate mode, display lists and array draws (Mesa's vbo_exec, vbo_save and dlist.c)."""
