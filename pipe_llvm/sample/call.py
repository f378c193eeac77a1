# SPDX-License-Identifier: MIT
"""A shader's texture instruction as a call of a sampler function: operands into SampleCoords, the
call by pointer, the result out of memory; for one stamp at once, or stamp by stamp for a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import dimensions, level_rows
from pipe_llvm.sample.sampler import OUT_FLOATS
from pipe_llvm.sample.vectors import f32x16
from pydri.jit.types import Vec, f32, i32, ptr, u32
from pydri.nir.ir import LoadConst
from pydri.pipe.resource import (
    CUBE_FACES,
    TARGET_1D,
    TARGET_1D_ARRAY,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_2D_MS,
    TARGET_2D_MS_ARRAY,
    TARGET_3D,
    TARGET_BUFFER,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
    TARGET_RECT,
)
from pydri.pipe.sampler import (
    GATHER_SHIFT,
    LOD_BIAS,
    LOD_EXPLICIT,
    LOD_GRADIENTS,
    LOD_IMPLICIT,
    UNREAD_SHIFT,
    SampleCoords,
    TextureView,
    ViewLevel,
    moves,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pipe_llvm.native import LpThreadData
    from pydri.jit import Builder, Pointer, Value
    from pydri.nir.ir import SSADef, TexInstr

#: how the instructions that call a function find levels of detail
CALLS = {
    "tex": LOD_IMPLICIT, "txb": LOD_BIAS, "txl": LOD_EXPLICIT, "txd": LOD_GRADIENTS,
    "txf": LOD_EXPLICIT, "txf_ms": LOD_EXPLICIT, "tg4": LOD_IMPLICIT, "lod": LOD_IMPLICIT,
}  # fmt: skip
_OPERANDS = {"coord", "comparator", "bias", "lod", "ddx", "ddy", "offset", "ms_index"}
_TARGETS = {
    ("1D", False): TARGET_1D,
    ("2D", False): TARGET_2D,
    ("3D", False): TARGET_3D,
    ("Cube", False): TARGET_CUBE,
    ("Rect", False): TARGET_RECT,
    ("1D", True): TARGET_1D_ARRAY,
    ("2D", True): TARGET_2D_ARRAY,
    ("Cube", True): TARGET_CUBE_ARRAY,
    ("Buf", False): TARGET_BUFFER,
    ("MS", False): TARGET_2D_MS,
    ("MS", True): TARGET_2D_MS_ARRAY,
}
#: bytes of the coordinates that calls without derivatives need
SHORT_COORDS = SampleCoords.offset("ddx")


def coords_bytes(instr: TexInstr) -> int:
    """Bytes of SampleCoords that the instruction's call reads and writes."""
    return SampleCoords.size if instr.op == "txd" else SHORT_COORDS


def unread_of(lookups: list[TexInstr], read: dict[SSADef, int]) -> int:
    """Components (bits) that the shader reads of none of these; `read`: `components_read` of it."""
    unread = 15
    for instr in lookups:
        assert instr.dest is not None
        unread &= ~read.get(instr.dest, 0)
    return unread


def _moves(instr: TexInstr) -> int:
    """An offset in texels as a sampler function's last argument has it."""
    offset = instr.source("offset")
    if offset is None:
        return 0
    steps = offset.instr
    if not isinstance(steps, LoadConst):
        raise TypeError(f"{instr.op}: an offset that is not constant")
    return moves(steps.values)


def of_one_call(lookups: list[TexInstr], most: int) -> list[list[TexInstr]]:
    """Lookups that differ in their operands alone, up to so many, together, in their order."""
    found: list[list[TexInstr]] = []
    filling: dict[Hashable, list[TexInstr]] = {}
    for instr in lookups:
        moved = None if instr.source("offset") is None else _moves(instr)
        kind = (instr.op, instr.texture_index, instr.sampler_dim, instr.is_array, moved,
                instr.component)  # fmt: skip
        group = filling.get(kind)
        if group is None or len(group) == most:
            group = filling[kind] = []
            found.append(group)
        group.append(instr)
    return found


def _wide(b: Builder, value: Value, lanes: int) -> Value:
    return b.splat(value if value.elem is f32 else b.bitcast(value, f32), lanes)


def store_operands(
    b: Builder, coords: SampleCoords, m: Value, instr: TexInstr, srcs: dict[str, list[Value]],
    lanes: int = 16,
) -> None:  # fmt: skip
    """Put the operands of stamp m, and of as many more as there are lanes for, where the function
    reads them."""

    def put(name: str, value: Value, offset: int = 0) -> None:
        (coords.addr(name) + (m * 16 + offset)).store(_wide(b, value, lanes), align=64)

    if unknown := srcs.keys() - _OPERANDS:
        raise TypeError(f"{instr.op}: no operand {', '.join(sorted(unknown))}; run lower_tex")
    names = ("s", "t", "r", "layer")
    for name, value in zip(names, srcs["coord"]):
        put(name, value)
    for name, source in (("compare", "comparator"), ("lod", "bias"), ("lod", "lod"),
                         ("lod", "ms_index")):  # fmt: skip
        if source in srcs and instr.sampler_dim != "Buf":  # buffers have one level
            put(name, srcs[source][0])
    for source in ("ddx", "ddy"):
        for n, value in enumerate(srcs.get(source, ())):
            put(source, value, 256 * n)


def load_result(
    b: Builder, out: Pointer, m: Value, instr: TexInstr, lanes: int = 16
) -> list[Value]:
    """What the function found for stamp m, and as many more as there are lanes for."""
    found = []
    for n in range(instr.dest.num_components):
        parts = [
            (out + (m * OUT_FLOATS + OUT_FLOATS * k + 16 * n)).load(f32x16, align=64)
            for k in range(lanes // 16)
        ]
        wide = 16
        while len(parts) > 1:
            wide *= 2
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [b.shuffle(x, y, list(range(wide))) for x, y in pairs]
        found.append(parts[0])
    return found


def call_together(
    b: Builder, view: TextureView, stamps: Value, full: int, coords: Pointer, out: Pointer,
    lookups: list[TexInstr], unread: int,
) -> None:  # fmt: skip
    """Call the view's function for lookups that lie side by side (`of_one_call`), each of which has
    room for `full` stamps: once if that is how many there are, else lookup by lookup. `unread`:
    components (bits) that the shader does not read of any."""
    first, count = lookups[0], len(lookups)
    one = b.const(u32, 1)
    is_full = stamps == full
    calls = b.select(is_full, one, one * count)
    each = b.select(is_full, one * (full * count), stamps)
    with b.For(b.const(u32, 0), calls) as n:
        at = n * (full * 16)
        call(b, view, each, (coords + at).cast(ptr(SampleCoords)), out + at * 4, first, unread)


def call(
    b: Builder,
    view: TextureView,
    stamps: Value,
    coords: SampleCoords,
    out: Pointer,
    instr: TexInstr,
    unread: int = 0,
) -> None:
    """Call the view's function for some stamps."""
    bits = CALLS[instr.op] | _moves(instr) | instr.component << GATHER_SHIFT
    how = b.const(u32, bits | unread << UNREAD_SHIFT)
    if instr.op in ("txf", "txf_ms"):
        view.fetch(view, stamps, coords, out, how)
    elif instr.op == "tg4":
        view.gather(view, stamps, coords, out, how)
    elif instr.op == "lod":
        view.lods(view, stamps, coords, out, how)
    elif instr.source("offset") is not None:
        view.moved(view, stamps, coords, out, how)
    else:
        view.sample(view, stamps, coords, out, how)


def sample_now(
    b: Builder, view: TextureView, instrs: list[TexInstr], srcs: list[dict[str, list[Value]]],
    thread: LpThreadData, unread: int, lanes: int = 16,
) -> list[list[Value]]:  # fmt: skip
    """Lookups that lie side by side (`of_one_call`), or one query, for one stamp, or as many as
    there are lanes for, at once. `unread`: components (bits) that the shader does not read."""
    if instrs[0].op not in CALLS:
        return [_query(b, view, instrs[0], srcs[0], lanes)]
    coords, out, stamps = thread.addr("coords").cast(ptr(SampleCoords)), thread.texels, lanes // 16
    places = [b.const(u32, n * stamps) for n in range(len(instrs))]
    for at, instr, operands in zip(places, instrs, srcs, strict=True):
        store_operands(b, coords, at, instr, operands, lanes)
    call(b, view, b.const(u32, len(instrs) * stamps), coords, out, instrs[0], unread)
    return [load_result(b, out, at, instr, lanes) for at, instr in zip(places, instrs, strict=True)]


def _query(
    b: Builder, view: TextureView, instr: TexInstr, srcs: dict[str, list[Value]], lanes: int
) -> list[Value]:
    """txs: the sizes of a level, then the layers; query_levels: how many levels there are."""
    if instr.op == "query_levels":
        return [b.bitcast(view.max_level + 1, i32)]
    if instr.op != "txs":
        raise TypeError(f"no sampler function does {instr.op}")
    target = _TARGETS[instr.sampler_dim, instr.is_array]
    lod = srcs["lod"][0] if "lod" in srcs else b.const(i32, 0)
    lod = b.bitcast(lod, i32)
    last = b.bitcast(view.max_level, i32)
    parts = 3 if target == TARGET_3D else 1 if dimensions(target) == 1 else 2
    names = ["width", "height", "depth"][:parts] + ["depth"] * instr.is_array
    rows = level_rows(view)
    if not isinstance(lod.ty, Vec):
        row = rows + b.min(b.max(lod, 0), last)
        sizes = [getattr(row, name) for name in names]
    else:
        level = b.min(b.max(lod, 0), b.splat(last, lanes))
        sizes = [b.gather(rows.addr(name), level, scale=ViewLevel.size) for name in names]
    if target == TARGET_CUBE_ARRAY:
        sizes[2] = sizes[2] // CUBE_FACES
    return sizes

