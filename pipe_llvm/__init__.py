# SPDX-License-Identifier: MIT
"""The llvmpipe-style driver: draw, setup, scene, rast and fragment kernels emitted through
pydri.jit.

In the order data flows: `context` (pipelines) -> `draw/` (fetch, shade, clip) -> `setup/` (edges,
planes, bins) -> `scene` (arena, bins) -> `rast/` (tiles, threads) -> `fragment/` with `gallivm/`
and `sample/` (coverage, shading, tests, blending). `blit/` copies and scales; `native` declares
every struct they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen


def create_screen(winsys: Any) -> PipeScreen:
    """A screen of this driver on a winsys."""
    from pipe_llvm.screen import LlvmScreen

    return LlvmScreen(winsys)
