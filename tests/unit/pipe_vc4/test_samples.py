# SPDX-License-Identifier: MIT
"""The simulator with four samples a pixel, by numpy and by kernels: coverage, turns, masks,
surfaces that have them all."""

import numpy as np
import pytest

from pipe_vc4.simulator import samples
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import parse_job
from pipe_vc4.simulator.kernels.play import KernelPlayer
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.play import play_jobs
from pipe_vc4.simulator.player import Player
from tests.unit.pipe_vc4.job_text import END, STRIP, JobText
from tests.unit.pipe_vc4.test_simulator import ALWAYS, BOTH, flat, quad

by_both = pytest.mark.parametrize("by", [Player, KernelPlayer])
OVERSAMPLE, LESS, WRITES = 0x40, 0x1000, 0x8000
SIZE = (70, 45)
CORNERS = [(-0.83, -0.71), (0.9, -0.2), (-0.1, 0.93)]
#: adds a byte to each sample, another one to each
TURNS = ["nop", "nop", *(line for n in range(4) for line in (
    f"ldi r{n}, {1 << 4 | n:#x}", "nop ; loadc", f"v8adds r{n}, r4, r{n}",
)), *(f"mov tlb_color_ms, r{n}" for n in range(4)), *END]  # fmt: skip


def job_of(*config: int) -> JobText:
    """A job of four samples that begins with black."""
    job = JobText(*SIZE, clear=0, samples=4)
    job.config(sum(config))
    return job


def play(by: type[Player], *jobs: str) -> np.ndarray:
    """The picture that jobs leave."""
    return play_jobs([parse_job(job) for job in jobs], by)


def samples_of(job: JobText, by: type[Player]) -> np.ndarray:
    """The red of each sample: height x width x 4."""
    memory = Memory()
    player = by(parse_job(job.text()), memory)
    player.play()
    y, x = np.mgrid[: SIZE[1], : SIZE[0]]
    at = player.addresses[job.color] + samples.offsets(x, y, SIZE[0])
    return memory.bytes[at]


def inside(moved: tuple[int, int]) -> np.ndarray:
    """Which pixels of CORNERS' triangle cover a place in them, in 1/16 pixel."""
    at = [(int(x * 8 * SIZE[0]) + 8 * SIZE[0], int(y * 8 * SIZE[1]) + 8 * SIZE[1])
          for x, y in CORNERS]  # fmt: skip
    y, x = np.mgrid[: SIZE[1], : SIZE[0]] * 16
    x, y = x + moved[0], y + moved[1]
    found = np.ones(x.shape, bool)
    for i in range(3):
        (ax, ay), (bx, by) = at[i], at[(i + 1) % 3]
        found &= (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0
    return found


@by_both
@pytest.mark.parametrize("oversample", [True, False])
def test_samples_are_covered_where_they_lie(
    by: type[Player], oversample: bool
) -> None:
    job = job_of(BOTH, ALWAYS, OVERSAMPLE * oversample)
    job.draw(flat(0xFF), [(x, y, 0, 1) for x, y in CORNERS])
    places = samples.POSITIONS if oversample else ((8, 8),) * 4
    expected = np.stack([inside(place) for place in places], axis=-1)
    assert (samples_of(job, by) == 255 * expected).all()
    assert (play(by, job.text())[..., 0] == expected.sum(axis=-1) * 255 + 2 >> 2).all()


@by_both
def test_colours_come_and_go_in_turn(by: type[Player]) -> None:
    job = job_of(BOTH, ALWAYS, OVERSAMPLE)
    job.draw(flat(0x20), [(x, y, 0, 1) for x, y in CORNERS])
    job.draw(TURNS, quad(), mode=STRIP)
    expected = np.stack([0x20 * inside(place) + 16 + n for n, place in
                         enumerate(samples.POSITIONS)], axis=-1)  # fmt: skip
    assert (samples_of(job, by) == expected).all()


@by_both
def test_each_sample_has_its_depth(by: type[Player]) -> None:
    """A plane that passes through what is there on a line that parts pixels."""
    job = job_of(BOTH, LESS, WRITES, OVERSAMPLE)
    shader = ["nop", "nop", "mov tlb_z, rb15", "ldi r0, {:#x}", "nop", "mov tlb_color, r0", *END]
    job.draw([line.format(1) for line in shader], quad(0.0), mode=STRIP)
    steep = [(x, y, 0.6 * x + 0.31 * y, 1) for x, y, *_ in quad()]
    job.draw([line.format(2) for line in shader], steep, mode=STRIP)
    found = samples_of(job, by)
    y, x = np.mgrid[: SIZE[1], : SIZE[0]]
    for n, (dx, dy) in enumerate(samples.POSITIONS):
        place = 0.6 * ((x + dx / 16) * 2 / SIZE[0] - 1) + 0.31 * ((y + dy / 16) * 2 / SIZE[1] - 1)
        assert (found[..., n] == np.where(place < 0, 2, 1)).mean() > 0.999
    assert (found != found[..., :1]).any()


@by_both
def test_a_mask_leaves_samples_out(by: type[Player]) -> None:
    job = job_of(BOTH, ALWAYS, OVERSAMPLE)
    job.draw(["ldi r0, 0xa", "and ms_mask, ms_mask, r0", "ldi r0, 0x50", "nop",
              "mov tlb_color, r0", *END], quad(), mode=STRIP)  # fmt: skip
    assert (samples_of(job, by) == [0, 0x50, 0, 0x50]).all()


@by_both
def test_what_a_job_stores_of_samples_the_next_one_loads(by: type[Player]) -> None:
    first, second = job_of(BOTH, ALWAYS, OVERSAMPLE), job_of(BOTH, ALWAYS, OVERSAMPLE)
    first.draw(flat(0x20), [(x, y, 0, 1) for x, y in CORNERS])
    second.reads = True
    second.draw(TURNS, quad(), mode=STRIP)
    whole = sum(0x20 * inside(place) + 16 + n for n, place in enumerate(samples.POSITIONS))
    assert (play(by, first.text(), second.text())[..., 0] == whole + 2 >> 2).all()


@by_both
@pytest.mark.parametrize("change,why", [
    (("color_write -1 0 0001", "color_write -1 0 0000"), "differ in their samples"),
    (("msaa_color_write 0 0 ", "msaa_color_write 0 4 "), "half a quad"),
    (("msaa_color_write 0 0 ", "msaa_color_write 0 16384 "), "outside of every buffer"),
])  # fmt: skip
def test_what_no_kernel_would_take_is_refused(
    by: type[Player], change: tuple[str, str], why: str
) -> None:
    job = job_of(BOTH, ALWAYS)
    job.draw(flat(0xFF), quad(), mode=STRIP)
    text = job.text()
    play(by, text)
    assert change[0] in text
    with pytest.raises(JobError, match=why):
        play(by, text.replace(*change))


@by_both
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_shapes_and_stencils_come_to_the_same(by: type[Player], kind: int) -> None:
    """Points, lines and triangles; general loads, a stencil, the means of samples, 565."""
    found = []
    for player in (Player, by):
        job = JobText(*SIZE, samples=4)
        job.config(BOTH | LESS | WRITES | OVERSAMPLE)
        job.packet(98, np.float32(5.3).tobytes())
        job.packet(99, np.float32(3.7).tobytes())
        shader = [f"ldi r0, {0xDF000103 | 7 << 16 | 2 << 22:#x}", "mov tlb_stencil, r0", "nop",
                  "mov tlb_z, rb15", "ldi r0, 0x12345678", "nop", "mov tlb_color, r0", *END]
        for turn in (1, -1):
            corners = [(x, y * turn, 0.3 * x, 1) for x, y in CORNERS]
            job.draw(shader, corners, mode=(0, 2, 4)[kind - 1])
        shown = np.random.default_rng(1).bytes(1 << 15)
        before, after = job.buffer(shown), job.buffer(b"", 1 << 15)
        text = job.text().replace("color_write -1 0 0001", f"color_write {after} 0 0059")
        text = text.replace("color_read -1 0 0000 0001", f"color_read {before} 0 0011 0000")
        memory = Memory()
        made = player(parse_job(text), memory)
        made.play()
        found.append((memory.bytes[: memory.at].copy(), made.picture()))
    assert (found[0][0] == found[1][0]).all() and (found[0][1] == found[1][1]).all()
    assert len(np.unique(found[0][1].reshape(-1, 4), axis=0)) > 3


@pytest.mark.parametrize("size", [(1, 1), (33, 31), (100, 70)])
def test_every_sample_has_a_place_of_its_own(size: tuple[int, int]) -> None:
    width, height = size
    y, x = np.mgrid[:height, :width]
    at = samples.offsets(x, y, width)
    assert len(np.unique(at)) == at.size == 4 * width * height and (at % 4 == 0).all()
    assert 0 <= at.min() and at.max() + 4 <= samples.size_of(width, height)
