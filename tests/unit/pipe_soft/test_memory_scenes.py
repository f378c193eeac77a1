# SPDX-License-Identifier: MIT
"""Memory that shaders access: which draws end scenes of pipe_llvm, what these keep, and whether a
draw's state is a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR
from pydri.nir.gather_info import gather
from pydri.nir.ir import Shader
from pydri.pipe.native import CLEAR_COLOR, MAP_WRITE
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import Resource, Storage
from pydri.pipe.shader_memory import Range
from pydri.pipe.state import Accesses
from tests.unit.pipe_soft.bench import Clear
from tests.unit.pipe_soft.test_memory import Build, Rig, buffer, color, image_indices, pixel


@pytest.fixture
def llvm() -> Iterator[Rig]:
    made = Rig("llvm")
    yield made
    made.finish()
    made.bench.close()


def counted(words: int) -> tuple[PipeResource, Any]:
    """A buffer of floats 0, 1, 2 ..."""
    made, view = buffer(words)
    view.view(np.float32)[:] = np.arange(words)
    return made, view.view(np.float32)


def scenes(rig: Rig) -> int:
    """How many were handed over."""
    return int(rig.bench.context.lp.pipe.submitted)  # type: ignore[attr-defined]


def storage_of(made: PipeResource) -> Any:
    return Storage.view(Resource.view(made.address).storage)


def loads(b: Builder) -> None:
    """The first four dwords of buffer 0 as the colour."""
    loaded = b.intrinsic("load_ssbo", b.imm_int(0), indices={"buffer": 0}, num_components=4).dest
    b.store_output(loaded, FRAG_RESULT_COLOR)


def stores(b: Builder) -> None:
    b.intrinsic("store_ssbo", b.imm_float(9.0), b.imm_int(0), indices={"buffer": 0, "wrmask": 1})
    color(b)


def pulls(b: Builder) -> None:
    """Of a vertex shader."""
    b.intrinsic("load_ssbo", b.imm_int(0), indices={"buffer": 0}, num_components=1)


def facts(build: Build) -> Accesses:
    b = Builder(Shader("fragment"))
    build(b)
    return gather(b.shader).access


def test_facts() -> None:
    def several(b: Builder) -> None:
        x, y, n = pixel(b)
        b.intrinsic("load_ssbo", b.imm_int(0), indices={"buffer": 5}, num_components=1)
        b.intrinsic("store_ssbo", n, b.imm_int(0), indices={"buffer": 3, "wrmask": 1})
        b.intrinsic("atomic_counter_add", b.imm_int(0), n, indices={"base": 2})
        b.intrinsic("atomic_counter_read", b.imm_int(0), indices={"base": 1})
        b.intrinsic("image_store", b.vec(x, y), b.vec(n, n, n, n), indices=image_indices(0))
        b.intrinsic("image_size", indices=image_indices(4), num_components=2)

    assert facts(several) == Accesses(1 << 5, 1 << 3, 6, 4, 1 << 4, 1)
    assert facts(several).writes and facts(stores).writes
    assert facts(loads).some and not facts(loads).writes
    assert not facts(color).some


def test_readers_share_a_scene(llvm: Rig) -> None:
    made, _ = counted(64)
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.draw(loads)
    before, kept = scenes(llvm), storage_of(made).references
    for _ in range(4):
        llvm.draw(loads)
    assert scenes(llvm) == before
    assert storage_of(made).references == kept == 2  # once a scene
    llvm.draw(stores)  # a writer comes behind its readers
    assert scenes(llvm) == before + 1
    llvm.draw(loads)  # and before them
    assert scenes(llvm) == before + 2
    llvm.draw(stores)
    llvm.draw(stores)  # and writers in their order
    assert scenes(llvm) == before + 4
    llvm.draw(loads)
    assert (llvm.colors() == [9, 1, 2, 3]).all() and storage_of(made).references == 1


def test_states_are_one_while_nothing_changes(llvm: Rig) -> None:
    made, _ = counted(64)
    lp = llvm.bench.context.lp  # type: ignore[attr-defined]
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.draw(loads)
    before = int(lp.states)
    llvm.draw(loads)
    assert lp.states == before
    llvm.fs.set_shader_buffers(1, [Range(made)])  # which the shader does not read
    llvm.draw(loads)
    assert lp.states == before
    llvm.fs.set_shader_buffers(0, [Range(made, 16)])
    llvm.draw(loads)
    assert lp.states == before + 1
    assert (llvm.colors() == [4, 5, 6, 7]).all()


def test_vertices_that_read_wait_for_writers_alone(llvm: Rig) -> None:
    """Vertex pulling: a scene goes on unless it writes what vertices read."""
    made, _ = counted(64)
    other, _ = counted(64)
    llvm.vs.set_shader_buffers(0, [Range(made)])
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.draw(loads, pulls)
    before = scenes(llvm)
    llvm.draw(loads, pulls)
    assert scenes(llvm) == before
    llvm.fs.set_shader_buffers(0, [Range(other)])
    llvm.draw(stores, pulls)  # of another buffer
    llvm.draw(loads, pulls)
    assert scenes(llvm) == before + 1
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.draw(stores, pulls)
    llvm.draw(color, pulls)
    assert scenes(llvm) == before + 2


def test_writing_vertices_wait_for_readers(llvm: Rig) -> None:
    made, _ = counted(64)
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.vs.set_shader_buffers(0, [Range(made)])
    llvm.draw(loads)
    before = scenes(llvm)

    def writes(b: Builder) -> None:
        b.intrinsic("store_ssbo", b.imm_float(5.0), b.imm_int(0),
                    indices={"buffer": 0, "wrmask": 1})  # fmt: skip

    llvm.draw(color, writes)
    assert scenes(llvm) == before + 1


def test_maps_wait_for_what_is_read(llvm: Rig) -> None:
    made, view = counted(64)
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.draw(loads)
    llvm.bench.context.transfer_map(made.address, MAP_WRITE)
    view[:4] = 50
    found = llvm.bench.memory(llvm.bench.color).view(np.float32)[:4]
    assert (found == [0, 1, 2, 3]).all()
    llvm.draw(loads)
    assert (llvm.colors() == 50).all()


def test_what_only_reads_may_be_dropped(llvm: Rig) -> None:
    """A clear of everything ends what was drawn before it, and what that kept is given back."""
    made, _ = counted(64)
    llvm.fs.set_shader_buffers(0, [Range(made)])
    llvm.bench.dyn.scissor_x0 = 0
    for _ in range(3):
        llvm.draw(loads, zs_format=0)
        assert storage_of(made).references == 2
        llvm.bench.draw(Clear(CLEAR_COLOR, (0, 0, 0, 0), 1.0, 0, 15, 255))
    llvm.draw(loads)
    assert (llvm.colors() == [0, 1, 2, 3]).all() and storage_of(made).references == 1


def test_scenes_that_fill_up_with_states(llvm: Rig) -> None:
    made, _ = counted(8192)
    before = scenes(llvm)
    for n in range(1500):
        llvm.fs.set_shader_buffers(0, [Range(made, 16 * n)])
        llvm.draw(loads)
    assert scenes(llvm) > before
    first = 4.0 * 1499
    assert (llvm.colors() == [first, first + 1, first + 2, first + 3]).all()
    assert storage_of(made).references == 1
