# SPDX-License-Identifier: MIT
"""Compiling and linking: from the texts of shader objects to an Executable (GL 2.1, 2.15).

In: ShaderData and ProgramData (objects.py), what the context has. Out: logs and states, and for a
link that succeeds the native `Executable` that uniforms are set in and that is drawn with. Mesa:
main/shaderapi.c (_mesa_compile_shader, link_program), st_glsl_to_ir.cpp.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pydri.glsl.linked import Linked
from pydri.main import memory
from pydri.main.shaders import cache, dump
from pydri.main.shaders.active import keep_active
from pydri.main.shaders.cache import CompiledBefore, Facts, LinkedBefore, Source
from pydri.main.shaders.layout import (
    BOOL,
    FLOAT,
    INT,
    MAX_STAGE_SAMPLERS,
    MAX_UNIFORM_COMPONENTS,
    MAX_VARYING_VECTORS,
    READS_FLAT,
    SAMPLER,
    UINT,
    WRITES_CLIP_VERTEX,
    WRITES_POINT_SIZE,
    Executable,
    UniformSlot,
)
from pydri.main.shaders.objects import ProgramData, ShaderData, find
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.main.textures.tables import SAMPLER_TARGETS
from pydri.main.version import glsl_version
from pydri.nir import enums
from pydri.util import spans

if TYPE_CHECKING:
    from pydri.glsl.compiler import Compiled
    from pydri.glsl.linked import Sampler
    from pydri.glsl.tree import Shader
    from pydri.main.context import GLContext
    from pydri.main.shaders.code import StageCode
    from pydri.nir.gather_info import Info
    from pydri.nir.ir import Shader as NirShader

_KINDS = {"float": FLOAT, "int": INT, "uint": UINT, "bool": BOOL, "sampler": SAMPLER}
#: extensions of the language that a context may have
GLSL_EXTENSIONS = frozenset((
    "GL_ARB_draw_buffers", "GL_ARB_texture_rectangle", "GL_ARB_shader_texture_lod",
    "GL_ARB_draw_instanced", "GL_EXT_texture_array", "GL_EXT_gpu_shader4",
    "GL_ARB_explicit_attrib_location", "GL_ARB_fragment_coord_conventions",
    "GL_ARB_conservative_depth", "GL_AMD_conservative_depth", "GL_AMD_shader_trinary_minmax",
    "GL_ARB_derivative_control", "GL_ARB_shader_bit_encoding",
))  # fmt: skip


def facts_of(ctx: GLContext) -> Facts:
    """What the context's shaders may use."""
    from pydri.main.get.string_entries import extension_list

    known: Facts | None = ctx.strings.get("glsl")
    if known is None:
        units = MAX_IMAGE_UNITS
        limits = {
            "gl_MaxLights": 8, "gl_MaxClipPlanes": 8, "gl_MaxTextureUnits": MAX_TEXTURE_UNITS,
            "gl_MaxTextureCoords": MAX_TEXTURE_UNITS, "gl_MaxVertexAttribs": 16,
            "gl_MaxVertexUniformComponents": MAX_UNIFORM_COMPONENTS,
            "gl_MaxVaryingFloats": 4 * MAX_VARYING_VECTORS,
            "gl_MaxVertexTextureImageUnits": units, "gl_MaxTextureImageUnits": units,
            "gl_MaxCombinedTextureImageUnits": units,
            "gl_MaxFragmentUniformComponents": MAX_UNIFORM_COMPONENTS,
            "gl_MaxDrawBuffers": int(ctx.n.limits.draw_buffers),
        }  # fmt: skip
        names = tuple(sorted(GLSL_EXTENSIONS.intersection(extension_list(ctx))))
        version = glsl_version(ctx.version) or 120
        known = ctx.strings["glsl"] = Facts(version, names, tuple(limits.items()))
    return known


def compile_source(source: Source) -> Compiled:
    """Log and tree of a source."""
    from pydri.glsl.compiler import Context, compile_shader

    facts = source.facts
    context = Context(facts.version, 0, frozenset(facts.extensions), dict(facts.limits))
    with spans.span("front end"):
        return compile_shader(source.text, source.stage, context)


#: trees of sources; a shader object that was compiled here keeps its own
_trees: WeakValueDictionary[Source, Shader] = WeakValueDictionary()


def tree_of(source: Source) -> Shader:
    """The tree of a source that compiles."""
    tree = _trees.get(source)
    if tree is None:
        tree = compile_source(source).shader
        assert tree is not None, "it compiled before"
        _trees[source] = tree
    return tree


def compile_shader(ctx: GLContext, shader: ShaderData) -> None:
    """glCompileShader: log and state of a shader, and its tree unless that is known to be good."""
    shader.compiled_source, shader.compiled, shader.log = None, False, b""
    shader.tree = None
    if shader.source is None:
        return  # the peer's: a failure without an error
    shader.text = shader.source.decode("latin-1")
    source = Source(shader.stage, shader.text, facts_of(ctx))
    key = cache.source_key(source)
    known: CompiledBefore | None = cache.find(key, CompiledBefore)
    if known is None:
        made = compile_source(source)
        shader.log = made.log.encode("latin-1", "replace")
        if made.shader is not None:
            _trees[source] = shader.tree = made.shader
            known = CompiledBefore(shader.log)
            cache.keep(key, known)
    if known is not None:
        shader.log, shader.compiled, shader.compiled_source = known.log, True, source
    dump.compiled(shader)


# -- linking ---------------------------------------------------------------------------------------


def link_program(ctx: GLContext, program: ProgramData) -> None:
    """glLinkProgram. A link that fails leaves the executable to those who use it."""
    program.validated = False
    found = [find(ctx, name) for name in program.shaders]
    shaders = [shader for shader in found if isinstance(shader, ShaderData)]
    sources = [shader.compiled_source for shader in shaders]
    good = [source for source in sources if source is not None]
    linked = Linked()
    for _ in range(len(sources) - len(good)):
        linked.fail("linking with uncompiled/unspecialized shader")
        linked.log = linked.log[:-1]  # the peer's has no end of line
    codes: dict[str, StageCode] = {}
    if len(good) == len(sources):
        linked, codes = _Link(good, dict(program.bindings), dict(program.colors)).result()
    program.log = linked.log.encode("latin-1", "replace")
    program.n.linked = int(linked.good)
    program.linked = linked if linked.good else None
    if linked.good:
        program.codes = codes
        program.install(_executable(linked, codes))
    dump.linked(program, shaders, tree_of)


class _Link:
    """Sources and bindings on their way to a program."""

    def __init__(
        self, sources: list[Source], bindings: dict[str, int], colors: dict[str, int]
    ) -> None:
        self.sources, self.bindings, self.colors = sources, bindings, colors
        self._linked: Linked | None = None

    def linked(self) -> Linked:
        """What the linker says, with the stages' trees."""
        if self._linked is None:
            from pydri.glsl import linker
            from pydri.main.shaders.state import state_place

            limits = linker.Limits(MAX_UNIFORM_COMPONENTS, MAX_STAGE_SAMPLERS)
            bounds = linker.Bounds(16, MAX_VARYING_VECTORS, limits, limits, MAX_STAGE_SAMPLERS)
            trees = [tree_of(source) for source in self.sources]
            with spans.span("linker"):
                self._linked = linker.link(trees, self.bindings, bounds, self.colors)
            for stage in self._linked.stages.values():
                stage.layout.state_place = state_place
        return self._linked

    def translate(self, name: str) -> NirShader:
        """Fresh nir of a stage."""
        from pydri.main.shaders.code import linked_stage

        return linked_stage(self.linked().stages[name])

    def result(self) -> tuple[Linked, dict[str, StageCode]]:
        """The program: known from before, or made."""
        key = cache.program_key(self.sources, self.bindings, self.colors)
        known: LinkedBefore | None = cache.find(key, LinkedBefore)
        if known is not None:
            return known.linked, {
                name: self._code(key, name, known.linked, info)
                for name, info in known.stages.items()
            }
        linked = self.linked()
        codes: dict[str, StageCode] = {}
        if linked.good:
            from pydri.glsl.to_nir import TooComplex

            try:
                codes = {name: self._code(key, name, linked, None) for name in linked.stages}
            except TooComplex as error:
                linked.fail(str(error))
                return linked, {}
            infos = {name: code.gathered for name, code in codes.items()}
            keep_active(linked, infos)
            cache.keep(key, LinkedBefore(cache.without_stages(linked), infos))
        return linked, codes

    def _code(self, key: bytes, name: str, linked: Linked, info: Info | None) -> StageCode:
        from pydri.main.shaders.code import stage_code

        translate = partial(self.translate, name)
        return stage_code(key + name.encode(), name, translate, len(linked.storage), info)


def _slots(linked: Linked) -> bytes:
    """UniformSlots by location."""
    table = bytearray(linked.locations * UniformSlot.size)
    for number, row in enumerate(linked.uniforms):
        if row.builtin:
            continue
        kind = _KINDS[row.type.kind]
        rows, columns = (1, 1) if kind == SAMPLER else (row.type.rows, row.type.columns)
        for n in range(row.elements):
            slot = UniformSlot.ctype()()
            slot.offset = row.offset + 16 * columns * n
            slot.left, slot.is_array = row.elements - n, int(row.size > 0)
            slot.kind, slot.rows, slot.columns, slot.number = kind, rows, columns, number
            at = (row.location + n) * UniformSlot.size
            table[at : at + UniformSlot.size] = bytes(slot)
    return bytes(table)


def _copied(data: bytes) -> int:
    address = memory.allocate(len(data))
    ctypes.memmove(address, data, len(data))
    return address


def _executable(linked: Linked, codes: dict[str, StageCode]) -> int:
    """The native form of what linking made."""
    address = memory.allocate(Executable.size)
    out: Any = Executable.view(address)
    vertex, fragment = codes.get("vertex"), codes.get("fragment")
    if vertex is not None:
        out.vs_id = vertex.number
        for slot in vertex.info.inputs:
            # attribute 0 is the vertex, by both of its names (GL 2.1, 2.7)
            out.vs_attribs |= 1 << (0 if slot == enums.VERT_ATTRIB_GENERIC0 else slot)
        if enums.VARYING_SLOT_CLIP_VERTEX in vertex.info.outputs:
            out.flags |= WRITES_CLIP_VERTEX
        if enums.VARYING_SLOT_PSIZ in vertex.info.outputs:
            out.flags |= WRITES_POINT_SIZE
    out.flags |= _reads(linked)
    if fragment is not None:
        out.fs_id = fragment.number
        for item in fragment.info.inputs:
            out.fs_varyings |= 1 << item.slot if item.slot < 32 else 0
            out.fs_varyings |= READS_FLAT if item.interp == "flat" else 0
    out.locations, out.uniforms = linked.locations, _copied(_slots(linked))
    out.storage_bytes, out.storage = len(linked.storage), _copied(linked.storage)
    for n in range(2):
        out.blocks[n], out.block_bytes[n] = out.storage, out.storage_bytes
    for n, name in enumerate(("vertex", "fragment")):
        samplers = linked.samplers.get(name, [])
        out.sampler_count[n] = len(samplers)
        for k, sampler in enumerate(samplers):
            _put_sampler(out.samplers[n * MAX_STAGE_SAMPLERS + k], sampler)
    return address


def _reads(linked: Linked) -> int:
    """READS_* bits of the built-in uniforms."""
    from pydri.main.shaders.state import reads

    flags = 0
    for row in linked.uniforms:
        if row.builtin:
            flags |= reads(row.name.partition(".")[0].partition("[")[0])
    return flags


def _put_sampler(out: Any, sampler: Sampler) -> None:
    out.offset, out.dead = sampler.offset, int(not sampler.active)
    out.target = SAMPLER_TARGETS[sampler.type.dim, sampler.type.arrayed]


# -- validation ------------------------------------------------------------------------------------


def conflict(executable: Any) -> bool:
    """Whether samplers of different types have one unit (GL 2.1, 2.15.3)."""
    seen: dict[int, int] = {}
    for n in range(2):
        for k in range(executable.sampler_count[n]):
            row = executable.samplers[n * MAX_STAGE_SAMPLERS + k]
            if row.dead:
                continue
            unit = ctypes.c_uint32.from_address(executable.storage + row.offset).value
            if seen.setdefault(unit, row.target) != row.target:
                return True
    return False


def validate(program: ProgramData) -> None:
    """glValidateProgram."""
    program.validated = program.linked is not None
    if program.validated and conflict(Executable.view(program.n.exec)):
        program.validated = False
        program.log = b"active samplers with a different type refer to the same texture image unit"


__all__ = ["compile_shader", "conflict", "link_program", "tree_of", "validate"]
