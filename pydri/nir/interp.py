# SPDX-License-Identifier: MIT
"""The reference interpreter: what a shader means, in numpy, over any number of lanes at once.

In: a shader, inputs by slot, uniform blocks.  Out: a `Result` with outputs by slot.
Every value is an array (components, lanes) of uint32, uint64 or bool (1-bit).  Control flow runs
under a mask.  Every instruction computes all lanes, so neighbours have values for derivatives
everywhere; the mask counts for phis, variables, outputs and discards, and behind the If or Loop
that defines a value for that value, which is what it was when the lane left the loop.  Lanes
4k..4k+3 are a 2x2 quad for derivatives.  Where a source language leaves something open this file
decides: undef is 0; an index is read as unsigned, a load outside an array gives its last element, a
store outside vanishes; reads outside a uniform block give 0; outputs that were not written are 0;
all loops together make MAX_ROUNDS rounds.  It is slow and plain on purpose: back ends are tested
against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pydri.nir.enums import VARYING_SLOT_PNTC
from pydri.nir.flush import flushed
from pydri.nir.interp_emit import Emitted
from pydri.nir.interp_memory import access
from pydri.nir.ir import (
    MAX_ROUNDS,
    AluInstr,
    Block,
    CFNode,
    Deref,
    If,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConst,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    TexInstr,
    Undef,
    Variable,
)
from pydri.nir.memory import Memory
from pydri.nir.opcodes import OPCODES, Opcode
from pydri.nir.slots import is_per_vertex, leaves
from pydri.nir.stages import BY_NAME
from pydri.nir.types import ArrayType, StructType, Type

Arr = np.ndarray[Any, Any]
TextureFn = Callable[[TexInstr, Mapping[str, Arr]], Arr]

_DTYPES = {
    "float": np.float32, "int": np.int32, "uint": np.uint32,
    "float64": np.float64, "int64": np.int64, "uint64": np.uint64,
}  # fmt: skip
FLOATS = ("float", "float64")
#: how the bits of a value are kept
CELLS: dict[int, type[np.generic]] = {1: np.bool_, 32: np.uint32, 64: np.uint64}


class InterpError(Exception):
    """The shader does something that has no meaning."""


def raw(values: object) -> Arr:
    """Numbers as uint32 bits: Python and float64 numbers become single floats first."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return array.astype(np.float32).view(np.uint32)
    if array.dtype == np.bool_:
        return array.astype(np.uint32)
    return array.astype(np.int64).astype(np.uint32)


def evaluate(op: Opcode, srcs: list[Arr], num_components: int, saturate: bool = False) -> Arr:
    """One opcode over swizzled sources; bits in, bits out."""
    with np.errstate(all="ignore"):
        typed = [_operand(s, t, op.bits) for s, t in zip(srcs, op.in_types, strict=True)]
        result = np.asarray(op.eval(*typed))
        if op.out_type in FLOATS and not op.bits:
            result = flushed(result.astype(_DTYPES[op.out_type]))
        if saturate:
            wide = op.out_type == "float64"
            result = OPCODES["fsat64" if wide else "fsat"].eval(
                result.astype(_DTYPES[op.out_type])
            )
    lanes = srcs[0].shape[-1]
    shape = (op.out_size or num_components, lanes)
    if op.out_type == "bool" or result.dtype == np.bool_:
        return np.broadcast_to(result, shape).astype(np.bool_)
    if op.out_type != "any":
        result = result.astype(_DTYPES[op.out_type])
    cell = CELLS[8 * result.dtype.itemsize]
    return np.ascontiguousarray(np.broadcast_to(result, shape)).view(cell)


def _operand(bits: Arr, kind: str, kept: bool) -> Arr:
    """A source as numbers of its type, denormals as zeros if they are not kept."""
    if kind not in _DTYPES:
        return bits
    typed = np.ascontiguousarray(bits).view(_DTYPES[kind])
    return flushed(typed) if kind in FLOATS and not kept else typed


class Result:
    """What a run left behind."""

    def __init__(
        self, outputs: dict[int, Arr], discarded: Arr, values: dict[SSADef, Arr],
        emitted: Emitted | None = None,
    ) -> None:  # fmt: skip
        #: slot -> uint32 (4, lanes)
        self.outputs = outputs
        self.discarded = discarded
        #: of a geometry shader
        self.emitted = emitted
        #: last value of every SSA definition that ran
        self.values = values

    def output(self, slot: int) -> Arr:
        """An output slot as floats, (lanes, 4)."""
        return np.ascontiguousarray(self.outputs[slot].T).view(np.float32)


def run(
    shader: Shader,
    lanes: int,
    *,
    inputs: Mapping[int, object] | None = None,
    ubos: Mapping[int, bytes] | None = None,
    uniforms: object = None,
    system: Mapping[str, object] | None = None,
    texture: TextureFn | None = None,
    mask: Arr | None = None,
    helpers: Arr | None = None,
    max_rounds: int = MAX_ROUNDS,
    memory: Memory | None = None,
) -> Result:
    """Run a shader.  inputs: slot -> (lanes, n <= 4), of a stage whose inputs are arrays over
    vertices (lanes, vertices, n); uniforms: (slots, 4); system: by name.
    `mask`: the lanes that run it, if not all do; `helpers`: those that do so for neighbours."""
    machine = _Machine(shader, lanes, texture, max_rounds)
    if memory is not None:
        machine.resources = memory
    if mask is not None:
        machine.entered = mask
    if helpers is not None:
        machine.helpers = helpers
    for slot, values in (inputs or {}).items():
        if BY_NAME[shader.stage].inputs.per_vertex:
            machine.vertex_inputs[slot] = _vertices(values, lanes)
        else:
            machine.inputs[slot] = _vec4(values, lanes)
    for block, data in (ubos or {}).items():
        machine.ubos[block] = np.frombuffer(bytes(data), np.uint32)
    if uniforms is not None:
        machine.uniforms = raw(uniforms).reshape(-1, 4)
    for name, values in (system or {}).items():
        machine.system[name] = np.atleast_2d(np.asarray(values).T)
    return machine.main()


def run_geometry(
    shader: Shader, primitives: int, *, inputs: Mapping[int, object],
    system: Mapping[str, object] | None = None, **more: Any,
) -> Emitted:  # fmt: skip
    """Run a geometry shader over primitives: inputs: slot -> (primitives, vertices, n <= 4);
    system: by name, of each primitive; `primitive_id` counts them if it is not there. A lane for
    each invocation of a primitive, those of one primitive beside each other.
    """
    times = shader.info["gs_invocations"]
    given = {"primitive_id": np.arange(primitives), **(system or {})}
    repeated = {name: np.repeat(np.asarray(v), times, axis=0) for name, v in given.items()}
    repeated["invocation_id"] = np.tile(np.arange(times), primitives)
    slots = {slot: np.repeat(np.asarray(v), times, axis=0) for slot, v in inputs.items()}
    result = run(shader, primitives * times, inputs=slots, system=repeated, **more)
    assert result.emitted is not None
    return result.emitted


def _vertices(values: object, lanes: int) -> Arr:
    """(vertices, 4, lanes) of (lanes, vertices, n)."""
    array = np.asarray(values)
    return np.stack([_vec4(array[:, vertex], lanes) for vertex in range(array.shape[1])])


def _vec4(values: object, lanes: int) -> Arr:
    """Missing components are 0, 0, 0, 1 (GL 2.1, 2.8)."""
    array = np.asarray(values)
    array = array.reshape(lanes, -1)
    full = np.zeros((4, lanes), np.uint32)
    full[3] = raw(np.float32(1)) if array.dtype.kind == "f" else np.uint32(1)
    full[: array.shape[1]] = raw(array).T
    return full


def vec4_leaves(type_: Type) -> list[int]:
    """Width of each vec4 slot a variable takes, in order."""
    if isinstance(type_, ArrayType):
        return vec4_leaves(type_.item) * type_.size
    if isinstance(type_, StructType):
        return [width for _, field in type_.fields for width in vec4_leaves(field)]
    return [type_.rows] * type_.columns


class _Frame:
    """Lanes that left or restarted the loop being run."""

    def __init__(self, lanes: int) -> None:
        self.broken = np.zeros(lanes, np.bool_)
        self.continued = np.zeros(lanes, np.bool_)


class _Machine:
    def __init__(
        self, shader: Shader, lanes: int, texture: TextureFn | None, max_rounds: int
    ) -> None:
        self.shader = shader
        self.lanes = lanes
        self.texture = texture
        self.rounds_left = max_rounds
        self.entered = np.ones(lanes, np.bool_)
        self.helpers = np.zeros(lanes, np.bool_)
        self.inputs: dict[int, Arr] = {}
        #: of inputs that are arrays over vertices: (vertices, 4, lanes)
        self.vertex_inputs: dict[int, Arr] = {}
        self.emitted = Emitted(shader.info.get("gs_vertices_out", 0), lanes)
        self.outputs: dict[int, Arr] = {}
        self.ubos: dict[int, Arr] = {}
        self.uniforms: Arr = np.zeros((0, 4), np.uint32)
        self.system: dict[str, Arr] = {}
        self.values: dict[SSADef, Arr] = {}
        #: by SSA value of an If or Loop: what it was for each lane that came there last
        self.kept: dict[SSADef, Arr] = {}
        self.made: list[list[SSADef]] = []  # values of the Ifs and Loops that are being run
        self.memory: dict[Variable, Arr] = {}
        self.resources = Memory()
        self.frames: list[_Frame] = []
        self.carried: dict[PhiInstr, Arr] = {}
        self.came_from = np.full(lanes, -1)
        self.discarded = np.zeros(lanes, np.bool_)

    def main(self) -> Result:
        function = self.shader.main
        function.require_cfg()
        for var in self.shader.outputs:
            for leaf in leaves(self.shader, var):
                self.output_slot(leaf.slot)
        self.node_list(function.body, self.entered)
        self.flush_outputs()
        return Result(self.outputs, self.discarded, self.values, self.emitted)

    # ---- control flow; each step returns the lanes that go on behind the node
    def node_list(self, nodes: list[CFNode], mask: Arr) -> Arr:
        for node in nodes:
            if isinstance(node, Block):
                mask = self.block(node, mask)
            elif isinstance(node, If):
                taken = self.read(node.condition)[0]
                then = self.scoped(node.then, mask & taken)
                mask = then | self.scoped(node.otherwise, mask & ~taken)
            elif isinstance(node, Loop):
                mask = self.loop(node, mask)
        return mask

    def scoped(self, nodes: list[CFNode], mask: Arr) -> Arr:
        """A side of an If or the body of a Loop. If no lane wants it, it is not run."""
        if not mask.any():
            return mask
        self.made.append([])
        mask = self.node_list(nodes, mask)
        for dest in self.made.pop():
            self.values[dest] = self.kept[dest]
        return mask

    def loop(self, loop: Loop, mask: Arr) -> Arr:
        frame = _Frame(self.lanes)
        self.frames.append(frame)
        while mask.any() and self.rounds_left:
            self.rounds_left -= 1
            rest = self.scoped(loop.body, mask)
            mask = rest | frame.continued
            frame.continued = np.zeros(self.lanes, np.bool_)
        self.frames.pop()
        return frame.broken | mask

    def block(self, block: Block, mask: Arr) -> Arr:
        # Phis read their sources all at once, before any of them changes.
        phis = [(phi, self.phi(phi, mask)) for phi in block.phis]
        for phi, value in phis:
            self.define(phi.dest, value, mask)
        self.came_from = np.where(mask, block.index, self.came_from)
        for instr in block.instrs:
            if isinstance(instr, JumpInstr):
                if instr.kind == "break":
                    self.frames[-1].broken |= mask
                elif instr.kind == "continue":
                    self.frames[-1].continued |= mask
                return np.zeros(self.lanes, np.bool_)
            if not isinstance(instr, PhiInstr):
                mask = self.instr(instr, mask)
        return mask

    def phi(self, phi: PhiInstr, mask: Arr) -> Arr:
        """What came with each lane; in the others what came with them last."""
        result = self.carried.get(phi)
        if result is None:
            result = self.zeros(phi.dest)
        for source, value in phi.srcs:
            came = mask & (self.came_from == source.index)
            result = np.where(came, self.read(value), result)
        self.carried[phi] = result
        return result

    # ---- instructions
    def zeros(self, dest: SSADef) -> Arr:
        return np.zeros((dest.num_components, self.lanes), CELLS[dest.bit_size])

    def read(self, value: SSADef) -> Arr:
        """A value; zero if no lane ever came to its definition (a loop that none entered)."""
        found = self.values.get(value)
        return self.zeros(value) if found is None else found

    def define(self, dest: SSADef, value: Arr, mask: Arr) -> None:
        self.values[dest] = value
        if self.made:
            old = self.kept.get(dest)
            self.kept[dest] = np.where(mask, value, self.zeros(dest) if old is None else old)
            self.made[-1].append(dest)

    def instr(self, instr: Instr, mask: Arr) -> Arr:
        if isinstance(instr, AluInstr):
            srcs = [self.read(s.ssa)[list(s.swizzle)] for s in instr.srcs]
            width = instr.dest.num_components
            self.define(instr.dest, evaluate(instr.op, srcs, width, instr.saturate), mask)
        elif isinstance(instr, LoadConst):
            cells = np.array(instr.values, np.uint64 if instr.dest.bit_size == 64 else np.uint32)
            cells = cells[:, None]
            wide = np.broadcast_to(cells, (len(instr.values), self.lanes))
            self.define(instr.dest, wide != 0 if instr.dest.bit_size == 1 else wide, mask)
        elif isinstance(instr, Undef):
            self.define(instr.dest, self.zeros(instr.dest), mask)
        elif isinstance(instr, TexInstr):
            if self.texture is None:
                raise InterpError("the shader reads a texture; pass texture=")
            srcs_by_kind = {kind: self.read(value) for kind, value in instr.srcs}
            value = raw(self.texture(instr, srcs_by_kind))[: instr.dest.num_components]
            # what depends on no source is one value for all lanes
            self.define(instr.dest, np.broadcast_to(value, (len(value), self.lanes)), mask)
        elif isinstance(instr, IntrinsicInstr):
            return self.intrinsic(instr, mask)
        return mask

    def intrinsic(self, instr: IntrinsicInstr, mask: Arr) -> Arr:
        name, dest = instr.name, instr.dest
        if instr.row.memory:
            live = mask & ~self.discarded & ~self.helpers
            value = access(self.resources, instr, [self.read(src) for src in instr.srcs], live)
            if value is not None and dest is not None:
                self.define(dest, value, mask)
        elif dest is not None:
            self.define(dest, self.load(instr, dest), mask)
        elif name == "store_var":
            self.store_var(instr, mask)
        elif name == "copy_var":
            self.copy_var(instr, mask)
        elif name == "store_output":
            value = self.read(instr.srcs[0])
            cells = self.output_slot(instr.indices["base"])
            first = instr.indices["component"]
            for i in range(value.shape[0]):
                if instr.indices["wrmask"] >> i & 1:
                    cells[first + i] = np.where(mask, value[i], cells[first + i])
        elif name == "emit_vertex":
            self.flush_outputs()
            self.emitted.emit(mask, self.outputs)
        elif name == "end_primitive":
            self.emitted.end(mask)
        elif name == "discard":
            self.discarded |= mask
        elif name == "discard_if":
            self.discarded |= mask & self.read(instr.srcs[0])[0]
        elif name == "terminate":
            self.discarded |= mask
            return np.zeros(self.lanes, np.bool_)
        else:
            raise InterpError(f"intrinsic {name} has no meaning here")
        return mask

    def load(self, instr: IntrinsicInstr, dest: SSADef) -> Arr:
        name, width = instr.name, dest.num_components
        if name == "load_var":
            cells, at, _ = self.address(instr.variables[0])
            value = cells[at + np.arange(width)[:, None], np.arange(self.lanes)]
            return value != 0 if dest.bit_size == 1 else value
        if name in ("load_input", "load_output"):
            slot, first = instr.indices["base"], instr.indices["component"]
            if name == "load_output":
                return self.output_slot(slot)[first : first + width].copy()
            default = np.zeros((4, self.lanes), np.uint32)
            return self.inputs.get(slot, default)[first : first + width]
        if name == "load_per_vertex_input":
            found = self.vertex_inputs.get(instr.indices["base"])
            if found is None:
                return self.zeros(dest)
            vertex = np.minimum(self.read(instr.srcs[0])[0].astype(np.int64), len(found) - 1)
            part = instr.indices["component"] + np.arange(width)[:, None]
            return found[vertex, part, np.arange(self.lanes)]
        if name == "load_ubo":
            start = self.read(instr.srcs[0])[0].astype(np.int64) // 4
            data = self.ubos.get(instr.indices["block"], np.zeros(0, np.uint32))
            return self.fetch(data, start + np.arange(width)[:, None])
        if name == "load_uniform":
            offset = self.read(instr.srcs[0])[0].view(np.int32).astype(np.int64)
            start = (instr.indices["base"] + offset) * 4
            return self.fetch(self.uniforms.reshape(-1), start + np.arange(width)[:, None])
        if name == "load_user_clip_plane":
            planes = self.system.get("user_clip_plane", np.zeros((4, 8), np.float32))
            plane = raw(planes[:, instr.indices["plane"], None])
            return np.broadcast_to(plane, (width, self.lanes))
        return self.system_value(name.removeprefix("load_"), dest)

    def fetch(self, data: Arr, index: Arr) -> Arr:
        inside = (index >= 0) & (index < data.size)
        if not data.size:
            return np.zeros(index.shape, np.uint32)
        return np.where(inside, data[np.where(inside, index, 0)], np.uint32(0))

    def system_value(self, name: str, dest: SSADef) -> Arr:
        given = self.system.get(name)
        if given is None:
            if name == "vertex_id":
                return np.arange(self.lanes, dtype=np.uint32)[None]
            if name == "helper_invocation":
                return (self.discarded | self.helpers)[None]
            if name == "point_coord":
                return self.inputs.get(VARYING_SLOT_PNTC, np.zeros((2, self.lanes), np.uint32))[:2]
            return self.zeros(dest)
        shape = (dest.num_components, self.lanes)
        wide = np.broadcast_to(given if dest.bit_size == 1 else raw(given), shape)
        return wide.astype(np.bool_) if dest.bit_size == 1 else wide

    # ---- memory
    def output_slot(self, slot: int) -> Arr:
        return self.outputs.setdefault(slot, np.zeros((4, self.lanes), np.uint32))

    def cells(self, var: Variable) -> Arr:
        """A variable's components, (components, lanes)."""
        found = self.memory.get(var)
        if found is not None:
            return found
        if var.type.kind == "sampler":
            raise InterpError(f"{var.name} is a sampler, not memory")
        cells = np.zeros((var.type.components, self.lanes), np.uint32)
        at = 0
        if var.mode == "shader_in":
            self.fill_input(var, cells)
        elif var.mode == "uniform":
            for i, width in enumerate(vec4_leaves(var.type)):
                if var.driver_location + i < len(self.uniforms):
                    cells[at : at + width] = self.uniforms[var.driver_location + i, :width, None]
                at += width
        self.memory[var] = cells
        return cells

    def fill_input(self, var: Variable, cells: Arr) -> None:
        """What was passed to an input variable; of an array over vertices, to each of these."""
        arrayed = is_per_vertex(self.shader, var)
        at = 0
        for vertex in range(var.type.length if arrayed else 1):
            for _, type_, slot, component in leaves(self.shader, var):
                if arrayed:
                    by_vertex = self.vertex_inputs.get(slot)
                    given = None if by_vertex is None else by_vertex[vertex]
                else:
                    given = self.inputs.get(slot)
                if given is not None:
                    cells[at : at + type_.rows] = given[component : component + type_.rows]
                at += type_.rows

    def flush_outputs(self) -> None:
        """Output variables that were written are passed in their slots."""
        for var, cells in self.memory.items():
            if var.mode == "shader_out":
                at = 0
                for _, type_, number, component in leaves(self.shader, var):
                    slot = self.output_slot(number)
                    slot[component : component + type_.rows] = cells[at : at + type_.rows]
                    at += type_.rows

    def address(self, deref: Deref) -> tuple[Arr, Arr, Arr]:
        """The variable's components, for each lane the number of the first one meant, and whether
        all indices were inside."""
        cells = self.cells(deref.var)
        at = np.zeros(self.lanes, np.int64)
        inside = np.ones(self.lanes, np.bool_)
        type_ = deref.var.type
        for step in deref.path:
            if isinstance(step, str):
                assert isinstance(type_, StructType)
                for name, field in type_.fields:
                    if name == step:
                        break
                    at = at + field.components
                type_ = type_.element(step)
                continue
            if isinstance(step, SSADef):
                index = self.read(step)[0].astype(np.int64)
            else:
                index = np.full(self.lanes, step, np.int64)
            inside &= index < type_.length
            index = np.minimum(index, type_.length - 1)
            type_ = type_.element()
            at = at + index * type_.components
        return cells, at, inside

    def store_var(self, instr: IntrinsicInstr, mask: Arr) -> None:
        cells, at, inside = self.address(instr.variables[0])
        value = self.read(instr.srcs[0]).astype(np.uint32)
        lanes = np.nonzero(mask & inside)[0]
        for i in range(value.shape[0]):
            if instr.indices["wrmask"] >> i & 1:
                cells[at[lanes] + i, lanes] = value[i, lanes]

    def copy_var(self, instr: IntrinsicInstr, mask: Arr) -> None:
        target, source = instr.variables
        to_cells, to, inside = self.address(target)
        from_cells, at, _ = self.address(source)
        lanes = np.nonzero(mask & inside)[0]
        count = np.arange(target.type.components)[:, None]
        to_cells[to[lanes] + count, lanes] = from_cells[at[lanes] + count, lanes]
