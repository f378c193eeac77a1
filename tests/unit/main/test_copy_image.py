# SPDX-License-Identifier: MIT
"""glCopyImageSubData: errors and contents as the peer has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from tests.unit.main.conftest import Caller
from tests.unit.main.image_calls import Call, enum
from tests.unit.main.test_images import compare, tex
from tests.unit.main.test_named_images import Named, looks
from tests.unit.pipe.peer import NEEDS

__all__ = ["tex"]
#: by the bits that they share
GROUPS = (
    "RGBA8 RGBA8UI RG16UI R32I SRGB8_ALPHA8", "RG8 R16UI R16I", "R8 R8I",
    "RGBA16 RG32UI COMPRESSED_RGB_S3TC_DXT1_EXT COMPRESSED_RED_RGTC1",
    "RGBA32I RGBA32UI COMPRESSED_RGBA_S3TC_DXT5_EXT COMPRESSED_RGBA_BPTC_UNORM", "LUMINANCE8",
    "LUMINANCE8_ALPHA8",
    "DEPTH24_STENCIL8 RGBA8", "COMPRESSED_RGB_FXT1_3DFX",
)  # fmt: skip


class Copies(Named):
    """Random copies between textures."""

    def pair_of(self, internal: str) -> tuple[int, int]:
        if internal.endswith("I"):
            return enum("RGBA_INTEGER"), enum("UNSIGNED_BYTE")
        return super().pair_of(internal)

    def side(self, name: int, kind: str, blocks: bool) -> tuple[int, ...]:
        """Name, target, level, place."""
        target = enum("TEXTURE_" + (kind if self.r.random() < 0.96 else "2D"))
        if self.r.random() < 0.02:
            target = enum("TEXTURE_CUBE_MAP_POSITIVE_X")
        steps = (0, 0, 0, 4, 8) if blocks else (0, 0, 0, 1, 2, 5)
        at = [self.r.choice(steps) for _ in range(2)] + [self.r.choice((0, 0, 1, 3))]
        flat = {"1D": (1, 2), "2D": (2,), "RECTANGLE": (2,), "1D_ARRAY": (1,)}.get(kind, ())
        for n in flat:
            at[n] = 0 if self.r.random() < 0.97 else 1
        if self.r.random() < 0.03:
            at[self.r.randrange(3)] = -1
        level = self.r.choice((0, 0, 0, 0, 0, 0, 1, 15, -1, 99))
        return self.name(name), target, level, *at

    def copy(self, one: tuple[int, str, str], other: tuple[int, str, str]) -> Call:
        blocks = any("COMPRESSED" in side[2] for side in (one, other))
        odd = self.r.random() < 0.04  # much of which the peer does not survive
        steps = (4, 4, 8, 1, 3) if odd else (4, 4, 8)
        sizes = [self.r.choice(steps if blocks else (1, 2, 3, 4, 5, 0)) for _ in "wh"]
        depth = self.r.choice((1, 1, 1, 1, 2, 3))
        if "1D" in one[1] + other[1]:
            sizes[1] = 4 if blocks and self.r.random() < 0.5 else 1
        if not {"1D", "2D", "RECTANGLE"}.isdisjoint((one[1], other[1])):
            depth = 1
        if self.r.random() < 0.02:
            sizes[0] = -1
        sides = [self.side(name, kind, blocks) for name, kind, _ in (one, other)]
        command = self.r.choice(("glCopyImageSubData",) * 9 + ("glCopyImageSubDataNV",))
        return command, (*sides[0], *sides[1], *sizes, depth)


def seen(kind: str, internal: str) -> list[Call]:
    """What level 0 holds: texels, or blocks."""
    calls = looks(kind, internal)
    if "COMPRESSED" in internal:
        target, level, *_ = calls[0][1]
        calls = [("glGetCompressedTexImage", (target, level, ("o", 1 << 14)))]
    return calls


def copies(seed: int, count: int = 220) -> list[list[Call]]:
    choice, batches = Copies(seed), []
    for n in range(count):
        group = choice.r.choice(GROUPS).split()
        if choice.r.random() < 0.1:
            group = choice.r.choice(GROUPS).split() + group
        calls, ends = [], []
        for k in range(2):
            made, name, kind, internal = choice.texture(2 * n + k, group)
            # whole chains are not the matter: one level is
            target = enum("TEXTURE_" + kind)
            if choice.r.random() < 0.9:
                made.append(("glTexParameteri", (target, e.GL_TEXTURE_MAX_LEVEL, 0)))
            calls += made
            ends.append((name, kind, internal))
        calls.append(choice.copy(*ends))
        name, kind, internal = ends[1]
        batches.append(calls + seen(kind, internal))
    return batches


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
@pytest.mark.parametrize("seed", range(2))
def test_copies_between_textures(tex: Caller, seed: int) -> None:
    assert compare(tex, copies(seed)) == []


def test_renderbuffers_are_copied(tex: Caller) -> None:
    """A texture to a renderbuffer and back: the texels of before; errors of what has no storage."""
    names = np.zeros(2, np.uint32)
    tex.glGenRenderbuffers(2, names)
    renderbuffer, unused = map(int, names)
    tex.glBindRenderbuffer(e.GL_RENDERBUFFER, renderbuffer)
    tex.glRenderbufferStorage(e.GL_RENDERBUFFER, e.GL_RGBA8, 7, 5)
    texels = np.random.default_rng(1).integers(0, 256, (5, 7, 4), np.uint8)
    for name, data in ((1, texels), (2, np.zeros_like(texels))):
        tex.glBindTexture(e.GL_TEXTURE_2D, name)
        tex.glTexParameteri(e.GL_TEXTURE_2D, e.GL_TEXTURE_MAX_LEVEL, 0)
        tex.glTexImage2D(e.GL_TEXTURE_2D, 0, e.GL_RGBA8, 7, 5, 0, e.GL_RGBA,
                         e.GL_UNSIGNED_BYTE, data)  # fmt: skip

    def copy(*args: Any) -> int:
        tex.glCopyImageSubData(*args)
        return tex.error()

    one, other = (1, e.GL_TEXTURE_2D, 0), (2, e.GL_TEXTURE_2D, 0)
    middle = (renderbuffer, e.GL_RENDERBUFFER, 0)
    assert copy(*one, 0, 0, 0, *middle, 0, 0, 0, 7, 5, 1) == 0
    assert copy(*middle, 1, 2, 0, *other, 3, 1, 0, 4, 3, 1) == 0
    got = np.zeros_like(texels)
    tex.glGetTexImage(e.GL_TEXTURE_2D, 0, e.GL_RGBA, e.GL_UNSIGNED_BYTE, got)
    wanted = np.zeros_like(texels)
    wanted[1:4, 3:7] = texels[2:5, 1:5]
    assert (got == wanted).all()
    box = (0, 0, 0)
    assert copy(*one, *box, *middle, *box, 8, 5, 1) == e.GL_INVALID_VALUE
    assert copy(*one, *box, unused, e.GL_RENDERBUFFER, 0, *box, 1, 1, 1) == e.GL_INVALID_OPERATION
    assert copy(*one, *box, renderbuffer, e.GL_RENDERBUFFER, 1, *box, 1, 1, 1) == e.GL_INVALID_VALUE
    assert copy(*one, *box, 99, e.GL_RENDERBUFFER, 0, *box, 1, 1, 1) == e.GL_INVALID_VALUE
    assert copy(*one, *box, *middle, *box, 0, 5, 1) == 0
