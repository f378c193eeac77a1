# SPDX-License-Identifier: MIT
"""Native glGetStringi: a program that looks for an extension in a core context reads the names of
all of them one by one, and many do that for each that they look for; and glGetGraphicsResetStatus,
which toolkits ask each time that they make a context current.

In: `GLContext.extension_names`, which the Python form (string_entries.py) fills in at the first
question. Out: an address there; mistakes are told by the Python form. Mesa: main/getstring.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit import fn, ptr, u8, u32
from pydri.main.kernels import CTX, is_null, native, python_form

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

_FORM = fn(ptr(u8), CTX, u32, u32)


@native
def glGetStringi(b: Builder, ctx: GLContext, name: Value, index: Value) -> Any:
    names = ctx.extension_names
    known = (name == gl.GL_EXTENSIONS) & ~is_null(names) & (index < ctx.extension_count)
    with b.If(known):
        b.Return(names[index])
    return python_form(b, ctx, TABLE.slots["glGetStringi"], _FORM, name, index)


@native
def glGetGraphicsResetStatus(b: Builder, ctx: GLContext) -> Value:
    return b.const(u32, gl.GL_NO_ERROR)


@native
def glGetGraphicsResetStatusARB(b: Builder, ctx: GLContext) -> Value:
    return b.const(u32, gl.GL_NO_ERROR)
