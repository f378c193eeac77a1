# SPDX-License-Identifier: MIT
"""The state tracker: from GL state to a driver's pipelines, draws, clears and reads."""

#: modules of kernels for the core image, and modules with Python entries
PARTS = (
    "pydri.st.kernels", "pydri.st.read_kernels", "pydri.st.pixel_rect", "pydri.st.buffer_kernels",
    "pydri.st.blit_kernels", "pydri.st.raster",
)  # fmt: skip
ENTRIES = ("pydri.st.copy_depth",)
