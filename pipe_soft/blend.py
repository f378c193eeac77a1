# SPDX-License-Identifier: MIT
"""Blending, logic operation and colour mask (GL 2.1, 4.1.8 to 4.2.2), in floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pipe_soft.arrays import F32, Arr, clamp, f32, least, most
from pipe_soft.pixels import pack, unpack, writable
from pydri.pipe.format import Format
from pydri.pipe.state import RtBlend

GL_SRC_ALPHA_SATURATE = 0x0308
#: Factors: whose colour (source, second source, destination, constant), whether it is alpha for all
#: channels, and whether it is taken from one.
_FACTORS: dict[int, tuple[str, bool, bool]] = {
    0x0300: ("s", False, False), 0x0301: ("s", False, True),
    0x0302: ("s", True, False), 0x0303: ("s", True, True),
    0x0304: ("d", True, False), 0x0305: ("d", True, True),
    0x0306: ("d", False, False), 0x0307: ("d", False, True),
    0x8001: ("c", False, False), 0x8002: ("c", False, True),
    0x8003: ("c", True, False), 0x8004: ("c", True, True),
    0x88F9: ("t", False, False), 0x88FA: ("t", False, True),
    0x8589: ("t", True, False), 0x88FB: ("t", True, True),
}  # fmt: skip
_EQUATIONS: dict[int, Callable[[Arr, Arr, Arr, Arr], Arr]] = {
    0x8006: lambda s, d, sf, df: s * sf + d * df,  # GL_FUNC_ADD
    0x8007: lambda s, d, sf, df: least(s, d),  # GL_MIN
    0x8008: lambda s, d, sf, df: most(s, d),  # GL_MAX
    0x800A: lambda s, d, sf, df: s * sf - d * df,  # GL_FUNC_SUBTRACT
    0x800B: lambda s, d, sf, df: d * df - s * sf,  # GL_FUNC_REVERSE_SUBTRACT
}
#: of source and destination bits, GL_CLEAR to GL_SET
_LOGIC: tuple[Callable[[Arr, Arr], Arr], ...] = (
    lambda s, d: s ^ s, lambda s, d: s & d, lambda s, d: s & ~d, lambda s, d: s,
    lambda s, d: ~s & d, lambda s, d: d, lambda s, d: s ^ d, lambda s, d: s | d,
    lambda s, d: ~(s | d), lambda s, d: ~(s ^ d), lambda s, d: ~d, lambda s, d: s | ~d,
    lambda s, d: ~s, lambda s, d: ~s | d, lambda s, d: ~(s & d), lambda s, d: s | ~s,
)  # fmt: skip


def _factor(factor: int, colors: dict[str, list[Arr]], n: int) -> Any:
    """The blend factor of channel n."""
    if factor in (0, 1):
        return F32(factor)
    if factor == GL_SRC_ALPHA_SATURATE:
        return F32(1) if n == 3 else least(colors["s"][3], F32(1) - colors["d"][3])
    source, alpha, inverse = _FACTORS[factor]
    value = colors[source][3 if alpha else n]
    return F32(1) - value if inverse else value


def _blended(blend: RtBlend, colors: dict[str, list[Arr]]) -> list[Arr]:
    out = []
    for n in range(4):
        alpha = n == 3
        func = blend.alpha_func if alpha else blend.rgb_func
        src = _factor(blend.alpha_src if alpha else blend.rgb_src, colors, n)
        dst = _factor(blend.alpha_dst if alpha else blend.rgb_dst, colors, n)
        out.append(_EQUATIONS[func](colors["s"][n], colors["d"][n], src, dst))
    return out


def effective(blend: RtBlend, fmt: Format) -> RtBlend:
    """What of blending there is for a format: whole numbers are not blended, floats and sRGB know
    no logic operation, which leaves them unblended, too (GL 4.6, 17.3.6 and 17.3.9)."""
    if fmt.integer:
        return RtBlend(colormask=blend.colormask, logicop=blend.logicop)
    if blend.logicop and fmt.kind in ("float", "srgb"):
        return RtBlend(colormask=blend.colormask)
    return blend


def _clamped(fmt: Format, value: Arr) -> Arr:
    """Colours clamped to what fractions can be, before they are blended (GL 4.6, 17.3.6)."""
    if fmt.kind == "float":
        return value
    return clamp(value, -1 if fmt.kind == "snorm" else 0, 1)


def new_pixels(blend: RtBlend, fmt: Format, rgba: list[Arr], old: Arr, constant: Any) -> Arr:
    """Texels (n, bytes); `rgba`: eight numbers where a second source is blended; `old`: those that
    are there, `constant`: the blend colour."""
    blend = effective(blend, fmt)
    if blend.enabled and not blend.logicop:
        source = [_clamped(fmt, channel) for channel in rgba]
        fixed = [_clamped(fmt, f32(constant[n])) for n in range(4)]
        colors = {"s": source[:4], "t": source[4:], "d": unpack(fmt, old), "c": fixed}
        rgba = _blended(blend, colors)
    new = pack(fmt, [np.broadcast_to(channel, len(old)) for channel in rgba[:4]])
    if blend.logicop:
        new = _LOGIC[blend.logicop & 15](new, old)
    mask = writable(fmt, blend.colormask)
    return np.asarray((new & mask) | (old & ~mask))
