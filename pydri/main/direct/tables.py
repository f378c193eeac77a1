# SPDX-License-Identifier: MIT
"""Commands of EXT_direct_state_access, a row each: the command of OpenGL that it is, and what is
selected while that runs. The extension defines them so.

In: nothing. Out: COMMANDS. Display lists (pydri/vbo/listable.py) take the sizes of pointers from
the command of OpenGL, whose arguments come behind the leading ones.
"""

from __future__ import annotations

from typing import NamedTuple

#: What is selected: the active texture unit; a texture for a target of it; the current matrix; the
#: current program; the unit of the client's coordinates; a vertex array object, and with the array
#: buffer; an ARB program for a target. The number is that of the leading arguments which the
#: command of OpenGL has not.
UNIT, TEXTURE, MATRIX, PROGRAM, COORDS, ARRAYS, BUFFERED, ASSEMBLY = range(8)
LEADING = {
    UNIT: 1, TEXTURE: 1, MATRIX: 1, PROGRAM: 1, COORDS: 1, ARRAYS: 1, BUFFERED: 2, ASSEMBLY: 1,
}  # fmt: skip


class Command(NamedTuple):
    """`entry` is `base` with something selected."""

    entry: str
    base: str
    selects: tuple[int, ...]

    @property
    def leading(self) -> int:
        """How many of the first arguments are not those of `base`."""
        return sum(LEADING[each] for each in self.selects)


def _expand(words: str) -> list[str]:
    """`Tex{f,i}` is two words."""
    out = []
    for word in words.split():
        head, _, rest = word.partition("{")
        middle, _, tail = rest.partition("}")
        out += [head + m + tail for m in middle.split(",")]
    return out


_OF_TEXTURES = _expand(
    "TexParameter{f,fv,i,iv,Iiv,Iuiv} TexImage{1,2,3}D TexSubImage{1,2,3}D CopyTexImage{1,2}D"
    " CopyTexSubImage{1,2,3}D CompressedTexImage{1,2,3}D CompressedTexSubImage{1,2,3}D"
    " GetTexImage GetCompressedTexImage GetTexParameter{fv,iv,Iiv,Iuiv} GetTexLevelParameter{fv,iv}"
    " TexBuffer"
)
_OF_UNITS = _expand(
    "TexEnv{f,fv,i,iv} TexGen{d,dv,f,fv,i,iv} GetTexEnv{fv,iv} GetTexGen{dv,fv,iv}"
)
_MATRICES = {
    "Load{f,d}": "LoadMatrix{f,d}", "Mult{f,d}": "MultMatrix{f,d}",
    "LoadTranspose{f,d}": "LoadTransposeMatrix{f,d}",
    "MultTranspose{f,d}": "MultTransposeMatrix{f,d}", "LoadIdentity": "LoadIdentity",
    "Rotate{f,d}": "Rotate{f,d}", "Scale{f,d}": "Scale{f,d}", "Translate{f,d}": "Translate{f,d}",
    "Frustum": "Frustum", "Ortho": "Ortho", "Pop": "PopMatrix", "Push": "PushMatrix",
}  # fmt: skip
_UNIFORMS = _expand(
    "{1,2,3,4}f {1,2,3,4}fv {1,2,3,4}i {1,2,3,4}iv {1,2,3,4}ui {1,2,3,4}uiv"
    " Matrix{2,3,4,2x3,3x2,2x4,4x2,3x4,4x3}fv"
)
#: vertex array objects: what the offset of an array in a buffer is set by, and the rest
_OFFSETS = {
    "Vertex": "glVertexPointer", "Color": "glColorPointer", "EdgeFlag": "glEdgeFlagPointer",
    "Index": "glIndexPointer", "Normal": "glNormalPointer", "TexCoord": "glTexCoordPointer",
    "FogCoord": "glFogCoordPointer", "SecondaryColor": "glSecondaryColorPointer",
    "VertexAttrib": "glVertexAttribPointer", "VertexAttribI": "glVertexAttribIPointer",
}  # fmt: skip
_ARRAYS = {
    "glEnableVertexArrayAttribEXT": "glEnableVertexAttribArray",
    "glDisableVertexArrayAttribEXT": "glDisableVertexAttribArray",
    "glVertexArrayBindVertexBufferEXT": "glBindVertexBuffer",
    "glVertexArrayVertexAttribFormatEXT": "glVertexAttribFormat",
    "glVertexArrayVertexAttribIFormatEXT": "glVertexAttribIFormat",
    "glVertexArrayVertexAttribLFormatEXT": "glVertexAttribLFormat",
    "glVertexArrayVertexAttribBindingEXT": "glVertexAttribBinding",
    "glVertexArrayVertexBindingDivisorEXT": "glVertexBindingDivisor",
    "glVertexArrayVertexAttribDivisorEXT": "glVertexAttribDivisor",
}
#: of ARB programs, with their suffix
_ASSEMBLY = _expand(
    "ProgramStringARB ProgramLocalParameter4{d,dv,f,fv}ARB ProgramLocalParameters4fvEXT"
    " GetProgramLocalParameter{dv,fv}ARB GetProgramivARB GetProgramStringARB"
)


def _commands() -> tuple[Command, ...]:
    rows = []
    for name in _OF_TEXTURES:
        for word, selects in (("Texture", TEXTURE), ("MultiTex", UNIT)):
            entry = f"gl{name.replace('Tex', word, 1)}EXT"
            rows.append(Command(entry, "gl" + name, (selects,)))
    for name in _OF_UNITS:
        rows.append(Command(f"gl{name.replace('Tex', 'MultiTex', 1)}EXT", "gl" + name, (UNIT,)))
    rows += [
        Command("glBindMultiTextureEXT", "glBindTexture", (UNIT,)),
        Command("glGenerateMultiTexMipmapEXT", "glGenerateMipmap", (UNIT,)),
        Command("glGenerateTextureMipmapEXT", "glGenerateMipmap", (TEXTURE,)),
        *(Command(f"glTextureStorage{n}DEXT", f"glTexStorage{n}D", (TEXTURE,)) for n in (1, 2, 3)),
        *(
            Command(f"glTextureStorage{n}DMultisampleEXT", f"glTexStorage{n}DMultisample",
                    (TEXTURE,))
            for n in (2, 3)
        ),
        Command("glTextureBufferRangeEXT", "glTexBufferRange", (TEXTURE,)),
        Command("glMultiTexCoordPointerEXT", "glTexCoordPointer", (COORDS,)),
    ]
    for words, bases in _MATRICES.items():
        for word, base in zip(_expand(words), _expand(bases), strict=True):
            rows.append(Command(f"glMatrix{word}EXT", "gl" + base, (MATRIX,)))
    rows += [Command("glProgramUniform" + n, "glUniform" + n, (PROGRAM,)) for n in _UNIFORMS]
    rows += [Command(f"glVertexArray{n}OffsetEXT", b, (BUFFERED,)) for n, b in _OFFSETS.items()]
    rows.append(Command(
        "glVertexArrayMultiTexCoordOffsetEXT", "glTexCoordPointer", (BUFFERED, COORDS)
    ))  # fmt: skip
    rows += [Command(entry, base, (ARRAYS,)) for entry, base in _ARRAYS.items()]
    for name in _ASSEMBLY:
        entry = f"gl{name[:-3].replace('Program', 'NamedProgram', 1)}EXT"
        rows.append(Command(entry, "gl" + name, (ASSEMBLY,)))
    return tuple(rows)


COMMANDS = _commands()
BY_ENTRY = {row.entry: row for row in COMMANDS}
