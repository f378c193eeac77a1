# SPDX-License-Identifier: MIT
"""What was made lately is there, what is long ago is not, and there is no more than twice the room.
"""

from pydri.util.recent import Recent


def test_what_is_used_stays() -> None:
    recent: Recent[int, str] = Recent(10)
    for key in range(100):
        recent.put(key, str(key), 1)
        assert recent.get(0) == "0", "it was asked for a moment ago"
        assert len(recent) <= 20
    assert recent.get(99) == "99"
    assert recent.get(50) is None


def test_what_is_larger_than_the_room_is_kept_alone() -> None:
    recent: Recent[str, str] = Recent(10)
    recent.put("a", "small", 1)
    recent.put("b", "huge", 100)
    assert recent.get("b") == "huge"
    recent.put("c", "small", 1)
    recent.put("d", "small", 1)
    recent.put("e", "huge", 10)
    assert recent.get("b") is None


def test_everything_is_forgotten() -> None:
    recent: Recent[str, int] = Recent(10)
    recent.put("a", 1, 1)
    recent.clear()
    assert recent.get("a") is None
    assert not len(recent)
