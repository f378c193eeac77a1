# SPDX-License-Identifier: MIT
"""A driver of one's own: what the null driver does, but glClear paints stripes."""

import ctypes

from pydri.loader.drivers.null_dri import NullContext, NullScreen
from pydri.loader.extensions import swrast_extensions
from pydri.pipe.native import CLEAR_COLOR, PipeDynamic, Surface


class StripesContext(NullContext):
    def __init__(self):
        super().__init__()
        self.native_view().clear = 0  # no native form: clears come to the method below

    def clear(self, dyn, buffers, color, depth, stencil, colormask, stencil_mask):
        if not buffers & CLEAR_COLOR:
            return
        surface = Surface.view(PipeDynamic.view(dyn).fb.cbuf)
        red, green, blue, _ = (round(255 * c) for c in (ctypes.c_float * 4).from_address(color))
        rows = (bytes((blue, green, red, 255)), bytes((blue // 2, green // 2, red // 2, 255)))
        for y in range(surface.height):
            row = rows[y // 8 % 2] * surface.width
            ctypes.memmove(surface.data + y * surface.stride, row, len(row))


class StripesScreen(NullScreen):
    def get_name(self):
        return "stripes"

    def context_create(self):
        return StripesContext()


def __driDriverGetExtensions_stripes():
    return swrast_extensions("stripes", StripesScreen)
