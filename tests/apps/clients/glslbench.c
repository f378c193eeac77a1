/* SPDX-License-Identifier: MIT */
/* glslbench: GLSL programs of a libGL, one figure a line (higher is better).
 * Build: cc -O2 glslbench.c -lGL -lX11 -lm   Use: glslbench [-t SECONDS] [LINE...]
 * What a line prints: bench.h. One whose program does not link prints 0. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

typedef struct Line {
    const char *name, *unit;
    double (*run)(const struct Line *line);
    const char *vertex, *fragment;
    int number; /* what it means depends on `run` */
} Line;

#include "bench.h"
#include "mesh.h"
#include "shaders.h"

/* -- programs and textures ----------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "#version 120\n#extension GL_ARB_shader_texture_lod : enable\n"                                \
    "#extension GL_ARB_uniform_buffer_object : enable\n"

static GLuint program(const char *vertex, const char *fragment)
{
    GLuint name = glCreateProgram();
    glAttachShader(name, compiled(GL_VERTEX_SHADER, HEAD, vertex));
    glAttachShader(name, compiled(GL_FRAGMENT_SHADER, HEAD, fragment));
    glBindAttribLocation(name, 1, "normal");
    glBindAttribLocation(name, 2, "weight");
    if (!linked(name))
        return 0;
    glUseProgram(name);
    return name;
}

static void texture(GLenum unit, GLenum target, GLenum format, GLenum filter)
{
    GLuint name;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    if (filter >= GL_NEAREST_MIPMAP_NEAREST)
        glTexParameteri(target, GL_GENERATE_MIPMAP, 1);
    GLenum client = format == GL_DEPTH_COMPONENT24 ? GL_DEPTH_COMPONENT : GL_RGBA;
    GLenum type = format == GL_DEPTH_COMPONENT24 ? GL_UNSIGNED_INT : GL_UNSIGNED_BYTE;
    if (client == GL_DEPTH_COMPONENT)
        glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    int faces = target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    GLenum first = faces == 6 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : target;
    for (int face = 0; face < faces; face++)
        glTexImage2D(first + face, 0, format, SIZE, SIZE, 0, client, type, image());
    glActiveTexture(GL_TEXTURE0);
}

static void uniforms(GLuint name)
{
    static float table[64 * 4];
    static float bones[16 * 16];
    for (int i = 0; i < 256; i++)
        table[i] = (i * 37 % 101) / 101.0f;
    for (int i = 0; i < 256; i++)
        bones[i] = (i % 16) % 5 == 0 ? 1 : (i / 16) * 0.002f;
    glUniform3f(glGetUniformLocation(name, "light"), 0.48f, 0.64f, 0.6f);
    glUniform1f(glGetUniformLocation(name, "shininess"), 23.5f);
    glUniform1f(glGetUniformLocation(name, "time"), 3.7f);
    glUniform1f(glGetUniformLocation(name, "size"), 1.0f / SIZE);
    glUniform1i(glGetUniformLocation(name, "count"), 12);
    glUniform1i(glGetUniformLocation(name, "on"), 1);
    glUniform4fv(glGetUniformLocation(name, "table"), 64, table);
    glUniformMatrix4fv(glGetUniformLocation(name, "bones"), 16, 0, bones);
    glUniform1i(glGetUniformLocation(name, "image"), 0);
    glUniform1i(glGetUniformLocation(name, "second"), 1);
    glUniform1i(glGetUniformLocation(name, "third"), 2);
    glUniform1i(glGetUniformLocation(name, "fourth"), 3);
    glUniform1i(glGetUniformLocation(name, "cube"), 4);
    glUniform1i(glGetUniformLocation(name, "depth"), 5);
}

static GLuint begin(const Line *line)
{
    GLuint name = program(line->vertex, line->fragment);
    if (!name)
        return 0;
    texture(0, GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR_MIPMAP_LINEAR);
    texture(1, GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR);
    texture(2, GL_TEXTURE_2D, GL_RGBA8, GL_NEAREST);
    texture(3, GL_TEXTURE_2D, GL_LUMINANCE8, GL_LINEAR);
    texture(4, GL_TEXTURE_CUBE_MAP, GL_RGBA8, GL_LINEAR);
    texture(5, GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, GL_LINEAR);
    uniforms(name);
    return name;
}

/* -- instances ----------------------------------------------------------------------------------- */

enum { INSTANCES = 10000, CUBE_VERTICES = 24, CUBE_INDICES = 36 };

static void instances(const Line *line)
{
    (void)line;
    glDrawElementsInstancedARB(GL_TRIANGLES, CUBE_INDICES, GL_UNSIGNED_SHORT, NULL, INSTANCES);
}

/* As many cubes of a few pixels as there are, each with a place and a colour of its own, in one draw. */
static double t_instances(const Line *line)
{
    static GLfloat cube[CUBE_VERTICES][3], places[INSTANCES][4];
    static GLubyte colors[INSTANCES][4];
    static GLushort order[CUBE_INDICES];
    static const int corner[6] = {0, 1, 2, 0, 2, 3};
    GLuint buffers[4];
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 6; k++)
            order[f * 6 + k] = (GLushort)(f * 4 + corner[k]);
    for (int v = 0; v < CUBE_VERTICES; v++) {
        int axis = v / 8, side = v / 4 % 2, u = v % 4 == 1 || v % 4 == 2, w = v % 4 >= 2;
        cube[v][axis] = side ? 1 : -1;
        cube[v][(axis + 1) % 3] = (u ^ side) ? 1 : -1;
        cube[v][(axis + 2) % 3] = w ? 1 : -1;
    }
    for (int i = 0; i < INSTANCES; i++) {
        places[i][0] = (i % 100 - 49.5f) / 50;
        places[i][1] = (i / 100 - 49.5f) / 50;
        places[i][2] = i % 7 * 0.1f;
        places[i][3] = 0.006f;
        for (int c = 0; c < 4; c++)
            colors[i][c] = (GLubyte)(i * (37 + 18 * c));
    }
    const void *data[] = {cube, places, colors, order};
    const int sizes[] = {sizeof cube, sizeof places, sizeof colors, sizeof order};
    if (!program(line->vertex, line->fragment))
        return 0;
    glGenBuffers(4, buffers);
    for (int i = 0; i < 4; i++) {
        GLenum target = i < 3 ? GL_ARRAY_BUFFER : GL_ELEMENT_ARRAY_BUFFER;
        glBindBuffer(target, buffers[i]);
        glBufferData(target, sizes[i], data[i], GL_STATIC_DRAW);
        if (i == 0)
            glVertexPointer(3, GL_FLOAT, 0, NULL);
        else if (i < 3)
            glVertexAttribPointer(i, 4, i == 1 ? GL_FLOAT : GL_UNSIGNED_BYTE, i == 2, 0, NULL);
    }
    glEnableClientState(GL_VERTEX_ARRAY);
    for (int i = 1; i < 3; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisorARB(i, 1);
    }
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    return often(instances, line) * INSTANCES / 1e6;
}

/* -- transform feedback ------------------------------------------------------------------------- */

enum { CAPTURED = 1000000 };

static void captures(const Line *line)
{
    (void)line;
    glBeginTransformFeedbackEXT(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, CAPTURED);
    glEndTransformFeedbackEXT();
}

/* Particles: a million vertices move, and nothing is drawn of them. */
static double t_captures(const Line *line)
{
    static const char *const names[] = {"gl_Position", "speed"};
    static GLfloat data[CAPTURED][8];
    GLuint buffers[2], name = glCreateProgram();
    for (int i = 0; i < CAPTURED; i++)
        for (int c = 0; c < 8; c++)
            data[i][c] = (i * (c + 3) % 1009) / 1009.0f;
    glAttachShader(name, compiled(GL_VERTEX_SHADER, HEAD, line->vertex));
    glBindAttribLocation(name, 1, "before");
    glTransformFeedbackVaryingsEXT(name, 2, (const char **)names, GL_INTERLEAVED_ATTRIBS_EXT);
    if (!linked(name))
        return 0;
    glUseProgram(name);
    glGenBuffers(2, buffers);
    for (int i = 0; i < 2; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
        glBufferData(GL_ARRAY_BUFFER, sizeof data, i ? NULL : data, GL_DYNAMIC_COPY);
    }
    glBindBufferBaseEXT(GL_TRANSFORM_FEEDBACK_BUFFER_EXT, 0, buffers[1]);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glVertexPointer(4, GL_FLOAT, 32, NULL);
    glVertexAttribPointer(1, 4, GL_FLOAT, 0, 32, (char *)NULL + 16);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableVertexAttribArray(1);
    glEnable(GL_RASTERIZER_DISCARD_EXT);
    return often(captures, line) * CAPTURED / 1e6;
}

/* -- fragments ----------------------------------------------------------------------------------- */

static void layers(const Line *line)
{
    (void)line;
    for (int i = 0; i < LAYERS; i++)
        glRectf(-1, -1, 1, 1);
}

static double t_fill(const Line *line)
{
    if (!begin(line))
        return 0;
    return often(layers, line) * LAYERS * WINDOW * WINDOW / 1e6;
}

/* The same with depth, between 0 and 1 or between 0 and 1e-37 (`number`). */
static double t_depths(const Line *line)
{
    glDepthRange(0, line->number ? 1e-37 : 1);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_DEPTH_TEST);
    return t_fill(line);
}

static double t_targets(const Line *line)
{
    static const GLenum targets[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
                                     GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3};
    GLuint object, names[4];
    if (!begin(line))
        return 0;
    glGenFramebuffers(1, &object);
    glBindFramebuffer(GL_FRAMEBUFFER, object);
    glGenRenderbuffers(4, names);
    for (int i = 0; i < 4; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, names[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WINDOW, WINDOW);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, targets[i], GL_RENDERBUFFER, names[i]);
    }
    glDrawBuffers(4, targets);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return 0;
    return often(layers, line) * LAYERS * WINDOW * WINDOW / 1e6;
}

/* -- vertices ------------------------------------------------------------------------------------ */

static void point_at_mesh(void)
{
    size_t step = MESH_FLOATS * sizeof(float);
    bind_mesh();
    glVertexPointer(3, GL_FLOAT, step, NULL);
    glVertexAttribPointer(1, 3, GL_FLOAT, 0, step, (char *)(3 * sizeof(float)));
    glVertexAttribPointer(2, 1, GL_FLOAT, 0, step, (char *)(6 * sizeof(float)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableVertexAttribArray(1);
    glEnableVertexAttribArray(2);
}

static double t_mesh(const Line *line)
{
    if (!begin(line))
        return 0;
    point_at_mesh();
    return often(draw_mesh, line) * CORNERS / 3 / 1e6;
}

/* -- calls --------------------------------------------------------------------------------------- */

static GLuint first, other;
static GLint place, table_place;

/* Programs in turn, each with uniforms of its own. */
static void switches(const Line *line)
{
    for (int i = 0; i < DRAWS; i++) {
        glUseProgram(i & 1 ? first : other);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    (void)line;
}

static void moves(const Line *line)
{
    for (int i = 0; i < DRAWS; i++) {
        glUniform4f(place, (i % 40) / 20.0f - 1, i / 260.0f - 1, 0, 0);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    (void)line;
}

static void tables(const Line *line)
{
    static float values[64 * 4];
    for (int i = 0; i < DRAWS; i++) {
        values[i % 256] = i * 0.01f;
        glUniform4fv(table_place, 64, values);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    (void)line;
}

static double t_draws(const Line *line)
{
    static void (*const frames[])(const Line *) = {switches, moves, tables};
    static const float triangle[] = {-0.5f, -0.5f, 0.5f, -0.5f, 0, 0.5f};
    other = begin(line);
    first = begin(line);
    if (!first || !other)
        return 0;
    place = glGetUniformLocation(first, "shift");
    table_place = glGetUniformLocation(first, "table");
    glVertexPointer(2, GL_FLOAT, 0, triangle);
    glEnableClientState(GL_VERTEX_ARRAY);
    return often(frames[line->number], line) * DRAWS / 1e3;
}

/* -- buffers ------------------------------------------------------------------------------------- */

enum { ROW = 256, RANGES = 1000, BLOCK_BYTES = 65536 }; /* ROW: as ranges of any driver are aligned */

static void block(GLuint name, const char *block, GLsizeiptr bytes)
{
    GLuint object;
    glUniformBlockBinding(name, glGetUniformBlockIndex(name, block), 1);
    glGenBuffers(1, &object);
    glBindBufferBase(GL_UNIFORM_BUFFER, 1, object);
    glBufferData(GL_UNIFORM_BUFFER, bytes, NULL, GL_DYNAMIC_DRAW);
}

/* A square of texels in a buffer, floats or bytes (`number`), for the fragments of a fill. */
static double t_texels(const Line *line)
{
    static float texels[SIZE * SIZE * 4];
    GLuint object, name = begin(line);
    if (!name)
        return 0;
    for (int i = 0; i < SIZE * SIZE * 4; i++)
        texels[i] = (i * 37 % 101) / 101.0f;
    glGenBuffers(1, &object);
    glBindBuffer(GL_TEXTURE_BUFFER, object);
    glBufferData(GL_TEXTURE_BUFFER, sizeof texels, texels, GL_STATIC_DRAW);
    glGenTextures(1, &object);
    glActiveTexture(GL_TEXTURE6);
    glBindTexture(GL_TEXTURE_BUFFER, object);
    glGetIntegerv(GL_TEXTURE_BUFFER, (GLint *)&object);
    glTexBuffer(GL_TEXTURE_BUFFER, line->number ? GL_RGBA8 : GL_RGBA32F, object);
    glUniform1i(glGetUniformLocation(name, "texels"), 6);
    return often(layers, line) * LAYERS * WINDOW * WINDOW / 1e6;
}

/* All of a block changes before the window is filled once. */
static void changes(const Line *line)
{
    static float values[BLOCK_BYTES / 4];
    for (int i = 0; i < BLOCK_BYTES / 4; i += 1024)
        values[i] += 0.001f;
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof values, values);
    glRectf(-1, -1, 1, 1);
    (void)line;
}

static double t_changes(const Line *line)
{
    GLuint name = begin(line);
    if (!name)
        return 0;
    block(name, "Table", BLOCK_BYTES);
    return often(changes, line);
}

/* Each draw has a range of its own of one buffer. */
static void ranges(const Line *line)
{
    GLint object;
    glGetIntegerv(GL_UNIFORM_BUFFER_BINDING, &object);
    for (int i = 0; i < RANGES; i++) {
        glBindBufferRange(GL_UNIFORM_BUFFER, 1, object, i * ROW, 32);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    (void)line;
}

static double t_ranges(const Line *line)
{
    static const float triangle[] = {-0.05f, -0.05f, 0.05f, -0.05f, 0, 0.05f};
    static float rows[RANGES][ROW / 4];
    GLuint name = begin(line);
    if (!name)
        return 0;
    block(name, "Row", sizeof rows);
    for (int i = 0; i < RANGES; i++) {
        rows[i][0] = (i % 40) / 20.0f - 1, rows[i][1] = i / 520.0f - 1;
        rows[i][4] = i % 7 / 7.0f, rows[i][5] = i % 11 / 11.0f;
    }
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof rows, rows);
    glVertexPointer(2, GL_FLOAT, 0, triangle);
    glEnableClientState(GL_VERTEX_ARRAY);
    return often(ranges, line) * RANGES / 1e3;
}

/* -- the table ----------------------------------------------------------------------------------- */

/* Vertex shaders for fills: the window's corners, and what varies over it. */
#define ACROSS                                                                                     \
    "varying vec2 at; varying vec3 n; void main() {"                                               \
    " at = gl_Vertex.xy * 0.5 + 0.5; n = vec3(gl_Vertex.xy, 1.0); gl_Position = gl_Vertex; }"
#define FILL(name, fragment)                                                                       \
    {name, "Mpix/s", t_fill, ACROSS, "varying vec2 at; varying vec3 n;" fragment, 0}
/* What varies is multiplied by a number before it is interpolated. Its planes' coefficients are denormals with 1e-37:
 * a CPU that computes with these takes some hundred cycles each. */
#define GRADIENTS(name, times)                                                                     \
    {name, "Mpix/s", t_fill,                                                                       \
     "varying vec4 a, b; void main() { a = (gl_Vertex.xyyx + 2.0) * " times                        \
     "; b = (gl_Vertex.yxxy + 3.0) * " times "; gl_Position = gl_Vertex; }",                       \
     "varying vec4 a, b; void main() { gl_FragColor = a + b * 0.5; }", 0}
#define DEPTHS(name, tiny)                                                                         \
    {name, "Mpix/s", t_depths,                                                                     \
     "varying vec3 n; void main() { n = gl_Vertex.xyz;"                                            \
     " gl_Position = vec4(gl_Vertex.xy, gl_Vertex.x * 0.7 + gl_Vertex.y * 0.2, 1.0); }",           \
     "varying vec3 n; void main() { gl_FragColor = vec4(n, 1.0); }", tiny}
#define MESH(name, vertex, fragment)                                                               \
    {name, "Mtri/s", t_mesh,                                                                       \
     "attribute vec3 normal; attribute float weight; varying vec4 color;" vertex,                  \
     "varying vec4 color;" fragment, 0}
#define TEXELS(name, bytes)                                                                        \
    {name, "Mpix/s", t_texels, ACROSS,                                                             \
     "#extension GL_EXT_gpu_shader4 : require\n"                                                   \
     "varying vec2 at; uniform samplerBuffer texels; void main() {"                                \
     " int i = int(at.x * 255.9), j = int(at.y * 255.9);"                                          \
     " gl_FragColor = texelFetchBuffer(texels, i * 256 + j)"                                       \
     "  + texelFetchBuffer(texels, i + 256 * j) * at.x; }",                                        \
     bytes}
#define PLAIN "void main() { gl_FragColor = color; }"
#define SMALL                                                                                      \
    "uniform vec4 shift; void main() {"                                                             \
    " gl_Position = vec4(gl_Vertex.xy * 0.1, 0.0, 1.0) + shift; }"

static const Line LINES[] = {
    FILL("color", "void main() { gl_FragColor = vec4(n, 1.0); }"),
    FILL("phong",
         "uniform vec3 light; uniform float shininess; void main() {"
         " vec3 v = normalize(n), c = vec3(0.1);"
         " for (int i = 0; i < 3; i++) {"
         "  vec3 l = normalize(light + vec3(float(i), 0.0, 0.0) - n * 0.2);"
         "  vec3 h = normalize(l + vec3(0.0, 0.0, 1.0));"
         "  c += vec3(0.3, 0.2, 0.1) * max(dot(v, l), 0.0)"
         "   + pow(max(dot(v, h), 0.0), shininess); }"
         " gl_FragColor = vec4(c, 1.0); }"),
    FILL("transcendental",
         "uniform float time; void main() {"
         " float a = exp(-at.x * 3.0) + log(at.y + 1.0), b = atan(n.y, n.x);"
         " gl_FragColor = vec4(sqrt(abs(a)), sin(b * 6.0 + time), pow(at.x, at.y + 0.3),"
         "  cos(a * time)); }"),
    FILL("noise",
         "uniform float time; float hash(vec2 p) {"
         " return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }"
         "float noise(vec2 p) { vec2 i = floor(p), f = fract(p); f = f * f * (3.0 - 2.0 * f);"
         " return mix(mix(hash(i), hash(i + vec2(1.0, 0.0)), f.x),"
         "  mix(hash(i + vec2(0.0, 1.0)), hash(i + vec2(1.0, 1.0)), f.x), f.y); }"
         "void main() { vec2 p = at * 8.0; float s = 0.0, w = 0.5;"
         " for (int i = 0; i < 4; i++) { s += w * noise(p); p *= 2.03; w *= 0.5; }"
         " gl_FragColor = vec4(s, s * s, at.x, 1.0); }"),
    FILL("texture",
         "uniform sampler2D image; void main() { gl_FragColor = texture2D(image, at * 2.0); }"),
    FILL("textures",
         "uniform sampler2D image, second, third, fourth; void main() {"
         " gl_FragColor = texture2D(image, at) * texture2D(second, at.yx * 2.0)"
         "  + texture2D(third, at * 3.0) * texture2D(fourth, at * 1.5).x; }"),
    FILL("dependent",
         "uniform sampler2D image, second, third; void main() {"
         " vec2 p = texture2D(second, at).xy; p = texture2D(second, p * 0.3 + at).yz;"
         " gl_FragColor = texture2D(image, p) + texture2D(third, p + at) * 0.2; }"),
    FILL("blur",
         "uniform sampler2D second; uniform float size; void main() { vec4 c = vec4(0.0);"
         " for (int i = -4; i <= 4; i++)"
         "  c += texture2D(second, at * 2.0 + vec2(float(i) * size, 0.0))"
         "   * (0.2 - abs(float(i)) * 0.02);"
         " gl_FragColor = c; }"),
    FILL("lookup_lod",
         "uniform sampler2D image; void main() {"
         " gl_FragColor = texture2DLod(image, at * 4.0, n.x * 2.0 + 2.0); }"),
    FILL("cube",
         "uniform samplerCube cube; void main() {"
         " gl_FragColor = textureCube(cube, reflect(n, normalize(vec3(at, 1.0)))); }"),
    FILL("shadow",
         "uniform sampler2DShadow depth; void main() {"
         " gl_FragColor = shadow2D(depth, vec3(at * 2.0, at.x)) * vec4(n, 1.0); }"),
    FILL("branch_uniform",
         "uniform int on; uniform float time; void main() { vec3 c = n;"
         " if (on > 0) c = c * 0.5 + sin(time) * 0.2 + 0.4; else c = normalize(cos(c * time));"
         " gl_FragColor = vec4(c, 1.0); }"),
    FILL("branch",
         "uniform sampler2D image; void main() { vec4 c;"
         " if (fract(at.x * 7.0 + at.y * 3.0) < 0.4) { vec3 v = normalize(n + 0.3);"
         "  c = vec4(sin(v * 9.0), pow(v.z, 5.5)); }"
         " else c = texture2D(image, at) * n.xyzz;"
         " gl_FragColor = c; }"),
    FILL("loop_uniform",
         "uniform int count; void main() { vec3 c = vec3(0.0), p = n;"
         " for (int i = 0; i < count; i++) { p = p * p.yzx + 0.1; c += p * 0.2; }"
         " gl_FragColor = vec4(c, 1.0); }"),
    FILL("mandelbrot",
         "void main() { vec2 c = at * vec2(3.0, 2.4) - vec2(2.2, 1.2), z = vec2(0.0);"
         " int i = 0; for (; i < 60; i++) {"
         "  z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; if (dot(z, z) > 4.0) break; }"
         " gl_FragColor = vec4(float(i) / 60.0, z * 0.2, 1.0); }"),
    FILL("derivatives",
         "void main() { vec2 p = at * 20.0, w = fwidth(p);"
         " vec2 g = abs(fract(p - 0.5) - 0.5) / w;"
         " gl_FragColor = vec4(vec3(1.0 - min(min(g.x, g.y), 1.0)), 1.0)"
         "  + vec4(normalize(cross(dFdx(n), dFdy(n) + vec3(0.0, 0.0, 0.01))), 0.0) * 0.3; }"),
    FILL("discarding",
         "uniform sampler2D second; void main() { vec4 c = texture2D(second, at * 2.0);"
         " if (c.z < 0.5) discard; gl_FragColor = c * n.xyxz; }"),
    FILL("many_uniforms",
         "uniform vec4 table[64]; void main() { vec4 c = vec4(0.0);"
         " for (int i = 0; i < 64; i++) c += table[i] * n.x; gl_FragColor = c * 0.03; }"),
    FILL("indexed_uniforms",
         "uniform vec4 table[64]; void main() {"
         " int i = int(at.x * 60.0), j = int(at.y * 60.0); gl_FragColor = table[i] * table[j]; }"),
    FILL("indexed_locals",
         "void main() { float t[16]; for (int i = 0; i < 16; i++) t[i] = n.x * float(i);"
         " int k = int(at.y * 15.0); t[k] += 1.0; float s = t[15 - k] + t[k];"
         " gl_FragColor = vec4(s * 0.1, at, 1.0); }"),
    FILL("matrices",
         "uniform mat4 bones[16]; void main() { vec4 p = vec4(n, 1.0);"
         " for (int i = 0; i < 4; i++) p = bones[i] * p + 0.1; gl_FragColor = p * 0.2; }"),
    GRADIENTS("gradients", "0.1"),
    GRADIENTS("gradients_tiny", "1e-37"),
    DEPTHS("depths", 0),
    DEPTHS("depths_tiny", 1),
    {"four_targets", "Mpix/s", t_targets, ACROSS,
     "varying vec2 at; varying vec3 n; uniform sampler2D second; void main() {"
     " gl_FragData[0] = texture2D(second, at * 2.0); gl_FragData[1] = vec4(normalize(n), 1.0);"
     " gl_FragData[2] = vec4(at, n.xy); gl_FragData[3] = gl_FragCoord * 0.001; }",
     0},
    MESH("mesh", "void main() { color = vec4(normal, 1.0); gl_Position = gl_Vertex; }", PLAIN),
    MESH("mesh_lit",
         "uniform vec3 light; uniform float shininess; void main() {"
         " vec4 p = gl_ModelViewMatrix * gl_Vertex; vec3 v = normalize(gl_NormalMatrix * normal);"
         " vec3 h = normalize(light + vec3(0.0, 0.0, 1.0)); color = vec4(vec3(max(dot(v, light),"
         "  0.0)) + pow(max(dot(v, h), 0.0), shininess), 1.0);"
         " gl_Position = gl_ProjectionMatrix * p; }",
         PLAIN),
    MESH("mesh_skinned",
         "uniform mat4 bones[16]; void main() { int i = int(weight);"
         " vec4 p = mix(bones[i] * gl_Vertex, bones[15 - i] * gl_Vertex, 0.3);"
         " color = vec4(mat3(bones[i]) * normal, 1.0); gl_Position = p; }",
         PLAIN),
    MESH("mesh_textured",
         "uniform sampler2D second; void main() { vec4 t = texture2DLod(second,"
         "  gl_Vertex.xy * 0.5 + 0.5, 0.0);"
         " color = t; gl_Position = gl_Vertex + vec4(0.0, 0.0, t.z * 0.2, 0.0); }",
         PLAIN),
    MESH("mesh_waves",
         "uniform float time; void main() { vec4 p = gl_Vertex;"
         " for (int i = 0; i < 4; i++) p.z += sin(p.x * float(i) * 4.0 + time) * 0.05;"
         " color = p * 0.5 + 0.5; gl_Position = p; }",
         PLAIN),
    MESH("mesh_varyings",
         "varying vec4 a, b, c, d, e, f; void main() { a = gl_Vertex; b = a * a; c = b * a;"
         " d = c.wzyx; e = d + a; f = e * b; color = a + f; gl_Position = gl_Vertex; }",
         "varying vec4 a, b, c, d, e, f; void main() {"
         " gl_FragColor = a * b + c * d + e * f + color; }"),
    {"instances", "Minst/s", t_instances,
     "attribute vec4 normal, weight; varying vec4 color; void main() { color = weight;"
     " gl_Position = vec4(gl_Vertex.xyz * normal.w + normal.xyz, 1.0); }",
     "varying vec4 color; void main() { gl_FragColor = color; }", 0},
    {"feedback", "Mvert/s", t_captures,
     "attribute vec4 before; varying vec4 speed; void main() {"
     " speed = before - normalize(gl_Vertex) * 0.01; gl_Position = gl_Vertex + speed * 0.02; }",
     "", 0},
    {"switches", "kdraw/s", t_draws, SMALL, "void main() { gl_FragColor = vec4(0.3); }", 0},
    {"moves", "kdraw/s", t_draws, SMALL, "void main() { gl_FragColor = vec4(0.6); }", 1},
    {"tables", "kdraw/s", t_draws, SMALL,
     "uniform vec4 table[64]; void main() {"
     " gl_FragColor = table[0] + table[9] + table[63] + table[int(gl_FragCoord.x) / 16]; }",
     2},
    {"block_changed", "frame/s", t_changes, ACROSS,
     "varying vec2 at; varying vec3 n; layout(std140) uniform Table { vec4 table[4096]; };"
     " void main() { int i = int(at.x * 63.9), j = int(at.y * 63.9);"
     " gl_FragColor = table[i * 64 + j] + table[j] * n.x; }",
     0},
    TEXELS("texel_buffer", 0),
    TEXELS("texel_buffer_bytes", 1),
    {"block_ranges", "kdraw/s", t_ranges,
     "layout(std140) uniform Row { vec4 shift, color; }; void main() {"
     " gl_Position = vec4(gl_Vertex.xy, 0.0, 1.0) + shift; }",
     "layout(std140) uniform Row { vec4 shift, color; }; void main() { gl_FragColor = color; }",
     0},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, LINES, sizeof LINES / sizeof LINES[0]);
}
