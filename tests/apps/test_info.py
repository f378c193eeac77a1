# SPDX-License-Identifier: MIT
"""The info tools say of this driver what they say of the peer, but for what docs/differences.md
names; and what it advertises is there.
"""

import pathlib
from collections.abc import Iterator

import pytest

from libgl_shim import build
from scripts import sides
from scripts.xserver import XServer
from tests.apps import info

pytestmark = [pytest.mark.x11, pytest.mark.slow]

PEER = "/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so"
WANTED = {
    **info.TOOLS,
    "cc": "gcc",
    "Xvfb": "xvfb",
    "/usr/include/GL/glx.h": "libgl-dev",
    "/usr/include/X11/Xlib.h": "libx11-dev",
    PEER: "libgl1-mesa-dri",
}


def _client(name: str, folder: str) -> str:
    source = pathlib.Path(__file__).parent / "clients" / f"{name}.c"
    return sides.compile_client(str(source), folder, "-lGL", "-lX11")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[info.Facts, info.Facts]]:
    """What the tools say, of us and of the peer."""
    if problem := sides.install(WANTED):
        pytest.skip(problem)
    folder = str(tmp_path_factory.mktemp("info"))
    program = _client("limits", folder)
    libdir = build.build(say=False)
    with XServer("1280x1024") as name:
        found = [
            info.every_fact(
                sides.environment(side, libdir, DISPLAY=name, MESA_SHADER_CACHE_DIR=folder), program
            )
            for side in ("ours", "peer")
        ]
        yield found[0], found[1]


def test_only_known_differences(both: tuple[info.Facts, info.Facts]) -> None:
    rows = info.known()
    used: set[info.Row] = set()
    unknown = []
    for side, name, values in info.differences(*both):
        meant = [row for row in rows if row.means(side, name)]
        used.update(meant)
        if not meant:
            unknown.append(f"{side}: {name}: {values}")
    assert not unknown, f"{len(unknown)} differences\n" + "\n".join(unknown[:40])
    assert not [row for row in rows if row not in used]


def test_the_tools_find_everything(both: tuple[info.Facts, info.Facts]) -> None:
    """Parsers that find nothing would agree about it."""
    for facts in both:
        for kind, number in (
            ("gl extension ", 77), ("gl limit ", 22), ("get ", 350), ("glx visual ", 100),
            ("glx fbconfig ", 300), ("visualinfo ", 100), ("egl X11 config ", 40),
            ("glx client extension ", 30), ("egl Surfaceless extension ", 10), ("waffle ", 12),
        ):  # fmt: skip
            assert sum(name.startswith(kind) for name in facts) >= number, kind


def test_no_function_is_missing(both: tuple[info.Facts, info.Facts]) -> None:
    """Of all that GLEW knows of what we advertise."""
    ours, _ = both
    assert not [name for name, value in ours.items() if value == "MISSING"]


def test_extensions_do_the_same(tmp_path: pathlib.Path) -> None:
    """Of what clients/extensions.c asks: pictures, state, errors."""
    if problem := sides.install(WANTED):
        pytest.skip(problem)
    program, said = _client("extensions", str(tmp_path)), []
    with XServer("640x480") as name:
        for side in ("ours", "peer"):
            env = sides.environment(
                side, build.build(say=False), DISPLAY=name, MESA_SHADER_CACHE_DIR=str(tmp_path)
            )
            said.append(info.say(env, program).splitlines())
    assert len(said[0]) > 90
    assert said[0] == said[1]


@pytest.mark.parametrize("year", [1995, 1997, 1999, 2001, 2003, 2005, 2008, 2010, 2013])
def test_old_programs_see_the_same_extensions(year: int, tmp_path: pathlib.Path) -> None:
    """MESA_EXTENSION_MAX_YEAR, which games with short buffers need: of those that both have."""
    if problem := sides.install(WANTED):
        pytest.skip(problem)
    seen = []
    with XServer("640x480") as name:
        for most in (9999, year):
            for side in ("ours", "peer"):
                env = sides.environment(
                    side, build.build(say=False), DISPLAY=name, MESA_SHADER_CACHE_DIR=str(tmp_path),
                    MESA_EXTENSION_MAX_YEAR=str(most),
                )  # fmt: skip
                facts = info.glxinfo(env)
                seen.append({fact for fact in facts if fact.startswith("gl extension ")})
    both = seen[0] & seen[1]
    assert len(both) > 80
    assert seen[2] & both == seen[3] & both
