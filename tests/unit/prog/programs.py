# SPDX-License-Identifier: MIT
"""Real assembly programs to test with: piglit's; and programs made of them by small changes."""

import pathlib
import random
import re

from pydri.prog.faults import ProgramFault
from pydri.prog.instructions import Program
from pydri.prog.languages import LANGUAGES
from pydri.prog.parser import parse
from tests import host

PIGLIT = pathlib.Path(host.LIB, "piglit")
LIMITS = {stage: row.limits for stage, row in LANGUAGES.items()}
#: what changed programs get, beside each other's words
WORDS = (
    "state.matrix.palette[0]", "OPTION ARB_fog_linear;", "OPTION ARB_draw_buffers;", "4294967296",
    "99999999999999999999", "1e99", ".5e-3", "1.", "1..2", "0..3", "\xff", "\0", "@", '"',
    "SHADOWRECT", "result.color[1]", "A0.y", "ALIAS q=R0;", "vertex.attrib[0]", "SWZ", "-1",
    "state.matrix.program[7].invtrans.row[0..3]", ".rgbw", "TXD", "DDX", "END", "ARL",
    "vertex.matrixindex[0]", "OUTPUT o=result.depth;", "state.light[7].half", "{", "#",
)  # fmt: skip


def parsed(stage: str, text: str) -> Program:
    return parse(text, stage, LIMITS[stage])


def fault(stage: str, text: str) -> tuple[int, str]:
    """Position and message; (-1, "") of a program without a mistake."""
    try:
        parsed(stage, text)
    except ProgramFault as found:
        return found.position, found.text
    return -1, ""


def of_piglit() -> list[tuple[str, str]]:
    """Stage and text of all programs that stand in files."""
    found = []
    for path in sorted(PIGLIT.glob("*/asmparsertest/shaders/ARB*/*.txt")):
        stage = "vertex" if path.parent.name.startswith("ARBvp") else "fragment"
        found.append((stage, path.read_text("latin-1")))
    for path in sorted(PIGLIT.glob("tests/spec/arb_*_program*/**/*.shader_test")):
        pattern = r"\[(vertex|fragment) program\]\n(.*?)\n(?=\[|\Z)"
        found += re.findall(pattern, path.read_text("latin-1"), re.S)
    return found


def changed(corpus: list[tuple[str, str]], rng: random.Random) -> tuple[str, str]:
    """One of them with one to three words removed, added, exchanged, swapped or cut."""
    stage, text = rng.choice(corpus)
    words = re.findall(r"\w+|\s|.", text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, how = rng.randrange(len(words) + 1), rng.randrange(10)
        other = rng.choice(WORDS) if rng.random() < 0.3 else rng.choice(
            re.findall(r"\w+|.", rng.choice(corpus)[1]) or [""])  # fmt: skip
        if how < 3:
            words[at : at + 1] = []
        elif how < 6:
            words.insert(at, other)
        elif how < 8:
            words[at : at + 1] = [other]
        elif at < len(words) and how == 8:
            with_ = rng.randrange(len(words))
            words[at], words[with_] = words[with_], words[at]
        elif at < len(words):
            words[at] = words[at][: rng.randrange(len(words[at]) + 1)]
    if rng.random() < 0.05:
        stage = "vertex" if stage == "fragment" else "fragment"
    return stage, "".join(words)
