# SPDX-License-Identifier: MIT
"""Which processor kernels are made for.

A warm start must know whether a cached kernel fits this machine without loading LLVM, so the
identity of the CPU is read from /proc/cpuinfo (one read of the first processor's record, 0.1 ms).
LLVM's own host detection is asked only when something is compiled. Where /proc is not mounted we
fall back to plain x86-64, which is slow but right everywhere.

`native_vector_width` is the width kernels are split into by LLVM: the option
LP_NATIVE_VECTOR_WIDTH, else the best of the CPU. The kernels themselves are the same at every
width (16 lanes) and so are their results to the last bit: LLVM forms a fused multiply-add only
where a kernel says so, since neither fast-math flags nor llvm.fmuladd are ever emitted.

The peer does this in util/u_cpu_detect.c and gallivm/lp_bld_init.c (lp_build_init_native_width).
"""

from __future__ import annotations

import os
from typing import NamedTuple

from pydri.util.options import options

WIDTHS = (128, 256, 512)
_IDENTITY = ("vendor_id", "cpu family", "model", "model name", "stepping")

# What LLVM calls the instruction sets that must be off when vectors are 256 or 128 bits wide.
# Naming only the root ("-avx512f") is not enough: a later "+avx512vl" in the list would switch
# the root on again.
_OVER_256 = ("avx512", "avx10", "amx-avx512", "evex512")
_OVER_128 = (*_OVER_256, "avx", "fma", "f16c", "xop", "vaes", "vpclmulqdq", "sha512", "sm3", "sm4")


class Cpu(NamedTuple):
    """The host as the kernel describes it."""

    identity: str
    flags: frozenset[str]

    @property
    def best_width(self) -> int:
        """Widest vectors that this CPU offers with all the instruction sets we want of them."""
        if not self.flags >= {"avx", "avx2", "fma", "f16c"}:
            return 128
        return 512 if self.flags >= {"avx512f", "avx512vl", "avx512bw", "avx512dq"} else 256


def parse_cpuinfo(text: str) -> Cpu:
    """The first processor's record of /proc/cpuinfo."""
    fields: dict[str, str] = {}
    for line in text.partition("\n\n")[0].splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = value.strip()
    if "flags" not in fields:
        return Cpu("baseline", frozenset())
    flags = frozenset(fields["flags"].split())
    # Sorted: two kernels of the same machine may list their flags in another order.
    identity = "|".join([*(fields.get(key, "") for key in _IDENTITY), " ".join(sorted(flags))])
    return Cpu(identity, flags)


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


def native_vector_width() -> int:
    """Bits of a native vector: LP_NATIVE_VECTOR_WIDTH, bounded by what the CPU can do."""
    best = host().best_width
    wanted = options.LP_NATIVE_VECTOR_WIDTH
    if wanted not in WIDTHS:
        return best
    return min(wanted, best)


def cpu_id(width: int | None = None) -> bytes:
    """What has to be equal for a compiled kernel to be usable: goes into the cache key."""
    return f"{host().identity}|{width or native_vector_width()}".encode()


def target_options(width: int | None = None) -> tuple[str, str]:
    """Name of the CPU and list of features for llvmlite's `create_target_machine`. Loads LLVM."""
    import llvmlite.binding as llvm

    width = width or native_vector_width()
    if width not in WIDTHS:
        raise ValueError(f"vector width {width} is not one of {WIDTHS}")
    if not host().flags:
        return "x86-64", ""
    features: dict[str, bool] = dict(llvm.get_host_cpu_features())
    return llvm.get_host_cpu_name(), feature_string(features, width)


def feature_string(features: dict[str, bool], width: int) -> str:
    """LLVM's feature list for a host with `features`, kept to vectors of `width` bits."""
    excluded: tuple[str, ...] = {512: (), 256: _OVER_256, 128: _OVER_128}[width]
    words = [
        ("+" if on and not name.startswith(excluded) else "-") + name
        for name, on in sorted(features.items())
    ]
    # Some CPU models carry the tuning "prefer 256 bits"; the width is decided here and nowhere
    # else.
    words.append("+prefer-256-bit" if width == 256 else "-prefer-256-bit")
    return ",".join(words)
