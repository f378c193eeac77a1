# SPDX-License-Identifier: MIT
"""Texture instructions of a vertex shader that nir's interpreter runs, by the driver's own
functions.

In: a table of views (StageBindings.views), and instructions with the values of their sources.  Out:
what the sampler functions of the views find (pydri/pipe/sampler.py), or what a driver says that has
none. Vertices have no neighbours: where no level is named it is the first one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pydri.nir.instr import LoadConst, TexInstr
from pydri.nir.interp import TextureFn
from pydri.pipe.native import MAP_READ
from pydri.pipe.sampler import (
    GATHER_SHIFT,
    LOD_EXPLICIT,
    LOD_GRADIENTS,
    SAMPLE_STAMPS,
    WAY_FETCH,
    WAY_FILTER,
    WAY_GATHER,
    WAY_KEYS,
    WAY_MOVED,
    SampleCoords,
    SamplerTable,
    TextureView,
    moves,
)

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeContext

Arr = np.ndarray[Any, np.dtype[Any]]
_SAMPLE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
_AT_ONCE = 16 * SAMPLE_STAMPS
_PLACES = ("s", "t", "r", "layer")
#: vertices have no footprint, so nobody asks for its level of detail (lod) here
_WAYS = {"txf": WAY_FETCH, "txf_ms": WAY_FETCH, "tg4": WAY_GATHER}


def _aligned(size: int) -> Arr:
    """Zeroed bytes that begin at a multiple of 64."""
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size]


class Lookups:
    """The `texture` function of the interpreter."""

    def __init__(self, pipe: PipeContext, views: int) -> None:
        self._pipe = pipe
        self._views = views  # address of a table of addresses

    def __call__(self, instr: TexInstr, srcs: Mapping[str, Arr]) -> Arr:
        address = ctypes.c_uint64.from_address(self._views + 8 * instr.texture_index).value
        view = TextureView.view(address)
        lanes = next(iter(srcs.values())).shape[1] if srcs else 1
        if instr.op == "query_levels":
            return np.full((1, lanes), view.max_level + 1)
        if instr.op == "txs":
            return _sizes(view, instr, srcs, lanes)
        copy = _aligned(TextureView.size)
        copy[:] = np.frombuffer(ctypes.string_at(address, TextureView.size), np.uint8)
        own = TextureView.view(copy.ctypes.data)
        if view.resource:  # what a view says of memory is out of date between draws
            own.data = self._pipe.transfer_map(view.resource, MAP_READ)
        function, how = self._function(own, instr)
        found = [self._some(function, how, copy, instr, srcs, at, min(lanes - at, _AT_ONCE))
                 for at in range(0, lanes, _AT_ONCE)]
        return np.ascontiguousarray(np.concatenate(found, axis=1)).view(np.uint32)

    @staticmethod
    def _function(view: Any, instr: TexInstr) -> tuple[int, int]:
        """The view's function for an instruction, and its last argument."""
        how = LOD_GRADIENTS if instr.op == "txd" else LOD_EXPLICIT
        offset = instr.source("offset")
        way = _WAYS.get(instr.op, WAY_FILTER if offset is None else WAY_MOVED)
        if way == WAY_FILTER:
            return int(view.sample), how
        row = WAY_KEYS[way]
        table = SamplerTable.view(view.table)
        key = view.key & row.kept | row.added if view.key else row.none
        made = SamplerTable.prototype("hook")(table.hook)(view.table, key)
        how |= instr.component << GATHER_SHIFT
        if offset is not None:
            assert isinstance(offset.instr, LoadConst)
            how |= moves(offset.instr.values)
        return int(made), how

    @staticmethod
    def _some(
        function: int, how: int, memory: Arr, instr: TexInstr, srcs: Mapping[str, Arr], at: int,
        count: int,
    ) -> Arr:  # fmt: skip
        """As many lanes as one call takes."""
        block = _aligned(SampleCoords.size)
        floats = block.view(np.float32)

        def put(name: str, value: Arr, offset: int = 0) -> None:
            start = SampleCoords.offset(name) // 4 + offset
            row = np.ascontiguousarray(value).view(np.float32)[at : at + count]
            floats[start : start + count] = row

        for name, row in zip(_PLACES, srcs["coord"]):
            put(name, row)
        for name, source in (("compare", "comparator"), ("lod", "bias"), ("lod", "lod"),
                             ("lod", "ms_index")):  # fmt: skip
            if source in srcs:
                put(name, srcs[source][0])
        for name in ("ddx", "ddy"):
            for n, row in enumerate(srcs.get(name, ())):
                put(name, row, 256 * n)
        stamps = -(-count // 16)
        out = _aligned(4 * 64 * stamps)
        _SAMPLE(function)(memory.ctypes.data, stamps, block.ctypes.data, out.ctypes.data, how)
        channels = out.view(np.float32).reshape(stamps, 4, 16).transpose(1, 0, 2)
        return channels.reshape(4, -1)[:, :count]


def _sizes(view: Any, instr: TexInstr, srcs: Mapping[str, Arr], lanes: int) -> Arr:
    """The sizes of a level, then the layers."""
    asked = srcs["lod"][0].view(np.int32) if "lod" in srcs else np.zeros(lanes, np.int32)
    rows = [view.level[int(n)] for n in np.clip(asked, 0, view.max_level)]
    parts = {"1D": 1, "3D": 3}.get(instr.sampler_dim, 2)
    names = [*("width", "height", "depth")[:parts], *["depth"] * instr.is_array]
    return np.array([[getattr(row, name) for row in rows] for name in names])


def lookups(pipe: PipeContext, views: int) -> TextureFn:
    """The function for a driver's views."""
    return pipe.texture_function(views) or Lookups(pipe, views)


__all__ = ["lookups"]
