# SPDX-License-Identifier: MIT
"""The GLSL front end: source text in, a typed tree and a log out.

`compiler.py` is the door: `compile_shader(source, stage, limits)`. The rooms behind it, each using
those before it: `language` (TABLES: words, what each version or extension has, built-in names),
`source` (tokens, macros and directives on tokens, so that nothing is lexed twice, the syntax tree),
`check` (the typed tree, `tree.py`), `link`, `translate` (to nir).

Pure Python, and imported when the first shader is compiled: nothing here imports `dataclasses`
(32 ms, since it loads inspect), numpy or llvmlite.
"""
