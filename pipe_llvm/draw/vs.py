# SPDX-License-Identifier: MIT
"""The vertex stage of a pipeline as one kernel: fetch, shader, clip flags, viewport, rows.

In: 16 vertex numbers at a time, a range or an index list. Out, for the vertex stream: a row for
each vertex (surface x, y, depth, 1/w, then varyings), clip coordinates (planar in groups of 16),
clip flags; and OR and AND of all flags. Everything a shader reads besides its inputs is a uniform
scalar behind an invariant load, so it is loaded once for 16 vertices and broadcast from memory.
Nothing moves such loads out of the loop: the passes of a variant do not (pydri/jit/compiler.py).
Rows are made by transposing 16 vertices in registers. Counterpart of Mesa's draw_llvm.c
(draw_llvm_generate).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw import fetch
from pipe_llvm.draw.space import CLIP_W, View
from pipe_llvm.gallivm.constants import load_dwords
from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv, emit_shader
from pipe_llvm.native import (
    CLIP_USER0,
    LpContext,
    LpPlan,
    buffer_of,
    image_of,
)
from pipe_llvm.sample.call import sample_now
from pydri.jit.cpu import native_vector_width
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import f32, f64, i32, ptr, u8, u16, u32
from pydri.jit.values import Value, Var, wrap
from pydri.nir.enums import VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CLIP_VERTEX, VARYING_SLOT_POS
from pydri.nir.ir import IntrinsicInstr, Shader, TexInstr
from pydri.nir.passes import lower_for_backend
from pydri.pipe.native import SHADER_VERTEX, PipeDynamic, VertexBinding
from pydri.pipe.sampler import TextureView
from pydri.pipe.shader_memory import FIRST_BLOCK

if TYPE_CHECKING:
    from pipe_llvm.recipe import VertexPart
    from pydri.jit import Builder, Pointer

_F32X16 = f32.vec(LANES)


class VsEnv(SoaEnv):
    """Inputs of 16 vertices, the uniform blocks in place."""

    def __init__(self, b: Builder, lp: Any, blocks: dict[int, tuple[Any, Any]]) -> None:
        super().__init__(b)
        self.lp, self.blocks = lp, blocks
        self.inputs: dict[int, list[Any]] = {}
        self.vertex_id: Any = None
        self.instances: Any = None  # of each vertex (u32x16), if something asks for them
        self.at: tuple[Any, Any]  # how many vertices there are, and the number of the first one

    def buffer(self, space: str, number: int) -> tuple[Any, Value]:
        return buffer_of(self.lp.addr("vs_memory"), space, number)

    def image(self, number: int) -> Any:
        return image_of(self.lp.addr("vs_memory"), number)

    def live(self, mask: Value | None) -> Value:
        b, (count, first) = self.b, self.at
        # lanes behind the last vertex are this one again
        inside = b.iota(u32.vec(LANES)) < b.splat(count - first, LANES)
        return inside if mask is None else inside & mask

    def load_input(self, slot: int, component: int) -> Value:
        value = self.inputs.get(slot, (0.0, 0.0, 0.0, 1.0))[component]
        return self.b.const(f32, value) if isinstance(value, float) else value

    def load_ubo(self, block: int, offset: Any, count: int) -> list[Value]:
        base, size = self.blocks[block]
        return load_dwords(self.b, base, 0, size, offset, count)

    def texture(self, instr: TexInstr, srcs: dict[str, list[Value]]) -> list[Value]:
        views = self.lp.addr("vertex_views").load(ptr(TextureView), invariant=True)
        return sample_now(self.b, views + instr.texture_index, instr, srcs, self.lp.thread)

    def loops_cut(self) -> None:
        self.lp.thread.loops_cut = 1

    def variables(self) -> Any:
        return self.lp.thread.variables

    def load_system(self, name: str, count: int) -> list[Value]:
        if name == "vertex_id":
            return [self.b.bitcast(self.vertex_id, i32)]
        if name == "instance_id":
            return [self.b.bitcast(self.instances, i32)]
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
        stage.load_blocks(nir)
        stage.instances = instances if _by_instance(nir, part) else None
        with b.If(count == 0):
            b.Return(0)
        stream = lp.stream
        rows, clip, flags = stream.rows, stream.clip, stream.flags
        # up to here groups are 16 successive vertices that need no care
        limit = fetch.inside_limit(b, [bindings[e.slot] for e in part.elements if not e.divided])
        plain_end = b.select(limit > start, b.min(limit - start, count), 0)
        plain_end = b.select(elts == 0, plain_end, 0)
        any_flags, all_flags = b.var(i32.vec(LANES), 0), b.var(i32.vec(LANES), -1)
        at = b.var(u32, 0)
        with b.Loop():
            i = at.value
            vertices = _vertex_numbers(b, elts, start, count, i)
            env = stage.shade(nir, vertices, i + LANES <= plain_end, (count, i))
            pos, surface, bits = stage.position(env)
            group = b.cast(i, u32)
            for n in range(4):
                (clip + (group * 4 + n * LANES)).store(pos[n], align=64)
            (flags + i).store(b.cast(bits, u16))
            any_flags.value = any_flags.value | bits
            all_flags.value = all_flags.value & bits
            stage.store_rows(env, surface, rows + i * stage.row_bytes)
            at.value = i + LANES
            with b.If(at.value >= count):
                b.Break()
        either = b.bitcast(b.reduce("or", any_flags.value), u32)
        common = b.bitcast(b.reduce("and", all_flags.value), u32)
        b.Return(either | (common << 16))

    return lp_vs


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
        self.b, self.lp, self.dyn, self.bindings = b, lp, dyn, bindings
        self.part, self.elements = part, part.elements
        self.hurried = hurried  # one way of fetching vertices, which serves for all
        self.row_bytes = 4 * part.rows.floats
        self.view = View(b, dyn)
        self.blocks: dict[int, tuple[Any, Any]] = {}

    def load_blocks(self, nir: Shader) -> None:
        """Where the uniform blocks that the shader reads lie, and their sizes; here, once."""
        for instr in nir.main.instrs():
            if isinstance(instr, IntrinsicInstr) and instr.name == "load_ubo":
                number = instr.indices["block"]
                if number not in self.blocks:
                    self.blocks[number] = self._block(number)

    def _block(self, number: int) -> tuple[Any, Any]:
        """Where a block lies, and its size: a number where settle_blocks has seen to that."""
        if number >= FIRST_BLOCK:
            n = number - FIRST_BLOCK
            places = self.lp.addr("vertex_blocks").cast(ptr(ptr(u8)))
            return (places + n).load(ptr(u8), invariant=True), self.part.shader.blocks[n]
        place = self.dyn.stages[SHADER_VERTEX] if number else self.dyn
        base = place.addr(f"const{number}").load(ptr(u8), invariant=True)
        return base, place.addr(f"const{number}_size").load(u32, invariant=True)

    def shade(self, nir: Shader, vertices: Any, plain: Any, at: tuple[Any, Any]) -> VsEnv:
        b = self.b
        env = VsEnv(b, self.lp, self.blocks)
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
                raw = fetch.load_raw(b, element.format, rows)
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

    def value(self, env: VsEnv, slot: int, component: int) -> Any:
        """An output as f32x16; what the shader does not write is 0, 0, 0, 1."""
        found = env.output(slot, component)
        if found is None:
            found = self.b.const(f32, float(component == 3))
        return self.b.splat(found, LANES)

    def position(self, env: VsEnv) -> tuple[list[Any], list[Any], Any]:
        """Clip coordinates, surface coordinates, clip flags (i32x16)."""
        b = self.b
        pos = [self.value(env, VARYING_SLOT_POS, n) for n in range(4)]
        planes = self.view.distances(pos, not self.part.depth_clamp)
        for n in range(8):
            if self.part.clip_planes >> n & 1:
                planes.append((CLIP_USER0 << n, self.user_distance(env, pos, n)))
        zero = b.const(i32.vec(LANES), 0)
        bits = b.select(pos[3] > 0.0, zero, b.const(i32.vec(LANES), CLIP_W))
        for flag, distance in planes:
            # written so that NaN counts as outside
            bits = b.select(distance >= 0.0, bits, bits | flag)
        return pos, self.view.project(pos), bits

    def user_distance(self, env: VsEnv, pos: list[Any], n: int) -> Any:
        """Distance to user plane n: written by the shader, else its clip vertex in the plane."""
        slot, component = VARYING_SLOT_CLIP_DIST0 + n // 4, n % 4
        if env.output(slot, component) is not None:
            return self.value(env, slot, component)
        vertex = pos
        if env.output(VARYING_SLOT_CLIP_VERTEX, 0) is not None:
            vertex = [self.value(env, VARYING_SLOT_CLIP_VERTEX, c) for c in range(4)]
        plane = self.dyn.addr("clip_planes").cast(ptr(f32)) + 4 * n
        factors = [(plane + c).load(f32, invariant=True) for c in range(4)]
        total = vertex[0] * factors[0]
        for c in range(1, 4):
            total = total + vertex[c] * factors[c]
        distance = self.b.splat(total, LANES)
        env.outputs[slot, component] = distance  # clipping finds it in the row
        return distance

    def store_rows(self, env: VsEnv, surface: list[Any], rows: Any) -> None:
        layout, row_bytes = self.part.rows, self.row_bytes
        columns: list[Any] = [None] * layout.floats
        columns[:4] = surface
        for varying in layout.varyings:
            for n in range(varying.components):
                columns[varying.offset + n] = self.value(env, varying.slot, n)
        if self.hurried and native_vector_width() == 512:  # others have no such instruction
            lanes = self.b.iota(i32.vec(LANES)) * row_bytes
            for n, column in enumerate(columns):
                if column is not None:
                    self.b.scatter(rows, lanes + 4 * n, column, scale=1)
            return
        for block in range(0, layout.floats, 16):
            store_block(self.b, rows, row_bytes, block, columns[block : block + 16])


def store_block(b: Builder, rows: Pointer, row_bytes: int, block: int, columns: list[Any]) -> None:
    """Store up to 16 columns (f32x16 or None) of 16 rows, transposed; unused ends are left."""
    poison = wrap(b, _F32X16, "poison")
    used = max((n + 1 for n, c in enumerate(columns) if c is not None), default=0)
    chunks = []
    for at in range(0, (used + 3) // 4 * 4, 4):
        four = [poison if c is None else c for c in columns[at : at + 4]]
        chunks.append(fetch.transpose_in_lanes(b, four))
    if not chunks:
        return
    if len(chunks) == 3:
        chunks.append([poison] * 4)
    for k in range(4):  # vertices k, k+4, k+8, k+12 in the 128-bit lanes
        parts = [chunk[k] for chunk in chunks]
        for j, row in enumerate(_gather_lanes(b, parts)):
            place = b.bytes_from(rows, (k + 4 * j) * row_bytes + 4 * block, f32)
            place.store(row, align=min(64, row.ty.size))


def _lane(*picks: int) -> list[int]:
    """A shuffle of whole 128-bit lanes: 0..3 of the first vector, 4..7 of the second."""
    return [4 * p + n for p in picks for n in range(4)]


def _gather_lanes(b: Builder, parts: list[Any]) -> list[Any]:
    """Lane j of each of 1, 2 or 4 vectors side by side, for j = 0..3."""
    if len(parts) == 1:
        return [b.shuffle(parts[0], None, _lane(j)) for j in range(4)]
    if len(parts) == 2:
        return [b.shuffle(parts[0], parts[1], _lane(j, 4 + j)) for j in range(4)]
    low = [b.shuffle(parts[0], parts[1], _lane(n, n + 1, 4 + n, 5 + n)) for n in (0, 2)]
    high = [b.shuffle(parts[2], parts[3], _lane(n, n + 1, 4 + n, 5 + n)) for n in (0, 2)]
    return [
        b.shuffle(low[j // 2], high[j // 2], _lane(j % 2, 2 + j % 2, 4 + j % 2, 6 + j % 2))
        for j in range(4)
    ]
