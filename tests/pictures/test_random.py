# SPDX-License-Identifier: MIT
"""Random scenes of fresh seeds beside Mesa's two rasterisers.

The table has a row for each random scene of the fixed seed. Of other seeds there are no rows: each
pixel must be that of llvmpipe or, if a picture differs from llvmpipe's, that of softpipe; pixels at
edges (a few) may be neither's. Where ours changes a pixel when all vertices move by less than the
sub-pixel grid, either colour is ours: borders of primitives may be hidden behind others, or only in
the stencil buffer. `scripts/test --long` draws all scenes of fresh seeds (--seed N
repeats them), the ordinary run some of a second fixed seed. What differs is narrowed by
narrow.py --seed.
"""

import pathlib
from collections.abc import Iterator

import numpy as np
import pytest

from tests import host
from tests.pictures import compare, measure

pytestmark = [
    pytest.mark.x11,
    pytest.mark.embed,
    pytest.mark.slow,
    pytest.mark.needs("libgl1-mesa-dri", *host.CLIENT),
]

SCENES = [f"random_{n}" for n in range(10, 50)]
SECOND_SEED = 777
LEVELS = 4  # of 255: blending over blending adds up what was rounded
EDGE_PIXELS = 12  # of 24000 that neither judge has: a rasteriser's last bit, at an edge of theirs
NUDGES = ("1,0", "-1,0", "0,1", "0,-1")  # ties: a pixel's centre within half a step of the grid
DECIDED_BY_SOFTPIPE = 3  # scenes of 40: each is a rule that random.c should have
Client = tuple[pathlib.Path, str]  # the program, the display


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """The compiled scenes and an X server."""
    with compare.private_server() as server:
        yield compare.compile_client(), server.name


def neither(ours: list[measure.Colors], judges: list[measure.Colors]) -> tuple[int, int]:
    """Pixels further than LEVELS from each judge's: how many, and how many are no edge. Each of
    `ours` may explain a pixel."""
    distances = [np.abs(mine.astype(np.int16) - one.astype(np.int16)).max(axis=2)
                 for mine in ours for one in judges]  # fmt: skip
    nearest = np.minimum.reduce(distances)
    steps = np.maximum.reduce([measure.steps(one) for one in judges])
    wrong = nearest > LEVELS
    return int(wrong.sum()), int((wrong & (nearest > steps)).sum())


def differs(found: tuple[int, int]) -> bool:
    """Whether that is more than a rasteriser's last bit."""
    return found[0] > EDGE_PIXELS or found[1] > 0


def judged(
    client: Client, folder: pathlib.Path, seed: int, scenes: list[str]
) -> tuple[list[str], list[str]]:
    """Draw scenes of a seed; which ones softpipe had to decide, and which ones neither explains."""
    program, display = client
    more = {"SCENES_SEED": str(seed)}
    environments = {
        "peer": compare.peer_env(display) | more,
        "ours": compare.our_env(display, **more),
        "softpipe": compare.peer_env(display, "softpipe") | more,
    }

    def colors(side: str, name: str, **also: str) -> measure.Colors:
        out = folder / side
        out.mkdir(parents=True, exist_ok=True)
        drawn = compare.draw_some(program, environments[side] | also, out, [name])[name]
        assert not drawn.crashed and drawn.error == "0x0", (seed, side, drawn)
        return measure.read_pam(out / f"{name}.pam")

    decided, wrong = [], []
    for name in scenes:
        ours, peer = colors("ours", name), colors("peer", name)
        if not differs(neither([ours], [peer])):
            continue
        nudged = [colors("ours", name, SCENES_NUDGE=where) for where in NUDGES]
        if not differs(neither([ours, *nudged], [peer])):
            continue
        found = neither([ours, *nudged], [peer, colors("softpipe", name)])
        line = f"narrow.py --seed {seed} {name}: {found[0]} pixels, {found[1]} no edges"
        (wrong if differs(found) else decided).append(line)
        if differs(found):
            (folder / f"{name}.png").write_bytes(compare.side_by_side(peer, ours))
    return decided, wrong


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", host.seeds([SECOND_SEED], fresh=2))
def test_scenes_of_other_seeds(client: Client, tmp_path: pathlib.Path, seed: int) -> None:
    """Nothing unexplained, and hardly anything that only softpipe explains."""
    scenes = SCENES if host.tier() == "long" else SCENES[::5]
    decided, wrong = judged(client, tmp_path, seed, scenes)
    print(f"seed {seed}: {len(scenes)} scenes, softpipe decided {decided}")
    assert not wrong, "\n".join([f"see {tmp_path}", *wrong])
    assert len(decided) <= DECIDED_BY_SOFTPIPE, "\n".join(decided)


def test_the_judgement_itself() -> None:
    """A few pixels at edges may be neither's; a flat difference, or many pixels, may not."""
    one = np.full((150, 160, 4), 100, np.uint8)
    one[:, 80:] = 200
    other = one.copy()
    other[5:9, 10:20] = 250
    assert not differs(neither([one], [one]))
    assert differs(neither([one], [other])) and not differs(neither([one], [other, one]))
    moved = one.copy()
    moved[:10, 80] = 100
    assert neither([moved], [one]) == (10, 0) and not differs(neither([moved], [one]))
    moved[:20, 80] = 100
    assert differs(neither([moved], [one]))
    speck = one.copy()
    speck[3, 3] = 110
    assert neither([speck], [one]) == (1, 1) and differs(neither([speck], [one]))
    both = other.copy()
    both[5:9, 10:15] = 100  # one part is the one's, one the other's: each pixel has its judge
    assert not differs(neither([both], [one, other]))
