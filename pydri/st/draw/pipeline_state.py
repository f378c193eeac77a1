# SPDX-License-Identifier: MIT
"""From a key block to a PipelineState: what a driver compiles, with everything that has no effect
taken out.

In: a ctypes view of a KeyBlock. Out: a `PipelineState` whose parts are neutral where they are off
(blend factors while blending is off, stencil without a stencil buffer ...), so that equal pictures
of different state blocks meet in one pipeline. Shaders are `ShaderRef`s: their nir is built only if
the driver has no compiled variant. Counterpart of Mesa's st_atom_blend.c, st_atom_depth.c,
st_atom_rasterizer.c and st_program.c.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.main.feedback.layout import RENDER
from pydri.main.layout import RECTANGLES
from pydri.main.shaders.code import STAGES as CODES
from pydri.main.shaders.layout import READS_FLAT
from pydri.main.state.layout import (
    SAMPLE_ALPHA_TO_COVERAGE,
    SAMPLE_ALPHA_TO_ONE,
    SAMPLE_COVERAGE,
    SAMPLE_MASK,
)
from pydri.main.textures.layout import UNIT_SPRITE
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DEPTH,
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_PNTC,
    VARYING_SLOT_PSIZ,
)
from pydri.pipe.format import FORMATS, Format, linear
from pydri.pipe.native import (
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    MAX_TARGETS,
    SHADER_FRAGMENT,
    SHADER_GEOMETRY,
    SHADER_VERTEX,
)
from pydri.pipe.state import (
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    RtBlend,
    ShaderRef,
    StencilSide,
    StreamOutput,
    VertexElement,
    key_bytes,
    stages_of,
)
from pydri.st.fixed.key import (
    FragmentKey,
    VertexKey,
    const_range,
    fragment_inputs,
    fragment_key,
    has_points,
    needs_color,
    vertex_key,
    vertex_outputs,
)
from pydri.util.options import first_time, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.nir import Shader
    from pydri.pipe.interface import PipeScreen

_FACTORLESS = (gl.GL_MIN, gl.GL_MAX)
#: With a destination that has no alpha, its alpha is 1.
_OPAQUE_FACTORS = {
    gl.GL_DST_ALPHA: gl.GL_ONE,
    gl.GL_ONE_MINUS_DST_ALPHA: gl.GL_ZERO,
}


def _build_vertex(key: VertexKey) -> Shader:
    """Called by a driver that has no compiled variant: only then nir is imported."""
    from pydri.st.fixed.vertex import build_vertex

    return build_vertex(key)


def _build_fragment(key: FragmentKey) -> Shader:
    from pydri.st.fixed.fragment import build_fragment

    return build_fragment(key)


def vertex_shader(key: VertexKey) -> ShaderRef:
    """The fixed-function vertex program of a key, by reference."""
    slots = tuple(n for n in range(key.inputs.bit_length()) if key.inputs >> n & 1)
    return ShaderRef(
        key_bytes("ff vertex", key),
        partial(_build_vertex, key),
        slots,
        vertex_outputs(key),
    )


def fragment_shader(key: FragmentKey) -> ShaderRef:
    """The fixed-function fragment program of a key, by reference."""
    depth = key.image == "depth"
    outputs = ((FRAG_RESULT_DEPTH,) if depth else ()) + ((FRAG_RESULT_COLOR,) if key.color else ())
    return ShaderRef(
        key_bytes("ff fragment", key),
        partial(_build_fragment, key),
        fragment_inputs(key),
        outputs,
        const_range(key),
        uses_discard=bool(key.stipple),
        writes_depth=depth,
        textures=max((item.unit + 1 for item in key.units), default=0),
    )


def _opaque_factor(factor: int, alpha: bool) -> int:
    if factor == gl.GL_SRC_ALPHA_SATURATE:
        return gl.GL_ONE if alpha else gl.GL_ZERO  # min(As, 1 - 1)
    return _OPAQUE_FACTORS.get(factor, factor)


def color_view(key: Any, target: int = 0) -> Format:
    """The format to draw with: an sRGB-encoded one only while that is enabled (GL 4.6, 17.3.7)."""
    row = FORMATS[key.other_formats[target - 1] if target else key.color_format]
    return row if key.framebuffer_srgb else linear(row)


def color_targets(key: Any) -> tuple[ColorTarget, ...]:
    """The colour targets that are written, and the first one if its alpha is tested."""
    out = []
    for n in range(MAX_TARGETS):
        blend = blend_state(key, n)
        seen = blend.colormask or (n == 0 and needs_color(key))
        out.append(ColorTarget(color_view(key, n).number, blend) if seen else ColorTarget())
    while out and not out[-1].format:
        out.pop()
    return tuple(out)


def _functions(key: Any, target: int) -> tuple[list[int], list[int]]:
    """Equation, source and destination factor of colour and alpha of a target."""
    if target and key.blend_apart:
        own = key.other_blends[target - 1]
        return [own.eq_rgb, own.src_rgb, own.dst_rgb], [own.eq_alpha, own.src_alpha, own.dst_alpha]
    rgb = [key.blend_eq_rgb, key.blend_src_rgb, key.blend_dst_rgb]
    return rgb, [key.blend_eq_alpha, key.blend_src_alpha, key.blend_dst_alpha]


def blend_state(key: Any, target: int = 0) -> RtBlend:
    """Blending, logic op and colour mask of a target (GL 2.1, 4.1.8 to 4.2.2)."""
    row = color_view(key, target)
    mask = key.color_mask >> 4 * target & 15
    if not row.channels or not mask:
        return RtBlend(colormask=0)
    # an intensity is a red of which there is no alpha (GL 4.6, table 17.1 of the compatibility
    # profile)
    has_alpha = row.swizzle[3] != "o" and row.swizzle != "0000"
    if not has_alpha:
        if not mask & 7:
            return RtBlend(colormask=0)
        mask |= 8  # nobody sees it, and a full mask is cheaper
    if key.color_logic_op:
        op = gl.GL_COPY if row.srgb else key.logic_op  # GL 4.6, 17.3.9: no effect on sRGB
        return RtBlend(colormask=mask, logicop=0 if op == gl.GL_COPY else op)
    if not key.blend >> target & 1:
        return RtBlend(colormask=mask)
    rgb, alpha = _functions(key, target)
    if not has_alpha:
        rgb[1:] = [_opaque_factor(f, False) for f in rgb[1:]]
        alpha = [gl.GL_FUNC_ADD, gl.GL_ONE, gl.GL_ZERO]
    for part, writes in ((rgb, mask & 7), (alpha, mask & 8)):
        if not writes:
            part[:] = [gl.GL_FUNC_ADD, gl.GL_ONE, gl.GL_ZERO]
        elif part[0] in _FACTORLESS:
            part[1:] = [gl.GL_ONE, gl.GL_ONE]
    neutral = [gl.GL_FUNC_ADD, gl.GL_ONE, gl.GL_ZERO]
    if rgb == neutral and alpha == neutral:
        return RtBlend(colormask=mask)
    return RtBlend(True, rgb[0], rgb[1], rgb[2], alpha[0], alpha[1], alpha[2], mask)


def _stencil_side(state: Any, depth: bool) -> StencilSide:
    func = state.func
    fail = gl.GL_KEEP if func == gl.GL_ALWAYS else state.fail
    zfail = state.zfail if depth and func != gl.GL_NEVER else gl.GL_KEEP
    zpass = state.zpass if func != gl.GL_NEVER else gl.GL_KEEP
    return StencilSide(func, fail, zfail, zpass)


def dsa_state(key: Any) -> DepthStencilAlpha:
    """Depth, stencil and alpha tests (GL 2.1, 4.1.4 to 4.1.6)."""
    channels = FORMATS[key.zs_format].channels
    swizzle = FORMATS[key.zs_format].swizzle
    has_depth = bool(channels) and swizzle[0] == "0" and not key.zs_hidden & CLEAR_DEPTH
    has_stencil = any(kind == "us" for kind, _ in channels) and not key.zs_hidden & CLEAR_STENCIL
    func, write = 0, False
    if has_depth and key.depth_test:
        func, write = key.depth_func, bool(key.depth_mask)
        if func == gl.GL_NEVER:
            write = False
        if func == gl.GL_ALWAYS and not write:
            func = 0
    front: StencilSide | None = None
    back: StencilSide | None = None
    if has_stencil and key.stencil_test:
        front = _stencil_side(key.stencil[0], bool(func))
        if key.prim == 2:  # references and masks differ too, so there is always a back side
            back = _stencil_side(key.stencil[2 if key.stencil_two_side else 1], bool(func))
    alpha = key.alpha_func if key.alpha_test and key.alpha_func != gl.GL_ALWAYS else 0
    return DepthStencilAlpha(func, write, front, back, alpha)


class Passed(NamedTuple):
    """What rasterisation must know of the stages on both of its sides."""

    color: bool  # colours are passed
    two_side: bool  # back faces may have colours of their own
    point_size: bool  # vertices say how large points are
    units: tuple[int, ...]  # whose coordinates are read
    point_coord: bool = False  # gl_PointCoord is read


#: of rectangles
_NOTHING = Passed(False, False, False, ())


def _passed(vertex: VertexKey, fragment: FragmentKey) -> Passed:
    """Of fixed function."""
    two_side = vertex.lighting is not None and vertex.lighting.two_side
    units = tuple(item.unit for item in fragment.units)
    return Passed(vertex.color, two_side, vertex.point_size, units)


def rast_state(key: Any, passed: Passed) -> Rasterizer:
    """What of rasterisation selects code; things of other primitives are neutral."""
    colors = passed.color and key.prim != 0
    flat = colors and key.shade_model == gl.GL_FLAT
    filled = key.prim == 2
    modes = (key.polygon_front, key.polygon_back) if filled else (gl.GL_FILL, gl.GL_FILL)
    smooth = not key.multisample or key.samples <= 1
    points = key.prim == 0 or gl.GL_POINT in modes
    sprites = points and bool(key.point_sprite)
    replaced = [unit for unit in passed.units if key.tex[unit].flags & UNIT_SPRITE]
    return Rasterizer(
        flatshade=flat,
        twoside=passed.two_side,
        point_smooth=points and bool(key.point_smooth) and not sprites,
        point_size_per_vertex=passed.point_size,
        point_sprite=sprites,
        sprite_coords=sum(1 << n for n in replaced) if sprites else 0,
        line_smooth=smooth and bool(key.line_smooth) and (key.prim == 1 or gl.GL_LINE in modes),
        poly_smooth=smooth and bool(key.polygon_smooth) and filled and gl.GL_FILL in modes,
        fill_front=modes[0],
        fill_back=modes[1],
        clip_planes=key.clip_planes,
        depth_clamp=bool(key.depth_clamp),
        provoking_first=key.provoking == gl.GL_FIRST_VERTEX_CONVENTION and (
            flat or bool(key.stages[SHADER_FRAGMENT] and key.varyings_read & READS_FLAT)),
        line_stipple=bool(key.line_stipple) and (key.prim == 1 or gl.GL_LINE in modes),
    )


def multisample_state(key: Any) -> Multisample:
    """Coverage by sample (GL 2.1, 3.2.1) and the operations on it (4.1.3)."""
    if key.samples <= 1 or not key.multisample:
        return Multisample()
    flags = key.sample_flags
    return Multisample(
        True,
        mask=bool(flags & (SAMPLE_COVERAGE | SAMPLE_MASK)),
        alpha_to_coverage=bool(flags & SAMPLE_ALPHA_TO_COVERAGE),
        alpha_to_one=bool(flags & SAMPLE_ALPHA_TO_ONE),
    )


def _stages(key: Any) -> tuple[dict[int, ShaderRef], Passed]:
    """The stages, fixed function's or a program's. Rectangles have fragments alone."""
    rectangle = key.prim >= RECTANGLES
    if not key.stages[SHADER_FRAGMENT] and (rectangle or not key.stages[SHADER_VERTEX]):
        fragment = fragment_key(key)
        if rectangle:
            return {SHADER_FRAGMENT: fragment_shader(fragment)}, _NOTHING
        vertex = vertex_key(key, fragment)
        refs = {SHADER_VERTEX: vertex_shader(vertex), SHADER_FRAGMENT: fragment_shader(fragment)}
        return refs, _passed(vertex, fragment)
    from pydri.st.programs import glsl as glsl_program

    if key.stages[SHADER_FRAGMENT]:
        fs = glsl_program.fragment_ref(key)
        fragment = glsl_program.wanted_of_vertices(key)
    else:
        fragment = fragment_key(key)
        fs = fragment_shader(fragment)
    if rectangle:
        return {SHADER_FRAGMENT: fs}, _NOTHING
    point_coord = any(item.slot == VARYING_SLOT_PNTC for item in fs.inputs)
    if not key.stages[SHADER_VERTEX]:
        vertex = vertex_key(key, fragment)
        passed = _passed(vertex, fragment)._replace(point_coord=point_coord)
        return {SHADER_VERTEX: vertex_shader(vertex), SHADER_FRAGMENT: fs}, passed
    refs = {SHADER_VERTEX: glsl_program.vertex_ref(key), SHADER_FRAGMENT: fs}
    last = refs[SHADER_VERTEX]
    if key.stages[SHADER_GEOMETRY]:
        last = refs[SHADER_GEOMETRY] = glsl_program.geometry_ref(key)
    two_side = bool(key.program_two_side) and key.prim == 2 and (
        VARYING_SLOT_BFC0 in last.outputs or VARYING_SLOT_BFC1 in last.outputs)
    sized = bool(key.program_point_size) and VARYING_SLOT_PSIZ in last.outputs and has_points(key)
    units = tuple(item.unit for item in fragment.units)
    passed = Passed(fragment.color, two_side, sized, units, point_coord)
    return refs, passed


def _rectangles(key: Any, stages: dict[int, ShaderRef]) -> PipelineState:
    """The pipeline of pixel rectangles: no vertices, so nothing of what belongs to them."""
    return PipelineState(
        stages_of(stages),
        (),
        color_targets(key),
        dsa_state(key),
        Rasterizer(),
        key.zs_format,
        RECTANGLES,
        max(key.samples, 1),
        key.prim - RECTANGLES,
        multisample_state(key),
        counts_fragments=bool(key.counting),
    )


def _divided(key: Any, slot: int) -> bool:
    """Whether an attribute's elements are counted by instances."""
    return bool(int.from_bytes(bytes(key.attrib_divided), "little") >> slot & 1)


def _elements(key: Any, vertex: ShaderRef) -> tuple[VertexElement, ...]:
    """Where the inputs of a vertex shader come from."""
    return tuple(
        VertexElement(slot, key.attrib_format[slot], _divided(key, slot)) for slot in vertex.inputs
    )


def _of_vertices(key: Any) -> PipelineState:
    """The pipeline of selection and feedback, which ends with its vertices."""
    from pydri.st.feedback.captured import fixed_vertex_key, neutral, stream_output

    if key.stages[SHADER_VERTEX]:
        from pydri.st.programs import glsl as glsl_program

        vertex = glsl_program.vertex_ref(neutral(key))
    else:
        vertex = vertex_shader(fixed_vertex_key(key))
    return PipelineState(
        stages_of({SHADER_VERTEX: vertex}), _elements(key, vertex), (), DepthStencilAlpha(),
        Rasterizer(clip_planes=key.clip_planes), 0, key.prim, stream_output=stream_output(key),
    )  # fmt: skip


def pipeline_state(key: Any) -> PipelineState:
    """The canonical pipeline of a key block."""
    if key.render_mode != RENDER and key.prim < RECTANGLES:
        return _of_vertices(key)
    stages, passed = _stages(key)
    if key.prim >= RECTANGLES:
        return _rectangles(key, stages)
    return PipelineState(
        stages_of(stages),
        _elements(key, stages[SHADER_VERTEX]),
        color_targets(key),
        dsa_state(key),
        rast_state(key, passed),
        key.zs_format,
        key.prim,
        max(key.samples, 1),
        multisample=multisample_state(key),
        stream_output=_stream_output(key),
        counts_fragments=bool(key.counting),
    )


def _stream_output(key: Any) -> StreamOutput:
    """What transform feedback writes of the vertices, while it is active."""
    vertex = key.stages[SHADER_VERTEX]
    return CODES[vertex].stream_output if key.capturing and vertex else StreamOutput()


def _tokens(ref: ShaderRef, stage: int) -> Sequence[int]:
    from pydri.nir.stages import ATTRIBUTES, STAGES
    from pydri.tgsi.translate.from_nir import from_nir

    attributes = STAGES[stage].inputs.kind == ATTRIBUTES
    return from_nir(ref.build(), ref.inputs if attributes else None)


def preferred(screen: PipeScreen | None, state: PipelineState) -> PipelineState:
    """The state with shaders in the form that the driver asks for (st_translate_program's role)."""
    for stage, ref in enumerate(state.stages):
        if ref is None:
            continue
        if screen is not None and screen.get_shader_caps(stage).preferred_ir == "tgsi":
            ref = ref._replace(tokens=partial(_tokens, ref, stage))
            state = state.with_shader(stage, ref)
        if options.ST_DEBUG & {"tgsi", "nir"}:
            _print_shader(ref)
    return state


def _print_shader(ref: ShaderRef) -> None:
    """ST_DEBUG=tgsi: a shader as the driver gets it, once a process."""
    if not first_time((_print_shader, ref.key)):
        return
    from pydri.nir.printer import print_shader

    sys.stderr.write(f"NIR before handing off to driver:\n{print_shader(ref.build())}\n")
    if ref.tokens is not None:
        from pydri.tgsi.text.dump import dump

        said = dump(ref.tokens())
        sys.stderr.write(f"TGSI for driver after nir-to-tgsi:\n{said}\n")


__all__ = [
    "blend_state", "color_targets", "dsa_state", "fragment_shader", "pipeline_state",
    "preferred", "rast_state", "vertex_shader",
]
