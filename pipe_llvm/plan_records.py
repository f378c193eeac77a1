# SPDX-License-Identifier: MIT
"""Plans in the cache: what a pipeline consisted of when it was made before.

In: the name that its asker has for a pipeline (pydri/st/draw/plan.py), which decides everything
about it. Out: a `PlanRecord`: the native LpPlan's bytes and the keys of the images that its
functions lie in, kept as a flat record (pydri/util/codec.py). So what a program drew with the last
time is there again by a look-up and a copy: neither its state nor its layouts nor its modules' keys
are made. Mesa keeps less (st_shader_cache.c): what a shader became, but not what a draw is made of.
"""

from __future__ import annotations

from typing import NamedTuple

from pipe_llvm.native import LpPlan
from pydri.jit.cache import object_cache
from pydri.jit.compiler import looked_into, native_vector_width
from pydri.util.codec import Damaged, Reader, Writer, decode
from pydri.util.options import options

#: module, key, fields and their functions; whether the setup kernel for any inputs can stand in
RecordedImage = tuple[str, bytes, dict[str, str], bool]


class PlanRecord(NamedTuple):
    """A plan that was made before."""

    state: bytes  # the name of its pipeline state: plans of several askers may be one
    plan: bytes  # LpPlan
    images: tuple[RecordedImage, ...]
    # the key of the fragment kernel of its own, where the last image is one for any blending and
    # any tests (fragment/variants.py)
    own: bytes = b""


def _on() -> bool:
    """Whether nobody wants to see pipelines being made, or others than they are."""
    return not (options.LP_DEBUG or options.LP_PERF or looked_into())


def _key(name: bytes) -> bytes:
    return b"plan\0%d\0" % native_vector_width() + name


def find(name: bytes) -> PlanRecord | None:
    """The record of a name."""
    data = object_cache().get(_key(name)) if _on() else None
    if data is None:
        return None
    try:
        return unpack(data)
    except Damaged:  # a file of ours from elsewhere
        object_cache().discard(_key(name))
        return None


def keep(name: bytes, record: PlanRecord) -> None:
    """Keep a plan."""
    if _on():
        object_cache().put(_key(name), pack(record))


def pack(record: PlanRecord) -> bytes:
    """A record as bytes."""
    out = Writer()
    out.data(record.state, record.plan, record.own, *(key for _, key, _, _ in record.images))
    out.table((stand_in, len(fields)) for _, _, fields, stand_in in record.images)
    for module, _, fields, _ in record.images:
        out.text(module)
        for field, function in fields.items():
            out.text(field, function)
    return out.finish()


def unpack(data: bytes) -> PlanRecord:
    """The record that bytes are; Damaged if they are none, or one of another LpPlan."""
    return decode(data, _read)


def _read(read: Reader) -> PlanRecord:
    state, plan, own = read.data(), read.data(), read.data()
    images: list[RecordedImage] = []
    for stand_in, count in zip(*read.table(2), strict=True):
        module = read.text()
        fields = {read.text(): read.text() for _ in range(count)}
        if not fields.keys() <= LpPlan.fields.keys():
            raise Damaged("functions that a plan has not")
        images.append((module, read.data(), fields, bool(stand_in)))
    if len(plan) != LpPlan.size:
        raise Damaged("a plan of another size")
    return PlanRecord(state, plan, tuple(images), own)


__all__ = ["PlanRecord", "RecordedImage", "find", "keep"]
