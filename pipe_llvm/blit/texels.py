# SPDX-License-Identifier: MIT
"""Kernels of one format each for blits: packed pixels to numbers and back.

A piece is up to 64 pixels. Its numbers lie in planes of 64 (r, g, b, a; f32, or u32 and i32 of
whole numbers; depth and stencil: f32, u32), its packed pixels side by side. What is sRGB-encoded is
decoded and encoded by the kernels of the view (_SRGB). One table of them serves all contexts;
`load(number)` compiles, or takes from the object cache, and fills in."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from pipe_llvm.blit.native import PLANE, BlitKernels
from pydri.jit.fpstate import INSIDE
from pydri.jit.kernel import Kernel, Module, kernel
from pydri.jit.types import f32, ptr, u8, u32, void
from pydri.pipe import format_emit as emit
from pydri.pipe.format import FORMATS, Format
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.jit.types import Scalar

LANES = 16
_ARGS = (ptr(u8), ptr(u8), u32)


def _types(fmt: Format) -> list[Scalar]:
    """The types of a format's numbers."""
    return [f32, u32] if fmt.kind == "zs" else [emit.number_type(fmt)] * 4


def fetch_kernel(fmt: Format) -> Kernel:
    """Packed pixels to numbers."""

    @kernel(void, _ARGS, name=f"blit_fetch_{fmt.name}", noinline=True, noalias=(0,))
    def fetch(b: Builder, numbers: Pointer, pixels: Pointer, count: Value) -> None:
        with b.For(b.const(u32, 0), count, LANES) as i:
            place = b.bytes_from(pixels, i * fmt.bytes, u8)
            for n, value in enumerate(emit.fetch(b, fmt, place, LANES)):
                b.bytes_from(numbers, i * 4 + n * PLANE, value.elem).store(value, align=64)

    return fetch


def put_kernel(fmt: Format) -> Kernel:
    """Numbers to packed pixels."""

    @kernel(void, _ARGS, name=f"blit_put_{fmt.name}", noinline=True, noalias=(1,))
    def put(b: Builder, numbers: Pointer, pixels: Pointer, count: Value) -> None:
        with b.For(b.const(u32, 0), count, LANES) as i:
            values = [
                b.bytes_from(numbers, i * 4 + n * PLANE, ty).load(ty.vec(LANES), align=64)
                for n, ty in enumerate(_types(fmt))
            ]
            emit.put(b, fmt, b.bytes_from(pixels, i * fmt.bytes, u8), values)

    return put


def module(fmt: Format) -> Module:
    """Both kernels of a format."""

    def exports() -> list[Kernel]:
        return [fetch_kernel(fmt), put_kernel(fmt)]

    return Module(f"blit_{fmt.name}", exports, variant=True, floats=INSIDE)


@once
def _table() -> Any:
    return (BlitKernels.ctype() * len(FORMATS))()


def load(number: int) -> int:
    """Fill in a format's row; the address of the table."""
    table = _table()
    if not table[number].put:
        image = module(FORMATS[number]).compile()
        table[number].fetch = image.address(f"blit_fetch_{FORMATS[number].name}")
        table[number].put = image.address(f"blit_put_{FORMATS[number].name}")
    return ctypes.addressof(table)
