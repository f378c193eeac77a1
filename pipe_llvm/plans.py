# SPDX-License-Identifier: MIT
"""What a pipeline's plan consists of: its `Recipe`.

In: a PipelineState. Out: the layouts and modules of its kernels, and what the native LpPlan is told
of them. Imported where a plan is made or improved; one that was made before is found whole
(plan_records.py).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.draw.coverage import with_coverage
from pipe_llvm.draw.layout import make_layout
from pipe_llvm.draw.plan import vertex_inputs, vs_module
from pipe_llvm.fragment.constants import constants_of
from pipe_llvm.fragment.packet import is_sprite, make_packet_layout, make_rect_layout
from pipe_llvm.fragment.variants import fs_module
from pipe_llvm.native import (
    MAX_VIEWS,
    PLAN_BOXES,
    PLAN_FLAT,
    PLAN_MULTISAMPLE,
    PLAN_NO_COLOR,
    PLAN_POLY_SMOOTH,
    PLAN_PROVOKING_FIRST,
    PLAN_STIPPLED,
    PLAN_UNFILLED,
    PLAN_USES_ZS,
    PLAN_WRITES_STENCIL,
    VARYING_SLOT_LINE_COVERAGE,
    VARYING_SLOT_POINT_COVERAGE,
    LpAccess,
)
from pipe_llvm.setup.any_inputs import describe as describe_inputs
from pipe_llvm.setup.any_inputs import serves
from pydri.jit import Module
from pydri.nir.enums import (
    VARYING_SLOT_EDGE,
    VARYING_SLOT_POS,
    VARYING_SLOT_PRIMITIVE_ID,
    VARYING_SLOT_PSIZ,
)
from pydri.pipe.format import FORMATS
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_POINTS,
    PRIM_RECTS,
    PRIM_TRIANGLES,
    RECT_PIXEL_BYTES,
    PipelineState,
    ShaderRef,
    key_bytes,
)

if TYPE_CHECKING:
    from pipe_llvm.fragment.packet import PacketLayout
    from pipe_llvm.native import VertexLayout

#: a module, and which fields of the plan its functions are
Part = tuple[Module, dict[str, str]]


def resolvable(bits: int) -> float:
    """The least difference of depth that polygon offset counts in (r of GL 2.1, 3.5.5): two steps
    of fixed point, since half of one step rounds either way, but not less than interpolation with
    24 bits can tell apart everywhere."""
    return max(2.0 / ((1 << bits) - 1), 2.0**-23)


class _DepthStep(NamedTuple):
    """What a unit of polygon offset is in a depth buffer: `unit` (0 where nothing holds depth), but
    for floats the exponent of the greatest depth of a polygon decides."""

    unit: float
    is_float: bool


def _depth_step(state: PipelineState) -> _DepthStep:
    channels = FORMATS[state.zs_format].channels
    kind, bits = channels[0] if channels else ("", 0)
    return _DepthStep(resolvable(bits) if kind == "un" else 0.0, kind == "f")


def _setup_module(
    rows: VertexLayout, layout: PacketLayout, depth: _DepthStep, points: bool, boxes: bool
) -> Module:
    """The kernels that make packets: of triangles unless all is `points`, and of `boxes`."""

    def kernels(hurried: bool) -> list[Any]:
        from pipe_llvm.setup.point import make_point_setup
        from pipe_llvm.setup.triangle import make_setup

        made = [] if points else [make_setup("lp_setup", layout, *depth, hurried)]
        return [*made, make_point_setup("lp_points", rows, layout)] if boxes else made

    key = key_bytes(rows, layout, *depth, boxes)
    best, first = partial(kernels, False), partial(kernels, True)
    return Module("lp_setup", best, key, variant=True, first=first)


def _views_of(shader: ShaderRef) -> int:
    """How many views a shader reads."""
    if shader.textures > MAX_VIEWS:
        raise ValueError(f"a shader with {shader.textures} textures")
    return shader.textures


def _describe_fragments(plan: Any, state: PipelineState, layout: PacketLayout) -> None:
    """Tell a plan what the rasteriser must know of its fragment kernel."""
    plan.packet_bytes = layout.bytes
    fs, vs = state.shader(SHADER_FRAGMENT), state.stages[SHADER_VERTEX]
    constants_of(fs).describe(plan)
    plan.prim = state.prim
    plan.views = _views_of(fs)
    plan.fs_memory, plan.vs_memory = int(fs.access.some), int(vs is not None and vs.access.some)
    LpAccess.describe(plan.fs_access, fs.access)
    if vs is not None:
        LpAccess.describe(plan.vs_access, vs.access)
    vs_blocks = vs.blocks if vs is not None else ()
    plan.fs_blocks, plan.vs_blocks = len(fs.blocks), len(vs_blocks)
    plan.fs_block_bytes[: plan.fs_blocks] = fs.blocks
    plan.vs_block_bytes[: plan.vs_blocks] = vs_blocks
    plan.ways[:] = fs.ways
    if not any(target.format for target in state.targets):
        plan.flags |= PLAN_NO_COLOR
    stencil = state.dsa.stencil_front is not None
    if state.zs_format and (state.dsa.depth_func or stencil):
        plan.flags |= PLAN_USES_ZS
    if state.zs_format and stencil:
        plan.flags |= PLAN_WRITES_STENCIL


def _describe_varyings(plan: Any, layout: PacketLayout) -> None:
    """Tell clipping and polygon modes which floats of a row are flat or linear in the window."""
    for item in layout.inputs:
        for row in (item.row, item.back_row):
            if row < 0:
                continue
            if item.interp == "flat":
                plan.flags |= PLAN_FLAT
                plan.flat[row // 32] |= 1 << row % 32
            elif item.interp == "linear":
                plan.noperspective[row // 32] |= 1 << row % 32


def _describe_captures(plan: Any, state: PipelineState, rows: VertexLayout) -> None:
    """Tell stream output what it writes."""
    plan.captures = len(state.stream_output.captures)
    for row, item in zip(plan.capture_map, state.stream_output.captures):
        row.clip = int(item.slot == VARYING_SLOT_POS)
        row.source = item.component
        if not row.clip:
            row.source += rows.widest(item.slot).offset
        row.count, row.buffer, row.offset = item.components, item.buffer, 4 * item.offset
    for n, stride in enumerate(state.stream_output.strides):
        plan.capture_strides[n] = 4 * stride


def _describe_sprites(plan: Any, layout: PacketLayout) -> None:
    """Tell what makes triangles of points where their fragments' coordinates lie in a row."""
    for item in layout.inputs:
        if is_sprite(layout.sprites, item.slot):
            plan.sprite_map[plan.sprites] = item.row | item.component << 8
            plan.sprites += 1


def _primitive_flags(state: PipelineState, boxes: bool) -> int:
    """The PLAN_* bits that say how primitives are assembled and set up."""
    rast = state.rast
    return sum(
        flag
        for flag, holds in (
            (PLAN_BOXES, boxes),
            (PLAN_PROVOKING_FIRST, rast.provoking_first),
            (PLAN_POLY_SMOOTH, rast.poly_smooth),
            (PLAN_STIPPLED, rast.line_stipple),
            (PLAN_MULTISAMPLE, state.multisample.enabled),
            (PLAN_UNFILLED, rast.unfilled and state.prim == PRIM_TRIANGLES),
        )
        if holds
    )


class Recipe(NamedTuple):
    """What a plan is made of. Rectangles have no rows."""

    state: PipelineState  # with what smooth primitives and the like add
    rows: VertexLayout | None
    layout: PacketLayout
    depth: _DepthStep
    points: bool  # of whole pixels, and nothing else
    boxes: bool  # points that are squares of whole pixels are made, alone or as corners

    def modules(self) -> tuple[Part, ...]:
        """The modules of the kernels; that of fragments comes last."""
        fragments: Part = fs_module(self.state, self.layout), {"fs": "lp_fs"}
        if self.rows is None:
            return (fragments,)
        fields = {} if self.points else {"setup": "lp_setup"}
        if self.boxes:
            fields["points"] = "lp_points"
        setup = _setup_module(self.rows, self.layout, self.depth, self.points, self.boxes)
        # in this order a helper begins with them (context.py): setup takes LLVM the longest
        return (setup, fields), (vs_module(self.state, self.rows), {"vs": "lp_vs"}), fragments

    def any_setup(self) -> bool:
        """Whether the setup kernel for any inputs can serve."""
        apart = self.rows is None or self.points or self.boxes
        return not apart and serves(self.layout, self.depth.is_float)

    def describe(self, plan: Any) -> None:
        """Tell a plan everything but where its functions are."""
        if self.any_setup():
            describe_inputs(plan, self.layout, self.depth.unit)
        if self.rows is None:
            self._describe_rectangles(plan)
            return
        state, rows = self.state, self.rows
        plan.vs_inputs = vertex_inputs(state)
        vs = state.shader(SHADER_VERTEX)
        plan.vs_views = _views_of(vs)
        plan.vs_ways[:] = vs.ways
        plan.row_bytes = rows.floats * 4
        _describe_fragments(plan, state, self.layout)
        plan.psiz_offset = max(0, rows.offset_of(VARYING_SLOT_PSIZ))
        plan.primitive_offset = max(0, rows.offset_of(VARYING_SLOT_PRIMITIVE_ID))
        plan.line_coverage = max(0, rows.offset_of(VARYING_SLOT_LINE_COVERAGE))
        plan.point_coverage = max(0, rows.offset_of(VARYING_SLOT_POINT_COVERAGE))
        plan.clip_planes = state.rast.clip_planes
        _describe_varyings(plan, self.layout)
        _describe_captures(plan, state, rows)
        _describe_sprites(plan, self.layout)
        plan.flags |= _primitive_flags(state, self.boxes)
        if plan.flags & PLAN_UNFILLED:
            plan.fill_front, plan.fill_back = state.rast.fill_front, state.rast.fill_back
            plan.edge_offset = max(0, rows.offset_of(VARYING_SLOT_EDGE))
            plan.offset_unit = -1.0 if self.depth.is_float else self.depth.unit

    def _describe_rectangles(self, plan: Any) -> None:
        layout, rect = self.layout, self.state.rect
        _describe_fragments(plan, self.state, layout)
        plan.rect_inputs, plan.rect_image = len(layout.inputs), layout.image
        plan.rect_bytes = RECT_PIXEL_BYTES.get(rect, 0)
        for n, item in enumerate(layout.inputs):
            plan.rect_map[n] = item.row | item.field << 16


def recipe(state: PipelineState) -> Recipe:
    """The recipe of points, lines, triangles or rectangles."""
    depth = _depth_step(state)
    if state.prim == PRIM_RECTS:
        fs = state.shader(SHADER_FRAGMENT)
        layout = make_rect_layout(fs.inputs, state.rect)
        return Recipe(state, None, layout, depth, False, False)
    state = with_coverage(state)
    fs = state.shader(SHADER_FRAGMENT)
    rows = make_layout(fs.inputs, state.rast, state.stream_output.captures)
    samples = state.samples if state.multisample.enabled else 0
    # points that are squares of whole pixels: all there is, or corners of polygons
    squares = not samples and not state.rast.point_smooth
    points = squares and state.prim == PRIM_POINTS
    boxes = points or (squares and state.prim == PRIM_TRIANGLES and state.rast.unfilled)
    layout = make_packet_layout(
        fs.inputs, rows, state.rast, samples, points, state.rast.poly_smooth,
        fs.uses_position, boxes,
    )  # fmt: skip
    return Recipe(state, rows, layout, depth, points, boxes)


__all__ = ["Part", "Recipe", "recipe", "resolvable"]
