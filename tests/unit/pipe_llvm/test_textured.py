# SPDX-License-Identifier: MIT
"""Fragment kernels that sample: in batches, stamp by stamp, under control flow, in scenes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pipe_llvm.fragment import batch as fs_batch
from pipe_llvm.fragment import sample_batch as fs_samples
from pipe_llvm.fragment import wide
from pipe_llvm.fragment.kernel import FragmentBuilder
from pipe_llvm.gallivm.phases import BatchMemory, Schedule, Unsplittable
from pipe_llvm.native import LpPlan
from pipe_llvm.sample.table import samplers
from pipe_llvm.setup.recording import settle_views
from pipe_soft import sample as soft
from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader
from pydri.nir.passes import lower_for_backend
from pydri.nir.printer import print_shader
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from pydri.pipe.native import MAP_WRITE, SHADER_FRAGMENT
from pydri.pipe.resource import Storage
from pydri.pipe.sampler import SamplerState, SamplerView
from pydri.pipe.state import DepthStencilAlpha, RtBlend, ShaderInput, ShaderRef
from tests.unit.alone import compiled_alone
from tests.unit.pipe_llvm.harness import Bench
from tests.unit.pipe_llvm.sample_rig import F, Texture, View

COLOR = 2  # FRAG_RESULT_COLOR
TRILINEAR = SamplerState((s.GL_REPEAT,) * 3, 0x2703, s.GL_LINEAR)
BYTES = "R8G8B8A8_UNORM"


def shader_of(body: Callable[[Builder], Any], textures: int = 1, **more: Any) -> ShaderRef:
    """A fragment shader that writes what `body` gives; input 1 has four numbers."""

    def build() -> Shader:
        b = Builder(Shader("fragment"))
        b.store_output(body(b), COLOR, 15)
        return b.shader

    key = print_shader(build()).encode()  # the cache on disk must not mix them up
    return ShaderRef(key, build, (ShaderInput(1, 4, "smooth"),), (2,), textures=textures, **more)


def bound(bench: Bench, views: list[View]) -> None:
    """Make these the views of the next draws."""
    table = (ctypes.c_uint64 * len(views))(*(view.address for view in views))
    bench.views = table  # type: ignore[attr-defined]
    bench.dyn.stages[SHADER_FRAGMENT].views = ctypes.addressof(table)


def view_of(tex: Texture, how: SamplerState = TRILINEAR) -> View:
    """A view with the driver's own functions, and the texels in the resource's memory."""
    native = tex.resource.native
    view = SamplerView(tex.resource.address, tex.fmt.number, tex.target, 0, native.last_level)
    ctypes.memmove(native.data, tex.address, native.size)
    found = View(tex, view, how, 0)
    found.native.data = native.data
    found.native.sample = samplers().function(found.native.key)
    return found


def corners(
    box: tuple[float, ...], texels: tuple[float, ...], z: float = 0.5, w: Any = None
) -> list[Any]:
    """Two triangles: a box whose input 1 runs over another box."""
    x0, y0, x1, y1 = box
    s0, t0, s1, t1 = texels
    rows = []
    for n, (x, y, u, v) in enumerate(
        ((x0, y0, s0, t0), (x1, y0, s1, t0), (x1, y1, s1, t1), (x0, y1, s0, t1))
    ):
        q = 1.0 if w is None else w[n]
        rows.append([x, y, z, q, u * q, v * q, 0.25 * q, 0.75 * q])
    return [[rows[0], rows[1], rows[2]], [rows[0], rows[2], rows[3]]]


def plain(b: Builder) -> Any:
    return b.tex("tex", {"coord": b.load_input(1, 2)})


def modulated(b: Builder) -> Any:
    return plain(b) * b.load_input(1, 4).zwzw


def dependent(b: Builder) -> Any:
    first = plain(b)
    again = first.yz * 0.5 + b.load_input(1, 2)
    second = b.tex("tex", {"coord": again}, texture_index=1)
    return second * 0.5 + first * again.xxyy


def independent(b: Builder) -> Any:
    there = b.tex("tex", {"coord": b.load_input(1, 2) * 3.0}, texture_index=1)
    return plain(b) * there


def killing(b: Builder) -> Any:
    color = plain(b)
    b.discard_if(color.x < 0.4)
    return color


def branching(b: Builder) -> Any:
    """A node before a texture, and one behind it that has a texture in it."""
    coord = b.load_input(1, 4)
    with b.If(coord.x < 0.5):
        one = coord.y * 2.0
    with b.Else():
        two = coord.y + coord.x
        two = two + two * two
    chosen = b.if_phi(one, two)
    first = b.tex("tex", {"coord": b.vec(coord.x, chosen)})
    with b.If(first.y < 0.5):
        there = b.tex("tex", {"coord": b.vec(coord.y, first.x)}, texture_index=1)
    with b.Else():
        other = first * 0.5
    return b.if_phi(there, other)


def projected(b: Builder) -> Any:
    coord = b.load_input(1, 4)
    return b.tex("tex", {"coord": coord.xy, "projector": coord.z})


def many(b: Builder, count: int) -> Any:
    """Lookups beside each other, and one of another texture among them."""
    at = b.load_input(1, 2)
    total = b.tex("tex", {"coord": at.yx}, texture_index=1)
    for n in range(count):
        there = at + b.vec(0.013 * (n % 3), 0.021 * (n // 3))
        total = total + b.tex("tex", {"coord": there}) * (0.3 - 0.02 * n)
    return total * (1 / 3)


def several(b: Builder) -> Any:
    """Of which two go through one call."""
    return many(b, 5)


def blurring(b: Builder) -> Any:
    """Of which four do, of eleven; done for several stamps at once."""
    return many(b, 11)


def sized(b: Builder) -> Any:
    size = b.i2f(b.tex("txs", {"lod": b.imm_int(1)}, num_components=2, kind="int"))
    return plain(b) * b.vec(size.x * (1 / 64), size.y * (1 / 64), 1.0, 1.0)


def doubles(b: Builder) -> Any:
    """Numbers of 64 bits beside such of 32 that a later phase reads."""
    coord = b.load_input(1, 4)
    real, whole = b.alu("f2d", coord.x), b.alu("f2i64", coord.y * 255.0)
    real = b.alu("fmul64", real, b.alu("f2d", coord.z * 3.0))
    scale, kept = coord.x * (1 / 255), coord.z * coord.w
    color = plain(b)
    real = b.alu("fadd64", real, b.alu("f2d", color.x))
    whole = b.alu("iadd64", whole, b.alu("f2i64", color.y))
    return b.vec(b.alu("d2f", real), b.alu("i642f", whole) * scale, kept * color.w, color.z)


def long_doubles(b: Builder) -> Any:
    """The same in a shader that is done for several stamps at once."""
    color = doubles(b)
    for n in range(4):
        color = b.alu("fpow", b.alu("fabs", color) + 0.1, 0.9 + 0.05 * n)
    return color


SHADERS = (modulated, dependent, independent, killing, branching, projected, sized, doubles,
           long_doubles, several, blurring)  # fmt: skip
STATES = {
    "plain": {},
    "blend": {"blend": RtBlend(True, rgb_src=0x302, rgb_dst=0x303)},
    "depth": {"dsa": DepthStencilAlpha(depth_func=0x201, depth_write=True)},
    "alpha": {"dsa": DepthStencilAlpha(depth_func=0x203, depth_write=True, alpha_func=0x204)},
}


def scene(rng: np.random.Generator, count: int) -> np.ndarray:
    """Many triangles that cover each other, most of them small, some in perspective."""
    found = []
    for _ in range(count):
        size = rng.choice([3, 10, 60])
        x, y = rng.uniform(-4, 124, 2)
        texels = tuple(rng.uniform(-2, 3, 4))
        w = rng.uniform(0.5, 2, 4) if rng.random() < 0.5 else None
        found += corners((x, y, x + size, y + size * 0.7), texels, rng.random(), w)
    return np.array(found)


def drawn(
    views: list[View], fs: ShaderRef, vertices: Any, how: dict[str, Any], builder: Any = None,
    samples: int = 1,
) -> list[np.ndarray]:  # fmt: skip
    """Colours of a picture and depths of each sample, with another class of fragment kernels than
    the usual."""
    bench = Bench(128, 128, samples=samples)
    bound(bench, views)
    bench.clear((0.2, 0.4, 0.6, 0.8))
    bench.dyn.alpha_ref = 0.45
    kinds = (fs_batch, "BatchFragmentBuilder"), (fs_samples, "SampleBatchBuilder")
    module, name = kinds[samples > 1]
    before = getattr(module, name)
    try:
        setattr(module, name, builder or before)
        key = fs.key + (builder.__name__.encode() if builder else b"")
        plan = bench.plan(fs=fs._replace(key=key), **how)
    finally:
        setattr(module, name, before)
    native = LpPlan.view(plan)
    native.fragment.views = fs.textures
    bench.triangles(plan, vertices)
    return [bench.raw(), *(bench.depth_words(sample) for sample in range(samples))]


@pytest.fixture(scope="module")
def views() -> list[View]:
    rng = np.random.default_rng(4)
    first = Texture(rng, BYTES, r.TARGET_2D, 64, 64, last_level=6)
    second = Texture(rng, "R16G16B16A16_UNORM", r.TARGET_2D, 24, 7, last_level=4)
    return [view_of(first), view_of(second)]


@pytest.mark.parametrize("how", STATES)
@pytest.mark.parametrize("body", SHADERS)
def test_batches_draw_what_single_stamps_do(body: Any, how: str, views: list[View]) -> None:
    """Full and broken batches, triangles over each other within a batch."""
    fs = shader_of(body, 2, uses_discard=body is killing)
    vertices = scene(np.random.default_rng(7), 60)
    one, two = (drawn(views, fs, vertices, STATES[how], b) for b in (None, FragmentBuilder))
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()
    assert len(np.unique(one[0])) > 100


def test_texels_are_those_that_numpy_says(views: list[View]) -> None:
    """A texel a pixel, then two levels: exact coordinates."""
    bench = Bench(64, 64)
    bound(bench, views)
    for scale in (1.0, 2.0):
        plan = bench.plan(fs=shader_of(plain))
        LpPlan.view(plan).fragment.views = 1
        bench.triangles(plan, corners((0, 0, 64, 64), (0, 0, scale, scale)))
        centres = (np.arange(64) + 0.5) / 64 * scale
        y, x = np.meshgrid(centres, centres, indexing="ij")
        stamps = [v.reshape(16, 4, 16, 4).transpose(0, 2, 1, 3).reshape(-1, 16) for v in (x, y)]
        view = views[0]
        tex = view.tex.soft(view.view, view.state)
        wanted = soft.sample(tex, view.state, soft.Coords(*(v.astype(F) for v in stamps)))
        wanted = wanted.reshape(16, 16, 4, 4, 4).transpose(0, 2, 1, 3, 4).reshape(64, 64, 4)
        assert (bench.pixels() == np.rint(wanted * 255)).all()


def test_views_may_change_while_a_scene_is_pending() -> None:
    """Each draw has the view and the texels it was recorded with; a renamed or released resource
    lives as long as the scene."""
    rng = np.random.default_rng(1)
    bench = Bench(64, 64)
    plan = bench.plan(fs=shader_of(plain))
    LpPlan.view(plan).fragment.views = 1
    how = TRILINEAR._replace(min_filter=s.GL_NEAREST, mag_filter=s.GL_NEAREST)
    tex = Texture(rng, BYTES, r.TARGET_2D, 1, 1)
    view = view_of(tex, how)
    storage = tex.resource.native.storage
    references = ctypes.c_uint32.from_address(storage)
    bound(bench, [view])
    colors = []
    for n in range(4):
        bench.triangles(plan, corners((16 * n, 0, 16 * n + 16, 64), (0, 0, 1, 1)))
        colors.append(ctypes.c_uint32.from_address(tex.resource.native.data).value)
        if n == 1:
            assert references.value == 1  # of the scene: the resource has other memory
        tex.resource.rename()
        value = int(rng.integers(0, 1 << 32))
        ctypes.c_uint32.from_address(tex.resource.native.data).value = value
        view.native.serial += n & 1
    raw = bench.raw()
    # memory order is red first; the surface's blue first
    wanted = [c & 0xFF00FF00 | (c & 255) << 16 | c >> 16 & 255 for c in colors]
    found = [int(raw[30, 16 * n + 5]) for n in range(4)]
    assert found == wanted


def test_a_full_clear_forgets_textures() -> None:
    """What was drawn before a clear of everything is dropped with its textures; their copies lay in
    memory that is used again."""
    bench = Bench(64, 64)
    plan = bench.plan(fs=shader_of(plain))
    LpPlan.view(plan).fragment.views = 1
    tex = Texture(np.random.default_rng(2), BYTES, r.TARGET_2D, 1, 1)
    view = view_of(tex, TRILINEAR)
    bound(bench, [view])
    references = ctypes.c_uint32.from_address(tex.resource.native.storage)
    for _ in range(3):
        bench.triangles(plan, corners((0, 0, 64, 64), (0, 0, 1, 1)))
        assert references.value == 2  # the resource's and the scene's
        bench.clear()
        assert references.value == 1
    bench.triangles(bench.plan(), corners((0, 0, 64, 64), (0, 0, 1, 1)))
    bench.raw()
    assert references.value == 1


def test_what_a_scene_draws_to_is_sampled_when_it_is_done(views: list[View]) -> None:
    """A draw ends the scene that writes what it samples, and no other."""
    bench = Bench(64, 64)
    bound(bench, views)
    plan = bench.plan(fs=shader_of(independent, 2))
    LpPlan.view(plan).fragment.views = 2
    image = compiled_alone("test_settle", [settle_views])
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(image.address("lp_settle_views"))
    pipe = bench.cx.lp.pipe
    storage = Storage.view(views[1].tex.resource.native.storage)
    for writes, ends in ((0, 0), (1, 1), (0, 0)):
        bench.triangles(plan, corners((0, 0, 64, 64), (0, 0, 1, 1)))
        before = pipe.submitted
        storage.writes = before + writes
        function(bench.cx.native, plan, bench.dyn_address)
        assert pipe.submitted - before == ends
    storage.writes = 0


def test_several_samples(views: list[View]) -> None:
    """The picture is that of one sample where pixels are covered wholly."""
    pictures = []
    for samples in (1, 4):
        bench = Bench(64, 64, samples=samples)
        bound(bench, views)
        bench.clear()
        plan = bench.plan(fs=shader_of(modulated))
        LpPlan.view(plan).fragment.views = 1
        bench.triangles(plan, corners((0, 0, 64, 64), (0.1, 0.3, 1.7, 2.2)))
        pictures.append(bench.raw())
    same = pictures[0] == pictures[1]
    assert same[:, :].mean() > 0.97  # but for the seam between the two triangles


def test_schedules() -> None:
    """How many phases there are, and what is not cut."""
    counts = {}
    for body in (*SHADERS, plain):
        shader = shader_of(body).build()
        lower_for_backend(shader)
        counts[body.__name__] = Schedule(shader).count
    assert counts == {
        "modulated": 2, "dependent": 3, "independent": 2, "killing": 2, "branching": 2,
        "projected": 2, "sized": 2, "doubles": 2, "long_doubles": 2, "several": 2, "blurring": 2,
        "plain": 2,
    }  # fmt: skip

    b = Builder(Shader("fragment"))
    b.store_output(plain(b), COLOR, 15)
    b.intrinsic("terminate")
    lower_for_backend(b.shader)
    with pytest.raises(Unsplittable):
        Schedule(b.shader)


@pytest.mark.parametrize(
    ("body", "stamps", "calls"),
    [(plain, 16, [1]), (independent, 16, [1, 1]), (several, 8, [1, 2, 2, 1]),
     (blurring, 4, [1, 4, 4, 3])],
)  # fmt: skip
def test_many_lookups_have_few_stamps_and_share_calls(
    body: Any, stamps: int, calls: list[int]
) -> None:
    """What a batch's lookups read and write stays in the nearest cache. Those of a call lie behind
    each other: coordinates by a batch's stamps, results by those of all."""
    shader = shader_of(body, 2).build()
    lower_for_backend(shader)
    memory = BatchMemory(Schedule(shader), 0)
    assert memory.stamps == stamps
    found = memory.calls[0]
    assert [len(lookups) for lookups in found] == calls
    for lookups in found:
        assert len({instr.texture_index for instr in lookups}) == 1
        for places, step in ((memory.coords, 64 * stamps), (memory.results, 256 * stamps)):
            at = [places[instr] for instr in lookups]
            assert at == [at[0] + step * n for n in range(len(lookups))]


def test_a_call_is_told_what_nobody_reads() -> None:
    """Of lookups that go through one call, what is read of none of them."""

    def red_and_blue(b: Builder) -> Any:
        lookups = [b.tex("tex", {"coord": b.load_input(1, 4).zw + n * 0.1}) for n in range(9)]
        total = lookups[0].x
        for lookup in lookups[1:]:
            total = total + lookup.x * lookup.z
        return b.vec(total, total, total, 1.0)

    for body, unread in ((plain, 0), (red_and_blue, 0b1010)):
        shader = shader_of(body).build()
        lower_for_backend(shader)
        memory = BatchMemory(Schedule(shader), 0)
        assert {memory.unread(lookups) for lookups in memory.calls[0]} == {unread}


@pytest.mark.parametrize(("width", "few", "many"), [(512, 4, 4), (256, 2, 1), (128, 1, 1)])
def test_loops_have_stamps_by_registers(
    monkeypatch: pytest.MonkeyPatch, width: int, few: int, many: int
) -> None:
    """A step is smaller where the rounds of a loop hand on more than registers hold."""
    monkeypatch.setattr(wide, "native_vector_width", lambda: width)
    for rows, stamps in ((2, few), (4, many)):
        b = Builder(Shader("fragment"))
        total, i = b.local("total", types.vector("float", rows)), b.local("i", types.INT)
        old = b.local("old", types.vector("float", rows))
        start = b.load_input(1, rows)
        b.store_var(total, start)
        b.store_var(old, start)
        b.store_var(i, 0)
        with b.Loop():
            now = b.load_var(i)
            with b.If(b.ige(now, b.load_ubo(1, 0, 1, "int"))):
                b.Break()
            x = b.load_var(total)
            b.store_var(total, b.fsin(x) * b.load_var(old))
            b.store_var(old, x)
            b.store_var(i, b.iadd(now, 1))
        b.store_output(b.load_var(total).xyxy, COLOR, 15)
        lower_for_backend(b.shader)
        assert wide.stamps_a_step(b.shader) == stamps


def test_helper_pixels_have_values() -> None:
    """Derivatives of what an If assigns: along the edges of a triangle, as in its middle."""

    def steep(b: Builder) -> Any:
        coord = b.load_input(1, 2)
        with b.If(coord.x < 8.0):
            one = coord.x * 0.25 + coord.y * 0.125
            far = one
            for _ in range(20):  # enough that it stays an If
                far = b.fsin(far)
            one = one + b.fmax(far - 2.0, 0.0)
        with b.Else():
            two = coord.x * 0.25 + coord.y * 0.125
        value = b.if_phi(one, two)
        slope = b.vec(b.fddx(value), b.fddy(value), 0.0, 1.0)
        return slope

    bench = Bench(64, 64)
    plan = bench.plan(fs=shader_of(steep, 0))
    rows = [[0.7, 0.3, 0.5, 1, 0.7, 0.3], [60.2, 11.4, 0.5, 1, 60.2, 11.4],
            [13.3, 61.9, 0.5, 1, 13.3, 61.9]]  # fmt: skip
    bench.clear()
    bench.triangles(plan, [rows])
    found = bench.pixels()
    covered = found[..., 3] != 0
    assert covered.sum() > 1500
    assert (abs(found[covered][:, :2] - [64, 32]) <= 1).all()


def test_another_contexts_scene_hides_no_pending_one() -> None:
    """A storage has one number of who reads it. Where that is another context's, be it the greater
    one or not, a write waits for what this context has recorded, too."""
    benches = [Bench(64, 64), Bench(64, 64)]
    tex = Texture(np.random.default_rng(2), BYTES, r.TARGET_2D, 1, 1)
    native = tex.resource.native
    storage = Storage.view(native.storage)
    for bench, other in (benches, benches[::-1]):
        view = view_of(tex, TRILINEAR)
        bound(bench, [view])
        plan = bench.plan(fs=shader_of(plain))
        LpPlan.view(plan).fragment.views = 1
        bench.triangles(plan, corners((0, 0, 64, 64), (0, 0, 1, 1)))
        pipe = bench.cx.lp.pipe
        assert storage.reads == pipe.submitted + 1 > pipe.completed
        storage.reads = other.cx.lp.pipe.submitted + 1  # it drew with the texture, too
        before = pipe.submitted
        bench.cx.transfer_map(tex.resource.address, MAP_WRITE)
        assert pipe.completed == pipe.submitted == before + 1
        before = pipe.submitted
        storage.reads = 0
        bench.cx.transfer_map(tex.resource.address, MAP_WRITE)
        assert pipe.submitted == before
