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


def apis_of(slot: int) -> int:
    """The APIs of which some version, or some extension, has an entry point."""
    return int(DIGITS[slot], 16)


def has(slot: int, api: int) -> bool:
    """Whether an API has an entry point, in some version or by some extension."""
    return bool(apis_of(slot) & api)
