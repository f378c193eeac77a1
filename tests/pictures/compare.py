# SPDX-License-Identifier: MIT
"""Pictures of our driver beside their judges': `compare.py [SCENE ...] [--record | --update]`.

In: the scenes of *.c (compiled here), Debian's Mesa (llvmpipe, softpipe), our libraries, the table
of this Mesa (table.py: who judges, the tolerance, what was measured), the digests of our pictures.
Out: a line for each scene and, for failures, a PNG of judge | ours | difference x 8.

--record keeps the digests of pictures that hold against their rows beside the judges' pictures of
then; with other ones (another Mesa, another processor) --judge NAME says who has looked at them.
--update measures rows anew and records; judges and tolerances stay, a new scene gets the peer and
what is usual. A row that gets worse, or that is not plain, needs --reason. What is refused is said,
and is a failure.

The peer's pictures are kept in build/peer-pictures, by what they were drawn with.
"""

import argparse
import fnmatch
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
if str(ROOT) not in sys.path:  # when run as a program
    sys.path.insert(0, str(ROOT))

from pydri.tools import png  # noqa: E402
from scripts import host  # noqa: E402
from tests.pictures import measure, oracles, table  # noqa: E402
from tests.pictures.measure import Colors, Measure  # noqa: E402

CACHE = ROOT / "build" / "peer-pictures"
NO_CONFIG = "exit status 77"  # the client's, where a side offers no configuration for a scene


class Drawn(NamedTuple):
    """What the client printed about one scene."""

    name: str
    width: int
    height: int
    hash: str
    error: str
    window: str

    @property
    def crashed(self) -> bool:
        return not self.hash


class Verdict(NamedTuple):
    """What the table says of a scene's picture."""

    name: str
    row: table.Row | None
    found: Measure | None
    wrong: list[str]  # in words; none: as the row says
    better: list[str] = []  # what the row must follow
    other: str = ""  # what to do about a picture that is not the recorded one

    @property
    def passed(self) -> bool:
        return not self.wrong and not self.better and not self.other

    @property
    def is_judged(self) -> bool:
        """Whether the row's figures hold and nothing else is wrong; the digest is not asked."""
        return self.found is not None and not self.wrong and not self.better

    def text(self) -> str:
        """A line for a person, and the new row if one is asked for."""
        words = self.wrong or [f"better: {what}" for what in self.better]
        word = "; ".join([*words, *([self.other] if self.other else [])]) or "ok"
        numbers = " ".join(f"{n:7d}" for n in self.found) if self.found else ""
        line = f"{self.name:28} {numbers}  {word}"
        if self.row and self.found and not self.wrong and self.better:
            line += f"\n  its new row:\n{self.row._replace(measured=self.found).text()}"
        return line


HEADING = f"{'scene':28} " + " ".join(f"{name[:7]:>7}" for name in Measure._fields)


def compile_client(*more: str) -> pathlib.Path:
    """The client that draws the scenes, compiled with `more` flags. host.Missing says what this
    machine lacks."""
    flags = ("-Wextra", "-Wno-missing-field-initializers", "-lGL", "-lX11", "-lm", *more)
    return pathlib.Path(host.compile_client(sorted(HERE.glob("*.c")), *flags, name="scenes"))


def peer_env(display: str, side: str = "peer") -> dict[str, str]:
    """An environment in which libGL.so.1 is the system's, drawing with llvmpipe or softpipe."""
    return host.environment(side, DISPLAY=display)


def our_env(display: str, **more: str) -> dict[str, str]:
    """An environment in which libGL.so.1 is ours; compiled code is kept in build/kernels."""
    kernels = {"MESA_SHADER_CACHE_DIR": host.kernels()}
    return host.environment("ours", "", False, DISPLAY=display, **{**kernels, **more})


def private_server() -> host.XServer:
    """An X server of our own, which stays as it is when its last client leaves."""
    return host.XServer()


def going_round(names: Iterable[str], *rooms: str) -> list[str]:
    """Scenes in an order that is another one with each change of the rooms' sources: the first ones
    are those of a run that has not the time for all."""
    files = (path for room in rooms for path in sorted(pathlib.Path(host.ROOT, room).rglob("*.py")))
    start = zlib.crc32(b"".join(path.read_bytes() for path in files))
    return sorted(names, key=lambda name: zlib.crc32(name.encode(), start))


def scene_names(program: pathlib.Path) -> list[str]:
    """All scenes, in the order in which they are drawn."""
    done = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


def _run(command: list[str], env: dict[str, str], seconds: float) -> tuple[str, str]:
    """Standard output of a run, and how it ended if not well."""
    try:
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return (output.decode() if isinstance(output, bytes) else output), "timeout"
    if done.stderr and done.returncode:
        sys.stderr.write(done.stderr[-2000:])
    return done.stdout, "" if done.returncode == 0 else f"exit status {done.returncode}"


def draw_by(
    drivers: Iterable[str], program: pathlib.Path, display: str, out: pathlib.Path,
    names: Iterable[str], **more: str,
) -> dict[str, dict[str, Drawn]]:  # fmt: skip
    """Draw scenes on several of our drivers, each in a folder of its name below `out`."""
    drawn = {}
    for driver in drivers:
        (out / driver).mkdir(parents=True, exist_ok=True)
        env = our_env(display, GALLIUM_DRIVER=driver, SCENES_WINDOW="1", **more)
        drawn[driver] = draw_all(program, env, out / driver, names)
    return drawn


def draw_all(
    program: pathlib.Path,
    env: dict[str, str],
    out: pathlib.Path | None,
    only: Iterable[str] = (),
    seconds: float = 900,
) -> dict[str, Drawn]:
    """Draw every scene (or `only` those) in one process; where it dies, note the scene and go on
    behind it."""
    left = list(only) or scene_names(program)
    folder, drawn = str(out) if out else "", {}
    while left:
        output, trouble = _run([str(program), "some", folder, *left], env, seconds)
        for line in output.splitlines():
            name, width, height, *rest = line.split()
            drawn[name] = Drawn(name, int(width), int(height), *rest)
        undrawn = [name for name in left if name not in drawn]
        if not trouble:
            break
        if not undrawn:  # all are drawn, and yet the process did not end well
            drawn[left[-1]] = Drawn(left[-1], 0, 0, "", f"{trouble} at the end", "-")
            break
        drawn[undrawn[0]] = Drawn(undrawn[0], 0, 0, "", trouble, "-")
        left = undrawn[1:]
    return drawn


def draw_some(
    program: pathlib.Path, env: dict[str, str], out: pathlib.Path, names: list[str]
) -> dict[str, Drawn]:
    """Draw the named scenes, a process each."""
    drawn = {}
    for name in names:
        output, trouble = _run([str(program), name, str(out)], env, 60)
        fields = output.split()
        drawn[name] = (
            Drawn(name, int(fields[1]), int(fields[2]), *fields[3:])
            if fields and not trouble
            else Drawn(name, 0, 0, "", trouble, "-")
        )
    return drawn


def side_by_side(peer: Colors, ours: Colors) -> bytes:
    """PNG: peer | ours | difference x 8 (alpha's difference is shown as white)."""
    difference = np.abs(peer.astype(np.int16) - ours.astype(np.int16)) * 8
    shown = np.minimum(np.maximum(difference[..., :3], difference[..., 3:]), 255)
    gap = np.full((peer.shape[0], 4, 3), 128, np.uint8)
    row = np.hstack([peer[..., :3], gap, ours[..., :3], gap, shown.astype(np.uint8)])
    return png.encode(png.Image(row.shape[1], row.shape[0], row.tobytes()))


def contact_sheet(pictures: list[Colors], columns: int = 8, size: int = 160) -> bytes:
    """PNG: all pictures, made small by leaving out pixels, in rows."""
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * size, columns * size, 3), 64, np.uint8)
    for i, picture in enumerate(pictures):
        step = max(1, -(-max(picture.shape[:2]) // (size - 4)))
        small = picture[::step, ::step, :3]
        y, x = i // columns * size, i % columns * size
        sheet[y : y + small.shape[0], x : x + small.shape[1]] = small
    return png.encode(png.Image(sheet.shape[1], sheet.shape[0], sheet.tobytes()))


class Judges:
    """Where the pictures of both sides are, and what the judge of a row says."""

    def __init__(self, program: pathlib.Path, display: str, ours: pathlib.Path) -> None:
        """host.Missing if there is no peer. `ours`: the folder of our pictures."""
        self.program, self.display, self.ours = program, display, ours
        peer = host.peer()
        if peer.reason:
            raise host.Missing(peer.reason)
        self.version = ".".join(map(str, peer.version[:2]))
        own = table.path_of(self.version)
        #: what was measured beside this version: all scenes, or those that it draws otherwise
        self.measured = table.read(own) if own.exists() else {}
        self.rows = {**table.read(table.path_of(table.REFERENCE)), **self.measured}
        self.known = table.read_digests()
        self.drawn: dict[str, dict[str, Drawn]] = {"peer": {}, "softpipe": {}}
        self.folders: dict[str, pathlib.Path] = {}

    def row(self, name: str) -> table.Row | None:
        """A scene's row."""
        return self.rows.get(name)

    def wanted(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Which scenes the drivers of Mesa's must draw to judge these."""
        wanted: dict[str, set[str]] = {"peer": set(), "softpipe": set()}
        for name in names:
            row = self.rows.get(name)
            kind, _, other = (row.judge if row else "peer").partition(":")
            wanted["peer"].add(name)
            if kind == "softpipe":
                wanted["softpipe"].add(other or name)
            elif kind == "peer" and other:
                wanted["peer"].add(other)
            elif kind == "numpy":
                wanted["peer"] |= set(oracles.inputs(other or name))
        return wanted

    def draw(self, names: Iterable[str]) -> None:
        """Have the peer's drivers draw what is not kept yet."""
        for side, scenes in self.wanted(names).items():
            if scenes:
                self.folders[side], drawn = kept(self.program, self.display, side, scenes)
                self.drawn[side] |= drawn

    def picture(self, row: table.Row) -> measure.Picture:
        """The picture that a row's scene must look like. FileNotFoundError if it is missing."""
        kind, _, other = row.judge.partition(":")
        other = other or row.scene
        if kind == "numpy":
            return oracles.expected(other, self.folders["peer"])
        folder = self.ours if kind == "ours" else self.folders[kind]
        return measure.read(folder, other)

    def judge(self, row: table.Row) -> measure.Picture | None:
        """The judge's picture; None where this peer cannot draw it (no such configuration)."""
        theirs = self.drawn["peer"].get(row.scene)
        if theirs and theirs.error == NO_CONFIG and row.scene not in self.measured:
            return None
        return self.picture(row)

    def is_strict(self, name: str) -> bool:
        """Whether the judge's picture is the one by which the scene was judged."""
        row, known = self.rows.get(name), self.known.get(name)
        judge = self.judge(row) if row and known else None
        return judge is not None and known is not None and measure.digest(judge) == known.judge

    def figures(self, row: table.Row, found: Measure, pixels: int) -> tuple[list[str], list[str]]:
        """What is worse, and what is better, than the row says; strictly or loosely."""
        strictly = self.is_strict(row.scene)
        if not strictly and row.scene not in self.measured:
            return table.loosely(row, found, pixels), []
        return table.worse(row, found, strictly), table.better(row, found)

    def other(self, name: str, ours: measure.Picture) -> str:
        """That our picture is not the recorded one, and what there is to do; nothing if it is."""
        known = self.known.get(name)
        program = f"tests/pictures/compare.py {name}"
        if not known:
            return f"no recorded picture: {program} --update"
        if known.ours == measure.digest(ours):
            return ""
        text = f"another picture than the recorded one: if that is meant, {program}"
        if self.is_strict(name):
            return f"{text} --record (--update for other figures)"
        here = f"Mesa {self.version} on {table.processor()}"
        return (
            f"{text} --record where its judge draws what it drew then ({known.judged}; {here} does"
            " not), or here with --judge NAME of who has looked at it, or --update"
        )

    def recorded(self, name: str, judge: str = "") -> table.Known:
        """Our picture as judged here and now, by `judge` where that is a person."""
        row = self.rows[name]
        ours, theirs = measure.read(self.ours, name), self.picture(row)
        where = f"{self.version} {table.processor()}" + (f", by {judge}" if judge else "")
        return table.Known(name, measure.digest(ours), measure.digest(theirs), where)

    def verdict(self, name: str, mine: Drawn | None) -> Verdict:
        """What is to be said of our picture of a scene."""
        row, theirs = self.rows.get(name), self.drawn["peer"].get(name)
        if mine is None or mine.crashed or theirs is None:
            return Verdict(name, row, None, [f"not drawn: ours: {mine.error if mine else '-'}"])
        ours = measure.read(self.ours, name)
        other = self.other(name, ours) if row else ""
        if theirs.error == NO_CONFIG and name not in self.measured:
            # Mesa 25 has neither accumulation nor samples: the digest alone says something
            return Verdict(name, row, None, [], other=other)
        if theirs.crashed:
            return Verdict(name, row, None, [f"not drawn: peer: {theirs.error}"], other=other)
        wrong = []
        if mine.error != theirs.error:
            wrong.append(f"glGetError {mine.error}, peer {theirs.error}")
        if mine.window not in ("-", "0"):
            wrong.append(f"{mine.window} pixels of the window are others")
        if row is None:
            return Verdict(name, None, None, [*wrong, "no row in the table (compare.py --update)"])
        try:
            found = table.apply(row, self.picture(row), ours)
        except (FileNotFoundError, ValueError) as error:
            return Verdict(name, row, None, [*wrong, str(error)], other=other)
        worse, better = self.figures(row, found, ours.pixels)
        return Verdict(name, row, found, wrong + worse, better, other)


def fingerprint(side: str) -> str:
    """What decides about a Mesa driver's pictures: the scenes, the driver, the processor."""
    words = [path.read_text() for path in sorted([*HERE.glob("*.c"), *HERE.glob("*.h")])]
    processor = pathlib.Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    words += re.findall(r"^(?:model name|flags)\s*:.*$", processor, re.MULTILINE)
    words.append(host.peer(side).fingerprint)
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def kept(
    program: pathlib.Path, display: str, side: str, scenes: set[str]
) -> tuple[pathlib.Path, dict[str, Drawn]]:
    """The folder of a Mesa driver's pictures and what was printed of them; drawn where missing."""
    env = peer_env(display, side)
    folder = CACHE / f"{side}-{fingerprint(side)}"
    folder.mkdir(parents=True, exist_ok=True)
    printed = folder / "drawn.txt"
    drawn: dict[str, Drawn] = {}
    if printed.exists():
        for line in printed.read_text().splitlines():
            name, width, height, *rest = line.split("\t")
            drawn[name] = Drawn(name, int(width), int(height), *rest)
    missing = [name for name in scene_names(program) if name in scenes and name not in drawn]
    if missing:
        some = 2 * len(missing) < len(scene_names(program))
        more = draw_some(program, env, folder, missing) if some else draw_all(program, env, folder)
        drawn |= more
        partial = printed.with_suffix(f".{os.getpid()}")
        partial.write_text("".join("\t".join(map(str, one)) + "\n" for one in drawn.values()))
        partial.replace(printed)  # two runs at once see whole files
    return folder, drawn


def save_pictures(verdicts: list[Verdict], judges: Judges, out: pathlib.Path, every: bool) -> None:
    """Side by side, for failures or for every scene."""
    out.mkdir(parents=True, exist_ok=True)
    for verdict in verdicts:
        if verdict.row and verdict.found and (every or not verdict.passed):
            pair = judges.picture(verdict.row), measure.read(judges.ours, verdict.name)
            image = side_by_side(pair[0].colors, pair[1].colors)
            (out / f"{verdict.name}.png").write_bytes(image)


def _write_digests(judges: Judges, every: list[str]) -> None:
    """In the order of all scenes; digests of others are dropped."""
    table.write_digests(judges.known[name] for name in every if name in judges.known)


def record(judges: Judges, every: list[str], verdicts: list[Verdict], judge: str) -> list[str]:
    """Write the digests of pictures that were judged now; what is refused, in words.

    `judge` names who has looked at pictures whose judges draw something else here than then."""
    refused = []
    for one in verdicts:
        if not one.other:
            continue
        strictly = judges.is_strict(one.name)
        if one.is_judged and (judge or strictly):
            known = judges.recorded(one.name, "" if strictly else judge)
            if not strictly:  # the judge whose figures the row has stays the one of then
                known = known._replace(judge=judges.known[one.name].judge)
            judges.known[one.name] = known
        else:
            refused.append(f"not recorded: {one.text()}")
    _write_digests(judges, every)
    return refused


def update(judges: Judges, every: list[str], verdicts: list[Verdict], reason: str) -> list[str]:
    """Measure rows anew, write the table and the digests; what is refused, in words."""
    refused, rows = [], dict(judges.measured)
    for one in verdicts:
        if one.row and not one.found or not one.row and len(one.wrong) > 1:
            refused.append(f"not measured: {one.text()}")
            continue
        row = one.row or table.fresh(one.name)
        row = table.updated(row, judges.picture(row), measure.read(judges.ours, one.name))
        row = row._replace(reason=reason or row.reason)
        worse = one.row is not None and bool(table.worse(one.row, row.measured))
        if not row.explained or (worse and not reason):
            refused.append(f"worse, or not plain, and no --reason: {one.text()}\n  {row.text()}")
            continue
        rows[one.name] = judges.rows[one.name] = row
        judges.known[one.name] = judges.recorded(one.name)
    rows = {name: rows[name] for name in every if name in rows}
    comment = f"Pictures beside Mesa {judges.version}; columns: tests/pictures/table.py"
    table.write(table.path_of(judges.version), list(rows.values()), comment)
    judges.measured = rows
    _write_digests(judges, every)
    return refused


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="our pictures beside their judges'")
    parser.add_argument("scenes", nargs="*", help="names or patterns; none: all")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("pictures-out"))
    parser.add_argument("--ours", type=pathlib.Path, help="folder where our pictures stay")
    parser.add_argument("--record", action="store_true", help="keep digests of judged pictures")
    parser.add_argument("--judge", default="", help="who has looked at what is recorded")
    parser.add_argument("--update", action="store_true", help="measure rows anew and record")
    parser.add_argument("--reason", default="", help="why rows are worse, for --update")
    parser.add_argument("--all-pngs", action="store_true", help="PNGs of what passes, too")
    parser.add_argument("--sheet", action="store_true", help="contact sheet of our pictures")
    return parser.parse_args()


def _draw_ours(program: pathlib.Path, display: str, folder: pathlib.Path, names: list[str]) -> Any:
    env = our_env(display, SCENES_WINDOW="1")
    some = len(names) <= 20
    return draw_some(program, env, folder, names) if some else draw_all(program, env, folder)


def _chosen(names: list[str], patterns: list[str]) -> list[str]:
    return [n for n in names if not patterns or any(fnmatch.fnmatch(n, p) for p in patterns)]


def _judge(
    arguments: argparse.Namespace, judges: Judges, mine: dict[str, Drawn]
) -> tuple[list[Verdict], list[str]]:
    """The verdicts on what is chosen, when the tables are as the arguments want them; what was
    refused of that, in words."""
    every = scene_names(judges.program)
    names = _chosen(every, arguments.scenes)

    def all_verdicts() -> list[Verdict]:
        return [judges.verdict(name, mine.get(name)) for name in names]

    judges.draw(names)
    verdicts, refused = all_verdicts(), []
    if arguments.update:
        refused += update(judges, every, verdicts, arguments.reason)
    elif arguments.record:
        refused += record(judges, every, verdicts, arguments.judge)
    else:
        return verdicts, []
    return all_verdicts(), refused


def main() -> int:
    """Compare and print the table; 1 if a scene fails, or if something was refused."""
    arguments = _arguments()
    out: pathlib.Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    with private_server() as server, tempfile.TemporaryDirectory() as scratch:
        ours = arguments.ours or pathlib.Path(scratch, "ours")
        ours.mkdir(exist_ok=True, parents=True)
        program = compile_client()
        names = _chosen(scene_names(program), arguments.scenes)
        judges = Judges(program, server.name, ours)
        mine = _draw_ours(program, server.name, ours, names)
        verdicts, refused = _judge(arguments, judges, mine)
        save_pictures(verdicts, judges, out, arguments.all_pngs)
        if arguments.sheet:
            pictures = [measure.read(ours, name).colors for name in names]
            (out / "sheet.png").write_bytes(contact_sheet(pictures))
    print(HEADING)
    for verdict in verdicts:
        print(verdict.text())
    print(*refused, sep="\n")
    passed = sum(verdict.passed for verdict in verdicts)
    print(f"{passed} of {len(verdicts)} scenes are as their rows and digests")
    return 0 if passed == len(verdicts) and not refused else 1


if __name__ == "__main__":
    sys.exit(main())
