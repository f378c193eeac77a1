/* SPDX-License-Identifier: MIT */
/* Transform feedback (EXT_transform_feedback): what a program captures is drawn again from its buffers. */
#include "scenes.h"

enum { VERTICES = 24, FLOATS = 10, MOST = 200 };
static const GLenum modes[10] = {GL_POINTS, GL_LINES, GL_LINE_LOOP, GL_LINE_STRIP, GL_TRIANGLES,
                                 GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
static const char *const vertex =
    "#version 120\nvarying vec4 tint; varying float rows[2]; varying vec2 unread; void main() {"
    " tint = gl_Color.gbra; rows[0] = gl_Vertex.x; rows[1] = gl_Vertex.y; unread = gl_Vertex.yx * 0.25 + 0.5;"
    " gl_Position = gl_Vertex * vec4(0.9, 0.9, 1, 1); }";
static const char *const fragment =
    "#version 120\nvarying vec4 tint; varying float rows[2]; void main() {"
    " gl_FragColor = tint + vec4(0, 0, rows[0] * rows[1] * 0.2, 0); }";

static GLuint capturing(int separate)
{
    static const char *const together[] = {"gl_Position", "tint", "unread"}, *const apart[] = {"tint", "gl_Position"};
    GLuint program = compiled(vertex, fragment);
    if (separate)
        glTransformFeedbackVaryingsEXT(program, 2, (const char **) apart, GL_SEPARATE_ATTRIBS_EXT);
    else
        glTransformFeedbackVaryingsEXT(program, 3, (const char **) together, GL_INTERLEAVED_ATTRIBS_EXT);
    glLinkProgram(program);
    return program;
}

/* A shape of so many vertices, wound around the middle, counter-clockwise as a strip too. */
static void shape(GLenum mode, GLfloat place[2], GLfloat color[3], int i)
{
    int row = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP;
    float turn = i * 2 * (float) M_PI / VERTICES, r = i % 3 * 0.2f + 0.5f;
    place[0] = row ? (i / 2 - VERTICES / 4.0f) / (VERTICES / 4.0f) : cosf(turn) * r;
    place[1] = row ? (i % 2 ? 0.6f : -0.7f) + 0.1f * cosf(i) : sinf(turn) * r;
    for (int c = 0; c < 3; c++)
        color[c] = (i * (c + 2) * 5 % 11) / 10.0f;
}

static void draw_shape(GLenum mode, int way)
{
    static GLfloat places[VERTICES][2], colors[VERTICES][3];
    GLuint list = 0;
    for (int i = 0; i < VERTICES; i++)
        shape(mode, places[i], colors[i], i);
    if (way == 0) {
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        glEnableClientState(GL_VERTEX_ARRAY);
        glEnableClientState(GL_COLOR_ARRAY);
        glVertexPointer(2, GL_FLOAT, 0, places);
        glColorPointer(3, GL_FLOAT, 0, colors);
        glDrawArrays(mode, 0, VERTICES);
        glDisableClientState(GL_VERTEX_ARRAY);
        glDisableClientState(GL_COLOR_ARRAY);
        return;
    }
    if (way == 2) {
        list = glGenLists(1);
        glNewList(list, GL_COMPILE);
    }
    glBegin(mode);
    for (int i = 0; i < VERTICES; i++) {
        glColor3fv(colors[i]);
        glVertex2fv(places[i]);
    }
    glEnd();
    if (list) {
        glEndList();
        glCallList(list);
    }
}

/* What was captured, as separate primitives; how many there were said so. */
static void draw_captured(GLenum basic, const GLuint names[2], int separate, GLuint count)
{
    const int corners = basic == GL_POINTS ? 1 : basic == GL_LINES ? 2 : 3;
    const int stride = separate ? 16 : FLOATS * 4;
    glBindBuffer(GL_ARRAY_BUFFER, names[separate]);
    glVertexPointer(4, GL_FLOAT, stride, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glColorPointer(4, GL_FLOAT, stride, (char *) NULL + (separate ? 0 : 16));
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glDrawArrays(basic, 0, (GLsizei) count * corners);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
}

/* All modes from arrays, glBegin and lists: below what the program draws meanwhile, above what it captured; `arg` 1:
   into buffers of their own; 2: with room for little; 3: nothing is rasterised, and the scissor is empty. */
static void draw_modes(int arg)
{
    GLuint names[2], queries[2], counts[2], program = capturing(arg == 1);
    clear_all(0.1f, 0.1f, 0.2f, 1);
    unit_square();
    glGenBuffers(2, names);
    glGenQueries(2, queries);
    glPointSize(4);
    glLineWidth(2);
    for (int i = 0; i < 10; i++) {
        GLenum basic = i == 0 ? GL_POINTS : i < 4 ? GL_LINES : GL_TRIANGLES;
        int size = arg == 2 ? 328 : MOST * FLOATS * 4;
        for (int n = 0; n < 2; n++) {
            glBindBuffer(GL_ARRAY_BUFFER, names[n]);
            glBufferData(GL_ARRAY_BUFFER, MOST * FLOATS * 4, NULL, GL_DYNAMIC_COPY);
            glBindBufferRangeEXT(GL_TRANSFORM_FEEDBACK_BUFFER_EXT, n, names[n], 0, size);
        }
        glUseProgram(program);
        cell(i, 5, 4);
        if (arg == 3 || modes[i] == GL_QUADS) /* how quadrilaterals are divided is free (docs/avoided.md) */
            glEnable(GL_RASTERIZER_DISCARD_EXT);
        if (arg == 3)
            glScissor(0, 0, 0, 0);
        glBeginQuery(GL_PRIMITIVES_GENERATED_EXT, queries[0]);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN_EXT, queries[1]);
        glBeginTransformFeedbackEXT(basic);
        draw_shape(modes[i], i % 3);
        glEndTransformFeedbackEXT();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN_EXT);
        glEndQuery(GL_PRIMITIVES_GENERATED_EXT);
        glDisable(GL_RASTERIZER_DISCARD_EXT);
        for (int n = 0; n < 2; n++)
            glGetQueryObjectuiv(queries[n], GL_QUERY_RESULT, &counts[n]);
        glUseProgram(0);
        cell(10 + i, 5, 4);
        draw_captured(basic, names, arg == 1, counts[1]);
        glColor3f(1, 1, 1);
        glRectf(-1, -1, counts[0] / 30.0f - 1, -0.95f);
        glRectf(-1, -0.95f, counts[1] / 30.0f - 1, -0.9f);
    }
    whole();
    glDeleteBuffers(2, names);
}

static const Scene scenes[] = {
    {"transform_modes", draw_modes, 0, 405, 324},
    {"transform_separate", draw_modes, 1, 405, 324},
    {"transform_overflow", draw_modes, 2, 405, 324},
    {"transform_discard", draw_modes, 3, 405, 324},
};
const SceneList transform_list = {scenes, LENGTH(scenes)};
