# SPDX-License-Identifier: MIT
"""What x86 does with vectors of f32 in fewer instructions than LLVM finds for plain IR.

LLVM takes its saturating conversion (llvm.fptosi.sat) apart by lane; the CPU's gives -2^31 for all
that does not fit, which the plain fptosi leaves undefined. The larger of x and 0, which is one
instruction, becomes a comparison and a mask. And whole numbers are cut down to bytes by limits and
shifts, where the CPU saturates as it narrows. All is bound to the width of the module's registers,
so vectors are handed over in pieces of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydri.jit.types import Vec, i16, i32, u8, u32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit.emitter import Emitter
    from pydri.jit.types import Type
    from pydri.jit.values import Value

    #: by how many bits a register has: a name, and what it takes behind the vectors
    Forms = dict[int, tuple[str, Sequence[tuple[Type, int]]]]

_AS_MXCSR: Final = (i32, 4)  # how to round: as that says
_CVTT: Final[Forms] = {
    128: ("llvm.x86.sse2.cvttps2dq", ()),
    256: ("llvm.x86.avx.cvtt.ps2dq.256", ()),
    # no lane is masked, so nothing is taken from the first of these
    512: ("llvm.x86.avx512.mask.cvttps2dq.512", ((i32.vec(16), 0), (i16, -1), _AS_MXCSR)),
}
_CVT: Final[Forms] = {
    128: ("llvm.x86.sse2.cvtps2dq", ()),
    256: ("llvm.x86.avx.cvt.ps2dq.256", ()),
    512: ("llvm.x86.avx512.mask.cvtps2dq.512", ((i32.vec(16), 0), (i16, -1), _AS_MXCSR)),
}
_PACK_DWORDS: Final[Forms] = {
    128: ("llvm.x86.sse2.packssdw.128", ()),
    256: ("llvm.x86.avx2.packssdw", ()),
    512: ("llvm.x86.avx512.packssdw.512", ()),
}
_PACK_WORDS: Final[Forms] = {
    128: ("llvm.x86.sse2.packuswb.128", ()),
    256: ("llvm.x86.avx2.packuswb", ()),
    512: ("llvm.x86.avx512.packuswb.512", ()),
}
_MAX: Final[Forms] = {
    128: ("llvm.x86.sse.max.ps", ()),
    256: ("llvm.x86.avx.max.ps.256", ()),
    512: ("llvm.x86.avx512.max.ps.512", (_AS_MXCSR,)),
}


def to_integer(b: Emitter, x: Value, to: Type) -> Value:
    """f32 to i32 or u32, towards zero, saturating; NaN gives 0. `to` has as many lanes as `x`."""
    assert isinstance(to, Vec)
    zero = b.const(to, 0)
    if to.elem is not i32:
        fits = b.select((x > -1.0) & (x < 2.0**32), x, b.const(x.ty, 0.0))
        return b.select(x >= 2.0**32, b.const(to, (1 << 32) - 1), b.cast_fast(fits, to))
    # what is too small is right by itself; what is too large is that with all bits turned over
    found = in_registers(b, _CVTT, to, x) ^ b.select(x >= 2.0**31, b.const(to, -1), zero)
    return b.select(b.compare("eq", x, x), found, zero)


def at_least_zero(b: Emitter, x: Value) -> Value:
    """`x > 0 ? x : 0`: 0, too, of NaN and of -0."""
    assert isinstance(x.ty, Vec)
    return in_registers(b, _MAX, x.ty, x, b.const(x.ty, 0.0))


def to_nearest(b: Emitter, x: Value) -> Value:
    """f32 to i32, nearest, ties to even; -2^31 of NaN and of all that does not fit."""
    assert isinstance(x.ty, Vec)
    return in_registers(b, _CVT, i32.vec(x.ty.lanes), x)


def join_bytes(b: Emitter, parts: Sequence[Value]) -> Value:
    """Four vectors of whole numbers (i32) as words (u32) of their bytes, the first lowest; each is
    cut down to 0 to 255. The CPU narrows within 128 bits, so these hold the bytes of four words,
    part by part, until they change places."""
    dwords = parts[0].ty
    assert isinstance(dwords, Vec)
    lanes = dwords.lanes
    low, high = (
        in_registers(b, _PACK_DWORDS, i16.vec(2 * lanes), *parts[n : n + 2]) for n in (0, 2)
    )
    found = in_registers(b, _PACK_WORDS, u8.vec(4 * lanes), low, high)
    places = [16 * (n // 4) + n % 4 + 4 * part for n in range(lanes) for part in range(4)]
    return b.bitcast(b.shuffle(found, None, places), u32.vec(lanes))


def in_registers(b: Emitter, forms: Forms, ret: Vec, *vectors: Value) -> Value:
    """An intrinsic that gives vectors of `ret` by whole registers: of these vectors, which have as
    many bits as that, piece by piece. Lanes that fill no register have others beside them."""
    bits = max(ret.lanes * ret.elem.bits, 128)
    width = min(bits, b.module.width)
    name, more = forms[width]
    constants = [b.const(kind, value) for kind, value in more]
    parts = []
    for n in range(bits // width):
        operands = []
        for v in vectors:
            assert isinstance(v.ty, Vec)
            step = width // v.elem.bits
            lanes = [k if k < v.ty.lanes else -1 for k in range(n * step, (n + 1) * step)]
            operands.append(b.shuffle(v, None, lanes))
        part = ret.elem.vec(width // ret.elem.bits)
        parts.append(b.intrinsic(name, part, *operands, *constants))
    out = join(b, parts)
    return out if out.ty is ret else b.shuffle(out, None, list(range(ret.lanes)))


def join(b: Emitter, parts: Sequence[Value]) -> Value:
    """Vectors of one length (a power of two of them), one behind the other."""
    parts = list(parts)
    while len(parts) > 1:
        ty = parts[0].ty
        assert isinstance(ty, Vec)
        both = list(range(2 * ty.lanes))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [b.shuffle(x, y, both) for x, y in pairs]
    return parts[0]


__all__ = ["at_least_zero", "in_registers", "join", "join_bytes", "to_integer", "to_nearest"]
