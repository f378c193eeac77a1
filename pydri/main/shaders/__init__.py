# SPDX-License-Identifier: MIT
"""Shader and program objects (GL 2.1, 2.15, 3.11, 6.1.14; ARB_shader_objects).

Read layout.py first (what kernels know of a program), then objects.py (what Python knows: sources,
trees, what linking made), link.py (from one to the other), kernels.py (glUseProgram),
uniform_kernels.py (glUniform*), entries.py and query_entries.py (everything rare).
"""
