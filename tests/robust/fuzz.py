# SPDX-License-Identifier: MIT
"""A program that makes random, well-typed GL calls: `fuzz.py SEED COUNT [NOTES [THREADS]]`.

In: the rows of pydri/api/gl_table.py for the functions below. Every argument has its C type;
pointers are valid and what lies behind them is large enough; enums and numbers are mostly
meaningful, often not. So whatever happens, the driver may answer with GL errors and with any
picture, and with nothing else. What GL leaves to the program (client arrays that are too short,
lists that call each other in an endless tree) is left out.

The calls depend on the seed alone, not on answers. The number of the call under way stands in the
file NOTES (8 bytes a thread), so after a crash `python fuzz.py --show SEED COUNT` prints what led
to it.
"""

import ctypes
import mmap
import os
import random
import re
import struct
import sys
import threading
from collections.abc import Iterator
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from pydri.api import enums
from pydri.api.gl_table import TABLE

STATE = """
glEnable glDisable glEnableClientState glDisableClientState glShadeModel glCullFace glFrontFace
glDepthFunc glDepthMask glDepthRange glClearDepth glClearColor glClearStencil glAlphaFunc
glBlendFunc
glBlendFuncSeparate glBlendEquation glBlendColor glStencilFunc glStencilOp glStencilMask glLogicOp
glColorMask glPolygonOffset glPolygonMode glLineWidth glPointSize glLineStipple glPolygonStipple
glClipPlane glScissor glViewport glHint glFogf glFogi glFogfv glFogiv glLightf glLighti glLightfv
glLightiv glLightModelf glLightModeli glLightModelfv glLightModeliv glColorMaterial
glPointParameterf glPointParameterfv glMatrixMode glLoadIdentity glLoadMatrixf glLoadMatrixd
glMultMatrixf glMultMatrixd
glLoadTransposeMatrixf glMultTransposeMatrixd glTranslatef glTranslated glRotatef glRotated glScalef
glScaled glFrustum glOrtho glPushMatrix glPopMatrix glPushAttrib glPopAttrib glPushClientAttrib
glPopClientAttrib glPixelStorei glPixelStoref glReadBuffer glDrawBuffer glProvokingVertex
""".split()
VERTEX = """
glBegin glEnd glMaterialf glMateriali glMaterialfv glMaterialiv glEdgeFlag glEdgeFlagv glFogCoordf
glFogCoordd glFogCoordfv glSecondaryColor3f glSecondaryColor3ub glSecondaryColor3dv glArrayElement
glRectf glRectd glRecti glRects glRectfv glEvalCoord1f glIndexf glIndexub glMultiTexCoord2f
glMultiTexCoord4dv glMultiTexCoord1s glVertexAttrib4f
""".split()
VERTEX += [
    f"gl{kind}{size}{form}{vector}"
    for kind, sizes, forms in (
        ("Vertex", (2, 3, 4), "sifd"),
        ("Color", (3, 4), "b ub s us i ui f d".split()),
        ("Normal", (3,), "bsifd"),
        ("TexCoord", (1, 2, 3, 4), "sifd"),
        ("RasterPos", (2, 3, 4), "if"),
    )
    for size in sizes
    for form in forms
    for vector in ("", "v")
]
GET = """
glGetIntegerv glGetFloatv glGetDoublev glGetBooleanv glGetError glGetString glIsEnabled glGetLightfv
glGetLightiv glGetMaterialfv glGetMaterialiv glGetClipPlane glGetPolygonStipple glGetPointerv
glIsList glIsBuffer glGetBufferParameteriv
""".split()
DRAW = "glClear glDrawArrays glMultiDrawArrays glFlush glFinish glClear glDrawArrays".split()
BUFFER = """
glGenBuffers glBufferData glBufferSubData glGetBufferSubData glMapBuffer glUnmapBuffer glBufferData
""".split()
OBJECTS = """
glBindVertexArray glBindVertexArray glGenVertexArrays glDeleteVertexArrays glMapBufferRange
glMapBufferRange glFlushMappedBufferRange glCopyBufferSubData glBufferStorage glBindVertexBuffer
glVertexAttribFormat glVertexAttribIFormat glVertexAttribBinding glVertexBindingDivisor
glVertexAttribDivisor glEnableVertexAttribArray glDisableVertexAttribArray glDrawArraysInstanced
glClearBufferSubData glClearBufferData glInvalidateBufferSubData glFenceSync glDeleteSync
glClientWaitSync glTexEnvf glTexEnvfv glTexGeni glTexGenfv glVertexP3ui glColorP4ui
glVertexAttribI4i
glVertex3hNV glGetVertexAttribiv glGetVertexAttribfv glPushDebugGroup glPopDebugGroup
""".split()
POINTERS = """
glVertexPointer glColorPointer glNormalPointer glTexCoordPointer glSecondaryColorPointer
glFogCoordPointer glEdgeFlagPointer glIndexPointer
""".split()

# What the program itself would have to answer for if it were called at random: endless trees of
# lists, arrays and indices without memory behind them, addresses of functions.
_OWN = re.compile(
    r"gl(CallList|NewList|EndList|ListBase|Begin$|Draw(Arrays|Elements|Range|Transform|Mesh|Command)"
    r"|Multi(Draw|Mode)|ArrayElement|\w*Pointer|InterleavedArrays|\w*Vertex(Array|Buffer)"
    r"|\w*Vert\w*Attrib\w*(Array|Format|Binding|Pointer)|\w*ClientState|ClientActiveTexture"
    r"|ClientAttribDefault|PushClientAttribDefault|\w*(Bind|Delete|Clear|Copy|Named)Buffer"
    r"|\w*Buffer(Sub)?Data|BufferStorage|BufferPageC|\w*MapBuffer|\w*MapNamed|\w*Callback"
    r"|Replacement|Import|\w*Address|\w*NV$)"
)
# of a call with a pointer: what numbers may say about the memory behind it
_COUNTS = [0, 1, 1, 2, 3, 4, 7, 16, 40, -1]

SIZE = 200  # of the window
IN, INDICES, OUT = 0, 2 << 20, 3 << 20  # floats to read, small indices to read, room to write
ROOM = 24 << 20

Call = tuple[str, tuple[Any, ...]]  # a pointer is ("p", offset) in the memory above or None

_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 10.0, 1e-40, 1e38, float("inf"), float("nan"), -1e38]
_INTS = [0, 1, 2, 3, 7, 64, 200, 255, 1000, 32767, 32768, 65535, 0x7FFFFFFF, -1, -2, -0x80000000]
_ALL_ENUMS = sorted(
    {
        value
        for name, value in vars(enums).items()
        if name.startswith("GL_") and isinstance(value, int) and 0 <= value < 0x10000
    }
)


def _named(*words: str) -> list[int]:
    return [
        int(value)
        for name, value in vars(enums).items()
        if isinstance(value, int) and any(name == f"GL_{word}" for word in words)
    ]


_TYPES = list(range(0x1400, 0x140B))
_COMPARE = list(range(0x200, 0x208))
_FACTORS = [0, 1, *range(0x300, 0x309), *range(0x8001, 0x8005)]
_FACES = [0x404, 0x405, 0x408]
_CAPS = _named(
    *"ALPHA_TEST BLEND COLOR_LOGIC_OP COLOR_MATERIAL CULL_FACE DEPTH_TEST DITHER FOG LIGHTING"
    " LINE_SMOOTH LINE_STIPPLE NORMALIZE POINT_SMOOTH POLYGON_OFFSET_FILL POLYGON_OFFSET_LINE"
    " POLYGON_STIPPLE POLYGON_OFFSET_POINT"
    " RESCALE_NORMAL SCISSOR_TEST STENCIL_TEST COLOR_SUM POLYGON_SMOOTH"
    " MULTISAMPLE AUTO_NORMAL INDEX_LOGIC_OP LIGHT0 LIGHT1 LIGHT7 CLIP_PLANE0 CLIP_PLANE5".split()
)
_ARRAYS = [*range(0x8074, 0x807A), 0x8457, 0x845E]
_LIGHT_NAMES = list(range(0x1200, 0x120A))
GOOD: dict[str, list[int]] = {
    "glEnable": _CAPS, "glDisable": _CAPS, "glIsEnabled": _CAPS,
    "glEnableClientState": _ARRAYS, "glDisableClientState": _ARRAYS,
    "glShadeModel": [0x1D00, 0x1D01], "glCullFace": _FACES, "glFrontFace": [0x900, 0x901],
    "glDepthFunc": _COMPARE, "glAlphaFunc": _COMPARE, "glStencilFunc": _COMPARE,
    "glBlendFunc": _FACTORS, "glBlendFuncSeparate": _FACTORS,
    "glBlendEquation": [0x8006, 0x8007, 0x8008, 0x800A, 0x800B],
    "glStencilOp": [0, 0x1E00, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508],
    "glLogicOp": list(range(0x1500, 0x1510)), "glPolygonMode": [*_FACES, 0x1B00, 0x1B01, 0x1B02],
    "glHint": [0xC50, 0xC51, 0xC52, 0xC54, 0x1100, 0x1101, 0x1102],
    "glMatrixMode": [0x1700, 0x1701],
    "glFog": [0xB62, 0xB63, 0xB64, 0xB65, 0xB66, 0x8450], "glLight": _LIGHT_NAMES,
    "glLightModel": [0xB51, 0xB52, 0xB53, 0x81F8],
    "glMaterial": [*_FACES, *_LIGHT_NAMES[:3], 0x1600, 0x1601, 0x1602, 0x1603],
    "glColorMaterial": [*_FACES, *_LIGHT_NAMES[:3], 0x1600, 0x1602],
    "glPointParameter": [0x8126, 0x8127, 0x8128, 0x8129], "glReadBuffer": [0x404, 0x405],
    "glDrawBuffer": [0, 0x404, 0x405, 0x408], "glProvokingVertex": [0x8E4D, 0x8E4E],
    "glGetString": [0x1F00, 0x1F01, 0x1F02, 0x1F03], "glGetPointerv": [0x808E, 0x8090, 0x808F],
    "glClipPlane": list(range(0x3000, 0x3006)), "glGetClipPlane": list(range(0x3000, 0x3006)),
    "glMultiTexCoord": list(range(0x84C0, 0x84C9)), "glPixelStore": [*range(0xCF0, 0xCF6),
    *range(0xD00, 0xD06)], "glGetBufferParameter": [0x8892, 0x8893, 0x8764, 0x8765, 0x88BB, 0x88BC],
    "glMapBuffer": [0x8892, 0x8893, 0x88B8, 0x88B9, 0x88BA],
    "glTexEnv": [0x2300, 0x2200, 0x2201, 0x8571, 0x8580, 0x8590, 0x8573], "glTexGen": [0x2000,
    0x2001, 0x2003, 0x2500, 0x2501, 0x2502, 0x2400, 0x2401, 0x2402], "glVertexP": [0x8D9F, 0x8368],
    "glColorP4": [0x8D9F, 0x8368], "glGetVertexAttrib": list(range(0x8622, 0x8627)),
    "glVertexAttribF": [*range(0x1400, 0x1408), 0x140A, 0x140B, 0x140C, 0x8D9F, 0x8368, 0x8C3B],
    "glVertexAttribIF": list(range(0x1400, 0x1406)), "glFenceSync": [0x9117],
}  # fmt: skip
_PREFIXES = sorted(GOOD, key=len, reverse=True)


class Fuzz:
    """The endless tale of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.compiling: int | None = None  # least name that may be under compilation
        self.calls_in_list = 0
        self.rows = {
            name: TABLE.row(name) for name in [*STATE, *VERTEX, *GET, *DRAW, *BUFFER, *OBJECTS]
        }
        self.every = [name for name in TABLE.names if not _OWN.match(name)]

    def number(self, edges: list[Any], low: float, high: float) -> Any:
        """Something sensible or something extreme."""
        r = self.random
        if r.random() < 0.2:
            return r.choice(edges)
        if isinstance(edges[0], float):
            return r.uniform(low, high)
        return r.randint(int(low), int(high))

    def enum(self, name: str) -> int:
        """One that fits, one of GL's others, or none at all."""
        r = self.random
        dice = r.random()
        if dice < 0.9:
            for prefix in _PREFIXES:
                if name.startswith(prefix):
                    if prefix == "glLight" and not name.startswith("glLightModel") and dice < 0.45:
                        return r.randrange(0x4000, 0x4008)
                    return r.choice(GOOD[prefix])
            if name.startswith("glGetLight"):
                return r.choice([0x4000, 0x4001, *_LIGHT_NAMES])
            if name.startswith("glGetMaterial"):
                return r.choice([0x404, 0x405, *_LIGHT_NAMES[:3], 0x1600, 0x1601])
        return r.choice(_ALL_ENUMS) if dice < 0.98 else r.getrandbits(32)

    def argument(self, name: str, code: str) -> Any:
        """A value of a parameter's type."""
        r = self.random
        kind = code[0]
        if kind in "*pz":
            if name.startswith(("glGet", "glGen")):
                return ("p", OUT)
            return ("p", INDICES if r.random() < 0.05 else IN + 4 * r.randrange(4096))
        if kind == "E":
            return self.enum(name)
        if kind == "M":
            return r.randrange(10) if r.random() < 0.95 else r.choice(_INTS) & 0xFFFFFFFF
        if kind in "BA":
            return r.choice([0xFFFFFFFF, 0x4000, 0x100, 0x4500, r.getrandbits(20), 0])
        if kind == "b":
            return r.choice([0, 1, 1, 255])
        if kind in "fd":
            return self.number(_FLOATS, -1.5, 1.5)
        value = self.number(_INTS, -2, 300)
        bits = {"c": 8, "C": 8, "s": 16, "S": 16, "i": 32, "I": 32}.get(kind, 64)
        return value & (1 << bits) - 1 if kind in "CSIL" else _signed(value, bits)

    def ordinary(self, name: str) -> Call:
        """A call whose arguments depend on their types (and a few bounds)."""
        r = self.random
        row = self.rows[name]
        values = [self.argument(name, code) for _, code in row.params]
        if name == "glArrayElement":
            values[0] = r.randrange(300)
        elif name == "glDrawArrays":
            values[1:] = [r.choice([0, 0, 1, 5, -1]), r.choice([0, 3, 4, 7, 60, 290, -1])]
        elif name == "glMultiDrawArrays":
            values[1:] = [("p", INDICES), ("p", INDICES + 64), r.choice([0, 1, 4, -1])]
        elif name.startswith("glPixelStore"):
            values[1] = r.choice([0, 1, 2, 3, 4, 8, 100, -1])
        elif name == "glGenBuffers":
            values[0] = r.choice([0, 1, 4, -1])
        elif name == "glBufferData":
            values[:2] = [r.choice([0x8892, 0x8893]), r.choice([0, 12, 4000, 65536, 65537, -1])]
            # wild indices into the program's own memory would be the program's fault
            indices = values[0] == 0x8893
            values[2] = ("p", INDICES) if indices else r.choice([None, ("p", IN), ("p", INDICES)])
            values[3] = r.choice([0x88E0, 0x88E4, 0x88E8, 0x1234])
        elif name in ("glBufferSubData", "glGetBufferSubData"):
            values[:3] = [r.choice([0x8892, 0x8893]), r.choice([0, 4, 1000, 70000, -1]),
                          r.choice([0, 4, 5000, 65536, -1])]  # fmt: skip
            if name == "glBufferSubData" and values[0] == 0x8893:
                values[3] = ("p", INDICES)
        elif name == "glLineWidth" or name == "glPointSize":
            values[0] = self.number(_FLOATS, 0.0, 12.0)
        elif name == "glMapBuffer":
            values[0] = r.choice([0x8892, 0x8893])
        elif name in OBJECTS:
            self.object_arguments(name, values)
        return name, tuple(values)

    def object_arguments(self, name: str, values: list[Any]) -> None:
        """Calls on buffers, vertex arrays and syncs: small names, ranges near edges."""
        r = self.random
        targets = [0x8892, 0x8893, 0x8F36, 0x8F37]
        ends = [0, 1, 4, 16, 1000, 4000, 65536, 1 << 33, -1]
        if name in ("glGenVertexArrays", "glDeleteVertexArrays"):
            values[:] = [r.choice([0, 1, 2, -1]), ("p", OUT if name[2] == "G" else INDICES)]
        elif name in ("glBindVertexArray", "glDeleteSync", "glClientWaitSync"):
            values[0] = r.randrange(5) if name[2] == "B" else r.choice([0, 1 << 20 | 1, 5])
        elif name in ("glMapBufferRange", "glFlushMappedBufferRange"):
            values[:3] = [r.choice(targets), r.choice(ends), r.choice(ends)]
            if name == "glMapBufferRange":
                values[3] = r.choice([1, 2, 3, 0x12, 0x22, 0x42, 0xC2, 0x100, 0])
        elif name == "glCopyBufferSubData":
            # never into indices: their values must fit the program's arrays
            values[:] = [r.choice(targets), r.choice([0x8892, 0x8F36]), *r.choices(ends, k=3)]
            values[1] = 0x8892
        elif name == "glBufferStorage":
            values[:] = [0x8F37, r.choice(ends), ("p", IN), r.choice([0x1C3, 0x100, 2, 0x40])]
        elif name in ("glClearBufferData", "glClearBufferSubData", "glInvalidateBufferSubData"):
            if name == "glInvalidateBufferSubData":
                values[:] = [r.randrange(5), r.choice(ends), r.choice(ends)]
                return
            values[0] = r.choice([0x8892, 0x8F37])
            values[1] = r.choice([0x8229, 0x8058, 0x8814, 0x8236, 0x1908])
            values[-3:] = [r.choice([0x1903, 0x1908, 0x8D94]), r.choice(_TYPES), ("p", IN)]
            if len(values) == 7:
                values[2:4] = r.choice(ends), r.choice(ends)
        elif name == "glBindVertexBuffer":
            values[:] = [r.randrange(18), r.randrange(4), r.choice(ends), r.choice([0, 4, 60, -1])]
        elif name.startswith("glVertexAttrib") or name.endswith("VertexAttribArray"):
            values[0] = r.randrange(18)
            if name == "glVertexAttribBinding":
                values[1] = r.randrange(18)
            elif name.endswith("Format"):
                values[1] = r.choice([1, 2, 3, 4, 0x80E1])
                values[-1] = r.choice([0, 4, 13, 2047, 2048])
            elif name == "glVertexAttribDivisor":
                values[1] = r.choice([0, 1, 2, 1000])
        elif name == "glVertexBindingDivisor":
            values[:] = [r.randrange(18), r.choice([0, 1, 7])]
        elif name == "glDrawArraysInstanced":
            values[1:] = [r.choice([0, 5, -1]), r.choice([0, 3, 60, -1]), r.choice([0, 1, 3, -1])]
        elif name == "glPushDebugGroup":
            values[:] = [r.choice([0x824A, 0x8249, 7]), 1, r.choice([0, 5, 5000]), ("p", IN)]

    def any(self) -> Iterator[Call]:
        """Any entry point of the registry, known to GOOD or not, written already or not."""
        r = self.random
        name = r.choice(self.every)
        row = TABLE.row(name)
        codes = [code for _, code in row.params]
        values = [self.argument(name, code) for code in codes]
        if any(code[0] in "*pz" for code in codes):
            for n, code in enumerate(codes):
                if code[0] in "iIlLsS":
                    count = r.choice(_COUNTS)
                    values[n] = count & 0xFFFF if code[0] in "ILS" else count
        yield name, tuple(values)

    def pixels(self) -> Iterator[Call]:
        """Pack and unpack buffers of their own, so that no index is overwritten."""
        r = self.random
        yield "glBindBuffer", (r.choice([0x88EB, 0x88EC]), r.choice([0, 0, 20, 21]))
        if r.random() < 0.3:
            size = r.choice([0, 100, 8000, 1 << 20])
            yield "glBufferData", (r.choice([0x88EB, 0x88EC]), size, None, 0x88E4)

    def pointer(self) -> Iterator[Call]:
        """An array, in the program's memory or in a buffer object; what was begun ends before."""
        r = self.random
        name = r.choice(POINTERS)
        buffer = r.choice([0, 1, 2, 3])
        yield "glEnd", ()
        yield "glBindBuffer", (0x8892, buffer)
        stride = r.choice([0, 0, 4, 12, 16, 32, 36, 100, 255, -1])
        if buffer:
            where: Any = r.choice([0, 4, 12, 13, 4096, 65000, 1 << 33, -16])
        else:
            where = ("p", IN + r.choice([0, 4, 1, 64, 4096]))
        values: list[Any] = [stride, where]
        if name not in ("glEdgeFlagPointer",):
            values.insert(0, r.choice([*_TYPES, 0x140B, 0x140C, 0x8D9F, 0x8368]))
        if name[2:5] in ("Ver", "Col", "Tex", "Sec"):
            values.insert(0, r.choice([1, 2, 3, 3, 4, 4, 5, 0, 0x80E1]))
        yield name, tuple(values)

    def elements(self) -> Iterator[Call]:
        """An indexed draw, from the program's memory or from a buffer object."""
        r = self.random
        buffer = r.choice([0, 0, 4])
        yield "glEnd", ()
        yield "glBindBuffer", (0x8893, buffer)
        where: Any = ("p", INDICES + r.choice([0, 4]))
        if buffer:
            where = r.choice([0, 4, 64, 60000, 1 << 40, -4])
        tail = (r.choice([0, 3, 30, 299, -1]), r.choice([0x1401, 0x1403, 0x1405, 0x1406]), where)
        mode = r.randrange(10)
        if r.random() < 0.5:
            yield "glDrawElements", (mode, *tail)
        else:
            low, high = r.choice([(0, 63), (0, 0xFFFFFFFF), (5, 6), (9, 3)])
            yield "glDrawRangeElements", (mode, low, high, *tail)

    def lists(self) -> Iterator[Call]:
        """Names 1 to 5; while a list is made only lists of smaller names are called, twice at
        most.
        """
        r = self.random
        dice = r.random()
        if dice < 0.3:
            name = r.randrange(1, 6)
            self.compiling = name if self.compiling is None else min(name, self.compiling)
            self.calls_in_list = 0
            yield "glNewList", (name, r.choice([0x1300, 0x1301, 0x1300, 77]))
        elif dice < 0.6:
            yield "glEnd", ()
            yield "glEndList", ()
            yield "glEndList", ()
            self.compiling = None
        elif dice < 0.65:
            yield "glListBase", (r.choice([0, 1, 0xFFFFFFFF]),)
        elif dice < 0.7:
            yield "glDeleteLists", (r.randrange(7), r.choice([0, 1, 2, -1]))
        elif dice < 0.75:
            yield "glGenLists", (r.choice([0, 1, 3, -1]),)
        elif self.compiling is None:
            if dice < 0.85:
                kind = r.choice([*range(0x1400, 0x140A), 0x1234])
                yield "glCallLists", (r.choice([0, 1, 5, -1]), kind, ("p", INDICES))
            else:
                yield "glCallList", (r.randrange(7),)
        elif self.calls_in_list < 2 and self.compiling > 1:
            self.calls_in_list += 1
            yield "glCallList", (r.randrange(1, self.compiling),)

    def read(self) -> Iterator[Call]:
        """Pixels of a rectangle that may lie anywhere but is small."""
        r = self.random
        corner = [r.choice([0, 10, 190, 250, -5, 0x7FFFFFF0, -0x7FFFFFFF]) for _ in range(2)]
        size = [r.choice([0, 1, 7, 40, -1]) for _ in range(2)]
        kinds = [0x1901, 0x1902, 0x1903, 0x1906, 0x1907, 0x1908, 0x1909, 0x190A, 0x80E0, 0x80E1]
        types = [*range(0x1400, 0x1407), 0x8033, 0x8034, 0x8035, 0x8036, 0x8363, 0x8367, 0x8368]
        yield "glReadPixels", (*corner, *size, r.choice(kinds), r.choice(types), ("p", OUT))

    def calls(self) -> Iterator[Call]:
        """One after the other, for ever. No array is without memory behind it from the start on."""
        r = self.random
        for name in POINTERS:
            values = [r.choice([0, 16]), ("p", IN)] if "Flag" in name else [0x1406, 0, ("p", IN)]
            yield name, (3, *values) if name[2:5] in ("Ver", "Col", "Tex", "Sec") else tuple(values)
        while True:
            dice = r.random()
            if dice < 0.45:
                yield self.ordinary(r.choice(VERTEX) if r.random() < 0.8 else "glVertex3f")
            elif dice < 0.69:
                yield self.ordinary(r.choice(STATE))
            elif dice < 0.72:
                if r.random() < 0.3:
                    yield "glEnd", ()
                    yield "glBindBuffer", (r.choice([0x8F36, 0x8F37]), r.randrange(4))
                yield self.ordinary(r.choice(OBJECTS))
            elif dice < 0.76:
                yield self.ordinary(r.choice(GET))
            elif dice < 0.78:
                yield from self.any()
            elif dice < 0.79:
                yield from self.pixels()
            elif dice < 0.84:
                yield self.ordinary(r.choice(DRAW))
            elif dice < 0.87:
                yield self.ordinary(r.choice(BUFFER))
            elif dice < 0.91:
                yield from self.pointer()
            elif dice < 0.94:
                yield from self.elements()
            elif dice < 0.98:
                yield from self.lists()
            elif dice < 0.99:
                yield from self.read()
            elif dice < 0.995:
                yield "glEnd", ()
                yield "swap", ()
            else:  # a way back from the corners into which matrices and viewports lead
                yield "glEnd", ()
                yield "glViewport", (0, 0, SIZE, SIZE)
                yield "glMatrixMode", (0x1701,)
                yield "glLoadIdentity", ()
                yield "glMatrixMode", (0x1700,)
                yield "glLoadIdentity", ()


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


_CTYPES: dict[str, Any] = {
    "E": ctypes.c_uint, "M": ctypes.c_uint, "B": ctypes.c_uint, "A": ctypes.c_uint,
    "b": ctypes.c_ubyte, "c": ctypes.c_byte, "C": ctypes.c_ubyte, "s": ctypes.c_short,
    "S": ctypes.c_ushort, "i": ctypes.c_int, "I": ctypes.c_uint, "l": ctypes.c_long,
    "L": ctypes.c_ulong, "f": ctypes.c_float, "d": ctypes.c_double, "*": ctypes.c_void_p,
    "p": ctypes.c_void_p, "v": None, "z": ctypes.c_void_p, "y": ctypes.c_void_p,
    "F": ctypes.c_void_p, "G": ctypes.c_void_p, "X": ctypes.c_ulong, "D": ctypes.c_ulong,
}  # fmt: skip


def memory() -> int:
    """The block that pointers lead into: floats, small indices, room."""
    block = (ctypes.c_char * ROOM)()
    memory.keep = block  # type: ignore[attr-defined]
    base = ctypes.addressof(block)
    noise = random.Random(1)
    floats = (ctypes.c_float * (1 << 18)).from_address(base + IN)
    for i in range(1 << 18):
        floats[i] = noise.uniform(-1.5, 1.5)
    indices = (ctypes.c_uint32 * 8192).from_address(base + INDICES)
    for i in range(8192):
        indices[i] = i * 7 % 64
    return base


class Host:
    """The program's side: a connection, windows, contexts that share their objects."""

    def __init__(self, windows: int) -> None:
        pointer, number, integer = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
        self.gl = gl = ctypes.CDLL("libGL.so.1")
        self.base = memory()
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = pointer
        x11.XDefaultRootWindow.restype = x11.XCreateSimpleWindow.restype = number
        gl.glXChooseVisual.restype = gl.glXCreateContext.restype = pointer
        x11.XInitThreads()
        self.display = pointer(x11.XOpenDisplay(None))
        root, zero = number(x11.XDefaultRootWindow(self.display)), number(0)
        wanted = (integer * 8)(4, 5, 12, 16, 13, 1, 0)  # RGBA, double buffer, depth, stencil
        visual = pointer(gl.glXChooseVisual(self.display, 0, wanted))
        self.windows, self.contexts = [], []
        share = pointer(None)
        for n in range(windows):
            place = (n * (SIZE + 10), 0, SIZE, SIZE, 0)
            xid = number(x11.XCreateSimpleWindow(self.display, root, *place, zero, zero))
            x11.XMapRaised(self.display, xid)
            self.windows.append(xid)
            share = pointer(gl.glXCreateContext(self.display, visual, share, 1))
            self.contexts.append(share)
        x11.XSync(self.display, 0)
        self.functions: dict[str, Any] = {}

    def function(self, name: str) -> Any:
        """An entry point with its prototype."""
        found = self.functions.get(name)
        if found is None:
            row = TABLE.row(name)
            found = getattr(self.gl, name)
            found.argtypes = [_CTYPES[code[0]] for _, code in row.params]
            found.restype = _CTYPES[row.ret[0]]
            self.functions[name] = found
        return found

    def tell(self, which: int, seed: int, count: int, place: Any) -> None:
        """Make the calls of a seed in one of the contexts; their number goes to `place`."""
        if not self.gl.glXMakeCurrent(self.display, self.windows[which], self.contexts[which]):
            raise SystemExit("no context")
        for number, (name, values) in enumerate(Fuzz(seed).calls()):
            if number == count:
                break
            struct.pack_into("<Q", place, 8 * which, number)
            if name == "swap":
                self.gl.glXSwapBuffers(self.display, self.windows[which])
            else:
                arguments = (self.base + v[1] if isinstance(v, tuple) else v for v in values)
                self.function(name)(*arguments)
        self.gl.glFinish()
        self.gl.glXSwapBuffers(self.display, self.windows[which])
        struct.pack_into("<Q", place, 8 * which, count)


def run(seed: int, count: int, notes: str, threads: int = 1) -> None:
    """Make the calls: of `seed`, and in a second thread those of seed + 1000."""
    host = Host(threads)
    place: Any = bytearray(16)
    if notes:
        with open(notes, "w+b") as file:
            file.truncate(16)
            place = mmap.mmap(file.fileno(), 16)
    workers = [
        threading.Thread(target=host.tell, args=(n, seed + 1000 * n, count, place))
        for n in range(1, threads)
    ]
    for worker in workers:
        worker.start()
    host.tell(0, seed, count, place)
    for worker in workers:
        worker.join()


def show(seed: int, last: int, how_many: int = 40) -> str:
    """The calls up to a number."""
    lines = []
    for number, (name, values) in enumerate(Fuzz(seed).calls()):
        if number > last - how_many:
            shown = (f"memory+{v[1]:#x}" if isinstance(v, tuple) else repr(v) for v in values)
            lines.append(f"{number}: {name}({', '.join(shown)})")
        if number == last:
            return "\n".join(lines)
    return ""


if __name__ == "__main__":
    if sys.argv[1] == "--show":
        print(show(int(sys.argv[2]), int(sys.argv[3])))
    else:
        notes = sys.argv[3] if len(sys.argv) > 3 else ""
        run(int(sys.argv[1]), int(sys.argv[2]), notes, int(sys.argv[4]) if len(sys.argv) > 4 else 1)
        print("ok")
