/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: says when LLVM is being loaded (llvm_state: 1) and when it is there (2), and begins a little
 * later than it was asked to, so that something can be done just then on any machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

volatile int llvm_state;

void *dlopen(const char *name, int flags)
{
    static void *(*real)(const char *, int);
    if (!real)
        real = (void *(*)(const char *, int)) dlsym(RTLD_NEXT, "dlopen");
    if (!name || !strstr(name, "llvmlite"))
        return real(name, flags); /* a jump (-O2): who asked is whose run path counts */
    llvm_state = 1;
    usleep(30000);
    void *found = real(name, flags);
    llvm_state = 2;
    return found;
}
