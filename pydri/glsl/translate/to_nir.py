# SPDX-License-Identifier: MIT
"""The door of the translation: a linked stage's typed tree becomes a shader of nir.

In: a `tree.Shader` whose functions are all defined, and the `Layout` of its program.  Out: a
`nir.Shader` with one function, everything inlined; uniforms are load_ubo (or load_uniform), inputs
and outputs are variables still. `passes.lower_glsl` makes of it what drivers see.
"""

from __future__ import annotations

from pydri.glsl import tree
from pydri.glsl.link.layout import Layout
from pydri.glsl.source.expressions import MAX_NESTING
from pydri.glsl.translate.base import Memory, TooComplex
from pydri.glsl.translate.statements import Statements
from pydri.nir.ir import Shader
from pydri.nir.stages import BY_NAME, INPUT_PRIMITIVES, OUTPUT_PRIMITIVES
from pydri.util.deep_stack import DeepStack

__all__ = ["TooComplex", "to_nir"]

#: Python frames that a level of nesting takes at most
_FRAMES = 24


def _info(shader: tree.Shader) -> dict[str, int]:
    """What layout() says of the whole stage, as facts of the shader. Primitives are GL's modes."""
    if not BY_NAME[shader.stage].emits:
        return {}
    layouts = shader.layouts
    taken, made = INPUT_PRIMITIVES[str(layouts["in"])], OUTPUT_PRIMITIVES[str(layouts["out"])]
    return {
        "gs_input_primitive": taken.mode, "gs_vertices_in": taken.vertices,
        "gs_output_primitive": made.mode, "gs_vertices_out": int(layouts["max_vertices"]),
        "gs_invocations": int(layouts.get("invocations", 1)),
    }  # fmt: skip


def to_nir(shader: tree.Shader, layout: Layout) -> Shader:
    """Translate a stage; raises TooComplex for what becomes too large, and nothing else."""
    main = next(f for f in shader.functions if f.name == "main" and not f.parameters)
    with DeepStack(MAX_NESTING * _FRAMES):
        translation = Statements(shader, layout)
        translation.shader.info.update(_info(shader))
        for var in shader.globals:
            root = layout.var(var)
            value = root.initializer or var.initializer
            if root.mode == "global" and value is not None:
                place = translation.variable(var)
                assert isinstance(place, Memory)
                translation.store(place, translation.rvalue(value))
        translation.inlined(layout.function(main))
        translation.finish_head()
    return translation.shader
