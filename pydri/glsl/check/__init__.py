# SPDX-License-Identifier: MIT
"""The checker: the syntax tree becomes the typed tree."""
