# SPDX-License-Identifier: MIT
"""EGL_KHR_debug: a function of the program hears of errors; objects and threads carry labels.

In: errors (errors.py).  Out: calls of the program's callback on the thread that made the mistake.
"""

import threading
from typing import Any

from pydri.api import egl_enums as e
from pydri.egl.attribs import ATTRIB, read_pairs, store
from pydri.egl.display import find_display
from pydri.egl.errors import LISTENERS, EglError, egl
from winsys_x11.xlib import address, ffi

_CALLBACK = "void (*)(unsigned int, const char *, int32_t, void *, void *, const char *)"
_CRITICAL, _ERROR = e.EGL_DEBUG_MSG_CRITICAL_KHR, e.EGL_DEBUG_MSG_ERROR_KHR
_WARN, _INFO = e.EGL_DEBUG_MSG_WARN_KHR, e.EGL_DEBUG_MSG_INFO_KHR

_callback = [0]
_enabled = {_CRITICAL: True, _ERROR: True, _WARN: False, _INFO: False}
_labels = threading.local()  # .thread: the calling thread's label


def _tell(command: str, code: int, why: str) -> None:
    kind = _CRITICAL if code == e.EGL_BAD_ALLOC else _ERROR
    if not _callback[0] or not _enabled[kind]:
        return
    label = ffi.cast("void *", getattr(_labels, "thread", 0))
    ffi.cast(_CALLBACK, _callback[0])(
        code, ffi.new("char[]", command.encode()), kind, label, ffi.NULL,
        ffi.new("char[]", f"{e.name_of(code)}: {why}".encode()),
    )  # fmt: skip


LISTENERS.append(_tell)


@egl
def eglDebugMessageControlKHR(callback: Any, attrib_list: Any) -> int:
    """Set the callback and what it hears of; returns an error code."""
    asked: dict[int, bool] = {}
    for attribute, value in read_pairs(attrib_list, ATTRIB):
        if attribute not in _enabled:
            raise_later = EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
            return _refused("eglDebugMessageControlKHR", raise_later)
        asked[attribute] = bool(value)
    _callback[0] = address(callback)
    if _callback[0]:
        _enabled.update(asked)
    else:
        _enabled.update({_CRITICAL: True, _ERROR: True, _WARN: False, _INFO: False})
    return e.EGL_SUCCESS


def _refused(command: str, mistake: EglError) -> int:
    """Functions that return their error have no other way to tell it but the callback."""
    _tell(command, mistake.code, str(mistake))
    return mistake.code


@egl
def eglQueryDebugKHR(attribute: int, value: Any) -> int:
    """What was set."""
    if attribute in _enabled:
        answer = int(_enabled[attribute])
    elif attribute == e.EGL_DEBUG_CALLBACK_KHR:
        answer = _callback[0]
    else:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    store(value, answer, ATTRIB)
    return 1


@egl
def eglLabelObjectKHR(display: Any, objectType: int, object: Any, label: Any) -> int:
    """Name a thread or an object for the messages; returns an error code."""
    if objectType == e.EGL_OBJECT_THREAD_KHR:
        _labels.thread = address(label)
        return e.EGL_SUCCESS
    try:
        _label(find_display(display), objectType, address(object), address(label))
    except EglError as mistake:
        return _refused("eglLabelObjectKHR", mistake)
    return e.EGL_SUCCESS


def _label(display: Any, kind: int, handle: int, label: int) -> None:
    if kind == e.EGL_OBJECT_DISPLAY_KHR:
        if handle != display.handle:
            raise EglError(e.EGL_BAD_PARAMETER, "the object is not the display")
        display.label = label
        return
    tables: dict[int, dict[int, Any]] = {
        e.EGL_OBJECT_CONTEXT_KHR: display.contexts,
        e.EGL_OBJECT_SURFACE_KHR: display.surfaces,
        e.EGL_OBJECT_SYNC_KHR: display.syncs,
        e.EGL_OBJECT_IMAGE_KHR: {},
        e.EGL_OBJECT_STREAM_KHR: {},
    }
    found = tables.get(kind, {}).get(handle)
    if found is None:
        raise EglError(e.EGL_BAD_PARAMETER, f"no such object of type {e.name_of(kind)}")
    found.label = label
