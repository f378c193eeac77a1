# SPDX-License-Identifier: MIT
"""GL's enums for the types of the shading language (GL 4.6, table 7.3).

In: a type of a uniform or an attribute, arrays taken off. Out: what glGetActiveUniform and
glGetActiveAttrib tell. A sampler's name says what it is, in the enum as in the language, so that a
new kind of sampler needs no row here.
"""

from __future__ import annotations

from functools import cache

import pydri.api.enums as gl
from pydri.nir.types import SamplerType, Type, VectorType

_WORDS = {"float": "FLOAT", "int": "INT", "uint": "UNSIGNED_INT", "bool": "BOOL"}
_DIMS = {"Rect": "2D_RECT", "Buf": "BUFFER", "Cube": "CUBE", "MS": "2D_MULTISAMPLE"}


@cache
def type_enum(type_: Type) -> int:
    """The enum of a type; TypeError for structs, arrays and void, which have none. The
    others are few, and are asked for one by one."""
    if isinstance(type_, SamplerType):
        words = [] if type_.result == "float" else [_WORDS[type_.result]]
        words += ["SAMPLER", _DIMS.get(type_.dim, type_.dim)]
        words += ["MAP"] * (type_.dim == "Cube" and type_.arrayed)
        words += ["ARRAY"] * type_.arrayed + ["SHADOW"] * type_.shadow
        name = "_".join(words)
    elif isinstance(type_, VectorType):
        name = _WORDS[type_.kind]
        if type_.columns > 1:
            size = (type_.columns, type_.rows)
            name += f"_MAT{size[0]}" if size[0] == size[1] else f"_MAT{size[0]}x{size[1]}"
        elif type_.rows > 1:
            name += f"_VEC{type_.rows}"
    else:
        raise TypeError(f"{type_.name} is no type of a uniform")
    return int(getattr(gl, f"GL_{name}"))


__all__ = ["type_enum"]
