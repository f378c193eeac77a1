/* SPDX-License-Identifier: MIT */
/* Display lists: nested, called by arrays of names, with state, materials and open ends. */
#include "scenes.h"

static void triangle(float x, float y, float size)
{
    glBegin(GL_TRIANGLES);
    glVertex2f(x - size, y - size);
    glVertex2f(x + size, y - size);
    glVertex2f(x, y + size);
    glEnd();
}

static void square(void)
{
    glBegin(GL_QUADS);
    hue(0.1f), glVertex2f(-0.1f, -0.1f);
    hue(0.4f), glVertex2f(0.1f, -0.1f);
    hue(0.6f), glVertex2f(0.1f, 0.1f);
    hue(0.9f), glVertex2f(-0.1f, 0.1f);
    glEnd();
}

static void start(void)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
}

/* A tree: each list calls the one below it twice, turned and smaller. */
static void draw_nested(int depth)
{
    GLuint base = glGenLists(depth + 1);
    start();
    glNewList(base, GL_COMPILE);
    triangle(0, 0, 0.1f);
    glEndList();
    for (int i = 1; i <= depth; i++) {
        glNewList(base + i, GL_COMPILE);
        glColor3f(0.15f * i, 1 - 0.1f * i, 0.3f);
        for (int side = -1; side <= 1; side += 2) {
            glPushMatrix();
            glTranslatef(side * 0.06f * i, 0.04f * i, 0);
            glRotatef(side * 25, 0, 0, 1);
            glScalef(0.9f, 0.9f, 1);
            glCallList(base + i - 1);
            glPopMatrix();
        }
        glEndList();
    }
    glTranslatef(0, -0.5f, 0);
    glCallList(base + depth);
    glDeleteLists(base, depth + 1);
}

/* glCallLists with names of every type. */
static void draw_call_lists(int unused)
{
    const GLbyte bytes[] = {0, 1, 2, 3, 4};
    const GLubyte ubytes[] = {4, 3, 2, 1, 0};
    const GLshort shorts[] = {0, 2, 4, -7};
    const GLushort ushorts[] = {1, 3, 5};
    const GLint ints[] = {5, 0, 1};
    const GLuint uints[] = {2, 3, 6};
    const GLfloat floats[] = {0.2f, 1.9f, 3.0f};
    const GLubyte two[] = {0, 1, 0, 4}, three[] = {0, 0, 2, 0, 0, 3}, four[] = {0, 0, 0, 5, 0, 0, 0, 0};
    const struct { GLsizei count; GLenum type; const void *names; } calls[] = {
        {5, GL_BYTE, bytes}, {5, GL_UNSIGNED_BYTE, ubytes}, {4, GL_SHORT, shorts}, {3, GL_UNSIGNED_SHORT, ushorts},
        {3, GL_INT, ints}, {3, GL_UNSIGNED_INT, uints}, {3, GL_FLOAT, floats}, {2, GL_2_BYTES, two},
        {2, GL_3_BYTES, three}, {2, GL_4_BYTES, four},
    };
    GLuint base = glGenLists(7), all = glGenLists(1);
    (void) unused;
    start();
    for (int i = 0; i < 6; i++) {
        glNewList(base + i, GL_COMPILE);
        hue(i / 6.0f);
        triangle(0, 0, 0.08f);
        glTranslatef(0.3f, 0.01f * i, 0);
        glEndList();
    }
    glListBase(base);
    glNewList(all, GL_COMPILE);
    for (int i = 0; i < LENGTH(calls); i++) {
        glLoadIdentity();
        glTranslatef(-0.8f, -0.9f + 0.19f * i, 0);
        glCallLists(calls[i].count, calls[i].type, calls[i].names);
    }
    glEndList();
    glCallList(all);
    glListBase(base + 1);
    glTranslatef(0.1f, 0, 0);
    glCallLists(2, GL_UNSIGNED_BYTE, ubytes + 2);
}

static void draw_compile_execute(int unused)
{
    GLuint list = glGenLists(2);
    (void) unused;
    start();
    for (int i = 0; i < 3; i++) {
        glLoadIdentity();
        glTranslatef(-0.6f + 0.6f * i, 0.5f, 0);
        glNewList(list, GL_COMPILE_AND_EXECUTE);
        glScalef(1 + 0.2f * i, 1, 1);
        square();
        glColor3f(1, 1, 0);
        triangle(0, 0.2f, 0.1f);
        glEndList();
        glTranslatef(0, -0.5f, 0);
        glCallList(list);
        triangle(0, -0.4f, 0.1f);
    }
}

/* Enables, blending, matrices and shade model change inside lists and stay changed. */
static void draw_state(int unused)
{
    GLuint list = glGenLists(4);
    (void) unused;
    start();
    glNewList(list, GL_COMPILE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE);
    glColor4f(0.4f, 0.6f, 0.9f, 0.5f);
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    triangle(-0.3f, 0, 0.4f);
    glDisable(GL_BLEND);
    glShadeModel(GL_FLAT);
    square();
    glShadeModel(GL_SMOOTH);
    glMatrixMode(GL_PROJECTION);
    glScalef(0.9f, 0.9f, 1);
    glMatrixMode(GL_MODELVIEW);
    glRotatef(25, 0, 0, 1);
    square();
    glEndList();
    glNewList(list + 2, GL_COMPILE);
    glViewport(0, 0, W / 2, H / 2);
    glScissor(0, 0, W / 3, H / 3);
    glEnable(GL_SCISSOR_TEST);
    glClearColor(0, 0.3f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glCallList(list + 1);
    glDisable(GL_SCISSOR_TEST);
    glEndList();
    for (int i = 0; i < 5; i++) {
        glCallList(list);
        glCallList(list + 1);
        glTranslatef(0.25f, 0.1f, 0);
    }
    glCallList(list + 2);
    glCallList(list);
    triangle(0.5f, 0.5f, 0.3f);
}

static void draw_materials(int execute)
{
    GLuint list = glGenLists(6);
    const float position[4] = {1, 1, 2, 0};
    clear_all(0.1f, 0.1f, 0.1f, 1);
    perspective(40, 1, 30);
    glTranslatef(0, 0, -5);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    for (int i = 0; i < 6; i++) {
        const float color[4] = {0.2f * i, 1 - 0.15f * i, 0.5f, 1}, specular[4] = {1, 1, 1, 1};
        glPushMatrix();
        glNewList(list + i, execute ? GL_COMPILE_AND_EXECUTE : GL_COMPILE);
        glLightfv(GL_LIGHT0, GL_POSITION, position);
        glMaterialfv(GL_FRONT, i & 1 ? GL_AMBIENT_AND_DIFFUSE : GL_DIFFUSE, color);
        glMaterialf(GL_FRONT, GL_SHININESS, 10 * i);
        glMaterialfv(GL_FRONT, GL_SPECULAR, specular);
        glTranslatef(-2 + (i % 3) * 2, i / 3 * 1.6f - 0.8f, 0);
        sphere(14, 10);
        glEndList();
        glPopMatrix();
    }
    for (int i = 0; i < 6 && !execute; i++) {
        glPushMatrix();
        glCallList(list + i);
        glPopMatrix();
    }
}

/* Colours and normals that are set for the first time in the middle of a list's primitive. */
static void draw_late_attributes(int unused)
{
    GLuint list = glGenLists(3);
    (void) unused;
    start();
    glNewList(list, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 9; i++) {
        if (i == 4)
            glColor3f(1, 0, 0);
        if (i == 6)
            glColor4f(0, 1, 1, 0.5f);
        glVertex2f(-0.6f + 0.15f * i, (i % 3) * 0.2f - 0.2f);
    }
    glEnd();
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glBegin(GL_QUADS);
    glVertex2f(-0.2f, -0.1f), glVertex2f(0, -0.1f);
    glNormal3f(0, 1, 0);
    glVertex3f(0, 0.1f, 0.2f), glVertex4f(-0.2f, 0.1f, 0, 1);
    glEnd();
    glEndList();
    for (int i = 0; i < 4; i++) {
        hue(i / 4.0f);
        glLoadIdentity();
        glTranslatef(0, -0.7f + 0.45f * i, 0);
        glCallList(list);
        glTranslatef(0.9f, 0, 0);
        if (i != 2)
            glColor3f(1, 1, 0);
        glCallList(list + 1);
        glTranslatef(-1.6f, 0, 0);
        triangle(0, 0, 0.1f);
    }
}

/* Lists of vertices alone between glBegin and glEnd outside; an empty list; a list that ends a colour. */
static void draw_inside_begin(int unused)
{
    GLuint list = glGenLists(4);
    (void) unused;
    start();
    for (int k = 0; k < 3; k++) {
        glNewList(list + k, GL_COMPILE);
        for (int i = 0; i < 3; i++) {
            if (k)
                hue(0.3f * k + 0.2f * i);
            glVertex2f(-0.8f + 0.5f * k + 0.2f * i, i & 1 ? 0.5f : -0.5f + 0.1f * k);
        }
        if (k == 2)
            glColor3f(1, 1, 1);
        glEndList();
    }
    glColor3f(0.2f, 0.9f, 0.2f);
    glBegin(GL_TRIANGLE_STRIP);
    glCallList(list);
    glVertex2f(-0.5f, 0.7f);
    glCallList(list + 1);
    glCallList(list + 3);
    glCallList(list + 2);
    glVertex2f(0.9f, 0.9f);
    glEnd();
    triangle(0.7f, -0.7f, 0.2f);
}

/* A list is replaced while another one calls it; arrays are taken when the list is made. */
static void draw_replaced(int unused)
{
    float positions[] = {-0.1f, -0.1f, 0.1f, -0.1f, 0.1f, 0.1f, -0.1f, 0.1f};
    GLubyte colors[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0}, indices[] = {0, 1, 2, 0, 2, 3};
    GLuint list = glGenLists(3);
    (void) unused;
    start();
    glVertexPointer(2, GL_FLOAT, 0, positions);
    glColorPointer(3, GL_UNSIGNED_BYTE, 0, colors);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glNewList(list + 1, GL_COMPILE);
    glCallList(list);
    glTranslatef(0.3f, 0, 0);
    glEndList();
    for (int i = 0; i < 4; i++) {
        glNewList(list, GL_COMPILE);
        if (i & 1)
            glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, indices);
        else
            glDrawArrays(GL_QUADS, 0, 4);
        glEndList();
        for (int k = 0; k < 8; k++)
            positions[k] *= 1.3f;
        colors[i] ^= 128;
        glLoadIdentity();
        glTranslatef(-0.5f, -0.6f + 0.4f * i, 0);
        glCallList(list + 1);
        glCallList(list + 1);
    }
    glDeleteLists(list, 1);
    glCallList(list + 1);
    square();
}

/* Rectangles, flat strips and many small primitives in one list, drawn often. */
static void draw_mixed(int unused)
{
    GLuint list = glGenLists(1);
    (void) unused;
    start();
    glShadeModel(GL_FLAT);
    glNewList(list, GL_COMPILE);
    for (int mode = GL_POINTS; mode <= GL_POLYGON; mode++) {
        glBegin(mode);
        for (int i = 0; i < 7; i++) {
            hue(i / 7.0f + mode * 0.1f);
            glVertex2f(-0.95f + mode * 0.19f + 0.02f * i, i & 1 ? 0.1f : -0.1f);
        }
        glEnd();
    }
    glRectf(-0.1f, 0.15f, 0.1f, 0.2f);
    glEndList();
    for (int i = 0; i < 4; i++) {
        glLoadIdentity();
        glTranslatef(0, -0.75f + 0.45f * i, 0);
        glPointSize(1 + i);
        glLineWidth(1 + i);
        glCallList(list);
    }
}

static const Scene scenes[] = {
    {"list_nested", draw_nested, 6, 301, 203},
    {"list_call_lists", draw_call_lists, 0, 301, 203},
    {"list_compile_execute", draw_compile_execute, 0, 301, 203},
    {"list_state", draw_state, 0, 301, 203},
    {"list_materials", draw_materials, 0, 301, 203},
    {"list_materials_execute", draw_materials, 1, 301, 203},
    {"list_late_attributes", draw_late_attributes, 0, 301, 203},
    {"list_inside_begin", draw_inside_begin, 0, 301, 203},
    {"list_replaced", draw_replaced, 0, 301, 203},
    {"list_mixed", draw_mixed, 0, 301, 203},
};
const SceneList dlist_list = {scenes, LENGTH(scenes)};
