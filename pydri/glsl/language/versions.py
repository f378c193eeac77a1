# SPDX-License-Identifier: MIT
"""TABLE: what the language has since which version, or by which extension.

In: a version, ES or not, the extensions that `#extension` switched on.  Out: `Language.has`.
Every check of a version in this room is a row here (words are rows of `keywords.py`); a row names
the first desktop version and the first ES version (0: never) and the extensions that bring it
before. Counterpart of the `has_...` functions of Mesa's glsl_parser_extras.h.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from pydri.glsl.log import Log


class Feature(NamedTuple):
    """A row. `text` completes "... is forbidden" in messages; `until` and `until_es` are the first
    versions that have it no longer (0: all have it).
    """

    desktop: int
    es: int
    extensions: tuple[str, ...]
    text: str
    until: int = 0
    until_es: int = 0


GPU4: Final = "GL_EXT_gpu_shader4"
GPU5: Final = "GL_ARB_gpu_shader5"
PACK420: Final = "GL_ARB_shading_language_420pack"
COMPATIBILITY: Final = "GL_ARB_compatibility"

FEATURES: Final[dict[str, Feature]] = {
    "local_prototypes": Feature(110, 0, (), "function declarations within functions", 120),
    # 1.20
    "implicit_conversions": Feature(120, 0, (), "implicit conversions"),
    "array_values": Feature(120, 300, (), "whole array assignment"),
    "array_comparison": Feature(120, 300, (), "array comparisons"),
    "array_constructors": Feature(120, 300, (), "array constructors"),
    "array_out_parameters": Feature(120, 100, (), "arrays as out or inout parameters"),
    "sequence_sizes": Feature(0, 100, (), "a comma in the size of an array", until_es=300),
    "constant_sequences": Feature(110, 100, (), "a comma in a constant expression", until_es=300),
    "unsized_arrays": Feature(110, 0, (), "an array without a size"),
    "array_choice": Feature(120, 300, (), "arrays in the second and third operand of ?:"),
    "array_return": Feature(120, 300, (), "functions that return arrays"),
    "methods": Feature(120, 300, (), "methods"),
    "matrix_from_matrix": Feature(120, 100, (), "constructing a matrix from a matrix"),
    "uniform_initializers": Feature(120, 0, (), "initializing a uniform"),
    "centroid": Feature(120, 300, (GPU4,), "the `centroid' qualifier"),
    "invariant": Feature(120, 100, (), "the `invariant' qualifier"),
    "invariant_inputs": Feature(110, 100, (), "an invariant input", until_es=300),
    "invariant_all": Feature(120, 100, (), "`#pragma STDGL invariant(all)'"),
    "float_suffix": Feature(120, 300, (), "a suffix of a floating-point number"),
    "const_builtin_calls": Feature(120, 100, (), "built-in calls in constant expressions"),
    # 1.30
    "paste": Feature(110, 0, (), "##"),
    "bit_operations": Feature(130, 300, (GPU4, GPU5), "bit-wise operations"),
    "modulus": Feature(130, 300, (GPU4,), "operator '%'"),
    "unsigned": Feature(130, 300, (GPU4,), "unsigned integers"),
    "switch": Feature(130, 300, (), "switch"),
    "precision": Feature(130, 100, (), "precision qualifiers"),
    "integer_varyings": Feature(130, 300, (GPU4,), "integers that are passed between stages"),
    "qualified_varyings": Feature(
        110, 0, (GPU4,), "an interpolation qualifier in front of `varying'", 130),
    "qualified_colors": Feature(130, 0, (), "the interpolation of built-in colors"),
    "varying_out": Feature(0, 0, (GPU4,), "varying out"),
    "struct_varyings": Feature(150, 300, (), "varyings of type struct"),
    "nested_varyings": Feature(150, 0, (), "arrays and structs in varyings of type struct"),
    "attribute_arrays": Feature(150, 0, (), "vertex shader inputs that are arrays"),
    "literal_range": Feature(130, 300, (), "numbers beyond 32 bits"),
    "in_out_globals": Feature(130, 300, (
        "GL_ARB_explicit_attrib_location", "GL_ARB_fragment_coord_conventions",
        "GL_ARB_separate_shader_objects", GPU4), "in and out at global scope"),
    "no_embedded_structs": Feature(120, 100, (), ""),
    "sampler_constant_index": Feature(130, 300, (), ""),
    # geometry shaders: 1.50
    "geometry_layouts": Feature(
        150, 320, ("GL_EXT_geometry_shader", "GL_OES_geometry_shader"),
        "layout() of a whole stage's inputs or outputs"),
    "invocations": Feature(
        400, 320, (GPU5, "GL_EXT_geometry_shader", "GL_OES_geometry_shader"),
        "layout(invocations)"),
    "layout_case": Feature(0, 100, (), "names in layout() with small and capital letters"),
    # 1.40 and later
    "layout": Feature(140, 300, (
        "GL_ARB_uniform_buffer_object", "GL_ARB_explicit_attrib_location",
        "GL_ARB_fragment_coord_conventions", "GL_ARB_conservative_depth",
        "GL_AMD_conservative_depth", "GL_ARB_separate_shader_objects", PACK420,
        "GL_ARB_shader_image_load_store", "GL_ARB_shader_storage_buffer_object",
        "GL_ARB_compute_shader", "GL_ARB_explicit_uniform_location", "GL_ARB_bindless_texture",
        "GL_ARB_shader_atomic_counters", "GL_ARB_enhanced_layouts",
    ), "layout qualifiers"),
    "explicit_locations": Feature(
        330, 300, ("GL_ARB_explicit_attrib_location",), "layout(location)"),
    "explicit_indices": Feature(
        330, 0, ("GL_ARB_explicit_attrib_location", "GL_EXT_blend_func_extended"),
        "layout(index)"),
    "coord_layouts": Feature(
        150, 0, ("GL_ARB_fragment_coord_conventions",), "layout(origin_upper_left)"),
    "depth_layouts": Feature(
        420, 0, ("GL_ARB_conservative_depth", "GL_AMD_conservative_depth"), "layout(depth_any)"),
    "uniform_blocks": Feature(140, 300, ("GL_ARB_uniform_buffer_object",), "uniform blocks"),
    "interface_blocks": Feature(150, 320, (
        "GL_EXT_shader_io_blocks", "GL_OES_shader_io_blocks", "GL_ARB_tessellation_shader",
    ), "in and out blocks"),
    "block_instances": Feature(150, 300, (), "instance names of blocks"),
    "block_index": Feature(400, 320, (GPU5,), "an index of blocks that is not constant"),
    "array_of_arrays": Feature(430, 310, ("GL_ARB_arrays_of_arrays",), "an array of arrays"),
    "initializer_lists": Feature(420, 0, (PACK420,), "initializer lists"),
    "vector_length": Feature(420, 0, (PACK420,), "length() of a vector or matrix"),
    "scalar_swizzle": Feature(420, 0, (PACK420,), "a swizzle of a scalar"),
    "any_qualifier_order": Feature(420, 310, (PACK420,), "qualifiers in any order"),
    "mixed_auxiliary": Feature(420, 310, (PACK420, GPU4), "centroid in front of flat"),
    "return_conversions": Feature(420, 0, (PACK420,), "conversions of what is returned"),
    "nonconst_const": Feature(420, 0, (PACK420,), "a const that is not a constant expression"),
    "unsized_length": Feature(430, 310, ("GL_ARB_shader_storage_buffer_object",),
                              "length() of an unsized array"),
    "buffer_blocks": Feature(430, 310, ("GL_ARB_shader_storage_buffer_object",), "buffer blocks"),
    "subroutines": Feature(400, 0, ("GL_ARB_shader_subroutine",), "subroutines"),
    "doubles": Feature(400, 0, ("GL_ARB_gpu_shader_fp64",), "double"),
    "ranked_overloads": Feature(400, 0, (GPU5,), "ranking of overloads"),
    "int_to_uint": Feature(400, 0, (GPU5,), "implicit conversion from int to uint"),
    "redeclared_builtins": Feature(110, 0, (), "redeclaring built-in functions"),
    # where they can't be redeclared
    "overloaded_builtins": Feature(0, 100, (), "overloading built-in functions",
                                   until_es=300),
    "one_namespace": Feature(120, 100, (), "functions and variables in one space of names"),
    "single_prototypes": Feature(0, 100, (), "a prototype that may stand once alone",
                                 until_es=300),
    "nonconst_initializers": Feature(110, 0, (), "a global initializer that is not constant"),
    "include": Feature(0, 0, ("GL_ARB_shading_language_include",), "#include"),
}  # fmt: skip

#: what `#version` may name
DESKTOP_VERSIONS: Final = (110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460)
ES_VERSIONS: Final = (100, 300, 310, 320)


def version_text(version: int, es: bool) -> str:
    """`GLSL 1.20`, `GLSL ES 1.00`."""
    return f"GLSL {'ES ' if es else ''}{version // 100}.{version % 100:02d}"


class Language:
    """The language that one shader is written in: settled by `#version` and `#extension`."""

    __slots__ = ("behaviors", "es", "log", "profile", "supported", "versions", "version", "_known")

    def __init__(
        self, log: Log, supported: Iterable[str], versions: Iterable[tuple[int, bool]],
        es: bool = False,
    ) -> None:  # fmt: skip
        self.log = log
        self.version = 100 if es else 110
        self.es = es
        #: "core", "compatibility" or "" as `#version` says
        self.profile = ""
        #: the extensions that the context has, and the versions as (number, is it ES?)
        self.supported = frozenset(supported)
        self.versions = tuple(versions)
        #: by extension: enable, warn or require; what is disabled has no entry
        self.behaviors: dict[str, str] = {}
        # Mesa's llvmpipe has ARB_texture_rectangle enabled from the start, as its specification
        # asks: "this extension adds sampler types without a pragma".
        if not es and "GL_ARB_texture_rectangle" in self.supported:
            self.behaviors["GL_ARB_texture_rectangle"] = "enable"
        self._known: dict[str, bool] = {}

    @property
    def text(self) -> str:
        return version_text(self.version, self.es)

    def at_least(self, desktop: int, es: int) -> bool:
        """Is this version one of those? 0: no version of that family is."""
        least = es if self.es else desktop
        return least != 0 and self.version >= least

    @property
    def compatible(self) -> bool:
        """Is what GLSL 1.40 took away there? In a context that is compatible itself; from 1.50 on
        a shader names the profile or the extension (ARB_compatibility; GLSL 1.50, 3.3)."""
        if self.es or self.version < 140 or self.profile == "compatibility":
            return not self.es
        if self.version == 140:
            return COMPATIBILITY in self.supported
        return COMPATIBILITY in self.behaviors

    def within(self, desktop: int, es: int, until: int = 0, until_es: int = 0) -> bool:
        """`at_least`, and not yet `until` (0: for ever), from which version on core profiles, or
        ES, have it no longer."""
        if not self.at_least(desktop, es):
            return False
        end = until_es if self.es else until
        return end == 0 or self.version < end or self.compatible

    def enabled(self, extensions: Iterable[str]) -> bool:
        """Is one of these extensions switched on?"""
        return any(name in self.behaviors for name in extensions)

    def changed(self) -> None:
        """`#version` or `#extension` was read."""
        self._known.clear()

    def has(self, name: str) -> bool:
        """Is this feature, a row of FEATURES, part of the language?"""
        known = self._known.get(name)
        if known is None:
            row = FEATURES[name]
            end = row.until_es if self.es else row.until
            known = self.enabled(row.extensions) or (
                self.at_least(row.desktop, row.es) and not 0 < end <= self.version)
            self._known[name] = known
        return known

    def need(self, offset: int, name: str, what: str = "") -> bool:
        """`has`, and an error if not."""
        if self.has(name):
            return True
        row = FEATURES[name]
        self.log.error(offset, f"{what or row.text} forbidden in {self.text}{requires(row)}")
        return False


def requires(row: Feature) -> str:
    """` (GLSL 1.30 or GLSL ES 3.00 required)`: what a shader would have to ask for."""
    ways = []
    if row.desktop:
        ways.append(version_text(row.desktop, False))
    if row.es:
        ways.append(version_text(row.es, True))
    ways += row.extensions
    return f" ({' or '.join(ways)} required)" if ways else ""


def supported_versions(highest: int, highest_es: int) -> tuple[tuple[int, bool], ...]:
    """What a context takes whose highest versions are these."""
    return (
        *((v, False) for v in DESKTOP_VERSIONS if v <= highest),
        *((v, True) for v in ES_VERSIONS if v <= highest_es),
    )
