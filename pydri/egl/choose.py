# SPDX-License-Identifier: MIT
"""The entry points that answer "what can I draw to": eglGetConfigs, eglChooseConfig and
eglGetConfigAttrib (EGL 1.5 section 3.4); the rules of selection are in config.py.
"""

from typing import Any

from pydri.api import egl_enums as e
from pydri.egl.attribs import read_pairs, store
from pydri.egl.config import EglConfig, choose_configs, config_attribute, parse_attribs
from pydri.egl.display import live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.native import CONFIGS
from winsys_x11.xlib import address, pointer


def _give(found: list[EglConfig], configs: Any, size: int, count: Any) -> int:
    """Write as many handles as there is room for, or only say how many there are."""
    if not address(count):
        raise EglError(e.EGL_BAD_PARAMETER, "no room for the number of configs")
    given = len(found)
    if address(configs):
        given = min(given, max(size, 0))
        out = pointer("uintptr_t *", configs)
        for n in range(given):
            out[n] = found[n].handle
    store(count, given)
    return 1


@egl
def eglGetConfigs(dpy: Any, configs: Any, config_size: int, num_config: Any) -> int:
    """All configs."""
    return _give(live_display(dpy).configs, configs, config_size, num_config)


@egl
def eglChooseConfig(
    dpy: Any, attrib_list: Any, configs: Any, config_size: int, num_config: Any
) -> int:
    """The configs that meet a list, best first."""
    display = live_display(dpy)
    if not address(num_config):
        raise EglError(e.EGL_BAD_PARAMETER, "no room for the number of configs")
    wanted = parse_attribs(read_pairs(attrib_list))
    found = choose_configs(display.configs, wanted)
    pixmap = wanted[e.EGL_MATCH_NATIVE_PIXMAP]
    if pixmap != e.EGL_NONE:
        geometry = display.platform.geometry(pixmap)
        if geometry is None:
            raise EglError(e.EGL_BAD_NATIVE_PIXMAP, f"no pixmap {pixmap:#x}")
        found = [c for c in found if c.depth == geometry.depth]
    return _give(found, configs, config_size, num_config)


@egl
def eglGetConfigAttrib(dpy: Any, config: Any, attribute: int, value: Any) -> int:
    """One attribute of a config."""
    display = live_display(dpy)
    found = display.config(config)
    CONFIGS.asked(display, display.native_configs)
    store(value, config_attribute(found, attribute))
    return 1
