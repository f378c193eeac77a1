# SPDX-License-Identifier: MIT
"""TABLE: instructions on buffers, images and counters, as nir's intrinsics have them.

In: an instruction and the stream that it is of.  Out: an `Access`: what is done to which resource,
with what operands; exec/memory.py and to_nir_memory.py run and translate that.  A counter's number
counts dwords.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.nir.intrinsics import IMAGE_DIMS
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.parse import Instruction, Stream
from pydri.tgsi.tokens.registers import Src
from pydri.tgsi.tokens.tex import TARGETS, Target, target_of

#: opcode -> nir's atomic
ATOMICS: Final[dict[str, str]] = {
    "ATOMUADD": "add", "ATOMXCHG": "exchange", "ATOMCAS": "comp_swap", "ATOMAND": "and",
    "ATOMOR": "or", "ATOMXOR": "xor", "ATOMUMIN": "umin", "ATOMUMAX": "umax", "ATOMIMIN": "imin",
    "ATOMIMAX": "imax", "ATOMFADD": "fadd", "ATOMINC_WRAP": "inc_wrap", "ATOMDEC_WRAP": "dec_wrap",
}  # fmt: skip
OPCODE_OF: Final = {what: name for name, what in ATOMICS.items()}
#: opcodes that are accesses of resources
ACCESSES: Final = frozenset((*ATOMICS, "LOAD", "STORE", "RESQ"))
SPACES: Final = {t.FILE_BUFFER: "ssbo", t.FILE_HW_ATOMIC: "counter", t.FILE_IMAGE: "image"}


class Lacking(ValueError):
    """A resource that there is no form of here; the text says which."""


class Access(NamedTuple):
    """What an instruction does."""

    space: str  # ssbo, counter, image
    number: int  # of the buffer, the image, the counters' binding
    base: int  # bytes to be added to the address: where a counter lies
    what: str  # load, store, size, or an atomic
    operands: tuple[Src, ...]  # the address or place first, then data
    target: Target | None  # of images
    format: int


def access_of(stream: Stream, instr: Instruction) -> Access:
    """The access of an instruction of `ACCESSES`."""
    name = instr.op.name
    resource = instr.dsts[0] if name == "STORE" else instr.srcs[0]
    space = SPACES.get(resource.file)
    if space is None:
        if resource.file == t.FILE_MEMORY:
            raise Lacking(f"{name}: these stages share no memory")
        raise Lacking(f"{name} of {t.word(t.FILES, resource.file)}")
    if resource.ind is not None or (resource.dim is not None and resource.dim.indirect):
        raise Lacking(f"{name}: resources that are chosen at run time")
    what = ATOMICS.get(name) or {"LOAD": "load", "STORE": "store"}.get(name, "size")
    operands = instr.srcs if name == "STORE" else instr.srcs[1:]
    number, base = resource.number, 0
    if space == "counter":
        number, base = (resource.dim.number if resource.dim else 0), 4 * resource.number
    target, format = _image(stream, instr, number) if space == "image" else (None, 0)
    return Access(space, number, base, what, operands, target, format)


def _image(stream: Stream, instr: Instruction, number: int) -> tuple[Target, int]:
    """Target and format: of the instruction, or as the image is declared."""
    for decl in stream.declarations:
        if decl.file == t.FILE_IMAGE and decl.first <= number <= decl.last and decl.image:
            found = decl.image.resource, decl.image.format
            break
    else:
        raise Lacking(f"IMAGE[{number}] is not declared")
    if instr.memory is not None and instr.memory.texture in TARGETS:
        found = instr.memory.texture, found[1]
    if found[0] not in TARGETS or TARGETS[found[0]].dim not in IMAGE_DIMS:
        raise Lacking(f"images of {t.word(t.TEXTURES, found[0])}")
    return TARGETS[found[0]], found[1]


def coordinates(target: Target) -> int:
    """How many an image has: the layer of cubes is 6 * layer + face, in the third."""
    return 3 if target.dim == "Cube" else target.size + (target.layer >= 0)


def image_indices(access: Access) -> dict[str, int]:
    """The indices of nir's intrinsics of images."""
    assert access.target is not None
    return {
        "image": access.number, "dim": IMAGE_DIMS.index(access.target.dim),
        "array": int(access.target.layer >= 0), "format": access.format,
    }  # fmt: skip


def image_target(dim: int, array: int) -> int:
    """TGSI's target of nir's indices."""
    return target_of(IMAGE_DIMS[dim], bool(array), False)


__all__ = [
    "ACCESSES", "Access", "Lacking", "OPCODE_OF", "access_of", "coordinates", "image_indices",
    "image_target",
]  # fmt: skip
