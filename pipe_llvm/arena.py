# SPDX-License-Identifier: MIT
"""Memory of a scene."""

from __future__ import annotations

from typing import Any

from pydri.jit import boolean, u32, u64


def allocate(b: Any, scene: Any, size: Any) -> Any:
    """Bump-allocate 64-byte aligned memory whose room was checked before."""
    at = scene.arena_used
    scene.arena_used = at + b.cast(
        (size + 63) & ~63 if not isinstance(size, int) else b.const(u32, (size + 63) & ~63), u64
    )
    return scene.arena + at


def same_bytes(b: Any, last: Any, new: Any, size: Any, align: int) -> Any:
    """Whether what was made last (null: nothing) is the same as something new, of `size` bytes, a
    multiple of 64; `align`: of both."""
    same = b.var(boolean, b.ptr_to_int(last) != 0)
    with b.If(same.value), b.For(b.const(u32, 0), size, 64) as at:
        x = b.bytes_from(last, at, u32).load(u32.vec(16), align=align)
        y = b.bytes_from(new, at, u32).load(u32.vec(16), align=align)
        with b.If(b.any(x != y)):
            same.value = b.const(boolean, 0)
            b.Break()
    return same.value
