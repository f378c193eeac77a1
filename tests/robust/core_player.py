# SPDX-License-Identifier: MIT
"""In a core context of OpenGL 3.3 on the libEGL that is found: a line each for commands that the
core profile has and has not, and the error that calling them gives. test_apis.py compares the lines
of both drivers. (pydri claims the version: MESA_GL_VERSION_OVERRIDE.)
"""

from pydri.api import apis, enums, registry
from pydri.api.gl_table import TABLE
from tests.robust.headless import Headless

#: of the core profile, with arguments that are no mistake
FINE = (
    ("DepthMask", 1), ("Clear", 0), ("BindVertexArray", 0), ("ActiveTexture", 0x84C0),
    ("Enable", enums.GL_DEPTH_TEST), ("Flush",), ("PointSize", 1.0), ("UseProgram", 0),
    ("ClampColor", enums.GL_CLAMP_READ_COLOR, 0), ("TexParameteri", 0xDE1, 0x2801, 0x2600),
)  # fmt: skip


def removed() -> list[str]:
    """Commands of OpenGL 1.0 to 2.1, without gl, that core contexts have not by any name."""
    rows = ((name, registry.row(slot), slot) for name, slot in TABLE.slots.items())
    return [
        name.removeprefix("gl")
        for name, row, slot in rows
        if 0 < row.compat <= 21 and not row.core and not apis.has(slot, apis.CORE)
    ]


def main() -> None:
    """Print the lines."""
    gl = Headless(3, 3)
    for name in removed():
        gl(name, *[0] * 10)
        print(f"gl{name}: {gl('GetError'):#x}")
    for name, *values in FINE:
        gl(name, *values)
        print(f"gl{name}: {gl('GetError'):#x}")
    for mode in range(16):
        gl("DrawArrays", mode, 0, 0)
        print(f"glDrawArrays, mode {mode}: {gl('GetError'):#x}")


if __name__ == "__main__":
    main()
