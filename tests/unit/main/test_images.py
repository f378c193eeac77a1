# SPDX-License-Identifier: MIT
"""Calls that put texels into textures or take them out: errors, level parameters and contents as
the peer has them."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl_enums
from pydri.main.context import GLContext
from pydri.st.textures import load as texels
from tests import host
from tests.unit.main.conftest import VISUAL, Caller
from tests.unit.main.image_calls import Call, Choice, enum, levels_of, play, play_peer
from tests.unit.pipe.peer import NEEDS, ask

_VOID = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_NUMBER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
_NUMBERS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_uint32] * 3)


def with_texels(ctx: GLContext) -> Caller:
    """Give a bare context the kernels that the state tracker would."""
    pixel = ctx.n.pixel
    pixel.hook_textures = ctx.callback("textures", _VOID, lambda _: texels.load(ctx.n))
    pixel.hook_mipmaps = ctx.callback("mips", _NUMBER, lambda _, n: texels.mipmaps(n))
    pixel.hook_blocks = ctx.callback("blocks", _VOID, lambda _: texels.load_blocks(ctx.n))
    pixel.hook_texels = ctx.callback("texels", _NUMBERS, lambda _, *n: texels.ready(*n))
    return Caller(ctx)


@pytest.fixture
def tex() -> Iterator[Caller]:
    ctx = GLContext(VISUAL, renderer="pydri test")
    yield with_texels(ctx)
    ctx.destroy()


BINDABLE = ("1D", "2D", "3D", "CUBE_MAP", "RECTANGLE", "1D_ARRAY", "2D_ARRAY", "CUBE_MAP_ARRAY")


ALL = (("1D", 1), ("2D", 2), ("3D", 3), ("RECTANGLE", 2), ("CUBE_MAP_POSITIVE_X", 2),
       ("1D_ARRAY", 2), ("2D_ARRAY", 3))  # fmt: skip


def fresh_name(n: int, place: int) -> int:
    """The name of the n-th texture at a target."""
    return 1000 + n * 16 + place


def fresh(n: int) -> list[Call]:
    """New textures at all targets, by names that nothing else uses."""
    return [
        ("glBindTexture", (enum("TEXTURE_" + name), fresh_name(n, k)))
        for k, name in enumerate(BINDABLE)
    ]


def told(batches: list[list[Call]], ours: list[Any], peers: list[Any]) -> list[str]:
    """Differences."""
    out = []
    for calls, mine, theirs in zip(batches, ours, peers, strict=True):
        for n, (call, a, b) in enumerate(zip(calls, mine, theirs, strict=True)):
            if a != b:
                values = [
                    gl_enums.name_of(v) if isinstance(v, int) and v > 0x400 else v for v in call[1]
                ]
                before = calls[n - 1] if n else ""
                out.append(f"{call[0]}{values}: ours {a[0]:#x} {a[1][:16].hex()}, the peer's"
                           f" {b[0]:#x} {b[1][:16].hex()} after {before}")  # fmt: skip
                break
    return out


def compare(tex: Caller, batches: list[list[Call]]) -> list[str]:
    """Play batches on both sides; what differs. Some arguments end the peer: those say nothing."""
    host.only_reference_peer()
    out, played, size = [], 0, 20
    for at in range(0, len(batches), size):
        part = batches[at : at + size]
        try:
            peers = ask(play_peer, part)
        except subprocess.CalledProcessError:
            continue
        played += len(part)
        ctx = GLContext(VISUAL, renderer="pydri test")
        out += told(part, play(with_texels(ctx), part), peers)
        ctx.destroy()
    assert played >= len(batches) // 3
    return out


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
@pytest.mark.parametrize("seed", range(2))
def test_images_are_refused_and_told_as_the_peer_does(tex: Caller, seed: int) -> None:
    choice, batches = Choice(seed), []
    for n in range(160):
        call = choice.image()
        target, level = call[1][0], call[1][1]
        batches.append([*fresh(n), call, *levels_of(target, level)])
    assert compare(tex, batches) == []


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
@pytest.mark.parametrize("seed", range(2))
def test_storage_is_refused_and_told_as_the_peer_does(tex: Caller, seed: int) -> None:
    choice, batches = Choice(seed + 50), []
    for n in range(160):
        call = choice.storage()
        target = call[1][0]
        batches.append([*fresh(n), call, *levels_of(target, 0), *levels_of(target, 1)])
    assert compare(tex, batches) == []


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
@pytest.mark.parametrize("seed", range(2))
def test_parts_of_images_are_refused_as_the_peer_does(tex: Caller, seed: int) -> None:
    choice, batches = Choice(seed + 100), []
    for n in range(100):
        internal = choice.internal()
        calls: list[Call] = fresh(n)
        for name, dims in ALL:
            args = (enum("TEXTURE_" + name), 0, internal, *[8] * dims, 0)
            calls.append((f"glTexImage{dims}D", (*args, *choice.pair(internal), None)))
        calls += [choice.sub_image() for _ in range(4)]
        batches.append(calls)
    assert compare(tex, batches) == []


# -- contents --------------------------------------------------------------------------------------


def pixels(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def got(tex: Caller, target: int, level: int, shape: tuple[int, ...]) -> np.ndarray:
    """A level as RGBA bytes."""
    out = np.full((*shape, 4), 0x5A, np.uint8)
    tex.glGetTexImage(target, level, gl_enums.GL_RGBA, gl_enums.GL_UNSIGNED_BYTE, out)
    assert not tex.error()
    return out


RGBA8 = (gl_enums.GL_RGBA, gl_enums.GL_UNSIGNED_BYTE)
T2D = gl_enums.GL_TEXTURE_2D


def test_levels_in_any_order_and_size_come_back(tex: Caller) -> None:
    """Levels that fit no chain live by themselves."""
    images = {3: (2, 2), 0: (16, 16), 1: (5, 7), 2: (4, 4), 4: (9, 1)}
    for level, (w, h) in images.items():
        tex.glTexImage2D(T2D, level, gl_enums.GL_RGBA8, w, h, 0, *RGBA8, pixels(level, h, w, 4))
        assert not tex.error()
    for level, (w, h) in images.items():
        assert (got(tex, T2D, level, (h, w)) == pixels(level, h, w, 4)).all()
    # the same sizes again: the room stays, other levels are untouched
    tex.glTexImage2D(T2D, 1, gl_enums.GL_RGBA8, 5, 7, 0, *RGBA8, pixels(77, 7, 5, 4))
    tex.glTexSubImage2D(T2D, 0, 3, 2, 5, 4, *RGBA8, pixels(78, 4, 5, 4))
    want = pixels(0, 16, 16, 4)
    want[2:6, 3:8] = pixels(78, 4, 5, 4)
    assert (got(tex, T2D, 0, (16, 16)) == want).all()
    assert (got(tex, T2D, 1, (7, 5)) == pixels(77, 7, 5, 4)).all()
    assert (got(tex, T2D, 4, (1, 9)) == pixels(4, 1, 9, 4)).all()


def test_no_pixels_are_zeros(tex: Caller) -> None:
    tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, 8, 8, 0, *RGBA8, pixels(1, 8, 8, 4))
    tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, 8, 8, 0, *RGBA8, None)
    assert not got(tex, T2D, 0, (8, 8)).any()


def test_faces_slices_and_layers(tex: Caller) -> None:
    """Each face, slice and layer is an image of its own."""
    first = gl_enums.GL_TEXTURE_CUBE_MAP_POSITIVE_X
    for face in range(6):
        tex.glTexImage2D(first + face, 0, gl_enums.GL_RGBA8, 8, 8, 0, *RGBA8, pixels(face, 8, 8, 4))
    for face in range(6):
        assert (got(tex, first + face, 0, (8, 8)) == pixels(face, 8, 8, 4)).all()
    for name in ("3D", "2D_ARRAY"):
        target = enum("TEXTURE_" + name)
        tex.glTexImage3D(target, 0, gl_enums.GL_RGBA8, 6, 5, 4, 0, *RGBA8, pixels(9, 4, 5, 6, 4))
        part = pixels(10, 2, 2, 3, 4)
        tex.glTexSubImage3D(target, 0, 1, 2, 1, 3, 2, 2, *RGBA8, part)
        want = pixels(9, 4, 5, 6, 4)
        want[1:3, 2:4, 1:4] = part
        assert (got(tex, target, 0, (4, 5, 6)) == want).all()


def test_a_border_is_passed_over(tex: Caller) -> None:
    image = pixels(3, 10, 10, 4)
    tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, 10, 10, 1, *RGBA8, image)
    assert (got(tex, T2D, 0, (8, 8)) == image[1:-1, 1:-1]).all()


def test_mipmaps(tex: Caller) -> None:
    """Means of four, by command and by themselves."""
    image = pixels(3, 8, 8, 4)
    wide = image.astype(int)
    want = (wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2] + 2) // 4
    tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, 8, 8, 0, *RGBA8, image)
    tex.glGenerateMipmap(T2D)
    assert (got(tex, T2D, 1, (4, 4)) == want).all()
    assert got(tex, T2D, 3, (1, 1)).any()
    tex.glTexParameteri(T2D, gl_enums.GL_GENERATE_MIPMAP, 1)
    tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, 8, 8, 0, *RGBA8, 255 - image)
    wide = 255 - wide
    want = (wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2] + 2) // 4
    assert (got(tex, T2D, 1, (4, 4)) == want).all()


def test_blocks(tex: Caller) -> None:
    """Blocks come back as they were given; part of them changes; texels become blocks."""
    dxt5 = gl_enums.GL_COMPRESSED_RGBA_S3TC_DXT5_EXT
    blocks = pixels(4, 3, 4, 16)
    tex.glCompressedTexImage2D(T2D, 0, dxt5, 14, 10, 0, blocks.size, blocks)
    assert not tex.error()
    part = pixels(5, 1, 2, 16)
    tex.glCompressedTexSubImage2D(T2D, 0, 4, 4, 8, 4, dxt5, part.size, part)
    assert not tex.error()
    blocks[1, 1:3] = part[0]
    back = np.zeros_like(blocks)
    tex.glGetCompressedTexImage(T2D, 0, back)
    assert not tex.error() and (back == blocks).all()
    flat = np.full((8, 8, 4), (255, 0, 0, 255), np.uint8)
    tex.glTexImage2D(T2D, 0, dxt5, 8, 8, 0, *RGBA8, flat)
    assert (got(tex, T2D, 0, (8, 8)) == flat).all()
    made = np.zeros((2, 2, 16), np.uint8)
    tex.glGetCompressedTexImage(T2D, 0, made)
    assert made.any()
    tex.glCompressedTexImage2D(T2D, 1, dxt5, 8, 8, 0, made.size, made)
    assert (got(tex, T2D, 1, (8, 8)) == flat).all()


def test_blocks_that_are_not_made(tex: Caller) -> None:
    """ETC2 and EAC: texels become no blocks, and no levels are made of them."""
    etc2 = gl_enums.GL_COMPRESSED_RGB8_ETC2
    blocks = pixels(4, 2, 2, 8)
    tex.glCompressedTexImage2D(T2D, 0, etc2, 8, 8, 0, blocks.size, blocks)
    assert not tex.error()
    before = got(tex, T2D, 0, (8, 8))
    for call in (
        lambda: tex.glTexImage2D(T2D, 0, etc2, 8, 8, 0, *RGBA8, None),
        lambda: tex.glTexSubImage2D(T2D, 0, 0, 0, 8, 8, *RGBA8, pixels(1, 8, 8, 4)),
        lambda: tex.glGenerateMipmap(T2D),
    ):
        call()
        assert tex.error() == gl_enums.GL_INVALID_OPERATION
    back = np.zeros_like(blocks)
    tex.glGetCompressedTexImage(T2D, 0, back)
    assert (back == blocks).all() and (got(tex, T2D, 0, (8, 8)) == before).all()


def test_storage_is_immutable(tex: Caller) -> None:
    tex.glBindTexture(T2D, 7)
    tex.glTexStorage2D(T2D, 4, gl_enums.GL_RGBA8, 8, 8)
    assert not tex.error()
    tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, 8, 8, 0, *RGBA8, None)
    assert tex.error() == gl_enums.GL_INVALID_OPERATION
    tex.glTexSubImage2D(T2D, 3, 0, 0, 1, 1, *RGBA8, pixels(1, 1, 1, 4))
    assert (got(tex, T2D, 3, (1, 1)) == pixels(1, 1, 1, 4)).all()


def test_absurd_sizes_are_errors(tex: Caller) -> None:
    for w, h in ((1 << 30, 1), (-1, 4), (16385, 1), (0x7FFFFFFF, 0x7FFFFFFF)):
        tex.glTexImage2D(T2D, 0, gl_enums.GL_RGBA8, w, h, 0, *RGBA8, None)
        assert tex.error() == gl_enums.GL_INVALID_VALUE
    target = gl_enums.GL_TEXTURE_3D
    tex.glTexImage3D(target, 0, gl_enums.GL_RGBA32F, 2048, 2048, 2048, 0, *RGBA8, None)
    assert tex.error() == gl_enums.GL_OUT_OF_MEMORY


def test_several_places_whose_numbers_wrap(tex: Caller) -> None:
    """What begins beyond all places and ends within them is beyond them: random calls found that
    the sum alone was looked at, and memory before the places was written."""
    names = (ctypes.c_uint32 * 3)(2, 3, 4)
    for name in names:
        tex.glBindTexture(T2D, name)
        tex.glBindBuffer(gl_enums.GL_ARRAY_BUFFER, name)
    zeros = (ctypes.c_int64 * 3)(), (ctypes.c_int32 * 3)()
    given, offsets, strides = (ctypes.addressof(array) for array in (names, *zeros))
    for first in (0xFFFFFFFE, 0xFFFFFFFF, 0x7FFFFFFF, 1 << 16):
        tex.glBindTextures(first, 3, given)
        assert tex.error() == gl_enums.GL_INVALID_OPERATION
        tex.glBindVertexBuffers(first, 3, given, offsets, strides)
        assert tex.error() == gl_enums.GL_INVALID_OPERATION
    for call, more in ((tex.glBindTextures, ()), (tex.glBindSamplers, ()),
                       (tex.glBindVertexBuffers, (offsets, strides))):  # fmt: skip
        call(1, -1, given, *more)  # 1 - 1 is not beyond
        assert tex.error() == gl_enums.GL_INVALID_VALUE
