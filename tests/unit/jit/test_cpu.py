# SPDX-License-Identifier: MIT
"""Which CPU we believe to be on, and what LLVM may use at each vector width."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from pydri.jit import cpu, elf, image
from pydri.util.options import options

RECORD = """processor\t: {n}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Some Xeon
stepping\t: 7
cpu MHz\t\t: {mhz}
flags\t\t: {flags}

"""
X512 = "fpu sse2 avx avx2 fma f16c avx512f avx512dq avx512bw avx512vl"


def record(flags: str, n: int = 0, mhz: str = "2000.1") -> str:
    return RECORD.format(n=n, mhz=mhz, flags=flags)


@pytest.mark.parametrize(
    ("flags", "width"),
    [
        (X512, 512),
        (X512.replace(" avx512vl", ""), 256),
        ("fpu sse2 avx avx2 fma f16c", 256),
        ("fpu sse2 avx avx2", 128),
        ("sse2 avx", 128),
        ("sse2", 128),
    ],
)
def test_best_width(flags: str, width: int) -> None:
    assert cpu.parse_cpuinfo(record(flags)).best_width == width


def test_identity_is_stable_and_tells_cpus_apart() -> None:
    here = cpu.parse_cpuinfo(record("sse2 avx") + record("other", 1))
    assert here.identity == cpu.parse_cpuinfo(record("avx sse2", mhz="3999.0")).identity
    assert here.identity != cpu.parse_cpuinfo(record("sse2 avx avx2")).identity
    assert here.flags == {"sse2", "avx"}


def test_without_proc_we_take_plain_x86(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cpu.parse_cpuinfo("") == cpu.Cpu("baseline", frozenset())
    assert cpu._read_first_record("/nowhere/cpuinfo") == ""
    monkeypatch.setattr(cpu, "_host", cpu.parse_cpuinfo(""))
    assert cpu.native_vector_width() == 128
    assert cpu.target_options() == ("x86-64", "")


def test_width_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "_host", cpu.parse_cpuinfo(record(X512)))
    for text, width in (("128", 128), ("256", 256), ("512", 512), ("0", 512), ("64", 512)):
        with options(LP_NATIVE_VECTOR_WIDTH=text):
            assert cpu.native_vector_width() == width
    monkeypatch.setattr(cpu, "_host", cpu.parse_cpuinfo(record("avx avx2 fma f16c")))
    with options(LP_NATIVE_VECTOR_WIDTH="512"):
        assert cpu.native_vector_width() == 256


def on(features: str) -> set[str]:
    return {word[1:] for word in features.split(",") if word[0] == "+"}


def test_features_by_width() -> None:
    names = "sse2 sse4.1 avx avx2 fma f16c vaes gfni avxvnni avx10.1 evex512 avx512f avx512fp16"
    have = dict.fromkeys(names.split(), True) | {"xop": False}
    assert on(cpu.feature_string(have, 512)) == set(names.split())
    assert on(cpu.feature_string(have, 256)) == {
        *("sse2", "sse4.1", "avx", "avx2", "fma", "f16c", "vaes", "gfni", "avxvnni"),
        "prefer-256-bit",
    }
    assert on(cpu.feature_string(have, 128)) == {"sse2", "sse4.1", "gfni"}
    with pytest.raises(ValueError, match="1024"):
        cpu.target_options(1024)


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
    best = cpu.host().best_width
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
