# SPDX-License-Identifier: MIT
"""Mipmaps are means: numpy says of what."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from pydri.pipe import format_numpy, mipmap, texel_loader
from pydri.pipe.format import BY_NAME, FORMATS, SAMPLER, Format
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import (
    BIND_SAMPLED,
    TARGET_1D_ARRAY,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_3D,
    TARGET_CUBE,
)
from tests.unit.alone import compiled_alone
from tests.unit.jit.harness import BEST, WIDTHS, address

CAN = [f for f in FORMATS if f.uses & SAMPLER and not f.codec and mipmap.can_generate(f)]
SOME = ("R8G8B8A8_UNORM", "L8_UNORM", "L8A8_UNORM", "B5G6R5_UNORM", "R8G8B8A8_SRGB", "Z16_UNORM",
        "R32G32B32A32_FLOAT", "R16G16_SNORM", "Z24X8_UNORM", "R11G11B10_FLOAT")  # fmt: skip


def images(res: PipeResource, fmt: Format, level: int) -> np.ndarray:
    """A view of a level with its skirt: (images, rows + 1, columns + 1, bytes)."""
    n = res.native.level[level]
    data = (ctypes.c_uint8 * res.native.size).from_address(res.native.data)
    shape = (n.depth, n.height + 1, n.width + 1, fmt.bytes)
    strides = (n.image_stride, n.row_stride, fmt.bytes, 1)
    return np.ndarray(shape, np.uint8, data, n.offset, strides)


def make(fmt: Format, target: int, width: int, height: int, depth: int) -> PipeResource:
    size = {"depth": depth} if target == TARGET_3D else {"layers": depth}
    levels = max(width, height, depth if target == TARGET_3D else 1).bit_length()
    res = PipeResource.create(
        target, fmt.number, width, height, last_level=levels - 1, bind=BIND_SAMPLED, **size
    )
    assert res is not None
    return res


def numbers(fmt: Format, data: np.ndarray) -> np.ndarray:
    """Texels of any shape as float64, (..., channels)."""
    flat = np.ascontiguousarray(data).reshape(-1, fmt.bytes)
    if fmt.kind == "zs":
        return format_numpy.unpack_zs(fmt, flat)[0].reshape(*data.shape[:-1], 1)
    return format_numpy.unpack(fmt, flat).astype(np.float64).reshape(*data.shape[:-1], 4)


def smaller(x: np.ndarray, axis: int, made: int) -> np.ndarray:
    """The mean over what each of `made` texels covers along an axis, in small steps."""
    given = x.shape[axis]
    if given == made:
        return x
    parts = np.repeat(x, made, axis=axis)  # made * given parts; each texel covers `given` of them
    shape = [*parts.shape]
    shape[axis : axis + 1] = [made, given]
    return parts.reshape(shape).mean(axis=axis + 1)


def generate(res: PipeResource, fmt: Format, level: int) -> None:
    texel_loader.load_mipmaps(fmt.number)
    run = texel_loader.row_of(fmt.number).mipmap
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)(run)(res.address, level)


def check(res: PipeResource, fmt: Format, target: int, above: int) -> None:
    """Level above + 1 is made of level `above`."""
    generate(res, fmt, above + 1)
    given, got = images(res, fmt, above), images(res, fmt, above + 1)
    want = numbers(fmt, given[:, :-1, :-1])
    want = smaller(want, 1, got.shape[1] - 1)
    want = smaller(want, 2, got.shape[2] - 1)
    want = smaller(want, 0, len(got)) if target == TARGET_3D else want
    made = numbers(fmt, got[:, :-1, :-1])
    assert step(fmt, made, want) <= 0.51
    assert (got[:, :, -1] == got[:, :, 0]).all() and (got[:, -1] == got[:, 0]).all()


def step(fmt: Format, made: np.ndarray, want: np.ndarray) -> float:
    """The greatest difference, in steps of what the format can tell apart."""
    if fmt.srgb:
        made, want = made.copy(), want.copy()
        for x in (made, want):
            x[..., :3] = format_numpy.linear_to_srgb(x[..., :3])
    difference = np.abs(made - want)
    if fmt.kind in ("float", "shared") or fmt.channels[0][0] == "f":
        bits = {32: 20, 16: 10, 11: 4.9, 9: 7}[fmt.channels[0][1]]
        bits = 3.9 if fmt.channels[0][1] == 11 else bits  # blue has a bit less, and is cut off
        return float((difference / (np.abs(want).max() * 2.0**-bits)).max())
    least = min(bits for kind, bits in fmt.channels if kind != "x")
    steps = [0.0]
    for n, c in enumerate(fmt.swizzle[: made.shape[-1]]):
        if c.isdigit():
            kind, bits = fmt.channels[int(c)]
            steps.append(difference[..., n].max() * ((1 << bits - (kind == "sn")) - 1))
    return max(steps) if least else 9.0


def fill(res: PipeResource, fmt: Format) -> None:
    """Random texels in level 0, floats between -1 and 1."""
    view = images(res, fmt, 0)
    rng = np.random.default_rng(fmt.number)
    view[:] = rng.integers(0, 256, view.shape, np.uint8)
    if fmt.kind in ("float", "shared") or fmt.channels[0][0] == "f":
        flat = rng.uniform(0, 1, (view.size // fmt.bytes, 4)).astype(np.float32)
        packed = (
            format_numpy.pack_zs(fmt, flat[:, 0].astype(np.float64), np.zeros(len(flat), np.uint32))
            if fmt.kind == "zs"
            else format_numpy.pack(fmt, flat)
        )
        view[:] = packed.reshape(view.shape)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(
    ("target", "size"),
    [
        (TARGET_2D, (64, 64, 1)), (TARGET_2D, (37, 21, 1)), (TARGET_2D, (1, 13, 1)),
        (TARGET_2D, (300, 6, 1)), (TARGET_3D, (12, 10, 7)), (TARGET_3D, (8, 8, 8)),
        (TARGET_CUBE, (16, 16, 6)), (TARGET_2D_ARRAY, (9, 5, 3)), (TARGET_1D_ARRAY, (19, 1, 4)),
    ],
)  # fmt: skip
def test_each_texel_is_the_mean_of_what_it_covers(
    name: str, target: int, size: tuple[int, int, int]
) -> None:
    fmt = BY_NAME[name]
    res = make(fmt, target, *size)
    fill(res, fmt)
    for level in range(res.native.last_level):
        check(res, fmt, target, level)


def test_every_format_can() -> None:
    assert len(CAN) > 60
    for fmt in CAN[:: 1 if len(CAN) < 30 else 4]:
        res = make(fmt, TARGET_2D, 10, 7, 1)
        fill(res, fmt)
        check(res, fmt, TARGET_2D, 0)


def test_one_color_stays_what_it_is() -> None:
    """Also where sizes are odd, and sRGB."""
    for name, size in itertools.product(SOME, (7, 8)):
        fmt = BY_NAME[name]
        res = make(fmt, TARGET_2D, size, size, 1)
        fill(res, fmt)
        view = images(res, fmt, 0)
        view[:] = view[0, 0, 0]
        for level in range(res.native.last_level):
            generate(res, fmt, level + 1)
            below = numbers(fmt, images(res, fmt, level + 1)[:, :-1, :-1])
            same = numbers(fmt, view[:, :1, :1])
            assert step(fmt, below, np.broadcast_to(same, below.shape)) < 0.3, (name, size)


def test_small_floats_stay_what_they_are() -> None:
    """They are cut off where they are stored: a lost last bit of a mean would be a whole step."""
    fmt = BY_NAME["R11G11B10_FLOAT"]
    for size, value in itertools.product((5, 7, 13, 37, 64), (1.0, 0.7, 0.123, 31.0, 1 / 3)):
        res = make(fmt, TARGET_2D, size, size + 2, 1)
        view = images(res, fmt, 0)
        view[:] = format_numpy.pack(fmt, np.full((1, 4), value, np.float32)).reshape(-1)
        for level in range(res.native.last_level):
            generate(res, fmt, level + 1)
            assert (images(res, fmt, level + 1) == view[0, 0, 0]).all(), (size, value, level)


@pytest.mark.slow
def test_each_width_gives_the_same_bits() -> None:
    for name in ("R8G8B8A8_UNORM", "R8G8B8A8_SRGB", "B5G6R5_UNORM", "R32G32B32A32_FLOAT"):
        fmt = BY_NAME[name]
        res = make(fmt, TARGET_2D, 38, 14, 1)
        fill(res, fmt)
        seen = []
        for width in WIDTHS or [BEST]:
            image = compiled_alone("mipmaps", [mipmap.mipmap_kernel(fmt)], width)
            run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
            for level in (1, 2):
                run(image.address(f"mipmap_{name}"))(res.address, level)
            seen.append([images(res, fmt, n).copy() for n in (1, 2)])
        for other in seen[1:]:
            assert all((a == b).all() for a, b in zip(seen[0], other, strict=True))
    assert address(np.zeros(1))
