# SPDX-License-Identifier: MIT
"""TABLE: nir's opcodes in TGSI: one instruction, one for each component, or a few.

In: names of nir's table.  Out: how from_nir.py emits them.  What is in none of these tables, and
has a `lower` row in nir, is lowered before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pydri.nir.opcodes import OPCODES
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.translate.from_nir_wide import KNOWN_WIDE

if TYPE_CHECKING:
    from pydri.tgsi.build.ureg import Ureg

#: component by component, operands in the same order
SAME: Final[dict[str, str]] = {
    "fadd": "ADD", "fmul": "MUL", "fdiv": "DIV", "fsign": "SSG", "fmin": "MIN", "fmax": "MAX",
    "ffloor": "FLR", "fceil": "CEIL", "ftrunc": "TRUNC", "fround_even": "ROUND", "ffract": "FRC",
    "ffma": "FMA", "fddx": "DDX", "fddy": "DDY", "fddx_fine": "DDX_FINE", "fddy_fine": "DDY_FINE",
    "feq": "FSEQ", "fneu": "FSNE", "flt": "FSLT", "fge": "FSGE",
    "ieq": "USEQ", "ine": "USNE", "ilt": "ISLT", "ige": "ISGE", "ult": "USLT", "uge": "USGE",
    "iadd": "UADD", "imul": "UMUL", "imul_high": "IMUL_HI", "umul_high": "UMUL_HI",
    "idiv": "IDIV", "ineg": "INEG", "iabs": "IABS", "isign": "ISSG", "imin": "IMIN",
    "imax": "IMAX", "umin": "UMIN", "umax": "UMAX", "iand": "AND", "ior": "OR", "ixor": "XOR",
    "inot": "NOT", "ishl": "SHL", "ishr": "ISHR", "ushr": "USHR", "bit_count": "POPC",
    "bitfield_reverse": "BREV", "ufind_msb": "UMSB", "ifind_msb": "IMSB", "find_lsb": "LSB",
    "bitfield_insert": "BFI", "ubitfield_extract": "UBFE", "ibitfield_extract": "IBFE",
    "f2i": "F2I", "f2u": "F2U", "i2f": "I2F", "u2f": "U2F", "bcsel": "UCMP", "mov": "MOV",
}  # fmt: skip
#: one scalar of the first component, for each component that is wanted
SCALAR: Final[dict[str, str]] = {
    "frcp": "RCP", "frsq": "RSQ", "fsqrt": "SQRT", "fexp2": "EX2", "flog2": "LG2", "fsin": "SIN",
    "fcos": "COS", "fpow": "POW",
}  # fmt: skip
#: one result of whole vectors
WHOLE: Final[dict[str, str]] = {
    "fdot2": "DP2", "fdot3": "DP3", "fdot4": "DP4", "pack_half_2x16": "PK2H",
    "pack_unorm_2x16": "PK2US", "pack_snorm_4x8": "PK4B", "pack_unorm_4x8": "PK4UB",
    "unpack_half_2x16": "UP2H", "unpack_unorm_2x16": "UP2US", "unpack_snorm_4x8": "UP4B",
    "unpack_unorm_4x8": "UP4UB",
}  # fmt: skip

Emit = Callable[["Ureg", Dst, list[Src]], object]
_ONE = 0x3F800000


def _fmod(u: Ureg, dst: Dst, srcs: list[Src]) -> None:
    """x - y * floor(x / y), each step rounded as nir's numpy code rounds."""
    x, y = srcs
    work = u.decl_temporary()
    part = work.writemask(dst.mask)
    u.DIV(part, x, y)
    u.FLR(part, work.src())
    u.MUL(part, y, work.src())
    u.ADD(dst, x, work.src().negate())
    u.release_temporary(work)


def _divided(name: str) -> Emit:
    """A division whose result is 0 where the divisor is; TGSI gives all bits."""

    def emit(u: Ureg, dst: Dst, srcs: list[Src]) -> None:
        work = u.decl_temporary()
        u.insn(name, [work.writemask(dst.mask)], srcs)
        u.UCMP(dst, srcs[1], work.src(), u.imm_uint(0))
        u.release_temporary(work)

    return emit


def _imod(u: Ureg, dst: Dst, srcs: list[Src]) -> None:
    """The remainder with the divisor's sign: the divisor is added where signs differ."""
    x, y = srcs
    rest, wrong = u.decl_temporary(), u.decl_temporary()
    mask, zero = dst.mask, u.imm_uint(0)
    u.MOD(rest.writemask(mask), x, y)
    u.UCMP(rest.writemask(mask), y, rest.src(), zero)
    u.XOR(wrong.writemask(mask), rest.src(), y)
    u.ISLT(wrong.writemask(mask), wrong.src(), zero)
    u.UCMP(wrong.writemask(mask), rest.src(), wrong.src(), zero)
    u.AND(wrong.writemask(mask), wrong.src(), y)
    u.UADD(dst, rest.src(), wrong.src())
    u.release_temporary(rest)
    u.release_temporary(wrong)


#: what takes other operands, or several instructions
SPECIAL: Final[dict[str, Emit]] = {
    "fsub": lambda u, dst, s: u.ADD(dst, s[0], s[1].negate()),
    "isub": lambda u, dst, s: u.UADD(dst, s[0], s[1].negate()),
    "fneg": lambda u, dst, s: u.MOV(dst, s[0].negate()),
    "fabs": lambda u, dst, s: u.MOV(dst, s[0].abs()),
    "fsat": lambda u, dst, s: u.MOV(dst.saturate(), s[0]),
    "flrp": lambda u, dst, s: u.LRP(dst, s[2], s[1], s[0]),
    "fmod": _fmod,
    "irem": _divided("MOD"),
    "udiv": _divided("UDIV"),
    "umod": _divided("UMOD"),
    "imod": _imod,
    "b2f": lambda u, dst, s: u.AND(dst, s[0], u.imm_uint(_ONE)),
    "b2i": lambda u, dst, s: u.AND(dst, s[0], u.imm_uint(1)),
    "f2b": lambda u, dst, s: u.FSNE(dst, s[0], u.imm_uint(0)),
    "i2b": lambda u, dst, s: u.USNE(dst, s[0], u.imm_uint(0)),
}
KNOWN: Final = frozenset((*SAME, *SCALAR, *WHOLE, *SPECIAL, "vec2", "vec3", "vec4"))
#: what nir has to make of others before
LOWERED: Final = frozenset(
    name for name, op in OPCODES.items()
    if name not in KNOWN and name not in KNOWN_WIDE and op.lower is not None
)  # fmt: skip
