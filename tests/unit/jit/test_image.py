# SPDX-License-Identifier: MIT
"""The linker and loader of kernels: every kind of reference LLVM makes, and what damage does."""

from __future__ import annotations

import ctypes
import math
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

llvm = pytest.importorskip("llvmlite.binding")

from pydri.jit import cpu, elf, image  # noqa: E402

I32, F32, PTR = ctypes.c_int, ctypes.c_float, ctypes.c_void_p

PROGRAM = r"""
target triple = "x86_64-unknown-linux-gnu"
declare float @sinf(float)
declare i32 @toupper(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@functions = internal constant [3 x ptr] [ptr @plus_one, ptr @triple, ptr @toupper]
@middle = constant ptr getelementptr ([6 x i8], ptr @text, i32 0, i32 2)
@elsewhere = external global i32
@counter = global i32 5
@zeros = internal global [3000 x i32] zeroinitializer
@text = internal unnamed_addr constant [6 x i8] c"hello\00"
@lanes = internal constant <4 x i32> <i32 10, i32 20, i32 30, i32 40>, align 64

define i32 @plus_one(i32 %x) { %r = add i32 %x, 1
 ret i32 %r }
define internal i32 @triple(i32 %x) noinline { %r = mul i32 %x, 3
 ret i32 %r }
define ptr @address_of_plus_one() { ret ptr @plus_one }
define ptr @text_address() { ret ptr @text }
define ptr @middle_address() { %r = load ptr, ptr @middle
 ret ptr %r }
define i32 @read_elsewhere() { %v = load i32, ptr @elsewhere
 ret i32 %v }
define ptr @c_function() { ret ptr @toupper }
define i32 @by_table(i32 %i, i32 %x) {
 %p = getelementptr [3 x ptr], ptr @functions, i32 0, i32 %i
 %f = load ptr, ptr %p
 %r = call i32 %f(i32 %x)
 ret i32 %r }
define i32 @count() {
 %v = load i32, ptr @counter
 %w = add i32 %v, 1
 store i32 %w, ptr @counter
 ret i32 %w }
define i32 @count_in_bss(i32 %i) {
 %p = getelementptr [3000 x i32], ptr @zeros, i32 0, i32 %i
 %v = load i32, ptr %p
 %w = add i32 %v, 1
 store i32 %w, ptr %p
 ret i32 %w }
define float @sine(float %x) { %r = call float @sinf(float %x)
 %q = fmul float %r, 3.25
 ret float %q }
define void @copy(ptr %a, ptr %b, i64 %n) noinline {
 call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 0)
 ret void }
define i32 @factorial(i32 %n) noinline {
 %last = icmp sle i32 %n, 1
 br i1 %last, label %one, label %more
one: ret i32 1
more:
 %m = sub i32 %n, 1
 %f = call i32 @factorial(i32 %m)
 %r = mul i32 %n, %f
 ret i32 %r }
define i32 @jump(i32 %x, ptr %p) {
 switch i32 %x, label %d [ i32 0, label %c0 i32 1, label %c1 i32 2, label %c2 i32 3, label %c3
                           i32 4, label %c4 i32 5, label %c5 ]
c0: store i32 17, ptr %p
 ret i32 8
c1: call void @copy(ptr %p, ptr @text, i64 3)
 ret i32 4
c2: ret i32 99
c3: store float 3.0, ptr %p
 ret i32 5
c4: store i32 9, ptr %p
 ret i32 15
c5: call void @copy(ptr %p, ptr @text, i64 5)
 ret i32 25
d: ret i32 0
}
define void @add_lanes(ptr %p) {
 %v = load <4 x i32>, ptr %p, align 4
 %l = load volatile <4 x i32>, ptr @lanes, align 64
 %w = add <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>
 %x = add <4 x i32> %w, %l
 store <4 x i32> %x, ptr %p, align 4
 ret void }
"""


def make_object(ir: str, reloc: str = "pic", codemodel: str = "small", optimise: int = 2) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(ir)
    module.verify()
    name, features = cpu.target_options()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(
        cpu=name, features=features, opt=optimise, reloc=reloc, codemodel=codemodel
    )
    return bytes(machine.emit_object(module))


def function(img: image.Image, name: str, result: Any, *args: Any) -> Callable[..., Any]:
    return ctypes.CFUNCTYPE(result, *args)(img.address(name))


ELSEWHERE = ctypes.c_int(77)


@pytest.fixture(scope="module", params=[0, 2], ids=["O0", "O2"])
def blob(request: pytest.FixtureRequest) -> bytes:
    return elf.link(make_object(PROGRAM, optimise=request.param))


@pytest.fixture(scope="module")
def img(blob: bytes) -> image.Image:
    image.register_extern("elsewhere", ctypes.addressof(ELSEWHERE))
    return image.load(blob, "program")


def test_calls_and_recursion(img: image.Image) -> None:
    assert function(img, "plus_one", I32, I32)(4) == 5
    assert function(img, "factorial", I32, I32)(10) == math.factorial(10)


def test_function_tables_hold_own_and_foreign_functions(img: image.Image) -> None:
    call = function(img, "by_table", I32, I32, I32)
    assert [call(i, ord("a")) for i in range(3)] == [ord("b"), 3 * ord("a"), ord("A")]


def test_addresses_of_functions(img: image.Image) -> None:
    assert function(img, "address_of_plus_one", PTR)() == img.address("plus_one")
    toupper = ctypes.cast(ctypes.CDLL(None).toupper, PTR).value
    assert function(img, "c_function", PTR)() == toupper


def test_constants_and_addresses_inside_them(img: image.Image) -> None:
    assert ctypes.string_at(function(img, "text_address", PTR)()) == b"hello"
    assert ctypes.string_at(function(img, "middle_address", PTR)()) == b"llo"


def test_c_functions(img: image.Image) -> None:
    assert function(img, "sine", F32, F32)(1.0) == pytest.approx(3.25 * math.sin(1.0), rel=1e-6)
    out = ctypes.create_string_buffer(8)
    function(img, "copy", None, PTR, PTR, ctypes.c_long)(out, b"abcdef", 4)
    assert out.raw == b"abcd\0\0\0\0"


def test_registered_extern_is_read(img: image.Image) -> None:
    read = function(img, "read_elsewhere", I32)
    ELSEWHERE.value = 1234
    assert read() == 1234


def test_jump_table(img: image.Image) -> None:
    jump = function(img, "jump", I32, I32, PTR)
    out = ctypes.create_string_buffer(16)
    assert [jump(i, out) for i in range(7)] == [8, 4, 99, 5, 15, 25, 0]
    assert out.raw[:5] == b"hello"


def test_vector_constants(img: image.Image) -> None:
    numbers = (ctypes.c_int * 4)(100, 200, 300, 400)
    function(img, "add_lanes", None, PTR)(numbers)
    assert list(numbers) == [111, 222, 333, 444]


def test_variables_are_per_image(blob: bytes) -> None:
    a, b = image.load(blob), image.load(blob)
    assert [function(a, "count", I32)() for _ in range(3)] == [6, 7, 8]
    assert function(b, "count", I32)() == 6
    assert I32.from_address(a.address("counter")).value == 8
    last = function(a, "count_in_bss", I32, I32)
    assert [last(2999), last(2999), last(0)] == [1, 2, 1]


def test_no_page_is_writable_and_executable(img: image.Image) -> None:
    seen = set()
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        start, end = (int(x, 16) for x in span.split("-"))
        if start < img.base + img.size and end > img.base:
            seen.add(rights)
            assert not ("w" in rights and "x" in rights)
    assert seen == {"r-xp", "r--p", "rw-p"}


def test_symbols_have_sizes_and_unknown_ones_are_named(img: image.Image) -> None:
    sizes = dict(zip(img.symbols, img.sizes, strict=True))
    assert sizes["plus_one"] > 0 and "triple" in sizes and "text" not in sizes
    with pytest.raises(image.ImageError, match="no symbol 'nonsense'.*plus_one"):
        img.address("nonsense")


def test_missing_extern_is_named() -> None:
    made = elf.link(
        make_object(
            "declare void @no_such_thing()\ndefine void @f() {\n"
            "call void @no_such_thing()\nret void }"
        )
    )
    with pytest.raises(image.ImageError, match="no_such_thing"):
        image.load(made)


@pytest.mark.parametrize(
    ("ir", "message"),
    [
        ("@t = thread_local global i32 3\ndefine ptr @f() { ret ptr @t }", "thread-local|its kind"),
        (
            "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] "
            "[{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]\ndefine void @f() { ret void }",
            "constructors",
        ),
        ("@big = global [4 x i8] zeroinitializer, align 65536", "alignment"),
        ("@c = common global i32 0\ndefine ptr @f() { ret ptr @c }", "kind"),
    ],
)
def test_what_kernels_cannot_have(ir: str, message: str) -> None:
    with pytest.raises(image.ImageError, match=message):
        elf.link(make_object(ir))


def test_position_dependent_code_is_refused() -> None:
    ir = """@t = internal constant [2 x i32] [i32 1, i32 2]
        define i32 @f(i64 %i) { %p = getelementptr [2 x i32], ptr @t, i64 0, i64 %i
        %v = load i32, ptr %p
        ret i32 %v }"""
    with pytest.raises(image.ImageError, match="R_X86_64_32S? is not possible"):
        elf.link(make_object(ir, reloc="static"))


def test_no_elf_is_refused() -> None:
    for junk in (b"", b"\x7fELF", b"x" * 500, b"\x7fELF\x01\x01" + bytes(200)):
        with pytest.raises(image.ImageError):
            elf.link(junk)


def test_damaged_object_never_crashes_the_linker() -> None:
    obj = bytearray(make_object("define i32 @f(i32 %x) { ret i32 %x }"))
    for at in range(len(obj)):
        obj[at] ^= 0xFF
        try:
            made = elf.link(bytes(obj))
        except image.ImageError:
            pass
        else:
            image.read_header(made)  # whatever came out is at least well formed
        obj[at] ^= 0xFF


SMALL = """declare float @sinf(float)
define float @f(float %x) { %r = call float @sinf(float %x)
ret float %r }"""


def test_every_damaged_byte_is_noticed() -> None:
    good = elf.link(make_object(SMALL))
    bad = bytearray(good)
    # the padding between the parts is zeros, all alike: each 37th of it is enough
    interesting = [i for i in range(len(good)) if good[i] or i < image.HEADER_SIZE or i % 37 == 0]
    for at in interesting:
        for flip in (0x01, 0xFF):
            bad[at] ^= flip
            with pytest.raises(image.ImageError):
                image.load(bytes(bad))
            bad[at] ^= flip
    assert bytes(bad) == good
    image.load(good)


def test_truncated_or_longer_files_are_noticed() -> None:
    good = elf.link(make_object(SMALL))
    for length in [*range(200), *range(200, len(good), 61), len(good) - 1]:
        with pytest.raises(image.ImageError):
            image.load(good[:length])
    with pytest.raises(image.ImageError):
        image.load(good + b"\0")


def test_wrong_offsets_behind_a_right_checksum() -> None:
    good = elf.link(make_object(SMALL))
    size = image.HEADER.size
    refused = 0
    for field in range(2, 15):
        for value in (0xFFFFFFFF, 0x7FFFF000, 0x40000000, len(good) + 4096, 1):
            header = list(image.HEADER.unpack_from(good))
            if header[field] == value:
                continue
            header[field] = value
            bad = bytearray(image.HEADER.pack(*header) + good[size:])
            checksum = zlib.crc32(bytes(bad[image.CHECKED_FROM :]))
            struct.pack_into("<I", bad, image.CHECKSUM_AT, checksum)
            try:
                loaded = image.load(bytes(bad))
            except image.ImageError:
                refused += 1
            else:  # such as more zeros behind the variables: harmless
                assert all(0 <= a - loaded.base < loaded.size for a in loaded.symbols.values())
    assert refused > 40


def test_perf_map(img: image.Image, tmp_path: Path) -> None:
    image.write_perf_map(img, img.base + img.size, str(tmp_path))
    image.write_perf_map(img, img.base + img.size, str(tmp_path))
    lines = (tmp_path / f"perf-{os.getpid()}.map").read_text().splitlines()
    assert len(lines) == 2 * len(img.symbols)
    assert f"{img.address('plus_one'):x}" in {line.split()[0] for line in lines}


def test_perf_map_follows_no_link(img: image.Image, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / f"perf-{os.getpid()}.map").symlink_to(victim)
    image.write_perf_map(img, img.base + img.size, str(tmp_path))
    assert victim.read_text() == "mine"


def test_loading_needs_no_llvm(blob: bytes, tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(blob)
    script = (
        "import sys, ctypes\n"
        "from pydri.jit import image\n"
        "image.register_extern('elsewhere', 4096)\n"
        f"img = image.load(open({str(tmp_path / 'blob')!r}, 'rb').read())\n"
        "f = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(img.address('factorial'))\n"
        "assert f(5) == 120\n"
        "heavy = {'llvmlite', 'numpy', 'hashlib', 'pydri.jit.elf'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root, timeout=60)
