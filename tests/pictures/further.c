/* SPDX-License-Identifier: MIT */
/* Clip planes of the application, attribute stacks, two-sided stencil, provoking vertex, distant points. */
#include "scenes.h"

static void plane(int n, double a, double b, double c, double d)
{
    const double equation[4] = {a, b, c, d};
    glClipPlane(GL_CLIP_PLANE0 + n, equation);
    glEnable(GL_CLIP_PLANE0 + n);
}

/* One to six planes, cell by cell, set under a turned matrix. */
static void draw_clip_planes(int mode)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    perspective(50, 1, 20);
    glEnable(GL_DEPTH_TEST);
    glLineWidth(3);
    glPointSize(7);
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        glLoadIdentity();
        glTranslatef(0, 0, -3);
        glRotatef(15 * i, 0, 0, 1);
        plane(i, cos(i), sin(i), 0.2 * i - 0.5, 0.6);
        glRotatef(30, 1, 1, 0);
        glBegin(mode);
        for (int k = 0; k < 90; k++) {
            float a = k * 2.4f, r = 0.3f + k / 80.0f;
            hue(k / 90.0f);
            glVertex3f(r * cosf(a), r * sinf(a), 0.7f * sinf(k));
        }
        glEnd();
    }
    whole();
}

static void draw_clip_lit(int shade)
{
    clear_all(0, 0, 0, 1);
    perspective(40, 1, 20);
    glShadeModel(shade);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    glTranslatef(0, 0, -4);
    glRotatef(20, 1, 0.5f, 0);
    plane(0, 0.3, -1, 0.8, 0.1);
    plane(3, -1, 0.1, 0, 0.7);
    sphere(24, 16);
}

/* Each attribute group is changed between a push and its pop; the last row must look like the first. */
static void draw_attrib_stack(int mask)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glColor4f(0.9f, 0.7f, 0.1f, 0.6f);
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            glPushAttrib(mask);
            glColor4f(0.1f, 0.5f, 0.9f, 0.4f);
            glEnable(GL_BLEND);
            glBlendFunc(GL_SRC_ALPHA, GL_ONE);
            glLineWidth(5);
            glPointSize(9);
            glShadeModel(GL_FLAT);
            glEnable(GL_CULL_FACE);
            glCullFace(GL_FRONT);
            glColorMask(1, 0, 1, 1);
            glEnable(GL_SCISSOR_TEST);
            glScissor(20, 20, 200, 160);
            glClearColor(0.3f, 0, 0, 1);
            glMatrixMode(GL_PROJECTION);
        }
        if (i == 2)
            glPopAttrib();
        glPushMatrix();
        glTranslatef(0, -0.6f + 0.6f * i, 0);
        bar(-0.9f, -0.2f, -0.5f, 0.2f, 0);
        glBegin(GL_TRIANGLE_STRIP);
        for (int k = 0; k < 4; k++) {
            if (k == 2)
                glColor4f(0.9f, 0.7f, 0.1f, 0.6f);
            glVertex2f(-0.3f + 0.2f * k, k & 1 ? 0.2f : -0.2f);
        }
        glEnd();
        glBegin(GL_LINES);
        glVertex2f(0.45f, -0.2f), glVertex2f(0.6f, 0.2f);
        glEnd();
        glBegin(GL_POINTS);
        glVertex2f(0.8f, 0);
        glEnd();
        glPopMatrix();
    }
    glDisable(GL_SCISSOR_TEST);
}

/* Front and back have functions, references and operations of their own; the stencil is shown. */
static void draw_stencil_sides(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    unit_square();
    glEnable(GL_STENCIL_TEST);
    glStencilFuncSeparate(GL_FRONT, GL_ALWAYS, 40, ~0u);
    glStencilFuncSeparate(GL_BACK, GL_GEQUAL, 90, 0x7f);
    glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, GL_REPLACE);
    glStencilOpSeparate(GL_BACK, GL_INVERT, GL_KEEP, GL_INCR_WRAP);
    glStencilMaskSeparate(GL_BACK, 0xbf);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3 * 40; i++) {
        hue(i / 120.0f);
        glVertex2f(between(-1, 1), between(-1, 1));
    }
    glEnd();
}

static void draw_provoking(int convention)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glShadeModel(GL_FLAT);
    glProvokingVertex(convention);
    glLineWidth(3);
    for (int mode = GL_LINES; mode <= GL_POLYGON; mode++) {
        cell(mode - 1, 3, 3);
        glBegin(mode);
        for (int i = 0; i < 12; i++) {
            int zigzag = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP;
            hue(i / 12.0f);
            if (zigzag)
                glVertex2f(-0.9f + 0.16f * i, i & 1 ? 0.8f : -0.8f);
            else
                glVertex2f(0.9f * cosf(2 * M_PI * i / 12), 0.9f * sinf(2 * M_PI * i / 12));
        }
        glEnd();
    }
    whole();
}

/* Points that shrink with distance, within their limits. */
static void draw_distant_points(int unused)
{
    const float attenuation[3] = {0.05f, 0.03f, 0.01f};
    (void) unused;
    clear_all(0, 0, 0, 1);
    perspective(60, 0.5, 40);
    glPointSize(9);
    glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, attenuation);
    glPointParameterf(GL_POINT_SIZE_MIN, 2);
    glPointParameterf(GL_POINT_SIZE_MAX, 14);
    glPointParameterf(GL_POINT_FADE_THRESHOLD_SIZE, 0);
    glBegin(GL_POINTS);
    for (int i = 0; i < 120; i++) {
        float a = i * 0.52f, z = -1.3f - i * 0.25f;
        hue(i / 120.0f);
        glVertex3f(cosf(a) * (0.5f + i * 0.1f), sinf(a) * (0.4f + i * 0.07f), z);
    }
    glEnd();
}

static const Scene scenes[] = {
    {"clip_planes_triangles", draw_clip_planes, GL_TRIANGLES, 301, 203},
    {"clip_planes_strip", draw_clip_planes, GL_TRIANGLE_STRIP, 301, 203},
    {"clip_planes_lines", draw_clip_planes, GL_LINES, 301, 203},
    {"clip_planes_points", draw_clip_planes, GL_POINTS, 301, 203},
    {"clip_planes_lit", draw_clip_lit, GL_SMOOTH, 301, 203},
    {"clip_planes_lit_flat", draw_clip_lit, GL_FLAT, 301, 203},
    {"attrib_stack_all", draw_attrib_stack, GL_ALL_ATTRIB_BITS, 301, 203},
    {"attrib_stack_enable", draw_attrib_stack, GL_ENABLE_BIT | GL_TRANSFORM_BIT, 301, 203},
    {"attrib_stack_current", draw_attrib_stack, GL_CURRENT_BIT | GL_LINE_BIT | GL_TRANSFORM_BIT, 301, 203},
    {"attrib_stack_color", draw_attrib_stack, GL_COLOR_BUFFER_BIT | GL_POINT_BIT | GL_TRANSFORM_BIT, 301, 203},
    {"stencil_sides", draw_stencil_sides, 0, 301, 203},
    {"stencil_sides_s", draw_stencil_sides, 0, 301, 203, STENCIL},
    {"provoking_first", draw_provoking, GL_FIRST_VERTEX_CONVENTION, 301, 203},
    {"provoking_last", draw_provoking, GL_LAST_VERTEX_CONVENTION, 301, 203},
    {"distant_points", draw_distant_points, 0, 301, 203},
};
const SceneList further_list = {scenes, LENGTH(scenes)};
