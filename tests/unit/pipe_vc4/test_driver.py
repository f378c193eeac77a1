# SPDX-License-Identifier: MIT
"""The driver beside pipe_soft: states become packets, keys and uniforms that draw the same picture.

At edges pixels may differ, since vertices lie on 1/16 pixel; inside by rounding.
"""

from __future__ import annotations

import ctypes
import pathlib
import random
import re
from typing import Any

import numpy as np
import pytest

import pipe_soft
import pipe_vc4
from pipe_vc4 import debug
from pipe_vc4.job import job_text
from pipe_vc4.resource import layout
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import parse_job
from pipe_vc4.simulator.play import play_files, play_jobs
from pipe_vc4.simulator.tmu import Texture
from pipe_vc4.vertices import parts, primitives
from pydri.api.enums import GL_DEPTH_COMPONENT16
from pydri.main.textures.formats import INTERNAL, choose, choose_any
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_POS,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.nir.ir import Shader
from pydri.pipe.format import BY_NAME, number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX, Surface
from pydri.pipe.resource import BIND_SAMPLED, TARGET_2D
from pydri.pipe.state import (
    PRIM_RECTS,
    PRIM_TRIANGLES,
    RECT_BITS,
    RECT_RGBA8,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    RtBlend,
    ShaderRef,
    StencilSide,
    VertexElement,
    stages_of,
)
from pydri.util.options import options
from tests.unit.pipe_soft.bench import (
    PLANES,
    SIZE,
    Bench,
    Call,
    Clear,
    Rect,
    Target,
    fragment_shader,
    random_dynamic,
    stamps_of,
    vertex_shader,
)

COLOR, ZS = number("B8G8R8A8_UNORM"), number("Z24_UNORM_S8_UINT")
SLOTS = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_TEX0)
EDGES = 80  # pixels of SIZE x SIZE


def _state(fragment: str = "color", **changes: Any) -> PipelineState:
    floats = number("R32G32B32A32_FLOAT")
    shaders = {SHADER_VERTEX: vertex_shader(SLOTS), SHADER_FRAGMENT: fragment_shader(fragment)}
    state = PipelineState(
        stages_of(shaders), tuple(VertexElement(slot, floats) for slot in SLOTS),
        (ColorTarget(COLOR),), DepthStencilAlpha(), Rasterizer(), ZS, PRIM_TRIANGLES,
    )  # fmt: skip
    return state._replace(**changes)


def _target(**blend: Any) -> tuple[ColorTarget, ...]:
    return (ColorTarget(COLOR, RtBlend(**blend)),)


SIDES = StencilSide(0x203, 0x1E01, 0x1E02, 0x8507), StencilSide(0x206, 0x150A, 0x1E01, 0x1E03)


def _two_sided(**changes: Any) -> PipelineState:
    """Back colours are the second attribute."""

    def build() -> Shader:
        b = Builder(Shader("vertex"))
        written = (VARYING_SLOT_POS, VARYING_SLOT_COL0, VARYING_SLOT_BFC0)
        for slot, varying in zip(SLOTS, written, strict=True):
            b.store_output(b.load_input(slot, 4), varying)
        return b.shader

    outputs = VARYING_SLOT_POS, VARYING_SLOT_COL0, VARYING_SLOT_BFC0
    state = _state(rast=Rasterizer(twoside=True, **changes))
    return state.with_shader(SHADER_VERTEX, ShaderRef(b"two sides", build, SLOTS, outputs))


_MS = Multisample(enabled=True)
STATES: dict[str, PipelineState] = {
    "two sides": _two_sided(),
    "two sides, flat": _two_sided(flatshade=True),
    "plain": _state(),
    "flat": _state(rast=Rasterizer(flatshade=True)),
    "first": _state(rast=Rasterizer(flatshade=True, provoking_first=True)),
    "depth": _state(dsa=DepthStencilAlpha(0x201, True)),
    "depth written": _state("depth", dsa=DepthStencilAlpha(0x203, True)),
    "stencil": _state(dsa=DepthStencilAlpha(0x201, True, SIDES[0])),
    "stencil sides": _state(dsa=DepthStencilAlpha(0x207, False, *SIDES)),
    "alpha": _state(dsa=DepthStencilAlpha(alpha_func=0x204)),
    "discard": _state("discard"),
    "blend": _state(targets=_target(enabled=True, rgb_src=0x302, rgb_dst=0x303, alpha_src=0x8001,
                                    alpha_dst=0x306)),  # fmt: skip
    "logic operation": _state(targets=_target(logicop=0x1506)),
    "colour mask": _state(targets=_target(colormask=5)),
    "nothing": _state(targets=_target(colormask=0)),
    "clip planes": _state(rast=Rasterizer(clip_planes=3)),
    "coordinate": _state("coordinate"),
}
_BLEND = {"enabled": True, "rgb_src": 0x302, "rgb_dst": 0x303, "alpha_dst": 0x306}
#: states of four samples a pixel
SAMPLED: dict[str, PipelineState] = {
    name: state._replace(samples=4, multisample=how) for name, state, how in (
        ("edges", _state(), _MS), ("centres", _state(), Multisample()),
        ("depth", _state(dsa=DepthStencilAlpha(0x201, True)), _MS),
        ("depth written", _state("depth", dsa=DepthStencilAlpha(0x203, True)), _MS),
        ("depth of centres", _state(dsa=DepthStencilAlpha(0x201, True)), Multisample()),
        ("stencil sides", _state(dsa=DepthStencilAlpha(0x201, True, *SIDES)), _MS),
        ("discard", _state("discard"), _MS),
        ("blend", _state(targets=_target(**_BLEND)), _MS),
        ("logic operation", _state(targets=_target(logicop=0x1506)), _MS),
        ("colour mask", _state(targets=_target(colormask=5)), _MS),
        ("mask", _state(), _MS._replace(mask=True)),
        ("alpha to coverage", _state(), _MS._replace(alpha_to_coverage=True)),
        ("alpha to one", _state(targets=_target(**_BLEND), dsa=DepthStencilAlpha(alpha_func=0x204)),
         _MS._replace(mask=True, alpha_to_coverage=True, alpha_to_one=True)),
    )
}  # fmt: skip


def _dynamic() -> dict[str, Any]:
    """What is dynamic, the same each time: the whole viewport, a scissor."""
    dynamic = random_dynamic(random.Random(1), SIZE)
    dynamic |= {"scissor_x0": 3, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE - 2}
    return dynamic | {
        "viewport_scale": (SIZE / 2, -SIZE / 2, 0.5, 1.0),
        "viewport_translate": (SIZE / 2, SIZE / 2, 0.5, 0.0),
        "alpha_ref": 0.4, "blend_color": (0.3, 0.7, 0.9, 0.6), "cull": 0, "offset_flags": 0,
        "stencil_ref": (3, 2), "stencil_valuemask": (255, 7), "stencil_writemask": (15, 21),
        "sample_mask": 6,
    }  # fmt: skip


def _scene(create: Any, state: PipelineState, mode: int = 4) -> Bench:
    """Two triangles one over the other, a clear of a part between them."""
    bench = Bench(create, Target(COLOR, ZS, state.samples, False))
    bench.clear((0.2, 0.4, 0.6, 0.8), 0.7, 3)
    dynamic = _dynamic()
    for n in range(8):
        bench.dyn.clip_planes[n][:] = PLANES[n % len(PLANES)]
    rng = np.random.default_rng(5)
    for turn in (1, -1):
        places = [[-0.9, -0.8 * turn, 0.1, 1.0], [0.9, -0.7 * turn, 0.5, 1.3],
                  [0.1, 0.9 * turn, 0.9, 1.1], [-0.5, 0.6 * turn, 0.2, 1.0]]  # fmt: skip
        arrays = {VERT_ATTRIB_POS: np.array(places, "f4")}
        for slot in SLOTS[1:]:
            arrays[slot] = rng.uniform(0, 1, (4, 4)).astype("f4")
        bench.draw(Call(state, dynamic, arrays, mode, None, 4))
        bench.draw(Clear(0x100, (0.9, 0.1, 0.3, 1.0), 1.0, 0, 3, 0) if turn < 0 else
                   Clear(4, (0.0,) * 4, 1.0, 2, 15, 6))  # fmt: skip
    return bench


def _apart(state: PipelineState, mode: int = 4) -> tuple[int, Any]:
    """Samples that differ by more than 3 of 255 on the two drivers, and vc4's picture."""
    found = []
    for create in (pipe_soft.create_screen, pipe_vc4.create_screen):
        bench = _scene(create, state, mode)
        color, zs = bench.memory(bench.color), bench.memory(bench.zs)
        found.append((color.reshape(-1, 4).astype(int), zs.reshape(-1, 4)))
        bench.close()
    off = np.abs(found[0][0] - found[1][0]).max(axis=1) > 3
    stencils = found[0][1][:, 3] != found[1][1][:, 3]
    assert stencils.sum() <= EDGES * state.samples, "stencil"
    return int(off.sum()), found[1][0]


@pytest.mark.parametrize("name", STATES)
def test_a_state_draws_what_pipe_soft_draws(name: str) -> None:
    assert _apart(STATES[name])[0] <= EDGES


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_are_what_pipe_soft_draws(name: str) -> None:
    off, ours = _apart(SAMPLED[name])
    assert off <= 4 * EDGES
    pixels = ours.reshape(-1, 4, 4)
    apart = (pixels != pixels[:, :1]).any(axis=(1, 2)).sum()
    assert (apart > 20) == (not name.endswith("centres"))


def test_samples_are_resolved() -> None:
    """What stands for a surface of four samples gets their means, once for each change."""
    bench = _scene(pipe_vc4.create_screen, SAMPLED["edges"])
    shown = Surface.ctype()()
    bench.screen.surface_create(shown, COLOR, SIZE, SIZE)
    shown.multi = ctypes.addressof(bench.color)
    found = bench.memory(shown)[:, 0].astype(int)
    means = bench.memory(bench.color).astype(int).sum(axis=1) + 2 >> 2
    assert (found == means).all() and len(np.unique(found, axis=0)) > 20
    bench.screen.surface_spread(shown)
    assert (bench.memory(bench.color).astype(int) == found[:, None]).all()
    bench.close()


def test_a_job_of_samples_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """It is read again as it was, and plays into the means; configurations that differ do not."""
    with options(VC4_DEBUG="cl"):
        bench = _scene(pipe_vc4.create_screen, SAMPLED["blend"])
    text = "width " + capsys.readouterr().err.split("width ")[-1]
    job = parse_job(text)
    assert parse_job(job_text(job)) == job and job.samples == 4 and job.tiles == (0, 0, 1, 1)
    means = bench.memory(bench.color).astype(int).sum(axis=1).reshape(SIZE, SIZE, 4) + 2 >> 2
    bench.close()
    box = (slice(0, SIZE - 2), slice(3, SIZE))  # what the last clear left alone
    assert (play_jobs([job])[box][..., 0] == means[box][..., 0]).all()
    wrong = parse_job(text.replace("color_write -1 0 0001", "color_write -1 0 0000", 1))
    with pytest.raises(JobError, match="differ in their samples"):
        play_jobs([wrong])


@pytest.mark.parametrize("mode", [1, 2, 5, 6, 7, 8, 9])
def test_modes(mode: int) -> None:
    assert _apart(STATES["flat"], mode)[0] <= EDGES


@pytest.mark.parametrize(("fill", "mode"), [(0x1B01, 7), (0x1B01, 9), (0x1B00, 4), (0x1B01, 5)])
def test_edge_flags(fill: int, mode: int) -> None:
    """Edges of polygons that are no boundary are not drawn (GL 2.1, 2.6.2); those of strips are."""
    slots = (*SLOTS, VERT_ATTRIB_EDGEFLAG)
    floats = number("R32G32B32A32_FLOAT")
    state = _state(rast=Rasterizer(fill_front=fill, fill_back=fill, flatshade=True))
    state = state.with_shader(SHADER_VERTEX, vertex_shader(slots))._replace(
        elements=tuple(VertexElement(slot, floats) for slot in slots))
    places = [[-0.8, -0.7, 0, 1], [0.7, -0.8, 0, 1], [0.8, 0.7, 0, 1], [-0.6, 0.8, 0, 1]]
    arrays = {VERT_ATTRIB_POS: np.array(places, "f4")}
    for slot in slots[1:]:
        arrays[slot] = np.ones((4, 4), "f4")
    dynamic = {"scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE, "cull": 0,
               "viewport_scale": (SIZE / 2, SIZE / 2, 0.5, 1.0), "point_size": 1.0,
               "viewport_translate": (SIZE / 2, SIZE / 2, 0.5, 0.0), "offset_flags": 0}
    drawn = {}
    for flags in ((1, 1, 1, 1), (1, 0, 1, 0), (0, 0, 0, 0)):
        arrays[VERT_ATTRIB_EDGEFLAG] = np.repeat(np.array(flags, "f4")[:, None], 4, axis=1)
        found = []
        for create in (pipe_soft.create_screen, pipe_vc4.create_screen):
            bench = Bench(create, Target(COLOR, ZS, 1, False))
            bench.clear((0.0, 0.0, 0.0, 0.0), 1.0, 0)
            bench.draw(Call(state, dynamic, arrays, mode, None, 4))
            found.append(bench.memory(bench.color)[:, 0].any(axis=1))
            bench.close()
        drawn[flags] = int(found[1].sum())
        assert (found[0] != found[1]).sum() <= found[0].sum() // 4
    if mode == 5:
        assert len(set(drawn.values())) == 1
    else:
        assert drawn[1, 1, 1, 1] > drawn[1, 0, 1, 0] > drawn[0, 0, 0, 0] == 0


def _several(create: Any) -> Bench:
    """Three targets, two triangles over a clear, one target cleared between them."""
    small = number("B5G6R5_UNORM")
    bench = Bench(create, Target(COLOR, ZS, 1, False, (small, number("R8G8B8A8_UNORM"))))
    bench.dyn.scissor_x1 = bench.dyn.scissor_y1 = SIZE
    bench.clear_part(Clear(0x706, (0.2, 0.4, 0.6, 0.8), 0.7, 3, 0xFFF, 255))
    targets = (
        ColorTarget(COLOR, RtBlend(True, 0x8006, 1, 1, 0x8006, 1, 0)), ColorTarget(small),
        ColorTarget(number("R8G8B8A8_UNORM"), RtBlend(colormask=6)),
    )  # fmt: skip
    state = _state("several", dsa=DepthStencilAlpha(0x201, True, SIDES[0], None, 0x204),
                   targets=targets)  # fmt: skip
    dynamic = {
        "scissor_x0": 2, "scissor_y0": 1, "scissor_x1": SIZE, "scissor_y1": SIZE - 3, "cull": 0,
        "viewport_scale": (SIZE / 2, -SIZE / 2, 0.5, 1.0), "alpha_ref": 0.3, "offset_flags": 0,
        "viewport_translate": (SIZE / 2, SIZE / 2, 0.5, 0.0), "stencil_ref": (2, 2),
        "stencil_valuemask": (255, 7), "stencil_writemask": (15, 21),
    }  # fmt: skip
    rng = np.random.default_rng(6)
    for turn in (1, -1):
        places = [[-0.9, -0.8 * turn, 0.1, 1.0], [0.9, -0.7 * turn, 0.5, 1.3],
                  [0.1, 0.9 * turn, -0.4 * turn, 1.1]]  # fmt: skip
        arrays = {VERT_ATTRIB_POS: np.array(places, "f4")}
        for slot in SLOTS[1:]:
            arrays[slot] = rng.uniform(0, 1, (3, 4)).astype("f4")
        bench.draw(Call(state, dynamic, arrays, 4, None, 3))
        bench.clear_part(Clear(0x200, (0.9, 0.1, 0.3, 1.0), 1.0, 0, 0x0D0, 0))
    return bench


def test_several_targets() -> None:
    """The hardware has one at a time: each is drawn by a job of its own, on the same depths."""
    found = []
    for create in (pipe_soft.create_screen, pipe_vc4.create_screen):
        bench = _several(create)
        found.append([bench.memory(one)[:, 0] for one in (*bench.colors, bench.zs)])
        bench.close()
    small = [[pixels[1].copy().view("<u2")[:, 0]] for pixels in found]
    zs = [[pixels[3].copy().view("<u4")[:, 0]] for pixels in found]
    apart: list[tuple[Any, Any, int]] = [
        (*(pixels[0].T for pixels in found), 3), (*(pixels[2].T for pixels in found), 3),
        *((small[0][0] >> at & mask, small[1][0] >> at & mask, 1)
          for at, mask in ((11, 31), (5, 63), (0, 31))),
        (zs[0][0] & 0xFFFFFF, zs[1][0] & 0xFFFFFF, 1 << 12), (zs[0][0] >> 24, zs[1][0] >> 24, 0),
    ]  # fmt: skip
    for n, (soft, ours, bound) in enumerate(apart):
        off = np.atleast_2d(np.abs(soft.astype(np.int64) - ours.astype(np.int64)) > bound)
        assert off.any(axis=0).sum() <= EDGES, n
        assert len(np.unique(ours)) > 1, n


@pytest.mark.parametrize("kind", [RECT_BITS, RECT_RGBA8])
def test_rectangles(kind: int) -> None:
    box = (5, 6, 38, 27)
    columns, rows = stamps_of(box)
    size = columns * rows * (2 if kind == RECT_BITS else 64)
    image = np.random.default_rng(3).integers(0, 256, size, np.uint8).tobytes()
    fragment = "color" if kind == RECT_BITS else "pixel"
    state = _state(fragment, prim=PRIM_RECTS, rect=kind, zs_format=0, elements=())
    values = {VARYING_SLOT_COL0: (0.9, 0.2, 0.4, 1.0), VARYING_SLOT_TEX0: (1.0, 0.5, 0.8, 1.0)}
    dynamic = {"scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE}
    found = []
    for create in (pipe_soft.create_screen, pipe_vc4.create_screen):
        bench = Bench(create, Target(COLOR, 0, 1, False))
        bench.clear((0.2, 0.4, 0.6, 0.8), 1.0, 0)
        bench.draw(Rect(state, dynamic, box, 0.5, image, values))
        found.append(bench.memory(bench.color).astype(int))
        bench.close()
    assert np.abs(found[0] - found[1]).max() <= 1
    assert (found[1] != found[1][0]).any()


def test_a_job_as_text_plays_into_the_same_picture(capsys: pytest.CaptureFixture[str]) -> None:
    with options(VC4_DEBUG="cl"):
        bench = _scene(pipe_vc4.create_screen, STATES["blend"])
    last = capsys.readouterr().err.split("width ")[-1]
    job = parse_job("width " + last)
    assert parse_job(job_text(job)) == job
    picture = play_jobs([job])
    ours = bench.memory(bench.color).reshape(SIZE, SIZE, 4)
    bench.close()
    box = (slice(0, SIZE - 2), slice(3, SIZE))  # what the last clear left alone
    assert (picture[box][..., 0] == ours[box][..., 0]).all()


def test_shaderdb_has_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    with options(VC4_DEBUG="shaderdb,norast"):
        bench = _scene(pipe_vc4.create_screen, STATES["plain"])
    rows = [line.split("\t") for line in capsys.readouterr().err.splitlines()]
    assert [row[1] for row in rows] == ["FS", "VS", "CS"]
    assert all(row[0] == "shaderdb" and len(row) == 1 + len(debug.COLUMNS) for row in rows)
    blue = bench.memory(bench.color)[:, 0, 0]
    assert len(set(blue.tolist())) <= 2  # nothing was drawn but the CPU's clears
    assert bench.context.drawing.cache.misses == 3 and bench.context.drawing.cache.hits == 3
    bench.close()


@pytest.mark.parametrize(("word", "said"), [
    ("nir", ("FS prog # NIR:", "VS prog # NIR:", "CS prog # NIR:")),
    ("qir", tuple(f"{stage} prog # {what}QIR:" for stage in ("FS", "VS", "CS")
                  for what in ("pre-opt ", ""))),
    ("qpu", ("FS prog # QPU:", "VS prog # QPU:", "CS prog # QPU:")),
    ("surf", (f"vc4: target color, {SIZE}x{SIZE}: level 0 (T) -> 64x64, stride 256@0x00000000",
              f"vc4: target zs, {SIZE}x{SIZE}: level 0 (T) -> 64x64, stride 256@0x00000000")),
    ("perf", ("vc4: a clear of a part, or under a mask, is the CPU's and ends the job",)),
])  # fmt: skip
def test_words_of_vc4_debug(
    word: str, said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each word has what it names printed, and nothing else."""
    with options(VC4_DEBUG=word):
        _scene(pipe_vc4.create_screen, STATES["blend"]).close()
    told = re.sub(r"prog \d+/\d", "prog #", capsys.readouterr().err).splitlines()
    heads = [line for line in told if re.search(r"^vc4: |^\wS prog ", line)]
    assert tuple(dict.fromkeys(heads)) == said
    assert (len(told) > 40) == (word in ("nir", "qir", "qpu"))


def test_dumped_jobs_are_files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with options(VC4_DEBUG="dump"):
        _scene(pipe_vc4.create_screen, STATES["blend"]).close()
    files = sorted(tmp_path.glob("vc4-dri-*.job"), key=lambda path: int(path.stem[8:]))
    assert files and (play_files(files)[..., :3].reshape(-1, 3).std(axis=0) > 0).all()


def test_a_job_may_have_few_draws_or_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = []
    corners = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [0, 1, 0, 1]], "f4")
    triangle = Call(STATES["plain"], _dynamic(), dict.fromkeys(SLOTS, corners), 4, None, 3)
    for words, most in (("cl", 9), ("cl", 2), ("cl,always_flush", 9)):
        monkeypatch.setattr("pipe_vc4.draw.MAX_DRAWS", most)
        bench = Bench(pipe_vc4.create_screen, Target(COLOR, ZS, 1, False))
        with options(VC4_DEBUG=words):
            with monkeypatch.context() as changed:  # a job has all that its draws read
                changed.setattr(bench.context, "finish", lambda: None)
                for _ in range(3):
                    bench.draw(triangle)
            bench.context.finish()
        jobs.append(capsys.readouterr().err.count("\nwidth "))
        bench.close()
    assert jobs == [1, 2, 3]


@pytest.mark.parametrize(("width", "height", "levels"), [(64, 64, 7), (100, 20, 7), (5, 130, 1)])
def test_levels_lie_where_the_tmu_looks(width: int, height: int, levels: int) -> None:
    found, base, face = layout(width, height, levels, 4)
    texture = Texture([1 << 20 | base | levels - 1, height << 20 | width << 8])
    assert base % 4096 == face % 4096 == 0
    for one, level in zip(found, texture.levels, strict=True):
        assert (1 << 20) + base - one.offset == level.address >= 1 << 20
        assert (one.width, one.height, one.stored[0], one.tiling) == (
            level.width, level.height, level.stored_width, level.tiling,
        )  # fmt: skip


def test_long_strips_are_cut() -> None:
    class Dynamic:
        cull = 0

    found = parts(primitives(STATES["plain"], Dynamic(), 5, 70000, 3))
    assert [one.mode for one in found] == [4] * len(found)
    assert sum(len(one.order) for one in found) == 3 * (70000 - 2)
    assert max(len(np.unique(one.order)) for one in found) <= 1 << 16


def test_textures_of_more_bits_have_fewer_here() -> None:
    """GL accepts them (GL 2.1, 3.8.1); what a driver names itself stays as it is."""
    import pipe_llvm

    missing = set()
    for create, fewer in ((pipe_vc4.create_screen, True), (pipe_llvm.create_screen, False)):
        screen = create(None)
        for row in INTERNAL.values():
            def sampled(n: int, screen: Any = screen) -> bool:
                return screen.is_format_supported(n, TARGET_2D, 1, BIND_SAMPLED)

            plain, found = choose(row, sampled), choose_any(row, sampled)
            if plain is not None or not fewer:
                assert found is plain
            elif found is None:
                missing.add(row.formats[0].rpartition("_")[2])
            else:
                assert found.kind == BY_NAME[row.formats[0]].kind
    assert missing <= {"SNORM", "FLOAT", "UFLOAT", "SINT", "UINT", "SRGB", "UNORM"}
    assert choose_any(INTERNAL[GL_DEPTH_COMPONENT16], lambda n: n == ZS) is BY_NAME[
        "Z24_UNORM_S8_UINT"]
