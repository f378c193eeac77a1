# SPDX-License-Identifier: MIT
"""Which slots have a native form, by an image's symbols: what the dispatch tables are made of.

In: an image (core.py) and an API. Out: `Forms`: slots with offsets in the image. To find them out
takes 8 ms, of which a start has none: they are kept in the object cache, where the build puts those
of the core that it ships, and count for that very image only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pydri.api import apis, dispatch
from pydri.api.gl_table import TABLE
from pydri.jit.cache import object_cache
from pydri.util.codec import Damaged, Reader, Writer, decode

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
    """As the cache keeps them."""
    out = Writer()
    out.data(_mark(image))
    for rows in (forms.exec, forms.be, forms.save):
        out.table(rows)
    out.numbers(forms.allowed)
    return out.finish()


def _mark(image: Image) -> bytes:
    return image.mark.to_bytes(4, "little")


def _read(image: Image, read: Reader) -> Forms:
    """The forms; Damaged if they are of another image, or lead out of this one."""
    if read.data() != _mark(image):
        raise Damaged("of another image")
    exec_, be, save = (_rows(image, read) for _ in range(3))
    return Forms(exec_, be, save, _below(len(TABLE), read.numbers()))


def _rows(image: Image, read: Reader) -> tuple[tuple[int, int], ...]:
    slots, offsets = read.table(2)
    return tuple(zip(_below(len(TABLE), slots), _below(image.size, offsets), strict=True))


def _below(end: int, numbers: tuple[int, ...]) -> tuple[int, ...]:
    if numbers and not 0 <= min(numbers) <= max(numbers) < end:
        raise Damaged("a number that is none of these")
    return numbers


def of_image(image: Image, parts: Iterable[str], api: int) -> Forms:
    """The forms of the core's image, which was made of `parts`, in an API."""
    key = b"forms\0" + " ".join((str(api), *parts)).encode()
    try:
        return decode(object_cache().get(key) or b"", partial(_read, image))
    except Damaged:  # or there is nothing
        forms = _found(image, api)
        object_cache().put(key, _packed(forms, image))
        return forms


__all__ = ["Forms", "allowed_in_begin_end", "of_image"]
