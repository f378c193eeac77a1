# SPDX-License-Identifier: MIT
"""The core library `_core`: a cffi API-mode module with one `extern "Python"` for each entry point.

In: the rows and the shared part of shim.h. Out: C text of the extension module. An extern costs
some bytes until pydri.api.dispatch binds it (`def_extern`) at its first call. The context arrives
as an integer, its native address, which is the key of `dispatch.CONTEXTS`: no cdata is made for it.
"""

import contextlib
import io
import os

from libgl_shim.stubs import FRONTS
from pydri.api import gl_table
from pydri.api.rows import Row

#: Python's entries have a door, as kernels have (pydri/jit/fpstate.py): the interpreter and what it
#: calls compute with the word in MXCSR that every C program begins with, whatever the program has
#: made of it.
PREAMBLE = """
#include "shim.h"

static void call_python_as_c(struct _cffi_externpy_s *what, char *arguments)
{
    unsigned int was = enter_c();
    _cffi_call_python(what, arguments);
    leave_c(was);
}
#undef _cffi_call_python
#define _cffi_call_python call_python_as_c
"""

HERE = os.path.dirname(os.path.abspath(__file__))


def shared_declarations() -> str:
    """The structs between the CDEF marks of shim.h."""
    with open(os.path.join(HERE, "shim.h"), encoding="utf-8") as file:
        text = file.read()
    return text[text.index("/* CDEF-BEGIN */") : text.index("/* CDEF-END */")]


def _extern(row: Row, gl: bool) -> str:
    types = (["unsigned long"] if gl else []) + row.c_params
    return f"{row.c_ret} py_{row.name}({', '.join(types) or 'void'});"


def cdef() -> str:
    """Everything `_core.lib` and `_core.ffi` know."""
    gl = gl_table.TABLE
    lines = [shared_declarations(), 'extern "Python" {']
    lines += [_extern(gl.row(i), True) for i in range(len(gl))]
    for _, table in FRONTS:
        lines += [_extern(table.row(i), False) for i in range(len(table))]
    lines += [
        "void *py_resolve_gl(struct pydri_context *, int);",
        *(f"void *py_resolve_{kind}(int);" for kind, _ in FRONTS),
        "void py_at_exit(void);",
        "void py_before_exit(void);",
        "void py_thread_exit(void);",
        "}",
        "unsigned long long pydri_look(const char *root, const char *without);",  # of core_boot.c
    ]
    return "\n".join(lines)


def render(path: str) -> None:
    """Write the C file of the module."""
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(cdef())
    ffi.set_source("_core", PREAMBLE)
    with contextlib.redirect_stdout(io.StringIO()):  # it announces every file it writes
        ffi.emit_c_code(path)
