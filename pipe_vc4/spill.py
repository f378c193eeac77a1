# SPDX-License-Identifier: MIT
"""Values that get no register are computed again where they are read.

In: a compile and a temp.  Out: the compile without the temp.  A QPU has no memory of its own, so
there is nowhere to spill to; but much of what lives long is soon made again: a uniform, a constant,
arithmetic on these and on what lives anyway.  Counterpart in the seed: the paragraph about
spilling; Mesa's vc4 gives such a shader up.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pipe_vc4.qir.qir import Cond, QBlock, QFile, QInst, QReg, Vc4Compile
from pipe_vc4.registers import LiveIntervals, RegisterGraph, build_graph, take_registers
from pydri.util.registers import RaGraph, ra_allocate_spilling, ra_set_node_spill_cost

#: instructions that one read may cost
LONGEST_CHAIN: Final = 4
#: what a temp that lives longer costs, in instructions: others may want it there later
LONGER_COST: Final = 8
#: what can be read again at any place
_CONSTANT: Final = frozenset({
    QFile.UNIF, QFile.SMALL_IMM, QFile.LOAD_IMM, QFile.FRAG_X, QFile.FRAG_Y, QFile.FRAG_REV_FLAG,
    QFile.QPU_ELEMENT})
_PIPES: Final = frozenset({"add", "mul", "either", "load"})


class Chain(NamedTuple):
    """What a value is made of again."""

    #: first to last
    insts: list[QInst]
    #: temps that live longer for it
    longer: set[int]


class _Values:
    """Who writes each temp, and what can be computed again."""

    def __init__(self, c: Vc4Compile) -> None:
        self.c = c
        self.writers: dict[int, list[tuple[QBlock, QInst]]] = {}
        self.place: dict[int, int] = {}  # an instruction -> its number
        for block in c.blocks:
            for inst in block.instructions:
                self.place[id(inst)] = len(self.place)
                if inst.dst.file == QFile.TEMP:
                    self.writers.setdefault(inst.dst.index, []).append((block, inst))

    def maker(self, temp: int, reader: QBlock) -> QInst | None:
        """What makes the temp, if it could make it again in the reader's block."""
        writers = self.writers.get(temp, [])
        if len(writers) != 1:
            return None
        block, inst = writers[0]
        if (inst.cond != Cond.ALWAYS or inst.dst.pack or inst.op.pipe not in _PIPES
                or inst.op.effects or inst.name == "UNIFORMS_RESET"):
            return None
        for src in inst.src:
            if src.file == QFile.TEMP:
                # What its operands held when it was made, they hold where it is read: no loop has
                # written them again since.
                source = self.writers.get(src.index, [])
                entry = self.c.entry_block
                if len(source) != 1 or (source[0][0] is not entry and block is not reader):
                    return None
            elif src.file not in _CONSTANT:
                return None
        return inst

    def chain(self, temp: int, reader: QBlock, at: int, live: LiveIntervals,
              left: int = LONGEST_CHAIN) -> Chain | None:
        """What makes the temp again for a reader at instruction `at`; None if that is too much."""
        inst = self.maker(temp, reader)
        if inst is None or not left:
            return None
        found: list[QInst] = []
        longer: set[int] = set()
        for src in inst.src:
            if src.file != QFile.TEMP or live.temp_end[src.index] >= at:
                continue  # it is there
            if self.maker(src.index, reader) is None:
                longer.add(src.index)  # it has to live until then
                continue
            more = self.chain(src.index, reader, at, live, left - 1 - len(found))
            if more is None:
                return None
            found += [one for one in more.insts if one not in found]
            longer |= more.longer
        found.append(inst)
        return Chain(found, longer) if len(found) <= LONGEST_CHAIN else None

    def readers(self) -> dict[int, list[tuple[QBlock, QInst]]]:
        """Who reads each temp."""
        found: dict[int, list[tuple[QBlock, QInst]]] = {}
        for block in self.c.blocks:
            for inst in block.instructions:
                for temp in {src.index for src in inst.src if src.file == QFile.TEMP}:
                    found.setdefault(temp, []).append((block, inst))
        return found


def costs(c: Vc4Compile, live: LiveIntervals, kept: set[int]) -> dict[int, float]:
    """Instructions more, for each temp that could be made again at each read; `kept` never."""
    values = _Values(c)
    found: dict[int, float] = {}
    for temp, readers in values.readers().items():
        if temp in kept or live.temp_end[temp] - live.temp_start[temp] < 4:
            continue
        chains = [values.chain(temp, block, values.place[id(reader)], live)
                  for block, reader in readers]
        if None not in chains:
            longer = set().union(*(chain.longer for chain in chains if chain))
            found[temp] = float(LONGER_COST * len(longer) + sum(
                len(chain.insts) for chain in chains if chain))
    return found


def rematerialize(c: Vc4Compile, live: LiveIntervals, temp: int) -> set[int]:
    """Makes the temp again before each read; the new temps."""
    values = _Values(c)
    made: set[int] = set()
    for block, reader in values.readers()[temp]:
        chain = values.chain(temp, block, values.place[id(reader)], live)
        assert chain is not None
        again: dict[int, QReg] = {}
        where = next(i for i, inst in enumerate(block.instructions) if inst is reader)
        for inst in chain.insts:
            new = c.get_temp()
            made.add(new.index)
            copy = QInst(inst.op, new, [_renamed(src, again) for src in inst.src])
            c.defs[new.index] = copy
            again[inst.dst.index] = new
            block.instructions.insert(where, copy)
            where += 1
        reader.src = [_renamed(src, {temp: again[temp]}) for src in reader.src]
    block, inst = values.writers[temp][0]
    if not inst.sf:
        block.instructions[:] = [one for one in block.instructions if one is not inst]
    return made


def _renamed(src: QReg, names: dict[int, QReg]) -> QReg:
    if src.file != QFile.TEMP or src.index not in names:
        return src
    return src._replace(index=names[src.index].index)


def allocate_spilling(c: Vc4Compile) -> list[int]:
    """Registers for all temps, some of which are computed again (vc4_register_allocate's result);
    NoRegister where that does not suffice."""
    kept: set[int] = set()
    now: list[RegisterGraph] = []

    def build() -> RaGraph:
        graph = build_graph(c)
        for temp, cost in costs(c, graph.live, kept).items():
            ra_set_node_spill_cost(graph.graph, graph.temps.index(temp), cost)
        now[:] = [graph]
        return graph.graph

    def spill(node: int) -> None:
        kept.update(rematerialize(c, now[0].live, now[0].temps[node]))

    ra_allocate_spilling(build, spill)
    return take_registers(now[0])
