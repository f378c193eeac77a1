# SPDX-License-Identifier: MIT
"""Random textured scenes (texture_scenes.py) beside Mesa's two rasterisers.

A pixel is a judge's if it is near one of the judge's pixels around it: where texels meet, a last
bit decides. A picture that is not llvmpipe's must be softpipe's (llvmpipe has no borders of cube
maps), and few are. `scripts/test --long` plays fresh seeds.
"""

import base64
from collections.abc import Iterator

import numpy as np
import pytest

from pydri.api import enums as e
from tests import host
from tests.pictures import compare
from tests.pictures.texture_scenes import SIZE, Call, scene
from tests.robust.fuzz_peer import Died, Side

pytestmark = [
    pytest.mark.x11,
    pytest.mark.slow,
    pytest.mark.needs("libgl1-mesa-dri"),
]
SCENES = 60
LEVELS = 6  # of 255: the peer filters bytes with weights of 8 bits, and cuts off
PIXELS = SIZE * SIZE // 100
DECIDED_BY_SOFTPIPE = SCENES // 8
DIED = SCENES // 20  # scenes that a judge does not survive


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """An X server."""
    with compare.private_server() as server:
        yield server.name


def picture(side: Side, seed: int) -> np.ndarray:
    """What a side draws; there are no errors."""
    heard = side.play(scene(seed))
    assert not any(error for error, _, _ in heard), (side.name, seed)
    pixels = base64.b64decode(heard[-1][2]).ljust(SIZE * SIZE * 4, b"\0")
    return np.frombuffer(pixels, np.uint8).reshape(SIZE, SIZE, 4).astype(np.int16)


def strange(ours: np.ndarray, peers: np.ndarray) -> int:
    """Pixels that are near none of the other's around them."""
    around = np.pad(peers, ((1, 1), (1, 1), (0, 0)), mode="edge")
    nearest = np.full(ours.shape[:2], 255, np.int16)
    for y in range(3):
        for x in range(3):
            one = np.abs(ours - around[y : y + SIZE, x : x + SIZE]).max(axis=2)
            nearest = np.minimum(nearest, one)
    return int((nearest > LEVELS).sum())


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", host.seeds([4000], fresh=2))
def test_textured_scenes(display: str, seed: int) -> None:
    judge = host.side("peer", display)
    ours = Side("ours", host.side("ours", display))
    judges = Side("llvmpipe", judge), Side("softpipe", {**judge, "GALLIUM_DRIVER": "softpipe"})
    for side in (ours, *judges):
        side.accumulation = False  # which no scene has, nor Mesa 25
    found, decided, died = [], 0, []
    try:
        for n in range(seed, seed + SCENES):
            try:
                first, second = (picture(side, n) for side in judges)
            except Died as fault:  # a judge's own fault says nothing about us, if it is a rare one
                died.append(f"seed {n}: {fault}")
                continue
            drawn = picture(ours, n)
            wrong = strange(drawn, first), strange(drawn, second)
            if min(wrong) > PIXELS:
                found.append(f"seed {n}: {wrong} pixels")
            decided += wrong[0] > PIXELS
    finally:
        for side in (ours, *judges):
            if side.process:
                side.process.kill()
                side.end()
    assert not found, "\n".join(found)
    assert len(died) <= DIED, "\n".join(died)
    assert decided <= DECIDED_BY_SOFTPIPE


def test_shadows_of_lines_compare_r(display: str) -> None:
    """GL 2.1, 3.8.14: depths of 1D textures are compared with r, whatever t is."""
    one, quad = e.GL_TEXTURE_1D, ((-1, -1), (1, -1), (-1, 1), (1, 1))
    nearest = (e.GL_TEXTURE_MIN_FILTER, e.GL_TEXTURE_MAG_FILTER)
    calls: list[Call] = [
        ("glTexImage1D", (one, 0, e.GL_DEPTH_COMPONENT16, 1, 0, e.GL_DEPTH_COMPONENT, e.GL_FLOAT,
                          ("a", "f", [0.5]))),
        *(("glTexParameteri", (one, name, e.GL_NEAREST)) for name in nearest),
        ("glTexParameteri", (one, e.GL_TEXTURE_COMPARE_MODE, e.GL_COMPARE_R_TO_TEXTURE)),
        ("glEnable", (one,)), ("glBegin", (e.GL_TRIANGLE_STRIP,)),
    ]  # fmt: skip
    for x, y in quad:  # r grows from left to right, t from right to left
        calls += [("glTexCoord3f", (0.5, 0.5 - x / 2, 0.5 + x / 2)), ("glVertex2f", (x, y))]
    size = ("o", SIZE * SIZE * 4)
    calls += [("glEnd", ()), ("glReadPixels", (0, 0, SIZE, SIZE, e.GL_RGBA, e.GL_UNSIGNED_BYTE,
                                               size))]  # fmt: skip
    side = Side("ours", host.side("ours", display))
    try:
        heard = side.play(calls)
    finally:
        if side.process:
            side.process.kill()
            side.end()
    pixels = np.frombuffer(base64.b64decode(heard[-1][2]).ljust(SIZE * SIZE * 4, b"\0"), np.uint8)
    red = pixels.reshape(SIZE, SIZE, 4)[:, :, 0]
    assert (red[:, :49] == 255).all() and (red[:, 51:] == 0).all()


def test_the_judgement_itself() -> None:
    """A step that is one pixel off is the peer's, another colour is not."""
    one = np.full((SIZE, SIZE, 4), 100, np.int16)
    one[:, 50:] = 200
    assert strange(one, np.roll(one, 1, axis=1)[:, :]) <= SIZE
    other = one.copy()
    other[10:40, 10:40] = 150
    assert strange(other, one) == 900
