# SPDX-License-Identifier: MIT
"""The stacks of glPushAttrib and glPushClientAttrib: native struct. Counterpart of Mesa's
gl_attrib_node (mtypes.h)."""

from pydri.jit.types import Struct, ptr, u8, u32

MAX_ATTRIB_STACK = 16
MAX_CLIENT_ATTRIB_STACK = 16


class AttribStacks(Struct):
    """glPushAttrib and glPushClientAttrib: `save` and `client_save` hold one image of all saved
    ranges a level; null until the first push.
    """

    depth = u32
    client_depth = u32
    masks = u32[MAX_ATTRIB_STACK]
    client_masks = u32[MAX_CLIENT_ATTRIB_STACK]
    save = ptr(u8)
    client_save = ptr(u8)
