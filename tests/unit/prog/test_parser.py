# SPDX-License-Identifier: MIT
"""Program strings: what is refused, where and in which words; beside the peer, and by itself."""

import json
import pathlib
import random
import re
import subprocess
import sys
import time

import pytest

from pydri.main import memory
from pydri.main.programs import code
from pydri.nir.printer import print_shader
from pydri.prog.passes import prepare
from tests import host
from tests.unit.prog import program_peer
from tests.unit.prog.programs import changed, fault, of_piglit, parsed
from tests.unit.prog.texts import written

#: what the peer says of each: stage, text, position, message without its line and column
FAULTS = (
    ("fragment", "!!ARBfp1.0\nMOV result.color, fragment.color\nEND", 40,
     "3, char 1", "syntax error, unexpected END, expecting ';'"),
    ("vertex", "foo", 1,
     "1, char 1", "syntax error, unexpected IDENTIFIER, expecting ARBvp_10 or ARBfp_10"),
    ("vertex", "", 2,
     "2, char 1", "syntax error, unexpected end of file, expecting ARBvp_10 or ARBfp_10"),
    ("vertex", "!!ARBfp1.0\nEND", 1, "1, char 1", "invalid vertex program header"),
    ("vertex", "!!ARBvp1.0\nTEMP a;TEMP a;END", 16,
     "2, char 13", "syntax error, unexpected USED_IDENTIFIER, expecting IDENTIFIER"),
    ("vertex", "!!ARBvp1.0\nMOV result.position, vertex.foo;END", 31,
     "2, char 28", "syntax error, unexpected DOT"),
    ("fragment", "!!ARBfp1.0\nOPTION foo;END", 13,
     "2, char 8", "invalid ARB fragment program option"),
    ("fragment", "!!ARBfp1.0\nPARAM a[2]={{1,2,3,4}};END", 12,
     "2, char 9", "parameter array size and number of bindings must match"),
    ("fragment", "!!ARBfp1.0\nMOV result.color, program.env[256];END", 36,
     "2, char 31", "invalid environment parameter reference"),
)  # fmt: skip


@pytest.mark.parametrize(("stage", "text", "position", "at", "message"), FAULTS)
def test_faults(stage: str, text: str, position: int, at: str, message: str) -> None:
    assert fault(stage, text) == (position, f"line {at}: error: {message}\n")


def test_a_program_has_what_it_names() -> None:
    program = parsed("vertex", """!!ARBvp1.0
        OPTION ARB_position_invariant;
        ATTRIB t = vertex.texcoord[2]; ADDRESS A0; TEMP a, b; OUTPUT o = result.texcoord[1];
        PARAM m[5] = { state.matrix.texture[2].inverse, program.local[7] };
        ARL A0.x, t.w; MUL a.xy, m[A0.x + 1], -t.wzyx; ADD o, a, 2; END""")
    assert program.position_invariant and program.address_registers == 1
    assert (program.temporaries, len(program.instructions)) == (2, 4)
    assert program.inputs_read == 1 << 8 and program.outputs_written == 1 << 5
    states = [item.state for item in program.parameters.items]
    assert states[0] == ("matrix", "texture", 2, "inverse", 0) and states[4] == ("local", 7)
    multiply = program.instructions[1]
    assert multiply.dst.mask == 3 and multiply.srcs[0].relative
    assert (multiply.srcs[1].swizzle, multiply.srcs[1].negate) == ((3, 2, 1, 0), 15)


def _beside_the_peer(tmp_path: pathlib.Path, given: list[tuple[str, str]]) -> list[str]:
    asked, answered = tmp_path / "programs.json", tmp_path / "answers.json"
    asked.write_text(json.dumps(given))
    command = [sys.executable, program_peer.__file__, str(asked), str(answered)]
    env = host.side("peer", EGL_PLATFORM="surfaceless")
    subprocess.run(command, env=env, check=True, timeout=120)
    told = json.loads(answered.read_text())
    pairs = zip(given, told, strict=True)
    return [f"{text}\npeer {peer}\nours {fault(stage, text)}" for (stage, text), peer in pairs
            if list(fault(stage, text)) != peer]  # fmt: skip


def _same_answers(tmp_path: pathlib.Path, given: list[tuple[str, str]]) -> None:
    """Both sides say the same of each. The peer has more image units."""
    given = [row for row in given if not re.search(r"texture\s*\[\s*(1[6-9]|[23]\d)", row[1])]
    different = _beside_the_peer(tmp_path, given)
    assert not different, "\n----\n".join(different[:10])


@pytest.mark.needs("piglit", "libegl1", "libgl1-mesa-dri")
@pytest.mark.parametrize("seed", host.seeds((0,), 4))
def test_programs_and_changed_ones_as_the_peer(tmp_path: pathlib.Path, seed: int) -> None:
    """All of piglit's, as many with something wrong, some by the grammar alone."""
    host.only_reference_peer()
    corpus, rng = of_piglit(), random.Random(seed)
    assert len(corpus) > 500
    given = corpus + [changed(corpus, rng) for _ in range(600)]
    _same_answers(tmp_path, given + [written(rng) for _ in range(300)])


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.needs("piglit", "libegl1", "libgl1-mesa-dri")
def test_ten_thousand_texts_as_the_peer(tmp_path: pathlib.Path) -> None:
    host.only_reference_peer()
    corpus, rng = of_piglit(), random.Random(7)
    for _ in range(20):
        given = [changed(corpus, rng) for _ in range(250)] + [written(rng) for _ in range(250)]
        _same_answers(tmp_path, given)


def test_texts_by_the_grammar_say_something() -> None:
    """Some are programs, and those that are not have many different mistakes."""
    told = [fault(*written(random.Random(seed))) for seed in range(200)]
    assert sum(position == -1 for position, _ in told) > 30
    assert len({message.partition("error:")[2] for _, message in told}) > 20


def test_numbers_beyond_a_float() -> None:
    """They are infinite, or 0, as strtof has them, and the program is a program."""
    text = "!!ARBvp1.0\nPARAM p = {1e99, -1e400, 1e-99, %s};\nMOV result.position, p;\nEND"
    program = parsed("vertex", text % ("9" * 5000 + ".0"))
    infinite = float("inf")
    (item,) = program.parameters.items
    assert item.values == (infinite, -infinite, 0.0, infinite)
    made, address = code.made_code(prepare(program), 1)
    memory.free(address)
    assert "inf" in print_shader(made.shader())


@pytest.mark.parametrize("seed", host.seeds((1, 2), 8))
def test_noise_ends_with_an_error_that_has_a_place(seed: int) -> None:
    """No text hangs or breaks the parser: each ends soon, with a program or a place."""
    rng = random.Random(seed)
    pieces = ("!!ARBvp1.0", "MOV", "R0", ",", ";", "[", "]", "{", "}", ".", "state", ".matrix",
              "PARAM", "=", "-", "1", "1e99", "9" * 5000, "program.env", "A0", ".x", "END", "\n",
              " ", "#", "é")  # fmt: skip
    began = time.process_time()
    for _ in range(300):
        text = "!!ARBvp1.0\n" * rng.randrange(2) + "".join(
            rng.choice(pieces) for _ in range(rng.randrange(60)))  # fmt: skip
        position, message = fault("vertex", text)
        assert (position == -1) == (message == "") and position >= -1
    for text in ("!!ARBvp1.0 PARAM a[] = {" + "{1}," * 5000 + "{1}};END",
                 "!!ARBfp1.0" + "MOV result.color, 1;" * 3000 + "END", "(" * 20000):  # fmt: skip
        fault("vertex", text)
    assert time.process_time() - began < 20
