# SPDX-License-Identifier: MIT
"""Native glBindBuffer for objects that exist; creation and everything else is in bufferobj.py.
Mesa: main/bufferobj.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit import fn, ptr, u32, void
from pydri.main import layout as la
from pydri.main.enable_kernels import set_array_enabled
from pydri.main.get_kernels import python_form
from pydri.main.kernels import CTX, enum_check, native, update
from pydri.main.layout import BufferObject
from pydri.main.matrix_kernels import select_stack

BIND = fn(void, CTX, u32, u32)


@native
def glBindBuffer(b: Any, ctx: Any, target: Any, name: Any) -> None:
    enum_check(b, ctx, target, (gl.GL_ARRAY_BUFFER, gl.GL_ELEMENT_ARRAY_BUFFER))
    found = b.var(ptr(BufferObject), 0)
    shared = ctx.shared
    with b.If(name != 0):
        with b.If(name < shared.buffer_count):
            found.value = shared.buffers[name]
        with b.If(found.value == b.const(ptr(BufferObject), None)):
            python_form(b, ctx, TABLE.slots["glBindBuffer"], BIND, target, name)
            b.Return()
    arrays = ctx.arrays
    with b.If(target == gl.GL_ARRAY_BUFFER):
        arrays.array_buffer = found.value
    with b.Else():
        update(b, ctx, [(arrays.addr("element_buffer"), found.value)], la.DIRTY_ARRAYS)


EXPORTS = [select_stack, set_array_enabled]
