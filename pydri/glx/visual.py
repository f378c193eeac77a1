# SPDX-License-Identifier: MIT
"""The entry points that answer "what can I draw to": visuals of GLX 1.2 and FBConfigs of GLX 1.3.

In: attribute lists of C.  Out: XVisualInfo and arrays that the program frees with XFree, hence
memory from Xlib or malloc. Counterpart of glXChooseVisual, glXGetConfig, glXChooseFBConfig in
Mesa's src/glx/glxcmds.c; the rules of selection are in fbconfig.py.
"""

from collections.abc import Iterator
from typing import Any

from pydri.api.dispatch import glx_entry
from pydri.glx import enums as e
from pydri.glx.display import FBCONFIGS, GlxScreen, find_display, find_screen
from pydri.glx.fbconfig import FBConfig, choose_fbconfigs, parse_fbconfig_attribs
from pydri.glx.native import CONFIGS
from pydri.util import log
from pydri.util.options import options
from winsys_x11.xlib import address, ffi, libs, pointer

_VISUAL_ID_MASK = 1
_VISUAL_SCREEN_MASK = 2
_MAX_LIST = 1024  # an attribute list longer than this has lost its end

_BOOLEAN = frozenset((e.GLX_USE_GL, e.GLX_RGBA, e.GLX_DOUBLEBUFFER, e.GLX_STEREO))
# What glXChooseVisual takes with a value: the sizes, the level, and EXT_visual_info and _rating.
_VALUED = frozenset((
    e.GLX_BUFFER_SIZE, e.GLX_LEVEL, e.GLX_AUX_BUFFERS, e.GLX_RED_SIZE, e.GLX_GREEN_SIZE,
    e.GLX_BLUE_SIZE, e.GLX_ALPHA_SIZE, e.GLX_DEPTH_SIZE, e.GLX_STENCIL_SIZE,
    e.GLX_ACCUM_RED_SIZE, e.GLX_ACCUM_GREEN_SIZE, e.GLX_ACCUM_BLUE_SIZE, e.GLX_ACCUM_ALPHA_SIZE,
    e.GLX_SAMPLE_BUFFERS, e.GLX_SAMPLES, e.GLX_X_VISUAL_TYPE, e.GLX_CONFIG_CAVEAT,
    e.GLX_TRANSPARENT_TYPE, e.GLX_TRANSPARENT_INDEX_VALUE, e.GLX_TRANSPARENT_RED_VALUE,
    e.GLX_TRANSPARENT_GREEN_VALUE, e.GLX_TRANSPARENT_BLUE_VALUE, e.GLX_TRANSPARENT_ALPHA_VALUE,
    e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, e.GLX_VISUAL_SELECT_GROUP_SGIX,
))  # fmt: skip


def read_pairs(attrib_list: Any) -> Iterator[tuple[int, int]]:
    """Yield (attribute, value) of a list that ends with None; a null list is empty."""
    if not address(attrib_list):
        return
    values = pointer("int *", attrib_list)
    for i in range(0, _MAX_LIST, 2):
        if values[i] == 0:
            return
        yield values[i], values[i + 1]


def parse_visual_attribs(attrib_list: Any) -> dict[int, int] | None:
    """Read glXChooseVisual's list, where booleans stand alone; None if a word is unknown."""
    asked: dict[int, int] = {
        e.GLX_DOUBLEBUFFER: 0,
        e.GLX_STEREO: 0,
        e.GLX_RENDER_TYPE: e.GLX_DONT_CARE,
        e.GLX_DRAWABLE_TYPE: e.GLX_WINDOW_BIT,
    }
    rgba = False
    values = pointer("int *", attrib_list)
    i = 0
    while address(attrib_list) and i < _MAX_LIST and values[i]:
        attribute = values[i]
        if attribute in _BOOLEAN:
            i += 1
            if attribute == e.GLX_RGBA:
                rgba = True
            elif attribute != e.GLX_USE_GL:
                asked[attribute] = 1
        elif attribute in _VALUED:
            asked[attribute] = values[i + 1] & 0xFFFFFFFF
            i += 2
        else:
            if options.is_set("LIBGL_DIAGNOSTIC"):
                log.note(f"glXChooseVisual: unknown attribute {attribute:#x}")
            return None
    # Colour index: no server has offered such visuals to GL for twenty years.
    return asked if rgba else None


def visual_info(screen: GlxScreen, visual_id: int) -> Any:
    """Return an XVisualInfo for the program to XFree, or null."""
    template = ffi.new("XVisualInfo *")
    template.visualid = visual_id
    template.screen = screen.number
    count = ffi.new("int *")
    return libs().x11.XGetVisualInfo(
        screen.display.connection.display, _VISUAL_ID_MASK | _VISUAL_SCREEN_MASK, template, count
    )


def find_config(handle: Any) -> FBConfig | None:
    """Return the config behind a GLXFBConfig."""
    return FBCONFIGS.get(address(handle))


def _config_array(configs: list[FBConfig], count: Any) -> Any:
    """Return a malloc'ed array of handles; null where there are none."""
    if address(count):
        pointer("int *", count)[0] = len(configs)
    if not configs:
        return ffi.NULL
    array = ffi.cast("void **", libs().c.malloc(8 * len(configs)))
    for i, config in enumerate(configs):
        array[i] = ffi.cast("void *", config.handle)
    return ffi.cast("void *", array)


@glx_entry
def glXChooseVisual(dpy: Any, screen: int, attribList: Any) -> Any:
    """The visual that meets the attributes best; null if there is none."""
    s = find_screen(dpy, screen)
    asked = parse_visual_attribs(attribList)
    if s is None or asked is None:
        return ffi.NULL
    # A config that its visual stands for anyhow is better than one that takes the visual over.
    own = [config for config in s.configs if s.of_visual.get(config.visual_id) is config]
    found = choose_fbconfigs(own, asked) or choose_fbconfigs(s.configs, asked)
    if not found:
        return ffi.NULL
    s.choose(found[0])
    return ffi.cast("void *", visual_info(s, found[0].visual_id))


@glx_entry
def glXGetConfig(dpy: Any, visual: Any, attrib: int, value: Any) -> int:
    """One attribute of a visual: 0, or why not."""
    info = pointer("XVisualInfo *", visual)
    if not address(visual):
        return e.GLX_BAD_VISUAL
    display = find_display(dpy)
    if display is None or not 0 <= info.screen < display.n_screens:
        return e.GLX_BAD_SCREEN
    s = display.screen(info.screen)
    config = s.config_of_visual(info.visualid) if s else None
    out = pointer("int *", value)
    if config is None:
        if attrib == e.GLX_USE_GL:
            out[0] = 0
            return 0
        return e.GLX_BAD_VISUAL
    return _store(config, attrib, out)


def _store(config: FBConfig, attribute: int, out: Any) -> int:
    if config.owner is not None:
        CONFIGS.asked(config.owner, config.owner.native_configs)
    value = config.value(attribute)
    if value is None:
        return e.GLX_BAD_ATTRIBUTE
    out[0] = value - (value >> 31 << 32)  # GLX_DONT_CARE is -1 to C
    return 0


@glx_entry
def glXGetFBConfigs(dpy: Any, screen: int, nelements: Any) -> Any:
    """All configs of a screen."""
    s = find_screen(dpy, screen)
    return _config_array(s.configs if s else [], nelements)


@glx_entry
def glXChooseFBConfig(dpy: Any, screen: int, attrib_list: Any, nelements: Any) -> Any:
    """The configs that meet the attributes, best first."""
    s = find_screen(dpy, screen)
    asked = parse_fbconfig_attribs(read_pairs(attrib_list))
    if s is None or asked is None:
        return _config_array([], nelements)
    return _config_array(choose_fbconfigs(s.configs, asked), nelements)


@glx_entry
def glXChooseFBConfigSGIX(dpy: Any, screen: int, attrib_list: Any, nelements: Any) -> Any:
    """The name of GLX_SGIX_fbconfig."""
    return glXChooseFBConfig(dpy, screen, attrib_list, nelements)


@glx_entry
def glXGetFBConfigAttrib(dpy: Any, config: Any, attribute: int, value: Any) -> int:
    """One attribute of a config: 0, or why not."""
    found = find_config(config)
    if found is None:
        return e.GLXBadFBConfig
    return _store(found, attribute, pointer("int *", value))


@glx_entry
def glXGetFBConfigAttribSGIX(dpy: Any, config: Any, attribute: int, value: Any) -> int:
    """The name of GLX_SGIX_fbconfig."""
    return glXGetFBConfigAttrib(dpy, config, attribute, value)


@glx_entry
def glXGetVisualFromFBConfig(dpy: Any, config: Any) -> Any:
    """The visual of a config; null if it has none."""
    found = find_config(config)
    s = find_screen(dpy, found.screen) if found else None
    if s is None or found is None or not found.visual_id:
        return ffi.NULL
    s.choose(found)
    return ffi.cast("void *", visual_info(s, found.visual_id))


@glx_entry
def glXGetVisualFromFBConfigSGIX(dpy: Any, config: Any) -> Any:
    """The name of GLX_SGIX_fbconfig."""
    return glXGetVisualFromFBConfig(dpy, config)


@glx_entry
def glXGetFBConfigFromVisualSGIX(dpy: Any, vis: Any) -> Any:
    """The config that a visual stands for."""
    if not address(vis):
        return ffi.NULL
    info = pointer("XVisualInfo *", vis)
    s = find_screen(dpy, info.screen)
    config = s.config_of_visual(info.visualid) if s else None
    return ffi.cast("void *", config.handle if config else 0)
