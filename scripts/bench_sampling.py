# SPDX-License-Identifier: MIT
"""How fast sampler functions are: a part of scripts/bench.

In: nothing; works without an X server. Out: megapixels a second of one core, for nearest, bilinear,
trilinear and other samplers, texels magnified and minified, straight and turned. What is measured
is a loop over the tiles of 512x512 pixels as a fragment kernel has it: coordinates for 16 stamps,
one call by pointer, conversion to BGRA8, store. Time is the thread's own, so that another program
on the machine slows nothing but the caches."""

from __future__ import annotations

import ctypes
import math
import random
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.memory import Block
from pipe_llvm.sample.table import samplers
from pydri.jit import Kernel, Module, f32, fn, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import number
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import TARGET_2D, TARGET_3D, TARGET_CUBE
from pydri.pipe.sampler import (
    GL_CLAMP_TO_BORDER,
    GL_CLAMP_TO_EDGE,
    GL_LINEAR,
    GL_NEAREST,
    GL_REPEAT,
    SampleCoords,
    SamplerParams,
    SamplerState,
    SamplerView,
    TextureView,
    ViewParams,
)
from pydri.pipe.sampler_kernels import EXPORTS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

SIZE = 512  # pixels a side
STAMPS = 16
TRILINEAR = 0x2703
_SAMPLE = fn(void, ptr(TextureView), u32, ptr(SampleCoords), ptr(f32), u32)


class Case(NamedTuple):
    """What is sampled, and how."""

    name: str
    min_filter: int = GL_LINEAR
    mag_filter: int = GL_LINEAR
    format: str = "R8G8B8A8_UNORM"
    target: int = TARGET_2D
    wrap: int = GL_REPEAT
    anisotropy: float = 1.0


CASES = (
    Case("nearest", GL_NEAREST, GL_NEAREST),
    Case("bilinear"),
    Case("trilinear", TRILINEAR),
    Case("trilinear, clamped", TRILINEAR, wrap=GL_CLAMP_TO_EDGE),
    Case("bilinear with border", wrap=GL_CLAMP_TO_BORDER),
    Case("anisotropic, 4 probes at most", TRILINEAR, anisotropy=4.0),
    Case("bilinear, 3D", target=TARGET_3D),
    Case("trilinear, cube", TRILINEAR, target=TARGET_CUBE, wrap=GL_CLAMP_TO_EDGE),
    Case("bilinear, sRGB", format="R8G8B8A8_SRGB"),
    Case("trilinear, sRGB", TRILINEAR, format="R8G8B8A8_SRGB"),
    Case("bilinear, 8 bits a texel", format="L8_UNORM"),
    Case("bilinear, 565", format="B5G6R5_UNORM"),
    Case("bilinear, RGBA16F", format="R16G16B16A16_FLOAT"),
    Case("bilinear, RGBA32F", format="R32G32B32A32_FLOAT"),
)
#: texels a pixel, and degrees by which they are turned
VIEWS = ((0.25, 0.0), (1.0, 0.0), (1.0, 30.0), (2.0**1.5, 0.0), (2.0**1.5, 30.0))


def _packed(b: Builder, channels: list[Value]) -> Value:
    """BGRA8 of four vectors."""
    out: Value | None = None
    for value, shift in zip(channels, (16, 8, 0, 24)):
        part = b.bitcast(b.round_to_int(b.clamp(value, 0.0, 1.0) * 255.0), u32)
        part = part << shift if shift else part
        out = part if out is None else out | part
    assert out is not None
    return out


@kernel(void, (ptr(TextureView), ptr(f32), ptr(u8)), name="bench_frame")
def frame(b: Builder, view: TextureView, plane: Pointer, pixels: Pointer) -> None:
    """One picture. `plane`: origin, d/dx and d/dy of s, t and r."""
    coords = b.array(SampleCoords, 1, align=64)
    out = b.array(f32, 64 * STAMPS, align=64)
    column = b.const(f32.vec(16), [float(n % 4) for n in range(16)])
    row = b.const(f32.vec(16), [float(n // 4) for n in range(16)])
    with b.For(b.const(i32, 0), SIZE, 4) as y, b.For(b.const(i32, 0), SIZE, 64) as x0:
        with b.For(b.const(u32, 0), STAMPS) as m:
            px = b.splat(b.cast(x0 + b.cast(m, i32) * 4, f32) + 0.5, 16) + column
            py = b.splat(b.cast(y, f32) + 0.5, 16) + row
            for n, name in enumerate("str"):
                origin, dx, dy = (b.splat(plane[3 * n + k], 16) for k in range(3))
                value = origin + dx * px + dy * py
                (coords.addr(name) + m * 16).store(value, align=64)
        view.sample(view, b.const(u32, STAMPS), coords, out, b.const(u32, 0))
        with b.For(b.const(u32, 0), STAMPS) as m:
            places = [out + (m * 64 + 16 * n) for n in range(4)]
            packed = _packed(b, [p.load(f32.vec(16), align=64) for p in places])
            at = b.cast(y * SIZE + x0 + b.cast(m, i32) * 4, u64)
            for n in range(4):
                line = b.shuffle(packed, None, list(range(4 * n, 4 * n + 4)))
                (pixels.cast(ptr(u32)) + (at + n * SIZE)).store(line, align=16)


class Sampled:
    """A texture of 256x256 random texels with all levels, seen through a view."""

    def __init__(self, case: Case, image: Any) -> None:
        depth, layers = (16 if case.target == TARGET_3D else 1), 1
        if case.target == TARGET_CUBE:
            layers = 6
        self.resource = PipeResource.create(
            case.target, number(case.format), 256, 256, depth, layers, last_level=8
        )
        native = self.resource.native
        size = int(native.size)
        texels = random.Random(1).randbytes(size)
        if "FLOAT" in case.format:  # numbers from 0 to 1, of 16 and of 32 bits
            texels = bytes([0x00, 0x38, 0x00, 0x30]) * (size // 4)
        ctypes.memmove(native.data, texels, size)
        self.blocks = [Block(kind.size) for kind in (TextureView, ViewParams, SamplerParams)]
        places = [block.address for block in self.blocks]
        state = SamplerState(
            (case.wrap,) * 3, case.min_filter, case.mag_filter, max_anisotropy=case.anisotropy
        )
        SamplerView(
            self.resource.address, number(case.format), case.target, 0, 8, 0, layers - 1
        ).store(places[1])
        state.store(places[2])
        make = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(image.address("pipe_texture_view"))
        make(*places, samplers().address)
        self.view = places[0]


def _plane(case: Case, scale: float, degrees: float) -> Any:
    angle, step = math.radians(degrees), scale / 256
    c, s = math.cos(angle) * step, math.sin(angle) * step
    numbers = [0.1234, c, -s, 0.2345, s, c, 0.4, 0.0, 0.0]
    if case.target == TARGET_CUBE:  # a face is two units wide
        numbers = [-0.9, c, -s, -0.8, s, c, 2.0, 0.0, 0.0]
    return (ctypes.c_float * 9)(*numbers)


def rate(call: Any, seconds: float) -> float:
    """Megapixels a second, the best of several runs."""
    call()
    best, end = 0.0, time.thread_time() + seconds
    while time.thread_time() < end:
        start = time.thread_time()
        for _ in range(4):
            call()
        best = max(best, 4 * SIZE * SIZE / (time.thread_time() - start) / 1e6)
    return best


def measured(seconds: float = 0.4) -> list[tuple[str, list[float]]]:
    """Each case's name and its rates in VIEWS."""
    exports: list[Kernel] = [frame, *EXPORTS]
    image = Module("bench_sampling", exports).compile()
    types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    function = ctypes.CFUNCTYPE(None, *types)(image.address("bench_frame"))
    pixels = Block(4 * SIZE * SIZE)
    rows = []
    for case in CASES:
        sampled = Sampled(case, image)
        rates = []
        for scale, degrees in VIEWS:
            plane = _plane(case, scale, degrees)
            call = lambda p=plane, s=sampled: function(s.view, p, pixels.address)  # noqa: E731
            rates.append(rate(call, seconds))
        rows.append((case.name, rates))
    return rows
