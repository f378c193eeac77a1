# SPDX-License-Identifier: MIT
"""Finds a driver by name: which name, which directories, which file, and what went wrong in each of
them.

Stage: first step of a screen.  In: the environment (through pydri.util.options).  Out:
`BoundDriver`.  The rules are those of Mesa before 24.2 (src/loader/loader.c,
loader_open_driver_lib): LIBGL_DRIVERS_PATH *replaces* the built-in directory, LIBGL_DRIVERS_DIR is
read only if the first is unset, the first directory that loads wins, each miss is a debug line and
the total miss one error.  None of them counts in a setuid program.  A driver is Python,
`NAME_dri.py` or a package `NAME_dri/`, or a library as Mesa builds it, `NAME_dri.so`.  Mesa has all
its software drivers in one library, `swrast`, which looks at GALLIUM_DRIVER itself: a directory
without a driver of that name may have this one.
"""

import os
import sys
from collections.abc import Callable
from types import ModuleType

from pydri.loader.bind import BoundDriver, LoaderError, bind_extensions
from pydri.util import log
from pydri.util.options import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydri.loader.compiled import CompiledDriver

DEFAULT_DRIVER = "llvmpipe"
BUILT_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drivers")
SUFFIX = "_dri"
#: Mesa's library of all its software drivers
MESA_SOFTWARE = "swrast"


def driver_name() -> str:
    """Return the name of the driver that the environment asks for."""
    for variable, value in (
        ("MESA_LOADER_DRIVER_OVERRIDE", options.MESA_LOADER_DRIVER_OVERRIDE),
        ("GALLIUM_DRIVER", options.GALLIUM_DRIVER),
    ):
        if value:
            log.debug(f"{variable} asks for driver {value}")
            return value
    if options.LIBGL_ALWAYS_SOFTWARE:
        log.debug("LIBGL_ALWAYS_SOFTWARE is set; every driver here is a software driver")
    return DEFAULT_DRIVER


def search_path() -> str:
    """Return the colon-separated directories to look in."""
    return options.LIBGL_DRIVERS_PATH or options.LIBGL_DRIVERS_DIR or BUILT_IN


def extensions_function(name: str) -> str:
    """Return the name of the function that a driver's file must define."""
    return "__driDriverGetExtensions_" + name.replace("-", "_")


def _candidates(directory: str, name: str) -> list[tuple[str, str]]:
    """(name, file) of what may be the driver in a directory, in their order."""
    base = os.path.join(directory, name + SUFFIX)
    found = [(name, base + ".py"), (name, os.path.join(base, "__init__.py")), (name, base + ".so")]
    if name != MESA_SOFTWARE and not options.MESA_LOADER_DRIVER_OVERRIDE:
        found.append((MESA_SOFTWARE, os.path.join(directory, MESA_SOFTWARE + SUFFIX + ".so")))
    return found


def _load(file: str, name: str) -> ModuleType:
    """Run a driver's file as a module of its own."""
    directory = os.path.dirname(file)
    package = os.path.basename(file) == "__init__.py"
    if os.path.dirname(directory) == BUILT_IN if package else directory == BUILT_IN:
        built_in = f"pydri.loader.drivers.{name}{SUFFIX}"
        __import__(built_in)
        return sys.modules[built_in]
    module_name = f"_pydri_driver_{name.replace('-', '_')}_{abs(hash(file)):x}"
    known = sys.modules.get(module_name)
    if known is not None:
        return known
    from importlib.machinery import ModuleSpec, SourceFileLoader

    loader = SourceFileLoader(module_name, file)
    module = ModuleType(module_name)
    module.__spec__ = ModuleSpec(module_name, loader, origin=file, is_package=package)
    module.__loader__ = loader
    module.__file__ = file
    module.__package__ = module_name if package else ""
    if package:
        module.__path__ = [directory]
        module.__spec__.submodule_search_locations = [directory]
    sys.modules[module_name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def _bind(module: ModuleType, name: str, file: str) -> BoundDriver:
    """Ask a driver's module for its extensions."""
    function_name = extensions_function(name)
    function: Callable[[], object] | None = getattr(module, function_name, None)
    if function is None:
        raise LoaderError(f"driver exports no extensions ({file}: no function {function_name})")
    try:
        offered = function()
    except Exception as error:
        raise LoaderError(f"{function_name} of {file}: {type(error).__name__}: {error}") from error
    return bind_extensions(name, file, offered)  # type: ignore[arg-type]


def _try(name: str, file: str) -> "BoundDriver | CompiledDriver | str":
    """Open one file: the driver, or why there is none.  A module that runs is the driver that was
    meant: what is wrong with it is raised."""
    if file.endswith(".so"):
        from pydri.loader.compiled import open_compiled

        try:
            compiled = open_compiled(name, file, extensions_function(name))
        except LoaderError as error:
            return f"{file}: {error}"
        log.debug(f"MESA-LOADER: dlopen({file})")
        return compiled
    try:
        module = _load(file, name)
    except Exception as error:
        return f"{file}: {type(error).__name__}: {error}"
    log.debug(f"MESA-LOADER: opened {file}")
    return _bind(module, name, file)


def load_driver(
    name: str | None = None, path: str | None = None
) -> "BoundDriver | CompiledDriver":
    """Find, run and bind a driver; both arguments default to what the environment says.  Raise
    LoaderError with the last reason if no directory has one.
    """
    name = driver_name() if name is None else name
    path = search_path() if path is None else path
    reason = "No such file or directory"
    if not name or "/" in name or name.startswith("."):
        raise LoaderError(
            f"MESA-LOADER: failed to open {name}: not a driver name"
            f" (search paths {path}, suffix {SUFFIX})"
        )
    # An empty element (an unset variable in "$UNSET:/opt/x") is nobody's wish to run what lies in
    # the current directory; Mesa does not look there for it either.
    for directory in filter(None, path.split(":")):
        for each, file in _candidates(os.path.abspath(directory), name):
            if not os.path.isfile(file):
                log.debug(f"MESA-LOADER: failed to open {file}: No such file or directory")
                continue
            found = _try(each, file)
            if not isinstance(found, str):
                return found
            reason = found
            log.debug(f"MESA-LOADER: failed to open {reason}")
    raise LoaderError(
        f"MESA-LOADER: failed to open {name}: {reason} (search paths {path}, suffix {SUFFIX})"
    )
