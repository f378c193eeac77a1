/* SPDX-License-Identifier: MIT */
/* Preloaded under a program, it refuses memory to the driver, whatever the size: aligned_alloc and posix_memalign (contexts,
 * buffer objects, lists, images), anonymous maps (surfaces, scenes, streams, tables), System V segments, and what kernels ask of
 * malloc, calloc and realloc. `refuse_memory(at, count)` begins anew: requests number `at` (from 1) and the next count - 1 are
 * refused; it says how many were since it was last called. REFUSE_AT and REFUSE_COUNT do so from the first request on. What a
 * shared library asks of malloc is never refused: it is not the driver's, and LLVM and CPython end there by design. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static long first, last, seen, told; /* first is 0: nothing is refused */

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("REFUSE_AT"), *count = getenv("REFUSE_COUNT");
    first = at ? atol(at) : 0;
    last = first + (count ? atol(count) : 1) - 1;
}

long refuse_memory(long at, long count)
{
    long refused = told;
    seen = told = 0;
    last = at + count - 1;
    first = at;
    return refused;
}

static int refused(void)
{
    if (!first)
        return 0;
    long number = __sync_add_and_fetch(&seen, 1);
    if (number < first || number > last)
        return 0;
    if (!__sync_fetch_and_add(&told, 1)) {
        static const char said[] = "refuse_memory: refused\n";
        if (getenv("REFUSE_AT") && write(2, said, sizeof said - 1) < 0)
            _exit(2);
    }
    errno = ENOMEM;
    return 1;
}

/* Kernels lie in no file. */
static int from_kernel(void *caller)
{
    Dl_info info;
    return first && !dladdr(caller, &info);
}

/* LLVM asks for aligned memory, too, and aborts without; the allocator of CPython's objects asks for maps. */
static int of_driver(void *caller)
{
    Dl_info info;
    return first && (!dladdr(caller, &info) || (!strstr(info.dli_fname, "LLVM") && !strstr(info.dli_fname, "llvm") &&
                                                !strstr(info.dli_fname, "libstdc++")));
}

void *malloc(size_t size)
{
    return from_kernel(__builtin_return_address(0)) && refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return from_kernel(__builtin_return_address(0)) && refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return from_kernel(__builtin_return_address(0)) && refused() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return of_driver(__builtin_return_address(0)) && refused() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *at = of_driver(__builtin_return_address(0)) && refused() ? NULL : __libc_memalign(alignment, size);
    if (!at)
        return ENOMEM;
    *out = at;
    return 0;
}

void *mmap(void *where, size_t size, int protection, int flags, int file, off_t offset)
{
    if (!where && file == -1 && protection == (PROT_READ | PROT_WRITE) && of_driver(__builtin_return_address(0)) && refused())
        return MAP_FAILED;
    return (void *) syscall(SYS_mmap, where, size, protection, flags, file, offset);
}

int shmget(key_t key, size_t size, int flags)
{
    if (key == IPC_PRIVATE && of_driver(__builtin_return_address(0)) && refused())
        return -1;
    return (int) syscall(SYS_shmget, key, size, flags);
}
