# SPDX-License-Identifier: MIT
"""nir's opcodes over numpy arrays: what `expand` of an opcode row means for many lanes at once.

In: raw uint32 arrays (components, lanes), bool arrays, Python numbers.  Out: the same.  The methods
are those of nir's Builder; each is the numpy code of nir's own table, so nothing is defined twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from pydri.nir.interp import evaluate, raw
from pydri.nir.opcodes import OPCODES

Arr = np.ndarray[Any, Any]


def number(value: float | int | bool, kind: str, wide: bool) -> Arr:
    """The bits of a Python number."""
    if not wide:
        return raw([[value]])
    if kind == "float64":
        return np.array([[value]], np.float64).view(np.uint64)
    return np.array([[int(value) & (1 << 64) - 1]], np.uint64)


_LONG = np.dtype(np.uint64)


class Lanes:
    """nir's Builder for arrays."""

    def alu(self, name: str, *operands: Arr | float | int | bool) -> Arr:
        """One opcode; a scalar, or a Python number, counts for all components."""
        op = OPCODES[name]
        arrays = [o for o in operands if isinstance(o, np.ndarray)]
        lanes = max(o.shape[-1] for o in arrays)
        width = max(o.shape[0] for o in arrays)
        free = {a.dtype for a, t in zip(operands, op.in_types, strict=True)
                if t == "any" and isinstance(a, np.ndarray)}  # fmt: skip
        srcs = []
        for operand, size, kind in zip(operands, op.in_sizes, op.in_types, strict=True):
            wide = kind.endswith("64") or (kind == "any" and _LONG in free)
            value = operand if isinstance(operand, np.ndarray) else number(operand, kind, wide)
            srcs.append(np.broadcast_to(value, (size or width, lanes)))
        return evaluate(op, srcs, width)

    def __getattr__(self, name: str) -> Callable[..., Arr]:
        if name not in OPCODES:
            raise AttributeError(name)
        return partial(self.alu, name)

    @staticmethod
    def components(value: Arr) -> list[Arr]:
        """The components as scalars."""
        return [value[n : n + 1] for n in range(value.shape[0])]

    @staticmethod
    def swizzle(value: Arr, picks: tuple[int, ...]) -> Arr:
        """The chosen components."""
        return value[list(picks)]

    @staticmethod
    def vec(*parts: Arr | float) -> Arr:
        """A vector from scalars and Python numbers, of which one at least is an array."""
        lanes = max(p.shape[-1] for p in parts if isinstance(p, np.ndarray))
        found = [p if isinstance(p, np.ndarray) else raw([[float(p)]]) for p in parts]
        return np.concatenate([np.broadcast_to(p, (p.shape[0], lanes)) for p in found])

    def dot(self, x: Arr, y: Arr) -> Arr:
        """The dot product of two vectors of one size."""
        return self.alu(f"fdot{x.shape[0]}", x, y)


LANES: Final = Lanes()
