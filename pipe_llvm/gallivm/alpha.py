# SPDX-License-Identifier: MIT
"""The alpha test (GL 2.1, 4.1.4). Counterpart of Mesa's lp_bld_alpha.c.

GL compares fixed-point numbers: the fragment's alpha and the reference are both rounded to as many
bits as the colour buffer's alpha has, or more. Colour buffers of 8 bits a channel are compared in
8 bits, so GL_EQUAL to 0.5 is true of the byte 128; others are compared as floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.gallivm.any_tests import GL_ALWAYS, compare_any
from pipe_llvm.gallivm.depth import compare
from pipe_llvm.gallivm.format import quantise
from pydri.pipe.format import Format
from pydri.pipe.state import ANY_FUNC

if TYPE_CHECKING:
    from pipe_llvm.native import LpFragState
    from pydri.jit import Builder, Value


def in_bytes(fmt: Format) -> bool:
    """Whether alphas are compared in 8 bits."""
    return bool(fmt.channels) and all(bits == 8 for _, bits in fmt.channels)


def passes(b: Builder, func: int, fmt: Format, alpha: Value, state: LpFragState) -> Value:
    """A boolean vector: which of 16 fragments pass. `func` is a GL enum or, where alphas are
    compared in 8 bits, ANY_FUNC; `fmt` the format of the colour buffer, `alpha` a vector of
    floats."""
    reference = b.splat(state.alpha_ref, 16)
    if not in_bytes(fmt):
        return compare(func, alpha, reference)
    found, wanted = quantise(b, alpha, 8), quantise(b, reference, 8)
    if func == ANY_FUNC:
        return compare_any(b, state.plan.tests.alpha, found, wanted)
    return compare(func, found, wanted)


__all__ = ["GL_ALWAYS", "in_bytes", "passes"]
