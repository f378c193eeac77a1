# SPDX-License-Identifier: MIT
"""The shader cache: what compiling and linking found out, by the texts that it was made of.

In: sources, and what the language may use. Out: whether a source compiles and its log; of programs
the active variables, the first content of the block of uniforms, and what each stage reads and
writes. So a program that was linked before is linked and drawn with (its code comes from the object
cache) without the front end being imported; trees and nir are made again where somebody wants them:
a variant of the code that is new, or another program with the same shader object. It lies in the
folder of the object cache, whose names change with our own sources, as flat records (records.py):
what is read is never run. Mesa: main/shaderapi.c and glsl/shader_cache.cpp.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydri.glsl.link.linked import Linked
from pydri.jit.cache import blake2b, object_cache
from pydri.main.shaders import records
from pydri.main.shaders.records import CompiledBefore, LinkedBefore
from pydri.util.codec import Damaged
from pydri.util.options import options

if TYPE_CHECKING:
    from collections.abc import Iterable


class Facts(NamedTuple):
    """What of a context decides what a source means."""

    version: int
    version_es: int
    extensions: tuple[str, ...]
    limits: tuple[tuple[str, int], ...]
    es: bool = False  # without `#version` it is the first of OpenGL ES

    def __hash__(self) -> int:
        """There are few of them, and hundreds of names in each."""
        return hash((self.version, self.version_es, self.es))


class Source(NamedTuple):
    """A shader object as it was compiled."""

    stage: str
    text: str
    facts: Facts


_Kept = TypeVar("_Kept", CompiledBefore, LinkedBefore)


def digest(*parts: object) -> bytes:
    """A name for what is the same if these are."""
    out = blake2b(digest_size=20)
    for part in parts:
        # a source's repr would take longer than its digest
        text = part.encode() if isinstance(part, str) else repr(part).encode()
        out.update(b"%d:" % len(text) + text)
    return out.digest()


def source_key(source: Source) -> bytes:
    """The name of a source in the cache."""
    return b"glsl\0" + digest(source.stage, source.text, _facts_digest(source.facts))


@lru_cache(maxsize=8)
def _facts_digest(facts: Facts) -> bytes:
    return digest(*facts)


def program_key(sources: Iterable[Source], given: Iterable[object]) -> bytes:
    """The name of a program in the cache, which was told what is `given`."""
    asked = [sorted(one.items()) if isinstance(one, dict) else one for one in given]
    return b"program\0" + digest(asked, *map(source_key, sources))


def _on() -> bool:
    """Whether nobody wants to watch the front end at work."""
    return not (options.NIR_DEBUG or options.MESA_GLSL or options.MESA_SHADER_CAPTURE_PATH)


def find(key: bytes, kind: type[_Kept]) -> _Kept | None:
    """What was kept under a key, of this kind; None: nothing, or nothing of use."""
    data = object_cache().get(key) if _on() else None
    if data is None:
        return None
    try:
        found = records.unpack(data)
    except Damaged:  # a file of ours from elsewhere
        found = None
    if not isinstance(found, kind):
        object_cache().discard(key)
        return None
    return found


def keep(key: bytes, what: CompiledBefore | LinkedBefore) -> None:
    """Keep what was found out."""
    if _on():
        object_cache().put(key, records.pack(what))


def without_stages(linked: Linked) -> Linked:
    """A copy to be kept: stages hold trees."""
    copy = Linked()
    copy.__dict__.update(linked.__dict__)
    copy.stages = {}
    return copy


__all__ = [
    "Facts", "Source", "digest", "find", "keep", "program_key", "source_key", "without_stages",
]  # fmt: skip
