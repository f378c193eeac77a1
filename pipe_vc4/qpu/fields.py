# SPDX-License-Identifier: MIT
"""Every field of a QPU word: its place (mask, shift) and the values it can hold.

The one table of the encodings; constructors, text, rules and the simulator read it. Source:
"VideoCore IV 3D Architecture Reference Guide" (Broadcom, VideoCoreIV-AG100-R), section 3, "QPU
Instruction Encoding" and "QPU Register Address Map".

A seed's constant `QPU_A_OR` is `QPU_A.OR` here, `QPU_W_NOP` is `QPU_W.NOP`, and so on.
"""
from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

WORD_BITS = 64


class QPU_SIG_(IntEnum):
    """Signals: what one word may do beside its two operations."""

    BREAKPOINT = 0
    NONE = 1
    THREAD_SWITCH = 2
    PROG_END = 3
    WAIT_FOR_SCOREBOARD = 4
    SCOREBOARD_UNLOCK = 5
    LAST_THREAD_SWITCH = 6
    COVERAGE_LOAD = 7
    COLOR_LOAD = 8
    COLOR_LOAD_END = 9
    LOAD_TMU0 = 10
    LOAD_TMU1 = 11
    ALPHA_MASK_LOAD = 12
    SMALL_IMM = 13
    LOAD_IMM = 14
    BRANCH = 15


class QPU_A(IntEnum):
    """Operations of the add pipe."""

    NOP = 0
    FADD = 1
    FSUB = 2
    FMIN = 3
    FMAX = 4
    FMINABS = 5
    FMAXABS = 6
    FTOI = 7
    ITOF = 8
    ADD = 12
    SUB = 13
    SHR = 14
    ASR = 15
    ROR = 16
    SHL = 17
    MIN = 18
    MAX = 19
    AND = 20
    OR = 21
    XOR = 22
    NOT = 23
    CLZ = 24
    V8ADDS = 30
    V8SUBS = 31


#: Operations of the add pipe with one operand (the word repeats it).
UNARY = frozenset({QPU_A.FTOI, QPU_A.ITOF, QPU_A.NOT, QPU_A.CLZ})


class QPU_M(IntEnum):
    """Operations of the multiply pipe."""

    NOP = 0
    FMUL = 1
    MUL24 = 2
    V8MULD = 3
    V8MIN = 4
    V8MAX = 5
    V8ADDS = 6
    V8SUBS = 7


class QPU_MUX(IntEnum):
    """Where an operand comes from: an accumulator, file A, file B (or a small immediate)."""

    R0 = 0
    R1 = 1
    R2 = 2
    R3 = 3
    R4 = 4
    R5 = 5
    A = 6
    B = 7


class QPU_COND(IntEnum):
    """When a lane writes its result; complements differ in bit 0."""

    NEVER = 0
    ALWAYS = 1
    ZS = 2
    ZC = 3
    NS = 4
    NC = 5
    CS = 6
    CC = 7

    @property
    def inverse(self) -> QPU_COND:
        """The condition of the other lanes."""
        return QPU_COND(self ^ 1)


class QPU_COND_BRANCH(IntEnum):
    """When a branch is taken, over all 16 lanes."""

    ALL_ZS = 0
    ALL_ZC = 1
    ANY_ZS = 2
    ANY_ZC = 3
    ALL_NS = 4
    ALL_NC = 5
    ANY_NS = 6
    ANY_NC = 7
    ALL_CS = 8
    ALL_CC = 9
    ANY_CS = 10
    ANY_CC = 11
    ALWAYS = 15


class QPU_R(IntEnum):
    """Addresses read from 32 up, which are not registers of the two files."""

    UNIF = 32
    VARY = 35
    ELEM_QPU = 38           # A: the lane's number; B: the QPU's number
    NOP = 39
    XY_PIXEL_COORD = 41     # A: x; B: y
    MS_REV_FLAGS = 42       # A: multisample mask; B: back-facing flag
    VPM = 48
    VPM_LD_BUSY = 49        # A: load; B: store
    VPM_LD_WAIT = 50        # A: load; B: store
    MUTEX_ACQUIRE = 51


class QPU_W(IntEnum):
    """Addresses written from 32 up, which are not registers of the two files."""

    ACC0 = 32
    ACC1 = 33
    ACC2 = 34
    ACC3 = 35
    TMU_NOSWAP = 36
    ACC5 = 37               # A: each quad's lane 0 to its quad; B: lane 0 to all
    HOST_INT = 38
    NOP = 39
    UNIFORMS_ADDRESS = 40
    QUAD_XY = 41            # A: x; B: y
    MS_FLAGS = 42           # A: multisample mask; B: back-facing flag
    TLB_STENCIL_SETUP = 43
    TLB_Z = 44
    TLB_COLOR_MS = 45
    TLB_COLOR_ALL = 46
    TLB_ALPHA_MASK = 47
    VPM = 48
    VPMVCD_SETUP = 49       # A: reads; B: writes
    VPM_ADDR = 50           # A: DMA load; B: DMA store
    MUTEX_RELEASE = 51
    SFU_RECIP = 52
    SFU_RECIPSQRT = 53
    SFU_EXP = 54
    SFU_LOG = 55
    TMU0_S = 56
    TMU0_T = 57
    TMU0_R = 58
    TMU0_B = 59
    TMU1_S = 60
    TMU1_T = 61
    TMU1_R = 62
    TMU1_B = 63


class QPU_PACK_A(IntEnum):
    """How a result is packed on its way into register file A (PM 0); S: saturates."""

    NOP = 0
    P16A = 1
    P16B = 2
    P8888 = 3
    P8A = 4
    P8B = 5
    P8C = 6
    P8D = 7
    S32 = 8
    S16A = 9
    S16B = 10
    S8888 = 11
    S8A = 12
    S8B = 13
    S8C = 14
    S8D = 15


class QPU_PACK_MUL(IntEnum):
    """How the multiply pipe's float result becomes bytes (PM 1), 0.0 to 1.0 as 0 to 255."""

    NOP = 0
    P8888 = 3
    P8A = 4
    P8B = 5
    P8C = 6
    P8D = 7


class QPU_UNPACK_(IntEnum):
    """What is taken out of a register of file A (PM 0) or of r4 (PM 1). Float operations get half
    or unorm floats, others integers (16 bits with their sign, 8 without).
    """

    NOP = 0
    U16A = 1
    U16B = 2
    U8D_REP = 3             # byte 3 in all bytes
    U8A = 4
    U8B = 5
    U8C = 6
    U8D = 7


class QPU_LOAD_IMM_MODE_(IntEnum):
    """What a load of an immediate loads; SEMA is a semaphore's word."""

    U32 = 0
    I2 = 1                  # a signed pair of bits a lane: low bits 15-0, high bits 31-16
    U2 = 3                  # an unsigned pair of bits a lane
    SEMA = 4


#: A small immediate from here on rotates the multiply pipe's result: 48 by r5, 49 to 63 by 1 to 15.
QPU_SMALL_IMM_MUL_ROT = 48


@dataclass(frozen=True)
class Field:
    """A field: name, lowest bit (`shift`), bits in place (`mask`), values where they have names."""

    name: str
    shift: int
    mask: int
    values: type[IntEnum] | None = None


def QPU_MASK(high: int, low: int) -> int:
    """Bits `high` to `low`, both with it, set."""
    return ((1 << (high - low + 1)) - 1) << low


def _field(name: str, high: int, low: int, values: type[IntEnum] | None = None) -> Field:
    return Field(name, low, QPU_MASK(high, low), values)


QPU_SIG = _field("sig", 63, 60, QPU_SIG_)
QPU_UNPACK = _field("unpack", 59, 57, QPU_UNPACK_)
QPU_PM = _field("pm", 56, 56)
QPU_PACK = _field("pack", 55, 52)
QPU_COND_ADD = _field("cond_add", 51, 49, QPU_COND)
QPU_COND_MUL = _field("cond_mul", 48, 46, QPU_COND)
QPU_SF = _field("sf", 45, 45)
QPU_WS = _field("ws", 44, 44)
QPU_WADDR_ADD = _field("waddr_add", 43, 38, QPU_W)
QPU_WADDR_MUL = _field("waddr_mul", 37, 32, QPU_W)
QPU_OP_MUL = _field("op_mul", 31, 29, QPU_M)
QPU_OP_ADD = _field("op_add", 28, 24, QPU_A)
QPU_RADDR_A = _field("raddr_a", 23, 18, QPU_R)
QPU_RADDR_B = _field("raddr_b", 17, 12, QPU_R)
QPU_SMALL_IMM = _field("small_imm", 17, 12)
QPU_ADD_A = _field("add_a", 11, 9, QPU_MUX)
QPU_ADD_B = _field("add_b", 8, 6, QPU_MUX)
QPU_MUL_A = _field("mul_a", 5, 3, QPU_MUX)
QPU_MUL_B = _field("mul_b", 2, 0, QPU_MUX)
QPU_LOAD_IMM_MODE = _field("mode", 59, 57, QPU_LOAD_IMM_MODE_)
QPU_IMM = _field("imm", 31, 0)
QPU_SEMA_REST = _field("sema_rest", 31, 5)
QPU_SEMA_DOWN = _field("sema_down", 4, 4)
QPU_SEMA = _field("sema", 3, 0)
QPU_BRANCH_REST = _field("branch_rest", 59, 56)
QPU_BRANCH_COND = _field("cond_br", 55, 52, QPU_COND_BRANCH)
QPU_BRANCH_REL = _field("rel", 51, 51)
QPU_BRANCH_REG = _field("reg", 50, 50)
QPU_BRANCH_RADDR_A = _field("branch_raddr_a", 49, 45)
QPU_BRANCH_TARGET = _field("target", 31, 0)

_WRITES = (QPU_WS, QPU_WADDR_ADD, QPU_WADDR_MUL)
_CONDITIONS = (QPU_PM, QPU_PACK, QPU_COND_ADD, QPU_COND_MUL, QPU_SF)

#: The fields of each kind of word: together they are all 64 bits, none twice.
ALU_FIELDS = (
    QPU_SIG, QPU_UNPACK, *_CONDITIONS, *_WRITES, QPU_OP_MUL, QPU_OP_ADD, QPU_RADDR_A, QPU_RADDR_B,
    QPU_ADD_A, QPU_ADD_B, QPU_MUL_A, QPU_MUL_B)
LOAD_IMM_FIELDS = (QPU_SIG, QPU_LOAD_IMM_MODE, *_CONDITIONS, *_WRITES, QPU_IMM)
SEMAPHORE_FIELDS = (
    QPU_SIG, QPU_LOAD_IMM_MODE, *_CONDITIONS, *_WRITES, QPU_SEMA_REST, QPU_SEMA_DOWN, QPU_SEMA)
BRANCH_FIELDS = (
    QPU_SIG, QPU_BRANCH_REST, QPU_BRANCH_COND, QPU_BRANCH_REL, QPU_BRANCH_REG, QPU_BRANCH_RADDR_A,
    *_WRITES, QPU_BRANCH_TARGET)


def QPU_SET_FIELD(value: int, field: Field) -> int:
    """The bits of `value` in `field`'s place; ValueError when it does not fit."""
    bits = int(value) << field.shift
    if bits & ~field.mask:
        raise ValueError(f"{value} does not fit into the field {field.name}")
    return bits


def QPU_GET_FIELD(word: int, field: Field) -> int:
    """What `word` holds in `field`."""
    return (word & field.mask) >> field.shift


def QPU_UPDATE_FIELD(word: int, value: int, field: Field) -> int:
    """`word` with `value` in `field`; ValueError when it does not fit."""
    return (word & ~field.mask) | QPU_SET_FIELD(value, field)


def fields_of(word: int) -> tuple[Field, ...]:
    """The fields of `word`'s kind: ALU, load of an immediate, semaphore or branch."""
    sig = QPU_GET_FIELD(word, QPU_SIG)
    if sig == QPU_SIG_.BRANCH:
        return BRANCH_FIELDS
    if sig != QPU_SIG_.LOAD_IMM:
        return ALU_FIELDS
    mode = QPU_GET_FIELD(word, QPU_LOAD_IMM_MODE)
    return SEMAPHORE_FIELDS if mode & QPU_LOAD_IMM_MODE_.SEMA else LOAD_IMM_FIELDS


def small_immediate(code: int) -> int | float:
    """A small immediate's value: -16 to 15, or a power of two as a float; a rotation has none."""
    if code < 32:
        return code if code < 16 else code - 32
    if code < QPU_SMALL_IMM_MUL_ROT:
        return 2.0 ** (code - 32 if code < 40 else code - 48)
    raise ValueError(f"the small immediate {code} is a rotation")
