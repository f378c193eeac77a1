/* SPDX-License-Identifier: MIT
 *
 * What the shim, the generated stubs, the boot and the Python side share. The part between the
 * CDEF marks is read by cffi too (libgl_shim/core.py), so it is declared once: no preprocessor there.
 */
#ifndef PYDRI_SHIM_H
#define PYDRI_SHIM_H

/* CDEF-BEGIN */
struct pydri_context {
    void **dispatch;             /* GLContext of pydri/main/layout.py begins with this */
};

struct pydri_thread {
    struct pydri_context *ctx;   /* never null: the null context when nothing is current */
    void *glx_context;           /* what glXGetCurrent* answer; null while EGL's context is current */
    unsigned long draw, read;
    void *dpy;
    void *egl_context, *egl_draw, *egl_read, *egl_display; /* the same for eglGetCurrent* */
    void *egl_drawable;          /* the native Drawable behind egl_draw, null if there is none */
    unsigned int egl_api;        /* eglBindAPI; 0: OpenGL ES, the default */
    int egl_error;               /* of the last egl call; 0: EGL_SUCCESS */
    void *osmesa_context;        /* the same for OSMesaGetCurrentContext */
};

struct pydri_shim {
    int version;                 /* of this struct */
    int joined;                  /* 1: the interpreter is the host's, not ours */
    int n_gl, n_glx, n_egl, n_osmesa;
    const char *const *gl_names; /* by slot */
    const char *const *glx_names;
    const char *const *egl_names;
    const char *const *osmesa_names;
    void **glx_table;            /* what the exported glX functions jump through */
    void **egl_table;            /* and the egl functions */
    void **osmesa_table;         /* and the OSMesa functions */
    void **lazy_dispatch;        /* first content of a context's tables; filled as slots resolve */
    void **lazy_stubs;           /* the stubs themselves; never changes */
    void **lazy_glx_stubs;
    void **lazy_egl_stubs;
    void **lazy_osmesa_stubs;
    void **null_dispatch;        /* entries that do nothing */
    struct pydri_context *null_context;
    struct pydri_thread *(*thread)(void); /* the calling thread's block */
    const char *libdir;
    int *exiting;
    void (*watch_thread)(void);  /* thread_exit is to be called when the calling thread ends */
    void (*remember)(unsigned name, const char *text); /* glGetString's answer after the end */
    void (*retire)(void);        /* from now on calls do nothing; those that tidy up succeed */
    void (*arm_exit)(void);      /* before_exit is to be called ahead of what is loaded by now */
    int (*begin_loading)(void);  /* 0: the process ends; else exit() waits for end_loading */
    void (*end_loading)(void);
    /* filled by the Python side */
    void *(*resolve_gl)(struct pydri_context *ctx, int slot);
    void *(*resolve_glx)(int slot);
    void *(*resolve_egl)(int slot);
    void *(*resolve_osmesa)(int slot);
    void (*at_exit)(void);
    void (*before_exit)(void);
    void (*thread_exit)(void);   /* a watched thread ends, and a context is current in it */
};
/* CDEF-END */

#define PYDRI_SHIM_VERSION 7

#define HIDDEN __attribute__((visibility("hidden")))

/* MXCSR while Python runs: what every C program begins with. Flags that exceptions have left stay
 * on the way in, because to change them takes long (pydri/jit/fpstate.py). Gives what there was. */
static inline unsigned int enter_c(void)
{
    unsigned int was = __builtin_ia32_stmxcsr();
    if ((was & 0xffc0) != 0x1f80)
        __builtin_ia32_ldmxcsr(0x1f80 | (was & 0x3f));
    return was;
}

static inline void leave_c(unsigned int was)
{
    if ((was & 0xffc0) != 0x1f80)
        __builtin_ia32_ldmxcsr(was);
}
#define EXPORT __attribute__((visibility("default")))
#define SHARED __attribute__((visibility("protected")))

/* What one thread writes while others read it: slots of tables, and whether calls do anything. On x86 these are
   plain moves. */
#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define STORE(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)

#define STUB_SIZE 16 /* bytes of one lazy stub */

extern SHARED __thread struct pydri_thread pydri_tls __attribute__((tls_model("initial-exec")));
extern HIDDEN void *pydri_glx_table[], *pydri_egl_table[], *pydri_osmesa_table[];
extern HIDDEN const int pydri_n_gl, pydri_n_glx, pydri_n_egl, pydri_n_osmesa;

/* stubs.S: the boot, and the way back into C from a slot nobody has resolved yet */
extern HIDDEN char pydri_lazy_gl_stubs[], pydri_lazy_glx_stubs[], pydri_lazy_egl_stubs[];
extern HIDDEN char pydri_lazy_osmesa_stubs[];
extern HIDDEN char pydri_null_gl_stubs[];
extern HIDDEN void pydri_noop(void);

/* tables.S: names and addresses of the exports, sorted, as offsets: no relocations at load time */
extern HIDDEN const char pydri_name_text[];
extern HIDDEN const unsigned pydri_gl_name_at[], pydri_glx_name_at[], pydri_egl_name_at[];
extern HIDDEN const unsigned pydri_osmesa_name_at[];
extern HIDDEN const int pydri_gl_stub_at[], pydri_glx_stub_at[], pydri_egl_stub_at[];
extern HIDDEN const int pydri_osmesa_stub_at[];
extern HIDDEN const char pydri_stub_base[];

extern HIDDEN void *pydri_null_dispatch[]; /* tables of who has no context */

HIDDEN int pydri_find_name(const char *name, const unsigned *at, int n); /* its slot, or -1 */
HIDDEN void pydri_remember(unsigned name, const char *text); /* afterwards.c */
HIDDEN void pydri_see_out(void);
HIDDEN void *pydri_find_proc(const char *name);     /* glXGetProcAddress */
HIDDEN void *pydri_find_egl_proc(const char *name); /* eglGetProcAddress */
HIDDEN void *pydri_find_osmesa_proc(const char *name); /* OSMesaGetProcAddress */
HIDDEN int pydri_level(void); /* 0 quiet, 1 warnings, 2 verbose */
HIDDEN void pydri_own_clocks(void *library);
HIDDEN void pydri_say(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* boot.c */
HIDDEN const struct pydri_shim *pydri_boot(void); /* null if Python could not be started */

#define PYDRI_MOST_LOOKS 8

/* What the boot reads from the sidecar file and hands to the core library. */
struct pydri_sidecar {
    char text[8192];             /* the file, its lines cut apart in place */
    const char *libpython, *home, *executable, *version, *paths[16];
    int n_paths, n_stdlib;       /* the first n_stdlib paths are the standard library */
    const char *looks[PYDRI_MOST_LOOKS], *besides; /* what pydri_look will be asked for */
    int n_looks;
};

/* core_boot.c, in _core.so: starts or joins the interpreter and calls pydri.boot.start(shim).
   Returns null, or what went wrong in words. */
typedef const char *(*pydri_core_boot_fn)(struct pydri_shim *shim, const struct pydri_sidecar *side);

/* How the sources in a folder look; libgl_shim/ready.py asks, too. */
EXPORT unsigned long long pydri_look(const char *root, const char *without);

#endif
