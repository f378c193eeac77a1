# SPDX-License-Identifier: MIT
"""Programs in GLSL for scripts/bench --only compile: glmark2's, of games and demos, piglit's.

In: programs that run on the peer, which writes down what it links (MESA_SHADER_CAPTURE_PATH), once:
build/shaders keeps that; piglit's folders; folders of .shader_test files. Out: sources by stage.
What is not installed is named on stderr, and left out.
"""

import argparse
import functools
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from typing import NamedTuple

from scripts import host, program_lists
from scripts.run_hacks import Runner

PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit"
FROM_PIGLIT = 200
KEPT = os.path.join(host.ROOT, "build", "shaders")
_SCREEN = "1280x1024"
_SECONDS, _SHOWN = 20, 40  # so long, or for so many frames, a real program runs
STAGES = ("vertex", "fragment")
_STAGE = re.compile(r"^\[(?:(vertex|fragment) shader|[^\]]*)\]\n", re.MULTILINE)
_REQUIRE = re.compile(r"^GLSL *>= *(\d)\.(\d\d)", re.MULTILINE)
#: scenes of glmark2, with the options that change shaders
_SCENES = (
    "build texture texture:texture-filter=mipmap shading:shading=gouraud "
    "shading:shading=blinn-phong-inf shading:shading=phong shading:shading=cel "
    "bump:bump-render=off bump:bump-render=high-poly bump:bump-render=normals "
    "bump:bump-render=height "
    "effect2d:kernel=0,1,0;1,-4,1;0,1,0; effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1; pulsar "
    "pulsar:light=true:texture=true desktop:effect=blur desktop:effect=shadow "
    "buffer buffer:interleave=true ideas jellyfish terrain shadow refract "
    "conditionals:fragment-steps=0:vertex-steps=0 conditionals:fragment-steps=5:vertex-steps=0 "
    "conditionals:fragment-steps=0:vertex-steps=5 "
    "function:fragment-complexity=low:fragment-steps=5 "
    "function:fragment-complexity=medium:fragment-steps=5 "
    "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5 "
    "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5 "
    "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5"
).split()


class Program(NamedTuple):
    """Sources by stage, a text for each shader; () for a stage that is the fixed function."""

    name: str
    vertex: tuple[str, ...]
    fragment: tuple[str, ...]


def parsed(name: str, text: str, versions: bool = False) -> Program | None:
    """A .shader_test file; None for one with another stage, or without any of ours. `versions`: as
    piglit runs it, which begins texts that name no version with the one that [require] asks for."""
    parts = list(_STAGE.finditer(text))
    require = _REQUIRE.search(text) if versions else None
    version = f"#version {require[1]}{require[2]}\n" if require else ""
    stages: dict[str, list[str]] = {stage: [] for stage in STAGES}
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if stage := part[1]:
            source = text[part.end() : following.start() if following else len(text)]
            stages[stage].append(source if "#version" in source else version + source)
    if not any(stages.values()) or re.search(r"^\[(geometry|tess|compute)", text, re.MULTILINE):
        return None
    return Program(name, tuple(stages["vertex"]), tuple(stages["fragment"]))


def different(programs: Iterable[Program]) -> list[Program]:
    """Each text once."""
    found: dict[tuple[tuple[str, ...], ...], Program] = {}
    for program in programs:
        found.setdefault((program.vertex, program.fragment), program)
    return list(found.values())


def programs_in(folder: str, name: str = "", versions: bool = False) -> list[Program]:
    """The programs of all .shader_test files below a folder, each text once."""
    paths = sorted(
        os.path.join(root, file)
        for root, _, files in os.walk(folder)
        for file in files
        if file.endswith(".shader_test")
    )
    found = []
    for path in paths:
        with open(path, encoding="latin-1") as file:
            label = (f"{name}/" if name else "") + os.path.relpath(path, folder)
            found.append(parsed(label.replace(" ", "_"), file.read(), versions))
    return different(filter(None, found))


Runs = Callable[[Runner, str], bool]
"""Starts a program on the peer, which writes what is linked to a folder; whether it did so."""


def captured(name: str, run: Runs) -> list[Program]:
    """What a program hands over; it runs once, and build/ keeps what it did."""
    folder = os.path.join(KEPT, name)
    if not os.path.isdir(folder):
        with (
            tempfile.TemporaryDirectory(prefix="pydri-shaders-") as fresh,
            tempfile.TemporaryDirectory(prefix="pydri-homes-") as homes,
            host.XServer(_SCREEN) as server,
        ):
            args = argparse.Namespace(size="640x480")
            if not run(Runner(args, "", homes, server.name), fresh):
                print(f"shaders of {name}: not installed here, or it shows nothing",
                      file=sys.stderr)  # fmt: skip
                return []
            os.makedirs(folder)
            for program in programs_in(fresh):
                with open(os.path.join(folder, program.name), "w", encoding="latin-1") as file:
                    for stage in STAGES:
                        for text in getattr(program, stage):
                            file.write(f"[{stage} shader]\n{text}\n")
    return programs_in(folder, name)


def _runs_glmark2(runner: Runner, folder: str) -> bool:
    scenes = [word for scene in _SCENES for word in ("-b", scene)]
    order = ["glmark2", "-s", "64x64", "-b", ":duration=0.02", *scenes]
    env = host.environment("peer", DISPLAY=runner.display, MESA_SHADER_CAPTURE_PATH=folder)
    try:
        subprocess.run(order, env=env, timeout=300, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)  # fmt: skip
    except FileNotFoundError:
        return False
    return bool(os.listdir(folder))


def glmark2_programs() -> list[Program]:
    """What glmark2 hands over in its scenes."""
    return captured("glmark2", _runs_glmark2)


def real_programs() -> list[Program]:
    """What the games, demos and Python programs of scripts/program_lists.py hand over in their
    first frames; no more than one each of those that several share."""
    found: list[Program] = []
    for app in dict.fromkeys((*program_lists.GAMES, *program_lists.SHADERS)):

        def run(runner: Runner, folder: str, app: program_lists.Listed = app) -> bool:
            more = {"MESA_SHADER_CAPTURE_PATH": folder, "SWAPCOUNT_EXIT": str(_SHOWN)}
            return bool(runner.counted(app, "peer", _SECONDS, **more))

        found += captured(app.name, run)
    return different(found)


def _of_piglit(versions: bool) -> list[Program]:
    """All that have at most one shader a stage."""
    return [
        program
        for part in ("tests", "generated_tests")
        for glsl in ("1.10", "1.20")
        for program in programs_in(
            f"{PIGLIT}/{part}/spec/glsl-{glsl}", f"piglit-{glsl}", versions
        )
        if max(len(program.vertex), len(program.fragment)) == 1
    ]  # fmt: skip


@functools.cache
def piglit_programs() -> tuple[list[Program], list[Program]]:
    """So many of piglit's, chosen by a fixed seed, their texts as they are; and what stands in for
    those that are refused: the same with the versions they are meant to have, then others."""
    found = _of_piglit(versions=False)
    chance = random.Random(9)
    chosen = chance.sample(found, min(FROM_PIGLIT, len(found)))
    names = {program.name: program for program in chosen}
    meant = {program.name: program for program in _of_piglit(versions=True)}
    again = [meant[name] for name, program in names.items() if meant.get(name, program) != program]
    others = [program for name, program in meant.items() if name not in names]
    return chosen, again + chance.sample(others, min(FROM_PIGLIT // 4, len(others)))


def collection(folders: Iterable[str]) -> dict[str, list[Program]]:
    """All programs, by where they are from."""
    found = {
        "glmark2": glmark2_programs(),
        "piglit": piglit_programs()[0],
        "games and demos": real_programs(),
    }
    for folder in folders:
        name = os.path.basename(os.path.normpath(folder))
        found[name] = programs_in(folder, name)
    return found
