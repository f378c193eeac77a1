# SPDX-License-Identifier: MIT
"""Programs of several contexts: one links anew what another draws with, and asks while it loads."""

from __future__ import annotations

import ctypes
import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pydri.api import enums as gl
from pydri.main.shaders import cache, link, objects
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.st.context import create_context
from tests.unit.st.test_assembly import give
from tests.unit.st.test_context import Config
from tests.unit.st.test_glsl import FRAGMENT, PASS, Shaded, near
from tests.unit.st.test_with_llvm import BOTH, RealDrawable

#: of as many bytes each, so that an executable may lie where another one lay
COLORS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1), (0, 0, 0))


def text(color: tuple[int, int, int]) -> str:
    red, green, blue = color
    return (f"uniform float f; void main() {{ gl_FragColor = vec4({red}.0, {green}.0, {blue}.0, "
            "f + 1.0); }")  # fmt: skip


def assembly(color: tuple[int, int, int]) -> bytes:
    return b"!!ARBfp1.0\nMOV result.color, {%d, %d, %d, 1};\nEND" % color


class Sharing(Shaded):
    """A context that shares with another one, and shows in a drawable of its own."""

    def __init__(self, other: Shaded) -> None:
        self.screen = other.screen
        self.pipe = self.screen.context_create()
        self.st = create_context(self.pipe, Config(), other.st, None)
        self.drawable = RealDrawable(self.screen, self.zs_format)
        self.st.make_current(self.drawable, self.drawable)

    def relink(self, program: int, fragment: str) -> None:
        """The program with another fragment shader, which nobody else keeps."""
        found = objects.program_of(self.st.gl, program)
        texts = (ctypes.c_char_p * 1)(fragment.encode())
        self.python("ShaderSource", found.shaders[1], 1, ctypes.addressof(texts), 0)
        self.python("CompileShader", found.shaders[1])
        self.python("LinkProgram", program)
        assert found.n.linked, found.log


@pytest.fixture
def g() -> Iterator[Shaded]:
    made = Shaded()
    yield made
    made.st.destroy()
    made.pipe.destroy()


@pytest.fixture
def other(g: Shaded) -> Iterator[Sharing]:
    made = Sharing(g)
    yield made
    made.st.destroy()
    made.pipe.destroy()


def test_any_number_of_links_between_two_draws(g: Shaded, other: Sharing) -> None:
    """What a context draws with is held, so nothing else has its address."""
    name = g.program(PASS, text(COLORS[0]))
    number = 0
    for count in (*range(1, 9), 1):
        g.Clear(BOTH)
        g.quad(0.5)
        assert near(g.middle(), *COLORS[number % 8])
        drawn = g.st.n.program.linked
        for _ in range(count):
            number += 1
            other.relink(name, text(COLORS[number % 8]))
            assert objects.program_of(g.st.gl, name).n.exec != drawn
        gc.collect()
        assert g.st.n.program.linked == drawn in g.st.gl.shared.codes
        # the program's, and what the context draws with
        assert len(g.st.gl.shared.codes) <= 2


@pytest.mark.parametrize("count", range(1, 7))
def test_any_number_of_texts_between_two_draws(g: Shaded, other: Sharing, count: int) -> None:
    g.BindProgramARB(gl.GL_FRAGMENT_PROGRAM_ARB, 1)
    other.BindProgramARB(gl.GL_FRAGMENT_PROGRAM_ARB, 1)
    g.Enable(gl.GL_FRAGMENT_PROGRAM_ARB)
    give(g, assembly(COLORS[0]))
    g.quad(0.5)
    assert near(g.middle(), *COLORS[0])
    for n in range(1, count + 1):
        give(other, assembly(COLORS[n]))
    g.Clear(BOTH)
    g.quad(0.5)
    assert near(g.middle(), *COLORS[count])
    assert len(g.st.gl.shared.codes) == 2  # the one before goes with the next text


def test_a_link_between_synchronising_and_a_miss(
    g: Shaded, other: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stages of what a context draws with are there, whatever another one links."""
    name = g.program(PASS, text(COLORS[0]))
    found = g.st.plans.miss
    asked = []

    def miss() -> int:
        for color in COLORS[1:5]:
            other.relink(name, text(color))
        gc.collect()
        asked.append(g.st.n.canonical.stages[SHADER_FRAGMENT])
        return found()

    monkeypatch.setattr(g.st.plans, "miss", miss)
    g.Clear(BOTH)
    g.quad(0.5)
    g.st.gl.flush_vertices()
    assert any(asked)
    monkeypatch.undo()
    assert near(g.middle(), *COLORS[0])
    g.quad(0.5)
    assert near(g.middle(), *COLORS[4])


def test_uniforms_of_a_program_that_another_thread_links(g: Shaded, other: Sharing) -> None:
    """They are set in the executable that the program has, which stays meanwhile."""
    name = g.program(PASS, text(COLORS[0]))
    at = g.location(name, "f")
    g.Uniform1f(at, -1.0)
    for color in COLORS[1:6]:
        other.relink(name, text(color))
    g.Uniform1f(at, -0.5)
    assert g.st.n.program.asked == objects.program_of(g.st.gl, name).n.exec
    value = ctypes.c_float()
    g.python("GetUniformfv", name, at, ctypes.addressof(value))
    assert value.value == -0.5


def test_a_program_is_linked_when_its_executable_is_there(
    g: Shaded, other: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels of another thread take no lock: glProgramUniform* of a program that was never linked
    before is refused while it is, and does not use an executable that is not there."""
    program = g.call("CreateProgram")
    g.python("AttachShader", program, g.shader(gl.GL_VERTEX_SHADER, PASS))
    g.python("AttachShader", program, g.shader(gl.GL_FRAGMENT_SHADER, text(COLORS[0])))
    made, errors = link._executable, []

    def while_it_is_made(*args: Any) -> int:
        other.ProgramUniform1f(program, 0, 0.5)
        errors.append(int(other.st.n.error))
        return made(*args)

    monkeypatch.setattr(link, "_executable", while_it_is_made)
    g.python("LinkProgram", program)
    assert errors == [gl.GL_INVALID_OPERATION]
    other.st.n.error = 0
    other.ProgramUniform1f(program, 0, 0.5)
    assert other.st.n.error == 0


def test_what_a_deleted_program_leaves(g: Shaded, other: Sharing) -> None:
    name = g.program(PASS, text(COLORS[0]))
    g.quad(0.5)
    assert near(g.middle(), *COLORS[0])
    other.python("DeleteProgram", name)
    g.quad(0.5)
    assert near(g.middle(), *COLORS[0])
    g.UseProgram(0)
    g.Color3f(0.0, 1.0, 0.0)
    g.quad(0.5)
    assert near(g.middle(), 0, 1, 0)
    other.python("DeleteProgram", other.program(PASS, text(COLORS[1]), use=False))
    assert not g.st.gl.shared.codes


@pytest.mark.parametrize("who", ["compile", "link", "assembly"])
def test_nobody_waits_for_another_threads_compiler(
    g: Shaded, other: Sharing, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """A thread loads; meanwhile the one that draws asks for locations, makes and deletes."""
    monkeypatch.setattr(cache, "_on", lambda: False)  # nothing was compiled before
    ready = g.program(PASS, text(COLORS[0]))
    spare = g.shader(FRAGMENT, text(COLORS[1]))
    compiling, answered = threading.Event(), threading.Event()
    order: list[str] = []

    def slowly(function: Any) -> Any:
        def call(*args: Any) -> Any:
            if threading.current_thread() is loader:
                order.append("compiling")
                compiling.set()
                answered.wait(20)  # for ever, if the others waited for this
                order.append("compiled")
            return function(*args)

        return call

    def load() -> None:
        if who == "assembly":
            give(other, assembly(COLORS[2]))
        else:
            other.program(PASS, f"/* {who} */ {text(COLORS[2])}", use=False)

    loader = threading.Thread(target=load)
    if who == "compile":
        monkeypatch.setattr(link, "compile_source", slowly(link.compile_source))
    elif who == "link":
        monkeypatch.setattr(link._Link, "result", slowly(link._Link.result))
    else:
        from pydri.prog import parser

        monkeypatch.setattr(parser, "parse", slowly(parser.parse))
    loader.start()
    assert compiling.wait(60)
    asked = []
    answer = threading.Thread(target=lambda: (
        asked.append(g.location(ready, "f")), g.python("DeleteShader", spare),
        asked.append(g.call("CreateShader", FRAGMENT)), order.append("answered"),
        answered.set()))  # fmt: skip
    answer.start()
    answer.join()
    loader.join()
    assert order[:2] == ["compiling", "answered"] and order[2:].count("answered") == 0
    assert asked[0] >= 0 and asked[1] == spare  # whose name was free again


def test_a_shader_that_is_deleted_while_it_is_compiled(
    g: Shaded, other: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays for who compiles it, and goes behind that."""
    monkeypatch.setattr(cache, "_on", lambda: False)
    name = g.call("CreateShader", FRAGMENT)
    texts = (ctypes.c_char_p * 1)(b"/* deleted */ void main() { gl_FragColor = vec4(1.0); }")
    g.python("ShaderSource", name, 1, ctypes.addressof(texts), 0)
    g.python("CompileShader", name)
    compile_source = link.compile_source
    seen: list[Any] = []

    def compiled(source: Any) -> Any:
        thread = threading.Thread(target=lambda: other.python("DeleteShader", name))
        thread.start()
        thread.join()
        seen.append(objects.find(g.st.gl, name))
        return compile_source(source)

    monkeypatch.setattr(link, "compile_source", compiled)
    status = ctypes.c_int32()
    g.python("GetShaderiv", name, gl.GL_COMPILE_STATUS, ctypes.addressof(status))
    assert seen[0] is not None and status.value == 1
    assert objects.find(g.st.gl, name) is None
