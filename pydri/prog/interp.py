# SPDX-License-Identifier: MIT
"""Runs programs of Mesa IR on numbers: what their instructions mean, in numpy.

In: a Program, inputs and parameters as arrays of (lanes, 4), and for lookups a function. Out: what
it stores, and which lanes it kills. For tests, and for people who want to see what a program
computes: the translations to nir and TGSI are compared with it. Counterpart of Mesa's
prog_execute.c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pydri.prog.instructions import (
    ADDR,
    CONST,
    INPUT,
    OUTPUT,
    STATE,
    Instruction,
    Program,
    Src,
)

Arr = NDArray[np.float32]
#: (instruction, coordinates) -> texels, all (lanes, 4)
Lookup = Callable[[Instruction, Arr], Arr]


class Result:
    """What a run gives."""

    def __init__(self, lanes: int) -> None:
        self.outputs: dict[int, Arr] = {}
        self.killed = np.zeros(lanes, bool)


def _one(value: Any) -> Arr:
    """A scalar result in all four components."""
    return np.repeat(np.asarray(value, np.float32)[:, None], 4, axis=1)


def _rows(*parts: Any) -> Arr:
    lanes = max(np.size(part) for part in parts)
    return np.stack([np.broadcast_to(np.asarray(p, np.float32), lanes) for p in parts], axis=1)


def _sum(x: Arr, y: Arr, count: int) -> Any:
    """A dot product, added from left to right."""
    total = x[:, 0] * y[:, 0]
    for n in range(1, count):
        total = total + x[:, n] * y[:, n]
    return total


def _wide(function: Callable[[Any], Any]) -> Callable[[Arr], Arr]:
    """A function of the first component, computed in double precision."""
    return lambda x: _one(function(x[:, 0].astype(np.float64)).astype(np.float32))


_SIN, _COS = _wide(np.sin), _wide(np.cos)


def _power(x: Any, y: Any) -> Any:
    return np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)


def _chosen(x: Arr, y: Arr, z: Arr) -> Arr:
    return np.where(x < 0, y, z).astype(np.float32)


def _lit(x: Arr) -> Arr:
    exponent = np.clip(x[:, 3], -128, 128)
    specular = _power(np.maximum(x[:, 1], 0), exponent)
    return _rows(1, np.maximum(x[:, 0], 0), np.where(x[:, 0] > 0, specular, 0), 1)


def _exp(x: Arr) -> Arr:
    whole = np.floor(x[:, 0])
    return _rows(np.exp2(whole), x[:, 0] - whole, np.exp2(x[:, 0].astype(np.float64)), 1)


def _log(x: Arr) -> Arr:
    size = np.abs(x[:, 0])
    logarithm = np.log2(size.astype(np.float64)).astype(np.float32)
    whole = np.floor(logarithm)
    return _rows(whole, size / np.exp2(whole), logarithm, 1)


def _xpd(x: Arr, y: Arr) -> Arr:
    parts = [x[:, i] * y[:, j] - x[:, j] * y[:, i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return _rows(*parts, 1)


SEMANTICS: Final[Mapping[str, Callable[..., Arr]]] = {
    "MOV": lambda x: x, "SWZ": lambda x: x, "ABS": np.abs, "FLR": np.floor,
    "FRC": lambda x: x - np.floor(x), "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply,
    "MAX": np.fmax, "MIN": np.fmin, "SLT": lambda x, y: (x < y).astype(np.float32),
    "SGE": lambda x, y: (x >= y).astype(np.float32), "MAD": lambda x, y, z: x * y + z,
    "LRP": lambda x, y, z: x * y + (np.float32(1) - x) * z,
    "CMP": _chosen,
    "RCP": lambda x: _one(np.float32(1) / x[:, 0]), "RSQ": _wide(lambda x: 1 / np.sqrt(np.abs(x))),
    "EX2": _wide(np.exp2), "LG2": _wide(np.log2), "SIN": _SIN, "COS": _COS,
    "POW": lambda x, y: _one(_power(x[:, 0], y[:, 0])),
    "DP3": lambda x, y: _one(_sum(x, y, 3)), "DP4": lambda x, y: _one(_sum(x, y, 4)),
    "DPH": lambda x, y: _one(_sum(x, y, 3) + y[:, 3]),
    "DST": lambda x, y: _rows(1, x[:, 1] * y[:, 1], x[:, 2], y[:, 3]),
    "SCS": lambda x: _rows(_COS(x)[:, 0], _SIN(x)[:, 0], 0, 1),
    "LIT": _lit, "EXP": _exp, "LOG": _log, "XPD": _xpd,
}  # fmt: skip


class _Run:
    def __init__(self, program: Program, lanes: int, inputs: Mapping[int, Arr], parameters: Arr,
                 lookup: Lookup | None) -> None:  # fmt: skip
        self.program, self.lanes, self.inputs = program, lanes, inputs
        self.parameters, self.lookup = parameters, lookup
        self.registers: dict[tuple[str, int], Arr] = {}
        self.result = Result(lanes)

    def _register(self, src: Src) -> Arr:
        if src.file in (CONST, STATE):
            at = np.full(self.lanes, src.number)
            if src.relative:
                address = self.registers.get((ADDR, 0), np.zeros((self.lanes, 4), np.float32))
                at = at + address[:, 0].astype(np.int64)
            inside = (at >= 0) & (at < len(self.parameters))
            found = self.parameters[np.where(inside, at, 0)]
            return np.where(inside[:, None], found, np.float32(0))
        if src.file == INPUT:
            return self.inputs[src.number]
        return self.registers.get((src.file, src.number), np.zeros((self.lanes, 4), np.float32))

    def operand(self, src: Src) -> Arr:
        """An operand, swizzled and negated."""
        parts = np.concatenate([self._register(src), np.zeros((self.lanes, 1), np.float32),
                                np.ones((self.lanes, 1), np.float32)], axis=1)  # fmt: skip
        found = parts[:, list(src.swizzle)]
        signs = np.array([-1 if src.negate >> n & 1 else 1 for n in range(4)], np.float32)
        return (found * signs).astype(np.float32)

    def step(self, item: Instruction) -> None:
        """One instruction."""
        name = item.opcode
        operands = [self.operand(src) for src in item.srcs]
        if name == "KIL":
            self.result.killed |= (operands[0] < 0).any(axis=1)
        elif name == "ARL":
            self._store(ADDR, 0, 1, np.floor(operands[0]))
        elif name not in ("END", "NOP"):
            if item.target:
                assert self.lookup is not None, "the program looks something up"
                value = self.lookup(item, operands[0])
            else:
                value = SEMANTICS[name](*operands)
            if item.saturate:
                value = np.clip(value, 0, 1)
            self._store(item.dst.file, item.dst.number, item.dst.mask, value)

    def _store(self, file: str, number: int, mask: int, value: Arr) -> None:
        old = self.registers.get((file, number), np.zeros((self.lanes, 4), np.float32))
        chosen = np.array([mask >> n & 1 for n in range(4)], bool)
        self.registers[file, number] = np.where(chosen, value, old).astype(np.float32)


def run(
    program: Program, lanes: int, inputs: Mapping[int, Arr], parameters: Arr,
    lookup: Lookup | None = None,
) -> Result:  # fmt: skip
    """Run a prepared program."""
    state = _Run(program, lanes, inputs, parameters, lookup)
    with np.errstate(all="ignore"):
        for item in program.instructions:
            state.step(item)
    found = {n: r for (file, n), r in state.registers.items() if file == OUTPUT}
    state.result.outputs = found
    return state.result


__all__ = ["SEMANTICS", "Lookup", "Result", "run"]
