/* SPDX-License-Identifier: MIT */
/* What the programs of this folder share: headers, the first config that fits, a window of it. */
#ifndef WINDOW_H
#define WINDOW_H

#define GL_GLEXT_PROTOTYPES 1
#define GLX_GLXEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <GL/glxext.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Display *dpy;
enum { SIZE = 64 };

static GLXFBConfig first_config(const int *wanted, const char *what)
{
    int count = 0;
    GLXFBConfig *found = glXChooseFBConfig(dpy, DefaultScreen(dpy), wanted, &count);
    if (!count) {
        printf("no_config %s\n", what);
        exit(1);
    }
    GLXFBConfig one = found[0];
    XFree(found);
    return one;
}

static Window make_window(GLXFBConfig fb)
{
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, fb);
    Window root = RootWindow(dpy, visual->screen);
    XSetWindowAttributes set = {.colormap = XCreateColormap(dpy, root, visual->visual, AllocNone),
                                .override_redirect = True};
    Window made = XCreateWindow(dpy, root, 0, 0, SIZE, SIZE, 0, visual->depth, InputOutput, visual->visual,
                                CWColormap | CWOverrideRedirect | CWBorderPixel, &set);
    XMapRaised(dpy, made);
    XSync(dpy, False);
    XFree(visual);
    return made;
}

#endif
