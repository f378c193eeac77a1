# SPDX-License-Identifier: MIT
"""The driver's core image: every kernel that no pipeline state changes, compiled once.

Setup kernels of the single pipelines call `lp_reserve` and its kin by name; the addresses are
registered when this image is loaded."""

from __future__ import annotations

from typing import Any

from pipe_llvm.native import SAMPLE_POSITIONS
from pydri.jit.fpstate import FLUSHED
from pydri.jit.kernel import Kernel, Module
from pydri.util.once import once

SHARED = (
    "lp_reserve",
    "lp_scene_state",
    "lp_new_chunk",
    "lp_bin_large",
    *(f"lp_bin_large_{n}x" for n in SAMPLE_POSITIONS),
    "lp_bin_large_smooth",
    "lp_bin_box",
    "lp_block_masks_samples",
    "lp_small_triangles",
    "lp_stamps",
    "lp_cover",
)


def _exports() -> list[Kernel]:
    from pipe_llvm.blit.copy_region import lp_copy_region
    from pipe_llvm.blit.record import lp_blit
    from pipe_llvm.draw.draw import lp_draw_vbo
    from pipe_llvm.fragment.area import lp_cover
    from pipe_llvm.fragment.stamps import block_masks_samples, lp_stamps
    from pipe_llvm.rast.execute import lp_finish, lp_flush, lp_retire, lp_worker
    from pipe_llvm.rast.resolve import lp_resolve, resolve_pending
    from pipe_llvm.rast.samples import lp_spread
    from pipe_llvm.rast.split import lp_split
    from pipe_llvm.scene import new_chunk, scene_state
    from pipe_llvm.setup.bin_large import bin_large, bin_samples, bin_smooth, lp_bin_box
    from pipe_llvm.setup.clear import lp_clear
    from pipe_llvm.setup.recording import reserve
    from pipe_llvm.setup.rect import lp_draw_rect, lp_upload
    from pipe_llvm.setup.small import small_triangles
    from pipe_llvm.transfer import lp_transfer_map

    return [
        lp_draw_vbo,
        lp_clear,
        lp_draw_rect,
        lp_upload,
        lp_flush,
        lp_finish,
        lp_resolve,
        resolve_pending,
        lp_blit,
        lp_copy_region,
        lp_split,
        lp_transfer_map,
        lp_retire,
        lp_worker,
        reserve,
        scene_state,
        new_chunk,
        bin_large,
        *bin_samples.values(),
        bin_smooth,
        lp_bin_box,
        block_masks_samples,
        small_triangles,
        lp_spread,
        lp_stamps,
        lp_cover,
    ]


def core_module() -> Module:
    """The module of all kernels that pipelines share."""
    floats = FLUSHED._replace(without=SHARED, outside=("lp_resolve",))
    return Module("lp_core", _exports, floats=floats)


@once
def core_image() -> Any:
    """The loaded core image (made on first use)."""
    from pydri.jit.image import register_extern

    image = core_module().compile()
    for name in SHARED:
        register_extern(name, image.address(name))
    return image
