# SPDX-License-Identifier: MIT
"""Native glTexParameter*: the table of textures/parameters.py.

All forms meet in one kernel, which gets four words and what they are (GL 2.1, 3.8.4; errors in the
order of Mesa's main/texparam.c).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.jit import Kernel, f32, i32, kernel, ptr, u32, void
from pydri.main.kernels import (
    CTX,
    fail,
    flush_vertices,
    gl_record_error,
    int_to_float,
    native_as,
    one_of,
    where,
)
from pydri.main.rows import row_finder, valid
from pydri.main.textures.layout import (
    TARGET_INDEX_2D_MS,
    TARGET_INDEX_2D_MS_ARRAY,
    TARGET_INDEX_RECT,
)
from pydri.main.textures.object_kernels import OBJECT, texture_changed, texture_of_target
from pydri.main.textures.parameters import (
    BOX,
    COLOR,
    ENUM,
    ENUMS,
    FLOAT,
    PARAMETERS,
    SWITCH,
    TRUTH,
    WHOLE,
    Parameter,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import TextureObject

WORDS = ptr(u32)
#: what the words of a call are: floats; integers, of which colours are fractions; integers as they
#: are
FLOATS, INTEGERS, PURE = range(3)
_LONGEST = 2147483520.0  # the greatest float that is an i32

parameter_row = row_finder("texture_parameter_row", PARAMETERS, inline=True)


class Owner(NamedTuple):
    """Whose parameters are set: a texture or a sampler object."""

    thing: Any
    rectangle: Any  # whether it is a rectangle texture
    multisample: Any  # whether it has several samples, and nothing to be sampled by
    changed: Callable[[Any, Any, Any], None]
    truth_error: int = gl.GL_INVALID_ENUM  # of what is neither GL_TRUE nor GL_FALSE, as the peer's


def texture_owner(texture: Any) -> Owner:
    """A texture's own parameters."""
    index = texture.target_index
    several = (index == TARGET_INDEX_2D_MS) | (index == TARGET_INDEX_2D_MS_ARRAY)
    return Owner(texture, index == TARGET_INDEX_RECT, several, texture_changed)


def put(b: Any, ctx: GLContext, owner: Owner, writes: list[tuple[Any, Any]]) -> None:
    """Write (pointer, value) pairs of an owner if one of them differs."""
    differs = None
    for place, value in writes:
        test = place.load() != value
        differs = test if differs is None else differs | test
    with b.If(differs):
        flush_vertices(b, ctx)
        for place, value in writes:
            place.store(value)
        owner.changed(b, ctx, owner.thing)


def _place(b: Builder, thing: Any, row: Parameter, ty: Any, n: int = 0) -> Any:
    """Where a parameter (the n-th of four) lies, as words of a type."""
    return thing.params.addr(row.field).cast(ptr(ty)) + (row.place + n)


def set_row(b: Builder, ctx: GLContext, owner: Owner, row: Parameter, words: Any, form: Any,
            slot: Any) -> None:  # fmt: skip
    """One row: check, compare, write."""
    is_float = form == FLOATS
    thing, rectangle = owner.thing, owner.rectangle
    if row.sampler:
        fail(b, ctx, owner.multisample, gl.GL_INVALID_ENUM, slot)
    real = b.select(is_float, b.bitcast(words[0], f32), b.cast(b.bitcast(words[0], i32), f32))

    def whole(n: int = 0) -> Any:
        number = b.clamp(b.bitcast(words[n], f32), -_LONGEST, _LONGEST)
        number = number + b.select(number < 0.0, b.const(f32, -0.5), 0.5)  # to the nearest
        return b.select(is_float, b.cast(number, i32), b.bitcast(words[n], i32))

    if row.kind == FLOAT:
        if row.pname == gl.GL_TEXTURE_MAX_ANISOTROPY:
            fail(b, ctx, ~(real >= 1.0), gl.GL_INVALID_VALUE, slot)
        value = real
        value = value if row.low is None else b.max(value, row.low)
        value = value if row.high is None else b.min(value, row.high)
        put(b, ctx, owner, [(_place(b, thing, row, f32), value)])
    elif row.kind == WHOLE:
        value = whole()
        place = _place(b, thing, row, i32)
        with b.If(place.load() == value):
            b.Return()
        # A rectangle has one level; as with the peer, only of its first it is a wrong operation.
        base = row.field == "base_level"
        single = rectangle | owner.multisample if base else rectangle
        several = gl.GL_INVALID_OPERATION if base else gl.GL_INVALID_VALUE
        checks = [(single & (value != 0), several), (value < 0, gl.GL_INVALID_VALUE)]
        for wrong, error in checks:
            fail(b, ctx, wrong, error, slot)
        put(b, ctx, owner, [(place, _within_storage(b, thing, row, value))])
    elif row.kind == SWITCH:
        on = b.cast(whole() != 0, u32)
        put(b, ctx, owner, [(_place(b, thing, row, u32), on)])
    elif row.kind == TRUTH:
        value = b.bitcast(whole(), u32)
        fail(b, ctx, value > 1, owner.truth_error, slot)
        put(b, ctx, owner, [(_place(b, thing, row, u32), value)])
    elif row.kind == BOX:
        put(b, ctx, owner, [(_place(b, thing, row, i32, n), whole(n)) for n in range(4)])
    elif row.kind == COLOR:
        with b.If(form == INTEGERS):
            for n in range(4):
                fraction = int_to_float(b, b.bitcast(words[n], i32))
                words[n] = b.bitcast(fraction, u32)
        put(b, ctx, owner, [(_place(b, thing, row, u32, n), words[n]) for n in range(4)])
    else:
        values = [b.bitcast(whole(n), u32) for n in range(4 if row.kind == ENUMS else 1)]
        for value in values:
            good = valid(b, ctx, value, row.values)
            if row.rectangle is not None:
                good = good & (~rectangle | one_of(b, value, row.rectangle))
            fail(b, ctx, ~good, gl.GL_INVALID_ENUM, slot)
        writes = [(_place(b, thing, row, u32, n), value) for n, value in enumerate(values)]
        put(b, ctx, owner, writes)


def _within_storage(b: Builder, texture: TextureObject, row: Parameter, value: Value) -> Any:
    """Levels of what has its storage for ever lie within it (ARB_texture_storage)."""
    last = b.cast(texture.immutable_levels, i32) - 1
    low = b.const(i32, 0) if row.field == "base_level" else texture.params.base_level
    within = b.min(b.max(value, low), last)
    return b.select(texture.immutable != 0, within, value)


@kernel(void, (CTX, OBJECT, u32, WORDS, u32, u32), noinline=True)
def texture_parameter(b: Builder, ctx: GLContext, texture: TextureObject, pname: Value,
                      words: Pointer, form: Value, slot: Value) -> None:  # fmt: skip
    """Set a parameter. `words`: four words of the form FLOATS, INTEGERS or PURE, which may be
    overwritten; only the first counts but for what VECTORS names.
    """
    with b.Switch(b.call(parameter_row, ctx, pname)) as s:
        for n, row in enumerate(PARAMETERS):
            with s.Case(n):
                set_row(b, ctx, texture_owner(texture), row, words, form, slot)
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)


VECTORS = tuple(row.pname for row in PARAMETERS if row.kind in (BOX, COLOR, ENUMS))


def taken_words(b: Any, given: Pointer, vector: Value) -> Any:
    """Four words of the program's, or one and zeros where it need not have more."""
    words = b.array(u32, 4)
    words[0] = given[0]
    for n in range(1, 4):
        words[n] = 0
    with b.If(vector), b.For(b.const(u32, 1), 4, 1) as n:
        words[n] = given[n]
    return words


@kernel(void, (CTX, u32, u32, WORDS, u32, u32, u32), noinline=True)
def tex_parameter(b: Builder, ctx: GLContext, target: Value, pname: Value, given: Pointer,
                  scalar: Value, form: Value, slot: Value) -> None:  # fmt: skip
    """glTexParameter*: `given` are the program's words, one if `scalar`."""
    texture = texture_of_target(b, ctx, target, slot)
    vector = one_of(b, pname, VECTORS)
    fail(b, ctx, vector & (scalar != 0), gl.GL_INVALID_ENUM, slot)
    b.call(texture_parameter, ctx, texture, pname, taken_words(b, given, vector), form, slot)


def parameter_commands(prefix: str, put: Kernel) -> None:
    """The six forms of glTexParameter or of another command, which `put` carries out."""

    def scalar(name: str, form: int) -> None:
        def body(b: Builder, ctx: GLContext, whose: Value, pname: Value, param: Value) -> None:
            words = b.array(u32, 1)
            words[0] = b.bitcast(param, u32)
            b.call(put, ctx, whose, pname, words, 1, form, where(b))

        native_as(prefix + name, body)

    def vector(name: str, form: int) -> None:
        def body(b: Builder, ctx: GLContext, whose: Value, pname: Value, params: Pointer) -> None:
            b.call(put, ctx, whose, pname, params.cast(WORDS), 0, form, where(b))

        native_as(prefix + name, body)

    scalar("f", FLOATS)
    scalar("i", INTEGERS)
    for name, form in (("fv", FLOATS), ("iv", INTEGERS), ("Iiv", PURE), ("Iuiv", PURE)):
        vector(name, form)


parameter_commands("glTexParameter", tex_parameter)

__all__ = [
    "ENUM", "FLOATS", "INTEGERS", "PURE", "Owner", "parameter_commands", "parameter_row", "set_row",
    "taken_words",
    "texture_parameter",
]  # fmt: skip
