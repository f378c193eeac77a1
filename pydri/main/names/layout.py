# SPDX-License-Identifier: MIT
"""The native part of a share group. Counterpart of Mesa's gl_shared_state (mtypes.h)."""

from pydri.jit.types import Struct, ptr, u32, u64


class SharedBlock(Struct):
    """The native part of a share group: what kernels look up by name."""

    buffers = ptr(
        ptr("BufferObject")
    )  # by name, null = not a buffer (or never bound); buffer_count entries
    far_buffers = ptr("BufferObject")  # names beyond the table, in a list
    buffer_count = u32
    # Display lists (pydri/vbo/lists.py): `list_table` by name, 0 = none; names beyond it lie in
    # `far_buckets` buckets. Lists that were replaced wait until no context plays one that began
    # before
    list_top = u32  # the greatest name that the table has a list for
    list_table = ptr(u64)  # null until the first list; it never moves
    far_lists = ptr(ptr("FarList"))
    far_buckets = u32
    far_count = u32
    far_top = u32  # no name beyond the table is greater
    list_pad = u32
    retired_lists = ptr("DisplayList")
    # Storage that was replaced while another context may be reading it (buffers/kernels.py): the
    # contexts of the group, and what waits until each of them began to read after it was replaced
    lock = u32
    context_count = u32
    epoch = u64
    contexts = ptr("GLContext")
    retired = ptr("BufferStorage")
    syncs = ptr("SyncObject")  # sync_count places
    sync_count = u32
    sync_free = u32  # the first free place plus one
