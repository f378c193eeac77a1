# SPDX-License-Identifier: MIT
"""VC4: a compiler for Broadcom's VideoCore IV (nir -> QIR -> registers -> QPU words), and what
simulates it. See README.md.
"""
