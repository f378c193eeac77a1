# SPDX-License-Identifier: MIT
"""The state tracker: from GL state to a driver's pipelines, draws, clears and reads."""

#: modules of kernels for the core image, and modules with Python entries
PARTS = (
    "pydri.st.draw.kernels",
    "pydri.st.pixels.read_kernels",
    "pydri.st.pixels.rect",
    "pydri.st.targets.clear_buffer",
    "pydri.st.targets.blit",
    "pydri.st.draw.raster_position",
    "pydri.st.draw.draw_texture",
)
ENTRIES = ("pydri.st.targets.copy_depth",)
