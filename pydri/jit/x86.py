# SPDX-License-Identifier: MIT
"""What x86 does with vectors of f32 in fewer instructions than LLVM finds for plain IR.

LLVM takes its saturating conversion (llvm.fptosi.sat) apart by lane; the CPU's gives -2^31 for all
that does not fit, which the plain fptosi leaves undefined. And the larger of x and 0, which is one
instruction, becomes a comparison and a mask. All is bound to the width of the module's registers,
so vectors are handed over in pieces of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydri.jit.types import Vec, i16, i32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit.emitter import Emitter
    from pydri.jit.types import Scalar, Type
    from pydri.jit.values import Value

    #: by how many lanes a register has: a name, and what it takes behind the vectors
    Forms = dict[int, tuple[str, Sequence[tuple[Type, int]]]]

_AS_MXCSR: Final = (i32, 4)  # how to round: as that says
_CVTT: Final[Forms] = {
    4: ("llvm.x86.sse2.cvttps2dq", ()),
    8: ("llvm.x86.avx.cvtt.ps2dq.256", ()),
    # no lane is masked, so nothing is taken from the first of these
    16: ("llvm.x86.avx512.mask.cvttps2dq.512", ((i32.vec(16), 0), (i16, -1), _AS_MXCSR)),
}
_MAX: Final[Forms] = {
    4: ("llvm.x86.sse.max.ps", ()),
    8: ("llvm.x86.avx.max.ps.256", ()),
    16: ("llvm.x86.avx512.max.ps.512", (_AS_MXCSR,)),
}


def to_integer(b: Emitter, x: Value, to: Type) -> Value:
    """f32 to i32 or u32, towards zero, saturating; NaN gives 0. `to` has as many lanes as `x`."""
    assert isinstance(to, Vec)
    zero = b.const(to, 0)
    if to.elem is not i32:
        fits = b.select((x > -1.0) & (x < 2.0**32), x, b.const(x.ty, 0.0))
        return b.select(x >= 2.0**32, b.const(to, (1 << 32) - 1), b.cast_fast(fits, to))
    # what is too small is right by itself; what is too large is that with all bits turned over
    found = _in_registers(b, _CVTT, i32, x) ^ b.select(x >= 2.0**31, b.const(to, -1), zero)
    return b.select(b.compare("eq", x, x), found, zero)


def at_least_zero(b: Emitter, x: Value) -> Value:
    """`x > 0 ? x : 0`: 0, too, of NaN and of -0."""
    return _in_registers(b, _MAX, x.elem, x, b.const(x.ty, 0.0))


def _in_registers(b: Emitter, forms: Forms, elem: Scalar, *vectors: Value) -> Value:
    """An intrinsic, lane by lane; lanes that fill no register have others beside them."""
    ty = vectors[0].ty
    assert isinstance(ty, Vec)
    size = min(max(ty.lanes, 4), b.module.width // 32)
    name, more = forms[size]
    constants = [b.const(kind, value) for kind, value in more]
    parts = []
    for first in range(0, ty.lanes, size):
        lanes = [n if n < ty.lanes else -1 for n in range(first, first + size)]
        operands = [b.shuffle(v, None, lanes) for v in vectors]
        parts.append(b.intrinsic(name, elem.vec(size), *operands, *constants))
    while len(parts) > 1:
        size *= 2
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [b.shuffle(*pair, list(range(size))) for pair in pairs]
    return parts[0] if size == ty.lanes else b.shuffle(parts[0], None, list(range(ty.lanes)))


__all__ = ["at_least_zero", "to_integer"]
