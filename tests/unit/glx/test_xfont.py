# SPDX-License-Identifier: MIT
"""glXUseXFont: glyphs of a server font arrive as glBitmap calls, right side up."""

import ctypes
from typing import Any

import pytest

from pydri.api.gl_table import SLOTS, TABLE
from pydri.glx import enums as e
from pydri.glx.xfont import _CALLS, UNPACK, pack_rows
from tests.unit.glx.harness import Errors, FakeGL, Program
from tests.unit.winsys.xserver import Server


def test_rows_are_packed_from_the_bottom_up() -> None:
    top, bottom = [1, 0, 0, 0, 0, 0, 0, 0, 1, 1], [0] * 9 + [1]
    assert pack_rows([top, bottom]) == bytes([0x00, 0x40, 0x80, 0xC0])
    assert pack_rows([]) == b""


class Recorder:
    """A dispatch table that writes down what is called."""

    def __init__(self, gl: FakeGL) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._keep: list[Any] = []
        self._table = (ctypes.c_void_p * len(TABLE))()
        for name, types in _CALLS.items():
            prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *types)
            function = prototype(self._note(name))
            self._keep.append(function)
            self._table[SLOTS[name]] = ctypes.cast(function, ctypes.c_void_p).value
        gl.native.dispatch = ctypes.addressof(self._table)

    def _note(self, name: str) -> Any:
        def note(_: int, *args: Any) -> None:
            if name == "glBitmap":
                width, height, *_rest, bits = args
                size = (width + 7) // 8 * height
                args = (*args[:-1], ctypes.string_at(bits, size) if bits else b"")
            self.calls.append((name, *args))

        return note


def test_use_x_font(app: Program, plain: Server, errors: Errors) -> None:
    font = plain.x11.XLoadFont(plain.display, b"fixed")
    plain.x11.XSync(plain.display, 0)
    if errors.seen:
        pytest.skip("the X server has no font named fixed")
    config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    app.glXMakeCurrent(plain.display, plain.window(), context)
    recorder = Recorder(FakeGL.made[-1])
    app.glXUseXFont(font, ord("L"), 2, 100)
    names = [call[0] for call in recorder.calls]
    assert names[0] == "glPushClientAttrib" and names[-1] == "glPopClientAttrib"
    assert names.count("glPixelStorei") == len(UNPACK)
    lists = [call for call in recorder.calls if call[0] == "glNewList"]
    assert [call[1] for call in lists] == [100, 101]
    name, width, height, x, y, advance, up, bits = next(
        call for call in recorder.calls if call[0] == "glBitmap"
    )
    stride = (width + 7) // 8
    rows = [bits[i * stride : (i + 1) * stride] for i in range(height)]
    ink = [int.from_bytes(row).bit_count() for row in rows]
    drawn = [n for n in ink if n]
    assert drawn[0] == max(ink) >= 3, "the foot of an L is at the bottom: the first row with ink"
    assert set(drawn[1:]) == {1}, "above it there is only the stem"
    assert advance > 0 and up == 0
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyContext(plain.display, context)


def test_an_unknown_font(app: Program, plain: Server, errors: Errors) -> None:
    config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    app.glXMakeCurrent(plain.display, plain.window(), context)
    app.glXUseXFont(0x7FFFFFF, 32, 4, 1)
    assert [seen[0] for seen in errors.seen] == [7], "BadFont"
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyContext(plain.display, context)
    app.glXUseXFont(0x7FFFFFF, 32, 4, 1)  # no context: nothing happens
    assert len(errors.seen) == 1
