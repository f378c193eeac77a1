# SPDX-License-Identifier: MIT
"""The kernel language: machine code written as traced Python (see docs/contracts.md, section 2).

`types` declares memory, `values`/`builder`/`ops`/`flow` emit code, `kernel` and `compiler` make
images of it, `image` links and loads them, `cache` keeps them on disk. Importing this package
loads neither llvmlite nor numpy."""

from pydri.jit.builder import Builder
from pydri.jit.extern import ExternC, extern_c
from pydri.jit.kernel import Kernel, Module, kernel
from pydri.jit.types import (
    Array,
    Fn,
    Ptr,
    Struct,
    Type,
    Vec,
    boolean,
    f16,
    f32,
    f64,
    fn,
    i8,
    i16,
    i32,
    i64,
    ptr,
    u8,
    u16,
    u32,
    u64,
    void,
)
from pydri.jit.values import FnPointer, Pointer, Value, Var

__all__ = [
    "Array",
    "Builder",
    "ExternC",
    "Fn",
    "FnPointer",
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
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "ptr",
    "u8",
    "u16",
    "u32",
    "u64",
    "void",
]
