# SPDX-License-Identifier: MIT
"""GL_COMPRESSED_TEXTURE_FORMATS: compressed formats for any use (GL 2.1, 3.8.3: those of special
use are not told). Mesa: _mesa_get_compressed_formats of main/texcompress.c."""

from __future__ import annotations

from typing import Any

from pydri.api.apis import DESKTOP
from pydri.api.where import registered
from pydri.main.textures.tables import (
    COMPRESSED_BY_ES3,
    COMPRESSED_FORMATS,
    COMPRESSED_IN_ES,
    COMPRESSED_LAST_IN_ES,
    PALETTES,
)


def compressed(ctx: Any) -> list[int]:
    """Those of a context, in the peer's order."""
    from pydri.main.get.string_entries import extension_list

    have = set(extension_list(ctx))
    embedded = not ctx.api & DESKTOP
    rows = COMPRESSED_FORMATS + COMPRESSED_IN_ES * embedded
    told = [enum for names, enums in rows if have & set(names) for enum in enums]
    others = (*COMPRESSED_BY_ES3, *(row.enum for row in PALETTES))
    told += [enum for enum in others if ctx.has(registered(enum))]
    last = COMPRESSED_LAST_IN_ES * embedded
    return told + [enum for names, enums in last if have & set(names) for enum in enums]


__all__ = ["compressed"]
