/* SPDX-License-Identifier: MIT */
/* Three turning gears for the clients of this folder, each of which opens its window another way. */
#ifndef GEARS_H
#define GEARS_H
#include <GL/gl.h>
#include <math.h>

static const struct {
    float inner, outer, width, color[4], x, y, speed, phase;
    int teeth;
} wheels[3] = {
    {1.0f, 4.0f, 1.0f, {0.8f, 0.1f, 0.0f, 1}, -3.0f, -2.0f, 1, 0, 20},
    {0.5f, 2.0f, 2.0f, {0.0f, 0.8f, 0.2f, 1}, 3.1f, -2.0f, -2, -9, 10},
    {1.3f, 2.0f, 0.5f, {0.2f, 0.2f, 1.0f, 1}, -3.1f, 4.2f, -2, -25, 10},
};
static GLuint wheel_lists;

/* The outline of a wheel has four corners a tooth: root, tip, tip, root. */
static float reach(int wheel, int corner)
{
    return wheels[wheel].outer + (corner % 4 == 1 || corner % 4 == 2 ? 0.35f : -0.35f);
}

static void wheel(int n)
{
    int corners = wheels[n].teeth * 4;
    float step = 6.2831853f / corners, z = wheels[n].width / 2, inner = wheels[n].inner;
    for (int side = -1; side <= 1; side += 2) {
        glNormal3f(0, 0, side);
        glBegin(GL_QUAD_STRIP);
        for (int i = 0; i <= corners; i++) {
            int k = side > 0 ? i : corners - i;
            float r = reach(n, k);
            glVertex3f(inner * cosf(k * step), inner * sinf(k * step), side * z);
            glVertex3f(r * cosf(k * step), r * sinf(k * step), side * z);
        }
        glEnd();
    }
    glBegin(GL_QUADS);
    for (int i = 0; i < corners; i++) {
        float a = i * step, b = a + step, r = reach(n, i), s = reach(n, i + 1);
        float x0 = r * cosf(a), y0 = r * sinf(a), x1 = s * cosf(b), y1 = s * sinf(b);
        glNormal3f(y1 - y0, x0 - x1, 0);
        glVertex3f(x0, y0, z);
        glVertex3f(x0, y0, -z);
        glVertex3f(x1, y1, -z);
        glVertex3f(x1, y1, z);
    }
    glEnd();
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i <= corners; i++) {
        float c = cosf(i * step), s = sinf(i * step);
        glNormal3f(-c, -s, 0);
        glVertex3f(inner * c, inner * s, -z);
        glVertex3f(inner * c, inner * s, z);
    }
    glEnd();
}

static void make_gears(void)
{
    static const float place[4] = {5, 5, 10, 0};
    glLightfv(GL_LIGHT0, GL_POSITION, place);
    glEnable(GL_CULL_FACE);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_NORMALIZE);
    wheel_lists = glGenLists(3);
    for (int n = 0; n < 3; n++) {
        glNewList(wheel_lists + n, GL_COMPILE);
        glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, wheels[n].color);
        wheel(n);
        glEndList();
    }
}

static void draw_gears(int width, int height, float angle)
{
    float h = (float) height / (width ? width : 1);
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-1, 1, -h, h, 5, 60);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -40);
    glClearColor(0.05f, 0.05f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glRotatef(20, 1, 0, 0);
    glRotatef(30, 0, 1, 0);
    for (int n = 0; n < 3; n++) {
        glPushMatrix();
        glTranslatef(wheels[n].x, wheels[n].y, 0);
        glRotatef(wheels[n].speed * angle + wheels[n].phase, 0, 0, 1);
        glCallList(wheel_lists + n);
        glPopMatrix();
    }
}

#endif
