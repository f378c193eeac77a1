# SPDX-License-Identifier: MIT
"""TABLE: the built-in variables, constants and structs of the fixed-function state.

In: a `Language`, a stage, the context's limits.  Out: what a name means.
A row holds type, mode, stage, since which versions (0: never; extensions bring it before), and for
inputs and outputs the slot or intrinsic that it is. Sources: GLSL 1.20 chapter 7, with what later
versions changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydri.glsl.language.versions import GPU4, GPU5, Language
from pydri.nir import enums, types
from pydri.nir.types import FLOAT, MAT3, MAT4, VEC2, VEC3, VEC4, Type


class Row(NamedTuple):
    """A variable. `size`: of an array; -1 for one that the shader sizes; a name: a limit's."""

    name: str
    type: Type
    mode: str
    stage: str = ""
    slot: int | str | None = None
    size: int | str = 0
    desktop: int = 110
    es: int = 0
    extensions: tuple[str, ...] = ()
    #: from which version on core profiles, and ES, have it no longer (0: they do)
    until: int = 0
    until_es: int = 0
    #: of an input that is the same in all of a primitive
    interp: str = ""
    #: a member of gl_PerVertex: of each vertex that a stage passes on
    per_vertex: bool = False


class Limit(NamedTuple):
    """A constant: the least value of the first version, from where to where it is there as in Row.
    A context gives its own value.
    """

    least: int
    desktop: int
    es: int
    until: int = 0
    until_es: int = 0
    extensions: tuple[str, ...] = ()


_DUAL: Final = ("GL_EXT_blend_func_extended",)
#: what brings distances to clip by to OpenGL ES, and those to cull by
_ES_DISTANCES: Final = ("GL_EXT_clip_cull_distance",)
_CULLS: Final = ("GL_ARB_cull_distance", *_ES_DISTANCES)
_LIMITS: Final[dict[str, tuple[Any, ...]]] = {
    "gl_MaxLights": (8, 110, 0, 140),
    "gl_MaxClipPlanes": (6, 110, 0, 140),
    "gl_MaxTextureUnits": (2, 110, 0, 140),
    "gl_MaxTextureCoords": (2, 110, 0, 140),
    "gl_MaxVertexAttribs": (16, 110, 100),
    "gl_MaxVertexUniformComponents": (512, 110, 0),
    "gl_MaxVaryingFloats": (32, 110, 0, 420),
    "gl_MaxVertexTextureImageUnits": (0, 110, 100),
    "gl_MaxCombinedTextureImageUnits": (2, 110, 100),
    "gl_MaxTextureImageUnits": (2, 110, 100),
    "gl_MaxFragmentUniformComponents": (64, 110, 0),
    "gl_MaxDrawBuffers": (1, 110, 100),
    "gl_MaxClipDistances": (8, 130, 0, 0, 0, _ES_DISTANCES),
    "gl_MaxCullDistances": (8, 450, 0, 0, 0, _CULLS),
    "gl_MaxCombinedClipAndCullDistances": (8, 450, 0, 0, 0, _CULLS),
    "gl_MaxVaryingComponents": (64, 130, 0),
    "gl_MaxVertexOutputComponents": (64, 150, 0),
    "gl_MaxGeometryInputComponents": (64, 150, 320),
    "gl_MaxGeometryOutputComponents": (128, 150, 320),
    "gl_MaxFragmentInputComponents": (128, 150, 0),
    "gl_MaxGeometryTextureImageUnits": (16, 150, 320),
    "gl_MaxGeometryOutputVertices": (256, 150, 320),
    "gl_MaxGeometryTotalOutputComponents": (1024, 150, 320),
    "gl_MaxGeometryUniformComponents": (1024, 150, 320),
    "gl_MaxGeometryVaryingComponents": (64, 150, 0),
    "gl_MaxVertexUniformVectors": (128, 410, 100),
    "gl_MaxFragmentUniformVectors": (16, 410, 100),
    "gl_MaxVaryingVectors": (8, 410, 100, 0, 300),
    "gl_MaxVertexOutputVectors": (16, 0, 300),
    "gl_MaxFragmentInputVectors": (15, 0, 300),
    "gl_MinProgramTexelOffset": (-8, 420, 300),
    "gl_MaxProgramTexelOffset": (7, 420, 300),
    "gl_MaxDualSourceDrawBuffersEXT": (1, 0, 0, 0, 0, _DUAL),
}
LIMITS: Final = {name: Limit(*row) for name, row in _LIMITS.items()}


def _struct(name: str, members: str) -> types.StructType:
    """`vec4 color, float density` as a struct."""
    fields = []
    for member in members.split(", "):
        kind, field = member.split()
        fields.append((field, types.by_name(kind)))
    return types.struct(name, tuple(fields))


STRUCTS: Final[dict[str, types.StructType]] = {
    s.name: s
    for s in (
        _struct("gl_DepthRangeParameters", "float near, float far, float diff"),
        _struct("gl_PointParameters", "float size, float sizeMin, float sizeMax, float "
                "fadeThresholdSize, float distanceConstantAttenuation, float "
                "distanceLinearAttenuation, float distanceQuadraticAttenuation"),
        _struct("gl_MaterialParameters",
                "vec4 emission, vec4 ambient, vec4 diffuse, vec4 specular, float shininess"),
        _struct("gl_LightSourceParameters", "vec4 ambient, vec4 diffuse, vec4 specular, vec4 "
                "position, vec4 halfVector, vec3 spotDirection, float spotExponent, float "
                "spotCutoff, float spotCosCutoff, float constantAttenuation, float "
                "linearAttenuation, float quadraticAttenuation"),
        _struct("gl_LightModelParameters", "vec4 ambient"),
        _struct("gl_LightModelProducts", "vec4 sceneColor"),
        _struct("gl_LightProducts", "vec4 ambient, vec4 diffuse, vec4 specular"),
        _struct("gl_FogParameters",
                "vec4 color, float density, float start, float end, float scale"),
    )
}  # fmt: skip

ROWS: Final[dict[str, Row]] = {}


def _row(name: str, type_: Type, mode: str, **more: Any) -> None:
    # Names that mean different things in different stages have a row for each.
    stage = more.get("stage", "")
    ROWS[f"{name} {stage}" if stage else name] = Row(name, type_, mode, **more)


_VERTEX: Final[dict[str, Any]] = {"stage": "vertex"}
_FRAGMENT: Final[dict[str, Any]] = {"stage": "fragment"}
#: what fixed function has, and core profiles have not; what outputs with names took the place of
_FIXED: Final[dict[str, Any]] = {"until": 140}
_UNNAMED: Final[dict[str, Any]] = {"until": 420, "until_es": 300}
_CLIP_DISTANCE: Final[dict[str, Any]] = {
    "slot": enums.VARYING_SLOT_CLIP_DIST0, "size": -1, "desktop": 130, "extensions": _ES_DISTANCES,
}
_CULL_DISTANCE: Final[dict[str, Any]] = {
    "slot": enums.VARYING_SLOT_CULL_DIST0, "size": -1, "desktop": 450, "extensions": _CULLS,
}
# ---- 7.1 outputs of the vertex shader, 7.6 varyings --------------------------------------------
for _stage, _since_es in (("vertex", 100), ("geometry", 320)):
    _each: dict[str, Any] = {"stage": _stage, "per_vertex": True}
    _fixed: dict[str, Any] = {**_each, **_FIXED}
    _row("gl_Position", VEC4, "shader_out", slot=enums.VARYING_SLOT_POS, es=_since_es, **_each)
    _row("gl_PointSize", FLOAT, "shader_out", slot=enums.VARYING_SLOT_PSIZ, es=_since_es, **_each)
    _row("gl_ClipVertex", VEC4, "shader_out", slot=enums.VARYING_SLOT_CLIP_VERTEX, **_fixed)
    _row("gl_ClipDistance", FLOAT, "shader_out", **_CLIP_DISTANCE, **_each)
    _row("gl_CullDistance", FLOAT, "shader_out", **_CULL_DISTANCE, **_each)
    _row("gl_FrontColor", VEC4, "shader_out", slot=enums.VARYING_SLOT_COL0, **_fixed)
    _row("gl_BackColor", VEC4, "shader_out", slot=enums.VARYING_SLOT_BFC0, **_fixed)
    _row("gl_FrontSecondaryColor", VEC4, "shader_out", slot=enums.VARYING_SLOT_COL1, **_fixed)
    _row("gl_BackSecondaryColor", VEC4, "shader_out", slot=enums.VARYING_SLOT_BFC1, **_fixed)
    _row("gl_TexCoord", VEC4, "shader_out", slot=enums.VARYING_SLOT_TEX0, size=-1, **_fixed)
    _row("gl_FogFragCoord", FLOAT, "shader_out", slot=enums.VARYING_SLOT_FOGC, **_fixed)
_row("gl_ClipDistance", FLOAT, "shader_in", **_CLIP_DISTANCE, **_FRAGMENT)
_row("gl_CullDistance", FLOAT, "shader_in", **_CULL_DISTANCE, **_FRAGMENT)
_row("gl_TexCoord", VEC4, "shader_in", slot=enums.VARYING_SLOT_TEX0, size=-1, **_FRAGMENT, **_FIXED)
_row("gl_FogFragCoord", FLOAT, "shader_in", slot=enums.VARYING_SLOT_FOGC, **_FRAGMENT, **_FIXED)
_row("gl_Color", VEC4, "shader_in", slot=enums.VARYING_SLOT_COL0, **_FRAGMENT, **_FIXED)
_row("gl_SecondaryColor", VEC4, "shader_in", slot=enums.VARYING_SLOT_COL1, **_FRAGMENT, **_FIXED)
# ---- 7.1 of 1.50: the geometry shader; the stage brings them, whatever version a shader names ---
_GEOMETRY: Final[dict[str, Any]] = {"stage": "geometry", "es": 320}
_row("gl_PrimitiveIDIn", types.INT, "shader_in", slot="load_primitive_id", **_GEOMETRY)
_row("gl_InvocationID", types.INT, "shader_in", slot="load_invocation_id", stage="geometry",
     desktop=400, es=320, extensions=(GPU5,))
_row("gl_PrimitiveID", types.INT, "shader_out", slot=enums.VARYING_SLOT_PRIMITIVE_ID,
     interp="flat", **_GEOMETRY)
_row("gl_Layer", types.INT, "shader_out", slot=enums.VARYING_SLOT_LAYER, interp="flat", **_GEOMETRY)
_row("gl_ViewportIndex", types.INT, "shader_out", slot=enums.VARYING_SLOT_VIEWPORT,
     interp="flat", stage="geometry", desktop=410, extensions=("GL_ARB_viewport_array",))
# ---- 7.2 the fragment shader -------------------------------------------------------------------
_row("gl_FragCoord", VEC4, "shader_in", slot="load_frag_coord", es=100, **_FRAGMENT)
_row("gl_FrontFacing", types.BOOL, "shader_in", slot="load_front_face", es=100, **_FRAGMENT)
_row("gl_PointCoord", VEC2, "shader_in", slot="load_point_coord", desktop=120, es=100, **_FRAGMENT)
_row("gl_PrimitiveID", types.INT, "shader_in", slot=enums.VARYING_SLOT_PRIMITIVE_ID, interp="flat",
     desktop=150, es=320, extensions=(GPU4,), **_FRAGMENT)
_row("gl_FragColor", VEC4, "shader_out", slot=enums.FRAG_RESULT_COLOR, es=100, **_FRAGMENT,
     **_UNNAMED)
_row("gl_FragData", VEC4, "shader_out", slot=enums.FRAG_RESULT_DATA0, size="gl_MaxDrawBuffers",
     es=100, **_FRAGMENT, **_UNNAMED)
_row("gl_SecondaryFragColorEXT", VEC4, "shader_out", slot=enums.FRAG_RESULT_DUAL_SRC, desktop=0,
     extensions=_DUAL, until_es=300, **_FRAGMENT)
_row("gl_SecondaryFragDataEXT", VEC4, "shader_out", slot=enums.FRAG_RESULT_DUAL_SRC,
     size="gl_MaxDualSourceDrawBuffersEXT", desktop=0, extensions=_DUAL, until_es=300, **_FRAGMENT)
_row("gl_FragDepth", FLOAT, "shader_out", slot=enums.FRAG_RESULT_DEPTH, es=300, **_FRAGMENT)
_row("gl_FragDepthEXT", FLOAT, "shader_out", slot=enums.FRAG_RESULT_DEPTH, desktop=0,
     extensions=("GL_EXT_frag_depth",), **_FRAGMENT)
# ---- 7.3 attributes ----------------------------------------------------------------------------
_row("gl_Color", VEC4, "shader_in", slot=enums.VERT_ATTRIB_COLOR0, **_VERTEX, **_FIXED)
_row("gl_SecondaryColor", VEC4, "shader_in", slot=enums.VERT_ATTRIB_COLOR1, **_VERTEX, **_FIXED)
_row("gl_Normal", VEC3, "shader_in", slot=enums.VERT_ATTRIB_NORMAL, **_VERTEX, **_FIXED)
_row("gl_Vertex", VEC4, "shader_in", slot=enums.VERT_ATTRIB_POS, **_VERTEX, **_FIXED)
for _unit in range(8):
    _row(f"gl_MultiTexCoord{_unit}", VEC4, "shader_in", slot=enums.VERT_ATTRIB_TEX0 + _unit,
         **_VERTEX, **_FIXED)
_row("gl_FogCoord", FLOAT, "shader_in", slot=enums.VERT_ATTRIB_FOG, **_VERTEX, **_FIXED)
_row("gl_VertexID", types.INT, "shader_in", slot="load_vertex_id", desktop=130, es=300,
     extensions=(GPU4,), **_VERTEX)
_row("gl_InstanceID", types.INT, "shader_in", slot="load_instance_id", desktop=140, es=300,
     extensions=(GPU4,), **_VERTEX)
for _name in ("ARB", "EXT"):
    _row(f"gl_InstanceID{_name}", types.INT, "shader_in", slot="load_instance_id", desktop=0,
         extensions=(f"GL_{_name}_draw_instanced",), **_VERTEX)
# ---- 7.5 state ---------------------------------------------------------------------------------
for _name in ("ModelView", "Projection", "ModelViewProjection"):
    for _tail in ("", "Inverse", "Transpose", "InverseTranspose"):
        _row(f"gl_{_name}Matrix{_tail}", MAT4, "uniform", **_FIXED)
for _tail in ("", "Inverse", "Transpose", "InverseTranspose"):
    _row(f"gl_TextureMatrix{_tail}", MAT4, "uniform", size="gl_MaxTextureCoords", **_FIXED)
_row("gl_NormalMatrix", MAT3, "uniform", **_FIXED)
_row("gl_NormalScale", FLOAT, "uniform", **_FIXED)
_row("gl_DepthRange", STRUCTS["gl_DepthRangeParameters"], "uniform", es=100)
_row("gl_ClipPlane", VEC4, "uniform", size="gl_MaxClipPlanes", **_FIXED)
_row("gl_Point", STRUCTS["gl_PointParameters"], "uniform", **_FIXED)
_row("gl_LightSource", STRUCTS["gl_LightSourceParameters"], "uniform", size="gl_MaxLights",
     **_FIXED)
_row("gl_LightModel", STRUCTS["gl_LightModelParameters"], "uniform", **_FIXED)
_row("gl_Fog", STRUCTS["gl_FogParameters"], "uniform", **_FIXED)
for _side in ("Front", "Back"):
    _row(f"gl_{_side}Material", STRUCTS["gl_MaterialParameters"], "uniform", **_FIXED)
    _row(f"gl_{_side}LightModelProduct", STRUCTS["gl_LightModelProducts"], "uniform", **_FIXED)
    _row(f"gl_{_side}LightProduct", STRUCTS["gl_LightProducts"], "uniform", size="gl_MaxLights",
         **_FIXED)
for _plane in ("Eye", "Object"):
    for _axis in "STRQ":
        _row(f"gl_{_plane}Plane{_axis}", VEC4, "uniform", size="gl_MaxTextureCoords", **_FIXED)
_row("gl_TextureEnvColor", VEC4, "uniform", size="gl_MaxTextureUnits", **_FIXED)

#: arrays that the shader sizes, and the constant that bounds them
MOST_ELEMENTS: Final = {
    "gl_TexCoord": "gl_MaxTextureCoords", "gl_ClipDistance": "gl_MaxClipDistances",
    "gl_CullDistance": "gl_MaxCullDistances",
}
#: those of them that have together what each has at most (gl_MaxCombinedClipAndCullDistances)
SHARING: Final = {
    "gl_ClipDistance": "gl_CullDistance", "gl_CullDistance": "gl_ClipDistance",
}
#: variables whose interpolation a shader may say (GLSL 1.30, 4.3.7)
COLORS: Final = frozenset((
    "gl_Color", "gl_SecondaryColor", "gl_FrontColor", "gl_FrontSecondaryColor", "gl_BackColor",
    "gl_BackSecondaryColor",
))


def limit(name: str, language: Language, limits: Mapping[str, int]) -> int | None:
    """The value of a constant, None if the language has none of that name."""
    row = LIMITS.get(name)
    if row is None or not _has(row, language):
        return None
    return limits.get(name, row.least)


def struct_type(name: str, language: Language) -> types.StructType | None:
    """The struct of a name; but for gl_DepthRangeParameters they are those of fixed function."""
    since = (110, 100) if name == "gl_DepthRangeParameters" else (110, 0, 140)
    return STRUCTS.get(name) if language.within(*since) else None


def _has(row: Row | Limit, language: Language) -> bool:
    since = row.desktop, row.es, row.until, row.until_es
    ended = language.es and 0 < row.until_es <= language.version
    return language.within(*since) or not ended and language.enabled(row.extensions)


def lookup(name: str, language: Language, stage: str) -> Row | None:
    """The variable of a name."""
    row = ROWS.get(f"{name} {stage}") or ROWS.get(name)
    return row if row is not None and _has(row, language) else None


def per_vertex(language: Language, stage: str) -> list[Row]:
    """The members of gl_PerVertex that a stage passes on (and of gl_in, if it takes arrays)."""
    return [row for row in ROWS.values()
            if row.per_vertex and row.stage == stage and _has(row, language)]
