# SPDX-License-Identifier: MIT
"""Imports every module of this room with Python entry points, so that they register.

Done before the first gl* slot is resolved, not when a context is made: a program that is served
by kernels alone never needs them.
"""

from pydri.main import (
    arrayobj,
    bufferclear,
    bufferobj,
    debug,
    get,
    pixel,
    queryobj,
    rendermode,
    robustness,
    stipple,
    strings,
    texget,
)

__all__ = [
    "arrayobj",
    "bufferclear",
    "bufferobj",
    "debug",
    "get",
    "pixel",
    "queryobj",
    "rendermode",
    "robustness",
    "stipple",
    "strings",
    "texget",
]
