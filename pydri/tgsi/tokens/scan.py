# SPDX-License-Identifier: MIT
"""Facts about a stream that drivers ask for before they compile it.

In: tokens or a parsed stream. Out: `Info`. Counterpart of tgsi_scan.c, of those facts that vertex
and fragment shaders of GL 2.1 have.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.iterate import Iterator, iterate
from pydri.tgsi.tokens.parse import Declaration, Immediate, Instruction, Property, Semantic, Stream
from pydri.tgsi.tokens.registers import Dst, Src

_TWO_BRANCHES = ("IF", "UIF", "BGNLOOP", "SWITCH", "CAL")


class Info:
    """What was found (struct tgsi_shader_info)."""

    def __init__(self) -> None:
        self.processor = 0
        self.properties: dict[int, int] = {}
        #: by register
        self.inputs: dict[int, Semantic | None] = {}
        self.input_masks: dict[int, int] = {}  # components that are read
        self.outputs: dict[int, Semantic | None] = {}
        self.system_values: dict[int, Semantic | None] = {}
        #: by file: the highest register that is declared (-1: none), how many are
        self.file_max = [-1] * len(enums.FILES)
        self.file_count = [0] * len(enums.FILES)
        self.indirect_files = 0  # bit n: file n is indexed at run time
        self.dim_indirect_files = 0
        self.const_blocks: dict[int, int] = {}  # block -> its highest vector
        self.samplers = 0  # bit n
        self.sampler_targets: dict[int, int] = {}
        self.immediates = self.instructions = 0
        self.opcodes: dict[str, int] = {}
        self.writes_position = self.writes_z = self.writes_stencil = False
        self.writes_psize = self.writes_edgeflag = self.reads_position = False
        self.uses_kill = self.uses_derivatives = self.uses_branches = False


class _Scan(Iterator):
    def __init__(self) -> None:
        super().__init__()
        self.info = Info()

    def prolog(self) -> None:
        self.info.processor = self.processor

    def property(self, prop: Property) -> None:
        self.info.properties[prop.name] = prop.values[0] if prop.values else 0

    def immediate(self, imm: Immediate) -> None:
        self.info.file_max[enums.FILE_IMMEDIATE] = self.info.immediates
        self.info.immediates += 1
        self.info.file_count[enums.FILE_IMMEDIATE] += 1

    def declaration(self, decl: Declaration) -> None:
        info = self.info
        if decl.file >= len(enums.FILES):
            return
        info.file_max[decl.file] = max(info.file_max[decl.file], decl.last)
        info.file_count[decl.file] += max(decl.last - decl.first + 1, 0)
        if decl.file == enums.FILE_CONSTANT:
            block = decl.dim or 0
            info.const_blocks[block] = max(info.const_blocks.get(block, -1), decl.last)
        tables = {
            enums.FILE_INPUT: info.inputs, enums.FILE_OUTPUT: info.outputs,
            enums.FILE_SYSTEM_VALUE: info.system_values,
        }  # fmt: skip
        table = tables.get(decl.file)
        if table is None:
            return
        for n in range(decl.first, decl.last + 1):
            semantic = decl.semantic
            if semantic is not None:
                semantic = semantic._replace(number=semantic.number + n - decl.first)
            table[n] = semantic
        if decl.semantic is not None:
            self.meaning(decl.file, decl.semantic.name)

    def meaning(self, file: int, name: int) -> None:
        """What an input or output of a semantic tells about the shader."""
        info, fragment = self.info, self.processor == enums.FRAGMENT
        if file == enums.FILE_INPUT:
            info.reads_position |= fragment and name == enums.SEMANTIC_POSITION
        elif file == enums.FILE_OUTPUT:
            info.writes_position |= not fragment and name == enums.SEMANTIC_POSITION
            info.writes_z |= fragment and name == enums.SEMANTIC_POSITION
            info.writes_stencil |= fragment and name == enums.SEMANTIC_STENCIL
            info.writes_psize |= name == enums.SEMANTIC_PSIZE
            info.writes_edgeflag |= name == enums.SEMANTIC_EDGEFLAG

    def instruction(self, instr: Instruction) -> None:
        info, name = self.info, instr.op.name
        info.instructions += 1
        info.opcodes[name] = info.opcodes.get(name, 0) + 1
        info.uses_kill |= name in ("KILL", "KILL_IF", "DEMOTE")
        info.uses_derivatives |= name in ("DDX", "DDY", "DDX_FINE", "DDY_FINE")
        info.uses_branches |= name in _TWO_BRANCHES
        for dst in instr.dsts:
            self.register(dst)
        for src in instr.srcs:
            self.register(src)
            if src.file == enums.FILE_INPUT:
                read = instr.op.reads if instr.op.mode == "REPL" else 4
                mask = sum({1 << n for n in src.swz[:read]})
                info.input_masks[src.number] = info.input_masks.get(src.number, 0) | mask
            elif src.file == enums.FILE_SAMPLER and 0 <= src.number < 32:
                info.samplers |= 1 << src.number
                if instr.texture is not None:
                    info.sampler_targets[src.number] = instr.texture.target

    def register(self, register: Src | Dst) -> None:
        if register.ind is not None:
            self.info.indirect_files |= 1 << register.file
        if register.dim is not None and register.dim.indirect is not None:
            self.info.dim_indirect_files |= 1 << register.file


def scan(shader: Stream | Sequence[int]) -> Info:
    """The facts of a shader (tgsi_scan_shader)."""
    iterator = _Scan()
    iterate(shader, iterator)
    return iterator.info
