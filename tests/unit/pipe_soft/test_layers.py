# SPDX-License-Identifier: MIT
"""Layered framebuffers in both drivers (OpenGL 3.2, 4.4.7): primitives go to the layer that their
provoking vertex names, clears to all layers of each target.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.nir.enums import VERT_ATTRIB_GENERIC0
from pydri.pipe import resource as r
from pydri.pipe.format import number
from pydri.pipe.native import CLEAR_COLOR, MAP_READ, Surface
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.state import ColorTarget, DepthStencilAlpha, PipelineState
from tests.unit.pipe_soft.bench import DRIVERS, SIZE, Bench, Call, Clear, Target
from tests.unit.pipe_soft.test_geometry import DYNAMIC, pipeline, program, vertices

#: side of the targets: several tiles
SIDE = 96
WIDE = {
    **DYNAMIC, "viewport_scale": (48.0, 48.0, 0.5, 1.0), "scissor_x1": SIDE, "scissor_y1": SIDE,
    "viewport_translate": (48.0, 48.0, 0.5, 0.0),
}  # fmt: skip
#: passes a primitive on, to the layer that its number says; of strips each vertex says another one
GEOMETRY = """layout(%s) in; layout(%s, max_vertices = 6) out; in vec4 tint[]; out vec4 color;
void main() { for (int i = 0; i < gl_in.length(); i++) { gl_Position = gl_in[i].gl_Position;
color = tint[i]; gl_PointSize = 5.0; gl_Layer = %s; EmitVertex(); } }"""
KINDS = {"points": ("points", 0), "lines": ("line_strip", 3), "triangles": ("triangle_strip", 5)}


class Layered:
    """A driver whose framebuffer's targets are layers of resources."""

    def __init__(self, name: str) -> None:
        self.bench = Bench(DRIVERS[name], Target(number("R8G8B8A8_UNORM"), 0, 1, False))
        self.kept: list[Any] = []
        fb = self.bench.dyn.fb
        fb.cbuf, fb.width, fb.height, fb.flip_y = 0, SIDE, SIDE, 0

    def target(self, name: str, layers: int, place: str, side: int = SIDE) -> PipeResource:
        depth = name.startswith("Z")
        made = PipeResource.create(
            r.TARGET_2D_ARRAY, number(name), side, side, 1, layers,
            bind=r.BIND_SAMPLED | (r.BIND_DEPTH if depth else r.BIND_RENDER),
        )  # fmt: skip
        memory = (ctypes.c_ubyte * (Surface.size + 64))()
        at = (ctypes.addressof(memory) + 63) & ~63
        self.kept += [memory, made]
        self.bench.screen.surface_view(Surface.view(at), made.address, 0, 0, layers)
        fb = self.bench.dyn.fb
        if place == "others":
            fb.others[0] = at
        else:
            setattr(fb, place, at)
        fb.layers = min(fb.layers, layers) or layers
        return made

    def clear(self, color: tuple[float, ...], box: tuple[int, ...] = (0, 0, SIDE, SIDE)) -> None:
        for n, edge in enumerate(("x0", "y0", "x1", "y1")):
            setattr(self.bench.dyn, f"scissor_{edge}", box[n])
        self.bench.clear_part(Clear(CLEAR_COLOR | 6, color, 1.0, 7, 0xFF, 255))

    def draw(self, state: PipelineState, mode: int, rows: Any,
             how: dict[str, Any] = WIDE) -> None:  # fmt: skip
        arrays = {VERT_ATTRIB_GENERIC0 + n: np.ascontiguousarray(rows[:, n]) for n in (0, 1)}
        self.bench.draw(Call(state, how, arrays, mode, None, len(rows)))

    def texels(self, made: PipeResource) -> NDArray[np.uint8]:
        """(layers, rows, columns, bytes), with the skirt behind each layer."""
        place, size = made.native.level[0], made.native.block_bytes
        data = self.bench.context.transfer_map(made.address, MAP_READ) + place.offset
        whole = (ctypes.c_uint8 * (place.image_stride * place.depth)).from_address(data)
        found = np.frombuffer(whole, np.uint8).reshape(place.depth, place.image_stride)
        rows = found[:, : place.row_stride * (place.height + 1)].reshape(
            place.depth, place.height + 1, place.row_stride)  # fmt: skip
        return rows[:, :, : (place.width + 1) * size].reshape(*rows.shape[:2], -1, size).copy()

    def close(self) -> None:
        self.bench.close()


@pytest.fixture
def both() -> Iterator[tuple[Layered, Layered]]:
    made = Layered("soft"), Layered("llvm")
    yield made
    for each in made:
        each.close()


def layered(kind: str, layer: str, first: bool = False, zs: str = "") -> PipelineState:
    made, mode = KINDS[kind]
    state = pipeline(program(GEOMETRY % (kind, made, layer)), mode, first)
    state = state._replace(rast=state.rast._replace(point_size_per_vertex=kind == "points"))
    if zs:
        state = state._replace(zs_format=number(zs), dsa=DepthStencilAlpha(0x201, True))
    return state


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("layer", ["gl_PrimitiveIDIn % 3", "i + gl_PrimitiveIDIn % 3"])
def test_both_draw_the_same(
    both: tuple[Layered, Layered], kind: str, first: bool, layer: str
) -> None:
    rows = vertices(60, 5)
    rows[:, 0, 2] = np.random.default_rng(5).uniform(-1, 1, 60)
    rows[:, 0, :2] *= np.float32(1.4)  # some are clipped
    state, found = layered(kind, layer, first, "Z24_UNORM_S8_UINT"), []
    for each in both:
        targets = (each.target("R8G8B8A8_UNORM", 5, "cbuf"),
                   each.target("Z24_UNORM_S8_UINT", 5, "zsbuf"))  # fmt: skip
        each.clear((0.0,) * 4)
        each.draw(state, {"points": 0, "lines": 1, "triangles": 4}[kind], rows)
        texels = each.texels(targets[0])
        found.append([each.texels(target)[:, :SIDE, :SIDE].tobytes() for target in targets])
        # of each vertex another layer: the last one's, or the first one's, counts
        least = 0 if first or layer[0] != "i" else list(KINDS).index(kind)
        drawn = [bool(one[:SIDE, :SIDE].any()) for one in texels]
        assert drawn == [least <= n < least + 3 for n in range(5)]
    # the skirts, which pipe_soft's samplers do without
    assert (texels[:, :-1, -1] == texels[:, :-1, 0]).all()
    assert (texels[:, -1, :-1] == texels[:, 0, :-1]).all()
    assert found[0] == found[1]


@pytest.mark.parametrize("layer", ["-1", "7", "1 << 30"])
def test_a_layer_that_is_not_there_is_the_last(both: tuple[Layered, Layered], layer: str) -> None:
    """As the peer has it; OpenGL 3.2, 4.4.7 leaves it open."""
    for each in both:
        target = each.target("R8G8B8A8_UNORM", 3, "cbuf")
        each.clear((0.0,) * 4)
        each.draw(layered("triangles", layer), 4, vertices(3))
        assert [bool(one.any()) for one in each.texels(target)] == [False, False, True]


def test_the_least_number_of_layers_counts(both: tuple[Layered, Layered]) -> None:
    """Clears, whole and of a part, clear all layers of each target; primitives go to layers that
    all targets have."""
    for each in both:
        few = each.target("R8G8B8A8_UNORM", 2, "cbuf")
        many = each.target("R8G8B8A8_UNORM", 4, "others")
        assert each.bench.dyn.fb.layers == 2
        each.clear((0.0, 1.0, 0.0, 1.0))
        each.clear((1.0, 0.0, 0.0, 1.0), (10, 5, 80, 90))
        for target, layers in ((few, 2), (many, 4)):
            texels = each.texels(target)[:, :SIDE, :SIDE]
            wanted = np.zeros((layers, SIDE, SIDE, 4), np.uint8)
            wanted[..., 1], wanted[..., 3] = 255, 255
            wanted[:, 5:90, 10:80, :2] = (255, 0)
            assert (texels == wanted).all()
        state = layered("triangles", "3")._replace(
            targets=(ColorTarget(number("R8G8B8A8_UNORM")),) * 2)  # fmt: skip
        before = each.texels(many)
        each.draw(state, 4, vertices(3))
        changed = (each.texels(many) != before).any(axis=(1, 2, 3))
        assert changed.tolist() == [False, True, False, False]


def test_a_framebuffer_without_layers(both: tuple[Layered, Layered]) -> None:
    """What a shader says of layers has no effect there, and clears are of the first image."""
    for each in both:
        target = each.target("R8G8B8A8_UNORM", 3, "cbuf")
        each.bench.dyn.fb.layers = 0
        each.clear((0.0, 0.0, 1.0, 1.0))
        each.draw(layered("triangles", "2"), 4, vertices(3))
        texels = each.texels(target)
        assert (texels[0, :SIDE, :SIDE] != (0, 0, 255, 255)).any() and not texels[1:].any()


def test_many_layers(both: tuple[Layered, Layered]) -> None:
    """More bins than scenes begin with; each layer gets one triangle."""
    state, count = layered("triangles", "gl_PrimitiveIDIn * 8 % 301"), 301
    rows, found = vertices(3 * count), []
    for each in both:
        each.bench.dyn.fb.width = each.bench.dyn.fb.height = SIZE
        target = each.target("R8_UNORM", count, "cbuf", SIZE)
        each.clear((0.5,) * 4, (0, 0, SIZE, SIZE))
        narrow = state._replace(targets=(ColorTarget(number("R8_UNORM")),))
        each.draw(narrow, 4, rows, DYNAMIC)
        found.append(each.texels(target)[:, :SIZE, :SIZE])
    assert (found[0] == found[1]).all()
    assert (found[0] != 128).any(axis=(1, 2, 3)).sum() > 250
