# SPDX-License-Identifier: MIT
"""Textures at draw time, and images in and out of their levels."""
