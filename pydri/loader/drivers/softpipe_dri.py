# SPDX-License-Identifier: MIT
"""The driver `softpipe`: pipe_soft behind the loader's contract.

Stage: driver file, found by name.  pipe_soft, and with it numpy, is imported when a screen is made.
Counterpart of Mesa's softpipe in gallium/targets/dri/target.c.
"""

from typing import Any

from pydri.loader.extensions import DriExtension, swrast_extensions


def create_screen(winsys: Any) -> Any:
    """Return pipe_soft's screen on a winsys."""
    import pipe_soft

    return pipe_soft.create_screen(winsys)


def __driDriverGetExtensions_softpipe() -> list[DriExtension]:
    """Return what the loader binds."""
    return swrast_extensions("softpipe", create_screen)
