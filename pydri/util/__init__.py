# SPDX-License-Identifier: MIT
"""The ground floor: options (every environment variable), messages, counters."""
