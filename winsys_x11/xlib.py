# SPDX-License-Identifier: MIT
"""The X client libraries of the *application*: opened by SONAME, so that we join what it has
loaded.

Stage: under everything that talks to the X server.  In: nothing.  Out: `libs()` with libX11,
libX11-xcb, libxcb and libc as cffi libraries, and helpers that turn C addresses into Python
numbers.  A `Display*` is only meaningful to the very libX11 that made it; the SONAME finds that
copy, also in a host that opened it RTLD_LOCAL.  Nothing is linked: a program that never makes a
context does not need X libraries, and a machine without them gets a sentence, not a loader error.
Counterpart of the `XGetXCBConnection` route of Mesa's src/glx.
"""

from typing import Any, NamedTuple

from winsys_x11._xffi import ffi

__all__ = ["Libs", "XLibraryMissing", "address", "ffi", "function_address", "libs", "pointer"]

_PACKAGES = {"libX11.so.6": "libx11-6", "libX11-xcb.so.1": "libx11-xcb1", "libxcb.so.1": "libxcb1"}


class XLibraryMissing(RuntimeError):
    """A client library of X cannot be opened; the text names the file and what to install."""


class Libs(NamedTuple):
    """The opened libraries (cffi ABI-mode objects)."""

    x11: Any
    x11_xcb: Any
    xcb: Any
    c: Any


_opened: list[Libs] = []


def _open(soname: str) -> Any:
    try:
        return ffi.dlopen(soname, ffi.RTLD_NOW | ffi.RTLD_GLOBAL)
    except OSError as error:
        raise XLibraryMissing(
            f"cannot open {soname}: {error} (Debian/Ubuntu: apt-get install {_PACKAGES[soname]})"
        ) from None


def libs() -> Libs:
    """Return the X libraries, opened at the first call."""
    if not _opened:
        _opened.append(
            Libs(
                _open("libX11.so.6"),
                _open("libX11-xcb.so.1"),
                _open("libxcb.so.1"),
                ffi.dlopen(None),
            )
        )
    return _opened[0]


def address(pointer_value: Any) -> int:
    """Return the number behind a C pointer; numbers pass through."""
    if isinstance(pointer_value, int):
        return pointer_value
    return int(ffi.cast("uintptr_t", pointer_value))


def pointer(ctype: str, value: Any) -> Any:
    """Return `value` (number or pointer of any cffi module) as our own `ctype`."""
    return ffi.cast(ctype, address(value))


def function_address(library: Any, name: str) -> int:
    """Return the address of a C function, for the tables that kernels read."""
    return int(ffi.cast("uintptr_t", ffi.addressof(library, name)))
