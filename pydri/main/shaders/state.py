# SPDX-License-Identifier: MIT
"""TABLE: where the built-in uniforms of GLSL stand in the context's value block (GLSL 1.20, 7.5).

In: the name of a uniform, and the members below it.  Out: a `Place` in constant block 0. Most of it
is the fixed function's; inverses and products of lights and materials, which only shaders read, are
in `ShaderValues`, and brought up to date while a program is current (st/draw/derived.py). A
transpose is the same numbers with other distances. Mesa: builtin_variables.cpp's state slots,
prog_statevars.c.
"""

from __future__ import annotations

from pydri.glsl.link.layout import STATE_BLOCK, Place
from pydri.main.layout import ValueBlock
from pydri.main.light.layout import Light, LightProduct
from pydri.main.shaders.layout import (
    READS_INVERSES,
    READS_LIGHTS,
    READS_MATERIALS,
    READS_PRODUCTS,
    READS_TEXTURE_INVERSES,
)

_MATRICES = {
    "ModelView": "modelview", "Projection": "projection", "ModelViewProjection": "mvp",
}  # fmt: skip
_LIGHT = {
    "ambient": "ambient", "diffuse": "diffuse", "specular": "specular", "position": "position",
    "halfVector": "half_vector", "spotDirection": "spot_direction",
    "spotExponent": "spot_exponent", "spotCutoff": "spot_cutoff",
    "spotCosCutoff": "spot_cos_cutoff", "constantAttenuation": "constant_attenuation",
    "linearAttenuation": "linear_attenuation", "quadraticAttenuation": "quadratic_attenuation",
}  # fmt: skip
_POINT = {
    "size": "point_size", "sizeMin": "point_size_min", "sizeMax": "point_size_max",
    "fadeThresholdSize": "point_fade", "distanceConstantAttenuation": "point_attenuation[0]",
    "distanceLinearAttenuation": "point_attenuation[1]",
    "distanceQuadraticAttenuation": "point_attenuation[2]",
}  # fmt: skip
_FOG = {"color": "fog_color", "density": "fog_density", "start": "fog_start", "end": "fog_end",
        "scale": "shader_fog_scale"}  # fmt: skip
_COLUMN, _MATRIX = 16, 64


def _at(path: str, *strides: int, step: int = 4) -> Place:
    return Place(STATE_BLOCK, ValueBlock.offset(path), strides, step)


def _matrix(rows: dict[tuple[str, tuple[str, ...]], Place], name: str, field: str,
            *array: int) -> None:  # fmt: skip
    """A matrix, its inverse and the transposes of both."""
    for tail, of in (("", field), ("Inverse", f"shader.{field}_inverse")):
        path = f"{of}[0]" if array else of
        rows[f"gl_{name}Matrix{tail}", ()] = _at(path, *array, _COLUMN)
        rows[f"gl_{name}Matrix{tail}Transpose", ()] = _at(path, *array, 4, step=_COLUMN)


def _table() -> dict[tuple[str, tuple[str, ...]], Place]:
    rows: dict[tuple[str, tuple[str, ...]], Place] = {}
    for name, field in _MATRICES.items():
        _matrix(rows, name, field)
    _matrix(rows, "Texture", "texture_matrix", _MATRIX)
    # of the whole matrix, as the peer: fixed function takes the upper 3x3's, which is the same
    # where the last row is 0, 0, 0, 1
    rows["gl_NormalMatrix", ()] = _at("shader.modelview_inverse", 4, step=_COLUMN)
    rows["gl_NormalScale", ()] = _at("shader.normal_scale")
    for n, part in enumerate(("near", "far", "diff")):
        rows["gl_DepthRange", (part,)] = _at(f"shader.depth_range[{n}]")
    rows["gl_ClipPlane", ()] = _at("clip_planes", 16)
    for part, field in _POINT.items():
        rows["gl_Point", (part,)] = _at(field)
    for part, field in _LIGHT.items():
        rows["gl_LightSource", (part,)] = _at(f"lights[0].{field}", Light.size)
    rows["gl_LightModel", ("ambient",)] = _at("light_model_ambient")
    for part, field in _FOG.items():
        rows["gl_Fog", (part,)] = _at(f"frag.{field}")
    for face, side in enumerate(("Front", "Back")):
        for part in ("emission", "ambient", "diffuse", "specular", "shininess"):
            rows[f"gl_{side}Material", (part,)] = _at(f"materials[{face}].{part}")
        rows[f"gl_{side}LightModelProduct", ("sceneColor",)] = _at(f"shader.scene_color[{face}]")
        for part in ("ambient", "diffuse", "specular"):
            path = f"shader.products[{face * 8}].{part}"
            rows[f"gl_{side}LightProduct", (part,)] = _at(path, LightProduct.size)
    for n, axis in enumerate("STRQ"):
        for plane, unit in (("Object", 0), ("Eye", 1)):
            place = _at(f"texgen[{unit}]")
            rows[f"gl_{plane}Plane{axis}", ()] = place._replace(
                offset=place.offset + 16 * n, strides=(2 * _MATRIX,))
    rows["gl_TextureEnvColor", ()] = _at("frag.tex_env_color", 16)
    return rows


STATE = _table()


def state_place(name: str, members: tuple[str, ...]) -> Place:
    """Where a built-in uniform, or a member of it, lies."""
    return STATE[name, members]


def reads(name: str) -> int:
    """READS_* bits of a built-in uniform."""
    if name.startswith("gl_Normal"):
        return READS_INVERSES
    if "Matrix" in name and "Inverse" in name:
        return READS_TEXTURE_INVERSES if "Texture" in name else READS_INVERSES
    if name.endswith("Product"):
        return READS_PRODUCTS | READS_MATERIALS
    if name.endswith("Material"):
        return READS_MATERIALS
    return READS_LIGHTS if name == "gl_LightSource" else 0


__all__ = ["STATE", "reads", "state_place"]
