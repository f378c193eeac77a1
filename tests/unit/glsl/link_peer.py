# SPDX-License-Identifier: MIT
"""A program: link programs with the peer, without a window system.

`python link_peer.py PROGRAMS.json ANSWERS.json`: a list of {shaders: [[stage, text]], bindings:
{name: location}} in, a list of {good, log, uniforms: [[name, type, size, location]], attributes,
members: {name: {PROPERTIES: value}}, blocks: {name: {BLOCK_PROPERTIES: value}}} out. As peer.py, it
needs a process of its own.
"""

import ctypes
import json
import sys

from peer import KINDS, context

LINK_STATUS, UNIFORMS, ATTRIBUTES, BLOCKS = 0x8B82, 0x8B86, 0x8B89, 0x8A36
#: type, size, name's length, block's index, offset, strides of arrays and matrices, by rows?
PROPERTIES = tuple(range(0x8A37, 0x8A3F))
#: size, name's length, uniforms, of the vertex shader?, of the fragment shader?
BLOCK_PROPERTIES = (0x8A40, 0x8A41, 0x8A42, 0x8A44, 0x8A46)
uint, pointer, number = ctypes.c_uint, ctypes.c_void_p, ctypes.c_int


class Peer:
    """The functions of a context by name."""

    def __init__(self) -> None:
        self.egl = context()

    def __call__(self, name: str, result: object, *args: object) -> object:
        types = [pointer if isinstance(a, (ctypes.Array, ctypes._Pointer)) or a is None or
                 hasattr(a, "_obj") else ctypes.c_char_p if isinstance(a, bytes) else uint
                 for a in args]  # fmt: skip
        address = self.egl.eglGetProcAddress(name.encode())
        return ctypes.CFUNCTYPE(result, *types)(address)(*args)  # type: ignore[arg-type]

    def link(self, given: dict[str, object]) -> dict[str, object]:
        program = self("glCreateProgram", uint)
        for stage, text in given["shaders"]:  # type: ignore[attr-defined]
            shader = self("glCreateShader", uint, KINDS[stage])
            texts = (ctypes.c_char_p * 1)(text.encode("latin-1"))
            self("glShaderSource", None, shader, 1, texts, None)
            self("glCompileShader", None, shader)
            self("glAttachShader", None, program, shader)
        for name, at in given.get("bindings", {}).items():  # type: ignore[attr-defined]
            self("glBindAttribLocation", None, program, at, name.encode())
        self("glLinkProgram", None, program)
        log = ctypes.create_string_buffer(8000)
        self("glGetProgramInfoLog", None, program, len(log), None, log)
        return {
            "good": self.number(program, LINK_STATUS), "log": log.value.decode("latin-1"),
            "uniforms": self.rows(program, UNIFORMS, "Uniform"),
            "attributes": self.rows(program, ATTRIBUTES, "Attrib"),
            "members": self.members(program), "blocks": self.blocks(program),
        }  # fmt: skip

    def number(self, program: object, what: int) -> int:
        out = (number * 1)()
        self("glGetProgramiv", None, program, what, out)
        return out[0]

    def members(self, program: object) -> dict[str, dict[int, int]]:
        """Of each uniform: PROPERTIES."""
        names = [str(row[0]) for row in self.rows(program, UNIFORMS, "Uniform")]
        found: dict[str, dict[int, int]] = {name: {} for name in names}
        indices, out = (uint * len(names))(*range(len(names))), (number * len(names))()
        for what in PROPERTIES if names else ():
            self("glGetActiveUniformsiv", None, program, len(names), indices, what, out)
            for name, value in zip(names, out, strict=True):
                found[name][what] = value
        return found

    def blocks(self, program: object) -> dict[str, dict[int, int]]:
        """Of each block: BLOCK_PROPERTIES."""
        found: dict[str, dict[int, int]] = {}
        for n in range(self.number(program, BLOCKS)):
            name, out = ctypes.create_string_buffer(300), (number * 1)()
            self("glGetActiveUniformBlockName", None, program, n, 300, None, name)
            row = found[name.value.decode()] = {}
            for what in BLOCK_PROPERTIES:
                self("glGetActiveUniformBlockiv", None, program, n, what, out)
                row[what] = out[0]
        return found

    def rows(self, program: object, what: int, kind: str) -> list[list[object]]:
        found: list[list[object]] = []
        for n in range(self.number(program, what)):
            name, size, type_ = ctypes.create_string_buffer(300), (number * 1)(), (uint * 1)()
            self(f"glGetActive{kind}", None, program, n, 300, None, size, type_, name)
            at = self(f"glGet{kind}Location", number, program, name.value)
            found.append([name.value.decode(), type_[0], size[0], at])
        return found


if __name__ == "__main__":
    peer = Peer()
    with open(sys.argv[1]) as file:
        answers = [peer.link(program) for program in json.load(file)]
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)
