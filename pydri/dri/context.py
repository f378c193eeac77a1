# SPDX-License-Identifier: MIT
"""DriContext: a pipe context with a GL context on top of it.

Stage: between GLX and the state tracker.  In: a DriScreen, a config, the attributes that
glXCreateContextAttribsARB was given.  Out: something that can be bound to drawables.  The state
tracker gives us the GL context through one hook, `pydri.st.context.create_context`.  Counterpart of
dri_create_context and dri_make_current in Mesa's gallium/frontends/dri/dri_context.c.

What the hook returns (`gl` below) has: `address` (the native GLContext), `make_current(draw, read)`
with DriDrawables or None, `draw` and `read` (what is bound), `lose_current()`, `flush()`,
`destroy()`.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api.apis import COMPAT
from pydri.dri.base import CONTEXTS, LOOKING, BaseContext
from pydri.util import log
from pydri.util.garbage import held

if TYPE_CHECKING:
    from pydri.dri.drawable import DriDrawable
    from pydri.dri.screen import DriScreen


class ContextAttribs(NamedTuple):
    """What a program asked for; the defaults are those of glXCreateContext."""

    major: int = 1
    minor: int = 0
    api: int = COMPAT
    forward_compatible: bool = False
    debug: bool = False
    robust_access: bool = False
    no_error: bool = False
    lose_context_on_reset: bool = False
    flush_on_release: bool = True


class ContextError(RuntimeError):
    """A context cannot be made; the text says why."""


class DriContext(BaseContext):
    """A GL context and the pipe context it draws with."""

    switches_natively = True

    @held
    def __init__(
        self,
        screen: "DriScreen",
        config: Any,
        share: "DriContext | None" = None,
        attribs: ContextAttribs | None = None,
    ) -> None:
        self.screen = screen
        self.config = config
        self.attribs = attribs = attribs or ContextAttribs()
        try:
            from pydri.st.context import create_context
        except ImportError as error:
            raise ContextError(f"the state tracker cannot be loaded: {error}") from error
        self.pipe = screen.pipe.context_create()
        try:
            self.gl: Any = create_context(self.pipe, config, share.gl if share else None, attribs)
        except Exception as error:
            self.pipe.destroy()
            raise ContextError(f"{type(error).__name__}: {error}") from error
        CONTEXTS[self.address] = self

    @property
    def draw(self) -> "DriDrawable | None":
        """What is drawn to."""
        found: DriDrawable | None = self.gl.draw
        return found

    @property
    def read(self) -> "DriDrawable | None":
        """What is read from."""
        found: DriDrawable | None = self.gl.read
        return found

    @property
    def address(self) -> int:
        """Where the native GLContext lies."""
        return int(self.gl.address)

    def _make_current(self, draw: "DriDrawable | None", read: "DriDrawable | None") -> None:
        self.gl.make_current(draw, read)

    def _finish(self) -> None:
        self.flush()
        if self.draw is not None:
            self.draw.flush_front()

    def _lose_current(self) -> None:
        self.gl.lose_current()

    def flush_commands(self) -> None:
        self.gl.flush()

    def flush(self) -> None:
        self.gl.flush()
        self.pipe.finish()

    def copy_state(self, source: "DriContext", mask: int) -> bool:
        copy = getattr(self.gl, "copy_state", None)
        if copy is None:
            return False
        source.gl.flush()
        copy(source.gl, mask)
        return True

    def bind_pixmap(self, drawable: "DriDrawable", index: int, alpha: bool) -> None:
        from pydri.dri.teximage import bind_pixmap

        bind_pixmap(self, drawable, index, alpha)

    def bind_pbuffer(self, drawable: "DriDrawable", alpha: bool) -> bool:
        from pydri.dri.teximage import bind_pbuffer

        bind_pbuffer(self, drawable, alpha)
        return True

    def destroy(self) -> None:
        try:
            with LOOKING:
                CONTEXTS.pop(self.address, None)
            self.gl.destroy()
        except Exception as error:  # an error here must not end a program that is closing down
            log.error(f"destroying a context: {type(error).__name__}: {error}")
        self.pipe.destroy()
