# SPDX-License-Identifier: MIT
"""Programs at draw time: stages, uniforms, samplers and blocks of GLSL and ARB programs."""
