# SPDX-License-Identifier: MIT
"""Commands of OpenGL ES 1 that are commands of OpenGL but for their numbers, a row each; and what
numbers their parameters have (OpenGL ES 1.1, 2.3, 7.2, 7.3).

In: the registry, which knows the commands: those whose names end as those of fixed-point numbers
do, and those of floats that OpenGL has with doubles alone. Out: COMMANDS, VECTORS, WHOLE. Mesa:
main/es1_conversion.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pydri.api.enums as gl
from pydri.api import apis
from pydri.api.apis import DESKTOP, ES1, SAME
from pydri.api.gl_table import TABLE
from pydri.main.textures.parameters import BOX, COLOR, FLOAT, PARAMETERS
from pydri.main.textures.tables import ENV


class Command(NamedTuple):
    """`entry` is `base` with numbers of another kind: fixed-point ones, or floats for doubles."""

    entry: str
    base: str
    fixed: bool

    @property
    def gets(self) -> bool:
        """Whether it answers."""
        return self.entry.startswith("glGet")


def _base(stem: str, tail: str) -> str:
    """The command that a stem has with the tail of floats, or without one, which has doubles where
    OpenGL has a choice; "": there is none."""
    vector = "v" if tail.startswith("v") else ""
    vendor = tail.removeprefix("v")
    names = () if vector else (f"{stem}{vendor}",)
    found = (name for name in (*names, f"{stem}f{vector}{vendor}") if name in TABLE.slots)
    return next(found, "")


def _commands() -> Iterator[Command]:
    for name, slot in TABLE.slots.items():
        here = apis.apis_of(slot)
        if not here & ES1 or here & DESKTOP or name in SAME:
            continue
        for tail in ("x", "xv", "xOES", "xvOES", "f"):
            if name.endswith(tail) and (base := _base(name.removesuffix(tail), tail[1:])):
                yield Command(name, base, tail != "f")


COMMANDS: tuple[Command, ...] = tuple(_commands())

_COLORS = (
    gl.GL_AMBIENT, gl.GL_DIFFUSE, gl.GL_SPECULAR, gl.GL_EMISSION, gl.GL_AMBIENT_AND_DIFFUSE,
)  # fmt: skip
#: parameters that are several numbers, and how many
VECTORS: dict[int, int] = {
    **dict.fromkeys((*_COLORS, gl.GL_POSITION, gl.GL_LIGHT_MODEL_AMBIENT, gl.GL_FOG_COLOR), 4),
    gl.GL_TEXTURE_ENV_COLOR: 4, gl.GL_TEXTURE_CROP_RECT_OES: 4,
    gl.GL_SPOT_DIRECTION: 3, gl.GL_POINT_DISTANCE_ATTENUATION: 3,
}  # fmt: skip
#: parameters that are enums, switches or numbers of levels, which are passed as they are
WHOLE: tuple[int, ...] = (
    gl.GL_FOG_MODE, gl.GL_LIGHT_MODEL_TWO_SIDE, gl.GL_TEXTURE_GEN_MODE,
    *(row.pname for row in ENV if not row.is_float),
    *(row.pname for row in PARAMETERS if row.kind not in (FLOAT, COLOR, BOX)),
)  # fmt: skip

#: commands of one number that refuse parameters of several, as the peer's do and the specification
#: wants of all (OpenGL ES 1.1, 2.12.2, 3.7.12)
SINGLE = ("glMaterialx", "glTexEnvx")

__all__ = ["COMMANDS", "SINGLE", "VECTORS", "WHOLE", "Command"]
