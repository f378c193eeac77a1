# SPDX-License-Identifier: MIT
"""What a pipeline is made of: its `Recipe`, made from a PipelineState once.

In: a PipelineState. Out: typed parts, one for each room that makes kernels or is told something.
Each room gets its part alone, and a part has nothing but what decides the room's code: two states
with equal parts share the kernel, and what a part has not cannot make another kernel. Behind this
file nobody looks at the state. Imported where a plan is made or improved; one that was made before
is found whole (plan_records.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipe_llvm.draw.coverage import covered
from pipe_llvm.draw.layout import VertexLayout, input_layout, make_layout
from pipe_llvm.fragment.constants import Constants, constants_of
from pipe_llvm.fragment.packet import (
    PacketLayout,
    PacketShape,
    Source,
    make_packet_layout,
    make_rect_layout,
)
from pipe_llvm.native import (
    PLAN_BOXES,
    PLAN_MULTISAMPLE,
    PLAN_POLY_SMOOTH,
    PLAN_PROVOKING_FIRST,
    PLAN_STIPPLED,
    PLAN_UNFILLED,
    VARYING_SLOT_LINE_COVERAGE,
    VARYING_SLOT_POINT_COVERAGE,
)
from pydri.jit import Module
from pydri.jit.naming import blake2b
from pydri.nir.enums import (
    VARYING_SLOT_EDGE,
    VARYING_SLOT_LAYER,
    VARYING_SLOT_POS,
    VARYING_SLOT_PRIMITIVE_ID,
    VARYING_SLOT_PSIZ,
)
from pydri.pipe.format import FORMATS
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_GEOMETRY, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_POINTS,
    PRIM_RECTS,
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    ShaderRef,
    VertexElement,
    key_bytes,
)

if TYPE_CHECKING:
    from pydri.jit.kernel import Kernel

P = TypeVar("P")
#: what PrimitivePart has the floats of, in its order
_TOLD = (
    VARYING_SLOT_PSIZ,
    VARYING_SLOT_PRIMITIVE_ID,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_LINE_COVERAGE,
    VARYING_SLOT_POINT_COVERAGE,
)


class DepthStep(NamedTuple):
    """What a unit of polygon offset is in a depth buffer: `unit` (0 where nothing holds depth), but
    for floats the exponent of the greatest depth of a polygon decides."""

    unit: float
    is_float: bool


class VertexPart(NamedTuple):
    """What the vertex stage is made of (draw/vs.py)."""

    shader: ShaderRef
    elements: tuple[VertexElement, ...]  # that the shader reads
    rows: VertexLayout
    clip_planes: int
    depth_clamp: bool
    last: bool = True  # no geometry shader reads these rows


class GeometryPart(NamedTuple):
    """What the geometry stage is made of (draw/geometry_kernel.py)."""

    shader: ShaderRef
    inputs: VertexLayout
    rows: VertexLayout
    clip_planes: int
    depth_clamp: bool


class CaptureRow(NamedTuple):
    """What stream output writes of a vertex (Capture of pydri/pipe/state.py): floats of its row
    from `source` on, or clip coordinates."""

    source: int
    clip: bool
    components: int
    buffer: int
    offset: int  # floats


class PrimitivePart(NamedTuple):
    """What the links between vertices and setup are told (draw/): how primitives are assembled,
    clipped, and turned into triangles."""

    prim: int  # PRIM_*
    flags: int  # PLAN_*
    clip_planes: int
    fill_front: int
    fill_back: int
    captures: tuple[CaptureRow, ...]  # of stream output
    strides: tuple[int, ...]  # floats a vertex, by its buffer
    # floats of a row (0: none): the point's size, the primitive's number, an edge flag, what the
    # coverage of smooth lines and points follows from
    psiz: int
    number: int
    edge: int
    line_coverage: int
    point_coverage: int


class SetupPart(NamedTuple):
    """What makes packets of primitives (setup/triangle.py, setup/point.py)."""

    layout: PacketLayout
    sources: tuple[Source, ...]  # by input of the layout
    depth: DepthStep
    psiz: int = -1  # float of a row that is the point's size; -1: that of the state
    triangles: bool = True  # not all are squares of pixels
    boxes: bool = False  # points that are squares of pixels are made, alone or as corners
    sprites: bool = False  # these are of their very size
    layer: int = -1  # float of a row (of the provoking vertex) that is the layer; -1: it is 0


class FragmentPart(NamedTuple):
    """What a fragment kernel is made of (fragment/kernel.py)."""

    shader: ShaderRef
    constants: Constants  # where what it reads lies in an LpFragState
    layout: PacketLayout
    targets: tuple[ColorTarget, ...]
    dsa: DepthStencilAlpha
    zs_format: int
    depth_clamp: bool = False
    rect: int | None = None  # RECT_* of rectangles
    samples: int = 1
    multisample: Multisample = Multisample()
    discs: bool = False  # points are discs, by sample
    dual: bool = False  # the first target is blended with two sources
    counting: bool = False  # fragments whose shader runs are counted


class Code(NamedTuple):
    """A module, and which fields of the plan its functions are."""

    module: Module
    fields: dict[str, str]


def resolvable(bits: int) -> float:
    """The least difference of depth that polygon offset counts in (r of GL 2.1, 3.5.5): two steps
    of fixed point, since half of one step rounds either way, but not less than interpolation with
    24 bits can tell apart everywhere."""
    return max(2.0 / ((1 << bits) - 1), 2.0**-23)


def _depth_step(zs_format: int) -> DepthStep:
    channels = FORMATS[zs_format].channels
    kind, bits = channels[0] if channels else ("", 0)
    return DepthStep(resolvable(bits) if kind == "un" else 0.0, kind == "f")


def _vertex_kernels(part: VertexPart, hurried: bool) -> list[Kernel]:
    from pipe_llvm.draw.vs import vertex_kernel

    return [vertex_kernel(part, hurried)]


def _geometry_kernels(part: GeometryPart, hurried: bool) -> list[Kernel]:
    from pipe_llvm.draw.geometry_kernel import geometry_kernel

    return [geometry_kernel(part, hurried)]


def _setup_kernels(part: SetupPart, hurried: bool) -> list[Kernel]:
    made = []
    if part.triangles:
        from pipe_llvm.setup.triangle import make_setup

        made.append(make_setup("lp_setup", part, hurried))
    if part.boxes:
        from pipe_llvm.setup.point import make_point_setup

        made.append(make_point_setup("lp_points", part))
    return made


def _fragment_kernels(part: FragmentPart, hurried: bool) -> list[Kernel]:
    """Shaders with textures and long ones are done in batches."""
    from pipe_llvm.fragment.kernel import FragmentBuilder

    kind = FragmentBuilder
    batches = not part.layout.smooth and part.rect is None and not part.shader.access.some
    if part.samples > 1 and batches:
        from pipe_llvm.fragment.sample_batch import SampleBatchBuilder as kind
    elif part.samples > 1:
        from pipe_llvm.fragment.samples import SampleFragmentBuilder as kind
    elif batches:
        from pipe_llvm.fragment.batch import BatchFragmentBuilder as kind
    return [kind(part, hurried).kernel("lp_fs")]


def _module(
    name: str, make: Callable[[P, bool], list[Kernel]], part: P, *key: Any, loops: bool = False
) -> Module:
    """The module of the kernels that a room makes of a part; `hurried` ones are short rather than
    fast. A shader with `loops` has none: one draw may spend more time in slow code than LLVM needs
    for the best (a table of image-based lighting, of 1024 rounds a pixel: 1.4 s instead of 0.2).
    When the object cache has them, no nir is built and neither llvmlite nor the room's generators
    are loaded. Its key is a digest: plans keep it, and look for it, again and again."""
    digest = blake2b(key_bytes(*key), digest_size=20).digest()
    hurried = None if loops else partial(make, part, True)
    return Module(name, partial(make, part, False), digest, True, hurried)


def vertex_module(part: VertexPart) -> Module:
    """The module of `lp_vs`."""
    loops = part.shader.loops
    return _module("lp_vs", _vertex_kernels, part, part.shader.key, *part[1:], loops=loops)


def geometry_module(part: GeometryPart) -> Module:
    """The module of `lp_gs`."""
    loops = part.shader.loops
    return _module("lp_gs", _geometry_kernels, part, part.shader.key, *part[1:], loops=loops)


def setup_module(part: SetupPart) -> Module:
    """The module of `lp_setup` and `lp_points`, as far as they are asked for."""
    return _module("lp_setup", _setup_kernels, part, *part)


def fragment_module(part: FragmentPart) -> Module:
    """The module of `lp_fs`."""
    loops = part.shader.loops
    return _module("lp_fs", _fragment_kernels, part, part.shader.key, *part[1:], loops=loops)


class Recipe(NamedTuple):
    """The parts of a pipeline. Rectangles have no vertices; where nothing is rasterised there are
    no setup and no fragments."""

    setup: SetupPart | None = None
    fragment: FragmentPart | None = None
    vertex: VertexPart | None = None
    primitive: PrimitivePart | None = None
    geometry: GeometryPart | None = None

    def modules(self) -> tuple[Code, ...]:
        """The modules of the kernels, in the order in which a helper begins with them (context.py:
        setup takes LLVM the longest); that of fragments comes last."""
        made = []
        if self.vertex is not None and self.setup is not None:
            fields = {"setup": "lp_setup"} if self.setup.triangles else {}
            if self.setup.boxes:
                fields["points"] = "lp_points"
            made.append(Code(setup_module(self.setup), fields))
        if self.vertex is not None:
            made.append(Code(vertex_module(self.vertex), {"vs": "lp_vs"}))
        if self.geometry is not None:
            made.append(Code(geometry_module(self.geometry), {"gs": "lp_gs"}))
        if self.fragment is not None:
            made.append(Code(fragment_module(self.fragment), {"fs": "lp_fs"}))
        return tuple(made)


def recipe(state: PipelineState) -> Recipe:
    """The recipe of points, lines, triangles or rectangles."""
    fs, depth = state.stages[SHADER_FRAGMENT], _depth_step(state.zs_format)
    if fs is None:
        return _of_vertices(state)
    if state.prim == PRIM_RECTS:
        layout, sources = make_rect_layout(fs.inputs, state.rect)
        fragment = _fragment_part(state, fs, layout)._replace(rect=state.rect, discs=False)
        return Recipe(SetupPart(layout, sources, depth, triangles=False), fragment)
    fs = covered(state, fs)
    rast, several = state.rast, state.multisample.enabled
    gs = state.stages[SHADER_GEOMETRY]
    layered = gs is not None and VARYING_SLOT_LAYER in gs.outputs
    rows = make_layout(fs.inputs, rast, state.stream_output.captures, layered)
    places = {varying.slot: varying.offset for varying in rows.varyings}
    # points that are squares of whole pixels: all there is, or corners of polygons
    squares = not several and not rast.point_smooth
    points = squares and state.prim == PRIM_POINTS
    boxes = points or (squares and state.prim == PRIM_TRIANGLES and rast.unfilled)
    shape = PacketShape(
        state.samples if several else 0, points, rast.poly_smooth, fs.uses_position, boxes
    )
    layout, sources = make_packet_layout(fs.inputs, places, rast, shape)
    layer = places[VARYING_SLOT_LAYER] if layered else -1
    setup = SetupPart(layout, sources, depth, triangles=not points, layer=layer)
    if boxes:
        psiz = places.get(VARYING_SLOT_PSIZ, -1)
        setup = setup._replace(psiz=psiz, boxes=True, sprites=rast.point_sprite)
    vertex, geometry = _vertex_part(state, rows), _geometry_part(state, rows)
    if geometry is not None:
        vertex = vertex._replace(
            rows=geometry.inputs, clip_planes=0, depth_clamp=False, last=False)
    return Recipe(
        setup, _fragment_part(state, fs, layout), vertex, _primitive_part(state, places, boxes),
        geometry,
    )  # fmt: skip


def _of_vertices(state: PipelineState) -> Recipe:
    """The recipe of what ends with stream output."""
    rows = make_layout((), state.rast, state.stream_output.captures)
    places = {varying.slot: varying.offset for varying in rows.varyings}
    return Recipe(
        vertex=_vertex_part(state, rows), primitive=_primitive_part(state, places, False))


def _fragment_part(state: PipelineState, fs: ShaderRef, layout: PacketLayout) -> FragmentPart:
    return FragmentPart(
        fs, constants_of(fs), layout, state.targets, state.dsa, state.zs_format,
        state.rast.depth_clamp, None, state.samples, state.multisample,
        state.rast.point_smooth and state.multisample.enabled,
        bool(state.targets) and state.targets[0].blend.dual, state.counts_fragments,
    )  # fmt: skip


def _vertex_part(state: PipelineState, rows: VertexLayout) -> VertexPart:
    vs = state.stages[SHADER_VERTEX]
    assert vs is not None
    elements = tuple(e for e in state.elements if e.slot in vs.inputs)
    return VertexPart(vs, elements, rows, state.rast.clip_planes, state.rast.depth_clamp)


def _geometry_part(state: PipelineState, rows: VertexLayout) -> GeometryPart | None:
    gs = state.stages[SHADER_GEOMETRY]
    if gs is None:
        return None
    inputs = input_layout(gs.inputs)
    return GeometryPart(gs, inputs, rows, state.rast.clip_planes, state.rast.depth_clamp)


def _primitive_part(state: PipelineState, places: dict[int, int], boxes: bool) -> PrimitivePart:
    rast = state.rast
    flags = sum(
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
    told = [places.get(slot, 0) for slot in _TOLD]
    if state.stages[SHADER_GEOMETRY] is not None:  # primitives have the number that it gives them
        told[_TOLD.index(VARYING_SLOT_PRIMITIVE_ID)] = 0
    return PrimitivePart(
        state.prim, flags, rast.clip_planes, rast.fill_front, rast.fill_back,
        _capture_rows(state, places), state.stream_output.strides, *told,
    )


def _capture_rows(state: PipelineState, places: dict[int, int]) -> tuple[CaptureRow, ...]:
    rows: list[CaptureRow] = []
    for item in state.stream_output.captures:
        clip = item.slot == VARYING_SLOT_POS
        source = item.component + (0 if clip else places[item.slot])
        row = CaptureRow(source, clip, item.components, item.buffer, item.offset)
        if rows and _are_neighbours(rows[-1], row):
            row = rows.pop()._replace(components=8)
        rows.append(row)
    return tuple(rows)


def _are_neighbours(first: CaptureRow, second: CaptureRow) -> bool:
    """Whether two captures of four floats each lie side by side in the row and in the buffer: they
    are written as one, since a pass over all vertices costs more than what it writes."""
    follows = first._replace(source=first.source + 4, offset=first.offset + 4)
    return follows == second and second.components == 4 and not second.clip


__all__ = [
    "Code",
    "DepthStep",
    "FragmentPart",
    "GeometryPart",
    "PrimitivePart",
    "Recipe",
    "SetupPart",
    "VertexPart",
    "fragment_module",
    "geometry_module",
    "recipe",
    "resolvable",
    "setup_module",
    "vertex_module",
]
