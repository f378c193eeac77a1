# SPDX-License-Identifier: MIT
"""Every scene beside its judge's picture, and bit for bit the same for any threads and any width.

In: the scenes of *.c, the table (table.py), an Xvfb. A failure leaves PNGs (judge | ours | x 8) in
pytest's temporary folder and says where. Without the peer the comparison is skipped, with the
reason; that threads and vector widths do not show is tested all the same."""

import pathlib
import random
from collections.abc import Iterator

import pytest

from libgl_shim import build as shim_build
from tests import host
from tests.pictures import compare, damage, table
from tests.pictures.watch import watch

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT),
    pytest.mark.timeout(1000),  # the first test draws for all, the next the peer's; see draw_all
]  # fmt: skip
ROOT = pathlib.Path(host.ROOT)
COLD = 6  # scenes of a run whose process has an empty cache
Client = tuple[pathlib.Path, str]  # the program, the display
Ours = tuple[pathlib.Path, dict[str, compare.Drawn]]  # the folder, what was printed


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """The compiled scenes and an X server."""
    shim_build.build(say=False)
    program = compare.compile_client()
    with compare.private_server() as server:
        yield program, server.name


@pytest.fixture(scope="module")
def ours(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Ours:
    """Our pictures, with the X window looked at after the swap."""
    program, display = client
    folder = tmp_path_factory.mktemp("ours")
    env = compare.our_env(display, SCENES_WINDOW="1")
    return folder, compare.draw_all(program, env, folder)


def test_every_scene_is_drawn_and_shown(ours: Ours) -> None:
    drawn = ours[1]
    assert len(drawn) > 200
    assert not [name for name, one in drawn.items() if one.crashed]
    assert not {name: one.error for name, one in drawn.items() if one.error != "0x0"}
    shown = {name: one.window for name, one in drawn.items() if one.window not in ("-", "0")}
    assert not shown, f"pixels that the window shows differently: {shown}"


@pytest.mark.needs("libgl1-mesa-dri")
def test_pictures_are_as_their_rows(
    client: Client, ours: Ours, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, display = client
    judges = compare.Judges(program, display, ours[0])
    names = compare.scene_names(program)
    judges.draw(names)
    strict = sum(map(judges.is_strict, names))
    with capsys.disabled():  # how much of the table bites here
        print(f"\n{len(names)} pictures by their digests; their judges' figures are strict for"
              f" {strict}, loose for {len(names) - strict} (Mesa {judges.version},"
              f" {table.processor()})")  # fmt: skip
    verdicts = [judges.verdict(name, ours[1].get(name)) for name in names]
    compare.save_pictures(verdicts, judges, tmp_path / "png", every=False)
    wrong = [verdict.text() for verdict in verdicts if not verdict.passed]
    assert not wrong, "\n".join([f"see {tmp_path / 'png'}", compare.HEADING, *wrong])
    assert not set(judges.rows) - set(names), "rows of scenes that are gone"
    assert not set(judges.known) - set(names), "digests of scenes that are gone"


@pytest.mark.needs("libgl1-mesa-dri")
def test_the_table_bites(client: Client, ours: Ours, capsys: pytest.CaptureFixture[str]) -> None:
    """Every twelfth picture, damaged in every way of damage.py (all: python -m
    tests.pictures.damage), beside the table as it is on this machine: nothing that changes a
    picture passes. What strict figures alone miss is little; what loose ones miss is counted."""
    judges = compare.Judges(*client, ours[0])
    names = compare.scene_names(client[0])[::12]
    judges.draw(names)
    found = damage.table_of_damage(judges, names)
    with capsys.disabled():
        loosely = sum(one.asked_loosely for one in found.values())
        missed = sum(len(one.missed_loosely) for one in found.values())
        print(f"\n{len(names)} pictures damaged in {len(found)} ways: loose figures alone would"
              f" miss {missed} of {loosely}")  # fmt: skip
    # A kind of damage that hardly any picture shows would prove nothing; the fewest show the last
    # row twice, because below most scenes there is background.
    assert min(one.changed for one in found.values()) >= 5
    passed = {kind: one.passed for kind, one in found.items() if one.passed}
    assert not passed, passed
    missing = {kind: one.missed for kind, one in found.items() if one.missed}
    assert sum(map(len, missing.values())) <= 3, missing


def sample(names: list[str], others: int = 20) -> list[str]:
    """A scene of each family (random_*, samples_*, ...) and some others. Which ones goes round with
    the sources of the driver; all scenes are drawn by scripts/test --long."""
    order = compare.going_round(names, "pipe_llvm")
    families = {name.partition("_")[0]: name for name in order}
    rest = [name for name in order if name not in families.values()]
    return [*families.values(), *rest[:others]]


@pytest.mark.parametrize(
    "setting",
    [
        {"LP_NUM_THREADS": "0"},
        {"LP_NUM_THREADS": "1"},
        {"LP_NUM_THREADS": "2"},
        {"LP_NUM_THREADS": "4"},
        {"LP_NATIVE_VECTOR_WIDTH": "128"},
        {"LP_NATIVE_VECTOR_WIDTH": "256"},
        {"LP_NATIVE_VECTOR_WIDTH": "512"},
        {"PYDRI_TIERS": "first"},
        {"PYDRI_TIERS": "best"},
    ],
    ids=lambda setting: "-".join(*setting.items()),
)
def test_pixels_do_not_depend_on(
    setting: dict[str, str],
    client: Client,
    ours: Ours,
) -> None:
    program, display = client
    names = compare.scene_names(program)
    anew = "LP_NUM_THREADS" not in setting  # all kernels are compiled
    if anew and host.tier() != "long":
        names = sample(names)
    env = compare.our_env(display, **setting)
    drawn = compare.draw_all(program, env, None, names)
    assert drawn.keys() == set(names)
    different = [name for name, one in drawn.items() if one.hash != ours[1][name].hash]
    assert not different


def test_pixels_do_not_depend_on_the_clients_compiler(client: Client, ours: Ours) -> None:
    """AddressSanitizer puts gaps around the client's arrays. A scene whose array is shorter than
    what GL reads of it draws its neighbours, which are another compiler's choice; and what the
    client itself reads or writes beside them is reported and ends it. Some compilers also write
    for processors that can fuse a product with a sum: scenes must ask for the same there."""
    fuses = " fma " in pathlib.Path("/proc/cpuinfo").read_text()
    program = compare.compile_client("-fsanitize=address", "-O2", *["-mfma"] * fuses)
    env = compare.our_env(client[1], ASAN_OPTIONS="detect_leaks=0:use_sigaltstack=0")
    drawn = compare.draw_all(program, env, None)
    assert {name: one.error for name, one in drawn.items() if one.crashed} == {}
    assert [name for name, one in drawn.items() if one.hash != ours[1][name].hash] == []


def test_without_a_cache(client: Client, ours: Ours, tmp_path: pathlib.Path) -> None:
    """Scenes drawn by lot (scripts/test --seed N has them again), each in a process that finds no
    compiled code: all others find what an earlier run has left."""
    program, display = client
    names = random.Random(host.seed()).sample(compare.scene_names(program), COLD)
    different = []
    for name in names:
        env = compare.our_env(display, MESA_SHADER_CACHE_DIR=str(tmp_path / name))
        drawn = compare.draw_some(program, env, tmp_path, [name])[name]
        if drawn.hash != ours[1][name].hash:
            different.append(drawn)
        assert any((tmp_path / name).rglob("*")), "nothing was compiled"
    assert not different, f"scripts/test --seed {host.seed()}: {different}"


def test_scenes_leave_no_memory_behind(client: Client, ours: Ours) -> None:
    """Round after round in one process; `ours` has compiled what they need, and what would be
    compiled in the background is compiled in the first rounds. Scenes that stand side by side are
    of one kind: each third is drawn, and all of them with --long."""
    program, display = client
    env = compare.our_env(display, PYDRI_TIERS="best")
    watch(str(program), env, nth=1 if host.tier() == "long" else 3)
