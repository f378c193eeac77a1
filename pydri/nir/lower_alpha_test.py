# SPDX-License-Identifier: MIT
"""The alpha test as a discard (GL 2.1, 4.1.4), for hardware without one.

In: a fragment shader, `func`: GL's enum, `bits`: of the colour buffer's alpha; both sides are
compared as such fractions (0: as floats). The reference is load_alpha_ref. Out: True if the first
colour is written and the test is one. Counterpart of nir_lower_alpha_test.c.
"""

from __future__ import annotations

from typing import Final

from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, FRAG_RESULT_DATA0
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef

GL_NEVER, GL_ALWAYS = 0x200, 0x207
#: what a fragment that goes says: opcode, and whether the reference stands first
_FAILS: Final = {
    0x201: ("fge", False), 0x202: ("fneu", False), 0x203: ("flt", True), 0x204: ("fge", True),
    0x205: ("feq", False), 0x206: ("flt", False),
}  # fmt: skip


def run(shader: Shader, func: int = GL_ALWAYS, bits: int = 0) -> bool:
    """The pass."""
    if func in (0, GL_ALWAYS):
        return False
    progress = False
    for function in shader.functions:
        b = Builder(shader, function)
        for instr in list(function.instrs()):
            if isinstance(instr, IntrinsicInstr) and writes_alpha(instr):
                b.before(instr)
                alpha = b.swizzle(instr.srcs[0], (3 - instr.indices["component"],))
                _test(b, func, alpha, bits)
                progress = True
    return progress


def writes_alpha(instr: IntrinsicInstr) -> bool:
    """A store of the first colour's alpha."""
    if instr.name != "store_output":
        return False
    if instr.indices["base"] not in (FRAG_RESULT_COLOR, FRAG_RESULT_DATA0):
        return False
    return bool(instr.indices["wrmask"] << instr.indices["component"] & 8)


def _test(b: Builder, func: int, alpha: SSADef, bits: int) -> None:
    if func == GL_NEVER:
        b.discard()
        return
    pair = [alpha, b.sysval("alpha_ref")]
    if bits:
        most = float((1 << bits) - 1)
        pair = [b.fround_even(b.fmul(b.fsat(side), most)) for side in pair]
    name, swapped = _FAILS[func]
    b.discard_if(b.alu(name, *(pair[::-1] if swapped else pair)))
