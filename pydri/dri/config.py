# SPDX-License-Identifier: MIT
"""The framebuffer configurations of a screen: one table for all fronts (GLX, EGL).

In: the X visuals of a screen (none on a surfaceless platform) and what the driver can draw to. Out:
`ScreenConfig`s, a `DriConfig` (what the buffers are) with the visual whose windows it fits. The
table is a product: layouts that fit a visual x samples x accumulation x depth and stencil x buffers
and what a swap does to them; to offer more is to add to one of the rows below. The ids of fronts
count along the list. Counterpart of Mesa's dri_fill_in_modes (gallium/frontends/dri/dri_screen.c).
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from pydri.pipe.format import BY_NAME
from winsys_x11.visuals import VISUAL_FORMATS, Visual


class ColorLayout(NamedTuple):
    """How a pixel of a colour buffer is made up; sizes in bits."""

    format: str  # its name in pydri/pipe/format.py
    cpp: int  # bytes a pixel
    red: int
    green: int
    blue: int
    alpha: int
    srgb: bool = False

    @property
    def buffer_size(self) -> int:
        """Bits of a pixel that mean something."""
        return self.red + self.green + self.blue + self.alpha


@cache
def color_layout(name: str) -> ColorLayout:
    """Return the layout of a colour format, as its row in the table of formats says."""
    row = BY_NAME[name]
    red, green, blue, alpha = row.component_bits
    return ColorLayout(name, row.bytes, red, green, blue, alpha, name.endswith("_SRGB"))


class Buffers(NamedTuple):
    """Colour buffers, and what a swap leaves behind in the back buffer."""

    double_buffer: bool
    swap_copy: bool = False  # True: the frame that was shown; else undefined (OML_swap_method)


# Each row: the first one goes with the first visual, which is the default one: what most programs
# hope to find there.
SAMPLES = (0, 4)
ACCUMULATION = (0, 16)  # bits a channel
DEPTH_STENCIL = ((24, 8), (24, 0), (16, 0), (32, 0), (0, 0))
BUFFERS = (Buffers(True), Buffers(False), Buffers(True, swap_copy=True))

DEPTH_FORMATS: dict[tuple[int, int], str | None] = {
    (0, 0): None,
    (16, 0): "Z16_UNORM",
    (24, 0): "Z24X8_UNORM",
    (24, 8): "Z24_UNORM_S8_UINT",
    (0, 8): "S8_UINT",  # of OSMesa alone
    (32, 0): "Z32_UNORM",
}
# What pbuffers and pixmaps may have although no visual of the screen has it; with the depth of such
# a pixmap.
OFFSCREEN_FORMATS = {
    "B10G10R10A2_UNORM": 30,
    "B10G10R10X2_UNORM": 30,
    "B8G8R8A8_UNORM": 24,
    "B8G8R8X8_UNORM": 24,
    "B8G8R8A8_SRGB": 24,
    "B8G8R8X8_SRGB": 24,
    "B5G6R5_UNORM": 16,
}
# Windows with an alpha channel that the window system shows are offered without the slow extras.
TRANSLUCENT_DEPTH = 32


class DriConfig(NamedTuple):
    """The buffers of a drawable."""

    layout: ColorLayout
    double_buffer: bool
    swap_copy: bool
    depth: int
    stencil: int
    accum: int  # bits of each channel of the accumulation buffer, 0: none
    samples: int  # 0 or the number of samples a pixel

    @property
    def alpha(self) -> int:
        """Bits of destination alpha."""
        return self.layout.alpha

    @property
    def srgb(self) -> bool:
        """Whether it is one for programs that ask for sRGB-encoded colours; what the buffers are
        is the same.
        """
        return self.layout.srgb

    @property
    def buffer_size(self) -> int:
        """Bits of a pixel that mean something."""
        return self.layout.buffer_size

    @property
    def color_format(self) -> str:
        """The name of the colour buffer's format in pydri/pipe/format.py."""
        return self.layout.format

    @property
    def depth_format(self) -> str | None:
        """The name of the depth and stencil buffer's format, or None."""
        return DEPTH_FORMATS[self.depth, self.stencil]

    @property
    def slow(self) -> bool:
        """Whether a program that doesn't ask for it is better off without."""
        return self.accum > 0


class ScreenConfig(NamedTuple):
    """A config and where it can be used."""

    config: DriConfig
    visual: Visual | None  # None: windows cannot have it
    pixmap_depth: int  # depth of windows and pixmaps that it fits, 0: there are none


#: (name of a format, samples) -> can it be drawn to
Supported = Callable[[str, int], bool]


#: what a compiled driver has: it lists its configs
Offered = Callable[[DriConfig], bool]


def supported_by_all(name: str, samples: int) -> bool:
    """A driver without limits."""
    return name in BY_NAME


def offered_all(config: DriConfig) -> bool:
    """A driver that has every config of the formats that it supports."""
    return True


def layout_configs(
    name: str,
    supported: Supported = supported_by_all,
    plain: bool = False,
    offered: Offered = offered_all,
) -> list[DriConfig]:
    """Return every config on a colour format, the most usual one first; `plain`: without
    accumulation and samples.
    """
    if name not in BY_NAME:
        return []
    layout = color_layout(name)
    found = [
        DriConfig(layout, *buffers, depth, stencil, accum, samples)
        for samples in SAMPLES
        if supported(name, samples)
        for accum in ACCUMULATION
        if not (accum and samples) and not (plain and (accum or samples))
        for depth, stencil in DEPTH_STENCIL
        if (zs := DEPTH_FORMATS[depth, stencil]) is None or supported(zs, samples)
        for buffers in BUFFERS
    ]
    return list(filter(offered, found))


def screen_configs(
    visuals: Iterable[Visual],
    supported: Supported = supported_by_all,
    pixmap_depths: Iterable[int] = (),
    offered: Offered = offered_all,
) -> list[ScreenConfig]:
    """Return the configs of a screen, those of the first visual's kind first, those without visual
    last.

    Each config gets a visual of its own as long as there are any (a server with GLX has hundreds of
    copies); then the first visual of the kind serves for the rest.
    """
    @cache  # visuals of several classes have the same formats
    def on_layout(name: str, plain: bool = False) -> list[DriConfig]:
        return layout_configs(name, supported, plain, offered)

    kinds: dict[tuple[int, int, tuple[str, ...]], list[Visual]] = {}
    for visual in visuals:
        if formats := visual.formats():
            kind = visual.depth, visual.visual_class, formats
            kinds.setdefault(kind, []).append(visual)
    found: list[ScreenConfig] = []
    for (depth, _, formats), members in kinds.items():
        slots = [
            config
            for name in formats
            for config in on_layout(name, depth == TRANSLUCENT_DEPTH)
        ]
        for n, config in enumerate(slots):
            visual = members[n] if n < len(members) else members[0]
            found.append(ScreenConfig(config, visual, depth))
    depths = set(pixmap_depths)
    for name, depth in OFFSCREEN_FORMATS.items():
        # Depth 32 is in every server's list, but it shows no windows of depth 24.
        if not any(name in formats and d == depth for d, _, formats in kinds):
            for config in on_layout(name):
                pixmaps = [d for d in (depth, config.buffer_size) if d in depths]
                found.append(ScreenConfig(config, None, pixmaps[0] if pixmaps else 0))
    return found


__all__ = [
    "VISUAL_FORMATS", "Buffers", "ColorLayout", "DriConfig", "Offered", "ScreenConfig", "Supported",
    "color_layout", "layout_configs", "offered_all", "screen_configs", "supported_by_all",
]  # fmt: skip
