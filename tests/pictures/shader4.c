/* SPDX-License-Identifier: MIT */
/* EXT_gpu_shader4: whole numbers, how varyings vary, texels by their places, lookups beside a place, sizes, numbers of
 * vertices, instances and primitives, outputs of a shader's own. */
#include "scenes.h"

#define HEAD "#extension GL_EXT_gpu_shader4 : require\n#extension GL_EXT_texture_array : enable\n"
#define PLAIN HEAD "void main() { gl_Position = ftransform(); }"

/* A program of two texts is used; null: fixed function. */
static GLuint use(const char *vertex, const char *fragment)
{
    GLuint program = compiled(vertex, fragment);
    glBindAttribLocation(program, 5, "number");
    glBindFragDataLocationEXT(program, 1, "second");
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

/* The window, or the cell at hand, is filled. */
static void fill(void)
{
    static const float corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++)
        glVertex2fv(corner[i]);
    glEnd();
}

static void start(void)
{
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
}

/* A texture of noise; every level has other texels. */
static void texture(GLenum target, GLenum format, int size, int depth, GLenum filter)
{
    static GLint numbers[32 * 32 * 4 * 4];
    static GLfloat floats[32 * 32 * 4 * 4];
    int whole = format == GL_RGBA32I_EXT || format == GL_RGBA8UI_EXT || format == GL_RGBA16UI_EXT;
    int levels = filter >= GL_NEAREST_MIPMAP_NEAREST ? 6 : 1;
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter & 1 && filter < GL_NEAREST_MIPMAP_NEAREST ? filter : GL_NEAREST);
    for (int level = 0; level < levels; level++) {
        int edge = size >> level;
        const void *texels = whole ? (const void *) numbers : (const void *) floats;
        GLenum of = whole ? GL_RGBA_INTEGER_EXT : GL_RGBA, type = whole ? GL_INT : GL_FLOAT;
        for (int i = 0; i < LENGTH(numbers); i++) {
            floats[i] = (int) (noise() * 16) / 15.0f;
            numbers[i] = (int) (noise() * 200);
        }
        if (depth)
            glTexImage3D(target, level, format, edge, edge, depth, 0, of, type, texels);
        else if (target == GL_TEXTURE_1D)
            glTexImage1D(target, level, format, edge, 0, of, type, texels);
        else
            glTexImage2D(target, level, format, edge, edge, 0, of, type, texels);
    }
}

static void integers(int arg)
{
    static const char *fragments[] = {
        HEAD "uniform uvec2 u; uniform int by;"
        "void main() { ivec2 p = ivec2(gl_FragCoord.xy); uint a = uint(p.x * 77 + p.y);"
        " uint b = (a << 3u) ^ (a >> 1u) & 255u | u.x; b %= 256u;"
        " gl_FragColor = vec4(float(b) / 255.0, float((p.x + p.y) % by) / 9.0, float(~p.y & 63) / 63.0,"
        " float(max(b, u.y) / 5u) / 60.0); }",
        HEAD "uniform uvec2 u; uniform int by;"
        "void main() { ivec2 p = ivec2(gl_FragCoord.xy) - 30; ivec3 q = ivec3(abs(p), sign(p.x)) << ivec3(1, 2, 3);"
        " q >>= 1; uvec3 r = clamp(uvec3(q), uvec3(2u), uvec3(u.yyy)); bvec3 s = lessThan(r, uvec3(9u, 30u, 60u));"
        " unsigned int t = 0xFFFFFFFFu / uint(by); if (t > 429496729u) discard;"
        " gl_FragColor = vec4(r, 99) / 99.0 + vec4(vec3(s) * 0.3, truncate(-1.5) + round(float(p.x) / 3.0)); }",
    };
    start();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ZERO);
    GLuint program = use(PLAIN, fragments[arg]);
    glUniform2uiEXT(glGetUniformLocation(program, "u"), 3, 70);
    glUniform1i(glGetUniformLocation(program, "by"), 10);
    fill();
}

/* The same varying in four ways, in a strip that goes into the depth; `first`: the provoking convention. */
static void varyings(int first)
{
    static const char *vertex =
        HEAD "attribute vec4 colour; varying vec3 a; flat varying vec3 b; noperspective varying vec3 c;"
        "flat varying ivec2 d; noperspective centroid varying vec2 e;"
        "void main() { gl_Position = ftransform(); a = b = c = colour.rgb; d = ivec2(colour.rg * 10.0); e = colour.gb; }";
    static const char *fragment =
        HEAD "varying vec3 a; flat varying vec3 b; noperspective varying vec3 c; flat varying ivec2 d;"
        "noperspective centroid varying vec2 e;"
        "void main() { float y = mod(gl_FragCoord.y, 32.0); gl_FragColor = vec4(y < 8.0 ? floor(a * 8.0) / 8.0"
        " : y < 16.0 ? b : y < 24.0 ? floor(c * 8.0) / 8.0 : vec3(vec2(d) / 10.0, floor(e.x * 8.0) / 8.0), 1); }";
    start();
    GLuint program = use(vertex, fragment);
    int colour = glGetAttribLocation(program, "colour");
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    perspective(60, 1, 30);
    glProvokingVertex(first ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
    static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_QUADS, GL_LINE_STRIP, GL_TRIANGLES};
    for (int m = 0; m < 4; m++) {
        glLineWidth(9);
        glBegin(modes[m]);
        for (int i = 0; i < 12; i++) {
            glVertexAttrib4f(colour, i % 3 / 2.0f, i % 4 / 3.0f, i / 11.0f, 1);
            glVertex3f(i / 2 * 0.6f - 1.7f, (i ^ i >> 1) % 2 * 0.5f + m * 0.7f - 1.4f, -2 - (i * 5 % 7) * 0.3f);
        }
        glEnd();
    }
}

/* Whole numbers as attributes: arrays of several types, current values, in immediate mode. */
static void attributes(int arg)
{
    static const char *vertex =
        HEAD "attribute ivec4 number; flat varying vec4 colour;"
        "void main() { gl_Position = ftransform(); colour = vec4(number & 63) / 63.0; }";
    static const char *unsigned_vertex =
        HEAD "attribute uvec4 number; flat varying vec4 colour;"
        "void main() { gl_Position = ftransform(); colour = vec4(number >> 24u) / 255.0; }";
    static const char *fragment = HEAD "flat varying vec4 colour; void main() { gl_FragColor = colour; }";
    static const GLenum types[] = {GL_BYTE, GL_UNSIGNED_BYTE, GL_SHORT, GL_UNSIGNED_SHORT, GL_INT, GL_UNSIGNED_INT};
    static GLbyte numbers[4 * 4 * 24];
    start();
    use(arg ? unsigned_vertex : vertex, fragment);
    pixels();
    for (int i = 0; i < LENGTH(numbers); i++)
        numbers[i] = (GLbyte) (noise() * 255 - 128);
    static GLfloat places[24][2];
    for (int row = 0; row < 8; row++) {
        for (int i = 0; i < 24; i++) {
            places[i][0] = i / 4 * 40 + (i + 1) / 2 % 2 * 36 + 8;
            places[i][1] = row * 22 + i / 2 % 2 * 18 + 8;
        }
        glEnableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(2, GL_FLOAT, 0, places);
        if (row < 6) {
            glEnableVertexAttribArray(5);
            glVertexAttribIPointerEXT(5, 1 + row % 4, types[row], 16, numbers);
            glDrawArrays(GL_QUADS, 0, 24);
        } else if (row == 6) {
            glDisableVertexAttribArray(5);
            glVertexAttribI4iEXT(5, 17, 0x7F00003F, -1, -30);
            glDrawArrays(GL_QUADS, 0, 24);
        } else {
            glBegin(GL_QUADS);
            for (int i = 0; i < 24; i++) {
                glVertexAttribI4uiEXT(5, i * 0x7000003u, i * 0x9000007u, ~i * 0x5000001u, 63);
                glVertex2fv(places[i]);
            }
            glEnd();
        }
    }
}

typedef struct {
    const char *fragment;
    GLenum target, format;
    int size, depth;
    GLenum filter, wrap;
} Lookup;

#define COORD "vec2 p = mod(gl_FragCoord.xy, 64.0); ivec2 i = ivec2(p);"
static const Lookup fetches[] = {
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texelFetch2D(s, i / 2 - 2, 0); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texelFetch2D(s, i / 3, i.y / 10 - 1); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texelFetch2DOffset(s, i / 2, 0, ivec2(-3, 2)); }",
     GL_TEXTURE_2D, GL_RGB8, 32, 0, GL_LINEAR, GL_REPEAT},
    {HEAD "uniform sampler1D s; void main() {" COORD "gl_FragColor = texelFetch1D(s, i.x / 2 - 1, 0); }",
     GL_TEXTURE_1D, GL_RGBA32F_ARB, 32, 0, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform isampler2D s; void main() {" COORD "gl_FragColor = vec4(texelFetch2D(s, i / 2, 0)) / 200.0; }",
     GL_TEXTURE_2D, GL_RGBA32I_EXT, 32, 0, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform usampler2D s; void main() {" COORD "gl_FragColor = vec4(texture2D(s, p / 50.0) >> 1u) / 100.0; }",
     GL_TEXTURE_2D, GL_RGBA8UI_EXT, 32, 0, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform usampler3D s; void main() {" COORD
     "gl_FragColor = vec4(texelFetch3D(s, ivec3(i / 4, i.x / 16), 0)) / 200.0; }",
     GL_TEXTURE_3D, GL_RGBA16UI_EXT, 16, 4, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2DArray s; void main() {" COORD
     "gl_FragColor = texelFetch2DArrayOffset(s, ivec3(i / 4, i.x / 16), 0, ivec2(1, -1)); }",
     GL_TEXTURE_2D_ARRAY_EXT, GL_RGBA8, 16, 4, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2DRect s; void main() {" COORD
     "gl_FragColor = texelFetch2DRect(s, i / 2) * 0.5 + texelFetch2DRectOffset(s, i / 2, ivec2(3, 2)) * 0.5; }",
     GL_TEXTURE_RECTANGLE_ARB, GL_RGBA8, 30, 0, GL_NEAREST, GL_CLAMP_TO_EDGE},
    {HEAD "uniform sampler2D s; void main() {" COORD
     "gl_FragColor = vec4(textureSize2D(s, i.x / 16) / 2, textureSize2D(s, 1)) / 33.0; }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT},
    {HEAD "uniform isampler2D s; void main() {" COORD "ivec4 c = ivec4(0); for (int n = 0; n < i.x / 8; n++)"
     "c += texelFetch2D(s, ivec2(n, i.y / 8), 0); gl_FragColor = vec4(c) / 1500.0; }",
     GL_TEXTURE_2D, GL_RGBA32I_EXT, 32, 0, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2DArray s; void main() {" COORD
     "gl_FragColor = vec4(textureSize2DArray(s, 0), 4) / 20.0 + texture2DArrayLod(s, vec3(p / 90.0, 2.0), 0.0) * 0.2; }",
     GL_TEXTURE_2D_ARRAY_EXT, GL_RGBA8, 16, 4, GL_NEAREST, GL_REPEAT},
};
static const Lookup offsets[] = {
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texture2DOffset(s, p / 64.0, ivec2(3, -5)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texture2DOffset(s, p / 90.0, ivec2(3, -5)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_LINEAR, GL_CLAMP_TO_EDGE},
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texture2DOffset(s, p / 90.0, ivec2(7, -5)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_LINEAR, GL_CLAMP_TO_BORDER},
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texture2DOffset(s, p / 70.0 + 0.4, ivec2(7, -5)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_LINEAR, GL_MIRRORED_REPEAT},
    {HEAD "uniform sampler2D s; void main() {" COORD
     "gl_FragColor = texture2DLodOffset(s, p / 64.0, floor(p.x / 16.0), ivec2(2, 1)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler2D s; void main() {" COORD
     "gl_FragColor = texture2DProjOffset(s, vec3(p, 50.0), ivec2(-8, 7)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_LINEAR, GL_REPEAT},
    {HEAD "uniform sampler2D s; void main() {" COORD
     "gl_FragColor = texture2DGradOffset(s, p / 64.0, vec2(0.05, 0.0), vec2(0.0, 0.07), ivec2(2, 1)); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT},
    {HEAD "uniform sampler3D s; void main() {" COORD
     "gl_FragColor = texture3DOffset(s, vec3(p / 64.0, p.x / 80.0), ivec3(2, 1, 1)); }",
     GL_TEXTURE_3D, GL_RGBA8, 16, 4, GL_LINEAR, GL_REPEAT},
    {HEAD "uniform sampler2DArray s; void main() {" COORD
     "gl_FragColor = texture2DArrayOffset(s, vec3(p / 64.0, floor(p.x / 16.0)), ivec2(2, 1)); }",
     GL_TEXTURE_2D_ARRAY_EXT, GL_RGBA8, 16, 4, GL_LINEAR, GL_REPEAT},
    {HEAD "uniform sampler2DRect s; void main() {" COORD "gl_FragColor = texture2DRectOffset(s, p * 0.4, ivec2(2, 1)) *"
     "0.5 + texture2DRectProjOffset(s, vec3(p * 0.4, 1.4), ivec2(3, 3)) * 0.5; }",
     GL_TEXTURE_RECTANGLE_ARB, GL_RGBA8, 30, 0, GL_LINEAR, GL_CLAMP_TO_EDGE},
    {HEAD "uniform sampler2D s; void main() {" COORD "gl_FragColor = texture2DOffset(s, p / 64.0, ivec2(1, 2), 1.0); }",
     GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT},
    {HEAD "uniform usampler2D s; void main() {" COORD
     "gl_FragColor = vec4(texture2DOffset(s, p / 64.0, ivec2(-1, 4))) / 200.0; }",
     GL_TEXTURE_2D, GL_RGBA8UI_EXT, 32, 0, GL_NEAREST, GL_REPEAT},
};

static void lookups(int moved)
{
    static const float border[] = {1, 0, 1, 0.5f};
    static const GLenum axes[] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
    start();
    for (int n = 0; n < 12; n++) {
        const Lookup *row = (moved ? offsets : fetches) + n;
        cell(n, 4, 3);
        texture(row->target, row->format, row->size, row->depth, row->filter);
        for (int k = 0; k < 3; k++)
            glTexParameteri(row->target, axes[k], row->wrap);
        glTexParameterfv(row->target, GL_TEXTURE_BORDER_COLOR, border);
        GLuint program = use(PLAIN, row->fragment);
        glUniform1i(glGetUniformLocation(program, "s"), 0);
        fill();
    }
}

/* gl_VertexID, gl_InstanceID and gl_PrimitiveID; texels fetched by a vertex shader. */
static void numbers(int arg)
{
    static const char *vertex =
        HEAD "uniform sampler2D s; flat varying vec2 of; void main() { vec4 v = gl_Vertex;"
        "v.xy += vec2(gl_InstanceID * 12) + texelFetch2D(s, ivec2(gl_VertexID, 3), 0).xy * 4.0; of = vec2(gl_VertexID %"
        " 7, gl_InstanceID) / 7.0; gl_Position = gl_ModelViewProjectionMatrix * v; }";
    static const char *fragment =
        HEAD "flat varying vec2 of; void main() { gl_FragColor = vec4(of, float(gl_PrimitiveID % 16) / 15.0, 1); }";
    static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_QUADS, GL_POLYGON, GL_LINE_LOOP, GL_POINTS, GL_TRIANGLES,
                                   GL_QUAD_STRIP, GL_TRIANGLE_FAN};
    GLfloat places[24][2];
    GLushort order[24];
    start();
    texture(GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST);
    GLuint program = use(vertex, fragment);
    glUniform1i(glGetUniformLocation(program, "s"), 0);
    pixels();
    glPointSize(7);
    glLineWidth(3);
    if (arg)
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    for (int m = 0; m < LENGTH(modes); m++) {
        for (int i = 0; i < 24; i++) {
            places[i][0] = m % 4 * 62 + i / 2 * 4 + 3;
            places[i][1] = m / 4 * 90 + (i + i / 2) % 2 * 40 + 8;
            order[i] = (GLushort) (23 - i);
        }
        glEnableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(2, GL_FLOAT, 0, places);
        if (m % 2)
            glDrawElementsInstancedEXT(modes[m], 23, GL_UNSIGNED_SHORT, order, 3);
        else
            glDrawArraysInstancedEXT(modes[m], 1, 23, 3);
    }
}

/* Outputs of a shader's own, to targets of whole numbers, which another shader shows. */
static void outputs(int arg)
{
    static const char *whole =
        HEAD "varying out uvec4 first; varying out uvec4 second; void main() { uvec2 p = uvec2(gl_FragCoord.xy);"
        "second = uvec4(p, p.x ^ p.y, 255u); first = uvec4(p.yx * 3u, p.x & p.y, 7u); }";
    static const char *plain =
        HEAD "varying out vec4 first; varying out vec4 second; void main() { vec2 p = gl_FragCoord.xy / 128.0;"
        "second = vec4(p, 0.2, 1); first = vec4(0.7, p.yx, 1); }";
    static const char *show =
        HEAD "uniform usampler2D s; uniform usampler2D t; void main() { ivec2 p = ivec2(gl_FragCoord.xy) / 2;"
        "gl_FragColor = vec4(gl_FragCoord.x < 128.0 ? texelFetch2D(s, p, 0) : texelFetch2D(t, p, 0)) / 255.0; }";
    static const char *show_plain =
        HEAD "uniform sampler2D s; uniform sampler2D t; void main() { ivec2 p = ivec2(gl_FragCoord.xy) / 2;"
        "gl_FragColor = gl_FragCoord.x < 128.0 ? texelFetch2D(s, p, 0) : texelFetch2D(t, p, 0); }";
    static const GLenum targets[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    static const GLuint zero[4];
    GLuint object;
    start();
    glGenFramebuffers(1, &object);
    glBindFramebuffer(GL_FRAMEBUFFER, object);
    for (int n = 0; n < 2; n++) {
        GLuint name;
        glActiveTexture(GL_TEXTURE0 + n);
        glGenTextures(1, &name);
        glBindTexture(GL_TEXTURE_2D, name);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        if (arg)
            glTexImage2D(GL_TEXTURE_2D, 0, n ? GL_RGBA8UI_EXT : GL_RGBA32UI_EXT, 128, 96, 0, GL_RGBA_INTEGER_EXT,
                         GL_UNSIGNED_INT, NULL);
        else
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 128, 96, 0, GL_RGBA, GL_FLOAT, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, targets[n], GL_TEXTURE_2D, name, 0);
    }
    glDrawBuffers(2, targets);
    glViewport(0, 0, 128, 96);
    if (arg)
        glClearColorIuiEXT(zero[0], zero[1], zero[2], zero[3]);
    glClear(GL_COLOR_BUFFER_BIT);
    use(PLAIN, arg ? whole : plain);
    glRectf(-0.9f, -0.8f, 0.7f, 0.9f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, W, H);
    GLuint program = use(PLAIN, arg ? show : show_plain);
    glUniform1i(glGetUniformLocation(program, "s"), 0);
    glUniform1i(glGetUniformLocation(program, "t"), 1);
    fill();
}

/* A texture that is drawn to by what reads it, at the same place, and another's half by the first. */
static void feedback(int halves)
{
    static const char *same =
        HEAD "uniform sampler2D s; uniform vec4 by; void main() { vec4 v = texelFetch2D(s, ivec2(gl_FragCoord.xy), 0);"
        "gl_FragColor = fract(v.brga + by); }";
    static const char *other =
        HEAD "uniform sampler2D s; uniform vec4 by; void main() { ivec2 p = ivec2(gl_FragCoord.xy);"
        "gl_FragColor = fract(texelFetch2D(s, ivec2(p.x ^ 16, p.y), 0).gbra + by); }";
    GLuint object, name;
    start();
    texture(GL_TEXTURE_2D, GL_RGBA8, 32, 0, GL_NEAREST);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, (GLint *) &name);
    glGenFramebuffers(1, &object);
    glBindFramebuffer(GL_FRAMEBUFFER, object);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    glViewport(0, 0, 32, 32);
    GLuint program = use(PLAIN, halves ? other : same);
    glUniform1i(glGetUniformLocation(program, "s"), 0);
    for (int n = 0; n < 7; n++) {
        glUniform4f(glGetUniformLocation(program, "by"), n * 9 / 255.0f, 0.2f, 0.4f, 0.6f);
        if (halves)
            glRectf(n % 2 ? -1 : 0, -1, n % 2 ? 0 : 1, 1);
        else
            glRectf(-1 + n / 9.0f, -1 + n / 7.0f, 1 - n / 11.0f, 1 - n / 10.0f);
        glTextureBarrierNV();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, W, H);
    glUseProgram(0);
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        glTexCoord2f(i == 1 || i == 2, i > 1);
        glVertex2f(i == 1 || i == 2 ? 1 : -1, i > 1 ? 1 : -1);
    }
    glEnd();
}

static const Scene scenes[] = {
    {"shader4_integers", integers, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_integer_functions", integers, 1, 256, 192, COLOR, 0, 0, 0},
    {"shader4_varyings", varyings, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_varyings_first", varyings, 1, 256, 192, COLOR, 0, 0, 0},
    {"shader4_attributes", attributes, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_unsigned_attributes", attributes, 1, 256, 192, COLOR, 0, 0, 0},
    {"shader4_fetches", lookups, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_offsets", lookups, 1, 256, 192, COLOR, 0, 0, 0},
    {"shader4_numbers", numbers, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_numbers_of_edges", numbers, 1, 256, 192, COLOR, 0, 0, 0},
    {"shader4_outputs", outputs, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_feedback", feedback, 0, 256, 192, COLOR, 0, 0, 0},
    {"shader4_feedback_of_halves", feedback, 1, 256, 192, COLOR, 0, 0, 0},
    {"shader4_integer_outputs", outputs, 1, 256, 192, COLOR, 0, 0, 0},
};
const SceneList shader4_list = {scenes, LENGTH(scenes)};
