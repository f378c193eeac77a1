/* SPDX-License-Identifier: MIT */
/* Says when its first frame is on the screen (CLOCK_MONOTONIC, seconds), then ends: what a start costs.
 * "--again" draws a second frame of the same kind and says when that was shown, too. */
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void frame(Display *display, Window window)
{
    glClearColor(0.1f, 0.2f, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0);
    glVertex3f(-0.8f, -0.8f, 0);
    glColor3f(0, 1, 0);
    glVertex3f(0.8f, -0.8f, 0);
    glColor3f(0, 0, 1);
    glVertex3f(0, 0.8f, 0);
    glEnd();
    glXSwapBuffers(display, window);
    XSync(display, False);
}

int main(int count, char **arguments)
{
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 16, None};
    Display *display = XOpenDisplay(NULL);
    XVisualInfo *visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : NULL;
    if (!visual)
        return 2;
    XSetWindowAttributes set = {0};
    Window root = RootWindow(display, visual->screen);
    set.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    set.event_mask = StructureNotifyMask;
    Window window = XCreateWindow(display, root, 0, 0, 300, 300, 0, visual->depth, InputOutput,
                                  visual->visual, CWColormap | CWEventMask, &set);
    XMapWindow(display, window);
    XEvent event;
    do
        XNextEvent(display, &event);
    while (event.type != MapNotify);
    double mapped = now();
    GLXContext context = glXCreateContext(display, visual, NULL, True);
    if (!context || !glXMakeCurrent(display, window, context))
        return 3;
    frame(display, window);
    printf("%.6f %.6f", mapped, now());
    if (count > 1 && !strcmp(arguments[1], "--again")) {
        frame(display, window);
        printf(" %.6f", now());
    }
    printf(" %s\n", glGetString(GL_RENDERER));
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
    return 0;
}
