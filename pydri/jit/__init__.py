# SPDX-License-Identifier: MIT
"""The kernel language: machine code written as traced Python (its page: README.md).

`types` declares memory, `values` and `builder` (of `emitter`, `ops` and `flow`) emit code, `kernel`
and `compiler` make images of it, `image` links and loads them, `cache` keeps them on disk.
Importing this package loads neither llvmlite nor numpy, nor what traces.

A kernel is annotated so, and mypy then knows what its expressions are and which fields a struct
has; the names below TYPE_CHECKING exist for annotations alone:

    @kernel(u32, (ptr(LpTask), ptr(u64), u32))
    def count(b: Builder, task: LpTask, commands: Pointer, n: Value) -> Value: ...

`Builder` emits. `Value` is a run-time number or vector, `Pointer` an address; a pointer to a struct
is annotated with the struct's class; `Operand` is a Value or a Python number."""

from typing import TYPE_CHECKING

from pydri.jit.extern import ExternC, extern_c
from pydri.jit.kernel import Kernel, Module, kernel
from pydri.jit.types import (
    Array,
    Fn,
    Hook,
    Ptr,
    Struct,
    Type,
    Vec,
    boolean,
    f16,
    f32,
    f64,
    fn,
    hook,
    i8,
    i16,
    i32,
    i64,
    nested,
    ptr,
    u8,
    u16,
    u32,
    u64,
    void,
)
from pydri.jit.values import FnPointer, Pointer, Value, Var

if TYPE_CHECKING:
    from pydri.jit.builder import Builder as Builder
    from pydri.jit.values import AnyPointer as AnyPointer
    from pydri.jit.values import Operand as Operand
    from pydri.jit.values import Settable as Settable

__all__ = [
    "Array",
    "ExternC",
    "Fn",
    "FnPointer",
    "Hook",
    "Kernel",
    "Module",
    "Pointer",
    "Ptr",
    "Struct",
    "Type",
    "Value",
    "Var",
    "Vec",
    "boolean",
    "extern_c",
    "f16",
    "f32",
    "f64",
    "fn",
    "hook",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "nested",
    "ptr",
    "u8",
    "u16",
    "u32",
    "u64",
    "void",
]
