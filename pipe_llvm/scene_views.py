# SPDX-License-Identifier: MIT
"""The texture views of a scene's draws.

A scene has copies of the views it samples through, so whoever owns a view may change or free it
while the scene is pending; each copy holds a reference of the texels' Storage, so these may be
renamed or deleted. A view that several draws of a scene use is copied once, unless it was made
anew between them (`TextureView.serial`) or its resource got other memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.arena import allocate
from pipe_llvm.native import BLOCK_SLOTS, VIEW_SLOTS, LpContext, LpHold, LpScene
from pydri.jit import Struct, kernel, nested, ptr, u32, u64, void
from pydri.pipe.native import MAX_TARGETS, PipeNative
from pydri.pipe.resource import Storage
from pydri.pipe.resource_kernels import storage_reference, storage_release
from pydri.pipe.sampler import TextureView
from pydri.pipe.sampler_kernels import copy_ways, view_ways

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


class LpViewCopy(Struct, align=64):
    """A scene's copy of a view, its first member."""

    view = nested(TextureView)
    source = u64  # address of what it is a copy of
    storage = ptr(Storage)  # referenced; null: no texture
    next = ptr("LpViewCopy")  # the scene's one before


@kernel(ptr(TextureView), (ptr(LpContext), u64), noinline=True, name="lp_scene_view")
def scene_view(b: Builder, lp: LpContext, source: Value) -> None:
    """The copy of the view at an address in the scene that is being recorded, which has room."""
    scene = lp.scene
    given = b.int_to_ptr(source, TextureView)
    resource = given.resource
    slot = ((source >> 6) ^ (source >> 10)) & (VIEW_SLOTS - 1)
    slots = scene.addr("view_slots").cast(ptr(ptr(LpViewCopy)))
    data = b.var(u64, 0)
    with b.If(b.ptr_to_int(resource) != 0):
        data.value = b.ptr_to_int(resource.data)
        resource.storage.reads = lp.cast(ptr(PipeNative)).submitted + 1
    found = (slots + slot).load(ptr(LpViewCopy))
    with b.If(b.ptr_to_int(found) != 0):
        kept = found.addr("view").cast(ptr(TextureView))
        same = (found.source == source) & (kept.serial == given.serial)
        with b.If(same & (b.ptr_to_int(kept.data) == data.value), likely=True):
            b.Return(kept)
    copy = allocate(b, scene, LpViewCopy.size).cast(ptr(LpViewCopy))
    view = copy.addr("view").cast(ptr(TextureView))
    b.memcpy(view, given, TextureView.size)
    view.data = b.int_to_ptr(data.value, TextureView)
    copy.source = source
    copy.storage = None
    with b.If(b.ptr_to_int(resource) != 0):
        copy.storage = resource.storage
        b.call(storage_reference, resource.storage)
    copy.next = scene.views
    scene.views = copy
    (slots + slot).store(copy)
    b.Return(view)


def any_way(ways: Any) -> Any:
    """Whether some texture is read in other ways than by a filter; `ways`: those of a plan."""
    return (ways[0] | ways[1] | ways[2] | ways[3]) != 0


def ways_of(ways: Any, n: Value) -> Any:
    """The ways in which texture n is read, as `pipe_view_ways` wants them."""
    wanted = (ways[0] >> n) & 1
    for way in range(1, 4):
        wanted = wanted | ((ways[way] >> n) & 1) << way
    return wanted


def find_ways(b: Builder, copy: TextureView, view: TextureView, ways: Any, n: Value) -> None:
    """Have texture n of a draw, and its copy, the functions that the draw's shader calls."""
    b.call(view_ways, view, ways_of(ways, n))
    copy_ways(b, copy, view)


@kernel(void, (ptr(LpScene),), noinline=True, name="lp_forget_blocks")
def forget_blocks(b: Builder, scene: LpScene) -> None:
    """The same of uniform blocks (uniform_blocks.py) and of what shaders access."""
    at = b.var(ptr(LpHold), scene.holds.cast(ptr(LpHold)))
    with b.While(lambda: b.ptr_to_int(at.value) != 0):
        b.call(storage_release, at.value.storage)
        at.value = at.value.next.cast(ptr(LpHold))
    scene.holds, scene.memory = None, None
    b.memset(scene.addr("block_slots"), 0, 8 * BLOCK_SLOTS)
    b.memset(scene.addr("hold_slots"), 0, 8 * VIEW_SLOTS)


@kernel(void, (ptr(LpScene),), noinline=True, name="lp_forget_views")
def forget_views(b: Builder, scene: LpScene) -> None:
    """Nothing that was drawn reads the scene's textures and blocks any more: give back their
    memory, before that of the copies is used again."""
    at = b.var(ptr(LpViewCopy), scene.views.cast(ptr(LpViewCopy)))
    with b.While(lambda: b.ptr_to_int(at.value) != 0):
        copy = at.value
        b.call(storage_release, copy.storage)
        at.value = copy.next.cast(ptr(LpViewCopy))
    scene.views = None
    b.memset(scene.addr("view_slots"), 0, 8 * VIEW_SLOTS)
    held = b.ptr_to_int(scene.holds) | b.ptr_to_int(scene.memory)
    with b.If(held != 0, likely=False):
        b.call(forget_blocks, scene)


@kernel(void, (ptr(LpScene),), noinline=True, name="lp_release_views")
def release_views(b: Builder, scene: LpScene) -> None:
    """The scene is over: it gives back its textures and the memory of its targets."""
    b.call(forget_views, scene)
    storages = scene.addr("storages").cast(ptr(ptr(Storage)))
    with b.For(b.const(u32, 0), MAX_TARGETS + 1) as n:
        b.call(storage_release, (storages + n).load(ptr(Storage)))
        (storages + n).store(b.const(ptr(Storage), None))
