# SPDX-License-Identifier: MIT
"""State: PipelineState and PipeDynamic as keys of shaders and packets of the binning list.

In: values of the state tracker (GL enums). Out: `Vc4FsKey` with blending in it, stencil words,
bytes of packets (vc4_state.c, vc4_emit.c; simulator/cl.py has what is in a packet).
"""

from __future__ import annotations

import struct
from typing import Any, Final

from pipe_vc4.ntq.keys import FUNC_ALWAYS, BlendKey, Vc4FsKey, Vc4TexKey
from pipe_vc4.resource import COLOR_FORMATS
from pydri.pipe.format import FORMATS
from pydri.pipe.state import PRIM_LINES, PRIM_POINTS, PipelineState, RtBlend, StencilSide

_NEVER = 0x0200
_FUNCS: Final = {
    0x8006: "FUNC_ADD", 0x8007: "MIN", 0x8008: "MAX", 0x800A: "FUNC_SUBTRACT",
    0x800B: "FUNC_REVERSE_SUBTRACT",
}  # fmt: skip
_FACTORS: Final = {
    0: "ZERO", 1: "ONE", 0x300: "SRC_COLOR", 0x301: "ONE_MINUS_SRC_COLOR", 0x302: "SRC_ALPHA",
    0x303: "ONE_MINUS_SRC_ALPHA", 0x304: "DST_ALPHA", 0x305: "ONE_MINUS_DST_ALPHA",
    0x306: "DST_COLOR", 0x307: "ONE_MINUS_DST_COLOR", 0x308: "SRC_ALPHA_SATURATE",
    0x8001: "CONSTANT_COLOR", 0x8002: "ONE_MINUS_CONSTANT_COLOR", 0x8003: "CONSTANT_ALPHA",
    0x8004: "ONE_MINUS_CONSTANT_ALPHA",
}  # fmt: skip
_LOGIC_OPS: Final = (
    "CLEAR", "AND", "AND_REVERSE", "COPY", "AND_INVERTED", "NOOP", "XOR", "OR", "NOR", "EQUIV",
    "INVERT", "OR_REVERSE", "COPY_INVERTED", "OR_INVERTED", "NAND", "SET",
)  # fmt: skip
_STENCIL_OPS: Final = {
    0: 0, 0x1E00: 1, 0x1E01: 2, 0x1E02: 3, 0x1E03: 4, 0x150A: 5, 0x8507: 6, 0x8508: 7,
}  # fmt: skip
#: write masks that a stencil word can say
_WRITE_MASKS: Final = {1: 0, 3: 1, 15: 2, 255: 3}


def blend_key(blend: RtBlend) -> BlendKey:
    """Blending of the one target."""
    if not blend.enabled:
        return BlendKey(colormask=blend.colormask)
    return BlendKey(
        True, _FUNCS[blend.rgb_func], _FACTORS[blend.rgb_src], _FACTORS[blend.rgb_dst],
        _FUNCS[blend.alpha_func], _FACTORS[blend.alpha_src], _FACTORS[blend.alpha_dst],
        blend.colormask,
    )  # fmt: skip


def _full_writemasks(dyn: Any, twoside: bool) -> bool:
    masks = {dyn.stencil_writemask[0], dyn.stencil_writemask[int(twoside)]}
    return not masks <= set(_WRITE_MASKS)


def to_target(state: PipelineState, number: int) -> PipelineState:
    """The state of the job that draws to a colour target: as if there were no others."""
    if number == 0 and len(state.targets) <= 1:
        return state
    return state._replace(targets=state.targets[number : number + 1])


def fs_key(state: PipelineState, dyn: Any, prim: int, tex: tuple[Vc4TexKey, ...],
           target: int = 0) -> Vc4FsKey:  # fmt: skip
    """The key of the fragment shader; `prim`: what is rasterised (PRIM_*); `target`: the number of
    the colour target, the first one of `state`."""
    dsa, rast, blend = state.dsa, state.rast, state.blend
    color = COLOR_FORMATS.get(FORMATS[state.color_format].name, "") if state.color_format else ""
    if not color:
        blend = RtBlend(colormask=0)
    stencil = dsa.stencil_front is not None and bool(state.zs_format)
    twoside = stencil and dsa.stencil_back is not None
    return Vc4FsKey(
        color_format=color or "RGBA8888",
        depth_enabled=bool(state.zs_format) and (bool(dsa.depth_func) or stencil),
        stencil_enabled=stencil, stencil_twoside=twoside,
        stencil_full_writemasks=stencil and _full_writemasks(dyn, twoside),
        is_points=prim == PRIM_POINTS, is_lines=prim == PRIM_LINES,
        point_coord_upper_left=bool(dyn.sprite_down), light_twoside=rast.twoside,
        alpha_test_func=dsa.alpha_func - _NEVER if dsa.alpha_func else FUNC_ALWAYS,
        logicop_func=_LOGIC_OPS[blend.logicop & 15] if blend.logicop else "COPY",
        point_sprite_mask=rast.sprite_coords if prim == PRIM_POINTS else 0,
        ucp_enables=rast.clip_planes, blend=blend_key(blend), tex=tex, target=target,
        msaa=state.samples > 1, sample_coverage=state.multisample.mask,
        sample_alpha_to_coverage=state.multisample.alpha_to_coverage,
        sample_alpha_to_one=state.multisample.alpha_to_one,
    )  # fmt: skip


def _stencil_word(side: StencilSide, dyn: Any, face: int, faces: int) -> int:
    ops = (_STENCIL_OPS[op] for op in (side.zfail, side.zpass, side.fail))
    at_zfail, at_zpass, at_fail = ops
    write = _WRITE_MASKS.get(dyn.stencil_writemask[face], 0)
    return (faces << 30 | write << 28 | at_zfail << 25 | at_zpass << 22 | at_fail << 19
            | side.func - _NEVER << 16 | (dyn.stencil_ref[face] & 255) << 8
            | dyn.stencil_valuemask[face] & 255)  # fmt: skip


def stencil_words(state: PipelineState, dyn: Any) -> tuple[int, int, int]:
    """Set-up words: front (or both faces), back, write masks."""
    front, back = state.dsa.stencil_front, state.dsa.stencil_back
    if front is None:
        return 0, 0, 0
    masks = [mask & 255 for mask in dyn.stencil_writemask]
    if back is None:
        return _stencil_word(front, dyn, 0, 3), 0, masks[0] | masks[0] << 8
    words = _stencil_word(front, dyn, 0, 1), _stencil_word(back, dyn, 1, 2)
    return *words, masks[0] | masks[1] << 8


# ---- packets
def _config(state: PipelineState, dyn: Any, polygons: bool) -> bytes:
    """Configuration bits: culling is of polygons alone."""
    dsa = state.dsa
    byte0 = 3 & ~dyn.cull if polygons else 3
    byte0 |= bool(dyn.front_negative) << 2
    byte0 |= bool(dyn.offset_flags & 4 and polygons) << 3
    byte0 |= (state.samples > 1 and state.multisample.enabled) << 6  # coverage of each sample
    func, writes = 7, False
    if state.zs_format and dsa.depth_func:
        func, writes = dsa.depth_func - _NEVER, dsa.depth_write
    return bytes((96, byte0, writes << 7 | func << 4, 0))


def _upper_half(value: float) -> bytes:
    return struct.pack("<f", value)[2:]


def clip_window(dyn: Any) -> tuple[int, int, int, int]:
    """Left, bottom, width, height: the viewport cut with the scissor."""
    box = [dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1]
    for n in range(2):
        half, middle = abs(dyn.viewport_scale[n]), dyn.viewport_translate[n]
        box[n] = max(box[n], int(round(middle - half)), 0)
        box[n + 2] = min(box[n + 2], int(round(middle + half)))
    return box[0], box[1], max(0, box[2] - box[0]), max(0, box[3] - box[1])


def packets(state: PipelineState, dyn: Any, prim: int, flat: int) -> bytes:
    """All packets of a draw's state but the shader's (vc4_emit_state)."""
    scale, move = dyn.viewport_scale, dyn.viewport_translate
    centre = (round(move[0] * 16), round(move[1] * 16))
    return b"".join((
        b"\x66", struct.pack("<4H", *clip_window(dyn)),
        _config(state, dyn, prim not in (PRIM_POINTS, PRIM_LINES)),
        b"\x65", _upper_half(dyn.offset_factor), _upper_half(dyn.offset_units),
        b"\x62", struct.pack("<f", dyn.point_size), b"\x63", struct.pack("<f", dyn.line_width),
        b"\x67", struct.pack("<2h", *centre),
        b"\x69", struct.pack("<2f", scale[0] * 16, scale[1] * 16),
        b"\x6a", struct.pack("<2f", scale[2], move[2]),
        b"\x61", struct.pack("<I", flat),
    ))  # fmt: skip
