/* SPDX-License-Identifier: MIT */
/* What glGetIntegerv, glGetFloatv, glGetBooleanv and glIsEnabled answer to every number of 16 bits, a line
 * a number that one of them knows, in a context that nothing was done with. */
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 32, UNTOUCHED = 0x5a5a5a5a, FIRST_UUID = 0x9597, LAST_UUID = 0x959a };

static void ask(GLenum name)
{
    union {
        GLint i[MOST];
        GLfloat f[MOST];
        GLboolean b[4 * MOST];
    } got[3];
    GLenum error[4];
    memset(got, UNTOUCHED & 0xff, sizeof got);
    glGetIntegerv(name, got[0].i);
    error[0] = glGetError();
    glGetFloatv(name, got[1].f);
    error[1] = glGetError();
    glGetBooleanv(name, got[2].b);
    error[2] = glGetError();
    GLboolean enabled = glIsEnabled(name);
    error[3] = glGetError();
    if (error[0] && error[1] && error[2] && error[3])
        return;
    printf("%04x", name);
    for (int n = 0; n < 4; n++)
        if (error[n])
            printf(" error %x", error[n]);
    for (int n = 0; n < MOST && got[0].i[n] != UNTOUCHED; n++)
        printf(" %d", got[0].i[n]);
    printf(" |");
    for (int n = 0; n < MOST && got[1].i[n] != UNTOUCHED; n++)
        printf(" %g", got[1].f[n]);
    printf(" |");
    for (int n = 0; n < MOST && got[2].b[n] != (UNTOUCHED & 0xff); n++)
        printf(" %d", got[2].b[n]);
    printf(" | %d\n", enabled);
}

int main(void)
{
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_ALPHA_SIZE, 8, GLX_DEPTH_SIZE, 24,
                    GLX_STENCIL_SIZE, 8, GLX_ACCUM_RED_SIZE, 16, None};
    Display *display = XOpenDisplay(NULL);
    int screen = display ? DefaultScreen(display) : 0;
    XVisualInfo *visual = display ? glXChooseVisual(display, screen, wanted) : NULL;
    if (!visual)
        return 2;
    XSetWindowAttributes attributes = {0};
    attributes.colormap = XCreateColormap(display, RootWindow(display, screen), visual->visual, AllocNone);
    Window window = XCreateWindow(display, RootWindow(display, screen), 0, 0, 64, 48, 0, visual->depth,
                                  InputOutput, visual->visual, CWColormap, &attributes);
    GLXContext context = glXCreateContext(display, visual, NULL, True);
    if (!glXMakeCurrent(display, window, context))
        return 3;
    while (glGetError())
        ;
    for (GLenum name = 0; name < 0x10000; name++)
        if (name < FIRST_UUID || name > LAST_UUID) /* EXT_memory_object's, of which the peer dies */
            ask(name);
    return 0;
}
