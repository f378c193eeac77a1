# SPDX-License-Identifier: MIT
"""Built-in functions called from compiled shaders: values against the numpy expression of their
row, texture lookups by what the instruction asks for.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pydri.glsl.compiler import Context
from pydri.glsl.language import builtin_functions
from pydri.glsl.language.builtin_functions import ROWS, Row, Signature
from pydri.glsl.translate.to_nir import to_nir
from pydri.nir.ir import TexInstr
from pydri.nir.passes import lower_for_backend, lower_glsl
from pydri.nir.types import SamplerType
from pydri.nir.validate import validate
from tests.unit.glsl.test_builtin_functions import EXPANDED, arguments
from tests.unit.glsl.translated import OneStage, checked, color, execute

CONTEXT = Context(version=150, extensions=(
    "GL_ARB_texture_rectangle", "GL_ARB_shader_texture_lod", "GL_EXT_texture_array",
    "GL_OES_standard_derivatives", "GL_AMD_shader_trinary_minmax", "GL_ARB_derivative_control",
    "GL_EXT_gpu_shader4", "GL_ARB_shader_bit_encoding",
    "GL_ARB_texture_cube_map_array", "GL_ARB_texture_gather", "GL_AMD_texture_texture4",
    "GL_ARB_texture_query_lod", "GL_EXT_texture_query_lod", "GL_ARB_texture_query_levels",
    "GL_ARB_shading_language_packing", "GL_EXT_texture_shadow_lod", "GL_ARB_arrays_of_arrays",
    "GL_EXT_shader_integer_mix",
))  # fmt: skip
EXTENSIONS = "".join(f"#extension {name} : enable\n" for name in CONTEXT.extensions)
LOOKUPS = [row for rows in ROWS.values() for row in rows if row.lookup is not None]


def head(row: Row) -> str:
    if 130 <= row.desktop <= CONTEXT.version:
        return f"#version {row.desktop}\n"
    return f"#version 120\n{EXTENSIONS}"


def call(signature: Signature) -> str:
    """A shader that calls a function with the components of varyings, one argument each."""
    text, args = head(signature.row), []
    for number, type_ in enumerate(signature.parameters):
        text += f"varying vec4 v{number};\n"
        part = f"v{number}.{'xyzw'[: type_.rows]}"
        if type_.kind == "bool":
            part = f"bool({part} != 0.0)" if type_.rows == 1 else f"{type_}({part})"
        args.append(part if type_.kind == "float" else f"{type_}({part})")
    result = signature.result
    value = f"{signature.row.name}({', '.join(args)})"
    tail = ", 0.0" * (4 - result.rows)
    inner = value if result.kind == "float" else (
        f"{'float' if result.rows == 1 else f'vec{result.rows}'}({value})")  # fmt: skip
    return text + f"void main() {{ gl_FragColor = vec4({inner}{tail}); }}"


def run(signature: Signature, rows: list[list[tuple[Any, ...]]]) -> Any:
    lanes = len(rows)
    inputs = {}
    for number in range(len(signature.parameters)):
        table = np.zeros((lanes, 4), np.float32)
        for lane, args in enumerate(rows):
            table[lane, : len(args[number])] = args[number]
        inputs[f"v{number}"] = table
    tree = checked(call(signature), "fragment", CONTEXT)
    layout = OneStage(tree)
    shader = to_nir(tree, layout)
    lower_glsl(shader)
    lower_for_backend(shader)
    validate(shader)
    return execute(shader, layout, lanes, inputs, {}).output(2)


@pytest.mark.parametrize("row", EXPANDED, ids=lambda row: f"{row.name}-{row.signatures}")
def test_values(row: Row) -> None:
    rng = random.Random(row.signatures)
    for signature in builtin_functions._expand_signatures(row)[::2]:
        rows = [arguments(signature, rng) for _ in range(6)]
        found = run(signature, rows)
        for got, args in zip(found, rows, strict=True):
            wide = [np.array(a, np.float64 if t.kind == "float" else None)
                    for a, t in zip(args, signature.parameters, strict=True)]  # fmt: skip
            value = np.asarray(eval(row.check, {"np": np, **dict(zip("xyz", wide, strict=False))}))
            width = signature.result.rows
            np.testing.assert_allclose(got[:width], np.broadcast_to(value.astype(float), width),
                                       3e-5, 3e-5, err_msg=str(signature))  # fmt: skip


# ---- matrices and derivatives: the rows with `special` -----------------------------------------
SPECIAL = {
    "inverse": ("mat3 m = mat3(v0.xyz, v1.xyz, 1.0, 5.0, 9.0); mat3 p = inverse(m) * m;"
                "gl_FragColor = vec4(p[0][0] + p[1][1] + p[2][2], p[0][1], p[2][0], p[1][2]);",
                lambda x, y: [3, 0, 0, 0]),
    "inverse of mat4": ("mat4 m = mat4(v0, v1, 0., 1., 4., 2., 3., 0., 1., 1.);"
                        "mat4 p = inverse(m) * m;"
                        "gl_FragColor = vec4(p[0][0] + p[1][1] + p[2][2] + p[3][3], p[0][1],"
                        "p[3][0], p[1][2]);", lambda x, y: [4, 0, 0, 0]),
    "determinant": ("gl_FragColor = vec4(determinant(mat2(v0)), determinant(mat3(v0.xyz, v1.xyz,"
                    "1., 2., 3.)), determinant(mat4(v0, v1, 0., 1., 4., 2., 3., 0., 1., 1.)), 0.);",
                    lambda x, y: [np.linalg.det(m) for m in (
                        x.reshape(2, 2), np.array([x[:3], y[:3], [1, 2, 3]]),
                        np.array([x, y, [0, 1, 4, 2], [3, 0, 1, 1]]))] + [0]),
    "transpose": ("mat2x3 m = mat2x3(v0, v1.xy); mat3x2 t = transpose(m);"
                  "gl_FragColor = vec4(t[0], t[2]);", lambda x, y: [x[0], x[3], x[2], y[1]]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_matrices(name: str) -> None:
    body, function = SPECIAL[name]
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 6, 4)).astype(np.float32)
    text = "#version 150\nvarying vec4 v0, v1; void main() { " + body + " }"
    tree = checked(text, "fragment", CONTEXT)
    layout = OneStage(tree)
    shader = to_nir(tree, layout)
    lower_glsl(shader)
    found = execute(shader, layout, 6, {"v0": x, "v1": y}, {}).output(2)
    wanted = [function(*pair) for pair in zip(x.astype(float), y.astype(float), strict=True)]
    np.testing.assert_allclose(found, wanted, 2e-3, 2e-3)


def test_derivatives() -> None:
    text = "varying vec4 v; void main() { gl_FragColor = vec4(dFdx(v.x), dFdy(v.x)," \
        "fwidth(v.xy).y, 0.0); }"
    v = np.array([[1, 5, 0, 0], [3, 4, 0, 0], [9, 9, 0, 0], [9, 9, 0, 0]], np.float32)
    found = color(text, 4, {"v": v})
    # differences in the pixel's own row and column of the quad
    wanted = [[2, 8, 5, 0], [2, 6, 6, 0], [0, 8, 4, 0], [0, 6, 5, 0]]
    np.testing.assert_array_equal(found, wanted)


def test_derivatives_of_a_quad() -> None:
    """Coarse ones are the same in all four pixels, fine ones those of the row or column."""
    text = "#extension GL_ARB_derivative_control : require\nvarying vec4 v; void main() { " \
        "gl_FragColor = vec4(dFdxFine(v.y), dFdyCoarse(v.y), fwidthFine(v.x), fwidthCoarse(v.x)); }"
    v = np.array([[1, 5, 0, 0], [3, 4, 0, 0], [9, 9, 0, 0], [4, 9, 0, 0]], np.float32)
    tree = checked(text, "fragment", CONTEXT)
    layout = OneStage(tree)
    shader = to_nir(tree, layout)
    lower_glsl(shader)
    found = execute(shader, layout, 4, {"v": v}, {}).output(2)
    wanted = [[-1, 4, 10, 10], [-1, 4, 3, 10], [0, 4, 13, 10], [0, 4, 6, 10]]
    np.testing.assert_array_equal(found, wanted)


def test_ftransform() -> None:
    text = "void main() { gl_Position = ftransform(); }"
    tree = checked(text, "vertex")
    layout = OneStage(tree)
    shader = to_nir(tree, layout)
    lower_glsl(shader)
    matrix = np.arange(16.0)
    vertex = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
    found = execute(shader, layout, 2, {"gl_Vertex": vertex},
                    {"gl_ModelViewProjectionMatrix": matrix}).output(0)  # fmt: skip
    np.testing.assert_array_equal(found, vertex @ matrix.reshape(4, 4))


# ---- textures ----------------------------------------------------------------------------------
DIMS = {"1D": 1, "2D": 2, "3D": 3, "Cube": 3, "Rect": 2, "Buf": 1, "MS": 2}


def lookup_text(signature: Signature, sampler: str = "unit[1]") -> str:
    parameters = signature.parameters
    lookup = signature.row.lookup
    moved = lookup.offset if lookup is not None else 0
    args = "".join(f", {t}({n + 2})" if n + 1 == moved else f", {t}(v0)" if t.rows < 4 else ", v0"
                   for n, t in enumerate(parameters[1:]))  # fmt: skip
    zeros = ", 0" * (4 - signature.result.rows)
    return (f"{head(signature.row)}varying vec4 v0; uniform {parameters[0]} unit[3]; uniform int n;"
            f"void main() {{ gl_{'Position' if 'vertex' in signature.row.stages else 'FragColor'}"
            f" = vec4({signature.row.name}({sampler}{args}){zeros}); }}")  # fmt: skip


@pytest.mark.parametrize(
    "row", LOOKUPS, ids=lambda row: f"{row.name}-{row.stages[:1]}-{row.lookup.op}")
def test_lookups(row: Row) -> None:
    for signature in builtin_functions._expand_signatures(row):
        stage = "vertex" if "vertex" in row.stages else "fragment"
        tree = checked(lookup_text(signature), stage, CONTEXT)
        shader = to_nir(tree, OneStage(tree))
        validate(shader)
        (tex,) = [i for i in shader.main.instrs() if isinstance(i, TexInstr)]
        sampler, lookup = signature.parameters[0], row.lookup
        assert isinstance(sampler, SamplerType) and lookup is not None
        assert (tex.sampler_dim, tex.is_array, tex.is_shadow) == (
            sampler.dim, sampler.arrayed, sampler.shadow)  # fmt: skip
        assert tex.op == lookup.op and tex.texture_index == tex.sampler_index == 1
        wanted = {"coord"} if lookup.op not in ("txs", "query_levels") else set()
        wanted |= {"txb": {"bias"}, "txl": {"lod"}, "txd": {"ddx", "ddy"}, "txf": {"lod"},
                   "txf_ms": {"ms_index"}, "txs": {"lod"}}.get(lookup.op, set())  # fmt: skip
        # places, and coordinates in texels, are moved themselves
        moves = lookup.offset and lookup.op != "txf" and sampler.dim != "Rect"
        wanted |= {"offset"} if moves else set()
        wanted |= {"projector"} if "Proj" in row.name else set()
        compares = sampler.shadow and lookup.op not in ("txs", "lod", "query_levels")
        wanted |= {"comparator"} if compares else set()
        assert dict(tex.srcs).keys() == wanted
        width = DIMS[sampler.dim]
        if lookup.op == "txd":
            assert tex.source("ddx").num_components == width  # type: ignore[union-attr]


def sampled(instr: TexInstr, srcs: Any) -> Any:
    """A texture that gives its unit, and its coordinates."""
    coord = srcs["coord"].view(np.float32)
    lanes = coord.shape[1]
    unit = np.full((1, lanes), instr.texture_index, np.float32)
    rest = np.zeros((3 - coord.shape[0], lanes), np.float32)
    return np.concatenate([unit, coord, rest])


def test_samplers_chosen_at_run_time() -> None:
    """Arrays, members of structs and parameters, all indexed at run time."""
    text = """#version 120
    varying vec4 v;
    uniform sampler2D first;
    uniform struct { float f; sampler2D s[2]; } u[3];
    vec4 f(sampler2D s, vec2 at) { return texture2D(s, at); }
    vec4 g(sampler2D s[2], int i) { return f(s[i], v.xy); }
    void main() { gl_FragColor = g(u[int(v.z)].s, int(v.w)) + f(first, vec2(0.0)); }"""
    v = np.array([[5, 6, i, j] for i in range(3) for j in range(2)], np.float32)
    tree = checked(text)
    layout = OneStage(tree)
    for steps in ((), (lower_glsl, lower_for_backend)):
        shader = to_nir(tree, layout)
        for step in steps:
            step(shader)
            validate(shader)
        found = execute(shader, layout, 6, {"v": v}, {}, texture=sampled).output(2)
        np.testing.assert_array_equal(found, [[1 + 2 * i + j, 5, 6, 0] for i in range(3)
                                              for j in range(2)])  # fmt: skip
