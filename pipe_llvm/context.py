# SPDX-License-Identifier: MIT
"""The context: native struct, pipelines, and the Python form of each hot call (lp_context.c).

The hot calls are kernels of the core image; the Python methods call them. What Python does itself
is make pipelines and grow buffers.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from pipe_llvm import debug, plan_records
from pipe_llvm.core import core_image
from pipe_llvm.fragment.variants import FragmentKernels, shared_part
from pipe_llvm.memory import Block, scene_bytes
from pipe_llvm.native import (
    BLIT_KERNELS,
    GROW_BINS,
    GROW_INDICES,
    GROW_SHADED,
    GROW_VERTICES,
    IDLE,
    LOOPS_CUT,
    MAX_VIEWS,
    OWN_KERNEL,
    VERTEX_BATCH,
    LpBin,
    LpContext,
    LpPlan,
    LpScene,
    LpThreadData,
)
from pydri.jit import Module
from pydri.jit.cache import blake2b, object_cache
from pydri.jit.compiler import looked_into
from pydri.jit.image import Image, function_address
from pydri.jit.tiers import begin, first_wanted, improve
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import CALLS, SCENE_BITS, PipeNative
from pydri.pipe.sampler import TextureView
from pydri.pipe.shader_memory import MAX_BLOCK_BYTES, MAX_BLOCKS
from pydri.pipe.state import PipelineState, key_bytes
from pydri.util import clock, log, stats
from pydri.util.options import options

if TYPE_CHECKING:
    from pipe_llvm.plan_records import PlanRecord, RecordedImage
    from pipe_llvm.screen import LlvmScreen
    from pydri.jit.kernel import Kernel
    from pydri.jit.tiers import Pending

ARENA_BYTES = 24 << 20


def state_name(state: PipelineState) -> bytes:
    """A name for a pipeline state: its shaders by theirs, and all else."""
    shaders = tuple(b"" if shader is None else shader.key for shader in state.stages)
    text = key_bytes(shaders, *state[1:])
    return blake2b(text, digest_size=20).digest()


def _kernels(
    state: Callable[[], PipelineState], number: int, shared: bool, hurried: bool
) -> list[Kernel]:
    """The kernels of a plan's module by number, for a plan that came from the cache; `shared`: its
    fragment kernel is one for any blending and any tests."""
    from pipe_llvm.recipe import fragment_module, recipe

    made = recipe(state())
    if shared and made.fragment is not None:
        return fragment_module(shared_part(made.fragment)).exports(hurried)
    return made.modules()[number].module.exports(hurried)


def _recorded(
    name: str, key: bytes, state: Callable[[], PipelineState], number: int, shared: bool
) -> Module:
    """The module of an image of a plan that came from the cache."""
    best, first = (partial(_kernels, state, number, shared, hurried) for hurried in (False, True))
    return Module(name, best, key, variant=True, first=first)


#: states of a plan, after which code that was made in a hurry is made again
HURRIED_USES = 2
#: LpPlan.shared_since of such a plan: it counts however many others there are
_ALWAYS = 1 << 62


class _Plan:
    """A plan's memory, and the images that its kernels lie in."""

    def __init__(self, block: Block, state: bytes) -> None:
        self.block = block
        self.view: Any = LpPlan.view(block.address)
        self.state = state  # its name
        self.own = b""  # key of the fragment kernel of its own, while it has a shared one
        self.names: set[bytes] = set()  # that it has in the cache meanwhile
        self.parts: list[RecordedImage] = []
        self.images: list[Image] = []
        self.hurried: list[tuple[Module, dict[str, str]]] = []  # whose images are first ones

    def record(self) -> PlanRecord:
        """What the cache keeps of it."""
        plan = ctypes.string_at(self.block.address, LpPlan.size)
        return plan_records.PlanRecord(self.state, plan, tuple(self.parts), self.own)

    def use(self, module: Module, image: Image, fields: dict[str, str]) -> None:
        """Keep an image for as long as the plan is there; these fields of the plan are these
        functions of it."""
        self.images.append(image)
        if image.first:
            self.hurried.append((module, fields))
        plan = self.view
        # kernels may read them now: each is written by one aligned store of eight bytes
        for field, symbol in fields.items():
            setattr(plan, field, image.address(symbol))


#: modules of images that plans from the cache had in common, and how many of them are kept
_MODULES = 64
#: seconds for which an image that was looked for in vain is not looked for again
_IN_VAIN = 1.0

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
        self._pipelines: dict[bytes, int] = {}  # by state_name
        self._plans: dict[int, _Plan] = {}  # by address
        self._changing = threading.Lock()  # held by who adds images to plans, or deletes plans
        self._fragments = FragmentKernels()
        #: by name, key and whether they are shared; when they were looked for in vain
        self._modules: dict[tuple[str, bytes, bool], Module] = {}
        self._in_vain: dict[Module, float] = {}
        for name in (*CALLS, "split"):
            setattr(self.lp.pipe, name, image.address(f"lp_{name}"))
        self.lp.pipe.stats = self.lp.stats = stats.BASE
        self.lp.threads = screen.threads
        self.lp.no_rast = int(options.LP_NO_RAST)
        self.lp.scene_bytes = scene_bytes()
        self.lp.debug = debug.native_bits()
        self.lp.pool = screen.pool()
        number = next(_NUMBERS) % (1 << 64 - SCENE_BITS - 1) + 1
        self.lp.pipe.submitted = self.lp.pipe.completed = number << SCENE_BITS
        self._hook = LpContext.prototype("hook_grow")(self._grow)
        self.lp.hook_grow = function_address(self._hook)
        scenes = self._keep("scenes", 2 * LpScene.size)
        self.lp.scenes = self.lp.scene = scenes
        for n in range(2):
            scene = LpScene.view(scenes + n * LpScene.size)
            scene.arena = self._keep(f"arena{n}", ARENA_BYTES)
            scene.arena_size = ARENA_BYTES
            scene.next_tile, scene.chunk_capacity = IDLE, 4096
        self.lp.thread = self._keep("thread", LpThreadData.size)
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
        stream.flags = self._keep("flags", count * 4 + 64)
        stream.capacity = count
        stream.row_bytes = row_bytes

    def _indices(self, count: int) -> None:
        count = (count + 63) // 64 * 64
        stream = self.lp.stream
        for name in ("v0", "v1", "v2", "w0", "w1", "w2", "polygons", "elts"):
            setattr(stream, name, self._keep(name, count * 4 + 256))
        if stream.numbers:
            self._taken(count)
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
            elif what == GROW_SHADED:
                self.lp.stream.shaded = self._keep("shaded", amount + 1024)
                self.lp.stream.shaded_bytes = amount
            elif what == GROW_BINS:
                scene = LpScene.view(self.lp.scene)
                which = (self.lp.scene - self.lp.scenes) // LpScene.size
                bins, touched = amount & 0xFFFFFFFF, amount >> 32
                scene.bins = self._keep(f"bins{which}", bins * LpBin.size)
                scene.bin_capacity = bins
                scene.chunk_capacity = max(touched, scene.chunk_capacity)
                need = ARENA_BYTES + touched * 2048
                if scene.arena_size < need and touched > 4096:
                    scene.arena = self._keep(f"arena{which}", need)
                    scene.arena_size = need
            elif what == BLIT_KERNELS:
                from pipe_llvm.blit.texels import load

                self.lp.blit_kernels = load(amount)
            elif what == LOOPS_CUT:
                from pydri.nir.ir import MAX_ROUNDS

                log.notice(f"a shader's loops were ended after {MAX_ROUNDS} rounds", once=True)
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
        name = state_name(state)
        found = self._pipelines.get(name)
        if found is None:
            if options.LP_DEBUG:
                debug.pipeline_made(state, len(self._pipelines))
            if options.LP_PERF:
                state = debug.without_features(state)
            found = self._pipelines[name] = self._build(name, state)
            stats.add("pipelines_compiled")
        return found

    def _build(self, name: bytes, state: PipelineState) -> int:
        """The plan of a state: its kernels, and what they are told of it."""
        from pipe_llvm.plans import any_setup, describe
        from pipe_llvm.recipe import recipe

        made = recipe(state)
        owned = self._plan(name)
        address = owned.block.address
        parts = [(code.module, code.fields) for code in made.modules()]
        if made.fragment is not None:
            own, fields = parts.pop()
            module = self._fragments.choose(address, made.fragment, own)
            owned.own = b"" if module is own else own.key
            parts.append((module, fields))
        plan = LpPlan.view(address)
        describe(plan, made)
        self._fill(owned, parts, any_setup(made.setup))
        self._make_views(plan)
        return address

    def _make_views(self, plan: Any) -> None:
        """Room for what vertex shaders sample, and for uniform blocks, for the first plan that
        does."""
        for name in ("vertex", "geometry"):
            shading = getattr(self.lp, name)
            if getattr(plan, name).views and not shading.views:
                shading.views = self._keep(f"{name} views", MAX_VIEWS * TextureView.size)
        blocks = plan.vertex.blocks or plan.geometry.blocks or plan.fragment.blocks
        if blocks and not self.lp.zeros:  # copies of both stages that shade at once, and zeros
            self.lp.block_pad = self._keep("blocks", (2 * MAX_BLOCKS + 1) * MAX_BLOCK_BYTES)
            self.lp.zeros = self.lp.block_pad + 2 * MAX_BLOCKS * MAX_BLOCK_BYTES
        if plan.emits.bytes:
            self._make_emitted(plan.emits.bytes)

    def _make_emitted(self, size: int) -> None:
        """Room for what 16 invocations of a geometry shader emit, and for what all of them take."""
        stream, known = self.lp.stream, self._blocks.get("emitted")
        if known is None or known.size < size:
            stream.emitted = self._keep("emitted", size)
        if not stream.numbers:
            self._taken(stream.index_capacity)

    def _taken(self, count: int) -> None:
        """Room for the vertices of `count` primitives, and their numbers."""
        for name in ("a0", "a1", "a2", "a3", "a4", "a5", "numbers"):
            setattr(self.lp.stream, name, self._keep(name, count * 4 + 256))

    def known_pipeline(self, name: bytes, state: Callable[[], PipelineState]) -> int:
        record = plan_records.find(name)
        if record is None:
            return 0
        found = self._pipelines.get(record.state)
        if found is None:
            found = self._restored(record, state)
            if found:
                self._pipelines[record.state] = found
                if record.own:
                    self._plans[found].names.add(name)
        return found

    def _restored(self, record: PlanRecord, state: Callable[[], PipelineState]) -> int:
        """The plan of a record; 0 if some image of it is no more."""
        parts: list[tuple[Module, dict[str, str], Image | None]] = []
        own = None
        for number, (module_name, key, fields, stand_in) in enumerate(record.images):
            shared = bool(record.own) and number == len(record.images) - 1
            if shared:
                own = _recorded(module_name, record.own, state, number, False)
            module = self._module(module_name, key, state, number, shared)
            image = self._found(module)
            parts.append((module, fields, image))
            if image is None:
                good = stand_in and first_wanted()
            else:
                good = image.symbols.keys() >= set(fields.values())
            if not good:
                for _, _, loaded in parts:
                    if loaded is not None:
                        object_cache().release(loaded)
                return 0
        owned = self._plan(record.state)
        owned.parts = list(record.images)
        ctypes.memmove(owned.block.address, record.plan, LpPlan.size)
        if own is not None:
            owned.own = record.own
            self._fragments.restored(owned.block.address, parts[-1][0].key, own)
        for module, fields, image in parts:
            self._use_known(owned, module, fields, image)
        self._count(owned)
        self._make_views(owned.view)
        return owned.block.address

    def _module(
        self, name: str, key: bytes, state: Callable[[], PipelineState], number: int, shared: bool
    ) -> Module:
        """The module of an image of a plan that came from the cache; many plans have the same."""
        known = self._modules.get((name, key, shared))
        if known is None:
            if len(self._modules) >= _MODULES:
                self._forget_modules()
            known = self._modules[name, key, shared] = _recorded(name, key, state, number, shared)
        return known

    def _forget_modules(self) -> None:
        self._modules.clear()
        self._in_vain.clear()

    def _found(self, module: Module) -> Image | None:
        """The image of such a module, unless it was looked for in vain a moment ago."""
        now = clock.monotonic()
        if now - self._in_vain.get(module, -_IN_VAIN) < _IN_VAIN:
            return None
        image = module.load(first_wanted())
        if image is None:
            self._in_vain[module] = now
        return image

    def keep_pipeline(self, name: bytes, pipeline: int) -> None:
        owned = self._plans[pipeline]
        plan_records.keep(name, owned.record())
        if owned.own:
            owned.names.add(name)

    def _fill(
        self, owned: _Plan, parts: Iterable[tuple[Module, dict[str, str]]], any_setup: bool
    ) -> None:
        """Give a plan its code: modules, and which fields of the plan their functions are.
        `any_setup`: the setup kernel for any inputs can stand in for its own."""
        begun: list[tuple[Module, Pending, dict[str, str]]] = []
        for module, fields in parts:
            stand_in = any_setup and "setup" in fields
            owned.parts.append((module.name, module.key, fields, stand_in))
            if stand_in and first_wanted() and not looked_into():
                self._use_known(owned, module, fields, module.load(True))
            else:
                begun.append((module, begin(module), fields))
        for module, pending, fields in reversed(begun):  # the first ones are being made
            owned.use(module, pending.image(), fields)
        self._count(owned)

    @staticmethod
    def _use_known(
        owned: _Plan, module: Module, fields: dict[str, str], image: Image | None
    ) -> None:
        """Give a plan an image that was made before or, for now, the setup kernel for any
        inputs."""
        if image is not None:
            owned.use(module, image, fields)
            return
        from pipe_llvm.setup import any_image as setup_any

        owned.view.setup = setup_any.any_image().address(setup_any.NAME)
        owned.hurried.append((module, fields))

    def _count(self, owned: _Plan) -> None:
        """Have the uses of a plan counted that there is better code for."""
        address = owned.block.address
        if owned.hurried:
            uses = owned.view.uses
            uses.left, uses.since = HURRIED_USES, _ALWAYS
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

    @staticmethod
    def _has_its_own(owned: _Plan, module: Module, fields: dict[str, str]) -> None:
        """A plan has a fragment kernel of its own now: the next time it begins with that."""
        owned.parts[-1] = module.name, module.key, fields, False
        owned.own = b""
        for name in owned.names:
            plan_records.keep(name, owned.record())
        owned.names.clear()

    def _exchange(
        self, address: int, owned: _Plan, module: Module, fields: dict[str, str], image: Image
    ) -> None:
        """A better image of a plan's code is there. What was drawn goes on with the old one."""
        with self._changing:
            if self._plans.get(address) is owned:
                owned.use(module, image, fields)
                if owned.own and module.key == owned.own:
                    self._has_its_own(owned, module, fields)
            else:
                object_cache().release(image)

    # -- the hot calls, called from Python -------------------------------------------------------

    def _call(self, name: str, *args: Any) -> None:
        function = PipeNative.prototype(name)(getattr(self.lp.pipe, name))
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
        native = PipeNative.prototype("transfer_map")(self.lp.pipe.transfer_map)
        return int(native(self.native, resource, flags))

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
        self._forget_modules()
        self._pipelines = {s: p for s, p in self._pipelines.items() if p not in gone}

    def _plan(self, state: bytes) -> _Plan:
        """Memory for a new plan of a state."""
        block = Block(LpPlan.size)
        plan = self._plans[block.address] = _Plan(block, state)
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
