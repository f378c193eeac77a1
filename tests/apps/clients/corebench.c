/* SPDX-License-Identifier: MIT */
/* corebench: what programs of OpenGL 3.3 core draw, one figure a line (higher is better).
 * Build: cc -O2 corebench.c -lGL -lX11 -lm   Use: corebench [-t SECONDS] [LINE...]
 * What a line prints: bench.h. One whose program does not link prints 0. */
#define GL_GLEXT_PROTOTYPES
#define BENCH_CORE
#include <GL/gl.h>
#include <GL/glext.h>

/* A line draws with a program of up to three stages, most of them into a framebuffer object of some
 * kind, and then, if it has `last`, with that fragment shader over the whole window. */
typedef struct Line {
    const char *name, *unit;
    double (*run)(const struct Line *line);
    const char *vertex, *geometry, *fragment, *last;
    int number; /* what it means depends on `run` */
} Line;

#include "bench.h"
#include "mesh.h"
#include "shaders.h"

enum { POINTS = 50000, CAPTURED = 500000, INSTANCES = 10000, QUADS = 20000, BOXES = 400 };
enum { CUBE_INDICES = 36, SIDES = 6 };

/* -- programs ------------------------------------------------------------------------------------ */

#define SCENE                                                                                      \
    "layout(std140) uniform Scene { mat4 view; vec4 lights[32]; vec4 colors[32]; vec4 eye;"        \
    " float time; int count; };\n"
#define INPUTS "layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;" \
    " layout(location = 2) in float weight;\n"
#define HEAD "#version 330 core\n" SCENE

#define ACROSS "out vec2 at; void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;" \
    " at = p; gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0); }"
#define SURFACE                                                                                    \
    INPUTS "out vec3 n, p; out vec2 uv; void main() { n = normal; p = position;"                   \
    " uv = position.xy * 0.5 + 0.5; gl_Position = view * vec4(position, 1.0); }"
#define IN_SURFACE "in vec3 n, p; in vec2 uv; layout(location = 0) out vec4 color;"
#define IN_ACROSS "in vec2 at; layout(location = 0) out vec4 color;"

static void shader(GLuint to, GLenum stage, const char *text)
{
    if (text)
        glAttachShader(to, compiled(stage, HEAD, text));
}

static const char *const SAMPLERS[] = {"image",  "layers", "cube",  "volume", "texels",
                                       "first",  "second", "depth", "table",  "many"};
enum { IMAGE, ARRAY, CUBE, VOLUME, TEXELS, FIRST, SECOND, DEPTH, TABLE, MANY, UNITS };

/* The shared block and the units of samplers, by their names. */
static void settle(GLuint name)
{
    GLuint block = glGetUniformBlockIndex(name, "Scene");
    if (block != GL_INVALID_INDEX)
        glUniformBlockBinding(name, block, 0);
    glUseProgram(name);
    for (int unit = 0; unit < UNITS; unit++)
        glUniform1i(glGetUniformLocation(name, SAMPLERS[unit]), unit);
}

static GLuint program(const char *vertex, const char *geometry, const char *fragment)
{
    GLuint name = glCreateProgram();
    shader(name, GL_VERTEX_SHADER, vertex);
    shader(name, GL_GEOMETRY_SHADER, geometry);
    shader(name, GL_FRAGMENT_SHADER, fragment);
    glBindFragDataLocationIndexed(name, 0, 1, "factor");
    if (!linked(name))
        return 0;
    settle(name);
    return name;
}

/* -- textures, blocks ---------------------------------------------------------------------------- */

static GLuint texture(int unit, GLenum target, GLenum filter)
{
    GLuint name;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(target, name);
    if (target != GL_TEXTURE_BUFFER && target != GL_TEXTURE_2D_MULTISAMPLE) {
        glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(target, GL_TEXTURE_MAG_FILTER,
                        filter == GL_NEAREST ? GL_NEAREST : GL_LINEAR);
    }
    return name;
}

static GLuint buffer(GLenum target, GLsizeiptr size, const void *data)
{
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, size, data, GL_STATIC_DRAW);
    return name;
}

static void textures(void)
{
    static float table[4096][4];
    static unsigned char volume[64 * 64 * 64];
    texture(IMAGE, GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 image());
    glGenerateMipmap(GL_TEXTURE_2D);
    texture(ARRAY, GL_TEXTURE_2D_ARRAY, GL_LINEAR_MIPMAP_LINEAR);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, SIZE, SIZE, LAYERS, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, NULL);
    for (int i = 0; i < LAYERS; i++)
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, i, SIZE, SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        image() + 64 * i);
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
    texture(CUBE, GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_LINEAR);
    for (int i = 0; i < 6; i++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, image());
    glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    texture(VOLUME, GL_TEXTURE_3D, GL_LINEAR);
    for (int i = 0; i < 64 * 64 * 64; i++)
        volume[i] = (unsigned char)((i % 64) * (i / 64 % 64) * (i / 4096) >> 10);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_R8, 64, 64, 64, 0, GL_RED, GL_UNSIGNED_BYTE, volume);
    for (int i = 0; i < 4096 * 4; i++)
        table[i / 4][i % 4] = (i * 37 % 1009) / 1009.0f;
    GLuint data = buffer(GL_TEXTURE_BUFFER, sizeof table, table);
    texture(TABLE, GL_TEXTURE_BUFFER, 0);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, data);
    glActiveTexture(GL_TEXTURE0);
}

/* The uniform block that all programs share: 16 + 32 * 4 + 32 * 4 + 4 floats, a float, an int. */
static void scene(void)
{
    float block[16 + 256 + 4 + 4] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int count = 16;
    for (int i = 0; i < 32; i++) {
        float *light = block + 16 + 4 * i, *color = light + 128;
        light[0] = cosf(i * 1.7f), light[1] = sinf(i * 2.3f), light[2] = 0.3f + 0.1f * (i % 4);
        light[3] = 0.5f, color[0] = (i % 3) / 9.0f, color[1] = (i % 5) / 15.0f, color[2] = 0.1f;
    }
    block[16 + 256 + 2] = 2, block[16 + 260] = 3.7f;
    memcpy(block + 16 + 261, &count, sizeof count);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer(GL_UNIFORM_BUFFER, sizeof block, block));
}

/* What every line begins with: its program in use, or 0. */
static GLuint begin(const Line *line)
{
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    scene();
    textures();
    return program(line->vertex, line->geometry, line->fragment);
}

static void point_at_mesh(void)
{
    size_t step = MESH_FLOATS * sizeof(float);
    bind_mesh();
    for (int i = 0; i < 3; i++) {
        glVertexAttribPointer(i, i < 2 ? 3 : 1, GL_FLOAT, 0, step, (char *)NULL + 12 * i);
        glEnableVertexAttribArray(i);
    }
    glEnable(GL_DEPTH_TEST);
}

/* -- one pass ------------------------------------------------------------------------------------ */

static void screen(const Line *line)
{
    (void)line;
    for (int i = 0; i < LAYERS; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
}

static double t_screen(const Line *line)
{
    if (!begin(line))
        return 0;
    if (line->number) { /* both colours of the shader are factors */
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, line->number);
    }
    return often(screen, line) * LAYERS * WINDOW * WINDOW / 1e6;
}

static double t_mesh(const Line *line)
{
    if (!begin(line))
        return 0;
    point_at_mesh();
    if (line->number)
        glEnable(line->number);
    return often(draw_mesh, line) * CORNERS / 3 / 1e6;
}

static void points(const Line *line)
{
    (void)line;
    glDrawArrays(GL_POINTS, 0, POINTS);
}

/* Points that a geometry shader makes into something else. */
static double t_points(const Line *line)
{
    if (!begin(line))
        return 0;
    point_at_mesh();
    return often(points, line) * POINTS / 1e6;
}

/* -- two passes ---------------------------------------------------------------------------------- */

typedef struct Target {
    GLenum format;
    int unit;
} Target;
typedef struct Kind {
    Target colors[3];
    int samples, layers, mesh, depth;
} Kind;
enum { DEFERRED, INTEGERS, HDR, SAMPLES, SAMPLES_BLIT, SHADOW, FACES, SRGB, KINDS };
static const Kind KIND[KINDS] = {
    [DEFERRED] = {{{GL_RGBA8, IMAGE}, {GL_RGBA16F, FIRST}, {GL_RGBA32F, SECOND}}, 0, 0, 1, 1},
    [INTEGERS] = {{{GL_RGBA32UI, FIRST}}, 0, 0, 0, 0},
    [HDR] = {{{GL_RGBA16F, FIRST}}, 0, 0, 1, 1},
    [SAMPLES] = {{{GL_RGBA8, MANY}}, 4, 0, 1, 1},
    [SAMPLES_BLIT] = {{{GL_RGBA8, MANY}}, 4, 0, 1, 1},
    [SHADOW] = {{{0, 0}}, 0, 0, 1, 1},
    [FACES] = {{{GL_RGBA8, ARRAY}}, 0, SIDES, 1, 0},
    [SRGB] = {{{GL_SRGB8_ALPHA8, FIRST}}, 0, 0, 1, 1},
};
static GLuint object, passes[2];

static void storage(GLenum target, GLenum format, const Kind *kind)
{
    int whole = format == GL_RGBA32UI, depth = format == GL_DEPTH_COMPONENT24;
    GLenum client = whole ? GL_RGBA_INTEGER : depth ? GL_DEPTH_COMPONENT : GL_RGBA;
    GLenum type = whole || depth ? GL_UNSIGNED_INT : GL_FLOAT;
    if (kind->samples)
        glTexImage2DMultisample(target, kind->samples, format, WINDOW, WINDOW, 1);
    else if (kind->layers)
        glTexImage3D(target, 0, format, WINDOW, WINDOW, kind->layers, 0, client, type, NULL);
    else
        glTexImage2D(target, 0, format, WINDOW, WINDOW, 0, client, type, NULL);
}

/* A framebuffer object whose images the second pass samples. */
static void framebuffer(const Kind *kind)
{
    GLenum target = kind->samples ? GL_TEXTURE_2D_MULTISAMPLE
                    : kind->layers ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
    GLenum drawn[3] = {GL_NONE, GL_NONE, GL_NONE};
    int count = 0;
    glGenFramebuffers(1, &object);
    glBindFramebuffer(GL_FRAMEBUFFER, object);
    for (; count < 3 && kind->colors[count].format; count++) {
        GLuint name = texture(kind->colors[count].unit, target, GL_NEAREST);
        storage(target, kind->colors[count].format, kind);
        drawn[count] = GL_COLOR_ATTACHMENT0 + count;
        glFramebufferTexture(GL_FRAMEBUFFER, drawn[count], name, 0);
    }
    if (kind->depth) {
        GLuint name = texture(DEPTH, target, GL_LINEAR);
        storage(target, GL_DEPTH_COMPONENT24, kind);
        if (!kind->samples)
            glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, name, 0);
    }
    glDrawBuffers(count ? count : 1, drawn);
    if (kind == &KIND[SRGB])
        glEnable(GL_FRAMEBUFFER_SRGB);
}

static void two_passes(const Line *line)
{
    const Kind *kind = &KIND[line->number];
    glBindFramebuffer(GL_FRAMEBUFFER, object);
    if (kind->depth)
        glClear((kind->colors[0].format ? GL_COLOR_BUFFER_BIT : 0) | GL_DEPTH_BUFFER_BIT);
    glUseProgram(passes[0]);
    if (kind->mesh)
        draw_mesh(line);
    else
        glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    if (!line->last) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, object);
        glBlitFramebuffer(0, 0, WINDOW, WINDOW, 0, 0, WINDOW, WINDOW, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
        return;
    }
    glUseProgram(passes[1]);
    glDisable(GL_DEPTH_TEST);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (kind->depth)
        glEnable(GL_DEPTH_TEST);
}

static double t_passes(const Line *line)
{
    const Kind *kind = &KIND[line->number];
    passes[0] = begin(line);
    passes[1] = line->last ? program(ACROSS, NULL, line->last) : 0;
    if (!passes[0] || (line->last && !passes[1]))
        return 0;
    framebuffer(kind);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return 0;
    if (kind->mesh)
        point_at_mesh();
    if (!kind->depth)
        glDisable(GL_DEPTH_TEST);
    double rate = often(two_passes, line);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return rate;
}

/* -- instances, occlusion, streams --------------------------------------------------------------- */

static void bind_cube(void)
{
    static const unsigned char order[CUBE_INDICES] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5,
                                                      0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6,
                                                      0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    float corners[8][3];
    for (int i = 0; i < 24; i++)
        corners[i / 3][i % 3] = i / 3 >> i % 3 & 1 ? 1 : -1;
    buffer(GL_ARRAY_BUFFER, sizeof corners, corners);
    glVertexAttribPointer(0, 3, GL_FLOAT, 0, 0, NULL);
    glEnableVertexAttribArray(0);
    buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
}

static void instances(const Line *line)
{
    (void)line;
    glDrawElementsInstanced(GL_TRIANGLES, CUBE_INDICES, GL_UNSIGNED_BYTE, NULL, INSTANCES);
}

/* Cubes of a few pixels, whose places are attributes, or texels by gl_InstanceID. */
static double t_instances(const Line *line)
{
    static float places[INSTANCES][4];
    if (!begin(line))
        return 0;
    bind_cube();
    for (int i = 0; i < INSTANCES; i++) {
        places[i][0] = (i % 100 - 49.5f) / 50, places[i][1] = (i / 100 - 49.5f) / 50;
        places[i][2] = i % 7 * 0.1f, places[i][3] = 0.006f;
    }
    GLuint name = buffer(GL_ARRAY_BUFFER, sizeof places, places);
    if (line->number) {
        texture(TABLE, GL_TEXTURE_BUFFER, 0);
        glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, name);
    } else {
        glVertexAttribPointer(3, 4, GL_FLOAT, 0, 0, NULL);
        glEnableVertexAttribArray(3);
        glVertexAttribDivisor(3, 1);
    }
    return often(instances, line) * INSTANCES / 1e6;
}

static GLuint queries[BOXES];
static GLint which;

/* Boxes are asked for, then drawn if something of them was seen. */
static void occlusion(const Line *line)
{
    (void)line;
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < 2 * BOXES; i++) {
        glUniform1i(which, i % BOXES);
        if (i < BOXES)
            glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[i]);
        else
            glBeginConditionalRender(queries[i - BOXES], GL_QUERY_WAIT);
        glDrawElements(GL_TRIANGLES, CUBE_INDICES, GL_UNSIGNED_BYTE, NULL);
        if (i < BOXES)
            glEndQuery(GL_ANY_SAMPLES_PASSED);
        else
            glEndConditionalRender();
    }
}

static double t_occlusion(const Line *line)
{
    GLuint name = begin(line);
    if (!name)
        return 0;
    bind_cube();
    glGenQueries(BOXES, queries);
    which = glGetUniformLocation(name, "which");
    return often(occlusion, line) * BOXES / 1e3;
}

/* Quads that the program writes anew in each frame, as those that draw interfaces do. */
static void stream(const Line *line)
{
    static unsigned frame;
    typedef struct { float x, y, u, v; unsigned color; } Corner;
    Corner *to = glMapBufferRange(GL_ARRAY_BUFFER, 0, QUADS * 4 * sizeof(Corner),
                                  GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    for (int i = 0; to && i < QUADS * 4; i++, to++) {
        int quad = i / 4, right = i & 1, up = i >> 1 & 1;
        to->x = (quad % 160 + right * 0.9f) / 80 - 1, to->y = (quad / 160 + up * 0.9f) / 63 - 1;
        to->u = (quad % 16 + right) / 16.0f, to->v = (quad % 13 + up) / 16.0f;
        to->color = 0xff000000u | (quad * 7919u + frame * 3);
    }
    frame++;
    glUnmapBuffer(GL_ARRAY_BUFFER);
    glDrawElements(GL_TRIANGLES, QUADS * 6, GL_UNSIGNED_INT, NULL);
    (void)line;
}

static double t_stream(const Line *line)
{
    static unsigned order[QUADS * 6];
    static const unsigned corner[6] = {0, 1, 3, 0, 3, 2};
    if (!begin(line))
        return 0;
    for (unsigned i = 0; i < QUADS * 6; i++)
        order[i] = i / 6 * 4 + corner[i % 6];
    buffer(GL_ARRAY_BUFFER, QUADS * 80, NULL);
    buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order);
    glVertexAttribPointer(0, 4, GL_FLOAT, 0, 20, NULL);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, 1, 20, (char *)NULL + 16);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    return often(stream, line) * QUADS / 1e6;
}

/* -- draws --------------------------------------------------------------------------------------- */

/* Each draw has its part of one uniform buffer. */
static void ranges(const Line *line)
{
    (void)line;
    for (int i = 0; i < DRAWS; i++) {
        glBindBufferRange(GL_UNIFORM_BUFFER, 1, object, 256 * i, 32);
        glDrawElements(GL_TRIANGLES, CUBE_INDICES, GL_UNSIGNED_BYTE, NULL);
    }
}

static double t_ranges(const Line *line)
{
    static float rows[DRAWS][64];
    GLuint name = begin(line);
    if (!name)
        return 0;
    bind_cube();
    for (int i = 0; i < DRAWS; i++) {
        rows[i][0] = i % 25 / 12.5f - 1, rows[i][1] = i / 25 / 10.0f - 1, rows[i][3] = 0.03f;
        rows[i][4] = i / (float)DRAWS, rows[i][6] = rows[i][7] = 1;
    }
    object = buffer(GL_UNIFORM_BUFFER, sizeof rows, rows);
    glUniformBlockBinding(name, glGetUniformBlockIndex(name, "Row"), 1);
    return often(ranges, line) * DRAWS / 1e3;
}

/* Points move by transform feedback, from one buffer into the other, and are not drawn. */
static void captures(const Line *line)
{
    for (int i = 0; i < 2; i++) {
        glBindVertexArray(passes[i]);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, queries[!i]);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, line->number);
        glEndTransformFeedback();
    }
}

static double t_captures(const Line *line)
{
    static const char *const names[] = {"place", "speed"};
    static float data[CAPTURED][8];
    GLuint name = glCreateProgram();
    if (!begin(line))
        return 0;
    for (int i = 0; i < CAPTURED * 8; i++)
        data[i / 8][i % 8] = (i * 37 % 1009) / 1009.0f - 0.5f;
    shader(name, GL_VERTEX_SHADER, line->vertex);
    shader(name, GL_GEOMETRY_SHADER, line->geometry);
    glTransformFeedbackVaryings(name, 2, names, GL_INTERLEAVED_ATTRIBS);
    if (!linked(name))
        return 0;
    settle(name);
    glGenVertexArrays(2, passes);
    for (int i = 0; i < 2; i++) {
        glBindVertexArray(passes[i]);
        queries[i] = buffer(GL_ARRAY_BUFFER, sizeof data, data);
        for (int k = 0; k < 2; k++) {
            glVertexAttribPointer(k, 4, GL_FLOAT, 0, 32, (char *)NULL + 16 * k);
            glEnableVertexAttribArray(k);
        }
    }
    glEnable(GL_RASTERIZER_DISCARD);
    return often(captures, line) * 2 * line->number / 1e6;
}

#include "corebench_lines.h"

int main(int argc, char **argv)
{
    return bench_main(argc, argv, LINES, sizeof LINES / sizeof LINES[0]);
}
