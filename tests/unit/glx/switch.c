/* SPDX-License-Identifier: MIT
 *
 * Makes two drawables current in turn, each frame: `switch MODE FRAMES SAMPLES`. MODE: windows (one context),
 * contexts (one a window), shared (two contexts on one window), pbuffer (a window and a pbuffer),
 * toolkit (a context with a pbuffer draws a texture, which another one shows in a window). What was
 * drawn is read back now and then. Output: the number of wrong pixels and the GL error.
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/glx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong, toolkit;
static GLuint image, target;

/* The widget: a texture that its context goes on drawing to, as toolkits do. */
static void begin_widget(void)
{
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 100, 100, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
    glViewport(0, 0, 100, 100);
}

/* The window shows it. */
static void show_widget(int blue)
{
    unsigned char p[4];
    glBindTexture(GL_TEXTURE_2D, image);
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0); glVertex2f(-1, -1);
    glTexCoord2f(.1f, 0); glVertex2f(1, -1);
    glTexCoord2f(.1f, .1f); glVertex2f(1, 1);
    glTexCoord2f(0, .1f); glVertex2f(-1, 1);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glReadPixels(50, 50, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    if (p[0] || p[1] != 255 || abs(p[2] - blue) > 1) wrong++;
}

static void draw(int k, int frame)
{
    int blue = frame & 255;
    if (toolkit && k && !target) begin_widget();
    glClearColor(!k, k, blue / 255.0f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glColor3f(1, 1, 1);
    glBegin(GL_TRIANGLES);
    glVertex2f(-.5f, -.5f);
    glVertex2f(.5f, -.5f);
    glVertex2f(0, .5f);
    glEnd();
    if (frame % 16 == 0) {
        unsigned char p[4];
        glReadPixels(2, 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
        if (p[0] != (k ? 0 : 255) || p[1] != (k ? 255 : 0) || abs(p[2] - blue) > 1) wrong++;
    }
    if (toolkit && !k && target) show_widget((blue - 1) & 255); /* what the frame before has drawn */
}

int main(int argc, char **argv)
{
    if (argc != 4) return 1;
    const char *mode = argv[1];
    int frames = atoi(argv[2]), i, k, n;
    int wanted[] = { GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, GLX_SAMPLES, atoi(argv[3]),
                     GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, 0 };
    int size[] = { GLX_PBUFFER_WIDTH, 100, GLX_PBUFFER_HEIGHT, 100, 0 };
    Display *dpy = XOpenDisplay(0);
    GLXFBConfig config = *glXChooseFBConfig(dpy, 0, wanted, &n);
    XVisualInfo *v = glXGetVisualFromFBConfig(dpy, config);
    XSetWindowAttributes attributes;
    GLXDrawable drawables[2];
    GLXContext contexts[2];
    PFNGLXSWAPINTERVALEXTPROC swap_interval = (void *)glXGetProcAddress((void *)"glXSwapIntervalEXT");

    memset(&attributes, 0, sizeof attributes);
    attributes.colormap = XCreateColormap(dpy, RootWindow(dpy, 0), v->visual, AllocNone);
    for (i = 0; i < 2; i++) {
        drawables[i] = XCreateWindow(dpy, RootWindow(dpy, 0), i * 200, 0, 150, 150 + 20 * i, 0,
                                     v->depth, InputOutput, v->visual, CWColormap | CWBorderPixel,
                                     &attributes);
        XMapWindow(dpy, drawables[i]);
    }
    XSync(dpy, 0);
    contexts[0] = contexts[1] = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, 0, 1);
    toolkit = !strcmp(mode, "toolkit");
    if (!strcmp(mode, "contexts") || !strcmp(mode, "shared") || toolkit)
        contexts[1] = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, contexts[0], 1);
    if (!strcmp(mode, "pbuffer") || toolkit) drawables[1] = glXCreatePbuffer(dpy, config, size);
    if (!strcmp(mode, "shared")) drawables[1] = drawables[0];

    for (i = 0; i < frames; i++)
        for (k = 0; k < 2; k++) {
            if (!glXMakeCurrent(dpy, drawables[k], contexts[k])) return 2;
            if (glXGetCurrentDrawable() != drawables[k] || glXGetCurrentContext() != contexts[k])
                return 3;
            swap_interval(dpy, drawables[k], 1); /* as toolkits say each frame */
            draw(k, i);
            if (!toolkit || !k) glXSwapBuffers(dpy, drawables[k]);
            if (i == frames / 2 && k == 0) XResizeWindow(dpy, drawables[0], 180, 170);
        }
    printf("%d %d\n", wrong, glGetError());
    if (glXMakeCurrent(dpy, 0, 0) != 1) return 4;
    return 0;
}
