/* SPDX-License-Identifier: MIT */
/* Smooth points, lines and polygons: coverage in alpha, blended, tested, and as it is. */
#include "scenes.h"

enum { LINES_BLENDED, LINES_ALPHA, LINES_WIDE, LINES_STIPPLED, LINES_FLAT, LINES_DEPTH, LINES_STRIP,
       LINES_PERSPECTIVE, LINES_PROJECTED, POINTS_BLENDED, POINTS_ALPHA, POINTS_SIZES, POINTS_ATTENUATED, POINTS_FOG,
       POLYGONS, POLYGON_LINES, POLYGON_POINTS, TWO_FACES, ALPHA_TEST, LENGTHS };

static void blended(void)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void star(float inner, int count)
{
    float r = 0.47f * (W < H ? W : H);
    glBegin(GL_LINES);
    for (int i = 0; i < count; i++) {
        float a = 2 * M_PI * i / count + 0.004f;
        hue(i / (float) count);
        glVertex2f(W / 2.0f + r * inner * cosf(a), H / 2.0f + r * inner * sinf(a));
        hue(i / (float) count + 0.3f);
        glVertex2f(W / 2.0f + r * cosf(a), H / 2.0f + r * sinf(a));
    }
    glEnd();
}

static void dots(float first, float step)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 6; j++) {
            glPointSize(first + step * (i + 8 * j));
            hue((i + 8 * j) / 48.0f);
            glBegin(GL_POINTS);
            glVertex2f(20 + 35 * i + 0.13f * j, 20 + 32 * j + 0.21f * i);
            glEnd();
        }
}

static void end_of_line(float x, float y, float z, const float *other, int projected)
{
    const float near = 0.5f, scale = H / 2.0f / tanf(35 * M_PI / 180);
    if (!projected) {
        glVertex3f(x, y, z);
        return;
    }
    if (z > -near) { /* cut at the near plane */
        const float t = (-near - z) / (other[2] - z);
        x += t * (other[0] - x), y += t * (other[1] - y), z = -near;
    }
    glVertex2f(W / 2.0f + scale * x / -z, H / 2.0f + scale * y / -z);
}

/* Lines into the distance; `projected`: into the window by our own hands, where coverage has no perspective. */
static void lines_in_space(int projected)
{
    if (!projected) {
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        perspective(70, 0.5f, 50);
        glMatrixMode(GL_MODELVIEW);
    }
    glLineWidth(2.5f);
    glBegin(GL_LINES);
    for (int i = -6; i <= 6; i++) {
        const float ends[4][3] = {{i * 0.8f, -1, -1}, {i * 0.8f, -1, -30}, {i * 0.8f, 1.5f, 2}, {i * 0.3f, 0.5f, -8}};
        hue(i / 13.0f + 0.5f);
        for (int k = 0; k < 4; k++)
            end_of_line(ends[k][0], ends[k][1], ends[k][2], ends[k ^ 1], projected);
    }
    glEnd();
}

static void rotated_quads(void)
{
    for (int i = 0; i < 6; i++) {
        glPushMatrix();
        glTranslatef(50 + 95 * (i % 3), 50 + 95 * (i / 3), 0);
        glRotatef(13 * i + 5, 0, 0, 1);
        hue(i / 6.0f);
        glBegin(i & 1 ? GL_QUADS : GL_POLYGON);
        glVertex2f(-35, -35), glVertex2f(35, -35);
        hue(i / 6.0f + 0.4f);
        glVertex2f(35, 35), glVertex2f(-35, 35);
        glEnd();
        glPopMatrix();
    }
}

static void draw(int what)
{
    clear_all(0.1f, 0.1f, 0.1f, what == LINES_ALPHA || what == POINTS_ALPHA ? 0 : 1);
    pixels();
    glEnable(GL_LINE_SMOOTH);
    glEnable(GL_POINT_SMOOTH);
    if (what != LINES_ALPHA && what != POINTS_ALPHA && what != ALPHA_TEST)
        blended();
    switch (what) {
    case LINES_BLENDED:
    case LINES_ALPHA:
        star(0.25f, 40);
        break;
    case LINES_WIDE:
        wide_lines();
        break;
    case LINES_STIPPLED:
        glEnable(GL_LINE_STIPPLE);
        glLineStipple(2, 0x3F1C);
        glLineWidth(3);
        star(0.2f, 20);
        break;
    case LINES_FLAT:
        glShadeModel(GL_FLAT);
        glLineWidth(5);
        star(0.3f, 20);
        break;
    case LINES_DEPTH:
        glEnable(GL_DEPTH_TEST);
        glLineWidth(7);
        star(0, 12);
        break;
    case LINES_STRIP:
        glLineWidth(4);
        glBegin(GL_LINE_LOOP);
        for (int i = 0; i < 17; i++) {
            hue(i / 17.0f);
            glVertex2f(W / 2 + (40 + 50 * (i & 1)) * cosf(i * 0.37f), H / 2 + (40 + 50 * (i & 1)) * sinf(i * 0.37f));
        }
        glEnd();
        break;
    case LINES_PERSPECTIVE:
    case LINES_PROJECTED:
        lines_in_space(what == LINES_PROJECTED);
        break;
    case POINTS_BLENDED:
    case POINTS_ALPHA:
        dots(1, 0.5f);
        break;
    case POINTS_SIZES:
        dots(0.2f, 0.06f);
        break;
    case POINTS_ATTENUATED: {
        float k[3] = {0, 0.02f, 0.001f};
        glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, k);
        glPointParameterf(GL_POINT_SIZE_MIN, 2);
        glPointParameterf(GL_POINT_SIZE_MAX, 20);
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        glOrtho(0, W, 0, H, -1, 100);
        glMatrixMode(GL_MODELVIEW);
        glPointSize(9);
        glBegin(GL_POINTS);
        for (int i = 0; i < 80; i++) {
            hue(i / 80.0f);
            glVertex3f(15 + 28 * (i % 10), 15 + 24 * (i / 10), -i - 1.0f);
        }
        glEnd();
        break;
    }
    case POINTS_FOG:
        glEnable(GL_FOG);
        glFogi(GL_FOG_MODE, GL_LINEAR);
        glFogf(GL_FOG_START, 0), glFogf(GL_FOG_END, 1);
        glTranslatef(0, 0, -0.5f);
        dots(8, 0.1f);
        break;
    case POLYGONS:
        glEnable(GL_POLYGON_SMOOTH);
        rotated_quads();
        break;
    case POLYGON_LINES:
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        glLineWidth(3);
        rotated_quads();
        break;
    case POLYGON_POINTS:
        glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
        glPointSize(11);
        rotated_quads();
        break;
    case TWO_FACES:
        glPolygonMode(GL_BACK, GL_LINE);
        glLineWidth(6);
        for (int i = 0; i < 2; i++) {
            glFrontFace(i ? GL_CW : GL_CCW);
            if (i)
                glScalef(0.6f, 0.6f, 1);
            rotated_quads();
        }
        break;
    case ALPHA_TEST:
        glEnable(GL_ALPHA_TEST);
        glAlphaFunc(GL_GREATER, 0.5f);
        glLineWidth(6);
        star(0.3f, 16);
        dots(1, 0.3f);
        break;
    case LENGTHS:
        for (int i = 0; i < 60; i++) {
            glLineWidth(1 + i % 7);
            hue(i / 60.0f);
            float a = i * 0.7f, l = i * 0.2f;
            glBegin(GL_LINES);
            glVertex2f(15 + 28 * (i % 10), 15 + 32 * (i / 10));
            glVertex2f(15 + 28 * (i % 10) + l * cosf(a), 15 + 32 * (i / 10) + l * sinf(a));
            glEnd();
        }
        break;
    }
}

#define S(name, what) {name, draw, what, 300, 200, COLOR}
static const Scene scenes[] = {
    S("smooth_lines_blended", LINES_BLENDED), S("smooth_lines_alpha", LINES_ALPHA), S("smooth_lines_wide", LINES_WIDE),
    S("smooth_lines_stippled", LINES_STIPPLED), S("smooth_lines_flat", LINES_FLAT),
    S("smooth_lines_depth", LINES_DEPTH), S("smooth_lines_loop", LINES_STRIP),
    S("smooth_lines_perspective", LINES_PERSPECTIVE), S("smooth_lines_projected", LINES_PROJECTED), S("smooth_lines_short", LENGTHS),
    S("smooth_points_blended", POINTS_BLENDED), S("smooth_points_alpha", POINTS_ALPHA),
    S("smooth_points_small", POINTS_SIZES), S("smooth_points_distant", POINTS_ATTENUATED),
    S("smooth_points_fog", POINTS_FOG), S("smooth_polygons", POLYGONS),
    S("smooth_polygon_lines", POLYGON_LINES), S("smooth_polygon_points", POLYGON_POINTS),
    S("smooth_two_faces", TWO_FACES), S("smooth_alpha_test", ALPHA_TEST),
};
const SceneList smooth_list = {scenes, LENGTH(scenes)};
