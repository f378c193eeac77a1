# SPDX-License-Identifier: MIT
"""How programs end whose X server dies: `python -m tests.robust.server_dies [--runs N] [--side S]`.

In: glxgears on a side ("ours", "peer"), several at once on one server, which is told to end at a
moment that nobody chooses. Out: how many ended with each status. With --strace the last calls of
those that a signal ended.
"""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

HERE = os.path.dirname(os.path.abspath(__file__))
if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.dirname(HERE))

from tests import host  # noqa: E402

AT_ONCE = 4
_TRACE = ["strace", "-f", "-k", "-e", "trace=write,writev,sendmsg,sendto", "-o"]


def ends(side: str, seconds: float, trace: str = "", **more: str) -> Iterator[int]:
    """The exit statuses of AT_ONCE programs that ran for so long when their server died."""
    with host.XServer("800x600") as server:
        library = host.compile_client(os.path.join(HERE, "writev.c"), "-shared", "-fPIC", "-ldl")
        env = host.side(side, server.name, LD_PRELOAD=library, **more)
        running = []
        for number in range(AT_ONCE):
            tracer = [*_TRACE, f"{trace}.{number}"] if trace else []
            running.append(
                subprocess.Popen(
                    [*tracer, "glxgears"], env=env, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
            )
        time.sleep(seconds)
    for process in running:
        try:
            yield process.wait(60)
        finally:
            host.end(process)


def main() -> None:
    """Count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--side", choices=("ours", "peer"), action="append")
    parser.add_argument("--least", type=float, default=1.5, help="seconds until the server dies")
    parser.add_argument("--most", type=float, default=2.5)
    parser.add_argument("--cold", action="store_true", help="no compiled code is there")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--strace", action="store_true")
    arguments = parser.parse_args()
    for side in arguments.side or ("peer", "ours"):
        found: collections.Counter[int] = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace") if arguments.strace else ""
            while found.total() < arguments.runs:
                seconds = random.uniform(arguments.least, arguments.most)
                more = dict(word.split("=", 1) for word in arguments.set)
                if arguments.cold:
                    more["MESA_SHADER_CACHE_DIR"] = tempfile.mkdtemp(dir=folder)
                for number, status in enumerate(ends(side, seconds, trace, **more)):
                    found[status] += 1
                    if trace and status < 0:
                        with open(f"{trace}.{number}") as file:
                            print(*file.readlines()[-40:], sep="", flush=True)
        print(f"{side}: {dict(found.most_common())} (status: programs)", flush=True)


if __name__ == "__main__":
    main()
