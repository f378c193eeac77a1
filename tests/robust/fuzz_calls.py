# SPDX-License-Identifier: MIT
"""Random sequences of calls that depend on a seed alone.

A step is a family of a feature group (fuzz_registry.py), each as likely as any other but for
WEIGHTS, and within the family each of its forms in turn; so no command waits for luck. A family of
STORIES is told as a few calls that belong together (glBegin, vertices, glEnd); all others are one
call with the arguments of fuzz_arguments.py. What GL leaves to the program (client arrays that are
too short, lists that call each other in an endless tree) is left out.
"""

import math
import random
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydri.api.enums import GL_POLYGON, GL_QUAD_STRIP, GL_QUADS
from tests.robust import fuzz_arguments as area
from tests.robust.fuzz_registry import REST, Registry, registry

Call = tuple[str, tuple[Any, ...]]

# Steps are drawn among families by these, 1 if none of the patterns matches, times a quarter of the
# family's forms.
WEIGHTS = (
    (r"glBegin$", 40), (r"glVertex$", 10), (r"glColor$|glNormal$", 6), (r"glEn$", 12),
    (r"gl(Enable|Disable)$", 12), (r"gl(Matrix|Load|Push|Pop)", 3), (r"glClear$", 6),
    (r"gl(Rect|Draw(Array|Element|RangeElement))$", 8), (r"gl\w*Pointer$", 4), (r"glNewList", 5),
    (r"gl(Finis|Flus|WaitSync)", 0.3), (r"gl\w*(Light|Material)$", 4), (r"glRenderMode", 0.4),
)  # fmt: skip
ATTRIBUTES = "Color Normal TexCoord EdgeFlag Index FogCoord SecondaryColor MultiTexCoord".split()
POINTERS = {
    "glVertexPointer": (3, 0x1406, 0), "glColorPointer": (4, 0x1406, 0),
    "glNormalPointer": (0x1406, 0), "glTexCoordPointer": (3, 0x1406, 0),
    "glSecondaryColorPointer": (3, 0x1406, 0), "glFogCoordPointer": (0x1406, 0),
    "glEdgeFlagPointer": (16,), "glIndexPointer": (0x1406, 0),
}  # fmt: skip
# What the program itself would have to answer for if it were called at random: addresses of
# functions, memory that stays with the driver, arrays of whatever length.
_OWN = re.compile(
    r"gl(Draw(Arrays|Elements|Range|Transform|Mesh|Command)|Multi(Draw|Mode)|ArrayElement|\w*Pointer"
    r"|\w*Vertex(Array|Buffer)|\w*Vert\w*Attrib\w*(Array|Format|Binding|Pointer)|\w*ClientState"
    r"|ClientAttribDefault|PushClientAttribDefault|\w*(Bind|Delete|Clear|Copy|Named)Buffer"
    r"|\w*Buffer(Sub)?Data|BufferStorage|BufferPageC|\w*MapBuffer|\w*MapNamed|\w*Callback"
    r"|Replacement|Import|ShaderSource|\w*Address|\w*NV$)"
)
# of the commands that no group has, those that make generic arrays a thing to draw from
FURTHER = """glEnableVertexAttribArray glDisableVertexAttribArray glGetVertexAttribiv
glGetVertexAttribfv glVertexAttrib4f glVertexAttribI4i""".split()
#: undefined, or as the moment wills: not in sequences that two drivers must agree on
UNDEFINED = re.compile(
    r"gl(Invalidate|\w*Map(Named)?Buffer|FlushMapped|Unmap(Named)?Buffer|(Named)?BufferStorage|GetString"
    r"|Get(Named)?BufferPointer|Get(VertexAttrib)?Pointer|GetVertexArrayPointer"
    r"|\w*Sync|GetQueryObject|GetQueryBuffer|QueryCounter|GetGraphicsReset|GetDebugMessage|Lock|Unlock|GetInteger64"
    r"|ReadBuffer|DrawBuffer|\w*IndirectCount|BindVertexBuffer|VertexAttrib\w*Format|MultiMode"
    r"|ReadnPixels|Clear(Named)?Buffer|CopyBufferSub|Vertex\w*Binding|VertexAttribDiv"
    r"|VertexAttribs?\dh"  # of NV_vertex_program, which neither driver has: what do they alias?
    r"|Gen(Buffers|Queries|VertexArrays|Lists)"  # names are the driver's choice
    r"|Eval(Point|Coord)"  # a vertex outside of glBegin and glEnd (GL 2.1, 2.6.1)
    r"|ClearNamedFramebuffer"  # the peer makes one of a name that is none
    r"|Texture(SubImage1D|Buffer(Range)?)EXT"  # the peer makes no texture of a new name
    r"|PolygonOffsetEXT"  # the peer has given it up (docs/differences.md)
    r"|MultiTexSubImage|GetCompressedMultiTexImage)"  # the peer dies where there is no image
)
#: what the peer's library does not have: there it does nothing, and that between glBegin and glEnd,
#: too, where it is refused (GL 2.1, 2.6.3)
NOT_THE_PEERS = frozenset((
    "glNamedFramebufferTextureLayerEXT", "glNamedFramebufferTextureEXT",
    "glDiscardFramebufferEXT",  # in OpenGL
))  # fmt: skip
#: commands that read or write images as the pixel store says
_IMAGES = re.compile(r"gl(Get)?n?(Compressed)?(Multi)?Tex(ture)?(Sub)?Image|gl(Draw|Readn?)Pixels"
                     r"|glBitmap|gl\w*PolygonStipple")  # fmt: skip
_STORE = (0xCF2, 0xCF3, 0xCF4, 0x806D, 0x806E, 0x9127, 0x9128, 0x9129, 0x912A)  # of unpacking
_PACK = (0xD02, 0xD03, 0xD04, 0x806B, 0x806C, 0x912B, 0x912C, 0x912D, 0x912E)
_ABSURD = (0x7FFFFFFF, 0x7FFFFFFF, 0x40000000, 0x10001, 65535, 4)
INDEX_BUFFER = 4  # that indices lie in
_FULL = 0.05  # of the steps that call whatever the registry has


def convex(r: random.Random, mode: int, count: int) -> list[tuple[float, float]]:
    """Corners of quads and polygons that cross themselves nowhere: of others GL 2.1, 2.6.1 leaves
    open what is drawn. None for other primitives."""
    if mode == GL_QUAD_STRIP:
        return [(n // 2 / 4 - 0.6, 0.8 * (n % 2) - 0.4) for n in range(count)]
    if mode not in (GL_QUADS, GL_POLYGON):
        return []
    size, turn = r.choice((0.25, 0.75, 1.5)), r.random()
    around = 4 if mode == GL_QUADS else count
    angles = [2 * math.pi * (n / around + turn) for n in range(count)]
    return [(size * math.cos(angle), size * math.sin(angle)) for angle in angles]


_CAPTURES = 0x8C8E  # GL_TRANSFORM_FEEDBACK_BUFFER


class Fuzz:
    """The endless tale of one seed; `plain`: one whose pictures and answers GL defines."""

    def __init__(self, seed: int, plain: bool = False, without: Iterable[str] = ()) -> None:
        self.random = random.Random(seed)
        self.plain = plain
        self.registry: Registry = registry()
        self.arguments = area.Arguments(self.random, plain)
        self.compiling: int | None = None  # least name that may be under compilation
        self.calls_in_list = 0
        left_out = set(without)
        names = [
            name
            for name, command in self.registry.commands.items()
            if (command.group != REST or name in FURTHER)
            and name not in left_out
            and not (plain and self.is_undefined(name))
        ]
        self.families: dict[tuple[str, str], list[str]] = {}
        for name in names:
            command = self.registry.commands[name]
            self.families.setdefault((command.group, command.family), []).append(name)
        for forms in self.families.values():
            self.random.shuffle(forms)
        # seeds that follow each other begin with other forms, so a few of them call every one
        self.turns = dict.fromkeys(self.families, seed)
        self.keys = list(self.families)
        self.weights = [
            weight_of(key[1]) * max(1.0, len(self.families[key]) / 4) for key in self.keys
        ]
        self.every = [name for name in self.registry.commands if not _OWN.match(name)]
        self.attributes = [
            name
            for (_, family), forms in self.families.items()
            if family in [f"gl{each}" for each in ATTRIBUTES]
            for name in forms
        ]
        more = "glMaterialfv glMaterialf glArrayElement glEvalCoord1f glEvalPoint1"
        self.attributes += more.split()
        self.images = [n for n in names if _IMAGES.match(n)]
        self.vertices = [n for n in names if re.match("glVertex(2|3f$)", n)]
        self.stories = {
            "glBegin": self.primitive, "glEn": self.primitive, "glNewList": self.lists,
            "glEndList": self.lists, "glCallList": self.lists, "glRenderMode": self.render_mode,
            "glBeginQuery": self.query, "glBeginConditionalRender": self.query,
            "glLinkProgram": self.program, "glUseProgram": self.program,
            "glBeginTransformFeedback": self.feedback, "glPopAttri": self.pop,
        }  # fmt: skip

    @staticmethod
    def is_undefined(name: str) -> bool:
        """Whether plain sequences go without it."""
        return UNDEFINED.match(name) is not None

    def ordinary(self, name: str) -> Call:
        """A call whose arguments depend on their types, groups and rows."""
        return name, self.arguments.of(self.registry.commands[name])

    def is_pointer(self, name: str) -> bool:
        """Whether it is about an array, and its story `pointer`."""
        return name in POINTERS or name.endswith("PointerEXT") or name == "glInterleavedArrays"

    def form(self, key: tuple[str, str]) -> str:
        """The next command of a family."""
        forms = self.families[key]
        self.turns[key] += 1
        return forms[self.turns[key] % len(forms)]

    def step(self) -> Iterator[Call]:
        """A family's call or story."""
        r = self.random
        key = r.choices(self.keys, self.weights)[0]
        name = self.form(key)
        if key[1] == "glCallList" and self.compiling is not None:
            self.turns[key] -= 1  # lists of smaller names are called in its place
        story = self.stories.get(key[1])
        if story and (self.plain or r.random() < 0.95):
            yield from story(name)
        elif key[1] in ("glCallList", "glNewList"):
            yield from self.lists(name)
        elif self.is_pointer(name):
            yield from self.pointer(name)
        elif re.match(r"gl(Multi)?(Mode)?Draw(Arrays|Elements|Range)", name):
            yield from self.draw(name)
        elif re.match(r"gl(Draw|Read|Copy)n?Pixels|glBitmap|gl\w*PixelMap|gl\w*Stipple", name):
            yield from self.pixels(name)
        else:
            yield self.ordinary(name)

    def any(self) -> Call:
        """Any entry point of the registry, written already or not."""
        r = self.random
        name, values = self.ordinary(r.choice(self.every))
        command = self.registry.commands[name]
        codes = [param.code for param in command.params]
        if any(code[0] in "*pz" for code in codes):
            # numbers may say how much memory there is behind pointers
            counts = (0, 1, 1, 2, 3, 4, 7, 16, 40)
            values = tuple(
                area.fit(r.choice(counts + (-1,) * (code[0] in "ils")), code)
                if code[0] in "iIlLsS" else value
                for value, code in zip(values, codes, strict=True)
            )  # fmt: skip
            values = tuple(area.long_enough(command, values))
        return name, values

    def primitive(self, name: str) -> Iterator[Call]:
        """glBegin to glEnd, with attributes; now and then something else between."""
        r = self.random
        if name == "glEnd":
            yield "glEnd", ()
            return
        begin = self.ordinary("glBegin")
        yield begin
        count = r.choice((1, 3, 4, 6, 9))
        places = convex(r, begin[1][0], count) if self.plain else []
        for n in range(count):
            while r.random() < 0.5:
                yield self.ordinary(r.choice(self.attributes))
            if r.random() < 0.03:
                other = self.form(r.choice(self.keys))
                if not self.plain or other not in NOT_THE_PEERS:
                    yield self.ordinary(other)
            yield ("glVertex2f", places[n]) if places else self.ordinary(r.choice(self.vertices))
        yield "glEnd", ()

    def pointer(self, name: str) -> Iterator[Call]:
        """An array, in the program's memory or in a buffer object; what was begun ends before."""
        r = self.random
        buffer = 0 if self.plain and r.random() < 0.7 else r.choice((0, 1, 2, 3))
        yield "glEnd", ()
        yield "glBindBuffer", (0x8892, buffer)
        if buffer and self.plain:
            yield "glBufferData", (0x8892, 131072, ("m", area.FLOATS), 0x88E4)
        name, values = self.ordinary(name)
        codes = [param.code for param in self.registry.commands[name].params]
        if name.endswith("EXT"):
            counts = [i for i, param in enumerate(self.registry.commands[name].params)
                      if param.name == "count"]  # fmt: skip
            values = tuple(299 if i in counts else v for i, v in enumerate(values))
        if buffer:
            ends = (0, 4, 64, 4096) if self.plain else (0, 4, 13, 65000, 1 << 33, (1 << 64) - 16)
            values = tuple(
                r.choice(ends) if code[0] in "*p" else v
                for v, code in zip(values, codes, strict=True)
            )
        yield name, values
        if r.random() < 0.5:
            yield "glEnableClientState", (r.choice((0x8074, 0x8075, 0x8076, 0x8078)),)

    def draw(self, name: str) -> Iterator[Call]:
        """A draw from arrays; indices lie in the program's memory or in a buffer object, whose
        words are small (the rows of buffers in fuzz_arguments.py)."""
        r = self.random
        buffer = r.choice((0, 0, INDEX_BUFFER))
        yield "glEnd", ()
        if "Elements" not in name:
            yield self.ordinary(name)
            return
        yield "glBindBuffer", (0x8893, buffer)
        if buffer and (self.plain or r.random() < 0.5):
            yield "glBufferData", (0x8893, 65536, ("m", area.INDICES32), 0x88E4)
        name, values = self.ordinary(name)
        if buffer and "Indirect" not in name:
            ends = (0, 4, 64) if self.plain else (0, 4, 64, 60000, 1 << 40, (1 << 64) - 4)
            if self.plain:  # the buffer has words
                values = tuple(0x1405 if v in (0x1401, 0x1403) else v for v in values)
            places = [r.choice(ends) for _ in range(4)]  # as many as there are draws at most
            params = self.registry.commands[name].params
            values = tuple(
                v if param.name != "indices" else ("a", "L", places) if "Multi" in name
                else places[0] for v, param in zip(values, params, strict=True)
            )  # fmt: skip
        yield name, values

    def pixels(self, name: str) -> Iterator[Call]:
        """Pixels from and to memory or buffers that are for nothing else."""
        r = self.random
        if self.plain:
            yield "glBindBuffer", (0x88EB, 0)
            yield "glBindBuffer", (0x88EC, 0)
            yield "glWindowPos2i", (r.randrange(80), r.randrange(80))
        elif r.random() < 0.2:
            buffer = r.choice((0, 0, *area.PIXEL_BUFFERS))
            yield "glBindBuffer", (r.choice((0x88EB, 0x88EC)), buffer)
            if r.random() < 0.3:
                size = r.choice((0, 100, 8000, 1 << 20))
                yield "glBufferData", (r.choice((0x88EB, 0x88EC)), size, None, 0x88E4)
        yield self.ordinary(name)

    def astray(self) -> Iterator[Call]:
        """Images where the store leads beyond all memory. They lie in buffer objects, whose ends
        are the driver's to see; in the program's memory it would be the program's fault."""
        r = self.random
        changed = r.sample((*_STORE, *_PACK), r.randrange(2, 9))
        yield "glEnd", ()
        for target, buffer in zip((0x88EB, 0x88EC), area.PIXEL_BUFFERS, strict=True):
            yield "glBindBuffer", (target, buffer)
            yield "glBufferData", (target, r.choice((0, 100, 8000, 1 << 20)), None, 0x88E4)
        for pname in changed:
            if r.random() < 0.2:
                yield "glPixelStoref", (pname, r.choice((float("inf"), 1e38, 3e9, 2147483520.0)))
            else:
                yield "glPixelStorei", (pname, r.choice(_ABSURD))
        for _ in range(r.randrange(1, 4)):
            name, values = self.ordinary(r.choice(self.images))
            codes = [param.code for param in self.registry.commands[name].params]
            values = tuple(
                r.choice((0, 0, 4, 5, 96, 7990)) if code[0] in "*p" else value
                for value, code in zip(values, codes, strict=True)
            )
            yield name, values
        for pname in changed:
            yield "glPixelStorei", (pname, 0)
        for target in (0x88EB, 0x88EC):
            yield "glBindBuffer", (target, 0)

    def lists(self, name: str) -> Iterator[Call]:
        """Names 1 to 5; while a list is made only lists of smaller names are called, twice at
        most.
        """
        r = self.random
        if name == "glNewList":
            made = r.randrange(1, 6)
            self.compiling = made if self.compiling is None else min(made, self.compiling)
            self.calls_in_list = 0
            # where a list is executed, too, the peer forgets attributes, and an end
            mode = r.choice((0x1300, 77) if self.plain else (0x1300, 0x1301, 0x1300, 77))
            yield "glNewList", (made, mode)
            if self.plain:
                for _ in range(r.randrange(6)):
                    yield from self.primitive("glBegin")
                yield from self.lists("glEndList")
        elif name == "glEndList":
            yield "glEnd", ()
            yield "glEndList", ()
            yield "glEndList", ()
            self.compiling = None
        elif self.compiling is None:
            yield self.ordinary(name)
        elif self.calls_in_list < 2 and self.compiling > 1:
            self.calls_in_list += 1
            yield "glCallList", (r.randrange(1, self.compiling),)

    def render_mode(self, name: str) -> Iterator[Call]:
        """Selection or feedback of a few things; sometimes it stays."""
        r = self.random
        yield "glEnd", ()
        if self.plain:  # without a buffer Mesa changes its mode in spite of the error
            yield "glFeedbackBuffer", (4096, r.randrange(0x600, 0x605), ("m", area.FEEDBACK))
            yield "glSelectBuffer", (256, ("m", area.SELECTION))
        else:
            yield self.ordinary("glSelectBuffer" if r.random() < 0.5 else "glFeedbackBuffer")
        yield "glRenderMode", (r.choice((0x1C01, 0x1C02)),)
        yield "glInitNames", ()
        for _ in range(r.randrange(5)):
            names = ("glPushName", "glLoadName", "glPopName", "glPassThrough")
            yield self.ordinary(r.choice(names))
            yield from self.primitive("glBegin")
        if self.plain or r.random() < 0.9:
            yield "glRenderMode", (0x1C00,)

    def query(self, name: str) -> Iterator[Call]:
        """A query, or a draw under the condition of one."""
        r = self.random
        yield self.ordinary(name)
        for _ in range(r.randrange(3)):
            yield from self.primitive("glBegin")
        yield self.ordinary(name.replace("Begin", "End"))

    def program(self, name: str) -> Iterator[Call]:
        """Shaders are made into a program, which may be used; the numbers of them are guesses."""
        r = self.random
        yield "glEnd", ()
        for kind in (0x8B31, 0x8B30):
            yield "glCreateShader", (kind,)
        yield "glCreateProgram", ()
        made = r.randrange(1, 9)
        for _ in range(3):
            shader = r.randrange(1, 9)
            source = self.arguments.of(self.registry.commands["glShaderSource"])
            yield "glShaderSource", (shader, *source[1:])
            yield "glCompileShader", (shader,)
            yield "glAttachShader", (made, shader)
        yield "glLinkProgram", (made,)
        yield self.ordinary(name)
        yield "glUseProgram", (r.choice((0, made)),)

    def feedback(self, name: str) -> Iterator[Call]:
        """Vertices of a few things are captured in a buffer, and then read; the numbers of shader
        and program are guesses."""
        r = self.random
        captured, shader = r.randrange(1, 4), r.choice((1, 1, 1, 3, 4, 7))
        made = shader + 1 if r.random() < 0.8 else r.randrange(1, 9)
        source = ("P", [area.SOURCES + area.SHADER_ROOM * r.choice((0, 3))])
        yield "glEnd", ()
        yield "glCreateShader", (0x8B31,)
        yield "glCreateProgram", ()
        yield "glShaderSource", (shader, 1, source, None)
        yield "glCompileShader", (shader,)
        yield "glAttachShader", (made, shader)
        _, (_, *what) = self.ordinary("glTransformFeedbackVaryingsEXT")
        yield "glTransformFeedbackVaryingsEXT", (made, *what)
        yield "glLinkProgram", (made,)
        yield "glUseProgram", (made,)
        yield "glBindBuffer", (_CAPTURES, captured)
        size = r.choice((4, 100, 4096, 65536))
        yield "glBufferData", (_CAPTURES, size, ("m", area.FLOATS), 0x88E4)
        for index in range(r.randrange(1, 3)):
            yield "glBindBufferBaseEXT", (_CAPTURES, index, captured)
        target = r.choice((0x8C87, 0x8C88))  # generated, written
        yield "glBeginQuery", (target, 5)
        yield self.ordinary(name)
        for _ in range(r.randrange(4)):
            # where attributes come between vertices, the peer's line loops lose a segment
            draws = ("glDrawArrays", "glDrawElements" if self.plain else "glBegin")
            draw = r.choice(draws)
            yield from self.primitive(draw) if draw == "glBegin" else self.draw(draw)
        if self.plain or r.random() < 0.9:
            yield "glEndTransformFeedbackEXT", ()
            yield "glUseProgram", (0,)
        yield "glEndQuery", (target,)
        yield "glFinish", ()  # the peer reads before it has drawn
        yield "glGetBufferSubData", (_CAPTURES, 0, 4096, ("o", 4096))

    def pop(self, name: str) -> Iterator[Call]:
        """The peer takes back an attribute's value before it has got it, unless somebody asks."""
        if self.plain:
            yield "glGetFloatv", (0xB00, ("o", 256))
        yield self.ordinary(name)

    def back(self) -> Iterator[Call]:
        """A way back from the corners into which matrices and viewports lead."""
        yield "glEnd", ()
        yield "glViewport", (0, 0, 100, 100)
        for mode in (0x1701, 0x1700):
            yield "glMatrixMode", (mode,)
            yield "glLoadIdentity", ()
        yield "glRenderMode", (0x1C00,)

    def arrays(self) -> Iterator[Call]:
        """No array is without memory behind it from the start on."""
        for name, values in POINTERS.items():
            yield name, (*values, ("m", area.FLOATS))

    def calls(self) -> Iterator[Call]:
        """One after the other, for ever."""
        r = self.random
        yield from self.arrays()
        while True:
            dice = r.random()
            if dice < 0.02:
                yield from self.back()
            elif not self.plain and dice < 0.025:
                yield "glEnd", ()
                yield "swap", ()
            elif not self.plain and dice < 0.03:
                yield from self.astray()
            elif not self.plain and dice < 0.03 + _FULL:
                yield self.any()
            else:
                yield from self.step()


def weight_of(family: str) -> float:
    """How often a family is drawn."""
    return next((weight for pattern, weight in WEIGHTS if re.match(pattern, family)), 1.0)
