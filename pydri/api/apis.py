# SPDX-License-Identifier: MIT
"""The APIs that a context can be of, and which entry points each has.

In: the rows that scripts/gen_api.py makes of the registry (api_digits.py). Out: `has`, which
decides what is put into a dispatch table. What else the registry says of an entry point, which no
start needs, is in registry.py. Mesa: gl_api and the columns of its glapi XML files.
"""

from pydri.api.api_digits import DIGITS

#: the compatibility profile (and all there was before profiles), the core profile, OpenGL ES 1,
#: OpenGL ES 2 and 3: bits, since a row of a table may be for several
COMPAT, CORE, ES1, ES2 = 1, 2, 4, 8
DESKTOP = COMPAT | CORE
NAMES = {
    COMPAT: "OpenGL", CORE: "OpenGL's core profile", ES1: "OpenGL ES 1", ES2: "OpenGL ES 2",
}  # fmt: skip
#: the primitive modes of an API, as bits: quads and polygons are the compatibility profile's
MODES = {COMPAT: 0x3FF, CORE: 0x7F, ES1: 0x7F, ES2: 0x7F}
#: and, where there are geometry shaders, those with adjacent vertices
ADJACENT_MODES = 0x3C00


#: Entry points of extensions of OpenGL ES that do what others do, though the registry does not call
#: them aliases.
SAME = {
    "glTexImage3DOES": "glTexImage3D", "glTexSubImage3DOES": "glTexSubImage3D",
    "glCopyTexSubImage3DOES": "glCopyTexSubImage3D",
    "glCompressedTexImage3DOES": "glCompressedTexImage3D",
    "glCompressedTexSubImage3DOES": "glCompressedTexSubImage3D",
    "glFramebufferTexture3DOES": "glFramebufferTexture3D",
    "glDrawBuffersNV": "glDrawBuffers", "glReadBufferNV": "glReadBuffer",
    "glDiscardFramebufferEXT": "glInvalidateFramebuffer",
    "glGenQueriesEXT": "glGenQueries", "glDeleteQueriesEXT": "glDeleteQueries",
    "glIsQueryEXT": "glIsQuery", "glBeginQueryEXT": "glBeginQuery",
    "glEndQueryEXT": "glEndQuery", "glGetQueryivEXT": "glGetQueryiv",
    "glGetQueryObjectivEXT": "glGetQueryObjectiv",
    "glGetQueryObjectuivEXT": "glGetQueryObjectuiv",
    # of OpenGL ES 1, where they have the extension's letters
    **{f"gl{name}OES": f"gl{name}" for name in (
        "AlphaFuncx ClearColorx ClearDepthx ClipPlanef ClipPlanex Color4x DepthRangex Fogx Fogxv"
        " Frustumf Frustumx GetClipPlanef GetClipPlanex GetFixedv GetLightxv GetMaterialxv"
        " GetTexEnvxv GetTexParameterxv LightModelx LightModelxv Lightx Lightxv LineWidthx"
        " LoadMatrixx Materialx Materialxv MultMatrixx MultiTexCoord4x Normal3x Orthof Orthox"
        " PointParameterx PointParameterxv PointSizex PolygonOffsetx Rotatex SampleCoveragex Scalex"
        " TexEnvx TexEnvxv TexParameterx TexParameterxv Translatex"
        " BindFramebuffer BindRenderbuffer CheckFramebufferStatus DeleteFramebuffers"
        " DeleteRenderbuffers FramebufferRenderbuffer FramebufferTexture2D GenFramebuffers"
        " GenRenderbuffers GenerateMipmap GetFramebufferAttachmentParameteriv"
        " GetRenderbufferParameteriv IsFramebuffer IsRenderbuffer RenderbufferStorage"
        " BlendEquation BlendEquationSeparate BlendFuncSeparate"
    ).split()},
}


def apis_of(slot: int) -> int:
    """The APIs of which some version, or some extension, has an entry point."""
    return int(DIGITS[slot], 16)


def has(slot: int, api: int) -> bool:
    """Whether an API has an entry point, in some version or by some extension."""
    return bool(apis_of(slot) & api)


#: the versions of each API (33: 3.3), in their order
VERSIONS = {
    COMPAT: (10, 11, 12, 13, 14, 15, 20, 21, 30, 31, 32, 33, 40, 41, 42, 43, 44, 45, 46),
    CORE: (31, 32, 33, 40, 41, 42, 43, 44, 45, 46),
    ES1: (10, 11),
    ES2: (20, 30, 31, 32),
}
#: each of them is a bit: a context has those of its API that its version has reached
STEPS = {
    (api, version): 1 << n
    for n, (api, version) in enumerate((a, v) for a, row in VERSIONS.items() for v in row)
}


def step_of(api: int, version: int) -> int:
    """The bit of a version."""
    return STEPS[api, version]


def reached(api: int, version: int) -> int:
    """The bits of a context of an API and a version (which may be one that does not exist)."""
    return sum(STEPS[api, each] for each in VERSIONS[api] if each <= version)
