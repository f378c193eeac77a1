# SPDX-License-Identifier: MIT
"""The vertex half of the pipeline: fetch, shade, assemble, clip, and wide lines and points (Mesa's draw module)."""
