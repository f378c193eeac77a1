# SPDX-License-Identifier: MIT
"""Token streams: their tables, items, and what is known of a stream."""
