# SPDX-License-Identifier: MIT
"""Imports every module of this room with Python entry points, so that they register.

Done before the first gl* slot is resolved, not when a context is made: a program that is served
by kernels alone never needs them.
"""

import pydri.main.arrays.entries
import pydri.main.buffers.clear_entries
import pydri.main.debug.entries
import pydri.main.direct.entries
import pydri.main.framebuffers.query_entries
import pydri.main.get.entries
import pydri.main.get.format_entries
import pydri.main.get.indexed_entries
import pydri.main.get.string_entries
import pydri.main.pixels.entries
import pydri.main.programs.ati_entries
import pydri.main.programs.entries
import pydri.main.shaders.binary_entries
import pydri.main.shaders.entries
import pydri.main.shaders.query_entries
import pydri.main.shaders.resource_entries
import pydri.main.state.stipple_entries
import pydri.main.textures.entries
import pydri.main.textures.image_entries
import pydri.main.textures.parameter_entries
import pydri.main.textures.shared_images
import pydri.main.transform.entries  # noqa: F401
