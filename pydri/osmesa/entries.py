# SPDX-License-Identifier: MIT
"""Importing this registers every OSMesa entry point; the boot does it once, before the first one is
called.

In: nothing.  Out: the modules below have put their functions into pydri.api.dispatch.OSMESA. No
driver is loaded here: that waits for the first context.
"""

from pydri.osmesa import context, current, query

MODULES = (context, current, query)
