/* SPDX-License-Identifier: MIT */
/* Four texels at once (ARB_texture_gather, AMD_texture_texture4), the level of detail that a lookup would have
 * (ARB_texture_query_lod), and how many levels there are (ARB_texture_query_levels). */
#include <stdio.h>

#include "scenes.h"

#define HEAD "#version 120\n#extension GL_EXT_gpu_shader4 : enable\n#extension GL_EXT_texture_array : enable\n"
#define GATHER HEAD "#extension GL_ARB_texture_gather : require\n"
#define CUBE_ARRAY "#extension GL_ARB_texture_cube_map_array : require\n"
#define QUERY HEAD CUBE_ARRAY "#extension GL_ARB_texture_query_lod : require\n"                                        \
                              "#extension GL_ARB_texture_query_levels : require\n"
#define PLACE "varying vec4 p; varying vec4 l; void main() { vec3 d = p.xyz * 2.0 - 1.0; "

static GLuint use(const char *vertex, const char *fragment)
{
    GLuint program = compiled(vertex, fragment);
    glLinkProgram(program);
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "s"), 0);
    return program;
}

static const char *plain =
    "varying vec4 p; varying vec4 l; void main() { gl_Position = ftransform(); p = gl_MultiTexCoord0; l = vec4(0.0); }";

/* The cell at hand is filled; coordinates reach beyond the image by this much. They meet no middle of a texel. */
static void fill(float beyond)
{
    static const float corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        float s = corner[i][0] > 0 ? 1 + beyond : -beyond, t = corner[i][1] > 0 ? 1 + beyond : -beyond;
        glTexCoord3f(s + 0.013f, t + 0.017f, (s + t * 2) / 3);
        glVertex2fv(corner[i]);
    }
    glEnd();
}

static const GLfloat *some(int whole)
{
    static GLint numbers[32 * 32 * 4 * 12];
    static GLfloat floats[32 * 32 * 4 * 12];
    for (int i = 0; i < LENGTH(numbers); i++) {
        floats[i] = (int) (noise() * 16) / 15.0f;
        numbers[i] = (int) (noise() * 255);
    }
    return whole ? (const GLfloat *) numbers : floats;
}

static void texture(GLenum target, GLenum format, int width, int height, int depth, int levels)
{
    int whole = format == GL_RGBA8UI_EXT;
    GLenum of = whole ? GL_RGBA_INTEGER_EXT : GL_RGBA, type = whole ? GL_INT : GL_FLOAT;
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    for (int level = 0; level < levels; level++) {
        int w = width >> level ? width >> level : 1, h = height >> level ? height >> level : 1;
        if (target == GL_TEXTURE_CUBE_MAP)
            for (int face = 0; face < 6; face++)
                glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, format, w, w, 0, of, type, some(whole));
        else if (target == GL_TEXTURE_1D)
            glTexImage1D(target, level, format, w, 0, of, type, some(whole));
        else if (depth)
            glTexImage3D(target, level, format, w, h, target == GL_TEXTURE_3D ? (depth >> level ? depth >> level : 1) : depth,
                         0, of, type, some(whole));
        else
            glTexImage2D(target, level, format, w, h, 0, of, type, some(whole));
    }
}

/* All wrap modes, with and without an offset in texels. */
static void wraps(int arg)
{
    static const GLenum modes[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_BORDER, GL_MIRRORED_REPEAT,
                                   GL_MIRROR_CLAMP_TO_EDGE, GL_REPEAT};
    static const float border[] = {1, 0, 1, 0.5f};
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
    use(plain, arg ? GATHER "uniform sampler2D s;" PLACE "gl_FragColor = textureGatherOffset(s, p.xy, ivec2(-3, 2)); }"
                   : GATHER "uniform sampler2D s;" PLACE "gl_FragColor = textureGather(s, p.xy); }");
    for (int n = 0; n < LENGTH(modes); n++) {
        cell(n, 3, 2);
        texture(GL_TEXTURE_2D, GL_RGBA8, 16, 8, 0, 1);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, modes[n]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, modes[(n + 2) % LENGTH(modes)]);
        glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
        fill(0.8f);
    }
}

/* Kinds of textures, formats and swizzles. */
static void kinds(int arg)
{
    static const GLint swizzle[] = {GL_BLUE, GL_RED, GL_ONE, GL_ZERO}, ones[] = {GL_ONE, GL_RED, GL_RED, GL_RED};
    static const struct {
        GLenum target, format;
        int width, height, depth;
        const GLint *swizzle;
        const char *text;
    } rows[] = {
        {GL_TEXTURE_2D_ARRAY_EXT, GL_RGBA8, 16, 16, 4, NULL,
         GATHER "uniform sampler2DArray s;" PLACE "gl_FragColor = textureGather(s, vec3(p.xy, p.x * 4.0)); }"},
        {GL_TEXTURE_CUBE_MAP, GL_RGBA8, 16, 16, 0, NULL,
         GATHER "uniform samplerCube s;" PLACE "gl_FragColor = textureGather(s, d); }"},
        {GL_TEXTURE_CUBE_MAP_ARRAY, GL_RGBA8, 8, 8, 12, NULL,
         GATHER CUBE_ARRAY "uniform samplerCubeArray s;" PLACE "gl_FragColor = textureGather(s, vec4(d, p.x)); }"},
        {GL_TEXTURE_2D, GL_RGBA8UI_EXT, 16, 16, 0, NULL,
         GATHER "uniform usampler2D s;" PLACE "gl_FragColor = vec4(textureGather(s, p.xy)) / 255.0; }"},
        {GL_TEXTURE_2D, GL_RGBA32F_ARB, 16, 16, 0, swizzle,
         GATHER "uniform sampler2D s;" PLACE "gl_FragColor = textureGather(s, p.xy); }"},
        {GL_TEXTURE_2D, GL_LUMINANCE8_ALPHA8, 16, 16, 0, NULL,
         GATHER "uniform sampler2D s;" PLACE "gl_FragColor = textureGather(s, p.xy); }"},
        {GL_TEXTURE_2D, GL_RGB5_A1, 16, 16, 0, NULL,
         HEAD "#extension GL_AMD_texture_texture4 : require\nuniform sampler2D s;" PLACE "gl_FragColor = texture4(s, p.xy); }"},
        {GL_TEXTURE_2D, GL_RGBA8, 16, 16, 0, ones,
         GATHER "uniform sampler2D s;" PLACE "gl_FragColor = textureGather(s, p.xy) * 0.5; }"},
    };
    (void) arg;
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
    for (int n = 0; n < LENGTH(rows); n++) {
        GLenum target = rows[n].target;
        cell(n, 4, 2);
        texture(target, rows[n].format, rows[n].width, rows[n].height, rows[n].depth, 1);
        glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        if (rows[n].swizzle)
            glTexParameteriv(target, GL_TEXTURE_SWIZZLE_RGBA, rows[n].swizzle);
        use(plain, rows[n].text);
        fill(0.1f);
    }
}

/* In the vertex stage. */
static void vertices(int arg)
{
    static const char *vertex = GATHER "uniform sampler2D s; varying vec4 p; varying vec4 l;"
                                       "void main() { gl_Position = ftransform(); p = gl_MultiTexCoord0;"
                                       "l = textureGather(s, p.xy) + textureGatherOffset(s, p.yx, ivec2(2, 1)) * 0.3; }";
    (void) arg;
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
    texture(GL_TEXTURE_2D, GL_RGBA8, 16, 16, 0, 1);
    use(vertex, HEAD "varying vec4 p; varying vec4 l; void main() { gl_FragColor = l; }");
    glPointSize(5);
    glBegin(GL_POINTS);
    for (int i = 0; i < 1000; i++) {
        glTexCoord2f(i % 40 / 20.0f - 0.487f, i / 40 / 12.5f - 0.483f);
        glVertex2f(i % 40 / 20.0f - 0.97f, i / 40 / 12.5f - 0.96f);
    }
    glEnd();
}

/* Levels of detail of ground that goes into the depth: which level, and lambda. */
static void lods(int arg)
{
    static const GLenum filters[] = {GL_NEAREST, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR};
    clear_all(0.1f, 0.15f, 0.2f, 1);
    use(plain, QUERY "uniform sampler2D s;" PLACE "vec2 q = textureQueryLOD(s, p.xy * 3.0);"
                     "gl_FragColor = vec4(q.x / 5.0, q.y / 8.0 + 0.3, 0.3, 1.0); }");
    for (int n = 0; n < 6; n++) {
        cell(n, 3, 2);
        texture(GL_TEXTURE_2D, GL_RGBA8, 32, 32, 0, 6);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filters[n % 3]);
        if (n > 2) {
            glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, arg ? -0.6f : 0.7f);
            glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, 0.5f);
            glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, 2.5f);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, arg);
        }
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        perspective(70, 1, 60);
        glMatrixMode(GL_MODELVIEW);
        glLoadIdentity();
        glBegin(GL_QUADS);
        for (int i = 0; i < 4; i++) {
            glTexCoord2f(i == 1 || i == 2 ? 1 : 0, i > 1 ? 4 : 0);
            glVertex3f(i == 1 || i == 2 ? 4 : -4, i > 1 ? 1 : -1.5f, i > 1 ? -30 : -1.5f);
        }
        glEnd();
    }
}

/* Both questions of all kinds of textures, by colours. */
static void questions(int arg)
{
    static const struct {
        GLenum target;
        int width, height, depth;
        const char *text;
    } rows[] = {
        {GL_TEXTURE_1D, 32, 1, 0, QUERY "uniform sampler1D s;" PLACE "vec2 q = textureQueryLOD(s, p.x * 2.0);"},
        {GL_TEXTURE_2D, 32, 8, 0, QUERY "uniform sampler2D s;" PLACE "vec2 q = textureQueryLOD(s, p.xy * 5.0);"},
        {GL_TEXTURE_3D, 16, 16, 8, QUERY "uniform sampler3D s;" PLACE "vec2 q = textureQueryLOD(s, p.xyz * 9.0);"},
        {GL_TEXTURE_CUBE_MAP, 32, 32, 0, QUERY "uniform samplerCube s;" PLACE "vec2 q = textureQueryLOD(s, d);"},
        {GL_TEXTURE_1D_ARRAY_EXT, 32, 4, 0, QUERY "uniform sampler1DArray s;" PLACE "vec2 q = textureQueryLOD(s, p.x * 9.0);"},
        {GL_TEXTURE_2D_ARRAY_EXT, 32, 32, 3, QUERY "uniform sampler2DArray s;" PLACE "vec2 q = textureQueryLOD(s, p.xy * 7.0);"},
    };
    static const char *vertex = QUERY "varying vec4 p; varying vec4 l; uniform sampler2D s;"
                                      "void main() { gl_Position = ftransform(); p = gl_MultiTexCoord0;"
                                      "l = vec4(float(textureQueryLevels(s)) / 8.0); }";
    char text[1000];
    (void) arg;
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
    for (int n = 0; n < LENGTH(rows); n++) {
        GLenum target = rows[n].target;
        int levels = target == GL_TEXTURE_1D_ARRAY_EXT ? 1 : target == GL_TEXTURE_3D ? 5 : 6;
        cell(n, 3, 2);
        texture(target, GL_RGBA8, rows[n].width, rows[n].height, rows[n].depth, levels);
        if (n % 2)
            glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, 3);
        snprintf(text, sizeof(text), "%s gl_FragColor = vec4(q.x / 4.0, q.y / 6.0 + 0.3,"
                 "float(textureQueryLevels(s)) / 7.0, 1.0) + l; }", rows[n].text);
        use(target == GL_TEXTURE_2D ? vertex : plain, text);
        fill(0.3f);
    }
}

/* Depths of layers and faces are compared, at levels that the shader names or moves (EXT_texture_shadow_lod). */
static void shadows(int arg)
{
#define SHADOW HEAD CUBE_ARRAY "#extension GL_EXT_texture_shadow_lod : require\n"
    static const char *texts[] = {
        "uniform sampler2DArrayShadow s;" PLACE "float f = texture(s, vec4(p.xy * 3.0, p.x * 3.0, p.y), 0.7);",
        "uniform sampler2DArrayShadow s;" PLACE "float f = textureLod(s, vec4(p.xy, p.y * 3.0, p.x), p.y * 4.0);",
        "uniform sampler2DArrayShadow s;" PLACE "float f = textureOffset(s, vec4(p.xy * 2.0, p.x * 3.0, p.y), ivec2(2, -3), 0.5);",
        "uniform sampler2DArrayShadow s;" PLACE "float f = textureLodOffset(s, vec4(p.xy, 1.0, p.y), p.x * 3.0, ivec2(-1, 2));",
        "uniform samplerCubeShadow s;" PLACE "float f = textureLod(s, vec4(d, p.x), 1.0);",
        "uniform samplerCubeArrayShadow s;" PLACE "float f = textureLod(s, vec4(d, p.y), p.x, 0.5 + p.y);",
        "uniform samplerCubeArrayShadow s;" PLACE "float f = texture(s, vec4(d.zxy, p.y), p.x, 1.0);",
        "uniform sampler2DArrayShadow s;" PLACE
        "float f = texture(s, vec4(p.xy * 3.0, 1.0, p.y)) * 0.5 + 0.5 * textureOffset(s, vec4(p.xy, 2.0, p.y), ivec2(1, 1));",
    };
    char text[1200];
    (void) arg;
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
    for (int n = 0; n < LENGTH(texts); n++) {
        int cube = n == 4, cubes = n == 5 || n == 6;
        GLenum target = cube ? GL_TEXTURE_CUBE_MAP : cubes ? GL_TEXTURE_CUBE_MAP_ARRAY : GL_TEXTURE_2D_ARRAY_EXT;
        GLuint name;
        cell(n, 4, 2);
        glGenTextures(1, &name);
        glBindTexture(target, name);
        glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
        glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
        glTexParameteri(target, GL_TEXTURE_COMPARE_FUNC, n % 2 ? GL_GEQUAL : GL_LEQUAL);
        for (int level = 0; level < 5; level++) {
            int edge = 16 >> level;
            for (int face = 0; cube && face < 6; face++)
                glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_DEPTH_COMPONENT24, edge, edge, 0,
                             GL_DEPTH_COMPONENT, GL_FLOAT, some(0));
            if (!cube)
                glTexImage3D(target, level, GL_DEPTH_COMPONENT24, edge, edge, cubes ? 12 : 4, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
                             some(0));
        }
        snprintf(text, sizeof(text), SHADOW "%s gl_FragColor = vec4(f, f * 0.7 + 0.1, 0.3, 1.0) + l; }", texts[n]);
        use(plain, text);
        fill(0.1f);
    }
}

static const Scene scenes[] = {
    {"gather_shadows", shadows, 0, 256, 192, COLOR, 0, 0, 0},
    {"gather_wraps", wraps, 0, 252, 192, COLOR, 0, 0, 0},
    {"gather_offsets", wraps, 1, 252, 192, COLOR, 0, 0, 0},
    {"gather_kinds", kinds, 0, 252, 192, COLOR, 0, 0, 0},
    {"gather_in_vertices", vertices, 0, 252, 192, COLOR, 0, 0, 0},
    {"query_lods", lods, 0, 252, 192, COLOR, 0, 0, 0},
    {"query_lods_of_a_part", lods, 1, 252, 192, COLOR, 0, 0, 0},
    {"query_kinds", questions, 0, 252, 192, COLOR, 0, 0, 0},
};
const SceneList gather_list = {scenes, LENGTH(scenes)};
