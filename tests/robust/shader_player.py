# SPDX-License-Identifier: MIT
"""A program that draws with GLSL programs: `shader_player.py PROGRAMS.json ANSWERS.json`.

In: a list of [vertex text, fragment text]. Out: for each whether it was linked, the log, its active
variables, the pixels it drew (the bits of floats, 16x16, as text) and the seconds; the answers so
far are there whenever the driver ends the process. A program whose colours are known is drawn after
every 25th: whatever was drawn before, the driver is usable. It has no window: EGL, and a texture of
floats to draw to.
"""

import base64
import ctypes
import json
import struct
import sys
import time

from tests.robust.headless import Headless

SIZE, EVERY = 16, 25
FLOAT, RGBA, RGBA32F, UBYTE = 0x1406, 0x1908, 0x8814, 0x1401
TEXTURE, FRAMEBUFFER, COLOR0 = 0x0DE1, 0x8D40, 0x8CE0
TARGETS = {0x0DE0: 1, TEXTURE: 2, 0x806F: 3, 0x8513: 6}  # of textures: dimensions, or faces
VERTEX, FRAGMENT, COMPILED, LINKED = 0x8B31, 0x8B30, 0x8B81, 0x8B82
UNIFORMS, ATTRIBUTES = 0x8B86, 0x8B89  # how many are active
BLOCKS, BLOCK_BYTES, UNIFORM_BUFFER = 0x8A36, 0x8A40, 0x8A11
#: of a member: its block, its place, from element to element, from column to column, by rows
PLACES = (0x8A3A, 0x8A3B, 0x8A3C, 0x8A3D, 0x8A3E)
#: columns and rows of matrices
MATRICES = {
    0x8B5A: (2, 2), 0x8B5B: (3, 3), 0x8B5C: (4, 4), 0x8B65: (2, 3), 0x8B66: (2, 4), 0x8B67: (3, 2),
    0x8B68: (3, 4), 0x8B69: (4, 2), 0x8B6A: (4, 3),
}  # fmt: skip
#: numbers of a uniform's type: (letters of its function, numbers)
KINDS = {
    FLOAT: ("1fv", 1), 0x8B50: ("2fv", 2), 0x8B51: ("3fv", 3), 0x8B52: ("4fv", 4),
    0x1404: ("1iv", 1), 0x8B53: ("2iv", 2), 0x8B54: ("3iv", 3), 0x8B55: ("4iv", 4),
    0x8B56: ("1iv", 1), 0x8B57: ("2iv", 2), 0x8B58: ("3iv", 3), 0x8B59: ("4iv", 4),
    0x8B5A: ("Matrix2fv", 4), 0x8B5B: ("Matrix3fv", 9), 0x8B5C: ("Matrix4fv", 16),
}  # fmt: skip
KNOWN = (
    "void main() { gl_Position = gl_Vertex; gl_FrontColor = vec4(0.25, 0.5, 0.75, 1.0); }",
    "void main() { gl_FragColor = gl_Color; }",
)
#: Corners of a triangle that covers all, and of a smaller one; then two attributes of theirs. w is
#: 1 and sizes are powers of two: what varies is exact at all pixels, in whatever way it is found.
VERTICES = (
    (-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1), (-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1),
)  # fmt: skip
FIRST = ((0, 1, 2, 3), (1, 4, 0, 2), (3, 0, 1, 1), (2, 2, 0, 1), (1, 0, 3, 0), (0, 1, 1, 4))
SECOND = ((0, 1, 2, 3), (4, 1, 2, 3), (0, 3, 4, 1), (1, 1, 1, 1), (2, 3, 0, 4), (4, 0, 2, 1))


class Player(Headless):
    """A context, and a picture of floats to draw to."""

    def __init__(self) -> None:
        super().__init__()
        self.buffers: list[int] = []
        self._textures()
        name = (ctypes.c_uint * 2)()
        self("GenTextures", 1, name)
        self("BindTexture", TEXTURE, name[0])
        self("TexImage2D", TEXTURE, 0, RGBA32F, SIZE, SIZE, 0, RGBA, FLOAT, None)
        self("GenFramebuffers", 1, name)
        self("BindFramebuffer", FRAMEBUFFER, name[0])
        self("FramebufferTexture2D", FRAMEBUFFER, COLOR0, TEXTURE, 1 + len(TARGETS), 0)
        self("BindTexture", TEXTURE, 2)
        self("Viewport", 0, 0, SIZE, SIZE)
        assert self("CheckFramebufferStatus", FRAMEBUFFER) == 0x8CD5

    def _textures(self) -> None:
        """One of each target, on unit 0."""
        texels = (ctypes.c_ubyte * 256)(*(37 * n % 256 for n in range(256)))
        names = (ctypes.c_uint * len(TARGETS))()
        self("GenTextures", len(TARGETS), names)
        for name, (target, parts) in zip(names, TARGETS.items(), strict=True):
            self("BindTexture", target, name)
            self("TexParameteri", target, 0x2801, 0x2600)
            if parts == 1:
                self("TexImage1D", target, 0, RGBA, 4, 0, RGBA, UBYTE, texels)
            elif parts == 3:
                self("TexImage3D", target, 0, RGBA, 4, 4, 4, 0, RGBA, UBYTE, texels)
            else:
                faces = range(0x8515, 0x851B) if parts == 6 else (target,)
                for face in faces:
                    self("TexImage2D", face, 0, RGBA, 4, 4, 0, RGBA, UBYTE, texels)

    def number(self, name: str, of: int, what: int) -> int:
        out = ctypes.c_int()
        self(name, of, what, ctypes.byref(out))
        return out.value

    def linked(self, texts: tuple[str, ...] | list[str]) -> tuple[int, bool, str]:
        """(program, is it good?, logs)."""
        program, logs = self("CreateProgram"), ""
        log = ctypes.create_string_buffer(4000)
        for kind, text in zip((VERTEX, FRAGMENT), texts, strict=True):
            shader, given = self("CreateShader", kind), text.encode("latin-1", "replace")
            length = ctypes.c_int(len(given))
            source = (ctypes.c_char_p * 1)(given)
            self("ShaderSource", shader, 1, source, ctypes.byref(length))
            self("CompileShader", shader)
            self("GetShaderInfoLog", shader, len(log), None, log)
            logs += log.value.decode("latin-1")
            self("AttachShader", program, shader)
            self("DeleteShader", shader)
        for n, name in enumerate((b"va", b"vb")):
            self("BindAttribLocation", program, n + 1, ctypes.c_char_p(name))
        self("LinkProgram", program)
        self("GetProgramInfoLog", program, len(log), None, log)
        good = self.number("GetProgramiv", program, LINKED) == 1
        return program, good, logs + log.value.decode("latin-1")

    def uniforms(self, program: int) -> None:
        """Small numbers, by name, for all that have no other value; samplers stay on unit 0."""
        name, size, kind = ctypes.create_string_buffer(300), ctypes.c_int(), ctypes.c_uint()
        floats, ints = (ctypes.c_float * 16)(), (ctypes.c_int * 4)(2, 1, 3, 0)
        for n in range(self.number("GetProgramiv", program, UNIFORMS)):
            self("GetActiveUniform", program, n, len(name), None, ctypes.byref(size),
                 ctypes.byref(kind), name)  # fmt: skip
            if kind.value not in KINDS:
                continue
            letters, numbers = KINDS[kind.value]
            floats[:] = [float((3 * k + sum(name.value)) % 4) for k in range(16)]
            for element in range(min(size.value, 8)):
                full = name.value.replace(b"[0]", f"[{element}]".encode())
                at = self("GetUniformLocation", program, ctypes.c_char_p(full))
                if at >= 1 << 31:
                    continue
                if letters.startswith("Matrix"):
                    self(f"Uniform{letters}", at, 1, 0, floats)
                else:
                    self(f"Uniform{letters}", at, 1, floats if letters[1] == "f" else ints)

    def blocks(self, program: int) -> None:
        """Buffers for its uniform blocks, with small numbers in them."""
        for block in range(self.number("GetProgramiv", program, BLOCKS)):
            size = ctypes.c_int()
            self("GetActiveUniformBlockiv", program, block, BLOCK_BYTES, ctypes.byref(size))
            data = bytearray(size.value)
            for n in range(self.number("GetProgramiv", program, UNIFORMS)):
                self.member(program, n, block, data)
            buffer = ctypes.c_uint()
            self("GenBuffers", 1, ctypes.byref(buffer))
            self("BindBufferBase", UNIFORM_BUFFER, block, buffer.value)
            bytes_ = (ctypes.c_ubyte * len(data)).from_buffer(data)
            self("BufferData", UNIFORM_BUFFER, ctypes.c_void_p(len(data)), bytes_, 0x88E4)
            self("UniformBlockBinding", program, block, block)
            self.buffers.append(buffer.value)

    def member(self, program: int, n: int, block: int, data: bytearray) -> None:
        """Numbers for uniform n, if it is the block's."""
        name, size, kind = ctypes.create_string_buffer(300), ctypes.c_int(), ctypes.c_uint()
        self("GetActiveUniform", program, n, len(name), None, ctypes.byref(size),
             ctypes.byref(kind), name)  # fmt: skip
        index, places = ctypes.c_uint(n), []
        for what in PLACES:
            found = ctypes.c_int()
            self("GetActiveUniformsiv", program, 1, ctypes.byref(index), what, ctypes.byref(found))
            places.append(found.value)
        of, start, stride, between, by_rows = places
        if of != block:
            return
        letters, numbers = KINDS.get(kind.value, ("", 1))
        columns, rows = MATRICES.get(kind.value, (1, numbers))
        whole = letters.endswith("iv")
        begin = sum(name.value)
        for element in range(size.value):
            for c in range(columns):
                for r in range(rows):
                    place = (r * between + 4 * c) if by_rows else (c * between + 4 * r)
                    k = c * rows + r
                    value = (2, 1, 3, 0)[k] if whole else float((3 * k + begin) % 4)
                    at = start + element * stride + place
                    struct.pack_into("<i" if whole else "<f", data, at, value)

    def active(self, program: int) -> list[tuple[str, int, int, int]]:
        """Uniforms, then attributes: name, size, type, location; -1: none."""
        name, size, kind = ctypes.create_string_buffer(300), ctypes.c_int(), ctypes.c_uint()
        lists = ((UNIFORMS, "GetActiveUniform", "GetUniformLocation"),
                 (ATTRIBUTES, "GetActiveAttrib", "GetAttribLocation"))  # fmt: skip
        found = []
        for number, of, where in lists:
            for n in range(self.number("GetProgramiv", program, number)):
                self(of, program, n, len(name), None, ctypes.byref(size), ctypes.byref(kind), name)
                at = ctypes.c_int(self(where, program, name)).value
                found.append((name.value.decode(), size.value, kind.value, at))
        return found

    def draw(self, program: int) -> bytes:
        """The pixels."""
        self("UseProgram", program)
        self.uniforms(program)
        self.blocks(program)
        self("ClearColor", 0.0, 0.0, 0.0, 0.0)
        self("Clear", 0x4000)
        self("Begin", 4)
        for place, first, second in zip(VERTICES, FIRST, SECOND, strict=True):
            for n, values in ((1, first), (2, second), (0, place)):
                self("VertexAttrib4f", n, *map(float, values))
        self("End")
        out = (ctypes.c_float * (4 * SIZE * SIZE))()
        self("ReadPixels", 0, 0, SIZE, SIZE, RGBA, FLOAT, out)
        self("UseProgram", 0)
        while self.buffers:
            self("DeleteBuffers", 1, ctypes.byref(ctypes.c_uint(self.buffers.pop())))
        return bytes(out)

    def check(self) -> None:
        """A plain program is drawn right."""
        program, good, log = self.linked(KNOWN)
        assert good, log
        pixels = (ctypes.c_float * (4 * SIZE * SIZE)).from_buffer_copy(self.draw(program))
        wanted = (0.25, 0.5, 0.75, 1.0)  # interpolated
        assert all(abs(x - wanted[n % 4]) < 1e-6 for n, x in enumerate(pixels)), pixels[:16]
        self("DeleteProgram", program)


def main(programs: str, answers: str) -> None:
    player = Player()
    with open(programs) as file:
        todo = json.load(file)
    with open(answers, "w") as file:
        for n, texts in enumerate(todo):
            start = time.monotonic()
            program, good, log = player.linked(texts)
            active = player.active(program) if good else []
            pixels = base64.b64encode(player.draw(program)).decode() if good else ""
            player("DeleteProgram", program)
            while player("GetError"):
                pass
            seconds = time.monotonic() - start
            row = {"good": good, "log": log, "active": active, "pixels": pixels, "s": seconds}
            file.write(json.dumps(row) + "\n")
            file.flush()
            if n % EVERY == EVERY - 1:
                player.check()
        player.check()


if __name__ == "__main__":
    main(*sys.argv[1:])
