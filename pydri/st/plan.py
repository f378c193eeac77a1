# SPDX-License-Identifier: MIT
"""Plans: the table from key blocks to pipelines, and what happens on a miss.

In: a key block that the kernels did not find in the table. Out: a new PlanEntry in it (or none, and
the reason on stderr). Two levels: the native table holds whole key blocks, byte for byte, for the
kernels; a dictionary by PipelineState lets key blocks that mean the same share a pipeline, so that
a miss of the first is mostly a hit of the second and compiles nothing. Both are bounded: one that
is full is emptied (what is still in use comes back by one miss each). PYDRI_DEBUG=st prints each
miss with the fields that differ from the miss before. The peer: cso_cache.c and the variant lists
of st_program.c.
"""

from __future__ import annotations

import ctypes
from typing import Any

from pydri.api.enums import name_of
from pydri.jit.types import Array, StructMeta
from pydri.main import memory
from pydri.main.layout import PLAN_SLOTS, GLContext, KeyBlock, PlanEntry
from pydri.pipe.interface import PipeContext
from pydri.pipe.state import PipelineState
from pydri.st.program import pipeline_state
from pydri.util import log
from pydri.util.options import options

MAX_PLANS = PLAN_SLOTS * 3 // 4
MAX_PIPELINES = 1024
_INSERT = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)


class PlanCache:
    """The plans of one context. `insert` is the address of the kernel st_insert_plan."""

    def __init__(self, context: int, pipe: PipeContext, insert: int) -> None:
        self.context = context
        self.pipe = pipe
        self.pipelines: dict[PipelineState, int] = {}
        self.count = 0
        self.native: Any = GLContext.view(context)
        self._insert = _INSERT(insert)
        self._key = context + GLContext.offset("key")
        self._table = memory.allocate(PLAN_SLOTS * PlanEntry.size)
        self.native.plans = self._table
        self.native.plan = 0
        self._last = bytes(KeyBlock.size)

    def clear(self) -> None:
        """Forget all plans; the pipelines stay."""
        ctypes.memset(self._table, 0, PLAN_SLOTS * PlanEntry.size)
        self.native.plan = 0
        self.native.key_dirty = 1
        self.count = 0

    def destroy(self) -> None:
        """Free the table."""
        self.native.plans = self.native.plan = 0
        memory.free(self._table)
        self._table = 0

    def miss(self) -> int:
        """Make the plan of the key block as it is now; its entry's address, 0 on failure."""
        key: Any = KeyBlock.view(self._key)
        state = pipeline_state(key)
        known = state in self.pipelines
        if "st" in options.PYDRI_DEBUG:
            self._report(state, known)
        pipeline = self.pipelines[state] if known else self._compile(state)
        if not pipeline:
            return 0
        if self.count >= MAX_PLANS:
            self.clear()
        self.count += 1
        return int(self._insert(self.context, pipeline))

    def _compile(self, state: PipelineState) -> int:
        if len(self.pipelines) >= MAX_PIPELINES:
            self.clear()
            self.pipelines.clear()
            self.pipe.delete_pipelines()
        pipeline = self.pipe.create_pipeline(state)
        if not pipeline:
            return 0
        self.pipelines[state] = pipeline
        return pipeline

    def _report(self, state: PipelineState, known: bool) -> None:
        now = ctypes.string_at(self._key, KeyBlock.size)
        lines = [
            f"  {name}: {_text(name, old)} -> {_text(name, new)}"
            for name, old, new in key_difference(self._last, now)
        ]
        self._last = now
        what = "a pipeline that is there" if known else "a new pipeline"
        log.note(f"st: plan {self.count + 1} of {MAX_PLANS}, {what} (prim {state.prim})")
        if lines:
            log.note("\n".join(lines))


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
    return str(name_of(value)) if is_enum and value else str(value)


__all__ = ["MAX_PIPELINES", "MAX_PLANS", "PlanCache", "key_difference"]
