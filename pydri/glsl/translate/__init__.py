# SPDX-License-Identifier: MIT
"""A linked stage's typed tree becomes a shader of nir."""
