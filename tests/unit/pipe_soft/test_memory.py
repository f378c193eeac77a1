# SPDX-License-Identifier: MIT
"""Buffers, counters and images on both drivers: what fragments and vertices leave behind."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, VARYING_SLOT_POS, VERT_ATTRIB_POS
from pydri.nir.gather_info import gather
from pydri.nir.intrinsics import IMAGE_DIMS
from pydri.nir.ir import Shader, SSADef
from pydri.nir.memory import ATOMICS
from pydri.nir.printer import print_shader
from pydri.pipe.format import BY_NAME, number
from pydri.pipe.native import CLEAR_COLOR, SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import BIND_VERTEX, TARGET_2D, TARGET_BUFFER, Resource
from pydri.pipe.shader_memory import Bindings, ImageView, Range
from pydri.pipe.state import DepthStencilAlpha, ShaderRef
from tests.unit.pipe_soft.bench import DRIVERS, SIZE, Bench, Call, Clear
from tests.unit.pipe_soft.test_shaders import _fixed_scene

Build = Callable[[Builder], None]


def buffer(words: int, fill: int = 0) -> tuple[PipeResource, np.ndarray]:
    """A buffer of so many dwords, and its memory."""
    made = PipeResource.create(TARGET_BUFFER, 0, 4 * words)
    view = np.frombuffer((ctypes.c_uint32 * words).from_address(made.native.data), np.uint32)
    view[:] = fill
    return made, view


def fragment(build: Build) -> ShaderRef:
    def shader() -> Shader:
        b = Builder(Shader("fragment"))
        build(b)
        return b.shader

    # compiled code is kept on disk by this key: by what the program says
    key = b"memory " + print_shader(shader()).encode()
    access = gather(shader()).access
    return ShaderRef(key, shader, (), (FRAG_RESULT_COLOR,), access=access, uses_discard=True)


def vertex(build: Build | None = None) -> ShaderRef:
    def shader() -> Shader:
        b = Builder(Shader("vertex"))
        b.store_output(b.load_input(VERT_ATTRIB_POS, 4), VARYING_SLOT_POS)
        if build is not None:
            build(b)
        return b.shader

    key = b"memory " + print_shader(shader()).encode()
    access = gather(shader()).access
    return ShaderRef(key, shader, (VERT_ATTRIB_POS,), (VARYING_SLOT_POS,), access=access)


class Rig:
    """A driver that draws a triangle over all pixels; `finish` is the test's own."""

    def __init__(self, driver: str) -> None:
        self.bench = Bench(DRIVERS[driver], _fixed_scene(vertex(), vertex()).target)
        self.finish = self.bench.context.finish
        self.bench.context.finish = lambda: None  # type: ignore[method-assign]
        self.fs, self.vs = Bindings(), Bindings()
        self.bench.dyn.stages[SHADER_FRAGMENT].memory = self.fs.address
        self.bench.dyn.stages[SHADER_VERTEX].memory = self.vs.address

    def draw(self, fs: Build, vs: Build | None = None, **state: Any) -> None:
        call = _fixed_scene(vertex(vs), fragment(fs)).calls[0]
        assert isinstance(call, Call)
        self.bench.draw(call._replace(state=call.state._replace(**state)))

    def colors(self) -> np.ndarray:
        self.finish()
        return self.bench.memory(self.bench.color).view(np.float32).reshape(SIZE, SIZE, 4)


@pytest.fixture(params=sorted(DRIVERS))
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = Rig(request.param)
    yield made
    made.finish()
    made.bench.close()


def pixel(b: Builder) -> tuple[SSADef, SSADef, SSADef]:
    """x, y, and the number of the pixel."""
    place = b.load_frag_coord()
    x, y = b.f2i(place.x), b.f2i(place.y)
    return x, y, b.iadd(b.imul(y, SIZE), x)


def color(b: Builder) -> None:
    b.store_output(b.imm_vec4(1.0, 0.0, 0.0, 1.0), FRAG_RESULT_COLOR)


def image_indices(image: int, array: bool = False) -> dict[str, int]:
    return {"image": image, "dim": IMAGE_DIMS.index("2D"), "array": int(array), "format": 0}


@pytest.mark.parametrize("what", [n for n in ATOMICS if n not in ("exchange", "comp_swap")])
def test_atomics_of_all_pixels(rig: Rig, what: str) -> None:
    """What order does not matter for, against one lane after the other; over several threads."""
    made, words = buffer(4, 77)
    rig.fs.set_shader_buffers(2, [Range(made, 4)])

    def build(b: Builder) -> None:
        n = pixel(b)[2]
        data = {"inc_wrap": b.imm_int(1000), "dec_wrap": b.imm_int(1000),
                "fadd": b.imm_float(1.0)}.get(what, b.ixor(n, 1234567))  # fmt: skip
        b.intrinsic(f"ssbo_atomic_{what}", b.imm_int(4), data, indices={"buffer": 2})
        color(b)

    rig.draw(build)
    rig.finish()
    wanted = 77
    for n in range(SIZE * SIZE):
        data = {"inc_wrap": 1000, "dec_wrap": 1000, "fadd": 0x3F800000}.get(what, n ^ 1234567)
        wanted = ATOMICS[what](wanted, data, 0)
    assert words.tolist() == [77, 77, wanted, 77]


def test_each_counts_once(rig: Rig) -> None:
    """Counters give each pixel a number of its own; comp_swap has one winner; so has exchange."""
    counters, count = buffer(2)
    made, words = buffer(SIZE * SIZE + 2)
    rig.fs.set_hw_atomic_buffers(1, [Range(counters)])
    rig.fs.set_shader_buffers(0, [Range(made)])

    def build(b: Builder) -> None:
        n = pixel(b)[2]
        ticket = b.intrinsic("atomic_counter_add", b.imm_int(4), b.imm_int(1),
                             indices={"base": 1}).dest  # fmt: skip
        b.intrinsic("store_ssbo", b.iadd(n, 1), b.ishl(ticket, 2),
                    indices={"buffer": 0, "wrmask": 1})  # fmt: skip
        last = b.imm_int(4 * SIZE * SIZE)
        b.intrinsic("ssbo_atomic_comp_swap", last, b.imm_int(0), b.iadd(n, 1),
                    indices={"buffer": 0})  # fmt: skip
        old = b.intrinsic("ssbo_atomic_exchange", b.iadd(last, 4), b.imm_int(1),
                          indices={"buffer": 0}).dest  # fmt: skip
        seen = b.intrinsic("atomic_counter_read", b.imm_int(4), indices={"base": 1}).dest
        with b.If(b.ieq(old, 0)):
            b.intrinsic("atomic_counter_add", b.imm_int(0), b.b2i(b.ine(seen, 0)),
                        indices={"base": 1})  # fmt: skip
        color(b)

    rig.draw(build)
    rig.finish()
    assert count.tolist() == [1, SIZE * SIZE]
    assert sorted(words[:-2]) == list(range(1, SIZE * SIZE + 1))
    assert 1 <= words[-2] <= SIZE * SIZE and words[-1] == 1


def test_bounds(rig: Rig) -> None:
    """A range within a buffer: nothing around it is read or written, nor of what is not bound."""
    made, words = buffer(64, 5)
    rig.fs.set_shader_buffers(0, [Range(made, 16, 36)])

    def build(b: Builder) -> None:
        n = pixel(b)[2]
        at = b.isub(b.ishl(n, 2), 64)
        for which in (0, 3):
            where = {"buffer": which}
            b.intrinsic("store_ssbo", b.vec(n, n, n), at, indices={**where, "wrmask": 4})
            b.intrinsic("ssbo_atomic_add", b.iadd(at, 1 << 20), n, indices=where)
        size = b.intrinsic("get_ssbo_size", indices={"buffer": 0}).dest
        loaded = b.intrinsic("load_ssbo", b.imm_int(28), indices={"buffer": 0},
                             num_components=4).dest  # fmt: skip
        none = b.intrinsic("load_ssbo", at, indices={"buffer": 7}, num_components=1).dest
        b.store_output(b.vec(b.u2f(size), b.u2f(loaded[2]), b.u2f(none), b.u2f(loaded[3])),
                       FRAG_RESULT_COLOR)  # fmt: skip

    rig.draw(build)
    found = rig.colors()
    assert (found == [36, 0, 0, 0]).all()
    assert (words[:4] == 5).all() and (words[13:] == 5).all()
    # the dword two behind the place of pixel n: places below the range are far above it
    assert words[4:13].tolist() == [5, 5, *range(16, 23)]


IMAGES = ("R8G8B8A8_UNORM", "R8_SNORM", "R16G16B16A16_FLOAT", "R11G11B10_FLOAT", "R16G16_UINT",
          "R10G10B10A2_UNORM", "R16_SINT", "R32G32B32A32_UINT", "R8G8_UINT")  # fmt: skip


@pytest.mark.parametrize("format", [name for name in IMAGES if name in BY_NAME])
def test_formats(format: str) -> None:
    """Texels of the format that a shader names, on both drivers."""
    found = []
    row = BY_NAME[format]
    whole = row.kind in ("uint", "sint")

    def build(b: Builder) -> None:
        x, y, n = pixel(b)
        numbers = [b.isub(x, 20), y, b.imul(n, 77), b.imm_int(-3)]
        if not whole:
            numbers = [b.fmul(b.i2f(v), 1.0 / 40.0) for v in numbers]
        where = image_indices(0) | {"format": row.number}
        b.intrinsic("image_store", b.vec(x, y), b.vec(*numbers), indices=where)
        texel = b.intrinsic("image_load", b.vec(x, y), indices=where).dest
        b.store_output(b.i2f(texel) if whole else texel, FRAG_RESULT_COLOR)
        again = where | {"image": 1}
        b.intrinsic("image_store", b.vec(y, x), texel, indices=again)

    for driver in DRIVERS:
        rig = Rig(driver)
        images = [PipeResource.create(TARGET_2D, row.number, SIZE, SIZE, bind=BIND_VERTEX)
                  for _ in range(2)]  # fmt: skip
        rig.fs.set_shader_images(0, [ImageView(image) for image in images])
        rig.draw(build)
        colors = rig.colors().copy()
        data = [ctypes.string_at(image.native.data, image.native.size) for image in images]
        rig.bench.close()
        assert any(data[0]) and any(data[1]) and colors.any()
        found.append((colors, data))
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize("format", ["R32G32B32A32_FLOAT", "R32_UINT", "R32G32_SINT"])
def test_later_draws_see_what_was_stored(rig: Rig, format: str) -> None:
    """An image that one draw writes and the next reads, mirrored, in the same frame."""
    made = PipeResource.create(TARGET_2D, number(format), SIZE, SIZE)
    rig.fs.set_shader_images(1, [ImageView(made)])
    whole = "FLOAT" not in format

    def write(b: Builder) -> None:
        x, y, n = pixel(b)
        numbers = [x, y, n, b.imm_int(3)]
        texel = b.vec(*(numbers if whole else map(b.i2f, numbers)))
        b.intrinsic("image_store", b.vec(x, y), texel, indices=image_indices(1))
        color(b)

    def read(b: Builder) -> None:
        x, y, _ = pixel(b)
        place = b.vec(b.isub(SIZE, x), y)  # column 0 reads beyond the last one
        texel = b.intrinsic("image_load", place, indices=image_indices(1)).dest
        size = b.intrinsic("image_size", indices=image_indices(1), num_components=2).dest
        texel = b.i2f(texel) if whole else texel
        b.store_output(b.vec(texel.xyz, b.fmul(texel.w, b.i2f(size[0]))), FRAG_RESULT_COLOR)

    for _ in range(2):
        rig.draw(write)
        rig.draw(read)
    found = rig.colors()
    place = np.arange(SIZE)
    y, x = np.meshgrid(place, SIZE - place, indexing="ij")
    channels = {"R32_UINT": 1, "R32G32_SINT": 2}.get(format, 4)
    wanted = np.stack([x, y, y * SIZE + x, np.full_like(x, 3)], -1).astype(np.float32)
    wanted[..., channels:] = 0
    wanted[..., 3] = (3 if channels == 4 else 1) * SIZE
    wanted[:, 0] = 0
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("by_vertices", [False, True])
def test_skirts_are_true(by_vertices: bool) -> None:
    """What is sampled may be read beside it: column 0 and row 0 again (pydri/pipe/skirt.py)."""
    rig = Rig("llvm")
    made = PipeResource.create(TARGET_2D, number("R32_UINT"), SIZE, SIZE)
    (rig.vs if by_vertices else rig.fs).set_shader_images(0, [ImageView(made)])

    def write(b: Builder) -> None:
        x, y, n = pixel(b)
        b.intrinsic("image_store", b.vec(x, y), b.vec(n, n, n, n), indices=image_indices(0))
        color(b)

    def corner(b: Builder) -> None:
        zero = b.sysval("vertex_id")
        place = b.vec(zero, b.imm_int(0))
        texel = b.vec(*[b.iadd(zero, 70)] * 4)
        b.intrinsic("image_store", place, texel, indices=image_indices(0))

    rig.draw(color if by_vertices else write, corner if by_vertices else None)
    rig.finish()
    row = made.native.level[0].row_stride // 4
    words = np.frombuffer(
        (ctypes.c_uint32 * (made.native.size // 4)).from_address(made.native.data), np.uint32
    )
    texels = words[: (SIZE + 1) * row].reshape(SIZE + 1, row)
    assert texels.any() and texels[0, 1] == (71 if by_vertices else 1)
    assert np.array_equal(texels[:, SIZE], texels[:, 0])
    assert np.array_equal(texels[SIZE, : SIZE + 1], texels[0, : SIZE + 1])
    rig.bench.close()


def test_only_fragments_write(rig: Rig) -> None:
    """No helpers, nothing that was discarded, all that fails the depth test; and what is drawn or
    cleared over has effects nevertheless."""
    made, words = buffer(4)
    rig.fs.set_shader_buffers(0, [Range(made)])

    def build(b: Builder) -> None:
        x, y, _ = pixel(b)
        where = {"buffer": 0}
        b.intrinsic("ssbo_atomic_add", b.imm_int(0), b.imm_int(1), indices=where)
        with b.If(b.ieq(b.iand(x, 3), 1)):
            b.intrinsic("ssbo_atomic_add", b.imm_int(4), b.imm_int(1), indices=where)
        b.discard_if(b.ieq(b.iand(y, 1), 1))
        b.fddx(b.i2f(x))
        b.intrinsic("ssbo_atomic_add", b.imm_int(8), b.imm_int(1), indices=where)
        color(b)

    count = SIZE * SIZE
    rig.bench.dyn.scissor_x0 = 0
    rig.draw(build)
    rig.draw(build, dsa=DepthStencilAlpha(depth_func=0x200), zs_format=0)
    rig.bench.draw(Clear(CLEAR_COLOR, (0, 0, 0, 0), 1.0, 0, 15, 255))
    rig.finish()
    assert words.tolist() == [2 * count, count // 2, count, 0]


def test_vertices_write(rig: Rig) -> None:
    """What vertices store is there for the fragments of their draw."""
    made, words = buffer(8)
    rig.vs.set_shader_buffers(1, [Range(made)])
    rig.fs.set_shader_buffers(0, [Range(made)])

    def store(b: Builder) -> None:
        n = b.sysval("vertex_id")
        where = {"buffer": 1}
        b.intrinsic("store_ssbo", b.iadd(n, 40), b.ishl(n, 2), indices={**where, "wrmask": 1})
        b.intrinsic("ssbo_atomic_umax", b.imm_int(12), b.iadd(n, 1), indices=where)

    def build(b: Builder) -> None:
        loaded = b.intrinsic("load_ssbo", b.imm_int(0), indices={"buffer": 0},
                             num_components=4).dest  # fmt: skip
        b.store_output(b.i2f(loaded), FRAG_RESULT_COLOR)

    for _ in range(2):
        rig.draw(build, store)
    assert (rig.colors() == [40, 41, 42, 3]).all()
    assert words.tolist() == [40, 41, 42, 3, 0, 0, 0, 0]


def test_vertices_that_no_index_names_write_nothing(rig: Rig) -> None:
    made, words = buffer(8)
    rig.vs.set_shader_buffers(1, [Range(made)])

    def store(b: Builder) -> None:
        place = b.ishl(b.sysval("vertex_id"), 2)
        b.intrinsic("store_ssbo", b.imm_int(7), place, indices={"buffer": 1, "wrmask": 1})

    call = _fixed_scene(vertex(store), fragment(color)).calls[0]
    assert isinstance(call, Call)
    arrays = {slot: np.resize(array, (8, 4)) for slot, array in call.arrays.items()}
    indices = np.array([1, 5, 4, 4, 1, 5], np.uint16)
    rig.bench.draw(call._replace(arrays=arrays, indices=indices, count=6))
    rig.finish()
    assert words.tolist() == [0, 7, 0, 0, 7, 7, 0, 0]


def test_memory_lives_until_it_is_drawn(rig: Rig) -> None:
    """What is bound may be released behind a draw, which is not done yet."""
    made, _ = buffer(1 << 16)
    storage: Any = Resource.view(made.address).storage
    assert storage
    rig.fs.set_shader_buffers(0, [Range(made)])
    del made

    def build(b: Builder) -> None:
        n = pixel(b)[2]
        b.intrinsic("store_ssbo", n, b.ishl(n, 2), indices={"buffer": 0, "wrmask": 1})
        color(b)

    rig.draw(build)
    rig.fs.set_shader_buffers(0, [None])
    assert (rig.colors() == [1, 0, 0, 1]).all()
