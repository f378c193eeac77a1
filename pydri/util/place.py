# SPDX-License-Identifier: MIT
"""Where we are: the folder of libGL.so.1 and what the build wrote into the sidecar file beside it;
and how a folder is opened whose content gets executed.

In: the folder, which the boot tells. Out: facts that would be slow to find at run time, above all
LLVM's version (llvmlite takes 40 ms to import; GL_RENDERER names the version in every program).
"""

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

#: of the core, where there is one (pydri/boot.py sets it): what pydri.util.source_tree.look does
native_look: "Callable[[bytes, bytes], int] | None" = None
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


def owned_by(status: os.stat_result, owners: "Collection[int]") -> bool:
    """Whether a file or folder is of one of these users and nobody else can write it."""
    return status.st_uid in owners and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def shippers(folder: str) -> frozenset[int]:
    """Whose kernels beside our libraries may be, to be used: root's, ours, or those of whom the
    folder around theirs belongs to."""
    return frozenset((0, os.geteuid(), os.stat(os.path.dirname(folder)).st_uid))


def is_private(status: os.stat_result) -> bool:
    """Whether a file or folder is our own user's and nobody else can write it."""
    return owned_by(status, (os.geteuid(),))


def open_private(folder: str) -> int:
    """A handle on a folder of ours, which is made (0700, like those above it) if it is not there.

    What is kept there gets executed, so PermissionError if somebody else owns or may write it, or
    if it is a symbolic link; OSError or ValueError if it cannot be had at all.
    """
    os.makedirs(os.path.dirname(folder) or ".", mode=0o700, exist_ok=True)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not is_private(os.fstat(fd)):
        os.close(fd)
        raise PermissionError(f"{folder} is not ours alone")
    return fd


def llvm_version() -> str:
    """Such as 22.1.0."""
    version = fact("llvm")
    if not version:
        import llvmlite.binding

        version = ".".join(str(n) for n in llvmlite.binding.llvm_version_info)
    return version
