/* SPDX-License-Identifier: MIT */
/* Lighting: every kind of light, light model, material and way to change a material. */
#include "scenes.h"

static const float white[4] = {1, 1, 1, 1}, black[4] = {0, 0, 0, 1};

static void stage(void)
{
    clear_all(0.1f, 0.1f, 0.15f, 1);
    perspective(40, 1, 30);
    glTranslatef(0, 0, -4);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
}

static void material(float r, float g, float b, float shininess)
{
    const float diffuse[4] = {r, g, b, 1};
    glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE, diffuse);
    glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, white);
    glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, shininess);
}

static void light_at(GLenum light, float x, float y, float z, float w)
{
    const float position[4] = {x, y, z, w};
    glLightfv(light, GL_POSITION, position);
}

static void light_color(GLenum light, float r, float g, float b)
{
    const float color[4] = {r, g, b, 1};
    glLightfv(light, GL_DIFFUSE, color);
    glLightfv(light, GL_SPECULAR, color);
}

static void draw_directional(int shade)
{
    stage();
    glShadeModel(shade);
    light_at(GL_LIGHT0, 1, 2, 3, 0);
    material(0.8f, 0.3f, 0.2f, 20);
    sphere(20, 14);
}

static void draw_positional(int local_viewer)
{
    stage();
    glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, local_viewer);
    light_at(GL_LIGHT0, 1.2f, 0.9f, 1.3f, 1);
    material(0.3f, 0.5f, 0.9f, 40);
    sphere(40, 30);
}

/* A wall of small quads under a spot light: cut-off in degrees, exponents by row. */
static void wall(int n)
{
    glNormal3f(0, 0, 1);
    for (int j = 0; j < n; j++) {
        glBegin(GL_QUAD_STRIP);
        for (int i = 0; i <= n; i++) {
            glVertex2f(-1 + 2.0f * i / n, -1 + 2.0f * (j + 1) / n);
            glVertex2f(-1 + 2.0f * i / n, -1 + 2.0f * j / n);
        }
        glEnd();
    }
}

static void draw_spot(int cutoff)
{
    static const float exponents[] = {0, 1, 10, 128};
    const float direction[3] = {0.2f, -0.1f, -2};
    stage();
    material(0.8f, 0.8f, 0.5f, 10);
    glLightfv(GL_LIGHT0, GL_SPOT_DIRECTION, direction);
    glLightf(GL_LIGHT0, GL_SPOT_CUTOFF, cutoff);
    for (int i = 0; i < 4; i++) {
        cell(i, 2, 2);
        light_at(GL_LIGHT0, 0, 0, 1.5f, 1);
        glLightf(GL_LIGHT0, GL_SPOT_EXPONENT, exponents[i]);
        wall(30);
    }
    whole();
}

static void draw_attenuation(int unused)
{
    static const float factors[][3] = {{1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5f, 0.3f, 0.2f}, {1, 0, 3}};
    (void) unused;
    stage();
    material(0.9f, 0.6f, 0.7f, 30);
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        light_at(GL_LIGHT0, 0.4f, 0.3f, 0.8f, 1);
        glLightf(GL_LIGHT0, GL_CONSTANT_ATTENUATION, factors[i][0]);
        glLightf(GL_LIGHT0, GL_LINEAR_ATTENUATION, factors[i][1]);
        glLightf(GL_LIGHT0, GL_QUADRATIC_ATTENUATION, factors[i][2]);
        wall(24);
    }
    whole();
}

/* A bent sheet seen from both sides; two materials. */
static void draw_two_side(int flags)
{
    const float front[4] = {0.9f, 0.2f, 0.1f, 1}, back[4] = {0.1f, 0.4f, 0.9f, 1};
    stage();
    glShadeModel(flags & 1 ? GL_FLAT : GL_SMOOTH);
    glFrontFace(flags & 2 ? GL_CW : GL_CCW);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, front);
    glMaterialfv(GL_BACK, GL_AMBIENT_AND_DIFFUSE, back);
    glMaterialfv(GL_BACK, GL_SPECULAR, white);
    glMaterialf(GL_BACK, GL_SHININESS, 15);
    glRotatef(50, 1, 1, 0);
    for (int j = 0; j < 30; j++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int i = 0; i <= 40; i++)
            for (int k = 0; k < 2; k++) {
                float x = -1.3f + 2.6f * i / 40, y = -1 + 2.0f * (j + k) / 30;
                glNormal3f(-2.4f * cosf(4 * x), 0, 1);
                glVertex3f(x, y, 0.6f * sinf(4 * x));
            }
        glEnd();
    }
}

/* Each mode and face of colour material, a row of tori. */
static void draw_color_material(int face)
{
    static const GLenum modes[] = {GL_EMISSION, GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_AMBIENT_AND_DIFFUSE};
    const float ambient[4] = {0.7f, 0.7f, 0.7f, 1};
    stage();
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, ambient);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    material(0.4f, 0.4f, 0.4f, 12);
    light_at(GL_LIGHT0, 1, 1, 2, 0);
    sphere(4, 2); /* AVOIDS(first_material): the peer misses materials that change before its first lit draw */
    clear_all(0.1f, 0.1f, 0.15f, 1);
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        if (i < 5) {
            glEnable(GL_COLOR_MATERIAL);
            glColorMaterial(face, modes[i]);
        } else
            glDisable(GL_COLOR_MATERIAL);
        glPushMatrix();
        glRotatef(60 + 30 * i, 1, 0.3f, 0);
        glFrontFace(i & 1 ? GL_CW : GL_CCW);
        glColor4f(0.9f, 0.5f, 0.1f, 0.7f);
        torus(0.4f, 0.8f, 14, 20);
        glColor3f(0.1f, 0.7f, 0.9f);
        glTranslatef(0, 0, 0.5f);
        torus(0.2f, 1.0f, 10, 20);
        glPopMatrix();
    }
    whole();
}

/* Scaled models with unit and odd normals: none, normalise, rescale, both. */
static void draw_normals(int unused)
{
    (void) unused;
    stage();
    light_at(GL_LIGHT0, 1, 1, 1, 0);
    material(0.6f, 0.7f, 0.3f, 25);
    for (int i = 0; i < 8; i++) {
        cell(i, 4, 2);
        (i & 1 ? glEnable : glDisable)(GL_NORMALIZE);
        (i & 2 ? glEnable : glDisable)(GL_RESCALE_NORMAL);
        glPushMatrix();
        if (i & 4)
            glScalef(1.2f, 0.5f, 0.8f);
        else
            glScalef(0.7f, 0.7f, 0.7f);
        glRotatef(30, 1, 1, 1);
        sphere(24, 16);
        glPopMatrix();
    }
    whole();
}

/* Materials and colours change between the vertices of one primitive. */
static void draw_vertex_materials(int shade)
{
    static const GLenum names[] = {GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION};
    stage();
    glShadeModel(shade);
    light_at(GL_LIGHT0, 0.5f, 0.8f, 1, 0);
    material(0.5f, 0.5f, 0.5f, 5);
    for (int row = 0; row < 6; row++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int i = 0; i < 24; i++) {
            const float color[4] = {(i * 5 % 7) / 7.0f, (i * 3 % 5) / 5.0f, (i % 4) / 4.0f, 1};
            if (row < 4 && i % 3 != 1)
                glMaterialfv(GL_FRONT, names[row], color);
            if (row == 4)
                glMaterialf(GL_FRONT, GL_SHININESS, 5 * i);
            if (row == 5 && i & 2)
                material(color[0], color[1], color[2], 3 * i);
            glNormal3f(sinf(i), cosf(i * 0.7f), 1.2f);
            glVertex3f(-1.6f + i * 0.14f, -1.2f + 0.4f * row + (i & 1) * 0.35f, 0);
        }
        glEnd();
    }
}

static void draw_emission(int unused)
{
    const float glow[4] = {0.3f, 0.0f, 0.4f, 1}, ambient[4] = {0.1f, 0.5f, 0.2f, 1};
    const float none[4] = {0, 0, 0, 0};
    (void) unused;
    stage();
    glLightfv(GL_LIGHT0, GL_AMBIENT, ambient);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, none);
    light_at(GL_LIGHT0, 0, 0, 1, 0);
    material(0.5f, 0.5f, 0.3f, 60);
    glMaterialfv(GL_FRONT, GL_EMISSION, glow);
    torus(0.4f, 0.9f, 30, 40);
}

static void draw_separate_specular(int unused)
{
    (void) unused;
    stage();
    light_at(GL_LIGHT0, 0.3f, 0.2f, 1, 0);
    material(0.9f, 0.2f, 0.8f, 8);
    for (int i = 0; i < 2; i++) {
        cell(i, 2, 1);
        glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, i ? GL_SEPARATE_SPECULAR_COLOR : GL_SINGLE_COLOR);
        sphere(30, 20);
    }
    whole();
}

static void draw_eight(int unused)
{
    const float down[3] = {0, -1, -0.2f};
    (void) unused;
    stage();
    material(0.9f, 0.9f, 0.9f, 30);
    for (int i = 0; i < 8; i++) {
        float a = 2 * M_PI * i / 8;
        glEnable(GL_LIGHT0 + i);
        light_at(GL_LIGHT0 + i, 2 * cosf(a), 2 * sinf(a), 0.5f + (i & 1), i % 3 != 0);
        light_color(GL_LIGHT0 + i, 0.5f * (i & 1), 0.3f * (i & 2), 0.12f * (i & 4));
        if (i % 3 == 2) {
            glLightfv(GL_LIGHT0 + i, GL_SPOT_DIRECTION, down);
            glLightf(GL_LIGHT0 + i, GL_SPOT_CUTOFF, 60);
            glLightf(GL_LIGHT0 + i, GL_SPOT_EXPONENT, 4);
            glLightf(GL_LIGHT0 + i, GL_LINEAR_ATTENUATION, 0.4f);
        }
    }
    glDisable(GL_LIGHT3);
    sphere(40, 30);
}

static void draw_shininess(int unused)
{
    static const float values[] = {0, 0.5f, 1, 2, 5, 20, 64, 100, 128};
    (void) unused;
    stage();
    light_at(GL_LIGHT0, 0.6f, 0.4f, 1, 0);
    for (int i = 0; i < 9; i++) {
        cell(i, 3, 3);
        material(0.2f, 0.3f, 0.3f, values[i]);
        sphere(40, 30);
    }
    whole();
}

/* Light positions go through the modelview matrix of their moment. */
static void draw_moved_light(int unused)
{
    const float direction[3] = {0, 0, -1};
    (void) unused;
    stage();
    material(0.7f, 0.7f, 0.9f, 20);
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        glPushMatrix();
        glRotatef(60 * i, 0, 0, 1);
        glScalef(1.5f, 1, 0.5f);
        light_at(GL_LIGHT0, 1, 0.5f, 3, i & 1);
        glLightfv(GL_LIGHT0, GL_SPOT_DIRECTION, direction);
        glLightf(GL_LIGHT0, GL_SPOT_CUTOFF, i & 1 ? 45 : 180);
        glPopMatrix();
        wall(30);
        glTranslatef(0, 0, 0.4f);
        glScalef(0.5f, 0.5f, 0.5f);
        sphere(16, 12);
        glScalef(2, 2, 2);
        glTranslatef(0, 0, -0.4f);
    }
    whole();
}

/* Lit, unlit and lit again in one frame; no light enabled; ambient of the scene alone. */
static void draw_switching(int unused)
{
    (void) unused;
    stage();
    material(0.8f, 0.6f, 0.2f, 20);
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        (i % 2 ? glDisable : glEnable)(GL_LIGHTING);
        (i == 2 ? glDisable : glEnable)(GL_LIGHT0);
        glColor3f(0.2f + 0.1f * i, 0.5f, 0.9f);
        if (i == 4)
            glMaterialfv(GL_FRONT, GL_DIFFUSE, black);
        sphere(20, 14);
    }
    whole();
}

static const Scene scenes[] = {
    {"light_directional", draw_directional, GL_SMOOTH, 301, 303},
    {"light_directional_flat", draw_directional, GL_FLAT, 301, 303},
    {"light_positional", draw_positional, 0, 301, 303},
    {"light_local_viewer", draw_positional, 1, 301, 303},
    {"light_spot_20", draw_spot, 20, 301, 303},
    {"light_spot_90", draw_spot, 90, 301, 303},
    {"light_spot_180", draw_spot, 180, 301, 303},
    {"light_attenuation", draw_attenuation, 0, 301, 203},
    {"light_two_side", draw_two_side, 0, 301, 203},
    {"light_two_side_flat", draw_two_side, 1, 301, 203},
    {"light_two_side_cw", draw_two_side, 2, 301, 203},
    {"light_color_material_front", draw_color_material, GL_FRONT, 301, 203},
    {"light_color_material_back", draw_color_material, GL_BACK, 301, 203},
    {"light_color_material_both", draw_color_material, GL_FRONT_AND_BACK, 301, 203},
    {"light_normals", draw_normals, 0, 401, 203},
    {"light_vertex_materials", draw_vertex_materials, GL_SMOOTH, 301, 203},
    {"light_vertex_materials_flat", draw_vertex_materials, GL_FLAT, 301, 203},
    {"light_emission", draw_emission, 0, 301, 203},
    {"light_separate_specular", draw_separate_specular, 0, 401, 203},
    {"light_eight", draw_eight, 0, 301, 303},
    {"light_shininess", draw_shininess, 0, 301, 303},
    {"light_moved", draw_moved_light, 0, 301, 203},
    {"light_switching", draw_switching, 0, 301, 203},
};
const SceneList light_list = {scenes, LENGTH(scenes)};
