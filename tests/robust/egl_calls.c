/* SPDX-License-Identifier: MIT */
/* Random well-typed EGL calls: egl_calls SEED CALLS [THREADS]. Every player has a display of X11 of its own, all share the
 * surfaceless one, which comes to an end now and then; surfaces, contexts and syncs come and go, are current here and there, are
 * used by other threads, after their end, as things of another kind. Handles may be invented, numbers and attributes anything;
 * lists and answers lie at the end of mapped memory (guard.h). A call fails if and only if it has an error, X errors are
 * counted, and at the end every player draws. */
#include "guard.h"
#include "player.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

enum { SHARED = 64, CONFIGS = 40 };

typedef struct {
    Display *x;
    EGLDisplay own, displays[3]; /* of X11, surfaceless, one that never was */
    EGLConfig configs[CONFIGS];
    int config_count, visuals;
    Things things;
    EGLSurface surfaces[KEPT];
    EGLContext contexts[KEPT];
    EGLSync syncs[KEPT];
    Area *list, *answer;
} Player;

static void *_Atomic handles[SHARED]; /* of all players and kinds, alive or not */

static const int values[] = {0, 1, -1, 2, 3, 4, 8, 24, 100, 0x7fffffff, -0x7fffffff - 1, EGL_TRUE, EGL_DONT_CARE, EGL_BACK_BUFFER,
                             EGL_SINGLE_BUFFER, EGL_WINDOW_BIT, EGL_PBUFFER_BIT, EGL_OPENGL_BIT, EGL_OPENGL_ES2_BIT, 4096};
enum { VALUES = sizeof values / sizeof *values };

static const int names[] = {
    EGL_RED_SIZE, EGL_ALPHA_SIZE, EGL_DEPTH_SIZE, EGL_STENCIL_SIZE, EGL_SAMPLES, EGL_SAMPLE_BUFFERS, EGL_SURFACE_TYPE, EGL_RENDERABLE_TYPE,
    EGL_CONFIG_ID, EGL_NATIVE_VISUAL_ID, EGL_CONFORMANT, EGL_TRANSPARENT_TYPE, EGL_MAX_PBUFFER_WIDTH, EGL_WIDTH, EGL_HEIGHT,
    EGL_LARGEST_PBUFFER, EGL_RENDER_BUFFER, EGL_GL_COLORSPACE, EGL_SWAP_BEHAVIOR, EGL_MIPMAP_LEVEL, EGL_MULTISAMPLE_RESOLVE,
    EGL_TEXTURE_FORMAT, EGL_TEXTURE_TARGET, EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION, EGL_CONTEXT_OPENGL_PROFILE_MASK,
    EGL_CONTEXT_OPENGL_DEBUG, EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_CONTEXT_CLIENT_TYPE, EGL_BUFFER_AGE_EXT, EGL_SYNC_STATUS,
    EGL_SYNC_TYPE, EGL_SYNC_CONDITION, EGL_CONTEXT_PRIORITY_LEVEL_IMG, EGL_CONTEXT_OPENGL_NO_ERROR_KHR};
enum { NAMES = sizeof names / sizeof *names };

static int any_number(void)
{
    return wild(values, VALUES);
}

/* Mostly one that may be asked of such a thing. */
static int name_of(const int *likely, int count)
{
    return pick(2) ? likely[pick(count)] : wild(names, NAMES);
}

static int surface_name(void)
{
    static const int likely[] = {EGL_WIDTH, EGL_HEIGHT, EGL_CONFIG_ID, EGL_RENDER_BUFFER, EGL_SWAP_BEHAVIOR, EGL_BUFFER_AGE_EXT,
                                 EGL_MULTISAMPLE_RESOLVE, EGL_MIPMAP_LEVEL};
    return name_of(likely, 8);
}

static int context_name(void)
{
    static const int likely[] = {EGL_CONFIG_ID, EGL_CONTEXT_CLIENT_TYPE, EGL_CONTEXT_CLIENT_VERSION, EGL_RENDER_BUFFER};
    return name_of(likely, 4);
}

static int config_name(void)
{
    return name_of(names, 13);
}

static int sync_name(void)
{
    static const int likely[] = {EGL_SYNC_STATUS, EGL_SYNC_TYPE, EGL_SYNC_CONDITION};
    return name_of(likely, 3);
}

/* A list that ends where its memory ends; sizes stay moderate. */
static const EGLint *attributes(Player *p)
{
    const int *list = pairs(names, NAMES, values, VALUES, EGL_NONE);
    int count = 0;
    while (list[count] != EGL_NONE)
        count += 2;
    EGLint *copy = memcpy(tail(p->list, (count + 1) * sizeof *copy), list, (count + 1) * sizeof *copy);
    for (int i = 0; i < count; i += 2)
        if (copy[i] == EGL_WIDTH || copy[i] == EGL_HEIGHT)
            copy[i + 1] %= 300;
    return pick(3) ? copy : NULL;
}

static const EGLAttrib *wide_attributes(Player *p)
{
    const EGLint *list = attributes(p);
    int count = 1;
    if (!list)
        return NULL;
    while (list[count - 1] != EGL_NONE)
        count += 2;
    EGLAttrib wide[2 * WORDS + 2];
    for (int i = 0; i < count; i++)
        wide[i] = list[i];
    return memcpy(tail(p->list, count * sizeof *wide), wide, count * sizeof *wide);
}

/* Mostly the one of this kind; else one of somebody else's, one that was, none, or none that ever was. */
static void *handle(void *const *mine)
{
    if (pick(8))
        return mine[pick(KEPT)];
    switch (pick(4)) {
    case 0: return NULL;
    case 1: return (void *) (size_t) (draw_lot() & 0xffff);
    case 2: return areas[0].begin - 1000; /* nobody may read there */
    default: return handles[pick(SHARED)];
    }
}

static EGLDisplay display(Player *p)
{
    return pick(12) ? p->own : p->displays[pick(3)];
}

/* Mostly the one that fits everything, or no context would find a surface. */
static EGLConfig config(Player *p)
{
    if (pick(4))
        return p->configs[0];
    return pick(20) ? p->configs[pick(p->config_count)] : handle((void *const *) p->contexts);
}

static void *keep(void *made)
{
    if (made)
        handles[pick(SHARED)] = made;
    return made;
}

static void start(Player *p)
{
    p->own = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, p->x, NULL);
    if (!eglInitialize(p->own, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        fail("no display: 0x%x", eglGetError());
    static const EGLint all[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT | EGL_PIXMAP_BIT | EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                 EGL_DEPTH_SIZE, 16, EGL_NONE};
    int count;
    eglGetConfigs(p->own, p->configs, CONFIGS, &p->config_count);
    if (!eglChooseConfig(p->own, all, p->configs, 1, &count) || !count)
        fail("no config: 0x%x", eglGetError());
    p->displays[0] = p->own;
    p->displays[1] = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    p->displays[2] = (EGLDisplay) (areas[0].begin - 500);
    if (pick(3))
        eglInitialize(p->displays[1], NULL, NULL);
    eglGetError();
}

/* The visual of a config's windows, 0 where it has none. */
static XVisualInfo *visual_of(Player *p, EGLConfig of)
{
    XVisualInfo wanted = {0};
    int count, id = 0;
    eglGetConfigAttrib(p->own, of, EGL_NATIVE_VISUAL_ID, &id);
    wanted.visualid = id;
    return id ? XGetVisualInfo(p->x, VisualIDMask, &wanted, &count) : NULL;
}

static EGLSurface make_surface(Player *p, int at)
{
    EGLConfig chosen = config(p);
    EGLDisplay on = display(p);
    int width = 1 + pick(200), height = 1 + pick(200), kind = pick(4);
    XVisualInfo *visual = kind < 3 ? visual_of(p, pick(3) ? chosen : p->configs[pick(p->config_count)]) : NULL;
    EGLSurface made = EGL_NO_SURFACE;
    if (kind == 3 || !visual) {
        EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
        made = eglCreatePbufferSurface(on, chosen, pick(3) ? memcpy(tail(p->list, sizeof size), size, sizeof size) : attributes(p));
    } else if (kind == 2) {
        if (!p->things.pixmaps[at])
            add_pixmap(&p->things, at, p->x, visual->depth, width, height);
        Pixmap *pixmap = memcpy(tail(p->answer, sizeof *pixmap), &p->things.pixmaps[at], sizeof *pixmap);
        made = pick(2) ? eglCreatePixmapSurface(on, chosen, *pixmap, attributes(p))
                       : eglCreatePlatformPixmapSurface(on, chosen, pixmap, wide_attributes(p));
    } else {
        if (!p->things.windows[at])
            add_window(&p->things, at, p->x, visual, width, height);
        Window *window = memcpy(tail(p->answer, sizeof *window), &p->things.windows[at], sizeof *window);
        for (int i = 0; i < 30 && !made; i++) /* until a config fits */
            made = pick(2) ? eglCreateWindowSurface(on, i ? p->configs[pick(p->config_count)] : chosen, *window, pick(4) ? NULL : attributes(p))
                           : eglCreatePlatformWindowSurface(on, i ? p->configs[pick(p->config_count)] : chosen, window, pick(4) ? NULL : wide_attributes(p));
    }
    if (visual)
        XFree(visual);
    eglGetError(); /* of the last one that was tried */
    return keep(made);
}

/* The result of a call that succeeds exactly if it has no error. */
static void agree(const char *what, int succeeded)
{
    EGLint error = eglGetError();
    if (error < EGL_SUCCESS || error > EGL_CONTEXT_LOST)
        fail("%s: error 0x%x", what, error);
    if (succeeded != (error == EGL_SUCCESS))
        fail("%s %s with error 0x%x", what, succeeded ? "succeeds" : "fails", error);
}

#define TOLD(call) agree(#call, !!(call))

static void any_call(Player *p)
{
    EGLDisplay d = display(p);
    int at = pick(KEPT), other = pick(KEPT);
    EGLint *answer = tail(p->answer, sizeof *answer);
    EGLAttrib *wide = tail(p->answer, sizeof *wide);
    EGLSurface surface = handle(p->surfaces), second = handle(p->surfaces);
    EGLContext context = handle(p->contexts);
    EGLSync sync = handle(p->syncs);
    int room = pick(6) * (int) sizeof(EGLConfig);
    switch (pick(40)) {
    case 0:
    case 1:
    case 2:
        if (p->surfaces[at])
            TOLD(eglDestroySurface(p->own, p->surfaces[at]));
        p->surfaces[at] = make_surface(p, at);
        break;
    case 3: if (!pick(4)) TOLD(eglDestroySurface(d, surface)); break;
    case 4: pick(2) ? drop_window(&p->things, at, p->x) : drop_pixmap(&p->things, at, p->x); break;
    case 5:
    case 6:
        if (p->contexts[at])
            TOLD(eglDestroyContext(p->own, p->contexts[at]));
        p->contexts[at] = keep(eglCreateContext(p->own, pick(6) ? config(p) : NULL, pick(3) ? NULL : context, pick(2) ? NULL : attributes(p)));
        agree("eglCreateContext", !!p->contexts[at]);
        break;
    case 7: if (!pick(4)) TOLD(eglDestroyContext(d, context)); break;
    case 8:
    case 9:
    case 10:
    case 11: TOLD(eglMakeCurrent(p->own, p->surfaces[at], p->surfaces[at], p->contexts[other])); break;
    case 12: TOLD(eglMakeCurrent(d, surface, second, context)); break;
    case 13: TOLD(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, pick(2) ? context : EGL_NO_CONTEXT)); break;
    case 14:
    case 15:
    case 16:
    case 17: draw_something(), TOLD(eglSwapBuffers(p->own, eglGetCurrentSurface(EGL_DRAW))); break;
    case 18: TOLD(eglSwapBuffers(d, surface)); break;
    case 19:
    case 20: disturb(&p->things, at, p->x); break;
    case 21: TOLD(eglQuerySurface(d, surface, surface_name(), answer)); break;
    case 22: TOLD(eglQueryContext(d, context, context_name(), answer)); break;
    case 23: TOLD(eglSurfaceAttrib(d, surface, surface_name(), pick(2) ? (int[]) {EGL_BUFFER_PRESERVED, EGL_BUFFER_DESTROYED, EGL_MULTISAMPLE_RESOLVE_DEFAULT, 0}[pick(4)] : any_number())); break;
    case 24: TOLD(eglGetConfigAttrib(d, config(p), config_name(), answer)); break;
    case 25: TOLD(eglChooseConfig(d, attributes(p), pick(5) ? tail(p->answer, room + sizeof *answer) : NULL, room / sizeof(EGLConfig), answer)); break;
    case 26: TOLD(eglGetConfigs(d, pick(5) ? tail(p->answer, room + sizeof *answer) : NULL, room / sizeof(EGLConfig), answer)); break;
    case 27: TOLD(eglCopyBuffers(d, surface, p->things.pixmaps[at] ? p->things.pixmaps[at] : p->things.windows[other])); break;
    case 28: TOLD(eglSwapInterval(p->own, 0)); break;
    case 29: TOLD(eglWaitClient()); TOLD(eglWaitGL()); TOLD(eglWaitNative(pick(2) ? EGL_CORE_NATIVE_ENGINE : any_number())); break;
    case 30:
        if (p->syncs[at])
            TOLD(eglDestroySync(p->own, p->syncs[at]));
        p->syncs[at] = keep(eglCreateSync(pick(8) ? p->own : d, pick(2) ? EGL_SYNC_FENCE : pick(2) ? EGL_SYNC_REUSABLE_KHR : any_number(),
                                          pick(2) ? NULL : wide_attributes(p)));
        agree("eglCreateSync", !!p->syncs[at]);
        break;
    case 31: TOLD(eglClientWaitSync(d, sync, any_number(), pick(2) ? 0 : 100000)); break;
    case 32: TOLD(eglGetSyncAttrib(d, sync, sync_name(), wide)); break;
    case 33: TOLD(eglWaitSync(d, sync, pick(4) ? 0 : any_number())); break;
    case 34: TOLD(eglQueryString(pick(4) ? d : EGL_NO_DISPLAY, pick(2) ? EGL_EXTENSIONS : any_number())); break;
    case 35: TOLD(eglBindAPI(pick(8) ? EGL_OPENGL_API : any_number())); break;
    case 36: TOLD(pick(2) ? eglBindTexImage(d, surface, EGL_BACK_BUFFER) : eglReleaseTexImage(d, surface, any_number())); break;
    case 37: /* ends: of the display that all share, of one's own, of the thread's state */
        if (!pick(20))
            TOLD(eglTerminate(p->displays[1]));
        if (!pick(20))
            TOLD(eglInitialize(p->displays[1], answer - 1, answer));
        if (!pick(30)) {
            TOLD(eglTerminate(p->own));
            for (int i = 0; i < KEPT; i++)
                p->surfaces[i] = p->contexts[i] = p->syncs[i] = NULL;
            start(p);
        }
        break;
    case 38: if (!pick(20)) { TOLD(eglReleaseThread()); eglBindAPI(EGL_OPENGL_API); } break;
    default: eglGetCurrentContext(), eglGetCurrentDisplay(), eglGetCurrentSurface(any_number()), eglQueryAPI(), eglGetError(); XSync(p->x, False); break;
    }
}

/* Whatever has happened: a fresh pbuffer of the player's display is drawn to. */
static void draw_at_last(Player *p)
{
    EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE}, wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_NONE}, count;
    EGLConfig chosen;
    unsigned char pixel[4] = {0};
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(p->own, wanted, &chosen, 1, &count) || !count)
        fail("no config at last: 0x%x", eglGetError());
    EGLContext context = eglCreateContext(p->own, chosen, NULL, NULL);
    EGLSurface surface = eglCreatePbufferSurface(p->own, chosen, size);
    if (!eglMakeCurrent(p->own, surface, surface, context))
        fail("nothing current at last: 0x%x", eglGetError());
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(2, 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    if (pixel[0] || pixel[1] != 255)
        fail("drawn at last: %d %d %d", pixel[0], pixel[1], pixel[2]);
    eglTerminate(p->own);
    eglReleaseThread();
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER; /* guard.h's areas are made one after the other */

static void *play(void *argument)
{
    Player *p = calloc(1, sizeof *p);
    throw_own((long) argument);
    pthread_mutex_lock(&first);
    p->list = make_area(1), p->answer = make_area(1);
    pthread_mutex_unlock(&first);
    p->x = XOpenDisplay(NULL);
    if (!p->x)
        fail("no display");
    start(p);
    doing("a call of EGL");
    for (long i = 0; i < calls; i++)
        any_call(p);
    draw_at_last(p);
    XCloseDisplay(p->x);
    free(p);
    return NULL;
}

int main(int argc, char **argv)
{
    play_all(argc, argv, play);
    return faults != 0;
}
