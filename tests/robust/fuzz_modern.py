# SPDX-License-Identifier: MIT
"""Random sequences for contexts without glBegin: core profiles and OpenGL ES.

In: a seed, and the kind of contexts that is played (fuzz_contexts.py). Out: the calls of `prelude`,
which make a few objects of each sort and something to draw with; random ones as fuzz_calls.py tells
them, but that vertices come from arrays; and `questions`, for what those contexts can be asked.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydri.api.apis import ES1
from tests.robust import fuzz_arguments as area
from tests.robust import fuzz_contexts
from tests.robust.fuzz_calls import POINTERS, UNDEFINED, Call, Fuzz
from tests.robust.fuzz_left_out import OF_CAPTURES
from tests.robust.fuzz_registry import REST, registry

_CURRENT_ATTRIBUTE, _NUMBERS = 0x8626, 0x8A43  # the numbers of a block's uniforms
_PLAIN = (3, 6, 9)  # programs without blocks
_ARRAY_BUFFER, _ELEMENTS, _FLOAT = 0x8892, 0x8893, 0x1406
_ROOM = ("o", 256)
#: the objects of the prelude: command, how many
_OBJECTS = (
    ("glGenBuffers", max(area.PIXEL_BUFFERS)), ("glGenTextures", 5), ("glGenVertexArrays", 3),
    ("glGenFramebuffers", 3), ("glGenRenderbuffers", 3), ("glGenSamplers", 3), ("glGenQueries", 4),
    ("glGenTransformFeedbacks", 3),
)  # fmt: skip
_VERTEX, _FRAGMENT, _GEOMETRY = 0x8B31, 0x8B30, 0x8DD9
#: its programs: shaders by stage and number (fuzz_arguments.py); those of blocks of uniforms, and
#: of geometry, where there are some
_PROGRAMS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((_VERTEX, 0), (_FRAGMENT, 1)), ((_VERTEX, 3), (_FRAGMENT, 1)), ((_VERTEX, 3), (_FRAGMENT, 2)),
    ((_VERTEX, 5), (_FRAGMENT, 6)), ((_VERTEX, 5), (_GEOMETRY, 7), (_FRAGMENT, 8)),
)  # fmt: skip
_SCALED = ("a", "f", [0.75, 0.0, 0.0, 0.0, 0.0, 0.75, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0,
                      0.0, 0.0, 0.0, 1.0])  # fmt: skip
_OF_KIND = {"es2": 3, "es3": 4, "core": 5}
#: what these contexts define, though compatibility contexts in windows leave it open
_DEFINED_HERE = re.compile(r"gl(ReadBuffer|DrawBuffers|ClearBuffer(f|i|ui))")
#: behind a program that could not be loaded the peer reads what it has given up; logs are texts of
#: the driver's own
_UNDEFINED_HERE = re.compile(r"glProgramBinary|glGet\w*InfoLog")
_CAPABILITIES = (0xB71, 0xB90, 0xB44, 0xC11, 0xBE2, 0x8C89)


def known(calls: Iterable[Call]) -> Iterator[Call]:
    """Those of the commands that the kind of contexts has."""
    commands = registry().commands
    return (c for c in calls if c[0] not in commands or commands[c[0]].group != REST)


def programs() -> dict[int, tuple[tuple[int, int], ...]]:
    """The programs of the prelude, by their names, which are those that are given first."""
    found, name = {}, 0
    for stages in _PROGRAMS[: _OF_KIND.get(fuzz_contexts.used(), 0)]:
        name += len(stages) + 1
        found[name] = stages
    return found


def _programs() -> Iterator[Call]:
    for program, stages in programs().items():
        names = range(program - len(stages), program)
        for name, (stage, text) in zip(names, stages, strict=True):
            source = ("P", [area.SOURCES + area.SHADER_ROOM * text])
            yield "glCreateShader", (stage,)
            yield "glShaderSource", (name, 1, source, None)
            yield "glCompileShader", (name,)
        yield "glCreateProgram", ()
        for name in names:
            yield "glAttachShader", (program, name)
        for location, attribute in enumerate("an"):
            yield "glBindAttribLocation", (program, location, ("s", attribute))
        yield "glLinkProgram", (program,)
        yield "glUseProgram", (program,)
        if not stages[0][1]:
            yield "glUniformMatrix4fv", (0, 1, 0, _SCALED)


def _drawable() -> Iterator[Call]:
    """Vertices and indices in buffers, textures, an array object."""
    for name, count in _OBJECTS:
        yield name, (count, ("o", 64))
    yield "glBindVertexArray", (1,)
    for buffer in (1, 2, 3):
        yield "glBindBuffer", (_ARRAY_BUFFER, buffer)
        yield "glBufferData", (_ARRAY_BUFFER, 131072, ("m", area.FLOATS), 0x88E4)
    yield "glBindBuffer", (_ELEMENTS, 4)
    yield "glBufferData", (_ELEMENTS, 65536, ("m", area.INDICES32), 0x88E4)
    yield "glBindBufferBase", (0x8A11, 0, 2)
    yield "glBindBuffer", (_ARRAY_BUFFER, 1)
    yield "glVertexAttribPointer", (0, 4, _FLOAT, 0, 16, 0)
    yield "glEnableVertexAttribArray", (0,)
    for texture in (2, 1):
        yield "glBindTexture", (0xDE1, texture)
        image = (0x1908, 8, 8, 0, 0x1908, 0x1401, ("m", area.BYTES))
        yield "glTexImage2D", (0xDE1, 0, *image)
        yield "glTexParameteri", (0xDE1, 0x2801, 0x2600)


def prelude() -> list[Call]:
    """What every sequence begins with."""
    calls: list[Call] = [("glClear", (0x4500,))]
    if fuzz_contexts.kind().api == ES1:
        calls += [(name, (*values, ("m", area.FLOATS))) for name, values in POINTERS.items()
                  if name != "glColorPointer"]  # fmt: skip
        calls.append(("glColorPointer", (4, 0x1401, 0, ("m", area.BYTES))))
        calls.append(("glEnableClientState", (0x8074,)))
    else:
        calls += [*_drawable(), *_programs()]
    return list(known(calls))


class Modern(Fuzz):
    """The endless tale of one seed."""

    def __init__(self, seed: int, plain: bool = False, without: Iterable[str] = ()) -> None:
        super().__init__(seed, plain, without)
        self.stories["glDrawTex"] = self.texture

    @staticmethod
    def is_undefined(name: str) -> bool:
        """Whether plain sequences go without it."""
        if _UNDEFINED_HERE.match(name):
            return True
        return UNDEFINED.match(name) is not None and not _DEFINED_HERE.match(name)

    def primitive(self, name: str) -> Iterator[Call]:
        """A few vertices of arrays."""
        draws = [n for n in ("glDrawArrays", "glDrawElements") if n in self.registry.commands]
        yield from self.draw(self.random.choice(draws))

    def draw(self, name: str) -> Iterator[Call]:
        """In contexts with programs indices lie in buffers: mostly something is drawn."""
        if fuzz_contexts.kind().api == ES1:
            yield from super().draw(name)
            return
        r = self.random
        if r.random() < 0.6:
            yield "glUseProgram", (r.choice(list(programs())),)
        if "Elements" in name:
            yield "glBindBuffer", (_ELEMENTS, 4)
            yield "glBufferData", (_ELEMENTS, 65536, ("m", area.INDICES32), 0x88E4)
            name, values = self.ordinary(name)
            places = [r.choice((0, 4, 64)) for _ in range(4)]
            params = self.registry.commands[name].params
            values = tuple(0x1405 if v in (0x1401, 0x1403) else v for v in values)
            if "Indirect" not in name:
                values = tuple(
                    v if param.name != "indices" else ("a", "L", places) if "Multi" in name
                    else places[0] for v, param in zip(values, params, strict=True)
                )  # fmt: skip
            yield name, values
        else:
            yield self.ordinary(name)

    def is_pointer(self, name: str) -> bool:
        """Generic attributes' are, too."""
        return super().is_pointer(name) or re.match(r"glVertexAttribI?Pointer", name) is not None

    def pointer(self, name: str) -> Iterator[Call]:
        """An array; of generic attributes one in a buffer."""
        if "Attrib" not in name:
            yield from super().pointer(name)
            return
        r = self.random
        buffer = r.choice((1, 2, 3))
        yield "glBindBuffer", (_ARRAY_BUFFER, buffer)
        yield "glBufferData", (_ARRAY_BUFFER, 131072, ("m", area.FLOATS), 0x88E4)
        name, values = self.ordinary(name)
        yield name, (*values[:-1], r.choice((0, 0, 16, 64, 4096)))

    def feedback(self, name: str) -> Iterator[Call]:
        """By the names without an extension's letters."""
        for each, values in super().feedback(name):
            yield each.removesuffix("EXT"), values

    def astray(self) -> Iterator[Call]:
        """OpenGL ES 1 has no buffers that images may lie in."""
        if fuzz_contexts.used() != "es1":
            yield from super().astray()

    def texture(self, name: str) -> Iterator[Call]:
        """OES_draw_texture; the peer has the colour of before unless somebody asks for it."""
        if self.plain:
            yield "glGetFloatv", (0xB00, ("o", 256))
        yield self.ordinary(name)

    def back(self) -> Iterator[Call]:
        """A way back to pictures in which something is seen."""
        yield "glViewport", (0, 0, 100, 100)
        yield "glBindFramebuffer", (0x8D40, 0)
        for capability in _CAPABILITIES:
            yield "glDisable", (capability,)
        yield "glColorMask", (1, 1, 1, 1)
        yield "glBindVertexArray", (1,)
        yield "glEnableVertexAttribArray", (0,)

    def arrays(self) -> Iterator[Call]:
        """The prelude has them."""
        yield from ()

    def step(self) -> Iterator[Call]:
        """A family's call or story."""
        return known(super().step())

    def calls(self) -> Iterator[Call]:
        """One after the other, for ever."""
        yield from () if self.plain else prelude()
        yield from known(super().calls())


def tale(seed: int, plain: bool = False, without: Iterable[str] = ()) -> Iterator[Call]:
    """The calls of a seed for the kind of contexts that is played."""
    if fuzz_contexts.used() == "compat":
        return Fuzz(seed, plain, without).calls()
    return Modern(seed, plain, without).calls()


def questions() -> Iterator[Call]:
    """What the state of objects is: of programs, textures, framebuffers, attributes."""
    groups, values = registry().enum_groups, registry().values
    unasked = {values["GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH"], *OF_CAPTURES}
    for program in programs():
        for value in groups.get("ProgramPropertyARB", ()):
            if value not in unasked:
                yield "glGetProgramiv", (program, value, _ROOM)
        # in what order uniforms are numbered where there are blocks is the driver's choice
        for index in range(3 if program in _PLAIN else 0):
            for command in ("glGetActiveUniform", "glGetActiveAttrib"):
                yield command, (program, index, 256, None, None, None, ("o", 256))
        for value in groups.get("UniformBlockPName", ()):
            if value != _NUMBERS:
                yield "glGetActiveUniformBlockiv", (program, 0, value, _ROOM)
        for value in groups.get("UniformPName", ()) if program in _PLAIN else ():
            yield "glGetActiveUniformsiv", (program, 2, ("a", "I", [0, 1]), value, _ROOM)
    for attribute in range(4):
        for value in groups.get("VertexAttribEnum", ()):
            # current values are defined as what they were set as alone (OpenGL ES 3.0, 6.1.12)
            if value != _CURRENT_ATTRIBUTE:
                yield "glGetVertexAttribiv", (attribute, value, _ROOM)
    for target in (0xDE1, 0x806F, 0x8513, 0x8C1A):
        for value in groups.get("GetTextureParameter", ()):
            yield "glGetTexParameterfv", (target, value, _ROOM)
    for attachment in (0x8CE0, 0x8CE1, 0x8D00, 0x8D20, 0x1801):
        for value in groups.get("FramebufferAttachmentParameterName", ()):
            yield "glGetFramebufferAttachmentParameteriv", (0x8D40, attachment, value, _ROOM)
    for value in groups.get("RenderbufferParameterName", ()):
        yield "glGetRenderbufferParameteriv", (0x8D41, value, _ROOM)
    yield "glCheckFramebufferStatus", (0x8D40,)


def pictures(size: int) -> Iterator[Call]:
    """What is seen: of the framebuffer that is bound, then of the window's."""
    for name, value in ((0xD02, 0), (0xD03, 0), (0xD04, 0), (0xD05, 4)):
        yield "glPixelStorei", (name, value)
    if fuzz_contexts.used() != "es1":
        yield "glBindBuffer", (0x88EB, 0)
    image: Any = (0, 0, size, size, 0x1908, 0x1401, ("o", size * size * 4))
    yield "glReadPixels", image
    yield "glBindFramebuffer", (0x8D40, 0)
    yield "glReadPixels", image
