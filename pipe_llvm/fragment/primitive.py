# SPDX-License-Identifier: MIT
"""What a fragment kernel holds of the tile that it draws in, of the primitive whose stamps it
shades, and of the stamp that is being shaded.

A `Primitive` is loaded from one lane of a packet: by kernel.py from a triangle's, by
fragment/rect.py from a rectangle's. Everything here is a run-time value in a register, but for
Python's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pipe_llvm.fragment.stamps import STAMP_X, STAMP_Y, pixels_of
from pipe_llvm.sample.vectors import lanes
from pydri.jit import f32, i32, ptr, u8, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.fragment.packet import LaneLoader
    from pipe_llvm.native import LpFragState, LpTask
    from pydri.jit import Builder, Pointer, Value

f32x16, i32x16 = f32.vec(16), i32.vec(16)


class Plane(NamedTuple):
    """A number that varies linearly in the window (f32, but for `within`)."""

    dx: Value  # what it gains from a pixel to the next on the right
    dy: Value  # and to the next below
    within: Value  # f32x16: its values at the 16 pixels of the stamp whose first is the anchor
    lane: int = -1  # its place in Planes


#: gives what a plane gains from the anchor to a stamp's first pixel (f32x16)
Corner: TypeAlias = "Callable[[Plane], Value]"


class Planes:
    """A primitive's planes. Side by side in vectors, what they gain from the anchor to a stamp's
    first pixel can be computed for all at once, or for all stamps of a block: on the lanes the same
    sums and products, so the same bits.

    The value at the anchor is added with what a pixel lies within its stamp: planes that differ in
    it alone are rounded alike but for the two last sums, so their difference is theirs within a
    unit in the last place of each."""

    MOST = 16  # lie side by side

    def __init__(self, b: Builder) -> None:
        self._b = b
        self._planes: list[Plane] = []
        self._vectors: list[Value] = []
        self._block: Pointer  # by plane its values at the first pixels of a block's stamps

    def add(self, plane: Plane) -> Plane:
        """The plane, with its place here."""
        self._planes.append(plane._replace(lane=len(self._planes)))
        return self._planes[-1]

    def stack(self) -> None:
        """All planes are there: put them side by side. Of one plane that is not done."""
        some = self._planes[: self.MOST]
        if len(some) < 2:
            return
        room = next(n for n in (4, 8, 16) if n >= len(some))
        more = [self._b.const(f32, 0.0)] * (room - len(some))
        for column in zip(*((plane.dx, plane.dy) for plane in some), strict=True):
            self._vectors.append(self._b.vector([*column, *more]))

    def at(self, from_x: Value, from_y: Value) -> Corner:
        """What the planes gain to a pixel that many from the anchor (f32)."""
        b = self._b
        firsts: Value | None = None
        if self._vectors:
            dx, dy = self._vectors
            x, y = (b.splat(v, lanes(dx)) for v in (from_x, from_y))
            firsts = dx * x + dy * y

        def corner(plane: Plane) -> Value:
            if firsts is not None and plane.lane < self.MOST:
                return b.shuffle(firsts, None, [plane.lane] * 16)
            return b.splat(plane.dx * from_x + plane.dy * from_y, 16)

        return corner

    def begin_block(self, from_x: Value, from_y: Value) -> None:
        """Compute what the planes gain to the first pixels of four by four stamps, of which the
        first lies so many from the anchor (i32). It goes to memory, out of which a stamp spreads
        it."""
        b = self._b
        if not self._planes:
            return
        self._block = b.array(f32, 16 * len(self._planes), align=64)
        across, down = (
            b.cast(b.splat(start, 16) + b.const(i32x16, [4 * n for n in steps]), f32)
            for start, steps in ((from_x, STAMP_X), (from_y, STAMP_Y))
        )
        for n, plane in enumerate(self._planes):
            values = b.splat(plane.dx, 16) * across + b.splat(plane.dy, 16) * down
            (self._block + 16 * n).store(values, align=64)

    def in_block(self, stamp: Value) -> Corner:
        """What the planes gain to that stamp's first pixel (i32: rows of four, one behind the
        other)."""
        return lambda plane: self._b.splat((self._block + 16 * plane.lane)[stamp], 16)


class RectImage(NamedTuple):
    """The image of a rectangle."""

    place: Pointer  # where the tile's first pixel would lie
    stride: Value  # bytes from a row of pixels (of bits: a row of stamps) to the next, i64


class Tile:
    """The task's fields, loaded once: for all LLVM knows, stores to the tile could change them."""

    __slots__ = ("_b", "_targets", "_task", "depth", "depth_stride", "x0", "y0")

    def __init__(self, b: Builder, task: LpTask) -> None:
        self.x0, self.y0 = task.x0, task.y0
        self._b, self._task = b, task
        self.depth = task.depth
        self._targets: dict[int, tuple[Pointer, Value]] = {}
        self.depth_stride = b.cast(task.depth_stride, u64)

    def load_targets(self, numbers: Iterable[int]) -> Tile:
        """Load the places of colour targets; here, once."""
        for n in numbers:
            stride = self._b.cast(self._task.color_stride[n], u64)
            self._targets[n] = (self._b.load(self._task.color + n, ptr(u8)), stride)
        return self

    def target(self, number: int) -> tuple[Pointer, Value]:
        """Where the tile's first pixel lies in a colour target, and bytes a row."""
        return self._targets[number]


class Passed:
    """The pixels, or samples, of a kernel's call that passed every test, while an occlusion query
    wants to know (GL 2.1, 4.1.7): whether one does is the draw's matter, so that queries need no
    kernels of their own. Those whose shader runs are another matter
    (ARB_pipeline_statistics_query): kernels count them that were made to."""

    def __init__(self, b: Builder, state: LpFragState, shaded: bool = False) -> None:
        self._b, self._counter = b, state.occlusion_counter
        self._wanted = self._counter != None  # noqa: E711 - a run-time comparison
        self.total = b.var(u32, 0)
        self._shaded = b.var(u32, 0) if shaded else None
        self._shaded_counter = state.fragments_counter if shaded else None

    def count_shaded(self, mask: Value) -> None:
        """The shader runs for these pixels of a stamp; for kernels that count them (`shaded`)."""
        b = self._b
        assert self._shaded is not None
        self._shaded.value = self._shaded.value + b.popcount(b.cast(b.bits_of(mask), u32))

    def count(self, masks: list[Value]) -> None:
        """These of a stamp have passed."""
        b = self._b
        with b.If(self._wanted, likely=False):
            for mask in masks:
                self.total.value = self.total.value + b.popcount(b.cast(b.bits_of(mask), u32))

    def count_listed(self, stamps: Pointer, count: Value) -> None:
        """All that these entries of LpStamps cover passes."""
        b = self._b
        with b.If(self._wanted, likely=False), b.For(b.const(u32, 0), count) as n:
            self.total.value = self.total.value + pixels_of(b, stamps[n])

    def report(self) -> None:
        """Add them to the queries' counters."""
        b = self._b
        with b.If(self._wanted, likely=False):
            b.atomic_add(self._counter, b.cast(self.total.value, u64))
        if self._shaded is not None and self._shaded_counter is not None:
            with b.If(self._shaded_counter != None):  # noqa: E711 - a run-time comparison
                b.atomic_add(self._shaded_counter, b.cast(self._shaded.value, u64))


class Primitive:
    """A triangle or rectangle, loaded from its packet.

    A plane whose value is the same in the whole primitive is the value itself (f32). `planes` has
    one for each fragment input, by the number of its field in the packet."""

    __slots__ = (
        "base",
        "block_stamp",
        "corners",
        "coverage",
        "depth",
        "front",
        "image",
        "linear",
        "load",
        "passed",
        "planes",
        "recip_w",
        "sample_drop",
        "shift",
        "start",
        "state",
        "tile",
    )

    def __init__(
        self,
        tile: Tile,
        state: LpFragState,
        load: LaneLoader,
        front: Value,
        linear: Value,
        start: tuple[Value, Value],
    ) -> None:
        self.tile = tile
        self.state = state
        self.load = load  # further fields of the packet
        self.front = front  # boolean: it faces the viewer
        self.linear = linear  # boolean: 1/w is the same at all corners
        self.start = start  # the tile's first pixel, counted from the anchor pixel
        self.corners: Planes  # all planes that follow
        self.base: Pointer  # of a triangle: its lane of its packet's header, and so of all fields
        #: of a block that is covered wholly: which of its stamps is shaded (Planes.in_block)
        self.block_stamp: Value | None = None
        self.depth: Plane | Value | None = None  # None: no test and no shader asks for it
        self.recip_w: Plane | Value | None = None  # 1/w, where an input is perspective
        self.planes: dict[int, Plane | Value] = {}
        #: by edge and sample, with several samples: how far the edge's value at the sample lies
        #: below that in the packet, which is the greatest of all samples' values
        self.sample_drop: list[list[Value]] = []
        self.image: RectImage | None = None  # of rectangles that have one
        self.passed: Passed  # who has loaded it says which
        # of smooth polygons, which fragment/cover.py sets before each stamp:
        self.coverage: Value | None = None  # f32x16: the part of each pixel that is covered
        #: f32x16, x and y: from each pixel's centre to the point where planes are evaluated
        self.shift: tuple[Value, Value] | None = None


class Stamp(NamedTuple):
    """A 4x4 stamp that is being shaded: at (x, y) in the tile, multiples of 4 (i32)."""

    x: Value
    y: Value
    whole: Value  # boolean: the primitive covers all of its pixels
    evaluate: Callable[[Plane | Value], Value]  # a plane's values at the pixels' centres
