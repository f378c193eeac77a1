# SPDX-License-Identifier: MIT
"""The linker: shader objects become a program.

In: the typed trees of all shader objects (which are never written to: one may be part of several
programs), what glBindAttribLocation asked for, limits.  Out: a `Linked`: for each stage a `Stage`,
whose `layout` is what the translation to nir asks, the active attributes and uniforms, and the log.
Nothing is raised for what a program wrote. A stage without objects is fixed function. Counterpart
of Mesa's linker.cpp and link_varyings.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydri.glsl.linked import Linked
from pydri.glsl.linker_stage import LinkError, Stage, merge_stage
from pydri.glsl.linker_uniforms import Limits, Uniforms, link_uniforms
from pydri.glsl.linker_varyings import (
    cross_validate,
    link_attributes,
    link_outputs,
    link_varyings,
)
from pydri.glsl.tree import Shader

STAGES = ("vertex", "fragment")


class Bounds(NamedTuple):
    """The limits of a context that linking may meet."""

    attributes: int = 16
    varyings: int = 32  # vectors
    vertex: Limits = Limits(16384, 16)
    fragment: Limits = Limits(16384, 16)
    #: the number of the vertex stage's first sampler (one table of views serves both stages)
    vertex_samplers: int = 16
    #: colour targets
    targets: int = 8


LEAST = Bounds()


def link(
    shaders: Iterable[Shader], bindings: Mapping[str, int] | None = None,
    bounds: Bounds = LEAST, colors: Mapping[str, int] | None = None,
) -> Linked:  # fmt: skip
    """Link shader objects, in the order in which they were attached; `bindings` are those of
    attributes, `colors` those of fragment shaders' outputs.
    """
    out = Linked()
    try:
        _link(out, list(shaders), bindings or {}, bounds, colors or {})
    except LinkError as error:
        for text in error.args:
            out.fail(text)
    return out


def _link(
    out: Linked, shaders: list[Shader], bindings: Mapping[str, int], bounds: Bounds,
    colors: Mapping[str, int],
) -> None:  # fmt: skip
    if len({s.es for s in shaders}) > 1 or (
        any(s.es for s in shaders) and len({s.version for s in shaders}) > 1
    ):
        raise LinkError("all shaders must use same shading language version")
    for name in STAGES:
        mine = [shader for shader in shaders if shader.stage == name]
        if mine:
            stage = out.stages[name] = merge_stage(name, mine)
            _check_stage(stage, max(shader.version for shader in shaders))
    version = max((shader.version for shader in shaders), default=110)
    vertex, fragment = (out.stages.get(name) for name in STAGES)
    uniforms = link_uniforms(
        list(out.stages.values()), {"vertex": bounds.vertex, "fragment": bounds.fragment})
    if vertex is not None and fragment is not None:
        cross_validate(vertex, fragment, version)
    if vertex is not None:
        out.attributes = link_attributes(vertex, bindings, bounds.attributes)
    if fragment is not None:
        out.outputs = link_outputs(fragment, colors, bounds.targets)
    link_varyings(vertex, fragment, bounds.varyings)
    _keep(out, uniforms, bounds)


def _keep(out: Linked, uniforms: Uniforms, bounds: Bounds) -> None:
    out.uniforms, out.samplers = uniforms.rows, uniforms.samplers
    out.locations, out.storage = uniforms.locations, bytes(uniforms.storage)
    if "vertex" in out.stages:
        out.first_sampler["vertex"] = bounds.vertex_samplers
        table = out.stages["vertex"].layout.samplers
        for root in table:
            table[root] += bounds.vertex_samplers


def _check_stage(stage: Stage, version: int) -> None:
    """What a whole stage must and must not do."""
    written = {root.name for root, use in stage.used.items() if root.builtin and use.written}
    if stage.name == "vertex":
        if "gl_Position" not in written and version < (300 if stage.es else 140) and not stage.es:
            raise LinkError("vertex shader does not write to `gl_Position'. ")
        if {"gl_ClipVertex", "gl_ClipDistance"} <= written:
            raise LinkError("vertex shader writes to both `gl_ClipVertex' and `gl_ClipDistance'")
    elif {"gl_FragColor", "gl_FragData"} <= written:
        raise LinkError("fragment shader writes to both `gl_FragColor' and `gl_FragData'")


__all__ = ["STAGES", "Bounds", "Limits", "Linked", "link"]
