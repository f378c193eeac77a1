# SPDX-License-Identifier: MIT
"""Every algebraic rule, one by one: it fires, and the result is what it was.

The search side is built as a shader over edge values.  Unmarked rules must keep every bit (any NaN
equals any NaN); rules marked ~ may differ for NaN, infinities and zeros, and by rounding elsewhere.
"""

from __future__ import annotations

import numpy as np
import pytest

from pydri.nir import Builder, Shader, SSADef
from pydri.nir.algebraic import Pattern, RuleSet
from pydri.nir.interp import run
from pydri.nir.ir import AluInstr
from pydri.nir.opcodes import OPCODES
from pydri.nir.opt_algebraic import RULE_SET, RULES
from pydri.nir.validate import ValidationError, validate

FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.25, -2.5, 7.0, 1e30, np.inf, -np.inf, np.nan, 1e-40, -3e-39, 1.5e-38]
)
INTS = np.array([0, 1, -1, 2, -7, 8, 31, 255, 2**31 - 1, -(2**31), 12345, 64, -64, 3])
COUNT = len(FLOATS)
SLOTS = {"float": 0, "int": 4, "uint": 4, "bool": 8}
LETTERS = "abcd"


def inputs() -> dict[int, object]:
    """One lane per pair of edge values; letters see them in different orders."""
    lanes = len(FLOATS) ** 2
    found: dict[int, object] = {}
    for letter in range(4):
        first, second = np.divmod(np.arange(lanes), len(FLOATS))
        pick = (first, second, (first + second) % COUNT, (first * 3 + second) % COUNT)[letter]
        found[letter] = FLOATS[pick].astype(np.float32)[:, None]
        found[4 + letter] = INTS[pick][:, None]
        found[8 + letter] = (pick % 2)[:, None]
    return found


def any_kinds(pattern: Pattern) -> list[str]:
    """Kinds that the pattern's sources of type `any` may have."""
    text = str(pattern)
    if pattern[0].lstrip("~") == "bcsel" or "i2b" in text:
        return ["float"] if "0.0" in text else ["bool"] if "True, False" in text else ["int"]
    return ["bool"] if "True" in text or "False" in text or "b2" in text else ["int", "bool"]


class Instance:
    """A search pattern as a shader."""

    def __init__(self, search: Pattern, kind: str) -> None:
        self.b = Builder(Shader("vertex"))
        self.kind = kind
        self.values: dict[str, SSADef] = {}
        root = self.build(search, kind)
        out = self.b.b2i(root) if root.bit_size == 1 else root
        if root.bit_size == 64:
            whole = self.b.unpack_64_2x32_split_x
            out = self.b.d2f(root) if root.kind == "float" else whole(root)
        self.kind_of_result = "float" if root.kind == "float" else "int"
        self.b.store_output(out, 32)
        validate(self.b.shader)

    def build(self, pattern: Pattern, kind: str) -> SSADef:
        """`kind` is what the place wants; sources of type `any` of an operation follow it."""
        b = self.b
        if isinstance(pattern, tuple):
            op = OPCODES[pattern[0].lstrip("~")]
            inner = kind if op.out_type == "any" else self.kind
            kinds = [inner if t == "any" else t for t in op.in_types]
            srcs = [self.build(p, k) for p, k in zip(pattern[1:], kinds, strict=True)]
            return b.alu(op.name, *srcs)
        if isinstance(pattern, str):
            name = pattern.lstrip("#")[0]
            if name not in self.values:
                self.values[name] = self.leaf(pattern, name, kind)
            return self.values[name]
        if isinstance(pattern, bool):
            return b.imm_bool(pattern)
        return b.imm_float(pattern) if isinstance(pattern, float) else b.imm_int(pattern)

    def leaf(self, pattern: str, name: str, kind: str) -> SSADef:
        if kind.endswith("64"):
            convert = {"float64": "f2d", "int64": "i2i64", "uint64": "u2u64"}[kind]
            return self.b.alu(convert, self.leaf(pattern, name, kind.removesuffix("64")))
        if pattern.startswith("#"):
            return self.b.imm(8, kind)
        slot = SLOTS[kind] + LETTERS.index(name)
        raw = "uint" if kind == "bool" else kind
        value = self.b.load_input(slot, 1, kind=raw)
        return self.b.ine(value, 0) if kind == "bool" else value

    def result(self) -> np.ndarray:
        return run(self.b.shader, len(FLOATS) ** 2, inputs=inputs()).outputs[32][0]


def numbers() -> np.ndarray:
    """Lanes where no letter is NaN."""
    return ~np.any([np.isnan(np.asarray(inputs()[letter])[:, 0]) for letter in range(4)], axis=0)


#: Patterns that some kind of operand makes into no shader, which is no rule's business.
SENSELESS = 4


def instances(search: Pattern) -> tuple[list[Instance], int]:
    """The shaders of a pattern, and how many kinds of operands make none."""
    found, senseless = [], 0
    for kind in any_kinds(search):
        try:
            found.append(Instance(search, kind))
        except ValidationError:
            senseless += 1
    assert found
    return found, senseless


def test_hardly_any_kind_is_left_out() -> None:
    assert sum(instances(search)[1] for search, _ in RULES) == SENSELESS


@pytest.mark.parametrize("number", range(len(RULES)), ids=[str(s) for s, _ in RULES])
def test_rule(number: int) -> None:
    search, replace = RULES[number]
    exact = not search[0].startswith("~")
    fired = 0
    for instance in instances(search)[0]:
        before = instance.result()
        # A rule alone: others must not fire in its place.
        if not RuleSet([(search, replace)]).apply(instance.b.shader, exact=exact):
            continue
        fired += 1
        validate(instance.b.shader)
        after = instance.result()
        if instance.kind_of_result == "int":
            # What a comparison says of numbers is the same; only of NaN may it differ.
            asked = np.ones(len(before), bool) if exact else numbers()
            assert asked.sum() >= 4
            assert np.array_equal(before[asked], after[asked])
            continue
        x, y = before.view(np.float32), after.view(np.float32)
        if exact:
            assert ((before == after) | (np.isnan(x) & np.isnan(y))).all()
        else:
            tame = np.isfinite(x) & np.isfinite(y)
            for letter in range(4):
                value = np.asarray(inputs()[letter])[:, 0]
                tame &= np.isfinite(value) & (np.abs(value) < 1e20)
            assert tame.sum() >= 4
            assert np.allclose(x[tame], y[tame], rtol=1e-5, atol=1e-30)
    assert fired


@pytest.mark.parametrize("power", [2, 3, 7, 31, 32, 100, 128])
def test_whole_powers_are_multiplied_out(power: int) -> None:
    """Each square is one instruction, and the error is that of so many roundings."""
    b = Builder(Shader("vertex"))
    b.store_output(b.fpow(b.load_input(0, 1), b.imm_float(float(power))), 32)
    assert RULE_SET.apply(b.shader)
    names = [i.op.name for i in b.shader.main.instrs() if isinstance(i, AluInstr)]
    products = names.count("fmul")
    assert "fpow" not in names and products == power.bit_length() + power.bit_count() - 2
    x = np.linspace(0.5, 1.9, 4096).astype(np.float32)
    with np.errstate(over="ignore"):
        got = run(b.shader, len(x), inputs={0: x[:, None]}).output(32)[:, 0]
    exact = x.astype(np.float64) ** power
    fine = (exact < 3e38) & (exact > 2.0**-126)
    assert (np.abs(got / exact - 1)[fine] < power / 2**24).all()


def test_exact_mode_leaves_marked_rules_out() -> None:
    for search, replace in RULES:
        if search[0].startswith("~"):
            for instance in instances(search)[0]:
                assert not RuleSet([(search, replace)]).apply(instance.b.shader, exact=True)


def test_rules_that_cannot_be_searched_for_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot search for"):
        RuleSet([(("fdot3", "a", "b"), "a")])
    with pytest.raises(ValueError, match="cannot search for"):
        RuleSet([(("fadd", "a"), "a")])


def test_a_comparison_with_no_number_has_one_answer() -> None:
    """What is chosen by a condition and by its contrary is the same choice (no rule turns `<`)."""
    b = Builder(Shader("vertex"))
    less = b.flt(b.load_input(0, 1), b.load_input(1, 1))
    for slot, value in ((32, less), (33, b.inot(less))):
        b.store_output(b.b2i(value), slot)
    RULE_SET.apply(b.shader)
    nan = np.full((1, 1), np.nan, np.float32)
    outputs = run(b.shader, 1, inputs={0: nan, 1: nan}).outputs
    assert [int(outputs[slot][0, 0]) for slot in (32, 33)] == [0, 1]
