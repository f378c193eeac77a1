# SPDX-License-Identifier: MIT
"""EGL errors: how an entry point fails, and who hears of it (EGL 1.5 section 3.1, EGL_KHR_debug).

In: functions marked `@egl`, which raise `EglError`.  Out: the calling thread's error code (in the
shim's thread block, where eglGetError finds it), a message for EGL_KHR_debug's callback and for
LIBGL_DEBUG=verbose.  A failed call changes nothing else.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from pydri.api import dispatch, egl_table
from pydri.api import egl_enums as e
from pydri.api.dispatch import egl_entry
from pydri.util import log

F = TypeVar("F", bound=Callable[..., Any])

# Called with (command, code, text) where an error is generated; debug.py puts itself here.
LISTENERS: list[Callable[[str, int, str], None]] = []


class EglError(Exception):
    """A mistake of the program: `raise EglError(e.EGL_BAD_MATCH, "why")` in an entry point."""

    def __init__(self, code: int, why: str = "") -> None:
        super().__init__(why)
        self.code = code


def set_error(code: int) -> None:
    """Set the calling thread's error; EGL_SUCCESS is stored as 0."""
    dispatch.thread().egl_error = 0 if code == e.EGL_SUCCESS else code


def _fail(command: str, code: int, why: str) -> None:
    set_error(code)
    log.debug(f"{e.name_of(code)} in {command}{': ' + why if why else ''}")
    for listener in LISTENERS:
        listener(command, code, why)


def egl(function: F) -> F:
    """Mark `def eglFoo(dpy, ...)` as an entry point; a failure returns 0 or null."""
    command = function.__name__
    wanted, code = len(egl_table.TABLE.row(command).params), function.__code__
    if code.co_argcount != wanted:
        raise TypeError(f"{command} has {wanted} parameters ({code.co_filename})")

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        try:
            result = function(*args)
        except EglError as mistake:
            _fail(command, mistake.code, str(mistake))
            return None
        except MemoryError as problem:
            _fail(command, e.EGL_BAD_ALLOC, str(problem))
            return None
        except Exception:
            set_error(e.EGL_BAD_ALLOC)  # ours, not the program's; dispatch reports it
            raise
        set_error(e.EGL_SUCCESS)
        return result

    egl_entry(call)
    return function


__all__ = ["LISTENERS", "EglError", "egl", "set_error"]
