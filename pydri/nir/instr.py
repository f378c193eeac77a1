# SPDX-License-Identifier: MIT
"""NIR's instructions, the values they define, and the variables they name.

In: made by `builder.py`, `parser.py`, passes.  Out: read by everything; import them from `ir.py`,
which adds what is around them: blocks, control flow, functions, shaders.
Every instruction can list the values that it reads and replace them (`sources`, `map_sources`),
which is all that most passes need to know about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from pydri.nir.enums import INTERP_NONE
from pydri.nir.intrinsics import INTRINSICS, Intrinsic
from pydri.nir.opcodes import Opcode
from pydri.nir.types import Type
from pydri.nir.values import SSAOperators

if TYPE_CHECKING:
    from pydri.nir.ir import Block

IDENTITY: Final = (0, 1, 2, 3)


class IRError(Exception):
    """The IR was used in a way that its rules forbid."""


class SSADef(SSAOperators):
    """One value: what an instruction defines.  Operators are in values.py, emission in builder."""

    __slots__ = ("bit_size", "index", "instr", "kind", "num_components")

    def __init__(self, instr: Instr, num_components: int, bit_size: int, kind: str) -> None:
        self.instr = instr
        self.num_components = num_components
        self.bit_size = bit_size
        self.kind = kind
        #: number in the listing, given when the instruction is put into a block
        self.index = -1

    def __repr__(self) -> str:
        return f"<vec{self.num_components} {self.bit_size} ssa_{self.index}>"


class Instr:
    """Base of all instructions.  `dest` is None for those that define nothing."""

    __slots__ = ("block", "dest")

    block: Block | None
    dest: SSADef | None
    #: what algebraic rules ask of a source first: its opcode, or that it is a constant
    look = ""

    def __init__(self) -> None:
        self.block = None
        self.dest = None

    def sources(self) -> list[SSADef]:
        """Every value the instruction reads, in printed order, with repetitions."""
        return []

    def map_sources(self, fn: Callable[[SSADef], SSADef]) -> None:
        """Replace every value read by fn(value)."""

    def remove(self) -> None:
        """Take the instruction out of its block."""
        block = self.block
        if block is None:
            raise IRError("the instruction is in no block")
        block.instrs.remove(self)
        block.function.settled = False
        self.block = None
        if isinstance(self, JumpInstr):
            block.function.cfg_changed()

    def __repr__(self) -> str:
        dest = "" if self.dest is None else f" ssa_{self.dest.index}"
        return f"<{type(self).__name__}{dest}>"


class AluSrc:
    """A source of an ALU instruction: a value and which of its components are read."""

    __slots__ = ("ssa", "swizzle")

    def __init__(self, ssa: SSADef, swizzle: tuple[int, ...]) -> None:
        self.ssa = ssa
        self.swizzle = swizzle

    @property
    def is_identity(self) -> bool:
        """The whole value, in order."""
        return self.swizzle == IDENTITY[: self.ssa.num_components]


class AluInstr(Instr):
    """An operation of the opcode table; every source's swizzle is as long as what is read."""

    __slots__ = ("look", "op", "saturate", "srcs")

    dest: SSADef

    def __init__(
        self,
        op: Opcode,
        srcs: list[AluSrc],
        num_components: int,
        bit_size: int,
        kind: str,
        saturate: bool = False,
    ) -> None:
        self.block = None
        self.op = op
        self.look = op.name
        self.srcs = srcs
        #: clamp a float result to [0, 1], as opcode fsat does
        self.saturate = saturate
        self.dest = SSADef(self, num_components, bit_size, kind)

    def sources(self) -> list[SSADef]:
        return [src.ssa for src in self.srcs]

    def map_sources(self, fn: Callable[[SSADef], SSADef]) -> None:
        for src in self.srcs:
            src.ssa = fn(src.ssa)


class LoadConst(Instr):
    """Constants; `values` are raw bits, one integer per component."""

    __slots__ = ("values",)

    look = "load_const"
    dest: SSADef

    def __init__(self, values: tuple[int, ...], bit_size: int = 32, kind: str = "float") -> None:
        self.block = None
        self.values = values
        self.dest = SSADef(self, len(values), bit_size, kind)


class Undef(Instr):
    """A value that may be anything; the reference interpreter takes zero."""

    __slots__ = ()

    dest: SSADef

    def __init__(self, num_components: int, bit_size: int = 32, kind: str = "float") -> None:
        self.block = None
        self.dest = SSADef(self, num_components, bit_size, kind)


class Variable:
    """Memory with a type.  mode: shader_in, shader_out, uniform, global or local."""

    __slots__ = (
        "component",
        "driver_location",
        "interp",
        "invariant",
        "location",
        "mode",
        "name",
        "type",
    )

    def __init__(
        self,
        name: str,
        type_: Type,
        mode: str,
        location: int = 0,
        *,
        interp: int = INTERP_NONE,
        driver_location: int = 0,
        component: int = 0,
        invariant: bool = False,
    ) -> None:
        self.name = name
        self.type = type_
        self.mode = mode
        #: VERT_ATTRIB, VARYING_SLOT or FRAG_RESULT number, or the uniform location
        self.location = location
        self.driver_location = driver_location
        self.component = component
        self.interp = interp
        self.invariant = invariant

    def __repr__(self) -> str:
        return f"<{self.mode} {self.type} {self.name}>"


class Deref:
    """A variable, or a part of one: path steps are element numbers, field names or SSA indices."""

    __slots__ = ("path", "var")

    def __init__(self, var: Variable, path: tuple[int | str | SSADef, ...] = ()) -> None:
        self.var = var
        self.path = path

    @property
    def type(self) -> Type:
        """Type of what the path leads to."""
        found = self.var.type
        for step in self.path:
            found = found.element(0 if isinstance(step, SSADef) else step)
        return found

    @property
    def is_indirect(self) -> bool:
        """Some index is known only when the shader runs."""
        return any(isinstance(step, SSADef) for step in self.path)

    def __getitem__(self, step: int | str | SSADef) -> Deref:
        return Deref(self.var, (*self.path, step))


class IntrinsicInstr(Instr):
    """An intrinsic of the table; constant indices by name: `instr.indices["base"]`."""

    __slots__ = ("indices", "row", "srcs", "variables")

    def __init__(
        self,
        name: str,
        srcs: list[SSADef] | None = None,
        variables: list[Deref] | None = None,
        indices: Mapping[str, int] | None = None,
        num_components: int = 0,
        bit_size: int = 32,
        kind: str = "",
    ) -> None:
        self.block = None
        self.row: Intrinsic = INTRINSICS[name]
        self.srcs = srcs or []
        self.variables = variables or []
        self.indices = dict(indices or {})
        self.dest = None
        if self.row.dest is not None:
            width = self.row.dest or num_components
            self.dest = SSADef(self, width, self.row.bits or bit_size, kind or self.row.kind)

    @property
    def name(self) -> str:
        """Name of the row."""
        return self.row.name

    def sources(self) -> list[SSADef]:
        steps = [s for d in self.variables for s in d.path if isinstance(s, SSADef)]
        return [*self.srcs, *steps]

    def map_sources(self, fn: Callable[[SSADef], SSADef]) -> None:
        self.srcs = [fn(src) for src in self.srcs]
        self.variables = [
            Deref(d.var, tuple(fn(s) if isinstance(s, SSADef) else s for s in d.path))
            if d.is_indirect
            else d
            for d in self.variables
        ]


#: Operations of TexInstr.
TEX_OPS: Final = (
    "tex", "txb", "txl", "txd", "txf", "txf_ms", "txs", "tg4", "lod", "query_levels",
)  # fmt: skip
#: Sources of TexInstr: coordinates as many as dim (+1 if arrayed; the layer last).
TEX_SRCS: Final = (
    "coord",
    "projector",
    "comparator",
    "bias",
    "lod",
    "ddx",
    "ddy",
    "offset",
    "ms_index",
)


class TexInstr(Instr):
    """A texture operation on texture unit `texture_index` through sampler `sampler_index`;
    `component`: of four texels' (tg4).
    """

    __slots__ = (
        "component",
        "is_array",
        "is_shadow",
        "op",
        "sampler_dim",
        "sampler_index",
        "srcs",
        "texture_index",
    )

    dest: SSADef

    def __init__(
        self,
        op: str,
        srcs: list[tuple[str, SSADef]],
        *,
        sampler_dim: str = "2D",
        is_array: bool = False,
        is_shadow: bool = False,
        texture_index: int = 0,
        sampler_index: int = 0,
        component: int = 0,
        num_components: int = 4,
        kind: str = "float",
    ) -> None:
        self.block = None
        self.op = op
        self.component = component
        self.srcs = srcs
        self.sampler_dim = sampler_dim
        self.is_array = is_array
        self.is_shadow = is_shadow
        self.texture_index = texture_index
        self.sampler_index = sampler_index
        self.dest = SSADef(self, num_components, 32, kind)

    def sources(self) -> list[SSADef]:
        return [ssa for _, ssa in self.srcs]

    def map_sources(self, fn: Callable[[SSADef], SSADef]) -> None:
        self.srcs = [(name, fn(ssa)) for name, ssa in self.srcs]

    def source(self, name: str) -> SSADef | None:
        """The source of that kind, if there is one."""
        return next((ssa for kind, ssa in self.srcs if kind == name), None)


class PhiInstr(Instr):
    """One value per predecessor block; phis stand first in their block."""

    __slots__ = ("srcs",)

    dest: SSADef

    def __init__(self, num_components: int, bit_size: int, kind: str) -> None:
        self.block = None
        self.srcs: list[tuple[Block, SSADef]] = []
        self.dest = SSADef(self, num_components, bit_size, kind)

    def sources(self) -> list[SSADef]:
        return [ssa for _, ssa in self.srcs]

    def map_sources(self, fn: Callable[[SSADef], SSADef]) -> None:
        self.srcs = [(block, fn(ssa)) for block, ssa in self.srcs]


class JumpInstr(Instr):
    """break, continue or return; always the last of its block."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
