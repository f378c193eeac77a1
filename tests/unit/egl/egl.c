/* SPDX-License-Identifier: MIT */
/* What EGL 1.5 and its extensions promise, checked one part at a time: `egl PART`, with DISPLAY set.
 * Every line that does not hold is printed; the program ends with their number. Pixels of windows and
 * pixmaps are read back through X: what a person would see. */
#include "egl_parts.h"

int failures;

void check(int held, const char *what, const char *file, int line)
{
    if (held) return;
    printf("%s:%d: %s\n", file, line, what);
    failures++;
}

void is(long have, long want, const char *what, const char *file, int line)
{
    if (have == want) return;
    printf("%s:%d: %s is %#lx, not %#lx\n", file, line, what, have, want);
    failures++;
}

int x_errors;
static int count_x_error(Display *display, XErrorEvent *event)
{
    (void)display, (void)event;
    x_errors++;
    return 0;
}

Display *x;
EGLDisplay dpy;
EGLConfig config;

EGLConfig choose(int kind)
{
    EGLint list[] = { EGL_SURFACE_TYPE, kind, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8,
                      EGL_DEPTH_SIZE, 16, EGL_NONE };
    EGLConfig found = 0;
    EGLint n = 0;
    WORKS(eglChooseConfig(dpy, list, &found, 1, &n));
    IS(n, 1);
    return found;
}

int get(EGLConfig c, EGLint attribute)
{
    EGLint value = -77;
    WORKS(eglGetConfigAttrib(dpy, c, attribute, &value));
    return value;
}

void open_x11(void)
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

Window window(EGLConfig c, int width, int height)
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

EGLSurface pbuffer(EGLConfig c, int width, int height)
{
    EGLint list[] = { EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE };
    return eglCreatePbufferSurface(dpy, c, list);
}

unsigned long pixel(Drawable d, int px, int py)
{
    XImage *image = XGetImage(x, d, px, py, 1, 1, AllPlanes, ZPixmap);
    unsigned long value;
    if (!image) return 0xDEAD;
    value = XGetPixel(image, 0, 0) & 0xFFFFFF;
    XDestroyImage(image);
    return value;
}

void fill(float r, float g, float b)
{
    glClearColor(r, g, b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

unsigned long read_pixel(int px, int py)
{
    unsigned char p[4] = { 9, 9, 9, 9 };
    glReadPixels(px, py, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return (unsigned long)p[0] << 16 | p[1] << 8 | p[2];
}

EGLint query(EGLSurface s, EGLint attribute)
{
    EGLint value = -77;
    WORKS(eglQuerySurface(dpy, s, attribute, &value));
    return value;
}

int main(int n, char **a)
{
    static const struct { const char *name; void (*run)(void); } parts[] = {
        { "displays", part_displays },
        { "references", part_references },
        { "es", part_es },
        { "devices", part_devices },
        { "configs", part_configs },
        { "surfaces", part_surfaces },
        { "surfaceless", part_surfaceless },
        { "contexts", part_contexts },
        { "current", part_current },
        { "frames", part_frames },
        { "steady", part_steady },
        { "xcb", part_xcb },
        { "switch", part_switch },
        { "toolkit", part_toolkit },
        { "start", part_start },
        { "storm", part_storm },
        { "fork", part_fork },
        { "closed", part_closed },
        { "syncs", part_syncs },
        { "debug", part_debug },
        { "images", part_images },
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
