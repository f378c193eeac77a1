/* SPDX-License-Identifier: MIT */
/* Vertex arrays: every type, stride and draw call, from memory and from buffer objects. */
#include "scenes.h"
#include <stdint.h>
#include <stdio.h>

enum { COUNT = 24 }; /* vertices of the strip that most scenes draw */

static void strip_position(int i, double out[4])
{
    out[0] = -11 + i;
    out[1] = i & 1 ? 8 : -8 + i % 5;
    out[2] = i % 3;
    out[3] = 1;
}

static void strip_color(int i, double out[4])
{
    out[0] = i % 4 / 3.0;
    out[1] = i * 5 % 7 / 6.0;
    out[2] = i * 3 % 5 / 4.0;
    out[3] = 1;
}

/* Store a number as a GL type; normalised types get the full range. */
static void put(uint8_t *at, GLenum type, double value, int normalized)
{
    double scaled = normalized ? value : 1, raw = normalized ? 1 : value;
    int8_t b = normalized ? scaled * 127 : raw;
    uint8_t ub = normalized ? scaled * 255 : raw;
    int16_t s = normalized ? scaled * 32767 : raw;
    uint16_t us = normalized ? scaled * 65535 : raw;
    int32_t i = normalized ? scaled * 2147483647.0 : raw;
    uint32_t ui = normalized ? scaled * 4294967295.0 : raw;
    float f = value;
    switch (type) {
    case GL_BYTE: memcpy(at, &b, 1); break;
    case GL_UNSIGNED_BYTE: memcpy(at, &ub, 1); break;
    case GL_SHORT: memcpy(at, &s, 2); break;
    case GL_UNSIGNED_SHORT: memcpy(at, &us, 2); break;
    case GL_INT: memcpy(at, &i, 4); break;
    case GL_UNSIGNED_INT: memcpy(at, &ui, 4); break;
    case GL_FLOAT: memcpy(at, &f, 4); break;
    default: memcpy(at, &value, 8); break;
    }
}

static int size_of(GLenum type)
{
    switch (type) {
    case GL_BYTE: case GL_UNSIGNED_BYTE: return 1;
    case GL_SHORT: case GL_UNSIGNED_SHORT: return 2;
    case GL_DOUBLE: return 8;
    default: return 4;
    }
}

/* An array of COUNT vertices; extra bytes between them. */
static uint8_t *make(GLenum type, int size, int extra, int normalized, void (*value)(int, double[4]))
{
    int stride = size * size_of(type) + extra;
    uint8_t *data = calloc(COUNT, stride);
    for (int i = 0; i < COUNT; i++) {
        double v[4];
        value(i, v);
        for (int k = 0; k < size; k++)
            put(data + i * stride + k * size_of(type), type, v[k], normalized);
    }
    return data;
}

static void field(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(-13, 13, -10, 10, -10, 10);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glEnable(GL_SCISSOR_TEST);
}

static void draw_vertex_types(int buffers)
{
    static const GLenum types[] = {GL_SHORT, GL_INT, GL_FLOAT, GL_DOUBLE};
    clear_all(0, 0, 0, 1);
    field();
    glEnableClientState(GL_VERTEX_ARRAY);
    for (int i = 0; i < 24; i++) {
        GLenum type = types[i % 4];
        int size = 2 + i / 4 % 3, extra = i / 12 * 8, stride = size * size_of(type) + extra;
        uint8_t *data = make(type, size, extra, 0, strip_position);
        GLuint buffer = 0;
        cell(i, 6, 4);
        hue(i / 24.0f);
        if (buffers) {
            glGenBuffers(1, &buffer);
            glBindBuffer(GL_ARRAY_BUFFER, buffer);
            glBufferData(GL_ARRAY_BUFFER, COUNT * stride, data, GL_STATIC_DRAW);
            memset(data, 0, COUNT * stride);
        }
        glVertexPointer(size, type, extra ? stride : 0, buffers ? NULL : data);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, COUNT);
        if (buffers) {
            glBindBuffer(GL_ARRAY_BUFFER, 0);
            glDeleteBuffers(1, &buffer);
        }
        free(data);
    }
    whole();
}

static void draw_color_types(int extra)
{
    static const GLenum types[] = {
        GL_BYTE, GL_UNSIGNED_BYTE, GL_SHORT, GL_UNSIGNED_SHORT, GL_INT, GL_UNSIGNED_INT, GL_FLOAT, GL_DOUBLE,
    };
    uint8_t *positions = make(GL_FLOAT, 2, 0, 0, strip_position);
    clear_all(0, 0, 0, 1);
    field();
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, positions);
    for (int i = 0; i < 16; i++) {
        GLenum type = types[i % 8];
        int size = 3 + i / 8, stride = size * size_of(type) + extra;
        uint8_t *colors = make(type, size, extra, type != GL_FLOAT && type != GL_DOUBLE, strip_color);
        cell(i, 4, 4);
        glColorPointer(size, type, extra ? stride : 0, colors);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, COUNT);
        free(colors);
    }
    whole();
    free(positions);
}

static void strip_normal(int i, double out[4])
{
    double a = i * 0.5;
    out[0] = 0.6 * cos(a), out[1] = 0.6 * sin(a), out[2] = 0.8, out[3] = 0;
}

static void draw_normal_types(int unused)
{
    static const GLenum types[] = {GL_BYTE, GL_SHORT, GL_INT, GL_FLOAT, GL_DOUBLE};
    uint8_t *positions = make(GL_FLOAT, 3, 4, 0, strip_position);
    (void) unused;
    clear_all(0, 0, 0, 1);
    field();
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glVertexPointer(3, GL_FLOAT, 16, positions);
    for (int i = 0; i < 5; i++) {
        uint8_t *normals = make(types[i], 3, i & 1, i < 3, strip_normal);
        cell(i, 3, 2);
        glNormalPointer(types[i], i & 1 ? 3 * size_of(types[i]) + 1 : 0, normals);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, COUNT);
        free(normals);
    }
    whole();
    free(positions);
}

/* Indices of each type through each call, from memory or from a buffer. */
static void draw_elements(int buffers)
{
    static const GLenum types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};
    uint8_t *positions = make(GL_FLOAT, 3, 0, 0, strip_position), *colors = make(GL_FLOAT, 4, 0, 0, strip_color);
    GLuint names[3] = {0, 0, 0};
    clear_all(0, 0, 0, 1);
    field();
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    if (buffers) {
        glGenBuffers(3, names);
        glBindBuffer(GL_ARRAY_BUFFER, names[0]);
        glBufferData(GL_ARRAY_BUFFER, 64 + COUNT * 12, NULL, GL_DYNAMIC_DRAW);
        glBufferSubData(GL_ARRAY_BUFFER, 64, COUNT * 12, positions);
        glVertexPointer(3, GL_FLOAT, 0, (void *) 64);
        glBindBuffer(GL_ARRAY_BUFFER, names[1]);
        glBufferData(GL_ARRAY_BUFFER, COUNT * 16, NULL, GL_STREAM_DRAW);
        memcpy(glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY), colors, COUNT * 16);
        glUnmapBuffer(GL_ARRAY_BUFFER);
        glColorPointer(4, GL_FLOAT, 0, NULL);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[2]);
    } else {
        glVertexPointer(3, GL_FLOAT, 0, positions);
        glColorPointer(4, GL_FLOAT, 0, colors);
    }
    for (int i = 0; i < 12; i++) {
        GLenum type = types[i % 3];
        uint8_t indices[4 * 3 * COUNT];
        int n = 3 * (COUNT - 3), size = size_of(type);
        for (int k = 0; k < n; k++)
            put(indices + k * size, type, (k / 3 + k % 3 * (i / 6 + 1)) % COUNT, 0);
        if (buffers)
            glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
        const uint8_t *first = buffers ? (const uint8_t *) 0 + 6 * size : indices + 6 * size;
        cell(i, 4, 3);
        if (i / 3 % 2)
            glDrawRangeElements(GL_TRIANGLES, 0, COUNT - 1, n - 6, type, first);
        else
            glDrawElements(GL_TRIANGLES, n - 6, type, first);
    }
    whole();
    glDeleteBuffers(3, names);
    free(positions);
    free(colors);
}

static void draw_array_element(int unused)
{
    uint8_t *positions = make(GL_DOUBLE, 3, 0, 0, strip_position), *colors = make(GL_UNSIGNED_BYTE, 4, 0, 1, strip_color);
    (void) unused;
    clear_all(0, 0, 0, 1);
    field();
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glVertexPointer(3, GL_DOUBLE, 0, positions);
    glColorPointer(4, GL_UNSIGNED_BYTE, 0, colors);
    for (int i = 0; i < 4; i++) {
        cell(i, 2, 2);
        glBegin(i & 1 ? GL_QUAD_STRIP : GL_TRIANGLES);
        for (int k = 0; k < COUNT; k++) {
            glArrayElement(k);
            if (i & 2 && k % 4 == 0) {
                glColor3f(1, 1, 1);
                glVertex2f(k - 9, k - 8);
            }
        }
        glEnd();
    }
    whole();
    free(positions);
    free(colors);
}

static void put_floats(uint8_t *at, int count, const double *values)
{
    for (int i = 0; i < count; i++)
        put(at + 4 * i, GL_FLOAT, values[i], 0);
}

/* glInterleavedArrays, and the same data by hand. */
static void draw_interleaved(int unused)
{
    static const struct { GLenum format; int color_bytes, normal, size, stride; } rows[] = {
        {GL_V2F, 0, 0, 2, 8}, {GL_V3F, 0, 0, 3, 12}, {GL_C4UB_V2F, 4, 0, 2, 12}, {GL_C4UB_V3F, 4, 0, 3, 16},
        {GL_C3F_V3F, 12, 0, 3, 24}, {GL_N3F_V3F, 0, 1, 3, 24}, {GL_C4F_N3F_V3F, 16, 1, 3, 40},
    };
    (void) unused;
    clear_all(0, 0, 0, 1);
    field();
    glEnable(GL_LIGHT0);
    for (int i = 0; i < 2 * LENGTH(rows); i++) {
        int row = i % LENGTH(rows), stride = rows[row].stride + (i >= LENGTH(rows) ? 12 : 0);
        uint8_t *data = calloc(COUNT, stride);
        for (int k = 0; k < COUNT; k++) {
            uint8_t *at = data + k * stride;
            double color[4], normal[4], position[4];
            strip_color(k, color), strip_normal(k, normal), strip_position(k, position);
            for (int c = 0; rows[row].color_bytes == 4 && c < 4; c++)
                put(at + c, GL_UNSIGNED_BYTE, color[c], 1);
            if (rows[row].color_bytes > 4)
                put_floats(at, rows[row].color_bytes / 4, color);
            if (rows[row].normal)
                put_floats(at + rows[row].color_bytes, 3, normal);
            put_floats(at + rows[row].color_bytes + 12 * rows[row].normal, rows[row].size, position);
        }
        cell(i, 5, 3);
        (rows[row].normal ? glEnable : glDisable)(GL_LIGHTING);
        glColor3f(0.7f, 0.7f, 0.2f);
        glInterleavedArrays(rows[row].format, i >= LENGTH(rows) ? stride : 0, data);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, COUNT);
        free(data);
    }
    whole();
}

/* Parts of arrays, several at a time, and primitives of each mode from arrays. */
static void draw_ranges(int unused)
{
    uint8_t *positions = make(GL_SHORT, 2, 4, 0, strip_position), *colors = make(GL_FLOAT, 3, 0, 0, strip_color);
    const GLint first[] = {0, 7, 15};
    const GLsizei counts[] = {5, 6, 9};
    const GLubyte indices[] = {3, 4, 5, 6, 7, 0, 1, 2, 9, 10, 11};
    const void *starts[] = {indices, indices + 5, indices + 8};
    const GLsizei sizes[] = {5, 3, 3};
    (void) unused;
    clear_all(0, 0, 0, 1);
    field();
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glVertexPointer(2, GL_SHORT, 8, positions);
    glColorPointer(3, GL_FLOAT, 0, colors);
    for (int mode = GL_POINTS; mode <= GL_POLYGON; mode++) {
        cell(mode, 4, 3);
        glShadeModel(mode == GL_QUADS ? GL_FLAT : GL_SMOOTH); /* which diagonal splits a quad is free */
        glDrawArrays(mode, 2, 11);
        glDrawArrays(mode, 13, 10);
    }
    glShadeModel(GL_SMOOTH);
    cell(10, 4, 3);
    glMultiDrawArrays(GL_TRIANGLE_STRIP, first, counts, 3);
    cell(11, 4, 3);
    glMultiDrawElements(GL_TRIANGLE_STRIP, sizes, GL_UNSIGNED_BYTE, starts, 3);
    whole();
    free(positions);
    free(colors);
}

/* The current colour, normal and fog coordinate where no array is enabled; arrays switched on and off. */
static void draw_toggles(int unused)
{
    uint8_t *positions = make(GL_FLOAT, 2, 0, 0, strip_position), *colors = make(GL_FLOAT, 3, 0, 0, strip_color);
    float fog_coords[COUNT];
    const float fog_color[4] = {1, 1, 1, 1};
    (void) unused;
    for (int i = 0; i < COUNT; i++)
        fog_coords[i] = i / (float) COUNT;
    clear_all(0, 0, 0, 1);
    field();
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
    glFogfv(GL_FOG_COLOR, fog_color);
    glEnable(GL_FOG);
    glVertexPointer(2, GL_FLOAT, 0, positions);
    glColorPointer(3, GL_FLOAT, 0, colors);
    glFogCoordPointer(GL_FLOAT, 0, fog_coords);
    for (int i = 0; i < 8; i++) {
        cell(i, 4, 2);
        glColor3f(0.1f * i, 0.9f, 0.3f);
        glFogCoordf(0.1f * i);
        (i < 7 ? glEnableClientState : glDisableClientState)(GL_VERTEX_ARRAY);
        (i & 1 ? glEnableClientState : glDisableClientState)(GL_COLOR_ARRAY);
        (i & 2 ? glEnableClientState : glDisableClientState)(GL_FOG_COORD_ARRAY);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, COUNT);
    }
    whole();
    free(positions);
    free(colors);
}

/* A torus of 20,000 triangles from buffers, and indices that are drawn twice after a change. */
static void draw_buffer_mesh(int unused)
{
    enum { RINGS = 100, SIDES = 100 };
    static float data[RINGS * SIDES][6];
    static GLuint indices[RINGS * SIDES * 6];
    GLuint names[2];
    (void) unused;
    for (int i = 0; i < RINGS * SIDES; i++) {
        double t = i / SIDES * 2 * M_PI / RINGS, p = i % SIDES * 2 * M_PI / SIDES, r = 1 + 0.4 * cos(p);
        const float v[6] = {cos(t) * cos(p), sin(t) * cos(p), sin(p), r * cos(t), r * sin(t), 0.4 * sin(p)};
        memcpy(data[i], v, sizeof v);
        int a = i / SIDES * SIDES, n = (a + SIDES) % (RINGS * SIDES), s = i % SIDES, q = (s + 1) % SIDES;
        const GLuint quad[6] = {a + s, n + s, n + q, a + s, n + q, a + q};
        memcpy(indices + 6 * i, quad, sizeof quad);
    }
    clear_all(0.1f, 0.1f, 0.1f, 1);
    perspective(45, 1, 20);
    glTranslatef(0, 0, -4);
    glRotatef(50, 1, 0.5f, 0);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_CULL_FACE);
    glEnable(GL_NORMALIZE);
    glGenBuffers(2, names);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glInterleavedArrays(GL_N3F_V3F, 0, NULL);
    glDrawElements(GL_TRIANGLES, RINGS * SIDES * 6, GL_UNSIGNED_INT, NULL);
    glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, 0, 3 * sizeof(GLuint) * RINGS * SIDES, indices + 3 * RINGS * SIDES);
    glTranslatef(0, 0, 0.7f);
    glScalef(0.5f, 0.5f, 0.5f);
    glDrawElements(GL_TRIANGLES, RINGS * SIDES * 3, GL_UNSIGNED_INT, NULL);
    glDeleteBuffers(2, names);
}

static GLushort half_of(float x)
{
    union { float f; GLuint u; } v = {x};
    GLuint e = (v.u >> 23 & 255);
    if (e < 113)
        return v.u >> 16 & 0x8000;
    return (v.u >> 16 & 0x8000) | (e - 112) << 10 | (v.u >> 13 & 1023);
}

static GLuint ten(float x) { return (GLuint) (int) lrintf(x) & 1023; }

/* Halves and 2_10_10_10 words (signed, unsigned, BGRA); from a buffer that was mapped, and through the
   immediate forms. */
static void draw_packed_types(int buffered)
{
    enum { N = 12 };
    static GLushort halves[N][4];
    static GLuint words[N], colors[N], bgra[N], normals[N];
    GLuint names[4];
    clear_all(0.1f, 0.1f, 0.2f, 1);
    unit_square();
    for (int i = 0; i < N; i++) {
        float a = i * 2 * (float) M_PI / (N - 2), r = i ? 0.9f : 0;
        halves[i][0] = half_of(r * cosf(a));
        halves[i][1] = half_of(r * sinf(a));
        halves[i][3] = half_of(1);
        words[i] = ten(500 * r * cosf(a)) | ten(500 * r * sinf(a)) << 10 | 1u << 30;
        colors[i] = ten(1023 * i / N) | ten(1023 - 900 * i / N) << 10 | ten(300) << 20 | 3u << 30;
        bgra[i] = ten(300) | ten(1023 - 900 * i / N) << 10 | ten(1023 * i / N) << 20 | 3u << 30;
        normals[i] = ten(511 * r * cosf(a)) | ten(511 * r * sinf(a)) << 10 | ten(300) << 20;
    }
    const void *places[4] = {halves, words, colors, bgra};
    if (buffered) {
        glGenBuffers(4, names);
        for (int k = 0; k < 4; k++) {
            GLsizeiptr size = k ? sizeof words : sizeof halves;
            glBindBuffer(GL_ARRAY_BUFFER, names[k]);
            glBufferData(GL_ARRAY_BUFFER, size, NULL, GL_STREAM_DRAW);
            char *to = glMapBufferRange(GL_ARRAY_BUFFER, 0, size,
                                        GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_FLUSH_EXPLICIT_BIT);
            memcpy(to, places[k], size);
            glFlushMappedBufferRange(GL_ARRAY_BUFFER, 0, size);
            glUnmapBuffer(GL_ARRAY_BUFFER);
            places[k] = NULL;
        }
    }
    for (int i = 0; i < 8; i++) {
        cell(i, 4, 2);
        glPushMatrix();
        glDisableClientState(GL_NORMAL_ARRAY);
        glEnableClientState(GL_VERTEX_ARRAY);
        glEnableClientState(GL_COLOR_ARRAY);
        if (buffered)
            glBindBuffer(GL_ARRAY_BUFFER, names[i & 1]);
        if (i & 1) {
            glScalef(1 / 500.f, 1 / 500.f, 1);
            glVertexPointer(4, GL_INT_2_10_10_10_REV, 0, places[1]);
        } else
            glVertexPointer(2 + (i & 2), GL_HALF_FLOAT, 8, places[0]);
        if (buffered)
            glBindBuffer(GL_ARRAY_BUFFER, names[i & 2 ? 3 : 2]);
        glColorPointer(i & 2 ? GL_BGRA : 4, GL_UNSIGNED_INT_2_10_10_10_REV, 0, places[i & 2 ? 3 : 2]);
        if (i < 4)
            glDrawArrays(GL_TRIANGLE_FAN, 0, N);
        else if (i < 6) {  /* AVOIDS(packed_array_elements): of these types the peer's glArrayElement draws nonsense */
            glDrawArrays(GL_TRIANGLE_FAN, 0, 5);
            glDrawArrays(GL_LINE_STRIP, 4, N - 4);
        } else {
            glLoadIdentity();
            glScalef(1 / 500.f, 1 / 500.f, 1);
            if (i == 7) {
                glEnable(GL_LIGHTING);
                glEnable(GL_LIGHT0);
                glEnable(GL_COLOR_MATERIAL);
            }
            glBegin(GL_TRIANGLE_FAN);
            for (int k = 0; k < N; k++) {
                glColorP3ui(GL_UNSIGNED_INT_2_10_10_10_REV, colors[k]);
                glNormalP3ui(GL_INT_2_10_10_10_REV, normals[k]);
                glVertexP2uiv(GL_INT_2_10_10_10_REV, &words[k]);
            }
            glEnd();
        }
        glPopMatrix();
    }
    whole();
    if (buffered)
        glDeleteBuffers(4, names);
}

/* Vertex array objects of their own indices and arrays, drawn in turn, with base vertices, several
   draws at a time, and instances that step through a colour. */
static void draw_objects(int unused)
{
    enum { OBJECTS = 4 };
    GLuint objects[OBJECTS], buffers[2 * OBJECTS];
    static const GLushort quad[6] = {0, 1, 2, 0, 2, 3};
    static const GLint bases[3] = {0, 4, 8};
    static const GLsizei counts[3] = {6, 6, 3};
    const void *starts[3] = {NULL, NULL, NULL};
    (void) unused;
    clear_all(0, 0.1f, 0.1f, 1);
    unit_square();
    glGenVertexArrays(OBJECTS, objects);
    glGenBuffers(2 * OBJECTS, buffers);
    for (int i = 0; i < OBJECTS; i++) {
        float data[12][5];
        for (int k = 0; k < 12; k++) {
            float a = (k + 0.5f) * (float) M_PI / 2, r = 0.25f;
            data[k][0] = r * cosf(a) + 0.55f * (k / 4 - 1);
            data[k][1] = r * sinf(a) + 0.1f * i;
            for (int c = 0; c < 3; c++)
                data[k][2 + c] = noise();
        }
        glBindVertexArray(objects[i]);
        glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
        glBufferStorage(GL_ARRAY_BUFFER, sizeof data, data, GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT);
        glVertexPointer(2, GL_FLOAT, sizeof data[0], NULL);
        glColorPointer(3, GL_FLOAT, sizeof data[0], (char *) NULL + 8);
        glEnableClientState(GL_VERTEX_ARRAY);
        if (i != 2)
            glEnableClientState(GL_COLOR_ARRAY);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[OBJECTS + i]);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof quad, quad, GL_STATIC_DRAW);
    }
    for (int i = 0; i < 8; i++) {
        cell(i, 4, 2);
        glColor3f(1, 0.8f, 0.2f);
        glBindVertexArray(objects[i % OBJECTS]);
        if (i < 3)
            glMultiDrawElementsBaseVertex(GL_TRIANGLES, counts, GL_UNSIGNED_SHORT, starts, 3, bases);
        else if (i < 6)
            glDrawRangeElementsBaseVertex(GL_TRIANGLES, 0, 3, 6, GL_UNSIGNED_SHORT, NULL, 4 * (i - 3));
        else {
            glBindBuffer(GL_ARRAY_BUFFER, buffers[i % OBJECTS]);
            float *to = glMapBufferRange(GL_ARRAY_BUFFER, 0, 240, GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT);
            for (int k = 0; k < 12; k++)
                to[5 * k + 1] += 0.3f; /* the draw sees it: it is the same memory */
            GLsync done = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
            glDrawArrays(GL_TRIANGLES, 0, 12);
            glClientWaitSync(done, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
            glDeleteSync(done);
        }
    }
    glBindVertexArray(0);
    whole();
    glDeleteVertexArrays(OBJECTS, objects);
    glDeleteBuffers(2 * OBJECTS, buffers);
}

/* Where an array comes from: the program's memory, or a buffer made of it. */
static const void *source(int buffered, GLuint *name, GLenum target, const void *data, int size)
{
    if (!buffered)
        return data;
    glGenBuffers(1, name);
    glBindBuffer(target, *name);
    glBufferData(target, size, data, GL_STATIC_DRAW);
    return NULL;
}

/* Many small instances in one draw, one over the other: places for each, colours for every third and a number, in each
   mode, by indices near and far, with restarts, from a base instance; and shapes that no chunk holds twice. */
static void draw_instances(int buffered)
{
    enum { COUNT = 300, FAR = 5000, LARGE = 6000 };
    static const char *vertex =
        "#version 120\n#extension GL_ARB_draw_instanced : enable\nattribute vec2 place; attribute vec4 tint;"
        "varying vec4 c; void main() { float n = float(gl_InstanceIDARB); c = tint * vec4(1, 1, mod(n, 8.0) / 7.0, 1);"
        "gl_Position = vec4(gl_Vertex.xy * (0.5 + mod(n, 4.0) * 0.25) + place, 0, 1); }";
    static const char *fragment = "#version 120\nvarying vec4 c; void main() { gl_FragColor = c; }";
    static const struct {
        GLenum mode;
        int count, kind; /* kind: 0 arrays, 1 indices, 2 far apart, 3 with restarts, 4 from a base instance */
    } draws[12] = {
        {GL_TRIANGLES, 3, 0}, {GL_TRIANGLE_STRIP, 7, 0}, {GL_TRIANGLE_FAN, 8, 1}, {GL_QUADS, 8, 1},
        {GL_QUAD_STRIP, 8, 0}, {GL_POLYGON, 6, 1}, {GL_LINE_LOOP, 5, 0}, {GL_POINTS, 4, 1},
        {GL_TRIANGLES, 9, 2}, {GL_TRIANGLE_STRIP, 9, 3}, {GL_LINES, 6, 4}, {GL_TRIANGLE_STRIP, LARGE, 0},
    };
    static GLfloat shape[LARGE][2], places[COUNT][2];
    static GLubyte tints[COUNT][4];
    static GLushort near[9] = {0, 2, 1, 3, 5, 4, 7, 6, 8}, far[9], cut[9] = {0, 1, 2, 3, 0xFFFF, 5, 6, 7, 8};
    GLuint names[6], program = compiled(vertex, fragment);
    for (int i = 0; i < LARGE; i++) {
        float turn = i % 9 * 0.7f, r = 0.05f + i % 5 * 0.03f;
        shape[i][0] = cosf(turn) * r;
        shape[i][1] = sinf(turn) * r;
    }
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 2; k++)
            places[i][k] = between(-0.9f, 0.9f);
        for (int k = 0; k < 4; k++)
            tints[i][k] = (GLubyte) (k < 3 ? noise() * 255 : 120);
    }
    for (int i = 0; i < 9; i++)
        far[i] = (GLushort) (i * (FAR / 9));
    clear_all(0.1f, 0.1f, 0, 1);
    glBindAttribLocation(program, 1, "place");
    glBindAttribLocation(program, 2, "tint");
    glLinkProgram(program);
    glUseProgram(program);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glPointSize(3);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableVertexAttribArray(1);
    glEnableVertexAttribArray(2);
    glVertexPointer(2, GL_FLOAT, 0, source(buffered, names, GL_ARRAY_BUFFER, shape, sizeof shape));
    glVertexAttribPointer(1, 2, GL_FLOAT, 0, 0, source(buffered, names + 1, GL_ARRAY_BUFFER, places, sizeof places));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, 1, 0,
                          source(buffered, names + 2, GL_ARRAY_BUFFER, tints, sizeof tints));
    glVertexAttribDivisorARB(1, 1);
    glVertexAttribDivisorARB(2, 3);
    const void *of_kind[4] = {NULL, source(buffered, names + 3, GL_ELEMENT_ARRAY_BUFFER, near, sizeof near),
                              source(buffered, names + 4, GL_ELEMENT_ARRAY_BUFFER, far, sizeof far),
                              source(buffered, names + 5, GL_ELEMENT_ARRAY_BUFFER, cut, sizeof cut)};
    for (int i = 0; i < LENGTH(draws); i++) {
        int kind = draws[i].kind, instances = draws[i].count == LARGE ? 5 : COUNT;
        cell(i, 4, 3);
        if (buffered && kind % 4)
            glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[2 + kind]);
        if (kind == 3) {
            glEnable(GL_PRIMITIVE_RESTART);
            glPrimitiveRestartIndex(0xFFFF);
        }
        if (kind == 4)
            glDrawArraysInstancedBaseInstance(draws[i].mode, 1, draws[i].count, 40, 30);
        else if (kind)
            glDrawElementsInstanced(draws[i].mode, draws[i].count, GL_UNSIGNED_SHORT, of_kind[kind], instances);
        else
            glDrawArraysInstanced(draws[i].mode, 1, draws[i].count - (draws[i].count == LARGE), instances);
        glDisable(GL_PRIMITIVE_RESTART);
    }
    whole();
    if (buffered)
        glDeleteBuffers(6, names);
}

static const Scene scenes[] = {
    {"array_packed_types", draw_packed_types, 0, 301, 203},
    {"array_packed_types_vbo", draw_packed_types, 1, 301, 203},
    {"array_objects", draw_objects, 0, 301, 203},
    {"array_instances", draw_instances, 0, 402, 303},
    {"array_instances_vbo", draw_instances, 1, 402, 303},
    {"array_vertex_types", draw_vertex_types, 0, 301, 203},
    {"array_vertex_types_vbo", draw_vertex_types, 1, 301, 203},
    {"array_color_types", draw_color_types, 0, 301, 203},
    {"array_color_types_stride", draw_color_types, 3, 301, 203},
    {"array_normal_types", draw_normal_types, 0, 301, 203},
    {"array_elements", draw_elements, 0, 301, 203},
    {"array_elements_vbo", draw_elements, 1, 301, 203},
    {"array_element", draw_array_element, 0, 301, 203},
    {"array_interleaved", draw_interleaved, 0, 301, 203},
    {"array_ranges", draw_ranges, 0, 301, 203},
    {"array_toggles", draw_toggles, 0, 301, 203},
    {"array_buffer_mesh", draw_buffer_mesh, 0, 301, 303},
};
const SceneList array_list = {scenes, LENGTH(scenes)};
