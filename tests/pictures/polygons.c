/* SPDX-License-Identifier: MIT */
/* Polygons as their edges and corners, a mode for each face, with edge flags, culling and polygon offset. */
#include "scenes.h"

/* Each mode of primitives in a cell, turned by n quarters so that both faces are seen. */
static void draw_modes(int front, int back, int cull, int shade)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glShadeModel(shade);
    glPolygonMode(GL_FRONT, front);
    glPolygonMode(GL_BACK, back);
    glPointSize(5);
    if (cull) {
        glEnable(GL_CULL_FACE);
        glCullFace(cull);
    }
    for (int n = 0; n < 12; n++) {
        int mode = GL_TRIANGLES + n % 6;
        int zigzag = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP;
        cell(n, 4, 3);
        glLoadIdentity();
        if (n >= 6)
            glScalef(-1, 1, 1);
        glBegin(mode);
        for (int i = 0; i < 8; i++) {
            float x = 0.83f * cosf(0.77f * i + 0.1f), y = 0.79f * sinf(0.77f * i + 0.1f);
            if (mode == GL_QUADS) /* a plane of colours: the diagonal is the driver's choice */
                glColor3f(0.5f + 0.5f * x, 0.5f + 0.5f * y, 0.5f);
            else
                hue(i / 8.0f);
            if (zigzag)
                glVertex2f(-0.81f + 0.47f * (i / 2), i & 1 ? 0.67f : -0.71f);
            else
                glVertex2f(x, y);
        }
        glEnd();
    }
    whole();
}

static void draw_lines(int shade)
{
    draw_modes(GL_LINE, GL_LINE, 0, shade);
}

static void draw_points(int shade)
{
    draw_modes(GL_POINT, GL_POINT, 0, shade);
}

static void draw_mixed(int cull)
{
    draw_modes(GL_FILL, GL_LINE, cull, GL_SMOOTH);
}

static void draw_mixed_points(int cull)
{
    draw_modes(GL_POINT, GL_LINE, cull, GL_FLAT);
}

/* Edge flags, where they count: separate triangles, quads and polygons.
   AVOIDS(edge_flags_of_strips): the peer heeds them in strips, too. */
static void draw_edge_flags(int poly)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    glPolygonMode(GL_FRONT_AND_BACK, poly);
    glPointSize(7);
    for (int n = 0; n < 12; n++) {
        static const int modes[] = {GL_TRIANGLES, GL_QUADS, GL_POLYGON};
        cell(n, 4, 3);
        glBegin(modes[n % 3]);
        for (int i = 0; i < 8; i++) {
            hue(i / 8.0f);
            glEdgeFlag(n < 3 ? i % 3 != 1 : n < 6 ? i % 2 : n < 9 ? i == 0 : i != 7);
            glVertex2f(0.83f * cosf(0.77f * i + 0.1f), 0.79f * sinf(0.77f * i + 0.1f));
        }
        glEnd();
    }
    whole();
    glEdgeFlag(GL_TRUE);
}

/* The same from arrays, and with none but the current flag. */
static void draw_edge_arrays(int current)
{
    static const float places[] = {-0.9f, -0.8f, 0.1f, -0.7f, -0.3f, 0.2f, 0.2f, 0.1f, 0.8f, 0.3f, 0.4f, 0.9f,
                                   -0.9f, 0.8f, -0.7f, 0.1f, -0.1f, 0.3f, 0.3f, -0.8f, 0.9f, -0.7f, 0.6f, -0.1f};
    static const GLboolean flags[] = {1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1};
    clear_all(0, 0, 0, 1);
    unit_square();
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glColor3f(1, 0.8f, 0.3f);
    glVertexPointer(2, GL_FLOAT, 0, places);
    glEnableClientState(GL_VERTEX_ARRAY);
    if (current >= 0)
        glEdgeFlag(current);
    else {
        glEdgeFlagPointer(0, flags);
        glEnableClientState(GL_EDGE_FLAG_ARRAY);
    }
    glDrawArrays(GL_TRIANGLES, 0, 12);
    glEdgeFlag(GL_TRUE);
}

/* Lit from both sides: back faces' lines have the back material. */
static void draw_two_sided(int flat)
{
    static const float red[] = {1, 0.2f, 0.1f, 1}, blue[] = {0.1f, 0.4f, 1, 1};
    clear_all(0, 0, 0, 1);
    perspective(45, 1, 20);
    glTranslatef(0, 0, -4);
    glRotatef(33, 1, 0.3f, 0);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, red);
    glMaterialfv(GL_BACK, GL_AMBIENT_AND_DIFFUSE, blue);
    glShadeModel(flat ? GL_FLAT : GL_SMOOTH);
    glPolygonMode(GL_FRONT, GL_LINE);
    glPolygonMode(GL_BACK, GL_LINE);
    torus(0.4f, 1.0f, 9, 14);
}

/* Lines over the polygons whose edges they are: offset takes care that they show. */
static void draw_offset(int what)
{
    clear_all(0, 0, 0, 1);
    perspective(45, 1, 20);
    glTranslatef(0, 0, -4);
    glRotatef(33, 1, 0.3f, 0);
    glEnable(GL_DEPTH_TEST);
    glColor3f(0.2f, 0.3f, 0.5f);
    torus(0.4f, 1.0f, 9, 14);
    glEnable(what == GL_LINE ? GL_POLYGON_OFFSET_LINE : GL_POLYGON_OFFSET_POINT);
    glPolygonOffset(-2, -8);
    glPolygonMode(GL_FRONT_AND_BACK, what);
    glPointSize(4);
    glColor3f(1, 1, 0.6f);
    torus(0.4f, 1.0f, 9, 14);
}

/* User planes and the view volume cut polygons. */
static void draw_clipped(int mode)
{
    static const double plane[] = {1, 0.4, 0.2, 0.3};
    clear_all(0, 0, 0, 1);
    perspective(60, 1, 20);
    glTranslatef(0.7f, 0.6f, -2.0f);
    glRotatef(21, 1, 0.7f, 0);
    glClipPlane(GL_CLIP_PLANE0, plane);
    glEnable(GL_CLIP_PLANE0);
    glPolygonMode(GL_FRONT_AND_BACK, mode);
    glPointSize(3);
    glColor3f(0.6f, 1, 0.7f);
    torus(0.5f, 1.1f, 7, 11);
}

/* A pattern from memory under several pixel store states; it stands still in the window. */
static void draw_pattern(int kind)
{
    GLubyte pattern[64 * 12], back[128];
    for (int i = 0; i < LENGTH(pattern); i++)
        pattern[i] = i * 37 + (i >> 3) * 11 + (i >> 5);
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    if (kind == 1) {
        glPixelStorei(GL_UNPACK_LSB_FIRST, 1);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 50);
        glPixelStorei(GL_UNPACK_SKIP_ROWS, 3);
        glPixelStorei(GL_UNPACK_SKIP_PIXELS, 5);
    }
    glPolygonStipple(pattern);
    glEnable(GL_POLYGON_STIPPLE);
    glBegin(GL_TRIANGLE_FAN);
    for (int i = 0; i < 9; i++) {
        hue(i / 9.0f);
        glVertex2f(0.93f * cosf(0.7f * i), 0.89f * sinf(0.7f * i));
    }
    glEnd();
    if (kind == 2) { /* what is read back is what was set; attributes come back; fog needs its own constants */
        static const float gray[] = {0.5f, 0.5f, 0.5f, 1};
        glPushAttrib(GL_POLYGON_STIPPLE_BIT);
        glGetPolygonStipple(back);
        for (int i = 0; i < 128; i++)
            back[i] ^= 0xFF;
        glPolygonStipple(back);
        glEnable(GL_FOG);
        glFogi(GL_FOG_MODE, GL_LINEAR);
        glFogf(GL_FOG_START, -1);
        glFogf(GL_FOG_END, 2);
        glFogfv(GL_FOG_COLOR, gray);
        glColor3f(1, 1, 1);
        glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
        glPopAttrib();
        glRectf(-0.95f, 0.7f, 0.95f, 0.95f);
    }
    glBegin(GL_LINES); /* only polygons are stippled */
    glVertex2f(-1, -0.93f), glVertex2f(1, 0.91f);
    glEnd();
}

static const Scene scenes[] = {
    {"poly_line_smooth", draw_lines, GL_SMOOTH, 401, 303},
    {"poly_line_flat", draw_lines, GL_FLAT, 401, 303},
    {"poly_point_smooth", draw_points, GL_SMOOTH, 401, 303},
    {"poly_point_flat", draw_points, GL_FLAT, 401, 303},
    {"poly_fill_line", draw_mixed, 0, 401, 303},
    {"poly_fill_line_cull_back", draw_mixed, GL_BACK, 401, 303},
    {"poly_fill_line_cull_front", draw_mixed, GL_FRONT, 401, 303},
    {"poly_point_line", draw_mixed_points, 0, 401, 303},
    {"poly_point_line_cull", draw_mixed_points, GL_FRONT, 401, 303},
    {"poly_edge_flags", draw_edge_flags, GL_LINE, 401, 303},
    {"poly_edge_points", draw_edge_flags, GL_POINT, 401, 303},
    {"poly_edge_array", draw_edge_arrays, -1, 301, 203},
    {"poly_edge_current_off", draw_edge_arrays, 0, 301, 203},
    {"poly_edge_current_on", draw_edge_arrays, 1, 301, 203},
    {"poly_stipple", draw_pattern, 0, 301, 203},
    {"poly_stipple_store", draw_pattern, 1, 301, 203},
    {"poly_stipple_get", draw_pattern, 2, 301, 203},
    {"poly_two_sided", draw_two_sided, 0, 301, 203},
    {"poly_two_sided_flat", draw_two_sided, 1, 301, 203},
    {"poly_offset_line", draw_offset, GL_LINE, 301, 203},
    {"poly_offset_point", draw_offset, GL_POINT, 301, 203},
    {"poly_clipped_line", draw_clipped, GL_LINE, 301, 203},
    {"poly_clipped_point", draw_clipped, GL_POINT, 301, 203},
};
const SceneList polygon_list = {scenes, LENGTH(scenes)};
