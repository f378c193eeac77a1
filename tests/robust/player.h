/* SPDX-License-Identifier: MIT */
/* What programs that make random calls share: numbers that depend on the seed alone, attribute lists, X windows and pixmaps that
 * come and go under the driver's feet, something to draw, threads that play. */
#ifndef PLAYER_H
#define PLAYER_H
#include "rig.h"

enum { KEPT = 6, WORDS = 8 }; /* things of a kind at a time; pairs of an attribute list */

static __thread unsigned long long dice; /* of the thread's player */

/* What an X server has for a player: at each place a window, a pixmap or nothing. */
typedef struct {
    Window windows[KEPT];
    Pixmap pixmaps[KEPT];
} Things;

static UNUSED unsigned draw_lot(void)
{
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned) (dice >> 33);
}

static UNUSED int pick(int n)
{
    return (int) (draw_lot() % (unsigned) n);
}

/* One of the values, or any at all. */
static UNUSED int wild(const int *values, int count)
{
    return pick(4) ? values[pick(count)] : (int) draw_lot();
}

/* A few pairs of attribute and value, ended properly; names are mostly of the list. */
static UNUSED const int *pairs(const int *names, int name_count, const int *values, int value_count, int end)
{
    static __thread int list[2 * WORDS + 2];
    int count = pick(WORDS);
    for (int i = 0; i < count; i++) {
        list[2 * i] = pick(8) ? names[pick(name_count)] : 1 + (int) (draw_lot() & 0xffff);
        list[2 * i + 1] = wild(values, value_count);
        if (list[2 * i] == end)
            list[2 * i]++;
    }
    list[2 * count] = list[2 * count + 1] = end;
    return list;
}

static UNUSED Window add_window(Things *things, int at, Display *display, const XVisualInfo *visual, int width, int height)
{
    Window root = DefaultRootWindow(display);
    XSetWindowAttributes set = {.colormap = XCreateColormap(display, root, visual->visual, AllocNone), .override_redirect = True};
    things->windows[at] = XCreateWindow(display, root, pick(500), pick(500), width, height, 0, visual->depth, InputOutput,
                                        visual->visual, CWColormap | CWOverrideRedirect | CWBorderPixel, &set);
    XFreeColormap(display, set.colormap);
    if (pick(2))
        XMapWindow(display, things->windows[at]);
    return things->windows[at];
}

static UNUSED Pixmap add_pixmap(Things *things, int at, Display *display, int depth, int width, int height)
{
    return things->pixmaps[at] = XCreatePixmap(display, DefaultRootWindow(display), width, height, depth);
}

static UNUSED void drop_window(Things *things, int at, Display *display)
{
    if (things->windows[at])
        XDestroyWindow(display, things->windows[at]);
    things->windows[at] = None;
}

static UNUSED void drop_pixmap(Things *things, int at, Display *display)
{
    if (things->pixmaps[at])
        XFreePixmap(display, things->pixmaps[at]);
    things->pixmaps[at] = None;
}

/* A window is resized, mapped or unmapped. */
static UNUSED void disturb(const Things *things, int at, Display *display)
{
    if (!things->windows[at])
        return;
    if (pick(2))
        XResizeWindow(display, things->windows[at], 1 + pick(400), 1 + pick(400));
    else
        (pick(2) ? XMapWindow : XUnmapWindow)(display, things->windows[at]);
}

static UNUSED void draw_something(void)
{
    glViewport(0, 0, 1 + pick(300), 1 + pick(300));
    glClear(GL_COLOR_BUFFER_BIT | (pick(2) ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT : 0));
    (pick(2) ? glEnable : glDisable)(GL_DEPTH_TEST);
    glColor3ub(pick(256), pick(256), pick(256));
    square(-0.8f, -0.5f, 0.6f, 0.9f, 0.2f);
    unsigned char pixel[4];
    glReadPixels(pick(50), pick(50), 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    if (!pick(4))
        glFlush();
}

static long calls; /* of each player */
static long seed;

static UNUSED void throw_own(long player)
{
    dice = (unsigned long long) (seed * 7919 + player * 104729 + 1);
}

/* PROGRAM SEED CALLS [THREADS]: so many players, each told its number. */
static UNUSED void play_all(int argc, char **argv, void *(*play)(void *))
{
    pthread_t threads[8];
    seed = argc > 1 ? atol(argv[1]) : 1;
    calls = argc > 2 ? atol(argv[2]) : 2000;
    long count = argc > 3 ? atol(argv[3]) : 1;
    XInitThreads();
    XSetErrorHandler(count_error);
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, play, (void *) i);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("ok, %d X errors\n", x_errors);
}

#endif
