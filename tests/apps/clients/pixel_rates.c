/* SPDX-License-Identifier: MIT */
/* Rates of the calls that move pixels: read, draw and copy of usual formats and types, bitmaps, and
 * fills of an sRGB framebuffer. "pixel_rates [-t SECONDS] [PREFIX...]" prints "name value unit" a
 * line: Mpixel/s of 512x512 rectangles, thousand calls/s of 16x16 ones, so what a call costs
 * whatever its size shows too. With PREFIXes only lines whose names begin with one of them. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 512, SMALL = 16 };

static double seconds = 0.1;
static char **prefixes;
static int prefix_count;
static unsigned char *memory;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

struct job {
    void (*call)(const struct job *job, int size);
    GLenum format, type, kind;
    int batch; /* calls before the next glFinish, 512x512; 16x16: 64 times as many */
};

static void read_pixels(const struct job *job, int size)
{
    glReadPixels(0, 0, size, size, job->format, job->type, memory);
}

static void draw_pixels(const struct job *job, int size)
{
    glDrawPixels(size, size, job->format, job->type, memory);
}

static void copy_pixels(const struct job *job, int size)
{
    glCopyPixels(8, 8, size, size, job->kind);
}

static void bitmap(const struct job *job, int size)
{
    (void)job;
    glBitmap(size, size, 0, 0, 0, 0, memory);
}

/* kind: whether the corners have colours of their own */
static void fill(const struct job *job, int size)
{
    float edge = size / (float)SIZE;
    glBegin(GL_QUADS);
    for (int n = 0; n < 4; n++) {
        if (job->kind)
            glColor4f(n == 0, n == 1, n == 2, 0.6f);
        glVertex2f(n == 0 || n == 3 ? -edge : edge, n < 2 ? -edge : edge);
    }
    glEnd();
}

/* a picture with depths and stencil values of which no two neighbours are the same */
static void picture(void)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    for (int i = 0; i < 64; i++) {
        glStencilFunc(GL_ALWAYS, i * 3, 255);
        glBegin(GL_TRIANGLES);
        glColor4f(1, i / 64.f, 0, 0.25f);
        glVertex3f(i / 32.f - 1, -1, -0.9f);
        glColor4f(0, 1, i / 64.f, 0.5f);
        glVertex3f(i / 32.f - 0.9f, -1, 0.5f);
        glColor4f(i / 64.f, 0, 1, 1);
        glVertex3f(i / 40.f - 0.8f, 1, 0.9f);
        glEnd();
    }
    glDisable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDisable(GL_STENCIL_TEST);
    glFinish();
}

static void measure(const char *name, const struct job *job)
{
    for (int small = 0; small < 2; small++) {
        char line[64];
        int size = small ? SMALL : SIZE, wanted = !prefix_count;
        int batch = small ? 64 * job->batch : job->batch;
        double begin, spent, calls = 0;
        snprintf(line, sizeof line, "%s_%d", name, size);
        for (int n = 0; n < prefix_count; n++)
            wanted |= !strncmp(line, prefixes[n], strlen(prefixes[n]));
        if (!wanted)
            continue;
        for (int n = 0; n < batch; n++)
            job->call(job, size);
        glFinish();
        begin = now();
        do {
            for (int n = 0; n < batch; n++)
                job->call(job, size);
            glFinish();
            calls += batch;
            spent = now() - begin;
        } while (spent < seconds);
        if (small)
            printf("%s %.3f kcalls/s\n", line, calls / spent / 1e3);
        else
            printf("%s %.3f Mpix/s\n", line, calls * SIZE * SIZE / spent / 1e6);
        fflush(stdout);
        while (glGetError())
            printf("%s 0 error\n", line);
    }
}

static const struct {
    const char *name;
    GLenum enum_;
    int kind; /* 0: colours of any type, 1: of three, 2: of four components, 3: depth, 4: stencil, 5: both */
} formats[] = {
    {"rgba", GL_RGBA, 2},          {"bgra", GL_BGRA, 2},
    {"rgb", GL_RGB, 1},            {"luminance", GL_LUMINANCE, 0},
    {"red", GL_RED, 0},            {"depth", GL_DEPTH_COMPONENT, 3},
    {"stencil", GL_STENCIL_INDEX, 4}, {"both", GL_DEPTH_STENCIL, 5},
};

static const struct {
    const char *name;
    GLenum enum_;
    unsigned kinds; /* bits: of which kinds of formats */
} types[] = {
    {"ubyte", GL_UNSIGNED_BYTE, 0x1f},
    {"ushort", GL_UNSIGNED_SHORT, 0x1f},
    {"uint", GL_UNSIGNED_INT, 0x1f},
    {"float", GL_FLOAT, 0x1f},
    {"8888", GL_UNSIGNED_INT_8_8_8_8, 0x04},
    {"8888rev", GL_UNSIGNED_INT_8_8_8_8_REV, 0x04},
    {"565", GL_UNSIGNED_SHORT_5_6_5, 0x02},
    {"24_8", GL_UNSIGNED_INT_24_8, 0x20},
    {"32f_8", GL_FLOAT_32_UNSIGNED_INT_24_8_REV, 0x20},
};

static const struct {
    const char *name;
    GLenum kind;
} copies[] = {
    {"color", GL_COLOR}, {"depth", GL_DEPTH}, {"stencil", GL_STENCIL}, {"both", GL_DEPTH_STENCIL},
};

static void all_pairs(const char *verb, void (*call)(const struct job *, int), int batch)
{
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++)
        for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
            char name[48];
            struct job job = {call, formats[f].enum_, types[t].enum_, 0, batch};
            if (!(types[t].kinds >> formats[f].kind & 1))
                continue;
            snprintf(name, sizeof name, "%s_%s_%s", verb, formats[f].name, types[t].name);
            measure(name, &job);
        }
}

int main(int count, char **arguments)
{
    int wanted[] = {GLX_X_RENDERABLE, True, GLX_RED_SIZE, 8, GLX_ALPHA_SIZE, 8, GLX_DOUBLEBUFFER, True,
                    GLX_DEPTH_SIZE, 24, GLX_STENCIL_SIZE, 8, None};
    Display *display = XOpenDisplay(NULL);
    int found, at = 1;
    GLXFBConfig *configs = display
        ? glXChooseFBConfig(display, DefaultScreen(display), wanted, &found) : NULL;
    if (!configs || !found)
        return 2;
    if (count > 2 && !strcmp(arguments[1], "-t")) {
        seconds = atof(arguments[2]);
        at = 3;
    }
    prefixes = arguments + at;
    prefix_count = count - at;

    XVisualInfo *visual = glXGetVisualFromFBConfig(display, configs[0]);
    XSetWindowAttributes set = {0};
    Window root = RootWindow(display, visual->screen);
    set.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    set.event_mask = StructureNotifyMask;
    Window window = XCreateWindow(display, root, 0, 0, SIZE, SIZE, 0, visual->depth, InputOutput,
                                  visual->visual, CWColormap | CWEventMask | CWBorderPixel, &set);
    XMapWindow(display, window);
    XEvent event;
    do
        XNextEvent(display, &event);
    while (event.type != MapNotify);
    GLXContext context = glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, NULL, True);
    if (!context || !glXMakeCurrent(display, window, context))
        return 3;

    memory = malloc(SIZE * SIZE * 16);
    picture();
    all_pairs("read", read_pixels, 4);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_FLOAT, memory); /* what is drawn: sensible numbers */
    glWindowPos2i(0, 0);
    all_pairs("draw", draw_pixels, 4);
    picture();
    glWindowPos2i(0, 0);
    for (unsigned n = 0; n < sizeof copies / sizeof *copies; n++) {
        char name[48];
        struct job job = {copy_pixels, 0, 0, copies[n].kind, 4};
        snprintf(name, sizeof name, "copy_%s", copies[n].name);
        measure(name, &job);
    }
    struct job bits = {bitmap, 0, 0, 0, 4}, filling = {fill, 0, 0, 0, 8};
    struct job smooth = {fill, 0, 0, 1, 8};
    for (int n = 0; n < SIZE * SIZE / 8; n++)
        memory[n] = n * 37;
    measure("bitmap", &bits);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (int srgb = 0; srgb < 2; srgb++) {
        (srgb ? glEnable : glDisable)(GL_FRAMEBUFFER_SRGB);
        glColor4f(0.3f, 0.4f, 0.5f, 0.6f);
        glShadeModel(GL_FLAT);
        measure(srgb ? "fill_srgb_flat" : "fill_flat", &filling);
        glShadeModel(GL_SMOOTH);
        measure(srgb ? "fill_srgb" : "fill", &filling);
        measure(srgb ? "fill_srgb_smooth" : "fill_smooth", &smooth);
        glEnable(GL_BLEND);
        measure(srgb ? "fill_srgb_blend" : "fill_blend", &smooth);
        glDisable(GL_BLEND);
    }
    return 0;
}
