# SPDX-License-Identifier: MIT
"""Uniform blocks in buffers on both drivers: what is read of ranges that are whole, short or not
there, and of buffers that are changed between the draws of a scene."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, VARYING_SLOT_POS, VARYING_SLOT_VAR0, VERT_ATTRIB_POS
from pydri.nir.ir import Shader, SSADef
from pydri.nir.printer import print_shader
from pydri.nir.stages import BY_NAME
from pydri.pipe.native import MAP_DISCARD, MAP_WRITE
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import Storage
from pydri.pipe.shader_memory import Range
from pydri.pipe.state import ShaderInput, ShaderRef
from tests.unit.pipe_soft.bench import DRIVERS, SIZE, Call
from tests.unit.pipe_soft.test_memory import Rig, buffer
from tests.unit.pipe_soft.test_shaders import _fixed_scene

Value = Callable[[Builder], SSADef]


def fragment(value: Value, blocks: tuple[int, ...]) -> ShaderRef:
    """Writes a value as the colour."""

    def shader() -> Shader:
        b = Builder(Shader("fragment"))
        b.store_output(value(b), FRAG_RESULT_COLOR)
        return b.shader

    key = b"blocks " + print_shader(shader()).encode() + repr(blocks).encode()
    return ShaderRef(key, shader, (), (FRAG_RESULT_COLOR,), blocks=blocks, uses_discard=True)


def passing(value: Value, blocks: tuple[int, ...]) -> tuple[ShaderRef, ShaderRef]:
    """The vertex stage finds the value, the fragment stage writes what it is given."""

    def vertex() -> Shader:
        b = Builder(Shader("vertex"))
        b.store_output(b.load_input(VERT_ATTRIB_POS, 4), VARYING_SLOT_POS)
        b.store_output(value(b), VARYING_SLOT_VAR0)
        return b.shader

    def shader() -> Shader:
        b = Builder(Shader("fragment"))
        b.store_output(b.load_input(VARYING_SLOT_VAR0, 4), FRAG_RESULT_COLOR)
        return b.shader

    key = b"blocks " + print_shader(vertex()).encode() + repr(blocks).encode()
    return (
        ShaderRef(key, vertex, (VERT_ATTRIB_POS,), (VARYING_SLOT_POS, VARYING_SLOT_VAR0),
                  blocks=blocks),
        ShaderRef(b"blocks passed", shader, (ShaderInput(VARYING_SLOT_VAR0, 4, "flat"),),
                  (FRAG_RESULT_COLOR,)),
    )  # fmt: skip


class BlockRig(Rig):
    """Draws with a value that a stage finds."""

    def value(self, stage: str, value: Value, blocks: tuple[int, ...]) -> None:
        if stage == "fragment":
            vs, fs = _vertex(), fragment(value, blocks)
        else:
            vs, fs = passing(value, blocks)
        call = _fixed_scene(vs, fs).calls[0]
        assert isinstance(call, Call)
        self.bench.draw(call)

    def bind(self, stage: str, number: int, range_: Range | None) -> None:
        (self.fs if stage == "fragment" else self.vs).set_constant_buffers(number, [range_])

    def write(self, made: PipeResource, first: int, values: Any, flags: int = MAP_WRITE) -> None:
        """As glBufferSubData does."""
        data = self.bench.context.transfer_map(made.address, flags)
        numbers = np.asarray(values, np.float32)
        ctypes.memmove(data + 4 * first, numbers.tobytes(), numbers.nbytes)


def _vertex() -> ShaderRef:
    def shader() -> Shader:
        b = Builder(Shader("vertex"))
        b.store_output(b.load_input(VERT_ATTRIB_POS, 4), VARYING_SLOT_POS)
        return b.shader

    return ShaderRef(b"blocks vertex", shader, (VERT_ATTRIB_POS,), (VARYING_SLOT_POS,))


@pytest.fixture(params=sorted(DRIVERS))
def rig(request: pytest.FixtureRequest) -> Iterator[BlockRig]:
    made = BlockRig(request.param)
    yield made
    made.finish()
    made.bench.close()


def floats(count: int) -> tuple[PipeResource, np.ndarray]:
    """A buffer of 0, 1, 2 ..."""
    made, words = buffer(count)
    numbers = words.view(np.float32)
    numbers[:] = np.arange(count)
    return made, numbers


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
def test_ranges(rig: BlockRig, stage: str) -> None:
    """At a known place and at one that a block says; of two blocks, one of them not at the start
    of its buffer."""
    made, numbers = floats(64)
    numbers[21:22].view(np.uint32)[:] = 40
    rig.bind(stage, 2, Range(made, 16, 64))
    rig.bind(stage, 3, Range(made, 0, 256))

    def value(b: Builder) -> SSADef:
        known = b.load_ubo(2, 4, 2)
        place = b.load_ubo(3, 84, 1, "int")
        moving = b.load_ubo(3, place, 1)
        return b.vec(known.x, known.y, moving, b.load_ubo(3, b.imul(place, 100), 1))

    rig.value(stage, value, (16, 256))
    assert (rig.colors() == [5, 6, 10, 0]).all()


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
@pytest.mark.parametrize("bytes_", [0, 12, 16, 40, None])
def test_short_ranges(rig: BlockRig, stage: str, bytes_: int | None) -> None:
    """What is behind a range, and what no buffer is bound for, is zero."""
    made, _ = floats(16)
    if bytes_ is not None:
        rig.bind(stage, 2, Range(made, 16, bytes_))

    def value(b: Builder) -> SSADef:
        first, last = b.load_ubo(2, 8, 2), b.load_ubo(2, 36, 2)
        return b.vec(first.x, first.y, last.x, last.y)

    rig.value(stage, value, (44,))
    wanted = [6 + n if (bytes_ or 0) >= 12 + n * 4 else 0 for n in range(2)]
    wanted += [13 if (bytes_ or 0) >= 40 else 0, 0]
    assert (rig.colors() == wanted).all()


def left_half(b: Builder) -> SSADef:
    return b.flt(b.load_frag_coord().x, SIZE / 2)


@pytest.mark.parametrize("size", [16, 12])
@pytest.mark.parametrize("flags", [MAP_WRITE, MAP_WRITE | MAP_DISCARD])
def test_changes_between_draws(rig: BlockRig, size: int, flags: int) -> None:
    """Each draw sees what the buffer held when it was made."""
    made, _ = floats(4)
    rig.bind("fragment", 2, Range(made, 0, size))

    def all_over(b: Builder) -> SSADef:
        return b.load_ubo(2, 0, 4)

    def left(b: Builder) -> SSADef:
        b.discard_if(b.inot(left_half(b)))
        return b.load_ubo(2, 0, 4)

    rig.value("fragment", all_over, (16,))
    rig.write(made, 0, [7, 8, 9, 10], flags)
    rig.value("fragment", left, (16,))
    rig.write(made, 0, [1, 1, 1, 1], flags)
    found = rig.colors()
    last = [3, 10] if size == 16 else [0, 0]
    assert (found[:, SIZE // 2 :] == [0, 1, 2, last[0]]).all()
    assert (found[:, : SIZE // 2] == [7, 8, 9, last[1]]).all()


def test_a_buffer_that_goes_before_the_scene(rig: BlockRig) -> None:
    made, _ = floats(4)
    rig.bind("fragment", 2, Range(made))
    rig.value("fragment", lambda b: b.load_ubo(2, 0, 4), (16,))
    rig.bind("fragment", 2, None)
    del made
    others = [floats(4)[1] for _ in range(50)]
    for other in others:
        other[:] = -1
    assert (rig.colors() == [0, 1, 2, 3]).all()


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
def test_ranges_that_leave_their_buffer(rig: BlockRig, stage: str) -> None:
    """What a range has is decided when something is drawn: a buffer may be smaller by then."""
    made, _ = floats(64)
    rig.bind(stage, 2, Range(made, 16))
    row = (rig.fs if stage == "fragment" else rig.vs)._native.blocks[0]
    row.size = 1 << 40

    def value(b: Builder) -> SSADef:
        return b.load_ubo(2, 16, 4)

    storage = Storage.view(made.native.storage)
    for size, wanted in ((256, [8, 9, 10, 11]), (43, [8, 9, 0, 0]), (16, [0] * 4), (12, [0] * 4)):
        storage.size = size
        rig.value(stage, value, (32,))
        assert (rig.colors() == wanted).all(), size
    storage.size, data = 256, made.native.data
    made.native.data = 0  # as of a buffer object that never got memory
    rig.value(stage, value, (32,))
    assert (rig.colors() == 0).all()
    made.native.data = data


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
def test_no_table(rig: BlockRig, stage: str) -> None:
    rig.bench.dyn.stages[BY_NAME[stage].number].memory = 0
    rig.value(stage, lambda b: b.load_ubo(2, 0, 4), (16,))
    assert (rig.colors() == 0).all()
