# SPDX-License-Identifier: MIT
"""From a module to an image: the cache in between, the debug output, what LLVM refuses."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pydri.jit import Module, compiler, f32, fn, i32, kernel, ptr, u16, void
from pydri.jit.compiler import VARIANT, WHOLE, Level, optimise
from pydri.util import stats
from pydri.util.options import options
from tests.unit.jit import harness

ROOT = Path(__file__).parents[3]
PROGRAM = """
import ctypes, sys
from pydri.jit import Module, i32, kernel
traced = []

def kernels():
    @kernel(ret=i32, args=(i32,))
    def triple(b, x):
        traced.append(1)
        return x * 3
    return [triple]

image = Module("test program", kernels, key=b"%s").compile()
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(image.address("triple"))(5) == 15
print(len(traced), "llvmlite" in sys.modules, "numpy" in sys.modules)
"""


def start(folder: Path, key: str = "a", **environment: str) -> tuple[str, str]:
    """Run the program with a cache folder; its output and messages."""
    variables = {
        k: v for k, v in os.environ.items() if not k.startswith(("MESA_", "GALLIVM_", "LP_"))
    }
    variables |= {"MESA_SHADER_CACHE_DIR": str(folder), **environment}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % key],
        env=variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip(), done.stderr


COLD, WARM = "1 True False", "0 False False"


def test_warm_start_neither_traces_nor_loads_llvm(tmp_path: Path) -> None:
    assert start(tmp_path) == (COLD, "")
    assert start(tmp_path) == (WARM, "")
    assert start(tmp_path, key="b") == (COLD, "")
    assert start(tmp_path, LP_NATIVE_VECTOR_WIDTH="128")[0] in (COLD, WARM)
    assert start(tmp_path, MESA_SHADER_CACHE_DISABLE="1") == (COLD, "")
    assert start(tmp_path) == (WARM, "")


def test_damaged_cache_is_compiled_again(tmp_path: Path) -> None:
    start(tmp_path)
    [file] = (tmp_path / "pydri_cache").iterdir()
    good = file.read_bytes()
    for bad in (b"", good[:100], good[:-1] + b"\xff", b"\0" * len(good)):
        file.write_bytes(bad)
        assert start(tmp_path) == (COLD, "")
        assert file.read_bytes() == good


def test_statistics_at_exit(tmp_path: Path) -> None:
    on = {"MESA_SHADER_CACHE_SHOW_STATS": "1"}
    assert "0 hits, 1 misses, 1 stored" in start(tmp_path, **on)[1]
    assert "1 hits, 0 misses, 0 stored" in start(tmp_path, **on)[1]


def test_debug_output(tmp_path: Path) -> None:
    assert "define i32 @triple(i32" in start(tmp_path, GALLIVM_DEBUG="ir")[1]
    assert "retq" in start(tmp_path, GALLIVM_DEBUG="asm")[1]
    text = start(tmp_path, GALLIVM_DEBUG="perf,ir")[1]
    assert "test program: trace" in text and "bytes" in text


def test_what_llvm_refuses_is_shown_with_its_surroundings() -> None:
    with pytest.raises(RuntimeError, match="(?s)LLVM refuses a kernel.*%b = add i32 %a, %nothing"):
        optimise("define i32 @f(i32 %a) {\n %b = add i32 %a, %nothing\n ret i32 %b\n}", 128)


@pytest.mark.parametrize("where", ["compiler._run_passes", "elf.link"])
def test_a_failure_closes_what_llvm_made(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module goes before its context: Python's collector would take either one first."""
    made: list[Any] = []
    parse = compiler._parse

    def kept(*given: Any) -> Any:
        made.append(parse(*given))
        return made[-1]

    def fail(*given: object) -> None:
        raise ValueError("on purpose")

    @kernel(ret=i32, args=(i32,))
    def triple(b: Any, x: Any) -> Any:
        return x * 3

    monkeypatch.setattr(compiler, "_parse", kept)
    monkeypatch.setattr(f"pydri.jit.{where}", fail)
    with pytest.raises(ValueError, match="on purpose"):
        Module(f"fails in {where}", [triple]).compile()
    assert [module.closed for module in made] == [True]


def test_a_failure_while_tracing_leaves_the_compiler_usable() -> None:
    @kernel(ret=i32, args=(i32,))
    def wrong(b: Any, x: Any) -> Any:
        raise ValueError("mine")

    @kernel(ret=i32, args=(i32,))
    def right(b: Any, x: Any) -> Any:
        return x

    with pytest.raises(ValueError, match="mine"):
        harness.compiled([wrong])
    assert harness.compiled([right]).address("right")


def test_tracing_may_compile_another_module() -> None:
    def kernels() -> list[Any]:
        @kernel(ret=i32, args=(i32,))
        def inner(b: Any, x: Any) -> Any:
            return x

        address = harness.compiled([inner]).address("inner")

        @kernel(ret=i32, args=(i32,))
        def outer(b: Any, x: Any) -> Any:
            return b.call(b.const(fn(i32, i32), address), x) + 1

        return [outer]

    before = stats.stats()["total"]["kernels_compiled"]
    with options(MESA_SHADER_CACHE_DISABLE=1):
        image = Module("nested", kernels, key=os.urandom(8)).compile()
    assert harness.function(image, "outer", ctypes.c_int, ctypes.c_int)(4) == 5
    assert stats.stats()["total"]["kernels_compiled"] == before + 2


def test_ir_does_not_depend_on_when_it_is_traced() -> None:
    @kernel(ret=i32, args=(i32,))
    def f(b: Any, x: Any) -> Any:
        with b.If(x > 3):
            b.printf("%d\n", x)
        return x + b.table(i32, [1, 2, 3])[x]

    assert Module("m", [f]).ir(256) == Module("m", [f]).ir(256)


@pytest.mark.parametrize("level", [WHOLE, VARIANT])
def test_locals_become_registers_and_helpers_are_inlined(level: Level) -> None:
    @kernel(ret=i32, args=(i32,), inline=True)
    def helper(b: Any, x: Any) -> Any:
        y = b.var(i32, 1)
        with b.If(x > 3):
            y.value = x * 3
        return y.value

    @kernel(ret=i32, args=(i32,))
    def whole(b: Any, x: Any) -> Any:
        return b.call(helper, x) + b.call(helper, x)

    text = str(optimise(Module("whole", [whole]).ir(128), 128, level))
    assert "= alloca" not in text and "helper" not in text
    assert text.count(" mul ") <= 1  # what is computed twice is computed once


@pytest.mark.parametrize("level", [WHOLE, VARIANT])
@pytest.mark.parametrize("width", [w for w in harness.WIDTHS if w < 512])
def test_masks_where_no_registers_are_for_them(width: int, level: Level) -> None:
    """Bits do not become lanes one by one, and vectors are stored whole, not under a mask, which
    takes AMD's processors some forty micro-operations."""

    @kernel(ret=void, args=(ptr(f32), ptr(u16)))
    def merge(b: Any, p: Any, bits: Any) -> None:
        old = p.load(f32.vec(16), align=64)
        mask = b.mask_of(bits[0]) & (old < 0.5)
        p.store(b.select(mask, old * 2.0, old), align=64)

    with optimise(Module("merge", [merge]).ir(width), width, level) as optimised:
        text = compiler._machine(width, level.codegen).emit_assembly(optimised)
    assert "maskmov" not in text and "pinsr" not in text


@pytest.mark.parametrize("level", [WHOLE, VARIANT])
def test_llvm_gives_its_memory_back(level: Level) -> None:
    """What is compiled once and thrown away: a game with a thousand states must not grow."""

    class Info(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in "a b c d hblkhd f g uordblks h i".split()]

    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Info

    def used() -> int:
        gc.collect()
        info = libc.mallinfo2()
        return int(info.uordblks + info.hblkhd)

    @kernel(ret=i32, args=(i32,))
    def triple(b: Any, x: Any) -> Any:
        return x * 3

    text = Module("thrown away", [triple]).ir(128)
    for _ in range(5):
        optimise(text, 128, level).close()
    before = used()
    for _ in range(20):
        optimise(text, 128, level).close()
    assert used() - before < 20 * 20_000
