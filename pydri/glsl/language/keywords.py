# SPDX-License-Identifier: MIT
"""TABLE: the words of the language.

In: a `Language`.  Out: `words(language)`: word -> kind of token, for what is not an identifier.
A row says since which desktop and ES version a word has its meaning, which extensions give it that
before, and since when it is reserved (0: never). The kinds: `type` (a type that is built in), the
word itself (everything that the grammar names), `true`/`false`, and `reserved`.

Sources: section 3.6 "Keywords" of the GLSL specifications 1.10 to 4.60, ES 1.00 to 3.20.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.glsl.language.versions import GPU4, Language


class Word(NamedTuple):
    """A row, without the word."""

    kind: str
    desktop: int
    es: int
    reserved: int
    reserved_es: int
    extensions: tuple[str, ...] = ()
    #: from which ES version on it is reserved again (0: never)
    until_es: int = 0


WORDS: Final[dict[str, Word]] = {}


def _rows(
    text: str, desktop: int, es: int, reserved: int = -1, reserved_es: int = -1,
    extensions: tuple[str, ...] = (), kind: str = "",
) -> None:  # fmt: skip
    """Rows for several words; where `reserved` is not said a word is unknown before it is used."""
    for word in text.split():
        WORDS[word] = Word(
            kind or word, desktop, es,
            desktop if reserved < 0 else reserved, es if reserved_es < 0 else reserved_es,
            extensions,
        )  # fmt: skip


RECT: Final = ("GL_ARB_texture_rectangle",)
ARRAY: Final = (GPU4, "GL_EXT_texture_array")
FP64: Final = ("GL_ARB_gpu_shader_fp64",)
IMAGES: Final = ("GL_ARB_shader_image_load_store",)
CUBE_ARRAYS: Final = (
    "GL_ARB_texture_cube_map_array", "GL_OES_texture_cube_map_array",
    "GL_EXT_texture_cube_map_array",
)  # fmt: skip

# ---- control flow ----
_rows("if else for while do break continue return discard", 110, 100)
_rows("switch", 130, 300, 110, 100)
_rows("case", 130, 300)
_rows("default", 130, 300, 110, 100)
_rows("true false", 110, 100)
# ---- qualifiers ----
_rows("const uniform in out inout", 110, 100)
_rows("attribute varying", 110, 100)
_rows("centroid", 120, 300, extensions=(GPU4,))
_rows("invariant", 120, 100)
_rows("flat", 130, 300, 130, 100, (GPU4,))
_rows("smooth", 130, 300)
_rows("noperspective", 130, 0, 130, 300,
      (GPU4, "GL_NV_shader_noperspective_interpolation"))
_rows("lowp mediump highp precision", 130, 100, 120)
_rows("layout", 140, 300, extensions=(
    "GL_ARB_uniform_buffer_object", "GL_ARB_explicit_attrib_location",
    "GL_ARB_fragment_coord_conventions", "GL_ARB_conservative_depth",
    "GL_AMD_conservative_depth", "GL_ARB_separate_shader_objects",
    "GL_ARB_shading_language_420pack", "GL_ARB_shader_storage_buffer_object", *IMAGES,
    "GL_ARB_compute_shader", "GL_ARB_explicit_uniform_location", "GL_ARB_bindless_texture",
    "GL_ARB_shader_atomic_counters", "GL_ARB_enhanced_layouts",
))
_rows("sample", 400, 320, 400, 300, ("GL_ARB_gpu_shader5",))
_rows("patch", 400, 320, 400, 300, ("GL_ARB_tessellation_shader",))
_rows("subroutine", 400, 0, 400, 300, ("GL_ARB_shader_subroutine",))
_rows("precise", 400, 320, 400, 310, ("GL_ARB_gpu_shader5",))
_rows("buffer", 430, 310, 430, 310, ("GL_ARB_shader_storage_buffer_object",))
_rows("shared", 430, 310, 420, 310, ("GL_ARB_compute_shader",))
_rows("coherent volatile restrict readonly writeonly", 420, 310, 420, 300,
      (*IMAGES, "GL_ARB_shader_storage_buffer_object"))
for _word in ("attribute", "varying"):
    WORDS[_word] = WORDS[_word]._replace(until_es=300)
WORDS["volatile"] = WORDS["volatile"]._replace(reserved=110, reserved_es=100)
# ---- types ----
_rows("void bool int float bvec2 bvec3 bvec4 ivec2 ivec3 ivec4 vec2 vec3 vec4 mat2 mat3 mat4 "
      "sampler2D samplerCube", 110, 100, kind="type")
_rows("struct", 110, 100)
_rows("mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4", 120, 300, kind="type")
_rows("uint uvec2 uvec3 uvec4", 130, 300, extensions=(GPU4,), kind="type")
_rows("sampler1D sampler1DShadow", 110, 0, 110, 100, kind="type")
_rows("sampler3D", 110, 300, 110, 100, ("GL_OES_texture_3D",), "type")
_rows("sampler2DShadow", 110, 300, 110, 100, kind="type")
_rows("sampler1DArray sampler1DArrayShadow", 130, 0, 130, 300, ARRAY, "type")
_rows("sampler2DArray sampler2DArrayShadow", 130, 300, extensions=ARRAY, kind="type")
_rows("samplerCubeShadow", 130, 300, extensions=(GPU4,), kind="type")
_rows("isampler1D isampler1DArray usampler1D usampler1DArray", 130, 0, 130, 300, (GPU4,), "type")
_rows("isampler2D isampler3D isamplerCube isampler2DArray usampler2D usampler3D usamplerCube "
      "usampler2DArray", 130, 300, extensions=(GPU4,), kind="type")
_rows("sampler2DRect", 140, 0, 110, 100, RECT, "type")
_rows("sampler2DRectShadow", 140, 0, 110, 100, RECT, "type")
_rows("isampler2DRect usampler2DRect", 140, 0, 130, 300, (GPU4,), "type")
_rows("samplerBuffer isamplerBuffer usamplerBuffer", 140, 320, 130, 300, (GPU4,), "type")
_rows("sampler2DMS isampler2DMS usampler2DMS", 150, 310, 150, 300,
      ("GL_ARB_texture_multisample",), "type")
_rows("sampler2DMSArray isampler2DMSArray usampler2DMSArray", 150, 320, 150, 300,
      ("GL_ARB_texture_multisample", "GL_OES_texture_storage_multisample_2d_array"), "type")
_rows("samplerCubeArray isamplerCubeArray usamplerCubeArray samplerCubeArrayShadow", 400, 320, 400,
      310, CUBE_ARRAYS, "type")
_rows("samplerExternalOES", 0, 0, 0, 0, ("GL_OES_EGL_image_external",), "type")
_rows("double dvec2 dvec3 dvec4", 400, 0, 110, 100, FP64, "type")
_rows("dmat2 dmat3 dmat4 dmat2x2 dmat2x3 dmat2x4 dmat3x2 dmat3x3 dmat3x4 dmat4x2 dmat4x3 dmat4x4",
      400, 0, extensions=FP64, kind="type")
_rows("atomic_uint", 420, 310, 420, 300, ("GL_ARB_shader_atomic_counters",), "type")
for _prefix in ("", "i", "u"):
    for _dim in ("2D", "3D", "Cube", "2DArray"):
        _rows(f"{_prefix}image{_dim}", 420, 310, 130, 300, IMAGES, "type")
    for _dim in ("1D", "1DArray", "2DRect", "2DMS", "2DMSArray"):
        _rows(f"{_prefix}image{_dim}", 420, 0, 130, 300, IMAGES, "type")
    for _dim in ("Buffer", "CubeArray"):
        _rows(f"{_prefix}image{_dim}", 420, 320, 130, 300, IMAGES, "type")
for _dim in ("1D", "2D", "1DArray", "2DArray"):
    _rows(f"image{_dim}Shadow", 0, 0, 130, 0)
# ---- reserved for later ----
_rows("asm class union enum typedef template this goto inline noinline public static extern "
      "external interface long short half fixed input output hvec2 hvec3 hvec4 fvec2 "
      "fvec3 fvec4 sampler3DRect sizeof cast namespace using", 0, 0, 110, 100)
_rows("unsigned", 0, 0, 110, 100, (GPU4,), "type")
# names within layout(), which no variable has
_rows("packed", 140, 300, 110, 100, ("GL_ARB_uniform_buffer_object",))
_rows("row_major", 140, 0, 130, 0, ("GL_ARB_uniform_buffer_object",))
_rows("superp", 0, 0, 130, 100)
_rows("common partition active filter", 0, 0, 130, 300)
_rows("resource", 0, 0, 420, 300)


#: what `words` has answered, by all that it depends on
_answers: dict[tuple[int, bool, frozenset[str]], dict[str, str]] = {}


def words(language: Language) -> dict[str, str]:
    """Word -> kind of token, as this language reads it; not to be changed."""
    key = (language.version, language.es, frozenset(language.behaviors))
    found = _answers.get(key)
    if found is None:
        found = _answers[key] = _words(language)
    return found


def _words(language: Language) -> dict[str, str]:
    found = {}
    for word, row in WORDS.items():
        if language.within(row.desktop, row.es, until_es=row.until_es) or language.enabled(
            row.extensions
        ):
            found[word] = row.kind
        elif language.at_least(row.reserved, row.reserved_es):
            found[word] = "reserved"
    return found
