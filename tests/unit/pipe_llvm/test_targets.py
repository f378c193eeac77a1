# SPDX-License-Identifier: MIT
"""Colour targets of every format, several at once: clears, stores, masks and blending. The judge is
pydri/pipe/format_numpy.py."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.nir.enums import FRAG_RESULT_DATA0, FRAG_RESULT_DUAL_SRC
from pydri.pipe import format_numpy
from pydri.pipe.format import DISPLAY, FORMATS, TARGET, Format, number
from pydri.pipe.native import CLEAR_COLOR, CLEAR_COLOR0
from pydri.pipe.state import ColorTarget, RtBlend, ShaderRef
from tests.unit.pipe_llvm.harness import Bench

#: surfaces have no sRGB formats (test_srgb.py has those)
TARGETS = [f.name for f in FORMATS if f.uses & TARGET and not f.srgb]
#: every format once, in groups of eight
GROUPS = [tuple(TARGETS[n : n + 8]) for n in range(0, len(TARGETS), 8)]
ADD = RtBlend(True, rgb_src=1, rgb_dst=1, alpha_src=1, alpha_dst=1)


def numbers(fmt: Format, seed: int) -> NDArray[Any]:
    """Four numbers that a format has, some of them out of range."""
    pick = np.random.default_rng(seed + fmt.number)
    if fmt.integer:
        dtype = np.uint32 if fmt.kind == "uint" else np.int32
        low = 0 if fmt.kind == "uint" else -(1 << 31)
        wide = pick.integers(low, low + (1 << 32), 4) >> pick.integers(0, 30)
        return wide.astype(dtype)
    return pick.uniform(-1.5, 1.5, 4).astype(np.float32)


def shader(colors: list[NDArray[Any]], second: NDArray[Any] | None = None) -> ShaderRef:
    """A fragment shader that writes a constant to each target, and a second source of blending."""
    slots = [FRAG_RESULT_DATA0 + n for n in range(len(colors))]
    if second is not None:
        colors, slots = [*colors, second], [*slots, FRAG_RESULT_DUAL_SRC]

    def make() -> Any:
        from pydri.nir.builder import Builder
        from pydri.nir.ir import Shader

        made = Shader("fragment")
        b = Builder(made)
        for slot, color in zip(slots, colors, strict=True):
            parts = [
                b.imm_int(int(c.view(np.int32))) if c.dtype != np.float32 else b.imm_float(float(c))
                for c in color
            ]
            b.store_output(b.vec(*parts), slot, 15)
        return made

    key = b"targets " + b"".join(c.tobytes() + c.dtype.str.encode() for c in colors)
    return ShaderRef(key, make, (), tuple(slots))


def surfaces(bench: Bench) -> list[Any]:
    return [bench.multi if bench.samples > 1 else bench.color, *bench.others]


def texels(bench: Bench, target: int) -> NDArray[Any]:
    """The bytes of each pixel of a target: rows, columns, bytes; of samples: 4x4 stamps."""
    surface = surfaces(bench)[target]
    bench.cx.resolve(ctypes.addressof(surface))
    size = FORMATS[surface.format].bytes
    whole = np.ctypeslib.as_array(
        (ctypes.c_uint8 * (surface.stride * surface.rows)).from_address(surface.data)
    )
    if bench.samples > 1:
        h, w = surface.rows // 4, surface.stride // size // bench.samples // 4
        stamps = whole.reshape(h, w, bench.samples, 4, 4, size)
        rows = stamps.transpose(2, 0, 3, 1, 4, 5).reshape(bench.samples, 4 * h, 4 * w, size)
        return rows[:, : bench.height, : bench.width].copy()
    rows = whole.reshape(surface.rows, surface.stride // size, size)
    return rows[: bench.height, : bench.width].copy()


def packed(fmt: Format, color: NDArray[Any]) -> NDArray[Any]:
    return format_numpy.pack(fmt, color[None])[0]


def clear(bench: Bench, colors: list[NDArray[Any]], mask: int = 15) -> None:
    for n, color in enumerate(colors):
        bench.cx.clear(
            bench.dyn_address, CLEAR_COLOR0 << n, color.ctypes.data, 1.0, 0, mask << 4 * n, 255
        )


def made(names: tuple[str, ...], **more: Any) -> tuple[Bench, list[Format]]:
    bench = Bench(100, 70, color=names[0], depth="", others=names[1:], **more)
    return bench, [FORMATS[number(name)] for name in names]


@pytest.mark.parametrize("names", GROUPS, ids=lambda g: g[0])
@pytest.mark.parametrize("samples", [1, 4])
def test_clears_and_stores(names: tuple[str, ...], samples: int) -> None:
    """Each target gets its own clear colour, then its own output, in a box."""
    bench, formats = made(names, samples=samples)
    first = [numbers(f, 1) for f in formats]
    second = [numbers(f, 2) for f in formats]
    clear(bench, first)
    targets = tuple(ColorTarget(f.number) for f in formats)
    bench.quad(bench.plan(fs=shader(second), targets=targets), (), box=(10, 10, 90, 60))
    for n, fmt in enumerate(formats):
        got = texels(bench, n)
        inside = got[..., 10:60, 10:90, :]
        assert (inside == packed(fmt, second[n])).all(), fmt.name
        assert (got[..., :10, :, :] == packed(fmt, first[n])).all(), fmt.name
        assert (got[..., 60:, 90:, :] == packed(fmt, first[n])).all(), fmt.name


#: source and destination factors: their enums, and what they are of a second colour
SECOND = {
    0x88F9: lambda s: s, 0x88FA: lambda s: 1 - s, 0x8589: lambda s: s[3] + 0 * s,
    0x88FB: lambda s: 1 - s[3] + 0 * s,
}  # fmt: skip


@pytest.mark.parametrize("factor", SECOND, ids=hex)
@pytest.mark.parametrize("samples", [1, 4])
def test_a_second_source(factor: int, samples: int) -> None:
    """ARB_blend_func_extended: factors of a colour that is not blended itself."""
    bench, (fmt,) = made(("R32G32B32A32_FLOAT",), samples=samples)
    there, first, second = (
        np.float32([0.5, 0.25, 0.75, 1]), np.float32([1, 0.5, 0.25, 0.75]),
        np.float32([0.25, 0.5, 0.125, 0.75]),
    )  # fmt: skip
    clear(bench, [there])
    other = {0x88F9: 0x88FA, 0x88FA: 0x8589, 0x8589: 0x88FB, 0x88FB: 0x88F9}[factor]
    blend = RtBlend(True, rgb_src=factor, rgb_dst=other, alpha_src=factor, alpha_dst=other)
    targets = (ColorTarget(fmt.number, blend),)
    bench.quad(bench.plan(fs=shader([first], second), targets=targets), ())
    want = first * SECOND[factor](second) + there * SECOND[other](second)
    got = texels(bench, 0).reshape(-1, 16)[0].view(np.float32)
    assert got.tolist() == want.tolist()


def halves(fmt: Format, count: int) -> list[NDArray[Any]]:
    """Colours whose channels, as f32 has it, are half-way between an even number that the format
    can store and the next."""
    channels = []
    for letter in fmt.swizzle:
        bits = fmt.channels[int(letter)][1] if letter.isdigit() else 8
        top = np.float32((1 << bits) - 1)
        wanted = np.arange(0, 1 << bits, 2, dtype=np.float32) + np.float32(0.5)
        exact = (wanted / top)[wanted / top * top == wanted]
        channels.append(np.resize(exact, count))
    return [np.array(color, np.float32) for color in zip(*channels)]


UNORM = [f.name for f in FORMATS if f.uses & TARGET and f.kind == "unorm"]


@pytest.mark.parametrize("name", UNORM)
def test_clears_round_halves_as_draws_do(name: str) -> None:
    bench, (fmt,) = made((name,))
    for color in halves(fmt, 4):
        clear(bench, [color])
        cleared = texels(bench, 0)[5, 5].tolist()
        targets = (ColorTarget(fmt.number),)
        bench.quad(bench.plan(fs=shader([color]), targets=targets), ())
        assert texels(bench, 0)[5, 5].tolist() == cleared, color
        if not fmt.uses & DISPLAY:
            assert cleared == packed(fmt, color).tolist(), color


@pytest.mark.parametrize("names", GROUPS, ids=lambda g: g[0])
@pytest.mark.parametrize("samples", [1, 4])
def test_masks_and_boxes_of_clears(names: tuple[str, ...], samples: int) -> None:
    bench, formats = made(names, samples=samples)
    first = [numbers(f, 3) for f in formats]
    second = [numbers(f, 4) for f in formats]
    clear(bench, first)
    bench.dyn.scissor_x0, bench.dyn.scissor_y0 = 7, 5
    bench.dyn.scissor_x1, bench.dyn.scissor_y1 = 81, 66
    clear(bench, second, mask=5)  # red and blue
    for n, fmt in enumerate(formats):
        old, new = packed(fmt, first[n]), packed(fmt, second[n])
        bits = [np.unpackbits(v, bitorder="little") for v in (old, new)]
        kept, at = [], 0
        for k, (_, size) in enumerate(fmt.channels):
            source = fmt.swizzle.find(str(k))
            kept += [source in (1, 3)] * size
            at += size
        wanted = np.packbits(np.where(kept, *bits), bitorder="little")
        got = texels(bench, n)
        assert (got[..., 5:66, 7:81, :] == wanted).all(), fmt.name
        assert (got[..., :5, :, :] == old).all() and (got[..., :, 81:, :] == old).all(), fmt.name


@pytest.mark.parametrize(
    "name", [f.name for f in FORMATS if f.uses & TARGET and not f.integer and not f.srgb]
)
def test_blending(name: str) -> None:
    """One and one: floats are not clamped, fractions are; the second target is not blended."""
    bench, formats = made((name, "R32G32B32A32_FLOAT"))
    fmt = formats[0]
    pick = np.random.default_rng(fmt.number)
    old, new = (pick.uniform(-1.5, 1.5, 4).astype(np.float32) for _ in range(2))
    clear(bench, [old, old])
    targets = (ColorTarget(fmt.number, ADD), ColorTarget(formats[1].number))
    bench.quad(bench.plan(fs=shader([new, new]), targets=targets), ())
    stored = format_numpy.unpack(fmt, packed(fmt, old)[None])[0].astype(np.float32)
    source = new if fmt.kind == "float" else np.clip(new, -1 if fmt.kind == "snorm" else 0, 1)
    wanted = format_numpy.unpack(fmt, packed(fmt, (source + stored).astype(np.float32))[None])[0]
    got = format_numpy.unpack(fmt, texels(bench, 0)[3, 3][None])[0]
    step = 0 if fmt.kind == "float" else 1.01 / (2 ** min(b for _, b in fmt.channels) - 1)
    assert np.abs(got.astype(float) - wanted).max() <= step, (got, wanted)
    assert (texels(bench, 1) == packed(formats[1], new)).all()


@pytest.mark.parametrize("name", ["R8G8B8A8_UINT", "R32G32_SINT", "R16_UINT", "R8G8B8A8_SNORM"])
def test_logic_operations(name: str) -> None:
    bench, (fmt,) = made((name,))
    old, new = numbers(fmt, 8), numbers(fmt, 9)
    clear(bench, [old])
    blend = RtBlend(logicop=0x1506)  # XOR
    bench.quad(bench.plan(fs=shader([new]), targets=(ColorTarget(fmt.number, blend),)), ())
    assert (texels(bench, 0) == packed(fmt, old) ^ packed(fmt, new)).all()


def test_whole_numbers_are_not_blended_and_floats_know_no_logic() -> None:
    bench, formats = made(("R32G32B32A32_UINT", "R16G16B16A16_FLOAT"))
    color = [numbers(f, 5) for f in formats]
    clear(bench, [numbers(f, 6) for f in formats])
    targets = tuple(
        ColorTarget(f.number, blend) for f, blend in zip(formats, (ADD, RtBlend(logicop=0x1506)))
    )
    bench.quad(bench.plan(fs=shader(color), targets=targets), ())
    for n, fmt in enumerate(formats):
        assert (texels(bench, n) == packed(fmt, color[n])).all()


def test_a_target_may_be_missing() -> None:
    """Outputs of targets that are not there, and targets that the pipeline does not write."""
    bench, formats = made(("R8G8B8A8_UNORM", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM"))
    bench.dyn.fb.others[0] = 0
    color = [np.full(4, v, np.float32) for v in (0.2, 0.4, 0.6)]
    black = np.zeros(4, np.float32)
    bench.cx.clear(bench.dyn_address, CLEAR_COLOR, black.ctypes.data, 1.0, 0, 0xFFFFFFFF, 255)
    targets = (ColorTarget(), ColorTarget(), ColorTarget(formats[2].number))
    bench.quad(bench.plan(fs=shader(color), targets=targets), ())
    assert (texels(bench, 0) == 0).all() and (texels(bench, 2) == 153).all()


@pytest.mark.parametrize("name", ["R16G16B16A16_FLOAT", "R8G8_UNORM", "R32_UINT", "R8_SNORM"])
def test_resolves_average(name: str) -> None:
    """Half of the samples are drawn to: the mean of both colours; of whole numbers sample 0."""
    bench, (fmt,) = made((name,), samples=4)
    old, new = numbers(fmt, 11), numbers(fmt, 12)
    clear(bench, [old])
    from pydri.pipe.state import Multisample

    bench.dyn.sample_mask = 0b0101
    how = Multisample(enabled=True, mask=True)
    plan = bench.plan(fs=shader([new]), multisample=how, targets=(ColorTarget(fmt.number),))
    bench.quad(plan, ())
    each = [packed(fmt, c) for c in (old, new)]
    assert (texels(bench, 0)[0] == each[1]).all() and (texels(bench, 0)[1] == each[0]).all()
    bench.cx.resolve(ctypes.addressof(bench.color))
    stride = bench.color.stride
    got = ctypes.string_at(bench.color.data + 9 * stride + 11 * fmt.bytes, fmt.bytes)
    values = [format_numpy.unpack(fmt, v[None])[0] for v in each]
    if fmt.integer:
        assert got == each[1].tobytes()
        return
    mean = (values[0].astype(np.float64) * 2 + values[1].astype(np.float64) * 2) / 4
    assert got == packed(fmt, mean.astype(np.float32)).tobytes()
