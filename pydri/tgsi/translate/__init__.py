# SPDX-License-Identifier: MIT
"""nir to TGSI and back."""
