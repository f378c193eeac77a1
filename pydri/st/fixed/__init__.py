# SPDX-License-Identifier: MIT
"""Fixed function's vertex and fragment programs, written as nir."""
