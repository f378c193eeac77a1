# SPDX-License-Identifier: MIT
"""The stages of a GLSL program as ShaderRefs, and what of the state changes their code.

In: a key block in which some stage (`key.stages`) is not 0. Out: ShaderRefs, and a FragmentKey that
says what fixed-function vertices must make for a fragment shader. What a stage's code depends on
beside its text is a small key: which attributes do not vary (they are read from the value block),
clamping of colours (ARB_color_buffer_float), edge flags, the polygon's pattern, the image of a
rectangle of pixels. What the state only has values for (clip planes, the direction of y, units of
samplers) is data. The nir is changed here: build_vertex, build_fragment. Counterpart of Mesa's
st_program.c (st_create_common_variant, st_create_fp_variant) and st_cb_drawpixels_shader.c.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.main.layout import RECTANGLES, ValueBlock
from pydri.main.shaders.code import STAGES, StageCode
from pydri.main.state.layout import FRAGMENT_CLAMPED, VERTEX_FREE
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DEPTH,
    FRAG_RESULT_DUAL_SRC,
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_POS,
)
from pydri.pipe.native import (
    MAX_TARGETS,
    RECT_VALUES,
    SHADER_FRAGMENT,
    SHADER_GEOMETRY,
    SHADER_VERTEX,
)
from pydri.pipe.state import ShaderRef, key_bytes
from pydri.st.fixed.key import IMAGES, STIPPLE_RANGE, FragmentKey, ReadUnit, has_unfilled

if TYPE_CHECKING:
    from pydri.nir import Shader
    from pydri.nir.instr import IntrinsicInstr

_COLORS = (VARYING_SLOT_COL0, VARYING_SLOT_COL1, VARYING_SLOT_BFC0, VARYING_SLOT_BFC1)


class VertexVariant(NamedTuple):
    """What of the state changes the code of a vertex shader."""

    constant: int  # bit an attribute: it does not vary
    clamp: bool  # colours are clamped to [0, 1]
    edge: bool  # the edge flag is passed on


class GeometryVariant(NamedTuple):
    """What of the state changes the code of a geometry shader."""

    clamp: bool  # colours are clamped to [0, 1]


class FragmentVariant(NamedTuple):
    """What of the state changes the code of a fragment shader."""

    clamp: bool
    stipple: int = 0  # as FragmentKey.stipple
    rectangle: bool = False  # inputs are those of a rectangle
    image: str = ""  # as FragmentKey.image


def _slot(slot: int) -> int:
    """Attribute 0 is the vertex, by both of its names."""
    return VERT_ATTRIB_POS if slot == VERT_ATTRIB_GENERIC0 else slot


def _code(number: int) -> StageCode:
    """The stage of a number; the current program keeps it."""
    return STAGES[number]


# -- vertex shaders --------------------------------------------------------------------------------


def vertex_variant(key: Any) -> tuple[StageCode, VertexVariant, list[int]]:
    """The vertex stage of a key block, and the attributes that vary."""
    code = _code(key.stages[SHADER_VERTEX])
    info = code.info
    reads = sorted({_slot(slot) for slot in info.inputs})
    varying = [slot for slot in reads if key.attrib_format[slot]]
    last = not key.stages[SHADER_GEOMETRY]  # its vertices reach rasterisation
    edge = last and has_unfilled(key)
    if edge and key.attrib_format[VERT_ATTRIB_EDGEFLAG] and VERT_ATTRIB_EDGEFLAG not in varying:
        varying.append(VERT_ATTRIB_EDGEFLAG)
    constant = sum(1 << slot for slot in (*reads, VERT_ATTRIB_EDGEFLAG) if slot not in varying)
    clamp = last and _clamps(key, code)
    variant = VertexVariant(constant if edge else constant & ~(1 << VERT_ATTRIB_EDGEFLAG),
                            clamp, edge)  # fmt: skip
    return code, variant, sorted(varying)


def _clamps(key: Any, code: StageCode) -> bool:
    """Whether colours of vertices that reach rasterisation are clamped."""
    colors = any(slot in _COLORS for slot in code.info.outputs)
    return colors and not key.clamping & VERTEX_FREE


def vertex_ref(key: Any) -> ShaderRef:
    """The vertex shader of a key block."""
    code, variant, varying = vertex_variant(key)
    info = code.info
    outputs = {*info.outputs, *((VARYING_SLOT_EDGE,) if variant.edge else ())}
    return ShaderRef(
        key_bytes("glsl vertex", code.key, variant),
        partial(build_vertex, code, variant),
        tuple(varying),
        tuple(sorted(outputs)),
        textures=info.textures,
        ways=info.ways,
        uniform_range=info.uniform_range,
        access=info.access,
        blocks=info.blocks,
        loops=info.loops,
    )


def build_vertex(code: StageCode, variant: VertexVariant) -> Shader:
    """The nir of a variant."""
    from pydri.nir.builder import Builder
    from pydri.nir.ir import last_block

    shader = code.shader()
    b = Builder(shader)
    if variant.edge:
        b.at_end(last_block(shader.main.body))
        b.store_output(b.load_input(VERT_ATTRIB_EDGEFLAG, 1), VARYING_SLOT_EDGE)

    def lowered(instr: IntrinsicInstr) -> Any:
        own = instr.indices["base"]
        slot = _slot(own)
        if not variant.constant >> slot & 1:
            instr.indices["base"] = slot
            return None
        assert instr.dest is not None  # by its two names the vertex has two current values
        at = ValueBlock.offset(f"current[{own}]") + 4 * instr.indices.get("component", 0)
        return b.load_ubo(0, at, instr.dest.num_components)

    _replace(b, shader, "load_input", lowered)
    if variant.clamp:
        _clamp_outputs(b, shader, _COLORS)
    return shader


def _replace(b: Any, shader: Shader, name: str, by: Any) -> None:
    """Put other values in the place of an intrinsic's; None: it stays."""
    replaced = {}
    for instr in _intrinsics(shader, name):
        b.before(instr)
        found = by(instr)
        if found is not None:
            assert instr.dest is not None
            replaced[instr.dest] = found
            instr.remove()
    shader.main.rewrite(replaced)


def _intrinsics(shader: Shader, name: str) -> list[IntrinsicInstr]:
    """The intrinsics of a name, in order."""
    from pydri.nir.instr import IntrinsicInstr

    found = (instr for instr in shader.main.instrs() if isinstance(instr, IntrinsicInstr))
    return [instr for instr in found if instr.name == name]


def _clamp_outputs(b: Any, shader: Shader, slots: tuple[int, ...]) -> None:
    """Clamp what is stored to some outputs."""
    for instr in _intrinsics(shader, "store_output"):
        if instr.indices["base"] in slots:
            b.before(instr)
            instr.srcs[0] = b.fsat(instr.srcs[0])


# -- geometry shaders ------------------------------------------------------------------------------


def geometry_ref(key: Any) -> ShaderRef:
    """The geometry shader of a key block that has one."""
    code = _code(key.stages[SHADER_GEOMETRY])
    info, variant = code.info, GeometryVariant(_clamps(key, code))
    return ShaderRef(
        key_bytes("glsl geometry", code.key, variant),
        partial(build_geometry, code, variant),
        tuple(info.inputs),
        tuple(info.outputs),
        textures=info.textures,
        ways=info.ways,
        uniform_range=info.uniform_range,
        access=info.access,
        blocks=info.blocks,
        emits=info.emits,
        loops=info.loops,
    )


def build_geometry(code: StageCode, variant: GeometryVariant) -> Shader:
    """The nir of a variant."""
    from pydri.nir.builder import Builder

    shader = code.shader()
    if variant.clamp:
        _clamp_outputs(Builder(shader), shader, _COLORS)
    return shader


# -- fragment shaders ------------------------------------------------------------------------------


def fragment_ref(key: Any) -> ShaderRef:
    """The fragment shader of a key block."""
    code = _code(key.stages[SHADER_FRAGMENT])
    info = code.info
    rectangle = key.prim >= RECTANGLES
    image = IMAGES.get(key.prim - RECTANGLES, "") if rectangle else ""
    faces = (key.polygon_front == gl.GL_FILL) | (key.polygon_back == gl.GL_FILL) << 1
    stipple = faces if key.polygon_stipple and key.prim == 2 else 0
    variant = FragmentVariant(bool(key.clamping & FRAGMENT_CLAMPED), stipple, rectangle, image)
    inputs, outputs = info.inputs, info.outputs
    if rectangle:
        inputs = tuple(item for item in inputs if item.slot < RECT_VALUES and not (
            image == "color" and item.slot == VARYING_SLOT_COL0))  # fmt: skip
    depth = image == "depth" and not info.writes_depth
    consts = info.const_range
    if stipple:
        low, high = consts if consts != (0, 0) else STIPPLE_RANGE
        consts = min(low, STIPPLE_RANGE[0]), max(high, STIPPLE_RANGE[1])
    return ShaderRef(
        key_bytes("glsl fragment", code.key, variant),
        partial(build_fragment, code, variant),
        tuple(inputs),
        tuple(sorted({*outputs, FRAG_RESULT_DEPTH})) if depth else tuple(outputs),
        consts,
        info.uses_discard or bool(stipple),
        info.writes_depth or depth,
        info.uses_position,
        info.textures,
        info.uniform_range,
        ways=info.ways,
        access=info.access,
        blocks=info.blocks,
        loops=info.loops,
    )


def build_fragment(code: StageCode, variant: FragmentVariant) -> Shader:
    """The nir of a variant."""
    from pydri.nir.builder import Builder
    from pydri.nir.ir import first_block
    from pydri.st.fixed.fragment import stipple

    shader = code.shader()
    b = Builder(shader)
    if variant.rectangle:

        def lowered(instr: IntrinsicInstr) -> Any:
            slot, first = instr.indices["base"], instr.indices.get("component", 0)
            assert instr.dest is not None
            count = instr.dest.num_components
            if slot == VARYING_SLOT_COL0 and variant.image == "color":
                return b.swizzle(b.sysval("pixel"), tuple(range(first, first + count)))
            if slot >= RECT_VALUES:  # what no vertex shader wrote
                return b.vec(*[0.0] * count) if count > 1 else b.imm_float(0.0)
            return None

        _replace(b, shader, "load_input", lowered)
        if variant.image == "depth" and not code.info.writes_depth:
            b.at_start(first_block(shader.main.body))
            b.store_output(b.sysval("pixel").x, FRAG_RESULT_DEPTH)
    if variant.stipple:
        b.at_start(first_block(shader.main.body))
        stipple(b, variant.stipple)
    if variant.clamp:
        results = (
            FRAG_RESULT_COLOR, *range(FRAG_RESULT_DATA0, FRAG_RESULT_DATA0 + MAX_TARGETS),
            FRAG_RESULT_DUAL_SRC,
        )  # fmt: skip
        _clamp_outputs(b, shader, results)
    return shader


# -- fixed function beside a program ---------------------------------------------------------------


def wanted_of_vertices(key: Any) -> FragmentKey:
    """What fixed-function vertices must make for the fragment shader of a key block."""
    reads = key.varyings_read
    units: Any = tuple(
        ReadUnit(n) for n in range(MAX_TEXTURE_UNITS) if reads >> VARYING_SLOT_TEX0 + n & 1
    )
    return FragmentKey(
        color=bool(reads & (1 << VARYING_SLOT_COL0 | 1 << VARYING_SLOT_COL1)),
        secondary=bool(reads >> VARYING_SLOT_COL1 & 1),
        fog=reads >> VARYING_SLOT_FOGC & 1,
        units=units,
    )


__all__ = [
    "FragmentVariant", "GeometryVariant", "VertexVariant", "build_fragment", "build_geometry",
    "build_vertex", "fragment_ref", "geometry_ref", "vertex_ref", "vertex_variant",
    "wanted_of_vertices",
]  # fmt: skip
