# SPDX-License-Identifier: MIT
"""TABLES: the numbers of TGSI that are no opcodes, and the words its text has for them.

In: nothing.  Out: for each enumeration a tuple of words (the number of a word is its place) and
constants.  Numbers and words are those of Mesa 22.3 (p_shader_tokens.h, tgsi_strings.c), since
token streams and texts of that world are read and written here.
"""

from __future__ import annotations

from typing import Final

# ---- processors: PIPE_SHADER_* of p_defines.h -------------------------------------------------
PROCESSORS: Final = ("VERT", "TESS_CTRL", "TESS_EVAL", "GEOM", "FRAG", "COMP", "TASK", "MESH")
VERTEX, TESS_CTRL, TESS_EVAL, GEOMETRY, FRAGMENT, COMPUTE = range(6)

# ---- tokens -----------------------------------------------------------------------------------
TOKEN_DECLARATION, TOKEN_IMMEDIATE, TOKEN_INSTRUCTION, TOKEN_PROPERTY = range(4)

# ---- register files ---------------------------------------------------------------------------
FILES: Final = (
    "NULL", "CONST", "IN", "OUT", "TEMP", "SAMP", "ADDR", "IMM", "SV", "IMAGE", "SVIEW", "BUFFER",
    "MEMORY", "CONSTBUF", "HWATOMIC",
)  # fmt: skip
(
    FILE_NULL, FILE_CONSTANT, FILE_INPUT, FILE_OUTPUT, FILE_TEMPORARY, FILE_SAMPLER, FILE_ADDRESS,
    FILE_IMMEDIATE, FILE_SYSTEM_VALUE, FILE_IMAGE, FILE_SAMPLER_VIEW, FILE_BUFFER, FILE_MEMORY,
    FILE_CONSTBUF, FILE_HW_ATOMIC,
) = range(15)  # fmt: skip

# ---- components -------------------------------------------------------------------------------
COMPONENTS: Final = "xyzw"
WRITEMASK_NONE: Final = 0
WRITEMASK_X, WRITEMASK_Y, WRITEMASK_Z, WRITEMASK_W = 1, 2, 4, 8
WRITEMASK_XY: Final = 3
WRITEMASK_XYZ: Final = 7
WRITEMASK_XYZW: Final = 15

# ---- interpolation ----------------------------------------------------------------------------
INTERPOLATE: Final = ("CONSTANT", "LINEAR", "PERSPECTIVE", "COLOR")
INTERPOLATE_CONSTANT, INTERPOLATE_LINEAR, INTERPOLATE_PERSPECTIVE, INTERPOLATE_COLOR = range(4)
LOCATIONS: Final = ("CENTER", "CENTROID", "SAMPLE")
LOC_CENTER, LOC_CENTROID, LOC_SAMPLE = range(3)

# ---- semantics --------------------------------------------------------------------------------
SEMANTICS: Final = (
    "POSITION", "COLOR", "BCOLOR", "FOG", "PSIZE", "GENERIC", "NORMAL", "FACE", "EDGEFLAG",
    "PRIM_ID", "INSTANCEID", "VERTEXID", "STENCIL", "CLIPDIST", "CLIPVERTEX", "GRID_SIZE",
    "BLOCK_ID", "BLOCK_SIZE", "THREAD_ID", "TEXCOORD", "PCOORD", "VIEWPORT_INDEX", "LAYER",
    "SAMPLEID", "SAMPLEPOS", "SAMPLEMASK", "INVOCATIONID", "VERTEXID_NOBASE", "BASEVERTEX",
    "PATCH", "TESSCOORD", "TESSOUTER", "TESSINNER", "VERTICESIN", "HELPER_INVOCATION",
    "BASEINSTANCE", "DRAWID", "WORK_DIM", "SUBGROUP_SIZE", "SUBGROUP_INVOCATION",
    "SUBGROUP_EQ_MASK", "SUBGROUP_GE_MASK", "SUBGROUP_GT_MASK", "SUBGROUP_LE_MASK",
    "SUBGROUP_LT_MASK", "CS_USER_DATA_AMD", "VIEWPORT_MASK", "TESS_DEFAULT_OUTER_LEVEL",
    "TESS_DEFAULT_INNER_LEVEL",
)  # fmt: skip
(
    SEMANTIC_POSITION, SEMANTIC_COLOR, SEMANTIC_BCOLOR, SEMANTIC_FOG, SEMANTIC_PSIZE,
    SEMANTIC_GENERIC, SEMANTIC_NORMAL, SEMANTIC_FACE, SEMANTIC_EDGEFLAG, SEMANTIC_PRIMID,
    SEMANTIC_INSTANCEID, SEMANTIC_VERTEXID, SEMANTIC_STENCIL, SEMANTIC_CLIPDIST,
    SEMANTIC_CLIPVERTEX,
) = range(15)  # fmt: skip
SEMANTIC_TEXCOORD: Final = SEMANTICS.index("TEXCOORD")
SEMANTIC_PCOORD: Final = SEMANTICS.index("PCOORD")
SEMANTIC_VIEWPORT_INDEX: Final = SEMANTICS.index("VIEWPORT_INDEX")
SEMANTIC_LAYER: Final = SEMANTICS.index("LAYER")
SEMANTIC_SAMPLEMASK: Final = SEMANTICS.index("SAMPLEMASK")
SEMANTIC_VERTEXID_NOBASE: Final = SEMANTICS.index("VERTEXID_NOBASE")
SEMANTIC_BASEVERTEX: Final = SEMANTICS.index("BASEVERTEX")
SEMANTIC_PATCH: Final = SEMANTICS.index("PATCH")
SEMANTIC_TESSOUTER: Final = SEMANTICS.index("TESSOUTER")
SEMANTIC_TESSINNER: Final = SEMANTICS.index("TESSINNER")
SEMANTIC_HELPER_INVOCATION: Final = SEMANTICS.index("HELPER_INVOCATION")

# ---- texture targets --------------------------------------------------------------------------
TEXTURES: Final = (
    "BUFFER", "1D", "2D", "3D", "CUBE", "RECT", "SHADOW1D", "SHADOW2D", "SHADOWRECT", "1D_ARRAY",
    "2D_ARRAY", "SHADOW1D_ARRAY", "SHADOW2D_ARRAY", "SHADOWCUBE", "2D_MSAA", "2D_ARRAY_MSAA",
    "CUBEARRAY", "SHADOWCUBEARRAY", "UNKNOWN",
)  # fmt: skip
(
    TEXTURE_BUFFER, TEXTURE_1D, TEXTURE_2D, TEXTURE_3D, TEXTURE_CUBE, TEXTURE_RECT,
    TEXTURE_SHADOW1D, TEXTURE_SHADOW2D, TEXTURE_SHADOWRECT, TEXTURE_1D_ARRAY, TEXTURE_2D_ARRAY,
    TEXTURE_SHADOW1D_ARRAY, TEXTURE_SHADOW2D_ARRAY, TEXTURE_SHADOWCUBE, TEXTURE_2D_MSAA,
    TEXTURE_2D_ARRAY_MSAA, TEXTURE_CUBE_ARRAY, TEXTURE_SHADOWCUBE_ARRAY, TEXTURE_UNKNOWN,
) = range(19)  # fmt: skip
RETURN_TYPES: Final = ("UNORM", "SNORM", "SINT", "UINT", "FLOAT", "UNKNOWN")
(
    RETURN_UNORM, RETURN_SNORM, RETURN_SINT, RETURN_UINT, RETURN_FLOAT, RETURN_UNKNOWN,
) = range(6)  # fmt: skip

# ---- immediates -------------------------------------------------------------------------------
IMMEDIATES: Final = ("FLT32", "UINT32", "INT32", "FLT64", "UINT64", "INT64")
IMM_FLOAT32, IMM_UINT32, IMM_INT32, IMM_FLOAT64, IMM_UINT64, IMM_INT64 = range(6)

# ---- properties -------------------------------------------------------------------------------
PROPERTIES: Final = (
    "GS_INPUT_PRIMITIVE", "GS_OUTPUT_PRIMITIVE", "GS_MAX_OUTPUT_VERTICES", "FS_COORD_ORIGIN",
    "FS_COORD_PIXEL_CENTER", "FS_COLOR0_WRITES_ALL_CBUFS", "FS_DEPTH_LAYOUT", "VS_PROHIBIT_UCPS",
    "GS_INVOCATIONS", "VS_WINDOW_SPACE_POSITION", "TCS_VERTICES_OUT", "TES_PRIM_MODE",
    "TES_SPACING", "TES_VERTEX_ORDER_CW", "TES_POINT_MODE", "NUM_CLIPDIST_ENABLED",
    "NUM_CULLDIST_ENABLED", "FS_EARLY_DEPTH_STENCIL", "FS_POST_DEPTH_COVERAGE", "NEXT_SHADER",
    "CS_FIXED_BLOCK_WIDTH", "CS_FIXED_BLOCK_HEIGHT", "CS_FIXED_BLOCK_DEPTH", "LEGACY_MATH_RULES",
    "VS_BLIT_SGPRS_AMD", "CS_USER_DATA_COMPONENTS_AMD", "LAYER_VIEWPORT_RELATIVE",
    "FS_BLEND_EQUATION_ADVANCED", "SEPARABLE_PROGRAM",
)  # fmt: skip
(
    PROPERTY_GS_INPUT_PRIM, PROPERTY_GS_OUTPUT_PRIM, PROPERTY_GS_MAX_OUTPUT_VERTICES,
    PROPERTY_FS_COORD_ORIGIN, PROPERTY_FS_COORD_PIXEL_CENTER, PROPERTY_FS_COLOR0_WRITES_ALL_CBUFS,
    PROPERTY_FS_DEPTH_LAYOUT, PROPERTY_VS_PROHIBIT_UCPS, PROPERTY_GS_INVOCATIONS,
    PROPERTY_VS_WINDOW_SPACE_POSITION, PROPERTY_TCS_VERTICES_OUT,
) = range(11)  # fmt: skip
PROPERTY_NUM_CLIPDIST_ENABLED: Final = PROPERTIES.index("NUM_CLIPDIST_ENABLED")
PROPERTY_NEXT_SHADER: Final = PROPERTIES.index("NEXT_SHADER")
ORIGINS: Final = ("UPPER_LEFT", "LOWER_LEFT")
PIXEL_CENTERS: Final = ("HALF_INTEGER", "INTEGER")
PRIMITIVES: Final = (
    "POINTS", "LINES", "LINE_LOOP", "LINE_STRIP", "TRIANGLES", "TRIANGLE_STRIP", "TRIANGLE_FAN",
    "QUADS", "QUAD_STRIP", "POLYGON", "LINES_ADJACENCY", "LINE_STRIP_ADJACENCY",
    "TRIANGLES_ADJACENCY", "TRIANGLE_STRIP_ADJACENCY", "PATCHES",
)  # fmt: skip
#: semantics of inputs and outputs that patches have one of, not one for each vertex
PATCH_SEMANTICS: Final = (
    SEMANTIC_PATCH, SEMANTIC_TESSINNER, SEMANTIC_TESSOUTER, SEMANTIC_PRIMID,
)  # fmt: skip
#: vertices of each primitive, as geometry shaders get them (u_vertices_per_prim)
PRIMITIVE_VERTICES: Final = (1, 2, 2, 2, 3, 3, 3, 4, 4, 3, 4, 4, 6, 6, 0)
#: the properties whose value is a word
PROPERTY_WORDS: Final[dict[int, tuple[str, ...]]] = {
    PROPERTY_GS_INPUT_PRIM: PRIMITIVES,
    PROPERTY_GS_OUTPUT_PRIM: PRIMITIVES,
    PROPERTY_FS_COORD_ORIGIN: ORIGINS,
    PROPERTY_FS_COORD_PIXEL_CENTER: PIXEL_CENTERS,
    PROPERTY_NEXT_SHADER: PROCESSORS,
}

# ---- memory -----------------------------------------------------------------------------------
MEMORY_TYPES: Final = ("GLOBAL", "SHARED", "PRIVATE", "INPUT")
#: bits of a memory access, from the lowest
MEMORY_QUALIFIERS: Final = ("COHERENT", "RESTRICT", "VOLATILE", "STREAM_CACHE_POLICY")


def word(words: tuple[str, ...], number: int) -> str:
    """The word for a number; the number itself where there is none (dump_enum)."""
    return words[number] if 0 <= number < len(words) else str(number)
