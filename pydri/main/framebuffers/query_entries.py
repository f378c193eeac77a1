# SPDX-License-Identifier: MIT
"""What programs ask about framebuffers and renderbuffers: glGetFramebufferAttachmentParameteriv,
glGetRenderbufferParameteriv, glGetFramebufferParameteriv, glFramebufferParameteri (GL 4.6, 9.2.3,
9.2.6; ARB_framebuffer_no_attachments).

In: a target or a name, an attachment, a parameter. Out: a number, or a GL error in the order in
which the peer finds them. Nothing of this is in a steady frame. Mesa: main/fbobject.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP
from pydri.api.dispatch import GLError, entry
from pydri.main.framebuffers.layout import (
    ATTACHED_NONE,
    ATTACHED_RENDERBUFFER,
    ATTACHED_TEXTURE,
    DEPTH_PLACE,
    STENCIL_PLACE,
    FramebufferObject,
    Renderbuffer,
)
from pydri.main.framebuffers.tables import (
    ATTACHMENT_QUERIES,
    ATTACHMENTS,
    BAD_COLOR,
    BOTH_PLACES,
    COMPONENTS,
    TARGETS,
    read_as_of,
)
from pydri.main.layout import DIRTY_TARGET
from pydri.main.names.objects import name_at, object_by_name, object_made_by_name
from pydri.main.names.tables import FRAMEBUFFERS, RENDERBUFFERS
from pydri.main.pointers import F32, I32, store
from pydri.main.textures import formats
from pydri.main.textures.image_tables import ROWS
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS, TextureObject
from pydri.pipe.format import FORMATS
from pydri.pipe.native import MAX_TARGETS, Surface

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_STORED = {getattr(gl, f"GL_RENDERBUFFER_{name}_SIZE"): name for name in COMPONENTS}
_DEFAULTS = {
    gl.GL_FRAMEBUFFER_DEFAULT_WIDTH: "default_width",
    gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT: "default_height",
    gl.GL_FRAMEBUFFER_DEFAULT_LAYERS: "default_layers",
    gl.GL_FRAMEBUFFER_DEFAULT_SAMPLES: "default_samples",
    gl.GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS: "default_fixed",
}


# -- which framebuffer -----------------------------------------------------------------------------


def _of_target(ctx: GLContext, target: int) -> Any:
    """A view of what is bound; None: the window's framebuffer."""
    row = ctx.row(TARGETS, target)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    address = getattr(ctx.n.framebuffers, row.bound[0])
    return FramebufferObject.view(address) if address else None


@contextmanager
def _of_name(ctx: GLContext, name: int, makes: bool) -> Iterator[Any]:
    """A view of a framebuffer by name; `makes`: of a name without object one is made."""
    if not name:
        yield None
        return
    with (object_made_by_name if makes else object_by_name)(ctx, FRAMEBUFFERS, name) as fbo:
        if fbo is None:
            raise GLError(gl.GL_INVALID_OPERATION, f"framebuffer={name}")
        yield fbo


@contextmanager
def _of_object(ctx: GLContext, name: int) -> Iterator[Any]:
    """A view of a framebuffer by the name of one that exists: the commands that
    ARB_framebuffer_no_attachments adds to EXT_direct_state_access make none, and have an error of
    their own (as Mesa's)."""
    with object_by_name(ctx, FRAMEBUFFERS, name) as fbo:
        if name and fbo is None:
            raise GLError(gl.GL_INVALID_VALUE, f"framebuffer={name}")
        yield fbo


# -- attachments of framebuffer objects ------------------------------------------------------------


def _places(ctx: GLContext, attachment: int) -> tuple[int, ...]:
    """The places of an attachment point."""
    row = ctx.row(ATTACHMENTS, attachment)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"attachment={gl.name_of(attachment)}")
    if row.place == BAD_COLOR:
        raise GLError(gl.GL_INVALID_OPERATION, f"attachment={gl.name_of(attachment)}")
    return (DEPTH_PLACE, STENCIL_PLACE) if row.place == BOTH_PLACES else (row.place,)


def _image(at: Any) -> tuple[formats.InternalFormat, Any] | None:
    """Internal format and pixel format of what is attached; None: there is no image."""
    if at.kind == ATTACHED_TEXTURE:
        image = TextureObject.view(at.object).images[at.face * MAX_TEXTURE_LEVELS + at.level]
        return (ROWS[image.row], FORMATS[image.format]) if image.internal_format else None
    made = Renderbuffer.view(at.object)
    return (ROWS[made.row], FORMATS[made.format]) if made.format else None


def _component(image: Any, name: str) -> int:
    if image is None:
        return 0
    part = formats.components(*image).get(name)
    return part.size if part is not None else 0


_DATA_TYPES = {
    "unorm": gl.GL_UNSIGNED_NORMALIZED, "srgb": gl.GL_UNSIGNED_NORMALIZED,
    "snorm": gl.GL_SIGNED_NORMALIZED, "float": gl.GL_FLOAT, "shared": gl.GL_FLOAT,
    "uint": gl.GL_UNSIGNED_INT, "sint": gl.GL_INT,
}  # fmt: skip


def _data_type(fmt: Any, stencil: bool) -> int:
    if fmt.kind != "zs":
        return _DATA_TYPES[fmt.kind]
    first = fmt.channels[0][0]
    if first == "us" or (first == "f" and stencil):
        return gl.GL_INDEX
    return gl.GL_FLOAT if first == "f" else gl.GL_UNSIGNED_NORMALIZED


def _of_texture(at: Any, pname: int) -> int:
    if at.kind != ATTACHED_TEXTURE:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL:
        return int(at.level)
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE:
        cube = TextureObject.view(at.object).target == gl.GL_TEXTURE_CUBE_MAP
        return gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + at.face if cube else 0
    return int(at.layered if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_LAYERED else at.layer)


_KINDS = {
    ATTACHED_NONE: gl.GL_NONE, ATTACHED_TEXTURE: gl.GL_TEXTURE,
    ATTACHED_RENDERBUFFER: gl.GL_RENDERBUFFER,
}  # fmt: skip


def _attached(ctx: GLContext, fbo: Any, attachment: int, pname: int) -> int:
    """A parameter of an attachment of a framebuffer object."""
    places, row = _places(ctx, attachment), ctx.row(ATTACHMENT_QUERIES, pname)
    at = fbo.attachments[places[0]]
    if len(places) == 2:
        if row is not None and row.about == "numbers":
            raise GLError(gl.GL_INVALID_OPERATION, "depth and stencil are of two types")
        if at.object != fbo.attachments[places[1]].object:
            raise GLError(gl.GL_INVALID_OPERATION, "depth and stencil differ")
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    if row.about == "type":
        return _KINDS[at.kind]
    if row.about == "name":
        return name_at(at.object)
    if at.kind == ATTACHED_NONE:
        raise GLError(gl.GL_INVALID_OPERATION, "nothing is attached")
    if row.about == "texture":
        return _of_texture(at, pname)
    image = _image(at)
    if row.about == "size":
        return _component(image, row.component)
    if row.about == "encoding":
        return gl.GL_SRGB if image is not None and image[1].srgb else gl.GL_LINEAR
    return _data_type(image[1], places[0] == STENCIL_PLACE) if image is not None else gl.GL_NONE


# -- samples ---------------------------------------------------------------------------------------


@entry(flush=False)
def glGetMultisamplefv(ctx: GLContext, pname: int, index: int, val: Any) -> None:
    """Where in a pixel of what is drawn to a sample lies (GL 3.2, 3.3.1), from its lower left
    corner: windows are upside down."""
    if pname != gl.GL_SAMPLE_POSITION:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    samples = ctypes.c_int32()
    ctx.kernel("glGetIntegerv")(ctx.address, gl.GL_SAMPLES, ctypes.addressof(samples))
    if index >= samples.value:
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    x, y = 0.5, 0.5
    if ctx.screen is not None:
        x, y = ctx.screen.get_sample_position(samples.value, index)
    store(val, F32, [x, y if ctx.n.framebuffers.draw else 1.0 - y])


# -- attachments of the window's framebuffer -------------------------------------------------------


def _of_window(ctx: GLContext, attachment: int, pname: int) -> int:
    visual = ctx.n.framebuffers.window_visual
    colors = {
        gl.GL_FRONT: 1, gl.GL_FRONT_LEFT: 1, gl.GL_BACK: 1, gl.GL_FRONT_RIGHT: visual.stereo,
        gl.GL_BACK_LEFT: visual.double_buffer, gl.GL_BACK_RIGHT: visual.stereo,
    }  # fmt: skip
    if not ctx.api & DESKTOP:  # OpenGL ES 3.0, 6.1.13: other enums are names of sides alone
        colors = {gl.GL_BACK: 1}
    there = {**colors, gl.GL_DEPTH: visual.depth, gl.GL_STENCIL: visual.stencil}
    bits, row = ctx.row(there, attachment), ctx.row(ATTACHMENT_QUERIES, pname)
    if bits is None:
        raise GLError(gl.GL_INVALID_ENUM, f"attachment={gl.name_of(attachment)}")
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    some = bool(bits)
    if row.about == "type":
        return gl.GL_FRAMEBUFFER_DEFAULT if some else gl.GL_NONE
    if row.about == "name" and not some:
        return 0
    if row.about in ("name", "texture"):  # GL 3.3, 6.1.3: of attached images alone
        wrong = gl.GL_INVALID_ENUM if some else gl.GL_INVALID_OPERATION
        raise GLError(wrong, f"pname={gl.name_of(pname)}")
    if row.about == "size":
        if not some:
            raise GLError(gl.GL_INVALID_OPERATION, "there is no such buffer")
        # depth and stencil are one buffer, where there are both
        of_color = row.component not in ("DEPTH", "STENCIL")
        here = of_color == (attachment in colors)
        return int(getattr(visual, row.component.lower())) if here else 0
    if row.about == "encoding":
        # OpenGL ES encodes where the surface says so, and there is nothing to enable
        encodes = visual.srgb if ctx.api & DESKTOP else visual.encoded
        return gl.GL_SRGB if encodes and attachment in colors else gl.GL_LINEAR
    return gl.GL_INDEX if attachment == gl.GL_STENCIL else gl.GL_UNSIGNED_NORMALIZED


def _attachment(ctx: GLContext, fbo: Any, attachment: int, pname: int, params: Any) -> None:
    if fbo is None:
        value = _of_window(ctx, attachment, pname)
    else:
        value = _attached(ctx, fbo, attachment, pname)
    store(params, I32, [value])


@entry(flush=False)
def glGetFramebufferAttachmentParameteriv(
    ctx: GLContext, target: int, attachment: int, pname: int, params: Any
) -> None:
    _attachment(ctx, _of_target(ctx, target), attachment, pname, params)


@entry(flush=False)
def glGetNamedFramebufferAttachmentParameteriv(
    ctx: GLContext, framebuffer: int, attachment: int, pname: int, params: Any
) -> None:
    with _of_name(ctx, framebuffer, False) as fbo:
        _attachment(ctx, fbo, attachment, pname, params)


@entry(flush=False)
def glGetNamedFramebufferAttachmentParameterivEXT(
    ctx: GLContext, framebuffer: int, attachment: int, pname: int, params: Any
) -> None:
    with _of_name(ctx, framebuffer, True) as fbo:
        _attachment(ctx, fbo, attachment, pname, params)


# -- renderbuffers ---------------------------------------------------------------------------------


def _renderbuffer(ctx: GLContext, buffer: Any, pname: int, params: Any) -> None:
    plain = {
        gl.GL_RENDERBUFFER_WIDTH: buffer.width, gl.GL_RENDERBUFFER_HEIGHT: buffer.height,
        gl.GL_RENDERBUFFER_INTERNAL_FORMAT: buffer.internal_format,
        gl.GL_RENDERBUFFER_SAMPLES: buffer.samples,
    }  # fmt: skip
    value, component = ctx.row(plain, pname), ctx.row(_STORED, pname)
    if component is not None:
        image = (ROWS[buffer.row], FORMATS[buffer.format]) if buffer.format else None
        value = _component(image, component)
    if value is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(params, I32, [value])


@entry(flush=False)
def glGetRenderbufferParameteriv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    bound = ctx.n.framebuffers.renderbuffer
    if not bound:
        raise GLError(gl.GL_INVALID_OPERATION, "no renderbuffer is bound")
    _renderbuffer(ctx, Renderbuffer.view(bound), pname, params)


def _named_renderbuffer(
    ctx: GLContext, name: int, pname: int, params: Any, makes: bool = False
) -> None:
    with (object_made_by_name if makes else object_by_name)(ctx, RENDERBUFFERS, name) as buffer:
        if buffer is None:
            raise GLError(gl.GL_INVALID_OPERATION, f"renderbuffer={name}")
        _renderbuffer(ctx, buffer, pname, params)


@entry(flush=False)
def glGetNamedRenderbufferParameteriv(
    ctx: GLContext, renderbuffer: int, pname: int, params: Any
) -> None:
    _named_renderbuffer(ctx, renderbuffer, pname, params)


@entry(flush=False)
def glGetNamedRenderbufferParameterivEXT(
    ctx: GLContext, renderbuffer: int, pname: int, params: Any
) -> None:
    _named_renderbuffer(ctx, renderbuffer, pname, params, makes=True)


# -- framebuffers without attachments --------------------------------------------------------------


def _limit(ctx: GLContext, field: str) -> int:
    limits = ctx.n.limits
    return {
        "default_width": int(limits.texture_2d), "default_height": int(limits.texture_2d),
        "default_layers": int(limits.array_layers), "default_samples": int(limits.samples),
    }.get(field, 1)  # fmt: skip


def _set_default(ctx: GLContext, fbo: Any, pname: int, param: int) -> None:
    field = _DEFAULTS.get(pname)
    if field is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    if fbo is None:
        raise GLError(gl.GL_INVALID_OPERATION, "the window's framebuffer")
    if field == "default_fixed":
        param = int(bool(param))
    elif not 0 <= param <= _limit(ctx, field):
        raise GLError(gl.GL_INVALID_VALUE, f"param={param}")
    setattr(fbo, field, param)
    fbo.stale = 1
    ctx.n.dirty |= DIRTY_TARGET


def read_as(ctx: GLContext, fbo: Any) -> tuple[int, int]:
    """What the colours that are read from a framebuffer object (None: the window) are asked for in
    at least cost; GL_INVALID_OPERATION where none can be read (GL 4.6, 9.2.3 and 18.2.2)."""
    if fbo is None:
        surface = ctx.n.framebuffers.window_read.cbuf
        readable = ctx.n.raw.read_buffer != gl.GL_NONE
        form = Surface.view(surface).format if surface else 0
    else:
        status = ctx.kernel("fbo_status")(ctx.address, ctypes.addressof(fbo))
        read = fbo.attachments[(fbo.read_buffer - gl.GL_COLOR_ATTACHMENT0) % MAX_TARGETS]
        readable = (
            status & 0xFFFFFFFF == gl.GL_FRAMEBUFFER_COMPLETE
            and fbo.read_buffer != gl.GL_NONE and read.kind != ATTACHED_NONE
        )  # fmt: skip
        form = read.format
    if not readable:
        raise GLError(gl.GL_INVALID_OPERATION, "no colours can be read")
    return read_as_of(form)


def _get_parameter(ctx: GLContext, fbo: Any, pname: int, params: Any) -> None:
    visual = ctx.n.framebuffers.window_visual
    shown = {gl.GL_DOUBLEBUFFER: visual.double_buffer, gl.GL_STEREO: visual.stereo}
    if pname in _DEFAULTS:
        if fbo is None:
            raise GLError(gl.GL_INVALID_OPERATION, "the window's framebuffer")
        value = getattr(fbo, _DEFAULTS[pname])
    elif pname in shown:
        value = shown[pname] if fbo is None else 0
    elif pname in (gl.GL_SAMPLES, gl.GL_SAMPLE_BUFFERS):
        samples = visual.samples if fbo is None else fbo.samples
        value = samples if pname == gl.GL_SAMPLES else int(samples > 1)
    elif pname == gl.GL_IMPLEMENTATION_COLOR_READ_FORMAT:
        value = read_as(ctx, fbo)[0]
    elif pname == gl.GL_IMPLEMENTATION_COLOR_READ_TYPE:
        value = read_as(ctx, fbo)[1]
    else:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(params, I32, [value])


@entry
def glFramebufferParameteri(ctx: GLContext, target: int, pname: int, param: int) -> None:
    _set_default(ctx, _of_target(ctx, target), pname, param)


@entry(flush=False)
def glGetFramebufferParameteriv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    _get_parameter(ctx, _of_target(ctx, target), pname, params)


@entry
def glNamedFramebufferParameteri(
    ctx: GLContext, framebuffer: int, pname: int, param: int
) -> None:
    with _of_name(ctx, framebuffer, False) as fbo:
        _set_default(ctx, fbo, pname, param)


@entry(flush=False)
def glGetNamedFramebufferParameteriv(
    ctx: GLContext, framebuffer: int, pname: int, param: Any
) -> None:
    with _of_name(ctx, framebuffer, False) as fbo:
        _get_parameter(ctx, fbo, pname, param)


@entry
def glNamedFramebufferParameteriEXT(
    ctx: GLContext, framebuffer: int, pname: int, param: int
) -> None:
    with _of_object(ctx, framebuffer) as fbo:
        _set_default(ctx, fbo, pname, param)


@entry(flush=False)
def glGetNamedFramebufferParameterivEXT(
    ctx: GLContext, framebuffer: int, pname: int, params: Any
) -> None:
    with _of_object(ctx, framebuffer) as fbo:
        _get_parameter(ctx, fbo, pname, params)


@entry(flush=False)
def glGetFramebufferParameterivEXT(
    ctx: GLContext, framebuffer: int, pname: int, params: Any
) -> None:
    """EXT_direct_state_access: of draw and read buffers alone."""
    with _of_name(ctx, framebuffer, True) as fbo:
        raw, found = ctx.n.raw, []
        if pname == gl.GL_READ_BUFFER:
            found = [raw.read_buffer if fbo is None else fbo.read_buffer]
        elif pname == gl.GL_DRAW_BUFFER:
            found = [raw.draw_buffer if fbo is None else fbo.draw_buffers[0]]
        elif 0 <= pname - gl.GL_DRAW_BUFFER0 < MAX_TARGETS:
            n = pname - gl.GL_DRAW_BUFFER0
            window = [raw.draw_buffer, *raw.more_draw_buffers]
            found = [window[n] if fbo is None else fbo.draw_buffers[n]]
        if not found:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        store(params, I32, found)


__all__ = ["glGetFramebufferAttachmentParameteriv"]
