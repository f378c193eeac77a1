# SPDX-License-Identifier: MIT
"""The checked-in table of pictures: for each scene who judges it and how far ours may be from that.

In: table-MESA.tsv beside this file, one for each version of the peer (`22.3`); columns are tabs, a
line that begins with # is a comment. Out: rows, and what is wrong with a measured picture.

The judge of a scene is one of:
    peer          the peer's picture of this scene (Mesa's llvmpipe)
    peer:OTHER    the peer's picture of the scene OTHER, which must look the same: drawn magnified
                  and made small, or from what the peer does right
    softpipe      Mesa's other rasteriser, where llvmpipe is the one that is wrong
    numpy         a function of oracles.py, from GL's formulas and the peer's pictures of its inputs
    ours:OTHER    our picture of another scene, which is judged itself; for invariants only

A row is a ratchet. What is counted in pixels may get worse by SLACK pixels, no more: then the
test fails. If it gets better by more, the test fails too and prints the row to put in its place.

The peer rounds by approximations whose last bits are a processor's own (rsqrtps and its kin), and
each of its versions draws something otherwise. Ours are the same bit for bit on every processor and
beside every Mesa. So digests.tsv keeps for each scene the digest of our picture that was judged,
and that of the judge's picture by which it was. A picture of ours that is another one fails
everywhere, by a single bit. Where the judge's picture is the one of then, whatever machine this is,
the row's figures are asked strictly. Elsewhere how many pixels differ at all, and their drift, are
not asked, and beside a version that has no row of its own a share of the pixels may be wrong.

A digest is no expectation that fulfils itself: `compare.py --record` writes one only for a picture
that holds against the very picture of its judge by which the row was measured, or for which
`--judge` names who has looked at it; the column `judged` says where, and who. That judge is asked
in every run, too, where it draws that picture.
"""

import functools
import pathlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scripts import host
from tests.pictures.measure import Measure, Picture, measure

HERE = pathlib.Path(__file__).resolve().parent
REFERENCE = host.REFERENCE_PEER  # whose table is made first
SLACK = 5  # pixels
PART = 0.05  # of the pixels that differ by a rounding: these depend on the processor a little
LEVELS = 2  # of 255: two correct drivers may round differently
Z_LEVELS = 2  # units of 2^-24
LOOSE_SHARE = 0.01  # of the pixels, where no table is for this peer
PLAIN_WRONG, PLAIN_INSIDE = 30, 5  # pixels: a row with more says why
DIGESTS = HERE / "digests.tsv"


class Row(NamedTuple):
    """A line of the table: a scene, its judge, its tolerance, what was measured, why."""

    scene: str
    judge: str
    levels: int  # of 255
    z_levels: int  # units of 2^-24; -1: depth and stencil are not compared
    measured: Measure
    processor: str  # its maker, on whose processor that was measured
    reason: str

    @property
    def explained(self) -> bool:
        """Whether it is plain, or says why not: another judge, or differences in more than a few
        places."""
        plain = self.measured.wrong <= PLAIN_WRONG and self.measured.inside <= PLAIN_INSIDE
        return bool(self.reason) or (self.judge == "peer" and plain)

    def text(self) -> str:
        """The line, without its end."""
        fields = [self.scene, self.judge, self.levels, self.z_levels, *self.measured]
        return "\t".join(map(str, [*fields, self.processor, self.reason]))


HEAD = "\t".join(["scene", "judge", "levels", "z_levels", *Measure._fields, "processor", "reason"])
# What may be that many pixels worse, and nothing else.
COUNTED = ("wrong", "inside", "z_wrong", "s_wrong")


def path_of(version: str) -> pathlib.Path:
    """The table for a peer's version ("22.3")."""
    return HERE / f"table-{version}.tsv"


def parse(line: str) -> Row:
    """A row of a line. ValueError if it has another number of columns."""
    scene, judge, levels, z_levels, *rest = line.rstrip("\n").split("\t")
    counts = len(Measure._fields)
    if len(rest) != counts + 2:
        raise ValueError(f"{4 + len(rest)} columns instead of {6 + counts}: {line}")
    measured = Measure(*map(int, rest[:counts]))
    return Row(scene, judge, int(levels), int(z_levels), measured, *rest[counts:])


@functools.cache
def processor() -> str:
    """The maker of this machine's processor, as /proc/cpuinfo has it ("GenuineIntel")."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("vendor_id"):
            return line.partition(":")[2].strip()
    return ""


def read(path: pathlib.Path) -> dict[str, Row]:
    """The rows of a table by scene. ValueError if a scene has two."""
    rows: dict[str, Row] = {}
    for line in path.read_text().splitlines():
        if line.startswith("#") or line == HEAD:
            continue
        row = parse(line)
        if row.scene in rows:
            raise ValueError(f"two rows for {row.scene}")
        rows[row.scene] = row
    return rows


def write(path: pathlib.Path, rows: list[Row], comment: str) -> None:
    """A table with its heading; a line of comment says where the numbers are from."""
    lines = [f"# {comment}", HEAD, *(row.text() for row in rows)]
    path.write_text("\n".join(lines) + "\n")


class Known(NamedTuple):
    """A picture of ours that was judged, and by whom."""

    scene: str
    ours: str  # measure.digest of it
    judge: str  # and of its judge's picture
    judged: str  # where: "22.3 GenuineIntel"; and by whom, where that was a person


def read_digests() -> dict[str, Known]:
    """The judged pictures by scene. ValueError if a scene has two."""
    known: dict[str, Known] = {}
    for line in DIGESTS.read_text().splitlines():
        if line.startswith("#"):
            continue
        one = Known(*line.split("\t"))
        if one.scene in known:
            raise ValueError(f"two digests of {one.scene}")
        known[one.scene] = one
    return known


def write_digests(known: Iterable[Known]) -> None:
    """The judged pictures, a line each."""
    head = "# Scene, digests of our judged picture and its judge's, where (by whom): table.py"
    DIGESTS.write_text("\n".join([head, *("\t".join(one) for one in known)]) + "\n")


def apply(
    row: Row, judge: Picture, ours: Picture, judge_steps: npt.NDArray[np.int16] | None = None
) -> Measure:
    """Measure a picture as its row wants it. ValueError if the sizes differ."""
    if row.z_levels < 0:
        judge = judge._replace(words=None)
    return measure(judge, ours, row.levels, max(row.z_levels, 0), judge_steps)


def worse(row: Row, found: Measure, strictly: bool = True) -> list[str]:
    """What is worse than the row says, in words; none: nothing. The judge's last bits count
    strictly alone: beside the picture by which the row was measured."""
    wrong = []
    for name in COUNTED:
        before, now = getattr(row.measured, name), getattr(found, name)
        if now > before + SLACK:
            wrong.append(f"{name} {before} -> {now}")
    if not strictly:
        return wrong
    before = row.measured
    rounded = SLACK + int(PART * before.differ)
    if found.differ > before.differ + rounded:
        wrong.append(f"differ {before.differ} -> {found.differ}")
    if abs(found.drift - before.drift) > 4 * rounded:
        wrong.append(f"drift {before.drift} -> {found.drift}")
    return wrong


def better(row: Row, found: Measure) -> list[str]:
    """What is so much better than the row says that the row must follow; none: nothing."""
    return [
        f"{name} {getattr(row.measured, name)} -> {getattr(found, name)}"
        for name in COUNTED
        if getattr(found, name) < getattr(row.measured, name) - SLACK
    ]


def loosely(row: Row, found: Measure, pixels: int) -> list[str]:
    """What is wrong where the peer is of a version that no table is for.

    The reference's rows say who judges and the tolerance; of the pixels a share more may be
    wrong, because nobody has looked at what that version does otherwise."""
    spare = int(LOOSE_SHARE * pixels)
    return [
        f"{name} {getattr(row.measured, name)} -> {getattr(found, name)}"
        for name in COUNTED
        if getattr(found, name) > getattr(row.measured, name) + spare
    ]


def fresh(name: str) -> Row:
    """A row for a scene that has none: the peer judges, with the usual tolerance."""
    nothing = Measure(*[0] * len(Measure._fields))
    return Row(name, "peer", LEVELS, Z_LEVELS, nothing, processor(), "")


def updated(row: Row, judge: Picture, ours: Picture) -> Row:
    """The row with what is measured now, and here; judge, tolerances and reason stay."""
    return row._replace(measured=apply(row, judge, ours), processor=processor())
