# SPDX-License-Identifier: MIT
"""What is drawn to and read from: framebuffers, their clears, blits and accumulation."""
