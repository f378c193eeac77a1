# SPDX-License-Identifier: MIT
"""What fragment kernels for any blending and any tests read of a plan (fragment/variants.py says
which plans share such a kernel).

GL state that selects code in kernels of their own is data here: `describe` of gallivm/blend.py and
gallivm/any_tests.py fill it in, the kernels that are made of ANY_BLEND and ANY_FUNC
(pydri/pipe/state.py) read it."""

from __future__ import annotations

from pydri.jit.types import Struct, f32, nested, u32


class LpBlend(Struct, align=64):
    """Blending of kernels for any (gallivm/blend.py, `describe`): by 4 * (destination?) + channel
    the places of the factors' vectors, what they are multiplied by and what is added; the equations
    of colour and alpha; the logic operation's truth table as masks; bits that may be written."""

    places = u32[8]
    scale = f32[8]
    bias = f32[8]
    equation = u32[2]
    logic = u32[4]
    mask = u32
    sums = u32  # 1: both equations are sums, nothing is masked, and there is no logic operation


class LpCompare(Struct):
    """A comparison: all bits where the first is less, equal, greater, or none."""

    less = u32
    equal = u32
    greater = u32


class LpStencilOp(Struct):
    """What becomes of a stencil value: ((it & keep) ^ (flip | reference & replace)) + add, of which
    `wrap` are bits, as far as 0 to 255 go."""

    keep = u32
    flip = u32
    replace = u32
    add = u32
    wrap = u32


class LpStencilTest(Struct):
    """The stencil test of a face, and what it does."""

    compare = nested(LpCompare)
    fail = nested(LpStencilOp)
    zfail = nested(LpStencilOp)
    zpass = nested(LpStencilOp)


class LpTests(Struct, align=64):
    """Depth, stencil and alpha test of kernels for any."""

    depth = nested(LpCompare)
    write = u32  # all bits: depth is written; or none
    alpha = nested(LpCompare)
    front = nested(LpStencilTest)
    back = nested(LpStencilTest)


__all__ = ["LpBlend", "LpCompare", "LpStencilOp", "LpStencilTest", "LpTests"]
