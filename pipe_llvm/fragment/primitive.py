# SPDX-License-Identifier: MIT
"""What a fragment kernel holds of the tile that it draws in, of the primitive whose stamps it
shades, and of the stamp that is being shaded.

A `Primitive` is loaded from one lane of a packet: by kernel.py from a triangle's, by
fragment/rect.py from a rectangle's. Everything here is a run-time value in a register, but for
Python's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.sample.vectors import lanes
from pydri.jit import f32, ptr, u8, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.fragment.packet import LaneLoader
    from pipe_llvm.native import LpFragState, LpTask
    from pydri.jit import Builder, Pointer, Value

f32x16 = f32.vec(16)


class Plane(NamedTuple):
    """A number that varies linearly in the window (f32, but for `within`)."""

    origin: Value  # its value at the primitive's anchor pixel
    dx: Value  # what it gains from a pixel to the next on the right
    dy: Value  # and to the next below
    within: Value  # f32x16: what the 16 pixels of a stamp have more than the stamp's first
    lane: int = -1  # its place in Planes, if it has one


class Planes:
    """Planes side by side in vectors, so that what they are at a stamp's first pixel is computed
    for all at once: on the lanes the same sums and products, so the same bits."""

    MOST = 16

    def __init__(self, b: Builder) -> None:
        self._b = b
        self._columns: tuple[list[Value], list[Value], list[Value]] = ([], [], [])
        self._vectors: list[Value] = []

    def add(self, plane: Plane) -> Plane:
        """The plane, with its place here if there is room."""
        lane = len(self._columns[0])
        if lane == self.MOST:
            return plane
        for column, value in zip(self._columns, plane[:3], strict=True):
            column.append(value)
        return plane._replace(lane=lane)

    def close(self) -> None:
        """All planes are there: make the vectors. Of one plane none are made."""
        count = len(self._columns[0])
        if count < 2:
            return
        room = next(n for n in (4, 8, 16) if n >= count)
        none = self._b.const(f32, 0.0)
        for column in self._columns:
            self._vectors.append(self._b.vector(column + [none] * (room - count)))

    def at(self, from_x: Value, from_y: Value) -> Value | None:
        """The planes' values at a pixel that many from the anchor."""
        if not self._vectors:
            return None
        origin, dx, dy = self._vectors
        x, y = (self._b.splat(v, lanes(origin)) for v in (from_x, from_y))
        return origin + dx * x + dy * y


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
            self.total.value = self.total.value + b.popcount(stamps[n] & 0xFFFF)

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
        "stacked",
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
        self.stacked: Planes | None = None  # of triangles: all planes that follow
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
