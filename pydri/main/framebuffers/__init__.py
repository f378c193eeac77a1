# SPDX-License-Identifier: MIT
"""Framebuffers: what is drawn to and read from.

To be read in this order: layout.py, entries.py.
"""
