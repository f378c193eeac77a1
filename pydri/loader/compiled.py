# SPDX-License-Identifier: MIT
"""Compiled drivers: opens a `NAME_dri.so` and binds its extensions.

Stage: loader, after a driver's file was found (search.py).  In: a shared library as Mesa builds it.
Out: `CompiledDriver`, from which pydri.dri.compiled makes a screen; or a LoaderError that says what
is missing: the file is no library of this machine, has no entry point, lacks an extension or has it
in an older version.  Nothing of the driver has run by then but its constructors and the entry
point.  Answers to loader_open_driver and loader_bind_extensions in Mesa's src/loader/loader.c.

The GL functions of such a driver are those of Mesa's glapi, a library that the driver needs: they
jump through the calling thread's table, which the driver sets when it makes a context current.
"""

import ctypes
import os
from typing import Any, NamedTuple

from pydri.loader import abi
from pydri.loader.bind import LoaderError

#: the entry point's name before drivers had their own names in it: the list itself
OLD_LIST = "__driDriverExtensions"
GLAPI = ("_glapi_get_proc_address", "_glapi_get_proc_offset")


class CompiledMatch(NamedTuple):
    """An extension that a compiled driver must have, and the functions of it that we call."""

    name: str
    version: int
    field: str
    struct: Any
    needed: tuple[str, ...]
    optional: bool = False


MATCHES = (
    CompiledMatch(
        "DRI_Core", 1, "core", abi.Core,
        (
            "destroyScreen", "getExtensions", "getConfigAttrib", "destroyDrawable", "swapBuffers",
            "copyContext", "destroyContext", "bindContext", "unbindContext",
        ),
    ),
    CompiledMatch(
        "DRI_SWRast", 4, "swrast", abi.Swrast,
        ("createNewDrawable", "createContextAttribs", "createNewScreen2"),
    ),
    CompiledMatch(
        "DRI_CopySubBuffer", 1, "copy_sub_buffer", abi.CopySubBuffer, ("copySubBuffer",),
        optional=True,
    ),
)  # fmt: skip


class CompiledDriver(NamedTuple):
    """A compiled driver with its extensions in place.  It stays loaded: its threads may run."""

    name: str
    file: str
    extensions: int  # address of the driver's own list
    core: abi.Functions
    swrast: abi.Functions
    copy_sub_buffer: abi.Functions | None
    get_proc_address: Any  # glapi's: name -> address
    get_proc_offset: Any  # name -> a number, negative where glapi does not know the name


def _open(file: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(file, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        # dlopen names the file itself; of a library that the driver lacks it names that one
        raise LoaderError(str(error).removeprefix(f"{file}: ")) from None


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    found = getattr(library, name, None)
    if found is not None:
        found.restype, found.argtypes = result, arguments
    return found


def _list_of(library: ctypes.CDLL, function_name: str) -> int:
    """Address of the driver's list of extensions."""
    function = _function(library, function_name, ctypes.c_uint64)
    if function is not None:
        return int(function() or 0)
    try:
        return ctypes.addressof(ctypes.c_uint64.in_dll(library, OLD_LIST))
    except ValueError:
        raise LoaderError(f"driver exports no extensions (no function {function_name})") from None


def bind(listed: int) -> dict[str, abi.Functions | None]:
    """Bind what a driver's list offers; raise LoaderError with every complaint at once."""
    found: dict[str, int] = {}
    for address in abi.read_list(listed):
        found.setdefault(abi.read_text(abi.Extension.view(address).name), address)
    if not found:
        raise LoaderError("driver exports no extensions (its list is empty)")
    fields: dict[str, abi.Functions | None] = {}
    complaints = []
    for match in MATCHES:
        fields[match.field] = None
        address = found.get(match.name, 0)
        version = int(abi.Extension.view(address).version) if address else 0
        if version < match.version:
            if not match.optional:
                had = f", the driver has version {version}" if address else ""
                complaints.append(
                    f"did not find extension {match.name} version {match.version}{had}"
                )
            continue
        view = match.struct.view(address)
        missing = [name for name in match.needed if not getattr(view, name)]
        if missing:
            complaints.append(f"extension {match.name} lacks {', '.join(missing)}")
        else:
            fields[match.field] = abi.Functions(match.struct, address)
    if complaints:
        raise LoaderError("; ".join(complaints))
    return fields


def open_compiled(name: str, file: str, function_name: str) -> CompiledDriver:
    """Load a driver's library and bind it; raise LoaderError."""
    library = _open(file)
    listed = _list_of(library, function_name)
    fields: dict[str, Any] = bind(listed)
    address = _function(library, GLAPI[0], ctypes.c_uint64, ctypes.c_char_p)
    offset = _function(library, GLAPI[1], ctypes.c_int, ctypes.c_char_p)
    if address is None or offset is None:
        raise LoaderError("driver has no glapi that its GL functions could be asked of")
    return CompiledDriver(
        name, file, listed, get_proc_address=address, get_proc_offset=offset, **fields
    )
