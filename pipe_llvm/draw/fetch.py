# SPDX-License-Identifier: MIT
"""Vertex fetch: one attribute of 16 vertices, from memory of any vertex format to float vectors.

In: a VertexBinding and 16 vertex numbers. Out: four components (f32x16; a plain number where the
format lacks the component). Rows are loaded one after the other and transposed in registers: on the
CPUs of today that beats gather instructions, and it serves linear and indexed draws alike. A number
at or above the binding's count reads the last vertex, so a wild index cannot leave the buffer;
stride 0 makes every lane read the same value. Rules of conversion are GL's (GL 2.1, 2.8) with
signed normalised numbers as max(c / (2^(b-1) - 1), -1), as the peer has it
(gallivm/lp_bld_format_aos.c, draw/draw_llvm.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit.types import boolean, f16, f32, f64, i8, i16, i32, ptr, u8, u16, u32, u64
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.format_emit import fraction

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value

LANES = 16
_THREE_WORDS = 12  # bytes of a format
_MEMORY = {
    ("f", 16): f16, ("f", 32): f32, ("f", 64): f64,
    ("u", 8): u8, ("u", 16): u16, ("u", 32): u32,
    ("s", 8): i8, ("s", 16): i16, ("s", 32): i32,
}  # fmt: skip


def lane_offsets(b: Builder, binding: Any, vertices: Operand) -> Value:
    """Byte offsets (u64x16) of these vertices (u32x16) in a binding, kept inside of it."""
    stride = binding.addr("stride").load(u32, invariant=True)
    count = binding.addr("count").load(u32, invariant=True)
    # count 0 is "not known": 0 - 1 wraps to a last vertex that no index exceeds
    inside = b.min(vertices, b.splat(count - 1, LANES))
    return b.cast(inside, u64) * b.splat(b.cast(stride, u64), LANES)


def row_pointers(b: Builder, binding: Any, vertices: Operand) -> list[Any]:
    """Where each lane's value begins."""
    base = binding.addr("base").load(ptr(u8), invariant=True)
    kept = b.array(u64, LANES, align=64)
    kept.store(lane_offsets(b, binding, vertices), align=64)
    return [base + kept[lane] for lane in range(LANES)]


def linear_pointers(b: Builder, binding: Any, first: Operand) -> list[Any]:
    """The same for 16 vertices from `first` on that are known to lie inside."""
    base = binding.addr("base").load(ptr(u8), invariant=True)
    stride = b.cast(binding.addr("stride").load(u32, invariant=True), u64)
    four = base + b.cast(first, u64) * stride
    out = []
    for _ in range(4):
        out += [four, four + stride, four + stride * 2, four + stride * 3]
        four = four + stride * 4
    return out


def inside_limit(b: Builder, bindings: list[tuple[Any, int]]) -> Value:
    """The least number of vertices that these bindings, of such formats, hold (u32); all ones if
    none says, 0 if they are too close to each other for `load_raw` of successive rows."""
    limit = b.const(u32, 0xFFFFFFFF)
    for binding, format_number in bindings:
        count = binding.addr("count").load(u32, invariant=True)
        stride = binding.addr("stride").load(u32, invariant=True)
        # 0 is "not known": as 0 - 1 it is above everything
        limit = b.select(stride == 0, limit, b.min(limit - 1, count - 1) + 1)
        if FORMATS[format_number].bytes == _THREE_WORDS:
            limit = b.select(stride < 4, 0, limit)
    return limit


def load_raw(
    b: Builder, format_number: int, rows: list[Any], successive: bool = False
) -> list[Any]:
    """What lies at `rows` (16 pointers), transposed and not yet converted. `successive`: each of
    them lies four bytes or more behind the one before (`inside_limit`)."""
    fmt = FORMATS[format_number]
    kind, bits = fmt.channels[0]
    if bits == 64:
        return [_narrow(b, rows, f64, c) for c in range(len(fmt.channels))]
    if fmt.bytes % 4 == 0:
        return load_words(b, rows, fmt.bytes // 4, successive)
    return [_narrow(b, rows, _MEMORY[kind[0], bits], c) for c in range(len(fmt.channels))]


def gather_raw(b: Builder, format_number: int, binding: Any, vertices: Operand) -> list[Any]:
    """What `load_raw` gives, of any 16 vertices: a quarter of the code, which takes longer."""
    fmt = FORMATS[format_number]
    if fmt.bytes % 4 or fmt.channels[0][1] == 64:
        return load_raw(b, format_number, row_pointers(b, binding, vertices))
    base = binding.addr("base").load(ptr(u8), invariant=True)
    at = lane_offsets(b, binding, vertices)
    return [b.gather(base, at + 4 * n, ty=f32, scale=1) for n in range(fmt.bytes // 4)]


def convert(b: Builder, format_number: int, raw: list[Any]) -> list[Any]:
    """x, y, z, w of loaded values: f32x16 or, for components that are not there, Python floats."""
    fmt = FORMATS[format_number]
    if fmt.channels[0][1] < 64 and fmt.bytes % 4 == 0:
        parts, at = [], 0
        for kind, bits in fmt.channels:
            parts.append(_part(b, raw, at, kind, bits))
            at += bits
        raw = parts
    channels = [
        _convert(b, part, kind, bits) for part, (kind, bits) in zip(raw, fmt.channels, strict=True)
    ]
    out = [_pick(channels, letter) for letter in _swizzle(fmt)]
    if fmt.channels[0][0] in ("ui", "si"):  # a whole number's bits: the 1 that is missing, too
        one = b.bitcast(b.splat(b.const(u32, 1), LANES), f32)
        out = [one if isinstance(x, float) and x == 1.0 else x for x in out]
    return out


def _swizzle(fmt: Format) -> str:
    return fmt.swizzle.ljust(4, "o")


def _pick(channels: list[Any], letter: str) -> Any:
    return {"z": 0.0, "o": 1.0}[letter] if letter in "zo" else channels[int(letter)]


def load_words(
    b: Builder, rows: list[Any], count: int, successive: bool = False
) -> list[Any]:
    """`count` (1..4) 32-bit words at each of 16 pointers, transposed: f32x16 each. `successive`:
    see `load_raw`."""
    if count == 1:
        return [b.vector([p.cast(ptr(f32)).load(f32) for p in rows])]
    if count == 2:
        pairs = [p.cast(ptr(f32)).load(f32.vec(2)) for p in rows]
        low = _concat(b, [_concat(b, [pairs[n], pairs[n + 1]]) for n in (0, 4, 8, 12)])
        high = _concat(b, [_concat(b, [pairs[n], pairs[n + 1]]) for n in (2, 6, 10, 14)])
        return [b.shuffle(low, high, _in_lanes(c, 2 + c, 16 + c, 18 + c)) for c in range(2)]
    quad = f32.vec(4)
    vectors = []
    for n, p in enumerate(rows):
        if count == 3 and not (successive and n < LANES - 1):  # the fourth word may be no memory
            mask = b.const(boolean.vec(4), [1, 1, 1, 0])
            vectors.append(b.masked_load(p.cast(ptr(f32)), mask, quad))
        else:  # or it is the next vertex' first or later one
            vectors.append(p.cast(ptr(f32)).load(quad))
    groups = [_concat(b, [vectors[n + 4 * k] for k in range(4)]) for n in range(4)]
    return transpose_in_lanes(b, groups)[:count]


def _in_lanes(*picks: int) -> list[int]:
    """A shuffle that does the same in each 128-bit lane of two 16-float vectors."""
    return [p + 4 * lane for lane in range(4) for p in picks]


def transpose_in_lanes(b: Builder, v: list[Any]) -> list[Any]:
    """Four f32x16: a 4x4 transpose in each of the four 128-bit lanes (its own inverse)."""
    t0 = b.shuffle(v[0], v[1], _in_lanes(0, 16, 1, 17))
    t1 = b.shuffle(v[0], v[1], _in_lanes(2, 18, 3, 19))
    t2 = b.shuffle(v[2], v[3], _in_lanes(0, 16, 1, 17))
    t3 = b.shuffle(v[2], v[3], _in_lanes(2, 18, 3, 19))
    return [
        b.shuffle(t0, t2, _in_lanes(0, 1, 16, 17)),
        b.shuffle(t0, t2, _in_lanes(2, 3, 18, 19)),
        b.shuffle(t1, t3, _in_lanes(0, 1, 16, 17)),
        b.shuffle(t1, t3, _in_lanes(2, 3, 18, 19)),
    ]


def _concat(b: Builder, parts: list[Any]) -> Value:
    """2 or 4 vectors one after the other."""
    while len(parts) > 1:
        lanes = parts[0].ty.lanes
        parts = [
            b.shuffle(parts[n], parts[n + 1], list(range(2 * lanes)))
            for n in range(0, len(parts), 2)
        ]
    return parts[0]


def _part(b: Builder, words: list[Any], at: int, kind: str, bits: int) -> Value:
    """A channel that begins at a bit of the loaded words, as f32x16, f16x16, u32x16 or i32x16."""
    word = words[at // 32]
    shift = at % 32
    if bits == 32:
        return b.bitcast(word, _MEMORY[kind[0], 32])
    raw = b.bitcast(word, u32)
    if kind[0] == "s":
        left = b.bitcast(raw << (32 - bits - shift), i32)
        return left >> (32 - bits)
    out = (raw >> shift) & ((1 << bits) - 1)
    if kind != "f":
        return out
    # floats of 10 and 11 bits are halves without a sign and with fewer bits behind the point
    out = out << (15 - bits) if bits < 16 else out
    return b.bitcast(b.cast(out, u16), f16)


def _narrow(b: Builder, rows: list[Any], memory: Any, channel: int) -> Any:
    """A channel loaded lane by lane; small integers are widened to 32 bits."""
    values = [(p.cast(ptr(memory)) + channel).load(memory, align=1) for p in rows]
    if memory is f64:
        return b.vector([b.cast(v, f32) for v in values])
    if memory is f16:
        return b.bitcast(b.vector([b.bitcast(v, u16) for v in values]), f16)
    return b.cast(b.vector(values), i32 if memory.kind == "i" else u32)


def _convert(b: Builder, x: Value, kind: str, bits: int) -> Value:
    """Channel to float: kinds f (as it is), un/sn (normalised), us/ss (by value), sx (16.16),
    ui/si (the bits of a whole number, for shaders that read one).
    """
    if kind == "f":
        return b.cast(x, f32)
    if kind in ("ui", "si"):
        return b.bitcast(x, f32)
    if kind == "sx":
        return b.cast(x, f32) * (1.0 / 65536.0)
    if kind in ("us", "ss"):
        return b.cast(x, f32)
    digits = bits if kind == "un" else bits - 1
    if bits == 32:
        out = b.cast(b.cast(x, f64) / float((1 << digits) - 1), f32)
    else:
        out = fraction(b, b.bitcast(x, i32), digits)
    return b.max(out, -1.0) if kind == "sn" else out
