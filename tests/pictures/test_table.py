# SPDX-License-Identifier: MIT
"""The measure of two pictures and the ratchet of the table's rows; no driver is asked."""

import pathlib

import numpy as np
import pytest

from tests import host
from tests.pictures import compare, table
from tests.pictures.measure import Measure, Picture, digest, measure, steps

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


def test_the_last_bits_count_strictly_alone() -> None:
    drifted = measure(picture(), picture(101), 2, 2)
    assert table.worse(row(), drifted) and not table.worse(row(), drifted, strictly=False)
    off = measure(picture(), picture(103), 2, 2)
    assert table.worse(row(), off, strictly=False)
    # A row that is measured again says where that was done.
    other = row()._replace(processor="OtherMaker")
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
            assert one.explained, one
            assert one.measured.inside <= one.measured.wrong <= one.measured.differ


def test_a_digest_sees_each_bit() -> None:
    seen = {digest(picture()), digest(picture()._replace(words=None))}
    for at in range(4):
        one = picture()
        one.colors[7, 9, at] ^= 1
        seen.add(digest(one))
    for bit in (0, 7, 8, 31):
        one = picture()
        assert one.words is not None
        one.words[7, 9] ^= np.uint32(1 << bit)
        seen.add(digest(one))
    turned = picture()._replace(colors=picture().colors.reshape(SIZE[1], SIZE[0], 4))
    assert len({*seen, digest(turned)}) == 2 + 4 + 4 + 1
    assert digest(picture()) == digest(picture())


class Judged:
    """A scene "scene" that was judged beside the peer's picture `picture()`, ours being the same;
    now the peer draws `peers`, on a machine with a Mesa of `version`."""

    drawn = compare.Drawn("scene", SIZE[1], SIZE[0], "hash", "0x0", "0")

    def __init__(
        self, folder: pathlib.Path, patch: pytest.MonkeyPatch, peers: Picture,
        version: tuple[int, ...] = (22, 3, 6),
    ) -> None:  # fmt: skip
        self.folder = folder
        for name, what in (("peer", peers), ("ours", picture())):
            (folder / name).mkdir(exist_ok=True)
            self.draw(name, what)
        patch.setattr(table, "HERE", folder)
        patch.setattr(table, "DIGESTS", folder / "digests.tsv")
        patch.setattr(compare.host, "peer", lambda: host.Peer(version, "llvmpipe"))
        self.row = row()
        table.write(folder / "table-22.3.tsv", [self.row], "made here")
        self.know(picture())

    def know(self, *ours: Picture) -> None:
        """These are recorded (none: no picture is), by whatever means."""
        then = digest(picture())
        table.write_digests([table.Known("scene", digest(one), then, "22.3 X") for one in ours])
        self.judges = compare.Judges(pathlib.Path("none"), "", self.folder / "ours")
        self.judges.folders["peer"] = self.folder / "peer"
        self.judges.drawn["peer"]["scene"] = self.drawn

    def draw(self, side: str, what: Picture) -> None:
        head = f"P7\nWIDTH {SIZE[1]}\nHEIGHT {SIZE[0]}\nENDHDR\n".encode()
        (self.folder / side / "scene.pam").write_bytes(head + what.colors.tobytes())
        assert what.words is not None
        (self.folder / side / "scene.words").write_bytes(what.words.astype("<u4").tobytes())

    def verdict(self) -> compare.Verdict:
        return self.judges.verdict("scene", self.drawn)

    def record(self, judge: str = "") -> list[str]:
        return compare.record(self.judges, ["scene"], [self.verdict()], judge)

    def update(self, reason: str = "") -> list[str]:
        return compare.update(self.judges, ["scene"], [self.verdict()], reason)


def speck(pixels: int = 1) -> Picture:
    """So many pixels by one level, which no figure minds."""
    some = picture()
    some.colors[7, :pixels] += 1
    return some


#: What the peer draws today, and its version: as then; on another processor; beside another Mesa.
PLACES = [(picture(), (22, 3, 6)), (speck(40), (22, 3, 6)), (speck(40), (25, 0, 7))]


@pytest.mark.parametrize("place", PLACES, ids=["here", "processor", "mesa"])
def test_another_picture_fails_everywhere(
    place: tuple[Picture, tuple[int, ...]], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the judge draws something else than then as where it draws the same."""
    here = Judged(tmp_path, monkeypatch, *place)
    assert here.verdict().passed
    here.draw("ours", speck())
    found = here.verdict()
    assert not found.passed and found.is_judged and "--record" in found.other
    here.know()
    assert "no recorded picture" in here.verdict().other
    here.know(picture(103))
    here.draw("ours", picture(103))
    assert here.verdict().wrong  # even loose figures see what is far off


def test_a_known_picture_is_judged_strictly_where_it_can_be(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest that somebody wrote by hand does not help where the judge draws what it drew."""
    here = Judged(tmp_path, monkeypatch, picture())
    here.know(picture(101))
    here.draw("ours", picture(101))
    assert not here.verdict().other and "drift" in here.verdict().text()
    assert not here.verdict().passed
    newer = Judged(tmp_path, monkeypatch, picture(), (25, 0, 7))
    newer.know(picture(101))
    newer.draw("ours", picture(101))
    assert "drift" in newer.verdict().text()


def test_only_a_judged_picture_is_recorded(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Judged(tmp_path, monkeypatch, picture())
    here.draw("ours", picture(101))
    assert here.record() and here.record("me") and not here.verdict().passed  # a drift: refused
    here.draw("ours", speck())
    assert not here.record() and here.verdict().passed
    assert "me" not in table.read_digests()["scene"].judged
    for place in PLACES[1:]:
        here = Judged(tmp_path, monkeypatch, *place)
        here.draw("ours", speck())
        assert here.record() and not here.verdict().passed  # nobody strict is here
        assert not here.record("me") and here.verdict().passed
        known = table.read_digests()["scene"]
        assert known.judged.endswith(", by me") and known.judge == digest(picture())


def test_worse_figures_need_a_reason(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Judged(tmp_path, monkeypatch, picture())
    here.draw("ours", speck(9))
    assert here.update() and table.read(tmp_path / "table-22.3.tsv")["scene"] == here.row
    assert not here.update("why") and here.verdict().passed
    new = table.read(tmp_path / "table-22.3.tsv")["scene"]
    assert (new.measured.differ, new.reason) == (9, "why")


def test_every_row_has_a_digest() -> None:
    tables = [table.read(path) for path in table.HERE.glob("table-*.tsv")]
    assert set(table.read_digests()) == set().union(*tables)
