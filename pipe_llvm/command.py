# SPDX-License-Identifier: MIT
"""Commands of a tile's bin: words of 64 bits, made by setup and read by rast and fragment kernels.

Bits 0..47 are the address of a packet or block, 48..51 the lane of a packet, 52..55 what cuts the
primitive within the tile (CUT_*; of OP_BOX BOX_STAMP), 56..63 the operation. OP_STAMPS is a small
triangle, whose packet holds entries of LpStamps instead of edges. Here alone is said where they
lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydri.jit.types import ptr, u8, u32, u64

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.jit.types import Scalar

_LANE_SHIFT, _CUT_SHIFT, _OP_SHIFT = 48, 52, 56
_ADDRESS = (1 << _LANE_SHIFT) - 1

OP_TRI, OP_WHOLE, OP_BOX, OP_STAMPS, OP_CLEAR, OP_BLIT = range(6)
#: What cuts a triangle within the tile and has to be tested, as bits of the word: one for each of
#: the three edges, one for the scissor (in `cut_of` CUTS_BOX).
CUT_EDGE: Final = tuple(1 << _CUT_SHIFT + k for k in range(3))
CUT_EDGES: Final = sum(CUT_EDGE)
CUT_SCISSOR: Final = 8 << _CUT_SHIFT
CUTS_BOX = 8
#: Of OP_BOX, all of whose pixels are covered: the place of the bit that the box lies within the
#: stamp which the packet holds.
BOX_STAMP_SHIFT = _CUT_SHIFT


def coded(operation: int) -> int:
    """An operation as bits of the word."""
    return operation << _OP_SHIFT


def of_lane(b: Builder, address: Value, lane: Value) -> Value:
    """The address (u64) and lane of a packet as bits of the word."""
    return address | (b.cast(lane, u64) << _LANE_SHIFT)


def operation_of(command: Value) -> Value:
    """OP_*, as u64."""
    return command >> _OP_SHIFT


def address_of(command: Value) -> Value:
    """The address of the packet or block, as u64."""
    return command & _ADDRESS


def packet_of(b: Builder, command: Value) -> Pointer:
    """The packet."""
    return b.int_to_ptr(command & _ADDRESS, u8)


def state_of(b: Builder, command: Value) -> Value:
    """The address of the LpFragState that a packet begins with, as u64."""
    return packet_of(b, command).cast(ptr(u64))[0]


def lane_of(b: Builder, command: Value) -> Value:
    """The lane of the packet, as u32."""
    return b.cast((command >> _LANE_SHIFT) & 15, u32)


def cut_of(b: Builder, command: Value, ty: Scalar = u32) -> Value:
    """The bits of what cuts the primitive, from bit 0 on."""
    return b.cast((command >> _CUT_SHIFT) & 15, ty)
