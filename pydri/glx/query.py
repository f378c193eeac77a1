# SPDX-License-Identifier: MIT
"""What GLX says about itself: version, extensions, strings, the renderer.

In: nothing that needs the server.  Out: answers that hold on every X server, also on one without a
GLX extension.  Strings stay allocated for ever, as the program expects.  Counterpart of Mesa's
src/glx/glxcmds.c, glxextensions.c and query_renderer.c.
"""

from typing import Any

from pydri.api.apis import ES1, ES2
from pydri.api.dispatch import glx_entry
from pydri.dri.request import max_versions, offered_es
from pydri.glx import enums as e
from pydri.glx.current import current_context
from pydri.glx.display import GlxScreen, find_display, find_screen
from pydri.glx.events import supported
from winsys_x11.xlib import address, ffi, pointer

VENDOR = "pydri"
VERSION = (1, 4)
# What works, and where Mesa names it: on the client's side, in the server's string, or (both) for
# programs. What no server has to know of is in the server's string all the same, so that the same
# holds on servers that know nothing of GLX.
EXTENSIONS = (
    "GLX_ARB_context_flush_control",
    "GLX_ARB_create_context",
    "GLX_ARB_create_context_no_error",
    "GLX_ARB_create_context_profile",
    "GLX_ARB_create_context_robustness",
    "GLX_ARB_framebuffer_sRGB",
    "GLX_ARB_get_proc_address",
    "GLX_ARB_multisample",
    "GLX_EXT_buffer_age",
    "GLX_EXT_create_context_es2_profile",
    "GLX_EXT_create_context_es_profile",
    "GLX_EXT_framebuffer_sRGB",
    "GLX_EXT_get_drawable_type",
    "GLX_EXT_no_config_context",
    "GLX_EXT_swap_control",
    "GLX_EXT_swap_control_tear",
    "GLX_EXT_texture_from_pixmap",
    "GLX_EXT_visual_info",
    "GLX_EXT_visual_rating",
    "GLX_MESA_copy_sub_buffer",
    "GLX_MESA_query_renderer",
    "GLX_MESA_swap_control",
    "GLX_OML_swap_method",
    "GLX_OML_sync_control",
    "GLX_SGIS_multisample",
    "GLX_SGIX_fbconfig",
    "GLX_SGIX_pbuffer",
    "GLX_SGIX_visual_select_group",
    "GLX_SGI_make_current_read",
    "GLX_SGI_swap_control",
    "GLX_SGI_video_sync",
)
SERVER_ONLY = ("GLX_EXT_libglvnd",)  # for the dispatch library, not for programs
# The entry points are there; but all our contexts are direct, and those cannot be imported.
CLIENT_ONLY = ("GLX_EXT_import_context",)

# Where the server has event codes for GLX.
WITH_EVENTS = ("GLX_INTEL_swap_event",)

_strings: dict[str, Any] = {}


def c_string(text: str) -> Any:
    """Return a `const char *` that never goes away."""
    if text not in _strings:
        _strings[text] = ffi.new("char[]", text.encode())
    return ffi.cast("void *", _strings[text])


@glx_entry
def glXQueryExtension(dpy: Any, errorBase: Any, eventBase: Any) -> int:
    """True.  The bases are the server's, if it has a GLX extension: its errors carry our codes."""
    display = find_display(dpy)
    if display is None:
        return 0
    _, event, error = display.extension or (0, 0, 0)
    for out, value in ((errorBase, error), (eventBase, event)):
        if address(out):
            pointer("int *", out)[0] = value
    return 1


@glx_entry
def glXQueryVersion(dpy: Any, major: Any, minor: Any) -> int:
    """1.4."""
    if find_display(dpy) is None:
        return 0
    for out, value in zip((major, minor), VERSION):
        if address(out):
            pointer("int *", out)[0] = value
    return 1


def _string(
    name: int, more: tuple[str, ...] = (), lacks: frozenset[str] = frozenset()
) -> Any:
    answers = {
        e.GLX_VENDOR: VENDOR,
        e.GLX_VERSION: f"{VERSION[0]}.{VERSION[1]}",
        e.GLX_EXTENSIONS: " ".join(sorted({*EXTENSIONS, *more} - lacks)),
        e.GLX_VENDOR_NAMES_EXT: VENDOR,
    }
    return c_string(answers[name]) if name in answers else ffi.NULL


def _screen_string(screen: GlxScreen, name: int, more: tuple[str, ...]) -> Any:
    """A string of a screen: without the extensions that its driver is not made for."""
    assert screen.dri is not None
    return _string(name, more, screen.dri.lacks)


def _events(dpy: Any) -> tuple[str, ...]:
    display = find_display(dpy)
    return WITH_EVENTS if display is not None and supported(display) else ()


@glx_entry
def glXGetClientString(dpy: Any, name: int) -> Any:
    """Vendor, version, extensions of this library."""
    return _string(name, CLIENT_ONLY + WITH_EVENTS)


@glx_entry
def glXQueryServerString(dpy: Any, screen: int, name: int) -> Any:
    """The same: no server is involved."""
    found = find_screen(dpy, screen)
    return _screen_string(found, name, SERVER_ONLY + _events(dpy)) if found else ffi.NULL


@glx_entry
def glXQueryExtensionsString(dpy: Any, screen: int) -> Any:
    """What may be used on a screen."""
    found = find_screen(dpy, screen)
    return _screen_string(found, e.GLX_EXTENSIONS, _events(dpy)) if found else ffi.NULL


# -- GLX_MESA_query_renderer ---------------------------------------------------------------


def _memory_mb() -> int:
    """Physical memory: that is where textures live."""
    import os

    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


def _version_numbers() -> tuple[int, int, int]:
    from pydri import __version__

    numbers = [int(part) if part.isdigit() else 0 for part in __version__.split(".")[:3]]
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    return major, minor, patch


def renderer_integer(screen: GlxScreen, attribute: int) -> tuple[int, ...] | None:
    """Return the value or values of an attribute, None if it is unknown."""
    assert screen.dri is not None
    told = screen.dri.renderer(attribute - e.GLX_RENDERER_VENDOR_ID_MESA)
    if isinstance(told, tuple):
        return told
    compat, core = max_versions(screen.dri.offers)
    es = offered_es(screen.dri.offers)
    answers: dict[int, tuple[int, ...]] = {
        e.GLX_RENDERER_VENDOR_ID_MESA: (0xFFFFFFFF,),
        e.GLX_RENDERER_DEVICE_ID_MESA: (0xFFFFFFFF,),
        e.GLX_RENDERER_ACCELERATED_MESA: (0,),
        e.GLX_RENDERER_UNIFIED_MEMORY_ARCHITECTURE_MESA: (1,),
        e.GLX_RENDERER_PREFERRED_PROFILE_MESA: (
            e.GLX_CONTEXT_CORE_PROFILE_BIT_ARB if core else
            e.GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB,
        ),
        e.GLX_RENDERER_OPENGL_CORE_PROFILE_VERSION_MESA: core or (0, 0),
        e.GLX_RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION_MESA: compat,
        e.GLX_RENDERER_OPENGL_ES_PROFILE_VERSION_MESA: es.get(ES1, (0, 0)),
        e.GLX_RENDERER_OPENGL_ES2_PROFILE_VERSION_MESA: es.get(ES2, (0, 0)),
    }  # fmt: skip
    if attribute == e.GLX_RENDERER_VERSION_MESA:
        return _version_numbers()
    if attribute == e.GLX_RENDERER_VIDEO_MEMORY_MESA:
        return (_memory_mb(),)
    return answers.get(attribute)


def _store(screen: GlxScreen, attribute: int, value: Any) -> int:
    values = renderer_integer(screen, attribute)
    if values is None:
        return 0
    out = pointer("unsigned int *", value)
    for i, number in enumerate(values):
        out[i] = number
    return 1


def _renderer_string(screen: GlxScreen, attribute: int) -> Any:
    assert screen.dri is not None
    names = {
        e.GLX_RENDERER_VENDOR_ID_MESA: VENDOR,
        e.GLX_RENDERER_DEVICE_ID_MESA: f"pydri {screen.dri.name}",
    }
    if attribute not in names:
        return ffi.NULL
    told = screen.dri.renderer(attribute - e.GLX_RENDERER_VENDOR_ID_MESA, text=True)
    return c_string(told if isinstance(told, str) else names[attribute])


@glx_entry
def glXQueryRendererIntegerMESA(
    dpy: Any, screen: int, renderer: int, attribute: int, value: Any
) -> int:
    """Numbers about renderer 0, the only one."""
    found = find_screen(dpy, screen)
    return _store(found, attribute, value) if found and renderer == 0 else 0


@glx_entry
def glXQueryCurrentRendererIntegerMESA(attribute: int, value: Any) -> int:
    """The same for what is current."""
    context = current_context()
    return _store(context.screen, attribute, value) if context else 0


@glx_entry
def glXQueryRendererStringMESA(dpy: Any, screen: int, renderer: int, attribute: int) -> Any:
    """Names of renderer 0."""
    found = find_screen(dpy, screen)
    return _renderer_string(found, attribute) if found and renderer == 0 else ffi.NULL


@glx_entry
def glXQueryCurrentRendererStringMESA(attribute: int) -> Any:
    """The same for what is current."""
    context = current_context()
    return _renderer_string(context.screen, attribute) if context else ffi.NULL
