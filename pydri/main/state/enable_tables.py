# SPDX-License-Identifier: MIT
"""glEnable, glDisable, glIsEnabled: ONE table of capabilities, and native forms made from it.

A row says where the capability lives: a byte of the context and a bit of it. In: the enum. Out:
the byte changed (only if it differs, after pending vertices were drawn), the key or DIRTY_* bits
marked. The attribute stacks and glGet read the same table. Counterpart of Mesa's main/enable.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.where import COMPAT_ONLY, In
from pydri.main import layout as la
from pydri.main.arrays.layout import VertexArray
from pydri.main.arrays.tables import CLIENT_ARRAYS
from pydri.main.layout import GLContext
from pydri.main.light.layout import LIGHT_ENABLED, MAX_LIGHTS
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.main.state.layout import (
    SAMPLE_ALPHA_TO_COVERAGE,
    SAMPLE_ALPHA_TO_ONE,
    SAMPLE_COVERAGE,
    SAMPLE_MASK,
)
from pydri.main.textures.layout import (
    TEX_1D,
    TEX_2D,
    TEX_3D,
    TEX_CUBE,
    TEX_RECT,
    TEXGEN_Q,
    TEXGEN_R,
    TEXGEN_S,
    TEXGEN_T,
)

if TYPE_CHECKING:
    from pydri.main.context import GLContext as GLContextObject


class Cap(NamedTuple):
    """One capability: enum, path of the byte, bit in it, what is dirty after a change, whether
    each texture unit has one.
    """

    enum: int
    path: str
    mask: int = 1
    dirty: int = 0
    per_unit: bool = False
    #: whether GL_ENABLE_BIT saves it; restart belongs to the client's vertex arrays
    saved: bool = True
    client: bool = False  # switched by glEnableClientState
    told: int = 0  # the bit that glIsEnabled tells; 0: `mask` is one bit
    where: In | None = None
    #: contexts in which it is on for ever, since they have no switch for it
    always: In | None = None

    @property
    def in_key(self) -> bool:
        return self.path.startswith("key.")

    @property
    def of_coordinates(self) -> bool:
        """Whether only units with texture coordinates have it."""
        return self.path == "raw.texgen_enabled"

    @property
    def tells(self) -> int:
        """The bit that says whether it is on."""
        return self.told or self.mask


#: beyond those that the first version names there are as many as the driver has
_MORE_PLANES = In(10, 31, 10, 0, ("APPLE_clip_distance", "EXT_clip_cull_distance"))
#: also there where the client's switch is, which is another name of the same
_RESTART = In(31, 31, 0, 0, ("NV_primitive_restart",))
_FIXED_RESTART = In(43, 43, 0, 30, ("ARB_ES3_compatibility", "NV_primitive_restart"))
#: targets as switches of fixed function
_PLANE, _VOLUMES = In(10, 0, 10), In(12, 0, ext=("EXT_texture3D",))
_CUBES = In(13, 0, ext=("ARB_texture_cube_map:1", "EXT_texture_cube_map:1",
                        "OES_texture_cube_map:4"))  # fmt: skip
_RECTANGLES = In(31, 0, ext=("ARB_texture_rectangle:1", "EXT_texture_rectangle:1",
                             "NV_texture_rectangle:1"))  # fmt: skip


def _target(enum: int, bit: int, where: In) -> Cap:
    return Cap(enum, "raw.texture_enabled", bit, la.DIRTY_TEXTURE, True, where=where)


CAPS: tuple[Cap, ...] = (
    Cap(gl.GL_ALPHA_TEST, "key.alpha_test"),
    Cap(gl.GL_BLEND, "key.blend", 0xFF, told=1),  # a bit a colour target
    Cap(gl.GL_COLOR_LOGIC_OP, "key.color_logic_op"),
    Cap(gl.GL_COLOR_MATERIAL, "key.light.color_material", 1, la.DIRTY_LIGHT),
    Cap(gl.GL_COLOR_SUM, "key.color_sum"),
    Cap(gl.GL_CULL_FACE, "raw.cull_enabled", 1, la.DIRTY_VIEWPORT),
    Cap(gl.GL_DEPTH_CLAMP, "key.depth_clamp"),
    Cap(gl.GL_RASTERIZER_DISCARD, "dyn.discard", saved=False),
    Cap(gl.GL_DEPTH_TEST, "key.depth_test"),
    Cap(gl.GL_DITHER, "key.dither"),
    Cap(gl.GL_FOG, "key.fog", 1, la.DIRTY_FOG),
    Cap(gl.GL_LIGHTING, "key.light.lighting", 1, la.DIRTY_LIGHT),
    Cap(gl.GL_LINE_SMOOTH, "key.line_smooth"),
    Cap(gl.GL_LINE_STIPPLE, "key.line_stipple"),
    Cap(gl.GL_NORMALIZE, "key.light.normalize", 1, la.DIRTY_MODELVIEW),
    Cap(gl.GL_POINT_SMOOTH, "key.point_smooth"),
    Cap(gl.GL_POLYGON_SMOOTH, "key.polygon_smooth"),
    Cap(gl.GL_POLYGON_STIPPLE, "key.polygon_stipple", 1, la.DIRTY_VIEWPORT),
    Cap(gl.GL_POLYGON_OFFSET_POINT, "raw.offset_point", 1, la.DIRTY_VIEWPORT),
    Cap(gl.GL_POLYGON_OFFSET_LINE, "raw.offset_line", 1, la.DIRTY_VIEWPORT),
    Cap(gl.GL_POLYGON_OFFSET_FILL, "raw.offset_fill", 1, la.DIRTY_VIEWPORT),
    Cap(gl.GL_RESCALE_NORMAL, "key.light.rescale_normal", 1, la.DIRTY_MODELVIEW),
    Cap(gl.GL_SCISSOR_TEST, "raw.scissor_enabled", 1, la.DIRTY_VIEWPORT),
    Cap(gl.GL_STENCIL_TEST, "key.stencil_test", 1, la.DIRTY_STENCIL),
    Cap(gl.GL_STENCIL_TEST_TWO_SIDE_EXT, "key.stencil_two_side", 1, la.DIRTY_STENCIL),
    Cap(gl.GL_MULTISAMPLE, "key.multisample"),
    Cap(gl.GL_SAMPLE_ALPHA_TO_COVERAGE, "key.sample_flags", SAMPLE_ALPHA_TO_COVERAGE),
    Cap(gl.GL_SAMPLE_ALPHA_TO_ONE, "key.sample_flags", SAMPLE_ALPHA_TO_ONE),
    Cap(gl.GL_SAMPLE_COVERAGE, "key.sample_flags", SAMPLE_COVERAGE, la.DIRTY_VIEWPORT),
    Cap(gl.GL_SAMPLE_MASK, "key.sample_flags", SAMPLE_MASK, la.DIRTY_VIEWPORT),
    Cap(gl.GL_FRAMEBUFFER_SRGB, "key.framebuffer_srgb"),
    Cap(gl.GL_INDEX_LOGIC_OP, "raw.index_logic_op"),
    Cap(gl.GL_AUTO_NORMAL, "raw.auto_normal"),
    Cap(gl.GL_VERTEX_PROGRAM_POINT_SIZE, "key.program_point_size", always=In(0, 0, 0, 20)),
    Cap(gl.GL_VERTEX_PROGRAM_TWO_SIDE, "key.program_two_side"),
    Cap(gl.GL_VERTEX_PROGRAM_ARB, "arb.enabled[0]", 1, la.DIRTY_PROGRAM),
    Cap(gl.GL_FRAGMENT_PROGRAM_ARB, "arb.enabled[1]", 1, la.DIRTY_PROGRAM),
    Cap(gl.GL_FRAGMENT_SHADER_ATI, "arb.enabled[2]", 1, la.DIRTY_PROGRAM),
    Cap(
        gl.GL_POINT_SPRITE, "key.point_sprite", 1, la.DIRTY_TEXTURE, always=In(0, 31, 0, 20)
    ),
    Cap(gl.GL_RASTER_POSITION_UNCLIPPED_IBM, "raw.raster_unclipped"),
    *(
        Cap(gl.GL_LIGHT0 + i, f"key.light.flags[{i}]", LIGHT_ENABLED, la.DIRTY_LIGHT)
        for i in range(MAX_LIGHTS)
    ),
    *(
        Cap(
            gl.GL_CLIP_PLANE0 + i, "key.clip_planes", 1 << i, la.DIRTY_CLIP,
            where=_MORE_PLANES if i >= 6 else None,
        )
        for i in range(MAX_CLIP_PLANES)
    ),
    Cap(gl.GL_DEBUG_OUTPUT, "raw.debug_output", saved=False),
    Cap(gl.GL_DEBUG_OUTPUT_SYNCHRONOUS, "raw.debug_synchronous", saved=False),
    Cap(gl.GL_PRIMITIVE_RESTART, "raw.restart", saved=False, where=_RESTART),
    Cap(gl.GL_PRIMITIVE_RESTART_NV, "raw.restart", saved=False, client=True),
    Cap(
        gl.GL_PRIMITIVE_RESTART_FIXED_INDEX, "raw.restart_fixed", saved=False,
        where=_FIXED_RESTART,
    ),
    *(Cap(gl.GL_MAP1_COLOR_4 + i, f"raw.map1_enabled[{i}]") for i in range(9)),
    *(Cap(gl.GL_MAP2_COLOR_4 + i, f"raw.map2_enabled[{i}]") for i in range(9)),
    _target(gl.GL_TEXTURE_1D, TEX_1D, COMPAT_ONLY),
    _target(gl.GL_TEXTURE_2D, TEX_2D, _PLANE),
    _target(gl.GL_TEXTURE_3D, TEX_3D, _VOLUMES),
    _target(gl.GL_TEXTURE_CUBE_MAP, TEX_CUBE, _CUBES),
    _target(gl.GL_TEXTURE_RECTANGLE, TEX_RECT, _RECTANGLES),
    Cap(
        gl.GL_TEXTURE_CUBE_MAP_SEAMLESS, "raw.seamless", 1, la.DIRTY_TEXTURE, always=In(0, 0, 0, 30)
    ),
    Cap(gl.GL_TEXTURE_GEN_S, "raw.texgen_enabled", TEXGEN_S, la.DIRTY_TEXTURE, True),
    Cap(gl.GL_TEXTURE_GEN_T, "raw.texgen_enabled", TEXGEN_T, la.DIRTY_TEXTURE, True),
    Cap(gl.GL_TEXTURE_GEN_R, "raw.texgen_enabled", TEXGEN_R, la.DIRTY_TEXTURE, True),
    Cap(gl.GL_TEXTURE_GEN_Q, "raw.texgen_enabled", TEXGEN_Q, la.DIRTY_TEXTURE, True),
    Cap(
        gl.GL_TEXTURE_GEN_STR_OES, "raw.texgen_enabled", TEXGEN_S | TEXGEN_T | TEXGEN_R,
        la.DIRTY_TEXTURE, True, told=TEXGEN_S,
    ),
)
BY_ENUM: dict[int, Cap] = {cap.enum: cap for cap in CAPS}


def is_enabled(ctx: GLContextObject, enum: int) -> bool | None:
    """Python's view: whether a capability is on in a context; None if it is none of it."""
    n = ctx.n
    cap = ctx.row(BY_ENUM, enum)
    if cap is not None:
        here: Any = n
        for part in cap.path.split("."):
            name, _, index = part.partition("[")
            here = getattr(here, name)
            if index:
                here = here[int(index.rstrip("]"))]
        if cap.per_unit:
            here = here[n.raw.active_texture]
        return bool(here & cap.tells)
    row = ctx.row(CLIENT_ARRAYS, enum)
    if row is None:
        return None
    slot = row.slot
    if slot == 6:
        slot += n.arrays.client_active_texture
    return bool(VertexArray.view(n.arrays.vao).enabled >> slot & 1)


def offset_of(cap: Cap) -> int:
    """Byte offset of the capability's byte in the context (of unit 0's)."""
    return GLContext.offset(cap.path)
