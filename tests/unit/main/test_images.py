# SPDX-License-Identifier: MIT
"""Calls that put texels into textures or take them out: errors, level parameters and contents as
the peer has them."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from pydri.api import enums as gl_enums
from pydri.main.context import GLContext
from pydri.st import texels
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
    pixel.hook_texels = ctx.callback("texels", _NUMBERS, lambda _, *n: texels.ready(*n))
    return Caller(ctx)


@pytest.fixture
def tex() -> Iterator[Caller]:
    ctx = GLContext(VISUAL, renderer="pydri test")
    yield with_texels(ctx)
    ctx.destroy()


BINDABLE = ("1D", "2D", "3D", "CUBE_MAP", "RECTANGLE", "1D_ARRAY", "2D_ARRAY")


ALL = (("1D", 1), ("2D", 2), ("3D", 3), ("RECTANGLE", 2), ("CUBE_MAP_POSITIVE_X", 2),
       ("1D_ARRAY", 2), ("2D_ARRAY", 3))  # fmt: skip


def fresh(n: int) -> list[Call]:
    """New textures at all targets, by names that nothing else uses."""
    return [
        ("glBindTexture", (enum("TEXTURE_" + name), 1000 + n * 8 + k))
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
