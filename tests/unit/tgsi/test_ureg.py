# SPDX-License-Identifier: MIT
"""ureg makes the words that Gallium's tables say, shares what it may, and survives having no room.

Expected words were worked out by hand from the seed and the bit fields of p_shader_tokens.h.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from pydri.tgsi.build.decl import MAX_IMMEDIATE
from pydri.tgsi.build.ops import shape
from pydri.tgsi.build.ureg import Ureg
from pydri.tgsi.text.dump import dump
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.opcodes import BY_NAME, Opcode
from pydri.tgsi.tokens.parse import Instruction, Memory, parse
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.tokens.sanity import check, sanity

#: name: (processor, words of its declaration, what declares it)
SEED: dict[str, tuple[int, str, Callable[[Ureg], object]]] = {
    "fs input": (t.FRAGMENT, "006f2040 00000000 00000002 00000305",
                 lambda u: u.decl_fs_input(t.SEMANTIC_GENERIC, 3)),
    "fs input, centroid, wrapped": (
        t.FRAGMENT, "00632040 00010001 000000d1 00000101",
        lambda u: u.decl_fs_input(t.SEMANTIC_COLOR, 1, t.INTERPOLATE_LINEAR, t.LOC_CENTROID,
                                  register=1, usage_mask=3, cylindrical_wrap=3)),
    "fs inputs, an array": (t.FRAGMENT, "026f2040 00050002 00000002 00000005 00000007",
                            lambda u: u.decl_fs_input(t.SEMANTIC_GENERIC, 0, array_id=7,
                                                      array_size=4, register=2)),
    "gs input": (t.GEOMETRY, "002f2030 00000000 00000205",
                 lambda u: u.decl_input(t.SEMANTIC_GENERIC, 2)),
    "system value": (t.FRAGMENT, "002f8030 00000000 0000000a",
                     lambda u: u.decl_system_value(t.SEMANTIC_INSTANCEID)),
    "output, streams": (t.GEOMETRY, "002f3030 00000000 e4000205",
                        lambda u: u.decl_output(t.SEMANTIC_GENERIC, 2, streams=0xE4)),
    "output, invariant": (t.FRAGMENT, "00a33030 00010001 00000000",
                          lambda u: u.decl_output(0, 0, 3, register=1, invariant=True)),
    "sampler": (t.FRAGMENT, "000f5020 00050005", lambda u: u.decl_sampler(5)),
    "sampler view": (t.FRAGMENT, "000fa030 00020002 10410402",
                     lambda u: u.decl_sampler_view(2, t.TEXTURE_2D, t.RETURN_FLOAT)),
    "image": (t.FRAGMENT, "000f9030 00010001 00000e02",
              lambda u: u.decl_image(1, t.TEXTURE_2D, 3, True)),
    "buffer": (t.FRAGMENT, "040fb020 00030003", lambda u: u.decl_buffer(3, True)),
    "memory": (t.COMPUTE, "080fc020 00010001", lambda u: u.decl_memory(1)),
    "constants": (t.FRAGMENT, "001f1030 00070002 00000003",
                  lambda u: u.decl_constant2d(2, 7, 3)),
    "atomics": (t.FRAGMENT, "001fe030 00040001 00000002", lambda u: u.decl_hw_atomic(1, 4, 2)),
    "atomics, an array": (t.FRAGMENT, "021fe030 00040001 00000002 00000003",
                          lambda u: u.decl_hw_atomic(1, 4, 2, 3)),
    "temporaries": (t.FRAGMENT, "000f4020 00010000",
                    lambda u: (u.decl_temporary(), u.decl_temporary())),
    "local temporary": (t.FRAGMENT, "010f4020 00000000", lambda u: u.decl_local_temporary()),
    "temporaries, an array": (t.FRAGMENT, "020f4020 00030000 00000001",
                              lambda u: u.decl_array_temporary(4)),
    "addresses": (t.FRAGMENT, "000f6020 00010000", lambda u: (u.decl_address(), u.decl_address())),
    "immediate": (t.FRAGMENT, "00000051 3f800000 40000000 00000000 00000000",
                  lambda u: u.imm(1.0, 2.0)),
    "immediate, integers": (t.FRAGMENT, "00080051 ffffffff 00000000 00000000 00000000",
                            lambda u: u.imm_int(-1)),
    "property": (t.FRAGMENT, "00005023 00000001",
                 lambda u: u.property(t.PROPERTY_FS_COLOR0_WRITES_ALL_CBUFS, 1)),
    "END": (t.FRAGMENT, "00075002", lambda u: u.END()),
    "RET": (t.FRAGMENT, "00040002", lambda u: u.RET()),
    "OP00_LBL": (t.FRAGMENT, "0803f012 00000000", lambda u: u.CAL()),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SEED))
def test_words_are_those_of_the_seed(name: str) -> None:
    processor, words, declare = SEED[name]
    u = Ureg(processor, any_inout_decl_range="array" in name)
    declare(u)
    tokens = u.finalize()
    assert tokens is not None
    assert tokens[:2] == [2 | (len(tokens) - 2) << 8, processor]
    assert [f"{word:08x}" for word in tokens[2:]] == words.split()


def test_instructions_are_those_of_the_seed() -> None:
    """emit_dst, emit_src: indirections and dimensions, in their order."""
    u = Ureg(t.FRAGMENT)
    address = Src(t.FILE_ADDRESS, 1).scalar(2)
    u.MOV(Dst(t.FILE_TEMPORARY, 3).writemask(5).saturate().indirect(address),
          Src(t.FILE_CONSTANT, -2).swizzle(3, 2, 1, 0).abs().negate().dimension(7))
    u.ADD(Dst(t.FILE_OUTPUT, 1), Src(t.FILE_INPUT, 2)._replace(array_id=9).indirect(address),
          Src(t.FILE_CONSTANT, 4).dimension_indirect(address, 3))
    u.TEX(Dst(t.FILE_TEMPORARY), t.TEXTURE_3D, Src(t.FILE_INPUT), Src(t.FILE_SAMPLER, 6))
    label = u.IF(Src(t.FILE_TEMPORARY))
    u.fixup_label(label, u.get_instruction_number())
    tokens = u.finalize()
    assert tokens is not None
    assert [f"{word:08x}" for word in tokens[2:7]] == (
        "00b01042 00000d54 00200016 c6ffffa1 00070000".split()
    )
    moves, adds, looks, ifs = parse(tokens).instructions
    assert moves.saturate and moves.dsts[0].ind is not None and moves.dsts[0].ind.swizzle == 2
    assert moves.srcs[0].dim is not None and moves.srcs[0].dim.number == 7
    # a driver that knows no arrays of inputs is told of none
    assert adds.srcs[0].ind is not None and adds.srcs[0].ind.array_id == 0
    assert adds.srcs[1].dim is not None and adds.srcs[1].dim.indirect is not None
    assert looks.texture is not None and looks.texture.target == t.TEXTURE_3D
    assert ifs.label == 4


def test_inputs_and_outputs_that_are_declared_again_grow() -> None:
    u = Ureg(t.FRAGMENT)
    first = u.decl_fs_input(t.SEMANTIC_GENERIC, 1, usage_mask=1)
    assert u.decl_fs_input(t.SEMANTIC_GENERIC, 1, usage_mask=4) == first
    assert u.decl_fs_input(t.SEMANTIC_GENERIC, 2).number == 1
    out = u.decl_output(t.SEMANTIC_COLOR, 0, 3)
    assert u.decl_output(t.SEMANTIC_COLOR, 0, 8, streams=0x40) == out
    assert u.inputs[0].mask == 5 and u.outputs[0].mask == 11
    assert u.outputs[0].semantic.streams == (0, 0, 0, 1)
    assert u.decl_system_value(t.SEMANTIC_FACE) == u.decl_system_value(t.SEMANTIC_FACE)


def test_immediates_are_matched_and_expanded() -> None:
    u = Ureg(t.FRAGMENT)
    assert u.imm(1.0).swz == (0, 0, 0, 0)
    assert u.imm(2.0, 1.0).swz == (1, 0, 1, 1)  # the second has the first one's register
    assert u.imm(1.0, 2.0, 3.0).swz == (0, 1, 2, 0)
    assert u.imm(4.0, 5.0).number == 1  # one component is left, two are wanted
    assert u.imm_uint(1).number == 2  # of another type
    assert u.imm_f64(1.0).swz == (0, 1, 0, 1)
    assert u.imm_f64(2.0, 1.0).swz == (2, 3, 0, 1)
    assert u.imm_int64(-1).number == 4 and u.imm_uint64(1, 2).number == 5
    assert u.immediate_block_uint(range(6)).number == 6 and len(u.immediates) == 8
    assert u.imm(1.0, 1.0, 1.0, 1.0).swz == (0, 0, 0, 0)


def test_constants_grow_into_ranges() -> None:
    u = Ureg(t.FRAGMENT)
    for n in (5, 6, 4, 9, 5):
        assert u.decl_constant(n).dim is not None
    assert u.constants[0] == [(4, 6), (9, 9)]
    for n in range(20, 84, 2):
        u.decl_constant(n)
    assert u.constants[0] == [(4, 80), (82, 82)]  # more than 32 ranges become one


def test_temporaries_are_released_and_found_again() -> None:
    u = Ureg(t.FRAGMENT)
    a, b, _ = u.decl_temporary(), u.decl_local_temporary(), u.decl_temporary()
    u.release_temporary(a)
    u.release_temporary(b)
    assert u.decl_local_temporary() == b and u.decl_temporary() == a
    array = u.decl_array_temporary(3)
    assert (array.number, array.array_id) == (3, 1) and u.decl_temporary().number == 6
    u.END()
    text = dump(u.finalize() or [])
    assert [line[4:] for line in text.splitlines() if line.startswith("DCL")] == [
        "TEMP[0]", "TEMP[1], LOCAL", "TEMP[2]", "TEMP[3..5], ARRAY(1)", "TEMP[6]",
    ]


def test_arrays_of_inputs_are_split_for_drivers_that_know_none() -> None:
    u = Ureg(t.FRAGMENT)
    u.decl_fs_input(t.SEMANTIC_GENERIC, 4, array_id=1, array_size=3)
    u.END()
    text = dump(u.finalize() or [])
    assert [f"DCL IN[{n}], GENERIC[{n + 4}], PERSPECTIVE" for n in range(3)] == (
        text.splitlines()[1:4]
    )


def test_vertex_programs_say_what_follows() -> None:
    u = Ureg(t.VERTEX)
    u.decl_vs_input(3)
    u.END()
    assert dump(u.finalize() or []).splitlines()[1:3] == ["PROPERTY NEXT_SHADER FRAG", "DCL IN[3]"]
    u = Ureg(t.VERTEX, next_shader=t.GEOMETRY)
    u.END()
    assert "PROPERTY NEXT_SHADER GEOM" in dump(u.finalize() or [])


def test_what_has_no_room_makes_the_program_bad_and_nothing_else() -> None:
    u = Ureg(t.FRAGMENT)
    for n in range(MAX_IMMEDIATE):
        u.imm(float(n), float(n) + 0.5, -float(n) - 1, -float(n) - 1.5)
    assert not u.decl_tokens.bad
    u.imm(0.1, 0.2, 0.3, 0.4)
    u.END()
    assert u.finalize() is None
    for most in range(18):  # memory ends anywhere
        u = Ureg(t.FRAGMENT, most=most)
        out = u.decl_output(t.SEMANTIC_COLOR)
        label = u.IF(u.imm(1.0))
        u.MOV(out, u.imm(1.0))
        u.fixup_label(label, 2)
        u.ENDIF()
        u.END()
        assert u.finalize() is None, most


@pytest.mark.parametrize("op", BY_NAME.values(), ids=lambda op: op.name)
def test_every_opcode_is_a_method_of_its_shape(op: Opcode) -> None:
    u = Ureg(t.COMPUTE)
    temp = u.decl_temporary()
    sampler = u.decl_sampler(0)
    srcs = [sampler if op.is_tex and n == op.num_src - 1 else temp.src()
            for n in range(op.num_src)]
    dsts = [temp.writemask(3)] * op.num_dst
    target = [t.TEXTURE_2D] if op.is_tex else []
    memory = {"memory": Memory(3)} if op.name in ("LOAD", "STORE") else {}
    getattr(u, op.name)(*dsts, *target, *srcs, **memory)
    (found,) = parse(u.finalize() or []).instructions
    assert isinstance(found, Instruction) and found.op is op
    assert found.dsts == tuple(dsts) and found.srcs == tuple(srcs)
    assert (found.label is not None) == op.is_branch
    assert shape(op).startswith(f"OP{op.num_dst}{op.num_src}")
    with pytest.raises(TypeError):
        u.insn(op.name, dsts, [*srcs, temp.src()])


def test_nothing_is_emitted_for_an_empty_mask() -> None:
    u = Ureg(t.FRAGMENT)
    temp = u.decl_temporary()
    u.MOV(temp.writemask(0), temp.src())
    u.TEX(temp.writemask(0), t.TEXTURE_2D, temp.src(), u.decl_sampler(0))
    assert u.get_instruction_number() == 0


def test_sanity_says_what_is_wrong() -> None:
    u = Ureg(t.FRAGMENT)
    u.MOV(Dst(t.FILE_TEMPORARY, 2), Src(t.FILE_CONSTANT, 1))
    u.ENDIF()
    u.BRK()
    u.IF(u.imm(1.0))
    u.decl_constant(7)
    errors = [message for _, message in sanity(u.finalize() or []).errors]
    assert errors == [
        "TEMP[2]: Undeclared destination register", "CONST[1]: Undeclared source register",
        "ENDIF: Nothing is open that this belongs to", "BRK: Outside of a loop", "IF: Not closed",
        "Missing END instruction",
    ]
    warnings = [message for _, message in sanity(u.decl_tokens.words).warnings]
    assert warnings == ["CONST[7]: Register never used"]


@pytest.mark.parametrize("seed", range(8))
def test_random_declarations_are_sane(seed: int) -> None:
    """Whatever is declared, in any order, is declared once."""
    rng = random.Random(seed)
    u = Ureg(t.FRAGMENT, any_inout_decl_range=True)
    made: list[Dst] = []
    for _ in range(60):
        kind = rng.randrange(6)
        if kind == 0:
            made.append(u.decl_temporary(rng.random() < 0.5))
        elif kind == 1:
            made.append(u.decl_array_temporary(rng.randint(1, 5), rng.random() < 0.5))
        elif kind == 2 and made:
            u.release_temporary(rng.choice(made)._replace(file=t.FILE_TEMPORARY))
        elif kind == 3:
            u.decl_constant(rng.randrange(40))
        elif kind == 4:
            u.decl_output(t.SEMANTIC_COLOR, rng.randrange(4))
        else:
            u.imm(*(float(rng.randrange(9)) for _ in range(rng.randint(1, 4))))
    u.END()
    check(u.finalize() or [])
