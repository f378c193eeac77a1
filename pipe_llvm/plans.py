# SPDX-License-Identifier: MIT
"""What the native LpPlan is told of a pipeline's recipe: everything but where its functions are.

In: a Recipe. Out: the fields of an LpPlan that kernels for all pipelines read. Imported where a
plan is made; one that was made before is found whole (plan_records.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.fragment.packet import packet_bytes
from pipe_llvm.native import (
    MAX_ROW_FLOATS,
    MAX_VIEWS,
    PLAN_FLAT,
    PLAN_NO_COLOR,
    PLAN_UNFILLED,
    PLAN_USES_ZS,
    PLAN_WRITES_STENCIL,
    SETUP_FLAT,
    SETUP_NO_BACK,
    SETUP_PERSPECTIVE,
)
from pydri.pipe.state import PRIM_RECTS, RECT_PIXEL_BYTES

if TYPE_CHECKING:
    from pipe_llvm.recipe import FragmentPart, PrimitivePart, Recipe, SetupPart, VertexPart
    from pydri.pipe.state import Accesses, ShaderRef

#: kinds of inputs, for the setup kernel for any
_KINDS = {"flat": SETUP_FLAT, "linear": 0, "perspective": SETUP_PERSPECTIVE}


def describe(plan: Any, made: Recipe) -> None:
    """Tell a plan (a ctypes view) what it is made of."""
    describe_fragments(plan, made.fragment)
    plan.packet_bytes = packet_bytes(made.setup.layout.fields)
    if made.vertex is None or made.primitive is None:
        _describe_rectangles(plan, made.setup, made.fragment)
    else:
        if any_setup(made.setup):
            _describe_setup(plan, made.setup)
        _describe_vertices(plan, made.vertex)
        _describe_primitives(plan, made.primitive, made.setup)
        _describe_access(plan.vs_access, made.vertex.shader.access)
    _describe_access(plan.fs_access, made.fragment.shader.access)


def any_setup(part: SetupPart) -> bool:
    """Whether the setup kernel for any inputs (setup/any_inputs.py) makes such packets."""
    layout = part.layout
    fits = part.triangles and not part.boxes and not layout.samples and not layout.smooth
    return fits and not part.depth.is_float and len(layout.inputs) <= MAX_ROW_FLOATS


def _describe_setup(plan: Any, part: SetupPart) -> None:
    """What the setup kernel for any inputs reads."""
    layout = part.layout
    plan.setup_unit, plan.setup_perspective = part.depth.unit, int(layout.perspective)
    plan.setup_inputs = len(layout.inputs)
    for n, (item, source) in enumerate(zip(layout.inputs, part.sources, strict=True)):
        back = source.back if source.back >= 0 else SETUP_NO_BACK
        plan.setup_map[n] = source.row | back << 16 | item.field << 32 | _KINDS[item.interp] << 48


def _describe_access(into: Any, access: Accesses) -> None:
    """Which memory that shaders write a shader accesses, as LpAccess has it."""
    for name, mask in zip(access._fields, access, strict=True):
        setattr(into, name, mask)
    into.writes = int(access.writes)


def _views_of(shader: ShaderRef) -> int:
    """How many views a shader reads."""
    if shader.textures > MAX_VIEWS:
        raise ValueError(f"a shader with {shader.textures} textures")
    return shader.textures


def describe_fragments(plan: Any, part: FragmentPart) -> None:
    """What the rasteriser must know of a fragment kernel, and where a scene gets what it reads."""
    fs, dsa = part.shader, part.dsa
    constants = part.constants
    plan.const_start, plan.const_bytes = constants.values[0], constants.values_bytes
    plan.uniform_start, plan.uniform_bytes = constants.uniforms[0], constants.uniforms_bytes
    plan.uniforms_at, plan.views_at = constants.uniforms_at, constants.views
    plan.blocks_at, plan.memory_at = constants.blocks_at, constants.memory
    plan.state_bytes = constants.size
    plan.views = _views_of(fs)
    plan.ways[:] = fs.ways
    plan.fs_memory = int(fs.access.some)
    plan.fs_blocks = len(fs.blocks)
    plan.fs_block_bytes[: plan.fs_blocks] = fs.blocks
    if not any(target.format for target in part.targets):
        plan.flags |= PLAN_NO_COLOR
    stencil = dsa.stencil_front is not None
    if part.zs_format and (dsa.depth_func or stencil):
        plan.flags |= PLAN_USES_ZS
    if part.zs_format and stencil:
        plan.flags |= PLAN_WRITES_STENCIL


def _describe_vertices(plan: Any, part: VertexPart) -> None:
    """What the vertex stage reads, and how long its rows are."""
    vs = part.shader
    plan.vs_inputs = sum(1 << element.slot for element in part.elements)
    plan.vs_views = _views_of(vs)
    plan.vs_ways[:] = vs.ways
    plan.vs_memory = int(vs.access.some)
    plan.vs_blocks = len(vs.blocks)
    plan.vs_block_bytes[: plan.vs_blocks] = vs.blocks
    plan.row_bytes = part.rows.floats * 4


def _describe_primitives(plan: Any, part: PrimitivePart, setup: SetupPart) -> None:
    """How primitives are assembled; for clipping and polygon modes, which floats of a row are flat
    or linear in the window; and for what makes triangles of points, where their fragments'
    coordinates lie in a row."""
    plan.prim = part.prim
    plan.clip_planes = part.clip_planes
    plan.psiz_offset, plan.primitive_offset = part.psiz, part.number
    plan.line_coverage, plan.point_coverage = part.line_coverage, part.point_coverage
    plan.flags |= part.flags
    plan.captures = len(part.captures)
    for place, row in zip(plan.capture_map, part.captures):
        place.source, place.clip, place.count = row.source, int(row.clip), row.components
        place.buffer, place.offset = row.buffer, 4 * row.offset
    plan.capture_strides[: len(part.strides)] = [4 * stride for stride in part.strides]
    for item, source in zip(setup.layout.inputs, setup.sources, strict=True):
        for row in (source.row, source.back):
            if row < 0:
                continue
            if item.interp == "flat":
                plan.flags |= PLAN_FLAT
                plan.flat[row // 32] |= 1 << row % 32
            elif item.interp == "linear":
                plan.noperspective[row // 32] |= 1 << row % 32
        if source.sprite:
            plan.sprite_map[plan.sprites] = source.row | item.component << 8
            plan.sprites += 1
    if part.flags & PLAN_UNFILLED:
        plan.fill_front, plan.fill_back = part.fill_front, part.fill_back
        plan.edge_offset = part.edge
        plan.offset_unit = -1.0 if setup.depth.is_float else setup.depth.unit


def _describe_rectangles(plan: Any, setup: SetupPart, part: FragmentPart) -> None:
    """Where a rectangle's packet has the values that are drawn with."""
    layout = setup.layout
    plan.prim = PRIM_RECTS
    plan.rect_inputs, plan.rect_image = len(layout.inputs), layout.image
    plan.rect_bytes = RECT_PIXEL_BYTES.get(part.rect or 0, 0)
    for n, (item, source) in enumerate(zip(layout.inputs, setup.sources, strict=True)):
        plan.rect_map[n] = source.row | item.field << 16


__all__ = ["any_setup", "describe", "describe_fragments"]
