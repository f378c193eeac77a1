# SPDX-License-Identifier: MIT
"""Variants of shaders: one for each key, two threads where registers and switches allow it."""

from __future__ import annotations

from pipe_vc4.ntq.keys import Vc4FsKey, Vc4VsKey
from pipe_vc4.program import ShaderCache, Vc4UncompiledShader
from pipe_vc4.qir.qir import QStage, VaryingSlot
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    INTERP_FLAT,
    VARYING_SLOT_POS,
    VARYING_SLOT_VAR0,
    VERT_ATTRIB_POS,
)
from pydri.nir.ir import Shader, TexInstr


def _vertex() -> Shader:
    b = Builder(Shader("vertex"))
    place = b.load_input(VERT_ATTRIB_POS, 4)
    b.store_output(place, VARYING_SLOT_POS)
    b.store_output(b.vec(place.x, 0.5, place.y, 1.0), VARYING_SLOT_VAR0)
    b.store_output(place, VARYING_SLOT_VAR0 + 1)
    return b.shader


def _fragment(within: bool = False) -> Shader:
    """A sample, at the top or within control flow."""
    b = Builder(Shader("fragment"))
    where = b.load_input(VARYING_SLOT_VAR0, 4)
    color = b.local("color", b.shader.inputs[0].type)
    b.store_var(color, b.load_input(VARYING_SLOT_VAR0 + 1, 4, interp=INTERP_FLAT))
    if within:
        with b.If(b.flt(where.x, 0.0)):
            b.store_var(color, _sample(b, where))
    else:
        b.store_var(color, _sample(b, where) * b.load_var(color))
    b.store_output(b.load_var(color), FRAG_RESULT_COLOR)
    return b.shader


def _sample(b: Builder, where):
    tex = TexInstr("tex", [("coord", b.swizzle(where, (0, 2)))])
    b.insert(tex)
    return tex.dest


def test_variants_are_kept_by_key() -> None:
    cache, shader = ShaderCache(), Vc4UncompiledShader(_fragment)
    plain = cache.get(shader, QStage.FRAG, Vc4FsKey())
    assert cache.get(shader, QStage.FRAG, Vc4FsKey()) is plain
    deep = cache.get(shader, QStage.FRAG, Vc4FsKey(depth_enabled=True))
    assert deep.code.words != plain.code.words and deep.qir == plain.qir + 2
    assert (cache.hits, cache.misses, shader.compiled_variant_count) == (1, 2, 2)
    cache.forget(shader)
    cache.get(shader, QStage.FRAG, Vc4FsKey())
    assert cache.misses == 3


def test_inputs_are_those_that_are_read() -> None:
    cache = ShaderCache()
    vertex, fragment = Vc4UncompiledShader(_vertex), Vc4UncompiledShader(_fragment)
    made = cache.get(fragment, QStage.FRAG, Vc4FsKey(), vertex)
    one, two = VARYING_SLOT_VAR0, VARYING_SLOT_VAR0 + 1
    flat = tuple(VaryingSlot(two, k) for k in range(4))
    assert made.fs_inputs == (VaryingSlot(one, 0), VaryingSlot(one, 2), *flat)
    assert made.flat_inputs == 0b111100
    key = Vc4VsKey(fs_inputs=made.fs_inputs)
    vs = cache.get(vertex, QStage.VERT, key)
    cs = cache.get(vertex, QStage.COORD, Vc4VsKey(is_coord=True))
    assert vs.vattr_sizes[0] == cs.vattr_sizes[0] == 16


def test_threads() -> None:
    """Two where all lanes switch; one where the last switch would be within control flow."""
    cache = ShaderCache()
    for within, threads in ((False, 2), (True, 1)):
        shader = Vc4UncompiledShader(lambda within=within: _fragment(within))
        made = cache.get(shader, QStage.FRAG, Vc4FsKey())
        assert made.code.threads == threads and made.num_texture_samples == 1
