/* SPDX-License-Identifier: MIT */
/* Random well-typed GLX calls: glx_calls SEED CALLS [THREADS]. Contexts, windows, pixmaps and pbuffers come and go,
 * are current here and there, are resized, unmapped and destroyed under the driver's feet; names may be dead ones, numbers
 * and attributes anything. X errors are counted, nothing else may go wrong; memory must not grow with the calls. */
#include "player.h"

#include <malloc.h>

typedef struct {
    Display *display;
    Things things;
    GLXFBConfig *configs;
    int config_count;
    GLXDrawable drawables[KEPT];
    GLXContext contexts[KEPT];
    int kinds[KEPT]; /* of drawables: 0 window, 1 pixmap, 2 pbuffer */
} Player;

static const int values[] = {0, 1, -1, 2, 8, 24, 100, 0x7fffffff, -0x7fffffff - 1, GLX_RGBA_BIT, GLX_NONE, GLX_WINDOW_BIT, 4096, 0x8000};

static int any_number(void)
{
    return wild(values, 14);
}

static GLXFBConfig config(Player *p)
{
    return p->configs[pick(p->config_count)];
}

/* A few pairs of attribute and value, ended properly. */
static const int *attributes(void)
{
    static const int names[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, GLX_DEPTH_SIZE, GLX_STENCIL_SIZE, GLX_SAMPLES,
                                GLX_SAMPLE_BUFFERS, GLX_DRAWABLE_TYPE, GLX_RENDER_TYPE, GLX_X_VISUAL_TYPE, GLX_CONFIG_CAVEAT,
                                GLX_FBCONFIG_ID, GLX_LEVEL, GLX_PBUFFER_WIDTH, GLX_PBUFFER_HEIGHT, GLX_LARGEST_PBUFFER,
                                GLX_PRESERVED_CONTENTS, 0x2091, 0x2092, 0x2094, 0x9126, 0x31B3, 0x8256, 0x20D6};
    return pairs(names, 24, values, 14, None);
}

static void make_drawable(Player *p, int at)
{
    int size[] = {1 + pick(200), 1 + pick(200)};
    int buffer[] = {GLX_PBUFFER_WIDTH, pick(4) ? size[0] : any_number(), GLX_PBUFFER_HEIGHT, size[1], GLX_LARGEST_PBUFFER,
                    pick(2), None};
    GLXFBConfig chosen = config(p);
    XVisualInfo *visual = glXGetVisualFromFBConfig(p->display, chosen);
    p->kinds[at] = pick(3);
    p->drawables[at] = None;
    if (p->kinds[at] == 2) {
        p->drawables[at] = glXCreatePbuffer(p->display, chosen, buffer);
    } else if (visual && p->kinds[at] == 1) {
        add_pixmap(&p->things, at, p->display, visual->depth, size[0], size[1]);
        p->drawables[at] = glXCreatePixmap(p->display, chosen, p->things.pixmaps[at], NULL);
    } else if (visual) {
        Window window = add_window(&p->things, at, p->display, visual, size[0], size[1]);
        p->drawables[at] = pick(2) ? window : glXCreateWindow(p->display, chosen, window, NULL);
    }
    if (visual)
        XFree(visual);
}

static void drop_drawable(Player *p, int at)
{
    Window window = p->things.windows[at];
    if (pick(2)) /* the X window may go before GLX hears of it */
        drop_window(&p->things, at, p->display);
    if (p->drawables[at] && p->kinds[at] == 2)
        glXDestroyPbuffer(p->display, p->drawables[at]);
    else if (p->drawables[at] && p->kinds[at] == 1)
        glXDestroyPixmap(p->display, p->drawables[at]);
    else if (p->drawables[at] && p->drawables[at] != window)
        glXDestroyWindow(p->display, p->drawables[at]);
    drop_window(&p->things, at, p->display);
    drop_pixmap(&p->things, at, p->display); /* the GLX name stays, as a dead one */
}

static void draw(void)
{
    if (glXGetCurrentContext())
        draw_something();
}

static void any_call(Player *p)
{
    PFNGLXCREATECONTEXTATTRIBSARBPROC create =
        (PFNGLXCREATECONTEXTATTRIBSARBPROC) glXGetProcAddressARB((const GLubyte *) "glXCreateContextAttribsARB");
    Display *d = p->display;
    int at = pick(KEPT), other = pick(KEPT), value = 0, count = 0;
    unsigned int number = 0;
    unsigned long event = 0;
    GLXContext share = pick(3) ? NULL : p->contexts[other];
    GLXFBConfig *found;
    XVisualInfo *visual;
    switch (pick(28)) {
    case 0: drop_drawable(p, at); /* fall through */
    case 1: if (!p->things.windows[at] && !p->things.pixmaps[at] && p->kinds[at] != 2) make_drawable(p, at); break;
    case 2: drop_drawable(p, at), make_drawable(p, at); break;
    case 3:
    case 4:
        if (p->contexts[at])
            glXDestroyContext(d, p->contexts[at]);
        share = at == other ? NULL : share; /* destroyed just now */
        p->contexts[at] = pick(2) ? glXCreateNewContext(d, config(p), pick(8) ? GLX_RGBA_TYPE : any_number(), share, pick(2))
                                     : create(d, pick(5) ? config(p) : NULL, share, True, pick(2) ? NULL : attributes());
        break;
    case 5:
    case 6:
    case 7:
    case 8: glXMakeCurrent(d, p->drawables[at], p->contexts[other]); break;
    case 9: glXMakeContextCurrent(d, p->drawables[at], p->drawables[other], p->contexts[pick(KEPT)]); break;
    case 10: glXMakeCurrent(d, None, NULL); break;
    case 11:
    case 12:
    case 13: draw(), glXSwapBuffers(d, p->drawables[at]); break;
    case 14:
    case 15: draw(), glXSwapBuffers(d, glXGetCurrentDrawable()); break;
    case 16:
    case 17: disturb(&p->things, at, d); break;
    case 18: glXQueryDrawable(d, p->drawables[at], pick(2) ? 0x801B + pick(8) : any_number(), &number); break;
    case 19: found = glXChooseFBConfig(d, pick(20) ? 0 : any_number(), attributes(), &count); if (found) XFree(found); break;
    case 20: glXGetFBConfigAttrib(d, config(p), pick(2) ? 1 + pick(20) : any_number(), &value); break;
    case 21: if (p->contexts[at]) glXQueryContext(d, p->contexts[at], pick(2) ? 0x8010 + pick(6) : any_number(), &value); break;
    case 22: if (p->contexts[at] && p->contexts[other]) glXCopyContext(d, p->contexts[at], p->contexts[other], draw_lot()); break;
    case 23: glXSelectEvent(d, p->drawables[at], draw_lot()), glXGetSelectedEvent(d, p->drawables[at], &event); break;
    case 24: glXWaitGL(), glXWaitX(); break;
    case 25: visual = glXChooseVisual(d, 0, (int *) attributes()); if (visual) XFree(visual); break;
    case 26: glXQueryExtensionsString(d, pick(8) ? 0 : any_number()), glXGetClientString(d, any_number()),
             glXQueryServerString(d, 0, any_number()); break;
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
    throw_own((long) argument);
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
    play_all(argc, argv, play);
    return 0;
}
