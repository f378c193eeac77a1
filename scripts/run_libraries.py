# SPDX-License-Identifier: MIT
"""The body of scripts/libraries: Python's libraries that draw, each on each kind of surface that it
has, by three ways on this driver and once on the peer.

In: a virtual environment with the libraries and an installed pydri (--install makes it), the table
CASES, an X server of our own. Out: the table of docs/python.md: how each way went, how far the
picture is from the peer's, time up to the first picture and of a frame on the peer and by each way;
with --pictures a PNG for each case: ours, the peer's, their difference. Exit status 1 if a case
that works on the peer does not on ours.

With --rounds the peer and the ways take turns, and the times are medians. The first round is not
among them: it compiles what later ones find in the cache, on both sides.

The ways are `pydri.load()` in the program, LD_LIBRARY_PATH around it, and `pydri exec`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if __name__ == "__main__":
    sys.path[0] = ROOT

from pydri.tools import pictures, png  # noqa: E402
from scripts import host  # noqa: E402

CLIENT = os.path.join(ROOT, "tests", "apps", "clients", "library.py")
_SECONDS = 180
_LOAD = ("import pydri, runpy, sys; pydri.load(); sys.argv[:] = sys.argv[1:];"
         " runpy.run_path(sys.argv[0], run_name='__main__')")  # fmt: skip
WAYS = ("load()", "LD_LIBRARY_PATH", "pydri exec")
#: what a channel may be off before a pixel counts
_TOLERANCE = 8


class Case(NamedTuple):
    """A library on a kind of surface."""

    library: str
    surface: str  # "window", "egl", "osmesa"
    #: how the program says so, for the environment
    variables: dict[str, str] = {}
    #: whether EGL is to be had on an X server
    on_x: bool = False
    #: why there is nothing to run
    why_not: str = ""


_EGL = {"EGL_PLATFORM": "surfaceless"}
_GL_EGL = {"PYOPENGL_PLATFORM": "egl", **_EGL}
_GL_OSMESA = {"PYOPENGL_PLATFORM": "osmesa"}
_NEWER = {"MESA_GL_VERSION_OVERRIDE": "4.1", "MESA_GLSL_VERSION_OVERRIDE": "410"}
_NO_OSMESA = "it knows no OSMesa"
CASES = (
    Case("pyopengl", "window"),
    Case("pyopengl", "egl", _GL_EGL),
    Case("pyopengl", "osmesa", _GL_OSMESA),
    Case("moderngl", "window"),
    Case("moderngl", "egl", _EGL),
    Case("moderngl", "osmesa", why_not=_NO_OSMESA),
    Case("pyglet", "window"),
    Case("pyglet", "egl"),
    Case("pyglet", "osmesa", why_not=_NO_OSMESA),
    Case("glfw", "window"),
    Case("glfw", "egl", {"PYOPENGL_PLATFORM": "egl"}, on_x=True),
    Case("glfw", "osmesa", _GL_OSMESA),
    Case("pygame", "window"),
    Case("pygame", "egl", {"SDL_VIDEODRIVER": "offscreen", **_GL_EGL}),
    Case("pygame", "osmesa", why_not=_NO_OSMESA),
    Case("vispy", "window"),
    Case("vispy", "egl", _EGL),
    Case("vispy", "osmesa"),
    Case("panda3d", "window"),
    Case("panda3d", "egl", _EGL),
    Case("panda3d", "osmesa", why_not=_NO_OSMESA),
    Case("mujoco", "window", {"MUJOCO_GL": "glfw"}),
    Case("mujoco", "egl", {"MUJOCO_GL": "egl", "PYOPENGL_PLATFORM": "egl"}),
    Case("mujoco", "osmesa", {"MUJOCO_GL": "osmesa", **_GL_OSMESA}),
    Case("vtk", "window", {"VTK_DEFAULT_OPENGL_WINDOW": "vtkXOpenGLRenderWindow"}),
    Case("vtk", "egl", {"VTK_DEFAULT_OPENGL_WINDOW": "vtkEGLRenderWindow"}),
    Case("vtk", "osmesa", {"VTK_DEFAULT_OPENGL_WINDOW": "vtkOSOpenGLRenderWindow"}),
    Case("pyvista", "window", {"VTK_DEFAULT_OPENGL_WINDOW": "vtkXOpenGLRenderWindow"}),
    Case("pyvista", "egl", {"VTK_DEFAULT_OPENGL_WINDOW": "vtkEGLRenderWindow"}),
    Case("pyvista", "osmesa", {"VTK_DEFAULT_OPENGL_WINDOW": "vtkOSOpenGLRenderWindow"}),
    Case("pyrender", "window", why_not="its windows want pyglet 1, and are drawn like its EGL"),
    Case("pyrender", "egl", {"PYOPENGL_PLATFORM": "egl", **_NEWER}),
    Case("pyrender", "osmesa", why_not="it wants functions that PyOpenGL 3.1.10 has not"),
    Case("pyside6", "window"),
    Case("pyside6", "egl", {"QT_XCB_GL_INTEGRATION": "xcb_egl", "PYOPENGL_PLATFORM": "egl"},
         on_x=True),
    Case("pyside6", "osmesa", why_not=_NO_OSMESA),
)  # fmt: skip
#: what --install fetches; tests/apps/clients/library.py draws with them
PACKAGES = (
    "PyOpenGL", "moderngl", "pyglet", "glfw", "pygame", "vispy", "panda3d", "mujoco", "vtk",
    "pyvista", "pyrender", "PySide6-Essentials", "trimesh", "numpy",
)  # fmt: skip
#: what pyrender asks to be old, and draws with when it is new; MuJoCo's EGL wants it new
NEWER = ("PyOpenGL>=3.1.10",)


class Run(NamedTuple):
    """How a case went by one way: what it told, or the last words of one that failed."""

    told: dict[str, Any] | None
    problem: str
    picture: png.Image | None


def environment(case: Case, side: str, way: str, libdir: str, display: str) -> dict[str, str]:
    """That of a case, with a display only where it draws on one."""
    env = host.environment("peer") if side == "peer" else host.clean_environment()
    env |= {"SDL_AUDIODRIVER": "dummy", "vblank_mode": "0", **case.variables}
    env.pop("DISPLAY", None)
    env["BEGUN"] = repr(time.monotonic())
    if way == "LD_LIBRARY_PATH":
        env["LD_LIBRARY_PATH"] = libdir
    if case.surface == "window" or case.on_x:
        env["DISPLAY"] = display
    return env


def command(python: str, way: str, words: list[str]) -> list[str]:
    """The client by one way."""
    first = {"load()": ["-c", _LOAD], "pydri exec": ["-m", "pydri.cli", "exec"]}.get(way, [])
    return [python, *first, CLIENT, *words]


class Runner:
    """Runs cases."""

    def __init__(self, python: str, folder: str, display: str) -> None:
        self.python, self.folder, self.display = python, folder, display
        ask = [python, "-m", "pydri.cli", "path"]
        done = subprocess.run(ask, cwd=folder, capture_output=True, text=True, check=True)
        self.libdir = done.stdout.strip()

    def run(self, case: Case, side: str, way: str = "") -> Run:
        """One way."""
        out = os.path.join(self.folder, "picture.png")
        words = [case.library, case.surface, out]
        env = environment(case, side, way, self.libdir, self.display)
        try:
            done = subprocess.run(
                command(self.python, way, words), env=env, cwd=self.folder, text=True,
                capture_output=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Run(None, f"not done after {_SECONDS} s", None)
        return self._read(done, out)

    def _read(self, done: "subprocess.CompletedProcess[str]", out: str) -> Run:
        lines = [line for line in done.stdout.splitlines() if line.startswith('{"version"')]
        if not lines:
            words = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            return Run(None, words[-150:], None)
        with open(out, "rb") as file:
            picture = png.decode(file.read())
        os.unlink(out)
        problem = f"ends with status {done.returncode}" if done.returncode else ""
        return Run(json.loads(lines[-1]), problem, picture)


# -- the table -------------------------------------------------------------------------------------


def verdict(run: Run, peer: Run) -> str:
    """How a way went, in words: "works", or what is wrong."""
    if run.told is None:
        return f"no: {run.problem}"
    if not run.told["draws"]:
        return f"no: another driver drew ({run.told['version']})"
    if run.told["foreign"]:
        return f"no: beside {', '.join(map(os.path.basename, run.told['foreign']))}"
    if run.problem and run.problem != peer.problem:
        return f"no: {run.problem}"
    return "works"


def apart(ours: Run, peer: Run) -> str:
    """How far the pictures are from each other."""
    if ours.picture is None or peer.picture is None:
        return "-"
    if ours.picture[:2] != peer.picture[:2]:
        return "of another size"
    found = pictures.difference(ours.picture, peer.picture, _TOLERANCE)
    if not found.pixels:
        return f"{found.worst} of 255 at most"
    share = 100 * found.pixels / (ours.picture.width * ours.picture.height)
    return f"{share:.2f} % by more than {_TOLERANCE}"


def figures(sides: list[list[Run]], name: str, form: str) -> str:
    """A time of the peer and of each way: the median of the rounds behind the first."""
    cells = []
    for runs in sides:
        found = [run.told[name] for run in runs[1:] or runs if run.told is not None]
        cells.append(form.format(statistics.median(found)) if found else "-")
    return " / ".join(cells)


def beside(path: str, runs: list[Run]) -> None:
    """A PNG of pictures in a row, and of the difference of the first two."""
    import numpy as np

    found = [run.picture for run in runs if run.picture]
    if len(found) == 2 and found[0][:2] == found[1][:2]:
        found.append(pictures.difference(found[0], found[1], 0).picture)
    if not found or len({image.height for image in found}) > 1:
        return
    rows = np.hstack([
        np.frombuffer(image.rgb, np.uint8).reshape(image.height, image.width, 3) for image in found
    ])  # fmt: skip
    with open(path, "wb") as file:
        file.write(png.encode(png.Image(rows.shape[1], rows.shape[0], rows.tobytes())))


#: a time, how it is written
TIMES = {"start": "{:.2f}", "start_cpu": "{:.2f}", "frame": "{:.2f}", "frame_cpu": "{:.2f}"}
HEAD = ("library", "surface", *WAYS, "beside Mesa's", "start, s: Mesa / each way",
        "CPU s", "frame, ms", "CPU ms")  # fmt: skip


def row(runner: Runner, case: Case, folder: str, rounds: int) -> tuple[list[str], bool]:
    """The cells of a case, and whether it is as it should be."""
    cells = [case.library, case.surface]
    if case.why_not:
        return [*cells, f"none: {case.why_not}", *[""] * (len(HEAD) - 3)], True
    sides: list[list[Run]] = [[] for _ in ("Mesa", *WAYS)]
    for _ in range(rounds):
        for runs, way in zip(sides, ("", *WAYS)):
            runs.append(runner.run(case, "ours" if way else "peer", way))
    peer, *ours = (runs[0] for runs in sides)
    told = [verdict(run, peer) for run in ours]
    if case.variables:
        cells[1] += " " + " ".join(f"`{name}={value}`" for name, value in case.variables.items())
    # The first run of all compiles: the picture is of the last one, whose kernels are there.
    best = next((run for run in reversed(ours) if run.told), ours[0])
    if peer.told is None:
        told.append(f"Mesa: {peer.problem}")
    else:
        told.append(apart(best, peer))
    if folder:
        beside(os.path.join(folder, f"{case.library}-{case.surface}.png"), [best, peer])
    good = all(text == "works" for text in told[:3]) or peer.told is None
    return [*cells, *told, *(figures(sides, *time) for time in TIMES.items())], good


# -- the command -----------------------------------------------------------------------------------


def install(folder: str) -> None:
    """Make the environment, of the Python that the driver was built for."""
    python = os.path.join(folder, "bin", "python")
    pip = [python, "-P", "-m", "pip", "--disable-pip-version-check", "install"]
    for order in ([sys.executable, "-P", "-m", "venv", "--clear", folder], [*pip, *PACKAGES],
                  [*pip, *NEWER], [*pip, ROOT]):  # fmt: skip
        subprocess.run(order, check=True)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/libraries", description="Python's libraries that draw, on both drivers"
    )
    venv = os.path.join(host.apps_folder(), "venv")
    add = parser.add_argument
    add("--venv", metavar="DIR", default=venv, help=f"an environment with them (default: {venv})")
    add("--install", action="store_true", help="make it first, from the package registry")
    add("--pictures", metavar="DIR", help="write there what both drew, side by side")
    add("--write", metavar="FILE", help="write the markdown there too")
    add("--rounds", type=int, default=1, metavar="N", help="how often each is run (default: 1)")
    add("names", nargs="*", metavar="NAME", help="libraries (default: all)")
    args = parser.parse_args()
    if unknown := set(args.names) - {case.library for case in CASES}:
        parser.error(f"no library {', '.join(sorted(unknown))}")
    return args


def main() -> int:
    """Run them; 1 if one is not as it should be."""
    args = arguments()
    if args.install:
        install(args.venv)
    python = os.path.abspath(os.path.join(args.venv, "bin", "python"))
    if not os.path.exists(python):
        print(f"scripts/libraries: no {python}; --install makes it", file=sys.stderr)
        return 1
    if args.pictures:
        os.makedirs(args.pictures, exist_ok=True)
    lines = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    print("\n".join(lines), flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder, host.XServer("640x480") as server:
        runner = Runner(python, folder, server.name)
        for case in CASES:
            if args.names and case.library not in args.names:
                continue
            cells, good = row(runner, case, args.pictures, args.rounds)
            failed |= not good
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    if args.write:
        with open(args.write, "w") as file:
            file.write("\n".join(lines) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
