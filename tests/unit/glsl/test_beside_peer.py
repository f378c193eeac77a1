# SPDX-License-Identifier: MIT
"""What is accepted and what refused, beside the peer, on shaders with one thing changed.

Where the two differ it is nearly always a word run into a directive (`#elsefoo`, which Mesa's
preprocessor takes for `#else`), or a `#` in the middle of a line that is skipped.
"""

import json
import pathlib
import random
import re
import subprocess
import sys

import pytest

from tests import host
from tests.unit.glsl import peer, shaders
from tests.unit.glsl.test_hostile import mutated

COUNT = 6000
#: of COUNT sources: what the reasons above come to, twice over
MOST = 30


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.needs("piglit", "libegl1", "libgl1-mesa-dri")
def test_mutated_shaders(tmp_path: pathlib.Path) -> None:
    host.only_reference_peer()
    corpus = [s for s in shaders.embedded() if "generated" not in s.name and len(s.text) < 6000]
    corpus += [s for s in shaders.parser_tests() if s.good and "generated" not in s.name]
    rng = random.Random(11)
    sources: list[tuple[str, str]] = []
    while len(sources) < COUNT:
        text, stage = mutated(corpus, rng, (1,))
        version = re.search(r"#\s*version\s+(\d+)", text)
        number = version[1] if version is not None else "110"
        if f"{number[0]}.{number[1:]}" in shaders.VERSIONS and "\0" not in text:
            sources.append((stage, text))
    asked, answered = tmp_path / "sources.json", tmp_path / "answers.json"
    asked.write_text(json.dumps(sources))
    # From its cache the peer would answer for a text whatever the stage is.
    env = host.side("peer", EGL_PLATFORM="surfaceless", MESA_SHADER_CACHE_DISABLE="true")
    command = [sys.executable, peer.__file__, str(asked), str(answered)]
    subprocess.run(command, env=env, check=True, timeout=300)
    different = []
    both = {True: 0, False: 0}
    for (stage, text), (good, log) in zip(sources, json.loads(answered.read_text()), strict=True):
        ours = shaders.compile_shader(text, stage, shaders.COMPATIBLE)
        if (ours.shader is not None) == good:
            both[good] += 1
        else:
            different.append(f"peer {good}\n{ours.log or log}\n{text}")
    assert min(both.values()) > COUNT // 10, both
    assert len(different) <= MOST, "\n----\n".join(different)
