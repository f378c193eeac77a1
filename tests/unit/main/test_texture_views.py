# SPDX-License-Identifier: MIT
"""glTextureView: errors, what is told, contents as the peer has them; what is written through one
is read through the other."""

from __future__ import annotations

import numpy as np
import pytest

import pydri.api.enums as e
from tests.unit.main.conftest import Caller
from tests.unit.main.image_calls import Call, Choice, enum
from tests.unit.main.test_images import compare, tex
from tests.unit.pipe.peer import NEEDS

__all__ = ["tex"]
KINDS = "1D 2D 3D CUBE_MAP RECTANGLE 1D_ARRAY 2D_ARRAY CUBE_MAP_ARRAY".split()
FLAT = "2D 2D_ARRAY CUBE_MAP CUBE_MAP_ARRAY".split()
LIKELY = {"1D": ["1D", "1D_ARRAY"], "1D_ARRAY": ["1D", "1D_ARRAY"], "2D": ["2D", "2D_ARRAY"],
          "3D": ["3D"], "RECTANGLE": ["RECTANGLE"]}  # fmt: skip
FORMATS = ("RGBA8", "RGBA8UI", "RG16UI", "R32I", "SRGB8_ALPHA8", "RG8", "R16UI", "RGBA16UI",
           "DEPTH24_STENCIL8", "RGB8")  # fmt: skip
GROUPS = (FORMATS[:5], FORMATS[5:7], FORMATS[7:8], FORMATS[8:9], FORMATS[9:])
TOLD = ("IMMUTABLE_FORMAT", "IMMUTABLE_LEVELS", "VIEW_MIN_LEVEL", "VIEW_NUM_LEVELS",
        "VIEW_MIN_LAYER", "VIEW_NUM_LAYERS")  # fmt: skip


def pair_of(internal: str) -> tuple[int, int]:
    if internal == "DEPTH24_STENCIL8":
        return enum("DEPTH_STENCIL"), enum("UNSIGNED_INT_24_8")
    integer = internal.endswith("I")
    return enum("RGBA_INTEGER" if integer else "RGBA"), enum("UNSIGNED_BYTE")


class Views(Choice):
    """Random views, and views of them."""

    def storage_of(self, name: int, kind: str, internal: str) -> list[Call]:
        """A texture with storage and texels in it."""
        dims = {"1D": 1, "3D": 3, "2D_ARRAY": 3, "CUBE_MAP_ARRAY": 3}.get(kind, 2)
        sizes = {"CUBE_MAP": (16, 16), "CUBE_MAP_ARRAY": (16, 16, 12), "2D_ARRAY": (16, 16, 7),
                 "1D_ARRAY": (16, 5), "2D": self.r.choice(((16, 16), (16, 8)))}  # fmt: skip
        size = sizes.get(kind, (16, 8, 4)[:dims])
        levels = 1 if kind == "RECTANGLE" else 3
        target = enum("TEXTURE_" + kind)
        calls: list[Call] = [
            ("glBindTexture", (target, name)),
            (f"glTexStorage{dims}D", (target, levels, enum(internal), *size)),
        ]
        if self.r.random() < 0.04:
            calls.pop()  # it has none
        for level in range(min(levels, 2)):
            box = tuple(max(n >> level, 1) for n in size)
            if "ARRAY" in kind:
                box = (*box[:-1], size[-1])
            faces = [target]
            if kind == "CUBE_MAP":
                faces = [e.GL_TEXTURE_CUBE_MAP_POSITIVE_X + n for n in range(6)]
            for n, face in enumerate(faces):
                pixels = ("d", level * 7 + n, 1 << 15)
                values = (face, level, *[0] * dims, *box, *pair_of(internal), pixels)
                calls.append((f"glTexSubImage{dims}D", values))
        return calls

    def view(self, name: int, origin: int, kind: str, internal: str) -> tuple[list[Call], str, str]:
        to = self.r.choice(LIKELY.get(kind, FLAT) if self.r.random() < 0.9 else KINDS)
        share = [name for group in GROUPS if internal in group for name in group]
        other = self.r.choice(share if self.r.random() < 0.9 else FORMATS)
        layers = {"CUBE_MAP": 6, "CUBE_MAP_ARRAY": self.r.choice((6, 12))}.get(to, 1)
        if to in ("1D_ARRAY", "2D_ARRAY"):
            layers = self.r.choice((1, 2, 3, 99))
        if self.r.random() < 0.04:
            layers = self.r.choice((0, 1, 2, 5, 6, 7, 0x7FFFFFFF))
        levels = self.r.choice((1, 1, 2, 2, 3, 99) if self.r.random() < 0.95 else (0,))
        odd = self.r.random() < 0.15
        level, layer = self.r.choice((0, 0, 1)), 0
        if kind in ("2D_ARRAY", "1D_ARRAY", "CUBE_MAP") and layers < 6:
            layer = self.r.choice((0, 1, 2))
        if odd:
            level, layer = self.r.choice((0, 0, 1, 2, 5)), self.r.choice((0, 1, 6, 40))
        values = (
            name if self.r.random() < 0.95 else self.r.choice((0, 77777)),
            enum("TEXTURE_" + to) if self.r.random() < 0.97 else enum("TEXTURE_BUFFER"),
            origin if self.r.random() < 0.95 else self.r.choice((0, 77777)),
            enum(other), level, levels, layer, layers,
        )  # fmt: skip
        return [("glTextureView", values)], to, other


def told(kind: str, name: int) -> list[Call]:
    target = enum("TEXTURE_" + kind)
    calls: list[Call] = [("glBindTexture", (target, name))]
    for pname in TOLD:
        values = (target, enum("TEXTURE_" + pname), ("o", 4))
        calls.append(("glGetTexParameteriv", values))
    return calls


def looks(kind: str, internal: str) -> list[Call]:
    target = "TEXTURE_CUBE_MAP_NEGATIVE_X" if kind == "CUBE_MAP" else "TEXTURE_" + kind
    calls: list[Call] = []
    for level in range(2):
        for pname in ("WIDTH", "HEIGHT", "DEPTH", "INTERNAL_FORMAT"):
            values = (enum(target), level, enum("TEXTURE_" + pname), ("o", 4))
            calls.append(("glGetTexLevelParameteriv", values))
        calls.append(("glGetTexImage", (enum(target), level, *pair_of(internal), ("o", 1 << 15))))
    return calls


def views(seed: int, count: int = 160) -> list[list[Call]]:
    choice, batches = Views(seed), []
    for n in range(count):
        # the names that glGenTextures gives: `compare` has a fresh context for twenty batches
        base, kind = 1 + n % 20 * 3, choice.r.choice(KINDS)
        internal = choice.r.choice([f for f in FORMATS if kind != "3D" or "DEPTH" not in f])
        calls = choice.storage_of(base, kind, internal)
        made, to, other = choice.view(base + 1, base, kind, internal)
        calls += made + told(to, base + 1) + looks(to, other)
        again, third, last = choice.view(base + 2, base + 1, to, other)
        calls += again + told(third, base + 2) + looks(third, last)
        batches.append([("glGenTextures", (3, ("o", 12))), *calls])
    return batches


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
@pytest.mark.parametrize("seed", range(2))
def test_views_are_refused_and_told_as_the_peer_does(tex: Caller, seed: int) -> None:
    assert compare(tex, views(seed)) == []


def test_views_share_their_texels(tex: Caller) -> None:
    """A layer of an array, seen as whole numbers: what one writes the other reads, both ways; the
    storage lives as long as one of them."""
    names = np.zeros(2, np.uint32)
    tex.glGenTextures(2, names)
    origin, view = map(int, names)
    tex.glBindTexture(e.GL_TEXTURE_2D_ARRAY, origin)
    tex.glTexStorage3D(e.GL_TEXTURE_2D_ARRAY, 3, e.GL_RGBA8, 8, 8, 4)
    tex.glTextureView(view, e.GL_TEXTURE_2D, origin, e.GL_RGBA8UI, 1, 1, 2, 1)
    assert tex.error() == 0
    tex.glBindTexture(e.GL_TEXTURE_2D, view)
    given = np.random.default_rng(3).integers(0, 256, (4, 4, 4), np.uint8)
    tex.glTexSubImage2D(e.GL_TEXTURE_2D, 0, 0, 0, 4, 4, e.GL_RGBA_INTEGER, e.GL_UNSIGNED_BYTE,
                        given)  # fmt: skip
    seen = np.zeros((4, 4, 4, 4), np.uint8)
    tex.glGetTexImage(e.GL_TEXTURE_2D_ARRAY, 1, e.GL_RGBA, e.GL_UNSIGNED_BYTE, seen)
    assert tex.error() == 0
    assert (seen[2] == given).all() and not seen[[0, 1, 3]].any()
    seen[2] = 255 - given
    tex.glTexSubImage3D(e.GL_TEXTURE_2D_ARRAY, 1, 0, 0, 0, 4, 4, 4, e.GL_RGBA,
                        e.GL_UNSIGNED_BYTE, seen)  # fmt: skip
    tex.glDeleteTextures(1, names[:1].copy())
    back = np.zeros_like(given)
    tex.glGetTexImage(e.GL_TEXTURE_2D, 0, e.GL_RGBA_INTEGER, e.GL_UNSIGNED_BYTE, back)
    assert tex.error() == 0 and (back == 255 - given).all()
