# SPDX-License-Identifier: MIT
"""Program objects of ARB_vertex_program and ARB_fragment_program, and their parameters.

In: program strings and numbers. Out: `ctx.arb`, which the state tracker draws with where no GLSL
program has the stage. Reading order: layout, state, code, kernels, parameter_kernels, entries.
"""
