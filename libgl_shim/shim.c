/* SPDX-License-Identifier: MIT
 *
 * The shim: the thread's current context, calls without a context, lazy slots, glXGetProcAddress and
 * its like, the glXGetCurrent*, eglGetCurrent* and OSMesaGetCurrentContext functions and EGL's thread
 * state. NEEDED is libc alone; a program that never calls GL pays for a constructor of a few microseconds. The
 * generated halves are in stubs.c, stubs.S and tables.S (libgl_shim/stubs.py); the start of Python
 * is in boot.c.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "shim.h"

enum { ALIVE, FAILED, FORKED, EXITING };
static int state = ALIVE; /* why calls do nothing, for the message */
static int exiting;

extern HIDDEN void *pydri_lazy_dispatch[], *pydri_lazy_stub_table[], *pydri_lazy_glx_table[];
extern HIDDEN void *pydri_lazy_egl_table[], *pydri_lazy_osmesa_table[];

static struct pydri_context null_context = { pydri_null_dispatch };
/* Exported for libraries of OpenGL ES (gles.c); no other library's takes its place. */
SHARED __thread struct pydri_thread pydri_tls = { .ctx = &null_context };

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
    int why = LOAD(state);
    if (why == EXITING || why == FAILED || !getenv("LIBGL_DEBUG") || !pydri_level()) return;
    if (__atomic_exchange_n(&said[why], 1, __ATOMIC_RELAXED)) return;
    if (why == FORKED)
        pydri_say(0, "%s after fork(): the contexts of the parent are lost in the child", name);
    else
        pydri_say(0, "%s called without a current context (said once)", name);
}

static void bury_table(void **table, int n)
{
    int i;
    for (i = 0; i < n; i++)
        STORE(table[i], (void *)pydri_noop);
}

static void bury(int why)
{
    STORE(state, why);
    bury_table(pydri_glx_table, pydri_n_glx);
    bury_table(pydri_egl_table, pydri_n_egl);
    bury_table(pydri_osmesa_table, pydri_n_osmesa);
    pydri_tls.ctx = &null_context;
}

static void forget_current(void)
{
    memset(&pydri_tls, 0, sizeof pydri_tls);
    pydri_tls.ctx = &null_context;
}

/* ------------------------------------------------------------------ the struct Python gets */

static struct pydri_shim shim;

static pthread_key_t watched; /* its destructor runs while the thread's block is still there */

static void thread_ended(void *block)
{
    (void)block;
    if (LOAD(state) == ALIVE && !LOAD(exiting) && pydri_tls.ctx != &null_context && shim.thread_exit)
        shim.thread_exit();
}

static void watch_thread(void) { pthread_setspecific(watched, &pydri_tls); }

static void retire(void)
{
    STORE(exiting, 1);
    bury(EXITING);
    pydri_see_out();
}

static void at_exit(void)
{
    if (LOAD(exiting) || LOAD(state) != ALIVE) return;
    if (shim.at_exit) shim.at_exit(); /* null in a joined interpreter: Python's own atexit comes first */
    retire();
}

/* Ahead of the destructors of libraries that were loaded before arm_exit was called. */
static void before_exit(void)
{
    if (!LOAD(exiting) && LOAD(state) == ALIVE && shim.before_exit)
        shim.before_exit();
}

static void arm_exit(void) { atexit(before_exit); }

/* While a thread of ours loads a library, exit() would run the destructors that the library's
   constructors have registered so far, ahead of any handler of ours, and the library would go on
   with what they destroyed. Destructors of thread-local objects come before all handlers: that of
   the thread that loaded us, the main one as a rule, waits until nothing is being loaded, and from
   then on nothing is begun. Another thread may as well just end, and the process go on without it:
   it only waits. */
static int loading, leaving;

static void hold_exit(void *unused)
{
    struct timespec moment = { 0, 1000000 };
    int turns = 0;
    (void)unused;
    if (syscall(SYS_gettid) == getpid()) __atomic_store_n(&leaving, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&loading, __ATOMIC_SEQ_CST) && turns++ < 20000)
        nanosleep(&moment, 0);
}

/* Whether a thread of ours may load a library now; end_loading follows when that is done. */
static int begin_loading(void)
{
    __atomic_add_fetch(&loading, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&leaving, __ATOMIC_SEQ_CST)) return 1;
    __atomic_sub_fetch(&loading, 1, __ATOMIC_SEQ_CST);
    return 0;
}

static void end_loading(void) { __atomic_sub_fetch(&loading, 1, __ATOMIC_SEQ_CST); }

/* What a child that wants to draw asks for first. Who only tidies up after its parent, as objects
   do that a child inherits, calls none of these, and hears nothing. */
static void *in_child(void)
{
    static int said;
    if (pydri_level() && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pydri_say(1, "pydri: this process was forked after its parent had used GL, and cannot draw:"
                     " fork before the first GL call, or start it anew (multiprocessing's spawn or forkserver)");
    return 0;
}

static void answer_in_child(void **table, const char *const *names, const unsigned *at, int n)
{
    for (; *names; names++) {
        int slot = pydri_find_name(*names, at, n);
        if (slot >= 0) STORE(table[slot], (void *)in_child);
    }
}

static void forked(void)
{
    static const char *const glx[] = { "glXChooseVisual", "glXChooseFBConfig", "glXGetFBConfigs",
        "glXCreateContext", "glXCreateNewContext", "glXCreateContextAttribsARB", 0 };
    static const char *const egl[] = { "eglGetDisplay", "eglGetPlatformDisplay", "eglGetPlatformDisplayEXT",
        "eglInitialize", "eglCreateContext", 0 };
    static const char *const osmesa[] = { "OSMesaCreateContext", "OSMesaCreateContextExt",
        "OSMesaCreateContextAttribs", 0 };
    /* Python's locks, our threads and the X connection belong to the parent: nothing of it is
       touched here. The child may start other programs; it cannot draw. */
    if (LOAD(state) == ALIVE) {
        shim.at_exit = shim.before_exit = 0;
        loading = 0; /* whoever did is not here */
        bury(FORKED);
        answer_in_child(pydri_glx_table, glx, pydri_glx_name_at, pydri_n_glx);
        answer_in_child(pydri_egl_table, egl, pydri_egl_name_at, pydri_n_egl);
        answer_in_child(pydri_osmesa_table, osmesa, pydri_osmesa_name_at, pydri_n_osmesa);
        forget_current();
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
    shim.n_egl = pydri_n_egl;
    shim.n_osmesa = pydri_n_osmesa;
    shim.gl_names = list_names(pydri_gl_name_at, pydri_n_gl);
    shim.glx_names = list_names(pydri_glx_name_at, pydri_n_glx);
    shim.egl_names = list_names(pydri_egl_name_at, pydri_n_egl);
    shim.osmesa_names = list_names(pydri_osmesa_name_at, pydri_n_osmesa);
    shim.glx_table = pydri_glx_table;
    shim.egl_table = pydri_egl_table;
    shim.osmesa_table = pydri_osmesa_table;
    shim.lazy_dispatch = pydri_lazy_dispatch;
    shim.lazy_stubs = pydri_lazy_stub_table;
    shim.lazy_glx_stubs = pydri_lazy_glx_table;
    shim.lazy_egl_stubs = pydri_lazy_egl_table;
    shim.lazy_osmesa_stubs = pydri_lazy_osmesa_table;
    shim.null_dispatch = pydri_null_dispatch;
    shim.null_context = &null_context;
    shim.thread = calling_thread;
    shim.libdir = libdir;
    shim.exiting = &exiting;
    shim.remember = pydri_remember;
    shim.retire = retire;
    shim.watch_thread = watch_thread;
    shim.arm_exit = arm_exit;
    shim.begin_loading = begin_loading;
    shim.end_loading = end_loading;
    return &shim;
}

/* ------------------------------------------------------------------ lazy slots */

/* Resolves a slot, unless somebody has put something else there by now: a kernel, or the end (bury). */
static void put(void **slot, void *stub, void *address)
{
    __atomic_compare_exchange_n(slot, &stub, address, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* stubs.S comes here with the argument registers saved; it jumps to what we return. */
HIDDEN void *pydri_find_gl(struct pydri_context *ctx, int slot)
{
    void *address = 0;
    if (LOAD(state) == ALIVE && shim.resolve_gl)
        address = shim.resolve_gl(ctx, slot);
    if (!address) return (void *)pydri_noop;
    put(&pydri_lazy_dispatch[slot], pydri_lazy_stub_table[slot], address); /* for contexts to come */
    put(&ctx->dispatch[slot], pydri_lazy_stub_table[slot], address);
    return address;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void boot_once(void)
{
    pthread_key_create(&watched, thread_ended);
    if (!pydri_boot()) {
        bury(FAILED);
        forget_current();
        return;
    }
    atexit(at_exit);
    pthread_atfork(0, 0, forked);
}

/* A slot of a window system's table: its first one boots. */
static void *find_front(void **table, void **lazy, int slot, void *(*const *resolve)(int slot))
{
    void *address = 0;
    if (LOAD(state) == ALIVE) pthread_once(&once, boot_once);
    if (LOAD(state) == ALIVE && *resolve) address = (*resolve)(slot);
    if (!address) return (void *)pydri_noop;
    put(&table[slot], lazy[slot], address);
    return address;
}

HIDDEN void *pydri_find_glx(int slot)
{
    return find_front(pydri_glx_table, pydri_lazy_glx_table, slot, &shim.resolve_glx);
}

HIDDEN void *pydri_find_egl(int slot)
{
    return find_front(pydri_egl_table, pydri_lazy_egl_table, slot, &shim.resolve_egl);
}

HIDDEN void *pydri_find_osmesa(int slot)
{
    return find_front(pydri_osmesa_table, pydri_lazy_osmesa_table, slot, &shim.resolve_osmesa);
}

/* ------------------------------------------------------------------ names to addresses */

HIDDEN int pydri_find_name(const char *name, const unsigned *at, int n)
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
    slot = pydri_find_name(name, pydri_glx_name_at, pydri_n_glx);
    if (slot >= 0) return (void *)(pydri_stub_base + pydri_glx_stub_at[slot]);
    slot = pydri_find_name(name, pydri_gl_name_at, pydri_n_gl);
    if (slot >= 0) return (void *)(pydri_stub_base + pydri_gl_stub_at[slot]);
    return 0;
}

/* EGL_KHR_get_all_proc_addresses: functions of GL's core too. And those of glX: GLVND's libEGL answers every name that begins with "gl",
   and eglretrace, for one, calls glXGetCurrentDisplay by what it got here. */
HIDDEN void *pydri_find_egl_proc(const char *name)
{
    int slot;
    if (!name) return 0;
    slot = pydri_find_name(name, pydri_egl_name_at, pydri_n_egl);
    if (slot >= 0) return (void *)(pydri_stub_base + pydri_egl_stub_at[slot]);
    return pydri_find_proc(name);
}

HIDDEN void *pydri_find_osmesa_proc(const char *name)
{
    int slot = name ? pydri_find_name(name, pydri_osmesa_name_at, pydri_n_osmesa) : -1;
    if (slot >= 0) return (void *)(pydri_stub_base + pydri_osmesa_stub_at[slot]);
    return pydri_find_proc(name);
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

/* ------------------------------------------------------------------ egl answered in C */

enum { EGL_SUCCESS = 0x3000, EGL_NOT_INITIALIZED = 0x3001, EGL_BAD_PARAMETER = 0x300C, EGL_DRAW = 0x3059, EGL_READ = 0x305A };
enum { EGL_OPENGL_ES_API = 0x30A0 };

/* Every egl function but eglGetError sets the thread's error, here to `code`. */
static void *with_error(int code, void *result)
{
    pydri_tls.egl_error = code == EGL_SUCCESS ? 0 : code;
    return result;
}

static int take_error(void)
{
    int error = pydri_tls.egl_error;
    pydri_tls.egl_error = 0;
    if (LOAD(state) == FAILED || LOAD(state) == FORKED) return EGL_NOT_INITIALIZED; /* nothing works */
    return error ? error : EGL_SUCCESS;
}

/* EGL 1.5, 3.7: at first OpenGL ES is bound. */
static unsigned int query_api(void)
{
    with_error(EGL_SUCCESS, 0);
    return pydri_tls.egl_api ? pydri_tls.egl_api : EGL_OPENGL_ES_API;
}

static void *current_surface(int which)
{
    if (which == EGL_DRAW) return with_error(EGL_SUCCESS, pydri_tls.egl_draw);
    if (which == EGL_READ) return with_error(EGL_SUCCESS, pydri_tls.egl_read);
    return with_error(EGL_BAD_PARAMETER, 0);
}

ANSWER(void *, eglGetProcAddress, (const char *name), with_error(EGL_SUCCESS, pydri_find_egl_proc(name)))
ANSWER(int, eglGetError, (void), take_error())
ANSWER(unsigned int, eglQueryAPI, (void), query_api())
ANSWER(void *, eglGetCurrentContext, (void), with_error(EGL_SUCCESS, pydri_tls.egl_context))
ANSWER(void *, eglGetCurrentDisplay, (void), with_error(EGL_SUCCESS, pydri_tls.egl_display))
ANSWER(void *, eglGetCurrentSurface, (int which), current_surface(which))

/* ------------------------------------------------------------------ OSMesa answered in C */

ANSWER(void *, OSMesaGetProcAddress, (const char *name), pydri_find_osmesa_proc(name))
ANSWER(void *, OSMesaGetCurrentContext, (void), pydri_tls.osmesa_context)

/* ------------------------------------------------------------------ load time */

extern HIDDEN void *__dso_handle; /* the linker's name for this library */
/* libc's: what C++ compilers call to have a thread's object destroyed */
extern int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library);

static void fill_front(void **table, void **lazy, char *stubs, int n)
{
    int i;
    for (i = 0; i < n; i++)
        table[i] = lazy[i] = stubs + i * STUB_SIZE;
}

__attribute__((constructor(101))) static void fill_tables(void)
{
    int i;
    for (i = 0; i < pydri_n_gl; i++) {
        pydri_null_dispatch[i] = pydri_null_gl_stubs + i * STUB_SIZE;
        pydri_lazy_dispatch[i] = pydri_lazy_stub_table[i] = pydri_lazy_gl_stubs + i * STUB_SIZE;
    }
    fill_front(pydri_glx_table, pydri_lazy_glx_table, pydri_lazy_glx_stubs, pydri_n_glx);
    fill_front(pydri_egl_table, pydri_lazy_egl_table, pydri_lazy_egl_stubs, pydri_n_egl);
    fill_front(pydri_osmesa_table, pydri_lazy_osmesa_table, pydri_lazy_osmesa_stubs, pydri_n_osmesa);
    __cxa_thread_atexit_impl(hold_exit, 0, &__dso_handle);
}
