# SPDX-License-Identifier: MIT
"""What kernels find wrong: a number that they return, and the sentence it stands for."""
from __future__ import annotations

from typing import Final

ERRORS: Final = (
    "a texture type that is not simulated",
    "a minifier that there is not",
    "texture children are not simulated",
    "a texel is read outside of every buffer",
    "a cube is sampled without its third coordinate",
    "a uniform is read outside of every buffer",
    "memory is read outside of every buffer",
    "an attribute is read outside of every buffer",
    "a tile is loaded outside of every buffer",
    "a tile is stored outside of every buffer",
    "a shader does not end",
    "a shader runs past its last word",
    "a branch to half a word",
    "a branch out of the shader",
    "branch condition {}",
    "signal {} is not simulated",
    "semaphores: shaders of a job run one after the other",
    "there is no operation {} of the add pipe",
    "the multiply pipe has no pack {}",
    "more samples wait in a TMU than it holds",
    "a TMU's result is read, and none was asked for",
    "more varyings are read than the vertices have",
    "a fragment shader reads address {}",
    "a fragment shader writes address {}, which is not simulated",
    "a shader of vertices reads address {}",
    "a shader of vertices writes address {}",
    "a read of the VPM that was not set up",
    "a write of the VPM that was not set up",
    "row {} of the VPM is read, and attributes fill less",
    "more rows of the VPM are written than there are",
    "a VPM set-up that is not of rows of 32-bit words",
    "a shader of vertices reads a varying",
    "a shader of vertices loads a colour",
)
#: what a kernel gives back when all went well
DONE: Final = 0


def error_code(text: str, number: int = 0) -> int:
    """What a kernel returns for one of ERRORS, with the number in it."""
    return 1 + ERRORS.index(text) | number << 8


def error_text(code: int) -> str:
    """The sentence of what a kernel returned."""
    return ERRORS[(code & 255) - 1].format(code >> 8)
