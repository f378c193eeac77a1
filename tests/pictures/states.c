/* SPDX-License-Identifier: MIT */
/* Matrices, every immediate-mode form, many small primitives with state changes between them. */
#include "scenes.h"

static void mark(void)
{
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0.2f, 0.1f), glVertex3f(-0.15f, -0.1f, 0);
    glColor3f(0.1f, 1, 0.2f), glVertex3f(0.2f, -0.1f, 0.1f);
    glColor3f(0.2f, 0.1f, 1), glVertex3f(0, 0.2f, -0.1f);
    glEnd();
}

static void draw_matrices(int unused)
{
    const float shear[16] = {1, 0.3f, 0, 0, -0.4f, 1, 0, 0, 0, 0, 1, 0, 0.1f, 0.1f, 0, 1};
    const double shear_d[16] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0.2, 1, 0, -0.1, 0, 0, 1};
    (void) unused;
    clear_all(0.1f, 0.1f, 0.1f, 1);
    for (int i = 0; i < 16; i++) {
        cell(i, 4, 4);
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        if (i < 8)
            glOrtho(-0.5, 0.5, -0.5, 0.5, -2, 2);
        else
            glFrustum(-0.3, 0.3, -0.2, 0.2, 1, 5);
        glMatrixMode(GL_MODELVIEW);
        glLoadIdentity();
        glTranslated(0, 0, i < 8 ? 0 : -1.5);
        glPushMatrix();
        switch (i % 8) {
        case 0: glRotatef(30, 0, 0, 1); break;
        case 1: glRotated(50, 0, 1, 0); break;
        case 2: glRotatef(-40, 1, 0, 0); break;
        case 3: glRotatef(70, 1, 2, 3); break;
        case 4: glScaled(1.5, 0.7, 1); break;
        case 5: glMultMatrixf(shear); break;
        case 6: glMultTransposeMatrixd(shear_d); break;
        case 7: glPopMatrix(), glPushMatrix(), glTranslatef(0.1f, 0.2f, -0.1f); break;
        }
        mark();
        for (int k = 0; k < 20; k++) {
            glPushMatrix();
            glTranslatef(0.02f, 0.01f, 0);
            glRotatef(9, 0, 0, 1);
            glScalef(0.95f, 0.95f, 0.95f);
        }
        mark();
        for (int k = 0; k < 20; k++)
            glPopMatrix();
        glPopMatrix();
        glTranslatef(-0.2f, -0.2f, 0);
        glScalef(0.4f, 0.4f, 0.4f);
        mark();
    }
    whole();
}

static void draw_load_matrix(int unused)
{
    float m[16] = {0.5f, 0.1f, 0, 0, -0.1f, 0.5f, 0, 0, 0, 0, 1, 0, -0.4f, 0.3f, 0, 1}, transposed[16];
    double d[16];
    (void) unused;
    for (int i = 0; i < 16; i++) {
        transposed[i % 4 * 4 + i / 4] = m[i];
        d[i] = m[i] * (i == 12 ? -1 : 1);
    }
    clear_all(0, 0, 0, 1);
    unit_square();
    glLoadMatrixf(m), mark();
    glLoadMatrixd(d), mark();
    glLoadTransposeMatrixf(transposed);
    glTranslatef(0, -1, 0), mark();
    glMatrixMode(GL_PROJECTION);
    glLoadMatrixf(m);
    glMultMatrixf(m);
    glPushMatrix();
    glLoadIdentity();
    glPopMatrix();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity(), glTranslatef(0.9f, -0.9f, 0), mark();
}

/* Each form of glVertex and glColor once, as a row of small triangles. */
static void vertex_form(int form, float x, float y)
{
    const GLshort s[4] = {x, y, 0, 1};
    const GLint n[4] = {x, y, 0, 1};
    const GLdouble d[4] = {x, y, 0, 1};
    const GLfloat f[4] = {x, y, 0, 1};
    switch (form) {
    case 0: glVertex2s(x, y); break;
    case 1: glVertex2i(x, y); break;
    case 2: glVertex2d(x, y); break;
    case 3: glVertex2fv(f); break;
    case 4: glVertex3s(x, y, 0); break;
    case 5: glVertex3i(x, y, 0); break;
    case 6: glVertex3dv(d); break;
    case 7: glVertex3fv(f); break;
    case 8: glVertex4s(x, y, 0, 1); break;
    case 9: glVertex4i(2 * x, 2 * y, 0, 2); break;
    case 10: glVertex4d(x / 2, y / 2, 0, 0.5); break;
    case 11: glVertex4fv(f); break;
    case 12: glVertex2sv(s); break;
    case 13: glVertex3iv(n); break;
    case 14: glVertex4dv(d); break;
    default: glVertex4sv(s); break;
    }
}

static void color_form(int form)
{
    const GLubyte ub[4] = {200, 100, 50, 255};
    const GLushort us[4] = {60000, 30000, 10000, 65535};
    const GLfloat f[4] = {0.1f, 0.8f, 0.6f, 1};
    const GLdouble d[4] = {0.9, 0.1, 0.6, 0.5};
    const GLbyte b[4] = {127, 60, -128, 127};
    const GLint i[4] = {2147483647, 1000000000, -5, 0};
    switch (form) {
    case 0: glColor3b(100, 50, -20); break;
    case 1: glColor3d(0.3, 0.9, 0.1); break;
    case 2: glColor3fv(f); break;
    case 3: glColor3i(2000000000, 0, 1000000000); break;
    case 4: glColor3s(32767, 12000, -400); break;
    case 5: glColor3ubv(ub); break;
    case 6: glColor3ui(4000000000u, 100, 2000000000u); break;
    case 7: glColor3usv(us); break;
    case 8: glColor4bv(b); break;
    case 9: glColor4dv(d); break;
    case 10: glColor4f(0.2f, 0.4f, 1.5f, 1); break;
    case 11: glColor4iv(i); break;
    case 12: glColor4s(30000, 20000, 10000, 32767); break;
    case 13: glColor4ub(10, 200, 30, 128); break;
    case 14: glColor4us(65535, 32768, 0, 30000); break;
    default: glColor4ui(0, 4294967295u, 2147483648u, 4294967295u); break;
    }
}

static void draw_forms(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    for (int i = 0; i < 256; i++) {
        float x = 4 + i % 16 * 18, y = 3 + i / 16 * 12;
        color_form(i % 16);
        glBegin(GL_TRIANGLES);
        vertex_form(i / 16, x, y);
        vertex_form(i / 16, x + 16, y);
        vertex_form(i / 16, x + 6, y + 10);
        glEnd();
    }
}

static void draw_secondary(int sum)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    if (sum)
        glEnable(GL_COLOR_SUM);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 10; i++) {
        glColor3f(0.1f * i, 0.2f, 0.5f);
        glSecondaryColor3f(0.3f * (i & 1), 0.05f * i, 0.2f);
        glVertex2f(-0.9f + 0.2f * i, i & 2 ? 0.8f : -0.8f);
    }
    glEnd();
}

/* Thousands of glBegin/glEnd pairs; some change state in between, some change back. */
static void draw_many_begins(int changes)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glBlendFunc(GL_ONE, GL_ONE);
    for (int i = 0; i < 6000; i++) {
        float x = i % 100 * 3, y = i / 100 * 3.3f;
        if (changes && i % 7 == 0)
            (i % 14 ? glEnable : glDisable)(GL_BLEND);
        if (changes && i % 11 == 0)
            glShadeModel(i % 22 ? GL_FLAT : GL_SMOOTH);
        if (changes && i % 97 == 0)
            glLineWidth(1 + i % 3);
        hue(i * 0.013f);
        glBegin(changes && i % 5 == 0 ? GL_LINES : GL_TRIANGLES);
        glVertex2f(x, y);
        hue(i * 0.017f);
        glVertex2f(x + 4, y);
        if (!changes || i % 5)
            glVertex2f(x + 1, y + 4);
        glEnd();
    }
}

/* One long primitive: more vertices than immediate mode's buffer holds. */
static void draw_long(int mode)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    glShadeModel(mode == GL_QUAD_STRIP ? GL_FLAT : GL_SMOOTH);
    glBegin(mode);
    if (mode == GL_TRIANGLE_FAN)
        glVertex2f(0.1f, 0.05f);
    for (int i = 0; i < 20011; i++) {
        float t = i / 20010.0f, a = 40 * M_PI * t, r = 0.1f + 0.8f * t;
        hue(t * 9);
        if (mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP)
            r += i & 1 ? 0.03f : 0;
        glVertex2f(r * cosf(a), r * sinf(a));
    }
    glEnd();
}

/* Attributes that appear while a primitive is under way. */
static void draw_growing(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_LIGHT0);
    for (int k = 0; k < 12; k++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int i = 0; i < 12; i++) {
            if (k & 1 && i == 3 + k / 2)
                glColor4f(0.9f, 0.1f * k, 0.1f, 0.5f);
            if (k & 2 && i == 5)
                glNormal3f(0, 0, 1), glTexCoord2f(0.5f, 0.5f);
            if (k & 4 && i == 7)
                glVertex3f(10 + 24 * i, 8 + 16 * k, 0.5f);
            else if (i == 9)
                glVertex4f(2 * (10 + 24 * i), 2 * (8 + 16 * k), 0, 2);
            else
                glVertex2f(10 + 24 * i, 6 + 16 * k + (i & 1) * 12);
        }
        glEnd();
        glColor4f(0.2f, 0.05f * k, 1, 1); /* AVOIDS(alpha_of_three): with glColor3f the peer keeps the alpha of before */
    }
}

/* Everything at once: a lit, fogged, blended scene with scissored overlays. */
static void draw_kitchen_sink(int unused)
{
    const float fog_color[4] = {0.5f, 0.6f, 0.7f, 1};
    (void) unused;
    clear_all(0.5f, 0.6f, 0.7f, 1);
    perspective(50, 1, 30);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 3);
    glFogf(GL_FOG_END, 16);
    glFogfv(GL_FOG_COLOR, fog_color);
    for (int i = 0; i < 20; i++) {
        glLoadIdentity();
        glTranslatef(between(-3, 3), between(-2, 2), between(-12, -4));
        glRotatef(360 * noise(), noise(), noise(), 1);
        hue(noise());
        if (i & 1)
            sphere(12, 8);
        else
            torus(0.3f, 0.9f, 10, 16);
    }
    glDisable(GL_LIGHTING);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glLoadIdentity();
    glTranslatef(0, 0, -6);
    glColor4f(1, 1, 0, 0.4f);
    bar(-3, -0.5f, 3, 0.5f, 0);
    glDisable(GL_FOG);
    glDisable(GL_DEPTH_TEST);
    pixels();
    glEnable(GL_SCISSOR_TEST);
    glScissor(10, 10, 100, 50);
    glColor4f(0, 0, 0, 0.5f);
    bar(0, 0, W, H, 0);
    glColor3f(1, 1, 1);
    glBegin(GL_LINE_STRIP);
    for (int i = 0; i < 100; i++)
        glVertex2f(10 + i, 35 + 20 * sinf(i * 0.2f));
    glEnd();
}

static const Scene scenes[] = {
    {"matrices", draw_matrices, 0, 301, 203},
    {"load_matrix", draw_load_matrix, 0, 301, 203},
    {"immediate_forms", draw_forms, 0, 301, 203},
    {"secondary_color", draw_secondary, 0, 301, 203},
    {"secondary_color_sum", draw_secondary, 1, 301, 203},
    {"many_begins", draw_many_begins, 0, 301, 203},
    {"many_begins_changes", draw_many_begins, 1, 301, 203},
    {"long_strip", draw_long, GL_TRIANGLE_STRIP, 301, 303},
    {"long_fan", draw_long, GL_TRIANGLE_FAN, 301, 303},
    {"long_quad_strip", draw_long, GL_QUAD_STRIP, 301, 303},
    {"long_line_strip", draw_long, GL_LINE_STRIP, 301, 303},
    {"growing_attributes", draw_growing, 0, 301, 203},
    {"kitchen_sink", draw_kitchen_sink, 0, 301, 203},
    {"kitchen_sink_big", draw_kitchen_sink, 0, 1000, 701},
};
const SceneList state_list = {scenes, LENGTH(scenes)};
