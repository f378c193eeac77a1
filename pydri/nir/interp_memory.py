# SPDX-License-Identifier: MIT
"""Buffers, counters and images for interp.py: what the intrinsics mean.

In: an intrinsic, its sources, the lanes that are neither helpers nor discarded.  Out: the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydri.nir.intrinsics import IMAGE_DIMS
from pydri.nir.memory import Arr, Memory, image_place, image_sizes

if TYPE_CHECKING:
    from pydri.nir.ir import IntrinsicInstr


def access(memory: Memory, instr: IntrinsicInstr, srcs: list[Arr], live: Arr) -> Arr | None:
    """Run an intrinsic of memory; None if it gives nothing."""
    space, _, what = instr.name.partition("_")
    if space == "image":
        return _image(memory, instr, what, srcs, live)
    if "counter" in instr.name:
        block = memory.block("counter", instr.indices["base"])
        what = instr.name.removeprefix("atomic_counter_")
        if what == "read":
            return block.load(srcs[0][0], 1)
        return block.atomic(what, srcs[0][0], [part[0] for part in srcs[1:]], live)
    block = memory.block("ssbo", instr.indices["buffer"])
    if instr.name == "store_ssbo":
        block.store(srcs[1][0], srcs[0], instr.indices["wrmask"], live)
        return None
    if instr.name == "get_ssbo_size":
        return np.full((1, len(live)), block.size, np.uint32)
    if instr.name == "load_ssbo":
        assert instr.dest is not None
        return block.load(srcs[0][0], instr.dest.num_components)
    what = instr.name.removeprefix("ssbo_atomic_")
    return block.atomic(what, srcs[0][0], [part[0] for part in srcs[1:]], live)


def _image(
    memory: Memory, instr: IntrinsicInstr, what: str, srcs: list[Arr], live: Arr
) -> Arr | None:
    image = memory.image(instr.indices["image"])
    dim, array = IMAGE_DIMS[instr.indices["dim"]], bool(instr.indices["array"])
    if what == "size":
        sizes = image_sizes(image, dim, array)
        return np.tile(np.array(sizes, np.uint32)[:, None], (1, len(live)))
    place = image_place(srcs[0], dim, array)
    if what == "load":
        assert instr.dest is not None
        return image.load(place)[: instr.dest.num_components]
    if what == "store":
        image.store(place, srcs[1], live)
        return None
    data = [part[0] for part in srcs[1:]]
    return image.atomic(what.removeprefix("atomic_"), place, data, live)
