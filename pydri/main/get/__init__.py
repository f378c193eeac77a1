# SPDX-License-Identifier: MIT
"""glGet* and glGetString: the room that reads all others.

To be read in this order: tables.py (the parameters), kernels.py, derived_kernels.py,
object_kernels.py, texture_kernels.py, entries.py, string_entries.py.
"""
