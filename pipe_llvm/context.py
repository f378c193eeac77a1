# SPDX-License-Identifier: MIT
"""The context: native struct, pipelines, and the Python form of each hot call (lp_context.c).

The hot calls are kernels of the core image; the Python methods call them. What Python does itself
is make pipelines and grow buffers.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm import debug
from pipe_llvm.core import core_image
from pipe_llvm.fs_constants import constants_of, padded
from pipe_llvm.fs_variants import FragmentKernels
from pipe_llvm.memory import Block
from pipe_llvm.native import (
    BLIT_KERNELS,
    GROW_BINS,
    GROW_INDICES,
    GROW_VERTICES,
    IDLE,
    MAX_VIEWS,
    OWN_KERNEL,
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
    VERTEX_BATCH,
    LpBin,
    LpContext,
    LpPlan,
    LpScene,
)
from pydri.jit.cache import object_cache
from pydri.jit.image import Image, function_address
from pydri.jit.tiers import begin, improve
from pydri.nir.enums import (
    VARYING_SLOT_EDGE,
    VARYING_SLOT_PRIMITIVE_ID,
    VARYING_SLOT_PSIZ,
)
from pydri.pipe.format import FORMATS
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import SCENE_BITS
from pydri.pipe.sampler import TextureView
from pydri.pipe.state import (
    PRIM_POINTS,
    PRIM_RECTS,
    PRIM_TRIANGLES,
    RECT_PIXEL_BYTES,
    PipelineState,
    ShaderRef,
    key_bytes,
)
from pydri.util import log, stats
from pydri.util.options import options

if TYPE_CHECKING:
    from pipe_llvm.native import VertexLayout
    from pipe_llvm.packet import PacketLayout
    from pipe_llvm.screen import LlvmScreen
    from pydri.jit import Module

ARENA_BYTES = 24 << 20
_Hook = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64)
# argument types of PipeNative's calls, for the Python forms
_CALLS = {
    "draw_vbo": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
    "clear": (
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_void_p,
        ctypes.c_double,
        ctypes.c_uint32,
        ctypes.c_uint32,
        ctypes.c_uint32,
    ),
    "flush": (ctypes.c_void_p,),
    "finish": (ctypes.c_void_p,),
    "resolve": (ctypes.c_void_p, ctypes.c_void_p),
    "blit": (ctypes.c_void_p, ctypes.c_void_p),
    "copy_region": (ctypes.c_void_p, ctypes.c_void_p),
    "draw_rect": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
    "transfer_map": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32),
    "upload": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32),
}


def resolvable(bits: int) -> float:
    """The least difference of depth that polygon offset counts in (r of GL 2.1, 3.5.5): two steps
    of fixed point, since half of one step rounds either way, but not less than interpolation with
    24 bits can tell apart everywhere."""
    return max(2.0 / ((1 << bits) - 1), 2.0**-23)


class _DepthStep(NamedTuple):
    """What a unit of polygon offset is in a depth buffer: `unit`, but for floats the exponent of
    the greatest depth of a polygon decides."""

    unit: float
    is_float: bool


def _depth_step(state: PipelineState) -> _DepthStep:
    zs = FORMATS[state.zs_format]
    is_float = "FLOAT" in zs.name
    counted = state.zs_format and not is_float
    return _DepthStep(resolvable(zs.channels[0][1]) if counted else 0.0, is_float)


def _setup_module(
    rows: VertexLayout, layout: PacketLayout, depth: _DepthStep, points: bool, boxes: bool
) -> Module:
    """The kernels that make packets: of triangles unless all is `points`, and of `boxes`."""
    from pydri.jit import Module

    def kernels(hurried: bool) -> list[Any]:
        from pipe_llvm.setup import make_setup
        from pipe_llvm.setup_point import make_point_setup

        made = [] if points else [make_setup("lp_setup", rows, layout, *depth, hurried)]
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
    constants = constants_of(state.fs)
    plan.const_start, plan.const_bytes = constants.values[0], padded(constants.values)
    plan.uniform_start, plan.uniform_bytes = constants.uniforms[0], padded(constants.uniforms)
    plan.prim = state.prim
    plan.views = _views_of(state.fs)
    plan.fetched, plan.moved = state.fs.fetched, state.fs.moved
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


def _describe_sprites(plan: Any, layout: PacketLayout) -> None:
    """Tell what makes triangles of points where their fragments' coordinates lie in a row."""
    from pipe_llvm.packet import is_sprite

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


#: states of a plan, after which code that was made in a hurry is made again
HURRIED_USES = 2
#: LpPlan.shared_since of such a plan: it counts however many others there are
_ALWAYS = 1 << 62


class _Plan:
    """A plan's memory, and the images that its kernels lie in."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.images: list[Image] = []
        self.hurried: list[tuple[Module, dict[str, str]]] = []  # whose images are first ones

    def use(self, module: Module, image: Image, fields: dict[str, str]) -> None:
        """Keep an image for as long as the plan is there; these fields of the plan are these
        functions of it."""
        self.images.append(image)
        if image.first:
            self.hurried.append((module, fields))
        plan = LpPlan.view(self.block.address)
        for field, symbol in fields.items():
            setattr(plan, field, image.address(symbol))


_NUMBERS = itertools.count()  # of contexts, which their scenes' numbers begin with


class LlvmContext(PipeContext):
    """A context of pipe_llvm."""

    def __init__(self, screen: LlvmScreen) -> None:
        self.screen = screen
        image = core_image()
        self._block = Block(LpContext.size)
        self.native = self._block.address
        self.lp: Any = LpContext.view(self.native)
        self._blocks: dict[str, Block] = {}
        self._pipelines: dict[PipelineState, int] = {}
        self._plans: dict[int, _Plan] = {}  # by address
        self._changing = threading.Lock()  # held by who adds images to plans, or deletes plans
        self._fragments = FragmentKernels()
        for name in _CALLS:
            setattr(self.lp.pipe, name, image.address(f"lp_{name}"))
        self.lp.pipe.stats = self.lp.stats = stats.BASE
        self.lp.threads = screen.threads
        self.lp.no_rast = int(options.LP_NO_RAST)
        self.lp.debug = debug.native_bits()
        self.lp.pool = screen.pool()
        number = next(_NUMBERS) % (1 << 64 - SCENE_BITS - 1) + 1
        self.lp.pipe.submitted = self.lp.pipe.completed = number << SCENE_BITS
        self._hook = _Hook(self._grow)
        self.lp.hook_grow = function_address(self._hook)
        scenes = self._keep("scenes", 2 * LpScene.size)
        self.lp.scenes = self.lp.scene = scenes
        for n in range(2):
            scene = LpScene.view(scenes + n * LpScene.size)
            scene.arena = self._keep(f"arena{n}", ARENA_BYTES)
            scene.arena_size = ARENA_BYTES
            scene.next_tile = IDLE
        self._vertices(VERTEX_BATCH, 64)
        self._indices(8 * VERTEX_BATCH)

    # -- memory ----------------------------------------------------------------------------------

    def _keep(self, name: str, size: int) -> int:
        """Native memory of this context under a name; a later request for the name replaces it."""
        block = Block(size)
        old = self._blocks.get(name)
        self._blocks[name] = block
        if old is not None:
            old.free()
        return block.address

    def _vertices(self, count: int, row_bytes: int) -> None:
        count = (count + 127) // 64 * 64
        stream = self.lp.stream
        stream.rows = self._keep("rows", count * row_bytes + 1024)
        stream.clip = self._keep("clip", count * 16 + 256)
        stream.flags = self._keep("flags", count * 2 + 64)
        stream.capacity = count
        stream.row_bytes = row_bytes

    def _indices(self, count: int) -> None:
        count = (count + 63) // 64 * 64
        stream = self.lp.stream
        for name in ("v0", "v1", "v2", "w0", "w1", "w2", "polygons", "elts"):
            setattr(stream, name, self._keep(name, count * 4 + 256))
        stream.index_capacity = count

    def _grow(self, _lp: int, what: int, amount: int) -> int:
        """hook_grow: room for `amount` vertices, indices or bins; or OWN_KERNEL: the plan at the
        address `amount` is drawn with again. Returns 0 if memory is short.
        """
        try:
            if what == GROW_VERTICES:
                self._vertices(
                    max(amount, self.lp.stream.capacity), max(self.lp.stream.row_bytes, 64)
                )
            elif what == GROW_INDICES:
                self._indices(amount)
            elif what == GROW_BINS:
                scene = LpScene.view(self.lp.scene)
                which = (self.lp.scene - self.lp.scenes) // LpScene.size
                scene.bins = self._keep(f"bins{which}", amount * LpBin.size)
                scene.bin_capacity = amount
                need = ARENA_BYTES + amount * 2048
                if scene.arena_size < need and amount > 4096:
                    scene.arena = self._keep(f"arena{which}", need)
                    scene.arena_size = need
            elif what == BLIT_KERNELS:
                from pipe_llvm.blit_texels import load

                self.lp.blit_kernels = load(amount)
            elif what == OWN_KERNEL:
                self._improve(amount)
            else:
                return 0
        except MemoryError as error:
            log.error(str(error), once=True)
            return 0
        return 1

    # -- pipelines -------------------------------------------------------------------------------

    def create_pipeline(self, state: PipelineState) -> int:
        found = self._pipelines.get(state)
        if found is None:
            debug.pipeline_made(state, len(self._pipelines))
            found = self._pipelines[state] = self._build(debug.without_features(state))
            stats.add("pipelines_compiled")
        return found

    def _build(self, state: PipelineState) -> int:
        """The plan of points, lines or triangles: its kernels, and what they are told of it."""
        from pipe_llvm.draw.coverage import with_coverage
        from pipe_llvm.draw.layout import make_layout
        from pipe_llvm.draw.plan import vertex_inputs, vs_module
        from pipe_llvm.packet import make_packet_layout

        if state.prim == PRIM_RECTS:
            return self._build_rect(state)
        state = with_coverage(state)
        rows = make_layout(state.fs.inputs, state.rast)
        samples = state.samples if state.multisample.enabled else 0
        # points that are squares of whole pixels: all there is, or corners of polygons
        squares = not samples and not state.rast.point_smooth
        points = squares and state.prim == PRIM_POINTS
        smooth = state.rast.poly_smooth
        layout = make_packet_layout(
            state.fs.inputs, rows, state.rast, samples, points, smooth, state.fs.uses_position
        )
        boxes = points or (squares and state.prim == PRIM_TRIANGLES and state.rast.unfilled)
        depth = _depth_step(state)
        owned = self._plan()
        block = owned.block
        functions = {} if points else {"setup": "lp_setup"}
        self._fill(owned, (
            (vs_module(state, rows), {"vs": "lp_vs"}),
            (_setup_module(rows, layout, depth, points, boxes),
             {**functions, "points": "lp_points"} if boxes else functions),
            (self._fragments.choose(block.address, state, layout), {"fs": "lp_fs"}),
        ))  # fmt: skip
        plan = LpPlan.view(block.address)
        plan.vs_inputs = vertex_inputs(state)
        plan.vs_views = _views_of(state.vs)
        plan.vs_fetched, plan.vs_moved = state.vs.fetched, state.vs.moved
        if plan.vs_views and not self.lp.vertex_views:
            self.lp.vertex_views = self._keep("views", MAX_VIEWS * TextureView.size)
        plan.row_bytes = rows.floats * 4
        _describe_fragments(plan, state, layout)
        plan.psiz_offset = max(0, rows.offset_of(VARYING_SLOT_PSIZ))
        plan.primitive_offset = max(0, rows.offset_of(VARYING_SLOT_PRIMITIVE_ID))
        plan.line_coverage = max(0, rows.offset_of(VARYING_SLOT_LINE_COVERAGE))
        plan.point_coverage = max(0, rows.offset_of(VARYING_SLOT_POINT_COVERAGE))
        plan.clip_planes = state.rast.clip_planes
        _describe_varyings(plan, layout)
        _describe_sprites(plan, layout)
        plan.flags |= _primitive_flags(state, boxes)
        if plan.flags & PLAN_UNFILLED:
            plan.fill_front, plan.fill_back = state.rast.fill_front, state.rast.fill_back
            plan.edge_offset = max(0, rows.offset_of(VARYING_SLOT_EDGE))
            plan.offset_unit = 0.0 if depth.is_float else depth.unit
        return block.address

    def _build_rect(self, state: PipelineState) -> int:
        """The plan of rectangles: a fragment kernel alone."""
        from pipe_llvm.packet import make_rect_layout

        layout = make_rect_layout(state.fs.inputs, state.rect)
        owned = self._plan()
        block = owned.block
        module = self._fragments.choose(block.address, state, layout)
        self._fill(owned, ((module, {"fs": "lp_fs"}),))
        plan = LpPlan.view(block.address)
        _describe_fragments(plan, state, layout)
        plan.rect_inputs, plan.rect_image = len(layout.inputs), layout.image
        plan.rect_bytes = RECT_PIXEL_BYTES.get(state.rect, 0)
        for n, item in enumerate(layout.inputs):
            plan.rect_map[n] = item.row | item.field << 16
        return block.address

    def _fill(self, owned: _Plan, parts: Iterable[tuple[Module, dict[str, str]]]) -> None:
        """Give a plan its code: modules, and which fields of the plan their functions are."""
        begun = [(module, begin(module), fields) for module, fields in parts]
        for module, pending, fields in reversed(begun):  # the first ones are being made
            owned.use(module, pending.image(), fields)
        address = owned.block.address
        if owned.hurried:
            plan = LpPlan.view(address)
            plan.shared, plan.shared_since = HURRIED_USES, _ALWAYS
        else:
            self._fragments.count(address, self.lp.states)

    def _improve(self, address: int) -> None:
        """A plan is drawn with again: the best code for what was made in a hurry or, when it has
        that, a fragment kernel of its own in the place of a shared one."""
        owned = self._plans[address]
        parts, owned.hurried = owned.hurried, []
        if not parts:
            own = self._fragments.own(address)
            parts = [] if own is None else [(own, {"fs": "lp_fs"})]
        self._fragments.count(address, self.lp.states)
        for module, fields in parts:
            improve(module, partial(self._exchange, address, owned, module, fields))

    def _exchange(
        self, address: int, owned: _Plan, module: Module, fields: dict[str, str], image: Image
    ) -> None:
        """A better image of a plan's code is there. What was drawn goes on with the old one."""
        with self._changing:
            if self._plans.get(address) is owned:
                owned.use(module, image, fields)
            else:
                object_cache().release(image)

    # -- the hot calls, called from Python -------------------------------------------------------

    def _call(self, name: str, *args: Any) -> None:
        function = ctypes.CFUNCTYPE(None, *_CALLS[name])(getattr(self.lp.pipe, name))
        function(self.native, *args)

    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        self._call("draw_vbo", pipeline, dyn, info)

    def draw_rect(self, pipeline: int, dyn: int, rect: int) -> None:
        self._call("draw_rect", pipeline, dyn, rect)

    def clear(
        self,
        dyn: int,
        buffers: int,
        color: int,
        depth: float,
        stencil: int,
        colormask: int,
        stencil_mask: int,
    ) -> None:
        self._call("clear", dyn, buffers, color, depth, stencil, colormask, stencil_mask)

    def flush(self) -> None:
        self._call("flush")

    def finish(self) -> None:
        self._call("finish")

    def resolve(self, surface: int) -> None:
        self._call("resolve", surface)

    def blit(self, info: int) -> None:
        self._call("blit", info)

    def copy_region(self, info: int) -> None:
        self._call("copy_region", info)

    def transfer_map(self, resource: int, flags: int) -> int:
        native = ctypes.CFUNCTYPE(ctypes.c_uint64, *_CALLS["transfer_map"])
        return int(native(self.lp.pipe.transfer_map)(self.native, resource, flags))

    def sampler_table(self) -> int:
        from pipe_llvm.sample.table import samplers

        return samplers().address

    def delete_pipelines(self, handles: Iterable[int]) -> None:
        gone = set(handles)
        retire = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(core_image().address("lp_retire"))
        retire(self.native)
        with self._changing:
            plans = [self._plans.pop(address) for address in gone]
        for plan in plans:
            plan.block.free()
            for image in plan.images:
                object_cache().release(image)
        self._fragments.forget(gone)
        self._pipelines = {s: p for s, p in self._pipelines.items() if p not in gone}

    def _plan(self) -> _Plan:
        """Memory for a new plan."""
        block = Block(LpPlan.size)
        plan = self._plans[block.address] = _Plan(block)
        return plan

    def destroy(self) -> None:
        """Finish; memory goes back."""
        if not self.native:
            return
        self.delete_pipelines(list(self._plans))
        for block in (*self._blocks.values(), self._block):
            block.free()
        self._blocks.clear()
        self.native = 0
        del self._hook  # which refers back to us
