# SPDX-License-Identifier: MIT
"""Compiles display lists: turns what the save kernels collect into nodes.

In: the store (native.VboSave) and arguments that come up through ctx.hook_upload. Out:
`DisplayList`, one block of nodes. Vertices stay in the store until something else must happen
between them (a call, the end of the list): then they become one DRAW node with all primitives of
one layout, followed by the values that are current afterwards. Separate and strip primitives of a
node are joined into few indexed draws. A node is replayed call by call ("loopback") only where it
has to be: a primitive that begins or ends in another list, or an attribute that appears in the
middle of one, so that earlier vertices get whatever is current at playback. Answers to Mesa's
vbo_save_api.c and main/dlist.c.
"""

from __future__ import annotations

import ctypes
from array import array
from functools import partial
from typing import Any, NamedTuple

from pydri.api import enums as gl
from pydri.api.dispatch import GLError
from pydri.api.gl_table import TABLE
from pydri.main.layout import GLContext, VboPrim
from pydri.main.pixel_store import pixel_memory
from pydri.nir.enums import VERT_ATTRIB_EDGEFLAG, VERT_ATTRIB_MAT0
from pydri.pipe.native import PRIM_BEGIN, PRIM_END
from pydri.vbo import listable
from pydri.vbo import native as nv
from pydri.vbo.native import (
    POLYGON,
    QUAD_STRIP,
    QUADS,
    RGB32F,
    SLACK,
    SLOT_BYTES,
    SLOT_FORMATS,
    TRIANGLE_FAN,
    TRIANGLE_STRIP,
    TRIANGLES,
)

_FIRST_VERTICES = 256
_FIRST_PRIMS = 64
_VERTEX_ATTRIBS = (1 << VERT_ATTRIB_MAT0) - 1
_CURRENT = nv.VboSave.offset("current")
_CALLS = 256  # nodes that kernels may write before Python takes them
_LISTS = frozenset(("glCallList", "glCallLists"))
#: commands that may stand between glBegin and glEnd (materials and vertex commands apart)
_INSIDE = frozenset(
    (
        "glCallList",
        "glCallLists",
        "glEvalPoint1",
        "glEvalPoint2",
        "glPrimitiveRestartNV",
        *(f"glEvalCoord{n}{t}{v}" for n in "12" for t in "fd" for v in ("", "v")),
    )
)
_FACES = {gl.GL_FRONT: (0,), gl.GL_BACK: (1,), gl.GL_FRONT_AND_BACK: (0, 1)}
_MATERIALS: dict[int, tuple[tuple[int, ...], int]] = {  # pname: (properties, components)
    gl.GL_AMBIENT: ((0,), 4),
    gl.GL_DIFFUSE: ((1,), 4),
    gl.GL_SPECULAR: ((2,), 4),
    gl.GL_EMISSION: ((3,), 4),
    gl.GL_SHININESS: ((4,), 1),
    gl.GL_AMBIENT_AND_DIFFUSE: ((0, 1), 4),
    gl.GL_COLOR_INDEXES: ((5,), 3),
}


class Prim(NamedTuple):
    """A primitive of the store."""

    mode: int
    start: int
    size: int  # vertices
    flags: int


class DisplayList:
    """A finished list: `head` is the address of its first node."""

    __slots__ = ("_keep", "head")

    def __init__(self, nodes: list[bytes], keep: list[nv.Block]) -> None:
        end = nv.ListNode.ctype()(16, nv.NODE_END)
        self._keep = [*keep, nv.Block(0, b"".join([*nodes, bytes(end), bytes(8)]))]
        self.head = self._keep[-1].address


# -- joining primitives ----------------------------------------------------------------------------


def _indices(prim: Prim) -> array[int]:
    """A strip, a fan or separate pieces as indices of separate quads or triangles, each with the
    same last vertex as before.
    """
    s, n = prim.start, prim.size
    out = array("I")
    if prim.mode in (QUADS, TRIANGLES):
        out.extend(range(s, s + n))
    elif prim.mode == QUAD_STRIP:
        quads = n // 2 - 1
        out.extend(bytes(4 * quads))
        for k, first in enumerate(
            (2, 0, 1, 3)
        ):  # turned so that the quad's last vertex is the strip's
            out[k::4] = array("I", range(s + first, s + first + 2 * quads, 2))
    elif prim.mode == TRIANGLE_FAN:
        out.extend(bytes(3 * (n - 2)))
        out[0::3] = array("I", [s]) * (n - 2)
        out[1::3] = array("I", range(s + 1, s + n - 1))
        out[2::3] = array("I", range(s + 2, s + n))
    else:
        tris = n - 2
        out.extend(bytes(3 * tris))
        odd = array("I", [s + i + (i & 1) for i in range(tris)])
        out[0::3] = odd
        out[1::3] = array("I", [s + i + 1 - (i & 1) for i in range(tris)])
        out[2::3] = array("I", range(s + 2, s + n))
    return out


_FAMILY = {
    QUADS: QUADS,
    QUAD_STRIP: QUADS,
    TRIANGLES: TRIANGLES,
    TRIANGLE_STRIP: TRIANGLES,
    TRIANGLE_FAN: TRIANGLES,
}


def join(prims: list[Prim], vertex_count: int) -> tuple[list[Any], bytes]:
    """ListPrims for a node, neighbours of one family as one indexed draw; and the indices."""
    size = 2 if vertex_count <= 0x10000 else 4
    indices = array("H" if size == 2 else "I")
    out: list[Any] = []
    make = nv.ListPrim.ctype()
    at = 0
    while at < len(prims):
        family = _FAMILY.get(prims[at].mode)
        end = at + 1
        while family is not None and end < len(prims) and _FAMILY.get(prims[end].mode) == family:
            end += 1
        first, last = prims[at], prims[end - 1]
        top = last.start + last.size - 1
        if end - at == 1:
            out.append(make(first.mode, first.start, first.size, first.flags, first.start, top, 0))
        else:
            start = len(indices)
            for prim in prims[at:end]:
                indices.extend(array(indices.typecode, _indices(prim)))
            out.append(
                make(
                    family,
                    start,
                    len(indices) - start,
                    PRIM_BEGIN | PRIM_END,
                    first.start,
                    top,
                    size,
                )
            )
        at = end
    return out, indices.tobytes()


# -- the compiler ----------------------------------------------------------------------------------


class ListCompiler:
    """The list that a context compiles. `address` is that of the native context."""

    def __init__(self, address: int) -> None:
        self.ctx = GLContext.view(address)
        self._memory = nv.Block(nv.VboSave.size)
        self.store = nv.VboSave.view(self._memory.address)
        self._vertices = nv.Block((_FIRST_VERTICES + SLACK) * SLOT_BYTES)
        self._prims = nv.Block(_FIRST_PRIMS * VboPrim.size)
        self.nodes: list[bytes] = []
        self.keep: list[nv.Block] = []
        self._calls = nv.Block(_CALLS * nv.CALL_BYTES)
        self.store.calls, self.store.calls_size = self._calls.address, self._calls.size
        self.ctx.dlist.save = self._memory.address

    def start(self, execute: bool) -> None:
        """Begin a list."""
        s = self.store
        s.begin_mode = s.touched = s.known = s.loopback = s.has_first = s.calls_used = 0
        self._before_arrays = b"", 0
        s.execute = int(execute)
        self.nodes, self.keep = [], []
        s.buffer = self._vertices.address
        s.prims = self._prims.address
        s.max_prims = self._prims.size // VboPrim.size
        self._empty()
        self._reset_layout()

    def finish(self) -> DisplayList:
        """End the list."""
        self.close()
        self._take_calls()
        done = DisplayList(self.nodes, self.keep)
        self.nodes, self.keep = [], []
        return done

    # -- the store ---------------------------------------------------------------------------------

    def _empty(self) -> None:
        s = self.store
        s.count = s.prim_count = 0
        s.cursor = s.buffer
        self._measure()

    def _measure(self) -> None:
        s = self.store
        s.capacity = self._vertices.size // max(s.vertex_size, SLOT_BYTES) - SLACK

    def _reset_layout(self) -> None:
        s = self.store
        s.layout, s.attr_count, s.vertex_size = 1, 1, SLOT_BYTES
        ctypes.memset(ctypes.addressof(s.formats), 0, 48)
        s.formats[0] = s.formats[15] = RGB32F
        self._measure()

    def grow(self) -> None:
        """Room for twice as many vertices, or primitives."""
        s = self.store
        if s.count >= s.capacity:
            bigger = nv.Block(2 * self._vertices.size)
            ctypes.memmove(bigger.address, s.buffer, s.count * s.vertex_size)
            s.cursor = bigger.address + (s.cursor - s.buffer)
            self._vertices, s.buffer = bigger, bigger.address
            self._measure()
        if s.prim_count + 2 >= s.max_prims:
            bigger = nv.Block(2 * self._prims.size)
            ctypes.memmove(bigger.address, s.prims, self._prims.size)
            self._prims, s.prims = bigger, bigger.address
            s.max_prims *= 2

    def _read_prims(self, count: int) -> list[Prim]:
        words = (ctypes.c_uint32 * (4 * count)).from_address(self.store.prims)[:] if count else []
        return [Prim(*words[4 * n : 4 * n + 4]) for n in range(count)]

    def _open(self) -> Prim | None:
        """The primitive that is not closed yet."""
        s = self.store
        if s.begin_mode == 0:
            return None
        prim = self._prim(s.prim_count)
        return Prim(prim.mode, prim.start, s.count - prim.start, prim.flags)

    def _prim(self, n: int) -> Any:
        return VboPrim.view(self.store.prims + n * VboPrim.size)

    def _open_prim(self, mode: int, flags: int, begin_mode: int) -> None:
        s = self.store
        prim = self._prim(s.prim_count)
        prim.mode, prim.start, prim.count, prim.flags = mode, s.count, 0, flags
        s.begin_mode = begin_mode

    def attribute(self, slot: int) -> None:
        """A slot is set that is not in the layout (HOOK_SAVE_ATTR); its new value is not written
        yet.
        """
        s = self.store
        open_ = self._open()
        if s.count and not s.known >> slot & 1:
            # stored vertices get what is current at playback: they may not share a node with those
            # that follow
            self._split_closed(open_)
        n = s.attr_count
        if s.count:
            self._widen(s.count, s.current[slot])
            if not s.known >> slot & 1:
                # in the middle of a primitive
                for k in range(n) if not s.has_first else ():
                    s.first[k] = 0
                s.first[n] = s.count
                s.has_first = s.loopback = 1
            elif s.has_first:
                s.first[n] = 0
        elif s.has_first:
            s.first[n] = 0
        s.slots[n] = slot
        s.sources[n] = _CURRENT + slot * SLOT_BYTES
        s.formats[slot] = SLOT_FORMATS[slot]
        s.attr_count = n + 1
        s.vertex_size = (n + 1) * SLOT_BYTES
        s.layout |= 1 << slot
        s.cursor = s.buffer + s.count * s.vertex_size
        self._measure()
        if s.count >= s.capacity:
            self.grow()

    def _widen(self, count: int, value: Any) -> None:
        """Add a column with one value to the stored vertices."""
        s = self.store
        old = s.vertex_size
        rows = ctypes.string_at(s.buffer, count * old)
        extra = bytes(value)
        data = b"".join(rows[at : at + old] + extra for at in range(0, len(rows), old))
        if len(data) + SLACK * (old + SLOT_BYTES) > self._vertices.size:
            self._vertices = nv.Block(2 * len(data) + SLACK * (old + SLOT_BYTES))
            s.buffer = self._vertices.address
        ctypes.memmove(s.buffer, data, len(data))

    def _split_closed(self, open_: Prim | None) -> None:
        """Closed primitives become a node; the open one moves to the front. The layout stays."""
        s = self.store
        prims = self._read_prims(s.prim_count)
        size = s.vertex_size
        kept = open_.size if open_ else 0
        if prims:
            self._draw_node(prims, s.buffer, s.count - kept, False)
        rest = ctypes.string_at(s.cursor - kept * size, kept * size)
        ctypes.memmove(s.buffer, rest, len(rest))
        s.count, s.prim_count = kept, 0
        s.cursor = s.buffer + len(rest)
        if open_:
            self._open_prim(open_.mode, open_.flags, s.begin_mode)
            self._prim(0).start = 0

    # -- nodes -------------------------------------------------------------------------------------

    def _take_calls(self) -> None:
        """The nodes that kernels made of commands come before what comes now."""
        s = self.store
        if s.calls_used:
            self.nodes.append(ctypes.string_at(self._calls.address, s.calls_used))
            s.calls_used = 0

    def _node(self, node: Any, kind: int, extra: bytes = b"") -> None:
        self._take_calls()
        data = bytes(node) + extra
        data += bytes(-len(data) % 16)
        head = nv.ListNode.ctype()(len(data), kind)
        self.nodes.append(bytes(head) + data[len(bytes(head)) :])

    def _block(self, data: bytes) -> int:
        block = nv.Block(0, data)
        self.keep.append(block)
        return block.address

    def _draw_node(self, prims: list[Prim], vertices: int, count: int, loopback: bool) -> None:
        s = self.store
        node = nv.DrawNode.ctype()()
        plain = [
            nv.ListPrim.ctype()(p.mode, p.start, p.size, p.flags, p.start, p.start + p.size - 1, 0)
            for p in prims
        ]
        joined, indices = plain, b""
        if not loopback and not s.layout >> VERT_ATTRIB_EDGEFLAG & 1:
            joined, indices = join(prims, count)
        node.flags = nv.LOOPBACK if loopback else 0
        node.prim_count, node.prims = len(joined), self._block(b"".join(map(bytes, joined)))
        node.plain_count, node.plain = node.prim_count, node.prims
        if indices:
            node.indices = self._block(indices)
            node.plain_count, node.plain = len(plain), self._block(b"".join(map(bytes, plain)))
        node.vertices = self._block(ctypes.string_at(vertices, count * s.vertex_size))
        if s.has_first:
            node.first = self._block(bytes(s.first))
        node.vertex_size, node.vertex_count, node.attr_count = s.vertex_size, count, s.attr_count
        node.slots[:] = s.slots[:]
        node.formats[:] = s.formats[:]
        self._node(node, nv.NODE_DRAW)

    def _attrs_node(self, slots: int) -> None:
        values = [
            bytes(nv.AttrValue.ctype()(slot=slot, value=self.store.current[slot]))
            for slot in range(len(SLOT_FORMATS))
            if slots >> slot & 1
        ]
        head = nv.AttrsNode.ctype()(count=len(values))
        self._node(bytes(head)[: nv.AttrsNode.offset("values")], nv.NODE_ATTRS, b"".join(values))

    def close(self, ended: bool = False) -> None:
        """Make nodes of what the store holds. An open primitive goes on in the next node, unless
        glEnd `ended` it.
        """
        s = self.store
        if not (s.count or s.prim_count or s.begin_mode or s.touched or s.layout != 1):
            return
        open_ = self._open()
        begin_mode = s.begin_mode
        prims = self._read_prims(s.prim_count)
        closed = s.count - (open_.size if open_ else 0)
        if prims:
            self._draw_node(prims, s.buffer, closed, False)
        if open_:
            piece = Prim(open_.mode, 0, open_.size, open_.flags | (PRIM_END if ended else 0))
            if piece.size or piece.flags:
                self._draw_node([piece], s.buffer + closed * s.vertex_size, open_.size, True)
        if s.touched:
            self._attrs_node(s.touched)
        s.known |= s.touched
        s.touched = s.has_first = s.loopback = 0
        self._reset_layout()
        self._empty()
        if open_ and not ended and begin_mode != nv.OUTSIDE:
            self._open_prim(open_.mode, 0, begin_mode)
            s.loopback = 1
        else:
            s.begin_mode = 0

    def error(self, error: int, slot: int) -> None:
        """A mistake: it happens at playback, and its place among the vertices does not matter. In
        GL_COMPILE_AND_EXECUTE mode the command is run as well and complains on its own.
        """
        self._node(nv.ErrorNode.ctype()(error=error, slot=slot), nv.NODE_ERROR)

    # -- commands ----------------------------------------------------------------------------------

    def begin(self, mode: int) -> None:
        """glBegin that is a mistake, or follows on vertices without one."""
        s = self.store
        slot = TABLE.slots["glBegin"]
        if s.begin_mode not in (0, nv.OUTSIDE):
            self.error(gl.GL_INVALID_OPERATION, slot)
        elif mode > POLYGON:
            self.error(gl.GL_INVALID_ENUM, slot)
        else:
            self.close(ended=False)
            s.begin_mode = s.loopback = 0
            self._open_prim(mode, PRIM_BEGIN, mode + 1)

    def end(self) -> None:
        """glEnd of a primitive that did not begin, or not wholly lies, in one node of this list."""
        s = self.store
        if s.begin_mode == 0:
            self.close()
            self._open_prim(0, 0, nv.OUTSIDE)
        self.close(ended=True)

    def empty(self) -> None:
        """A primitive without vertices: it draws nothing, but may not be played inside another."""
        self._node(nv.DrawNode.ctype()(attr_count=1), nv.NODE_DRAW)

    def arrays(self, begin: bool) -> None:
        """Arrays are unrolled like elements, but leave what is current as it was (GL 2.1, 2.8: it
        becomes indeterminate; programs count on Mesa's answer): so they have a node of their own.
        """
        s = self.store
        if begin:
            self.close()
            self._before_arrays = bytes(s.current), s.known
        else:
            s.touched = 0
            self.close()
            current, s.known = self._before_arrays
            ctypes.memmove(ctypes.addressof(s.current), current, len(current))

    def outside(self) -> None:
        """A vertex without glBegin."""
        if self.store.count:
            self.close()
        self._open_prim(0, 0, nv.OUTSIDE)
        self.store.loopback = 1

    def call(self, slot: int) -> None:
        """Any other listable command; its arguments lie in dlist.args."""
        s = self.store
        row = TABLE.row(slot)
        cells = [int(v) for v in self.ctx.dlist.args[: len(row.params)]]
        if s.begin_mode not in (0, nv.OUTSIDE):
            if row.name.startswith("glMaterial"):
                self._material(row.name, slot, cells)
                return
            if row.name not in _INSIDE:
                self.error(gl.GL_INVALID_OPERATION, slot)
                return
        if row.params and row.params[0][0] == "target" and cells[0] in listable.PROXIES:
            self._run_now(slot, cells)
            return
        self.close()
        self._call_node(row, slot, cells)
        # materials change by many commands: glMaterial, glEnable(GL_COLOR_MATERIAL) ...
        if row.name in _LISTS:
            s.begin_mode = s.loopback = (
                0  # the called list may have ended the primitive, and begun another
            )
        s.known = 0 if row.name in listable.CHANGES_CURRENT else s.known & _VERTEX_ATTRIBS

    def _run_now(self, slot: int, cells: list[int]) -> None:
        """A query in disguise (proxy textures): executed, not compiled."""
        if self.store.execute:
            return  # is about to be run
        ints = (ctypes.c_uint64 * len(cells))(*cells)
        table = (ctypes.c_uint64 * len(TABLE)).from_address(self.ctx.exec_table)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *[ctypes.c_uint64] * len(cells))
        kind(table[slot])(ctypes.addressof(self.ctx), *ints)

    def _call_node(self, row: Any, slot: int, cells: list[int]) -> None:
        node = nv.CallNode.ctype()(slot=slot)
        signed = [_signed(c, code) for c, (_, code) in zip(cells, row.params)]
        ints: list[int] = []
        floats = 0
        kind = nv.NODE_CALL
        for n, (_, code) in enumerate(row.params):
            cell = cells[n]
            if code[0] in "fd":
                node.floats[floats] = cell
                floats += 1
                continue
            is_image, is_map = row.name in listable.IMAGES, row.name.startswith("glPixelMap")
            in_buffer = (is_image or is_map) and self.ctx.pixel.unpack_buffer
            if code[0] in "*pz" and (cell or in_buffer):
                if is_image:
                    named = {p: v for (p, _), v in zip(row.params, signed)}
                    image = self._image(slot, row.name, {**named, row.params[n][0]: cell})
                    kind = nv.NODE_PIXELS
                    cell = self._block(image) if image is not None else 0
                else:
                    size = listable.pointer_bytes(row.name, code, signed)
                    if is_map:
                        kind = nv.NODE_PIXELS
                        cell = self._map(slot, cell, size)
                    cell = self._block(ctypes.string_at(cell, size)) if cell else 0
            ints.append(cell)
        node.ints[: min(len(ints), nv.INT_REGISTERS)] = ints[: nv.INT_REGISTERS]
        stack = ints[nv.INT_REGISTERS :]
        if stack:
            node.stack[: len(stack)] = stack
            kind = nv.NODE_CALL_STACK if kind == nv.NODE_CALL else kind
        self._node(node, kind)

    def _image(self, slot: int, name: str, args: dict[str, Any]) -> bytes | None:
        """The image of a command, from the program's memory or a buffer object, as it is now."""
        memory = partial(pixel_memory, self.ctx, "unpack_buffer")
        try:
            return listable.image_of(name, args, self.ctx.raw.unpack[:], memory)
        except GLError as mistake:
            self.error(mistake.enum, slot)
            return None

    def _map(self, slot: int, address: int, size: int) -> int:
        """Where the values of a glPixelMap lie."""
        try:
            return pixel_memory(self.ctx, "unpack_buffer", address, size)
        except GLError as mistake:
            self.error(mistake.enum, slot)
            return 0

    def _material(self, name: str, slot: int, cells: list[int]) -> None:
        """glMaterial between glBegin and glEnd: vertex attributes."""
        faces = _FACES.get(cells[0], ())
        properties, size = _MATERIALS.get(cells[1], ((), 0))
        if name.endswith("v"):
            raw = ctypes.string_at(cells[2], 4 * size) if properties else b""
        else:
            raw = (cells[2] & 0xFFFFFFFF).to_bytes(4, "little")
        integer = name.rstrip("v").endswith("i")
        numbers = list(memoryview(raw).cast("i" if integer else "f"))
        if integer and size == 4 and name.endswith("v"):
            numbers = [(2 * v + 1) / 4294967295 for v in numbers]
        if not faces or not properties:
            self.error(gl.GL_INVALID_ENUM, slot)
            return
        if size == 1 and not 0 <= numbers[0] <= 128:
            self.error(gl.GL_INVALID_VALUE, slot)
            return
        s = self.store
        for prop in properties:
            for face in faces:
                attrib = VERT_ATTRIB_MAT0 + 2 * prop + face
                if not s.layout >> attrib & 1:
                    self.attribute(attrib)
                s.current[attrib][:] = [*map(float, numbers), 0.0, 0.0, 0.0][:4]
                s.touched |= 1 << attrib


def _signed(cell: int, code: str) -> int:
    """An integer argument with its sign."""
    if code[0] == "i":
        return (cell & 0xFFFFFFFF) - (1 << 32) if cell & 0x80000000 else cell & 0xFFFFFFFF
    return cell & 0xFFFFFFFF if code[0] in "EIBMA" else cell
