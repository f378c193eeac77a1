/* SPDX-License-Identifier: MIT */
/* What extensions of the fixed-function world do, a line a question: "name answer ...". Every driver that has them
 * must say the same. `extensions NAME ...`: the parts of that name alone. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <GL/glxext.h>
#include <X11/Xlib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 64 };
static Display *display;
static Window window;
static GLXFBConfig config;

static void *load(const char *name)
{
    return (void *) glXGetProcAddress((const GLubyte *) name);
}
#define CALL(type, name) ((type) load(#name))

static void error(const char *name)
{
    printf("%s error %x\n", name, glGetError());
}

static void begin(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, SIZE, 0, SIZE, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

/* How many pixels are lit, and a sum that tells where and in which colour. */
static void picture(const char *name)
{
    static GLubyte rgba[SIZE * SIZE][4];
    unsigned lit = 0, sum = 0;
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        unsigned c = rgba[i][0] | rgba[i][1] << 8 | rgba[i][2] << 16;
        lit += c != 0;
        sum = sum * 31 + c;
    }
    printf("%s picture %u %08x error %x\n", name, lit, sum, glGetError());
}

static const GLfloat corners[][2] = {
    {4, 4}, {20, 4}, {4, 20}, {20, 20}, {30, 4}, {60, 4}, {30, 30}, {60, 30}, {10, 40}, {50, 40}, {30, 60}, {8, 8},
};
static const GLubyte colors[][4] = {
    {255, 0, 0, 255}, {255, 0, 0, 255}, {255, 0, 0, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 255, 0, 255},
    {0, 255, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {0, 0, 255, 255}, {0, 0, 255, 255}, {255, 255, 255, 255},
};
static const GLuint indices[] = {0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 10};

static void arrays(void)
{
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glColorPointer(4, GL_UNSIGNED_BYTE, 0, colors);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glShadeModel(GL_FLAT);
}

static void multimode(void)
{
    PFNGLMULTIMODEDRAWARRAYSIBMPROC draw = CALL(PFNGLMULTIMODEDRAWARRAYSIBMPROC, glMultiModeDrawArraysIBM);
    PFNGLMULTIMODEDRAWELEMENTSIBMPROC elements = CALL(PFNGLMULTIMODEDRAWELEMENTSIBMPROC, glMultiModeDrawElementsIBM);
    GLenum modes[] = {GL_TRIANGLE_STRIP, 99, GL_TRIANGLE_STRIP, 99, GL_TRIANGLES, 99};
    GLint first[] = {0, 4, 8};
    GLsizei count[] = {4, 4, 3};
    arrays();
    begin();
    draw(modes, first, count, 3, 2 * sizeof(GLenum));
    picture("multimode arrays");
    GLsizei some[] = {4, 0, 3};
    begin();
    draw(modes, first, some, 3, 2 * sizeof(GLenum));
    picture("multimode arrays but one");
    begin();
    glNewList(5, GL_COMPILE);
    draw(modes, first, count, 2, 2 * sizeof(GLenum));
    glEndList();
    picture("multimode before the list");
    glCallList(5);
    picture("multimode list");
    GLenum quads[] = {GL_QUADS, GL_LINE_LOOP, GL_TRIANGLES};
    const void *places[] = {indices, indices + 4, indices + 8};
    begin();
    elements(quads, count, GL_UNSIGNED_INT, (const void *const *) places, 3, sizeof(GLenum));
    picture("multimode elements");
    begin();
    draw(modes, first, count, 3, sizeof(GLenum));
    picture("multimode wrong mode");
}

static void indirect(void)
{
    PFNGLDRAWARRAYSINDIRECTPROC draw = CALL(PFNGLDRAWARRAYSINDIRECTPROC, glDrawArraysIndirect);
    PFNGLDRAWELEMENTSINDIRECTPROC elements = CALL(PFNGLDRAWELEMENTSINDIRECTPROC, glDrawElementsIndirect);
    PFNGLMULTIDRAWARRAYSINDIRECTPROC multi = CALL(PFNGLMULTIDRAWARRAYSINDIRECTPROC, glMultiDrawArraysIndirect);
    PFNGLMULTIDRAWELEMENTSINDIRECTPROC multi_elements =
        CALL(PFNGLMULTIDRAWELEMENTSINDIRECTPROC, glMultiDrawElementsIndirect);
    PFNGLMULTIDRAWARRAYSINDIRECTCOUNTARBPROC counted =
        CALL(PFNGLMULTIDRAWARRAYSINDIRECTCOUNTARBPROC, glMultiDrawArraysIndirectCountARB);
    GLuint records[3][4] = {{4, 1, 0, 0}, {4, 1, 4, 0}, {3, 1, 8, 0}};
    GLuint with_index[2][5] = {{4, 1, 0, 0, 0}, {3, 1, 0, 8, 0}};
    GLuint name[4], three[] = {7, 2};
    glGenBuffers(4, name);
    arrays();
    begin();
    draw(GL_TRIANGLE_STRIP, records[1]);
    picture("indirect client memory");
    begin();
    multi(GL_TRIANGLE_STRIP, records, 3, 0);
    picture("indirect client memory, many");
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, name[0]);
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof records, records, GL_STATIC_DRAW);
    GLint bound = -1;
    glGetIntegerv(GL_DRAW_INDIRECT_BUFFER_BINDING, &bound);
    printf("indirect bound %d\n", bound == (GLint) name[0]);
    begin();
    draw(GL_TRIANGLE_STRIP, (void *) 16);
    picture("indirect");
    begin();
    multi(GL_TRIANGLE_STRIP, (void *) 0, 2, 32);
    picture("indirect stride");
    draw(GL_TRIANGLE_STRIP, (void *) 2);
    error("indirect odd");
    draw(GL_TRIANGLE_STRIP, (void *) 36);
    error("indirect beyond");
    draw(99, (void *) 0);
    error("indirect mode");
    multi(GL_TRIANGLE_STRIP, (void *) 0, 3, 6);
    error("indirect odd stride");
    multi(GL_TRIANGLE_STRIP, (void *) 0, -1, 0);
    error("indirect negative");
    multi(GL_TRIANGLE_STRIP, (void *) 0, 4, 0);
    error("indirect too many");
    glMapBuffer(GL_DRAW_INDIRECT_BUFFER, GL_READ_ONLY);
    draw(GL_TRIANGLE_STRIP, (void *) 0);
    error("indirect mapped");
    glUnmapBuffer(GL_DRAW_INDIRECT_BUFFER);
    elements(GL_QUADS, GL_UNSIGNED_INT, (void *) 0);
    error("indirect no indices");
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, name[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof with_index, with_index, GL_STATIC_DRAW);
    begin();
    elements(GL_POLYGON, GL_UNSIGNED_INT, (void *) 20);
    picture("indirect elements");
    begin();
    multi_elements(GL_POLYGON, GL_UNSIGNED_INT, (void *) 0, 2, 0);
    picture("indirect many elements");
    elements(GL_POLYGON, GL_FLOAT, (void *) 0);
    error("indirect type");
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof records, records, GL_STATIC_DRAW);
    counted(GL_TRIANGLE_STRIP, (void *) 0, 0, 3, 0);
    error("indirect no parameter");
    glBindBuffer(GL_PARAMETER_BUFFER_ARB, name[2]);
    glBufferData(GL_PARAMETER_BUFFER_ARB, sizeof three, three, GL_STATIC_DRAW);
    begin();
    counted(GL_TRIANGLE_STRIP, (void *) 0, 4, 3, 0);
    picture("indirect counted");
    begin();
    counted(GL_TRIANGLE_STRIP, (void *) 0, 0, 3, 0);
    picture("indirect counted, most");
    counted(GL_TRIANGLE_STRIP, (void *) 0, 8, 3, 0);
    error("indirect counted beyond");
    counted(GL_TRIANGLE_STRIP, (void *) 0, 2, 3, 0);
    error("indirect counted odd");
    glDeleteBuffers(4, name);
    glGetIntegerv(GL_PARAMETER_BUFFER_BINDING_ARB, &bound);
    printf("indirect deleted %d\n", bound);
}

static void stencil(void)
{
    PFNGLSTENCILFUNCSEPARATEATIPROC func = CALL(PFNGLSTENCILFUNCSEPARATEATIPROC, glStencilFuncSeparateATI);
    GLenum names[] = {GL_STENCIL_FUNC, GL_STENCIL_BACK_FUNC, GL_STENCIL_REF, GL_STENCIL_BACK_REF,
                      GL_STENCIL_VALUE_MASK, GL_STENCIL_BACK_VALUE_MASK};
    func(GL_LESS, GL_GEQUAL, 5, 0x3f);
    for (int i = 0; i < 6; i++) {
        GLint value = -1;
        glGetIntegerv(names[i], &value);
        printf("stencil %x %x\n", names[i], value);
    }
    func(GL_LESS, 99, 1, 1);
    error("stencil back");
    func(99, GL_LESS, 1, 1);
    error("stencil front");
    glStencilFunc(GL_ALWAYS, 0, ~0u);
}

static void raster(void)
{
    GLfloat at[4];
    GLboolean valid;
    for (int on = 0; on < 2; on++) {
        (on ? glEnable : glDisable)(GL_RASTER_POSITION_UNCLIPPED_IBM);
        printf("raster enabled %d\n", glIsEnabled(GL_RASTER_POSITION_UNCLIPPED_IBM));
        begin();
        glRasterPos2f(-10, 70);
        glGetFloatv(GL_CURRENT_RASTER_POSITION, at);
        glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
        printf("raster xy %d", valid);
        if (valid)
            printf(" %g %g %g %g", at[0], at[1], at[2], at[3]);
        glRasterPos3f(10, 10, 5);
        glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
        printf(" z %d\n", valid);
    }
    glPushAttrib(GL_ENABLE_BIT); /* the peer forgets it in GL_TRANSFORM_BIT */
    glDisable(GL_RASTER_POSITION_UNCLIPPED_IBM);
    glPopAttrib();
    printf("raster popped %d\n", glIsEnabled(GL_RASTER_POSITION_UNCLIPPED_IBM));
    glDisable(GL_RASTER_POSITION_UNCLIPPED_IBM);
    error("raster");
}

static void conditional(void)
{
    PFNGLBEGINCONDITIONALRENDERPROC start = CALL(PFNGLBEGINCONDITIONALRENDERPROC, glBeginConditionalRender);
    PFNGLENDCONDITIONALRENDERPROC end = CALL(PFNGLENDCONDITIONALRENDERPROC, glEndConditionalRender);
    GLuint query[2];
    glGenQueries(2, query);
    for (int i = 0; i < 2; i++) {
        begin();
        glBeginQuery(GL_SAMPLES_PASSED, query[i]);
        if (i)
            glRectf(0, 0, 8, 8);
        glEndQuery(GL_SAMPLES_PASSED);
    }
    glColor3f(1, 1, 1);
    for (GLenum mode = GL_QUERY_WAIT_INVERTED; mode <= GL_QUERY_BY_REGION_NO_WAIT_INVERTED; mode++)
        for (int i = 0; i < 2; i++) {
            char name[40];
            begin();
            start(query[i], mode);
            glRectf(8, 8, 20, 30);
            end();
            sprintf(name, "conditional %x %d", mode, i);
            picture(name);
        }
    start(query[0], GL_QUERY_BY_REGION_NO_WAIT_INVERTED + 1);
    error("conditional mode");

    /* results into buffers */
    PFNGLGETQUERYOBJECTUIVPROC get = CALL(PFNGLGETQUERYOBJECTUIVPROC, glGetQueryObjectuiv);
    PFNGLGETQUERYOBJECTUI64VPROC get64 = CALL(PFNGLGETQUERYOBJECTUI64VPROC, glGetQueryObjectui64v);
    GLuint buffer, words[6] = {1, 2, 3, 4, 5, 6};
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_QUERY_BUFFER, buffer);
    glBufferData(GL_QUERY_BUFFER, sizeof words, words, GL_DYNAMIC_READ);
    get(query[1], GL_QUERY_RESULT, (GLuint *) 4);
    get64(query[1], GL_QUERY_RESULT, (GLuint64 *) 8);
    get(query[1], GL_QUERY_RESULT_AVAILABLE, (GLuint *) 16);
    error("query buffer");
    get(query[1], GL_QUERY_RESULT, (GLuint *) 24);
    error("query buffer beyond");
    get64(query[1], GL_QUERY_RESULT, (GLuint64 *) 20);
    error("query buffer half beyond");
    get(query[1], 99, (GLuint *) 0);
    error("query buffer name");
    glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof words, words);
    printf("query buffer %u %u %u %u %u %u\n", words[0], words[1], words[2], words[3], words[4], words[5]);
    glDeleteBuffers(1, &buffer);
    GLuint value = 77;
    get(query[1], GL_QUERY_RESULT_NO_WAIT, &value);
    printf("query no wait %u\n", value);
    error("query no wait");
}

static void robust(void)
{
    PFNGLREADNPIXELSARBPROC read = CALL(PFNGLREADNPIXELSARBPROC, glReadnPixelsARB);
    PFNGLGETNMAPFVARBPROC map = CALL(PFNGLGETNMAPFVARBPROC, glGetnMapfvARB);
    PFNGLGETNPIXELMAPFVARBPROC pixel_map = CALL(PFNGLGETNPIXELMAPFVARBPROC, glGetnPixelMapfvARB);
    PFNGLGETNPIXELMAPUSVARBPROC short_map = CALL(PFNGLGETNPIXELMAPUSVARBPROC, glGetnPixelMapusvARB);
    PFNGLGETNPOLYGONSTIPPLEARBPROC stipple = CALL(PFNGLGETNPOLYGONSTIPPLEARBPROC, glGetnPolygonStippleARB);
    GLubyte bytes[600];
    GLfloat floats[16] = {0};
    memset(bytes, 7, sizeof bytes);
    begin();
    glRectf(0, 0, 10, 10);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    read(0, 0, 5, 5, GL_RGB, GL_UNSIGNED_BYTE, 78, bytes);
    error("robust read short");
    printf("robust read %d\n", bytes[0]);
    read(0, 0, 5, 5, GL_RGB, GL_UNSIGNED_BYTE, 79, bytes);
    error("robust read");
    printf("robust read %d %d\n", bytes[0], bytes[79]);
    read(0, 0, 5, 5, 99, GL_UNSIGNED_BYTE, 79, bytes);
    error("robust read format");
    read(0, 0, -1, 5, GL_RGB, GL_UNSIGNED_BYTE, 79, bytes);
    error("robust read size");
    read(0, 0, 0, 5, GL_RGB, GL_UNSIGNED_BYTE, 0, bytes);
    error("robust read nothing");
    glPixelStorei(GL_PACK_SKIP_ROWS, 2);
    read(0, 0, 5, 5, GL_RGB, GL_UNSIGNED_BYTE, 79, bytes);
    error("robust read skipped");
    glPixelStorei(GL_PACK_SKIP_ROWS, 0);
    map(GL_MAP1_VERTEX_4, GL_COEFF, 12, floats);
    error("robust map short");
    map(GL_MAP1_VERTEX_4, GL_COEFF, 16, floats);
    error("robust map");
    printf("robust map %g %g\n", floats[0], floats[3]);
    map(GL_MAP2_VERTEX_3, GL_DOMAIN, 12, floats);
    error("robust map domain");
    map(99, GL_COEFF, 16, floats);
    error("robust map target");
    GLfloat table[] = {0.25f, 0.5f, 0.75f, 1};
    glPixelMapfv(GL_PIXEL_MAP_R_TO_R, 4, table);
    pixel_map(GL_PIXEL_MAP_R_TO_R, 15, floats);
    error("robust pixel map short");
    pixel_map(GL_PIXEL_MAP_R_TO_R, 16, floats);
    error("robust pixel map");
    printf("robust pixel map %g %g\n", floats[0], floats[3]);
    short_map(GL_PIXEL_MAP_R_TO_R, 7, (GLushort *) bytes);
    error("robust short map short");
    short_map(GL_PIXEL_MAP_R_TO_R, 8, (GLushort *) bytes);
    error("robust short map");
    short_map(99, 8, (GLushort *) bytes);
    error("robust pixel map name");
    stipple(127, bytes);
    error("robust stipple short");
    stipple(128, bytes);
    error("robust stipple");
    printf("robust stipple %d %d\n", bytes[0], bytes[127]);
    printf("robust status %x\n", CALL(PFNGLGETGRAPHICSRESETSTATUSARBPROC, glGetGraphicsResetStatusARB)());
}

static void flags(void)
{
    PFNGLXCREATECONTEXTATTRIBSARBPROC make =
        (PFNGLXCREATECONTEXTATTRIBSARBPROC) load("glXCreateContextAttribsARB");
    static const int kinds[][5] = {
        {None},
        {GLX_CONTEXT_FLAGS_ARB, GLX_CONTEXT_DEBUG_BIT_ARB, None},
        {GLX_CONTEXT_FLAGS_ARB, GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB, None},
        {GLX_CONTEXT_FLAGS_ARB, GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB, GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB,
         GLX_LOSE_CONTEXT_ON_RESET_ARB, None},
        {GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, GLX_NO_RESET_NOTIFICATION_ARB, None},
    };
    GLXContext old = glXGetCurrentContext();
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        GLXContext context = make(display, config, NULL, True, kinds[i]);
        printf("flags %u made %d", i, context != NULL);
        if (context) {
            GLint bits = -1, strategy = -1, robust = -1;
            glXMakeCurrent(display, window, context);
            glGetIntegerv(GL_CONTEXT_FLAGS, &bits);
            glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &strategy);
            glGetIntegerv(GL_CONTEXT_ROBUST_ACCESS, &robust);
            printf(" %x %x %d", bits, strategy, robust);
            glXMakeCurrent(display, window, old);
            glXDestroyContext(display, context);
        }
        printf("\n");
    }
    error("flags");
}

static void spiral(void) /* through the near plane, and both faces of it */
{
    for (int i = 0; i < 12; i++) {
        glColor3f(i / 12.0f, 1 - i / 12.0f, 0.5f);
        glBegin(GL_TRIANGLES);
        glVertex3f(-0.9f + 0.1f * i, -0.8f, -1.3f + 0.2f * i);
        glVertex3f(-0.5f + 0.1f * i, -0.6f + 0.05f * i, -1.1f + 0.2f * i);
        glVertex3f(-0.8f + 0.1f * i, i & 1 ? 0.7f : -0.95f, -0.9f + 0.2f * i);
        glEnd();
    }
    glBegin(GL_LINES);
    glColor3f(1, 1, 1);
    glVertex3f(-1, 0.9f, -1.5f);
    glVertex3f(1, 0.8f, 1.5f);
    glEnd();
}

static void clip(void)
{
    PFNGLCLIPCONTROLPROC control = CALL(PFNGLCLIPCONTROLPROC, glClipControl);
    static const GLenum origins[] = {GL_LOWER_LEFT, GL_UPPER_LEFT};
    static const GLenum depths[] = {GL_NEGATIVE_ONE_TO_ONE, GL_ZERO_TO_ONE};
    GLint value[2];
    GLfloat at[4], numbers[40], z[4];
    glGetIntegerv(GL_CLIP_ORIGIN, value);
    glGetIntegerv(GL_CLIP_DEPTH_MODE, value + 1);
    printf("clip first %x %x\n", value[0], value[1]);
    for (int i = 0; i < 8; i++) {
        char name[60];
        begin();
        glLoadIdentity();
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        glEnable(GL_DEPTH_TEST);
        glDepthRange(0.1, 0.8);
        glShadeModel(GL_FLAT);
        (i & 4 ? glEnable : glDisable)(GL_CULL_FACE);
        control(origins[i & 1], depths[i >> 1 & 1]);
        spiral();
        sprintf(name, "clip %d", i);
        picture(name);
        for (int k = 0; k < 4; k++)
            glReadPixels(16 + 8 * k, 18, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, z + k);
        printf("clip depths %d %.4f %.4f %.4f %.4f\n", i, z[0], z[1], z[2], z[3]);
        glRasterPos3f(0.25f, 0.5f, 0.125f);
        glGetFloatv(GL_CURRENT_RASTER_POSITION, at);
        printf("clip raster %d %g %g %.5f %g\n", i, at[0], at[1], at[2], at[3]);
        glRasterPos3f(0.25f, 0.5f, i & 2 ? 1.5f : -0.5f); /* the peer clips it at -w even where 0 is near */
        glGetIntegerv(GL_CURRENT_RASTER_POSITION_VALID, value);
        printf("clip raster valid %d %d\n", i, value[0]);
        glFeedbackBuffer(40, GL_3D, numbers);
        glRenderMode(GL_FEEDBACK);
        glBegin(GL_TRIANGLES);
        glVertex3f(-0.5f, -0.5f, 0.25f);
        glVertex3f(0.5f, -0.5f, 0.25f);
        glVertex3f(0.5f, 0.25f, 0.75f);
        glVertex3f(0.5f, 0.25f, -0.5f);
        glVertex3f(0.5f, -0.5f, -0.75f);
        glVertex3f(-0.5f, -0.5f, -0.25f);
        glEnd();
        int count = glRenderMode(GL_RENDER);
        printf("clip feedback %d %d", i, count);
        for (int k = 0; k < count && k < 40; k++)
            printf(" %.2f", numbers[k]);
        printf("\n");
    }
    control(99, GL_ZERO_TO_ONE);
    error("clip origin");
    control(GL_LOWER_LEFT, 99);
    error("clip mode");
    glPushAttrib(GL_TRANSFORM_BIT);
    control(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glPopAttrib();
    glGetIntegerv(GL_CLIP_ORIGIN, value);
    glGetIntegerv(GL_CLIP_DEPTH_MODE, value + 1);
    printf("clip popped %x %x\n", value[0], value[1]);
}

static void words(void)
{
    static const GLenum types[] = {GL_DEPTH_STENCIL_TO_RGBA_NV, GL_DEPTH_STENCIL_TO_BGRA_NV};
    for (int i = 0; i < 4; i++) {
        char name[40];
        begin();
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_ALWAYS);
        glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_ALWAYS, 0x5a, ~0u);
        glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
        for (int k = 0; k < 8; k++) { /* depths that have 24 bits of their own */
            glBegin(GL_QUADS);
            for (int c = 0; c < 4; c++)
                glVertex3f(-0.9f + 0.1f * k + (c == 1 || c == 2) * 0.1f, c > 1 ? 0.6f : -0.9f, k / 8.0f - 0.5f);
            glEnd();
        }
        glDisable(GL_STENCIL_TEST);
        glDisable(GL_DEPTH_TEST);
        glPixelTransferf(GL_RED_SCALE, 0.5f); /* both without meaning for words */
        glPixelStorei(GL_PACK_SKIP_ROWS, 3);
        glPixelZoom(i & 2 ? 2 : 1, i & 2 ? -0.5f : 1);
        glWindowPos2i(i & 2 ? 5 : 30, i & 2 ? 60 : 2);
        glCopyPixels(2, 1, 30, 40, types[i & 1]);
        glPixelStorei(GL_PACK_SKIP_ROWS, 0);
        glPixelTransferf(GL_RED_SCALE, 1);
        sprintf(name, "words %d", i);
        picture(name);
    }
    glCopyPixels(0, 0, -1, 4, types[0]);
    error("words size");
    glCopyPixels(0, 0, 1, 4, 99);
    error("words type");
    GLfloat numbers[8];
    glFeedbackBuffer(8, GL_2D, numbers);
    glRenderMode(GL_FEEDBACK);
    glCopyPixels(0, 0, 4, 4, types[0]);
    printf("words fed back %d %g\n", glRenderMode(GL_RENDER), numbers[0]);
}

static void invalidate(void)
{
    PFNGLINVALIDATEFRAMEBUFFERPROC whole = CALL(PFNGLINVALIDATEFRAMEBUFFERPROC, glInvalidateFramebuffer);
    PFNGLINVALIDATESUBFRAMEBUFFERPROC part = CALL(PFNGLINVALIDATESUBFRAMEBUFFERPROC, glInvalidateSubFramebuffer);
    GLenum good[] = {GL_COLOR, GL_DEPTH, GL_STENCIL, GL_ACCUM, GL_AUX0}, bad[] = {99}, user[] = {GL_COLOR_ATTACHMENT0};
    whole(GL_FRAMEBUFFER, 5, good);
    error("invalidate");
    whole(GL_READ_FRAMEBUFFER, 1, bad);
    error("invalidate name");
    whole(GL_DRAW_FRAMEBUFFER, 1, user);
    error("invalidate attachment");
    whole(99, 1, good);
    error("invalidate target");
    whole(GL_FRAMEBUFFER, -1, good);
    error("invalidate count");
    part(GL_FRAMEBUFFER, 1, good, 0, 0, 8, 8);
    error("invalidate part");
    part(GL_FRAMEBUFFER, 1, good, 0, 0, -8, 8);
    error("invalidate part size");
}

static void label(void)
{
    PFNGLLABELOBJECTEXTPROC set = CALL(PFNGLLABELOBJECTEXTPROC, glLabelObjectEXT);
    PFNGLGETOBJECTLABELEXTPROC get = CALL(PFNGLGETOBJECTLABELEXTPROC, glGetObjectLabelEXT);
    GLuint buffer;
    GLsizei length = -1;
    char text[20] = "untouched";
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    set(GL_BUFFER_OBJECT_EXT, buffer, 3, "corners");
    get(GL_BUFFER_OBJECT_EXT, buffer, sizeof text, &length, text);
    printf("label %s %d\n", text, length);
    set(GL_BUFFER_OBJECT_EXT, buffer, 0, "corners");
    get(GL_BUFFER_OBJECT_EXT, buffer, 5, &length, text);
    printf("label %s %d\n", text, length);
    error("label");
    set(99, buffer, 0, "a");
    error("label type");
    set(GL_BUFFER_OBJECT_EXT, 4711, 0, "a");
    error("label name");
    set(GL_BUFFER_OBJECT_EXT, buffer, -1, "a");
    error("label length");
    get(GL_BUFFER_OBJECT_EXT, buffer, -1, &length, text);
    error("label room");
    glDeleteBuffers(1, &buffer);
}

static const struct {
    const char *name;
    void (*ask)(void);
} parts[] = {
    {"multimode", multimode}, {"indirect", indirect}, {"stencil", stencil}, {"raster", raster},
    {"conditional", conditional}, {"robust", robust}, {"flags", flags}, {"clip", clip}, {"words", words}, {"invalidate", invalidate}, {"label", label},
};

int main(int count, char **arguments)
{
    int wanted[] = {GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, GLX_STENCIL_SIZE, 8, None}, found = 0;
    display = XOpenDisplay(NULL);
    GLXFBConfig *configs = display ? glXChooseFBConfig(display, DefaultScreen(display), wanted, &found) : NULL;
    if (!found)
        return 2;
    config = configs[0];
    XVisualInfo *visual = glXGetVisualFromFBConfig(display, config);
    Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes set = {.colormap = XCreateColormap(display, root, visual->visual, AllocNone)};
    window = XCreateWindow(display, root, 0, 0, SIZE, SIZE, 0, visual->depth, InputOutput, visual->visual,
                           CWColormap | CWBorderPixel, &set);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int meant = count < 2;
        for (int n = 1; n < count; n++)
            meant |= !strcmp(arguments[n], parts[i].name);
        if (!meant)
            continue;
        GLXContext context = glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True);
        glXMakeContextCurrent(display, window, window, context);
        parts[i].ask();
        glXMakeContextCurrent(display, None, None, NULL);
        glXDestroyContext(display, context);
        fflush(stdout);
    }
    return 0;
}
