# SPDX-License-Identifier: MIT
"""Fragment kernels: coverage, interpolation, shader, tests and blending of one pipeline, fused in
one function (lp_state_fs.c).

A kernel takes a run of commands of one tile that share a draw's state and executes them: stamps.py
says which 4x4 stamps they cover (with several samples a pixel, fragment/samples.py does). Stamps
that are whole skip the merge with what was there. Order within a stamp: interpolate depth; stencil
and depth test first, unless the shader may discard; shader; alpha test; (late depth); blend; store.
All paths compute a pixel's values by the same expressions, so it doesn't matter which path it
took."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.command import OP_WHOLE, cut_of, lane_of, operation_of, packet_of, state_of
from pipe_llvm.fragment.cover import shade_polygons
from pipe_llvm.fragment.env import FsEnv
from pipe_llvm.fragment.packet import (
    ANCHOR,
    DEPTH,
    RECIP_W,
    SAMPLE_EDGES,
    PacketHeader,
    lane_loader,
)
from pipe_llvm.fragment.primitive import Passed, Plane, Planes, Primitive, Stamp, Tile
from pipe_llvm.fragment.quads import whole_quads
from pipe_llvm.fragment.rect import RectFragments
from pipe_llvm.fragment.stamps import ALL, STAMP_X, STAMP_Y, is_block
from pipe_llvm.fragment.wide import LONG, length
from pipe_llvm.gallivm import blend as blending
from pipe_llvm.gallivm import depth as zs
from pipe_llvm.gallivm import format as color
from pipe_llvm.gallivm.alpha import GL_ALWAYS, passes
from pipe_llvm.gallivm.nir_soa import emit_shader
from pipe_llvm.native import STAMP_BATCH, LpFragState, LpStamps, LpTask, LpThreadData
from pydri.jit import Kernel, boolean, extern_c, f32, i32, kernel, ptr, u8, u16, u32, u64, void
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DEPTH,
    FRAG_RESULT_DUAL_SRC,
)
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.state import RtBlend

if TYPE_CHECKING:
    from pipe_llvm.recipe import FragmentPart
    from pydri.jit import Builder, Pointer, Value, Var
    from pydri.nir.ir import Shader

f32x16, i32x16, mask16 = f32.vec(16), i32.vec(16), boolean.vec(16)
LP_STAMPS = extern_c("lp_stamps", u32, ptr(LpTask), ptr(u64), u32, u64, ptr(LpStamps))
_ARGS = (ptr(LpTask), ptr(u64), u32)


class Target(NamedTuple):
    """A colour target that is written."""

    number: int
    fmt: Format
    blend: RtBlend
    opaque: bool  # covered pixels are simply replaced


class FragmentBuilder:
    """Generates a fragment kernel."""

    def __init__(self, part: FragmentPart, hurried: bool = False) -> None:
        self.part = part
        self.hurried = hurried  # the code shall be short rather than fast
        self.layout = part.layout
        self.fmt = FORMATS[part.targets[0].format if part.targets else 0]  # whose alpha is tested
        self.zs_fmt = FORMATS[part.zs_format]
        self.fs = part.shader
        self.constants = part.constants
        self.has_zs = bool(part.zs_format) and (
            bool(part.dsa.depth_func) or part.dsa.stencil_front is not None
        )
        self.needs_depth = self.has_zs or self.fs.writes_depth or self.fs.uses_position
        self.rect = None if part.rect is None else RectFragments(part.layout, part.rect)
        #: the colour targets that are written, with their numbers
        self.targets = [
            Target(n, fmt, target.blend, blending.is_opaque(target.blend, fmt))
            for n, target in enumerate(part.targets)
            if (fmt := FORMATS[target.format]).number and target.blend.colormask
        ]
        self.has_color = bool(self.targets)
        # whole numbers are not tested (GL 3.0, 4.1.4)
        self.alpha_test = part.dsa.alpha_func not in (0, GL_ALWAYS) and not self.fmt.integer
        # what fails a test has written memory nevertheless (GL 4.6, 14.9)
        self.late_zs = self.has_zs and (
            self.fs.uses_discard or self.fs.writes_depth or self.alpha_test or self.fs.access.writes
        )
        #: all that is covered passes
        self.untested = not (self.has_zs or self.fs.uses_discard or self.alpha_test)
        self.counted = False  # what passes is counted before it is shaded
        self.shader: Shader  # lowered; set by `kernel`
        self.thread: LpThreadData  # of the kernel that is being emitted

    def tile(self, b: Builder, task: LpTask) -> Tile:
        """The task's tile, with the places of the targets that are written. A kernel begins with
        this."""
        self.thread = task.thread
        return Tile(b, task).load_targets(target.number for target in self.targets)

    @property
    def stacks_planes(self) -> bool:
        """Whether planes lie side by side (Planes): less to do for a stamp, more for a triangle,
        and slower where a kernel has few planes."""
        return False

    @property
    def takes_blocks(self) -> bool:
        """Whether blocks of stamps that are covered wholly have code of their own: all that is done
        for a stamp once more, so long shaders don't repay it."""
        return not self.hurried and length(self.shader.main.body) < LONG

    @property
    def rejects_early(self) -> bool:
        """Whether a late depth test has one before it, which writes nothing: what is behind other
        pixels needs no shading. Short shaders would not repay it."""
        return False

    @property
    def defers_inputs(self) -> bool:
        """Whether inputs are computed for quads that lie side by side (quad_inputs.py)."""
        return False

    @property
    def counts_shaded(self) -> bool:
        """Whether fragments are counted where their shader begins."""
        return self.part.counting

    # -- one stamp -------------------------------------------------------------------------------

    def stamp(self, b: Builder, prim: Primitive, x: Value, y: Value, whole: Value) -> Stamp:
        """The stamp at (x, y) in the tile, ready to evaluate planes at its pixels' centres."""
        if prim.block_stamp is None:
            corner = prim.corners.at(
                *(b.cast(n + start, f32) for n, start in zip((x, y), prim.start, strict=True))
            )
        else:
            corner = prim.corners.in_block(prim.block_stamp)

        def evaluate(plane: Plane | Value) -> Value:
            if not isinstance(plane, Plane):
                return b.splat(plane, 16)
            value = corner(plane) + plane.within
            if prim.shift is not None:
                shift_x, shift_y = prim.shift
                value = value + (shift_x * b.splat(plane.dx, 16) + shift_y * b.splat(plane.dy, 16))
            return value

        return Stamp(x, y, whole, evaluate)

    def depth_of(self, prim: Primitive, at: Stamp) -> Value | None:
        """Depth at the pixels' centres; None if nothing asks for it."""
        if not self.needs_depth:
            return None
        assert prim.depth is not None
        return at.evaluate(prim.depth)

    def shade(
        self, b: Builder, prim: Primitive, x: Value, y: Value, coverage: list[Value], whole: Value
    ) -> None:
        """Everything for the 16 pixels of a stamp at (x, y) in the tile (multiples of 4)."""
        state, tile = prim.state, prim.tile
        (covered,) = coverage
        alive = b.var(mask16, covered)
        at = self.stamp(b, prim, x, y, whole)
        z = self.depth_of(prim, at)
        if z is not None:
            z = self.clamped_depth(b, state, z)
        place = self.depth_place(b, tile, x, y) if self.has_zs else None
        if place is None or (self.late_zs and not self.rejects_early):
            self.shade_color(b, prim, at, alive, z, place)
            return
        assert z is not None
        dsa = self.part.dsa
        if self.late_zs:
            alive.value = covered & self.may_pass(b, state, place, z)
            with b.If(b.any(alive.value), likely=True):
                self.shade_color(b, prim, at, alive, z, place)
            return
        alive.value = zs.test(b, dsa, self.zs_fmt, place, z, covered, state, prim.front)
        if not self.has_color:
            prim.passed.count([alive.value])
            return
        with b.If(b.any(alive.value), likely=True):
            self.shade_color(b, prim, at, alive, z, place)

    def may_pass(self, b: Builder, state: LpFragState, place: Pointer, z: Value) -> Value:
        """Which pixels of a stamp the late depth test may let through, where `rejects_early`."""
        return zs.may_pass(b, self.part.dsa, self.zs_fmt, place, z, state)

    def depth_place(self, b: Builder, tile: Tile, x: Value, y: Value) -> Pointer:
        """Where depth and stencil of the stamp at (x, y) in the tile lie."""
        layout = zs.layout_of(self.zs_fmt)
        offset = b.cast(b.cast(y, u32), u64) * tile.depth_stride
        offset = offset + b.cast(b.cast(x >> 2, u32) * layout.stamp_bytes, u64)
        return b.bytes_from(tile.depth, offset, u32)

    def clamped_depth(self, b: Builder, state: LpFragState, z: Value) -> Value:
        """With depth clamp: within the viewport's range, not 0 to 1, what a shader wrote, too (GL
        3.2, 4.1.5)."""
        if not self.part.depth_clamp:
            return z
        return b.clamp(z, *(b.splat(state.depth_range[n], 16) for n in range(2)))

    def passes_alpha(self, b: Builder, prim: Primitive, alpha: Value) -> Value:
        """The alpha test, where `alpha_test` says that there is one."""
        return passes(b, self.part.dsa.alpha_func, self.fmt, alpha, prim.state)

    def shade_color(
        self,
        b: Builder,
        prim: Primitive,
        at: Stamp,
        alive: Var[Value],
        z: Value | None,
        place: Pointer | None,
    ) -> None:
        """Interpolation, shader, alpha test, late depth (at `place`), blending and the store."""
        env, rgba = self.run_shader(b, prim, at, alive.value, z)
        mask = env.mask.value
        if self.alpha_test:
            mask = mask & self.passes_alpha(b, prim, rgba[3])
        if self.late_zs:
            written = env.output(FRAG_RESULT_DEPTH, 0)
            if written is not None:
                z = self.clamped_depth(b, prim.state, b.splat(written, 16))
            assert z is not None and place is not None
            dsa = self.part.dsa
            mask = zs.test(b, dsa, self.zs_fmt, place, z, mask, prim.state, prim.front)
        for target in self.targets:
            colors = self.color_of(b, prim, env, target, rgba)
            self.store_color(b, prim, at, target, colors, mask)
        if not self.counted:
            prim.passed.count([mask])  # last: a branch before would cut what is computed in two

    def color_of(
        self, b: Builder, prim: Primitive, env: FsEnv, target: Target, first: list[Value]
    ) -> list[Value]:
        """What the shader wrote for a target, where two sources are blended one behind the other;
        `first` is what it wrote for target 0."""
        if target.number == 0 and self.part.dual:
            second = self.output_color(b, env, FRAG_RESULT_DUAL_SRC)
            if prim.coverage is not None:
                second[3] = second[3] * prim.coverage
            if self.part.multisample.alpha_to_one:
                second[3] = b.const(f32x16, 1.0)
            return first + second
        if target.number == 0 or env.output(FRAG_RESULT_COLOR, 0) is not None:
            return first  # gl_FragColor is for all
        rgba = self.output_color(b, env, FRAG_RESULT_DATA0 + target.number)
        if not target.fmt.integer:
            if prim.coverage is not None:
                rgba[3] = rgba[3] * prim.coverage
            if self.part.multisample.alpha_to_one:
                rgba[3] = b.const(f32x16, 1.0)
        return rgba

    @staticmethod
    def output_color(b: Builder, env: FsEnv, *slots: int) -> list[Value]:
        """The four numbers of the first of the slots that was written; else 0, 0, 0, 1."""
        out = []
        for n in range(4):
            written = [env.output(slot, n) for slot in slots]
            value = next((v for v in written if v is not None), None)
            alone = b.const(f32x16, 1.0 if n == 3 else 0.0)
            out.append(alone if value is None else b.splat(value, 16))
        return out

    def blend(
        self,
        b: Builder,
        state: LpFragState,
        target: Target,
        rgba: list[Value],
        old: list[Value] | None,
    ) -> list[Value]:
        """The new packed pixels of a stamp; `old`: those that are there, if they count."""
        return blending.blend_stamp(
            b, target.blend, target.fmt, rgba, old, lambda n: state.blend_color[n],
            lambda: state.plan.blend,
        )  # fmt: skip

    def store_color(
        self,
        b: Builder,
        prim: Primitive,
        at: Stamp,
        target: Target,
        rgba: list[Value],
        mask: Value,
    ) -> None:
        """Blend the pixels of `mask` and write them to a target."""
        fmt = target.fmt
        first, stride = prim.tile.target(target.number)
        offset = b.cast(b.cast(at.y, u32), u64) * stride + b.cast(
            b.cast(at.x, u32) * fmt.bytes, u64
        )
        pixel = b.bytes_from(first, offset, u8)
        if not target.opaque:
            old = color.load_stamp(b, pixel, stride, fmt)
            new = self.blend(b, prim.state, target, rgba, old)
            color.store_stamp(b, pixel, stride, fmt, color.choose(b, mask, new, old))
            return
        new = self.blend(b, prim.state, target, rgba, None)
        with b.If(at.whole if self.untested else b.all(mask)):
            color.store_stamp(b, pixel, stride, fmt, new)
        with b.Else():
            old = color.load_stamp(b, pixel, stride, fmt)
            color.store_stamp(b, pixel, stride, fmt, color.choose(b, mask, new, old))

    def interpolate(
        self, b: Builder, prim: Primitive, at: Stamp
    ) -> tuple[dict[tuple[int, int], Value], Value | None]:
        """The inputs by slot and component, and 1/w if one of them is perspective."""
        inputs: dict[tuple[int, int], Value] = {}
        for item in self.layout.inputs:
            value = at.evaluate(prim.planes[item.field])
            if item.divided:
                value = value / b.splat(prim.load(self.layout.sprite_size, f32), 16)
            inputs[item.slot, item.component] = value
        if prim.recip_w is None:
            return inputs, None
        recip_w = at.evaluate(prim.recip_w)
        held = {
            (item.slot, item.component): b.var(f32x16, inputs[item.slot, item.component])
            for item in self.layout.inputs
            if item.interp == "perspective"
        }
        with b.If(~prim.linear):
            w = b.const(f32x16, 1.0) / recip_w
            for var in held.values():
                var.value = var.value * w
        for where, var in held.items():
            inputs[where] = var.value
        return inputs, recip_w

    def run_shader(
        self, b: Builder, prim: Primitive, at: Stamp, alive: Value, z: Value | None
    ) -> tuple[FsEnv, list[Value]]:
        """Interpolation and shader for the pixels of `alive`. Returns the environment, which has
        the pixels that are left and the other outputs, and the colour of target 0."""
        tile = prim.tile
        if self.counts_shaded:
            prim.passed.count_shaded(alive)
        fx, fy = b.cast(at.x + tile.x0, f32), b.cast(at.y + tile.y0, f32)
        inputs, recip_w = self.interpolate(b, prim, at)
        coords = [
            b.splat(fx + 0.5, 16) + b.const(f32x16, [float(n) for n in STAMP_X]),
            b.splat(fy + 0.5, 16) + b.const(f32x16, [float(n) for n in STAMP_Y]),
            z if z is not None else b.const(f32x16, 0.0),
            recip_w if recip_w is not None else b.const(f32x16, 1.0),
        ]
        env = FsEnv(b, self, prim.state, inputs, coords, prim.front, alive)
        if self.rect is not None and prim.image is not None:
            env.pixel = partial(self.rect.pixel, b, prim.image, at.x, at.y)
        self.emit(b, env, whole_quads(b, alive))
        rgba = self.output_color(b, env, FRAG_RESULT_COLOR, FRAG_RESULT_DATA0)
        if prim.coverage is not None and not self.fmt.integer:
            rgba[3] = rgba[3] * prim.coverage
        return env, rgba

    def emit(self, b: Builder, env: FsEnv, executing: Value) -> None:
        """The shader's code for the pixels of `executing`."""
        emit_shader(b, self.shader, env, executing)

    # -- one triangle ----------------------------------------------------------------------------

    def triangle(
        self, b: Builder, tile: Tile, state: LpFragState, packet: Pointer, lane: Value,
        inputs: bool = True,
    ) -> Primitive:  # fmt: skip
        """Load a triangle's planes from its packet, those of inputs if they are asked for."""
        load = lane_loader(b, packet, lane)
        ix, iy = (b.const(f32x16, [float(n) for n in lanes]) for lanes in (STAMP_X, STAMP_Y))
        planes = Planes(b)

        def plane(number: int) -> Plane:
            origin, dx, dy = (load(number + n, f32) for n in range(3))
            within = b.splat(dx, 16) * ix + b.splat(dy, 16) * iy + b.splat(origin, 16)
            return planes.add(Plane(dx, dy, within))

        header = packet.cast(ptr(PacketHeader))
        bit = b.const(u32, 1) << lane
        front, linear = (header.front & bit) != 0, (header.linear & bit) != 0
        anchor = load(ANCHOR, i32)
        start = tile.x0 - (anchor & 0xFFFF), tile.y0 - (anchor >> 16)
        prim = Primitive(tile, state, load, front, linear, start)
        prim.base, prim.corners = b.bytes_from(packet, lane * 4, u8), planes
        if self.needs_depth:
            prim.depth = load(DEPTH, f32) if self.layout.constant else plane(DEPTH)
        if not inputs:
            return prim
        if self.layout.perspective:
            prim.recip_w = plane(RECIP_W)
        count = self.layout.samples
        prim.sample_drop = [
            [load(SAMPLE_EDGES + k * count + s, i32) for s in range(count)] for k in range(3)
        ]
        for n, flat in ((item.field, item.interp == "flat") for item in self.layout.inputs):
            prim.planes[n] = load(n, f32) if flat else plane(n)
        if self.stacks_planes:
            planes.stack()
        return prim

    def walk(self, b: Builder, prim: Primitive, cut: Value) -> None:
        """Shade the stamps of a triangle whose packet has several samples a pixel
        (fragment/samples.py). `cut`: edges that cut the tile (0: the triangle covers it), bit 3:
        the bounding box does."""
        raise NotImplementedError("triangles with one sample a pixel come as lists of stamps")

    # -- kernels ---------------------------------------------------------------------------------

    def kernel(self, name: str) -> Kernel:
        """The fragment kernel: fs(task, commands, count) -> commands executed."""
        from pydri.nir.passes import lower_for_backend

        self.shader = self.fs.build()
        lower_for_backend(self.shader, hurried=self.hurried)
        self.prepare()
        if self.layout.smooth:
            return self.cover_kernel(name)
        if self.rect is not None or self.layout.samples:
            return self.command_kernel(name)
        return self.stamp_kernel(name)

    def shade_command(
        self,
        b: Builder,
        tile: Tile,
        state: LpFragState,
        packet: Pointer,
        command: Value,
        passed: Passed,
    ) -> None:
        """Execute one command of a rectangle, or of a triangle with several samples a pixel."""
        lane = lane_of(b, command)
        if self.rect is not None:
            prim = self.rect.load(b, tile, state, packet, lane)
            prim.passed = passed
            self.rect.walk(b, prim, partial(self.shade, b, prim))
            return
        prim = self.triangle(b, tile, state, packet, lane)
        prim.passed = passed
        self.walk(b, prim, cut_of(b, command, i32))

    def command_kernel(self, name: str) -> Kernel:
        """The kernel that executes one command after the other."""

        @kernel(u32, _ARGS, name=name, noalias=(0,))
        def fs(b: Builder, task: LpTask, commands: Pointer, count: Value) -> None:
            done = b.var(u32, 0)
            tile = self.tile(b, task)
            state_address = state_of(b, commands[0])
            state = b.int_to_ptr(state_address, LpFragState)
            passed = Passed(b, state, self.part.counting)
            self.begin(b, task, state, passed)
            self.start()
            with b.While(lambda: done.value < count):
                command = commands[done.value]
                op = operation_of(command)
                with b.If(op > OP_WHOLE, likely=False):
                    b.Break()
                packet = packet_of(b, command)
                with b.If(packet.cast(ptr(u64))[0] != state_address):
                    b.Break()
                done.value = done.value + 1
                self.shade_command(b, tile, state, packet, command, passed)
            self.end(b)
            passed.report()
            b.Return(done.value)

        return fs

    def cover_kernel(self, name: str) -> Kernel:
        """The kernel of smooth polygons: fragment/cover.py."""

        @kernel(u32, _ARGS, name=name, noalias=(0,))
        def fs(b: Builder, task: LpTask, commands: Pointer, count: Value) -> None:
            shared = state_of(b, commands[0])
            state = b.int_to_ptr(shared, LpFragState)
            passed = Passed(b, state, self.part.counting)
            tile = self.tile(b, task)
            done = shade_polygons(self, b, task, tile, commands, shared, state, passed)
            passed.report()
            b.Return(done)

        return fs

    def prepare(self) -> None:
        """Called when the shader is there; see fragment/batch.py."""

    def begin(self, b: Builder, task: LpTask, state: LpFragState, passed: Passed) -> None:
        """Called where a kernel begins, or a part of one that is a function of its own; see
        fragment/batch.py."""

    def start(self) -> None:
        """Called before the first stamp."""

    def end(self, b: Builder) -> None:
        """Called behind its last stamp."""

    def block_kernel(self, name: str) -> Kernel:
        """blocks(task, state, packet, lane, entry): shade the blocks of stamps, wholly covered by a
        triangle, that an entry of LpStamps stands for: no masks, and planes for all stamps of a
        block at once. A function of its own, so that small triangles don't pay for its loops."""

        @kernel(
            void, (ptr(LpTask), ptr(LpFragState), ptr(u8), u32, u32), name=f"{name}_blocks",
            noinline=True, noalias=(0,),
        )  # fmt: skip
        def blocks(
            b: Builder, task: LpTask, state: LpFragState, packet: Pointer, lane: Value, entry: Value
        ) -> None:
            tile = self.tile(b, task)
            passed = Passed(b, state, self.part.counting)
            self.begin(b, task, state, passed)
            prim = self.triangle(b, tile, state, packet, lane)
            prim.passed = passed
            left, top = (b.cast((entry >> shift) & 60, i32) for shift in (14, 18))
            with b.For(b.const(i32, 0), b.cast(entry & ALL, i32)) as n:
                self.shade_block(b, prim, left + (n & 3) * 16, top + (n >> 2) * 16)
            passed.report()

        return blocks

    def shade_block(self, b: Builder, prim: Primitive, x: Value, y: Value) -> None:
        """Shade four by four stamps, the first of which is at (x, y) in the tile."""
        start_x, start_y = prim.start
        prim.corners.begin_block(x + start_x, y + start_y)
        covered, whole = b.const(mask16, 1), b.const(boolean, 1)
        with b.For(b.const(i32, 0), 16) as n:
            prim.block_stamp = n
            self.shade(b, prim, x + (n & 3) * 4, y + (n & 12), [covered], whole)

    def stamp_kernel(self, name: str) -> Kernel:
        """The kernel for triangles with one sample a pixel: the shared `lp_stamps` says what they
        cover, this shades it. A triangle's planes stay in registers for all of its stamps."""

        @kernel(u32, _ARGS, name=name, noalias=(0,))
        def fs(b: Builder, task: LpTask, commands: Pointer, count: Value) -> None:
            done, at = b.var(u32, 0), b.var(u32, 0)
            tile = self.tile(b, task)
            shared = state_of(b, commands[0])
            state = b.int_to_ptr(shared, LpFragState)
            passed = Passed(b, state, self.part.counting)
            listed = b.array(LpStamps, 1, align=64)
            listed.blocks = int(self.takes_blocks)
            self.begin(b, task, state, passed)
            self.start()
            blocks = self.block_kernel(name) if self.takes_blocks else None
            with b.While(lambda: done.value < count):
                first = commands + done.value
                taken = b.call(LP_STAMPS, task, first, count - done.value, shared, listed)
                with b.If(taken == 0):
                    b.Break()
                done.value = done.value + taken
                stamps, used = listed.stamps, listed.count
                if self.untested:
                    self.counted = True
                    passed.count_listed(stamps, used)
                at.value = b.const(u32, 0)
                with b.While(lambda: at.value < used):
                    stamp = b.var(u32, stamps[at.value])
                    tag = stamp.value >> 24
                    command = first[tag & (STAMP_BATCH - 1)]
                    packet = packet_of(b, command)
                    lane = lane_of(b, command)
                    if blocks is not None:
                        with b.If(is_block(stamp.value), likely=False):
                            b.call(blocks, task, state, packet, lane, stamp.value)
                            at.value = at.value + 1
                            b.Continue()
                    prim = self.triangle(b, tile, state, packet, lane, not self.defers_inputs)
                    prim.passed = passed
                    with b.Loop():
                        bits = stamp.value & 0xFFFF
                        x = b.cast((stamp.value >> 14) & 60, i32)
                        y = b.cast((stamp.value >> 18) & 60, i32)
                        covered = b.mask_of(b.cast(bits, u16))
                        self.shade(b, prim, x, y, [covered], bits == 0xFFFF)
                        at.value = at.value + 1
                        with b.If(at.value == used):
                            b.Break()
                        stamp.value = stamps[at.value]
                        with b.If(stamp.value >> 24 != tag):
                            b.Break()
            self.end(b)
            passed.report()
            b.Return(done.value)

        return fs
