# SPDX-License-Identifier: MIT
"""Native memory of the vbo room: the store of a list being compiled, and the nodes of finished
lists. No kernels: start-up imports this.

In: kernels (save.py, compile.py) write the store and the nodes. Out: playback kernels (playback.py)
read the nodes. A list is ONE block of memory (`DisplayList.nodes`): nodes, each a `ListNode` header
and all that belongs to it; `size` leads to the next one. While a list is compiled, the block
may move: what points into a node is an offset from the node then, and becomes an address when the
list is finished (compile.list_finish). Nodes carry a kind, not a function address: playback is a
switch with direct calls, and a list is valid whichever image the kernels were loaded from. Answers
to the node union and opcode table of Mesa's main/dlist.c and vbo/vbo_save.h.
"""

from __future__ import annotations

import ctypes

from pydri.jit.types import Struct, f32, f64, ptr, u8, u32, u64
from pydri.main import memory
from pydri.main.layout import GLContext, VboBlock
from pydri.nir.enums import (
    MAT_ATTRIB_BACK_SHININESS,
    MAT_ATTRIB_FRONT_SHININESS,
    MAT_ATTRIB_MAX,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_COLOR_INDEX,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_MAT0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POS,
)
from pydri.pipe.format import number
from pydri.pipe.native import MAX_ATTRIBS

(
    POINTS,
    LINES,
    LINE_LOOP,
    LINE_STRIP,
    TRIANGLES,
    TRIANGLE_STRIP,
    TRIANGLE_FAN,
    QUADS,
    QUAD_STRIP,
    POLYGON,
    LINES_ADJACENCY,
    LINE_STRIP_ADJACENCY,
    TRIANGLES_ADJACENCY,
    TRIANGLE_STRIP_ADJACENCY,
) = range(14)
MIN_VERTICES = [1, 2, 2, 2, 3, 3, 3, 4, 4, 3, 4, 4, 6, 6]
MERGEABLE = sum(1 << mode for mode in (
    POINTS, LINES, TRIANGLES, QUADS, LINES_ADJACENCY, TRIANGLES_ADJACENCY))
SLOT_BYTES = 16
SLACK = 4  # vertices that fit behind `capacity`: the closing vertex of a line loop
R32F, RGB32F, RGBA32F = (number(f"{c}_FLOAT") for c in ("R32", "R32G32B32", "R32G32B32A32"))

_MATERIAL_FIELDS = ("ambient", "diffuse", "specular", "emission", "shininess", "indexes")


def source_offset(slot: int) -> int:
    """Where in the context the current value of an attribute slot lies."""
    if slot < VERT_ATTRIB_MAT0:
        return GLContext.offset(f"val.current[{slot}]")
    n = slot - VERT_ATTRIB_MAT0
    return GLContext.offset(f"val.materials[{n & 1}].{_MATERIAL_FIELDS[n >> 1]}")


SOURCE_OFFSETS = [source_offset(slot) for slot in range(VERT_ATTRIB_MAT0 + MAT_ATTRIB_MAX)]


def _formats() -> list[int]:
    """How a slot is fetched: components that nobody can have set are not fetched."""
    out = [RGBA32F] * len(SOURCE_OFFSETS)
    for slot in (VERT_ATTRIB_POS, VERT_ATTRIB_NORMAL, VERT_ATTRIB_COLOR1):
        out[slot] = RGB32F
    out[VERT_ATTRIB_GENERIC0] = out[VERT_ATTRIB_POS]
    for slot in (
        VERT_ATTRIB_FOG,
        VERT_ATTRIB_COLOR_INDEX,
        VERT_ATTRIB_EDGEFLAG,
        VERT_ATTRIB_MAT0 + MAT_ATTRIB_FRONT_SHININESS,
        VERT_ATTRIB_MAT0 + MAT_ATTRIB_BACK_SHININESS,
    ):
        out[slot] = R32F
    return out


#: By slot; the position's becomes RGBA32F with the first vertex that gives w.
SLOT_FORMATS = _formats()

OUTSIDE = 0xFF  # VboSave.begin_mode: vertices without a glBegin in this list

# kinds of nodes; those from NODE_CALL_POINTER on have an argument that points into the node
(
    NODE_END,
    NODE_DRAW,
    NODE_ATTRS,
    NODE_ERROR,
    NODE_CALL_INTS,  # arguments in integer registers alone
    NODE_CALL,
    NODE_CALL_POINTER,  # as NODE_CALL_INTS
    NODE_CALL_STACK,
    NODE_PIXELS,
) = range(9)

# DrawNode.flags
LOOPBACK = 1  # replay through the attribute calls


class Block:
    """Native memory, 64-byte aligned; lives as long as this object."""

    __slots__ = ("address", "size")

    def __init__(self, size: int, data: bytes = b"", clear: bool = True) -> None:
        self.size = max(size, len(data))
        self.address = 0  # what __del__ sees if there is no memory
        self.address = memory.allocate(self.size, zero=clear and not data)
        ctypes.memmove(self.address, data, len(data))

    def __del__(self) -> None:
        memory.free(self.address)


class ListNode(Struct):
    """Head of every node."""

    size = u64  # bytes, head included: a multiple of 16
    kind = u32
    slot = u32  # entry point


class ListPrim(Struct):
    """One draw of a node; `start` counts indices where index_size is not 0."""

    mode = u32
    start = u32
    count = u32
    flags = u32  # PRIM_BEGIN | PRIM_END
    min_index = u32
    max_index = u32
    index_size = u32
    pad = u32


class DrawNode(ListNode):
    """Vertices of one layout and what is drawn of them. Pointers lead into the node, or are null
    (offsets, or 0, until the list is finished).
    """

    prims = ptr(ListPrim)
    vertices = ptr(u8)
    indices = ptr(u8)
    plain = ptr(ListPrim)  # the same without joined primitives, for state in which joining shows
    first = ptr(u32)  # loopback: from which vertex on the n-th attribute is set; null = from 0
    flags = u32
    prim_count = u32
    vertex_size = u32
    vertex_count = u32
    attr_count = u32
    plain_count = u32
    slots = u8[48]
    formats = u8[48]
    pad = u64[2]


class AttrValue(Struct):
    """A new current value."""

    slot = u32
    pad = u32[3]
    value = f32[4]


class AttrsNode(ListNode):
    """New current values; `values` is the first of `count`."""

    count = u32
    pad = u32[3]
    values = AttrValue[1]


INT_REGISTERS = 5  # after the context, which takes the first
FLOAT_REGISTERS = 8
STACK_CELLS = 8


class CallNode(ListNode):
    """Any other command: its slot and its arguments as the registers of the C ABI want them (see
    playback.py). What a pointer leads to lies behind the node's cells; nodes that need not all of
    them end earlier.
    """

    ints = u64[INT_REGISTERS]
    # where the cells that point into the node lie, in bytes from it; 0: none. Until the list is
    # finished they hold offsets, too
    pointers = u32[2]
    floats = u64[FLOAT_REGISTERS]
    stack = u64[STACK_CELLS]


class ErrorNode(ListNode):
    """A mistake found while compiling; it happens at playback."""

    error = u32
    pad = u32[3]


class VboSave(VboBlock, align=64):
    """Vertices of the list being compiled: as VboBlock, but `sources` count from here."""

    touched = u64  # slots set since the last node
    known = u64  # slots whose value at playback is known: set earlier in this list
    execute = u32  # GL_COMPILE_AND_EXECUTE
    loopback = u32
    has_first = u32
    failed = u32  # there was no memory: no list will come of it
    first = u32[MAX_ATTRIBS]
    current = f32[4][MAX_ATTRIBS]
    before = f32[4][MAX_ATTRIBS]  # `current` and `known` before arrays are unrolled
    before_known = u64
    buffer_size = u64  # bytes
    nodes = ptr(u8)  # the list so far, its head included
    nodes_used = u64
    nodes_size = u64


# what kernels ask Python for through ctx.hook_upload: low byte; the rest is an argument
(
    HOOK_SAVE_PREPARE,  # the first glNewList: the save table, and dlist.save
    # argument: slot of a command with an image, its arguments in dlist.args -> [0] address of the
    # tight image, 0: none, [1] its bytes, [2] GL error
    HOOK_SAVE_IMAGE,
) = range(2)


# -- evaluators ------------------------------------------------------------------------------------

#: numbers of a control point, by target minus the first target of its kind
MAP_SIZES = (4, 1, 3, 1, 2, 3, 4, 3, 4)
MAX_ORDER = 30


class EvalMap(Struct):
    """One map; a curve is a surface of order 1 in v."""

    points = ptr(f32)  # four floats each, u fastest; those that the map lacks are 0, 0, 0, 1
    uorder = u32
    vorder = u32
    domain = f32[4]  # u1, u2, v1, v2


class EvalBlock(Struct, align=64):
    """The maps of a context: of curves, then of surfaces. The points lie behind."""

    maps = EvalMap[2 * len(MAP_SIZES)]


class EvalRole(Struct, align=64):
    """A map that is on, and what it gives."""

    map = ptr(EvalMap)
    slot = u32  # VERT_ATTRIB_*, or the position
    number = u32  # its place in MAP_SIZES
    row = f64[4 * MAX_ORDER]  # its control points folded over v


class EvalPlan(Struct, align=64):
    """What is evaluated, in the order of issue; lives on the stack of a kernel."""

    count = u32
    normals = u32  # normals follow from positions
    before = f32[16]  # current colour, index, normal, texture coordinates
    roles = EvalRole[5]
    slope_row = f64[4 * MAX_ORDER]  # of positions: folded with the derivatives in v
