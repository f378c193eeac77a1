# SPDX-License-Identifier: MIT
"""Vertices: fetch, shade, clip, assemble primitives, widen lines and points (Mesa's draw)."""
