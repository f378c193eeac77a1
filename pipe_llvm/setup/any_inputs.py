# SPDX-License-Identifier: MIT
"""Triangle setup for any inputs of a fragment shader: it serves until a plan has a kernel of its
own.

In: what a setup kernel gets (triangle.py), and the plan's table of inputs. Out: the same packets,
bit for bit. A kernel for certain inputs costs some 17 ms of LLVM, in the frame that first needs it;
this one is made when the driver is built, and goes through the inputs in a loop. Polygons with
several samples or smooth ones, and depth as floats, have other packets and none of this. llvmpipe
compiles a setup function for each set of inputs (lp_state_setup.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.fragment.packet import RECIP_W, PacketHeader, PacketLayout, store_field
from pipe_llvm.native import SETUP_FLAT, SETUP_NO_BACK, SETUP_PERSPECTIVE
from pipe_llvm.setup.triangle import Planes, Triangles, TriangleSetup, f32x16, make_setup, u64x16
from pydri.jit import Kernel, f32, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.recipe import SetupPart

class _AnySetup(TriangleSetup):
    """The body: what depends on the layout is read from the plan."""

    def __init__(
        self, b: Any, lp: Any, plan: Any, dyn: Any, prim: Any, part: SetupPart, hurried: bool
    ) -> None:
        super().__init__(b, lp, plan, dyn, prim, part, hurried)
        self.plan = plan
        self.packets.packet_bytes = plan.packet_bytes

    def depth_unit(self, triangles: Triangles) -> Any:
        return self.b.splat(self.plan.any_setup.unit, 16)

    def store_inputs(
        self, packet: Any, header: Any, triangles: Triangles, planes: Planes, front: Any
    ) -> None:
        b, plan, one = self.b, self.plan, self.b.const(f32x16, 1.0)
        rw = [f[3] for f in triangles.first]
        linear = (rw[0] == rw[1]) & (rw[1] == rw[2])
        header.linear = b.cast(b.bits_of(linear), u32)
        with b.If(plan.any_setup.perspective != 0):
            for n, value in enumerate(planes.through(*rw)):
                store_field(b, packet, RECIP_W + n, value)
        weight = [b.select(linear, one, w) for w in rw]
        places = [b.cast(n, u64x16) * b.splat(self.row_bytes, 16) for n in triangles.numbers]

        def corner(row: Any, k: int) -> Any:
            at = places[k] + b.splat(row * 4, 16)
            return b.gather(self.rows, at, ty=f32, scale=1)

        with b.For(b.const(u64, 0), b.cast(plan.any_setup.inputs, u64)) as n:
            item = plan.any_setup.map[n]
            row, back, kind = item & 0xFFFF, (item >> 16) & 0xFFFF, item >> 48
            values = [b.var(f32x16, corner(row, k)) for k in range(3)]
            with b.If(back != SETUP_NO_BACK):
                for k, value in enumerate(values):
                    value.value = b.select(front, value.value, corner(back, k))
            field = b.bytes_from(packet, ((item >> 32) & 0xFFFF) * 64, PacketHeader)
            with b.If(kind == SETUP_FLAT):
                store_field(b, field, 0, values[2].value)
            with b.Else():
                # times 1 is the value itself, bit for bit
                divided = b.splat(kind == SETUP_PERSPECTIVE, 16)
                factors = [b.select(divided, w, one) for w in weight]
                weighted = (v.value * f for v, f in zip(values, factors, strict=True))
                for k, part in enumerate(planes.through(*weighted)):
                    store_field(b, field, k, part)


def kernels(name: str) -> list[Kernel]:
    """The kernel, traced."""
    from pipe_llvm.recipe import DepthStep, SetupPart

    part = SetupPart(PacketLayout((), True, 0), (), DepthStep(0.0, False))
    return [make_setup(name, part, True, _AnySetup)]


__all__ = ["kernels"]
