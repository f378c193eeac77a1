# SPDX-License-Identifier: MIT
"""Framebuffers: native structs of what a framebuffer configuration has, of renderbuffers and of
framebuffer objects. Counterparts of Mesa's gl_config, gl_renderbuffer, gl_renderbuffer_attachment
and gl_framebuffer (mtypes.h).

A framebuffer object belongs to one context. Each of its attachments has a reference to a texture or
a renderbuffer, and a `TargetSurface`, the Surface that is drawn to in its place: made when the
framebuffer is first used after a change, never changed (scenes that are pending refer to it), and
given back when the attachment is another one.
"""

from pydri.jit.types import Struct, fn, hook, nested, ptr, u8, u16, u32, u64, void
from pydri.main.names.layout import Named
from pydri.pipe.native import MAX_TARGETS, BlitInfo, CopyInfo, PipeFramebuffer, Surface
from pydri.pipe.resource import Resource


class VisualBlock(Struct):
    """What a framebuffer has (bits), for glGet and glDrawBuffer: the window's configuration, or a
    framebuffer object."""

    red = u32
    green = u32
    blue = u32
    alpha = u32
    depth = u32
    stencil = u32
    double_buffer = u32
    stereo = u32
    samples = u32
    accum = u32[4]
    aux = u32
    srgb = u32  # whether GL_FRAMEBUFFER_SRGB does something in the drawable
    encoded = u32  # whether OpenGL ES encodes colours in the drawable
    floats = u32  # whether colours are floats (GL_RGBA_FLOAT_MODE_ARB)
    integers = u32  # whether some are whole numbers (GL_RGBA_INTEGER_MODE_EXT)


class Renderbuffer(Named):
    """A renderbuffer object."""

    internal_format = u32  # as asked for
    row = u32  # place of the row among ROWS of textures/image_tables.py
    format = u32  # PipeFormat of the pixels
    width = u32
    height = u32
    samples = u32  # 0: not multisampled
    resource = ptr(Resource)  # with a reference; null: no storage


class TargetSurface(Struct, align=64):
    """A Surface of an attachment, with a reference to its resource."""

    surface = nested(Surface)  # first: its address is the node's
    next = ptr("TargetSurface")  # among those that wait for a scene, or that are free
    fence = u64  # the scene that uses it last
    image = ptr(Resource)
    serial = u32  # of the resource when this was made
    pad = u32


# Attachment.kind
ATTACHED_NONE, ATTACHED_TEXTURE, ATTACHED_RENDERBUFFER = range(3)
#: places of FramebufferObject.attachments behind the colour attachments
DEPTH_PLACE, STENCIL_PLACE = MAX_TARGETS, MAX_TARGETS + 1
MAX_ATTACHMENTS = MAX_TARGETS + 2


class Attachment(Struct):
    """An attachment point."""

    kind = u32  # ATTACHED_*
    level = u32
    face = u32  # of cubes
    layer = u32  # of 3D textures and arrays
    layered = u32  # all layers (glFramebufferTexture)
    row = u32  # of the image that is attached, as of the last check
    format = u32
    samples = u32
    fixed = u32  # whether the samples' places are fixed (GL 4.6, 9.4.2)
    object = ptr(Named)  # a TextureObject or a Renderbuffer, with a reference; null: none
    target = ptr(TargetSurface)  # null: none yet


class FramebufferObject(Named):
    """A framebuffer object."""

    status = u32  # what glCheckFramebufferStatus answers
    checked = u32  # SharedBlock.texture_serial when `status` was found
    stale = u32  # 1: attachments or draw buffers have changed since
    width = u32  # as drawn to: the least of all attachments
    height = u32
    samples = u32
    integers = u32  # whether some colour attachment holds whole numbers, drawn to or not
    layers = u32  # the least number of layers of all attachments; 0: they are not layered
    read_buffer = u32
    draw_buffers = u32[MAX_TARGETS]
    # without attachments (ARB_framebuffer_no_attachments)
    default_width = u32
    default_height = u32
    default_layers = u32
    default_samples = u32
    default_fixed = u32
    attachments = Attachment[MAX_ATTACHMENTS]


class FramebufferBlock(Struct, align=64):
    """What a context has of framebuffers. `dyn.fb` and `read` of the context follow from these
    (pydri/st/targets/kernels.py): the window's, or those of framebuffer objects.
    """

    window_draw = nested(PipeFramebuffer)  # of the drawables
    window_read = nested(PipeFramebuffer)
    window_visual = nested(VisualBlock)
    draw = ptr(FramebufferObject)  # with a reference; null: the window
    read = ptr(FramebufferObject)
    renderbuffer = ptr(Renderbuffer)
    draw_status = u32  # of what is bound, when that was last looked at
    read_status = u32
    seen = u32  # SharedBlock.texture_serial then
    pad = u32
    # surfaces that scenes may use still, in order; and free ones
    waiting = ptr(TargetSurface)
    waiting_last = ptr(TargetSurface)
    spare = ptr(TargetSurface)
    # by internal format's row: PipeFormat of renderbuffers (0: none); by PipeFormat: whether it can
    # be drawn to; null until hook_load has made them
    formats = ptr(u16)
    drawable = ptr(u8)
    hook_load = hook(void, ptr("GLContext"))
    # detach(ctx, object): a texture or renderbuffer is deleted
    detach = fn(void, ptr("GLContext"), ptr(Named))
    # follow(ctx): `dyn.fb` and `read` are those of what is bound; 0: there is nothing to draw to
    follow = fn(u32, ptr("GLContext"))
    # blit(ctx, BlitInfo): of drivers that have no native form
    hook_blit = hook(void, ptr("GLContext"), ptr(BlitInfo))
    hook_copy = hook(void, ptr("GLContext"), ptr(CopyInfo))  # copy_region, likewise
    samples = u32  # bits: which numbers of samples the driver has
    # 1: the window's buffers were looked up, to be drawn to or read, since they were last shown
    used = u32
    # show(ctx): bring what was drawn to the front buffer since then to where it is seen; null: the
    # drawable does that, in Python, at each flush
    show = fn(void, ptr("GLContext"))
