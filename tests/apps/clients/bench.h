/* SPDX-License-Identifier: MIT */
/* What bench programs have in common: a window, clocks, lines by name. Include it behind the
 * definition of `struct Line`, whose first members are
 *     const char *name, *unit;
 *     double (*run)(const Line *line);      the figure
 * With BENCH_CORE defined its contexts are of OpenGL 3.3 core.
 * Use of such a program: NAME [-t SECONDS] [-p FOLDER] [LINE...]   or: NAME -l
 * Each line has a context of its own and prints "name value unit"; the checksum of what it drew goes
 * to stderr, so that two drivers' results can be told apart, and the processors' time a frame, which
 * other load on the machine disturbs less. A line that ends with a GL error prints 0. With -p the
 * folder gets what each line drew, LINE.ppm. */
#include <GL/glx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 512, FRAMES = 2 };
static Display *dpy;
static Window window;
static double seconds = 0.7;
static const char *pictures; /* the folder of -p */
static unsigned char *read_back; /* a window's pixels */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* What the process used of the processors, all its threads. */
static double cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double cpu_frame; /* seconds of processors a frame of the line that ran last */

/* How often a second `frame` can be done: it is warm before the clock starts. */
static double often(void (*frame)(const Line *), const Line *line)
{
    for (int i = 0; i < FRAMES; i++)
        frame(line);
    glFinish();
    double begin = now(), begin_cpu = cpu_time(), spent;
    int n = 0;
    do {
        frame(line);
        glFinish();
        n++;
    } while ((spent = now() - begin) < seconds);
    cpu_frame = (cpu_time() - begin_cpu) / n;
    return n / spent;
}

/* A context as glXCreateContext makes it or, if BENCH_CORE is defined, one of OpenGL 3.3 core. */
static GLXContext make_context(XVisualInfo *visual)
{
#ifdef BENCH_CORE
    int wanted = (int)visual->visualid, id = 0, count = 0;
    const int version[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 3, GLX_CONTEXT_MINOR_VERSION_ARB, 3,
                           GLX_CONTEXT_PROFILE_MASK_ARB, GLX_CONTEXT_CORE_PROFILE_BIT_ARB, None};
    PFNGLXCREATECONTEXTATTRIBSARBPROC create = (PFNGLXCREATECONTEXTATTRIBSARBPROC)
        glXGetProcAddress((const GLubyte *)"glXCreateContextAttribsARB");
    GLXFBConfig *configs = glXGetFBConfigs(dpy, visual->screen, &count), *config = configs;
    for (; config < configs + count; config++)
        if (!glXGetFBConfigAttrib(dpy, *config, GLX_VISUAL_ID, &id) && id == wanted)
            break;
    return config < configs + count ? create(dpy, *config, NULL, True, version) : NULL;
#else
    return glXCreateContext(dpy, visual, NULL, True);
#endif
}

/* What was read back, top row first and without alpha. */
static void write_picture(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.ppm", pictures, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fprintf(file, "P6 %d %d 255\n", WINDOW, WINDOW);
    for (int i = 0; i < WINDOW * WINDOW; i++)
        fwrite(read_back + 4 * ((WINDOW - 1 - i / WINDOW) * WINDOW + i % WINDOW), 1, 3, file);
    fclose(file);
}

/* A context of its own for each line: nothing of one is left for the next. */
static int run_line(const Line *line, XVisualInfo *visual)
{
    GLXContext context = make_context(visual);
    if (!context || !glXMakeCurrent(dpy, window, context))
        return 0;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
#ifndef BENCH_CORE
    glColor4f(0.7f, 1, 0.9f, 1);
#endif
    double rate = line->run(line);
    unsigned sum = 0;
    glReadPixels(0, 0, WINDOW, WINDOW, GL_RGBA, GL_UNSIGNED_BYTE, read_back);
    for (int i = 0; i < WINDOW * WINDOW * 4; i++)
        sum = sum * 31 + read_back[i];
    if (pictures)
        write_picture(line->name);
    GLenum error = glGetError();
    printf("%s %.2f %s\n", line->name, error ? 0 : rate, line->unit);
    fflush(stdout);
    fprintf(stderr, "# %s sum %08x err %x cpu %.4f ms/frame\n", line->name, sum, error,
            1e3 * cpu_frame);
    glXMakeCurrent(dpy, None, NULL);
    glXDestroyContext(dpy, context);
    return 1;
}

static int chosen(const char *name, char **names)
{
    for (char **n = names; *n; n++)
        if (!strcmp(*n, name))
            return 1;
    return !*names;
}

static void open_window(XVisualInfo *visual)
{
    XSetWindowAttributes attributes = {0};
    XEvent event;
    Window root = RootWindow(dpy, visual->screen);
    attributes.colormap = XCreateColormap(dpy, root, visual->visual, AllocNone);
    attributes.event_mask = StructureNotifyMask;
    window = XCreateWindow(dpy, root, 0, 0, WINDOW, WINDOW, 0, visual->depth, InputOutput,
                           visual->visual, CWColormap | CWEventMask, &attributes);
    XMapWindow(dpy, window);
    do
        XNextEvent(dpy, &event);
    while (event.type != MapNotify);
}

/* The whole program. */
static int bench_main(int argc, char **argv, const Line *lines, int count)
{
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, None};
    char **names = argv + 1;
    if (argc > 1 && !strcmp(argv[1], "-l")) {
        for (int i = 0; i < count; i++)
            puts(lines[i].name);
        return 0;
    }
    for (; names[0] && names[1] && names[0][0] == '-'; names += 2)
        if (!strcmp(names[0], "-t"))
            seconds = atof(names[1]);
        else
            pictures = names[1];
    dpy = XOpenDisplay(NULL);
    XVisualInfo *visual = dpy ? glXChooseVisual(dpy, DefaultScreen(dpy), wanted) : NULL;
    read_back = malloc(WINDOW * WINDOW * 16);
    if (!visual || !read_back)
        return 2;
    open_window(visual);
    for (int i = 0; i < count; i++)
        if (chosen(lines[i].name, names) && !run_line(&lines[i], visual))
            return 2;
    return 0;
}
