# SPDX-License-Identifier: MIT
"""Uniform blocks beside the peer: what compiles and links, what is active and where it lies; and
what the translation reads, against numbers at those places."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as gl
from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.language.layouts import STD140, STD430, VEC4, extent, leaves, path
from pydri.glsl.link.linked import UNIFORM_BLOCK, Linked
from pydri.glsl.link.linker import BlockLimits, Bounds, link
from pydri.glsl.translate.to_nir import to_nir
from pydri.main.shaders.resources import (
    BLOCK_PROPERTIES,
    UNIFORM_PROPERTIES,
    block_index,
    full_name,
    uniform_indices,
)
from pydri.nir import interp, types
from pydri.nir.enums import FRAG_RESULT_COLOR
from pydri.nir.ir import IntrinsicInstr
from pydri.nir.passes import lower_for_backend, lower_glsl
from pydri.nir.stages import NUMBERS
from pydri.pipe.shader_memory import FIRST_BLOCK
from tests import host

HEAD = "#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
H150 = "#version 150 compatibility\n"
AOA = H150 + "#extension GL_ARB_arrays_of_arrays : require\n"
CONTEXT = Context(150, 0, frozenset((
    "GL_ARB_uniform_buffer_object", "GL_ARB_compatibility", "GL_ARB_arrays_of_arrays")), {})
LIMITS = BlockLimits(15, 90, 65536)
V, F = "void main() { gl_Position = gl_Vertex; }", "void main() { gl_FragColor = vec4(1.0); }"


def v(text: str, head: str = HEAD) -> tuple[str, str]:
    return "vertex", head + text


def f(text: str, head: str = HEAD) -> tuple[str, str]:
    return "fragment", head + text


def both(declaration: str, other: str | None = None, head: str = HEAD) -> list[tuple[str, str]]:
    """A block in both stages."""
    other = declaration if other is None else other
    return [v(f"{declaration} {V}", head), f(f"{other} {F}", head)]


USES = "void main() { gl_Position = a; }"
#: programs, by what they try
PROGRAMS: dict[str, list[tuple[str, str]]] = {
    "plain": [v("uniform B { vec4 a; float b; }; " + USES), f(F)],
    "nobody reads it": both("uniform B { vec4 a; mat3 m; float b[3]; };"),
    "packed, nobody reads it": both("layout(packed) uniform B { vec4 a; mat3 m; };"),
    "packed, one of them reads it": [
        v("layout(packed) uniform B { vec4 a; mat3 m; }; " + USES),
        f("layout(packed) uniform B { vec4 a; mat3 m; }; " + F)],
    "std140": [v("layout(std140) uniform B { float x; vec4 a; }; " + USES), f(F)],
    "defaults": [v("layout(std140, row_major) uniform; uniform B { mat2x3 x; vec4 a; }; "
                   "layout(column_major) uniform; uniform C { mat2x3 y; }; " + USES), f(F)],
    "the last of two counts": [v(
        "layout(row_major, column_major, row_major) uniform B { mat2x3 x; vec4 a; }; " + USES)],
    "a member by rows": [v(
        "uniform B { layout(row_major) mat2x4 x; mat2x4 y; layout(row_major) mat3 z[2]; vec4 a; };"
        + USES)],
    "rows within structs": [v(
        "struct S { mat2x3 m; float f; mat4 n[2]; }; layout(row_major) uniform B { S s[2]; "
        "layout(column_major) S t; vec4 a; }; " + USES)],
    "the qualifier `uniform`": [v("uniform B { uniform vec4 a; }; " + USES)],
    "members beside uniforms": [v("uniform vec4 d; uniform B { vec4 a; }; uniform float e; void "
                                  "main() { gl_Position = a + d * e; }"), f(F)],
    "two blocks": [v("uniform B { vec4 a; }; uniform C { vec4 c; }; " + USES),
                   f("uniform D { vec4 d; }; uniform B { vec4 a; }; void main() { gl_FragColor = d;"
                     " }")],
    "other types": both("uniform B { vec4 a; };", "uniform B { vec3 a; };"),
    "other names": both("uniform B { vec4 a; };", "uniform B { vec4 b; };"),
    "another order": both("uniform B { vec4 a; float b; };", "uniform B { float b; vec4 a; };"),
    "one more": both("uniform B { vec4 a; };", "uniform B { vec4 a; float b; };"),
    "another packing": both("layout(std140) uniform B { vec4 a; };", "uniform B { vec4 a; };"),
    "matrices by rows in one": both(
        "uniform B { layout(row_major) mat2 a; };", "uniform B { mat2 a; };"),
    "another block for a member": both("uniform B { vec4 a; };", "uniform C { vec4 a; };"),
    "a uniform outside and inside": both("uniform B { vec4 a; };", "uniform vec4 a;"),
    "two objects of a stage": [
        v("uniform B { vec4 a; }; vec4 g() { return a; }"),
        v("uniform B { vec4 a; }; vec4 g(); void main() { gl_Position = g(); }"), f(F)],
    "two objects of a stage that differ": [
        v("uniform B { vec4 a; }; vec4 g() { return a; }"),
        v("uniform B { vec4 a; vec4 b; }; vec4 g(); void main() { gl_Position = g() + b; }"), f(F)],
    "too many": [v("".join(f"uniform B{n} {{ vec4 a{n}; }};" for n in range(16)) + V), f(F)],
    "just enough": [v("".join(f"uniform B{n} {{ vec4 a{n}; }};" for n in range(15)) + V), f(F)],
    "too large": [v("uniform B { vec4 a[4097]; }; void main() { gl_Position = a[0]; }"), f(F)],
    "as large as can be": [v("uniform B { vec4 a[4096]; }; void main() { gl_Position = a[0]; }")],
    "instances": [
        v("uniform B { vec4 a; float b[2]; } one; void main() { gl_Position = one.a; }", H150),
        f("uniform B { vec4 a; float b[2]; } two; void main() { gl_FragColor = vec4(two.b[1]); }",
          H150)],
    "an instance and none": both("uniform B { vec4 a; } one;", "uniform B { vec4 a; };", H150),
    "the name of an instance is another uniform": both(
        "uniform B { vec4 a; } one;", "uniform vec4 one;", H150),
    "arrays of blocks": [
        v("uniform B { vec4 a; mat2 m; } one[3]; void main() { gl_Position = one[2].a; }", H150),
        f(F, H150)],
    "arrays of blocks of other sizes": both(
        "uniform B { vec4 a; } one[3];", "uniform B { vec4 a; } one[2];", H150),
    "arrays of arrays of blocks of other sizes": both(
        "uniform B { vec4 a; } one[2][3];", "uniform B { vec4 a; } one[2][2];", AOA),
}  # fmt: skip
#: shaders that must not compile
WRONG = {
    "a sampler": "uniform B { sampler2D s; };",
    "a struct with a sampler": "struct S { sampler2D s; }; uniform B { S s; };",
    "an initializer": "uniform B { vec4 a = vec4(1.0); };",
    "a varying": "uniform B { varying vec4 a; };",
    "a const": "uniform B { const vec4 a; };",
    "a struct of its own": "uniform B { struct S { vec4 x; } a; };",
    "no members": "uniform B { };",
    "a block within": "uniform B { uniform C { vec4 a; }; };",
    "a member twice": "uniform B { vec4 a; float a; };",
    "a member that is there": "uniform vec4 a; uniform B { vec4 a; };",
    "a block that is there": "uniform B { vec4 a; }; uniform B { vec4 b; };",
    "the name of a function": "void B() { } uniform B { vec4 a; };",
    "the name of a struct": "struct B { vec4 x; }; uniform B { vec4 a; };",
    "a varying block": "varying B { vec4 a; };",
    "an attribute block": "attribute B { vec4 a; };",
    "gl_": "uniform gl_B { vec4 a; };",
    "a member's packing": "uniform B { layout(std140) vec4 a; };",
    "packing of a uniform": "layout(std140) uniform vec4 a;",
    "rows of a uniform": "layout(row_major) uniform mat4 a;",
    "an unknown name": "layout(std150) uniform B { vec4 a; };",
    "a value": "layout(std140 = 1) uniform B { vec4 a; };",
    "binding is of later versions": "layout(binding = 1) uniform B { vec4 a; };",
    "an instance is of later versions": "uniform B { vec4 a; } one;",
    "defaults of a varying": "layout(std140) varying;",
    "the block's name used": "uniform B { vec4 a; }; vec4 f() { return B.a; }",
    "a member assigned": "uniform B { vec4 a; }; void f() { a = vec4(1.0); }",
    "a block in a function": "void f() { uniform B { vec4 a; }; }",
}
WRONG_150 = {
    "an index at run time": "uniform B { vec4 a; } one[2]; uniform int n; vec4 f() { return "
                            "one[n].a; }",
    "an index at run time of several": "uniform B { vec4 a; } one[2][2]; uniform int n; vec4 f() "
                                       "{ return one[n][0].a; }",
    "an index beyond": "uniform B { vec4 a; } one[2]; vec4 f() { return one[2].a; }",
    "no such member": "uniform B { vec4 a; } one; vec4 f() { return one.b; }",
    "a member without the instance": "uniform B { vec4 a; } one; vec4 f() { return a; }",
    "an instance twice": "uniform B { vec4 a; } one; uniform C { vec4 a; } one;",
    "an array without a size": "uniform B { vec4 a; } one[];",
}  # fmt: skip
SCALARS = ("float", "int", "bool", "vec2", "vec3", "vec4", "ivec3", "bvec2", "mat2", "mat3", "mat4",
           "mat2x3", "mat2x4", "mat3x2", "mat3x4", "mat4x2", "mat4x3")  # fmt: skip


def random_block(seed: int) -> str:
    """A block of any members, in GLSL: structs in structs, arrays of them, rows and columns."""
    chance = random.Random(seed)
    structs: list[str] = []
    text = ""
    for n in range(chance.randrange(4)):
        members = (f"{_type(chance, structs)} m{k}{_size(chance)};" for k in range(
            chance.randrange(1, 4)))
        text += f"struct S{n} {{ {' '.join(members)} }}; "
        structs.append(f"S{n}")
    words = ("", "layout(row_major) ", "layout(column_major) ")
    members = (f"{chance.choice(words)}{_type(chance, structs)} m{n}{_size(chance)};"
               for n in range(chance.randrange(1, 7)))
    head = chance.choice(("layout(std140) ", "layout(std140, row_major) "))
    return f"{text}{head}uniform B {{ {' '.join(members)} }}; "


def _type(chance: random.Random, structs: list[str]) -> str:
    return chance.choice(structs) if structs and chance.random() < 0.4 else chance.choice(SCALARS)


def _size(chance: random.Random) -> str:
    return f"[{chance.randrange(1, 4)}]" if chance.random() < 0.3 else ""


RANDOM = [[v(random_block(seed) + V)] for seed in range(60)]


def compiled(stage: str, text: str) -> Any:
    """The tree, or None and what is said."""
    return compile_shader(text, stage, CONTEXT)


def linked(shaders: list[tuple[str, str]]) -> Linked:
    trees = [compiled(*shader) for shader in shaders]
    assert all(tree.shader is not None for tree in trees), [tree.log for tree in trees]
    return link([tree.shader for tree in trees], bounds=Bounds(blocks=LIMITS))


@pytest.fixture(scope="module")
def peers(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The peer's answers: PROGRAMS, the random ones, and each shader that is wrong."""
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    folder: pathlib.Path = tmp_path_factory.mktemp("blocks")
    asked, answered = folder / "programs.json", folder / "answers.json"
    wrong = [[f(text + F)] for text in WRONG.values()]
    wrong += [[f(text + F, H150)] for text in WRONG_150.values()]
    programs = [{"shaders": shaders} for shaders in (*PROGRAMS.values(), *RANDOM, *wrong)]
    asked.write_text(json.dumps(programs))
    program = pathlib.Path(__file__).with_name("link_peer.py")
    env = host.side("peer", EGL_PLATFORM="surfaceless")
    subprocess.run(
        [sys.executable, str(program), str(asked), str(answered)], env=env, check=True, timeout=60)
    found: list[Any] = json.loads(answered.read_text())
    return found


#: what of the layout that drivers may choose (`shared`) the peer chooses in another way: as std430
PLACES = {str(name) for name in (
    gl.GL_UNIFORM_BLOCK_DATA_SIZE, gl.GL_UNIFORM_OFFSET, gl.GL_UNIFORM_ARRAY_STRIDE,
    gl.GL_UNIFORM_MATRIX_STRIDE)}  # fmt: skip


def _compare(ours: Linked, theirs: Any, places: bool) -> None:
    assert ours.good == bool(theirs["good"]), f"{ours.log}\n{theirs['log']}"
    if not ours.good:
        return
    rows = ours.resources[UNIFORM_BLOCK]
    blocks = {
        row.name: {str(what): BLOCK_PROPERTIES[what](row) for what in BLOCK_PROPERTIES}
        for row in rows
    }
    assert blocks.keys() == theirs["blocks"].keys()
    for name, asked in theirs["blocks"].items():
        same = asked.keys() - (set() if places else PLACES)
        assert {what: blocks[name][what] for what in same} == {w: asked[w] for w in same}, name
    uniforms = {full_name(row): row for row in ours.uniforms}
    assert uniforms.keys() == theirs["members"].keys()
    names = list(theirs["blocks"])
    for name, asked in theirs["members"].items():
        row = uniforms[name]
        mine = {what: UNIFORM_PROPERTIES[int(what)](row) for what in asked}
        index = str(gl.GL_UNIFORM_BLOCK_INDEX)
        told = asked.pop(index)
        assert mine.pop(index) == (-1 if told < 0 else [r.name for r in rows].index(names[told]))
        same = asked.keys() - (set() if places or row.block < 0 else PLACES)
        assert {what: mine[what] for what in same} == {what: asked[what] for what in same}, name


@pytest.mark.needs("libegl1", "libgl1-mesa-dri")
@pytest.mark.parametrize("name", PROGRAMS)
def test_beside_the_peer(peers: list[Any], name: str) -> None:
    host.only_reference_peer()
    theirs = peers[list(PROGRAMS).index(name)]
    ours = linked(PROGRAMS[name])
    _compare(ours, theirs, all("std140" in text for _, text in PROGRAMS[name]))
    assert ours.log.rstrip() == theirs["log"].rstrip()


@pytest.mark.needs("libegl1", "libgl1-mesa-dri")
@pytest.mark.parametrize("seed", range(len(RANDOM)))
def test_random_blocks_beside_the_peer(peers: list[Any], seed: int) -> None:
    _compare(linked(RANDOM[seed]), peers[len(PROGRAMS) + seed], True)


@pytest.mark.needs("libegl1", "libgl1-mesa-dri")
@pytest.mark.parametrize("name", [*WRONG, *WRONG_150])
def test_what_is_wrong_beside_the_peer(peers: list[Any], name: str) -> None:
    number = [*WRONG, *WRONG_150].index(name)
    theirs = peers[len(PROGRAMS) + len(RANDOM) + number]
    text = f(WRONG[name] + F) if name in WRONG else f(WRONG_150[name] + F, H150)
    assert compiled(*text).shader is None
    assert not theirs["good"]


def test_structs_may_be_embedded_in_110() -> None:
    text = HEAD.replace("120", "110") + "uniform B { struct { vec2 p; float q; } s[2]; };"
    found = linked([("fragment", text + "void main() { gl_FragColor = vec4(s[1].q); }")])
    assert [row.name for row in found.uniforms] == ["s[0].p", "s[0].q", "s[1].p", "s[1].q"]


def test_void_is_no_member() -> None:
    """Of which the peer dies."""
    made = compiled(*f("uniform B { void a; };" + F))
    assert made.shader is None and "cannot be void" in made.log


def test_names() -> None:
    """An array has two names; so has an array of blocks, whose first element it is."""
    found = linked([v("uniform B { vec4 a; float b[2]; } one[3]; uniform vec4 c[2]; uniform int n; "
                      "void main() { gl_Position = one[2].a + c[n]; }", H150)])
    names = ["B.b", "B.b[0]", "B.b[1]", "one.b", "c", "c[0]", "B.a"]
    rows = {full_name(row): n for n, row in enumerate(found.uniforms)}
    none = gl.GL_INVALID_INDEX
    assert uniform_indices(found, names) == [
        rows["B.b[0]"], rows["B.b[0]"], none, none, rows["c[0]"], rows["c[0]"], rows["B.a"]]
    assert uniform_indices(None, names) == [none] * 7
    wanted = {"B": 0, "B[0]": 0, "B[2]": 2, "B[3]": none, "one": none, "C": none}
    assert {name: block_index(found, name) for name in wanted} == wanted


def test_arrays_of_arrays_of_blocks() -> None:
    """Each is a block (GLSL 4.30, 4.3.9); Mesa says of other elements than these that a stage reads
    them."""
    block = "uniform B { vec4 a; mat2 m; }"
    found = linked([
        v(f"{block} one[2][3]; void main() {{ gl_Position = one[1][2].a + one[0][1].a; }}", AOA),
        f(f"{block} two[2][3]; void main() {{ gl_FragColor = two[1][0].m[1].xyxy; }}", AOA),
    ])  # fmt: skip
    rows = [(row.name, row.stages) for row in found.resources[UNIFORM_BLOCK]]
    vertex, fragment = (1 << NUMBERS[name] for name in ("vertex", "fragment"))
    assert rows == [("B[0][0]", 0), ("B[0][1]", vertex), ("B[0][2]", 0), ("B[1][0]", fragment),
                    ("B[1][1]", 0), ("B[1][2]", vertex)]  # fmt: skip
    read = {}
    for name, stage in found.stages.items():
        shader = to_nir(stage.shader(), stage.layout)
        lower_glsl(shader)
        read[name] = {i.indices["block"] - FIRST_BLOCK for i in shader.main.instrs()
                      if isinstance(i, IntrinsicInstr) and i.name == "load_ubo"}
    assert read == {"vertex": {5, 1}, "fragment": {3}}


def test_rules() -> None:
    """OpenGL 4.6, 7.6.2.2: what std430 has tighter, and what the default block has looser."""
    three = types.array(types.FLOAT, 3)
    inner = types.struct("inner", (("a", types.FLOAT),))
    sizes = {rule.name: [extent(rule, t)[:2] for t in (
        types.FLOAT, types.VEC3, three, inner, types.MAT2, types.sampler("2D"))
    ] for rule in (VEC4, STD140, STD430)}  # fmt: skip
    assert sizes == {
        "vec4": [(16, 16), (16, 16), (16, 48), (16, 16), (16, 32), (16, 16)],
        "std140": [(4, 4), (16, 12), (16, 48), (16, 16), (16, 32), (1, 0)],
        "std430": [(4, 4), (16, 12), (4, 12), (4, 4), (8, 16), (1, 0)],
    }
    assert path(STD140, types.array(types.matrix(3, 2), 2), (), True) == (0, (32, 4), 16)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_read(seed: int) -> None:
    """Each number of a block is found where the linker says, at known places and by an index."""
    chance = random.Random(seed)
    block = random_block(seed)
    tree = compiled(*f(block + F)).shader
    member = chance.choice(tree.blocks[0].members)
    rows = [*leaves(STD140, "", member.type, 0, member.by_rows)]
    leaf = chance.choice(rows)
    inner = leaf.type.element(0) if isinstance(leaf.type, types.ArrayType) else leaf.type
    name = f"{member.name}{leaf.name}" + ("[n]" if inner is not leaf.type else "")
    column, row = chance.randrange(inner.columns), chance.randrange(inner.rows)
    part = "" if inner.components == 1 else f"[n * 0 + {row}]" if inner.columns == 1 else (
        f"[{column}][n * 0 + {row}]")  # fmt: skip
    body = f"uniform int n; void main() {{ gl_FragColor = vec4({name}{part}); }}"
    found = linked([f(block + body)])
    place = next(u for u in found.uniforms if u.name == f"{member.name}{leaf.name}")
    last = leaf.type.length - 1 if inner is not leaf.type else 0
    if place.by_rows:
        at = row * place.matrix_stride + 4 * column
    else:
        at = column * place.matrix_stride + 4 * row
    data = np.zeros(found.resources[UNIFORM_BLOCK][0].bytes // 4, np.uint32)
    word = {"float": np.float32(7).view(np.uint32), "bool": 1}.get(inner.kind, 7)
    data[(place.offset + last * place.array_stride + at) // 4] = word
    stage = found.stages["fragment"]
    for steps in ((), (lower_glsl,), (lower_glsl, lower_for_backend)):
        shader = to_nir(stage.shader(), stage.layout)
        for step in steps:
            step(shader)
        own = np.zeros(64, np.uint32)
        own[:] = last
        out = interp.run(shader, 1, ubos={1: own.tobytes(), FIRST_BLOCK: data.tobytes()})
        wanted = 1 if inner.kind == "bool" else 7
        assert out.output(FRAG_RESULT_COLOR)[0, 0] == wanted, (name, part)
