# SPDX-License-Identifier: MIT
"""Real shaders to test with: piglit's parser tests and the shaders embedded in its other tests."""

import pathlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from pydri.glsl.compiler import Compiled, Context, compile_shader
from tests import host

PIGLIT = pathlib.Path(host.LIB, "piglit")
STAGES = {".vert": "vertex", ".frag": "fragment"}
#: as the peer's context has them
CONTEXT = Context(
    version=330,
    version_es=300,
    extensions=(
        "GL_ARB_texture_rectangle", "GL_ARB_shader_texture_lod", "GL_ARB_draw_buffers",
        "GL_EXT_texture_array", "GL_ARB_explicit_attrib_location",
        "GL_ARB_fragment_coord_conventions", "GL_ARB_conservative_depth",
        "GL_AMD_conservative_depth", "GL_AMD_shader_trinary_minmax", "GL_ARB_derivative_control",
        "GL_EXT_gpu_shader4", "GL_ARB_shader_bit_encoding",
        "GL_ARB_texture_cube_map_array", "GL_ARB_texture_gather", "GL_AMD_texture_texture4",
        "GL_ARB_texture_query_lod", "GL_ARB_texture_query_levels", "GL_EXT_texture_query_lod",
        "GL_ARB_shading_language_packing", "GL_EXT_texture_shadow_lod", "GL_ARB_arrays_of_arrays",
    ),
    limits={"gl_MaxTextureCoords": 8, "gl_MaxDrawBuffers": 8, "gl_MaxTextureUnits": 8},
)  # fmt: skip


COMPATIBLE = CONTEXT._replace(extensions=(*CONTEXT.extensions, "GL_ARB_compatibility"))
VERSIONS = ("1.00", "1.10", "1.20", "1.30", "1.40", "1.50", "3.30", "3.00")


class Shader(NamedTuple):
    """A source, and what shall come of it."""

    name: str
    stage: str
    text: str
    good: bool
    context: Context = CONTEXT

    def compiled(self) -> Compiled:
        return compile_shader(self.text, self.stage, self.context)


def parser_tests() -> list[Shader]:
    """glslparsertest's sources for versions of VERSIONS, with what their heads expect."""
    found = []
    for folder in ("tests/glslparsertest", "tests/spec/glsl-1.10", "tests/spec/glsl-1.20",
                   "tests/spec/glsl-es-1.00", "tests/spec/glsl-1.30", "tests/spec/glsl-1.40",
                   "tests/spec/glsl-1.50/compiler/compatibility",
                   "tests/spec/glsl-1.50/compiler/fragment_coord_conventions",
                   "tests/spec/glsl-3.30", "tests/spec/glsl-es-3.00",
                   "tests/spec/arb_explicit_attrib_location",
                   "tests/spec/arb_fragment_coord_conventions",
                   "tests/spec/ext_gpu_shader4", "generated_tests/spec/ext_gpu_shader4",
                   "generated_tests/spec/glsl-1.10", "generated_tests/spec/glsl-1.20",
                   "generated_tests/spec/glsl-1.30", "generated_tests/spec/glsl-1.40"):
        for path in sorted((PIGLIT / folder).rglob("*.*")):
            if path.suffix not in STAGES:
                continue
            text = path.read_text("latin-1")
            if re.search("require_extensions:.* GL_EXT_texture_buffer_object", text):
                continue  # not there yet
            version = re.search(r"glsl_version:\s*([\d.]+)(compatibility)?", text)
            expected = re.search(r"expect_result:\s*(\w+)", text)
            if version and expected and version[1] in VERSIONS:
                name = str(path.relative_to(PIGLIT))
                found.append(Shader(name, STAGES[path.suffix], text, expected[1] == "pass",
                                    COMPATIBLE if version[2] else CONTEXT))
    return found


GEOMETRY_STAGES = {".geom": "geometry", **STAGES}


def geometry_tests() -> list[Shader]:
    """glslparsertest's geometry shaders for 1.50, and its other shaders there that have blocks."""
    found = []
    for folder in ("tests/spec/glsl-1.50", "generated_tests/spec/glsl-1.50"):
        for path in sorted((PIGLIT / folder).rglob("*.*")):
            stage = GEOMETRY_STAGES.get(path.suffix)
            if stage is None or stage != "geometry" and not re.search(
                "interface|pervertex|block", path.name
            ):
                continue
            text = path.read_text("latin-1")
            version = re.search(r"glsl_version:.*compatibility", text)
            needs = re.search("require_extensions:(.*)", text)
            expected = re.search(r"expect_result:\s*(\w+)", text)
            if expected and not (needs and needs[1].strip()):
                name = str(path.relative_to(PIGLIT))
                found.append(Shader(name, stage, text, expected[1] == "pass",
                                    COMPATIBLE if version else CONTEXT))
    return found


def _sections(text: str) -> list[tuple[str, str]]:
    """(heading, body) of a .shader_test file."""
    parts = re.split(r"^\[(.*)\]\s*\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def embedded(versions: Sequence[str] = VERSIONS) -> list[Shader]:
    """The shaders of all .shader_test files for some versions; all shall compile."""
    found = []
    for folder in ("tests/spec/glsl-1.10", "tests/spec/glsl-1.20", "tests/shaders",
                   "tests/spec/glsl-1.30", "tests/spec/glsl-1.40", "tests/spec/glsl-3.30",
                   "tests/spec/glsl-es-3.00", "generated_tests/spec/glsl-1.10",
                   "generated_tests/spec/glsl-1.20", "generated_tests/spec/glsl-1.30",
                   "generated_tests/spec/glsl-1.40"):
        for path in sorted((PIGLIT / folder).rglob("*.shader_test")):
            sections = _sections(path.read_text("latin-1"))
            wanted = dict(sections).get("require", "")
            least = re.search(r"GLSL(?: ES)?\s*>=\s*([\d.]+)", wanted)
            if least is not None and least[1] not in versions:
                continue
            version = least[1].replace(".", "") if least else "110"
            es = " es" if version == "300" else ""
            for heading, body in sections:
                stage = heading.removesuffix(" shader")
                if stage in ("vertex", "fragment") and stage != heading:
                    own = re.search(r"#version\s+(\d)(\d\d)", body)
                    text = body if own else f"#version {version}{es}\n{body}"
                    if own is None or f"{own[1]}.{own[2]}" in versions:
                        name = f"{path.relative_to(PIGLIT)} {stage}"
                        found.append(Shader(name, stage, text, True))
    return found
