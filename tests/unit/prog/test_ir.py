# SPDX-License-Identifier: MIT
"""Mesa IR: listings, passes, and that nir and TGSI compute what the instructions mean."""

import pathlib
import random
import re

import numpy as np
import pytest

from pydri.main.programs.state import parts
from pydri.nir import enums
from pydri.nir import interp as nir_interp
from pydri.nir.validate import validate
from pydri.prog import interp
from pydri.prog import to_nir as prog_to_nir
from pydri.prog.faults import ProgramFault
from pydri.prog.instructions import Program
from pydri.prog.opcodes import OPCODES
from pydri.prog.passes import prepare
from pydri.prog.printer import print_parameters, print_program
from pydri.prog.to_nir import to_nir
from pydri.prog.to_tgsi import to_tgsi
from pydri.tgsi.text.dump import dump
from pydri.tgsi.text.reader import translate
from pydri.tgsi.tokens.sanity import check
from pydri.tgsi.translate.to_nir import to_nir as tgsi_to_nir
from tests.unit.prog.programs import changed, of_piglit, parsed
from tests.unit.prog.texts import written

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
LANES = 8


def test_the_listings_of_seed_002() -> None:
    """The page's program prints as Mesa IR and as TGSI, byte for byte as the page shows them (in
    the words that TGSI had then); and in today's words it is what the page's text means."""
    program = parsed("fragment", (GOLDEN / "prog" / "seed002.arbfp").read_text())
    # Mesa pads the numbers to three columns, which the page has not kept
    listing = print_program(program).replace("\n  ", "\n")
    assert listing == (GOLDEN / "prog" / "seed002.mesa").read_text()
    page = (GOLDEN / "tgsi" / "seed002.tgsi").read_text()
    tokens = to_tgsi(prepare(program))
    assert dump(tokens, older=True) == page
    # TGSI of today names the block of a constant
    assert dump(tokens) == re.sub(r"CONST\[", "CONST[0][", dump(translate(page)))


def test_other_forms() -> None:
    program = parsed("fragment", """!!ARBfp1.0
        TEMP a; SWZ_SAT a.xw, fragment.color, -x, 0, 1, -w;
        TXP a, fragment.texcoord[3], texture[2], CUBE; KIL -a.wzyx;
        MOV result.depth.z, state.fog.params.x; END""")
    assert print_program(program, 7).splitlines()[1:] == [
        "  0: SWZ_SAT TEMP[0].xw, INPUT[1], -x,0,1,-w;",
        "  1: TXP TEMP[0], INPUT[7], texture[2], CUBE;",
        "  2: KIL TEMP[0].-w-z-y-x;",
        "  3: MOV OUTPUT[0].z, STATE[0].xxxx;",
        "  4: END",
    ]
    assert "MOV result.depth.z, state.fog.params.xxxx;" in print_program(program, arb=True)
    assert print_parameters(program.parameters).startswith("param[0] sz=4 STATE state.fog.params")


def test_each_opcode_has_its_meanings() -> None:
    """A row of the table is written in every place that has to know it."""
    in_nir = {*prog_to_nir._COMPONENTWISE, *prog_to_nir._SCALAR, *prog_to_nir._DOTS,
              *prog_to_nir._VECTORS}  # fmt: skip
    special = {"ARL", "KIL", "END", "NOP", "TEX", "TXB", "TXP", "TXL", "TXD"}
    assert in_nir | special == set(OPCODES)
    assert set(interp.SEMANTICS) | special | {"DDX", "DDY"} == set(OPCODES)


def _numbers(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, shape).astype(np.float32)


def _agree(program: Program, seed: int = 1) -> None:
    """The IR, its nir, and the nir of its TGSI give the same numbers."""
    program = prepare(program)
    slots = [n for n in range(64) if program.inputs_read >> n & 1]
    inputs = {slot: _numbers(seed + slot, (LANES, 4)) for slot in slots}
    if program.stage == "fragment" and enums.VARYING_SLOT_FOGC in inputs:
        inputs[enums.VARYING_SLOT_FOGC][:, 1:] = 0, 0, 1
    items = program.parameters.items
    block = _numbers(seed + 99, (max(len(items), 1), 4))
    for n, item in enumerate(items):
        if item.state is None:
            block[n] = item.values
    wanted = interp.run(program, LANES, inputs, block).outputs
    state = np.zeros((len(items), 4), np.float32) if not items else block
    where = {item.state: n for n, item in enumerate(items)}

    def places(of: object) -> tuple[int, int, int, int]:
        at = 16 * where[of]  # type: ignore[index]
        return at, at + 4, at + 8, at + 12

    shader = to_nir(program, places)
    validate(shader, "to_nir")
    tokens = to_tgsi(program)
    check(tokens)
    attributes = slots if program.stage == "vertex" else None
    for made in (shader, tgsi_to_nir(tokens, attributes)):
        found = nir_interp.run(made, LANES, inputs=inputs,
                               ubos={0: state.tobytes(), 1: block.tobytes()})  # fmt: skip
        for slot, value in wanted.items():
            have = found.output(slot)
            part = value[:, 2:3] if program.stage == "fragment" and not slot else value
            count = min(have.shape[1], part.shape[1])
            if program.stage == "vertex" and slot == enums.VARYING_SLOT_FOGC:
                count = 1
            np.testing.assert_allclose(have[:, :count], part[:, :count], 2e-5, 2e-5)


ONE = [name for name, row in OPCODES.items() if row.token and row.operands == 1
       and name not in ("KIL", "ARL", "TEX", "TXB", "TXP", "SWZ")]  # fmt: skip
MORE = [name for name, row in OPCODES.items() if row.token and row.operands > 1]


@pytest.mark.parametrize("name", [*ONE, *MORE])
def test_an_instruction(name: str) -> None:
    row = OPCODES[name]
    stage, header = ("vertex", "vp") if row.languages == "v" else ("fragment", "fp")
    base = "vertex.texcoord" if stage == "vertex" else "fragment.texcoord"
    suffix = ".y" if row.token in ("SCALAR_OP", "BINSC_OP") else ".wxzy"
    defined = {"SCS": ".xy", "XPD": ".xyz"}.get(name, "")  # the other components are not
    signed = "" if name in ("POW", "LG2", "LOG", "EX2", "EXP") else "-"
    operands = [f"{base}[0]{suffix}", f"{signed}program.env[3]{suffix}", f"{base}[1]{suffix}"]
    if name == "POW":
        operands[0] = "state.light[0].diffuse.x"
    text = f"""!!ARB{header}1.0
        TEMP a; {name} a{defined}, {", ".join(operands[: row.operands])};
        {"MOV result.position" if stage == "vertex" else "MOV result.color"}, a; END"""
    program = parsed(stage, text)
    if name != "POW":
        _agree(program)
    else:  # of negative numbers it is not defined
        to_nir(prepare(program), lambda state: (0, 4, 8, 12))


PROGRAMS = {
    "masks": ("fragment", """TEMP a; MOV a.xz, fragment.color; ADD_SAT a.yw, a.zzxx, 0.25;
        MAD result.color, a, {1, 2}, -a.wzyx; MOV result.depth.z, a.w;"""),
    "swizzles": ("fragment", "SWZ result.color, fragment.texcoord[0], -y, 1, 0, -1;"),
    "signs": ("fragment", "SWZ result.color.yzw, fragment.texcoord[0], x, -y, z, -w;"),
    "in place": ("fragment", """TEMP a; MOV a, fragment.texcoord[1]; XPD a.xyz, a, a.yzxw;
        SCS a.xy, a.z; DPH result.color, a, fragment.texcoord[1];"""),
    "indexed": ("vertex", """PARAM p[] = {{1,2,3,4}, program.env[5..6], state.material.diffuse};
        ADDRESS A; TEMP t; MUL t, vertex.color, 0.6; ARL A.x, t.x;
        MOV result.position, p[A.x + 1]; ARL A.x, {0.5}.x; ADD result.color, p[A.x], p[2];"""),
    "invariant": ("vertex", "OPTION ARB_position_invariant; MOV result.color, vertex.normal;"),
    "fog": ("fragment", "OPTION ARB_fog_exp2; MOV result.color, fragment.color;"),
    "linear fog": ("fragment", "OPTION ARB_fog_linear; MUL result.color, fragment.color, 2;"),
    "fog coordinate": ("vertex", "MOV result.fogcoord, vertex.normal; MOV result.position, 1;"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str) -> None:
    stage, text = PROGRAMS[name]
    for seed in (1, 50):
        _agree(parsed(stage, f"!!ARB{stage[0]}p1.0 {text} END"), seed)


def test_preparing_leaves_the_program_alone() -> None:
    program = parsed("fragment", "!!ARBfp1.0 OPTION ARB_fog_exp; MOV result.color, 1; END")
    before = print_program(program)
    assert print_program(prepare(program)) != before == print_program(program)
    assert (program.temporaries, len(program.parameters)) == (0, 1)


def translated(stage: str, text: str) -> bool:
    """Take a text through all forms; False if it is no program."""
    try:
        program = prepare(parsed(stage, text))
    except ProgramFault:
        return False
    assert print_program(program) and print_program(program, arb=True)
    validate(to_nir(program, parts), "to_nir")
    tokens = to_tgsi(program)
    check(tokens)
    slots = [n for n in range(64) if program.inputs_read >> n & 1]
    validate(tgsi_to_nir(tokens, slots if stage == "vertex" else None), "tgsi_to_nir")
    return True


def test_random_texts_are_translated() -> None:
    good = sum(translated(*written(random.Random(seed))) for seed in range(400))
    assert good > 60


@pytest.mark.long
@pytest.mark.needs("piglit")
def test_ten_thousand_texts_are_translated() -> None:
    corpus, rng = of_piglit(), random.Random(9)
    for _ in range(5000):
        translated(*written(rng))
        translated(*changed(corpus, rng))
