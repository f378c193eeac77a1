/* SPDX-License-Identifier: MIT */
/* ARB_uniform_buffer_object: members of all shapes, buffers that are changed between the draws of a scene, ranges,
 * binding points that change hands, blocks of both stages. */
#include "scenes.h"

#define HEAD "#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
#define PLAIN HEAD "void main() { gl_Position = ftransform(); }"

static GLuint use(const char *vertex, const char *fragment)
{
    GLuint program = compiled(vertex, fragment);
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

static void bind(GLuint program, const char *block, int point)
{
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, block), point);
}

static GLuint buffer(int bytes, const void *data)
{
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_UNIFORM_BUFFER, name);
    glBufferData(GL_UNIFORM_BUFFER, bytes, data, GL_DYNAMIC_DRAW);
    return name;
}

/* AVOIDS(collected_vertices): with arrays, which the peer draws before a buffer or a binding point changes. */
static void quad(float x0, float y0, float x1, float y1)
{
    const float corners[8] = {x0, y0, x1, y0, x1, y1, x0, y1};
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    glDrawArrays(GL_QUADS, 0, 4);
    glDisableClientState(GL_VERTEX_ARRAY);
}

/* The window, or the cell at hand, is filled. */
static void fill(void)
{
    quad(-1, -1, 1, 1);
}

static void start(void)
{
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
}

/* A word of each member of a block in its place: the program is told by its own answers where that is. */
static void members(int rows)
{
    static const char *texts[] = {
        HEAD "struct S { vec2 a; mat2x3 m; float b[3]; }; layout(std140) uniform B { float f; bvec2 q; vec3 v; int n;"
        " mat3 m; S s[2]; mat4x2 w[2]; }; void main() { vec2 p = gl_FragCoord.xy / vec2(256.0, 192.0);"
        " int i = int(p.x * 3.0), j = int(p.y * 2.0);"
        " gl_FragColor = vec4(f + m[i][j] + s[j].b[i], v.y + s[j].m[j][i] + w[j][i].x, q.y ? 0.2 : float(n) / 40.0,"
        " 1.0) + vec4(s[1].a.x * p.x); }",
        HEAD "struct S { vec2 a; mat2x3 m; float b[3]; }; layout(std140, row_major) uniform B { float f; bvec2 q;"
        " vec3 v; int n; mat3 m; S s[2]; layout(column_major) mat4x2 w[2]; };"
        " void main() { vec2 p = gl_FragCoord.xy / vec2(256.0, 192.0); int i = int(p.x * 3.0), j = int(p.y * 2.0);"
        " mat3 t = m; gl_FragColor = vec4(f + t[i][j] + s[j].b[i], v.y + s[j].m[j][i] + w[j][i].x,"
        " q.y ? 0.2 : float(n) / 40.0, 1.0) + vec4(s[1].a.x * p.x); }",
    };
    start();
    GLuint program = use(PLAIN, texts[rows]), index = glGetUniformBlockIndex(program, "B");
    GLint size = 0, count = 0;
    glGetActiveUniformBlockiv(program, index, GL_UNIFORM_BLOCK_DATA_SIZE, &size);
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    char *data = calloc(1, size);
    for (GLuint n = 0; n < (GLuint) count; n++) {
        GLint type, length, offset, step, between;
        GLenum asked[] = {GL_UNIFORM_TYPE, GL_UNIFORM_SIZE, GL_UNIFORM_OFFSET, GL_UNIFORM_ARRAY_STRIDE,
                          GL_UNIFORM_MATRIX_STRIDE};
        GLint *answers[] = {&type, &length, &offset, &step, &between};
        for (int k = 0; k < LENGTH(asked); k++)
            glGetActiveUniformsiv(program, 1, &n, asked[k], answers[k]);
        char name[64];
        int sum = 0;                    /* of the name: drivers list uniforms in their own order */
        glGetActiveUniformName(program, n, sizeof(name), NULL, name);
        for (char *letter = name; *letter; letter++)
            sum += *letter;
        for (int element = 0; element < length && offset >= 0; element++)     /* -1: a built-in uniform's */
            for (int line = 0; line < (between ? 2 : 1); line++)
                for (int part = 0; part < (type == GL_FLOAT || type == GL_INT ? 1 : 2); part++) {
                    char *place = data + offset + element * step + line * between + 4 * part;
                    float value = 0.05f * (1 + (sum * 7 + element * 5 + line * 3 + part * 2) % 9);
                    int whole = type == GL_INT ? 11 : part;
                    if (place + 4 <= data + size)
                        memcpy(place, type == GL_INT || type == GL_BOOL_VEC2 ? (void *) &whole : (void *) &value, 4);
                }
    }
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer(size, data));
    free(data);
    fill();
}

/* Cells in one scene, the buffer changed before each of them: in part, whole, mapped, copied to; read in one stage. */
static void changes(int vertex)
{
    static const char *texts[][2] = {
        {PLAIN, HEAD "uniform B { vec4 color[4]; }; void main() { gl_FragColor = "
                "color[int(mod(gl_FragCoord.x / 5.0, 4.0))]; }"},
        {HEAD "uniform B { vec4 color[4]; }; varying vec4 c; void main() { gl_Position = gl_Vertex; "
         "int i = gl_Vertex.x < 0.0 ? 1 : 2; c = color[i] + color[3] * 0.3; }",
         HEAD "varying vec4 c; void main() { gl_FragColor = c; }"},
    };
    start();
    float colors[16];
    use(texts[vertex][0], texts[vertex][1]);
    GLuint name = buffer(sizeof(colors), NULL), other = buffer(sizeof(colors), NULL);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, name);
    for (int n = 0; n < 20; n++) {
        for (int k = 0; k < 16; k++)
            colors[k] = (int) (noise() * 16) / 15.0f;
        glBindBuffer(GL_UNIFORM_BUFFER, name);
        switch (n % 5) {
        case 0:
            glBufferData(GL_UNIFORM_BUFFER, sizeof(colors), colors, GL_STREAM_DRAW);
            break;
        case 1:
            glBufferSubData(GL_UNIFORM_BUFFER, 16 * (n % 4), 16, colors);
            break;
        case 2: {
            float *at = glMapBufferRange(GL_UNIFORM_BUFFER, 16, 32, GL_MAP_WRITE_BIT);
            if (!at) /* where there are no uniform blocks */
                return;
            memcpy(at, colors, 32);
            glUnmapBuffer(GL_UNIFORM_BUFFER);
            break;
        }
        case 3:
            glBindBuffer(GL_UNIFORM_BUFFER, other);
            glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(colors), colors);
            glBindBuffer(GL_COPY_WRITE_BUFFER, name);
            glCopyBufferSubData(GL_UNIFORM_BUFFER, GL_COPY_WRITE_BUFFER, 0, 32, 32);
            break;
        default: {
            float *at = glMapBufferRange(GL_UNIFORM_BUFFER, 0, sizeof(colors),
                                         GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
            if (!at)
                return;
            memcpy(at, colors, sizeof(colors));
            glUnmapBuffer(GL_UNIFORM_BUFFER);
        }
        }
        cell(n, 5, 4);
        quad(-0.9f, -0.9f, 0.9f, 0.9f);
    }
    whole();
}

/* Ranges of one buffer, whose places the draws of a scene take in turn; `points`: the blocks take other points. */
static void ranges(int points)
{
    static const char *vertex = HEAD "layout(std140) uniform Place { vec2 size; vec2 middle; mat2 turn; };"
        "void main() { gl_Position = vec4(turn * gl_Vertex.xy * size + middle, 0.0, 1.0); }";
    static const char *fragment = HEAD "layout(std140) uniform Place { vec2 size; vec2 middle; mat2 turn; };"
        "layout(std140) uniform Look { vec4 color; float stripes; };"
        "void main() { float s = fract(gl_FragCoord.x * stripes * size.x); gl_FragColor = color * (0.5 + 0.5 * s); }";
    start();
    struct { float size[2], middle[2], turn[8], color[4], stripes, rest[11]; } rows[24];
    for (int n = 0; n < 24; n++) {
        memset(&rows[n], 0, sizeof(rows[n]));
        rows[n].size[0] = 0.05f + 0.01f * n, rows[n].size[1] = 0.25f - 0.008f * n;
        rows[n].middle[0] = -0.8f + 0.32f * (n % 6), rows[n].middle[1] = -0.7f + 0.45f * (n / 6);
        rows[n].turn[0] = rows[n].turn[5] = cosf(n * 0.4f);
        rows[n].turn[1] = sinf(n * 0.4f), rows[n].turn[4] = -rows[n].turn[1];
        for (int k = 0; k < 4; k++)
            rows[n].color[k] = between(0.2f, 1);
        rows[n].stripes = 0.25f + 0.25f * (n % 3);
    }
    GLuint program = use(vertex, fragment), name = buffer(sizeof(rows), rows);
    for (int n = 0; n < 24; n++) {
        int place = points ? n % 7 : 3, look = points ? 30 + n % 5 : 4;
        bind(program, "Place", place);
        bind(program, "Look", look);
        glBindBufferRange(GL_UNIFORM_BUFFER, place, name, n * sizeof(rows[0]), 48);
        glBindBufferRange(GL_UNIFORM_BUFFER, look, name, n * sizeof(rows[0]) + 48, 32);
        fill();
    }
    glDeleteBuffers(1, &name);
}

/* Pixels and bitmaps are drawn with what the current program was linked to last, with a block or without. */
static void relinked(int unused)
{
    (void) unused;
    static const char *texts[] = {
        HEAD "void main() { gl_FragColor = gl_Color; }",
        HEAD "void main() { gl_FragColor = gl_Color.bgra; }",
        HEAD "uniform B { vec4 c[2]; }; void main() { gl_FragColor = vec4(fract(gl_FragCoord.xy * 0.125), 0.7, 1.0) * c[1]; }",
    };
    start();
    float colors[12], image[40 * 40 * 4];
    for (int k = 0; k < 12; k++)
        colors[k] = between(0.3f, 1);
    for (int k = 0; k < 40 * 40 * 4; k++)
        image[k] = noise();
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer(sizeof(colors), colors));
    GLuint program = use(NULL, texts[0]), fragment;
    glGetAttachedShaders(program, 1, NULL, &fragment);
    for (int n = 0; n < 12; n++) {
        glShaderSource(fragment, 1, &texts[n % 3], NULL);
        glCompileShader(fragment);
        glLinkProgram(program);
        glColor3f(0.9f, 0.8f - 0.05f * n, 0.3f);
        glWindowPos2i(8 + n % 4 * 62, 10 + n / 4 * 62);
        glDrawPixels(40, 40, GL_RGBA, GL_FLOAT, image);
    }
}

static const Scene scenes[] = {
    {"blocks_members", members, 0, 256, 192, COLOR, 0, 0, 0},
    {"blocks_members_by_rows", members, 1, 256, 192, COLOR, 0, 0, 0},
    {"blocks_changes", changes, 0, 256, 192, COLOR, 0, 0, 0},
    {"blocks_changes_of_vertices", changes, 1, 256, 192, COLOR, 0, 0, 0},
    {"blocks_ranges", ranges, 0, 256, 192, COLOR, 0, 0, 0},
    {"blocks_points", ranges, 1, 256, 192, COLOR, 0, 0, 0},
    {"blocks_relinked", relinked, 0, 256, 192, COLOR, 0, 0, 0},
};
const SceneList block_list = {scenes, LENGTH(scenes)};
