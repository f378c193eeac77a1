# SPDX-License-Identifier: MIT
"""FBConfigs: made from the X visuals of a screen, chosen and sorted as GLX 1.4 says.

In: the visuals (from Xlib; the server's GLX extension is never asked) and the formats that the
driver can draw to. Out: the list of `FBConfig` of a screen, `choose_fbconfigs`, `get_attrib`.  A
config is an ancillary-buffer template (double or single buffer, depth, stencil) on one kind of
TrueColor visual.  Each config gets a visual of its own as long as there are visuals (a server with
GLX has hundreds of copies); then the first visual of the kind serves for the rest, and the visual's
last choice says which config is meant (pydri.glx.visual).

A GLXFBConfig is the address of a small block that we own (GLVND demands it).  Answers to Mesa's
src/glx/glxcmds.c (fbconfigs_compatible, fbconfig_compare) and dri_fill_in_modes.
"""

from collections.abc import Callable, Iterable
from functools import cmp_to_key
from typing import NamedTuple

from pydri.glx import enums as e
from winsys_x11.visuals import PixelLayout, Visual
from winsys_x11.xlib import ffi

MAX_PBUFFER_SIZE = 16384
FIRST_FBCONFIG_ID = 0x41  # out of the way of XIDs that people know by heart (0x21, 0x22)


class Template(NamedTuple):
    """What a config has besides its colour buffer."""

    double_buffer: bool
    depth: int
    stencil: int


# The first one becomes the default visual's: what most programs hope to find there.
TEMPLATES = tuple(
    Template(double, depth, stencil)
    for depth, stencil in ((24, 8), (24, 0), (16, 0), (32, 0), (0, 0), (0, 8))
    for double in (True, False)
)


class FBConfig:
    """One framebuffer configuration of one screen."""

    __slots__ = (
        "_block",
        "alpha",
        "depth",
        "double_buffer",
        "handle",
        "id",
        "layout",
        "screen",
        "stencil",
        "visual",
    )

    def __init__(
        self, config_id: int, screen: int, visual: Visual, layout: PixelLayout, template: Template
    ) -> None:
        self.id = config_id
        self.screen = screen
        self.visual = visual
        self.layout = layout
        self.alpha = layout.alpha
        self.double_buffer = template.double_buffer
        self.depth = template.depth
        self.stencil = template.stencil
        self._block = ffi.new("uint64_t[4]", [0x70796472694642, config_id, screen, visual.id])
        self.handle = int(ffi.cast("uintptr_t", self._block))

    @property
    def buffer_size(self) -> int:
        """Bits of a pixel that mean something."""
        return self.layout.red + self.layout.green + self.layout.blue + self.alpha

    @property
    def color_format(self) -> str:
        """The name of the colour buffer's format in pydri/pipe/formats.csv."""
        return self.layout.format

    @property
    def depth_format(self) -> str | None:
        """The name of the depth and stencil buffer's format, or None."""
        return DEPTH_FORMATS[self.depth, self.stencil]

    def attributes(self) -> dict[int, int]:
        """Return every attribute that glXGetFBConfigAttrib knows, with its value."""
        layout = self.layout
        return {
            e.GLX_FBCONFIG_ID: self.id,
            e.GLX_BUFFER_SIZE: self.buffer_size,
            e.GLX_LEVEL: 0,
            e.GLX_DOUBLEBUFFER: int(self.double_buffer),
            e.GLX_STEREO: 0,
            e.GLX_AUX_BUFFERS: 0,
            e.GLX_RED_SIZE: layout.red,
            e.GLX_GREEN_SIZE: layout.green,
            e.GLX_BLUE_SIZE: layout.blue,
            e.GLX_ALPHA_SIZE: self.alpha,
            e.GLX_DEPTH_SIZE: self.depth,
            e.GLX_STENCIL_SIZE: self.stencil,
            e.GLX_ACCUM_RED_SIZE: 0,
            e.GLX_ACCUM_GREEN_SIZE: 0,
            e.GLX_ACCUM_BLUE_SIZE: 0,
            e.GLX_ACCUM_ALPHA_SIZE: 0,
            e.GLX_RENDER_TYPE: e.GLX_RGBA_BIT,
            e.GLX_DRAWABLE_TYPE: e.GLX_WINDOW_BIT | e.GLX_PIXMAP_BIT | e.GLX_PBUFFER_BIT,
            e.GLX_X_RENDERABLE: 1,
            e.GLX_VISUAL_ID: self.visual.id,
            e.GLX_X_VISUAL_TYPE: e.GLX_TRUE_COLOR,
            e.GLX_CONFIG_CAVEAT: e.GLX_NONE,
            e.GLX_TRANSPARENT_TYPE: e.GLX_NONE,
            e.GLX_TRANSPARENT_INDEX_VALUE: 0,
            e.GLX_TRANSPARENT_RED_VALUE: 0,
            e.GLX_TRANSPARENT_GREEN_VALUE: 0,
            e.GLX_TRANSPARENT_BLUE_VALUE: 0,
            e.GLX_TRANSPARENT_ALPHA_VALUE: 0,
            e.GLX_MAX_PBUFFER_WIDTH: MAX_PBUFFER_SIZE,
            e.GLX_MAX_PBUFFER_HEIGHT: MAX_PBUFFER_SIZE,
            e.GLX_MAX_PBUFFER_PIXELS: MAX_PBUFFER_SIZE * MAX_PBUFFER_SIZE,
            e.GLX_VISUAL_SELECT_GROUP_SGIX: 0,
            e.GLX_SWAP_METHOD_OML: e.GLX_SWAP_UNDEFINED_OML,
            e.GLX_SAMPLE_BUFFERS: 0,
            e.GLX_SAMPLES: 0,
            e.GLX_SCREEN: self.screen,
            e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: 0,
        }

    def __repr__(self) -> str:
        return (
            f"<FBConfig {self.id:#x} visual {self.visual.id:#x} {self.layout.format}"
            f" {'db' if self.double_buffer else 'sb'} z{self.depth} s{self.stencil}>"
        )


DEPTH_FORMATS: dict[tuple[int, int], str | None] = {
    (0, 0): None,
    (16, 0): "Z16_UNORM",
    (24, 0): "Z24X8_UNORM",
    (24, 8): "Z24_UNORM_S8_UINT",
    (32, 0): "Z32_UNORM",
    (0, 8): "S8_UINT",
}


def make_configs(
    screen: int,
    visuals: Iterable[Visual],
    supported: Callable[[str], bool] = lambda name: True,
    first_id: int = FIRST_FBCONFIG_ID,
) -> list[FBConfig]:
    """Return the configs of a screen, the root's kind of visual first."""
    kinds: dict[tuple[int, str], list[Visual]] = {}
    for visual in visuals:
        layouts = visual.layouts()
        if layouts:
            kinds.setdefault((visual.depth, layouts[0].format), []).append(visual)
    configs: list[FBConfig] = []
    for members in kinds.values():
        slots = [
            (layout, template)
            for layout in members[0].layouts()
            if supported(layout.format)
            for template in TEMPLATES
            if (name := DEPTH_FORMATS[template.depth, template.stencil]) is None or supported(name)
        ]
        for n, (layout, template) in enumerate(slots):
            visual = members[n] if n < len(members) else members[0]
            configs.append(FBConfig(first_id + len(configs), screen, visual, layout, template))
    return configs


# How each attribute takes part in glXChooseFBConfig: GLX 1.4, table 3.4 (default, how to match).
_MINIMUM, _EXACT, _MASK, _IGNORE = "minimum", "exact", "mask", "ignore"
SELECTION: dict[int, tuple[int, str]] = {
    e.GLX_FBCONFIG_ID: (e.GLX_DONT_CARE, _EXACT),
    e.GLX_BUFFER_SIZE: (0, _MINIMUM),
    e.GLX_LEVEL: (0, _EXACT),
    e.GLX_DOUBLEBUFFER: (e.GLX_DONT_CARE, _EXACT),
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
    e.GLX_X_RENDERABLE: (e.GLX_DONT_CARE, _EXACT),
    e.GLX_X_VISUAL_TYPE: (e.GLX_DONT_CARE, _EXACT),
    e.GLX_CONFIG_CAVEAT: (e.GLX_DONT_CARE, _EXACT),
    e.GLX_TRANSPARENT_TYPE: (e.GLX_NONE, _EXACT),
    e.GLX_TRANSPARENT_INDEX_VALUE: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_TRANSPARENT_RED_VALUE: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_TRANSPARENT_GREEN_VALUE: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_TRANSPARENT_BLUE_VALUE: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_TRANSPARENT_ALPHA_VALUE: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_MAX_PBUFFER_WIDTH: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_MAX_PBUFFER_HEIGHT: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_MAX_PBUFFER_PIXELS: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_VISUAL_ID: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_SCREEN: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_SWAP_METHOD_OML: (e.GLX_DONT_CARE, _IGNORE),
    e.GLX_VISUAL_SELECT_GROUP_SGIX: (e.GLX_DONT_CARE, _EXACT),
    e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: (e.GLX_DONT_CARE, _EXACT),
}


def matches(config: FBConfig, wanted: dict[int, int]) -> bool:
    """Whether a config meets every criterion."""
    have = config.attributes()
    for attribute, (_, how) in SELECTION.items():
        value = wanted[attribute]
        if value == e.GLX_DONT_CARE or how is _IGNORE:
            continue
        if how is _MINIMUM and have[attribute] < value:
            return False
        if how is _EXACT and have[attribute] != value:
            return False
        if how is _MASK and (have[attribute] & value) != value:
            return False
    return True


def complete(asked: dict[int, int]) -> dict[int, int]:
    """Return `asked` with the defaults of the table for what was left out."""
    return {attribute: asked.get(attribute, row[0]) for attribute, row in SELECTION.items()}


_CAVEAT_ORDER = {e.GLX_NONE: 0, e.GLX_SLOW_CONFIG: 1, e.GLX_NON_CONFORMANT_CONFIG: 2}
_COLOURS = (e.GLX_RED_SIZE, e.GLX_GREEN_SIZE, e.GLX_BLUE_SIZE, e.GLX_ALPHA_SIZE)
_ACCUMS = (
    e.GLX_ACCUM_RED_SIZE,
    e.GLX_ACCUM_GREEN_SIZE,
    e.GLX_ACCUM_BLUE_SIZE,
    e.GLX_ACCUM_ALPHA_SIZE,
)


def _compare(a: FBConfig, b: FBConfig, wanted: dict[int, int]) -> int:
    """Order of GLX 1.4, section 3.3.3: negative if `a` comes first."""
    x, y = a.attributes(), b.attributes()

    def bits(attributes: dict[int, int], group: tuple[int, ...]) -> int:
        return sum(attributes[i] for i in group if wanted[i] not in (0, e.GLX_DONT_CARE))

    # Each pair is "smaller comes first".
    for left, right in (
        (_CAVEAT_ORDER[x[e.GLX_CONFIG_CAVEAT]], _CAVEAT_ORDER[y[e.GLX_CONFIG_CAVEAT]]),
        (-bits(x, _COLOURS), -bits(y, _COLOURS)),
        (x[e.GLX_BUFFER_SIZE], y[e.GLX_BUFFER_SIZE]),
        (x[e.GLX_DOUBLEBUFFER], y[e.GLX_DOUBLEBUFFER]),
        (x[e.GLX_AUX_BUFFERS], y[e.GLX_AUX_BUFFERS]),
        (x[e.GLX_SAMPLE_BUFFERS], y[e.GLX_SAMPLE_BUFFERS]),
        (x[e.GLX_SAMPLES], y[e.GLX_SAMPLES]),
        (_depth_rank(x, wanted), _depth_rank(y, wanted)),
        (x[e.GLX_STENCIL_SIZE], y[e.GLX_STENCIL_SIZE]),
        (-bits(x, _ACCUMS), -bits(y, _ACCUMS)),
    ):
        if left != right:
            return -1 if left < right else 1
    return 0


def _depth_rank(attributes: dict[int, int], wanted: dict[int, int]) -> int:
    """Larger depth first; but where none was asked for, no depth buffer is best, as with
    glXChooseVisual.

        The table says "larger" without exception; Mesa and the other implementations prefer zero
    then, and a     depth buffer nobody wants is memory and time for nothing.
    """
    depth = attributes[e.GLX_DEPTH_SIZE]
    if wanted[e.GLX_DEPTH_SIZE] in (0, e.GLX_DONT_CARE) and depth == 0:
        return -1000
    return -depth


def choose_fbconfigs(configs: list[FBConfig], asked: dict[int, int]) -> list[FBConfig]:
    """Return the configs that meet `asked`, best first; equal ones keep their order."""
    wanted = complete(asked)
    if wanted[e.GLX_FBCONFIG_ID] != e.GLX_DONT_CARE:
        # GLX 1.4: with GLX_FBCONFIG_ID all other attributes are ignored.
        return [c for c in configs if c.id == wanted[e.GLX_FBCONFIG_ID]]
    found = [c for c in configs if matches(c, wanted)]
    found.sort(key=cmp_to_key(lambda a, b: _compare(a, b, wanted)))
    return found


def parse_fbconfig_attribs(pairs: Iterable[tuple[int, int]]) -> dict[int, int] | None:
    """Read (attribute, value) pairs; None if an attribute is unknown or a value out of range."""
    asked: dict[int, int] = {}
    for attribute, value in pairs:
        if attribute not in SELECTION:
            return None
        value &= 0xFFFFFFFF
        if SELECTION[attribute][1] is _MINIMUM and value != e.GLX_DONT_CARE and value >> 31:
            return None  # a negative size
        asked[attribute] = value
    return asked


def describe(configs: list[FBConfig]) -> str:
    """A table of configs, for LIBGL_DIAGNOSTIC and people."""
    lines = ["  id    visual depth  format              buf  z  s"]
    for c in configs:
        lines.append(
            f"  {c.id:#05x} {c.visual.id:#06x} {c.visual.depth:>5}  {c.layout.format:<18}"
            f" {'db' if c.double_buffer else 'sb'} {c.depth:>3} {c.stencil:>2}"
        )
    return "\n".join(lines)
