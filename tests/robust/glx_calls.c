/* SPDX-License-Identifier: MIT */
/* Random well-typed GLX calls: glx_calls SEED CALLS [THREADS]. Contexts, windows, pixmaps and pbuffers come and go,
 * are current here and there, are resized, unmapped and destroyed under the driver's feet; names may be dead ones, numbers
 * and attributes anything. X errors are counted, nothing else may go wrong; memory must not grow with the calls. */
#include "rig.h"

#include <malloc.h>

enum { KEPT = 6, WORDS = 8 };

typedef struct {
    Display *display;
    unsigned long long state;
    GLXFBConfig *configs;
    int config_count;
    Window windows[KEPT];
    Pixmap pixmaps[KEPT];
    GLXDrawable drawables[KEPT];
    GLXContext contexts[KEPT];
    int kinds[KEPT]; /* of drawables: 0 window, 1 pixmap, 2 pbuffer */
} Player;

static unsigned draw_lot(Player *p)
{
    p->state = p->state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned) (p->state >> 33);
}

static int pick(Player *p, int n)
{
    return (int) (draw_lot(p) % (unsigned) n);
}

static int wild(Player *p)
{
    static const int values[] = {0, 1, -1, 2, 8, 24, 100, 0x7fffffff, -0x7fffffff - 1, GLX_RGBA_BIT, GLX_NONE,
                                 GLX_WINDOW_BIT, 4096, 0x8000};
    return pick(p, 4) ? values[pick(p, 14)] : (int) draw_lot(p);
}

static GLXFBConfig config(Player *p)
{
    return p->configs[pick(p, p->config_count)];
}

/* A few pairs of attribute and value, ended properly. */
static const int *attributes(Player *p)
{
    static __thread int list[2 * WORDS + 2];
    static const int names[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, GLX_DEPTH_SIZE, GLX_STENCIL_SIZE, GLX_SAMPLES,
                                GLX_SAMPLE_BUFFERS, GLX_DRAWABLE_TYPE, GLX_RENDER_TYPE, GLX_X_VISUAL_TYPE, GLX_CONFIG_CAVEAT,
                                GLX_FBCONFIG_ID, GLX_LEVEL, GLX_PBUFFER_WIDTH, GLX_PBUFFER_HEIGHT, GLX_LARGEST_PBUFFER,
                                GLX_PRESERVED_CONTENTS, 0x2091, 0x2092, 0x2094, 0x9126, 0x31B3, 0x8256, 0x20D6};
    int count = pick(p, WORDS);
    for (int i = 0; i < count; i++) {
        list[2 * i] = pick(p, 8) ? names[pick(p, 24)] : 1 + (int) (draw_lot(p) & 0xffff);
        list[2 * i + 1] = wild(p);
    }
    list[2 * count] = list[2 * count + 1] = None;
    return list;
}

static void make_drawable(Player *p, int at)
{
    Window root = DefaultRootWindow(p->display);
    int size[] = {1 + pick(p, 200), 1 + pick(p, 200)};
    int buffer[] = {GLX_PBUFFER_WIDTH, pick(p, 4) ? size[0] : wild(p), GLX_PBUFFER_HEIGHT, size[1], GLX_LARGEST_PBUFFER,
                    pick(p, 2), None};
    GLXFBConfig chosen = config(p);
    XVisualInfo *visual = glXGetVisualFromFBConfig(p->display, chosen);
    p->kinds[at] = pick(p, 3);
    p->drawables[at] = None;
    if (p->kinds[at] == 2) {
        p->drawables[at] = glXCreatePbuffer(p->display, chosen, buffer);
    } else if (visual && p->kinds[at] == 1) {
        p->pixmaps[at] = XCreatePixmap(p->display, root, size[0], size[1], visual->depth);
        p->drawables[at] = glXCreatePixmap(p->display, chosen, p->pixmaps[at], NULL);
    } else if (visual) {
        XSetWindowAttributes set = {.colormap = XCreateColormap(p->display, root, visual->visual, AllocNone),
                                    .override_redirect = True};
        p->windows[at] = XCreateWindow(p->display, root, pick(p, 500), pick(p, 500), size[0], size[1], 0, visual->depth,
                                       InputOutput, visual->visual, CWColormap | CWOverrideRedirect | CWBorderPixel, &set);
        XFreeColormap(p->display, set.colormap);
        if (pick(p, 2))
            XMapWindow(p->display, p->windows[at]);
        p->drawables[at] = pick(p, 2) ? p->windows[at] : glXCreateWindow(p->display, chosen, p->windows[at], NULL);
    }
    if (visual)
        XFree(visual);
}

static void drop_drawable(Player *p, int at)
{
    int first = pick(p, 2); /* the X window may go before GLX hears of it */
    if (first && p->windows[at])
        XDestroyWindow(p->display, p->windows[at]);
    if (p->drawables[at] && p->kinds[at] == 2)
        glXDestroyPbuffer(p->display, p->drawables[at]);
    else if (p->drawables[at] && p->kinds[at] == 1)
        glXDestroyPixmap(p->display, p->drawables[at]);
    else if (p->drawables[at] && p->drawables[at] != p->windows[at])
        glXDestroyWindow(p->display, p->drawables[at]);
    if (!first && p->windows[at])
        XDestroyWindow(p->display, p->windows[at]);
    if (p->pixmaps[at])
        XFreePixmap(p->display, p->pixmaps[at]);
    p->windows[at] = p->pixmaps[at] = None; /* the GLX name stays, as a dead one */
}

static void draw_something(Player *p)
{
    if (!glXGetCurrentContext())
        return;
    glViewport(0, 0, 1 + pick(p, 300), 1 + pick(p, 300));
    glClear(GL_COLOR_BUFFER_BIT | (pick(p, 2) ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT : 0));
    (pick(p, 2) ? glEnable : glDisable)(GL_DEPTH_TEST);
    glColor3ub(pick(p, 256), pick(p, 256), pick(p, 256));
    square(-0.8f, -0.5f, 0.6f, 0.9f, 0.2f);
    unsigned char pixel[4];
    glReadPixels(pick(p, 50), pick(p, 50), 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    if (!pick(p, 4))
        glFlush();
}

static void any_call(Player *p)
{
    PFNGLXCREATECONTEXTATTRIBSARBPROC create =
        (PFNGLXCREATECONTEXTATTRIBSARBPROC) glXGetProcAddressARB((const GLubyte *) "glXCreateContextAttribsARB");
    Display *d = p->display;
    int at = pick(p, KEPT), other = pick(p, KEPT), value = 0, count = 0;
    unsigned int number = 0;
    unsigned long event = 0;
    GLXContext share = pick(p, 3) ? NULL : p->contexts[other];
    GLXFBConfig *found;
    XVisualInfo *visual;
    switch (pick(p, 28)) {
    case 0: drop_drawable(p, at); /* fall through */
    case 1: if (!p->windows[at] && !p->pixmaps[at] && p->kinds[at] != 2) make_drawable(p, at); break;
    case 2: drop_drawable(p, at), make_drawable(p, at); break;
    case 3:
    case 4:
        if (p->contexts[at])
            glXDestroyContext(d, p->contexts[at]);
        share = at == other ? NULL : share; /* destroyed just now */
        p->contexts[at] = pick(p, 2) ? glXCreateNewContext(d, config(p), pick(p, 8) ? GLX_RGBA_TYPE : wild(p), share, pick(p, 2))
                                     : create(d, pick(p, 5) ? config(p) : NULL, share, True, pick(p, 2) ? NULL : attributes(p));
        break;
    case 5:
    case 6:
    case 7:
    case 8: glXMakeCurrent(d, p->drawables[at], p->contexts[other]); break;
    case 9: glXMakeContextCurrent(d, p->drawables[at], p->drawables[other], p->contexts[pick(p, KEPT)]); break;
    case 10: glXMakeCurrent(d, None, NULL); break;
    case 11:
    case 12:
    case 13: draw_something(p), glXSwapBuffers(d, p->drawables[at]); break;
    case 14:
    case 15: draw_something(p), glXSwapBuffers(d, glXGetCurrentDrawable()); break;
    case 16: if (p->windows[at]) XResizeWindow(d, p->windows[at], 1 + pick(p, 400), 1 + pick(p, 400)); break;
    case 17: if (p->windows[at]) (pick(p, 2) ? XMapWindow : XUnmapWindow)(d, p->windows[at]); break;
    case 18: glXQueryDrawable(d, p->drawables[at], pick(p, 2) ? 0x801B + pick(p, 8) : wild(p), &number); break;
    case 19: found = glXChooseFBConfig(d, pick(p, 20) ? 0 : wild(p), attributes(p), &count); if (found) XFree(found); break;
    case 20: glXGetFBConfigAttrib(d, config(p), pick(p, 2) ? 1 + pick(p, 20) : wild(p), &value); break;
    case 21: if (p->contexts[at]) glXQueryContext(d, p->contexts[at], pick(p, 2) ? 0x8010 + pick(p, 6) : wild(p), &value); break;
    case 22: if (p->contexts[at] && p->contexts[other]) glXCopyContext(d, p->contexts[at], p->contexts[other], draw_lot(p)); break;
    case 23: glXSelectEvent(d, p->drawables[at], draw_lot(p)), glXGetSelectedEvent(d, p->drawables[at], &event); break;
    case 24: glXWaitGL(), glXWaitX(); break;
    case 25: visual = glXChooseVisual(d, 0, (int *) attributes(p)); if (visual) XFree(visual); break;
    case 26: glXQueryExtensionsString(d, pick(p, 8) ? 0 : wild(p)), glXGetClientString(d, wild(p)),
             glXQueryServerString(d, 0, wild(p)); break;
    default: if (p->contexts[at]) glXIsDirect(d, p->contexts[at]); XSync(d, False); break;
    }
}

/* Bytes that stay when everything is let go. */
static long left_over(Player *p)
{
    glXMakeCurrent(p->display, None, NULL);
    for (int i = 0; i < KEPT; i++) {
        if (p->contexts[i])
            glXDestroyContext(p->display, p->contexts[i]);
        p->contexts[i] = NULL;
        drop_drawable(p, i);
    }
    XSync(p->display, False);
    malloc_trim(0);
    return resident();
}

static long calls, seed, players;

static void *play(void *argument)
{
    Player *p = calloc(1, sizeof *p);
    long memory[4];
    p->state = (unsigned long long) (seed * 7919 + (long) argument * 104729 + 1);
    p->display = XOpenDisplay(NULL);
    if (!p->display)
        fail("no display");
    p->configs = glXGetFBConfigs(p->display, 0, &p->config_count);
    for (int part = 0; part < 4; part++) {
        for (long i = 0; i < calls / 4; i++)
            any_call(p);
        memory[part] = left_over(p);
    }
    /* others' drawables come and go meanwhile; and it takes a while until every size was there */
    if (players == 1 && calls > 4000 && memory[3] - memory[1] > 4 << 20)
        fail("memory grew: %ld, %ld, %ld, %ld KiB", memory[0] >> 10, memory[1] >> 10, memory[2] >> 10, memory[3] >> 10);
    XFree(p->configs);
    XCloseDisplay(p->display);
    free(p);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[8];
    seed = argc > 1 ? atol(argv[1]) : 1;
    calls = argc > 2 ? atol(argv[2]) : 2000;
    players = argc > 3 ? atol(argv[3]) : 1;
    XInitThreads();
    XSetErrorHandler(count_error);
    for (long i = 0; i < players; i++)
        pthread_create(&threads[i], NULL, play, (void *) i);
    for (long i = 0; i < players; i++)
        pthread_join(threads[i], NULL);
    printf("ok, %d X errors\n", x_errors);
    return 0;
}
