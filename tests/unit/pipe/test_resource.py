# SPDX-License-Identifier: MIT
"""PipeResource: layouts, references, renaming."""

import ctypes
import threading

import pytest

from pydri.pipe import resource as r
from pydri.pipe.format import number
from pydri.pipe.pipe_resource import PipeResource, resource_image
from pydri.pipe.resource import Storage

RGBA8, Z16 = number("R8G8B8A8_UNORM"), number("Z16_UNORM")
SHAPES = [
    (r.TARGET_1D, (37, 1, 1, 1), 5),
    (r.TARGET_2D, (100, 33, 1, 1), 6),
    (r.TARGET_2D, (64, 128, 1, 1), 0),
    (r.TARGET_3D, (20, 10, 9, 1), 4),
    (r.TARGET_CUBE, (16, 16, 1, 6), 4),
    (r.TARGET_RECT, (65, 1, 1, 1), 0),
    (r.TARGET_1D_ARRAY, (9, 1, 1, 7), 3),
    (r.TARGET_2D_ARRAY, (9, 5, 1, 7), 3),
    (r.TARGET_CUBE_ARRAY, (8, 8, 1, 12), 3),
]


def made(target=r.TARGET_2D, size=(100, 33, 1, 1), last_level=0, **more) -> PipeResource:
    return PipeResource.create(target, more.pop("format", RGBA8), *size, last_level, **more)


@pytest.mark.parametrize("bind", [r.BIND_SAMPLED, r.BIND_RENDER, r.BIND_SAMPLED | r.BIND_RENDER])
@pytest.mark.parametrize(("target", "size", "last_level"), SHAPES)
def test_images_and_skirts_do_not_overlap(target, size, last_level, bind) -> None:
    """Every texel, its skirt and (drawn to) its tiles lie apart from those of other images."""
    res = made(target, size, last_level, bind=bind)
    n = res.native
    taken = set()
    for i in range(last_level + 1):
        level = n.level[i]
        assert (level.width, level.height) == (max(size[0] >> i, 1), max(size[1] >> i, 1))
        is_3d = target == r.TARGET_3D
        assert level.depth == (max(size[2] >> i, 1) if is_3d else size[3])
        assert level.offset % 64 == 0 and level.row_stride % 64 == 0
        skirt = 1 if bind & r.BIND_SAMPLED else 0
        columns, rows = level.width + skirt, level.height + skirt
        if bind & r.BIND_RENDER:
            columns = max(columns, (level.width + 63) // 64 * 64)
            rows = max(rows, (level.height + 63) // 64 * 64)
        assert columns * 4 <= level.row_stride < columns * 4 + 64
        for image in range(level.depth):
            at = level.offset + image * level.image_stride
            for row in range(rows):
                begin = at + row * level.row_stride
                assert begin not in taken and begin + columns * 4 <= n.size
                taken.add(begin)
        assert level.image_stride == rows * level.row_stride
    ctypes.memset(n.data, 1, n.size + r.SLACK)
    res.release()


def test_a_renderable_level_holds_whole_tiles() -> None:
    level = made(size=(64, 65, 1, 1), bind=r.BIND_RENDER).native.level[0]
    assert (level.row_stride, level.image_stride) == (64 * 4, 64 * 4 * 128)


def test_samples_and_depth_lie_in_stamps() -> None:
    four = made(samples=4, bind=r.BIND_RENDER).native
    assert four.flags == r.FLAG_STAMPS and four.level[0].row_stride == 128 * 4 * 4
    depth = made(format=Z16, bind=r.BIND_DEPTH).native
    assert depth.flags == r.FLAG_STAMPS and depth.level[0].row_stride == 128 * 2


def test_buffer() -> None:
    res = PipeResource.create(r.TARGET_BUFFER, 0, 1001, bind=r.BIND_VERTEX)
    assert res.native.size == 1001 and res.native.data % 64 == 0
    assert bytes((ctypes.c_ubyte * 1001).from_address(res.native.data)) == bytes(1001)


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": (0, 1, 1, 1)},
        {"size": (16385, 1, 1, 1)},
        {"size": (8, 8, 2, 1)},
        {"size": (8, 8, 1, 2)},
        {"last_level": 7},
        {"samples": 3},
        {"target": r.TARGET_CUBE},
        {"target": r.TARGET_RECT, "last_level": 1},
    ],
)
def test_impossible_sizes(wrong) -> None:
    with pytest.raises(ValueError):
        made(**wrong)


def test_too_large() -> None:
    with pytest.raises(MemoryError):
        made(r.TARGET_2D_ARRAY, (16384, 16384, 1, 1000))


def test_references_from_many_threads() -> None:
    res = made()

    def count() -> None:
        for _ in range(2000):
            res.reference().release()

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert res.native.references == 1
    res.release()
    res.release()  # nothing left to give back


def test_renaming_leaves_the_old_memory_to_who_holds_it() -> None:
    res = made()
    old, storage, serial = res.native.data, res.native.storage, res.native.serial
    hold = ctypes.CFUNCTYPE(None, ctypes.c_uint64)
    image = resource_image()
    hold(image.address("storage_reference"))(storage)
    ctypes.memset(old, 7, res.native.size)
    Storage.view(storage).reads = Storage.view(storage).writes = 9
    res.rename()
    assert res.native.data != old and res.native.serial == serial + 1
    made_new = Storage.view(res.native.storage)
    assert (made_new.reads, made_new.writes) == (0, 0)
    assert ctypes.string_at(res.native.data, 8) == bytes(8)
    assert Storage.view(storage).references == 1 and ctypes.string_at(old, 8) == b"\7" * 8
    hold(image.address("storage_release"))(storage)


def test_widening_keeps_all_texels() -> None:
    narrow = res = made(r.TARGET_CUBE, (40, 40, 1, 6), 5)
    for i in range(6):
        level = res.native.level[i]
        for image in range(6):
            for y in range(level.height):
                at = level.offset + image * level.image_stride + y * level.row_stride
                ctypes.memset(res.native.data + at, 1 + i * 36 + image * 6 + y % 6, level.width * 4)
    res = narrow.widened(r.BIND_RENDER)
    assert narrow.native.bind == r.BIND_SAMPLED and res.native.data != narrow.native.data
    assert res.native.bind == r.BIND_RENDER | r.BIND_SAMPLED
    for i in range(6):
        level = res.native.level[i]
        for image in range(6):
            for y in range(level.height):
                at = level.offset + image * level.image_stride + y * level.row_stride
                texels = ctypes.string_at(res.native.data + at, level.width * 4)
                assert set(texels) == {1 + i * 36 + image * 6 + y % 6}


def test_depth_that_is_sampled_lies_in_rows() -> None:
    depth = made(format=Z16, bind=r.BIND_DEPTH | r.BIND_SAMPLED).native
    assert depth.flags == 0 and depth.level[0].row_stride == 128 * 2
