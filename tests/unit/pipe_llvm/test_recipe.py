# SPDX-License-Identifier: MIT
"""The way of a PipelineState to machine code: which files it enters, and how often it comes back.

Counted in the order of calls, while `create_pipeline` makes one pipeline with nothing in the cache:
the files whose functions receive the state or what is made of it. A function counts when it is
first called (what it does in a loop is one look); functions of one file that follow each other are
one entry; an entry of a file that was entered before is a return. What is made of the state are
values of the tuples of pydri/pipe/state.py and of pipe_llvm, and tuples of such, unless a value of
the kernel that is being emitted is in them. The methods of the state itself count, too.

At f7f3354 this gave 19 files and 20 returns for triangles, at 4fe746d 19 and 29."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

import pytest

from pipe_llvm.context import LlvmContext
from pipe_llvm.screen import LlvmScreen
from pydri.jit import tiers
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader
from pydri.pipe import state as states
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_LINES,
    PRIM_POINTS,
    PRIM_RECTS,
    PRIM_TRIANGLES,
    RECT_RGBA8,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    RtBlend,
    ShaderRef,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_llvm.harness import COLOR

MOST_FILES, MOST_RETURNS = 15, 12
ROOT = os.path.abspath(os.path.join(os.path.dirname(states.__file__ or ""), "..", "..")) + os.sep


def vertex_shader() -> Shader:
    """Position and colour as they are."""
    shader = Shader("vertex")
    b = Builder(shader)
    b.store_output(b.load_input(0, 4), 0)
    b.store_output(b.load_input(3, 4), 1)
    return shader


def a_state(**more: Any) -> PipelineState:
    """Blended triangles with depth, whose kernels nobody has."""
    chance = os.urandom(8)
    vs = ShaderRef(b"vs" + chance, vertex_shader, (0, 3), (0, 1))
    fs = COLOR._replace(key=b"fs" + chance)
    four = number("R32G32B32A32_FLOAT")
    blend = RtBlend(True, rgb_src=0x302, rgb_dst=0x303)
    state = PipelineState(
        stages_of({SHADER_VERTEX: vs, SHADER_FRAGMENT: fs}),
        (VertexElement(0, four), VertexElement(3, four)),
        (ColorTarget(number("B8G8R8A8_UNORM"), blend),),
        DepthStencilAlpha(0x201, True, alpha_func=0x204), Rasterizer(),
        number("Z24_UNORM_S8_UINT"), PRIM_TRIANGLES,
    )  # fmt: skip
    return state._replace(**more)


class Way(NamedTuple):
    """The functions that were called with the state or what is made of it, in order."""

    functions: list[tuple[str, str]]  # file, name

    @property
    def entries(self) -> list[str]:
        """Files, in order."""
        files = [file for file, _ in self.functions]
        return [file for n, file in enumerate(files) if n == 0 or files[n - 1] != file]

    @property
    def files(self) -> set[str]:
        return set(self.entries)

    @property
    def returns(self) -> int:
        return len(self.entries) - len(self.files)


def is_emitted(value: object) -> bool:
    """Whether something is, or has, a value of a kernel."""
    if isinstance(value, tuple):
        return any(map(is_emitted, value))
    return type(value).__module__.startswith("pydri.jit")


def is_made_of_it(value: object) -> bool:
    """Whether something is a state, a part of one, or made of one."""
    if hasattr(type(value), "_fields") and isinstance(value, tuple):
        room = type(value).__module__
        ours = room == states.__name__ or room.startswith("pipe_llvm.")
        return ours and not is_emitted(value)
    return isinstance(value, tuple | list) and any(map(is_made_of_it, value))


def way_of(state: PipelineState, monkeypatch: pytest.MonkeyPatch) -> Way:
    """What happens when a pipeline is made."""
    seen: dict[tuple[str, str], None] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(ROOT):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] + code.co_freevars
        local = frame.f_locals
        if any(name in local and is_made_of_it(local[name]) for name in names):
            seen[os.path.relpath(code.co_filename, ROOT), code.co_qualname] = None

    def begin(module: Any) -> tiers.Pending:
        """Kernels are traced here, in order, rather than beside."""
        module.ir()
        return tiers.Pending(lambda: no_image)

    no_image = _NoImage()
    monkeypatch.setenv("PYDRI_TIERS", "best")
    monkeypatch.setattr("pipe_llvm.context.begin", begin)
    screen = LlvmScreen(None)
    context = LlvmContext(screen)
    sys.setprofile(watch)
    try:
        pipeline = context.create_pipeline(state)
    finally:
        sys.setprofile(None)
    context._plans[pipeline].images.clear()
    context.destroy()
    screen.destroy()
    return Way(list(seen))


class _NoImage:
    """An image of functions that nobody calls."""

    first = False

    def address(self, _: str) -> int:
        return 4096


SEVERAL = {"samples": 4, "multisample": Multisample(True, mask=True, alpha_to_coverage=True)}
UNFILLED = Rasterizer(twoside=True, fill_front=0x1B00, fill_back=0x1B01, clip_planes=3)
STATES: dict[str, Callable[[], PipelineState]] = {
    "triangles": a_state,
    "points": lambda: a_state(prim=PRIM_POINTS, rast=Rasterizer(point_size_per_vertex=True)),
    "lines": lambda: a_state(prim=PRIM_LINES, rast=Rasterizer(line_smooth=True)),
    "unfilled": lambda: a_state(rast=UNFILLED),
    "smooth": lambda: a_state(rast=Rasterizer(poly_smooth=True)),
    "samples": lambda: a_state(**SEVERAL),
    "rectangles": lambda: a_state(prim=PRIM_RECTS, rect=RECT_RGBA8, elements=()),
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_looked_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    way = way_of(STATES[name](), monkeypatch)
    text = "\n".join(f"{file}: {function}" for file, function in way.functions)
    assert 5 < len(way.files) <= MOST_FILES, f"{len(way.files)} files\n{text}"
    assert way.returns <= MOST_RETURNS, f"{way.returns} returns\n{text}"


def test_behind_the_recipe_nobody_has_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fragment kernels know of vertices where they are in a packet, and nothing else."""
    way = way_of(a_state(), monkeypatch)
    made = way.functions.index(("pipe_llvm/recipe.py", "recipe"))
    assert ("pipe_llvm/fragment/kernel.py", "FragmentBuilder.__init__") in way.functions[made:]
    assert ("pipe_llvm/recipe.py", "recipe") not in way.functions[made + 1 :]
