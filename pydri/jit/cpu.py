# SPDX-License-Identifier: MIT
"""Which processor kernels are made for.

Not for the one we happen to run on, but for a *level*: one of the four of the x86-64 psABI, which
are what compilers and distributions mean by x86-64-v3. LLVM is told the level's name and nothing of
the host, so machines of one level make the same code to the byte, and code made on one of them
serves the others: a level is all that a kernel's name says of the processor (cache.py). What a CPU
has beyond its level is left alone; measured on all of the driver's own kernels that costs less than
half a percent of the instructions (with vbmi, gfni, fp16 and tuning for one model beside).

A warm start must know the level without loading LLVM, so it is read from /proc/cpuinfo (one read of
the first processor's record, 0.1 ms). Where /proc is not mounted we fall back to plain x86-64,
which is slow but right everywhere.

Which level that is says the option PYDRI_CPU, else the kernels beside the library, else the CPU.
`native_vector_width` is the width kernels are split into by LLVM: the option
LP_NATIVE_VECTOR_WIDTH, else that of the level. The kernels themselves are the same at every width
(16 lanes) and so are their results to the last bit: LLVM forms a fused multiply-add only where a
kernel says so, since neither flags of fast-math nor llvm.fmuladd are ever emitted.

The peer does this in util/u_cpu_detect.c and gallivm/lp_bld_init.c (lp_build_init_native_width); it
compiles for the host's exact model.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from pydri.jit.naming import build_id
from pydri.util import place
from pydri.util.options import options, setuid

WIDTHS: Final = (128, 256, 512)
#: beside libGL.so.1: kernels that the build made, a folder for each level
SHIPPED: Final = "objects"


class Level(NamedTuple):
    """A level of the psABI."""

    #: also LLVM's name of a CPU that has this and nothing else
    name: str
    #: bits of its widest vectors
    width: int
    #: what it has beyond the level before it, as /proc/cpuinfo spells it
    needs: frozenset[str]
    #: what LLVM is told besides. Its own tuning of v3 takes vpgatherdd apart, which is twice as
    #: long, and that of v4 uses 256 bits: the width is decided here and nowhere else.
    tuning: str = ""


LEVELS: Final = (
    Level("x86-64", 128, frozenset()),
    Level("x86-64-v2", 128, frozenset("cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3".split())),
    Level("x86-64-v3", 256, frozenset("abm avx avx2 bmi1 bmi2 f16c fma movbe xsave".split()),
          "+fast-gather,+prefer-256-bit"),
    Level("x86-64-v4", 512, frozenset("avx512f avx512bw avx512cd avx512dq avx512vl".split()),
          "+fast-gather,-prefer-256-bit"),
)  # fmt: skip


class Cpu(NamedTuple):
    """The host as the kernel describes it."""

    model: str
    flags: frozenset[str]

    @property
    def level(self) -> Level:
        """The highest level of which it has everything."""
        found = LEVELS[0]
        for level in LEVELS[1:]:
            if not self.flags >= level.needs:
                break
            found = level
        return found


def parse_cpuinfo(text: str) -> Cpu:
    """The first processor's record of /proc/cpuinfo."""
    fields: dict[str, str] = {}
    for line in text.partition("\n\n")[0].splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = value.strip()
    flags = frozenset(fields.get("flags", "").split())
    return Cpu(fields.get("model name", "") or "unknown", flags)


_host: Cpu | None = None


def host() -> Cpu:
    """The processor we run on (read once)."""
    global _host
    if _host is None:
        _host = parse_cpuinfo(_read_first_record("/proc/cpuinfo"))
    return _host


def _read_first_record(path: str) -> str:
    """The file up to its first empty line; "" if it cannot be read. The rest repeats it for each
    CPU and costs time."""
    data = b""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        while b"\n\n" not in data:
            chunk = os.read(fd, 8192)
            if not chunk:
                break
            data += chunk
    except OSError:
        return ""
    finally:
        os.close(fd)
    return data.decode("utf-8", "replace")


def level_folder(level: Level) -> str:
    """The name of the folder of shipped kernels of a level: of the sources, too, so that what an
    older build left is not taken for them."""
    return f"{level.name}-{build_id().hex()[:16]}"


def shipped_level(folder: str, best: Level) -> Level | None:
    """The highest level, `best` at most, of which there are kernels in a folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    if not names:
        return None
    fitting = LEVELS[: LEVELS.index(best) + 1]
    return next((level for level in reversed(fitting) if level_folder(level) in names), None)


def shipped_directory() -> str | None:
    """The folder of kernels that the build made for this process's level, beside libGL.so.1; None
    outside of the driver."""
    folder = place.libdir()
    if not folder or setuid():
        return None
    return os.path.join(folder, SHIPPED, level_folder(level()))


_process: Level | None = None


def process_level() -> Level:
    """The level that this process works on, if nobody asks for a width: that of PYDRI_CPU, as far
    as the host goes; else the host's or, where the library comes with kernels of a lower one alone,
    that: it draws a little slower, and begins at once instead of after half a minute. It is one for
    all kernels, since they pass each other vectors in registers."""
    global _process
    if _process is None:
        folder, best = place.libdir(), host().level
        if wanted := options.PYDRI_CPU:
            _process = next(row for row in LEVELS if row.name == wanted or row is best)
        elif folder and not setuid():
            _process = shipped_level(os.path.join(folder, SHIPPED), best)
        _process = _process or best
    return _process


def work_on(level: Level | None) -> None:
    """Make kernels for a level, whatever the host's is (the build does so); None: as usual."""
    global _process
    _process = level


def level(width: int | None = None) -> Level:
    """The level that kernels of a width are made for (None: of `native_vector_width`)."""
    width = width or native_vector_width()
    if width not in WIDTHS:
        raise ValueError(f"vector width {width} is not one of {WIDTHS}")
    best = process_level()
    if width > best.width:
        best = host().level
    return next(row for row in reversed(LEVELS[: LEVELS.index(best) + 1]) if row.width <= width)


def native_vector_width() -> int:
    """Bits of a native vector: LP_NATIVE_VECTOR_WIDTH, bounded by what the CPU can do."""
    wanted = options.LP_NATIVE_VECTOR_WIDTH
    if wanted in WIDTHS:
        return min(wanted, host().level.width)
    return process_level().width


def cpu_id(width: int | None = None) -> bytes:
    """What has to be equal for a compiled kernel to be usable: goes into the cache key."""
    return level(width).name.encode()


def target_options(width: int | None = None) -> tuple[str, str]:
    """Name of the CPU and list of features for llvmlite's `create_target_machine`."""
    target = level(width)
    return target.name, target.tuning
