# SPDX-License-Identifier: MIT
"""Texture sampling in plain numpy: what every sampler of every driver must give, bit by bit.

In: a texture as arrays of texels, sampler state, coordinates of stamps of 16 lanes (4x4 pixels row
by row, so that lanes 0, 1, 4, 5 are a quad). Out: red, green, blue, alpha as float32.

The rules are those of OpenGL 2.1, 3.8.7 to 3.8.14, with what the specification leaves open settled
so: linear filters work in 25.7 fixed point, levels of detail in 24.8; bytes are filtered as
integers and converted once; all other texels as float32, x first, then y, then z, then levels.
Nothing here knows how a driver does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pydri.pipe.resource import (
    TARGET_1D,
    TARGET_1D_ARRAY,
    TARGET_2D_ARRAY,
    TARGET_2D_MS_ARRAY,
    TARGET_3D,
    TARGET_BUFFER,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
    TARGET_RECT,
)
from pydri.pipe.sampler import (
    GL_CLAMP,
    GL_CLAMP_TO_BORDER,
    GL_CLAMP_TO_EDGE,
    GL_MIRROR_CLAMP,
    GL_MIRROR_CLAMP_TO_BORDER,
    GL_MIRROR_CLAMP_TO_EDGE,
    GL_MIRRORED_REPEAT,
    GL_NEAREST_MIPMAP_NEAREST,
    GL_NEVER,
    GL_REPEAT,
    LOD_BIAS,
    LOD_EXPLICIT,
    LOD_GRADIENTS,
    LOD_IMPLICIT,
    SamplerState,
)

Arr: TypeAlias = "np.ndarray[Any, Any]"
F = np.float32
CUBES = (TARGET_CUBE, TARGET_CUBE_ARRAY)


class Texture(NamedTuple):
    """What is sampled. `levels`: (images, rows, columns, channels) each; uint8 where texels are
    filtered as bytes, else float32 as they decode; of textures with several samples one a
    sample. `swizzle`: for each output a channel, 4 (zero)
    or 5 (one). `border`: by channel, within the format's range. `fixed`: comparisons clamp their
    reference (normalised depth)."""

    target: int
    levels: Sequence[Arr]
    swizzle: Sequence[int] = (0, 1, 2, 3)
    border: Sequence[float] = (0.0, 0.0, 0.0, 0.0)
    fixed: bool = False

    @property
    def dims(self) -> int:
        if self.target in (TARGET_1D, TARGET_1D_ARRAY, TARGET_BUFFER):
            return 1
        return 3 if self.target == TARGET_3D else 2

    @property
    def is_bytes(self) -> bool:
        return self.levels[0].dtype == np.uint8

    def size(self, level: int, axis: int) -> int:
        """Texels along s, t or r."""
        return int(self.levels[level].shape[(2, 1, 0)[axis]])

    def scale(self, level: int, axis: int) -> Any:
        """What a coordinate is multiplied by."""
        return F(1 if self.target == TARGET_RECT else self.size(level, axis))


class Coords(NamedTuple):
    """Coordinates of (stamps, 16) lanes, float32; what a lookup does not need may be None."""

    s: Arr
    t: Arr | None = None
    r: Arr | None = None
    layer: Arr | None = None
    compare: Arr | None = None
    lod: Arr | None = None
    ddx: Sequence[Arr] = ()
    ddy: Sequence[Arr] = ()
    moves: Sequence[int] = ()  # texels by which s, t and r are moved within a level


def _larger(x: Any, y: Any) -> Arr:
    """x where it is larger, else y; y where something is NaN."""
    return np.where(x > y, x, y)


def clamped(x: Any, low: Any, high: Any) -> Arr:
    above = _larger(x, low)
    return np.where(above < high, above, high)


# ---- levels of detail ---------------------------------------------------------------------------
LOG2 = [F(c) for c in (1.43872574303469, -0.6777839898208189, 0.3211889491498429,
                       -0.08213070236371411)]  # fmt: skip


def half_log2(x: Arr) -> Arr:
    """Half the binary logarithm by the rule of levels of detail."""
    x = _larger(x, F(1e-30)).astype(F)
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 127).astype(F)
    m = ((bits & 0x7FFFFF) | 0x3F800000).view(F) - F(1)
    p = ((m * LOG2[3] + LOG2[2]) * m + LOG2[1]) * m + LOG2[0]
    return (exponent + p * m) * F(0.5)


_FIRST = np.array([0, 0, 2, 2, 0, 0, 2, 2, 8, 8, 10, 10, 8, 8, 10, 10])


def _derivatives(x: Arr) -> tuple[Arr, Arr]:
    corner = x[:, _FIRST]
    return x[:, _FIRST + 1] - corner, x[:, _FIRST + 4] - corner


def _squares(parts: Sequence[Arr]) -> Arr:
    total = parts[0] * parts[0]
    for part in parts[1:]:
        total = total + part * part
    return total


def _edges(tex: Texture, c: Coords, how: int) -> tuple[Arr, Arr]:
    """The squared lengths of a footprint's edges, in texels of the first level."""
    axes = [c.s, c.t, c.r][: tex.dims]
    if how == LOD_GRADIENTS:
        steps = list(zip(c.ddx, c.ddy))
    else:
        steps = [_derivatives(x) for x in axes if x is not None]
    scaled = [(dx * tex.scale(0, n), dy * tex.scale(0, n)) for n, (dx, dy) in enumerate(steps)]
    return _squares([dx for dx, _ in scaled]), _squares([dy for _, dy in scaled])


def unlimited(tex: Texture, state: SamplerState, c: Coords, how: int) -> Arr:
    """Lambda, biased."""
    if how == LOD_EXPLICIT:
        assert c.lod is not None
        lam = c.lod
    elif tex.target in CUBES:
        lam = half_log2(_cube_rho(tex, c, how))
    else:
        lam = half_log2(_larger(*_edges(tex, c, how)))
    if how in (LOD_IMPLICIT, LOD_BIAS):
        added = c.lod[:, _FIRST] if how == LOD_BIAS and c.lod is not None else F(0)
        lam = lam + added
    return lam + F(state.lod_bias)


def limited(state: SamplerState, lam: Arr) -> Arr:
    """Lambda within its limits, in 24.8 fixed point."""
    return np.rint(clamped(lam, F(state.min_lod), F(state.max_lod)) * F(256)).astype(np.int64)


def lambda_of(tex: Texture, state: SamplerState, c: Coords, how: int) -> Arr:
    """Lambda in 24.8 fixed point, biased and limited."""
    return limited(state, unlimited(tex, state, c, how))


# ---- cubes --------------------------------------------------------------------------------------
def _faces(x: Arr, y: Arr, z: Arr) -> tuple[Arr, Arr, Arr]:
    """Which axis is the major one: booleans for z, y; and the face."""
    ax, ay, az = abs(x), abs(y), abs(z)
    is_z = az >= _larger(ax, ay)
    is_y = ~is_z & ~(ax > ay)
    major = np.where(is_z, z, np.where(is_y, y, x))
    face = np.where(is_z, 4, np.where(is_y, 2, 0)) + (major.view(np.int32) < 0)
    return is_z, is_y, face


def _face_coords(face: Arr, x: Arr, y: Arr, z: Arr) -> tuple[Arr, Arr, Arr]:
    """sc, tc, ma of GL 2.1, table 3.19 (ma with the face's sign taken out)."""
    sc = np.choose(face, [-z, z, x, x, x, -x])
    tc = np.choose(face, [-y, -y, z, -z, -y, -y])
    ma = np.choose(face, [x, -x, y, -y, z, -z])
    return sc, tc, ma


def _cube_rho(tex: Texture, c: Coords, how: int) -> Arr:
    assert c.t is not None and c.r is not None
    corner = [v[:, _FIRST] for v in (c.s, c.t, c.r)]
    if how == LOD_GRADIENTS:
        corner = [c.s, c.t, c.r]
        steps = list(zip(c.ddx, c.ddy))
    else:
        steps = [_derivatives(v) for v in (c.s, c.t, c.r)]
    _, _, face = _faces(*corner)
    sc, tc, ma = _face_coords(face, *corner)
    inverse = F(1) / ma
    factor = inverse * inverse * (tex.scale(0, 0) * F(0.5))
    sums = []
    for n in (0, 1):
        dsc, dtc, dma = _face_coords(face, *(step[n] for step in steps))
        sums.append(_squares([(dsc * ma - sc * dma) * factor, (dtc * ma - tc * dma) * factor]))
    return _larger(*sums)


def _hit(x: Arr, y: Arr, z: Arr) -> tuple[Arr, Arr, Arr]:
    """The face that a direction hits, and where, from -1 to 1."""
    ax, ay, az = abs(x), abs(y), abs(z)
    is_z = (az > ax) & (az > ay)
    is_y = ~is_z & (ay > ax)
    major = np.where(is_z, z, np.where(is_y, y, x))
    face = np.where(is_z, 4, np.where(is_y, 2, 0)) + (major < 0)
    sc, tc, ma = _face_coords(face, x, y, z)
    return face, sc / ma, tc / ma


def _to_faces(tex: Texture, c: Coords) -> tuple[Coords, Arr]:
    """Coordinates within faces, and image numbers."""
    assert c.t is not None and c.r is not None
    _, _, face = _faces(c.s, c.t, c.r)
    sc, tc, ma = _face_coords(face, c.s, c.t, c.r)
    half = F(0.5) / ma
    images = face
    if tex.target == TARGET_CUBE_ARRAY:
        assert c.layer is not None
        last = F(tex.levels[0].shape[0] // 6 - 1)
        images = face + 6 * np.rint(clamped(c.layer, F(0), last)).astype(np.int64)
    return Coords(sc * half + F(0.5), tc * half + F(0.5), None, None, c.compare, c.lod), images


# ---- coordinates of one axis --------------------------------------------------------------------
def _mirrored(s: Arr, wrap: int) -> Arr:
    if wrap == GL_MIRRORED_REPEAT:
        half = s * F(0.5)
        return abs(half - np.floor(half + F(0.5))) * F(2)
    if wrap in (GL_MIRROR_CLAMP, GL_MIRROR_CLAMP_TO_EDGE, GL_MIRROR_CLAMP_TO_BORDER):
        return abs(s)
    return s


def reduced(s: Arr) -> Arr:
    part = s - np.floor(s)
    return np.where(part < 1, part, F(1))


def margin_of(wrap: int, linear: bool) -> int:
    if wrap in (GL_CLAMP_TO_BORDER, GL_MIRROR_CLAMP_TO_BORDER):
        return 128
    return 64 if wrap in (GL_CLAMP, GL_MIRROR_CLAMP) and linear else 0


def linear_axis(s: Arr, size: int, scale: Any, wrap: int) -> tuple[Arr, Arr, Arr]:
    """The two texels (-1 or `size`: outside) and the second one's weight, 0 to 127."""
    if wrap == GL_REPEAT:
        fixed = np.rint(reduced(s) * (scale * F(128))).astype(np.int64) - 64
        return (fixed >> 7) % size, ((fixed >> 7) + 1) % size, fixed & 127
    margin = margin_of(wrap, True)
    low, high = F(64 - margin), F(size * 128 - 64 + margin)
    at = clamped(_mirrored(s, wrap) * (scale * F(128)), low, high)
    fixed = np.rint(at).astype(np.int64) - 64
    first, second = fixed >> 7, (fixed >> 7) + 1
    if margin == 0:
        second = np.minimum(second, size - 1)  # which has no weight there
    return first, second, fixed & 127


def nearest_axis(s: Arr, size: int, scale: Any, wrap: int) -> Arr:
    """The texel (-1 or `size`: outside)."""
    if wrap == GL_REPEAT:
        return np.minimum(np.floor(reduced(s) * scale).astype(np.int64), size - 1)
    out = 1 if margin_of(wrap, False) == 128 else 0
    at = clamped(_mirrored(s, wrap) * scale, F(-out), F(size - 1 + out))
    return np.floor(at).astype(np.int64)


# ---- filters ------------------------------------------------------------------------------------
class Lookup:
    """One lookup's texture and state."""

    def __init__(self, tex: Texture, state: SamplerState, compare: Arr | None) -> None:
        self.tex = tex
        self.state = state
        self.compare = None
        if state.compare_func and compare is not None:
            self.compare = clamped(compare, F(0), F(1)) if tex.fixed else compare
        self.bytes = tex.is_bytes and self.compare is None
        self.moves: Sequence[int] = ()

    def wrap(self, axis: int) -> int:
        if self.state.seamless and self.tex.target in CUBES:
            return GL_CLAMP_TO_EDGE
        return self.state.wrap[axis]

    def fetch(self, level: int, texels: Sequence[Arr], images: Arr | None) -> Arr:
        """Texels (..., channels), the border where they are outside, compared if asked for."""
        data = self.tex.levels[level]
        parts = [*texels]
        if len(parts) == 1:
            parts.append(np.zeros_like(parts[0]))
        if len(parts) == 2:
            parts.append(np.zeros_like(parts[0]) if images is None else images)
        inside = np.ones(parts[0].shape, np.bool_)
        for axis, x in enumerate(parts):
            size = data.shape[(2, 1, 0)[axis]]
            inside &= (x >= 0) & (x < size)
            parts[axis] = np.clip(x, 0, size - 1)
        found = data[parts[2], parts[1], parts[0]]
        border = np.array(self.tex.border[: data.shape[3]], F)
        if data.dtype == np.uint8:
            border = np.rint(clamped(border, F(0), F(1)) * F(255)).astype(np.uint8)
        found = np.where(inside[..., None], found, border)
        return found if self.compare is None else self.compared(found[..., :1])

    def compared(self, depth: Arr) -> Arr:
        """1 where the comparison holds, else 0."""
        assert self.compare is not None
        x, y = self.compare[..., None], depth
        tests = (
            np.zeros_like(x < y), x < y, x == y, x <= y, x > y, x != y, x >= y, np.ones_like(x < y),
        )  # fmt: skip
        return tests[self.state.compare_func - GL_NEVER].astype(F)

    def moved(self, level: int, axes: Sequence[Arr]) -> Sequence[Arr]:
        """The coordinates some texels of this level further."""
        if not self.moves:
            return axes
        return [
            s + F(by) / self.tex.scale(level, n) for n, (s, by) in enumerate(zip(axes, self.moves))
        ]

    def nearest(self, level: int, axes: Sequence[Arr], images: Arr | None) -> Arr:
        """One texel, as floats."""
        tex = self.tex
        axes = self.moved(level, axes)
        texels = [
            nearest_axis(s, tex.size(level, n), tex.scale(level, n), self.wrap(n))
            for n, s in enumerate(axes)
        ]
        found = self.fetch(level, texels, images)
        return found.astype(F) / F(255) if self.bytes else found

    def corners(
        self, level: int, axes: Sequence[Arr], images: Arr | None
    ) -> tuple[list[Arr], list[Arr]]:
        """The 2^n neighbours (x fastest) and the n weights."""
        tex = self.tex
        if tex.target in CUBES and self.state.seamless:
            return self.seamless_corners(level, axes, images)
        axes = self.moved(level, axes)
        pairs = [
            linear_axis(s, tex.size(level, n), tex.scale(level, n), self.wrap(n))
            for n, s in enumerate(axes)
        ]
        found = []
        for corner in range(1 << len(axes)):
            texels = [pairs[n][corner >> n & 1] for n in range(len(axes))]
            found.append(self.fetch(level, texels, images))
        return found, [weight for _, _, weight in pairs]

    def seamless_corners(
        self, level: int, axes: Sequence[Arr], images: Arr | None
    ) -> tuple[list[Arr], list[Arr]]:
        """The four neighbours, those beyond an edge on the next face; where three faces meet the
        mean of the three that there are."""
        assert images is not None
        size = self.tex.size(level, 0)
        pairs = [linear_axis(s, size, self.tex.scale(level, 0), GL_CLAMP) for s in axes]
        found, beyond = [], []
        for corner in range(4):
            x, y = (pairs[n][corner >> n & 1] for n in (0, 1))
            out_x, out_y = (x < 0) | (x >= size), (y < 0) | (y >= size)
            beyond.append((out_x & out_y)[..., None])
            face, sc, tc = images % 6, (2 * x + 1) / size - 1, (2 * y + 1) / size - 1
            one = np.ones_like(sc)
            direction = (
                np.choose(face, [one, -one, sc, sc, sc, -sc]),
                np.choose(face, [-tc, -tc, one, -one, -tc, -tc]),
                np.choose(face, [-sc, sc, tc, -tc, one, -one]),
            )
            there, sc, tc = _hit(*direction)
            to = [np.clip(((c + 1) / 2 * size).astype(np.int64), 0, size - 1) for c in (sc, tc)]
            leaves = out_x | out_y
            texels = [np.where(leaves, a, b) for a, b in zip(to, (x, y))]
            found.append(self.fetch(level, texels, np.where(leaves, images - face + there, images)))
        means: list[Arr] = []
        for corner in range(4):
            others = [found[n] for n in range(4) if n != corner]
            if self.bytes:
                total = np.sum([x.astype(np.int64) for x in others], axis=0)
                means.append(((total + 1) // 3).astype(np.uint8))
            else:
                means.append((others[0] + others[1] + others[2]) * F(1 / 3))
        chosen = [np.where(b, m, x) for b, m, x in zip(beyond, means, found)]
        return chosen, [weight for _, _, weight in pairs]

    def integer_sum(self, level: int, axes: Sequence[Arr], images: Arr | None) -> Arr:
        """Texels under weights of 7 bits an axis (two at least), exact."""
        found, weights = self.corners(level, axes, images)
        total = np.zeros(found[0].shape, np.int64)
        for corner, texels in enumerate(found):
            share = np.ones(weights[0].shape, np.int64)
            for n, weight in enumerate(weights):
                share = share * (weight if corner >> n & 1 else 128 - weight)
            total += texels.astype(np.int64) * share[..., None]
        return total * (128 if len(axes) == 1 else 1)

    def mix(self, x: Arr, y: Arr, weight: Arr) -> Arr:
        return np.where(weight == 0, x, x + (y - x) * weight)

    def linear(self, level: int, axes: Sequence[Arr], images: Arr | None) -> Arr:
        """Neighbours mixed, as floats."""
        if self.bytes:
            bits = 21 if len(axes) == 3 else 14
            return self.integer_sum(level, axes, images).astype(F) * F(1 / (255 << bits))
        found, weights = self.corners(level, axes, images)
        for weight in weights:
            share = (weight.astype(F) * F(1 / 128))[..., None]
            found = [self.mix(x, y, share) for x, y in zip(found[0::2], found[1::2])]
        return found[0]

    def filtered(self, linear: bool, level: int, axes: Sequence[Arr], images: Arr | None) -> Arr:
        return (self.linear if linear else self.nearest)(level, axes, images)

    def two_levels(
        self, linear: bool, level: int, weight: Arr, axes: Sequence[Arr], images: Arr | None
    ) -> Arr:
        """A level and the next, whose weight is 0 to 255."""
        after = min(level + 1, len(self.tex.levels) - 1)
        w = weight[..., None]
        if self.bytes and linear and len(axes) < 3:
            total = self.integer_sum(level, axes, images) * (256 - w)
            total = total + self.integer_sum(after, axes, images) * w
            return total.astype(F) * F(1 / (255 << 22))
        x = self.filtered(linear, level, axes, images)
        y = self.filtered(linear, after, axes, images)
        y = np.where(w == 0, x, y)
        share = w.astype(F)
        return (x * (F(256) - share) + y * share) * F(1 / 256)


def _level(tex: Texture, state: SamplerState, lam: Arr) -> tuple[Arr, bool]:
    """The level that limited lambda selects where minified, with the next one's weight in 8 bits;
    and whether levels are mixed."""
    last = len(tex.levels) - 1
    mips = state.min_filter >= GL_NEAREST_MIPMAP_NEAREST and last > 0
    if not mips or tex.target == TARGET_RECT:
        return np.zeros_like(lam), False
    mip_linear = bool(state.min_filter & 2)
    return np.clip(lam if mip_linear else (lam + 127) & -256, 0, last << 8), mip_linear


def _filtered_lanes(found: Lookup, c: Coords, images: Arr | None, lam: Arr) -> Arr:
    """All lanes under their levels of detail."""
    tex, state = found.tex, found.state
    axes = [x for x in (c.s, c.t, c.r)[: tex.dims] if x is not None]
    min_linear, mag_linear = state.min_filter & 1, state.mag_filter & 1
    magnified = lam <= 0
    level, mip_linear = _level(tex, state, lam)
    if min_linear == mag_linear:
        magnified = np.zeros_like(magnified)
    result = found.filtered(bool(mag_linear), 0, axes, images)
    for n in np.unique(level >> 8):
        if mip_linear:
            here = found.two_levels(bool(min_linear), int(n), level & 255, axes, images)
        else:
            here = found.filtered(bool(min_linear), int(n), axes, images)
        mine = ~magnified & (level >> 8 == n)
        result = np.where(mine[..., None], here, result)
    return result


# ---- anisotropy ---------------------------------------------------------------------------------
def _probes(tex: Texture, state: SamplerState, c: Coords, how: int) -> tuple[Arr, Arr, Arr]:
    """How many cover the longer edge of the footprint but for a sixteenth of the shorter edge;
    lambda that covers a probe's share of the longer edge and the shorter one; and whether the
    longer edge is that to the right."""
    long_x, long_y = _edges(tex, c, how)
    greater, less = _larger(long_x, long_y), np.where(long_x < long_y, long_x, long_y)
    limit = F(min(max(state.max_anisotropy, 1.0), 16.0))
    ratio = np.sqrt(greater) / np.sqrt(_larger(less, F(1e-30)))
    probes = np.ceil(clamped(ratio - F(0.0625), F(1), limit))
    share = F(1) / probes
    return probes, half_log2(_larger(greater * (share * share), less)), long_x > long_y


def _is_anisotropic(tex: Texture, state: SamplerState) -> bool:
    mips = state.min_filter >= GL_NEAREST_MIPMAP_NEAREST and len(tex.levels) > 1
    if tex.target in CUBES or tex.dims != 2 or tex.target == TARGET_RECT:
        return False
    return bool(mips and state.max_anisotropy > 1 and state.min_filter & 1)


def _anisotropic(found: Lookup, c: Coords, images: Arr | None, how: int) -> Arr:
    """Probes along the longer edge of the footprint (EXT_texture_filter_anisotropic)."""
    tex, state = found.tex, found.state
    assert c.t is not None
    probes, lam, to_the_right = _probes(tex, state, c, how)
    if how == LOD_GRADIENTS:
        steps = [(c.ddx[n], c.ddy[n]) for n in range(2)]
    else:
        steps = [_derivatives(x) for x in (c.s, c.t)]
    # a single probe stays where it is, whatever the edges are
    along = [np.where(probes > 1, np.where(to_the_right, dx, dy), F(0)) for dx, dy in steps]
    share = F(1) / probes
    if how == LOD_BIAS and c.lod is not None:
        lam = lam + c.lod[:, _FIRST]
    fixed = lambda_of(tex, state, c._replace(lod=lam), LOD_EXPLICIT)
    total: Any = F(0)
    for n in range(int(probes.max())):
        at = (F(n) + F(0.5)) * share - F(0.5)
        moved = c._replace(s=c.s + along[0] * at, t=c.t + along[1] * at)
        here = _filtered_lanes(found, moved, images, fixed)
        total = total + np.where((probes > n)[..., None], here, F(0))
    return total * share[..., None]


def sample(
    tex: Texture, state: SamplerState, coords: Coords, how: int = LOD_IMPLICIT
) -> Arr:
    """Red, green, blue, alpha of (stamps, 16) lanes: (stamps, 16, 4), float32."""
    with np.errstate(all="ignore"):
        found = Lookup(tex, state, coords.compare)
        found.moves = coords.moves
        anisotropic = _is_anisotropic(tex, state)
        lam = np.zeros(coords.s.shape, np.int64)
        if not anisotropic:
            lam = lambda_of(tex, state, coords, how)
        c, images = within(tex, coords)
        if anisotropic and how != LOD_EXPLICIT:
            channels = _anisotropic(found, c, images, how)
        else:
            if anisotropic:
                lam = lambda_of(tex, state, coords, how)
            channels = _filtered_lanes(found, c, images, lam)
    return shown(tex, channels)


def within(tex: Texture, c: Coords) -> tuple[Coords, Arr | None]:
    """Coordinates within images, and numbers of images."""
    if tex.target in CUBES:
        return _to_faces(tex, c)
    if tex.target not in (TARGET_1D_ARRAY, TARGET_2D_ARRAY):
        return c, None
    layer = c.t if tex.target == TARGET_1D_ARRAY else c.r
    last = F(tex.levels[0].shape[0] - 1)
    return c, np.rint(clamped(layer, F(0), last)).astype(np.int64)


def query_lod(tex: Texture, state: SamplerState, c: Coords) -> Arr:
    """The level that a lookup uses, lambda before its limits, 0, 0: (stamps, 16, 4), float32."""
    with np.errstate(all="ignore"):
        if _is_anisotropic(tex, state):
            lam = unlimited(tex, state, c._replace(lod=_probes(tex, state, c, LOD_IMPLICIT)[1]),
                            LOD_EXPLICIT)  # fmt: skip
        else:
            lam = unlimited(tex, state, c, LOD_IMPLICIT)
        level = _level(tex, state, limited(state, lam))[0].astype(F) * F(1 / 256)
    return np.stack([level, lam.astype(F), np.zeros_like(level), np.zeros_like(level)], -1)


def shown(tex: Texture, channels: Arr) -> Arr:
    shape = channels.shape[:2]
    constants = {4: np.zeros(shape, F), 5: np.ones(shape, F)}
    outputs = [
        constants[n] if n in constants else channels[..., n].astype(F) for n in tex.swizzle
    ]
    return np.stack(outputs, -1)


def fetch(tex: Texture, places: Sequence[Arr], levels: Arr) -> Arr:
    """The texels at whole numbers (stamps, 16), the layer last; 0 beyond the image or its levels.
    Of textures with several samples levels are samples.
    (stamps, 16, 4), float32.
    """
    flat = min(tex.dims, 2)
    channels = np.zeros((*levels.shape, tex.levels[0].shape[3]), F)
    for n, data in enumerate(tex.levels):
        images = np.zeros_like(places[0])
        if tex.dims == 3 or tex.target in (TARGET_1D_ARRAY, TARGET_2D_ARRAY, TARGET_2D_MS_ARRAY):
            images = places[flat]
        parts = [images, *places[:flat][::-1]]
        parts[1:1] = [np.zeros_like(places[0])] * (2 - flat)
        inside = levels == n
        for x, size in zip(parts, data.shape):
            inside = inside & (x >= 0) & (x < size)
        image, y, x = (np.where(inside, part, 0) for part in parts)
        found = data[image, y, x]
        found = found.astype(F) / F(255) if data.dtype == np.uint8 else found
        channels = np.where(inside[..., None], found, channels)
    return shown(tex, channels)
