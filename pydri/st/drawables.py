# SPDX-License-Identifier: MIT
"""The drawables that exist, by the address of their native struct.

A kernel of the room above may change what a context draws to (pydri/dri/switch.py); the state
tracker then finds the object by the address in the native context. DRI fills this in.
"""

from typing import Any
from weakref import WeakValueDictionary

from pydri.api import enums as gl

#: draw and read buffers that are a front buffer; of a draw buffer the last two name the back buffer
#: too (BOTH_BUFFERS)
BOTH_BUFFERS = (gl.GL_LEFT, gl.GL_FRONT_AND_BACK)
FRONT_BUFFERS = (gl.GL_FRONT, gl.GL_FRONT_LEFT, gl.GL_FRONT_RIGHT, *BOTH_BUFFERS)

DRAWABLES: WeakValueDictionary[int, Any] = WeakValueDictionary()
