/* SPDX-License-Identifier: MIT */
/* What glGetIntegerv, glGetFloatv, glGetBooleanv and glIsEnabled answer to every number of 16 bits, a line
 * a number that one of them knows, in a context that nothing was done with; and so glGetLight and its kin. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
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
    printf("get %04x", name);
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

/* The queries of objects, each with a number: "light 1203 1 1 1 1" */
static void light(GLenum name, GLfloat *out) { glGetLightfv(GL_LIGHT0, name, out); }
static void other_light(GLenum name, GLfloat *out) { glGetLightfv(GL_LIGHT3, name, out); }
static void material(GLenum name, GLfloat *out) { glGetMaterialfv(GL_BACK, name, out); }
static void environment(GLenum name, GLfloat *out) { glGetTexEnvfv(GL_TEXTURE_ENV, name, out); }
static void filter(GLenum name, GLfloat *out) { glGetTexEnvfv(GL_TEXTURE_FILTER_CONTROL, name, out); }
static void sprite(GLenum name, GLfloat *out) { glGetTexEnvfv(GL_POINT_SPRITE, name, out); }
static void generation(GLenum name, GLfloat *out) { glGetTexGenfv(GL_T, name, out); }
static void pixel_map(GLenum name, GLfloat *out) { glGetPixelMapfv(name, out); }
static void map_order(GLenum name, GLfloat *out) { glGetMapfv(name, GL_ORDER, out); }
static void map_domain(GLenum name, GLfloat *out) { glGetMapfv(name, GL_DOMAIN, out); }
static void map_points(GLenum name, GLfloat *out) { glGetMapfv(name, GL_COEFF, out); }
static void attribute(GLenum name, GLfloat *out) { glGetVertexAttribfv(3, name, out); }
static void query_bits(GLenum name, GLfloat *out) { glGetQueryiv(name, GL_QUERY_COUNTER_BITS, (GLint *) out); }
static void buffer(GLenum name, GLfloat *out) { glGetBufferParameteriv(GL_ARRAY_BUFFER, name, (GLint *) out); }
static void pointer(GLenum name, GLfloat *out) { glGetPointerv(name, (GLvoid **) out); }
static void plane(GLenum name, GLfloat *out)
{
    GLdouble equation[4] = {7, 7, 7, 7};
    glGetClipPlane(name, equation);
    for (int n = 0; n < 4; n++)
        out[n] = equation[n];
}

static const struct {
    const char *name;
    void (*ask)(GLenum name, GLfloat *out);
} objects[] = {
    {"light", light}, {"other_light", other_light}, {"material", material}, {"environment", environment},
    {"filter", filter}, {"sprite", sprite}, {"generation", generation}, {"pixel_map", pixel_map},
    {"map_order", map_order}, {"map_domain", map_domain}, {"map_points", map_points}, {"attribute", attribute},
    {"query_bits", query_bits}, {"buffer", buffer}, {"pointer", pointer}, {"plane", plane},
};

/* where such names are: one by one all numbers would take long */
static const GLenum ranges[][2] = {{0x0C00, 0x0E00}, {0x1200, 0x1700}, {0x2200, 0x2600}, {0x3000, 0x3010}, {0x8000, 0x9200}};

static void ask_object(unsigned kind, GLenum name)
{
    union {
        GLfloat f[MOST];
        GLint i[MOST];
    } got;
    memset(&got, UNTOUCHED & 0xff, sizeof got);
    objects[kind].ask(name, got.f);
    if (glGetError())
        return;
    printf("%s %04x", objects[kind].name, name);
    for (int n = 0; n < MOST && got.i[n] != UNTOUCHED; n++)
        printf(" %g", got.f[n]);
    printf("\n");
}

static void ask_objects(void)
{
    GLuint made;
    glGenBuffers(1, &made);
    glBindBuffer(GL_ARRAY_BUFFER, made);
    glBufferData(GL_ARRAY_BUFFER, 40, NULL, GL_STATIC_DRAW);
    for (unsigned kind = 0; kind < sizeof objects / sizeof objects[0]; kind++)
        for (unsigned n = 0; n < sizeof ranges / sizeof ranges[0]; n++)
            for (GLenum name = ranges[n][0]; name < ranges[n][1]; name++)
                ask_object(kind, name);
}

int main(void)
{
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_ALPHA_SIZE, 8, GLX_DEPTH_SIZE, 24,
                    GLX_STENCIL_SIZE, 8, GLX_ACCUM_RED_SIZE, 16, None};
    Display *display = XOpenDisplay(NULL);
    int screen = display ? DefaultScreen(display) : 0;
    XVisualInfo *visual = display ? glXChooseVisual(display, screen, wanted) : NULL;
    if (display && !visual) { /* Mesa 25 has no accumulation buffers: the list ends before them */
        wanted[sizeof wanted / sizeof wanted[0] - 3] = None;
        visual = glXChooseVisual(display, screen, wanted);
    }
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
    ask_objects();
    return 0;
}
