# SPDX-License-Identifier: MIT
"""DriScreen: a driver, found by name, on a winsys.

Stage: between GLX and the driver.  In: a winsys (and, through pydri.loader, the environment).  Out:
the PipeScreen and what it can draw to.  Counterpart of driCreateNewScreen2 and drisw_init_screen in
Mesa's gallium/frontends/dri (driCreateNewScreen2).
"""

from itertools import count
from typing import TYPE_CHECKING, Any

from pydri.loader import BoundDriver, LoaderError, load_driver
from pydri.pipe.format import BY_NAME
from pydri.pipe.resource import BIND_DEPTH, BIND_DISPLAY, BIND_RENDER, TARGET_2D
from pydri.util import log

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen
    from winsys_x11.base import SwWinsys


_serials = count(1)


class DriScreen:
    """One driver instance; GLX has one a screen of a display."""

    def __init__(self, winsys: "SwWinsys", driver: BoundDriver) -> None:
        self.winsys = winsys
        self.serial = next(_serials)  # what kernels compare
        self.driver = driver
        try:
            self.pipe: PipeScreen = driver.swrast.create_new_screen(winsys)
        except Exception as error:
            raise LoaderError(
                f"driver {driver.name} ({driver.file}) could not make a screen:"
                f" {type(error).__name__}: {error}"
            ) from error

    def supports(self, format_name: str, samples: int = 0) -> bool:
        """Whether a window's colour or depth buffer may have this format, and so many samples a
        pixel.
        """
        row = BY_NAME.get(format_name)
        if row is None:
            return False
        bind = BIND_DEPTH if row.kind == "zs" else BIND_RENDER | BIND_DISPLAY
        return self.pipe.is_format_supported(row.number, TARGET_2D, max(samples, 1), bind)

    def destroy(self) -> None:
        """Let the driver go."""
        self.driver.core.destroy_screen(self.pipe)


def create_screen(winsys: Any) -> DriScreen | None:
    """Find a driver and make a screen; on failure say why and return None."""
    try:
        driver = load_driver()
    except LoaderError as error:
        from pydri.loader import driver_name

        log.error(str(error))
        log.error(f"failed to load driver: {driver_name()}")
        return None
    try:
        return DriScreen(winsys, driver)
    except LoaderError as error:
        log.error(str(error))
        log.error(f"failed to load driver: {driver.name}")
        return None
