# SPDX-License-Identifier: MIT
"""The initial state of a context as constant bytes.

In: what `fixed` of defaults.py writes into a zeroed struct. Out: the kernel `context_born`, which
copies it: to write a thousand numbers one by one, through ctypes, would be a tenth of a start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, u8, void
from pydri.main import defaults
from pydri.main.kernels import CTX
from pydri.main.layout import GLContext

if TYPE_CHECKING:
    from pydri.jit import Builder

_WORD = 8
_GAP = 64  # so many zeros end a run: to copy them, too, is cheaper than to begin another one


def _runs(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Where there is anything but zeros: offset and bytes, whole words."""
    begin = end = 0
    for at in range(0, len(data), _WORD):
        if any(data[at : at + _WORD]):
            if at - end > _GAP and end:
                yield begin, data[begin:end]
                begin = at
            elif not end:
                begin = at
            end = at + _WORD
    if end:
        yield begin, data[begin:end]


@gl_kernel
@kernel(void, (CTX,), cold=True)
def context_born(b: Builder, ctx: GLContext) -> None:
    """The state of a new context, whose struct is zero so far."""
    image: Any = GLContext.ctype()()
    defaults.fixed(image)
    for offset, data in _runs(bytes(image)):
        b.memcpy(b.bytes_from(ctx, offset, u8), b.table(u8, data), len(data))
