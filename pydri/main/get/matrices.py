# SPDX-License-Identifier: MIT
"""What glGet tells of the matrix stacks, for rows of tables.py."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from pydri.main.matrix.tables import Stack, top_of


def _unit(ctx: Any, stack: Stack) -> int:
    return int(ctx.n.raw.active_texture) if stack.per_unit else 0


def transposed(stack: Stack) -> Callable[[Any], list[float]]:
    def value(ctx: Any) -> list[float]:
        top = top_of(ctx.n, stack, _unit(ctx, stack))
        return [top[4 * (k % 4) + k // 4] for k in range(16)]

    return value


def depth(stack: Stack) -> Callable[[Any], int]:
    return lambda ctx: ctx.n.matrix.depth[stack.mode + _unit(ctx, stack)] + 1


def current_depth(ctx: Any) -> int:
    return int(ctx.n.matrix.depth[ctx.n.matrix.stack]) + 1


def current_matrix(ctx: Any) -> list[float]:
    """The top of the stack that glMatrixMode chose."""
    return list((ctypes.c_float * 16).from_address(ctx.n.matrix.top))


def current_transposed(ctx: Any) -> list[float]:
    found = current_matrix(ctx)
    return [found[4 * (n % 4) + n // 4] for n in range(16)]


__all__ = ["current_depth", "current_matrix", "current_transposed", "depth", "transposed"]
