# SPDX-License-Identifier: MIT
"""The body of scripts/hacks: xscreensaver's hacks, games and demos on this driver and on the peer.

In: Debian's programs (scripts/program_lists.py), unmodified, and scripts/preload (a preloaded
counter of swaps and a preloaded clock that advances 1/60 s a swap with constant random seeds, so
that frame n is the same picture on every driver). Out: a markdown table of swaps per second on both
sides over the same frames, alternating within a round, medians over the rounds; with --pictures the
share of pixels that differ in one frame and a contact sheet of both sides.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if __name__ == "__main__":
    sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from scripts import host  # noqa: E402
from scripts.program_lists import LISTS, Listed  # noqa: E402

if TYPE_CHECKING:  # numpy takes a while, and most runs compare no pictures
    import numpy as np
    from numpy.typing import NDArray

    PPM = NDArray[np.int16]  # rows, columns, RGB; 0..255

_NEEDED = ("gcc", "libc6-dev", "make", "xvfb")
FAR = 24
"""Steps of 255 by which a channel must differ for its pixel to count as different."""


class Difference(NamedTuple):
    """How two pictures of one frame compare."""

    far: float  # share of pixels with a channel more than FAR off
    mean: float  # mean of the absolute differences, of 255


class Runner:
    """Runs one program on one side."""

    def __init__(self, args: argparse.Namespace, libdir: str, folder: str, display: str) -> None:
        self.args = args
        self.libdir = libdir
        self.folder = folder
        self.display = display
        self.preload = [host.compile_preload(name) for name in ("swapcount", "dettime")]

    def _home(self, app: Listed) -> str:
        """A fresh home, so that what a run leaves there doesn't change the next one."""
        home = tempfile.mkdtemp(prefix=f"{app.name}-", dir=self.folder)
        for path, text in app.files:
            target = os.path.join(home, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w") as file:
                file.write(text)
        return home

    def counted(self, app: Listed, side: str, seconds: float, **more: str) -> str:
        """What the counter wrote; nothing where the program is not installed."""
        apps = host.apps_folder()
        folder = app.folder.format(apps=apps)
        if folder and not os.path.isdir(folder):
            return ""
        counted = os.path.join(self.folder, f"{app.name}-{side}.count")
        if os.path.exists(counted):
            os.unlink(counted)
        home = self._home(app)
        libdir = self.args.before if side == "before" else self.libdir
        ours = "peer" if side == "peer" else "ours"
        env = host.environment(ours, libdir, DISPLAY=self.display, HOME=home)
        env |= {"SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null"} | dict(app.env)
        env["XDG_CACHE_HOME"] = os.path.join(self.folder, "cache")  # of compiled code: it stays
        if side == "ours" and self.args.driver:
            env["GALLIUM_DRIVER"] = self.args.driver
        env |= {"DETTIME_HZ": "60", "vblank_mode": "0", "SWAPCOUNT_OUT": counted} | more
        preload = ":".join([*self.preload, *filter(None, [env.pop("LD_PRELOAD", "")])])
        command = app.command.format(size=self.args.size, apps=apps).split()
        process = subprocess.Popen(
            ["env", f"LD_PRELOAD={preload}", *command], env=env,
            cwd=folder or home,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            host.end(process)
        if not os.path.exists(counted):
            return ""
        with open(counted) as file:
            return file.read()

    def _last(self, app: Listed, side: str, seconds: float, **more: str) -> tuple[float, int]:
        """Seconds since the first swap, and swaps, of the last line that was counted."""
        last = (0.0, 0)
        for line in self.counted(app, side, seconds, **more).splitlines():
            if not line.startswith("#"):
                _, _, at, frames, _ = line.split()
                last = (float(at), int(frames))
        return last

    def frames(self, app: Listed) -> int:
        """How many frames the peer shows in the time of a run: those that both sides show then
        (later frames may hold more, and who is faster would be given them). Who starts so slowly
        that the counter saw no more than the first one, which says nothing, gets more time.
        """
        for times in (1, 2, 4, 8):
            shown = self._last(app, "peer", times * self.args.seconds)[1]
            if shown > 2:
                break
        return max(shown, 2)

    def rate(self, app: Listed, side: str, frames: int) -> float:
        """Swaps per second over the first frames; 0 if they weren't shown."""
        limit = 20 * self.args.seconds + 20
        spent, shown = self._last(app, side, limit, SWAPCOUNT_EXIT=str(frames))
        return (shown - 1) / spent if shown == frames and spent else 0.0

    def picture(self, app: Listed, side: str, frame: int) -> str:
        """A PPM of what that frame holds before its swap, "" if it wasn't reached."""
        target = os.path.join(self.args.pictures, f"{app.name}-{side}.ppm")
        if os.path.exists(target):
            os.unlink(target)
        snap = {"SWAPCOUNT_SNAP": f"{frame}:{target}", "SWAPCOUNT_EXIT": str(frame + 1)}
        if "{size}" in app.command:  # others are seen as large as their viewport is
            snap["SWAPCOUNT_SIZE"] = self.args.size
        self.counted(app, side, self.args.wait, **snap)
        return target if os.path.exists(target) else ""


def read(path: str) -> "PPM":
    """A PPM file."""
    import numpy as np

    with open(path, "rb") as file:
        _, size, _, body = file.read().split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(body, np.uint8).reshape(height, width, 3).astype(np.int16)


def difference(first: "PPM", second: "PPM") -> Difference:
    """Of two pictures of one size."""
    import numpy as np

    off = np.abs(first - second)
    return Difference(float((off.max(2) > FAR).mean()), float(off.mean()))


def compare(first: str, second: str) -> Difference:
    """Of two PPM files of one size."""
    return difference(read(first), read(second))


def contact_sheet(folder: str, names: list[str]) -> str:
    """One PNG with the peer's picture beside ours for each."""
    pairs, labelled = [], []
    for name in names:
        both = [os.path.join(folder, f"{name}-{side}.ppm") for side in host.SIDES]
        if all(map(os.path.exists, both)):
            pair = os.path.join(folder, f"{name}-pair.png")
            command = ["convert", *both, "-resize", "50%", "+append", pair]
            subprocess.run(command, check=True, timeout=60)
            pairs.append(pair)
            labelled += ["-label", name, pair]
    target = os.path.join(folder, "sheet.png")
    style = ["-tile", "3x", "-geometry", "+4+4", "-background", "white"]
    done = subprocess.run(["montage", *labelled, *style, target], check=False, timeout=300)
    if done.returncode:  # a machine without the fonts that ImageMagick names
        subprocess.run(["montage", *pairs, *style, target], check=True, timeout=300)
    return target


def row(
    runner: Runner, app: Listed, args: argparse.Namespace
) -> tuple[list[str], float, float]:
    """The cells of one program, the ratio, and what it is of the one before (0: not measured)."""
    cells, ratio, change = [app.name], 0.0, 0.0
    if args.rounds:
        sides = (*host.SIDES, *(["before"] if args.before else []))
        frames = runner.frames(app)  # and its compiled code is in the peer's cache from now on,
        for side in sides[1:]:  # so ours shall be in ours
            runner.rate(app, side, frames)
        rates: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(args.rounds):
            for side in sides:
                rates[side].append(runner.rate(app, side, frames))
        peer, ours, *older = (statistics.median(rates[side]) for side in sides)
        ratio = ours / peer if peer else math.inf
        cells += [f"{peer:.1f}", f"{ours:.1f}", f"**{ratio:.2f}**"]
        for before in older:
            change = ours / before if before else math.inf
            cells += [f"{before:.1f}", f"{change:.2f}"]
    if args.pictures:
        both = [runner.picture(app, side, args.frame) for side in host.SIDES]
        if all(both):
            difference = compare(*both)
            cells += [f"{100 * difference.far:.2f} %", f"{difference.mean:.2f}"]
        else:
            cells += ["no picture: " + ", ".join(s for s, p in zip(host.SIDES, both) if not p), ""]
    return cells, ratio, change


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/hacks", description="xscreensaver's hacks, games, demos here and on llvmpipe"
    )
    add = parser.add_argument
    add("--list", choices=LISTS, default="hacks", help="which programs (default: hacks)")
    add("--rounds", type=int, default=3, metavar="N", help="alternating runs; 0: pictures only")
    add("--seconds", type=float, default=4, metavar="N", help="of the peer's runs (default 4)")
    add("--size", default="640x480", metavar="WxH", help="of a hack's window")
    add("--frame", type=int, default=60, metavar="N", help="whose picture is compared")
    add("--pictures", metavar="DIR", help="compare pictures; they and a contact sheet go there")
    add("--wait", type=float, default=60, metavar="N", help="seconds for a picture (default 60)")
    add("--driver", metavar="NAME", help="what ours draws with (GALLIUM_DRIVER)")
    add("--before", metavar="LIBDIR", help="an older build's build/lib: measured as a third side")
    add("--write", metavar="FILE", help="write the markdown there too")
    add("names", nargs="*", metavar="NAME", help="default: those of the list")
    return parser.parse_args()


def main() -> int:
    """Run them; 1 if one showed nothing."""
    args = arguments()
    apps = [app for app in LISTS[args.list] if not args.names or app.name in args.names]
    packages = sorted({package for app in apps for package in app.packages})
    if problem := host.install([*_NEEDED, *packages, *(["imagemagick"] if args.pictures else [])]):
        print(f"scripts/hacks: {problem}", file=sys.stderr)
        return 1
    if args.pictures:
        args.pictures = os.path.abspath(args.pictures)
        os.makedirs(args.pictures, exist_ok=True)
    libdir = build.build(say=sys.stderr.isatty())
    head = ["swaps/s"]
    head += ["llvmpipe", "pydri", "ratio"] if args.rounds else []
    head += ["before", "now/before"] if args.rounds and args.before else []
    head += [f"pixels off in frame {args.frame}", "mean of 255"] if args.pictures else []
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    ratios, changes = [], []
    with tempfile.TemporaryDirectory(prefix="pydri-hacks-") as folder, host.XServer() as server:
        runner = Runner(args, libdir, folder, server.name)
        print("\n".join(lines), flush=True)
        for app in apps:
            cells, ratio, change = row(runner, app, args)
            ratios.append(ratio)
            changes += [change] if change else []
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    if args.rounds and all(ratios):
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        slow = sum(ratio < 1 for ratio in ratios)
        lines += ["", f"geometric mean ratio {mean:.2f}, lowest {min(ratios):.2f}, "
                      f"below 1.0: {slow} of {len(ratios)}"]  # fmt: skip
        if changes:
            mean = statistics.geometric_mean(changes)
            lines[-1] += f"; now/before: geometric mean {mean:.3f}, lowest {min(changes):.2f}"
        print("\n".join(lines[-2:]))
    if args.pictures:
        print(contact_sheet(args.pictures, [app.name for app in apps]))
    if args.write:
        with open(args.write, "w") as file:
            file.write(time.strftime(f"Measured %F with scripts/hacks --list {args.list}.\n\n"))
            file.write("\n".join(lines) + "\n")
    return int(bool(args.rounds) and not all(ratios))


if __name__ == "__main__":
    sys.exit(main())
