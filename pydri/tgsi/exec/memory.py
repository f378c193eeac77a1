# SPDX-License-Identifier: MIT
"""Instructions on buffers, images and counters for machine.py.

In: a machine, an instruction, the lanes.  Out: a register or memory that was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydri.nir.memory import image_place, image_sizes
from pydri.tgsi.tokens.resources import Access, access_of, coordinates

if TYPE_CHECKING:
    from pydri.tgsi.exec.lanes import Arr
    from pydri.tgsi.exec.machine import Machine
    from pydri.tgsi.tokens.parse import Instruction


def run_access(machine: Machine, instr: Instruction, mask: Arr) -> None:
    """Run an instruction of resources.ACCESSES."""
    access = access_of(machine.stream, instr)
    operands = [machine.fetch(src, "i") for src in access.operands]
    live = mask & ~machine.discarded & ~machine.helpers
    run = _image if access.space == "image" else _block
    found = run(machine, access, operands, live, instr.dsts[0].mask)
    if found is not None:
        out = np.zeros((4, machine.lanes), np.uint32)
        out[: len(found)] = found
        if len(found) == 1:
            out[:] = found
        machine.store(instr.dsts[0], out, mask)


def _block(
    machine: Machine, access: Access, operands: list[Arr], live: Arr, wrmask: int
) -> Arr | None:
    block = machine.resources.block(access.space, access.number)
    if access.what == "size":
        return np.full((1, machine.lanes), block.size, np.uint32)
    offset = operands[0][0] + np.uint32(access.base)
    if access.what == "load":
        return block.load(offset, 4)
    if access.what == "store":
        block.store(offset, operands[1], wrmask, live)
        return None
    return block.atomic(access.what, offset, [part[0] for part in operands[1:]], live)


def _image(
    machine: Machine, access: Access, operands: list[Arr], live: Arr, wrmask: int
) -> Arr | None:
    image, target = machine.resources.image(access.number), access.target
    assert target is not None
    array = target.layer >= 0
    if access.what == "size":
        sizes = image_sizes(image, target.dim, array)
        sizes += [0] * (4 - len(sizes))
        return np.tile(np.array(sizes, np.uint32)[:, None], (1, machine.lanes))
    place = image_place(operands[0][: coordinates(target)], target.dim, array)
    if access.what == "load":
        return image.load(place)
    if access.what == "store":
        image.store(place, operands[1], live)
        return None
    return image.atomic(access.what, place, [part[0] for part in operands[1:]], live)
