# SPDX-License-Identifier: MIT
"""Internal formats: what a program can see of each is what the peer has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.api.apis import CORE
from pydri.api.where import where_of
from pydri.main.context import GLContext
from pydri.main.pixels.tables import FORMATS, TYPES, error_of
from pydri.main.textures import formats, image_tables
from pydri.main.textures.formats import COMPONENTS, INTERNAL
from pydri.main.version import GLVersion
from pydri.pipe.codecs import CODECS
from pydri.pipe.encoders import ENCODERS
from pydri.pipe.format import BY_NAME, DEPTH, SAMPLER, TARGET
from tests import host
from tests.unit.main.conftest import VISUAL
from tests.unit.pipe.peer import NEEDS, Peer, ask, ask_core

TARGET_2D = gl.GL_TEXTURE_2D
#: images that some internal format can be given
IMAGES = (
    (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE), (gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT),
    (gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8), (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT),
    (gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE),
)  # fmt: skip
#: what OpenGL ES alone has: test_es2.py
OF_ES = {gl.GL_BGRA, gl.GL_ETC1_RGB8_OES}
UNSIZED = (
    1, 2, 3, 4, gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA, gl.GL_ALPHA, gl.GL_LUMINANCE,
    gl.GL_LUMINANCE_ALPHA, gl.GL_INTENSITY, gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL, gl.GL_SRGB,
    gl.GL_SRGB_ALPHA, gl.GL_COMPRESSED_RGB,
)  # fmt: skip


def _level(peer: Peer) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in COMPONENTS:
        size = peer.level(getattr(gl, f"GL_TEXTURE_{name}_SIZE"))
        type_ = getattr(gl, f"GL_TEXTURE_{name}_TYPE", 0)
        if size:
            out[name] = (size, peer.level(type_) if type_ else gl.GL_NONE)
    out["answer"] = peer.level(gl.GL_TEXTURE_INTERNAL_FORMAT)
    out["shared"] = peer.level(gl.GL_TEXTURE_SHARED_SIZE)
    out["compressed"] = peer.level(gl.GL_TEXTURE_COMPRESSED)
    if out["compressed"]:
        out["bytes"] = peer.level(gl.GL_TEXTURE_COMPRESSED_IMAGE_SIZE)
    return out


def _complete(peer: Peer, level: dict[str, Any]) -> bool:
    """Whether a framebuffer with the texture is."""
    both = "DEPTH" in level and "STENCIL" in level
    place = gl.GL_DEPTH_STENCIL_ATTACHMENT if both else gl.GL_COLOR_ATTACHMENT0
    if not both:
        place = gl.GL_DEPTH_ATTACHMENT if "DEPTH" in level else place
        place = gl.GL_STENCIL_ATTACHMENT if "STENCIL" in level else place
    buffer = place if place == gl.GL_COLOR_ATTACHMENT0 else gl.GL_NONE
    peer.DrawBuffer(buffer)
    peer.ReadBuffer(buffer)
    peer.FramebufferTexture2D(gl.GL_FRAMEBUFFER, place, TARGET_2D, 1, 0)
    status = peer.CheckFramebufferStatus(gl.GL_FRAMEBUFFER)
    peer.FramebufferTexture2D(gl.GL_FRAMEBUFFER, place, TARGET_2D, 0, 0)
    return bool(status == gl.GL_FRAMEBUFFER_COMPLETE)


def _taken(peer: Peer, enum: int) -> bool:
    """Whether the peer takes an image of 5x5 texels, or of the blocks of so many."""
    for format_, type_ in IMAGES:
        peer.TexImage2D(TARGET_2D, 0, enum, 5, 5, 0, format_, type_, None)
        if not peer.GetError():
            return True
    for size in (16, 32, 64):
        blocks = np.zeros(size, np.uint8)
        peer.CompressedTexImage2D(TARGET_2D, 0, enum, 5, 5, 0, size, blocks)
        if not peer.GetError():
            return True
    return False


def peer_formats(peer: Peer, candidates: list[int]) -> dict[int, dict[str, Any]]:
    """What the peer tells of each internal format that it takes, for an image of 5x5 texels."""
    peer.BindTexture(TARGET_2D, 1)
    peer.BindFramebuffer(gl.GL_FRAMEBUFFER, 1)
    peer.BindRenderbuffer(gl.GL_RENDERBUFFER, 1)
    found = {}
    for enum in candidates:
        if _taken(peer, enum):
            level = _level(peer)
            level["complete"] = _complete(peer, level)
            peer.GetError()
            peer.RenderbufferStorage(gl.GL_RENDERBUFFER, enum, 4, 4)
            level["renderbuffer"] = not peer.GetError()
            found[enum] = level
    return found


def peer_takes(peer: Peer, candidates: list[int]) -> set[int]:
    """The internal formats that the peer takes at all."""
    return {enum for enum in candidates if _taken(peer, enum)}


def peer_sizes(peer: Peer, images: list[tuple[int, int, int]]) -> list[Any]:
    """The same of (internal format, format, type); None where it is an error."""
    out: list[Any] = []
    for internal, format_, type_ in images:
        peer.TexImage2D(TARGET_2D, 0, internal, 5, 5, 0, format_, type_, None)
        out.append(None if peer.GetError() else _level(peer))
    return out


def ours(row: formats.InternalFormat) -> dict[str, Any]:
    """What we tell."""
    fmt = formats.choose(row, lambda number: True)
    assert fmt is not None
    out: dict[str, Any] = {k: tuple(v) for k, v in formats.components(row, fmt).items()}
    out |= {"answer": row.answer, "shared": formats.shared_size(fmt)}
    out["compressed"] = int(row.compressed)
    if row.compressed:
        out["bytes"] = formats.image_size(fmt, 5, 5)
    return out


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_each_internal_format_is_the_peers() -> None:
    host.only_reference_peer()
    names = {v: k for k, v in vars(gl).items() if k.startswith("GL_") and isinstance(v, int)}
    plausible = [e for e in names if 0 < e < 5 or 0x1900 <= e <= 0x190A or 0x2A00 <= e < 0x10000]
    told = ask(peer_formats, sorted({1, 2, 3, 4, *plausible}))
    desktop = {enum: row for enum, row in INTERNAL.items() if enum not in OF_ES}
    assert set(told) == set(desktop)
    for enum, row in desktop.items():
        want = told[enum]
        renderable, storage = want.pop("complete"), want.pop("renderbuffer")
        assert ours(row) == want, names.get(enum, enum)
        assert row.renderable == renderable, names.get(enum, enum)
        assert row.renderbuffer == storage, names.get(enum, enum)


@pytest.mark.needs(*NEEDS)
def test_core_contexts_have_the_peers_internal_formats() -> None:
    """By its extensions, too, which the registry does not always give to the core profile."""
    host.only_reference_peer()
    ctx = GLContext(VISUAL, version=GLVersion(CORE, 3, 3))
    here = {enum for enum, row in INTERNAL.items() if ctx.has(where_of(enum, row.where))}
    there = ask_core(peer_takes, sorted(INTERNAL))
    assert {gl.name_of(enum) for enum in here ^ there} == set()


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_formats_without_a_size_follow_the_image() -> None:
    host.only_reference_peer()
    images = [
        (internal, f.enum, t.enum)
        for internal in UNSIZED
        for f in FORMATS
        for t in TYPES
        if not error_of(f.enum, t.enum)
    ]
    told = ask(peer_sizes, images)
    assert sum(level is not None for level in told) > 1500
    for image, want in zip(images, told, strict=True):
        row = formats.sized(*image)
        assert row is not None
        if want is not None:
            assert ours(row) == want, [gl.name_of(e) for e in image]


def test_rows_name_formats_that_can_be_sampled() -> None:
    for row in INTERNAL.values():
        kinds = {BY_NAME[name].kind for name in row.formats}
        assert len(kinds) == 1 and all(BY_NAME[name].uses & SAMPLER for name in row.formats)
        if row.renderable:
            assert all(BY_NAME[name].uses & (TARGET | DEPTH) for name in row.formats)


def test_the_driver_decides() -> None:
    row = INTERNAL[gl.GL_RGB8]
    assert formats.choose(row, lambda n: True) is BY_NAME["R8G8B8X8_UNORM"]
    alpha = BY_NAME["R8G8B8A8_UNORM"]
    assert formats.choose(row, lambda n: n == alpha.number) is alpha
    assert formats.choose(row, lambda n: False) is None
    dxt = INTERNAL[gl.GL_COMPRESSED_RGBA_S3TC_DXT5_EXT]
    assert formats.choose(dxt, lambda n: n == alpha.number) is BY_NAME["DXT5_RGBA"]
    assert formats.sized(0x1234, gl.GL_RGBA, gl.GL_FLOAT) is None


def test_blocks_that_are_given_have_no_encoder() -> None:
    codecs = [BY_NAME[row.formats[0]].codec for row in image_tables.ROWS]
    assert image_tables.GIVEN == [int(bool(c) and c not in ENCODERS) for c in codecs]
    assert {c for c in codecs if c} == set(CODECS)
