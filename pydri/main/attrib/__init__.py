# SPDX-License-Identifier: MIT
"""glPushAttrib and glPushClientAttrib, which save the state of all rooms.

To be read in this order: layout.py, tables.py (what is saved), kernels.py.
"""
