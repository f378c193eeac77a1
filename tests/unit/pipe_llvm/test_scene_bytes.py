# SPDX-License-Identifier: MIT
"""How much a scene records: three quarters of the second-level cache, within limits."""

import pytest

from pipe_llvm import memory


@pytest.mark.parametrize(
    ("cache", "wanted"),
    [(256 << 10, 3 << 17), (512 << 10, 3 << 17), (1 << 20, 3 << 18), (2 << 20, 3 << 19),
     (16 << 20, 3 << 19), (0, 3 << 19), (-1, 3 << 19)],
)  # fmt: skip
def test_recorded_stays_in_the_cache(
    monkeypatch: pytest.MonkeyPatch, cache: int, wanted: int
) -> None:
    monkeypatch.setattr(memory.os, "sysconf", lambda name: cache)
    assert memory.scene_bytes() == wanted


def test_a_library_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(memory.os, "sysconf", unknown)
    assert memory.scene_bytes() == 3 << 19
