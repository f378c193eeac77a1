# SPDX-License-Identifier: MIT
"""Blending, logic operation and colour mask of a 4x4 stamp (GL 2.1, 4.1.8 to 4.2.2).

Blending is done in float on the unpacked destination: exact to the rounding of the final store,
the same for every format. Factors and equations are GL enums; one table row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipe_llvm.gallivm import format as color
from pydri.jit.types import f32, u32
from pydri.pipe.format import Format
from pydri.pipe.state import RtBlend

f32x16 = f32.vec(16)
u32x16 = u32.vec(16)

# factor -> function (src channel list, dst list, constant list, channel number) -> value, or 0 / 1
_FACTORS: dict[int, Callable[[Any, Any, Any, int], Any]] = {
    0x0000: lambda s, d, c, n: 0,
    0x0001: lambda s, d, c, n: 1,
    0x0300: lambda s, d, c, n: s[n],
    0x0301: lambda s, d, c, n: 1.0 - s[n],
    0x0302: lambda s, d, c, n: s[3],
    0x0303: lambda s, d, c, n: 1.0 - s[3],
    0x0304: lambda s, d, c, n: d[3],
    0x0305: lambda s, d, c, n: 1.0 - d[3],
    0x0306: lambda s, d, c, n: d[n],
    0x0307: lambda s, d, c, n: 1.0 - d[n],
    0x8001: lambda s, d, c, n: c[n],
    0x8002: lambda s, d, c, n: 1.0 - c[n],
    0x8003: lambda s, d, c, n: c[3],
    0x8004: lambda s, d, c, n: 1.0 - c[3],
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
_LOGIC: dict[int, Callable[[Any, Any], Any]] = {
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


def _factor(b: Any, factor: int, s: Any, d: Any, c: Any, n: int) -> Any:
    if factor == GL_SRC_ALPHA_SATURATE:
        return 1 if n == 3 else b.min(s[3], 1.0 - d[3])
    return _FACTORS[factor](s, d, c, n)


def _scale(value: Any, factor: Any) -> Any:
    """value * factor, where a Python 0 or 1 needs no arithmetic (None stands for 0)."""
    if isinstance(factor, int):
        return value if factor else None
    return value * factor


def _equation(b: Any, func: int, src: Any, dst: Any, s_term: Any, d_term: Any) -> Any:
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


def needs_destination(blend: RtBlend, fmt: Format) -> bool:
    """Whether the stored pixel must be read to make the new one."""
    partial = color.channel_mask(fmt, blend.colormask) != (1 << fmt.bits) - 1
    return blend.enabled or partial or blend.logicop not in (0, 0x1503)


def is_opaque(blend: RtBlend, fmt: Format) -> bool:
    """Whether a covered pixel is simply replaced."""
    return not needs_destination(blend, fmt)


def blend_stamp(
    b: Any,
    blend: RtBlend,
    fmt: Format,
    rgba: list[Any],
    dst_packed: Any,
    constant: Callable[[int], Any],
) -> Any:
    """New packed pixels (u32x16) of a stamp. `dst_packed` is the loaded destination (None if it
    isn't needed); `constant(n)` gives the blend colour's channel n as a scalar.
    """
    if blend.enabled and not blend.logicop:
        src = [b.clamp(v, 0.0, 1.0) for v in rgba]
        dst = color.unpack(b, fmt, dst_packed)
        const = [b.splat(b.clamp(constant(n), 0.0, 1.0), 16) for n in range(4)]
        rgba = []
        for n in range(4):
            alpha = n == 3
            func = blend.alpha_func if alpha else blend.rgb_func
            sf = _factor(b, blend.alpha_src if alpha else blend.rgb_src, src, dst, const, n)
            df = _factor(b, blend.alpha_dst if alpha else blend.rgb_dst, src, dst, const, n)
            rgba.append(_equation(b, func, src[n], dst[n], _scale(src[n], sf), _scale(dst[n], df)))
    packed = color.pack(b, fmt, rgba)
    if blend.logicop:
        packed = _LOGIC[blend.logicop](packed, dst_packed) if dst_packed is not None else packed
    mask = color.channel_mask(fmt, blend.colormask)
    if mask != (1 << fmt.bits) - 1:
        packed = (packed & mask) | (dst_packed & (mask ^ 0xFFFFFFFF))
    return packed
