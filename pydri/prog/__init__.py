# SPDX-License-Identifier: MIT
"""Mesa IR, and ARB_vertex_program and ARB_fragment_program, whose programs become it.

In: the text of an assembly program. Out: a `Program` (instructions.py): instructions, parameters,
what it reads and writes; then nir, TGSI, or a listing. Imported when the first program is given.
Reading order: instructions, parameters, lalr, grammar, lexer, actions, parser; printer, passes,
to_nir, to_tgsi, interp.
"""
