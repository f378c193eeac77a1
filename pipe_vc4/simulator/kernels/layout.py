# SPDX-License-Identifier: MIT
"""What Python hands to the kernels, and kernels to one another: structs.

Lanes lie side by side in arrays of 16, masks of lanes are 0 or ~0. A tile's pixels lie quad by quad
(left, right, then the row above), so that a quad is one vector. Of four samples a pixel there are
four such arrays one behind the other, of smaller tiles.
"""
from __future__ import annotations

from typing import Final

from pipe_vc4.simulator.samples import SAMPLES, SIZE
from pydri.jit.types import Struct, f64, fn, i32, i64, nested, ptr, u8, u32, void

LANES: Final = 16
#: varyings of a fragment shader, with the two that points have before them
MOST_VARYINGS: Final = 66
#: planes of a primitive: 1/w, z, varyings
MOST_PLANES: Final = 2 + MOST_VARYINGS
#: set-ups of the stencil that one fragment may have
MOST_STENCILS: Final = 8
#: rows of the VPM
ROWS: Final = 64
TILE: Final = 64
PIXELS: Final = TILE * TILE
#: the side of a tile by the samples of a pixel
SIDES: Final = {1: TILE, SAMPLES: SIZE}


class Vc4Memory(Struct):
    """The memory of jobs: bytes, and how many of each page of 4 KiB belong to a buffer."""

    bytes = ptr(u8)
    limits = ptr(u32)
    pages = u32


class Vc4Sample(Struct, align=64):
    """One sample of all lanes: set-up words, coordinates (which of them: bits of `given`)."""

    memory = ptr(Vc4Memory)
    words = u32[4]
    given = u32
    coordinates = u32[4 * LANES]  # s, t, r, b
    result = u32[LANES]


class Vc4Stencil(Struct, align=64):
    """A test of depths and stencils in the lanes of `passed`, and what it leaves there."""

    setups = u32[MOST_STENCILS]
    count = u32
    passed = u32[LANES]
    back = u32[LANES]
    depth = u32[LANES]  # in: where the depth test passes
    old = u32[LANES]  # in: the tile's stencils; out: the new ones


class Vc4Units(Struct):
    """Functions that shaders call."""

    sample = fn(u32, ptr(Vc4Sample))
    stencil = fn(void, ptr(Vc4Stencil))


class Vc4Tile(Struct, align=64):
    """A tile: colours (R in the lowest byte), depths of 24 bits, stencils; sample by sample."""

    color = u32[PIXELS]
    depth = u32[PIXELS]
    stencil = u32[PIXELS]


class Vc4Group(Struct, align=64):
    """Four quads on their way through a fragment shader."""

    x = u32[LANES]
    y = u32[LANES]
    covered = u32[SAMPLES * LANES]  # sample by sample
    back = u32[LANES]
    w = u32[LANES]
    z = u32[LANES]
    sample_z = u32[SAMPLES * LANES]
    varyings = u32[LANES * MOST_VARYINGS]
    constants = u32[LANES * MOST_VARYINGS]
    place = u32[4]  # of each quad's first pixel in the tile's arrays
    quads = u32  # so many of the four are there
    uniforms = u32  # address of the shader's block
    memory = ptr(Vc4Memory)
    units = ptr(Vc4Units)
    tile = ptr(Vc4Tile)


class Vc4Rows(Struct, align=64):
    """Sixteen vertices on their way through a shader: the rows of the VPM read and written."""

    rows = u32[LANES * ROWS]
    written = u32[LANES * ROWS]
    filled = u32  # rows that attributes fill
    uniforms = u32
    memory = ptr(Vc4Memory)
    units = ptr(Vc4Units)


class Vc4Attribute(Struct):
    """An attribute of one shader: where vertices' bytes lie, and its byte in the VPM."""

    address = i64
    stride = i64
    size = u32
    place = u32


class Vc4Vertices(Struct):
    """A run of a vertex or coordinate shader: `written` gets ROWS rows of 16 x groups words."""

    memory = ptr(Vc4Memory)
    shader = fn(u32, ptr(Vc4Rows))
    numbers = ptr(i64)
    groups = u32
    attributes = ptr(Vc4Attribute)
    count = u32
    filled = u32
    uniforms = u32
    out_rows = u32
    written = ptr(u32)
    state = ptr(Vc4Rows)


class Vc4Primitive(Struct):
    """A point, line or triangle: pixels (inclusive), what decides on coverage, planes behind it.

    A triangle's edge i is a, b, c: inside where a x + b y + c >= 0, x and y whole pixels. Lines and
    points: see setup.py.
    """

    x0 = i32
    x1 = i32
    y0 = i32
    y1 = i32
    edges = i64[9]
    span = f64[8]
    origin = f64[2]
    back = u32
    planes = f64[3 * MOST_PLANES]
    constants = f64[MOST_VARYINGS]


class Vc4Draw(Struct):
    """A draw: its vertices and primitives for set-up, then what tiles want to know of it."""

    # in: vertices, as clip.Vertices has them
    x = ptr(i64)
    y = ptr(i64)
    z = ptr(f64)
    rw = ptr(f64)
    size = ptr(f64)
    varyings = ptr(f64)  # vertices x count
    rows = ptr(i64)  # primitives x corners
    provoking = ptr(i64)
    primitives = u32
    corners = u32
    count = u32  # varyings that vertices have
    flat = u32
    config = u32
    left = i32
    bottom = i32
    right = i32  # last column and row of the clip window
    top = i32
    near = f64  # the first place in a pixel that is looked at, and the last one, in 1/16 pixel
    far = f64
    oversamples = u32  # coverage and depth are of each sample, else of centres
    line_width = f64
    offset_factor = f64
    offset_units = f64
    # out of set-up
    made = ptr(Vc4Primitive)
    number = u32
    planes = u32
    # for tiles
    shader = fn(u32, ptr(Vc4Group))
    uniforms = u32


class Vc4Surface(Struct):
    """A surface in memory; address 0: none. Tiling as in tiling.py; 4 or 2 bytes a pixel. `every`:
    it has all samples, as samples.py has them. `mean`: it gets their means."""

    address = i64
    tiling = u32
    cpp = u32
    every = u32
    mean = u32


class Vc4Job(Struct):
    """All of a job's tiles."""

    memory = ptr(Vc4Memory)
    tile = ptr(Vc4Tile)
    group = ptr(Vc4Group)
    draws = ptr(Vc4Draw)
    count = u32
    width = u32
    height = u32
    first_x = u32
    first_y = u32
    last_x = u32
    last_y = u32
    clear_color = u32
    clear_z = u32
    clear_s = u32
    color_read = nested(Vc4Surface)
    zs_read = nested(Vc4Surface)
    color_write = nested(Vc4Surface)
    zs_write = nested(Vc4Surface)
    msaa_color_write = nested(Vc4Surface)
    msaa_zs_write = nested(Vc4Surface)
