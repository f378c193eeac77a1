# SPDX-License-Identifier: MIT
"""The image of triangle setup for any inputs (any_inputs.py).

In: nothing. Out: the image, which the build has made: a start that draws with it imports nothing
that traces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import Module
from pydri.jit.fpstate import INSIDE
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit import Kernel
    from pydri.jit.image import Image

NAME = "lp_setup_any"


def _kernels() -> list[Kernel]:
    from pipe_llvm.setup import any_inputs

    return any_inputs.kernels(NAME)


def any_module() -> Module:
    """The module of the kernel, which the build makes."""
    return Module(NAME, _kernels, floats=INSIDE)


@once
def any_image() -> Image:
    """The loaded kernel."""
    return any_module().compile()


__all__ = ["NAME", "any_image", "any_module"]
