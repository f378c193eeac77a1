# SPDX-License-Identifier: MIT
"""Debug messages, groups and labels.

To be read in this order: entries.py.
"""
