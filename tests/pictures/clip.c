/* SPDX-License-Identifier: MIT */
/* Clipping against each plane, perspective, viewports, depth range, polygon offset, depth precision. */
#include "scenes.h"

/* Rows of shapes that cross the near plane, the far plane, both, and w = 0. */
static void crossing(int mode)
{
    for (int i = 0; i < 24; i++) {
        float a = i * 0.7f, x = -2.4f + 0.2f * i, near = i % 3 ? 1.5f : 4.0f, far = i % 2 ? -4 : -12;
        glBegin(mode);
        hue(i / 24.0f);
        glVertex3f(x, -0.8f + 0.3f * sinf(a), near);
        hue(i / 24.0f + 0.33f);
        glVertex3f(x + 0.17f, -0.5f, far);
        if (mode != GL_LINES) {
            hue(i / 24.0f + 0.66f);
            glVertex3f(x + 0.1f, 0.9f, -1 + sinf(a) * 3);
        }
        glEnd();
    }
}

static void draw_near_far(int mode)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    perspective(60, 1, 8);
    glTranslatef(0, 0, -2);
    glEnable(GL_DEPTH_TEST);
    crossing(mode);
}

static void draw_sides(int mode)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glLineWidth(3);
    glPointSize(9);
    glBegin(mode);
    for (int i = 0; i < 60; i++) {
        hue(i / 60.0f);
        glVertex3f(between(-1.4f, 1.4f), between(-1.4f, 1.4f), between(-1.5f, 1.5f));
    }
    glEnd();
}

/* Polygons with corners outside several planes at once, one of them the whole window. */
static void draw_polygon_sides(int shade)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    glShadeModel(shade);
    for (int k = 0; k < 5; k++) {
        glBegin(GL_POLYGON);
        for (int i = 0; i < 9; i++) {
            float a = 2 * M_PI * i / 9, r = 1.6f - 0.3f * k;
            hue(i / 9.0f + k * 0.2f);
            glVertex3f(r * cosf(a), r * sinf(a), (i - 4) * 0.4f);
        }
        glEnd();
    }
}

/* Homogeneous coordinates with w below, at and above zero. */
static void draw_w(int mode)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glPointSize(5);
    for (int i = 0; i < 12; i++) {
        float w = -1.5f + 0.25f * i;
        cell(i, 4, 3);
        glBegin(mode);
        for (int k = 0; k < 6; k++) {
            float a = 2 * M_PI * k / 6;
            hue(k / 6.0f);
            glVertex4f(0.7f * cosf(a), 0.7f * sinf(a), 0.1f * k, k % 3 == 0 ? w : 1);
        }
        glEnd();
    }
    whole();
}

/* Points and lines beyond the sides: a wide point whose centre is outside is not drawn. */
static void draw_far_outside(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    unit_square();
    glLineWidth(4);
    glBegin(GL_LINES);
    for (int i = 0; i < 40; i++) {
        float a = 2 * M_PI * i / 40, far = i % 4 == 0 ? 1e4f : i % 4 == 1 ? 1e3f : 10;
        hue(i / 40.0f);
        glVertex2f(0.3f * cosf(a), 0.3f * sinf(a));
        hue(i / 40.0f + 0.5f);
        glVertex2f(far * cosf(a), far * sinf(a));
    }
    glEnd();
    glPointSize(20);
    glBegin(GL_POINTS);
    glColor3f(1, 1, 1);
    for (int i = -12; i <= 12; i++) {
        glVertex2f(i * 0.1f, 1 + i * 0.004f);
        glVertex2f(-1 + i * 0.004f, i * 0.1f);
    }
    glEnd();
}

/* A long floor: stripes and smooth colours must follow perspective. */
static void draw_floor(int quads)
{
    clear_all(0.2f, 0.3f, 0.5f, 1);
    perspective(60, 0.5, 100);
    glTranslatef(0.013f, -1, 0); /* no edge runs through the centres of pixels */
    for (int i = 0; i < quads; i++)
        for (int j = 0; j < quads; j++) {
            float x = 20.0f / quads, x0 = -10 + i * x, z = 60.0f / quads, z0 = -0.2f - j * z;
            glBegin(GL_QUADS);
            glColor3f(1, (i + j) & 1, 0), glVertex3f(x0, 0, z0);
            glColor3f(0, (i + j) & 1, 1), glVertex3f(x0 + x, 0, z0);
            glColor3f(1, 1, 1), glVertex3f(x0 + x, 0, z0 - z);
            glColor3f(0, 0, (i + j) & 1), glVertex3f(x0, 0, z0 - z);
            glEnd();
        }
}

static void draw_viewports(int unused)
{
    static const int views[][4] = {
        {-80, -60, 200, 160}, {200, 100, 250, 250}, {90, 60, 101, 77}, {10, 150, 3, 40}, {20, 130, 60, 1},
        {-500, 90, 1000, 10}, {150, -100, 7, 500},
    };
    (void) unused;
    clear_all(0, 0, 0, 1);
    unit_square();
    for (int i = 0; i < LENGTH(views); i++) {
        glViewport(views[i][0], views[i][1], views[i][2], views[i][3]);
        glPushMatrix();
        glScalef(1.2f, 1.2f, 1);
        gradient_square(0.8f, 1);
        glColor3f(0, 0, 0);
        glBegin(GL_LINES);
        glVertex2f(-1, -1), glVertex2f(1, 1), glVertex2f(-1, 0.9f), glVertex2f(1, -0.9f);
        glEnd();
        glPopMatrix();
    }
    whole();
}

/* Wide lines and points at the borders of a viewport in the middle of the window. */
static void draw_viewport_wide(int width)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    glViewport(60, 50, 181, 103);
    glLineWidth(width);
    glPointSize(width + 3);
    glBegin(GL_LINES);
    for (int i = 0; i < 30; i++) {
        float a = 2 * M_PI * i / 30 + 0.03f;
        hue(i / 30.0f);
        glVertex2f(0.5f * cosf(a), 0.5f * sinf(a));
        glVertex2f((1.05f + 0.5f * (i & 1)) * cosf(a), 1.02f * sinf(a));
    }
    glVertex2f(-0.9f, 1.01f), glVertex2f(0.9f, 1.01f);
    glVertex2f(-0.9f, -0.99f), glVertex2f(0.9f, -0.99f);
    glEnd();
    glBegin(GL_POINTS);
    glColor3f(1, 1, 1);
    for (int i = -12; i <= 12; i++) {
        glVertex2f(i * 0.1f, 1 + i * 0.006f);
        glVertex2f(-1 + i * 0.006f, i * 0.1f);
    }
    glEnd();
}

static void draw_depth_ranges(int unused)
{
    static const double ranges[][2] = {{0, 1}, {1, 0}, {0.25, 0.75}, {0.5, 0.5}, {-1, 2}, {0.9, 0.1}};
    (void) unused;
    clear_all(0, 0, 0, 1);
    unit_square();
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < LENGTH(ranges); i++) {
        cell(i, 3, 2);
        glDepthRange(ranges[i][0], ranges[i][1]);
        glBegin(GL_TRIANGLES);
        glColor3f(1, 0, 0), glVertex3f(-0.9f, -0.9f, -1), glVertex3f(0.9f, -0.8f, 0.9f);
        glVertex3f(0, 0.9f, 0.5f);
        glColor3f(0, 1, 0), glVertex3f(-0.9f, 0.7f, 0.9f), glVertex3f(0.9f, 0.9f, -0.9f);
        glVertex3f(0.1f, -0.9f, -0.5f);
        glEnd();
    }
    whole();
}

/* Planes that cut through each other: the seam shows the precision of depth. */
static void draw_crossing_planes(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    perspective(40, 1, 100);
    glTranslatef(0, 0, -6);
    glRotatef(20, 1, 1, 0);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 9; i++) {
        glRotatef(20, 0, 0.2f, 1);
        hue(i / 9.0f);
        bar(-2, -0.6f, 2, 0.6f, 0.02f * i);
        glRotatef(17, 0, 1, 0.1f);
    }
}

static void draw_offset(int units)
{
    static const float factors[] = {-2, -1, 0, 1, 2, 0.5f};
    clear_all(0, 0, 0, 1);
    perspective(50, 1, 20);
    glTranslatef(0, 0, -3);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 6; i++) {
        glLoadIdentity();
        glTranslatef(-1.6f + (i % 3) * 1.6f, i / 3 ? 0.7f : -0.7f, -3);
        glRotatef(40 + 5 * i, 1, 1, 0);
        glDisable(GL_POLYGON_OFFSET_FILL);
        glColor3f(1, 0, 0);
        bar(-0.6f, -0.6f, 0.6f, 0.6f, 0);
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(factors[i], units);
        glColor3f(0, 1, 0.5f);
        bar(-0.5f, -0.4f, 0.7f, 0.4f, 0);
        glColor3f(0, 0.3f, 1);
        glRotatef(0.3f, 1, 0, 0);
        bar(-0.3f, -0.5f, 0.3f, 0.5f, 0);
    }
}

/* Constant depths, each a rectangle, for a look at every bit. */
static void draw_depth_steps(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    for (int i = 0; i < 200; i++) {
        float x = (i % 20) * 15, y = (i / 20) * 20;
        bar(x, y, x + 14, y + 18, -1 + i / 100.0f);
    }
}

static void draw_depth_slope(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    perspective(60, 0.5, 50);
    glEnable(GL_DEPTH_TEST);
    glTranslatef(0, -1, -1);
    glRotatef(12, 0, 0, 1);
    glBegin(GL_QUADS);
    glVertex3f(-20, 0, 0), glVertex3f(20, 0, 0), glVertex3f(20, 3, -48), glVertex3f(-20, 3, -48);
    glEnd();
    glTranslatef(0, 1, -1);
    sphere(24, 16);
}

static const Scene scenes[] = {
    {"clip_near_far_triangles", draw_near_far, GL_TRIANGLES, 301, 203},
    {"clip_near_far_lines", draw_near_far, GL_LINES, 301, 203},
    {"clip_near_far_polygon", draw_near_far, GL_POLYGON, 301, 203},
    {"clip_sides_triangles", draw_sides, GL_TRIANGLES, 301, 203},
    {"clip_sides_lines", draw_sides, GL_LINES, 301, 203},
    {"clip_sides_points", draw_sides, GL_POINTS, 301, 203},
    {"clip_polygon_smooth", draw_polygon_sides, GL_SMOOTH, 301, 203},
    {"clip_polygon_flat", draw_polygon_sides, GL_FLAT, 301, 203},
    {"clip_w_triangles", draw_w, GL_TRIANGLES, 301, 203},
    {"clip_w_fan", draw_w, GL_TRIANGLE_FAN, 301, 203},
    {"clip_w_lines", draw_w, GL_LINE_LOOP, 301, 203},
    {"clip_w_points", draw_w, GL_POINTS, 301, 203},
    {"clip_far_outside", draw_far_outside, 0, 301, 203},
    {"floor_1", draw_floor, 1, 301, 203},
    {"floor_12", draw_floor, 12, 301, 203},
    {"viewports", draw_viewports, 0, 301, 203},
    {"viewport_wide_2", draw_viewport_wide, 2, 301, 203},
    {"viewport_wide_7", draw_viewport_wide, 7, 301, 203},
    {"depth_ranges", draw_depth_ranges, 0, 301, 203},
    {"depth_ranges_z", draw_depth_ranges, 0, 301, 203, DEPTH},
    {"crossing_planes", draw_crossing_planes, 0, 301, 203},
    {"offset_16", draw_offset, 16, 301, 203},
    {"offset_4", draw_offset, 4, 301, 203},
    {"offset_minus_1000", draw_offset, -1000, 301, 203},
    {"offset_minus_1000_z", draw_offset, -1000, 301, 203, DEPTH},
    {"depth_steps_z", draw_depth_steps, 0, 301, 203, DEPTH},
    {"depth_slope_z", draw_depth_slope, 0, 301, 203, DEPTH},
};
const SceneList clip_list = {scenes, LENGTH(scenes)};
