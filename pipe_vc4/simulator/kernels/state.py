# SPDX-License-Identifier: MIT
"""What is known of a program at one word as its code is made."""
from __future__ import annotations

from typing import NamedTuple


class Untranslatable(Exception):
    """A program that the numpy simulator has to run."""


class Ended(Exception):
    """What follows is never reached: the words before it fail in every lane."""


class UnitState(NamedTuple):
    """A TMU: coordinates given (bits), set-up words given, results that wait."""

    given: int = 0
    words: int = 0
    results: int = 0


class State(NamedTuple):
    """Where a block begins, and what stands in no lane."""

    at: int
    #: uniforms read since the stream's address was last set, and whether the shader set it
    uniform: int
    moved: bool
    #: the word behind a thread switch at which the other thread runs, -1: none
    switched: int
    units: tuple[UnitState, UnitState]
    #: varyings and set-ups of the stencil, or rows of the VPM to be read, the next one written and
    #: the steps between those
    side: tuple[object, ...]


__all__ = ["Ended", "State", "UnitState", "Untranslatable"]
