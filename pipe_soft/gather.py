# SPDX-License-Identifier: MIT
"""Four texels at once (ARB_texture_gather) in plain numpy: what every driver must give.

In: a texture, sampler state, coordinates, as for `sample`.  Out: one component of each of the four
texels that a linear filter of the first level would mix. Wrap modes are those of texels' numbers
(OpenGL 4.6, table 8.20), where a filter may look at any texel that has no weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_soft.sample import (
    CUBES,
    Arr,
    Coords,
    F,
    Lookup,
    Texture,
    clamped,
    margin_of,
    reduced,
    shown,
    within,
)
from pydri.pipe.sampler import (
    GL_CLAMP,
    GL_CLAMP_TO_EDGE,
    GL_MIRROR_CLAMP,
    GL_MIRROR_CLAMP_TO_BORDER,
    GL_MIRROR_CLAMP_TO_EDGE,
    GL_MIRRORED_REPEAT,
    GL_REPEAT,
    SamplerState,
)


def _wrap(state: SamplerState, axis: int) -> int:
    """The wrap mode; GL_CLAMP reaches the border only where a filter is linear."""
    linear = (state.min_filter | state.mag_filter) & 1
    wrap = state.wrap[axis]
    nearest = {GL_CLAMP: GL_CLAMP_TO_EDGE, GL_MIRROR_CLAMP: GL_MIRROR_CLAMP_TO_EDGE}
    return wrap if linear else nearest.get(wrap, wrap)


def _wrapped(texel: Arr, size: int, wrap: int) -> Arr:
    """A texel's number by GL 4.6, table 8.20; -1 where the border stands."""
    if wrap == GL_REPEAT:
        return texel % size
    if wrap == GL_MIRRORED_REPEAT:
        part = texel % (2 * size)
        return np.where(part < size, part, 2 * size - 1 - part)
    if wrap in (GL_MIRROR_CLAMP, GL_MIRROR_CLAMP_TO_EDGE, GL_MIRROR_CLAMP_TO_BORDER):
        texel = np.where(texel < 0, -1 - texel, texel)
    if margin_of(wrap, True):
        return np.where((texel < 0) | (texel >= size), -1, texel)
    return np.clip(texel, 0, size - 1)


def _gathered_axis(s: Arr, size: int, scale: Any, wrap: int) -> tuple[Arr, Arr]:
    """The texels that a linear filter would mix; -1: the border."""
    if wrap == GL_REPEAT:
        s = reduced(s)
    elif wrap == GL_MIRRORED_REPEAT:
        s = s - np.floor(s * F(0.5)) * F(2)
    half = wrap in (GL_CLAMP, GL_MIRROR_CLAMP)  # the coordinate itself ends at 0 and 1
    most = F(size * 128) + F(0 if half else 192)
    least = F(0 if half else -192)
    if wrap == GL_MIRRORED_REPEAT:
        most = F(size * 256) + F(192)
    elif wrap in (GL_MIRROR_CLAMP, GL_MIRROR_CLAMP_TO_EDGE, GL_MIRROR_CLAMP_TO_BORDER):
        least = -most
    at = s * (scale * F(128))
    if wrap != GL_REPEAT:
        at = clamped(at, least, most)
    first = (np.rint(at).astype(np.int64) - 64) >> 7
    return _wrapped(first, size, wrap), _wrapped(first + 1, size, wrap)


def gather(tex: Texture, state: SamplerState, coords: Coords, component: int) -> Arr:
    """One component of the four texels of the first level that a linear filter would mix: left
    below, right below, right above, left above; (stamps, 16, 4), float32."""
    with np.errstate(all="ignore"):
        found = Lookup(tex, state, None)
        c, images = within(tex, coords)
        linear = (state.min_filter | state.mag_filter) & 1
        if tex.target in CUBES and state.seamless and linear:
            four = found.seamless_corners(0, [x for x in (c.s, c.t) if x is not None], images)[0]
        else:
            found.moves = coords.moves
            axes = found.moved(0, [x for x in (c.s, c.t) if x is not None])
            pairs = [
                _gathered_axis(s, tex.size(0, n), tex.scale(0, n), _wrap(state, n))
                for n, s in enumerate(axes)
            ]
            four = [found.fetch(0, [pairs[0][n & 1], pairs[1][n >> 1]], images) for n in range(4)]
    if tex.is_bytes:
        four = [texels.astype(F) / F(255) for texels in four]
    return np.stack([shown(tex, four[n])[..., component] for n in (2, 3, 1, 0)], -1)
