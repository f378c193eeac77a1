# SPDX-License-Identifier: MIT
"""Random GLSL programs, always ending and deterministic in the seed.

Out: the text of a fragment shader of 1.20 that reads the varyings `a` and `b` and some uniforms and
writes gl_FragColor. All control flow there is: nested loops with break and continue, early returns
of functions with in, out and inout parameters, arrays and matrices indexed at run time, structs,
effects inside of conditions. Numbers stay small whole numbers, mostly, so that results are exact.
"""

from __future__ import annotations

from random import Random

HEAD = """#version 120
varying vec4 a, b;
uniform int n;
uniform float table[5];
uniform mat3 m3;
struct S { float f; vec3 v[2]; ivec2 i; };
"""
VECTORS = {1: "float", 2: "vec2", 3: "vec3", 4: "vec4"}


class Programs:
    """One program being made."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = 0
        self.functions: list[tuple[str, str]] = []  # (name, result)
        self.scopes: list[dict[str, str]] = []
        self.loops = 0
        self.constants: set[str] = set()

    def program(self) -> str:
        text = HEAD + "float g0 = 1.0; vec4 g1; float ga[4]; S gs;\n"
        self.scopes = [{"g0": "float", "g1": "vec4", "ga": "float[4]", "gs": "S"}]
        for _ in range(self.random.randint(1, 4)):
            text += self.function()
        self.scopes.append({})
        body = self.statements(7, 3)
        self.scopes.pop()
        tail = "gl_FragColor += g1 + vec4(g0 + gs.f, ga[n], gs.v[1].xy) + vec4(gs.i, 0.0, 0.0);"
        return f"{text}void main() {{ gl_FragColor = a;\n{body}{tail} }}\n"

    def function(self) -> str:
        name = self.new("f")
        result = self.pick(("float", "vec3", "void", "S"))
        self.scopes.append({"p": "float", "q": "vec3", "r": "float[4]"})
        self.result = result
        body = self.statements(4, 2)
        value = "" if result == "void" else f"return {self.value(result, 2)};"
        self.scopes.pop()
        self.result = ""
        self.functions.append((name, result))
        mode = self.pick(("in", "in", "inout"))
        array = self.pick(("in", "inout", "out"))
        self.modes[name] = (mode, array)
        return f"{result} {name}(float p, {mode} vec3 q, {array} float r[4]) {{\n{body}{value} }}\n"

    result = ""
    modes: dict[str, tuple[str, str]] = {}

    # ---- names
    def pick(self, choices):  # type: ignore[no-untyped-def]
        return self.random.choice(choices)

    def new(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def known(self, type_: str, writable: bool = False) -> list[str]:
        found = [n for scope in self.scopes for n, t in scope.items() if t == type_]
        return [n for n in found if not (writable and n in self.constants)]

    # ---- statements
    def statements(self, count: int, depth: int) -> str:
        self.scopes.append({})
        text = "".join(self.statement(depth) for _ in range(self.random.randint(1, count)))
        self.scopes.pop()
        return text

    def statement(self, depth: int) -> str:
        kinds = ["assign"] * 5 + ["declare"] * 3 + ["call", "step"]
        if depth:
            kinds += ["if", "if", "chain", "for", "for", "while", "do", "block"]
        if self.loops:
            kinds += ["jump", "jump"]
        kinds += ["leave"]
        return getattr(self, f"_{self.pick(kinds)}")(depth) + "\n"

    def _assign(self, depth: int) -> str:
        target, type_ = self.target()
        if type_ in ("float[4]", "S", "mat3"):
            return f"{target} = {self.value(type_, 2)};"
        op = self.pick(("=", "=", "=", "+=", "-=")) if type_ != "bool" else "="
        return f"{target} {op} {self.value(type_, 2)};"

    def _declare(self, depth: int) -> str:
        type_ = self.pick(("float", "int", "vec2", "vec3", "vec4", "bool", "float[4]", "S", "mat3"))
        name = self.new("v")
        begin = f" = {self.value(type_, 2)}" if self.chance(0.8) else ""
        self.scopes[-1][name] = type_
        if type_ == "float[4]":
            return f"float {name}[4]{begin};"
        return f"{type_} {name}{begin};"

    def _call(self, depth: int) -> str:
        if not self.functions:
            return ";"
        name, _ = self.pick(self.functions)
        return f"{self.call(name)};"

    def _step(self, depth: int) -> str:
        target, type_ = self.target()
        if type_ in ("bool", "float[4]", "S", "mat3"):
            return ";"
        return self.pick((f"{target}++;", f"--{target};"))

    def _block(self, depth: int) -> str:
        return "{ " + self.statements(3, depth - 1) + "}"

    def _if(self, depth: int) -> str:
        other = " else { " + self.statements(3, depth - 1) + "}" if self.chance(0.5) else ""
        return f"if ({self.condition(2)}) {{ {self.statements(3, depth - 1)}}}{other}"

    def _chain(self, depth: int) -> str:
        arms = [f"if ({self.condition(1)}) {{ {self.statements(2, depth - 1)}}}"
                for _ in range(self.random.choice((2, 3, 15)) if depth > 1 else 2)]
        return " else ".join(arms)

    def _for(self, depth: int) -> str:
        name = self.new("i")
        end = self.pick(("4", "n + 1", "int(b.x)", "int(b.y) + n"))
        self.scopes.append({name: "int"})
        self.constants.add(name)
        self.loops += 1
        body = self.statements(4, depth - 1)
        self.loops -= 1
        self.scopes.pop()
        test = f"{name} < {end}" if self.chance(0.8) else ""
        stop = "" if test else f"if ({name} >= {end}) break; "
        return f"for (int {name} = 0; {test}; {name}++) {{ {stop}{body}}}"

    def _while(self, depth: int) -> str:
        name = self.new("w")
        self.scopes[-1][name] = "int"
        self.constants.add(name)
        self.loops += 1
        body = self.statements(3, depth - 1)
        self.loops -= 1
        effect = self.pick(("", f" && {self.condition(1)}"))
        return f"int {name} = int(b.z); while ({name}-- > 0{effect}) {{ {body}}}"

    def _do(self, depth: int) -> str:
        name = self.new("w")
        self.scopes[-1][name] = "int"
        self.constants.add(name)
        self.loops += 1
        body = self.statements(3, depth - 1)
        self.loops -= 1
        return f"int {name} = 0; do {{ {body}}} while (++{name} < int(b.w));"

    def _jump(self, depth: int) -> str:
        return f"if ({self.condition(1)}) {self.pick(('break', 'continue'))};"

    def _leave(self, depth: int) -> str:
        if not self.result or self.chance(0.3):
            return f"if ({self.condition(1)}) {{ g0 += 1.0; }}"
        value = "" if self.result == "void" else f" {self.value(self.result, 1)}"
        return f"if ({self.condition(2)}) return{value};"

    # ---- values
    def index(self, length: int) -> str:
        """A number at run time, now and then outside."""
        name = self.pick(self.known("int") or ["n"])
        return self.pick((str(self.random.randrange(length)), "n", "int(b.x)", name, f"{name} - 1"))

    def target(self) -> tuple[str, str]:
        places: list[tuple[str, str]] = [("gl_FragColor", "vec4")]
        for scope in self.scopes:
            for name, type_ in scope.items():
                if name in self.constants:
                    continue
                places.append((name, type_))
                if type_ == "float[4]":
                    places += [(f"{name}[{self.index(4)}]", "float")] * 2
                elif type_ == "S":
                    places += [(f"{name}.f", "float"), (f"{name}.v[{self.index(2)}]", "vec3"),
                               (f"{name}.v[{self.index(2)}].{self.pick(('yx', 'zx'))}", "vec2"),
                               (f"{name}.i[{self.index(2)}]", "int")]
                elif type_ == "mat3":
                    places += [(f"{name}[{self.index(3)}]", "vec3"),
                               (f"{name}[{self.index(3)}][{self.index(3)}]", "float")]
                elif type_ in ("vec3", "vec4"):
                    places += [(f"{name}.{self.pick(('zx', 'xy', 'yz'))}", "vec2"),
                               (f"{name}[{self.index(int(type_[3]))}]", "float")]
        return self.pick(places)

    def condition(self, depth: int) -> str:
        kind = self.random.randrange(7 if depth else 3)
        if kind == 0:
            return f"{self.value('float', 1)} < {self.value('float', 1)}"
        if kind == 1:
            return f"{self.value('int', 1)} == {self.value('int', 1)}"
        if kind == 2:
            return f"b.{self.pick('xyzw')} > {self.random.randrange(4)}.0"
        if kind == 3:
            return f"({self.condition(depth - 1)} && {self.condition(depth - 1)})"
        if kind == 4:
            return f"({self.condition(depth - 1)} || {self.condition(depth - 1)})"
        if kind == 5:
            return f"(g0 += 1.0) > {self.value('float', 1)}"
        return f"!({self.value('vec3', 1)} == {self.value('vec3', 1)})"

    def call(self, name: str) -> str:
        mode, array = self.modes[name]
        vectors = self.known("vec3", True) + ["g1.zyx", "gs.v[n - 1]"]
        arrays = self.known("float[4]", True)
        second = self.pick(vectors) if mode == "inout" else self.value("vec3", 1)
        third = self.pick(arrays) if array != "in" else self.value("float[4]", 1)
        return f"{name}({self.value('float', 1)}, {second}, {third})"

    def value(self, type_: str, depth: int) -> str:
        """An expression of a type."""
        names = self.known(type_)
        calls = [n for n, r in self.functions if r == type_]
        if depth and calls and self.chance(0.2):
            return self.call(self.pick(calls))
        if depth and self.chance(0.15) and type_ not in ("bool",):
            parts = self.condition(depth - 1), self.value(type_, depth - 1)
            return f"({parts[0]} ? {parts[1]} : {self.value(type_, depth - 1)})"
        if names and self.chance(0.4):
            return self.pick(names)
        return getattr(self, f"_of_{type_.split('[')[0] + '4' * ('[' in type_)}")(depth)

    def _of_bool(self, depth: int) -> str:
        return f"({self.condition(depth)})"

    def _of_int(self, depth: int) -> str:
        if not depth:
            return self.pick(("n", "1", "3", "int(b.y)"))
        two = self.value("int", depth - 1), self.value("int", depth - 1)
        return self.pick((f"({two[0]} + {two[1]})", f"({two[0]} - {two[1]})", "gs.i.x",
                          f"int({self.value('float', depth - 1)})", f"({two[0]} / 2)"))

    def _of_float(self, depth: int) -> str:
        if not depth:
            return self.pick((f"{self.random.randrange(4)}.0", "a.x", "a.y", "b.w", "g0"))
        two = self.value("float", depth - 1), self.value("float", depth - 1)
        array = self.pick(self.known("float[4]") + ["table"])
        vector = self.value("vec3", depth - 1)
        return self.pick((
            f"({two[0]} + {two[1]})", f"({two[0]} - {two[1]})", f"min({two[0]}, {two[1]})",
            f"{array}[{self.index(4)}]", f"m3[{self.index(3)}][{self.index(3)}]",
            f"({vector})[{self.index(3)}]", f"({vector}).y",
            f"float({self.value('int', depth - 1)})", "gs.f", f"floor({two[0]} * 0.5)",
            f"dot({vector}, vec3(1.0, 0.0, 1.0))"))

    def _of_vec2(self, depth: int) -> str:
        if not depth:
            return self.pick(("a.xy", "b.zx", "vec2(1.0, 2.0)"))
        return self.pick((f"{self.value('vec3', depth - 1)}.zx", f"vec2({self.value('int', 1)})",
                          f"({self.value('vec2', depth - 1)} + {self.value('vec2', depth - 1)})"))

    def _of_vec3(self, depth: int) -> str:
        if not depth:
            return self.pick(("a.xyz", "b.zyx", "vec3(1.0)", "gs.v[0]"))
        below = depth - 1
        return self.pick((f"({self.value('vec3', below)} - {self.value('vec3', below)})",
                          f"vec3({self.value('vec2', below)}, {self.value('float', below)})",
                          f"m3[{self.index(3)}]", f"gs.v[{self.index(2)}]",
                          f"max({self.value('vec3', depth - 1)}, 0.0)"))

    def _of_vec4(self, depth: int) -> str:
        if not depth:
            return self.pick(("a", "b", "gl_FragColor", "g1"))
        below = depth - 1
        return self.pick((f"vec4({self.value('vec3', below)}, {self.value('float', below)})",
                          f"vec4({self.value('vec2', depth - 1)}, 1.0, 2.0)",
                          f"({self.value('vec4', depth - 1)} + b)"))

    def _of_float4(self, depth: int) -> str:
        if self.chance(0.5) or not depth:
            return self.pick(self.known("float[4]"))
        return f"float[4]({', '.join(self.value('float', depth - 1) for _ in range(4))})"

    def _of_S(self, depth: int) -> str:
        if not depth:
            return "gs"
        return (f"S({self.value('float', depth - 1)}, vec3[2]({self.value('vec3', depth - 1)}, "
                f"{self.value('vec3', depth - 1)}), ivec2(n, {self.value('int', depth - 1)}))")

    def _of_mat3(self, depth: int) -> str:
        if not depth:
            return "m3"
        return self.pick((f"(m3 + {self.value('mat3', depth - 1)})",
                          f"mat3({self.random.randrange(3)}.0)",
                          f"mat3(a.xyz, b.xyz, {self.value('vec3', depth - 1)})"))


def generate(seed: int) -> str:
    """The program of a seed."""
    made = Programs(seed)
    made.modes = {}
    return made.program()
