# SPDX-License-Identifier: MIT
"""What Python does for lists being compiled: the save table, the first memory of a context's store,
and images, which become rows without gaps.

In: `ctx.hook_upload` (HOOK_SAVE_*). Out: `dlist.save`, and answers in `dlist.args`. Counterpart of
Mesa's vbo_save_init and unpack_image of main/dlist.c.
"""

from __future__ import annotations

import ctypes
from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import GLError
from pydri.api.gl_table import TABLE
from pydri.jit.kernel import Kernel, Module
from pydri.main import memory
from pydri.main.layout import VboPrim
from pydri.util.once import once
from pydri.vbo import native as nv
from pydri.vbo.native import SLOT_BYTES

_FIRST_VERTICES = 256
_FIRST_PRIMS = 64


def _save_kernels() -> list[Kernel]:
    from pydri.vbo import save

    return save.kernels()


def save_module() -> Module:
    """The module of the kernels that compile lists."""
    return Module("vbo_save", _save_kernels)


@once
def fill_save_table(table: int, exec_table: int) -> None:
    """Put the kernels that compile lists into a save table, which all contexts share."""
    image = save_module().compile()
    slots = TABLE.slots
    count = len(TABLE)
    ctypes.memmove(table, exec_table, 8 * count)
    cells = (ctypes.c_uint64 * count).from_address(table)
    for symbol, address in image.symbols.items():
        name = symbol.removeprefix("save_")
        if name in slots:
            for alias in dispatch.aliases(name):
                cells[slots[alias]] = address
    if dispatch.shim is not None:
        dispatch.table_ready(table)


class SaveStore:
    """The native store of a context's lists. `n` is the native context; the memory that its
    pointers lead to is the kernels' to move.
    """

    def __init__(self, n: Any) -> None:
        self.n = n
        fill_save_table(n.save_table, n.exec_table)
        self._memory = nv.Block(nv.VboSave.size)
        self.store = s = nv.VboSave.view(self._memory.address)
        s.buffer_size = (_FIRST_VERTICES + nv.SLACK) * SLOT_BYTES
        s.buffer = memory.allocate(s.buffer_size)
        s.max_prims = _FIRST_PRIMS
        s.prims = memory.allocate(_FIRST_PRIMS * VboPrim.size)
        s.layout, s.attr_count, s.vertex_size = 1, 1, SLOT_BYTES
        self._image: nv.Block | None = None
        n.dlist.save = self._memory.address

    def __del__(self) -> None:
        if hasattr(self, "store"):
            for address in (self.store.buffer, self.store.prims, self.store.nodes):
                memory.free(address)

    def image(self, slot: int) -> None:
        """HOOK_SAVE_IMAGE: the image is there until the next one."""
        args = self.n.dlist.args
        row = TABLE.row(slot)
        cells = [_signed(int(v), code) for v, (_, code) in zip(args, row.params)]
        try:
            data, mistake = self._data(row, cells), 0
        except GLError as problem:
            data, mistake = None, problem.enum
        self._image = nv.Block(0, data) if data else None
        args[0] = self._image.address if self._image else 0
        args[1] = len(data or b"")
        args[2] = mistake

    def _data(self, row: Any, cells: list[int]) -> bytes | None:
        """What a command's image or pixel map is now, in the program's memory or a buffer."""
        from functools import partial  # lists without images begin sooner

        from pydri.main.pixels.memory import pixel_memory
        from pydri.vbo import listable

        if row.name in listable.IMAGES:
            named = {name: value for (name, _), value in zip(row.params, cells)}
            source = partial(pixel_memory, self.n, "unpack_buffer")
            if "Compressed" in row.name:
                raw = self.n.raw
                return listable.blocks_of(
                    row.name, named, raw.unpack[:], raw.unpack_blocks[:], source
                )
            return listable.image_of(row.name, named, self.n.raw.unpack[:], source)
        size = listable.map_bytes(row.params[-1][1], cells[1])
        address = pixel_memory(self.n, "unpack_buffer", cells[-1], size)
        return ctypes.string_at(address, size) if address else None


def _signed(cell: int, code: str) -> int:
    """An integer argument with its sign."""
    if code[0] == "i":
        return (cell & 0xFFFFFFFF) - (1 << 32) if cell & 0x80000000 else cell & 0xFFFFFFFF
    return cell & 0xFFFFFFFF if code[0] in "EIBMA" else cell


__all__ = ["SaveStore", "fill_save_table", "save_module"]
