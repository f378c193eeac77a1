# SPDX-License-Identifier: MIT
"""Query objects, conditional rendering and fences.

To be read in this order: layout.py, tables.py, kernels.py, sync_kernels.py
(fences).
"""
