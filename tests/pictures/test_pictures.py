# SPDX-License-Identifier: MIT
"""Every scene beside the peer's picture, and bit for bit the same for any threads and any width.

In: the scenes of *.c, an Xvfb of our own. A failure leaves PNGs (peer | ours | difference x 8) in
pytest's temporary folder and says where. Without the peer the comparison is skipped, with the
reason; that threads and vector widths do not show is tested all the same."""

import pathlib
from collections.abc import Iterator

import pytest

from libgl_shim import build as shim_build
from tests import host
from tests.pictures import compare
from tests.pictures.watch import watch

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)
]  # fmt: skip
Client = tuple[pathlib.Path, str]  # the program, the display
Ours = tuple[pathlib.Path, dict[str, compare.Drawn]]  # the folder, what was printed


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The compiled scenes and an X server."""
    shim_build.build(say=False)
    try:
        program = compare.compile_client(tmp_path_factory.mktemp("client"))
        server = compare.private_server()
        server.start()
    except RuntimeError as error:
        pytest.skip(str(error))
    yield program, server.name
    server.stop()


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
def test_pictures_are_the_peers(
    client: Client,
    ours: Ours,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program, display = client
    missing = compare.peer_missing(program, display)
    if missing:
        pytest.skip(missing)
    peer = tmp_path / "peer"
    peer.mkdir()
    theirs = compare.draw_all(program, compare.peer_env(display), peer)
    verdicts = compare.judge(theirs, ours[1], peer, ours[0])
    compare.save_pictures(verdicts, peer, ours[0], tmp_path / "png", every=False)
    wrong = [verdict.row() for verdict in verdicts if not verdict.expected]
    assert not wrong, "\n".join([f"see {tmp_path / 'png'}", compare.HEADING, *wrong])


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
    ],
    ids=lambda setting: "-".join(*setting.items()),
)
def test_pixels_do_not_depend_on(
    setting: dict[str, str],
    client: Client,
    ours: Ours,
) -> None:
    program, display = client
    drawn = compare.draw_all(program, compare.our_env(display, **setting), None)
    different = [name for name, one in drawn.items() if one.hash != ours[1][name].hash]
    assert not different


def test_the_comparison_itself() -> None:
    """What it must let pass and what it must not."""
    import numpy as np

    flat = np.full((20, 20, 4), 100, np.uint8)
    near, far, speck = flat.copy(), flat.copy(), flat.copy()
    near[5:9] += 2
    far[5:9] += 3
    speck[5, 5] = 200
    assert compare.compare("scissor", flat, near).passed
    assert not compare.compare("any", flat, speck[:10]).passed
    assert not compare.compare("rects", flat, speck).passed  # no edge may differ in this one
    assert compare.compare("any", flat, speck).passed  # one pixel of 400, next to an edge
    split = flat.copy()
    split[:, 10:] = 200
    moved = flat.copy()
    moved[:, 12:] = 200
    assert not compare.compare("any", split, moved).passed  # an edge, but 10 % of the pixels
    ramp = np.repeat(np.arange(20, dtype=np.uint8)[None, :, None], 20, axis=0).repeat(4, axis=2)
    darker = ramp.copy()
    darker[3, 3] += 40  # no step of 40 next to it in the one, but in the other: an edge
    assert compare.compare("any", ramp, darker).passed
    brighter = ramp + np.uint8(40)
    assert compare.compare("any", ramp, brighter).smooth_count == 400


def test_scenes_leave_no_memory_behind(client: Client, ours: Ours) -> None:
    """Round after round in one process; `ours` has compiled what they need."""
    program, display = client
    watch(str(program), compare.our_env(display))
