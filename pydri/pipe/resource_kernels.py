# SPDX-License-Identifier: MIT
"""Kernels of resources: layout, memory, references (see resource.py). Any thread calls them; no
lock is held anywhere.

Counts are atomic. What a resource *is* (its layout, data, storage) is changed by its owner alone,
who knows that no other thread looks at it (main's share groups see to that)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import Module, extern_c, kernel, ptr, u8, u32, u64, void
from pydri.pipe.native import SCENE_BITS
from pydri.pipe.resource import (
    BIND_DEPTH,
    BIND_RENDER,
    BIND_SAMPLED,
    FLAG_STAMPS,
    MAX_BYTES,
    SLACK,
    TARGET_3D,
    TARGET_BUFFER,
    Level,
    Resource,
    Storage,
)

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value

BYTES, RESOURCE, STORAGE = ptr(u8), ptr(Resource), ptr(Storage)
TILE = 64
_DATA = Storage.size  # where the data begin behind their head

CALLOC = extern_c("calloc", BYTES, u64, u64)
FREE = extern_c("free", void, BYTES)


def _up(b: Builder, value: Value, to: int) -> Value:
    return (value + (to - 1)) & ~(to - 1)


def _null(b: Builder, pointer: Any) -> Value:
    return b.ptr_to_int(pointer) == 0


def level_of(res: Any, i: Any) -> Level:
    """Level i of a resource."""
    level: Level = res.level[i]
    return level


@kernel(void, (RESOURCE, ptr(Level), u32), inline=True)
def _lay_out_level(b: Builder, res: Resource, level: Level, i: Value) -> None:
    """Sizes and strides of level i; its offset is set already."""
    is_3d = res.target == TARGET_3D
    level.width = b.max(res.width >> i, 1)
    level.height = b.max(res.height >> i, 1)
    level.depth = b.select(is_3d, b.max(res.depth >> i, 1), res.layers)
    blocks = b.cast((level.width + res.block_width - 1) // res.block_width, u64)
    rows = b.cast((level.height + res.block_height - 1) // res.block_height, u64)
    stamps = (res.flags & FLAG_STAMPS) != 0
    skirt = b.cast(((res.bind & BIND_SAMPLED) != 0) & ~stamps, u64)
    tiled = (res.bind & (BIND_RENDER | BIND_DEPTH)) != 0
    columns = b.select(tiled, b.max(_up(b, blocks, TILE), blocks + skirt), blocks + skirt)
    rows = b.select(tiled, b.max(_up(b, rows, TILE), rows + skirt), rows + skirt)
    columns = b.select(stamps, _up(b, columns, TILE), columns)
    rows = b.select(stamps, _up(b, rows, 4), rows)
    stride = _up(b, columns * b.cast(res.block_bytes * res.samples, u64), 64)
    level.row_stride = b.cast(stride, u32)
    level.image_stride = stride * rows


@kernel(u64, (RESOURCE,), noinline=True)
def resource_lay_out(b: Builder, res: Resource) -> None:
    """Fill `level` and `size` from what the resource is; returns the bytes that it needs, 0 where
    that is more than MAX_BYTES. Buffers are one row.
    """
    with b.If(res.target == TARGET_BUFFER):
        level = level_of(res, 0)
        level.offset, level.row_stride = 0, res.width
        level.width, level.height, level.depth = res.width, 1, 1
        level.image_stride = b.cast(res.width, u64)
        res.size = level.image_stride
        b.Return(res.size + SLACK)
    at = b.var(u64, 0)
    with b.For(0, res.last_level + 1) as i:
        level = level_of(res, i)
        level.offset = at.value
        b.call(_lay_out_level, res, level, b.cast(i, u32))
        at.value = at.value + level.image_stride * b.cast(level.depth, u64)
    res.size = at.value
    b.Return(b.select(at.value <= MAX_BYTES, at.value + SLACK, b.const(u64, 0)))


@kernel(STORAGE, (u64,), noinline=True, name="memory_new")
def storage_new(b: Builder, size: Value) -> None:
    """Zeroed memory of `size` bytes behind its head, with one reference; null if there is none.
    Pages of much memory come when they are touched."""
    capacity = _up(b, size, 64)
    memory = b.call(CALLOC, capacity + (_DATA + SLACK + 63), 1)
    with b.If(_null(b, memory)):
        b.Return(b.const(STORAGE, None))
    place = (b.ptr_to_int(memory) + 63) & ~63
    storage = b.int_to_ptr(place, Storage)
    storage.references = 1
    storage.size, storage.capacity = size, capacity
    storage.memory = memory
    b.Return(storage)


@kernel(void, (STORAGE,), noinline=True)
def storage_reference(b: Builder, storage: Storage) -> None:
    b.atomic_add(storage.addr("references"), 1)


@kernel(void, (STORAGE,), noinline=True)
def storage_release(b: Builder, storage: Storage) -> None:
    """Give a reference back; the last one frees the memory. Null is ignored."""
    with b.If(_null(b, storage)):
        b.Return()
    with b.If(b.atomic_add(storage.addr("references"), 0xFFFFFFFF) == 1):
        b.call(FREE, storage.memory)


def storage_data(b: Builder, storage: Any) -> Any:
    """Where a storage's data begin."""
    return storage.cast(BYTES) + _DATA


def head_of(data: Any) -> Any:
    """The storage whose data begin here (not null)."""
    return (data - _DATA).cast(STORAGE)


def storage_changed(b: Builder, storage: Any) -> None:
    """Emit: what a (present) storage holds is written, or may be, by somebody who is no scene."""
    storage.changes = storage.changes + 1


def storage_used(b: Builder, pipe: Any, storage: Any) -> Value:
    """Whether a scene that may not be finished reads or writes a storage."""
    used: Value = unfinished(b, pipe, storage.reads) | unfinished(b, pipe, storage.writes)
    return used


@kernel(RESOURCE, (RESOURCE,), noinline=True)
def _resource_copy(b: Builder, template: Resource) -> None:
    """A native copy of a description, with one reference and no memory; null if refused."""
    memory = b.call(CALLOC, Resource.size + 64 + 8, 1)
    with b.If(_null(b, memory)):
        b.Return(b.const(RESOURCE, None))
    # what free() takes lies before the struct
    place = (b.ptr_to_int(memory) + (64 + 7)) & ~63
    b.int_to_ptr(place - 8, ptr(u64)).store(b.ptr_to_int(memory))
    res = b.int_to_ptr(place, Resource)
    b.memcpy(res.cast(BYTES), template.cast(BYTES), Resource.size)
    res.references, res.serial = 1, 1
    b.Return(res)


def foreign(b: Builder, pipe: Any, number: Any) -> Value:
    """Whether a scene's number (0: none) that a storage has is another context's: it hides what
    this context may have noted there before."""
    other: Value = (number != 0) & (((number ^ pipe.submitted) >> SCENE_BITS) != 0)
    return other


def unfinished(b: Builder, pipe: Any, number: Any) -> Value:
    """Whether a scene of this context that a storage's number stands for, or hides, may not be
    finished."""
    pending: Value = foreign(b, pipe, number) | (number > pipe.completed)
    return pending


@kernel(void, (RESOURCE,), noinline=True)
def _resource_free(b: Builder, res: Resource) -> None:
    b.call(FREE, (res.cast(BYTES) - 8).cast(ptr(BYTES)).load())


@kernel(RESOURCE, (RESOURCE,), noinline=True)
def resource_create(b: Builder, template: Resource) -> None:
    """A resource as `template` says (target, format, block, sizes, levels, samples, bind, flags),
    with zeroed memory and one reference; null if there is not so much memory.
    """
    res = b.call(_resource_copy, template)
    with b.If(_null(b, res)):
        b.Return(res)
    size = b.call(resource_lay_out, res)
    storage = b.var(STORAGE, b.const(STORAGE, None))
    with b.If(size != 0):
        storage.value = b.call(storage_new, res.size)
    with b.If(_null(b, storage.value)):
        b.call(_resource_free, res)
        b.Return(b.const(RESOURCE, None))
    res.storage = storage.value
    res.data = storage_data(b, storage.value)
    b.Return(res)


@kernel(void, (RESOURCE,), noinline=True)
def resource_reference(b: Builder, res: Resource) -> None:
    b.atomic_add(res.addr("references"), 1)


@kernel(void, (RESOURCE,), noinline=True)
def resource_release(b: Builder, res: Resource) -> None:
    """Give a reference back; the last one frees the resource, and its storage when no scene uses
    that any more. Null is ignored.
    """
    with b.If(_null(b, res)):
        b.Return()
    with b.If(b.atomic_add(res.addr("references"), 0xFFFFFFFF) == 1):
        b.call(storage_release, res.storage)
        b.call(_resource_free, res)


def _replace(b: Builder, res: Resource, storage: Any) -> None:
    """Give the resource other storage, that nothing reads or writes yet."""
    old = res.storage
    res.storage = storage
    res.data = storage_data(b, storage)
    res.serial = res.serial + 1
    b.call(storage_release, old)


@kernel(u32, (RESOURCE,), noinline=True)
def resource_rename(b: Builder, res: Resource) -> None:
    """Zeroed memory instead of what the resource has; 0 if there is none (nothing has changed)."""
    storage = b.call(storage_new, res.size)
    with b.If(_null(b, storage)):
        b.Return(0)
    _replace(b, res, storage)
    b.Return(1)


@kernel(void, (RESOURCE, STORAGE), noinline=True)
def resource_follow(b: Builder, res: Resource, storage: Any) -> None:
    """A buffer object's resource is of this storage (or none), and of its size, from now on. Other
    threads may be reading the old one: who may meet that loads `data` once, whose head is the
    storage that it belongs to."""
    data, size = b.var(BYTES, b.const(BYTES, None)), b.var(u64, 0)
    with b.If(~_null(b, storage)):
        data.value, size.value = storage_data(b, storage), storage.size
    res.width = b.cast(size.value, u32)
    b.call(resource_lay_out, res)
    res.storage = storage
    b.store_atomic(res.addr("data"), data.value)
    res.serial = res.serial + 1


@kernel(RESOURCE, (), noinline=True)
def resource_of_buffer(b: Builder) -> None:
    """A resource for a buffer object, of no storage yet (`resource_follow`); null if there is no
    memory."""
    template = b.array(Resource)
    b.memset(template.cast(BYTES), 0, Resource.size)
    template.height, template.depth, template.layers, template.samples = 1, 1, 1, 1
    template.block_bytes, template.block_width, template.block_height = 1, 1, 1
    template.target = TARGET_BUFFER
    b.Return(b.call(_resource_copy, template))


@kernel(RESOURCE, (STORAGE, u64, u32, u32, u32), noinline=True)
def resource_of_texels(b: Builder, storage: Storage, offset: Value, format: Value, size: Value,
                       count: Value) -> None:  # fmt: skip
    """A resource of `count` texels of `size` bytes that lie one behind the other in a buffer
    object's storage (TARGET_BUFFER), which it refers to; null if there is no memory."""
    template = b.array(Resource)
    b.memset(template.cast(BYTES), 0, Resource.size)
    template.target, template.format, template.width = TARGET_BUFFER, format, count
    template.height, template.depth, template.layers, template.samples = 1, 1, 1, 1
    template.block_bytes, template.block_width, template.block_height = size, 1, 1
    level = level_of(template, 0)
    level.offset, level.width, level.height, level.depth = offset, count, 1, 1
    level.image_stride = b.cast(count, u64) * b.cast(size, u64)
    level.row_stride = count * size
    template.size = level.image_stride
    part = b.call(_resource_copy, template)
    with b.If(~_null(b, part)):
        b.call(storage_reference, storage)
        part.storage = storage
        part.data = storage_data(b, storage)
    b.Return(part)


@kernel(void, (RESOURCE,), noinline=True)
def resource_forget(b: Builder, res: Resource) -> None:
    """The buffer object of a resource is gone (null is ignored): its storage is not the resource's
    to release."""
    with b.If(~_null(b, res)):
        res.storage = b.const(STORAGE, None)
        b.call(resource_release, res)


@kernel(void, (RESOURCE, RESOURCE, BYTES), noinline=True)
def _move_texels(b: Builder, new: Resource, old: Resource, data: Any) -> None:
    """Copy all rows of all images from the old layout (and data) to the new one. Both are linear
    or both in stamps, whose rows go by fours.
    """
    rows_at_once = b.select((new.flags & FLAG_STAMPS) != 0, b.const(u32, 4), b.const(u32, 1))
    with b.For(0, new.last_level + 1) as i:
        to, come = level_of(new, i), level_of(old, i)
        size = b.cast(b.min(to.row_stride, come.row_stride) * rows_at_once, u64)
        rows = (to.height + new.block_height - 1) // new.block_height
        with b.For(0, to.depth) as image:
            n = b.cast(image, u64)
            dst = b.var(BYTES, new.data + (to.offset + to.image_stride * n))
            src = b.var(BYTES, data + (come.offset + come.image_stride * n))
            with b.For(0, (rows + rows_at_once - 1) // rows_at_once):
                b.memcpy(dst.value, src.value, size)
                dst.value = dst.value + b.cast(to.row_stride * rows_at_once, u64)
                src.value = src.value + b.cast(come.row_stride * rows_at_once, u64)


@kernel(RESOURCE, (RESOURCE, u32), noinline=True)
def resource_widened(b: Builder, res: Resource, bind: Value) -> None:
    """A copy that may be used as `bind`, too (another layout, then), with one reference; null if
    there is no memory. Nothing that is pending writes the resource. It stays as it is: others may
    be looking at it.
    """
    template = b.array(Resource)
    b.memcpy(template.cast(BYTES), res.cast(BYTES), Resource.size)
    template.bind = template.bind | bind
    made = b.call(resource_create, template)
    with b.If(~_null(b, made)):
        b.call(_move_texels, made, res, res.data)
        with b.If((res.storage.writes | res.storage.changes) != 0):
            storage_changed(b, made.storage)  # else all is zero, as in any fresh memory
    b.Return(made)


@kernel(RESOURCE, (RESOURCE, u32, u32, u32, u32, u32, u32), noinline=True)
def resource_part(b: Builder, res: Resource, target: Value, format: Value, level: Value,
                  levels: Value, layer: Value, layers: Value) -> None:  # fmt: skip
    """A resource that is a part of another one, in the same storage: some of its levels, of these
    some images (all slices of a 3D resource), as a target and a format with as many bits; null if
    there is no memory. What is written through one is read through the other, as long as neither is
    renamed or laid out anew."""
    part = b.call(_resource_copy, res)
    with b.If(_null(b, part)):
        b.Return(part)
    part.target, part.format, part.last_level = target, format, levels - 1
    with b.For(0, levels) as i:
        to, come = level_of(part, i), level_of(res, level + b.cast(i, u32))
        b.memcpy(to.cast(BYTES), come.cast(BYTES), Level.size)
        to.offset = come.offset + come.image_stride * b.cast(layer, u64)
        to.depth = b.select(target == TARGET_3D, come.depth, layers)
    first = level_of(part, 0)
    part.width, part.height = first.width, first.height
    part.depth = b.select(target == TARGET_3D, first.depth, 1)
    part.layers = b.select(target == TARGET_3D, b.const(u32, 1), layers)
    part.storage.shared = 1
    b.call(storage_reference, part.storage)
    b.Return(part)


EXPORTS = (
    resource_lay_out,
    resource_create,
    resource_reference,
    resource_release,
    resource_rename,
    resource_widened,
    resource_part,
    storage_reference,
    storage_release,
)


def module() -> Module:
    """The module of all kernels of resources."""
    return Module("pipe_resource", list(EXPORTS))
