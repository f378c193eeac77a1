# SPDX-License-Identifier: MIT
"""The Gallium interface: what a state tracker asks of a driver, and formats."""
