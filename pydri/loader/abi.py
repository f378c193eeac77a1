# SPDX-License-Identifier: MIT
"""The binary interface of compiled DRI drivers: structs of function pointers, each with a name and
a version in front.

Stage: between loader and a `NAME_dri.so`.  The layouts are those that drivers of Mesa up to 24.1
are built for (include/GL/internal/dri_interface.h): they are fixed for good, a higher version of an
extension only adds fields behind the older ones.  What we do not call is declared all the same,
since what follows it has to lie in its place.
"""

import ctypes
from typing import Any

from pydri.jit.types import Fn, Struct, fn, i32, ptr, u8, u32, u64, void

_HANDLE = ptr(void)  # of a screen, config, context or drawable of the driver
_LIST = ptr(ptr(void))


class Extension(Struct):
    """__DRIextension: what every extension begins with."""

    name = ptr(u8)
    version = i32


class Core(Struct):
    """DRI_Core."""

    name = ptr(u8)
    version = i32
    createNewScreen = fn(_HANDLE, i32, i32, u32, _LIST, _LIST, _HANDLE)
    destroyScreen = fn(void, _HANDLE)
    getExtensions = fn(_LIST, _HANDLE)
    getConfigAttrib = fn(i32, _HANDLE, u32, ptr(u32))
    indexConfigAttrib = fn(i32, _HANDLE, i32, ptr(u32), ptr(u32))
    createNewDrawable = fn(_HANDLE, _HANDLE, _HANDLE, u32, u32, _HANDLE)
    destroyDrawable = fn(void, _HANDLE)
    swapBuffers = fn(void, _HANDLE)
    createNewContext = fn(_HANDLE, _HANDLE, _HANDLE, _HANDLE, _HANDLE)
    copyContext = fn(i32, _HANDLE, _HANDLE, u64)
    destroyContext = fn(void, _HANDLE)
    bindContext = fn(i32, _HANDLE, _HANDLE, _HANDLE)
    unbindContext = fn(i32, _HANDLE)


class Swrast(Struct):
    """DRI_SWRast."""

    name = ptr(u8)
    version = i32
    createNewScreen = fn(_HANDLE, i32, _LIST, _LIST, _HANDLE)
    createNewDrawable = fn(_HANDLE, _HANDLE, _HANDLE, _HANDLE)
    createNewContextForAPI = fn(_HANDLE, _HANDLE, i32, _HANDLE, _HANDLE, _HANDLE)
    createContextAttribs = fn(
        _HANDLE, _HANDLE, i32, _HANDLE, _HANDLE, u32, ptr(u32), ptr(u32), _HANDLE
    )
    createNewScreen2 = fn(_HANDLE, i32, _LIST, _LIST, _LIST, _HANDLE)


class CopySubBuffer(Struct):
    """DRI_CopySubBuffer."""

    name = ptr(u8)
    version = i32
    copySubBuffer = fn(void, _HANDLE, i32, i32, i32, i32)


class TexBuffer(Struct):
    """DRI_TexBuffer, from version 2 on."""

    name = ptr(u8)
    version = i32
    setTexBuffer = fn(void, _HANDLE, i32, _HANDLE)
    setTexBuffer2 = fn(void, _HANDLE, i32, i32, _HANDLE)


class RendererQuery(Struct):
    """DRI_RENDERER_QUERY."""

    name = ptr(u8)
    version = i32
    queryInteger = fn(i32, _HANDLE, i32, ptr(u32))
    queryString = fn(i32, _HANDLE, i32, ptr(ptr(u8)))


class SwrastLoader(Struct):
    """DRI_SWRastLoader: what the loader offers to the driver.  Each function's last argument is
    what the loader gave when the drawable was made."""

    name = ptr(u8)
    version = i32
    getDrawableInfo = fn(void, _HANDLE, ptr(i32), ptr(i32), ptr(i32), ptr(i32), _HANDLE)
    putImage = fn(void, _HANDLE, i32, i32, i32, i32, i32, _HANDLE, _HANDLE)
    getImage = fn(void, _HANDLE, i32, i32, i32, i32, _HANDLE, _HANDLE)
    putImage2 = fn(void, _HANDLE, i32, i32, i32, i32, i32, i32, _HANDLE, _HANDLE)  # version 2
    getImage2 = fn(void, _HANDLE, i32, i32, i32, i32, i32, _HANDLE, _HANDLE)  # version 3
    putImageShm = fn(  # version 4
        void, _HANDLE, i32, i32, i32, i32, i32, i32, i32, _HANDLE, u32, _HANDLE
    )
    getImageShm = fn(void, _HANDLE, i32, i32, i32, i32, i32, _HANDLE)
    putImageShm2 = fn(  # version 5
        void, _HANDLE, i32, i32, i32, i32, i32, i32, i32, _HANDLE, u32, _HANDLE
    )
    getImageShm2 = fn(u8, _HANDLE, i32, i32, i32, i32, i32, _HANDLE)  # version 6


#: versions of SwrastLoader: the last one without shared memory, and the one with all fields
WITHOUT_SHM, WITH_SHM = 3, 6
SWRAST_LOADER = "DRI_SWRastLoader"

# enum of __DRI_API_*
API_OPENGL, API_GLES, API_GLES2, API_OPENGL_CORE, API_GLES3 = range(5)

# what createContextAttribs takes (__DRI_CTX_ATTRIB_*), and bits of the flags
(
    CTX_MAJOR_VERSION, CTX_MINOR_VERSION, CTX_FLAGS, CTX_RESET_STRATEGY, CTX_PRIORITY,
    CTX_RELEASE_BEHAVIOR, CTX_NO_ERROR,
) = range(7)  # fmt: skip
CTX_FLAG_DEBUG, CTX_FLAG_FORWARD_COMPATIBLE, CTX_FLAG_ROBUST_BUFFER_ACCESS = 1, 2, 4
CTX_RESET_LOSE_CONTEXT = 1
CTX_RELEASE_BEHAVIOR_NONE = 0
#: and how it says no
CTX_ERRORS = (
    "none", "no memory", "no such API", "no such version", "a flag that does not fit",
    "an attribute that the driver does not know", "a flag that the driver does not know",
)  # fmt: skip
CTX_ERROR_NO_MEMORY = 1

# attributes of a config (__DRI_ATTRIB_*)
ATTRIB_RED_SIZE, ATTRIB_GREEN_SIZE, ATTRIB_BLUE_SIZE = 3, 4, 5
ATTRIB_ALPHA_SIZE = 7
ATTRIB_DEPTH_SIZE, ATTRIB_STENCIL_SIZE = 9, 10
ATTRIB_ACCUM_RED_SIZE = 11
ATTRIB_SAMPLES = 16
ATTRIB_DOUBLE_BUFFER, ATTRIB_STEREO, ATTRIB_AUX_BUFFERS = 20, 21, 22
ATTRIB_FLOAT_MODE = 29
ATTRIB_RED_MASK, ATTRIB_GREEN_MASK, ATTRIB_BLUE_MASK, ATTRIB_ALPHA_MASK = 30, 31, 32, 33
ATTRIB_SWAP_METHOD = 40
ATTRIB_FRAMEBUFFER_SRGB_CAPABLE = 48
SWAP_COPY = 0x8062

# what DRI_RENDERER_QUERY is asked for: the enums of GLX_MESA_query_renderer less their first
(
    RENDERER_VENDOR_ID, RENDERER_DEVICE_ID, RENDERER_VERSION, RENDERER_ACCELERATED,
    RENDERER_VIDEO_MEMORY, RENDERER_UNIFIED_MEMORY_ARCHITECTURE, RENDERER_PREFERRED_PROFILE,
    RENDERER_OPENGL_CORE_PROFILE_VERSION, RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION,
    RENDERER_OPENGL_ES_PROFILE_VERSION, RENDERER_OPENGL_ES2_PROFILE_VERSION,
) = range(11)  # fmt: skip


class Functions:
    """An extension of a driver, its functions as attributes of their C names: ctypes' callables,
    which let other threads run Python meanwhile."""

    def __init__(self, struct: Any, address: int) -> None:
        view = struct.view(address)
        self.address = address
        self.version = int(view.version)
        for field in struct.fields.values():
            if isinstance(field.type, Fn):
                setattr(self, field.name, struct.prototype(field.name)(getattr(view, field.name)))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)  # the others are there; says so to mypy


def read_list(address: int) -> list[int]:
    """The pointers of a list that a null pointer ends."""
    found: list[int] = []
    while address and (value := ctypes.c_uint64.from_address(address + 8 * len(found)).value):
        found.append(value)
    return found


def read_text(address: int) -> str:
    """A C string."""
    return ctypes.string_at(address).decode(errors="replace") if address else ""
