# SPDX-License-Identifier: MIT
"""TABLE: primitive modes as geometry shaders and rasterisation see them (OpenGL 3.2, 2.12.1).

In: GL's modes. Out: words of bits by mode, for kernels that look at them at each draw.
"""

from __future__ import annotations

from typing import Final

#: what a geometry shader takes, by the mode in its layout: the modes that can be drawn with it
TAKEN: Final = {0: (0,), 1: (1, 2, 3), 4: (4, 5, 6), 10: (10, 11), 12: (12, 13)}
#: how many modes there are, patches not among them
MODES: Final = 14
#: what primitives of a mode are to rasterisation: 0 points, 1 lines, 2 triangles
_REDUCED: Final = (0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2)
#: two bits a mode: what the primitives of a draw become without a geometry shader
REDUCED: Final = sum(kind << 2 * mode for mode, kind in enumerate(_REDUCED))


def refused(taken: int) -> int:
    """Bits of the modes that cannot be drawn with a geometry shader that takes these primitives."""
    return ((1 << MODES) - 1) & ~sum(1 << mode for mode in TAKEN[taken])


def reduced(made: int) -> int:
    """`REDUCED` of a geometry shader that makes these primitives, whatever is drawn."""
    return sum(_REDUCED[made] << 2 * mode for mode in range(MODES))


__all__ = ["MODES", "REDUCED", "TAKEN", "reduced", "refused"]
