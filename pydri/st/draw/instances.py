# SPDX-License-Identifier: MIT
"""Draws of several instances, and of arrays that instances share, for who takes one at a time:
selection and feedback.

In: a DrawInfo. Out: a DrawInfo for each instance, in which what instances share is a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydri.jit import ptr, u8, u32, u64
from pydri.pipe.native import MAX_ATTRIBS, DrawInfo, VertexBinding

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

INFO = ptr(DrawInfo)


def instanced(b: Builder, ctx: GLContext, info: DrawInfo) -> Value:
    """Whether a draw has more than one instance, or arrays that instances share."""
    divided = ctx.key.attrib_divided.cast(ptr(u32)).load(u32, align=1)
    return (info.instances > 1) | (divided != 0)


def each_instance(b: Builder, info: DrawInfo, draw: Callable[[Any], None]) -> None:
    """Emit: `draw(info)` of each instance by itself."""
    bindings = b.array(VertexBinding, MAX_ATTRIBS)
    one = b.array(DrawInfo, 1, align=16)
    b.memcpy(one.cast(ptr(u8)), info.cast(ptr(u8)), b.const(u64, DrawInfo.size))
    one.attribs = bindings
    one.instances = 1
    one.base_instance = 0
    with b.For(b.const(u32, 0), b.max(info.instances, 1)) as n:
        number = info.instance + n
        size = b.const(u64, MAX_ATTRIBS * VertexBinding.size)
        b.memcpy(bindings.cast(ptr(u8)), info.attribs.cast(ptr(u8)), size)
        with b.For(b.const(u32, 0), b.const(u32, MAX_ATTRIBS)) as slot:
            binding = bindings + slot
            with b.If(binding.divisor != 0):
                element = number // binding.divisor + info.base_instance
                # 0 is "not known": as 0 - 1 it is above everything
                at = b.min(element, binding.count - 1)
                step = b.cast(at, u64) * b.cast(binding.stride, u64)
                binding.base = b.bytes_from(binding.base, step, u8)
                binding.stride, binding.divisor = 0, 0
        one.instance = number
        draw(one)


__all__ = ["INFO", "each_instance", "instanced"]
