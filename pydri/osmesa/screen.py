# SPDX-License-Identifier: MIT
"""The one screen of OSMesa: there is no display to have several of.

In: nothing, but the driver that the environment names. Out: a DriScreen, made at the first context;
RuntimeError where no driver can be had (which the loader has said).
"""

from pydri.dri.screen import DriScreen, create_screen
from pydri.osmesa import native
from pydri.util.once import once
from winsys_x11.null import NullWinsys


@once
def screen() -> DriScreen:
    """The driver's screen; with it come the kernels."""
    found = create_screen(NullWinsys())
    if found is None:
        raise RuntimeError("OSMesa has no driver")
    if not isinstance(found, DriScreen):
        found.destroy()
        raise RuntimeError("OSMesa draws with a driver on the pipe interface, not a compiled one")
    native.FRONT.install()
    return found
