# SPDX-License-Identifier: MIT
"""Records of shaders and programs in the cache: all that is known of one comes back, and bytes that
are none are a miss."""

from __future__ import annotations

from typing import Any

import pytest

from pydri.glsl.link.linked import UNIFORM, UNIFORM_BLOCK, Attribute, Linked, Resource, Sampler
from pydri.main.shaders import records
from pydri.main.shaders.code import BlockSizes, StageCode
from pydri.main.shaders.layout import Executable, UniformSlot
from pydri.main.shaders.records import CompiledBefore, LinkedBefore, Native
from pydri.nir import types
from pydri.nir.gather_info import gather
from pydri.nir.info import Info
from pydri.pipe.state import Accesses, Capture, Emits, ShaderInput, StreamOutput
from pydri.util.codec import Damaged
from tests.unit.pipe_llvm.harness import color_shader
from tests.unit.util.test_codec import damaged

INNER = types.struct("inner", (("a", types.MAT4), ("b", types.array(types.sampler("2D"), 2))))
OUTER = types.struct("outer", (("x", types.array(types.array(INNER, 3), 0)), ("y", INNER)))
VERTEX = Info(
    inputs=(0, 3, 17), outputs=(1, 2), const_range=(16, 64), uniform_range=(0, 1 << 30),
    uses_discard=True, writes_depth=True, uses_position=True, textures=3,
    uniforms=((0, 16), (32, 48)), indexed=True, samplers=frozenset((0, 2)), ways=(1, 2, 3, 4),
    access=Accesses(1, 2, 4, 8, 16, 32), blocks=(0, 1 << 30), emits=Emits(3, 12, 2, 4), loops=True,
)  # fmt: skip
FRAGMENT = VERTEX._replace(inputs=(ShaderInput(1, 4, "color"), ShaderInput(8, 2, "flat")))


def linked() -> Linked:
    """A program that has everything."""
    made = Linked()
    made.log = "warning: \xe4\n"
    made.attributes = [Attribute("gl_Vertex", types.VEC4, -1), Attribute("a", types.MAT3, 4)]
    made.resources[UNIFORM] = [
        Resource("s.x[0]", OUTER, 0, 3, 0, 0), Resource("gl_Fog", INNER),
        Resource("u", types.array(types.IVEC3, 7), 7, 1, 1, 64, array_stride=16),
        Resource("b", types.BOOL, 0, 2, 8, 96),
        Resource("t", types.sampler("Cube", True, False), 0, 2, 9, 112),
        Resource("m", types.MAT3, 4, 3, -1, -1, 1, 32, 48, 16, True),
    ]  # fmt: skip
    made.resources[UNIFORM_BLOCK] = [
        Resource("A", INNER, stages=1, bytes=64),
        Resource("B", OUTER, 0, 3, bytes=256, members=(5,)),
    ]
    made.stage_blocks = {"vertex": [0, 1], "fragment": [1]}
    made.outputs = {"color": (0, 1, 1), "more": (1, 3, 0)}
    captures = Capture(0, 0, 4, 0, 0), Capture(70, 1, 2, 3, 9)
    made.stream_output = StreamOutput(captures, (4, 0, 0, 11))
    made.samplers = {"fragment": [Sampler(112, types.sampler("2D", result="uint"), False)]}
    made.locations = 10
    made.storage = bytes(range(128))
    return made


def program() -> LinkedBefore:
    """And its stages."""
    native = Native(bytes(Executable.size), bytes(10 * UniformSlot.size))
    stages = {"vertex": records.pack_info(VERTEX), "fragment": records.pack_info(FRAGMENT)}
    return LinkedBefore(linked(), stages, native)


def content(what: LinkedBefore) -> Any:
    """What is equal if programs are."""
    return vars(what.linked), what.stages, what.native


def test_the_example_has_a_value_of_each_field() -> None:
    """Whoever adds a field extends it, and the record."""
    empty, full = vars(Linked()), vars(linked())
    same = {name for name in empty if full[name] == empty[name]}
    assert same == {"good", "stages"}  # what does not link, and trees, are not kept
    for name, default in Info._field_defaults.items():
        assert getattr(VERTEX, name) != default
    assert all((*VERTEX[:7], VERTEX.textures))


def test_a_program_comes_back() -> None:
    for made in (program(), LinkedBefore(Linked(), {}, Native(bytes(Executable.size), b""))):
        found = records.unpack(records.pack(made))
        assert isinstance(found, LinkedBefore) and content(found) == content(made)
    found = records.unpack(records.pack(program()))
    assert isinstance(found, LinkedBefore)
    assert found.linked.uniforms[0].type is OUTER  # types are one of a kind
    assert {type(row.by_rows) for row in found.linked.uniforms} == {bool}


@pytest.mark.parametrize("info", [VERTEX, FRAGMENT, FRAGMENT._replace(inputs=())])
def test_what_stages_read_and_write_comes_back(info: Info) -> None:
    data = records.pack_info(info)
    found = records.unpack_info(data)
    assert found == info and list(map(type, found.inputs)) == list(map(type, info.inputs))
    for bad in damaged(data, 2000):
        try:
            assert isinstance(records.unpack_info(bad), Info)
        except Damaged:
            continue


def test_a_stage_of_a_record_that_is_none_is_looked_at() -> None:
    """Its nir is made then, and only then."""
    made = []

    def translate() -> Any:
        made.append(color_shader())
        return made[-1]

    for known in (records.pack_info(gather(color_shader())), b"nothing of ours"):
        code = StageCode(1, b"key", "fragment", translate, BlockSizes(0), known)
        assert not made
        assert code.info.outputs == gather(color_shader()).outputs
    assert len(made) == 1 and code.shader() is made[0]


@pytest.mark.parametrize("log", [b"", b"0:1(2): warning: \xff"])
def test_a_source_that_compiles_comes_back(log: bytes) -> None:
    assert records.unpack(records.pack(CompiledBefore(log))) == CompiledBefore(log)


@pytest.mark.parametrize("what", [program(), CompiledBefore(b"a log")], ids=["program", "source"])
def test_damaged_records_are_no_records(what: Any) -> None:
    """Or, by chance, records of the right form: nothing else, and no other exception."""
    data = records.pack(what)
    for bad in damaged(data, 4000):
        try:
            found = records.unpack(bad)
        except Damaged:
            continue
        assert isinstance(found, type(what))
        if isinstance(found, LinkedBefore):
            assert len(found.native.executable) == Executable.size
            assert len(found.native.slots) == found.linked.locations * UniformSlot.size
