# SPDX-License-Identifier: MIT
"""Render modes while nothing is selected and nothing fed back: what a program that draws one scene
for both its picture and its selection calls in every frame.

In: glRenderMode and the name stack. Out: nothing, in GL_RENDER mode; in the others they go on in
Python (rendermode.py). Mesa: main/feedback.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit.types import Fn
from pydri.main.get_kernels import python_form
from pydri.main.kernels import CTX, native, native_as, type_of

RENDER, SELECT, FEEDBACK = range(3)  # key.render_mode


def _in_python(b: Any, ctx: Any, name: str, args: tuple[Any, ...]) -> Any:
    row = TABLE.row(name)
    kind = Fn(type_of(row.ret), (CTX, *(type_of(code) for _, code in row.params)))
    return python_form(b, ctx, row.slot, kind, *args)


def _only_in(name: str, mode: int) -> None:
    """A command that does nothing in other modes."""

    def body(b: Any, ctx: Any, *args: Any) -> None:
        with b.If(ctx.key.render_mode == mode, likely=False):
            _in_python(b, ctx, name, args)

    native_as(name, body)


for _name in ("glInitNames", "glLoadName", "glPushName", "glPopName"):
    _only_in(_name, SELECT)
_only_in("glPassThrough", FEEDBACK)


@native
def glRenderMode(b: Any, ctx: Any, mode: Any) -> Any:
    stays = (ctx.key.render_mode == RENDER) & (mode == gl.GL_RENDER)
    with b.If(stays, likely=True):
        b.Return(0)
    return _in_python(b, ctx, "glRenderMode", (mode,))
