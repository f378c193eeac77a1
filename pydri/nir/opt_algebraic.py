# SPDX-License-Identifier: MIT
"""TABLE: algebraic rewrite rules; the language is described in algebraic.py.

In: a shader, `exact` = leave out the rules marked with ~.  Out: True if something was rewritten.
Unmarked rules keep every bit of every result (a NaN stays some NaN); those marked ~ may keep a
denormal that the operation would have made zero, which is the same number to all that compute with
it (opcodes.py), and more (pydri/glsl/README.md).  Nothing here ever makes a
fused multiply-add or an approximate reciprocal: that would make pictures depend on who compiled.
Counterpart of nir_opt_algebraic.py.
"""

from __future__ import annotations

from typing import Final

from pydri.nir.algebraic import Pattern, Rule, RuleSet
from pydri.nir.ir import Shader

a, b, c, d = "a", "b", "c", "d"


def _log2(name: str, bits: int = 0) -> object:
    return lambda consts: tuple(v.bit_length() - 1 for v in consts[name])


def _minus1(name: str) -> object:
    return lambda consts: tuple(v - 1 for v in consts[name])


def _power(n: int) -> Pattern:
    """The n-th power as squares and products; what stands in it twice is one object."""
    square: Pattern = a
    product: Pattern = a if n & 1 else None
    for bit in range(1, n.bit_length()):
        square = ("fmul", square, square)
        if n >> bit & 1:
            product = square if product is None else ("fmul", product, square)
    return product


#: whole exponents that are multiplied out: at most 11 products instead of some 60 instructions,
#: and a relative error of at most n / 2^24, far less than the peer's logarithm gives
_WHOLE_POWERS: Final = range(2, 129)

# fmt: off
RULES: Final[tuple[Rule, ...]] = (
    # negation and absolute value
    (("fneg", ("fneg", a)), a),
    (("ineg", ("ineg", a)), a),
    (("fabs", ("fabs", a)), ("fabs", a)),
    (("fabs", ("fneg", a)), ("fabs", a)),
    (("iabs", ("iabs", a)), ("iabs", a)),
    (("fneg", ("fmul", a, "#b")), ("fmul", a, ("fneg", b))),
    (("fadd", a, ("fneg", b)), ("fsub", a, b)),
    (("fsub", a, ("fneg", b)), ("fadd", a, b)),
    (("iadd", a, ("ineg", b)), ("isub", a, b)),
    (("isub", a, ("ineg", b)), ("iadd", a, b)),
    (("fmul", ("fneg", a), ("fneg", b)), ("fmul", a, b)),
    # neutral and absorbing elements
    (("~fadd", a, -0.0), a),
    (("~fadd", a, 0.0), a),
    (("~fsub", a, 0.0), a),
    (("~fsub", a, a), 0.0),
    (("~fmul", a, 1.0), a),
    (("~fmul", a, -1.0), ("fneg", a)),
    (("~fmul", a, 0.0), 0.0),
    (("~fdiv", a, 1.0), a),
    (("fdiv", 1.0, a), ("frcp", a)),
    (("~fpow", a, 1.0), a),
    *((("~fpow", a, float(n)), _power(n)) for n in _WHOLE_POWERS),
    (("~fpow", a, 0.5), ("fsqrt", a)),
    (("~ffma", a, 0.0, b), b),
    (("ffma", a, 1.0, b), ("fadd", a, b)),
    (("ffma", a, b, -0.0), ("fmul", a, b)),
    (("~flrp", a, b, 0.0), a),
    (("~flrp", a, b, 1.0), b),
    (("~flrp", a, a, b), a),
    (("iadd", a, 0), a),
    (("isub", a, 0), a),
    (("isub", a, a), 0),
    (("imul", a, 1), a),
    (("imul", a, 0), 0),
    (("imul", a, -1), ("ineg", a)),
    (("idiv", a, 1), a),
    (("udiv", a, 1), a),
    (("umod", a, 1), 0),
    (("ishl", a, 0), a),
    (("ishr", a, 0), a),
    (("ushr", a, 0), a),
    # powers of two
    (("imul", a, "#b(pow2)"), ("ishl", a, _log2(b))),
    (("udiv", a, "#b(pow2)"), ("ushr", a, _log2(b))),
    (("umod", a, "#b(pow2)"), ("iand", a, _minus1(b))),
    # minimum, maximum, clamping
    (("~fmin", a, a), a),
    (("~fmax", a, a), a),
    (("imin", a, a), a),
    (("imax", a, a), a),
    (("umin", a, a), a),
    (("umax", a, a), a),
    (("fsat", ("fsat", a)), ("fsat", a)),
    (("~fmin", ("fmax", a, 0.0), 1.0), ("fsat", a)),
    (("~fmax", ("fmin", a, 1.0), 0.0), ("fsat", a)),
    (("~fmax", ("fsat", a), 0.0), ("fsat", a)),
    (("fmin", ("fsat", a), 1.0), ("fsat", a)),
    # rounding twice
    (("ffloor", ("ffloor", a)), ("ffloor", a)),
    (("ftrunc", ("ftrunc", a)), ("ftrunc", a)),
    (("~frcp", ("frcp", a)), a),
    (("~frcp", ("fsqrt", a)), ("frsq", a)),
    (("~fexp2", ("flog2", a)), a),
    (("~flog2", ("fexp2", a)), a),
    # comparisons
    (("inot", ("feq", a, b)), ("fneu", a, b)),
    (("inot", ("fneu", a, b)), ("feq", a, b)),
    (("inot", ("ieq", a, b)), ("ine", a, b)),
    (("inot", ("ine", a, b)), ("ieq", a, b)),
    (("inot", ("ilt", a, b)), ("ige", a, b)),
    (("inot", ("ige", a, b)), ("ilt", a, b)),
    (("inot", ("ult", a, b)), ("uge", a, b)),
    (("inot", ("uge", a, b)), ("ult", a, b)),
    (("ieq", a, a), True),
    (("ine", a, a), False),
    (("ilt", a, a), False),
    (("ige", a, a), True),
    (("ult", a, a), False),
    (("uge", a, a), True),
    (("flt", a, a), False),
    (("fneu", ("b2f", a), 0.0), a),
    (("flt", 0.0, ("b2f", a)), a),
    (("feq", ("b2f", a), 0.0), ("inot", a)),
    (("ine", ("b2i", a), 0), a),
    (("ieq", ("b2i", a), 0), ("inot", a)),
    (("ieq", a, True), a),
    (("ieq", a, False), ("inot", a)),
    (("ine", a, False), a),
    (("f2b", ("b2f", a)), a),
    (("i2b", ("b2i", a)), a),
    # bits and bools
    (("inot", ("inot", a)), a),
    (("iand", a, a), a),
    (("ior", a, a), a),
    (("iand", a, -1), a),
    (("iand", a, 0), 0),
    (("ior", a, 0), a),
    (("ixor", a, 0), a),
    (("iand", a, True), a),
    (("iand", a, False), False),
    (("ior", a, False), a),
    (("ior", a, True), True),
    (("ixor", a, False), a),
    (("ixor", a, True), ("inot", a)),
    # halves of 64 bits, which TGSI takes numbers apart into and puts them together of
    (("unpack_64_2x32_split_x", ("pack_64_2x32_split", a, b)), a),
    (("unpack_64_2x32_split_y", ("pack_64_2x32_split", a, b)), b),
    (("pack_64_2x32_split", ("unpack_64_2x32_split_x", a), ("unpack_64_2x32_split_y", a)), a),
    (("fneg64", ("fneg64", a)), a),
    (("ineg64", ("ineg64", a)), a),
    (("fabs64", ("fneg64", a)), ("fabs64", a)),
    (("fabs64", ("fabs64", a)), ("fabs64", a)),
    (("u2u32", ("u2u64", a)), a),
    (("u2u32", ("i2i64", a)), a),
    (("~d2f", ("f2d", a)), a),
    # selection
    (("bcsel", a, b, b), b),
    (("bcsel", True, b, c), b),
    (("bcsel", False, b, c), c),
    (("bcsel", ("inot", a), b, c), ("bcsel", a, c, b)),
    (("bcsel", a, True, False), a),
    (("bcsel", a, False, True), ("inot", a)),
    (("bcsel", a, 1.0, 0.0), ("b2f", a)),
    (("bcsel", a, 0.0, 1.0), ("b2f", ("inot", a))),
    (("bcsel", a, ("bcsel", a, b, c), d), ("bcsel", a, b, d)),
    (("bcsel", a, b, ("bcsel", a, c, d)), ("bcsel", a, b, d)),
)
# fmt: on

RULE_SET: Final = RuleSet(RULES)


def run(shader: Shader, exact: bool = False) -> bool:
    """The pass."""
    return RULE_SET.apply(shader, exact)
