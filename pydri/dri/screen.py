# SPDX-License-Identifier: MIT
"""DriScreen: a driver, found by name, on a winsys.

Stage: between GLX and the driver.  In: a winsys (and, through pydri.loader, the environment).  Out:
the PipeScreen and what it can draw to.  Counterpart of driCreateNewScreen2 and drisw_init_screen in
Mesa's gallium/frontends/dri (driCreateNewScreen2).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydri.dri.base import BaseScreen
from pydri.dri.config import DriConfig, ScreenConfig, screen_configs
from pydri.loader import BoundDriver, LoaderError, load_driver
from pydri.pipe.format import BY_NAME
from pydri.pipe.resource import BIND_DEPTH, BIND_DISPLAY, BIND_RENDER, TARGET_2D
from pydri.util import log
from pydri.util.garbage import held

if TYPE_CHECKING:
    from pydri.dri.context import ContextAttribs, DriContext
    from pydri.dri.drawable import DriDrawable
    from pydri.pipe.interface import PipeScreen
    from winsys_x11.base import SwWinsys
    from winsys_x11.visuals import Visual


class DriScreen(BaseScreen):
    """A driver on the pipe interface."""

    def __init__(self, winsys: "SwWinsys", driver: BoundDriver) -> None:
        super().__init__(winsys)
        self.driver = driver
        try:
            self.pipe: PipeScreen = driver.swrast.create_new_screen(winsys)
        except Exception as error:
            raise LoaderError(
                f"driver {driver.name} ({driver.file}) could not make a screen:"
                f" {type(error).__name__}: {error}"
            ) from error

    @property
    def offers(self) -> "PipeScreen":
        return self.pipe

    @property
    def name(self) -> str:
        return self.pipe.get_name()

    def supports(self, format_name: str, samples: int = 0) -> bool:
        row = BY_NAME.get(format_name)
        if row is None:
            return False
        bind = BIND_DEPTH if row.kind == "zs" else BIND_RENDER | BIND_DISPLAY
        return self.pipe.is_format_supported(row.number, TARGET_2D, max(samples, 1), bind)

    def configs(
        self, visuals: "Iterable[Visual]", pixmap_depths: Iterable[int]
    ) -> list[ScreenConfig]:
        return screen_configs(visuals, self.supports, pixmap_depths)

    def create_context(
        self, config: DriConfig | None, share: Any, attribs: "ContextAttribs | None" = None
    ) -> "DriContext":
        from pydri.dri.context import DriContext

        return DriContext(self, config, share, attribs)

    def create_drawable(
        self, config: DriConfig, surface: Any, xid: int = 0, encoded: bool = False
    ) -> "DriDrawable":
        from pydri.dri.drawable import DriDrawable

        return DriDrawable(self, config, surface, xid, encoded)

    def destroy(self) -> None:
        self.driver.core.destroy_screen(self.pipe)


def _make_screen(winsys: Any, driver: Any, number: int) -> BaseScreen:
    if isinstance(driver, BoundDriver):
        return DriScreen(winsys, driver)
    from pydri.dri.compiled.screen import CompiledScreen

    return CompiledScreen(winsys, driver, number)


@held
def create_screen(winsys: Any, number: int = 0) -> BaseScreen | None:
    """Find a driver and make a screen; on failure say why and return None."""
    try:
        driver = load_driver()
    except LoaderError as error:
        from pydri.loader import driver_name

        log.error(str(error))
        log.error(f"failed to load driver: {driver_name()}")
        return None
    try:
        return _make_screen(winsys, driver, number)
    except LoaderError as error:
        log.error(str(error))
        log.error(f"failed to load driver: {driver.name}")
        return None
