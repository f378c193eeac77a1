# SPDX-License-Identifier: MIT
"""Graphics on top of the kernel language: shaders, formats, depth, stencil, blending."""
