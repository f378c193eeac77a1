# SPDX-License-Identifier: MIT
"""Objects with names: the mechanism against a model in Python, and from two threads at once."""

from __future__ import annotations

import ctypes
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import CORE
from pydri.main.buffers.layout import BufferObject
from pydri.main.context import GLContext
from pydri.main.names.layout import LEVELS, TABLE_NAMES, Named, NameSpace
from pydri.main.names.objects import is_object, live, object_by_name, space_address
from pydri.main.names.tables import ARRAYS, BUFFERS, KINDS, PROGRAMS, QUERIES, SYNCS, TEXTURES, Kind
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS
from pydri.main.version import GLVersion
from pydri.util import stats
from tests.unit.main.conftest import VISUAL, Caller

TARGETS = (e.GL_ARRAY_BUFFER, e.GL_COPY_READ_BUFFER, e.GL_COPY_WRITE_BUFFER)
#: objects 0 of a share group
DEFAULTS = {TEXTURES.name: MAX_TEXTURE_TARGETS, PROGRAMS.name: 2}


def names_of(*names: int) -> np.ndarray:
    return np.array(names, np.uint32)


def generate(gl: Caller, kind: Kind, count: int) -> list[int]:
    out = np.zeros(count, np.uint32)
    getattr(gl, kind.generate)(count, out)
    return out.tolist()


def space_of(gl: Caller, kind: Kind) -> Any:
    return NameSpace.view(space_address(gl.ctx, kind))


@pytest.fixture
def two(gl: Caller) -> Iterator[Caller]:
    """Another context of the group."""
    other = GLContext(VISUAL, share=gl.ctx)
    yield Caller(other)
    other.destroy()


def check_bits(gl: Caller, kind: Kind, taken: set[int]) -> None:
    """All three levels of bits say what the table says."""
    space = space_of(gl, kind)
    if not space.limit:
        assert not taken
        return
    words = (ctypes.c_uint64 * (TABLE_NAMES + sum(LEVELS))).from_address(space.table)
    told = {n for n in range(max(taken, default=0) + 200) if words[n]}
    assert told == {n for n in taken if n < TABLE_NAMES}
    bits = np.frombuffer(words, np.uint64)[TABLE_NAMES:]
    low, middle, high = np.split(bits, np.cumsum(LEVELS)[:2])
    names = np.flatnonzero(np.unpackbits(low.view(np.uint8), bitorder="little"))
    assert set(names.tolist()) == told | {0}
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    assert (np.unpackbits(middle.view(np.uint8), bitorder="little") == (low == full)).all()
    assert (np.unpackbits(high.view(np.uint8), bitorder="little") == (middle == full)).all()


KINDS_WITH_NAMES = [kind for kind in KINDS if kind.generate]


@pytest.mark.parametrize("kind", KINDS_WITH_NAMES, ids=lambda kind: kind.name)
@pytest.mark.parametrize("seed", range(4))
def test_names_are_the_lowest_free_ones(gl: Any, kind: Kind, seed: int) -> None:
    rng = random.Random(seed)
    taken: set[int] = set()
    for _ in range(400):
        if rng.random() < 0.55:
            count = rng.choice([1, 1, 2, 5, 70, 300])
            free = (n for n in range(1, 1 << 20) if n not in taken)
            want = [next(free) for _ in range(count)]
            assert generate(gl, kind, count) == want
            taken.update(want)
        else:
            known = sorted(taken)
            gone = rng.sample(known, min(len(known), rng.choice([1, 2, 50, 400])))
            gone += [0, rng.randrange(1 << 32)]  # ignored, unless it is there
            getattr(gl, kind.delete)(len(gone), names_of(*gone))
            taken.difference_update(gone)
    check_bits(gl, kind, taken)
    # names alone are no objects; a share group has textures without a name
    made = len(taken) if kind.at_once else 0
    assert gl.error() == 0 and live(gl.ctx, kind) == DEFAULTS.get(kind.name, 0) + made
    assert kind.at_once or not any(getattr(gl, kind.test)(n) for n in taken)


def test_every_row_has_its_entry_points(gl: Any) -> None:
    for kind in KINDS_WITH_NAMES:
        for call in (kind.generate, kind.delete, kind.create):
            if call:
                getattr(gl, call)(-1, names_of(1))
                assert gl.error() == e.GL_INVALID_VALUE, call
                getattr(gl, call)(3, 0)  # nowhere to write, nothing to read
                assert gl.error() == 0
        assert list(kind.struct.fields)[: len(Named.fields)] == list(Named.fields)
        if kind.create:
            out = np.zeros(3, np.uint32)
            getattr(gl, kind.create)(3, out)
            assert live(gl.ctx, kind) == 3 and all(is_object(gl.ctx, kind, n) for n in out)
            getattr(gl, kind.delete)(3, out)
            assert live(gl.ctx, kind) == 0


class Model:
    """Buffers in Python: which names there are, and what each context has bound."""

    def __init__(self, contexts: int) -> None:
        self.objects: dict[int, int | None] = {}  # name -> object, None: reserved
        self.bound: list[dict[int, int]] = [dict.fromkeys(TARGETS, 0) for _ in range(contexts)]
        self.names: dict[int, int] = {}  # object -> the name it was made with
        self.made = 0

    def generate(self) -> int:
        name = next(n for n in range(1, 1 << 20) if n not in self.objects)
        self.objects[name] = None
        return name

    def bind(self, ctx: int, target: int, name: int) -> None:
        if not name:
            self.bound[ctx][target] = 0
            return
        if self.objects.get(name) is None:
            self.made += 1
            self.objects[name] = self.made
            self.names[self.made] = name
        self.bound[ctx][target] = self.objects[name] or 0

    def delete(self, ctx: int, name: int) -> None:
        gone = self.objects.pop(name, None)
        if gone:
            for target in TARGETS:
                if self.bound[ctx][target] == gone:
                    self.bound[ctx][target] = 0

    def alive(self) -> set[int]:
        held = {thing for bound in self.bound for thing in bound.values() if thing}
        return held | {thing for thing in self.objects.values() if thing}


FAR = (TABLE_NAMES, TABLE_NAMES + 1, 3_000_000, 0xFFFFFFFF, 0xFFFFFFFE)


@pytest.mark.parametrize("seed", range(6))
def test_random_sequences_follow_the_model(gl: Any, two: Any, seed: int) -> None:
    """Generate, bind (also invented names), delete, in two contexts; contents tell which it is."""
    rng = random.Random(seed)
    callers, model = (gl, two), Model(2)
    out = np.zeros(1, np.uint32)
    for _ in range(2500):
        ctx = rng.randrange(2)
        caller, target = callers[ctx], rng.choice(TARGETS)
        name = rng.choice([0, *FAR, *range(1, 30)])
        action = rng.randrange(5)
        if action == 0:
            assert generate(caller, BUFFERS, 1) == [model.generate()]
        elif action == 1:
            model.delete(ctx, name)
            caller.glDeleteBuffers(1, names_of(name))
        elif action == 2:
            thing = model.bound[ctx][target]
            if thing:
                caller.glGetBufferSubData(target, 0, 4, out)
                assert out[0] == thing
                bound = BufferObject.view(getattr(caller.n.buffers, FIELDS[target]))
                assert bound.name == model.names[thing]
        else:
            before = model.made
            model.bind(ctx, target, name)
            caller.glBindBuffer(target, name)
            if model.made != before:
                out[0] = model.made
                caller.glBufferData(target, 4, out, e.GL_STATIC_DRAW)
        assert bool(caller.glIsBuffer(name)) == bool(model.objects.get(name))
        assert caller.error() == 0
    for ctx, caller in enumerate(callers):
        caller.glBindBuffer(TARGETS[0], 0)
        model.bind(ctx, TARGETS[0], 0)
    settle(callers)
    assert live(gl.ctx, BUFFERS) == len(model.alive())
    check_bits(gl, BUFFERS, {n for n in model.objects if n < TABLE_NAMES})


FIELDS = dict(zip(TARGETS, ("array", "copy_read", "copy_write"), strict=True))


def settle(callers: tuple[Any, ...]) -> None:
    """Each context makes something, and so gives up what others deleted of its objects."""
    for caller in callers:
        name = names_of(0)
        caller.glCreateBuffers(1, name)
        caller.glDeleteBuffers(1, name)


def test_core_profiles_want_generated_names() -> None:
    ctx = GLContext(VISUAL, version=GLVersion(CORE, 3, 3))
    gl: Any = Caller(ctx)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, 7)
    assert gl.error() == e.GL_INVALID_OPERATION and not gl.n.buffers.array
    gl.glBeginQuery(e.GL_SAMPLES_PASSED, 7)
    assert gl.error() == e.GL_INVALID_OPERATION and not gl.n.query.occlusion
    (name,) = generate(gl, BUFFERS, 1)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, name)
    assert gl.error() == 0 and gl.glIsBuffer(name)
    gl.glDeleteBuffers(1, names_of(name))
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, name)
    assert gl.error() == e.GL_INVALID_OPERATION
    ctx.destroy()


def test_objects_outlive_their_names_and_their_makers(gl: Any) -> None:
    other = GLContext(VISUAL, share=gl.ctx)
    two: Any = Caller(other)
    made = generate(two, BUFFERS, 3)
    for name in made:
        two.glBindBuffer(e.GL_ARRAY_BUFFER, name)
        two.glBufferData(e.GL_ARRAY_BUFFER, 4, names_of(name), e.GL_STATIC_DRAW)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, made[0])
    gl.glBindBuffer(e.GL_COPY_READ_BUFFER, made[1])
    gl.glPushClientAttrib(e.GL_CLIENT_VERTEX_ARRAY_BIT)
    gl.glDeleteBuffers(3, names_of(*made))  # another context is their owner
    assert live(gl.ctx, BUFFERS) == 3 and not any(gl.glIsBuffer(n) for n in made)
    assert two.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [made[2]]
    assert gl.n.buffers.array == gl.n.buffers.copy_read == 0
    out = names_of(0)
    two.glGetBufferSubData(e.GL_ARRAY_BUFFER, 0, 4, out)
    assert out[0] == made[2]
    other.destroy()
    assert live(gl.ctx, BUFFERS) == 1  # the stack of client state has it
    gl.glPopClientAttrib()
    assert live(gl.ctx, BUFFERS) == 0 and gl.error() == 0


def test_client_stacks_hold_buffers(gl: Any) -> None:
    names = generate(gl, BUFFERS, 4)
    (vao,) = generate(gl, ARRAYS, 1)
    gl.glBindVertexArray(vao)
    for depth, name in enumerate(names):
        gl.glBindBuffer(e.GL_ARRAY_BUFFER, name)
        gl.glVertexPointer(2, e.GL_FLOAT, 0, 0)
        gl.glBindBuffer(e.GL_PIXEL_PACK_BUFFER, name)
        gl.glPushClientAttrib(e.GL_CLIENT_ALL_ATTRIB_BITS)
        assert gl.ctx.n.attrib.client_depth == depth + 1
    gl.glDeleteBuffers(2, names_of(*names[2:]))
    assert live(gl.ctx, BUFFERS) == 4
    gl.glPopClientAttrib()
    gl.glPopClientAttrib()
    # deleted buffers are in arrays and bound for pixels again, as with the peer
    assert gl.ints(e.GL_VERTEX_ARRAY_BUFFER_BINDING, 1) == [names[2]]
    assert gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [0]
    assert gl.ints(e.GL_PIXEL_PACK_BUFFER_BINDING, 1) == [names[2]]
    assert live(gl.ctx, BUFFERS) == 3
    gl.glPopClientAttrib()
    assert gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [names[1]]
    assert gl.ints(e.GL_PIXEL_PACK_BUFFER_BINDING, 1) == [names[1]]
    assert live(gl.ctx, BUFFERS) == 2
    gl.glDeleteVertexArrays(1, names_of(vao))
    gl.glPopClientAttrib()  # the object is not made again, and what was saved is let go
    gl.glBindBuffer(e.GL_PIXEL_PACK_BUFFER, 0)
    gl.glDeleteBuffers(2, names_of(*names[:2]))
    assert live(gl.ctx, BUFFERS) == 0 and live(gl.ctx, ARRAYS) == 0 and gl.error() == 0


def test_vertex_arrays_hold_buffers(gl: Any) -> None:
    a, b = generate(gl, BUFFERS, 2)
    vaos = generate(gl, ARRAYS, 3)
    for vao in vaos:
        gl.glBindVertexArray(vao)
        gl.glBindBuffer(e.GL_ARRAY_BUFFER, a)
        gl.glVertexPointer(2, e.GL_FLOAT, 0, 0)
        gl.glColorPointer(4, e.GL_FLOAT, 0, 0)
        gl.glBindVertexBuffer(3, b, 0, 16)
        gl.glBindBuffer(e.GL_ELEMENT_ARRAY_BUFFER, b)
    gl.glDeleteBuffers(2, names_of(a, b))
    assert live(gl.ctx, BUFFERS) == 2
    assert gl.ints(e.GL_VERTEX_ARRAY_BUFFER_BINDING, 1) == [0]  # the bound one lets go
    gl.glDeleteVertexArrays(1, names_of(vaos[0]))
    assert live(gl.ctx, BUFFERS) == 2
    gl.glBindVertexArray(vaos[1])
    assert gl.ints(e.GL_VERTEX_ARRAY_BUFFER_BINDING, 1) == [a]
    gl.glVertexPointer(2, e.GL_FLOAT, 0, 0)  # no array buffer: the old one is let go
    gl.glColorPointer(4, e.GL_FLOAT, 0, 0)
    gl.glBindVertexBuffer(3, 0, 0, 16)
    gl.error()
    gl.glDeleteVertexArrays(2, names_of(*vaos[1:]))
    assert live(gl.ctx, BUFFERS) == 0 and gl.ints(e.GL_VERTEX_ARRAY_BINDING, 1) == [0]


def test_a_frame_of_names_enters_no_python(gl: Any) -> None:
    def frame() -> None:
        buffers, vaos, queries = (
            generate(gl, kind, 200) for kind in (BUFFERS, ARRAYS, QUERIES)
        )
        for buffer, vao, query in zip(buffers, vaos, queries, strict=True):
            gl.glBindVertexArray(vao)
            gl.glBindBuffer(e.GL_ARRAY_BUFFER, buffer)
            gl.glBufferData(e.GL_ARRAY_BUFFER, 64, 0, e.GL_STREAM_DRAW)
            gl.glVertexPointer(2, e.GL_FLOAT, 0, 0)
            gl.glQueryCounter(query, e.GL_TIMESTAMP)
        fence = gl.glFenceSync(e.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
        gl.glDeleteSync(fence)
        for kind, names in ((BUFFERS, buffers), (ARRAYS, vaos), (QUERIES, queries)):
            getattr(gl, kind.delete)(200, names_of(*names))

    entries = stats.INDEX["python_entries"]
    frame()
    kinds = (BUFFERS, ARRAYS, QUERIES, SYNCS)
    before, chunks = stats.ARRAY[entries], [space_of(gl, kind).chunks for kind in kinds]
    for _ in range(30):
        frame()
    assert stats.ARRAY[entries] == before
    assert [space_of(gl, kind).chunks for kind in kinds] == chunks  # no memory was added
    assert [live(gl.ctx, kind) for kind in kinds] == [0] * 4
    assert gl.error() == 0


def test_labels_go_with_their_objects(gl: Any) -> None:
    (name,) = generate(gl, BUFFERS, 1)
    text = np.frombuffer(b"hello\0", np.uint8).copy()
    out = np.zeros(32, np.uint8)

    def label() -> bytes:
        out[:] = 0
        gl.glGetObjectLabel(e.GL_BUFFER, name, 32, 0, out)
        return out.tobytes().rstrip(b"\0")

    gl.glObjectLabel(e.GL_BUFFER, name, -1, text)
    assert gl.error() == e.GL_INVALID_VALUE  # a name alone
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, name)
    gl.glObjectLabel(e.GL_BUFFER, name, -1, text)
    assert label() == b"hello"
    gl.glObjectLabel(e.GL_BUFFER, name, 2, text)
    assert label() == b"he"
    gl.glDeleteBuffers(1, names_of(name))
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, name)
    assert label() == b"" and gl.error() == 0


def in_threads(*work: Callable[[], None]) -> None:
    wrong: list[BaseException] = []

    def guarded(body: Callable[[], None]) -> None:
        try:
            body()
        except BaseException as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=guarded, args=(body,)) for body in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def test_two_threads_never_get_the_same_name(gl: Any, two: Any) -> None:
    kept: list[list[int]] = [[], []]

    def work(me: int, caller: Any) -> Callable[[], None]:
        def body() -> None:
            rng = random.Random(me)
            for _ in range(300):
                kept[me] += generate(caller, BUFFERS, 70)
                rng.shuffle(kept[me])
                gone = [kept[me].pop() for _ in range(60)]
                caller.glDeleteBuffers(60, names_of(*gone))

        return body

    in_threads(work(0, gl), work(1, two))
    everything = kept[0] + kept[1]
    assert len(set(everything)) == len(everything) == 6000
    check_bits(gl, BUFFERS, set(everything))


@pytest.mark.parametrize("seed", range(3))
def test_two_threads_bind_and_delete_the_same_names(gl: Any, two: Any, seed: int) -> None:
    """Whose turn is when is chance; at the end nothing is left, and nobody lost his own."""
    names = [1, 2, 3, 4, TABLE_NAMES + 5, 0xFFFFFFFF]

    def work(me: int, caller: Any) -> Callable[[], None]:
        own = 100 + me

        def body() -> None:
            rng = random.Random(seed * 2 + me)
            out = names_of(0)
            caller.glBindBuffer(e.GL_COPY_WRITE_BUFFER, own)
            caller.glBufferData(e.GL_COPY_WRITE_BUFFER, 4, names_of(me), e.GL_STATIC_DRAW)
            for n in range(4000):
                name = rng.choice(names)
                action = rng.randrange(6)
                if action == 0:
                    caller.glDeleteBuffers(1, names_of(name))
                elif action == 1:
                    caller.glBufferData(e.GL_ARRAY_BUFFER, 64, 0, e.GL_STREAM_DRAW)
                elif action == 2:
                    caller.glVertexPointer(2, e.GL_FLOAT, 0, 0)
                elif action == 3:
                    caller.glNamedBufferSubData(name, 0, 4, out)
                else:
                    caller.glBindBuffer(rng.choice(TARGETS[:2]), name)
                caller.n.error = 0
                if n % 100 == 0:
                    caller.glGetBufferSubData(e.GL_COPY_WRITE_BUFFER, 0, 4, out)
                    assert out[0] == me
            for target in TARGETS:
                caller.glBindBuffer(target, 0)
            caller.glVertexPointer(2, e.GL_FLOAT, 0, 0)
            caller.glDeleteBuffers(7, names_of(own, *names))

        return body

    in_threads(work(0, gl), work(1, two))
    settle((gl, two))
    gl.glDeleteBuffers(len(names), names_of(*names))
    settle((gl, two))
    assert live(gl.ctx, BUFFERS) == 0
    check_bits(gl, BUFFERS, set())
    assert space_of(gl, BUFFERS).far_count == 0


def test_python_holds_what_it_looks_at(gl: Any, two: Any) -> None:
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, 5)
    with object_by_name(two.ctx, BUFFERS, 5) as buffer:
        gl.glDeleteBuffers(1, names_of(5))
        assert live(gl.ctx, BUFFERS) == 1 and buffer.deleted == 1
    assert live(gl.ctx, BUFFERS) == 0
    with object_by_name(two.ctx, BUFFERS, 5) as buffer:
        assert buffer is None
