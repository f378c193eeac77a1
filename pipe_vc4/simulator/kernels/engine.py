# SPDX-License-Identifier: MIT
"""The kernels' code: the pipeline's, compiled once, and that of shaders, once for their words."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import pathlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pipe_vc4.simulator.kernels import setup, tiles, tlb, tmu, vertices
from pipe_vc4.simulator.kernels.lanes import PLAIN
from pipe_vc4.simulator.kernels.layout import Vc4Units
from pipe_vc4.simulator.kernels.program import Shape, translate
from pipe_vc4.simulator.kernels.state import Untranslatable
from pipe_vc4.simulator.samples import SAMPLES
from pydri.jit.image import Image
from pydri.jit.kernel import Module

#: files of pipe_vc4 that decide what code is made; the build knows only those of pydri's own rooms
_SOURCES: Final = ("simulator", "qpu")
_EXPORTS: Final = (tiles.Tiles(1).play, setup.set_up, vertices.shade, tlb.stencil)


@functools.cache
def _sources() -> bytes:
    """A digest of what makes the code."""
    digest = hashlib.blake2b(digest_size=20)
    room = pathlib.Path(__file__).resolve().parents[2]
    for folder in _SOURCES:
        for path in sorted((room / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()


class Pipeline(NamedTuple):
    """Functions of the pipeline around shaders; `units` is what shaders call."""

    play: Callable[[int], int]
    set_up: Callable[[int], None]
    shade: Callable[[int], int]
    units: Any
    image: Image


@functools.cache
def pipeline() -> Pipeline:
    """The pipeline's code."""
    floats = PLAIN._replace(doors=True, without=("stencil",))
    image = Module("vc4_pipeline", list(_EXPORTS), _sources(), floats=floats).compile()
    units = Vc4Units.ctype()(stencil=image.address("stencil"))
    returns = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
    nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    return Pipeline(returns(image.address("play")), nothing(image.address("set_up")),
                    returns(image.address("shade")), units, image)


@functools.cache
def sampled_play() -> Callable[[int], int]:
    """`Pipeline.play` for jobs of four samples a pixel."""
    image = Module("vc4_samples", [tiles.Tiles(SAMPLES).play], _sources(), floats=PLAIN).compile()
    _KEPT.append(image)
    return ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(image.address("play_4x"))


@functools.cache
def sampler() -> Image:
    """The sampler, half as much code as all else: for jobs whose shaders sample."""
    image = Module("vc4_sampler", [tmu.sample], _sources(), floats=PLAIN).compile()
    pipeline().units.sample = image.address("sample")
    return image


class Shader(NamedTuple):
    """A shader's code, and what keeps it there."""

    address: int
    image: Image


#: shaders by what they depend on; None: numpy has to run it
_SHADERS: Final[dict[Shape, Shader | None]] = {}
_SEEN: Final[set[Shape]] = set()
_KEPT: Final[list[Image]] = []
_MOST: Final = 2048


def _module(shape: Shape) -> Module:
    key = _sources() + repr(shape).encode()
    return Module("vc4_shader", lambda: [translate(shape)], key, variant=True, floats=PLAIN)


def _kept(shape: Shape, image: Image | None) -> Shader | None:
    if len(_SHADERS) >= _MOST:
        _SHADERS.clear()
    made = None if image is None else Shader(image.address("shader"), image)
    _SHADERS[shape] = made
    return made


def shader(shape: Shape) -> Shader:
    """The code of a shader; Untranslatable where numpy has to run it."""
    if shape in _SHADERS:
        found = _SHADERS[shape]
    else:
        try:
            found = _kept(shape, _module(shape).compile())
        except Untranslatable:
            found = _kept(shape, None)
    if found is None:
        raise Untranslatable
    return found


def is_worth_it(shape: Shape) -> bool:
    """Whether a shader's code is there, or the shader is wanted again and should be compiled."""
    if shape in _SHADERS or shape in _SEEN:
        return True
    if len(_SEEN) >= _MOST:
        _SEEN.clear()
    _SEEN.add(shape)
    image = _module(shape).load()
    return image is not None and _kept(shape, image) is not None


__all__ = ["Pipeline", "Shader", "is_worth_it", "pipeline", "sampled_play", "sampler", "shader"]
