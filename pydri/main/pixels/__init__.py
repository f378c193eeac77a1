# SPDX-License-Identifier: MIT
"""Pixels in the program's memory: formats, storage, transfer and maps.

To be read in this order: tables.py (formats and types), layout.py, kernels.py, memory.py (pointer
or buffer), entries.py (maps).
"""
