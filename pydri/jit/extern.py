# SPDX-License-Identifier: MIT
"""C functions that kernels call: declared here, found by name when an image is loaded."""

from __future__ import annotations

from pydri.jit.types import Fn, Ptr, Type, i32, u8


class ExternC:
    """A C function found by name when an image is loaded."""

    def __init__(self, name: str, ret: Type, args: tuple[Type, ...], varargs: bool) -> None:
        self.name = name
        self.ret = ret
        self.args = args
        self.varargs = varargs
        self.fn_type = Fn(ret, args, varargs)


def extern_c(name: str, ret: Type, *args: Type, varargs: bool = False) -> ExternC:
    """Declare a C function (libc, libm, or one registered with pydri.jit.image.register_extern)."""
    return ExternC(name, ret, args, varargs)


DPRINTF = extern_c("dprintf", i32, i32, Ptr(u8), varargs=True)
