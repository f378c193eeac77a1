# SPDX-License-Identifier: MIT
"""What stands in MXCSR in kernels, in what they call, and behind them."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import pytest

from pydri.jit import Module, Struct, f32, fn, hook, kernel, ptr, u32, void
from pydri.jit.fpstate import CONTROL, EXACT, FLUSH, FLUSHED, INSIDE, C, Floats
from pydri.jit.image import function_address
from pydri.jit.kernel import Kernel
from pydri.jit.mxcsr import computing, exchange
from tests.unit.alone import empty_cache

#: what programs may have: rounding upwards, towards zero, all exceptions unmasked, FTZ, both
WORDS = [C, 0x1F80 | 0x4000, 0x1F80 | 0x6000, 0x0000, 0x9F80, FLUSH]
DENORMAL = 0x000116C2


class Given(Struct):
    value = f32
    product = f32
    word = u32
    seen = u32
    python = hook(u32, ptr("Given"))
    kernel = fn(u32, ptr("Given"))


def now(b: Any) -> Any:
    """Emit: the word."""
    place = b.array(u32, 1)
    b.intrinsic_void("llvm.x86.sse.stmxcsr", place)
    return place[0] & CONTROL


@kernel(void, (ptr(Given),), noinline=True)
def multiply(b: Any, given: Any) -> None:
    given.product = given.value * 0.5
    given.word = now(b)


@kernel(void, (ptr(Given),))
def calls_one(b: Any, given: Any) -> None:
    """Computes only in what it calls."""
    b.call(multiply, given)


@kernel(void, (ptr(Given),))
def moves(b: Any, given: Any) -> None:
    """Does not compute at all."""
    given.product = -given.value
    given.word = now(b)


@kernel(u32, (ptr(Given),))
def asks(b: Any, given: Any) -> None:
    """Goes out to Python, and computes before and behind."""
    given.product = given.value * 0.5
    found = given.python(given)
    given.product = given.product + given.value * 0.5
    given.word = now(b)
    b.Return(found)


@kernel(u32, (ptr(Given),))
def by_address(b: Any, given: Any) -> None:
    b.Return(given.kernel(given))


@kernel(u32, (f32, u32, u32, u32, u32, u32, u32, u32, f32))
def many(b: Any, x: Any, *rest: Any) -> None:
    """With arguments on the stack."""
    total = rest[0]
    for n, value in enumerate(rest[1:-1], 2):
        total = total + value * n
    b.Return(b.cast(x * rest[-1], u32) + total)


def image(kernels: list[Kernel], floats: Floats) -> Any:
    with empty_cache():
        return Module("doors", kernels, floats=floats).compile()


def under(word: int, call: Callable[[], Any]) -> Any:
    """A call by a program with this word, which it finds again."""
    before = exchange(word)
    result = call()
    behind = exchange(before)
    assert behind & CONTROL == word & CONTROL
    return result


@pytest.mark.parametrize("floats", [EXACT, FLUSHED])
@pytest.mark.parametrize("word", WORDS)
def test_kernels_have_their_own(floats: Floats, word: int) -> None:
    made = image([multiply, calls_one], floats)
    view = Given.ctype()()
    for name in ("multiply", "calls_one"):
        ctypes.memmove(ctypes.addressof(view), struct.pack("<I", DENORMAL), 4)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made.address(name))
        under(word, lambda call=call: call(ctypes.addressof(view)))
        assert view.word == floats.word & CONTROL
        assert ctypes.string_at(ctypes.addressof(view) + 4, 4) == struct.pack(
            "<I", 0 if floats is FLUSHED else DENORMAL // 2
        )


@pytest.mark.parametrize("word", WORDS)
def test_who_computes_nothing_has_no_door(word: int) -> None:
    made, view = image([moves], FLUSHED), Given.ctype()()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made.address("moves"))
    under(word, lambda: call(ctypes.addressof(view)))
    assert view.word == word & CONTROL
    assert "moves.inside" not in made.symbols


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("floats", [EXACT, FLUSHED, INSIDE])
def test_python_is_called_as_c_is(floats: Floats, word: int) -> None:
    made, view = image([asks], floats), Given.ctype()()
    view.value = 3.0

    def asked(address: int) -> int:
        Given.view(address).seen = exchange(C) & CONTROL
        return 7

    callback = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(asked)
    view.python = function_address(callback)
    call = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(made.address("asks"))
    assert under(word & ~0x1F80 | 0x1F80, lambda: call(ctypes.addressof(view))) == 7
    assert view.seen == C and view.product == 3.0
    assert view.word == (floats.word if floats.doors else word | 0x1F80) & CONTROL


def test_what_is_called_by_address_may_rely_on_it() -> None:
    """Kernels that flush, and call others that have no doors."""
    inside, view = image([asks], INSIDE), Given.ctype()()
    callback = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(lambda _: 0)
    view.python, view.kernel = function_address(callback), inside.address("asks")
    made = image([by_address], FLUSHED)
    call = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(made.address("by_address"))
    under(C, lambda: call(ctypes.addressof(view)))
    assert view.word == FLUSH


def test_names_that_others_call_have_no_door() -> None:
    made = image([multiply, calls_one], FLUSHED._replace(without=("multiply",)))
    assert "calls_one.inside" in made.symbols and "multiply.inside" not in made.symbols


@kernel(void, (ptr(Given), u32))
def asks_first(b: Any, given: Any, wanted: Any) -> None:
    """Calls what computes only if that is wanted."""
    given.word = now(b)
    with b.If(wanted != 0):
        b.call(multiply, given)


@pytest.mark.parametrize("word", WORDS)
def test_who_stands_outside_passes_a_door_with_what_it_calls(word: int) -> None:
    made = image([multiply, asks_first], FLUSHED._replace(outside=("asks_first",)))
    view = Given.ctype()()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)(made.address("asks_first"))
    for wanted, seen in ((0, word & CONTROL), (1, FLUSH)):
        under(word, lambda wanted=wanted: call(ctypes.addressof(view), wanted))
        assert view.word == seen


def test_who_computes_cannot_stand_outside() -> None:
    with pytest.raises(TypeError, match="asks_first computes"):  # multiply is no export
        image([asks_first], FLUSHED._replace(outside=("asks_first",)))


@pytest.mark.parametrize("word", WORDS)
def test_arguments_and_results(word: int) -> None:
    made = image([many], FLUSHED)
    types = [ctypes.c_float, *[ctypes.c_uint32] * 7, ctypes.c_float]
    call = ctypes.CFUNCTYPE(ctypes.c_uint32, *types)(made.address("many"))
    wanted = 6 + 1 + sum(n * n for n in range(2, 8))
    assert under(word, lambda: call(1.5, 1, 2, 3, 4, 5, 6, 7, 4.0)) == wanted


def test_constants_fold_as_the_machine_computes() -> None:
    """LLVM and MXCSR agree: a product of constants is that of variables."""

    @kernel(u32, (f32, f32))
    def both(b: Any, x: Any, y: Any) -> None:
        folded = b.bitcast(b.const(f32, 2.0**-100) * b.const(f32, 2.0**-40), u32)
        b.Return(folded ^ b.bitcast(x * y, u32))

    for floats in (EXACT, FLUSHED):
        call = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_float, ctypes.c_float)(
            image([both], floats).address("both")
        )
        assert call(2.0**-100, 2.0**-40) == 0


def test_pythons_own() -> None:
    """`computing` for numpy code, and the word before behind it, after an exception, too."""
    with pytest.raises(ValueError, match="gone"), computing(FLUSH):
        assert exchange(FLUSH) & CONTROL == FLUSH
        raise ValueError("gone")
    assert exchange(C) & CONTROL == C
