# SPDX-License-Identifier: MIT
"""Compiling and linking: from the texts of shader objects to an Executable (GL 2.1, 2.15).

In: ShaderData and ProgramData (objects.py), what the context has. Out: logs and states, and for a
link that succeeds the native `Executable` that uniforms are set in and that is drawn with. Mesa:
main/shaderapi.c (_mesa_compile_shader, link_program), st_glsl_to_ir.cpp.
"""

from __future__ import annotations

import ctypes
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from pydri.api.apis import COMPAT, DESKTOP
from pydri.glsl.link.linked import UNIFORM_BLOCK, Linked
from pydri.main import memory
from pydri.main.extensions import GLSL_EXTENSIONS
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.main.shaders import cache, dump
from pydri.main.shaders.active import keep_active
from pydri.main.shaders.cache import Facts, Source
from pydri.main.shaders.layout import (
    MAX_GEOMETRY_COMPONENTS,
    MAX_GEOMETRY_VERTICES,
    MAX_PROGRAM_BLOCKS,
    MAX_STAGE_SAMPLERS,
    MAX_UNIFORM_COMPONENTS,
    STAGE_LIMITS,
    Executable,
)
from pydri.main.shaders.objects import ProgramData, ShaderData, find
from pydri.main.shaders.primitives import refused
from pydri.main.shaders.records import NO_NATIVE, CompiledBefore, LinkedBefore, Native, pack_info
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.main.version import glsl_version
from pydri.nir.stages import NUMBERS, OFFERED
from pydri.pipe.native import SHADER_GEOMETRY
from pydri.pipe.shader_memory import MAX_BLOCK_BYTES, MAX_BLOCKS
from pydri.util import spans
from pydri.util.options import options
from pydri.util.turns import TURNS

if TYPE_CHECKING:
    from pydri.glsl.compiler import Compiled
    from pydri.glsl.tree import Shader
    from pydri.main.context import GLContext
    from pydri.main.shaders.code import StageCode
    from pydri.nir.ir import Shader as NirShader


#: the constants that say how many components go from a stage to the next
_PASSED_COMPONENTS = tuple(f"gl_Max{name}Components" for name in (
    "Varying", "VertexOutput", "GeometryInput", "GeometryOutput", "GeometryVarying",
    "FragmentInput"))  # fmt: skip

#: ProgramObject.linked of links that succeed
_links = count(1)


def facts_of(ctx: GLContext) -> Facts:
    """What the context's shaders may use."""
    known = ctx.glsl_facts
    if known is None:
        from pydri.main.get.string_entries import extension_list

        vectors = int(ctx.n.limits.varying_vectors)
        limits = {
            "gl_MaxLights": 8, "gl_MaxClipPlanes": 8, "gl_MaxTextureUnits": MAX_TEXTURE_UNITS,
            "gl_MaxTextureCoords": MAX_TEXTURE_UNITS, "gl_MaxVertexAttribs": 16,
            "gl_MaxVaryingFloats": 4 * vectors,
            "gl_MaxCombinedTextureImageUnits": MAX_IMAGE_UNITS,
            "gl_MaxDrawBuffers": int(ctx.n.limits.draw_buffers),
            "gl_MaxVaryingVectors": vectors, "gl_MaxClipDistances": MAX_CLIP_PLANES,
            "gl_MaxCullDistances": MAX_CLIP_PLANES,
            "gl_MaxCombinedClipAndCullDistances": MAX_CLIP_PLANES,
            "gl_MaxVertexOutputVectors": vectors,
            "gl_MaxFragmentInputVectors": vectors,
            "gl_MaxGeometryOutputVertices": MAX_GEOMETRY_VERTICES,
            "gl_MaxGeometryTotalOutputComponents": MAX_GEOMETRY_COMPONENTS,
            "gl_MinProgramTexelOffset": -32, "gl_MaxProgramTexelOffset": 31,
            **dict.fromkeys(_PASSED_COMPONENTS, 4 * vectors),
        }  # fmt: skip
        for row in OFFERED:
            limits |= {row.constant(name): value for name, value in STAGE_LIMITS.items()}
        names = tuple(sorted(GLSL_EXTENSIONS.intersection(extension_list(ctx))))
        version, es = glsl_version(ctx.version) or 120, not ctx.api & DESKTOP
        if version >= 140 and ctx.version.api == COMPAT:
            # From 1.40 on the language asks for what such a context has (GLSL 1.50, 3.3).
            names = (*names, "GL_ARB_compatibility")
        # ARB_ES2_compatibility, ARB_ES3_compatibility: shaders of OpenGL ES are taken, too.
        with_es = (("GL_ARB_ES2_compatibility", 100), ("GL_ARB_ES3_compatibility", 300))
        version_es = max((n for name, n in with_es if name in extension_list(ctx)), default=0)
        if es:
            version, version_es = 0, version
        known = Facts(version, version_es, names, tuple(limits.items()), es)
        ctx.glsl_facts = known
    return known


def compile_source(source: Source) -> Compiled:
    """Log and tree of a source."""
    from pydri.glsl.compiler import Context, compile_shader
    from pydri.util import waits

    waits.watch("compiling a shader takes its time; what comes of it is kept")
    facts = source.facts
    context = Context(
        facts.version, facts.version_es, frozenset(facts.extensions), dict(facts.limits), facts.es
    )
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
    """glCompileShader. What comes of it is found out when somebody asks: a program that was linked
    before is linked by its sources alone. The shader's lock is held."""
    shader.asked, shader.compiled_source, shader.compiled, shader.log = None, None, False, b""
    shader.tree = None
    if shader.source is None:
        return  # the peer's: a failure without an error
    shader.text = shader.source.decode("latin-1")
    shader.asked = Source(shader.stage, shader.text, facts_of(ctx))
    if options.MESA_GLSL:
        settle(shader)
        dump.compiled(shader)


def settle(shader: ShaderData) -> None:
    """Log and state of a shader that is to be compiled, and its tree unless that is known to be
    good. Another thread that wants to know it waits meanwhile."""
    with shader.lock:
        source, shader.asked = shader.asked, None
        if source is not None:
            _compile(shader, source)


def _compile(shader: ShaderData, source: Source) -> None:
    key = cache.source_key(source)
    known: CompiledBefore | None = cache.find(key, CompiledBefore)
    if known is None:
        with TURNS.waited_for():
            made = compile_source(source)
        shader.log = made.log.encode("latin-1", "replace")
        if made.shader is not None:
            _trees[source] = shader.tree = made.shader
            known = CompiledBefore(shader.log)
            cache.keep(key, known)
    if known is not None:
        shader.log, shader.compiled, shader.compiled_source = known.log, True, source


# -- linking ---------------------------------------------------------------------------------------


def link_program(ctx: GLContext, program: ProgramData) -> None:
    """glLinkProgram. A link that fails leaves the executable to those who use it. The program's
    lock is held; others see it as it was until all of the new one is there."""
    with ctx.shared.lock:
        program.validated = False
        found = [find(ctx, name) for name in program.shaders]
        program.retrievable = program.retrievable_next
        given = Given(dict(program.bindings), dict(program.colors), *program.captures)
    shaders = [shader for shader in found if isinstance(shader, ShaderData)]
    with TURNS.waited_for():
        linked, native, codes = _link(shaders, given)
    missing = _missing(ctx, shaders)
    if missing:
        linked, native = Linked(), NO_NATIVE
        linked.fail(missing)
    with ctx.shared.lock:
        program.log = linked.log.encode("latin-1", "replace")
        program.linked = linked if linked.good else None
        if linked.good:
            program.install(ctx, _executable(linked, native, codes), codes.values())
            _tell_modes(ctx, program)
        # last: kernels of other threads, which take no lock, use the executable if this is not 0
        program.n.linked = next(_links) if linked.good else 0
    dump.linked(program, shaders, tree_of)


def _missing(ctx: GLContext, shaders: list[ShaderData]) -> str:
    """What a program lacks where there is no fixed function; "": nothing. OpenGL ES needs both
    stages (2.0, 2.10.3; 3.2, 7.3)."""
    if ctx.api == COMPAT:
        return ""
    if not shaders:
        return "no shaders attached to the program"
    stages = {shader.stage for shader in shaders}
    needed = () if ctx.api & DESKTOP or "compute" in stages else ("vertex", "fragment")
    lacking = [stage for stage in needed if stage not in stages]
    return f"no {lacking[0]} shader is attached to the program" if lacking else ""


def _tell_modes(ctx: GLContext, program: ProgramData) -> None:
    """Which primitives a program does not take from now on."""
    made: Any = Executable.view(program.n.exec)
    taken = made.geometry_input if made.stages[SHADER_GEOMETRY].number else None
    program.n.refused = 0 if taken is None else refused(taken)
    if ctx.n.program.current == ctypes.addressof(program.n):
        ctx.n.program.refused = program.n.refused


#: `Linked`, the native form but for numbers and addresses, the stages
_Result = tuple[Linked, "Native", "dict[str, StageCode]"]


class Given(NamedTuple):
    """What a program was told before it is linked."""

    bindings: dict[str, int]  # of attributes
    colors: dict[str, tuple[int, int]]  # number and index of fragment shaders' outputs
    captures: tuple[str, ...]
    separate: bool


def _link(shaders: list[ShaderData], given: Given) -> _Result:
    """Linked by the shaders' sources. Those of a program that was linked before compile, whether or
    not that is known yet; only for another one is it found out."""
    sources = [_source_of(shader) for shader in shaders]
    link = _Link([source for source in sources if source], given)
    if sources and len(link.sources) == len(sources):
        known = link.from_cache()
        if known is not None:
            return known
    good = [_source_that_compiles(shader) for shader in shaders]
    missing = [source for source in good if source is None]
    if not missing:
        if good != sources:  # another thread compiled one meanwhile
            link = _Link([source for source in good if source], given)
        return link.result()
    linked = Linked()
    for _ in missing:
        linked.fail("linking with uncompiled/unspecialized shader")
        linked.log = linked.log[:-1]  # the peer's has no end of line
    return linked, NO_NATIVE, {}


def _source_of(shader: ShaderData) -> Source | None:
    """What was compiled, or is to be."""
    with shader.lock:
        return shader.asked or shader.compiled_source


def _source_that_compiles(shader: ShaderData) -> Source | None:
    with shader.lock:
        settle(shader)
        return shader.compiled_source


class _Link:
    """Sources and bindings on their way to a program."""

    def __init__(self, sources: list[Source], given: Given) -> None:
        self.sources, self.given = sources, given
        self._linked: Linked | None = None

    def linked(self) -> Linked:
        """What the linker says, with the stages' trees."""
        if self._linked is None:
            from pydri.glsl.link import captures, linker
            from pydri.main.shaders.state import state_place

            limits = linker.Limits(MAX_UNIFORM_COMPONENTS, MAX_STAGE_SAMPLERS)
            bounds = linker.Bounds(
                16, self._varyings(), dict.fromkeys(NUMBERS, limits),
                blocks=linker.BlockLimits(MAX_BLOCKS, MAX_PROGRAM_BLOCKS, MAX_BLOCK_BYTES),
                emitted=MAX_GEOMETRY_COMPONENTS)
            trees = [tree_of(source) for source in self.sources]
            with spans.span("linker"):
                asked = captures.Asked(self.given.captures, self.given.separate)
                given = self.given
                self._linked = linker.link(trees, given.bindings, bounds, given.colors, asked)
            for stage in self._linked.stages.values():
                stage.layout.state_place = state_place
        return self._linked

    def _varyings(self) -> int:
        """Vectors from a stage to the next: as the driver says; without stages none."""
        return dict(self.sources[0].facts.limits)["gl_MaxVaryingVectors"] if self.sources else 0

    def translate(self, name: str) -> NirShader:
        """Fresh nir of a stage."""
        from pydri.main.shaders.code import linked_stage

        return linked_stage(self.linked().stages[name])

    @cached_property
    def _key(self) -> bytes:
        """What the program has in the cache; its stages' numbers are found by it, too."""
        return cache.program_key(self.sources, self.given)

    def from_cache(self) -> _Result | None:
        """What linking found before, in any process; None if the cache does not have it."""
        known: LinkedBefore | None = cache.find(self._key, LinkedBefore)
        if known is None:
            return None
        return known.linked, known.native, {
            name: self._code(name, known.linked, info) for name, info in known.stages.items()
        }

    def result(self) -> _Result:
        """The program, made."""
        linked = self.linked()
        if not linked.good:
            return linked, NO_NATIVE, {}
        from pydri.glsl.translate.to_nir import TooComplex

        try:
            codes = {name: self._code(name, linked, b"") for name in linked.stages}
        except TooComplex as error:
            linked.fail(str(error))
            return linked, NO_NATIVE, {}
        infos = {name: code.gathered for name, code in codes.items()}
        keep_active(linked, infos)
        from pydri.main.shaders.native import described

        native = described(linked, {name: code.info for name, code in codes.items()})
        packed = {name: pack_info(info) for name, info in infos.items()}
        cache.keep(self._key, LinkedBefore(cache.without_stages(linked), packed, native))
        return linked, native, codes

    def _code(self, name: str, linked: Linked, info: bytes) -> StageCode:
        from pydri.main.shaders.code import BlockSizes, stage_code

        translate = partial(self.translate, name)
        rows = linked.resources[UNIFORM_BLOCK]
        blocks = tuple(rows[index].bytes for index in linked.stage_blocks.get(name, ()))
        sizes = BlockSizes(len(linked.storage), blocks)
        key = self._key + name.encode()
        return stage_code(key, name, translate, sizes, info, linked.stream_output)


def _executable(linked: Linked, native: Native, codes: dict[str, StageCode]) -> int:
    """The native form of what linking made, in one piece: numbers of stages and addresses are this
    process's."""
    parts = [part.ljust(-(-len(part) // 64) * 64, b"\0") for part in (
        native.executable, native.slots, linked.storage)]  # fmt: skip
    data = b"".join(parts)
    address = memory.allocate(len(data), zero=False)
    ctypes.memmove(address, data, len(data))
    out: Any = Executable.view(address)
    out.uniforms = address + len(parts[0])
    out.storage = out.uniforms + len(parts[1])
    for name, code in codes.items():
        stage = out.stages[NUMBERS[name]]
        stage.number, stage.block = code.number, out.storage
    return address


# -- validation ------------------------------------------------------------------------------------


def conflict(executable: Any) -> bool:
    """Whether samplers of different types have one unit (GL 2.1, 2.15.3)."""
    seen: dict[int, int] = {}
    for stage in executable.stages:
        for row in stage.samplers[: stage.sampler_count]:
            if row.dead:
                continue
            unit = ctypes.c_uint32.from_address(executable.storage + row.offset).value
            if seen.setdefault(unit, row.target) != row.target:
                return True
    return False


def validate(program: ProgramData) -> None:
    """glValidateProgram. What is wrong replaces what linking said."""
    program.validated = program.linked is not None
    if not program.validated:
        program.log = b"the program is not linked"
    if program.validated and conflict(Executable.view(program.n.exec)):
        program.validated = False
        program.log = b"active samplers with a different type refer to the same texture image unit"


__all__ = ["compile_shader", "conflict", "link_program", "settle", "tree_of", "validate"]
