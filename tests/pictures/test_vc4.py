# SPDX-License-Identifier: MIT
"""Scenes on VC4 beside pipe_soft (vc4.py has the bounds). The ordinary run draws a few, which go
round with the driver's sources; `scripts/test --long` and `python -m tests.pictures.vc4` all."""

import pathlib

import numpy as np
import pytest

from tests import host
from tests.pictures import compare, measure, vc4

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)
]  # fmt: skip
FEW = 8


def chosen(names: list[str]) -> list[str]:
    """The scenes of this run: of those that the hardware can draw, some."""
    if host.tier() == "long":
        return names
    known = [name for name in names if vc4.kind_of(name) is not None and "large" not in name]
    return compare.going_round(known, "pipe_vc4")[:FEW]


@pytest.mark.timeout(3000)
def test_scenes_are_as_pipe_soft_draws_them(tmp_path: pathlib.Path) -> None:
    program = compare.compile_client()
    with compare.private_server() as server:
        wrong = vc4.compared(program, server.name, tmp_path, chosen(compare.scene_names(program)))
    assert not wrong, "\n".join([f"see {tmp_path}", *wrong])


def test_the_bounds_bite() -> None:
    """A square in another place, in another colour, at another depth, is beyond them."""
    words = np.full((100, 100), 1 << 30, np.uint32)
    soft = measure.Picture(np.zeros((100, 100, 4), np.uint8), words)
    assert not vc4.beyond("a scene", soft, soft)
    other = soft.colors.copy()
    other[10:15, 10:15] = 90
    assert "inside 25" in vc4.beyond("a scene", soft, soft._replace(colors=other))
    deep = words.copy()
    deep[:30, :30] += 1 << 24
    assert "depths 900" in vc4.beyond("a scene", soft, soft._replace(words=deep))


def test_rows_are_of_scenes() -> None:
    """No pattern outlives its scenes."""
    from fnmatch import filter as matching

    names = compare.scene_names(compare.compile_client())
    assert not [pattern for pattern in (*vc4.KINDS, *vc4.HAS_NOT) if not matching(names, pattern)]
