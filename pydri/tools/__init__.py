# SPDX-License-Identifier: MIT
"""Parts of the console command: `pydri run`, `doctor`, `info`; X servers, screenshots, PNGs."""
