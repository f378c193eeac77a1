# SPDX-License-Identifier: MIT
"""What shaders cost until something is drawn with them: this driver beside the peer.

In: glmark2's shaders (captured once from glmark2 itself on the peer: MESA_SHADER_CAPTURE_PATH),
piglit's of glsl-1.10 and 1.20, and folders of .shader_test files that --shaders names (captured
from other programs in the same way). Out: milliseconds from glShaderSource to a pixel that was read
back (tests/apps/clients/compile_times.c), each program with empty and with filled caches, on both
sides in turns; what our time is made of (PYDRI_DEBUG=spans); and the longest frame of a program
that meets a hundred programs while it runs. Programs that a side refuses are left out.
"""

import os
import random
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from typing import NamedTuple

from scripts import host

PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit"
_FROM_PIGLIT = 200
_LONE = 16  # so many programs are measured in a process of their own
_FRAMES = 100
_TIMEOUT = 140
_SCREEN = "640x480"
_STAGE = re.compile(r"^\[(?:(vertex|fragment) shader|[^\]]*)\]\n", re.MULTILINE)
#: scenes of glmark2, with the options that change shaders
_SCENES = (
    "build texture texture:texture-filter=mipmap shading:shading=gouraud "
    "shading:shading=blinn-phong-inf shading:shading=phong shading:shading=cel "
    "bump:bump-render=off bump:bump-render=high-poly bump:bump-render=normals "
    "bump:bump-render=height "
    "effect2d:kernel=0,1,0;1,-4,1;0,1,0; effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1; pulsar "
    "pulsar:light=true:texture=true desktop:effect=blur desktop:effect=shadow "
    "buffer buffer:interleave=true ideas jellyfish terrain shadow refract "
    "conditionals:fragment-steps=0:vertex-steps=0 conditionals:fragment-steps=5:vertex-steps=0 "
    "conditionals:fragment-steps=0:vertex-steps=5 "
    "function:fragment-complexity=low:fragment-steps=5 "
    "function:fragment-complexity=medium:fragment-steps=5 "
    "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5 "
    "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5 "
    "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5"
).split()


class Program(NamedTuple):
    """Sources; "" for a stage that is the fixed function."""

    name: str
    vertex: str
    fragment: str


def parsed(name: str, text: str) -> Program | None:
    """A .shader_test file with one source a stage; None for any other."""
    parts = list(_STAGE.finditer(text))
    stages: dict[str, str] = {}
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if stage := part[1]:
            if stage in stages:
                return None
            stages[stage] = text[part.end() : following.start() if following else len(text)]
    if not stages or re.search(r"^\[(geometry|tess|compute)", text, re.MULTILINE):
        return None
    return Program(name, stages.get("vertex", ""), stages.get("fragment", ""))


def programs_in(folder: str, name: str = "") -> list[Program]:
    """The programs of all .shader_test files below a folder, each text once."""
    paths = sorted(
        os.path.join(root, file)
        for root, _, files in os.walk(folder)
        for file in files
        if file.endswith(".shader_test")
    )
    found: dict[tuple[str, str], Program] = {}
    for path in paths:
        with open(path, encoding="latin-1") as file:
            label = (f"{name}/" if name else "") + os.path.relpath(path, folder)
            program = parsed(label.replace(" ", "_"), file.read())
        if program is not None:
            found.setdefault((program.vertex, program.fragment), program)
    return list(found.values())


def glmark2_programs() -> list[Program]:
    """What glmark2 hands over; it runs once, on the peer, and build/ keeps what it did."""
    folder = os.path.join(host.ROOT, "build", "shaders", "glmark2")
    if not os.path.isdir(folder):
        with tempfile.TemporaryDirectory(prefix="pydri-shaders-") as fresh:
            with host.XServer(_SCREEN) as server:
                env = host.environment("peer", DISPLAY=server.name, MESA_SHADER_CAPTURE_PATH=fresh)
                scenes = [word for scene in _SCENES for word in ("-b", scene)]
                order = ["glmark2", "-s", "64x64", "-b", ":duration=0.02", *scenes]
                subprocess.run(
                    order, env=env, timeout=300, check=False, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
            os.makedirs(folder)
            for program in programs_in(fresh):
                with open(os.path.join(folder, program.name), "w", encoding="latin-1") as file:
                    file.write(f"[vertex shader]\n{program.vertex}\n")
                    file.write(f"[fragment shader]\n{program.fragment}\n")
    return programs_in(folder, "glmark2")


def piglit_programs() -> list[Program]:
    """So many of piglit's, chosen by a fixed seed."""
    found = [
        program
        for part in ("tests", "generated_tests")
        for version in ("1.10", "1.20")
        for program in programs_in(f"{PIGLIT}/{part}/spec/glsl-{version}", f"piglit-{version}")
    ]
    chosen = random.Random(9)
    return chosen.sample(found, min(_FROM_PIGLIT, len(found)))


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
            for stage, text in (("vert", program.vertex), ("frag", program.fragment)):
                with open(self._path(number, stage), "w", encoding="latin-1") as file:
                    file.write(text)

    def _path(self, number: int, stage: str) -> str:
        return os.path.join(self.folder, f"{number}.{stage}")

    def listed(self, chosen: Iterable[int]) -> str:
        """The path of a list of programs for the client."""
        path = os.path.join(self.folder, "list")
        with open(path, "w", encoding="latin-1") as file:
            for n in chosen:
                vertex, fragment = self.programs[n].vertex, self.programs[n].fragment
                stages = (("vert", vertex), ("frag", fragment))
                names = [self._path(n, stage) if text else "-" for stage, text in stages]
                file.write(f"{n} {names[0]} {names[1]}\n")
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


def collection(folders: Iterable[str]) -> dict[str, list[Program]]:
    """All programs, by where they are from."""
    found = {"glmark2": glmark2_programs(), "piglit": piglit_programs()}
    for folder in folders:
        name = os.path.basename(os.path.normpath(folder))
        found[name] = programs_in(folder, name)
    return found


class Measured(NamedTuple):
    """Rows of the tables."""

    ratios: list[tuple[str, ...]]  # HEAD
    parts: list[tuple[str, ...]]  # what our cold time is made of
    frames: list[tuple[str, ...]]  # the longest frame of a program that meets programs


def measured(
    env: Callable[..., dict[str, str]], folders: Iterable[str], rounds: int, quick: bool
) -> Measured:
    """Everything. `env(side, **more)` is a side's environment on a display."""
    sources = collection(folders)
    if quick:
        sources = {name: programs[::8] for name, programs in sources.items()}
    programs = [program for row in sources.values() for program in row]
    ratios: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory(prefix="pydri-shaders-") as folder:
        shaders = Shaders(folder, programs)
        found, at = [], 0
        for name, row in sources.items():
            found.append(alternating(shaders, env, range(at, at + len(row)), rounds))
            ratios += compared(name, found[-1])
            at += len(row)
        whole = merged(found)
        ratios += compared("all", whole)
        both = {*medians(whole["ours", "cold"])} & {*medians(whole["peer", "cold"])}
        good = sorted(map(int, both))
        lone = good[:: max(1, len(good) // (4 if quick else _LONE))]
        single = [alternating(shaders, env, [n], 1) for n in lone]
        ratios += compared("alone in a process", merged(single))
        frames = frames_of(shaders, env, good, rounds)
        return Measured(ratios, parts_of(shaders, env, good), frames)


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
    many took more than 50 ms."""
    chosen = good[:: max(1, len(good) // _FRAMES)][:_FRAMES]
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
