# SPDX-License-Identifier: MIT
"""Calls that name their texture (pydri/main/textures/image_named.py): errors and contents as the
peer has them."""

from __future__ import annotations

import pytest

from tests.unit.main.conftest import Caller
from tests.unit.main.image_calls import FORMATS, Call, Choice, enum
from tests.unit.main.test_images import compare, fresh, fresh_name, tex
from tests.unit.pipe.peer import NEEDS

__all__ = ["tex"]
KINDS = ("1D", "2D", "3D", "CUBE_MAP", "RECTANGLE", "1D_ARRAY", "2D_ARRAY", "CUBE_MAP_ARRAY")
DIMS = {"1D": 1, "2D": 2, "3D": 3, "CUBE_MAP": 2, "RECTANGLE": 2, "1D_ARRAY": 2, "2D_ARRAY": 3,
        "CUBE_MAP_ARRAY": 3}  # fmt: skip
#: Formats that hold the bytes that are given here exactly: how others round is not the matter.
COLORS = """RGBA8 RGB8 LUMINANCE8 LUMINANCE8_ALPHA8 ALPHA8 INTENSITY8 R8 RG8 RGBA8UI R32I
RG16UI""".split()
USUAL = [name for name in FORMATS if name != "COLOR_INDEX"]
DEPTHS = ["DEPTH24_STENCIL8"]
BLOCKS = """COMPRESSED_RGB_S3TC_DXT1_EXT COMPRESSED_RGBA_S3TC_DXT5_EXT COMPRESSED_RED_RGTC1
COMPRESSED_RGB_FXT1_3DFX COMPRESSED_RGBA_BPTC_UNORM""".split()


class Named(Choice):
    """Random textures, and calls that name them."""

    def texture(self, n: int, names: list[str]) -> tuple[list[Call], int, str, str]:
        """Calls that make a texture with a level 0 (and 1, at times); its name, kind, format."""
        place = self.r.randrange(len(KINDS))
        kind = KINDS[place]
        depths = not set(names).isdisjoint(DEPTHS) and kind != "3D"
        internal = self.r.choice([n for n in names if depths or n not in DEPTHS])
        calls = fresh(n)
        side = (16, 8, 4)
        for level in range(self.r.choice((1, 1, 2)) if kind != "RECTANGLE" else 1):
            sizes = tuple(max(size >> level, 1) for size in side)[: DIMS[kind]]
            if kind == "CUBE_MAP":
                sizes = (16 >> level, 16 >> level)
            if kind == "CUBE_MAP_ARRAY":
                sizes = (8 >> level, 8 >> level, 6)  # rooms for answers have 16 KiB
            elif "ARRAY" in kind:
                sizes = (*sizes[:-1], 5)
            faces = [f"TEXTURE_CUBE_MAP_{s}_{a}" for a in "XYZ" for s in ("POSITIVE", "NEGATIVE")]
            if kind == "CUBE_MAP" and self.r.random() < 0.1:
                faces.pop()
            for target in faces if kind == "CUBE_MAP" else ["TEXTURE_" + kind]:
                pixels = ("d", level + 5, 1 << 14)
                head = enum(target), level, enum(internal), *sizes, 0
                if internal in BLOCKS:
                    size = self.block_bytes(enum(internal), sizes)
                    calls.append((f"glCompressedTexImage{DIMS[kind]}D", (*head, size, pixels)))
                    continue
                values = *head, *self.pair_of(internal), pixels
                calls.append((f"glTexImage{DIMS[kind]}D", values))
        return calls, fresh_name(n, place), kind, internal

    def pair_of(self, internal: str) -> tuple[int, int]:
        """A format and a type that go with an internal format."""
        if internal == "DEPTH24_STENCIL8":
            return enum("DEPTH_STENCIL"), enum("UNSIGNED_INT_24_8")
        if internal.endswith("I"):
            chosen = self.r.choice(("RGBA_INTEGER", "RED_INTEGER", "RG_INTEGER", "RGB_INTEGER"))
            return enum(chosen), enum("UNSIGNED_BYTE")
        return enum(self.r.choice(("RGBA", "BGRA", "RGB", "RED"))), enum("UNSIGNED_BYTE")

    def name(self, name: int) -> int:
        return self.r.choice((0, 77777)) if self.r.random() < 0.06 else name

    def box(self) -> tuple[int, ...]:
        good = (0, 0, 0, 0, 1, 3, 4)
        at = [self.r.choice((*good, -1)) for _ in range(3)]
        size = [self.r.choice((1, 1, 2, 4, 4, 5, 0)) for _ in range(3)]
        if self.r.random() < 0.5:
            at[2], size[2] = 0, 1
        if self.r.random() < 0.4:
            at[1], size[1] = 0, 1
        if self.r.random() < 0.05:
            size[self.r.randrange(3)] = self.r.choice((-1, 0x7FFFFFFF))
        return (*at, *size)

    def some_level(self) -> int:
        return self.r.choice((0, 0, 0, 0, 0, 1, 1, 2, 15, -1, 16, 40))

    def some_pair(self, internal: str) -> tuple[int, int]:
        if self.r.random() < 0.85:
            return self.pair_of(internal)
        return enum(self.r.choice(USUAL)), enum(self.r.choice(("UNSIGNED_BYTE", "FLOAT")))


def looks(kind: str, internal: str) -> list[Call]:
    """All texels of level 0."""
    target = "TEXTURE_CUBE_MAP_NEGATIVE_X" if kind == "CUBE_MAP" else "TEXTURE_" + kind
    pair = (enum("RGBA"), enum("UNSIGNED_BYTE"))
    if internal == "DEPTH24_STENCIL8":
        pair = enum("DEPTH_STENCIL"), enum("UNSIGNED_INT_24_8")
    elif internal.endswith("I"):
        pair = enum("RGBA_INTEGER"), enum("UNSIGNED_INT")
    return [("glGetTexImage", (enum(target), 0, *pair, ("o", 1 << 14)))]


def plays(seed: int, count: int, names: list[str], read: bool, call) -> list[list[Call]]:  # type: ignore[no-untyped-def]
    choice, batches = Named(seed), []
    for n in range(count):
        calls, name, kind, internal = choice.texture(n, names)
        calls.append(call(choice, choice.name(name), internal))
        batches.append(calls + (looks(kind, internal) if read and internal not in BLOCKS else []))
    return batches


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_clearing(tex: Caller) -> None:
    def clear(c: Named, name: int, internal: str) -> Call:
        pixel = None if c.r.random() < 0.2 else ("d", c.r.randrange(9), 64)
        if c.r.random() < 0.3:
            return "glClearTexImage", (name, c.some_level(), *c.some_pair(internal), pixel)
        values = (name, c.some_level(), *c.box(), *c.some_pair(internal), pixel)
        return "glClearTexSubImage", values

    assert compare(tex, plays(1, 260, COLORS + DEPTHS + BLOCKS[:1], True, clear)) == []


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_boxes_read(tex: Caller) -> None:
    def get(c: Named, name: int, internal: str) -> Call:
        size = c.r.choice((1 << 13, 1 << 13, 1 << 13, 1 << 13, 100, 0, -1))
        values = (name, c.some_level(), *c.box(), *c.some_pair(internal), size, ("o", 1 << 14))
        return "glGetTextureSubImage", values

    assert compare(tex, plays(2, 260, COLORS + DEPTHS, False, get)) == []


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_boxes_of_blocks_read(tex: Caller) -> None:
    def get(c: Named, name: int, internal: str) -> Call:
        size = c.r.choice((1 << 13, 1 << 13, 1 << 13, 1 << 13, 100, 0, -1))
        box = [c.r.choice((0, 0, 4, 8, 2)) for _ in range(2)] + [c.r.choice((0, 0, 1, 3))]
        box += [c.r.choice((4, 4, 8, 1, 16)) for _ in range(2)] + [c.r.choice((1, 1, 2, 0, 5))]
        values = (name, c.some_level(), *box, size, ("o", 1 << 14))
        return "glGetCompressedTextureSubImage", values

    assert compare(tex, plays(3, 200, BLOCKS * 3 + ["RGBA8"], False, get)) == []


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_invalidating(tex: Caller) -> None:
    def invalidate(c: Named, name: int, internal: str) -> Call:
        if c.r.random() < 0.4:
            return "glInvalidateTexImage", (name, c.some_level())
        # levels that are not there end the peer; it takes negative sizes, and cubes for flat
        box = [c.r.choice((0, 0, 1, 3, 4, -1)) for _ in range(2)] + [0]
        return "glInvalidateTexSubImage", (name, 0, *box, *(c.r.choice((1, 4, 9, 0)),) * 2, 1)

    assert compare(tex, plays(4, 200, COLORS[:3], False, invalidate)) == []
