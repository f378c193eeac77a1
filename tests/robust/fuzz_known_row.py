# SPDX-License-Identifier: MIT
"""What a row of fuzz_known.py is made of."""

from collections.abc import Callable
from typing import Any, NamedTuple

Call = tuple[str, tuple[Any, ...]]
Heard = list[Any]  # of a call: error, result, what stands in its room for answers
FAILS = -1  # of a row: the side has an error, of whatever kind


class Known(NamedTuple):
    """A difference: of commands (a pattern, matched from the beginning) between errors of ours and
    the peer's (None: any, or none; FAILS: any), where `when` holds of the arguments and, of an
    answer, `by` of the peer's number less ours. kind is "error" or "answer"; "drawing": both take
    the call, or refuse it, and what is drawn then differs, so that no episode has it.
    """

    kind: str
    command: str
    ours: int | None
    peers: int | None
    why: str
    example: tuple[Call, ...]
    when: Callable[[tuple[Any, ...]], bool] = lambda values: True
    by: tuple[int, ...] = ()  # of numbers below 2^31; (): whatever is answered
    apart: Callable[[Heard, Heard], bool] = lambda mine, theirs: True  # of answers
    context: str = "compat"  # what the example is played in (fuzz_contexts.py)
