# SPDX-License-Identifier: MIT
"""The llvmpipe-style driver: draw, setup, scene, rast and fragment kernels emitted through
pydri.jit.

In the order data flows: `context` (pipelines) -> `draw/` (fetch, shade, clip) -> `setup`,
`packet`, `bin_large` (edges and planes) -> `scene` (arena, bins, clears) -> `rast` (tiles,
threads) -> `fs` with `gallivm/` (coverage, shading, tests, blending). `native` declares every
struct they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen


def create_screen(winsys: Any) -> PipeScreen:
    """A screen of this driver on a winsys."""
    from pipe_llvm.screen import LlvmScreen

    return LlvmScreen(winsys)
