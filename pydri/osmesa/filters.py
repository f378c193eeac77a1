# SPDX-License-Identifier: MIT
"""Filters that go over a picture before the program gets it (OSMesaPostprocess).

In: names of filters and the format of a surface. Out: a kernel that changes the surface's pixels,
compiled when a context that asked for it is made current. They run in the order of FILTERS,
whatever the order in which they were asked for. Counterpart of Mesa's gallium/auxiliary/postprocess
(pp_colors.c, pp_celshade.c), which draws through textures of 8 bits a channel; its two filters
against jagged edges (pp_jimenezmlaa, pp_jimenezmlaa_color) are not here.
"""

from collections.abc import Callable
from typing import Any

from pydri.jit import Module, i64, kernel, ptr, u8, void
from pydri.jit.fpstate import FLUSHED
from pydri.pipe.format import BY_NAME, Format
from pydri.pipe.format_emit import fetch, put
from pydri.pipe.native import TILE, Surface
from pydri.util.once import once

_LANES = 16
Filter = Callable[[Any, list[Any]], list[Any]]


def _without(channel: int) -> Filter:
    def apply(b: Any, rgba: list[Any]) -> list[Any]:
        zero = rgba[channel] * 0.0
        return [zero if n == channel else v for n, v in enumerate(rgba)]

    return apply


def _cel_shade(b: Any, rgba: list[Any]) -> list[Any]:
    """As in a cartoon: the brightness has five steps, with soft edges, and scales the colour."""
    red, green, blue, _ = rgba
    light = red * 0.2126 + green * 0.7152 + blue * 0.0722
    step = b.round_even(light * 4.0) * 0.25
    beyond = light - step

    def soft(x: Any) -> Any:
        return x * x * (3.0 - 2.0 * x)

    above = step + soft((beyond - 0.1) / (0.125 - 0.1)) * 0.125
    below = step - (1.0 - soft((beyond + 0.125) / (0.125 - 0.1))) * 0.125
    level = b.select(beyond > 0.1, above, b.select(beyond < -0.1, below, step))
    return [v * (level * 2.0 + 0.1) for v in rgba]


#: Mesa's names, in the order in which they run
FILTERS: dict[str, Filter] = {
    "pp_noblue": _without(2),
    "pp_nogreen": _without(1),
    "pp_nored": _without(0),
    "pp_celshade": _cel_shade,
}


def filter_kernel(names: tuple[str, ...], fmt: Format) -> Any:
    """What goes over all pixels of a surface of a format."""

    @kernel(void, (ptr(Surface),), name="osmesa_filter")
    def apply(b: Any, surface: Any) -> None:
        # rows are padded to whole tiles, so the last step of a row finds memory
        width = (b.cast(surface.width, i64) + TILE - 1) & -TILE
        with b.For(0, b.cast(surface.height, i64)) as y:
            row = b.bytes_from(surface.data, y * b.cast(surface.stride, i64), u8)
            with b.For(0, width, _LANES) as x:
                place = row + x * fmt.bytes
                rgba = fetch(b, fmt, place, _LANES)
                for name in (name for name in FILTERS if name in names):
                    rgba = FILTERS[name](b, rgba)
                put(b, fmt, place, rgba)

    return apply


@once
def _image(names: tuple[str, ...], surface: str) -> Any:
    key = " ".join((*sorted(names), surface)).encode()
    kernels = [filter_kernel(names, BY_NAME[surface])]
    return Module("osmesa_filters", kernels, key=key, floats=FLUSHED).compile()


def filter_address(names: tuple[str, ...], surface: str) -> int:
    """The address of the kernel for a format, by its name."""
    return int(_image(tuple(sorted(names)), surface).address("osmesa_filter"))
