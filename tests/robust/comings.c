/* SPDX-License-Identifier: MIT */
/* A library for comings.py: displays, contexts and drawables that are made, drawn to and let go. */
#include "rig.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <malloc.h>

static Rig rig;

void begin(void)
{
    XInitThreads();
    rig = make_rig(100, 100);
}

long held(void) /* bytes */
{
    malloc_trim(0);
    return resident();
}

void displays(void)
{
    whole_frame(&rig);
    glXMakeCurrent(rig.display, None, NULL);
    glXDestroyContext(rig.display, rig.context);
    XCloseDisplay(rig.display);
    rig = make_rig(100, 100);
}

void contexts(void)
{
    GLXContext alone = glXCreateContext(rig.display, rig.visual, NULL, True);
    GLXContext shared = glXCreateContext(rig.display, rig.visual, rig.context, True);
    for (int i = 0; i < 2; i++) {
        glXMakeCurrent(rig.display, rig.window, i ? shared : alone);
        whole_frame(&rig);
        GLuint list = glGenLists(1);
        glNewList(list, GL_COMPILE_AND_EXECUTE);
        square(-1, -1, 1, 1, 0);
        glEndList();
        glEnable(GL_LIGHTING);
        glCallList(list);
        glDisable(GL_LIGHTING);
        GLuint query;
        glGenQueries(1, &query);
        glBeginQuery(GL_SAMPLES_PASSED, query);
        square(-1, -1, 1, 1, 0);
        glEndQuery(GL_SAMPLES_PASSED);
        glRenderMode(GL_SELECT);
        glRenderMode(GL_RENDER);
        unsigned char pixels[16 * 16 * 4] = {0};
        glDrawPixels(16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    glXMakeCurrent(rig.display, rig.window, rig.context);
    glXDestroyContext(rig.display, alone);
    glXDestroyContext(rig.display, shared);
}

void drawables(void)
{
    int wanted[] = {GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT | GLX_WINDOW_BIT | GLX_PIXMAP_BIT, None};
    int size[] = {GLX_PBUFFER_WIDTH, 50, GLX_PBUFFER_HEIGHT, 60, None}, count;
    GLXFBConfig *configs = glXChooseFBConfig(rig.display, 0, wanted, &count);
    XVisualInfo *visual = glXGetVisualFromFBConfig(rig.display, *configs);
    GLXContext context = glXCreateNewContext(rig.display, *configs, GLX_RGBA_TYPE, NULL, True);
    GLXPbuffer pbuffer = glXCreatePbuffer(rig.display, *configs, size);
    Pixmap pixmap = XCreatePixmap(rig.display, rig.window, 40, 30, visual->depth);
    GLXPixmap image = glXCreatePixmap(rig.display, *configs, pixmap, NULL);
    for (int i = 0; i < 2; i++) {
        glXMakeCurrent(rig.display, i ? image : pbuffer, context);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        square(-1, -1, 1, 1, 0);
        glFinish();
    }
    glXMakeCurrent(rig.display, rig.window, rig.context);
    glXDestroyPbuffer(rig.display, pbuffer);
    glXDestroyPixmap(rig.display, image);
    XFreePixmap(rig.display, pixmap);
    glXDestroyContext(rig.display, context);
    XFree(visual);
    XFree(configs);
}

void egl_displays(void)
{
    Display *display = XOpenDisplay(NULL);
    EGLDisplay egl = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, display, NULL);
    EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE}, count;
    EGLint size[] = {EGL_WIDTH, 50, EGL_HEIGHT, 40, EGL_NONE};
    EGLConfig config;
    static int round;
    eglInitialize(egl, NULL, NULL);
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(egl, wanted, &config, 1, &count);
    EGLSurface surface = eglCreatePbufferSurface(egl, config, size);
    EGLContext context = eglCreateContext(egl, config, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(egl, surface, surface, context))
        fail("EGL error 0x%x", eglGetError());
    glClear(GL_COLOR_BUFFER_BIT);
    square(-1, -1, 1, 1, 0);
    eglDestroySync(egl, eglCreateSync(egl, EGL_SYNC_FENCE, NULL));
    eglMakeCurrent(egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(egl, context);
    eglDestroySurface(egl, surface);
    if (round++ % 2) /* the others are closed without a word */
        eglTerminate(egl);
    XCloseDisplay(display);
}
