# SPDX-License-Identifier: MIT
"""Where we are: the folder of libGL.so.1 and what the build wrote into the sidecar file beside it.

In: the folder, which the boot tells. Out: facts that would be slow to find at run time, above all
LLVM's version (llvmlite takes 40 ms to import; GL_RENDERER names the version in every program).
"""

import os

_libdir = ""
_facts: dict[str, str] = {}


def set_libdir(path: str) -> None:
    """Called once by the boot."""
    global _libdir
    _libdir = path
    _facts.clear()


def libdir() -> str:
    """The folder of libGL.so.1; "" in a process that did not come through it."""
    return _libdir


def fact(key: str) -> str:
    """A line of the sidecar (`llvm`, `version`, `abi`, `libpython`, `executable`, `home`), or
    "".
    """
    if _libdir and not _facts:
        try:
            with open(os.path.join(_libdir, "pydri.sidecar"), encoding="utf-8") as file:
                for line in file:
                    name, _, value = line.rstrip("\n").partition("=")
                    _facts.setdefault(name, value)
        except OSError:
            _facts["missing"] = "1"
    return _facts.get(key, "")


def llvm_version() -> str:
    """Such as 22.1.0."""
    version = fact("llvm")
    if not version:
        import llvmlite.binding

        version = ".".join(str(n) for n in llvmlite.binding.llvm_version_info)
    return version
