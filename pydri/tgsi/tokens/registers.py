# SPDX-License-Identifier: MIT
"""Operands: source and destination registers with their indirections and second dimensions.

In: numbers, or other operands (`src.swizzle(...)`, `dst.writemask(...)`).  Out: immutable tuples
that ureg takes, that streams are parsed into, and the tokens of each.  One form for both, where
Mesa has ureg_src beside tgsi_full_src_register: `array_id` is what an indirection of this register
is told (ureg_src.ArrayID), and `saturate` what the instruction is (ureg_dst.Saturate); a register
that was parsed has 0 in both.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.tgsi.tokens.enums import FILE_INPUT, FILE_NULL, FILE_OUTPUT, WRITEMASK_XYZW
from pydri.tgsi.tokens.layout import pack

IDENTITY = (0, 1, 2, 3)


class Ind(NamedTuple):
    """An indirection: the register, and its component, whose value is added to an index."""

    file: int
    number: int
    swizzle: int = 0
    array_id: int = 0

    def token(self) -> int:
        """The word of tgsi_ind_register."""
        return pack(
            "ind", File=self.file, Index=self.number, Swizzle=self.swizzle, ArrayID=self.array_id
        )


class Dim(NamedTuple):
    """The second dimension of a register: which constant block, which vertex."""

    number: int
    indirect: Ind | None = None

    def tokens(self) -> list[int]:
        """The words of tgsi_dimension and of what follows it."""
        first = pack("dimension", Indirect=self.indirect is not None, Index=self.number)
        return [first, *([self.indirect.token()] if self.indirect else [])]


class Src(NamedTuple):
    """A source register."""

    file: int
    number: int = 0
    swz: tuple[int, int, int, int] = IDENTITY
    negated: bool = False
    absolute: bool = False
    ind: Ind | None = None
    dim: Dim | None = None
    array_id: int = 0

    def swizzle(self, x: int, y: int, z: int, w: int) -> Src:
        """Components of what this operand reads (ureg_swizzle)."""
        s = self.swz
        return self._replace(swz=(s[x], s[y], s[z], s[w]))

    def scalar(self, component: int) -> Src:
        """One component, four times (ureg_scalar)."""
        return self.swizzle(component, component, component, component)

    def negate(self) -> Src:
        """The other sign (ureg_negate)."""
        return self._replace(negated=not self.negated)

    def abs(self) -> Src:
        """The magnitude (ureg_abs); a sign that was given before goes."""
        return self._replace(absolute=True, negated=False)

    def indirect(self, address: Src) -> Src:
        """With the first component of `address` added to the index (ureg_src_indirect)."""
        return self._replace(ind=_by(address, self.array_id))

    def dimension(self, index: int) -> Src:
        """Of this block or vertex (ureg_src_dimension)."""
        return self._replace(dim=Dim(index))

    def dimension_indirect(self, address: Src, index: int) -> Src:
        """Of a block or vertex that an address says (ureg_src_dimension_indirect)."""
        return self._replace(dim=Dim(index, _by(address, self.array_id)))

    def offset(self, by: int) -> Src:
        """The register so many further (ureg_src_array_offset)."""
        return self._replace(number=self.number + by)

    def dst(self) -> Dst:
        """The same register, to be written (ureg_dst)."""
        return Dst(self.file, self.number, ind=self.ind, dim=self.dim, array_id=self.array_id)

    def tokens(self) -> list[int]:
        """The words of tgsi_src_register and of what follows it."""
        x, y, z, w = self.swz
        first = pack(
            "src", File=self.file, Indirect=self.ind is not None, Dimension=self.dim is not None,
            Index=self.number, SwizzleX=x, SwizzleY=y, SwizzleZ=z, SwizzleW=w,
            Absolute=self.absolute, Negate=self.negated,
        )  # fmt: skip
        return [first, *_behind(self.ind, self.dim)]


class Dst(NamedTuple):
    """A destination register."""

    file: int
    number: int = 0
    mask: int = WRITEMASK_XYZW
    ind: Ind | None = None
    dim: Dim | None = None
    array_id: int = 0
    saturated: bool = False

    def writemask(self, mask: int) -> Dst:
        """Only these components of what it writes (ureg_writemask)."""
        return self._replace(mask=self.mask & mask)

    def saturate(self) -> Dst:
        """Results are clamped to [0, 1] (ureg_saturate)."""
        return self._replace(saturated=True)

    def indirect(self, address: Src) -> Dst:
        """With the first component of `address` added to the index (ureg_dst_indirect)."""
        return self._replace(ind=_by(address, self.array_id))

    def dimension(self, index: int) -> Dst:
        """Of this vertex (ureg_dst_dimension)."""
        return self._replace(dim=Dim(index))

    def dimension_indirect(self, address: Src, index: int) -> Dst:
        """Of a vertex that an address says (ureg_dst_dimension_indirect)."""
        return self._replace(dim=Dim(index, _by(address, self.array_id)))

    def offset(self, by: int) -> Dst:
        """The register so many further (ureg_dst_array_offset)."""
        return self._replace(number=self.number + by)

    def src(self) -> Src:
        """The same register, to be read (ureg_src)."""
        return Src(self.file, self.number, ind=self.ind, dim=self.dim, array_id=self.array_id)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written (ureg_dst_is_empty)."""
        return self.file != FILE_NULL and not self.mask

    def tokens(self) -> list[int]:
        """The words of tgsi_dst_register and of what follows it."""
        first = pack(
            "dst", File=self.file, WriteMask=self.mask, Indirect=self.ind is not None,
            Dimension=self.dim is not None, Index=self.number,
        )  # fmt: skip
        return [first, *_behind(self.ind, self.dim)]


def _by(address: Src, array_id: int) -> Ind:
    """The indirection by the first component of an address, in an array."""
    return Ind(address.file, address.number, address.swz[0], array_id)


def _behind(ind: Ind | None, dim: Dim | None) -> list[int]:
    """What stands behind a register: its indirection, its second dimension."""
    return [*([ind.token()] if ind else []), *(dim.tokens() if dim else [])]


def without_array(register: Src | Dst) -> Src | Dst:
    """Inputs and outputs for drivers that know no arrays of them: indirections name none."""
    if register.file not in (FILE_INPUT, FILE_OUTPUT):
        return register
    if register.ind:
        register = register._replace(ind=register.ind._replace(array_id=0))
    if register.dim and register.dim.indirect:
        inner = register.dim.indirect._replace(array_id=0)
        register = register._replace(dim=register.dim._replace(indirect=inner))
    return register


class TexOffset(NamedTuple):
    """Offsets of a texture's coordinates: three components of a register."""

    file: int
    number: int
    swz: tuple[int, int, int] = (0, 1, 2)

    def token(self) -> int:
        """The word of tgsi_texture_offset."""
        x, y, z = self.swz
        return pack(
            "offset", Index=self.number, File=self.file, SwizzleX=x, SwizzleY=y, SwizzleZ=z
        )
