# SPDX-License-Identifier: MIT
"""Buffers, images and counters: interpreted, as nir, and as TGSI of that nir, memory and all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pydri.nir import interp
from pydri.nir.memory import Block, Memory, Texels
from pydri.nir.passes import lower_for_backend
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate
from pydri.tgsi.exec.machine import ExecError, run
from pydri.tgsi.text.dump import dump
from pydri.tgsi.text.reader import read, translate
from pydri.tgsi.tokens.sanity import check
from pydri.tgsi.translate.from_nir import from_nir
from pydri.tgsi.translate.to_nir import Unsupported, to_nir
from tests.unit.tgsi.test_translate import agree

HEAD = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL BUFFER[0]
DCL BUFFER[1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_UINT, WR
DCL IMAGE[1], 2D_ARRAY, PIPE_FORMAT_R32_UINT, WR
DCL HWATOMIC[0][0..3]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 4, 12, 36}
IMM[1] UINT32 {1, 2, 5, 4000000000}
"""
CASES = {
    "loads": """
      LOAD TEMP[0], BUFFER[0], IN[0].xxxx
      LOAD TEMP[1].yw, BUFFER[1], IMM[0].zzzz
      LOAD TEMP[2].xy, BUFFER[1], IMM[1].wwww
      UADD OUT[0], TEMP[0], TEMP[1]
      MOV OUT[1], TEMP[2]""",
    "stores": """
      STORE BUFFER[0].xz, IN[0].yyyy, IN[1]
      STORE BUFFER[1], IMM[1].wwww, IN[1]
      RESQ TEMP[0].x, BUFFER[0]
      MOV OUT[0], TEMP[0].xxxx""",
    "stores of some lanes": """
      UIF IN[1].xxxx
        STORE BUFFER[0].x, IN[0].xxxx, IN[1]
      ENDIF
      KILL_IF IN[1].wwww
      STORE BUFFER[1].xy, IN[0].zzzz, IN[1].wzyx""",
    "images": """
      LOAD TEMP[0], IMAGE[0], IN[0], 2D, PIPE_FORMAT_R32G32B32A32_UINT
      STORE IMAGE[0], IN[0].zwxy, IN[1], 2D, PIPE_FORMAT_R32G32B32A32_UINT
      RESQ TEMP[1], IMAGE[1], 2D_ARRAY, PIPE_FORMAT_R32_UINT
      MOV OUT[0], TEMP[0]
      MOV OUT[1], TEMP[1]""",
}
for _name in ("UADD", "XCHG", "AND", "OR", "XOR", "UMIN", "UMAX", "IMIN", "IMAX", "INC_WRAP",
              "DEC_WRAP", "FADD"):  # fmt: skip
    CASES[_name] = f"""
      ATOM{_name} TEMP[0].xy, BUFFER[0], IN[0].xxxx, IN[1].xxxx
      ATOM{_name} TEMP[1].x, IMAGE[1], IN[0].zwwz, IN[1].yyyy, 2D_ARRAY, PIPE_FORMAT_R32_UINT
      ATOM{_name} TEMP[2].x, HWATOMIC[0][1], IMM[0].yyyy, IN[1].zzzz
      LOAD TEMP[3].x, HWATOMIC[0][2], IMM[0].xxxx
      MOV OUT[0].xy, TEMP[0]
      MOV OUT[1].x, TEMP[1]
      MOV OUT[1].y, TEMP[2].xxxx
      MOV OUT[1].z, TEMP[3].xxxx"""
CASES["CAS"] = CASES["UADD"].replace("ATOMUADD", "ATOMCAS").replace(
    "IN[1].xxxx", "IMM[0].xxxx, IN[1].xxxx").replace(
    "IN[1].yyyy, 2D", "IMM[0].xxxx, IN[1].yyyy, 2D").replace("IN[1].zzzz", "IMM[0].xxxx, IN[1]")


def memory(seed: int = 1) -> tuple[Memory, list[np.ndarray]]:
    """Something in everything."""
    rng = np.random.default_rng(seed)
    arrays = [
        rng.integers(0, 9, 12, np.uint32), rng.integers(0, 1 << 32, 5, np.uint32),
        rng.integers(0, 9, 4, np.uint32), rng.integers(0, 9, (1, 3, 5, 4), np.uint32),
        rng.integers(0, 9, (2, 4, 4, 4), np.uint32),
    ]  # fmt: skip
    made = Memory({0: Block(arrays[0]), 1: Block(arrays[1])}, {0: Block(arrays[2])},
                  {0: Texels(arrays[3]), 1: Texels(arrays[4])})  # fmt: skip
    return made, arrays


def arguments() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    place = rng.integers(0, 60, (16, 4)).astype(np.int32)
    place[:, 2:] = rng.integers(-1, 5, (16, 2))
    data = rng.integers(0, 7, (16, 4)).astype(np.int32)
    data[::3, 3] = np.float32(-1).view(np.int32)
    mask = np.arange(16) != 7
    return {"inputs": {32: place, 33: data}, "mask": mask, "helpers": np.arange(16) == 11}


@pytest.mark.parametrize("name", sorted(CASES))
def test_cases(name: str) -> None:
    stream, given = translate(f"{HEAD}{CASES[name]}\nEND\n"), arguments()
    check(stream)
    text = dump(stream)
    kept, wanted_arrays = memory()
    wanted = run(stream, 16, memory=kept, **given)
    if name != "loads":
        assert any((a != b).any() for a, b in zip(wanted_arrays, memory()[1]))
    nir = to_nir(stream)
    validate(nir)
    lowered = to_nir(stream)
    lower_for_backend(lowered)
    tokens = from_nir(to_nir(stream))
    check(tokens)
    again = dump(tokens, hexadecimal=True)
    assert dump(read(again), hexadecimal=True) == again
    for form, what in ((nir, interp.run), (lowered, interp.run), (tokens, run)):
        kept, arrays = memory()
        found = what(form, 16, memory=kept, **given)  # type: ignore[operator]
        listing = f"{text}{again}{print_shader(nir)}"
        assert agree(wanted, found, given["mask"]), listing
        for a, b in zip(wanted_arrays, arrays, strict=True):
            assert np.array_equal(a, b), listing


def test_only_live_lanes_write() -> None:
    """Not those that are masked, those that help, those that were discarded."""
    text = HEAD + "KILL_IF IN[1].wwww\n"
    text += "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[1].xxxx\nEND\n"
    kept, arrays = memory()
    before, given = int(arrays[0][0]), arguments()
    dead = np.arange(16) % 3 == 0
    dead[[7, 11]] = True
    interp.run(to_nir(translate(text)), 16, memory=kept, **given)
    assert arrays[0][0] == before + 16 - dead.sum()


def test_what_is_not_bound_is_empty() -> None:
    for name in ("loads", "stores", "images", "UADD"):
        stream, given = translate(f"{HEAD}{CASES[name]}\nEND\n"), arguments()
        wanted = run(stream, 16, **given)
        assert not any(bits.any() for bits in wanted.outputs.values())
        assert agree(wanted, interp.run(to_nir(stream), 16, **given), given["mask"])


def test_what_there_is_not_is_named() -> None:
    shared = "FRAG\nDCL MEMORY[0], SHARED\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    shared += "LOAD TEMP[0].x, MEMORY[0], IMM[0]\nEND\n"
    message = r"LOAD: these stages share no memory \(instruction 0"
    with pytest.raises(Unsupported, match=message):
        to_nir(translate(shared))
    with pytest.raises(ExecError, match=message):
        run(translate(shared), 4)
