# SPDX-License-Identifier: MIT
"""glReadPixels: the copying kernel and the general one, against numpy written another way."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main.buffers.layout import BufferObject
from pydri.main.names.layout import SharedBlock
from pydri.main.pixels.tables import FORMATS, TYPES, error_of
from pydri.pipe.resource import Storage
from pydri.st.pixels import load as pixels
from tests.unit.st.st_fake import FakeContext, FakeSurface, call

WIDTH, HEIGHT = 70, 33
GENERAL = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *[ctypes.c_int32] * 4, *[ctypes.c_uint32] * 2,
                           ctypes.c_uint64)
COLORS = ("B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R8G8B8A8_UNORM", "R8G8B8X8_UNORM")
ORDERS = {gl.GL_RGBA: "rgba", gl.GL_BGRA: "bgra", gl.GL_RGB: "rgb", gl.GL_BGR: "bgr"}
BOXES = [(0, 0, WIDTH, HEIGHT), (3, 5, 41, 17), (-4, -3, 20, 12), (60, 25, 30, 30), (5, 6, 1, 1),
         (90, 0, 5, 5), (0, 0, 0, 4)]  # fmt: skip


class Reader:
    """A context that reads from one surface."""

    def __init__(self, format: str, flip: bool = True, stamps: bool = False) -> None:
        self.ctx = FakeContext(WIDTH, HEIGHT, flip)
        self.n = self.ctx.n
        self.surface = FakeSurface(format, WIDTH, HEIGHT, 3, stamps)
        if self.surface.format.kind == "zs":
            self.n.read.zsbuf = self.surface.address
        else:
            self.n.read.cbuf = self.surface.address
        pixels.load(self.n)
        self.kernel = GENERAL(self.n.pixel.read)
        self.n.pixel.read = self.ctx.hook(GENERAL, self.general)
        self.went_up = 0
        self.rows = self.surface.words[::-1] if flip else self.surface.words

    def general(self, *args: int) -> None:
        self.went_up += 1
        self.kernel(*args)

    def read(self, box: tuple[int, ...], format: int, type_: int, out: np.ndarray) -> None:
        values = [v & 0xFFFFFFFF for v in box]
        call("glReadPixels", self.ctx.address, *values, format, type_, out.ctypes.data)


def clipped(box: tuple[int, ...]) -> tuple[slice, slice, slice, slice]:
    """Rows and columns of the framebuffer, rows and columns of the rectangle."""
    x, y, w, h = box
    x0, x1 = max(x, 0), max(min(x + w, WIDTH), max(x, 0))
    y0, y1 = max(y, 0), max(min(y + h, HEIGHT), max(y, 0))
    return slice(y0, y1), slice(x0, x1), slice(y0 - y, y1 - y), slice(x0 - x, x1 - x)


def channels(reader: Reader) -> dict[str, np.ndarray]:
    """The framebuffer's channels as bytes, rows from the bottom up."""
    words = np.ascontiguousarray(reader.rows)
    parts = words.view(np.uint8).reshape(HEIGHT, WIDTH, 4)
    names = "bgra" if reader.surface.format.name.startswith("B") else "rgba"
    out = {name: parts[..., n] for n, name in enumerate(names)}
    if "X8" in reader.surface.format.name:
        out["a"] = np.full_like(parts[..., 3], 255)
    return out


@pytest.mark.parametrize("format", COLORS)
@pytest.mark.parametrize("flip", [True, False])
@pytest.mark.parametrize("order", list(ORDERS))
def test_bytes_are_native(format: str, flip: bool, order: int) -> None:
    reader = Reader(format, flip)
    source, letters = channels(reader), ORDERS[order]
    for n, box in enumerate(BOXES):
        for alignment in (1, 4, 8):
            pack = reader.n.raw.pack
            length = 0 if n % 2 else box[2] + 5
            pack[:4] = (alignment, length, n % 3, n % 4)
            width, size = length or box[2], len(letters)
            step = -(-width * size // alignment) * alignment
            out = np.full(step * (box[3] + 4) + 64, 0xA5, np.uint8)
            expect = out.copy()
            rows, columns, to_rows, to_columns = clipped(box)
            first = (n % 3) * step + (n % 4) * size
            for row, to in zip(range(rows.start, rows.stop), range(to_rows.start, to_rows.stop)):
                line = np.stack([source[c][row, columns] for c in letters], axis=-1).ravel()
                at = first + to * step + to_columns.start * size
                expect[at : at + line.size] = line
            reader.read(box, order, gl.GL_UNSIGNED_BYTE, out)
            assert out.tobytes() == expect.tobytes(), (box, alignment)
    assert reader.went_up == 0 and ("resolve", reader.surface.address) in reader.ctx.calls


@pytest.mark.parametrize("order", [gl.GL_RGBA, gl.GL_BGRA])
def test_reversed_words_are_bytes(order: int) -> None:
    reader = Reader(COLORS[0])
    a, b = np.zeros((2, HEIGHT, WIDTH), np.uint32)
    reader.read(BOXES[0], order, gl.GL_UNSIGNED_BYTE, a)
    reader.read(BOXES[0], order, gl.GL_UNSIGNED_INT_8_8_8_8_REV, b)
    assert (a == b).all() and a.any() and reader.went_up == 0
    reader.n.raw.pack[6] = 1
    reader.read(BOXES[0], order, gl.GL_UNSIGNED_INT_8_8_8_8_REV, b)
    assert (a.byteswap() == b).all() and reader.went_up == 1


@pytest.mark.parametrize(
    ("format", "bits"), [("Z16_UNORM", 16), ("Z24X8_UNORM", 24), ("Z24_UNORM_S8_UINT", 24)]
)
@pytest.mark.parametrize("flip", [True, False])
@pytest.mark.parametrize("stamps", [True, False])
def test_depth(format: str, bits: int, flip: bool, stamps: bool) -> None:
    reader = Reader(format, flip, stamps)
    z = reader.rows.astype(np.uint64) & (1 << bits) - 1
    for box in BOXES[:4]:
        rows, columns, to_rows, to_columns = clipped(box)
        out = np.full((box[3], box[2]), -1, np.float32)
        expect = out.copy()
        expect[to_rows, to_columns] = z[rows, columns].astype(np.float32) / np.float32(2**bits - 1)
        reader.read(box, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, out)
        assert out.tobytes() == expect.tobytes()
        whole = np.zeros((box[3], box[2]), np.uint32)
        reader.read(box, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, whole)
        exact = z[rows, columns] * (2**32 - 1) / (2**bits - 1)
        assert np.abs(whole[to_rows, to_columns] - exact).max() <= 1
    assert reader.went_up == (0 if stamps else 8)


@pytest.mark.parametrize("stamps", [True, False])
@pytest.mark.parametrize("format", ["Z32_FLOAT", "Z32_UNORM", "Z32_FLOAT_S8X24_UINT"])
def test_other_depth_formats(format: str, stamps: bool) -> None:
    reader = Reader(format, stamps=stamps)
    words = np.ascontiguousarray(reader.rows)
    if "FLOAT" in format:
        low = words.astype(np.uint32).view(np.float32)
        low = np.where(np.isfinite(low), low, 0.5).astype(np.float32)
        rest = words >> words.dtype.type(32) << words.dtype.type(32) if words.itemsize == 8 else 0
        fixed = (low.view(np.uint32) + rest).astype(words.dtype)
        reader.surface.write(fixed[::-1])
        # what is converted (here clamped) has no denormals: contracts, MXCSR
        expect = np.where(np.abs(low) < np.finfo(np.float32).tiny, np.float32(0), low)
    else:
        expect = (words / 0xFFFFFFFF).astype(np.float32)
    out = np.zeros((HEIGHT, WIDTH), np.float32)
    reader.read(BOXES[0], gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, out)
    np.testing.assert_array_equal(out, expect)
    assert reader.went_up == 1


def test_stencil_and_both() -> None:
    reader = Reader("Z24_UNORM_S8_UINT")
    words = reader.rows
    out = np.zeros((HEIGHT, WIDTH), np.uint8)
    reader.n.raw.pack[0] = 1
    reader.read(BOXES[0], gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, out)
    assert (out == words >> 24).all()
    both = np.zeros((HEIGHT, WIDTH), np.uint32)
    reader.read(BOXES[0], gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8, both)
    assert (both == (words << np.uint32(8) | words >> np.uint32(24))).all()
    wide = np.zeros((HEIGHT, WIDTH, 2), np.uint32)
    reader.read(BOXES[0], gl.GL_DEPTH_STENCIL, gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV, wide)
    depth = (words & 0xFFFFFF).astype(np.float64) / 0xFFFFFF
    assert (wide[..., 0].view(np.float32) == depth.astype(np.float32)).all()
    assert (wide[..., 1] & 255 == words >> 24).all()
    bits = np.zeros((HEIGHT, 12), np.uint8)
    reader.n.raw.pack[0] = 4
    reader.read(BOXES[0], gl.GL_STENCIL_INDEX, gl.GL_BITMAP, bits)
    assert (np.unpackbits(bits, axis=1)[:, :WIDTH] == words >> 24 & 1).all()


@pytest.mark.parametrize(
    ("type_", "dtype", "top"),
    [(gl.GL_UNSIGNED_SHORT, np.uint16, 65535), (gl.GL_UNSIGNED_INT, np.uint32, 2**32 - 1),
     (gl.GL_FLOAT, np.float32, 1.0)],
)  # fmt: skip
def test_wider_types(type_: int, dtype: Any, top: float) -> None:
    reader = Reader("R8G8B8A8_UNORM")
    source = channels(reader)
    out = np.zeros((HEIGHT, WIDTH, 4), dtype)
    reader.read(BOXES[0], gl.GL_RGBA, type_, out)
    for n, c in enumerate("rgba"):
        np.testing.assert_allclose(out[..., n], source[c] / 255 * top, rtol=1e-6)


def test_signed_types() -> None:
    reader = Reader("R8G8B8A8_UNORM")
    red = channels(reader)["r"] / 255
    out = np.zeros((HEIGHT, WIDTH), np.int16)
    reader.n.raw.pack[0] = 2
    reader.read(BOXES[0], gl.GL_RED, gl.GL_SHORT, out)
    assert np.abs(out - 32767 * red).max() <= 0.5


@pytest.mark.parametrize(
    ("format", "type_", "letters", "shifts", "widths"),
    [
        (gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5, "rgb", (11, 5, 0), (5, 6, 5)),
        (gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5_REV, "rgb", (0, 5, 11), (5, 6, 5)),
        (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4, "rgba", (12, 8, 4, 0), (4,) * 4),
        (gl.GL_BGRA, gl.GL_UNSIGNED_SHORT_1_5_5_5_REV, "bgra", (0, 5, 10, 15), (5, 5, 5, 1)),
        (gl.GL_RGBA, gl.GL_UNSIGNED_INT_8_8_8_8, "rgba", (24, 16, 8, 0), (8,) * 4),
        (gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV, "rgba", (0, 10, 20, 30), (10, 10, 10, 2)),
    ],
)
def test_packed_types(
    format: int, type_: int, letters: str, shifts: tuple[int, ...], widths: tuple[int, ...]
) -> None:
    reader = Reader("B8G8R8A8_UNORM")
    source = channels(reader)
    dtype = np.uint16 if "SHORT" in gl.name_of(type_) else np.uint32
    out = np.zeros((HEIGHT, WIDTH), dtype)
    reader.read(BOXES[0], format, type_, out)
    expect = np.zeros((HEIGHT, WIDTH), np.uint64)
    for letter, shift, width in zip(letters, shifts, widths):
        top = (1 << width) - 1
        value = (source[letter].astype(np.uint64) * top * 2 + 255) // 510  # to nearest
        expect |= value << np.uint64(shift)
    assert (out == expect).all()


def test_luminance_is_a_sum() -> None:
    reader = Reader("R8G8B8A8_UNORM")
    c = channels(reader)
    out = np.zeros((HEIGHT, WIDTH, 2), np.float32)
    reader.read(BOXES[0], gl.GL_LUMINANCE_ALPHA, gl.GL_FLOAT, out)
    total = np.minimum(sum(c[n].astype(float) for n in "rgb") / 255, 1.0)
    np.testing.assert_allclose(out[..., 0], total, rtol=1e-6)
    np.testing.assert_allclose(out[..., 1], c["a"] / 255, rtol=1e-6)


def test_sixteen_bit_colours() -> None:
    reader = Reader("B5G6R5_UNORM")
    out = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, out)
    w = reader.rows.astype(int)
    for n, (value, top) in enumerate(((w >> 11, 31), (w >> 5 & 63, 63), (w & 31, 31))):
        assert np.abs(out[..., n] - value * 255 / top).max() <= 0.5
    assert (out[..., 3] == 255).all()


@pytest.mark.parametrize(
    ("surface", "format", "type_", "error"),
    [
        ("B8G8R8A8_UNORM", 0x1234, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_ENUM),
        ("B8G8R8A8_UNORM", gl.GL_RGBA, 0x1234, gl.GL_INVALID_ENUM),
        ("B8G8R8A8_UNORM", gl.GL_RGB, gl.GL_UNSIGNED_INT_8_8_8_8, gl.GL_INVALID_OPERATION),
        ("B8G8R8A8_UNORM", gl.GL_BGR, gl.GL_UNSIGNED_SHORT_5_6_5, gl.GL_INVALID_OPERATION),
        ("B8G8R8A8_UNORM", gl.GL_COLOR_INDEX, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_OPERATION),
        ("B8G8R8A8_UNORM", gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, gl.GL_INVALID_OPERATION),
        ("Z24X8_UNORM", gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_OPERATION),
        ("Z24X8_UNORM", gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_OPERATION),
        ("Z24X8_UNORM", gl.GL_DEPTH_STENCIL, gl.GL_FLOAT, gl.GL_INVALID_ENUM),
    ],
)
def test_errors(surface: str, format: int, type_: int, error: int) -> None:
    reader = Reader(surface)
    out = np.zeros(4, np.uint8)
    reader.read((0, 0, 1, 1), format, type_, out)
    assert reader.n.error == error and not out.any()


def bits_of(value: float, mantissa: int) -> float:
    """The value of an unsigned small float, by the definition (EXT_packed_float, 2.1.A)."""
    whole = int(value)
    exponent, rest = whole >> mantissa, whole & (1 << mantissa) - 1
    if exponent == 0:
        return float(2.0**-14 * rest / (1 << mantissa))
    return float(2.0 ** (exponent - 15) * (1 + rest / (1 << mantissa)))


def test_small_floats() -> None:
    reader = Reader("R8G8B8A8_UNORM")
    c = channels(reader)
    out = np.zeros((HEIGHT, WIDTH), np.uint32)
    reader.read(BOXES[0], gl.GL_RGB, gl.GL_UNSIGNED_INT_10F_11F_11F_REV, out)
    for name, shift, mantissa in (("r", 0, 6), ("g", 11, 6), ("b", 22, 5)):
        width = mantissa + 5
        raw = out >> np.uint32(shift) & np.uint32((1 << width) - 1)
        found = np.vectorize(bits_of)(raw, mantissa)
        exact = c[name] / 255
        assert (found <= exact + 1e-9).all() and (exact - found <= exact / (1 << mantissa)).all()
    reader.read(BOXES[0], gl.GL_RGB, gl.GL_UNSIGNED_INT_5_9_9_9_REV, out)
    scale = 2.0 ** ((out >> np.uint32(27)).astype(float) - 24)
    for n, name in enumerate("rgb"):
        found = (out >> np.uint32(9 * n) & np.uint32(511)) * scale
        assert np.abs(found - c[name] / 255).max() <= 2.0**-9
    most = np.maximum(np.maximum(c["r"], c["g"]), c["b"])
    assert (most[out == 0] == 0).all()


def test_halves_and_swapped_bytes() -> None:
    reader = Reader("R8G8B8A8_UNORM")
    c = channels(reader)
    out = np.zeros((HEIGHT, WIDTH, 2), np.float16)
    reader.read(BOXES[0], gl.GL_RG, gl.GL_HALF_FLOAT, out)
    expect = np.stack([c["r"], c["g"]], axis=-1).astype(np.float32) / np.float32(255)
    assert (out == expect.astype(np.float16)).all()
    swapped = np.zeros_like(out)
    reader.n.raw.pack[6] = 1
    reader.read(BOXES[0], gl.GL_RG, gl.GL_HALF_FLOAT, swapped)
    assert (swapped.view(np.uint16).byteswap() == out.view(np.uint16)).all()


def test_transfer_operations_of_reads() -> None:
    reader = Reader("R8G8B8A8_UNORM")
    c, raw = channels(reader), reader.n.raw
    out = np.zeros((HEIGHT, WIDTH, 4), np.float32)
    raw.pixel_scale[0], raw.pixel_bias[1] = 2.0, -0.25
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_FLOAT, out)
    np.testing.assert_allclose(out[..., 0], np.minimum(c["r"] / 127.5, 1), atol=1e-6)
    np.testing.assert_allclose(out[..., 1], np.maximum(c["g"] / 255 - 0.25, 0), atol=1e-6)
    bytes_ = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes_)
    assert np.abs(bytes_ / 255 - out).max() <= 0.5 / 255 + 1e-6 and reader.went_up == 2


def test_rows_upside_down() -> None:
    """GL_PACK_INVERT_MESA."""
    reader = Reader("R8G8B8A8_UNORM")
    a, b = np.zeros((2, HEIGHT, WIDTH, 4), np.uint8)
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, a)
    reader.n.pixel.pack_invert = 1
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, b)
    assert (a[::-1] == b).all() and a.any()


def test_every_pair_of_format_and_type() -> None:
    """Reads, or one of the two errors, and nothing beyond the pixels is touched."""
    color, both = Reader("R8G8B8A8_UNORM"), Reader("Z24_UNORM_S8_UINT", stamps=True)
    for format in FORMATS:
        for type_ in TYPES:
            reader = color if format.kind in ("color", "index", "integer") else both
            reader.n.error = 0
            out = np.full(64 * 16 + 64, 0xA5, np.uint8)
            reader.n.raw.pack[0] = 1
            reader.read((3, 2, 8, 3), format.enum, type_.enum, out)
            want = error_of(format.enum, type_.enum)
            if not want and format.kind in ("index", "integer"):
                want = gl.GL_INVALID_OPERATION
            assert reader.n.error == want, (format, type_)
            assert (out[8 * 3 * 16 :] == 0xA5).all() and (want or not (out == 0xA5).all())


def test_pixel_buffer_objects() -> None:
    reader = Reader("R8G8B8A8_UNORM")
    plain = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, plain)
    whole = np.zeros(Storage.size + plain.nbytes + 8, np.uint8)
    head, storage = Storage.view(whole.ctypes.data), whole[Storage.size :]
    made, shared = BufferObject.ctype()(), SharedBlock.ctype()()
    made.data, made.size, head.size = storage.ctypes.data, storage.nbytes, storage.nbytes
    reader.n.shared = ctypes.addressof(shared)
    reader.n.pixel.pack_buffer = ctypes.addressof(made)

    def read(offset: int, box: tuple[int, ...], type_: int = gl.GL_UNSIGNED_BYTE) -> int:
        values = [v & 0xFFFFFFFF for v in box]
        call("glReadPixels", reader.ctx.address, *values, gl.GL_RGBA, type_, offset)
        found = int(reader.n.error)
        reader.n.error = 0
        return found

    assert read(8, BOXES[0]) == 0 and storage[8:].tobytes() == plain.tobytes()
    assert read(9, BOXES[0]) == gl.GL_INVALID_OPERATION  # beyond the end
    assert read(2, (0, 0, 1, 1), gl.GL_FLOAT) == gl.GL_INVALID_OPERATION  # not a multiple
    assert read(-8, (0, 0, 1, 1)) == gl.GL_INVALID_OPERATION
    assert read(1 << 62, (0, 0, 1, 1)) == gl.GL_INVALID_OPERATION
    assert read(storage.nbytes, (0, 0, 0, 1)) == 0  # nothing is read
    made.mapped = 1
    assert read(0, (0, 0, 1, 1)) == gl.GL_INVALID_OPERATION


def test_negative_sizes() -> None:
    reader = Reader(COLORS[0])
    out = np.zeros(4, np.uint8)
    reader.read((0, 0, -1, 1), gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, out)
    assert reader.n.error == gl.GL_INVALID_VALUE and not reader.ctx.take()


def test_a_changed_drawable_is_followed() -> None:
    reader = Reader(COLORS[0])
    reader.ctx.stamp.value = 9
    out = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    reader.read(BOXES[0], gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, out)
    assert [c[0] for c in reader.ctx.take()] == ["fb", "resolve"]


STENCIL_TYPES = {
    gl.GL_UNSIGNED_BYTE: np.uint8, gl.GL_BYTE: np.int8, gl.GL_UNSIGNED_SHORT: np.uint16,
    gl.GL_SHORT: np.int16, gl.GL_UNSIGNED_INT: np.uint32, gl.GL_INT: np.int32,
    gl.GL_FLOAT: np.float32, gl.GL_HALF_FLOAT: np.float16,
}  # fmt: skip


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("box", BOXES)
def test_stencil_in_stamps(box: tuple[int, ...], flip: bool) -> None:
    """Every box, upside down too, and nothing beside it is touched."""
    reader = Reader("Z24_UNORM_S8_UINT", flip, stamps=True)
    rows, columns, to_rows, to_columns = clipped(box)
    values = reader.rows[rows, columns]
    reader.n.raw.pack[0] = 1
    for invert in (0, 1):
        reader.n.pixel.pack_invert = invert
        for type_, dtype in STENCIL_TYPES.items():
            out = np.full((box[3] + 1, max(box[2], 1)), 77, dtype)
            want = out.copy()
            inner = want[: box[3]][::-1] if invert else want[: box[3]]
            inner[to_rows, to_columns] = (values >> 24).astype(dtype)
            reader.read(box, gl.GL_STENCIL_INDEX, type_, out)
            assert (out == want).all(), (type_, invert)
        both = np.zeros((box[3] + 1, max(box[2], 1)), np.uint32)
        want_both = both.copy()
        inner = want_both[: box[3]][::-1] if invert else want_both[: box[3]]
        inner[to_rows, to_columns] = values << np.uint32(8) | values >> np.uint32(24)
        reader.read(box, gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8, both)
        assert (both == want_both).all()


@pytest.mark.parametrize("surface", COLORS)
@pytest.mark.parametrize("box", BOXES[1:4])
def test_bytes_as_every_format_and_type(surface: str, box: tuple[int, ...]) -> None:
    """A byte as a wider integer is its bits repeated (GL 4.6, 2.3.5)."""
    reader = Reader(surface)
    c = channels(reader)
    rows, columns, to_rows, to_columns = clipped(box)
    reader.n.raw.pack[0] = 1
    kinds: list[tuple[int, Any, int]] = [
        (gl.GL_UNSIGNED_BYTE, np.uint8, 1), (gl.GL_UNSIGNED_SHORT, np.uint16, 0x101),
        (gl.GL_UNSIGNED_INT, np.uint32, 0x1010101), (gl.GL_FLOAT, np.float32, 0),
    ]  # fmt: skip
    for format in FORMATS:
        if format.kind != "color" or "L" in format.channels:
            continue
        for type_, dtype, repeat in kinds:
            out = np.full((box[3], box[2], len(format.channels)), 9, dtype)
            want = out.copy()
            for n, name in enumerate(format.channels.lower()):
                v = c[name][rows, columns].astype(np.uint32)
                wide = v * repeat if repeat else v.astype(np.float32) / np.float32(255)
                want[to_rows, to_columns, n] = wide.astype(dtype)
            reader.read(box, format.enum, type_, out)
            assert (out == want).all(), (format, type_)
