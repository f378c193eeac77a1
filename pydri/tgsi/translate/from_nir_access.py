# SPDX-License-Identifier: MIT
"""Buffers, images and counters for from_nir.py.

In: nir's intrinsics of them.  Out: LOAD, STORE, RESQ and atomics, and declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.nir.ir import IntrinsicInstr, SSADef
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.parse import Memory as How
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.tokens.resources import OPCODE_OF, image_target
from pydri.tgsi.translate.from_nir_wide import Wide

if TYPE_CHECKING:
    from pydri.nir.ir import Function


class Accesses(Wide):
    """A base of from_nir's emitter."""

    def declare_resources(self, function: Function) -> None:
        """Whatever the shader names; images that are written say so."""
        written: dict[int, bool] = {}
        found = [i for i in function.instrs() if isinstance(i, IntrinsicInstr) and i.row.memory]
        for instr in found:
            if "image" in instr.indices:
                number, reads = instr.indices["image"], instr.name in ("image_load", "image_size")
                written[number] = written.get(number, False) or not reads
        for instr in found:
            where = instr.indices
            if "image" in where:
                target = image_target(where["dim"], where["array"])
                number = where["image"]
                self.u.decl_image(number, target, where["format"], written[number])
            elif "buffer" in where:
                self.u.decl_buffer(where["buffer"])
        for base in {i.indices["base"] for i in found if "counter" in i.name}:
            self.u.decl_hw_atomic(0, 0, base)

    def resource(self, instr: IntrinsicInstr) -> tuple[Src, How]:
        """The register, and how it is accessed."""
        where = instr.indices
        if "image" in where:
            target = image_target(where["dim"], where["array"])
            return Src(t.FILE_IMAGE, where["image"]), How(0, target, where["format"])
        if "buffer" in where:
            return Src(t.FILE_BUFFER, where["buffer"]), How(0, t.TEXTURE_UNKNOWN, 0)
        where_ = Src(t.FILE_HW_ATOMIC, 0).dimension(where["base"])
        return where_, How(0, t.TEXTURE_UNKNOWN, 0)

    def access(self, instr: IntrinsicInstr) -> None:
        """An intrinsic of memory."""
        resource, how = self.resource(instr)
        name = instr.name
        if name in ("store_ssbo", "image_store"):
            value, place = instr.srcs if name == "store_ssbo" else instr.srcs[::-1]
            mask = instr.indices.get("wrmask", t.WRITEMASK_XYZW)
            dst = resource.dst().writemask(mask)
            self.u.STORE(dst, self.read(place), self.read(value), memory=how)
            return
        used = instr.dest in self.values.last
        dst = self.result(instr, used)
        srcs = [self.read(src) for src in instr.srcs]
        if name in ("get_ssbo_size", "image_size"):
            self.u.RESQ(dst, resource, memory=how)
        elif name in ("load_ssbo", "image_load", "atomic_counter_read"):
            self.u.LOAD(dst, resource, *srcs, memory=how)
        else:
            what = name.partition("_atomic_")[2] or name.removeprefix("atomic_counter_")
            self.u.insn(OPCODE_OF[what], [dst], [resource, *srcs], memory=how)
        if not used:
            self.u.release_temporary(dst)

    def read(self, value: SSADef) -> Src:
        """All components of a value."""
        return self.operand(value, range(value.num_components))

    def result(self, instr: IntrinsicInstr, used: bool) -> Dst:
        """Where the value goes; somewhere, if nobody reads it."""
        assert instr.dest is not None
        return self.target(instr.dest) if used else self.u.decl_temporary()
