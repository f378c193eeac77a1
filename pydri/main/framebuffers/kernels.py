# SPDX-License-Identifier: MIT
"""Native clear values, glDrawBuffer and glReadBuffer (GL 2.1, 4.2.3, 4.2.1, 4.3.2).

In: arguments as the program gave them. Out: state in place. Nothing that is pending reads the clear
values, so setting them flushes nothing. Mesa: main/clear.c, main/buffers.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.jit import u32
from pydri.main import layout as la
from pydri.main.framebuffers.tables import _NO_BUFFER, BUFFERS
from pydri.main.kernels import (
    clamp01,
    error_if,
    native,
    place,
    update,
)


@native
def glClearColor(b: Any, ctx: Any, red: Any, green: Any, blue: Any, alpha: Any) -> None:
    place(b, ctx, "raw.clear_color").store(clamp01(b, b.vector([red, green, blue, alpha])))


@native
def glClearDepth(b: Any, ctx: Any, depth: Any) -> None:
    ctx.raw.clear_depth = clamp01(b, depth)


@native
def glClearStencil(b: Any, ctx: Any, s: Any) -> None:
    ctx.raw.clear_stencil = s


@native
def glClearIndex(b: Any, ctx: Any, c: Any) -> None:
    ctx.raw.clear_index = c


@native
def glClearAccum(b: Any, ctx: Any, red: Any, green: Any, blue: Any, alpha: Any) -> None:
    place(b, ctx, "raw.clear_accum").store(
        b.min(b.max(b.vector([red, green, blue, alpha]), -1.0), 1.0)
    )


def _check_buffer(b: Any, ctx: Any, mode: Any) -> None:
    needs = b.var(u32, _NO_BUFFER)
    with b.Switch(mode) as s:
        for bits in sorted(set(BUFFERS.values())):
            with s.Case(*(e for e, v in BUFFERS.items() if v == bits)):
                needs.value = bits
    error_if(b, ctx, needs.value == _NO_BUFFER, gl.GL_INVALID_ENUM)
    visual = ctx.visual
    has = b.select(visual.double_buffer != 0, b.const(u32, 1), 0) | b.select(
        visual.stereo != 0, b.const(u32, 2), 0
    )
    error_if(b, ctx, (needs.value & ~has) != 0, gl.GL_INVALID_OPERATION)


@native
def glDrawBuffer(b: Any, ctx: Any, mode: Any) -> None:
    _check_buffer(b, ctx, mode)
    update(b, ctx, [("raw.draw_buffer", mode)], la.DIRTY_FB)


@native
def glReadBuffer(b: Any, ctx: Any, mode: Any) -> None:
    _check_buffer(b, ctx, mode)
    update(b, ctx, [("raw.read_buffer", mode)], la.DIRTY_FB)
