# SPDX-License-Identifier: MIT
"""Vertices of a draw through one shader: attributes, the VPM, sixteen at a time (../vertices.py).
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_vc4.simulator.kernels.errors import DONE, error_code
from pipe_vc4.simulator.kernels.lanes import U, one_allowed
from pipe_vc4.simulator.kernels.layout import LANES, Vc4Attribute, Vc4Rows, Vc4Vertices
from pydri.jit.kernel import kernel
from pydri.jit.types import i64, ptr, u8, u32, u64

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value


@kernel(ret=u32, args=(ptr(Vc4Vertices), ptr(Vc4Attribute), i64, u32), noinline=True)
def fetch(b: Builder, run: Vc4Vertices, attribute: Vc4Attribute, number: Value,
          lane: Value) -> None:
    """The bytes of one attribute of a vertex to its lane of the VPM's rows."""
    at = attribute.address + attribute.stride * number
    size = attribute.size
    good = one_allowed(b, run.memory, at) & one_allowed(
        b, run.memory, at + b.cast(size, i64) - 1)
    with b.If(~good, likely=False):
        b.Return(error_code("an attribute is read outside of every buffer"))
    source = b.bytes_from(run.memory.bytes, at, u8)
    rows = run.state.rows + b.cast((attribute.place >> 2) * LANES + lane, u64)
    whole = size >> 2
    with b.For(b.const(u32, 0), whole) as n:
        word = b.bytes_from(source, b.cast(n << 2, u64), u32).load(align=1)
        (rows + b.cast(n * LANES, u64)).store(word)
    to = b.bytes_from(rows, b.cast(whole * (4 * LANES), u64), u8)
    with b.For(b.const(u32, 0), size & 3) as n:
        to[b.cast(n, u64)] = source[b.cast((whole << 2) + n, u64)]
    b.Return(DONE)


@kernel(ret=u32, args=(ptr(Vc4Vertices),))
def shade(b: Builder, run: Vc4Vertices) -> None:
    """All groups of a draw's vertices."""
    state = run.state
    b.memset(state, 0, Vc4Rows.offset("filled"))
    state.filled, state.uniforms, state.memory = run.filled, run.uniforms, run.memory
    with b.For(b.const(u32, 0), run.groups) as group:
        with b.For(b.const(u32, 0), b.const(u32, LANES)) as lane:
            number = run.numbers[group * LANES + lane]
            with b.For(b.const(u32, 0), run.count) as n:
                code = b.call(fetch, run, run.attributes[n], number, lane)
                with b.If(code != 0, likely=False):
                    b.Return(code)
        b.memset(state.written, 0, 4 * LANES * run.out_rows)
        code = b.call(run.shader, state)
        with b.If(code != 0, likely=False):
            b.Return(code)
        with b.For(b.const(u32, 0), run.out_rows) as row:
            place = run.written + b.cast((row * run.groups + group) * LANES, u64)
            place.store((state.written + b.cast(row * LANES, u64)).load(U))
    b.Return(DONE)


__all__ = ["shade"]
