/* SPDX-License-Identifier: MIT */
/* Syncs and debug messages. */
#include "egl_parts.h"

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

void part_syncs(void)
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

static int told;
static char told_text[200];

static void callback(EGLenum error, const char *command, EGLint type, EGLLabelKHR thread, EGLLabelKHR object,
                     const char *message)
{
    (void)message, (void)object;
    told++;
    snprintf(told_text, sizeof told_text, "%x %s %x %s", error, command, type, thread ? (char *)thread : "-");
}

void part_debug(void)
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
