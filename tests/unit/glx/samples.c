/* SPDX-License-Identifier: MIT */
/* Drawables with four samples a pixel, of every kind: a line a question, "name answer"; `samples steady`: frames. */
#include "window.h"

static GLXFBConfig config(int type, int doubled, int samples)
{
    int wanted[] = {GLX_DRAWABLE_TYPE, type, GLX_DOUBLEBUFFER, doubled, GLX_DEPTH_SIZE, 24, GLX_STENCIL_SIZE, 8,
                    GLX_RED_SIZE, 8, GLX_SAMPLE_BUFFERS, samples > 0, GLX_SAMPLES, samples, None};
    return first_config(wanted, "samples");
}

static void half(void) /* the left part is white: up to the middle of pixel column 10 */
{
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, SIZE, 0, SIZE, -1, 1);
    glColor3f(1, 1, 1);
    glRectf(0, 0, 10.5f, SIZE);
}

static int red_at(int x, int y)
{
    GLubyte rgba[4] = {77, 77, 77, 77};
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    return rgba[0];
}

static int shown(Drawable d, int x, int y)
{
    XSync(dpy, False);
    XImage *image = XGetImage(dpy, d, x, y, 1, 1, AllPlanes, ZPixmap);
    int red = image ? (int) (XGetPixel(image, 0, 0) >> 16 & 255) : -1;
    if (image)
        XDestroyImage(image);
    return red;
}

static void gets(const char *name)
{
    int buffers = -1, samples = -1;
    glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
    glGetIntegerv(GL_SAMPLES, &samples);
    printf("%s.gets %d %d %d\n", name, buffers, samples, glIsEnabled(GL_MULTISAMPLE));
}

static void reads(const char *name)
{
    printf("%s.read %d %d %d\n", name, red_at(9, 5), red_at(10, 5), red_at(11, 5));
}

static void depth_and_stencil(void)
{
    GLfloat z = -1;
    GLubyte s = 99;
    half();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 5, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glPushMatrix();
    glTranslatef(0, 0, 0.5f);
    glRectf(0, 0, 20.5f, SIZE);
    glPopMatrix();
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
    for (int x = 19; x < 22; x++) { /* the first sample lies left of the middle */
        glReadPixels(x, 7, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &z);
        glReadPixels(x, 7, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &s);
        printf("zs.%d %.3f %d\n", x, z, s);
    }
    unsigned short z16[3];
    glReadPixels(19, 7, 3, 1, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, z16);
    printf("zs.short %d %d %d\n", z16[0], z16[1], z16[2]);
}

static void query(void)
{
    GLuint q, n = 0;
    glGenQueries(1, &q);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    glRectf(0, 0, 10, 10);
    glRectf(20, 20, 20.5f, 30);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &n);
    printf("query.samples %u\n", n);
    glDisable(GL_MULTISAMPLE);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    glRectf(0, 0, 10, 10);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &n);
    printf("query.centres %u\n", n);
    glEnable(GL_MULTISAMPLE);
}

static void stacks(void)
{
    GLfloat value;
    GLboolean invert;
    glSampleCoverage(0.5f, GL_TRUE);
    glEnable(GL_SAMPLE_COVERAGE);
    glPushAttrib(GL_MULTISAMPLE_BIT);
    glSampleCoverage(0.25f, GL_FALSE);
    glDisable(GL_SAMPLE_COVERAGE);
    glDisable(GL_MULTISAMPLE);
    glPopAttrib();
    glGetFloatv(GL_SAMPLE_COVERAGE_VALUE, &value);
    glGetBooleanv(GL_SAMPLE_COVERAGE_INVERT, &invert);
    printf("stack %.2f %d %d %d\n", value, invert, glIsEnabled(GL_SAMPLE_COVERAGE), glIsEnabled(GL_MULTISAMPLE));
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(0, 0, 30, 30);
    printf("stack.covers %d\n", red_at(3, 3));
    glDisable(GL_SAMPLE_COVERAGE);
    glSampleCoverage(1, GL_FALSE);
}

static void steady(void)
{
    GLXFBConfig fb = config(GLX_WINDOW_BIT, True, 4);
    Window win = make_window(fb);
    GLXContext cx = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, win, cx);
    for (int i = 0; i < 500; i++) {
        half();
        glSampleCoverage((i & 3) / 4.0f, i & 4);
        (i & 8 ? glEnable : glDisable)(GL_SAMPLE_COVERAGE);
        (i & 16 ? glEnable : glDisable)(GL_MULTISAMPLE);
        glRectf(20, 20, 40.5f, 40);
        if (i % 50 == 0 && red_at(10, 5) < 0)
            exit(3);
        glXSwapBuffers(dpy, win);
    }
}

int main(int argc, char **argv)
{
    dpy = XOpenDisplay(NULL);
    if (!dpy)
        return 2;
    if (argc > 1 && !strcmp(argv[1], "steady")) {
        steady();
        return 0;
    }
    /* a window, double-buffered */
    GLXFBConfig fb = config(GLX_WINDOW_BIT, True, 4);
    Window win = make_window(fb);
    GLXContext cx = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, win, cx);
    gets("window");
    half();
    reads("window");
    glXSwapBuffers(dpy, win);
    printf("window.shown %d %d %d\n", shown(win, 9, 5), shown(win, 10, 5), shown(win, 11, 5));
    glReadBuffer(GL_FRONT);
    reads("front");
    glDrawBuffer(GL_FRONT);
    glColor3f(0.5f, 0, 0);
    glRectf(0, 32, SIZE, SIZE);
    glFlush();
    printf("front.shown %d %d\n", shown(win, 10, SIZE - 6), shown(win, 10, 5));
    glRectf(0, 30, 8, SIZE);
    glXSwapBuffers(dpy, win);
    glColor3f(0, 1, 0);
    glRectf(40.5f, 0, SIZE, 8);
    glFlush();
    printf("front.after_swap %d\n", shown(win, 60, SIZE - 6));
    reads("front.after_swap");
    glDrawBuffer(GL_BACK);
    glReadBuffer(GL_BACK);
    half();
    glXCopySubBufferMESA(dpy, win, 0, 0, 11, 20);
    printf("sub.shown %d %d\n", shown(win, 10, SIZE - 6), shown(win, 40, SIZE - 6));
    depth_and_stencil();
    query();
    stacks();
    /* another size keeps what both have */
    half();
    XResizeWindow(dpy, win, SIZE + 70, SIZE + 30);
    XSync(dpy, False);
    glViewport(0, 0, SIZE + 70, SIZE + 30);
    glFinish();
    printf("resize %d %d %d\n", red_at(9, 40), red_at(10, 40), red_at(11, 40));
    /* a second context on the same window */
    GLXContext other = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, cx, True);
    half();
    glXMakeCurrent(dpy, win, other);
    glViewport(0, 0, SIZE, SIZE);
    reads("second");
    glMatrixMode(GL_PROJECTION), glLoadIdentity(), glOrtho(0, SIZE, 0, SIZE, -1, 1);
    glRectf(10.5f, 0, 12, SIZE);
    reads("second.on_top");
    glXMakeCurrent(dpy, None, NULL);
    /* single-buffered window */
    fb = config(GLX_WINDOW_BIT, False, 4);
    Window single = make_window(fb);
    GLXContext one = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, single, one);
    gets("single");
    half();
    glFlush();
    printf("single.shown %d %d %d\n", shown(single, 9, 5), shown(single, 10, 5), shown(single, 11, 5));
    reads("single");
    glXMakeCurrent(dpy, None, NULL);
    /* pbuffer */
    fb = config(GLX_PBUFFER_BIT, True, 4);
    int size[] = {GLX_PBUFFER_WIDTH, SIZE, GLX_PBUFFER_HEIGHT, SIZE, None};
    GLXPbuffer pb = glXCreatePbuffer(dpy, fb, size);
    GLXContext pbc = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeContextCurrent(dpy, pb, pb, pbc);
    gets("pbuffer");
    half();
    reads("pbuffer");
    glXMakeContextCurrent(dpy, None, None, NULL);
    glXDestroyPbuffer(dpy, pb);
    /* pixmap */
    fb = config(GLX_PIXMAP_BIT | GLX_WINDOW_BIT, False, 4);
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, fb);
    Pixmap pix = XCreatePixmap(dpy, DefaultRootWindow(dpy), SIZE, SIZE, visual ? visual->depth : 24);
    GLXPixmap glpix = glXCreatePixmap(dpy, fb, pix, NULL);
    GLXContext pxc = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeContextCurrent(dpy, glpix, glpix, pxc);
    gets("pixmap");
    half();
    glFinish();
    glXWaitGL();
    printf("pixmap.shown %d %d %d\n", shown(pix, 9, 5), shown(pix, 10, 5), shown(pix, 11, 5));
    glXMakeContextCurrent(dpy, None, None, NULL);
    /* a context without a config, and one sample after four */
    GLXFBConfig plain = config(GLX_WINDOW_BIT, True, 0);
    Window flat = make_window(plain);
    int attribs[] = {GLX_SCREEN, DefaultScreen(dpy), None};
    GLXContext any = ((GLXContext (*)(Display *, GLXFBConfig, GLXContext, Bool, const int *))
                      glXGetProcAddress((const GLubyte *) "glXCreateContextAttribsARB"))(dpy, NULL, NULL, True, attribs);
    glXMakeContextCurrent(dpy, win, win, any);
    gets("any.window");
    glXMakeContextCurrent(dpy, flat, flat, any);
    gets("any.plain");
    half();
    reads("any.plain");
    glXMakeContextCurrent(dpy, None, None, NULL);
    XVisualInfo *chosen = glXChooseVisual(dpy, DefaultScreen(dpy), (int[]){GLX_RGBA, GLX_DOUBLEBUFFER,
                                          GLX_SAMPLE_BUFFERS, 1, GLX_SAMPLES, 4, None});
    int samples = 0;
    glXGetConfig(dpy, chosen, GLX_SAMPLES, &samples);
    printf("visual.samples %d\n", samples);
    XVisualInfo *none = glXChooseVisual(dpy, DefaultScreen(dpy), (int[]){GLX_RGBA, GLX_SAMPLE_BUFFERS, 1,
                                        GLX_SAMPLES, 16, None});
    printf("visual.sixteen %d\n", none != NULL);
    XCloseDisplay(dpy);
    return 0;
}
