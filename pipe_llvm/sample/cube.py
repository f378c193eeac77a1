# SPDX-License-Identifier: MIT
"""Cube maps: from directions to faces and coordinates within them, and the level of detail there
(GL 2.1, 3.8.6; lp_build_cube_lookup).

The major axis is the longest; of equal ones z comes before y, y before x, as in llvmpipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.sample.coords import layer_of, level_rows
from pipe_llvm.sample.vectors import f32x16, i32x16
from pydri.jit import i32, u32

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import SampleCoords, TextureView


class Face(NamedTuple):
    """Which face a direction hits: masks of lanes, and the face's number (i32x16)."""

    is_z: Value
    is_y: Value
    negative: Value
    number: Value


def face_of(b: Builder, direction: list[Value]) -> Face:
    """The face of each lane's direction."""
    x, y, z = direction
    ax, ay, az = (b.abs(v) for v in direction)
    is_z = az >= b.max(ax, ay)
    is_y = ~is_z & ~(ax > ay)
    major = b.select(is_z, z, b.select(is_y, y, x))
    sign = b.bitcast(major, i32)
    axis = b.select(is_z, b.const(i32x16, 4), b.select(is_y, b.const(i32x16, 2), 0))
    return Face(is_z, is_y, sign < 0, axis + ((sign >> 31) & 1))


def on_face(b: Builder, face: Face, direction: list[Value]) -> tuple[Value, Value, Value]:
    """sc, tc and ma of GL's table for a direction (or a derivative), ma positive on the face."""
    x, y, z = direction

    def signed(value: Value, flip: Value) -> Value:
        return b.select(flip, -value, value)

    of_x = signed(-z, face.negative)
    of_z = signed(x, face.negative)
    sc = b.select(face.is_z, of_z, b.select(face.is_y, x, of_x))
    tc = b.select(face.is_y, signed(z, face.negative), -y)
    major = b.select(face.is_z, z, b.select(face.is_y, y, x))
    return sc, tc, signed(major, face.negative)


def direction_of(coords: SampleCoords, m: Value) -> list[Value]:
    """A stamp's direction."""
    return [(coords.addr(name) + m * 16).load(f32x16, align=64) for name in "str"]


def find_faces(
    b: Builder,
    view: TextureView,
    coords: SampleCoords,
    stamps: Value,
    images: Pointer,
    is_array: bool,
) -> None:
    """Put coordinates within faces into s and t, and numbers of images into `images`."""
    count = level_rows(view).depth
    with b.For(b.const(u32, 0), stamps) as m:
        direction = direction_of(coords, m)
        face = face_of(b, direction)
        sc, tc, ma = on_face(b, face, direction)
        half = 0.5 / ma
        for name, value in (("s", sc), ("t", tc)):
            (coords.addr(name) + m * 16).store(value * half + 0.5, align=64)
        number = face.number
        if is_array:
            layer = (coords.layer + m * 16).load(f32x16, align=64)
            number = number + layer_of(b, layer, count // 6) * 6
        (images + m * 16).store(number, align=64)


def rho_squared(
    b: Builder, direction: list[Value], steps: list[tuple[Value, Value]], scale: Value
) -> Value:
    """The longer edge of the footprint, squared, in texels of a face. `steps`: derivatives of the
    direction to the right and downwards; `scale`: texels a face is wide (f32)."""
    face = face_of(b, direction)
    sc, tc, ma = on_face(b, face, direction)
    inverse = 1.0 / ma
    factor = inverse * inverse * b.splat(scale * 0.5, 16)
    sums = []
    for n in (0, 1):
        dsc, dtc, dma = on_face(b, face, [step[n] for step in steps])
        ds, dt = (dsc * ma - sc * dma) * factor, (dtc * ma - tc * dma) * factor
        sums.append(ds * ds + dt * dt)
    return b.max(*sums)
