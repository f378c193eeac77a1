/* SPDX-License-Identifier: MIT */
/* ARB_texture_buffer_object at #version 120, whose functions are EXT_gpu_shader4's: formats, buffers that are changed
 * between the draws of a scene, ranges, places beyond the end, units that change hands, fetches in both stages. */
#include "scenes.h"

#define HEAD "#version 120\n#extension GL_EXT_gpu_shader4 : require\n"
#define PLAIN HEAD "void main() { gl_Position = ftransform(); }"

static GLuint use(const char *vertex, const char *fragment)
{
    GLuint program = compiled(vertex, fragment);
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

static GLuint buffer(int bytes, const void *data)
{
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_TEXTURE_BUFFER, name);
    glBufferData(GL_TEXTURE_BUFFER, bytes, data, GL_DYNAMIC_DRAW);
    return name;
}

static GLuint texture(GLenum format, GLuint buffer_name)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_BUFFER, name);
    glTexBuffer(GL_TEXTURE_BUFFER, format, buffer_name);
    return name;
}

/* With arrays, see blocks.c. */
static void quad(float x0, float y0, float x1, float y1)
{
    const float corners[8] = {x0, y0, x1, y0, x1, y1, x0, y1};
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    glDrawArrays(GL_QUADS, 0, 4);
    glDisableClientState(GL_VERTEX_ARRAY);
}

static void start(void)
{
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
}

/* One buffer as texels of every format; `kind`: fractions and floats, whole numbers, these without a sign. */
static void formats(int kind)
{
    static const GLenum lists[3][24] = {
        {GL_R8, GL_R16, GL_R16F, GL_R32F, GL_RG8, GL_RG16, GL_RG16F, GL_RG32F, GL_RGBA8, GL_RGBA16, GL_RGBA16F,
         GL_RGBA32F, GL_ALPHA8, GL_ALPHA16, GL_ALPHA32F_ARB, GL_LUMINANCE8, GL_LUMINANCE16, GL_LUMINANCE16F_ARB,
         GL_LUMINANCE8_ALPHA8, GL_LUMINANCE16_ALPHA16, GL_LUMINANCE_ALPHA32F_ARB, GL_INTENSITY8, GL_INTENSITY16,
         GL_INTENSITY32F_ARB},
        {GL_R8I, GL_R16I, GL_R32I, GL_RG8I, GL_RG16I, GL_RG32I, GL_RGBA8I, GL_RGBA16I, GL_RGBA32I, GL_ALPHA8I_EXT,
         GL_ALPHA16I_EXT, GL_ALPHA32I_EXT, GL_LUMINANCE8I_EXT, GL_LUMINANCE16I_EXT, GL_LUMINANCE32I_EXT,
         GL_LUMINANCE_ALPHA8I_EXT, GL_LUMINANCE_ALPHA16I_EXT, GL_LUMINANCE_ALPHA32I_EXT, GL_INTENSITY8I_EXT,
         GL_INTENSITY16I_EXT, GL_INTENSITY32I_EXT},
        {GL_R8UI, GL_R16UI, GL_R32UI, GL_RG8UI, GL_RG16UI, GL_RG32UI, GL_RGBA8UI, GL_RGBA16UI, GL_RGBA32UI,
         GL_ALPHA8UI_EXT, GL_ALPHA16UI_EXT, GL_ALPHA32UI_EXT, GL_LUMINANCE8UI_EXT, GL_LUMINANCE16UI_EXT,
         GL_LUMINANCE32UI_EXT, GL_LUMINANCE_ALPHA8UI_EXT, GL_LUMINANCE_ALPHA16UI_EXT, GL_LUMINANCE_ALPHA32UI_EXT,
         GL_INTENSITY8UI_EXT, GL_INTENSITY16UI_EXT, GL_INTENSITY32UI_EXT},
    };
    static const char *texts[] = {
        HEAD "uniform samplerBuffer s; uniform vec2 cell; void main() { vec2 p = (gl_FragCoord.xy - cell) * 0.25;"
        " vec4 t = texelFetchBuffer(s, int(p.x) + 11 * int(p.y));"
        " gl_FragColor = vec4(t.rgb * 0.7 + t.a * 0.3, 1.0); }",
        HEAD "uniform isamplerBuffer s; uniform vec2 cell; void main() { vec2 p = (gl_FragCoord.xy - cell) * 0.25;"
        " ivec4 t = texelFetchBuffer(s, int(p.x) + 11 * int(p.y));"
        " gl_FragColor = vec4(vec3(t.rgb & 255) / 300.0 + float(t.a & 63) / 400.0, 1.0); }",
        HEAD "uniform usamplerBuffer s; uniform vec2 cell; void main() { vec2 p = (gl_FragCoord.xy - cell) * 0.25;"
        " uvec4 t = texelFetchBuffer(s, int(p.x) + 11 * int(p.y));"
        " gl_FragColor = vec4(vec3(t.rgb & 255u) / 300.0 + float(t.a & 63u) / 400.0, 1.0); }",
    };
    start();
    float numbers[512];
    unsigned short halves[1024];
    unsigned char bytes[2048];
    for (int n = 0; n < 512; n++)
        numbers[n] = noise();
    for (int n = 0; n < 1024; n++)
        halves[n] = 0x3000 + (int) (noise() * 0xbff);
    for (int n = 0; n < 2048; n++)
        bytes[n] = noise() * 255;
    GLuint names[3] = {buffer(sizeof(numbers), numbers), buffer(sizeof(halves), halves), buffer(sizeof(bytes), bytes)};
    GLuint program = use(PLAIN, texts[kind]);
    for (int n = 0; n < 24 && lists[kind][n]; n++) {
        texture(lists[kind][n], names[2]);
        int half = lists[kind][n] == GL_R16F || lists[kind][n] == GL_RG16F || lists[kind][n] == GL_RGBA16F
            || lists[kind][n] == GL_LUMINANCE16F_ARB;
        int full = lists[kind][n] == GL_R32F || lists[kind][n] == GL_RG32F || lists[kind][n] == GL_RGBA32F
            || lists[kind][n] == GL_ALPHA32F_ARB || lists[kind][n] == GL_LUMINANCE_ALPHA32F_ARB
            || lists[kind][n] == GL_INTENSITY32F_ARB;
        glTexBuffer(GL_TEXTURE_BUFFER, lists[kind][n], names[half ? 1 : full ? 0 : 2]);
        glUniform2f(glGetUniformLocation(program, "cell"), n % 6 * 42, n / 6 * 48);
        cell(n, 6, 4);
        quad(-1, -1, 0.95f, 0.95f);
    }
    whole();
}

/* Cells in one scene, the buffer changed before each of them: in part, whole, mapped, copied to; read in one stage. */
static void changes(int vertex)
{
    static const char *texts[][2] = {
        {PLAIN, HEAD "uniform samplerBuffer s; void main() {"
                " gl_FragColor = texelFetchBuffer(s, int(mod(gl_FragCoord.x / 5.0, 4.0))); }"},
        {HEAD "uniform samplerBuffer s; varying vec4 c; void main() { gl_Position = gl_Vertex;"
         " int i = gl_Vertex.x < 0.0 ? 1 : 2; c = texelFetchBuffer(s, i) + texelFetchBuffer(s, 3) * 0.3; }",
         HEAD "varying vec4 c; void main() { gl_FragColor = c; }"},
    };
    start();
    float colors[20];
    use(texts[vertex][0], texts[vertex][1]);
    GLuint other = buffer(sizeof(colors), NULL), name = buffer(64, NULL);
    texture(GL_RGBA32F, name);
    for (int n = 0; n < 24; n++) {
        for (int k = 0; k < 20; k++)
            colors[k] = (int) (noise() * 16) / 15.0f;
        glBindBuffer(GL_TEXTURE_BUFFER, name);
        switch (n % 6) {
        case 0:
            glBufferData(GL_TEXTURE_BUFFER, 64, colors, GL_STREAM_DRAW);
            break;
        case 1:
            glBufferSubData(GL_TEXTURE_BUFFER, 16 * (n % 4), 16, colors);
            break;
        case 2: {
            float *at = glMapBufferRange(GL_TEXTURE_BUFFER, 16, 32, GL_MAP_WRITE_BIT);
            memcpy(at, colors, 32);
            glUnmapBuffer(GL_TEXTURE_BUFFER);
            break;
        }
        case 3:
            glBindBuffer(GL_TEXTURE_BUFFER, other);
            glBufferSubData(GL_TEXTURE_BUFFER, 0, sizeof(colors), colors);
            glBindBuffer(GL_COPY_WRITE_BUFFER, name);
            glCopyBufferSubData(GL_TEXTURE_BUFFER, GL_COPY_WRITE_BUFFER, 0, 32, 32);
            break;
        case 4:                         /* another size */
            glBufferData(GL_TEXTURE_BUFFER, n % 4 ? 80 : 64, colors, GL_STREAM_DRAW);
            break;
        default: {
            float *at = glMapBufferRange(GL_TEXTURE_BUFFER, 0, 64, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
            memcpy(at, colors, 64);
            glUnmapBuffer(GL_TEXTURE_BUFFER);
        }
        }
        cell(n, 6, 4);
        quad(-0.9f, -0.9f, 0.9f, 0.9f);
    }
    whole();
}

/* Ranges of one buffer, seen beyond both of their ends; the size that shaders are told. */
static void ranges(int unused)
{
    (void) unused;
    static const char *fragment = HEAD "uniform samplerBuffer s; uniform float left; void main() {"
        " int i = int(floor((gl_FragCoord.x - left) / 3.0)) - 4; vec4 c = texelFetchBuffer(s, i);"
        " gl_FragColor = vec4(c.rgb, 1.0) * (i == textureSizeBuffer(s) ? 0.5 : 1.0)"
        " + vec4(float(textureSizeBuffer(s)) / 60.0, i < 0 ? 0.2 : 0.0, 0.0, 0.0); }";
    start();
    unsigned char texels[64 * 4];
    for (int n = 0; n < LENGTH(texels); n++)
        texels[n] = 40 + noise() * 200;
    GLuint program = use(PLAIN, fragment), name = buffer(sizeof(texels), texels);
    texture(GL_RGBA8, name);
    for (int n = 0; n < 15; n++) {
        glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, name, 16 * n, 4 + 3 * n < 256 - 16 * n ? 4 + 3 * n : 4);
        glUniform1f(glGetUniformLocation(program, "left"), n % 5 * 51);
        cell(n, 5, 3);
        quad(-1, -0.9f, 0.9f, 0.9f);
    }
    whole();
}

/* Units that change hands, formats of one texture, a buffer that is gone but for its texture, one that vertices are
 * read from, too, textures without a buffer. */
static void units(int unused)
{
    (void) unused;
    static const char *texts[2] = {
        HEAD "uniform samplerBuffer places; uniform isamplerBuffer numbers; varying float shade; void main() {"
        " vec4 p = texelFetchBuffer(places, gl_VertexID); shade = float(texelFetchBuffer(numbers, gl_VertexID & 7).x);"
        " gl_Position = vec4(gl_Vertex.xy * 0.9 + p.xy * 0.1, 0.0, 1.0); }",
        HEAD "uniform samplerBuffer places; uniform sampler2D image; varying float shade; void main() {"
        " gl_FragColor = vec4(fract(shade * 0.1), texelFetchBuffer(places, int(mod(gl_FragCoord.y, 8.0))).xy, 1.0)"
        " * texture2D(image, gl_FragCoord.xy / 64.0); }",
    };
    start();
    float corners[8] = {-1, -1, 1, -1, 1, 1, -1, 1}, floats[2][16];
    int whole_numbers[8];
    unsigned char pixels4[16] = {255, 200, 150, 255, 100, 255, 200, 255, 200, 100, 255, 255, 255, 255, 255, 255};
    for (int n = 0; n < 16; n++)
        floats[0][n] = between(0, 1), floats[1][n] = between(0, 1);
    for (int n = 0; n < 8; n++)
        whole_numbers[n] = noise() * 30;
    GLuint program = use(texts[0], texts[1]), image;
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels4);
    GLuint names[4] = {buffer(sizeof(floats[0]), floats[0]), buffer(sizeof(floats[1]), floats[1]),
                       buffer(sizeof(whole_numbers), whole_numbers), buffer(sizeof(corners), corners)};
    GLuint textures[3] = {texture(GL_RG32F, names[0]), texture(GL_RG32F, names[1]), texture(GL_R32I, names[2])};
    glUniform1i(glGetUniformLocation(program, "image"), 0);
    glBindBuffer(GL_ARRAY_BUFFER, names[3]);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    for (int n = 0; n < 16; n++) {
        int places = 1 + n % 3, numbers = 4 + n % 2;
        glUniform1i(glGetUniformLocation(program, "places"), places);
        glUniform1i(glGetUniformLocation(program, "numbers"), numbers);
        glActiveTexture(GL_TEXTURE0 + numbers);
        glBindTexture(GL_TEXTURE_BUFFER, textures[2]);
        glActiveTexture(GL_TEXTURE0 + places);
        glBindTexture(GL_TEXTURE_BUFFER, textures[n / 2 % 2]);
        if (n == 6)
            glDeleteBuffers(1, &names[0]);              /* its texture keeps it */
        if (n == 8)
            glTexBuffer(GL_TEXTURE_BUFFER, GL_RG32F, names[3]);         /* the corners themselves */
        if (n == 12)
            glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, names[1]);
        cell(n, 4, 4);
        glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    }
    glDisableClientState(GL_VERTEX_ARRAY);
    whole();
}

static const Scene scenes[] = {
    {"texels_formats", formats, 0, 256, 192, COLOR, 0, 0, 0},
    {"texels_formats_signed", formats, 1, 256, 192, COLOR, 0, 0, 0},
    {"texels_formats_unsigned", formats, 2, 256, 192, COLOR, 0, 0, 0},
    {"texels_changes", changes, 0, 256, 192, COLOR, 0, 0, 0},
    {"texels_changes_of_vertices", changes, 1, 256, 192, COLOR, 0, 0, 0},
    {"texels_ranges", ranges, 0, 256, 192, COLOR, 0, 0, 0},
    {"texels_units", units, 0, 256, 192, COLOR, 0, 0, 0},
};
const SceneList texel_list = {scenes, LENGTH(scenes)};
