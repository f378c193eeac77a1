# SPDX-License-Identifier: MIT
"""Share groups and the names of the objects that several contexts see.

To be read in this order: layout.py, share.py.
"""
