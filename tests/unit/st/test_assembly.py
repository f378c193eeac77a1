# SPDX-License-Identifier: MIT
"""ARB programs from entry points to pixels."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

import pydri.main.entries  # noqa: F401 - registers the entries
from pydri.api import enums as gl
from pydri.api.dispatch import ENTRIES
from pydri.util.options import options
from tests.unit import python_forms
from tests.unit.st.test_with_llvm import BOTH, Gl

python_forms.provide()
TEXT = b"!!ARBfp1.0\nMUL result.color, fragment.color, program.env[1];\nEND"


@pytest.fixture
def g() -> Iterator[Gl]:
    made = Gl()
    yield made
    made.st.destroy()
    made.pipe.destroy()


def give(g: Gl, text: bytes) -> None:
    """A string for the fragment program that is bound."""
    data: Any = ctypes.create_string_buffer(text)
    ENTRIES["glProgramStringARB"][0](
        g.st.gl, gl.GL_FRAGMENT_PROGRAM_ARB, gl.GL_PROGRAM_FORMAT_ASCII_ARB, len(text),
        ctypes.addressof(data),
    )  # fmt: skip


def test_what_st_debug_prints(g: Gl, capfd: pytest.CaptureFixture[str]) -> None:
    with options(ST_DEBUG="mesa"):
        give(g, TEXT)
    said = capfd.readouterr().err
    assert said == (
        "# Fragment Program/Shader 0\n  0: MUL OUTPUT[2], INPUT[1], STATE[0];\n  1: END\n"
        "param[0] sz=4 STATE program.env[1] = {0, 0, 0, 0}\n\n"
    )
    g.Enable(gl.GL_FRAGMENT_PROGRAM_ARB)
    with options(ST_DEBUG="tgsi"):
        g.Clear(BOTH)
        g.quad(0.5)
        g.quad(0.5)
        g.st.gl.flush_vertices()
    said = capfd.readouterr().err
    assert said.count("NIR before handing off to driver:\nshader: MESA_SHADER_FRAGMENT") == 1
    assert "TGSI" not in said  # llvmpipe asks for nir
