# SPDX-License-Identifier: MIT
"""What kernels take of the stack of the thread that calls them, and that they touch it in order."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pydri.jit import kernel, ptr, u8, u32, u64
from pydri.jit.image import MAGIC
from tests.unit.alone import compiled_alone

#: LLVM's code for a page of a frame: subq $4096, %rsp; movq $0, (%rsp)
PAGE = b"\x48\x81\xec\x00\x10\x00\x00\x48\xc7\x04\x24\x00\x00\x00\x00"
#: and how the loop goes on that takes the place of more than eight of them: cmpq %r11, %rsp
LOOP = PAGE + b"\x4c\x39\xdc"


def pages(code: bytes) -> int:
    """How many whole pages the largest frame in some machine code has, but for its first and last;
    99 where there is a loop."""
    if LOOP in code:
        return 99
    runs = re.findall(b"(?:" + re.escape(PAGE) + b")+", code)
    return max((len(run) // len(PAGE) for run in runs), default=0)


def deep(size: int) -> Any:
    """The code of a kernel with an array of so many bytes."""

    @kernel(ret=u32, args=(ptr(u8),), noinline=True)
    def read(b: Any, p: Any) -> None:
        b.Return(b.cast(p[3], u32))

    @kernel(ret=u32, args=(ptr(u8), u32))
    def frame(b: Any, p: Any, n: Any) -> None:
        kept = b.array(u8, size, align=64)
        b.memcpy(kept, p, b.cast(n, u64))
        b.Return(b.call(read, kept) + 1)

    image = compiled_alone("frame", [frame])
    return ctypes.string_at(image.address("frame"), 400)


def test_frames_are_touched_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [pages(deep(size)) for size in (3000, 12000, 24000)] == [0, 1, 4]
    monkeypatch.setattr(sys.modules["pydri.jit.kernel"], "MOST_ARRAYS", 1 << 30)
    assert pages(deep(40000)) == pages(deep(3 << 20)) == 99


def test_arrays_of_a_kernel_have_a_bound() -> None:
    with pytest.raises(TypeError, match="arrays of 24640 bytes on the stack"):
        deep(24640)


@pytest.mark.embed
def test_frames_of_the_driver(libdir: str) -> None:
    """All images that the build made: the core's, and what comes with the first use of a thing."""
    found = {}
    for path in Path(libdir, "objects").glob("*/*"):
        data = path.read_bytes()
        if MAGIC in data:
            found[path.name] = pages(data[data.index(MAGIC) :])
    assert len(found) > 20 and max(found.values()) > 0
    assert [name for name, count in found.items() if count > 4] == []
