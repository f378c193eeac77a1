# SPDX-License-Identifier: MIT
"""What a context of a kind of KINDS says on the libEGL that is found, a fact a line: its strings,
what of pydri's extensions it has (of OpenGL ES: all), and all that glGet* and glIsEnabled have at
OpenGL 3.3, or at that version of OpenGL ES and by its extensions. Removed state is not asked for:
core_player.py does that.
"""

import ctypes
import re
import sys
from typing import NamedTuple

from pydri.api import enums, registry
from pydri.api.apis import ES1, ES2
from pydri.main.extensions import EXTENSIONS
from tests.robust.headless import Headless

CORE_BIT, COMPAT_BIT = 1, 2


class Kind(NamedTuple):
    """A kind of context, by what is asked for."""

    version: tuple[int, int]
    profile: int = 0
    forward: bool = False
    es: bool = False


KINDS = {
    "core": Kind((3, 3), CORE_BIT), "compatibility": Kind((3, 3), COMPAT_BIT),
    "forward": Kind((3, 0), forward=True), "es1": Kind((1, 1), es=True),
    "es2": Kind((2, 0), es=True), "es3": Kind((3, 0), es=True),
}
#: what says who the driver is, or how it was built
_WHO = {enums.GL_NUM_EXTENSIONS}
#: of a window's framebuffer, which is not here
_OF_WINDOWS = {enums.GL_IMPLEMENTATION_COLOR_READ_FORMAT, enums.GL_IMPLEMENTATION_COLOR_READ_TYPE}
_UNTOUCHED = -77


def _there(row: registry.Availability, kind: Kind, has: set[str]) -> bool:
    """Whether a kind of context has an enum."""
    if kind.es:
        api, first = (ES2, row.es2) if kind.version >= (2, 0) else (ES1, row.es1)
        brought = (name for name, bits in row.extensions.items() if bits & api)
        reached = 10 * kind.version[0] + kind.version[1]
        return 0 < first <= reached or any(f"GL_{name}" in has for name in brought)
    core = kind.profile == CORE_BIT or kind.forward
    return 0 < (row.core if core else row.compat) <= 33


def _asked(kind: Kind, has: set[str]) -> list[int]:
    """The enums that a kind of context has."""
    names = (name for name in vars(enums) if name.startswith("GL_"))
    values = {value for name in names if (value := getattr(enums, name)) in range(0x10000)}
    found = []
    for value in sorted(values - _WHO - _OF_WINDOWS):
        try:
            row = registry.enum_row(value)
        except KeyError:
            continue
        if _there(row, kind, has):
            found.append(value)
    return found


def _values(gl: Headless, enum: int) -> str:
    """What glGetIntegerv writes; "": nothing but an error."""
    out = (ctypes.c_int * 256)(*[_UNTOUCHED] * 256)
    gl("GetIntegerv", enum, out)
    if gl("GetError"):
        return ""
    given = list(out[:16])
    while given and given[-1] == _UNTOUCHED:
        given.pop()
    return str(given)


def main() -> None:
    """Print the facts."""
    name = sys.argv[1]
    kind = KINDS[name]
    gl = Headless(*kind.version, profile=kind.profile, forward=kind.forward, es=kind.es)
    get = gl.egl.eglGetProcAddress(b"glGetString")
    get_text = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)(get)
    text = (get_text(enums.GL_VERSION) or b"").decode()
    print(f"context {name} version: {re.sub(r' (?:Mesa|pydri) .*', '', text)}")
    if kind.es:
        language = (get_text(enums.GL_SHADING_LANGUAGE_VERSION) or b"").decode()
        print(f"context {name} language: {language}")
        has = set((get_text(enums.GL_EXTENSIONS) or b"").decode().split())
    else:
        get = gl.egl.eglGetProcAddress(b"glGetStringi")
        get_one = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint)(get)
        count = (ctypes.c_int * 1)()
        gl("GetIntegerv", enums.GL_NUM_EXTENSIONS, count)
        has = {(get_one(enums.GL_EXTENSIONS, n) or b"").decode() for n in range(count[0])}
    ours = {row.name for row in EXTENSIONS}
    for extension in sorted(has if kind.es else has & ours):
        print(f"context {name} extension {extension}: yes")
    for enum in _asked(kind, has & ours):
        if found := _values(gl, enum):
            print(f"context {name} get {enums.name_of(enum)}: {found}")
        on = gl("IsEnabled", enum) & 255
        if not gl("GetError"):
            print(f"context {name} switch {enums.name_of(enum)}: {on}")


if __name__ == "__main__":
    main()
