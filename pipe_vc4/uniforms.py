# SPDX-License-Identifier: MIT
"""The stream of uniforms of a shader: what its contents and data stand for (vc4_uniforms.c).

In: the contents of a compiled shader, the state of a draw. Out: handles (numbers of the job's
buffers, in the order of the samples and reads of memory), then values.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from pipe_vc4.emit.generate import QpuCode
from pipe_vc4.job import JobBuilder
from pipe_vc4.qir.enums import QUniform
from pipe_vc4.resource import COLOR_FORMATS, Ints, Texture, Words
from pydri.pipe.format import FORMATS
from pydri.pipe.state import PipelineState

#: becomes the address of the block's first value
UNIFORMS_BASE: Final = 0xD0D0D0D0
Q = QUniform


def float_bits(value: float) -> int:
    """A float's 32 bits."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def _byte(value: float) -> int:
    return round(min(max(value, 0.0), 1.0) * 255)


class Stream(NamedTuple):
    """The uniforms of a program, sorted by where they come from."""

    #: what never changes; 0 elsewhere
    constants: Words
    #: of each uniform block that is read: its number, places in the stream, words of the block
    words: tuple[tuple[int, Ints, Ints], ...]
    #: all else, in order: place, what it stands for, data
    others: tuple[tuple[int, QUniform, int], ...]
    #: the program's constants in memory
    tables: bytes = b""


def stream_of(code: QpuCode, tables: Sequence[int] = ()) -> Stream:
    """The uniforms of a program that reads these words of constants from memory."""
    constants = np.zeros(len(code.uniform_contents), np.uint32)
    words: dict[int, list[tuple[int, int]]] = {}
    others = []
    for place, (kind, data) in enumerate(zip(code.uniform_contents, code.uniform_data)):
        if kind == Q.CONSTANT:
            constants[place] = data & 0xFFFFFFFF
        elif kind == Q.UNIFORM:
            words.setdefault(data >> 24, []).append((place, data & 0xFFFFFF))
        else:
            others.append((place, kind, data))
    read = []
    for number, pairs in words.items():
        places, at = np.array(pairs, np.int64).T
        read.append((number, places, at))
    words_of_tables = np.array(tables, "<u4").tobytes()
    return Stream(constants, tuple(read), tuple(others), words_of_tables)


class Uniforms:
    """What the uniforms of a stage of a draw may name."""

    def __init__(
        self, builder: JobBuilder, state: PipelineState, dyn: Any, stage: int,
        textures: tuple[Texture, ...], stencil: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self.builder, self.state, self.dyn = builder, state, dyn
        self.textures, self.stencil = textures, stencil
        own = dyn.stages[stage]
        given = ((dyn.const0, dyn.const0_size), (own.const1, own.const1_size))
        self.blocks = [ctypes.string_at(at, size) if at else b"" for at, size in given]
        self.handles: list[int] = []
        self.tables = b""

    def block(self, stream: Stream) -> tuple[list[int], list[int]]:
        """Handles and values of a program."""
        self.handles, self.tables = [], stream.tables
        values = stream.constants.copy()
        for number, places, words in stream.words:
            values[places] = self._words(number, words)
        for place, kind, data in stream.others:
            values[place] = _VALUES[kind](self, data) & 0xFFFFFFFF
        return self.handles, values.tolist()

    def _words(self, number: int, words: Ints) -> Words:
        """Words of a uniform block; 0 behind its end."""
        block = self.blocks[number]
        held = np.frombuffer(block + bytes(4 + -len(block) % 4), "<u4")
        found: Words = held[np.minimum(words, len(held) - 1)]
        return found

    def _memory(self, block: bytes, data: int) -> int:
        """A read of memory through the TMU: the kernel adds the buffer's address."""
        block = block or bytes(4)
        self.handles.append(self.builder.buffer(block, "data", block))
        return data

    def _last(self, number: int, data: int) -> int:
        """The last place of a block behind which there are as many bytes more."""
        return max((len(self.blocks[number]) // 4 - 1) * 4 - data, 0)

    def _texture(self, data: int) -> int:
        texture = self.textures[data]
        self.handles.append(self.builder.buffer(texture.data, "texture", texture.data))
        return texture.p0

    def _blend_color(self) -> int:
        """The blend colour in the order of the target's bytes."""
        color = self.dyn.blend_color
        order = "bgra" if self.key_format in ("BGRA8888", "BGRX8888") else "rgba"
        return sum(_byte(color["rgba".index(letter)]) << 8 * n for n, letter in enumerate(order))

    @property
    def key_format(self) -> str:
        """The target's format as shaders call it."""
        number = self.state.color_format
        return COLOR_FORMATS.get(FORMATS[number].name, "RGBA8888") if number else "RGBA8888"


_Maker = Callable[[Uniforms, int], int]
_VALUES: dict[QUniform, _Maker] = {
    Q.VIEWPORT_X_SCALE: lambda u, _: float_bits(u.dyn.viewport_scale[0] * 16),
    Q.VIEWPORT_Y_SCALE: lambda u, _: float_bits(u.dyn.viewport_scale[1] * 16),
    Q.VIEWPORT_Z_SCALE: lambda u, _: float_bits(u.dyn.viewport_scale[2]),
    Q.VIEWPORT_Z_OFFSET: lambda u, _: float_bits(u.dyn.viewport_translate[2]),
    Q.USER_CLIP_PLANE: lambda u, n: float_bits(u.dyn.clip_planes[n // 4][n % 4]),
    Q.TEXTURE_CONFIG_P0: Uniforms._texture,
    Q.TEXTURE_CONFIG_P1: lambda u, n: u.textures[n].p1,
    Q.TEXTURE_CONFIG_P2: lambda u, n: u.textures[n & 0xFFFF].p2 | n >> 16,
    Q.TEXTURE_FIRST_LEVEL: lambda u, n: 0,
    Q.UBO0_ADDR: lambda u, n: u._memory(u.blocks[0], n),
    Q.UBO1_ADDR: lambda u, n: u._memory(u.blocks[1], n),
    Q.UBO0_LAST: lambda u, n: u._last(0, n),
    Q.UBO1_LAST: lambda u, n: u._last(1, n),
    Q.TABLES_ADDR: lambda u, n: u._memory(u.tables, n),
    Q.TABLES_LAST: lambda u, n: n,
    Q.TEXRECT_SCALE_X: lambda u, n: float_bits(1 / u.textures[n].width),
    Q.TEXRECT_SCALE_Y: lambda u, n: float_bits(1 / u.textures[n].height),
    Q.TEXTURE_WIDTH: lambda u, n: float_bits(float(u.textures[n].width)),
    Q.TEXTURE_HEIGHT: lambda u, n: float_bits(float(u.textures[n].height)),
    Q.TEXTURE_LOD_BIAS: lambda u, n: float_bits(u.textures[n].lod_bias),
    Q.TEXTURE_BORDER_COLOR: lambda u, n: u.textures[n].border,
    Q.BLEND_CONST_COLOR_X: lambda u, _: float_bits(u.dyn.blend_color[0]),
    Q.BLEND_CONST_COLOR_Y: lambda u, _: float_bits(u.dyn.blend_color[1]),
    Q.BLEND_CONST_COLOR_Z: lambda u, _: float_bits(u.dyn.blend_color[2]),
    Q.BLEND_CONST_COLOR_W: lambda u, _: float_bits(u.dyn.blend_color[3]),
    Q.BLEND_CONST_COLOR_RGBA: lambda u, _: u._blend_color(),
    Q.BLEND_CONST_COLOR_AAAA: lambda u, _: _byte(u.dyn.blend_color[3]) * 0x01010101,
    Q.SAMPLE_MASK: lambda u, _: u.dyn.sample_mask,
    Q.STENCIL: lambda u, n: u.stencil[n],
    Q.UNIFORMS_ADDRESS: lambda u, _: UNIFORMS_BASE,
    Q.ALPHA_REF: lambda u, _: float_bits(u.dyn.alpha_ref),
}

__all__ = ["Stream", "Uniforms", "float_bits", "stream_of"]
