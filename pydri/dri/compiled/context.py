# SPDX-License-Identifier: MIT
"""CompiledContext: a context of a compiled driver.

Stage: between the fronts and a compiled driver.  In: a config, what to share with, the attributes
that the program asked for.  Out: the driver's own context, and the struct by which the shim's stubs
call it: nothing but a dispatch table (thunks.py), the same for all contexts, since the driver's
functions find their context in a variable of the thread that bindContext sets.  Counterpart of
drisw_create_context_attribs, drisw_bind_context and drisw_unbind_context in Mesa's
src/glx/drisw_glx.c.
"""

import ctypes
from typing import TYPE_CHECKING, Any

from pydri.api.apis import COMPAT, CORE, ES1
from pydri.dri.base import CONTEXTS, LOOKING, BaseContext
from pydri.dri.compiled.drawable import CompiledDrawable
from pydri.dri.compiled.thunks import dispatch_table
from pydri.dri.context import ContextAttribs, ContextError
from pydri.jit.image import function_address
from pydri.loader import abi
from pydri.util import log

if TYPE_CHECKING:
    from pydri.dri.compiled.screen import CompiledScreen

_TEXTURE_FORMAT_RGB, _TEXTURE_FORMAT_RGBA = 0x20D9, 0x20DA


def _api(attribs: ContextAttribs) -> int:
    if attribs.api == COMPAT:
        return abi.API_OPENGL
    if attribs.api == CORE:
        return abi.API_OPENGL_CORE
    if attribs.api == ES1:
        return abi.API_GLES
    return abi.API_GLES3 if attribs.major >= 3 else abi.API_GLES2


def attribute_list(attribs: ContextAttribs) -> list[int]:
    """The attributes as createContextAttribs takes them: pairs, those that are not said are usual.
    """
    found = [abi.CTX_MAJOR_VERSION, attribs.major, abi.CTX_MINOR_VERSION, attribs.minor]
    flags = (
        abi.CTX_FLAG_DEBUG * attribs.debug
        | abi.CTX_FLAG_FORWARD_COMPATIBLE * attribs.forward_compatible
        | abi.CTX_FLAG_ROBUST_BUFFER_ACCESS * attribs.robust_access
    )
    if attribs.lose_context_on_reset:
        found += [abi.CTX_RESET_STRATEGY, abi.CTX_RESET_LOSE_CONTEXT]
    if not attribs.flush_on_release:
        found += [abi.CTX_RELEASE_BEHAVIOR, abi.CTX_RELEASE_BEHAVIOR_NONE]
    if attribs.no_error:
        found += [abi.CTX_NO_ERROR, 1]
    if flags:
        found += [abi.CTX_FLAGS, flags]
    return found


class CompiledContext(BaseContext):
    """A context; `handle` is the driver's own."""

    def __init__(
        self,
        screen: "CompiledScreen",
        config: Any,
        share: "CompiledContext | None" = None,
        attribs: ContextAttribs | None = None,
    ) -> None:
        self.screen = screen
        self.config = config
        self.attribs = attribs = attribs or ContextAttribs()
        self._draw: CompiledDrawable | None = None
        self._read: CompiledDrawable | None = None
        self._bound = False
        driver = screen.driver
        self._core = driver.core
        words = attribute_list(attribs)
        listed = (ctypes.c_uint32 * len(words))(*words)
        error = ctypes.c_uint32()
        self.handle: int = int(
            driver.swrast.createContextAttribs(
                screen.handle, _api(attribs), screen.handle_of(config) if config else 0,
                share.handle if share else 0, len(words) // 2, ctypes.addressof(listed),
                ctypes.addressof(error), 0,
            )
        )  # fmt: skip
        if not self.handle:
            self._fail(error.value)
        self._struct = (ctypes.c_uint64 * 1)(
            dispatch_table(
                function_address(driver.get_proc_address), function_address(driver.get_proc_offset)
            )
        )
        screen.use()
        CONTEXTS[self.address] = self

    def _fail(self, error: int) -> None:
        known = error < len(abi.CTX_ERRORS)
        text = f"driver {self.screen.driver.name} makes no such context: " + (
            abi.CTX_ERRORS[error] if known else f"error {error}"
        )
        if error == abi.CTX_ERROR_NO_MEMORY:
            raise MemoryError(text)
        raise ContextError(text)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._struct)

    @property
    def draw(self) -> CompiledDrawable | None:
        return self._draw

    @property
    def read(self) -> CompiledDrawable | None:
        return self._read

    def _make_current(self, draw: CompiledDrawable | None, read: CompiledDrawable | None) -> None:
        if self._bound:  # the driver counts who has a drawable
            self._core.unbindContext(self.handle)
        self._bound = False
        done = self._core.bindContext(
            self.handle, draw.handle if draw else 0, read.handle if read else 0
        )
        if not done:
            raise MemoryError(f"driver {self.screen.driver.name} cannot draw there")
        self._draw, self._read, self._bound = draw, read, True

    def _finish(self) -> None:
        """The driver itself does what the release behaviour asks for."""

    def _lose_current(self) -> None:
        if self._bound:
            self._core.unbindContext(self.handle)
        self._draw, self._read, self._bound = None, None, False

    def flush_commands(self) -> None:
        self.screen.glFlush()

    def flush(self) -> None:
        self.screen.glFinish()

    def copy_state(self, source: Any, mask: int) -> bool:
        return bool(self._core.copyContext(self.handle, source.handle, mask))

    def bind_pixmap(self, drawable: CompiledDrawable, index: int, alpha: bool) -> None:
        from pydri.main.textures.tables import BIND_TARGETS

        extension = self.screen.tex_buffer
        if extension is None:
            return
        texels = _TEXTURE_FORMAT_RGBA if alpha else _TEXTURE_FORMAT_RGB
        extension.setTexBuffer2(self.handle, BIND_TARGETS[index], texels, drawable.handle)

    def bind_pbuffer(self, drawable: CompiledDrawable, alpha: bool) -> bool:
        return False

    def destroy(self) -> None:
        with LOOKING:
            CONTEXTS.pop(self.address, None)
        try:
            self._core.destroyContext(self.handle)
            self.screen.let_go()
        except Exception as error:  # an error here must not end a program that is closing down
            log.error(f"destroying a context: {type(error).__name__}: {error}")


__all__ = ["CompiledContext", "attribute_list"]
