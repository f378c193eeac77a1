# SPDX-License-Identifier: MIT
"""The linker: shader objects become a program.

In: the typed trees of all shader objects (which are never written to: one may be part of several
programs), what glBindAttribLocation asked for, limits.  Out: a `Linked`: for each stage a `Stage`,
whose `layout` is what the translation to nir asks, the active attributes and uniforms, and the log.
Nothing is raised for what a program wrote. The stages are a chain (CHAIN of pydri/nir/stages.py):
each is matched with its neighbour, the next one that the program has. A stage without objects is
fixed function. Counterpart of Mesa's linker.cpp and link_varyings.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pydri.glsl.link import blocks as linker_blocks
from pydri.glsl.link.blocks import BlockLimits, link_blocks
from pydri.glsl.link.captures import Asked, Found, asked_outputs, placed
from pydri.glsl.link.linked import CAPTURE, UNIFORM, UNIFORM_BLOCK, Linked
from pydri.glsl.link.passed import cross_validate_blocks
from pydri.glsl.link.stage import LinkError, Stage, merge_stage
from pydri.glsl.link.uniforms import Limits, link_uniforms
from pydri.glsl.link.varyings import (
    check_emitted,
    cross_validate,
    link_attributes,
    link_outputs,
    link_varyings,
)
from pydri.glsl.tree import Shader
from pydri.nir.stages import ATTRIBUTES, CHAIN, RESULTS, STAGES, VARYINGS, neighbours

_LIMITS: Final = {row.name: Limits(16384, 16) for row in STAGES}


class Bounds(NamedTuple):
    """The limits of a context that linking may meet."""

    attributes: int = 16
    varyings: int = 32  # vectors
    #: of uniforms and samplers, by stage
    stages: Mapping[str, Limits] = _LIMITS
    #: colour targets
    targets: int = 8
    #: those of them that have a second source of blending
    dual: int = 1
    blocks: BlockLimits = BlockLimits()
    #: components of all vertices that an invocation makes
    emitted: int = 1024
    #: to clip by and to cull by
    distances: int = 8


LEAST = Bounds()
NOTHING = Asked()


def link(
    shaders: Iterable[Shader], bindings: Mapping[str, int] | None = None,
    bounds: Bounds = LEAST, colors: Mapping[str, tuple[int, int]] | None = None,
    asked: Asked = NOTHING,
) -> Linked:  # fmt: skip
    """Link shader objects, in the order in which they were attached; `bindings` are those of
    attributes, `colors` those of fragment shaders' outputs (number, index), `asked` what is
    captured.
    """
    out = Linked()
    try:
        _link(out, list(shaders), bindings or {}, bounds, colors or {}, asked)
    except LinkError as error:
        for text in error.args:
            out.fail(text)
    return out


def _link(
    out: Linked, shaders: list[Shader], bindings: Mapping[str, int], bounds: Bounds,
    colors: Mapping[str, tuple[int, int]], asked: Asked,
) -> None:  # fmt: skip
    if len({s.es for s in shaders}) > 1 or (
        any(s.es for s in shaders) and len({s.version for s in shaders}) > 1
    ):
        raise LinkError("all shaders must use same shading language version")
    version = max((shader.version for shader in shaders), default=110)
    for row in CHAIN:
        mine = [shader for shader in shaders if shader.stage == row.name]
        if mine:
            stage = out.stages[row.name] = merge_stage(row, mine)
            _check_stage(stage, version, bounds.distances)
    chain = list(out.stages.values())
    _check_chain(chain)
    uniforms = link_uniforms(chain, bounds.stages)
    linker_blocks.cross_validate(chain)
    blocks = link_blocks(chain, len(uniforms.rows), bounds.blocks)
    for producer, consumer in neighbours(chain):
        if producer is not None and consumer is not None:
            cross_validate_blocks(producer, consumer)
            cross_validate(producer, consumer, version)
    for stage in chain:
        if stage.row.inputs.kind == ATTRIBUTES:
            out.attributes = link_attributes(stage, bindings, bounds.attributes)
        if stage.row.outputs.kind == RESULTS:
            out.outputs = link_outputs(stage, colors, bounds.targets, bounds.dual)
    last = next((s for s in reversed(chain) if s.row.outputs.kind == VARYINGS), None)
    captured = asked_outputs(last, asked) if chain else []  # nothing is linked of no shaders
    kept = [found.root for found in captured if isinstance(found, Found)]
    for producer, consumer in neighbours(chain):
        link_varyings(producer, consumer, bounds.varyings, kept if producer is last else ())
    for stage in chain:
        if stage.row.emits:
            check_emitted(stage, bounds.emitted)
    if last is not None:
        packing = last.packing.get("shader_out", {})
        out.stream_output = placed(captured, packing, asked.separate)
        out.resources[CAPTURE] = [found.row for found in captured]
    out.resources[UNIFORM] = uniforms.rows + blocks.uniforms
    out.resources[UNIFORM_BLOCK], out.stage_blocks = blocks.rows, blocks.of_stage
    out.samplers = uniforms.samplers
    out.locations, out.storage = uniforms.locations, bytes(uniforms.storage)


def _check_chain(chain: list[Stage]) -> None:
    """Stages in the middle need what is before them."""
    for stage in chain:
        if stage.row.inputs.per_vertex and chain[0].row.inputs.kind != ATTRIBUTES:
            raise LinkError(f"{stage.name.capitalize()} shader must be linked with vertex shader")


#: built-in outputs of which a stage may write one kind
_EITHER: Final = (
    ("gl_ClipVertex", "gl_ClipDistance"), ("gl_ClipVertex", "gl_CullDistance"),
    ("gl_FragColor", "gl_FragData"), ("gl_FragColor", "gl_SecondaryFragDataEXT"),
    ("gl_SecondaryFragColorEXT", "gl_FragData"),
    ("gl_SecondaryFragColorEXT", "gl_SecondaryFragDataEXT"),
)  # fmt: skip


#: arrays whose elements are counted together
_DISTANCES: Final = ("gl_ClipDistance", "gl_CullDistance")


def _check_stage(stage: Stage, version: int, distances: int) -> None:
    """What a whole stage must and must not do. `distances`: the most of all kinds."""
    written = {root.name for root, use in stage.used.items() if root.builtin and use.written}
    if stage.row.inputs.kind == ATTRIBUTES and not stage.es and version < 140:
        if "gl_Position" not in written:
            raise LinkError(f"{stage.name} shader does not write to `gl_Position'. ")
    for one, other in _EITHER:
        if {one, other} <= written:
            raise LinkError(f"{stage.name} shader writes to both `{one}' and `{other}'")
    if sum(stage.roots[name].type.slots for name in written.intersection(_DISTANCES)) > distances:
        raise LinkError(f"{stage.name} shader: the combined size of 'gl_ClipDistance' and "
                        "'gl_CullDistance' size cannot be larger than "
                        f"gl_MaxCombinedClipAndCullDistances ({distances})")


__all__ = ["BlockLimits", "Bounds", "Limits", "Linked", "link"]
