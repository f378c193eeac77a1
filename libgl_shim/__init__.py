# SPDX-License-Identifier: MIT
"""The C ABI of the driver: exports, dispatch stubs, boot. Built by `python -m libgl_shim.build`."""
