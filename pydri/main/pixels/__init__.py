# SPDX-License-Identifier: MIT
"""Pixels in the program's memory: formats, storage, transfer and maps.

To be read in this order: layout.py, tables.py (formats and types), kernels.py (transfer and store),
memory.py (pointer or buffer), entries.py (maps).
"""
