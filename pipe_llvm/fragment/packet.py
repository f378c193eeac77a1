# SPDX-License-Identifier: MIT
"""The triangle packet: 16 triangles side by side, as setup writes and fragment kernels read them.

A packet is a 64-byte header and then one 64-byte vector a field (edge constants take two).
Fragment kernels take one lane of each field with a broadcast load. `PacketLayout` is made from
the fragment shader's inputs; both sides are generated from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pipe_llvm.native import LANES, LpFragState
from pydri.jit.types import Scalar, Struct, Type, f32, i32, i64, ptr, u32
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_PNTC,
    VARYING_SLOT_TEX0,
)
from pydri.pipe.state import Rasterizer, ShaderInput

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

#: loader(field number, type of 32 or 64 bits): a field of one lane of a packet
LaneLoader: TypeAlias = "Callable[[int, Scalar], Value]"


class PacketHeader(Struct, align=64):
    """What the 16 triangles share, and one bit a triangle where a bit is enough."""

    state = ptr(LpFragState)
    linear = u32  # 1/w is the same at all corners: attributes are planes in the window
    front = u32  # front-facing
    clipped = u32  # the scissor keeps out pixels of the bounding box (free_scissor)
    smooth = u32  # an antialiased polygon's (PacketLayout.smooth)


class Input(NamedTuple):
    """A component of a fragment shader's input: how it varies, and where it is in the packet."""

    slot: int
    component: int
    interp: str  # flat, linear, perspective
    field: int  # its first field: flat has one (the value), others three (a0, dadx, dady)
    # its planes count pixels of a sprite from its edge, so that fragments divide by its size: a
    # product with 1 / size would miss the borders of texels that lie at a pixel's centre. Of
    # triangles in such packets the size is 1.
    divided: bool = False


class Source(NamedTuple):
    """Where setup has a component of an input from."""

    row: int  # float of a vertex row; of rectangles: of RectInfo.values
    back: int = -1  # the same of back faces (two-sided lighting), or -1
    sprite: bool = False  # a fragment of a point gets its place in the point instead


class PacketLayout(NamedTuple):
    """Field numbers (in units of one 64-byte vector after the header)."""

    inputs: tuple[Input, ...]
    perspective: bool  # some input is perspective, or 1/w is read: its plane is there
    fields: int
    samples: int = 0  # positions at which edges are evaluated; 0: the pixel's centre alone
    # points alone: depth and all inputs but sprites' coordinates are one value, without planes
    constant: bool = False
    smooth: bool = False  # polygons are antialiased: corners and polygon numbers are there
    image: int = 0  # rectangles: the image's address (two fields), then its stride; 0: none
    # where squares of points are made and their fragments' places are read: the size by which these
    # are divided; 0: none
    sprite_size: int = 0

# fixed fields
EDGE_A, EDGE_B, EDGE_C = 0, 3, 6  # three i32 fields each; C is three i64 fields, two vectors each
BBOX = 12  # minx, miny, maxx, maxy in pixels, inclusive
DEPTH = 16  # z0, dzdx, dzdy
RECIP_W = 19  # the 1/w plane
ANCHOR = 22  # the pixel from which planes count: x | y << 16
# With PacketLayout.samples, 3 edges of as many i32. EDGE_C is then the greatest of an edge's values
# at all samples, and these say how far each sample's value lies below it. Inputs follow.
SAMPLE_EDGES = 23
# with PacketLayout.smooth, which has no samples: x and y of each corner in 1/256 pixels, and what
# triangles of one polygon share (VertexStream.polygons)
CORNERS, POLYGON, _SMOOTH_FIELDS = 23, 29, 7
# of squares (setup/point.py), which have no edges: an entry of LpStamps
BOX_STAMP = 0
# of small triangles (setup/small.py), in place of their edges: the entries of two by two stamps
STAMP_ENTRIES = range(4)
# fixed fields of rectangles
RECT_BOX, RECT_DEPTH, RECT_FIRST = 0, 4, 5
#: colours of back faces, by those that fragments read
_BACK = {VARYING_SLOT_COL0: VARYING_SLOT_BFC0, VARYING_SLOT_COL1: VARYING_SLOT_BFC1}


def packet_bytes(fields: int) -> int:
    """Bytes of a packet with so many fields."""
    return PacketHeader.size + 64 * fields


class PacketShape(NamedTuple):
    """What decides a packet beside the inputs of the fragment shader."""

    samples: int = 0  # see PacketLayout, as constant and smooth
    constant: bool = False
    smooth: bool = False
    position: bool = False  # the shader reads the fragment's 1/w
    boxes: bool = False  # squares of points are made


def _is_sprite(rast: Rasterizer, slot: int) -> bool:
    """Whether a fragment of a point gets its place in the point as this input."""
    if slot == VARYING_SLOT_PNTC:
        return rast.point_sprite
    return rast.point_sprite and bool(rast.sprite_coords << VARYING_SLOT_TEX0 >> slot & 1)


def make_packet_layout(
    inputs: tuple[ShaderInput, ...],
    places: dict[int, int],
    rast: Rasterizer,
    shape: PacketShape,
) -> tuple[PacketLayout, tuple[Source, ...]]:
    """The packet of a fragment shader with these inputs, and where setup has them from: `places`
    are the floats of vertex rows by slot."""
    out: list[Input] = []
    sources: list[Source] = []
    at = SAMPLE_EDGES + (_SMOOTH_FIELDS if shape.smooth else 3 * shape.samples)
    for item in inputs:
        row = places.get(item.slot)
        if row is None:
            continue
        sprite = _is_sprite(rast, item.slot)
        interp = item.interp
        if interp == "color":
            interp = "flat" if rast.flatshade else "smooth"
        if shape.constant:
            interp = "noperspective" if sprite else "flat"
        kind = {"flat": "flat", "noperspective": "linear", "smooth": "perspective"}[interp]
        back = places.get(_BACK[item.slot], -1) if rast.twoside and item.slot in _BACK else -1
        for c in range(item.components):
            out.append(Input(item.slot, c, kind, at, sprite and shape.boxes and c < 2))
            sources.append(Source(row + c, back + c if back >= 0 else -1, sprite))
            at += 1 if kind == "flat" else 3
    perspective = shape.position or any(i.interp == "perspective" for i in out)
    divided = shape.boxes and any(source.sprite for source in sources)
    layout = PacketLayout(
        tuple(out), perspective, at + divided, shape.samples, shape.constant, shape.smooth,
        sprite_size=at if divided else 0,
    )  # fmt: skip
    return layout, tuple(sources)


def make_rect_layout(
    inputs: tuple[ShaderInput, ...], rect: int
) -> tuple[PacketLayout, tuple[Source, ...]]:
    """The packet of rectangles: no edges and no planes, but each value once."""
    out: list[Input] = []
    sources: list[Source] = []
    for item in inputs:
        for c in range(item.components):
            out.append(Input(item.slot, c, "flat", RECT_FIRST + len(out)))
            sources.append(Source(4 * item.slot + c))
    at = RECT_FIRST + len(out)
    fields = at + 3 if rect else at
    return PacketLayout(tuple(out), False, fields, image=at if rect else 0), tuple(sources)


def field_pointer(b: Builder, packet: Pointer, number: int, ty: Type) -> Pointer:
    """Pointer to lane 0 of a field."""
    return b.bytes_from(packet, PacketHeader.size + 64 * number, ty)


def store_field(b: Builder, packet: Pointer, number: int, value: Value) -> None:
    """Store a whole field (16 lanes of 32 or 64 bits)."""
    field_pointer(b, packet, number, value.elem).store(value, align=64)


def lane_loader(b: Builder, packet: Pointer, lane: Value) -> LaneLoader:
    """The loader of one lane of a packet."""
    base = {32: b.bytes_from(packet, lane * 4, i32), 64: b.bytes_from(packet, lane * 8, i32)}

    def load(number: int, ty: Scalar) -> Value:
        place = b.bytes_from(base[ty.bits], PacketHeader.size + 64 * number, ty)
        return place.load(ty, invariant=True)

    return load


f32x16 = f32.vec(LANES)
i32x16 = i32.vec(LANES)
i64x16 = i64.vec(LANES)
u32x16 = u32.vec(LANES)
