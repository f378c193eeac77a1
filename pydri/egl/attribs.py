# SPDX-License-Identifier: MIT
"""Attribute lists of EGL: EGLint or EGLAttrib words, in pairs, ended by EGL_NONE."""

from typing import Any

from pydri.api import egl_enums as e
from pydri.egl.errors import EglError
from winsys_x11.xlib import address, pointer

_MAX_LIST = 1024  # a list longer than this has lost its end
INT, ATTRIB = "int32_t *", "intptr_t *"


def read_pairs(attrib_list: Any, ctype: str = INT) -> list[tuple[int, int]]:
    """Return the (attribute, value) pairs of a list; null is an empty one."""
    pairs: list[tuple[int, int]] = []
    if not address(attrib_list):
        return pairs
    words = pointer(ctype, attrib_list)
    for i in range(0, _MAX_LIST, 2):
        if words[i] == e.EGL_NONE:
            break
        pairs.append((words[i], words[i + 1]))
    return pairs


def store(out: Any, value: int, ctype: str = INT) -> None:
    """Write a result where the program wants it, wrapped to the type's size; EGL_BAD_PARAMETER for
    null.
    """
    if not address(out):
        raise EglError(e.EGL_BAD_PARAMETER, "no room for the answer")
    bits = 32 if ctype == INT else 64
    value &= (1 << bits) - 1
    pointer(ctype, out)[0] = value - (1 << bits) if value >> (bits - 1) else value
