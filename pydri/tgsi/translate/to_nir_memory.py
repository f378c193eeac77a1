# SPDX-License-Identifier: MIT
"""Instructions on buffers, images and counters for to_nir.py: nir's intrinsics of them.

In: a builder, what an instruction does (resources.py), its operands.  Out: intrinsics, and the
components that are written to its register.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydri.nir.builder import Builder
from pydri.nir.ir import SSADef
from pydri.tgsi.tokens.registers import Src
from pydri.tgsi.tokens.resources import Access, coordinates, image_indices

#: components of an operand
Operand = Callable[[Src, Sequence[int]], SSADef]


def translate_access(
    b: Builder, access: Access, operand: Operand, wrmask: int
) -> SSADef | None:
    """The value of all components of the mask; None if the instruction gives none."""
    made = _image if access.space == "image" else _block
    found = made(b, access, operand, wrmask)
    if found is None:
        return None
    places = [n for n in range(4) if wrmask >> n & 1]
    last = found.num_components - 1
    if last == 0:
        return b.swizzle(found, (0,) * len(places))
    return b.swizzle(found, tuple(min(n, last) for n in places))


def _block(b: Builder, access: Access, operand: Operand, wrmask: int) -> SSADef | None:
    counter = access.space == "counter"
    where = {"base" if counter else "buffer": access.number}
    if access.what == "size":
        return b.intrinsic("get_ssbo_size", indices=where).dest
    offset = operand(access.operands[0], (0,))
    if access.base:
        offset = b.iadd(offset, access.base)
    if access.what == "load":
        if counter:
            return b.intrinsic("atomic_counter_read", offset, indices=where).dest
        count = wrmask.bit_length()
        return b.intrinsic("load_ssbo", offset, indices=where, num_components=count).dest
    if access.what == "store":
        value = operand(access.operands[1], range(wrmask.bit_length()))
        b.intrinsic("store_ssbo", value, offset, indices={**where, "wrmask": wrmask})
        return None
    data = [operand(src, (0,)) for src in access.operands[1:]]
    prefix = "atomic_counter" if counter else "ssbo_atomic"
    return b.intrinsic(f"{prefix}_{access.what}", offset, *data, indices=where).dest


def _image(b: Builder, access: Access, operand: Operand, wrmask: int) -> SSADef | None:
    indices, target = image_indices(access), access.target
    assert target is not None
    if access.what == "size":
        count = 2 if target.dim == "Cube" else target.size
        count += target.layer >= 0
        sizes = b.intrinsic("image_size", indices=indices, num_components=count).dest
        assert sizes is not None
        parts = b.components(sizes)
        return b.vec(*parts, *[b.imm_int(0)] * (4 - len(parts)))
    place = operand(access.operands[0], range(coordinates(target)))
    if access.what == "load":
        return b.intrinsic("image_load", place, indices=indices).dest
    if access.what == "store":
        b.intrinsic("image_store", place, operand(access.operands[1], range(4)), indices=indices)
        return None
    data = [operand(src, (0,)) for src in access.operands[1:]]
    return b.intrinsic(f"image_atomic_{access.what}", place, *data, indices=indices).dest
