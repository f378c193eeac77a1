# SPDX-License-Identifier: MIT
"""Both drivers side by side, through the pipe interface alone: the same surfaces, states, vertices.

A `Bench` is one driver with a framebuffer. `scene(seed)` makes up states, vertices and targets;
`draw(bench, scene)` draws them."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import pipe_llvm
import pipe_soft
from pipe_soft.memory import Image
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    FRAG_RESULT_DATA0,
    INTERP_NOPERSPECTIVE,
    VARYING_SLOT_BFC0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_POINT_SIZE,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.nir.ir import Shader
from pydri.pipe.format import COLOR_FORMATS, FORMATS, TARGET, VERTEX, ZS_FORMATS, number, srgb_view
from pydri.pipe.interface import PipeScreen
from pydri.pipe.native import (
    CLEAR_COLOR,
    SHADER_FRAGMENT,
    SHADER_VERTEX,
    DrawInfo,
    PipeDynamic,
    RectInfo,
    Surface,
    VertexBinding,
)
from pydri.pipe.plain import allocate
from pydri.pipe.state import (
    PRIM_LINES,
    PRIM_POINTS,
    PRIM_RECTS,
    PRIM_TRIANGLES,
    RECT_BITS,
    RECT_L32F,
    RECT_NONE,
    RECT_PIXEL_BYTES,
    RECT_RGBA8,
    RECT_RGBA32F,
    RECT_Z32F,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    RtBlend,
    ShaderInput,
    ShaderRef,
    StencilSide,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_llvm.sample_rig import View
from tests.unit.pipe_soft.random_textures import one_zero, random_texture, texture_shader

#: both drivers: a name, and what makes the screen
DRIVERS = {"llvm": pipe_llvm.create_screen, "soft": pipe_soft.create_screen}

SIZE = 64
_WHAT_READS = {
    VERT_ATTRIB_POS: VARYING_SLOT_POS, VERT_ATTRIB_COLOR0: VARYING_SLOT_COL0,
    VERT_ATTRIB_COLOR1: VARYING_SLOT_BFC0, VERT_ATTRIB_TEX0: VARYING_SLOT_TEX0,
    VERT_ATTRIB_POINT_SIZE: VARYING_SLOT_PSIZ, VERT_ATTRIB_EDGEFLAG: VARYING_SLOT_EDGE,
}  # fmt: skip
FRAG_COLOR, FRAG_DEPTH = 2, 0
_COLORS = (VERT_ATTRIB_COLOR0, VERT_ATTRIB_COLOR1)
_FLOATS = (VERT_ATTRIB_POS, VERT_ATTRIB_TEX0, VERT_ATTRIB_POINT_SIZE, VERT_ATTRIB_EDGEFLAG)
_MODES = {PRIM_POINTS: [0], PRIM_LINES: [1, 2, 3], PRIM_TRIANGLES: [4, 5, 6, 7, 8, 9]}


class Target(NamedTuple):
    """A framebuffer's formats; 0: without depth and stencil."""

    color: int
    zs: int
    samples: int
    srgb: bool
    more: tuple[int, ...] = ()  # formats of further colour targets


class Call(NamedTuple):
    """One draw: the state, what is dynamic, vertices by attribute, and the mode."""

    state: PipelineState
    dynamic: dict[str, Any]
    arrays: dict[int, NDArray[Any]]
    mode: int
    indices: NDArray[Any] | None
    count: int
    start: int = 0
    bias: int = 0
    flags: int = 3  # PRIM_BEGIN, PRIM_END
    instances: int = 1
    divisor: int = 0  # of elements that are divided


class Rect(NamedTuple):
    """A rectangle of pixels: its state (with PipelineState.rect), box, depth, image and values."""

    state: PipelineState
    dynamic: dict[str, Any]
    box: tuple[int, int, int, int]
    depth: float
    image: bytes
    values: dict[int, tuple[float, ...]]


class Clear(NamedTuple):
    """A clear within the scissor of the draw before it."""

    buffers: int
    color: tuple[float, ...]
    depth: float
    stencil: int
    colormask: int
    stencil_mask: int


class Scene(NamedTuple):
    """A framebuffer and the draws to it."""

    target: Target
    textures: list[View]
    calls: list[Call | Clear | Rect]


class Bench:
    """A driver with a framebuffer of SIZE x SIZE, and texture views."""

    def __init__(
        self,
        create_screen: Callable[[Any], PipeScreen],
        target: Target,
        textures: Sequence[View] = (),
    ) -> None:
        self.screen = create_screen(None)
        self.context = self.screen.context_create()
        self.target = target
        self.colors = [Surface.ctype()() for _ in (target.color, *target.more)]
        self.color, self.zs = self.colors[0], Surface.ctype()()
        self._dyn, address = allocate(PipeDynamic.size)  # drivers rely on its alignment
        self.dyn: Any = PipeDynamic.view(address)
        self.counter = ctypes.c_uint64(0)
        size = (SIZE, SIZE, target.samples)
        for surface, format in zip(self.colors, (target.color, *target.more)):
            self.screen.surface_create(surface, format, *size)
        self._views = (ctypes.c_uint64 * len(textures))(*(view.address for view in textures))
        for stage in self.dyn.stages:
            stage.views = ctypes.addressof(self._views)
        fb = self.dyn.fb
        fb.width = fb.height = SIZE
        fb.flip_y, fb.cbuf = 1, ctypes.addressof(self.color)
        for n, surface in enumerate(self.colors[1:]):
            fb.others[n] = ctypes.addressof(surface)
        if target.zs:
            self.screen.surface_create(self.zs, target.zs, *size)
            fb.zsbuf = ctypes.addressof(self.zs)
        view = srgb_view(FORMATS[target.color])
        self.color.srgb = view.number if view and target.srgb else 0

    def clear(self, color: tuple[float, ...], depth: float, stencil: int) -> None:
        """All of both surfaces."""
        self.dyn.scissor_x0 = self.dyn.scissor_y0 = 0
        self.dyn.scissor_x1 = self.dyn.scissor_y1 = SIZE
        self.clear_part(Clear(CLEAR_COLOR | 6, color, depth, stencil, 15, 255))

    def clear_part(self, clear: Clear) -> None:
        """Some bits of some buffers, within the scissor."""
        values = (ctypes.c_float * 4)(*clear.color)
        self.context.clear(
            ctypes.addressof(self.dyn), clear.buffers, ctypes.addressof(values), *clear[2:]
        )

    def draw(self, call: Call | Clear | Rect) -> None:
        """One draw (what it reads lives until it is done), or a clear."""
        if isinstance(call, Clear):
            self.clear_part(call)
            return
        for name, value in call.dynamic.items():
            place = self.dyn
            if isinstance(name, tuple):  # of a stage, if that is a number
                stage, name = name
                place = self.dyn if stage is None else self.dyn.stages[stage]
            if isinstance(value, tuple):
                getattr(place, name)[:] = value
            else:
                setattr(place, name, value)
        if isinstance(call, Rect):
            self._draw_rect(call)
            return
        if call.state.rast.clip_planes:
            for n in range(8):
                self.dyn.clip_planes[n][:] = PLANES[n % len(PLANES)]
        self.dyn.occlusion_counter = ctypes.addressof(self.counter)
        bindings = (VertexBinding.ctype() * 44)()
        for slot, array in call.arrays.items():
            binding = bindings[slot]
            binding.base, binding.count = array.ctypes.data, len(array)
            binding.stride = array.strides[0] if len(array) > 1 else 0
        for element in call.state.elements:
            bindings[element.slot].divisor = call.divisor if element.divided else 0
        info = DrawInfo.ctype()()
        info.mode, info.count, info.prim_flags = call.mode, call.count, call.flags
        info.start, info.index_bias, info.instances = call.start, call.bias, call.instances
        info.attribs = ctypes.addressof(bindings)
        if call.indices is not None:
            info.index_size, info.indices = call.indices.itemsize, call.indices.ctypes.data
        pipeline = self.context.create_pipeline(call.state)
        self.context.draw_vbo(pipeline, ctypes.addressof(self.dyn), ctypes.addressof(info))
        self.context.finish()

    def _draw_rect(self, rect: Rect) -> None:
        """Through the native functions: `upload` has no other form."""
        pipeline = self.context.create_pipeline(rect.state)
        dyn, native = ctypes.addressof(self.dyn), self.context.native
        info = RectInfo.ctype()()
        info.x0, info.y0, info.x1, info.y1 = rect.box
        info.depth = rect.depth
        columns, _ = stamps_of(rect.box)
        info.stride = columns * (4 * RECT_PIXEL_BYTES.get(rect.state.rect, 0) or 2)
        for slot, value in rect.values.items():
            info.values[slot][:] = value
        functions = self.context.native_view()
        if rect.image:
            types = (ctypes.c_void_p,) * 3
            upload = ctypes.CFUNCTYPE(ctypes.c_void_p, *types, ctypes.c_uint32)(functions.upload)
            info.image = upload(native, pipeline, dyn, len(rect.image))
            ctypes.memmove(info.image, rect.image, len(rect.image))
        draw = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)(functions.draw_rect)
        draw(native, pipeline, dyn, ctypes.addressof(info))
        self.context.finish()

    def memory(self, surface: Any) -> NDArray[Any]:
        """A surface's texels, (rows * columns, samples, bytes)."""
        self.context.resolve(ctypes.addressof(surface))
        image = Image(surface)
        return np.asarray(image.texels[image.box(0, 0, SIZE, SIZE)])

    def close(self) -> None:
        """Threads must not outlive the memory that they look at."""
        self.context.destroy()
        self.screen.destroy()


WILD = [float("nan"), float("inf"), float("-inf"), 1e30, -1e30, 1e-40, -0.0]
PLANES = [(1.0, 0.3, 0.0, 0.6), (-0.5, 1.0, 0.2, 0.7), (0.2, -0.8, 0.1, 0.9)]


def stamps_of(box: tuple[int, int, int, int]) -> tuple[int, int]:
    """The columns and rows of 4x4 stamps that a box touches."""
    x0, y0, x1, y1 = box
    return ((x1 + 3) >> 2) - (x0 >> 2), ((y1 + 3) >> 2) - (y0 >> 2)


# -- shaders ---------------------------------------------------------------------------------------


def vertex_shader(slots: tuple[int, ...]) -> ShaderRef:
    """Attributes become the varyings of _WHAT_READS."""

    def build() -> Shader:
        b = Builder(Shader("vertex"))
        for slot in slots:
            b.store_output(b.load_input(slot, 4), _WHAT_READS[slot])
        return b.shader

    outputs = tuple(_WHAT_READS[slot] for slot in slots)
    return ShaderRef(b"bench vertex " + repr(slots).encode(), build, slots, outputs)


def fragment_shader(kind: str, whole: bool = False) -> ShaderRef:
    """One of a few programs: a colour, a second varying, that alone ("place"), the window place,
    facing, discard, depth, derivatives. `whole`: for targets of whole numbers."""
    texture = "noperspective" if kind == "flat place" else "smooth"

    def build() -> Shader:
        b = Builder(Shader("fragment"))
        color = b.load_input(VARYING_SLOT_COL0, 4)
        interp = INTERP_NOPERSPECTIVE if texture == "noperspective" else 0
        if kind != "color":
            place = b.load_input(VARYING_SLOT_TEX0, 4, interp=interp)
        if kind in ("pixel", "pixel depth"):
            pixel = b.sysval("pixel")
            if kind == "pixel":
                color = pixel * place
            else:
                b.store_output(pixel.x, FRAG_DEPTH)
        elif kind == "facing":
            color = b.bcsel(b.vec(*[b.load_front_face()] * 4), color, place)
        elif kind == "discard":
            b.discard_if(b.flt(b.ffract(place.x * 3.0), 0.4))
        elif kind == "depth":
            b.store_output(b.fsat(place.x), FRAG_DEPTH)
        elif kind == "place":
            color = place
        elif kind == "coordinate":
            where = b.load_frag_coord()
            color = b.vec(where.x * 0.015, where.y * 0.015, where.z, where.w * 0.5)
        elif kind == "slope":
            color = b.vec(b.alu("fddx", place.x) * 8.0, b.alu("fddy", place.y) * 8.0, color.z, 0.5)
        elif kind != "color":
            color = color * place
        color = one_zero(b, color) if whole else color
        if kind == "several":
            for n in range(4):
                b.store_output(color * (1.0 - 0.4 * n), FRAG_RESULT_DATA0 + n)
        else:
            b.store_output(color, FRAG_COLOR)
        return b.shader

    inputs = [ShaderInput(VARYING_SLOT_COL0, 4, "color")]
    if kind != "color":
        inputs.append(ShaderInput(VARYING_SLOT_TEX0, 4, texture))
    outputs = (FRAG_COLOR,)
    if kind == "several":
        outputs = tuple(range(FRAG_RESULT_DATA0, FRAG_RESULT_DATA0 + 4))
    key, writes = b"bench %d " % whole + kind.encode(), kind in ("depth", "pixel depth")
    return ShaderRef(
        key, build, tuple(inputs), outputs, uses_discard=kind == "discard",
        writes_depth=writes, uses_position=kind == "coordinate",
    )  # fmt: skip


FRAGMENTS = (
    "color",
    "product",
    "flat place",
    "facing",
    "discard",
    "depth",
    "coordinate",
    "slope",
    "several",
)

# -- random scenes ---------------------------------------------------------------------------------

_FACTORS = [0, 1, *range(0x300, 0x309), *range(0x8001, 0x8005)]
_EQUATIONS = [0x8006, 0x8007, 0x8008, 0x800A, 0x800B]
_OPERATIONS = [0, 0x1E00, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508]
_FUNCS = [*range(0x200, 0x208), *[0x207] * 4]


def random_blend(r: random.Random) -> RtBlend:
    if r.random() < 0.3:
        return RtBlend(colormask=r.choice([15, 15, r.randrange(16)]))
    if r.random() < 0.25:
        return RtBlend(logicop=r.randrange(0x1500, 0x1510), colormask=r.choice([15, 7]))
    pick = [r.choice(_FACTORS) for _ in range(4)]
    pick[1] = r.choice([f for f in _FACTORS if f != 0x308])
    equations = r.choice(_EQUATIONS), r.choice(_EQUATIONS)
    mask = r.choice([15, 15, r.randrange(16)])
    return RtBlend(True, equations[0], pick[0], pick[1], equations[1], pick[2], pick[3], mask)


def random_tests(r: random.Random) -> DepthStencilAlpha:
    def side() -> StencilSide:
        return StencilSide(r.choice(_FUNCS), *(r.choice(_OPERATIONS) for _ in range(3)))

    front = side() if r.random() < 0.5 else None
    back = side() if front and r.random() < 0.5 else None
    func = r.choice([0, 0x201, 0x203, *_FUNCS])
    alpha = r.choice(_FUNCS) if r.random() < 0.3 else 0
    return DepthStencilAlpha(func, func != 0 and r.random() < 0.7, front, back, alpha)


def random_rasterizer(r: random.Random, prim: int, samples: int) -> Rasterizer:
    """With several samples st asks for no smooth lines and polygons."""
    modes = [0x1B02] * 6 + [0x1B00, 0x1B01]
    fill = [r.choice(modes) if prim == PRIM_TRIANGLES else 0x1B02 for _ in range(2)]
    smooth = r.random() < 0.2
    unfilled = fill != [0x1B02] * 2
    points = prim == PRIM_POINTS or 0x1B00 in fill
    sprite = points and not smooth and r.random() < 0.4
    return Rasterizer(
        flatshade=r.random() < 0.3,
        twoside=r.random() < 0.3,
        point_smooth=smooth and (prim == PRIM_POINTS or unfilled),
        point_size_per_vertex=prim == PRIM_POINTS and r.random() < 0.4,
        point_sprite=sprite,
        sprite_coords=int(sprite and r.random() < 0.8),
        line_smooth=smooth and samples == 1 and (prim == PRIM_LINES or unfilled),
        poly_smooth=smooth and samples == 1 and prim == PRIM_TRIANGLES and not unfilled,
        fill_front=fill[0],
        fill_back=fill[1],
        clip_planes=r.choice([0, 0, 0, 1, 5]),
        depth_clamp=r.random() < 0.2,
        provoking_first=r.random() < 0.3,
        line_stipple=prim != PRIM_POINTS and r.random() < 0.3,
    )


def random_dynamic(r: random.Random, fb_size: int) -> dict[str, Any]:
    """PipeDynamic's fields: a viewport (a flipped one half the time), scissor, masks, widths."""
    flip = r.choice([1.0, -1.0])
    half, near = fb_size / 2, r.choice([0.0, 0.5])
    x0, y0 = (r.choice([0, 0, r.randrange(20)]) for _ in range(2))
    x1, y1 = (r.choice([fb_size, fb_size, r.randrange(30, fb_size)]) for _ in range(2))
    return {
        "viewport_scale": (half * 0.97, half * flip, 0.5 if near else 1.0, 1.0 if near else 0.0),
        "viewport_translate": (half + 0.25, half - 0.125, 0.5 if near else 0.0, 0.0),
        "scissor_x0": x0, "scissor_y0": y0, "scissor_x1": x1, "scissor_y1": y1,
        "cull": r.choice([0, 0, 0, 1, 2]), "front_negative": r.randrange(2),
        "offset_flags": r.choice([0, 0, 7]), "offset_units": r.choice([0.0, 3.0, -200.0]),
        "offset_factor": r.uniform(-2, 2), "offset_clamp": r.choice([0.0, 0.0, 0.01, -0.01]),
        "line_width": r.choice([1.0, 1.0, r.uniform(0.3, 6)]),
        "point_size": r.choice([1.0, r.uniform(0.5, 12)]), "point_fade": r.uniform(0, 4),
        "sprite_down": r.randrange(2),
        "blend_color": tuple(r.random() for _ in range(4)), "alpha_ref": r.random(),
        "sample_mask": r.randrange(16),
        "stencil_ref": (r.randrange(256), r.randrange(256)),
        "stencil_valuemask": (r.choice([255, r.randrange(256)]), 255),
        "stencil_writemask": (r.choice([255, r.randrange(256)]), r.randrange(256)),
        "line_stipple_factor": r.choice([1, 2, 3]), "line_stipple_pattern": r.randrange(1 << 16),
    }  # fmt: skip


def _floats(r: random.Random, count: int, low: float, high: float) -> NDArray[Any]:
    values = [[r.uniform(low, high) for _ in range(4)] for _ in range(count)]
    return np.array(values, np.float32)


def random_formats(r: random.Random) -> tuple[VertexElement, ...]:
    """Of colours any normalised format, floats of all others."""
    normal = [f for f in FORMATS if f.uses & VERTEX and f.kind in ("unorm", "snorm")]
    elements = [VertexElement(slot, number("R32G32B32A32_FLOAT")) for slot in _FLOATS]
    position = r.choice(["R32G32B32A32_FLOAT"] * 3 + ["R64G64B64A64_FLOAT", "R16G16B16A16_FLOAT"])
    elements[0] = VertexElement(VERT_ATTRIB_POS, number(position))
    return (*elements, *(VertexElement(slot, r.choice(normal).number) for slot in _COLORS))


def random_arrays(
    r: random.Random, elements: tuple[VertexElement, ...], count: int
) -> dict[int, NDArray[Any]]:
    """Values of every attribute; some are one value for all."""
    far = r.choice([0.9, 1.6, 1.6, 40.0])
    position = _floats(r, count, -far, far)
    position[:, 2] = [r.uniform(-0.9, 1.0) * r.choice([1, 1, 1.5]) for _ in range(count)]
    position[:, 3] = 1 if r.random() < 0.4 else [r.uniform(-0.3, 3) for _ in range(count)]
    if r.random() < 0.3:  # on the grid of half pixels, where ties are
        position = (np.round(position * 64) / 64).astype(np.float32)
        position[:, 3] = 1
    bits = FORMATS[elements[0].format].channels[0][1]
    arrays = {
        VERT_ATTRIB_POS: position.astype(f"f{bits // 8}"),
        VERT_ATTRIB_TEX0: _floats(r, count, -0.5, 1.5),
        VERT_ATTRIB_POINT_SIZE: _floats(r, count, 0.2, 9),
        VERT_ATTRIB_EDGEFLAG: np.array([[r.choice([0, 1, 1])] * 4 for _ in range(count)], "f4"),
    }
    if r.random() < 0.15:
        wild = arrays[r.choice([VERT_ATTRIB_POS, VERT_ATTRIB_TEX0, VERT_ATTRIB_POINT_SIZE])]
        with np.errstate(over="ignore"):
            wild[r.randrange(count), r.randrange(4)] = r.choice(WILD)
    for element in elements:
        if element.slot in _COLORS:
            size, one = FORMATS[element.format].bytes, 1 if r.random() < 0.2 else count
            values = np.frombuffer(r.randbytes(one * size), np.uint8)
            arrays[element.slot] = values.reshape(one, -1)
    return arrays


def random_state(
    r: random.Random, target: Target, prim: int, textures: Sequence[View] = ()
) -> PipelineState:
    """A state for points, lines or triangles."""
    how = Multisample()
    if target.samples > 1 and r.random() < 0.8:
        how = Multisample(True, *(r.random() < 0.25 for _ in range(3)))
    color = FORMATS[target.color]
    view = srgb_view(color)
    drawn = view.number if view and target.srgb and r.random() < 0.5 else color.number
    others = [ColorTarget(format, random_blend(r)) for format in target.more]
    elements = random_formats(r)
    slots = tuple(sorted(element.slot for element in elements))
    rast, program = random_rasterizer(r, prim, target.samples), r.choice(FRAGMENTS)
    if rast.poly_smooth and program == "slope":
        program = "color"  # which places derivatives compare is open where each is another
    whole = color.integer
    fragment = fragment_shader(program, whole)
    if textures and not rast.poly_smooth:
        kinds = ["tex", "tex", "txb", "txl", "txd", "projected", "sizes", "tg4", "lod"]
        fragment = texture_shader(list(textures), r.choice(kinds), whole)
    return PipelineState(
        stages_of({SHADER_VERTEX: vertex_shader(slots), SHADER_FRAGMENT: fragment}), elements,
        (ColorTarget(drawn, random_blend(r)), *others), random_tests(r), rast,
        target.zs, prim, target.samples, r.random() < 0.3, multisample=how,
    )  # fmt: skip


def random_call(r: random.Random, state: PipelineState) -> Call:
    """A draw with a state: vertices, dynamic state, mode and perhaps indices."""
    mode = r.choice(_MODES[state.prim])
    count = r.randrange(3, 24)
    indices = None
    if r.random() < 0.4:
        kind = r.choice([np.uint8, np.uint16, np.uint32])
        indices = np.array([r.randrange(count + 2) for _ in range(r.randrange(3, 30))], kind)
    arrays = random_arrays(r, state.elements, count)
    drawn = count if indices is None else len(indices)
    start = r.choice([0, 0, 1, 2])
    bias = 0 if indices is None else r.choice([0, 0, 1, 3])
    flags = r.choice([3, 3, 3, r.randrange(4)])
    dynamic = random_dynamic(r, SIZE)
    instances, divisor = r.choice([(1, 0), (1, 0), (1, 0), (2, 1), (5, 2)])
    if instances > 1:
        divided = [element._replace(divided=r.random() < 0.3) for element in state.elements]
        state = state._replace(elements=tuple(divided))
    where = (drawn - start, start, bias, flags)
    return Call(state, dynamic, arrays, mode, indices, *where, instances, divisor)


def random_rect(r: random.Random, target: Target, dynamic: dict[str, Any]) -> Rect:
    """A rectangle within the scissor of a draw."""
    kind = r.choice([RECT_NONE, RECT_BITS, RECT_RGBA8, RECT_RGBA32F, RECT_Z32F, RECT_L32F])
    program = {RECT_NONE: "product", RECT_BITS: "product", RECT_Z32F: "pixel depth"}
    state = random_state(r, target, PRIM_TRIANGLES)
    rast = Rasterizer(depth_clamp=state.rast.depth_clamp)
    fragment = fragment_shader(program.get(kind, "pixel"), FORMATS[target.color].integer)
    state = state._replace(
        stages=stages_of({SHADER_FRAGMENT: fragment}), rast=rast, prim=PRIM_RECTS, rect=kind)
    low = dynamic["scissor_x0"], dynamic["scissor_y0"]
    high = dynamic["scissor_x1"], dynamic["scissor_y1"]
    x0, y0 = (r.randrange(n, m) for n, m in zip(low, high))
    box = x0, y0, r.randrange(x0 + 1, high[0] + 1), r.randrange(y0 + 1, high[1] + 1)
    columns, rows = stamps_of(box)
    image = b""
    if kind == RECT_BITS:
        image = r.randbytes(2 * columns * rows)
    elif kind == RECT_RGBA8:
        image = r.randbytes(64 * columns * rows)
    elif kind:
        count = 4 * RECT_PIXEL_BYTES[kind] * columns * rows
        image = np.array([r.uniform(-0.2, 1.2) for _ in range(count)], "f4").tobytes()
    values = {slot: tuple(r.random() for _ in range(4)) for slot in
              (VARYING_SLOT_COL0, VARYING_SLOT_TEX0)}  # fmt: skip
    return Rect(state, dynamic, box, r.random(), image, values)


def random_clear(r: random.Random) -> Clear:
    """A clear of some buffers."""
    color = tuple(r.uniform(-0.2, 1.2) for _ in range(4))
    masks = r.choice([15, r.randrange(16)]), r.choice([255, r.randrange(256)])
    buffers = r.randrange(1, 16)
    buffers = buffers & ~1 | (CLEAR_COLOR if buffers & 1 else 0)
    return Clear(buffers, color, r.uniform(-0.1, 1.1), r.randrange(256), *masks)


def random_scene(seed: int, states: int = 2, calls: int = 4) -> Scene:
    """The scene of a seed: some states, each of which draws some times."""
    r = random.Random(seed)
    zs = r.choice([*ZS_FORMATS, *[f for f in ZS_FORMATS if f.name == "Z24_UNORM_S8_UINT"] * 4])
    drawable = [f for f in FORMATS if f.uses & TARGET and not f.srgb]
    color = r.choice([*COLOR_FORMATS, *COLOR_FORMATS[:1] * 6, *r.sample(drawable, 8)])
    # GL 4.6, 15.2.3: one colour for whole numbers and others is undefined
    drawable = [f for f in drawable if f.integer == color.integer]
    target = Target(
        color.number, zs.number if r.random() < 0.85 else 0, r.choice([1, 1, 4]), r.random() < 0.3,
        tuple(f.number for f in r.sample(drawable, r.choice([0, 0, 0, 1, 3]))),
    )  # fmt: skip
    prims = [r.choice([PRIM_POINTS, PRIM_LINES, PRIM_TRIANGLES, PRIM_TRIANGLES])
             for _ in range(states)]  # fmt: skip
    textures = [random_texture(r, srgb=False) for _ in range(r.choice([0, 0, 1, 2]))]
    made = [random_state(r, target, prim, textures) for prim in prims]
    drawn: list[Call | Clear | Rect] = []
    for state in made:
        drawn += [random_call(r, state) for _ in range(calls)]
        drawn += [random_clear(r)] if r.random() < 0.4 else []
        if r.random() < 0.3:
            drawn.append(random_rect(r, target, random_dynamic(r, SIZE)))
    if isinstance(drawn[-1], Clear):
        drawn.append(random_call(r, made[0]))
    return Scene(target, textures, drawn)
