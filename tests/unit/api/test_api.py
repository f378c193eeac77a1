# SPDX-License-Identifier: MIT
"""Names of enums, formatting of calls, and what the registered entries promise."""

import pytest

from libgl_shim.stubs import ANSWERED_IN_C
from pydri.api import calls, dispatch, egl_table, enums, gl_table, glx_table
from pydri.api.apis import COMPAT


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (0x0DE1, "GL_TEXTURE_2D"),
        (0x1406, "GL_FLOAT"),
        (0x0302, "GL_SRC_ALPHA"),
        (0x0500, "GL_INVALID_ENUM"),
        (0x0B71, "GL_DEPTH_TEST"),
        (0x84C0, "GL_TEXTURE0"),
        (0, "GL_NONE"),
        (0x7FFFFFFF, "0x7FFFFFFF"),
    ],
)
def test_name_of(value: int, name: str) -> None:
    assert enums.name_of(value) == name


def test_every_unsuffixed_name_is_a_constant_with_that_value() -> None:
    for value in (enums.GL_LIGHTING, enums.GL_BLEND, enums.GL_BGRA, enums.GL_RGBA8, enums.GL_FOG):
        assert vars(enums)[enums.name_of(value)] == value


def test_modes_and_bits() -> None:
    assert enums.mode_name(7) == "GL_QUADS"
    assert enums.mode_name(99) == "0x0063"
    assert enums.bits_name(0x4100) == "GL_COLOR_BUFFER_BIT|GL_DEPTH_BUFFER_BIT"
    assert enums.bits_name(0xFFFFFFFF) == "GL_ALL_ATTRIB_BITS"
    assert enums.bits_name(0) == "0x0"
    assert enums.bits_name(0x80004000) == "GL_COLOR_BUFFER_BIT|0x80000000"


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("glBegin", (4,), "glBegin(mode=GL_TRIANGLES)"),
        ("glClear", (0x4000,), "glClear(mask=GL_COLOR_BUFFER_BIT)"),
        ("glVertex2f", (0.5, 2.0), "glVertex2f(x=0.5, y=2)"),
        ("glColorMask", (1, 0, 1, 0), None),
        ("glVertexPointer", (3, 0x1406, 0, 0), None),
    ],
)
def test_format_call(name: str, args: tuple[object, ...], text: str | None) -> None:
    shown = calls.format_call(gl_table.TABLE.row(name), args, None)
    if text is None:
        text = {
            "glColorMask": "glColorMask(red=GL_TRUE, green=GL_FALSE, blue=GL_TRUE, alpha=GL_FALSE)",
            "glVertexPointer": "glVertexPointer(size=3, type=GL_FLOAT, stride=0, pointer=NULL)",
        }[name]
    assert shown == text


def test_aliases() -> None:
    assert set(dispatch.aliases("glBindBufferARB")) == set(dispatch.aliases("glBindBuffer"))
    assert "glBindBufferARB" in dispatch.aliases("glBindBuffer")
    assert dispatch.find({"glBindBuffer": 1}, "glBindBufferARB") == 1
    assert dispatch.find({}, "glNoSuchFunction") is None


class Fake:
    """A context that only counts."""

    api = COMPAT

    def __init__(self) -> None:
        self.errors: list[tuple[int, str]] = []
        self.flushed = 0

    def flush_vertices(self) -> None:
        """Count."""
        self.flushed += 1

    def record_error(self, enum: int, message: str) -> None:
        """Keep."""
        self.errors.append((enum, message))


def test_wrapper(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake()
    seen: list[object] = []

    def glClearDepth(ctx: Fake, depth: float) -> None:
        seen.append(depth)
        if depth < 0:
            raise dispatch.GLError(0x501, "below")

    monkeypatch.setitem(dispatch.ENTRIES, "glClearDepth", (glClearDepth, True))
    monkeypatch.setitem(dispatch.CONTEXTS, 77, fake)
    call = dispatch.gl_function(gl_table.TABLE.row("glClearDepth"))
    call(77, 0.5)
    call(77, -1.0)
    call(78, 9.0)  # no such context: nothing happens
    assert seen == [0.5, -1.0]
    assert fake.flushed == 2
    assert fake.errors == [(0x501, "glClearDepth(below)")]
    unwritten = dispatch.gl_function(gl_table.TABLE.row("glBlendBarrierNV"))
    assert unwritten(77) is None
    assert fake.errors[-1][0] == 0x502


def test_wrong_signature_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def glClearDepth(ctx: Fake) -> None:
        pass

    monkeypatch.setitem(dispatch.ENTRIES, "glClearDepth", (glClearDepth, True))
    with pytest.raises(TypeError, match="glClearDepth takes depth"):
        dispatch.gl_function(gl_table.TABLE.row("glClearDepth"))


@pytest.mark.parametrize("front", (dispatch.GLX, dispatch.EGL), ids=lambda front: front.kind)
def test_entries_that_come_late_are_those_of_their_modules(front: dispatch.Front) -> None:
    """All of a module's, and what comes late comes: a program that asks for one has it."""
    pytest.importorskip(f"pydri.{front.kind}.entries")
    for module in {*front.late.values()}:
        names = {name for name, of in front.late.items() if of == module}
        functions = {name: front.entry(name) for name in names}
        assert None not in functions.values()
        there = {name for name, f in front.entries.items() if f.__module__ == module}
        assert there == names


def test_all_entries_fit_their_rows() -> None:
    """Every @glx_entry and @entry there is has the parameters of the registry."""
    pytest.importorskip("pydri.glx.entries")
    assert dispatch.GLX.names()
    for name in dispatch.GLX.names():
        dispatch.front_function(dispatch.GLX, glx_table.TABLE.row(name))
    pytest.importorskip("pydri.egl.entries")
    assert not set(egl_table.SLOTS) - set(ANSWERED_IN_C) - {
        name for name in egl_table.SLOTS
        if {name, egl_table.TABLE.row(name).alias} & dispatch.EGL.names()
    }  # fmt: skip
    pytest.importorskip("pydri.main.entries", exc_type=ModuleNotFoundError)
    for name in dispatch.ENTRIES:
        dispatch.gl_function(gl_table.TABLE.row(name))
