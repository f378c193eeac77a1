/* SPDX-License-Identifier: MIT */
/* What EGL 1.5 and its extensions promise, checked one part at a time: `egl PART`, with DISPLAY set.
 * Every line that does not hold is printed; the program ends with their number. Pixels of windows and
 * pixmaps are read back through X: what a person would see. */
#define _GNU_SOURCE
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xcb.h>

static int failures;

#define CHECK(condition) check(!!(condition), #condition, __LINE__)
#define IS(call, value) is((long)(call), (long)(value), #call, __LINE__)
/* The call fails (0 or null) with this error, and the error is then forgotten. */
#define FAILS(call, code) (is((long)(call), 0, #call, __LINE__), is(eglGetError(), code, #call, __LINE__), \
                           is(eglGetError(), EGL_SUCCESS, "eglGetError again", __LINE__))
#define WORKS(call) (check(!!(call), #call, __LINE__), is(eglGetError(), EGL_SUCCESS, #call, __LINE__))

static void check(int held, const char *what, int line)
{
    if (held) return;
    printf("%d: %s\n", line, what);
    failures++;
}

static void is(long have, long want, const char *what, int line)
{
    if (have == want) return;
    printf("%d: %s is %#lx, not %#lx\n", line, what, have, want);
    failures++;
}

static int x_errors;
static int count_x_error(Display *display, XErrorEvent *event)
{
    (void)display, (void)event;
    x_errors++;
    return 0;
}

static Display *x;
static EGLDisplay dpy;
static EGLConfig config;

static EGLConfig choose(int kind)
{
    EGLint list[] = { EGL_SURFACE_TYPE, kind, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8,
                      EGL_DEPTH_SIZE, 16, EGL_NONE };
    EGLConfig found = 0;
    EGLint n = 0;
    WORKS(eglChooseConfig(dpy, list, &found, 1, &n));
    IS(n, 1);
    return found;
}

static int get(EGLConfig c, EGLint attribute)
{
    EGLint value = -77;
    WORKS(eglGetConfigAttrib(dpy, c, attribute, &value));
    return value;
}

static void open_x11(void)
{
    x = XOpenDisplay(0);
    if (!x) exit(99);
    XSetErrorHandler(count_x_error);
    dpy = eglGetDisplay((EGLNativeDisplayType)x);
    CHECK(dpy != EGL_NO_DISPLAY);
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    config = choose(EGL_WINDOW_BIT);
}

static Window window(EGLConfig c, int width, int height)
{
    XVisualInfo wanted = { .visualid = get(c, EGL_NATIVE_VISUAL_ID) }, *info;
    XSetWindowAttributes set = { .background_pixel = 0, .border_pixel = 0, .override_redirect = True };
    Window w;
    int n;
    info = XGetVisualInfo(x, VisualIDMask, &wanted, &n);
    if (!info) exit(98);
    set.colormap = XCreateColormap(x, DefaultRootWindow(x), info->visual, AllocNone);
    w = XCreateWindow(x, DefaultRootWindow(x), 0, 0, width, height, 0, info->depth, InputOutput,
                      info->visual, CWBackPixel | CWBorderPixel | CWColormap | CWOverrideRedirect, &set);
    XMapRaised(x, w);
    XSync(x, False);
    XFree(info);
    return w;
}

static EGLSurface pbuffer(EGLConfig c, int width, int height)
{
    EGLint list[] = { EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE };
    return eglCreatePbufferSurface(dpy, c, list);
}

static unsigned long pixel(Drawable d, int px, int py)
{
    XImage *image = XGetImage(x, d, px, py, 1, 1, AllPlanes, ZPixmap);
    unsigned long value;
    if (!image) return 0xDEAD;
    value = XGetPixel(image, 0, 0) & 0xFFFFFF;
    XDestroyImage(image);
    return value;
}

static void fill(float r, float g, float b)
{
    glClearColor(r, g, b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static unsigned long read_pixel(int px, int py)
{
    unsigned char p[4] = { 9, 9, 9, 9 };
    glReadPixels(px, py, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return (unsigned long)p[0] << 16 | p[1] << 8 | p[2];
}

static EGLint query(EGLSurface s, EGLint attribute)
{
    EGLint value = -77;
    WORKS(eglQuerySurface(dpy, s, attribute, &value));
    return value;
}

/* ------------------------------------------------------------------ displays */

static void part_displays(void)
{
    EGLint major = 0, minor = 0, n;
    EGLAttrib bad[] = { EGL_WIDTH, 3, EGL_NONE }, screen[] = { EGL_PLATFORM_X11_SCREEN_KHR, 0, EGL_NONE };
    EGLDisplay other;
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_ext = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);

    CHECK(client && strstr(client, "EGL_EXT_platform_base") && strstr(client, "EGL_KHR_debug"));
    IS(eglQueryAPI(), EGL_NONE);  /* OpenGL ES, the default, is not offered */
    FAILS(eglBindAPI(EGL_OPENGL_ES_API), EGL_BAD_PARAMETER);
    FAILS(eglBindAPI(EGL_OPENVG_API), EGL_BAD_PARAMETER);
    FAILS(eglBindAPI(1), EGL_BAD_PARAMETER);
    IS(eglQueryAPI(), EGL_NONE);
    FAILS(eglInitialize((EGLDisplay)&n, &major, &minor), EGL_BAD_DISPLAY);
    FAILS(eglTerminate(EGL_NO_DISPLAY), EGL_BAD_DISPLAY);
    FAILS(eglQueryString(EGL_NO_DISPLAY, EGL_VENDOR), EGL_BAD_DISPLAY);

    x = XOpenDisplay(0);
    dpy = eglGetDisplay((EGLNativeDisplayType)x);
    CHECK(dpy && dpy == eglGetDisplay((EGLNativeDisplayType)x));
    CHECK(dpy == eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, x, 0));
    CHECK(dpy == get_ext(EGL_PLATFORM_X11_EXT, x, 0));
    FAILS(eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, x, bad), EGL_BAD_ATTRIBUTE);
    FAILS(eglGetPlatformDisplay(0x1234, x, 0), EGL_BAD_PARAMETER);
    FAILS(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, x, 0), EGL_BAD_PARAMETER);
    CHECK(eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, x, screen) != EGL_NO_DISPLAY);
    FAILS(eglQueryString(dpy, EGL_VENDOR), EGL_NOT_INITIALIZED);
    FAILS(eglGetConfigs(dpy, 0, 0, &n), EGL_NOT_INITIALIZED);
    WORKS(eglInitialize(dpy, &major, &minor));
    CHECK(major == 1 && minor == 5);
    WORKS(eglInitialize(dpy, 0, 0));
    CHECK(!strcmp(eglQueryString(dpy, EGL_CLIENT_APIS), "OpenGL"));
    CHECK(!strncmp(eglQueryString(dpy, EGL_VERSION), "1.5", 3));
    CHECK(strstr(eglQueryString(dpy, EGL_EXTENSIONS), "EGL_KHR_create_context"));
    FAILS(eglQueryString(dpy, 77), EGL_BAD_PARAMETER);
    WORKS(eglTerminate(dpy));
    WORKS(eglTerminate(dpy));
    FAILS(eglGetConfigs(dpy, 0, 0, &n), EGL_NOT_INITIALIZED);
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(eglGetConfigs(dpy, 0, 0, &n));
    CHECK(n > 0);

    other = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    CHECK(other != dpy);
    WORKS(eglInitialize(other, 0, 0));
    other = eglGetDisplay(EGL_DEFAULT_DISPLAY); /* a connection of its own */
    CHECK(other != dpy);
    WORKS(eglInitialize(other, 0, 0));
    WORKS(eglTerminate(other));

    /* Closed by the program without a word: nothing of it is touched any more. */
    XCloseDisplay(x);
    FAILS(eglGetConfigs(dpy, 0, 0, &n), EGL_NOT_INITIALIZED);
    WORKS(eglTerminate(dpy));
    CHECK(!eglGetProcAddress("eglNoSuchFunction") && eglGetProcAddress("glXSwapBuffers"));
    CHECK(eglGetProcAddress("eglCreateSyncKHR") && eglGetProcAddress("glClear"));
    CHECK(eglGetProcAddress("glBlendFuncSeparateEXT") && eglGetProcAddress("eglInitialize"));
}

static void part_references(void)
{
    EGLAttrib on[] = { EGL_TRACK_REFERENCES_KHR, EGL_TRUE, EGL_NONE }, value = 7;
    PFNEGLQUERYDISPLAYATTRIBKHRPROC ask = (void *)eglGetProcAddress("eglQueryDisplayAttribKHR");
    EGLDisplay counted = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, 0, on), plain;
    plain = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, 0, 0);
    CHECK(counted && plain && counted != plain);
    WORKS(eglInitialize(counted, 0, 0));
    WORKS(eglInitialize(counted, 0, 0));
    WORKS(eglTerminate(counted));
    WORKS(ask(counted, EGL_TRACK_REFERENCES_KHR, &value));
    IS(value, EGL_TRUE);
    WORKS(eglTerminate(counted));
    FAILS(ask(counted, EGL_TRACK_REFERENCES_KHR, &value), EGL_NOT_INITIALIZED);
    FAILS(ask(plain, 0x7777, &value), EGL_NOT_INITIALIZED);
    WORKS(eglInitialize(plain, 0, 0));
    FAILS(ask(plain, 0x7777, &value), EGL_BAD_ATTRIBUTE);
    WORKS(ask(plain, EGL_TRACK_REFERENCES_KHR, &value));
    IS(value, EGL_FALSE);
}

static void part_devices(void)
{
    PFNEGLQUERYDEVICESEXTPROC devices = (void *)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLQUERYDEVICESTRINGEXTPROC string = (void *)eglGetProcAddress("eglQueryDeviceStringEXT");
    PFNEGLQUERYDISPLAYATTRIBEXTPROC ask = (void *)eglGetProcAddress("eglQueryDisplayAttribEXT");
    EGLDeviceEXT device = 0;
    EGLAttrib value = 0;
    EGLint n = 0;
    FAILS(devices(0, &device, &n), EGL_BAD_PARAMETER);
    FAILS(devices(1, &device, 0), EGL_BAD_PARAMETER);
    WORKS(devices(0, 0, &n));
    IS(n, 1);
    WORKS(devices(1, &device, &n));
    CHECK(strstr(string(device, EGL_EXTENSIONS), "EGL_MESA_device_software"));
    FAILS(string((EGLDeviceEXT)&n, EGL_EXTENSIONS), EGL_BAD_DEVICE_EXT);
    FAILS(string(device, EGL_VENDOR), EGL_BAD_PARAMETER);
    FAILS(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, &n, 0), EGL_BAD_PARAMETER);
    dpy = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, 0);
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(ask(dpy, EGL_DEVICE_EXT, &value));
    CHECK((EGLDeviceEXT)value == device);
    CHECK(choose(EGL_PBUFFER_BIT) != 0);
}

/* ------------------------------------------------------------------ configs */

static void part_configs(void)
{
    EGLConfig all[256], some[256];
    EGLint n, m, i, value, none[] = { EGL_NONE };
    EGLint id[] = { EGL_CONFIG_ID, 2, EGL_RED_SIZE, 77, EGL_NONE };
    EGLint unknown[] = { 0x7777, 1, EGL_NONE }, negative[] = { EGL_RED_SIZE, -5, EGL_NONE };
    EGLint level[] = { EGL_LEVEL, EGL_DONT_CARE, EGL_NONE }, caveat[] = { EGL_CONFIG_CAVEAT, 5, EGL_NONE };
    EGLint es[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE }, deep[] = { EGL_DEPTH_SIZE, 33, EGL_NONE };
    EGLint alpha[] = { EGL_ALPHA_SIZE, 1, EGL_DEPTH_SIZE, 1, EGL_STENCIL_SIZE, 1, EGL_NONE };
    EGLint pixmap[] = { EGL_SURFACE_TYPE, EGL_PIXMAP_BIT, EGL_MATCH_NATIVE_PIXMAP, 0, EGL_NONE };

    open_x11();
    WORKS(eglGetConfigs(dpy, 0, 99, &n));
    CHECK(n >= 10 && n <= 256);
    WORKS(eglGetConfigs(dpy, all, 256, &m));
    IS(m, n);
    WORKS(eglGetConfigs(dpy, all, 3, &m));
    IS(m, 3);
    WORKS(eglGetConfigs(dpy, all, 256, &m));
    FAILS(eglGetConfigs(dpy, all, 3, 0), EGL_BAD_PARAMETER);
    for (i = 0; i < n; i++) {
        int bits = get(all[i], EGL_RED_SIZE) + get(all[i], EGL_GREEN_SIZE) + get(all[i], EGL_BLUE_SIZE);
        IS(get(all[i], EGL_CONFIG_ID), i + 1);
        IS(get(all[i], EGL_BUFFER_SIZE), bits + get(all[i], EGL_ALPHA_SIZE));
        IS(get(all[i], EGL_RENDERABLE_TYPE), EGL_OPENGL_BIT); /* honest: there is no OpenGL ES */
        CHECK(get(all[i], EGL_NATIVE_VISUAL_ID) != 0);
    }
    FAILS(eglGetConfigAttrib(dpy, all[0], 0x7777, &value), EGL_BAD_ATTRIBUTE);
    FAILS(eglGetConfigAttrib(dpy, all[0], EGL_MATCH_NATIVE_PIXMAP, &value), EGL_BAD_ATTRIBUTE);
    FAILS(eglGetConfigAttrib(dpy, &n, EGL_RED_SIZE, &value), EGL_BAD_CONFIG);

    FAILS(eglChooseConfig(dpy, none, some, 1, 0), EGL_BAD_PARAMETER);
    FAILS(eglChooseConfig(dpy, unknown, some, 1, &n), EGL_BAD_ATTRIBUTE);
    FAILS(eglChooseConfig(dpy, negative, some, 1, &n), EGL_BAD_ATTRIBUTE);
    FAILS(eglChooseConfig(dpy, level, some, 1, &n), EGL_BAD_ATTRIBUTE);
    FAILS(eglChooseConfig(dpy, caveat, some, 1, &n), EGL_BAD_ATTRIBUTE);
    WORKS(eglChooseConfig(dpy, id, some, 256, &n));
    IS(n, 1);
    IS(get(some[0], EGL_CONFIG_ID), 2);
    WORKS(eglChooseConfig(dpy, deep, some, 256, &n));
    IS(n, 0);
    WORKS(eglChooseConfig(dpy, 0, some, 256, &m)); /* all that windows can have */
    WORKS(eglChooseConfig(dpy, es, some, 256, &n)); /* no criterion: see pydri/egl/config.py */
    IS(n, m);
    for (i = 1; i < n; i++) {
        int before = get(some[i - 1], EGL_BUFFER_SIZE), after = get(some[i], EGL_BUFFER_SIZE);
        CHECK(before <= after);
        if (before != after || get(some[i - 1], EGL_SAMPLES) != get(some[i], EGL_SAMPLES)) continue;
        CHECK(get(some[i - 1], EGL_DEPTH_SIZE) <= get(some[i], EGL_DEPTH_SIZE));
    }
    WORKS(eglChooseConfig(dpy, alpha, some, 256, &n));
    CHECK(n > 0 && get(some[0], EGL_ALPHA_SIZE) == 8 && get(some[0], EGL_STENCIL_SIZE) == 8);
    FAILS(eglChooseConfig(dpy, pixmap, some, 256, &n), EGL_BAD_NATIVE_PIXMAP);
    pixmap[3] = XCreatePixmap(x, DefaultRootWindow(x), 8, 8, DefaultDepth(x, 0));
    WORKS(eglChooseConfig(dpy, pixmap, some, 256, &n));
    CHECK(n > 0);
    IS(x_errors, 0);
}

/* ------------------------------------------------------------------ surfaces */

static void part_surfaces(void)
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

static void part_surfaceless(void)
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

/* ------------------------------------------------------------------ contexts */

static EGLContext make(EGLint a, EGLint b, EGLint c, EGLint d)
{
    EGLint list[] = { a, b, c, d, EGL_NONE };
    return eglCreateContext(dpy, config, 0, list);
}

static void part_contexts(void)
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
    FAILS(eglCreateContext(dpy, config, 0, 0), EGL_BAD_MATCH); /* no API is bound */
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

/* ------------------------------------------------------------------ current */

static EGLContext current_c;
static EGLSurface current_p;

static void *other_thread(void *unused)
{
    EGLSurface mine = pbuffer(config, 4, 4);
    EGLContext own;
    (void)unused;
    IS(eglQueryAPI(), EGL_NONE); /* each thread has its own */
    IS(eglGetCurrentContext(), 0);
    FAILS(eglMakeCurrent(dpy, current_p, current_p, current_c), EGL_BAD_ACCESS);
    FAILS(eglMakeCurrent(dpy, mine, mine, current_c), EGL_BAD_ACCESS);
    WORKS(eglBindAPI(EGL_OPENGL_API));
    own = eglCreateContext(dpy, config, 0, 0);
    FAILS(eglMakeCurrent(dpy, current_p, current_p, own), EGL_BAD_ACCESS);
    WORKS(eglMakeCurrent(dpy, mine, mine, own));
    WORKS(eglReleaseThread());
    IS(eglGetCurrentContext(), 0);
    IS(eglQueryAPI(), EGL_NONE);
    WORKS(eglDestroyContext(dpy, own));
    FAILS(eglBindAPI(1), EGL_BAD_PARAMETER);
    eglBindAPI(1);
    return 0;
}

static void part_current(void)
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

/* ------------------------------------------------------------------ frames */

static void part_frames(void)
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
static void part_steady(void)
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

/* A program on libxcb alone. */
static void part_xcb(void)
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

/* ------------------------------------------------------------------ threads and ends */

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
        c = eglCreateContext(dpy, config, k & 1 ? current_c : 0, 0);
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
static void part_start(void)
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

static void part_storm(void)
{
    pthread_t threads[6];
    long before = 0;
    intptr_t i;
    int k;
    open_x11();
    current_c = eglCreateContext(dpy, config, 0, 0);
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

static void part_fork(void)
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
static void part_closed(void)
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

/* Two windows and a pbuffer in turn, with two contexts: kernels do it after the first round. */
static void part_switch(void)
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

/* ------------------------------------------------------------------ syncs */

static EGLSync reusable;
static PFNEGLSIGNALSYNCKHRPROC signal_sync;

static void *signaller(void *unused)
{
    struct timespec pause = { 0, 30000000 };
    (void)unused;
    nanosleep(&pause, 0);
    CHECK(signal_sync(dpy, reusable, EGL_SIGNALED_KHR));
    return 0;
}

static void part_syncs(void)
{
    EGLAttrib value = 0, list[] = { EGL_SYNC_STATUS, 1, EGL_NONE };
    PFNEGLCREATESYNCKHRPROC create = (void *)eglGetProcAddress("eglCreateSyncKHR");
    EGLSync fence;
    EGLSurface p;
    EGLContext c;
    pthread_t thread;

    signal_sync = (void *)eglGetProcAddress("eglSignalSyncKHR");
    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    FAILS(eglCreateSync(dpy, EGL_SYNC_FENCE, 0), EGL_NOT_INITIALIZED);
    WORKS(eglInitialize(dpy, 0, 0));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    FAILS(eglCreateSync(dpy, EGL_SYNC_FENCE, 0), EGL_BAD_MATCH); /* nothing is current */
    config = choose(EGL_PBUFFER_BIT);
    p = pbuffer(config, 64, 64), c = eglCreateContext(dpy, config, 0, 0);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    FAILS(eglCreateSync(dpy, 77, 0), EGL_BAD_PARAMETER);
    FAILS(create(dpy, 77, 0), EGL_BAD_ATTRIBUTE);
    FAILS(eglCreateSync(dpy, EGL_SYNC_FENCE, list), EGL_BAD_ATTRIBUTE);
    fill(1, 0, 0);
    WORKS(fence = eglCreateSync(dpy, EGL_SYNC_FENCE, 0));
    IS(eglClientWaitSync(dpy, fence, EGL_SYNC_FLUSH_COMMANDS_BIT, EGL_FOREVER), EGL_CONDITION_SATISFIED);
    WORKS(eglWaitSync(dpy, fence, 0));
    FAILS(eglWaitSync(dpy, fence, 5), EGL_BAD_PARAMETER);
    WORKS(eglGetSyncAttrib(dpy, fence, EGL_SYNC_STATUS, &value));
    IS(value, EGL_SIGNALED);
    WORKS(eglGetSyncAttrib(dpy, fence, EGL_SYNC_TYPE, &value));
    IS(value, EGL_SYNC_FENCE);
    WORKS(eglGetSyncAttrib(dpy, fence, EGL_SYNC_CONDITION, &value));
    IS(value, EGL_SYNC_PRIOR_COMMANDS_COMPLETE);
    FAILS(eglGetSyncAttrib(dpy, fence, 77, &value), EGL_BAD_ATTRIBUTE);
    FAILS(eglClientWaitSync(dpy, &value, 0, 0), EGL_BAD_PARAMETER);
    FAILS(signal_sync(dpy, fence, EGL_SIGNALED_KHR), EGL_BAD_MATCH);
    WORKS(eglDestroySync(dpy, fence));
    FAILS(eglDestroySync(dpy, fence), EGL_BAD_PARAMETER);

    WORKS(reusable = create(dpy, EGL_SYNC_REUSABLE_KHR, 0));
    WORKS(eglGetSyncAttrib(dpy, reusable, EGL_SYNC_STATUS, &value));
    IS(value, EGL_UNSIGNALED);
    IS(eglClientWaitSync(dpy, reusable, 0, 0), EGL_TIMEOUT_EXPIRED);
    IS(eglClientWaitSync(dpy, reusable, 0, 5000000), EGL_TIMEOUT_EXPIRED);
    FAILS(eglWaitSync(dpy, reusable, 0), EGL_BAD_MATCH);
    FAILS(signal_sync(dpy, reusable, 5), EGL_BAD_ATTRIBUTE);
    FAILS(eglGetSyncAttrib(dpy, reusable, EGL_SYNC_CONDITION, &value), EGL_BAD_ATTRIBUTE);
    pthread_create(&thread, 0, signaller, 0);
    IS(eglClientWaitSync(dpy, reusable, 0, EGL_FOREVER), EGL_CONDITION_SATISFIED);
    pthread_join(thread, 0);
    WORKS(signal_sync(dpy, reusable, EGL_UNSIGNALED_KHR));
    IS(eglClientWaitSync(dpy, reusable, 0, 0), EGL_TIMEOUT_EXPIRED);
    WORKS(eglTerminate(dpy));
    FAILS(eglClientWaitSync(dpy, reusable, 0, 0), EGL_NOT_INITIALIZED);
}

/* ------------------------------------------------------------------ debug */

static int told;
static char told_text[200];

static void callback(EGLenum error, const char *command, EGLint type, EGLLabelKHR thread, EGLLabelKHR object,
                     const char *message)
{
    (void)message, (void)object;
    told++;
    snprintf(told_text, sizeof told_text, "%x %s %x %s", error, command, type, thread ? (char *)thread : "-");
}

static void part_debug(void)
{
    PFNEGLDEBUGMESSAGECONTROLKHRPROC control = (void *)eglGetProcAddress("eglDebugMessageControlKHR");
    PFNEGLQUERYDEBUGKHRPROC ask = (void *)eglGetProcAddress("eglQueryDebugKHR");
    PFNEGLLABELOBJECTKHRPROC label = (void *)eglGetProcAddress("eglLabelObjectKHR");
    EGLAttrib off[] = { EGL_DEBUG_MSG_ERROR_KHR, EGL_FALSE, EGL_NONE }, bad[] = { 0x7777, 1, EGL_NONE }, value = 7;
    IS(control(callback, bad), EGL_BAD_ATTRIBUTE);
    IS(control(callback, 0), EGL_SUCCESS);
    WORKS(ask(EGL_DEBUG_CALLBACK_KHR, &value));
    CHECK(value == (EGLAttrib)callback);
    WORKS(ask(EGL_DEBUG_MSG_WARN_KHR, &value));
    IS(value, EGL_FALSE);
    IS(label(0, EGL_OBJECT_THREAD_KHR, 0, "me"), EGL_SUCCESS);
    FAILS(eglTerminate(0), EGL_BAD_DISPLAY);
    IS(told, 1);
    CHECK(!strcmp(told_text, "3008 eglTerminate 33ba me"));
    IS(control(callback, off), EGL_SUCCESS);
    FAILS(eglTerminate(0), EGL_BAD_DISPLAY);
    IS(told, 1);
    FAILS(ask(0x7777, &value), EGL_BAD_ATTRIBUTE);
    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    IS(label(dpy, EGL_OBJECT_DISPLAY_KHR, dpy, "it"), EGL_SUCCESS);
    WORKS(eglInitialize(dpy, 0, 0));
    IS(label(dpy, EGL_OBJECT_CONTEXT_KHR, dpy, "it"), EGL_BAD_PARAMETER);
}

int main(int n, char **a)
{
    static const struct { const char *name; void (*run)(void); } parts[] = {
        { "displays", part_displays }, { "references", part_references }, { "devices", part_devices },
        { "configs", part_configs }, { "surfaces", part_surfaces }, { "surfaceless", part_surfaceless },
        { "contexts", part_contexts }, { "current", part_current }, { "frames", part_frames },
        { "steady", part_steady }, { "start", part_start }, { "storm", part_storm }, { "xcb", part_xcb }, { "closed", part_closed }, { "switch", part_switch }, { "fork", part_fork }, { "syncs", part_syncs }, { "debug", part_debug },
    };
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (n > 1 && strcmp(a[1], parts[i].name)) continue;
        parts[i].run();
        if (n > 1) return failures > 90 ? 90 : failures;
        puts(parts[i].name);
    }
    return n > 1 ? 97 : 0;
}
