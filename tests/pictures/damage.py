# SPDX-License-Identifier: MIT
"""What the table of pictures catches: `python -m tests.pictures.damage [--every N] [--missed]`.

In: our pictures (drawn now, or a folder of them), their judges' and the table. Each picture is
damaged in each of the ways below and given to the table as it is here. Out: a line for each kind of
damage: how many scenes it changes at all and how many of these pass (none may: the digest sees each
bit); how many it changes by more than FEW pixels beyond the tolerance, and how many of these pass
their row's figures alone, which is what stands between a new picture and its digest. The exit
status is 1 if something passes, or if a kind of damage passes strict figures in more than five
scenes of 445; loose figures (table.py) are only counted.
"""

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.pictures import compare, measure, table
from tests.pictures.measure import Colors, Picture

FEW = 5  # pixels: what changes no more is not asked for
MISSED = 5 / 445  # of the scenes: as many may miss a kind of damage
Damage = Callable[[Colors, np.random.Generator], Colors]


def _spots(shape: tuple[int, ...], share: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    return rng.random(shape[:2]) < share


def magenta(colors: Colors, rng: np.random.Generator) -> Colors:
    """0.45 % of the pixels."""
    colors[_spots(colors.shape, 0.0045, rng)] = (255, 0, 255, 255)
    return colors


def row_inverted(colors: Colors, rng: np.random.Generator) -> Colors:
    """One whole row."""
    at = rng.integers(colors.shape[0])
    colors[at] = 255 - colors[at]
    return colors


def black_column(colors: Colors, rng: np.random.Generator) -> Colors:
    """x = 64: a seam between tiles."""
    colors[:, 64] = (0, 0, 0, 255)
    return colors


def quads_of_garbage(colors: Colors, rng: np.random.Generator) -> Colors:
    """2 x 2 pixels, 0.45 % of the picture."""
    height, width = (n // 2 * 2 for n in colors.shape[:2])
    spots = _spots((height // 2, width // 2), 0.0045, rng).repeat(2, 0).repeat(2, 1)
    area = colors[:height, :width]
    area[spots] = rng.integers(0, 256, (int(spots.sum()), 4), np.uint8)
    return colors


def median(colors: Colors, rng: np.random.Generator) -> Colors:
    """Of 3 x 3: what is thin is gone."""
    padded = np.pad(colors, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = colors.shape[:2]
    around = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    return np.median(np.stack(around), axis=0).astype(np.uint8)


def brighter(colors: Colors, rng: np.random.Generator) -> Colors:
    """Everything by 2."""
    return np.minimum(colors.astype(np.int16) + 2, 255).astype(np.uint8)


def brighter_by_one(colors: Colors, rng: np.random.Generator) -> Colors:
    """Everything by 1."""
    return np.minimum(colors.astype(np.int16) + 1, 255).astype(np.uint8)


def blank(colors: Colors, rng: np.random.Generator) -> Colors:
    """Nothing but the background."""
    colors[:] = colors[0, 0]
    return colors


def shifted(colors: Colors, rng: np.random.Generator) -> Colors:
    """The picture, a pixel to the right."""
    return np.roll(colors, 1, axis=1)


def last_row_twice(colors: Colors, rng: np.random.Generator) -> Colors:
    """The lowest row is the one above it."""
    colors[-1] = colors[-2]
    return colors


def stamp_missing(colors: Colors, rng: np.random.Generator) -> Colors:
    """A block of 4 x 4 shows the background."""
    return _missing(colors, rng, 4)


def tile_missing(colors: Colors, rng: np.random.Generator) -> Colors:
    """A tile of 64 x 64 shows the background."""
    return _missing(colors, rng, 64)


def _missing(colors: Colors, rng: np.random.Generator, size: int) -> Colors:
    """The block, on the grid, that has most of what is not background."""
    height, width = (n // size * size for n in colors.shape[:2])
    other = (colors[:height, :width] != colors[0, 0]).any(axis=2)
    blocks = other.reshape(height // size, size, width // size, size).sum(axis=(1, 3))
    y, x = (int(n) * size for n in np.unravel_index(int(blocks.argmax()), blocks.shape))
    colors[y : y + size, x : x + size] = colors[0, 0]
    return colors


def wrong_lane(colors: Colors, rng: np.random.Generator) -> Colors:
    """Every sixteenth pixel of the rows has its neighbour's colour."""
    colors[:, 5::16] = colors[:, 4:-1:16][:, : colors[:, 5::16].shape[1]]
    return colors


def channels_swapped(colors: Colors, rng: np.random.Generator) -> Colors:
    """Red for blue."""
    return colors[..., [2, 1, 0, 3]].copy()


def low_alpha(colors: Colors, rng: np.random.Generator) -> Colors:
    """The lower bits of alpha are lost."""
    colors[..., 3] &= 0xF8
    return colors


def row_missing(colors: Colors, rng: np.random.Generator) -> Colors:
    """The row where most is drawn shows the background."""
    at = int((colors != colors[0, 0]).any(axis=2).sum(axis=1).argmax())
    colors[at] = colors[0, 0]
    return colors


def point_missing(colors: Colors, rng: np.random.Generator) -> Colors:
    """A block of 3 x 3 anywhere in what is drawn shows the background."""
    drawn = np.argwhere((colors != colors[0, 0]).any(axis=2))
    if len(drawn):
        y, x = drawn[rng.integers(len(drawn))]
        colors[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = colors[0, 0]
    return colors


def thin_lost(colors: Colors, rng: np.random.Generator) -> Colors:
    """One run of pixels a pixel thick gets what is above it."""
    up, down = np.roll(colors, 1, axis=0), np.roll(colors, -1, axis=0)
    thin = (colors != up).any(axis=2) & (colors != down).any(axis=2)
    thin[[0, -1]] = False
    at = int(thin.sum(axis=1).argmax())
    colors[at, thin[at]] = up[at, thin[at]]
    return colors


COLORS: tuple[Damage, ...] = (
    magenta, row_inverted, black_column, quads_of_garbage, median, brighter, brighter_by_one, blank,
    shifted, last_row_twice, stamp_missing, tile_missing, wrong_lane, channels_swapped, low_alpha,
    row_missing, point_missing, thin_lost,
)  # fmt: skip


def depth_moved(picture: Picture) -> Picture:
    """Depth of the lower half by 5000 units of 2^-24, which no picture of 8 bits shows."""
    if picture.words is None:
        return picture
    words = picture.words.copy()
    half = words[words.shape[0] // 2 :]
    half ^= np.uint32(0x1400 << 8)
    return picture._replace(words=words)


def stencil_lost(picture: Picture) -> Picture:
    """The lowest bit of a block of stencil values."""
    if picture.words is None:
        return picture
    words = picture.words.copy()
    words[40:48, 40:48] ^= np.uint32(1)
    return picture._replace(words=words)


class Count(NamedTuple):
    """Of a kind of damage: in how many scenes it is what, and which these are."""

    changed: int = 0  # it changes the picture
    passed: tuple[str, ...] = ()  # and yet the table says nothing
    asked: int = 0  # it changes more than FEW pixels beyond the tolerance,
    missed: tuple[str, ...] = ()  # and strict figures say nothing
    asked_loosely: int = 0  # the same, of scenes whose figures are loose here
    missed_loosely: tuple[str, ...] = ()

    def enough(self) -> bool:
        """Whether nothing passes, and few enough scenes miss it by their strict figures alone."""
        return not self.passed and len(self.missed) <= max(1, MISSED * self.asked)


def damaged(picture: Picture, seed: int) -> dict[str, Picture]:
    """A picture in every way that is damaged here."""
    made = {}
    for number, damage in enumerate(COLORS):
        rng = np.random.default_rng([seed, number])
        made[damage.__name__] = picture._replace(colors=damage(picture.colors.copy(), rng))
    return {**made, "depth_moved": depth_moved(picture), "stencil_lost": stencil_lost(picture)}


def _counts(row: table.Row, before: Picture, after: Picture) -> bool:
    """Whether a damage is asked for: more than FEW pixels beyond the tolerance. A drift by as
    much as the tolerance is asked for where it is on everything."""
    distance = np.abs(after.colors.astype(np.int16) - before.colors).max(axis=2)
    if (distance > row.levels).sum() > FEW or (distance > 0).mean() > 0.5:
        return True
    return row.z_levels >= 0 and before.words is not after.words


class Newer(compare.Judges):
    """Judges that draw nothing of what they drew when our pictures were judged, as those of another
    Mesa may; no row was measured beside it."""

    def __init__(self, program: pathlib.Path, display: str, ours: pathlib.Path) -> None:
        super().__init__(program, display, ours)
        self.measured = {}

    def is_strict(self, name: str) -> bool:
        return False


def _judged(judges: compare.Judges, name: str, seed: int, found: dict[str, Count]) -> None:
    """Damage one picture in every way, and add to `found` who notices."""
    row, strict = judges.rows[name], judges.is_strict(name)
    ours, judge = measure.read(judges.ours, name), judges.judge(row)
    known = measure.steps(judge.colors) if judge else None
    for kind, picture in damaged(ours, seed).items():
        count = found.setdefault(kind, Count())
        if measure.digest(picture) == measure.digest(ours):
            continue
        count = count._replace(changed=count.changed + 1)
        wrong = False
        if judge:
            numbers = table.apply(row, judge, picture, known)
            wrong = any(judges.figures(row, numbers, ours.pixels))
            if _counts(row, ours, picture):
                asked, missed = ("asked", "missed") if strict else (
                    "asked_loosely", "missed_loosely")  # fmt: skip
                more = {asked: getattr(count, asked) + 1,
                        missed: (*getattr(count, missed), *[name] * (not wrong))}  # fmt: skip
                count = count._replace(**more)
        if not wrong and not judges.other(name, picture):
            count = count._replace(passed=(*count.passed, name))
        found[kind] = count


def table_of_damage(judges: compare.Judges, names: list[str]) -> dict[str, Count]:
    """Damage every picture; by kind of damage, who notices."""
    found: dict[str, Count] = {}
    for seed, name in enumerate(names):
        _judged(judges, name, seed, found)
    return found


def text(found: dict[str, Count]) -> str:
    """A table in Markdown."""
    lines = [
        "| damage | scenes it changes | pass | beyond the tolerance, strict figures"
        " | pass them alone | beyond the tolerance, loose figures | pass them alone |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, one in found.items():
        counts = (len(field) if isinstance(field, tuple) else field for field in one)
        lines.append(" | ".join(["| " + kind, *map(str, counts)]) + " |")
    return "\n".join(lines)


def main() -> int:
    """Print the table; 1 if too much passes."""
    parser = argparse.ArgumentParser(description="what the table of pictures catches")
    parser.add_argument("--every", type=int, default=1, help="take every Nth scene")
    parser.add_argument("--ours", type=pathlib.Path, help="folder of our pictures")
    parser.add_argument("--loosely", action="store_true", help="as beside a Mesa without a table")
    parser.add_argument("--missed", action="store_true", help="name the scenes that still pass")
    arguments = parser.parse_args()
    program = compare.compile_client()
    with compare.private_server() as server, tempfile.TemporaryDirectory() as scratch:
        ours = arguments.ours or pathlib.Path(scratch)
        names = compare.scene_names(program)[:: arguments.every]
        judges = (Newer if arguments.loosely else compare.Judges)(program, server.name, ours)
        judges.draw(names)
        if not arguments.ours:
            compare.draw_all(program, compare.our_env(server.name), ours)
        found = table_of_damage(judges, names)
    print(text(found))
    for kind, one in found.items():
        if arguments.missed and one.missed + one.missed_loosely:
            print(f"{kind}: {' '.join(one.missed + one.missed_loosely)}")
    return 0 if all(one.enough() for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
