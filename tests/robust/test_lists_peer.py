# SPDX-License-Identifier: MIT
"""What the peer keeps in display lists, we keep: a call that is no good says so when it is executed
(GL 2.1, 5.4), so one that fails while a list is compiled has been executed at once."""

import random
import re

import pytest

from pydri.vbo.listable import proxies
from tests import host
from tests.robust import fuzz_peer
from tests.robust.fuzz_arguments import Arguments
from tests.robust.fuzz_registry import registry

pytestmark = [
    pytest.mark.x11, pytest.mark.slow, pytest.mark.needs("libgl1-mesa-dri", "libgl1"),
    pytest.mark.timeout(600),
]  # fmt: skip
TRIES = 6 if host.tier() == "long" else 2  # calls of each command
#: what is asked runs at once (GL 2.1, 5.4)
QUERIES = re.compile(r"gl(Get|Is|Are|Check|(New|End)List)")


def is_proxied(call: fuzz_peer.Call) -> bool:
    """Executed at once, too (5.4); the peer knows one proxy of each command alone."""
    return any(isinstance(value, int) and value in proxies(call[0]) for value in call[1][:2])


def heard_of(pair: fuzz_peer.Pair, calls: list[fuzz_peer.Call]) -> list[tuple[int, int]]:
    """The errors of both sides; none where one dies."""
    try:
        return [(mine[0], theirs[0])
                for mine, theirs in zip(*(side.play(calls) for side in pair.sides))]  # fmt: skip
    except fuzz_peer.Died:
        return []


def test_what_the_peer_keeps_we_keep(pair: fuzz_peer.Pair) -> None:
    executed, kept = [], 0
    for name in fuzz_peer.swept(fuzz_peer.unwritten()):
        if QUERIES.match(name):
            continue
        command = registry().commands[name]
        made = [(name, Arguments(random.Random(f"{name}{n}"), True).of(command))
                for n in range(TRIES)]  # fmt: skip
        refused = [call for call, errors in zip(made, heard_of(pair, made)) if all(errors)]
        calls = [step for call in refused
                 for step in (("glNewList", (1, 0x1300)), call, ("glEndList", ()))]  # fmt: skip
        for call, (mine, theirs) in zip(refused, heard_of(pair, calls)[1::3]):
            if not theirs and not is_proxied(call):
                kept += 1
                if mine:
                    executed.append(f"{fuzz_peer.line(*call)}: {mine:#x}")
    assert not executed, "\n".join(executed)
    assert kept > 100 * TRIES
