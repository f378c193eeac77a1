# SPDX-License-Identifier: MIT
"""A program that makes random, well-typed GL calls: `fuzz.py SEED COUNT [NOTES [THREADS [KIND]]]`,
in contexts of a kind (fuzz_contexts.py).

In: the calls of fuzz_calls.py. Every argument has its C type; pointers are valid and what lies
behind them is large enough; enums and numbers are mostly meaningful, often not. So whatever
happens, the driver may answer with GL errors and with any picture, and with nothing else.

The calls depend on the seed alone, not on answers. The number of the call under way stands in the
file NOTES (8 bytes a thread), so after a crash `python fuzz.py --show SEED COUNT` prints what led
to it. `fuzz.py --coverage SEEDS COUNT` prints how often each feature group is called by the seeds
from 1 on.
"""

import collections
import itertools
import mmap
import os
import struct
import sys
import threading
from typing import Any

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tests.robust import fuzz_contexts
from tests.robust.fuzz_modern import tale
from tests.robust.fuzz_player import Player, player_of
from tests.robust.fuzz_registry import registry

SIZE = 200  # of the window


def tell(player: Player, which: int, context: Any, seed: int, count: int, place: Any) -> None:
    """Make the calls of a seed in a context; their number goes to `place`."""
    window = player.windows[which]
    player.current(window, context)
    for number, (name, values) in enumerate(itertools.islice(tale(seed), count)):
        struct.pack_into("<Q", place, 8 * which, number)
        player.call(name, values)
    player.call("glFinish", ())
    player.swap(which)
    struct.pack_into("<Q", place, 8 * which, count)


def run(seed: int, count: int, notes: str, threads: int = 1) -> None:
    """Make the calls: of `seed`, and in a second thread those of seed + 1000."""
    player = player_of(SIZE, accumulation=True)
    contexts: list[Any] = []
    for _ in range(threads):
        player.window()
        contexts.append(player.context(contexts[-1] if contexts else None))
    place: Any = bytearray(16)
    if notes:
        with open(notes, "w+b") as file:
            file.truncate(16)
            place = mmap.mmap(file.fileno(), 16)
    workers = [
        threading.Thread(target=tell, args=(player, n, contexts[n], seed + 1000 * n, count, place))
        for n in range(1, threads)
    ]
    for worker in workers:
        worker.start()
    tell(player, 0, contexts[0], seed, count, place)
    for worker in workers:
        worker.join()


def line(name: str, values: tuple[Any, ...]) -> str:
    """A call as text."""
    shown = []
    for value in values:
        if isinstance(value, list | tuple) and value[0] == "m":
            shown.append(f"memory+{value[1]:#x}")
        else:
            shown.append(hex(value) if isinstance(value, int) and value > 255 else repr(value))
    return f"{name}({', '.join(shown)})"


def show(seed: int, last: int, how_many: int = 40) -> str:
    """The calls up to a number."""
    calls = itertools.islice(enumerate(tale(seed)), last + 1)
    recent = collections.deque(calls, maxlen=how_many)
    return "\n".join(f"{number}: {line(*call)}" for number, call in recent)


def coverage(seeds: range, count: int) -> collections.Counter[str]:
    """Command -> how often the seeds call it."""
    called: collections.Counter[str] = collections.Counter()
    for seed in seeds:
        called.update(name for name, _ in itertools.islice(tale(seed), count))
    return called


def by_group(called: collections.Counter[str]) -> dict[str, int]:
    """The same by feature group."""
    return {
        group: sum(called[name] for forms in families.values() for name in forms)
        for group, families in registry().groups.items()
    }


def table(called: collections.Counter[str]) -> str:
    """Groups with their calls, and the commands of groups that nobody called."""
    lines = []
    for group, number in sorted(by_group(called).items()):
        forms = [name for names in registry().groups[group].values() for name in names]
        lines.append(f"{number:8,} calls of {len(forms):4} commands  {group}")
    return "\n".join(lines)


def main() -> None:
    """What the arguments say."""
    if sys.argv[1] == "--show":
        print(show(int(sys.argv[2]), int(sys.argv[3])))
    elif sys.argv[1] == "--coverage":
        print(table(coverage(range(1, 1 + int(sys.argv[2])), int(sys.argv[3]))))
    else:
        notes = sys.argv[3] if len(sys.argv) > 3 else ""
        threads = int(sys.argv[4]) if len(sys.argv) > 4 else 1
        fuzz_contexts.use(sys.argv[5] if len(sys.argv) > 5 else "compat")
        run(int(sys.argv[1]), int(sys.argv[2]), notes, threads)
        print("ok")


if __name__ == "__main__":
    main()
