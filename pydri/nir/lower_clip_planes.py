# SPDX-License-Identifier: MIT
"""User clip planes as discards (GL 2.1, 2.12), for hardware that clips to the view volume alone.

In: a vertex shader, or the fragment shader that follows it, `planes`: those that are on, as a mask.
Out: True if there is one. The vertex shader writes its own distances where it has some, else those
of its clip vertex (of its position if it has none) to planes load_user_clip_plane, as slots of the
driver; the fragment shader discards where an interpolated distance is negative. Counterpart of
nir_lower_clip.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.enums import (
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_CLIP_VERTEX,
    VARYING_SLOT_DRIVER0,
    VARYING_SLOT_POS,
)
from pydri.nir.ir import Function, IntrinsicInstr, Shader, SSADef


def run(shader: Shader, planes: int = 0) -> bool:
    """The pass."""
    if not planes:
        return False
    numbers = [n for n in range(8) if planes >> n & 1]
    for function in shader.functions:
        if shader.stage == "fragment":
            _discard(Builder(shader, function), function, numbers)
        else:
            _distances(Builder(shader, function), function, numbers)
    return True


def _discard(b: Builder, function: Function, numbers: list[int]) -> None:
    b.at_start(next(iter(function.blocks())))
    gone: SSADef | None = None
    for n in numbers:
        distance = b.load_input(VARYING_SLOT_DRIVER0 + n // 4, 1, component=n % 4)
        outside = b.flt(distance, 0.0)
        gone = outside if gone is None else b.ior(gone, outside)
    assert gone is not None
    b.discard_if(gone)


def _distances(b: Builder, function: Function, numbers: list[int]) -> None:
    stores = [
        instr for instr in function.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "store_output"
    ]  # fmt: skip
    slots = {instr.indices["base"] for instr in stores}
    own = [VARYING_SLOT_CLIP_DIST0 + n // 4 for n in numbers]
    for instr in stores:
        if instr.indices["base"] in own:
            b.after(instr)
            slot = instr.indices["base"] - VARYING_SLOT_CLIP_DIST0 + VARYING_SLOT_DRIVER0
            component, mask = instr.indices["component"], instr.indices["wrmask"]
            b.store_output(instr.srcs[0], slot, mask, component=component)
    numbers = [n for n, slot in zip(numbers, own) if slot not in slots]
    source = VARYING_SLOT_CLIP_VERTEX if VARYING_SLOT_CLIP_VERTEX in slots else VARYING_SLOT_POS
    for instr in stores:
        if instr.indices["base"] != source:
            continue
        b.after(instr)
        whole = instr.indices["wrmask"] == 15
        place = instr.srcs[0] if whole else b.load_output(source, 4)
        for n in numbers:
            distance = b.fdot4(place, _plane(b, n))
            b.store_output(distance, VARYING_SLOT_DRIVER0 + n // 4, component=n % 4)


def _plane(b: Builder, number: int) -> SSADef:
    instr = b.intrinsic("load_user_clip_plane", indices={"plane": number})
    assert instr.dest is not None
    return instr.dest
