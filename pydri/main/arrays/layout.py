# SPDX-License-Identifier: MIT
"""Vertex arrays, buffer objects, the share group: native structs of pydri/main/layout.py.

Who writes them: arrays/kernels.py, buffers/kernels.py, buffers/storage_kernels.py, names/share.py;
vbo derives `VertexArray.bindings` and `formats` at draw time. Answers to Mesa's
gl_vertex_array_object, gl_buffer_object, gl_shared_state (mtypes.h)."""

from pydri.jit.types import Struct, ptr, u8, u16, u32, u64
from pydri.pipe.native import MAX_ATTRIBS, DrawInfo, VertexBinding


class ArrayState(Struct):
    """The format of one vertex array (fixed-function or generic) and which binding it reads."""

    pointer = ptr(u8)  # as it was given: address, or offset into the buffer; what glGet answers
    relative_offset = u32  # from where the binding begins (ARB_vertex_attrib_binding)
    binding = u32  # index into VertexArray.bindings
    given_stride = u32
    size = u32  # components, or GL_BGRA
    type = u16
    format = u8  # PipeFormat
    enabled = u8
    normalized = u8
    integer = u8
    bytes = u16  # of one element


class VertexBuffer(Struct):
    """One vertex buffer binding point (ARB_vertex_attrib_binding)."""

    buffer = ptr("BufferObject")  # null: client memory
    offset = u64  # of the first element; the address where `buffer` is null
    stride = u32  # effective
    divisor = u32  # instances that share an element; 0: an element a vertex


class VertexArray(Struct, align=64):
    """A vertex array object, or the default one that is part of the context."""

    attribs = ArrayState[32]  # by VERT_ATTRIB slot (materials have none)
    buffers = VertexBuffer[32]
    element_buffer = ptr("BufferObject")
    enabled = u32  # bit mask of enabled slots
    name = u32
    # derived at draw time (pydri/vbo/arrays.py); whoever changes what is above sets `stale`
    stale = u32
    state = u32  # ARRAYS_*: what the last refresh found
    stamp = u32  # serials and mappings of the buffers at the last refresh
    instanced = u32  # bit mask of enabled slots with a divisor
    bindings = VertexBinding[MAX_ATTRIBS]
    formats = u8[48]  # by slot: what key.attrib_format gets
    counts = u32[32]  # by slot: vertices as EXT_vertex_array was told, for glGet


class BufferStorage(Struct, align=64):
    """Head of a buffer's memory; the data lie behind it. `size` never exceeds the capacity, so
    whoever loads `BufferObject.data` once has memory and bounds that belong together.
    """

    next = ptr("BufferStorage")  # among those that wait for readers (SharedBlock.retired)
    epoch = u64  # SharedBlock.epoch when it was replaced
    size = u64
    capacity = u64
    mapped_bytes = u64  # what munmap gets; 0: from malloc


class BufferObject(Struct):
    """Native part of a buffer object. Kernels read `data` once and take the size from the head
    of the storage: another thread may replace it.
    """

    data = ptr(u8)  # behind a BufferStorage; null: none yet
    size = u64
    name = u32
    serial = u32  # another number whenever data or size became others
    mapped = u32  # 0 no, 1 yes, 2 persistently (draws may go on)
    usage = u32
    storage_flags = u32  # of glBufferStorage; what glBufferData allows otherwise
    immutable = u8
    deleted = u8  # the name is free again
    pad = u16
    map_pointer = ptr(u8)
    map_offset = u64
    map_length = u64
    access = u32  # GL_MAP_*_BIT of the mapping
    pad2 = u32
    next_far = ptr("BufferObject")  # among those whose names are beyond the table


class BuffersBlock(Struct):
    """What is bound to the buffer targets that belong to no other block
    (pydri/main/buffers/tables.py)."""

    array = ptr(BufferObject)
    copy_read = ptr(BufferObject)
    copy_write = ptr(BufferObject)
    draw_indirect = ptr(BufferObject)
    parameter = ptr(BufferObject)
    query = ptr(BufferObject)


class ArraysBlock(Struct, align=64):
    """Vertex arrays: the bound object and the table of all."""

    vao = ptr(VertexArray)  # never null
    names = ptr(ptr(VertexArray))  # by name, null = none or never bound; name_count entries
    name_count = u32
    client_active_texture = u32
    info = DrawInfo
    default = VertexArray


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
