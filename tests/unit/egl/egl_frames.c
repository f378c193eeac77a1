/* SPDX-License-Identifier: MIT */
/* Frames: what is drawn and shown, steadily and in turn. */
#include "egl_parts.h"

void part_frames(void)
{
    EGLint single[] = { EGL_RENDER_BUFFER, EGL_SINGLE_BUFFER, EGL_NONE }, rects[] = { 0, 0, 5, 5 }, value;
    PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC damage = (void *)eglGetProcAddress("eglSwapBuffersWithDamageKHR");
    PFNEGLPOSTSUBBUFFERNVPROC post = (void *)eglGetProcAddress("eglPostSubBufferNV");
    PFNEGLGETMSCRATEANGLEPROC rate = (void *)eglGetProcAddress("eglGetMscRateANGLE");
    EGLint refreshes = -1, seconds = -1;
    Window w, v;
    EGLSurface s, t, p;
    EGLContext c;
    Pixmap pixmap;
    int i;

    open_x11();
    w = window(config, 64, 64), v = window(config, 64, 64);
    s = eglCreateWindowSurface(dpy, config, w, 0), t = eglCreateWindowSurface(dpy, config, v, single);
    c = eglCreateContext(dpy, config, 0, 0);
    FAILS(eglSwapInterval(dpy, 1), EGL_BAD_CONTEXT);
    FAILS(eglSwapBuffers(dpy, s), EGL_BAD_SURFACE);
    WORKS(eglMakeCurrent(dpy, s, s, c));
    XRaiseWindow(x, w);
    for (i = 0; i < 5; i++) {
        fill(i & 1, 0, 1);
        WORKS(eglSwapBuffers(dpy, s));
    }
    eglWaitGL();
    IS(pixel(w, 60, 60), 0x0000FF);
    WORKS(eglQuerySurface(dpy, s, EGL_BUFFER_AGE_EXT, &value));
    IS(value, 2);
    FAILS(eglSwapBuffers(dpy, t), EGL_BAD_SURFACE); /* not current */
    FAILS(damage(dpy, s, 0, 1), EGL_BAD_PARAMETER);
    FAILS(damage(dpy, s, rects, -1), EGL_BAD_PARAMETER);
    fill(1, 1, 0);
    WORKS(damage(dpy, s, rects, 1));
    WORKS(eglWaitClient());
    IS(pixel(w, 60, 60), 0xFFFF00);
    WORKS(eglSurfaceAttrib(dpy, s, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
    fill(0, 1, 1);
    WORKS(eglSwapBuffers(dpy, s));
    IS(read_pixel(7, 7), 0x00FFFF); /* still there */
    fill(1, 0, 1);
    WORKS(post(dpy, s, 0, 0, 32, 32)); /* the lower left */
    eglWaitGL();
    IS(pixel(w, 5, 60), 0xFF00FF);
    IS(pixel(w, 60, 5), 0x00FFFF);
    FAILS(post(dpy, s, -1, 0, 5, 5), EGL_BAD_PARAMETER);
    WORKS(eglSwapInterval(dpy, 3));
    WORKS(eglSwapInterval(dpy, -3));
    WORKS(eglSwapInterval(dpy, 0));

    XResizeWindow(x, w, 100, 80);
    XSync(x, False);
    for (i = 0; i < 3; i++) {
        glViewport(0, 0, 100, 80);
        fill(0, 1, 0);
        WORKS(eglSwapBuffers(dpy, s));
    }
    eglWaitGL();
    IS(pixel(w, 95, 75), 0x00FF00);

    pixmap = XCreatePixmap(x, w, 64, 64, DefaultDepth(x, 0));
    fill(1, 0, 0);
    WORKS(eglCopyBuffers(dpy, s, pixmap));
    IS(pixel(pixmap, 10, 10), 0xFF0000);
    FAILS(eglCopyBuffers(dpy, s, 0x12345678), EGL_BAD_NATIVE_PIXMAP);
    FAILS(eglCopyBuffers(dpy, s, XCreatePixmap(x, w, 8, 8, 1)), EGL_BAD_MATCH);

    /* A single-buffered window shows what is flushed; so does a pixmap. */
    XRaiseWindow(x, v);
    WORKS(eglMakeCurrent(dpy, t, t, c));
    IS(query(t, EGL_RENDER_BUFFER), EGL_SINGLE_BUFFER);
    fill(0, 0.5, 1);
    glFlush();
    eglWaitGL();
    IS(pixel(v, 3, 3), 0x0080FF);
    WORKS(p = eglCreatePixmapSurface(dpy, config, pixmap, 0));
    FAILS(rate(dpy, p, &refreshes, &seconds), EGL_BAD_SURFACE);
    FAILS(rate(dpy, s, &refreshes, 0), EGL_BAD_PARAMETER);
    IS(refreshes, -1);
    WORKS(rate(dpy, s, &refreshes, &seconds));
    IS(refreshes, 60 * seconds);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    fill(0.5, 0, 1);
    glFinish();
    IS(pixel(pixmap, 3, 3), 0x8000FF);
    WORKS(eglSwapBuffers(dpy, p));
    FAILS(eglWaitNative(5), EGL_BAD_PARAMETER);
    WORKS(eglWaitNative(EGL_CORE_NATIVE_ENGINE));

    /* A window that vanishes: frames are dropped, EGL says so, Xlib's handler hears nothing. */
    WORKS(eglMakeCurrent(dpy, s, s, c));
    fill(1, 1, 1);
    WORKS(eglSwapBuffers(dpy, s));
    XDestroyWindow(x, w);
    XSync(x, False);
    for (i = 0; i < 6; i++) {
        fill(0, 0, 0);
        eglSwapBuffers(dpy, s);
    }
    FAILS(eglSwapBuffers(dpy, s), EGL_BAD_NATIVE_WINDOW);
    FAILS(eglWaitGL(), EGL_BAD_CURRENT_SURFACE);
    WORKS(eglMakeCurrent(dpy, t, t, c));
    FAILS(eglMakeCurrent(dpy, s, s, c), EGL_BAD_NATIVE_WINDOW);
    IS(eglGetCurrentSurface(EGL_DRAW), t);
    WORKS(eglMakeCurrent(dpy, 0, 0, 0));
    IS(x_errors, 0);
    WORKS(eglTerminate(dpy));
    XCloseDisplay(x);
}

/* Frames alone: the test counts how often Python was entered. */
void part_steady(void)
{
    EGLSurface s, t, p;
    EGLContext c;
    int i;
    open_x11();
    s = eglCreateWindowSurface(dpy, config, window(config, 64, 64), 0);
    t = eglCreateWindowSurface(dpy, config, window(config, 64, 64), 0);
    p = pbuffer(config, 32, 32);
    c = eglCreateContext(dpy, config, 0, 0);
    (void)t;
    for (i = 0; i < 1000; i++) {
        eglMakeCurrent(dpy, s, s, c);
        CHECK(eglSwapInterval(dpy, 1));
        fill(1, 0, 0);
        CHECK(eglSwapBuffers(dpy, s));
        CHECK(eglGetError() == EGL_SUCCESS && eglGetCurrentSurface(EGL_DRAW) == s);
    }
    for (i = 0; i < 1000; i++) {
        eglMakeCurrent(dpy, p, p, c);
        fill(1, 0, 0);
        CHECK(eglSwapBuffers(dpy, p));
    }
}

/* A toolkit: a context without a surface draws what another one shows in a window. */
void part_toolkit(void)
{
    Window w;
    EGLSurface s;
    EGLContext c[2];
    GLuint image, target;
    int i;
    open_x11();
    w = window(config, 40, 40);
    s = eglCreateWindowSurface(dpy, config, w, 0);
    c[0] = eglCreateContext(dpy, config, 0, 0);
    c[1] = eglCreateContext(dpy, config, c[0], 0);
    WORKS(eglMakeCurrent(dpy, 0, 0, c[1]));
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 40, 40, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
    for (i = 0; i < 300; i++) {
        CHECK(eglBindAPI(EGL_OPENGL_API));
        CHECK(eglMakeCurrent(dpy, 0, 0, c[1]));
        CHECK(!eglGetCurrentSurface(EGL_DRAW) && eglGetCurrentContext() == c[1]);
        CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
        fill(i & 1, 0, 1);
        if (i == 200) {
            glBindFramebuffer(GL_FRAMEBUFFER, 0);
            IS(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_UNDEFINED);
            glBindFramebuffer(GL_FRAMEBUFFER, target);
        }
        CHECK(eglMakeCurrent(dpy, s, s, c[0]));
        CHECK(eglGetCurrentSurface(EGL_DRAW) == s);
        glBindTexture(GL_TEXTURE_2D, image);
        glEnable(GL_TEXTURE_2D);
        glBegin(GL_TRIANGLES);
        glVertex2f(-1, -1), glVertex2f(3, -1), glVertex2f(-1, 3);
        glEnd();
        IS(read_pixel(7, 7), i & 1 ? 0xFF00FF : 0x0000FF);
        CHECK(eglSwapBuffers(dpy, s));
        if (i == 100) XResizeWindow(x, w, 44, 44), XSync(x, False);
    }
    IS(glGetError(), GL_NO_ERROR);
    eglWaitGL();
    IS(pixel(w, 7, 42), 0xFF00FF);
    WORKS(eglDestroySurface(dpy, s));
    WORKS(eglMakeCurrent(dpy, 0, 0, c[1]));
    FAILS(eglMakeCurrent(dpy, s, s, c[0]), EGL_BAD_SURFACE);
    WORKS(eglDestroyContext(dpy, c[1]));
    WORKS(eglMakeCurrent(dpy, 0, 0, c[0]));
    FAILS(eglMakeCurrent(dpy, 0, 0, c[1]), EGL_BAD_CONTEXT);
    IS(x_errors, 0);
}

/* A program on libxcb alone. */
void part_xcb(void)
{
    xcb_connection_t *connection = xcb_connect(0, 0);
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    xcb_window_t w = xcb_generate_id(connection);
    xcb_get_image_reply_t *image;
    const uint32_t on = 1;
    EGLDisplay own;
    EGLSurface s;
    EGLContext c;
    int i;
    CHECK(strstr(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_EXT_platform_xcb"));
    WORKS(dpy = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, connection, 0));
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    config = choose(EGL_WINDOW_BIT);
    IS(get(config, EGL_NATIVE_VISUAL_ID), screen->root_visual);
    xcb_create_window(connection, XCB_COPY_FROM_PARENT, w, screen->root, 0, 0, 40, 40, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_OVERRIDE_REDIRECT, &on);
    xcb_map_window(connection, w);
    xcb_flush(connection);
    WORKS(s = eglCreatePlatformWindowSurface(dpy, config, &w, 0));
    IS(query(s, EGL_WIDTH), 40);
    WORKS(c = eglCreateContext(dpy, config, 0, 0));
    WORKS(eglMakeCurrent(dpy, s, s, c));
    for (i = 0; i < 4; i++) {
        fill(1, 0.5, 0);
        WORKS(eglSwapBuffers(dpy, s));
    }
    WORKS(eglWaitGL());
    image = xcb_get_image_reply(connection, xcb_get_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, w, 3, 3, 1, 1, ~0u), 0);
    CHECK(image && (*(uint32_t *)xcb_get_image_data(image) & 0xFFFFFF) == 0xFF8000);
    free(image);
    WORKS(eglWaitNative(EGL_CORE_NATIVE_ENGINE));
    WORKS(eglTerminate(dpy));
    WORKS(eglMakeCurrent(dpy, 0, 0, 0));
    xcb_disconnect(connection);
    WORKS(own = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, EGL_DEFAULT_DISPLAY, 0));
    WORKS(eglInitialize(own, 0, 0));
}

/* Two windows and a pbuffer in turn, with two contexts: kernels do it after the first round. */
void part_switch(void)
{
    Window w[2];
    EGLSurface s[3];
    EGLContext c[2];
    int i, k, mine;
    open_x11();
    for (k = 0; k < 2; k++) {
        w[k] = window(config, 40, 40);
        s[k] = eglCreateWindowSurface(dpy, config, w[k], 0);
        c[k] = eglCreateContext(dpy, config, 0, 0);
    }
    XMoveWindow(x, w[1], 50, 0);
    s[2] = pbuffer(config, 40, 40);
    for (i = 0; i < 600; i++) {
        k = i % 3, mine = i % 2;
        CHECK(eglMakeCurrent(dpy, s[k], s[k], c[mine]));
        CHECK(eglGetCurrentContext() == c[mine] && eglGetCurrentSurface(EGL_READ) == s[k]);
        if (k == 2 && i > 2) IS(read_pixel(5, 5), 0xFF0000);
        fill(k == 2, k == 1, k == 0);
        CHECK(eglSwapBuffers(dpy, s[k]));
        if (i < 9) CHECK(!eglSwapBuffers(dpy, s[(k + 1) % 3]));
        if (i == 300 || i == 301) XResizeWindow(x, w[i - 300], 44, 44), XSync(x, False);
    }
    eglWaitGL();
    IS(pixel(w[0], 5, 5), 0x0000FF);
    IS(pixel(w[1], 5, 5), 0x00FF00);
    IS(pixel(w[0], 42, 42), 0x0000FF);

    /* Ended while current, left by what would be a kernel's case. */
    WORKS(eglMakeCurrent(dpy, s[0], s[0], c[0]));
    WORKS(eglDestroySurface(dpy, s[0]));
    WORKS(eglMakeCurrent(dpy, s[1], s[1], c[0]));
    FAILS(eglMakeCurrent(dpy, s[0], s[0], c[0]), EGL_BAD_SURFACE);
    WORKS(eglDestroyContext(dpy, c[0]));
    WORKS(eglMakeCurrent(dpy, s[1], s[1], c[1]));
    FAILS(eglMakeCurrent(dpy, s[1], s[1], c[0]), EGL_BAD_CONTEXT);
    WORKS(s[0] = eglCreateWindowSurface(dpy, config, w[0], 0));
    WORKS(eglMakeCurrent(dpy, s[0], s[0], c[1]));
    fill(1, 1, 1);
    WORKS(eglSwapBuffers(dpy, s[0]));
    eglWaitGL();
    IS(pixel(w[0], 5, 5), 0xFFFFFF);
    IS(x_errors, 0);
}
