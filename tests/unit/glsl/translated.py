# SPDX-License-Identifier: MIT
"""Compile, translate and run a shader on its own: a linker for tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.language.layouts import SLOT_BYTES, VEC4, path, sampler_count
from pydri.glsl.link.layout import (
    DEFAULT_BLOCK,
    STATE_BLOCK,
    UNIFORM_BLOCK,
    Layout,
    Place,
)
from pydri.glsl.link.passed import copied
from pydri.glsl.translate.to_nir import to_nir
from pydri.glsl.tree import Shader, Var
from pydri.nir import interp, ir
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    VARYING_SLOT_VAR0,
    VERT_ATTRIB_GENERIC0,
)
from pydri.nir.passes import lower_for_backend, lower_glsl
from pydri.nir.types import SamplerType, Type
from pydri.nir.validate import validate
from tests.unit.glsl.shaders import CONTEXT


class OneStage(Layout):
    """Everything one after the other, in the order of declaration; state too, by the same rule."""

    def __init__(self, shader: Shader, block: int = UNIFORM_BLOCK) -> None:
        super().__init__()
        self.offsets: dict[int, int] = {}
        self.names: dict[str, Var] = {}
        inputs = VERT_ATTRIB_GENERIC0 if shader.stage == "vertex" else VARYING_SLOT_VAR0
        free = {"shader_in": inputs, "shader_out": VARYING_SLOT_VAR0 if shader.stage == "vertex"
                else FRAG_RESULT_DATA0}  # fmt: skip
        units = 0
        #: by the tree's variable, which may be another shader's as well
        self.roots = {var: copied(var) for var in shader.globals}
        for var in self.roots.values():
            self.names[var.name] = var
            if var.mode == "uniform":
                where = STATE_BLOCK if var.builtin else block
                self.samplers[var] = units
                units += sampler_count(var.type)
                at = self.offsets.get(where, 0)
                self.uniforms[var] = where, at
                if not isinstance(var.type, SamplerType):
                    self.offsets[where] = at + var.type.slots * SLOT_BYTES
            elif var.mode in free and var.slot is None:
                var.slot = free[var.mode]
                free[var.mode] += var.type.slots

    def var(self, var: Var) -> Var:
        return self.roots.get(var, var)

    def state(self, root: Var, members: tuple[str, ...]) -> Place:
        before, strides, step = path(VEC4, root.type, members)
        block, offset = self.uniforms[root]
        return Place(block, offset + before, strides, step)

    def blocks(self, values: Mapping[str, Any]) -> dict[int, bytes]:
        """The uniform blocks that hold these values: flat components by the variable's name."""
        data = {b: bytearray(size) for b, size in self.offsets.items() if b != DEFAULT_BLOCK}
        for name, value in values.items():
            var = self.names[name]
            block, at = self.uniforms[var]
            flat = list(np.ravel(value))
            for width, kind in leaf_shapes(var.type):
                for i in range(width):
                    code = "<f" if kind == "float" else "<i"
                    number = flat.pop(0)
                    cast = float(number) if kind == "float" else int(number)
                    struct.pack_into(code, data[block], at + 4 * i, cast)
                at += SLOT_BYTES
        return {b: bytes(d) for b, d in data.items()}


def leaf_shapes(type_: Type) -> list[tuple[int, str]]:
    """Width and kind of each vec4 slot."""
    fields = getattr(type_, "fields", None)
    if fields is not None:
        return [shape for _, inner in fields for shape in leaf_shapes(inner)]
    if type_.columns == 0:
        return leaf_shapes(type_.element(0)) * type_.length
    return [(type_.rows, type_.kind)] * type_.columns


def checked(text: str, stage: str = "fragment", context: Context = CONTEXT) -> Shader:
    """The typed tree of a shader that has no errors."""
    compiled = compile_shader(text, stage, context)
    assert compiled.shader is not None, compiled.log
    return compiled.shader


def translate(text: str, stage: str = "fragment") -> tuple[ir.Shader, OneStage]:
    """The shader as nir, not yet optimised, and where its variables live."""
    tree = checked(text, stage)
    layout = OneStage(tree)
    return to_nir(tree, layout), layout


def execute(
    shader: ir.Shader, layout: OneStage, lanes: int, inputs: Mapping[str, Any],
    uniforms: Mapping[str, Any], **more: Any,
) -> interp.Result:  # fmt: skip
    """Run it: inputs by name, one row a lane, arrays and matrices slot after slot."""
    slots: dict[int, Any] = {}
    for name, values in inputs.items():
        var = layout.names[name]
        assert isinstance(var.slot, int)
        table = np.asarray(values).reshape(lanes, var.type.slots, -1)
        for i in range(var.type.slots):
            slots[var.slot + i] = table[:, i]
    return interp.run(shader, lanes, inputs=slots, ubos=layout.blocks(uniforms), **more)


def outcomes(
    text: str, lanes: int, inputs: Mapping[str, Any], uniforms: Mapping[str, Any],
    stage: str = "fragment", **more: Any,
) -> list[interp.Result]:  # fmt: skip
    """The results of a shader as translated, as optimised, and as drivers get it."""
    tree = checked(text, stage)
    layout = OneStage(tree)
    results = []
    for steps in ((), (lower_glsl,), (lower_glsl, lower_for_backend)):
        shader = to_nir(tree, layout)
        validate(shader, "to_nir")
        for step in steps:
            step(shader)
            validate(shader, step.__name__)
        results.append(execute(shader, layout, lanes, inputs, uniforms, **more))
    return results


def color(text: str, lanes: int, inputs: Mapping[str, Any], **uniforms: Any) -> Any:
    """What a fragment shader writes to gl_FragColor, one row a lane; all ways agree."""
    found = [r.output(FRAG_RESULT_COLOR) for r in outcomes(text, lanes, inputs, uniforms)]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], 1e-6, 1e-6)
    return found[0]
