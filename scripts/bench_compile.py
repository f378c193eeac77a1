# SPDX-License-Identifier: MIT
"""What shaders cost until something is drawn with them: this driver beside the peer.

In: programs (scripts/shader_programs.py): glmark2's, those of games and demos, piglit's of
glsl-1.10 and 1.20, and folders of .shader_test files that --shaders names. Out: milliseconds from
glShaderSource to a pixel that was read back (tests/apps/clients/compile_times.c), each program with
empty and with filled caches, on both sides in turns; which ones do worst; what our time is made of
(PYDRI_DEBUG=spans); and the longest frame of a program that meets a hundred programs while it runs.
Programs that a side refuses are left out; piglit's are replaced.
"""

import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from typing import NamedTuple

from scripts import host
from scripts.shader_programs import FROM_PIGLIT, STAGES, Program, collection, piglit_programs

_LONE = 16  # so many programs are measured in a process of their own
_FRAMES = 100
_WORST = 5
_TIMEOUT = 140
_FRAMES_OF = ("glmark2/", "piglit-")  # by the beginning of their names


class Times(NamedTuple):
    """Milliseconds of a program, or of a whole."""

    compile: float
    link: float
    frame: float

    @property
    def whole(self) -> float:
        return self.compile + self.link + self.frame


class Run(NamedTuple):
    """What one process of the client said."""

    times: dict[str, Times]
    cpu: float  # seconds, with children
    spans: dict[str, float]  # milliseconds by part, of ours


class Shaders:
    """Programs as files, and the client that compiles them."""

    def __init__(self, folder: str, programs: Iterable[Program]) -> None:
        self.folder = folder
        self.programs = list(programs)
        source = os.path.join(host.ROOT, "tests", "apps", "clients", "compile_times.c")
        self.client = host.compile_client(source, "-lGL", "-lX11")
        for number, program in enumerate(self.programs):
            for stage in STAGES:
                for path, text in zip(self._paths(number, stage), getattr(program, stage)):
                    with open(path, "w", encoding="latin-1") as file:
                        file.write(text)

    def _paths(self, number: int, stage: str) -> list[str]:
        count = len(getattr(self.programs[number], stage))
        return [os.path.join(self.folder, f"{number}-{n}.{stage}") for n in range(count)]

    def listed(self, chosen: Iterable[int]) -> str:
        """The path of a list of programs for the client."""
        path = os.path.join(self.folder, "list")
        with open(path, "w", encoding="latin-1") as file:
            for n in chosen:
                files = [",".join(self._paths(n, stage)) or "-" for stage in STAGES]
                file.write(f"{n} {files[0]} {files[1]}\n")
        return path

    def run(self, env: dict[str, str], chosen: Iterable[int], *options: str) -> Run:
        """One process that compiles some of the programs."""
        done = subprocess.run(
            [self.client, *options, self.listed(chosen)], env=env, capture_output=True, text=True,
            timeout=_TIMEOUT, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"the client ended with {done.returncode}: {done.stderr[-800:]}")
        times, cpu = {}, 0.0
        for line in done.stdout.splitlines():
            name, *figures = line.split()
            if name == "cpu":
                cpu = sum(map(float, figures))
            elif re.fullmatch(r"[\d. ]+", " ".join(figures)):
                times[name] = Times(*map(float, figures))
        spans = re.findall(r"span (.*): ([\d.]+) ms, \d+ times$", done.stderr, re.MULTILINE)
        return Run(times, cpu, {name: float(ms) for name, ms in spans})


def quantile(values: list[float], share: float) -> float:
    """The value that so large a share does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ratio_row(name: str, ours: dict[str, float], peer: dict[str, float]) -> tuple[str, ...]:
    """How the milliseconds of programs that both sides have compare."""
    both = [key for key in peer if key in ours]
    ratios = [ours[key] / peer[key] for key in both]
    if not ratios:
        return (name, "0", *("-" * 5))
    middle = [statistics.median(side[key] for key in both) for side in (peer, ours)]
    return (
        name, str(len(both)), f"{middle[0]:.1f} ms", f"{middle[1]:.1f} ms",
        f"**{statistics.geometric_mean(ratios):.2f}**", f"{quantile(ratios, 0.95):.2f}",
        f"{max(ratios):.2f}",
    )  # fmt: skip


HEAD = ("source to first frame", "programs", "llvmpipe p50", "pydri p50", "ratio", "p95", "worst")
Runs = dict[tuple[str, str], list[Run]]


def alternating(
    shaders: Shaders, env: Callable[..., dict[str, str]], chosen: Iterable[int], rounds: int
) -> Runs:
    """Each side in a process of its own, twice on one folder of caches, which is empty at first;
    both sides in turns."""
    found: Runs = {}
    numbers = list(chosen)
    for _ in range(rounds):
        for side in host.SIDES:
            with tempfile.TemporaryDirectory(prefix="pydri-cache-") as cache:
                where = env(side, MESA_SHADER_CACHE_DIR=cache)
                for kind in ("cold", "warm"):
                    found.setdefault((side, kind), []).append(shaders.run(where, numbers))
    return found


def medians(runs: list[Run]) -> dict[str, float]:
    """A program's milliseconds over the rounds."""
    names = set.intersection(*(set(run.times) for run in runs))
    return {n: statistics.median(run.times[n].whole for run in runs) for n in sorted(names)}


def merged(found: list[Runs]) -> Runs:
    """Runs of several lists of programs as one."""
    whole: Runs = {}
    for runs in found:
        for key, row in runs.items():
            old = whole.setdefault(key, [Run({}, 0.0, {}) for _ in row])
            whole[key] = [
                Run({**a.times, **b.times}, a.cpu + b.cpu, {}) for a, b in zip(old, row)
            ]
    return whole


class Measured(NamedTuple):
    """Rows of the tables."""

    ratios: list[tuple[str, ...]]  # HEAD
    worst: list[tuple[str, ...]]  # the programs with the highest ratios
    parts: list[tuple[str, ...]]  # what our cold time is made of
    frames: list[tuple[str, ...]]  # the longest frame of a program that meets programs


def accepted(shaders: Shaders, env: Callable[..., dict[str, str]]) -> set[int]:
    """The programs that link on both sides."""
    sides = []
    for side in host.SIDES:
        with tempfile.TemporaryDirectory(prefix="pydri-cache-") as cache:
            run = shaders.run(env(side, MESA_SHADER_CACHE_DIR=cache), range(len(shaders.programs)))
        sides.append({int(name) for name in run.times})
    return set.intersection(*sides)


def measured(
    env: Callable[..., dict[str, str]], folders: Iterable[str], rounds: int, quick: bool
) -> Measured:
    """Everything. `env(side, **more)` is a side's environment on a display."""
    sources = collection(folders)
    if quick:
        sources = {name: programs[::8] for name, programs in sources.items()}
    first = [program for row in sources.values() for program in row]
    others = [] if quick else piglit_programs()[1]
    ratios: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory(prefix="pydri-shaders-") as folder:
        shaders = Shaders(folder, [*first, *others])
        good = accepted(shaders, env)
        found, at = [], 0
        for name, row in sources.items():
            numbers = [n for n in range(at, at + len(row)) if n in good]
            at += len(row)
            if name == "piglit":
                there = {shaders.programs[n].name for n in numbers}
                stand_in = [n for n in range(len(first), len(shaders.programs))
                            if n in good and shaders.programs[n].name not in there]  # fmt: skip
                numbers += stand_in[: FROM_PIGLIT - len(numbers)]
            found.append(alternating(shaders, env, numbers, rounds))
            ratios += compared(name, found[-1])
        whole = merged(found)
        ratios += compared("all", whole)
        of_first = sorted(n for n in good if n < len(first))
        lone = of_first[:: max(1, len(of_first) // (4 if quick else _LONE))]
        single = [alternating(shaders, env, [n], 1) for n in lone]
        ratios += compared("alone in a process", merged(single))
        return Measured(ratios, worst_of(shaders, whole), parts_of(shaders, env, of_first),
                        frames_of(shaders, env, of_first, rounds))  # fmt: skip


def worst_of(shaders: Shaders, whole: Runs) -> list[tuple[str, ...]]:
    """The programs that do worst beside the peer, with empty and with filled caches."""
    rows: list[tuple[str, ...]] = []
    for kind in ("cold", "warm"):
        ours, peer = (medians(whole[side, kind]) for side in ("ours", "peer"))
        order = sorted({*ours} & {*peer}, key=lambda n: ours[n] / peer[n], reverse=True)
        rows += [
            (f"{shaders.programs[int(n)].name}, {kind}", f"{peer[n]:.1f} ms", f"{ours[n]:.1f} ms",
             f"{ours[n] / peer[n]:.2f}")
            for n in order[:_WORST]
        ]  # fmt: skip
    return rows


def compared(name: str, runs: Runs) -> list[tuple[str, ...]]:
    """Two rows: empty and filled caches; the cold one says what the processors did, too."""
    rows = []
    for kind in ("cold", "warm"):
        ours, peer = (medians(runs[side, kind]) for side in ("ours", "peer"))
        rows.append(ratio_row(f"{name}, {kind}", ours, peer))
    cpu = [statistics.median(run.cpu for run in runs[side, "cold"]) for side in host.SIDES]
    share = f"**{cpu[1] / cpu[0]:.2f}**" if cpu[0] else "-"
    times = (f"{cpu[0]:.2f} s", f"{cpu[1]:.2f} s")
    return [*rows, (f"{name}, processor time of the cold process", "", *times, share, "", "")]


def parts_of(
    shaders: Shaders, env: Callable[..., dict[str, str]], good: list[int]
) -> list[tuple[str, ...]]:
    """Milliseconds a program of our cold time by part, which the driver tells itself."""
    with tempfile.TemporaryDirectory(prefix="pydri-cache-") as cache:
        where = env("ours", MESA_SHADER_CACHE_DIR=cache, PYDRI_DEBUG="spans")
        run = shaders.run(where, good)
    count, total = len(run.times), sum(times.whole for times in run.times.values())
    here = {name: ms for name, ms in run.spans.items() if not name.endswith("(beside)")}
    rows = [*run.spans.items(), ("all else: calls, drawing, reading back, waiting",
                                 total - sum(here.values())), ("together", total)]  # fmt: skip
    return [(name, f"{ms / count:.2f}", f"{ms / total:.0%}") for name, ms in rows]


def frames_of(
    shaders: Shaders, env: Callable[..., dict[str, str]], good: list[int], rounds: int
) -> list[tuple[str, ...]]:
    """The frames of a program that meets a new program in each of them and draws with all that it
    has met: with the program's source, and from its first draw on alone, as where all programs
    are linked before the first frame. Medians of all rounds; of single rounds the longest, and how
    many took more than 50 ms. The programs are glmark2's and piglit's."""
    of_both = [n for n in good if shaders.programs[n].name.startswith(_FRAMES_OF)]
    chosen = of_both[:: max(1, len(of_both) // _FRAMES)][:_FRAMES]
    rows: list[tuple[str, ...]] = []
    for side in host.SIDES:
        runs = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="pydri-cache-") as cache:
                run = shaders.run(env(side, MESA_SHADER_CACHE_DIR=cache), chosen, "--frames")
            runs.append(run.times.values())
        name = {"ours": "pydri", "peer": "llvmpipe"}[side]
        for part, of in (("with the source", lambda time: time.whole),
                         ("from the first draw on", lambda time: time.frame)):  # fmt: skip
            times = [[of(time) for time in run] for run in runs]
            longest = "; ".join(f"{max(run):.1f}" for run in times)
            late = "; ".join(str(sum(ms > 50 for ms in run)) for run in times)
            middle = statistics.median(ms for run in times for ms in run)
            rows.append((f"{name}, {part}", f"{len(times[0])}", f"{middle:.1f} ms",
                         f"{longest} ms", late))  # fmt: skip
    return rows
