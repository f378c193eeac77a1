# SPDX-License-Identifier: MIT
"""The linker: shaders become a program."""
