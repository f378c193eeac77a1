# SPDX-License-Identifier: MIT
"""Memory of a scene."""

from __future__ import annotations

from typing import Any

from pydri.jit import u32, u64


def allocate(b: Any, scene: Any, size: Any) -> Any:
    """Bump-allocate 64-byte aligned memory whose room was checked before."""
    at = scene.arena_used
    scene.arena_used = at + b.cast(
        (size + 63) & ~63 if not isinstance(size, int) else b.const(u32, (size + 63) & ~63), u64
    )
    return scene.arena + at
