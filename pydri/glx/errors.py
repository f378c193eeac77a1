# SPDX-License-Identifier: MIT
"""X errors that GLX raises on the client's side, delivered to the program's own error handler.

In: an error of the GLX protocol or of the core.  Out: a call of the handler that the program has
set with XSetErrorHandler (Xlib's default one prints the error and ends the program, which is what
the specification means by "generates BadMatch").  Counterpart of __glXSendError in Mesa's
src/glx/glx_error.c.

Mesa calls `_XError` under the display lock, whose place in the Display is private; calling the
handler itself needs no private field.  A server without the GLX extension has no codes for GLX
errors: then the nearest core error stands in, so that a program which only asks "was there an
error" still hears of it.
"""

from typing import Any

from pydri.glx import enums as e
from pydri.util import log
from winsys_x11.xlib import ffi, libs

_CORE_FOR_GLX = {
    e.GLXBadContext: e.BadValue,
    e.GLXBadContextState: e.BadMatch,
    e.GLXBadDrawable: e.BadDrawable,
    e.GLXBadPixmap: e.BadPixmap,
    e.GLXBadContextTag: e.BadValue,
    e.GLXBadCurrentWindow: e.BadWindow,
    e.GLXBadRenderRequest: e.BadRequest,
    e.GLXBadLargeRequest: e.BadRequest,
    e.GLXUnsupportedPrivateRequest: e.BadRequest,
    e.GLXBadFBConfig: e.BadValue,
    e.GLXBadPbuffer: e.BadDrawable,
    e.GLXBadCurrentDrawable: e.BadDrawable,
    e.GLXBadWindow: e.BadWindow,
    e.GLXBadProfileARB: e.BadMatch,
}
_NAMES = {value: name for name, value in vars(e).items() if name.startswith("GLXBad")}
_CORE_NAMES = {value: name for name, value in vars(e).items() if name.startswith("Bad")}


def error_code(code: int, extension: tuple[int, int, int] | None, core: bool) -> int:
    """Return the error code as it appears in an XErrorEvent."""
    if core:
        return code
    if extension is None:
        return _CORE_FOR_GLX[code]
    return extension[2] + code


def send_error(
    display: Any,
    code: int,
    resource: int,
    minor: int,
    *,
    core: bool = False,
    extension: tuple[int, int, int] | None = None,
    why: str = "",
) -> None:
    """Raise an X error on `display` (a `Display*`); `extension` is what XQueryExtension says of
    GLX.
    """
    name = (_CORE_NAMES if core else _NAMES).get(code, str(code))
    log.debug(f"{name} (request {minor}, resource {resource:#x}){': ' + why if why else ''}")
    x11 = libs().x11
    event = ffi.new("XErrorEvent *")
    event.type = 0
    event.display = ffi.cast("Display *", display)
    event.resourceid = resource
    event.serial = max(x11.XNextRequest(event.display) - 1, 0)
    event.error_code = error_code(code, extension, core)
    event.request_code = extension[0] if extension else 0
    event.minor_code = minor
    # Where Xlib keeps it, as Xlibint.h declares. To ask XSetErrorHandler would put the default,
    # which ends the program, in its place for an instant: another thread may have an error then.
    handler = x11._XErrorFunction
    if handler != ffi.NULL:
        handler(event.display, event)
