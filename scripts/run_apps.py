# SPDX-License-Identifier: MIT
"""The body of scripts/apps: unmodified programs on this driver and on the peer.

In: the table `APPS`, C clients compiled on the spot, a private X server a run. Out: frames per
second on both sides as a markdown table (a preloaded counter of swaps, scripts/preload, the same on
both sides), screenshots with --pictures. tests/apps uses `APPS`, `make_clients` and `watch`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if __name__ == "__main__":
    sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from pydri.tools.png import Image, encode  # noqa: E402
from pydri.tools.screenshot import grab  # noqa: E402
from pydri.util import stats  # noqa: E402
from scripts import host  # noqa: E402

CLIENTS = os.path.join(ROOT, "tests", "apps", "clients")
_TESTGL2 = "/usr/libexec/installed-tests/SDL2/testgl2"
BASE = (*host.CLIENT, "xvfb")


class App(NamedTuple):
    """A program: `command` with {clients} and {python} filled in, Debian packages it needs,
    libraries its C source is linked with.
    """

    name: str
    command: str
    wanted: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    ends: bool = False  # takes the number of frames after which it ends by itself


APPS = (
    App("glxgears", "glxgears", ("mesa-utils",)),
    App("glxheads", "glxheads", ("mesa-utils",)),
    App(
        "gears_glut",
        "{clients}/gears_glut",
        ("freeglut3-dev",),
        ("-lglut",),
        ends=True,
    ),
    App(
        "gears_glfw",
        "{clients}/gears_glfw",
        ("libglfw3-dev",),
        ("-lglfw",),
        ends=True,
    ),
    App("sdl_testgl2", _TESTGL2, ("libsdl2-tests",)),
    App(
        "gears_pyopengl",
        "{python} " + os.path.join(CLIENTS, "gears_pyopengl.py"),
        ("libglut3.12",),
        ends=True,
    ),
)


class Outcome(NamedTuple):
    """What a watched run was like."""

    frames: int
    picture: Image
    status: int | None  # None: it did not end when it was told to
    text: str


def wanted(apps: tuple[App, ...]) -> list[str]:
    """The Debian packages that have to be installed for these."""
    return [*BASE, *(package for app in apps for package in app.wanted)]


def make_clients(folder: str, apps: tuple[App, ...] = APPS) -> None:
    """Compile the programs that are ours."""
    for app in apps:
        if app.libraries:
            source = os.path.join(CLIENTS, f"{app.name}.c")
            host.compile_client(source, *app.libraries, "-lGL", "-lm", folder=folder)


def command_of(app: App, folder: str) -> list[str]:
    """The program and its arguments."""
    return app.command.format(clients=folder, python=sys.executable).split()


def _first_frame(process: "subprocess.Popen[bytes]", counters: str) -> None:
    """Wait for it, on our side: where nothing is compiled yet the first one may take seconds."""
    for _ in range(300):
        try:
            if stats.read_file(counters)["total"]["frames"]:
                return
        except (OSError, ValueError):
            pass  # not there yet, or not yet as long as it will be
        if process.poll() is not None:
            return
        time.sleep(0.1)


def watch(app: App, folder: str, env: dict[str, str], seconds: float) -> Outcome:
    """Run it for some seconds, look at its window, tell it to end."""
    counters = os.path.join(folder, f"{app.name}.counters")
    log = os.path.join(folder, f"{app.name}.log")
    more = {"PYDRI_STATS": counters, "HOME": folder, "SDL_AUDIODRIVER": "dummy"}
    with open(log, "w+") as file:
        process = subprocess.Popen(
            command_of(app, folder), env={**env, **more}, stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            try:
                if "LD_PRELOAD" in env:
                    _first_frame(process, counters)
                process.wait(seconds)
                picture = Image(0, 0, b"")
            except subprocess.TimeoutExpired:
                picture = grab(env["DISPLAY"])
            frames = 0
            if os.path.exists(counters):
                frames = stats.read_file(counters)["total"]["frames"]
            process.terminate()
            try:
                status: int | None = process.wait(5)
            except subprocess.TimeoutExpired:
                status = None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        file.seek(0)
        return Outcome(frames, picture, status, file.read())


def colours(picture: Image) -> tuple[int, float]:
    """How many colours a picture has, and the share of the most frequent one."""
    rgb = picture[2]
    count: dict[bytes, int] = {}
    for at in range(0, len(rgb), 3):
        pixel = rgb[at : at + 3]
        count[pixel] = count.get(pixel, 0) + 1
    return len(count), 3 * max(count.values(), default=0) / max(len(rgb), 1)


# -- the comparison --------------------------------------------------------------------------------


class Runner:
    """Runs one program on one side and says how many frames a second it showed."""

    def __init__(self, args: argparse.Namespace, libdir: str, folder: str) -> None:
        self.args = args
        self.libdir = libdir
        self.folder = folder
        self.counter = host.compile_preload("swapcount")

    def run(self, app: App, side: str) -> tuple[str, str]:
        """Frames per second and how it ended."""
        counted = os.path.join(self.folder, f"{app.name}-{side}.count")
        with host.XServer() as server:
            env = host.environment(side, self.libdir, DISPLAY=server.name, vblank_mode="0")
            preload = [self.counter, *filter(None, [env.get("LD_PRELOAD")])]
            env |= {"LD_PRELOAD": ":".join(preload), "SWAPCOUNT_OUT": counted}
            outcome = watch(app, self.folder, env, self.args.seconds)
        if self.args.pictures and outcome.picture[0]:
            target = os.path.join(self.args.pictures, f"{app.name}-{side}.png")
            with open(target, "wb") as file:
                file.write(encode(outcome.picture))
        return swap_rate(counted), "ran" if outcome.status in (0, -15) else f"{outcome.status}"


def swap_rate(path: str) -> str:
    """Swaps per second over the second half of a run, of the process and interface that swapped
    most, as scripts/preload/swapcount.c counted them; "-" if there were none."""
    counts: dict[tuple[str, str], list[tuple[float, int]]] = {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                if not line.startswith("#"):
                    process, interface, at, frames, _ = line.split()
                    counts.setdefault((process, interface), []).append((float(at), int(frames)))
    if not counts:
        return "-"
    most = max(counts.values(), key=lambda row: row[-1][1])
    end, last = most[-1]
    begin, before = next(((at, n) for at, n in reversed(most) if at <= end / 2), most[0])
    return f"{(last - before) / (end - begin):.1f}" if end > begin else "-"


def info(runner: Runner, side: str) -> str:
    """`glxinfo -B` in one line."""
    with host.XServer("640x480") as server:
        env = host.environment(side, runner.libdir, DISPLAY=server.name)
        done = subprocess.run(
            ["glxinfo", "-B"], env=env, capture_output=True, text=True, timeout=60, check=False
        )
    words = ("direct rendering", "OpenGL vendor", "OpenGL renderer", "OpenGL version")
    found = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.startswith(words)]
    return f"{side}: " + (" / ".join(found) or f"failed: {done.stderr.strip()[-200:]}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/apps", description="real programs on this driver and on Mesa's llvmpipe"
    )
    add = parser.add_argument
    add("--seconds", type=float, default=5, metavar="N", help="of each run (default 5)")
    add("--pictures", metavar="DIR", help="write a screenshot of every run there")
    add("--only", choices=host.SIDES, help="one side")
    add("--write", metavar="FILE", help="write the markdown there too")
    add("names", nargs="*", metavar="NAME", help=", ".join(app.name for app in APPS))
    args = parser.parse_args()
    if unknown := set(args.names) - {app.name for app in APPS}:
        parser.error(f"no program {', '.join(sorted(unknown))}")
    return args


def main() -> int:
    """Run them; 1 if one did not run."""
    args = arguments()
    chosen = tuple(app for app in APPS if not args.names or app.name in args.names)
    if problem := host.install([*wanted(chosen), "mesa-utils"]):
        print(f"scripts/apps: {problem}", file=sys.stderr)
        return 1
    libdir = build.build(say=sys.stderr.isatty())
    if args.pictures:
        os.makedirs(args.pictures, exist_ok=True)
        args.pictures = os.path.abspath(args.pictures)
    failed = 0
    which = (args.only,) if args.only else host.SIDES
    lines = ["| frames/s | llvmpipe | pydri | ended |", "|---|---:|---:|---|"]
    with tempfile.TemporaryDirectory(prefix="pydri-apps-") as folder:
        make_clients(folder, chosen)
        runner = Runner(args, libdir, folder)
        for side in which:
            print(info(runner, side), flush=True)
        print("\n" + "\n".join(lines), flush=True)
        for app in chosen:
            figures, ends = {}, {}
            for side in which:
                figures[side], ends[side] = runner.run(app, side)
            end = ", ".join(sorted(set(ends.values())))
            cells = (app.name, figures.get("peer", "-"), figures.get("ours", "-"), end)
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
            failed |= "ours" in ends and (ends["ours"] != "ran" or figures["ours"] in ("-", "0"))
    if args.write:
        with open(args.write, "w") as file:
            file.write("\n".join(lines) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
