/* SPDX-License-Identifier: MIT */
/* Surfaces of windows, pixmaps and pbuffers; surfaceless contexts. */
#include "egl_parts.h"

void part_surfaces(void)
{
    EGLint list[] = { EGL_WIDTH, 30, EGL_HEIGHT, 20, EGL_NONE }, none[] = { EGL_NONE };
    EGLint bad[] = { EGL_WIDTH, 30, 0x7777, 1, EGL_NONE }, minus[] = { EGL_WIDTH, -1, EGL_NONE };
    EGLint huge[] = { EGL_WIDTH, 1 << 20, EGL_HEIGHT, 4, EGL_NONE };
    EGLint largest[] = { EGL_WIDTH, 1 << 20, EGL_HEIGHT, 4, EGL_LARGEST_PBUFFER, 1, EGL_NONE };
    EGLint odd[] = { EGL_RENDER_BUFFER, 5, EGL_NONE }, texture[] = { EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGB, EGL_NONE };
    EGLint in_window[] = { EGL_WIDTH, 5, EGL_NONE };
    EGLSurface s, p, px;
    EGLint value;
    Window w, gone;
    Pixmap pixmap;
    uintptr_t by_pointer;

    open_x11();
    w = window(config, 40, 30);
    FAILS(eglCreateWindowSurface(dpy, 0, w, 0), EGL_BAD_CONFIG);
    FAILS(eglCreateWindowSurface(dpy, config, 0x12345678, 0), EGL_BAD_NATIVE_WINDOW);
    FAILS(eglCreateWindowSurface(dpy, config, w, in_window), EGL_BAD_ATTRIBUTE);
    FAILS(eglCreateWindowSurface(dpy, config, w, odd), EGL_BAD_ATTRIBUTE);
    WORKS(s = eglCreateWindowSurface(dpy, config, w, none));
    FAILS(eglCreateWindowSurface(dpy, config, w, 0), EGL_BAD_ALLOC);
    IS(query(s, EGL_WIDTH), 40);
    IS(query(s, EGL_HEIGHT), 30);
    XResizeWindow(x, w, 50, 60);
    XSync(x, False);
    IS(query(s, EGL_WIDTH), 50);
    IS(query(s, EGL_RENDER_BUFFER), EGL_BACK_BUFFER);
    IS(query(s, EGL_SWAP_BEHAVIOR), EGL_BUFFER_DESTROYED);
    IS(query(s, EGL_CONFIG_ID), get(config, EGL_CONFIG_ID));
    IS(query(s, EGL_MULTISAMPLE_RESOLVE), EGL_MULTISAMPLE_RESOLVE_DEFAULT);
    FAILS(eglQuerySurface(dpy, s, 0x7777, &value), EGL_BAD_ATTRIBUTE);
    FAILS(eglQuerySurface(dpy, s, EGL_BUFFER_AGE_EXT, &value), EGL_BAD_SURFACE);
    FAILS(eglQuerySurface(dpy, &value, EGL_WIDTH, &value), EGL_BAD_SURFACE);
    FAILS(eglSurfaceAttrib(dpy, s, EGL_WIDTH, 4), EGL_BAD_ATTRIBUTE);
    FAILS(eglSurfaceAttrib(dpy, s, EGL_SWAP_BEHAVIOR, 4), EGL_BAD_PARAMETER);
    WORKS(eglSurfaceAttrib(dpy, s, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
    IS(query(s, EGL_SWAP_BEHAVIOR), EGL_BUFFER_PRESERVED);
    FAILS(eglBindTexImage(dpy, s, EGL_BACK_BUFFER), EGL_BAD_MATCH);
    WORKS(eglDestroySurface(dpy, s));
    FAILS(eglDestroySurface(dpy, s), EGL_BAD_SURFACE);
    by_pointer = w;
    WORKS(s = eglCreatePlatformWindowSurface(dpy, config, &by_pointer, 0));
    WORKS(eglDestroySurface(dpy, s));
    by_pointer = w | 0x5614ul << 32; /* what lies behind the 32 bits of an xcb_window_t: Qt points to one */
    WORKS(s = eglCreatePlatformWindowSurface(dpy, config, &by_pointer, 0));
    IS(query(s, EGL_WIDTH), 50);
    WORKS(eglDestroySurface(dpy, s));
    gone = window(config, 9, 9);
    WORKS(s = eglCreateWindowSurface(dpy, config, gone, none));
    XDestroyWindow(x, gone);
    XSync(x, False);
    IS(query(s, EGL_WIDTH), 9); /* the last one known */
    WORKS(eglDestroySurface(dpy, s));

    FAILS(eglCreatePbufferSurface(dpy, config, bad), EGL_BAD_ATTRIBUTE);
    FAILS(eglCreatePbufferSurface(dpy, config, minus), EGL_BAD_PARAMETER);
    FAILS(eglCreatePbufferSurface(dpy, config, huge), EGL_BAD_ALLOC);
    FAILS(eglCreatePbufferSurface(dpy, config, texture), EGL_BAD_MATCH);
    WORKS(p = eglCreatePbufferSurface(dpy, config, largest));
    IS(query(p, EGL_WIDTH), get(config, EGL_MAX_PBUFFER_WIDTH));
    IS(query(p, EGL_LARGEST_PBUFFER), 1);
    WORKS(eglDestroySurface(dpy, p));
    WORKS(p = eglCreatePbufferSurface(dpy, config, list));
    IS(query(p, EGL_WIDTH), 30);
    IS(query(p, EGL_HEIGHT), 20);
    IS(query(p, EGL_TEXTURE_FORMAT), EGL_NO_TEXTURE);
    FAILS(eglCreatePbufferFromClientBuffer(dpy, EGL_OPENVG_IMAGE, 0, config, 0), EGL_BAD_PARAMETER);

    pixmap = XCreatePixmap(x, w, 16, 16, DefaultDepth(x, 0));
    FAILS(eglCreatePixmapSurface(dpy, config, 0x12345678, 0), EGL_BAD_NATIVE_PIXMAP);
    WORKS(px = eglCreatePixmapSurface(dpy, config, pixmap, 0));
    IS(query(px, EGL_RENDER_BUFFER), EGL_SINGLE_BUFFER);
    IS(query(px, EGL_WIDTH), 16);
    pixmap = XCreatePixmap(x, w, 16, 16, 1);
    FAILS(eglCreatePixmapSurface(dpy, config, pixmap, 0), EGL_BAD_MATCH);
    WORKS(eglTerminate(dpy));
    FAILS(eglQuerySurface(dpy, px, EGL_WIDTH, &value), EGL_NOT_INITIALIZED);
    WORKS(eglInitialize(dpy, 0, 0));
    FAILS(eglQuerySurface(dpy, px, EGL_WIDTH, &value), EGL_BAD_SURFACE);
    IS(x_errors, 0);
}

/* EGL_KHR_gl_colorspace; GL_FRAMEBUFFER_SRGB decides what desktop GL writes. */
static void colorspaces(void)
{
    EGLint list[] = { EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_SRGB, EGL_NONE };
    EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE };
    EGLConfig found[256];
    EGLSurface plain, s;
    EGLContext c;
    EGLint n = 0, eight = -1, other = -1;
    CHECK(strstr(eglQueryString(dpy, EGL_EXTENSIONS), "EGL_KHR_gl_colorspace"));
    WORKS(eglChooseConfig(dpy, wanted, found, 256, &n));
    for (int i = 0; i < n; i++)
        *(get(found[i], EGL_GREEN_SIZE) == 8 ? &eight : &other) = i;
    CHECK(eight >= 0 && other >= 0);
    plain = pbuffer(found[eight], 8, 8);
    IS(query(plain, EGL_GL_COLORSPACE), EGL_GL_COLORSPACE_LINEAR);
    WORKS(s = eglCreatePbufferSurface(dpy, found[eight], list));
    IS(query(s, EGL_GL_COLORSPACE), EGL_GL_COLORSPACE_SRGB);
    WORKS(c = eglCreateContext(dpy, found[eight], 0, 0));
    WORKS(eglMakeCurrent(dpy, s, s, c));
    fill(1, 0.5, 0.25);
    IS(read_pixel(5, 5), 0xFF8040);
    glEnable(GL_FRAMEBUFFER_SRGB);
    fill(1, 0.5, 0.25);
    IS(read_pixel(5, 5), 0xFFBC89);
    IS(glGetError(), 0);
    FAILS(eglCreatePbufferSurface(dpy, found[other], list), EGL_BAD_MATCH);
    list[5] = 5;
    FAILS(eglCreatePbufferSurface(dpy, found[eight], list), EGL_BAD_ATTRIBUTE);
}

void part_surfaceless(void)
{
    EGLContext c;
    EGLSurface p;
    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    config = choose(EGL_PBUFFER_BIT);
    IS(get(config, EGL_SURFACE_TYPE), EGL_PBUFFER_BIT);
    IS(get(config, EGL_NATIVE_RENDERABLE), EGL_FALSE);
    FAILS(eglCreateWindowSurface(dpy, config, 5, 0), EGL_BAD_NATIVE_WINDOW);
    FAILS(eglCreatePixmapSurface(dpy, config, 5, 0), EGL_BAD_NATIVE_PIXMAP);
    WORKS(p = pbuffer(config, 64, 48));
    WORKS(c = eglCreateContext(dpy, config, 0, 0));
    WORKS(eglMakeCurrent(dpy, p, p, c));
    fill(1, 0.5, 0.25);
    IS(read_pixel(60, 40), 0xFF8040);
    WORKS(eglSwapBuffers(dpy, p)); /* shows nothing and changes nothing */
    IS(read_pixel(60, 40), 0xFF8040);
    IS(glGetError(), 0);
    WORKS(eglMakeCurrent(dpy, 0, 0, c));
    CHECK(glGetString(GL_VERSION) != 0);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    IS(read_pixel(60, 40), 0xFF8040);
    colorspaces();
}
