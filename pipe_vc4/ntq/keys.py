# SPDX-License-Identifier: MIT
"""What the compiled form of a shader depends on, beside the shader (vc4_key and its kin).

In: made by the driver from its state, and by tests. Out: read by ntq; hashable, so that they index
the cache of compiled shaders. Formats and functions are names of pydri/pipe (PipeFormat numbers,
PIPE_FUNC_*, PIPE_LOGICOP_*, PIPE_BLENDFACTOR_*).
"""

from __future__ import annotations

from typing import NamedTuple

from pipe_vc4.qir.qir import VaryingSlot

#: compare functions, as the hardware and Gallium number them
FUNC_NEVER, FUNC_LESS, FUNC_EQUAL, FUNC_LEQUAL, FUNC_GREATER = 0, 1, 2, 3, 4
FUNC_NOTEQUAL, FUNC_GEQUAL, FUNC_ALWAYS = 5, 6, 7


class Volume(NamedTuple):
    """A 3D texture, which lies in an image of two dimensions (lower_volumes.py)."""

    size: tuple[int, int, int]
    levels: int
    #: width and height of the image
    image: tuple[int, int]
    wraps: tuple[str, ...]
    mag_linear: bool
    min_linear: bool
    #: NONE, NEAREST or LINEAR
    mip: str
    lod_bias: float = 0.0

    def at(self, level: int) -> tuple[int, int, int]:
        """The size of a level."""
        x, y, z = (max(side >> level, 1) for side in self.size)
        return x, y, z


class Vc4TexKey(NamedTuple):
    """Of a texture and its sampler."""

    format: str = "RGBA8888"
    #: where the sampled r, g, b, a come from: "xyzw01" letters, the sampler view's swizzle
    swizzle: str = "xyzw"
    compare_mode: bool = False
    compare_func: int = FUNC_ALWAYS
    #: GL names without GL_: REPEAT, CLAMP_TO_EDGE, CLAMP, CLAMP_TO_BORDER, MIRRORED_REPEAT,
    #: MIRROR_CLAMP_TO_EDGE, MIRROR_CLAMP, MIRROR_CLAMP_TO_BORDER
    wrap_s: str = "REPEAT"
    wrap_t: str = "REPEAT"
    force_first_level: bool = False
    volume: Volume | None = None
    #: whether the sampler has a bias of the level of detail
    biased: bool = False


class BlendKey(NamedTuple):
    """Of a colour buffer (pipe_rt_blend_state). Factors are GL names without GL_."""

    enable: bool = False
    rgb_func: str = "FUNC_ADD"
    rgb_src: str = "ONE"
    rgb_dst: str = "ZERO"
    alpha_func: str = "FUNC_ADD"
    alpha_src: str = "ONE"
    alpha_dst: str = "ZERO"
    colormask: int = 15


class Vc4FsKey(NamedTuple):
    """Of a fragment shader (vc4_fs_key)."""

    color_format: str = "RGBA8888"
    depth_enabled: bool = False
    stencil_enabled: bool = False
    stencil_twoside: bool = False
    stencil_full_writemasks: bool = False
    is_points: bool = False
    is_lines: bool = False
    point_coord_upper_left: bool = False
    light_twoside: bool = False
    alpha_test_func: int = FUNC_ALWAYS
    #: GL's name without GL_ (COPY: none)
    logicop_func: str = "COPY"
    #: bit i: texture coordinate i is the point coordinate
    point_sprite_mask: int = 0
    ucp_enables: int = 0
    blend: BlendKey = BlendKey()
    tex: tuple[Vc4TexKey, ...] = ()
    #: the colour target that is drawn to: the hardware has one at a time
    target: int = 0
    #: the tile has four samples a pixel
    msaa: bool = False
    sample_coverage: bool = False
    sample_alpha_to_coverage: bool = False
    sample_alpha_to_one: bool = False


class Vc4VsKey(NamedTuple):
    """Of a vertex or coordinate shader (vc4_vs_key)."""

    fs_inputs: tuple[VaryingSlot, ...] = ()
    #: by attribute: PipeFormat names, as in R32G32B32A32_FLOAT
    attr_formats: tuple[str, ...] = ()
    #: which attributes these are (VERT_ATTRIB_*); empty: the first ones that the shader reads
    attr_slots: tuple[int, ...] = ()
    is_coord: bool = False
    per_vertex_point_size: bool = False
    clamp_color: bool = False
    ucp_enables: int = 0
    tex: tuple[Vc4TexKey, ...] = ()
