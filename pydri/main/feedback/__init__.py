# SPDX-License-Identifier: MIT
"""Render modes: selection and feedback.

To be read in this order: layout.py (selection), kernels.py (modes and selection), entries.py
(feedback).
"""
