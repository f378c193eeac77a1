# SPDX-License-Identifier: MIT
"""Folding in plain Python gives the bits of the opcode table's numpy code."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pydri.nir import opt_constant_folding
from pydri.nir.interp import evaluate
from pydri.nir.opcodes import OPCODES
from pydri.nir.scalar import foldable, on_bits

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3e9, -3e9, 1e-45, -1e-45, 1e38, -1e38,
          float("inf"), float("-inf"), float("nan"), 16777217.0, 0.1, -0.3, 8388609.5]  # fmt: skip
INTS = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 12345]
NAMES = [name for name, op in OPCODES.items() if foldable(op)]


def values(kind: str, rng: random.Random) -> list[int]:
    if kind == "bool":
        return [rng.randrange(2) for _ in range(400)]
    if kind == "float":
        edge = [int(np.float32(f).view(np.uint32)) for f in FLOATS]
        some = [int(np.float32(rng.uniform(-9, 9)).view(np.uint32)) for _ in range(60)]
    else:
        edge, some = INTS, [rng.randrange(-20, 20) & 0xFFFFFFFF for _ in range(30)]
    pool = edge * 2 + some + [rng.randrange(1 << 32) for _ in range(60)]
    return [rng.choice(pool) for _ in range(400)]


def test_the_table_is_there() -> None:
    assert len(NAMES) > 50
    assert not foldable(OPCODES["fsin"]) and not foldable(OPCODES["fdot2"])


@pytest.mark.parametrize("name", NAMES)
def test_same_bits(name: str) -> None:
    op = OPCODES[name]
    rng = random.Random(name)
    for wide in (True, False) if "any" in op.in_types else (True,):
        kinds = [("uint" if wide else "bool") if k == "any" else k for k in op.in_types]
        columns = [values(kind, rng) for kind in kinds]
        arrays = [np.array(c, np.bool_ if k == "bool" else np.uint32)[None]
                  for c, k in zip(columns, kinds, strict=True)]  # fmt: skip
        wanted = evaluate(op, arrays, 1)[0]
        bits = 1 if wanted.dtype == np.bool_ else 32
        for lane, sources in enumerate(zip(*columns, strict=True)):
            found, right = on_bits(op, bits, sources), int(wanted[lane])
            if op.out_type == "float":
                a, b = (np.uint32(x).view(np.float32) for x in (found, right))
                if np.isnan(a) and np.isnan(b):
                    continue
                if name in ("fmin", "fmax") and a == b == 0:
                    continue  # of -0 and +0 either
            assert found == right, f"{name} {[hex(s) for s in sources]}"


@pytest.mark.parametrize("size", [2, 3, 4])
def test_dot_products(size: int) -> None:
    op, rng = OPCODES[f"fdot{size}"], random.Random(size)
    sources = [np.float32([[rng.uniform(-9, 9)] for _ in range(size)]) for _ in range(2)]
    bits = [source.view(np.uint32) for source in sources]
    words = [tuple(int(v) for v in source[:, 0]) for source in bits]
    assert opt_constant_folding._dot(words[0], words[1]) == int(evaluate(op, bits, 1)[0, 0])
