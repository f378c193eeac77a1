# SPDX-License-Identifier: MIT
"""Random calls on two drivers: errors, answers, state and pixels of ours beside the peer's.

Two kinds of sequences, each played in a fresh context (fuzz_player.py, a process for each side).
`sweep` asks for the errors of one command: the peer accepts some of its calls, of those one
argument each is spoiled, and the call is repeated between glBegin and glEnd. `episode` is a random
sequence of calls whose results GL defines, with errors after each, then all state, then pixels.

What may differ stands in fuzz_known.py, by mechanism, and what is not played, in fuzz_left_out.py.
All else is a difference, told with its seed and with the fewest calls that still show it
(`reduce`).
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
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydri.api.enums import GL_COMPILE_AND_EXECUTE
from tests.robust import fuzz_contexts
from tests.robust.fuzz import line
from tests.robust.fuzz_arguments import FEEDBACK, NO_ENUM, SELECTION, Arguments
from tests.robust.fuzz_calls import NOT_THE_PEERS, UNDEFINED, Call
from tests.robust.fuzz_known import excuse, row_of
from tests.robust.fuzz_left_out import left_out
from tests.robust.fuzz_modern import known, pictures, prelude, questions, tale
from tests.robust.fuzz_registry import REST, registry

SIZE = 100  # of the window
LENGTH = 80  # calls of an episode
SECONDS = 120  # that one list of calls may take (the first one compiles kernels)


#: state that says who we are, what is not written yet, or what the moment brings
#: (docs/differences.md)
UNASKED = """VERSION EXTENSIONS TIMESTAMP MAJOR_VERSION NUM_EXTENSIONS
IMPLEMENTATION_COLOR_READ_FORMAT MAX_TEXTURE_IMAGE_UNITS MAX_VERTEX_TEXTURE_IMAGE_UNITS
MAX_COMBINED_TEXTURE_IMAGE_UNITS
TEXTURE_BINDING_BUFFER
TEXTURE_BINDING_1D TEXTURE_BINDING_2D TEXTURE_BINDING_3D TEXTURE_BINDING_CUBE_MAP
COMPRESSED_TEXTURE_FORMATS NUM_COMPRESSED_TEXTURE_FORMATS SAMPLE_COVERAGE_INVERT""".split()
FLT_MIN = 2.0**-126  # the least normal one
GL_TRANSFORM_FEEDBACK_BUFFER = 0x8C8E
SOURCES = {"glGetFloatv": "f", "glGetIntegerv": "i"}


class Died(Exception):
    """A player ended, or gave no answer in time."""


class Side:
    """A player's process; it is started anew after a death."""

    def __init__(self, name: str, env: dict[str, str]) -> None:
        self.name, self.kind = name, fuzz_contexts.used()
        self.env = {**env, **dict(fuzz_contexts.kind().held)}
        self.accumulation = True
        self.process: subprocess.Popen[str] | None = None

    def play(self, calls: list[Call]) -> list[Any]:
        """The answers; raises Died."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.robust.fuzz_player", str(SIZE),
                 str(int(self.accumulation)), self.kind], env=self.env,
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
        # Mesa finds in its cache that a text compiles, whatever stage it was compiled for
        peer = {**peer, "MESA_SHADER_CACHE_DISABLE": "true"}
        self.sides = Side("ours", ours), Side("the peer", peer)
        self.compared = self.unheard = 0  # lists of calls; those of which the peer has died

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
            self.unheard += 1  # the peer's own fault says nothing about us
            return []
        self.compared += 1
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


def _kind(mine: list[Any], theirs: list[Any], call: Call, single: bool) -> str:
    """"" if both say the same, or what is known to differ."""
    if mine[0] != theirs[0]:
        if mine[0] and theirs[0] and not single:
            return ""  # GL 2.1, 2.5: of several faults any may be the one
        return "" if excuse("error", mine, theirs, call) else "error"
    kind = answers_differ(mine, theirs, call)
    return "" if not kind or excuse("answer", mine, theirs, call) else kind


def answers_differ(mine: list[Any], theirs: list[Any], call: Call) -> str:
    """In what results and answers differ; "" if they mean the same."""
    name, values = call
    if mine[1:] == theirs[1:]:
        return ""
    if mine[1] != theirs[1]:
        return "result"
    if name == "glReadPixels" and values[-1][1] == SIZE * SIZE * 4:
        return "pixels" if _pixels_differ(mine[2], theirs[2]) else ""
    captured = name == "glGetBufferSubData" and values[0] == GL_TRANSFORM_FEEDBACK_BUFFER
    code = "F" if captured else registry().commands[name].params[-1].code[1:2]
    return "" if _near(mine[2], theirs[2], code) else "answer"


def _near(mine: str, theirs: str, code: str) -> bool:
    """Numbers that may have been rounded differently; what vertices left ("F") are floats, or whole
    numbers, which as floats would be subnormal."""
    first, second = base64.b64decode(mine), base64.b64decode(theirs)
    size = max(len(first), len(second)) + 7 & ~7
    first, second = first.ljust(size, b"\0"), second.ljust(size, b"\0")
    kind = {"f": "f", "d": "d", "i": "i", "F": "f"}.get(code)
    if kind is None:
        return first == second
    pairs = zip(struct.iter_unpack(kind, first), struct.iter_unpack(kind, second), strict=True)
    return all(a == b or a != a and b != b or abs(a - b) <= 1e-4 * max(1.0, abs(a), abs(b))
               and not (code == "F" and any(0.0 < abs(x) < FLT_MIN for x in (a, b)))
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
    values, groups = registry().values, registry().enum_groups
    unasked = {values[f"GL_{name}"] for name in UNASKED}
    for value in groups["GetPName"]:
        if value not in unasked:
            yield "glGetFloatv", (value, ("o", 256))
    for light in (0x4000, 0x4001):
        for value in groups.get("LightParameter", ()):
            yield "glGetLightfv", (light, value, ("o", 64))
    for face in (0x404, 0x405):
        for value in (0x1200, 0x1201, 0x1202, 0x1600, 0x1601, 0x1603):
            yield "glGetMaterialfv", (face, value, ("o", 64))
    for value in groups.get("TextureEnvParameter", ()):
        yield "glGetTexEnvfv", (0x2300, value, ("o", 64))


def _begin() -> list[Call]:
    """Every window begins black; the way back to an ordinary picture is short. Selection and
    feedback have buffers: without one Mesa changes its mode in spite of the error."""
    if fuzz_contexts.used() != "compat":
        return prelude()
    buffers = ("glFeedbackBuffer", (4096, 0x601, ("m", FEEDBACK))), (
        "glSelectBuffer", (256, ("m", SELECTION)))  # fmt: skip
    return [("glClear", (0x4700,)), *buffers]


def _end() -> list[Call]:
    """Nothing is under way any more; questions."""
    if fuzz_contexts.used() != "compat":
        return list(known([*_state(), *questions(), *pictures(SIZE)]))
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
    calls = list(itertools.islice(tale(seed, True, without), LENGTH))
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
    """Differences in the errors of one command. What only one side takes, for a known reason, is
    left out: it changes what follows (EXT_direct_state_access makes objects by using them)."""
    command = registry().commands[name]
    arguments = Arguments(random.Random(f"{seed} {name}"), True)
    drafts: list[Call] = [(name, arguments.of(command)) for _ in range(tries)]
    drafts = _begin() + agreed(pair, list({repr(call): call for call in drafts}.values()))
    found = [d.told for d in pair.differences(drafts)]
    try:
        heard = [side.play(drafts) for side in pair.sides]
    except Died:
        return found
    taken = list(zip(drafts, *heard, strict=True))[len(_begin()) :]
    good = [call for call, mine, theirs in taken if not mine[0] and not theirs[0]][:2]
    calls = [call for _, values in good for call in _spoiled(arguments, name, values)]
    compatible = fuzz_contexts.used() == "compat" and name not in NOT_THE_PEERS
    for call in good[:1] if compatible else ():
        calls += [("glBegin", (4,)), call, ("glEnd", ()), ("glGetError", ())]
    if calls := agreed(pair, calls):
        calls = _begin() + calls
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


#: commands that give names. GL 2.1, 3.8.12, lets any unused ones be given: ours are the lowest, the
#: peer's are behind all that there ever were; and calls that follow say names
_GIVES = re.compile(r"gl(Gen|Create)")


#: of arrays: with an array object bound and no buffer, the peer refuses a pointer and keeps its
#: type and stride (GL 2.1, 2.5: such a call does nothing)
_POINTER = re.compile(r"gl\w+Pointer(EXT)?$")


def agreed(pair: Pair, calls: list[Call]) -> list[Call]:
    """Without the calls that only one side takes, or that both take as something else, for a known
    reason: what follows would differ."""
    calls = left_out(calls)
    while True:
        heard = []
        for side in pair.sides:
            try:
                heard.append(side.play(calls))
            except Died:
                if not heard:
                    return calls  # ours is told of
                pair.unheard += 1
                return []
        fewer = [
            call
            for call, mine, theirs in zip(calls, *heard, strict=True)
            if (bool(mine[0]) == bool(theirs[0]) or _kind(mine, theirs, call, False))
            and row_of("drawing", mine, theirs, call) is None
            and (mine[0] or call[0] not in NOT_THE_PEERS)
            and (mine == theirs or not _GIVES.match(call[0]))
            and not (mine[0] and _POINTER.match(call[0]))
        ]
        if len(fewer) == len(calls):
            return calls
        calls = fewer


def report(pair: Pair, seed: int, without: frozenset[str]) -> str:
    """"" if the sides agree about an episode; else the differences and the calls behind them."""
    calls, after = episode(seed, without)
    calls = agreed(pair, calls)
    if not calls:
        return ""
    found = pair.differences(calls + after)
    if not found:
        return ""
    fewest = reduce(pair, calls, after)
    found = pair.differences(fewest + after) or found
    lines = [f"seed {seed}:", *(f"  {line(*call)}" for call in fewest[len(_begin()) :])]
    return "\n".join([*lines, *(f"  -> {d.kind} {d.told}" for d in found[:6])])
