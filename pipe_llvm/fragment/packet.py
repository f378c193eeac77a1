# SPDX-License-Identifier: MIT
"""The triangle packet: 16 triangles side by side, as setup writes and fragment kernels read them.

A packet is a 64-byte header and then one 64-byte vector a field (edge constants take two).
Fragment kernels take one lane of each field with a broadcast load. `PacketLayout` is made from
the fragment shader's inputs; both sides are generated from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pipe_llvm.native import LANES, LpFragState, VertexLayout
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
    clipped = u32  # the scissor cuts the bounding box
    smooth = u32  # an antialiased polygon's (PacketLayout.smooth)


class Input(NamedTuple):
    """A fragment input component: where it is in a vertex row, and how it varies."""

    slot: int
    component: int
    row: int  # float offset in the vertex row
    back_row: int  # the same for back faces (two-sided lighting), or -1
    interp: str  # flat, linear, perspective
    field: (
        int  # first field number in the packet: flat has one (value), others three (a0, dadx, dady)
    )


class PacketLayout(NamedTuple):
    """Field numbers (in units of one 64-byte vector after the header)."""

    inputs: tuple[Input, ...]
    perspective: bool  # some input is perspective, or 1/w is read: its plane is there
    depth: bool
    fields: int
    samples: int = 0  # positions at which edges are evaluated; 0: the pixel's centre alone
    # points alone: depth and all inputs but sprites' coordinates are one value, without planes
    constant: bool = False
    smooth: bool = False  # polygons are antialiased: corners and polygon numbers are there
    image: int = 0  # rectangles: the image's address (two fields), then its stride; 0: none
    # points: None: whole pixels; else squares of their size, and sprite_slots
    sprites: int | None = None
    # where such squares are made and their fragments' places are read: the size by which these are
    # divided (see is_part); 0: none
    sprite_size: int = 0

    @property
    def bytes(self) -> int:
        return PacketHeader.size + 64 * self.fields


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
# fixed fields of rectangles
RECT_BOX, RECT_DEPTH, RECT_FIRST = 0, 4, 5


def is_sprite(sprites: int | None, slot: int) -> bool:
    """Whether a fragment of a point gets its place in the point as this input."""
    return bool((sprites or 0) << VARYING_SLOT_TEX0 >> slot & 1)


def is_part(layout: PacketLayout, slot: int, component: int) -> bool:
    """Whether an input's planes count pixels of a sprite from its edge, so that fragments divide by
    its size: a product with 1 / size would miss the borders of texels that lie at a pixel's centre.
    Of triangles in such packets the size is 1."""
    return bool(layout.sprite_size) and component < 2 and is_sprite(layout.sprites, slot)


def sprite_slots(inputs: tuple[ShaderInput, ...], rast: Rasterizer) -> int:
    """Rasterizer.sprite_coords, with a bit of its own for gl_PointCoord where that is read."""
    read = any(item.slot == VARYING_SLOT_PNTC for item in inputs)
    return rast.sprite_coords | (read << VARYING_SLOT_PNTC - VARYING_SLOT_TEX0)


def make_packet_layout(
    inputs: tuple[ShaderInput, ...],
    rows: VertexLayout,
    rast: Rasterizer,
    samples: int = 0,
    constant: bool = False,
    smooth: bool = False,
    position: bool = False,
    boxes: bool = False,
) -> PacketLayout:
    """The packet of a fragment shader with these inputs, fed by these vertex rows; `samples`: where
    edges are evaluated (PacketLayout.samples), `constant`, `smooth`: of points, of smooth
    polygons (see PacketLayout); `position`: the shader reads the fragment's 1/w; `boxes`: squares
    of points are made.
    """
    out: list[Input] = []
    sprites = sprite_slots(inputs, rast) if rast.point_sprite else None
    at = SAMPLE_EDGES + (_SMOOTH_FIELDS if smooth else 3 * samples)
    back = (
        {VARYING_SLOT_COL0: VARYING_SLOT_BFC0, VARYING_SLOT_COL1: VARYING_SLOT_BFC1}
        if rast.twoside
        else {}
    )
    for item in inputs:
        row = rows.offset_of(item.slot)
        if row < 0:
            continue
        interp = item.interp
        if interp == "color":
            interp = "flat" if rast.flatshade else "smooth"
        if constant:
            interp = "noperspective" if is_sprite(sprites, item.slot) else "flat"
        kind = {"flat": "flat", "noperspective": "linear", "smooth": "perspective"}[interp]
        back_row = rows.offset_of(back[item.slot]) if item.slot in back else -1
        for c in range(item.components):
            out.append(
                Input(item.slot, c, row + c, back_row + c if back_row >= 0 else -1, kind, at)
            )
            at += 1 if kind == "flat" else 3
    perspective = position or any(i.interp == "perspective" for i in out)
    divided = boxes and any(is_sprite(sprites, i.slot) for i in out)
    return PacketLayout(
        tuple(out), perspective, True, at + divided, samples, constant, smooth, sprites=sprites,
        sprite_size=at if divided else 0,
    )  # fmt: skip


def without_rows(layout: PacketLayout) -> PacketLayout:
    """What fragment kernels know of a packet: where its fields are, not where setup has them from.
    So two-sided lighting, clip planes or sprites, which move the floats of a vertex,
    leave fragment kernels as they are."""
    inputs = tuple(item._replace(row=-1, back_row=-1) for item in layout.inputs)
    divides = layout.sprites if layout.sprite_size else None  # they divide coordinates by the size
    return layout._replace(inputs=inputs, sprites=divides)


def make_rect_layout(inputs: tuple[ShaderInput, ...], rect: int) -> PacketLayout:
    """The packet of rectangles: no edges and no planes, but each value once; `row` of an input is
    the number of its float in RectInfo.values."""
    out: list[Input] = []
    at = RECT_FIRST
    for item in inputs:
        for c in range(item.components):
            out.append(Input(item.slot, c, 4 * item.slot + c, -1, "flat", at))
            at += 1
    fields = at + 3 if rect else at
    return PacketLayout(tuple(out), False, True, fields, image=at if rect else 0)


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
