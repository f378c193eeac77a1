# SPDX-License-Identifier: MIT
"""Images that several textures and renderbuffers share, of any context (EGLImages;
GL_OES_EGL_image, GL_EXT_EGL_image_storage): one image of a texture, or a renderbuffer.

In: what eglCreateImage was given. Out: a `SharedImage`, whose resource is a part of the source's,
in the same storage: who respecifies the source leaves it alone, and it lives as long as one of its
siblings. Its handle is the address of its native struct. Mesa: egl_dri2.c, dri2.c
(dri2_create_from_texture), main/teximage.c (egl_image_target_texture).
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.textures.image_loader import image_kernel
from pydri.main.textures.layout import ImageShare

if TYPE_CHECKING:
    from pydri.main.context import GLContext

#: by handle; an image that was destroyed is none
IMAGES: dict[int, SharedImage] = {}


class Refused(Exception):
    """Why there is no image: SHARE_* of layout.py."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


class SharedImage:
    """One image; `native` holds a reference to the resource until `destroy`."""

    def __init__(self, native: Any) -> None:
        self.native = native
        self.handle = ctypes.addressof(native)
        IMAGES[self.handle] = self

    def destroy(self) -> None:
        """Nobody can name it any more; siblings keep what they have."""
        from pydri.pipe.pipe_resource import resource_image

        if IMAGES.pop(self.handle, None) is not None:
            release = ctypes.CFUNCTYPE(None, ctypes.c_uint64)
            release(resource_image().address("resource_release"))(self.native.resource)
            release(resource_image().address("storage_release"))(self.native.kept)


_SHARE = ctypes.CFUNCTYPE(ctypes.c_uint32, *[ctypes.c_uint64] * 2, *[ctypes.c_uint32] * 5)


def of_texture(ctx: GLContext, name: int, target: int, face: int, level: int,
               layer: int) -> SharedImage:  # fmt: skip
    """An image of a texture of a target (GL_TEXTURE_2D, _3D, _CUBE_MAP)."""
    native = ImageShare.ctype()()
    share = _SHARE(image_kernel(ctx, "texture_share"))
    return _made(native, share(ctx.address, ctypes.addressof(native), name, target, face,
                               level & 0xFFFFFFFF, layer & 0xFFFFFFFF))  # fmt: skip


def of_renderbuffer(ctx: GLContext, name: int) -> SharedImage:
    """A renderbuffer's image."""
    native = ImageShare.ctype()()
    image_kernel(ctx, "texture_share")  # kernels of texels are there, too
    refused = ctx.kernel("renderbuffer_share")(ctx.address, ctypes.addressof(native), name)
    return _made(native, int(refused))


def _made(native: Any, refused: int) -> SharedImage:
    if refused:
        raise Refused(refused)
    return SharedImage(native)


def image_of(handle: Any) -> SharedImage:
    """The image behind a handle that GL was given; GL_INVALID_VALUE if there is none."""
    from pydri.api import dispatch

    address = int(dispatch.ffi.cast("uintptr_t", handle)) if handle else 0
    found = IMAGES.get(address)
    if found is None:
        raise GLError(gl.GL_INVALID_VALUE, f"image={address:#x}")
    return found


_ADOPT = ctypes.CFUNCTYPE(ctypes.c_uint32, *[ctypes.c_uint64] * 2, *[ctypes.c_uint32] * 2)


def _adopt(ctx: GLContext, name: int, image: SharedImage, for_ever: bool) -> None:
    adopt = _ADOPT(image_kernel(ctx, "texture_adopt"))
    error = adopt(ctx.address, image.handle, name, for_ever)
    if error:
        raise GLError(error, f"texture={name or 'bound'}")


@entry
def glEGLImageTargetTexture2DOES(ctx: GLContext, target: int, image: Any) -> None:
    """The image is level 0 of the bound texture, which has no others."""
    if target != gl.GL_TEXTURE_2D:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    _adopt(ctx, 0, image_of(image), False)


def _no_attributes(attrib_list: Any) -> None:
    from pydri.api import dispatch

    if attrib_list and dispatch.ffi.cast("int *", attrib_list)[0] != gl.GL_NONE:
        raise GLError(gl.GL_INVALID_VALUE, "attributes")


@entry
def glEGLImageTargetTexStorageEXT(
    ctx: GLContext, target: int, image: Any, attrib_list: Any
) -> None:
    """The image is the bound texture's storage for ever."""
    _no_attributes(attrib_list)
    if target != gl.GL_TEXTURE_2D:
        raise GLError(gl.GL_INVALID_OPERATION, f"target={gl.name_of(target)}")
    _adopt(ctx, 0, image_of(image), True)


@entry
def glEGLImageTargetTextureStorageEXT(
    ctx: GLContext, texture: int, image: Any, attrib_list: Any
) -> None:
    """The same of a texture that is named."""
    if not texture:
        raise GLError(gl.GL_INVALID_OPERATION, "texture=0")
    _no_attributes(attrib_list)
    _adopt(ctx, texture, image_of(image), True)


@entry
def glEGLImageTargetRenderbufferStorageOES(ctx: GLContext, target: int, image: Any) -> None:
    """The image is the bound renderbuffer's storage."""
    if target != gl.GL_RENDERBUFFER:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    error = ctx.kernel("renderbuffer_adopt")(ctx.address, image_of(image).handle)
    if error:
        raise GLError(int(error), "the image cannot be drawn to")


__all__ = ["IMAGES", "Refused", "SharedImage", "of_renderbuffer", "of_texture"]
