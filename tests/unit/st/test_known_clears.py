# SPDX-License-Identifier: MIT
"""A texture that is drawn to is cleared, something else than a draw writes its texels, and it is
cleared to the same colour again: each of the calls that write texels must be seen."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from pydri.api import enums as gl
from tests.unit.st.test_with_llvm import Gl, g

__all__ = ["g"]
SIZE = 80
TEXELS = np.full((SIZE, SIZE, 4), 200, np.uint8)
AT = TEXELS.ctypes.data
RGBA = (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
PLAIN = gl.GL_TEXTURE_2D, 0


def _name(g: Gl, what: str) -> int:
    name = (ctypes.c_uint32 * 1)()
    getattr(g, f"Gen{what}s")(1, ctypes.addressof(name))
    return int(name[0])


def _texture(g: Gl) -> int:
    """A texture of two levels, which is bound."""
    name = _name(g, "Texture")
    g.BindTexture(gl.GL_TEXTURE_2D, name)
    for level in range(2):
        g.TexImage2D(gl.GL_TEXTURE_2D, level, gl.GL_RGBA8, SIZE >> level, SIZE >> level, 0, *RGBA,
                     AT)  # fmt: skip
    g.TexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAX_LEVEL, 1)
    return name


def _target(g: Gl, texture: int, level: int) -> int:
    """A framebuffer of a level of a texture, which is bound."""
    name = _name(g, "Framebuffer")
    g.BindFramebuffer(gl.GL_FRAMEBUFFER, name)
    g.FramebufferTexture2D(
        gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, texture, level
    )
    return name


def _whole(g: Gl, name: int, level: int) -> None:
    g.TexImage2D(*PLAIN, gl.GL_RGBA8, SIZE, SIZE, 0, *RGBA, AT)


def _part(g: Gl, name: int, level: int) -> None:
    g.TexSubImage2D(*PLAIN, 3, 70, 5, 7, *RGBA, AT)


def _named(g: Gl, name: int, level: int) -> None:
    g.TextureSubImage2D(name, 0, 3, 70, 5, 7, *RGBA, AT)


def _copied(g: Gl, name: int, level: int) -> None:
    other = _texture(g)
    box = (SIZE, SIZE, 1)
    g.CopyImageSubData(other, *PLAIN, 0, 0, 0, name, *PLAIN, 0, 0, 0, *box)
    g.BindTexture(gl.GL_TEXTURE_2D, name)


def _cleared(g: Gl, name: int, level: int) -> None:
    g.ClearTexImage(name, 0, *RGBA, AT)


def _from_framebuffer(g: Gl, name: int, level: int) -> None:
    target = _target(g, _texture(g), 0)
    g.BindTexture(gl.GL_TEXTURE_2D, name)
    g.CopyTexSubImage2D(*PLAIN, 3, 70, 0, 0, 5, 7)
    g.DeleteFramebuffers(1, ctypes.addressof(ctypes.c_uint32(target)))


def _blitted(g: Gl, name: int, level: int) -> None:
    _target(g, _texture(g), 0)
    to = _name(g, "Framebuffer")
    g.BindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, to)
    g.FramebufferTexture2D(
        gl.GL_DRAW_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0
    )
    box = (3, 70, 8, 77)
    g.BlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    g.BindTexture(gl.GL_TEXTURE_2D, name)


def _generated(g: Gl, name: int, level: int) -> None:
    g.TexSubImage2D(*PLAIN, 0, 0, SIZE, SIZE, *RGBA, AT)
    g.GenerateMipmap(gl.GL_TEXTURE_2D)


def _drawn(g: Gl, name: int, level: int) -> None:
    g.WindowPos2i(3, 70)
    g.DrawPixels(5, 7, *RGBA, AT)


WRITERS = (
    _whole, _part, _named, _copied, _cleared, _from_framebuffer, _blitted, _generated, _drawn,
)  # fmt: skip


@pytest.mark.parametrize("writer", WRITERS, ids=lambda w: w.__name__[1:])
def test_what_writes_texels_is_seen_by_the_next_clear(
    g: Gl, writer: Callable[[Gl, int, int], None]
) -> None:
    level = int(writer is _generated)
    size = SIZE >> level
    name = _texture(g)
    target = _target(g, name, level)

    def texels() -> np.ndarray:
        out = np.zeros((size, size, 4), np.uint8)
        g.ReadPixels(0, 0, size, size, *RGBA, out.ctypes.data)
        assert g.st.n.error == 0
        return out

    g.ClearColor(0.2, 0.4, 0.6, 0.8)
    for _ in range(3):
        g.BindFramebuffer(gl.GL_FRAMEBUFFER, target)
        g.Clear(gl.GL_COLOR_BUFFER_BIT)
        assert (texels() == (51, 102, 153, 204)).all()
        writer(g, name, level)
        g.BindFramebuffer(gl.GL_FRAMEBUFFER, target)
        assert (texels() == 200).any(), "nothing was written"


def test_stencil_pixels_are_seen_by_the_next_clear(g: Gl) -> None:
    """glDrawPixels writes stencil values into the memory itself (piglit:
    gl-1.0-drawpixels-stencil-test)."""
    _target(g, _texture(g), 0)
    buffer = _name(g, "Renderbuffer")
    g.BindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
    g.RenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH24_STENCIL8, SIZE, SIZE)
    for attachment in (gl.GL_DEPTH_ATTACHMENT, gl.GL_STENCIL_ATTACHMENT):
        g.FramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, buffer)
    ones = np.ones((SIZE, SIZE), np.uint8)
    g.Viewport(0, 0, SIZE, SIZE)
    g.StencilFunc(gl.GL_EQUAL, 0, 255)
    everything = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
    for _ in range(3):
        g.Clear(everything)
        g.WindowPos2i(0, 0)
        g.DrawPixels(SIZE, SIZE, gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, ones.ctypes.data)
        g.Clear(everything)
        g.Enable(gl.GL_STENCIL_TEST)
        g.Color4f(1.0, 1.0, 1.0, 1.0)
        g.Rectf(-1.0, -1.0, 1.0, 1.0)
        g.Disable(gl.GL_STENCIL_TEST)
        out = np.zeros((SIZE, SIZE, 4), np.uint8)
        g.ReadPixels(0, 0, SIZE, SIZE, *RGBA, out.ctypes.data)
        assert g.st.n.error == 0 and (out == 255).all()
