# SPDX-License-Identifier: MIT
"""Importing this registers every egl entry point; the boot does it once, before the first one is
called.

In: nothing.  Out: the modules below have put their functions into pydri.api.dispatch.EGL.entries;
of those that few programs need it knows the names (EGL.late).
Nothing here opens a library or loads a driver: that waits for eglInitialize.
"""

from pydri.api.dispatch import EGL
from pydri.egl import choose, context, current, display, surface, swap

MODULES = (choose, context, current, display, surface, swap)

EGL.comes_late("pydri.egl.debug", """
    eglDebugMessageControlKHR eglQueryDebugKHR eglLabelObjectKHR
""")
EGL.comes_late("pydri.egl.device", """
    eglQueryDevicesEXT eglQueryDeviceAttribEXT eglQueryDeviceStringEXT eglQueryDisplayAttribKHR
""")
EGL.comes_late("pydri.egl.image", """
    eglCreateImage eglCreateImageKHR eglDestroyImage
""")
EGL.comes_late("pydri.egl.sync", """
    eglCreateSync eglCreateSyncKHR eglDestroySync eglClientWaitSync eglWaitSync eglWaitSyncKHR
    eglSignalSyncKHR eglGetSyncAttrib eglGetSyncAttribKHR
""")
