# SPDX-License-Identifier: MIT
"""Which GL versions and extensions we say we have; MESA_GL_VERSION_OVERRIDE,
MESA_GLES_VERSION_OVERRIDE and MESA_EXTENSION_OVERRIDE change it.

In: what the driver can do (a PipeScreen; None: everything), the tables of extensions.py, and the
options. Out: the `GLVersion` of a context, numbers for GLX (which contexts may be asked for) and
the texts of glGetString. Mesa: main/version.c, main/extensions.c.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from pydri.api.apis import COMPAT, CORE, DESKTOP, ES1, ES2
from pydri.main.extensions import EXTENSIONS, Extension
from pydri.main.versions import VERSIONS
from pydri.pipe.interface import PipeScreen
from pydri.util import log
from pydri.util.options import options

PYDRI = "0.1"

#: the first version of which there are forward-compatible contexts
FIRST_FORWARD = (3, 0)


class GLVersion(NamedTuple):
    """What a context is of: an API (pydri/api/apis.py) and a version of it."""

    api: int
    major: int
    minor: int
    forward: bool = False  # a forward-compatible context: what is deprecated is not there

    @property
    def number(self) -> tuple[int, int]:
        """(major, minor), to compare with."""
        return self.major, self.minor


#: by screen and API, what `offered` has found: it is asked dozens of times by who looks around
_offered: WeakKeyDictionary[PipeScreen, dict[int, tuple[int, int] | None]] = WeakKeyDictionary()


def offered(screen: PipeScreen | None, api: int) -> tuple[int, int] | None:
    """The highest version of an API that works on a driver; None: there is none."""
    if screen is None:
        return _best(screen, api)
    known = _offered.setdefault(screen, {})
    if api not in known:
        known[api] = _best(screen, api)
    return known[api]


def _best(screen: PipeScreen | None, api: int) -> tuple[int, int] | None:
    best = None
    for row in VERSIONS:
        if row.api & api:
            if not row.holds(screen):
                break
            best = row.number
    return best


def _number(option: str, text: str) -> tuple[int, int] | None:
    """A version that an option says; a malformed one is reported and counts as unset."""
    major, _, minor = text.partition(".")
    if all(part.isascii() and part.isdigit() and len(part) < 5 for part in (major, minor)):
        return int(major), int(minor)
    if text:
        log.error(f"{option}: {text!r} is no version", once=True)
    return None


def override() -> tuple[tuple[int, int] | None, str]:
    """MESA_GL_VERSION_OVERRIDE: (version or None, suffix "", "FC" or "COMPAT")."""
    text = options.MESA_GL_VERSION_OVERRIDE.strip()
    suffix = ""
    for ending in ("COMPAT", "FC"):
        if text.endswith(ending):
            text, suffix = text[: -len(ending)], ending
    number = _number("MESA_GL_VERSION_OVERRIDE", text)
    return number, suffix if number is not None else ""


def embedded(screen: PipeScreen | None, api: int) -> tuple[int, int] | None:
    """The highest version of OpenGL ES 1 or of ES 2 and later that may be asked for, or that
    MESA_GLES_VERSION_OVERRIDE claims, which says nothing of OpenGL ES 1 (as with Mesa); None: there
    is none."""
    text = options.MESA_GLES_VERSION_OVERRIDE.strip()
    claimed = _number("MESA_GLES_VERSION_OVERRIDE", text)
    if claimed is not None and api == ES2:
        return claimed if claimed >= (2, 0) else None
    return offered(screen, api)


def context_version(
    api: int = COMPAT, screen: PipeScreen | None = None, forward: bool = False
) -> GLVersion:
    """The version of a new context: the highest that its API has. A version that is claimed
    changes the API, too: COMPAT makes every context one of the compatibility profile, FC a
    forward-compatible one, which is of the core profile."""
    if not api & DESKTOP:
        return GLVersion(api, *(embedded(screen, api) or (1, 0)))
    forced, suffix = override()
    if suffix == "COMPAT":
        api = COMPAT
    elif suffix == "FC" and forced is not None and forced >= FIRST_FORWARD:
        api, forward = CORE, True
    number = forced or offered(screen, api) or offered(screen, COMPAT) or (1, 0)
    return GLVersion(api, *number, forward)


def glsl_version(version: GLVersion) -> int:
    """The highest version of the shading language that a context has; 0: none. It comes with the
    number: both profiles of OpenGL have the same ones, offered or claimed."""
    if options.MESA_GLSL_VERSION_OVERRIDE:
        return options.MESA_GLSL_VERSION_OVERRIDE
    apis = DESKTOP if version.api & DESKTOP else version.api
    rows = [row for row in VERSIONS if row.api & apis] or VERSIONS
    known = [(row.number, row.glsl) for row in rows]
    return max((glsl for least, glsl in known if least <= version.number), default=0)


#: by API: the first version whose text names a profile, and how it is named
_PROFILES = {COMPAT: ((3, 2), "Compatibility Profile"), CORE: ((3, 0), "Core Profile")}
#: by API: what stands before its number (OpenGL ES 1.1, 6.1.5; ES 2.0, 6.1.5)
_NAMES = {ES1: "OpenGL ES-CM", ES2: "OpenGL ES"}


def version_string(version: GLVersion) -> str:
    """GL_VERSION: a number, then who we are."""
    if version.api in _NAMES:
        return f"{_NAMES[version.api]} {version.major}.{version.minor} pydri {PYDRI}"
    first, words = _PROFILES[version.api]
    profile = f" ({words})" if version.number >= first else ""
    return f"{version.major}.{version.minor}{profile} pydri {PYDRI}"


def language_string(version: GLVersion) -> str:
    """GL_SHADING_LANGUAGE_VERSION; "" where there is none."""
    glsl = glsl_version(version)
    if not glsl or version.api & DESKTOP:
        return f"{glsl // 100}.{glsl % 100:02d}" if glsl else ""
    # of the first the peer tells the document's version
    number = "1.0.16" if glsl == 100 else f"{glsl // 100}.{glsl % 100:02d}"
    return f"OpenGL ES GLSL ES {number}"


#: has whatever any version of the compatibility profile has
LATEST = GLVersion(COMPAT, 9, 9)


#: by screen, the rows that hold there (contexts differ in API and version)
_holding: WeakKeyDictionary[PipeScreen, tuple[Extension, ...]] = WeakKeyDictionary()


def _rows(screen: PipeScreen | None) -> tuple[Extension, ...]:
    """The extensions that work on a driver; None: one that can do everything."""
    if screen is None:
        return EXTENSIONS
    found = _holding.get(screen)
    if found is None:
        found = _holding[screen] = tuple(row for row in EXTENSIONS if row.holds(screen))
    return found


def enabled(screen: PipeScreen | None = None, version: GLVersion = LATEST) -> list[str]:
    """Names of the extensions that a context has, whether it says so or not."""
    hidden = {word.lstrip("-") for word in _overrides() if word[0] == "-"}
    return [
        row.name
        for row in _rows(screen)
        if row.comes_with(version.api, version.number) and row.name not in hidden
    ]


def told(names: list[str]) -> list[str]:
    """Of the extensions that a context has, those that it says it has, and what the user adds: as
    with Mesa, those that are young for MESA_EXTENSION_MAX_YEAR are there all the same."""
    years = {row.name: row.year for row in EXTENSIONS}
    last = options.MESA_EXTENSION_MAX_YEAR
    out = [name for name in names if years[name] <= last]
    for word in _overrides():
        bare = word.lstrip("+-")
        if word[0] == "-":
            out = [name for name in out if name != bare]
        elif bare not in out:
            out.append(bare)
    return out


def extensions(screen: PipeScreen | None = None, version: GLVersion = LATEST) -> list[str]:
    """Names of the extensions that a context says it has."""
    return told(enabled(screen, version))


def _overrides() -> list[str]:
    return options.MESA_EXTENSION_OVERRIDE.split()
