# SPDX-License-Identifier: MIT
"""Control flow, calls and what a kernel writer gets to read when he misuses the language."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from pydri.jit import (
    Module,
    boolean,
    extern_c,
    f16,
    f32,
    fn,
    i32,
    i64,
    kernel,
    ptr,
    u8,
    u32,
    u64,
    void,
)
from pydri.jit.image import ImageError
from pydri.jit.kernel import Kernel, ModuleBuilder
from tests.unit.jit import harness

I = ctypes.c_int  # noqa: E741


def run(k: Kernel, *args: int, width: int | None = None) -> int:
    """Compile a kernel of i32 arguments and result, and call it."""
    f = harness.function(harness.compiled([k], width), k.name, I, *[I] * len(k.args))
    return int(f(*args))


def table(k: Kernel, *values: int) -> list[int]:
    f = harness.function(harness.compiled([k]), k.name, I, I)
    return [int(f(v)) for v in values]


def test_if_else() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, x: Any) -> None:
        out = b.var(i32, 0)
        with b.If(x > 10):
            out.value = 1
            with b.If(x > 20):
                out.value = out.value + 10
            with b.Else():
                out.value = out.value + 20
        with b.Else():
            with b.If(x == 5, likely=False):
                out.value = 5
        b.Return(out.value)

    assert table(f, 30, 15, 5, 0) == [11, 21, 5, 0]


def test_elif_chain_with_and_without_else() -> None:
    def chain(with_else: bool) -> Kernel:
        @kernel(ret=i32, args=(i32,))
        def f(b: Any, x: Any) -> None:
            out = b.var(i32, -1)
            with b.If(x == 1):
                out.value = 10
            with b.Elif(lambda: x == 2):
                out.value = 20
            with b.Elif(lambda: x * x == 9):
                b.Return(30)
            with b.Elif(lambda: x == 4):
                out.value = 40
            if with_else:
                with b.Else():
                    out.value = 99
            b.Return(out.value)

        return f

    assert table(chain(True), 1, 2, 3, -3, 4, 5) == [10, 20, 30, 30, 40, 99]
    assert table(chain(False), 1, 2, 3, -3, 4, 5) == [10, 20, 30, 30, 40, -1]


def test_returns_in_branches_and_code_behind_them() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, x: Any) -> None:
        with b.If(x < 0):
            b.Return(-1)
            b.Return(-2)  # never reached
        with b.Else():
            with b.If(x == 0):
                b.Return(0)
        b.Return(1)

    assert table(f, -5, 0, 5) == [-1, 0, 1]


def test_python_if_specialises() -> None:
    def make(sign: int) -> Kernel:
        @kernel(ret=i32, args=(i32,))
        def f(b: Any, x: Any) -> Any:
            return x + 1 if sign > 0 else x - 1

        return f

    assert table(make(1), 5) == [6] and table(make(-1), 5) == [4]


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(0, 10, 1), (3, 20, 4), (10, 0, -1), (10, 0, -3), (5, 5, 1), (7, 2, 1)],
)
def test_for(start: int, stop: int, step: int) -> None:
    @kernel(ret=i32, args=(i32, i32))
    def f(b: Any, first: Any, last: Any) -> None:
        total = b.var(i32, 0)
        with b.For(first, last, step) as i:
            total.value = total.value * 3 + i
        b.Return(total.value)

    want = 0
    for i in range(start, stop, step):
        want = want * 3 + i
    assert run(f, start, stop) == want


def test_for_over_python_numbers_and_nested() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, n: Any) -> None:
        total = b.var(i32, 0)
        with b.For(0, n) as i:
            with b.For(0, 4) as j:
                total.value = total.value + i * j
        b.Return(total.value)

    assert run(f, 5) == sum(i * j for i in range(5) for j in range(4))


def test_break_and_continue() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, n: Any) -> None:
        total = b.var(i32, 0)
        with b.For(0, 100) as i:
            with b.If(i == n):
                b.Break()
            with b.If((i & 1) != 0):
                b.Continue()
            with b.For(0, 10) as j:
                with b.If(j == 2):
                    b.Break()  # only the inner one
                total.value = total.value + i
        b.Return(total.value)

    assert run(f, 7) == 2 * (0 + 2 + 4 + 6)


def test_while_and_loop() -> None:
    @kernel(ret=i32, args=(i32,))
    def collatz(b: Any, n: Any) -> None:
        x, steps = b.var(i32, n), b.var(i32, 0)
        with b.While(lambda: x.value != 1):
            odd = (x.value & 1) != 0
            x.value = b.select(odd, 3 * x.value + 1, x.value // 2)
            steps.value = steps.value + 1
        with b.Loop():
            steps.value = steps.value + 1
            with b.If(steps.value >= 20):
                b.Break()
            b.Continue()
        b.Return(steps.value)

    assert run(collatz, 6) == 20 and run(collatz, 27) == 112


def test_switch() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, x: Any) -> None:
        out = b.var(i32, 0)
        with b.Switch(x) as s:
            with s.Case(1, 2):
                out.value = 12
            with s.Case(3):
                b.Return(33)
            with s.Case(-1):
                with b.If(x < 0):
                    out.value = -1
            with s.Default():
                out.value = 7
        b.Return(out.value)

    assert table(f, 1, 2, 3, -1, 99) == [12, 12, 33, -1, 7]


def test_calls_recursion_and_inline() -> None:
    @kernel(ret=i32, args=(i32,), inline=True)
    def double(b: Any, x: Any) -> Any:
        return x * 2

    @kernel(ret=i32, args=(i32,))
    def factorial(b: Any, n: Any) -> None:
        with b.If(n <= 1):
            b.Return(1)
        b.Return(n * b.call(factorial, n - 1))

    @kernel(ret=i32, args=(i32,))
    def f(b: Any, n: Any) -> Any:
        return b.call(double, b.call(factorial, n)) + double(b, n) + b.call(double, 1)

    assert run(f, 5) == 2 * 120 + 10 + 2


def test_functions_by_address() -> None:
    @kernel(ret=i32, args=(i32,))
    def plus(b: Any, x: Any) -> Any:
        return x + 1

    @kernel(ret=i32, args=(i32,))
    def times(b: Any, x: Any) -> Any:
        return x * 10

    @kernel(ret=i32, args=(i32, i32))
    def f(b: Any, which: Any, x: Any) -> Any:
        g = b.select(which == 0, b.address_of(plus), b.address_of(times))
        return b.call(g, x) + g(1)

    assert run(f, 0, 5) == 8 and run(f, 1, 5) == 60


def test_callback_from_outside() -> None:
    @kernel(ret=i32, args=(fn(i32, i32), i32))
    def f(b: Any, callback: Any, x: Any) -> Any:
        return b.call(callback, x) + 1

    callback = ctypes.CFUNCTYPE(I, I)(lambda x: x * 7)
    g = harness.function(harness.compiled([f]), "f", I, ctypes.CFUNCTYPE(I, I), I)
    assert g(callback, 6) == 43


def test_c_functions() -> None:
    c_abs = extern_c("abs", i32, i32)
    strlen = extern_c("strlen", u64, ptr(void))

    @kernel(ret=i32, args=(ptr(u8), i32))
    def f(b: Any, text: Any, x: Any) -> Any:
        length = b.call(strlen, text)
        return b.cast(length, i32) * 100 + b.call(c_abs, x)

    g = harness.function(harness.compiled([f]), "f", I, ctypes.c_char_p, I)
    assert g(b"hello", -42) == 542


def test_a_missing_c_function_is_named() -> None:
    missing = extern_c("pydri_no_such_function", void)

    @kernel(ret=void)
    def f(b: Any) -> None:
        b.call(missing)

    with pytest.raises(ImageError, match="pydri_no_such_function"):
        harness.compiled([f])


def test_printf(capfd: pytest.CaptureFixture[str]) -> None:
    @kernel(ret=void, args=(i32, f32, u8, u64))
    def f(b: Any, n: Any, x: Any, c: Any, big: Any) -> None:
        b.printf(
            "n=%d x=%g c=%d big=%llx v=%v m=%v k=%d f=%g done\n",
            n,
            x,
            c,
            big,
            b.splat(x, 4) * b.const(f32.vec(4), [1, 2, 3, 4]),
            b.splat(n, 2) > 3,
            12,
            2.5,
        )

    g = harness.function(
        harness.compiled([f]), "f", None, I, ctypes.c_float, ctypes.c_uint8, ctypes.c_uint64
    )
    g(-7, 1.5, 200, 1 << 40)
    text = "n=-7 x=1.5 c=200 big=10000000000 v=[1.5 3 4.5 6] m=[0 0] k=12 f=2.5 done\n"
    assert capfd.readouterr().err == text


def test_names_carry_source_lines() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, x: Any) -> Any:
        return x * 17  # marked

    text = Module("lines", [f]).ir(128)
    with open(__file__) as source:
        line = next(n for n, s in enumerate(source, 1) if "# marked" in s)
    assert f"%L{line}." in text


# -- misuse --------------------------------------------------------------------------------------


def emit(body: Any, *types: Any, ret: Any = void) -> None:
    """Trace a kernel without compiling it."""
    ModuleBuilder("misuse", [Kernel(body, "f", ret, types)], 128).text()


def python_if(b: Any, x: Any) -> None:
    if x > 0:
        pass


def python_and(b: Any, x: Any) -> None:
    b.If(x > 0 and x < 5)


def python_chain(b: Any, x: Any) -> None:
    b.If(0 < x < 5)


def python_for(b: Any, x: Any) -> None:
    for _ in x:
        pass


def if_without_with(b: Any, x: Any) -> None:
    if b.If(x > 0):
        pass


def else_alone(b: Any, x: Any) -> None:
    with b.Else():
        pass


def else_too_late(b: Any, x: Any) -> None:
    with b.If(x > 0):
        pass
    b.var(i32, x + 1)
    with b.Else():
        pass


def if_number(b: Any, x: Any) -> None:
    with b.If(x + 1):
        pass


def if_vector(b: Any, x: Any) -> None:
    with b.If(b.splat(x, 4) > 0):
        pass


def if_python_value(b: Any, x: Any) -> None:
    with b.If(True):
        pass


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (python_if, r"with b\.If\(cond\)"),
        (python_and, r"& \| ~ for and, or, not"),
        (python_chain, "chained comparisons"),
        (python_for, r"b\.For\(0, n\)"),
        (if_without_with, r"not `if b\.If"),
        (else_alone, "must follow directly"),
        (else_too_late, "must follow directly"),
        (if_number, "wants a boolean"),
        (if_vector, r"b\.any\(mask\)"),
        (if_python_value, "plain `if`"),
        (lambda b, x: b.Break(), "outside of a loop"),
        (lambda b, x: b.Continue(), "outside of a loop"),
        (lambda b, x: b.While(x > 0).__enter__(), "lambda"),
        (lambda b, x: x / 2, "write //"),
        (lambda b, x: b.cast(x, f32) // 2, "b.floor"),
        (lambda b, x: b.cast(x, f32) & 1, "needs integers"),
        (lambda b, x: x + b.cast(x, u32), r"b\.cast\(value"),
        (lambda b, x: x + b.cast(x, i64), r"b\.cast\(value"),
        (lambda b, x: x + 0.5, "not a whole number"),
        (lambda b, x: b.splat(x, 4) + b.splat(x, 8), r"b\.cast\(value"),
        (lambda b, x: (x > 0) + (x < 3), "booleans"),
        (lambda b, x: b.select(x > 0, 1, 2), "give one its type"),
        (lambda b, x: x[0], "no lanes"),
        (lambda b, x: b.cast(b.cast(x, f32), f16) + 1.0, "b.cast to f32"),
        (lambda b, x: b.const(f32.vec(4), [1, 2, 3]), "3 numbers for 4 lanes"),
        (lambda b, x: b.Return(x), "ret is void"),
        (lambda b, x: b.For(b.const(u32, 5), -1, -1).__enter__(), "signed start"),
        (lambda b, x: b.reduce("add", b.splat(b.cast(x, f32), 4)), "order"),
    ],
    ids=lambda v: getattr(v, "__name__", "")[:14] or None,
)
def test_misuse_says_what_to_write(body: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        emit(body, i32)


def test_wrong_number_of_arguments() -> None:
    @kernel(ret=i32, args=(i32, i32))
    def g(b: Any, x: Any, y: Any) -> Any:
        return x + y

    for args in ((1,), (1, 2, 3)):
        with pytest.raises(TypeError, match="takes 2 arguments"):
            emit(lambda b, x, args=args: b.call(g, *args), i32)


def test_a_missing_return_is_noticed() -> None:
    def one_way(b: Any, x: Any) -> None:
        with b.If(x > 0):
            b.Return(1)

    def loop(b: Any, x: Any) -> None:
        with b.Loop():
            with b.If(x > 0):
                b.Break()

    def both(b: Any, x: Any) -> None:
        with b.If(x > 0):
            b.Return(1)
        with b.Else():
            b.Return(2)

    def dead_code(b: Any, x: Any) -> None:
        both(b, x)
        with b.If(x > 5):
            b.Return(1)

    def endless(b: Any, x: Any) -> None:
        with b.Loop():
            with b.If(x > 0):
                b.Return(3)

    for body in (one_way, loop, lambda b, x: None):
        with pytest.raises(TypeError, match="kernel f can end without b.Return"):
            emit(body, i32, ret=i32)
    for body in (both, dead_code, endless):
        emit(body, i32, ret=i32)


def test_two_kernels_of_one_name() -> None:
    def make() -> Kernel:
        @kernel(ret=i32, args=(i32,))
        def same(b: Any, x: Any) -> Any:
            return x

        return same

    one, two = make(), make()
    with pytest.raises(TypeError, match="two kernels named same"):
        emit(lambda b, x: (b.call(one, x), b.call(two, x)), i32)


def test_booleans() -> None:
    @kernel(ret=boolean, args=(i32,))
    def between(b: Any, x: Any) -> Any:
        flag = b.var(boolean, False)
        flag.value = (x > 0) & (x < 10) | (x == 50)
        return ~(~flag.value ^ (x == 7))

    g = harness.function(harness.compiled([between]), "between", ctypes.c_bool, I)
    assert [g(v) for v in (0, 5, 7, 10, 50)] == [False, True, False, False, True]
