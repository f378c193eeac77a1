/* SPDX-License-Identifier: MIT
 *
 * What a library of OpenGL ES is beside its entry points (stubs.py: one file a library): where the
 * calling thread's block of libGL.so.1 lies. It names that library in no NEEDED, since dlsym would
 * then find the entry points of OpenGL in it, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "shim.h"

/* From a thread's pointer to its struct pydri_thread: the same in all threads (initial-exec). */
HIDDEN long pydri_block_offset;

__attribute__((constructor)) static void find_block(void)
{
    void *driver = dlopen("$ORIGIN/libGL.so.1", RTLD_NOW | RTLD_LOCAL);
    char *block = driver ? dlsym(driver, "pydri_tls") : 0;
    if (!block) {
        fprintf(stderr, "pydri: no libGL.so.1 beside this library of OpenGL ES: %s\n", dlerror());
        abort();
    }
    pydri_block_offset = block - (char *)__builtin_thread_pointer();
}
