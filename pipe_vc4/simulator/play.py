# SPDX-License-Identifier: MIT
"""Plays jobs one after the other.

    pydri vc4 play A.1.job A.2.job -o OUT.rgba     raw RGBA, bottom row first
"""
from __future__ import annotations

import pathlib
import sys
from collections.abc import Sequence

import numpy as np

from pipe_vc4.simulator.arrays import Bytes
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import Job, parse_job
from pipe_vc4.simulator.kernels.play import SteadyPlayer
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.player import Player
from pydri.util.options import options


def player_wanted() -> type[Player]:
    """What plays jobs: kernels, as soon as shaders come again, or numpy if VC4_DEBUG says so."""
    return Player if "plain" in options.VC4_DEBUG else SteadyPlayer


def play_jobs(jobs: Sequence[Job], by: type[Player] | None = None) -> Bytes:
    """Plays jobs in turn; the picture that the last leaves."""
    make = by or player_wanted()
    memory = Memory()
    picture: Bytes | None = None
    for job in jobs:
        try:
            # Numbers out of range are infinite or no numbers here as in the hardware.
            with np.errstate(all="ignore"):
                player = make(job, memory)
                player.play()
                picture = player.picture()
        except JobError as error:
            text = str(error)
            raise JobError(text if text.startswith(job.name) else f"{job.name}: {text}") from None
    if picture is None:
        raise JobError("no job to play")
    return picture


def play_files(paths: Sequence[pathlib.Path], by: type[Player] | None = None) -> Bytes:
    """Plays job files in turn; the picture that the last leaves."""
    return play_jobs([parse_job(path.read_text(), path.name) for path in paths], by)


def play(jobs: Sequence[pathlib.Path], picture: pathlib.Path) -> int:
    """Plays job files into a file of raw RGBA; the exit status."""
    try:
        picture.write_bytes(play_files(jobs).tobytes())
    except (JobError, OSError, UnicodeDecodeError) as error:
        print(f"vc4: {error}", file=sys.stderr)
        return 1
    return 0
