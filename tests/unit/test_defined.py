# SPDX-License-Identifier: MIT
"""Values that are drawn, or fed back, come of operations whose rounding is defined, so that they
are the same bits on each processor and with each C library and numpy.

In: the sources of all rooms. Out: where one asks a BLAS (which adds in an order, and with fused
operations, that are the processor's) or libm's functions (whose last bits are a version's own). The
exceptions compute in doubles what is rounded to singles, and define opcodes to some units of the
last place.
"""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11", "libgl_shim")
BLAS = {"dot", "matmul", "inner", "vdot", "einsum", "tensordot", "linalg"}
LIBM = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2",
    "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "power",
    "hypot", "cbrt",
}  # fmt: skip
MAY_HOLD = re.compile(r"\S @=? |\b(np|math)\.")  # parsing the large tables would take long
DEFINE_OPCODES = {"pydri/nir/opcodes.py", "pydri/nir/scalar.py", "pydri/prog/interp.py"}


def undefined(text: str) -> list[str]:
    """Line and name of each such operation in a source."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult):
            found.append(f"{node.lineno}: @")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            library, name = node.value.id, node.attr
            if library == "np" and name in BLAS or library in ("np", "math") and name in LIBM:
                found.append(f"{node.lineno}: {library}.{name}")
    return found


def test_no_room_asks_a_blas_or_libm() -> None:
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    assert len(paths) > 300
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    found = {name: undefined(text) for name, text in texts.items() if MAY_HOLD.search(text)}
    assert {name: bad for name, bad in found.items() if bad and name not in DEFINE_OPCODES} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a @ b", ["1: @"]),
        ("a @= b", ["1: @"]),
        ("np.linalg.norm(a) + math.sin(b)", ["1: math.sin", "1: np.linalg"]),
        ("@entry\ndef f(b): return b.dot(mathlib.sin(b, a), np.sqrt(c))", []),
    ],
)
def test_the_scan_sees(text: str, found: list[str]) -> None:
    assert sorted(undefined(text)) == found
