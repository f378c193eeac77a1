# SPDX-License-Identifier: MIT
"""A bare native context, and `gl.glFoo(...)`: the call goes through the context's dispatch table
as a stub's would.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import cffi
import numpy as np
import pytest

import pydri.main.entries  # noqa: F401  registers the Python entry points
from pydri.api import dispatch
from pydri.api.apis import COMPAT, ES1
from pydri.api.gl_table import TABLE
from pydri.api.where import In, where_of
from pydri.main import core
from pydri.main.context import GLContext
from pydri.main.version import GLVersion
from tests.unit import python_forms

CTYPES = {
    "v": None,
    "E": ctypes.c_uint32,
    "M": ctypes.c_uint32,
    "B": ctypes.c_uint32,
    "A": ctypes.c_uint32,
    "b": ctypes.c_uint8,
    "c": ctypes.c_int8,
    "C": ctypes.c_uint8,
    "s": ctypes.c_int16,
    "S": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "l": ctypes.c_int64,
    "L": ctypes.c_uint64,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}
VISUAL = {
    "red": 8,
    "green": 8,
    "blue": 8,
    "alpha": 0,
    "depth": 24,
    "stencil": 8,
    "double_buffer": 1,
}


class Caller:
    """Calls GL entry points of one context by name."""

    def __init__(self, ctx: GLContext) -> None:
        self.ctx = ctx
        self.n = ctx.n

    def __getattr__(self, name: str) -> Callable[..., Any]:
        row = TABLE.row(name)
        slot = row.slot
        kinds = [CTYPES.get(code[0], ctypes.c_void_p) for _, code in row.params]
        prototype = ctypes.CFUNCTYPE(
            CTYPES.get(row.ret[0], ctypes.c_void_p), ctypes.c_void_p, *kinds
        )

        def call(*args: Any) -> Any:
            passed = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
            address = (ctypes.c_uint64 * len(TABLE)).from_address(self.n.dispatch)[slot]
            if address:
                return prototype(address)(self.ctx.address, *passed)
            return self.python(name, *passed)

        return call

    def python(self, name: str, *args: Any) -> Any:
        """The Python form, even if there is a native one."""
        passed = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
        result = dispatch.gl_function(TABLE.row(name))(self.ctx.address, *passed)
        return (
            int(dispatch.ffi.cast("unsigned long", result))
            if isinstance(result, dispatch.ffi.CData)
            else result
        )

    def error(self) -> int:
        return int(self.glGetError())

    def floats(self, name: int, count: int = 16) -> np.ndarray:
        out = np.full(count, np.nan, np.float32)
        self.glGetFloatv(name, out)
        return out

    def ints(self, name: int, count: int = 4) -> list[int]:
        out = np.full(count, -99, np.int32)
        self.glGetIntegerv(name, out)
        return out.tolist()

    def clean(self) -> None:
        """Forget what is dirty."""
        self.n.dirty = self.n.key_dirty = 0


@pytest.fixture(scope="module", autouse=True)
def main_alone() -> Iterator[None]:
    """Only main's kernels, whatever other rooms have registered; theirs come back afterwards."""
    others = [part for part in core.PARTS if not part.startswith("pydri.main.")]
    core.PARTS[:] = [part for part in core.PARTS if part not in others]
    yield
    for part in others:
        core.register(part)


if dispatch.ffi is None:  # results that are pointers become `void *`, as behind the shim
    dispatch.ffi = cffi.FFI()


python_forms.provide()


@contextlib.contextmanager
def having(enum: int, where: In | None) -> Iterator[Caller]:
    """In a context that has the row: of the newest compatibility profile, or of OpenGL ES 1."""
    for version in (GLVersion(COMPAT, 4, 6), GLVersion(ES1, 1, 1)):
        ctx = GLContext(VISUAL, version=version)
        try:
            if ctx.has(where_of(enum, where)):
                yield Caller(ctx)
                return
        finally:
            ctx.destroy()
    raise AssertionError(f"no context has {enum:#x}")


@pytest.fixture
def gl() -> Iterator[Caller]:
    ctx = GLContext(VISUAL, renderer="pydri test")
    yield Caller(ctx)
    ctx.destroy()
