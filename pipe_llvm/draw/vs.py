# SPDX-License-Identifier: MIT
"""The vertex stage of a pipeline as one kernel: fetch, shader, rows.

In: 16 vertex numbers at a time, a range or an index list. Out: what rows.py makes of them, and OR
and AND of all clip flags; or, where a geometry shader comes next, the rows that it reads.
Everything a shader reads besides its inputs is a uniform scalar (stage_env.py), loaded once for 16
vertices. Nothing moves such loads out of the loop: the passes of a variant do not
(pydri/jit/compiler.py). Counterpart of Mesa's draw_llvm.c (draw_llvm_generate).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pipe_llvm.draw import fetch
from pipe_llvm.draw.rows import Cells, FlagSums, RasterRows, RowWriter
from pipe_llvm.draw.stage_env import Bound, StageEnv
from pipe_llvm.gallivm.nir_soa import LANES, emit_shader
from pipe_llvm.native import LpContext, LpPlan
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import f32, f64, ptr, u32
from pydri.jit.values import Value, Var
from pydri.nir.ir import IntrinsicInstr, Shader
from pydri.nir.passes import lower_for_backend
from pydri.pipe.native import SHADER_VERTEX, PipeDynamic, VertexBinding

if TYPE_CHECKING:
    from pipe_llvm.recipe import VertexPart
    from pydri.jit import Builder, Pointer


class VsEnv(StageEnv):
    """Inputs of 16 vertices."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.inputs: dict[int, list[Any]] = {}
        self.vertex_id: Any = None
        self.instances: Any = None  # of each vertex (u32x16), if something asks for them

    def load_input(self, slot: int, component: int) -> Value:
        value = self.inputs.get(slot, (0.0, 0.0, 0.0, 1.0))[component]
        return self.b.const(f32, value) if isinstance(value, float) else value

    def load_system(self, name: str, count: int) -> list[Value]:
        if name == "vertex_id":
            return self.whole(self.vertex_id)
        if name == "instance_id":
            return self.whole(self.instances)
        return super().load_system(name, count)


def vertex_kernel(part: VertexPart, hurried: bool) -> Kernel:
    """The kernel `lp_vs` (signature: LpPlan.vs); the shader is built when it is traced. `hurried`:
    the code shall be short rather than fast."""
    args = (
        *(ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(VertexBinding)),
        *(ptr(u32), u32, u32, ptr(u32)),
    )

    @kernel(ret=u32, args=args, noalias=(1, 2, 3, 4))
    def lp_vs(b: Builder, lp: Any, plan: LpPlan, dyn: Any, bindings: Value, elts: Pointer,
              start: Value, count: Value, instances: Value) -> None:  # fmt: skip
        nir = part.shader.build()
        lower_for_backend(nir, hurried=hurried)
        stage = _Stage(b, lp, dyn, bindings, part, hurried)
        stage.bound.load_blocks(nir)
        stage.instances = instances if _by_instance(nir, part) else None
        with b.If(count == 0):
            b.Return(0)
        # up to here groups are 16 successive vertices that need no care
        arrays = [(bindings[e.slot], e.format) for e in part.elements if not e.divided]
        limit = fetch.inside_limit(b, arrays)
        plain_end = b.select(limit > start, b.min(limit - start, count), 0)
        plain_end = b.select(elts == 0, plain_end, 0)
        store, flags = _epilogue(b, lp, dyn, part, hurried)
        at = b.var(u32, 0)
        with b.Loop():
            i = at.value
            vertices = _vertex_numbers(b, elts, start, count, i)
            store(stage.shade(nir, vertices, i + LANES <= plain_end, (count, i)), i)
            at.value = i + LANES
            with b.If(at.value >= count):
                b.Break()
        b.Return(flags.result() if flags else 0)

    return lp_vs


def _epilogue(b: Builder, lp: Any, dyn: Any, part: VertexPart,
              hurried: bool) -> tuple[Callable[[VsEnv, Value], None], FlagSums | None]:  # fmt: skip
    """What stores the vertices of an environment from a number on: rows for rasterisation, with the
    sums of their clip flags, or those that a geometry shader reads."""
    cells = Cells(map(tuple, part.rows.varyings), part.rows.floats)
    if not part.last:
        plain, rows = RowWriter(b, cells, hurried), lp.stream.shaded

        def pass_on(env: VsEnv, first: Value) -> None:
            plain.store_rows(env, [], rows + first * plain.row_bytes)

        return pass_on, None
    out = RasterRows(b, lp, dyn, cells, part.clip_planes, part.depth_clamp, hurried)
    flags = FlagSums(b, part.shader.outputs)
    return (lambda env, first: flags.add(out.store(env, first))), flags


def _by_instance(nir: Shader, part: VertexPart) -> bool:
    """Whether vertices differ by their instance."""
    return any(element.divided for element in part.elements) or any(
        isinstance(instr, IntrinsicInstr) and instr.name == "load_instance_id"
        for instr in nir.main.instrs()
    )


def _vertex_numbers(b: Builder, elts: Pointer, start: Value, count: Value, i: Value) -> Value:
    """The numbers of 16 vertices (u32x16); lanes behind the end repeat the last one."""
    lane = b.min(b.splat(i, LANES) + b.iota(u32.vec(LANES)), b.splat(count - 1, LANES))
    out = b.var(u32.vec(LANES), lane + b.splat(start, LANES))
    with b.If(elts != 0):
        whole = (elts + i).cast(ptr(u32))
        inside = b.iota(u32.vec(LANES)) < b.splat(count - i, LANES)
        out.value = b.masked_load(whole, inside, u32.vec(LANES), b.splat(elts[i], LANES))
    return out.value


class _Stage:
    """The parts of the loop's body."""

    instances: Any = None  # LpPlan.vs, if vertices differ by them

    def __init__(
        self, b: Builder, lp: Any, dyn: Any, bindings: Value, part: VertexPart, hurried: bool
    ) -> None:
        self.b, self.lp, self.bindings, self.elements = b, lp, bindings, part.elements
        self.hurried = hurried  # one way of fetching vertices, which serves for all
        self.bound = Bound(b, lp, dyn, SHADER_VERTEX, part.shader.blocks)

    def shade(self, nir: Shader, vertices: Any, plain: Any, at: tuple[Any, Any]) -> VsEnv:
        b = self.b
        env = VsEnv(self.bound)
        env.vertex_id, env.at = vertices, at
        if self.instances is not None:
            number = b.var(u32.vec(LANES), 0)
            with b.If(self.instances != 0):
                number.value = (self.instances + at[1]).load(u32.vec(LANES))
            env.instances = number.value
        self.fetch(env, vertices, plain)
        emit_shader(b, nir, env)
        return env

    def fetch(self, env: VsEnv, vertices: Any, plain: Any) -> None:
        """The inputs; `plain`: these are 16 successive vertices, all inside of their arrays."""
        b = self.b
        for element in self.elements:
            if self.hurried or element.divided:
                binding = self.bindings[element.slot]
                numbers = self.shared(env, binding) if element.divided else vertices
                if self.hurried:
                    raw = fetch.gather_raw(b, element.format, binding, numbers)
                else:
                    rows = fetch.row_pointers(b, binding, numbers)
                    raw = fetch.load_raw(b, element.format, rows)
                env.inputs[element.slot] = fetch.convert(b, element.format, raw)
        elements = [e for e in self.elements if e.slot not in env.inputs]
        if not elements:
            return
        kept: list[list[Var]] = []
        with b.If(plain, likely=True):
            for element in elements:
                rows = fetch.linear_pointers(b, self.bindings[element.slot], vertices[0])
                raw = fetch.load_raw(b, element.format, rows, successive=True)
                kept.append([b.var(value.ty, value) for value in raw])
        with b.Else():
            for element, cells in zip(elements, kept, strict=True):
                rows = fetch.row_pointers(b, self.bindings[element.slot], vertices)
                for cell, value in zip(cells, fetch.load_raw(b, element.format, rows), strict=True):
                    cell.value = value
        for element, cells in zip(elements, kept, strict=True):
            raw = [cell.value for cell in cells]
            env.inputs[element.slot] = fetch.convert(b, element.format, raw)

    def shared(self, env: VsEnv, binding: Any) -> Any:
        """The elements that vertices of these instances have in common."""
        b = self.b
        divisor = binding.addr("divisor").load(u32, invariant=True)
        base = self.lp.addr("base_instance").load(u32, invariant=True)
        out = b.var(u32.vec(LANES), env.instances)
        with b.If(divisor != 1, likely=False):
            # a quotient of numbers below 2^32 is never rounded up to a whole number
            wide = b.cast(env.instances, f64) / b.splat(b.cast(divisor, f64), LANES)
            out.value = b.cast(wide, u32)
        return out.value + b.splat(base, LANES)
