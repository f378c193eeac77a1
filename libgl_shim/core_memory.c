/* SPDX-License-Identifier: MIT
 *
 * Memory for Python's objects of a start; part of _core.so.
 *
 * A start makes 6 MiB of small objects. Where they come page by page the kernel is entered 1,500 times
 * for them, which is a tenth of a start: so the first of Python's arenas lie in huge pages, where the
 * system lets a program ask for these. What a start needs fills them, and what comes later is
 * Python's own business again.
 */
#include <Python.h>
#include <stdint.h>
#include <sys/mman.h>
#include "core_memory.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define ROOM (3 * HUGE_PAGE)

static struct {
    PyObjectArenaAllocator before; /* for what comes later */
    char *begin;
    size_t used;
} room;

/* An arena, whose size is the same each time. Threads of several interpreters may ask at once. */
static void *take(void *unused, size_t size)
{
    size_t at = __atomic_load_n(&room.used, __ATOMIC_RELAXED);
    (void)unused;
    do
        if (size > ROOM - at) return room.before.alloc(room.before.ctx, size);
    while (!__atomic_compare_exchange_n(&room.used, &at, at + size, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return room.begin + at;
}

static void give_back(void *unused, void *arena, size_t size)
{
    (void)unused;
    if ((uintptr_t)arena - (uintptr_t)room.begin < ROOM)
        munmap(arena, size);
    else
        room.before.free(room.before.ctx, arena, size);
}

HIDDEN void pydri_make_room(void)
{
    PyObjectArenaAllocator ours = {NULL, take, give_back};
    size_t head;
    char *found = mmap(NULL, ROOM + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);
    if (found == MAP_FAILED) return;
    head = -(uintptr_t)found % HUGE_PAGE;
    if (head) munmap(found, head);
    munmap(found + head + ROOM, HUGE_PAGE - head);
    if (madvise(found + head, ROOM, MADV_HUGEPAGE)) { /* a kernel without them */
        munmap(found + head, ROOM);
        return;
    }
    room.begin = found + head;
    PyObject_GetArenaAllocator(&room.before);
    PyObject_SetArenaAllocator(&ours);
}
