# SPDX-License-Identifier: MIT
"""FBConfigs: the configs of a screen under the names of GLX, chosen and sorted as GLX 1.4 says.

In: the configs that fit the X visuals of a screen (pydri/dri/config.py, the table; the server's GLX
extension is never asked). Out: the list of `FBConfig` of a screen, `choose_fbconfigs`,
`columns`. A visual may have to serve for several configs: then its last choice says which one is
meant (pydri.glx.visual).

A GLXFBConfig is the address of a small block that we own (GLVND demands it).  Counterpart of Mesa's
src/glx/glxcmds.c (fbconfigs_compatible, fbconfig_compare).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from pydri.dri.config import TRANSLUCENT_DEPTH, ColorLayout, ScreenConfig
from pydri.glx import enums as e
from winsys_x11.visuals import DIRECT_COLOR, Visual
from winsys_x11.xlib import ffi

MAX_PBUFFER_SIZE = 16384
FIRST_FBCONFIG_ID = 0x41  # out of the way of XIDs that people know by heart (0x21, 0x22)
_BLOCK_WORDS = 4  # mark, id, screen, nothing
_BLOCK_MARK = 0x70796472694642
# What texture_from_pixmap can bind to: 1D, 2D and rectangle textures.
_TEXTURE_TARGETS = 7
_ACCUMS = (
    e.GLX_ACCUM_RED_SIZE,
    e.GLX_ACCUM_GREEN_SIZE,
    e.GLX_ACCUM_BLUE_SIZE,
    e.GLX_ACCUM_ALPHA_SIZE,
)


@cache
def _of_layout(layout: ColorLayout) -> dict[int, int]:
    """Every attribute that glXGetFBConfigAttrib knows, with the values of a plain config that has
    these colours. (Most programs have all configs of a screen looked at.)"""
    return {
        e.GLX_FBCONFIG_ID: 0,
        e.GLX_BUFFER_SIZE: layout.buffer_size,
        e.GLX_LEVEL: 0,
        e.GLX_RGBA: 1,
        e.GLX_USE_GL: 1,
        e.GLX_DOUBLEBUFFER: 0,
        e.GLX_STEREO: 0,
        e.GLX_AUX_BUFFERS: 0,
        e.GLX_RED_SIZE: layout.red,
        e.GLX_GREEN_SIZE: layout.green,
        e.GLX_BLUE_SIZE: layout.blue,
        e.GLX_ALPHA_SIZE: layout.alpha,
        e.GLX_DEPTH_SIZE: 0,
        e.GLX_STENCIL_SIZE: 0,
        **dict.fromkeys(_ACCUMS, 0),
        e.GLX_RENDER_TYPE: e.GLX_RGBA_BIT,
        e.GLX_DRAWABLE_TYPE: 0,
        e.GLX_X_RENDERABLE: 0,
        e.GLX_VISUAL_ID: 0,
        e.GLX_X_VISUAL_TYPE: e.GLX_TRUE_COLOR,
        e.GLX_CONFIG_CAVEAT: e.GLX_NONE,
        e.GLX_TRANSPARENT_TYPE: e.GLX_NONE,
        e.GLX_TRANSPARENT_INDEX_VALUE: 0,
        e.GLX_TRANSPARENT_RED_VALUE: e.GLX_DONT_CARE,
        e.GLX_TRANSPARENT_GREEN_VALUE: e.GLX_DONT_CARE,
        e.GLX_TRANSPARENT_BLUE_VALUE: e.GLX_DONT_CARE,
        e.GLX_TRANSPARENT_ALPHA_VALUE: e.GLX_DONT_CARE,
        e.GLX_MAX_PBUFFER_WIDTH: MAX_PBUFFER_SIZE,
        e.GLX_MAX_PBUFFER_HEIGHT: MAX_PBUFFER_SIZE,
        e.GLX_MAX_PBUFFER_PIXELS: MAX_PBUFFER_SIZE * MAX_PBUFFER_SIZE,
        e.GLX_OPTIMAL_PBUFFER_WIDTH_SGIX: 0,
        e.GLX_OPTIMAL_PBUFFER_HEIGHT_SGIX: 0,
        e.GLX_SWAP_METHOD_OML: e.GLX_SWAP_UNDEFINED_OML,
        e.GLX_VISUAL_SELECT_GROUP_SGIX: 0,
        e.GLX_SAMPLE_BUFFERS: 0,
        e.GLX_SAMPLES: 0,
        e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: 0,
        e.GLX_FLOAT_COMPONENTS_NV: 0,
        e.GLX_BIND_TO_TEXTURE_RGB_EXT: 1,
        e.GLX_BIND_TO_TEXTURE_RGBA_EXT: int(layout.alpha > 0),
        e.GLX_BIND_TO_MIPMAP_TEXTURE_EXT: 0,
        e.GLX_BIND_TO_TEXTURE_TARGETS_EXT: _TEXTURE_TARGETS,
        e.GLX_Y_INVERTED_EXT: 1,  # X counts rows from the top, and so lie ours in memory
    }


class FBConfig:
    """One framebuffer configuration of one screen; `dri` says what the buffers are."""

    __slots__ = (
        "_blocks", "dri", "handle", "id", "owner", "screen", "visual", "x_depth",
    )  # fmt: skip

    def __init__(
        self, config_id: int, screen: int, config: ScreenConfig, blocks: Any, handle: int
    ) -> None:
        self.id = config_id
        self.screen = screen
        self.dri = config.config
        self.visual: Visual | None = config.visual
        self.x_depth = config.pixmap_depth  # of the windows and pixmaps that it fits
        self._blocks = blocks
        self.handle = handle
        self.owner: Any = None  # the GlxScreen

    @property
    def visual_id(self) -> int:
        """The visual's XID, 0: windows cannot have this config."""
        return self.visual.id if self.visual else 0

    def fits_pixmap(self, depth: int) -> bool:
        """Whether pixmaps of a depth can have this config: as deep as windows, or as its pixels."""
        return depth in (self.x_depth, self.dri.buffer_size)

    @property
    def drawable_type(self) -> int:
        """Bits of GLX_DRAWABLE_TYPE."""
        window = e.GLX_WINDOW_BIT if self.visual else 0
        pixmap = e.GLX_PIXMAP_BIT if self.x_depth else 0
        return window | pixmap | e.GLX_PBUFFER_BIT

    def value(self, attribute: int) -> int | None:
        """An attribute as glXGetFBConfigAttrib tells it; None: there is no such attribute."""
        of = _OWN.get(attribute)
        return of(self) if of else _of_layout(self.dri.layout).get(attribute)

    def __repr__(self) -> str:
        c = self.dri
        return (
            f"<FBConfig {self.id:#x} visual {self.visual_id:#x} {c.layout.format}"
            f" {'db' if c.double_buffer else 'sb'} z{c.depth} s{c.stencil}"
            f" accum {c.accum} samples {c.samples}>"
        )


#: what configs of the same colours may differ in
_OWN: dict[int, Callable[[FBConfig], int]] = {
    e.GLX_FBCONFIG_ID: lambda c: c.id,
    e.GLX_DOUBLEBUFFER: lambda c: int(c.dri.double_buffer),
    e.GLX_DEPTH_SIZE: lambda c: c.dri.depth,
    e.GLX_STENCIL_SIZE: lambda c: c.dri.stencil,
    **dict.fromkeys(_ACCUMS, lambda c: c.dri.accum),
    e.GLX_DRAWABLE_TYPE: lambda c: c.drawable_type,
    e.GLX_X_RENDERABLE: lambda c: int(c.x_depth != 0),
    e.GLX_VISUAL_ID: lambda c: c.visual_id,
    e.GLX_X_VISUAL_TYPE: lambda c: (
        e.GLX_DIRECT_COLOR if c.visual is not None and c.visual.visual_class == DIRECT_COLOR
        else e.GLX_TRUE_COLOR
    ),
    e.GLX_CONFIG_CAVEAT: lambda c: e.GLX_SLOW_CONFIG if c.dri.slow else e.GLX_NONE,
    e.GLX_SWAP_METHOD_OML: lambda c: (
        e.GLX_SWAP_COPY_OML if c.dri.swap_copy else e.GLX_SWAP_UNDEFINED_OML
    ),
    # Translucent windows come last: for those who ask for them.
    e.GLX_VISUAL_SELECT_GROUP_SGIX: lambda c: int(
        c.visual is not None and c.x_depth == TRANSLUCENT_DEPTH
    ),
    e.GLX_SAMPLE_BUFFERS: lambda c: int(c.dri.samples > 0),
    e.GLX_SAMPLES: lambda c: c.dri.samples,
    e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: lambda c: int(c.dri.srgb),
}  # fmt: skip


def columns(configs: Sequence[FBConfig]) -> dict[int, list[int]]:
    """Every attribute with the values of all configs."""
    layouts = [_of_layout(config.dri.layout) for config in configs]
    return {
        attribute: [of(config) for config in configs] if (of := _OWN.get(attribute))
        else [have[attribute] for have in layouts]
        for attribute in layouts[0]
    }  # fmt: skip


def make_configs(
    screen: int, configs: Iterable[ScreenConfig], first_id: int = FIRST_FBCONFIG_ID
) -> list[FBConfig]:
    """Give the configs of a screen ids and handles."""
    found = list(configs)
    words: list[int] = []
    for n in range(len(found)):
        words += (_BLOCK_MARK, first_id + n, screen, 0)
    blocks = ffi.new("uint64_t[]", words)
    begin, step = int(ffi.cast("uintptr_t", blocks)), 8 * _BLOCK_WORDS
    # all hold the whole array: a pointer into it would not keep it alive
    return [
        FBConfig(first_id + n, screen, config, blocks, begin + step * n)
        for n, config in enumerate(found)
    ]


# How each attribute takes part in glXChooseFBConfig: GLX 1.4, table 3.4 (default, how to match).
_MINIMUM, _EXACT, _MASK, _IGNORE = "minimum", "exact", "mask", "ignore"
_ANY = e.GLX_DONT_CARE
SELECTION: dict[int, tuple[int, str]] = {
    e.GLX_FBCONFIG_ID: (_ANY, _EXACT),
    e.GLX_BUFFER_SIZE: (0, _MINIMUM),
    e.GLX_LEVEL: (0, _EXACT),
    e.GLX_DOUBLEBUFFER: (_ANY, _EXACT),
    e.GLX_STEREO: (0, _EXACT),
    e.GLX_AUX_BUFFERS: (0, _MINIMUM),
    e.GLX_RED_SIZE: (0, _MINIMUM),
    e.GLX_GREEN_SIZE: (0, _MINIMUM),
    e.GLX_BLUE_SIZE: (0, _MINIMUM),
    e.GLX_ALPHA_SIZE: (0, _MINIMUM),
    e.GLX_DEPTH_SIZE: (0, _MINIMUM),
    e.GLX_STENCIL_SIZE: (0, _MINIMUM),
    e.GLX_ACCUM_RED_SIZE: (0, _MINIMUM),
    e.GLX_ACCUM_GREEN_SIZE: (0, _MINIMUM),
    e.GLX_ACCUM_BLUE_SIZE: (0, _MINIMUM),
    e.GLX_ACCUM_ALPHA_SIZE: (0, _MINIMUM),
    e.GLX_SAMPLE_BUFFERS: (0, _MINIMUM),
    e.GLX_SAMPLES: (0, _MINIMUM),
    e.GLX_RENDER_TYPE: (e.GLX_RGBA_BIT, _MASK),
    e.GLX_DRAWABLE_TYPE: (e.GLX_WINDOW_BIT, _MASK),
    e.GLX_X_RENDERABLE: (_ANY, _EXACT),
    e.GLX_X_VISUAL_TYPE: (_ANY, _EXACT),
    e.GLX_CONFIG_CAVEAT: (_ANY, _EXACT),
    e.GLX_TRANSPARENT_TYPE: (e.GLX_NONE, _EXACT),
    e.GLX_TRANSPARENT_INDEX_VALUE: (_ANY, _IGNORE),
    e.GLX_TRANSPARENT_RED_VALUE: (_ANY, _IGNORE),
    e.GLX_TRANSPARENT_GREEN_VALUE: (_ANY, _IGNORE),
    e.GLX_TRANSPARENT_BLUE_VALUE: (_ANY, _IGNORE),
    e.GLX_TRANSPARENT_ALPHA_VALUE: (_ANY, _IGNORE),
    e.GLX_MAX_PBUFFER_WIDTH: (_ANY, _IGNORE),
    e.GLX_MAX_PBUFFER_HEIGHT: (_ANY, _IGNORE),
    e.GLX_MAX_PBUFFER_PIXELS: (_ANY, _IGNORE),
    e.GLX_OPTIMAL_PBUFFER_WIDTH_SGIX: (_ANY, _IGNORE),
    e.GLX_OPTIMAL_PBUFFER_HEIGHT_SGIX: (_ANY, _IGNORE),
    e.GLX_VISUAL_ID: (_ANY, _IGNORE),
    e.GLX_USE_GL: (_ANY, _IGNORE),
    e.GLX_RGBA: (_ANY, _IGNORE),
    e.GLX_SCREEN: (_ANY, _IGNORE),
    e.GLX_SWAP_METHOD_OML: (_ANY, _EXACT),
    e.GLX_VISUAL_SELECT_GROUP_SGIX: (_ANY, _EXACT),
    e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: (_ANY, _EXACT),
    e.GLX_FLOAT_COMPONENTS_NV: (_ANY, _EXACT),
    e.GLX_BIND_TO_TEXTURE_RGB_EXT: (_ANY, _EXACT),
    e.GLX_BIND_TO_TEXTURE_RGBA_EXT: (_ANY, _EXACT),
    e.GLX_BIND_TO_MIPMAP_TEXTURE_EXT: (_ANY, _EXACT),
    e.GLX_BIND_TO_TEXTURE_TARGETS_EXT: (_ANY, _MASK),
    e.GLX_Y_INVERTED_EXT: (_ANY, _EXACT),
}


def complete(asked: dict[int, int]) -> dict[int, int]:
    """Return `asked` with the defaults of the table for what was left out."""
    return {attribute: asked.get(attribute, row[0]) for attribute, row in SELECTION.items()}


def _criteria(wanted: dict[int, int]) -> list[tuple[int, str, int]]:
    """What rules out anything: (attribute, how, value)."""
    return [
        (attribute, how, wanted[attribute])
        for attribute, (_, how) in SELECTION.items()
        if how is not _IGNORE and wanted[attribute] != _ANY
        and not (how is _MINIMUM and wanted[attribute] == 0)
    ]  # fmt: skip


def _fits(have: int, how: str, wanted: int) -> bool:
    if how is _MINIMUM:
        return have >= wanted
    return (have & wanted) == wanted if how is _MASK else have == wanted


def _matching(configs: list[FBConfig], criteria: list[tuple[int, str, int]]) -> list[FBConfig]:
    """The configs that meet all criteria. A screen has some hundred of a few layouts, so what these
    rule out is found out once."""
    shared = [each for each in criteria if each[0] not in _OWN]
    layouts: dict[ColorLayout, bool] = {}
    for layout in dict.fromkeys(config.dri.layout for config in configs):
        have = _of_layout(layout)
        layouts[layout] = all(_fits(have[name], how, wanted) for name, how, wanted in shared)
    found = [config for config in configs if layouts[config.dri.layout]]
    for name, how, wanted in criteria:
        of = _OWN.get(name)
        if of is None:
            continue
        if how is _MINIMUM:
            found = [config for config in found if of(config) >= wanted]
        elif how is _MASK:
            found = [config for config in found if of(config) & wanted == wanted]
        else:
            found = [config for config in found if of(config) == wanted]
    return found


_CAVEAT_ORDER = {e.GLX_NONE: 0, e.GLX_SLOW_CONFIG: 1, e.GLX_NON_CONFORMANT_CONFIG: 2}
_COLOURS = (e.GLX_RED_SIZE, e.GLX_GREEN_SIZE, e.GLX_BLUE_SIZE, e.GLX_ALPHA_SIZE)
_RGB = _COLOURS[:3]


def _rank(wanted: dict[int, int]) -> Callable[[FBConfig], tuple[int, ...]]:
    """Order of GLX 1.4, section 3.3.3: smaller comes first.

    Larger totals of the components that were asked for come first; if none was, the best colours.
    By the table a pbuffer nobody described would get 5-6-5 bits, the smallest buffer; the peer
    gives the most, and so do we. Windows have no such choice: their visual's depth decides.
    """
    colours = [i for i in _COLOURS if wanted[i] not in (0, _ANY)] or _RGB
    accums = sum(wanted[i] not in (0, _ANY) for i in _ACCUMS)
    of_layout: dict[ColorLayout, tuple[int, int, int]] = {}
    group, visual_type = _OWN[e.GLX_VISUAL_SELECT_GROUP_SGIX], _OWN[e.GLX_X_VISUAL_TYPE]
    caveat, order = _OWN[e.GLX_CONFIG_CAVEAT], _CAVEAT_ORDER

    def rank(config: FBConfig) -> tuple[int, ...]:
        dri = config.dri
        rank = of_layout.get(dri.layout)
        if rank is None:
            have = _of_layout(dri.layout)
            bits = -sum(have[i] for i in colours)
            rank = of_layout[dri.layout] = bits, have[e.GLX_BUFFER_SIZE], have[e.GLX_AUX_BUFFERS]
        bits, size, buffers = rank
        return (
            group(config),
            order[caveat(config)],
            bits,
            size,
            dri.double_buffer,
            buffers,
            dri.samples,  # configs with sample buffers have some
            _depth_rank(dri.depth, wanted),
            dri.stencil,
            -dri.accum * accums,
            visual_type(config),  # the enums lie in the order of the table: TrueColor first
        )

    return rank


def _depth_rank(depth: int, wanted: dict[int, int]) -> int:
    """Larger depth first; but where none was asked for, no depth buffer is best, as with
    glXChooseVisual.

    The table says "larger" without exception; Mesa and the other implementations prefer zero
    then, and a depth buffer nobody wants is memory and time for nothing.
    """
    if wanted[e.GLX_DEPTH_SIZE] in (0, _ANY) and depth == 0:
        return -1000
    return -depth


def choose_fbconfigs(configs: list[FBConfig], asked: dict[int, int]) -> list[FBConfig]:
    """Return the configs that meet `asked`, best first; equal ones keep their order."""
    wanted = complete(asked)
    if wanted[e.GLX_FBCONFIG_ID] != _ANY:
        # GLX 1.4: with GLX_FBCONFIG_ID all other attributes are ignored.
        return [c for c in configs if c.id == wanted[e.GLX_FBCONFIG_ID]]
    criteria = _criteria(wanted)
    found = _matching(configs, criteria)
    found.sort(key=_rank(wanted))
    return found


def parse_fbconfig_attribs(pairs: Iterable[tuple[int, int]]) -> dict[int, int] | None:
    """Read (attribute, value) pairs; None if an attribute is unknown or a value out of range."""
    asked: dict[int, int] = {}
    for attribute, value in pairs:
        if attribute not in SELECTION:
            return None
        value &= 0xFFFFFFFF
        if SELECTION[attribute][1] is _MINIMUM and value != _ANY and value >> 31:
            return None  # a negative size
        asked[attribute] = value
    return asked


def describe(configs: list[FBConfig]) -> str:
    """A table of configs, for LIBGL_DIAGNOSTIC and people."""
    lines = ["  id    visual depth  format              buf  z  s accum samples"]
    for c in configs:
        d = c.dri
        lines.append(
            f"  {c.id:#05x} {c.visual_id:#06x} {c.x_depth:>5}  {d.layout.format:<18}"
            f" {'db' if d.double_buffer else 'sb'} {d.depth:>3} {d.stencil:>2}"
            f" {d.accum:>5} {d.samples:>7}"
        )
    return "\n".join(lines)
