# SPDX-License-Identifier: MIT
"""What the native LpPlan is told of a pipeline's recipe: everything but where its functions are.

In: a Recipe. Out: the fields of an LpPlan that kernels for all pipelines read. Imported where a
plan is made; one that was made before is found whole (plan_records.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from pipe_llvm.draw.layout import emitted_bytes, emitted_cells
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
    from pipe_llvm.recipe import FragmentPart, GeometryPart, PrimitivePart, Recipe, SetupPart
    from pydri.pipe.state import Accesses, ShaderRef

#: kinds of inputs, for the setup kernel for any
_KINDS = {"flat": SETUP_FLAT, "linear": 0, "perspective": SETUP_PERSPECTIVE}


def describe(plan: Any, made: Recipe) -> None:
    """Tell a plan (a ctypes view) what it is made of."""
    setup, fragment = made.setup, made.fragment
    if setup is not None and fragment is not None:
        describe_fragments(plan, fragment)
        plan.packet_bytes = packet_bytes(setup.layout.fields)
        if made.vertex is None:
            plan.prim = PRIM_RECTS
            _describe_rectangles(plan.rect, setup, fragment)
    if made.vertex is not None and made.primitive is not None:
        if any_setup(setup):
            _describe_setup(plan.any_setup, setup)
        plan.vertex_inputs = sum(1 << element.slot for element in made.vertex.elements)
        last = made.vertex if made.geometry is None else made.geometry
        plan.row_bytes = last.rows.floats * 4
        _describe_stage(plan.vertex, made.vertex.shader)
        _describe_primitives(plan, made.primitive)
        if setup is not None:
            _describe_rows(plan, setup)
        _describe_access(plan.vertex.access, made.vertex.shader.access)
        if made.geometry is not None:
            _describe_geometry(plan, made.geometry)
    if fragment is not None:
        _describe_access(plan.fragment.access, fragment.shader.access)


def any_setup(part: SetupPart | None) -> TypeGuard[SetupPart]:
    """Whether the setup kernel for any inputs (setup/any_inputs.py) makes such packets."""
    if part is None:
        return False
    layout = part.layout
    fits = part.triangles and not part.boxes and not layout.samples and not layout.smooth
    fits = fits and part.layer < 0
    return fits and not part.depth.is_float and len(layout.inputs) <= MAX_ROW_FLOATS


def _describe_setup(into: Any, part: SetupPart) -> None:
    """LpAnySetup."""
    into.unit, into.perspective = part.depth.unit, int(part.layout.perspective)
    into.inputs = len(part.layout.inputs)
    for n, (item, source) in enumerate(zip(part.layout.inputs, part.sources, strict=True)):
        back = source.back if source.back >= 0 else SETUP_NO_BACK
        into.map[n] = source.row | back << 16 | item.field << 32 | _KINDS[item.interp] << 48


def _describe_access(into: Any, access: Accesses) -> None:
    """LpAccess."""
    for name, mask in zip(access._fields, access, strict=True):
        setattr(into, name, mask)
    into.writes = int(access.writes)


def _describe_stage(into: Any, shader: ShaderRef) -> None:
    """LpStagePlan, but for what the shader accesses."""
    if shader.textures > MAX_VIEWS:
        raise ValueError(f"a shader with {shader.textures} textures")
    into.views = shader.textures
    into.ways[:] = shader.ways
    into.memory = int(any(shader.access))
    into.blocks = len(shader.blocks)
    into.block_bytes[: into.blocks] = shader.blocks


def describe_fragments(plan: Any, part: FragmentPart) -> None:
    """What the rasteriser must know of a fragment kernel, and where a scene gets what it reads."""
    into, constants, dsa = plan.state, part.constants, part.dsa
    into.const_start, into.const_bytes = constants.values[0], constants.values_bytes
    into.uniform_start, into.uniform_bytes = constants.uniforms[0], constants.uniforms_bytes
    into.uniforms_at, into.views_at = constants.uniforms_at, constants.views
    into.blocks_at, into.memory_at = constants.blocks_at, constants.memory
    into.bytes = constants.size
    _describe_stage(plan.fragment, part.shader)
    if not any(target.format for target in part.targets):
        plan.flags |= PLAN_NO_COLOR
    stencil = dsa.stencil_front is not None
    if part.zs_format and (dsa.depth_func or stencil):
        plan.flags |= PLAN_USES_ZS
    if part.zs_format and stencil:
        plan.flags |= PLAN_WRITES_STENCIL


def _describe_geometry(plan: Any, part: GeometryPart) -> None:
    """What it reads, and what it makes."""
    _describe_stage(plan.geometry, part.shader)
    _describe_access(plan.geometry.access, part.shader.access)
    into, emits = plan.emits, part.shader.emits
    into.input_bytes = part.inputs.floats * 4
    into.invocations, into.most, into.mode = emits.invocations, emits.vertices, emits.mode
    into.cells = len(emitted_cells(part.shader.outputs, part.rows, part.clip_planes)) + 1
    into.bytes = emitted_bytes(into.most, into.cells)


def _describe_primitives(plan: Any, part: PrimitivePart) -> None:
    """How primitives are assembled, and where a row has what the links behind look for."""
    into = plan.primitive
    plan.prim = part.prim
    plan.flags |= part.flags
    into.clip_planes = part.clip_planes
    into.psiz, into.number = part.psiz, part.number
    into.line_coverage, into.point_coverage = part.line_coverage, part.point_coverage
    if part.flags & PLAN_UNFILLED:
        into.fill_front, into.fill_back, into.edge = part.fill_front, part.fill_back, part.edge
    stream = plan.stream
    stream.captures = len(part.captures)
    for place, capture in zip(stream.map, part.captures):
        place.source, place.clip = capture.source, int(capture.clip)
        place.count, place.buffer = capture.components, capture.buffer
        place.offset = 4 * capture.offset
    stream.strides[: len(part.strides)] = [4 * stride for stride in part.strides]


def _describe_rows(plan: Any, part: SetupPart) -> None:
    """For clipping and polygon modes, which floats of a row are flat or linear in the window; for
    what makes triangles of points, where their fragments' coordinates lie in a row."""
    into = plan.primitive
    into.offset_unit = -1.0 if part.depth.is_float else part.depth.unit
    if part.layer >= 0:
        plan.flags |= PLAN_FLAT
        into.flat[part.layer // 32] |= 1 << part.layer % 32
    for item, source in zip(part.layout.inputs, part.sources, strict=True):
        for row in (source.row, source.back):
            if row < 0:
                continue
            if item.interp == "flat":
                plan.flags |= PLAN_FLAT
                into.flat[row // 32] |= 1 << row % 32
            elif item.interp == "linear":
                into.noperspective[row // 32] |= 1 << row % 32
        if source.sprite:
            into.sprite_map[into.sprites] = source.row | item.component << 8
            into.sprites += 1


def _describe_rectangles(into: Any, setup: SetupPart, part: FragmentPart) -> None:
    """LpRectPlan: where a rectangle's packet has the values that are drawn with."""
    into.inputs, into.image = len(setup.layout.inputs), setup.layout.image
    into.bytes = RECT_PIXEL_BYTES.get(part.rect or 0, 0)
    for n, (item, source) in enumerate(zip(setup.layout.inputs, setup.sources, strict=True)):
        into.map[n] = source.row | item.field << 16


__all__ = ["any_setup", "describe", "describe_fragments"]
