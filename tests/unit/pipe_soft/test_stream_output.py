# SPDX-License-Identifier: MIT
"""What stream output writes of each mode's vertices, in both drivers, and what it counts."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_POS,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import number
from pydri.pipe.native import (
    DISCARD_ASKED,
    DISCARD_UNSEEN,
    SHADER_FRAGMENT,
    SHADER_VERTEX,
    PipelineStatistics,
)
from pydri.pipe.state import (
    PRIM_LINES,
    PRIM_POINTS,
    PRIM_TRIANGLES,
    Capture,
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    StreamOutput,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_soft.bench import (
    DRIVERS,
    SIZE,
    Bench,
    Call,
    Target,
    fragment_shader,
    vertex_shader,
)

SLOTS = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_COLOR1, VERT_ATTRIB_TEX0)
COUNT = 9
#: which vertices of nine make the primitives of each mode (GL 2.1, 2.6.1; quads and polygons in
#: triangles)
PRIMITIVES: dict[int, list[tuple[int, ...]]] = {
    0: [(n,) for n in range(9)],
    1: [(n, n + 1) for n in range(0, 8, 2)],
    2: [*((n, n + 1) for n in range(8)), (8, 0)],
    3: [(n, n + 1) for n in range(8)],
    4: [(0, 1, 2), (3, 4, 5), (6, 7, 8)],
    5: [(n + n % 2, n + 1 - n % 2, n + 2) for n in range(7)],
    6: [(0, n, n + 1) for n in range(1, 8)],
    7: [(0, 1, 3), (1, 2, 3), (4, 5, 7), (5, 6, 7)],
    8: [t for n in range(0, 6, 2) for t in ((n + 2, n, n + 3), (n, n + 1, n + 3))],
    9: [(n, n + 1, 0) for n in range(1, 8)],
}
INTERLEAVED = StreamOutput(
    (Capture(VARYING_SLOT_POS, 0, 4, 0, 0), Capture(VARYING_SLOT_BFC0, 1, 2, 0, 4),
     Capture(VARYING_SLOT_COL0, 3, 1, 0, 7)), (8,))  # fmt: skip
SEPARATE = StreamOutput(
    (Capture(VARYING_SLOT_TEX0, 0, 4, 0, 0), Capture(VARYING_SLOT_POS, 2, 2, 2, 0)), (4, 0, 2))


def state(output: StreamOutput, mode: int, first: bool = False) -> PipelineState:
    floats, color = number("R32G32B32A32_FLOAT"), number("B8G8R8A8_UNORM")
    shaders = {SHADER_VERTEX: vertex_shader(SLOTS), SHADER_FRAGMENT: fragment_shader("color")}
    prim = PRIM_POINTS if mode == 0 else PRIM_LINES if mode < 4 else PRIM_TRIANGLES
    return PipelineState(
        stages_of(shaders), tuple(VertexElement(slot, floats) for slot in SLOTS),
        (ColorTarget(color),), DepthStencilAlpha(), Rasterizer(provoking_first=first), 0, prim,
        stream_output=output,
    )  # fmt: skip


class Captured:
    """A driver, some memory to write, and counters."""

    def __init__(self, driver: str, sizes: tuple[int, ...]) -> None:
        self.bench = Bench(DRIVERS[driver], Target(number("B8G8R8A8_UNORM"), 0, 1, False))
        self.bench.clear((0.0,) * 4, 1.0, 0)
        self.memory = [np.full(size + 16, 77, np.uint8) for size in sizes]
        self.counters = (ctypes.c_uint64 * 2)()
        dyn = self.bench.dyn
        for target, memory, size in zip(dyn.stream_targets, self.memory, sizes):
            target.data, target.size = memory.ctypes.data, size
        dyn.primitives_generated = ctypes.addressof(self.counters)
        dyn.primitives_written = dyn.primitives_generated + 8
        rng = np.random.default_rng(5)
        self.arrays = {slot: rng.uniform(-1, 1, (COUNT, 4)).astype("f4") for slot in SLOTS}
        self.arrays[VERT_ATTRIB_POS][:, 3] = 1

    def draw(self, output: StreamOutput, mode: int, first: bool = False, **more: Any) -> None:
        dynamic: dict[str, Any] = {
            "viewport_scale": (32.0, 32.0, 0.5, 1.0), "viewport_translate": (32.0, 32.0, 0.5, 0.0),
            "scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE,
            "point_size": 1.0, "line_width": 1.0,
        }  # fmt: skip
        call = Call(state(output, mode, first), dynamic, self.arrays, mode, None, COUNT, **more)
        self.bench.draw(call)

    def close(self) -> Any:
        drawn = self.bench.memory(self.bench.color).any()
        self.bench.close()
        return drawn

    def expected(self, output: StreamOutput, buffer: int, numbers: list[int]) -> Any:
        """What the buffer begins with, as floats; nan: untouched."""
        of = {VARYING_SLOT_POS: VERT_ATTRIB_POS, VARYING_SLOT_COL0: VERT_ATTRIB_COLOR0,
              VARYING_SLOT_BFC0: VERT_ATTRIB_COLOR1, VARYING_SLOT_TEX0: VERT_ATTRIB_TEX0}
        out = np.full((len(numbers), output.strides[buffer]), np.nan, np.float32)
        for item in output.captures:
            if item.buffer == buffer:
                source = self.arrays[of[item.slot]][numbers, item.component :][:, : item.components]
                out[:, item.offset : item.offset + item.components] = source
        return out.reshape(-1)

    def check(self, output: StreamOutput, buffer: int, numbers: list[int]) -> None:
        wanted = self.expected(output, buffer, numbers)
        found = self.memory[buffer].view(np.float32)[: len(wanted)]
        there = ~np.isnan(wanted)
        np.testing.assert_array_equal(found[there], wanted[there])
        assert (self.memory[buffer][4 * len(wanted) :] == 77).all()
        assert (found[~there].view(np.uint32) == 0x4D4D4D4D).all()


@pytest.mark.parametrize("mode", PRIMITIVES)
@pytest.mark.parametrize("driver", DRIVERS)
def test_modes(driver: str, mode: int) -> None:
    """Primitives in order, whatever vertex provokes; then those of a second draw behind them."""
    numbers = [n for primitive in PRIMITIVES[mode] for n in primitive]
    for output, buffers in ((INTERLEAVED, (0,)), (SEPARATE, (0, 2))):
        of = Captured(driver, (4096, 0, 4096))
        of.draw(output, mode, first=True)
        of.draw(output, mode)
        for buffer in buffers:
            of.check(output, buffer, numbers * 2)
        assert list(of.counters) == [2 * len(PRIMITIVES[mode])] * 2
        of.close()


def _as_given(mode: int) -> int:
    """Of how many primitives of the program's the rows of PRIMITIVES are parts."""
    made = len(PRIMITIVES[mode])
    return 1 if mode == 9 else made // 2 if mode in (7, 8) else made


@pytest.mark.parametrize("mode", PRIMITIVES)
@pytest.mark.parametrize("driver", DRIVERS)
def test_statistics(driver: str, mode: int) -> None:
    """What is not complete does not count; a quadrilateral is one primitive, and two when it has
    been clipped; what was discarded does not come to be clipped. What has no room is lost."""
    found = []
    for output, discard in ((StreamOutput(), 0), (INTERLEAVED, DISCARD_ASKED),
                            (StreamOutput(), DISCARD_UNSEEN)):  # fmt: skip
        of, counts = Captured(driver, (0, 0, 0)), PipelineStatistics.ctype()()
        of.bench.dyn.discard = discard
        of.draw(output, mode)  # counted by none
        of.bench.dyn.statistics = ctypes.addressof(counts)
        of.draw(output, mode)
        of.close()
        found.append({name: getattr(counts, name) for name, _ in counts._fields_})
    made, used = len(PRIMITIVES[mode]), {n for corners in PRIMITIVES[mode] for n in corners}
    clipped = {"clipping_input": _as_given(mode), "clipping_output": made}
    for counts, (seen, lost) in zip(found, ((True, 0), (False, made), (True, 0))):
        assert counts.pop("vertex_invocations") in (len(used), COUNT)
        wanted = {**dict.fromkeys(counts, 0), "vertices_submitted": len(used),
                  "primitives_submitted": _as_given(mode), "primitives_lost": lost}  # fmt: skip
        assert counts == wanted | (clipped if seen else {})


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_is_clipped_away(driver: str) -> None:
    """Beyond one side of the view volume, not only of the guard band."""
    of, counts = Captured(driver, (0, 0, 0)), PipelineStatistics.ctype()()
    of.bench.dyn.statistics = ctypes.addressof(counts)
    of.arrays[VERT_ATTRIB_POS][3:6, 0] = 1.5
    of.draw(StreamOutput(), 4)
    assert (counts.clipping_input, counts.clipping_output) == (3, 2)
    of.close()


@pytest.mark.parametrize("driver", DRIVERS)
def test_whole_primitives(driver: str) -> None:
    """Of what does not fit nothing is written, to no buffer."""
    of = Captured(driver, (10 * 16, 0, 4096))
    of.draw(SEPARATE, 5)
    numbers = [n for primitive in PRIMITIVES[5][:3] for n in primitive]
    of.check(SEPARATE, 0, numbers)
    of.check(SEPARATE, 2, numbers)
    assert list(of.counters) == [7, 3]
    assert of.bench.dyn.stream_targets[2].used == 9 * 8
    assert of.close()  # it is drawn all the same


@pytest.mark.parametrize("driver", DRIVERS)
def test_discard(driver: str) -> None:
    """Primitives are written and counted, and nothing is drawn."""
    of = Captured(driver, (4096, 0, 0))
    of.bench.dyn.discard = 1
    of.draw(INTERLEAVED, 4)
    of.draw(StreamOutput(), 5)
    of.check(INTERLEAVED, 0, list(range(9)))
    assert list(of.counters) == [10, 3]
    assert not of.close()


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_nobody_sees(driver: str) -> None:
    """Clipping and culling come later."""
    of = Captured(driver, (4096, 0, 0))
    of.arrays[VERT_ATTRIB_POS][:, 2] = 5
    of.bench.dyn.cull = 3
    of.draw(INTERLEAVED, 4)
    of.check(INTERLEAVED, 0, list(range(9)))
    assert not of.close()


@pytest.mark.parametrize("driver", DRIVERS)
def test_instances(driver: str) -> None:
    """One after the other."""
    of = Captured(driver, (65536, 0, 0))
    of.draw(INTERLEAVED, 5, instances=20)
    numbers = [n for primitive in PRIMITIVES[5] for n in primitive]
    of.check(INTERLEAVED, 0, numbers * 20)
    assert list(of.counters) == [140, 140]
    of.close()
