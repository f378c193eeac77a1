# SPDX-License-Identifier: MIT
"""Fragment shaders read no varying that the vertex shader does not compute."""

from __future__ import annotations

import numpy as np
import pytest

from pydri.nir import interp
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    INTERP_FLAT,
    VARYING_SLOT_COL0,
    VARYING_SLOT_POS,
    VARYING_SLOT_VAR0,
    VERT_ATTRIB_POS,
)
from pydri.nir.gather_info import gather
from pydri.nir.ir import Shader
from pydri.nir.passes import lower_for_backend, run_pass


def _vertex(second: int) -> Shader:
    """x, a constant chosen from twice the same, x again, x + y; the same as a colour or varying."""
    b = Builder(Shader("vertex"))
    place = b.load_input(VERT_ATTRIB_POS, 4)
    same = b.bcsel(b.flt(place.y, 0.0), b.imm_float(0.25), b.imm_float(0.25))
    b.store_output(place, VARYING_SLOT_POS)
    for slot in (VARYING_SLOT_VAR0, second):
        b.store_output(b.vec(place.x, same, place.x, place.x + place.y), slot)
    lower_for_backend(b.shader)
    return b.shader


def _fragment(second: int, interp_: int) -> Shader:
    b = Builder(Shader("fragment"))
    whole = b.load_input(VARYING_SLOT_VAR0, 4) + b.load_input(second, 4, interp=interp_)
    b.store_output(whole, FRAG_RESULT_COLOR)
    return b.shader


@pytest.mark.parametrize(
    "second,interp_,components",
    [(VARYING_SLOT_VAR0 + 1, 0, 0), (VARYING_SLOT_VAR0 + 1, INTERP_FLAT, 4),
     (VARYING_SLOT_COL0, 0, 4)],
)  # fmt: skip
def test_what_is_not_computed_is_not_read(second: int, interp_: int, components: int) -> None:
    vertex, before = _vertex(second), _fragment(second, interp_)
    after = _fragment(second, interp_)
    assert run_pass(after, "pydri.nir.link_varyings", vertex=vertex)
    lower_for_backend(after)
    places = np.random.default_rng(1).uniform(-1, 1, (8, 4)).astype(np.float32)
    outputs = interp.run(vertex, 8, inputs={VERT_ATTRIB_POS: places}).outputs
    rows = {slot: np.ascontiguousarray(cells.T) for slot, cells in outputs.items()}
    inputs = {slot: cells.view(np.float32) for slot, cells in rows.items()}
    found = [interp.run(s, 8, inputs=inputs).output(FRAG_RESULT_COLOR) for s in (before, after)]
    assert (found[0] == found[1]).all()
    read = {item.slot: item.components for item in gather(after).inputs}
    assert (second in read) is bool(components)
