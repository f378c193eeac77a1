# SPDX-License-Identifier: MIT
"""What EGL says about itself: version, extensions, names (eglQueryString, EGL_MESA_query_driver).

Strings stay allocated for ever, as programs expect.  A row of an extension list appears only when
what it promises works.
"""

from typing import Any

from pydri.dri.request import offered_es
from winsys_x11.xlib import ffi, libs

VENDOR = "pydri"
VERSION = (1, 5)
CLIENT_EXTENSIONS = (
    "EGL_EXT_client_extensions",
    "EGL_EXT_device_base",
    "EGL_EXT_device_enumeration",
    "EGL_EXT_device_query",
    "EGL_EXT_platform_base",
    "EGL_EXT_platform_device",
    "EGL_EXT_platform_x11",
    "EGL_EXT_platform_xcb",
    "EGL_KHR_client_get_all_proc_addresses",
    "EGL_KHR_debug",
    "EGL_KHR_display_reference",
    "EGL_KHR_platform_x11",
    "EGL_MESA_platform_surfaceless",
)
EXTENSIONS = (
    "EGL_EXT_create_context_robustness",
    "EGL_KHR_config_attribs",
    "EGL_KHR_context_flush_control",
    "EGL_KHR_create_context",
    "EGL_KHR_create_context_no_error",
    "EGL_KHR_fence_sync",
    "EGL_KHR_get_all_proc_addresses",
    "EGL_KHR_gl_colorspace",
    "EGL_KHR_gl_renderbuffer_image",
    "EGL_KHR_gl_texture_2D_image",
    "EGL_KHR_gl_texture_3D_image",
    "EGL_KHR_gl_texture_cubemap_image",
    "EGL_KHR_image_base",
    "EGL_KHR_no_config_context",
    "EGL_KHR_reusable_sync",
    "EGL_KHR_surfaceless_context",
    "EGL_KHR_wait_sync",
    "EGL_MESA_configless_context",
    "EGL_MESA_query_driver",
)
# Of displays with windows.
WINDOW_EXTENSIONS = (
    "EGL_ANGLE_sync_control_rate",
    "EGL_EXT_buffer_age",
    "EGL_EXT_swap_buffers_with_damage",
    "EGL_KHR_swap_buffers_with_damage",
    "EGL_NV_post_sub_buffer",
)

_strings: dict[str, Any] = {}


def client_apis() -> str:
    """EGL_CLIENT_APIS."""
    return "OpenGL OpenGL_ES" if offered_es(None) else "OpenGL"


def c_string(text: str) -> Any:
    """Return a `const char *` that never goes away."""
    if text not in _strings:
        _strings[text] = ffi.new("char[]", text.encode())
    return ffi.cast("void *", _strings[text])


def malloced(text: str) -> Any:
    """Return a copy that the program frees."""
    data = text.encode() + b"\0"
    copy = libs().c.malloc(len(data))
    if copy:
        ffi.memmove(copy, data, len(data))
    return ffi.cast("void *", copy)
