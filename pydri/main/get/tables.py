# SPDX-License-Identifier: MIT
"""ONE table of what glGet* answers: a row a parameter.

A row: enum, kind, number of values, and where the value is: a path in the native context (such
rows are also answered natively), a number or tuple (a limit), or a function of the context. Kinds:
b boolean, h enum of 16 bits, I unsigned, i signed, L of 64 bits (functions only), f float, n float
fraction (an integer query maps [-1, 1] to the whole range, GL 2.1, 6.1.2), d and N the same as
doubles. `unit`: bytes from one texture unit's value to the next one's. `stack`: the matrix stack
whose top is meant. A path that begins with `vao.` goes into the bound vertex array
object. Switches are in state/enable_tables.py. Mesa: main/get_hash_params.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.where import COMPAT_ONLY, In, on_desktop
from pydri.main import layout as la
from pydri.main.attrib.layout import MAX_ATTRIB_STACK, MAX_CLIENT_ATTRIB_STACK
from pydri.main.buffers.tables import BINDINGS
from pydri.main.debug.entries import debug
from pydri.main.feedback.layout import MAX_NAME_STACK
from pydri.main.framebuffers.layout import FramebufferObject
from pydri.main.framebuffers.tables import signed_of
from pydri.main.get.bindings import POINT_LIMITS, TEXEL_BUFFERS, bound_to
from pydri.main.get.compressed import COMPRESSED_TOLD, compressed
from pydri.main.get.matrices import (
    current_depth,
    current_matrix,
    current_transposed,
    depth,
    transposed,
)
from pydri.main.get.programs import PROGRAM_NUMBERS
from pydri.main.light.layout import MAX_LIGHTS
from pydri.main.matrix.layout import (
    MAX_CLIP_PLANES,
    MAX_MODELVIEW_STACK,
    MAX_PROJECTION_STACK,
    MAX_TEXTURE_STACK,
)
from pydri.main.matrix.tables import MODELVIEW, PROJECTION, TEXTURE, Stack
from pydri.main.names.objects import name_at
from pydri.main.state.layout import FRAGMENT_FREE
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_TARGETS, MAX_TEXTURE_UNITS
from pydri.main.textures.parameters import MAX_ANISOTROPY
from pydri.main.textures.tables import BIND_QUERIES
from pydri.nir.enums import VERT_ATTRIB_TEX0
from pydri.pipe.native import MAX_TARGETS as DRAW_BUFFERS
from pydri.pipe.native import MAX_VERTEX_STREAMS, Surface
from pydri.util import clock


class Param(NamedTuple):
    """One parameter of glGet*."""

    enum: int
    kind: str
    size: int
    place: Any
    unit: int = 0
    stack: Stack | None = None
    where: In | None = None


def _binding(slot: int) -> Callable[[Any], int]:
    def name(ctx: Any) -> int:
        at = slot + (ctx.n.arrays.client_active_texture if slot == VERT_ATTRIB_TEX0 else 0)
        vao = ctx.vao
        return name_at(vao.buffers[vao.attribs[at].binding].buffer)

    return name


def _texture(index: int) -> Callable[[Any], int]:
    def name(ctx: Any) -> int:
        n = ctx.n
        return name_at(n.textures.bound[n.raw.active_texture * MAX_TEXTURE_TARGETS + index])

    return name


def _sampler(ctx: Any) -> int:
    return name_at(ctx.n.textures.sampler[ctx.n.raw.active_texture])


def _texcoord(field: str) -> Callable[[Any], int]:
    def value(ctx: Any) -> int:
        unit = ctx.n.arrays.client_active_texture
        return int(getattr(ctx.vao.attribs[VERT_ATTRIB_TEX0 + unit], field))

    return value


def _texcoord_count(ctx: Any) -> int:
    return int(ctx.vao.counts[VERT_ATTRIB_TEX0 + ctx.n.arrays.client_active_texture])


def _draw_buffer(n: int) -> Callable[[Any], int]:
    def value(ctx: Any) -> int:
        fbo, raw = ctx.n.framebuffers.draw, ctx.n.raw
        if fbo:
            return int(FramebufferObject.view(fbo).draw_buffers[n])
        return int(raw.more_draw_buffers[n - 1] if n else raw.draw_buffer)

    return value


def _read_buffer(ctx: Any) -> int:
    fbo = ctx.n.framebuffers.read
    return int(FramebufferObject.view(fbo).read_buffer if fbo else ctx.n.raw.read_buffer)


def _read_as(ctx: Any) -> tuple[int, int]:
    from pydri.main.framebuffers.query_entries import read_as

    fbo = ctx.n.framebuffers.read
    return read_as(ctx, FramebufferObject.view(fbo) if fbo else None)


def _signed(ctx: Any) -> list[int]:
    """Which of red, green, blue and alpha of the first draw buffer can be negative."""
    surface = ctx.n.dyn.fb.cbuf
    return list(signed_of(Surface.view(surface).format if surface else 0))


def _bound(field: str) -> Callable[[Any], int]:
    return lambda ctx: name_at(getattr(ctx.n.framebuffers, field))


def _clamped(block: str, field: str) -> Callable[[Any], list[float]]:
    """The getter of a colour that is clamped to [0, 1] while fragment colours are (GL 3.0)."""

    def value(ctx: Any) -> list[float]:
        given = list(getattr(getattr(ctx.n, block), field))
        if ctx.n.key.clamping & FRAGMENT_FREE:
            return given
        return [min(max(v, 0.0), 1.0) for v in given]

    return value


def _stencil_ref(side: int) -> Callable[[Any], int]:
    def value(ctx: Any) -> int:
        given: int = ctx.n.raw.stencil_ref[_side(ctx) if side == 0 else side]
        return max(0, min(given, (1 << int(ctx.n.visual.stencil)) - 1))

    return value


def _side(ctx: Any) -> int:
    """What GL_STENCIL_* without a face reads: the front, or the active face of
    EXT_stencil_two_side.
    """
    return 2 if ctx.n.raw.stencil_active_face == gl.GL_BACK else 0


def _stencil_key(field: str) -> Callable[[Any], int]:
    return lambda ctx: getattr(ctx.n.key.stencil[_side(ctx)], field)


def _stencil_raw(field: str) -> Callable[[Any], int]:
    return lambda ctx: getattr(ctx.n.raw, field)[_side(ctx)]


def _store_flag(side: str, index: int) -> Callable[[Any], int]:
    return lambda ctx: getattr(ctx.n.raw, side)[index]


def _debug(ctx: Any) -> Any:
    return debug(ctx)


def _next_length(ctx: Any) -> int:
    log = _debug(ctx).log
    return len(log[0].text) + 1 if log else 0


P = Param
#: also there where the client's switch of restarts is
_RESTART = In(31, 31, 0, 0, ("NV_primitive_restart",))
#: also in contexts that are older: no program is harmed
_VERSION = In(10, 31, 0, 30)
#: with geometry shaders, not with uniform buffers alone
_GEOMETRY = dict.fromkeys(
    (gl.GL_MAX_GEOMETRY_UNIFORM_BLOCKS, gl.GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS), In(32, 32))
#: in all of OpenGL ES, as the peer tells it: programs ask every context
_PLANES = In(10, 31, 10, 20)
_STRIDE = In(44, 44, 0, 31, ("ARB_vertex_attrib_binding",))
_ATTR = "vao.attribs[%d].%s"
_TEX = 16  # bytes of a texture coordinate

PARAMS: tuple[Param, ...] = (
    # current values
    P(gl.GL_CURRENT_COLOR, "n", 4, "val.current[2]"),
    P(gl.GL_CURRENT_SECONDARY_COLOR, "n", 4, "val.current[3]"),
    P(gl.GL_CURRENT_INDEX, "f", 1, "val.current[5]"),
    P(gl.GL_CURRENT_NORMAL, "n", 3, "val.current[1]"),
    P(gl.GL_CURRENT_FOG_COORD, "f", 1, "val.current[4]"),
    P(gl.GL_CURRENT_TEXTURE_COORDS, "f", 4, "val.current[6]", unit=_TEX),
    P(gl.GL_EDGE_FLAG, "b", 1, lambda ctx: ctx.n.val.current[31][0] != 0.0),
    P(gl.GL_CURRENT_RASTER_POSITION, "f", 4, "raw.raster_position"),
    P(gl.GL_CURRENT_RASTER_DISTANCE, "f", 1, "raw.raster_distance"),
    P(gl.GL_CURRENT_RASTER_COLOR, "n", 4, "raw.raster_color"),
    P(gl.GL_CURRENT_RASTER_SECONDARY_COLOR, "n", 4, "raw.raster_secondary_color"),
    P(gl.GL_CURRENT_RASTER_INDEX, "f", 1, 1.0),
    P(gl.GL_CURRENT_RASTER_TEXTURE_COORDS, "f", 4, "raw.raster_texcoords", unit=_TEX),
    P(gl.GL_CURRENT_RASTER_POSITION_VALID, "b", 1, "raw.raster_valid"),
    # matrices and transformation
    P(gl.GL_MATRIX_MODE, "I", 1, "matrix.mode_enum"),
    P(gl.GL_MODELVIEW_MATRIX, "f", 16, "matrix.modelview", stack=MODELVIEW),
    P(gl.GL_PROJECTION_MATRIX, "f", 16, "matrix.projection", stack=PROJECTION),
    P(gl.GL_TEXTURE_MATRIX, "f", 16, "matrix.texture", stack=TEXTURE),
    P(gl.GL_TRANSPOSE_MODELVIEW_MATRIX, "f", 16, transposed(MODELVIEW)),
    P(gl.GL_TRANSPOSE_PROJECTION_MATRIX, "f", 16, transposed(PROJECTION)),
    P(gl.GL_TRANSPOSE_TEXTURE_MATRIX, "f", 16, transposed(TEXTURE)),
    P(gl.GL_MODELVIEW_STACK_DEPTH, "i", 1, depth(MODELVIEW)),
    P(gl.GL_PROJECTION_STACK_DEPTH, "i", 1, depth(PROJECTION)),
    P(gl.GL_TEXTURE_STACK_DEPTH, "i", 1, depth(TEXTURE)),
    P(gl.GL_VIEWPORT, "f", 4, "raw.viewport"),
    P(gl.GL_DEPTH_RANGE, "N", 2, "raw.depth_range"),
    P(gl.GL_CLIP_ORIGIN, "I", 1, "raw.clip_origin"),
    P(gl.GL_CLIP_DEPTH_MODE, "I", 1, "raw.clip_depth_mode"),
    P(gl.GL_SCISSOR_BOX, "i", 4, "raw.scissor"),
    # lighting and colour
    P(gl.GL_FOG_COLOR, "n", 4, "val.frag.fog_color"),
    P(gl.GL_FOG_DENSITY, "f", 1, "val.frag.fog_density"),
    P(gl.GL_FOG_START, "f", 1, "val.frag.fog_start"),
    P(gl.GL_FOG_END, "f", 1, "val.frag.fog_end"),
    P(gl.GL_FOG_INDEX, "f", 1, "raw.fog_index"),
    P(gl.GL_FOG_MODE, "h", 1, "key.fog_mode"),
    P(gl.GL_FOG_COORD_SRC, "h", 1, "key.fog_coord_src"),
    P(gl.GL_FOG_DISTANCE_MODE_NV, "h", 1, "key.fog_distance_mode"),
    P(gl.GL_SHADE_MODEL, "h", 1, "key.shade_model"),
    P(gl.GL_COLOR_MATERIAL_FACE, "h", 1, "key.light.color_material_face"),
    P(gl.GL_COLOR_MATERIAL_PARAMETER, "h", 1, "key.light.color_material_mode"),
    P(gl.GL_LIGHT_MODEL_AMBIENT, "n", 4, "val.light_model_ambient"),
    P(gl.GL_LIGHT_MODEL_LOCAL_VIEWER, "b", 1, "key.light.local_viewer"),
    P(gl.GL_LIGHT_MODEL_TWO_SIDE, "b", 1, "key.light.two_side"),
    P(gl.GL_LIGHT_MODEL_COLOR_CONTROL, "I", 1, "raw.light_model_color_control"),
    # rasterisation
    P(gl.GL_POINT_SIZE, "f", 1, "val.point_size"),
    P(gl.GL_POINT_SIZE_MIN, "f", 1, "val.point_size_min"),
    P(gl.GL_POINT_SIZE_MAX, "f", 1, "val.point_size_max"),
    P(gl.GL_POINT_FADE_THRESHOLD_SIZE, "f", 1, "val.point_fade"),
    P(gl.GL_POINT_DISTANCE_ATTENUATION, "f", 3, "val.point_attenuation"),
    P(gl.GL_POINT_SPRITE_COORD_ORIGIN, "I", 1, "raw.point_sprite_origin"),
    P(gl.GL_LINE_WIDTH, "f", 1, "raw.line_width"),
    P(gl.GL_LINE_STIPPLE_PATTERN, "I", 1, "raw.line_stipple_pattern"),
    P(gl.GL_LINE_STIPPLE_REPEAT, "i", 1, "raw.line_stipple_factor"),
    P(gl.GL_CULL_FACE_MODE, "I", 1, "raw.cull_face_mode"),
    P(gl.GL_FRONT_FACE, "I", 1, "raw.front_face"),
    P(gl.GL_POLYGON_MODE, "h", 2, "key.polygon_front"),  # and polygon_back behind it
    P(gl.GL_POLYGON_OFFSET_FACTOR, "f", 1, "raw.offset_factor"),
    P(gl.GL_POLYGON_OFFSET_UNITS, "f", 1, "raw.offset_units"),
    P(gl.GL_PROVOKING_VERTEX, "h", 1, "key.provoking"),
    P(gl.GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION, "b", 1, 0),
    P(gl.GL_POLYGON_OFFSET_CLAMP, "f", 1, "raw.offset_clamp"),
    P(gl.GL_PRIMITIVE_RESTART_INDEX, "I", 1, "raw.restart_index", where=_RESTART),
    P(gl.GL_PRIMITIVE_RESTART_INDEX_NV, "I", 1, "raw.restart_index"),
    P(gl.GL_SAMPLE_COVERAGE_VALUE, "f", 1, "raw.sample_coverage_value"),
    P(gl.GL_SAMPLE_COVERAGE_INVERT, "b", 1, "raw.sample_coverage_invert"),
    # texture units
    P(gl.GL_ACTIVE_TEXTURE, "i", 1, lambda ctx: gl.GL_TEXTURE0 + ctx.n.raw.active_texture),
    P(gl.GL_CLIENT_ACTIVE_TEXTURE, "i", 1,
      lambda ctx: gl.GL_TEXTURE0 + ctx.n.arrays.client_active_texture),
    *(P(enum, "i", 1, _texture(index)) for index, enum in enumerate(BIND_QUERIES)),
    P(gl.GL_TIMESTAMP, "L", 1, lambda ctx: clock.monotonic_ns()),
    P(gl.GL_GPU_DISJOINT_EXT, "i", 1, 0),  # the clock never stops
    # per-fragment operations
    P(gl.GL_ALPHA_TEST_FUNC, "h", 1, "key.alpha_func"),
    P(gl.GL_ALPHA_TEST_REF, "n", 1, "dyn.alpha_ref"),
    P(gl.GL_STENCIL_FUNC, "i", 1, _stencil_key("func")),
    P(gl.GL_STENCIL_FAIL, "i", 1, _stencil_key("fail")),
    P(gl.GL_STENCIL_PASS_DEPTH_FAIL, "i", 1, _stencil_key("zfail")),
    P(gl.GL_STENCIL_PASS_DEPTH_PASS, "i", 1, _stencil_key("zpass")),
    P(gl.GL_STENCIL_REF, "i", 1, _stencil_ref(0)),
    P(gl.GL_STENCIL_VALUE_MASK, "I", 1, _stencil_raw("stencil_mask")),
    P(gl.GL_STENCIL_WRITEMASK, "I", 1, _stencil_raw("stencil_writemask")),
    P(gl.GL_STENCIL_BACK_FUNC, "h", 1, "key.stencil[1].func"),
    P(gl.GL_STENCIL_BACK_FAIL, "h", 1, "key.stencil[1].fail"),
    P(gl.GL_STENCIL_BACK_PASS_DEPTH_FAIL, "h", 1, "key.stencil[1].zfail"),
    P(gl.GL_STENCIL_BACK_PASS_DEPTH_PASS, "h", 1, "key.stencil[1].zpass"),
    P(gl.GL_STENCIL_BACK_REF, "i", 1, _stencil_ref(1)),
    P(gl.GL_STENCIL_BACK_VALUE_MASK, "I", 1, "raw.stencil_mask[1]"),
    P(gl.GL_STENCIL_BACK_WRITEMASK, "I", 1, "raw.stencil_writemask[1]"),
    P(gl.GL_ACTIVE_STENCIL_FACE_EXT, "I", 1, "raw.stencil_active_face"),
    P(gl.GL_DEPTH_FUNC, "h", 1, "key.depth_func"),
    P(gl.GL_DEPTH_WRITEMASK, "b", 1, "key.depth_mask"),
    P(gl.GL_DEPTH_CLEAR_VALUE, "N", 1, "raw.clear_depth"),
    P(gl.GL_BLEND_SRC, "h", 1, "key.blend_src_rgb"),
    P(gl.GL_BLEND_DST, "h", 1, "key.blend_dst_rgb"),
    P(gl.GL_BLEND_SRC_RGB, "h", 1, "key.blend_src_rgb"),
    P(gl.GL_BLEND_DST_RGB, "h", 1, "key.blend_dst_rgb"),
    P(gl.GL_BLEND_SRC_ALPHA, "h", 1, "key.blend_src_alpha"),
    P(gl.GL_BLEND_DST_ALPHA, "h", 1, "key.blend_dst_alpha"),
    P(gl.GL_BLEND_EQUATION, "h", 1, "key.blend_eq_rgb"),
    P(gl.GL_BLEND_EQUATION_ALPHA, "h", 1, "key.blend_eq_alpha"),
    P(gl.GL_BLEND_COLOR, "n", 4, _clamped("dyn", "blend_color")),
    P(gl.GL_LOGIC_OP_MODE, "h", 1, "key.logic_op"),
    P(gl.GL_COLOR_WRITEMASK, "b", 4, lambda ctx: [ctx.n.key.color_mask >> k & 1 for k in range(4)]),
    P(gl.GL_INDEX_WRITEMASK, "i", 1, "raw.index_mask"),
    # framebuffer
    P(gl.GL_DRAW_BUFFER, "I", 1, _draw_buffer(0)),
    *(P(gl.GL_DRAW_BUFFER0 + n, "I", 1, _draw_buffer(n)) for n in range(DRAW_BUFFERS)),
    P(gl.GL_READ_BUFFER, "I", 1, _read_buffer),
    P(gl.GL_DRAW_FRAMEBUFFER_BINDING, "I", 1, _bound("draw")),
    P(gl.GL_READ_FRAMEBUFFER_BINDING, "I", 1, _bound("read")),
    P(gl.GL_RENDERBUFFER_BINDING, "I", 1, _bound("renderbuffer")),
    P(gl.GL_MAX_RENDERBUFFER_SIZE, "I", 1, "limits.texture_2d"),
    P(gl.GL_MAX_COLOR_ATTACHMENTS, "I", 1, "limits.draw_buffers"),
    P(gl.GL_MAX_SAMPLES, "I", 1, "limits.samples"),
    P(gl.GL_MAX_INTEGER_SAMPLES, "I", 1, "limits.samples"),
    P(gl.GL_MAX_COLOR_TEXTURE_SAMPLES, "I", 1, "limits.samples"),
    P(gl.GL_MAX_DEPTH_TEXTURE_SAMPLES, "I", 1, "limits.samples"),
    P(gl.GL_MAX_SAMPLE_MASK_WORDS, "i", 1, 1),
    P(gl.GL_MAX_FRAMEBUFFER_WIDTH, "I", 1, "limits.texture_2d"),
    P(gl.GL_MAX_FRAMEBUFFER_HEIGHT, "I", 1, "limits.texture_2d"),
    P(gl.GL_MAX_FRAMEBUFFER_LAYERS, "I", 1, "limits.array_layers"),
    P(gl.GL_MAX_FRAMEBUFFER_SAMPLES, "I", 1, "limits.samples"),
    P(gl.GL_COLOR_CLEAR_VALUE, "n", 4, _clamped("raw", "clear_color")),
    P(gl.GL_CLAMP_VERTEX_COLOR, "I", 1, "raw.clamp_vertex"),
    P(gl.GL_CLAMP_FRAGMENT_COLOR, "I", 1, "raw.clamp_fragment"),
    P(gl.GL_CLAMP_READ_COLOR, "I", 1, "raw.clamp_read"),
    P(gl.GL_RGBA_FLOAT_MODE_ARB, "I", 1, "visual.floats"),
    P(gl.GL_RGBA_INTEGER_MODE_EXT, "I", 1, "visual.integers",
      where=on_desktop("EXT_texture_integer")),
    P(gl.GL_INDEX_CLEAR_VALUE, "f", 1, "raw.clear_index"),
    P(gl.GL_STENCIL_CLEAR_VALUE, "i", 1, "raw.clear_stencil"),
    P(gl.GL_ACCUM_CLEAR_VALUE, "n", 4, "raw.clear_accum"),
    P(gl.GL_RED_BITS, "I", 1, "visual.red"),
    P(gl.GL_GREEN_BITS, "I", 1, "visual.green"),
    P(gl.GL_BLUE_BITS, "I", 1, "visual.blue"),
    P(gl.GL_ALPHA_BITS, "I", 1, "visual.alpha"),
    P(gl.GL_DEPTH_BITS, "I", 1, "visual.depth"),
    P(gl.GL_STENCIL_BITS, "I", 1, "visual.stencil"),
    P(gl.GL_INDEX_BITS, "i", 1, 0),
    P(gl.GL_ACCUM_RED_BITS, "I", 1, "visual.accum[0]"),
    P(gl.GL_ACCUM_GREEN_BITS, "I", 1, "visual.accum[1]"),
    P(gl.GL_ACCUM_BLUE_BITS, "I", 1, "visual.accum[2]"),
    P(gl.GL_ACCUM_ALPHA_BITS, "I", 1, "visual.accum[3]"),
    P(gl.GL_AUX_BUFFERS, "I", 1, "visual.aux"),
    P(gl.GL_DOUBLEBUFFER, "I", 1, "visual.double_buffer"),
    P(gl.GL_FRAMEBUFFER_SRGB_CAPABLE_EXT, "I", 1, "visual.srgb",
      where=on_desktop("EXT_framebuffer_sRGB")),
    P(gl.GL_STEREO, "I", 1, "visual.stereo"),
    P(gl.GL_RGBA_MODE, "b", 1, 1),
    P(gl.GL_INDEX_MODE, "b", 1, 0),
    P(gl.GL_SAMPLES, "I", 1, "visual.samples"),
    P(gl.GL_SAMPLE_BUFFERS, "i", 1, lambda ctx: int(ctx.n.visual.samples > 1)),
    P(gl.GL_IMPLEMENTATION_COLOR_READ_FORMAT, "i", 1, lambda ctx: _read_as(ctx)[0]),
    P(gl.GL_IMPLEMENTATION_COLOR_READ_TYPE, "i", 1, lambda ctx: _read_as(ctx)[1]),
    # pixel store, pixel transfer that is not written: its neutral values
    *(
        P(
            getattr(gl, f"GL_{side}_{name}"),
            "b" if k > 5 else "i",
            1,
            f"raw.{side.lower()}[{k}]" if k < 6 else _store_flag(side.lower(), k),
        )
        for side in ("PACK", "UNPACK")
        for k, name in enumerate(
            (
                "ALIGNMENT", "ROW_LENGTH", "SKIP_ROWS", "SKIP_PIXELS",
                "IMAGE_HEIGHT", "SKIP_IMAGES", "SWAP_BYTES", "LSB_FIRST",
            )
        )
    ),
    P(gl.GL_PACK_INVERT_MESA, "b", 1, "pixel.pack_invert", where=on_desktop("MESA_pack_invert")),
    P(gl.GL_PACK_REVERSE_ROW_ORDER_ANGLE, "b", 1, "pixel.pack_invert"),
    *(
        P(getattr(gl, f"GL_{side}_COMPRESSED_BLOCK_{name}"), "i", 1,
          f"raw.{side.lower()}_blocks[{k}]")
        for side in ("PACK", "UNPACK")
        for k, name in enumerate(("WIDTH", "HEIGHT", "DEPTH", "SIZE"))
    ),  # fmt: skip
    P(gl.GL_ZOOM_X, "f", 1, "raw.pixel_zoom[0]"),
    P(gl.GL_ZOOM_Y, "f", 1, "raw.pixel_zoom[1]"),
    *(
        P(getattr(gl, f"GL_{c}_SCALE"), "f", 1, f"raw.pixel_scale[{n}]", where=COMPAT_ONLY)
        for n, c in enumerate(("RED", "GREEN", "BLUE", "ALPHA", "DEPTH"))
    ),
    *(
        P(getattr(gl, f"GL_{c}_BIAS"), "f", 1, f"raw.pixel_bias[{n}]")
        for n, c in enumerate(("RED", "GREEN", "BLUE", "ALPHA", "DEPTH"))
    ),
    P(gl.GL_MAP_COLOR, "b", 1, "raw.map_color"),
    P(gl.GL_MAP_STENCIL, "b", 1, "raw.map_stencil"),
    P(gl.GL_INDEX_SHIFT, "i", 1, "raw.index_shift"),
    P(gl.GL_INDEX_OFFSET, "i", 1, "raw.index_offset"),
    *(
        P(getattr(gl, f"GL_PIXEL_MAP_{m}_SIZE"), "I", 1, f"raw.pixel_map_size[{n}]")
        for n, m in enumerate(
            (
                "I_TO_I",
                "S_TO_S",
                "I_TO_R",
                "I_TO_G",
                "I_TO_B",
                "I_TO_A",
                "R_TO_R",
                "G_TO_G",
                "B_TO_B",
                "A_TO_A",
            )
        )
    ),
    # hints
    P(gl.GL_PERSPECTIVE_CORRECTION_HINT, "I", 1, "raw.hints[0]"),
    P(gl.GL_POINT_SMOOTH_HINT, "I", 1, "raw.hints[1]"),
    P(gl.GL_LINE_SMOOTH_HINT, "I", 1, "raw.hints[2]"),
    P(gl.GL_POLYGON_SMOOTH_HINT, "I", 1, "raw.hints[3]"),
    P(gl.GL_FOG_HINT, "I", 1, "raw.hints[4]"),
    P(gl.GL_GENERATE_MIPMAP_HINT, "I", 1, "raw.hints[5]"),
    P(gl.GL_TEXTURE_COMPRESSION_HINT, "I", 1, "raw.hints[6]"),
    P(gl.GL_FRAGMENT_SHADER_DERIVATIVE_HINT, "I", 1, "raw.hints[7]"),
    P(gl.GL_MAX_SHADER_COMPILER_THREADS_KHR, "i", 1, "raw.compiler_threads"),
    # stacks, lists, modes
    P(gl.GL_ATTRIB_STACK_DEPTH, "I", 1, "attrib.depth"),
    P(gl.GL_CLIENT_ATTRIB_STACK_DEPTH, "I", 1, "attrib.client_depth"),
    P(gl.GL_NAME_STACK_DEPTH, "I", 1, "select.depth"),
    P(gl.GL_LIST_BASE, "I", 1, "raw.list_base"),
    P(gl.GL_LIST_INDEX, "I", 1, "dlist.name"),
    P(gl.GL_LIST_MODE, "I", 1, "dlist.mode"),
    P(gl.GL_RENDER_MODE, "i", 1,
      lambda ctx: (gl.GL_RENDER, gl.GL_SELECT, gl.GL_FEEDBACK)[ctx.n.key.render_mode]),
    P(gl.GL_FEEDBACK_BUFFER_SIZE, "I", 1, "feedback.size"),
    P(gl.GL_FEEDBACK_BUFFER_TYPE, "I", 1, "feedback.type"),
    P(gl.GL_SELECTION_BUFFER_SIZE, "I", 1, "select.size"),
    P(gl.GL_MAP1_GRID_DOMAIN, "f", 2, "raw.map1_domain"),
    P(gl.GL_MAP1_GRID_SEGMENTS, "i", 1, "raw.map1_segments"),
    P(gl.GL_MAP2_GRID_DOMAIN, "f", 4, "raw.map2_domain"),
    P(gl.GL_MAP2_GRID_SEGMENTS, "i", 2, "raw.map2_segments"),
    # arrays and buffers
    P(gl.GL_VERTEX_ARRAY_SIZE, "I", 1, _ATTR % (0, "size")),
    P(gl.GL_VERTEX_ARRAY_TYPE, "h", 1, _ATTR % (0, "type")),
    P(gl.GL_VERTEX_ARRAY_STRIDE, "I", 1, _ATTR % (0, "given_stride")),
    P(gl.GL_NORMAL_ARRAY_TYPE, "h", 1, _ATTR % (1, "type")),
    P(gl.GL_NORMAL_ARRAY_STRIDE, "I", 1, _ATTR % (1, "given_stride")),
    P(gl.GL_COLOR_ARRAY_SIZE, "I", 1, _ATTR % (2, "size")),
    P(gl.GL_COLOR_ARRAY_TYPE, "h", 1, _ATTR % (2, "type")),
    P(gl.GL_COLOR_ARRAY_STRIDE, "I", 1, _ATTR % (2, "given_stride")),
    P(gl.GL_SECONDARY_COLOR_ARRAY_SIZE, "I", 1, _ATTR % (3, "size")),
    P(gl.GL_SECONDARY_COLOR_ARRAY_TYPE, "h", 1, _ATTR % (3, "type")),
    P(gl.GL_SECONDARY_COLOR_ARRAY_STRIDE, "I", 1, _ATTR % (3, "given_stride")),
    P(gl.GL_FOG_COORD_ARRAY_TYPE, "h", 1, _ATTR % (4, "type")),
    P(gl.GL_FOG_COORD_ARRAY_STRIDE, "I", 1, _ATTR % (4, "given_stride")),
    P(gl.GL_INDEX_ARRAY_TYPE, "h", 1, _ATTR % (5, "type")),
    P(gl.GL_INDEX_ARRAY_STRIDE, "I", 1, _ATTR % (5, "given_stride")),
    P(gl.GL_EDGE_FLAG_ARRAY_STRIDE, "I", 1, _ATTR % (31, "given_stride")),
    P(gl.GL_TEXTURE_COORD_ARRAY_SIZE, "i", 1, _texcoord("size")),
    P(gl.GL_TEXTURE_COORD_ARRAY_TYPE, "i", 1, _texcoord("type")),
    P(gl.GL_TEXTURE_COORD_ARRAY_STRIDE, "i", 1, _texcoord("given_stride")),
    P(gl.GL_POINT_SIZE_ARRAY_TYPE_OES, "h", 1, _ATTR % (14, "type")),
    P(gl.GL_POINT_SIZE_ARRAY_STRIDE_OES, "I", 1, _ATTR % (14, "given_stride")),
    P(gl.GL_VERTEX_ARRAY_COUNT_EXT, "I", 1, "vao.counts[0]"),
    P(gl.GL_NORMAL_ARRAY_COUNT_EXT, "I", 1, "vao.counts[1]"),
    P(gl.GL_COLOR_ARRAY_COUNT_EXT, "I", 1, "vao.counts[2]"),
    P(gl.GL_INDEX_ARRAY_COUNT_EXT, "I", 1, "vao.counts[5]"),
    P(gl.GL_EDGE_FLAG_ARRAY_COUNT_EXT, "I", 1, "vao.counts[31]"),
    P(gl.GL_TEXTURE_COORD_ARRAY_COUNT_EXT, "i", 1, _texcoord_count),
    *(P(name, "i", 1, bound_to(target)) for name, target in BINDINGS.items()),
    P(gl.GL_VERTEX_ARRAY_BINDING, "I", 1, "vao.name"),
    P(gl.GL_VERTEX_ARRAY_BUFFER_BINDING, "i", 1, _binding(0)),
    P(gl.GL_NORMAL_ARRAY_BUFFER_BINDING, "i", 1, _binding(1)),
    P(gl.GL_COLOR_ARRAY_BUFFER_BINDING, "i", 1, _binding(2)),
    P(gl.GL_SECONDARY_COLOR_ARRAY_BUFFER_BINDING, "i", 1, _binding(3)),
    P(gl.GL_FOG_COORD_ARRAY_BUFFER_BINDING, "i", 1, _binding(4)),
    P(gl.GL_INDEX_ARRAY_BUFFER_BINDING, "i", 1, _binding(5)),
    P(gl.GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING, "i", 1, _binding(6)),
    P(gl.GL_EDGE_FLAG_ARRAY_BUFFER_BINDING, "i", 1, _binding(31)),
    P(gl.GL_POINT_SIZE_ARRAY_BUFFER_BINDING_OES, "i", 1, _binding(14)),
    # limits
    P(gl.GL_MAX_LIGHTS, "i", 1, MAX_LIGHTS),
    P(gl.GL_MAX_CLIP_PLANES, "i", 1, MAX_CLIP_PLANES, where=_PLANES),
    P(gl.GL_MAX_CULL_DISTANCES, "i", 1, MAX_CLIP_PLANES),
    P(gl.GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES, "i", 1, MAX_CLIP_PLANES),
    P(gl.GL_MAX_MODELVIEW_STACK_DEPTH, "i", 1, MAX_MODELVIEW_STACK),
    P(gl.GL_MAX_PROJECTION_STACK_DEPTH, "i", 1, MAX_PROJECTION_STACK),
    P(gl.GL_MAX_TEXTURE_STACK_DEPTH, "i", 1, MAX_TEXTURE_STACK),
    P(gl.GL_MAX_NAME_STACK_DEPTH, "i", 1, MAX_NAME_STACK),
    P(gl.GL_MAX_LIST_NESTING, "i", 1, la.MAX_LIST_NESTING),
    P(gl.GL_MAX_ATTRIB_STACK_DEPTH, "i", 1, MAX_ATTRIB_STACK),
    P(gl.GL_MAX_CLIENT_ATTRIB_STACK_DEPTH, "i", 1, MAX_CLIENT_ATTRIB_STACK),
    P(gl.GL_SAMPLER_BINDING, "i", 1, _sampler),
    P(gl.GL_MAX_TEXTURE_UNITS, "i", 1, MAX_TEXTURE_UNITS),
    P(gl.GL_MAX_TEXTURE_COORDS, "i", 1, MAX_TEXTURE_UNITS),
    P(gl.GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, "i", 1, MAX_IMAGE_UNITS),
    P(gl.GL_ARRAY_ELEMENT_LOCK_FIRST_EXT, "i", 1, "raw.lock_first"),
    P(gl.GL_ARRAY_ELEMENT_LOCK_COUNT_EXT, "i", 1, "raw.lock_count"),
    P(gl.GL_MAX_TEXTURE_SIZE, "i", 1, "limits.texture_2d"),
    P(gl.GL_MAX_3D_TEXTURE_SIZE, "i", 1, "limits.texture_3d"),
    P(gl.GL_MAX_CUBE_MAP_TEXTURE_SIZE, "i", 1, "limits.texture_cube"),
    P(gl.GL_MAX_TEXTURE_LOD_BIAS, "f", 1, "limits.texture_lod_bias"),
    P(gl.GL_MAX_SHININESS_NV, "f", 1, 128.0),
    P(gl.GL_MAX_SPOT_EXPONENT_NV, "f", 1, 128.0),
    P(gl.GL_MAX_VIEWPORT_DIMS, "i", 2, "limits.viewport"),
    P(gl.GL_MAX_PIXEL_MAP_TABLE, "i", 1, 256),
    P(gl.GL_MAX_EVAL_ORDER, "i", 1, 30),
    P(gl.GL_MAX_ELEMENTS_VERTICES, "i", 1, 3000),
    P(gl.GL_MAX_ELEMENTS_INDICES, "i", 1, 3000),
    P(gl.GL_CONTEXT_RELEASE_BEHAVIOR, "I", 1, "release_behavior"),
    P(gl.GL_RESET_NOTIFICATION_STRATEGY, "I", 1, "reset_strategy"),
    P(gl.GL_CONTEXT_ROBUST_ACCESS, "b", 1, lambda ctx: int(ctx.robust_access)),
    P(gl.GL_MAX_VERTEX_ATTRIBS, "i", 1, 16),
    P(gl.GL_MAX_VERTEX_ATTRIB_BINDINGS, "i", 1, 16),
    P(gl.GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET, "i", 1, 2047),
    P(gl.GL_MAX_VERTEX_ATTRIB_STRIDE, "i", 1, "limits.attrib_stride", where=_STRIDE),
    P(gl.GL_MIN_MAP_BUFFER_ALIGNMENT, "i", 1, 64),
    *(P(enum, "i", 1, value, where=_GEOMETRY.get(enum))
      for enum, value in (POINT_LIMITS | TEXEL_BUFFERS).items()),
    P(gl.GL_MAX_VERTEX_STREAMS, "i", 1, MAX_VERTEX_STREAMS),
    P(gl.GL_TRANSFORM_FEEDBACK_BINDING, "i", 1, lambda ctx: name_at(ctx.n.transform.current)),
    P(gl.GL_TRANSFORM_FEEDBACK_PAUSED, "i", 1, "transform.now.paused"),
    P(gl.GL_TRANSFORM_FEEDBACK_ACTIVE, "i", 1, "transform.now.active"),
    P(gl.GL_MAX_ELEMENT_INDEX, "L", 1, lambda ctx: (1 << 32) - 1),
    P(gl.GL_MAX_SERVER_WAIT_TIMEOUT, "L", 1, lambda ctx: (1 << 63) - 1),
    P(gl.GL_SUBPIXEL_BITS, "i", 1, "limits.subpixel_bits"),
    P(gl.GL_RGBA_SIGNED_COMPONENTS_EXT, "i", 4, _signed, where=on_desktop("EXT_packed_float")),
    P(gl.GL_MAX_RECTANGLE_TEXTURE_SIZE, "i", 1, "limits.texture_2d"),
    P(gl.GL_MAX_ARRAY_TEXTURE_LAYERS, "i", 1, "limits.array_layers"),
    P(gl.GL_MIN_PROGRAM_TEXEL_OFFSET, "i", 1, -32),
    P(gl.GL_MAX_PROGRAM_TEXEL_OFFSET, "i", 1, 31),
    P(gl.GL_MIN_PROGRAM_TEXTURE_GATHER_OFFSET, "i", 1, -32),
    P(gl.GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET, "i", 1, 31),
    P(gl.GL_MAX_PROGRAM_TEXTURE_GATHER_COMPONENTS_ARB, "i", 1, 4),
    P(gl.GL_MAX_TEXTURE_MAX_ANISOTROPY, "f", 1, MAX_ANISOTROPY),
    P(gl.GL_NUM_COMPRESSED_TEXTURE_FORMATS, "i", 1, lambda ctx: len(compressed(ctx))),
    P(gl.GL_COMPRESSED_TEXTURE_FORMATS, "i", len(COMPRESSED_TOLD), compressed),
    P(gl.GL_ALIASED_POINT_SIZE_RANGE, "f", 2, "limits.point_size"),
    P(gl.GL_SMOOTH_POINT_SIZE_RANGE, "f", 2, "limits.smooth_point_size"),
    P(gl.GL_SMOOTH_POINT_SIZE_GRANULARITY, "f", 1, 0.1),
    P(gl.GL_ALIASED_LINE_WIDTH_RANGE, "f", 2, "limits.line_width"),
    P(gl.GL_SMOOTH_LINE_WIDTH_RANGE, "f", 2, "limits.smooth_line_width"),
    P(gl.GL_SMOOTH_LINE_WIDTH_GRANULARITY, "f", 1, 0.1),
    P(gl.GL_MAX_DRAW_BUFFERS, "i", 1, "limits.draw_buffers"),
    P(gl.GL_MAX_DUAL_SOURCE_DRAW_BUFFERS, "i", 1, "limits.dual_source"),
    P(gl.GL_CURRENT_PROGRAM, "i", 1, lambda ctx: name_at(ctx.n.program.current)),
    P(gl.GL_PROGRAM_ERROR_POSITION_ARB, "i", 1, lambda ctx: ctx.n.arb.error_position),
    *(P(enum, "i", 1, value) for enum, value in PROGRAM_NUMBERS.items()),
    P(gl.GL_CURRENT_MATRIX_STACK_DEPTH_ARB, "i", 1, current_depth),
    P(gl.GL_CURRENT_MATRIX_ARB, "f", 16, current_matrix),
    P(gl.GL_TRANSPOSE_CURRENT_MATRIX_ARB, "f", 16, current_transposed),
    P(gl.GL_SHADER_COMPILER, "b", 1, 1),
    P(gl.GL_NUM_SHADER_BINARY_FORMATS, "i", 1, 0),
    P(gl.GL_SHADER_BINARY_FORMATS, "i", 0, lambda ctx: []),
    P(gl.GL_NUM_PROGRAM_BINARY_FORMATS, "i", 1, 0),
    P(gl.GL_PROGRAM_BINARY_FORMATS, "i", 0, lambda ctx: []),
    P(gl.GL_NUM_EXTENSIONS, "i", 1, lambda ctx: len(_extensions(ctx)), where=_VERSION),
    P(gl.GL_MAJOR_VERSION, "i", 1, "major", where=_VERSION),
    P(gl.GL_MINOR_VERSION, "i", 1, "minor", where=_VERSION),
    P(gl.GL_CONTEXT_FLAGS, "i", 1, "context_flags", where=In(10, 31, 0, 32)),
    P(gl.GL_CONTEXT_PROFILE_MASK, "i", 1, "profile"),
    P(gl.GL_MAX_DEBUG_MESSAGE_LENGTH, "i", 1, 4096),
    P(gl.GL_MAX_DEBUG_LOGGED_MESSAGES, "i", 1, 10),
    P(gl.GL_MAX_DEBUG_GROUP_STACK_DEPTH, "i", 1, 64),
    P(gl.GL_MAX_LABEL_LENGTH, "i", 1, 256),
    P(gl.GL_DEBUG_LOGGED_MESSAGES, "i", 1, lambda ctx: len(_debug(ctx).log)),
    P(gl.GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH, "i", 1, _next_length),
    P(gl.GL_DEBUG_GROUP_STACK_DEPTH, "i", 1, lambda ctx: len(_debug(ctx).groups) + 1),
)


def _extensions(ctx: Any) -> list[str]:
    from pydri.main.get.string_entries import extension_list

    return extension_list(ctx)


#: what a texture unit without coordinates does not have: GL_INVALID_OPERATION
OF_COORDINATES = (
    gl.GL_CURRENT_TEXTURE_COORDS,
    gl.GL_CURRENT_RASTER_TEXTURE_COORDS,
    gl.GL_TEXTURE_MATRIX,
    gl.GL_TRANSPOSE_TEXTURE_MATRIX,
    gl.GL_TEXTURE_STACK_DEPTH,
)
BY_ENUM: dict[int, Param] = {p.enum: p for p in PARAMS}
NATIVE: tuple[Param, ...] = tuple(p for p in PARAMS if isinstance(p.place, str))
#: limits: numbers that no state changes
CONSTANT: tuple[Param, ...] = tuple(p for p in PARAMS if isinstance(p.place, (int, float, tuple)))


#: glGetPointerv: the array that a name stands for
POINTERS: dict[int, int] = {
    gl.GL_VERTEX_ARRAY_POINTER: 0, gl.GL_NORMAL_ARRAY_POINTER: 1, gl.GL_COLOR_ARRAY_POINTER: 2,
    gl.GL_SECONDARY_COLOR_ARRAY_POINTER: 3,
    gl.GL_FOG_COORD_ARRAY_POINTER: 4,
    gl.GL_INDEX_ARRAY_POINTER: 5,
    gl.GL_TEXTURE_COORD_ARRAY_POINTER: 6,
    gl.GL_EDGE_FLAG_ARRAY_POINTER: 31,
    gl.GL_POINT_SIZE_ARRAY_POINTER_OES: 14,
}  # fmt: skip
