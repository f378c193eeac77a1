# SPDX-License-Identifier: MIT
"""Fragment kernels: coverage, interpolation, shader, tests and blending, fused."""
