# SPDX-License-Identifier: MIT
"""OpenGL ES 2.0 where its rules are others than OpenGL's: images, renderbuffers, arrays, programs.
What goes together was asked of the peer (all internal formats, formats and types); where that
takes what OpenGL ES has not, the specification decides (es_formats.py)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import ES2
from pydri.main.context import GLContext
from pydri.main.textures.layout import TextureObject
from pydri.main.version import GLVersion, extensions
from pydri.pipe.format import FORMATS
from pydri.util.options import options
from tests.unit.main.conftest import VISUAL, Caller
from tests.unit.main.test_images import with_texels

PIXELS = np.zeros(4096, np.uint8)
#: internal format, format, type: the error, or the driver's format
IMAGES = (
    ("RGBA", "RGBA", "UNSIGNED_BYTE", "R8G8B8A8_UNORM"),
    ("RGB", "RGB", "UNSIGNED_SHORT_5_6_5", "B5G6R5_UNORM"),
    ("RGBA", "RGBA", "UNSIGNED_SHORT_4_4_4_4", "B4G4R4A4_UNORM"),
    ("RGBA", "RGBA", "FLOAT", "R32G32B32A32_FLOAT"),
    ("LUMINANCE_ALPHA", "LUMINANCE_ALPHA", "HALF_FLOAT_OES", "L16A16_FLOAT"),
    ("RED", "RED", "HALF_FLOAT_OES", "R16_FLOAT"),
    ("BGRA", "BGRA", "UNSIGNED_BYTE", "B8G8R8A8_UNORM"),
    ("RGB565", "RGB", "UNSIGNED_BYTE", "B5G6R5_UNORM"),
    ("DEPTH_COMPONENT", "DEPTH_COMPONENT", "UNSIGNED_SHORT", "Z16_UNORM"),
    ("RGBA", "RGB", "UNSIGNED_BYTE", e.GL_INVALID_OPERATION),
    ("RGB", "RGBA", "UNSIGNED_BYTE", e.GL_INVALID_OPERATION),
    ("RGBA", "RGBA", "UNSIGNED_SHORT_5_6_5", e.GL_INVALID_OPERATION),
    ("RGBA", "RGBA", "UNSIGNED_SHORT", e.GL_INVALID_OPERATION),
    ("RGBA", "BGR", "UNSIGNED_BYTE", e.GL_INVALID_OPERATION),
    ("RGBA", "ABGR_EXT", "UNSIGNED_BYTE", e.GL_INVALID_ENUM),
    ("RGBA", "RGBA", "HALF_FLOAT", e.GL_INVALID_ENUM),  # OpenGL ES 3.0's name
    ("RGBA16F", "RGBA", "HALF_FLOAT_OES", e.GL_INVALID_OPERATION),  # of renderbuffers here
    ("RGBA32F", "RGBA", "FLOAT", e.GL_INVALID_VALUE),
    ("RGBA12", "RGBA", "UNSIGNED_BYTE", e.GL_INVALID_VALUE),
)  # fmt: skip


@pytest.fixture
def gl() -> Iterator[Caller]:
    ctx = GLContext(VISUAL, version=GLVersion(ES2, 2, 0))
    yield with_texels(ctx)
    ctx.destroy()


def _image(gl: Caller, internal: int, format_: int, type_: int) -> int:
    gl.glTexImage2D(e.GL_TEXTURE_2D, 0, internal, 4, 4, 0, format_, type_, PIXELS)
    return gl.error()


@pytest.mark.parametrize(("internal", "format_", "type_", "wanted"), IMAGES)
def test_images(gl: Caller, internal: str, format_: str, type_: str, wanted: str | int) -> None:
    enums = [getattr(e, f"GL_{word}") for word in (internal, format_, type_)]
    error = _image(gl, *enums)
    if isinstance(wanted, int):
        assert error == wanted
        return
    assert error == 0
    from pydri.main.textures.parameter_entries import texture_at

    texture: TextureObject = texture_at(gl.ctx, e.GL_TEXTURE_2D)
    assert FORMATS[texture.images[0].format].name == wanted


def test_parts_of_images(gl: Caller) -> None:
    """The format is the image's; of types each that it could have been made of."""
    assert _image(gl, e.GL_RGBA, e.GL_RGBA, e.GL_UNSIGNED_BYTE) == 0
    for format_, type_, wanted in (
        (e.GL_RGBA, e.GL_UNSIGNED_SHORT_5_5_5_1, 0),
        (e.GL_RGB, e.GL_UNSIGNED_BYTE, e.GL_INVALID_OPERATION),
        (e.GL_RGBA, e.GL_UNSIGNED_INT_8_8_8_8, e.GL_INVALID_ENUM),
    ):
        gl.glTexSubImage2D(e.GL_TEXTURE_2D, 0, 0, 0, 4, 4, format_, type_, PIXELS)
        assert gl.error() == wanted


def test_an_extension_takes_its_combinations_with_it() -> None:
    with options(MESA_EXTENSION_OVERRIDE="-GL_OES_texture_float"):
        ctx = GLContext(VISUAL, version=GLVersion(ES2, 2, 0))
        assert _image(with_texels(ctx), e.GL_RGBA, e.GL_RGBA, e.GL_FLOAT) == e.GL_INVALID_OPERATION
        ctx.destroy()


def test_renderbuffers(gl: Caller) -> None:
    name = np.zeros(1, np.uint32)
    gl.glGenRenderbuffers(1, name)
    gl.glBindRenderbuffer(e.GL_RENDERBUFFER, int(name[0]))
    taken = "RGBA4 RGB5_A1 RGB565 DEPTH_COMPONENT16 STENCIL_INDEX8 RGB8 RGBA8 R8 RGBA16F".split()
    for word in (*taken, "RGBA", "RGB10_A2", "DEPTH_COMPONENT", "ALPHA8", "RGBA32F"):
        gl.glRenderbufferStorage(e.GL_RENDERBUFFER, getattr(e, f"GL_{word}"), 4, 4)
        assert gl.error() == (0 if word in taken else e.GL_INVALID_ENUM), word


def test_types_of_arrays(gl: Caller) -> None:
    for word, wanted in (("FIXED", 0), ("HALF_FLOAT_OES", 0), ("UNSIGNED_SHORT", 0),
                         ("INT", e.GL_INVALID_ENUM), ("DOUBLE", e.GL_INVALID_ENUM)):  # fmt: skip
        gl.glVertexAttribPointer(0, 4, getattr(e, f"GL_{word}"), 0, 0, None)
        assert gl.error() == wanted, word
    gl.glVertexAttribPointer(0, e.GL_BGRA, e.GL_UNSIGNED_BYTE, 1, 0, None)
    assert gl.error() == e.GL_INVALID_VALUE


def test_draw_buffers_stand_at_their_places(gl: Caller) -> None:
    """EXT_draw_buffers."""
    modes = np.array([e.GL_BACK, e.GL_COLOR_ATTACHMENT1], np.uint32)
    gl.glDrawBuffers(1, modes)
    assert gl.error() == 0
    for count in (0, 2):
        gl.glDrawBuffers(count, modes)
        assert gl.error() == e.GL_INVALID_OPERATION
    name = np.zeros(1, np.uint32)
    gl.glGenFramebuffers(1, name)
    gl.glBindFramebuffer(e.GL_FRAMEBUFFER, int(name[0]))
    for first, second, wanted in (
        (e.GL_COLOR_ATTACHMENT0, e.GL_COLOR_ATTACHMENT1, 0),
        (e.GL_NONE, e.GL_COLOR_ATTACHMENT1, 0),
        (e.GL_COLOR_ATTACHMENT1, e.GL_COLOR_ATTACHMENT0, e.GL_INVALID_OPERATION),
    ):
        gl.glDrawBuffersNV(2, np.array([first, second], np.uint32))
        assert gl.error() == wanted


def test_names_of_extensions_lead_where_they_should(gl: Caller) -> None:
    """Entry points that the registry calls no aliases (`SAME` of pydri/api/apis.py)."""
    name = np.zeros(1, np.uint32)
    gl.glGenQueriesEXT(1, name)
    gl.glBeginQueryEXT(e.GL_ANY_SAMPLES_PASSED, int(name[0]))
    assert gl.error() == 0 and gl.glIsQueryEXT(int(name[0]))
    gl.glEndQueryEXT(e.GL_ANY_SAMPLES_PASSED)
    gl.glBindTexture(e.GL_TEXTURE_3D, 0)
    gl.glTexImage3DOES(
        e.GL_TEXTURE_3D, 0, e.GL_RGBA, 2, 2, 2, 0, e.GL_RGBA, e.GL_UNSIGNED_BYTE, PIXELS
    )
    assert gl.error() == 0


def test_the_peers_extensions() -> None:
    """What is offered is offered by the peer, too (tests/apps/test_info.py has those it lacks)."""
    names = extensions(None, GLVersion(ES2, 2, 0))
    assert "GL_OES_standard_derivatives" in names and "GL_ARB_sync" not in names
    assert len(names) == len(set(names)) > 60
