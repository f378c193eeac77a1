# SPDX-License-Identifier: MIT
"""CompiledScreen: a compiled driver on a winsys.

Stage: between the fronts and a compiled driver.  In: what the loader has bound, a winsys.  Out: the
driver's screen, its configs and extensions, and what it says of itself.  Counterpart of
driswCreateScreenDriver in Mesa's src/glx/drisw_glx.c.
"""

import ctypes
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydri.api.apis import ES1, ES2
from pydri.dri.base import LOOKING, BaseScreen
from pydri.dri.compiled.callbacks import loader_extensions
from pydri.dri.compiled.configs import read_configs
from pydri.dri.compiled.context import CompiledContext
from pydri.dri.compiled.drawable import CompiledDrawable
from pydri.dri.config import DriConfig, ScreenConfig, color_layout, screen_configs
from pydri.dri.request import Versions
from pydri.loader import LoaderError, abi
from pydri.loader.compiled import CompiledDriver
from pydri.pipe.format import BY_NAME, linear, srgb_view
from pydri.util import log

if TYPE_CHECKING:
    from pydri.dri.context import ContextAttribs
    from winsys_x11.base import SwWinsys
    from winsys_x11.visuals import Visual

#: extension of GLX or EGL -> the extension of a driver without which it is not there
_NEEDS = {
    "GLX_ARB_context_flush_control": "DRI_FlushControl",
    "GLX_ARB_create_context_robustness": "DRI_Robustness",
    "GLX_EXT_texture_from_pixmap": "DRI_TexBuffer",
    "GLX_MESA_copy_sub_buffer": "DRI_CopySubBuffer",
    "GLX_MESA_query_renderer": "DRI_RENDERER_QUERY",
    "EGL_EXT_create_context_robustness": "DRI_Robustness",
    "EGL_KHR_context_flush_control": "DRI_FlushControl",
    "EGL_NV_post_sub_buffer": "DRI_CopySubBuffer",
}
#: what such drivers have no words for
_NEVER = {
    "GLX_EXT_buffer_age",
    "EGL_EXT_buffer_age",
    # images of its textures are there for its own loader's lists, which ours is not
    "EGL_KHR_gl_renderbuffer_image",
    "EGL_KHR_gl_texture_2D_image",
    "EGL_KHR_gl_texture_3D_image",
    "EGL_KHR_gl_texture_cubemap_image",
    "EGL_KHR_image_base",
}
_CORE_PROFILE_BIT, _COMPATIBILITY_PROFILE_BIT = 1, 2
#: how many numbers an attribute of the renderer has; the others one
_NUMBERS = {
    abi.RENDERER_VERSION: 3,
    abi.RENDERER_OPENGL_CORE_PROFILE_VERSION: 2,
    abi.RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION: 2,
    abi.RENDERER_OPENGL_ES_PROFILE_VERSION: 2,
    abi.RENDERER_OPENGL_ES2_PROFILE_VERSION: 2,
}
_NONE = (0, 0)


class CompiledScreen(BaseScreen):
    """A screen of a compiled driver; `handle` is the driver's own."""

    def __init__(self, winsys: "SwWinsys", driver: CompiledDriver, number: int = 0) -> None:
        super().__init__(winsys)
        self.driver = driver
        self._keep = ctypes.create_string_buffer(8)  # the loader's own data of the screen: nothing
        configs = ctypes.c_uint64()
        self.handle = int(
            driver.swrast.createNewScreen2(
                number, loader_extensions(winsys.shares_memory), driver.extensions,
                ctypes.addressof(configs), ctypes.addressof(self._keep),
            )
        )  # fmt: skip
        if not self.handle:
            raise LoaderError(f"driver {driver.name} ({driver.file}) could not make a screen")
        self._users = 0  # contexts and drawables
        self._ended = False
        self._configs = read_configs(driver.core, configs.value)
        self._extensions = self._read_extensions()
        self.tex_buffer = self._bind("DRI_TexBuffer", 2, abi.TexBuffer)
        self._query = self._bind("DRI_RENDERER_QUERY", 1, abi.RendererQuery)
        offered = {*self._extensions, *(("DRI_CopySubBuffer",) if driver.copy_sub_buffer else ())}
        self.lacks = frozenset(_NEVER | {x for x, need in _NEEDS.items() if need not in offered})
        self.flush_address = int(driver.get_proc_address(b"glFlush"))
        command = ctypes.CFUNCTYPE(None)
        self.glFlush = command(self.flush_address)
        self.glFinish = command(int(driver.get_proc_address(b"glFinish")))
        self._versions = self._read_versions()
        log.info(
            f"driver {driver.name} ({driver.file}): {self.name}, {len(self._configs)} configs,"
            f" extensions {' '.join(sorted(self._extensions))}"
        )

    def _read_extensions(self) -> dict[str, int]:
        listed = self.driver.core.getExtensions(self.handle)
        return {
            abi.read_text(abi.Extension.view(address).name): address
            for address in abi.read_list(listed)
        }

    def _bind(self, name: str, version: int, struct: Any) -> abi.Functions | None:
        address = self._extensions.get(name, 0)
        if not address or abi.Extension.view(address).version < version:
            return None
        return abi.Functions(struct, address)

    # -- what it is -------------------------------------------------------------------------------

    def _read_versions(self) -> Versions:
        def version(attribute: int) -> tuple[int, int]:
            told = self._numbers(attribute)
            return (told[0], told[1]) if told else _NONE

        core = version(abi.RENDERER_OPENGL_CORE_PROFILE_VERSION)
        compat = version(abi.RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION)
        embedded = {
            ES1: version(abi.RENDERER_OPENGL_ES_PROFILE_VERSION),
            ES2: version(abi.RENDERER_OPENGL_ES2_PROFILE_VERSION),
        }
        return Versions(
            compat if compat > _NONE else (1, 0),
            core if core > _NONE else None,
            {api: number for api, number in embedded.items() if number > _NONE},
        )

    @property
    def offers(self) -> Versions:
        return self._versions

    @property
    def name(self) -> str:
        told = self.renderer(abi.RENDERER_DEVICE_ID, text=True)
        return told if isinstance(told, str) else self.driver.name

    def _numbers(self, attribute: int) -> tuple[int, ...] | None:
        values = (ctypes.c_uint32 * 4)()  # room for more than any attribute has
        if self._query is None or self._query.queryInteger(
            self.handle, attribute, ctypes.addressof(values)
        ):
            return None
        return tuple(values[: _NUMBERS.get(attribute, 1)])

    def renderer(self, attribute: int, text: bool = False) -> tuple[int, ...] | str | None:
        if text:
            where = ctypes.c_uint64()
            if self._query is None or self._query.queryString(
                self.handle, attribute, ctypes.addressof(where)
            ):
                return None
            return abi.read_text(where.value)
        told = self._numbers(attribute)
        if told and attribute == abi.RENDERER_PREFERRED_PROFILE:
            core = told[0] >> abi.API_OPENGL_CORE & 1  # the driver tells a set of APIs
            return (_CORE_PROFILE_BIT if core else _COMPATIBILITY_PROFILE_BIT,)
        return told

    # -- what it makes ----------------------------------------------------------------------------

    def has(self, config: DriConfig) -> bool:
        return config in self._configs

    def supports(self, format_name: str, samples: int = 0) -> bool:
        return any(
            format_name in (c.color_format, c.depth_format) and c.samples == samples
            for c in self._configs
        )

    def configs(
        self, visuals: "Iterable[Visual]", pixmap_depths: Iterable[int]
    ) -> list[ScreenConfig]:
        return screen_configs(visuals, self.supports, pixmap_depths, self.has)

    def handle_of(self, config: DriConfig) -> int:
        """The driver's own config."""
        return self._configs[config]

    def config_for_both(self, config: DriConfig) -> DriConfig | None:
        """None: Mesa takes a single-buffered drawable of a double-buffered context for one that
        nobody sees, and shows nothing (st_manager_flush_frontbuffer)."""
        return None

    def create_context(
        self, config: DriConfig | None, share: Any, attribs: "ContextAttribs | None" = None
    ) -> CompiledContext:
        return CompiledContext(self, config, share, attribs)

    def create_drawable(
        self, config: DriConfig, surface: Any, xid: int = 0, encoded: bool = False
    ) -> CompiledDrawable:
        if encoded:
            view = srgb_view(linear(BY_NAME[config.color_format]))
            if view is not None:
                config = config._replace(layout=color_layout(view.name))
        return CompiledDrawable(self, config, surface, xid)

    def use(self) -> None:
        """Somebody has something that the driver's screen made."""
        with LOOKING:
            self._users += 1

    def let_go(self) -> None:
        """Somebody has nothing of it any more."""
        with LOOKING:
            self._users -= 1
        self._end_if_unused()

    def destroy(self) -> None:
        """The driver's screen goes with the last context or drawable: a display may be closed while
        they are there."""
        self._ended = True
        self._end_if_unused()

    def _end_if_unused(self) -> None:
        with LOOKING:
            ends = self._ended and not self._users and self.handle
            handle, self.handle = (self.handle, 0) if ends else (0, self.handle)
        if handle:
            self.driver.core.destroyScreen(handle)


__all__ = ["CompiledScreen"]
