/* SPDX-License-Identifier: MIT */
/* Fog of each mode, from depth and from coordinates, lit and unlit, on all primitives. */
#include "scenes.h"

static void fog(GLenum mode, float density, float start, float end)
{
    const float color[4] = {0.7f, 0.6f, 0.9f, 0.5f};
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, mode);
    glFogf(GL_FOG_DENSITY, density);
    glFogf(GL_FOG_START, start);
    glFogf(GL_FOG_END, end);
    glFogfv(GL_FOG_COLOR, color);
}

static void corridor(void)
{
    glBegin(GL_QUADS);
    for (int i = 0; i < 12; i++) {
        float z = -1 - i * 2;
        for (int side = 0; side < 4; side++) {
            float a = side * M_PI / 2 + M_PI / 4, b = a + M_PI / 2;
            hue(side / 4.0f + 0.5f * (i & 1));
            glVertex3f(cosf(a), sinf(a), z), glVertex3f(cosf(b), sinf(b), z);
            glVertex3f(cosf(b), sinf(b), z - 2), glVertex3f(cosf(a), sinf(a), z - 2);
        }
    }
    glEnd();
}

static void draw_fog(int mode)
{
    clear_all(0, 0, 0, 1);
    perspective(70, 0.5, 40);
    fog(mode, 0.12f, 2, 18);
    glEnable(GL_DEPTH_TEST);
    corridor();
}

/* Six pairs of start and end, the odd ones too. */
static void draw_linear_ranges(int unused)
{
    static const float ranges[][2] = {{0, 1}, {1, 20}, {10, 5}, {-5, 30}, {4, 4.5f}, {0, 1000}};
    (void) unused;
    clear_all(0, 0, 0, 1);
    perspective(70, 0.5, 40);
    for (int i = 0; i < LENGTH(ranges); i++) {
        cell(i, 3, 2);
        fog(GL_LINEAR, 1, ranges[i][0], ranges[i][1]);
        corridor();
    }
    whole();
}

static void draw_densities(int mode)
{
    static const float densities[] = {0, 0.01f, 0.05f, 0.2f, 1, 50};
    clear_all(0, 0, 0, 1);
    perspective(70, 0.5, 40);
    for (int i = 0; i < LENGTH(densities); i++) {
        cell(i, 3, 2);
        fog(mode, densities[i], 0, 1);
        corridor();
    }
    whole();
}

static void draw_fog_coord(int mode)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    fog(mode, 0.8f, 0.2f, 2);
    glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i <= 12; i++) {
        hue(i / 12.0f);
        glFogCoordf(0.25f * i);
        glVertex2f(-0.9f + i * 0.15f, 0.9f);
        glFogCoordf(3 - 0.25f * i); /* AVOIDS(negative_fog_coords): the peer takes the absolute value */
        glVertex2f(-0.9f + i * 0.15f, -0.9f);
    }
    glEnd();
}

static void draw_fog_lit(int unused)
{
    (void) unused;
    clear_all(0.7f, 0.6f, 0.9f, 1);
    perspective(45, 1, 30);
    fog(GL_EXP2, 0.15f, 0, 1);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    for (int i = 0; i < 9; i++) {
        glLoadIdentity();
        glTranslatef(-2 + 0.6f * i, -1 + 0.3f * i, -3 - 1.3f * i);
        glRotatef(40, 1, 1, 0);
        torus(0.3f, 0.7f, 16, 24);
    }
}

static void draw_fog_lines(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    perspective(60, 0.5, 40);
    fog(GL_LINEAR, 1, 1, 20);
    glLineWidth(3);
    glPointSize(6);
    for (int i = 0; i < 16; i++) {
        float a = 2 * M_PI * i / 16;
        hue(i / 16.0f);
        glBegin(GL_LINES);
        glVertex3f(cosf(a), sinf(a), -1), glVertex3f(cosf(a), sinf(a), -30);
        glEnd();
        glBegin(GL_POINTS);
        glVertex3f(1.5f * cosf(a), 1.5f * sinf(a), -3 - i);
        glEnd();
    }
}

static const Scene scenes[] = {
    {"fog_linear", draw_fog, GL_LINEAR, 301, 203},   {"fog_exp", draw_fog, GL_EXP, 301, 203},
    {"fog_exp2", draw_fog, GL_EXP2, 301, 203},       {"fog_linear_ranges", draw_linear_ranges, 0, 301, 203},
    {"fog_exp_densities", draw_densities, GL_EXP, 301, 203},
    {"fog_exp2_densities", draw_densities, GL_EXP2, 301, 203},
    {"fog_coord_linear", draw_fog_coord, GL_LINEAR, 301, 203},
    {"fog_coord_exp", draw_fog_coord, GL_EXP, 301, 203},
    {"fog_coord_exp2", draw_fog_coord, GL_EXP2, 301, 203},
    {"fog_lit", draw_fog_lit, 0, 301, 203},          {"fog_lines", draw_fog_lines, 0, 301, 203},
};
const SceneList fog_list = {scenes, LENGTH(scenes)};
