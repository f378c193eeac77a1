# SPDX-License-Identifier: MIT
"""Every command that a list can hold arrives as it was called."""

from __future__ import annotations

import ctypes
import mmap
import random
from typing import Any

import pytest

from pydri.api import enums as e
from pydri.api.dispatch import GLError
from pydri.api.gl_table import TABLE
from pydri.nir.enums import (
    VERT_ATTRIB_MAT0,
)
from pydri.vbo import listable
from pydri.vbo.native import FLOAT_REGISTERS, INT_REGISTERS, STACK_CELLS
from tests.unit.vbo.harness import CTYPES, ELEMENT, GL
from tests.unit.vbo.test_lists import COMPILE


def test_rows_fit_the_abi() -> None:
    """A recorded call has cells enough, and nothing but integers reaches the stack."""
    assert not listable.missing()
    for name in listable.base_names():
        codes = [code[0] for _, code in TABLE.row(name).params]
        floats = sum(c in "fd" for c in codes)
        ints = len(codes) - floats
        assert floats <= FLOAT_REGISTERS and ints <= INT_REGISTERS + STACK_CELLS, name
        assert TABLE.row(name).ret == "v", name


_ENUMS = {
    "glLight": ("pname", e.GL_POSITION),
    "glLightModel": ("pname", e.GL_LIGHT_MODEL_AMBIENT),
    "glFog": ("pname", e.GL_FOG_COLOR),
    "glMaterial": ("pname", e.GL_AMBIENT),
    "glTexEnv": ("pname", e.GL_TEXTURE_ENV_COLOR),
    "glTexGen": ("pname", e.GL_EYE_PLANE),
    "glTexParameter": ("pname", e.GL_TEXTURE_BORDER_COLOR),
    "glPointParameter": ("pname", e.GL_POINT_DISTANCE_ATTENUATION),
    "glMap1": ("target", e.GL_MAP1_VERTEX_3),
    "glMap2": ("target", e.GL_MAP2_VERTEX_3),
}
_PREFERRED = {"format": e.GL_RGB, "type": e.GL_UNSIGNED_BYTE, "width": 3, "height": 2, "depth": 2}


class Numbers:
    """The operations of listable.SIZES on Python's numbers."""

    def pick(self, value: int, rows: dict[int, int], default: int) -> int:
        return rows.get(value, default)

    def within(self, value: int, low: int, high: int, result: int) -> int:
        return result if low <= value <= high else 0


def arguments(name: str) -> tuple[list[Any], list[bytes | None]]:
    """Some arguments, and what must be behind the pointers among them."""
    row = TABLE.row(name)
    rng = random.Random(name)
    values: list[Any] = []
    for param, code in row.params:
        family = next((v for k, v in _ENUMS.items() if name.startswith(k) and v[0] == param), None)
        if code[0] in "*p":
            values.append(None)
        elif family:
            values.append(family[1])
        elif "glCompressed" in name and param in ("format", "internalformat"):
            values.append(e.GL_COMPRESSED_RGBA_S3TC_DXT1_EXT)
        elif "glCompressed" in name and param == "imageSize":
            values.append(16 if "3D" in name else 8)
        elif param in _PREFERRED:
            values.append(e.GL_UNSIGNED_SHORT if name == "glCallLists" else _PREFERRED[param])
        elif code[0] in "fd":
            values.append(rng.randrange(-100, 100) / 8)
        elif code[0] == "b":
            values.append(1)
        elif param in (
            "n",
            "count",
            "len",
            "imageSize",
            "mapsize",
            "stride",
            "ustride",
            "vstride",
            "order",
            "uorder",
            "vorder",
        ):
            values.append(rng.randrange(3, 6))
        elif code[0] in "is":
            values.append(-rng.randrange(2, 9))
        else:
            values.append(rng.randrange(1, 9))
    memory: list[bytes | None] = []
    for n, (_, code) in enumerate(row.params):
        if values[n] is not None:
            memory.append(None)
            continue
        if name == "glPolygonStipple":
            size = 128
        elif name in listable.IMAGES:
            size = {"glBitmap": 8}.get(name, 12 * 2 * 2)
            size = values[-2] if "Compressed" in name else size
        else:
            given = [0 if v is None else v for v in values]
            if name.startswith("glPixelMap"):
                size = listable.map_bytes(code, given[1])
            else:
                size = listable.pointer_bytes(Numbers(), name, code, given)
        data = bytes(rng.randrange(256) for _ in range(size))
        memory.append(data)
        values[n] = list(data)
    return values, memory


@pytest.mark.parametrize("name", [n for n in listable.base_names() if n not in listable.VECTORS])
def test_any_command_arrives_as_it_was_called(gl: GL, name: str) -> None:
    row = TABLE.row(name)
    values, memory = arguments(name)
    seen: list[list[Any]] = []
    sizes = [len(m) if m else 0 for m in memory]

    def target(_ctx: int, *args: Any) -> None:
        got = list(args)
        for n, size in enumerate(sizes):
            if memory[n] is not None:
                tight = {"glBitmap": 2}.get(name, size) if name in listable.IMAGES else size
                got[n] = ctypes.string_at(args[n], tight)
        seen.append([*got, list(gl.n.raw.unpack)])

    types = [CTYPES.get(code[0], ctypes.c_uint64) for _, code in row.params]
    hook = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *types)(target)
    table = (ctypes.c_uint64 * len(TABLE)).from_buffer_copy(
        (ctypes.c_uint64 * len(TABLE)).from_address(gl.n.exec_table)
    )
    gl.NewList(1, COMPILE)
    passed = [(ctypes.c_uint8 * max(1, len(v)))(*v) if isinstance(v, list) else v for v in values]
    gl.call(name, *passed)
    for v in passed:
        if isinstance(v, ctypes.Array):
            ctypes.memset(v, 0xEE, ctypes.sizeof(v))  # the list has a copy of its own
    gl.EndList()
    assert not seen
    table[row.slot] = ctypes.cast(hook, ctypes.c_void_p).value or 0
    gl.n.dispatch = ctypes.addressof(table)
    play_list = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32)(
        table[TABLE.slots["glDepthFunc"]]
    )
    del play_list
    gl.ctx.call("vbo_call_list", 1)
    gl.n.dispatch = gl.n.exec_table
    (got,) = seen
    unpack = got.pop()
    for n, value in enumerate(values):
        if memory[n] is None:
            assert got[n] == value, row.params[n]
        elif name == "glBitmap":
            data = memory[n]
            assert data is not None
            assert [b & 0xE0 for b in got[n]] == [data[0] & 0xE0, data[4] & 0xE0]
        elif name in listable.IMAGES and name != "glPolygonStipple" and "Compr" not in name:
            data = memory[n] or b""
            rows = 4 if "3D" in name else 1 if "1D" in name else 2
            want = b"".join(data[12 * y : 12 * y + 9] for y in range(rows))
            assert got[n][: len(want)] == want
        else:
            assert got[n] == memory[n]
    pixels = name in listable.IMAGES or name.startswith("glPixelMap")
    assert unpack[0] == (1 if pixels else 4)
    assert gl.n.raw.unpack[0] == 4


@pytest.mark.parametrize("name", sorted(listable.VECTORS))
def test_one_number_arrives_as_several(gl: GL, name: str) -> None:
    """Compiled and executed: the command with a vector, whose other numbers are 0."""
    row, kept = TABLE.row(name), TABLE.row(listable.VECTORS[name])
    values, _ = arguments(name)
    values[-2] = e.GL_TEXTURE_BORDER_COLOR
    number = CTYPES[row.params[-1][1]]
    seen: list[list[Any]] = []

    def target(_ctx: int, *args: Any) -> None:
        seen.append([*args[:-1], list((number * 4).from_address(args[-1]))])

    types = [CTYPES.get(code[0], ctypes.c_uint64) for _, code in kept.params]
    hook = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *types)(target)
    table = (ctypes.c_uint64 * len(TABLE)).from_address(gl.n.exec_table)
    before = table[kept.slot]
    table[kept.slot] = ctypes.cast(hook, ctypes.c_void_p).value or 0
    try:
        gl.NewList(1, e.GL_COMPILE_AND_EXECUTE)
        gl.call(name, *values)
        gl.EndList()
        gl.CallList(1)
    finally:
        table[kept.slot] = before
    assert seen == [[*values[:-1], [values[-1], 0, 0, 0]]] * 2


def test_blocks_are_kept_without_gaps() -> None:
    """Where they lie say the parameters of when the list is compiled; what will be refused is not
    read."""
    data = bytes(range(256))
    memory = ctypes.create_string_buffer(data, 256)
    args = {"internalformat": e.GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, "width": 5, "height": 8,
            "imageSize": 32, "data": ctypes.addressof(memory)}  # fmt: skip
    unpack, sizes = [4, 16, 4, 8, 0, 0, 0, 0], [4, 4, 1, 8]
    asked: list[int] = []

    def source(address: int, end: int, _: int) -> int:
        asked.append(end)
        return address

    def blocks(**more: int) -> bytes | None:
        return listable.blocks_of("glCompressedTexImage2D", {**args, **more}, unpack, sizes, source)

    assert blocks() == data[48:64] + data[80:96]
    assert asked == [96]
    assert blocks(imageSize=31) is None and blocks(internalformat=e.GL_RGBA8) is None
    assert blocks(internalformat=e.GL_COMPRESSED_RGBA) is None and blocks(width=-5) is None
    unpack[3] = 6
    with pytest.raises(GLError) as found:
        blocks()
    assert found.value.enum == e.GL_INVALID_OPERATION and len(asked) == 1


def test_image_unpacking() -> None:
    data = bytes(range(256))
    memory = ctypes.create_string_buffer(data, 256)
    at = ctypes.addressof(memory)
    # alignment, row_length, skip_rows, skip_pixels, image_height, skip_images, swap_bytes,
    # lsb_first
    image = listable.unpack_image(
        at, (2, 2, 1), e.GL_RGB, e.GL_UNSIGNED_BYTE, (4, 5, 1, 2, 0, 0, 0, 0)
    )
    assert image == data[16 + 6 : 16 + 12] + data[32 + 6 : 32 + 12]
    image = listable.unpack_image(
        at, (1, 1, 2), e.GL_RED, e.GL_UNSIGNED_SHORT, (8, 0, 0, 0, 2, 1, 1, 0)
    )
    assert image == bytes([17, 16, 33, 32])
    assert (
        listable.unpack_image(
            at, (1, 1, 1), e.GL_RGBA, e.GL_UNSIGNED_SHORT_5_5_5_1, (1, 0, 0, 0, 0, 0, 0, 0)
        )
        == data[:2]
    )
    assert listable.unpack_image(at, (1, 1, 1), 1, 2, (1, 0, 0, 0, 0, 0, 0, 0)) is None
    bits = ctypes.create_string_buffer(bytes([0b10110011, 0b01000000]), 2)
    out = listable.unpack_image(
        ctypes.addressof(bits), (5, 1, 1), e.GL_COLOR_INDEX, e.GL_BITMAP, (1, 0, 0, 4, 0, 0, 0, 0)
    )
    assert out is not None and out[0] >> 3 == 0b00110
    out = listable.unpack_image(
        ctypes.addressof(bits), (4, 1, 1), e.GL_COLOR_INDEX, e.GL_BITMAP, (1, 0, 0, 0, 0, 0, 0, 1)
    )
    assert out is not None and out[0] >> 4 == 0b1100


@pytest.mark.parametrize("name", ["glTexImage2D", "glTexSubImage2D", "glMultiTexImage2DEXT"])
def test_images_that_no_texture_holds_are_not_read(name: str) -> None:
    """The command will be refused, so a page may be all that there is of what would be 16 GB."""
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        hold = ctypes.c_char.from_buffer(page)
        args = {each: 0 for each, _ in TABLE.row(TABLE.slots[name]).params}
        args |= {"width": 65535, "height": 65535, "format": e.GL_RGBA, "type": e.GL_UNSIGNED_BYTE}
        args["pixels"] = ctypes.addressof(hold)
        unpack = (1, 0, 0, 0, 0, 0, 0, 0)
        assert listable.image_of(name, args, unpack) is None
        assert listable.image_of(name, args | {"width": 2, "height": 3}, unpack) == bytes(24)
        del hold


@pytest.mark.parametrize("family", ["glTexParameteriv", "glTexParameterIuiv"])
def test_all_numbers_of_a_swizzle_are_kept(family: str) -> None:
    args = (e.GL_TEXTURE_2D, e.GL_TEXTURE_SWIZZLE_RGBA, 0)
    assert listable.pointer_bytes(Numbers(), family, TABLE.row(family).params[2][1], args) == 16


def test_commands_that_are_not_listable_run_at_once(gl: GL) -> None:
    gl.NewList(1, COMPILE)
    name = gl.GenLists(1)
    assert name and gl.IsList(name)
    gl.EndList()
    assert VERT_ATTRIB_MAT0 == 32 and set(ELEMENT) >= set("fdisI")
