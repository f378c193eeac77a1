# SPDX-License-Identifier: MIT
"""nir to TGSI and back: random shaders, GLSL programs and Mesa's own TGSI compute the same bits in
every form; what is rare in them has a small shader of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pydri.nir import interp
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader, TexInstr
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate
from pydri.tgsi.exec.machine import ExecError, run
from pydri.tgsi.text.dump import dump
from pydri.tgsi.text.reader import read, translate
from pydri.tgsi.tokens.opcodes import BY_NAME
from pydri.tgsi.tokens.sanity import check
from pydri.tgsi.translate.from_nir import from_nir
from pydri.tgsi.translate.to_nir import Unsupported, to_nir
from tests import host
from tests.unit.nir import lanegen, shadergen
from tests.unit.tgsi.test_text import SHADER, peer_texts

Arguments = dict[str, Any]
#: opcodes of nir that TGSI has no words for, and GLSL 1.20 neither
FOREIGN = ("fddx_coarse", "fddy_coarse", "pack_snorm_2x16", "unpack_snorm_2x16")


def agree(x: interp.Result, y: interp.Result, mask: Any = None) -> bool:
    """The same bits in all lanes of the mask; any NaN is any NaN."""
    lanes = slice(None) if mask is None else mask
    if x.outputs.keys() != y.outputs.keys():
        return False
    if not np.array_equal(x.discarded[lanes], y.discarded[lanes]):
        return False
    for slot, bits in x.outputs.items():
        a, b = bits[:, lanes], y.outputs[slot][:, lanes]
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        nans = np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
        if not np.all((a == b) | nans):
            return False
    return True


def both_ways(shader: Shader, same: Shader, lanes: int, given: Arguments) -> None:
    """A shader (and a copy, which is changed) computes what its TGSI does, and the nir of that."""
    listing, mask = print_shader(shader), given.get("mask")
    wanted = interp.run(shader, lanes, **given)
    slots = sorted(given["inputs"])
    tokens = from_nir(same, slots)
    check(tokens)
    text = dump(tokens, hexadecimal=True)
    stream = read(text)
    assert dump(stream, hexadecimal=True) == text
    found = run(stream, lanes, attributes=slots, **given)
    assert agree(wanted, found, mask), f"{listing}\n{text}"
    back = to_nir(tokens, slots)
    validate(back)
    assert agree(wanted, interp.run(back, lanes, **given), mask), f"{listing}\n{text}"


def foreign(error: Unsupported) -> bool:
    return any(name in str(error) for name in FOREIGN)


def random_shaders(seeds: list[int]) -> None:
    translated = 0
    for seed in seeds:
        plain = shadergen.inputs(seed)
        slots, blocks, mask = lanegen.arguments(seed)
        for make, lanes, given in (
            (shadergen.generate, shadergen.LANES, dict(plain)),
            (lanegen.generate, lanegen.LANES, {"inputs": slots, "ubos": blocks, "mask": mask}),
        ):
            # slot 0 of fragments is where they are
            given["system"] = {"frag_coord": np.asarray(given["inputs"][0])}
            try:
                both_ways(make(seed), make(seed), lanes, given)
            except Unsupported as error:
                assert foreign(error), error
            else:
                translated += 1
    assert translated > len(seeds)


def test_random_shaders() -> None:
    random_shaders(host.seeds(range(12), 20))


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_random_shaders() -> None:
    random_shaders(list(range(1000, 1500)))


def texture(instr: TexInstr, srcs: dict[str, Any]) -> Any:
    """Some numbers that depend on every source, its name and the instruction."""
    lanes = next(iter(srcs.values())).shape[1] if srcs else 1
    if instr.op in ("txs", "query_levels"):
        return np.full((4, lanes), 8 + (instr.op == "txs"), np.int32)[: instr.dest.num_components]
    kind_of = instr.texture_index + 2 * instr.is_shadow + 4 * instr.is_array
    total = np.full(lanes, float(kind_of + 8 * instr.component + 32 * (instr.op == "tg4")))
    for name in sorted(srcs):
        kind = np.int32 if instr.op in ("txf", "txf_ms") else np.float32
        values = np.nan_to_num(np.ascontiguousarray(srcs[name]).view(kind).astype(np.float64))
        weights = np.arange(1, len(values) + 1)[:, None] * len(name)
        total = total + (np.clip(values, -99, 99) * weights).sum(axis=0)
    return np.stack([np.sin(total + n) for n in range(4)]).astype(np.float32)


def arguments(lanes: int = 16, seed: int = 1) -> Arguments:
    """Something in every slot, every block and every system value."""
    rng = np.random.default_rng(seed)
    block = rng.normal(size=400).astype(np.float32)
    block.view(np.int32)[32:36] = 3
    return {
        "inputs": {n: rng.normal(size=(lanes, 4)).astype(np.float32) for n in range(64)},
        "ubos": {0: block.tobytes(), 1: block[::-1].tobytes()},
        "system": {
            "frag_coord": rng.normal(size=(lanes, 4)).astype(np.float32),
            "front_face": np.arange(lanes) % 2 == 0,
            "pixel": rng.normal(size=(lanes, 4)).astype(np.float32),
            "vertex_id": np.arange(lanes, dtype=np.uint32) + 7,
            "instance_id": np.full(lanes, 5, np.uint32),
        },
        "texture": texture,
    }


@pytest.mark.x11
@pytest.mark.needs("piglit", *host.CLIENT)
def test_mesas_tgsi_is_run_and_translated(display: str, tmp_path: Any) -> None:
    """What softpipe prints: interpreted, as nir, and as TGSI of that nir."""
    source = tmp_path / "all.shader_test"
    source.write_text(SHADER)
    given = arguments()
    for text in peer_texts(source, display):
        stream = translate(text)
        nir = to_nir(stream)
        validate(nir)
        wanted = run(stream, 16, **given)
        found = interp.run(nir, 16, **given)
        for slot in (0, 1):  # of depth and stencil one component counts
            if text.startswith("FRAG") and slot in wanted.outputs:
                wanted.outputs[slot] = wanted.outputs[slot][:1]
                found.outputs[slot] = found.outputs[slot][:1]
        assert agree(wanted, found), text
        try:
            both_ways(to_nir(stream), to_nir(stream), 16, given)
        except Unsupported as error:  # blits of cubes look texels up, with levels
            assert str(error).startswith(("TXF of CUBEARRAY (", "TXF of SHADOWCUBE ("))


# ---- one by one -------------------------------------------------------------------------------
CASES = {
    "switch": """
      SWITCH IN[0].xxxx
      CASE IMM[0].xxxx
        MOV TEMP[0].x, IMM[1].xxxx
        BRK
      DEFAULT
        ADD TEMP[0].y, TEMP[0].yyyy, IMM[1].yyyy
      CASE IMM[0].yyyy
        ADD TEMP[0].z, TEMP[0].zzzz, IMM[1].xxxx
        BRK
      CASE IMM[0].zzzz
      CASE IMM[0].wwww
        MOV TEMP[0].w, IMM[1].yyyy
      ENDSWITCH
      MOV OUT[0], TEMP[0]
      END""",
    "loops that are left from within switches": """
      MOV TEMP[1].x, IMM[0].xxxx
      BGNLOOP
        UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
        USEQ TEMP[1].y, TEMP[1].xxxx, IMM[2].xxxx
        UIF TEMP[1].yyyy
          BRK
        ENDIF
        SWITCH TEMP[1].xxxx
        CASE IN[0].xxxx
          CONT
        CASE IMM[0].zzzz
          ADD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx
          BRK
        DEFAULT
          ADD TEMP[0].y, TEMP[0].yyyy, IMM[1].xxxx
        ENDSWITCH
        ADD TEMP[0].z, TEMP[0].zzzz, IMM[1].xxxx
      ENDLOOP
      MOV OUT[0], TEMP[0]
      END""",
    "subroutines that return early": """
      MOV TEMP[0], IMM[0].xxxx
      CAL :7
      CAL :7
      IF TEMP[0].yyyy
        RET
      ENDIF
      MOV OUT[0], TEMP[0]
      END
      BGNSUB
        BGNLOOP
          UIF IN[0].xxxx
            ADD TEMP[0].x, TEMP[0].xxxx, IMM[1].yyyy
            RET
          ENDIF
          BRK
        ENDLOOP
        ADD TEMP[0].y, TEMP[0].yyyy, IMM[1].yyyy
      ENDSUB""".replace(":7", ":8"),
    "arrays": """
      MOV TEMP[2], IMM[1].xyxy
      MOV TEMP[3], IMM[1].yyxy
      MOV TEMP[4], IN[1]
      UARL ADDR[0].x, IN[0].xxxx
      MOV TEMP[ADDR[0].x+3](1).yz, IN[1].wzyx
      MOV TEMP[0], TEMP[ADDR[0].x+2](1)
      MOV TEMP[1], CONST[0][ADDR[0].x+2].yxwz
      ADD OUT[0], TEMP[0], -|TEMP[1]|
      MOV OUT[1], TEMP[4]
      MOV OUT[2], TEMP[2]
      END""",
    "packing": """
      PK2H TEMP[0].x, IN[1]
      UP2H TEMP[0], TEMP[0].xxxx
      PK4UB TEMP[1].y, IN[1]
      UP4UB TEMP[1], TEMP[1].yyyy
      PK4B TEMP[2].w, IN[1]
      UP4B OUT[1].zw, TEMP[2].wwww
      ADD OUT[0], TEMP[0], TEMP[1]
      END""",
    "old opcodes": """
      LIT TEMP[0], IN[1]
      EXP TEMP[1], IN[1].yyyy
      LOG TEMP[2].xyz, IN[1].zzzz
      DST TEMP[3], IN[1], IN[2]
      LRP TEMP[0], IN[2], TEMP[0], TEMP[1]
      CMP TEMP[2], IN[1], TEMP[2], TEMP[3]
      ARL ADDR[0].x, IN[1].xxxx
      ARR ADDR[0].y, IN[1].xxxx
      I2F TEMP[1].xy, ADDR[0]
      SSG TEMP[1].zw, IN[2]
      MUL_SAT OUT[0], TEMP[0], TEMP[2]
      MOV OUT[1], TEMP[1]
      END""",
    "lookups": """
      TXP TEMP[0], IN[1], SAMP[0], SHADOW2D
      TXD TEMP[1].xz, IN[1], IN[2], -IN[1], SAMP[1], CUBE
      TXL TEMP[2], IN[2], SAMP[2], 2D_ARRAY
      TXB2 TEMP[3], IN[2], IN[1].yyyy, SAMP[3], CUBEARRAY
      TEX2 TEMP[4].y, IN[2], IN[1].wwww, SAMP[4], SHADOWCUBEARRAY
      TEX_LZ TEMP[5], IN[1], SAMP[5], RECT
      ADD TEMP[0], TEMP[0], TEMP[1]
      ADD TEMP[2], TEMP[2], TEMP[3]
      ADD OUT[0], TEMP[0], TEMP[2]
      MAD OUT[1], TEMP[4].yyyy, IN[1], TEMP[5]
      TXQ TEMP[0], IN[0].xxxx, SAMP[2], 2D_ARRAY
      MOV OUT[2].xyw, TEMP[0]
      END""",
    "levels and biases of cube arrays with comparison": """
      MOV TEMP[2].x, IN[1].wwww
      MUL TEMP[2].y, IN[2].zzzz, IN[1].yyyy
      ADD TEMP[3].xy, IN[1], IN[2]
      MUL TEMP[3].zw, IN[1], IN[2]
      TXL2 TEMP[0], IN[2], TEMP[2], SAMP[4], SHADOWCUBEARRAY
      TXB2 TEMP[1], TEMP[3], TEMP[2], SAMP[4], SHADOWCUBEARRAY
      TXB2 TEMP[4], IN[2], IN[1], SAMP[3], SHADOWCUBEARRAY
      MOV OUT[0], TEMP[0]
      MOV OUT[1], TEMP[1]
      MOV OUT[2], TEMP[4]
      END""",
    "four texels, levels of detail": """
      TG4 TEMP[0], IN[1], IMM[0].zzzz, SAMP[0], 2D_ARRAY
      TG4 TEMP[1].yz, IN[2], IMM[0].xxxx, SAMP[1], CUBEARRAY
      LODQ TEMP[2].xy, IN[2], SAMP[2], 2D_ARRAY
      LODQ TEMP[3].xy, IN[1], SAMP[3], CUBE
      MOV TEMP[2].zw, TEMP[3].xxxy
      MOV TEMP[1].xw, IN[1]
      MOV OUT[0], TEMP[0]
      MOV OUT[1], TEMP[1]
      MOV OUT[2], TEMP[2]
      END""",
}
HEAD = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL IN[2], COLOR, COLOR
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL OUT[2], COLOR[2]
""" + "".join(f"DCL SAMP[{n}]\n" for n in range(6)) + """DCL CONST[0][0..20]
DCL TEMP[0..1]
DCL TEMP[2..4], ARRAY(1)
DCL TEMP[5]
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
IMM[1] FLT32 {1.0, 2.0, -1.5, 0.25}
IMM[2] INT32 {9, 0, 0, 0}
"""


@pytest.mark.parametrize("name", sorted(CASES))
def test_cases(name: str) -> None:
    """As interpreted, as nir, and as TGSI of that nir."""
    stream = translate(HEAD + CASES[name])
    given = arguments()
    given["inputs"][32] = np.array([[n % 5 - (n > 12) * 9] * 4 for n in range(16)], np.int32)
    wanted = run(stream, 16, **given)
    assert any(bits.any() for bits in wanted.outputs.values())
    nir = to_nir(stream)
    validate(nir)
    assert agree(wanted, interp.run(nir, 16, **given)), print_shader(nir)
    both_ways(to_nir(stream), nir, 16, given)


def test_what_a_switch_does() -> None:
    stream = translate(HEAD + CASES["switch"])
    given = arguments(6)
    given["inputs"][32] = np.array([[n] * 4 for n in (0, 1, 2, 3, 4, -1)], np.int32)
    found = run(stream, 6, **given).output(4)
    assert found.tolist() == [
        [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2], [0, 0, 0, 2], [0, 2, 1, 0], [0, 2, 1, 0],
    ]


WIDE = """FRAG
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL TEMP[0..1]
IMM[0] FLT64 {1.5, -2.25}
IMM[1] INT64 {-7, 3}
IMM[2] INT32 {5, -6, 0, 0}
DADD TEMP[0], IMM[0], -IMM[0].zwxy
D2F OUT[0].xw, TEMP[0]
I64DIV TEMP[1], IMM[1], IMM[1].zwzw
I642F OUT[0].yz, TEMP[1]
I2D TEMP[0], IMM[2]
DSLT OUT[1].y, TEMP[0].zwzw, TEMP[0].xyxy
END
"""


def test_doubles_and_long_integers() -> None:
    """Interpreted, as nir, and as TGSI of that nir."""
    stream = translate(WIDE)
    nir = to_nir(stream)
    validate(nir)
    for found in (run(stream, 3), interp.run(nir, 3), run(from_nir(nir), 3)):
        assert found.output(4)[2].tolist() == [3.75, -2.0, 1.0, -3.75]
        assert found.outputs[5][:, 0].tolist() == [0, 0xFFFFFFFF, 0, 0]


@pytest.mark.parametrize("name", sorted(op.name for op in BY_NAME.values() if op.wide))
def test_every_opcode_of_64_bits(name: str) -> None:
    """On two numbers, on one, with signs, and with half of a number written."""
    op = BY_NAME[name]
    text = HEAD.replace("DCL IN[1], GENERIC[1], PERSPECTIVE", "DCL IN[1], GENERIC[1], CONSTANT")
    for n, mask in enumerate(("xyzw", "xy", "zw", "y")):
        short = op.wide[0] in "fiu"
        mask = mask[:2] if short else mask
        srcs = [("", "-", "-|")[(n + m) % 3] + f"IN[{m}]" + ("", ".zwxy")[n % 2]
                for m in range(op.num_src)]  # fmt: skip
        srcs = [f"{src}|" if "|" in src else src for src in srcs]
        text += f"{name} TEMP[{n % 2}].{mask}, {', '.join(srcs)}\nMOV OUT[{n % 3}], TEMP[{n % 2}]\n"
    stream = translate(f"{text}END\n")
    given = arguments()
    doubles = np.array([1.5, -2.25, 1e30, -1e-310, 3e9, -7.0, 0.0, 4.5e15] * 2)
    longs = np.array([-7, 3, 1 << 40, -(1 << 63), 63, 5, 0, (1 << 63) - 1] * 2)
    for slot, turn in ((32, 0), (33, 3), (1, 5)):
        kind = op.wide[min(2 + (slot == 33), len(op.wide) - 1)]
        if kind in "fiu":
            numbers = doubles.astype(np.float32) if kind == "f" else longs.astype(np.int32)
            given["inputs"][slot] = np.stack([np.roll(numbers, turn + n) for n in range(4)], 1)
            continue
        numbers = doubles if kind == "d" else longs
        both = np.stack([np.roll(numbers, turn), np.roll(numbers, turn + 1)], 1)
        given["inputs"][slot] = np.ascontiguousarray(both).view(np.int32)
    wanted = run(stream, 16, **given)
    nir = to_nir(stream)
    validate(nir)
    assert agree(wanted, interp.run(nir, 16, **given)), f"{text}{print_shader(nir)}"
    both_ways(to_nir(stream), nir, 16, given)


def test_what_lacks_is_named_with_its_place() -> None:
    b = Builder(Shader("fragment"))
    b.store_output(b.load_input(1, 4), 2)
    b.store_output(b.pack_snorm_2x16(b.load_input(1, 2)), 4)
    place = r"opcode pack_snorm_2x16 \(instruction 3: vec1 ssa_\d = pack_snorm_2x16 ssa_\d\)"
    with pytest.raises(Unsupported, match=place):
        from_nir(b.shader)


@pytest.mark.parametrize("text", [
    "SWITCH SAMP[0].xxxx\nCASE IMM[0].xxxx\nENDSWITCH", "UIF SAMP[0].xxxx\nENDIF",
    "SWITCH IMM[0].xxxx\nCASE SAMP[0].xxxx\nENDSWITCH",
])  # fmt: skip
def test_conditions_that_cannot_be_read_have_a_place(text: str) -> None:
    stream = translate(f"{HEAD}MOV OUT[0], IMM[1]\n{text}\nEND")
    for attempt, error in ((lambda: run(stream, 4), ExecError), (lambda: to_nir(stream),
                                                                  Unsupported)):
        with pytest.raises(error, match=r"\(instruction 1\)"):
            attempt()


def test_loops_end() -> None:
    """A loop that never would, and a subroutine that calls itself."""
    endless = "FRAG\nDCL OUT[0], COLOR\nBGNLOOP\nNOP\nENDLOOP\nMOV OUT[0], OUT[0]\nEND\n"
    assert run(translate(endless), 4, max_rounds=50).outputs
    itself = "FRAG\nDCL OUT[0], COLOR\nCAL :2\nEND\nBGNSUB\nCAL :2\nENDSUB\n"
    assert run(translate(itself), 4, max_rounds=50).outputs
    with pytest.raises(Unsupported, match="written out"):
        to_nir(translate(itself))


def test_texts_are_small() -> None:
    """Values that are pieces of others cost no instruction; registers are used again."""
    b = Builder(Shader("fragment"))
    color = b.load_input(1, 4)
    part = b.vec(color.z, color.y)
    b.store_output(b.fadd(b.fneg(part.xyxy), b.fmul(color, b.load_ubo(0, 36, 1).xxxx)), 2)
    assert dump(from_nir(b.shader)) == """FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL CONST[0][2]
DCL TEMP[0..1]
  0: MUL TEMP[0], IN[0], CONST[0][2].yyyy
  1: ADD TEMP[1], -IN[0].zyzy, TEMP[0]
  2: MOV OUT[0], TEMP[1]
  3: END
"""
