# SPDX-License-Identifier: MIT
"""Importing this registers every egl entry point; the boot does it once, before the first one is
called.

In: nothing.  Out: the modules below have put their functions into pydri.api.dispatch.EGL.entries.
Nothing here opens a library or loads a driver: that waits for eglInitialize.
"""

from pydri.egl import (
    choose,
    context,
    current,
    debug,
    device,
    display,
    image,
    surface,
    swap,
    sync,
)

MODULES = (choose, context, current, debug, device, display, image, surface, swap, sync)
