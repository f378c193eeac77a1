# SPDX-License-Identifier: MIT
"""Whole GLSL programs by seed: valid ones, and real ones of which something was changed.

`fuzz_shaders.py SEED COUNT [COUNT]` draws so many changed and valid programs on this driver, the
valid ones on pipe_soft too (nir's interpreter), and prints what breaks: a crash, a hang, a Python
traceback, pixels that differ. A valid program has both stages of programs.py's grammar, whose
numbers are small and whose operations are exact, so that both drivers draw the same bits.
"""

from __future__ import annotations

import base64
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple

import numpy as np

if __name__ == "__main__":
    sys.path[0] = str(pathlib.Path(__file__).parents[2])

from tests import host
from tests.robust import shader_player
from tests.unit.glsl import programs, shaders
from tests.unit.glsl.test_hostile import mutated as mutated_shader

Pair = tuple[str, str]
GLMARK = pathlib.Path("/usr/share/glmark2/shaders")
BATCH = 50  # programs of a process
SECONDS = 60.0  # that one program may take on a busy machine
TOO_LARGE = "too large when its functions are inlined"
SLOW = 6.0  # and that the interpreter may take before it is left out


def valid(seed: int) -> Pair:
    """The program of a seed."""
    vertex = programs.generate(2 * seed)
    for old, new in ((r"\ba\b", "va"), (r"\bb\b", "vb"), (r"\bgl_FragColor\b", "result")):
        vertex = re.sub(old, new, vertex)
    vertex = vertex.replace("varying vec4 va, vb;", "attribute vec4 va, vb; varying vec4 a, b; "
                            "vec4 result;")  # fmt: skip
    end = vertex.rindex("}")
    vertex = (f"{vertex[:end]} gl_Position = gl_Vertex; a = clamp(result, -9.0, 9.0); b = vb; }}\n")
    return in_a_block(random.Random(seed), (vertex, programs.generate(2 * seed + 1)))


UNIFORMS = ("int n;", "float table[5];", "mat3 m3;")  # of programs.py
PADS = ("float p0;", "vec3 p1;", "mat2x3 p2[2];", "bvec2 p3;", "struct_ p4[2];")


def in_a_block(rng: random.Random, texts: Pair) -> Pair:
    """Two programs of three have their uniforms in a block, in one layout or another, with other
    members between them."""
    if not rng.randrange(3):
        return texts
    rows = [*UNIFORMS, *rng.sample(PADS, rng.randrange(len(PADS)))]
    rng.shuffle(rows)
    orders = ("", "row_major ", "column_major ")
    members = " ".join(
        (f"layout({order}) " if (order := rng.choice(orders)) and "mat" in row else "") + row
        for row in rows
    )
    words = [w for w in (rng.choice(("std140", "shared", "packed", "")), rng.choice(orders)) if w]
    layout = f"layout({', '.join(words)}) " if words else ""
    struct = "struct struct_ { float f; mat2 m; vec2 v; };"
    block = f"{struct}\n{layout}uniform Block {{ {members} }};\n"
    use = "#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"

    def changed(text: str) -> str:
        for row in UNIFORMS:
            text = text.replace(f"uniform {row}\n", "")
        return text.replace("#version 120\n", use + block)

    return changed(texts[0]), changed(texts[1])


def pairs() -> list[Pair]:
    """Real programs: piglit's and glmark2's."""
    found: dict[str, dict[str, str]] = {}
    for shader in shaders.embedded(("1.10", "1.20")):
        name, _, stage = shader.name.rpartition(" ")
        if len(shader.text) < 20000:
            found.setdefault(name, {})[stage] = shader.text
    for path in sorted(GLMARK.glob("*.vert")):
        fragment = path.with_suffix(".frag")
        if fragment.exists():
            found[path.name] = {"vertex": path.read_text(), "fragment": fragment.read_text()}
    plain = shader_player.KNOWN
    return [(f.get("vertex", plain[0]), f.get("fragment", plain[1])) for f in found.values()]


class Mutations:
    """Real programs of which something was changed, in one stage or both."""

    def __init__(self) -> None:
        self.corpus = pairs()

    def program(self, seed: int) -> Pair:
        rng = random.Random(seed)
        texts = list(rng.choice(self.corpus))
        for n in rng.choice(((0,), (1,), (1,), (0, 1))):
            shader = shaders.Shader("", ("vertex", "fragment")[n], texts[n], True)
            texts[n] = mutated_shader([shader], rng, (1, 1, 1, 2, 3))[0]
        return texts[0], texts[1]


class Answers(NamedTuple):
    """What a driver did with programs. A row is None where it came to an end, or took too long."""

    rows: list[dict[str, Any] | None]
    faults: list[str]

    def pixels(self, n: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
        """As bits; one kind of NaN, and of zero."""
        row = self.rows[n]
        assert row is not None
        floats = np.frombuffer(base64.b64decode(row["pixels"]), np.float32).copy()
        floats[np.isnan(floats)] = np.nan
        return (floats + np.float32(0)).view(np.uint32)


def _play_some(
    which: str, todo: list[Pair], seconds: float, env: dict[str, str]
) -> tuple[list[dict[str, Any]], str]:
    """A process: the rows that it wrote, and why it ended before its time, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered, errors = (pathlib.Path(folder, name) for name in ("p", "a", "e"))
        asked.write_text(json.dumps(todo))
        answered.touch()
        command = [sys.executable, shader_player.__file__, str(asked), str(answered)]
        side = host.side(which, EGL_PLATFORM="surfaceless", PYTHONPATH=host.ROOT, **env)
        size, since, reason = 0, time.monotonic(), ""
        with open(errors, "w") as file:
            running = subprocess.Popen(command, env=side, cwd="/", stderr=file)
            while running.poll() is None:
                time.sleep(0.02)
                if answered.stat().st_size != size:
                    size, since = answered.stat().st_size, time.monotonic()
                elif time.monotonic() - since > seconds:
                    running.kill()
                    running.wait()
                    reason = "hangs"
        said = errors.read_text(errors="replace")
        rows = [json.loads(line) for line in answered.read_text().splitlines() if line[-1:] == "}"]
        if running.returncode and not reason:
            reason = f"status {running.returncode}, {said[-3000:]}"
        elif not reason and ("Traceback" in said or "libGL error" in said):
            reason = said[:6000]
        return rows, reason


def play(
    which: str, todo: list[Pair], seconds: float = SECONDS, env: dict[str, str] | None = None
) -> Answers:
    """Draw programs on a side (tests/host.py); after one that breaks it go on."""
    out = Answers([], [])
    while len(out.rows) < len(todo):
        rows, reason = _play_some(which, todo[len(out.rows) :], seconds, env or {})
        out.rows.extend(rows)
        if reason:
            at = min(len(out.rows), len(todo) - 1)
            out.faults.append(f"program {at}: {reason}\n" + "\n----\n".join(todo[at]))
        if len(out.rows) < len(todo):
            out.rows.append(None)
    return out


def compared(
    todo: list[Pair], env: dict[str, str] | None = None
) -> tuple[int, list[str]]:
    """Programs that two drivers drew, and what they drew differently or not at all."""
    ours = play("ours", todo, SECONDS, env)
    soft = play("ours", todo, SLOW, {"GALLIUM_DRIVER": "softpipe"})
    faults = ours.faults + [text for text in soft.faults if ": hangs\n" not in text]
    count = 0
    for n, texts in enumerate(todo):
        first, second = ours.rows[n], soft.rows[n]
        if first is None or second is None:
            continue
        text = "\n----\n".join(texts)
        if not first["good"] and not second["good"] and TOO_LARGE in first["log"]:
            continue  # functions that call each other often become more code than a program may be
        count += 1
        if not (first["good"] and second["good"]):
            faults.append(f"{first['log']}\n{second['log']}\n{text}")
            continue
        a, c = ours.pixels(n), soft.pixels(n)
        if (a != c).any():
            at = int(np.flatnonzero(a != c)[0]) // 4 * 4
            show = [v.view(np.float32)[at : at + 4] for v in (a, c)]
            faults.append(f"{int((a != c).sum())} numbers differ, at first those of pixel "
                          f"{at // 4}: {show[0]} and {show[1]}\n{text}")
    return count, faults


def main(seed: int, changed: int, good: int = 0) -> None:
    mutations = Mutations()
    bad = 0
    for start in range(0, max(changed, good), BATCH):
        todo = [mutations.program(seed + n) for n in range(start, min(start + BATCH, changed))]
        answers = play("ours", todo)
        linked = sum(row is not None and row["good"] for row in answers.rows)
        todo = [valid(seed + n) for n in range(start, min(start + BATCH, good))]
        count, faults = compared(todo)
        print(f"from {seed + start}: {len(answers.rows)} changed, {linked} of them linked; "
              f"{len(todo)} valid, {count} of them compared", flush=True)
        for text in answers.faults + faults:
            bad += 1
            print(f"==== fault {bad}\n{text}\n====", flush=True)
    print(f"{bad} faults")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
