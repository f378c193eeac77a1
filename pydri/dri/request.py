# SPDX-License-Identifier: MIT
"""Whether a program may have the context it asks for: one rule for GLX and EGL.

In: ContextAttribs. Out: nothing, or a ContextRefused, which each front turns into its own error.
What a driver offers says pydri.main.version, or a compiled driver itself;
MESA_GL_VERSION_OVERRIDE and MESA_GLES_VERSION_OVERRIDE count, as with Mesa: a version that is
claimed may be asked for. Rules:
GLX_ARB_create_context(_profile, _no_error), GLX_EXT_create_context_es2_profile and EGL 1.5,
3.7.1.1, which agree.
"""

from typing import NamedTuple, TypeAlias

from pydri.api.apis import COMPAT, CORE, DESKTOP, ES1, ES2, NAMES
from pydri.dri.context import ContextAttribs
from pydri.pipe.interface import PipeScreen

LAST_MINOR = {1: 5, 2: 1, 3: 3, 4: 6}  # the versions of OpenGL that exist
LAST_MINOR_ES = {ES1: {1: 1}, ES2: {2: 0, 3: 2}}
FIRST_WITH_PROFILES = (3, 2)


class Versions(NamedTuple):
    """The highest versions that a compiled driver names; OpenGL ES by API."""

    compat: tuple[int, int]
    core: tuple[int, int] | None
    es: dict[int, tuple[int, int]]


#: what is asked for versions: a driver on the pipe interface (None: any), or what a compiled one
#: has said
Offers: TypeAlias = PipeScreen | Versions | None


class ContextRefused(Exception):
    """No context is like that. `too_new`: the version exists, but is not offered."""

    def __init__(self, why: str, too_new: bool = False) -> None:
        super().__init__(why)
        self.too_new = too_new


def max_versions(screen: Offers) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """Return the highest compatibility and core versions that are offered on a driver (core: None
    if none)."""
    if isinstance(screen, Versions):
        return screen.compat, screen.core
    from pydri.main import version

    compat = version.offered(screen, COMPAT) or (1, 0)
    core = version.offered(screen, CORE)
    forced, _ = version.override()
    if forced is not None:
        compat = forced
        core = forced if forced >= version.FIRST_FORWARD else None
    return compat, core


def api_of(
    number: tuple[int, int], core: bool, forward: bool = False, screen: Offers = None
) -> int:
    """The API that is meant by a version, the profile that is asked for, and the flag of
    forward-compatible contexts: what is deprecated is what the core profile has not. Profiles count
    from OpenGL 3.2 on; 3.1 has none, and is what the driver has of it: the compatibility profile if
    that reaches it (GLX_ARB_create_context_profile, issue 3), else the core profile."""
    if forward:
        return CORE
    if number >= FIRST_WITH_PROFILES:
        return CORE if core else COMPAT
    if number == (3, 1):
        compat, best = max_versions(screen)
        return CORE if compat < number and best is not None else COMPAT
    return COMPAT


def es_of(major: int) -> int:
    """Which OpenGL ES a version is of: 2 and 3 are one API."""
    return ES1 if major < 2 else ES2


def offered_es(screen: Offers) -> dict[int, tuple[int, int]]:
    """The highest versions of OpenGL ES by API, where there are some."""
    if isinstance(screen, Versions):
        return screen.es
    from pydri.main.version import embedded

    best = {api: embedded(screen, api) for api in LAST_MINOR_ES}
    return {api: number for api, number in best.items() if number is not None}


def _check_es(attribs: ContextAttribs, screen: Offers) -> None:
    wanted = major, minor = attribs.major, attribs.minor
    if not 0 <= minor <= LAST_MINOR_ES[attribs.api].get(major, -1):
        raise ContextRefused(f"there is no {NAMES[attribs.api]} of version {major}.{minor}")
    if attribs.forward_compatible:
        raise ContextRefused("forward-compatible OpenGL ES")
    best = offered_es(screen).get(attribs.api)
    if best is None or wanted > best:
        text = f"{best[0]}.{best[1]}" if best else "none"
        raise ContextRefused(
            f"OpenGL ES {major}.{minor} is not offered; the best is {text}", too_new=True
        )


def check_request(attribs: ContextAttribs, screen: Offers = None) -> None:
    """Raise ContextRefused if no context of a driver can have these attributes."""
    wanted = major, minor = attribs.major, attribs.minor
    if attribs.no_error and (attribs.debug or attribs.robust_access):
        raise ContextRefused("a context without errors, but debug or robust")
    if not attribs.api & DESKTOP:
        _check_es(attribs, screen)
        return
    if not 0 <= minor <= LAST_MINOR.get(major, -1):
        raise ContextRefused(f"there is no OpenGL {major}.{minor}")
    if attribs.forward_compatible and major < 3:
        raise ContextRefused(f"forward-compatible OpenGL {major}.{minor}")
    compat, core = max_versions(screen)
    limit = core if attribs.api == CORE else compat
    if limit is None or wanted > limit:
        kind = "forward-compatible" if attribs.forward_compatible else "compatibility"
        kind = "core profile" if attribs.api == CORE else kind
        best = f"{limit[0]}.{limit[1]}" if limit else "none"
        raise ContextRefused(
            f"OpenGL {major}.{minor} ({kind}) is not offered; the best is {best}", too_new=True
        )
