# SPDX-License-Identifier: MIT
"""Samplers and sampler views: what the state tracker says of a texture, and `TextureView`, the
descriptor that a sampler function reads (Mesa's pipe_sampler_state, pipe_sampler_view and
lp_jit_texture).

A state tracker fills in a `ViewParams` (which part of which resource, read in which format) and a
`SamplerParams` (how), and calls the kernel `pipe_texture_view` of sampler_kernels.py, which makes a
`TextureView` of both. Nearly all of it is data: base, level table, sizes, bias, clamps, border
colour, swizzle. What selects code is a `SamplerKey`, packed into 32 bits, and the driver's
`SamplerTable` has the function for each; only a key that is not in there enters Python. So a
sampler's state is no part of a pipeline's key.

GL enums are used throughout, so nothing is translated twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit.types import Struct, f32, fn, hook, i32, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS, SAMPLER, Format
from pydri.pipe.resource import MAX_LEVELS, Resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GL_REPEAT, GL_CLAMP, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_BORDER = 0x2901, 0x2900, 0x812F, 0x812D
GL_MIRRORED_REPEAT, GL_MIRROR_CLAMP, GL_MIRROR_CLAMP_TO_EDGE = 0x8370, 0x8742, 0x8743
GL_MIRROR_CLAMP_TO_BORDER = 0x8912
GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR = (
    0x2600,
    0x2601,
    0x2700,
    0x2703,
)
GL_NEVER, GL_LEQUAL = 0x0200, 0x0203

#: Coordinates are 25.7 fixed point in texels: of levels that are up to 1 << 17 wide every limit of
#: a coordinate is a float. Levels of detail are 24.8 fixed point.
SUBTEXEL_BITS = 7
SAMPLE_STAMPS = 16  # stamps of 16 lanes that one call of a sampler may have

#: What a sampler function reads beside coordinates (its last argument): nothing, so that the level
#: of detail follows from the quads' derivatives; these, and a bias in `lod`; the level of detail in
#: `lod`; derivatives in `ddx` and `ddy`.
LOD_IMPLICIT, LOD_BIAS, LOD_EXPLICIT, LOD_GRADIENTS = range(4)

#: What a function of a view does: filters, gives texels by their places (`s`, `t`, `r` and `lod`
#: are whole numbers then; of textures with several samples `lod` is the sample), or filters beside
#: the place, by MOVE_BITS for each coordinate in its last argument, from MOVE_SHIFT on (texels,
#: signed); gives one component, whose number stands in the last argument from GATHER_SHIFT on, of
#: the four texels that a linear filter of the first level would mix (at left below, right below,
#: right above, left above), or beside them; tells the level of detail: as it is used, and before
#: limits.
WAY_FILTER, WAY_FETCH, WAY_MOVED, WAY_GATHER, WAY_LOD = range(5)
MOVE_SHIFT, MOVE_BITS = 12, 6
GATHER_SHIFT = 30
#: From here on in that argument: of which of the four outputs the swizzle's constants and copies
#: may be left out, since nobody reads them.
UNREAD_SHIFT = 8


def moves(steps: Iterable[int]) -> int:
    """An offset in texels (words) as a sampler function's last argument has it."""
    mask = (1 << MOVE_BITS) - 1
    return sum((step & mask) << MOVE_SHIFT + MOVE_BITS * n for n, step in enumerate(steps))


#: Components of a swizzle: 0 to 3 red to alpha.
SWIZZLE_ZERO, SWIZZLE_ONE = 4, 5
IDENTITY_SWIZZLE = (0, 1, 2, 3)

MIP_NONE, MIP_NEAREST, MIP_LINEAR = range(3)
MIRROR_NONE, MIRROR_REPEAT, MIRROR_ONCE = range(3)


class TexelClass(NamedTuple):
    """How the texels of a format are read: formats that differ in their swizzle alone, which is
    data, have the same."""

    channels: tuple[tuple[str, int], ...]
    encoded: int = 0  # how many of them are sRGB: all but alpha

    @property
    def srgb(self) -> bool:
        """Whether some are."""
        return self.encoded > 0

    @property
    def bits(self) -> int:
        return sum(bits for _, bits in self.channels)

    @property
    def filtered_as_integers(self) -> bool:
        """Whether the integer rule applies: unsigned normalised numbers of 8 bits."""
        return self._bytes and not self.srgb

    @property
    def encoded_bytes(self) -> bool:
        """Whether they are such numbers, some of them sRGB."""
        return self._bytes and self.srgb

    @property
    def _bytes(self) -> bool:
        plain = all(channel in (("un", 8), ("x", 8)) for channel in self.channels)
        return plain and self.bits in (8, 16, 32)

    @property
    def pure_integer(self) -> bool:
        """Whether a shader gets integers."""
        return all(kind in ("ui", "si", "us", "x") for kind, _ in self.channels)


def _texel_class(fmt: Format) -> TexelClass | None:
    """The class of a format's texels; None if no sampler can read them."""
    if not fmt.uses & SAMPLER or fmt.codec or fmt.bits not in (8, 16, 32, 64, 128):
        return None
    channels = fmt.channels
    if fmt.kind == "zs" and len(channels) > 1:  # of depth and stencil samplers see depth
        channels = tuple(("x", bits) if kind == "us" else (kind, bits) for kind, bits in channels)
    colors = {place for place in fmt.swizzle[:3] if place.isdigit()}
    return TexelClass(channels, len(colors) if fmt.srgb else 0)


def _stencil_class(fmt: Format) -> TexelClass | None:
    """The class of the stencil values of a format that has depths, too."""
    if fmt.kind != "zs" or ("us", 8) not in fmt.channels[1:]:
        return None
    return TexelClass(tuple(("us" if kind == "us" else "x", n) for kind, n in fmt.channels))


def _numbered() -> tuple[list[TexelClass], list[int]]:
    classes = {TexelClass(()): 0}
    of_format = [
        0 if found is None else classes.setdefault(found, len(classes))
        for found in (*map(_texel_class, FORMATS), *map(_stencil_class, FORMATS))
    ]
    return list(classes), of_format


#: What ViewParams.format adds where stencil values are sampled, and not the depths beside them.
STENCIL_VIEW = len(FORMATS)
#: By number; 0 is that of no texture, which gives 0, 0, 0, 1. `TEXEL_OF_FORMAT`: by
#: ViewParams.format.
TEXEL_CLASSES, TEXEL_OF_FORMAT = _numbered()


class SamplerKey(NamedTuple):
    """What of a view and a sampler selects code. Fields that have no effect are 0."""

    texel: int = 0  # place in TEXEL_CLASSES
    target: int = 0  # TARGET_*
    clamp: int = 0  # bit n: coordinate n is clamped, else it repeats
    border: bool = False  # texels outside may be asked for
    min_linear: bool = False
    mag_linear: bool = False
    mip: int = MIP_NONE
    compare: int = 0  # 0: none; 1 + function - GL_NEVER
    anisotropic: bool = False
    seamless: bool = False  # of cubes: filters reach into the neighbouring faces
    way: int = WAY_FILTER

    def pack(self) -> int:
        """The key as 32 bits, which is what kernels compare."""
        return sum(int(part) << at for part, (at, _) in zip(self, KEY_FIELDS))


#: (lowest bit, bits) of each field of a packed key, in order.
KEY_FIELDS = (
    (0, 9), (9, 4), (13, 3), (16, 1), (17, 1), (18, 1), (19, 2), (21, 4), (25, 1), (26, 1), (27, 3)
)  # fmt: skip
_FLAGS = frozenset({3, 4, 5, 8, 9})


def _bits(*numbers: int) -> int:
    """The bits of some fields of a packed key."""
    return sum((1 << KEY_FIELDS[n][1]) - 1 << KEY_FIELDS[n][0] for n in numbers)


class WayKey(NamedTuple):
    """How a view's packed key becomes that of a further function of it."""

    kept: int  # the bits that count
    added: int
    none: int  # the key where there is no texture


def _way_key(way: int, *fields: int, texel: int = 0) -> WayKey:
    number = way << KEY_FIELDS[10][0]
    return WayKey(_bits(*fields), number | texel, number if way >= WAY_GATHER else 0)


#: By WAY_*. A level of detail has nothing to do with texels: those of any texture are as good.
WAY_KEYS = {
    WAY_FETCH: _way_key(WAY_FETCH, 0, 1),
    WAY_MOVED: _way_key(WAY_MOVED, *range(10)),
    WAY_GATHER: _way_key(WAY_GATHER, 0, 1, 2, 3, 9),
    WAY_LOD: _way_key(WAY_LOD, 1, 6, 8, texel=1),
}


def unpack_key(packed: int) -> SamplerKey:
    """The key that `pack` made the number of."""
    parts: list[Any] = [packed >> at & (1 << bits) - 1 for at, bits in KEY_FIELDS]
    return SamplerKey(*(bool(part) if n in _FLAGS else part for n, part in enumerate(parts)))


class SamplerParams(Struct, align=64):
    """How a texture is sampled: GL's sampler state (enums are GL's)."""

    wrap = u32[3]  # s, t, r
    min_filter = u32
    mag_filter = u32
    compare_func = u32  # 0: no comparison
    seamless = u32
    max_anisotropy = f32
    lod_bias = f32  # of the sampler and of the texture unit together
    min_lod = f32
    max_lod = f32
    border = f32[4]  # of integer formats the integers' bits


class ViewParams(Struct, align=64):
    """Which part of a resource is sampled, and as what."""

    resource = ptr(Resource)  # null: no texture; samples are 0, 0, 0, 1
    format = u32  # PipeFormat number, of as many bits as the resource's; see STENCIL_VIEW
    target = u32  # TARGET_*: what the view is, which may be a part of what the resource is
    first_level = u32
    last_level = u32
    first_layer = u32
    last_layer = u32
    swizzle = u32[4]


class SamplerState(NamedTuple):
    """SamplerParams for Python, with GL's initial values."""

    wrap: tuple[int, int, int] = (GL_REPEAT, GL_REPEAT, GL_REPEAT)
    min_filter: int = GL_NEAREST
    mag_filter: int = GL_NEAREST
    compare_func: int = 0
    seamless: bool = False
    max_anisotropy: float = 1.0
    lod_bias: float = 0.0
    min_lod: float = -1000.0
    max_lod: float = 1000.0
    border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)

    def store(self, address: int) -> None:
        """Write it to the SamplerParams at an address."""
        store(SamplerParams.view(address), self)


class SamplerView(NamedTuple):
    """ViewParams for Python; `resource` is an address."""

    resource: int
    format: int
    target: int
    first_level: int = 0
    last_level: int = 0
    first_layer: int = 0
    last_layer: int = 0
    swizzle: tuple[int, ...] = IDENTITY_SWIZZLE

    def store(self, address: int) -> None:
        """Write it to the ViewParams at an address."""
        store(ViewParams.view(address), self)


def store(native: Any, values: SamplerState | SamplerView) -> None:
    """Write the fields of a value to the struct of the same fields."""
    for name, value in zip(values._fields, values):
        if isinstance(value, tuple):
            numbers: Sequence[float] = value
            getattr(native, name)[:] = numbers
        else:
            setattr(native, name, value)


class ViewLevel(Struct):
    """One level of a TextureView. Strides are counted in texels."""

    offset = u64  # bytes from TextureView.data to texel (0, 0) of the view's first layer
    stride = u32  # from one row to the next
    image_stride = u32  # from one image to the next
    width = i32
    height = i32
    depth = i32  # images: slices, layers or faces
    # what s, t and r are multiplied by to give texels: the sizes, or 1 (rectangles)
    scale = f32[3]


class SampleCoords(Struct, align=64):
    """The coordinates of up to SAMPLE_STAMPS stamps of 16 lanes, stamp by stamp. A lane pattern of
    4x4 pixels row by row makes the quads. A sampler may overwrite all of it. Of a cube s, t, r is
    the direction; the layer of an array comes in the coordinate after the last (t of 1D, r of 2D),
    that of a cube array in `layer`."""

    s = f32[256]
    t = f32[256]
    r = f32[256]
    layer = f32[256]
    compare = f32[256]  # reference value
    lod = f32[256]  # see LOD_*
    ddx = f32[3 * 256]  # derivatives of s, then of t, then of r
    ddy = f32[3 * 256]


class TextureView(Struct, align=64):
    """All that a sampler function reads but coordinates. Made by `pipe_texture_view`; whoever
    records a draw refreshes `data` in its copy."""

    # sample(view, stamps, coords, out, LOD_*): out gets red, green, blue, alpha, a vector of 16
    # floats each, for one stamp after the other
    sample = fn(void, ptr("TextureView"), u32, ptr(SampleCoords), ptr(f32), u32)
    # the same in the other ways (WAY_*); null until a draw asked for them (pipe_view_ways)
    fetch = fn(void, ptr("TextureView"), u32, ptr(SampleCoords), ptr(f32), u32)
    moved = fn(void, ptr("TextureView"), u32, ptr(SampleCoords), ptr(f32), u32)
    gather = fn(void, ptr("TextureView"), u32, ptr(SampleCoords), ptr(f32), u32)
    lods = fn(void, ptr("TextureView"), u32, ptr(SampleCoords), ptr(f32), u32)
    table = ptr("SamplerTable")
    data = ptr(u8)
    resource = ptr(Resource)
    key = u32  # packed SamplerKey
    serial = u32  # counts how often this view was made, so that copies are known to be old
    samples = u32  # of a texel, in 4x4 stamps; 1: rows
    max_level = u32  # levels but the first
    base_level = u32  # number of the view's first level in GL's counting
    lod_bias = f32
    min_lod = f32
    max_lod = f32
    max_anisotropy = f32
    # How far, in 1/128 texels, a clamped coordinate may leave the middles of the outermost texels:
    # 0 (clamp to edge), 64 (GL_CLAMP), 128 (clamp to border)
    margin = f32[3]
    mirror = u32[3]  # MIRROR_*
    # Swizzle. Channel n of the texels goes to output `place[n]` (an index of floats, 0, 16, 32 or
    # 48). Outputs of the bits of `fixes` get something else afterwards: output `source[n]` (index
    # of floats), or if that is 64 or more a constant: 64 is 0, 65 is `one`.
    place = u32[4]
    source = u32[4]
    fixes = u32
    one = u32  # the bits of 1.0, or of integer textures 1
    border = f32[4]  # by channel of the texels, clamped to what the format can hold
    border_bytes = u32[4]  # the same as unorm8, in each byte
    level = ViewLevel[MAX_LEVELS + 1]  # the last row is repeated


#: more than a process can compile functions for: a table that is full asks the hook for each view
SAMPLER_BITS = 14
SAMPLER_SLOTS = 1 << SAMPLER_BITS


class SamplerTable(Struct, align=64):
    """A driver's sampler functions by packed key: open addressing, from SAMPLER_HASH of the key on.
    `hook(table, key)` gives the function of a key that is not there, and enters it while there is
    room. Entries are written function first, and never change."""

    hook = hook(u64, ptr("SamplerTable"), u32)
    count = u32
    keys = u32[SAMPLER_SLOTS]  # packed key + 1; 0: free
    functions = u64[SAMPLER_SLOTS]


SAMPLER_HASH = 0x9E3779B1


def sampler_slot(key: int) -> int:
    """Where the search for a key begins."""
    return (key * SAMPLER_HASH & 0xFFFFFFFF) >> (32 - SAMPLER_BITS)


def is_sampleable(format: int) -> bool:
    """Whether samplers can read a format."""
    return TEXEL_OF_FORMAT[format] != 0
