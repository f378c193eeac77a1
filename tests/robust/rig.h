/* SPDX-License-Identifier: MIT */
/* What the programs of this folder share: a window, a context, a frame whose pixels are known, and
 * pixels read back from the X server (what a person would see, not what GL says it drew).
 * A program ends with 0 if everything held, with a sentence and 1 if not. */
#ifndef RIG_H
#define RIG_H
#define _GNU_SOURCE
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

typedef struct {
    Display *display;
    Window window;
    GLXContext context;
    XVisualInfo *visual;
    int width, height;
} Rig;

static int x_errors UNUSED;

static UNUSED void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
    _exit(1);
}

static UNUSED int count_error(Display *display, XErrorEvent *event)
{
    (void) display;
    (void) event;
    __sync_fetch_and_add(&x_errors, 1);
    return 0;
}

static UNUSED double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static UNUSED long resident(void) /* bytes; 0 under a sanitizer, which keeps what was freed and notes of the rest */
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return 0;
#endif
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
        fail("no /proc/self/statm");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static UNUSED void choose(Rig *rig)
{
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 16,
                    GLX_STENCIL_SIZE, 1, None};
    rig->display = XOpenDisplay(NULL);
    if (!rig->display)
        fail("no display");
    rig->visual = glXChooseVisual(rig->display, DefaultScreen(rig->display), wanted);
    if (!rig->visual)
        fail("no visual");
}

static UNUSED Window make_window(Rig *rig, int width, int height)
{
    XSetWindowAttributes set = {0};
    Window root = RootWindow(rig->display, rig->visual->screen);
    set.colormap = XCreateColormap(rig->display, root, rig->visual->visual, AllocNone);
    set.event_mask = StructureNotifyMask;
    set.override_redirect = True;
    Window window = XCreateWindow(rig->display, root, 0, 0, width, height, 0, rig->visual->depth,
                                  InputOutput, rig->visual->visual,
                                  CWColormap | CWEventMask | CWOverrideRedirect, &set);
    XMapRaised(rig->display, window);
    XEvent event;
    do
        XWindowEvent(rig->display, window, StructureNotifyMask, &event);
    while (event.type != MapNotify);
    return window;
}

static UNUSED Rig make_rig(int width, int height)
{
    Rig rig = {0};
    choose(&rig);
    rig.width = width;
    rig.height = height;
    rig.window = make_window(&rig, width, height);
    rig.context = glXCreateContext(rig.display, rig.visual, NULL, True);
    if (!rig.context || !glXMakeCurrent(rig.display, rig.window, rig.context))
        fail("no context");
    return rig;
}

static UNUSED void drop_rig(Rig *rig)
{
    glXMakeCurrent(rig->display, None, NULL);
    glXDestroyContext(rig->display, rig->context);
    XDestroyWindow(rig->display, rig->window);
    XCloseDisplay(rig->display);
}

/* 0xRRGGBB of one pixel as the X server has it; y counts from the top. */
static UNUSED unsigned seen(Rig *rig, int x, int y)
{
    XImage *image = XGetImage(rig->display, rig->window, x, y, 1, 1, AllPlanes, ZPixmap);
    if (!image)
        fail("no image of the window");
    unsigned pixel = XGetPixel(image, 0, 0) & 0xffffff;
    XDestroyImage(image);
    return pixel;
}

static UNUSED void expect(Rig *rig, int x, int y, unsigned rgb)
{
    unsigned pixel = seen(rig, x, y);
    for (int shift = 0; shift < 24; shift += 8) {
        int difference = (int) (pixel >> shift & 255) - (int) (rgb >> shift & 255);
        if (abs(difference) > 2)
            fail("pixel %d,%d is %06x, not %06x", x, y, pixel, rgb);
    }
}

static UNUSED void expect_error(GLenum error)
{
    GLenum got = glGetError();
    if (got != error)
        fail("glGetError says 0x%x, not 0x%x", got, error);
}

static UNUSED void square(float x0, float y0, float x1, float y1, float z)
{
    glBegin(GL_QUADS);
    glVertex3f(x0, y0, z);
    glVertex3f(x1, y0, z);
    glVertex3f(x1, y1, z);
    glVertex3f(x0, y1, z);
    glEnd();
}

/* Left half 0xff8000, right half 0x3366cc, and in the middle of both a green square before a hidden
 * magenta one: clear, depth test, colours and swap have all worked if `check_frame` is content. */
static UNUSED void draw_frame(int width, int height)
{
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glClearColor(0.2f, 0.4f, 0.8f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glColor3f(1, 0.5f, 0);
    square(-1, -1, 0, 1, 0.5f);
    glColor3ub(0, 255, 0);
    square(-0.5f, -0.5f, 0.5f, 0.5f, -0.5f);
    glColor3f(1, 0, 1);
    square(-0.5f, -0.5f, 0.5f, 0.5f, 0);
}

static UNUSED void check_frame(Rig *rig, int width, int height)
{
    expect(rig, width / 8, height / 2, 0xff8000);
    expect(rig, 1, 1, 0xff8000);
    expect(rig, width * 7 / 8, height / 2, 0x3366cc);
    expect(rig, width - 2, height - 2, 0x3366cc);
    expect(rig, width * 3 / 8, height / 2, 0x00ff00);
    expect(rig, width * 5 / 8, height * 5 / 8, 0x00ff00);
}

static UNUSED void whole_frame(Rig *rig)
{
    draw_frame(rig->width, rig->height);
    glXSwapBuffers(rig->display, rig->window);
    check_frame(rig, rig->width, rig->height);
}

/* Threads with a display, a window and a context each, whose objects are shared. */
static pthread_barrier_t group_barrier UNUSED;
static GLXContext group_context UNUSED;

static UNUSED Rig join_group(int me, int width, int height)
{
    Rig rig = {0};
    choose(&rig);
    rig.width = width;
    rig.height = height;
    rig.window = make_window(&rig, width, height);
    XMoveWindow(rig.display, rig.window, me * 200, 0);
    if (me == 0)
        group_context = glXCreateContext(rig.display, rig.visual, NULL, True);
    pthread_barrier_wait(&group_barrier);
    rig.context = me ? glXCreateContext(rig.display, rig.visual, group_context, True) : group_context;
    if (!rig.context || !glXMakeCurrent(rig.display, rig.window, rig.context))
        fail("thread %d has no context", me);
    return rig;
}

static UNUSED void leave_group(Rig *rig)
{
    expect_error(GL_NO_ERROR);
    glXMakeCurrent(rig->display, None, NULL);
    pthread_barrier_wait(&group_barrier);
    glXDestroyContext(rig->display, rig->context);
    XCloseDisplay(rig->display);
}

static UNUSED int run_group(int count, void *(*work)(void *))
{
    pthread_t threads[8];
    XInitThreads();
    pthread_barrier_init(&group_barrier, NULL, count);
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, (void *) i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    puts("ok");
    return 0;
}

#endif
