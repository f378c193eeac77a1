# SPDX-License-Identifier: MIT
"""QIR: the form between nir and QPU words. Begin with qir.py, then text.py."""
