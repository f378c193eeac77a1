# SPDX-License-Identifier: MIT
"""What VC4_DEBUG prints: of a compile nir, QIR, QPU words, a row of counts (shaderdb); of a draw
the layout of its surfaces (surf) and what makes it slow (perf). Jobs are text or files (cl, dump).
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterable
from typing import NamedTuple

from pipe_vc4.emit.generate import QpuCode
from pipe_vc4.qir.enums import STAGE_NAMES, QStage, QUniform
from pipe_vc4.qpu.text import disassemble
from pydri.util.options import options

#: contents that come with a buffer of the job
_HANDLES = frozenset({QUniform.TEXTURE_CONFIG_P0, QUniform.UBO0_ADDR, QUniform.UBO1_ADDR,
                      QUniform.TABLES_ADDR})  # fmt: skip
#: by tiling.RASTER, T, LT
_TILINGS = ("R", "T", "LT")
#: columns of a row after `shaderdb`
COLUMNS = ("stage", "program", "variant", "made", "qir", "blocks", "qpu", "threads", "uniforms",
           "handles", "temps", "cycles")  # fmt: skip


class Wanted(NamedTuple):
    """The words of VC4_DEBUG."""

    nir: bool
    qir: bool
    qpu: bool
    cl: bool
    shaderdb: bool
    norast: bool
    surf: bool
    perf: bool
    always_flush: bool
    dump: bool


def wanted() -> Wanted:
    """What VC4_DEBUG names now."""
    flags = options.VC4_DEBUG
    words = ("nir", "qir", "qpu", "cl", "shaderdb", "norast", "surf", "perf", "always_flush",
             "dump")  # fmt: skip
    return Wanted(*(word in flags for word in words))


def say(text: str) -> None:
    """Print to stderr."""
    sys.stderr.write(text + "\n")


def perf(text: str) -> None:
    """Tell of something slow, if that is wanted."""
    if wanted().perf:
        say(f"vc4: {text}")


class Slice(NamedTuple):
    """A level of a surface, as `surf` has it."""

    width: int
    height: int
    tiling: int
    stride: int
    offset: int


def surf(what: str, size: tuple[int, int], slices: Iterable[Slice]) -> None:
    """Tell where the levels of a surface lie, if that is wanted."""
    if not wanted().surf:
        return
    for level, one in enumerate(slices):
        say(f"vc4: {what}, {size[0]}x{size[1]}: level {level} ({_TILINGS[one.tiling]}) -> "
            f"{one.width}x{one.height}, stride {one.stride}@{one.offset:#010x}")  # fmt: skip


def job(name: str, text: str) -> None:
    """A job that is about to be played: printed (cl), or a file in the working folder (dump)."""
    if wanted().cl:
        say(f"{name}\n{text}")
    if wanted().dump:
        pathlib.Path(f"vc4-dri-{name.split()[-1]}.job").write_text(text)


def title(stage: QStage, program: int, variant: int, what: str) -> str:
    """The line before a listing."""
    return f"{STAGE_NAMES[stage]} prog {program}/{variant} {what}:"


def qpu_text(code: QpuCode) -> str:
    """Words with what they say."""
    return "\n".join(f"0x{word:016x} {disassemble(word)}" for word in code.words)


def shaderdb_row(
    stage: QStage, program: int, variant: int, qir: int, blocks: int, code: QpuCode
) -> str:
    """A row of shaderdb. A word takes a cycle; what reads a sample, some that nothing tells."""
    handles = sum(kind in _HANDLES for kind in code.uniform_contents)
    numbers = (qir, blocks, len(code.words), code.threads, len(code.uniform_contents), handles,
               code.max_temps, len(code.words))  # fmt: skip
    row = (STAGE_NAMES[stage], program, variant, "draw", *numbers)
    return "\t".join(("shaderdb", *map(str, row)))
