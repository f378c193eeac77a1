# SPDX-License-Identifier: MIT
"""MXCSR, the CPU's word of how floats are computed, around kernels and what kernels call.

Where kernels are entered and left are doors (doors.py): on the way in they put a word of our own
into MXCSR, on the way out the caller's back. A kernel knows nothing of them: who asks for an
exported one gets the door in front of it if it, or a kernel that it calls, computes with floats; a
call through a `Hook` (types.py) goes out by a door that gives Python the word it expects; Python
entries have theirs in libgl_shim/core.py. So what the program has in MXCSR (rounding, unmasked
exceptions, denormals) neither changes a picture nor traps in our code, and it finds its control
bits again.

Words: `C`, what every C program begins with, for state of GL, which is stored as it is given;
`FLUSH` where pictures are computed: denormals count as zero and become zero, as on GPUs and in the
peer, because the CPU computes them by microcode, some hundred cycles each.

Flags that exceptions raise (the low six bits) stay raised, as behind any library function: control
bits change in three nanoseconds, but where flags were put back as well a draw took ninety more.
Answers to Mesa's util_fpstate_set_denorms_to_zero (util/u_math.c).
"""

from __future__ import annotations

from typing import NamedTuple

FLAGS = 0x3F
CONTROL = 0xFFC0
#: round to nearest even, all exceptions masked, denormals are numbers
C = 0x1F80
#: the same with FTZ and DAZ: denormal results are zero, denormal operands are read as zero
FLUSH = 0x9FC0


class Floats(NamedTuple):
    """How the kernels of a module compute: the word, whether its exports have doors, and which of
    them have none though others do, since only kernels with that word call them; `outside` are
    those that run with the caller's word, as they compute nothing: doors are in front of what they
    call, so that a call which finds nothing to do passes none.
    """

    word: int
    doors: bool
    without: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    @property
    def attributes(self) -> str:
        """What LLVM must know of it, to fold constants as the machine would."""
        return ' "denormal-fp-math"="preserve-sign,preserve-sign"' if self.word == FLUSH else ""


#: kernels of GL's state
EXACT = Floats(C, True)
#: kernels that compute pictures and are called from outside
FLUSHED = Floats(FLUSH, True)
#: those that only such kernels call, by address
INSIDE = Floats(FLUSH, False)
