# SPDX-License-Identifier: MIT
"""TABLE: one row per TGSI opcode.  The row is the definition.

In: nothing.  Out: `OPCODES`, number -> `Opcode`, and `BY_NAME`.
Numbers, operand counts and output modes are those of Mesa 22.3 (p_shader_tokens.h,
tgsi_info_opcodes.h, tgsi.rst).  What an instruction computes is `expand(b, *sources)`, written in
opcodes of nir for anything that has them as methods: nir's Builder (to_nir.py) and numpy arrays
(lanes.py), so that translation and interpretation cannot differ.  Rows that are `wide` work on
numbers of 64 bits, which two components of a register hold.  Control flow, textures and memory have
no `expand`: machine.py and to_nir.py know them by their rows in tables of their own.

Output modes: COMP: component by component; REPL: one scalar of the first `reads` components of
each source, for all components; CHAN: a whole vector of whole vectors; NONE, OTHR.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

#: what `expand` is written for: nir's Builder or lanes.Lanes, and the values of either
Maker = Any
Value = Any
Expand = Callable[..., Value]

COMP, REPL, CHAN, NONE, OTHR = "COMP", "REPL", "CHAN", "NONE", "OTHR"


class Opcode(NamedTuple):
    """One row."""

    number: int
    name: str
    num_dst: int
    num_src: int
    mode: str
    expand: Expand | None = None
    #: components of each source that a REPL row reads
    reads: int = 1
    #: a letter a source, the last one for all that follow: f, or i where a sign is an integer's
    sources: str = "f"
    #: 64 bits: type of the result, a colon, types of the sources; d double, q int64, Q uint64,
    #: f i u of 32 bits
    wide: str = ""
    is_tex: bool = False
    is_branch: bool = False
    is_store: bool = False
    pre_dedent: int = 0
    post_indent: int = 0


# ---- what rows mean ---------------------------------------------------------------------------
def _ones(b: Maker, condition: Value) -> Value:
    """All bits where the condition holds (TGSI's booleans)."""
    return b.ineg(b.b2i(condition))


def _float(name: str) -> Expand:
    """1.0 where a comparison of nir's holds."""
    return lambda b, x, y: b.b2f(getattr(b, name)(x, y))


def _bits(name: str) -> Expand:
    """All bits where a comparison of nir's holds."""
    return lambda b, x, y: _ones(b, getattr(b, name)(x, y))


def _swapped(of: Callable[[str], Expand], name: str) -> Expand:
    inner = of(name)
    return lambda b, x, y: inner(b, y, x)


def _nir(name: str) -> Expand:
    """An opcode of nir's, as it is."""
    return lambda b, *srcs: getattr(b, name)(*srcs)


def _guarded(name: str, otherwise: int) -> Expand:
    """A division, or a fixed number where the divisor is 0 (tgsi_exec.c)."""
    return lambda b, x, y: b.bcsel(b.ieq(y, 0), otherwise, getattr(b, name)(x, y))


def _dot(size: int) -> Expand:
    return lambda b, x, y: b.dot(x, y)


def _lit(b: Maker, x: Value) -> Value:
    s, t, _, p = b.components(x)
    power = b.fpow(b.fmax(t, 0.0), b.fmin(b.fmax(p, -128.0), 128.0))
    return b.vec(1.0, b.fmax(s, 0.0), b.bcsel(b.flt(0.0, s), power, 0.0), 1.0)


def _exp(b: Maker, x: Value) -> Value:
    s = b.components(x)[0]
    whole = b.ffloor(s)
    return b.vec(b.fexp2(whole), b.fsub(s, whole), b.fexp2(s), 1.0)


def _log(b: Maker, x: Value) -> Value:
    s = b.fabs(b.components(x)[0])
    log = b.flog2(s)
    whole = b.ffloor(log)
    return b.vec(whole, b.fdiv(s, b.fexp2(whole)), log, 1.0)


def _dst(b: Maker, x: Value, y: Value) -> Value:
    p, q = b.components(x), b.components(y)
    return b.vec(1.0, b.fmul(p[1], q[1]), p[2], q[3])


def _twice(name: str) -> Expand:
    """Two numbers of the first component, for x, y and again for z, w."""

    def expand(b: Maker, x: Value) -> Value:
        both = getattr(b, name)(b.swizzle(x, (0,)))
        return b.swizzle(both, (0, 1, 0, 1))

    return expand


def _four(name: str) -> Expand:
    return lambda b, x: getattr(b, name)(b.swizzle(x, (0,)))


OPCODES: Final[dict[int, Opcode]] = {}
BY_NAME: Final[dict[str, Opcode]] = {}


def _op(number: int, name: str, num_dst: int, num_src: int, mode: str,
        expand: Expand | None = None, **more: Any) -> None:  # fmt: skip
    row = Opcode(number, name, num_dst, num_src, mode, expand, **more)
    assert number not in OPCODES and name not in BY_NAME
    OPCODES[number] = BY_NAME[name] = row


def _int(number: int, name: str, num_src: int, expand: Expand) -> None:
    _op(number, name, 1, num_src, COMP, expand, sources="i")


def _wide(number: int, name: str, types: str, expand: Expand) -> None:
    _op(number, name, 1, len(types) - 2, COMP, expand, wide=types)


def _tex(number: int, name: str, num_src: int) -> None:
    letter = "i" if name in ("TXF", "TXF_LZ", "TXQ") else "f"
    _op(number, name, 1, num_src, OTHR, sources=letter, is_tex=True)


# fmt: off
# ---- floats -----------------------------------------------------------------------------------
_op(0, "ARL", 1, 1, COMP, lambda b, x: b.f2i(b.ffloor(x)))
_op(1, "MOV", 1, 1, COMP, lambda b, x: b.mov(x))
_op(2, "LIT", 1, 1, CHAN, _lit)
_op(3, "RCP", 1, 1, REPL, _nir("frcp"))
_op(4, "RSQ", 1, 1, REPL, _nir("frsq"))
_op(5, "EXP", 1, 1, CHAN, _exp)
_op(6, "LOG", 1, 1, CHAN, _log)
_op(7, "MUL", 1, 2, COMP, _nir("fmul"))
_op(8, "ADD", 1, 2, COMP, _nir("fadd"))
_op(9, "DP3", 1, 2, REPL, _dot(3), reads=3)
_op(10, "DP4", 1, 2, REPL, _dot(4), reads=4)
_op(11, "DST", 1, 2, CHAN, _dst)
_op(12, "MIN", 1, 2, COMP, _nir("fmin"))
_op(13, "MAX", 1, 2, COMP, _nir("fmax"))
_op(14, "SLT", 1, 2, COMP, _float("flt"))
_op(15, "SGE", 1, 2, COMP, _float("fge"))
_op(16, "MAD", 1, 3, COMP, lambda b, x, y, z: b.fadd(b.fmul(x, y), z))
_op(18, "LRP", 1, 3, COMP, lambda b, t, x, y: b.flrp(y, x, t))
_op(19, "FMA", 1, 3, COMP, _nir("ffma"))
_op(20, "SQRT", 1, 1, REPL, _nir("fsqrt"))
_op(21, "LDEXP", 1, 2, COMP, lambda b, x, y: b.fmul(x, b.fexp2(b.i2f(y))), sources="fi")
_op(24, "FRC", 1, 1, COMP, _nir("ffract"))
_op(26, "FLR", 1, 1, COMP, _nir("ffloor"))
_op(27, "ROUND", 1, 1, COMP, _nir("fround_even"))
_op(28, "EX2", 1, 1, REPL, _nir("fexp2"))
_op(29, "LG2", 1, 1, REPL, _nir("flog2"))
_op(30, "POW", 1, 2, REPL, _nir("fpow"))
_op(36, "COS", 1, 1, REPL, _nir("fcos"))
_op(37, "DDX", 1, 1, COMP, _nir("fddx"))
_op(38, "DDY", 1, 1, COMP, _nir("fddy"))
_op(40, "PK2H", 1, 1, REPL, _nir("pack_half_2x16"), reads=2)
_op(41, "PK2US", 1, 1, REPL, _nir("pack_unorm_2x16"), reads=2)
_op(42, "PK4B", 1, 1, REPL, _nir("pack_snorm_4x8"), reads=4)
_op(43, "PK4UB", 1, 1, REPL, _nir("pack_unorm_4x8"), reads=4)
_op(45, "SEQ", 1, 2, COMP, _float("feq"))
_op(47, "SGT", 1, 2, COMP, _swapped(_float, "flt"))
_op(48, "SIN", 1, 1, REPL, _nir("fsin"))
_op(49, "SLE", 1, 2, COMP, _swapped(_float, "fge"))
_op(50, "SNE", 1, 2, COMP, _float("fneu"))
_op(55, "UP2H", 1, 1, CHAN, _twice("unpack_half_2x16"))
_op(56, "UP2US", 1, 1, CHAN, _twice("unpack_unorm_2x16"))
_op(57, "UP4B", 1, 1, CHAN, _four("unpack_snorm_4x8"))
_op(58, "UP4UB", 1, 1, CHAN, _four("unpack_unorm_4x8"))
_op(61, "ARR", 1, 1, COMP, lambda b, x: b.f2i(b.fround_even(x)))
_op(65, "SSG", 1, 1, COMP, _nir("fsign"))
_op(66, "CMP", 1, 3, COMP, lambda b, c, x, y: b.bcsel(b.flt(c, 0.0), x, y))
_op(70, "DIV", 1, 2, COMP, _nir("fdiv"))
_op(71, "DP2", 1, 2, REPL, _dot(2), reads=2)
_op(79, "DDX_FINE", 1, 1, COMP, _nir("fddx_fine"))
_op(80, "DDY_FINE", 1, 1, COMP, _nir("fddy_fine"))
_op(83, "CEIL", 1, 1, COMP, _nir("fceil"))
_op(86, "TRUNC", 1, 1, COMP, _nir("ftrunc"))
_op(108, "FSEQ", 1, 2, COMP, _bits("feq"))
_op(109, "FSGE", 1, 2, COMP, _bits("fge"))
_op(110, "FSLT", 1, 2, COMP, _bits("flt"))
_op(111, "FSNE", 1, 2, COMP, _bits("fneu"))

# ---- integers ---------------------------------------------------------------------------------
_int(84, "I2F", 1, _nir("i2f"))
_int(85, "NOT", 1, _nir("inot"))
_int(87, "SHL", 2, _nir("ishl"))
_int(89, "AND", 2, _nir("iand"))
_int(90, "OR", 2, _nir("ior"))
_int(91, "MOD", 2, _guarded("irem", -1))
_int(92, "XOR", 2, _nir("ixor"))
_op(119, "F2I", 1, 1, COMP, _nir("f2i"), sources="f")
_int(120, "IDIV", 2, _nir("idiv"))
_int(121, "IMAX", 2, _nir("imax"))
_int(122, "IMIN", 2, _nir("imin"))
_int(123, "INEG", 1, _nir("ineg"))
_int(124, "ISGE", 2, _bits("ige"))
_int(125, "ISHR", 2, _nir("ishr"))
_int(126, "ISLT", 2, _bits("ilt"))
_op(127, "F2U", 1, 1, COMP, _nir("f2u"), sources="f")
_int(128, "U2F", 1, _nir("u2f"))
_int(129, "UADD", 2, _nir("iadd"))
_int(130, "UDIV", 2, _guarded("udiv", -1))
_int(131, "UMAD", 3, lambda b, x, y, z: b.iadd(b.imul(x, y), z))
_int(132, "UMAX", 2, _nir("umax"))
_int(133, "UMIN", 2, _nir("umin"))
_int(134, "UMOD", 2, _guarded("umod", -1))
_int(135, "UMUL", 2, _nir("imul"))
_int(136, "USEQ", 2, _bits("ieq"))
_int(137, "USGE", 2, _bits("uge"))
_int(138, "USHR", 2, _nir("ushr"))
_int(139, "USLT", 2, _bits("ult"))
_int(140, "USNE", 2, _bits("ine"))
_int(157, "UARL", 1, lambda b, x: b.mov(x))
_op(158, "UCMP", 1, 3, COMP, lambda b, c, x, y: b.bcsel(b.ine(c, 0), x, y), sources="if")
_int(159, "IABS", 1, _nir("iabs"))
_int(160, "ISSG", 1, _nir("isign"))
_int(180, "IMUL_HI", 2, _nir("imul_high"))
_int(181, "UMUL_HI", 2, _nir("umul_high"))
_int(184, "IBFE", 3, _nir("ibitfield_extract"))
_int(185, "UBFE", 3, _nir("ubitfield_extract"))
_int(186, "BFI", 4, _nir("bitfield_insert"))
_int(187, "BREV", 1, _nir("bitfield_reverse"))
_int(188, "POPC", 1, _nir("bit_count"))
_int(189, "LSB", 1, _nir("find_lsb"))
_int(190, "IMSB", 1, _nir("ifind_msb"))
_int(191, "UMSB", 1, _nir("ufind_msb"))

# ---- control flow, the end of fragments -------------------------------------------------------
_op(31, "DEMOTE", 0, 0, NONE)
_op(35, "READ_HELPER", 1, 0, COMP)
_op(39, "KILL", 0, 0, NONE)
_op(63, "CAL", 0, 0, NONE, is_branch=True)
_op(64, "RET", 0, 0, NONE)
_op(73, "BRK", 0, 0, NONE)
_op(74, "IF", 0, 1, NONE, is_branch=True, post_indent=1)
_op(75, "UIF", 0, 1, NONE, sources="i", is_branch=True, post_indent=1)
_op(77, "ELSE", 0, 0, NONE, is_branch=True, pre_dedent=1, post_indent=1)
_op(78, "ENDIF", 0, 0, NONE, pre_dedent=1)
_op(96, "CONT", 0, 0, NONE)
_op(97, "EMIT", 0, 1, NONE)
_op(98, "ENDPRIM", 0, 1, NONE)
_op(99, "BGNLOOP", 0, 0, NONE, is_branch=True, post_indent=1)
_op(100, "BGNSUB", 0, 0, NONE, post_indent=1)
_op(101, "ENDLOOP", 0, 0, NONE, is_branch=True, pre_dedent=1)
_op(102, "ENDSUB", 0, 0, NONE, pre_dedent=1)
_op(107, "NOP", 0, 0, NONE)
_op(116, "KILL_IF", 0, 1, NONE)
_op(117, "END", 0, 0, NONE)
_op(141, "SWITCH", 0, 1, NONE, sources="i")
_op(142, "CASE", 0, 1, NONE, sources="i")
_op(143, "DEFAULT", 0, 0, NONE)
_op(144, "ENDSWITCH", 0, 0, NONE)

# ---- textures ---------------------------------------------------------------------------------
for _n, _name, _src in (
    (17, "TEX_LZ", 2), (25, "TXF_LZ", 2), (52, "TEX", 2), (53, "TXD", 4), (54, "TXP", 2),
    (68, "TXB", 2), (72, "TXL", 2), (94, "TXF", 2), (95, "TXQ", 2), (104, "TXQS", 1),
    (164, "SAMP2HND", 1), (177, "TEX2", 3), (178, "TXB2", 3), (179, "TXL2", 3), (182, "TG4", 3),
    (183, "LODQ", 2),
):
    _tex(_n, _name, _src)
for _n, _name, _src in (
    (145, "SAMPLE", 3), (146, "SAMPLE_I", 2), (147, "SAMPLE_I_MS", 3), (148, "SAMPLE_B", 4),
    (149, "SAMPLE_C", 4), (150, "SAMPLE_C_LZ", 4), (151, "SAMPLE_D", 5), (152, "SAMPLE_L", 4),
    (153, "GATHER4", 3), (154, "SVIEWINFO", 2), (155, "SAMPLE_POS", 2), (156, "SAMPLE_INFO", 2),
    (249, "LOD", 3),
):
    _op(_n, _name, 1, _src, OTHR)

# ---- memory, other invocations, interpolation at places ----------------------------------------
_op(33, "CLOCK", 1, 0, OTHR)
_op(69, "FBFETCH", 1, 1, OTHR)
_op(76, "READ_INVOC", 1, 2, COMP)
_op(88, "BALLOT", 1, 1, OTHR)
_op(103, "ATOMFADD", 1, 3, OTHR, is_store=True)
_op(105, "RESQ", 1, 1, OTHR)
_op(106, "READ_FIRST", 1, 1, COMP)
_op(112, "MEMBAR", 0, 1, OTHR)
_op(161, "LOAD", 1, 2, OTHR, sources="i")
_op(162, "STORE", 1, 2, OTHR, is_store=True)
_op(163, "IMG2HND", 1, 1, OTHR)
_op(166, "BARRIER", 0, 0, OTHR)
for _n, _name, _src in (
    (167, "ATOMUADD", 3), (168, "ATOMXCHG", 3), (169, "ATOMCAS", 4), (170, "ATOMAND", 3),
    (171, "ATOMOR", 3), (172, "ATOMXOR", 3), (173, "ATOMUMIN", 3), (174, "ATOMUMAX", 3),
    (175, "ATOMIMIN", 3), (176, "ATOMIMAX", 3), (250, "ATOMINC_WRAP", 3),
    (251, "ATOMDEC_WRAP", 3),
):
    _op(_n, _name, 1, _src, OTHR, is_store=True)
_op(192, "INTERP_CENTROID", 1, 1, OTHR)
_op(193, "INTERP_SAMPLE", 1, 2, OTHR)
_op(194, "INTERP_OFFSET", 1, 2, OTHR)
for _n, _name in ((223, "VOTE_ANY"), (224, "VOTE_ALL"), (225, "VOTE_EQ")):
    _op(_n, _name, 1, 1, COMP)

# ---- 64 bits ----------------------------------------------------------------------------------
for _n, _name, _types, _code in (
    (22, "F2U64", "Q:f", "f2u64"), (23, "F2I64", "q:f", "f2i64"), (32, "U2I64", "q:u", "u2u64"),
    (34, "I2I64", "q:i", "i2i64"), (44, "D2U64", "Q:d", "d2u64"), (46, "D2I64", "q:d", "d2i64"),
    (51, "U642D", "d:Q", "u642d"), (59, "U642F", "f:Q", "u642f"), (60, "I642F", "f:q", "i642f"),
    (62, "I642D", "d:q", "i642d"), (118, "DFMA", "d:ddd", "ffma64"), (195, "F2D", "d:f", "f2d"),
    (196, "D2F", "f:d", "d2f"), (197, "DABS", "d:d", "fabs64"), (198, "DNEG", "d:d", "fneg64"),
    (199, "DADD", "d:dd", "fadd64"), (200, "DMUL", "d:dd", "fmul64"),
    (201, "DMAX", "d:dd", "fmax64"), (202, "DMIN", "d:dd", "fmin64"),
    (207, "DRCP", "d:d", "frcp64"), (208, "DSQRT", "d:d", "fsqrt64"),
    (210, "DFRAC", "d:d", "ffract64"),
    (211, "DLDEXP", "d:di", "fldexp64"), (213, "D2I", "i:d", "d2i"), (214, "I2D", "d:i", "i2d"),
    (215, "D2U", "u:d", "d2u"), (216, "U2D", "d:u", "u2d"), (217, "DRSQ", "d:d", "frsq64"),
    (218, "DTRUNC", "d:d", "ftrunc64"), (219, "DCEIL", "d:d", "fceil64"),
    (220, "DFLR", "d:d", "ffloor64"), (221, "DROUND", "d:d", "fround_even64"),
    (222, "DSSG", "d:d", "fsign64"), (232, "I64MIN", "q:qq", "imin64"),
    (233, "U64MIN", "Q:QQ", "umin64"), (234, "I64MAX", "q:qq", "imax64"),
    (235, "U64MAX", "Q:QQ", "umax64"), (236, "I64ABS", "q:q", "iabs64"),
    (237, "I64SSG", "q:q", "isign64"), (238, "I64NEG", "q:q", "ineg64"),
    (239, "U64ADD", "Q:QQ", "iadd64"), (240, "U64MUL", "Q:QQ", "imul64"),
    (241, "U64SHL", "Q:Qu", "ishl64"), (242, "I64SHR", "q:qu", "ishr64"),
    (243, "U64SHR", "Q:Qu", "ushr64"), (244, "I64DIV", "q:qq", "idiv64"),
    (246, "I64MOD", "q:qq", "irem64"), (248, "DDIV", "d:dd", "fdiv64"),
):
    _wide(_n, _name, _types, _nir(_code))
for _n, _name, _types, _code in (
    (203, "DSLT", "u:dd", "flt64"), (204, "DSGE", "u:dd", "fge64"), (205, "DSEQ", "u:dd", "feq64"),
    (206, "DSNE", "u:dd", "fneu64"), (226, "U64SEQ", "u:QQ", "ieq"), (227, "U64SNE", "u:QQ", "ine"),
    (228, "I64SLT", "u:qq", "ilt64"), (229, "U64SLT", "u:QQ", "ult64"),
    (230, "I64SGE", "u:qq", "ige64"), (231, "U64SGE", "u:QQ", "uge64"),
):
    _wide(_n, _name, _types, _bits(_code))
_wide(209, "DMAD", "d:ddd", lambda b, x, y, z: b.fadd64(b.fmul64(x, y), z))
_wide(245, "U64DIV", "Q:QQ", _guarded("udiv64", -1))
_wide(247, "U64MOD", "Q:QQ", _guarded("umod64", -1))
# fmt: on
