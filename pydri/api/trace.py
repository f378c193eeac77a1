# SPDX-License-Identifier: MIT
"""The call trace: PYDRI_DEBUG=api prints every GL, GLX and EGL call with the names of its enums.

In: rows and calls. Out: lines such as `glBegin(mode=GL_QUADS)`, `glGenLists(range=1) = 1`. Kernels
never come to Python, so while the trace is on every slot of every table gets the Python extern of
its name, and the forwarder calls the kernel that the slot held. Slow, and only then.
"""

from _thread import get_ident

from pydri.api import dispatch, gl_table
from pydri.api.calls import format_call, format_result
from pydri.api.rows import Row
from pydri.util import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_real: dict[int, "Any"] = {}  # address of a wrapped table -> copy of its true content
_inside: dict[int, int] = {}  # thread -> slot of the native call it is in
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
    has_python = dispatch.has_entry(row.name)

    def call(address: int, *args: "Any") -> "Any":
        ffi, shim = dispatch.ffi, dispatch.shim
        me = get_ident()
        if me in _inside and (has_python or _inside[me] == slot):
            return function(address, *args)
        shown = format_call(row, args, dispatch.ffi)
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
        log.note(shown + format_result(row, result, dispatch.ffi))
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
        shown = format_call(row, args, dispatch.ffi)
        native = front.native.get(row.name)
        inside.add(me)
        try:
            result = _call_native(row, native, [], args) if native else function(*args)
        finally:
            inside.discard(me)
        log.note(shown + format_result(row, result, dispatch.ffi))
        return result

    return call


class CallTrace:
    """What dispatch asks for while calls are printed (dispatch.Tracer)."""

    wrap_table = staticmethod(wrap_table)
    gl_forwarder = staticmethod(gl_forwarder)
    front_forwarder = staticmethod(front_forwarder)


def start() -> None:
    """Print every call from now on: the boot says so, before the first slot is resolved."""
    dispatch.trace_with(CallTrace())
