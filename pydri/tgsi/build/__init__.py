# SPDX-License-Identifier: MIT
"""ureg: token streams by declarations and instructions."""
