# SPDX-License-Identifier: MIT
"""The call trace: PYDRI_DEBUG=api prints every GL, GLX and EGL call with the names of its enums.

In: rows and calls. Out: lines such as `glBegin(mode=GL_QUADS)`, `glGenLists(range=1) = 1`. Kernels
never come to Python, so while the trace is on every slot of every table gets the Python extern of
its name, and the forwarder calls the kernel that the slot held. Slow, and only then.
"""

from _thread import get_ident

from pydri.api import dispatch, enums, gl_table
from pydri.api.rows import C_TYPES, Row
from pydri.util import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_real: dict[int, "Any"] = {}  # address of a wrapped table -> copy of its true content
_inside: dict[int, int] = {}  # thread -> slot of the native call it is in
_POINTEES = {"f": "float *", "d": "double *", "i": "int *", "I": "unsigned int *", "s": "short *",
             "S": "unsigned short *", "c": "signed char *", "C": "unsigned char *",
             "b": "unsigned char *", "E": "unsigned int *"}  # fmt: skip


def format_value(code: str, value: "Any", follow: bool = True) -> str:
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
    return _format_pointer(code, value, follow)


def _format_pointer(code: str, value: "Any", follow: bool) -> str:
    ffi = dispatch.ffi
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


def format_call(row: Row, args: "tuple[Any, ...]", follow: bool = True) -> str:
    """The call as C would write it, with the names of the parameters."""
    shown = [
        f"{name}={format_value(code, value, follow)}"
        for (name, code), value in zip(row.params, args)
    ]
    return f"{row.name}({', '.join(shown)})"


def format_result(row: Row, value: "Any") -> str:
    """` = result`, or nothing for void."""
    if row.ret == "v":
        return ""
    text = row.ret == "*C" and row.name in ("glGetString", "glGetStringi")
    return " = " + format_value("z" if text else row.ret, value)


def wrap_table(table: int) -> None:
    """Keep a copy of a dispatch table and let all its slots come to the forwarders."""
    ffi, shim = dispatch.ffi, dispatch.shim
    if table in _real and _unchanged(table):
        return
    copy = ffi.new("void *[]", shim.n_gl)
    ffi.memmove(copy, ffi.cast("void *", table), 8 * shim.n_gl)
    _real[table] = copy
    ffi.memmove(ffi.cast("void *", table), shim.lazy_stubs, 8 * shim.n_gl)


def _unchanged(table: int) -> bool:
    """Whether a wrapped table still holds nothing but lazy stubs and forwarders."""
    ffi, shim = dispatch.ffi, dispatch.shim
    slots = ffi.cast("void **", table)
    bound = {int(ffi.cast("unsigned long", a)) for a in dispatch.forwarders()}
    for i in range(shim.n_gl):
        if slots[i] != shim.lazy_stubs[i] and int(ffi.cast("unsigned long", slots[i])) not in bound:
            return False
    return True


def _call_native(row: Row, address: "Any", lead: list[str], args: "tuple[Any, ...]") -> "Any":
    types = ", ".join(lead + row.c_params) or "void"
    return dispatch.ffi.cast(f"{row.c_ret}(*)({types})", address)(*args)


def gl_forwarder(row: Row, function: "Callable[..., Any]") -> "Callable[..., Any]":
    """Prints a gl call, then makes it: natively if the context's table held a kernel.

    A kernel that comes up to Python (through the table of Python forms) arrives here too; that is
    part of a call that is being printed already, and must not go to a kernel again.
    """
    slot = gl_table.SLOTS[row.name]
    has_python = dispatch.find(dispatch.ENTRIES, row.name) is not None

    def call(address: int, *args: "Any") -> "Any":
        ffi, shim = dispatch.ffi, dispatch.shim
        me = get_ident()
        if me in _inside and (has_python or _inside[me] == slot):
            return function(address, *args)
        shown = format_call(row, args)
        table = ffi.cast("struct pydri_context *", address).dispatch
        real = _real.get(int(ffi.cast("unsigned long", table)))
        if real is not None and real[slot] not in (shim.lazy_stubs[slot], shim.lazy_dispatch[slot]):
            outer = _inside.get(me)
            _inside[me] = slot
            try:
                result = _call_native(row, real[slot], ["unsigned long"], (address, *args))
            finally:
                if outer is None:
                    del _inside[me]
                else:
                    _inside[me] = outer
        else:
            result = function(address, *args)
        log.note(shown + format_result(row, result))
        return result

    return call


def front_forwarder(
    front: "dispatch.Front", row: Row, function: "Callable[..., Any]"
) -> "Callable[..., Any]":
    """Prints a glX or egl call, then makes it.

    A kernel that leaves its case to Python comes here again: part of the call being printed.
    """
    inside: set[int] = set()

    def call(*args: "Any") -> "Any":
        me = get_ident()
        if me in inside:
            return function(*args)
        shown = format_call(row, args)
        native = front.native.get(row.name)
        inside.add(me)
        try:
            result = _call_native(row, native, [], args) if native else function(*args)
        finally:
            inside.discard(me)
        log.note(shown + format_result(row, result))
        return result

    return call
