# SPDX-License-Identifier: MIT
"""Defining shaders of ATI_fragment_shader: glBeginFragmentShaderATI to glEndFragmentShaderATI.

In: calls between these two, each an instruction of the shader that is bound. Out: its `Shader`
(ati_program.py), and the code of each signature that a draw needs (`make_variant`). Errors and what
a call with one leaves behind are the peer's. Mesa: main/atifragshader.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.layout import DIRTY_PROGRAM
from pydri.main.pointers import address_of
from pydri.main.programs.ati_program import (
    REGISTERS,
    Argument,
    Operation,
    Pass,
    Setup,
    Shader,
    program_of,
)
from pydri.main.programs.layout import ATI, ATI_TARGET_BITS, ATI_UNITS, ArbCode, ArbProgram
from pydri.main.shaders import held
from pydri.main.textures.layout import (
    MAX_TEXTURE_UNITS,
    TARGET_INDEX_1D,
    TARGET_INDEX_2D,
    TARGET_INDEX_3D,
    TARGET_INDEX_CUBE,
    TARGET_INDEX_RECT,
)

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_OPERATIONS = 8  # a pass
_NAMES = {
    TARGET_INDEX_1D: "1D", TARGET_INDEX_2D: "2D", TARGET_INDEX_3D: "3D", TARGET_INDEX_CUBE: "CUBE",
    TARGET_INDEX_RECT: "RECT",
}  # fmt: skip
_FOGS = ("", "linear", "exp", "exp2")
_SCALES = (0, gl.GL_2X_BIT_ATI, gl.GL_4X_BIT_ATI, gl.GL_8X_BIT_ATI, gl.GL_HALF_BIT_ATI,
           gl.GL_QUARTER_BIT_ATI, gl.GL_EIGHTH_BIT_ATI)  # fmt: skip
_PAIRED = (gl.GL_DOT2_ADD_ATI, gl.GL_DOT3_ATI, gl.GL_DOT4_ATI)
_COLOR, _ALPHA = 0, 1


class Definition:
    """A shader while it is defined. `stage`: 0 setup, 1 operations, of the second pass 2 and 3."""

    def __init__(self) -> None:
        self.stage = 0
        self.setups: list[dict[int, Setup]] = [{}, {}]
        self.pairs: list[list[dict[int, Operation]]] = [[], []]
        self.last = _COLOR
        self.colors_first = False  # the first pass reads interpolated colours
        self.thirds = [0] * MAX_TEXTURE_UNITS  # 1: r, 2: q is the third of a unit's coordinates
        self.constants: dict[int, tuple[float, float, float, float]] = {}

    def shader(self) -> Shader:
        """What has been defined."""
        count = 2 if self.stage > 1 else 1
        passes = [
            Pass(tuple(self.setups[n][r] for r in sorted(self.setups[n])),
                 tuple(pair[kind] for pair in self.pairs[n] for kind in sorted(pair)))
            for n in range(count)
        ]  # fmt: skip
        return Shader(tuple(passes), tuple(sorted(self.constants.items())))


class AtiData:
    """What is known of a shader beside its native form."""

    def __init__(self) -> None:
        self.shader: Shader | None = None


def _wrong(text: str) -> GLError:
    return GLError(gl.GL_INVALID_OPERATION, text)


def _data(ctx: GLContext, native: Any) -> AtiData:
    table = ctx.shared.assembly
    key = "ati", ctypes.addressof(native)
    known = table.get(key)
    if known is None or known[0] != native.name:
        known = table[key] = (native.name, AtiData())
    data: AtiData = known[1]
    return data


def _defining(ctx: GLContext) -> Definition:
    if not ctx.n.arb.compiling:
        raise _wrong("outside of a shader")
    assert ctx.ati_definition is not None
    return ctx.ati_definition


@entry
def glBeginFragmentShaderATI(ctx: GLContext) -> None:
    if ctx.n.arb.compiling:
        raise _wrong("inside of a shader")
    ctx.ati_definition = Definition()
    ctx.n.arb.compiling = 1


@entry
def glEndFragmentShaderATI(ctx: GLContext) -> None:
    definition = _defining(ctx)
    ctx.n.arb.compiling = 0
    ctx.ati_definition = None
    native: Any = ArbProgram.view(ctx.n.arb.bound[ATI])
    with ctx.shared.lock:
        data = _data(ctx, native)
        data.shader = definition.shader()
        native.units = data.shader.units
        native.serial += 1
        ctx.kernel("codes_put")(ctx.address, ctypes.addressof(native), 0)
        held.bury(ctx)
    ctx.n.dirty |= DIRTY_PROGRAM
    # the shader is defined in either case
    if definition.colors_first and definition.stage > 1:
        raise _wrong("colours in the first of two passes")
    if definition.stage in (0, 2):
        raise _wrong("a pass without operations")


def make_variant(ctx: GLContext, signature: int) -> None:
    """The code of the bound shader for targets and fog. It is small: the group's lock is held."""
    from pydri.main.programs.code import made_code
    from pydri.prog.passes import prepare

    native: Any = ArbProgram.view(ctx.n.arb.bound[ATI])
    with ctx.shared.lock:
        data = _data(ctx, native)
        assert data.shader is not None
        mask = (1 << ATI_TARGET_BITS) - 1
        targets = {
            n: _NAMES.get(signature >> ATI_TARGET_BITS * n & mask, "") for n in range(ATI_UNITS)
        }
        fog = _FOGS[signature >> ATI_TARGET_BITS * ATI_UNITS]
        code, address = made_code(prepare(program_of(data.shader, targets, fog)), native.name)
        held.hold(ctx, address, (code,))
        made: Any = ArbCode.view(address)
        made.signature, made.previous = signature, native.code
        native.code = address


# -- instructions ----------------------------------------------------------------------------------


def _is_register(name: int) -> bool:
    return gl.GL_REG_0_ATI <= name < gl.GL_REG_0_ATI + REGISTERS


def _is_texture(name: int) -> bool:
    return gl.GL_TEXTURE0_ARB <= name < gl.GL_TEXTURE0_ARB + MAX_TEXTURE_UNITS


def _setup(ctx: GLContext, dst: int, source: int, swizzle: int, samples: bool) -> None:
    """glPassTexCoordATI, glSampleMapATI."""
    definition = _defining(ctx)
    stage = 2 if definition.stage == 1 else definition.stage
    register = dst - gl.GL_REG_0_ATI
    if stage > 2 or register in definition.setups[stage >> 1]:
        raise _wrong("this register has something already, or there were operations")
    if not _is_register(dst) or not (_is_register(source) or _is_texture(source)):
        raise GLError(gl.GL_INVALID_ENUM, f"dst=0x{dst:X}, source=0x{source:X}")
    if stage == 0 and _is_register(source):
        raise _wrong("a register in the first pass")
    if not swizzle >= gl.GL_SWIZZLE_STR_ATI:
        raise GLError(gl.GL_INVALID_ENUM, f"swizzle=0x{swizzle:X}")
    if swizzle & 1 and _is_register(source):
        raise _wrong("a register has no q")
    if _is_texture(source):
        unit = source - gl.GL_TEXTURE0_ARB
        third = (swizzle & 1) + 1
        if definition.thirds[unit] not in (0, third):
            raise _wrong("r and q of one unit")
        definition.thirds[unit] = third
    if definition.stage == 1:
        definition.last = _ALPHA
    definition.stage = stage
    definition.setups[stage >> 1][register] = Setup(register, samples, source, swizzle)


@entry
def glPassTexCoordATI(ctx: GLContext, dst: int, coord: int, swizzle: int) -> None:
    _setup(ctx, dst, coord, swizzle, False)


@entry
def glSampleMapATI(ctx: GLContext, dst: int, interp: int, swizzle: int) -> None:
    _setup(ctx, dst, interp, swizzle, True)


def _is_constant(name: int) -> bool:
    return gl.GL_CON_0_ATI <= name < gl.GL_CON_0_ATI + 8


def _check_argument(kind: int, given: Argument) -> None:
    colors = gl.GL_PRIMARY_COLOR_ARB, gl.GL_SECONDARY_INTERPOLATOR_ATI
    known = given.source in (gl.GL_ZERO, gl.GL_ONE, *colors)
    if not (known or _is_register(given.source) or _is_constant(given.source)):
        raise GLError(gl.GL_INVALID_ENUM, f"argument 0x{given.source:X}")
    if given.source == gl.GL_SECONDARY_INTERPOLATOR_ATI:
        refused = (gl.GL_ALPHA,) if kind == _COLOR else (gl.GL_ALPHA, gl.GL_NONE)
        if given.repeated in refused:
            raise _wrong("the secondary interpolator has no alpha")


def _check_operation(kind: int, op: int, arguments: tuple[Argument, ...], beside: int) -> None:
    """The errors of an operation and its arguments; `beside`: the operation on colours of its pair.
    """
    if not (gl.GL_ADD_ATI <= op <= gl.GL_DOT2_ADD_ATI or op == gl.GL_MOV_ATI):
        raise GLError(gl.GL_INVALID_ENUM, f"op=0x{op:X}")
    if kind == _ALPHA:
        unpaired = op in _PAIRED and beside != op
        if unpaired or (beside == gl.GL_DOT4_ATI and op != gl.GL_DOT4_ATI):
            raise _wrong("dot products are computed for colours and alphas at once")
    if kind == _COLOR and op == gl.GL_DOT4_ATI:
        for given in arguments[:2]:
            second = given.source == gl.GL_SECONDARY_INTERPOLATOR_ATI
            if second and given.repeated in (gl.GL_ALPHA, gl.GL_NONE):
                raise _wrong("the secondary interpolator has no alpha")
    for n, given in enumerate(arguments):
        if n == 0 or given.source:
            _check_argument(kind, given)
    sources = [given.source for given in arguments]
    if len(sources) == 3 and all(map(_is_constant, sources)) and len(set(sources)) == 3:
        raise _wrong("three constants")


def _operate(ctx: GLContext, kind: int, op: int, dst: int, mask: int, modifier: int,
             *given: int) -> None:  # fmt: skip
    """glColorFragmentOp*ATI, glAlphaFragmentOp*ATI."""
    definition = _defining(ctx)
    stage = {0: 1, 2: 3}.get(definition.stage, definition.stage)
    pairs = definition.pairs[stage >> 1]
    fresh = kind == _COLOR or definition.last == kind or not pairs
    if fresh and len(pairs) >= _OPERATIONS:
        raise _wrong("more than eight pairs of operations")
    beside = 0 if fresh or _COLOR not in pairs[-1] else pairs[-1][_COLOR].op
    if not _is_register(dst):
        raise GLError(gl.GL_INVALID_ENUM, f"dst=0x{dst:X}")
    if modifier & ~gl.GL_SATURATE_BIT_ATI not in _SCALES:
        raise GLError(gl.GL_INVALID_ENUM, f"dstMod=0x{modifier:X}")
    arguments = tuple(Argument(*given[n : n + 3]) for n in range(0, len(given), 3))
    _check_operation(kind, op, arguments, beside)
    colors = gl.GL_PRIMARY_COLOR_ARB, gl.GL_SECONDARY_INTERPOLATOR_ATI
    if stage == 1 and any(argument.source in colors for argument in arguments):
        definition.colors_first = True
    definition.last, definition.stage = kind, stage
    written = 8 if kind == _ALPHA else mask & 7 or 7
    made = Operation(op, dst - gl.GL_REG_0_ATI, written, modifier, arguments)
    if fresh:
        pairs.append({})
    pairs[-1][kind] = made


def _color(count: int) -> None:
    def call(ctx: GLContext, op: int, dst: int, mask: int, modifier: int, *given: int) -> None:
        _operate(ctx, _COLOR, op, dst, mask, modifier, *given)

    call.__name__ = f"glColorFragmentOp{count}ATI"
    entry(call)


def _alpha(count: int) -> None:
    def call(ctx: GLContext, op: int, dst: int, modifier: int, *given: int) -> None:
        _operate(ctx, _ALPHA, op, dst, 0, modifier, *given)

    call.__name__ = f"glAlphaFragmentOp{count}ATI"
    entry(call)


for _count in (1, 2, 3):
    _color(_count)
    _alpha(_count)


@entry
def glSetFragmentShaderConstantATI(ctx: GLContext, dst: int, value: Any) -> None:
    """Of the shader that is being defined; the kernel sets the others."""
    x, y, z, w = (ctypes.c_float * 4).from_address(address_of(value))
    _defining(ctx).constants[dst - gl.GL_CON_0_ATI] = (x, y, z, w)


__all__ = ["AtiData", "Definition", "make_variant"]
