# SPDX-License-Identifier: MIT
"""What a context of a kind of KINDS says on the libEGL that is found, a fact a line: its strings,
what of pydri's extensions it has, and all that glGet* and glIsEnabled have at OpenGL 3.3. Removed
state is not asked for: core_player.py does that.
"""

import ctypes
import re
import sys
from typing import NamedTuple

from pydri.api import enums, registry
from pydri.main.extensions import EXTENSIONS
from tests.robust.headless import Headless

CORE_BIT, COMPAT_BIT = 1, 2


class Kind(NamedTuple):
    """A kind of context, by what is asked for."""

    version: tuple[int, int]
    profile: int = 0
    forward: bool = False


KINDS = {
    "core": Kind((3, 3), CORE_BIT), "compatibility": Kind((3, 3), COMPAT_BIT),
    "forward": Kind((3, 0), forward=True),
}
#: what says who the driver is, or how it was built
_WHO = {enums.GL_NUM_EXTENSIONS}
#: of a window's framebuffer, which is not here
_OF_WINDOWS = {enums.GL_IMPLEMENTATION_COLOR_READ_FORMAT, enums.GL_IMPLEMENTATION_COLOR_READ_TYPE}
_UNTOUCHED = -77


def _asked(core: bool) -> list[int]:
    """The enums that the profile has at 3.3, or before."""
    names = (name for name in vars(enums) if name.startswith("GL_"))
    values = {value for name in names if (value := getattr(enums, name)) in range(0x10000)}
    found = []
    for value in sorted(values - _WHO - _OF_WINDOWS):
        try:
            row = registry.enum_row(value)
        except KeyError:
            continue
        if 0 < (row.core if core else row.compat) <= 33:
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
    gl = Headless(*kind.version, profile=kind.profile, forward=kind.forward)
    get = gl.egl.eglGetProcAddress(b"glGetString")
    get_text = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)(get)
    text = (get_text(enums.GL_VERSION) or b"").decode()
    print(f"context {name} version: {re.sub(r' (?:Mesa|pydri) .*', '', text)}")
    get = gl.egl.eglGetProcAddress(b"glGetStringi")
    get_one = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint)(get)
    count = (ctypes.c_int * 1)()
    gl("GetIntegerv", enums.GL_NUM_EXTENSIONS, count)
    has = {(get_one(enums.GL_EXTENSIONS, n) or b"").decode() for n in range(count[0])}
    for row in EXTENSIONS:
        if row.name in has:
            print(f"context {name} extension {row.name}: yes")
    for enum in _asked("Core" in text):
        if found := _values(gl, enum):
            print(f"context {name} get {enums.name_of(enum)}: {found}")
        on = gl("IsEnabled", enum) & 255
        if not gl("GetError"):
            print(f"context {name} switch {enums.name_of(enum)}: {on}")


if __name__ == "__main__":
    main()
