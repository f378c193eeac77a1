/* SPDX-License-Identifier: MIT
 *
 * The shim: the thread's current context, calls without a context, lazy slots, glXGetProcAddress and
 * the glXGetCurrent* functions. NEEDED is libc alone; a program that never calls GL pays for a
 * constructor of a few microseconds. The generated halves are in stubs.c, stubs.S and tables.S
 * (libgl_shim/stubs.py); the start of Python is in boot.c.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shim.h"

enum { ALIVE, FAILED, FORKED, EXITING };
static volatile int state = ALIVE; /* why calls do nothing, for the message */
static int exiting;

extern HIDDEN void *pydri_lazy_dispatch[], *pydri_lazy_stub_table[], *pydri_lazy_glx_table[];
extern HIDDEN void *pydri_null_dispatch[];

static struct pydri_context null_context = { pydri_null_dispatch };
HIDDEN __thread struct pydri_thread pydri_tls = { &null_context, 0, 0, 0, 0 };

static struct pydri_thread *calling_thread(void) { return &pydri_tls; }

/* ------------------------------------------------------------------ messages */

HIDDEN int pydri_level(void)
{
    const char *debug = getenv("LIBGL_DEBUG");
    if (!debug) return 1;
    if (strstr(debug, "quiet")) return 0;
    return strstr(debug, "verbose") ? 2 : 1;
}

HIDDEN void pydri_say(int error, const char *format, ...)
{
    char line[1024];
    va_list args;
    int n = snprintf(line, sizeof line, error ? "libGL error: " : "libGL: ");
    va_start(args, format);
    vsnprintf(line + n, sizeof line - n - 2, format, args);
    va_end(args);
    strcat(line, "\n");
    /* one write, so that lines of several threads do not mix */
    if (write(2, line, strlen(line)) < 0) return;
}

/* ------------------------------------------------------------------ calls that can do nothing */

/* stubs.S comes here for a gl* call on the null context. */
HIDDEN void pydri_null_call(int slot)
{
    static int said[4];
    const char *name = pydri_name_text + pydri_gl_name_at[slot];
    int why = state;
    if (said[why] || why == EXITING || why == FAILED || !getenv("LIBGL_DEBUG") || !pydri_level())
        return;
    said[why] = 1;
    if (why == FORKED)
        pydri_say(0, "%s after fork(): the contexts of the parent are lost in the child", name);
    else
        pydri_say(0, "%s called without a current context (said once)", name);
}

static void bury(int why)
{
    int i;
    state = why;
    for (i = 0; i < pydri_n_glx; i++)
        pydri_glx_table[i] = (void *)pydri_noop;
    memset(&pydri_tls, 0, sizeof pydri_tls);
    pydri_tls.ctx = &null_context;
}

/* ------------------------------------------------------------------ the struct Python gets */

static struct pydri_shim shim;

static void retire(void)
{
    exiting = 1;
    bury(EXITING);
}

static void at_exit(void)
{
    if (exiting || state != ALIVE) return;
    if (shim.at_exit) shim.at_exit(); /* null in a joined interpreter: Python's own atexit comes first */
    retire();
}

static void forked(void)
{
    /* Python's locks, our threads and the X connection belong to the parent: nothing of it is
       touched here. The child may start other programs; it cannot draw. */
    if (state == ALIVE) {
        shim.at_exit = 0;
        bury(FORKED);
    }
}

static const char **list_names(const unsigned *at, int n)
{
    int i;
    const char **list = malloc(n * sizeof *list);
    for (i = 0; list && i < n; i++)
        list[i] = pydri_name_text + at[i];
    return list;
}

HIDDEN struct pydri_shim *pydri_shim_struct(const char *libdir)
{
    shim.version = PYDRI_SHIM_VERSION;
    shim.n_gl = pydri_n_gl;
    shim.n_glx = pydri_n_glx;
    shim.gl_names = list_names(pydri_gl_name_at, pydri_n_gl);
    shim.glx_names = list_names(pydri_glx_name_at, pydri_n_glx);
    shim.glx_table = pydri_glx_table;
    shim.lazy_dispatch = pydri_lazy_dispatch;
    shim.lazy_stubs = pydri_lazy_stub_table;
    shim.lazy_glx_stubs = pydri_lazy_glx_table;
    shim.null_dispatch = pydri_null_dispatch;
    shim.null_context = &null_context;
    shim.thread = calling_thread;
    shim.libdir = libdir;
    shim.exiting = &exiting;
    shim.retire = retire;
    return &shim;
}

/* ------------------------------------------------------------------ lazy slots */

/* stubs.S comes here with the argument registers saved; it jumps to what we return. */
HIDDEN void *pydri_find_gl(struct pydri_context *ctx, int slot)
{
    void *address = 0;
    if (state == ALIVE && shim.resolve_gl)
        address = shim.resolve_gl(ctx, slot);
    if (!address) return (void *)pydri_noop;
    if (pydri_lazy_dispatch[slot] == pydri_lazy_stub_table[slot])
        pydri_lazy_dispatch[slot] = address; /* contexts to come have it from the start */
    if (ctx->dispatch[slot] == pydri_lazy_stub_table[slot])
        ctx->dispatch[slot] = address;
    return address;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void boot_once(void)
{
    if (!pydri_boot()) {
        bury(FAILED);
        return;
    }
    atexit(at_exit);
    pthread_atfork(0, 0, forked);
}

HIDDEN void *pydri_find_glx(int slot)
{
    void *address = 0;
    if (state == ALIVE) pthread_once(&once, boot_once);
    if (state == ALIVE && shim.resolve_glx)
        address = shim.resolve_glx(slot);
    if (!address) return (void *)pydri_noop;
    if (pydri_glx_table[slot] == pydri_lazy_glx_table[slot])
        pydri_glx_table[slot] = address;
    return address;
}

/* ------------------------------------------------------------------ names to addresses */

static int find(const char *name, const unsigned *at, int n)
{
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        int order = strcmp(name, pydri_name_text + at[middle]);
        if (!order) return middle;
        if (order < 0) high = middle - 1;
        else low = middle + 1;
    }
    return -1;
}

HIDDEN void *pydri_find_proc(const char *name)
{
    int slot;
    if (!name || name[0] != 'g' || name[1] != 'l') return 0;
    slot = find(name, pydri_glx_name_at, pydri_n_glx);
    if (slot >= 0) return (void *)(pydri_stub_base + pydri_glx_stub_at[slot]);
    slot = find(name, pydri_gl_name_at, pydri_n_gl);
    if (slot >= 0) return (void *)(pydri_stub_base + pydri_gl_stub_at[slot]);
    return 0;
}

/* ------------------------------------------------------------------ glX answered in C */

#define ANSWER(type, name, params, value)                                                           \
    HIDDEN type s_##name params { return value; }                                                   \
    EXPORT type name params __attribute__((alias("s_" #name)));

ANSWER(void *, glXGetProcAddress, (const char *name), pydri_find_proc(name))
ANSWER(void *, glXGetProcAddressARB, (const char *name), pydri_find_proc(name))
ANSWER(void *, glXGetCurrentContext, (void), pydri_tls.glx_context)
ANSWER(unsigned long, glXGetCurrentDrawable, (void), pydri_tls.draw)
ANSWER(unsigned long, glXGetCurrentReadDrawable, (void), pydri_tls.read)
ANSWER(unsigned long, glXGetCurrentReadDrawableSGI, (void), pydri_tls.read)
ANSWER(void *, glXGetCurrentDisplay, (void), pydri_tls.dpy)
ANSWER(void *, glXGetCurrentDisplayEXT, (void), pydri_tls.dpy)

/* ------------------------------------------------------------------ load time */

__attribute__((constructor(101))) static void fill_tables(void)
{
    int i;
    for (i = 0; i < pydri_n_gl; i++) {
        pydri_null_dispatch[i] = pydri_null_gl_stubs + i * STUB_SIZE;
        pydri_lazy_dispatch[i] = pydri_lazy_stub_table[i] = pydri_lazy_gl_stubs + i * STUB_SIZE;
    }
    for (i = 0; i < pydri_n_glx; i++)
        pydri_glx_table[i] = pydri_lazy_glx_table[i] = pydri_lazy_glx_stubs + i * STUB_SIZE;
}
