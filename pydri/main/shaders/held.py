# SPDX-License-Identifier: MIT
"""Native code of programs from Python: what it stands for lives as long, and is freed behind it.

In: Executables and ArbCodes that Python made (`Counted` of names/layout.py), and the stages
(StageCode) that they name by number. Out: memory and stages that live until neither the program nor
a context that draws with them has a reference any more. Kernels give references back; what has none
waits in the share group for `bury`, which all who make code or delete programs call. The group's
lock is held by the callers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.main import memory
from pydri.main.names.layout import Counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydri.main.context import GLContext
    from pydri.main.shaders.code import StageCode


def hold(ctx: GLContext, address: int, codes: Iterable[StageCode]) -> None:
    """New code, one piece of memory with one reference, that names these stages."""
    Counted.view(address).references = 1
    ctx.shared.codes[address] = tuple(codes)


def bury(ctx: GLContext) -> None:
    """Free what nobody refers to any more."""
    address = int(ctx.kernel("counted_dead")(ctx.address))
    while address:
        following = int(Counted.view(address).next or 0)
        del ctx.shared.codes[address]
        memory.free(address)
        address = following


__all__ = ["bury", "hold"]
