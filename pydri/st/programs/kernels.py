# SPDX-License-Identifier: MIT
"""The current program at draw time: its stages in the key, its block of uniforms, its samplers'
textures, and the state that only shaders read.

In: `ctx.program.current` and its executable, when DIRTY_PROGRAM is set (another program, another
link, another unit for a sampler) or what shaders read of the state changed. Out: `key.stages` and
what goes with them, `dyn.stages`, `program.conflict`, `val.shader`, and clip planes in the space in
which the vertex shader's positions are. Counterpart of Mesa's st_atom_shader.c, st_atom_constbuf.c,
prog_statevars.c and _mesa_update_shader_textures_used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import f32, f64, kernel, ptr, u8, u32, void
from pydri.main.kernels import CTX, is_null
from pydri.main.layout import (
    DIRTY_CLIP,
    DIRTY_FOG,
    DIRTY_LIGHT,
    DIRTY_MODELVIEW,
    DIRTY_PROGRAM,
    DIRTY_PROGRAM_MATRIX,
    DIRTY_PROJECTION,
    DIRTY_TEXMAT,
    DIRTY_TEXTURE,
    DIRTY_VIEWPORT,
)
from pydri.main.light.layout import MAX_LIGHTS, Light, LightProduct, Material
from pydri.main.matrix.kernels import inverse64
from pydri.main.matrix.layout import MAX_CLIP_PLANES, MAX_PROGRAM_MATRICES
from pydri.main.matrix.tables import PROGRAM
from pydri.main.names.counted_kernels import COUNTED, PLACE, counted_drop, counted_take
from pydri.main.names.object_kernels import NAMED
from pydri.main.programs.layout import ATI, FRAGMENT, VERTEX
from pydri.main.shaders.kernels import EXECUTABLE, samplers_conflict
from pydri.main.shaders.layout import (
    READS_INVERSES,
    READS_LIGHTS,
    READS_PRODUCTS,
    READS_PROGRAM_MATRICES,
    READS_TEXTURE_INVERSES,
    WRITES_CLIP_VERTEX,
)
from pydri.main.shaders.primitives import REDUCED
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.nir.stages import ATTRIBUTES, OFFERED, ShaderStage
from pydri.st.programs.arb import ati_signature, st_arb_programs
from pydri.st.programs.blocks import blocks_of_stages
from pydri.st.textures.texel_buffers import texel_buffers_of_stages

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.pipe.native import Surface

V4 = f32.vec(4)
#: what ShaderValues is made of
SHADER_STATE = (
    DIRTY_MODELVIEW | DIRTY_PROJECTION | DIRTY_TEXMAT | DIRTY_LIGHT | DIRTY_VIEWPORT | DIRTY_PROGRAM
    | DIRTY_PROGRAM_MATRIX
)
#: state from which something else is derived as soon as a GLSL program is current
CHANGED = DIRTY_CLIP | DIRTY_LIGHT | DIRTY_TEXTURE | DIRTY_FOG


def program_moved(b: Builder, ctx: Any) -> Value:
    """Not 0: the current program was linked again since its executable was looked at, or an ARB
    program has another text (u32). What was looked at is held, so it is what has its address."""
    current = ctx.program.current
    moved = b.var(u32, 0)
    with b.If(~is_null(current)):
        moved.value = b.cast(current.exec != ctx.program.linked, u32)
    with b.If(ctx.arb.used != 0, likely=False):
        for index in (VERTEX, FRAGMENT):
            other = (ctx.arb.bound + index).load().code != (ctx.arb.codes + index).load()
            used = (ctx.arb.used >> index) & 1
            moved.value = moved.value | used & b.cast(other, u32)
        with b.If((ctx.arb.used >> ATI) & 1 != 0):
            other = b.call(ati_signature, ctx) != (ctx.arb.codes + ATI).load().signature
            moved.value = moved.value | b.cast(other, u32)
    return moved.value


@kernel(void, (CTX,), noinline=True)
def st_program(b: Builder, ctx: GLContext) -> None:
    """Look at the current program again."""
    block = ctx.program
    exec_, old = b.var(EXECUTABLE, b.const(EXECUTABLE, None)), block.linked
    with b.If(~is_null(block.current)):
        program = block.current
        found = b.call(counted_take, program.cast(NAMED), program.addr("exec").cast(PLACE))
        exec_.value = found.cast(EXECUTABLE)
    block.linked = exec_.value
    b.call(counted_drop, ctx, old.cast(COUNTED))
    block.conflict = 0
    exec_.value = b.call(st_arb_programs, ctx, exec_.value)
    block.exec = exec_.value
    block.reduced = REDUCED
    with b.If(~is_null(exec_.value)):
        block.reduced = exec_.value.reduced
    refused = b.var(u32, 0)
    with b.If(~is_null(block.current)):
        refused.value = block.current.refused
    block.refused = refused.value
    with b.If(~is_null(exec_.value)):
        block.conflict = block.conflict | b.call(samplers_conflict, exec_.value)
    for row in OFFERED:
        _stage(b, ctx, exec_.value, row)
    blocks_of_stages(b, ctx, exec_.value)
    texel_buffers_of_stages(b, ctx, exec_.value)
    ctx.dirty = ctx.dirty | CHANGED


def _stage(b: Builder, ctx: Any, exec_: Any, row: ShaderStage) -> None:
    """A stage of what is drawn with (`exec_`, null: fixed function) in the key block, and its
    constant block 1."""
    number, reads, size = b.var(u32, 0), b.var(u32, 0), b.var(u32, 0)
    block = b.var(ptr(u8), b.const(ptr(u8), None))
    with b.If(~is_null(exec_)):
        stage = exec_.stages[row.number]
        number.value, reads.value = stage.number, stage.reads
        block.value, size.value = stage.block, stage.block_bytes
    bound = ctx.dyn.stages[row.number]
    bound.const1, bound.const1_size = block.value, size.value
    _put(b, ctx, ctx.key.stages + row.number, number.value)
    if row.inputs.kind == ATTRIBUTES:
        _put(b, ctx, ctx.key.addr("attribs_read"), reads.value)
    elif row.inputs.interpolated:
        _put(b, ctx, ctx.key.addr("varyings_read"), reads.value)


def _put(b: Builder, ctx: GLContext, place: Pointer, value: Operand) -> None:
    """A number of the key block."""
    with b.If(place.load() != value):
        place.store(value)
        ctx.key_dirty = 1


# -- what only shaders read ------------------------------------------------------------------------


@kernel(void, (ptr(f32), ptr(f32)), noinline=True)
def st_inverse(b: Builder, out: Pointer, matrix: Pointer) -> None:
    """The inverse of a matrix; of a singular one the identity, as the peer has it."""
    adjugate, det = inverse64(b, matrix)
    singular = det == 0.0
    scale = b.select(singular, b.const(f64, 1.0), 1.0 / det)
    for n in range(16):
        unit = 1.0 if n % 5 == 0 else 0.0
        out[n] = b.cast(b.select(singular, b.const(f64, unit), adjugate[n] * scale), f32)


def _with_alpha(b: Builder, color: Surface, alpha: Value) -> Value:
    return b.shuffle(color, alpha, [0, 1, 2, 7])


def _products(b: Builder, ctx: Any) -> None:
    """Light times material (GLSL 1.20, 7.5); alpha is the material's."""
    val, out = ctx.val, ctx.val.shader
    whole = val.light_model_ambient.load(V4)
    for face in range(2):
        material = val.materials.cast(ptr(Material)) + face
        colors = {name: getattr(material, name).load(V4) for name in
                  ("ambient", "diffuse", "specular", "emission")}  # fmt: skip
        scene = colors["emission"] + colors["ambient"] * whole
        (out.scene_color.cast(ptr(f32)) + 4 * face).store(
            _with_alpha(b, scene, colors["diffuse"]), align=4)
        with b.For(b.const(u32, 0), MAX_LIGHTS, 1) as n:
            light = val.lights.cast(ptr(Light)) + n
            product = out.products.cast(ptr(LightProduct)) + (n + face * MAX_LIGHTS)
            for name in ("ambient", "diffuse", "specular"):
                value = colors[name] * getattr(light, name).load(V4)
                getattr(product, name).store(_with_alpha(b, value, colors[name]), align=4)


def _halves(b: Builder, ctx: Any) -> None:
    """gl_LightSource[].halfVector, of lights that are off and positional ones too."""
    with b.For(b.const(u32, 0), MAX_LIGHTS, 1) as n:
        light = ctx.val.lights.cast(ptr(Light)) + n
        light.half_vector.store(half_vector(b, normalize3(b, light.position.load(V4))))


def half_vector(b: Builder, direction: Value) -> Value:
    """h of GL 2.1, 2.14.1 for a viewer at infinity, of a light in the unit vector `direction`.

    Fixed function has three components; the fourth is 1, as ARB_vertex_program, table X.2, says of
    state.light[n].half, which is the same state."""
    half = normalize3(b, direction + b.const(V4, [0.0, 0.0, 1.0, 0.0]))
    return b.shuffle(half, b.const(V4, 1.0), [0, 1, 2, 4])


def normalize3(b: Builder, v: Value) -> Value:
    """v / |v| with the last lane 0; the zero vector stays."""
    xyz = b.shuffle(v, b.const(V4, 0.0), [0, 1, 2, 4])
    square = xyz * xyz
    length = b.sqrt(square[0] + square[1] + square[2])
    return xyz * b.splat(b.select(length == 0.0, length, 1.0 / length), 4)


@kernel(void, (CTX, u32), noinline=True)
def st_shader_values(b: Builder, ctx: GLContext, dirty: Value) -> None:
    """Bring ShaderValues up to date, as far as the current program reads it."""
    exec_, val = ctx.program.exec, ctx.val
    with b.If(is_null(exec_)):
        b.Return()
    flags, out = exec_.flags, val.shader

    def wanted(flag: int, bits: int) -> Any:
        return ((flags & flag) != 0) & ((dirty & (bits | DIRTY_PROGRAM)) != 0)

    near, far = ctx.raw.depth_range[0], ctx.raw.depth_range[1]
    for n, value in enumerate((near, far, far - near)):
        out.depth_range[n] = b.cast(value, f32)
    with b.If(wanted(READS_INVERSES, DIRTY_MODELVIEW | DIRTY_PROJECTION)):
        for name in ("modelview", "projection", "mvp"):
            b.call(st_inverse, getattr(out, name + "_inverse"), getattr(val, name))
        third = [out.modelview_inverse[n] for n in (2, 6, 10)]
        square = third[0] * third[0] + third[1] * third[1] + third[2] * third[2]
        out.normal_scale = b.select(square < 1e-12, b.const(f32, 1.0), 1.0 / b.sqrt(square))
    with b.If(wanted(READS_TEXTURE_INVERSES, DIRTY_TEXMAT)):
        with b.For(b.const(u32, 0), MAX_TEXTURE_UNITS, 1) as unit:
            b.call(st_inverse, out.texture_matrix_inverse.cast(ptr(f32)) + unit * 16,
                   val.texture_matrix.cast(ptr(f32)) + unit * 16)  # fmt: skip
    with b.If(wanted(READS_PROGRAM_MATRICES, DIRTY_PROGRAM_MATRIX)):
        with b.For(b.const(u32, 0), MAX_PROGRAM_MATRICES, 1) as number:
            matrix = out.program_matrix.cast(ptr(f32)) + number * 16
            top = ctx.matrix.program + 16 * (
                number * PROGRAM.limit + ctx.matrix.depth[number + PROGRAM.mode])
            matrix.store(top.load(f32.vec(16), align=4), align=4)
            b.call(st_inverse, out.program_matrix_inverse.cast(ptr(f32)) + number * 16, matrix)
    with b.If(wanted(READS_PRODUCTS, DIRTY_LIGHT)):
        _products(b, ctx)
    with b.If(wanted(READS_LIGHTS, DIRTY_LIGHT)):
        _halves(b, ctx)


@kernel(void, (CTX,), noinline=True)
def st_clip_planes(b: Any, ctx: Any) -> None:
    """User planes for the driver: in eye space, in which a GLSL program's gl_Position is looked at
    as its gl_ClipVertex is (GLSL 1.30, 7.1); or, where an assembly program gives no clip vertex, in
    the space of its position: plane times the inverse of the projection (st_atom_clip.c).
    """
    out = ctx.dyn.addr("clip_planes").cast(ptr(f32))
    source = ctx.val.addr("clip_planes").cast(ptr(f32))
    exec_ = ctx.program.exec
    clips = b.var(u32, 0)
    with b.If((ctx.arb.used & (1 << VERTEX)) != 0):
        clips.value = b.cast((exec_.flags & WRITES_CLIP_VERTEX) == 0, u32)
    with b.If((clips.value != 0) & (ctx.key.clip_planes != 0)):
        inverse = b.array(f32, 16)
        b.call(st_inverse, inverse, ctx.val.projection)
        with b.For(b.const(u32, 0), 4 * MAX_CLIP_PLANES, 1) as n:
            plane, column = source + (n & ~b.const(u32, 3)), inverse + (n & 3) * 4
            total = plane[0] * column[0]
            for k in range(1, 4):
                total = total + plane[k] * column[k]
            out[n] = total
    with b.Else():
        for n in range(MAX_CLIP_PLANES):
            (out + 4 * n).store((source + 4 * n).load(V4))


__all__ = [
    "CHANGED", "SHADER_STATE", "program_moved", "st_clip_planes", "st_program",
    "st_shader_values",
]  # fmt: skip
