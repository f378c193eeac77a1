# SPDX-License-Identifier: MIT
"""The type checker: the tree that comes out, and where and why sources are refused.

That these sources are refused, each line of them, is the peer's decision (Mesa 22.3); piglit's
parser tests, which test_piglit_shaders.py runs, judge the rules one by one.
"""

import pytest

from pydri.glsl.compiler import Compiled, compile_shader
from pydri.glsl.printer import print_shader
from tests.unit.glsl.shaders import CONTEXT


def run(text: str, stage: str = "vertex") -> Compiled:
    return compile_shader(text, stage, CONTEXT)


SOURCE = """#version 120
struct L { vec3 dir; float k[2]; };
uniform L lights[2]; uniform int n = 2; attribute vec4 p; invariant varying vec4 c;
const float PI = acos(-1.0); const float tab[] = float[](1, 2, PI / 2.0);
float sum(in L l, out int m, inout vec2 v) { m = 1; v += 1; return l.k[m] * tab[2]; }
void main() {
    int m; vec2 v = p.yx; float s = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3) continue; else if (bool(i)) { s += sum(lights[i], m, v); } else break;
    }
    do { s--; } while (s > 1);
    while (bool b = s < 2.) { s *= 2; }
    gl_Position = gl_ModelViewProjectionMatrix * p + vec4(v, mat2(3)[1]) * ivec2(2).x;
    gl_TexCoord[1].st = v; c = s > 0.0 ? vec4(s) : mix(p, c, 0.5 + 0.25);
}
"""
TREE = """vertex 120
uniform L[2] lights
uniform int n = int{2}
shader_in vec4 p
invariant shader_out vec4 c
const float PI = float{3.14159}
const float[3] tab = float[3]{1, 2, 1.5708}
shader_out vec4 gl_Position
uniform mat4 gl_ModelViewProjectionMatrix
shader_out vec4[2] gl_TexCoord
float sum(in L l, out int m, inout vec2 v)
    (= m int{1})
    (+= v float{1})
    return (*:float l.k[m] float{1.5708})
void main()
    local int m
    local vec2 v = p.yx
    local float s = float{0}
    local int i = int{0}
    loop
        while (<:bool i n)
        if (==:bool i int{3})
            continue
        else if (make:bool (to:bool i))
            (+= s (sum:float lights[i] m v))
        else
            break
        step (post+1 i)
    loop
        (post-1 s)
        while (>:bool s float{1})
    loop
        local bool b = (<:bool s float{2})
        while b
        (*= s float{2})
    (= gl_Position (+:vec4 (*:vec4 gl_ModelViewProjectionMatrix p) \
(*:vec4 (make:vec4 v vec2{0, 3}) float{2})))
    (= gl_TexCoord[int{1}].xy v)
    (= c (?:vec4 (>:bool s float{0}) (make:vec4 s) (@mix:vec4 p c float{0.75})))
"""


def test_the_tree() -> None:
    shader = run(SOURCE).shader
    assert shader is not None
    assert print_shader(shader) == TREE


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1.0 + 2.0 * 3.0", "float{7}"),
        ("7 / -2", "int{-3}"),
        ("2147483647 + 1", "int{-2147483648}"),
        ("1.0 / 3.0 == 0.3333333432674408", "bool{true}"),
        ("vec2(1, 2).yxy", "vec3{2, 1, 2}"),
        ("mat2(1, 2, 3, 4) * vec2(1, 10)", "vec2{31, 42}"),
        ("vec2(1, 10) * mat2(1, 2, 3, 4)", "vec2{21, 43}"),
        ("mat2x3(1, 2, 3, 4, 5, 6)[1]", "vec3{4, 5, 6}"),
        ("mat3(mat2(1, 2, 3, 4))", "mat3{1, 2, 0, 3, 4, 0, 0, 0, 1}"),
        ("transpose(mat2x3(1, 2, 3, 4, 5, 6))", "mat3x2{1, 4, 2, 5, 3, 6}"),
        ("outerProduct(vec2(1, 2), vec3(3, 4, 5))", "mat3x2{3, 6, 4, 8, 5, 10}"),
        ("float[2](3, 4)[1]", "float{4}"),
        ("float[](3, 4, 5).length()", "int{3}"),
        ("int(-1.9) + int(true)", "int{0}"),
        ("bool(0.5) ^^ !false", "bool{false}"),
        ("all(lessThan(vec2(1, 2), vec2(2, 3)))", "bool{true}"),
        ("true ? 1 : 2.5", "float{1}"),
        ("clamp(5.0, 0.0, 1.0) + length(vec2(3, 4))", "float{6}"),
        ("cross(vec3(1, 0, 0), vec3(0, 1, 0))", "vec3{0, 0, 1}"),
        ("1.0 / 0.0 > 1e38", "bool{true}"),
    ],
)
def test_constants_fold(expression: str, value: str) -> None:
    type_ = value.partition("{")[0]
    shader = run(f"#version 120\nconst {type_} c = {expression}; void main() {{}}").shader
    assert shader is not None
    assert print_shader(shader).splitlines()[1] == f"const {type_} c = {value}"


#: each line is wrong, and nothing else in it
WRONG = """
int a = nonexist;
float f = true;
mat2 m = mat2(1,2,3);
vec3 v = vec3(1,2);
vec3 v2; v2.xyzx.xq;
vec3 v3; v3.xg;
vec3 v4; v4[3];
vec2 v5; v5.xx = vec2(1);
1 + true;
mat2(1) * vec3(1);
vec2(1) * vec3(1);
mat2(1) + mat3(1);
!1;
-true;
true && 1;
vec2(1) < vec2(2);
vec2(1) == vec3(1);
1 ? 2 : 3;
true ? 1 : vec2(1);
5 = 3;
int i; (i + 1) = 2;
int j; j++ ++;
int k; k += 1.0;
1 % 2;
1 & 2;
while (1) {}
if (vec2(1).x) {}
sin(vec2(1), 1.0);
nothing(1);
pow(1, true);
const int c1;
const int c2 = int(gl_Vertex.x);
float x1[0];
float x2[1.0];
float x3[int(gl_Vertex.x)];
float x4; float x4;
gl_Vertex = vec4(1);
gl_MaxLights = 3;
gl_FragColor = vec4(1);
float gl_x;
gl_LightSource[0].nothing;
gl_TexCoord[8];
uniform float u;
varying float w;
sampler2D s;
break;
continue;
discard;
return 1;
1.0.length();
float y1[2] = float[3](1, 2, 3);
float y2[3]; float y3[2]; y2 == y3;
dFdx(1.0);
struct S { int a; int a; };
struct T { int a; }; T t = T(1, 2);
struct U { int a; }; U u1; u1.b;
struct V { int a; }; V v6; v6 + v6;
void q;
vec4 z = texture2D(gl_Vertex, vec2(0));
int z2 = 1, z3 = z4;
""".strip().splitlines()


@pytest.mark.parametrize("line", WRONG)
def test_wrong_statements(line: str) -> None:
    compiled = run(f"#version 120\nvoid main() {{\n{line}\n}}")
    assert compiled.shader is None
    assert [message.partition("(")[0] for message in compiled.log.splitlines()
            if " error: " in message and "   " not in message] == ["0:3"], compiled.log  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("float f() { return f(); } void main() {}", "0:1(7): error: function `float f()' has st"),
        ("void a(); void b() { a(); } void a() { b(); } void main() {}", "static recursion"),
        ("int f() {} void main() {}", "but no return statement"),
        ("void f() {} void f() {} void main() {}", "function `f' redefined"),
        ("float f(int a); int f(int b); void main() {}", "return type doesn't match prototype"),
        ("int main() { return 1; }", "main() must return void"),
        ("void f(out float a) {} void main() { f(1.0); }", "is not an lvalue"),
        ("void f(sampler2D s) { s = s; } void main() {}", "cannot be assigned"),
        ("#version 120\nvoid main() { gl_Position; } invariant gl_Position;", "after being used"),
        ("varying vec4 gl_TexCoord[1]; varying vec4 gl_TexCoord[1]; void main() {}", "redeclared"),
        ("attribute bool a; void main() {}", "cannot have type `bool'"),
        ("varying int a; void main() {}", "base type float in GLSL 1.10"),
        ("centroid varying vec4 a; void main() {}", "syntax error"),
        ("void main() { float a[2]; float b[2]; a = b; }", "whole array assignment forbidden"),
        ("uniform float a = 1.0; void main() {}", "forbidden in GLSL 1.10 (GLSL 1.20 required)"),
        ("void main() { int a = 1.0; } int b = 1.0;", "0:1(30): error: initializer of type float"),
    ],
)
def test_wrong_shaders(text: str, message: str) -> None:
    compiled = run(text)
    assert compiled.shader is None
    assert message in compiled.log


def test_extensions_bring_features() -> None:
    body = "uniform sampler2DRect s; void main() { gl_FragColor = texture2DRect(s, vec2(1)); }"
    assert run(body, "fragment").shader is not None
    off = run("#extension GL_ARB_texture_rectangle : disable\n" + body, "fragment")
    assert "illegal use of reserved word `sampler2DRect'" in off.log
    body = "void main() { gl_FragColor = texture2DLod(s, vec2(1), 1.0); }"
    body = "uniform sampler2D s;\n" + body
    assert "no function with name 'texture2DLod'" in run(body, "fragment").log
    assert run("#extension GL_ARB_shader_texture_lod : enable\n" + body, "fragment").shader


def test_pragma_makes_outputs_invariant() -> None:
    text = "#version 120\n#pragma STDGL invariant(all)\nvarying vec4 v; vec4 g;" \
        "void main() { gl_Position = v = g; }"
    compiled = run(text)
    assert compiled.shader is not None
    marked = {var.name for var in compiled.shader.globals if var.invariant}
    assert marked == {"v"}


_TWO = "vec4[](vec4(0.0), vec4(1.0))"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"vec4 a[][] = vec4[][]({_TWO}, {_TWO}, {_TWO}); int n = a.length() + a[0].length();", ""),
        (f"vec4 a[2][2]; a[1] = {_TWO}; bool b = a == vec4[2][2]({_TWO}, a[1]);", ""),
        (f"vec4 a[3][] = vec4[][]({_TWO}, {_TWO});", "cannot be assigned to variable"),
        (f"vec4 a[2][] = vec4[][]({_TWO}, vec4[](vec4(0.0)));", "expected: vec4[2], found vec4[1]"),
        ("vec4 a[2][];", "only the outermost array dimension can be unsized"),
        ("vec4[] a[2];", "only the outermost array dimension can be unsized"),
        ("struct S { vec4 a[1][]; }; S s;", "only the outermost array dimension can be unsized"),
        ("vec4 a[][]; a[1][1] = vec4(0.0);", "only the outermost array dimension can be unsized"),
    ],
)
def test_arrays_of_arrays(body: str, message: str) -> None:
    """As the peer takes them, and refuses; without the extension none."""
    text = f"void main() {{ {body} gl_Position = vec4(0.0); }}"
    compiled = run(f"#version 120\n#extension GL_ARB_arrays_of_arrays : enable\n{text}")
    assert (compiled.shader is not None) == (not message) and message in compiled.log
    assert "array of arrays" in run("#version 120\n" + text).log
