# SPDX-License-Identifier: MIT
"""In a context that was made current without a surface: a line each for calls on the default
framebuffer, which is not there, and the error that they give."""

import ctypes

from pydri.api import enums as e
from tests.robust.headless import Headless

TEXEL = ctypes.create_string_buffer(64)
CALLS = (
    ("Clear", e.GL_COLOR_BUFFER_BIT), ("DrawArrays", e.GL_TRIANGLES, 0, 3),
    ("DrawArrays", e.GL_TRIANGLES, 0, 0), ("Begin", e.GL_TRIANGLES), ("End",),
    ("ReadPixels", 0, 0, 1, 1, e.GL_RGBA, e.GL_UNSIGNED_BYTE, TEXEL),
    ("CopyTexImage2D", e.GL_TEXTURE_2D, 0, e.GL_RGBA, 0, 0, 1, 1, 0),
    ("Bitmap", 1, 1, 0.0, 0.0, 0.0, 0.0, TEXEL),
    ("DrawPixels", 1, 1, e.GL_RGBA, e.GL_UNSIGNED_BYTE, TEXEL),
)  # fmt: skip


def main() -> None:
    """Print the lines."""
    gl = Headless()
    print(f"status: {gl('CheckFramebufferStatus', e.GL_FRAMEBUFFER):#x}")
    for name, *values in CALLS:
        gl(name, *values)
        print(f"gl{name}: {gl('GetError'):#x}")


if __name__ == "__main__":
    main()
