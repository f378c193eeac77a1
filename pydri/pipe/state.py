# SPDX-License-Identifier: MIT
"""Frozen state values that select code: the keys that st hands to a driver (Mesa's p_state.h CSOs).

All are NamedTuples of small integers and strings: hashable, comparable, cheap to import, and
`key_bytes()` gives a stable form for the object cache. Enumerations are the GL enums themselves
(GL_LESS ...), so nothing is translated twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.pipe.native import SHADER_STAGES

if TYPE_CHECKING:
    from pydri.nir.ir import Shader


#: What the image of a rectangle says: which pixels are covered, or what `load_pixel` gives there.
#: One float a pixel is R, 0, 0, 1 or L, L, L, 1.
RECT_NONE, RECT_BITS, RECT_RGBA8, RECT_RGBA32F, RECT_Z32F, RECT_R32F, RECT_L32F = range(7)
#: Bytes a pixel of an image; bits have a 16-bit word for each 4x4 stamp.
RECT_PIXEL_BYTES = {RECT_RGBA8: 4, RECT_RGBA32F: 16, RECT_Z32F: 4, RECT_R32F: 4, RECT_L32F: 4}

#: The reduced primitive that reaches the rasteriser (PipelineState.prim). Rectangles have no
#: vertices (PipeNative.draw_rect).
PRIM_POINTS, PRIM_LINES, PRIM_TRIANGLES, PRIM_RECTS = range(4)


class RtBlend(NamedTuple):
    """Blending of the colour buffer. All fields are GL enums; neutral values when disabled."""

    enabled: bool = False
    rgb_func: int = 0x8006  # GL_FUNC_ADD
    rgb_src: int = 1  # GL_ONE
    rgb_dst: int = 0  # GL_ZERO
    alpha_func: int = 0x8006
    alpha_src: int = 1
    alpha_dst: int = 0
    colormask: int = 15  # bit 0 red .. bit 3 alpha
    logicop: int = 0  # GL logic op, 0 = off

    @property
    def dual(self) -> bool:
        """Whether it reads a second source."""
        return not DUAL_FACTORS.isdisjoint(
            (self.rgb_src, self.rgb_dst, self.alpha_src, self.alpha_dst))


#: factors of a second source, FRAG_RESULT_DUAL_SRC (GL_SRC1_COLOR ...): of the first target alone
DUAL_FACTORS = frozenset((0x8589, 0x88F9, 0x88FA, 0x88FB))

#: In the key of a kernel that reads blending, logic operation and colour mask from memory: the one
#: value of RtBlend that no GL state gives.
ANY_BLEND = RtBlend(True, 0, 0, 0, 0, 0, 0, 15)
#: The same for the functions of tests, and what stencil tests do.
ANY_FUNC = 1


class ColorTarget(NamedTuple):
    """A colour target of a pipeline."""

    format: int = 0  # PipeFormat number; 0: nothing is written
    blend: RtBlend = RtBlend()


class StencilSide(NamedTuple):
    """One face of the stencil test (values and masks are dynamic)."""

    func: int = 0x0207  # GL_ALWAYS
    fail: int = 0x1E00  # GL_KEEP
    zfail: int = 0x1E00
    zpass: int = 0x1E00


ANY_SIDE = StencilSide(ANY_FUNC, 0, 0, 0)


class DepthStencilAlpha(NamedTuple):
    """Depth, stencil and alpha tests; a func of 0 means "test off"."""

    depth_func: int = 0
    depth_write: bool = False
    stencil_front: StencilSide | None = None
    stencil_back: StencilSide | None = None  # None with a front: the same for both faces
    alpha_func: int = 0


class Rasterizer(NamedTuple):
    """Rasterisation state that selects code."""

    flatshade: bool = False
    twoside: bool = False  # pick BFC0/BFC1 for back faces
    point_smooth: bool = False  # with several samples: points are discs, by sample
    point_size_per_vertex: bool = False  # VARYING_SLOT_PSIZ
    # points are squares of their very size around their place (never with point_smooth)
    point_sprite: bool = False
    # with point_sprite: bit n says that VARYING_SLOT_TEX0 + n of a point's fragments is where they
    # lie in its square: s, t, 0, 1
    sprite_coords: int = 0
    line_smooth: bool = False
    poly_smooth: bool = False
    fill_front: int = 0x1B02  # GL_FILL
    fill_back: int = 0x1B02
    clip_planes: int = 0  # bit mask of enabled user planes
    depth_clamp: bool = False
    provoking_first: bool = False
    line_stipple: bool = False

    @property
    def unfilled(self) -> bool:
        """Whether some face is drawn as lines or points (the vertex shader writes
        VARYING_SLOT_EDGE).
        """
        return self.fill_front != 0x1B02 or self.fill_back != 0x1B02


class Multisample(NamedTuple):
    """Multisampling, all neutral where the framebuffer has one sample (GL 2.1, 3.2.1, 4.1.3)."""

    enabled: bool = False  # coverage and depth at each sample; else those of the centre for all
    mask: bool = False  # PipeDynamic.sample_mask says which samples may be written
    alpha_to_coverage: bool = False
    alpha_to_one: bool = False


class VertexElement(NamedTuple):
    """Where a vertex shader input comes from: attribute slot and memory format (PipeFormat
    name).
    """

    slot: int
    format: int  # PipeFormat number; a binding with stride 0 is a constant of the same format
    divided: bool = False  # elements are counted by instances (VertexBinding.divisor is not 0)


class ShaderInput(NamedTuple):
    """A fragment input: varying slot, components that are read, and how it is interpolated."""

    slot: int
    components: int
    # smooth (perspective), noperspective, flat; "color": smooth or flat as the rasterizer says
    interp: str = "smooth"


class Accesses(NamedTuple):
    """What a shader does with memory that shaders write: bits of the numbers that the rows of its
    ShaderMemory have."""

    buffers_read: int = 0
    buffers_written: int = 0
    counters_read: int = 0
    counters_written: int = 0
    images_read: int = 0
    images_written: int = 0

    @property
    def some(self) -> bool:
        """Whether there are any."""
        return any(self)

    @property
    def writes(self) -> bool:
        """Whether the shader has effects beside its outputs."""
        return bool(self.buffers_written | self.counters_written | self.images_written)


class Emits(NamedTuple):
    """What a geometry shader makes of a primitive."""

    mode: int = 0  # GL's of the strips
    vertices: int = 0  # the most that an invocation emits
    invocations: int = 1
    taken: int = 0  # vertices of what it takes


class ShaderRef(NamedTuple):
    """A shader by key, built only when no compiled variant is in the cache.

    `inputs`: fragment stage: ShaderInputs; vertex stage: attribute slots; geometry stage:
    VARYING_SLOTs. `outputs`:
    VARYING_SLOTs or FRAG_RESULTs. `const_range`: bytes [low, high) of constant block 0 that the
    shader reads, `uniform_range`: of block 1, whole where offsets are known only at run time
    (copied for deferred fragment work; multiples of four). `tokens`: the same shader as TGSI, whose
    vertex inputs are numbered as `inputs` are, for drivers that prefer it (ShaderCaps).
    """

    key: bytes
    build: Callable[[], Shader]
    inputs: tuple[Any, ...]
    outputs: tuple[int, ...]
    const_range: tuple[int, int] = (0, 0)
    uses_discard: bool = False
    writes_depth: bool = False
    uses_position: bool = False  # fragment stage: it reads z or w of load_frag_coord
    textures: int = 0  # how many of StageBindings.views it may read
    uniform_range: tuple[int, int] = (0, 0)
    tokens: Callable[[], Sequence[int]] | None = None
    # Bits of the textures that it reads in other ways (WAY_* of sampler.py, from the first on): by
    # place, beside it, four texels at once, and those whose level of detail it asks for.
    ways: tuple[int, int, int, int] = (0, 0, 0, 0)
    # of buffers, counters and images (StageBindings.memory)
    access: Accesses = Accesses()
    # of each uniform block in a buffer, from number 2 on: bytes that it may read from the start on
    # (ShaderMemory.blocks); where fewer are bound it reads zeros
    blocks: tuple[int, ...] = ()
    emits: Emits = Emits()  # geometry stage
    loops: bool = False  # it has loops that were not unrolled when it was linked

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShaderRef) and self.key == other.key

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.key)


class Capture(NamedTuple):
    """Components of an output that stream output writes for each vertex of a primitive; of
    VARYING_SLOT_POS these are clip coordinates."""

    slot: int  # VARYING_SLOT
    component: int
    components: int  # how many, at most 4 in all
    buffer: int  # PipeDynamic.stream_targets
    offset: int  # from where the vertex begins there, in floats


class StreamOutput(NamedTuple):
    """What is written of vertices, primitive by primitive as they were assembled: before one vertex
    is made the provoking one, and before clipping (EXT_transform_feedback)."""

    captures: tuple[Capture, ...] = ()
    strides: tuple[int, ...] = ()  # floats a vertex, by buffer; 0: nothing goes there


class PipelineState(NamedTuple):
    """Everything that selects code for a draw."""

    # by stage (SHADER_*); None: there is no such stage. Without fragments nothing is rasterised:
    # what vertices leave is stream output's (drawn with PipeDynamic.discard)
    stages: tuple[ShaderRef | None, ...]
    elements: tuple[VertexElement, ...]
    targets: tuple[ColorTarget, ...]  # at most MAX_TARGETS; the last one has a format
    dsa: DepthStencilAlpha
    rast: Rasterizer
    zs_format: int  # PipeFormat number, 0 = none
    prim: int  # PRIM_*
    samples: int = 1
    rect: int = 0  # RECT_*: the image of rectangles
    multisample: Multisample = Multisample()
    stream_output: StreamOutput = StreamOutput()
    counts_fragments: bool = False  # into PipeDynamic.fragments_counter

    def shader(self, stage: int) -> ShaderRef:
        """The shader of a stage that the pipeline has."""
        found = self.stages[stage]
        if found is None:
            raise ValueError(f"a pipeline without stage {stage}")
        return found

    def with_shader(self, stage: int, shader: ShaderRef) -> PipelineState:
        """The state with another shader of a stage."""
        return self._replace(stages=(*self.stages[:stage], shader, *self.stages[stage + 1 :]))

    @property
    def color_format(self) -> int:
        """The format of the first target, whose alpha is tested; 0: none."""
        return self.targets[0].format if self.targets else 0

    @property
    def blend(self) -> RtBlend:
        """Blending of the first target."""
        return self.targets[0].blend if self.targets else RtBlend(colormask=0)


def stages_of(shaders: Mapping[int, ShaderRef]) -> tuple[ShaderRef | None, ...]:
    """PipelineState.stages of the shaders that there are."""
    return tuple(map(shaders.get, range(SHADER_STAGES)))


def key_bytes(*parts: Any) -> bytes:
    """Stable bytes of nested tuples of numbers, strings and bytes."""
    return repr(parts).encode()
