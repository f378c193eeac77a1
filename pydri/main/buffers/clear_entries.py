# SPDX-License-Identifier: MIT
"""glClearBufferData and its kin (ARB_clear_buffer_object): one pixel becomes the bytes of an
element, and a kernel repeats them.

In: a sized internal format of buffer textures, a pixel in the program's memory. Out: the buffer's
range filled. INTERNAL is the table of formats that buffers can be read as (GL 4.5, table 8.21;
ARB_texture_buffer_object's for compatibility). Mesa: main/bufferobj.c (clear_buffer_sub_data),
main/teximage.c (_mesa_validate_texbuffer_format).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.buffers.layout import BufferObject
from pydri.main.buffers.tables import has_target, owner_of
from pydri.main.names.objects import object_by_name, object_made_by_name
from pydri.main.names.tables import BUFFERS
from pydri.main.pixels.tables import (
    FORMAT_NUMBERS,
    FORMATS,
    TYPE_NUMBERS,
    TYPES,
    PixelFormat,
    PixelType,
    error_of,
    pixel_bytes,
)
from pydri.main.pointers import address_of

if TYPE_CHECKING:
    from pydri.main.context import GLContext


class Internal(NamedTuple):
    """`channels` of R, G, B, A, L, I in memory; kind: n (unorm), f, i, u; bits of a channel."""

    channels: str
    kind: str
    bits: int

    @property
    def bytes(self) -> int:
        return len(self.channels) * self.bits // 8


def _internal() -> dict[int, Internal]:
    rows: dict[int, Internal] = {}
    for channels in ("R", "RG", "RGBA"):
        for kind, suffix, widths in (
            ("n", "", (8, 16)),
            ("f", "F", (16, 32)),
            ("i", "I", (8, 16, 32)),
            ("u", "UI", (8, 16, 32)),
        ):
            for bits in widths:
                rows[getattr(gl, f"GL_{channels}{bits}{suffix}")] = Internal(channels, kind, bits)
    for kind, suffix in (("f", "F"), ("i", "I"), ("u", "UI")):
        rows[getattr(gl, f"GL_RGB32{suffix}")] = Internal("RGB", kind, 32)
    for name, channels in (
        ("ALPHA", "A"),
        ("LUMINANCE", "L"),
        ("LUMINANCE_ALPHA", "LA"),
        ("INTENSITY", "I"),
    ):
        short = name == "LUMINANCE_ALPHA"
        for bits in (8, 16):
            sized = f"GL_LUMINANCE{bits}_ALPHA{bits}" if short else f"GL_{name}{bits}"
            rows[getattr(gl, sized)] = Internal(channels, "n", bits)
        for bits in (16, 32):
            rows[getattr(gl, f"GL_{name}{bits}F_ARB")] = Internal(channels, "f", bits)
        for bits in (8, 16, 32):
            rows[getattr(gl, f"GL_{name}{bits}I_EXT")] = Internal(channels, "i", bits)
            rows[getattr(gl, f"GL_{name}{bits}UI_EXT")] = Internal(channels, "u", bits)
    return rows


INTERNAL: dict[int, Internal] = _internal()
_CODES = {("u", 1): "B", ("u", 2): "H", ("u", 4): "I", ("i", 1): "b", ("i", 2): "h", ("i", 4): "i",
          ("f", 2): "e", ("f", 4): "f"}  # fmt: skip


def _small_float(bits: int, mantissa: int) -> float:
    half = bits << (10 - mantissa)
    return float(struct.unpack("<e", struct.pack("<H", half))[0])


def _elements(type_: PixelType, data: bytes, count: int) -> list[float | int]:
    """Components in the order of memory: floats for normalised types, whole numbers stay."""
    if type_.kind in "uif":
        code = _CODES[type_.kind, type_.bytes]
        return list(struct.unpack(f"<{count}{code}", data))
    word = int.from_bytes(data, "little")
    if type_.kind == "r11g11b10":
        parts = ((word & 0x7FF, 6), (word >> 11 & 0x7FF, 6), (word >> 22, 5))
        return [_small_float(bits, mantissa) for bits, mantissa in parts]
    if type_.kind == "rgb9e5":
        scale = 2.0 ** ((word >> 27) - 24)
        return [(word >> shift & 0x1FF) * scale for shift in (0, 9, 18)]
    out: list[float | int] = []
    at = 0 if type_.reverse else sum(type_.widths)
    for width in type_.widths:
        at = at if type_.reverse else at - width
        out.append((word >> at & (1 << width) - 1) / ((1 << width) - 1))
        at = at + width if type_.reverse else at
    return out


def _rgba(row: PixelFormat, type_: PixelType, data: bytes) -> list[float | int]:
    """One pixel as R, G, B, A."""
    values = _elements(type_, data, row.components)
    if row.kind == "color" and type_.kind in "ui":
        top = (1 << 8 * type_.bytes - (type_.kind == "i")) - 1
        values = [max(v / top, -1.0) for v in values]
    out: dict[str, float | int] = {"R": 0, "G": 0, "B": 0, "A": 1}
    for letter, value in zip(row.channels, values, strict=True):
        for c in "RGB" if letter == "L" else letter:
            out[c] = value
    return [out[c] for c in "RGBA"]


def _store(to: Internal, rgba: list[float | int]) -> bytes:
    out = b""
    for letter in to.channels:
        value = rgba["RGBA".index({"L": "R", "I": "R"}.get(letter, letter))]
        if to.kind == "n":
            top = (1 << to.bits) - 1
            out += round(min(max(float(value), 0.0), 1.0) * top).to_bytes(to.bits // 8, "little")
        elif to.kind == "f":
            number = min(max(float(value), -65504.0), 65504.0) if to.bits == 16 else float(value)
            out += struct.pack("<e" if to.bits == 16 else "<f", number)
        else:
            least = -(1 << to.bits - 1) if to.kind == "i" else 0
            most = (1 << to.bits - (to.kind == "i")) - 1
            kept = min(max(int(value), least), most)
            out += kept.to_bytes(to.bits // 8, "little", signed=to.kind == "i")
    return out


def _value(internal: int, format_: int, type_: int, data: Any) -> tuple[int, bytes]:
    """(bytes of an element, its value; nothing: zeros)."""
    to = INTERNAL.get(internal)
    if to is None:
        raise GLError(gl.GL_INVALID_ENUM, f"internalformat={gl.name_of(internal)}")
    row = FORMATS[FORMAT_NUMBERS[format_]] if format_ in FORMAT_NUMBERS else None
    if (row is not None and row.kind == "integer") != (to.kind in "iu"):
        raise GLError(gl.GL_INVALID_OPERATION, "integers do not become other numbers")
    if row is None or row.kind not in ("color", "integer") or error_of(format_, type_):
        raise GLError(gl.GL_INVALID_VALUE, f"format={gl.name_of(format_)}")
    kind = TYPES[TYPE_NUMBERS[type_]]
    address = address_of(data)
    if not address:
        return to.bytes, b""
    pixel = ctypes.string_at(address, pixel_bytes(row, kind))
    return to.bytes, _store(to, _rgba(row, kind, pixel))


def clear_range(
    ctx: GLContext, n: Any, internal: int, part: tuple[int, int] | None,
    format_: int, type_: int, data: Any,
) -> None:  # fmt: skip
    """Fill (offset, size) of a buffer (its native view), or all of it."""
    offset, size = part if part is not None else (0, n.size)
    if offset < 0 or size < 0 or offset + size > n.size:
        raise GLError(gl.GL_INVALID_VALUE, f"offset={offset}, size={size} of {n.size}")
    overlaps = offset < n.map_offset + n.map_length and n.map_offset < offset + size
    if n.mapped == 1 and (part is None or overlaps):
        raise GLError(gl.GL_INVALID_OPERATION, "the buffer is mapped")
    element, value = _value(internal, format_, type_, data)
    if offset % element or size % element:
        raise GLError(gl.GL_INVALID_VALUE, f"offset={offset}, size={size}: not of {element} bytes")
    if size:
        kept = ctypes.create_string_buffer(value, len(value)) if value else None
        address = ctypes.addressof(kept) if kept is not None else 0
        ctx.kernel("buffer_fill")(
            ctx.address, ctypes.addressof(n), offset, size, address, element
        )


def _of_target(ctx: GLContext, target: int) -> Any:
    if not has_target(ctx, target):
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    owner, field = owner_of(ctx, target)
    address = getattr(owner, field)
    if not address:
        raise GLError(gl.GL_INVALID_VALUE, f"target={gl.name_of(target)}: no buffer is bound")
    return BufferObject.view(address)


@contextmanager
def _of_name(ctx: GLContext, name: int, makes: bool = False) -> Iterator[Any]:
    """The buffer of a name; `makes`: EXT_direct_state_access, where it gets one by such a call."""
    with (object_made_by_name if makes else object_by_name)(ctx, BUFFERS, name) as buffer:
        if buffer is None:
            raise GLError(gl.GL_INVALID_OPERATION, f"buffer={name}")
        yield buffer


@entry(flush=False)
def glClearBufferData(
    ctx: GLContext, target: int, internalformat: int, format: int, type: int, data: Any
) -> None:
    clear_range(ctx, _of_target(ctx, target), internalformat, None, format, type, data)


@entry(flush=False)
def glClearBufferSubData(
    ctx: GLContext, target: int, internalformat: int, offset: int, size: int, format: int,
    type: int, data: Any,
) -> None:  # fmt: skip
    buffer = _of_target(ctx, target)
    clear_range(ctx, buffer, internalformat, (offset, size), format, type, data)


@entry(flush=False)
def glClearNamedBufferData(
    ctx: GLContext, buffer: int, internalformat: int, format: int, type: int, data: Any
) -> None:
    with _of_name(ctx, buffer) as found_buffer:
        clear_range(ctx, found_buffer, internalformat, None, format, type, data)


@entry(flush=False)
def glClearNamedBufferSubData(
    ctx: GLContext, buffer: int, internalformat: int, offset: int, size: int, format: int,
    type: int, data: Any,
) -> None:  # fmt: skip
    with _of_name(ctx, buffer) as found_buffer:
        clear_range(ctx, found_buffer, internalformat, (offset, size), format, type, data)


@entry(flush=False)
def glClearNamedBufferDataEXT(
    ctx: GLContext, buffer: int, internalformat: int, format: int, type: int, data: Any
) -> None:
    with _of_name(ctx, buffer, makes=True) as found_buffer:
        clear_range(ctx, found_buffer, internalformat, None, format, type, data)


@entry(flush=False)
def glClearNamedBufferSubDataEXT(
    ctx: GLContext, buffer: int, internalformat: int, offset: int, size: int, format: int,
    type: int, data: Any,
) -> None:  # fmt: skip
    with _of_name(ctx, buffer, makes=True) as found_buffer:
        clear_range(ctx, found_buffer, internalformat, (offset, size), format, type, data)
