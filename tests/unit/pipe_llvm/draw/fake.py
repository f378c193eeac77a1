# SPDX-License-Identifier: MIT
"""A context without a rasteriser: native structs over numpy arrays, and a setup that records."""

from __future__ import annotations

import ctypes
import functools
import itertools
import time
from typing import Any

import numpy as np

from pipe_llvm.draw.draw import lp_draw_vbo
from pipe_llvm.draw.layout import make_layout
from pipe_llvm.native import PLAN_PROVOKING_FIRST, LpContext, LpPlan
from pipe_llvm.recipe import VertexPart, vertex_module
from pydri.jit.kernel import Module
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX, DrawInfo, PipeDynamic, VertexBinding
from pydri.pipe.state import (
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    ShaderInput,
    ShaderRef,
    VertexElement,
    stages_of,
)
from pydri.util.options import options

_serial = itertools.count()

_SETUP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6, ctypes.c_uint32, ctypes.c_uint32)
_POINTS = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_uint32, ctypes.c_uint32)
_GROW = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64)


class Memory:
    """Zeroed memory on a 64-byte boundary."""

    def __init__(self, size: int) -> None:
        self.raw = np.zeros(size + 64, np.uint8)
        skip = -self.raw.ctypes.data % 64
        self.bytes = self.raw[skip : skip + size]
        self.address = self.bytes.ctypes.data


class Fake:
    """Context, plan, dynamic state, draw info; `calls` is what setup got, `rows` its vertices;
    `points`: rows and prim of each call of LpPlan.points; `polygons`: the numbers of the polygons
    that the triangles of each call are parts of (with PLAN_POLY_SMOOTH)."""

    def __init__(self, floats: int = 16, vertices: int = 8192, indices: int = 65536) -> None:
        self.memory: dict[str, Memory] = {}
        self.lp = self.struct("lp", LpContext)
        self.plan = self.struct("plan", LpPlan)
        self.dyn = self.struct("dyn", PipeDynamic)
        self.info = self.struct("info", DrawInfo)
        self.plan.row_bytes = self.lp.stream.row_bytes = 4 * floats
        self.plan.vertex_floats = floats
        self.plan.prim = 2
        self.keep: list[Any] = []
        self.grows: list[tuple[int, int]] = []
        self.grow_allowed = True
        self.setup = _SETUP(self._setup)
        self.grow = _GROW(self._grow)
        self.take_points = _POINTS(self._points)
        self.plan.points = ctypes.cast(self.take_points, ctypes.c_void_p).value
        self.plan.setup = ctypes.cast(self.setup, ctypes.c_void_p).value
        self.lp.hook_grow = ctypes.cast(self.grow, ctypes.c_void_p).value
        self.stats = np.zeros(64, np.uint64)
        self.lp.stats = self.stats.ctypes.data
        self.vertices(vertices)
        self.indices(indices)
        self.viewport(0, 0, 256, 256)
        self.const0(np.zeros(64, np.float32))
        self.bindings = (VertexBinding.ctype() * 44)()
        self.info.attribs = ctypes.addressof(self.bindings)
        self.calls: list[tuple[np.ndarray, int]] = []
        self.rows: list[np.ndarray] = []
        self.points: list[tuple[np.ndarray, int]] = []
        self.polygons: list[np.ndarray] = []

    def struct(self, name: str, kind: Any) -> Any:
        self.memory[name] = Memory(kind.size)
        return kind.view(self.memory[name].address)

    def array(self, name: str, size: int) -> int:
        self.memory[name] = Memory(size)
        return self.memory[name].address

    def vertices(self, count: int) -> None:
        stream = self.lp.stream
        count = (count + 63) // 64 * 64
        stream.rows = self.array("rows", count * max(stream.row_bytes, 64))
        stream.clip = self.array("clip", count * 16)
        stream.flags = self.array("flags", count * 4)
        stream.capacity = count

    def indices(self, count: int) -> None:
        stream = self.lp.stream
        for name in ("v0", "v1", "v2", "w0", "w1", "w2", "polygons", "elts"):
            setattr(stream, name, self.array(name, (count + 64) * 4))
        stream.index_capacity = count

    def _grow(self, _lp: int, what: int, amount: int) -> int:
        self.grows.append((what, amount))
        if not self.grow_allowed:
            return 0
        if what == 1:
            self.vertices(max(amount, self.lp.stream.capacity))
        else:
            self.indices(amount)
        return 1

    def _setup(self, lp: int, plan: int, dyn: int, v0: int, v1: int, v2: int, count: int,
               prim: int) -> None:  # fmt: skip
        numbers = np.stack([self.read(p, count, np.uint32) for p in (v0, v1, v2)], 1)
        self.calls.append((numbers, prim))
        self.polygons.append(self.read(self.lp.stream.polygons, count, np.uint32))
        floats = self.lp.stream.row_bytes // 4
        rows = self.memory["rows"].bytes.view(np.float32).reshape(-1, floats)
        self.rows.append(rows[numbers].copy())

    def _points(self, lp: int, plan: int, dyn: int, v: int, count: int, prim: int) -> None:
        floats = self.lp.stream.row_bytes // 4
        rows = self.memory["rows"].bytes.view(np.float32).reshape(-1, floats)
        self.points.append((rows[self.read(v, count, np.uint32)].copy(), prim))

    @staticmethod
    def read(address: int, count: int, dtype: Any) -> np.ndarray:
        size = count * np.dtype(dtype).itemsize
        return np.frombuffer((ctypes.c_uint8 * size).from_address(address), dtype).copy()

    def viewport(self, x: float, y: float, w: float, h: float) -> None:
        self.dyn.viewport_scale[:] = (w / 2, -h / 2, 0.5, 1)
        self.dyn.viewport_translate[:] = (x + w / 2, y + h / 2, 0.5, 0)

    def const0(self, data: np.ndarray) -> None:
        self.constants = np.ascontiguousarray(data)
        self.dyn.const0 = self.constants.ctypes.data
        self.dyn.const0_size = self.constants.nbytes

    def attribute(self, slot: int, data: np.ndarray, stride: int | None = None,
                  count: int | None = None) -> None:  # fmt: skip
        """Values of an attribute: one array row a vertex."""
        data = np.ascontiguousarray(data)
        self.keep.append(data)
        binding = self.bindings[slot]
        binding.base = data.ctypes.data
        binding.stride = data.strides[0] if stride is None else stride
        binding.count = len(data) if count is None else count

    @property
    def triangles(self) -> np.ndarray:
        """Vertex numbers of all triangles, in order."""
        none = np.zeros((0, 3), np.uint32)
        return np.concatenate([none, *(numbers for numbers, _ in self.calls)])

    @property
    def drawn(self) -> np.ndarray:
        """The rows of all triangles: (triangles, 3, floats)."""
        floats = self.lp.stream.row_bytes // 4
        return np.concatenate([np.zeros((0, 3, floats), np.float32), *self.rows])

    def clip(self, count: int) -> np.ndarray:
        """Clip coordinates of vertices: (count, 4)."""
        planar = self.memory["clip"].bytes.view(np.float32).reshape(-1, 4, 16)
        return planar.transpose(0, 2, 1).reshape(-1, 4)[:count]

    def row(self, count: int) -> np.ndarray:
        floats = self.lp.stream.row_bytes // 4
        return self.memory["rows"].bytes.view(np.float32).reshape(-1, floats)[:count]

    def flag(self, count: int) -> np.ndarray:
        return self.memory["flags"].bytes.view(np.uint32)[:count]


# ---- a vertex stage to test with ----------------------------------------------------------------
def pass_through(b: Any) -> None:
    """Position from slot 0, colour from slot 2, as they are."""
    b.store_output(b.load_input(0, 4), 0)
    b.store_output(b.load_input(2, 4), 1)


@functools.cache
def pipeline(
    build: Any = pass_through,
    elements: tuple[tuple[Any, ...], ...] = ((0, "R32G32B32A32_FLOAT"), (2, "R32G32B32A32_FLOAT")),
    inputs: tuple[tuple[Any, ...], ...] = ((1, 4),),
    outputs: tuple[int, ...] = (0, 1),
    prim: int = 2,
    **rast: Any,
) -> PipelineState:
    """A pipeline state whose vertex shader `build` emits with a nir builder."""

    def make() -> Shader:
        shader = Shader("vertex")
        build(Builder(shader))
        return shader

    # no cache, of this process or another, may take one test's shader for that of another
    key = f"{build.__name__} {next(_serial)} {time.time_ns()}".encode()
    vs = ShaderRef(key, make, tuple(slot for slot, *_ in elements), outputs)
    fs = ShaderRef(b"fs", make, tuple(ShaderInput(*i) for i in inputs), ())
    return PipelineState(
        stages_of({SHADER_VERTEX: vs, SHADER_FRAGMENT: fs}),
        tuple(VertexElement(s, number(f), *rest) for s, f, *rest in elements), (ColorTarget(1),),
        DepthStencilAlpha(), Rasterizer(**rast), 0, prim,
    )  # fmt: skip


_images: dict[Any, Any] = {}


def vertex_part(state: PipelineState) -> VertexPart:
    """What the vertex stage of a state that asks for nothing else is made of."""
    layout = make_layout(state.shader(SHADER_FRAGMENT).inputs, state.rast)
    rast, vs = state.rast, state.shader(SHADER_VERTEX)
    return VertexPart(vs, state.elements, layout, rast.clip_planes, rast.depth_clamp)


def vs_image(state: PipelineState, width: int) -> Any:
    """The vertex stage of a state at a vector width."""
    if (state, width) not in _images:
        with options(LP_NATIVE_VECTOR_WIDTH=width, MESA_SHADER_CACHE_DISABLE=1):
            _images[state, width] = vertex_module(vertex_part(state)).compile()
    return _images[state, width]


def draw_image(width: int = 0) -> Any:
    """The image with lp_draw_vbo at a vector width."""
    if width not in _images:
        with options(LP_NATIVE_VECTOR_WIDTH=width, MESA_SHADER_CACHE_DISABLE=1):
            _images[width] = Module(f"draw_test_{width}", [lp_draw_vbo]).compile()
    return _images[width]


class Drawing(Fake):
    """A fake context with a compiled vertex stage and lp_draw_vbo."""

    def __init__(self, state: PipelineState, width: int = 0, **sizes: int) -> None:
        self.layout = vertex_part(state).rows
        super().__init__(self.layout.floats, **sizes)
        self.image = vs_image(state, width)
        self.plan.vs = self.image.address("lp_vs")
        self.plan.vertex_inputs = sum(1 << element.slot for element in state.elements)
        self.plan.primitive.clip_planes = state.rast.clip_planes
        self.plan.primitive.psiz = max(0, self.layout.offset_of(12))
        self.plan.flags = PLAN_PROVOKING_FIRST if state.rast.provoking_first else 0
        self.draw_vbo = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(
            draw_image(width).address("lp_draw_vbo")
        )

    def shade(self, start: int, count: int, elts: np.ndarray | None = None) -> int:
        """Run the vertex stage alone; OR | AND << 16 of the flags."""
        numbers = [ctypes.c_uint32] * 2
        f = ctypes.CFUNCTYPE(ctypes.c_uint32, *[ctypes.c_void_p] * 5, *numbers, ctypes.c_void_p)
        where = 0 if elts is None else elts.ctypes.data
        return f(self.plan.vs)(
            *(self.memory[n].address for n in ("lp", "plan", "dyn")),
            ctypes.addressof(self.bindings), where, start, count, 0,
        )  # fmt: skip

    def draw(self, mode: int, count: int, start: int = 0, indices: np.ndarray | None = None,
             bias: int = 0, flags: int = 3, instances: int = 1,
             instance: int = 0) -> Drawing:  # fmt: skip
        """One draw call; `calls` and `rows` hold what setup was given."""
        self.calls, self.rows, self.points, self.polygons = [], [], [], []
        info = self.info
        info.instance, info.instances = instance, instances
        info.mode, info.start, info.count = mode, start, count
        info.index_bias, info.prim_flags = bias, flags
        info.index_size = 0 if indices is None else indices.dtype.itemsize
        if indices is not None:
            self.keep.append(indices)
            info.indices = indices.ctypes.data
        self.draw_vbo(*(self.memory[n].address for n in ("lp", "plan", "dyn", "info")))
        return self
