# SPDX-License-Identifier: MIT
"""What a driver hands to the loader: four small abstract classes, each with a name and a version.

Stage: between loader and driver.  A driver `NAME` is a Python file `NAME_dri.py` (or a package
`NAME_dri/`) in a directory of LIBGL_DRIVERS_PATH; its function `__driDriverGetExtensions_NAME()`
returns a sequence of instances of these classes.  The loader binds them by name and checks the
version (pydri.loader.bind).

Mesa's versioned structs of function pointers (include/GL/internal/dri_interface.h, Mesa 22.3) had
these very names and numbers.  We keep names and numbers, since they carry the contract between
separately shipped loaders and drivers, and drop the struct layout: a Python class can say what is
missing from it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen

DRI_CORE = "DRI_Core"
DRI_SWRAST = "DRI_SWRast"
DRI_COPY_SUB_BUFFER = "DRI_CopySubBuffer"
DRI_MESA = "DRI_Mesa"

# The pydri.pipe interface that this tree speaks; DriMesa.interface_version answers it.
PIPE_INTERFACE_VERSION = 1


class DriExtension(ABC):
    """A named, versioned capability of a driver.  Higher versions keep what lower ones had."""

    name: str
    version: int


class DriCore(DriExtension):
    """The driver as a thing: who it is, and what becomes of a screen it made."""

    name = DRI_CORE
    version = 1

    @abstractmethod
    def driver_name(self) -> str:
        """Return the name by which messages call the driver."""

    def destroy_screen(self, screen: "PipeScreen") -> None:
        """Give back what belongs to a screen; the default leaves it to `screen.destroy()`."""
        destroy = getattr(screen, "destroy", None)
        if destroy is not None:
            destroy()


class DriSwrast(DriExtension):
    """A driver that renders in memory and presents through a software winsys."""

    name = DRI_SWRAST
    version = 4

    @abstractmethod
    def create_new_screen(self, winsys: Any) -> "PipeScreen":
        """Return a new PipeScreen that takes its displaytargets from `winsys`."""


class DriMesa(DriExtension):
    """Which generation of the interface between loader, state tracker and driver the driver was
    written for.
    """

    name = DRI_MESA
    version = 1

    def interface_version(self) -> int:
        """Return the PIPE_INTERFACE_VERSION that the driver implements."""
        return PIPE_INTERFACE_VERSION


class DriCopySubBuffer(DriExtension):
    """Optional: part of the back buffer may be presented while the rest stays
    (GLX_MESA_copy_sub_buffer).
    """

    name = DRI_COPY_SUB_BUFFER
    version = 1


class _SimpleCore(DriCore):
    def __init__(self, name: str) -> None:
        self._name = name

    def driver_name(self) -> str:
        return self._name


class _SimpleSwrast(DriSwrast):
    def __init__(self, create_screen: Callable[[Any], Any]) -> None:
        self._create_screen = create_screen

    def create_new_screen(self, winsys: Any) -> "PipeScreen":
        screen: PipeScreen = self._create_screen(winsys)
        return screen


def swrast_extensions(name: str, create_screen: Callable[[Any], Any]) -> list[DriExtension]:
    """Return the usual list for a driver that only has a `create_screen(winsys)` to offer."""
    return [_SimpleCore(name), _SimpleSwrast(create_screen), DriCopySubBuffer(), DriMesa()]
