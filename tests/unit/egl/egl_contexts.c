/* SPDX-License-Identifier: MIT */
/* Contexts, and what is current. */
#include "egl_parts.h"

static EGLContext make(EGLint a, EGLint b, EGLint c, EGLint d)
{
    EGLint list[] = { a, b, c, d, EGL_NONE };
    return eglCreateContext(dpy, config, 0, list);
}

void part_contexts(void)
{
    EGLint robust[] = { EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE };
    EGLint none[] = { EGL_NONE };
    EGLContext c, shared;
    EGLint value;
    GLuint buffer = 0;
    EGLSurface p;

    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    WORKS(eglInitialize(dpy, 0, 0));
    config = choose(EGL_PBUFFER_BIT);
    WORKS(c = eglCreateContext(dpy, config, 0, 0)); /* OpenGL ES is bound, of which 1 is the default */
    WORKS(eglQueryContext(dpy, c, EGL_CONTEXT_CLIENT_TYPE, &value));
    IS(value, EGL_OPENGL_ES_API);
    WORKS(eglQueryContext(dpy, c, EGL_CONTEXT_CLIENT_VERSION, &value));
    IS(value, 1);
    WORKS(eglDestroyContext(dpy, c));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    FAILS(eglCreateContext(dpy, &value, 0, 0), EGL_BAD_CONFIG);
    FAILS(eglCreateContext(dpy, config, &value, 0), EGL_BAD_CONTEXT);
    FAILS(make(0x7777, 1, EGL_NONE, 0), EGL_BAD_ATTRIBUTE);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 9, EGL_NONE, 0), EGL_BAD_MATCH);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 4), EGL_BAD_MATCH);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, -1, EGL_NONE, 0), EGL_BAD_MATCH);
    FAILS(make(EGL_CONTEXT_FLAGS_KHR, 0x100, EGL_NONE, 0), EGL_BAD_ATTRIBUTE);
    FAILS(make(EGL_CONTEXT_OPENGL_DEBUG, 2, EGL_NONE, 0), EGL_BAD_ATTRIBUTE);
    FAILS(make(EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, 1, EGL_NONE, 0), EGL_BAD_MATCH);
    FAILS(make(EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, 5, EGL_NONE, 0), EGL_BAD_ATTRIBUTE);
    FAILS(make(EGL_CONTEXT_OPENGL_NO_ERROR_KHR, 1, EGL_CONTEXT_OPENGL_DEBUG, 1), EGL_BAD_MATCH);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_OPENGL_PROFILE_MASK, 3), EGL_BAD_MATCH);
    WORKS(c = make(EGL_CONTEXT_OPENGL_DEBUG, 1, EGL_CONTEXT_RELEASE_BEHAVIOR_KHR, EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR));
    WORKS(eglDestroyContext(dpy, c));
    FAILS(eglDestroyContext(dpy, c), EGL_BAD_CONTEXT);
    WORKS(c = make(EGL_CONTEXT_MAJOR_VERSION, 1, EGL_CONTEXT_MINOR_VERSION, 4));
    FAILS(eglCreateContext(dpy, config, c, robust), EGL_BAD_MATCH);
    WORKS(shared = eglCreateContext(dpy, EGL_NO_CONFIG_KHR, c, none));
    WORKS(eglQueryContext(dpy, shared, EGL_CONFIG_ID, &value));
    IS(value, 0);
    WORKS(eglQueryContext(dpy, c, EGL_CONFIG_ID, &value));
    IS(value, get(config, EGL_CONFIG_ID));
    WORKS(eglQueryContext(dpy, c, EGL_CONTEXT_CLIENT_TYPE, &value));
    IS(value, EGL_OPENGL_API);
    WORKS(eglQueryContext(dpy, c, EGL_RENDER_BUFFER, &value));
    IS(value, EGL_NONE);
    FAILS(eglQueryContext(dpy, c, 0x7777, &value), EGL_BAD_ATTRIBUTE);

    p = pbuffer(config, 8, 8);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    WORKS(eglQueryContext(dpy, c, EGL_RENDER_BUFFER, &value));
    IS(value, EGL_BACK_BUFFER);
    buffer = glGenLists(1);
    glNewList(buffer, GL_COMPILE);
    glEndList();
    WORKS(eglMakeCurrent(dpy, p, p, shared));
    CHECK(glIsList(buffer));
}

/* OpenGL ES 2.0: attributes that it has not, its version, a share group with OpenGL. */
void part_es(void)
{
    EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION, 2, EGL_NONE };
    EGLContext gl, es;
    EGLint value;
    GLuint buffer = 0;
    EGLSurface p;

    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    WORKS(eglInitialize(dpy, 0, 0));
    config = choose(EGL_PBUFFER_BIT);
    CHECK(get(config, EGL_RENDERABLE_TYPE) & EGL_OPENGL_ES2_BIT);
    CHECK(get(config, EGL_CONFORMANT) & EGL_OPENGL_ES2_BIT);
    WORKS(eglBindAPI(EGL_OPENGL_API));
    WORKS(gl = eglCreateContext(dpy, config, 0, 0));
    WORKS(eglBindAPI(EGL_OPENGL_ES_API));
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_MINOR_VERSION, 1), EGL_BAD_MATCH);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_OPENGL_PROFILE_MASK, 1), EGL_BAD_ATTRIBUTE);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, 1), EGL_BAD_ATTRIBUTE);
    FAILS(make(EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_FLAGS_KHR, 2), EGL_BAD_ATTRIBUTE);
    WORKS(es = make(EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_FLAGS_KHR, 1));
    WORKS(eglDestroyContext(dpy, es));
    WORKS(es = make(EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, 1));
    WORKS(eglDestroyContext(dpy, es));
    WORKS(es = eglCreateContext(dpy, config, gl, version));
    WORKS(eglQueryContext(dpy, es, EGL_CONTEXT_CLIENT_TYPE, &value));
    IS(value, EGL_OPENGL_ES_API);
    WORKS(eglQueryContext(dpy, es, EGL_CONTEXT_CLIENT_VERSION, &value));
    IS(value, 2);
    p = pbuffer(config, 8, 8);
    WORKS(eglMakeCurrent(dpy, p, p, gl));
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    WORKS(eglMakeCurrent(dpy, p, p, es));
    CHECK(glIsBuffer(buffer));
    IS(strncmp((const char *)glGetString(GL_VERSION), "OpenGL ES 3.0 ", 14), 0);
    IS(strncmp((const char *)glGetString(GL_SHADING_LANGUAGE_VERSION), "OpenGL ES GLSL ES 3.00", 22), 0);
    glBegin(GL_TRIANGLES);
    IS(glGetError(), GL_INVALID_OPERATION);
    glEnable(GL_TEXTURE_2D);
    IS(glGetError(), GL_INVALID_ENUM);
    fill(0, 1, 0);
    IS(read_pixel(3, 3), 0x00FF00);
    WORKS(eglMakeCurrent(dpy, 0, 0, 0));
    WORKS(eglDestroyContext(dpy, es));
    WORKS(eglDestroyContext(dpy, gl));
}

static EGLContext current_c;
static EGLSurface current_p;

static void *other_thread(void *unused)
{
    EGLSurface mine = pbuffer(config, 4, 4);
    EGLContext own;
    (void)unused;
    IS(eglQueryAPI(), EGL_OPENGL_ES_API); /* each thread has its own */
    IS(eglGetCurrentContext(), 0);
    FAILS(eglMakeCurrent(dpy, current_p, current_p, current_c), EGL_BAD_ACCESS);
    FAILS(eglMakeCurrent(dpy, mine, mine, current_c), EGL_BAD_ACCESS);
    WORKS(eglBindAPI(EGL_OPENGL_API));
    own = eglCreateContext(dpy, config, 0, 0);
    FAILS(eglMakeCurrent(dpy, current_p, current_p, own), EGL_BAD_ACCESS);
    WORKS(eglMakeCurrent(dpy, mine, mine, own));
    WORKS(eglReleaseThread());
    IS(eglGetCurrentContext(), 0);
    IS(eglQueryAPI(), EGL_OPENGL_ES_API);
    WORKS(eglDestroyContext(dpy, own));
    FAILS(eglBindAPI(1), EGL_BAD_PARAMETER);
    eglBindAPI(1);
    return 0;
}

void part_current(void)
{
    EGLint other_list[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_DEPTH_SIZE, 0, EGL_ALPHA_SIZE, 0, EGL_NONE };
    EGLContext c, d;
    EGLSurface p, q, odd;
    EGLConfig other;
    pthread_t thread;
    EGLint n;
    EGLDisplay x11;

    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    WORKS(eglMakeCurrent(dpy, 0, 0, 0)); /* allowed before it is initialised */
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    config = choose(EGL_PBUFFER_BIT);
    p = pbuffer(config, 16, 16), q = pbuffer(config, 32, 32);
    c = eglCreateContext(dpy, config, 0, 0), d = eglCreateContext(dpy, config, 0, 0);
    WORKS(eglChooseConfig(dpy, other_list, &other, 1, &n));
    WORKS(odd = pbuffer(other, 4, 4));
    FAILS(eglMakeCurrent((EGLDisplay)&n, p, p, c), EGL_BAD_DISPLAY);
    FAILS(eglMakeCurrent(dpy, &n, p, c), EGL_BAD_SURFACE);
    FAILS(eglMakeCurrent(dpy, p, p, &n), EGL_BAD_CONTEXT);
    FAILS(eglMakeCurrent(dpy, p, 0, c), EGL_BAD_MATCH);
    FAILS(eglMakeCurrent(dpy, p, p, 0), EGL_BAD_MATCH);
    FAILS(eglMakeCurrent(dpy, odd, odd, c), EGL_BAD_MATCH);
    IS(eglGetCurrentContext(), 0);
    WORKS(eglMakeCurrent(dpy, p, q, c));
    IS(eglGetCurrentContext(), c);
    IS(eglGetCurrentDisplay(), dpy);
    IS(eglGetCurrentSurface(EGL_DRAW), p);
    IS(eglGetCurrentSurface(EGL_READ), q);
    FAILS(eglGetCurrentSurface(5), EGL_BAD_PARAMETER);
    FAILS(eglMakeCurrent(dpy, p, q, &n), EGL_BAD_CONTEXT); /* and nothing changes */
    IS(eglGetCurrentContext(), c);
    fill(0, 1, 0);
    IS(read_pixel(3, 3), 0); /* of q */
    WORKS(eglMakeCurrent(dpy, p, p, c));
    IS(read_pixel(3, 3), 0x00FF00);
    WORKS(eglMakeCurrent(dpy, p, p, c)); /* what is current: a kernel */
    WORKS(eglMakeCurrent(dpy, q, q, d));
    fill(0, 0, 1);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    IS(read_pixel(3, 3), 0x00FF00);

    current_c = c, current_p = p;
    pthread_create(&thread, 0, other_thread, 0);
    pthread_join(thread, 0);
    IS(eglGetError(), EGL_SUCCESS); /* errors are the thread's own */

    /* Ended while current: good until released, but no handle any more. */
    WORKS(eglDestroyContext(dpy, c));
    WORKS(eglDestroySurface(dpy, p));
    IS(eglGetCurrentContext(), c);
    fill(1, 0, 0);
    IS(read_pixel(3, 3), 0xFF0000);
    IS(eglGetCurrentSurface(EGL_DRAW), p);
    FAILS(eglDestroySurface(dpy, p), EGL_BAD_SURFACE);
    WORKS(eglMakeCurrent(dpy, q, q, d));
    FAILS(eglMakeCurrent(dpy, q, q, c), EGL_BAD_CONTEXT);
    IS(read_pixel(3, 3), 0x0000FF);

    /* A context of another display is none of this one. */
    x11 = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    WORKS(eglInitialize(x11, 0, 0));
    FAILS(eglMakeCurrent(x11, q, q, d), EGL_BAD_CONTEXT);
    FAILS(eglMakeCurrent(x11, 0, 0, d), EGL_BAD_CONTEXT);

    WORKS(eglTerminate(dpy));
    IS(eglGetCurrentContext(), d); /* until it is released */
    FAILS(eglSwapBuffers(dpy, q), EGL_NOT_INITIALIZED);
    FAILS(eglMakeCurrent(dpy, q, q, d), EGL_NOT_INITIALIZED);
    fill(1, 1, 0);
    IS(read_pixel(3, 3), 0xFFFF00);
    WORKS(eglMakeCurrent(dpy, 0, 0, 0));
    IS(eglGetCurrentContext(), 0);
    IS(glGetError(), 0);
    glClear(GL_COLOR_BUFFER_BIT);
}
