# SPDX-License-Identifier: MIT
"""Random shaders that QIR computes exactly, and both interpreters side by side."""

from __future__ import annotations

import numpy as np

from pipe_vc4.ntq.keys import Vc4VsKey
from pipe_vc4.ntq.lower import LOWERED, vc4_shader_ntq
from pipe_vc4.qir.interpreter import LANES, Machine
from pipe_vc4.qir.qir import QFile, QStage, QUniform, VaryingSlot, Vc4Compile
from pydri.nir import interp
from pydri.nir.enums import VARYING_SLOT_VAR0
from pydri.nir.ir import Shader
from pydri.nir.opcodes import OPCODES
from pydri.nir.passes import lower_for_backend, optimize, run_pass
from tests.unit.nir.shadergen import Generator

#: no SFU, no sign of zero that is free, no whole numbers beyond 2^31 apart
EXACT = tuple(
    OPCODES[name]
    for name in (
        "fadd fsub fmul fneg fabs fsat feq fneu flt fge fsign ffloor fceil ftrunc ffract flrp fdot2"
        " fdot3 fdot4 iadd isub imul ineg iabs isign ieq ine ilt ige ult uge imin imax umin umax"
        " iand ior ixor inot mov bcsel vec2 vec3 vec4 b2f b2i f2b i2b f2i i2f"
    ).split()
)
SLOTS = tuple(VARYING_SLOT_VAR0 + n for n in (*range(4), *range(8, 11), *range(16, 20)))


class ExactGenerator(Generator):
    """Only operations with one answer, of numbers of 32 bits."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.ops = list(EXACT)

    def operation(self) -> None:
        op = self.random.choice(self.ops)
        kind = self.random.choice(("float", "int", "uint", "bool"))
        if op.name in ("iand", "ior", "ixor", "inot", "ieq", "ine"):
            kind = {"float": "int"}.get(kind, kind)
        width = self.random.choice((1, 1, 2, 3, 4))
        srcs = [
            self.value(kind if wanted == "any" else wanted, size or width)
            for size, wanted in zip(op.in_sizes, op.in_types, strict=True)
        ]
        made = self.b.alu(op.name, *srcs)
        if op.out_type == "float":  # products of products would leave the range of f2i
            made = self.b.bcsel(self.b.flt(self.b.fabs(made), 4096.0), made, 1.5)
        elif op.name in ("imul", "iadd", "isub", "inot", "ineg"):
            made = self.b.iand(made, 0xFFFF)
        self.pool.append(made)


def data(seed: int) -> tuple[dict[int, np.ndarray], bytes]:
    """Attributes by slot, and block 0."""
    rng = np.random.default_rng(seed)
    inputs = {slot: (rng.normal(size=(LANES, 4)) * 4).astype(np.float32) for slot in range(4)}
    words = rng.integers(-4, 7, 24).astype(np.int32)
    words[4:8] = rng.normal(size=4).astype(np.float32).view(np.int32)
    return inputs, words.tobytes()


def by_nir(shader: Shader, seed: int) -> dict[int, np.ndarray]:
    """Outputs by slot, (4, lanes), after the passes of nir that may change a rounding."""
    inputs, block = data(seed)
    lower_for_backend(shader)
    run_pass(shader, "lower_alu", ops=LOWERED)
    optimize(shader)
    return interp.run(shader, LANES, inputs=inputs, ubos={0: block}).outputs


def compiled(shader: Shader, optimized: bool = True) -> Vc4Compile:
    """Its QIR as a vertex shader."""
    inputs = tuple(VaryingSlot(slot, k) for slot in SLOTS for k in range(4))
    return vc4_shader_ntq(shader, QStage.VERT, Vc4VsKey(fs_inputs=inputs), optimized=optimized)


def by_qir(c: Vc4Compile, shader: Shader, seed: int) -> dict[int, np.ndarray]:
    """The same of QIR: what it puts behind the position, z and 1/w."""
    from pipe_vc4.ntq.ends import read_slots_of

    inputs, block = data(seed)
    words = np.frombuffer(block, np.uint32)

    def uniform(contents: QUniform, number: int) -> int:
        if contents == QUniform.CONSTANT:
            return number
        if contents == QUniform.UNIFORM:
            return int(words[number]) if number < len(words) else 0
        return 0

    reads = {
        (QFile.VPM, 4 * place + k): np.ascontiguousarray(inputs[slot][:, k]).view(np.uint32)
        for place, slot in enumerate(sorted(read_slots_of(shader)))
        for k in range(4)
    }
    reads.setdefault((QFile.VPM, 0), np.zeros(LANES, np.uint32))
    found = [w.value for w in Machine(c, uniform, reads).run() if w.file == QFile.VPM][3:]
    return {slot: np.stack(found[4 * n : 4 * n + 4]) for n, slot in enumerate(SLOTS)}


def agree(a: dict[int, np.ndarray], b: dict[int, np.ndarray]) -> bool:
    """All bits of all outputs; what nir does not write is 0. A zero may have either sign, since
    what goes through a whole number loses it (ftrunc, ffloor).
    """
    zero = np.zeros((4, LANES), np.uint32)

    def plain(cells: np.ndarray) -> np.ndarray:
        return np.where(cells == 0x80000000, 0, cells)

    return all((plain(a.get(slot, zero)) == plain(b[slot])).all() for slot in SLOTS)
