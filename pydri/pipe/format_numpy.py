# SPDX-License-Identifier: MIT
"""What texels mean, in numpy: the definition and the judge of all kernels that read or write them.

In: rows of pydri/pipe/format.py; texels as bytes, of shape (n, bytes a texel). Out: numbers of
shape (n, 4), r, g, b, a, as float32, uint32 or int32; of depth and stencil formats a pair of
arrays of shape (n,): float64 depths, uint32 stencil values. Formats of vertices alone and
compressed ones raise ValueError (codec_numpy.py decodes the latter). The rules of rounding are
those of format_emit.py; sRGB curves are the exact ones here. Nothing of the driver imports this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pydri.pipe.format import Format

Bytes = NDArray[np.uint8]
Bits = NDArray[np.uint64]
Array = NDArray[np.generic]


def channels(fmt: Format, texels: Bytes) -> list[Bits]:
    """The bits of each channel."""
    bits = np.unpackbits(texels, axis=1, bitorder="little").astype(np.uint64)
    out, at = [], 0
    for _, size in fmt.channels:
        powers = np.uint64(1) << np.arange(size, dtype=np.uint64)
        out.append((bits[:, at : at + size] * powers).sum(axis=1, dtype=np.uint64))
        at += size
    return out


def texels(fmt: Format, values: list[Bits]) -> Bytes:
    """Texels of the bits of their channels."""
    columns = [
        value[:, None] >> np.arange(size, dtype=np.uint64) & np.uint64(1)
        for value, (_, size) in zip(values, fmt.channels, strict=True)
    ]
    return np.packbits(np.hstack(columns).astype(np.uint8), axis=1, bitorder="little")


# -- numbers ---------------------------------------------------------------------------------------


def srgb_to_linear(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """GL 4.6, 8.24."""
    return np.where(x <= 0.04045, x / 12.92, ((np.maximum(x, 0) + 0.055) / 1.055) ** 2.4)


def linear_to_srgb(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """GL 4.6, 17.3.7."""
    return np.where(x < 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 0) ** (1 / 2.4) - 0.055)


def _signed(raw: Bits, bits: int) -> NDArray[np.int64]:
    value = raw.astype(np.int64)
    return np.where(value >> (bits - 1) != 0, value - (1 << bits), value)


def _binary_order(x: NDArray[np.float64]) -> NDArray[np.int64]:
    """The whole part of positive numbers' binary logarithms: exactly, as a logarithm of numpy's or
    of libm's need not be, whose last bits are a processor's own."""
    return np.frexp(x)[1].astype(np.int64) - 1


def _small_float(raw: Bits, mantissa: int) -> NDArray[np.float32]:
    exponent = (raw >> np.uint64(mantissa)).astype(np.int64)
    rest = (raw & np.uint64((1 << mantissa) - 1)).astype(np.float64) / (1 << mantissa)
    out = np.where(exponent == 0, rest * 2.0**-14, np.ldexp(1 + rest, exponent - 15))
    special = np.where(rest == 0, np.inf, np.nan)
    return np.where(exponent == 31, special, out).astype(np.float32)


def _to_small_float(x: NDArray[np.float32], mantissa: int) -> Bits:
    wide = np.maximum(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=0.0), 0.0)
    wide = np.minimum(wide, (2.0 - 2.0**-mantissa) * 2.0**15)
    exponent = np.maximum(_binary_order(np.maximum(wide, 2.0**-30)), -14)
    whole = np.floor(np.ldexp(wide, mantissa - exponent)).astype(np.int64)
    low = whole & ((1 << mantissa) - 1)
    code = np.where(whole >> mantissa, (exponent + 15) << mantissa | low, whole)
    code = np.where(np.isposinf(x), 31 << mantissa, code)
    return np.where(np.isnan(x), 31 << mantissa | 1, code).astype(np.uint64)


def _number(raw: Bits, kind: str, bits: int) -> Array:
    if kind == "un":
        top = (1 << bits) - 1
        if bits <= 24:
            return raw.astype(np.float32) / np.float32(top)
        return (raw.astype(np.float64) / top).astype(np.float32)
    if kind == "sn":
        value = _signed(raw, bits).astype(np.float64) / ((1 << bits - 1) - 1)
        return np.maximum(value.astype(np.float32), np.float32(-1))
    if kind == "f" and bits == 32:
        return raw.astype(np.uint32).view(np.float32)
    if kind == "f" and bits == 16:
        return raw.astype(np.uint16).view(np.float16).astype(np.float32)
    if kind == "f":
        return _small_float(raw, bits - 5)
    if kind in ("ui", "us"):
        return raw.astype(np.uint32)
    if kind == "si":
        return _signed(raw, bits).astype(np.int32)
    raise ValueError(f"no texel has channels {kind}{bits}")


def _channel(x: Array, kind: str, bits: int) -> Bits:
    if kind in ("un", "sn"):
        low, top = (0.0, (1 << bits) - 1) if kind == "un" else (-1.0, (1 << bits - 1) - 1)
        given = x.astype(np.float64)
        wide = np.where(np.isnan(given), low, np.clip(given, low, 1.0))
        # up to 16 bits products and sums are those of float32
        exact: type[np.floating[Any]] = np.float32 if bits <= 16 else np.float64
        product = np.multiply(wide, top, dtype=exact, casting="same_kind")
        total = np.add(product, 0.5, dtype=exact)
        scaled = (np.floor(total) if kind == "un" else np.rint(product)).astype(np.int64)
        whole: Bits = (scaled & np.int64((1 << bits) - 1)).view(np.uint64)
        return whole
    if kind == "f" and bits == 32:
        return x.astype(np.float32).view(np.uint32).astype(np.uint64)
    if kind == "f" and bits == 16:
        with np.errstate(over="ignore"):
            return x.astype(np.float32).astype(np.float16).view(np.uint16).astype(np.uint64)
    if kind == "f":
        return _to_small_float(x.astype(np.float32), bits - 5)
    if kind in ("ui", "us"):
        return np.clip(x.astype(np.int64), 0, (1 << bits) - 1).astype(np.uint64)
    if kind == "si":
        value = np.clip(x.astype(np.int64), -(1 << bits - 1), (1 << bits - 1) - 1)
        return (value & ((1 << bits) - 1)).astype(np.uint64)
    raise ValueError(f"no texel has channels {kind}{bits}")


# -- shared exponents ------------------------------------------------------------------------------


def _unshare(parts: list[Bits]) -> list[Array]:
    order = parts[3].astype(np.int64) - 24
    return [np.ldexp(v.astype(np.float64), order).astype(np.float32) for v in parts[:3]]


def _share(rgb: NDArray[np.float32]) -> list[Bits]:
    """EXT_texture_shared_exponent, 3.8.1."""
    given = np.where(np.isnan(rgb), 0.0, rgb.astype(np.float64))
    given = np.clip(given, 0.0, 65408.0)
    most = given.max(axis=1)
    power = _binary_order(np.maximum(most, 2.0**-40))
    exponent = np.maximum(power, -16) + 16
    exponent += np.floor(np.ldexp(most, 24 - exponent) + 0.5) == 512.0
    scaled = np.floor(np.ldexp(given, 24 - exponent[:, None]) + 0.5)
    return [*(scaled[:, n].astype(np.uint64) for n in range(3)), exponent.astype(np.uint64)]


# -- texels ----------------------------------------------------------------------------------------


def number_dtype(fmt: Format) -> type[np.generic]:
    """The type of r, g, b, a."""
    kinds: dict[str, type[np.generic]] = {"uint": np.uint32, "sint": np.int32}
    return kinds.get(fmt.kind, np.float32)


def unpack(fmt: Format, data: Bytes) -> Array:
    """r, g, b, a of texels: shape (n, 4)."""
    if fmt.kind in ("compressed", "zs", "none"):
        raise ValueError(f"{fmt.name}: not a format of colours")
    raw = channels(fmt, np.ascontiguousarray(data).reshape(len(data), -1))
    numbers = (
        _unshare(raw)
        if fmt.kind == "shared"
        else [
            np.zeros(0) if kind == "x" else _number(value, kind, bits)
            for value, (kind, bits) in zip(raw, fmt.channels, strict=True)
        ]
    )
    out = np.zeros((len(data), 4), number_dtype(fmt))
    for n, c in enumerate(fmt.swizzle):
        if c not in "zo":
            column = numbers[int(c)]
            if fmt.srgb and n < 3:
                column = srgb_to_linear(column.astype(np.float64))
            out[:, n] = column
        else:
            out[:, n] = int(c == "o")
    return out


def pack(fmt: Format, rgba: Array) -> Bytes:
    """Texels of r, g, b, a. What is padding is all ones in formats of fractions of up to 32 bits,
    else zero."""
    if fmt.kind == "shared":
        return texels(fmt, _share(rgba[:, :3].astype(np.float32)))
    ones = fmt.kind in ("unorm", "srgb") and fmt.bits <= 32
    out = []
    for n, (kind, bits) in enumerate(fmt.channels):
        source = fmt.swizzle.find(str(n))
        if source < 0:
            out.append(np.full(len(rgba), (1 << bits) - 1 if ones else 0, np.uint64))
            continue
        column: Array = rgba[:, source]
        if fmt.srgb and source < 3:
            wide = np.nan_to_num(column.astype(np.float64), nan=0.0)
            column = linear_to_srgb(np.clip(wide, 0.0, 1.0))
        out.append(_channel(column, kind, bits))
    return texels(fmt, out)


def unpack_zs(fmt: Format, data: Bytes) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Depths and stencil values; what a format does not have is 0."""
    raw = channels(fmt, np.ascontiguousarray(data).reshape(len(data), -1))
    depth, stencil = np.zeros(len(data)), np.zeros(len(data), np.uint32)
    for value, (kind, bits) in zip(raw, fmt.channels, strict=True):
        if kind == "us":
            stencil = value.astype(np.uint32)
        elif kind != "x":
            whole = kind == "un"
            depth = value / ((1 << bits) - 1) if whole else value.astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):  # NaNs of all kinds
        return depth.astype(np.float64), stencil


def pack_zs(fmt: Format, depth: Array, stencil: Array) -> Bytes:
    """Texels of depths and stencil values; padding is zero."""
    out = []
    for kind, bits in fmt.channels:
        if kind == "x":
            out.append(np.zeros(len(depth), np.uint64))
        else:
            out.append(_channel(stencil if kind == "us" else depth, kind, bits))
    return texels(fmt, out)


__all__ = [
    "channels", "linear_to_srgb", "number_dtype", "pack", "pack_zs", "srgb_to_linear", "texels",
    "unpack", "unpack_zs",
]  # fmt: skip
