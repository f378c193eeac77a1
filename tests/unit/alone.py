# SPDX-License-Identifier: MIT
"""Compile a test's own, seen by nobody else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydri.jit import Module, cache
from pydri.jit.fpstate import Floats
from pydri.util.options import options


@contextmanager
def empty_cache() -> Iterator[None]:
    """Nothing has been compiled before, neither for an earlier run's disk nor for another test of
    this process. What is compiled in it must be given back in it, too."""
    before = cache.object_cache()
    cache.use(cache.ObjectCache(None, b""))
    try:
        yield
    finally:
        cache.use(before)


def compiled_alone(
    name: str, kernels: list[Any], width: int | None = None, floats: Floats | None = None
) -> Any:
    """The image of some kernels at a vector width (bits; None: the machine's own).

    The key of a module is its name, which tests choose as they like, and in another order in each
    of the processes that share the work.
    """
    with empty_cache(), options(LP_NATIVE_VECTOR_WIDTH=width or 0):
        return Module(name, kernels, floats=floats).compile()
