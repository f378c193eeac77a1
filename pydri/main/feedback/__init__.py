# SPDX-License-Identifier: MIT
"""Render modes: selection and feedback.

To be read in this order: layout.py, kernels.py, writes.py (for who draws in Python).
"""
