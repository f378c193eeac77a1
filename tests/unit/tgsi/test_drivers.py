# SPDX-License-Identifier: MIT
"""Random ureg programs on both drivers: softpipe runs the tokens, llvmpipe the nir of them; and the
same programs interpreted, translated and translated back.
"""

from __future__ import annotations

import ctypes
import random
from functools import partial

import numpy as np
import pytest

from pydri.nir import interp
from pydri.nir.enums import FRAG_RESULT_DATA0
from pydri.nir.gather_info import gather
from pydri.nir.memory import Block, Memory, Texels
from pydri.pipe.format import BY_NAME
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import (
    BIND_VERTEX,
    TARGET_2D,
    TARGET_3D,
    TARGET_BUFFER,
    TARGET_CUBE_ARRAY,
)
from pydri.pipe.shader_memory import Bindings, ImageView, Range
from pydri.pipe.state import ShaderRef, stages_of
from pydri.tgsi.exec.machine import run
from pydri.tgsi.text.dump import dump
from pydri.tgsi.text.reader import read
from pydri.tgsi.tokens.sanity import check
from pydri.tgsi.translate.from_nir import from_nir
from pydri.tgsi.translate.to_nir import to_nir
from tests import host
from tests.unit.pipe_soft import random_shaders
from tests.unit.pipe_soft.bench import DRIVERS, SIZE, Scene
from tests.unit.pipe_soft.test_shaders import random_scene
from tests.unit.pipe_soft.test_states import differences, drawn
from tests.unit.tgsi import programs
from tests.unit.tgsi.programs import generate
from tests.unit.tgsi.test_translate import agree


def arguments(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    blocks = random_shaders.blocks(random.Random(seed))
    return {
        "inputs": {n: rng.normal(size=(16, 4)).astype(np.float32) for n in range(40)},
        "ubos": {n: words.tobytes() for n, words in blocks.items()},
    }


def memory(seed: int) -> tuple[Memory, list[np.ndarray]]:
    """What programs read and write, of `Texels` instead of formats."""
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(0, 99, count, np.uint32) for count in (*programs.DWORDS, 4)]
    texels = [rng.integers(0, 9, (1, 8, 8, 4), np.uint32) for _ in programs.IMAGES]
    buffers = {n: Block(words) for n, words in enumerate(arrays[:-1])}
    images = {n: Texels(words) for n, words in enumerate(texels)}
    return Memory(buffers, {0: Block(arrays[-1])}, images), [*arrays, *texels]


def every_form(seed: int) -> None:
    tokens, given = generate(seed), arguments(seed)
    check(tokens)
    text = dump(tokens, hexadecimal=True)
    assert dump(read(text), hexadecimal=True) == text
    place = np.stack([np.arange(16) % 4, np.arange(16) // 4, np.zeros(16), np.ones(16)], 1)
    given["system"] = {"frag_coord": (place + 0.5).astype(np.float32)}
    kept, arrays = memory(seed)
    wanted = run(tokens, 16, memory=kept, **given)
    again = from_nir(to_nir(tokens))
    check(again)
    forms = ((to_nir(tokens), interp.run), (again, run), (to_nir(again), interp.run))
    for form, what in forms:
        kept, others = memory(seed)
        found = what(form, 16, memory=kept, **given)  # type: ignore[operator]
        assert agree(wanted, found), f"seed {seed}\n{text}"
        assert all(map(np.array_equal, arrays, others)), f"seed {seed}\n{text}"


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
    shaders come to softpipe as the TGSI of their nir, unless they compare in a 3D texture or an
    array of cubes, of which TGSI has no lookups with levels), and the memory of its uniform blocks.
    """
    scene, blocks = random_scene(seed)
    strange = (TARGET_3D, TARGET_CUBE_ARRAY)
    compared = any(v.tex.target in strange and v.state.compare_func for v in scene.textures)
    calls = []
    for call in scene.calls:
        state = call.state
        made = number_of(seed, state.shader(SHADER_FRAGMENT).key)
        tokens = partial(generate, made)
        info = gather(to_nir(tokens()))
        # compiled code is kept on disk by this key: by what the program says, not by its number
        words = b"".join(word.to_bytes(4, "little") for word in tokens())
        fs = ShaderRef(
            b"ureg " + words, lambda tokens=tokens: to_nir(tokens()), info.inputs,
            tuple(FRAG_RESULT_DATA0 + n for n in range(3)), (0, 96), True, False, False, 0, (0, 64),
            tokens=tokens, access=info.access,
        )  # fmt: skip
        vs = state.shader(SHADER_VERTEX)
        if not compared:
            vs = vs._replace(tokens=lambda vs=vs: from_nir(vs.build(), vs.inputs))
        calls.append(call._replace(state=state._replace(
            stages=stages_of({SHADER_VERTEX: vs, SHADER_FRAGMENT: fs}))))
    return scene._replace(calls=calls), blocks


def number_of(seed: int, key: bytes) -> int:
    """A program for each shader of a scene."""
    return random.Random(f"{seed} {key!r}").randrange(1 << 30)


class Bound:
    """What the programs of a scene read and write, on one driver."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.bindings = Bindings()
        self.resources = [PipeResource.create(TARGET_BUFFER, 0, 4 * n)
                          for n in (*programs.DWORDS, 4)]  # fmt: skip
        # not sampled, since only pipe_llvm makes skirts true
        images = [PipeResource.create(TARGET_2D, BY_NAME[name].number, SIZE, SIZE, bind=BIND_VERTEX)
                  for name in programs.IMAGES]  # fmt: skip
        ranges = [Range(made) for made in self.resources]
        self.bindings.set_shader_buffers(0, ranges[:-1])
        self.bindings.set_hw_atomic_buffers(0, ranges[-1:])
        self.bindings.set_shader_images(0, [ImageView(made) for made in images])
        self.resources += images
        for made in (*self.resources[:-2], images[0]):
            self.bytes(made)[:] = rng.integers(0, 5, len(self.bytes(made)), np.uint8)

    @staticmethod
    def bytes(made: PipeResource) -> np.ndarray:
        place, size = made.native.data, made.native.size
        return np.frombuffer((ctypes.c_uint8 * size).from_address(place), np.uint8)

    def contents(self) -> list[np.ndarray]:
        return [self.bytes(made).copy() for made in self.resources]


def same_on_both(seed: int) -> None:
    scene, blocks = tgsi_scene(seed)
    benches, contents = [], []
    for create in DRIVERS.values():
        bound = Bound(seed)
        memory = {(SHADER_FRAGMENT, "memory"): bound.bindings.address}
        calls = [call._replace(dynamic=call.dynamic | memory) for call in scene.calls]
        benches.append(drawn(create, scene._replace(calls=calls)))
        contents.append(bound.contents())
    try:
        wrong = differences(scene, benches)
        assert not wrong, f"seed {seed}: {wrong}"
    finally:
        for bench in benches:
            bench.close()
    for n, (one, other) in enumerate(zip(*contents, strict=True)):
        assert np.array_equal(one, other), f"seed {seed}: memory {n}"
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
