# SPDX-License-Identifier: MIT
"""The driver `vc4`: pipe_vc4 behind the loader's contract.

Stage: driver file, found by name.  pipe_vc4, and with it numpy, is imported when a screen is made.
Counterpart of vc4 in Mesa's gallium/targets/dri/target.c; the hardware is simulated.
"""

from typing import Any

from pydri.loader.extensions import DriExtension, swrast_extensions


def create_screen(winsys: Any) -> Any:
    """Return pipe_vc4's screen on a winsys."""
    import pipe_vc4

    return pipe_vc4.create_screen(winsys)


def __driDriverGetExtensions_vc4() -> list[DriExtension]:
    """Return what the loader binds."""
    return swrast_extensions("vc4", create_screen)
