/* SPDX-License-Identifier: MIT
 *
 * Makes two drawables current in turn, each frame: `switch MODE FRAMES`. MODE: windows (one context),
 * contexts (one a window), shared (two contexts on one window), pbuffer (a window and a pbuffer). What
 * was drawn is read back now and then. Output: the number of wrong pixels and the GL error.
 */
#include <GL/glx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void draw(int k, int frame)
{
    int blue = frame & 255;
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
}

int main(int argc, char **argv)
{
    const char *mode = argv[1];
    int frames = atoi(argv[2]), i, k, n;
    int wanted[] = { GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24,
                     GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, 0 };
    int size[] = { GLX_PBUFFER_WIDTH, 100, GLX_PBUFFER_HEIGHT, 100, 0 };
    Display *dpy = XOpenDisplay(0);
    GLXFBConfig config = *glXChooseFBConfig(dpy, 0, wanted, &n);
    XVisualInfo *v = glXGetVisualFromFBConfig(dpy, config);
    XSetWindowAttributes attributes;
    GLXDrawable drawables[2];
    GLXContext contexts[2];

    (void)argc;
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
    if (!strcmp(mode, "contexts") || !strcmp(mode, "shared"))
        contexts[1] = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, contexts[0], 1);
    if (!strcmp(mode, "pbuffer")) drawables[1] = glXCreatePbuffer(dpy, config, size);
    if (!strcmp(mode, "shared")) drawables[1] = drawables[0];

    for (i = 0; i < frames; i++)
        for (k = 0; k < 2; k++) {
            if (!glXMakeCurrent(dpy, drawables[k], contexts[k])) return 2;
            if (glXGetCurrentDrawable() != drawables[k] || glXGetCurrentContext() != contexts[k])
                return 3;
            draw(k, i);
            glXSwapBuffers(dpy, drawables[k]);
            if (i == frames / 2 && k == 0) XResizeWindow(dpy, drawables[0], 180, 170);
        }
    printf("%d %d\n", wrong, glGetError());
    if (glXMakeCurrent(dpy, 0, 0) != 1) return 4;
    return 0;
}
