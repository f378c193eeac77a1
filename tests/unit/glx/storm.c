/* SPDX-License-Identifier: MIT
 *
 * What a hostile day looks like to GLX: a storm of resizes, windows that vanish between draw and swap, contexts that
 * come and go, two more threads with displays of their own. Prints one line a stage with the growth of memory; run by
 * test_storm.py under the null driver. */
#include <GL/gl.h>
#include <GL/glx.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static XVisualInfo *visual;
static int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, None};

static long memory_kb(void)
{
    long total, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static Window window(Display *display, int width, int height)
{
    XSetWindowAttributes wants = {0};
    Window root = RootWindow(display, visual->screen);
    wants.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    Window made = XCreateWindow(display, root, 0, 0, width, height, 0, visual->depth, InputOutput,
                                visual->visual, CWColormap | CWBorderPixel, &wants);
    XMapWindow(display, made);
    XSync(display, False);
    return made;
}

static void frame(Display *display, Window target)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glXSwapBuffers(display, target);
}

static void *worker(void *unused)
{
    Display *display = XOpenDisplay(NULL);
    GLXContext context = glXCreateContext(display, visual, NULL, True);
    Window target = window(display, 200, 200);
    if (!glXMakeCurrent(display, target, context))
        printf("worker: no make-current\n");
    for (int i = 0; i < 1000; i++)
        frame(display, target);
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
    return unused;
}

int main(void)
{
    XInitThreads();
    Display *display = XOpenDisplay(NULL);
    visual = glXChooseVisual(display, 0, attributes);
    GLXContext context = glXCreateContext(display, visual, NULL, True);
    Window main_window = window(display, 300, 300);
    long before = 0;
    pthread_t threads[2];
    if (!glXMakeCurrent(display, main_window, context))
        return 1;

    for (int i = 0; i < 2000; i++) {
        int width = 50 + i * 37 % 400;
        if (i % 4 == 0)
            XResizeWindow(display, main_window, width, 450 - width);
        glViewport(0, 0, width, 450 - width);
        frame(display, main_window);
        if (i == 500)
            before = memory_kb();
    }
    printf("resizes %ld\n", memory_kb() - before);

    for (int i = 0; i < 150; i++) {
        Window short_lived = window(display, 100 + i, 100);
        glXMakeCurrent(display, short_lived, context);
        frame(display, short_lived);
        glClear(GL_COLOR_BUFFER_BIT);
        XDestroyWindow(display, short_lived);
        frame(display, short_lived);
        glXMakeCurrent(display, main_window, context);
        if (i == 50)
            before = memory_kb();
    }
    printf("windows %ld\n", memory_kb() - before);

    for (int i = 0; i < 40; i++) {
        GLXContext other = glXCreateContext(display, visual, i & 1 ? context : NULL, True);
        glXMakeCurrent(display, main_window, other);
        frame(display, main_window);
        glXDestroyContext(display, other);
        glXMakeCurrent(display, main_window, context);
        if (i == 10)
            before = memory_kb();
    }
    printf("contexts %ld\n", memory_kb() - before);

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 1000; i++)
        frame(display, main_window);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("threads 0\n");

    XDestroyWindow(display, main_window);
    for (int i = 0; i < 10; i++)
        frame(display, main_window);
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
    printf("end 0\n");
    return 0;
}
