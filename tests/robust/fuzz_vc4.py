# SPDX-License-Identifier: MIT
"""Random shaders for VC4: `python -m tests.robust.fuzz_vc4 SEED COUNT`.

COUNT vertex and fragment shaders by turns, from seed SEED on, without operations of the SFU: the
interpreters of nir and of QIR and the simulated QPU, running the words, agree in every bit. Of four
shaders one is four times as long, so that registers run out: then values are made again, or
NoRegister says so; nothing else. A line `seed N ...` tells of each shader that does otherwise, the
last line how many found no registers.
"""

from __future__ import annotations

import sys
import traceback

from tests.unit.pipe_vc4.emit.test_from_nir import fragments_agree, vertices_agree

KINDS = (vertices_agree, fragments_agree)
PRESSED = 4  # of so many seeds one
TIMES = 4  # as long


def agrees(seed: int) -> bool:
    """Whether a shader could be compiled; AssertionError: what it computes is not the same."""
    return KINDS[seed % 2](seed, 1 if seed // 2 % PRESSED else TIMES)


def play(seed: int, count: int) -> tuple[list[str], int]:
    """What is wrong, a text a shader, and how many shaders found no registers."""
    wrong, without = [], 0
    for number in range(seed, seed + count):
        try:
            without += not agrees(number)
        except Exception:
            wrong.append(f"seed {number} {traceback.format_exc(limit=-3)}")
    return wrong, without


if __name__ == "__main__":
    found, few = play(int(sys.argv[1]), int(sys.argv[2]))
    print(*found, sep="\n")
    print(f"{sys.argv[2]} shaders: {len(found)} wrong, {few} without registers")
    sys.exit(bool(found))
