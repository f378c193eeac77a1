# SPDX-License-Identifier: MIT
"""Random shaders for VC4: `python -m tests.robust.fuzz_vc4 SEED COUNT`.

COUNT vertex and fragment shaders by turns, from seed SEED on, without operations of the SFU: the
interpreters of nir and of QIR and the simulated QPU, running the words, agree in every bit. Of four
shaders one is four times as long, so that registers run out: then values are made again, or
NoRegister says so; nothing else. Of eight shaders one is the shortest of all tries of the code
emitter, the others its first try, which is as right and costs a third. A line `seed N ...` tells of
each shader that does otherwise, the last line how many found no registers.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator

from pipe_vc4.emit.generate import TRIES
from tests.unit.pipe_vc4.emit.test_from_nir import fragments_agree, vertices_agree

KINDS = (vertices_agree, fragments_agree)
PRESSED = 4  # of so many seeds one
TIMES = 4  # as long
THOROUGH = 8  # of so many seeds one has all tries
TOLD = 50  # shaders between two lines of stderr that say how many are done


def agrees(seed: int) -> bool:
    """Whether a shader could be compiled; AssertionError: what it computes is not the same."""
    tries = 1 if seed // 8 % THOROUGH else len(TRIES)
    return KINDS[seed % 2](seed, 1 if seed // 2 % PRESSED else TIMES, tries)


def play(seed: int, count: int) -> Iterator[tuple[int, str, bool]]:
    """Of each shader its seed, what is wrong with it ("": nothing), whether it has registers."""
    for number in range(seed, seed + count):
        try:
            yield number, "", agrees(number)
        except Exception:
            yield number, traceback.format_exc(limit=-3), True


def main(seed: int, count: int) -> int:
    """What is wrong is told as soon as it is found; 1 if anything is."""
    wrong = few = 0
    for number, text, has_registers in play(seed, count):
        wrong, few = wrong + bool(text), few + (not has_registers)
        if text:
            print(f"seed {number} {text}", flush=True)
        if (number + 1 - seed) % TOLD == 0:
            print(f"{number + 1 - seed} of {count}", file=sys.stderr, flush=True)
    print(f"{count} shaders: {wrong} wrong, {few} without registers")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
