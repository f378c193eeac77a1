# SPDX-License-Identifier: MIT
"""Random fragment programs by ureg, as a state tracker of TGSI's days wrote them.

In: a seed. Out: tokens that are sane, end, and compute numbers that stay small, so that drivers
must agree on every bit. Inputs, outputs and constant blocks are those of
tests/unit/pipe_soft/random_shaders.py.
"""

from __future__ import annotations

import random

from pydri.tgsi import enums as t
from pydri.tgsi.opcodes import BY_NAME
from pydri.tgsi.registers import Dst, Src
from pydri.tgsi.ureg import Ureg

MODES = (t.INTERPOLATE_PERSPECTIVE, t.INTERPOLATE_LINEAR, t.INTERPOLATE_PERSPECTIVE,
         t.INTERPOLATE_CONSTANT)  # fmt: skip
VECTORS = {0: 6, 1: 4}  # of the constant blocks
FLOATS = ("ADD", "MUL", "MAD", "FLR", "FRC", "CMP", "SLT", "SGE", "SEQ", "SNE", "LRP", "DP2",
          "DP3", "DP4", "ROUND", "TRUNC", "CEIL", "SSG", "DST", "MOV")  # fmt: skip
INTEGERS = ("UADD", "AND", "OR", "XOR", "NOT", "SHL", "USHR", "ISHR", "IMAX", "IMIN", "UMUL",
            "USEQ", "ISLT", "USGE", "INEG", "POPC", "UCMP")  # fmt: skip
ARRAY = 4  # temporaries that are indexed


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.u = u = Ureg(t.FRAGMENT)
        self.inputs = [u.decl_fs_input(t.SEMANTIC_GENERIC, n, mode)
                       for n, mode in enumerate(MODES)]  # fmt: skip
        self.inputs.append(u.decl_fs_input(t.SEMANTIC_COLOR, 0, t.INTERPOLATE_COLOR))
        self.outputs = [u.decl_output(t.SEMANTIC_COLOR, n) for n in range(3)]
        for block, count in VECTORS.items():
            u.decl_constant2d(0, count - 1, block)
        self.floats = [u.decl_temporary() for _ in range(4)]
        self.ints = [u.decl_temporary() for _ in range(2)]
        self.array = u.decl_array_temporary(ARRAY)
        self.address = u.decl_address()
        self.depth = 0

    def tokens(self) -> list[int]:
        u, r = self.u, self.r
        for temp in (*self.floats, *(self.array.offset(n) for n in range(ARRAY))):
            u.MOV(temp, self.source())
        for temp in self.ints:
            u.F2I(temp, self.source())
        for part in (u.DDX, u.DDY):  # where all lanes are together
            part(r.choice(self.floats), r.choice(self.inputs))
        self.block(r.randint(4, 10))
        for out in self.outputs:
            u.MOV(out, self.source())
            self.store(out)
        u.END()
        found = u.finalize()
        assert found is not None
        return found

    # ---- operands
    def swizzled(self, src: Src) -> Src:
        return src.swizzle(*(self.r.randrange(4) for _ in range(4)))

    def source(self) -> Src:
        """Floats from anywhere, with a sign."""
        r, u = self.r, self.u
        block = r.randrange(2)
        src = r.choice([
            *self.inputs, *(temp.src() for temp in getattr(self, "floats", ())),
            u.imm(*(r.choice((0.0, 1.0, -1.0, 0.5, 2.5, -0.75)) for _ in range(r.randint(1, 4)))),
            Src(t.FILE_CONSTANT, 1).dimension(block),  # floats stand in the second vector
            self.array.offset(r.randrange(ARRAY)).src(),
        ])  # fmt: skip
        src = self.swizzled(src)
        src = src.abs() if r.random() < 0.2 else src
        return src.negate() if r.random() < 0.3 else src

    def integer(self) -> Src:
        r = self.r
        block = r.randrange(2)
        return self.swizzled(r.choice([
            *(temp.src() for temp in self.ints), self.u.imm_int(r.randint(-3, 9), r.randint(0, 3)),
            Src(t.FILE_CONSTANT, r.choice((0, 2))).dimension(block),
        ]))  # fmt: skip

    def index(self) -> Src:
        self.u.UARL(self.address.writemask(1), self.integer())
        return self.address.src().scalar(0)

    # ---- statements
    def block(self, count: int) -> None:
        for _ in range(count):
            self.r.choice(self.choices())()

    def choices(self) -> list:
        plain = [self.compute] * 5 + [self.whole] * 2 + [self.convert, self.indexed, self.constant]
        return plain if self.depth >= 3 else [*plain, self.branch, self.loop, self.kill]

    def store(self, dst: Dst) -> None:
        """Halve it, so that numbers stay small."""
        if self.r.random() < 0.5:
            self.u.MUL(dst, dst.src(), self.u.imm(0.5))

    def compute(self) -> None:
        op = BY_NAME[self.r.choice(FLOATS)]
        dst = self.r.choice(self.floats).writemask(self.r.randint(1, 15))
        if self.r.random() < 0.5:
            dst = dst.saturate()
        self.u.insn(op.name, [dst], [self.source() for _ in range(op.num_src)])
        self.u.FRC(dst, dst.src())  # no number grows

    def whole(self) -> None:
        op = BY_NAME[self.r.choice(INTEGERS)]
        dst = self.r.choice(self.ints).writemask(self.r.randint(1, 15))
        self.u.insn(op.name, [dst], [self.integer() for _ in range(op.num_src)])

    def convert(self) -> None:
        u, r = self.u, self.r
        if r.random() < 0.5:
            u.F2I(r.choice(self.ints).writemask(r.randint(1, 15)), self.source())
        else:
            dst = r.choice(self.floats).writemask(r.randint(1, 15))
            u.AND(dst, self.integer(), u.imm_int(7))
            u.I2F(dst, dst.src())

    def indexed(self) -> None:
        """Arrays, within them and beyond."""
        index = self.index()
        if self.r.random() < 0.5:
            self.u.MOV(self.r.choice(self.floats), self.array.src().indirect(index))
        else:
            dst = self.array.indirect(index).writemask(self.r.randint(1, 15))
            self.u.MOV(dst, self.source())

    def constant(self) -> None:
        src = Src(t.FILE_CONSTANT, self.r.randrange(3)).dimension(self.r.randrange(2))
        self.u.MOV(self.r.choice(self.ints), src.indirect(self.index()))

    def branch(self) -> None:
        u = self.u
        if self.r.random() < 0.5:
            label = u.UIF(self.integer())
        else:
            work = self.r.choice(self.floats)
            u.SLT(work.writemask(1), self.source(), self.source())
            label = u.IF(work.src().scalar(0))
        self.depth += 1
        self.block(self.r.randint(1, 3))
        u.fixup_label(label, u.get_instruction_number())
        if self.r.random() < 0.5:
            label = u.ELSE()
            self.block(self.r.randint(1, 3))
            u.fixup_label(label, u.get_instruction_number())
        u.ENDIF()
        self.depth -= 1

    def loop(self) -> None:
        u, r = self.u, self.r
        counter = u.decl_temporary()
        u.MOV(counter, u.imm_int(0))
        label = u.BGNLOOP()
        u.UADD(counter, counter.src(), u.imm_int(1))
        self.leave(lambda dst: u.ISLT(dst, u.imm_int(r.randint(1, 5)), counter.src()), "BRK")
        self.depth += 1
        self.block(r.randint(1, 3))
        name = r.choice(("BRK", "CONT"))
        self.leave(lambda dst: u.USEQ(dst, self.integer(), counter.src()), name)
        self.block(r.randint(0, 2))
        self.depth -= 1
        u.fixup_label(label, u.get_instruction_number())
        u.ENDLOOP()
        u.release_temporary(counter)

    def leave(self, condition, name: str) -> None:  # type: ignore[no-untyped-def]
        u = self.u
        work = u.decl_temporary()
        condition(work.writemask(1))
        u.UIF(work.src().scalar(0))
        u.release_temporary(work)
        getattr(u, name)()
        u.ENDIF()

    def kill(self) -> None:
        if self.r.random() < 0.3:
            self.u.KILL_IF(self.source())


def generate(seed: int) -> list[int]:
    """The program of a seed."""
    return Writer(seed).tokens()
