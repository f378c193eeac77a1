/* SPDX-License-Identifier: MIT */
/* Displays, devices and configs. */
#include "egl_parts.h"

void part_displays(void)
{
    EGLint major = 0, minor = 0, n;
    EGLAttrib bad[] = { EGL_WIDTH, 3, EGL_NONE }, screen[] = { EGL_PLATFORM_X11_SCREEN_KHR, 0, EGL_NONE };
    EGLDisplay other;
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_ext = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);

    CHECK(client && strstr(client, "EGL_EXT_platform_base") && strstr(client, "EGL_KHR_debug"));
    IS(eglQueryAPI(), EGL_OPENGL_ES_API); /* the default (EGL 1.5, 3.7) */
    FAILS(eglBindAPI(EGL_OPENVG_API), EGL_BAD_PARAMETER);
    FAILS(eglBindAPI(1), EGL_BAD_PARAMETER);
    IS(eglQueryAPI(), EGL_OPENGL_ES_API);
    WORKS(eglBindAPI(EGL_OPENGL_ES_API));
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
    CHECK(!strcmp(eglQueryString(dpy, EGL_CLIENT_APIS), "OpenGL OpenGL_ES"));
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

void part_references(void)
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

void part_devices(void)
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

void part_configs(void)
{
    EGLConfig all[256], some[256];
    EGLint n, m, i, value, none[] = { EGL_NONE };
    EGLint id[] = { EGL_CONFIG_ID, 2, EGL_RED_SIZE, 77, EGL_NONE };
    EGLint unknown[] = { 0x7777, 1, EGL_NONE }, negative[] = { EGL_RED_SIZE, -5, EGL_NONE };
    EGLint level[] = { EGL_LEVEL, EGL_DONT_CARE, EGL_NONE }, caveat[] = { EGL_CONFIG_CAVEAT, 5, EGL_NONE };
    EGLint es[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES_BIT, EGL_NONE }, deep[] = { EGL_DEPTH_SIZE, 33, EGL_NONE };
    EGLint es2[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE };
    EGLint es3[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE };
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
        IS(get(all[i], EGL_RENDERABLE_TYPE),
           EGL_OPENGL_BIT | EGL_OPENGL_ES_BIT | EGL_OPENGL_ES2_BIT | EGL_OPENGL_ES3_BIT);
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
    WORKS(eglChooseConfig(dpy, es3, some, 256, &n));
    IS(n, m);
    WORKS(eglChooseConfig(dpy, es2, some, 256, &n));
    IS(n, m);
    WORKS(eglChooseConfig(dpy, es, some, 256, &n));
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
