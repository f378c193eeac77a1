# SPDX-License-Identifier: MIT
"""TABLE: the two languages, one for each stage that has one.

In: nothing. Out: `LANGUAGES`, by the name of the stage (pydri/nir/stages.py).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.prog.limits import Limits


class Language(NamedTuple):
    """The language of a stage's programs."""

    letter: str  # as in `languages` of opcodes.py
    header: str  # a program begins so
    title: str  # as listings call it
    limits: Limits
    #: programs look up textures, and their instructions are counted apart
    textures: bool


LANGUAGES: Final = {
    "vertex": Language("v", "!!ARBvp1.0", "Vertex", Limits(), False),
    "fragment": Language(
        "f", "!!ARBfp1.0", "Fragment", Limits(attributes=32, address_registers=0), True),
}  # fmt: skip
STAGE_OF: Final = {row.letter: stage for stage, row in LANGUAGES.items()}

__all__ = ["LANGUAGES", "Language", "STAGE_OF"]
