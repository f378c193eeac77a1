# SPDX-License-Identifier: MIT
"""`pydri shader`: every kind of file in every form, its mistakes, and the page of docs."""

from __future__ import annotations

import pathlib

import pytest

from pydri import cli
from pydri.tools import shader
from scripts import shader_forms
from tests.unit.tgsi.test_text import SHADER

FILES = {
    "a.frag": "varying vec4 v;\nvoid main() { gl_FragColor = v * 2.0; }\n",
    "a.vert": "varying vec4 v;\nvoid main() { v = gl_Color; gl_Position = ftransform(); }\n",
    "a.fp": "!!ARBfp1.0\nMUL result.color, fragment.color, 2.0;\nEND\n",
    "a.vp": "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n",
    "a.tgsi": "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
    "0: ADD OUT[0], IN[0], IN[0]\n1: END\n",
    "a.shader_test": SHADER,
}
#: what a form begins with, or holds
MARKS = {"glsl": "void main()", "mesa": " Program/Shader 1\n", "nir": "shader: MESA_SHADER_",
         "tgsi": "DCL OUT[0]", "tokens": "0000", "llvm": "define", "asm": ".text",
         "qir": "BLOCK 0:", "qpu": "; thrend"}  # fmt: skip


def forms(name: str) -> list[str]:
    own = {"fp": "mesa", "vp": "mesa", "tgsi": "nir"}.get(name.rpartition(".")[2], "glsl")
    return [own, "nir", "tgsi", "tokens"]


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_file_has_its_forms(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    for form in forms(name):
        assert MARKS[form] in shader.show(str(path), [form])
    short = shader.show(str(path), [])
    assert all(MARKS[form] in short for form in forms(name))


@pytest.mark.parametrize("name", sorted(set(FILES) - {"a.shader_test"}))
def test_every_file_has_words_of_videocore(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    for form in ("qir", "qpu"):
        assert MARKS[form] in shader.show(str(path), [form])


def test_words_come_with_their_uniforms() -> None:
    """Of a vertex shader there are two variants; the coordinate shader reads no colours."""
    text = "void main() { gl_FrontColor = gl_Color; gl_Position = ftransform(); }\n"
    (source,) = shader.read(text, ".vert")
    for variant in source.form("qpu").split("\nCS:\n"):
        assert "uniform 0: block 0, word " in variant and "viewport_x_scale" in variant
    vertex, coordinate = source.form("qir").split("\nCS:\n")
    assert vertex.startswith("VS:\n") and "vpm1.3" in vertex and "vpm1." not in coordinate


def test_what_videocore_has_not_is_told() -> None:
    text = "#extension GL_EXT_texture_array : enable\nuniform sampler2DArray s;\n"
    text += "void main() { gl_FragColor = texture2DArray(s, gl_Color.xyz); }\n"
    (source,) = shader.read(text, ".frag")
    with pytest.raises(shader.ShaderError, match="VC4 cannot run it"):
        source.form("qpu")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.frag", "a.vert"])
def test_machine_code(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    kernel = {"a.frag": "lp_fs", "a.vert": "lp_vs"}[name]
    for form in ("llvm", "asm"):
        text = shader.show(str(path), [form])
        assert MARKS[form] in text and kernel in text


def test_what_is_printed_is_read_again(tmp_path: pathlib.Path) -> None:
    """nir and TGSI of a shader are shaders."""
    path = tmp_path / "a.frag"
    path.write_text(FILES["a.frag"])
    given = {"VAR0": [1.0, 2.0, 3.0, 4.0]}
    wanted = shader.read(FILES["a.frag"], ".frag")[0].run(given)
    assert wanted == "FRAG_RESULT_COLOR = 2, 4, 6, 8\n"
    for form in ("nir", "tgsi"):
        again = shader.read(shader.show(str(path), [form]))[0]
        assert again.run(given) == wanted


def test_the_command(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.tgsi"
    path.write_text(FILES["a.tgsi"])
    assert cli.main(["shader", str(path), "--as", "tgsi", "--run", "VAR0=1,2,3,4"]) == 0
    out = capsys.readouterr().out
    assert "  0: ADD OUT[0], IN[0], IN[0]\n" in out and "FRAG_RESULT_DATA0 = 2, 4, 6, 8" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("void main() { gl_FragColor = x; }", "x"),
        ("!!ARBfp1.0\nMOV result.color;\nEND", "line 2"),
        ("FRAG\nDCL OUT[0], COLOR\nMOV OUT[0], OUT[1]\nEND", "OUT[1]: Undeclared"),
        ("FRAG\nMUV", "[2 : 1]"),
        ("TESS_CTRL\nEND", "TESS_CTRL"),
        ("shader: MESA_SHADER_FRAGMENT\nwhat", "line"),
    ],
)
def test_mistakes_are_told(
    text: str, message: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert cli.main(["shader", str(path)]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("pydri shader: ") and message in told.err and not told.out


def test_wrong_questions(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.frag"
    path.write_text(FILES["a.frag"])
    for more in (["--as", "mesa"], ["--run", "VAR0"], ["--run", "NOTHING=1"],
                 ["--stage", "vertex"]):  # fmt: skip
        wrong = ["shader", str(path), *more]
        if "--stage" in more:  # a file of this name is a fragment shader's, whatever is asked
            path.write_text("[fragment shader]\n" + FILES["a.frag"])
        assert cli.main(wrong) == 1, more
        assert capsys.readouterr().err.startswith("pydri shader: ")
    assert cli.main(["shader", str(tmp_path / "none")]) == 1


def test_the_page_is_what_the_tool_prints() -> None:
    """If this fails because nir has become better: `python -m scripts.shader_forms`."""
    assert shader_forms.PAGE.read_text() == shader_forms.page()
