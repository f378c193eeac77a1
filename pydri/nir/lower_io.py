# SPDX-License-Identifier: MIT
"""Variables of the interface become slots: load_input, store_output, load_uniform.

In: a shader with variables; locations are assigned (uniforms: driver_location, in vec4 slots).
Out: True if an access was lowered.  Runs the passes it needs first: copies, shadows of outputs that
are read, lower_indirect_io, lower_io_types.  Uniforms may be indexed at run time: the slot is then
base + source.  Variables of sampler type are left alone.  Counterpart of nir_lower_io.c.
"""

from __future__ import annotations

from pydri.nir import lower_indirect_io, lower_io_types, lower_var_copies
from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, Instr, IntrinsicInstr, Shader, SSADef
from pydri.nir.slots import is_per_vertex
from pydri.nir.types import StructType, Type


def run(shader: Shader) -> bool:
    """The pass."""
    lower_indirect_io.shadow_outputs(shader)
    lower_indirect_io.run(shader)
    lower_io_types.run(shader)
    lower_var_copies.run(shader, ("shader_in", "shader_out", "uniform"))
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        b = Builder(shader, function)

        def now(value: SSADef, replace: dict[SSADef, SSADef] = replace) -> SSADef:
            return replace.get(value, value)

        for instr in function.instrs():
            if not isinstance(instr, IntrinsicInstr) or not instr.variables:
                continue
            mode = instr.variables[0].var.mode
            if mode not in ("shader_in", "shader_out", "uniform"):
                continue
            b.before(instr)
            # An index may be a value that was itself just lowered.
            instr.map_sources(now)
            if instr.dest is None:
                _store(b, instr)
            else:
                load = _load_uniform if mode == "uniform" else _load_input
                replace[instr.dest] = load(b, instr)
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress


def _as_loaded(b: Builder, value: SSADef, type_: Type) -> SSADef:
    """Bools travel as 32-bit numbers outside SSA values."""
    return b.ine(value, 0) if type_.kind == "bool" else value


def _kind(type_: Type) -> str:
    return "uint" if type_.kind == "bool" else type_.kind


def _component(b: Builder, vector: SSADef, steps: list[int | str | SSADef]) -> SSADef:
    """The component that a last step picks, if there is one."""
    if not steps:
        return vector
    step = steps[0]
    if isinstance(step, SSADef):
        return b.channel(vector, step)
    assert isinstance(step, int)
    return b.swizzle(vector, (step,))


def _load_input(b: Builder, instr: Instr) -> SSADef:
    assert isinstance(instr, IntrinsicInstr)
    deref = instr.variables[0]
    var = deref.var
    if is_per_vertex(b.shader, var):
        vertex, *rest = deref.path
        assert not isinstance(vertex, str)
        item = var.type.element(0)
        vector = b.load_per_vertex_input(
            vertex, var.location, item.rows, component=var.component, kind=_kind(item))
        return _component(b, _as_loaded(b, vector, item), rest)
    vector = b.load_input(
        var.location, var.type.rows, component=var.component, kind=_kind(var.type)
    )
    return _component(b, _as_loaded(b, vector, var.type), list(deref.path))


def _store(b: Builder, instr: IntrinsicInstr) -> None:
    deref = instr.variables[0]
    var, value = deref.var, instr.srcs[0]
    component = var.component
    if deref.path:
        step = deref.path[0]
        assert isinstance(step, int)
        component += step
    if value.bit_size == 1:
        value = b.b2i(value)
    b.store_output(value, var.location, instr.indices["wrmask"], component=component)


def _load_uniform(b: Builder, instr: Instr) -> SSADef:
    assert isinstance(instr, IntrinsicInstr)
    deref = instr.variables[0]
    base, offset, steps, type_ = _uniform_slot(b, deref)
    vector = b.load_uniform(base, type_.rows, 0 if offset is None else offset, _kind(type_))
    return _component(b, _as_loaded(b, vector, type_), steps)


def _uniform_slot(
    b: Builder, deref: Deref
) -> tuple[int, SSADef | None, list[int | str | SSADef], Type]:
    """Constant slot, run-time slots, what is left of the path inside the vector, the vector."""
    base = deref.var.driver_location
    offset: SSADef | None = None
    type_ = deref.var.type
    steps = list(deref.path)
    while not type_.is_vector_or_scalar:
        step = steps.pop(0)
        if isinstance(step, str):
            assert isinstance(type_, StructType)
            for name, field in type_.fields:
                if name == step:
                    break
                base += field.slots
            type_ = type_.element(step)
            continue
        type_ = type_.element()
        if isinstance(step, int):
            base += step * type_.slots
        else:
            scaled = b.imul(step, type_.slots) if type_.slots > 1 else step
            offset = scaled if offset is None else b.iadd(offset, scaled)
    return base, offset, steps, type_
