# SPDX-License-Identifier: MIT
"""Fragment kernels: coverage, interpolation, shader, tests and blending of one pipeline, fused in
one function (lp_state_fs.c).

A kernel takes a run of commands of one tile that share a draw's state and executes them: stamps.py
says which 4x4 stamps they cover (with several samples a pixel, `raster` does). Stamps that are
whole skip the merge with what was there. Order within a stamp: interpolate depth; stencil and depth
test first, unless the shader may discard; shader; alpha test; (late depth); blend; store. All paths
compute a pixel's values by the same expressions, so it doesn't matter which path it took."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_
from typing import Any

from pipe_llvm.fs_cover import shade_polygons
from pipe_llvm.gallivm import blend as blending
from pipe_llvm.gallivm import depth as zs
from pipe_llvm.gallivm import format as color
from pipe_llvm.gallivm.nir_soa import SoaEnv, emit_shader
from pipe_llvm.native import OP_WHOLE, LpFragState, LpStamps, LpTask
from pipe_llvm.packet import (
    ANCHOR,
    BBOX,
    DEPTH,
    EDGE_A,
    EDGE_B,
    EDGE_C,
    RECIP_W,
    SAMPLE_EDGES,
    PacketHeader,
    PacketLayout,
    lane_loader,
)
from pipe_llvm.rect import RectFragments
from pydri.jit import Kernel, Vec, boolean, extern_c, f32, i32, i64, kernel, ptr, u8, u16, u32, u64
from pydri.pipe.format import FORMATS
from pydri.pipe.state import PipelineState

f32x16, i32x16, mask16 = f32.vec(16), i32.vec(16), boolean.vec(16)
FRAG_RESULT_DEPTH, FRAG_RESULT_COLOR, FRAG_RESULT_DATA0 = 0, 2, 4
PIXEL_X = [n % 4 for n in range(16)]
PIXEL_Y = [n // 4 for n in range(16)]
FAR = 1 << 30  # more than an edge function can change across a tile
LP_STAMPS = extern_c(
    "lp_stamps", u32, ptr(LpTask), ptr(u64), u32, u64, ptr(LpStamps)
)
ADDRESS = (1 << 48) - 1  # of a command
LP_BLOCK_MASKS_SAMPLES = extern_c("lp_block_masks_samples", u32, *[i32] * 12)


class FsEnv(SoaEnv):
    """What a fragment shader sees of the stamp that is being shaded."""

    lane_xy = tuple(zip(PIXEL_X, PIXEL_Y, strict=True))

    def __init__(
        self,
        b: Any,
        frag: FragmentBuilder,
        state: Any,
        inputs: dict[tuple[int, int], Any],
        coords: list[Any],
        front: Any,
        mask: Any,
    ) -> None:
        super().__init__(b)
        self.frag = frag
        self.state = state
        self.inputs = inputs
        self.coords = coords
        self.front = front
        self.pixel: Any = None  # of a rectangle's image
        self.mask = b.var(mask16, mask)

    def load_input(self, slot: int, component: int) -> Any:
        """An interpolated input; components that the vertex side doesn't write are 0, 0, 0, 1."""
        value = self.inputs.get((slot, component))
        return value if value is not None else self.b.const(f32, 1.0 if component == 3 else 0.0)

    def load_ubo(self, block: int, offset: Any, count: int) -> list[Any]:
        """Dwords of the copied range of block 0; `offset` counts from the block's own start."""
        b = self.b
        low, high = self.frag.const_range
        base = LpFragState.offset("consts") - low
        if isinstance(offset, int):
            if not low <= offset <= high - 4 * count:
                return [b.const(f32, 0.0)] * count
            return [
                b.bytes_from(self.state, base + offset + 4 * n, f32).load(f32, invariant=True)
                for n in range(count)
            ]
        offset = b.bitcast(offset, u32)
        out = []
        for n in range(count):
            at = offset + 4 * n
            inside = (at >= low) & (at < high)
            safe = b.select(inside, at, b.const(u32, low))
            if isinstance(safe.ty, Vec):
                value = b.gather(
                    b.bytes_from(self.state, base, f32), b.bitcast(safe, i32), inside, scale=1
                )
            else:
                value = b.bytes_from(self.state, safe + base, f32).load(f32)
            out.append(b.select(inside, value, 0.0))
        return out

    def load_system(self, name: str, count: int) -> list[Any]:
        if name == "frag_coord":
            return self.coords[:count]
        if name == "front_face":
            return [self.front]
        if name == "pixel" and self.pixel is not None:
            return self.pixel()[:count]
        return super().load_system(name, count)

    def discard(self, mask: Any) -> None:
        """Drop the pixels of `mask` (None: all)."""
        b = self.b
        dropped = b.const(mask16, 1) if mask is None else b.splat(mask, 16)
        self.mask.value = self.mask.value & ~dropped


class Tile:
    """The task's fields, loaded once: for all LLVM knows, stores to the tile could change them."""

    def __init__(self, b: Any, task: Any) -> None:
        self.x0, self.y0 = task.x0, task.y0
        self.color, self.depth = task.color, task.depth
        self.color_stride = b.cast(task.color_stride, u64)
        self.depth_stride = b.cast(task.depth_stride, u64)


class FragmentBuilder:
    """Generates the fragment kernel of one pipeline state."""

    def __init__(self, state: PipelineState, layout: PacketLayout) -> None:
        self.state = state
        self.layout = layout
        self.fmt = FORMATS[state.color_format]
        self.zs_fmt = FORMATS[state.zs_format]
        self.const_range = state.fs.const_range
        self.has_zs = bool(state.zs_format) and (
            bool(state.dsa.depth_func) or state.dsa.stencil_front is not None
        )
        self.rect = RectFragments(layout, state.rect) if state.prim == 3 else None
        self.has_color = bool(state.color_format) and state.blend.colormask != 0
        self.opaque = self.has_color and blending.is_opaque(state.blend, self.fmt)
        self.late_zs = self.has_zs and (
            state.fs.uses_discard or state.fs.writes_depth or state.dsa.alpha_func not in (0, 0x207)
        )

    # -- one stamp -------------------------------------------------------------------------------

    def planes(self, b: Any, tri: dict[str, Any], x: Any, y: Any) -> Any:
        """A function from a plane to its values at the pixel centres of the stamp at (x, y)."""
        from_x, from_y = (b.cast(n + start, f32) for n, start in zip((x, y), tri["start"]))

        def evaluate(plane: tuple[Any, Any, Any, Any]) -> Any:
            a0, dadx, dady, inner = plane
            if self.layout.constant:
                return b.splat(a0, 16)
            value = b.splat(a0 + dadx * from_x + dady * from_y, 16) + inner
            if "moved" in tri:
                moved_x, moved_y = tri["moved"]
                value = value + (moved_x * b.splat(dadx, 16) + moved_y * b.splat(dady, 16))
            return value

        return evaluate

    def shade(
        self, b: Any, tri: dict[str, Any], x: Any, y: Any, coverage: list[Any], whole: Any
    ) -> None:
        """Everything for the 16 pixels of a stamp at (x, y) in the tile (multiples of 4)."""
        state, task = tri["state"], tri["task"]
        (covered,) = coverage
        alive = b.var(mask16, covered)
        evaluate = self.planes(b, tri, x, y)
        z = evaluate(tri["depth"]) if self.has_zs or self.state.fs.writes_depth else None
        if z is not None and self.state.rast.depth_clamp:  # to the range of the viewport, not 0..1
            z = b.clamp(z, *(b.splat(state.depth_range[n], 16) for n in range(2)))
        front = tri["front"]
        place = None
        if self.has_zs:
            layout = zs.layout_of(self.zs_fmt)
            at = b.cast(b.cast(y, u32), u64) * task.depth_stride
            at = at + b.cast(b.cast(x >> 2, u32) * layout.stamp_bytes, u64)
            place = b.bytes_from(task.depth, at, u32)
        if self.has_zs and not self.late_zs:
            alive.value = zs.test(b, self.state.dsa, self.zs_fmt, place, z, covered, state, front)
            if not self.has_color:
                self.count(b, tri, alive.value)
                return
            survived = b.any(alive.value)
        else:
            survived = None

        def rest() -> None:
            self.shade_color(b, tri, x, y, alive, whole, z, place, evaluate)

        if survived is None:
            rest()
        else:
            with b.If(survived, likely=True):
                rest()

    def count(self, b: Any, tri: dict[str, Any], mask: Any) -> None:
        """Count pixels that passed every test, if the pipeline counts (GL 2.1, 4.1.7)."""
        if self.state.occlusion_count:
            passed = tri["passed"]
            passed.value = passed.value + b.popcount(b.cast(b.bits_of(mask), u32))

    def shade_color(
        self,
        b: Any,
        tri: dict[str, Any],
        x: Any,
        y: Any,
        alive: Any,
        whole: Any,
        z: Any,
        place: Any,
        evaluate: Any,
    ) -> None:
        """Interpolation, shader, alpha test, late depth, blending and the store."""
        state, task = tri["state"], tri["task"]
        env, rgba = self.run_shader(b, tri, x, y, alive.value, z, evaluate)
        mask = env.mask.value
        if self.state.dsa.alpha_func not in (0, 0x207):
            mask = mask & zs.compare(
                b, self.state.dsa.alpha_func, rgba[3], b.splat(state.alpha_ref, 16)
            )
        if self.late_zs:
            written = env.output(FRAG_RESULT_DEPTH, 0)
            z = z if written is None else b.splat(written, 16)
            mask = zs.test(b, self.state.dsa, self.zs_fmt, place, z, mask, state, tri["front"])
        self.count(b, tri, mask)
        if not self.has_color:
            return
        at = b.cast(b.cast(y, u32), u64) * task.color_stride + b.cast(
            b.cast(x, u32) * self.fmt.bytes, u64
        )
        pixel = b.bytes_from(task.color, at, u8)
        stride = task.color_stride
        always = self.opaque and not (
            self.state.fs.uses_discard or self.state.dsa.alpha_func not in (0, 0x207)
        )
        if not self.opaque:
            old = color.load_stamp(b, pixel, stride, self.fmt)
            new = blending.blend_stamp(
                b, self.state.blend, self.fmt, rgba, old, lambda n: state.blend_color[n],
                lambda: state.plan.blend,
            )  # fmt: skip
            color.store_stamp(b, pixel, stride, self.fmt, b.select(mask, new, old))
            return
        new = blending.blend_stamp(
            b, self.state.blend, self.fmt, rgba, None, lambda n: state.blend_color[n]
        )
        complete = whole if always and not self.has_zs else b.all(mask)
        with b.If(complete):
            color.store_stamp(b, pixel, stride, self.fmt, new)
        with b.Else():
            old = color.load_stamp(b, pixel, stride, self.fmt)
            color.store_stamp(b, pixel, stride, self.fmt, b.select(mask, new, old))

    def run_shader(
        self, b: Any, tri: dict[str, Any], x: Any, y: Any, alive: Any, z: Any, evaluate: Any
    ) -> tuple[FsEnv, list[Any]]:
        """Interpolation and shader for the pixels of `alive`: what is left of them, and other
        outputs, is in the environment; and the colour."""
        state, task = tri["state"], tri["task"]
        fx, fy = b.cast(x + task.x0, f32), b.cast(y + task.y0, f32)
        inputs: dict[tuple[int, int], Any] = {}
        smooth = [i for i in self.layout.inputs if i.interp == "perspective"]
        for item in self.layout.inputs:
            if item.interp == "flat":
                inputs[(item.slot, item.component)] = b.splat(tri["planes"][item.field], 16)
            else:
                inputs[(item.slot, item.component)] = evaluate(tri["planes"][item.field])
        rw = evaluate(tri["rw"]) if smooth else None
        if smooth:
            held = {
                (i.slot, i.component): b.var(f32x16, inputs[(i.slot, i.component)]) for i in smooth
            }
            with b.If(~tri["linear"]):
                w = b.const(f32x16, 1.0) / rw
                for var in held.values():
                    var.value = var.value * w
            for where, var in held.items():
                inputs[where] = var.value
        px = b.splat(fx + 0.5, 16) + b.const(f32x16, [float(n) for n in PIXEL_X])
        py = b.splat(fy + 0.5, 16) + b.const(f32x16, [float(n) for n in PIXEL_Y])
        coords = [
            px,
            py,
            z if z is not None else b.const(f32x16, 0.0),
            rw if rw is not None else b.const(f32x16, 1.0),
        ]
        env = FsEnv(b, self, state, inputs, coords, tri["front"], alive)
        if self.rect is not None:
            env.pixel = partial(self.rect.pixel, b, tri, x, y)
        emit_shader(b, self.shader, env, alive)

        def output(n: int) -> Any:
            for slot in (FRAG_RESULT_COLOR, FRAG_RESULT_DATA0):
                value = env.output(slot, n)
                if value is not None:
                    return b.splat(value, 16)
            return b.const(f32x16, 1.0 if n == 3 else 0.0)

        rgba = [output(n) for n in range(4)]
        if "coverage" in tri:
            rgba[3] = rgba[3] * tri["coverage"]
        return env, rgba

    # -- one triangle ----------------------------------------------------------------------------

    def triangle(self, b: Any, task: Any, state: Any, packet: Any, lane: Any) -> dict[str, Any]:
        """Load a triangle's planes from its packet."""
        load = lane_loader(b, packet, lane)
        ix = b.const(f32x16, [float(n) for n in PIXEL_X])
        iy = b.const(f32x16, [float(n) for n in PIXEL_Y])

        def plane(number: int) -> tuple[Any, Any, Any, Any]:
            if self.layout.constant:
                return load(number, f32), None, None, None
            a0, dadx, dady = (load(number + n, f32) for n in range(3))
            return a0, dadx, dady, b.splat(dadx, 16) * ix + b.splat(dady, 16) * iy

        header = packet.cast(ptr(PacketHeader))
        bit = b.const(u32, 1) << lane
        tri: dict[str, Any] = {"state": state, "task": task, "planes": {}, "load": load}
        tri["front"] = (header.front & bit) != 0
        tri["linear"] = (header.linear & bit) != 0
        anchor = load(ANCHOR, i32)
        tri["start"] = (task.x0 - (anchor & 0xFFFF), task.y0 - (anchor >> 16))
        tri["depth"] = plane(DEPTH) if self.has_zs or self.state.fs.writes_depth else None
        tri["rw"] = plane(RECIP_W) if self.layout.perspective else None
        count = self.layout.samples
        tri["less"] = [
            [load(SAMPLE_EDGES + k * count + s, i32) for s in range(count)] for k in range(3)
        ]
        for item in self.layout.inputs:
            tri["planes"][item.field] = (
                load(item.field, f32) if item.interp == "flat" else plane(item.field)
            )
        return tri

    def classify(self, b: Any, tri: dict[str, Any], edges: Any, left: Any, top: Any) -> Any:
        """The stamps of the block at (left, top): see block_masks_samples of stamps.py."""
        args = []
        for (a, step_y, e, _), less in zip(edges, tri["less"]):
            args += [a, step_y, e + a * left + step_y * top]
            if less:
                args.append(reduce(b.max, less))
        return b.call(LP_BLOCK_MASKS_SAMPLES, *args)

    def coverage(self, b: Any, tri: dict[str, Any], edges: Any, x: Any, y: Any) -> list[Any]:
        """Which pixels of the stamp at (x, y) the edges leave inside: a mask a sample."""
        values = [b.splat(e + a * x + step_y * y, 16) + pixels for a, step_y, e, pixels in edges]
        masks = []
        for s in range(self.layout.samples or 1):
            test = b.const(mask16, 1)
            for value, less in zip(values, tri["less"]):
                test = test & (value >= (b.splat(less[s], 16) if less else 0))
            masks.append(test)
        return masks

    def raster(self, b: Any, tri: dict[str, Any], cut: Any) -> None:
        """Walk the blocks and stamps of a triangle with several samples a pixel. `cut`: edges that
        cut the tile (0: the triangle covers it), bit 3: the bounding box cuts it.

        What only large triangles need (classifying a block's stamps) is a call, so that the small
        ones, which are most, do not compute it."""
        load, tile = tri["load"], tri["task"]
        x0, y0 = tile.x0, tile.y0
        minx, miny = b.max(load(BBOX, i32) - x0, 0), b.max(load(BBOX + 1, i32) - y0, 0)
        maxx, maxy = b.min(load(BBOX + 2, i32) - x0, 63), b.min(load(BBOX + 3, i32) - y0, 63)
        px, py = b.const(i32x16, PIXEL_X), b.const(i32x16, PIXEL_Y)
        edges = []
        for k in range(3):
            a, step_y = load(EDGE_A + k, i32), load(EDGE_B + k, i32)
            e = load(EDGE_C + 2 * k, i64)
            e = e + b.cast(a, i64) * b.cast(x0, i64) + b.cast(step_y, i64) * b.cast(y0, i64)
            # beyond this an edge has the same sign in the whole tile, and 32 bits are enough
            e = b.cast(b.min(b.max(e, -FAR), FAR), i32)
            pixels = b.splat(a, 16) * px + b.splat(step_y, 16) * py
            edges.append((a, step_y, e, pixels))
        boxed = (cut & 8) != 0
        covers = cut == 0
        stamps_x, stamps_y = (maxx >> 2) - (minx >> 2), (maxy >> 2) - (miny >> 2)
        few = stamps_x + stamps_y <= 2
        with b.For(miny >> 4, (maxy >> 4) + 1) as by:
            with b.For(minx >> 4, (maxx >> 4) + 1) as bx:
                left, top = bx << 4, by << 4
                # the stamps that the bounding box touches, as bits of a row and of a column
                first_x, last_x = b.max(minx - left, 0) >> 2, b.min(maxx - left, 15) >> 2
                first_y, last_y = b.max(miny - top, 0) >> 2, b.min(maxy - top, 15) >> 2
                one = b.const(u32, 1)
                columns = (one << b.cast(last_x + 1, u32)) - (one << b.cast(first_x, u32))
                rows = (one << b.cast(last_y * 4 + 4, u32)) - (one << b.cast(first_y * 4, u32))
                todo = b.var(u32, (rows & 0x1111) * columns)
                full = b.var(u32, b.select(covers, b.const(u32, 0xFFFF), b.const(u32, 0)))
                with b.If(~(few | covers)):
                    masks = self.classify(b, tri, edges, left, top)
                    todo.value = todo.value & masks
                    full.value = b.select(boxed, b.const(u32, 0), masks >> 16)
                with b.While(lambda: todo.value != 0):
                    n = b.ctz(todo.value)
                    todo.value = todo.value & (todo.value - 1)
                    x = left + b.cast((n & 3) << 2, i32)
                    y = top + b.cast((n >> 2) << 2, i32)
                    everywhere = b.const(mask16, 1)
                    covered = [b.var(mask16, everywhere) for _ in range(self.layout.samples or 1)]
                    is_whole = ((full.value >> n) & 1) != 0
                    with b.If(~is_whole):
                        for var, test in zip(covered, self.coverage(b, tri, edges, x, y)):
                            var.value = test
                        with b.If(boxed, likely=False):
                            gx, gy = b.splat(x, 16) + px, b.splat(y, 16) + py
                            box = (gx >= minx) & (gx <= maxx) & (gy >= miny) & (gy <= maxy)
                            for var in covered:
                                var.value = var.value & box
                        with b.If(~b.any(reduce(or_, [var.value for var in covered]))):
                            b.Continue()
                    self.shade(b, tri, x, y, [var.value for var in covered], is_whole)

    def kernel(self, name: str) -> Kernel:
        """The fragment kernel: fs(task, commands, count) -> commands executed."""
        from pydri.nir.passes import lower_for_backend

        self.shader = self.state.fs.build()
        lower_for_backend(self.shader)
        if self.layout.smooth:
            return self.cover_kernel(name)
        if self.rect is None and not self.layout.samples:
            return self.stamp_kernel(name)

        @kernel(u32, (ptr(LpTask), ptr(u64), u32), name=name, noalias=(0,))
        def fs(b: Any, task: Any, commands: Any, count: Any) -> None:
            done = b.var(u32, 0)
            passed = b.var(u32, 0)
            tile = Tile(b, task)
            state_address = b.int_to_ptr(commands[0] & 0xFFFFFFFFFFFF, u64)[0]
            state = b.int_to_ptr(state_address, LpFragState)
            with b.While(lambda: done.value < count):
                command = commands[done.value]
                op = command >> 56
                with b.If(op > OP_WHOLE, likely=False):
                    b.Break()
                packet = b.int_to_ptr(command & 0xFFFFFFFFFFFF, u8)
                with b.If(packet.cast(ptr(u64))[0] != state_address):
                    b.Break()
                done.value = done.value + 1
                lane = b.cast((command >> 48) & 15, u32)
                load = self.triangle if self.rect is None else self.rect.load
                tri = load(b, tile, state, packet, lane)
                tri["passed"] = passed
                cut = b.cast((command >> 52) & 15, i32)
                if self.rect is None:
                    self.raster(b, tri, cut)
                else:
                    self.rect.raster(b, tri, partial(self.shade, b, tri))
            self.report(b, state, passed)
            b.Return(done.value)

        return fs

    def cover_kernel(self, name: str) -> Kernel:
        """The kernel of smooth polygons: fs_cover.py."""

        @kernel(u32, (ptr(LpTask), ptr(u64), u32), name=name, noalias=(0,))
        def fs(b: Any, task: Any, commands: Any, count: Any) -> None:
            passed = b.var(u32, 0)
            shared = b.int_to_ptr(commands[0] & ADDRESS, u64)[0]
            state = b.int_to_ptr(shared, LpFragState)
            tile = Tile(b, task)
            done = shade_polygons(self, b, task, tile, commands, shared, state, passed)
            self.report(b, state, passed)
            b.Return(done)

        return fs

    def report(self, b: Any, state: Any, passed: Any) -> None:
        """Add the pixels that passed to the counter of the active query."""
        if self.state.occlusion_count:
            counter = state.occlusion_counter
            with b.If(counter != None):  # noqa: E711 - a run-time comparison
                b.atomic_add(counter, b.cast(passed.value, u64))

    def stamp_kernel(self, name: str) -> Kernel:
        """The kernel for triangles with one sample a pixel: the shared `lp_stamps` says what they
        cover, this shades it. A triangle's planes stay in registers for all of its stamps."""

        @kernel(u32, (ptr(LpTask), ptr(u64), u32), name=name, noalias=(0,))
        def fs(b: Any, task: Any, commands: Any, count: Any) -> None:
            done, at, passed = b.var(u32, 0), b.var(u32, 0), b.var(u32, 0)
            tile = Tile(b, task)
            shared = b.int_to_ptr(commands[0] & ADDRESS, u64)[0]
            state = b.int_to_ptr(shared, LpFragState)
            listed = b.array(LpStamps, 1, align=64)
            with b.While(lambda: done.value < count):
                first = commands + done.value
                took = b.call(LP_STAMPS, task, first, count - done.value, shared, listed)
                with b.If(took == 0):
                    b.Break()
                done.value = done.value + took
                stamps, used = listed.stamps, listed.count
                at.value = b.const(u32, 0)
                with b.While(lambda: at.value < used):
                    stamp = b.var(u32, stamps[at.value])
                    tag = stamp.value >> 24
                    command = first[tag]
                    packet = b.int_to_ptr(command & ADDRESS, u8)
                    lane = b.cast((command >> 48) & 15, u32)
                    tri = self.triangle(b, tile, state, packet, lane)
                    tri["passed"] = passed
                    with b.Loop():
                        bits = stamp.value & 0xFFFF
                        x = b.cast((stamp.value >> 14) & 60, i32)
                        y = b.cast((stamp.value >> 18) & 60, i32)
                        covered = b.mask_of(b.cast(bits, u16))
                        self.shade(b, tri, x, y, [covered], bits == 0xFFFF)
                        at.value = at.value + 1
                        with b.If(at.value == used):
                            b.Break()
                        stamp.value = stamps[at.value]
                        with b.If(stamp.value >> 24 != tag):
                            b.Break()
            self.report(b, state, passed)
            b.Return(done.value)

        return fs
