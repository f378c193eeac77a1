# SPDX-License-Identifier: MIT
"""Vertex arrays and vertex array objects: native structs of pydri/main/layout.py.

Who writes them: arrays/kernels.py; vbo derives `VertexArray.bindings` and `formats` at draw time.
Counterpart of Mesa's gl_vertex_array_object (mtypes.h)."""

from pydri.jit.types import Struct, nested, ptr, u8, u16, u32, u64
from pydri.main.names.layout import Named
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


VERTEX_BUFFERS = 32  # binding points, of which the program sees the generic ones


class VertexArray(Named, align=64):
    """A vertex array object, or the default one that is part of the context. It holds references
    to its buffers.
    """

    attribs = ArrayState[32]  # by VERT_ATTRIB slot (materials have none)
    buffers = VertexBuffer[VERTEX_BUFFERS]
    element_buffer = ptr("BufferObject")
    enabled = u32  # bit mask of enabled slots
    # derived at draw time (pydri/vbo/arrays.py); whoever changes what is above sets `stale`
    stale = u32
    state = u32  # ARRAYS_*: what the last refresh found
    stamp = u32  # serials and mappings of the buffers at the last refresh
    bindings = VertexBinding[MAX_ATTRIBS]
    formats = u8[48]  # by slot: what key.attrib_format gets, and attrib_divided behind it
    counts = u32[32]  # by slot: vertices as EXT_vertex_array was told, for glGet


class ArraysBlock(Struct, align=64):
    """Vertex arrays: the bound object, and the one that has no name."""

    vao = ptr(VertexArray)  # never null; a reference
    client_active_texture = u32
    info = nested(DrawInfo)
    default = nested(VertexArray)
