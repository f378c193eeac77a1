# SPDX-License-Identifier: MIT
"""Draws, plans and clears through a fake driver."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main import layout as la
from pydri.main.light.layout import LIGHT_ENABLED
from pydri.pipe.format import number
from pydri.pipe.native import CLEAR_COLOR, CLEAR_DEPTH, CLEAR_STENCIL, SHADER_FRAGMENT
from pydri.st.draw.pipeline_state import pipeline_state
from pydri.st.draw.plan import PlanCache, key_difference
from pydri.util import stats
from pydri.util.options import options
from tests.unit.st.st_fake import CLEAR, HOOK, HOOK2, FakeContext, FakeSurface, call, image


class FakePipe:
    """create_pipeline hands out 0x1000, 0x2000 ... and remembers the states."""

    screen: None = None  # it prefers nothing

    def __init__(self) -> None:
        self.states: list[Any] = []
        self.deleted: list[int] = []
        self.kept: dict[bytes, int] = {}
        self.found: list[Any] = []  # what would give the states of those found in `kept`

    def create_pipeline(self, state: Any) -> int:
        self.states.append(state)
        return 0x1000 * len(self.states)

    def known_pipeline(self, name: bytes, state: Any) -> int:
        if name in self.kept:
            self.found.append(state)
        return self.kept.get(name, 0)

    def keep_pipeline(self, name: bytes, pipeline: int) -> None:
        self.kept[name] = pipeline

    def delete_pipelines(self, handles: Any) -> None:
        self.deleted += handles
        self.kept = {name: at for name, at in self.kept.items() if at not in self.deleted}


def planned(**keys: Any) -> tuple[FakeContext, FakePipe, PlanCache]:
    """A context with a plan cache over a fake driver."""
    ctx, pipe = FakeContext(), FakePipe()
    ctx.n.key.color_format = number("B8G8R8A8_UNORM")
    ctx.n.key.zs_format = number("Z24_UNORM_S8_UINT")
    cache = PlanCache(ctx.address, pipe, image().address("st_insert_plan"))  # type: ignore[arg-type]

    def miss(_: int) -> int:
        ctx.note("miss")
        return cache.miss()

    ctx.n.hook_plan_miss = ctx.hook(HOOK, miss)
    return ctx, pipe, cache


def names(ctx: FakeContext) -> list[str]:
    return [c[0] for c in ctx.take()]


def pipelines(ctx: FakeContext) -> list[int]:
    return [c[2] for c in ctx.take() if c[0] == "draw"]


def set_key(ctx: FakeContext, **values: int) -> None:
    for name, value in values.items():
        setattr(ctx.n.key, name, value)
    ctx.n.key_dirty = 1


def test_a_driver_knows_pipelines_by_name() -> None:
    """Another process asks by the same names, and makes no state; the driver can have it made."""
    ctx, pipe, _ = planned()
    ctx.draw()
    set_key(ctx, blend=1, blend_src_rgb=gl.GL_SRC_ALPHA)
    ctx.draw()
    assert len(set(pipe.kept.values())) == 2
    later, other, cache = planned()
    other.kept = pipe.kept
    later.draw()
    set_key(later, blend=1, blend_src_rgb=gl.GL_SRC_ALPHA)
    later.draw()
    assert not other.states and cache.count == 2
    assert [state() for state in other.found] == pipe.states


def test_a_plan_is_made_once_and_found_again() -> None:
    ctx, pipe, _ = planned()
    ctx.draw()
    ctx.draw()
    assert names(ctx) == ["miss", "draw", "draw"]
    set_key(ctx, blend=1, blend_src_rgb=gl.GL_SRC_ALPHA)
    ctx.draw()
    assert names(ctx) == ["miss", "draw"]
    for blend in (0, 1, 0, 1):
        set_key(ctx, blend=blend, blend_src_rgb=gl.GL_SRC_ALPHA if blend else gl.GL_ONE)
        ctx.draw()
    calls = ctx.take()
    assert [c[0] for c in calls] == ["draw"] * 4
    assert [c[2] for c in calls] == [0x1000, 0x2000, 0x1000, 0x2000]
    assert ctx.n.key_dirty == 0


def test_the_driver_gets_the_contexts_structs() -> None:
    ctx, _, _ = planned()
    ctx.draw()
    _, pipe, pipeline, dyn, info = ctx.take()[1]
    assert (pipe, pipeline) == (ctx.pipe_memory, 0x1000)
    assert dyn == ctx.address + la.GLContext.offset("dyn")
    assert info == ctypes.addressof(ctx._keep[-1])


def test_primitives_have_plans_of_their_own() -> None:
    ctx, pipe, _ = planned()
    for mode in range(gl.GL_POLYGON + 1):
        ctx.draw(mode)
    assert [s.prim for s in pipe.states] == [0, 1, 2]
    assert pipelines(ctx) == [0x1000] + [0x2000] * 3 + [0x3000] * 6


def test_equal_meaning_is_one_plan() -> None:
    """What has no effect asks for nothing."""
    ctx, pipe, cache = planned()
    ctx.draw()
    for change in (
        {"blend_src_rgb": gl.GL_DST_COLOR}, {"fog_mode": gl.GL_LINEAR}, {"logic_op": gl.GL_XOR},
        {"depth_func": gl.GL_GREATER}, {"point_smooth": 1}, {"alpha_test": 1},
    ):  # fmt: skip
        set_key(ctx, **change)
        ctx.draw()
    assert names(ctx) == ["miss", *["draw"] * 7]
    assert len(pipe.states) == cache.count == 1


def many(ctx: FakeContext, count: int) -> list[tuple[int, int]]:
    """Draw with that many states that differ in blending and depth."""
    factors = [0, 1, *range(0x300, 0x309)]
    states = [
        {"blend_src_rgb": src, "blend_dst_rgb": dst, "depth_func": func, "color_mask": mask}
        for mask in range(15, 0, -1)
        for func in range(0x200, 0x207)
        for src in factors
        for dst in factors
        if (src, dst) != (1, 0)
    ]
    assert len(states) >= count
    for state in states[:count]:
        set_key(ctx, blend=1, depth_test=1, **state)
        ctx.draw()
    return [(c[0] == "miss", c[0] == "draw") for c in ctx.take()]


def test_two_thousand_states_a_frame_miss_once() -> None:
    """The table grows; the second frame asks Python for nothing."""
    ctx, pipe, cache = planned()
    misses = stats.stats()["total"]["plan_misses"]
    for frame in range(3):
        calls = many(ctx, 2000)
        assert sum(draw for _, draw in calls) == 2000
        assert sum(miss for miss, _ in calls) == (cache.count if frame == 0 else 0)
    assert stats.stats()["total"]["plan_misses"] - misses == cache.count > 1500


def test_the_second_frame_makes_no_canonical_form() -> None:
    """Keys are found as they were written, however many a frame has."""
    ctx, _, _ = planned()
    many(ctx, 2000)
    place = ctx.address + la.GLContext.offset("canonical")
    ctypes.memset(place, 0xA5, la.KeyBlock.size)
    many(ctx, 2000)
    assert ctypes.string_at(place, la.KeyBlock.size) == b"\xa5" * la.KeyBlock.size


def test_more_keys_than_are_remembered() -> None:
    """They have one meaning, and a plan that is found each time."""
    ctx, pipe, _ = planned()
    for logic_op in range(la.MOST_SEEN_KEYS + 500):
        set_key(ctx, logic_op=logic_op)
        ctx.draw()
    seen = ctx.n.seen
    assert seen.capacity == la.MOST_SEEN_KEYS and seen.count == 500
    assert len(pipe.states) == 1 and set(pipelines(ctx)) == {0x1000}


def test_memory_that_ends_takes_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline that there is no memory for is made when a quarter of the others is gone."""
    ctx, pipe, cache = planned()
    ctx.n.key.depth_test = 1
    for func in (gl.GL_NEVER, gl.GL_LESS, gl.GL_EQUAL, gl.GL_LEQUAL):
        set_key(ctx, depth_func=func)
        ctx.draw()
    make, failed = pipe.create_pipeline, []

    def short(state: Any) -> int:
        if not failed:
            failed.append(state)
            raise MemoryError("no maps")
        return make(state)

    monkeypatch.setattr(pipe, "create_pipeline", short)
    set_key(ctx, depth_func=gl.GL_GREATER)
    ctx.draw()
    assert pipe.deleted == [0x1000, 0x2000] and len(cache.pipelines) == 3
    assert pipelines(ctx)[-1] == 0x5000


def test_a_full_table_loses_what_was_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter goes, but not what each round used; what went comes back by one miss each."""
    monkeypatch.setattr("pydri.st.draw.plan.MAX_PLANS", 40)
    ctx, pipe, cache = planned()
    for n in range(60):
        set_key(ctx, clip_planes=n)
        ctx.draw()
        set_key(ctx, clip_planes=255)
        ctx.draw()
        assert 0 < cache.count <= 40
    calls = names(ctx)
    assert calls.count("draw") == 120 and calls.count("miss") == 61
    set_key(ctx, clip_planes=59)
    ctx.draw()
    assert names(ctx) == ["draw"]
    set_key(ctx, clip_planes=0)
    ctx.draw()
    assert names(ctx) == ["miss", "draw"]
    assert len(pipe.states) == 61  # pipelines stay


def test_pipelines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit those go that were not used for the longest time."""
    monkeypatch.setattr("pydri.st.draw.plan.MAX_PIPELINES", 4)
    ctx, pipe, cache = planned()
    ctx.n.key.depth_test = 1
    funcs = (gl.GL_NEVER, gl.GL_LESS, gl.GL_EQUAL, gl.GL_LEQUAL)
    for func in (*funcs, funcs[0]):
        set_key(ctx, depth_func=func)
        ctx.draw()
    assert pipe.deleted == []
    set_key(ctx, depth_func=gl.GL_GREATER)
    ctx.draw()
    assert pipe.deleted == [0x2000] and len(cache.pipelines) == 4
    assert pipelines(ctx) == [0x1000, 0x2000, 0x3000, 0x4000, 0x1000, 0x5000]
    set_key(ctx, depth_func=funcs[1])
    ctx.draw()
    assert pipe.deleted == [0x2000, 0x3000] and pipelines(ctx) == [0x6000]


def test_failure_draws_nothing_and_is_tried_again() -> None:
    ctx, pipe, _ = planned()
    create = pipe.create_pipeline
    pipe.create_pipeline = lambda state: 0  # type: ignore[method-assign]
    ctx.draw()
    assert names(ctx) == ["miss"]
    pipe.create_pipeline = create  # type: ignore[method-assign]
    ctx.draw()
    assert names(ctx)[-1] == "draw"


def test_a_changed_framebuffer_goes_up_once() -> None:
    ctx, _, _ = planned()
    ctx.draw()
    ctx.take()
    ctx.stamp.value = 5
    ctx.draw()
    ctx.draw()
    assert names(ctx) == ["fb", "draw", "draw"]
    ctx.stamp.value, ctx.fb_result = 6, 0
    ctx.draw()
    assert names(ctx) == ["fb"]


def test_nothing_to_draw() -> None:
    ctx, _, _ = planned()
    ctx.draw(count=0)
    ctx.n.raw.scissor_enabled = 1  # and an empty box
    ctx.n.dirty |= la.DIRTY_VIEWPORT
    ctx.draw()
    ctx.n.raw.scissor_enabled = 0
    ctx.n.dirty |= la.DIRTY_VIEWPORT
    set_key(ctx, render_mode=2)  # feedback is Python's, also where the driver's calls are native
    ctx.n.hook_draw = ctx.hook(HOOK2, lambda c, info: ctx.note("feedback"))
    ctx.draw(count=0)
    ctx.draw()
    assert ctx.take() == [("feedback",)]


def test_a_driver_without_native_draws() -> None:
    ctx, _, _ = planned()
    ctx.pipe.draw_vbo = 0
    ctx.n.hook_draw = ctx.hook(HOOK2, lambda c, info: ctx.note("python draw"))
    ctx.draw()
    assert names(ctx) == ["miss", "python draw"]


def test_black_specular_is_a_key_bit() -> None:
    ctx, pipe, _ = planned()
    n = ctx.n
    n.key.light.lighting, n.key.light.flags[0] = 1, LIGHT_ENABLED
    n.key_dirty = 1
    ctx.draw()
    assert n.key.light.specular == 0
    n.val.materials[0].specular[1] = 0.5
    ctx.draw()
    assert n.key.light.specular == 1 and len(pipe.states) == 2
    n.val.materials[1].specular[3] = 0.5  # alpha is no colour
    n.val.materials[0].specular[1] = 0.0
    ctx.draw()
    assert n.key.light.specular == 0
    assert pipelines(ctx) == [0x1000, 0x2000, 0x1000]


def test_debug_prints_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    ctx, _, _ = planned()
    with options(PYDRI_DEBUG="st"):
        ctx.draw()
        capsys.readouterr()
        set_key(ctx, blend=1, blend_src_rgb=gl.GL_DST_COLOR, depth_test=1, depth_func=gl.GL_GEQUAL)
        ctx.n.key.attrib_format[2] = number("R8G8B8A8_UNORM")
        ctx.draw()
    text = capsys.readouterr().err
    assert "depth_func: 0 -> GL_GEQUAL" in text and "blend: 0 -> 1" in text
    assert "attrib_format[2]: NONE -> R8G8B8A8_UNORM" in text


def test_key_difference_names_paths() -> None:
    key: Any = la.KeyBlock.ctype()()
    old = bytes(key)
    key.stencil[1].zfail, key.light.flags[4] = 7, 3
    paths = {path: (a, b) for path, a, b in key_difference(old, bytes(key))}
    assert paths == {"stencil[1].zfail": (0, 7), "light.flags[4]": (0, 3)}


# -- the canonical state ---------------------------------------------------------------------------


def state_of(**values: Any) -> Any:
    ctx = FakeContext()
    key = ctx.n.key
    key.color_format, key.zs_format = number("B8G8R8A8_UNORM"), number("Z24_UNORM_S8_UINT")
    key.prim = 2
    for name, value in values.items():
        setattr(key, name, value)
    return pipeline_state(key)


def test_blend_state() -> None:
    assert not state_of(blend=1).blend.enabled  # ONE, ZERO
    on = state_of(blend=1, blend_src_rgb=gl.GL_SRC_ALPHA).blend
    assert on.enabled and on.rgb_src == gl.GL_SRC_ALPHA and on.alpha_src == gl.GL_ONE
    logic = state_of(color_logic_op=1, logic_op=gl.GL_XOR, blend=1, blend_dst_rgb=1).blend
    assert logic.logicop == gl.GL_XOR and not logic.enabled
    least = state_of(blend=1, blend_eq_rgb=gl.GL_MIN, blend_src_rgb=gl.GL_ZERO).blend
    assert (least.rgb_func, least.rgb_src, least.rgb_dst) == (gl.GL_MIN, 1, 1)
    bgrx = number("B8G8R8X8_UNORM")
    opaque = state_of(blend=1, blend_src_rgb=gl.GL_DST_ALPHA,
                      blend_dst_rgb=gl.GL_ONE_MINUS_DST_ALPHA, color_format=bgrx)
    assert not opaque.blend.enabled  # ONE, ZERO after all
    assert state_of(color_mask=7, color_format=bgrx).blend.colormask == 15
    assert state_of(color_mask=8, color_format=bgrx).blend.colormask == 0
    assert state_of(color_mask=0).shader(SHADER_FRAGMENT).outputs == ()


def test_depth_and_stencil_state() -> None:
    assert state_of().dsa == state_of(depth_func=gl.GL_EQUAL).dsa
    on = state_of(depth_test=1).dsa
    assert (on.depth_func, on.depth_write) == (gl.GL_LESS, True)
    assert state_of(depth_test=1, zs_format=0).dsa.depth_func == 0
    assert state_of(depth_test=1, depth_func=gl.GL_ALWAYS, depth_mask=0).dsa.depth_func == 0
    stencil = state_of(stencil_test=1)
    assert stencil.dsa.stencil_front is not None and stencil.dsa.stencil_back is not None
    assert state_of(stencil_test=1, prim=1).dsa.stencil_back is None
    assert state_of(stencil_test=1, zs_format=number("Z24X8_UNORM")).dsa.stencil_front is None
    assert state_of(alpha_test=1, alpha_func=gl.GL_GREATER).dsa.alpha_func == gl.GL_GREATER


def test_raster_state() -> None:
    flat = state_of(shade_model=gl.GL_FLAT, provoking=gl.GL_FIRST_VERTEX_CONVENTION).rast
    assert flat.flatshade and flat.provoking_first
    assert not state_of(provoking=gl.GL_FIRST_VERTEX_CONVENTION).rast.provoking_first
    lines = state_of(prim=1, polygon_front=gl.GL_LINE, line_smooth=1, point_smooth=1).rast
    assert lines.fill_front == gl.GL_FILL and lines.line_smooth and not lines.point_smooth


# -- clear and flush -------------------------------------------------------------------------------


def clearable() -> FakeContext:
    ctx = FakeContext()
    color = FakeSurface("B8G8R8A8_UNORM", 100, 80)
    zs = FakeSurface("Z24_UNORM_S8_UINT", 100, 80)
    ctx.keep = (color, zs)  # type: ignore[attr-defined]
    ctx.n.dyn.fb.cbuf, ctx.n.dyn.fb.zsbuf = color.address, zs.address
    ctx.n.key.color_format, ctx.n.key.zs_format = color.format.number, zs.format.number
    return ctx


ALL = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
EVERY = CLEAR_COLOR | CLEAR_DEPTH | CLEAR_STENCIL


def test_clear_passes_values() -> None:
    ctx = clearable()
    raw = ctx.n.raw
    raw.clear_color[:] = (0.25, 0.5, 0.75, 1.0)
    raw.clear_depth, raw.clear_stencil = 0.125, 0x1FE
    raw.stencil_writemask[0] = 0xFFFFFF0F
    ctx.n.key.color_mask = 0xBBBBBBBB
    call("glClear", ctx.address, ALL)
    expect = ("clear", EVERY, (0.25, 0.5, 0.75, 1.0), 0.125, 0xFE, 0xBBBBBBBB, 0x0F)
    assert ctx.take() == [expect]
    assert ctx.n.dyn.scissor_x1 == 100  # derived state is fresh


def test_a_clear_is_bounded_by_the_scissor_not_the_viewport() -> None:
    ctx = clearable()
    ctx.n.key.prim = 2
    ctx.n.raw.viewport[:] = (10, 10, 5, 5)
    boxes = []

    def clear(*args: Any) -> None:
        dyn = ctx.n.dyn
        boxes.append((dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1))

    ctx.pipe.clear = ctx.hook(CLEAR, clear)
    call("glClear", ctx.address, ALL)
    ctx.n.raw.scissor_enabled, ctx.n.raw.scissor[:] = 1, (20, 30, 40, 10)
    ctx.n.dirty |= la.DIRTY_VIEWPORT
    call("glClear", ctx.address, ALL)
    assert boxes == [(0, 0, 100, 80), (20, 40, 60, 50)]
    assert ctx.n.dyn.scissor_x1 <= 15  # a draw's box is as it was


@pytest.mark.parametrize(
    ("change", "buffers"),
    [
        ({"color_mask": 0}, EVERY & ~CLEAR_COLOR),
        ({"depth_mask": 0}, EVERY & ~CLEAR_DEPTH),
        ({"zs_format": number("Z24X8_UNORM")}, EVERY & ~CLEAR_STENCIL),
        ({"zs_format": number("S8_UINT")}, EVERY & ~CLEAR_DEPTH),
        ({"render_mode": 1}, 0),
    ],
)
def test_clear_leaves_out_what_cannot_be_written(change: dict[str, int], buffers: int) -> None:
    ctx = clearable()
    set_key(ctx, **change)
    call("glClear", ctx.address, ALL)
    assert [c[1] for c in ctx.take()] == ([buffers] if buffers else [])


def test_clear_without_buffers_and_with_wrong_bits() -> None:
    ctx = clearable()
    call("glClear", ctx.address, ALL | 1)
    assert ctx.n.error == gl.GL_INVALID_VALUE and not ctx.take()
    ctx.n.error = ctx.n.dyn.fb.cbuf = ctx.n.dyn.fb.zsbuf = 0
    call("glClear", ctx.address, ALL | gl.GL_ACCUM_BUFFER_BIT)
    assert ctx.n.error == 0 and not ctx.take()


def test_pending_vertices_come_first() -> None:
    ctx = clearable()
    ctx.n.flush_vertices = ctx.hook(HOOK, lambda a: ctx.note("vertices") or 0)
    for name, args in (("glClear", (ALL,)), ("glFlush", ()), ("glFinish", ())):
        ctx.n.vbo.count = 3
        call(name, ctx.address, *args)
        assert names(ctx)[0] == "vertices"


def test_flush_and_finish() -> None:
    ctx = clearable()
    ctx.n.hook_flush = ctx.hook(HOOK2, lambda a, finish: ctx.note("python", finish & 0xFFFFFFFF))
    call("glFlush", ctx.address)
    call("glFinish", ctx.address)
    ctx.n.framebuffers.window_draw.front = 64  # a front buffer has to be shown
    call("glFlush", ctx.address)
    ctx.n.framebuffers.window_draw.front = 0
    ctx.pipe.finish = 0
    call("glFinish", ctx.address)
    assert ctx.take() == [("flush",), ("finish",), ("python", 0), ("python", 1)]


def test_hash_spreads_single_bits() -> None:
    """Plans whose keys differ in one bit do not crowd: the table is still found through quickly."""
    ctx, _, cache = planned()
    ctx.draw()
    rng = np.random.default_rng(1)
    slots = set()
    entry: Any = la.PlanEntry.view(cache.entries[0])
    table = (ctypes.c_uint64 * (2 * 256)).from_address(ctx.n.plans)
    for _ in range(128):
        at = int(rng.integers(0, 152))
        old = entry.key[at]
        entry.key[at] ^= 1 << int(rng.integers(0, 8))
        ctypes.memset(ctx.n.plans, 0, ctypes.sizeof(table))
        cache._insert(ctx.address, cache.entries[0])
        slots.add(list(table)[1::2].index(cache.entries[0]))
        entry.key[at] = old
    assert len(slots) > 70  # 128 throws into 256 slots hit 101 on average
