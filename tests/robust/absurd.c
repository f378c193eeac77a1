/* SPDX-License-Identifier: MIT */
/* Numbers that no sensible program passes: the answer is an error or a picture, never a crash, and
 * afterwards the ordinary frame is right again. One argument picks a group of cases. */
#include "rig.h"

#include <float.h>
#include <limits.h>

static Rig rig;
static const int ints[] = {0, 1, -1, 7, 64, 8191, 8192, 16384, 32767, 32768, 65536, 1 << 24,
                           INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1};
enum { INTS = sizeof ints / sizeof *ints };
static const float floats[] = {0, -0.0f, 1, -1, 0.5f, 1e-30f, 1e-45f, 1e10f, -1e10f, 1e30f,
                               FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN};
enum { FLOATS = sizeof floats / sizeof *floats };

static void reset(void)
{
    while (glGetError())
        ;
    glPopAttrib();
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    while (glGetError())
        ;
}

static void shapes(void)
{
    static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_LINE_LOOP, GL_LINE_STRIP, GL_TRIANGLES,
                                   GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP,
                                   GL_POLYGON};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        glBegin(modes[i]);
        for (int k = 0; k < 5; k++) {
            glColor4f(k & 1, k & 2, 1, 0.5f);
            glVertex4f(k & 1 ? 1.5f : -1.5f, k & 2 ? 1.5f : -1.5f, 0.1f * k, 1 + 0.1f * k);
        }
        glEnd();
    }
}

static void viewports(void)
{
    for (int i = 0; i < INTS; i++)
        for (int j = 0; j < INTS; j++) {
            glViewport(ints[i], ints[j], ints[(i + j) % INTS], ints[(i * 3 + j) % INTS]);
            shapes();
            glScissor(ints[j], ints[i], ints[(i * 5 + j) % INTS], ints[(i + 2 * j) % INTS]);
            glEnable(GL_SCISSOR_TEST);
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
            shapes();
            glDisable(GL_SCISSOR_TEST);
        }
    for (int i = 0; i < FLOATS; i++) {
        glDepthRange(floats[i], floats[(i + 3) % FLOATS]);
        glClearDepth(floats[i]);
        glClearColor(floats[i], floats[(i + 1) % FLOATS], 1, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        shapes();
    }
}

static void coordinates(void)
{
    static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_LINE_LOOP, GL_TRIANGLES, GL_QUADS,
                                   GL_TRIANGLE_FAN, GL_POLYGON};
    glViewport(0, 0, rig.width, rig.height);
    for (int mode = 0; mode < 7; mode++)
        for (int i = 0; i < FLOATS; i++)
            for (int j = 0; j < FLOATS; j++) {
                glLineWidth(i % 3 ? 1 : 5);
                glPointSize(j % 3 ? 1 : 5);
                glBegin(modes[mode]);
                for (int k = 0; k < 4; k++) {
                    glColor4f(floats[(i + k) % FLOATS], floats[j], 0, floats[i]);
                    glNormal3f(floats[j], floats[(j + k) % FLOATS], floats[i]);
                    glVertex4f(k & 1 ? floats[i] : 0.5f, k & 2 ? floats[j] : -0.5f,
                               floats[(i + j + k) % FLOATS], k == 3 ? floats[(j * 2) % FLOATS] : 1);
                }
                glEnd();
            }
    for (int i = 0; i < FLOATS; i++) {
        float vector[4] = {floats[i], floats[(i + 4) % FLOATS], floats[(i + 7) % FLOATS], 1};
        float matrix[16];
        for (int k = 0; k < 16; k++)
            matrix[k] = floats[(i + 7 * k) % FLOATS];
        reset();
        glEnable(GL_LIGHTING);
        glEnable(GL_LIGHT0);
        glEnable(GL_NORMALIZE);
        glEnable(GL_FOG);
        glFogf(GL_FOG_DENSITY, floats[i]);
        glFogf(GL_FOG_START, floats[(i + 1) % FLOATS]);
        glFogf(GL_FOG_END, floats[i]);
        glLightfv(GL_LIGHT0, GL_POSITION, vector);
        glLightfv(GL_LIGHT0, GL_DIFFUSE, vector);
        glLightf(GL_LIGHT0, GL_CONSTANT_ATTENUATION, floats[i]);
        glLightf(GL_LIGHT0, GL_SPOT_CUTOFF, floats[i]);
        glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, floats[i]);
        glPolygonOffset(floats[i], floats[(i + 2) % FLOATS]);
        glEnable(GL_POLYGON_OFFSET_FILL);
        glLineWidth(floats[i]);
        glPointSize(floats[i]);
        shapes();
        glPushMatrix();
        glLoadMatrixf(matrix);
        glRotatef(floats[i], floats[(i + 1) % FLOATS], 0, floats[(i + 2) % FLOATS]);
        glScalef(floats[i], 1, 1);
        glTranslatef(floats[i], floats[i], 0);
        glFrustum(floats[i], floats[(i + 1) % FLOATS], -1, 1, 1, floats[(i + 3) % FLOATS]);
        shapes();
        glPopMatrix();
        glLineWidth(10000);
        glPointSize(10000);
        shapes();
    }
}

/* Triangles that name a vertex twice, taken apart by a polygon mode of one face. */
static void no_area(void)
{
    static const GLubyte same[] = {0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0};
    static const float corners[] = {-0.5f, -0.5f, 0.5f, 0.5f};
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    for (int i = 0; i < 3; i++) {
        static const GLenum modes[] = {GL_FILL, GL_LINE, GL_POINT};
        glPolygonMode(GL_FRONT, modes[i]);
        glPolygonMode(GL_BACK, modes[(i + 1) % 3]);
        glDrawElements(GL_TRIANGLES, 12, GL_UNSIGNED_BYTE, same);
        glDrawElements(GL_TRIANGLE_FAN, 12, GL_UNSIGNED_BYTE, same);
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisableClientState(GL_VERTEX_ARRAY);
    expect_error(GL_NO_ERROR);
}

static void counts(void)
{
    /* with buffer objects, nothing a program says about places may lead outside of them */
    enum { VERTICES = 64 };
    static float vertices[VERTICES * 3];
    static unsigned wild[4096];
    GLuint buffers[2];
    unsigned seed = 3;
    no_area();
    for (int i = 0; i < VERTICES * 3; i++)
        vertices[i] = (rand_r(&seed) % 2000) / 1000.0f - 1;
    for (int i = 0; i < 4096; i++)
        wild[i] = i % 3 == 0 ? (unsigned) rand_r(&seed) % VERTICES : i % 3 == 1 ? 0xffffffffu - i
                  : (unsigned) rand_r(&seed) * 2u;
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof wild, wild, GL_STATIC_DRAW);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glColorPointer(3, GL_FLOAT, 0, NULL);
    static const long offsets[] = {0, 1, 4, 700, 764, 768, 769, 4096, 1L << 31, 1L << 40, -1, -4096};
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        for (int stride = 0; stride < 4; stride++) {
            static const int strides[] = {0, 12, 4000, 2048 * 1024};
            glVertexPointer(3, GL_FLOAT, strides[stride], (void *) offsets[i]);
            glDrawArrays(GL_TRIANGLES, 0, VERTICES);
            glDrawArrays(GL_TRIANGLE_STRIP, INT_MAX - 100, 99);
            glDrawArrays(GL_POINTS, 1 << 30, 1000);
            glDrawArrays(GL_POINTS, 0, 1 << 18);
            glDrawElements(GL_TRIANGLES, 300, GL_UNSIGNED_INT, (void *) offsets[i]);
            glDrawElements(GL_POINTS, 4096, GL_UNSIGNED_INT, NULL);
            glDrawElements(GL_LINES, 8192, GL_UNSIGNED_SHORT, NULL);
            glDrawElements(GL_QUADS, 20000, GL_UNSIGNED_BYTE, (void *) 1);
            glDrawRangeElements(GL_TRIANGLES, 0, 2, 4096, GL_UNSIGNED_INT, NULL);
            glDrawRangeElements(GL_TRIANGLES, 5, 0xffffffff, 300, GL_UNSIGNED_SHORT, NULL);
            glBegin(GL_TRIANGLES);
            for (int k = 0; k < INTS; k++)
                glArrayElement(ints[k]);
            glEnd();
        }
    }
    while (glGetError())
        ;
    glDrawArrays(GL_TRIANGLES, 0, -1);
    expect_error(GL_INVALID_VALUE);
    glDrawArrays(GL_TRIANGLES, -1, 3);
    expect_error(GL_INVALID_VALUE);
    glDrawArrays(77, 0, 3);
    expect_error(GL_INVALID_ENUM);
    glDrawElements(GL_TRIANGLES, -5, GL_UNSIGNED_INT, NULL);
    expect_error(GL_INVALID_VALUE);
    glDrawElements(GL_TRIANGLES, 3, GL_FLOAT, NULL);
    expect_error(GL_INVALID_ENUM);
    glDrawRangeElements(GL_TRIANGLES, 9, 3, 3, GL_UNSIGNED_INT, NULL);
    expect_error(GL_INVALID_VALUE);
    glVertexPointer(3, GL_FLOAT, -4, NULL);
    expect_error(GL_INVALID_VALUE);
    glBufferData(GL_ARRAY_BUFFER, -1, NULL, GL_STATIC_DRAW);
    expect_error(GL_INVALID_VALUE);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr) 1 << 62, NULL, GL_STATIC_DRAW);
    expect_error(GL_OUT_OF_MEMORY);
    glBufferSubData(GL_ARRAY_BUFFER, (GLsizeiptr) 1 << 62, (GLsizeiptr) 1 << 62, vertices);
    expect_error(GL_INVALID_VALUE);
    glBufferSubData(GL_ARRAY_BUFFER, -8, 8, vertices);
    expect_error(GL_INVALID_VALUE);
    /* the buffers go while they are bound and used */
    glBufferData(GL_ARRAY_BUFFER, 0, NULL, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, 0, NULL);
    glDrawArrays(GL_TRIANGLES, 0, 3000);
    glDrawElements(GL_TRIANGLES, 300, GL_UNSIGNED_INT, NULL);
    glDeleteBuffers(2, buffers);
    glDrawArrays(GL_TRIANGLES, 0, 0);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDrawArrays(GL_TRIANGLES, 0, 300);
    while (glGetError())
        ;
}

static void reading(void)
{
    /* a small window read with huge or negative rectangles: only what is inside is written */
    size_t size = 4096 * 64;
    unsigned char *memory = malloc(size);
    for (int i = 0; i < INTS; i++)
        for (int j = 0; j < INTS; j++) {
            memset(memory, 0x5a, size);
            glReadPixels(ints[i], ints[j], 60, 60, GL_RGBA, GL_UNSIGNED_BYTE, memory);
            glReadPixels(ints[i], ints[j], 60, 60, GL_DEPTH_COMPONENT, GL_FLOAT, memory);
            for (size_t k = 60 * 60 * 4; k < size; k++)
                if (memory[k] != 0x5a)
                    fail("glReadPixels at %d,%d wrote beyond its image", ints[i], ints[j]);
            glReadPixels(ints[i], 0, ints[j] < 0 ? ints[j] : 0, -1, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        }
    while (glGetError())
        ;
    glReadPixels(0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, memory);
    expect_error(GL_INVALID_VALUE);
    glReadPixels(0, 0, 1, 1, 12345, GL_UNSIGNED_BYTE, memory);
    expect_error(GL_INVALID_ENUM);
    free(memory);
}

static void nesting(void)
{
    int depth;
    GLuint lists = glGenLists(200);
    for (int i = 0; i < 200; i++) { /* each calls the next, the last calls the first: 64 deep, then no more */
        glNewList(lists + i, GL_COMPILE);
        glColor3f(0, 0, 1);
        glCallList(lists + (i + 1) % 200);
        shapes();
        glEndList();
    }
    glCallList(lists);
    glNewList(lists, GL_COMPILE);
    glCallList(lists);
    glEndList();
    glCallList(lists);
    glDeleteLists(lists, 200);
    glCallList(lists);
    glCallList(0xffffffff);
    glDeleteLists(0xfffffff0, 100);
    while (glGetError())
        ;
    GLuint names = glGenLists(50000);
    if (!names || !glIsList(names + 49999))
        fail("no 50,000 names");
    glDeleteLists(names, 50000);
    while (glGetError())
        ;
    for (int i = 0; i < 1000; i++) {
        glPushMatrix();
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
    }
    expect_error(GL_STACK_OVERFLOW);
    glGetIntegerv(GL_MODELVIEW_STACK_DEPTH, &depth);
    if (depth < 32 || depth > 1000)
        fail("the modelview stack is %d deep", depth);
    while (glGetError())
        ;
    for (int i = 0; i < 2000; i++) {
        glPopMatrix();
        glPopAttrib();
        glPopClientAttrib();
    }
    expect_error(GL_STACK_UNDERFLOW);
    while (glGetError())
        ;
    glPushAttrib(GL_ALL_ATTRIB_BITS);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*run)(void); } groups[] = {
        {"viewports", viewports}, {"coordinates", coordinates}, {"counts", counts},
        {"reading", reading}, {"nesting", nesting}};
    const char *only = count > 1 ? arguments[1] : "";
    int found = 0;
    rig = make_rig(200, 150);
    whole_frame(&rig);
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (*only && strcmp(only, groups[i].name))
            continue;
        groups[i].run();
        glFinish();
        reset();
        while (glGetError())
            ;
        whole_frame(&rig);
        expect_error(GL_NO_ERROR);
        found = 1;
    }
    if (!found)
        fail("no group %s", only);
    drop_rig(&rig);
    puts("ok");
    return 0;
}
