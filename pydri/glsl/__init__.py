# SPDX-License-Identifier: MIT
"""The GLSL front end: source text in, a typed tree and a log out.

`compiler.py` is the door: `compile_shader(source, stage, limits)`. The stages behind it, each using
those before it: `versions.py` (TABLE: what each version or extension has), `keywords.py` (TABLE:
words), `lexer.py`, `macros.py`, `source/condition.py` and `preprocess.py` (directives and macros,
on tokens, so that nothing is lexed twice), `ast.py` and `parse_*.py` (recursive descent), then the
checker: `tree.py` (what comes out), `fold.py`, `builtin_variables.py`, `builtin_functions.py`
(TABLES), `operators.py`, `constructors.py`, `check_*.py`.

Pure Python, and imported when the first shader is compiled: nothing here imports `dataclasses`
(32 ms, since it loads inspect), numpy or llvmlite.
"""
