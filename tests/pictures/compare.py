# SPDX-License-Identifier: MIT
"""Pictures of our driver beside the peer's: `compare.py [SCENE ...] [--out DIR] [--all-pngs]`.

In: the scenes of *.c (compiled here), Debian's llvmpipe (libgl1-mesa-dri), our libraries. Out: a
table (scene, greatest difference that no edge explains, how many of those, how many pixels of edges
differ, verdict) and, for failures, a PNG of peer | ours | difference x 8.

The tolerance. Colours may be LEVELS/255 apart: two correct drivers may round differently. A pixel
that differs by more is an edge's if in its neighbourhood of 3 x 3, in either picture, there is a
step at least that large: there it may belong to the one or the other primitive, as rasterisers
differ in the last bits of a vertex. Of such pixels a stated share of the window may differ, per
kind of scene (SHARES), and none at all where vertices lie exactly on the grid; of others none.
"""

import argparse
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
if str(ROOT) not in sys.path:  # when run as a program
    sys.path.insert(0, str(ROOT))

from libgl_shim import build as shim_build  # noqa: E402
from scripts import host  # noqa: E402
from winsys_x11 import png  # noqa: E402

Picture = npt.NDArray[np.uint8]

LEVELS = 2  # of 255
RANDOM_LEVELS = 4  # where blending over blending adds up what was rounded
AREA_LEVELS = 16  # between an area and the part of 256 places that lie in it
DEFAULT_SHARE = 0.005  # of all pixels, on edges

# Scenes that are known to differ, and why. One that agrees after all is a failure, too.
EXPECTED: dict[str, str] = {
    "random_18": "the peer cuts points of polygons at the viewport, which is no clip volume",
    "random_49": "the same",
    # the peer's pixels are never fogged; theirs is the raster position's distance (GL 2.1, 3.10)
    "pixel_fog": "pixels are fogged",
    # the peer accumulates sRGB-decoded numbers, though GL_FRAMEBUFFER_SRGB is off
    "accum_blur": "GL 2.1, 4.2.4 knows no decoding",
    "accum_operations": "the same",
    "accum_buffers": "the same",
    # the peer interpolates coverage in perspective: lines fade towards the eye
    "smooth_lines_perspective": "coverage is linear in the window",
    # GL 2.1, 5.1: the normal follows the derivatives by u and v, whose sign the peer forgets
    "eval_flipped": "automatic normals of a reversed domain",
    "smooth_polygons": "the peer does not smooth polygons; see area_*",
    # GL 2.1, 3.3.3 and 3.13: what smooth is round, what is smaller than the threshold fades
    "samples_smooth_points": "the peer's smooth points with several samples are squares",
    "samples_fading_points": "the peer's points do not fade",
    "samples_front": "the peer's front buffer is black after a swap, if it has several samples",
}

# Scenes that the peer does not draw as GL says (it has no smooth polygons): the judge is its
# picture of the scene NAME_large, which draws the same polygons magnified and makes them small.
MAGNIFIED = "area_*"

# The first pattern that fits decides which share of the pixels may differ on edges.
SHARES = [
    ("random_*", 0.012),  # many lines, points and stipples in a small window
    ("fill_*", 0.0),
    ("mesh_add_*", 0.0),
    ("cover_add_*", 0.0),
    ("rects", 0.0),
    # where the outlines of three colours cross, saturation takes what it finds
    ("area_stacked", 0.0002),
    ("area_*", 0.0),
    ("clear*", 0.0),
    ("scissor", 0.0),
    # the peer's colours along lines with several samples a pixel are half a pixel off
    ("samples_strips", 0.06),
    ("samples_smooth", 0.04),
    ("samples_stipple", 0.01),
    # the peer's discs have full coverage up to the rim (a comparison is the wrong way round)
    ("smooth_points*", 0.035),
    ("smooth_polygon_points", 0.035),
    ("smooth_alpha_test", 0.035),
    ("sides_wide_smooth", 0.035),
]


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
    """How two pictures of a scene differ."""

    name: str
    smooth_max: int  # greatest difference that no edge explains
    smooth_count: int  # pixels where it is more than LEVELS
    edge_count: int  # pixels on edges that are more than LEVELS apart
    pixels: int
    trouble: str = ""  # crash, GL error, other size

    @property
    def share(self) -> float:
        return self.edge_count / self.pixels if self.pixels else 0.0

    @property
    def passed(self) -> bool:
        """Whether the pictures agree within the tolerance."""
        agree = self.smooth_count == 0 and self.share <= allowed_share(self.name)
        return agree and not self.trouble

    @property
    def expected(self) -> bool:
        """Whether that is what we know of the scene."""
        return self.passed != (self.name in EXPECTED)

    def row(self) -> str:
        words = {(1, 1): "ok", (0, 0): "FAIL", (0, 1): "known", (1, 0): "FAIL: agrees now"}
        word = words[self.passed, self.expected]
        return (
            f"{self.name:28} {self.smooth_max:4d} {self.smooth_count:7d} {self.edge_count:7d} "
            f"{100 * self.share:7.3f} %  {word} {self.trouble}".rstrip()
        )


HEADING = f"{'scene':28} {'max':>4} {'smooth':>7} {'edge':>7} {'share':>9}"


def allowed_share(name: str) -> float:
    """The share of pixels on edges that may differ in a scene."""
    for pattern, share in SHARES:
        if fnmatch.fnmatch(name, pattern):
            return share
    return DEFAULT_SHARE


def judge_of(name: str) -> str:
    """The scene of the peer's that judges this one."""
    judged = fnmatch.fnmatch(name, MAGNIFIED) and not name.endswith("_large")
    return f"{name}_large" if judged else name


def compile_client(folder: pathlib.Path) -> pathlib.Path:
    """Build the client that draws the scenes. RuntimeError says what this machine lacks; scenes
    that do not compile are a mistake of ours (AssertionError)."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    headers = ("/usr/include/GL/glx.h", "/usr/include/X11/Xlib.h")
    if compiler is None or not all(map(os.path.exists, headers)):
        raise RuntimeError("no C compiler (Debian: apt-get install gcc libgl-dev libx11-dev)")
    program = folder / "scenes"
    command = [compiler, "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers"]
    command += ["-o", str(program), *map(str, sorted(HERE.glob("*.c"))), "-lGL", "-lX11", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"the scenes do not compile:\n{done.stderr}")
    return program


def peer_env(display: str) -> dict[str, str]:
    """An environment in which libGL.so.1 is the system's, drawing with llvmpipe."""
    env = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
    return env | {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"}


def our_env(display: str, **more: str) -> dict[str, str]:
    """An environment in which libGL.so.1 is ours."""
    ours = ("LIBGL_", "GALLIUM_", "LD_PRE", "LP_", "PYDRI_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return env | {"DISPLAY": display, "LD_LIBRARY_PATH": shim_build.default_out()} | more


def private_server() -> host.XServer:
    """An X server of our own, which stays as it is when its last client leaves."""
    return host.XServer()


def peer_missing(program: pathlib.Path, display: str) -> str:
    """Why the peer cannot be asked; "" if it can."""
    done = subprocess.run(
        [str(program), "smooth_quads"],
        env=peer_env(display),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        return f"no llvmpipe of Mesa's (Debian: libgl1-mesa-dri): {done.stderr[-200:]}"
    return ""


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


def draw_all(
    program: pathlib.Path, env: dict[str, str], out: pathlib.Path | None, seconds: float = 900
) -> dict[str, Drawn]:
    """Draw every scene in one process; where it dies, note the scene and go on behind it."""
    names, drawn = scene_names(program), {}
    folder, start = str(out) if out else "", names[0]
    while True:
        output, trouble = _run([str(program), "all", folder, "from", start], env, seconds)
        for line in output.splitlines():
            name, width, height, *rest = line.split()
            drawn[name] = Drawn(name, int(width), int(height), *rest)
        done = [name for name in names if name in drawn]
        if not trouble or done[-1:] == names[-1:]:
            return drawn
        dead = names.index(done[-1]) + 1 if done else 0
        drawn[names[dead]] = Drawn(names[dead], 0, 0, "", trouble, "-")
        if dead + 1 == len(names):
            return drawn
        start = names[dead + 1]


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


def read_pam(path: pathlib.Path) -> Picture:
    """Rows, columns, RGBA of a file that the client wrote."""
    data = path.read_bytes()
    end = data.index(b"ENDHDR\n") + 7
    header = dict(line.split(b" ", 1) for line in data[:end].splitlines() if b" " in line)
    shape = (int(header[b"HEIGHT"]), int(header[b"WIDTH"]), 4)
    return np.frombuffer(data, np.uint8, offset=end).reshape(shape)


def _steps(picture: Picture) -> npt.NDArray[np.int16]:
    """The largest difference between neighbours in each pixel's 3 x 3, of any channel."""
    padded = np.pad(picture.astype(np.int16), ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = picture.shape[:2]
    windows = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    found: npt.NDArray[np.int16] = np.maximum.reduce(windows) - np.minimum.reduce(windows)
    return found.max(axis=2)


def compare(name: str, peer: Picture, ours: Picture) -> Verdict:
    """Judge two pictures."""
    pixels = peer.shape[0] * peer.shape[1]
    if peer.shape != ours.shape:
        return Verdict(name, 255, pixels, 0, pixels, f"size {ours.shape} instead of {peer.shape}")
    distance = np.abs(peer.astype(np.int16) - ours.astype(np.int16)).max(axis=2)
    levels = RANDOM_LEVELS if name.startswith("random_") else LEVELS
    if judge_of(name) != name:
        levels = AREA_LEVELS
    edge = (distance > levels) & (distance <= np.maximum(_steps(peer), _steps(ours)))
    smooth = distance[~edge]
    return Verdict(
        name, int(smooth.max(initial=0)), int((smooth > levels).sum()), int(edge.sum()), pixels
    )


def side_by_side(peer: Picture, ours: Picture) -> bytes:
    """PNG: peer | ours | difference x 8 (alpha's difference is shown as white)."""
    difference = np.abs(peer.astype(np.int16) - ours.astype(np.int16)) * 8
    shown = np.minimum(np.maximum(difference[..., :3], difference[..., 3:]), 255)
    gap = np.full((peer.shape[0], 4, 3), 128, np.uint8)
    row = np.hstack([peer[..., :3], gap, ours[..., :3], gap, shown.astype(np.uint8)])
    return png.encode(png.Image(row.shape[1], row.shape[0], row.tobytes()))


def contact_sheet(pictures: list[Picture], columns: int = 8, size: int = 160) -> bytes:
    """PNG: all pictures, made small by leaving out pixels, in rows."""
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * size, columns * size, 3), 64, np.uint8)
    for i, picture in enumerate(pictures):
        step = max(1, -(-max(picture.shape[:2]) // (size - 4)))
        small = picture[::step, ::step, :3]
        y, x = i // columns * size, i % columns * size
        sheet[y : y + small.shape[0], x : x + small.shape[1]] = small
    return png.encode(png.Image(sheet.shape[1], sheet.shape[0], sheet.tobytes()))


def judge(
    drawn_peer: dict[str, Drawn],
    drawn_ours: dict[str, Drawn],
    peer: pathlib.Path,
    ours: pathlib.Path,
) -> list[Verdict]:
    """A verdict for each scene that the peer drew."""
    verdicts = []
    for name, theirs in drawn_peer.items():
        mine = drawn_ours.get(name)
        if mine is None or mine.crashed or theirs.crashed:
            how = f"peer: {theirs.error}" if theirs.crashed else mine.error if mine else "not drawn"
            verdicts.append(Verdict(name, 255, 0, 0, 0, f"crash: {how}"))
            continue
        pictures = read_pam(peer / f"{judge_of(name)}.pam"), read_pam(ours / f"{name}.pam")
        verdict = compare(name, *pictures)
        if mine.error != theirs.error:
            verdict = verdict._replace(trouble=f"glGetError {mine.error}, peer {theirs.error}")
        elif mine.window not in ("-", "0"):
            verdict = verdict._replace(trouble=f"{mine.window} pixels of the window are others")
        verdicts.append(verdict)
    return verdicts


def save_pictures(
    verdicts: list[Verdict], peer: pathlib.Path, ours: pathlib.Path, out: pathlib.Path, every: bool
) -> None:
    """Side by side, for failures or for every scene."""
    out.mkdir(parents=True, exist_ok=True)
    for verdict in verdicts:
        paths = peer / f"{judge_of(verdict.name)}.pam", ours / f"{verdict.name}.pam"
        if (every or not verdict.expected) and all(path.exists() for path in paths):
            pictures = [read_pam(path) for path in paths]
            if pictures[0].shape == pictures[1].shape:
                (out / f"{verdict.name}.png").write_bytes(side_by_side(*pictures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="our pictures beside the peer's")
    parser.add_argument("scenes", nargs="*", help="names or patterns; none: all")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("pictures-out"))
    parser.add_argument("--peer", type=pathlib.Path, help="folder where the peer's pictures stay")
    parser.add_argument("--all-pngs", action="store_true", help="PNGs of what passes, too")
    parser.add_argument("--sheet", action="store_true", help="contact sheet of our pictures")
    return parser.parse_args()


def main() -> int:
    """Compare and print the table; 1 if a scene fails."""
    arguments = _arguments()
    out: pathlib.Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    with private_server() as server, tempfile.TemporaryDirectory() as scratch:
        folders = arguments.peer or pathlib.Path(scratch, "peer"), pathlib.Path(scratch, "ours")
        for folder in folders:
            folder.mkdir(exist_ok=True, parents=True)
        program = compile_client(pathlib.Path(scratch))
        names = scene_names(program)
        if arguments.scenes:
            chosen = [n for n in names if any(fnmatch.fnmatch(n, p) for p in arguments.scenes)]
            judges = {judge_of(n) for n in chosen}
            names = [n for n in names if n in judges or n in chosen]
        environments = peer_env(server.name), our_env(server.name, SCENES_WINDOW="1")
        drawn = []
        for folder, env in zip(folders, environments):
            kept = [n for n in names if (folder / f"{n}.pam").exists()]
            if len(kept) == len(names):
                drawn.append({n: Drawn(n, 0, 0, "kept", "0x0", "-") for n in names})
            elif len(names) > 20:
                every = draw_all(program, env, folder)
                drawn.append({n: d for n, d in every.items() if n in names})
            else:
                drawn.append(draw_some(program, env, folder, names))
        verdicts = judge(drawn[0], drawn[1], *folders)
        save_pictures(verdicts, *folders, out, arguments.all_pngs)
        if arguments.sheet:
            paths = [folders[1] / f"{n}.pam" for n in names]
            pictures = [read_pam(path) for path in paths if path.exists()]
            (out / "sheet.png").write_bytes(contact_sheet(pictures))
    print(HEADING)
    for verdict in verdicts:
        print(verdict.row())
    agree = sum(verdict.passed for verdict in verdicts)
    print(f"{agree} of {len(verdicts)} scenes agree")
    return 0 if all(verdict.expected for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
