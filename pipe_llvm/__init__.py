# SPDX-License-Identifier: MIT
"""The llvmpipe-style driver: draw, setup, scene, rast and fragment kernels emitted through pydri.jit."""
