# SPDX-License-Identifier: MIT
"""Importing this registers every glX entry point; the boot does it once, before the first one is
called.

In: nothing.  Out: the modules below have put their functions into pydri.api.dispatch.GLX_ENTRIES;
of those that few programs need it knows the names (GLX.late).
Nothing here opens a library or loads a driver: that waits for the first question about a display.
"""

from pydri.api.dispatch import GLX
from pydri.glx import context, current, drawable, events, query, swap, visual

MODULES = (context, current, drawable, events, query, swap, visual)

GLX.comes_late("pydri.glx.pixmap", """
    glXCreatePixmap glXDestroyPixmap glXCreateGLXPixmap glXCreateGLXPixmapMESA
    glXCreateGLXPixmapWithConfigSGIX glXDestroyGLXPixmap
""")
GLX.comes_late("pydri.glx.sync", """
    glXGetSyncValuesOML glXGetMscRateOML glXSwapBuffersMscOML glXWaitForMscOML glXWaitForSbcOML
    glXGetVideoSyncSGI glXWaitVideoSyncSGI
""")
GLX.comes_late("pydri.glx.texture", "glXBindTexImageEXT glXReleaseTexImageEXT")
GLX.comes_late("pydri.glx.xfont", "glXUseXFont")
