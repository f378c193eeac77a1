# SPDX-License-Identifier: MIT
"""Text to tokens to the syntax tree."""
