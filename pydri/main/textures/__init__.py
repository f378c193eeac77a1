# SPDX-License-Identifier: MIT
"""Texture environment and coordinate generation.

To be read in this order: layout.py, tables.py (what may be set), kernels.py (setting it),
entries.py (asking for it).
"""
