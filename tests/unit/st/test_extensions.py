# SPDX-License-Identifier: MIT
"""What is advertised is written: every command that the registry gives an extension has an entry
point, a kernel or Python's, and is exported.
"""

import importlib

import pydri.main.entries
import pydri.st
import pydri.vbo
from pydri.api import dispatch
from pydri.api.gl_table import TABLE
from pydri.main import core
from pydri.main.version import EXTENSION_TABLE
from pydri.st.context import register_rooms
from scripts import gen_api

#: extensions that the registry does not have; they share others' entry points
UNREGISTERED = {
    "GL_APPLE_packed_pixels", "GL_ATI_blend_equation_separate", "GL_SUN_multi_draw_arrays",
}  # fmt: skip
_IMAGING = "of the imaging subset, which is not there (ARB_robustness: where it is supported)"
_TEXTURES, _SHADERS = "there are no textures yet", "there are no shaders yet"
_READ = "ColorTable ConvolutionFilter SeparableFilter Histogram Minmax"
#: command -> why it is not written
MISSING = {
    **{f"glGetn{name}ARB": _IMAGING for name in _READ.split()},
    "glGetnTexImageARB": _TEXTURES,
    "glGetnCompressedTexImageARB": _TEXTURES,
    "glInvalidateTexImage": _TEXTURES,
    "glInvalidateTexSubImage": _TEXTURES,
    **{f"glGetnUniform{kind}v": _SHADERS for kind in ("f", "i", "ui")},
    **{f"glGetnUniform{kind}vARB": _SHADERS for kind in ("f", "i", "ui", "d")},
    "glVertexWeighthNV": "only with EXT_vertex_weighting",
    "glVertexWeighthvNV": "only with EXT_vertex_weighting",
}


def written(name: str) -> bool:
    """Whether an entry point does something."""
    if name not in TABLE.slots:
        return False
    native = core.core_image().symbols
    forms = (prefix + each for each in dispatch.aliases(name) for prefix in ("", "be_"))
    python = dispatch.find(dispatch.ENTRIES, name)
    return python is not None or any(form in native for form in forms)


def commands() -> dict[str, list[str]]:
    """Extension -> its commands in OpenGL."""
    found: dict[str, list[str]] = {}
    for extension in gen_api.registry("gl.xml").findall("extensions/extension"):
        found[extension.get("name", "")] = [
            command.get("name", "")
            for require in extension.findall("require")
            if require.get("api") in (None, "gl")
            for command in require.findall("command")
        ]
    return found


def test_every_command_of_an_advertised_extension_is_written() -> None:
    register_rooms()
    for module in (*pydri.vbo.ENTRIES, *pydri.st.ENTRIES):
        importlib.import_module(module)
    registry = commands()
    names = [name for name, _ in EXTENSION_TABLE]
    assert {name for name in names if name not in registry} == UNREGISTERED
    asked = {command for name in names for command in registry.get(name, ())}
    assert len(asked) > 300
    absent = {command for command in asked if not written(command)}
    assert absent == set(MISSING) & asked, absent ^ (set(MISSING) & asked)
    assert set(MISSING) <= asked


def test_no_extension_twice() -> None:
    names = [name for name, _ in EXTENSION_TABLE]
    assert len(names) == len(set(names))
