# SPDX-License-Identifier: MIT
"""The loader: finds a driver by its name and binds what it offers.

In: LIBGL_DRIVERS_PATH and its friends.  Out: `BoundDriver`, from which pydri.dri makes a screen.
How to write a driver of one's own: docs/driver-of-your-own.md.
"""

from pydri.loader.bind import BoundDriver, LoaderError
from pydri.loader.search import driver_name, load_driver, search_path

__all__ = ["BoundDriver", "LoaderError", "driver_name", "load_driver", "search_path"]
