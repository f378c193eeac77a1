# SPDX-License-Identifier: MIT
"""Random textures of every target and sampleable format, sampled in every way, and programs that
look them up. Both drivers may read one view."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, VARYING_SLOT_COL0, VARYING_SLOT_TEX0
from pydri.nir.ir import Shader
from pydri.pipe import resource
from pydri.pipe.format import FORMATS
from pydri.pipe.sampler import (
    TEXEL_CLASSES,
    TEXEL_OF_FORMAT,
    SamplerState,
    SamplerView,
    is_sampleable,
)
from pydri.pipe.state import ShaderInput, ShaderRef
from tests.unit.pipe_llvm.sample_rig import Texture, View

#: how a shader names what a view's target is
_DIMENSIONS = {
    resource.TARGET_1D: ("1D", False), resource.TARGET_2D: ("2D", False),
    resource.TARGET_3D: ("3D", False),
    resource.TARGET_CUBE: ("Cube", False), resource.TARGET_RECT: ("Rect", False),
    resource.TARGET_1D_ARRAY: ("1D", True), resource.TARGET_2D_ARRAY: ("2D", True),
    resource.TARGET_CUBE_ARRAY: ("Cube", True),
}  # fmt: skip
_COORDINATES = {"1D": 1, "2D": 2, "3D": 3, "Cube": 3, "Rect": 2}
#: formats that programs use most, each half as often as all others together
_USUAL = (
    "R8G8B8A8_UNORM", "B8G8R8X8_UNORM", "L8A8_UNORM", "B5G6R5_UNORM", "R16G16B16A16_FLOAT",
    "R32G32B32A32_FLOAT", "R10G10B10A2_UNORM", "R8G8B8A8_SNORM", "I16_UNORM", "Z24X8_UNORM",
)  # fmt: skip
_SAMPLEABLE = tuple(fmt.name for fmt in FORMATS if is_sampleable(fmt.number))
_WRAPS = (0x2901, 0x2900, 0x812F, 0x812D, 0x8370, 0x8742, 0x8743, 0x8912)
_NEAREST, _LINEAR, _MIPMAPS = 0x2600, 0x2601, range(0x2700, 0x2704)
_SWIZZLES = ((0, 1, 2, 3), (0, 1, 2, 3), (2, 1, 5, 0), (0, 0, 0, 3), (4, 3, 1, 1))


def number_kind(view: View) -> str:
    """What a lookup gives: "float", or whole numbers, "int" or "uint"."""
    kind = TEXEL_CLASSES[TEXEL_OF_FORMAT[view.tex.fmt.number]]
    if not kind.pure_integer:
        return "float"
    return "int" if any(letters == "si" for letters, _ in kind.channels) else "uint"


def op_of(view: View, kind: str) -> str:
    """nir's operation; only images of two axes have four texels."""
    if kind == "tg4" and _DIMENSIONS[view.tex.target][0] in ("1D", "3D"):
        return "tex"
    return {"projected": "tex", "sizes": "tex"}.get(kind, kind)


def lookup(b: Builder, view: View, number: int, kind: str, place: Any) -> Any:
    """A lookup in a view at the place that a varying says, as floats near 0 to 1."""
    dim, is_array = _DIMENSIONS[view.tex.target]
    count = _COORDINATES[dim] + is_array
    scale = 12.0 if dim == "Rect" else 1.5
    parts = [b.components(place)[n] * (scale + n) for n in range(count)]
    srcs = {"coord": b.vec(*parts) if count > 1 else parts[0]}
    op = op_of(view, kind)
    if kind == "projected":
        srcs["projector"] = place.w + 1.5
    elif kind in ("txb", "txl"):
        srcs["bias" if kind == "txb" else "lod"] = place.z * 3.0
    elif kind == "txd":
        for name, part in (("ddx", place.y), ("ddy", place.z)):
            steps = [part * (0.1 * n + 0.1) for n in range(count - is_array)]
            srcs[name] = b.vec(*steps) if len(steps) > 1 else steps[0]
    shadow = bool(view.state.compare_func) and op not in ("tg4", "lod")
    if shadow:
        srcs["comparator"] = place.z
    fields: dict[str, Any] = {
        "sampler_dim": dim, "is_array": is_array, "texture_index": number
    }  # fmt: skip
    if op == "lod":
        parts = b.components(srcs["coord"])[: count - is_array]
        fields["num_components"] = 2
        srcs = {"coord": b.vec(*parts) if len(parts) > 1 else parts[0]}
        found = b.tex("lod", srcs, **fields) * 0.07 + 0.4
        return b.vec(found.x, found.y, found.x, b.imm_float(1.0))
    if op == "tg4":
        fields["component"] = number % 4
    found = b.tex(op, srcs, is_shadow=shadow, **fields)
    whole = number_kind(view)
    if whole != "float" and not shadow:
        bits = view.tex.fmt.channels[0][1]
        found = b.alu("i2f" if whole == "int" else "u2f", found) * 2.0**-bits
    if kind == "sizes":
        parts = count - (dim == "Cube")
        size = b.tex("txs", {"lod": b.imm_int(1)}, num_components=parts, kind="int", **fields)
        levels = b.tex("query_levels", {}, num_components=1, kind="int", **fields)
        width = b.alu("i2f", b.components(size)[0])
        found = found * (width * 0.04) + b.alu("i2f", levels) * 0.03
    return found


def one_zero(b: Builder, value: Any) -> Any:
    """The value, with one zero of the two: targets of whole numbers keep the bits of floats, and
    which zero a filter or a minimum gives is not said."""
    zero = b.imm_float(0.0)
    parts = [b.bcsel(b.feq(part, 0.0), zero, part) for part in b.components(value)]
    return b.vec(*parts)


def texture_shader(views: Sequence[View], kind: str, whole: bool = False) -> ShaderRef:
    """The product of a colour and of lookups in all views; `kind`: a nir `tex` operation,
    "projected", or "sizes", which asks for these, too. `whole`: for targets of whole numbers."""

    def build() -> Shader:
        b = Builder(Shader("fragment"))
        color = b.load_input(VARYING_SLOT_COL0, 4)
        place = b.load_input(VARYING_SLOT_TEX0, 4)
        for n, view in enumerate(views):
            found = lookup(b, view, n, kind, place)
            color = color * found
            place = b.vec(found.y, found.x, place.z, place.w)
        b.store_output(one_zero(b, color) if whole else color, FRAG_RESULT_COLOR)
        return b.shader

    inputs = (ShaderInput(VARYING_SLOT_COL0, 4, "color"), ShaderInput(VARYING_SLOT_TEX0, 4))
    shapes = [
        (view.tex.target, bool(view.state.compare_func), number_kind(view),
         view.tex.fmt.channels[0][1]) for view in views
    ]  # fmt: skip
    key = b"bench textures " + repr((kind, shapes, whole)).encode()
    four, lods = (sum((op_of(view, kind) == op) << n for n, view in enumerate(views))
                  for op in ("tg4", "lod"))  # fmt: skip
    return ShaderRef(key, build, inputs, (FRAG_RESULT_COLOR,), textures=len(views),
                     ways=(0, 0, four, lods))


class _Raw(Texture):
    """A texture whose texels nobody decodes beforehand."""

    def _decoded(self, raw: np.ndarray, width: int) -> np.ndarray:
        return raw


def _size(r: random.Random, target: int) -> dict[str, int]:
    """Sizes of a texture, with all levels or some."""
    wide, high, deep = (r.choice([1, 2, 4, 8, 16, 32, r.randrange(1, 40)]) for _ in range(3))
    size = {"width": wide}
    if target not in (resource.TARGET_1D, resource.TARGET_1D_ARRAY):
        size["height"] = high
    if target in (resource.TARGET_CUBE, resource.TARGET_CUBE_ARRAY):
        size["height"] = wide
        size["layers"] = 6 if target == resource.TARGET_CUBE else 12
    elif target == resource.TARGET_3D:
        size["depth"] = min(deep, 9)
    elif target in (resource.TARGET_1D_ARRAY, resource.TARGET_2D_ARRAY):
        size["layers"] = r.randrange(1, 6)
    most = max(size["width"], size.get("height", 1), size.get("depth", 1)).bit_length() - 1
    if target != resource.TARGET_RECT:
        size["last_level"] = r.choice([most, most, r.randrange(most + 1)])
    return size


def _view_of(r: random.Random, texture: Texture) -> SamplerView:
    """All of a texture, or some of its levels and layers."""
    native, target = texture.resource.native, texture.target
    levels, layers = [0, native.last_level], [0, native.layers - 1]
    if r.random() < 0.3:
        levels = sorted(r.randrange(native.last_level + 1) for _ in range(2))
    if r.random() < 0.3 and target in (resource.TARGET_1D_ARRAY, resource.TARGET_2D_ARRAY):
        layers = sorted(r.randrange(native.layers) for _ in range(2))
    return SamplerView(
        texture.resource.address, texture.fmt.number, target, *levels, *layers,
        r.choice(_SWIZZLES),
    )  # fmt: skip


def _state_of(r: random.Random, target: int, depth: bool, whole: bool) -> SamplerState:
    """How it is sampled. Whole numbers are never filtered: textures of these are incomplete then
    (GL 3.0, 3.8.10)."""
    rectangle = target == resource.TARGET_RECT
    low = [_NEAREST, _LINEAR] if rectangle else [_NEAREST, _LINEAR, *_MIPMAPS, *_MIPMAPS]
    low, high = ([_NEAREST, _MIPMAPS[0]], [_NEAREST]) if whole else (low, [_NEAREST, _LINEAR])
    low = low[:1] if rectangle and whole else low
    lods = sorted((r.uniform(-1.5, 4), r.uniform(0, 6)))
    limited = r.random() < 0.2
    return SamplerState(
        tuple(r.choice(_WRAPS[1:4] if rectangle else _WRAPS) for _ in range(3)),
        r.choice(low), r.choice(high), r.randrange(0x200, 0x208) if depth else 0,
        r.random() < 0.3, r.choice([1.0, 1.0, 2.0, 3.3, 16.0]), r.choice([0.0, 0.0, -0.7, 1.2]),
        lods[0] if limited else -1000.0, lods[1] if limited else 1000.0,
        tuple(r.uniform(-0.3, 1.3) for _ in range(4)),
    )  # fmt: skip


def random_texture(r: random.Random, srgb: bool = True) -> View:
    """A texture of some target and format, sampled somehow. The formats of sRGB, whose curve the
    drivers compute in different ways, only if it may be; else the same numbers as they are."""
    target, format = r.choice(list(_DIMENSIONS)), r.choice(r.choice([_USUAL, _SAMPLEABLE]))
    format = format if srgb else format.replace("_SRGB", "_UNORM")
    texture = _Raw(np.random.default_rng(r.randrange(1 << 30)), format, target, **_size(r, target))
    native = texture.resource.native
    ctypes.memmove(native.data, texture.address, native.size)
    depth = format[0] == "Z" and r.random() < 0.5
    whole = TEXEL_CLASSES[TEXEL_OF_FORMAT[texture.fmt.number]].pure_integer
    view = View(texture, _view_of(r, texture), _state_of(r, target, depth, whole), 0)
    view.native.data = native.data
    return view


__all__ = ["lookup", "one_zero", "random_texture", "texture_shader"]
