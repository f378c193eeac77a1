/* SPDX-License-Identifier: MIT */
/* Smooth polygons, and the same polygons not smooth but drawn sixteen times as large and made small again. */
#include "scenes.h"

enum { TRIANGLES, SPECKS, POLYGONS, STRIPS, FLOOR, CLIPPED, SHARED, STACKED };
enum { TIMES = 16, WIDE = 160, HIGH = 128 }; /* of the magnified scene, WIDE / TIMES x HIGH / TIMES pixels fit */

static int part = -1; /* of the magnified scene; -1: the scene as it is */

/* The projection begins with what shows the part of the magnified scene. */
static void begin_view(void)
{
    const float across = part % TIMES, up = part / TIMES;
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    if (part >= 0) {
        glTranslatef(TIMES - 1 - 2 * across, TIMES - 1 - 2 * up, 0);
        glScalef(TIMES, TIMES, 1);
    }
}

static void flat_view(void)
{
    begin_view();
    glOrtho(0, WIDE, 0, HIGH, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

static void deep_view(void)
{
    begin_view();
    glFrustum(-0.5 * WIDE / HIGH, 0.5 * WIDE / HIGH, -0.5, 0.5, 0.7, 40);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

static void corner(float x, float y, float turn, float distance)
{
    glVertex2f(x + distance * cosf(turn), y + distance * sinf(turn));
}

/* `count` corners around a place: a convex polygon. */
static void round_polygon(GLenum mode, int count, float x, float y, float size, float turn)
{
    glBegin(mode);
    for (int i = 0; i < count; i++) {
        hue((i + count * 0.3f) / (1.7f * count));
        corner(x, y, turn + 2 * M_PI * i / count, size);
    }
    glEnd();
}

static void triangles(void)
{
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 80; i++)
        for (int k = 0; k < 3; k++) {
            hue(noise());
            glVertex2f(1 + 16 * (i % 10) + between(0, 14), 1 + 16 * (i / 10) + between(0, 14));
        }
    glEnd();
}

static void specks(void)
{
    glColor4f(0.6f, 0.8f, 0.5f, 1);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 1280; i++) {
        const float x = 4 * (i % 40), y = 4 * (i / 40), size = between(0.1f, 4);
        for (int k = 0; k < 3; k++)
            glVertex2f(x + between(0, size), y + between(0, size));
    }
    glEnd();
}

static void polygons(void)
{
    for (int i = 0; i < 20; i++) {
        const int count = i < 8 ? 4 : i - 5;
        const float x = 16 + 32 * (i % 5), y = 16 + 32 * (i / 5);
        round_polygon(i < 4 ? GL_QUADS : i & 1 ? GL_TRIANGLE_FAN : GL_POLYGON, count, x, y, 15.3f - 0.3f * i, 0.05f * i);
    }
    glBegin(GL_POLYGON); /* many triangles a pixel */
    for (int i = 0; i < 60; i++)
        corner(32.2f, 32.3f, 2 * M_PI * i / 60, 0.7f);
    glEnd();
}

static void strips(void)
{
    for (int i = 0; i < 6; i++) {
        glBegin(i & 1 ? GL_QUAD_STRIP : GL_TRIANGLE_STRIP);
        for (int k = 0; k < 24; k++) {
            const float turn = 0.29f * (k / 2), distance = (k & 1 ? 22 : 11) + 0.1f * i;
            hue(k / 30.0f);
            corner(27 + 53 * (i % 3), 33 + 62 * (i / 3), turn, distance);
        }
        glEnd();
    }
}

static void floor_tiles(void)
{
    deep_view();
    glTranslatef(0, -0.8f, 0);
    glRotatef(7, 0, 0, 1);
    glBegin(GL_QUADS);
    for (int i = -12; i < 12; i += 2)
        for (int k = -1; k < 24; k += 2) { /* the first ones reach behind the eye */
            hue(0.04f * i + 0.03f * k);
            glVertex3f(i, 0, -k), glVertex3f(i + 1, 0, -k), glVertex3f(i + 1, 0, -k - 1), glVertex3f(i, 0, -k - 1);
        }
    glEnd();
}

static void clipped(void)
{
    const double planes[2][4] = {{0.8, 0.6, 0, -60}, {-1, 0.1, 0, 140}};
    for (int i = 0; i < 2; i++) {
        glClipPlane(GL_CLIP_PLANE0 + i, planes[i]);
        glEnable(GL_CLIP_PLANE0 + i);
    }
    polygons();
    for (int i = 0; i < 2; i++)
        glDisable(GL_CLIP_PLANE0 + i);
}

/* Meshes: what their parts cover of a pixel adds up. */
static void shared(void)
{
    glColor4f(1, 1, 1, 1);
    for (int i = 0; i < 6; i++) {
        const float x = 27 + 53 * (i % 3), y = 33 + 62 * (i / 3), middle = between(-9, 9);
        glBegin(i & 1 ? GL_TRIANGLE_FAN : GL_TRIANGLES);
        if (i & 1)
            glVertex2f(x + middle, y);
        for (int k = 0; k < (i & 1 ? 31 : 30); k++) {
            corner(x, y, 2 * M_PI * (k % 30) / 30, 24);
            if (!(i & 1)) {
                corner(x, y, 2 * M_PI * (k + 1) / 30, 24);
                glVertex2f(x + middle, y + middle * 0.3f);
            }
        }
        glEnd();
    }
}

/* Of what lies behind, only what the front leaves of a pixel is seen: front to back, no depth buffer. */
static void stacked(void)
{
    flat_view();
    for (int i = 0; i < 3; i++) {
        glColor4f(i == 0, i == 1, i == 2, 1);
        glRectf(20 + 10.3f * i, 20 + 8.7f * i, 90 + 10.3f * i, 70 + 8.7f * i);
    }
}

static void (*const shapes[])(void) = {triangles, specks, polygons, strips, floor_tiles, clipped, shared, stacked};

static void draw_shape(int what)
{
    reset_noise();
    clear_all(0, 0, 0, 0);
    flat_view();
    glEnable(GL_BLEND);
    if (what == SHARED || what == STACKED)
        glBlendFunc(GL_SRC_ALPHA_SATURATE, GL_ONE);
    else
        glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE, GL_ONE, GL_ONE); /* parts add up whatever they are parts of */
    shapes[what]();
    glDisable(GL_BLEND);
}

static void smooth(int what)
{
    glEnable(GL_POLYGON_SMOOTH);
    draw_shape(what);
    glDisable(GL_POLYGON_SMOOTH);
}

static void magnified(int what)
{
    static unsigned char seen[HIGH][WIDE][4], mean[HIGH][WIDE][4];
    const int columns = WIDE / TIMES, rows = HIGH / TIMES;
    for (part = 0; part < TIMES * TIMES; part++) {
        draw_shape(what);
        glReadPixels(0, 0, WIDE, HIGH, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < columns; x++)
                for (int c = 0; c < 4; c++) {
                    int sum = 0;
                    for (int i = 0; i < TIMES * TIMES; i++)
                        sum += seen[y * TIMES + i / TIMES][x * TIMES + i % TIMES][c];
                    mean[part / TIMES * rows + y][part % TIMES * columns + x][c] =
                        (sum + TIMES * TIMES / 2) / (TIMES * TIMES);
                }
    }
    part = -1;
    flat_view();
    glRasterPos2f(0, 0);
    glDrawPixels(WIDE, HIGH, GL_RGBA, GL_UNSIGNED_BYTE, mean);
}

#define SHAPE(name, what) {"area_" name, smooth, what, WIDE, HIGH}, {"area_" name "_large", magnified, what, WIDE, HIGH}
static const Scene scenes[] = {
    SHAPE("triangles", TRIANGLES), SHAPE("specks", SPECKS), SHAPE("polygons", POLYGONS), SHAPE("strips", STRIPS),
    SHAPE("floor", FLOOR), SHAPE("clipped", CLIPPED), SHAPE("shared", SHARED), SHAPE("stacked", STACKED),
};
const SceneList area_list = {scenes, LENGTH(scenes)};
