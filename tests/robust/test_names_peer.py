# SPDX-License-Identifier: MIT
"""What GL says, beside the peer, line by line: of names, generated and invented ones, of objects
that are deleted while something still refers to them, in two contexts (names_told.c); of colour
targets one by one, and of what is read of them (targets_told.c); of targets and textures of whole
numbers (integers_told.c); of framebuffer objects (framebuffers_told.c); of shaders,
programs and uniforms (programs_told.c); of images with generic compressed formats, and sizes
(textures_told.c); of their blocks (blocks_told.c); of buffer textures (texels_told.c); of stencil
values as texels (stencil_told.c);
of textures and queries by their names alone (named_told.c); of what is named instead of bound
(direct_told.c); of what can be done with internal formats (formats_told.c); of OpenGL's state that
shaders read (state_told.c); of textures with several samples (samples_told.c); of primitives that
are culled (distances_told.c)."""

import pytest

from tests import host
from tests.robust.conftest import NEEDS, Program, run

pytestmark = [
    pytest.mark.x11, pytest.mark.slow,
    pytest.mark.needs(*NEEDS, "libgl1-mesa-dri", "libgl1"),
]  # fmt: skip

#: lines of ours and of the peer that differ, and why
KNOWN = {
    (
        "glQueryCounter(888888, GL_TIMESTAMP): 0, error 0x502",
        "glQueryCounter(888888, GL_TIMESTAMP): 0",
    ): "ARB_timer_query: a name that was never generated",
    (
        "glVertexArrayVertexAttribDivisorEXT(name, 3, 1): 0, error 0x502",
        "glVertexArrayVertexAttribDivisorEXT(name, 3, 1): 0",
    ): "EXT_direct_state_access: 0 is no vertex array object that has a name",
    ("of a level: -1, error 0x502", "of a level: -1, error 0x500"):
        "ARB_direct_state_access: a name that was only generated is no texture yet",
    (
        "glMultiTexBufferEXT(GL_TEXTURE2, GL_TEXTURE_BUFFER, GL_R16, buffer): 0",
        "glMultiTexBufferEXT(GL_TEXTURE2, GL_TEXTURE_BUFFER, GL_R16, buffer): 0, error 0x500",
    ): "EXT_direct_state_access: as glTexBuffer of that unit",
    ("of unit 2: 33322", "of unit 2: 32856"): "the same",
    ("pointer: 16", "pointer: -16"): "the peer keeps an offset that it refused",
    (
        "glTexStorage2DMultisample(MS, SAMPLES, FORMATS[n], SIZE, SIZE, GL_TRUE): 0, error 0x500",
        "glTexStorage2DMultisample(MS, SAMPLES, FORMATS[n], SIZE, SIZE, GL_TRUE): 0",
    ): "GL 4.6, 8.19: GL_STENCIL_INDEX has no size",
    ("storage: 0 0 0 1908 0 1 0 0 0 0: 0", "storage: 8 8 1 1901 4 1 0 0 0 0: 0"): "the same",
    (
        "beyond glCheckFramebufferStatus(GL_FRAMEBUFFER): 36054",
        "beyond glCheckFramebufferStatus(GL_FRAMEBUFFER): 36053",
    ): "GL 4.6, 9.4.1: a layer that there is not; the peer asks other arrays alone",
    ("layer: 2", "layer: 0"): "GL 4.6, 9.2.3: the layer that is attached",
    (
        "no texture 0 0 0 0: 0 0 0 1 0 0 0 1 0 0 0 1: 0",
        "no texture 0 0 0 0: 0 0 0 0 0 0 0 0 0 0 0 0: 0",
    ): "GL 4.6, 11.1.3.5: as of all textures without images",
    (
        "gl_LightSource[0].halfVector.xyz, 1: 0 0 1 1",
        "gl_LightSource[0].halfVector.xyz, 1: 0 0 0 1",
    ): "GL 2.1, 2.14.1: the peer's is not that of the initial position until that changes",
    **{
        (f"{call}: 0, error 0x502", f"{call}: 0, error 0x506"): "GL 4.6, 17.4.3.1, 18.3.1: no name"
        for call in (
            "glClearNamedFramebufferfv(4321, GL_COLOR, 0, BLUE)",
            "glBlitNamedFramebuffer(first, 4321, 0, 0, 4, 8, 0, 0, 4, 8, GL_COLOR_BUFFER_BIT, "
            "GL_NEAREST)",
        )
    },
}


def transcript(path: str, env: dict[str, str]) -> list[str]:
    done = run(path, env=env)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}"
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "name",
    ["names_told", "targets_told", "integers_told", "framebuffers_told", "programs_told",
     "textures_told", "blocks_told", "texels_told", "stencil_told", "named_told",
     "direct_told", "formats_told", "state_told", "samples_told", "distances_told"],
)  # fmt: skip
def test_lines_are_the_peers(name: str, program: Program, display: str) -> None:
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    path = program(name)
    more = {"MESA_GL_VERSION_OVERRIDE": "2.1"} if name == "programs_told" else {}
    ours = transcript(path, host.side("ours", display, **more))
    peers = transcript(path, host.side("peer", display))
    assert len(ours) == len(peers) > 300
    differ = [
        f"line {n}: ours {one!r}, the peer's {two!r}"
        for n, (one, two) in enumerate(zip(ours, peers, strict=True))
        if one != two and (one, two) not in KNOWN
    ]
    if differ:
        host.only_reference_peer()  # KNOWN is about that one; others change their minds
    assert differ == [], "\n".join(differ)
