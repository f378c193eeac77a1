# SPDX-License-Identifier: MIT
"""Draws: from a canonical key block to a driver's pipeline, and the kernels that draw, clear and
flush."""
