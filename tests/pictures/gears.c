/* SPDX-License-Identifier: MIT */
/* Three gears as glxgears has them (the same measures), at fixed angles. */
#include "scenes.h"

typedef struct {
    float inner, outer, width;
    int teeth;
    float depth;
    float color[4];
    float x, y, speed, phase;
} Gear;

static const Gear gears[] = {
    {1.0f, 4.0f, 1.0f, 20, 0.7f, {0.8f, 0.1f, 0.0f, 1}, -3.0f, -2.0f, 1, 0},
    {0.5f, 2.0f, 2.0f, 10, 0.7f, {0.0f, 0.8f, 0.2f, 1}, 3.1f, -2.0f, -2, -9},
    {1.3f, 2.0f, 0.5f, 10, 0.7f, {0.2f, 0.2f, 1.0f, 1}, -3.1f, 4.2f, -2, -25},
};

static void at(float radius, double angle, float z)
{
    glVertex3f(radius * cos(angle), radius * sin(angle), z);
}

/* The disc's front (side 1) or back (side -1): a strip from the hole to the root, and the teeth's faces. */
static void gear_face(const Gear *g, int side)
{
    float root = g->outer - g->depth / 2, tip = g->outer + g->depth / 2, z = side * g->width / 2;
    double step = 2 * M_PI / g->teeth / 4;
    glNormal3f(0, 0, side);
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i <= g->teeth; i++) {
        double a = i * 2 * M_PI / g->teeth;
        at(side > 0 ? g->inner : root, a, z);
        at(side > 0 ? root : g->inner, a, z);
        if (i == g->teeth && side > 0)
            break;
        at(side > 0 ? g->inner : root, side > 0 ? a : a + 3 * step, z);
        at(side > 0 ? root : g->inner, side > 0 ? a + 3 * step : a, z);
    }
    glEnd();
    glBegin(GL_QUADS);
    for (int i = 0; i < g->teeth; i++) {
        double a = i * 2 * M_PI / g->teeth;
        at(root, side > 0 ? a : a + 3 * step, z);
        at(tip, side > 0 ? a + step : a + 2 * step, z);
        at(tip, side > 0 ? a + 2 * step : a + step, z);
        at(root, side > 0 ? a + 3 * step : a, z);
    }
    glEnd();
}

static void gear_rim(const Gear *g)
{
    float root = g->outer - g->depth / 2, tip = g->outer + g->depth / 2, z = g->width / 2;
    double step = 2 * M_PI / g->teeth / 4;
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i < g->teeth; i++) {
        double a = i * 2 * M_PI / g->teeth;
        float u = tip * cos(a + step) - root * cos(a), v = tip * sin(a + step) - root * sin(a);
        float length = sqrtf(u * u + v * v);
        at(root, a, z), at(root, a, -z);
        glNormal3f(v / length, -u / length, 0);
        at(tip, a + step, z), at(tip, a + step, -z);
        glNormal3f(cos(a), sin(a), 0);
        at(tip, a + 2 * step, z), at(tip, a + 2 * step, -z);
        u = root * cos(a + 3 * step) - tip * cos(a + 2 * step);
        v = root * sin(a + 3 * step) - tip * sin(a + 2 * step);
        glNormal3f(v, -u, 0);
        at(root, a + 3 * step, z), at(root, a + 3 * step, -z);
        glNormal3f(cos(a), sin(a), 0);
    }
    at(root, 0, z), at(root, 0, -z);
    glEnd();
}

static void gear_bore(const Gear *g)
{
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i <= g->teeth; i++) {
        double a = i * 2 * M_PI / g->teeth;
        glNormal3f(-cos(a), -sin(a), 0);
        at(g->inner, a, -g->width / 2);
        at(g->inner, a, g->width / 2);
    }
    glEnd();
}

static void gear(const Gear *g)
{
    glShadeModel(GL_FLAT);
    gear_face(g, 1);
    gear_face(g, -1);
    gear_rim(g);
    glShadeModel(GL_SMOOTH);
    gear_bore(g);
}

static void set_up(GLuint lists)
{
    static const float light[4] = {5, 5, 10, 0};
    glLightfv(GL_LIGHT0, GL_POSITION, light);
    glEnable(GL_CULL_FACE);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 3; i++) {
        glNewList(lists + i, GL_COMPILE);
        glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, gears[i].color);
        gear(&gears[i]);
        glEndList();
    }
    glEnable(GL_NORMALIZE);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-1, 1, -(double) H / W, (double) H / W, 5, 60);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -40);
}

static void frame(GLuint lists, float angle)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glPushMatrix();
    glRotatef(20, 1, 0, 0);
    glRotatef(30, 0, 1, 0);
    for (int i = 0; i < 3; i++) {
        glPushMatrix();
        glTranslatef(gears[i].x, gears[i].y, 0);
        glRotatef(gears[i].speed * angle + gears[i].phase, 0, 0, 1);
        glCallList(lists + i);
        glPopMatrix();
    }
    glPopMatrix();
}

static void draw_gears(int angle)
{
    GLuint lists = glGenLists(3);
    set_up(lists);
    frame(lists, angle);
}

/* The picture after some frames: what swaps leave behind must not show. */
static void draw_frames(int frames)
{
    GLuint lists = glGenLists(3);
    set_up(lists);
    for (int i = 0; i < frames; i++) {
        frame(lists, 7.5f * i);
        present();
    }
    frame(lists, 100);
}

static const Scene scenes[] = {
    {"gears_0", draw_gears, 0, 300, 300},       {"gears_10", draw_gears, 10, 300, 300},
    {"gears_33", draw_gears, 33, 301, 203},     {"gears_75", draw_gears, 75, 512, 512},
    {"gears_140", draw_gears, 140, 1000, 700},  {"gears_221", draw_gears, 221, 67, 45},
    {"gears_frames", draw_frames, 9, 300, 300},
};
const SceneList gears_list = {scenes, LENGTH(scenes)};
