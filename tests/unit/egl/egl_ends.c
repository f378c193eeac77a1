/* SPDX-License-Identifier: MIT */
/* Threads, forks, storms and displays that are closed. */
#include "egl_parts.h"

static EGLContext shared_c; /* whose objects the threads share */

static void *drawer(void *number)
{
    float shade = (intptr_t)number / 8.0f;
    EGLSurface s;
    EGLContext c;
    unsigned long want = (unsigned long)(shade * 255 + 0.5f) << 16;
    int i, k;
    CHECK(eglBindAPI(EGL_OPENGL_API));
    for (k = 0; k < 4; k++) {
        s = pbuffer(config, 32 + k, 32);
        c = eglCreateContext(dpy, config, k & 1 ? shared_c : 0, 0);
        CHECK(eglMakeCurrent(dpy, s, s, c));
        for (i = 0; i < 50; i++) {
            fill(shade, 0, 0);
            CHECK(eglSwapBuffers(dpy, s));
        }
        IS(read_pixel(5, 5), want);
        CHECK(eglDestroyContext(dpy, c) && eglDestroySurface(dpy, s)); /* end when they are left */
    }
    if ((intptr_t)number & 1) CHECK(eglReleaseThread()); /* the others end with a context current */
    return 0;
}

static pthread_barrier_t begin;

static void *starter(void *unused)
{
    EGLDisplay mine;
    EGLConfig first[1];
    EGLint n = 0, list[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE };
    (void)unused;
    pthread_barrier_wait(&begin);
    mine = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    CHECK(eglInitialize(mine, 0, 0));
    CHECK(eglChooseConfig(mine, list, first, 1, &n) && n == 1);
    pthread_barrier_wait(&begin); /* everybody has initialised it */
    CHECK(eglGetConfigAttrib(mine, first[0], EGL_CONFIG_ID, &n));
    return mine;
}

/* The first calls of a process, from several threads at once: one display, with one set of configs. */
void part_start(void)
{
    pthread_t threads[4];
    void *found[4];
    int i;
    pthread_barrier_init(&begin, 0, 4);
    for (i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, starter, 0);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], &found[i]);
    CHECK(found[0] && found[0] == found[1] && found[0] == found[2] && found[0] == found[3]);
}

static long resident(void)
{
    long pages = 0, mine = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &mine) != 2) mine = 0;
    if (file) fclose(file);
    return mine * 4;
}

void part_storm(void)
{
    pthread_t threads[6];
    long before = 0;
    intptr_t i;
    int k;
    open_x11();
    shared_c = eglCreateContext(dpy, config, 0, 0);
    for (k = 0; k < 3; k++) {
        for (i = 0; i < 6; i++)
            pthread_create(&threads[i], 0, drawer, (void *)(i + 1));
        for (i = 0; i < 6; i++)
            pthread_join(threads[i], 0);
    }
    for (k = 0; k < 60; k++) {
        Window w = window(config, 50, 50);
        EGLSurface s = eglCreateWindowSurface(dpy, config, w, 0);
        EGLContext c = eglCreateContext(dpy, config, 0, 0);
        CHECK(eglMakeCurrent(dpy, s, s, c));
        fill(1, 1, 1);
        CHECK(eglSwapBuffers(dpy, s));
        if (k % 3 == 0) XDestroyWindow(x, w);
        CHECK(eglDestroyContext(dpy, c) && eglDestroySurface(dpy, s));
        if (k % 3) XDestroyWindow(x, w);
        if (k % 10 == 9) WORKS(eglTerminate(dpy)), WORKS(eglInitialize(dpy, 0, 0)), config = choose(EGL_WINDOW_BIT);
        if (k == 19) before = resident();
    }
    if (resident() - before > 6000) printf("memory grew by %ld kB\n", resident() - before), failures++;
    IS(x_errors, 0);
}

void part_fork(void)
{
    EGLContext c;
    EGLSurface p;
    int status = 0;
    pid_t child;
    open_x11();
    p = pbuffer(config, 16, 16), c = eglCreateContext(dpy, config, 0, 0);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    fill(1, 0, 0);
    child = fork();
    if (!child) { /* calls fail, say so, and touch nothing of the parent's */
        int failed = !eglSwapBuffers(dpy, p) && eglGetError() == EGL_NOT_INITIALIZED;
        glClear(GL_COLOR_BUFFER_BIT);
        eglMakeCurrent(dpy, 0, 0, 0);
        eglTerminate(dpy);
        exit(failed ? 5 : 6);
    }
    waitpid(child, &status, 0);
    IS(WEXITSTATUS(status), 5);
    IS(read_pixel(3, 3), 0xFF0000);
    WORKS(eglSwapBuffers(dpy, p));
}

/* The program closes its Display while a surface of it is current, and opens another one. */
void part_closed(void)
{
    EGLSurface s;
    EGLContext c;
    EGLint n;
    int k;
    for (k = 0; k < 3; k++) {
        open_x11();
        s = eglCreateWindowSurface(dpy, config, window(config, 40, 40), 0);
        c = eglCreateContext(dpy, config, 0, 0);
        WORKS(eglMakeCurrent(dpy, s, s, c));
        fill(1, 0, 0);
        WORKS(eglSwapBuffers(dpy, s));
        XCloseDisplay(x);
        fill(0, 1, 0);
        FAILS(eglSwapBuffers(dpy, s), EGL_NOT_INITIALIZED);
        FAILS(eglGetConfigs(dpy, 0, 0, &n), EGL_NOT_INITIALIZED);
        glViewport(0, 0, 70, 70); /* would ask for the window's size */
        fill(0, 1, 0);
        IS(read_pixel(3, 3), 0x00FF00);
        glFinish();
        WORKS(eglMakeCurrent(dpy, 0, 0, 0));
    }
}
