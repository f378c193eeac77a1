# SPDX-License-Identifier: MIT
"""The record of what a shader reads and writes; gather_info.py fills it. (A start keeps such
records and gathers none.)"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pydri.pipe.state import Accesses, Emits

#: a byte range that is only known when the block is: all of it
WHOLE: Final = (0, 1 << 30)
#: the block of a program's own uniforms
UNIFORM_BLOCK: Final = 1


class Info(NamedTuple):
    """Fields as ShaderRef's. `inputs` that are not interpolated are slots. A range that depends
    on an index is WHOLE.
    """

    inputs: tuple[Any, ...]
    outputs: tuple[int, ...]
    const_range: tuple[int, int]
    uniform_range: tuple[int, int]
    uses_discard: bool
    writes_depth: bool
    uses_position: bool
    textures: int
    #: bytes of block 1 that are read, each once; `indexed`: others, at places known when it runs
    uniforms: tuple[tuple[int, int], ...] = ()
    indexed: bool = False
    #: numbers of textures
    samplers: frozenset[int] = frozenset()
    #: ShaderRef.ways
    ways: tuple[int, int, int, int] = (0, 0, 0, 0)
    #: ShaderRef.access
    access: Accesses = Accesses()
    #: of each block in a buffer, from number FIRST_BLOCK on, the end of the bytes that are read
    blocks: tuple[int, ...] = ()
    #: ShaderRef.emits
    emits: Emits = Emits()
    #: ShaderRef.loops
    loops: bool = False
