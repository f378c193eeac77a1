/* SPDX-License-Identifier: MIT */
/* Lines of each width in all directions, and points of each size at all fractions of a pixel. */
#include "scenes.h"

/* A star: no two lines share a pixel but near the middle, which is left out. Width in tenths. */
static void draw_star(int tenths)
{
    int count = tenths > 40 ? 24 : 48;
    float r = 0.47f * (W < H ? W : H);
    clear_all(0, 0, 0, 1);
    pixels();
    glLineWidth(tenths / 10.0f);
    glBegin(GL_LINES);
    for (int i = 0; i < count; i++) {
        float a = 2 * M_PI * i / count + 0.004f; /* at 45 degrees exactly, rounding would choose the major axis */
        hue(i / (float) count);
        glVertex2f(W / 2.0f + r * 0.25f * cosf(a), H / 2.0f + r * 0.25f * sinf(a));
        hue(i / (float) count + 0.3f);
        glVertex2f(W / 2.0f + r * cosf(a), H / 2.0f + r * sinf(a));
    }
    glEnd();
}

/* Lines along rows and columns with ends at each tenth of a pixel: the diamond-exit rule. */
static void draw_line_ends(int width)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glLineWidth(width);
    glBegin(GL_LINES);
    for (int i = 0; i <= 20; i++) {
        float o = i / 10.0f, x = 5 + o, y = 4 + 9 * i + 0.37f;
        hue(i / 21.0f);
        glVertex2f(x, y), glVertex2f(x + 20, y);
        glVertex2f(x + 60, y), glVertex2f(x + 40, y);
        glVertex2f(80 + 9 * i + 0.37f, 4 + o), glVertex2f(80 + 9 * i + 0.37f, 24 + o);
        glVertex2f(80 + 9 * i + 0.37f, 60 + o), glVertex2f(80 + 9 * i + 0.37f, 40 + o);
        glVertex2f(80 + 9 * i, 80 + o), glVertex2f(86 + 9 * i, 80 + o + 6);
        glVertex2f(80 + 9 * i, 100 + o), glVertex2f(82 + 9 * i, 100 + o + 15);
        glVertex2f(80 + 9 * i + o, 125), glVertex2f(80 + 9 * i + o + 0.4f, 125.3f);
        glVertex2f(80 + 9 * i, 140 + o), glVertex2f(87 + 9 * i, 138 + o);
        glVertex2f(80 + 9 * i + o, 180), glVertex2f(78 + 9 * i + o, 160);
    }
    glEnd();
}

/* Strips and loops, added up: where segments meet, pixels count once for thin lines. */
static void draw_strips(int width)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glLineWidth(width);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    for (int k = 0; k < 6; k++) {
        glBegin(k & 1 ? GL_LINE_LOOP : GL_LINE_STRIP);
        for (int i = 0; i < 5 + 6 * k; i++) {
            float a = 2 * M_PI * i / (5 + 6 * k);
            glColor3f(0.3f, 0.2f + 0.05f * (i % 4), 0.4f);
            glVertex2f(50 + (k % 3) * 95 + 40 * cosf(a), 52 + (k / 3) * 100 + 44 * sinf(a));
        }
        glEnd();
    }
}

static void draw_flat_strips(int mode)
{
    clear_all(0.2f, 0.2f, 0.2f, 1);
    pixels();
    glShadeModel(GL_FLAT);
    glLineWidth(3);
    glBegin(mode);
    for (int i = 0; i < 14; i++) {
        hue(i / 14.0f);
        glVertex2f(20 + 20 * i, i & 1 ? 40 : 160);
    }
    glEnd();
}

static void draw_random_lines(int width)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glLineWidth(width);
    glBegin(GL_LINES);
    for (int i = 0; i < 150; i++) {
        hue(noise());
        glVertex2f(between(-50, W + 50), between(-50, H + 50));
        glVertex2f(between(-50, W + 50), between(-50, H + 50));
    }
    glEnd();
}

/* Sizes 1 to 20, each at four fractions of a pixel. */
static void draw_point_sizes(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    for (int size = 1; size <= 20; size++) {
        glPointSize(size);
        glBegin(GL_POINTS);
        for (int i = 0; i < 8; i++) {
            hue((size + i) / 13.0f);
            glVertex2f(15 + (size - 1) % 5 * 120 / 2 + i % 2 * 28 + i * 0.125f,
                       15 + (size - 1) / 5 * 110 + i / 2 * 26 + (7 - i) * 0.125f);
        }
        glEnd();
    }
}

/* One pixel points and small fractional sizes at each eighth. */
static void draw_point_places(int tenths)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glPointSize(tenths / 10.0f);
    glBegin(GL_POINTS);
    for (int y = 0; y <= 16; y++)
        for (int x = 0; x <= 16; x++) {
            hue((x * 17 + y) / 51.0f);
            glVertex2f(6 + x * 10 + x / 16.0f, 6 + y * 10 + y / 16.0f);
        }
    glEnd();
}

/* Sizes between whole numbers, halves among them, at eighths of a pixel; corners of polygons, too. */
static void draw_point_fractions(int mode)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    for (int n = 0; n < 40; n++) {
        float x = 12 + 28 * (n % 10), y = 12 + 48 * (n / 10);
        glPointSize(0.25f + 0.25f * n);
        glBegin(mode);
        for (int i = 0; i < 3; i++) {
            hue((3 * n + i) / 60.0f);
            glVertex2f(x + (i & 1) * 13 + i * 0.125f, y + i * 13 + n * 0.125f);
        }
        glEnd();
    }
}

/* Squares that span tiles and fill some, cut by the scissor and by each other's depth. */
static void draw_point_large(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_DEPTH_TEST);
    for (int n = 0; n < 80; n++) {
        if (n == 30) {
            glEnable(GL_SCISSOR_TEST);
            glScissor(37, 41, 201, 133);
        }
        glPointSize(1 + (n * 37) % 255);
        hue(n / 80.0f);
        glBegin(GL_POINTS);
        glVertex3f((n * 97) % W + 0.25f, (n * 61) % H + 0.25f, (n * 13) % 80 / 80.0f - 0.5f);
        glEnd();
    }
    glDisable(GL_SCISSOR_TEST);
}

static void draw_point_cloud(int size)
{
    clear_all(0, 0, 0, 1);
    perspective(50, 1, 10);
    glTranslatef(0, 0, -3);
    glEnable(GL_DEPTH_TEST);
    glPointSize(size);
    glBegin(GL_POINTS);
    for (int i = 0; i < 3000; i++) {
        float a = i * 2.39996f, z = 1 - 2 * i / 3000.0f, r = sqrtf(1 - z * z);
        glColor3f(z * 0.5f + 0.5f, noise(), 1 - r);
        glVertex3f(r * cosf(a), r * sinf(a), z);
    }
    glEnd();
}

/* Patterns and factors, through strips and loops, from separate lines, and along the edges of polygons. */
static void draw_stipple(int width)
{
    static const int patterns[] = {0xFFFF, 0x00FF, 0x0F0F, 0x5555, 0x1C47, 0xAAAA, 0x8000, 0x0001};
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_LINE_STIPPLE);
    glLineWidth(width);
    for (int n = 0; n < 24; n++) {
        glLineStipple(n % 3 + (n > 12), patterns[n % 8]);
        glBegin(GL_LINES);
        hue(n / 24.0f);
        glVertex2f(5.3f, 6.5f + 8 * n), glVertex2f(90.2f - n, 6.5f + 8 * n);
        glEnd();
        glBegin(n & 1 ? GL_LINE_STRIP : GL_LINE_LOOP);
        for (int i = 0; i < 5; i++) {
            float r = 14, x = 118 + 31 * (n % 6), y = 23 + 48 * (n / 6), a = 1.2566f * i + 0.31f;
            hue(i / 5.0f);
            glVertex2f(x + r * cosf(a), y + r * sinf(a));
        }
        glEnd();
    }
}

static void draw_stippled_polygons(int shade)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glShadeModel(shade);
    glEnable(GL_LINE_STIPPLE);
    glLineStipple(2, 0x3F47);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    for (int n = 0; n < 6; n++) {
        int mode = GL_TRIANGLES + n, zigzag = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP;
        cell(n, 3, 2);
        glBegin(mode);
        for (int i = 0; i < 8; i++) {
            hue(i / 8.0f);
            if (zigzag)
                glVertex2f(-0.81f + 0.47f * (i / 2), i & 1 ? 0.67f : -0.71f);
            else
                glVertex2f(0.83f * cosf(0.77f * i + 0.1f), 0.79f * sinf(0.77f * i + 0.1f));
        }
        glEnd();
    }
    whole();
}

static const Scene scenes[] = {
    {"lines_star_w1", draw_star, 10, 301, 303},   {"lines_star_w1_5", draw_star, 15, 301, 303},
    {"lines_star_w2", draw_star, 20, 301, 303},   {"lines_star_w2_4", draw_star, 24, 301, 303},
    {"lines_star_w3", draw_star, 30, 301, 303},   {"lines_star_w4", draw_star, 40, 301, 303},
    {"lines_star_w5", draw_star, 50, 301, 303},   {"lines_star_w7", draw_star, 70, 301, 303},
    {"lines_star_w10", draw_star, 100, 301, 303}, {"line_ends_w1", draw_line_ends, 1, 301, 203},
    {"line_ends_w2", draw_line_ends, 2, 301, 203}, {"line_ends_w3", draw_line_ends, 3, 301, 203},
    {"line_strips_w1", draw_strips, 1, 301, 203}, {"line_strips_w4", draw_strips, 4, 301, 203},
    {"lines_flat_strip", draw_flat_strips, GL_LINE_STRIP, 301, 203},
    {"lines_flat_loop", draw_flat_strips, GL_LINE_LOOP, 301, 203},
    {"lines_flat_lines", draw_flat_strips, GL_LINES, 301, 203},
    {"lines_random_w1", draw_random_lines, 1, 301, 203},
    {"lines_random_w6", draw_random_lines, 6, 301, 203},
    {"line_stipple_w1", draw_stipple, 1, 301, 203},
    {"line_stipple_w3", draw_stipple, 3, 301, 203},
    {"line_stipple_poly", draw_stippled_polygons, GL_SMOOTH, 301, 203},
    {"line_stipple_poly_flat", draw_stippled_polygons, GL_FLAT, 301, 203},
    {"point_sizes", draw_point_sizes, 0, 340, 460},
    {"point_places_1", draw_point_places, 10, 181, 181},
    {"point_places_1_6", draw_point_places, 16, 181, 181},
    {"point_places_2", draw_point_places, 20, 181, 181},
    {"point_places_5", draw_point_places, 50, 181, 181},
    {"point_fractions", draw_point_fractions, GL_POINTS, 301, 203},
    {"point_fractions_poly", draw_point_fractions, GL_TRIANGLES, 301, 203},
    {"point_large", draw_point_large, 0, 301, 203},
    {"point_cloud_1", draw_point_cloud, 1, 301, 203},
    {"point_cloud_4", draw_point_cloud, 4, 301, 203},
};
const SceneList line_list = {scenes, LENGTH(scenes)};
