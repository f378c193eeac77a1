# SPDX-License-Identifier: MIT
"""The simulator on jobs of our own: coverage, varyings, depth, stencil, branches, refusals."""

import random
import re
import struct

import numpy as np
import pytest

from pipe_vc4.simulator import qpu, tiling
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import parse_job
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.play import play_jobs
from pipe_vc4.simulator.player import Player
from pipe_vc4.simulator.tmu import Sampler, Tmu
from pydri import cli
from tests.unit.pipe_vc4.job_text import END, STRIP, JobText

CLEAR = (0x60, 0x40, 0x20, 0xFF)
QUAD = ((-1, -1), (1, -1), (-1, 1), (1, 1))
BOTH, ALWAYS = 3, 0x7000


def flat(colour):
    return [f"ldi r0, {colour:#010x}", "nop", "mov tlb_color, r0", *END]


def play(*jobs):
    return play_jobs([parse_job(job.text() if isinstance(job, JobText) else job) for job in jobs])


def quad(z=0.0, *more):
    return [(x, y, z, 1, *(f(x, y) for f in more)) for x, y in QUAD]


def test_a_triangle_covers_the_centres_inside():
    job = JobText(100, 70)
    job.config(BOTH | ALWAYS)
    corners = [(-0.83, -0.71), (0.9, -0.2), (-0.1, 0.93)]
    job.draw(flat(0xFF0000FF), [(x, y, 0, 1) for x, y in corners])
    picture = play(job)
    at = [(int(x * 800) + 800, int(y * 560) + 560) for x, y in corners]  # in 1/16 pixel
    y, x = np.mgrid[:70, :100] * 16 + 8
    inside = np.ones((70, 100), bool)
    for i in range(3):
        (ax, ay), (bx, by) = at[i], at[(i + 1) % 3]
        inside &= (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0
    assert inside.sum() > 1000
    assert (picture[inside] == (255, 0, 0, 255)).all()
    assert (picture[~inside] == CLEAR).all()


def test_neighbours_share_no_pixel_and_leave_none():
    """Additive by the byte: a pixel drawn twice, or not at all, would show."""
    add = ["nop", "ldi r0, 0x01010101", "nop ; loadc", "v8adds r0, r4, r0", "mov tlb_color, r0",
           *END]
    chance = random.Random(7)
    spots = [[(chance.uniform(-0.08, 0.08) + x / 3, chance.uniform(-0.08, 0.08) + y / 3)
              for x in range(-4, 5)] for y in range(-4, 5)]
    vertices = []
    for i in range(8):
        for j in range(8):
            a, b, c, d = spots[i][j], spots[i][j + 1], spots[i + 1][j], spots[i + 1][j + 1]
            vertices += [(*p, 0, 1) for p in (a, b, c, c, b, d)]
    job = JobText(clear=0)
    job.config(BOTH | ALWAYS)
    job.draw(add, vertices)
    assert (play(job) == 1).all()


def gradient():
    """The first two varyings as bytes R and G."""
    return ["nop ; fmul r0, vary, ra15", "fadd r0, r0, r5 ; fmul r1, vary, ra15",
            "fadd r1, r1, r5 ; mov r2.m8a, r0", "nop ; mov r2.m8b, r1", "mov tlb_color, r2", *END]


def test_varyings_with_perspective():
    job = JobText()
    job.config(BOTH | ALWAYS)
    corners = [(-3, -1, 1), (3, -1, 1), (-3, 3, 3), (3, 3, 3)]
    job.draw(gradient(), [(x, y, 0, w, (x + 3) / 6, (w - 1) / 2) for x, y, w in corners],
             mode=STRIP)
    picture = play(job).astype(int)
    y, x = (np.mgrid[:64, :64] + 0.5) / 32 - 1
    w = 1.5 / (1 - y / 2)  # In clip space w is 1 + (y + 1) / 2.
    assert np.abs(picture[..., 0] - (x * w + 3) / 6 * 255).max() <= 1
    assert np.abs(picture[..., 1] - (w - 1) / 2 * 255).max() <= 1


def test_flat_varyings_are_the_last_vertex():
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(gradient(), quad(0.0, lambda x, y: (x + 1) / 2, lambda x, y: (y + 1) / 2),
             mode=STRIP, flat=2)
    picture = play(job)
    assert (picture[..., 1] == 255).all()  # Both triangles end in a vertex of the upper row.
    assert np.abs(picture[0, :, 0].astype(int) - (np.arange(64) + 0.5) / 64 * 255).max() <= 1


def z_shader(colour, *stencils):
    return ["nop", "nop", *(f"ldi tlb_stencil, {word:#x}" for word in stencils), "mov tlb_z, rb15",
            f"ldi r0, {colour:#010x}", "nop", "mov tlb_color, r0", *END]


@pytest.mark.parametrize("function", range(8))
@pytest.mark.parametrize("writes", [0, 0x8000])
def test_depth_functions(function, writes):
    job = JobText()
    job.config(BOTH | 0x8000 | ALWAYS)
    job.draw(z_shader(0xFF0000FF), quad(0.0), mode=STRIP)
    job.config(BOTH | writes | function << 12)
    slope = [(x, y, x, 1) for x, y in QUAD]
    job.draw(z_shader(0xFF00FF00), slope, mode=STRIP)
    job.config(BOTH | 0x1000)  # less
    job.draw(z_shader(0xFFFF0000), quad(-0.001), mode=STRIP)
    picture = play(job)
    x = np.arange(64) + 0.5
    passes = {0: x < 0, 1: x < 32, 2: x == 32, 3: x <= 32, 4: x > 32, 5: x != 32, 6: x >= 32,
              7: x > 0}[function]
    z = np.where(passes & bool(writes), x / 64, 0.5)
    expected = np.where((0.4995 < z)[:, None], (0, 0, 255, 255),
                        np.where(passes[:, None], (0, 255, 0, 255), (255, 0, 0, 255)))
    assert (picture == expected[None]).all()


@pytest.mark.parametrize("operation", range(8))
@pytest.mark.parametrize("start", [0, 1, 200, 255])
@pytest.mark.parametrize("which", ["fails", "depth", "passes"])
def test_stencil_operations(operation, start, which):
    job = JobText()
    job.clear_s = start
    job.clear_z = 0
    reference = 90
    job.config(BOTH | (0x1000 if which == "depth" else ALWAYS))
    place = {"depth": 25, "passes": 22, "fails": 19}[which]
    keep = 1 << 25 | 1 << 22 | 1 << 19
    setup = 3 << 30 | 3 << 28 | keep & ~(7 << place) | operation << place | reference << 8 | 255
    setup |= (0 if which == "fails" else 7) << 16
    job.draw(z_shader(0xFF0000FF, setup), quad(0.0), mode=STRIP)
    expected = [0, start, reference, min(start + 1, 255), max(start - 1, 0), start ^ 255,
                start + 1 & 255, start - 1 & 255][operation]
    job.config(BOTH | ALWAYS)
    equal = 3 << 30 | 3 << 28 | keep | 2 << 16 | expected << 8 | 255
    job.draw(z_shader(0xFF00FF00, equal), quad(0.0), mode=STRIP)
    assert (play(job) == (0, 255, 0, 255)).all()


def test_masks_and_faces_of_the_stencil():
    job = JobText(clear=0)
    job.clear_s = 0b11110000
    job.config(BOTH | ALWAYS)
    replace = 2 << 22 | 1 << 25 | 1 << 19 | 7 << 16 | 255 << 8 | 255
    words = (1 << 30 | replace, 2 << 30 | replace, 0x0C03)  # front writes 3, back 12
    turned = [quad(0.0)[i] for i in (1, 0, 3)]
    job.draw(z_shader(0, *words), quad(0.0)[:3])
    job.draw(z_shader(0, *words), turned)
    for value, colour in ((0b11110011, 0xFF0000FF), (0b11111100, 0xFF00FF00),
                          (0b11111111, 0xFFFF0000)):
        equal = 3 << 30 | 1 << 25 | 1 << 22 | 1 << 19 | 2 << 16 | value << 8 | 255
        job.draw(z_shader(colour, equal), quad(0.0), mode=STRIP)
    picture = play(job)
    assert tuple(picture[2, 2]) == (0, 0, 255, 255)
    assert tuple(picture[40, 2]) == (255, 0, 0, 255)


def test_culling_and_front():
    for config, drawn in ((1, True), (2, False), (5, False), (6, True)):
        job = JobText()
        job.config(config | ALWAYS)
        job.draw(flat(0xFF0000FF), quad(0.0)[:3])  # counter-clockwise
        assert (tuple(play(job)[1, 1]) == (255, 0, 0, 255)) == drawn


def test_a_triangle_through_the_eye_is_cut():
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(flat(0xFF0000FF), [(-0.5, -1, 0, 1), (0.5, -1, 0, 1), (0, 3, 0, -1)])
    picture = play(job)
    inside = (picture == (255, 0, 0, 255)).all(axis=2)
    # w falls to 0 half way: what is drawn goes on to the top, between lines that part.
    y, x = (np.mgrid[:64, :64] + 0.5) / 32 - 1
    edge = 0.75 + 0.25 * y - np.abs(x)
    assert inside[edge > 0.01].all() and not inside[edge < -0.01].any()


def test_what_a_job_stores_the_next_one_loads():
    first = JobText(130, 70)
    first.config(BOTH | 0x8000 | ALWAYS)
    first.draw(z_shader(0xFF0000FF), [(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1)])
    second = JobText(130, 70)
    second.reads = True
    second.config(BOTH | 0x2000)  # equal
    second.draw(z_shader(0xFF00FF00), quad(0.0), mode=STRIP)
    picture = play(first, second)
    assert tuple(picture[1, 1]) == (0, 255, 0, 255)
    assert tuple(picture[69, 129]) == CLEAR


LOOP = [
    # Lanes count down from their x; a group goes round until all its lanes are at zero.
    "mov r0, x_coord", "ldi r1, 0x00000000", "mov.sf -, r0",
    "add.zc r1, r1, 2", "sub.zc r0, r0, 1", "mov.sf -, r0", "bra.any_zc rel -56",
    "nop", "nop", "nop",
    "ldi r2, 0xff000000", "or r1, r1, r2", "mov tlb_color, r1", *END]


def test_groups_part_at_branches():
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(LOOP, quad(0.0), mode=STRIP)
    picture = play(job)
    assert (picture[..., 0] == 2 * np.arange(64)[None]).all()


def test_a_shader_without_end_is_refused(monkeypatch):
    job = JobText()
    job.config(BOTH | ALWAYS)
    forever = ["nop", "bra.always rel -32", "nop", "nop", "nop", *END]
    job.draw(forever, quad(0.0), mode=STRIP)
    monkeypatch.setattr(qpu, "LIMIT", 1000)
    with pytest.raises(JobError, match="does not end"):
        play(job)


def test_a_uniform_may_look_like_the_base():
    """0xd0d0d0d0 stands for the block's address where that is read, and else for itself: as the
    blend colour whose alpha is 208 of 255, four times."""
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(["nop", "nop", "mov tlb_color, unif", *END], quad(0.0), mode=STRIP,
             values=[0xD0D0D0D0])
    assert (play(job) == 0xD0).all()


def test_other_threads_take_the_accumulators():
    job = JobText()
    job.config(BOTH | ALWAYS)
    switch = ["ldi r1, 0xff112233", "mov ra1, r1 ; lthrsw", "nop", "nop", "mov tlb_color, {}", *END]
    kept, lost = ([line.format(register) for line in switch] for register in ("ra1", "r1"))
    job.draw(kept, quad(0.0), mode=STRIP, threads=2)
    assert (play(job) == (0x33, 0x22, 0x11, 0xFF)).all()
    job.draw(lost, quad(0.0), mode=STRIP, threads=2)
    assert not (play(job) == (0x33, 0x22, 0x11, 0xFF)).all()


@pytest.mark.parametrize("lines,why", [
    (["mov ra1, r0", "mov r0, ra1", *END], "right after it was written"),
    (["nop", "nop ; ldtmu0", *END], "none was asked for"),
    (["nop", "mov r0, vary", *END], "more varyings"),
    (["nop", "mov r0, unif", *END], "uniforms"),
    (["nop", "mov vpm_st_addr, r0", *END], "not simulated"),
    (["nop", "sema.up 3", *END], "semaphores"),
    (["nop", "nop", "nop ; loadcv", *END], "not simulated"),
    (["nop ; lthrsw", *END], "thread switches in a shader of one"),
    (["bra.always rel 800", "nop", "nop", "nop", *END], "out of the shader"),
    (["nop", "nop", "mov tlb_color_ms, r0", *END], "there is but one"),
    (["ldi r0, 0x00000004", "mov tmu0_s, r0", "nop ; ldtmu0", *END], "sample"),
])
def test_what_the_hardware_forbids_is_refused(lines, why):
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(lines, quad(0.0), mode=STRIP)
    with pytest.raises(JobError, match=why) as error:
        play(job)
    assert "\n" not in str(error.value)


def test_a_damaged_job_is_one_clear_error():
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(gradient(), quad(0.0, lambda x, y: x, lambda x, y: y), mode=STRIP)
    good = job.text()
    play(good)
    lines = good.splitlines()
    for i in range(len(lines)):
        with pytest.raises(JobError):
            play("\n".join(lines[:i] + lines[i + 1:]))
    with pytest.raises(JobError, match="line 2: not understood"):
        play(good.replace("color_read", "colour_read"))
    chance = random.Random(3)
    refused = 0
    for _ in range(24):
        at = chance.randrange(len(good))
        bad = good[:at] + chance.choice("0123456789abcdef \n") + good[at + 1:]
        try:
            play(bad)
        except JobError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 4


def test_any_word_may_be_wrong(monkeypatch):
    """Packets, records, uniforms, shaders, vertices: a picture or one line that says why not."""
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(LOOP, quad(0.0), mode=STRIP)
    good = job.text()
    monkeypatch.setattr(qpu, "LIMIT", 2000)
    chance, refused = random.Random(11), 0
    words = [found.start() for found in re.finditer(r"\b[0-9a-f]{8}\b", good)]
    for at in chance.sample(words, 30):
        turned = chance.choice([0xFFFFFFFF, 1 << chance.randrange(32)])
        word = int(good[at : at + 8], 16) ^ turned
        try:
            play_jobs([parse_job(f"{good[:at]}{word:08x}{good[at + 8:]}")], Player)
        except JobError as error:
            refused += 1
            assert "\n" not in str(error)
    assert 3 < refused < 30


@pytest.mark.parametrize("cpp", [1, 2, 4])
@pytest.mark.parametrize("kind", [tiling.RASTER, tiling.T, tiling.LT])
@pytest.mark.parametrize("size", [(1, 1), (7, 9), (64, 64), (100, 33), (130, 70)])
def test_every_pixel_has_a_place_of_its_own(cpp, kind, size):
    width, height = size
    y, x = np.mgrid[:height, :width]
    at = tiling.offsets(x, y, width, cpp, kind)
    assert len(np.unique(at)) == at.size and (at % cpp == 0).all()
    assert 0 <= at.min() and at.max() + cpp <= tiling.size_of(width, height, cpp, kind)


def texels(kind, data, width, height, nearest=1, wrap=0, levels=1):
    """A TMU over one texture, and what samples it at s and t."""
    memory = Memory()
    address = memory.allocate(len(data))
    memory.bytes[address:address + len(data)] = np.frombuffer(data, np.uint8)
    base = address + 4096 * (levels > 1)
    p0 = base | kind << 4 | levels - 1
    p1 = height << 20 | width << 8 | nearest << 7 | nearest << 4 | wrap << 2 | wrap

    def sample(s, t, extra=None):
        tmu = Tmu(memory)
        words = [np.array([[word]], np.uint32) for word in (p0, p1, 0)]
        shape = (-1, 16)
        given = [(1, t), (0, s)]
        if extra is not None:
            given.insert(0, (2, extra))
        for (coordinate, value), word in zip(given, words, strict=False):
            array = np.asarray(value, np.float32 if coordinate != 2 else np.uint32)
            tmu.write(coordinate, array.reshape(shape).view(np.uint32), word)
        return tmu.pop().reshape(-1)

    return sample


@pytest.mark.parametrize("kind,size,stored,word", [
    (0, 4, 0x80402010, 0x80402010), (1, 4, 0x80402010, 0xFF402010), (2, 2, 0x1234, 0x44332211),
    (3, 2, 0xF81F, 0xFF7B00FF), (3, 2, 0x07C0, 0x0000FF00), (4, 2, 0xF81F, 0xFFFF00FF),
    (4, 2, 0x07E0, 0xFF00FF00), (5, 1, 0x40, 0xFF404040), (6, 1, 0x40, 0x40000000),
    (7, 2, 0x8040, 0x80404040),
])
def test_texture_types(kind, size, stored, word):
    data = stored.to_bytes(size, "little") * (64 // size)
    sample = texels(kind, data, 4, 4)
    assert (sample(np.full(16, 0.4), np.full(16, 0.4)) == word).all()


@pytest.mark.parametrize("wrap,expected", [
    (0, [3, 0, 1, 2, 3, 0]), (1, [0, 0, 1, 2, 3, 3]), (2, [0, 0, 1, 2, 3, 3]),
    (3, [9, 0, 1, 2, 3, 9])])
def test_wraps(wrap, expected):
    data = b"".join(struct.pack("<4I", 0, 1, 2, 3) for _ in range(4))
    sample = texels(0, data, 4, 4, wrap=wrap)
    s = (np.array([-1, 0, 1, 2, 3, 4] + [0] * 10) + 0.5) / 4
    assert sample(s, np.full(16, 0.3), np.full(16, 9))[:6].tolist() == expected


def test_linear_filter_is_the_mean_of_four():
    data = b"".join(struct.pack("<4I", *(x * 16 + y * 4 for x in range(4))) for y in range(4))
    sample = texels(0, data, 4, 4, nearest=0, wrap=1)
    s, t = np.tile(np.arange(4) / 8 + 0.25, 4), np.repeat(np.arange(4) / 8 + 0.25, 4)
    expected = (s * 4 - 0.5) * 16 + (t * 4 - 0.5) * 4
    assert (sample(s, t) == np.floor(expected + 0.5)).all()


def test_a_level_goes_on_beyond_the_edge_of_a_face():
    # Pixels 1/16 apart, which is a texel of 32; the first of each quad is beyond the edge of +x.
    z = np.repeat([[1.03, 1.03 - 1 / 16, 1.03, 1.03 - 1 / 16]], 4, axis=0).reshape(1, 16)
    y = np.repeat([[0.2, 0.2, 0.2 + 1 / 16, 0.2 + 1 / 16]], 4, axis=0).reshape(1, 16)
    size = np.maximum(z, 1.0)  # the greatest component is 1
    given = {name: np.asarray(value / size, np.float32).view(np.uint32)
             for name, value in ((0, np.ones((1, 16))), (1, y), (2, z))}
    words = [5 << 12 | 1 << 9 | 5, 32 << 20 | 32 << 8, 1 << 30 | 1 << 16]
    found = Sampler(Memory(), words, given)
    assert (found.face[0, 1::2] == 0).all() and (found.face[0, ::2] == 4).all()
    assert found.level_of_detail()[0, 1::2] == pytest.approx(np.zeros(8), abs=1e-3)


def test_the_command(tmp_path, capsys):
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.draw(flat(0xFF332211), quad(0.0), mode=STRIP)
    path, out = tmp_path / "one.job", tmp_path / "out.rgba"
    path.write_text(job.text())
    play = ["vc4", "play", str(path), str(path), "-o", str(out)]
    assert cli.main(play) == 0
    assert out.read_bytes() == bytes.fromhex("112233ff") * 4096
    path.write_text(job.text()[:200])
    assert cli.main(play) == 1
    said = capsys.readouterr().err
    assert said.startswith("vc4: one.job") and said.count("\n") == 1
    for wrong in (play[:-2], [*play[:2], *play[-2:]]):  # without a picture, without a job
        with pytest.raises(SystemExit, match="2"):
            cli.main(wrong)


def test_points_are_squares_with_places():
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.packet(98, struct.pack("<f", 8))
    job.draw(gradient(), [(-0.5, 0.25, 0, 1), (0.75, 0.75, 0, 2), (1.5, 0, 0, 1)], mode=0)
    picture = play(job).astype(int)
    drawn = (picture[..., 3] != 255) | (picture != CLEAR).any(axis=2)
    y, x = np.nonzero(drawn)
    # The third has its centre outside of the view volume: it is not drawn.
    first = (x < 32)
    assert sorted(set(x[first])) == list(range(12, 20))
    assert sorted(set(y[first])) == list(range(36, 44))
    assert first.sum() == 64 and (~first).sum() == 64
    assert picture[36, 12, :2].tolist() == [16, 239] and picture[43, 19, :2].tolist() == [239, 16]


@pytest.mark.parametrize("width", [1, 3])
def test_lines_are_columns_of_their_minor_axis(width):
    job = JobText()
    job.config(BOTH | ALWAYS)
    job.packet(99, struct.pack("<f", width))
    side = ["nop ; fmul r0, vary, ra15", *flat(0xFF0000FF)]
    job.draw(side, [(-0.5, -0.5, 0, 1), (0.5, 0, 0, 1)], mode=1)
    picture = play(job)
    drawn = (picture == (255, 0, 0, 255)).all(axis=2)
    assert drawn.any(axis=0).tolist() == [16 <= x < 48 for x in range(64)]
    assert (drawn.sum(axis=0)[16:48] == width).all()
    rows = np.nonzero(drawn.any(axis=1))[0]
    assert rows.min() == 16 - width // 2 and rows.max() == 31 + width // 2


def test_a_strip_and_a_fan_turn_every_triangle_alike():
    for mode, order in ((5, (0, 1, 2, 3)), (6, (0, 1, 3, 2))):
        job = JobText()
        job.config(1 | ALWAYS)  # fronts only
        corners = quad(0.0)
        job.draw(flat(0xFF0000FF), [corners[i] for i in order], mode=mode)
        assert (play(job) == (255, 0, 0, 255)).all()
