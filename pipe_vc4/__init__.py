# SPDX-License-Identifier: MIT
"""VC4: a compiler for Broadcom's VideoCore IV (nir -> QIR -> registers -> QPU words), and what
simulates it. See README.md.
"""

from __future__ import annotations

from typing import Any

from pydri.pipe.interface import PipeScreen


def create_screen(winsys: Any) -> PipeScreen:
    """The driver on a winsys."""
    from pipe_vc4.screen import Vc4Screen

    return Vc4Screen(winsys)
