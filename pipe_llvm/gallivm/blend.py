# SPDX-License-Identifier: MIT
"""Blending, logic operation and colour mask of a 4x4 stamp (GL 2.1, 4.1.8 to 4.2.2).

Blending is done in float on the unpacked destination: exact to the rounding of the final store,
the same for every format. Factors and equations are GL enums; one table row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pipe_llvm.gallivm import format as color
from pydri.jit.types import f32, u32
from pydri.pipe.format import Format
from pydri.pipe.state import ANY_BLEND, RtBlend

if TYPE_CHECKING:
    from pipe_llvm.native_any import LpBlend
    from pydri.jit import Builder, Value

#: a factor or term that Python knows to be 0 or 1 is that number
Known: TypeAlias = "Value | int"

f32x16 = f32.vec(16)
u32x16 = u32.vec(16)


class Factor(NamedTuple):
    """A blend factor: what it is taken of ("s", "t", "d", "c": source, second source, destination,
    constant colour; "": nothing, 0), its alpha or the channel itself, and whether it is 1 less
    that."""

    source: str
    alpha: bool = False
    inverse: bool = False


_FACTORS: dict[int, Factor] = {
    0x0000: Factor(""),
    0x0001: Factor("", inverse=True),
    0x0300: Factor("s"),
    0x0301: Factor("s", inverse=True),
    0x0302: Factor("s", alpha=True),
    0x0303: Factor("s", alpha=True, inverse=True),
    0x0304: Factor("d", alpha=True),
    0x0305: Factor("d", alpha=True, inverse=True),
    0x0306: Factor("d"),
    0x0307: Factor("d", inverse=True),
    0x8001: Factor("c"),
    0x8002: Factor("c", inverse=True),
    0x8003: Factor("c", alpha=True),
    0x8004: Factor("c", alpha=True, inverse=True),
    0x88F9: Factor("t"),
    0x88FA: Factor("t", inverse=True),
    0x8589: Factor("t", alpha=True),
    0x88FB: Factor("t", alpha=True, inverse=True),
}
GL_SRC_ALPHA_SATURATE = 0x0308
GL_FUNC_ADD, GL_MIN, GL_MAX, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT = (
    0x8006,
    0x8007,
    0x8008,
    0x800A,
    0x800B,
)

# logic op -> (src, dst) -> packed result
_LOGIC: dict[int, Callable[[Value, Value], Value]] = {
    0x1500: lambda s, d: s ^ s,
    0x1501: lambda s, d: s & d,
    0x1502: lambda s, d: s & ~d,
    0x1503: lambda s, d: s,
    0x1504: lambda s, d: ~s & d,
    0x1505: lambda s, d: d,
    0x1506: lambda s, d: s ^ d,
    0x1507: lambda s, d: s | d,
    0x1508: lambda s, d: ~(s | d),
    0x1509: lambda s, d: ~(s ^ d),
    0x150A: lambda s, d: ~d,
    0x150B: lambda s, d: s | ~d,
    0x150C: lambda s, d: ~s,
    0x150D: lambda s, d: ~s | d,
    0x150E: lambda s, d: ~(s & d),
    0x150F: lambda s, d: s | ~s,
}


def _factor(b: Builder, factor: int, colors: dict[str, list[Value]], n: int) -> Known:
    """The blend factor of channel n; `colors`: what factors are taken of."""
    if factor == GL_SRC_ALPHA_SATURATE:
        return 1 if n == 3 else b.min(colors["s"][3], 1.0 - colors["d"][3])
    row = _FACTORS[factor]
    if not row.source:
        return int(row.inverse)
    value = colors[row.source][3 if row.alpha else n]
    return 1.0 - value if row.inverse else value


def _scale(value: Value, factor: Known) -> Value | None:
    """value * factor, where a Python 0 or 1 needs no arithmetic (None stands for 0)."""
    if isinstance(factor, int):
        return value if factor else None
    return value * factor


def _equation(
    b: Builder, func: int, src: Value, dst: Value, s_term: Value | None, d_term: Value | None
) -> Value:
    """The blend equation of a channel; the terms are the scaled colours, None stands for 0."""
    if func == GL_MIN:
        return b.min(src, dst)
    if func == GL_MAX:
        return b.max(src, dst)
    zero = b.const(f32x16, 0.0)
    if func == GL_FUNC_REVERSE_SUBTRACT:
        s_term, d_term = d_term, s_term
    if d_term is None:
        return s_term if s_term is not None else zero
    if func == GL_FUNC_ADD:
        return d_term if s_term is None else s_term + d_term
    return (zero if s_term is None else s_term) - d_term


def effective(blend: RtBlend, fmt: Format) -> RtBlend:
    """What of blending there is for a format: whole numbers are not blended, floats and sRGB know
    no logic operation (GL 4.6, 17.3.6 and 17.3.9)."""
    if fmt.integer:
        return RtBlend(colormask=blend.colormask, logicop=blend.logicop)
    if blend.logicop and fmt.kind in ("float", "srgb"):
        return RtBlend(colormask=blend.colormask)  # blending stays off
    return blend


def needs_destination(blend: RtBlend, fmt: Format) -> bool:
    """Whether the stored pixel must be read to make the new one."""
    blend = effective(blend, fmt)
    partial = color.channel_mask(fmt, blend.colormask) != (1 << fmt.bits) - 1
    return blend.enabled or partial or blend.logicop not in (0, 0x1503)


def is_opaque(blend: RtBlend, fmt: Format) -> bool:
    """Whether a covered pixel is simply replaced."""
    return not needs_destination(blend, fmt)


def blend_stamp(
    b: Builder,
    blend: RtBlend,
    fmt: Format,
    rgba: list[Value],
    old: list[Value] | None,
    constant: Callable[[int], Value],
    chosen: Callable[[], LpBlend] | None = None,
) -> list[Value]:
    """New packed pixels (words) of a stamp. `rgba` has eight numbers where a second source is read
    (RtBlend.dual). `old` are those that are there (None if they aren't needed); `constant(n)` gives
    the blend colour's channel n as a scalar; of ANY_BLEND `chosen()` points to its LpBlend.
    """
    if blend == ANY_BLEND:
        assert old is not None and chosen is not None
        return [_any_stamp(b, fmt, rgba, old[0], constant, chosen())]
    blend = effective(blend, fmt)
    if blend.enabled and not blend.logicop:
        assert old is not None, "blending reads the destination"
        src = [_clamped(b, v, fmt) for v in rgba]
        dst = color.unpack(b, fmt, old)
        const = [b.splat(_clamped(b, constant(n), fmt), 16) for n in range(4)]
        colors = {"s": src[:4], "t": src[4:], "d": dst, "c": const}
        rgba = []
        for n in range(4):
            alpha = n == 3
            func = blend.alpha_func if alpha else blend.rgb_func
            sf = _factor(b, blend.alpha_src if alpha else blend.rgb_src, colors, n)
            df = _factor(b, blend.alpha_dst if alpha else blend.rgb_dst, colors, n)
            rgba.append(_equation(b, func, src[n], dst[n], _scale(src[n], sf), _scale(dst[n], df)))
    new = color.pack(b, fmt, rgba[:4])
    if blend.logicop and old is not None:
        new = [_LOGIC[blend.logicop](n, o) for n, o in zip(new, old)]
    mask = color.channel_mask(fmt, blend.colormask)
    if mask != (1 << fmt.bits) - 1:
        assert old is not None, "a colour mask keeps a part of the destination"
        for n, there in enumerate(old):
            bits = mask >> 32 * n & 0xFFFFFFFF
            new[n] = (new[n] & bits) | (there & (bits ^ 0xFFFFFFFF))
    return new


def _clamped(b: Builder, value: Value, fmt: Format) -> Value:
    """A colour clamped to what fractions can be, before it is blended (GL 4.6, 17.3.6)."""
    if fmt.kind == "float":
        return value
    return b.clamp(value, -1.0 if fmt.kind == "snorm" else 0.0, 1.0)


# -- any blending, chosen at run time --------------------------------------------------------------

_SUM, _MIN, _MAX = range(3)
# places of the factors' vectors: four channels each, nothing, GL_SRC_ALPHA_SATURATE
_PLACES = {"s": 0, "d": 4, "c": 8, "": 12}
_NOTHING, _SATURATE, _COUNT = 12, 13, 14


def describe(blend: RtBlend, fmt: Format, out: Any) -> None:
    """Fill an LpBlend (`out`, a ctypes view), so that kernels for ANY_BLEND do with it, to the last
    bit, what kernels for `blend` do. A factor is vector * scale + bias, with the equation's sign in
    both."""
    on = blend.enabled and not blend.logicop
    for n in range(4):
        alpha = n == 3
        func = (blend.alpha_func if alpha else blend.rgb_func) if on else GL_FUNC_ADD
        factors = (blend.alpha_src, blend.alpha_dst) if alpha else (blend.rgb_src, blend.rgb_dst)
        for side, factor in enumerate(factors if on else (1, 0)):
            sign = -1.0 if func == (GL_FUNC_REVERSE_SUBTRACT, GL_FUNC_SUBTRACT)[side] else 1.0
            place, inverse = _SATURATE, False
            if factor == GL_SRC_ALPHA_SATURATE and alpha:
                place, inverse = _NOTHING, True
            elif factor != GL_SRC_ALPHA_SATURATE:
                row = _FACTORS[factor]
                inverse = row.inverse
                place = _PLACES[row.source] + (0 if not row.source else 3 if row.alpha else n)
            at = 4 * side + n
            out.places[at] = place
            out.scale[at] = -sign if inverse else sign
            out.bias[at] = sign if inverse else 0.0
        out.equation[int(alpha)] = {GL_MIN: _MIN, GL_MAX: _MAX}.get(func, _SUM)
    op = blend.logicop or 0x1503
    for n in range(4):  # of the operation's truth table: s & d, s & ~d, ~s & d, ~s & ~d
        out.logic[n] = 0xFFFFFFFF if op >> n & 1 else 0
    out.mask = color.channel_mask(fmt, blend.colormask)
    whole = out.mask == (1 << fmt.bits) - 1 and op == 0x1503
    out.sums = int(whole and not any(out.equation))


def _any_stamp(
    b: Builder,
    fmt: Format,
    rgba: list[Value],
    dst_packed: Value,
    constant: Callable[[int], Value],
    chosen: LpBlend,
) -> Value:
    """blend_stamp of ANY_BLEND, as `chosen` describes it."""
    src = [b.clamp(v, 0.0, 1.0) for v in rgba]
    dst = color.unpack(b, fmt, [dst_packed])
    const = [b.splat(b.clamp(constant(n), 0.0, 1.0), 16) for n in range(4)]
    vectors = [*src, *dst, *const, b.const(f32x16, 0.0), b.min(src[3], 1.0 - dst[3])]
    table = b.array(f32, 16 * _COUNT, align=64)
    for n, v in enumerate(vectors):
        (table + 16 * n).store(v, align=64)

    def factor(at: int) -> Value:
        v = (table + chosen.places[at] * 16).load(f32x16, align=64)
        return v * b.splat(chosen.scale[at], 16) + b.splat(chosen.bias[at], 16)

    others = chosen.sums == 0
    out = [b.var(f32x16, src[n] * factor(n) + dst[n] * factor(4 + n)) for n in range(4)]
    with b.If(others, likely=False):
        for n, total in enumerate(out):
            equation = chosen.equation[int(n == 3)]
            most = b.select(equation == _MAX, b.max(src[n], dst[n]), total.value)
            total.value = b.select(equation == _MIN, b.min(src[n], dst[n]), most)
    (s,), d = color.pack(b, fmt, [total.value for total in out]), dst_packed
    packed = b.var(u32x16, s)
    with b.If(others, likely=False):
        terms = (s & d, s & ~d, ~s & d, ~(s | d))
        found = b.const(u32x16, 0)
        for n, term in enumerate(terms):
            found = found | (term & b.splat(chosen.logic[n], 16))
        mask = b.splat(chosen.mask, 16)
        packed.value = (found & mask) | (d & ~mask)
    return packed.value
