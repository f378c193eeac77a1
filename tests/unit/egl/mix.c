/* SPDX-License-Identifier: MIT */
/* GLX and EGL in one process: one driver, and one current context in a thread. With an argument the
 * fronts take turns in different threads only (GLVND refuses to mix them in one). */
#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <pthread.h>
#include <stdio.h>

static int failures;
static EGLDisplay dpy;
static EGLSurface surface;
static EGLContext egl;

static void check(int held, const char *what, int line)
{
    if (held) return;
    printf("%d: %s\n", line, what);
    failures++;
}
#define CHECK(condition) check(!!(condition), #condition, __LINE__)

static unsigned green(void)
{
    unsigned char p[4] = { 0 };
    glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return p[1];
}

static void *on_egl(void *unused)
{
    (void)unused;
    CHECK(eglBindAPI(EGL_OPENGL_API));
    CHECK(eglMakeCurrent(dpy, surface, surface, egl));
    CHECK(eglGetCurrentContext() == egl);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(green() == 255);
    CHECK(eglSwapBuffers(dpy, surface));
    return 0;
}

int main(int n, char **a)
{
    int visual[] = { GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, None };
    EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE };
    EGLint size[] = { EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE }, count;
    Display *x = XOpenDisplay(0);
    XVisualInfo *info = glXChooseVisual(x, DefaultScreen(x), visual);
    XSetWindowAttributes set = { .border_pixel = 0 };
    Window window;
    GLXContext glx;
    EGLConfig config;
    pthread_t thread;
    (void)a;

    set.colormap = XCreateColormap(x, DefaultRootWindow(x), info->visual, AllocNone);
    window = XCreateWindow(x, DefaultRootWindow(x), 0, 0, 40, 40, 0, info->depth, InputOutput, info->visual,
                           CWBorderPixel | CWColormap, &set);
    glx = glXCreateContext(x, info, 0, True);
    CHECK(glXMakeCurrent(x, window, glx));
    glClearColor(0, 0.2, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(green() == 51);

    dpy = eglGetDisplay((EGLNativeDisplayType)x);
    CHECK(eglInitialize(dpy, 0, 0));
    CHECK(eglBindAPI(EGL_OPENGL_API));
    CHECK(eglChooseConfig(dpy, wanted, &config, 1, &count) && count == 1);
    surface = eglCreatePbufferSurface(dpy, config, size);
    egl = eglCreateContext(dpy, config, 0, 0);
    CHECK(surface && egl && eglGetCurrentContext() == 0);
    CHECK(green() == 51); /* nothing of this has touched what is current */
    if (n > 1) {
        pthread_create(&thread, 0, on_egl, 0);
        pthread_join(thread, 0);
    } else {
        on_egl(0);
        CHECK(glXGetCurrentContext() == 0); /* EGL's is current instead */
        CHECK(glXMakeCurrent(x, None, 0)); /* nothing to let go: EGL's stays */
        CHECK(eglGetCurrentContext() == egl && green() == 255);
        CHECK(glXMakeCurrent(x, window, glx));
        CHECK(eglGetCurrentContext() == 0 && eglGetCurrentSurface(EGL_DRAW) == 0);
        CHECK(!eglSwapBuffers(dpy, surface) && eglGetError() == EGL_BAD_SURFACE);
    }
    CHECK(glXGetCurrentContext() == glx);
    CHECK(green() == 51);
    glXSwapBuffers(x, window);
    CHECK(eglTerminate(dpy));
    glXMakeCurrent(x, None, 0);
    glXDestroyContext(x, glx);
    XCloseDisplay(x);
    return failures;
}
