# SPDX-License-Identifier: MIT
"""Kernels that read and write texels agree with numpy for every format: exhaustively where a texel
has at most 16 bits, else at the edges and at random bits."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import pytest

from pydri.jit import f32, kernel, ptr, u8, u32, void
from pydri.pipe import format_emit, format_numpy
from pydri.pipe.format import BY_NAME, FORMATS, SAMPLER, Format
from tests.unit.jit.harness import BEST, WIDTHS, address, compiled

LANES = 16
COLORS = [f for f in FORMATS if f.uses & SAMPLER and f.kind not in ("zs", "compressed")]
ZS = [f for f in FORMATS if f.kind == "zs"]


def kernels(fmt: Format) -> list[Any]:
    """Read texels to planes of four numbers, and back."""
    number = format_emit.number_type(fmt)

    def name(what: str) -> str:
        return f"{what}_{fmt.name}"

    @kernel(void, (ptr(number), ptr(u8), u32), name=name("read"))
    def read(b: Any, out: Any, src: Any, count: Any) -> None:
        with b.For(b.const(u32, 0), count, LANES) as i:
            values = format_emit.fetch(b, fmt, b.bytes_from(src, i * fmt.bytes, u8), LANES)
            for n, v in enumerate(values):
                (out + (count * n + i)).store(v, align=4)

    @kernel(void, (ptr(u8), ptr(number), u32), name=name("write"))
    def write(b: Any, dst: Any, values: Any, count: Any) -> None:
        with b.For(b.const(u32, 0), count, LANES) as i:
            planes = [(values + (count * n + i)).load(number.vec(LANES), align=4) for n in range(4)]
            if fmt.kind == "zs":
                planes = [planes[0], b.bitcast(planes[1], u32)]
            format_emit.put(b, fmt, b.bytes_from(dst, i * fmt.bytes, u8), planes)

    assert number is not f32 or fmt.kind not in ("uint", "sint")
    return [read, write]


@functools.cache
def image(width: int) -> Any:
    return compiled([k for f in COLORS + ZS for k in kernels(f)], width)


def call(width: int, name: str, *args: Any) -> None:
    types = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    ctypes.CFUNCTYPE(None, *types)(image(width).address(name))(*args)


def some_texels(fmt: Format) -> np.ndarray:
    """All texels, or edges of each channel and random ones."""
    if fmt.bits <= 16:
        every = np.arange(max(1 << fmt.bits, 16), dtype=np.uint32)
        return np.ascontiguousarray(every.view(np.uint8).reshape(-1, 4)[:, : fmt.bytes])
    rng = np.random.default_rng(fmt.number)
    edges = [np.zeros(fmt.bytes, np.uint8), np.full(fmt.bytes, 255, np.uint8)]
    for n in range(min(fmt.bits, 128)):
        edges.append(np.packbits(np.arange(fmt.bits) == n, bitorder="little"))
        edges.append(~edges[-1])
    random = rng.integers(0, 256, (4096, fmt.bytes), np.uint8)
    both = np.vstack([np.array(edges), random])
    return np.ascontiguousarray(np.resize(both, (-(-len(both) // LANES) * LANES, fmt.bytes)))


def read(fmt: Format, texels: np.ndarray, width: int = BEST) -> np.ndarray:
    out = np.zeros((4, len(texels)), format_numpy.number_dtype(fmt))
    call(width, f"read_{fmt.name}", address(out), address(texels), len(texels))
    return out.T


def write(fmt: Format, planes: np.ndarray, width: int = BEST) -> np.ndarray:
    planes = np.ascontiguousarray(planes)
    out = np.zeros((planes.shape[1], fmt.bytes), np.uint8)
    call(width, f"write_{fmt.name}", address(out), address(planes), planes.shape[1])
    return out


def same(got: np.ndarray, want: np.ndarray) -> bool:
    """Equal; NaNs are."""
    return bool(((got == want) | ((got != got) & (want != want))).all())


@pytest.mark.parametrize("fmt", COLORS, ids=lambda f: f.name)
def test_texels_are_read(fmt: Format) -> None:
    texels = some_texels(fmt)
    got, want = read(fmt, texels), format_numpy.unpack(fmt, texels)
    if fmt.srgb:  # pydri/pipe/srgb.py: 0.004 of a step of 1/255
        linear = format_numpy.unpack(BY_NAME[fmt.name.replace("SRGB", "UNORM")], texels)
        slope = 2.4 / 255 * np.maximum(linear, 0.05)  # of the curve, times a step; not below
        assert (np.abs(got - want) <= 0.005 * slope + 1e-7).all()
        return
    assert same(got, want)


def some_numbers(fmt: Format) -> np.ndarray:
    """Planes of four numbers: edges, random ones, halves between two texels."""
    rng = np.random.default_rng(fmt.number)
    dtype = format_numpy.number_dtype(fmt)
    if dtype is not np.float32:
        limits = np.iinfo(dtype)
        edges = [0, 1, 2, 127, 128, 255, 256, 1023, 1024, 32767, 32768, 65535, 65536]
        edges += [limits.max, limits.max - 1, limits.min, limits.min + 1]
        if limits.min < 0:
            edges += [-v for v in edges[1:13]]
        random = rng.integers(limits.min, limits.max, 4096, dtype, endpoint=True)
        values = np.concatenate([np.array(edges, np.int64), random.astype(np.int64) >> 8, random])
    else:
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -7.0, 1e-9, 65504.0, 65519.0, 65520.0, 65024.0]
        edges += [65408.0, 65500.0, 1e6, 2.0**-14, 2.0**-15, 2.0**-20, 2.0**-25, np.inf, -np.inf]
        edges += [np.nan, 511.5, 511.49, 3.0e38]
        halves = (np.arange(4096) + 0.5) / rng.choice([1, 3, 7, 15, 31, 63, 255, 1023, 65535], 4096)
        powers = 2.0 ** rng.uniform(-30, 20, 4096)
        values = np.concatenate([edges, halves, rng.uniform(-1.2, 1.2, 4096), powers])
    count = -(-len(values) // LANES) * LANES
    return np.array([rng.permutation(np.resize(values, count)) for _ in range(4)]).astype(dtype)


@pytest.mark.parametrize("fmt", COLORS, ids=lambda f: f.name)
def test_texels_are_written(fmt: Format) -> None:
    planes = some_numbers(fmt)
    if fmt.kind == "shared":
        planes[:, np.isinf(planes).any(axis=0)] = 1e30
    got = write(fmt, planes)
    want = format_numpy.pack(fmt, planes.T)
    if fmt.srgb:  # off by one step where a number is within 0.002 of the middle between two
        assert np.abs(got.astype(int) - want).max() <= 1
        assert (got != want).mean() < 0.01
        return
    if fmt.kind == "float":  # every NaN is as good
        got, want = (format_numpy.unpack(fmt, x) for x in (got, want))
    assert same(got, want)


@pytest.mark.parametrize("fmt", COLORS, ids=lambda f: f.name)
def test_what_was_read_is_written_again(fmt: Format) -> None:
    texels = some_texels(fmt)
    numbers = read(fmt, texels)
    again = write(fmt, numbers.T)
    got, want = read(fmt, again), numbers
    assert same(got, want)
    if fmt.kind in ("unorm", "uint", "sint") and "x" not in [kind for kind, _ in fmt.channels]:
        assert (again == texels).all()


@pytest.mark.parametrize("fmt", ZS, ids=lambda f: f.name)
def test_depth_and_stencil(fmt: Format) -> None:
    texels = some_texels(fmt)
    got = read(fmt, texels)
    depth, stencil = format_numpy.unpack_zs(fmt, texels)
    assert same(np.ascontiguousarray(got[:, 0]), depth.astype(np.float32))
    assert (np.ascontiguousarray(got[:, 1]).view(np.uint32) == stencil).all()
    planes = np.zeros((4, 4096), np.float32)
    rng = np.random.default_rng(1)
    planes[0] = rng.uniform(-0.1, 1.1, 4096)
    planes[1] = rng.integers(0, 256, 4096).astype(np.uint32).view(np.float32)
    want = format_numpy.pack_zs(fmt, planes[0].astype(np.float64), planes[1].view(np.uint32))
    assert (write(fmt, planes) == want).all()


@pytest.mark.slow
@pytest.mark.parametrize("width", [w for w in WIDTHS if w != BEST])
def test_each_width_gives_the_same_bits(width: int) -> None:
    for fmt in COLORS + ZS:
        texels = some_texels(fmt)
        one, other = read(fmt, texels), read(fmt, texels, width)
        assert same(one.copy().view(np.uint32), other.copy().view(np.uint32)), fmt.name
        planes = some_numbers(fmt)
        if fmt.kind == "zs":
            planes[1] = planes[1].view(np.uint32).view(np.float32)
        assert (write(fmt, planes) == write(fmt, planes, width)).all(), fmt.name
