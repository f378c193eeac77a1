# SPDX-License-Identifier: MIT
"""The driver `swrast`: the name under which programs and scripts ask for Mesa's software renderer;
it is llvmpipe.
"""

from pydri.loader.drivers.llvmpipe_dri import create_screen
from pydri.loader.extensions import DriExtension, swrast_extensions


def __driDriverGetExtensions_swrast() -> list[DriExtension]:
    """Return what the loader binds."""
    return swrast_extensions("swrast", create_screen)
