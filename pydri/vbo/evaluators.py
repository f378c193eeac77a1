# SPDX-License-Identifier: MIT
"""glGetMap: the maps of evaluators asked (their memory is made in context.py).

In: the EvalBlock (native.py) that the kernels of eval_kernels.py write. Out: answers to queries.
Counterpart of glGetnMap in Mesa's main/eval.c.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.pointers import F32, F64, I32, check_room, store
from pydri.vbo.native import MAP_SIZES, EvalMap


def _query(ctx: Any, target: int, query: int) -> list[float]:
    """What glGetMap answers; of a surface v runs fastest (GL 2.1, 6.1.3)."""
    two = target >= gl.GL_MAP2_COLOR_4
    number = target - (gl.GL_MAP2_COLOR_4 if two else gl.GL_MAP1_COLOR_4)
    if not 0 <= number < len(MAP_SIZES):
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    row = number + two * len(MAP_SIZES)
    m: Any = EvalMap.view(ctx.n.evaluators + row * EvalMap.size)
    if query == gl.GL_ORDER:
        return [m.uorder, m.vorder] if two else [m.uorder]
    if query == gl.GL_DOMAIN:
        return list(m.domain if two else m.domain[:2])
    if query == gl.GL_COEFF:
        numbers = (F32 * (4 * m.uorder * m.vorder)).from_address(m.points)
        return [
            numbers[4 * (v * m.uorder + u) + c]
            for u in range(m.uorder)
            for v in range(m.vorder)
            for c in range(MAP_SIZES[number])
        ]
    raise GLError(gl.GL_INVALID_ENUM, f"query={gl.name_of(query)}")


def _get(ctx: Any, target: int, query: int, v: Any, kind: Any, room: int | None = None) -> None:
    found = _query(ctx, target, query)
    if room is not None:
        check_room(len(found) * ctypes.sizeof(kind), room)
    store(v, kind, [round(x) for x in found] if kind is I32 else found)


@entry
def glGetMapfv(ctx: Any, target: int, query: int, v: Any) -> None:
    _get(ctx, target, query, v, F32)


@entry
def glGetnMapfv(ctx: Any, target: int, query: int, bufSize: int, v: Any) -> None:
    _get(ctx, target, query, v, F32, bufSize)


@entry
def glGetnMapfvARB(ctx: Any, target: int, query: int, bufSize: int, v: Any) -> None:
    _get(ctx, target, query, v, F32, bufSize)


@entry
def glGetMapdv(ctx: Any, target: int, query: int, v: Any) -> None:
    _get(ctx, target, query, v, F64)


@entry
def glGetnMapdv(ctx: Any, target: int, query: int, bufSize: int, v: Any) -> None:
    _get(ctx, target, query, v, F64, bufSize)


@entry
def glGetnMapdvARB(ctx: Any, target: int, query: int, bufSize: int, v: Any) -> None:
    _get(ctx, target, query, v, F64, bufSize)


@entry
def glGetMapiv(ctx: Any, target: int, query: int, v: Any) -> None:
    _get(ctx, target, query, v, I32)


@entry
def glGetnMapiv(ctx: Any, target: int, query: int, bufSize: int, v: Any) -> None:
    _get(ctx, target, query, v, I32, bufSize)


@entry
def glGetnMapivARB(ctx: Any, target: int, query: int, bufSize: int, v: Any) -> None:
    _get(ctx, target, query, v, I32, bufSize)
