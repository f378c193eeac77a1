# SPDX-License-Identifier: MIT
"""What compiled kernels are named by.

In: our sources (pydri/util/source_tree.py) and llvmlite. Out: `build_id`, which goes into every
name in a cache together with the processor's level (cpu.py).

Names are made of what code generation depends on and of nothing else: the *contents* of the sources
that emit it, and llvmlite, whose LLVM translates it. Neither times of files nor the interpreter
count, so a Python of another patch version, a copy of the folder or another machine of the same
level finds what is there, and two versions never share a name, however alike their files look.
"""

from __future__ import annotations

import os
import sys

from pydri.util.source_tree import blake2b, noted_contents


def llvmlite_version() -> bytes:
    """What tells one llvmlite from another, without importing it (that would load LLVM). A host's
    Python may have one of its own, before ours."""
    for folder in sys.path:
        path = os.path.join(folder, "llvmlite")
        try:
            with open(os.path.join(path, "_version.py"), "rb") as file:
                text = file.read()
        except OSError:
            continue
        for library in ("libllvmlite.so", "libllvmlite.dylib"):
            try:
                text += str(os.stat(os.path.join(path, "binding", library)).st_size).encode()
            except OSError:
                continue
        return text
    return b""


_id = b""


def build_id() -> bytes:
    """Fingerprint of all that generates code. Found out once a process, which goes on making the
    code of the modules that it has imported."""
    global _id
    if not _id:
        _id = blake2b(noted_contents().encode() + llvmlite_version(), digest_size=20).digest()
    return _id


__all__ = ["blake2b", "build_id", "llvmlite_version"]
