# SPDX-License-Identifier: MIT
"""The geometry stage of a pipeline as one kernel: 16 invocations, and rows of what they emit.

In: primitives (`Prims`), rows that the vertex stage left (`inputs`, of what the shader reads). Out:
VertexStream.emitted: by lane how many vertices there are, and of vertex k the words of its outputs,
16 lanes each, the last of which says whether it begins a strip; then rows, clip coordinates and
flags of these, as of other vertices (rows.py). As long as all 16 lanes have emitted as many
vertices, an emission is a store of whole vectors; from the first time on that only some of them
do, each lane counts for itself, and what it emits goes to its own place. Counterpart of Mesa's
draw_gs.c and lp_bld_gs.c (lp_build_gs_iface).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.layout import COUNTS, emitted_cells
from pipe_llvm.draw.prims import Prims
from pipe_llvm.draw.rows import Cells, FlagSums, RasterRows
from pipe_llvm.draw.stage_env import Bound, StageEnv
from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv, Translator
from pipe_llvm.native import LpContext, LpPlan
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import Vec, boolean, f32, i32, ptr, u32, void
from pydri.jit.values import Value
from pydri.nir.divergence import Divergence
from pydri.nir.passes import lower_for_backend
from pydri.pipe.native import SHADER_GEOMETRY, PipeDynamic

if TYPE_CHECKING:
    from pipe_llvm.recipe import GeometryPart
    from pydri.jit import Builder, Pointer

_F32X16, _U32X16 = f32.vec(LANES), u32.vec(LANES)
#: what is the same for all fragments of a primitive, but not for 16 primitives
_DIFFERING = frozenset({"load_primitive_id"})


@kernel(
    ret=void, args=(ptr(f32), ptr(f32), ptr(u32), u32, u32), name="lp_emit_lanes", noinline=True
)
def emit_lanes(b: Builder, staged: Pointer, out: Pointer, counts: Pointer, lanes: Value,
               cells: Value) -> None:  # fmt: skip
    """Put a staged vertex of each lane of a mask behind those that the lane has."""
    left = b.var(u32, lanes)
    with b.While(lambda: left.value != 0):
        lane = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        place = out + (counts[lane] * cells * LANES + lane)
        with b.For(b.const(u32, 0), cells, 1) as cell:
            place[cell * LANES] = staged[cell * LANES + lane]


class GsEnv(StageEnv):
    """16 invocations."""

    def __init__(self, bound: Bound, part: GeometryPart, prims: Any, at: Value) -> None:
        super().__init__(bound)
        b, stream = self.b, self.lp.stream
        self.part, self.most = part, part.shader.emits.vertices
        self.cells_of = emitted_cells(part.shader.outputs, part.rows, part.clip_planes)
        self.size = len(self.cells_of) + 1
        times = part.shader.emits.invocations
        self.at = (prims.count * times, at)
        lane = b.min(b.splat(at, LANES) + b.iota(_U32X16), b.splat(self.at[0] - 1, LANES))
        self.invocation = lane % times if times > 1 else b.const(_U32X16, 0)
        arrays = [prims.v0, prims.v1, prims.v2, stream.a3, stream.a4, stream.a5]

        def each(numbers: Any) -> Value:
            if times > 1:
                return b.gather(numbers, b.bitcast(lane // times, i32))
            return (numbers + at).load(_U32X16, align=4)

        row_bytes = 4 * part.inputs.floats
        #: where each vertex of the primitives lies, in bytes
        arrays = arrays[: part.shader.emits.taken]
        self.places = [b.bitcast(each(numbers) * row_bytes, i32) for numbers in arrays]
        self.number = each(stream.numbers)
        self.shaded = stream.shaded.cast(ptr(f32))
        out = stream.emitted.cast(ptr(f32))
        self.counts_place, self.out = out.cast(ptr(u32)), out + COUNTS
        self.staged = self.out + (self.most + 1) * self.size * LANES
        #: whether all lanes have emitted as many vertices: `count`; else those of each are `counts`
        self.together = b.var(boolean, 1)
        self.count = b.var(u32, 0)
        self.counts = b.var(_U32X16, 0)
        self.begins = b.var(_U32X16, 1)

    # ---- inputs
    def load_vertex(self, slot: int, component: int, vertex: int | Value) -> Value:
        b, last = self.b, len(self.places) - 1
        offset = self.part.inputs.offset_of(slot)
        place = self.shaded + (offset + component)
        if isinstance(vertex, int):
            at = self.places[min(vertex, last)]
        else:
            at = self.places[last]
            for n in range(last - 1, -1, -1):
                chosen = vertex == n
                wide = chosen if isinstance(chosen.ty, Vec) else b.splat(chosen, LANES)
                at = b.select(wide, self.places[n], at)
        return b.gather(place, at, scale=1)

    def load_system(self, name: str, count: int) -> list[Value]:
        if name == "primitive_id":
            return self.whole(self.number)
        if name == "invocation_id":
            return self.whole(self.invocation)
        return super().load_system(name, count)

    # ---- what is emitted
    def emit_vertex(self, mask: Value | None) -> None:
        b = self.b
        if mask is not None:
            with b.If(self.together.value & ~b.all(mask)):
                self.counts.value = b.splat(self.count.value, LANES)
                self.together.value = b.const(boolean, 0)
        step = self.size * LANES
        to = b.select(self.together.value, self.out + self.count.value * step, self.staged)
        for n, (slot, component) in enumerate(self.cells_of):
            value = self.output(slot, component)
            wide = b.const(_F32X16, 0.0) if value is None else b.splat(value, LANES)
            (to + n * LANES).store(wide, align=64)
        (to + (step - LANES)).cast(ptr(u32)).store(self.begins.value, align=64)
        with b.If(self.together.value):
            self.count.value = b.min(self.count.value + 1, self.most)
        if mask is not None:
            with b.Else():
                self._emit_apart(mask)
        else:
            with b.Else():
                self._emit_apart(b.const(boolean.vec(LANES), 1))
        nothing = b.const(_U32X16, 0)
        self.begins.value = nothing if mask is None else b.select(mask, nothing, self.begins.value)

    def _emit_apart(self, mask: Value) -> None:
        b = self.b
        lanes = mask & (self.counts.value < self.most)
        self.counts_place.store(self.counts.value, align=64)
        bits = b.cast(b.bits_of(lanes), u32)
        b.call(emit_lanes, self.staged, self.out, self.counts_place, bits, self.size)
        self.counts.value = b.select(lanes, self.counts.value + 1, self.counts.value)

    def end_primitive(self, mask: Value | None) -> None:
        one = self.b.const(_U32X16, 1)
        self.begins.value = one if mask is None else self.b.select(mask, one, self.begins.value)

    def finish(self) -> Value:
        """How many vertices each lane has emitted; there is a lane for each invocation."""
        b = self.b
        alike = b.splat(self.count.value, LANES)
        counts = b.select(self.together.value, alike, self.counts.value)
        counts = b.select(self.live(None), counts, b.const(_U32X16, 0))
        self.counts_place.store(counts, align=64)
        return counts

    def vertices(self, k: Value) -> SoaEnv:
        """The outputs of vertex k of each lane."""
        found = SoaEnv(self.b)
        place = self.out + k * (self.size * LANES)
        for n, cell in enumerate(self.cells_of):
            found.outputs[cell] = (place + n * LANES).load(_F32X16, align=64)
        return found


class _Translator(Translator):
    """What is uniform in a primitive is not in 16 of them."""

    def prepare(self, divergence: Divergence) -> None:
        super().prepare(Divergence(self.shader.main, _DIFFERING))


def geometry_kernel(part: GeometryPart, hurried: bool) -> Kernel:
    """The kernel `lp_gs` (signature: LpPlan.gs); the shader is built when it is traced. `hurried`:
    the code shall be short rather than fast."""
    args = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(Prims), u32, u32)

    @kernel(ret=u32, args=args, noalias=(1, 2))
    def lp_gs(b: Builder, lp: Any, plan: LpPlan, dyn: Any, prims: Any, at: Value,
              row: Value) -> None:  # fmt: skip
        nir = part.shader.build()
        lower_for_backend(nir, hurried=hurried)
        bound = Bound(b, lp, dyn, SHADER_GEOMETRY, part.shader.blocks)
        bound.load_blocks(nir)
        env = GsEnv(bound, part, prims, at)
        _Translator(b, nir, env).run(None)
        counts = env.finish()
        cells = Cells(map(tuple, part.rows.varyings), part.rows.floats)
        out = RasterRows(b, lp, dyn, cells, part.clip_planes, part.depth_clamp, hurried)
        flags = FlagSums(b, part.shader.outputs)
        with b.For(b.const(u32, 0), b.reduce("max", counts), 1) as k:
            bits = out.store(env.vertices(k), row + k * LANES)
            flags.add(bits, b.splat(k, LANES) < counts)
        b.Return(flags.result())

    return lp_gs


__all__ = ["geometry_kernel"]
