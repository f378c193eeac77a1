# SPDX-License-Identifier: MIT
"""Blits and copies of regions: both drivers give the same bytes, in order with what is drawn."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipe_soft.memory import Image
from pydri.pipe import format_numpy
from pydri.pipe import resource as r
from pydri.pipe.format import FORMATS, TARGET, ZS_FORMATS, Format, number
from pydri.pipe.native import (
    BLIT_LINEAR,
    BLIT_NEAREST,
    CLEAR_COLOR,
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    BlitInfo,
    CopyInfo,
    PipeDynamic,
    Surface,
)
from pydri.pipe.pipe_resource import PipeResource
from tests.unit.pipe_soft.bench import DRIVERS

COLORS = [f for f in FORMATS if f.uses & TARGET]
NUMBERS = [f for f in COLORS if not f.integer and not f.srgb]
BOTH = CLEAR_DEPTH | CLEAR_STENCIL


class Side:
    """A driver with surfaces that lie in memory of resources."""

    def __init__(self, name: str) -> None:
        self.screen = DRIVERS[name](None)
        self.context = self.screen.context_create()
        self._kept: list[Any] = []

    def surface(
        self, fmt: Format, width: int, height: int, samples: int = 1, sampled: bool = False,
        level: int = 0,
    ) -> Any:  # fmt: skip
        """An image of a resource, renderbuffer or texture."""
        bind = r.BIND_DEPTH if fmt.kind == "zs" else r.BIND_RENDER
        resource = PipeResource.create(
            r.TARGET_2D, fmt.number, width << level, height << level, samples=samples,
            last_level=level, bind=bind | (r.BIND_SAMPLED if sampled else 0),
        )  # fmt: skip
        memory = (ctypes.c_ubyte * (Surface.size + 64))()
        found = Surface.view((ctypes.addressof(memory) + 63) & ~63)
        self._kept += [resource, memory, found]
        self.screen.surface_view(found, resource.address, level)
        return found

    def blit(self, src: Any, dst: Any, **how: Any) -> None:
        info = BlitInfo.ctype()()
        info.src, info.dst = ctypes.addressof(src), ctypes.addressof(dst)
        info.src_box[:] = how.get("source", (0, 0, src.width, src.height))
        info.dst_box[:] = how.get("target", (0, 0, dst.width, dst.height))
        info.scissor[:] = how.get("scissor", (0, 0, dst.width, dst.height))
        info.mask = how.get("mask", CLEAR_COLOR0)
        info.filter, info.srgb = how.get("filter", BLIT_NEAREST), how.get("srgb", 0)
        self.context.blit(ctypes.addressof(info))

    def texels(self, surface: Any) -> NDArray[np.uint8]:
        """(rows, columns, samples, bytes), when all is done."""
        self.context.finish()
        image = Image(surface)
        found = image.texels[image.box(0, 0, surface.width, surface.height)]
        return np.array(found).reshape(surface.height, surface.width, image.samples, -1)

    def fill(self, surface: Any, texels: NDArray[np.uint8]) -> None:
        image = Image(surface)
        places = image.box(0, 0, surface.width, surface.height)
        image.texels[places] = texels.reshape(*places.shape, -1)

    def close(self) -> None:
        self.context.destroy()
        self.screen.destroy()


@pytest.fixture
def sides() -> Iterator[list[Side]]:
    found = [Side(name) for name in DRIVERS]
    yield found
    for side in found:
        side.close()


def content(rng: np.random.Generator, fmt: Format, count: int) -> NDArray[np.uint8]:
    """Random texels, in and beyond what a format holds; no NaN."""
    if fmt.kind == "zs":
        raw = rng.integers(0, 256, (count, fmt.bytes), np.uint8)
        depth = rng.random(count)
        if any(kind == "f" for kind, _ in fmt.channels):
            raw[:, :4] = depth.astype(np.float32).view(np.uint8).reshape(-1, 4)
        return raw
    if fmt.integer:
        return rng.integers(0, 256, (count, fmt.bytes), np.uint8)
    values = rng.random((count, 4)) * 1.4 - 0.2
    return format_numpy.pack(fmt, values.astype(np.float32))


def boxes(rng: random.Random, width: int, height: int) -> tuple[int, int, int, int]:
    """A box that is often mirrored, and not always inside."""
    x, y = rng.randint(-20, width), rng.randint(-20, height)
    w, h = rng.randint(1, width), rng.randint(1, height)
    found = [x, y, x + w, y + h]
    for n in range(2):
        if rng.random() < 0.4:
            found[n], found[n + 2] = found[n + 2], found[n]
    return found[0], found[1], found[2], found[3]


def kinds(seed: int) -> dict[str, Any]:
    """How a random blit goes, from 150x100 to 90x130 pixels."""
    rng = random.Random(seed)
    source = boxes(rng, 150, 100)
    target = boxes(rng, 90, 130)
    if rng.random() < 0.4:  # of the same size
        x, y = rng.randint(-9, 60), rng.randint(-9, 60)
        w, h = (abs(source[n + 2] - source[n]) for n in range(2))
        target = (x, y, x + w, y + h)
    scissor = (0, 0, 90, 130)
    if rng.random() < 0.4:
        x, y = rng.randint(0, 60), rng.randint(0, 90)
        scissor = (x, y, x + rng.randint(1, 30), y + rng.randint(1, 70))
    if rng.random() < 0.1:
        source = (-(1 << 31), 3, (1 << 31) - 1, 50)
    return {"source": source, "target": target, "scissor": scissor,
            "filter": rng.choice([BLIT_NEAREST, BLIT_LINEAR])}  # fmt: skip


def compare(sides: list[Side], pairs: list[Any], how: dict[str, Any], rng: Any, **more: Any) -> int:
    """Blit on both drivers; returns how many pixels were written."""
    come, go = pairs
    old = new = None
    found = []
    for side in sides:
        src = side.surface(come, 150, 100, more.get("src_samples", 1), more.get("sampled", False))
        dst = side.surface(go, 90, 130, more.get("dst_samples", 1), more.get("sampled", False),
                           more.get("level", 0))  # fmt: skip
        if old is None:
            new = content(rng, come, 150 * 100 * src.samples)
            old = content(rng, go, 90 * 130 * dst.samples)
        side.fill(src, new)
        side.fill(dst, old)
        before = side.texels(dst)
        side.blit(src, dst, **how)
        found.append(side.texels(dst))
    assert np.array_equal(*found), (come.name, go.name, how)
    return int((found[0] != before).any((2, 3)).sum())


@pytest.mark.parametrize("seed", range(60))
def test_colours(sides: list[Side], seed: int) -> None:
    """Formats of fractions and floats, one to another, boxes of all kinds, both filters."""
    rng, pick = np.random.default_rng(seed), random.Random(seed)
    come = pick.choice(NUMBERS)
    go = come if pick.random() < 0.4 else pick.choice(NUMBERS)
    compare(sides, [come, go], kinds(seed), rng, sampled=seed & 1, level=seed % 3)


PROGRAM = """
import hashlib, random
import numpy as np
from tests.unit.pipe_soft import test_blit as t
side, total = t.Side("llvm"), hashlib.sha256()
for seed in range(30):
    rng, pick = np.random.default_rng(seed), random.Random(seed)
    come, go = (t.FORMATS[t.number(pick.choice(t.FEW))] for _ in range(2))
    src = side.surface(come, 150, 100, 4 if seed % 3 == 0 else 1)
    dst = side.surface(go, 90, 130)
    side.fill(src, t.content(rng, come, 150 * 100 * src.samples))
    side.blit(src, dst, **t.kinds(seed), srgb=seed & 1)
    total.update(side.texels(dst).tobytes())
side.close()
print(total.hexdigest())
"""
FEW = ("R8G8B8A8_SRGB", "B8G8R8A8_UNORM", "R16G16B16A16_FLOAT", "R8G8B8A8_SNORM", "R11G11B10_FLOAT")


@pytest.mark.slow
def test_every_vector_width_and_number_of_threads_gives_the_same() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM], check=True, capture_output=True, timeout=600,
            env={**os.environ, "LP_NATIVE_VECTOR_WIDTH": str(width), "LP_NUM_THREADS": threads},
        ).stdout
        for width, threads in ((128, "0"), (256, "1"), (512, "3"))
    }  # fmt: skip
    assert len(found) == 1


def test_random_blits_write_something(sides: list[Side]) -> None:
    """What the tests above compare is not nothing."""
    fmt = FORMATS[number("R8G8B8A8_UNORM")]
    rng = np.random.default_rng(0)
    written = [compare(sides, [fmt, fmt], kinds(seed), rng) for seed in range(40)]
    assert sum(count > 100 for count in written) > 15


@pytest.mark.parametrize("name", ["R8_UNORM", "R8G8_UNORM", "R8G8B8A8_UNORM",
                                  "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT"])  # fmt: skip
def test_half_as_wide(sides: list[Side], name: str) -> None:
    """Every second pixel of a row, from its first to its last, mirrored, and of several tiles; and
    where one place is not the second next."""
    fmt, rng = FORMATS[number(name)], np.random.default_rng(8)
    for source, target in (
        ((0, 0, 150, 100), (0, 0, 75, 50)), ((1, 1, 149, 99), (11, 3, 85, 52)),
        ((150, 0, 0, 100), (0, 0, 75, 130)), ((0, 0, 149, 100), (0, 0, 75, 50)),
        ((-3, 0, 153, 100), (5, 0, 83, 50)),
    ):  # fmt: skip
        for how in (BLIT_NEAREST, BLIT_LINEAR):
            boxes_of = {"source": source, "target": target, "filter": how}
            assert compare(sides, [fmt, fmt], boxes_of, rng) > 1000


BYTES = [f for f in NUMBERS if f.kind == "unorm" and [b for _, b in f.channels] == [8] * 4]


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("come", BYTES, ids=lambda f: f.name)
def test_bytes_in_another_order(sides: list[Side], come: Format, samples: int) -> None:
    """Pixels of four bytes, with alpha and without, of one sample and averaged."""
    rng = np.random.default_rng(9)
    assert len(BYTES) == 4
    for n, go in enumerate(BYTES):
        how = {**kinds(n), "filter": BLIT_NEAREST}
        compare(sides, [come, go], how, rng, src_samples=samples)
        how = {"source": (3, 5, 80, 90), "target": (9, 7, 86, 92)}
        assert compare(sides, [come, go], how, rng, src_samples=samples) > 100


@pytest.mark.parametrize("kind", ["uint", "sint"])
def test_whole_numbers(sides: list[Side], kind: str) -> None:
    formats = [f for f in COLORS if f.kind == kind]
    pick, rng = random.Random(kind), np.random.default_rng(3)
    for seed in range(12):
        compare(sides, [pick.choice(formats), pick.choice(formats)], kinds(seed), rng)


@pytest.mark.parametrize("fmt", ZS_FORMATS, ids=lambda f: f.name)
def test_depth_and_stencil(sides: list[Side], fmt: Format) -> None:
    """Same formats: moved, the other part stays; rows and stamps, one and four samples."""
    rng = np.random.default_rng(5)
    parts = (CLEAR_DEPTH if fmt.name[0] == "Z" else 0) | (CLEAR_STENCIL if "S8" in fmt.name else 0)
    for n, mask in enumerate((CLEAR_DEPTH, CLEAR_STENCIL, BOTH)):
        for sampled in (False, True):
            compare(sides, [fmt, fmt], {**kinds(n), "mask": mask}, rng, sampled=sampled, level=n)
        for samples in ((4, 4), (4, 1), (1, 4)):
            how = {"source": (3, 5, 80, 90), "target": (9, 7, 86, 92), "mask": mask}
            more = dict(zip(("src_samples", "dst_samples"), samples, strict=True))
            written = compare(sides, [fmt, fmt], how, rng, **more)
            assert bool(written) == bool(mask & parts)


def test_depth_and_stencil_of_other_formats(sides: list[Side]) -> None:
    rng = np.random.default_rng(6)
    for come, go in (
        ("Z24_UNORM_S8_UINT", "Z24X8_UNORM"), ("Z24X8_UNORM", "Z32_FLOAT"),
        ("Z32_FLOAT_S8X24_UINT", "Z16_UNORM"), ("S8_UINT", "Z24_UNORM_S8_UINT"),
        ("Z16_UNORM", "Z24_UNORM_S8_UINT"),
    ):  # fmt: skip
        pair = [FORMATS[number(name)] for name in (come, go)]
        mask = CLEAR_STENCIL if come == "S8_UINT" else CLEAR_DEPTH
        compare(sides, pair, {**kinds(4), "mask": mask}, rng)


@pytest.mark.parametrize("seed", range(24))
def test_samples(sides: list[Side], seed: int) -> None:
    """Averages, all samples the same, each its own; of all formats; mirrored, and filtered."""
    rng, pick = np.random.default_rng(seed), random.Random(seed)
    come = pick.choice([f for f in COLORS if not f.srgb])
    go = come
    if seed & 1:
        go = pick.choice([f for f in COLORS if f.kind == come.kind and not f.srgb])
    source = (3, 5, 80, 90)
    target = pick.choice([(9, 7, 86, 92), (86, 92, 9, 7), (9, 92, 86, 7), (-7, -9, 70, 76)])
    for samples in ((4, 1), (1, 4), (4, 4)):
        more = dict(zip(("src_samples", "dst_samples"), samples, strict=True))
        assert compare(sides, [come, go], {"source": source, "target": target}, rng, **more)
    how = {**kinds(seed), "filter": BLIT_LINEAR}
    compare(sides, [come, go], how, rng, src_samples=4)


def test_srgb_is_decoded_and_encoded_if_asked_for(sides: list[Side]) -> None:
    rng = np.random.default_rng(8)
    linear, encoded = (FORMATS[number(f"R8G8B8A8_{end}")] for end in ("UNORM", "SRGB"))
    texels = rng.integers(0, 256, (64 * 64, 4), np.uint8)
    wanted = {
        (linear, encoded, 1): format_numpy.pack(encoded, format_numpy.unpack(linear, texels)),
        (encoded, linear, 1): format_numpy.pack(linear, format_numpy.unpack(encoded, texels)),
        (encoded, encoded, 1): texels,
        (encoded, linear, 0): texels,
    }
    for side in sides:
        for (come, go, srgb), pixels in wanted.items():
            src, dst = side.surface(come, 64, 64), side.surface(go, 64, 64)
            side.fill(src, texels)
            side.blit(src, dst, srgb=srgb)
            found = side.texels(dst).reshape(-1, 4).astype(int)
            assert np.abs(found - pixels).max() <= (come != go and srgb)
        src, dst = side.surface(encoded, 2, 2, 4), side.surface(encoded, 2, 2)
        four = np.zeros((4, 4, 4), np.uint8)
        four[:, 2:] = 255
        side.fill(src, four)
        side.blit(src, dst, srgb=1)
        assert (side.texels(dst) == (188, 188, 188, 128)).all()


def clear(side: Side, surface: Any, color: tuple[float, ...], box: Any = None) -> None:
    dyn = PipeDynamic.ctype()()
    fb = dyn.fb
    fb.cbuf, fb.width, fb.height = ctypes.addressof(surface), surface.width, surface.height
    dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1 = box or (
        0, 0, surface.width, surface.height,
    )  # fmt: skip
    values = (ctypes.c_float * 4)(*color)
    side.context.clear(
        ctypes.addressof(dyn), CLEAR_COLOR, ctypes.addressof(values), 1.0, 0, 0xFFFFFFFF, 255
    )


def test_blits_are_in_order(sides: list[Side]) -> None:
    """Draw to src, blit, draw to both, blit back, within one surface: nobody waits in between."""
    fmt = FORMATS[number("R8G8B8A8_UNORM")]
    for side in sides:
        one, two = side.surface(fmt, 200, 100, sampled=True), side.surface(fmt, 200, 100)
        clear(side, one, (1, 0, 0, 1))
        clear(side, two, (0, 0, 0, 0))
        side.blit(one, two, source=(0, 0, 50, 50), target=(10, 10, 60, 60))
        clear(side, two, (0, 1, 0, 1), (20, 20, 30, 30))
        clear(side, one, (0, 0, 1, 1))
        side.blit(one, two, source=(0, 0, 50, 50), target=(100, 0, 150, 50))
        side.blit(two, one, source=(0, 0, 64, 64), target=(136, 36, 200, 100))
        side.blit(one, one, source=(136, 36, 200, 100), target=(64, 64, 0, 0))
        clear(side, one, (1, 1, 1, 1), (136, 36, 200, 100))
        back = np.zeros((64, 64, 4), np.uint8)
        back[10:60, 10:60] = 255, 0, 0, 255
        back[20:30, 20:30] = 0, 255, 0, 255
        wanted = np.zeros((100, 200, 4), np.uint8) + np.uint8([0, 0, 255, 255])
        wanted[36:, 136:] = 255
        wanted[:64, :64] = back[::-1, ::-1]
        assert np.array_equal(side.texels(one)[:, :, 0], wanted)
        assert (side.texels(two)[0, 100, 0] == (0, 0, 255, 255)).all()


def test_a_source_may_go_while_it_is_pending(sides: list[Side]) -> None:
    """Its memory stays until the scene is done."""
    fmt = FORMATS[number("R8G8B8A8_UNORM")]
    side = sides[0]
    src, dst = side.surface(fmt, 64, 64), side.surface(fmt, 64, 64)
    side.fill(src, np.full((64 * 64, 4), 7, np.uint8))
    side.blit(src, dst)
    kept = [k for k in side._kept if isinstance(k, PipeResource)]
    (resource,) = [k for k in kept if k.address == src.resource]
    storage = r.Storage.view(resource.native.storage)
    assert storage.references == 2
    resource.rename()
    assert storage.references == 1
    assert (side.texels(dst) == 7).all()


def levels_of(resource: PipeResource, data: int) -> list[NDArray[np.uint8]]:
    """Bytes of the levels of a resource, (images, rows of blocks, bytes), without skirts."""
    memory = (ctypes.c_ubyte * resource.native.size).from_address(data)
    found = []
    native = resource.native
    for level in range(native.last_level + 1):
        place = native.level[level]
        rows = -(-place.height // native.block_height)
        width = -(-place.width // native.block_width) * native.block_bytes
        found.append(
            np.lib.stride_tricks.as_strided(
                np.frombuffer(memory, np.uint8)[place.offset :], (place.depth, rows, width),
                (place.image_stride, place.row_stride, 1),
            ).copy()
        )  # fmt: skip
    return found


SHAPES = {
    "2d": (r.TARGET_2D, 70, 50, 1, 1),
    "3d": (r.TARGET_3D, 30, 20, 9, 1),
    "cube": (r.TARGET_CUBE, 40, 40, 1, 6),
    "array": (r.TARGET_2D_ARRAY, 40, 30, 1, 5),
    "1d array": (r.TARGET_1D_ARRAY, 60, 1, 1, 8),
}


REGIONS = (
    "R8_UNORM", "B5G6R5_UNORM", "R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT",
    "Z24_UNORM_S8_UINT", "DXT1_RGB",
)  # fmt: skip


def is_flat(shape: str) -> bool:
    """Whether its images have one row, and so none of blocks of four."""
    return SHAPES[shape][0] == r.TARGET_1D_ARRAY


@pytest.mark.parametrize(
    ("shape", "name"),
    [(shape, name) for shape in SHAPES for name in REGIONS
     if not (is_flat(shape) and FORMATS[number(name)].codec)],
)  # fmt: skip
def test_regions(sides: list[Side], shape: str, name: str) -> None:
    """Boxes of two by two blocks between levels, slices, faces, layers; nothing else changes."""
    target, width, height, depth, layers = SHAPES[shape]
    fmt, flat = FORMATS[number(name)], is_flat(shape)
    rng = np.random.default_rng(1)
    count = 1 if flat or max(depth, layers) == 1 else 2
    y, z, dst_z = (3, 0, 0) if flat else (1, 3, 2) if count == 2 else (1, 0, 0)
    for side in sides:
        src, dst = (
            PipeResource.create(target, fmt.number, width, height, depth, layers, 2)
            for _ in range(2)
        )
        for resource in (src, dst):
            data = rng.integers(0, 256, resource.native.size, np.uint8)
            ctypes.memmove(resource.native.data, data.ctypes.data, data.size)
        given, wanted = (levels_of(v, v.native.data) for v in (src, dst))
        info = CopyInfo.ctype()()
        info.src, info.dst, info.src_level, info.dst_level = src.address, dst.address, 0, 1
        info.x, info.y, info.z = 2 * fmt.width, y * fmt.height, z
        info.dst_x, info.dst_y, info.dst_z = fmt.width, 0, dst_z
        info.width, info.height, info.depth = 2 * fmt.width, 2 * fmt.height, count
        side.context.copy_region(ctypes.addressof(info))
        to, come = slice(fmt.bytes, 3 * fmt.bytes), slice(2 * fmt.bytes, 4 * fmt.bytes)
        if flat:
            wanted[1][0:2, 0, to] = given[0][3:5, 0, come]
        else:
            wanted[1][dst_z : dst_z + count, 0:2, to] = given[0][z : z + count, 1:3, come]
        found = levels_of(dst, dst.native.data)
        assert all(np.array_equal(x, y) for x, y in zip(found, wanted, strict=True))
