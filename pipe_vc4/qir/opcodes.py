# SPDX-License-Identifier: MIT
"""TABLE: one row per QIR operation. The row is the definition.

In: nothing. Out: `QOPS`, name -> `QOp`.
A row gives how many sources there are, whether something is written, which pipe of the QPU does it,
and what it means as numpy code on raw 32-bit lanes. Builder methods, printer, parser, validator,
constant folding and the interpreter follow from it. Floats are IEEE singles without denormals, as
in nir (pydri/nir/flush.py). Source: VideoCore IV 3D Architecture Reference Guide, "Add ALU
Instructions", "Mul ALU Instructions", "Special Function Unit".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pydri.nir.flush import add, flushed, mul, single
from pydri.util.lazy_numpy import np

Arr = Any  # an ndarray of uint32, one cell a lane

#: QOp.pipe: the add ALU, the multiplier, either, the SFU (a write that starts it, a result in R4),
#: a signal with a result in R4, load immediate, branch; what else a row stands for
ADD, MUL, EITHER, SFU, SIGNAL, LOAD, BRANCH, OTHER = (
    "add", "mul", "either", "sfu", "signal", "load", "branch", "other",
)  # fmt: skip


class QOp(NamedTuple):
    """One row."""

    name: str
    nsrc: int
    #: it writes a destination
    has_dst: bool
    pipe: str
    #: lanes of the sources -> lanes of the result; None: the interpreter has its own words
    eval: Callable[..., Arr] | None = None
    #: sources are floats: an unpack mode makes floats of them
    float_input: bool = False
    #: the result is a float: a pack mode of file A takes it for one
    float_output: bool = False
    commutative: bool = False
    #: must stay though nothing reads it
    effects: bool = False
    #: the result comes in R4
    writes_r4: bool = False

    @property
    def is_mul(self) -> bool:
        """Only the multiplier does it."""
        return self.pipe == MUL


QOPS: Final[dict[str, QOp]] = {}


def _op(name: str, nsrc: int, pipe: str, fn: Callable[..., Arr] | None = None, *marks: str) -> None:
    known = {"float_input", "float_output", "commutative", "effects", "writes_r4", "no_dst"}
    assert set(marks) <= known
    flags = {mark: True for mark in marks if mark != "no_dst"}
    QOPS[name] = QOp(name, nsrc, "no_dst" not in marks, pipe, fn, **flags)


def _floats(fn: Callable[..., Arr]) -> Callable[..., Arr]:
    """An operation on singles, as one on raw lanes."""

    def on_lanes(*lanes: Arr) -> Arr:
        with np.errstate(all="ignore"):
            result = fn(*(flushed(lane.view(np.float32)) for lane in lanes))
            return flushed(np.asarray(result, np.float32)).view(np.uint32)

    return on_lanes


def _ints(fn: Callable[..., Arr]) -> Callable[..., Arr]:
    """An operation on signed integers, as one on raw lanes."""

    def on_lanes(*lanes: Arr) -> Arr:
        with np.errstate(all="ignore"):
            result = fn(*(lane.view(np.int32) for lane in lanes))
            return np.asarray(result, np.int32).view(np.uint32)

    return on_lanes


def _bytewise(fn: Callable[[Arr, Arr], Arr]) -> Callable[[Arr, Arr], Arr]:
    """An operation on four unsigned bytes."""

    def on_lanes(a: Arr, b: Arr) -> Arr:
        result = np.zeros_like(a)
        for shift in (0, 8, 16, 24):
            x = ((a >> np.uint32(shift)) & np.uint32(255)).astype(np.int64)
            y = ((b >> np.uint32(shift)) & np.uint32(255)).astype(np.int64)
            result |= fn(x, y).astype(np.uint32) << np.uint32(shift)
        return result

    return on_lanes


def _ftoi(lane: Arr) -> Arr:
    value = np.nan_to_num(flushed(lane.view(np.float32)).astype(np.float64), nan=0.0)
    return np.clip(np.trunc(value), -(2.0**31), 2.0**31 - 1).astype(np.int32).view(np.uint32)


def _sfu(fn: Callable[[Arr], Arr]) -> Callable[[Arr], Arr]:
    """The exact result, rounded once: the hardware's own bits are not published."""
    return _floats(lambda a: single(fn(a.astype(np.float64))))


def _count(b: Arr) -> Arr:
    return b & np.uint32(31)


def _mul24(a: Arr, b: Arr) -> Arr:
    low = np.uint64(0xFFFFFF)
    return ((a.astype(np.uint64) & low) * (b.astype(np.uint64) & low)).astype(np.uint32)


# fmt: off
_FLOATS: Final = ("float_input", "float_output")
_op("MOV", 1, EITHER, lambda a: a)
_op("FMOV", 1, ADD, lambda a: a, *_FLOATS)
_op("MMOV", 1, MUL, lambda a: a)
_op("FADD", 2, ADD, _floats(add), *_FLOATS, "commutative")
_op("FSUB", 2, ADD, _floats(lambda a, b: add(a, -b)), *_FLOATS)
_op("FMUL", 2, MUL, _floats(mul), *_FLOATS, "commutative")
_op("FMIN", 2, ADD, _floats(lambda a, b: np.fmin(a, b)), *_FLOATS, "commutative")
_op("FMAX", 2, ADD, _floats(lambda a, b: np.fmax(a, b)), *_FLOATS, "commutative")
_op("FMINABS", 2, ADD, _floats(lambda a, b: np.fmin(np.abs(a), np.abs(b))), *_FLOATS, "commutative")
_op("FMAXABS", 2, ADD, _floats(lambda a, b: np.fmax(np.abs(a), np.abs(b))), *_FLOATS, "commutative")
_op("FTOI", 1, ADD, _ftoi, "float_input")
_op("ITOF", 1, ADD, lambda a: a.view(np.int32).astype(np.float32).view(np.uint32), "float_output")
_op("ADD", 2, ADD, lambda a, b: a + b, "commutative")
_op("SUB", 2, ADD, lambda a, b: a - b)
_op("SHL", 2, ADD, lambda a, b: a << _count(b))
_op("SHR", 2, ADD, lambda a, b: a >> _count(b))
_op("ASR", 2, ADD, lambda a, b: (a.view(np.int32) >> _count(b).view(np.int32)).view(np.uint32))
_op("ROR", 2, ADD, lambda a, b: (a >> _count(b)) | (a << _count(np.uint32(32) - _count(b))))
_op("MIN", 2, ADD, _ints(lambda a, b: np.minimum(a, b)), "commutative")
# The kernel's check of memory reads wants the bound of a minimum in a uniform, not as an immediate.
_op("MIN_NOIMM", 2, ADD, _ints(lambda a, b: np.minimum(a, b)))
_op("MAX", 2, ADD, _ints(lambda a, b: np.maximum(a, b)), "commutative")
_op("AND", 2, ADD, lambda a, b: a & b, "commutative")
_op("OR", 2, ADD, lambda a, b: a | b, "commutative")
_op("XOR", 2, ADD, lambda a, b: a ^ b, "commutative")
_op("NOT", 1, ADD, lambda a: ~a)
_op("MUL24", 2, MUL, _mul24, "commutative")
_op("V8MULD", 2, MUL, _bytewise(lambda a, b: (a * b + 127) // 255), "commutative")
_op("V8MIN", 2, MUL, _bytewise(lambda a, b: np.minimum(a, b)), "commutative")
_op("V8MAX", 2, MUL, _bytewise(lambda a, b: np.maximum(a, b)), "commutative")
_op("V8ADDS", 2, MUL, _bytewise(lambda a, b: np.minimum(a + b, 255)), "commutative")
_op("V8SUBS", 2, MUL, _bytewise(lambda a, b: np.maximum(a - b, 0)))
# Lane i gets lane (i - index) % 16 of the first source; the second is a small immediate's field.
_op("ROT_MUL", 2, MUL)

_R4: Final = ("float_input", "float_output", "writes_r4")
_op("RCP", 1, SFU, _sfu(lambda a: 1.0 / a), *_R4)
_op("RSQ", 1, SFU, _sfu(lambda a: 1.0 / np.sqrt(a)), *_R4)
_op("EXP2", 1, SFU, _sfu(lambda a: np.exp2(a)), *_R4)
_op("LOG2", 1, SFU, _sfu(lambda a: np.log2(a)), *_R4)

# What comes at the start (registers 15 of the files) and beside a varying (R5).
_op("FRAG_Z", 0, OTHER)
_op("FRAG_W", 0, OTHER, None, "float_output")
_op("VARY_ADD_C", 1, OTHER, None, "float_input", "float_output")
_op("TEX_RESULT", 0, SIGNAL, None, "effects", "writes_r4")
_op("TLB_COLOR_READ", 0, SIGNAL, None, "writes_r4")
_op("MS_MASK", 1, EITHER, None, "effects", "no_dst")
_op("THRSW", 0, SIGNAL, None, "effects", "no_dst")
# One value for all lanes; sixteen values of two bits, without and with their sign.
_op("LOAD_IMM", 1, LOAD)
_op("LOAD_IMM_U2", 1, LOAD)
_op("LOAD_IMM_I2", 1, LOAD)
# To block.successors[0] if `cond`, a BranchCond, holds, else to successors[1].
_op("BRANCH", 0, BRANCH, None, "effects", "no_dst")
# The address of the uniforms that follow: a LOAD_IMM's result plus QUniform.UNIFORMS_ADDRESS.
_op("UNIFORMS_RESET", 2, ADD, None, "effects", "no_dst")
# fmt: on
