# SPDX-License-Identifier: MIT
"""Random items of every kind, with numbers that fit into their bits: streams that mean nothing."""

from __future__ import annotations

import random

from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.opcodes import OPCODES
from pydri.tgsi.tokens.parse import (
    Declaration,
    ImageInfo,
    Immediate,
    Instruction,
    Interp,
    Item,
    Memory,
    Property,
    Semantic,
    Stream,
    TexInfo,
    ViewInfo,
)
from pydri.tgsi.tokens.registers import Dim, Dst, Ind, Src, TexOffset


def _maybe(rng: random.Random, value: object) -> object:
    return value if rng.random() < 0.4 else None


def _file(rng: random.Random) -> int:
    return rng.randrange(1, len(enums.FILES))


def _number(rng: random.Random) -> int:
    return rng.choice((0, 1, 7, -1, 32767, -32768))


def ind(rng: random.Random) -> Ind:
    return Ind(_file(rng), _number(rng), rng.randrange(4), rng.randrange(1024))


def dim(rng: random.Random) -> Dim:
    return Dim(_number(rng), _maybe(rng, ind(rng)))


def src(rng: random.Random) -> Src:
    swizzle = tuple(rng.randrange(4) for _ in range(4))
    return Src(_file(rng), _number(rng), swizzle, rng.random() < 0.5, rng.random() < 0.3,
               _maybe(rng, ind(rng)), _maybe(rng, dim(rng)))


def dst(rng: random.Random) -> Dst:
    return Dst(_file(rng), _number(rng), rng.randrange(16), _maybe(rng, ind(rng)),
               _maybe(rng, dim(rng)))


def declaration(rng: random.Random) -> Declaration:
    file = _file(rng)
    types = tuple(rng.randrange(6) for _ in range(4))
    image = ImageInfo(rng.randrange(19), rng.randrange(1024), rng.random() < 0.5, False)
    streams = tuple(rng.randrange(4) for _ in range(4))
    return Declaration(
        file, rng.randrange(100), rng.randrange(65536), rng.randrange(16),
        _maybe(rng, rng.randrange(65536)),
        _maybe(rng, Interp(rng.randrange(4), rng.randrange(3), rng.randrange(16))),
        _maybe(rng, Semantic(rng.randrange(49), rng.randrange(65536), streams)),
        image if file == enums.FILE_IMAGE else None,
        ViewInfo(rng.randrange(19), types) if file == enums.FILE_SAMPLER_VIEW else None,
        _maybe(rng, rng.randrange(1024)), rng.random() < 0.2, rng.random() < 0.2,
        rng.random() < 0.2, rng.randrange(4), rng.randrange(8),
    )


def instruction(rng: random.Random) -> Instruction:
    offsets = tuple(TexOffset(_file(rng), _number(rng), (0, 3, rng.randrange(4)))
                    for _ in range(rng.randrange(4)))
    return Instruction(
        rng.choice(list(OPCODES.values())),
        tuple(dst(rng) for _ in range(rng.randrange(3))),
        tuple(src(rng) for _ in range(rng.randrange(6))),
        rng.random() < 0.2, rng.random() < 0.2, _maybe(rng, rng.randrange(1 << 24)),
        _maybe(rng, TexInfo(rng.randrange(256), rng.randrange(8), offsets)),
        _maybe(rng, Memory(rng.randrange(16), rng.randrange(256), rng.randrange(1024))),
    )


def item(rng: random.Random) -> Item:
    kind = rng.randrange(6)
    if kind == 0:
        words = tuple(rng.getrandbits(32) for _ in range(rng.randrange(5)))
        return Immediate(rng.randrange(6), words)
    if kind == 1:
        return Property(rng.randrange(29), (rng.getrandbits(32),))
    return declaration(rng) if kind == 2 else instruction(rng)


def random_stream(rng: random.Random) -> Stream:
    items = tuple(item(rng) for _ in range(rng.randrange(30)))
    return Stream(rng.randrange(8), items)
