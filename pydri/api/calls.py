# SPDX-License-Identifier: MIT
"""How a call is written: `glBindTexture(target=GL_TEXTURE_2D, texture=3)`, for the call trace and
for reports.

In: the row of a function, its arguments, and cffi's view of the shim (`ffi`; None where there is
none, then pointers are numbers). Out: text.
"""

from pydri.api import enums
from pydri.api.rows import C_TYPES, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_POINTEES = {"f": "float *", "d": "double *", "i": "int *", "I": "unsigned int *", "s": "short *",
             "S": "unsigned short *", "c": "signed char *", "C": "unsigned char *",
             "b": "unsigned char *", "E": "unsigned int *"}  # fmt: skip


def format_value(code: str, value: "Any", ffi: "Any", follow: bool = True) -> str:
    """One argument or result; `follow` reads what pointers of known size point at."""
    kind = code[0]
    if kind == "E":
        return enums.name_of(value)
    if kind == "e":
        from pydri.api import egl_enums

        return egl_enums.name_of(value)
    if kind == "M":
        return enums.mode_name(value)
    if kind == "A":
        return enums.bits_name(value)
    if kind == "B" or kind in "XD":
        return f"0x{value:x}"
    if kind == "b":
        return {0: "GL_FALSE", 1: "GL_TRUE"}.get(value, str(value))
    if kind in "fd":
        return f"{value:g}"
    if C_TYPES[kind] != "void *":
        return str(value)
    return _format_pointer(code, value, ffi, follow)


def _format_pointer(code: str, value: "Any", ffi: "Any", follow: bool) -> str:
    if value is None or isinstance(value, int):
        address = value or 0
    else:
        address = int(ffi.cast("unsigned long", value))
    if not address:
        return "NULL"
    if follow and ffi is not None:
        if code == "z":
            text = ffi.string(ffi.cast("char *", address), 60).decode("utf-8", "replace")
            return f'"{text}"'
        count = code[2:]
        if code[0] == "*" and count.isdigit() and code[1] in _POINTEES and int(count) <= 16:
            array = ffi.cast(_POINTEES[code[1]], address)
            return "{" + ", ".join(f"{array[i]:g}" for i in range(int(count))) + "}"
    return f"0x{address:x}"


def format_call(row: Row, args: "tuple[Any, ...]", ffi: "Any", follow: bool = True) -> str:
    """The call as C would write it, with the names of the parameters."""
    shown = [
        f"{name}={format_value(code, value, ffi, follow)}"
        for (name, code), value in zip(row.params, args)
    ]
    return f"{row.name}({', '.join(shown)})"


def format_result(row: Row, value: "Any", ffi: "Any") -> str:
    """` = result`, or nothing for void."""
    if row.ret == "v":
        return ""
    text = row.ret == "*C" and row.name in ("glGetString", "glGetStringi")
    return " = " + format_value("z" if text else row.ret, value, ffi)
