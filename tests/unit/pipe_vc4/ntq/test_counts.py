# SPDX-License-Identifier: MIT
"""Lengths of QIR, words and streams of uniforms beside Mesa's, for programs whose counts Mesa gave
(shared.py)."""

from __future__ import annotations

import math
import re

from pipe_vc4.emit import QpuCode
from pipe_vc4.ntq.keys import Vc4FsKey, Vc4TexKey, Vc4VsKey
from pipe_vc4.ntq.lower import lowered_vertex, vc4_shader_ntq
from pipe_vc4.program import ShaderCache, Vc4UncompiledShader, live_inputs
from pipe_vc4.qir.qir import QStage, Vc4Compile
from pipe_vc4.qir.validate import qir_validate
from pydri.nir.gather_info import gather
from pydri.tools.shader import glsl_sources
from tests.unit.pipe_vc4.shared import SHARED

#: one program, drawn once, no blending
SCENES = ("derivatives", "discard", "if-divergent", "loop-uniform", "math-rounding", "perspective",
          "texture-cube", "texture-dependent", "uniforms-many")  # fmt: skip
_STAGES = {"fragment": QStage.FRAG, "vertex": QStage.VERT, "coordinate": QStage.COORD}


def _shaders(text: str) -> list[tuple[str, str]]:
    """The stages of a scene as GLSL 1.20: precision is a word of ES alone."""
    found = re.findall(r"^(vertex|fragment)\n(.*?)^end", text, re.M | re.S)
    plain = (re.sub(r"precision \w+ \w+;|\b(?:high|medium|low)p\b", "", body) for _, body in found)
    return [(stage, f"#version 120\n{body}") for (stage, _), body in zip(found, plain)]


def _compiled(text: str) -> dict[str, Vc4Compile]:
    stages = {source.stage: source for source in glsl_sources(_shaders(text))}
    linked = lowered_vertex(stages["vertex"].shader())
    key = Vc4FsKey(depth_enabled="Enable DEPTH_TEST" in text)
    fs = vc4_shader_ntq(stages["fragment"].shader(), QStage.FRAG, key, vertex=linked, threaded=True)
    vs_key = Vc4VsKey(fs_inputs=live_inputs(fs))
    made = {"fragment": fs}
    made["vertex"] = vc4_shader_ntq(stages["vertex"].shader(), QStage.VERT, vs_key)
    made["coordinate"] = vc4_shader_ntq(
        stages["vertex"].shader(), QStage.COORD, Vc4VsKey(is_coord=True)
    )
    return made


def _finished(text: str) -> dict[str, QpuCode]:
    """The same as the driver has them: registers, schedule, threads."""
    sources = {source.stage: source for source in glsl_sources(_shaders(text))}
    fs, vs = (Vc4UncompiledShader(sources[stage].shader) for stage in ("fragment", "vertex"))
    textures = (Vc4TexKey(),) * gather(sources["fragment"].shader()).textures
    key = Vc4FsKey(depth_enabled="Enable DEPTH_TEST" in text, tex=textures)
    cache = ShaderCache()
    fragment = cache.get(fs, QStage.FRAG, key, vs)
    made = {"fragment": fragment}
    made["vertex"] = cache.get(vs, QStage.VERT, Vc4VsKey(fragment.fs_inputs))
    made["coordinate"] = cache.get(vs, QStage.COORD, Vc4VsKey(is_coord=True))
    return {stage: one.code for stage, one in made.items()}


if SHARED.exists():
    def test_words_and_uniforms_beside_mesas() -> None:
        ratios: dict[tuple[str, str], list[float]] = {}
        for name in SCENES:
            listing = (SHARED / "listings" / f"{name}.txt").read_text()
            made = _finished((SHARED / "scenes" / f"{name}.scene").read_text())
            for stage, code in made.items():
                counts = re.findall(rf"{stage} shader, .*\n# (.*)", listing)[0].split()
                mesa = {what: int(n) for what, n in zip(counts[:-1:2], counts[1::2]) if n.isdigit()}
                assert code.threads >= mesa["threads"], (name, stage)
                for what, ours in (("qpu", len(code.words)),
                                   ("uniforms", len(code.uniform_contents))):  # fmt: skip
                    ratio = max(ours, 1) / max(mesa[what], 1)
                    ratios.setdefault((stage, what), []).append(ratio)
        for place, found in ratios.items():
            mean = math.exp(sum(map(math.log, found)) / len(found))
            assert mean <= 1.0 and max(found) <= 1.25, (place, found)

    def test_counts_beside_mesas() -> None:
        ratios: dict[str, list[float]] = {stage: [] for stage in _STAGES}
        for name in SCENES:
            listing = (SHARED / "listings" / f"{name}.txt").read_text()
            made = _compiled((SHARED / "scenes" / f"{name}.scene").read_text())
            for stage, c in made.items():
                qir_validate(c, name, lowered=True)
                mesa = int(re.findall(rf"{stage} shader, .*\n# qir (\d+)", listing)[0])
                ratios[stage].append(sum(len(block.instructions) for block in c.blocks) / mesa)
        for stage, found in ratios.items():
            mean = math.exp(sum(map(math.log, found)) / len(found))
            assert mean <= 1.0 and max(found) <= 1.25, (stage, found)
