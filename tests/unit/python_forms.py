# SPDX-License-Identifier: MIT
"""Where there is no shim: what its lazy stubs lead to. Kernels go on there with what they leave to
Python.
"""

from __future__ import annotations

import ctypes
from typing import Any

from pydri.api import dispatch
from pydri.api.gl_table import TABLE
from pydri.main import core

NAMES = (
    "glGetBooleanv",
    "glGetIntegerv",
    "glGetFloatv",
    "glGetDoublev",
    "glBindBuffer",
    "glBindVertexArray",
    "glGetPointerv",
    *(f"glGetTex{what}{form}" for what in ("Parameter", "LevelParameter", "Env", "Gen")
      for form in ("fv", "iv")),
    "glGetTexGendv",
    "glPolygonStipple",
)  # fmt: skip
_TYPES = {
    "v": None,
    "E": ctypes.c_uint32,
    "I": ctypes.c_uint32,
    "i": ctypes.c_int32,
    "f": ctypes.c_float,
}
_made: list[Any] = []


def provide() -> None:
    """Fill core.PYTHON_FORMS; once."""
    for name in () if _made else NAMES:
        row = TABLE.row(name)
        kinds = [_TYPES.get(code[0], ctypes.c_void_p) for _, code in row.params]
        prototype = ctypes.CFUNCTYPE(_TYPES[row.ret[0]], ctypes.c_void_p, *kinds)
        callback = prototype(dispatch.gl_function(row))
        core.PYTHON_FORMS[row.slot] = ctypes.cast(callback, ctypes.c_void_p).value or 0
        _made.append(callback)
