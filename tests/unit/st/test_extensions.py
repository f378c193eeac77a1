# SPDX-License-Identifier: MIT
"""What is advertised is written: every command that the registry gives an extension has an entry
point, a kernel or Python's, and is exported.
"""

import importlib

import pytest

import pydri.main.entries
import pydri.st
import pydri.vbo
from libgl_shim.stubs import ANSWERED_IN_C
from pydri.api import dispatch
from pydri.api.apis import COMPAT, CORE, ES1, ES2
from pydri.api.gl_table import TABLE
from pydri.egl import device, strings
from pydri.glx import query
from pydri.main import core
from pydri.main.extensions import EXTENSIONS
from pydri.st.context import register_rooms
from scripts import gen_api

#: extensions that the registries do not have: without entry points, or with others'
UNREGISTERED = {
    "GL_APPLE_packed_pixels", "GL_ATI_blend_equation_separate", "GL_MESA_texture_signed_rgba",
    "GL_EXT_texture_edge_clamp", "GL_EXT_texture_rectangle", "GL_ATI_texture_compression_3dc",
    "GL_SUN_multi_draw_arrays", "GL_OES_depth_texture_cube_map", "GL_OES_EGL_sync",
    "GL_EXT_frag_depth", "GL_EXT_compressed_ETC1_RGB8_sub_texture",
    "GLX_EXT_get_drawable_type", "EGL_MESA_device_software", "EGL_MESA_configless_context",
}  # fmt: skip
#: the registry's words for APIs
WORDS = {COMPAT: "gl", CORE: "gl", ES1: "gles1", ES2: "gles2"}
_IMAGING = "of the imaging subset, which is not there (ARB_robustness: where it is supported)"
_READ = "ColorTable ConvolutionFilter SeparableFilter Histogram Minmax"


def _direct_state_access() -> dict[str, str]:
    """Commands of EXT_direct_state_access that belong to extensions which are not there; the peer
    has none of those of NV's."""
    local, sizes = "glNamedProgramLocalParameter", ("2x3", "3x2", "2x4", "4x2", "3x4", "4x3")
    integers = [f"{local}{form}EXT" for form in ("I4i", "I4iv", "I4ui", "I4uiv", "sI4iv", "sI4uiv")]
    integers += [f"glGetNamedProgramLocalParameter{form}EXT" for form in ("Iiv", "Iuiv")]
    doubles = [f"glProgramUniform{n}{form}EXT" for n in (1, 2, 3, 4) for form in ("d", "dv")]
    doubles += [f"glProgramUniformMatrix{n}dvEXT" for n in ("2", "3", "4", *sizes)]
    return {
        **dict.fromkeys(integers, "of NV_gpu_program4, which the peer has not either"),
        **dict.fromkeys(doubles, "of ARB_gpu_shader_fp64"),
        **{f"gl{n}RenderbufferEXT": "NV_explicit_multisample" for n in ("Texture", "MultiTex")},
        "glNamedFramebufferTextureFaceEXT": "of geometry shaders",
        "glNamedRenderbufferStorageMultisampleCoverageEXT": "NV_framebuffer_multisample_coverage",
        "glVertexArrayVertexAttribLOffsetEXT": "of ARB_vertex_attrib_64bit",
        "glTexturePageCommitmentEXT": "of ARB_sparse_texture",
    }


#: command -> why it is not written
MISSING = {
    **{f"glGetn{name}ARB": _IMAGING for name in _READ.split()},
    "glVertexWeighthNV": "only with EXT_vertex_weighting",
    "glVertexWeighthvNV": "only with EXT_vertex_weighting",
    **_direct_state_access(),
    "glGetProgramResourceLocationIndexEXT": "of OpenGL ES 3.1 (ARB_program_interface_query)",
    # of ARB_direct_state_access
    "glCreateProgramPipelines": "of ARB_separate_shader_objects",
}  # fmt: skip


def load() -> None:
    """Import everything that has entry points, as the first call of a program does."""
    register_rooms()
    for module in (*pydri.vbo.ENTRIES, *pydri.st.ENTRIES):
        importlib.import_module(module)


def written(name: str) -> bool:
    """Whether an entry point does something."""
    if name not in TABLE.slots:
        return False
    native = core.core_image().symbols
    forms = (prefix + each for each in dispatch.aliases(name) for prefix in ("", "be_"))
    python = dispatch.find(dispatch.ENTRIES, name)
    return python is not None or any(form in native for form in forms)


def commands(file: str = "gl.xml") -> dict[str, list[str]]:
    """Extension -> its commands; those of GL's in the APIs in which it is advertised."""
    found: dict[str, list[str]] = {}
    here = {row.name: row.api for row in EXTENSIONS}
    for extension in gen_api.registry(file).findall("extensions/extension"):
        name = extension.get("name", "")
        words = {None, *(word for api, word in WORDS.items() if here.get(name, COMPAT) & api)}
        found[name] = [
            command.get("name", "")
            for require in extension.findall("require")
            if require.get("api") in words
            for command in require.findall("command")
        ]
    return found


def test_every_command_of_an_advertised_extension_is_written() -> None:
    load()
    registry = commands()
    names = [row.name for row in EXTENSIONS]
    assert {name for name in names if name not in registry} <= UNREGISTERED
    asked = {command for name in names for command in registry.get(name, ())}
    assert len(asked) > 300
    absent = {command for command in asked if not written(command)}
    assert absent == set(MISSING) & asked, absent ^ (set(MISSING) & asked)
    assert set(MISSING) <= asked


@pytest.mark.parametrize("name", ["glx", "egl"])
def test_every_command_of_the_window_systems_is_written(name: str) -> None:
    front = {"glx": dispatch.GLX, "egl": dispatch.EGL}[name]
    importlib.import_module(f"pydri.{name}.entries")
    if name == "glx":
        names = {*query.EXTENSIONS, *query.SERVER_ONLY, *query.CLIENT_ONLY, *query.WITH_EVENTS}
    else:
        names = {*strings.EXTENSIONS, *strings.CLIENT_EXTENSIONS, *strings.WINDOW_EXTENSIONS}
        names |= {device.EXTENSIONS}
    registry = commands(f"{name}.xml")
    assert names - set(registry) <= UNREGISTERED
    asked = {command for each in names for command in registry.get(each, ())}
    assert len(asked) > 20
    for command in asked:
        assert command in front.table.slots, command
        other = front.table.row(command).alias
        assert {command, other} & (front.names() | ANSWERED_IN_C), command


def test_no_extension_twice() -> None:
    names = [row.name for row in EXTENSIONS]
    assert len(names) == len(set(names))
