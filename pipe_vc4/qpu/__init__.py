# SPDX-License-Identifier: MIT
"""The QPU's 64-bit instruction words: fields, constructors, text and the rules they must keep."""
