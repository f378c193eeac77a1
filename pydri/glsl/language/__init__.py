# SPDX-License-Identifier: MIT
"""Tables of the language: words, versions, built-in names, rules of layouts."""
