# SPDX-License-Identifier: MIT
"""What programs may have: limits of a language on a context (ARB_vertex_program, table X.7).

In: nothing, or what a context says. Out: `Limits`, which the parser checks against.
"""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """As glGetProgramivARB tells them, and the counts of what state bindings name."""

    instructions: int = 1 << 20
    temporaries: int = 4096
    parameters: int = 2048
    attributes: int = 16
    address_registers: int = 1
    address_offset: int = 4096
    local_parameters: int = 2048
    env_parameters: int = 256
    lights: int = 8
    clip_planes: int = 8
    matrices: int = 8
    coord_units: int = 8
    image_units: int = 16
    units: int = 8
    draw_buffers: int = 8


__all__ = ["Limits"]
