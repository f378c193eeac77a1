# SPDX-License-Identifier: MIT
"""How many CPUs this process may keep busy.

In: the process's CPU set, which batch systems and taskset narrow, and the quotas of its control
groups, of version 2 or 1. Out: a number of CPUs, rounded up. `os.cpu_count()` is that of the
machine: of 64 CPUs a job may have two, and 63 threads would take turns on them.

A quota binds all groups below its own, so those above ours count, too. In a container the paths of
/proc/self/cgroup may be the machine's, while /sys/fs/cgroup shows the container's own group at its
top: what is not there is passed over.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS = "/proc/self/cgroup"
TOP = "/sys/fs/cgroup"


def _numbers(path: str) -> list[int]:
    """The words of a file as numbers, -1 for one that is none (`max`); none where it is not
    there."""
    try:
        with open(path, encoding="ascii") as file:
            return [int(word) if word.isdigit() else -1 for word in file.read().split()]
    except (OSError, ValueError):
        return []


def _bandwidth(folder: str) -> list[int]:
    """Quota and period of a group, whichever version it is of: microseconds of CPU time in so many
    of the clock."""
    return _numbers(f"{folder}/cpu.max") or [
        *_numbers(f"{folder}/cpu.cfs_quota_us"), *_numbers(f"{folder}/cpu.cfs_period_us")
    ]  # fmt: skip


def _groups() -> "Iterator[str]":
    """Folders of the groups that may bind this process, and of those above them."""
    try:
        with open(GROUPS, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        lines = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = f"{TOP}/{controllers}" if controllers else TOP
        while path.strip("/") and ".." not in path:
            yield top + path
            path = os.path.dirname(path)
        yield top


def _quota() -> int | None:
    """CPUs that the smallest quota allows; None if there is none."""
    given = [numbers for numbers in map(_bandwidth, _groups()) if len(numbers) == 2]
    return min((max(1, -(-a // b)) for a, b in given if a > 0 and b > 0), default=None)


def available() -> int:
    """CPUs of this process's set, as many as its quotas pay for; 1 at least."""
    count = len(os.sched_getaffinity(0))
    return min(count, _quota() or count)
