# SPDX-License-Identifier: MIT
"""Order of a block's instructions before registers are given out (qir_schedule_instructions).

In: a compile.  Out: the same, each block in another order of the same meaning.  Two ways: from the
block's end upwards, of the instructions behind which all others are placed the one that leaves the
fewest temps alive; or from its begin as the QPU would go through it word by word.  Texture samples
are begun early, within what the texture unit's queues hold.  Source of their sizes: VideoCore IV 3D
Architecture Reference Guide, "Texture and Memory Lookup Unit".
"""

from __future__ import annotations

from typing import Final

from pipe_vc4.qir.qir import TEX_FILES, QBlock, QFile, QInst, Vc4Compile

#: what the texture unit holds of one QPU: coordinates asked for, and samples (its colours have
#: room for as many); two threads have half each
TEX_COORDS, TEX_SAMPLES = 8, 4
_TLB_WRITES: Final = (QFile.TLB_COLOR_WRITE, QFile.TLB_COLOR_WRITE_MS, QFile.TLB_Z_WRITE)
_TLB: Final = (*_TLB_WRITES, QFile.TLB_STENCIL_SETUP)
#: instructions from a result to its use that keep the QPU busy
_SFU_WAIT, _TEX_WAIT = 3, 20


def _locks_scoreboard(inst: QInst) -> bool:
    """Other threads wait for the tile from here on."""
    return inst.name == "TLB_COLOR_READ" or inst.dst.file in _TLB_WRITES


class _Graph:
    """Who must come before whom: `before[i]` are the instructions that i waits for."""

    def __init__(self, c: Vc4Compile, insts: list[QInst]) -> None:
        self.insts = insts
        self.before: list[set[int]] = [set() for _ in insts]
        self._last: dict[object, int] = {}
        self._readers: dict[object, list[int]] = {}
        for index, inst in enumerate(insts):
            self._one(index, inst)
        self._texture_queues(c.fs_threaded)

    def _read(self, index: int, what: object) -> None:
        if what in self._last:
            self.before[index].add(self._last[what])
        self._readers.setdefault(what, []).append(index)

    def _write(self, index: int, what: object) -> None:
        if what in self._last:
            self.before[index].add(self._last[what])
        self.before[index].update(self._readers.get(what, ()))
        self._last[what], self._readers[what] = index, []

    def _one(self, index: int, inst: QInst) -> None:
        for src in inst.src:
            if src.file == QFile.TEMP:
                self._read(index, src.index)
            elif src.file in (QFile.VARY, QFile.VPM):
                self._write(index, src.file)
        if inst.name == "UNIFORMS_RESET":
            self._write(index, QFile.UNIF)
        elif any(src.file == QFile.UNIF for src in inst.src):
            self._read(index, QFile.UNIF)
        if inst.name == "VARY_ADD_C":
            self._read(index, QFile.VARY)
        if inst.depends_on_flags:
            self._read(index, "flags")
        self._queues(index, inst)
        if inst.dst.file == QFile.TEMP:
            self._write(index, inst.dst.index)
        if inst.sf:
            self._write(index, "flags")
        self.before[index].discard(index)

    def _queues(self, index: int, inst: QInst) -> None:
        """What the hardware takes and gives in order."""
        if inst.name == "TEX_RESULT":
            self._write(index, "results")
            self._read(index, "coordinates")
            self.before[index].discard(index)
        elif inst.name == "THRSW":
            # Accumulators and flags are lost, and with them a varying's term in R5; samples begun
            # before are read after; the tile waits for the last switch.
            for what in ("coordinates", "results", "flags", QFile.VARY, "tile"):
                self._write(index, what)
        elif inst.name in ("TLB_COLOR_READ", "MS_MASK") or inst.dst.file in _TLB:
            self._write(index, "tile")
        if inst.dst.file in TEX_FILES:
            if "coordinates" in self._last:
                self.before[index].add(self._last["coordinates"])
            self._last["coordinates"] = index
        elif inst.dst.file == QFile.VPM:
            self._write(index, "vpm")

    def _texture_queues(self, threaded: bool) -> None:
        """A coordinate waits for the oldest result when the queues would be full."""
        results = [i for i, inst in enumerate(self.insts) if inst.name == "TEX_RESULT"]
        share = 2 if threaded else 1
        coords: list[int] = [0]
        oldest = 0
        for index, inst in enumerate(self.insts):
            if inst.dst.file not in TEX_FILES:
                continue
            while oldest < len(results) and oldest < len(coords) - 1 and (
                    sum(coords[oldest:]) >= TEX_COORDS // share
                    or len(coords) - 1 - oldest >= TEX_SAMPLES // share):
                if results[oldest] > index:
                    break  # this order has more on the way than we would allow
                self.before[index].add(results[oldest])
                oldest += 1
            coords[-1] += 1
            if inst.dst.file in (QFile.TEX_S, QFile.TEX_S_DIRECT):
                coords.append(0)


def _waits(inst: QInst) -> int:
    """Instructions until its result is there."""
    if inst.op.pipe == "sfu":
        return _SFU_WAIT
    if inst.dst.file in (QFile.TEX_S, QFile.TEX_S_DIRECT):
        return _TEX_WAIT
    return 1


class _Upwards:
    """Places a block's instructions from the last to the first."""

    def __init__(self, c: Vc4Compile, insts: list[QInst], live_out: set[int]) -> None:
        self.insts = insts
        self.graph = _Graph(c, insts)
        self.after = [0] * len(insts)  # instructions behind each that are not placed
        for ends in self.graph.before:
            for other in ends:
                self.after[other] += 1
        self.live = set(live_out)
        self.writes: dict[int, int] = {}
        for inst in insts:
            if inst.dst.file == QFile.TEMP:
                self.writes[inst.dst.index] = self.writes.get(inst.dst.index, 0) + 1
        #: the longest way from the block's begin to each
        self.delay = [1] * len(insts)
        for index, ends in enumerate(self.graph.before):
            for other in ends:
                self.delay[index] = max(
                    self.delay[index], self.delay[other] + _waits(insts[other]))
        self.free_at = [0] * len(insts)

    def _pressure(self, inst: QInst) -> int:
        """Temps more that live above it than below it."""
        cost = 0
        if inst.dst.file == QFile.TEMP and self.writes[inst.dst.index] == 1 and (
                inst.dst.index in self.live):
            cost -= 1
        return cost + len({src.index for src in inst.src if src.file == QFile.TEMP
                           and src.index not in self.live})

    def run(self) -> list[QInst]:
        """The new order."""
        ready = [i for i in range(len(self.insts)) if not self.after[i]]
        order: list[QInst] = []
        time = 0
        while ready:
            def key(index: int, now: int = time) -> tuple[bool, bool, int, int, int]:
                inst = self.insts[index]
                return (not _locks_scoreboard(inst), self.free_at[index] > now,
                        self._pressure(inst), -self.delay[index], -index)

            chosen = min(ready, key=key)
            ready.remove(chosen)
            inst = self.insts[chosen]
            order.append(inst)
            time = max(time, self.free_at[chosen]) + 1
            self._place(inst)
            for other in self.graph.before[chosen]:
                self.free_at[other] = max(
                    self.free_at[other], time - 1 + _waits(self.insts[other]))
                self.after[other] -= 1
                if not self.after[other]:
                    ready.append(other)
        return order[::-1]

    def _place(self, inst: QInst) -> None:
        if inst.dst.file == QFile.TEMP:
            self.writes[inst.dst.index] -= 1
            if not self.writes[inst.dst.index]:
                self.live.discard(inst.dst.index)
        self.live.update(src.index for src in inst.src if src.file == QFile.TEMP)


class _Forwards:
    """The block as the QPU would do it if it had registers without end: a word at a time, one add
    and one multiplication, one uniform.  Values are then made in the order in which they will be,
    and registers given out by that order hold nothing up.  When more than `limit` temps live,
    what frees some goes first.
    """

    def __init__(self, c: Vc4Compile, insts: list[QInst], limit: int, live_out: set[int]) -> None:
        self.insts, self.limit = insts, limit
        before = _Graph(c, insts).before
        self.waits = [len(ends) for ends in before]
        self.after: list[list[int]] = [[] for _ in insts]
        for index, ends in enumerate(before):
            for other in ends:
                self.after[other].append(index)
        self.delay = [1] * len(insts)
        for index in range(len(insts) - 1, -1, -1):
            for other in self.after[index]:
                self.delay[index] = max(
                    self.delay[index], self.delay[other] + self._words(index, other))
        self.earliest = [0] * len(insts)
        self.reads: dict[int, int] = {}
        for inst in insts:
            for temp in _temps_read(inst):
                self.reads[temp] = self.reads.get(temp, 0) + 1
        for temp in live_out:
            self.reads[temp] = self.reads.get(temp, 0) + 1
        self.live: set[int] = set()
        self.order: list[QInst] = []

    def _words(self, index: int, other: int) -> int:
        """From an instruction to one that waits for it."""
        inst, later = self.insts[index], self.insts[other]
        reads = inst.dst.file == QFile.TEMP and inst.dst.index in _temps_read(later)
        if reads or later.name == "TEX_RESULT":
            return _waits(inst) if inst.dst.file != QFile.TEX_S else _TEX_WAIT // 2
        return 0 if later.op.pipe != "signal" else 1

    def _gain(self, inst: QInst) -> int:
        """Temps fewer that live after it."""
        ends = sum(self.reads[temp] == 1 and temp in self.live for temp in _temps_read(inst))
        return ends - (inst.dst.file == QFile.TEMP and inst.dst.index not in self.live)

    def _key(self, index: int) -> tuple[int, int, int]:
        inst = self.insts[index]
        crowded = len(self.live) >= self.limit
        late = -1 if _locks_scoreboard(inst) else 0
        return (late + (self._gain(inst) if crowded else 0), self.delay[index], -index)

    def run(self) -> list[QInst]:
        """The new order."""
        ready = {index for index, count in enumerate(self.waits) if not count}
        tick = 0
        while ready:
            pipes: set[str] = set()
            uniform: int | None = None
            while True:
                able = [index for index in ready if self.earliest[index] <= tick
                        and _fits_pipes(self.insts[index], pipes, uniform)]
                if not able:
                    break
                chosen = max(able, key=self._key)
                inst = self.insts[chosen]
                pipes.add(_pipe(inst, pipes))
                uniform = _uniform(inst) if _uniform(inst) is not None else uniform
                ready.discard(chosen)
                self._place(chosen, tick, ready)
            tick += 1
        return self.order

    def _place(self, chosen: int, tick: int, ready: set[int]) -> None:
        inst = self.insts[chosen]
        self.order.append(inst)
        for temp in _temps_read(inst):
            self.reads[temp] -= 1
            if not self.reads[temp]:
                self.live.discard(temp)
        if inst.dst.file == QFile.TEMP and self.reads.get(inst.dst.index):
            self.live.add(inst.dst.index)
        for other in self.after[chosen]:
            self.earliest[other] = max(
                self.earliest[other], tick + self._words(chosen, other))
            self.waits[other] -= 1
            if not self.waits[other]:
                ready.add(other)


def _temps_read(inst: QInst) -> set[int]:
    return {src.index for src in inst.src if src.file == QFile.TEMP}


def _uniform(inst: QInst) -> int | None:
    return next((src.index for src in inst.src if src.file == QFile.UNIF), None)


def _pipe(inst: QInst, taken: set[str]) -> str:
    """The pipe that an instruction takes of those that are free."""
    if inst.op.pipe in ("mul", "add"):
        return inst.op.pipe
    if inst.op.pipe == "signal":
        return "signal"
    return "mul" if "add" in taken else "add"


def _fits_pipes(inst: QInst, taken: set[str], uniform: int | None) -> bool:
    mine = _uniform(inst)
    if mine is not None and uniform is not None and mine != uniform:
        return False
    return _pipe(inst, taken) not in taken


def _elsewhere(c: Vc4Compile, block: QBlock) -> set[int]:
    """Temps that other blocks touch: they live at the block's end."""
    return {reg.index for other in c.blocks if other is not block for inst in other.instructions
            for reg in (inst.dst, *inst.src) if reg.file == QFile.TEMP}


PRESSURE: Final = 0


def qir_schedule_instructions(c: Vc4Compile, limit: int = PRESSURE) -> None:
    """The pass: word by word with at most about `limit` temps, or (PRESSURE) with the fewest."""
    for block in c.blocks:
        insts = block.instructions
        payload = [inst for inst in insts if inst.name in ("FRAG_Z", "FRAG_W")]
        rest = [inst for inst in insts if inst.name not in ("FRAG_Z", "FRAG_W", "BRANCH")]
        branch = [inst for inst in insts if inst.name == "BRANCH"]
        alive = _elsewhere(c, block)
        rest = (_Forwards(c, rest, limit, alive) if limit else _Upwards(c, rest, alive)).run()
        block.instructions[:] = [*payload, *rest, *branch]
