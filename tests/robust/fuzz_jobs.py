# SPDX-License-Identifier: MIT
"""Damaged jobs for VC4's simulator: `python -m tests.robust.fuzz_jobs SEED COUNT`.

COUNT jobs from seed SEED on: one of the judges' (shared/vc4), or one of our own, with a word that
is another one, an address outside, a part cut off, a letter of its text changed. Each comes to a
picture, or to one line that says why not, the same by kernels and by numpy. Where the simulator's
memory holds no buffer it cannot be touched, so what the kernels read or write outside ends the
process, as does what takes longer than SECONDS; a line `seed N ...` tells of each.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import random
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from pipe_vc4.simulator.errors import JobError, TooLong
from pipe_vc4.simulator.job import Buffer, Job, parse_job
from pipe_vc4.simulator.kernels.play import PATIENCE, KernelPlayer
from pipe_vc4.simulator.memory import PAGE, Memory
from pipe_vc4.simulator.player import Player
from tests.unit.pipe_vc4.job_text import STRIP, JobText
from tests.unit.pipe_vc4.shared import job_files
from tests.unit.pipe_vc4.test_simulator import BOTH, gradient, quad

#: of a job, by either way
SECONDS = 60
#: bytes that a simulated memory may have
MOST = 1 << 28
_LIBC = ctypes.CDLL(None, use_errno=True)
#: what addresses are often wrong by
_ODD = (0, 1, 3, 0x1000, 0xFFFFFFFF, 0xFFFFF000, 0x7FFFFFFC, 0x80000000, 0x00100000)


class GuardedMemory(Memory):
    """Memory whose pages between the buffers cannot be touched."""

    def __init__(self) -> None:
        super().__init__()
        self._map = mmap.mmap(-1, MOST)
        self.bytes = np.frombuffer(self._map, np.uint8)
        self._allow(0, MOST, 0)

    def _allow(self, start: int, size: int, how: int) -> None:
        address = ctypes.c_void_p(int(self.bytes.ctypes.data) + start)
        if _LIBC.mprotect(address, ctypes.c_size_t(size), how):
            raise OSError(ctypes.get_errno(), "mprotect")

    def allocate(self, size: int) -> int:
        """A buffer of zeros, with its whole last page."""
        if self.at + size + 2 * PAGE > MOST:
            raise JobError("no memory")
        address = super().allocate(size)
        whole = -(-max(size, 1) // PAGE) * PAGE
        self._allow(address, whole, mmap.PROT_READ | mmap.PROT_WRITE)
        return address


@functools.cache
def sources() -> tuple[str, ...]:
    """Texts of jobs that are whole."""
    own = []
    for samples in (1, 4):
        text = JobText(70, 66, samples=samples)
        text.reads = True
        text.config(BOTH | 0x8000 | 0x3000 | 0x40)
        text.draw(gradient(), quad(0.3, lambda x, y: x, lambda x, y: y), mode=STRIP)
        own.append(text.text())
    # what only loads what one before stored is as good alone
    return (*own, *(path.read_text() for path in job_files()))


def _turned(data: bytes, chance: random.Random) -> bytes:
    """A word that is another one, or data that end too early."""
    if not data or chance.random() < 0.15:
        return data[: chance.randrange(len(data) + 1)]
    at = chance.randrange(len(data)) // 4 * 4
    word = int.from_bytes(data[at : at + 4], "little")
    kind = chance.randrange(4)
    if kind < 2:
        word ^= 1 << chance.randrange(32)
    elif kind == 2:
        word ^= 0xFFFFFFFF
    else:
        word = (chance.choice(_ODD) + chance.choice((0, word))) & 0xFFFFFFFF
    return data[:at] + word.to_bytes(4, "little")[: len(data) - at] + data[at + 4 :]


def damaged(seed: int) -> Job:
    """A job that is not whole; JobError where its text says so."""
    chance = random.Random(seed)
    text = chance.choice(sources())
    where = chance.choice(("bin_cl", "shader_rec", "uniforms", "uniforms", "buffer", "buffer",
                           "surface", "text"))  # fmt: skip
    if where == "text":
        at = chance.randrange(len(text))
        rest = chance.choice(("", text[at + 1 :]))
        return parse_job(text[:at] + chance.choice("0123456789abcdef \n-") + rest)
    job = parse_job(text)
    if where == "surface":
        name = chance.choice(sorted(job.surfaces))
        old = job.surfaces[name]
        other = replace(old, offset=old.offset ^ 4 << chance.randrange(28),
                        bits=old.bits ^ (chance.randrange(2) << chance.randrange(10)))  # fmt: skip
        return replace(job, surfaces={**job.surfaces, name: other})
    if where != "buffer":
        streams = {**job.streams, where: _turned(job.streams[where], chance)}
        return replace(job, streams=streams)
    number = chance.randrange(len(job.buffers))
    one = job.buffers[number]
    data = _turned(one.data, chance)
    size = chance.choice((one.size, one.size, max(len(data), 1)))
    buffers: list[Buffer] = list(job.buffers)
    buffers[number] = replace(one, data=data[:size], size=size)
    return replace(job, buffers=buffers)


def played(job: Job, by: type[Player], patience: int = 0) -> Any:
    """The bytes of the picture, or why there is none, as an error."""
    try:
        with np.errstate(all="ignore"):
            player = by(job, GuardedMemory())
            if patience:
                player.patience = patience
            player.play()
            return player.picture().tobytes()
    except TooLong:
        return None
    except JobError as error:
        assert "\n" not in str(error), str(error)
        return error


def wrong(seed: int) -> str:
    """What is wrong with what a seed's job comes to."""
    try:
        job = damaged(seed)
    except JobError as error:
        return "" if "\n" not in str(error) else f"not one line: {error}"
    fast = played(job, KernelPlayer)
    plain = played(job, Player, PATIENCE)
    if plain is None or (isinstance(fast, JobError) and isinstance(plain, JobError)):
        return ""
    if isinstance(fast, JobError) or isinstance(plain, JobError):
        return f"kernels: {_said(fast)}, numpy: {_said(plain)}"
    return "" if fast == plain else "two pictures"


def _said(what: Any) -> str:
    return str(what) if isinstance(what, JobError) else "a picture"


def here(seed: int, count: int) -> None:
    """Jobs in this process: a line when each begins, and one that tells what is wrong."""
    for number in range(seed, seed + count):
        print(f"begin {number}", flush=True)
        signal.alarm(2 * SECONDS)
        told = wrong(number)
        signal.alarm(0)
        if told:
            print(f"seed {number} {told}", flush=True)
    print("end", flush=True)


def main(seed: int, count: int) -> int:
    """1 if anything is wrong."""
    at, end, found = seed, seed + count, 0
    while at < end:
        command = [sys.executable, "-m", "tests.robust.fuzz_jobs", str(at), str(end - at), "here"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        lines = done.stdout.splitlines()
        begun = [int(line.split()[1]) for line in lines if line.startswith("begin ")]
        told = [line for line in lines if line.startswith("seed ")]
        print(*told, sep="\n", end="\n" if told else "", flush=True)
        found += len(told)
        if lines and lines[-1] == "end":
            break
        number = begun[-1] if begun else at
        print(f"seed {number} ended the process: {done.returncode}", flush=True)
        found, at = found + 1, number + 1
    print(f"{count} jobs: {found} wrong")
    return int(bool(found))


if __name__ == "__main__":
    if len(sys.argv) > 3:
        here(int(sys.argv[1]), int(sys.argv[2]))
    else:
        sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
