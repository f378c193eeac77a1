# SPDX-License-Identifier: MIT
"""Where a row of a table is available: a column, in place of ifs on an API or a version.

In: the first version of each API that has the row, and extensions that bring it; for a row that
says nothing (None), what the registry says of its enum. Out: bits to be compared with those of a
context (`GLContext.steps` of pydri/main/layout.py), for kernels (pydri/main/rows.py) and for Python
(`GLContext.has`). Mesa: the EXTRA_* of main/get.c, and the _mesa_is_* and _mesa_has_* tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pydri.api import apis

if TYPE_CHECKING:
    from typing import Protocol

    from pydri.api.registry import Availability

    class Row(Protocol):
        """A row of a table; its enum is known to whoever looks for it."""

        @property
        def where(self) -> In | None: ...


class In(NamedTuple):
    """The first version (33: 3.3; 0: none) by API, and the extensions (without GL_) that bring it
    to versions before; "NAME:1": in APIs of these bits (a hexadecimal digit) alone."""

    compat: int = 10
    core: int = 31
    es1: int = 0
    es2: int = 0
    ext: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """The bits of `apis.STEPS` of which a context that has it by its version has one."""
        columns = zip(apis.NAMES, self[:4], strict=True)
        return sum(apis.step_of(api, first) for api, first in columns if first)

    @property
    def brought_by(self) -> dict[str, int]:
        """The extensions with the bits of the APIs in which they bring it."""
        parts = (word.partition(":") for word in self.ext)
        return {name: int(bits or "f", 16) for name, _, bits in parts}


def on_desktop(extension: str) -> In:
    """Of an extension that core contexts have, too, as with Mesa; the registry has it not there."""
    return In(0, 0, ext=(f"{extension}:{apis.DESKTOP:x}",))


#: from the first version on, in each API
EVERYWHERE = In(10, 31, 10, 20)
#: what was deprecated in OpenGL 3.0: in the compatibility profile alone
COMPAT_ONLY = In(core=0)


@lru_cache(None)
def registered(enum: int) -> In:
    """What the registry says of an enum; KeyError: it is in no API."""
    from pydri.api import registry

    row = registry.enum_row(enum)
    extensions = (f"{name}:{bits:x}" for name, bits in sorted(row.extensions.items()))
    return In(row.compat, row.core, row.es1, row.es2, tuple(extensions))


def where_of(enum: int, where: In | None) -> In:
    """A row's column: what it says, or the registry."""
    return registered(enum) if where is None else where


def asks(where: In, entries: Iterable[Availability]) -> bool:
    """Whether some context has one of these entry points, but not the row: only there it has to be
    looked for. By an extension an entry point is in all versions of its APIs."""
    for entry in entries:
        columns = zip(entry[:4], where[:4], EVERYWHERE[:4], apis.NAMES, strict=True)
        for first, mine, least, api in columns:
            brought = {name for name, bits in entry.extensions.items() if bits & api}
            mine_too = {name for name, bits in where.brought_by.items() if bits & api}
            if first and not 0 < mine <= max(first, least):
                return True
            if not first and brought and not (0 < mine <= least or brought & mine_too):
                return True
    return False
