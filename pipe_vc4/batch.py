# SPDX-License-Identifier: MIT
"""What is recorded for a set of surfaces, and how it is played (vc4_job.c).

In: a framebuffer, draws (draw.py). Out: pixels in the surfaces' memory. The tile buffer has one
colour, so a framebuffer with several targets is drawn once for each: a job a target, all of which
begin with the same depth and stencil, which the last one leaves behind. As each fragment passes the
same tests in all of them, the targets are what one draw to all would make of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_vc4 import debug
from pipe_vc4.job import JobBuilder, job_text
from pipe_vc4.resource import MAX_DRAWN_TARGETS, Image, image_at
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import DECIMATE_4X, MS_MODE_4X, READ_IS_FULL_RES
from pipe_vc4.simulator.job import Surface as JobSurface
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.play import player_wanted
from pydri.pipe.native import Surface
from pydri.util import log


class TargetJob:
    """The job that draws to a colour target, or to depth and stencil alone."""

    def __init__(self, number: int, color: Image | None, size: tuple[int, int], samples: int
                 ) -> None:  # fmt: skip
        self.number, self.color = number, color
        self.builder = JobBuilder(*size, samples)
        self.cleared = False

    def surfaces(self, zs: Image | None, zs_cleared: bool) -> dict[str, int]:
        """Buffers of what is read and written; read is what was not cleared."""
        numbers = {}
        job = self.builder.job
        if self.builder.samples > 1:
            job.surfaces["color_write"] = JobSurface(bits=MS_MODE_4X)
        job.flags = int(self.cleared or zs_cleared)
        for name, image, cleared in (("color", self.color, self.cleared), ("zs", zs, zs_cleared)):
            if image is None:
                continue
            data = b"" if cleared else image.load()
            number = numbers[name] = self.builder.buffer(data, "surface", size=image.size)
            debug.surf(f"target {name}", (image.width, image.height), [image.slice])
            if image.samples > 1:
                of_samples = JobSurface(number, 0, 0, READ_IS_FULL_RES)
                job.surfaces[f"{name}_read"] = JobSurface() if cleared else of_samples
                job.surfaces[f"msaa_{name}_write"] = JobSurface(number)
                continue
            small = name == "color" and image.cpp == 2
            read = (1 if name == "color" else 2) | image.tiling << 4 | (2 if small else 0) << 8
            write = read if name == "zs" else (2 if small else 1) << 2 | image.tiling << 6
            if not cleared:
                job.surfaces[f"{name}_read"] = JobSurface(number, 0, read)
            job.surfaces[f"{name}_write"] = JobSurface(number, 0, write)
        return numbers


class Batch:
    """What is recorded for one set of surfaces (struct vc4_job)."""

    def __init__(self, fb: Any, key: tuple[int, ...]) -> None:
        self.key = key
        addresses = addresses_of(fb)
        found = [Surface.view(address) for address in addresses if _has_memory(address)]
        #: pixels that all surfaces have
        self.size = (min(one.width for one in found), min(one.height for one in found))
        colors = [image_at(address, self.size) for address in addresses[:-1]]
        self.zs = image_at(addresses[-1], self.size)
        self.samples = max(max(one.samples, 1) for one in found)
        self.jobs = [TargetJob(n, image, self.size, self.samples)
                     for n, image in enumerate(colors) if image is not None]  # fmt: skip
        if not self.jobs:
            self.jobs.append(TargetJob(0, None, self.size, self.samples))
        self.cleared_zs = False
        self.draws = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing was drawn yet, so that a clear of all may stand before everything."""
        return not self.draws

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to play."""
        return not (self.draws or self.cleared_zs or any(job.cleared for job in self.jobs))

    def clear_color(self, number: int, word: int) -> None:
        """A target is `word` before everything."""
        for one in self.jobs:
            if one.number == number:
                one.cleared = True
                one.builder.job.clear_color = word

    def clear_zs(self, depth: int, stencil: int) -> None:
        """Depth and stencil before everything."""
        self.cleared_zs = True
        for one in self.jobs:
            one.builder.job.clear_z, one.builder.job.clear_s = depth, stencil

    def play(self) -> None:
        """Run the jobs, and put their pixels where the CPU sees them."""
        for one in self.jobs:
            if not self._play(one, one is self.jobs[-1]):
                return

    def _play(self, one: TargetJob, is_last: bool) -> bool:
        """Run a job; whether it could be."""
        numbers = one.surfaces(self.zs, self.cleared_zs)
        stored = (("color", one.color), ("zs", self.zs if is_last else None))
        return submit(one.builder, [(numbers[name], image) for name, image in stored
                                    if image is not None])  # fmt: skip


def submit(builder: JobBuilder, stored: list[tuple[int, Image]]) -> bool:
    """Play a job, and take what it leaves in buffers to where the CPU sees it; whether it could be
    played (vc4_job_submit).
    """
    job = builder.finished()
    wanted = debug.wanted()
    if wanted.cl or wanted.dump:
        debug.job(job.name, job_text(job))
    if wanted.norast:
        return True
    memory = Memory()
    try:
        with np.errstate(all="ignore"):
            player = player_wanted()(job, memory)
            player.play()
    except JobError as error:
        log.error(f"vc4: {job.name}: {error}")
        return False
    for number, image in stored:
        at = player.addresses[number]
        image.store(memory.bytes[at : at + image.size])
    return True


def resolve(source: Image, target: Image) -> None:
    """The means of a surface's samples, by a job that draws nothing: tiles are loaded with all
    samples, and stored with one (vc4_tile_blit).
    """
    builder = JobBuilder(target.width, target.height, source.samples)
    surfaces = builder.job.surfaces
    read = builder.buffer(source.load(), "surface", size=source.size)
    surfaces["color_read"] = JobSurface(read, 0, 0, READ_IS_FULL_RES)
    number = builder.buffer(b"", "surface", size=target.size)
    bits = 1 << 2 | target.tiling << 6 | MS_MODE_4X | DECIMATE_4X
    surfaces["color_write"] = JobSurface(number, 0, bits)
    submit(builder, [(number, target)])


def addresses_of(fb: Any) -> list[int]:
    """Surfaces of a framebuffer, 0 where there is none: colours, then depth and stencil."""
    colors = (fb.cbuf, *(fb.others[n] for n in range(MAX_DRAWN_TARGETS - 1)))
    return [address or 0 for address in (*colors, fb.zsbuf)]


def _has_memory(address: int) -> bool:
    """Whether there is something to draw to."""
    return bool(address and Surface.view(address).data)


def batch_of(fb: Any, key: tuple[int, ...]) -> Batch | None:
    """A batch that draws to a framebuffer; None where that has no surfaces."""
    return Batch(fb, key) if any(map(_has_memory, addresses_of(fb))) else None


def key_of(fb: Any) -> tuple[int, ...]:
    """What tells a framebuffer's memory from others'."""
    key: tuple[int, ...] = ()
    for address in addresses_of(fb):
        surface: Any = Surface.view(address) if address else None
        key += (address, surface.data or 0, surface.serial) if surface else (0, 0, 0)
    return key


__all__ = ["Batch", "TargetJob", "addresses_of", "batch_of", "key_of", "resolve"]
