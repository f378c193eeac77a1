# SPDX-License-Identifier: MIT
"""`pydri.load()`: a Python program takes this driver without an environment variable.

In: a process without a GL library. Out: our libraries in it, under the SONAMEs by which GL is
opened; ld.so gives a library that is loaded to everyone who asks for its SONAME. The driver joins
this Python at the first call.
"""

import ctypes
import os

from libgl_shim import build


def _loaded(name: str) -> str:
    """The file that is mapped under that name, or ""."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            path = line.rstrip("\n").partition("/")[2]
            if os.path.basename(path).startswith(name):
                return "/" + path
    return ""


def load() -> str:
    """Load the libraries; their folder. Raises RuntimeError if others are there already."""
    libdir = os.path.realpath(build.prepare(say=False))
    for name in build.LINKED:
        other = _loaded(name)
        if other and os.path.dirname(other) != libdir:
            raise RuntimeError(
                f"{other} is loaded already: call pydri.load() before a GL library is imported"
            )
    for name in build.LINKED:
        ctypes.CDLL(os.path.join(libdir, name), ctypes.RTLD_GLOBAL)
    return libdir
