# SPDX-License-Identifier: MIT
"""Framebuffers: what is drawn to and read from.

To be read in this order: layout.py, tables.py (targets, attachments, buffers), object_kernels.py
(objects and their names), storage_kernels.py (renderbuffers), attach_kernels.py,
complete_kernels.py, kernels.py (clear values, draw and read buffer), invalidate_kernels.py
(contents that nobody needs any more), loader.py (what the driver can draw to), query_entries.py.
How they are drawn to is pydri/st/targets/kernels.py's affair.
"""
