# SPDX-License-Identifier: MIT
"""TGSI as text, out and in."""
