# SPDX-License-Identifier: MIT
"""Tables that are kept for a process do not grow with all shaders that it ever had."""

from __future__ import annotations

import gc

import pytest

from pipe_llvm.fragment import variants as fs_variants
from pipe_llvm.memory import Block
from pipe_llvm.native import LpPlan
from pipe_llvm.recipe import fragment_module, recipe
from pipe_llvm.sample import table
from pydri.glsl.check import base as check_base
from pydri.glsl.language.layouts import VEC4, path, sampler_count
from pydri.main.shaders import code
from pydri.main.shaders.records import pack_info
from pydri.nir import types
from pydri.nir.gather_info import gather
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.sampler import SAMPLER_SLOTS
from pydri.pipe.state import (
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    RtBlend,
    stages_of,
)
from tests.unit.glsl.shaders import CONTEXT, compile_shader
from tests.unit.pipe_llvm.harness import COLOR, color_shader

SOURCE = """
struct inner%d { float a[%d]; }; struct outer%d { inner%d all[2]; vec4 b; };
uniform outer%d u; void main() { gl_FragColor = u.b * u.all[1].a[%d]; }
"""


def test_types_go_with_their_shaders() -> None:
    gc.collect()
    before = len(types._structs), len(types._arrays)
    for n in range(1, 1500):
        text = SOURCE % (n, n + 1, n, n, n, n)
        compiled = compile_shader(text, "fragment", CONTEXT)
        assert not compiled.log, compiled.log
    del compiled
    gc.collect()
    after = len(types._structs), len(types._arrays)
    assert all(now - then < 20 for now, then in zip(after, before, strict=True))


def test_a_type_is_one_while_somebody_has_it() -> None:
    fields = (("a", types.array(types.VEC4, 77)), ("s", types.sampler("2D")))
    one = types.struct("only here", fields)
    assert types.struct("only here", fields) is one and types.array(types.VEC4, 77) is fields[0][1]
    assert check_base.shape(one) is check_base.shape(one)
    assert sampler_count(one) == 1
    assert path(VEC4, one, ("s",)) == path(VEC4, one, ("s",)) == (77 * 16, (), 4)


def test_numbers_of_stages_are_never_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "_numbers", {})
    info = pack_info(gather(color_shader()))

    def made(n: int) -> code.StageCode:
        return code.stage_code(b"growth %d" % n, "fragment", color_shader, code.BlockSizes(0), info)

    kept = [made(n) for n in range(10)]
    seen = {stage.number for stage in kept}
    latest = 0
    for n in range(10, 6000):
        latest = made(n).number
        assert latest not in seen
        seen.add(latest)
    assert len(code._numbers) <= len(code.STAGES) + 2 * code._MOST_GONE
    assert [made(n).number for n in range(10)] == [stage.number for stage in kept]
    assert made(5999).number == latest  # its plans are found
    assert made(20).number not in seen


def test_forms_go_with_their_plans() -> None:
    chosen = fs_variants.FragmentKernels()
    plan = Block(LpPlan.size)
    target = ColorTarget(number("B8G8R8A8_UNORM"), RtBlend(True, rgb_src=0x302, rgb_dst=0x303))
    for n in range(2000):
        fs = COLOR._replace(key=b"growth %d" % n)
        state = PipelineState(
            stages_of({SHADER_FRAGMENT: fs, SHADER_VERTEX: fs}), (), (target,),
            DepthStencilAlpha(), Rasterizer(), 0, PRIM_TRIANGLES,
        )
        part = recipe(state).fragment
        own = fragment_module(part)
        assert chosen.choose(plan.address + n, part, own) is own
    assert len(chosen._forms) == len(chosen._form) == 2000
    chosen.forget({plan.address + n for n in range(2000)})
    assert not chosen._forms and not chosen._form and not chosen._shared


class _Made:
    """An image of a function that nobody calls."""

    def compile(self) -> _Made:
        return self

    def address(self, _: str) -> int:
        return 4096


def test_thousands_of_sampler_functions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is in the table that kernels look into."""
    monkeypatch.setattr(table, "sampler_module", lambda key: _Made())
    made = table.Samplers()
    for packed in range(0, 12 * 997, 12):
        made.function(packed)
        assert made.table.keys[made._slot(packed)] == packed + 1
    assert made.table.count == 997 < SAMPLER_SLOTS // 2
