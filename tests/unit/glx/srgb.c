/* SPDX-License-Identifier: MIT */
/* GL_FRAMEBUFFER_SRGB and the configs for it: a line a question, "name answer"; `srgb steady`: frames in turns. */
#include "window.h"

static GLXFBConfig config(int srgb, int samples)
{
    int wanted[] = {GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8,
                    GLX_ALPHA_SIZE, 8, GLX_SAMPLES, samples, srgb < 0 ? None : GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, srgb,
                    None};
    return first_config(wanted, "srgb");
}

static int capable(GLXFBConfig fb)
{
    int value = -1;
    glXGetFBConfigAttrib(dpy, fb, GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, &value);
    return value;
}

static void pixel(const char *name)
{
    GLubyte p[4] = {77, 77, 77, 77};
    glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    printf("%s %d %d %d %d\n", name, p[0], p[1], p[2], p[3]);
}

static void state(const char *name)
{
    int is = -1;
    GLboolean on = 7;
    glGetIntegerv(GL_FRAMEBUFFER_SRGB_CAPABLE_EXT, &is);
    glGetBooleanv(GL_FRAMEBUFFER_SRGB, &on);
    printf("%s %d %d %d %x\n", name, is, on, glIsEnabled(GL_FRAMEBUFFER_SRGB), glGetError());
}

static void picture(void)
{
    glClearColor(0.5f, 0.25f, 0.1f, 0.5f);
    glClear(GL_COLOR_BUFFER_BIT);
    pixel("clear.off");
    glEnable(GL_FRAMEBUFFER_SRGB);
    glClear(GL_COLOR_BUFFER_BIT);
    pixel("clear.on");
    glColor4f(0.5f, 0.25f, 0.1f, 0.5f);
    glRectf(-1, -1, 1, 1);
    pixel("draw.on");
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glColor4f(1, 1, 1, 0.5f);
    glRectf(-1, -1, 1, 1);
    pixel("blend.on");
    glDisable(GL_BLEND);
    glPushAttrib(GL_ENABLE_BIT);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glColor4f(0.5f, 0.25f, 0.1f, 0.5f);
    glRectf(-1, -1, 1, 1);
    pixel("draw.off");
    glPopAttrib();
    state("popped");
    glRectf(-1, -1, 1, 1);
    pixel("draw.popped");
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    glRectf(-1, -1, 1, 1);
    pixel("logic.none");
    glDisable(GL_COLOR_LOGIC_OP);
    glDrawBuffer(GL_FRONT_AND_BACK);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadBuffer(GL_FRONT);
    pixel("both.front");
    glReadBuffer(GL_BACK);
    pixel("both.back");
    glDrawBuffer(GL_BACK);
    glDisable(GL_FRAMEBUFFER_SRGB);
}

static void on(GLXFBConfig fb, const char *name)
{
    Window window = make_window(fb);
    GLXContext context = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, window, context);
    printf("== %s\n", name);
    state("state");
    picture();
    glClearColor(0.5f, 0.25f, 0.1f, 0.5f);
    glEnable(GL_FRAMEBUFFER_SRGB);
    glClear(GL_COLOR_BUFFER_BIT);
    glXSwapBuffers(dpy, window);
    glFinish();
    XImage *image = XGetImage(dpy, window, 5, 5, 1, 1, AllPlanes, ZPixmap);
    printf("shown %06lx\n", XGetPixel(image, 0, 0) & 0xffffff);
    XDestroyImage(image);
    Window other = make_window(config(0, 0)); /* another drawable, which kernels make current */
    if (capable(fb) >= 0 && glXMakeCurrent(dpy, other, context)) {
        for (int n = 0; n < 3; n++) {
            glXMakeCurrent(dpy, n & 1 ? window : other, context);
            glClear(GL_COLOR_BUFFER_BIT);
            glRectf(-1, -1, 0.5f, 0.5f);
        }
        pixel("switched");
    }
    glXMakeCurrent(dpy, None, NULL);
    glXDestroyContext(dpy, context);
    XDestroyWindow(dpy, window);
    XDestroyWindow(dpy, other);
}

static void steady(void)
{
    GLXFBConfig fb = config(1, 0);
    Window window = make_window(fb);
    GLXContext context = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, window, context);
    for (int n = 0; n < 500; n++) {
        glEnable(GL_FRAMEBUFFER_SRGB);
        glClear(GL_COLOR_BUFFER_BIT);
        glRectf(-1, -1, 0, 0);
        glDisable(GL_FRAMEBUFFER_SRGB);
        glRectf(0, 0, 1, 1);
        glXSwapBuffers(dpy, window);
    }
}

int main(int argc, char **argv)
{
    dpy = XOpenDisplay(NULL);
    if (!dpy)
        return 2;
    if (argc > 1) {
        steady();
        return 0;
    }
    printf("default %d, asked %d, refused %d\n", capable(config(-1, 0)), capable(config(1, 0)), capable(config(0, 0)));
    int words[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 1, None};
    XVisualInfo *visual = glXChooseVisual(dpy, DefaultScreen(dpy), words);
    int value = -1;
    printf("visual %d", glXGetConfig(dpy, visual, GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, &value));
    printf(" %d\n", value);
    XFree(visual);
    const char *all = glXQueryExtensionsString(dpy, DefaultScreen(dpy));
    printf("glx %d %d\n", strstr(all, "GLX_EXT_framebuffer_sRGB") != NULL, strstr(all, "GLX_ARB_framebuffer_sRGB") != NULL);
    on(config(1, 0), "srgb");
    on(config(0, 0), "plain");
    on(config(1, 4), "samples");
    return 0;
}
