# SPDX-License-Identifier: MIT
"""Which slots have a native form, by an image's symbols: what the dispatch tables are made of.

In: an image (core.py) and an API. Out: `Forms`: slots with offsets in the image. To find them out
takes 8 ms, of which a start has none: they are kept in the object cache, where the build puts those
of the core that it ships, and count for that very image only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pydri.api import apis, dispatch
from pydri.api.gl_table import TABLE
from pydri.jit.cache import object_cache

if TYPE_CHECKING:
    from pydri.jit.image import Image

# -- what the specification allows between glBegin and glEnd (GL 2.1, 2.6.3) ----------------------

_FAMILIES = (
    "glVertex",
    "glVertexAttrib",
    "glColor",
    "glSecondaryColor",
    "glIndex",
    "glNormal",
    "glTexCoord",
    "glMultiTexCoord",
    "glFogCoord",
    "glEvalCoord",
    "glEvalPoint",
    "glMaterial",
    "glEdgeFlag",
    "glArrayElement",
    "glCallList",
    "glCallLists",
    "glEnd",
    "glPrimitiveRestartNV",
)
_TAILS = frozenset(
    t + v for t in ("", "b", "s", "i", "f", "d", "h", "ub", "us", "ui", "x") for v in ("", "v")
)
_VENDORS = ("ARB", "EXT", "NV", "OES", "SGIS")


def allowed_in_begin_end(name: str) -> bool:
    """Whether an entry point may be called between glBegin and glEnd."""
    for family in _FAMILIES:
        if not name.startswith(family):
            continue
        tail = name[len(family) :]
        for vendor in _VENDORS:
            tail = tail.removesuffix(vendor)
        digit = 1 if tail[:1] in ("I", "P", "L", "s") and tail[1:2].isdigit() else 0
        if tail in _TAILS or tail[digit : digit + 1].isdigit():
            return True
    return False


def _allowed_slots() -> list[int]:
    names = TABLE.names
    out = []
    for family in _FAMILIES:
        at = bisect_left(names, family)
        while at < len(names) and names[at].startswith(family):
            if allowed_in_begin_end(names[at]):
                out.append(at)
            at += 1
    return out


class Forms(NamedTuple):
    """Native forms of an API's entry points. A slot without one leads to Python, which knows the
    API, too, and names what is not part of it."""

    exec: tuple[tuple[int, int], ...]  # slot, offset
    be: tuple[tuple[int, int], ...]  # between glBegin and glEnd
    save: tuple[tuple[int, int], ...]  # while a list is compiled
    allowed: tuple[int, ...]  # slots that work as ever between glBegin and glEnd


_PREFIXES = ("", "be_", "save_")  # of symbols, in the order of the fields


def _found(image: Image, api: int) -> Forms:
    """Find out."""
    slots = TABLE.slots
    found: dict[str, dict[int, int]] = {prefix: {} for prefix in _PREFIXES}
    for symbol, address in image.symbols.items():
        at = symbol.find("gl")
        prefix = symbol[:at] if at > 0 else ""
        name = symbol[len(prefix) :]
        if prefix not in found or name not in slots:
            continue
        names = dispatch.aliases(name)
        if any(apis.has(slots[alias], api) for alias in names):
            found[prefix].update((slots[alias], address - image.base) for alias in names)
    exec_, be, save = (tuple(each.items()) for each in found.values())
    return Forms(exec_, be, save, tuple(_allowed_slots()))


def _packed(forms: Forms, image: Image) -> bytes:
    """As the cache keeps them: words, with the image's mark and the four lengths before them."""
    pairs = (forms.exec, forms.be, forms.save)
    words = array("I", (image.mark, *map(len, forms)))
    for rows in pairs:
        words.extend(word for row in rows for word in row)
    words.extend(forms.allowed)
    return words.tobytes()


def _unpacked(data: bytes, image: Image) -> Forms | None:
    """The forms; None if the data is not of this image, or damaged."""
    if len(data) % 4 or len(data) < 20:
        return None
    words = array("I", data)
    mark, *lengths = words[:5]
    if mark != image.mark or len(words) != 5 + 2 * sum(lengths[:3]) + lengths[3]:
        return None
    rows: list[tuple[tuple[int, int], ...]] = []
    at = 5
    for length in lengths[:3]:
        part = words[at : at + 2 * length]
        if length and (max(part[::2]) >= len(TABLE) or max(part[1::2]) >= image.size):
            return None
        rows.append(tuple(zip(part[::2], part[1::2])))
        at += 2 * length
    allowed = tuple(words[at:])
    if allowed and max(allowed) >= len(TABLE):
        return None
    return Forms(rows[0], rows[1], rows[2], allowed)


def of_image(image: Image, parts: Iterable[str], api: int) -> Forms:
    """The forms of the core's image, which was made of `parts`, in an API."""
    key = b"forms\0" + " ".join((str(api), *parts)).encode()
    forms = _unpacked(object_cache().get(key) or b"", image)
    if forms is None:
        forms = _found(image, api)
        object_cache().put(key, _packed(forms, image))
    return forms


__all__ = ["Forms", "allowed_in_begin_end", "of_image"]
