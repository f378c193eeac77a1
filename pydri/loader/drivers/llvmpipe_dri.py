# SPDX-License-Identifier: MIT
"""The driver `llvmpipe`: pipe_llvm behind the loader's contract.

Stage: driver file, found by name.  pipe_llvm is imported when a screen is made, so that a look at
the extensions costs nothing.  Counterpart of `__driDriverGetExtensions_swrast` in Mesa's
gallium/targets/dri/target.c.
"""

from typing import Any

from pydri.loader.extensions import DriExtension, swrast_extensions


def create_screen(winsys: Any) -> Any:
    """Return pipe_llvm's screen on a winsys."""
    import pipe_llvm

    return pipe_llvm.create_screen(winsys)


def __driDriverGetExtensions_llvmpipe() -> list[DriExtension]:
    """Return what the loader binds."""
    return swrast_extensions("llvmpipe", create_screen)
