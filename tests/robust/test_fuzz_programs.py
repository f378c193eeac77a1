# SPDX-License-Identifier: MIT
"""ARB programs by seed: random calls of their entry points beside the peer (fuzz_programs.py), and
strings by the grammar. More: `python -m tests.robust.fuzz_programs SEED COUNT`.
"""

import pytest

from tests import host
from tests.robust import fuzz_peer, fuzz_programs
from tests.unit.prog.programs import of_piglit

pytestmark = [
    pytest.mark.x11, pytest.mark.slow, pytest.mark.needs("piglit", "libgl1-mesa-dri", "libgl1"),
]  # fmt: skip


def test_random_calls_agree(pair: fuzz_peer.Pair) -> None:
    corpus = of_piglit()
    found = [fuzz_programs.report(pair, seed, corpus) for seed in host.seeds(range(1, 31), 160)]
    assert not any(found), "\n".join(filter(None, found))


def test_numbers_that_the_peer_takes_badly(pair: fuzz_peer.Pair) -> None:
    """Indices that one more would bring to 0, sizes of strings that are no sizes: errors."""
    ours = pair.sides[0]
    most, four = (1 << 32) - 1, ("c", "f", [1.0] * 4)
    calls: list[fuzz_peer.Call] = [
        ("glProgramLocalParameter4fvARB", (0x8620, most, four)),
        ("glNamedProgramLocalParameter4fvEXT", (1, 0x8620, most, four)),
        ("glProgramLocalParameters4fvEXT", (0x8620, most, 1, four)),
        ("glProgramEnvParameters4fvEXT", (0x8620, most - 1, 2, four)),
        ("glProgramLocalParameters4fvEXT", (0x8620, 1, -1, four)),
        ("glGetProgramLocalParameterfvARB", (0x8620, most, fuzz_programs.ANSWER)),
        ("glGetProgramLocalParameterdvARB", (0x8620, 2048, fuzz_programs.ANSWER)),
        ("glProgramStringARB", (0x8620, 0x8875, -5, ("s", "!!ARBvp1.0 END"))),
        ("glNamedProgramStringEXT", (1, 0, 0x8875, 14, ("s", "!!ARBvp1.0 END"))),
    ]
    values, operation, enum = 0x501, 0x502, 0x500
    assert [heard[0] for heard in ours.play(calls)] == [*[values] * 7, operation, enum]
