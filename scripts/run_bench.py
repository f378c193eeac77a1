# SPDX-License-Identifier: MIT
"""The body of scripts/bench: this driver beside the peer on one machine, as a markdown table.

In: our libraries, the system's Mesa, a private Xvfb for each part. Out: sections of markdown, on
stdout and with --write in a file. The sides alternate within a round, so that whatever else the
machine does hits all of them; a figure is the median over the rounds. With --before an older build
of ours is a third side, and the tables say what became of each line since then.
"""

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from pydri.util import stats  # noqa: E402
from scripts import host  # noqa: E402

GLBENCH_LINES = (
    "swap fill_flat fill_smooth fill_smooth_z fill_blend tris_small tris_small_lit tris_mid_lit "
    "tris_user_lit immediate_lit list_lit draws_ff state_flip readpixels fill_tex_mip fill_glsl "
    "draws_glsl"
).split()
GEARS_SIZES = (300, 1024)
PARTS = ("gears", "glbench", "start", "memory", "entries")  # without --only
MORE_PARTS = (
    "pixels", "sampling", "textures", "glsl", "core", "assembly", "states", "compile",
)  # fmt: skip
_SCREEN = "1600x1200"


class Bench:
    """What the parts share: the command line, our libraries, a folder for compiled clients."""

    def __init__(self, args: argparse.Namespace, libdir: str, folder: str) -> None:
        self.args = args
        self.folder = folder
        self.libdirs = {"ours": libdir} | ({"before": args.before} if args.before else {})
        self.sides = (*host.SIDES, *(["before"] if args.before else []))

    def env(self, side: str, display: str, **more: str) -> dict[str, str]:
        """A side's environment on a display."""
        ours = "peer" if side == "peer" else "ours"
        return host.environment(ours, self.libdirs.get(side, ""), DISPLAY=display, **more)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Markdown: the first column is text, the others are figures."""
    names = list(head)
    lines = ["| " + " | ".join(names) + " |", "|---|" + "---:|" * (len(names) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


# -- glxgears --------------------------------------------------------------------------------------

_RATE = re.compile(r"(\d+) frames in ([\d.]+) seconds")


def gears_rate(bench: Bench, side: str, size: int, seconds: float, display: str) -> float:
    """Frames per second as glxgears itself reports them (a line each five seconds)."""
    process = subprocess.Popen(
        ["glxgears", "-geometry", f"{size}x{size}"],
        env=bench.env(side, display, vblank_mode="0"),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    killer = subprocess.Popen(["sleep", str(seconds + 30)])  # its end would mean: glxgears hangs
    frames = spent = 0.0
    try:
        os.set_blocking(process.stdout.fileno(), False)
        while spent < seconds - 0.5 and process.poll() is None and killer.poll() is None:
            line = process.stdout.readline()
            if not line:
                time.sleep(0.02)
            elif match := _RATE.match(line):
                frames += float(match[1])
                spent += float(match[2])
    finally:
        host.end(process)
        killer.kill()
        killer.wait()
    return frames / spent if spent else 0.0


def part_gears(bench: Bench) -> str:
    """Frames per second of glxgears."""
    rates: dict[str, dict[str, list[float]]] = {}
    with host.XServer(_SCREEN) as server:
        for size in GEARS_SIZES:
            row: dict[str, list[float]] = {side: [] for side in bench.sides}
            for _ in range(bench.args.rounds):
                for side in bench.sides:
                    rate = gears_rate(bench, side, size, bench.args.seconds, server.name)
                    row[side].append(rate)
            each = " ".join(f"{a:.0f}/{b:.0f}" for a, b in zip(row["ours"], row["peer"]))
            rates[f"{size}x{size} (rounds, ours/peer: {each})"] = row
    return compared(bench, "glxgears, frames/s", rates, "{:,.0f}")


# -- glbench ---------------------------------------------------------------------------------------


def line_rates(
    bench: Bench, program: str, lines: Iterable[str], side: str, display: str
) -> dict[str, float]:
    """One run of some lines of glbench or texbench: name -> rate."""
    seconds, names = bench.args.glbench_seconds, list(lines)
    done = subprocess.run(
        [program, "-t", str(seconds), *names], env=bench.env(side, display, vblank_mode="0"),
        capture_output=True, text=True, timeout=300 + 60 * (seconds + 5), check=False,
    )  # fmt: skip
    if done.returncode:
        name = os.path.basename(program)
        raise RuntimeError(f"{name} on {side} ended with {done.returncode}: {done.stderr[-800:]}")
    return {name: float(rate) for name, rate, _ in map(str.split, done.stdout.splitlines())}


def lines_compared(bench: Bench, client: str, lines: Iterable[str]) -> str:
    """Lines of a client that prints "name rate unit", side by side."""
    source = os.path.join(ROOT, "tests", "apps", "clients", f"{client}.c")
    program = host.compile_client(source, "-O2", "-lGL", "-lX11", "-lm")
    rates: dict[str, dict[str, list[float]]] = {}
    with host.XServer(_SCREEN) as server:
        for _ in range(bench.args.rounds):
            for side in bench.sides:
                for name, rate in line_rates(bench, program, lines, side, server.name).items():
                    rates.setdefault(name, {}).setdefault(side, []).append(rate)
    if not rates:
        raise RuntimeError(f"{client} has no such line")
    return compared(bench, client, rates, "{:.2f}")


def part_glbench(bench: Bench) -> str:
    """One line a path through the driver (tests/apps/clients/glbench.c)."""
    return lines_compared(bench, "glbench", bench.args.lines or GLBENCH_LINES)


def part_textures(bench: Bench) -> str:
    """Textures and framebuffer objects (tests/apps/clients/texbench.c)."""
    return lines_compared(bench, "texbench", bench.args.lines)


def part_glsl(bench: Bench) -> str:
    """Programs in GLSL (tests/apps/clients/glslbench.c)."""
    return lines_compared(bench, "glslbench", bench.args.lines)


def part_core(bench: Bench) -> str:
    """What programs of OpenGL 3.3 core draw (tests/apps/clients/corebench.c)."""
    return lines_compared(bench, "corebench", bench.args.lines)


def part_assembly(bench: Bench) -> str:
    """ARB programs (tests/apps/clients/arbbench.c)."""
    return lines_compared(bench, "arbbench", bench.args.lines)


def part_states(bench: Bench) -> str:
    """Frames of many distinct states (tests/apps/clients/statebench.c)."""
    return lines_compared(bench, "statebench", bench.args.lines)


def compared(
    bench: Bench, title: str, rates: dict[str, dict[str, list[float]]], form: str
) -> str:
    """A table of the sides' medians, how they compare in all, and what became of each line."""
    rows, ratios, changes = [], [], []
    for name, row in rates.items():
        medians = {side: statistics.median(row.get(side, [0.0])) for side in bench.sides}
        peer, ours, before = (medians.get(side, 0.0) for side in ("peer", "ours", "before"))
        ratios.append(ours / peer if peer and ours else 1e-3)
        cells = [name, form.format(peer), form.format(ours), f"**{ratios[-1]:.2f}**"]
        if before:
            changes.append((max(ours, 1e-3 * before) / before, name))
            cells += [form.format(before), f"{changes[-1][0]:.2f}"]
        rows.append(cells)
    mean, below = statistics.geometric_mean(ratios), sum(ratio < 1 for ratio in ratios)
    end = f"geometric mean ratio {mean:.3f}   lowest {min(ratios):.3f}   lines below 1.0: {below}"
    end += f"/{len(ratios)}\n"
    head = [title, "llvmpipe", "pydri", "ratio"]
    if changes:
        head += ["before", "now/before"]
        mean, (least, worst) = statistics.geometric_mean(c for c, _ in changes), min(changes)
        end += f"now/before: geometric mean {mean:.3f}   lowest {least:.3f} ({worst})\n"
    return table(head, rows) + f"\n{end}"


# -- pixels ----------------------------------------------------------------------------------------


def part_pixels(bench: Bench) -> str:
    """The calls that move pixels, in every usual format and type, large and small."""
    source = os.path.join(ROOT, "tests", "apps", "clients", "pixel_rates.c")
    program = host.compile_client(source, "-lGL", "-lX11")
    seconds = "0.02" if bench.args.quick else "0.1"
    rates: dict[str, dict[str, list[float]]] = {}
    with host.XServer(_SCREEN) as server:
        for _ in range(bench.args.rounds):
            for side in bench.sides:
                done = subprocess.run(
                    [program, "-t", seconds], env=bench.env(side, server.name),
                    capture_output=True, text=True, timeout=600, check=True,
                )  # fmt: skip
                for line in done.stdout.splitlines():
                    name, rate, unit = line.split()
                    row = rates.setdefault(f"{name} {unit}", {})
                    row.setdefault(side, []).append(float(rate))
    return compared(bench, "pixels", rates, "{:,.1f}")


# -- sampling --------------------------------------------------------------------------------------


def part_sampling(bench: Bench) -> str:
    """Sampler functions by themselves, on one core: megapixels a second."""
    from scripts import bench_sampling

    rows = bench_sampling.measured(0.1 if bench.args.quick else 0.4)
    views = [f"{scale:.2f}, {degrees:.0f}°" for scale, degrees in bench_sampling.VIEWS]
    cells = ([name, *(f"{rate:,.0f}" for rate in rates)] for name, rates in rows)
    return table(("Mpix/s by texels a pixel, angle", *views), cells)


# -- compiling -------------------------------------------------------------------------------------


def part_compile(bench: Bench) -> str:
    """What shaders cost until something is drawn with them."""
    from scripts import bench_compile

    with host.XServer(_SCREEN) as server:
        def env(side: str, **more: str) -> dict[str, str]:
            return bench.env(side, server.name, vblank_mode="0", **more)

        found = bench_compile.measured(
            env, bench.args.shaders, bench.args.rounds, bench.args.quick
        )
    head = ("what our cold time is made of", "ms a program", "share")
    frames = ("a new program in each frame", "frames", "median", "longest", "above 50 ms")
    worst = ("the highest ratios", *bench_compile.HEAD[2:5])
    tables = ((bench_compile.HEAD, found.ratios), (worst, found.worst), (head, found.parts),
              (frames, found.frames))  # fmt: skip
    return "\n".join(table(names, rows) for names, rows in tables)


# -- start-up --------------------------------------------------------------------------------------


def first_frame(program: str, env: dict[str, str]) -> float:
    """Seconds from exec to the first frame shown."""
    begin = time.monotonic()
    done = subprocess.run(
        [program], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr[-1000:]}")
    return float(done.stdout.split()[1]) - begin


def part_start(bench: Bench) -> str:
    """Time to the first frame, with an empty and with a filled cache of compiled code."""
    source = os.path.join(ROOT, "tests", "apps", "clients", "first_frame.c")
    program = host.compile_client(source, "-lGL", "-lX11")
    times: dict[tuple[str, str], list[float]] = {}
    with host.XServer(_SCREEN) as server:
        for _ in range(bench.args.rounds):
            for side in bench.sides:
                with tempfile.TemporaryDirectory(prefix="pydri-cache-") as cache:
                    env = bench.env(side, server.name, MESA_SHADER_CACHE_DIR=cache)
                    for kind, count in (("cold", 1), ("warm", 3)):
                        for _ in range(count):
                            times.setdefault((kind, side), []).append(first_frame(program, env))
    rows = []
    for kind, what, budget in (
        ("cold", "empty cache", 2000),
        ("warm", "filled cache", 250),
    ):
        figures = [1e3 * statistics.median(times[kind, side]) for side in bench.sides]
        rows.append((what, *(f"{ms:.0f} ms" for ms in figures), f"{budget} ms"))
    names = ("llvmpipe", "pydri", "before")[: len(bench.sides)]
    return table(("exec to the first frame shown", *names, "budget"), rows)


# -- memory and Python -----------------------------------------------------------------------------


def part_memory(bench: Bench) -> str:
    """Resident memory of glxgears over a minute."""
    moments = (2, 4, 6) if bench.args.quick else (5, 20, 40, 60)
    rows = []
    with host.XServer(_SCREEN) as server:
        for side, name in (("peer", "llvmpipe"), ("ours", "pydri")):
            process = subprocess.Popen(
                ["glxgears"], env=bench.env(side, server.name, vblank_mode="0"),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            begin = time.monotonic()
            sizes = []
            try:
                for moment in moments:
                    time.sleep(max(0.0, begin + moment - time.monotonic()))
                    sizes.append(host.resident(process.pid) / 2**20)
            finally:
                host.end(process)
            rows.append((name, *(f"{size:.1f} MiB" for size in sizes)))
    return table(("glxgears, resident memory", *(f"{m} s" for m in moments)), rows)


def part_entries(bench: Bench) -> str:
    """How often steady frames enter Python."""
    counters = os.path.join(bench.folder, "counters")
    with host.XServer(_SCREEN) as server:
        env = bench.env("ours", server.name, PYDRI_STATS=counters, vblank_mode="0")
        process = subprocess.Popen(
            ["glxgears"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
        )
        try:
            time.sleep(2)
            first = stats.read_file(counters)
            time.sleep(1)
            second = stats.read_file(counters)
        finally:
            host.end(process)
    frames = second["total"]["frames"] - first["total"]["frames"]
    rows = []
    for name in stats.NAMES:
        if name != "frames":
            count = second["total"][name] - first["total"][name]
            rows.append((name, f"{count:,}", f"{count / frames:,.2f}" if frames else "-"))
    return table((f"steady glxgears, {frames:,} frames", "in all", "a frame"), rows)


# -- the whole -------------------------------------------------------------------------------------

_PARTS: dict[str, Callable[[Bench], str]] = {
    "gears": part_gears,
    "glbench": part_glbench,
    "textures": part_textures,
    "glsl": part_glsl,
    "core": part_core,
    "assembly": part_assembly,
    "states": part_states,
    "start": part_start,
    "memory": part_memory,
    "entries": part_entries,
    "pixels": part_pixels,
    "sampling": part_sampling,
    "compile": part_compile,
}


def machine() -> str:
    """One line that says where the figures come from."""
    model = platform.machine()
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":")[1].strip()
                break
    cpus = len(os.sched_getaffinity(0))
    return f"{model}, {cpus} CPUs, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="this driver beside Mesa's llvmpipe, as a markdown table"
    )
    add = parser.add_argument
    add("--rounds", type=int, metavar="N", help="rounds a figure (default 3)")
    add("--seconds", type=float, metavar="S", help="of glxgears a round: 5 (default), 10, ...")
    add("--quick", action="store_true", help="one round, short: to see that everything works")
    add("--only", action="append", choices=PARTS + MORE_PARTS, help="this part; may be repeated")
    add(
        "--shaders", action="append", default=[], metavar="FOLDER",
        help="for compile: .shader_test files besides those that it has",
    )  # fmt: skip
    add("--before", metavar="LIBDIR", help="an older build's build/lib: measured as a third side")
    add("--write", metavar="FILE", help="write the markdown there too")
    add("lines", nargs="*", metavar="LINE", help="of the part that --only names, else of glbench")
    args = parser.parse_args()
    args.rounds = args.rounds or (1 if args.quick else 3)
    args.seconds = args.seconds or 5.0
    args.glbench_seconds = 0.2 if args.quick else 0.7
    unknown = set(args.lines) - set(GLBENCH_LINES)
    if unknown and "glbench" in (args.only or PARTS):
        parser.error(f"glbench has no line {', '.join(sorted(unknown))}")
    return args


def main() -> int:
    """Run the parts; 1 if one of them failed."""
    args = arguments()
    libdir = build.build(say=sys.stderr.isatty())
    if problem := host.install((*host.CLIENT, "xvfb", "mesa-utils", "libgl1-mesa-dri")):
        print(f"scripts/bench: {problem}", file=sys.stderr)
        return 1
    failed = 0
    sections = [f"Measured with `scripts/bench` on {machine()}.\n"]
    print(sections[0], flush=True)
    with tempfile.TemporaryDirectory(prefix="pydri-bench-") as folder:
        bench = Bench(args, libdir, folder)
        for name in args.only or PARTS:
            try:
                text = _PARTS[name](bench)
            except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as problem:
                text = f"{name}: failed: {problem}\n"
                failed = 1
            print(text, flush=True)
            sections.append(text)
    if args.write:
        with open(args.write, "w") as file:
            file.write("\n".join(sections))
    return failed


if __name__ == "__main__":
    sys.exit(main())
