# SPDX-License-Identifier: MIT
"""Compile a module of a test's own, seen by nobody else."""

from typing import Any

from pydri.jit import Module, cache
from pydri.util.options import options


def compiled_alone(name: str, kernels: list[Any], width: int | None = None) -> Any:
    """The image of some kernels at a vector width (bits; None: the machine's own).

    Neither the disk nor another test of this process gives it an image: the key of a module is its
    name, which tests choose as they like, and in another order in each of the processes that share
    the work.
    """
    before = cache.object_cache()
    cache.use(cache.ObjectCache(None, b""))
    try:
        with options(LP_NATIVE_VECTOR_WIDTH=width or 0):
            return Module(name, kernels).compile()
    finally:
        cache.use(before)
