# SPDX-License-Identifier: MIT
"""From Mesa IR to nir.

In: a Program, and `places`, which says where numbers of the state lie. Out: a shader as front ends
of pydri/st expect it: inputs and outputs are slots, parameters are loads from constant blocks: of
state from block 0, of the program's own parameters (environment and local ones, arrays that are
indexed) from block 1, 16 bytes each by their numbers; other constants are numbers of the code. A
register is four components, each a component of an SSA value: writing some of them makes nothing
but the computation. Samplers are numbered by their place in `samplers`. Counterpart of Mesa's
prog_to_nir.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from pydri.nir.builder import Builder
from pydri.nir.enums import (
    FRAG_RESULT_DEPTH,
    INTERP_NONE,
    INTERP_SMOOTH,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
)
from pydri.nir.ir import Shader, SSADef
from pydri.nir.stages import ATTRIBUTES, RESULTS
from pydri.prog.instructions import (
    CONST,
    INPUT,
    OUTPUT,
    STATE,
    TEMP,
    ZERO,
    Instruction,
    Program,
    Src,
    dimension,
)
from pydri.prog.parameters import OWN_PARAMETERS, State

#: where a number of the state lies in block 0, or what it always is
Part = int | float
Places = Callable[[State], tuple[Part, Part, Part, Part]]
_DIMENSIONS: Final = {"1D": 1, "2D": 2, "3D": 3, "CUBE": 3, "RECT": 2, "1D_ARRAY": 2, "2D_ARRAY": 3}
_SCALARS: Final = slice(0, 1)


class Channel(NamedTuple):
    """A component of a value."""

    value: SSADef
    component: int


class _Translation:
    """The translation of one program."""

    def __init__(self, program: Program, places: Places) -> None:
        self.program = program
        self.places = places
        self.b = Builder(Shader(program.stage))
        self.samplers = sorted(program.textures)
        zero = self.b.imm_float(0.0)
        self.zero, self.one = Channel(zero, 0), Channel(self.b.imm_float(1.0), 0)
        self.registers: dict[tuple[str, int], list[Channel]] = {}
        self.loaded: dict[object, list[Channel]] = {}
        self.address: SSADef | None = None
        self.widths = _widths(program)

    # -- operands ----------------------------------------------------------------------------------

    def channels(self, src: Src) -> list[Channel]:
        """The four components of the register of an operand."""
        if src.relative:
            return self._indexed(src)
        if src.file in (TEMP, OUTPUT):
            return self.registers.get((src.file, src.number), [self.zero] * 4)
        key = src.file, src.number
        if key not in self.loaded:
            load = self._input if src.file == INPUT else self._parameter
            self.loaded[key] = load(src.number) if src.file in (INPUT, STATE, CONST) else (
                [self.zero] * 4)  # fmt: skip
        return self.loaded[key]

    def _vector(self, value: SSADef) -> list[Channel]:
        found = [Channel(value, n) for n in range(value.num_components)]
        return found + [self.zero, self.zero, self.zero, self.one][len(found) :]

    def _input(self, slot: int) -> list[Channel]:
        b = self.b
        if self.program.row.inputs.kind == ATTRIBUTES:
            return self._vector(b.load_input(slot, 4))
        if slot == VARYING_SLOT_POS:
            return self._place()
        if slot == VARYING_SLOT_FOGC:
            fog = Channel(b.load_input(slot, 1, interp=INTERP_SMOOTH), 0)
            return [fog, self.zero, self.zero, self.one]
        flat = slot in (VARYING_SLOT_COL0, VARYING_SLOT_COL1)
        width = self.widths[slot]
        return self._vector(
            b.load_input(slot, width, interp=INTERP_NONE if flat else INTERP_SMOOTH))

    def _place(self) -> list[Channel]:
        place = self.b.load_frag_coord()
        return [Channel(place, n) for n in range(4)]

    def _indexed(self, src: Src) -> list[Channel]:
        """A parameter that the address register chooses."""
        b = self.b
        address = b.imm_int(0) if self.address is None else self.address
        at = b.ishl(b.iadd(address, src.number), 4)
        return self._vector(b.load_ubo(1, at, 4))

    def _parameter(self, number: int) -> list[Channel]:
        item = self.program.parameters.items[number]
        b = self.b
        if item.state is None:
            return self._vector(b.imm_vec4(*item.values))
        if item.state[0] in OWN_PARAMETERS:
            return self._vector(b.load_ubo(1, 16 * number, 4))
        parts = self.places(item.state)
        first = parts[0]
        if isinstance(first, int) and parts == tuple(first + 4 * n for n in range(4)):
            return self._vector(b.load_ubo(0, first, 4))
        return [
            Channel(b.load_ubo(0, part, 1) if isinstance(part, int) else b.imm_float(part), 0)
            for part in parts
        ]

    def operand(self, src: Src, components: tuple[int, ...]) -> SSADef:
        """Components of an operand, swizzled and negated, as one value."""
        b = self.b
        have = [*self.channels(src), self.zero, self.one]
        picks = [have[src.swizzle[n]] for n in components]
        signs = [src.negate >> n & 1 for n in components]
        value = picks[0].value
        if any(pick.value is not value for pick in picks):
            parts = [b.swizzle(pick.value, (pick.component,)) for pick in picks]
            value = b.vec(*parts)
        elif [pick.component for pick in picks] != list(range(value.num_components)):
            value = b.swizzle(value, tuple(pick.component for pick in picks))
        if all(signs):
            return b.fneg(value)
        if any(signs):
            parts = [b.swizzle(value, (n,)) for n in range(len(picks))]
            parts = [b.fneg(p) if sign else p for p, sign in zip(parts, signs, strict=True)]
            return b.vec(*parts)
        return value

    # -- instructions ------------------------------------------------------------------------------

    def instruction(self, item: Instruction) -> None:
        """Emit one instruction."""
        if item.opcode in ("END", "NOP"):
            return
        wanted = tuple(n for n in range(4) if item.dst.mask >> n & 1)
        if item.opcode == "KIL":
            self._kill(item.srcs[0])
            return
        if item.opcode == "ARL":
            self.address = self.b.f2i(self.b.ffloor(self.operand(item.srcs[0], (0,))))
            return
        results = self._results(item, wanted)
        if item.saturate:
            fresh: dict[SSADef, SSADef] = {}
            for part in results:
                if part.value not in fresh:
                    fresh[part.value] = self.b.fsat(part.value)
            results = [Channel(fresh[part.value], part.component) for part in results]
        self._write(item, wanted, results)

    def _results(self, item: Instruction, wanted: tuple[int, ...]) -> list[Channel]:
        """What is written, a channel for each wanted component."""
        name, b = item.opcode, self.b
        if item.target:
            texel = self._sample(item)
            return [Channel(texel, n) for n in wanted]
        if name in _COMPONENTWISE:
            value = _COMPONENTWISE[name](b, *(self.operand(src, wanted) for src in item.srcs))
            return [Channel(value, n) for n in range(len(wanted))]
        if name in _SCALAR:
            value = _SCALAR[name](b, *(self.operand(src, (0,)) for src in item.srcs))
            return [Channel(value, 0)] * len(wanted)
        if name in _DOTS:
            value = _DOTS[name](b, *(self.operand(src, (0, 1, 2, 3)) for src in item.srcs))
            return [Channel(value, 0)] * len(wanted)
        made = _VECTORS[name](b, *(self.operand(src, (0, 1, 2, 3)) for src in item.srcs))
        return [Channel(made[n], 0) for n in wanted]

    def _write(self, item: Instruction, wanted: tuple[int, ...], results: list[Channel]) -> None:
        key = item.dst.file, item.dst.number
        register = list(self.registers.get(key, [self.zero] * 4))
        for n, part in zip(wanted, results, strict=True):
            register[n] = part
        self.registers[key] = register

    def _kill(self, src: Src) -> None:
        b = self.b
        some = b.flt(self.operand(src, (0, 1, 2, 3)), 0.0)
        b.discard_if(b.any_true(some))

    def _sample(self, item: Instruction) -> SSADef:
        size = _DIMENSIONS[item.target]
        number = self.samplers.index(item.unit)
        coord = item.srcs[0]
        srcs = {"coord": self.operand(coord, tuple(range(size)))}
        op = "tex"
        if item.opcode in ("TXP", "TXB", "TXL"):
            last = self.operand(coord, (3,))
            srcs[{"TXP": "projector", "TXB": "bias", "TXL": "lod"}[item.opcode]] = last
            op = "tex" if item.opcode == "TXP" else item.opcode.lower()
        elif item.opcode == "TXD":
            op = "txd"
            srcs["ddx"], srcs["ddy"] = (
                self.operand(src, tuple(range(size))) for src in item.srcs[1:]
            )
        if item.shadow:
            srcs["comparator"] = self.operand(coord, (2 if size < 3 else 3,))
        dim, arrayed = dimension(item.target)
        return self.b.tex(
            op, srcs, sampler_dim=dim, is_array=arrayed, is_shadow=item.shadow,
            texture_index=number, sampler_index=number)  # fmt: skip

    # -- outputs -----------------------------------------------------------------------------------

    def outputs(self) -> None:
        """Store what the program has written."""
        b, results = self.b, self.program.row.outputs.kind == RESULTS
        written = {index: r for (file, index), r in self.registers.items() if file == OUTPUT}
        for slot in sorted(written):
            parts = written[slot]
            if results and slot == FRAG_RESULT_DEPTH:
                parts = parts[2:3]  # the depth is z of its result
            elif not results and slot in (VARYING_SLOT_FOGC, VARYING_SLOT_PSIZ):
                parts = parts[_SCALARS]
            values = [b.swizzle(part.value, (part.component,)) for part in parts]
            b.store_output(b.vec(*values) if len(values) > 1 else values[0], slot)


def _widths(program: Program) -> dict[int, int]:
    """Of each input: components up to the last that is read."""
    found: dict[int, int] = {}
    for item in program.instructions:
        for n, src in enumerate(item.srcs):
            if src.file == INPUT:
                read = [src.swizzle[c] for c in _components(item, n) if src.swizzle[c] < ZERO]
                found[src.number] = max(found.get(src.number, 1), 1 + max(read, default=0))
    return found


def _components(item: Instruction, operand: int) -> list[int]:
    """The components of an operand that an instruction looks at, before the swizzle."""
    if item.target:
        size = _DIMENSIONS[item.target]
        more = [3] if item.opcode in ("TXP", "TXB", "TXL") and operand == 0 else []
        return [*range(size), *([2 if size < 3 else 3] if item.shadow else []), *more]
    if item.opcode in _SCALAR or item.opcode == "ARL":
        return [0]
    if item.opcode in _COMPONENTWISE:
        return [n for n in range(4) if item.dst.mask >> n & 1]
    return [0, 1, 2] if item.opcode in ("DP3", "XPD") else [0, 1, 2, 3]


def _log(b: Builder, x: SSADef, *_: SSADef) -> list[SSADef]:
    """LOG: exponent, mantissa and logarithm of |x|."""
    size = b.fabs(x[0])
    whole = b.ffloor(b.flog2(size))
    return [whole, b.fdiv(size, b.fexp2(whole)), b.flog2(size), b.imm_float(1.0)]


def _exp(b: Builder, x: SSADef) -> list[SSADef]:
    """EXP: the powers of the whole part and of all, and the fraction."""
    whole = b.ffloor(x[0])
    return [b.fexp2(whole), b.fsub(x[0], whole), b.fexp2(x[0]), b.imm_float(1.0)]


def _lit(b: Builder, x: SSADef) -> list[SSADef]:
    """LIT: diffuse and specular factors."""
    exponent = b.fmax(b.fmin(x[3], 128.0), -128.0)
    power = b.fpow(b.fmax(x[1], 0.0), exponent)
    lit = b.bcsel(b.feq(exponent, 0.0), b.imm_float(1.0), power)
    none = b.fge(b.imm_float(0.0), x[0])
    specular = b.bcsel(none, b.imm_float(0.0), lit)
    return [b.imm_float(1.0), b.fmax(x[0], 0.0), specular, b.imm_float(1.0)]


def _xpd(b: Builder, x: SSADef, y: SSADef) -> list[SSADef]:
    parts = [b.fsub(b.fmul(x[i], y[j]), b.fmul(y[i], x[j])) for i, j in ((1, 2), (2, 0), (0, 1))]
    return [*parts, b.imm_float(1.0)]


_COMPONENTWISE: Final[dict[str, Callable[..., SSADef]]] = {
    "MOV": lambda b, x: x, "SWZ": lambda b, x: x,
    "ABS": lambda b, x: b.fabs(x), "FLR": lambda b, x: b.ffloor(x),
    "FRC": lambda b, x: b.ffract(x), "ADD": lambda b, x, y: b.fadd(x, y),
    "SUB": lambda b, x, y: b.fsub(x, y), "MUL": lambda b, x, y: b.fmul(x, y),
    "MAX": lambda b, x, y: b.fmax(x, y), "MIN": lambda b, x, y: b.fmin(x, y),
    "SLT": lambda b, x, y: b.b2f(b.flt(x, y)), "SGE": lambda b, x, y: b.b2f(b.fge(x, y)),
    "MAD": lambda b, x, y, z: b.fadd(b.fmul(x, y), z),
    "LRP": lambda b, x, y, z: b.flrp(z, y, x),
    "CMP": lambda b, x, y, z: b.bcsel(b.flt(x, 0.0), y, z),
    "DDX": lambda b, x: b.fddx(x), "DDY": lambda b, x: b.fddy(x),
}  # fmt: skip
_SCALAR: Final[dict[str, Callable[..., SSADef]]] = {
    "RCP": lambda b, x: b.frcp(x), "RSQ": lambda b, x: b.frsq(b.fabs(x)),
    "EX2": lambda b, x: b.fexp2(x), "LG2": lambda b, x: b.flog2(x),
    "POW": lambda b, x, y: b.fpow(x, y), "SIN": lambda b, x: b.fsin(x),
    "COS": lambda b, x: b.fcos(x),
}  # fmt: skip
_DOTS: Final[dict[str, Callable[..., SSADef]]] = {
    "DP3": lambda b, x, y: b.fdot3(x[:3], y[:3]), "DP4": lambda b, x, y: b.fdot4(x, y),
    "DPH": lambda b, x, y: b.fadd(b.fdot3(x[:3], y[:3]), y[3]),
}  # fmt: skip
_VECTORS: Final[dict[str, Callable[..., list[SSADef]]]] = {
    "DST": lambda b, x, y: [b.imm_float(1.0), b.fmul(x[1], y[1]), x[2], y[3]],
    "LIT": _lit, "XPD": _xpd, "EXP": _exp, "LOG": _log,
    "SCS": lambda b, x: [b.fcos(x[0]), b.fsin(x[0]), b.imm_float(0.0), b.imm_float(1.0)],
}  # fmt: skip


def to_nir(program: Program, places: Places) -> Shader:
    """The shader of a prepared program (passes.py), optimised."""
    from pydri.nir.passes import lower_glsl

    translation = _Translation(program, places)
    for item in program.instructions:
        translation.instruction(item)
    translation.outputs()
    shader = translation.b.shader
    lower_glsl(shader)
    return shader


__all__ = ["Places", "to_nir"]
