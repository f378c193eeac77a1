# SPDX-License-Identifier: MIT
"""Buffer objects: names, bindings, memory, mappings, copies and clears.

To be read in this order: layout.py, tables.py and bindings.py (where they are bound),
storage_kernels.py (their memory), kernels.py (what entry points do), point_kernels.py (numbered
binding points), clear_entries.py.
"""
