# SPDX-License-Identifier: MIT
"""Vertex fetch and the vertex stage: every format, indices out of range, flags, rows, layouts."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

from pipe_llvm.draw.layout import VertexLayout, make_layout
from pipe_llvm.native import (
    CLIP_FAR,
    CLIP_LEFT,
    CLIP_NEAR,
    CLIP_RIGHT,
    CLIP_USER0,
)
from pipe_llvm.recipe import vertex_module
from pydri.pipe.format import FORMATS, VERTEX, Format
from pydri.pipe.state import Rasterizer, ShaderInput
from tests.unit.jit.harness import EACH_WIDTH, WIDTHS

from .fake import Drawing, pipeline, vertex_part

VERTEX_FORMATS = [f for f in FORMATS if f.uses & VERTEX]


def fetched(b: Any) -> None:
    """Slot 1 becomes the colour."""
    b.store_output(b.imm_vec4(0.0, 0.0, 0.0, 1.0), 0)
    b.store_output(b.load_input(1, 4), 1)


def small_float(code: int, bits: int) -> float:
    """An unsigned float of 10 or 11 bits: five of them are the exponent."""
    mantissa_bits = bits - 5
    exponent, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    part = mantissa / (1 << mantissa_bits)
    if exponent == 31:
        return float("nan") if mantissa else float("inf")
    return part * 2.0**-14 if exponent == 0 else (1 + part) * 2.0 ** (exponent - 15)


def channel(kind: str, bits: int, code: int) -> float:
    """What one channel's bits mean."""
    signed = code - (1 << bits) if code >> (bits - 1) else code
    if kind == "f" and bits < 16:
        return small_float(code, bits)
    if kind == "f":
        raw = np.array([code], f"u{bits // 8}").view(f"f{bits // 8}")
        with np.errstate(all="ignore"):
            return float(raw.astype(np.float32)[0])
    meanings = {
        "un": code / ((1 << bits) - 1),
        "sn": max(signed / ((1 << (bits - 1)) - 1), -1.0) if bits > 1 else 0.0,
        "us": code,
        "ss": signed,
        "sx": signed / 65536,
    }
    return float(np.float32(meanings[kind]))


def decode(fmt: Format, raw: np.ndarray) -> np.ndarray:
    """What GL says that these bytes (vertices, bytes) mean: (vertices, 4); integers stay bits."""
    integer = fmt.channels[0][0] in ("ui", "si")
    out = np.zeros((len(raw), 4), np.uint32 if integer else np.float32)
    for row, vertex in zip(out, raw):
        word, at, values = int.from_bytes(bytes(vertex), "little"), 0, []
        for kind, bits in fmt.channels:
            code = word >> at & ((1 << bits) - 1)
            at += bits
            if not integer:
                values.append(channel(kind, bits, code))
            else:
                negative = kind == "si" and code >> (bits - 1)
                values.append(code - (1 << bits) + (1 << 32) if negative else code)
        for n, letter in enumerate(fmt.swizzle.ljust(4, "o")):
            row[n] = values[int(letter)] if letter.isdigit() else int(letter == "o")
    return out


@pytest.mark.parametrize("fmt", VERTEX_FORMATS, ids=lambda f: f.name)
def test_formats(fmt: Format) -> None:
    width = WIDTHS[fmt.number % len(WIDTHS)]
    d = Drawing(pipeline(fetched, ((1, fmt.name),)), width)
    rng = np.random.default_rng(fmt.number)
    raw = rng.integers(0, 256, (37, fmt.bytes), np.uint8)
    raw[0], raw[1] = 0, 255
    kind, bits = fmt.channels[0]
    if kind == "f" and bits >= 16:
        numbers = rng.normal(size=(37, len(fmt.channels))) * 100
        raw = np.ascontiguousarray(numbers.astype(f"f{bits // 8}")).view(np.uint8)
    padded = np.zeros((37, fmt.bytes + 3), np.uint8)  # an odd stride: nothing is aligned
    padded[:, : fmt.bytes] = raw
    d.attribute(1, padded)
    d.shade(0, 37)
    want = decode(fmt, raw)
    got = np.ascontiguousarray(d.row(37)[:, 4:8]).view(want.dtype)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["R32G32B32_FLOAT", "R32G32_FLOAT", "R8G8B8_UNORM", "R32_FLOAT"])
def test_the_end_of_memory_is_not_crossed(name: str) -> None:
    """The array ends where a page ends, and behind it nothing may be read."""
    fmt = next(f for f in FORMATS if f.name == name)
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    area = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(area))
    assert libc.mprotect(base + mmap.PAGESIZE, mmap.PAGESIZE, 0) == 0
    count = 19
    d = Drawing(pipeline(fetched, ((1, name),)))
    binding = d.bindings[1]
    binding.base, binding.stride = base + mmap.PAGESIZE - count * fmt.bytes, fmt.bytes
    for known in (count, 0):
        binding.count = known
        d.shade(0, count)
        d.shade(3, count - 3)
    binding.count = count
    wild = np.array([0, 18, 19, 0xFFFFFFFF, 0x80000000, 5] * 4, np.uint32)
    d.shade(0, len(wild), wild)
    d.shade(10, 100)
    assert libc.mprotect(base + mmap.PAGESIZE, mmap.PAGESIZE, 3) == 0


def test_indices_out_of_range_read_the_last_vertex() -> None:
    d = Drawing(pipeline(fetched, ((1, "R32_FLOAT"),)))
    d.attribute(1, np.arange(10, dtype=np.float32).reshape(-1, 1))
    elts = np.array([3, 10, 11, 0xFFFFFFFF, 9, 0], np.uint32)
    d.shade(0, 6, elts)
    assert d.row(6)[:, 4].tolist() == [3, 9, 9, 9, 9, 0]


def test_stride_zero_is_one_value() -> None:
    d = Drawing(pipeline(fetched, ((1, "R32G32B32_FLOAT"),)))
    d.attribute(1, np.array([[1, 2, 3]], np.float32), stride=0, count=0)
    d.shade(5, 20)
    assert (d.row(20)[:, 4:8] == [1, 2, 3, 1]).all()


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("varyings", [1, 3, 5, 7, 12])
def test_rows(width: int, varyings: int) -> None:
    """Position, viewport and packed varyings of rows of one to four cache lines; at a first row."""

    def build(b: Any) -> None:
        b.store_output(b.load_input(0, 4), 0)
        for n in range(varyings):
            b.store_output(b.load_input(1, 3) + float(n), 32 + n)

    inputs = tuple((32 + n, 1 + n % 3) for n in range(varyings))
    elements = ((0, "R32G32B32A32_FLOAT"), (1, "R32G32B32_FLOAT"))
    outputs = (0, *(32 + n for n in range(varyings)))
    d = Drawing(pipeline(build, elements, inputs, outputs), width)
    rng = np.random.default_rng(varyings)
    pos = rng.uniform(-1, 1, (50, 4)).astype(np.float32)
    pos[:, 3] = rng.uniform(0.5, 2, 50)
    extra = rng.uniform(-1, 1, (50, 3)).astype(np.float32)
    d.attribute(0, pos)
    d.attribute(1, extra)
    d.viewport(10, 20, 300, 200)
    d.shade(0, 50)
    rows, clip = d.row(50), d.clip(50)
    np.testing.assert_array_equal(clip, pos)
    recip = np.float32(1) / pos[:, 3]
    scale, move = (np.array(v, np.float32)[:3] for v in
                   (d.dyn.viewport_scale, d.dyn.viewport_translate))  # fmt: skip
    np.testing.assert_array_equal(rows[:, :3], pos[:, :3] * recip[:, None] * scale + move)
    np.testing.assert_array_equal(rows[:, 3], recip)
    for n, varying in enumerate(d.layout.varyings):
        wanted = extra[:, : varying.components] + np.float32(n)
        got = rows[:, varying.offset : varying.offset + varying.components]
        np.testing.assert_array_equal(got, wanted)


def test_flags() -> None:
    d = Drawing(pipeline())
    far = 1e3
    pos = np.array(
        [[0, 0, 0, 1], [2, 0, 0, 1], [far, 0, 0, 1], [-far, 0, 0, 1], [0, 0, -1, 1],
         [0, 0, -1.5, 1], [0, 0, 2, 1], [0, 0, 0, 0], [0, 0, 0, -1], [np.nan, 0, 0, 1]],
        np.float32,
    )  # fmt: skip
    d.attribute(0, pos)
    d.attribute(2, pos)
    both = d.shade(0, len(pos))
    flags = d.flag(len(pos)).tolist()
    assert flags[:7] == [0, 0, CLIP_RIGHT, CLIP_LEFT, 0, CLIP_NEAR, CLIP_FAR]
    assert all(flags[7:])
    assert both == int(np.bitwise_or.reduce(d.flag(len(pos))))  # AND is 0: some are inside
    assert d.shade(5, 1) == CLIP_NEAR | CLIP_NEAR << 16


def test_user_planes() -> None:
    def build(b: Any) -> None:
        b.store_output(b.load_input(0, 4), 0)
        b.store_output(b.load_input(0, 4), 17)

    state = pipeline(build, ((0, "R32G32B32A32_FLOAT"),), (), (0, 17), clip_planes=0b101)
    d = Drawing(state)
    d.attribute(0, np.array([[-0.5, -9, -0.5, 1], [0.5, -0.5, 0.5, 1]], np.float32))
    d.shade(0, 2)
    assert d.flag(2).tolist() == [CLIP_USER0 | CLIP_USER0 << 2, 0]
    assert d.row(2)[:, 4:7].tolist() == [[-0.5, -9, -0.5], [0.5, -0.5, 0.5]]


def test_user_planes_by_clip_vertex() -> None:
    """Without distances of its own, a shader's clip vertex (else its position) meets the plane."""

    def build(b: Any) -> None:
        b.store_output(b.load_input(0, 4), 0)
        b.store_output(b.load_input(0, 4), 16)

    d = Drawing(pipeline(build, ((0, "R32G32B32A32_FLOAT"),), (), (0, 16), clip_planes=0b10))
    d.dyn.clip_planes[1][:] = (1.0, 0.0, 0.0, -0.25)
    d.attribute(0, np.array([[0, 0, 0, 1], [0.5, 0, 0, 1]], np.float32))
    d.shade(0, 2)
    assert d.flag(2).tolist() == [CLIP_USER0 << 1, 0]
    assert d.row(2)[:, 5].tolist() == [-0.25, 0.25]


def test_constants_by_number() -> None:
    """A uniform array indexed by a vertex: inside it is read, outside it is 0."""

    def build(b: Any) -> None:
        b.store_output(b.imm_vec4(0.0, 0.0, 0.0, 1.0), 0)
        index = b.f2i(b.load_input(1, 1))
        b.store_output(b.load_ubo(0, index * 4, 1), 1)

    d = Drawing(pipeline(build, ((1, "R32_FLOAT"),)))
    d.const0(np.arange(16, dtype=np.float32))
    d.attribute(1, np.array([[3], [15], [16], [-1], [1e9], [0]], np.float32))
    d.shade(0, 6)
    assert d.row(6)[:, 4].tolist() == [3, 15, 0, 0, 0, 0]


def test_layouts() -> None:
    color = (ShaderInput(1, 4, "color"), ShaderInput(4, 2), ShaderInput(0, 4), ShaderInput(24, 1))
    plain = make_layout(color, Rasterizer())
    assert plain == VertexLayout(((1, 4, 4), (4, 8, 2)), 16)
    two = make_layout(color, Rasterizer(twoside=True, point_size_per_vertex=True, clip_planes=32))
    assert [v.slot for v in two.varyings] == [17, 18, 1, 13, 4, 12]
    assert (two.offset_of(17), two.offset_of(1), two.offset_of(13), two.floats) == (4, 10, 14, 32)
    # as many varyings as the limit says, beside all that rasterisation may add
    every = Rasterizer(twoside=True, point_size_per_vertex=True, clip_planes=255,
                       fill_front=1, fill_back=1)
    full = (*(ShaderInput(32 + n, 4) for n in range(30)), ShaderInput(1, 4), ShaderInput(2, 4))
    assert make_layout(full, every).floats == 160
    with pytest.raises(ValueError):
        make_layout(tuple(ShaderInput(32 + n, 4) for n in range(48)), Rasterizer())


def test_a_cached_stage_builds_no_nir(tmp_path: Any) -> None:
    from pydri.jit.cache import object_cache

    part = vertex_part(pipeline())
    object_cache().release(vertex_module(part).compile())  # it stays on disk

    def never() -> Any:
        raise AssertionError("nir was built again")

    again = part._replace(shader=part.shader._replace(build=never))
    assert vertex_module(again).compile().address("lp_vs")
