# SPDX-License-Identifier: MIT
"""What OSMesa does, on the libOSMesa that is found, a fact a line: `player.py PART`. The tests run
it on both drivers and compare the lines."""

import ctypes
import sys
import zlib
from typing import Any

COLOR_INDEX, RGBA, BGRA, ARGB, RGB, BGR, RGB_565 = 0x1900, 0x1908, 1, 2, 0x1907, 4, 5
FORMATS = {
    "COLOR_INDEX": COLOR_INDEX, "RGBA": RGBA, "BGRA": BGRA, "ARGB": ARGB, "RGB": RGB, "BGR": BGR,
    "RGB_565": RGB_565,
}  # fmt: skip
BYTE, SHORT, FLOAT, PACKED = 0x1401, 0x1403, 0x1406, 0x8363
TYPES = {
    "BYTE": BYTE, "SHORT": SHORT, "FLOAT": FLOAT, "PACKED": PACKED, "HALF": 0x140B, "INT": 0x1404,
}  # fmt: skip
ROW_LENGTH, Y_UP = 0x10, 0x11
WIDTH, HEIGHT, FORMAT, TYPE, MAX_WIDTH, MAX_HEIGHT = range(0x20, 0x26)
DEPTH_BITS, STENCIL_BITS, ACCUM_BITS, PROFILE, CORE, COMPAT, MAJOR, MINOR = range(0x30, 0x38)
COLOR, DEPTH, STENCIL, ACCUM = 0x4000, 0x100, 0x400, 0x200
FILL = 0xAB

lib = ctypes.CDLL("libOSMesa.so.8")
_pointer, _int = ctypes.c_void_p, ctypes.c_int
for _name in ("CreateContext", "CreateContextExt", "CreateContextAttribs", "GetCurrentContext",
              "GetProcAddress"):  # fmt: skip
    getattr(lib, f"OSMesa{_name}").restype = _pointer
for _name in ("MakeCurrent", "GetDepthBuffer", "GetColorBuffer"):
    getattr(lib, f"OSMesa{_name}").restype = ctypes.c_ubyte
lib.OSMesaCreateContext.argtypes = [ctypes.c_uint, _pointer]
lib.OSMesaCreateContextExt.argtypes = [ctypes.c_uint, _int, _int, _int, _pointer]
lib.OSMesaCreateContextAttribs.argtypes = [_pointer, _pointer]
lib.OSMesaDestroyContext.argtypes = [_pointer]
lib.OSMesaMakeCurrent.argtypes = [_pointer, _pointer, ctypes.c_uint, _int, _int]
lib.OSMesaGetDepthBuffer.argtypes = lib.OSMesaGetColorBuffer.argtypes = [_pointer] * 5
lib.OSMesaGetIntegerv.argtypes = [_int, _pointer]
lib.OSMesaPixelStore.argtypes = [_int, _int]
lib.OSMesaGetProcAddress.argtypes = [ctypes.c_char_p]
lib.OSMesaColorClamp.argtypes = [ctypes.c_ubyte]
lib.OSMesaPostprocess.argtypes = [_pointer, ctypes.c_char_p, ctypes.c_uint]


def gl(name: str, *args: Any) -> int:
    """Call a function of GL by its name; what gives a boolean is to be masked."""
    kinds = [ctypes.c_float if isinstance(a, float) else _int if isinstance(a, int) else _pointer
             for a in args]  # fmt: skip
    address = lib.OSMesaGetProcAddress(f"gl{name}".encode())
    return int(ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(address)(*args))


def text(name: int) -> str:
    """glGetString."""
    address = lib.OSMesaGetProcAddress(b"glGetString")
    return (ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)(address)(name) or b"").decode()


def number(name: int) -> int:
    """glGetIntegerv of one number."""
    out = (_int * 16)(-77)
    gl("GetIntegerv", name, ctypes.byref(out))
    return out[0]


def asked(name: int) -> int:
    """OSMesaGetIntegerv."""
    out = _int(-77)
    lib.OSMesaGetIntegerv(name, ctypes.byref(out))
    return out.value


class Buffer:
    """Memory of the program, with room on both sides."""

    EDGE = 4096

    def __init__(self, size: int) -> None:
        self.size = size
        self.memory = (ctypes.c_ubyte * (size + 2 * self.EDGE))()
        self.address = ctypes.addressof(self.memory) + self.EDGE
        self.fill()

    def fill(self) -> None:
        """As if nobody had written here."""
        ctypes.memset(self.memory, FILL, len(self.memory))

    def state(self) -> str:
        """untouched, or the digest of everything."""
        data = bytes(self.memory)
        if data == bytes([FILL]) * len(data):
            return "untouched"
        return f"{zlib.crc32(data):08x}"


def make(format: int = RGBA, depth: int = 24, stencil: int = 8, accum: int = 0,
         share: int | None = None) -> int:  # fmt: skip
    """A context."""
    return lib.OSMesaCreateContextExt(format, depth, stencil, accum, share)


def clear(red: float, green: float = 0.0, blue: float = 0.0, alpha: float = 1.0) -> None:
    """Clear the picture."""
    gl("ClearColor", red, green, blue, alpha)
    gl("Clear", COLOR)


def quad(x0: float, y0: float, x1: float, y1: float, z: float, *color: float) -> None:
    """A rectangle of one colour."""
    gl("Color4f", *color)
    gl("Begin", 7)
    for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1)):
        gl("Vertex3f", x, y, z)
    gl("End")


def scene(opaque: bool = False) -> None:
    """Rectangles of fractions that no type holds exactly, one hidden; where alpha is 1 all over,
    one is blended by it."""
    gl("Enable", 0x0B71)  # GL_DEPTH_TEST
    gl("ClearColor", 0.1, 0.35, 0.62, 0.27)
    gl("Clear", COLOR | DEPTH | STENCIL)
    quad(-0.9, -0.8, 0.3, 0.1, 0.25, 1.0, 0.77, 0.13, 0.5)
    quad(-0.5, -0.5, 0.9, 0.9, -0.5, 0.03, 0.92, 0.44, 0.81)
    quad(-0.2, -0.2, 0.1, 0.1, 0.5, 1.0, 1.0, 1.0, 1.0)
    if opaque:
        gl("Enable", 0x0BE2)  # GL_BLEND
        gl("BlendFunc", 0x0304, 0x0305)  # GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA
        quad(-0.7, -0.1, 0.7, 0.3, -0.75, 0.5, 0.25, 0.125, 0.5)
        gl("Disable", 0x0BE2)


def formats() -> None:
    """Every format and type, both directions, row lengths; but RGB of 8 and 16 bits, where the
    peer's driver writes beyond its pixels (three)."""
    for name, format in FORMATS.items():
        for type_name, type in TYPES.items():
            if format == RGB and type in (BYTE, SHORT):
                continue
            context = make(format)
            for up in (1, 0):
                for row in (0, 41, 30):
                    width, height = 37, 23
                    buffer = Buffer(width * height * 16 + 8192)
                    good = lib.OSMesaMakeCurrent(context, buffer.address, type, width, height)
                    if good:
                        lib.OSMesaPixelStore(Y_UP, up)
                        lib.OSMesaPixelStore(ROW_LENGTH, row)
                        scene(format in (RGB, RGB_565))
                        gl("Finish")
                    print(name, type_name, up, row, good, buffer.state(), gl("GetError") if good
                          else "")  # fmt: skip
            lib.OSMesaMakeCurrent(None, None, 0, 0, 0)
            lib.OSMesaDestroyContext(context)


def three() -> None:
    """Three channels are what four are without alpha."""
    for type, size in ((BYTE, 1), (SHORT, 2), (FLOAT, 4)):
        for width, height in ((1, 1), (37, 23), (700, 531)):
            for up, row in ((1, 0), (0, width + 3)):
                pictures = []
                for format, channels in ((RGBA, 4), (RGB, 3)):
                    context = make(format)
                    length = (row or width) * channels * size
                    buffer = Buffer(length * height)
                    lib.OSMesaMakeCurrent(context, buffer.address, type, width, height)
                    lib.OSMesaPixelStore(Y_UP, up)
                    lib.OSMesaPixelStore(ROW_LENGTH, row)
                    scene()
                    gl("Finish")
                    data = memoryview(buffer.memory)[Buffer.EDGE :]
                    rows = [bytes(data[y * length : y * length + width * channels * size])
                            for y in range(height)]  # fmt: skip
                    pictures.append(rows)
                    lib.OSMesaDestroyContext(context)
                four, three = pictures
                cut = [b"".join(row[at : at + 3 * size] for at in range(0, len(row), 4 * size))
                       for row in four]  # fmt: skip
                print(type, width, height, up, cut == three)


def sizes() -> None:
    """Pictures of odd sizes, and large ones."""
    for width, height in ((1, 1), (3, 2), (64, 64), (65, 1), (1, 200), (700, 531)):
        for format, type, pixel in ((ARGB, BYTE, 4), (RGB, FLOAT, 12), (RGBA, BYTE, 4),
                                    (BGRA, SHORT, 8), (RGBA, FLOAT, 16)):
            context = make(format)
            buffer = Buffer(width * height * pixel)
            good = lib.OSMesaMakeCurrent(context, buffer.address, type, width, height)
            scene()
            gl("Finish")
            print(width, height, format, type, good, buffer.state())
            lib.OSMesaDestroyContext(context)


def when() -> None:
    """At which moments the picture comes."""
    one, two = Buffer(64 * 48 * 4), Buffer(64 * 48 * 4)

    def told(what: str) -> None:
        print(f"{what}: {one.state()} {two.state()}")
        one.fill()
        two.fill()

    a, b = make(), make(BGRA)
    size = (BYTE, 64, 48)
    print(lib.OSMesaMakeCurrent(a, one.address, *size))
    told("made current")
    gl("Finish")
    told("finished with nothing drawn")
    clear(1.0)
    told("cleared")
    gl("Flush")
    told("flushed")
    gl("Flush")
    told("flushed again")
    quad(-0.5, -0.5, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 1.0)
    told("drawn")
    gl("Finish")
    told("finished")
    clear(0.5)
    pixel = (ctypes.c_ubyte * 4)()
    gl("ReadPixels", 0, 0, 1, 1, RGBA, BYTE, ctypes.byref(pixel))
    told(f"read {list(pixel)}")
    gl("Flush")
    told("flushed after reading")
    gl("ReadPixels", 0, 0, 1, 1, RGBA, BYTE, ctypes.byref(pixel))
    gl("Flush")
    told("read, flushed")
    print(lib.OSMesaMakeCurrent(a, two.address, *size))
    told("the other buffer")
    gl("Flush")
    told("flushed there with nothing drawn")
    quad(-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0)
    print(lib.OSMesaMakeCurrent(a, one.address, *size))
    told("drawn, and the other buffer")
    gl("Flush")
    told("flushed")
    clear(0.25)
    print(lib.OSMesaMakeCurrent(b, two.address, *size))
    told("another context")
    clear(0.75)
    print(lib.OSMesaMakeCurrent(a, one.address, *size))
    told("and back")
    gl("Flush")
    told("flushed with nothing drawn")
    clear(0.125)
    print(lib.OSMesaMakeCurrent(None, None, 0, 0, 0))
    told("released")
    print(lib.OSMesaMakeCurrent(a, two.address, *size))
    quad(-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0)
    told("drawn")
    lib.OSMesaPixelStore(Y_UP, 0)
    gl("Flush")
    told("turned over")
    gl("DrawBuffer", 0)
    clear(1.0)
    gl("Finish")
    told("no draw buffer")
    gl("DrawBuffer", 0x0404)  # GL_FRONT
    gl("Finish")
    told("a draw buffer")
    for buffer in (0x0405, 0x0402, 0x0403, 0x0401, 0x0400, 0x0406, 0x0408, 0x0409):
        gl("DrawBuffer", buffer)
        gl("ReadBuffer", buffer)
        print(hex(buffer), gl("GetError"), number(0x0C01), number(0x0C02))
    clear(1.0)
    gl("DrawBuffer", 0)
    gl("Finish")
    told("drawn, then no draw buffer")


def framebuffers() -> None:
    """Nothing is shown while a framebuffer object is drawn to."""
    buffer = Buffer(64 * 48 * 4)
    context = make()
    lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 64, 48)
    names = (ctypes.c_uint * 2)()
    gl("GenFramebuffers", 1, ctypes.byref(names))
    gl("GenRenderbuffers", 1, ctypes.byref(names, 4))
    gl("BindFramebuffer", 0x8D40, names[0])
    gl("BindRenderbuffer", 0x8D41, names[1])
    gl("RenderbufferStorage", 0x8D41, 0x8058, 64, 48)
    gl("FramebufferRenderbuffer", 0x8D40, 0x8CE0, 0x8D41, names[1])
    print(hex(gl("CheckFramebufferStatus", 0x8D40)))
    clear(1.0)
    gl("Finish")
    print("object", buffer.state())
    gl("BindFramebuffer", 0x8D40, 0)
    gl("Finish")
    print("window", buffer.state())
    clear(0.5)
    gl("BindFramebuffer", 0x8D40, names[0])
    gl("Finish")
    print("drawn, object", buffer.state())
    gl("BindFramebuffer", 0x8D40, 0)
    gl("Finish")
    print("window", buffer.state())
    buffer.fill()
    gl("BindFramebuffer", 0x8CA8, names[0])  # read from the object
    gl("BlitFramebuffer", 0, 0, 64, 48, 0, 0, 64, 48, COLOR, 0x2600)
    gl("Finish")
    print("blitted", buffer.state(), gl("GetError"))


def depth_of(context: int) -> tuple[int, int, int, int, bytes]:
    """OSMesaGetDepthBuffer, its words without what no format fills."""
    width, height, size, address = _int(-1), _int(-1), _int(-1), _pointer(1)
    good = lib.OSMesaGetDepthBuffer(context, *map(ctypes.byref, (width, height, size, address)))
    data = b""
    if good:
        data = ctypes.string_at(address.value or 0, width.value * height.value * size.value)
    return good, width.value, height.value, size.value, data


def told_depth(context: int, hidden: int, what: str) -> None:
    """The depth buffer in a line."""
    good, width, height, size, data = depth_of(context)
    if size == 4:
        words = [word & hidden for word in memoryview(data).cast("I")]
        data = b"".join(word.to_bytes(4, "little") for word in words)
    print(what, good, width, height, size, f"{zlib.crc32(data):08x}")


def depths() -> None:
    """The depth buffer, of all sizes."""
    bits = ((0, 0), (8, 0), (16, 0), (17, 0), (24, 0), (24, 8), (32, 0), (32, 8), (0, 8), (1, 1))
    for depth, stencil in bits:
        context = make(RGBA, depth, stencil)
        buffer = Buffer(37 * 23 * 4)
        lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 37, 23)
        print(depth, stencil, [number(name) for name in (0x0D56, 0x0D57, 0x0D5B)])
        gl("Enable", 0x0B90)  # GL_STENCIL_TEST
        gl("StencilFunc", 0x0207, 5, 0xFF)
        gl("StencilOp", 0x1E00, 0x1E00, 0x1E01)
        scene()
        gl("Disable", 0x0B90)  # the peer collects vertices beyond OSMesaGetDepthBuffer
        hidden = 0xFFFFFFFF if stencil else 0xFFFFFF
        told_depth(context, hidden, "at once")
        gl("Clear", DEPTH | STENCIL)
        told_depth(context, hidden, "cleared")
        gl("Finish")
        told_depth(context, hidden, "finished")
        print(buffer.state(), gl("GetError"))
        lib.OSMesaDestroyContext(context)


def accumulation() -> None:
    """The accumulation buffer."""
    for accum in (0, 16, 1):
        context = make(RGBA, 24, 8, accum)
        buffer = Buffer(16 * 16 * 4)
        lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 16, 16)
        gl("Clear", ACCUM)
        clear(0.5, 0.25, 0.125, 1.0)
        gl("Accum", 0x0101, 0.5)  # GL_LOAD
        gl("Accum", 0x0102, 2.0)  # GL_RETURN
        gl("Finish")
        print(accum, number(0x0D58), number(0x0D5B), gl("GetError"), buffer.state())
        lib.OSMesaDestroyContext(context)


def queries() -> None:
    """What may be asked, of whom."""
    print("none", lib.OSMesaGetCurrentContext(), asked(WIDTH), asked(HEIGHT))
    limit = (asked(MAX_WIDTH), asked(MAX_HEIGHT))
    print("limit", limit)
    for name, format in FORMATS.items():
        for type_name, type in TYPES.items():
            context = make(format)
            buffer = Buffer(20 * 10 * 16)
            good = lib.OSMesaMakeCurrent(context, buffer.address, type, 20, 10)
            if not good:
                print(name, type_name, "no", lib.OSMesaGetCurrentContext() == context)
                lib.OSMesaDestroyContext(context)
                continue
            lib.OSMesaPixelStore(ROW_LENGTH, 24)
            facts = [asked(n) for n in (WIDTH, HEIGHT, FORMAT, TYPE, ROW_LENGTH, Y_UP)]
            lib.OSMesaPixelStore(Y_UP, 0)
            facts.append(asked(Y_UP))
            lib.OSMesaPixelStore(Y_UP, 7)
            facts.append(asked(Y_UP))
            width, height, got, address = _int(), _int(), _int(), _pointer()
            refs = map(ctypes.byref, (width, height, got, address))
            facts += [lib.OSMesaGetColorBuffer(context, *refs), width.value, height.value]
            facts += [got.value, address.value == buffer.address]
            # bits of colours, depth, stencil, accumulation; double buffer, draw and read buffer
            bits = [number(n) for n in (*range(0x0D52, 0x0D5C), 0x0C32, 0x0C01, 0x0C02)]
            box = (_int * 4)()
            gl("GetIntegerv", 0x0BA2, ctypes.byref(box))
            current = lib.OSMesaGetCurrentContext() == context
            print(name, type_name, facts, bits, list(box), current, gl("GetError"))
            lib.OSMesaDestroyContext(context)
            print("current", lib.OSMesaGetCurrentContext())


def attribs() -> None:
    """Lists of attributes, good ones and others."""
    lists: list[tuple[int, ...]] = [
        (), (FORMAT, RGBA), (FORMAT, BGRA, DEPTH_BITS, 24), (FORMAT, 77), (FORMAT, BGR),
        (DEPTH_BITS, -1), (STENCIL_BITS, -1), (ACCUM_BITS, -5), (PROFILE, CORE),
        (PROFILE, COMPAT), (PROFILE, 3), (MAJOR, 0), (MINOR, -1), (MAJOR, 2), (MAJOR, 2, MINOR, 9),
        (MAJOR, 3, MINOR, 3), (MAJOR, 3, MINOR, 3, PROFILE, CORE), (MAJOR, 3, MINOR, 1),
        (MAJOR, 9), (MAJOR, 9, PROFILE, CORE), (MINOR, 5), (0x99, 1), (DEPTH_BITS, 24, 0x99, 1),
        (PROFILE, CORE, MAJOR, 3, MINOR, 2, DEPTH_BITS, 24, STENCIL_BITS, 8, ACCUM_BITS, 16),
    ]  # fmt: skip
    for words in lists:
        array = (_int * (len(words) + 1))(*words, 0)
        context = lib.OSMesaCreateContextAttribs(array, None)
        facts: list[Any] = []
        if context:
            buffer = Buffer(8 * 8 * 4)
            format = words[1] if words[:1] == (FORMAT,) else RGBA
            good = lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 8, 8)
            facts = [good]
            if good:
                core = number(0x9126) & 1
                newest = number(0x821B) * 10 + number(0x821C)
                wanted = dict(zip(words[::2], words[1::2]))
                enough = newest >= wanted.get(MAJOR, 1) * 10 + wanted.get(MINOR, 0)
                facts += [core, enough]
                facts += [] if core else [number(0x0D56), number(0x0D57)]
                facts += [gl("GetError")]
                gl("Begin", 7)
                facts += [gl("GetError")] if core else []
                gl("End")
                clear(0.5)
                gl("Finish")
                facts += [buffer.state()]
            print(words, bool(context), format, facts)
            lib.OSMesaDestroyContext(context)
        else:
            print(words, bool(context))


def errors() -> None:
    """Arguments that no call can mean."""
    context = make()
    buffer = Buffer(16 * 16 * 4)
    calls = (
        (context, None, BYTE, 16, 16), (None, buffer.address, BYTE, 16, 16),
        (context, buffer.address, BYTE, 0, 16), (context, buffer.address, BYTE, 16, 0),
        (context, buffer.address, BYTE, -1, 16), (context, buffer.address, SHORT + 1, 16, 16),
        (context, buffer.address, 0, 16, 16), (None, None, 0, -4, 0),
    )  # fmt: skip
    for call in calls:
        print(call[2:], lib.OSMesaMakeCurrent(*call), bool(lib.OSMesaGetCurrentContext()))
    print(lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 16, 16))
    for call in calls[:-1]:
        print(call[2:], lib.OSMesaMakeCurrent(*call), lib.OSMesaGetCurrentContext() == context)
    clear(1.0)
    gl("Finish")
    print(buffer.state())
    lib.OSMesaPixelStore(99, 1)
    out = _int(-5)
    lib.OSMesaGetIntegerv(99, ctypes.byref(out))
    print("unknown names", out.value)
    print("formats", [bool(lib.OSMesaCreateContext(f, None)) for f in (0, 3, 6, 0x1909, 0x80E1)])
    print("bits", [bool(lib.OSMesaCreateContextExt(RGBA, d, s, a, None))
                   for d, s, a in ((-1, 0, 0), (0, -1, 0), (0, 0, -1), (99, 99, 99))])
    lib.OSMesaDestroyContext(None)
    names = [b"OSMesaMakeCurrent", b"OSMesaGetProcAddress", b"glClear", b"glBegin", b"nonsense",
             b"OSMesaNonsense", b"glDrawElementsBaseVertex", b""]  # fmt: skip
    print("addresses", [bool(lib.OSMesaGetProcAddress(name)) for name in names])


def clamping() -> None:
    """OSMesaColorClamp is glClampColor of fragments."""
    for type in (BYTE, FLOAT):
        context = make()
        buffer = Buffer(8 * 8 * 16)
        lib.OSMesaMakeCurrent(context, buffer.address, type, 8, 8)
        print(type, hex(number(0x891B)))
        for enable in (1, 0):
            lib.OSMesaColorClamp(enable)
            gl("ClearColor", 0.0, 0.0, 0.0, 0.0)
            gl("Clear", COLOR)
            quad(-1.0, -1.0, 1.0, 1.0, 0.0, 3.0, -1.0, 0.5, 2.0)
            gl("Finish")
            print(enable, hex(number(0x891B)), gl("GetError"), buffer.state())
        lib.OSMesaDestroyContext(context)


def sharing() -> None:
    """Lists and textures of contexts that share."""
    a = make()
    b, c = make(share=a), make(RGB)
    buffers = [Buffer(32 * 32 * 4) for _ in range(3)]
    lib.OSMesaMakeCurrent(a, buffers[0].address, BYTE, 32, 32)
    gl("NewList", 5, 0x1300)
    quad(-0.5, -0.5, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 1.0)
    gl("EndList")
    for context, buffer in zip((a, b, c), buffers):
        lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 32, 32)
        clear(0.5)
        gl("CallList", 5)
        gl("Finish")
        print(gl("IsList", 5) & 1, buffer.state())
    lib.OSMesaDestroyContext(a)
    print(lib.OSMesaGetCurrentContext() == c)
    lib.OSMesaMakeCurrent(b, buffers[0].address, BYTE, 32, 32)
    clear(0.0)
    gl("CallList", 5)
    gl("Finish")
    print(buffers[0].state())


def sized(context: int, width: int, height: int, what: str = "") -> None:
    """Make current with a buffer of a size, and draw there."""
    buffer = Buffer(width * height * 4)
    good = lib.OSMesaMakeCurrent(context, buffer.address, BYTE, width, height)
    if not what:
        scene()
    gl("Finish")
    box = (_int * 4)()
    gl("GetIntegerv", 0x0BA2, ctypes.byref(box))
    print(width, height, what, good, asked(WIDTH), asked(HEIGHT), list(box), buffer.state())


def resize() -> None:
    """Buffers of other sizes, types in one context."""
    context = make()
    for width, height in ((40, 30), (90, 70), (90, 70), (20, 10), (64, 64)):
        sized(context, width, height)


def resize_depth() -> None:
    """The depth buffer of another size."""
    context = make()
    for width, height in ((40, 30), (90, 70), (20, 10)):
        sized(context, width, height)
        good, *size, data = depth_of(context)
        print(good, size, f"{zlib.crc32(data):08x}")


def retype() -> None:
    """Another type in one context."""
    context = make()
    buffer = Buffer(32 * 32 * 16)
    for type in (BYTE, FLOAT, SHORT, BYTE):
        print(lib.OSMesaMakeCurrent(context, buffer.address, type, 32, 32))
        scene()
        gl("Finish")
        print(type, buffer.state(), number(0x0D52))
        buffer.fill()


def huge() -> None:
    """Sizes beyond the limit."""
    context = make()
    buffer = Buffer(64)
    for width, height in ((20000, 1), (1, 20000), (16385, 1), (1 << 30, 1 << 30)):
        print(width, height, lib.OSMesaMakeCurrent(context, buffer.address, BYTE, width, height))


def steady() -> None:
    """Frames of a program that takes turns with two contexts and three buffers."""
    contexts = [make(RGBA), make(ARGB)]
    buffers = [Buffer(160 * 120 * 4) for _ in range(3)]
    frames = int(sys.argv[2])
    for frame in range(frames):
        context, buffer = contexts[frame // 2 % 2], buffers[frame % 3]
        assert lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 160, 120)
        scene()
        gl("Finish")
        if frame == 2:
            depth_of(contexts[1])
    print(buffers[0].state(), gl("GetError"))


def filters() -> None:
    """Filters behind the picture."""
    for name in (b"pp_noblue", b"pp_nogreen", b"pp_nored", b"pp_celshade", b"pp_nonsense"):
        context = make()
        lib.OSMesaPostprocess(context, name, 1)
        buffer = Buffer(32 * 32 * 4)
        print(name, lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 32, 32))
        for _ in range(2):
            scene()
            gl("Finish")
            pixel = ctypes.string_at(buffer.address + (16 * 32 + 16) * 4, 4)
            print(buffer.state(), list(pixel))
            lib.OSMesaPostprocess(context, name, 0)  # too late
        lib.OSMesaDestroyContext(context)


def ends() -> None:
    """A context that ends while it is current."""
    buffer = Buffer(16 * 16 * 4)
    for finish in (0, 1):
        context = make()
        lib.OSMesaMakeCurrent(context, buffer.address, BYTE, 16, 16)
        clear(1.0)
        if finish:
            gl("Finish")
        lib.OSMesaDestroyContext(context)
        print(finish, buffer.state(), lib.OSMesaGetCurrentContext())
        buffer.fill()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
