/* SPDX-License-Identifier: MIT */
/* Evaluators: curves and surfaces of all orders, every kind of map, meshes in each mode, automatic normals, lists. */
#include "scenes.h"

static GLfloat grid3[8][8][3], grid4[8][8][4], color[4][5][4], normal[3][3][3];

static void control_points(void)
{
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++) {
            grid3[j][i][0] = -0.9f + 1.8f * i / 7;
            grid3[j][i][1] = -0.9f + 1.8f * j / 7;
            grid3[j][i][2] = between(-0.7f, 0.7f);
            for (int c = 0; c < 3; c++)
                grid4[j][i][c] = grid3[j][i][c];
            grid4[j][i][3] = between(0.7f, 1.4f);
        }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 5; i++)
            for (int c = 0; c < 4; c++)
                color[j][i][c] = noise();
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            normal[j][i][0] = i - 1.0f, normal[j][i][1] = j - 1.0f, normal[j][i][2] = 1.5f;
        }
}

static void lit(void)
{
    static const GLfloat place[] = {0.4f, 0.6f, 1, 0}, shiny[] = {0.8f, 0.8f, 0.6f, 1};
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glLightfv(GL_LIGHT0, GL_POSITION, place);
    glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, shiny);
    glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 20);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    glEnable(GL_NORMALIZE);
}

enum { FILL, LINE, POINT, AUTO, AUTO_W, COLORS, NORMALS, CURVES, COORDS, PART, LIST, ORDERS, DOUBLES, STRIDES,
       FLIPPED, MIRRORED };

static void draw_curves(void)
{
    glMap1f(GL_MAP1_COLOR_4, 0, 1, 4, 5, &color[0][0][0]);
    glEnable(GL_MAP1_COLOR_4);
    glEnable(GL_MAP1_VERTEX_3);
    for (int order = 1; order <= 8; order++) {
        glMap1f(GL_MAP1_VERTEX_3, 0, 1, 3, order, &grid3[order - 1][0][0]);
        glMapGrid1f(10 + 3 * order, 0, 1);
        glEvalMesh1(GL_LINE, 0, 10 + 3 * order);
        glTranslatef(0, 0.1f, 0);
        glPointSize(3);
        glEvalMesh1(GL_POINT, 3, 9 + 3 * order);
        glTranslatef(0, -0.1f, 0);
    }
}

static void draw_coords(void)
{
    glMap2f(GL_MAP2_VERTEX_3, -1, 1, 3, 8, 2, 5, 24, 8, &grid3[0][0][0]);
    glMap2f(GL_MAP2_COLOR_4, -1, 1, 4, 5, 2, 5, 20, 4, &color[0][0][0]);
    glEnable(GL_MAP2_VERTEX_3);
    glEnable(GL_MAP2_COLOR_4);
    glColor4f(1, 1, 1, 1); /* AVOIDS(alpha_of_three): the peer forgets alpha if three numbers were given */
    glPointSize(4);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 60; i++) {
        glEvalCoord2f(between(-1, 1), between(2, 5));
        if (i % 7 == 0)
            glVertex3f(between(-1, 1), between(-1, 1), 0);
    }
    glEnd();
    glMapGrid2d(5, -1, 1, 4, 2, 5);
    glBegin(GL_POINTS);
    for (int i = 0; i <= 5; i++)
        for (int j = 0; j <= 4; j++)
            glEvalPoint2(i, j);
    glEnd();
}

static void draw_evaluated(int what)
{
    static const GLenum modes[] = {GL_FILL, GL_LINE, GL_POINT};
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    control_points();
    glEnable(GL_DEPTH_TEST);
    glRotatef(20, 1, 0.3f, 0.1f);
    if (what == CURVES || what == COORDS) {
        what == CURVES ? draw_curves() : draw_coords();
        return;
    }
    glEnable(GL_MAP2_VERTEX_3);
    glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 8, 0, 1, 24, 8, &grid3[0][0][0]);
    glMapGrid2f(14, 0, 1, 11, 0, 1);
    if (what == AUTO_W) {
        glEnable(GL_MAP2_VERTEX_4);
        glMap2f(GL_MAP2_VERTEX_4, 0, 1, 4, 8, 0, 1, 32, 8, &grid4[0][0][0]);
    }
    if (what == AUTO || what == AUTO_W || what == FLIPPED || what == MIRRORED || what == ORDERS || what == LIST || what == PART) {
        glEnable(GL_AUTO_NORMAL);
        lit();
    }
    if (what == NORMALS) {
        lit();
        glEnable(GL_MAP2_NORMAL);
        glMap2f(GL_MAP2_NORMAL, 0, 1, 3, 3, 0, 1, 9, 3, &normal[0][0][0]);
    }
    if (what <= POINT || what == COLORS || what == DOUBLES) {
        glEnable(GL_MAP2_COLOR_4);
        glMap2f(GL_MAP2_COLOR_4, 0, 1, 4, 5, 0, 1, 20, 4, &color[0][0][0]);
    }
    if (what == FLIPPED) {
        glMap2f(GL_MAP2_VERTEX_3, 1, 0, 3, 8, 0, 1, 24, 8, &grid3[0][0][0]);
    }
    if (what == MIRRORED) { /* the same surface as FLIPPED: the points the other way round instead of the domain */
        static GLfloat mirrored[8][8][3];
        for (int i = 0; i < 64; i++)
            memcpy(mirrored[i / 8][7 - i % 8], grid3[i / 8][i % 8], sizeof grid3[0][0]);
        glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 8, 0, 1, 24, 8, &mirrored[0][0][0]);
    }
    if (what == DOUBLES) {
        GLdouble points[4][4][3];
        for (int i = 0; i < 48; i++)
            (&points[0][0][0])[i] = i % 3 == 2 ? between(-0.6f, 0.6f) : -0.8 + 0.5 * (i % 3 ? i / 12 : i / 3 % 4);
        glMap2d(GL_MAP2_VERTEX_3, 0, 1, 3, 4, 0, 1, 12, 4, &points[0][0][0]);
    }
    if (what == STRIDES) { /* columns as rows */
        glMap2f(GL_MAP2_VERTEX_3, 0, 1, 24, 8, 0, 1, 3, 8, &grid3[0][0][0]);
        glColor3f(0.3f, 0.8f, 0.5f);
        glEvalMesh2(GL_LINE, 0, 14, 0, 11);
        return;
    }
    if (what == ORDERS) {
        for (int u = 1; u <= 4; u++)
            for (int v = 1; v <= 3; v++) {
                cell(u - 1 + 4 * (v - 1), 4, 3);
                glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 2 * u, 0, 1, 24, 2 * v + 1, &grid3[0][0][0]);
                glEvalMesh2(GL_FILL, 0, 14, 0, 11);
            }
        whole();
        return;
    }
    if (what == PART) {
        glEvalMesh2(GL_FILL, 2, 9, -1, 5);
        glEvalMesh2(GL_LINE, 9, 14, 5, 11);
        return;
    }
    if (what == LIST) {
        GLuint list = glGenLists(1);
        glNewList(list, GL_COMPILE);
        glEvalMesh2(GL_FILL, 0, 14, 0, 11);
        glEndList();
        glCallList(list);
        glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 3, 0, 1, 24, 3, &grid3[0][0][0]);
        glCallList(list);
        return;
    }
    glPointSize(3);
    glEvalMesh2(modes[what <= POINT ? what : 0], 0, 14, 0, 11);
}

#define E(name, what) {"eval_" name, draw_evaluated, what, 203, 151, COLOR}
static const Scene scenes[] = {
    E("fill", FILL), E("line", LINE), E("point", POINT), E("auto_normal", AUTO), E("auto_normal_w", AUTO_W),
    E("colors", COLORS), E("normals", NORMALS), E("curves", CURVES), E("coords", COORDS), E("part", PART),
    E("list", LIST), E("orders", ORDERS), E("doubles", DOUBLES), E("strides", STRIDES), E("flipped", FLIPPED), E("mirrored", MIRRORED),
};
const SceneList evaluate_list = {scenes, LENGTH(scenes)};
