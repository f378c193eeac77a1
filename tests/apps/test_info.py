# SPDX-License-Identifier: MIT
"""The info tools say of this driver what they say of the peer, but for what docs/differences.md
names; and what it advertises is there.
"""

import pathlib

import pytest

from tests import host
from tests.apps import info

pytestmark = [
    pytest.mark.x11,
    pytest.mark.slow,
    pytest.mark.needs(*host.CLIENT, *info.PACKAGES, "libgl1-mesa-dri"),
]


def _client(name: str) -> str:
    source = pathlib.Path(__file__).parent / "clients" / f"{name}.c"
    return host.compile_client(source, "-lGL", "-lX11")


@pytest.fixture(scope="module")
def both() -> tuple[info.Facts, info.Facts]:
    """What the tools say, of us and of the peer."""
    program = _client("limits")
    with host.XServer() as server:
        sides = (host.side(side, server.name) for side in ("ours", "peer"))
        ours, peer = (info.every_fact(env, program) for env in sides)
    return ours, peer


def test_only_known_differences(both: tuple[info.Facts, info.Facts]) -> None:
    host.only_reference_peer()
    rows = info.known()
    used: set[tuple[str, str]] = set()
    unknown = []
    for side, name, values in info.differences(*both):
        meant = [(side, pattern) for row in rows for pattern in row.meaning(side, name)]
        used.update(meant)
        if not meant:
            unknown.append(f"{side}: {name}: {values}")
    assert not unknown, f"{len(unknown)} differences\n" + "\n".join(unknown[:40])
    written = [(row.side, pattern) for row in rows for pattern in row.names]
    assert not [one for one in written if one not in used], "patterns that mean no difference"


def test_the_tools_find_everything(both: tuple[info.Facts, info.Facts]) -> None:
    """Parsers that find nothing would agree about it."""
    for facts in both:
        for kind, number in (
            ("gl extension ", 77), ("gl limit ", 22), ("get ", 350), ("glx visual ", 20),
            ("glx fbconfig ", 100), ("visualinfo ", 20), ("egl X11 config ", 40),
            ("glx client extension ", 30), ("egl Surfaceless extension ", 10), ("waffle ", 12),
        ):  # fmt: skip
            assert sum(name.startswith(kind) for name in facts) >= number, kind


def test_no_function_is_missing(both: tuple[info.Facts, info.Facts]) -> None:
    """Of all that GLEW knows of what we advertise."""
    ours, _ = both
    assert not [name for name, value in ours.items() if value == "MISSING"]


def test_extensions_do_the_same() -> None:
    """Of what clients/extensions.c asks: pictures, state, errors."""
    program = _client("extensions")
    with host.XServer("640x480") as server:
        sides = (host.side(side, server.name) for side in ("ours", "peer"))
        said = [info.say(env, program).splitlines() for env in sides]
    assert len(said[0]) > 90
    assert said[0] == said[1]


@pytest.mark.parametrize("year", [1995, 1997, 1999, 2001, 2003, 2005, 2008, 2010, 2013])
def test_old_programs_see_the_same_extensions(year: int) -> None:
    """MESA_EXTENSION_MAX_YEAR, which games with short buffers need: of those that both have."""
    seen = []
    with host.XServer("640x480") as server:
        for most in (9999, year):
            for side in ("ours", "peer"):
                env = host.side(side, server.name, MESA_EXTENSION_MAX_YEAR=str(most))
                facts = info.glxinfo(env)
                seen.append({fact for fact in facts if fact.startswith("gl extension ")})
    both = seen[0] & seen[1]
    assert len(both) > 80
    assert seen[2] & both == seen[3] & both
