# SPDX-License-Identifier: MIT
"""A sampler function: what SamplerKey selects, for batches of up to 16 stamps.

In: TextureView, coordinates (SampleCoords) of some stamps, how levels of detail are found (LOD_*)
and which outputs nobody reads (UNREAD_SHIFT; with RAW the swizzle's constants and copies are left
to the caller). Out: red, green, blue, alpha of each stamp. Work goes through memory between its
stages, all stamps a stage, so that no stage waits for another's latencies: levels of detail; what
mirrors and cube faces change of coordinates; then for each run of stamps that want the same levels
texel numbers and weights, then fetch and filter. A stamp that wants several levels at once is
filtered once for each and put together. Filters of floats are much code, which two levels and one
need three times: there it is a kernel (`_level_kernel`)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import ONE, Coords, Level, dimensions, layer_of, level_rows
from pipe_llvm.sample.cube import find_faces
from pipe_llvm.sample.encoded import LinearEncoded, SeamlessEncoded
from pipe_llvm.sample.filters import (
    Filter,
    Linear,
    LinearBytes,
    LinearFloats,
    Nearest,
    mix_levels,
)
from pipe_llvm.sample.lod import MAGNIFIED, MIXED, Lods
from pipe_llvm.sample.seamless import seamless_filter
from pipe_llvm.sample.texel import apart
from pipe_llvm.sample.vectors import f32x16, i32x16, u32x16
from pydri.jit import Kernel, boolean, f32, i32, kernel, ptr, u16, u32, void
from pydri.jit.types import Vec
from pydri.pipe.resource import (
    TARGET_1D_ARRAY,
    TARGET_2D_ARRAY,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
)
from pydri.pipe.sampler import (
    MIP_LINEAR,
    MIP_NONE,
    MIRROR_REPEAT,
    MOVE_BITS,
    MOVE_SHIFT,
    SAMPLE_STAMPS,
    TEXEL_CLASSES,
    UNREAD_SHIFT,
    WAY_MOVED,
    SampleCoords,
    SamplerKey,
    TextureView,
    ViewLevel,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydri.jit import Builder, Pointer, Value

    Emit = Callable[[Builder, TextureView, Value, SampleCoords, Pointer, Value], None]

#: added to LOD_*: outputs that `TextureView.fixes` names are left as they are
RAW = 15 << UNREAD_SHIFT
#: the bits of LOD_*
HOW = (1 << UNREAD_SHIFT) - 1
_ARGS = (ptr(TextureView), u32, ptr(SampleCoords), ptr(f32), u32)
OUT_FLOATS = 64  # of a stamp
CUBES = (TARGET_CUBE, TARGET_CUBE_ARRAY)


def sampler_function(name: str, emit: Emit) -> Kernel:
    """The kernel of a sampler function, whose body `emit(b, view, stamps, coords, out, how)` emits:
    what TextureView.sample points at. Nothing else points into what it fills in."""
    return kernel(void, _ARGS, name=name, noalias=(3,))(emit)


def make_filter(key: SamplerKey, linear: bool) -> Filter:
    """The filter within a level."""
    if not linear:
        return Nearest(key)
    kind = TEXEL_CLASSES[key.texel]
    if kind.encoded_bytes and not key.border and not key.compare:
        return SeamlessEncoded(key) if key.seamless else LinearEncoded(key)
    if key.seamless:
        return seamless_filter(key)
    if kind.filtered_as_integers and not key.compare:
        return LinearBytes(key)
    return LinearFloats(key)


def finish(b: Builder, view: TextureView, stamps: Value, out: Pointer, how: Value) -> None:
    """Outputs that are constants or copies of others, as far as somebody reads them."""
    fixes = view.fixes & ~(how >> UNREAD_SHIFT)
    for n in range(4):
        with b.If(((fixes >> n) & 1) != 0):
            source = view.source[n]
            with b.If(source < 64):
                with b.For(b.const(u32, 0), stamps) as m:
                    value = (out + (m * OUT_FLOATS + source)).load(f32x16, align=64)
                    (out + (m * OUT_FLOATS + 16 * n)).store(value, align=64)
            with b.Else():
                bits = b.select(source == 64, b.const(u32, 0), view.one)
                constant = b.splat(b.bitcast(bits, f32), 16)
                with b.For(b.const(u32, 0), stamps) as m:
                    (out + (m * OUT_FLOATS + 16 * n)).store(constant, align=64)


class SamplerBuilder:
    """Emits one sampler function."""

    def __init__(self, b: Builder, key: SamplerKey, view: TextureView) -> None:
        self.b = b
        self.key = key
        self.view = view
        self.min_filter = make_filter(key, key.min_linear)
        self.mag_filter = make_filter(key, key.mag_linear)
        used = self.min_filter.used
        self.places = [(view.place + n).load(u32, invariant=True) for n in used]
        self._buffers: list[Pointer] = []
        self.images: Pointer | None = None
        self.moves: list[Value] = []  # f32, by coordinate

    @property
    def needs_lods(self) -> bool:
        """Whether the level of detail makes a difference."""
        return self.key.mip != MIP_NONE or self.key.min_linear != self.key.mag_linear

    # -- memory between stages -------------------------------------------------------------------

    def buffer(self, n: int) -> Pointer:
        """Memory for the n-th vector that a stage leaves to the next."""
        while len(self._buffers) <= n:
            self._buffers.append(self.b.array(u32, 16 * SAMPLE_STAMPS, align=64))
        return self._buffers[n]

    def keep(self, first: int, m: Value, vectors: list[Value]) -> list[Vec]:
        """Store a stamp's vectors in buffers from `first` on; their types."""
        types = []
        for n, value in enumerate(vectors):
            (self.buffer(first + n) + m * 16).store(value, align=64)
            assert isinstance(value.ty, Vec)
            types.append(value.ty)
        return types

    def kept(self, first: int, m: Value, types: list[Vec]) -> tuple[list[Value], list[Pointer]]:
        """What `keep` stored, and where."""
        places = [self.buffer(first + n) + m * 16 for n in range(len(types))]
        return [p.load(ty, align=64) for p, ty in zip(places, types)], places

    # -- coordinates -----------------------------------------------------------------------------

    def prepare(self, coords: SampleCoords, stamps: Value) -> None:
        """Mirrors, faces and layers: afterwards `coords` has what filters read."""
        b, target = self.b, self.key.target
        if target in CUBES:
            self.images = b.array(i32, 16 * SAMPLE_STAMPS, align=64)
            find_faces(b, self.view, coords, stamps, self.images, target == TARGET_CUBE_ARRAY)
        elif target in (TARGET_1D_ARRAY, TARGET_2D_ARRAY):
            self.images = b.array(i32, 16 * SAMPLE_STAMPS, align=64)
            count = level_rows(self.view).depth
            layers = coords.t if target == TARGET_1D_ARRAY else coords.r
            with b.For(b.const(u32, 0), stamps) as m:
                layer = layer_of(b, (layers + m * 16).load(f32x16, align=64), count)
                (self.images + m * 16).store(layer, align=64)
        for n, name in enumerate("str"[: dimensions(target)]):
            if self.key.clamp >> n & 1 and not self.key.seamless and not self.moves:
                self._mirror(coords.addr(name), stamps, self.view.mirror[n])

    def _mirror(self, values: Pointer, stamps: Value, how: Value) -> None:
        b = self.b
        with b.If(how != 0, likely=False):
            with b.For(b.const(u32, 0), stamps) as m:
                s = (values + m * 16).load(f32x16, align=64)
                (values + m * 16).store(self._folded(s, how), align=64)

    def _folded(self, s: Value, how: Value) -> Value:
        b = self.b
        half = s * 0.5
        folded = b.abs(half - b.floor(half + 0.5)) * 2.0
        return b.select(how == MIRROR_REPEAT, folded, b.abs(s))

    def _mirrored(self, s: Value, axis: int) -> Value:
        """A coordinate that was moved: only then a mirror can be looked into."""
        if not self.key.clamp >> axis & 1:
            return s
        how = (self.view.addr("mirror") + axis).load(u32, invariant=True)
        return self.b.select(how != 0, self._folded(s, how), s)

    def coords_of(self, coords: SampleCoords, m: Value, level: Level) -> Coords:
        """A stamp's coordinates."""
        names = "str"[: dimensions(self.key.target)]
        axes = [(coords.addr(name) + m * 16).load(f32x16, align=64) for name in names]
        for n, move in enumerate(self.moves):
            axes[n] = self._mirrored(axes[n] + self.b.splat(move / level.scale[n], 16), n)
        return Coords(axes, self.image_of(m))

    def image_of(self, m: Value) -> Value | None:
        """A stamp's layers or faces."""
        if self.images is None:
            return None
        return (self.images + m * 16).load(i32x16, align=64)

    def reference(self, coords: SampleCoords, m: Value) -> Value | None:
        """What texels are compared with; a fixed-point depth with a number in its range."""
        if not self.key.compare:
            return None
        value = (coords.compare + m * 16).load(f32x16, align=64)
        if self.min_filter.texels.has_floats:
            return value
        return self.b.clamp(value, 0.0, 1.0)

    # -- filtering -------------------------------------------------------------------------------

    def put(self, out: Pointer, m: Value, channels: list[Value]) -> None:
        """A stamp's channels to where they belong."""
        for place, value in zip(self.places, channels):
            (out + (m * OUT_FLOATS + place)).store(value, align=64)

    def one_level(
        self, found: Filter, coords: SampleCoords, out: Pointer, at: Value, to: Value, level: Value
    ) -> None:
        """Stamps from `at` to `to`, from one level."""
        b, view = self.b, self.view
        here = Level(b, view, level_rows(view) + level)
        in_rows = found.in_rows()
        types: list[Vec] = []
        with b.For(at, to) as m:
            types = self.keep(0, m, found.coords(b, view, here, self.coords_of(coords, m, here)))

        def fetch(way: Filter) -> None:
            if way is found and self._stands_apart(found):
                self._call_level(found, here, at, to, out, 0, types)
                return
            with b.For(at, to) as m:
                kept, places = self.kept(0, m, types)
                reference = self.reference(coords, m)
                self.put(out, m, way.channels(b, view, here, kept, places, reference))

        first = found.without_neighbours()
        if in_rows is None and first is None:
            fetch(found)
            return
        rows, single = self._in_rows(at, to), b.var(boolean, False)
        if first is not None:
            with b.If(rows):
                single.value = self._alone(first, at, to)
            with b.If(single.value):
                fetch(first)
            if in_rows is not None:
                with b.Elif(lambda: rows):
                    fetch(in_rows)
        elif in_rows is not None:
            with b.If(rows):
                fetch(in_rows)
        with b.Else():
            fetch(found)

    def _alone(self, found: Linear, at: Value, to: Value) -> Value:
        """Whether the weights of all neighbours are 0 in all these stamps."""
        b = self.b
        parts = b.var(u32x16, 0)
        with b.For(at, to) as m:
            for n in range(found.dims):
                place = self.buffer(found.fixed_at + n) + m * 16
                parts.value = parts.value | place.load(u32x16, align=64)
        return ~b.any((parts.value & (ONE - 1)) != 0)

    def _in_rows(self, at: Value, to: Value) -> Value:
        """Whether rows of all these stamps are rows of texels; most others can be told from the
        first one's first row."""
        b = self.b
        first = self.buffer(0) + at * 16
        loose = b.var(u32x16, 1)
        with b.If(first[3] - first[0] == 3):
            loose.value = b.const(u32x16, 0)
            with b.For(at, to) as m:
                texels = (self.buffer(0) + m * 16).load(u32x16, align=64)
                loose.value = loose.value | apart(b, texels)
        return ~b.any(loose.value != 0)

    def two_levels(
        self, coords: SampleCoords, out: Pointer, lods: Pointer, at: Value, to: Value, level: Value
    ) -> None:
        """Stamps from `at` to `to`, from a level and the next."""
        b, view, found = self.b, self.view, self.min_filter
        levels = [Level(b, view, level_rows(view) + (level + n)) for n in (0, 1)]
        types: list[Vec] = []
        with b.For(at, to) as m:
            for n, here in enumerate(levels):
                vectors = found.coords(b, view, here, self.coords_of(coords, m, here))
                types = self.keep(n * len(vectors), m, vectors)
        if self._stands_apart(found):
            self._mix_apart(found, levels, out, lods, at, to, types)
            return
        with b.For(at, to) as m:
            weight = (lods + m * 16).load(i32x16, align=64) & 255
            reference = self.reference(coords, m)
            both = [self.kept(n * len(types), m, types) for n in (0, 1)]
            if isinstance(found, LinearBytes) and found.dims < 3:
                vectors2 = [kept for kept, _ in both]
                places2 = [places for _, places in both]
                mixed = found.two_levels(b, view, levels, vectors2, places2, weight)
            else:
                near, far = (
                    found.channels(b, view, here, *of_level, reference)
                    for here, of_level in zip(levels, both)
                )
                mixed = mix_levels(b, found, near, far, weight)
            self.put(out, m, mixed)

    # -- filters of floats -----------------------------------------------------------------------

    def _stands_apart(self, found: Filter) -> bool:
        """Whether a filter is a kernel of its own."""
        key = self.key
        return isinstance(found, LinearFloats) and key.mip == MIP_LINEAR and not key.compare

    def _call_level(
        self, found: Filter, level: Level, at: Value, to: Value, out: Pointer, first: int,
        types: list[Vec],
    ) -> None:  # fmt: skip
        """Stamps from `at` to `to` of a level, by the filter's kernel; what was kept lies in
        buffers from `first` on."""
        buffers = [self.buffer(first + n) for n in range(len(types))]
        apart = _level_kernel(type(found), self.key, tuple(types))
        self.b.call(apart, self.view, level.row, at, to, out, *buffers)

    def _mix_apart(
        self, found: Filter, levels: list[Level], out: Pointer, lods: Pointer, at: Value, to: Value,
        types: list[Vec],
    ) -> None:  # fmt: skip
        """Of stamps from `at` to `to` both levels, one after the other, and then the mix."""
        b = self.b
        far = b.array(f32, OUT_FLOATS * SAMPLE_STAMPS, align=64)
        for n, (level, place) in enumerate(zip(levels, (out, far), strict=True)):
            self._call_level(found, level, at, to, place, n * len(types), types)
        with b.For(at, to) as m:
            weight = (lods + m * 16).load(i32x16, align=64) & 255
            first, second = (
                [(side + (m * OUT_FLOATS + n)).load(f32x16, align=64) for n in self.places]
                for side in (out, far)
            )
            self.put(out, m, mix_levels(b, found, first, second, weight))

    def run(
        self, coords: SampleCoords, out: Pointer, lods: Pointer, at: Value, to: Value, code: Value
    ) -> None:
        """A run of stamps that want the same; `code` as Lods.runs has it, never MIXED."""
        b, key = self.b, self.key
        differ = key.min_linear != key.mag_linear
        level = b.cast(code >> 1, u32)
        if differ:
            with b.If(code == MAGNIFIED):
                self.one_level(self.mag_filter, coords, out, at, to, b.const(u32, 0))
            with b.Else():
                self._minified(coords, out, lods, at, to, code, level)
        else:
            self._minified(coords, out, lods, at, to, code, level)

    def _minified(
        self,
        coords: SampleCoords,
        out: Pointer,
        lods: Pointer,
        at: Value,
        to: Value,
        code: Value,
        level: Value,
    ) -> None:
        b = self.b
        if self.key.mip != MIP_LINEAR:
            self.one_level(self.min_filter, coords, out, at, to, level)
            return
        with b.If((code & 1) == 0):
            self.one_level(self.min_filter, coords, out, at, to, level)
        with b.Else():
            self.two_levels(coords, out, lods, at, to, level)

    def runs(self, lods: Lods, coords: SampleCoords, out: Pointer, stamps: Value) -> None:
        """All stamps, run by run; of a mixed stamp the lanes of each level by themselves."""
        b = self.b
        at, to, code = b.var(u32, 0), b.var(u32, 0), b.var(i32, 0)
        left, mine = b.var(u16, 0), b.var(u16, 0)
        sum_ = b.array(f32, OUT_FLOATS, align=64)
        with b.While(lambda: at.value < stamps):
            run = lods.runs[at.value]
            code.value = run
            to.value = at.value + 1
            with b.If(run == MIXED, likely=False):
                with b.If(left.value == 0):
                    left.value = 0xFFFF
                lane = b.ctz(b.cast(left.value, u32))
                wanted = (lods.lods + at.value * 16).load(i32x16, align=64) >> 8
                level = lods.lods[at.value * 16 + lane] >> 8
                mine.value = b.bits_of(wanted == b.splat(level, 16))
                code.value = b.select(level < 0, MAGNIFIED, level * 2 + 1)
            with b.Else():
                with b.While(lambda: to.value < stamps):
                    with b.If(lods.runs[to.value] != run):
                        b.Break()
                    to.value = to.value + 1
            self.run(coords, out, lods.lods, at.value, to.value, code.value)
            with b.If(run == MIXED, likely=False):
                self._merge(out + at.value * OUT_FLOATS, sum_, mine.value)
                left.value = left.value & ~mine.value
                with b.If(left.value != 0):
                    b.Continue()
                b.memcpy(out + at.value * OUT_FLOATS, sum_, 4 * OUT_FLOATS)
            at.value = to.value

    def _merge(self, found: Pointer, sum_: Pointer, lanes: Value) -> None:
        """Take over the lanes that were filtered for their level."""
        b = self.b
        mask = b.mask_of(lanes)
        for n in range(4):
            new = (found + 16 * n).load(f32x16, align=64)
            old = (sum_ + 16 * n).load(f32x16, align=64)
            (sum_ + 16 * n).store(b.select(mask, new, old), align=64)

    def find_moves(self, how: Value) -> None:
        """The texels by which each coordinate moves, out of the last argument."""
        b, unused = self.b, 32 - MOVE_BITS
        for n in range(dimensions(self.key.target)):
            up = how << unused - MOVE_SHIFT - MOVE_BITS * n
            self.moves.append(b.cast(b.bitcast(up, i32) >> unused, f32))

    def emit(self, stamps: Value, coords: SampleCoords, out: Pointer, how: Value) -> None:
        """The whole function."""
        b, key = self.b, self.key
        if key.way == WAY_MOVED:
            self.find_moves(how)
        lods: Lods | None = None
        if self.needs_lods:
            lods = Lods(b, key, self.view)
            lods.find(coords, stamps, how & HOW)
        self.prepare(coords, stamps)
        if lods is None:
            none = b.const(u32, 0)
            self.one_level(self.min_filter, coords, out, none, stamps, none)
        else:
            self.runs(lods, coords, out, stamps)
        finish(b, self.view, stamps, out, how)


@lru_cache(maxsize=64)
def _level_kernel(kind: type[Filter], key: SamplerKey, types: tuple[Vec, ...]) -> Kernel:
    """(view, level, first stamp, the one behind the last, out, where each of the vectors is that
    were kept): their channels, where the view's swizzle has them."""
    buffers = [ptr(u32) for _ in types]

    @kernel(void, (ptr(TextureView), ptr(ViewLevel), u32, u32, ptr(f32), *buffers), noalias=(4,),
            name="filtered_level", noinline=True)  # fmt: skip
    def emit(
        b: Builder, view: TextureView, row: ViewLevel, at: Value, to: Value, out: Pointer,
        *buffers: Pointer,
    ) -> None:  # fmt: skip
        found, level = kind(key), Level(b, view, row)
        targets = [(view.place + n).load(u32, invariant=True) for n in found.used]
        with b.For(at, to) as m:
            places = [buffer + m * 16 for buffer in buffers]
            kept = [place.load(ty, align=64) for place, ty in zip(places, types, strict=True)]
            channels = found.channels(b, view, level, kept, places, None)
            for target, value in zip(targets, channels, strict=True):
                (out + (m * OUT_FLOATS + target)).store(value, align=64)

    return emit


def plain_kernel(key: SamplerKey, name: str) -> Kernel:
    """The function of a key with a texture and without anisotropy."""
    return sampler_function(name, lambda b, view, *args: SamplerBuilder(b, key, view).emit(*args))
