# SPDX-License-Identifier: MIT
"""Structs, pointers, masked and indexed memory, lanes, atomics of the kernel language."""

from __future__ import annotations

import ctypes
import gc
import mmap
import operator
import threading
from typing import Any

import numpy as np
import pytest

from pydri.jit import (
    Struct,
    boolean,
    f16,
    f32,
    f64,
    fn,
    i8,
    i16,
    i32,
    i64,
    kernel,
    ptr,
    u8,
    u16,
    u32,
    u64,
    void,
)
from pydri.jit.kernel import Kernel
from tests.unit.jit import harness
from tests.unit.jit.harness import (
    DTYPE,
    LANES,
    address,
    call_lanes,
    compiled,
    function,
    lane_kernel,
)

P = ctypes.c_void_p
I = ctypes.c_int  # noqa: E741


class Inner(Struct):
    flag = u8
    weight = f64
    codes = u16[3]


class Outer(Struct):
    tag = u8
    count = i32
    inner = Inner
    many = Inner[2]
    matrix = f32[16]
    next = ptr("Outer")
    hook = fn(i32, i32)
    small = i16
    lanes = f32.vec(4)
    last = u8


class Wide(Struct, align=64):
    first = u8
    second = u64


class Derived(Inner):
    extra = u32


class CInner(ctypes.Structure):
    _fields_ = [
        ("flag", ctypes.c_uint8),
        ("weight", ctypes.c_double),
        ("codes", ctypes.c_uint16 * 3),
    ]


class COuter(ctypes.Structure):
    _fields_ = [
        ("tag", ctypes.c_uint8),
        ("count", ctypes.c_int32),
        ("inner", CInner),
        ("many", CInner * 2),
        ("matrix", ctypes.c_float * 16),
        ("next", P),
        ("hook", P),
        ("small", ctypes.c_int16),
        ("lanes", ctypes.c_float * 4),
        ("last", ctypes.c_uint8),
    ]


def test_layout_is_that_of_c() -> None:
    for mine, theirs in ((Inner, CInner), (Outer, COuter)):
        assert mine.size == ctypes.sizeof(theirs)
        for name, field in mine.fields.items():
            assert field.offset == getattr(theirs, name).offset, name
            assert getattr(mine.ctype(), name).offset == field.offset, name
        assert ctypes.sizeof(mine.ctype()) == mine.size
    assert (
        Outer.offset("many[1].codes[2]")
        == COuter.many.offset + ctypes.sizeof(CInner) + CInner.codes.offset + 4
    )
    assert (Wide.size, Wide.align, Wide.offset("second")) == (64, 64, 8)
    assert Derived.offset("flag") == 0 and Derived.offset("extra") >= Inner.offset("codes") + 6


def test_fields_from_kernels() -> None:
    @kernel(ret=i32, args=(i32,))
    def negate(b: Any, x: Any) -> Any:
        return -x

    @kernel(ret=i32, args=(ptr(Outer), i32))
    def f(b: Any, o: Any, k: Any) -> Any:
        o.count = o.count + 1
        o.tag = 300  # wraps to 44
        o.inner.weight = o.inner.weight * 2.0
        o.many[1].codes[2] = b.cast(k, u16)
        o.many[k].flag = 9
        with b.For(0, 16) as i:
            o.matrix[i] = b.cast(i * i, f32)
        o.matrix[k + 1] = -1.0
        o.lanes = o.lanes * 2.0
        o.next.small = -5
        o.hook = b.address_of(negate)
        o.last = 1
        return b.call(o.hook, o.next.next.count) + b.cast(o.small, i32)

    o, p = COuter(), COuter()
    o.count, o.inner.weight, o.next = 41, 1.25, ctypes.addressof(p)
    p.next, p.count = ctypes.addressof(o), 7
    o.lanes = (ctypes.c_float * 4)(1, 2, 3, 4)
    o.small = -300
    got = function(compiled([f]), "f", I, P, I)(ctypes.addressof(o), 0)
    assert got == -42 - 300
    assert (o.count, o.tag, o.inner.weight, o.last, p.small) == (42, 44, 2.5, 1, -5)
    assert (o.many[0].flag, o.many[1].codes[2], list(o.lanes)) == (9, 0, [2, 4, 6, 8])
    assert list(o.matrix) == [0, -1, *(float(i * i) for i in range(2, 16))]
    view = Outer.view(ctypes.addressof(o))
    view.count = 5
    assert o.count == 5


def test_wrong_fields() -> None:
    from pydri.jit.kernel import ModuleBuilder

    def emit(body: Any) -> None:
        ModuleBuilder("m", [Kernel(body, "f", void, (ptr(Outer), ptr(f32)))], 128).text()

    with pytest.raises(AttributeError, match="no field 'colour'; it has tag, count"):
        emit(lambda b, o, p: o.colour)
    with pytest.raises(AttributeError, match="no field 'colour'"):
        emit(lambda b, o, p: setattr(o, "colour", 1))
    with pytest.raises(AttributeError, match="points to no struct"):
        emit(lambda b, o, p: p.tag)
    with pytest.raises(TypeError, match="aggregate"):
        emit(lambda b, o, p: setattr(o, "matrix", 1))
    with pytest.raises(TypeError, match="wanted|cast"):
        emit(lambda b, o, p: setattr(o, "count", p[0]))
    with pytest.raises(TypeError, match="pointer type"):
        emit(lambda b, o, p: p.cast(f32))
    with pytest.raises(TypeError, match="belongs to pointers"):

        class Bad(Struct):
            load = u32


def test_structs_are_no_classes() -> None:
    """They are laid out when somebody asks; a field may have the name of what a struct has."""
    class Sized(Struct, align=16):  # fmt: skip
        size = u32
        align = f32[3]

    class More(Sized):
        fields = u8
        plain = u16

    made: Any = More  # which mypy takes for a class of pointers
    assert "fields" not in vars(made)
    assert made.plain is u16 and list(made.fields) == ["size", "align", "fields", "plain"]
    assert (Sized.size, Sized.align, made.size, made.align) == (16, 16, 20, 4)  # type: ignore[comparison-overlap]
    assert ctypes.sizeof(made.ctype()) == 20 and made.offset("plain") == 18
    assert not isinstance(made, type) and repr(made) == "More"
    with pytest.raises(AttributeError, match="struct More has no 'colour'"):
        made.colour  # noqa: B018


@pytest.mark.parametrize("ty", list(DTYPE), ids=repr)
def test_pointers_count_in_elements(ty: Any) -> None:
    @kernel(ret=void, args=(ptr(ty), i32))
    def f(b: Any, p: Any, n: Any) -> None:
        p[0] = (p + n)[0]
        (p + n - 1).store(p[n + 1])
        q = p.cast(ptr(void)) + n * ty.size
        q.cast(ptr(ty))[2] = (p + 7).load()
        p[b.cast(n, u8)] = (p + n + 1)[-1] + b.const(ty, 1)

    data = np.arange(10, 26).astype(DTYPE[ty])
    want = data.copy()
    n = 4
    want[0] = want[n]
    want[n - 1] = want[n + 1]
    want[n + 2] = want[7]
    want[n] = want[n] + 1
    function(compiled([f]), "f", None, P, I)(address(data), n)
    assert np.array_equal(data, want)


def test_pointer_comparison_and_null() -> None:
    @kernel(ret=i32, args=(ptr(u32), ptr(u32)))
    def f(b: Any, p: Any, q: Any) -> Any:
        same = b.cast(p == q, i32)
        null = b.cast(p == 0, i32)
        return same + 2 * null + 4 * b.cast(p + 1 == q, i32)

    g = function(compiled([f]), "f", I, P, P)
    assert [g(64, 64), g(0, 4), g(64, 68), g(64, 72)] == [1, 6, 4, 0]


def test_pointers_are_numbers() -> None:
    @kernel(ret=u64, args=(ptr(u32),))
    def f(b: Any, p: Any) -> Any:
        q = b.int_to_ptr(b.ptr_to_int(p) + 4, u32)
        return b.cast(q[0], u64) + b.cast(b.bytes_from(p, 8, u16)[1], u64)

    data = np.array([1, 20, 0x30000], np.uint32)
    assert function(compiled([f]), "f", ctypes.c_uint64, P)(address(data)) == 23


@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16, 32])
@pytest.mark.parametrize("ty", [u8, i32, f32, f64], ids=repr)
def test_vector_load_store_and_variables(ty: Any, lanes: int) -> None:
    @kernel(ret=void, args=(ptr(ty), ptr(ty)))
    def f(b: Any, out: Any, p: Any) -> None:
        v = b.var(ty.vec(lanes), 0)
        v.value = (p + 1).load(ty.vec(lanes))  # not aligned to the vector
        with b.If(b.all(v.value == v.value)):
            v.value = v.value + v.value
        (out + 1).store(v.value)

    source = np.arange(1, lanes + 3).astype(DTYPE[ty])
    out = np.zeros(lanes + 2, DTYPE[ty])
    function(compiled([f]), "f", None, P, P)(address(out), address(source))
    assert np.array_equal(out[1:-1], source[1:-1] * 2) and out[0] == 0 and out[-1] == 0


@pytest.fixture(scope="module", params=harness.EACH_WIDTH)
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


MASK = np.array([1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0], np.uint8)
INDEX = np.array([3, 99, 0, 7, 98, 97, 96, 31, 95, 5, 94, 93, 20, 3, 30, 92], np.int32)


@pytest.mark.parametrize("ty", [u32, f32, f64, u16, u8, u64], ids=repr)
def test_gather_and_scatter(width: int, ty: Any) -> None:
    @kernel(ret=void, args=(ptr(ty), ptr(ty), ptr(i32), ptr(u8), ptr(ty)))
    def f(b: Any, out: Any, data: Any, index: Any, mask: Any, target: Any) -> None:
        where = index.load(i32.vec(LANES))
        on = mask.load(u8.vec(LANES)) != 0
        v = b.gather(data, where, on)
        out.store(v)
        b.scatter(target, where, v + b.const(ty.vec(LANES), 1), on)

    data = np.arange(100, 132).astype(DTYPE[ty])
    out, target = np.full(16, 77, DTYPE[ty]), np.zeros(32, DTYPE[ty])
    function(compiled([f], width), "f", None, P, P, P, P, P)(
        *map(address, (out, data, INDEX, MASK, target))
    )
    on = MASK != 0
    want = np.zeros(16, DTYPE[ty])
    want[on] = data[INDEX[on]]
    assert np.array_equal(out, want)
    expected = np.zeros(32, DTYPE[ty])
    expected[INDEX[on]] = want[on] + 1
    assert np.array_equal(target, expected)


def test_gather_without_mask_and_with_strides(width: int) -> None:
    k = lane_kernel(
        "near", lambda b, i: b.gather(b.table(u32, list(range(50, 82))), i & 31), [i32], u32
    )
    i = np.arange(-16, 16, dtype=np.int32)
    assert np.array_equal(
        call_lanes(compiled([k], width), "near", u32, i), 50 + (i & 31).astype(np.uint32)
    )

    @kernel(ret=void, args=(ptr(f32), ptr(u8)))
    def strided(b: Any, out: Any, base: Any) -> None:
        where = b.iota(i32.vec(LANES))
        out.store(b.gather(base.cast(ptr(f32)), where, scale=12))
        (out + 16).store(b.gather(base.cast(ptr(f32)), where * 12, scale=1))

    data = np.arange(48, dtype=np.float32)
    out = np.zeros(32, np.float32)
    function(compiled([strided], width), "strided", None, P, P)(address(out), address(data))
    assert np.array_equal(out, np.tile(np.arange(0, 48, 3), 2))


def test_masked_memory_touches_only_its_lanes(width: int) -> None:
    """The other lanes lie on a page that may not be touched."""
    page = mmap.PAGESIZE
    area = mmap.mmap(-1, 2 * page)
    base = ctypes.addressof(ctypes.c_char.from_buffer(area))
    ctypes.CDLL(None).mprotect(P(base + page), ctypes.c_size_t(page), 0)
    at = base + page - 5 * 4

    @kernel(ret=void, args=(ptr(f32), ptr(f32)))
    def f(b: Any, p: Any, out: Any) -> None:
        mask = b.iota(i32.vec(LANES)) < 5
        v = b.masked_load(p, mask, f32.vec(LANES), -1.0)
        out.store(v)
        b.masked_store(p, v * 2.0, mask)
        (out + 16).store(b.masked_load(p, mask & (b.iota(i32.vec(LANES)) != 1), f32.vec(LANES)))

    data = (ctypes.c_float * 5).from_address(at)
    data[:] = [1, 2, 3, 4, 5]
    out = np.zeros(32, np.float32)
    function(compiled([f], width), "f", None, P, P)(at, address(out))
    assert list(out[:16]) == [1, 2, 3, 4, 5] + [-1] * 11
    assert list(data) == [2, 4, 6, 8, 10]
    assert list(out[16:]) == [2, 0, 6, 8, 10] + [0] * 11


@pytest.mark.parametrize("lanes", [2, 4, 8, 16, 32, 64])
def test_masks_as_bits(width: int, lanes: int) -> None:
    bits_type = {8: u8, 16: u16, 32: u32, 64: u64}.get(lanes)

    @kernel(ret=void, args=(ptr(u64), ptr(u8), ptr(u8)))
    def f(b: Any, out: Any, p: Any, back: Any) -> None:
        mask = p.load(u8.vec(lanes)) != 0
        bits = b.bitmask(mask)
        if bits_type is not None:
            assert bits.ty is bits_type
            back.store(b.cast(b.mask_of(bits ^ b.const(bits_type, 1)), u8))
        out[0] = b.cast(bits, u64)
        out[1] = b.cast(b.any(mask), u64)
        out[2] = b.cast(b.all(mask), u64)

    g = function(compiled([f], width), "f", None, P, P, P)
    rng = np.random.default_rng(lanes)
    for values in (np.zeros(lanes), np.ones(lanes), *(rng.integers(0, 2, lanes) for _ in range(4))):
        data = values.astype(np.uint8)
        out, back = np.zeros(3, np.uint64), np.zeros(lanes, np.uint8)
        g(address(out), address(data), address(back))
        assert int(out[0]) == sum(int(v) << i for i, v in enumerate(data))
        assert (bool(out[1]), bool(out[2])) == (bool(data.any()), bool(data.all()))
        if bits_type is not None:
            assert list(back) == [data[0] ^ 1, *data[1:]]


def test_shuffles(width: int) -> None:
    def emit(b: Any, x: Any, y: Any) -> Any:
        swapped = b.shuffle(x, None, [n ^ 1 for n in range(16)])
        mixed = b.shuffle(swapped, y, [n if n % 3 else 31 - n for n in range(16)])
        low = b.shuffle(mixed, None, [3, 2, 1, 0])
        return b.shuffle(low, None, [n % 4 for n in range(16)])

    x, y = np.arange(16, dtype=np.int32), np.arange(100, 116, dtype=np.int32)
    both = np.concatenate([x[[n ^ 1 for n in range(16)]], y])
    mixed = both[[n if n % 3 else 31 - n for n in range(16)]]
    image = compiled([lane_kernel("s", emit, [i32, i32], i32)], width)
    assert np.array_equal(call_lanes(image, "s", i32, x, y), np.resize(mixed[[3, 2, 1, 0]], 16))


def test_single_lanes(width: int) -> None:
    def emit(b: Any, x: Any) -> Any:
        last = x[15]
        x = x.insert(0, last).insert(b.bitcast(x, i32)[2], 5.0)  # lane number known at run time
        return x.insert(1, x[b.bitcast(x, i32)[3]])

    x = np.zeros(16, np.float32)
    x.view(np.int32)[2], x.view(np.int32)[3] = 7, 9
    x[9], x[15] = 42, 15
    want = x.copy()
    want[0], want[7], want[1] = 15, 5, 42
    image = compiled([lane_kernel("l", emit, [f32], f32)], width)
    assert np.array_equal(call_lanes(image, "l", f32, x), want)


def test_vectors_of_scalars_and_splat(width: int) -> None:
    @kernel(ret=void, args=(ptr(f32), f32))
    def f(b: Any, out: Any, x: Any) -> None:
        out.store(b.vector([x, 2.0, x * 2.0, -1]) + b.splat(x, 4) * 10.0 + x)

    out = np.zeros(4, np.float32)
    function(compiled([f], width), "f", None, P, ctypes.c_float)(address(out), 3)
    assert list(out) == [36, 35, 39, 32]


@pytest.mark.parametrize("ty", [i8, u8, i32, u32, i64], ids=repr)
def test_reductions(width: int, ty: Any) -> None:
    names = ["add", "and", "or", "xor", "min", "max"]

    @kernel(ret=void, args=(ptr(ty), ptr(ty)))
    def f(b: Any, out: Any, p: Any) -> None:
        for n, name in enumerate(names):
            out[n] = b.reduce(name, p.load(ty.vec(16)))

    data = np.random.default_rng(3).integers(
        np.iinfo(DTYPE[ty]).min, np.iinfo(DTYPE[ty]).max, 16, DTYPE[ty]
    )
    out = np.zeros(6, DTYPE[ty])
    function(compiled([f], width), "f", None, P, P)(address(out), address(data))
    want = [np.add.reduce(data, dtype=DTYPE[ty])]
    want += [np.bitwise_and.reduce(data), np.bitwise_or.reduce(data), np.bitwise_xor.reduce(data)]
    assert list(out) == [*want, data.min(), data.max()]


def test_select_by_vector_of_scalars(width: int) -> None:
    def emit(b: Any, x: Any) -> Any:
        small = b.select(x < 0, b.const(i32, 5), b.const(i32, 6))  # scalars spread over the lanes
        return b.select((x & 1) == 0, small, x * 2)

    x = np.arange(-8, 8, dtype=np.int32)
    want = np.where(x % 2 == 0, np.where(x < 0, 5, 6), 2 * x)
    assert np.array_equal(
        call_lanes(compiled([lane_kernel("s", emit, [i32], i32)], width), "s", i32, x), want
    )


def test_boolean_vectors_in_variables(width: int) -> None:
    @kernel(ret=i32, args=(ptr(i32), i32))
    def f(b: Any, p: Any, rounds: Any) -> Any:
        alive = b.var(boolean.vec(16), True)
        steps = b.var(i32, 0)
        with b.While(lambda: b.any(alive.value) & (steps.value < rounds)):
            steps.value = steps.value + 1
            alive.value = alive.value & (p.load(i32.vec(16)) > steps.value)
        return steps.value

    data = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], np.int32)
    g = function(compiled([f], width), "f", I, P, I)
    assert g(address(data), 100) == 9 and g(address(data), 4) == 4


def test_memory_blocks() -> None:
    @kernel(ret=void, args=(ptr(u8), i32))
    def f(b: Any, p: Any, n: Any) -> None:
        b.memset(p, 7, n)
        b.memset(p + 1, b.cast(n, u8), 2)
        b.memcpy(p + 20, p, n)
        b.memmove(p + 1, p, 10)
        local = b.array(u8, 32)
        b.memcpy(local, p, 32)
        p[31] = local[21]

    data = np.zeros(32, np.uint8)
    function(compiled([f]), "f", None, P, I)(address(data), 10)
    first = [7, 10, 10] + [7] * 7
    assert list(data) == [7, *first, *[0] * 9, *first, 0, 10]


def test_local_structs_and_tables() -> None:
    @kernel(ret=f32, args=(i32,))
    def f(b: Any, k: Any) -> Any:
        local = b.array(Inner, 3)
        local[2].weight = 1.5
        local[k].flag = 4
        numbers = b.table(f32, [0.5, 1.5, 2.5])
        return numbers[k] + b.cast(local[2].weight, f32) + b.cast(local[k].flag, f32)

    g = function(compiled([f]), "f", ctypes.c_float, I)
    assert [g(0), g(1), g(2)] == [6, 7, 8]


@pytest.mark.parametrize("ty", [u32, u64, i32, u8, u16], ids=repr)
def test_atomics_return_the_old_value(ty: Any) -> None:
    @kernel(ret=void, args=(ptr(ty), ptr(ty)))
    def f(b: Any, p: Any, out: Any) -> None:
        out[0] = b.atomic_add(p, 5)
        out[1] = b.atomic("or", p, 64)
        out[2] = b.atomic_xchg(p, 9)
        out[3] = b.cmpxchg(p, 8, 1)
        out[4] = b.cmpxchg(p, 9, 2)
        out[5] = b.load_atomic(p)
        b.store_atomic(p, 33)

    p, out = np.array([10, 0], DTYPE[ty]), np.zeros(6, DTYPE[ty])
    function(compiled([f]), "f", None, P, P)(address(p), address(out))
    assert list(out) == [10, 15, 79, 9, 9, 2] and list(p) == [33, 0]


def test_atomics_between_threads() -> None:
    @kernel(ret=void, args=(ptr(u64), i32))
    def f(b: Any, p: Any, n: Any) -> None:
        with b.For(0, n):
            b.atomic_add(p, 1)
            with b.Loop():  # a spin lock around a plain increment
                with b.If(b.cmpxchg(p + 1, 0, 1) == 0):
                    b.Break()
                b.pause()
            p[2] = p[2] + 1
            b.store_atomic(p + 1, 0)

    g = function(compiled([f]), "f", None, P, I)
    data = np.zeros(3, np.uint64)
    threads = [threading.Thread(target=g, args=(address(data), 20000)) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert list(data) == [60000, 0, 60000]


def test_byte_order_and_prefetch() -> None:
    @kernel(ret=u32, args=(ptr(u32),))
    def f(b: Any, p: Any) -> Any:
        b.prefetch(p)
        return b.bswap(p[0])

    data = np.array([0x11223344], np.uint32)
    assert function(compiled([f]), "f", ctypes.c_uint32, P)(address(data)) == 0x44332211


def test_half_floats_in_memory(width: int) -> None:
    class Texel(Struct):
        a = u8
        h = f16

    @kernel(ret=f32, args=(ptr(f16), ptr(f32)))
    def f(b: Any, p: Any, out: Any) -> Any:
        out.store(b.cast(p.load(f16.vec(16)), f32) * 2.0)
        p.store(b.cast(out.load(f32.vec(16)), f16))
        return b.cast(p[3], f32)

    assert Texel.offset("h") == 2
    data = np.linspace(-3, 3, 16).astype(np.float16)
    want = data.astype(np.float32) * 2
    out = np.zeros(16, np.float32)
    got = function(compiled([f], width), "f", ctypes.c_float, P, P)(address(data), address(out))
    assert (
        np.array_equal(out, want)
        and np.array_equal(data.astype(np.float32), want)
        and got == want[3]
    )


def test_comparison_table_of_python_operators() -> None:
    """A reflected operator (number on the left) means the same as the plain one."""
    for op in (
        operator.add,
        operator.sub,
        operator.mul,
        operator.floordiv,
        operator.mod,
        operator.and_,
        operator.or_,
        operator.xor,
        operator.lshift,
        operator.rshift,
        operator.lt,
        operator.ge,
    ):
        k = lane_kernel("r", lambda b, x, op=op: b.cast(op(100, x), i32), [i32], i32)
        x = np.arange(1, 17, dtype=np.int32)
        got = call_lanes(compiled([k]), "r", i32, x)
        assert np.array_equal(got, op(np.int32(100), x).astype(np.int32)), op


class _Deep(Struct):
    a = u8
    c = u16[3]


class _Middle(Struct, align=16):
    first = u8
    deep = _Deep
    rows = _Deep[2][3]
    last = u64


def test_structs_in_a_view() -> None:
    """They are bytes until they are asked for; then fields as others: of their place, to be read
    and written, and they keep the memory that they are in."""
    view = _Middle.ctype()
    assert ctypes.sizeof(view) == _Middle.size
    assert [name for name, _ in view._fields_ if name[0] != "_"] == ["first", "last"]
    one, two = view(), view()
    one.deep.c[1] = 0x1234
    one.rows[2][1].a = 7
    two.deep = one.deep
    two.last = 1
    data = bytes(one)
    assert data[_Middle.offset("deep.c") + 2 :][:2] == b"\x34\x12"
    assert data[_Middle.offset("rows[2]") + _Deep.size + _Deep.offset("a")] == 7
    assert (two.deep.c[1], two.deep.a, two.rows[2][1].a) == (0x1234, 0, 0)
    assert (two.last, two.first) == (1, 0)
    again = _Middle.view(ctypes.addressof(one))
    again.deep.a = 9
    kept = one.deep
    del one, again
    gc.collect()
    assert kept.a == 9 and list(kept.c) == [0, 0x1234, 0]
