/* SPDX-License-Identifier: MIT
 *
 * Threads that end with a context current: another thread can have it afterwards, and one that was
 * destroyed meanwhile is freed. Output: one word a stage.
 */
#include <GL/glx.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static Display *dpy;
static Window window;
static GLXContext context;

static int refuse(Display *d, XErrorEvent *e)
{
    (void)d;
    printf("error %d\n", e->error_code);
    return 0;
}

static void *draw_and_end(void *unused)
{
    (void)unused;
    if (!glXMakeCurrent(dpy, window, context)) return "refused";
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    return glXGetCurrentContext() == context ? "drawn" : "lost";
}

static void *destroy_and_end(void *unused)
{
    if (strcmp(draw_and_end(unused), "drawn")) return "refused";
    glXDestroyContext(dpy, context);
    return "destroyed";
}

static void run(void *(*function)(void *))
{
    pthread_t thread;
    void *word;
    pthread_create(&thread, 0, function, 0);
    pthread_join(thread, &word);
    puts(word);
}

int main(void)
{
    int wanted[] = { GLX_RGBA, GLX_DOUBLEBUFFER, 0 }, i;
    XVisualInfo *v;
    XSetWindowAttributes attributes;
    unsigned char p[4];

    XInitThreads();
    dpy = XOpenDisplay(0);
    XSetErrorHandler(refuse);
    v = glXChooseVisual(dpy, 0, wanted);
    memset(&attributes, 0, sizeof attributes);
    attributes.colormap = XCreateColormap(dpy, RootWindow(dpy, 0), v->visual, AllocNone);
    window = XCreateWindow(dpy, RootWindow(dpy, 0), 0, 0, 50, 50, 0, v->depth, InputOutput,
                           v->visual, CWColormap | CWBorderPixel, &attributes);
    context = glXCreateContext(dpy, v, 0, 1);
    for (i = 0; i < 3; i++) run(draw_and_end);
    if (!glXMakeCurrent(dpy, window, context)) return 1;
    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    puts(p[1] == 255 ? "green" : "wrong");
    glXMakeCurrent(dpy, 0, 0);
    run(destroy_and_end);
    return glXMakeCurrent(dpy, window, context); /* GLXBadContext */
}
