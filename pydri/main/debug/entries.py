# SPDX-License-Identifier: MIT
"""Debug messages, groups and labels (KHR_debug, ARB_debug_output; GL 4.5, chapter 20).

In: GL errors (context.py hands each over while GL_DEBUG_OUTPUT is on) and what the program inserts.
Out: calls of its callback, or a log of ten messages. Which messages are wanted is a list of rules,
the last of which counts; a group begins with its parent's. Labels are kept by the
objects (names/objects.py). Mesa: main/debug_output.c, main/objectlabel.c.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.names.objects import label_of, object_by_name, set_label
from pydri.main.names.tables import KINDS, SHADERS, SYNCS, Kind
from pydri.main.pointers import I32, U32, address_of, fetch, store

if TYPE_CHECKING:
    from pydri.main.context import GLContext

MAX_LENGTH, MAX_LOGGED, MAX_GROUPS, MAX_LABEL = 4096, 10, 64, 256
SOURCES = range(gl.GL_DEBUG_SOURCE_API, gl.GL_DEBUG_SOURCE_OTHER + 1)
TYPES = (
    *range(gl.GL_DEBUG_TYPE_ERROR, gl.GL_DEBUG_TYPE_OTHER + 1),
    gl.GL_DEBUG_TYPE_MARKER,
    gl.GL_DEBUG_TYPE_PUSH_GROUP,
    gl.GL_DEBUG_TYPE_POP_GROUP,
)
SEVERITIES = (
    gl.GL_DEBUG_SEVERITY_HIGH,
    gl.GL_DEBUG_SEVERITY_MEDIUM,
    gl.GL_DEBUG_SEVERITY_LOW,
    gl.GL_DEBUG_SEVERITY_NOTIFICATION,
)
APPLICATION = (gl.GL_DEBUG_SOURCE_APPLICATION, gl.GL_DEBUG_SOURCE_THIRD_PARTY)
_CALLBACK = ctypes.CFUNCTYPE(
    None,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_int32,
    ctypes.c_char_p,
    ctypes.c_void_p,
)


class Message(NamedTuple):
    """One message; `text` has no terminator."""

    source: int
    type: int
    id: int
    severity: int
    text: bytes


class Rule(NamedTuple):
    """glDebugMessageControl: GL_DONT_CARE matches all; `ids` empty: every id."""

    source: int
    type: int
    severity: int
    ids: frozenset[int]
    enabled: bool

    def matches(self, message: Message) -> bool:
        return (
            self.source in (gl.GL_DONT_CARE, message.source)
            and self.type in (gl.GL_DONT_CARE, message.type)
            and self.severity in (gl.GL_DONT_CARE, message.severity)
            and (not self.ids or message.id in self.ids)
        )


_ANY = gl.GL_DONT_CARE
_FIRST = Rule(_ANY, _ANY, gl.GL_DEBUG_SEVERITY_LOW, frozenset(), False)


class DebugState:
    """What a context knows of messages; made at the first use."""

    def __init__(self) -> None:
        self.callback = 0
        self.user = 0
        self.log: deque[Message] = deque()
        self.groups: list[tuple[Message, list[Rule]]] = []  # (push, the rules outside of it)
        self.rules: list[Rule] = [_FIRST]

    def control(self, rule: Rule) -> None:
        """The rule goes last; what it makes void is dropped, so the list stays short."""
        if not rule.ids and (rule.source, rule.type, rule.severity) == (_ANY, _ANY, _ANY):
            self.rules.clear()
        self.rules = [r for r in self.rules if r[:4] != rule[:4]]
        self.rules.append(rule)

    def send(self, message: Message) -> None:
        """To the callback, else into the log; nothing if it is not wanted."""
        wanted = next((r.enabled for r in reversed(self.rules) if r.matches(message)), True)
        if not wanted:
            return
        if self.callback:
            call = _CALLBACK(self.callback)
            call(*message[:4], len(message.text), message.text, self.user)
        elif len(self.log) < MAX_LOGGED:
            self.log.append(message)


def debug(ctx: GLContext) -> DebugState:
    """The context's messages."""
    if ctx.messages is None:
        ctx.messages = DebugState()
    return ctx.messages


def error_message(ctx: GLContext, enum: int, text: str) -> None:
    """A GL error; its number is the message's id."""
    high = gl.GL_DEBUG_SEVERITY_HIGH
    kept = text.encode()[: MAX_LENGTH - 1]
    debug(ctx).send(Message(gl.GL_DEBUG_SOURCE_API, gl.GL_DEBUG_TYPE_ERROR, enum, high, kept))


def _text(address: Any, length: int, limit: int) -> bytes:
    """A string of some bytes, or up to its terminator where the length is negative."""
    at = address_of(address)
    if length >= limit:
        raise GLError(gl.GL_INVALID_VALUE, f"length={length}, at most {limit - 1}")
    text = (
        b"" if not at else ctypes.string_at(at, length) if length >= 0 else _terminated(at, limit)
    )
    return text


def _terminated(address: int, limit: int) -> bytes:
    text = ctypes.string_at(address)
    if len(text) >= limit:
        raise GLError(gl.GL_INVALID_VALUE, f"length={len(text)}, at most {limit - 1}")
    return text


def _check(name: str, value: int, allowed: Any, any_too: bool = False) -> None:
    if value not in allowed and not (any_too and value == gl.GL_DONT_CARE):
        raise GLError(gl.GL_INVALID_ENUM, f"{name}={gl.name_of(value)}")


@entry(flush=False)
def glDebugMessageInsert(
    ctx: GLContext, source: int, type: int, id: int, severity: int, length: int, buf: Any
) -> None:
    _check("source", source, APPLICATION)
    _check("type", type, TYPES)
    _check("severity", severity, SEVERITIES)
    text = _text(buf, length, MAX_LENGTH)
    if ctx.n.raw.debug_output:
        debug(ctx).send(Message(source, type, id, severity, text))


@entry(flush=False)
def glDebugMessageControl(
    ctx: GLContext, source: int, type: int, severity: int, count: int, ids: Any, enabled: int
) -> None:
    _check("source", source, SOURCES, True)
    _check("type", type, TYPES, True)
    _check("severity", severity, SEVERITIES, True)
    if count < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"count={count}")
    if count and (_ANY in (source, type) or severity != _ANY):
        raise GLError(gl.GL_INVALID_OPERATION, "ids want a source, a type and no severity")
    names = frozenset(fetch(ids, U32, count)) if count else frozenset()
    debug(ctx).control(Rule(source, type, severity, names, bool(enabled)))


@entry(flush=False)
def glDebugMessageCallback(ctx: GLContext, callback: Any, userParam: Any) -> None:
    state = debug(ctx)
    state.callback, state.user = address_of(callback), address_of(userParam)


@entry(flush=False)
def glGetDebugMessageLog(
    ctx: GLContext, count: int, bufSize: int, sources: Any, types: Any, ids: Any,
    severities: Any, lengths: Any, messageLog: Any,
) -> int:  # fmt: skip
    at = address_of(messageLog)
    if at and bufSize < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={bufSize}")
    state = debug(ctx)
    taken: list[Message] = []
    room = bufSize
    while state.log and len(taken) < count:
        size = len(state.log[0].text) + 1
        if at and size > room:
            break
        message = state.log.popleft()
        if at:
            ctypes.memmove(at, message.text + b"\0", size)
            at, room = at + size, room - size
        taken.append(message)
    for pointer, column in (
        (sources, [m.source for m in taken]),
        (types, [m.type for m in taken]),
        (ids, [m.id for m in taken]),
        (severities, [m.severity for m in taken]),
        (lengths, [len(m.text) + 1 for m in taken]),
    ):
        store(pointer, U32, column)
    return len(taken)


@entry(flush=False)
def glPushDebugGroup(ctx: GLContext, source: int, id: int, length: int, message: Any) -> None:
    _check("source", source, APPLICATION)
    text = _text(message, length, MAX_LENGTH)
    state = debug(ctx)
    if len(state.groups) >= MAX_GROUPS - 1:
        raise GLError(gl.GL_STACK_OVERFLOW, f"{MAX_GROUPS} groups")
    kind, quiet = gl.GL_DEBUG_TYPE_PUSH_GROUP, gl.GL_DEBUG_SEVERITY_NOTIFICATION
    pushed = Message(source, kind, id, quiet, text)
    if ctx.n.raw.debug_output:
        state.send(pushed)
    state.groups.append((pushed, list(state.rules)))


@entry(flush=False)
def glPopDebugGroup(ctx: GLContext) -> None:
    state = debug(ctx)
    if not state.groups:
        raise GLError(gl.GL_STACK_UNDERFLOW, "no group")
    pushed, state.rules = state.groups.pop()
    if ctx.n.raw.debug_output:
        state.send(pushed._replace(type=gl.GL_DEBUG_TYPE_POP_GROUP))


# -- labels ---------------------------------------------------------------------------------------


#: the kinds whose names can have labels; None: there are no such objects yet
LABELED: dict[int, Kind | None] = {
    **dict.fromkeys(
        (
            gl.GL_PROGRAM_PIPELINE,
            gl.GL_TRANSFORM_FEEDBACK,
            gl.GL_SAMPLER,
            gl.GL_TEXTURE,
            gl.GL_RENDERBUFFER,
            gl.GL_FRAMEBUFFER,
        ),
        None,
    ),
    **{kind.identifier: kind for kind in KINDS if kind.identifier},
    gl.GL_SHADER: SHADERS,
}


@contextmanager
def _object(
    ctx: GLContext, identifier: int, name: int, missing: int = gl.GL_INVALID_VALUE
) -> Iterator[Any]:
    """The native object that has a name; `missing` is the error if there is none."""
    if identifier not in LABELED:
        raise GLError(gl.GL_INVALID_ENUM, f"identifier={gl.name_of(identifier)}")
    kind = LABELED[identifier]
    if kind is None:
        raise GLError(missing, f"name={name}")
    with object_by_name(ctx, kind, name) as thing:
        # programs and shaders share a space of names
        other = kind is SHADERS and thing and thing.is_program != (identifier == gl.GL_PROGRAM)
        if thing is None or other:
            raise GLError(missing, f"name={name}")
        yield thing


@contextmanager
def _sync(ctx: GLContext, pointer: Any) -> Iterator[Any]:
    """The native object behind a GLsync."""
    handle = address_of(pointer)
    if not handle or not ctx.kernel("glIsSync")(ctx.address, handle) & 1:
        raise GLError(gl.GL_INVALID_VALUE, f"ptr={handle:#x}")
    with object_by_name(ctx, SYNCS, handle & 0xFFFFFFFF) as thing:
        if thing is None:  # another thread deleted it this moment
            raise GLError(gl.GL_INVALID_VALUE, f"ptr={handle:#x}")
        yield thing


def _set(ctx: GLContext, thing: Any, length: int, at: Any) -> None:
    text = _text(at, length, MAX_LABEL)
    set_label(ctx, thing, text if address_of(at) else None)


def _get(text: bytes, size: int, length: Any, label: Any) -> None:
    if size < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={size}")
    at = address_of(label)
    kept = text[: max(0, size - 1)] if at else text
    if at and size:
        ctypes.memmove(at, kept + b"\0", len(kept) + 1)
    store(length, I32, [len(kept)])


@entry(flush=False)
def glObjectLabel(ctx: GLContext, identifier: int, name: int, length: int, label: Any) -> None:
    with _object(ctx, identifier, name) as thing:
        _set(ctx, thing, length, label)


@entry(flush=False)
def glGetObjectLabel(
    ctx: GLContext, identifier: int, name: int, bufSize: int, length: Any, label: Any
) -> None:
    with _object(ctx, identifier, name) as thing:
        text = label_of(ctx, thing)
    _get(text, bufSize, length, label)


@entry(flush=False)
def glObjectPtrLabel(ctx: GLContext, ptr: Any, length: int, label: Any) -> None:
    with _sync(ctx, ptr) as thing:
        _set(ctx, thing, length, label)


@entry(flush=False)
def glGetObjectPtrLabel(ctx: GLContext, ptr: Any, bufSize: int, length: Any, label: Any) -> None:
    with _sync(ctx, ptr) as thing:
        text = label_of(ctx, thing)
    _get(text, bufSize, length, label)


# -- EXT_debug_label: the same labels; a length of 0: up to the terminator; no pointer: none -------

_EXT_TYPES: dict[int, int] = {
    gl.GL_BUFFER_OBJECT_EXT: gl.GL_BUFFER,
    gl.GL_VERTEX_ARRAY_OBJECT_EXT: gl.GL_VERTEX_ARRAY,
    gl.GL_QUERY_OBJECT_EXT: gl.GL_QUERY,
    gl.GL_SHADER_OBJECT_EXT: gl.GL_SHADER,
    gl.GL_PROGRAM_OBJECT_EXT: gl.GL_PROGRAM,
    gl.GL_PROGRAM_PIPELINE_OBJECT_EXT: gl.GL_PROGRAM_PIPELINE,
    **{
        kind: kind
        for kind in (gl.GL_SAMPLER, gl.GL_TEXTURE, gl.GL_RENDERBUFFER, gl.GL_FRAMEBUFFER,
                     gl.GL_TRANSFORM_FEEDBACK)
    },
}  # fmt: skip


def _identifier(kind: int) -> int:
    if kind not in _EXT_TYPES:
        raise GLError(gl.GL_INVALID_ENUM, f"type={gl.name_of(kind)}")
    return _EXT_TYPES[kind]


@entry(flush=False)
def glLabelObjectEXT(ctx: GLContext, type: int, object: int, length: int, label: Any) -> None:
    with _object(ctx, _identifier(type), object, gl.GL_INVALID_OPERATION) as thing:
        if length < 0:
            raise GLError(gl.GL_INVALID_VALUE, f"length={length}")
        _set(ctx, thing, length or -1, label)


@entry(flush=False)
def glGetObjectLabelEXT(
    ctx: GLContext, type: int, object: int, bufSize: int, length: Any, label: Any
) -> None:
    with _object(ctx, _identifier(type), object, gl.GL_INVALID_OPERATION) as thing:
        text = label_of(ctx, thing)
    _get(text, bufSize, length, label)
