# SPDX-License-Identifier: MIT
"""Selection and feedback."""
