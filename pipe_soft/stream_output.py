# SPDX-License-Identifier: MIT
"""Stream output: vertices of primitives go to memory as they were assembled (OpenGL 4.6, 13.3).

A primitive is written whole or not at all, and what follows one that is not, isn't either."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.arrays import Arr
from pipe_soft.layout import CLIP
from pipe_soft.statistics import count
from pydri.nir.enums import VARYING_SLOT_POS
from pydri.pipe.memory_numpy import memory

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline
    from pipe_soft.vertices import Vertices


def _count(address: Any, number: int) -> None:
    """Add to a counter, if there is one."""
    if address:
        ctypes.c_uint64.from_address(address).value += number


def tapped(pipeline: Pipeline, dyn: Any) -> bool:
    """Whether somebody counts or writes primitives."""
    return bool(pipeline.state.stream_output.captures or dyn.primitives_generated)


def write(pipeline: Pipeline, dyn: Any, vertices: Vertices, corners: Arr) -> None:
    """Write primitives (numbers of their vertices: primitives, corners) and count them."""
    _count(dyn.primitives_generated, len(corners))
    captures, strides = pipeline.state.stream_output
    if not captures:
        return
    used = [(n, stride) for n, stride in enumerate(strides) if stride]
    fits = len(corners)
    for n, stride in used:
        target = dyn.stream_targets[n]
        room = max(0, target.size - target.used)
        fits = min(fits, room // (4 * stride * corners.shape[1]))
    _count(dyn.primitives_written, fits)
    count(dyn, primitives_lost=len(corners) - fits)
    if not fits:
        return
    numbers = corners[:fits].reshape(-1)
    rows = vertices.rows[numbers].view(np.uint32)
    for n, stride in used:
        target = dyn.stream_targets[n]
        size = 4 * stride * len(numbers)
        out = memory(target.data + target.used, size, np.uint32).reshape(-1, stride)
        for item in captures:
            if item.buffer == n:
                clip = item.slot == VARYING_SLOT_POS
                first = CLIP if clip else vertices.layout.columns[item.slot]
                source = rows[:, first + item.component :][:, : item.components]
                out[:, item.offset : item.offset + item.components] = source
        target.used += size


__all__ = ["tapped", "write"]
