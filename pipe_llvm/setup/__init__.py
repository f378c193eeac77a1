# SPDX-License-Identifier: MIT
"""Setup: primitives, rectangles and clears into the bins of a scene."""
