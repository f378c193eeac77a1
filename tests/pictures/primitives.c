/* SPDX-License-Identifier: MIT */
/* Filled primitives: every mode with every count, fill rule, sizes from specks to larger than the window. */
#include "scenes.h"

/* Vertices of cell n in an order that suits the mode: along a zigzag (strips) or around a circle. */
static void vertex_of(int mode, int i, int n)
{
    int zigzag = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP || mode == GL_TRIANGLES;
    float x = 0.9f * cosf(2 * M_PI * i / n), y = 0.85f * sinf(2 * M_PI * i / n);
    if (mode == GL_QUADS) /* a plane of colours: along which diagonal a quad is split is the driver's choice */
        glColor3f(0.5f + 0.5f * x, 0.5f + 0.5f * y, 0.5f);
    else
        hue(i / 7.0f);
    if (zigzag)
        glVertex2f(-0.9f + 1.8f * (i / 2) / 7.0f + (i & 1) * 0.05f, i & 1 ? 0.8f : -0.75f);
    else if (mode == GL_TRIANGLE_FAN && i == 0)
        glVertex2f(0.03f, -0.02f);
    else
        glVertex2f(x, y);
}

/* Counts 0 to 15, the incomplete ones among them, sixteen cells. */
static void draw_mode(int mode, int shade)
{
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glShadeModel(shade);
    glLineWidth(1);
    glPointSize(5);
    for (int n = 0; n < 16; n++) {
        cell(n, 4, 4);
        glBegin(mode);
        for (int i = 0; i < n; i++)
            vertex_of(mode, i, n);
        glEnd();
    }
    whole();
}

static void draw_smooth(int mode)
{
    draw_mode(mode, GL_SMOOTH);
}

static void draw_flat(int mode)
{
    draw_mode(mode, GL_FLAT);
}

/* Edges exactly on pixel centres (offset 5 tenths), on pixel edges (0) and between. */
static void draw_fill_rule(int tenths)
{
    float o = tenths / 10.0f;
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 12; x++) {
            float x0 = 8 + x * 20 + o, y0 = 8 + y * 16 + o, w = 1 + x, h = 1 + y;
            glColor3f(0.25f, 0.25f, 0.25f);
            bar(x0, y0, x0 + w, y0 + h, 0);
            glColor3f(0, 0.5f, 0);
            glBegin(GL_TRIANGLES);
            glVertex2f(x0, y0);
            glVertex2f(x0 + w, y0);
            glVertex2f(x0 + w, y0 + h);
            glColor3f(0.5f, 0, 0);
            glVertex2f(x0, y0);
            glVertex2f(x0 + w, y0 + h);
            glVertex2f(x0, y0 + h);
            glEnd();
        }
}

/* The same, the triangles turned over (clockwise), on half pixels, with 45 degree edges. */
static void draw_fill_diamonds(int tenths)
{
    float o = tenths / 10.0f;
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glColor3f(0.25f, 0.5f, 0.125f);
    for (int i = 0; i < 80; i++) {
        float x = 20 + (i % 10) * 24 + o, y = 16 + (i / 10) * 24 + o, r = 1 + i / 8;
        const float around[4][2] = {{-r, 0}, {0, r}, {r, 0}, {0, -r}};
        glBegin(GL_TRIANGLES);
        for (int k = 0; k < 4; k++) {
            int next = i & 1 ? (k + 1) % 4 : (k + 3) % 4;
            glVertex2f(x, y);
            glVertex2f(x + around[k][0], y + around[k][1]);
            glVertex2f(x + around[next][0], y + around[next][1]);
        }
        glEnd();
    }
}

static Vec3 mesh_point(int x, int y, int n, float jitter)
{
    float inside = x > 0 && y > 0 && x < n && y < n ? jitter : 0;
    Vec3 p = {(x + inside * between(-0.24f, 0.24f)) * W / n, (y + inside * between(-0.24f, 0.24f)) * H / n, 0};
    return p;
}

/* A mesh without T-junctions, added up: every pixel must be touched exactly once. */
static void draw_mesh_add(int n)
{
    Vec3 *points = malloc(sizeof(Vec3) * (n + 1) * (n + 1));
    for (int i = 0; i < (n + 1) * (n + 1); i++)
        points[i] = mesh_point(i % (n + 1), i / (n + 1), n, 1);
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glColor3f(0.2f, 0.4f, 0.6f);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < n * n; i++) {
        int a = i / n * (n + 1) + i % n, b = a + 1, c = a + n + 1, d = c + 1;
        const int split[2][6] = {{a, b, d, a, d, c}, {a, b, c, b, c, d}};
        for (int k = 0; k < 6; k++)
            glVertex3fv(&points[split[i & 1][k]].x);
    }
    glEnd();
    free(points);
}

/* The window covered once by a fan around a point inside, as fan, polygon, strip or quads. */
static void draw_cover_add(int mode)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glColor3f(0.2f, 0.4f, 0.6f);
    glBegin(mode);
    if (mode == GL_TRIANGLE_FAN)
        glVertex2f(W * 0.37f, H * 0.61f);
    for (int i = 0; i <= 60; i++) {
        float t = i / 60.0f, a = 2 * M_PI * t;
        if (mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP) {
            glVertex2f(t * W, 0);
            glVertex2f(t * W + 11 * sinf(9 * t), H);
        } else {
            glVertex2f(W / 2.0f + W * 0.7f * cosf(a), H / 2.0f + H * 0.8f * sinf(a));
        }
    }
    glEnd();
}

static void draw_slivers(int count)
{
    clear_all(0, 0, 0, 1);
    pixels();
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < count; i++) {
        float a = 2 * M_PI * i / count, b = a + 0.012f, r = 0.48f * (W < H ? W : H);
        hue(i * 0.37f);
        glVertex2f(W / 2.0f + 20 * cosf(a), H / 2.0f + 20 * sinf(a));
        glVertex2f(W / 2.0f + r * cosf(a), H / 2.0f + r * sinf(a));
        glVertex2f(W / 2.0f + r * cosf(b), H / 2.0f + r * sinf(b));
    }
    glEnd();
}

/* Random triangles of a typical size in hundredths of a pixel. */
static void draw_random(int hundredths)
{
    float size = hundredths / 100.0f;
    int count = hundredths < 300 ? 30000 : hundredths < 3000 ? 4000 : 300;
    clear_all(0.2f, 0.2f, 0.2f, 1);
    pixels();
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < count; i++) {
        float x = between(0, W), y = between(0, H);
        hue(noise());
        for (int k = 0; k < 3; k++)
            glVertex2f(x + between(-size, size), y + between(-size, size));
    }
    glEnd();
}

/* Far larger than the window: vertices beyond the guard band, colours still right where seen. */
static void draw_huge(int scale)
{
    float s = scale;
    clear_all(0, 0, 0, 1);
    unit_square();
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0), glVertex2f(-s, -s);
    glColor3f(0, 1, 0), glVertex2f(s, -s * 0.7f);
    glColor3f(0, 0, 1), glVertex2f(0.3f, s);
    glColor3f(1, 1, 1), glVertex2f(-0.2f, -0.3f);
    glColor3f(0, 0, 0), glVertex2f(s, s * 0.5f);
    glColor3f(1, 0, 1), glVertex2f(s * 0.5f, s);
    glEnd();
    glColor3f(1, 1, 0);
    bar(-s, -0.05f, s, 0.05f, 0);
    bar(0.45f, -s, 0.55f, s, 0);
}

/* A lit landscape of 100,000 triangles. */
static void draw_big_mesh(int n)
{
    clear_all(0.3f, 0.4f, 0.6f, 1);
    perspective(45, 1, 20);
    glTranslatef(0, -0.6f, -4);
    glRotatef(25, 1, 0, 0);
    glRotatef(30, 0, 1, 0);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    for (int j = 0; j < n; j++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int i = 0; i <= 2 * n + 1; i++) {
            float x = (i / 2) * 4.0f / n - 2, z = (j + (i & 1)) * 4.0f / n - 2;
            float y = 0.2f * sinf(5 * x) * cosf(4 * z);
            glColor3f(0.5f + y, 0.6f, 0.4f - y);
            glNormal3f(-cosf(5 * x) * cosf(4 * z), 1, 0.8f * sinf(5 * x) * sinf(4 * z));
            glVertex3f(x, y, z);
        }
        glEnd();
    }
}

static void draw_rects(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    for (int i = 0; i < 40; i++) {
        GLint corner[4] = {7 * i, 3 * i, 7 * i + 40, 3 * i + 25};
        const GLshort a[2] = {corner[0], corner[1] + 60}, b[2] = {corner[2], corner[1] + 66};
        hue(i / 40.0f);
        if (i % 4 == 0)
            glRectf(corner[0] + 0.5f, corner[1], corner[2], corner[3] + 0.25f);
        else if (i % 4 == 1)
            glRecti(corner[2], corner[3], corner[0], corner[1]);
        else if (i % 4 == 2)
            glRectsv(a, b);
        else
            glRectd(corner[0], corner[3], corner[2], corner[1]);
    }
}

/* Front and back of the same shapes with each cull face and winding. */
static void draw_cull(int unused)
{
    static const GLenum faces[] = {GL_FRONT, GL_BACK, GL_FRONT_AND_BACK, 0};
    (void) unused;
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    for (int i = 0; i < 16; i++) {
        cell(i, 4, 4);
        if (faces[i % 4]) {
            glEnable(GL_CULL_FACE);
            glCullFace(faces[i % 4]);
        } else
            glDisable(GL_CULL_FACE);
        glFrontFace(i & 4 ? GL_CW : GL_CCW);
        glLoadIdentity();
        if (i & 8)
            glScalef(-1, 1, 1);
        glBegin(GL_TRIANGLE_STRIP);
        for (int k = 0; k < 8; k++) {
            hue(k / 8.0f);
            glVertex2f(-0.9f + k * 0.25f, k & 1 ? 0.9f : 0.1f);
        }
        glEnd();
        glColor3f(1, 1, 0), bar(-0.9f, -0.9f, -0.1f, -0.1f, 0);
        glColor3f(0, 1, 1), bar(0.9f, -0.9f, 0.1f, -0.1f, 0);
        glPointSize(4);
        glBegin(GL_LINES);
        glVertex2f(-0.9f, 0), glVertex2f(0.9f, 0);
        glEnd();
    }
    whole();
}

/* Polygons as lines and points, front and back, with edge flags and offset. */
static void draw_polygon_mode(int unused)
{
    static const GLenum modes[] = {GL_FILL, GL_LINE, GL_POINT};
    (void) unused;
    clear_all(0.1f, 0.1f, 0.1f, 1);
    unit_square();
    glPointSize(3);
    for (int i = 0; i < 9; i++) {
        cell(i, 3, 3);
        glPolygonMode(GL_FRONT, modes[i % 3]);
        glPolygonMode(GL_BACK, modes[i / 3]);
        for (int k = 0; k < 2; k++) {
            glBegin(k ? GL_POLYGON : GL_TRIANGLE_FAN);
            for (int v = 0; v < 7; v++) {
                float a = (k ? -2 : 2) * M_PI * v / 7;
                hue(v / 7.0f);
                glEdgeFlag(!k || v != 3); /* AVOIDS(edge_flags_of_strips): of fans GL ignores it, the peer does not */
                glVertex2f((k ? 0.5f : -0.5f) + 0.45f * cosf(a), 0.8f * sinf(a));
            }
            glEnd();
        }
    }
    whole();
}

#define MODES(name, draw)                                                                        \
    {name "_points", draw, GL_POINTS, 301, 203}, {name "_lines", draw, GL_LINES, 301, 203},      \
    {name "_line_loop", draw, GL_LINE_LOOP, 301, 203},                                           \
    {name "_line_strip", draw, GL_LINE_STRIP, 301, 203},                                         \
    {name "_triangles", draw, GL_TRIANGLES, 301, 203},                                           \
    {name "_triangle_strip", draw, GL_TRIANGLE_STRIP, 301, 203},                                 \
    {name "_triangle_fan", draw, GL_TRIANGLE_FAN, 301, 203},                                     \
    {name "_quads", draw, GL_QUADS, 301, 203}, {name "_quad_strip", draw, GL_QUAD_STRIP, 301, 203}, \
    {name "_polygon", draw, GL_POLYGON, 301, 203}

static const Scene scenes[] = {
    MODES("smooth", draw_smooth), MODES("flat", draw_flat),
    {"fill_edges", draw_fill_rule, 0, 256, 207},
    {"fill_centres", draw_fill_rule, 5, 256, 207},
    {"fill_quarters", draw_fill_rule, 3, 255, 206},
    {"fill_diamonds_edges", draw_fill_diamonds, 0, 261, 219},
    {"fill_diamonds_centres", draw_fill_diamonds, 5, 261, 219},
    {"mesh_add_7", draw_mesh_add, 7, 301, 203},
    {"mesh_add_40", draw_mesh_add, 40, 299, 301},
    {"mesh_add_150", draw_mesh_add, 150, 317, 211},
    {"cover_add_fan", draw_cover_add, GL_TRIANGLE_FAN, 301, 203},
    {"cover_add_polygon", draw_cover_add, GL_POLYGON, 301, 203},
    {"cover_add_strip", draw_cover_add, GL_TRIANGLE_STRIP, 301, 203},
    {"cover_add_quad_strip", draw_cover_add, GL_QUAD_STRIP, 301, 203},
    {"slivers", draw_slivers, 150, 301, 303},
    {"random_specks", draw_random, 50, 301, 203},
    {"random_small", draw_random, 200, 301, 203},
    {"random_mid", draw_random, 1500, 301, 203},
    {"random_large", draw_random, 20000, 301, 203},
    {"huge_10", draw_huge, 10, 301, 203},
    {"huge_1000", draw_huge, 1000, 301, 203},
    {"huge_100000", draw_huge, 100000, 301, 203},
    {"big_mesh", draw_big_mesh, 224, 401, 303},
    {"rects", draw_rects, 0, 341, 203},
    {"cull", draw_cull, 0, 301, 203},
    {"polygon_mode", draw_polygon_mode, 0, 301, 203},
};
const SceneList primitive_list = {scenes, LENGTH(scenes)};
