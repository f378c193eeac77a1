# SPDX-License-Identifier: MIT
"""NIR, the compiler IR that front ends (fixed function, GLSL, ARB programs) make and drivers eat.

`opcodes.py`, `intrinsics.py` and `enums.py` are the tables; `ir.py` the data structures;
`builder.py` makes IR; `printer.py` and `parser.py` are its text form; `validate.py` its law;
`interp.py` its meaning; `passes.py` runs the `opt_*.py` and `lower_*.py` passes by name.
"""

from pydri.nir.builder import Builder
from pydri.nir.ir import Function, Shader, SSADef, Variable

__all__ = ["Builder", "Function", "SSADef", "Shader", "Variable"]
