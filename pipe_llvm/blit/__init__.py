# SPDX-License-Identifier: MIT
"""Blits and copies of regions."""
