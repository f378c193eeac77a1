# SPDX-License-Identifier: MIT
"""Text to tokens to text: Mesa's own texts come back to the letter, errors say where."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from pydri.tgsi.text.dump import dump
from pydri.tgsi.text.reader import TextError, read, translate
from pydri.tgsi.tokens.parse import build, parse
from pydri.tgsi.tokens.sanity import SanityError
from tests import host

GOLDEN = Path(__file__).parents[2] / "golden" / "tgsi"
PIGLIT = Path("/usr/lib/x86_64-linux-gnu/piglit")
EXACT = ("everything", "geometry", "tessellation")


@pytest.mark.parametrize("name", EXACT)
def test_golden_texts_come_back(name: str) -> None:
    text = (GOLDEN / f"{name}.tgsi").read_text()
    assert dump(parse(build(translate(text)))) == text


def test_the_listing_of_seed_002_is_read() -> None:
    """As Mesa of 2010 wrote it: no numbers of immediates, SUB, one dimension."""
    older = (GOLDEN / "seed002.tgsi").read_text()
    text = dump(translate(older))
    assert dump(translate(older), older=True) == older
    assert "IMM[0] FLT32 {    0.0000,     1.0000,     0.0000,     0.0000}\n" in text
    assert "  1: ADD TEMP[0], TEMP[0], -IMM[0].xxxx\n" in text
    assert dump(translate(text)) == text


def test_blanks_letters_and_labels_are_free() -> None:
    loose = "vert dcl in [ 0 ] Dcl OUT[0] , position\n\t7 :mov out[0] . XY ,in[0].yxWW end"
    tight = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0].xy, IN[0].yxww\n  1: END\n"
    assert dump(translate(loose)) == tight


def test_hexadecimal_floats_lose_nothing() -> None:
    rng = random.Random(5)
    words = [rng.getrandbits(32) for _ in range(40)]
    values = [", ".join(f"0x{w:08x}" for w in words[n : n + 4]) for n in range(0, 40, 4)]
    text = "FRAG\n" + "".join(f"IMM[{n}] FLT32 {{{v}}}\n" for n, v in enumerate(values))
    text += "  0: END\n"
    assert dump(translate(text), hexadecimal=True) == text


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "Expected a processor"),
        ("FRUG", 1, 1, "not FRUG"),
        ("FRAG\nDCL OAT[0]", 2, 5, "not OAT"),
        ("FRAG\nDCL OUT[0], COLOR\n  MOV OUT[0].q, OUT[0]", 3, 14, "Writemask expected"),
        ("FRAG\nDCL OUT[0], COLOUR", 2, 13, "COLOUR belongs"),
        ("FRAG\nDCL TEMP[3..1]", 2, 10, "from 3 to 1"),
        ("FRAG\nDCL TEMP[70000]", 2, 1, "does not fit"),
        ("FRAG\nIMM[1] FLT32 {0, 0, 0, 0}", 2, 5, "in order"),
        ("FRAG\nIMM FLT32 {0, x, 0, 0}", 2, 15, "Expected immediate constant"),
        ("FRAG\nIMM FLT32 {0, 0}", 2, 16, "Expected `,'"),
        ("FRAG\n0: MUV TEMP[0]", 2, 4, "MUV is no opcode"),
        ("FRAG\n0: ADD TEMP[0], TEMP[0]", 2, 24, "Expected `,'"),
        ("FRAG\n0: MOV TEMP[0], |TEMP[0]", 2, 25, "Expected `|'"),
        ("FRAG\n0: TEX TEMP[0], TEMP[0], SAMP[0], 5D", 2, 35, "not 5D"),
        ("FRAG\nPROPERTY FS_COORD_ORIGIN MIDDLE", 2, 26, "not MIDDLE"),
        ("FRAG\n0: MOV TEMP[0], TEMP[99999999999999999999]", 2, 1, "does not fit"),
        ("FRAG\n\0", 2, 1, "Expected an opcode"),
    ],
)
def test_errors_say_where(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(TextError) as caught:
        translate(text)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("seed", range(6))
def test_broken_texts_raise_and_do_nothing_else(seed: int) -> None:
    """Characters of good texts changed, lost, doubled: a stream comes out, or an error."""
    rng = random.Random(seed)
    texts = [path.read_text() for path in sorted(GOLDEN.glob("*.tgsi"))]
    for _ in range(60):
        text = list(rng.choice(texts))
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(text))
            piece = "".join(rng.choices("[]().,:-|xyzw09 \nTEMPIF{}", k=rng.randrange(3)))
            text[at : at + rng.randrange(3)] = piece
        try:
            stream = translate("".join(text))
        except (TextError, SanityError) as error:
            assert str(error)
        else:
            assert read(dump(stream, hexadecimal=True)) == stream


def peer_texts(source: Path, display: str) -> list[str]:
    """What Mesa's softpipe prints of its shaders for a piglit test."""
    env = host.side("softpipe", display, SOFTPIPE_DEBUG="vs,fs", PIGLIT_SOURCE_DIR=str(PIGLIT))
    run = subprocess.run([PIGLIT / "bin" / "shader_runner", source, "-auto", "-fbo"], env=env,
                         capture_output=True, text=True, timeout=60)
    return split(run.stdout + run.stderr)


def split(output: str) -> list[str]:
    """The TGSI shaders among what a program printed, each from its processor to its END."""
    found, current = [], None
    for line in output.splitlines():
        if line in ("FRAG", "VERT", "GEOM"):
            current = []
        if current is not None:
            current.append(line)
            if line.endswith(": END"):
                found.append("\n".join(current) + "\n")
                current = None
    return sorted(set(found))


SHADER = """[require]
GLSL >= 1.20
[vertex shader]
#version 120
uniform float a[8]; uniform int n; uniform mat4 m[3];
varying vec4 v;
void main() {
  vec4 t[5]; float s = 0.0;
  for (int i = 0; i < n; i++) { s += a[i]; if (s > 3.0) break; t[i] = vec4(s); }
  v = m[n] * gl_Vertex + t[n];
  gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; gl_PointSize = s;
}
[fragment shader]
#version 120
varying vec4 v;
uniform sampler2D t; uniform samplerCube c; uniform sampler2DShadow sh; uniform bvec4 b;
void main() {
  if (v.x < 0.5) discard;
  vec4 x = texture2D(t, v.xy, 1.0) + textureCube(c, v.xyz) * shadow2DProj(sh, v);
  x += sin(v) * pow(v.x, v.y) + dFdx(v) + (b.x ? mod(v, 3.0) : gl_FragCoord);
  gl_FragColor = clamp(gl_FrontFacing ? -x : x, 0.0, 1.0);
}
[test]
link success
"""


@pytest.mark.x11
@pytest.mark.needs("piglit", *host.CLIENT)
def test_what_mesa_prints_comes_back(display: str, tmp_path: Path) -> None:
    source = tmp_path / "all.shader_test"
    source.write_text(SHADER)
    texts = peer_texts(source, display)
    assert len(texts) > 100 and any("BGNLOOP" in text for text in texts)
    for text in texts:
        assert dump(parse(build(translate(text)))) == text
