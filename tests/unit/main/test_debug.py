# SPDX-License-Identifier: MIT
"""Debug messages: errors, rules, groups, callback and log; labels."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import pydri.api.enums as e
from pydri.main.debug.entries import _CALLBACK
from tests.unit.main.test_buffers import counting, new
from tests.unit.main.test_state import unchanged

APP, OTHER = e.GL_DEBUG_SOURCE_APPLICATION, e.GL_DEBUG_TYPE_OTHER
HIGH, LOW = e.GL_DEBUG_SEVERITY_HIGH, e.GL_DEBUG_SEVERITY_LOW


def text(data: bytes) -> Any:
    return np.frombuffer(data + b"\0", np.uint8).copy()


def take(gl: Any) -> list[tuple[int, int, int, int, bytes]]:
    columns = [np.zeros(20, np.uint32) for _ in range(5)]
    memory = np.zeros(8192, np.uint8)
    count = gl.glGetDebugMessageLog(20, 8192, *columns, memory)
    out, at = [], 0
    for n in range(count):
        size = int(columns[4][n])
        out.append((*(int(c[n]) for c in columns[:4]), memory[at : at + size - 1].tobytes()))
        assert memory[at + size - 1] == 0
        at += size
    return out


def insert(gl: Any, id: int, severity: int = HIGH) -> None:
    gl.glDebugMessageInsert(APP, OTHER, id, severity, -1, text(b"m%d" % id))


def test_errors_become_messages(gl: Any) -> None:
    gl.glEnable(77)
    assert gl.error() == e.GL_INVALID_ENUM and not take(gl)  # not a debug context
    gl.glEnable(e.GL_DEBUG_OUTPUT)
    gl.glEnable(77)
    gl.glGenBuffers(-1, 0)
    native, python = take(gl)
    assert native[:4] == (e.GL_DEBUG_SOURCE_API, e.GL_DEBUG_TYPE_ERROR, e.GL_INVALID_ENUM, HIGH)
    assert native[4] == b"GL_INVALID_ENUM in glEnable" and b"glGenBuffers" in python[4]


def test_rules(gl: Any) -> None:
    gl.glEnable(e.GL_DEBUG_OUTPUT)
    for n in range(12):
        insert(gl, n, LOW if n == 3 else HIGH)
    assert gl.ints(e.GL_DEBUG_LOGGED_MESSAGES, 1) == [10]
    assert gl.ints(e.GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH, 1) == [3]
    assert [m[2] for m in take(gl)] == [0, 1, 2, *range(4, 11)]
    ids = np.array([5, 6], np.uint32)
    any_ = e.GL_DONT_CARE
    gl.glDebugMessageControl(APP, OTHER, any_, 2, ids, 0)
    gl.glPushDebugGroup(APP, 9, 3, text(b"group"))
    gl.glDebugMessageControl(any_, any_, any_, 0, 0, 0)
    insert(gl, 1)
    gl.glPopDebugGroup()
    for n in (4, 5, 6, 7):
        insert(gl, n)
    push, pop = e.GL_DEBUG_TYPE_PUSH_GROUP, e.GL_DEBUG_TYPE_POP_GROUP
    got = [(m[1], m[2], m[4]) for m in take(gl)]
    assert got == [(push, 9, b"gro"), (pop, 9, b"gro"), (OTHER, 4, b"m4"), (OTHER, 7, b"m7")]
    unchanged(gl, e.GL_STACK_UNDERFLOW, "glPopDebugGroup")
    for error, args in (
        (e.GL_INVALID_OPERATION, (any_, OTHER, any_, 2, ids, 0)),
        (e.GL_INVALID_OPERATION, (APP, OTHER, HIGH, 2, ids, 0)),
        (e.GL_INVALID_VALUE, (APP, OTHER, any_, -1, ids, 0)),
        (e.GL_INVALID_ENUM, (7, OTHER, any_, 0, ids, 0)),
    ):
        unchanged(gl, error, "glDebugMessageControl", *args)
    for source, kind, severity in (
        (e.GL_DEBUG_SOURCE_API, OTHER, HIGH),
        (APP, 7, HIGH),
        (APP, OTHER, 7),
    ):
        bad = (source, kind, 1, severity, -1, text(b""))
        unchanged(gl, e.GL_INVALID_ENUM, "glDebugMessageInsert", *bad)
    long = text(b"x" * 4096)
    unchanged(gl, e.GL_INVALID_VALUE, "glDebugMessageInsert", APP, OTHER, 1, HIGH, -1, long)
    for _ in range(63):
        gl.glPushDebugGroup(APP, 1, -1, text(b""))
    assert gl.ints(e.GL_DEBUG_GROUP_STACK_DEPTH, 1) == [64] and gl.error() == 0
    unchanged(gl, e.GL_STACK_OVERFLOW, "glPushDebugGroup", APP, 1, -1, text(b""))


def test_callback(gl: Any) -> None:
    heard = []
    call = _CALLBACK(lambda *args: heard.append(args))
    address = ctypes.cast(call, ctypes.c_void_p).value
    gl.glDebugMessageCallback(address, 0x1234)
    insert(gl, 1)
    assert not heard
    gl.glEnable(e.GL_DEBUG_OUTPUT)
    insert(gl, 2)
    assert heard == [(APP, OTHER, 2, HIGH, 2, b"m2", 0x1234)] and not take(gl)
    out = np.zeros(1, np.uint64)
    for pname, value in (
        (e.GL_DEBUG_CALLBACK_FUNCTION, address),
        (e.GL_DEBUG_CALLBACK_USER_PARAM, 0x1234),
    ):
        gl.glGetPointerv(pname, out)
        assert out[0] == value


def test_labels(gl: Any) -> None:
    name = new(gl, e.GL_ARRAY_BUFFER, counting(4))
    sync = gl.glFenceSync(e.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    memory, length = np.zeros(16, np.uint8), np.zeros(1, np.int32)
    gl.glGetObjectLabel(e.GL_BUFFER, name, 16, length, memory)
    assert length[0] == 0 and memory[0] == 0
    gl.glObjectLabel(e.GL_BUFFER, name, -1, text(b"vertices"))
    gl.glGetObjectLabel(e.GL_BUFFER, name, 5, length, memory)
    assert length[0] == 4 and memory[:5].tobytes() == b"vert\0"
    gl.glGetObjectLabel(e.GL_BUFFER, name, 0, length, 0)
    assert length[0] == 8
    gl.glObjectPtrLabel(sync, 3, text(b"fence"))
    gl.glGetObjectPtrLabel(sync, 16, length, memory)
    assert memory[:4].tobytes() == b"fen\0" and gl.error() == 0
    gl.glObjectLabel(e.GL_BUFFER, name, 0, 0)
    gl.glGetObjectLabel(e.GL_BUFFER, name, 16, length, memory)
    assert length[0] == 0
    unchanged(gl, e.GL_INVALID_ENUM, "glObjectLabel", e.GL_RED, name, -1, text(b""))
    unchanged(gl, e.GL_INVALID_VALUE, "glObjectLabel", e.GL_BUFFER, 999, -1, text(b""))
    unchanged(gl, e.GL_INVALID_VALUE, "glObjectLabel", e.GL_BUFFER, name, -1, text(b"x" * 256))
    unchanged(gl, e.GL_INVALID_VALUE, "glGetObjectLabel", e.GL_BUFFER, name, -1, length, memory)
    unchanged(gl, e.GL_INVALID_VALUE, "glObjectPtrLabel", 1234, -1, text(b""))
