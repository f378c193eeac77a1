# SPDX-License-Identifier: MIT
"""Native glGetLightfv and glGetMaterialfv (rows of get.py), and glLockArraysEXT with its end.

Arrays that are locked are read when they are drawn, as all others: the lock is a promise that a
program makes, and nothing here needs it (EXT_compiled_vertex_array). Mesa: main/light.c,
main/varray.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.jit import f32, ptr, u8, u32
from pydri.jit.types import StructMeta
from pydri.main import layout as la
from pydri.main.get import LIGHT, MATERIAL
from pydri.main.kernels import error_if, flush_vertices, native, place, record_error
from pydri.main.light_kernels import sync_color_material


def _copy(b: Any, ctx: Any, base: Any, struct: StructMeta, rows: Any, pname: Any, out: Any) -> None:
    """Store the floats of the row that `pname` names; GL_INVALID_ENUM if there is none."""
    with b.Switch(pname) as s:
        for enum, (_, name, count) in rows.items():
            with s.Case(enum):
                for n in range(count or 1):
                    at = struct.offset(name) + 4 * n
                    out[n] = b.bytes_from(base, at, f32).load(f32)
                b.Return()
    record_error(b, ctx, gl.GL_INVALID_ENUM)


@native
def glGetLightfv(b: Any, ctx: Any, light: Any, pname: Any, params: Any) -> None:
    number = light - gl.GL_LIGHT0
    error_if(b, ctx, number >= la.MAX_LIGHTS, gl.GL_INVALID_ENUM)
    lights = place(b, ctx, "val.lights").cast(ptr(u8))
    base = b.bytes_from(lights, number * la.Light.size, u8)
    _copy(b, ctx, base, la.Light, LIGHT, pname, params)


@native
def glGetMaterialfv(b: Any, ctx: Any, face: Any, pname: Any, params: Any) -> None:
    back = face == gl.GL_BACK
    error_if(b, ctx, ~back & (face != gl.GL_FRONT), gl.GL_INVALID_ENUM)
    flush_vertices(b, ctx)
    b.call(sync_color_material, ctx)
    materials = place(b, ctx, "val.materials").cast(ptr(u8))
    base = b.bytes_from(materials, b.select(back, b.const(u32, la.Material.size), 0), u8)
    _copy(b, ctx, base, la.Material, MATERIAL, pname, params)


@native
def glLockArraysEXT(b: Any, ctx: Any, first: Any, count: Any) -> None:
    error_if(b, ctx, (first < 0) | (count <= 0), gl.GL_INVALID_VALUE)
    error_if(b, ctx, ctx.raw.lock_count != 0, gl.GL_INVALID_OPERATION)
    ctx.raw.lock_first = first
    ctx.raw.lock_count = count


@native
def glUnlockArraysEXT(b: Any, ctx: Any) -> None:
    error_if(b, ctx, ctx.raw.lock_count == 0, gl.GL_INVALID_OPERATION)
    ctx.raw.lock_first = 0
    ctx.raw.lock_count = 0
