# SPDX-License-Identifier: MIT
"""nir to QIR. Begin with compile.py."""
