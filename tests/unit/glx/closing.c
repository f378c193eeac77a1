/* SPDX-License-Identifier: MIT */
/* Displays that begin in several threads at once, and that are closed while something on them is current. */
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 6 };
static Display *display;
static pthread_barrier_t barrier;

static void *first(void *found)
{
    int n = 0, attribs[] = {GLX_DOUBLEBUFFER, True, None};
    pthread_barrier_wait(&barrier);
    GLXFBConfig *configs = glXChooseFBConfig(display, 0, attribs, &n);
    *(GLXFBConfig *)found = configs && n ? configs[0] : 0;
    return 0;
}

static GLXFBConfig first_in_threads(void)
{
    pthread_t threads[THREADS];
    GLXFBConfig found[THREADS];
    pthread_barrier_init(&barrier, 0, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, first, &found[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    for (int i = 1; i < THREADS; i++)
        if (found[i] != found[0]) return 0;
    return found[0];
}

int main(void)
{
    XInitThreads();
    for (int round = 0; round < ROUNDS; round++) {
        display = XOpenDisplay(0);
        GLXFBConfig config = first_in_threads();
        if (!config) return puts("threads found different displays"), 1;
        XVisualInfo *visual = glXGetVisualFromFBConfig(display, config);
        XSetWindowAttributes sa = {0};
        Window root = DefaultRootWindow(display);
        sa.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
        Window window = XCreateWindow(display, root, 0, 0, 100, 100, 0, visual->depth, InputOutput,
                                      visual->visual, CWColormap | CWBorderPixel, &sa);
        XMapWindow(display, window);
        GLXContext context = glXCreateContext(display, visual, 0, True);
        if (!glXMakeCurrent(display, window, context)) return puts("not current"), 1;
        glClear(GL_COLOR_BUFFER_BIT);
        glXSwapBuffers(display, window);
        glXSwapBuffers(display, window); /* replies are awaited now */
        if (round & 1) {
            glDrawBuffer(GL_FRONT);
            glClear(GL_COLOR_BUFFER_BIT);
        }
        if (round >= 2) { /* what is current was destroyed before */
            GLXWindow named = glXCreateWindow(display, config, window, 0);
            glXMakeContextCurrent(display, named, named, context);
            glClear(GL_COLOR_BUFFER_BIT);
            glXSwapBuffers(display, named);
            glXDestroyWindow(display, named);
        }
        Display *closed = display;
        XCloseDisplay(display);
        unsigned char pixel[4] = {0};
        glClearColor(1, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glFlush();
        glFinish();
        glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        if (!(round & 1) && pixel[0] != 255) return puts("nothing was drawn"), 1;
        if (round & 2) glXMakeCurrent(closed, None, NULL);
    }
    puts("done");
    return 0;
}
