# SPDX-License-Identifier: MIT
"""Blending, logic operation and colour mask in the fragment shader (GL 2.1, 4.1.8 to 4.2.2).

In: a fragment shader whose first colour goes to unorm channels, and the target's state: factors,
equations and operation as GL's enums, `bits` a channel (of logic operations). The colour that is
there is load_tile_color, the constant load_blend_color. Out: True if there was something to do; the
colours that are stored then are those of the target. Counterpart of nir_lower_blend.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, FRAG_RESULT_DATA0
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef

GL_FUNC_ADD, GL_MIN, GL_MAX, GL_FUNC_SUBTRACT = 0x8006, 0x8007, 0x8008, 0x800A
GL_FUNC_REVERSE_SUBTRACT, GL_SRC_ALPHA_SATURATE = 0x800B, 0x0308
GL_ZERO, GL_ONE = 0, 1
#: factors: whose colour, whether it is alpha for all channels, whether it is taken from one
_FACTORS: Final = {
    0x0300: ("s", False, False), 0x0301: ("s", False, True), 0x0302: ("s", True, False),
    0x0303: ("s", True, True), 0x0304: ("d", True, False), 0x0305: ("d", True, True),
    0x0306: ("d", False, False), 0x0307: ("d", False, True), 0x8001: ("c", False, False),
    0x8002: ("c", False, True), 0x8003: ("c", True, False), 0x8004: ("c", True, True),
}  # fmt: skip
Bits = Callable[[Builder, SSADef, SSADef], SSADef]
#: of source and destination, GL_CLEAR to GL_SET
_LOGIC: Final[tuple[Bits, ...]] = (
    lambda b, s, d: b.imm_int(0), lambda b, s, d: b.iand(s, d),
    lambda b, s, d: b.iand(s, b.inot(d)), lambda b, s, d: s,
    lambda b, s, d: b.iand(b.inot(s), d), lambda b, s, d: d,
    lambda b, s, d: b.ixor(s, d), lambda b, s, d: b.ior(s, d),
    lambda b, s, d: b.inot(b.ior(s, d)), lambda b, s, d: b.inot(b.ixor(s, d)),
    lambda b, s, d: b.inot(d), lambda b, s, d: b.ior(s, b.inot(d)),
    lambda b, s, d: b.inot(s), lambda b, s, d: b.ior(b.inot(s), d),
    lambda b, s, d: b.inot(b.iand(s, d)), lambda b, s, d: b.imm_int(-1),
)  # fmt: skip


def run(
    shader: Shader, *, enabled: int = 0, rgb_func: int = GL_FUNC_ADD, rgb_src: int = GL_ONE,
    rgb_dst: int = GL_ZERO, alpha_func: int = GL_FUNC_ADD, alpha_src: int = GL_ONE,
    alpha_dst: int = GL_ZERO, colormask: int = 15, logicop: int = 0, bits: int = 8,
) -> bool:  # fmt: skip
    """The pass."""
    if not enabled and not logicop and colormask == 15:
        return False
    progress = False
    rows = [(rgb_func, rgb_src, rgb_dst)] * 3 + [(alpha_func, alpha_src, alpha_dst)]
    for function in shader.functions:
        b = Builder(shader, function)
        for instr in list(function.instrs()):
            if not isinstance(instr, IntrinsicInstr) or not _whole_color(instr):
                continue
            b.before(instr)
            old = b.components(b.sysval("tile_color"))
            new = [b.fsat(part) for part in b.components(instr.srcs[0])]
            if logicop:
                new = [_logic(b, logicop, s, d, bits) for s, d in zip(new, old)]
            elif enabled:
                constant = [b.fsat(part) for part in b.components(b.sysval("blend_color"))]
                colors = {"s": new, "d": old, "c": constant}
                new = [_channel(b, *rows[n], colors, n) for n in range(4)]
            instr.srcs[0] = b.vec(*(new[n] if colormask >> n & 1 else old[n] for n in range(4)))
            progress = True
    return progress


def _whole_color(instr: IntrinsicInstr) -> bool:
    if instr.name != "store_output":
        return False
    if instr.indices["base"] not in (FRAG_RESULT_COLOR, FRAG_RESULT_DATA0):
        return False
    return instr.indices["wrmask"] == 15


def _factor(b: Builder, factor: int, colors: dict[str, list[SSADef]], n: int) -> SSADef:
    if factor in (GL_ZERO, GL_ONE):
        return b.imm_float(float(factor))
    if factor == GL_SRC_ALPHA_SATURATE:
        if n == 3:
            return b.imm_float(1.0)
        return b.fmin(colors["s"][3], b.fsub(1.0, colors["d"][3]))
    source, alpha, inverse = _FACTORS[factor]
    value = colors[source][3 if alpha else n]
    return b.fsub(1.0, value) if inverse else value


def _channel(
    b: Builder, func: int, src: int, dst: int, colors: dict[str, list[SSADef]], n: int
) -> SSADef:
    s, d = colors["s"][n], colors["d"][n]
    if func in (GL_MIN, GL_MAX):
        return b.fmin(s, d) if func == GL_MIN else b.fmax(s, d)
    x = b.fmul(s, _factor(b, src, colors, n))
    y = b.fmul(d, _factor(b, dst, colors, n))
    if func == GL_FUNC_ADD:
        return b.fadd(x, y)
    return b.fsub(y, x) if func == GL_FUNC_REVERSE_SUBTRACT else b.fsub(x, y)


def _logic(b: Builder, operation: int, s: SSADef, d: SSADef, bits: int) -> SSADef:
    most = (1 << bits) - 1
    numbers = [b.f2i(b.fround_even(b.fmul(side, float(most)))) for side in (s, d)]
    found = b.iand(_LOGIC[operation & 15](b, *numbers), most)
    return b.fdiv(b.i2f(found), float(most))
