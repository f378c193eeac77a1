/* SPDX-License-Identifier: MIT */
/* Random primitives with wild numbers: smooth and wide, cut, offset, clamped, begun again, evaluated, in one or two
 * draw buffers, while the window changes its size. `primitives SEED CALLS`: any picture, any GL error, no crash. */
#include "rig.h"

static unsigned long long state = 88172645463325252ull;
static GLfloat points[4000], places[400][4];
static GLuint indices[500];
static GLubyte small[300];

static unsigned any(unsigned below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned) (state >> 16) % below;
}

static float real(void)
{
    static const float edges[] = {0, -0.f, 1, -1, .5f, 2, 1e-40f, 1e38f, -1e38f, INFINITY, -INFINITY, NAN, 255, 300};
    return any(4) ? any(2000) / 1000.f - 1 : edges[any(14)];
}

static int whole(void)
{
    static const int edges[] = {0, 1, 2, -1, 100, 65535, 0x7fffffff, -0x7fffffff - 1};
    return any(3) ? (int) any(30) : edges[any(8)];
}

static void change_state(void)
{
    static const GLenum caps[] = {
        GL_LINE_SMOOTH, GL_POINT_SMOOTH, GL_POLYGON_SMOOTH, GL_LINE_STIPPLE, GL_BLEND, GL_DEPTH_TEST, GL_DEPTH_CLAMP,
        GL_CLIP_PLANE0, GL_CLIP_PLANE3, GL_POLYGON_OFFSET_FILL, GL_POLYGON_OFFSET_LINE, GL_POLYGON_OFFSET_POINT,
        GL_AUTO_NORMAL, GL_LIGHTING, GL_LIGHT0, GL_CULL_FACE, GL_PRIMITIVE_RESTART, GL_PRIMITIVE_RESTART_FIXED_INDEX,
        GL_STENCIL_TEST,
    };
    static const GLenum buffers[] = {GL_NONE, GL_FRONT, GL_BACK, GL_FRONT_AND_BACK, GL_LEFT, GL_BACK_LEFT};
    GLdouble plane[4] = {real(), real(), real(), real()};
    GLfloat attenuation[3] = {real(), real(), real()};
    switch (any(13)) {
    case 0: glEnable(caps[any(19)]); break;
    case 1: glDisable(caps[any(19)]); break;
    case 2: glLineWidth(real() * 9); break;
    case 3: glPointSize(real() * 40); break;
    case 4: glPolygonMode(any(2) ? GL_FRONT_AND_BACK : GL_FRONT + any(2), GL_POINT + any(3)); break;
    case 5: glPolygonOffsetClampEXT(real(), real() * 1000, real()); break;
    case 6: glDepthRange(real(), real()); break;
    case 7: glLineStipple(whole(), any(65536)); break;
    case 8: glClipPlane(GL_CLIP_PLANE0 + any(6), plane); break;
    case 9: glDrawBuffer(buffers[any(6)]); break;
    case 10: glProvokingVertex(GL_FIRST_VERTEX_CONVENTION + any(2)), glShadeModel(GL_FLAT + any(2)); break;
    case 11: glPrimitiveRestartIndex(any(400)); break;
    case 12:
        glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, attenuation);
        glPointParameterf(GL_POINT_SIZE_MIN + any(2), fabsf(real()) * 20);
        break;
    }
}

static void evaluate(void)
{
    int order = 1 + any(8), i = whole() % 50, j = whole() % 50;
    switch (any(6)) {
    case 0:
        glMap2f(GL_MAP2_COLOR_4 + any(9), real(), real(), 4, order, real(), real(), 4 * order, 1 + any(8), points);
        break;
    case 1: glMap1f(GL_MAP1_COLOR_4 + any(9), real(), real(), 4, whole(), points); break;
    case 2: glEnable(GL_MAP2_COLOR_4 + any(9)), glEnable(GL_MAP1_COLOR_4 + any(9)); break;
    case 3: glDisable(GL_MAP2_COLOR_4 + any(9)); break;
    case 4: glMapGrid2f(whole(), real(), real(), whole(), real(), real()), glMapGrid1f(whole(), real(), real()); break;
    case 5:
        glEvalMesh2(GL_POINT + any(3), i, i + any(20), j, j + any(20));
        glEvalMesh1(GL_POINT + any(3), i, any(30));
        glEvalMesh2(GL_FILL, -0x7fffffff, 0x7fffffff, j, 0x7fffffff); /* nobody waits for that */
        break;
    }
}

static void draw(void)
{
    switch (any(4)) {
    case 0: glDrawElements(any(10), any(500), GL_UNSIGNED_INT, indices); break;
    case 1: glDrawElements(any(10), any(300), GL_UNSIGNED_BYTE, small); break;
    case 2: glDrawArrays(any(10), any(100), any(300)); break;
    case 3:
        glBegin(any(10));
        for (int i = 0; i < 10; i++) {
            glEvalCoord2f(real(), real());
            glEvalPoint1(whole());
            glVertex4f(real(), real(), real(), real());
            if (!any(5))
                glPrimitiveRestartNV();
            glArrayElement(any(400));
        }
        glEnd();
        break;
    }
}

int main(int count, char **arguments)
{
    int calls = count > 2 ? atoi(arguments[2]) : 300;
    Rig rig = make_rig(120, 100);
    state += (count > 1 ? atoi(arguments[1]) : 1) * 7919ull;
    glVertexPointer(4, GL_FLOAT, 16, places);
    glEnableClientState(GL_VERTEX_ARRAY);
    for (int k = 0; k < calls; k++) {
        for (int i = 0; i < 8; i++) {
            points[any(4000)] = any(3) ? any(2000) / 1000.f - 1 : real();
            places[any(400)][any(4)] = real(), places[any(400)][3] = 1;
            indices[any(500)] = any(400), small[any(300)] = any(256);
        }
        if (any(2))
            change_state();
        any(2) ? draw() : evaluate();
        if (!any(40))
            XResizeWindow(rig.display, rig.window, 20 + any(200), 20 + any(200));
        if (!any(10))
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        if (!any(5))
            any(2) ? glXSwapBuffers(rig.display, rig.window) : glFlush();
        while (glGetError())
            ;
    }
    glFinish();
    puts("ok");
    return 0;
}
