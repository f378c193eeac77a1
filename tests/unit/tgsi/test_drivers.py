# SPDX-License-Identifier: MIT
"""Random ureg programs on both drivers: softpipe runs the tokens, llvmpipe the nir of them; and the
same programs interpreted, translated and translated back.
"""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from pydri.nir import interp
from pydri.nir.enums import FRAG_RESULT_DATA0
from pydri.nir.gather_info import gather
from pydri.pipe.resource import TARGET_3D
from pydri.pipe.state import ShaderRef
from pydri.tgsi.dump import dump
from pydri.tgsi.exec import run
from pydri.tgsi.from_nir import from_nir
from pydri.tgsi.sanity import check
from pydri.tgsi.text import read
from pydri.tgsi.to_nir import to_nir
from tests import host
from tests.unit.pipe_soft import random_shaders
from tests.unit.pipe_soft.bench import Scene
from tests.unit.pipe_soft.test_shaders import random_scene
from tests.unit.pipe_soft.test_states import apart
from tests.unit.tgsi.programs import generate
from tests.unit.tgsi.test_translate import agree, both_ways


def arguments(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    blocks = random_shaders.blocks(random.Random(seed))
    return {
        "inputs": {n: rng.normal(size=(16, 4)).astype(np.float32) for n in range(40)},
        "ubos": {n: words.tobytes() for n, words in blocks.items()},
    }


def every_form(seed: int) -> None:
    tokens, given = generate(seed), arguments(seed)
    check(tokens)
    text = dump(tokens, hexadecimal=True)
    assert dump(read(text), hexadecimal=True) == text
    wanted = run(tokens, 16, **given)
    found = interp.run(to_nir(tokens), 16, **given)
    assert agree(wanted, found), f"seed {seed}\n{text}"
    both_ways(to_nir(tokens), to_nir(tokens), 16, given)


def test_every_form_computes_the_same() -> None:
    for seed in host.seeds(range(24), 40):
        every_form(seed)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_every_form_of_a_thousand() -> None:
    for seed in range(5000, 6000):
        every_form(seed)


def tgsi_scene(seed: int) -> tuple[Scene, dict]:
    """The random scene of a seed, with a ureg program in the place of each fragment shader (vertex
    shaders come to softpipe as the TGSI of their nir, unless they compare in a 3D texture, which
    neither GL nor TGSI has), and the memory of its uniform blocks.
    """
    scene, blocks = random_scene(seed)
    compared = any(v.tex.target == TARGET_3D and v.state.compare_func for v in scene.textures)
    calls = []
    for call in scene.calls:
        state = call.state
        made = number_of(seed, state.fs.key)
        tokens = partial(generate, made)
        info = gather(to_nir(tokens()))
        fs = ShaderRef(
            f"ureg {made}".encode(), lambda tokens=tokens: to_nir(tokens()), info.inputs,
            tuple(FRAG_RESULT_DATA0 + n for n in range(3)), (0, 96), True, False, False, 0, (0, 64),
            tokens=tokens,
        )  # fmt: skip
        vs = state.vs
        if not compared:
            vs = vs._replace(tokens=lambda vs=vs: from_nir(vs.build(), vs.inputs))
        calls.append(call._replace(state=state._replace(vs=vs, fs=fs)))
    return scene._replace(calls=calls), blocks


def number_of(seed: int, key: bytes) -> int:
    """A program for each shader of a scene."""
    return random.Random(f"{seed} {key!r}").randrange(1 << 30)


def same_on_both(seed: int) -> None:
    scene, blocks = tgsi_scene(seed)
    wrong = apart(scene)
    assert not wrong, f"seed {seed}: {wrong}"
    assert blocks  # the draws read them


# the last two: corners of polygons as points, with a flat value that glShadeModel does not ask for;
# smooth lines of a colour that is moved bits of whole numbers
@pytest.mark.slow
@pytest.mark.parametrize("seed", host.seeds([*range(7000, 7004), 8038, 8262], fresh=20))
def test_both_drivers_draw_the_same(seed: int) -> None:
    same_on_both(seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_thousand_programs_on_both_drivers() -> None:
    for seed in range(8000, 8500):  # two programs each
        same_on_both(seed)
