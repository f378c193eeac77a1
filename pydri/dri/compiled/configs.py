# SPDX-License-Identifier: MIT
"""The configs of a compiled driver in the words of pydri/dri/config.py.

In: the driver's list, each config a handle that answers attribute by attribute.  Out: which
`DriConfig` is which handle.  The formats are told by the masks of the colours, as X tells them of
visuals.  What no row of our tables describes (stereo, floats) is left out.  Counterpart of
driConvertConfigs in Mesa's src/glx/dri_common.c.
"""

import ctypes
from typing import Any

from pydri.dri.config import VISUAL_FORMATS, Buffers, DriConfig, color_layout
from pydri.loader import abi

#: (masks of red, green, blue; bits of alpha; sRGB) -> format
_FORMATS = {
    (*masks, layout.alpha, layout.srgb): name
    for (_, _, *masks), names in VISUAL_FORMATS.items()
    for name in names
    for layout in (color_layout(name),)
}


class _Attributes:
    """What a config answers."""

    def __init__(self, core: Any, handle: int) -> None:
        self._core, self._handle = core, handle
        self._value = ctypes.c_uint32()

    def __getitem__(self, attribute: int) -> int:
        known = self._core.getConfigAttrib(
            self._handle, attribute, ctypes.addressof(self._value)
        )
        return int(self._value.value) if known else 0


def _describe(has: _Attributes) -> DriConfig | None:
    masks = has[abi.ATTRIB_RED_MASK], has[abi.ATTRIB_GREEN_MASK], has[abi.ATTRIB_BLUE_MASK]
    srgb = bool(has[abi.ATTRIB_FRAMEBUFFER_SRGB_CAPABLE])
    name = _FORMATS.get((*masks, has[abi.ATTRIB_ALPHA_SIZE], srgb))
    odd = (abi.ATTRIB_FLOAT_MODE, abi.ATTRIB_STEREO, abi.ATTRIB_AUX_BUFFERS)
    if name is None or any(has[attribute] for attribute in odd):
        return None
    copies = has[abi.ATTRIB_SWAP_METHOD] == abi.SWAP_COPY
    double = bool(has[abi.ATTRIB_DOUBLE_BUFFER])
    return DriConfig(
        color_layout(name),
        *Buffers(double, double and copies),
        has[abi.ATTRIB_DEPTH_SIZE],
        has[abi.ATTRIB_STENCIL_SIZE],
        has[abi.ATTRIB_ACCUM_RED_SIZE],
        has[abi.ATTRIB_SAMPLES],
    )


def read_configs(core: Any, listed: int) -> dict[DriConfig, int]:
    """Read a driver's list; of configs that look the same to us the first one counts."""
    found: dict[DriConfig, int] = {}
    for handle in abi.read_list(listed):
        config = _describe(_Attributes(core, handle))
        if config is not None:
            found.setdefault(config, handle)
    return found


__all__ = ["read_configs"]
