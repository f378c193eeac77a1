/* SPDX-License-Identifier: MIT
 *
 * What programs call after the driver's end. One that embeds Python may end it before its GL, as
 * Blender does, and the driver has lived in that Python; others call from destructors. Nothing is
 * drawn any more. But they tidy up, and some stop with an assertion where that fails (libepoxy, if
 * there is no current context or no GL_VERSION): so what makes contexts current and what lets go
 * succeeds, and a context's strings are still there. What would make something fails.
 */
#include <stdlib.h>
#include <string.h>
#include "shim.h"

enum { EGL_NOT_INITIALIZED = 0x3001, EGL_OPENGL_ES_API = 0x30A0, EGL_CONTEXT_CLIENT_TYPE = 0x3097 };

static struct { unsigned name; char *text; } strings[8];

HIDDEN void pydri_remember(unsigned name, const char *text)
{
    int i;
    for (i = 0; i < 8 && strings[i].text && strings[i].name != name; i++) ;
    if (i == 8 || strings[i].text) return;
    strings[i].name = name;
    strings[i].text = strdup(text);
}

static const char *get_string(struct pydri_context *ctx, unsigned name)
{
    int i;
    (void)ctx;
    if (!pydri_tls.glx_context && !pydri_tls.egl_context) return 0;
    for (i = 0; i < 8 && strings[i].text; i++)
        if (strings[i].name == name) return strings[i].text;
    return 0;
}

static int let_go(void)
{
    pydri_tls.glx_context = pydri_tls.dpy = 0;
    pydri_tls.draw = pydri_tls.read = 0;
    pydri_tls.egl_context = pydri_tls.egl_draw = pydri_tls.egl_read = pydri_tls.egl_display = 0;
    pydri_tls.egl_error = 0;
    return 1;
}

static int glx_current(void *dpy, unsigned long draw, unsigned long read, void *ctx)
{
    let_go();
    if (!ctx) return 1;
    pydri_tls.dpy = dpy;
    pydri_tls.draw = draw;
    pydri_tls.read = read;
    pydri_tls.glx_context = ctx;
    return 1;
}

static int glx_make_current(void *dpy, unsigned long drawable, void *ctx)
{
    return glx_current(dpy, drawable, drawable, ctx);
}

static int egl_make_current(void *dpy, void *draw, void *read, void *ctx)
{
    let_go();
    if (!ctx) return 1;
    pydri_tls.egl_display = dpy;
    pydri_tls.egl_draw = draw;
    pydri_tls.egl_read = read;
    pydri_tls.egl_context = ctx;
    return 1;
}

static int bind_api(unsigned api)
{
    pydri_tls.egl_api = api;
    pydri_tls.egl_error = 0;
    return 1;
}

/* What a context is for is what is bound: whoever asks has one kind. */
static int query_context(void *dpy, void *ctx, int attribute, int *value)
{
    (void)dpy, (void)ctx;
    if (attribute != EGL_CONTEXT_CLIENT_TYPE || !value) {
        pydri_tls.egl_error = EGL_NOT_INITIALIZED;
        return 0;
    }
    *value = pydri_tls.egl_api ? (int)pydri_tls.egl_api : EGL_OPENGL_ES_API;
    pydri_tls.egl_error = 0;
    return 1;
}

static int succeed(void)
{
    pydri_tls.egl_error = 0;
    return 1;
}

static void *fail(void)
{
    pydri_tls.egl_error = EGL_NOT_INITIALIZED;
    return 0;
}

static const struct { const char *name; void *function; } glx[] = {
    { "glXMakeCurrent", glx_make_current },
    { "glXMakeContextCurrent", glx_current },
    { "glXMakeCurrentReadSGI", glx_current },
}, egl[] = {
    { "eglMakeCurrent", egl_make_current },
    { "eglReleaseThread", let_go },
    { "eglBindAPI", bind_api },
    { "eglQueryContext", query_context },
    { "eglDestroyContext", succeed },
    { "eglDestroySurface", succeed },
    { "eglTerminate", succeed },
};

#define COUNT(rows) (int)(sizeof rows / sizeof *rows)

HIDDEN void pydri_see_out(void)
{
    int i, slot;
    for (i = 0; i < pydri_n_egl; i++)
        STORE(pydri_egl_table[i], (void *)fail);
    for (i = 0; i < COUNT(egl); i++)
        if ((slot = pydri_find_name(egl[i].name, pydri_egl_name_at, pydri_n_egl)) >= 0)
            STORE(pydri_egl_table[slot], egl[i].function);
    for (i = 0; i < COUNT(glx); i++)
        if ((slot = pydri_find_name(glx[i].name, pydri_glx_name_at, pydri_n_glx)) >= 0)
            STORE(pydri_glx_table[slot], glx[i].function);
    slot = pydri_find_name("glGetString", pydri_gl_name_at, pydri_n_gl);
    STORE(pydri_null_dispatch[slot], (void *)get_string);
}
