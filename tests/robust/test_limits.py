# SPDX-License-Identifier: MIT
"""Machines that are not as usual: an X server of two screens, too little address space, an
allocation that is refused. A program draws or is told why not; it never crashes."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests import host
from tests.robust.conftest import NEEDS, Program, run

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]
DREW = 7  # the status of frame.c that has seen its pixels


@pytest.fixture(scope="module")
def two_screens() -> Iterator[str]:
    """A server of two."""
    with host.XServer("640x480", screens=2) as server:
        yield server.name


@pytest.mark.parametrize("screen", ["0", "1"])
def test_each_screen_draws(screen: str, program: Program, two_screens: str) -> None:
    """Visuals, contexts and pixels of a screen that is not the first."""
    done = run(program("frame"), env=host.side("ours", f"{two_screens}.{screen}"))
    assert done.returncode == DREW, done.stdout + done.stderr


#: What is said of too little memory, by the status of the program: the loader could not map a
#: library; frame.c met an error of ours, or of the X server that could not have a segment.
WORDS = {
    127: r"error while loading shared libraries: \S+: (failed to map|cannot)",
    1: r"^libGL error: (pydri: |pydri could not start: |cannot make a context: )\S|"
       r"^X Error of failed request:  BadAlloc \(insufficient resources for operation\)$",
}  # fmt: skip


def told(done: "subprocess.CompletedProcess[str]") -> bool:
    """The program drew, or ended by itself with words, not by a signal."""
    text = done.stdout + done.stderr
    if done.returncode == DREW:
        assert (done.stdout, done.stderr) == ("pydri: ok\n", ""), text
        return True
    assert done.returncode in WORDS, f"{done.returncode}: {text[-1000:]}"
    assert re.search(WORDS[done.returncode], text, re.M), text[-1000:]
    return False


def test_words_are_asked_for() -> None:
    """A program that ends with the right status and says something else has not told."""
    for status, text in ((1, "no visual"), (127, "frame: not found"), (1, "libGL error: pydri: "),
                         (DREW, ""), (1, "cannot")):  # fmt: skip
        with pytest.raises(AssertionError):
            told(subprocess.CompletedProcess([], status, "", text))


def test_address_space(program: Program, ours: dict[str, str]) -> None:
    """Whatever its limit, from none of our libraries fitting in to all of the driver."""
    path = program("frame")
    assert told(run(path, env=ours))  # its kernels are there now
    drew = []
    for megabytes in (16, 24, 32, 40, 56, 72, 80, 88, 92, 100, 200, 400, 1000):
        size = megabytes << 20
        done = subprocess.run(
            ["prlimit", f"--as={size}", "--core=0", path], env=ours, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        drew.append(told(done))
    assert not drew[0] and drew[-1]
    assert drew == sorted(drew)  # once there is enough, more is enough


def test_refused_memory(program: Program, ours: dict[str, str]) -> None:
    """Any one request of the driver for memory, or three in a row, may be refused in a call:
    GL_OUT_OF_MEMORY or words, and the same context draws right when there is memory again. (LLVM
    aborts and CPython raises by design where their own memory ends: their requests are given.)"""
    path = program("scarce", "-Wl,--export-dynamic")
    assert run(path, "0", env=ours).returncode == DREW  # its kernels are there now
    library = program("refuse_memory", "-shared", "-fPIC")
    for arguments, requests in ((["1"], 90), (["3", "frames", "resize"], 15)):
        done = run(path, *arguments, env={**ours, "LD_PRELOAD": library})
        text = done.stdout + done.stderr[-2000:]
        assert done.returncode == DREW, text
        counted = re.search(r"(\d+) requests refused, (\d+) silent", done.stdout)
        assert counted and int(counted[1]) >= requests and not int(counted[2]), text
