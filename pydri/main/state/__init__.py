# SPDX-License-Identifier: MIT
"""Switches, per-fragment operations, rasterisation and the raster position.

To be read in this order: layout.py, enable_tables.py, enable_kernels.py (glEnable and its kin),
kernels.py (the small setters), stipple_kernels.py, stipple_entries.py, raster_kernels.py
(glRasterPos).
"""
