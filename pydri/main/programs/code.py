# SPDX-License-Identifier: MIT
"""From a Program of Mesa IR to what is drawn with: a number for key blocks, and native tables.

In: a parsed program. Out: the `StageCode` (main/shaders/code.py) and an `ArbCode`. Constant block 1
of the stage has a place for each parameter, by its number: constants are there from the beginning,
environment and local parameters are copied, and so is state where it is an element of an array that
is indexed; other state the code reads from the value block, where it is. Behind the parameters are
the numbers of the samplers' units, which never change.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from pydri.jit.cache import blake2b
from pydri.main import memory
from pydri.main.layout import GLContext
from pydri.main.programs.layout import (
    MAX_ENV_PARAMETERS,
    OF_CONTEXT,
    OF_PROGRAM,
    PLACE_STAGES,
    ArbCode,
    ParameterRow,
)
from pydri.main.programs.state import parts, parts_and_flags
from pydri.main.shaders.code import (
    BlockSizes,
    StageCode,
    in_window_space,
    reads,
    stage_code,
    writes,
)
from pydri.main.textures.tables import SAMPLER_TARGETS
from pydri.nir.stages import NUMBERS
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.prog.instructions import dimension
from pydri.prog.parameters import OWN_PARAMETERS
from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.nir.ir import Shader
    from pydri.prog.instructions import Program
    from pydri.prog.parameters import State


def _translated(program: Program) -> Shader:
    from pydri.prog.to_nir import to_nir

    shader = to_nir(program, parts)
    if program.row.number == SHADER_FRAGMENT:
        in_window_space(shader, program.origin_upper_left, program.pixel_center_integer)
    return shader


def made_code(program: Program, name: int) -> tuple[StageCode, int]:
    """The code of a program that is prepared (pydri/prog/passes.py), and the address of its native
    form, the caller's. `name`: of its object, for who reads ST_DEBUG=mesa."""
    from pydri.prog.printer import print_parameters, print_program

    parameters = print_parameters(program.parameters)
    if "mesa" in options.ST_DEBUG:
        sys.stderr.write(f"{print_program(program, name)}{parameters}\n")
    said = print_program(program) + parameters + repr(
        [item.values for item in program.parameters.items])  # fmt: skip
    digest = blake2b(said.encode(), digest_size=20).digest()
    size = 16 * len(program.parameters) + (4 * len(program.textures) + 15 & ~15)
    origin = program.origin_upper_left + 2 * program.pixel_center_integer
    key = b"arb %d " % origin + program.stage.encode() + digest
    code = stage_code(key, program.stage, partial(_translated, program), BlockSizes(size))
    return code, _native(program, code, size)


def _indexed(program: Program) -> bool:
    """Whether some parameter is found by an address register."""
    return any(src.relative for item in program.instructions for src in item.srcs)


def _rows(program: Program) -> tuple[list[Any], int, bool]:
    """ParameterRows, the flags of all state, and whether rows name state."""
    indexed = _indexed(program)
    rows, flags, copies = [], 0, False
    for slot, item in enumerate(program.parameters.items):
        if item.state is None:
            continue
        own = item.state[0] in OWN_PARAMETERS
        if not own:
            flags |= parts_and_flags(item.state)[1]
        if own or indexed:
            rows.append(_row(slot, item.state, program.stage))
            copies |= not own
    return rows, flags, copies


def _row(slot: int, state: State, stage: str) -> Any:
    row = ParameterRow.ctype()()
    row.slot, row.base = slot, OF_CONTEXT
    if state[0] == "local":
        row.base = OF_PROGRAM
        row.parts[:] = [16 * int(state[1]) + 4 * n for n in range(4)]
    elif state[0] == "env":
        number = int(state[1]) + MAX_ENV_PARAMETERS * PLACE_STAGES.index(NUMBERS[stage])
        first = GLContext.offset("arb.env") + 16 * number
        row.parts[:] = [first + 4 * n for n in range(4)]
    elif state[0] == "ati":
        first = GLContext.offset("arb.ati_constants") + 16 * int(state[1])
        row.parts[:] = [first + 4 * n for n in range(4)]
    else:
        values, unit = GLContext.offset("val"), GLContext.offset("arb.unit")
        row.parts[:] = [
            values + part if isinstance(part, int) else unit + (12 if part else 0)
            for part in parts(state)
        ]
    return row


def _image(program: Program, size: int) -> bytes:
    """The block as it begins."""
    image = b"".join(struct.pack("<4f", *_singles(item.values)) for item in
                     program.parameters.items)  # fmt: skip
    image += b"".join(struct.pack("<I", unit) for unit in sorted(program.textures))
    return image.ljust(size, b"\0")


def _singles(values: tuple[float, ...]) -> tuple[float, ...]:
    """Numbers as floats of 32 bits hold them: too large ones are infinite."""
    return tuple(ctypes.c_float(value).value for value in values)


def _native(program: Program, code: StageCode, size: int) -> int:
    rows, flags, copies = _rows(program)
    image = _image(program, size)
    at_rows = ArbCode.size + len(image)
    address = memory.allocate(at_rows + len(rows) * ParameterRow.size)
    out: Any = ArbCode.view(address)
    out.number, out.flags, out.copies_state = code.number, flags, int(copies)
    out.rows_count, out.block_bytes = len(rows), size
    out.reads = reads(code.stage, code.info)
    out.flags |= writes(code.stage, code.info)
    out.sampler_count = len(program.textures)
    for n, unit in enumerate(sorted(program.textures)):
        out.samplers[n].offset = 16 * len(program.parameters) + 4 * n
        out.samplers[n].target = SAMPLER_TARGETS[dimension(program.textures[unit][0])]
    out.image, out.rows = address + ArbCode.size, address + at_rows
    ctypes.memmove(out.image, image, len(image))
    for n, row in enumerate(rows):
        ctypes.memmove(out.rows + n * ParameterRow.size, bytes(row), ParameterRow.size)
    return address


__all__ = ["made_code"]
