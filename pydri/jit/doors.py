# SPDX-License-Identifier: MIT
"""Doors: small functions around kernels that keep a word of our own in MXCSR (fpstate.py).

In: the texts of a module's functions. Out: the texts with doors. Loaded only to trace.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pydri.jit.fpstate import CONTROL, FLAGS, FLUSH, C

if TYPE_CHECKING:
    from pydri.jit.kernel import Kernel
    from pydri.jit.types import Fn

#: an instruction that reads or writes MXCSR; what moves bits (fneg, fabs, select) does not
_COMPUTES: Final = re.compile(
    r" f(?:add|sub|mul|div|rem|cmp|ptrunc|pext|pto[su]i) | [su]itofp |"
    r"@llvm\.(?:sqrt|fma|floor|ceil|trunc|rint|roundeven|lrint|canonicalize|fpto[su]i|"
    r"vector\.reduce\.f|x86\.[\w.]*(?:cvtt|max\.ps))"
)
_BY_ADDRESS: Final = re.compile(r"call [^@\n]*? %")
_CALLS: Final = re.compile(r"@([A-Za-z_]\w*)")
STMXCSR, LDMXCSR = "llvm.x86.sse.stmxcsr", "llvm.x86.sse.ldmxcsr"
DECLARES = tuple(f"declare void @{name}(ptr)" for name in (STMXCSR, LDMXCSR))


def computing(functions: dict[str, str], word: int) -> set[str]:
    """The functions, by name, that compute with floats or call one that does. Those that flush
    call functions by address that rely on it."""
    found = {
        name
        for name, text in functions.items()
        if _COMPUTES.search(text) or (word == FLUSH and _BY_ADDRESS.search(text))
    }
    calls = {name: set(_CALLS.findall(text)) & functions.keys() for name, text in functions.items()}
    grown = True
    while grown:
        more = {name for name, called in calls.items() if name not in found and called & found}
        found |= more
        grown = bool(more)
    return found


def check_outside(
    functions: dict[str, str], outside: tuple[str, ...], doored: set[str], word: int
) -> None:
    """Raise TypeError for a kernel that is to run with the caller's word and computes, or calls
    what computes and has no door."""
    rest = {name: text for name, text in functions.items() if name not in doored}
    for name in sorted(computing(rest, word).intersection(outside)):
        raise TypeError(f"kernel {name} computes with floats, though it is to run outside of doors")


def inner(name: str) -> str:
    """LLVM's name of a kernel that has a door, which has the kernel's own name."""
    return f"{name}.inside"


def put_inside(text: str, names: set[str]) -> str:
    """The text with these functions, and the calls of them, under their inner names: kernels of a
    module call each other without doors."""
    if not names:
        return text
    return _CALLS.sub(lambda m: f"@{inner(m[1])}" if m[1] in names else m[0], text)


def door(k: Kernel, word: int) -> str:
    """The function in front of a kernel: LLVM assembly."""
    passed = ", ".join(f"{ty.ir} %arg{n}" for n, ty in enumerate(k.args))
    head = f"define {k.ret.ir} @{k.name}({passed}) #0"
    return _around(head, k.ret.ir, f"@{inner(k.name)}({passed})", word)


def way_out(name: str, ty: Fn) -> str:
    """The function by which kernels call hooks of a type: LLVM assembly. The hook's address is its
    last parameter."""
    passed = ", ".join(f"{a.ir} %arg{n}" for n, a in enumerate(ty.args))
    head = f"define internal {ty.ret.ir} @{name}({passed}, ptr %hook) #2"
    return _around(head, ty.ret.ir, f"%hook({passed})", C)


def _around(head: str, ret: str, callee: str, word: int) -> str:
    """A call with a word in MXCSR; nothing but the call where it has that already."""
    result, value = ("", "void") if ret == "void" else ("%r{} = ", ret + " %r{}")
    return f"""{head} {{
%was.at = alloca i32
%own.at = alloca i32
call void @{STMXCSR}(ptr %was.at)
%was = load i32, ptr %was.at
%control = and i32 %was, {CONTROL}
%same = icmp eq i32 %control, {word}
br i1 %same, label %straight, label %around
straight:
{result.format(1)}tail call {ret} {callee}
ret {value.format(1)}
around:
%flags = and i32 %was, {FLAGS}
%own = or i32 %flags, {word}
store i32 %own, ptr %own.at
call void @{LDMXCSR}(ptr %own.at)
{result.format(2)}call {ret} {callee}
call void @{STMXCSR}(ptr %own.at)
%now = load i32, ptr %own.at
%raised = and i32 %now, {FLAGS}
%back = or i32 %raised, %was
store i32 %back, ptr %own.at
call void @{LDMXCSR}(ptr %own.at)
ret {value.format(2)}
}}"""
