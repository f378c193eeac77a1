# SPDX-License-Identifier: MIT
"""EGLConfigs: the configs of a screen under the names of EGL, chosen and sorted as EGL 1.5 says.

In: the table of pydri/dri/config.py and the visuals of a screen (none on platforms without
windows).  Out: the list of `EglConfig` of a display, `choose_configs`, `attributes`.  An EGLConfig
says nothing of double buffering, which is the surface's business: it is a pair of DriConfigs.
Counterpart of Mesa's src/egl/main/eglconfig.c and dri2_add_config (egl_dri2.c); the rules are EGL
1.5, section 3.4.1 and table 3.1, 3.4.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydri.api import egl_enums as e
from pydri.api.apis import ES1, ES2
from pydri.dri.config import (
    OFFSCREEN_FORMATS,
    DriConfig,
    Offered,
    Supported,
    layout_configs,
    offered_all,
)
from pydri.egl.errors import EglError
from pydri.pipe.format import BY_NAME, srgb_view
from winsys_x11.base import MAX_SIDE
from winsys_x11.visuals import Visual
from winsys_x11.xlib import ffi

MAX_SWAP_INTERVAL = 1000
#: OpenGL ES by the first version that a bit stands for
ES_BITS = (
    (ES1, (1, 0), e.EGL_OPENGL_ES_BIT), (ES2, (2, 0), e.EGL_OPENGL_ES2_BIT),
    (ES2, (3, 0), e.EGL_OPENGL_ES3_BIT),
)  # fmt: skip
FLOATS_AND_SRGB = ("_FLOAT", "_SRGB")  # are colour spaces or component types of a surface


def renderable(es: Mapping[int, tuple[int, int]]) -> int:
    """The bits of the APIs that there are; `es` are the highest versions of OpenGL ES
    (pydri.dri.request.offered_es)."""
    bits = (bit for api, first, bit in ES_BITS if es.get(api, (0, 0)) >= first)
    return e.EGL_OPENGL_BIT | sum(bits)


class EglConfig:
    """A configuration: `buffers[True]` is the double-buffered one, `buffers[False]` the single."""

    __slots__ = (
        "_block", "buffers", "depth", "handle", "id", "srgb", "surface_type", "values", "visual",
    )  # fmt: skip

    def __init__(
        self,
        config_id: int,
        buffers: dict[bool, DriConfig],
        visual: Visual | None,
        native: bool,
        srgb: bool = False,
        apis: int = e.EGL_OPENGL_BIT,
    ) -> None:
        self.id = config_id
        self.buffers = buffers
        self.srgb = srgb  # whether surfaces may have EGL_GL_COLORSPACE_SRGB
        self.visual = visual
        self.depth = visual.depth if visual else 0  # of the windows and pixmaps that it fits
        self.surface_type = e.EGL_PBUFFER_BIT
        if visual is not None:
            self.surface_type |= (
                e.EGL_WINDOW_BIT | e.EGL_PIXMAP_BIT | e.EGL_SWAP_BEHAVIOR_PRESERVED_BIT
            )
        self.values = self._attributes(native, apis)
        self._block = ffi.new("uint64_t[2]", [0x65676C436F6E66, config_id])
        self.handle = int(ffi.cast("uintptr_t", self._block))

    def _attributes(self, native: bool, apis: int) -> dict[int, int]:
        """Every attribute that eglGetConfigAttrib knows, with its value."""
        config = self.buffers[True]
        layout = config.layout
        return {
            e.EGL_BUFFER_SIZE: config.buffer_size,
            e.EGL_RED_SIZE: layout.red,
            e.EGL_GREEN_SIZE: layout.green,
            e.EGL_BLUE_SIZE: layout.blue,
            e.EGL_LUMINANCE_SIZE: 0,
            e.EGL_ALPHA_SIZE: layout.alpha,
            e.EGL_ALPHA_MASK_SIZE: 0,
            e.EGL_BIND_TO_TEXTURE_RGB: e.EGL_TRUE,
            e.EGL_BIND_TO_TEXTURE_RGBA: int(layout.alpha > 0),
            e.EGL_COLOR_BUFFER_TYPE: e.EGL_RGB_BUFFER,
            e.EGL_CONFIG_CAVEAT: e.EGL_NONE,
            e.EGL_CONFIG_ID: self.id,
            e.EGL_CONFORMANT: apis,
            e.EGL_DEPTH_SIZE: config.depth,
            e.EGL_LEVEL: 0,
            e.EGL_MAX_PBUFFER_WIDTH: MAX_SIDE,
            e.EGL_MAX_PBUFFER_HEIGHT: MAX_SIDE,
            e.EGL_MAX_PBUFFER_PIXELS: MAX_SIDE * MAX_SIDE,
            e.EGL_MAX_SWAP_INTERVAL: MAX_SWAP_INTERVAL if self.visual else 0,
            e.EGL_MIN_SWAP_INTERVAL: 0,
            e.EGL_NATIVE_RENDERABLE: int(native),
            e.EGL_NATIVE_VISUAL_ID: self.visual.id if self.visual else 0,
            e.EGL_NATIVE_VISUAL_TYPE: self.visual.visual_class if self.visual else e.EGL_NONE,
            e.EGL_RENDERABLE_TYPE: apis,
            e.EGL_SAMPLE_BUFFERS: int(config.samples > 0),
            e.EGL_SAMPLES: config.samples,
            e.EGL_STENCIL_SIZE: config.stencil,
            e.EGL_SURFACE_TYPE: self.surface_type,
            e.EGL_TRANSPARENT_TYPE: e.EGL_NONE,
            e.EGL_TRANSPARENT_RED_VALUE: 0,
            e.EGL_TRANSPARENT_GREEN_VALUE: 0,
            e.EGL_TRANSPARENT_BLUE_VALUE: 0,
        }

    def fits(self, other: "EglConfig") -> bool:
        """Whether a context of one can draw to a surface of the other (EGL 1.5 section 2.2)."""
        mine, theirs = self.buffers[True], other.buffers[True]
        return (*mine.layout[2:6], mine.depth, mine.stencil, mine.samples) == (
            *theirs.layout[2:6], theirs.depth, theirs.stencil, theirs.samples,
        )  # fmt: skip

    def __repr__(self) -> str:
        config = self.buffers[True]
        return f"<EGLConfig {self.id} {config.color_format} z{config.depth} s{config.stencil}>"


def _pairs(name: str, supported: Supported, offered: Offered) -> list[dict[bool, DriConfig]]:
    """The single- and double-buffered configs of a format that EGL can name, the barest first."""
    found: dict[tuple[int, int, int], dict[bool, DriConfig]] = {}
    for config in layout_configs(name, supported, offered=offered):
        if not config.accum and not config.swap_copy:
            key = config.samples, config.depth, config.stencil
            found.setdefault(key, {})[config.double_buffer] = config
    return [found[key] for key in sorted(found) if len(found[key]) == 2]


def make_configs(
    visuals: Iterable[Visual] | None,
    supported: Supported,
    apis: int = e.EGL_OPENGL_BIT,
    offered: Offered = offered_all,
) -> list[EglConfig]:
    """Return the configs of a display: those of each kind of visual, or, where there are no windows
    (`visuals` is None), those of every format. `apis`: the bits of `renderable`.
    """
    kinds: dict[tuple[int, int], Visual] = {}
    for visual in visuals or ():
        if visual.formats():  # copies of a visual would only make the same configs again
            kinds.setdefault((visual.depth, visual.visual_class), visual)
    sources: list[tuple[str, Visual | None]] = [
        (name, visual) for visual in kinds.values() for name in visual.formats()
    ]
    if visuals is None:
        sources = [(name, None) for name in OFFSCREEN_FORMATS]
    configs: list[EglConfig] = []
    for name, kind in sources:
        if name.endswith(FLOATS_AND_SRGB):
            continue
        view = srgb_view(BY_NAME[name]) if name in BY_NAME else None
        srgb = view is not None and supported(view.name, 0)
        for buffers in _pairs(name, supported, offered):
            number = len(configs) + 1
            configs.append(EglConfig(number, buffers, kind, visuals is not None, srgb, apis))
    return configs


# How each attribute takes part in eglChooseConfig: EGL 1.5, table 3.4 (default, how to match).
_LEAST, _EXACT, _MASK, _IGNORE = "at least", "exact", "mask", "ignore"
_ANY = e.EGL_DONT_CARE
SELECTION: dict[int, tuple[int, str]] = {
    e.EGL_BUFFER_SIZE: (0, _LEAST),
    e.EGL_RED_SIZE: (0, _LEAST),
    e.EGL_GREEN_SIZE: (0, _LEAST),
    e.EGL_BLUE_SIZE: (0, _LEAST),
    e.EGL_LUMINANCE_SIZE: (0, _LEAST),
    e.EGL_ALPHA_SIZE: (0, _LEAST),
    e.EGL_ALPHA_MASK_SIZE: (0, _LEAST),
    e.EGL_BIND_TO_TEXTURE_RGB: (_ANY, _EXACT),
    e.EGL_BIND_TO_TEXTURE_RGBA: (_ANY, _EXACT),
    e.EGL_COLOR_BUFFER_TYPE: (e.EGL_RGB_BUFFER, _EXACT),
    e.EGL_CONFIG_CAVEAT: (_ANY, _EXACT),
    e.EGL_CONFIG_ID: (_ANY, _EXACT),
    e.EGL_CONFORMANT: (0, _MASK),
    e.EGL_DEPTH_SIZE: (0, _LEAST),
    e.EGL_LEVEL: (0, _EXACT),
    e.EGL_MATCH_NATIVE_PIXMAP: (e.EGL_NONE, _IGNORE),  # the display compares depths
    e.EGL_MAX_PBUFFER_WIDTH: (_ANY, _IGNORE),
    e.EGL_MAX_PBUFFER_HEIGHT: (_ANY, _IGNORE),
    e.EGL_MAX_PBUFFER_PIXELS: (_ANY, _IGNORE),
    e.EGL_MAX_SWAP_INTERVAL: (_ANY, _EXACT),
    e.EGL_MIN_SWAP_INTERVAL: (_ANY, _EXACT),
    e.EGL_NATIVE_RENDERABLE: (_ANY, _EXACT),
    e.EGL_NATIVE_VISUAL_ID: (_ANY, _IGNORE),
    e.EGL_NATIVE_VISUAL_TYPE: (_ANY, _EXACT),
    e.EGL_RENDERABLE_TYPE: (e.EGL_OPENGL_ES_BIT, _MASK),
    e.EGL_SAMPLE_BUFFERS: (0, _LEAST),
    e.EGL_SAMPLES: (0, _LEAST),
    e.EGL_STENCIL_SIZE: (0, _LEAST),
    e.EGL_SURFACE_TYPE: (e.EGL_WINDOW_BIT, _MASK),
    e.EGL_TRANSPARENT_TYPE: (e.EGL_NONE, _EXACT),
    e.EGL_TRANSPARENT_RED_VALUE: (_ANY, _EXACT),
    e.EGL_TRANSPARENT_GREEN_VALUE: (_ANY, _EXACT),
    e.EGL_TRANSPARENT_BLUE_VALUE: (_ANY, _EXACT),
}
_BOOLEANS = (
    e.EGL_BIND_TO_TEXTURE_RGB, e.EGL_BIND_TO_TEXTURE_RGBA, e.EGL_NATIVE_RENDERABLE,
)  # fmt: skip
_ENUMS: dict[int, tuple[int, ...]] = {
    e.EGL_COLOR_BUFFER_TYPE: (e.EGL_RGB_BUFFER, e.EGL_LUMINANCE_BUFFER),
    e.EGL_CONFIG_CAVEAT: (e.EGL_NONE, e.EGL_SLOW_CONFIG, e.EGL_NON_CONFORMANT_CONFIG),
    e.EGL_TRANSPARENT_TYPE: (e.EGL_NONE, e.EGL_TRANSPARENT_RGB),
}


def parse_attribs(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Check the pairs of eglChooseConfig and add the defaults; EGL_BAD_ATTRIBUTE for what is
    unknown or cannot be a value.
    """
    wanted = {attribute: default for attribute, (default, _) in SELECTION.items()}
    for attribute, value in pairs:
        if attribute not in SELECTION:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
        how = SELECTION[attribute][1]
        fine = True
        if value == _ANY:
            fine = attribute not in (e.EGL_LEVEL, e.EGL_MATCH_NATIVE_PIXMAP)
        elif attribute in _ENUMS:
            fine = value in _ENUMS[attribute]
        elif attribute in _BOOLEANS:
            fine = value in (0, 1)
        elif how is _LEAST:
            fine = value >= 0
        elif attribute == e.EGL_CONFIG_ID:
            fine = value > 0
        if not fine:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"{e.name_of(attribute)} {value:#x}")
        wanted[attribute] = value
    return wanted


def _criteria(wanted: dict[int, int]) -> list[tuple[int, str, int]]:
    """What rules out anything: (attribute, how, value)."""
    return [
        (attribute, how, wanted[attribute])
        for attribute, (_, how) in SELECTION.items()
        if how is not _IGNORE
        and not (wanted[attribute] == _ANY and attribute != e.EGL_LEVEL)
        and not (how is not _EXACT and wanted[attribute] == 0)
    ]


def _matches(config: EglConfig, criteria: list[tuple[int, str, int]]) -> bool:
    """Whether a config meets every criterion."""
    have = config.values
    for attribute, how, value in criteria:
        if how is _LEAST and have[attribute] < value:
            return False
        if how is _EXACT and have[attribute] != value:
            return False
        if attribute == e.EGL_RENDERABLE_TYPE:
            # Where OpenGL ES 1 is not there it is no criterion: it is the default, and programs
            # that go on to bind OpenGL leave it there or even ask for it (every xscreensaver
            # hack). One that means that API hears of it from eglCreateContext.
            value &= have[attribute] | ~e.EGL_OPENGL_ES_BIT
        if how is _MASK and (have[attribute] & value) != value:
            return False
    return True


_COLOURS = (
    e.EGL_RED_SIZE, e.EGL_GREEN_SIZE, e.EGL_BLUE_SIZE, e.EGL_ALPHA_SIZE, e.EGL_LUMINANCE_SIZE,
)  # fmt: skip


def _order(config: EglConfig, wanted: dict[int, int]) -> tuple[int, ...]:
    """The sort key of EGL 1.5, section 3.4.1.2; caveats, buffer types and mask sizes are all the
    same here.
    """
    have = config.values
    return (
        -sum(have[c] for c in _COLOURS if wanted[c] not in (0, _ANY)),
        have[e.EGL_BUFFER_SIZE],
        have[e.EGL_SAMPLE_BUFFERS],
        have[e.EGL_SAMPLES],
        have[e.EGL_DEPTH_SIZE],
        have[e.EGL_STENCIL_SIZE],
        have[e.EGL_NATIVE_VISUAL_TYPE],
        config.id,
    )


def choose_configs(configs: list[EglConfig], wanted: dict[int, int]) -> list[EglConfig]:
    """Return the configs that meet `wanted` (of parse_attribs), best first."""
    if wanted[e.EGL_CONFIG_ID] != _ANY:  # then all other attributes are ignored
        return [c for c in configs if c.id == wanted[e.EGL_CONFIG_ID]]
    criteria = _criteria(wanted)
    found = (config for config in configs if _matches(config, criteria))
    return sorted(found, key=lambda config: _order(config, wanted))


def config_attribute(config: EglConfig, attribute: int) -> int:
    """The answer of eglGetConfigAttrib."""
    value: Any = config.values.get(attribute)
    if value is None:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    return int(value)
