# SPDX-License-Identifier: MIT
"""The target model of an allocation: registers, conflicts, classes, and the p and q of these.

A register is a number below `RaRegs.count`; sets of registers are ints with a bit each.  Two
registers conflict when a value in one destroys the other (each with itself always).  A class is the
set of registers that a value may be in; in a class of `contig` n a value in register r holds r to
r + n - 1.
"""

from __future__ import annotations

from collections.abc import Iterator


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits set in a mask, rising."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class RaClass:
    """The registers that a value may be in."""

    __slots__ = ("contig", "index", "p", "q", "regs", "taken")

    def __init__(self, index: int, contig: int) -> None:
        self.index = index
        self.contig = contig
        self.regs = 0
        #: how many registers the class has (after ra_set_finalize)
        self.p = 0
        #: q[C.index]: how many registers of this class one value of class C takes away, at most
        self.q: list[int] = []
        #: register of this class -> all registers that a value in it makes unusable
        self.taken: dict[int, int] = {}


class RaRegs:
    """A set of registers with its conflicts and classes."""

    __slots__ = ("classes", "conflicts", "count", "final")

    def __init__(self, count: int) -> None:
        self.count = count
        self.conflicts = [1 << r for r in range(count)]
        self.classes: list[RaClass] = []
        self.final = False

    def blocked(self, regs_class: RaClass, other: RaClass, reg: int) -> int:
        """The registers of a class that a value in register `reg` of class `other` rules out."""
        taken = other.taken[reg]
        if regs_class.contig == 1:
            return regs_class.regs & taken
        mask = 0
        for start in bits(regs_class.regs):
            if ((1 << regs_class.contig) - 1) << start & taken:
                mask |= 1 << start
        return mask


def ra_alloc_reg_set(count: int) -> RaRegs:
    """A set of `count` registers without classes, where none conflicts with another."""
    return RaRegs(count)


def ra_add_reg_conflict(regs: RaRegs, a: int, b: int) -> None:
    """Registers a and b overlap."""
    regs.conflicts[a] |= 1 << b
    regs.conflicts[b] |= 1 << a


def ra_alloc_contig_reg_class(regs: RaRegs, contig: int) -> RaClass:
    """A new class whose values hold `contig` registers in a row."""
    if regs.final or contig < 1:
        raise ValueError("a class is made before ra_set_finalize, of one register a value or more")
    made = RaClass(len(regs.classes), contig)
    regs.classes.append(made)
    return made


def ra_class_add_reg(regs_class: RaClass, reg: int) -> None:
    """A value of the class may begin at `reg`."""
    regs_class.regs |= 1 << reg


def ra_set_finalize(regs: RaRegs) -> None:
    """Computes p and q of all classes; the set takes no more registers, conflicts or classes."""
    for made in regs.classes:
        if made.regs >> max(regs.count - made.contig + 1, 0):
            raise ValueError(f"class {made.index} has a value that ends beyond the last register")
        made.p = made.regs.bit_count()
        for reg in bits(made.regs):
            made.taken[reg] = 0
            for unit in range(reg, reg + made.contig):
                made.taken[reg] |= regs.conflicts[unit]
    for made in regs.classes:
        made.q = [
            max((regs.blocked(made, other, r).bit_count() for r in bits(other.regs)), default=0)
            for other in regs.classes
        ]
    regs.final = True
