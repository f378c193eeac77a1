# SPDX-License-Identifier: MIT
"""Lights, materials and fog.

To be read in this order: layout.py, kernels.py, tables.py (what glGetLight answers).
"""
