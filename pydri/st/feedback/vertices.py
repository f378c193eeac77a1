# SPDX-License-Identifier: MIT
"""Vertices of selection and feedback: fetched, and shaded in nir's interpreter. Of drivers that
leave nothing in memory (StreamOutput), and where a geometry shader makes the primitives.

In: a context and a DrawInfo, as a driver gets them. Out: rows of floats (RowLayout), a vertex each,
for the kernel st_feed_rows. The shader is the one that would be drawn with: fixed function's, or
the program's, so that what is fed back is what would be drawn. GL 2.1, 2.11 and 2.12.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import pydri.api.enums as gl
from pydri.main import layout as la
from pydri.main.feedback.layout import ROW_FIRST, RowLayout
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.main.matrix.tables import TEXTURE, top_of
from pydri.main.textures.layout import FIRST_ENV, TARGET_INDEX_RECT
from pydri.main.textures.tables import GEN_MODES
from pydri.nir import interp
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_CLIP_VERTEX,
    VARYING_SLOT_COL0,
    VARYING_SLOT_CULL_DIST0,
    VARYING_SLOT_POS,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import FORMATS, number
from pydri.pipe.native import (
    PRIM_BEGIN,
    PRIM_END,
    SHADER_GEOMETRY,
    SHADER_VERTEX,
    DrawInfo,
    VertexBinding,
)
from pydri.pipe.shader_memory import constant_buffers
from pydri.st.feedback.lookups import lookups
from pydri.st.fixed.key import fragment_key, vertex_key
from pydri.st.fixed.vertex import build_vertex
from pydri.st.programs import glsl as glsl_program

Arr = np.ndarray[Any, np.dtype[Any]]
_INTERPRETED: dict[Any, Any] = {}  # programs by key; bounded
_MAX_PROGRAMS = 64
#: floats of the rows that are made here: front and back colour, texture coordinates, distances to
#: clip and to cull by, the edge flag; before them clip coordinates, and what st_feed_rows writes
FRONT, BACK, TEX, DIST, CULL, EDGE, WIDTH = (ROW_FIRST + n for n in (0, 4, 8, 12, 20, 28, 29))


def indices(info: Any) -> Arr:
    if not info.index_size:
        return np.arange(info.start, info.start + info.count)
    kind = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32}[info.index_size]
    base = info.indices + info.start * info.index_size
    return np.array((kind * info.count).from_address(base), np.int64) + info.index_bias


def fetch(binding: Any, format_: int, vertices: Arr) -> Arr:
    """One attribute of some vertices, with the components that memory gives."""
    row = FORMATS[format_]
    size = row.bytes
    last = int(vertices.max()) if len(vertices) else 0
    if binding.count:
        vertices = np.clip(vertices, 0, binding.count - 1)
        last = min(last, binding.count - 1)
    data = (ctypes.c_uint8 * (last * binding.stride + size)).from_address(binding.base)
    at = vertices[:, None] * binding.stride + np.arange(size)
    memory = np.ascontiguousarray(np.frombuffer(data, np.uint8)[at])
    out = np.stack(_channels(row, memory), axis=1)
    if row.swizzle == "2103":
        out = out[:, [2, 1, 0, 3]]
    return out.astype(np.float32)


def _channels(row: Any, memory: Arr) -> list[Arr]:
    """The numbers of each channel of rows of bytes, converted as the driver does (fetch.py)."""
    kind, bits = row.channels[0]
    if bits % 8 == 0:
        letter = {"f": "f", "s": "i", "u": "u"}[kind[0]]
        raw = memory.view(np.dtype(f"<{letter}{bits // 8}"))
        return [_converted(raw[:, n], kind, bits) for n in range(len(row.channels))]
    word, at, out = memory.view("<u4")[:, 0], 0, []
    for kind, bits in row.channels:
        part = (word >> at) & ((1 << bits) - 1)
        if kind == "f":
            part = (part << (15 - bits)).astype(np.uint16).view(np.float16)
        elif kind[0] == "s":
            part = part.astype(np.int64) - ((part >> (bits - 1)).astype(np.int64) << bits)
        out.append(_converted(part, kind, bits))
        at += bits
    return out


def _converted(raw: Arr, kind: str, bits: int) -> Arr:
    if kind in ("ui", "si"):
        return raw.astype(np.int64).astype(np.uint32).view(np.float32).astype(np.float64)
    out = raw.astype(np.float64)
    if kind == "un":
        return out / ((1 << bits) - 1)
    if kind == "sn":
        return np.maximum(out / ((1 << (bits - 1)) - 1), -1.0)
    return out / 65536.0 if kind == "sx" else out


def _generation(n: Any) -> int:
    """How unit 0 generates its coordinates, as TexUnitKey.texgen; 0: it does not."""
    enabled, modes = n.raw.texgen_enabled[0], n.raw.texgen_mode
    return sum(
        GEN_MODES.index(modes[k]) + 1 << 3 * k for k in range(4) if enabled >> k & 1
    )  # fmt: skip


def _program(key: Any, texgen: int) -> Any:
    """The vertex program with colours, whatever the framebuffer has, and with the coordinates of
    unit 0 if they are generated, whether something is sampled or not; (key, nir)."""
    copy = type(key).from_buffer_copy(key)
    for unit in copy.tex:
        unit.env = unit.target = unit.flags = unit.texgen = 0
    if texgen:  # a rectangle has all four coordinates
        unit = copy.tex[0]
        unit.target, unit.env, unit.texgen = TARGET_INDEX_RECT + 1, FIRST_ENV, texgen
    copy.color_format, copy.color_mask = number("B8G8R8A8_UNORM"), 15
    copy.fog = copy.point_attenuated = 0
    copy.polygon_front = copy.polygon_back = gl.GL_FILL
    wanted = vertex_key(copy, fragment_key(copy))
    return wanted, _kept(wanted, lambda: build_vertex(wanted))


def _kept(key: Any, build: Callable[[], Any]) -> Any:
    """The nir of a key."""
    found = _INTERPRETED.get(key)
    if found is None:
        if len(_INTERPRETED) >= _MAX_PROGRAMS:
            _INTERPRETED.clear()
        found = _INTERPRETED[key] = build()
    return found


def _elements(info: Any, slot: int, vertices: Arr, instance: int) -> tuple[Any, Arr]:
    """Where an attribute of some vertices lies: its array, and numbers of elements."""
    binding = VertexBinding.view(info.attribs + slot * VertexBinding.size)
    if binding.divisor:
        return binding, np.full_like(vertices, instance // binding.divisor + info.base_instance)
    return binding, vertices


def attribute(n: Any, info: Any, slot: int, vertices: Arr, instance: int) -> Arr:
    """An attribute as four floats a vertex; a constant one is the current value."""
    out = np.tile(np.array([0, 0, 0, 1], np.float32), (len(vertices), 1))
    format_ = n.key.attrib_format[slot]
    if format_:
        binding, elements = _elements(info, slot, vertices, instance)
        values = fetch(binding, format_, elements)
        out[:, : values.shape[1]] = values
    else:
        out[:] = list(n.val.current[slot])
    return out


def _inputs(
    n: Any, info: Any, slots: Iterable[int], vertices: Arr, instance: int
) -> dict[int, Arr]:
    """The attributes that vary."""
    out = {}
    for slot in slots:
        binding, elements = _elements(info, slot, vertices, instance)
        out[slot] = fetch(binding, n.key.attrib_format[slot], elements)
    return out


def run_program(
    ctx: Any, key: Any, inputs: Callable[[list[int]], dict[int, Arr]], vertices: Arr,
    instance: int = 0,
) -> tuple[Any, Any]:  # fmt: skip
    """Run the vertex stage of a key block: the slots that it writes, and interp's result.
    `inputs` gives the attributes that vary."""
    n = ctx.n
    copy = type(key).from_buffer_copy(key)
    copy.polygon_front = copy.polygon_back = gl.GL_FILL  # edge flags are fetched by themselves
    code, variant, varying = glsl_program.vertex_variant(copy)
    shader = _kept((code.key, variant), lambda: glsl_program.build_vertex(code, variant))
    blocks = {0: ctypes.string_at(n.dyn.const0, la.ValueBlock.size)}
    bound = n.dyn.stages[SHADER_VERTEX]
    if bound.const1:
        blocks[1] = ctypes.string_at(bound.const1, bound.const1_size)
    if n.program.blocks:
        ctx.call("st_blocks")
        blocks.update(constant_buffers(bound.memory))
    texture = lookups(ctx.st.pipe, bound.views) if code.info.textures else None
    numbers = np.full(len(vertices), instance, np.uint32)
    system = {"vertex_id": vertices, "instance_id": numbers}
    result = interp.run(
        shader, len(vertices), inputs=inputs(varying), ubos=blocks,
        system=system, texture=texture)  # fmt: skip
    return code.info.outputs, result


def products(rows: Arr, columns: Arr) -> Arr:
    """The products of rows and columns of four singles (n x 4, 4 x m; n x m), added from left to
    right and each rounded, as kernels do. numpy's own product asks a BLAS, which adds in an order
    and with fused operations that are the processor's."""
    rows, columns = rows.astype(np.float32), columns.astype(np.float32)
    total = rows[:, :1] * columns[0]
    for n in range(1, 4):
        total = total + rows[:, n : n + 1] * columns[n]
    return total


def cut_by(n: Any, place: Arr) -> Arr:
    """How far inside of each of the user's planes vertices of a program are."""
    planes = np.array(n.dyn.clip_planes, np.float32).reshape(-1, 4)[:MAX_CLIP_PLANES]
    return products(place, planes.T)


def shade_program(ctx: Any, info: Any, vertices: Arr, instance: int) -> tuple[Any, Any]:
    """What the program's vertex shader gives of some vertices (run_program)."""
    n = ctx.n
    return run_program(
        ctx, n.key, lambda slots: _inputs(n, info, slots, vertices, instance), vertices, instance
    )


def program_rows(n: Any, outputs: Any, result: Any, count: int) -> Arr:
    """Rows of vertices that a program's last stage before rasterisation gave. What it does not
    write is the current value (Mesa's feedback_vertex); planes are those that the driver would clip
    at."""

    def written(slot: int, otherwise: int) -> Arr:
        if slot in outputs:
            return result.output(slot)
        return np.tile(np.array(n.val.current[otherwise], np.float32), (count, 1))

    out = np.zeros((count, WIDTH), np.float32)
    out[:, :4] = place = result.output(VARYING_SLOT_POS)
    out[:, FRONT:BACK] = written(VARYING_SLOT_COL0, VERT_ATTRIB_COLOR0)
    two_side = n.key.program_two_side and VARYING_SLOT_BFC0 in outputs
    out[:, BACK:TEX] = result.output(VARYING_SLOT_BFC0) if two_side else out[:, FRONT:BACK]
    out[:, TEX:DIST] = written(VARYING_SLOT_TEX0, VERT_ATTRIB_TEX0)
    if VARYING_SLOT_CLIP_VERTEX in outputs:
        place = result.output(VARYING_SLOT_CLIP_VERTEX)
    out[:, DIST:CULL] = cut_by(n, place)
    for first, column in ((VARYING_SLOT_CLIP_DIST0, DIST), (VARYING_SLOT_CULL_DIST0, CULL)):
        for half in (0, 1):
            if first + half in outputs:
                at = column + 4 * half
                out[:, at : at + 4] = result.output(first + half)
    out[:, EDGE] = 1
    return out


def _fixed_rows(n: Any, info: Any, vertices: Arr, instance: int) -> Arr:
    """Rows by fixed function."""
    texgen = _generation(n)
    key, program = _program(n.key, texgen)
    slots = [slot for slot in range(key.inputs.bit_length()) if key.inputs >> slot & 1]
    block = ctypes.string_at(n.dyn.const0, la.ValueBlock.size)
    lanes = len(vertices)
    inputs = _inputs(n, info, slots, vertices, instance)
    result = interp.run(program, lanes, inputs=inputs, ubos={0: block})
    out = np.zeros((lanes, WIDTH), np.float32)
    out[:, :4] = result.output(VARYING_SLOT_POS)
    out[:, FRONT:BACK] = result.output(VARYING_SLOT_COL0)
    two_side = key.lighting is not None and key.lighting.two_side
    out[:, BACK:TEX] = result.output(VARYING_SLOT_BFC0 if two_side else VARYING_SLOT_COL0)
    matrix = np.array(top_of(n, TEXTURE)).reshape(4, 4)
    if texgen:
        given = result.output(VARYING_SLOT_TEX0)
    else:
        given = attribute(n, info, VERT_ATTRIB_TEX0, vertices, instance)
    out[:, TEX:DIST] = products(given, matrix)
    for half in (0, 1):
        if key.clip_planes >> 4 * half & 15:
            place = DIST + 4 * half
            out[:, place : place + 4] = result.output(VARYING_SLOT_CLIP_DIST0 + half)
    return out


def _rows(ctx: Any, info: Any, vertices: Arr, instance: int) -> Arr:
    """Rows of some vertices of a draw without a geometry shader."""
    n = ctx.n
    if n.key.stages[SHADER_VERTEX]:
        outputs, result = shade_program(ctx, info, vertices, instance)
        rows = program_rows(n, outputs, result, len(vertices))
    else:
        rows = _fixed_rows(n, info, vertices, instance)
    rows[:, EDGE] = attribute(n, info, VERT_ATTRIB_EDGEFLAG, vertices, instance)[:, 0]
    return rows


def _layout() -> Any:
    """The RowLayout of these rows."""
    made: Any = RowLayout.ctype()()
    made.floats, made.color, made.back, made.tex = WIDTH, FRONT, BACK, TEX
    made.dist, made.cull, made.edge = DIST, CULL, EDGE
    return made


_LAYOUT = _layout()


def _send(ctx: Any, rows: Arr, mode: int, flags: int) -> None:
    """The primitives of rows."""
    table = np.ascontiguousarray(rows, np.float32)
    feed = ctx.kernel("st_feed_rows")
    layout = ctypes.addressof(_LAYOUT)
    feed(ctx.address, layout, table.ctypes.data, len(table), mode, flags)


def draw(ctx: Any, address: int) -> None:
    """A draw while the render mode is GL_SELECT or GL_FEEDBACK."""
    info = DrawInfo.view(address)
    unique, places = np.unique(indices(info), return_inverse=True)
    places = places.reshape(-1)
    for instance in range(info.instance, info.instance + max(info.instances, 1)):
        if not ctx.n.key.stages[SHADER_GEOMETRY]:
            rows = _rows(ctx, info, unique, instance)[places]
            _send(ctx, rows, info.mode, info.prim_flags)
            continue
        from pydri.st.feedback.geometry import emit

        made = emit(ctx, info, shade_program(ctx, info, unique, instance)[1], places)
        if not made.total:
            continue
        rows = program_rows(ctx.n, made.outputs, made.result, made.total)
        for strip in made.strips:
            _send(ctx, rows[strip], made.mode, PRIM_BEGIN | PRIM_END)
