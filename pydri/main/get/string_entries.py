# SPDX-License-Identifier: MIT
"""glGetString, glGetStringi, glGetGraphicsResetStatus (GL 2.1, 6.1.11; ARB_robustness).

A string stays where it is as long as its context lives. A driver in the program's own process has
no device that could be reset under it: the status is always that nothing happened, whatever the
context's strategy. The sized queries of ARB_robustness stand beside the plain ones
(pixels/entries.py, state/stipple_entries.py, vbo/evaluators.py, st/pixels/read_kernels.py). Mesa:
main/getstring.c, main/robustness.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.api.where import In
from pydri.main.version import language_string, version_string

if TYPE_CHECKING:
    from pydri.main.context import GLContext


def extension_list(ctx: GLContext) -> list[str]:
    """The extensions of a context."""
    if ctx.extensions is None:
        ctx.know_extensions()
    return list(ctx.extensions or ())


def _extension_text(ctx: GLContext) -> str:
    # A blank after each, as Mesa: programs look for "GL_EXT_name " in the text
    return "".join(f"{each} " for each in extension_list(ctx))


def _language(ctx: GLContext) -> str:
    text = language_string(ctx.version)
    if not text:  # MESA_GL_VERSION_OVERRIDE: its extensions are there, the text is not
        raise GLError(gl.GL_INVALID_ENUM, "name=GL_SHADING_LANGUAGE_VERSION")
    return text


class String(NamedTuple):
    """A text of glGetString."""

    text: Callable[[GLContext], str]
    where: In | None = None


STRINGS: dict[int, String] = {
    gl.GL_VENDOR: String(lambda ctx: "pydri"),
    gl.GL_RENDERER: String(lambda ctx: ctx.renderer),
    gl.GL_VERSION: String(lambda ctx: version_string(ctx.version)),
    gl.GL_SHADING_LANGUAGE_VERSION: String(_language),
    gl.GL_EXTENSIONS: String(_extension_text, In(10, 0, 10, 20)),  # core: glGetStringi alone
    # no program string has failed yet
    gl.GL_PROGRAM_ERROR_STRING_ARB: String(
        lambda ctx: "", In(0, 0, ext=("ARB_vertex_program", "ARB_fragment_program"))
    ),
}  # fmt: skip


def text_of(ctx: GLContext, name: int) -> str:
    """The text of a glGetString name."""
    row = ctx.row(STRINGS, name)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"name={gl.name_of(name)}")
    return row.text(ctx)


def _kept(ctx: GLContext, name: int, text: str) -> int:
    """Address of a zero-terminated copy that lives with the context."""
    found = ctx.strings.get(name)
    if found is None:
        # no array, of which each length would be another class
        found = ctx.strings[name] = ctypes.c_char_p(text.encode())
    return int(ctypes.c_uint64.from_buffer(found).value)


@entry(flush=False)
def glGetString(ctx: GLContext, name: int) -> int:
    """VENDOR, RENDERER, VERSION, EXTENSIONS."""
    return _kept(ctx, name, text_of(ctx, name))


@entry(flush=False)
def glGetStringi(ctx: GLContext, name: int, index: int) -> int:
    """One extension (GL 3.0; harmless before). From then on a kernel answers
    (string_kernels.py)."""
    if name != gl.GL_EXTENSIONS:
        raise GLError(gl.GL_INVALID_ENUM, f"name={gl.name_of(name)}")
    names = extension_list(ctx)
    if index >= len(names):
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    if not ctx.n.extension_names:
        told = (ctypes.c_char_p * len(names))(*(each.encode() for each in names))
        ctx.strings[name, "each"] = told
        ctx.n.extension_names = ctypes.addressof(told)
    address: int = ctypes.c_uint64.from_address(ctx.n.extension_names + 8 * index).value
    return address


@entry(flush=False)
def glGetGraphicsResetStatus(ctx: GLContext) -> int:
    return gl.GL_NO_ERROR


@entry(flush=False)
def glGetGraphicsResetStatusARB(ctx: GLContext) -> int:
    return gl.GL_NO_ERROR
