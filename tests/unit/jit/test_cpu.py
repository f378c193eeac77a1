# SPDX-License-Identifier: MIT
"""Which CPU we believe to be on, and what LLVM may use at each vector width."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest

from pydri.jit import cpu, elf, image
from pydri.util.options import TABLE, Choice, options

RECORD = """processor\t: {n}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Some Xeon
stepping\t: 7
cpu MHz\t\t: {mhz}
flags\t\t: {flags}

"""
V2 = "fpu sse2 cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
V3 = f"{V2} abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"
V4 = f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl"


def record(flags: str, n: int = 0, mhz: str = "2000.1") -> str:
    return RECORD.format(n=n, mhz=mhz, flags=flags)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes this another machine, by its flags."""

    def become(flags: str) -> None:
        monkeypatch.setattr(cpu, "_host", cpu.parse_cpuinfo(record(flags)))
        monkeypatch.setattr(cpu, "_process", None)

    return become


@pytest.mark.parametrize(
    ("flags", "name", "width"),
    [
        (V4, "x86-64-v4", 512),
        (V4.replace(" avx512vl", ""), "x86-64-v3", 256),
        (V3, "x86-64-v3", 256),
        (V3.replace(" f16c", ""), "x86-64-v2", 128),
        (V4.replace(" ssse3", ""), "x86-64", 128),
        ("sse2 avx avx2", "x86-64", 128),
    ],
)
def test_levels(host: Callable[[str], None], flags: str, name: str, width: int) -> None:
    host(flags)
    assert cpu.host().level.name == name and cpu.native_vector_width() == width
    assert cpu.cpu_id() == name.encode() and cpu.target_options()[0] == name


def test_machines_of_one_level_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Model, stepping and what else a CPU has count neither for names nor for code."""
    seen = set()
    other = record(f"gfni avx512vbmi sse4a {V4}").replace("Some Xeon", "Some EPYC")
    for text in (record(V4), other.replace("GenuineIntel", "AuthenticAMD")):
        monkeypatch.setattr(cpu, "_host", cpu.parse_cpuinfo(text))
        monkeypatch.setattr(cpu, "_process", None)
        seen.add((cpu.cpu_id(), cpu.target_options(), cpu.target_options(256)))
    assert len(seen) == 1
    assert cpu.parse_cpuinfo(record("a") + record("b", 1)).flags == {"a"}


def test_without_proc_we_take_plain_x86(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cpu.parse_cpuinfo("") == cpu.Cpu("unknown", frozenset())
    assert cpu._read_first_record("/nowhere/cpuinfo") == ""
    monkeypatch.setattr(cpu, "_host", cpu.parse_cpuinfo(""))
    monkeypatch.setattr(cpu, "_process", None)
    assert cpu.native_vector_width() == 128
    assert cpu.target_options() == ("x86-64", "")


def test_width_option(host: Callable[[str], None]) -> None:
    host(V4)
    rows = [("128", 128, "v2"), ("256", 256, "v3"), ("512", 512, "v4"), ("0", 512, "v4")]
    for text, width, level in rows:
        with options(LP_NATIVE_VECTOR_WIDTH=text):
            assert cpu.native_vector_width() == width
            assert cpu.level().name == f"x86-64-{level}"
    host(V3)
    with options(LP_NATIVE_VECTOR_WIDTH="512"):
        assert cpu.native_vector_width() == 256
    with pytest.raises(ValueError, match="1024"):
        cpu.target_options(1024)


@pytest.mark.parametrize(
    ("flags", "wanted", "name", "width"),
    [
        (V4, "x86-64-v3", "x86-64-v3", 256),
        (V4, "x86-64", "x86-64", 128),
        (V4, "", "x86-64-v4", 512),
        (V3, "x86-64-v4", "x86-64-v3", 256),  # no machine has more than it has
        (V3, "x86-64-v5", "x86-64-v3", 256),
    ],
)
def test_a_level_that_is_asked_for(
    host: Callable[[str], None], flags: str, wanted: str, name: str, width: int
) -> None:
    host(flags)
    with options(PYDRI_CPU=wanted):
        assert cpu.native_vector_width() == width
        assert cpu.cpu_id() == name.encode() and cpu.target_options()[0] == name


def test_the_option_knows_every_level() -> None:
    row = TABLE["PYDRI_CPU"]
    assert isinstance(row, Choice) and row.words == tuple(level.name for level in cpu.LEVELS)


def test_a_level_that_was_built_for(host: Callable[[str], None]) -> None:
    """Who asks for a width gets it nevertheless."""
    host(V4)
    cpu.work_on(cpu.LEVELS[2])
    assert (cpu.native_vector_width(), cpu.cpu_id()) == (256, b"x86-64-v3")
    with options(LP_NATIVE_VECTOR_WIDTH="512"):
        assert (cpu.native_vector_width(), cpu.cpu_id()) == (512, b"x86-64-v4")
    cpu.work_on(cpu.LEVELS[0])
    assert cpu.cpu_id() == b"x86-64"


PROGRAM = """
define void @f(ptr %out, ptr %in) {
 %a = load <16 x float>, ptr %in, align 4
 %p = getelementptr <16 x float>, ptr %in, i64 1
 %b = load <16 x float>, ptr %p, align 4
 %m = fmul <16 x float> %a, %b
 %s = fadd <16 x float> %m, %a
 %n = fmul <16 x float> %s, %s
 %d = fsub <16 x float> %n, %b
 %q = fdiv <16 x float> %d, %a
 %r = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %q)
 store <16 x float> %r, ptr %out, align 4
 ret void
}
declare <16 x float> @llvm.sqrt.v16f32(<16 x float>)
"""


def test_widths_use_their_registers_and_agree_to_the_bit() -> None:
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(PROGRAM)
    numbers = [1.1 + 0.37 * n for n in range(16)] + [2.3 - 0.19 * n for n in range(16)]
    source = (ctypes.c_float * 32)(*numbers)
    results = {}
    best = cpu.host().level.width
    for width in [w for w in cpu.WIDTHS if w <= best]:
        name, features = cpu.target_options(width)
        target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
        machine = target.create_target_machine(
            cpu=name, features=features, opt=2, reloc="pic", codemodel="small"
        )
        text = machine.emit_assembly(module)
        assert ("%zmm" in text) == (width == 512)
        assert ("%ymm" in text) == (width == 256)
        for forbidden in ("fmadd", "fmsub", "rcp", "rsqrt"):
            assert forbidden not in text
        img = image.load(elf.link(machine.emit_object(module)))
        out = (ctypes.c_float * 16)()
        f = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(img.address("f"))
        f(ctypes.addressof(out), ctypes.addressof(source))
        results[width] = bytes(out)
    assert len(set(results.values())) == 1


def test_the_host_is_read_from_its_first_record() -> None:
    whole = Path("/proc/cpuinfo").read_text()
    assert cpu.host().flags == cpu.parse_cpuinfo(whole).flags
    assert cpu.host().flags
