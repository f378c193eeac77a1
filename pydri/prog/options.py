# SPDX-License-Identifier: MIT
"""OPTION statements (ARB_vertex_program 2.14.4.5, ARB_fragment_program 3.11.4.5, and the extensions
that add some).

In: the name of an option. Out: whether it is one that may stand here; the program then has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydri.prog.actions import Actions

_FOG = "ARB_fog_"
_HINT = "ARB_precision_hint_"


def vertex_option(actions: Actions, name: str) -> bool:
    """An option of a vertex program."""
    if name == "ARB_position_invariant":
        actions.program.position_invariant = True
        return True
    return False


def fragment_option(actions: Actions, name: str) -> bool:
    """An option of a fragment program. The same fog or precision may be asked for twice, two of
    them may not."""
    program = actions.program
    if name.startswith(_FOG):
        mode = name[len(_FOG) :]
        if mode not in ("linear", "exp", "exp2") or program.fog not in ("", mode):
            return False
        program.fog = mode
    elif name.startswith(_HINT):
        hint = name[len(_HINT) :]
        if hint not in ("nicest", "fastest") or program.precision not in ("", hint):
            return False
        program.precision = hint
    elif name in ("ARB_draw_buffers", "ATI_draw_buffers"):
        actions.draw_buffers = True
    elif name == "ARB_fragment_program_shadow":
        actions.lexer.options.add("shadow")
    elif name == "ARB_fragment_coord_origin_upper_left":
        program.origin_upper_left = True
    elif name == "ARB_fragment_coord_pixel_center_integer":
        program.pixel_center_integer = True
    else:
        return False
    return True


__all__ = ["fragment_option", "vertex_option"]
