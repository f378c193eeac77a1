# SPDX-License-Identifier: MIT
"""Scenes and the CPU on one resource: who waits for whom."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.pipe import resource as r
from pydri.pipe.format import number
from pydri.pipe.native import (
    CLEAR_COLOR,
    MAP_DISCARD,
    MAP_READ,
    MAP_UNSYNCHRONIZED,
    MAP_WRITE,
    Surface,
)
from pydri.pipe.pipe_resource import PipeResource
from tests.unit.pipe_llvm.harness import Bench

SIZE = 256
RED, GREEN = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)
RED_WORD, GREEN_WORD = 0xFF0000FF, 0xFF00FF00


class Target(Bench):
    """A bench that draws to a level of a texture."""

    def __init__(self, threads: int = 1, level: int = 0, layer: int = 0) -> None:
        super().__init__(SIZE >> level, SIZE >> level, "R8G8B8A8_UNORM", depth="", threads=threads)
        self.texture = PipeResource.create(
            r.TARGET_2D_ARRAY, number("R8G8B8A8_UNORM"), SIZE, SIZE, 1, 3, 4,
            bind=r.BIND_SAMPLED | r.BIND_RENDER,
        )  # fmt: skip
        self.image = (level, layer)
        self.memory = (ctypes.c_ubyte * (Surface.size + 64))()
        at = (ctypes.addressof(self.memory) + 63) & ~63
        self.view = Surface.view(at)
        self.screen.surface_view(self.view, self.texture.address, level, layer)
        self.dyn.fb.cbuf = at

    def fill(self, color: Any) -> None:
        """A clear and a draw, so that the scene has something in each tile."""
        values = (ctypes.c_float * 4)(*color)
        self.cx.clear(
            self.dyn_address, CLEAR_COLOR, ctypes.addressof(values), 1.0, 0, 0xFFFFFFFF, 255
        )
        self.quad(self.plan(), color)

    def map(self, flags: int = MAP_READ) -> NDArray[np.uint32]:
        """The image's texels, mapped."""
        data = self.cx.transfer_map(self.texture.address, flags)
        level = self.texture.native.level[self.image[0]]
        at = data + level.offset + self.image[1] * level.image_stride
        words = level.row_stride // 4
        memory = (ctypes.c_uint32 * (words * level.height)).from_address(at)
        return np.ctypeslib.as_array(memory).reshape(level.height, words)[:, : level.width]

    def recording(self) -> bool:
        from pipe_llvm.native import LpScene

        return bool(LpScene.view(self.cx.lp.scene).active)


@pytest.mark.parametrize("image", [(0, 0), (0, 2), (1, 1), (4, 2)])
@pytest.mark.parametrize("threads", [0, 1])
def test_reading_waits_for_what_draws(threads: int, image: tuple[int, int]) -> None:
    bench = Target(threads, *image)
    bench.fill(RED)
    assert bench.recording()
    assert (bench.map() == RED_WORD).all()
    assert not bench.recording()
    level = bench.texture.native.level[image[0]]
    used = level.offset + image[1] * level.image_stride, level.image_stride
    whole = np.ctypeslib.as_array(
        (ctypes.c_ubyte * bench.texture.native.size).from_address(bench.texture.native.data)
    ).copy()
    whole[used[0] : used[0] + used[1]] = 0
    assert not whole.any()  # no other level or layer was touched


def test_others_are_independent() -> None:
    """Mapping what no scene uses ends and awaits nothing."""
    bench = Target()
    other = PipeResource.create(r.TARGET_2D, number("R8G8B8A8_UNORM"), 8, 8)
    bench.fill(RED)
    for flags in (MAP_READ, MAP_WRITE, MAP_WRITE | MAP_DISCARD):
        assert bench.cx.transfer_map(other.address, flags) == other.native.data
    assert bench.recording() and other.native.serial == 1
    bench.map(MAP_READ | MAP_UNSYNCHRONIZED)
    assert bench.recording()


@pytest.mark.parametrize("threads", [0, 1])
def test_a_whole_replacement_renames(threads: int) -> None:
    """The pending scene keeps its memory; what is drawn afterwards goes to the new one."""
    bench = Target(threads)
    bench.fill(RED)
    old = bench.texture.native.data
    new = bench.map(MAP_WRITE | MAP_DISCARD)
    assert bench.texture.native.data != old and bench.texture.native.serial == 2
    new[:] = 7
    assert (bench.map() == 7).all()
    bench.quad(bench.plan(), GREEN, box=(0, 0, 64, 64))
    pixels = bench.map()
    assert (pixels[:64, :64] == GREEN_WORD).all() and (pixels[64:] == 7).all()


def test_a_partial_write_waits() -> None:
    bench = Target()
    bench.fill(RED)
    pixels = bench.map(MAP_WRITE)
    pixels[5, 6] = 9
    bench.quad(bench.plan(), GREEN, box=(128, 128, 256, 256))
    pixels = bench.map()
    assert pixels[5, 6] == 9 and pixels[5, 7] == RED_WORD and pixels[130, 130] == GREEN_WORD


def test_memory_outlives_the_resource() -> None:
    """A resource that is deleted while a scene draws to it."""
    bench = Target()
    bench.fill(RED)
    storage = r.Storage.view(bench.texture.native.storage)
    assert storage.references == 2
    bench.cx.flush()
    bench.texture.reference()  # as the surface's owner has until what it drew is finished
    bench.texture.rename()
    bench.cx.finish()
    assert not bench.map().any()
    bench.texture.release()


def test_ping_pong_between_two_images() -> None:
    """Two targets in turn: each scene ends when the other begins."""
    first, second = Target(), Target()
    first.screen.surface_view(second.view, second.texture.address)
    views = [(first.dyn.fb.cbuf, first), (second.dyn.fb.cbuf, second)]
    for n in range(6):
        first.dyn.fb.cbuf = views[n % 2][0]
        first.fill((n / 10, 0, 0, 1))
    first.cx.finish()
    for n, (_, bench) in zip((4, 5), views):
        assert (bench.map(MAP_UNSYNCHRONIZED) & 255 == round(25.5 * n)).all()


def test_two_contexts_in_two_threads_on_one_texture() -> None:
    """Each draws its layer, finishes, and reads it; the memory is one."""
    benches = [Target(1, 0, layer) for layer in (0, 1)]
    texture = benches[0].texture
    one = benches[1]
    one.texture.release()
    one.texture = texture.reference()
    one.screen.surface_view(one.view, texture.address, 0, 1)
    wrong: list[int] = []

    def work(bench: Target, base: int) -> None:
        for n in range(40):
            bench.fill(((base + n) / 255, 0, 0, 1))
            bench.cx.finish()
            if not (bench.map(MAP_READ | MAP_UNSYNCHRONIZED) & 255 == base + n).all():
                wrong.append(n)

    for bench in benches:
        bench.plan()  # compiled before
    threads = [threading.Thread(target=work, args=(b, 100 * n)) for n, b in enumerate(benches)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
