# SPDX-License-Identifier: MIT
"""Images of resources as targets: skirts, depth and stencil in rows, targets of different sizes."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipe_llvm.native import LpPlan
from pipe_llvm.sample.table import samplers
from pipe_soft import sample as soft
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from pydri.pipe.format import BY_NAME, ZS_FORMATS, number
from pydri.pipe.native import CLEAR_COLOR, CLEAR_DEPTH, CLEAR_STENCIL, MAP_READ, Surface
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.sampler import SamplerState, SamplerView
from pydri.pipe.state import DepthStencilAlpha, StencilSide
from tests.unit.pipe_llvm.harness import Bench
from tests.unit.pipe_llvm.sample_rig import Texture, View
from tests.unit.pipe_llvm.test_raster import random_triangles
from tests.unit.pipe_llvm.test_textured import bound, corners, shader_of

BOX = (13, 21, 90, 70)


class Rendering(Bench):
    """A bench whose colour, depth or both are images of resources."""

    def attach(self, texture: PipeResource, level: int = 0, layer: int = 0) -> Any:
        """Draw to an image of a resource instead of the bench's own surface."""
        memory = (ctypes.c_ubyte * (Surface.size + 64))()
        at = (ctypes.addressof(memory) + 63) & ~63
        surface = Surface.view(at)
        self.kept = [*getattr(self, "kept", []), memory, texture]
        self.screen.surface_view(surface, texture.address, level, layer)
        if texture.native.bind & r.BIND_DEPTH:
            self.dyn.fb.zsbuf = at
        else:
            self.dyn.fb.cbuf = at
        return surface

    def whole(self, texture: PipeResource, level: int, layer: int) -> NDArray[np.uint8]:
        """An image's texels with the skirt: (height + 1, width + 1, bytes)."""
        place = texture.native.level[level]
        size = texture.native.block_bytes
        data = self.cx.transfer_map(texture.address, MAP_READ)
        at = data + place.offset + layer * place.image_stride
        rows = (ctypes.c_uint8 * (place.row_stride * (place.height + 1))).from_address(at)
        found = np.frombuffer(rows, np.uint8).reshape(place.height + 1, place.row_stride)
        return found[:, : (place.width + 1) * size].reshape(place.height + 1, -1, size).copy()


def has_skirt(texels: NDArray[np.uint8]) -> bool:
    """Whether what is right of and below an image repeats its first column and row."""
    right = np.array_equal(texels[:-1, -1], texels[:-1, 0])
    below = np.array_equal(texels[-1, :-1], texels[0, :-1])
    return right and below and np.array_equal(texels[-1, -1], texels[0, 0])


SHAPES = {
    "2d": (r.TARGET_2D, 200, 133, 1, 1, (3, 0)),
    "2d whole tiles": (r.TARGET_2D, 128, 64, 1, 1, (0, 0)),
    "mipmap": (r.TARGET_2D, 200, 133, 1, 1, (2, 0)),
    "last level": (r.TARGET_2D, 200, 133, 1, 1, (7, 0)),
    "layer": (r.TARGET_2D_ARRAY, 64, 70, 1, 3, (1, 2)),
    "face": (r.TARGET_CUBE, 65, 65, 1, 6, (1, 5)),
    "slice": (r.TARGET_3D, 30, 70, 7, 1, (1, 2)),
    "1d": (r.TARGET_1D, 100, 1, 1, 1, (1, 0)),
    "1d layer": (r.TARGET_1D_ARRAY, 100, 1, 1, 4, (0, 3)),
}


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_skirts_are_true_when_a_scene_is_done(shape: str, threads: int) -> None:
    target, width, height, depth, layers, (level, layer) = SHAPES[shape]
    for name in ("R8G8B8A8_UNORM", "R8_UNORM", "B5G6R5_UNORM", "R32G32B32A32_FLOAT"):
        last = max(width, height, depth).bit_length() - 1
        texture = PipeResource.create(
            target, number(name), width, height, depth, layers, last,
            bind=r.BIND_SAMPLED | r.BIND_RENDER,
        )  # fmt: skip
        place = texture.native.level[level]
        bench = Rendering(place.width, place.height, name, "", threads=threads)
        bench.attach(texture, level, layer)
        for seed in range(2):
            tri = random_triangles(300, max(place.width, 8), seed, 20.0)
            tri[:, :, 4:] = np.random.default_rng(seed).random((300, 1, 4)) + 0.1
            bench.triangles(bench.plan(), tri)
            texels = bench.whole(texture, level, layer)
            assert texels[:-1, :-1].any() and has_skirt(texels), name
        whole = (ctypes.c_uint8 * texture.native.size).from_address(texture.native.data)
        rest = np.frombuffer(whole, np.uint8).copy()
        used = place.offset + layer * place.image_stride
        rest[used : used + place.image_stride] = 0
        assert not rest.any()  # nothing of another level, layer, face or slice


def stencilled(test: bool) -> DepthStencilAlpha:
    """Depth less; stencil counts, or is compared."""
    func, zfail, zpass = (0x206, 0x1E01, 0x1E02) if test else (0x207, 0x1E00, 0x8507)
    return DepthStencilAlpha(0x201, True, StencilSide(func, 0x1E00, zfail, zpass))


def paint(bench: Bench, seed: int, whole: bool) -> None:
    """Clears of all, of depth alone, of parts and bits, and triangles, in two scenes."""
    dyn = bench.dyn
    dyn.stencil_ref[:] = [3, 3]
    if whole:
        bench.clear((0.1, 0.2, 0.3, 0.4), 0.75, 3)
    for n in range(2):
        if n and whole:
            bench.clear(depth=0.9, buffers=CLEAR_DEPTH)
        dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1 = BOX
        bench.clear(depth=0.5, stencil=0x5A, buffers=CLEAR_DEPTH | CLEAR_STENCIL, stencil_mask=0x3C)
        dyn.scissor_x0 = dyn.scissor_y0 = 0
        dyn.scissor_x1, dyn.scissor_y1 = bench.width, bench.height
        tri = random_triangles(60, 150, seed + n, 50.0)
        tri[:, :, 2] = np.random.default_rng(seed + n).random((60, 3))
        if not whole:
            tri[:, :, 2] -= 1.0 - n  # below what the memory holds at first, zero
        bench.triangles(bench.plan(dsa=stencilled(bool(n))), tri)
        if n == 0:
            bench.cx.flush()


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("fmt", [f.name for f in ZS_FORMATS])
def test_depth_and_stencil_in_rows_are_those_in_stamps(fmt: str, threads: int) -> None:
    """A depth texture as target; the pixels of its colours are the same, too."""
    width, height = 150, 100
    for whole in (True, False):
        usual = Bench(width, height, depth=fmt, threads=threads)
        bench = Rendering(width, height, depth=fmt, threads=threads)
        texture = PipeResource.create(
            r.TARGET_2D, number(fmt), width * 2, height * 2, last_level=2,
            bind=r.BIND_SAMPLED | r.BIND_DEPTH,
        )  # fmt: skip
        assert not texture.native.flags
        bench.attach(texture, 1)
        for b in (usual, bench):
            paint(b, 7, whole)
        texels = bench.whole(texture, 1, 0)
        assert has_skirt(texels)
        words = texels[:-1, :-1].copy().view({1: "u1", 2: "u2", 4: "u4", 8: "u8"}[texels.shape[2]])
        assert np.array_equal(words[..., 0], usual.depth_words())
        assert len(np.unique(words)) > (3 if fmt == "S8_UINT" or not whole else 100)
        assert np.array_equal(bench.raw(), usual.raw())


@pytest.mark.parametrize("kind", ["R8G8B8A8_UNORM", "Z24X8_UNORM", "Z16_UNORM", "Z32_FLOAT"])
def test_what_was_drawn_is_sampled_with_its_skirt(kind: str) -> None:
    """Render to a level and layer, sample it with a linear filter across the wrap: twice, in one
    recording, with no flush by anybody."""
    zs = BY_NAME[kind].kind == "zs"
    bind = r.BIND_SAMPLED | (r.BIND_DEPTH if zs else r.BIND_RENDER)
    texture = PipeResource.create(
        r.TARGET_2D_ARRAY, number(kind), 70, 45, layers=2, last_level=1, bind=bind
    )
    rng = np.random.default_rng(2)
    rig = Texture(rng, kind, r.TARGET_2D_ARRAY, 70, 45, layers=2, last_level=1)
    how = SamplerState((s.GL_REPEAT,) * 3, s.GL_LINEAR, s.GL_LINEAR)
    there = SamplerView(texture.address, number(kind), r.TARGET_2D_ARRAY, 1, 1, 0, 1)
    view = View(rig, there, how, 0)
    view.native.data = texture.native.data
    view.native.sample = samplers().function(view.native.key)
    onto = Rendering(35, 22, kind if not zs else "R8G8B8A8_UNORM", kind if zs else "")
    seen = Rendering(64, 64, "R8G8B8A8_UNORM", "")
    onto.attach(texture, 1, 1)
    seen.cx = onto.cx  # one context
    bound(seen, [view])

    def layered(b: Any) -> Any:
        coord = b.load_input(1, 2)
        return b.tex("tex", {"coord": b.vec(coord.x, coord.y, b.imm_float(1.0))}, sampler_dim="2D",
                     is_array=True)  # fmt: skip

    fs = shader_of(layered)
    plan = seen.plan(fs=fs)
    LpPlan.view(plan).views = 1
    for seed in range(2):
        onto.clear((0, 0, 0, 0), 1.0)
        tri = random_triangles(40, 35, seed, 20.0)
        tri[:, :, 2] = rng.random((40, 3))
        tri[:, :, 4:8] = rng.random((40, 1, 4))
        onto.triangles(onto.plan(dsa=DepthStencilAlpha(0x201, True)), tri)
        seen.triangles(plan, corners((0, 0, 64, 64), (-0.7, -0.3, 1.3, 1.7)))
        pixels = seen.pixels()
        texels = onto.whole(texture, 1, 1)[:-1, :-1]
        rows = np.ascontiguousarray(texels).reshape(1, 22, -1)
        rig.levels[1][1] = rig._decoded(rows, 35)[0]
        centre = (np.arange(64) + 0.5) / 64 * 2
        y, x = np.meshgrid(centre - 0.3, centre - 0.7, indexing="ij")
        stamps = [
            v.astype(np.float32).reshape(16, 4, 16, 4).transpose(0, 2, 1, 3).reshape(-1, 16)
            for v in (x, y, np.ones_like(x))
        ]
        tex = rig.soft(view.view, how)
        wanted = soft.sample(tex, how, soft.Coords(*stamps))
        wanted = wanted.reshape(16, 16, 4, 4, 4).transpose(0, 2, 1, 3, 4).reshape(64, 64, 4)
        assert np.abs(pixels - wanted * 255).max() <= 1.5
        assert len(np.unique(pixels)) > 20


def test_targets_of_different_sizes_are_drawn_where_all_are() -> None:
    """The intersection; a clear of it leaves what is outside, tile or not."""
    sizes = ((150, 100), (90, 130), (200, 70))
    bench = Rendering(90, 70, "R8G8B8A8_UNORM", "Z24_UNORM_S8_UINT",
                      others=("R16G16_FLOAT",))  # fmt: skip
    color, other, zs = (
        PipeResource.create(
            r.TARGET_2D, number(name), *size, bind=r.BIND_SAMPLED | bind
        )
        for name, size, bind in zip(
            ("R8G8B8A8_UNORM", "R16G16_FLOAT", "Z24_UNORM_S8_UINT"), sizes,
            (r.BIND_RENDER, r.BIND_RENDER, r.BIND_DEPTH), strict=True,
        )
    )  # fmt: skip
    second = bench.attach(other)
    bench.dyn.fb.others[0] = ctypes.addressof(second)
    bench.attach(color)
    bench.attach(zs)
    for n, drawn in ((0, False), (1, True)):
        bench.clear((1, 1, 1, 1), 0.5 + n / 4, 7 + n)
        if drawn:
            from pydri.pipe.state import ColorTarget

            plan = bench.plan(
                targets=(ColorTarget(bench.fmt.number), ColorTarget(number("R16G16_FLOAT"))),
                dsa=DepthStencilAlpha(0x201, True),
            )
            bench.quad(plan, (0, 1, 0, 1), 0.25)
        for texture, (width, height) in zip((color, other, zs), sizes):
            texels = bench.whole(texture, 0, 0)
            inside = np.zeros((height, width), bool)
            inside[:70, :90] = True
            found = texels[:-1, :-1].any(2)
            assert np.array_equal(found, inside) and has_skirt(texels)


def test_depth_alone() -> None:
    """A framebuffer without colours."""
    bench = Rendering(100, 50, depth="Z16_UNORM")
    zs = PipeResource.create(
        r.TARGET_2D, number("Z16_UNORM"), 100, 50, bind=r.BIND_SAMPLED | r.BIND_DEPTH
    )
    bench.attach(zs)
    bench.dyn.fb.cbuf = 0
    bench.clear(depth=1.0)
    bench.quad(bench.plan(targets=(), dsa=DepthStencilAlpha(0x201, True)), (1, 1, 1, 1), 0.5,
               (10, 5, 95, 45))  # fmt: skip
    found = bench.whole(zs, 0, 0)[:-1, :-1].copy().view(np.uint16)[..., 0]
    wanted = np.full((50, 100), 0xFFFF)
    wanted[5:45, 10:95] = 0x8000
    assert np.array_equal(found, wanted) and not bench.raw().any()


def test_a_framebuffer_without_images_counts_fragments() -> None:
    bench = Bench(100, 50, depth="")
    counter = ctypes.c_uint64(0)
    bench.dyn.fb.cbuf = 0
    bench.dyn.occlusion_counter = ctypes.addressof(counter)
    plan = bench.plan(targets=())
    bench.clear()
    bench.quad(plan, (1, 1, 1, 1), box=(10, 5, 95, 45))
    bench.cx.finish()
    assert counter.value == 85 * 40
    assert not bench.raw().any()


def test_srgb_resources_are_surfaces_with_a_view() -> None:
    """Surface.format says how bytes lie; what resource and view say is encoded."""
    bench = Rendering(32, 32, "R8G8B8A8_UNORM", "")
    texture = PipeResource.create(
        r.TARGET_2D, number("R8G8B8A8_SRGB"), 32, 32, bind=r.BIND_SAMPLED | r.BIND_RENDER
    )
    surface = bench.attach(texture)
    assert (surface.format, surface.srgb) == (number("R8G8B8A8_UNORM"), number("R8G8B8A8_SRGB"))
    bench.clear((0.5, 0.5, 0.5, 0.5), buffers=CLEAR_COLOR | 8)
    assert (bench.whole(texture, 0, 0)[:32, :32] == (188, 188, 188, 128)).all()
