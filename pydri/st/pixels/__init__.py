# SPDX-License-Identifier: MIT
"""Rectangles of pixels: drawn, copied and read."""
