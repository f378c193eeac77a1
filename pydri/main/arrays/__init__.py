# SPDX-License-Identifier: MIT
"""Vertex arrays and vertex array objects.

To be read in this order: layout.py, tables.py (types and formats), kernels.py, enable_kernels.py
(glEnableClientState), entries.py (names, queries).
"""
