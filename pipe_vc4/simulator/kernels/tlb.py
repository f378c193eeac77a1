# SPDX-License-Identifier: MIT
"""The stencil test of ../tlb.py in lanes: set-ups are words that a shader computes."""
from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_vc4.simulator.kernels.lanes import WORD, U
from pipe_vc4.simulator.kernels.layout import LANES, Vc4Stencil
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u32, void

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value

_ALL = 0xFFFFFFFF


def _truth(b: Builder, lanes: Value) -> Value:
    return b.select(lanes, b.const(U, _ALL), b.const(U, 0))


def _compared(b: Builder, function: Value, new: Value, old: Value) -> Value:
    """Where a test passes (0 or ~0): a function is bits of "less", "equal" and "greater"."""
    bits = [b.splat(b.cast(0, u32) - (function >> n & 1), LANES) for n in range(3)]
    return (_truth(b, new < old) & bits[0] | _truth(b, new == old) & bits[1]
            | _truth(b, new > old) & bits[2])


def _done(b: Builder, operation: Value, old: Value, reference: Value) -> Value:
    """What an operation (a number of its own for all lanes) makes of stencils."""
    found = b.var(U, 0)
    made = (b.const(U, 0), old, b.splat(reference, LANES), b.min(old + 1, 255),
            b.select(old == 0, old, old - 1), old ^ 255, (old + 1) & 255, (old - 1) & 255)
    with b.Switch(operation) as switch:
        for number, value in enumerate(made):
            with switch.Case(number):
                found.value = value
    return found.value


@kernel(ret=void, args=(ptr(Vc4Stencil),), noinline=True)
def stencil(b: Builder, test: Vc4Stencil) -> None:
    """Tests of both faces; `passed` becomes where both tests pass, `old` the new stencils."""
    old, depth = test.old.load(U), test.depth.load(U)
    back, new = test.back.load(U), b.var(U, test.old.load(U))
    passed = b.var(U, depth)
    masks, found = b.var(u32, 0), b.var(u32, 0)
    with b.For(b.const(u32, 0), test.count) as n:
        word = test.setups[n]
        with b.If((word >> 30 == 0) & (found.value == 0)):
            masks.value, found.value = word, 1
    for face in (0, 1):
        setup = b.var(u32, 0)
        with b.For(b.const(u32, 0), test.count) as n:
            word = test.setups[n]
            with b.If((word >> 30 & (2 if face else 1) != 0) & (setup.value == 0)):
                setup.value = word
        with b.If(setup.value != 0):
            word = setup.value
            here = back if face else ~back
            mask, reference = word & 255, word >> 8 & 255
            write = b.var(u32, 0)
            with b.Switch(word >> 28 & 3) as switch:
                for number, bits in enumerate((1, 3, 15, 255)):
                    with switch.Case(number):
                        write.value = bits
            own = masks.value >> 8 & 255 if face else masks.value & 255
            write.value = b.select(found.value != 0, own, write.value)
            test_of = _compared(b, word >> 16 & 7, b.splat(reference & mask, LANES), old & mask)
            done = [_done(b, word >> shift & 7, old, reference) for shift in (19, 22, 25)]
            made = b.select(test_of == 0, done[0], b.select(depth != 0, done[1], done[2]))
            kept = old & b.splat(~write.value & 255, LANES)
            made = made & b.splat(write.value, LANES) | kept
            new.value = b.select(here != 0, made, new.value)
            passed.value = b.select(here != 0, test_of & depth, passed.value)
    test.passed.cast(WORD).store(passed.value)
    test.old.cast(WORD).store(new.value)


__all__ = ["stencil"]
