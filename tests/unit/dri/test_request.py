# SPDX-License-Identifier: MIT
"""Requests for contexts: GLX and EGL answer alike, with MESA_GL_VERSION_OVERRIDE too."""

import pytest

from pydri.api import egl_enums
from pydri.api.apis import COMPAT, CORE, ES1, ES2
from pydri.dri.context import ContextAttribs
from pydri.dri.request import ContextRefused, check_request, es_of, max_versions
from pydri.egl.context import _Attribs
from pydri.egl.errors import EglError
from pydri.glx import context as glx_context
from pydri.glx import enums as glx_enums
from pydri.main.version import GLVersion, context_version, glsl_version, version_string
from pydri.util.options import options


@pytest.mark.parametrize(
    ("attribs", "why"),
    [
        (ContextAttribs(), None),
        (ContextAttribs(1, 5), None),
        (ContextAttribs(1, 6), "there is no OpenGL 1.6"),
        (ContextAttribs(2, 0, forward_compatible=True), "forward-compatible OpenGL 2.0"),
        (ContextAttribs(no_error=True, debug=True), "a context without errors, but debug"),
        (ContextAttribs(no_error=True, robust_access=True), "a context without errors, but debug"),
        (ContextAttribs(4, 7), "there is no OpenGL 4.7"),
        (ContextAttribs(4, -1), "there is no OpenGL 4.-1"),
        (ContextAttribs(4, 6), r"OpenGL 4.6 \(compatibility\) is not offered"),
    ],
)
def test_one_rule(attribs: ContextAttribs, why: str | None) -> None:
    if why is None:
        check_request(attribs)
    else:
        with pytest.raises(ContextRefused, match=why):
            check_request(attribs)


def glx(major: int, minor: int, core: bool) -> bool:
    """Whether GLX makes such a context."""
    profile = (
        glx_enums.GLX_CONTEXT_CORE_PROFILE_BIT_ARB
        if core
        else glx_enums.GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB
    )
    pairs = {
        glx_enums.GLX_CONTEXT_MAJOR_VERSION_ARB: major,
        glx_enums.GLX_CONTEXT_MINOR_VERSION_ARB: minor,
        glx_enums.GLX_CONTEXT_PROFILE_MASK_ARB: profile,
    }
    try:
        glx_context.parse_attribs(pairs.items())
    except glx_context._Refused:
        return False
    return True


def egl(major: int, minor: int, core: bool) -> bool:
    """Whether EGL makes such a context."""
    pairs = [
        (egl_enums.EGL_CONTEXT_MAJOR_VERSION, major),
        (egl_enums.EGL_CONTEXT_MINOR_VERSION, minor),
        (egl_enums.EGL_CONTEXT_OPENGL_PROFILE_MASK, 1 if core else 2),
    ]
    try:
        _Attribs(pairs)
    except EglError:
        return False
    return True


@pytest.mark.parametrize("override", [None, "2.1", "3.3", "4.5COMPAT", "3.3FC", "nonsense"])
def test_both_fronts_agree(override: str | None) -> None:
    every = [(a, b) for a in range(6) for b in range(8)]
    with options(MESA_GL_VERSION_OVERRIDE=override):
        for core in (False, True):
            offered = [v for v in every if glx(*v, core)]
            assert offered == [v for v in every if egl(*v, core)]
            assert offered and max_versions(None)[0] in offered or core


def test_a_claimed_version_may_be_asked_for() -> None:
    with options(MESA_GL_VERSION_OVERRIDE=None):
        assert egl(3, 3, True) and glx(3, 3, True)
        assert egl(3, 3, False) and glx(3, 3, False)
        assert not egl(4, 0, True) and not glx(4, 0, True)
        assert not egl(4, 0, False) and not glx(4, 0, False)
    with options(MESA_GL_VERSION_OVERRIDE="4.0"):
        assert egl(3, 3, False) and glx(3, 3, False)
        assert egl(4, 0, True) and glx(4, 0, True) and not egl(4, 1, True)


def test_es_may_be_asked_for() -> None:
    """The versions that there are (1.1, 2.0 and 3.0), and what MESA_GLES_VERSION_OVERRIDE claims,
    which says nothing of OpenGL ES 1."""
    def made(major: int, minor: int) -> bool:
        try:
            check_request(ContextAttribs(major, minor, es_of(major)))
        except ContextRefused:
            return False
        return True

    first = {(1, 0), (1, 1)}
    for override, here in (
        ("", {*first, (2, 0), (3, 0)}), ("2.0", {*first, (2, 0)}), ("1.1", first),
    ):  # fmt: skip
        with options(MESA_GLES_VERSION_OVERRIDE=override):
            asked = [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0), (3, 1)]
            assert {number for number in asked if made(*number)} == here
    with options(MESA_GLES_VERSION_OVERRIDE=""):
        version = context_version(ES2)
        assert context_version(ES1) == GLVersion(ES1, 1, 1)
    assert version == GLVersion(ES2, 3, 0) and glsl_version(version) == 300
    assert version_string(version).startswith("OpenGL ES 3.0 ")
    assert version_string(GLVersion(ES1, 1, 1)).startswith("OpenGL ES-CM 1.1 ")
    assert glsl_version(GLVersion(ES1, 1, 1)) == 0


def test_es_by_glx() -> None:
    """GLX_EXT_create_context_es_profile: the profile says which versions are meant."""
    profile = glx_enums.GLX_CONTEXT_PROFILE_MASK_ARB, glx_enums.GLX_CONTEXT_ES2_PROFILE_BIT_EXT
    major = glx_enums.GLX_CONTEXT_MAJOR_VERSION_ARB
    asked = glx_context.parse_attribs([(major, 2), profile])
    assert (asked.api, asked.major, asked.minor) == (ES2, 2, 0)
    assert glx_context.parse_attribs([(major, 1), profile]).api == ES1
    flags = glx_enums.GLX_CONTEXT_FLAGS_ARB, glx_enums.GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB
    for pairs in ([(major, 4), profile], [(major, 0), profile], [(major, 2), profile, flags]):
        with pytest.raises(glx_context._Refused):
            glx_context.parse_attribs(pairs)


CORE_BIT, COMPAT_BIT = 1, 2
#: MESA_GL_VERSION_OVERRIDE, and what the peer makes of a request (version, profile, forward): an
#: API and whether it is forward-compatible; None: it is refused
CLAIMED = [
    ("3.0", (3, 0), CORE_BIT, False, (COMPAT, False)),
    ("3.0", (3, 0), CORE_BIT, True, (CORE, True)),
    ("3.0", (3, 1), CORE_BIT, False, None),
    ("3.3", (3, 0), CORE_BIT, False, (COMPAT, False)),
    ("3.3", (3, 2), CORE_BIT, False, (CORE, False)),
    ("3.3", (3, 3), COMPAT_BIT, False, (COMPAT, False)),
    ("3.3", (3, 3), COMPAT_BIT, True, (CORE, True)),
    ("3.3COMPAT", (3, 3), CORE_BIT, False, (COMPAT, False)),
    ("3.3COMPAT", (3, 3), CORE_BIT, True, (COMPAT, True)),
    ("3.3FC", (3, 3), COMPAT_BIT, False, (CORE, True)),
    ("2.1", (3, 0), CORE_BIT, True, None),
]


@pytest.mark.parametrize(("override", "number", "profile", "forward", "made"), CLAIMED)
def test_profiles_of_claimed_versions(
    override: str, number: tuple[int, int], profile: int, forward: bool,
    made: tuple[int, bool] | None,
) -> None:  # fmt: skip
    pairs = [
        (egl_enums.EGL_CONTEXT_MAJOR_VERSION, number[0]),
        (egl_enums.EGL_CONTEXT_MINOR_VERSION, number[1]),
        (egl_enums.EGL_CONTEXT_OPENGL_PROFILE_MASK, profile),
        (egl_enums.EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, int(forward)),
    ]
    with options(MESA_GL_VERSION_OVERRIDE=override):
        if made is None:
            with pytest.raises(EglError):
                _Attribs(pairs)
            return
        asked = _Attribs(pairs).result()
        version = context_version(asked.api, None, asked.forward_compatible)
        assert (version.api, version.forward) == made
