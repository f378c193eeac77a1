# SPDX-License-Identifier: MIT
"""The interpreter of token streams."""
