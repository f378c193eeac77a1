# SPDX-License-Identifier: MIT
"""`pydri.load()`: a Python program takes this driver without an environment variable.

In: a process without a GL library. Out: our libraries in it, under the names by which GL is opened,
with a number and without; ld.so gives a library that is loaded to everyone who asks for its SONAME.
The driver joins this Python at the first call.

Who opens a library by its path gets that one all the same. So the process is looked at twice: at
once, by asking ld.so for each name, and at its end, when what is mapped is told.
"""

import atexit
import ctypes
import os
import sys

from libgl_shim import installed
from libgl_shim.products import LINKED, UNNUMBERED

_GL_LIBRARIES = ("libGL", "libGLX", "libOpenGL", "libEGL", "libOSMesa")


def is_gl_library(name: str) -> bool:
    """Whether a file is a GL library, by its name. libGLU is none, nor are the vendors behind
    GLVND; a wheel's own libGL-1a2b3c.so is."""
    first, _, rest = name.replace("-", ".").partition(".")
    return first in _GL_LIBRARIES and "so" in rest


def foreign_libraries(libdir: str) -> list[str]:
    """Files of GL libraries that are mapped here and are not those of `libdir`."""
    found = []
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            path = "/" + line.rstrip("\n").partition("/")[2]
            ours = path.startswith(libdir + "/")
            if is_gl_library(os.path.basename(path)) and not ours and path not in found:
                found.append(path)
    return found


class _LinkMap(ctypes.Structure):
    """What a handle of ld.so points to."""

    _fields_ = (("l_addr", ctypes.c_void_p), ("l_name", ctypes.c_char_p))


def _file_of(name: str) -> str:
    """The file of the library that ld.so gives under a name, of those that are loaded; ""."""
    try:
        handle = ctypes.CDLL(name, os.RTLD_NOLOAD | os.RTLD_NOW)._handle
    except OSError:
        return ""
    return os.fsdecode(_LinkMap.from_address(handle).l_name or b"")


def _check_names(libdir: str) -> None:
    """RuntimeError if a name by which GL is opened does not lead to us."""
    for name in (*LINKED, *map(os.path.basename, UNNUMBERED)):
        path = _file_of(name)
        if os.path.realpath(path or "/").startswith(libdir + "/"):
            continue
        raise RuntimeError(f"{name} would be {path or 'the system library'}, not one of {libdir}")


#: what has GLVND's libraries, by the first letters of their names, hand what they are asked to us
_VENDOR = {
    "libEGL": "__EGL_VENDOR_LIBRARY_FILENAMES={libdir}/vendor/50_pydri.json",
    "libG": "__GLX_VENDOR_LIBRARY_NAME=pydri LD_LIBRARY_PATH={libdir}/vendor",
    "libOpenGL": "__GLX_VENDOR_LIBRARY_NAME=pydri LD_LIBRARY_PATH={libdir}/vendor",
}


def _remedy(path: str, libdir: str) -> str:
    """What to do about a library that was opened by its path, as the end of a sentence."""
    name = os.path.basename(path)
    setting = next((text for first, text in _VENDOR.items() if name.startswith(first)), "")
    if setting:
        return f"; if it is GLVND's, set {setting.format(libdir=libdir)}"
    return "; have the program open it by its name alone"


def _say_foreign(libdir: str) -> None:
    """At the end: a GL library that was opened by its path, beside ours, drew what it was asked."""
    for path in foreign_libraries(libdir):
        print(
            f"pydri: {path} was loaded after pydri.load(), by its path: what was called there was"
            f" not drawn by this driver{_remedy(path, libdir)}",
            file=sys.stderr,
        )


def load() -> str:
    """Load the libraries; their folder. Raises RuntimeError if others are there already, or where
    ours cannot be had: an import of somebody's does not end a process."""
    try:
        libdir = os.path.realpath(installed.prepare())
    except SystemExit as problem:
        raise RuntimeError(str(problem)) from None
    if others := foreign_libraries(libdir):
        raise RuntimeError(
            f"{others[0]} is loaded already: call pydri.load() before a GL library is imported"
        )
    for name in (*LINKED, *UNNUMBERED):
        ctypes.CDLL(os.path.join(libdir, name), ctypes.RTLD_GLOBAL)
    _check_names(libdir)
    atexit.unregister(_say_foreign)  # who calls this twice is told once
    atexit.register(_say_foreign, libdir)
    return libdir
