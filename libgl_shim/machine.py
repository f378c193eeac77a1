# SPDX-License-Identifier: MIT
"""Whether this machine can have the driver at all, told in one sentence.

It imports what every Python has: this is asked before anything that another system would lack.
"""

import os
import sys


def _system() -> tuple[str, str]:
    """What this is, and on what machine. (`platform`, which knows of all systems, costs more than
    the rest of a start's checks.)"""
    if sys.platform == "linux":
        return "Linux", os.uname().machine
    import platform

    return platform.system(), platform.machine()


def why_not() -> str:
    """Why the driver cannot run on this system, with this Python; "" where it can."""
    name, machine = _system()
    if name != "Linux" or machine.lower() not in ("x86_64", "amd64"):
        return f"pydri runs on Linux on x86-64, and this is {name or 'unknown'} on {machine}"
    if sys.maxsize < 1 << 32:
        return "pydri needs a 64-bit Python; this one has 32 bits"
    try:
        libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):  # musl does not know the question
        libc = ""
    if not libc.startswith("glibc"):
        return "pydri needs glibc: its libraries and llvmlite's are made for it, not for musl"
    return ""


def check() -> None:
    """SystemExit with the sentence where it cannot."""
    if problem := why_not():
        raise SystemExit(f"pydri: {problem.removeprefix('pydri ')}")
