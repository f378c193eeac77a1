# SPDX-License-Identifier: MIT
"""Importing this registers every glX entry point; the boot does it once, before the first one is
called.

In: nothing.  Out: the modules below have put their functions into pydri.api.dispatch.GLX_ENTRIES.
Nothing here opens a library or loads a driver: that waits for the first question about a display.
"""

from pydri.glx import (
    context,
    current,
    drawable,
    events,
    pixmap,
    query,
    swap,
    sync,
    texture,
    visual,
    xfont,
)

MODULES = (context, current, drawable, events, pixmap, query, swap, sync, texture, visual, xfont)
