# SPDX-License-Identifier: MIT
"""What a context needs of the vbo room: the buffer of immediate mode, and the hook for rare cases
of lists.

In: a pydri.main GLContext, with its tables and `ctx.flush_vertices` already set from the core
image. Out: a vbo block that is ready. The buffer has room for VBO_CAPACITY vertices with every
attribute there is; the system gives memory only for what is touched. The save table is filled
by the first glNewList. Counterpart of Mesa's vbo_exec_init and vbo_save_init.
"""

from __future__ import annotations

import ctypes
from typing import Any

from pydri.main.layout import VBO_CAPACITY, GLContext, VboPrim
from pydri.pipe.native import MAX_ATTRIBS
from pydri.vbo import native as nv

MAX_PRIMS = 1024
_HOOK = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint32)


#: the first value of each map, by target minus the first target of its kind
MAP_DEFAULTS: tuple[tuple[float, ...], ...] = (
    (1.0, 1.0, 1.0, 1.0),
    (1.0,),
    (0.0, 0.0, 1.0),
    (0.0,),
    (0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)
_POINT = 16  # bytes


def _make_maps() -> nv.Block:
    """The maps of evaluators of a context (counterpart of Mesa's _mesa_init_eval). The system gives
    memory only for what is touched.
    """
    curve, surface = nv.MAX_ORDER * _POINT, nv.MAX_ORDER * nv.MAX_ORDER * _POINT
    count = len(nv.MAP_SIZES)
    block = nv.Block(nv.EvalBlock.size + count * (curve + surface), clear=False)
    place = block.address + nv.EvalBlock.size
    for n, room in enumerate([curve] * count + [surface] * count):
        map_: Any = nv.EvalMap.view(block.address + n * nv.EvalMap.size)
        map_.points = place
        map_.uorder = map_.vorder = 1
        map_.domain[:] = (0.0, 1.0, 0.0, 1.0)
        value = MAP_DEFAULTS[n % count]
        (ctypes.c_float * 4).from_address(place)[:] = [*value, *(0.0, 0.0, 0.0, 1.0)[len(value) :]]
        place += room
    return block


class VboContext:
    """Python's side of a context's vbo block. `gl` is pydri.main's GLContext."""

    def __init__(self, gl: Any) -> None:
        self.gl = gl
        self.save: Any = None  # images.SaveStore, from the first glNewList on
        self._buffer = nv.Block(
            (VBO_CAPACITY + nv.SLACK) * MAX_ATTRIBS * nv.SLOT_BYTES, clear=False
        )
        self._prims = nv.Block(MAX_PRIMS * VboPrim.size)
        n = gl.n
        v = n.vbo
        v.capacity, v.max_prims = VBO_CAPACITY, MAX_PRIMS
        v.buffer = v.cursor = self._buffer.address
        v.prims = self._prims.address
        v.layout, v.attr_count, v.vertex_size = 1, 1, nv.SLOT_BYTES
        v.formats[0] = v.formats[15] = nv.RGB32F
        v.info.attribs = gl.address + GLContext.offset("vbo.bindings")
        self._maps = _make_maps()
        n.evaluators = self._maps.address
        n.hook_upload = gl.callback("hook_upload", _HOOK, self._serve)

    def _serve(self, _address: int, request: int) -> None:
        """ctx.hook_upload: the request in the low byte, its argument above."""
        what, argument = request & 0xFF, request >> 8
        if what == nv.HOOK_SAVE_PREPARE:
            from pydri.vbo.images import SaveStore

            self.save = SaveStore(self.gl.n)
        elif what == nv.HOOK_SAVE_IMAGE:
            self.save.image(argument)


def attach(gl: Any) -> None:
    """Give a new context its vbo block."""
    gl.vbo = VboContext(gl)
