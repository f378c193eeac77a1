# SPDX-License-Identifier: MIT
"""Calls with images, random and played on both sides: ours in this process, the peer's in another.

A call is (name, arguments); an argument is a number, None, ("o", bytes): room for an answer, or
("d", seed, bytes): random data. `play_peer` and `play` give for each call [error, answer].
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pydri.api import enums as gl
from pydri.api.gl_table import TABLE
from pydri.main.textures import formats
from pydri.pipe.format import BY_NAME

Call = tuple[str, tuple[Any, ...]]
_KINDS = {"i": ctypes.c_int, "f": ctypes.c_float, "E": ctypes.c_uint, "I": ctypes.c_uint,
          "d": ctypes.c_double}  # fmt: skip


def data(seed: int, size: int) -> np.ndarray:
    """Random bytes; floats among them are finite."""
    return np.random.default_rng(seed).integers(0, 0x3F, size, np.uint8)


def _played(calls: Iterable[Call], function: Callable[[str], Any],
            error: Callable[[], int]) -> list[tuple[int, bytes]]:  # fmt: skip
    heard = []
    for name, values in calls:
        rooms: list[np.ndarray] = []
        passed: list[Any] = []
        for value in values:
            if isinstance(value, tuple):
                made = np.full(value[1], 0xA5, np.uint8) if value[0] == "o" else data(*value[1:])
                rooms.append(made)
                passed.append(made.ctypes.data)
            else:
                passed.append(value)
        function(name)(*passed)
        answer = b"".join(
            room.tobytes() for room, v in zip(rooms, [v for v in values if isinstance(v, tuple)],
                                              strict=True) if v[0] == "o"
        )  # fmt: skip
        heard.append((error(), answer))
    return heard


def play_peer(peer: Any, batches: list[list[Call]]) -> list[Any]:
    """What the peer answers (runs in its process)."""
    functions: dict[str, Any] = {}

    def function(name: str) -> Any:
        if name not in functions:
            row = TABLE.row(name)
            types = [_KINDS.get(code[0], ctypes.c_void_p) for _, code in row.params]
            address = peer._egl.eglGetProcAddress(name.encode())
            functions[name] = ctypes.CFUNCTYPE(ctypes.c_uint, *types)(address)
        return functions[name]

    return [_played(calls, function, peer.GetError) for calls in batches]


def play(caller: Any, batches: list[list[Call]]) -> list[Any]:
    """What we answer; `caller` is tests/unit/main/conftest.py's."""
    return [
        _played(calls, lambda name: getattr(caller, name), caller.error) for calls in batches
    ]


# -- random arguments ------------------------------------------------------------------------------

TARGETS = {
    1: ("TEXTURE_1D", "PROXY_TEXTURE_1D"),
    2: ("TEXTURE_2D", "PROXY_TEXTURE_2D", "TEXTURE_CUBE_MAP_POSITIVE_X",
        "TEXTURE_CUBE_MAP_NEGATIVE_Z", "PROXY_TEXTURE_CUBE_MAP", "TEXTURE_RECTANGLE",
        "PROXY_TEXTURE_RECTANGLE", "TEXTURE_1D_ARRAY", "PROXY_TEXTURE_1D_ARRAY"),
    3: ("TEXTURE_3D", "PROXY_TEXTURE_3D", "TEXTURE_2D_ARRAY", "PROXY_TEXTURE_2D_ARRAY",
        "TEXTURE_CUBE_MAP_ARRAY", "PROXY_TEXTURE_CUBE_MAP_ARRAY"),
}  # fmt: skip
ODD_TARGETS = ("TEXTURE_CUBE_MAP", "TEXTURE_2D", "TEXTURE_3D", "TEXTURE_1D", "RGBA")
INTERNAL = """RGBA RGB RGBA8 RGB5 RGB5_A1 LUMINANCE LUMINANCE8_ALPHA8 ALPHA INTENSITY8 R8 RG16F
RGBA32F RGBA8UI R32I RG8_SNORM DEPTH_COMPONENT DEPTH_COMPONENT24 DEPTH24_STENCIL8 DEPTH_STENCIL
DEPTH_COMPONENT32F STENCIL_INDEX8 SRGB8_ALPHA8 R11F_G11F_B10F RGB9_E5 COMPRESSED_RGB
COMPRESSED_RGBA_S3TC_DXT5_EXT COMPRESSED_RED_RGTC1 COMPRESSED_RGB_FXT1_3DFX
COMPRESSED_SLUMINANCE COMPRESSED_RGB8_ETC2 COMPRESSED_RG11_EAC""".split()
FORMATS = """RGBA RGB BGRA BGR RED RG ALPHA LUMINANCE LUMINANCE_ALPHA RGBA_INTEGER RED_INTEGER
DEPTH_COMPONENT DEPTH_STENCIL STENCIL_INDEX COLOR_INDEX RGBA8""".split()
TYPES = """UNSIGNED_BYTE BYTE UNSIGNED_SHORT FLOAT HALF_FLOAT UNSIGNED_INT UNSIGNED_SHORT_5_6_5
UNSIGNED_INT_8_8_8_8_REV UNSIGNED_INT_2_10_10_10_REV UNSIGNED_INT_24_8 BITMAP
UNSIGNED_INT_10F_11F_11F_REV FLOAT_32_UNSIGNED_INT_24_8_REV DOUBLE""".split()

#: With formats of whole numbers these are not written yet (pydri/main/pixels/tables.py).
PACKED = {"UNSIGNED_SHORT_5_6_5", "UNSIGNED_INT_8_8_8_8_REV", "UNSIGNED_INT_2_10_10_10_REV"}


def enum(name: str) -> int:
    return int(getattr(gl, "GL_" + name))


class Choice:
    """Random arguments; most of them good."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def target(self, dims: int, proxies: bool = True) -> int:
        names = [n for n in TARGETS[dims] if proxies or not n.startswith("PROXY")]
        if self.r.random() < 0.08:
            names = list(ODD_TARGETS)
        return enum(self.r.choice(names))

    def level(self) -> int:
        if self.r.random() < 0.6:
            return 0
        return self.r.choice((0, 0, 0, 0, 0, 1, 2, 3, 14, 15, -1, 40))

    def sizes(self, dims: int) -> tuple[int, ...]:
        """One size at most is extreme: the peer ends at what memory cannot hold."""
        first = self.r.choice((1, 4, 8, 8, 8, 5))
        out = [first if self.r.random() < 0.8 else self.r.choice((1, 4, 8)) for _ in range(dims)]
        if self.r.random() < 0.2:
            extreme = (-1, 0, 16385, 70000, 0x7FFFFFFF, -0x80000000)
            out[self.r.randrange(dims)] = self.r.choice(extreme)
        return tuple(out)

    def sizes_for(self, target: int, dims: int) -> tuple[int, ...]:
        """Arrays of cubes are mostly that."""
        cubes = enum("TEXTURE_CUBE_MAP_ARRAY"), enum("PROXY_TEXTURE_CUBE_MAP_ARRAY")
        if target in cubes and dims == 3 and self.r.random() < 0.75:
            return (8, 8, self.r.choice((0, 6, 12, 7)))
        return self.sizes(dims)

    def border(self) -> int:
        return self.r.choice((0, 1, 2, -1)) if self.r.random() < 0.15 else 0

    def internal(self) -> int:
        if self.r.random() < 0.06:
            return self.r.choice((0, 1, 2, 3, 4, 5, 0x1401, 0xDEAD))
        return enum(self.r.choice(INTERNAL))

    def pair(self, internal: int) -> tuple[int, int]:
        """A format and a type, often those that go with an internal format."""
        name = next((n for n in INTERNAL if enum(n) == internal), "RGBA")
        if self.r.random() < 0.75:
            if name.startswith("DEPTH_COMPONENT"):
                return enum("DEPTH_COMPONENT"), enum("FLOAT")
            if "STENCIL8" in name or name == "DEPTH_STENCIL":
                return enum("DEPTH_STENCIL"), enum("UNSIGNED_INT_24_8")
            if "STENCIL" in name:
                return enum("STENCIL_INDEX"), enum("UNSIGNED_BYTE")
            if name.endswith("I"):
                return enum("RGBA_INTEGER"), enum("UNSIGNED_BYTE")
            return enum(self.r.choice(FORMATS[:9])), enum(self.r.choice(TYPES[:6]))
        chosen, kind = self.r.choice(FORMATS), self.r.choice(TYPES)
        if chosen.endswith("INTEGER") and kind in PACKED:
            kind = "UNSIGNED_INT"
        return enum(chosen), enum(kind)

    def image(self) -> Call:
        """A glTexImage; no pixels."""
        dims = self.r.choice((1, 2, 2, 2, 3))
        internal, target = self.internal(), self.target(dims)
        return f"glTexImage{dims}D", (
            target, self.level(), internal, *self.sizes_for(target, dims), self.border(),
            *self.pair(internal), None,
        )  # fmt: skip

    def storage(self) -> Call:
        dims = self.r.choice((1, 2, 2, 3))
        levels = self.r.choice((1, 1, 2, 3, 4, 5, 0, -1, 15, 16))
        target = self.target(dims) if self.r.random() < 0.8 else enum("TEXTURE_CUBE_MAP")
        return f"glTexStorage{dims}D", (
            target, levels, self.internal(), *self.sizes_for(target, dims),
        )  # fmt: skip

    def offset(self) -> int:
        return self.r.choice((0, 0, 0, 0, 0, 1, 4, -1, 7, 100))

    def sub_image(self) -> Call:
        dims = self.r.choice((1, 2, 2, 2, 3))
        internal = self.internal()
        at = tuple(self.offset() for _ in range(dims))
        return f"glTexSubImage{dims}D", (
            self.target(dims, False), self.level(), *at, *self.sizes(dims), *self.pair(internal),
            ("d", 1, 1 << 16),
        )  # fmt: skip

    def get(self) -> Call:
        internal = self.internal()
        return "glGetTexImage", (
            self.target(self.r.choice((1, 2, 3)), False), self.level(), *self.pair(internal),
            ("o", 1 << 14),
        )  # fmt: skip

    def mip(self) -> Call:
        names = ("1D", "2D", "3D", "CUBE_MAP", "1D_ARRAY", "2D_ARRAY", "RECTANGLE",
                 "CUBE_MAP_POSITIVE_X", "CUBE_MAP_ARRAY")  # fmt: skip
        return "glGenerateMipmap", (enum("TEXTURE_" + self.r.choice(names)),)

    def compressed(self) -> Call:
        dims = self.r.choice((1, 2, 2, 2, 3))
        internal, sizes = self.internal(), self.sizes(dims)
        if self.r.random() < 0.7:
            internal = enum(self.r.choice(BLOCKS))
        return f"glCompressedTexImage{dims}D", (
            self.target(dims), self.level(), internal, *sizes, self.border(),
            self.block_bytes(internal, sizes), ("d", 3, 1 << 16),
        )  # fmt: skip

    def compressed_sub(self) -> Call:
        dims = self.r.choice((2, 2, 2, 3))
        internal = enum(self.r.choice(BLOCKS))
        at = tuple(self.r.choice((0, 0, 4, 4, 2)) for _ in range(dims))
        sizes = tuple(self.r.choice((4, 4, 8, 1)) for _ in range(dims))
        return f"glCompressedTexSubImage{dims}D", (
            self.target(dims, False), self.level(), *at, *sizes, internal,
            self.block_bytes(internal, sizes), ("d", 3, 1 << 16),
        )  # fmt: skip

    def block_bytes(self, internal: int, sizes: tuple[int, ...]) -> int:
        """The right imageSize, mostly."""
        if self.r.random() < 0.1:
            return self.r.choice((0, 7, -1, 8))
        width, height, depth = (max(n, 0) for n in (*sizes, 1, 1)[:3])
        fmt = BY_NAME[formats.INTERNAL[internal].formats[0]]
        return min(formats.image_size(fmt, width, height, depth), 1 << 16)


BLOCKS = """COMPRESSED_RGB_S3TC_DXT1_EXT COMPRESSED_RGBA_S3TC_DXT5_EXT COMPRESSED_RED_RGTC1
COMPRESSED_RG_RGTC2 COMPRESSED_RGB_FXT1_3DFX COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT
COMPRESSED_RGB8_ETC2 COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2 COMPRESSED_SRGB8_ALPHA8_ETC2_EAC
COMPRESSED_R11_EAC COMPRESSED_SIGNED_RG11_EAC COMPRESSED_RGBA_ASTC_4x4_KHR
COMPRESSED_RGBA_ASTC_8x5_KHR COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR COMPRESSED_RGBA_BPTC_UNORM
COMPRESSED_RGB_BPTC_SIGNED_FLOAT""".split()
LEVEL_PARAMETERS = """WIDTH HEIGHT DEPTH BORDER INTERNAL_FORMAT RED_SIZE GREEN_SIZE BLUE_SIZE
ALPHA_SIZE LUMINANCE_SIZE INTENSITY_SIZE DEPTH_SIZE STENCIL_SIZE SHARED_SIZE COMPRESSED
COMPRESSED_IMAGE_SIZE RED_TYPE GREEN_TYPE BLUE_TYPE ALPHA_TYPE LUMINANCE_TYPE INTENSITY_TYPE
DEPTH_TYPE""".split()


def levels_of(target: int, level: int) -> list[Call]:
    """Questions for all that is told of a level."""
    return [
        ("glGetTexLevelParameteriv", (target, level, enum("TEXTURE_" + name), ("o", 4)))
        for name in LEVEL_PARAMETERS
    ]


__all__ = ["FORMATS", "Call", "Choice", "LEVEL_PARAMETERS", "TARGETS", "enum", "levels_of", "play",
           "play_peer"]  # fmt: skip
