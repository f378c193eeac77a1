/* SPDX-License-Identifier: MIT */
/* Primitives of all kinds, cut: by planes of the application, sides of the viewport, near and far (or clamped to
 * them), filled, as lines and as points, flat with either provoking vertex; polygon offset and its clamp. */
#include "scenes.h"

#define ALL_MODES 10

static void shape(int mode, int n)
{
    glBegin(mode);
    for (int i = 0; i < n; i++) {
        int zigzag = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP;
        float a = 2 * M_PI * i / n + 0.1f;
        hue(i / (float) n);
        if (zigzag)
            glVertex3f(-1.1f + 2.2f * i / (n - 1), i & 1 ? 0.9f : -0.93f, 0.3f * (i % 3) - 0.3f);
        else
            glVertex3f(1.2f * cosf(a), 1.1f * sinf(a), 0.4f * sinf(3 * a));
    }
    glEnd();
}

static void every_mode(void)
{
    for (int mode = 0; mode < ALL_MODES; mode++) {
        cell(mode, 4, 3);
        shape(mode, 12);
    }
    whole();
}

static void planes(int count)
{
    static const GLdouble equations[][4] = {
        {1, 0.2, 0, 0.8}, {-1, 0.5, 0, 0.75}, {0.1, -1, 0.3, 0.7}, {0.4, 1, -0.5, 0.8}, {0.2, 0.3, 1, 0.6},
        {0.7, 0.7, 0.1, 1.0},
    };
    for (int i = 0; i < count; i++) {
        glClipPlane(GL_CLIP_PLANE0 + i, equations[i]);
        glEnable(GL_CLIP_PLANE0 + i);
    }
}

/* bits: polygon mode (0 fill, 1 line, 2 point), 4 flat, 8 first vertex, 16 planes, 32 smooth lines */
static void draw_cut(int what)
{
    static const GLenum modes[] = {GL_FILL, GL_LINE, GL_POINT};
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glPolygonMode(GL_FRONT_AND_BACK, modes[what & 3]);
    glShadeModel(what & 4 ? GL_FLAT : GL_SMOOTH);
    glProvokingVertex(what & 8 ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
    glLineWidth(3);
    glPointSize(7);
    if (what & 16)
        planes(6);
    if (what & 32) {
        glEnable(GL_LINE_SMOOTH);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    every_mode();
}

/* A tilted sheet that leaves the depth range at both ends. bits: 1 clamp, 2 range .25...75, 4 reversed, 8 planes,
 * 16 lines and points */
static void draw_depths(int what)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    if (what & 1)
        glEnable(GL_DEPTH_CLAMP);
    if (what & 2)
        glDepthRange(what & 4 ? 0.75 : 0.25, what & 4 ? 0.25 : 0.75);
    if (what & 8)
        planes(3);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    perspective(60, 1, 4);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -2.5f);
    glRotatef(70, 1, 0.3f, 0.1f);
    if (what & 16) {
        glLineWidth(5);
        glPointSize(9);
        for (int i = 0; i < 12; i++) {
            float a = M_PI * i / 12;
            hue(i / 12.0f);
            glBegin(i & 1 ? GL_LINES : GL_POINTS);
            glVertex2f(2.2f * cosf(a), 2.2f * sinf(a)), glVertex2f(-2.2f * cosf(a), -2.2f * sinf(a));
            glEnd();
        }
        return;
    }
    gradient_square(2.4f, 1);
}

/* Pairs of the same sheets, the second offset. bits: 1 clamp up, 2 clamp down, 4 lines, 8 points */
static void draw_offset(int what)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glEnable(GL_POLYGON_OFFSET_LINE);
    glEnable(GL_POLYGON_OFFSET_POINT);
    glLineWidth(4);
    glPointSize(9);
    if (what & 12)
        glPolygonMode(GL_FRONT_AND_BACK, what & 4 ? GL_LINE : GL_POINT);
    void (*clamped)(GLfloat, GLfloat, GLfloat) = glPolygonOffsetClampEXT;
    for (int i = 0; i < 12; i++) {
        cell(i, 4, 3);
        for (int second = 0; second < 2; second++) {
            float factor = second ? (i % 4 - 1.5f) * 2 : 0, units = second ? (i / 4 - 1) * 4000.0f : 0;
            if (what & 3)
                clamped(factor, units, what & 1 ? 0.001f : -0.001f);
            else
                glPolygonOffset(factor, units);
            glPushMatrix();
            glRotatef(30 + 7 * i, 1, 0.5f, 0);
            glColor3f(1 - second, 0.3f, second);
            glBegin(GL_QUADS);
            glVertex2f(-0.8f, -0.8f), glVertex2f(0.8f, -0.8f), glVertex2f(0.8f, 0.8f), glVertex2f(-0.8f, 0.8f);
            glEnd();
            glPopMatrix();
        }
    }
    whole();
}

/* Wide lines and big points at the sides of a viewport that is smaller than the window. */
static void draw_sides(int smooth)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    glViewport(40, 30, W - 80, H - 60);
    unit_square();
    if (smooth) {
        glEnable(GL_LINE_SMOOTH);
        glEnable(GL_POINT_SMOOTH);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    glLineWidth(11);
    glPointSize(21);
    for (int i = 0; i < 9; i++) {
        float a = M_PI * i / 9 + 0.05f;
        hue(i / 9.0f);
        glBegin(GL_LINES);
        glVertex2f(1.6f * cosf(a), 1.6f * sinf(a)), glVertex2f(-1.6f * cosf(a), -1.6f * sinf(a));
        glEnd();
        glBegin(GL_POINTS);
        for (int k = 0; k < 5; k++)
            glVertex2f(-1 + 0.02f * (k - 2), -0.9f + 0.2f * i), glVertex2f(-0.9f + 0.2f * i, 1 + 0.02f * (k - 2));
        glEnd();
    }
}

/* Strips that an index begins again. */
static void draw_restarted(int mode)
{
    static GLfloat place[64][2], color[64][3];
    static GLushort index[80];
    int n = 0;
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    for (int i = 0; i < 64; i++) {
        place[i][0] = -0.9f + 0.11f * (i % 16) + 0.02f * (i / 16);
        place[i][1] = -0.8f + 0.4f * (i / 16) + (i & 1 ? 0.3f : 0) + 0.01f * (i % 5);
        for (int c = 0; c < 3; c++)
            color[i][c] = noise();
        if (i % 9 == 5 || i % 16 == 0)
            index[n++] = 999;
        index[n++] = i;
    }
    glVertexPointer(2, GL_FLOAT, 0, place);
    glColorPointer(3, GL_FLOAT, 0, color);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glEnableClientState(GL_PRIMITIVE_RESTART_NV);
    glPrimitiveRestartIndexNV(999);
    glLineWidth(2);
    glDrawElements(mode, n, GL_UNSIGNED_SHORT, index);
}

#define CUT(name, what) {"cut_" name, draw_cut, what, 301, 203, COLOR}
static const Scene scenes[] = {
    CUT("sides_fill", 0), CUT("sides_line", 1), CUT("sides_point", 2), CUT("planes_fill", 16), CUT("planes_line", 17),
    CUT("planes_point", 18), CUT("planes_flat_last", 20), CUT("planes_flat_first", 28),
    CUT("planes_flat_line_last", 21), CUT("planes_flat_line_first", 29), CUT("planes_flat_point_first", 30),
    CUT("sides_flat_line_last", 5), CUT("sides_flat_line_first", 13), CUT("planes_smooth_line", 49),
    CUT("planes_smooth_line_flat", 53),
    {"depth_cut", draw_depths, 0, 301, 203, DEPTH}, {"depth_cut_range", draw_depths, 2, 301, 203, DEPTH},
    {"depth_clamped", draw_depths, 1, 301, 203, DEPTH}, {"depth_clamped_color", draw_depths, 1, 301, 203, COLOR},
    {"depth_clamped_range", draw_depths, 3, 301, 203, DEPTH},
    {"depth_clamped_reversed", draw_depths, 7, 301, 203, DEPTH},
    {"depth_clamped_planes", draw_depths, 11, 301, 203, DEPTH},
    {"depth_clamped_lines", draw_depths, 19, 301, 203, DEPTH},
    {"depth_clamped_lines_color", draw_depths, 17, 301, 203, COLOR},
    {"offset_fill", draw_offset, 0, 301, 203, COLOR}, {"offset_line", draw_offset, 4, 301, 203, COLOR},
    {"offset_point", draw_offset, 8, 301, 203, COLOR}, {"offset_clamped_up", draw_offset, 1, 301, 203, DEPTH},
    {"offset_clamped_down", draw_offset, 2, 301, 203, DEPTH},
    {"offset_clamped_line", draw_offset, 6, 301, 203, COLOR},
    {"sides_wide", draw_sides, 0, 301, 203, COLOR}, {"sides_wide_smooth", draw_sides, 1, 301, 203, COLOR},
    {"restart_points", draw_restarted, GL_POINTS, 301, 203, COLOR},
    {"restart_line_strip", draw_restarted, GL_LINE_STRIP, 301, 203, COLOR},
    {"restart_line_loop", draw_restarted, GL_LINE_LOOP, 301, 203, COLOR},
    {"restart_triangles", draw_restarted, GL_TRIANGLES, 301, 203, COLOR},
    {"restart_strip", draw_restarted, GL_TRIANGLE_STRIP, 301, 203, COLOR},
    {"restart_fan", draw_restarted, GL_TRIANGLE_FAN, 301, 203, COLOR},
    {"restart_quad_strip", draw_restarted, GL_QUAD_STRIP, 301, 203, COLOR},
    {"restart_polygon", draw_restarted, GL_POLYGON, 301, 203, COLOR},
};
const SceneList cut_list = {scenes, LENGTH(scenes)};
