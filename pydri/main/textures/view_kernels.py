# SPDX-License-Identifier: MIT
"""Views that threads share, and the lock of a share group's textures.

In: textures of a share group, whose contexts may be current in several threads. Out: `SampledView`s
with references: whoever has one may look at it, and at the texels' resource, whatever others do to
the texture meanwhile. Who looks at images of a texture or changes them holds the lock; a program
that does so in two threads without order of its own gets old or new texels, of memory that is
there. Counterparts of Mesa's _mesa_lock_texture and Gallium's pipe_sampler_view_reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import extern_c, i32, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import is_null
from pydri.main.textures.layout import SampledView
from pydri.pipe.resource_kernels import resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import SharedBlock

SAMPLED, BYTES = ptr(SampledView), ptr(u8)
MUTEX_LOCK = extern_c("pthread_mutex_lock", i32, BYTES)
MUTEX_UNLOCK = extern_c("pthread_mutex_unlock", i32, BYTES)
ALIGNED_ALLOC = extern_c("aligned_alloc", BYTES, u64, u64)
FREE = extern_c("free", void, BYTES)
# pthread_mutex_t of x86-64: zeros but for its kind. Hooks that are called under the lock may come
# back to it, so one thread may take it twice.
_KIND, _RECURSIVE = 16, 1


def make_textures_lock(b: Builder, shared: SharedBlock) -> None:
    """The lock of a new share group, whose block is zeroed."""
    b.bytes_from(shared.addr("texture_mutex"), _KIND, u32).store(_RECURSIVE)


def lock_textures(b: Builder, ctx: GLContext) -> None:
    """Nobody else of the share group looks at images of textures, or changes them, until
    `unlock_textures`."""
    b.call(MUTEX_LOCK, ctx.shared.addr("texture_mutex").cast(BYTES))


def unlock_textures(b: Builder, ctx: GLContext) -> None:
    b.call(MUTEX_UNLOCK, ctx.shared.addr("texture_mutex").cast(BYTES))


def view_new(b: Builder, ctx: GLContext) -> Any:
    """A view to be filled in, with one reference and a number that no other of the share group
    has (drivers tell by it that memory was used again); null if there is no memory."""
    made = b.call(ALIGNED_ALLOC, 64, SampledView.size).cast(SAMPLED)
    with b.If(~is_null(made)):
        b.memset(made.cast(BYTES), 0, SampledView.size)
        made.references = 1
        made.view.serial = b.atomic_add(ctx.shared.addr("view_serial"), 1)
    return made


@kernel(void, (SAMPLED,), noinline=True)
def view_release(b: Builder, view: SampledView) -> None:
    """Give a reference back; the last one frees the view. Null is ignored."""
    with b.If(is_null(view)):
        b.Return()
    with b.If(b.atomic_add(view.addr("references"), 0xFFFFFFFF) == 1):
        b.call(resource_release, view.view.resource)
        b.call(FREE, view.cast(BYTES))


def view_reference(b: Builder, view: SampledView) -> None:
    """One more who may look at a view (not null)."""
    b.atomic_add(view.addr("references"), 1)


__all__ = [
    "lock_textures", "make_textures_lock", "unlock_textures", "view_new", "view_reference",
    "view_release",
]
