# SPDX-License-Identifier: MIT
"""What the console command tells about a machine and a program: `pydri doctor`, `pydri info`."""
