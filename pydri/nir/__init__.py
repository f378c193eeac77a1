# SPDX-License-Identifier: MIT
"""NIR, the compiler IR that front ends (fixed function, GLSL, ARB programs) make and drivers eat.

`opcodes.py`, `intrinsics.py` and `enums.py` are the tables; `ir.py` the data structures;
`builder.py` makes IR; `printer.py` and `parser.py` are its text form; `validate.py` its law;
`interp.py` its meaning; `passes.py` runs the `opt_*.py` and `lower_*.py` passes by name.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydri.nir.builder import Builder
    from pydri.nir.ir import Function, Shader, SSADef, Variable

_HOMES = {
    "Builder": "builder", "Function": "ir", "Shader": "ir", "SSADef": "ir", "Variable": "ir",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """The classes are imported when first asked for: a warm start wants only the slot numbers."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


__all__ = ["Builder", "Function", "SSADef", "Shader", "Variable"]
