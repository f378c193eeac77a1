# SPDX-License-Identifier: MIT
"""Joins the rows of the registry with the functions that stand behind them.

In: functions marked `@entry` (gl), `@glx_entry` (glX), `@egl_entry` (egl), `@osmesa_entry` (OSMesa)
and kernels marked `@gl_kernel`. Out: addresses for the slots of the shim. Nothing is bound before
it is called: a slot begins as a stub of the shim that asks `resolve_gl`, or `resolve_front` of its
front, which binds the cffi extern of that one name.
Names that are aliases in the registry share their function. A slot that nobody has written answers
with GL_INVALID_OPERATION and is named once under LIBGL_DEBUG=verbose.

Mistakes of the program are `GLError`s and become GL errors; exceptions of ours end here, in one
report that names the call. (Mesa: src/mapi/glapi, src/mesa/main/context.c's nop handlers.)
"""

import sys
from _thread import RLock

from pydri.api import egl_table, gl_table, glx_table, osmesa_table
from pydri.api.apis import NAMES as API_NAMES
from pydri.api.apis import SAME, apis_of
from pydri.api.rows import Row, Table
from pydri.util import log, stats
from pydri.util.options import first_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar, overload

    class Context(Protocol):
        """What this room needs of pydri.main's GLContext."""

        def flush_vertices(self) -> None:
            """Draw what immediate mode has collected."""

        def record_error(self, enum: int, message: str) -> None:
            """Set the GL error, unless one is set."""

        def refuses(self, slot: int) -> None:
            """A kernel may refuse this call, which the API has not, from now on."""

        api: int  # of pydri/api/apis.py
        strings: dict[Any, Any]  # answers of glGetString and glGetStringi

    Function = Callable[..., Any]

    class Tracer(Protocol):
        """Prints calls: pydri/api/trace.py."""

        def wrap_table(self, table: int) -> None:
            """Make the slots of a context's table go through the forwarders."""

        def gl_forwarder(self, row: Row, function: Function) -> Function:
            """The printing form of a gl function."""

        def front_forwarder(self, front: "Front", row: Row, function: Function) -> Function:
            """The printing form of a glX or egl function."""

    F = TypeVar("F", bound=Callable[..., Any])
    K = TypeVar("K")

GL_INVALID_OPERATION = 0x0502
GL_OUT_OF_MEMORY = 0x0505

CONTEXTS: "dict[int, Context]" = {}  # native address -> context; pydri.main fills it
ENTRIES: "dict[str, tuple[Function, bool]]" = {}  # name -> function, flush first?
ORIGINS: "dict[str, str]" = {}  # name -> module whose import makes it an entry
#: the same of entries that may not be imported yet, from the cache (pydri/main/entry_index.py)
ENTRY_MODULES: "dict[str, str]" = {}
KERNELS: "dict[str, object]" = {}  # name -> jit kernel, the native form of a gl entry


class Front:
    """A window system: the rows of its functions and what stands behind them."""

    def __init__(self, kind: str, table: Table) -> None:
        self.kind = kind  # names the shim's table
        self.table = table
        self.entries: dict[str, Function] = {}
        self.late: dict[str, str] = {}  # name -> module whose import makes it an entry
        self.native: dict[str, int] = {}  # name -> address of the native form of an entry
        self.before: list[Callable[[], None]] = []  # to be run before the first one is resolved

    def comes_late(self, module: str, names: str) -> None:
        """These are entries of a module that few programs need: it is imported when one of them is
        asked for."""
        self.late |= dict.fromkeys(names.split(), module)

    def entry(self, name: str) -> "Function | None":
        """What stands behind a name."""
        if name not in self.entries and name in self.late:
            __import__(self.late[name])
        return self.entries.get(name)

    def names(self) -> set[str]:
        """All that is written."""
        return {*self.entries, *self.late}


GLX, EGL = Front("glx", glx_table.TABLE), Front("egl", egl_table.TABLE)
OSMESA = Front("osmesa", osmesa_table.TABLE)
FRONTS = (GLX, EGL, OSMESA)
GLX_ENTRIES, GLX_NATIVE = GLX.entries, GLX.native

# Set by attach(), once the shim is there: cffi's view of `_core` and the shim's struct.
ffi: "Any" = None
lib: "Any" = None
shim: "Any" = None

_tracer: "Tracer | None" = None
_bound: "dict[str, Any]" = {}
_before_first_gl: "list[Callable[[], None]]" = []
_resolving = RLock()  # a second thread must wait until the first has imported the entries
_PYTHON_ENTRIES = stats.INDEX["python_entries"]


class GLError(Exception):
    """Raised in an entry: `raise GLError(GL_INVALID_ENUM, "cap=0x1")` records it and changes
    nothing.
    """

    def __init__(self, enum: int, message: str = "") -> None:
        super().__init__(message)
        self.enum = enum


if TYPE_CHECKING:

    @overload
    def entry(function: F) -> F: ...

    @overload
    def entry(function: None = None, *, flush: bool = True) -> Callable[[F], F]: ...


def entry(function: "Any" = None, *, flush: bool = True) -> "Any":
    """Mark `def glFoo(ctx, ...)` as what stands behind glFoo and the names that are aliases of
    it.
    """

    module = sys._getframe(1).f_globals["__name__"]

    def mark(f: "Any") -> "Any":
        ENTRIES[f.__name__] = (f, flush)
        ORIGINS[f.__name__] = module
        return f

    return mark if function is None else mark(function)


def glx_entry(function: "F") -> "F":
    """Mark `def glXFoo(dpy, ...)` as what stands behind glXFoo."""
    GLX_ENTRIES[function.__name__] = function
    return function


def egl_entry(function: "F") -> "F":
    """Mark `def eglFoo(dpy, ...)` as what stands behind eglFoo and its aliases."""
    EGL.entries[function.__name__] = function
    return function


def osmesa_entry(function: "F") -> "F":
    """Mark `def OSMesaFoo(...)` as what stands behind OSMesaFoo."""
    OSMESA.entries[function.__name__] = function
    return function


def gl_kernel(kernel: "K") -> "K":
    """Mark a jit kernel, whose first parameter is ptr(GLContext), as the native form of its
    name.
    """
    KERNELS[str(getattr(kernel, "name", None) or getattr(kernel, "__name__", ""))] = kernel
    return kernel


def find(registry: "dict[str, Any]", name: str) -> "Any":
    """What is registered for a name or for the name it is an alias of, else None."""
    if name in registry:
        return registry[name]
    slot = gl_table.SLOTS.get(name)
    alias = gl_table.TABLE.row(slot).alias if slot is not None else ""
    alias = SAME.get(name, alias)
    if alias:
        return registry.get(alias)
    return None


def gl_entry(name: str) -> "tuple[Function, bool] | None":
    """What stands behind a gl name; its module is imported if need be."""
    found = find(ENTRIES, name)
    if found is None:
        module = find(ENTRY_MODULES, name)
        if module is not None:
            __import__(module)
            found = find(ENTRIES, name)
    return found


def has_entry(name: str) -> bool:
    """Whether a gl name is written in Python."""
    return find(ENTRIES, name) is not None or find(ENTRY_MODULES, name) is not None


#: the other way round
_SAME_AS: "dict[str, list[str]]" = {}
for _name, _same in SAME.items():
    _SAME_AS.setdefault(_same, []).append(_name)


def aliases(name: str) -> list[str]:
    """The name and every other name that means the same function: who has one of them has all."""
    found = gl_table.TABLE.same(SAME.get(name, name))
    return [*found, *(other for each in found for other in _SAME_AS.get(each, ()))]


# ---------------------------------------------------------------------------- the shim


def attach(core_ffi: "Any", core_lib: "Any", shim_struct: "Any") -> None:
    """Connect with the shim: from here on its lazy slots come to us."""
    global ffi, lib, shim
    ffi, lib, shim = core_ffi, core_lib, shim_struct
    ffi.def_extern(name="py_resolve_gl", onerror=_resolve_failed)(resolve_gl)
    shim.resolve_gl = lib.py_resolve_gl
    for front in FRONTS:
        name = f"py_resolve_{front.kind}"
        ffi.def_extern(name=name, onerror=_resolve_failed)(_resolver(front))
        setattr(shim, f"resolve_{front.kind}", getattr(lib, name))


def trace_with(tracer: "Tracer") -> None:
    """Every call goes through `tracer` from now on: to be called before a slot is resolved."""
    global _tracer
    _tracer = tracer


def before_first_gl(function: "Callable[[], None]") -> None:
    """Run before the first gl* slot is resolved: the boot imports the modules with entries
    there.
    """
    _before_first_gl.append(function)


def _resolve_failed(kind: "Any", value: "Any", trace: "Any") -> None:
    report("resolving an entry point", value)


def thread() -> "Any":
    """The calling thread's block (struct pydri_thread *)."""
    return shim.thread()


def make_current(ctx: int, glx_context: int, draw: int, read: int, dpy: int) -> None:
    """Set the calling thread's block as GLX sees it; ctx 0 is no context."""
    block = shim.thread()
    if ctx:
        shim.watch_thread()
    block.ctx = ffi.cast("struct pydri_context *", ctx) if ctx else shim.null_context
    block.glx_context = ffi.cast("void *", glx_context)
    block.draw, block.read = draw, read
    block.dpy = ffi.cast("void *", dpy)


def make_current_egl(
    ctx: int, context: int, draw: int, read: int, display: int, drawable: int
) -> None:
    """Set the calling thread's block as EGL sees it; `drawable` is the native one behind `draw`."""
    block = shim.thread()
    if ctx:
        shim.watch_thread()
    block.ctx = ffi.cast("struct pydri_context *", ctx) if ctx else shim.null_context
    block.egl_context = ffi.cast("void *", context)
    block.egl_draw, block.egl_read = ffi.cast("void *", draw), ffi.cast("void *", read)
    block.egl_display = ffi.cast("void *", display)
    block.egl_drawable = ffi.cast("void *", drawable)


def make_current_osmesa(ctx: int, context: int) -> None:
    """Set the calling thread's block as OSMesa sees it."""
    block = shim.thread()
    if ctx:
        shim.watch_thread()
    block.ctx = ffi.cast("struct pydri_context *", ctx) if ctx else shim.null_context
    block.osmesa_context = ffi.cast("void *", context)


def current_context() -> int:
    """Native address of the calling thread's context, 0 if there is none."""
    ctx = shim.thread().ctx
    return 0 if ctx == shim.null_context else int(ffi.cast("unsigned long", ctx))


def fill_table(table: int) -> None:
    """Give every slot of a context's table (address of void *[n_gl]) its lazy stub or known
    address.
    """
    ffi.memmove(ffi.cast("void *", table), shim.lazy_dispatch, 8 * shim.n_gl)


def table_ready(table: int) -> None:
    """To be called by whoever has put native addresses into a table: the call trace hooks in
    here.
    """
    if _tracer is not None:
        _tracer.wrap_table(table)


def set_native(front: Front, name: str, address: int) -> None:
    """A kernel takes over an entry point of a window system."""
    front.native[name] = address
    if shim is not None and _tracer is None:
        table = getattr(shim, f"{front.kind}_table")
        table[front.table.slots[name]] = ffi.cast("void *", address)


# ---------------------------------------------------------------------------- resolving


def resolve_gl(ctx: "Any", slot: int) -> "Any":
    """The address for a gl slot: called by the shim, once a slot."""
    with _resolving:
        while _before_first_gl:
            _before_first_gl.pop()()
        row = gl_table.TABLE.row(slot)
        if row.name not in _bound:
            function = gl_function(row)
            if _tracer is not None:
                function = _tracer.gl_forwarder(row, function)
            _bind(row, function)
        return _bound[row.name]


def _resolver(front: Front) -> "Function":
    return lambda slot: resolve_front(front, slot)


def resolve_front(front: Front, slot: int) -> "Any":
    """The address for a slot of a front."""
    row = front.table.row(slot)
    with _resolving:
        while front.before:
            front.before.pop()()
        if row.name in front.native and _tracer is None:
            return ffi.cast("void *", front.native[row.name])
        if row.name not in _bound:
            _bind(row, _front_function(front, row))
        return _bound[row.name]


def _front_function(front: Front, row: Row) -> "Function":
    function = front_function(front, row)
    if _tracer is not None:
        function = _tracer.front_forwarder(front, row, function)
    return function


def python_form(front: Front, name: str) -> int:
    """The address of an entry's Python form, also where a kernel has taken its slot over."""
    with _resolving:
        row = front.table.row(name)
        if name not in _bound:
            _bind(row, _front_function(front, row))
        return int(ffi.cast("uintptr_t", _bound[name]))


def _bind(row: Row, function: "Function") -> None:
    name = "py_" + row.name
    zero = () if row.ret == "v" else (ffi.NULL if row.c_ret == "void *" else 0,)

    def failed(kind: "Any", value: "Any", trace: "Any") -> None:
        report(row.name, value)

    if zero:
        ffi.def_extern(name=name, error=zero[0], onerror=failed)(function)
    else:
        ffi.def_extern(name=name, onerror=failed)(function)
    _bound[row.name] = ffi.cast("void *", ffi.addressof(lib, name))


def forwarders() -> "list[Any]":
    """The addresses of all externs that are bound."""
    return list(_bound.values())


def _result_of(row: Row) -> "Callable[[Any], Any]":
    """What makes a Python result fit the C type."""
    if row.ret == "v":
        return lambda value: None
    if row.c_ret == "void *":
        return lambda value: (
            ffi.cast("void *", value or 0) if value is None or isinstance(value, int) else value
        )
    return lambda value: value or 0


def _check(row: Row, function: "Function", extra: int) -> None:
    code = getattr(function, "__code__", None)
    if code is not None and not code.co_flags & 4 and code.co_argcount != len(row.params) + extra:
        raise TypeError(
            f"{row.name} takes {', '.join(n for n, _ in row.params) or 'nothing'}; "
            f"{code.co_filename}:{code.co_firstlineno} does not"
        )


def gl_function(row: Row) -> "Function":
    """`f(ctx address, *args)` for a gl row: its entry, or the answer for what is not written."""
    found = gl_entry(row.name)
    if found is None:
        return _unwritten_gl(row)
    function, flush = found
    _check(row, function, 1)
    counters, fit, apis = stats.ARRAY, _result_of(row), _apis_with(row)

    def call(address: int, *args: "Any") -> "Any":
        counters[_PYTHON_ENTRIES] += 1
        ctx = CONTEXTS.get(address)
        if ctx is None:
            return fit(None)
        if not apis & ctx.api:
            _refuse(ctx, row)
            return fit(None)
        try:
            if flush:
                ctx.flush_vertices()
            return fit(function(ctx, *args))
        except GLError as mistake:
            ctx.record_error(mistake.enum, f"{row.name}({mistake})")
        except MemoryError as problem:
            ctx.record_error(GL_OUT_OF_MEMORY, f"{row.name}: {problem}")
        except KeyboardInterrupt:
            _interrupt()
        except Exception as problem:
            report(describe(row, args), problem)
        return fit(None)

    return call


def _apis_with(row: Row) -> int:
    """The APIs (bits) that have an entry point, by whichever of its names."""
    apis = 0
    for alias in aliases(row.name):
        apis |= apis_of(gl_table.SLOTS[alias])
    return apis


def _refuse(ctx: "Context", row: Row) -> None:
    """The context's API has no such call."""
    ctx.record_error(GL_INVALID_OPERATION, f"{row.name}: not in {API_NAMES[ctx.api]}")
    ctx.refuses(row.slot)


def _unwritten_gl(row: Row) -> "Function":
    fit, apis = _result_of(row), _apis_with(row)

    def call(address: int, *args: "Any") -> "Any":
        stats.ARRAY[_PYTHON_ENTRIES] += 1
        ctx = CONTEXTS.get(address)
        if ctx is not None and not apis & ctx.api:
            _refuse(ctx, row)
            return fit(None)
        log.info(f"{row.name} is not written yet: GL_INVALID_OPERATION", once=True)
        if ctx is not None:
            ctx.record_error(GL_INVALID_OPERATION, f"{row.name}: not written yet")
        return fit(None)

    return call


def front_function(front: Front, row: Row) -> "Function":
    """`f(*args)` for a glX or egl row."""
    found = front.entry(row.name) or front.entry(row.alias)
    counters, fit = stats.ARRAY, _result_of(row)
    if found is None:

        def missing(*args: "Any") -> "Any":
            log.info(f"{row.name} is not written yet", once=True)
            return fit(None)

        return missing
    function: Function = found
    _check(row, function, 0)

    def call(*args: "Any") -> "Any":
        counters[_PYTHON_ENTRIES] += 1
        try:
            return fit(function(*args))
        except KeyboardInterrupt:
            _interrupt()
        except Exception as problem:
            report(describe(row, args), problem)
        return fit(None)

    return call


def hook(name: str, function: "Function") -> "Function":
    """A function for a native hook (`GLContext.hook_*`), which machine code calls: it counts as an
    entry into Python, and an exception is reported and gives 0, since it has nowhere to go. A lack
    of memory is GL_OUT_OF_MEMORY for the context, too.
    """
    counters = stats.ARRAY

    def call(*args: int) -> "Any":
        counters[_PYTHON_ENTRIES] += 1
        try:
            return function(*args) or 0
        except MemoryError as problem:
            report(name, problem)
            ctx = CONTEXTS.get(args[0]) if args else None
            if ctx is not None:
                ctx.record_error(GL_OUT_OF_MEMORY, f"{name}: {problem}")
        except KeyboardInterrupt:
            _interrupt()
        except Exception as problem:
            report(name, problem)
        return 0

    return call


# ---------------------------------------------------------------------------- reports


def describe(row: Row, args: "tuple[Any, ...]") -> str:
    """`glBindTexture(target=GL_TEXTURE_2D, texture=3)`."""
    from pydri.api.calls import format_call

    return format_call(row, args, ffi, follow=False)


def _interrupt() -> None:
    """Ctrl-C in a Python host hit while it was in our code: hand it back to the host's own."""
    import _thread

    _thread.interrupt_main()


def report(where: str, problem: BaseException) -> None:
    """One report for an exception of ours; the same one again says nothing."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
    if not first_time((report, place, type(problem))):
        return
    log.error(f"pydri: {where} failed at {place}: {type(problem).__name__}: {problem}")
    if log.verbose():
        import traceback

        for line in traceback.format_exception(problem):
            log.note(line.rstrip("\n"))
