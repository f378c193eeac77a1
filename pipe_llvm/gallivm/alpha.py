# SPDX-License-Identifier: MIT
"""The alpha test (GL 2.1, 4.1.4). Counterpart of Mesa's lp_bld_alpha.c.

GL compares fixed-point numbers: the fragment's alpha and the reference are both rounded to as many
bits as the colour buffer's alpha has, or more. Colour buffers of 8 bits a channel are compared in
8 bits, so GL_EQUAL to 0.5 is true of the byte 128; others are compared as floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.gallivm.depth import compare
from pipe_llvm.gallivm.format import quantise
from pydri.pipe.format import Format

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


def passes(b: Builder, func: int, fmt: Format, alpha: Value, ref: Value) -> Value:
    """A boolean vector: which of 16 fragments pass. `func` is a GL enum, `fmt` the format of the
    colour buffer, `alpha` a vector of floats, `ref` a float."""
    reference = b.splat(ref, 16)
    if fmt.channels and all(bits == 8 for _, bits in fmt.channels):
        return compare(func, quantise(b, alpha, 8), quantise(b, reference, 8))
    return compare(func, alpha, reference)
