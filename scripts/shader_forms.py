# SPDX-License-Identifier: MIT
"""Writes docs/shader-forms.md: one shader in all its forms, as `pydri shader` prints them.

In: docs/examples/limb.frag. Out: the page (`python -m scripts.shader_forms` writes it; with
`--print` it goes to stdout). tests/unit/tools/test_shader.py holds that it is the same.
"""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHADER = ROOT / "docs" / "examples" / "limb.frag"
PAGE = ROOT / "docs" / "shader-forms.md"
COLUMNS = 100
INPUTS = {
    "VAR0": [0.0, 3.0, 4.0], "COL0": [1.0, 0.5, 0.25, 1.0],
    "ubo1": [0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0],
}  # fmt: skip
#: what is said of each form
TEXTS = {
    "glsl": "The typed tree (pydri/glsl). Types stand behind operators, `make` is a constructor;\n"
    "implicit conversions have become operations.",
    "nir": "nir (pydri/nir), after the passes of `lower_glsl`: the loop is unrolled, the branch\n"
    "is a `discard_if`, uniforms are loads from block 1, sixteen bytes a vector.",
    "tgsi": "TGSI (pydri/tgsi), as Mesa's softpipe would print it. Swizzles, signs, constants and\n"
    "inputs are read in place; immediates are bits, so that no digit is lost.",
    "tokens": "The words of the stream: header, processor, then declarations, immediates and\n"
    "instructions, bit by bit as p_shader_tokens.h has them.",
    "qir": "QIR of VideoCore IV (pipe_vc4/qir), optimised: scalars, one temp an assignment,\n"
    "sixteen pixels at a time. A varying comes without its constant, over w; the discard is a\n"
    "mask under which the tile buffer is written; flags and conditions are suffixes (`.sf`,\n"
    "`.ns`).",
    "qpu": "QPU words (pipe_vc4/emit, qpu), as the hardware and the simulator run them: registers\n"
    "of two files and accumulators, an addition beside a multiplication, uniforms and varyings\n"
    "taken from queues. The rsqrt's result stands in r4 three words later. Words before `thrend`\n"
    "wait for the tile (`sbwait`); the delay slots behind it write the colour. Below them the\n"
    "stream of uniforms, in the order in which the words read it.",
}


def narrow(line: str) -> str:
    """A line that fits the page: comments at its end go first."""
    line = line.replace("\t", "    ").rstrip()
    while len(line) > COLUMNS and " /*" in line:
        line = line[: line.rindex(" /*")].rstrip()
    return line


def block(text: str) -> str:
    """A fenced block."""
    lines = [narrow(line) for line in text.rstrip().splitlines()]
    return "```\n" + "\n".join(lines) + "\n```\n"


def page() -> str:
    """The page."""
    from pydri.tools import shader

    source = shader.read(SHADER.read_text(), SHADER.suffix)[0]
    out = [
        "# One shader in all its forms\n",
        "This page is written by `python -m scripts.shader_forms`; a test holds it. The shader is\n"
        "docs/examples/limb.frag; each form below is what `pydri shader FILE --as FORM` prints.\n",
        block(SHADER.read_text()),
    ]
    for number, (form, text) in enumerate(TEXTS.items(), 1):
        out += [f"## {number}. `--as {form}`\n", text + "\n", block(source.form(form))]
    given = " ".join(f"{name}={','.join(f'{v:g}' for v in values)}"
                     for name, values in INPUTS.items())  # fmt: skip
    out += [
        "## 7. `--as llvm`, `--as asm`\n",
        "LLVM IR and machine code of llvmpipe's fragment kernel with this shader in it, drawing\n"
        "to a plain window. They depend on the CPU and are not shown here: the kernel also walks\n"
        "the stamps of a tile, interpolates and stores.\n",
        "## 8. `--run`\n",
        "What it computes of given numbers. nir's interpreter and TGSI's must agree: a second\n"
        "line would tell where they do not.\n",
        block(f"$ pydri shader docs/examples/limb.frag --as glsl \\\n      --run {given}\n...\n"
              + source.run(INPUTS)),
        "ARB programs (a file that begins with `!!ARBfp1.0` or `!!ARBvp1.0`) have Mesa IR in the\n"
        "place of the typed tree (`--as mesa`); texts of TGSI and nir are read, too, and a\n"
        ".shader_test gives each of its stages.\n",
    ]
    return "\n".join(out)


def main() -> None:
    """Write it."""
    if "--print" in sys.argv[1:]:
        sys.stdout.write(page())
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
