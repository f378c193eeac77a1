# SPDX-License-Identifier: MIT
"""Tiles of images of resources that are known to be clear: a clear to the same value leaves them
alone, and whatever else writes there is seen. What only the driver could have skipped is told by a
mark that is put into the memory behind its back."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.pipe import resource as r
from pydri.pipe.format import FORMATS, number
from pydri.pipe.native import (
    CLEAR_COLOR,
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    MAP_READ,
    MAP_UNSYNCHRONIZED,
    MAP_WRITE,
    CopyInfo,
)
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.state import DepthStencilAlpha
from tests.unit.pipe_llvm.test_render_to_texture import Rendering

WIDTH, HEIGHT = 200, 130
MARK = 0x5A
#: format, samples, whether it is sampled (rows) or not (stamps), layers, the attached layer
IMAGES = {
    "colour": ("R8G8B8A8_UNORM", 1, True, 1, 0),
    "wide colour": ("R32G32B32A32_FLOAT", 1, True, 1, 0),
    "layer": ("R8G8B8A8_UNORM", 1, True, 3, 2),
    "depth in rows": ("Z32_FLOAT", 1, True, 1, 0),
    "small depth in rows": ("Z16_UNORM", 1, True, 1, 0),
    "depth in stamps": ("Z24_UNORM_S8_UINT", 1, False, 1, 0),
    "four samples": ("R8G8B8A8_UNORM", 4, False, 1, 0),
    "depth of four samples": ("Z24_UNORM_S8_UINT", 4, False, 1, 0),
}


class Clearing(Rendering):
    """A bench whose one target is an image of a resource."""

    def __init__(self, kind: str, threads: int = 0, texture: PipeResource | None = None) -> None:
        name, samples, sampled, layers, self.layer = IMAGES[kind]
        self.zs_target = FORMATS[number(name)].kind == "zs"
        depth, color = (name, "R8G8B8A8_UNORM") if self.zs_target else ("", name)
        super().__init__(WIDTH, HEIGHT, color, depth, threads=threads, samples=samples)
        bind = r.BIND_DEPTH if self.zs_target else r.BIND_RENDER
        self.texture = texture or PipeResource.create(
            r.TARGET_2D_ARRAY if layers > 1 else r.TARGET_2D, number(name), WIDTH, HEIGHT, 1,
            layers, samples=samples, bind=bind | (r.BIND_SAMPLED if sampled else 0),
        )  # fmt: skip
        self.dyn.fb.cbuf = self.dyn.fb.zsbuf = 0
        self.surface = self.attach(self.texture, 0, self.layer)

    def begin(self, value: float = 0.5) -> None:
        """A scene that is a clear of all."""
        buffers = CLEAR_DEPTH | CLEAR_STENCIL if self.zs_target else CLEAR_COLOR
        self.clear((value,) * 4, value, 0, buffers)

    def draw(self, box: tuple[float, float, float, float]) -> None:
        targets = () if self.zs_target else None
        dsa = DepthStencilAlpha(0x207, True) if self.zs_target else DepthStencilAlpha()
        self.quad(self.plan(dsa=dsa, targets=targets), (0.25,) * 4, 0.25, box)

    def image(self) -> NDArray[np.uint8]:
        """The image's memory, tile by tile in y, unsynchronised."""
        self.cx.finish()
        place = self.texture.native.level[0]
        at = self.texture.native.data + place.offset + self.layer * place.image_stride
        memory = (ctypes.c_uint8 * place.image_stride).from_address(at)
        return np.ctypeslib.as_array(memory).reshape(-1, place.row_stride)

    def pixel(self) -> Any:
        """The bytes of a pixel that lies in the last tile, of whichever order pixels have."""
        return self.image()[128, 0:1]

    def same(self, value: float = 0.5) -> bool:
        """Whether the image is what a fresh one is when it is cleared."""
        fresh = Clearing(self.kind)
        fresh.begin(value)
        return np.array_equal(self.inside(), fresh.inside())

    def inside(self) -> NDArray[np.uint8]:
        """The image without its skirt, which may be as it was."""
        if self.texture.native.flags & r.FLAG_STAMPS:
            return self.image()
        return self.image()[:HEIGHT, : WIDTH * self.texture.native.block_bytes]

    kind = ""


def clearing(kind: str, **more: Any) -> Clearing:
    bench = Clearing(kind, **more)
    bench.kind = kind
    return bench


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("kind", IMAGES)
def test_what_is_clear_is_not_cleared_again(kind: str, threads: int) -> None:
    bench = clearing(kind, threads=threads)
    bench.begin()
    assert bench.same()
    bench.pixel()[:] = MARK  # behind the driver's back
    bench.begin()
    assert bench.pixel()[0] == MARK
    bench.begin(0.75)
    assert bench.same(0.75)


@pytest.mark.parametrize("kind", IMAGES)
def test_what_was_drawn_on_is_cleared(kind: str) -> None:
    bench = clearing(kind)
    for box in ((0, 0, 20, 20), (0, 120, 20, 130), (0, 0, WIDTH, HEIGHT)):
        for _ in range(2):
            bench.begin()
            bench.draw(box)
        assert not bench.same()
        bench.begin()
        assert bench.same(), box
        bench.draw(box)  # in a scene that does not begin with a clear
        bench.cx.finish()
        bench.begin()
        assert bench.same(), box


def _by_map(bench: Clearing) -> None:
    bench.cx.transfer_map(bench.texture.address, MAP_WRITE)
    bench.pixel()[:] = MARK


def _by_map_at_once(bench: Clearing) -> None:
    bench.cx.transfer_map(bench.texture.address, MAP_WRITE | MAP_UNSYNCHRONIZED)
    bench.pixel()[:] = MARK


def _by_copy(bench: Clearing) -> None:
    other = Clearing(bench.kind, texture=None)
    other.begin(0.125)
    other.cx.finish()
    info = CopyInfo.ctype()()
    info.src, info.dst = other.texture.address, bench.texture.address
    info.z = info.dst_z = bench.layer
    info.width, info.height, info.depth = WIDTH, HEIGHT, 1
    bench.cx.copy_region(ctypes.addressof(info))
    bench.kept += [other]


def _by_surface(bench: Clearing) -> None:
    """Another surface of the same image, as another framebuffer object has it."""
    fb = bench.dyn.fb
    before = fb.cbuf, fb.zsbuf
    bench.attach(bench.texture, 0, bench.layer)
    bench.draw((0, 120, 20, 130))
    bench.cx.finish()
    fb.cbuf, fb.zsbuf = before


def _by_context(bench: Clearing) -> None:
    other = Clearing(bench.kind, texture=bench.texture)
    other.draw((0, 120, 20, 130))
    other.cx.finish()
    bench.kept += [other]


def _by_rename(bench: Clearing) -> None:
    bench.texture.rename()


WRITERS = (_by_map, _by_map_at_once, _by_copy, _by_surface, _by_context, _by_rename)


@pytest.mark.parametrize("writer", WRITERS, ids=lambda w: w.__name__[4:])
@pytest.mark.parametrize("kind", IMAGES)
def test_what_others_write_is_seen(kind: str, writer: Callable[[Clearing], None]) -> None:
    bench = clearing(kind)
    bench.begin()
    bench.cx.finish()
    writer(bench)
    assert not bench.same(), "nothing was written"
    bench.begin()
    assert bench.same()


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("kind", IMAGES)
def test_what_is_written_behind_a_scene_that_waits_is_seen(kind: str, threads: int) -> None:
    """The clear is pending when the memory is asked for, which has it done."""
    bench = clearing(kind, threads=threads)
    bench.begin()
    bench.cx.finish()
    bench.begin()
    _by_map(bench)
    assert not bench.same(), "nothing was written"
    bench.begin()
    assert bench.same()


@pytest.mark.parametrize("kind", IMAGES)
def test_a_scene_of_another_context_that_is_older_is_seen(kind: str) -> None:
    """It was recorded before the clear of this one, and is executed behind it."""
    bench = clearing(kind)
    bench.begin()
    bench.cx.finish()
    other = Clearing(kind, texture=bench.texture)
    other.draw((0, 120, 20, 130))
    bench.begin()
    bench.cx.finish()
    other.cx.finish()
    assert not bench.same()
    bench.begin()
    assert bench.same()


STENCILS = ("depth in stamps", "depth of four samples")
PARTS = (CLEAR_DEPTH, CLEAR_STENCIL)


@pytest.mark.parametrize("parts", [PARTS, PARTS[::-1]])
@pytest.mark.parametrize("kind", STENCILS)
def test_clears_in_parts_are_one(kind: str, parts: tuple[int, int]) -> None:
    """Depth and stencil by two calls, of values that were not there before."""
    bench = clearing(kind)
    bench.begin()
    bench.draw((0, 0, WIDTH, HEIGHT))
    bench.cx.finish()

    def by_parts() -> None:
        for part in parts:
            bench.clear((0,) * 4, 0.75, 9, part)

    by_parts()
    bench.cx.finish()
    fresh = Clearing(kind)
    fresh.clear((0,) * 4, 0.75, 9, CLEAR_DEPTH | CLEAR_STENCIL)
    assert np.array_equal(bench.image(), fresh.image())
    bench.pixel()[:] = MARK  # behind the driver's back
    by_parts()
    assert bench.pixel()[0] == MARK


@pytest.mark.parametrize("kind", STENCILS)
def test_a_part_behind_something_else_keeps_the_other(kind: str) -> None:
    """What is drawn between two clears of parts is drawn upon."""
    bench, fresh = clearing(kind), Clearing(kind)
    for each in (bench, fresh):
        each.begin()
        each.cx.finish()
        each.clear((0,) * 4, 0.75, 9, CLEAR_STENCIL, stencil_mask=0x0F)
        each.draw((0, 120, 20, 130))
        if each is fresh:
            each.cx.finish()
        each.clear((0,) * 4, 0.75, 6, CLEAR_STENCIL, stencil_mask=0xF0)
    assert np.array_equal(bench.image(), fresh.image())
    assert not bench.same()


@pytest.mark.parametrize("writer", (None, *WRITERS), ids=lambda w: w.__name__[4:] if w else "-")
@pytest.mark.parametrize("kind", STENCILS)
def test_depth_alone_is_cleared_where_the_stencil_is_known(
    kind: str, writer: Callable[[Clearing], None] | None
) -> None:
    """As that of fresh memory is, or of memory that was cleared; others' stencil values stay."""
    bench = clearing(kind)
    for stencil in (0, 0, 5, 5):
        if stencil:
            bench.clear((0,) * 4, 0.25, stencil, CLEAR_DEPTH | CLEAR_STENCIL)
            bench.cx.finish()
        bench.clear((0,) * 4, 0.75, 0, CLEAR_DEPTH)
        marked = bench.pixel()[0]
        bench.cx.finish()
        bench.pixel()[:] = MARK  # behind the driver's back
        bench.clear((0,) * 4, 0.75, 0, CLEAR_DEPTH)
        assert bench.pixel()[0] == MARK
        bench.pixel()[:] = marked
    if writer is None:
        return
    writer(bench)
    bench.cx.finish()
    words = bench.image().view(np.uint32) >> 24
    before = words.copy()
    bench.clear((0,) * 4, 0.5, 0, CLEAR_DEPTH)
    assert np.array_equal(bench.image().view(np.uint32) >> 24, before)


def test_a_read_leaves_what_is_known() -> None:
    bench = clearing("colour")
    bench.begin()
    bench.cx.finish()
    bench.cx.transfer_map(bench.texture.address, MAP_READ)
    bench.pixel()[:] = MARK
    bench.begin()
    assert bench.pixel()[0] == MARK


def test_one_image_as_two_targets() -> None:
    """What is cleared through one is known through neither."""
    bench = Clearing("colour")
    bench.kind = "colour"
    first = bench.dyn.fb.cbuf
    bench.attach(bench.texture)
    second = bench.dyn.fb.cbuf
    bench.dyn.fb.cbuf, bench.dyn.fb.others[0] = first, second
    bench.begin()
    bench.cx.finish()
    bench.clear((0.75,) * 4, buffers=CLEAR_COLOR & 0x200)
    bench.cx.finish()
    bench.dyn.fb.others[0] = 0
    bench.begin()
    assert bench.same()


def test_targets_of_different_sizes() -> None:
    """A scene that is narrower than an image has other numbers of tiles."""
    bench = clearing("colour")
    bench.begin()
    bench.cx.finish()
    fb = bench.dyn.fb
    fb.width, bench.dyn.scissor_x1 = 64, 64
    bench.draw((0, 120, 20, 130))
    bench.cx.finish()
    fb.width, bench.dyn.scissor_x1 = WIDTH, WIDTH
    bench.begin()
    assert bench.same()
