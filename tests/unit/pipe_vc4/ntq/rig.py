# SPDX-License-Identifier: MIT
"""Random shaders that QIR computes exactly, and both interpreters side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pipe_vc4.ntq.keys import Vc4FsKey, Vc4VsKey
from pipe_vc4.ntq.lower import LOWERED, vc4_shader_ntq
from pipe_vc4.qir.interpreter import LANES, Machine, Written
from pipe_vc4.qir.qir import QFile, QStage, QUniform, VaryingSlot, Vc4Compile
from pipe_vc4.qir.validate import qir_validate
from pydri.nir import interp, types
from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, FRAG_RESULT_DEPTH, VARYING_SLOT_VAR0
from pydri.nir.ir import Deref, Shader
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

    def __init__(self, seed: int, times: int = 1) -> None:
        """`times` as many statements: what they make fills the registers."""
        super().__init__(seed)
        self.ops, self.times = list(EXACT), times

    def statements(self, count: int) -> None:
        super().statements(count * (1 if self.depth else self.times))

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


class FragmentGenerator(ExactGenerator):
    """A fragment shader: derivatives where all lanes run, discards anywhere, one colour."""

    def __init__(self, seed: int, times: int = 1) -> None:
        super().__init__(seed, times)
        self.b = Builder(Shader("fragment"))
        self.array = self.b.local("array", types.array(types.VEC2, 3))

    def make(self) -> Shader:
        b = self.b
        for slot in SLOTS[:3]:
            self.pool.append(b.load_input(slot, 4))
        self.pool += [b.load_ubo(0, 16, 4), b.load_ubo(0, 32, 2, kind="int"), b.imm_float(0.5)]
        self.pool += [b.imm_int(3), b.imm_uint(8), b.imm_bool(True), b.load_front_face()]
        for i, type_ in enumerate((types.VEC4, types.VEC3, types.INT, types.BOOL)):
            var = b.local(f"v{i}", type_)
            b.store_var(var, 0 if type_.kind != "bool" else False)
            self.vars.append(var)
        for i in range(3):
            b.store_var(Deref(self.array, (i,)), b.imm_float(float(i), 0.5))
        self.statements(10)
        color = b.fadd(b.load_var(self.vars[0]), self.value("float", 4))
        for _ in range(16 * (self.times - 1)):  # all of them are alive up to here
            color = b.fadd(color, self.value("float", 4))
        b.store_output(b.fmul(color, 0.37), FRAG_RESULT_COLOR)
        b.store_output(b.fabs(self.value("float", 1)), FRAG_RESULT_DEPTH)
        return b.shader

    def operation(self) -> None:
        choice = self.random.random()
        if choice < 0.06:
            self.b.discard_if(self.condition())
        elif choice < 0.14 and self.depth == 0:
            slope = self.random.choice(("fddx", "fddy"))
            self.pool.append(self.b.alu(slope, self.value("float", 0)))
        else:
            super().operation()


class Fragments(NamedTuple):
    """A random fragment shader, compiled, what it is given and what nir makes of that."""

    c: Vc4Compile
    #: by file and number, as QIR reads it
    reads: dict[tuple[QFile, int], np.ndarray]
    #: block 0
    words: np.ndarray
    #: lanes whose fragments are not discarded; their colours, their depths
    alive: np.ndarray
    color: np.ndarray
    depth: np.ndarray

    def uniform(self, contents: QUniform, number: int) -> int:
        """What the driver would put there."""
        return number if contents == QUniform.CONSTANT else int(self.words[number])

    def agrees(self, written: Iterable[Written]) -> bool:
        """Colour in bytes, depth in 24 bits, and which fragments are written."""
        found = {w.file: w for w in written}
        return all(
            (w.lanes == self.alive).all() and (w.value == wanted)[self.alive].all()
            for w, wanted in ((found[QFile.TLB_COLOR_WRITE], self.color),
                              (found[QFile.TLB_Z_WRITE], self.depth))
        )  # fmt: skip


def fragments(seed: int, times: int = 1) -> Fragments:
    """By its seed."""
    rng = np.random.default_rng(seed)
    values = {slot: (rng.normal(size=(LANES, 4)) * 4).astype(np.float32) for slot in SLOTS[:3]}
    _, block = data(seed)
    words, front = np.frombuffer(block, np.uint32), np.repeat(rng.random(LANES // 4) < 0.5, 4)
    shader = FragmentGenerator(seed, times).make()
    lower_for_backend(shader)
    run_pass(shader, "lower_alu", ops=LOWERED)
    optimize(shader)
    system = {"front_face": front}
    expected = interp.run(shader, LANES, inputs=values, ubos={0: block}, system=system)
    shader = FragmentGenerator(seed, times).make()
    c = vc4_shader_ntq(shader, QStage.FRAG, Vc4FsKey(depth_enabled=True))
    qir_validate(c, "fragment", lowered=True)
    reads = {
        (QFile.VARY, n): np.ascontiguousarray(values[slot.slot][:, slot.swizzle]).view(np.uint32)
        for n, slot in enumerate(c.input_slots)
    }
    reads[QFile.FRAG_REV_FLAG, 0] = (~front).astype(np.uint32)
    color = expected.output(FRAG_RESULT_COLOR)
    bytes_ = np.rint(np.clip(np.nan_to_num(color), 0, 1).astype(np.float64) * 255).astype(np.uint32)
    word = (bytes_ << np.array([0, 8, 16, 24], np.uint32)).sum(axis=1, dtype=np.uint32)
    depth = np.clip(expected.output(FRAG_RESULT_DEPTH)[:, 0], 0, 1) * np.float32(0xFFFFFF)
    return Fragments(c, reads, words, ~expected.discarded, word, depth.astype(np.uint32))


def fragments_agree(made: Fragments) -> bool:
    """QIR's interpreter and nir's."""
    return made.agrees(Machine(made.c, made.uniform, made.reads).run())
