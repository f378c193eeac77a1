# SPDX-License-Identifier: MIT
"""EGLDevices: one, the processor (EGL_EXT_device_base, EGL_MESA_device_software)."""

from typing import Any

from pydri.api import egl_enums as e
from pydri.egl.attribs import ATTRIB, store
from pydri.egl.display import live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.platform import DEVICE, is_device
from pydri.egl.strings import c_string
from winsys_x11.xlib import address, pointer

EXTENSIONS = "EGL_MESA_device_software"


def _check(device: Any) -> None:
    if not is_device(address(device)):
        raise EglError(e.EGL_BAD_DEVICE_EXT, "no such device")


@egl
def eglQueryDevicesEXT(max_devices: int, devices: Any, num_devices: Any) -> int:
    """The devices, or how many there are."""
    wanted = address(devices)
    if (wanted and max_devices <= 0) or not address(num_devices):
        raise EglError(e.EGL_BAD_PARAMETER, "no room for the answer")
    if wanted:
        pointer("uintptr_t *", devices)[0] = DEVICE
    store(num_devices, 1)
    return 1


@egl
def eglQueryDeviceAttribEXT(device: Any, attribute: int, value: Any) -> int:
    """There are no attributes."""
    _check(device)
    raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")


@egl
def eglQueryDeviceStringEXT(device: Any, name: int) -> Any:
    """Which extensions describe the device."""
    _check(device)
    if name != e.EGL_EXTENSIONS:
        raise EglError(e.EGL_BAD_PARAMETER, f"name {e.name_of(name)}")
    return c_string(EXTENSIONS)


@egl
def eglQueryDisplayAttribKHR(dpy: Any, name: int, value: Any) -> int:
    """The device of a display, and whether it counts references."""
    display = live_display(dpy)
    answers = {
        e.EGL_DEVICE_EXT: DEVICE,
        e.EGL_TRACK_REFERENCES_KHR: int(display.tracks_references),
    }
    if name not in answers:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(name)}")
    store(value, answers[name], ATTRIB)
    return 1

