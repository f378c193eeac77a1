# SPDX-License-Identifier: MIT
"""From which colours OpenGL ES 3.0 copies to which internal format, on the libEGL that is found, a
fact a line: the errors of glCopyTexImage2D and of glCopyTexSubImage2D."""

import ctypes

from pydri.api import enums as gl
from pydri.main.textures.formats import INTERNAL
from tests.robust.es3_player import PLACES, error, here
from tests.robust.headless import Headless

UNSIZED = gl.GL_RGB, gl.GL_RGBA


def _sources(es: Headless) -> list[int]:
    """Framebuffer objects of all formats that renderbuffers have, by the formats; and of textures
    without sizes."""
    out = []
    color = gl.GL_COLOR_ATTACHMENT0
    for enum in (*sorted(INTERNAL), *UNSIZED):
        if enum < 5 or INTERNAL[enum].base in PLACES or not here(enum):
            continue
        es("BindFramebuffer", gl.GL_FRAMEBUFFER, enum)
        if enum in UNSIZED:
            es("BindTexture", gl.GL_TEXTURE_2D, enum)
            es("TexImage2D", gl.GL_TEXTURE_2D, 0, enum, 8, 8, 0, enum, gl.GL_UNSIGNED_BYTE, None)
            es("FramebufferTexture2D", gl.GL_FRAMEBUFFER, color, gl.GL_TEXTURE_2D, enum, 0)
        else:
            es("BindRenderbuffer", gl.GL_RENDERBUFFER, enum)
            es("RenderbufferStorage", gl.GL_RENDERBUFFER, enum, 8, 8)
            es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, color, gl.GL_RENDERBUFFER, enum)
        whole = es("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE
        if error(es) == "0x0" and whole:
            out.append(enum)
    return out


def main() -> None:
    """Print the facts."""
    es = Headless(3, 0, es=True)
    target, names = gl.GL_TEXTURE_2D, (ctypes.c_uint * 2)(1, 2)
    # of GL_SRGB, which has no size, the peer makes storage all the same
    formats = [e for e in sorted(INTERNAL) if e > 4 and here(e) and e != gl.GL_SRGB]
    for source in _sources(es):
        es("BindFramebuffer", gl.GL_FRAMEBUFFER, source)
        for enum in formats:
            es("BindTexture", target, 1)
            es("CopyTexImage2D", target, 0, enum, 0, 0, 4, 4, 0)
            told = [error(es)]
            es("BindTexture", target, 2)
            es("TexStorage2D", target, 1, enum, 4, 4)
            if error(es) == "0x0":
                es("CopyTexSubImage2D", target, 0, 0, 0, 0, 0, 4, 4)
                told.append(error(es))
                es("BindTexture", target, 0)
            es("DeleteTextures", 2, names)
            print(gl.name_of(source), "to", gl.name_of(enum), *told, flush=True)


if __name__ == "__main__":
    main()
