# SPDX-License-Identifier: MIT
"""Framebuffers: what is drawn to and read from.

To be read in this order: layout.py, tables.py (the buffers), kernels.py (clear values, draw and
read buffer), entries.py (contents that nobody needs any more).
"""
