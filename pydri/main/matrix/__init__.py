# SPDX-License-Identifier: MIT
"""The matrix stacks and clip planes.

To be read in this order: layout.py, tables.py (the stacks), kernels.py.
"""
