# SPDX-License-Identifier: MIT
"""Memory of a compiled driver as a target: which segments the server is asked to share."""

from typing import Any

from winsys_x11.displaytarget import X11BorrowedTarget
from winsys_x11.present import X11Target


class Connection:
    """A connection that notes what it is asked for, and shares or refuses."""

    def __init__(self, shares: bool = True) -> None:
        self.shares = shares
        self.asked: list[str] = []

    def attach_segment(self, segment: int) -> int:
        """The XID is the number, and 100."""
        self.asked.append(f"attach {segment}")
        return 100 + segment if self.shares else 0

    def detach_segment(self, xid: int) -> None:
        """Nothing is said of segment 0."""
        if xid:
            self.asked.append(f"detach {xid}")


def described(target: X11BorrowedTarget) -> tuple[int, ...]:
    """What the kernels see."""
    seen: Any = X11Target.view(target.native)
    return seen.data, seen.segment, seen.stride, seen.width, seen.height


def test_each_segment_is_shared_once() -> None:
    connection: Any = Connection()
    target = X11BorrowedTarget(connection, 4)
    target.describe(0x1000, 256, 30, 7)
    assert described(target) == (0x1000, 107, 256, 64, 30)
    target.describe(0x1000, 256, 60, 7)  # more of the same
    assert connection.asked == ["attach 7"]
    target.describe(0x2000, 512, 60, 8)
    assert connection.asked == ["attach 7", "detach 107", "attach 8"]
    target.describe(0x3000, 512, 60)  # memory of the process
    assert described(target) == (0x3000, 0, 512, 128, 60)
    assert connection.asked[3:] == ["detach 108"]


def test_what_the_server_refuses_goes_through_the_socket() -> None:
    connection: Any = Connection(shares=False)
    target = X11BorrowedTarget(connection, 4)
    for _ in range(2):
        target.describe(0x1000, 256, 30, 7)
    assert described(target) == (0x1000, 0, 256, 64, 30)
    assert connection.asked == ["attach 7"]


def test_a_segment_is_given_back() -> None:
    connection: Any = Connection()
    target = X11BorrowedTarget(connection, 2)
    target.describe(0x1000, 256, 30, 7)
    assert target.width == 128
    target.destroy()
    assert connection.asked == ["attach 7", "detach 107"]
    target.describe(0x1000, 256, 30, 7)
    target.abandon()  # the connection is closed
    assert connection.asked[2:] == ["attach 7"] and described(target)[1] == 0
