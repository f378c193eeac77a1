# SPDX-License-Identifier: MIT
"""Every scene on our two drivers: pipe_llvm's kernels beside pipe_soft's numpy.

They share rules and no code, and what the rules say exactly (coverage, depth, stencil, logic
operations, blending) is the same bit for bit. One step of 255 apart may be what is encoded as sRGB
(pipe_llvm fits the curve) and what a transcendental function was part of (lights, fog). The
ordinary run draws a part of the scenes, which goes round with the drivers' sources; `scripts/test
--long` draws all, and random scenes of fresh seeds (`--seed N` repeats them)."""

import pathlib
from collections.abc import Iterator

import pytest

from tests import host
from tests.pictures import compare, measure

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)
]  # fmt: skip
Client = tuple[pathlib.Path, str]  # the program, the display
#: Scenes that take numpy several seconds: many pixels, or very many small draws.
LARGE = frozenset(
    "many_begins_changes area_polygons_large area_strips_large long_fan area_floor_large "
    "kitchen_sink_big area_specks_large area_triangles_large".split()
)
PART = 6  # the ordinary run draws one in so many
LEVELS = 1  # what colours may be apart, of 255
ROUNDED = 0.01  # of a picture's pixels: so many may be apart at all


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """The compiled scenes and an X server."""
    with compare.private_server() as server:
        yield compare.compile_client(), server.name


def chosen(names: list[str]) -> list[str]:
    """The scenes of this run: a part of each family that goes round."""
    if host.tier() == "long":
        return names
    order = compare.going_round(set(names) - LARGE, "pipe_llvm", "pipe_soft")
    return order[: len(names) // PART]


def apart(client: Client, folder: pathlib.Path, names: list[str], **more: str) -> list[str]:
    """Draw scenes on both drivers; which pictures differ by more than rounding, in words."""
    program, display = client
    drawn = compare.draw_by(("llvmpipe", "softpipe"), program, display, folder, names, **more)
    wrong = []
    for name in names:
        one, other = (drawn[driver].get(name) for driver in ("llvmpipe", "softpipe"))
        if one is None or other is None or one.crashed or other.crashed:
            wrong.append(f"{name}: {one}, {other}")
            continue
        if (one.error, one.window) != (other.error, other.window):
            wrong.append(f"{name}: error and window {one[4:]}, {other[4:]}")
        if one.hash != other.hash:
            wrong += _differences(folder, name)
    return wrong


def _differences(folder: pathlib.Path, name: str) -> list[str]:
    llvm, soft = (measure.read(folder / driver, name) for driver in ("llvmpipe", "softpipe"))
    found = measure.measure(llvm, soft, LEVELS, 0)
    depth = found.z_wrong or found.z_greatest or found.s_wrong
    if not (found.wrong or depth or found.differ > ROUNDED * llvm.pixels):
        return []
    image = compare.side_by_side(llvm.colors, soft.colors)
    (folder / f"{name}.png").write_bytes(image)
    return [f"{name}: {found}"]


@pytest.mark.timeout(1800)
def test_scenes_are_the_same_on_both_drivers(client: Client, tmp_path: pathlib.Path) -> None:
    names = compare.scene_names(client[0])
    assert set(names) >= LARGE
    wrong = apart(client, tmp_path, chosen(names))
    assert not wrong, "\n".join([f"see {tmp_path}", *wrong])


@pytest.mark.timeout(1800)
def test_scenes_are_the_same_through_tgsi(client: Client, tmp_path: pathlib.Path) -> None:
    """softpipe with shaders as nir, and as TGSI of them: every bit."""
    program, display = client
    names = compare.scene_names(program)
    names = names if host.tier() == "long" else chosen(names)[::4]
    drawn = {}
    for ir in ("nir", "tgsi"):
        (tmp_path / ir).mkdir()
        env = compare.our_env(display, GALLIUM_DRIVER="softpipe", SCENES_WINDOW="1",
                              PYDRI_SHADER_IR=ir)  # fmt: skip
        drawn[ir] = compare.draw_all(program, env, tmp_path / ir, names)
    assert set(drawn["nir"]) == set(names)
    wrong = [name for name in names if drawn["nir"][name] != drawn["tgsi"][name]]
    assert not wrong, f"see {tmp_path}: {wrong}"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", host.seeds([4711], fresh=2))
def test_random_scenes_are_the_same(client: Client, tmp_path: pathlib.Path, seed: int) -> None:
    scenes = [f"random_{n}" for n in range(10, 50)]
    names = scenes if host.tier() == "long" else scenes[seed % 5 :: 5]
    wrong = apart(client, tmp_path, names, SCENES_SEED=str(seed))
    assert not wrong, "\n".join([f"seed {seed}, see {tmp_path}", *wrong])
