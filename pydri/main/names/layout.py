# SPDX-License-Identifier: MIT
"""Objects with names: native structs. Counterpart of Mesa's _mesa_HashTable and gl_shared_state
(main/hash.h, mtypes.h).

**Names.** All names of one kind lie in a `NameSpace`, of the share group or of one context. A name
below TABLE_NAMES is a place in a table, which is reserved whole and never moves: readers need no
lock, and the system gives pages only for what is used. Bits say which names are taken, in three
levels, so the lowest free one is found at once. Names beyond, which only a program has that invents
its names, are in buckets, under the lock of the name space. What stands in a place is FREE,
RESERVED (generated, and no object yet) or the address of an object.

**Objects** begin with `Named`. `references` is atomic: one is the name's, one the owner's, and one
each stands for a binding in a context that is not the owner, and for what belongs to no context
(`hold` of object_kernels.py). The owner is the context that made the object. Its own bindings, and
what its vertex array objects and attribute stacks hold, are counted in `own`, which its thread
alone reads and writes: to bind costs no atomic operation there, and the owner's one reference
stands for all of them. The owner gives that up when the object is deleted: `own` is added to
`references`, and there is no owner any more. If another context deletes the object, it goes on the
owner's list of `orphans`, which the owner looks through when it next makes or deletes something.

**Memory** of objects is used again for others of the same kind, and goes back to the system with
the name space alone. So who looks a name up without a lock may look at an object that has died: its
`references` are 0 then, which are never raised, or the place of the name tells that it is another.
"""

from pydri.jit.types import Struct, fn, ptr, u8, u32, u64, void
from pydri.pipe.resource import Storage

FREE, RESERVED = 0, 1
TABLE_NAMES = 1 << 20
#: words of the bits: a bit a name, a bit a full word of those, and so once more
LEVELS = (TABLE_NAMES >> 6, TABLE_NAMES >> 12, TABLE_NAMES >> 18)
TABLE_BYTES = 8 * (TABLE_NAMES + sum(LEVELS))
MAX_KINDS = 16
TEXTURE_TARGETS = 11  # what textures are bound to (main/textures/layout.py)


class Named(Struct):
    """Head of every object that has a name."""

    references = u32  # 0: no object, but memory for one
    own = u32  # what the owner holds
    owner = ptr("GLContext")  # null: all are counted in `references`
    space = ptr("NameSpace")
    next = ptr("Named")  # among unused memory, orphans, or those that wait for a scene
    label = ptr(u8)  # of glObjectLabel: u32 length, and the bytes; null: none
    # of kinds of one context: the scene of its driver that uses the object last. The memory waits
    # for it.
    fence = u64
    name = u32
    deleted = u32  # the name is free again
    pad = u64  # what a kind adds begins with a cache line


class NameChunk(Struct, align=64):
    """Memory of some objects, which follow."""

    next = ptr("NameChunk")
    count = u32
    pad = u32


class FarName(Struct):
    """A name beyond the table, in its bucket."""

    next = ptr("FarName")
    entry = u64
    name = u32
    pad = u32


class NameSpace(Struct, align=64):
    """All names of one kind, in a share group or a context; zeros: not used yet."""

    table = ptr(u64)  # by name: FREE, RESERVED or an object; the bits lie behind it
    limit = u32  # TABLE_NAMES, or 0 before there is a table
    lock = u32  # held for a few instructions; no allocator is called meanwhile
    top = u32  # no name of the table that was ever taken is greater
    live = u32  # objects that there are
    far_next = u32  # where the search for free names beyond the table goes on
    far_count = u32
    far = ptr(ptr(FarName))  # far_buckets of them
    far_buckets = u32
    object_bytes = u32
    spare = ptr(Named)
    chunks = ptr(NameChunk)
    # those that died before the scene that uses them: first and last
    waiting = ptr(Named)
    waiting_last = ptr(Named)
    # what the kind does, of the row: initial values; undo the bindings of a context; the last
    # reference is gone. Null: nothing
    born = fn(void, ptr("GLContext"), ptr(Named))
    unbind = fn(void, ptr("GLContext"), ptr(Named))
    dead = fn(void, ptr("GLContext"), ptr(Named))


class Counted(Struct):
    """Head of what objects draw with and contexts hold by reference: Executable and ArbCode. An
    object gets another one while contexts of other threads draw with the one that it had. So each
    context has a reference of what it draws with (names/counted_kernels.py), and as it is alive,
    another one that the object has is at another address.
    """

    references = u32  # atomic: the object's, and one of each context that draws with it
    pad = u32
    next = ptr("Counted")  # among those that nobody refers to any more


class DisplayList(Named):
    """A display list that has commands; what has none is a reserved name."""

    nodes = ptr(u8)  # ListNodes of pydri/vbo/native.py, one block of memory


class SharedBlock(Struct):
    """The native part of a share group."""

    spaces = NameSpace[MAX_KINDS]  # by Kind.number; those of kinds that are shared
    # Storage that was replaced while another context may be reading it (buffers/kernels.py): the
    # contexts of the group, and what waits until each of them began to read after it was replaced
    lock = u32
    context_count = u32
    epoch = u64
    contexts = ptr("GLContext")
    retired = ptr(Storage)
    # texture objects 0, by target (main/textures/layout.py); how often a texture of the group was
    # changed
    textures = ptr("TextureObject")[TEXTURE_TARGETS]
    texture_serial = u32
    view_serial = u32  # how many views were made
    texture_mutex = u64[5]  # main/textures/view_kernels.py
    # finalize(ctx, texture, first, last) brings levels together in the texture's resource, 0: there
    # is no memory; set with the first image of the group (main/textures/image_loader.py)
    texture_finalize = fn(u32, ptr("GLContext"), ptr("TextureObject"), u32, u32)
    sync_stamp = u32  # how many fences were made
    assembly = ptr("ArbProgram")[3]  # programs 0 (main/programs/layout.py)
    # code that nobody refers to any more: Python frees it (main/shaders/held.py)
    dead_code = ptr("Counted")
