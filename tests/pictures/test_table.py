# SPDX-License-Identifier: MIT
"""The measure of two pictures and the ratchet of the table's rows; no driver is asked."""

import pathlib

import numpy as np
import pytest

from tests.pictures import table
from tests.pictures.measure import Measure, Picture, measure, steps

SIZE = (40, 60)


def picture(value: int = 100, depth: int = 0x800000, stencil: int = 3) -> Picture:
    """A flat one."""
    words = np.full(SIZE, depth << 8 | stencil, np.uint32)
    return Picture(np.full((*SIZE, 4), value, np.uint8), words)


def split(at: int) -> Picture:
    """Dark to the left, bright to the right."""
    flat = picture()
    flat.colors[:, at:] = 200
    return flat


def row(**numbers: int) -> table.Row:
    zero = dict.fromkeys(Measure._fields, 0)
    return table.fresh("scene")._replace(measured=Measure(**{**zero, **numbers}))


def test_equal_pictures_measure_nothing() -> None:
    assert measure(picture(), picture(), 2, 2) == Measure(*[0] * len(Measure._fields))


def test_only_the_judges_steps_are_edges() -> None:
    speck = picture()
    speck.colors[7, 9] = 200
    found = measure(picture(), speck, 2, 2)
    assert (found.wrong, found.inside) == (1, 1)  # the step is in ours alone
    found = measure(speck, picture(), 2, 2)
    assert (found.wrong, found.inside) == (1, 0)  # it is the judge's
    found = measure(split(30), split(31), 2, 2)
    assert (found.wrong, found.inside) == (SIZE[0], 0)
    assert steps(split(30).colors)[0, 28:33].tolist() == [0, 100, 100, 0, 0]


@pytest.mark.parametrize("apart", [1, 2, -2])
def test_a_uniform_drift_is_seen(apart: int) -> None:
    drifted = picture(100 + apart)
    found = measure(picture(), drifted, 2, 2)
    pixels = SIZE[0] * SIZE[1]
    assert (found.wrong, found.differ, found.drift) == (0, pixels, 4 * pixels * apart)
    assert table.worse(row(), found)
    # Also where every pixel differed by a rounding before, this way and that.
    assert table.worse(row(differ=pixels), found)


def test_the_last_bits_count_on_the_rows_processor_alone(tmp_path: pathlib.Path) -> None:
    other = row()._replace(processor="OtherMaker")
    drifted = measure(picture(), picture(101), 2, 2)
    assert table.worse(row(), drifted) and not table.worse(other, drifted)
    off = measure(picture(), picture(103), 2, 2)
    assert table.worse(other, off)
    table.write(tmp_path / "table-1.tsv", [other], "made there")
    assert table.read(tmp_path / "table-1.tsv") == {"scene": other}
    # A row that is measured again counts wholly where that was done.
    assert table.updated(other, picture(), picture()).processor == table.processor() != ""


def test_depth_is_compared_in_full_words() -> None:
    near = picture(depth=0x800003)
    assert measure(picture(), near, 2, 2).z_wrong == near.pixels
    assert measure(picture(), near, 2, 3)._replace(z_greatest=0) == measure(
        picture(), picture(), 2, 3
    )
    assert measure(picture(), near, 2, 3).z_greatest == 3
    assert measure(picture(), picture(stencil=2), 2, 2).s_wrong == near.pixels
    assert measure(picture()._replace(words=None), near, 2, 2).z_wrong == 0


def test_the_ratchet() -> None:
    before = row(wrong=20, inside=2, differ=100, z_wrong=7)
    assert not table.worse(before, before.measured)
    for name in table.COUNTED:
        at = getattr(before.measured, name)
        some = before.measured._replace(**{name: at + table.SLACK})
        more = before.measured._replace(**{name: at + table.SLACK + 1})
        assert not table.worse(before, some) and table.worse(before, more)
    fewer = before.measured._replace(wrong=20 - table.SLACK - 1)
    assert table.better(before, fewer) and not table.worse(before, fewer)
    assert not table.better(before, before.measured._replace(wrong=20 - table.SLACK))


def test_rows_survive_their_text() -> None:
    some = row(wrong=3, drift=-7)._replace(judge="peer:other", reason="why")
    assert table.parse(some.text()) == some
    with pytest.raises(ValueError, match="columns"):
        table.parse(some.text() + "\tmore")


def test_every_table_is_sound() -> None:
    """Each scene once; who is not judged by the peer says why; numbers fit the tolerance."""
    paths = sorted(table.HERE.glob("table-*.tsv"))
    assert table.path_of(table.REFERENCE) in paths
    for path in paths:
        rows = table.read(path)
        for one in rows.values():
            kind, _, other = one.judge.partition(":")
            assert kind in ("peer", "softpipe", "numpy", "ours"), one
            assert not other or other in rows, one
            # Who judges instead of the peer, and what differs in more than a few places: why?
            plain = one.judge == "peer" and one.measured.wrong <= 30 and one.measured.inside <= 5
            assert one.reason or plain, one
            assert one.measured.inside <= one.measured.wrong <= one.measured.differ
