# SPDX-License-Identifier: MIT
"""The OSMesa* entry points, sorted: the place is the slot; and their enums. Written by hand from
Mesa's GL/osmesa.h, since Khronos' registry has no OSMesa. The row format is that of
scripts/gen_api.py; pydri/api/rows.py reads it."""

from pydri.api.rows import Table

TABLE = Table("""\
OSMesaColorClamp v enable:b
OSMesaCreateContext p format:I sharelist:p
OSMesaCreateContextAttribs p attribList:*i sharelist:p
OSMesaCreateContextExt p format:I depthBits:i stencilBits:i accumBits:i sharelist:p
OSMesaDestroyContext v osmesa:p
OSMesaGetColorBuffer b osmesa:p width:*i height:*i format:*i buffer:*p
OSMesaGetCurrentContext p
OSMesaGetDepthBuffer b osmesa:p width:*i height:*i bytesPerValue:*i buffer:*p
OSMesaGetIntegerv v pname:i value:*i
OSMesaGetProcAddress p funcName:z
OSMesaMakeCurrent b osmesa:p buffer:*v type:E width:i height:i
OSMesaPixelStore v pname:i value:i
OSMesaPostprocess v osmesa:p filter:z enable_value:I
""")
SLOTS = TABLE.slots

# formats of a context; two more are GL's own
OSMESA_COLOR_INDEX = 0x1900  # GL_COLOR_INDEX
OSMESA_RGBA = 0x1908  # GL_RGBA
OSMESA_BGRA = 0x1
OSMESA_ARGB = 0x2
OSMESA_RGB = 0x1907  # GL_RGB
OSMESA_BGR = 0x4
OSMESA_RGB_565 = 0x5
# OSMesaPixelStore and OSMesaGetIntegerv
OSMESA_ROW_LENGTH = 0x10
OSMESA_Y_UP = 0x11
OSMESA_WIDTH = 0x20
OSMESA_HEIGHT = 0x21
OSMESA_FORMAT = 0x22
OSMESA_TYPE = 0x23
OSMESA_MAX_WIDTH = 0x24
OSMESA_MAX_HEIGHT = 0x25
# OSMesaCreateContextAttribs, with OSMESA_FORMAT
OSMESA_DEPTH_BITS = 0x30
OSMESA_STENCIL_BITS = 0x31
OSMESA_ACCUM_BITS = 0x32
OSMESA_PROFILE = 0x33
OSMESA_CORE_PROFILE = 0x34
OSMESA_COMPAT_PROFILE = 0x35
OSMESA_CONTEXT_MAJOR_VERSION = 0x36
OSMESA_CONTEXT_MINOR_VERSION = 0x37
