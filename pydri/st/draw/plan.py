# SPDX-License-Identifier: MIT
"""Plans: the table from canonical key blocks to pipelines, and what happens on a miss.

In: a canonical key block that the kernels did not find in the table. Out: a new PlanEntry in it (or
none, and the reason on stderr). Two levels: the native table holds canonical key blocks for the
kernels; a dictionary by PipelineState lets key blocks that mean the same to the driver share a
pipeline. A driver that keeps pipelines in a cache is asked before there is a state at all, by a
name for the key block that is the same in every process. The table grows with its content. Both are
bounded, at numbers that programs do not reach in a frame: then a quarter goes, what was not used
for the longest time; nothing is ever emptied. PYDRI_DEBUG=st prints each miss with the fields that
differ from the miss before; the counter `plan_misses` counts them. The peer: cso_cache.c and the
variant lists of st_program.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from pydri.api import enums as gl
from pydri.jit.types import Array, StructMeta
from pydri.main import memory
from pydri.main.feedback.layout import RENDER
from pydri.main.layout import (
    SEEN_KEYS,
    GLContext,
    KeyBlock,
    PlanEntry,
    PlanSlot,
    SeenKey,
    SeenSlot,
)
from pydri.main.shaders.code import STAGES
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import SHADER_STAGES
from pydri.pipe.state import PipelineState
from pydri.st.draw.pipeline_state import pipeline_state, preferred
from pydri.util import log, stats
from pydri.util.options import options
from pydri.util.turns import TURNS

FIRST_SLOTS = 256
MAX_PLANS = 1 << 14
MAX_PIPELINES = 1 << 14
_INSERT = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)


#: where a key block has the numbers of stages
_STAGES = slice(KeyBlock.offset("stages"), KeyBlock.offset("stages") + 4 * SHADER_STAGES)
_MOST_HEADS = 256


class _Remembered:
    """A key block as it is now, for a driver that asks for the state later on. It keeps the stages:
    their program may be gone by then."""

    def __init__(self, key: int) -> None:
        self._key = ctypes.create_string_buffer(ctypes.string_at(key, KeyBlock.size))
        view: Any = KeyBlock.view(key)
        self._stages = [STAGES.get(number) for number in view.stages]

    def __call__(self) -> PipelineState:
        return pipeline_state(KeyBlock.view(ctypes.addressof(self._key)))


class PlanCache:
    """The plans of one context. `insert` is the address of the kernel st_insert_plan."""

    def __init__(self, context: int, pipe: PipeContext, insert: int) -> None:
        self.context = context
        self.pipe = pipe
        #: by what they were asked for with: their state or, of those that were known, their name
        self.pipelines: dict[PipelineState | bytes, int] = {}
        self.entries: list[int] = []  # addresses of all PlanEntries
        self.native: Any = GLContext.view(context)
        self._insert = _INSERT(insert)
        self._key = context + GLContext.offset("canonical")
        self._table = 0
        self._slots = 0
        seen = self.native.seen
        seen.keys = memory.allocate(SEEN_KEYS * (SeenKey.size + 2 * SeenSlot.size))
        seen.slots, seen.capacity = seen.keys + SEEN_KEYS * SeenKey.size, SEEN_KEYS
        self._make_table(FIRST_SLOTS)
        self._last = bytes(KeyBlock.size)
        #: how names begin, by the numbers of stages, which are never given twice
        self._heads: dict[bytes, bytes] = {}

    @property
    def count(self) -> int:
        """Plans that there are."""
        return len(self.entries)

    def _make_table(self, slots: int) -> None:
        """A table of so many slots with all entries."""
        fresh = memory.allocate(slots * PlanSlot.size)
        memory.free(self._table)
        self._table, self._slots = fresh, slots
        native = self.native
        native.plans, native.plan_mask = fresh, slots - 1
        for entry in self.entries:
            self._insert(self.context, entry)

    def destroy(self) -> None:
        """Free the table and the plans."""
        native = self.native
        for address in (self._table, native.seen.keys, *self.entries):
            memory.free(address)
        native.plans = native.plan = native.last_seen = 0
        native.seen.keys = native.seen.slots = native.seen.count = native.seen.capacity = 0
        self.entries.clear()
        self._table = 0

    def miss(self) -> int:
        """Make the plan of the canonical key block as it is now; its entry's address, 0 on
        failure.
        """
        stats.add("plan_misses")
        with TURNS.waited_for():
            return self._plan_of_key()

    def _plan_of_key(self) -> int:
        key: Any = KeyBlock.view(self._key)
        name = self._name(key)
        pipeline = self._known(name) if name else 0
        if pipeline:
            return self._add(pipeline)
        state = preferred(self.pipe.screen, pipeline_state(key))
        known = state in self.pipelines
        if "st" in options.PYDRI_DEBUG:
            self._report(state, known)
        pipeline = self.pipelines[state] if known else self._compile(state)
        if not pipeline:
            return 0
        if name:
            self.pipe.keep_pipeline(name, pipeline)
        return self._add(pipeline)

    def _name(self, key: Any) -> bytes:
        """What decides the pipeline of the canonical key block, the same in every process: numbers
        of stages are this one's. Empty where somebody wants to see how it comes about."""
        if "st" in options.PYDRI_DEBUG or options.ST_DEBUG:
            return b""
        block = ctypes.string_at(self._key, KeyBlock.size)
        stages = block[_STAGES]
        head = self._heads.get(stages)
        if head is None:
            keys = [STAGES[number].key if number else b"" for number in key.stages]
            sizes = " ".join(str(len(key)) for key in keys)
            if len(self._heads) >= _MOST_HEADS:
                self._heads.clear()
            head = self._heads[stages] = b"\0".join((sizes.encode(), b"".join(keys), b""))
        return b"".join((head, block[: _STAGES.start], block[_STAGES.stop :]))

    def _known(self, name: bytes) -> int:
        """The pipeline that the driver knows by a name."""
        known = self.pipelines.get(name)
        if known:
            return known
        return self._made(name, lambda: self.pipe.known_pipeline(name, _Remembered(self._key)))

    def _add(self, pipeline: int) -> int:
        if self.count >= MAX_PLANS:
            self._forget(sorted(self.entries, key=_used)[: MAX_PLANS // 4])
        if 4 * self.count >= 3 * self._slots:
            self._make_table(2 * self._slots)
        address = memory.allocate(PlanEntry.size)
        ctypes.memmove(address, self._key, KeyBlock.size)
        entry: Any = PlanEntry.view(address)
        entry.pipeline, entry.used = pipeline, self.native.plan_clock
        key: Any = KeyBlock.view(self._key)
        if key.render_mode != RENDER:
            from pydri.st.feedback.captured import describe

            describe(entry.rows, key)
        self.entries.append(address)
        self._insert(self.context, address)
        return address

    def _forget(self, entries: list[int]) -> None:
        """Drop plans, and all keys that were seen; nothing is drawn with them meanwhile."""
        gone, native = set(entries), self.native
        self.entries = [address for address in self.entries if address not in gone]
        self._make_table(self._slots)
        ctypes.memset(native.seen.slots, 0, 2 * native.seen.capacity * SeenSlot.size)
        native.seen.count = native.plan = native.last_seen = 0
        native.key_dirty = 1
        for address in entries:
            memory.free(address)

    def _compile(self, state: PipelineState) -> int:
        return self._made(state, lambda: self.pipe.create_pipeline(state))

    def _made(self, name: PipelineState | bytes, make: Callable[[], int]) -> int:
        """A pipeline that the driver makes, unless it cannot. Memory, or maps of code, may end
        before MAX_PIPELINES: then, too, a quarter goes."""
        if len(self.pipelines) >= MAX_PIPELINES:
            self._delete_pipelines(max(1, MAX_PIPELINES // 4))
        try:
            pipeline = make()
        except MemoryError:
            if not self.pipelines:
                raise
            self._delete_pipelines(1 + len(self.pipelines) // 4)
            pipeline = make()
        if pipeline:
            self.pipelines[name] = pipeline
        return pipeline

    def _delete_pipelines(self, count: int) -> None:
        """Delete the `count` pipelines that were not drawn with for the longest time."""
        used = dict.fromkeys(self.pipelines.values(), -1)
        pipeline_of = {address: int(PlanEntry.view(address).pipeline) for address in self.entries}
        for address, pipeline in pipeline_of.items():
            used[pipeline] = max(used[pipeline], _used(address))
        gone = set(sorted(used, key=used.__getitem__)[:count])
        self._forget([address for address, pipeline in pipeline_of.items() if pipeline in gone])
        self.pipelines = {s: p for s, p in self.pipelines.items() if p not in gone}
        self.pipe.delete_pipelines(sorted(gone))

    def _report(self, state: PipelineState, known: bool) -> None:
        now = ctypes.string_at(self._key, KeyBlock.size)
        lines = [
            f"  {name}: {_text(name, old)} -> {_text(name, new)}"
            for name, old, new in key_difference(self._last, now)
        ]
        self._last = now
        what = "a pipeline that is there" if known else "a new pipeline"
        log.note(f"st: plan {self.count + 1}, {what} (prim {state.prim})")
        if lines:
            log.note("\n".join(lines))


def _used(entry: int) -> int:
    """When a plan was last changed to."""
    return int(PlanEntry.view(entry).used)


def key_difference(old: bytes, new: bytes) -> list[tuple[str, int, int]]:
    """The fields in which two key blocks differ: path, old value, new value."""
    return [
        (path, before, after)
        for (path, before), (_, after) in zip(_fields(old), _fields(new), strict=True)
        if before != after
    ]


def _fields(data: bytes) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    _walk(KeyBlock, data, 0, "", out)
    return out


def _walk(ty: Any, data: bytes, at: int, path: str, out: list[tuple[str, int]]) -> None:
    if isinstance(ty, StructMeta):
        for field in ty.fields.values():
            dot = f"{path}.{field.name}" if path else field.name
            _walk(field.type, data, at + field.offset, dot, out)
    elif isinstance(ty, Array):
        for n in range(ty.count):
            _walk(ty.elem, data, at + n * ty.elem.size, f"{path}[{n}]", out)
    elif not path.rpartition(".")[2].startswith("pad"):
        out.append((path, int.from_bytes(data[at : at + ty.size], "little")))


def _text(path: str, value: int) -> str:
    """A value for people: 16-bit fields are GL enums, formats have names."""
    name = path.rpartition(".")[2].partition("[")[0]
    if name in ("attrib_format", "color_format", "zs_format"):
        from pydri.pipe.format import FORMATS

        return FORMATS[value].name
    field = KeyBlock.fields.get(name)
    is_enum = field is not None and field.type.size == 2 or value >= 0x100
    return str(gl.name_of(value)) if is_enum and value else str(value)


__all__ = ["FIRST_SLOTS", "MAX_PIPELINES", "MAX_PLANS", "PlanCache", "key_difference"]
