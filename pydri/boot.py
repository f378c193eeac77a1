# SPDX-License-Identifier: MIT
"""The start of the Python side: `start` is called by the core library when the interpreter is up.

In: the address of the shim's struct and the folder of the libraries. Out: the shim's hooks point
into pydri.api.dispatch. The modules with entry points come when the first gl*, glX* or egl* call
resolves its slot, so a program that only asks for visuals does not pay for GL, and one on EGL not
for GLX. Whatever goes wrong here is an exception; the boot turns it into one message.

Rooms that have something to do at the end use `atexit.register` as anywhere: in a joined
interpreter Python runs it, in our own (which is never finalised) the shim's atexit hook does.
"""

import atexit
import sys

from pydri.api import dispatch
from pydri.util import ending, garbage, log, place, stats
from pydri.util.options import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHIM_VERSION = 7
# Seconds after which a thread of ours that compiles gives way to the program's. Python's own 5 ms
# would be waited for by each call that enters Python meanwhile.
_SWITCH_INTERVAL = 5e-4
_started = ""


def _load_core(libdir: str) -> "Any":
    """The extension module beside the shim, which is not on sys.path."""
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    path = libdir + "/_core.so"
    loader = ExtensionFileLoader("_core", path)
    module = loader.create_module(ModuleSpec("_core", loader, origin=path))
    loader.exec_module(module)
    sys.modules["_core"] = module
    return module


def start(address: int, libdir: str, mode: str, modules: str = "their files") -> None:
    """Connect shim and Python; `mode` says whose interpreter this is: "own" or "joined"; `modules`,
    for who asks, where ours come from."""
    global _started
    if _started:
        raise RuntimeError(
            f"{_started} is already at work in this process; do not mix it with {libdir} "
            "(preload or vendor library, not both)"
        )
    core = _load_core(libdir)
    shim = core.ffi.cast("struct pydri_shim *", address)
    if shim.version != _SHIM_VERSION:
        raise RuntimeError(f"{libdir} is of another version; run python -m libgl_shim.build again")
    place.set_libdir(libdir)
    place.native_look = core.lib.pydri_look
    dispatch.attach(core.ffi, core.lib, shim)
    atexit.register(_at_exit)
    if mode == "own":  # of a joined one it is the host's
        garbage.starting()
        sys.setswitchinterval(_SWITCH_INTERVAL)
        core.ffi.def_extern(name="py_at_exit")(_run_exit_functions)
        shim.at_exit = core.lib.py_at_exit
        core.ffi.def_extern(name="py_before_exit")(ending.run)
        shim.before_exit = core.lib.py_before_exit
        ending.arm = shim.arm_exit
        ending.begin_loading, ending.end_loading = shim.begin_loading, shim.end_loading
    core.ffi.def_extern(name="py_thread_exit")(_thread_exit)
    shim.thread_exit = core.lib.py_thread_exit
    if "api" in options.PYDRI_DEBUG:
        from pydri.api import trace

        trace.start()
    if options.PYDRI_HELP:
        log.note(options.help_text().rstrip("\n"))
    dispatch.before_first_gl(_import_gl_entries)
    dispatch.GLX.before.append(_import_glx_entries)
    dispatch.EGL.before.append(_import_egl_entries)
    dispatch.OSMESA.before.append(_import_osmesa_entries)
    _started = libdir
    python = sys.version.split()[0]
    log.info(f"pydri {_version()} from {libdir}, Python {python} ({mode}); modules from {modules}")


def _thread_exit() -> None:
    from pydri.dri.current import leave_all

    leave_all()


def _version() -> str:
    from pydri import __version__

    return __version__


@garbage.held
def _import_gl_entries() -> None:
    if not dispatch.ENTRY_MODULES:  # there is no context, which knows where they are
        import pydri.main.entries  # noqa: F401  registers the gl entry points


@garbage.held
def _import_glx_entries() -> None:
    import pydri.glx.entries  # noqa: F401  registers the glX entry points


@garbage.held
def _import_egl_entries() -> None:
    import pydri.egl.entries  # noqa: F401  registers the egl entry points


@garbage.held
def _import_osmesa_entries() -> None:
    import pydri.osmesa.entries  # noqa: F401  registers the OSMesa entry points


def _run_exit_functions() -> None:
    """The host ends and nobody will finalise our interpreter."""
    atexit._run_exitfuncs()


def _remember(shim: "Any", ffi: "Any") -> None:
    """Who tidies up after the host's Python asks again which context it has, as libepoxy does
    before its first call of a function: the one that is current here, else any."""
    current = int(ffi.cast("uintptr_t", shim.thread().ctx))
    ctx = dispatch.CONTEXTS.get(current) or next(iter(dispatch.CONTEXTS.values()), None)
    for name, kept in ctx.strings.items() if ctx else ():
        if isinstance(name, int):  # not one of glGetStringi's
            shim.remember(name, kept.value)


def _at_exit() -> None:
    """Runs last: it was registered first."""
    stats.print_at_exit()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass
    shim, ffi = dispatch.shim, dispatch.ffi
    # A joined interpreter is about to be taken down: no call may reach Python any more.
    if shim.joined:
        _remember(shim, ffi)
        for address in list(dispatch.CONTEXTS):
            ffi.cast("struct pydri_context *", address).dispatch = shim.null_dispatch
        shim.retire()
