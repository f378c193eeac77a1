# SPDX-License-Identifier: MIT
"""The kinds of contexts that random sequences are played in: ONE table, KINDS. A process plays one
of them, compatibility contexts unless `use` was called before anything was drawn.

A kind says which context its players make, which commands and enums the registry gives to it, and
in which GLSL its shaders are written (fuzz_arguments.py).
"""

from typing import NamedTuple

from pydri.api.apis import COMPAT, CORE, ES1, ES2
from pydri.main import version
from pydri.main.extensions import EXTENSIONS


class Dialect(NamedTuple):
    """What shaders of a version of GLSL are spelled with."""

    head: str = ""
    takes: str = "attribute"  # what a vertex shader is given
    gives: str = "varying"  # and hands on
    gets: str = "varying"  # what a fragment shader gets of that
    out: str = ""  # its colour is declared so
    color: str = "gl_FragColor"
    texture: str = "texture2D"


class Kind(NamedTuple):
    """A row: the API (apis.py), its name in the registry and the profile there, the version that is
    asked for (None: whatever glXCreateContext makes), that of shaders, and what holds both
    drivers to the version."""

    api: int
    named: str
    profile: str
    version: tuple[int, int] | None
    glsl: Dialect
    held: tuple[tuple[str, str], ...] = ()

    def advertised(self, name: str, number: str) -> bool:
        """Whether a feature (with its number) or an extension of the registry is ours."""
        if number:
            most = self.version or version.offered(None, COMPAT) or (1, 0)
            return tuple(map(int, number.split("."))) <= most
        return name in _EXTENSIONS[self.api] and (
            not self.version or _EXTENSIONS[self.api][name].comes_with(self.api, self.version)
        )


_EXTENSIONS = {
    api: {row.name: row for row in EXTENSIONS if row.api & api} for api in (COMPAT, CORE, ES1, ES2)
}
_IN_OUT = Dialect("", "in", "out", "in", "out vec4 color;", "color", "texture")
#: whoever asks for 2.0 gets the most that there is, too
_ES3 = (("MESA_GLES_VERSION_OVERRIDE", "3.0"),)
_ES = "precision mediump float;"
KINDS = {
    "compat": Kind(COMPAT, "gl", "compatibility", None, Dialect()),
    "core": Kind(CORE, "gl", "core", (3, 3), _IN_OUT._replace(head="#version 330 core\n"),
                 (("MESA_GL_VERSION_OVERRIDE", "3.3"),)),
    "es1": Kind(ES1, "gles1", "common", (1, 1), Dialect()),
    "es2": Kind(ES2, "gles2", "", (2, 0), Dialect(_ES), _ES3),
    "es3": Kind(ES2, "gles2", "", (3, 0), _IN_OUT._replace(head=f"#version 300 es\n{_ES}"), _ES3),
}  # fmt: skip
_used = ["compat"]


def use(name: str) -> None:
    """What this process plays from now on."""
    _used[0] = name


def used() -> str:
    """The name of its row."""
    return _used[0]


def kind() -> Kind:
    """Its row."""
    return KINDS[_used[0]]
