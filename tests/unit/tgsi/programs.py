# SPDX-License-Identifier: MIT
"""Random fragment programs by ureg, as a state tracker of TGSI's days wrote them.

In: a seed. Out: tokens that are sane, end, and compute numbers that stay small, so that drivers
must agree on every bit. Inputs, outputs and constant blocks are those of
tests/unit/pipe_soft/random_shaders.py.
"""

from __future__ import annotations

import random

from pydri.pipe.format import BY_NAME as BY_FORMAT
from pydri.tgsi.build.ureg import Ureg
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.opcodes import BY_NAME
from pydri.tgsi.tokens.parse import Memory
from pydri.tgsi.tokens.registers import Dst, Src

MODES = (t.INTERPOLATE_PERSPECTIVE, t.INTERPOLATE_LINEAR, t.INTERPOLATE_PERSPECTIVE,
         t.INTERPOLATE_CONSTANT)  # fmt: skip
VECTORS = {0: 6, 1: 4}  # of the constant blocks
FLOATS = ("ADD", "MUL", "MAD", "FLR", "FRC", "CMP", "SLT", "SGE", "SEQ", "SNE", "LRP", "DP2",
          "DP3", "DP4", "ROUND", "TRUNC", "CEIL", "SSG", "DST", "MOV")  # fmt: skip
INTEGERS = ("UADD", "AND", "OR", "XOR", "NOT", "SHL", "USHR", "ISHR", "IMAX", "IMIN", "UMUL",
            "USEQ", "ISLT", "USGE", "INEG", "POPC", "UCMP")  # fmt: skip
#: what gives no infinities, and one answer for zeros
DOUBLES = ("DADD", "DMUL", "DMAD", "DFMA", "DABS", "DNEG", "DFLR", "DCEIL", "DTRUNC", "DROUND",
           "DFRAC", "DSSG")  # fmt: skip
LONGS = ("U64ADD", "U64MUL", "I64NEG", "I64ABS", "I64SSG", "I64MIN", "I64MAX", "U64MIN", "U64MAX",
         "I64DIV", "U64DIV", "I64MOD", "U64MOD", "U64SHL", "I64SHR", "U64SHR")  # fmt: skip
TESTS = ("DSLT", "DSGE", "DSEQ", "DSNE", "U64SEQ", "U64SNE", "I64SLT", "U64SLT", "I64SGE",
         "U64SGE")  # fmt: skip
#: conversions by what they give: doubles, long numbers, whole numbers
TO_DOUBLE = ("F2D", "I2D", "U2D", "I642D", "U642D")
TO_LONG = ("F2I64", "F2U64", "I2I64", "U2I64", "D2I64", "D2U64")
TO_INT = ("D2I", "D2U")
#: atomics that any order of invocations gives the same of; a buffer each, which nothing reads
ATOMS = ("ATOMUADD", "ATOMAND", "ATOMOR", "ATOMXOR", "ATOMUMIN", "ATOMUMAX", "ATOMIMIN",
         "ATOMIMAX")  # fmt: skip
#: buffers: one that is read alone, one that pixels write, one for each atomic; their dwords
READ, WRITTEN, FIRST_ATOM = 0, 1, 2
DWORDS = (13, 64 * 64 * 4, *[7] * len(ATOMS))
#: images: one that is read alone, one that pixels write
IMAGES = ("R16G16_SINT", "R32G32B32A32_FLOAT")
ARRAY = 4  # temporaries that are indexed


PLAIN = Memory(0, t.TEXTURE_UNKNOWN, 0)


def image_access(number: int) -> Memory:
    """How an image is accessed."""
    return Memory(0, t.TEXTURE_2D, BY_FORMAT[IMAGES[number]].number)


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
        self.wide = seed % 2 == 1  # numbers of 64 bits, too
        self.memory = seed % 4 >= 2  # buffers, images, counters, too
        if self.memory:
            self.declare_memory()
        if self.wide:
            self.doubles = [u.decl_temporary() for _ in range(2)]
            self.longs = [u.decl_temporary() for _ in range(2)]

    def tokens(self) -> list[int]:
        u, r = self.u, self.r
        for temp in (*self.floats, *(self.array.offset(n) for n in range(ARRAY))):
            u.MOV(temp, self.source())
        for temp in self.ints:
            u.F2I(temp, self.source())
        if self.wide:
            for temp in self.doubles:
                u.F2D(temp, self.source())
            for temp in self.longs:
                u.I2I64(temp, self.integer())
        if self.memory:
            self.place_of_pixel()
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
        plain += [self.of_doubles] * 3 + [self.of_longs] * 2 + [self.narrow] if self.wide else []
        if self.memory:
            plain += [self.load, self.store_pixel, self.atomic, self.size]
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

    # ---- 64 bits
    def operand(self, kind: str) -> Src:
        """A source of a type of `Opcode.wide`; numbers of 64 bits have a sign, too."""
        r, u = self.r, self.u
        if kind == "f":
            return self.source()
        if kind in "iu":
            return self.integer()
        if kind == "d":
            made = u.imm_f64(r.choice((0.5, -1.25)), r.choice((3.0, 0.0)))
            src = r.choice([*(temp.src() for temp in self.doubles), made])
        else:
            made = u.imm_int64(r.randint(-5, 5) << r.choice((0, 33)), r.randint(0, 3))
            src = r.choice([*(temp.src() for temp in self.longs), made])
        src = src.swizzle(*r.choice(((0, 1, 2, 3), (2, 3, 0, 1), (0, 1, 0, 1))))
        src = src.abs() if r.random() < 0.2 else src
        return src.negate() if r.random() < 0.3 else src

    def wide_op(self, names: tuple[str, ...], dst: Dst) -> None:
        op = BY_NAME[self.r.choice(names)]
        mask = dst.writemask(self.r.choice((3, 12, 15)))
        self.u.insn(op.name, [mask], [self.operand(kind) for kind in op.wide[2:]])

    def of_doubles(self) -> None:
        dst = self.r.choice(self.doubles)
        self.wide_op(DOUBLES if self.r.random() < 0.7 else TO_DOUBLE, dst)
        self.u.DFRAC(dst, dst.src())  # no number grows

    def of_longs(self) -> None:
        dst = self.r.choice(self.longs)
        self.wide_op(LONGS if self.r.random() < 0.7 else TO_LONG, dst)

    def narrow(self) -> None:
        """32 bits of 64."""
        r, u = self.r, self.u
        if r.random() < 0.4:
            u.D2F(r.choice(self.floats).writemask(r.choice((1, 6, 9, 8))), self.operand("d"))
            return
        op = BY_NAME[r.choice((*TESTS, *TO_INT))]
        dst = r.choice(self.ints).writemask(r.choice((1, 6, 9, 8)))
        u.insn(op.name, [dst], [self.operand(kind) for kind in op.wide[2:]])

    # ---- memory
    def declare_memory(self) -> None:
        u = self.u
        self.place = u.decl_fs_input(t.SEMANTIC_POSITION, 0, t.INTERPOLATE_LINEAR)
        for number in range(len(DWORDS)):
            u.decl_buffer(number)
        for number, name in enumerate(IMAGES):
            u.decl_image(number, t.TEXTURE_2D, BY_FORMAT[name].number, number == 1)
        u.decl_hw_atomic(0, 3, 0)
        self.pixel = u.decl_temporary()

    def place_of_pixel(self) -> None:
        """x and y of the pixel, and in z the bytes where its dwords begin."""
        u, pixel = self.u, self.pixel
        u.F2I(pixel.writemask(3), self.place)
        u.UMAD(pixel.writemask(4), pixel.src().scalar(1), u.imm_int(64), pixel.src().scalar(0))
        u.SHL(pixel.writemask(4), pixel.src(), u.imm_int(4))

    def load(self) -> None:
        u, dst = self.u, self.r.choice(self.ints).writemask(self.r.randint(1, 15))
        if self.r.random() < 0.6:
            u.LOAD(dst, Src(t.FILE_BUFFER, READ), self.integer(), memory=PLAIN)
        else:
            u.LOAD(dst, Src(t.FILE_IMAGE, 0), self.integer(), memory=image_access(0))

    def store_pixel(self) -> None:
        """To dwords, or a texel, that are this pixel's."""
        u, dst = self.u, Dst(t.FILE_BUFFER, WRITTEN, self.r.randint(1, 15))
        if self.r.random() < 0.5:
            u.STORE(dst, self.pixel.src().scalar(2), self.integer(), memory=PLAIN)
        else:
            dst = Dst(t.FILE_IMAGE, 1)
            u.STORE(dst, self.pixel.src(), self.source(), memory=image_access(1))

    def atomic(self) -> None:
        u, work = self.u, self.u.decl_temporary()
        number = self.r.randrange(len(ATOMS))
        address = self.r.choice((u.imm_int(4 * self.r.randrange(8)), self.integer()))
        if self.r.random() < 0.2:
            counter = Src(t.FILE_HW_ATOMIC, self.r.randrange(4)).dimension(0)
            u.ATOMUADD(work, counter, u.imm_int(0), self.integer(), memory=PLAIN)
        else:
            buffer = Src(t.FILE_BUFFER, FIRST_ATOM + number)
            u.insn(ATOMS[number], [work], [buffer, address, self.integer()], memory=PLAIN)
        u.release_temporary(work)

    def size(self) -> None:
        dst = self.r.choice(self.ints).writemask(self.r.randint(1, 3))
        if self.r.random() < 0.5:
            self.u.RESQ(dst, Src(t.FILE_BUFFER, READ), memory=PLAIN)
        else:
            self.u.RESQ(dst, Src(t.FILE_IMAGE, 0), memory=image_access(0))

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
