# SPDX-License-Identifier: MIT
"""Random calls on two drivers: errors, answers, state and pixels of ours beside the peer's.

Two kinds of sequences, each played in a fresh context (fuzz_player.py, a process for each side).
`sweep` asks for the errors of one command: the peer accepts some of its calls, of those one
argument each is spoiled, and the call is repeated between glBegin and glEnd. `episode` is a random
sequence of calls whose results GL defines, with errors after each, then all state, then pixels.

What may differ stands in KNOWN, by mechanism. All else is a difference, told with its seed and with
the fewest calls that still show it (`reduce`).
"""

import base64
import itertools
import json
import random
import re
import select
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pydri.api.enums import GL_COMPILE_AND_EXECUTE, GL_TEXTURE0
from pydri.main.textures.layout import MAX_IMAGE_UNITS
from tests.robust.fuzz import line
from tests.robust.fuzz_arguments import NO_ENUM, Arguments
from tests.robust.fuzz_calls import UNDEFINED, Call, Fuzz
from tests.robust.fuzz_registry import REST, registry

SIZE = 100  # of the window
LENGTH = 80  # calls of an episode
SECONDS = 30  # that one list of calls may take
GENERIC = (0, 0x500, 0x501, 0x502)


class Known(NamedTuple):
    """A difference that is none of ours: of commands (a pattern) between errors of ours and the
    peer's (None: any), where `when` holds of the arguments and, of an answer, `by` of the peer's
    number less ours. kind is "error" or "answer"; "drawing": both take the call and do something
    else, so that no episode has it.
    """

    kind: str
    command: str
    ours: int | None
    peers: int | None
    why: str
    when: Callable[[tuple[Any, ...]], bool] = lambda values: True
    by: tuple[int, ...] = ()  # of numbers below 2^31; (): whatever is answered


def _negative(values: tuple[Any, ...]) -> bool:
    return any(isinstance(value, int) and value < 0 for value in values)


def _has(*enums: int) -> Callable[[tuple[Any, ...]], bool]:
    return lambda values: any(value in enums for value in values if isinstance(value, int))


def _unit_beyond(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS <= values[0] - GL_TEXTURE0 < 192  # what Mesa has for all stages


def _first_is_empty(values: tuple[Any, ...]) -> bool:
    counts = values[2]
    return isinstance(counts, tuple) and counts[0] == "a" and counts[2][0] == 0


def _no_program(values: tuple[Any, ...]) -> bool:
    return len(values) > 1 and values[1] not in (0x8620, 0x8804)


def _index_beyond(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS <= values[1] < 192


KNOWN = (
    *(Known("answer", r"glGet(Tex|MultiTex|Texture)LevelParameterfv", error, error, "GL 2.1, 2.5:"
            " a command with an error writes nothing; the peer writes what its stack held")
      for error in (0x500, 0x501)),
    Known("answer", r"glGetTexEnv\w+", None, None, "NV_texture_env_combine4: the fourth argument is"
          " zero at first; Mesa begins with the third one's", _has(0x8583, 0x858B, 0x8593, 0x859B)),
    Known("error", "glAreTexturesResidentEXT", 0, 0x500, "EXT_texture_object: the peer's library"
          " calls another command by this name, whose enum its arguments are not"),
    Known("error", "glBlendFunc", 0x500, 0, "GL 1.5, 4.1.7: no saturated or second source"
          " factor for destinations; later versions have them", _has(0x308, 0x8589)),
    Known("error", r"gl\w*MultiTex\w*EXT", None, None, "GL 2.1, table 6.45: there are 16 image"
          " units here, more at the peer (docs/differences.md)", _unit_beyond),
    Known("error", r"glGet\w+(i_v|Indexedv)(EXT)?", 0x501, 0, "the same, for what a unit has",
          _index_beyond),
    Known("error", r"glGet(Texture|MultiTex)Parameter\w+EXT", 0x500, 0, "EXT_direct_state_access,"
          " 6.1.3: the targets of glGetTexParameter, no proxies (GL 2.1, 6.1.3)", _has(
          0x8063, 0x8064, 0x8070, 0x84F7, 0x851B, 0x8C19, 0x8C1B, 0x900B)),
    Known("error", r"glNamedFramebufferTexture(Layer)?EXT", None, 0, "EXT_direct_state_access,"
          " 4.4.2: the errors of glFramebufferTexture; the peer's library has no such commands,"
          " and what it calls instead does nothing"),
    Known("error", r"gl(Get)?NamedProgram\w*EXT", 0x500, None, "EXT_direct_state_access: the target"
          " is one of programs; the peer does not ask", _no_program),
    Known("error", "glGetNamedProgramStringEXT", 0x500, 0x502, "a name of another target's, and a"
          " parameter that there is not: either error"),
    Known("error", r"gl\w*", 0x500, None, "ARB_internalformat_query2 names targets of buffer and"
          " multisample textures, which the peer has (docs/differences.md)", _has(
          0x8C2A, 0x9100, 0x9101, 0x9102, 0x9103)),
    Known("error", r"gl\w*PointerEXT", 0x501, 0, "EXT_vertex_array: a negative count", _negative),
    Known("answer", "glGetFloatv", None, None, "EXT_vertex_array: how many elements an array has;"
          " the peer forgets it", _has(0x807D, 0x8080, 0x8084, 0x8087,
          0x808B, 0x808D)),
    Known("error", r"glMultiDrawArrays\w*", 0, 0x506, "GL 2.1, 2.8: so many draws as it says; none"
          " has no error of a draw's", lambda values: values[-1] == 0),
    Known("drawing", r"glMultiDrawArrays\w*", None, None, "GL 2.1, 2.8: each draw for itself;"
          " the peer draws nothing if the first has no vertices", _first_is_empty),
    Known("error", "glSecondaryColorPointer", 0x501, None, "GL 2.1, table 2.4: three components, no"
          " four", _has(4)),
    Known("error", "glTexEnv", 0x500, 0, "ARB_texture_env_combine: sources 0 and 1 came later"),
    Known("error", r"glVertexAttribs\dhvNV", 0x501, 0, "NV_half_float: a negative number, or more"
          " attributes than there are; the peer passes over those"),
    Known("answer", "glGetFloatv", None, None, "GL 2.1, 4.2.3: the index is a fixed-point number;"
          " the peer keeps no fraction", _has(0xC20)),
    Known("answer", "glGetFloatv", None, None, "GL 2.1, 2.7: fewer coordinates set the others to 0"
          " and 1; the peer keeps the fourth of a form before", _has(0xB03)),
    Known("answer", "glGetFloatv", None, None, "GL 2.1, 2.13 and 3.10: the distance may be |z|",
          _has(0xB09)),
    Known("answer", "glGetFloatv", None, None, "GL 2.1, 2.14.6: the raster position's colours are"
          " clamped", _has(0xB04, 0x845F)),
    *(Known("error", name, ours, peers, "a list compiled and executed at once, whose primitive gets"
            " a further attribute: the peer forgets glEnd (and glGetError then tells nothing)")
      for name, ours, peers in (("glEndList", 0, 0x502), ("glEnd$", None, 0))),
    Known("error", r"gl(En|Dis)ableIndexed|glIsEnabledIndexed", 0x500, 0, "EXT_draw_buffers2 has"
          " them for GL_BLEND alone; the peer's EXT_direct_state_access for texture units, too"),
    # 4 instructions for the position, 3 to 5 for fog
    *(Known("answer", "glGetProgramivARB", 0, 0, "ARB_vertex_program 6.1.12: what the program uses;"
            " the peer counts what the code for its options uses, too, which is of the native"
            " counts", _has(pname), by)
      for pname, by in ((0x88A0, (3, 4, 5)), (0x88A4, (1, 2)))),
    Known("answer", "glGetShaderPrecisionFormat", 0, 0, "ARB_ES2_compatibility: what is computed"
          " with; the peer says halves and computes with singles", _has(
          0x8DF0, 0x8DF1, 0x8DF3, 0x8DF4)),
    Known("answer", r"glGen\w+", 0, 0, "GL 2.1, 3.8.12: any names that are unused; the peer's are"
          " greater than all that were bound"),
    Known("error", "glCallList$", 0, 0x501, "GL 2.1, 5.4: a list that is not there is no error"),
    Known("error", "glDrawArrays", 0x501, 0, "GL 2.1, 2.8 recommends it for first < 0", _negative),
    Known("error", "glGetn", 0x502, 0, "ARB_robustness: a size below what is needed; the peer takes"
          " negative ones as large", _negative),
    Known("error", "glGetn", 0x502, 0x501, "the same, or a negative sizei", _negative),
)  # fmt: skip
#: state that says who we are, what is not written yet, or what the moment brings
#: (docs/differences.md)
UNASKED = """VERSION EXTENSIONS TIMESTAMP MAJOR_VERSION NUM_EXTENSIONS
IMPLEMENTATION_COLOR_READ_FORMAT MAX_TEXTURE_IMAGE_UNITS MAX_VERTEX_TEXTURE_IMAGE_UNITS
MAX_COMBINED_TEXTURE_IMAGE_UNITS
TEXTURE_BINDING_BUFFER TEXTURE_BINDING_2D_MULTISAMPLE TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY
TEXTURE_BINDING_1D TEXTURE_BINDING_2D TEXTURE_BINDING_3D TEXTURE_BINDING_CUBE_MAP
COMPRESSED_TEXTURE_FORMATS NUM_COMPRESSED_TEXTURE_FORMATS SAMPLE_COVERAGE_INVERT""".split()
SOURCES = {"glGetFloatv": "f", "glGetIntegerv": "i"}


class Died(Exception):
    """A player ended, or gave no answer in time."""


class Side:
    """A player's process; it is started anew after a death."""

    def __init__(self, name: str, env: dict[str, str]) -> None:
        self.name, self.env = name, env
        self.accumulation = True
        self.process: subprocess.Popen[str] | None = None

    def play(self, calls: list[Call]) -> list[Any]:
        """The answers; raises Died."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.robust.fuzz_player", str(SIZE),
                 str(int(self.accumulation))], env=self.env,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        source, answers = self.process.stdin, self.process.stdout
        assert source and answers
        try:
            source.write(json.dumps(calls) + "\n")
            source.flush()
            text = answers.readline() if select.select([answers], [], [], SECONDS)[0] else ""
        except BrokenPipeError:
            text = ""
        if not text:
            raise Died(f"{self.name} ends: {self.end()}")
        return list(json.loads(text))

    def end(self) -> int | None:
        """End the process; how it ended (None: it did not answer)."""
        if self.process is None:
            return None
        process, self.process, status = self.process, None, None
        with process:  # closes its pipes
            try:
                status = process.wait(1)
            except subprocess.TimeoutExpired:
                process.kill()
        return status


class Difference(NamedTuple):
    """Where the sides part: the number of the call, of what kind, and what they say."""

    at: int
    kind: str
    told: str


class Pair:
    """Both sides."""

    def __init__(self, ours: dict[str, str], peer: dict[str, str]) -> None:
        self.sides = Side("ours", ours), Side("the peer", peer)

    def start(self) -> None:
        """Start both players with a visual that both have: Mesa 25 has no accumulation buffers.
        Raises Died: a peer that never answers would agree with everything."""
        for side in self.sides:
            side.accumulation = True
        try:
            self.sides[1].play([])
        except Died:
            for side in self.sides:
                side.accumulation = False
        for side in self.sides:
            side.play([])

    def close(self) -> None:
        """End both players."""
        for side in self.sides:
            if side.process:
                side.process.kill()
                side.end()

    def differences(self, calls: list[Call], single: bool = False) -> list[Difference]:
        """What differs and is not known; `single`: no call has more than one fault, so errors must
        be the very same."""
        try:
            ours = self.sides[0].play(calls)
        except Died as death:
            return [Difference(len(calls) - 1, "end", str(death))]
        try:
            peers = self.sides[1].play(calls)
        except Died:
            return []  # the peer's own fault says nothing about us
        found = []
        for at, (call, mine, theirs) in enumerate(zip(calls, ours, peers, strict=True)):
            if bool(mine[0]) != bool(theirs[0]) and _put_off(calls, ours, peers, at):
                break
            if mine[1:] != theirs[1:] and _kept(calls, at):
                continue
            kind = _kind(mine, theirs, call, single)
            if not kind and not single and bool(mine[0]) != bool(theirs[0]):
                break  # one side took it, for a known reason: nothing after it can be compared
            if kind:
                before = f"after {line(*calls[at - 1])} " if at else ""
                told = f"{before}{line(*call)}: ours {_short(mine)}, the peer's {_short(theirs)}"
                found.append(Difference(at, kind, told))
        return found


def _put_off(calls: list[Call], ours: list[Any], peers: list[Any], at: int) -> bool:
    """Whether an error of vertices that a list compiles and executes only comes at another call:
    both sides keep such vertices for a while. By glEndList both have told the same ones."""
    begun = [n for n in range(at) if calls[n][0] == "glNewList"]
    ends = [n for n in range(at, len(calls)) if calls[n][0] == "glEndList"]
    if not begun or calls[begun[-1]][1][1] != GL_COMPILE_AND_EXECUTE:
        return False
    while_listed = slice(begun[-1], ends[0] + 1 if ends else len(calls))
    if any(name == "glEndList" for name, _ in calls[begun[-1] : at]):
        return False
    told = [sorted(a[0] for a in side[while_listed] if a[0]) for side in (ours, peers)]
    return told[0] == told[1] or not ends


def _kept(calls: list[Call], at: int) -> bool:
    """Whether a call stands behind a glBegin that a list compiles and executes. Both sides may keep
    it for a while, each its own: till then what is asked is not asked between glBegin and glEnd."""
    name = next((n for n, _ in reversed(calls[:at]) if n in ("glBegin", "glEnd")), "")
    begun = [values for n, values in calls[:at] if n == "glNewList"]
    return name == "glBegin" and bool(begun) and begun[-1][1] == GL_COMPILE_AND_EXECUTE


def _short(heard: list[Any]) -> str:
    return f"{heard[0]:#x} {heard[1]} {heard[2][:60]}"


def _number(heard: list[Any]) -> int:
    """An answer that is one whole number; its last zeros are not sent."""
    return int.from_bytes(base64.b64decode(heard[2]), "little")


def _is_known(kind: str, mine: list[Any], theirs: list[Any], call: Call) -> bool:
    """Whether a row says why the sides differ here."""
    name, values = call
    return any(
        row.kind == kind and re.match(row.command, name)
        and row.ours in (None, mine[0]) and row.peers in (None, theirs[0]) and row.when(values)
        and (not row.by or _number(theirs) - _number(mine) in row.by)
        for row in KNOWN
    )  # fmt: skip


def _kind(mine: list[Any], theirs: list[Any], call: Call, single: bool) -> str:
    """"" if both say the same, or what is known to differ."""
    name, values = call
    if mine[0] != theirs[0]:
        if mine[0] and theirs[0] and not single:
            return ""  # GL 2.1, 2.5: of several faults any may be the one
        return "" if _is_known("error", mine, theirs, call) else "error"
    if mine[1:] == theirs[1:]:
        return ""
    if _is_known("answer", mine, theirs, call):
        return ""
    if mine[1] != theirs[1]:
        return "result"
    if name == "glReadPixels":
        return "pixels" if _pixels_differ(mine[2], theirs[2]) else ""
    code = registry().commands[name].params[-1].code[1:2]
    return "" if _near(mine[2], theirs[2], code) else "answer"


def _near(mine: str, theirs: str, code: str) -> bool:
    """Numbers that may have been rounded differently."""
    first, second = base64.b64decode(mine), base64.b64decode(theirs)
    size = max(len(first), len(second)) + 7 & ~7
    first, second = first.ljust(size, b"\0"), second.ljust(size, b"\0")
    kind = {"f": "f", "d": "d", "i": "i"}.get(code)
    if kind is None:
        return first == second
    pairs = zip(struct.iter_unpack(kind, first), struct.iter_unpack(kind, second), strict=True)
    return all(abs(a - b) <= 1e-4 * max(1.0, abs(a), abs(b)) or a != a and b != b
               for (a,), (b,) in pairs)  # fmt: skip


def _pixels_differ(mine: str, theirs: str) -> bool:
    """More than single pixels at edges (edges are the random scenes' part, tests/pictures): colours
    that the other picture has nowhere near. A line may be a pixel beside the other's all along."""
    size = SIZE * SIZE * 4
    pictures = [base64.b64decode(picture).ljust(size, b"\0") for picture in (mine, theirs)]
    if len(pictures[0]) != len(pictures[1]):
        return True
    wrong = max(_strange(*pictures), _strange(*pictures[::-1]))
    return wrong > SIZE * SIZE // 50


def _strange(first: bytes, second: bytes) -> int:
    """Pixels of the first picture whose colour no pixel of the second has at their place or beside
    it."""
    import numpy as np

    here, there = (
        np.frombuffer(picture, np.uint8).reshape(SIZE, SIZE, 4).astype(int)
        for picture in (first, second)
    )
    around = np.pad(there, ((1, 1), (1, 1), (0, 0)), mode="edge")
    off = [
        np.abs(here - around[y : y + SIZE, x : x + SIZE]).max(2) for y in range(3) for x in range(3)
    ]
    return int((np.min(off, axis=0) > 8).sum())


# -- sequences -------------------------------------------------------------------------------------


def _state() -> Iterator[Call]:
    """Questions for the whole state."""
    known = registry()
    unasked = {known.values[f"GL_{name}"] for name in UNASKED}
    for value in known.enum_groups["GetPName"]:
        if value not in unasked:
            yield "glGetFloatv", (value, ("o", 256))
    for light in (0x4000, 0x4001):
        for value in known.enum_groups["LightParameter"]:
            yield "glGetLightfv", (light, value, ("o", 64))
    for face in (0x404, 0x405):
        for value in (0x1200, 0x1201, 0x1202, 0x1600, 0x1601, 0x1603):
            yield "glGetMaterialfv", (face, value, ("o", 64))
    for value in known.enum_groups["TextureEnvParameter"]:
        yield "glGetTexEnvfv", (0x2300, value, ("o", 64))


def _begin() -> list[Call]:
    """Every window begins black; the way back to an ordinary picture is short."""
    return [("glClear", (0x4700,))]


def _end() -> list[Call]:
    """Nothing is under way any more; questions."""
    over: list[Call] = [("glEnd", ()), ("glEndList", ()), ("glRenderMode", (0x1C00,))]
    over += [("glBindBuffer", (0x88EB, 0)), ("glPushClientAttrib", (1,))]
    over += list(_state())
    pack = ((0xD00, 0), (0xD01, 0), (0xD02, 0), (0xD03, 0), (0xD04, 0), (0xD05, 4), (0x8758, 0))
    over += [("glPixelStorei", (name, value)) for name, value in pack]
    plain: tuple[tuple[int, float], ...] = ((0xD10, 0.0), (0xD11, 0.0))
    plain += tuple((0xD14 + 2 * i, 1.0) for i in range(4)) + ((0xD1E, 1.0),)
    plain += ((0xD15, 0.0), (0xD17, 0.0), (0xD19, 0.0), (0xD1B, 0.0))
    over += [("glPixelTransferf", (name, value)) for name, value in plain]
    over.append(("glReadPixels", (0, 0, SIZE, SIZE, 0x1908, 0x1401, ("o", SIZE * SIZE * 4))))
    return over


def episode(seed: int, without: frozenset[str]) -> tuple[list[Call], list[Call]]:
    """The calls of a seed; what asks for state and pixels after them."""
    calls = list(itertools.islice(Fuzz(seed, True, without).calls(), LENGTH))
    return _begin() + calls, _end()


def _spoiled(arguments: Arguments, name: str, good: tuple[Any, ...]) -> Iterator[Call]:
    """The call with one argument that is no good each time."""
    for at, param in enumerate(registry().commands[name].params):
        bad: tuple[Any, ...] = ()
        if param.code in "EM":
            bad = (NO_ENUM, 0x1F00, 0x2A0A)
        elif param.code == "i" and param.name != "i":
            bad = (-1,)
        elif param.code == "B" or param.code == "A":
            bad = (1 << 27,)
        for value in bad:
            yield name, (*good[:at], value, *good[at + 1 :])


def sweep(pair: Pair, name: str, seed: int, tries: int = 6) -> list[str]:
    """Differences in the errors of one command."""
    command = registry().commands[name]
    arguments = Arguments(random.Random(f"{seed} {name}"), True)
    drafts: list[Call] = [(name, arguments.of(command)) for _ in range(tries)]
    drafts = list({repr(call): call for call in drafts}.values())
    found = [d.told for d in pair.differences(drafts)]
    try:
        heard = [side.play(drafts) for side in pair.sides]
    except Died:
        return found
    taken = zip(drafts, *heard, strict=True)
    good = [call for call, mine, theirs in taken if not mine[0] and not theirs[0]][:2]
    calls = [call for _, values in good for call in _spoiled(arguments, name, values)]
    for call in good[:1]:
        calls += [("glBegin", (4,)), call, ("glEnd", ()), ("glGetError", ())]
    if calls:
        found += [d.told for d in pair.differences(calls, single=True)]
    return found


def unwritten() -> frozenset[str]:
    """Commands of what we advertise that nobody has written yet."""
    from tests.unit.st import test_extensions

    test_extensions.load()
    return frozenset(
        name
        for name, command in registry().commands.items()
        if command.group != REST and not test_extensions.written(name)
    )


def swept(without: frozenset[str]) -> list[str]:
    """The commands whose errors are asked for."""
    return [
        name
        for name, command in registry().commands.items()
        if command.group != REST
        and name not in without
        and not UNDEFINED.match(name)
        and name not in ("glBegin", "glEnd")
    ]


def reduce(pair: Pair, calls: list[Call], after: list[Call]) -> list[Call]:
    """The fewest calls that still end in a difference of the same kind (delta debugging)."""
    kinds = {d.kind for d in pair.differences(calls + after)}

    kinds = kinds - {"pixels"} or kinds  # which are often the consequence

    # without the first clear a picture is of whatever was in memory
    kept = len(_begin()) if calls[: len(_begin())] == _begin() else 0
    begin, calls = calls[:kept], calls[kept:]

    def shows(some: list[Call]) -> bool:
        return bool(kinds & {d.kind for d in pair.differences(begin + some + after)})

    size = len(calls) // 2
    while size:
        at = 0
        while at < len(calls):
            fewer = calls[:at] + calls[at + size :]
            if shows(fewer):
                calls = fewer
            else:
                at += size
        size //= 2
    return begin + calls


def agreed(pair: Pair, calls: list[Call]) -> list[Call]:
    """Without the calls that only one side takes, or that both take as something else, for a known
    reason: what follows would differ."""
    nothing = [0, None, ""]
    calls = [call for call in calls if not _is_known("drawing", nothing, nothing, call)]
    while True:
        try:
            heard = [side.play(calls) for side in pair.sides]
        except Died:
            return calls
        fewer = [
            call
            for call, mine, theirs in zip(calls, *heard, strict=True)
            if bool(mine[0]) == bool(theirs[0]) or _kind(mine, theirs, call, False)
        ]
        if len(fewer) == len(calls):
            return calls
        calls = fewer


def report(pair: Pair, seed: int, without: frozenset[str]) -> str:
    """"" if the sides agree about an episode; else the differences and the calls behind them."""
    calls, after = episode(seed, without)
    calls = agreed(pair, calls)
    found = pair.differences(calls + after)
    if not found:
        return ""
    fewest = reduce(pair, calls, after)
    found = pair.differences(fewest + after) or found
    lines = [f"seed {seed}:", *(f"  {line(*call)}" for call in fewest)]
    return "\n".join([*lines, *(f"  -> {d.kind} {d.told}" for d in found[:6])])
