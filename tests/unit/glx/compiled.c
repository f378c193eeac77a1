/* SPDX-License-Identifier: MIT
 *
 * What a program sees of GLX and its windows, said in words that must not depend on whose libGL.so.1
 * it is: `compiled MODE [FRAMES]`. Pixels are read back by GL and from the X server.
 */
#include "window.h"
#include <pthread.h>
#include <unistd.h>

static int x_errors;
static int note_error(Display *d, XErrorEvent *e)
{
    (void)d;
    x_errors = e->error_code;
    return 0;
}

static GLXFBConfig config_of(int doubled, int depth, int samples)
{
    int wanted[] = { GLX_DOUBLEBUFFER, doubled, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, depth,
                     GLX_SAMPLES, samples, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, 0 };
    return first_config(wanted, "window");
}

static void fill(float r, float g, float b)
{
    glClearColor(r, g, b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void say_pixel(const char *what, int x, int y)
{
    unsigned char p[4] = { 1, 2, 3, 4 };
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    printf("%s %d,%d: %02x%02x%02x%02x\n", what, x, y, p[0], p[1], p[2], p[3]);
}

static void say_shown(const char *what, Drawable d, int x, int y)
{
    XImage *image = XGetImage(dpy, d, x, y, 1, 1, ~0UL, ZPixmap);
    printf("%s %d,%d: %06lx\n", what, x, y, image ? XGetPixel(image, 0, 0) & 0xffffff : 0x5a5a5aUL);
    if (image) XDestroyImage(image);
}

static void triangle(void)
{
    static const float colors[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    int i;
    glBegin(GL_TRIANGLES);
    for (i = 0; i < 3; i++) {
        glColor3fv(colors[i]);
        glVertex4f(i == 1 ? .9f : -.9f, i == 2 ? .9f : -.9f, 0, 1);
    }
    glEnd();
}

/* frames and their windows */

static void steady(Window w, int frames)
{
    int i;
    for (i = 0; i < frames; i++) {
        fill(0, i & 1, 0);
        triangle();
        glXSwapBuffers(dpy, w);
    }
    glXWaitGL();
    say_shown("last frame", w, 1, 1);
    say_shown("last frame", w, 20, 50);
}

static void resized(Window w)
{
    int i;
    for (i = 0; i < 3; i++) {
        XResizeWindow(dpy, w, 100 + 10 * i, 40 + i);
        glViewport(0, 0, 100 + 10 * i, 40 + i);
        fill(1, 0, i * .2f);
        say_pixel("new corner", 99 + 10 * i, 39 + i);
        glXSwapBuffers(dpy, w);
        XSync(dpy, False);
        say_shown("corner shown", w, 99 + 10 * i, 39 + i);
    }
    XResizeWindow(dpy, w, 30, 300);
    XSync(dpy, False);
    fill(0, 0, 1);
    glXSwapBuffers(dpy, w);
    fill(0, 1, 1);
    glXSwapBuffers(dpy, w);
    XSync(dpy, False);
    say_shown("lowest row", w, 29, 299);
}

static void two_windows(GLXFBConfig config, Window one, GLXContext context)
{
    Window two = make_window(config);
    int i;
    XMoveWindow(dpy, two, 200, 0);
    for (i = 0; i < 5; i++) {
        glXMakeCurrent(dpy, one, context);
        fill(1, 0, 0);
        glXSwapBuffers(dpy, one);
        glXMakeCurrent(dpy, two, context);
        fill(0, 0, 1);
        glXSwapBuffers(dpy, two);
    }
    glXMakeContextCurrent(dpy, two, one, context);
    fill(0, 1, 0);
    glXSwapBuffers(dpy, two);
    XSync(dpy, False);
    say_shown("one", one, 3, 3);
    say_shown("two", two, 3, 3);
}

static void sub_buffer(Window w)
{
    fill(1, 0, 0);
    glXSwapBuffers(dpy, w);
    fill(0, 0, 1);
    glXCopySubBufferMESA(dpy, w, 10, 20, 5, 6);
    fill(0, 1, 0); /* the same buffer, at once */
    XSync(dpy, False);
    say_shown("outside", w, 9, SIZE - 21);
    say_shown("inside", w, 10, SIZE - 21);
    say_shown("inside", w, 14, SIZE - 26);
    say_shown("outside", w, 15, SIZE - 26);
}

static void front_buffer(void)
{
    GLXFBConfig config = config_of(0, 0, 0);
    Window w = make_window(config);
    GLXContext context = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, 0, True);
    glXMakeCurrent(dpy, w, context);
    fill(.2f, .4f, .6f);
    glFlush();
    XSync(dpy, False);
    say_shown("flushed", w, 5, 5);
    fill(0, 1, 1);
    glXSwapBuffers(dpy, w);
    XSync(dpy, False);
    say_shown("swapped", w, 5, 5);
    say_pixel("read", 5, 5);
}

static void front_of_double(Window w)
{
    fill(1, 0, 0);
    glXSwapBuffers(dpy, w);
    glReadBuffer(GL_FRONT);
    say_pixel("front", 4, 4);
    glDrawBuffer(GL_FRONT);
    fill(0, 0, 1);
    glFlush();
    XSync(dpy, False);
    say_shown("shown", w, 4, 4);
    say_pixel("front", 4, 4);
}

static void destroyed(Window w)
{
    int i;
    XSetErrorHandler(note_error);
    fill(1, 0, 0);
    glXSwapBuffers(dpy, w);
    XDestroyWindow(dpy, w);
    for (i = 0; i < 3; i++) {
        fill(0, 1, 0);
        say_pixel("drawn", 3, 3);
        glXSwapBuffers(dpy, w);
    }
    glXMakeCurrent(dpy, None, NULL);
    XSync(dpy, False);
    printf("still here\n");
}

/* what is no window */

static void pbuffer(void)
{
    GLXFBConfig config = config_of(1, 24, 0);
    int size[] = { GLX_PBUFFER_WIDTH, 300, GLX_PBUFFER_HEIGHT, 200, None };
    unsigned width = 0, height = 0;
    GLXPbuffer p = glXCreatePbuffer(dpy, config, size);
    GLXContext context = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, 0, True);
    printf("current %d\n", glXMakeCurrent(dpy, p, context));
    glViewport(0, 0, 300, 200);
    fill(.5f, .25f, .125f);
    triangle();
    say_pixel("corner", 299, 199);
    say_pixel("middle", 60, 60);
    glXSwapBuffers(dpy, p);
    fill(0, 0, 1);
    say_pixel("cleared", 10, 10);
    glXQueryDrawable(dpy, p, GLX_WIDTH, &width);
    glXQueryDrawable(dpy, p, GLX_HEIGHT, &height);
    printf("size %ux%u\n", width, height);
    glXMakeCurrent(dpy, None, NULL);
    glXDestroyPbuffer(dpy, p);
}

static void pixmap(Window w)
{
    int wanted[] = { GLX_DOUBLEBUFFER, False, GLX_RED_SIZE, 8,
                     GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PIXMAP_BIT, 0 };
    GLXFBConfig config = first_config(wanted, "pixmap");
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, config);
    Pixmap p = XCreatePixmap(dpy, w, 50, 50, visual->depth);
    GLXPixmap g = glXCreatePixmap(dpy, config, p, NULL);
    GLXContext context = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, 0, True);
    printf("current %d\n", glXMakeCurrent(dpy, g, context));
    glViewport(0, 0, 50, 50);
    fill(0, .5f, 1);
    say_pixel("drawn", 7, 7);
    glFlush();
    glXWaitGL();
    XSync(dpy, False);
    say_shown("pixmap", p, 7, 7);
    glXMakeCurrent(dpy, None, NULL);
    glXDestroyPixmap(dpy, g);
}

static void samples(void)
{
    GLXFBConfig config = config_of(1, 24, 4);
    Window w = make_window(config);
    GLXContext context = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, 0, True);
    glXMakeCurrent(dpy, w, context);
    fill(0, 0, 0);
    triangle();
    say_pixel("edge", 30, 33);
    say_pixel("edge", 31, 32);
    glXSwapBuffers(dpy, w);
    XSync(dpy, False);
    say_shown("edge", w, 30, SIZE - 34);
}

/* contexts */

static void versions(GLXFBConfig config, Window w)
{
    static const struct { int major, minor, profile, flags; } rows[] = {
        { 1, 0, 1, 0 }, { 2, 1, 1, 0 }, { 3, 0, 1, 0 }, { 3, 1, 1, 0 }, { 3, 1, 1, 2 }, { 3, 2, 1, 0 },
        { 3, 3, 1, 0 }, { 3, 3, 2, 0 }, { 4, 0, 1, 0 }, { 4, 5, 1, 0 }, { 4, 5, 2, 0 }, { 4, 6, 1, 0 },
        { 4, 5, 1, 3 }, { 2, 0, 4, 0 }, { 3, 0, 4, 0 }, { 3, 2, 4, 0 }, { 1, 1, 4, 0 }, { 3, 3, 1, 4 },
    };
    unsigned i;
    XSetErrorHandler(note_error);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        int attribs[] = { GLX_CONTEXT_MAJOR_VERSION_ARB, rows[i].major,
                          GLX_CONTEXT_MINOR_VERSION_ARB, rows[i].minor,
                          GLX_CONTEXT_PROFILE_MASK_ARB, rows[i].profile,
                          GLX_CONTEXT_FLAGS_ARB, rows[i].flags, 0 };
        GLXContext context = glXCreateContextAttribsARB(dpy, config, NULL, True, attribs);
        XSync(dpy, False);
        printf("%d.%d profile %d flags %d: ", rows[i].major, rows[i].minor, rows[i].profile, rows[i].flags);
        if (context && glXMakeCurrent(dpy, w, context)) {
            printf("%s", glGetString(GL_VERSION));
            glBegin(GL_POINTS);
            printf(", glBegin gives %#x\n", glGetError());
            glXMakeCurrent(dpy, None, NULL);
            glXDestroyContext(dpy, context);
        } else
            printf("none\n");
    }
}

static void shared(GLXFBConfig config, Window w, GLXContext one)
{
    GLXContext two = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, one, True);
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    triangle();
    glEndList();
    glXMakeCurrent(dpy, w, two);
    printf("list %d\n", glIsList(list));
    fill(0, 0, 0);
    glCallList(list);
    say_pixel("drawn", 10, 10);
    glXDestroyContext(dpy, one);
    printf("list %d\n", glIsList(list));
    printf("current %d\n", glXGetCurrentContext() == two);
}

static void *own_thread(void *seed)
{
    int n = (int)(long)seed, i, wrong = 0;
    Display *mine = XOpenDisplay(NULL);
    int wanted[] = { GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, 0 }, count;
    GLXFBConfig config = *glXChooseFBConfig(mine, DefaultScreen(mine), wanted, &count);
    XVisualInfo *v = glXGetVisualFromFBConfig(mine, config);
    XSetWindowAttributes set = { .override_redirect = True };
    set.colormap = XCreateColormap(mine, RootWindow(mine, v->screen), v->visual, AllocNone);
    Window w = XCreateWindow(mine, RootWindow(mine, v->screen), 100 * n, 0, SIZE, SIZE, 0, v->depth, InputOutput,
                             v->visual, CWColormap | CWOverrideRedirect | CWBorderPixel, &set);
    XMapWindow(mine, w);
    GLXContext context = glXCreateNewContext(mine, config, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(mine, w, context);
    for (i = 0; i < 200; i++) {
        unsigned char p[4];
        fill(n == 0, n == 1, i / 255.f);
        triangle();
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
        wrong += p[0] != 255 * (n == 0) || p[1] != 255 * (n == 1) || p[2] != i;
        glXSwapBuffers(mine, w);
    }
    glXMakeCurrent(mine, None, NULL);
    glXDestroyContext(mine, context);
    return (void *)(long)wrong;
}

static void threads(void)
{
    pthread_t made[3];
    void *wrong;
    long i;
    for (i = 0; i < 3; i++) pthread_create(&made[i], NULL, own_thread, (void *)i);
    for (i = 0; i < 3; i++) {
        pthread_join(made[i], &wrong);
        printf("thread %ld: %ld wrong\n", i, (long)wrong);
    }
}

/* strings, fonts, configs */

static void strings(void)
{
    static const int names[] = { GLX_RENDERER_VENDOR_ID_MESA, GLX_RENDERER_DEVICE_ID_MESA, GLX_RENDERER_VERSION_MESA,
                                 GLX_RENDERER_ACCELERATED_MESA, GLX_RENDERER_UNIFIED_MEMORY_ARCHITECTURE_MESA,
                                 GLX_RENDERER_PREFERRED_PROFILE_MESA,
                                 GLX_RENDERER_OPENGL_CORE_PROFILE_VERSION_MESA,
                                 GLX_RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION_MESA,
                                 GLX_RENDERER_OPENGL_ES_PROFILE_VERSION_MESA,
                                 GLX_RENDERER_OPENGL_ES2_PROFILE_VERSION_MESA };
    unsigned i;
    printf("%s|%s|%s\n", glGetString(GL_VENDOR), glGetString(GL_RENDERER), glGetString(GL_VERSION));
    printf("%s\n%s\n", glGetString(GL_SHADING_LANGUAGE_VERSION), glGetString(GL_EXTENSIONS));
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned values[4] = { 0 };
        int known = glXQueryCurrentRendererIntegerMESA(names[i], values);
        printf("%#x: %d %u %u %u\n", names[i], known, values[0], values[1], values[2]);
    }
    printf("%s|%s\n", glXQueryCurrentRendererStringMESA(GLX_RENDERER_VENDOR_ID_MESA),
           glXQueryCurrentRendererStringMESA(GLX_RENDERER_DEVICE_ID_MESA));
}

static void font(void)
{
    Font f = XLoadFont(dpy, "fixed");
    int x, y, lit = 0;
    unsigned char pixels[SIZE * SIZE * 4];
    glXUseXFont(f, 'A', 26, 1000);
    fill(0, 0, 0);
    glColor3f(1, 1, 1);
    glRasterPos2f(-.5f, 0);
    glListBase(1000 - 'A');
    glCallLists(3, GL_UNSIGNED_BYTE, "GLX");
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (y = 0; y < SIZE; y++)
        for (x = 0; x < SIZE; x++)
            lit = lit * 31 + pixels[4 * (y * SIZE + x)] * (x + 70 * y);
    printf("glyphs %d, error %#x\n", lit, glGetError());
}

static void procs(void)
{
    static const char *const names[] = { "glBegin", "glCreateShader", "glDispatchCompute", "glXSwapBuffers",
                                         "glTexImage2DMultisample", "glNoSuchThing" };
    void (*bind)(GLenum, GLuint) = (void (*)(GLenum, GLuint))glXGetProcAddress((const GLubyte *)"glBindBuffer");
    GLint bound = 0;
    unsigned i;
    for (i = 0; i + 1 < sizeof names / sizeof *names; i++)
        printf("%s %d\n", names[i], glXGetProcAddress((const GLubyte *)names[i]) != NULL);
    bind(GL_ARRAY_BUFFER, 3);
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &bound);
    printf("bound %d\n", bound);
}

int main(int argc, char **argv)
{
    const char *mode = argv[1];
    int frames = argc > 2 ? atoi(argv[2]) : 10;
    GLXFBConfig config;
    GLXContext context;
    Window w;

    XInitThreads();
    if (!(dpy = XOpenDisplay(NULL))) return 2;
    if (!strcmp(mode, "threads")) { threads(); return 0; }
    if (!strcmp(mode, "pbuffer")) { pbuffer(); return 0; }
    if (!strcmp(mode, "front")) { front_buffer(); return 0; }
    if (!strcmp(mode, "samples")) { samples(); return 0; }
    config = config_of(1, 24, 0);
    w = make_window(config);
    context = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, NULL, True);
    if (!glXMakeCurrent(dpy, w, context)) return 3;
    if (!strcmp(mode, "steady")) steady(w, frames);
    if (!strcmp(mode, "resized")) resized(w);
    if (!strcmp(mode, "windows")) two_windows(config, w, context);
    if (!strcmp(mode, "subbuffer")) sub_buffer(w);
    if (!strcmp(mode, "double")) front_of_double(w);
    if (!strcmp(mode, "destroyed")) destroyed(w);
    if (!strcmp(mode, "pixmap")) pixmap(w);
    if (!strcmp(mode, "versions")) versions(config, w);
    if (!strcmp(mode, "shared")) shared(config, w, context);
    if (!strcmp(mode, "strings")) strings();
    if (!strcmp(mode, "font")) font();
    if (!strcmp(mode, "procs")) procs();
    fflush(stdout);
    return 0;
}
