# SPDX-License-Identifier: MIT
"""Objects with names, of all kinds by one native mechanism; and share groups.

To be read in this order: layout.py (the structs, and how references are counted), tables.py (the
kinds, a row each), space_kernels.py (names), object_kernels.py (objects: memory, references,
deletion), kernels.py (the entry points that follow from a row), objects.py and share.py (Python's
half).
"""
