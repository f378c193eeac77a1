# SPDX-License-Identifier: MIT
"""Drives setup, scene, rast and fragment kernels with hand-made vertices: no draw module, no X.

A `Bench` owns a context, a colour and a depth surface. `triangles` puts vertex rows (x, y, z,
1/w, then colour) straight into the vertex stream and calls the pipeline's setup kernel, as
pipe_llvm/draw does."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipe_llvm.draw.layout import Varying, VertexLayout
from pipe_llvm.fragment.constants import constants_of
from pipe_llvm.fragment.packet import PacketShape, make_packet_layout, packet_bytes
from pipe_llvm.memory import Block
from pipe_llvm.native import VARYING_SLOT_POINT_COVERAGE, LpPlan
from pipe_llvm.plans import describe_fragments
from pipe_llvm.recipe import (
    DepthStep,
    FragmentPart,
    Recipe,
    SetupPart,
    fragment_module,
    resolvable,
    setup_module,
)
from pipe_llvm.screen import LlvmScreen
from pydri.pipe.format import FORMATS, number
from pydri.pipe.native import CLEAR_COLOR, PipeDynamic, Surface
from pydri.pipe.state import (
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    Rasterizer,
    RtBlend,
    ShaderInput,
    ShaderRef,
)

ROWS = VertexLayout(
    (Varying(1, 4, 4), Varying(13, 8, 4), Varying(VARYING_SLOT_POINT_COVERAGE, 12, 4)), 16
)

PLACES = {varying.slot: varying.offset for varying in ROWS.varyings}


def color_shader() -> Any:
    """A fragment shader that writes COL0."""
    from pydri.nir.builder import Builder
    from pydri.nir.ir import Shader

    shader = Shader("fragment")
    b = Builder(shader)
    b.store_output(b.load_input(1, 4), 2, 15)
    return shader


COLOR = ShaderRef(b"test color", color_shader, (ShaderInput(1, 4, "color"),), (2,))


_BLEND, _DSA, _RAST = RtBlend(), DepthStencilAlpha(), Rasterizer()


def _end(context: Any, screen: LlvmScreen) -> None:
    """Threads must not outlive the memory that they look at."""
    context.destroy()
    screen.destroy()


class Bench:
    """A context with a framebuffer of width x height."""

    def __init__(
        self,
        width: int = 64,
        height: int = 64,
        color: str = "B8G8R8A8_UNORM",
        depth: str = "Z24_UNORM_S8_UINT",
        threads: int | None = None,
        samples: int = 1,
        others: tuple[str, ...] = (),
    ) -> None:
        from pipe_llvm.context import LlvmContext

        self.screen = LlvmScreen(None)
        if threads is not None:
            self.screen.threads = threads
        self.cx = LlvmContext(self.screen)
        weakref.finalize(self, _end, self.cx, self.screen)
        self.width, self.height = width, height
        self.block = Block(4096)
        at = self.block.address
        self.samples = samples
        places = [at + n * Surface.size for n in range(3)]
        self.color, self.zs, self.multi = (Surface.view(place) for place in places)
        self.dyn_address = at + 12 * Surface.size
        self.dyn = PipeDynamic.view(self.dyn_address)
        self.fmt, self.zs_fmt = (
            FORMATS[number(color)],
            FORMATS[number(depth)] if depth else FORMATS[0],
        )
        self.screen.surface_create(self.color, self.fmt.number, width, height)
        if depth:
            self.screen.surface_create(self.zs, self.zs_fmt.number, width, height, samples)
        if samples > 1:
            self.screen.surface_create(self.multi, self.fmt.number, width, height, samples)
            self.color.multi = places[2]
        fb = self.dyn.fb
        fb.width, fb.height, fb.flip_y = width, height, 1
        fb.cbuf, fb.zsbuf = places[2 if samples > 1 else 0], places[1] if depth else 0
        self.others = [Surface.view(at + (3 + n) * Surface.size) for n in range(len(others))]
        for n, (surface, name) in enumerate(zip(self.others, others)):
            if name:
                self.screen.surface_create(surface, number(name), width, height, samples)
                fb.others[n] = at + (3 + n) * Surface.size
        self.dyn.scissor_x1, self.dyn.scissor_y1 = width, height
        self.dyn.const0 = at
        self.dyn.stencil_valuemask[:] = [255, 255]
        self.dyn.stencil_writemask[:] = [255, 255]
        self._plans: dict[Any, Block] = {}

    def plan(
        self,
        blend: RtBlend = _BLEND,
        dsa: DepthStencilAlpha = _DSA,
        rast: Rasterizer = _RAST,
        fs: ShaderRef = COLOR,
        multisample: Multisample | None = None,
        targets: tuple[ColorTarget, ...] | None = None,
    ) -> int:
        """A plan without a vertex stage; `targets`, if there are several or none."""
        if multisample is None:
            multisample = Multisample(enabled=self.samples > 1)
        if targets is None:
            targets = (ColorTarget(self.fmt.number, blend),)
        places = self.samples if multisample.enabled else 0
        shape = PacketShape(places, smooth=rast.poly_smooth, position=fs.uses_position)
        layout, sources = make_packet_layout(fs.inputs, PLACES, rast, shape)
        is_float = "FLOAT" in self.zs_fmt.name
        fixed = self.zs_fmt.number and not is_float
        unit = resolvable(self.zs_fmt.channels[0][1]) if fixed else 0.0
        discs = rast.point_smooth and multisample.enabled
        made = Recipe(
            SetupPart(layout, sources, DepthStep(unit, is_float)),
            FragmentPart(
                fs, constants_of(fs), layout, targets, dsa, self.zs_fmt.number, rast.depth_clamp,
                None, self.samples, multisample, discs, bool(targets) and targets[0].blend.dual,
            ),
        )  # fmt: skip
        found = self._plans.get(made)
        if found is None:
            setup = setup_module(made.setup).compile()
            code = fragment_module(made.fragment).compile()
            found = self._plans[made] = Block(LpPlan.size)
            plan = LpPlan.view(found.address)
            plan.setup, plan.fs = setup.address("lp_setup"), code.address("lp_fs")
            plan.row_bytes, plan.packet_bytes = 64, packet_bytes(layout.fields)
            plan.flags = 8 if self.zs_fmt.number else 0
            plan.prim = 2
            describe_fragments(plan, made.fragment)
        return found.address

    def triangles(
        self, plan: int, vertices: Any, prim: int = 2, polygons: Any = None
    ) -> None:
        """Draw triangles; `vertices` is (n, 3, <=16) floats: x, y, z, 1/w, r, g, b, a, back r, g,
        b, a, and coverage of points. `polygons`: the number of each triangle's polygon, if the
        plan's polygons are smooth; unless given each is one of its own.
        """
        vertices = np.asarray(vertices, np.float32)
        count = vertices.shape[0]
        stream = self.cx.lp.stream
        rows = np.ctypeslib.as_array(
            (ctypes.c_float * (stream.capacity * 16)).from_address(stream.rows)
        ).reshape(-1, 16)
        assert 3 * count <= stream.capacity
        rows[: 3 * count, : vertices.shape[2]] = vertices.reshape(-1, vertices.shape[2])
        for k, name in enumerate(("v0", "v1", "v2")):
            index = np.ctypeslib.as_array(
                (ctypes.c_uint32 * stream.index_capacity).from_address(getattr(stream, name))
            )
            index[:count] = np.arange(count) * 3 + k
        numbers = (ctypes.c_uint32 * stream.index_capacity).from_address(stream.polygons)
        np.ctypeslib.as_array(numbers)[:count] = range(count) if polygons is None else polygons
        function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6, ctypes.c_uint32, ctypes.c_uint32)(
            LpPlan.view(plan).setup
        )
        function(
            self.cx.native, plan, self.dyn_address, stream.v0, stream.v1, stream.v2, count, prim
        )

    def quad(
        self,
        plan: int,
        color: Any,
        z: float = 0.5,
        box: tuple[float, float, float, float] | None = None,
    ) -> None:
        """A rectangle of one colour."""
        x0, y0, x1, y1 = box or (0, 0, self.width, self.height)
        corner = [[x, y, z, 1, *color] for x, y in ((x0, y1), (x1, y1), (x1, y0), (x0, y0))]
        self.triangles(plan, [[corner[0], corner[1], corner[2]], [corner[0], corner[2], corner[3]]])

    def clear(
        self,
        color: Any = (0, 0, 0, 0),
        depth: float = 1.0,
        stencil: int = 0,
        buffers: int = CLEAR_COLOR | 6,
        mask: int = 0xFFFFFFFF,
        stencil_mask: int = 255,
    ) -> None:
        values = (ctypes.c_float * 4)(*color)
        self.cx.clear(
            self.dyn_address, buffers, ctypes.addressof(values), depth, stencil, mask, stencil_mask
        )

    def raw(self) -> NDArray[Any]:
        """Packed pixels of the colour surface."""
        self.cx.resolve(ctypes.addressof(self.color))
        dtype = {2: np.uint16, 4: np.uint32}[self.fmt.bytes]
        return self._memory(self.color, dtype, self.fmt.bytes)[: self.height, : self.width].copy()

    def pixels(self) -> NDArray[Any]:
        """Channels r, g, b, a of the colour surface as integers."""
        raw, out, shift, fields = self.raw(), [], 0, []
        for _, bits in self.fmt.channels:
            fields.append((shift, bits))
            shift += bits
        for c in self.fmt.swizzle:
            if c in "zo":
                out.append(np.zeros_like(raw) if c == "z" else np.ones_like(raw))
            else:
                at, bits = fields[int(c)]
                out.append((raw >> at) & ((1 << bits) - 1))
        return np.stack(out, -1)

    def sample_words(self) -> NDArray[Any]:
        """Packed pixels of each sample, (samples, rows, columns); all clears must have been drawn
        over."""
        self.cx.finish()
        dtype = {2: np.uint16, 4: np.uint32}[self.fmt.bytes]
        flat = self._memory(self.multi, dtype, self.fmt.bytes)
        h, w = flat.shape[0], flat.shape[1] // self.samples
        stamps = flat.reshape(-1).reshape(h // 4, w // 4, self.samples, 4, 4)
        planes = stamps.transpose(2, 0, 3, 1, 4).reshape(self.samples, h, w)
        return planes[:, : self.height, : self.width].copy()

    def depth_words(self, sample: int = 0) -> NDArray[Any]:
        """Packed depth/stencil pixels of a sample, row by row."""
        self.cx.resolve(ctypes.addressof(self.zs))
        size = self.zs_fmt.bytes
        flat = self._memory(
            self.zs, {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[size], size
        )
        h, w = flat.shape[0], flat.shape[1] // self.samples
        stamps = flat.reshape(-1).reshape(h // 4, w // 4, self.samples, 4, 4)[:, :, sample]
        return stamps.transpose(0, 2, 1, 3).reshape(h, w)[: self.height, : self.width].copy()

    @staticmethod
    def _memory(surface: Any, dtype: Any, size: int) -> NDArray[Any]:
        count = surface.stride * surface.rows // size
        flat = np.ctypeslib.as_array(
            (ctypes.c_uint8 * (count * size)).from_address(surface.data)
        ).view(dtype)
        return flat.reshape(surface.rows, surface.stride // size)
