# SPDX-License-Identifier: MIT
"""Buffer objects and their memory: native structs. Counterpart of Mesa's gl_buffer_object
(mtypes.h)."""

from pydri.jit.types import Struct, ptr, u8, u32, u64
from pydri.main.names.layout import Named
from pydri.pipe.resource import Resource


class BufferObject(Named):
    """Native part of a buffer object. Kernels read `data` once and take the size from the head
    of the storage: another thread may replace it.
    """

    data = ptr(u8)  # behind a Storage, with a reference; null: none yet
    size = u64
    serial = u32  # another number whenever data or size became others
    mapped = u32  # 0 no, 1 yes, 2 persistently (draws may go on)
    usage = u32
    storage_flags = u32  # of glBufferStorage; what glBufferData allows otherwise
    immutable = u32
    map_pointer = ptr(u8)
    map_offset = u64
    map_length = u64
    access = u32  # GL_MAP_*_BIT of the mapping
    # of the same storage, for drivers; null until something deferred reads the buffer
    # (`buffer_resource` of storage_kernels.py)
    resource = ptr(Resource)


#: numbered binding points that there is room for (how many there are is the driver's: Limits)
MAX_UNIFORM_POINTS, MAX_FEEDBACK_POINTS, MAX_COUNTER_POINTS, MAX_STORAGE_POINTS = 90, 4, 16, 80


class BindingPoint(Struct):
    """A numbered binding point: a range of a buffer, or all of it."""

    buffer = ptr(BufferObject)
    offset = u64
    size = u64  # 0: to the buffer's end, as it is when the point is used (glBindBufferBase)


class BuffersBlock(Struct):
    """What is bound to the buffer targets that belong to no other block, and to numbered points
    (pydri/main/buffers/tables.py)."""

    array = ptr(BufferObject)
    copy_read = ptr(BufferObject)
    texture = ptr(BufferObject)
    copy_write = ptr(BufferObject)
    draw_indirect = ptr(BufferObject)
    parameter = ptr(BufferObject)
    query = ptr(BufferObject)
    uniform = ptr(BufferObject)
    feedback = ptr(BufferObject)
    counter = ptr(BufferObject)
    storage = ptr(BufferObject)
    uniform_points = BindingPoint[MAX_UNIFORM_POINTS]
    feedback_points = BindingPoint[MAX_FEEDBACK_POINTS]
    counter_points = BindingPoint[MAX_COUNTER_POINTS]
    storage_points = BindingPoint[MAX_STORAGE_POINTS]
    # of each row of INDEXED: no point with this number, or a greater one, ever had a buffer
    used = u32[4]
    serial = u32  # another number whenever a point was changed
