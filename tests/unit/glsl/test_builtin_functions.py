# SPDX-License-Identifier: MIT
"""The table of built-in functions: each row's expansion, run by the folder of constants and by
nir's opcodes, against the row's numpy expression.
"""

import random
from typing import Any

import numpy as np
import pytest

from pydri.glsl.language import builtin_functions
from pydri.glsl.language.builtin_functions import ROWS, Row, Signature
from pydri.glsl.language.fold import FOLDER
from pydri.nir.opcodes import OPCODES

KINDS = {"float": np.float32, "int": np.int32, "uint": np.uint32, "bool": np.bool_}
#: what arguments a function is defined for, where that is not -3 to 3
RANGES = {
    "asin": (-1, 1), "acos": (-1, 1), "pow": (0.1, 3), "log": (0.1, 9), "log2": (0.1, 9),
    "sqrt": (0, 9), "inversesqrt": (0.1, 9), "tan": (-1, 1), "smoothstep": (0, 1),
    "acosh": (1, 9), "atanh": (-0.9, 0.9),
}  # fmt: skip
EXPANDED = [row for rows in ROWS.values() for row in rows if row.expand is not None]


WHOLE = {"pack_half_2x16", "unpack_half_2x16"} | {
    f"{way}_{sign}_{end}" for way in ("pack", "unpack") for sign in ("unorm", "snorm")
    for end in ("2x16", "4x8")
}


class Opcodes:
    """nir's Builder, evaluating at once with the opcodes' own numpy code."""

    def alu(self, name: str, *operands: Any) -> Any:
        op = OPCODES[name]
        if name in WHOLE:
            kind = KINDS[op.in_types[0]]
            return np.asarray(op.eval(operands[0].astype(kind)))
        width = max(len(o) if isinstance(o, np.ndarray) else 1 for o in operands)
        arrays = []
        for kind, operand in zip(op.in_types, operands, strict=True):
            array = operand if isinstance(operand, np.ndarray) else np.array([[operand]])
            if kind != "any":
                array = array.astype(KINDS[kind])
            elif array.dtype == np.float64:
                array = array.astype(np.float32)
            arrays.append(np.broadcast_to(array, (width, 1)).copy())
        with np.errstate(all="ignore"):
            return np.asarray(op.eval(*arrays))

    def __getattr__(self, name: str) -> Any:
        return lambda *operands: self.alu(name, *operands)

    def swizzle(self, value: Any, picks: tuple[int, ...]) -> Any:
        return value[list(picks)]

    def vec(self, *parts: Any) -> Any:
        return np.array([[p] for p in parts], np.float32)

    def dot(self, x: Any, y: Any) -> Any:
        total = (x * y)[0]
        for part in (x * y)[1:]:
            total = total + part
        return total[None]

    def any_true(self, x: Any) -> Any:
        return np.array([[x.any()]])

    def all_true(self, x: Any) -> Any:
        return np.array([[x.all()]])


def arguments(signature: Signature, rng: random.Random) -> list[tuple[Any, ...]]:
    low, high = RANGES.get(signature.row.name, (-3, 3))
    found = []
    for position, type_ in enumerate(signature.parameters):
        if type_.kind == "float":
            # The edges of smoothstep come in order.
            shift = position * 2 if signature.row.name == "smoothstep" and position < 2 else 0
            values = [rng.uniform(low, high) + shift for _ in range(type_.rows)]
            found.append(tuple(float(np.float32(v)) for v in values))
        elif type_.kind == "bool":
            found.append(tuple(rng.random() < 0.5 for _ in range(type_.rows)))
        elif signature.row.name.startswith("unpack"):  # what a single holds, too
            found.append((rng.getrandbits(24) << 8,))
        else:
            least = 0 if type_.kind == "uint" else -5
            found.append(tuple(rng.randint(least, 5) for _ in range(type_.rows)))
    return found


@pytest.mark.parametrize("row", EXPANDED, ids=lambda row: f"{row.name}-{row.signatures}")
def test_expansion(row: Row) -> None:
    rng = random.Random(row.signatures)
    assert row.expand is not None and row.check and not row.lookup and not row.special
    for signature in builtin_functions._expand_signatures(row):
        for _ in range(8):
            args = arguments(signature, rng)
            folded = row.expand(FOLDER, *args)
            arrays = [np.array(a, KINDS[t.kind])[:, None]
                      for a, t in zip(args, signature.parameters)]  # fmt: skip
            run = row.expand(Opcodes(), *arrays)[:, 0]
            wide = [np.array(a, np.float64 if t.kind == "float" else None)
                    for a, t in zip(args, signature.parameters)]  # fmt: skip
            names = dict(zip("xyz", wide))
            expected = np.asarray(eval(row.check, {"np": np, **names}))
            assert len(folded) == len(run) == signature.result.rows
            if signature.result.kind == "uint":
                assert tuple(map(int, folded)) == tuple(map(int, run)), args
            # An opcode of nir may be some ulp off what is folded (column `ulp` there).
            np.testing.assert_allclose(np.array(folded, float), run.astype(float), 4e-6, 4e-6)
            np.testing.assert_allclose(
                np.array(folded, float), np.broadcast_to(expected.astype(float), len(folded)),
                2e-5, 2e-5, err_msg=f"{signature} {args}")  # fmt: skip


def test_every_row_says_what_it_means() -> None:
    for rows in ROWS.values():
        for row in rows:
            assert sum((row.expand is not None, row.lookup is not None, bool(row.special))) == 1
            assert builtin_functions._expand_signatures(row)


def test_no_overload_twice() -> None:
    """The same parameters twice would make every call ambiguous, but for stages and versions."""
    for name, rows in ROWS.items():
        seen: set[tuple[object, ...]] = set()
        for row in rows:
            for signature in builtin_functions._expand_signatures(row):
                key = (signature.parameters, row.stages)
                assert key not in seen, name
                seen.add(key)
