# SPDX-License-Identifier: MIT
"""Rectangles of pixels (glBitmap, glDrawPixels, glCopyPixels) as textured quadrilaterals.

In: PipelineState of PRIM_RECTS, RectInfo. Out: a state that draws triangles: a vertex shader of our
own, the fragment shader with a texture sample in the place of `load_pixel`, the vertices, the image
as a texture. Floats of an image become bytes, as the hardware has no others (u_blitter and
st_cb_drawpixels.c do the same).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pipe_vc4.ntq.keys import Vc4TexKey
from pipe_vc4.resource import PAGE, RGBA8888, Bytes, Texture, _tiled, layout
from pydri.nir.builder import Builder
from pydri.nir.enums import VARYING_SLOT_MAX, VARYING_SLOT_POS
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef
from pydri.pipe.format import BY_NAME
from pydri.pipe.memory_numpy import memory
from pydri.pipe.native import (
    MAX_ATTRIBS,
    PRIM_BEGIN,
    PRIM_END,
    RECT_VALUES,
    SHADER_FRAGMENT,
    SHADER_VERTEX,
    DrawInfo,
    PipeDynamic,
    VertexBinding,
)
from pydri.pipe.state import (
    PRIM_TRIANGLES,
    RECT_BITS,
    RECT_L32F,
    RECT_NONE,
    RECT_PIXEL_BYTES,
    RECT_RGBA8,
    RECT_Z32F,
    PipelineState,
    Rasterizer,
    ShaderRef,
    VertexElement,
)

#: the varying that says where in the image a fragment is
PLACE_SLOT = VARYING_SLOT_MAX - 1
_QUAD = 7  # GL_QUADS
_FLOATS = BY_NAME["R32G32B32A32_FLOAT"].number


def _slots(fs: ShaderRef) -> tuple[int, ...]:
    """Varyings that all fragments have the same value of."""
    return tuple(sorted({one.slot for one in fs.inputs if one.slot < RECT_VALUES}))


def vertex_shader(slots: tuple[int, ...]) -> Callable[[], Shader]:
    """Attribute 0 is the position, 1 the place in the image, the others the values of slots."""

    def build() -> Shader:
        b = Builder(Shader("vertex", "rectangle"))
        for attribute, slot in enumerate((VARYING_SLOT_POS, PLACE_SLOT, *slots)):
            b.store_output(b.load_input(attribute, 4), slot)
        return b.shader

    return build


def fragment_shader(fs: ShaderRef, kind: int) -> Callable[[], Shader]:
    """The shader with the image as its last texture; bits that are not set are no fragments."""

    def build() -> Shader:
        shader = fs.build()
        b = Builder(shader)

        def pixel() -> SSADef:
            place = b.load_input(PLACE_SLOT, 2)
            return b.tex("tex", {"coord": place}, sampler_dim="2D", texture_index=fs.textures,
                         sampler_index=fs.textures)  # fmt: skip

        replace: dict[SSADef, SSADef] = {}
        for instr in list(shader.main.instrs()):
            if isinstance(instr, IntrinsicInstr) and instr.name == "load_pixel":
                assert instr.dest is not None
                b.before(instr)
                replace[instr.dest] = pixel()
                instr.remove()
        shader.main.rewrite(replace)
        if kind == RECT_BITS:
            b.at_start(next(iter(shader.main.blocks())))
            b.discard_if(b.flt(pixel().w, b.imm_float(0.5)))
        return shader

    return build


def drawn_as(state: PipelineState) -> PipelineState:
    """The state that draws a rectangle's two triangles."""
    fs = state.shader(SHADER_FRAGMENT)
    slots = _slots(fs)
    vertex = ShaderRef(
        b"vc4 rectangle %r" % (slots,), vertex_shader(slots), tuple(range(2 + len(slots))),
        (VARYING_SLOT_POS, PLACE_SLOT, *slots),
    )  # fmt: skip
    fragment = fs._replace(
        key=b"vc4 rectangle %d " % state.rect + fs.key, build=fragment_shader(fs, state.rect)
    )
    elements = tuple(VertexElement(n, _FLOATS) for n in range(2 + len(slots)))
    return state.with_shader(SHADER_VERTEX, vertex).with_shader(SHADER_FRAGMENT, fragment)._replace(
        elements=elements, prim=PRIM_TRIANGLES, rast=Rasterizer(), rect=RECT_NONE
    )  # fmt: skip


class Rectangle(NamedTuple):
    """What is drawn in the place of a rectangle; `kept` is what the structs point to."""

    dyn: Any
    info: Any
    image: Texture | None
    kept: tuple[Any, ...]


def rectangle(state: PipelineState, dyn: Any, rect: Any) -> Rectangle:
    """The vertices and the image; the viewport is the whole target."""
    view: Any = PipeDynamic.ctype().from_buffer_copy(dyn)
    width, height = view.fb.width, view.fb.height
    view.viewport_scale[:] = (width / 2, height / 2, 0.5, 1.0)
    view.viewport_translate[:] = (width / 2, height / 2, 0.5, 0.0)
    view.cull = view.offset_flags = 0
    corners = np.array([(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1),
                        (rect.x0, rect.y1)], np.float32)  # fmt: skip
    data = np.ones((4, 2, 4), np.float32)
    data[:, 0, :2] = corners / np.array([width / 2, height / 2], np.float32) - 1
    data[:, 0, 2] = min(max(rect.depth, 0.0), 1.0) * 2 - 1
    data[:, 1, :2] = (0, 0), (1, 0), (1, 1), (0, 1)
    slots = _slots(state.shader(SHADER_FRAGMENT))
    values = np.array([rect.values[slot][:] for slot in slots] or [[0] * 4], np.float32)
    bindings: Any = (VertexBinding.ctype() * MAX_ATTRIBS)()
    for n in range(2 + len(slots)):
        bindings[n].base = data.ctypes.data + 16 * n if n < 2 else values.ctypes.data + 16 * (n - 2)
        bindings[n].stride, bindings[n].count = (32, 4) if n < 2 else (0, 1)
    info: Any = DrawInfo.ctype()()
    info.mode, info.count, info.prim_flags = _QUAD, 4, PRIM_BEGIN | PRIM_END
    info.attribs = ctypes.addressof(bindings)
    return Rectangle(view, info, _image(state.rect, rect), (data, values, bindings))


def _image(kind: int, rect: Any) -> Texture | None:
    """The pixels of a rectangle as a texture."""
    if kind == RECT_NONE:
        return None
    x0, y0 = rect.x0 & 3, rect.y0 & 3
    width, height = rect.x1 - rect.x0, rect.y1 - rect.y0
    rows = y0 + height
    swizzle, name = "xyzw", "RGBA8888"
    if kind == RECT_BITS:
        raw = memory(rect.image, (rows + 3) // 4 * rect.stride, "<u2")
        y, x = np.mgrid[y0 : y0 + height, x0 : x0 + width]
        bits = raw[(y >> 2) * (rect.stride // 2) + (x >> 2)] >> ((y & 3) * 4 + (x & 3)) & 1
        words = bits.astype(np.uint32) * np.uint32(0xFFFFFFFF)
    else:
        size = RECT_PIXEL_BYTES[kind]
        raw = memory(rect.image, (rows - 1) * rect.stride + (x0 + width) * size, np.uint8)
        shape, steps = (height, width, size), (rect.stride, size, 1)
        first = raw[y0 * rect.stride + x0 * size :]
        pixels: Bytes = np.ascontiguousarray(
            np.lib.stride_tricks.as_strided(first, shape, steps)
        )
        if kind == RECT_RGBA8:
            words = pixels.view("<u4")[..., 0]
        elif kind == RECT_Z32F:
            numbers = np.clip(pixels.view("<f4")[..., 0].astype(np.float64), 0, 1)
            words = np.rint(numbers * 0xFFFFFF).astype(np.uint32) << np.uint32(8)
            swizzle, name = "x001", "Z24X8_UNORM"
        else:
            floats = np.nan_to_num(np.clip(pixels.view("<f4"), 0, 1))
            words = np.zeros((height, width), np.uint32)
            for n in range(floats.shape[2]):
                words |= np.rint(floats[..., n] * 255).astype(np.uint32) << np.uint32(8 * n)
            if size == 4:
                swizzle = "xxx1" if kind == RECT_L32F else "x001"
    return _texture(words, Vc4TexKey(name, swizzle, wrap_s="CLAMP_TO_EDGE",
                                     wrap_t="CLAMP_TO_EDGE"))  # fmt: skip


def _texture(words: Any, key: Vc4TexKey) -> Texture:
    """A texture of one level whose texels are not filtered."""
    height, width = words.shape
    levels, base, size = layout(width, height, 1, 4)
    out = np.zeros(max(size, PAGE) // 4, np.uint32)
    out[base // 4 + _tiled(width, height, width, 4, levels[0].tiling)] = words
    p1 = (height & 0x7FF) << 20 | (width & 0x7FF) << 8 | 1 << 7 | 1 << 4 | 1 << 2 | 1
    return Texture(out.tobytes(), key, base | RGBA8888 << 4, p1, 0, 0, width, height)
