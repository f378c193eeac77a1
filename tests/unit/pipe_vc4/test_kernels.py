# SPDX-License-Identifier: MIT
"""The simulator's kernels give the bits of the numpy simulator: words, samples, jobs, errors."""

import ctypes
import itertools
import random
import struct
from dataclasses import replace

import numpy as np
import pytest

from pipe_vc4.qpu import fields
from pipe_vc4.qpu.fields import QPU_SET_FIELD
from pipe_vc4.qpu.text import assemble
from pipe_vc4.simulator import alu, qpu
from pipe_vc4.simulator.cl import State
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import Job, parse_job
from pipe_vc4.simulator.kernels import engine
from pipe_vc4.simulator.kernels.errors import error_text
from pipe_vc4.simulator.kernels.layout import (
    LANES,
    Vc4Group,
    Vc4Memory,
    Vc4Sample,
    Vc4Tile,
)
from pipe_vc4.simulator.kernels.play import KernelPlayer, SteadyPlayer
from pipe_vc4.simulator.kernels.program import Shape
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.play import play_files, play_jobs
from pipe_vc4.simulator.player import Player
from pipe_vc4.simulator.program import Program, decode
from pipe_vc4.simulator.tlb import Fragments, FragmentUnit, Tile
from pipe_vc4.simulator.tmu import BYTES, Sampler
from tests.unit.pipe_vc4.job_text import END, STRIP, JobText
from tests.unit.pipe_vc4.shared import scene_files, scene_names
from tests.unit.pipe_vc4.test_simulator import (
    ALWAYS,
    BOTH,
    LOOP,
    QUAD,
    gradient,
    quad,
    z_shader,
)

ODD = [0, 0x80000000, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
       0x7FC00000, 0x7F7FFFFF, 0x4F000000, 0xCF000000, 0xFFFFFFFF, 31, 32, 0x3F7FFFFF]  # fmt: skip


# ---- words
def random_word(chance: random.Random) -> int:
    """A word that computes with eight registers of each file and the accumulators."""
    registers = [*range(8), 32, 33, 34, 35, 39]
    special = [*registers, *registers, 37, 52, 53, 54, 55]
    pm = chance.randrange(4) == 0
    packs = [0, 3, 4, 5, 6, 7] if pm else range(16)
    rotates = chance.randrange(12) == 0
    parts = {
        fields.QPU_SIG: 13 if rotates or chance.randrange(4) == 0 else 1,
        fields.QPU_UNPACK: chance.choice([0, 0, chance.randrange(8)]), fields.QPU_PM: pm,
        fields.QPU_PACK: chance.choice([0, chance.choice(packs)]),
        fields.QPU_COND_ADD: chance.choice([1, 1, chance.randrange(8)]),
        fields.QPU_COND_MUL: chance.choice([1, 1, chance.randrange(8)]),
        fields.QPU_SF: chance.randrange(2), fields.QPU_WS: chance.randrange(2),
        fields.QPU_WADDR_ADD: chance.choice(special),
        fields.QPU_WADDR_MUL: chance.choice(registers),
        fields.QPU_OP_MUL: chance.randrange(8),
        fields.QPU_OP_ADD: chance.choice([0, *map(int, alu.ADD_OPS)]),
        fields.QPU_RADDR_A: chance.choice([*range(8), 38, 39]),
        fields.QPU_RADDR_B: chance.randrange(48, 64) if rotates else chance.randrange(8),
        **{mux: chance.randrange(8) for mux in (fields.QPU_ADD_A, fields.QPU_ADD_B)},
        **{mux: chance.randrange(4 if rotates else 8)
           for mux in (fields.QPU_MUL_A, fields.QPU_MUL_B)},
    }  # fmt: skip
    return sum(QPU_SET_FIELD(value, field) for field, value in parts.items())


def program(chance: random.Random, length: int) -> list[int]:
    """Words from varyings to one colour in which each register has its part."""
    loads = [f"mov r{file}{n}, vary" for n in range(8) for file in "ab"]
    registers = [f"r{file}{n}" for n in range(8) for file in "ab"] + [f"r{n}" for n in range(1, 6)]
    fold = [line for name in registers for line in ("ror r0, r0, 5", f"xor r0, r0, {name}")]
    flags = ["ror r0, r0, 3", "xor.zs r0, r0, 1", "xor.ns r0, r0, 2", "xor.cs r0, r0, 4"]
    words = [random_word(chance) for _ in range(length)]
    return [*map(assemble, loads), *words,
            *map(assemble, [*flags, *fold, "mov tlb_color, r0", *END])]  # fmt: skip


def by_numpy(words: list[int], varyings: np.ndarray) -> np.ndarray:
    """The colours of sixteen fragments."""
    tile = Tile(0, 0, *(np.zeros((64, 64), np.uint32) for _ in range(3)))
    lanes = np.arange(LANES)
    x, y = (lanes // 4 * 2 + lanes % 2)[None], (lanes % 4 // 2)[None]
    numbers = varyings.reshape(-1, 1, LANES).view(np.float32)
    covered = np.ones((1, LANES), bool)
    zeros = np.zeros((1, LANES), np.uint32)
    fragments = Fragments(x, y, covered, ~covered, np.ones((1, LANES), np.float32), zeros,
                          zeros[..., None], numbers, numbers[::-1])  # fmt: skip
    memory = Memory()
    unit = FragmentUnit(fragments, tile, State())
    code = tuple(decode(word) for word in words)
    qpu.run(qpu.Machine(Program(code, 0, memory.allocate(4)), memory, unit, 1))
    return tile.color[y[0], x[0]]


def by_kernel(words: list[int], varyings: np.ndarray) -> np.ndarray:
    """The same."""
    code = engine.shader(Shape(tuple(words), True, len(varyings)))
    scratch = np.zeros(Vc4Group.size + Vc4Tile.size + 128, np.uint8)
    at = scratch.ctypes.data + 63 & ~63
    group, tile = Vc4Group.view(at + Vc4Tile.size), Vc4Tile.view(at)
    memory = Vc4Memory.ctype()()
    group.memory, group.tile = ctypes.addressof(memory), at
    group.covered[:LANES] = [0xFFFFFFFF] * LANES
    group.varyings[: varyings.size] = varyings.ravel().tolist()
    group.constants[: varyings.size] = varyings[::-1].ravel().tolist()
    group.place[:] = 0, 4, 8, 12
    run = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(code.address)
    assert run(at + Vc4Tile.size) == 0
    return np.array(tile.color[:LANES], np.uint32)


@pytest.mark.parametrize("seed", range(3))
def test_random_words(seed):
    chance = random.Random(seed)
    words = program(chance, 60)
    for _ in range(8):
        varyings = np.array([[chance.choice([chance.choice(ODD), chance.getrandbits(32)])
                              for _ in range(LANES)] for _ in range(16)], np.uint32)  # fmt: skip
        assert by_kernel(words, varyings).tolist() == by_numpy(words, varyings).tolist()


# ---- samples
def sampled(memory: Memory, words: list[int], given: dict[int, np.ndarray]) -> list[int] | str:
    """What the kernel samples."""
    sample = Vc4Sample.ctype()()
    limits = memory.limits()
    view = Vc4Memory.ctype()(memory.bytes.ctypes.data, limits.ctypes.data, len(limits))
    scratch = np.zeros(Vc4Sample.size + 64, np.uint8)
    at = scratch.ctypes.data + 63 & ~63
    sample = Vc4Sample.view(at)
    sample.memory = ctypes.addressof(view)
    sample.words[:] = words
    for number, value in given.items():
        sample.given |= 1 << number
        sample.coordinates[LANES * number : LANES * (number + 1)] = value.tolist()
    address = engine.sampler().address("sample")
    run = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(address)
    code = run(at)
    return error_text(code) if code else list(sample.result)


def test_random_samples():
    chance = random.Random(5)
    memory = Memory()
    base = memory.allocate(1 << 18)
    memory.bytes[base : base + (1 << 18)] = np.random.default_rng(1).integers(0, 256, 1 << 18)
    level0 = base + (1 << 16)
    refused = 0
    for _ in range(300):
        kind = chance.choice(list(BYTES))
        width, height = chance.choice([(1, 1), (4, 4), (64, 64), (37, 90), (128, 16), (96, 96)])
        levels = chance.randrange(1, 8)
        cube = chance.randrange(6) == 0
        p0 = level0 | cube << 9 | (kind & 15) << 4 | levels - 1
        p1 = kind >> 4 << 31 | height << 20 | width << 8 | chance.getrandbits(8)
        p2 = 1 << 30 | 0x9000 | chance.randrange(2) if cube else chance.randrange(2)
        words = [p0, p1, p2, chance.choice([0, 0, 0, 1, 2 << 30])]
        scale = chance.choice([0.01, 0.3, 2.0, 1e30])
        given = {n: np.array([chance.gauss(0.5, scale) for _ in range(LANES)], np.float32)
                 .view(np.uint32) for n in range(4)}  # fmt: skip
        given[3] = np.array([chance.uniform(-1, 6)] * LANES, np.float32).view(np.uint32)
        try:
            lanes = {n: value.reshape(1, LANES) for n, value in given.items()}
            with np.errstate(all="ignore"):
                expected = Sampler(memory, words, lanes).colours()[0].tolist()
        except JobError:
            refused += 1
            assert isinstance(sampled(memory, words, given), str)
            continue
        assert sampled(memory, words, given) == expected, (words, scale)
    assert 20 < refused < 250


# ---- jobs
def both(job: JobText) -> None:
    """Both simulators draw the same of a job."""
    parsed = parse_job(job.text())
    fast, plain = (play_jobs([parsed], by) for by in (KernelPlayer, Player))
    assert (fast == plain).all() and len(np.unique(plain.reshape(-1, 4), axis=0)) > 1


def test_a_job_with_everything_that_fixed_parts_do():
    job = JobText(150, 130)
    job.config(BOTH | 0x8000 | 0x1000 | 8)  # less, written, offset
    job.packet(101, struct.pack("<f", 1.5)[2:] + struct.pack("<f", -40.0)[2:])
    job.window(3, 5, 131, 119)
    chance = random.Random(9)
    corners = [(chance.uniform(-1.5, 1.5), chance.uniform(-1.5, 1.5), chance.uniform(-1, 1), 1)
               for _ in range(60)]  # fmt: skip
    shade = ["nop", "nop", "mov tlb_z, rb15", *gradient()]
    job.draw(shade, [(*c[:3], 1 + n % 3, n / 60, c[2]) for n, c in enumerate(corners)], flat=2)
    job.packet(98, struct.pack("<f", 7.5))
    job.packet(99, struct.pack("<f", 3.0))
    side = ["nop ; fmul r0, vary, ra15", *gradient()]
    job.draw(side, [(*c, 0.5, n / 60) for n, c in enumerate(corners[:20])], mode=1)
    place = ["nop ; fmul r0, vary, ra15", "nop ; fmul r0, vary, ra15", *gradient()]
    job.draw(place, [(*c, 0.9, n / 60) for n, c in enumerate(corners[:20])], mode=0)
    job.draw(LOOP, corners[20:26])
    both(job)


def test_stencils_and_masks():
    job = JobText(clear=0xFF102030)
    keep = 1 << 25 | 1 << 22 | 1 << 19
    job.clear_s = 0x55
    for face, function, at in itertools.product((1, 2, 3), (1, 4, 7), (19, 22, 25)):
        job.config(BOTH | 0x8000 | 0x3000)
        setup = face << 30 | 3 << 28 | keep & ~(7 << at) | (face + at) % 8 << at
        words = [setup | function << 16 | 0x61 << 8 | 0xF3] + [0x3C7E] * (face != 3)
        chance = random.Random(face * at + function)
        draw = [(chance.uniform(-1, 1), chance.uniform(-1, 1), chance.uniform(-1, 1), 1)
                for _ in range(6)]  # fmt: skip
        job.draw(z_shader(0, *words), draw)
    job.config(BOTH | ALWAYS)
    for value in range(8):
        equal = 3 << 30 | keep | 2 << 16 | value << 8 | 0x07
        job.draw(z_shader(0xFF000000 + 0x203040 * value, equal), quad(0.0), mode=STRIP)
    both(job)


def test_what_is_loaded_comes_back():
    first, second = JobText(130, 70), JobText(130, 70)
    first.config(BOTH | 0x8000 | ALWAYS)
    first.draw(z_shader(0xFF0000FF), [(-1, -1, 0, 1), (1, -1, 0.5, 1), (-1, 1, 0, 1)])
    second.reads = True
    second.config(BOTH | 0x3000)
    second.draw(z_shader(0xFF00FF00), quad(0.2), mode=STRIP)
    jobs = [parse_job(job.text()) for job in (first, second)]
    assert (play_jobs(jobs, KernelPlayer) == play_jobs(jobs, Player)).all()


def test_numpy_plays_what_has_no_translation():
    job = JobText()
    job.config(BOTH | ALWAYS)
    same = 3 << 30 | 1 << 25 | 1 << 22 | 1 << 19 | 7 << 16
    job.draw(z_shader(0xFF0000FF, *[same] * 9), quad(0.0)[:3])
    both(job)


def test_kernels_come_with_the_second_playing(monkeypatch):
    kernels = []
    monkeypatch.setattr(KernelPlayer, "play", lambda self: kernels.append(self))
    monkeypatch.setattr(engine, "_SEEN", set())
    monkeypatch.setattr(engine, "_SHADERS", {})
    job = JobText()
    job.config(BOTH | ALWAYS)
    colour = random.getrandbits(32)
    job.draw(["nop", "nop", f"ldi tlb_color, {colour:#010x}", *END], quad(0.0), mode=STRIP)
    parsed = parse_job(job.text())
    assert (play_jobs([parsed], SteadyPlayer) == np.array([colour >> s & 255 for s in
                                                          (0, 8, 16, 24)])).all()  # fmt: skip
    assert not kernels
    play_jobs([parsed], SteadyPlayer)
    assert len(kernels) == 1


def test_kernels_come_at_once_for_many_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels: list[KernelPlayer] = []
    monkeypatch.setattr(KernelPlayer, "play", lambda self: kernels.append(self))
    monkeypatch.setattr("pipe_vc4.simulator.kernels.play.MANY", 3)
    for draws in (2, 3):
        monkeypatch.setattr(engine, "_SEEN", set())
        monkeypatch.setattr(engine, "_SHADERS", {})
        job = JobText()
        job.config(BOTH | ALWAYS)
        colour = random.getrandbits(32)
        for _ in range(draws):
            job.draw(["nop", "nop", f"ldi tlb_color, {colour:#010x}", *END], quad(0.0),
                     mode=STRIP)  # fmt: skip
        play_jobs([parse_job(job.text())], SteadyPlayer)
        assert len(kernels) == draws - 2


def test_long_loops_go_to_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels: list[KernelPlayer] = []
    played = KernelPlayer.play

    def play(self: KernelPlayer) -> None:
        kernels.append(self)
        played(self)

    monkeypatch.setattr(KernelPlayer, "play", play)
    monkeypatch.setattr(engine, "_SEEN", set())
    monkeypatch.setattr(engine, "_SHADERS", {})
    job = JobText(128, 64)
    job.reads = True  # and adds to what is there: the first tile must not be drawn twice
    job.config(BOTH | ALWAYS)
    mark = random.getrandbits(8)
    job.draw([*LOOP[:10], "nop ; loadc", f"ldi r2, {mark << 8:#010x}", "or r1, r1, r2",
              "v8adds r1, r4, r1", "mov tlb_color, r1", *END], quad(0.0), mode=STRIP)  # fmt: skip
    parsed = parse_job(job.text())
    plain = play_jobs([parsed], Player)
    for patience, by_kernels in ((1 << 13, 0), (400, 1)):  # a lane runs 4 words for its x
        monkeypatch.setattr("pipe_vc4.simulator.kernels.play.PATIENCE", patience)
        monkeypatch.setattr(engine, "_SEEN", set())
        assert (play_jobs([parsed], SteadyPlayer) == plain).all()
        assert len(kernels) == by_kernels


@pytest.mark.parametrize("what,why", [
    ("memory", "memory is read outside"), ("texture", "texel is read outside"),
    ("attribute", "attribute is read outside"), ("load", "loaded outside"),
    ("store", "stored outside"), ("loop", "does not end"), ("uniform", "uniform is read outside"),
])  # fmt: skip
def test_reads_and_writes_outside_are_errors(what, why):
    job = JobText()
    job.config(BOTH | ALWAYS)
    data = job.buffer(bytes(64))
    lines, more = ["nop", "nop"], {}
    if what == "memory":
        lines = ["ldi r0, 0x00001000", "nop", "add tmu0_s, r0, unif", "nop ; ldtmu0"]
        more = {"handles": [data], "values": [0]}
    elif what == "texture":
        lines = ["ldi r0, 0x3f000000", "nop", "mov tmu0_t, r0", "mov tmu0_s, r0", "nop ; ldtmu0"]
        more = {"handles": [data], "values": [0, 64 << 20 | 64 << 8 | 0x90]}
    elif what == "loop":
        lines = ["nop", "bra.always rel -32", "nop", "nop", "nop"]
    elif what == "uniform":
        lines = ["ldi unif_addr, 0x00000100", "nop", "nop", "mov r0, unif"]
        more = {"values": [0]}
    job.draw([*lines, *END], quad(0.0), mode=STRIP, **more)
    parsed = parse_job(job.text())
    surfaces = {"load": "color_read", "store": "color_write"}
    if what in surfaces:
        old = parsed.surfaces["color_write"]
        bits = 0x11 if what == "load" else old.bits
        changed = old.__class__(old.buffer, 0x3F00, bits, 0)
        parsed.surfaces[surfaces[what]] = changed
    if what == "attribute":
        record = parsed.streams["shader_rec"]
        parsed.streams["shader_rec"] = record[:-8] + struct.pack("<I", 60) + record[-4:]
    # numpy takes minutes to find that a loop does not end; test_simulator has it with a lower limit
    for by in (KernelPlayer,) if what == "loop" else (KernelPlayer, Player):
        with pytest.raises(JobError, match=why):
            play_jobs([parsed], by)


def damaged(job: Job, chance: random.Random) -> Job:
    """A job with one bit turned, outside of shaders' words."""
    where = chance.choice(["bin_cl", "shader_rec", "uniforms", "uniforms", "data", "surface"])
    if where == "surface":
        name = chance.choice(["color_read", "color_write", "zs_write"])
        old = job.surfaces[name]
        changed = chance.choice([replace(old, offset=old.offset ^ 4 << chance.randrange(16)),
                                 replace(old, bits=old.bits ^ 1 << chance.randrange(10))])
        return replace(job, surfaces={**job.surfaces, name: changed})
    number = chance.randrange(2, len(job.buffers)) // 4 * 4 + 2  # the vertices of a draw
    data = bytearray(job.buffers[number].data if where == "data" else job.streams[where])
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    if where != "data":
        return replace(job, streams={**job.streams, where: bytes(data)})
    buffers = list(job.buffers)
    buffers[number] = replace(buffers[number], data=bytes(data))
    return replace(job, buffers=buffers)


def test_damaged_jobs_come_to_the_same():
    text = JobText(70, 66)
    text.reads = True
    text.config(BOTH | 0x8000 | 0x3000)
    shade = ["nop", "nop", "mov tlb_z, rb15", *gradient()]
    text.draw(shade, quad(0.3, lambda x, y: x, lambda x, y: y), mode=STRIP)
    text.draw(shade, [(x * 3, y, x, 1.5 + y, x, y) for x, y in QUAD], mode=STRIP)
    job, chance, refused = parse_job(text.text()), random.Random(2), 0
    for _ in range(40):
        bad, found = damaged(job, chance), []
        for by in (KernelPlayer, Player):
            try:
                found.append(play_jobs([bad], by).tobytes())
            except JobError as error:
                found.append(str(error))
        assert found[0] == found[1]
        refused += isinstance(found[0], str)
    assert 2 < refused < 38


# ---- Mesa's jobs
QUICK = ("if-divergent", "points", "texture-cube", "two-jobs", "target-565")
if scene_names():
    @pytest.mark.parametrize("name", [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.long)
        for name in scene_names()])  # fmt: skip
    def test_scenes_of_mesa(name):
        fast, plain = (play_files(scene_files(name), by) for by in (KernelPlayer, Player))
        assert (fast == plain).all()
