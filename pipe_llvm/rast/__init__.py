# SPDX-License-Identifier: MIT
"""Rasterisation: scenes are executed, tile by tile, by threads."""
