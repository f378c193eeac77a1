# SPDX-License-Identifier: MIT
"""Native glGetUniformLocation and its like: the number of something that a program has by its name,
which toolkits ask for in every frame (OpenGL 3.3, 2.11.4, 2.11.5, 3.9.2).

In: a name, and what the Python form (query_entries.py, resource_entries.py) answered when it was
asked first; the number of the program's link (ProgramObject.linked) says whether that still holds.
Out: the same again, from `ProgramBlock.answers` of the context. A program that is none or is not
linked has no such number: Python answers, and tells mistakes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import gl_kernel
from pydri.api.gl_table import TABLE
from pydri.jit import extern_c, fn, i32, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null, native_as, python_form, type_of
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.names.space_kernels import CALLOC, FREE_MEMORY
from pydri.main.shaders.kernels import names
from pydri.main.shaders.layout import ANSWERS, MAX_ANSWERED_NAME, Answer

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

BYTES, ANSWER = ptr(u8), ptr(Answer)
MEMCMP = extern_c("memcmp", i32, BYTES, BYTES, u64)
MEMCPY = extern_c("memcpy", BYTES, BYTES, BYTES, u64)
#: places that an answer may have, from where its name leads to
_PLACES = 8
#: FNV-1a
_SEED, _PRIME = 0x811C9DC5, 0x01000193
#: entry points of a program and a name
ASKED = (
    "glGetUniformLocation", "glGetAttribLocation", "glGetFragDataLocation", "glGetFragDataIndex",
    "glGetUniformBlockIndex",
)  # fmt: skip


def _place(answers: Any, first: Value, n: Value) -> Any:
    return answers + ((first + n) & (ANSWERS - 1))


@kernel(ANSWER, (CTX, u32, u32, u32, BYTES, u32), noinline=True)
def answer_find(b: Builder, ctx: GLContext, link: Value, slot: Value, first: Value, name: Pointer,
                length: Value) -> Any:  # fmt: skip
    """What was answered to this question since that link, or null."""
    answers = ctx.program.answers
    with b.If(~is_null(answers)), b.For(b.const(u32, 0), _PLACES, 1) as n:
        found = _place(answers, first, n)
        same = (found.link == link) & (found.slot == slot) & (found.length == length)
        with b.If(same):
            differs = b.call(MEMCMP, found.name.cast(BYTES), name, b.cast(length, u64))
            with b.If(differs == 0):
                b.Return(found)
    return b.const(ANSWER, None)


@kernel(void, (CTX, u32, u32, u32, BYTES, u32, u32), cold=True)
def answer_keep(b: Builder, ctx: GLContext, link: Value, slot: Value, first: Value, name: Pointer,
                length: Value, value: Value) -> None:  # fmt: skip
    """Keep an answer in an empty place, or in one of another, in turns: those of earlier links are
    never asked for again."""
    block = ctx.program
    with b.If(is_null(block.answers)):
        block.answers = b.call(CALLOC, ANSWERS, Answer.size).cast(ANSWER)
        with b.If(is_null(block.answers)):
            b.Return()
    place = b.var(u32, block.answered & (_PLACES - 1))
    block.answered = block.answered + 1
    with b.For(b.const(u32, 0), _PLACES, 1) as n:
        with b.If(_place(block.answers, first, n).link == 0):
            place.value = n
            b.Break()
    kept = _place(block.answers, first, place.value)
    kept.link, kept.slot, kept.length, kept.value = link, slot, length, value
    b.call(MEMCPY, kept.name.cast(BYTES), name, b.cast(length, u64))


def _link_of(b: Builder, ctx: GLContext, program: Value) -> Value:
    """The number of a program's last link; 0: that failed, or it is no program."""
    link = b.var(u32, 0)
    found = names.acquire(b, ctx, program)
    with b.If(~is_null(found)):
        with b.If(found.is_program != 0):
            link.value = b.load_atomic(found.addr("linked"))
        release(b, ctx, found.cast(NAMED))
    return link.value


def _measure(b: Builder, name: Pointer) -> tuple[Value, Value]:
    """How long a name is, to MAX_ANSWERED_NAME, and where it leads to."""
    length, mixed = b.var(u32, 0), b.var(u32, _SEED)
    with b.While(lambda: (length.value < MAX_ANSWERED_NAME) & (name[length.value] != 0)):
        mixed.value = (mixed.value ^ b.cast(name[length.value], u32)) * _PRIME
        length.value = length.value + 1
    return length.value, mixed.value


def _asked(call: str) -> None:
    row = TABLE.row(call)
    form = fn(type_of(row.ret), CTX, *(type_of(code) for _, code in row.params))

    def body(b: Builder, ctx: GLContext, program: Value, name: Pointer) -> Any:
        link, length, mixed = b.var(u32, 0), b.var(u32, MAX_ANSWERED_NAME), b.var(u32, 0)
        with b.If(~is_null(name)):
            link.value = _link_of(b, ctx, program)
            length.value, mixed.value = _measure(b, name)
        kept = (link.value != 0) & (length.value < MAX_ANSWERED_NAME)
        with b.If(kept, likely=True):
            found = b.call(answer_find, ctx, link.value, row.slot, mixed.value, name, length.value)
            with b.If(~is_null(found), likely=True):
                b.Return(b.cast(found.value, form.ret))
        value = python_form(b, ctx, row.slot, form, program, name)
        with b.If(kept):
            b.call(answer_keep, ctx, link.value, row.slot, mixed.value, name, length.value,
                   b.cast(value, u32))  # fmt: skip
        return value

    native_as(call, body)


for _call in ASKED:
    _asked(_call)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_answers(b: Builder, ctx: GLContext) -> None:
    """The context goes, with all that it was told."""
    answers = ctx.program.answers
    ctx.program.answers = b.const(ANSWER, None)
    b.call(FREE_MEMORY, answers.cast(BYTES))


__all__ = ["ASKED", "leave_answers"]
