# SPDX-License-Identifier: MIT
"""What is accepted and what refused, judged by piglit: its parser tests for GLSL 1.10 to 3.30 and
for ES 1.00 and 3.00, and the shaders that its other tests draw with. A sample in each run, all of
them in the long tier.
"""

import pytest

from tests.unit.glsl import shaders

#: tests that the peer fails too, and why
KNOWN = {
    "tests/glslparsertest/glsl2/too-many-samplers.frag":
        "the number of samplers is the linker's to check; Mesa compiles it too",
    "tests/spec/glsl-1.50/compiler/uniforms.geom":
        "it names no version, and 1.10 has no such stage",
}  # fmt: skip


def wrong(found: list[shaders.Shader]) -> list[str]:
    """Those whose outcome is not the one that is expected, with the log."""
    out = []
    for shader in found:
        compiled = shader.compiled()
        if (compiled.shader is not None) != shader.good:
            out.append(f"{shader.name}: {compiled.log or 'accepted'}")
    return out


def unexpected(found: list[str]) -> list[str]:
    return [w for w in found if w.split(":")[0] not in KNOWN]


@pytest.mark.needs("piglit")
def test_parser_tests_sample() -> None:
    found = shaders.parser_tests()
    assert len(found) > 4000
    assert not unexpected(wrong([s for s in found if "generated" not in s.name][::3] + found[::40]))


@pytest.mark.needs("piglit")
def test_embedded_shaders_sample() -> None:
    found = shaders.embedded()
    assert len(found) > 5000
    assert not wrong(found[::50])


@pytest.mark.needs("piglit")
def test_geometry_shaders_sample() -> None:
    found = shaders.geometry_tests()
    assert len(found) > 500
    chosen = [s for s in found if "generated" not in s.name]
    assert len(chosen) > 100
    assert not unexpected(wrong(chosen + found[::40]))


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.needs("piglit")
def test_all_geometry_shaders() -> None:
    assert not unexpected(wrong(shaders.geometry_tests()))


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.needs("piglit")
def test_all_parser_tests() -> None:
    found = wrong(shaders.parser_tests())
    assert not unexpected(found)
    assert {w.split(":")[0] for w in found} == {name for name in KNOWN if "1.50" not in name}


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.needs("piglit")
def test_all_embedded_shaders() -> None:
    assert not wrong(shaders.embedded())
