# SPDX-License-Identifier: MIT
"""What of a random scene makes it differ from the peer: `narrow.py random_17 [--seed BASE]`.

Leaves out batches, then groups of state (SCENES_BATCHES, SCENES_WITHOUT of random.c) as long as the
two pictures still disagree, and prints what is left, with a PNG of it (peer | ours | difference).
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
if str(HERE.parents[1]) not in sys.path:  # when run as a program
    sys.path.insert(0, str(HERE.parents[1]))

from tests.pictures import compare  # noqa: E402

BATCHES = [str(n) for n in range(7)]


def group_names() -> list[str]:
    """The groups of random.c, in its order."""
    return re.findall(r'^    \{"(\w+)", set_', (HERE / "random.c").read_text(), re.MULTILINE)


class Narrowing:
    """One scene on both drivers, less and less of it."""

    def __init__(self, program: pathlib.Path, display: str, scene: str, seed: int) -> None:
        self.program, self.display, self.scene = program, display, scene
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="narrow"))
        self.trouble = ""
        self.seed = {"SCENES_SEED": str(seed)}

    def verdict(self, batches: list[str], without: list[str]) -> compare.Verdict:
        """How the pictures differ when only this is drawn."""
        chosen = {"SCENES_BATCHES": ",".join(batches), "SCENES_WITHOUT": ",".join(without)}
        drawn, folders = [], []
        sides = compare.peer_env(self.display), compare.our_env(self.display)
        for name, env in zip(("peer", "ours"), sides):
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            env = env | self.seed | chosen
            if "MESA_SHADER_CACHE_DIR" in os.environ:
                env["MESA_SHADER_CACHE_DIR"] = os.environ["MESA_SHADER_CACHE_DIR"]
            drawn.append(compare.draw_some(self.program, env, folder, [self.scene]))
            folders.append(folder)
        return compare.judge(drawn[0], drawn[1], *folders)[0]

    def bad(self, batches: list[str], without: list[str]) -> bool:
        verdict = self.verdict(batches, without)
        return not verdict.passed and verdict.trouble == self.trouble

    @staticmethod
    def fewer(things: list[str], still: Callable[[list[str]], bool]) -> list[str]:
        """Leave out what can be left out: first in large pieces, at the end one by one."""
        left, size = list(things), len(things) // 2
        while size:
            at = 0
            while at < len(left):
                some = left[:at] + left[at + size :]
                if still(some):
                    left = some
                else:
                    at += size
            size //= 2
        return left

    def run(self) -> str:
        """The smallest scene found that still disagrees, in words."""
        first = self.verdict(BATCHES, [])
        self.trouble = first.trouble
        if first.passed:
            return f"{self.scene}: agrees"
        without: list[str] = []
        batches = self.fewer(BATCHES, lambda left: bool(left) and self.bad(left, without))
        names = group_names()
        left = self.fewer(
            names, lambda some: self.bad(batches, [name for name in names if name not in some])
        )
        without = [name for name in names if name not in left]
        last = self.verdict(batches, without)
        out = self.folder / "png"
        compare.save_pictures([last], self.folder / "peer", self.folder / "ours", out, True)
        return "\n".join(
            [
                f"{first.row()}\n{last.row()}",
                f"  batches {','.join(batches)}, groups {' '.join(left)}  {out}",
                f"  SCENES_BATCHES={','.join(batches)} SCENES_WITHOUT={','.join(without)}"
                f" SCENES_SEED={self.seed['SCENES_SEED']}",
            ]
        )


def main() -> None:
    """Narrow down the named scenes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    display = os.environ.get("DISPLAY")
    with tempfile.TemporaryDirectory() as folder:
        program = compare.compile_client(pathlib.Path(folder))
        if display:
            for scene in arguments.scenes:
                print(Narrowing(program, display, scene, arguments.seed).run(), flush=True)
            return
        with compare.private_server() as server:
            for scene in arguments.scenes:
                print(Narrowing(program, server.name, scene, arguments.seed).run(), flush=True)


if __name__ == "__main__":
    main()
