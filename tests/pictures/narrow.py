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

from tests.pictures import compare, measure  # noqa: E402

BATCHES = [str(n) for n in range(7)]
LEVELS = 4  # of 255: blending over blending adds up what was rounded
Z_LEVELS = 4096  # units of 2^-24: depth of what is drawn elsewhere
FEW = 5  # pixels at edges, which two right rasterisers may give to the one or the other primitive
NOTHING = measure.Measure(*[0] * len(measure.Measure._fields))


def differs(found: measure.Measure, trouble: str) -> bool:
    """Whether it is worth a look: an error of one side's, a crash, or more than a few pixels."""
    errors = trouble.split(", ")
    wrong = found.inside > 0 or found.wrong > FEW or found.z_wrong > FEW or found.s_wrong > 0
    return errors[0] != errors[1] or wrong


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

    def verdict(self, batches: list[str], without: list[str]) -> tuple[measure.Measure, str]:
        """How the pictures differ when only this is drawn, and what else is wrong with them."""
        chosen = {"SCENES_BATCHES": ",".join(batches), "SCENES_WITHOUT": ",".join(without)}
        drawn, folders = [], []
        sides = compare.peer_env(self.display), compare.our_env(self.display)
        for name, env in zip(("peer", "ours"), sides):
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            env = env | self.seed | chosen
            drawn.append(compare.draw_some(self.program, env, folder, [self.scene])[self.scene])
            folders.append(folder)
        trouble = f"{drawn[0].error}, {drawn[1].error}"
        if drawn[0].crashed or drawn[1].crashed:
            return NOTHING, trouble
        pair = [measure.read(folder, self.scene) for folder in folders]
        return measure.measure(pair[0], pair[1], LEVELS, Z_LEVELS), trouble

    def bad(self, batches: list[str], without: list[str]) -> bool:
        found, trouble = self.verdict(batches, without)
        return differs(found, trouble) and trouble == self.trouble

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
        first, self.trouble = self.verdict(BATCHES, [])
        if not differs(first, self.trouble):
            return f"{self.scene}: agrees"
        without: list[str] = []
        batches = self.fewer(BATCHES, lambda left: bool(left) and self.bad(left, without))
        names = group_names()
        left = self.fewer(
            names, lambda some: self.bad(batches, [name for name in names if name not in some])
        )
        without = [name for name in names if name not in left]
        last, _ = self.verdict(batches, without)
        out = self.folder / f"{self.scene}.png"
        if "exit" not in self.trouble:
            pair = [measure.read(self.folder / side, self.scene) for side in ("peer", "ours")]
            out.write_bytes(compare.side_by_side(pair[0].colors, pair[1].colors))
        return "\n".join(
            [
                f"{self.scene} {self.trouble}\n  {first}\n  {last}",
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
    program = compare.compile_client()
    if display:
        for scene in arguments.scenes:
            print(Narrowing(program, display, scene, arguments.seed).run(), flush=True)
        return
    with compare.private_server() as server:
        for scene in arguments.scenes:
            print(Narrowing(program, server.name, scene, arguments.seed).run(), flush=True)


if __name__ == "__main__":
    main()
