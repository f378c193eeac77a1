/* SPDX-License-Identifier: MIT */
/* ARB_texture_multisample at #version 120: what is drawn to textures with several samples, sample by sample, of every
 * kind of format, in layers, by the vertex stage, and changed between the draws that look at it. */
#include "scenes.h"

#define MS GL_TEXTURE_2D_MULTISAMPLE
#define HEAD "#version 120\n#extension GL_EXT_gpu_shader4 : require\n#extension GL_ARB_texture_multisample : require\n" \
    "uniform vec2 cell; uniform int n;\n"
#define AT "ivec2 at = ivec2(gl_FragCoord.xy - cell);\n"
#define PLAIN "#version 120\nvoid main() { gl_Position = ftransform(); }"

enum { SIZE = 60 };

static GLuint use(const char *vertex, const char *fragment)
{
    GLuint program = compiled(vertex, fragment);
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

static GLuint texture(GLenum target, GLenum internal, int layers)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    if (target == MS)
        glTexImage2DMultisample(target, 4, internal, SIZE, SIZE, GL_TRUE);
    else
        glTexImage3DMultisample(target, 4, internal, SIZE, SIZE, layers, GL_TRUE);
    return name;
}

static void object(GLenum place, GLuint name)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, place, MS, name, 0);
    glViewport(0, 0, SIZE, SIZE);
}

/* Thin triangles, whose edges few samples lie behind. */
static void contents(float turn, int depths)
{
    glUseProgram(0);
    glClearColor(0.2f, 0.1f + 0.5f * turn, 0.3f, 0.5f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 13; i++) {
        float a = 2 * M_PI * (i + turn) / 13 + 0.013f, b = a + 1.3f * M_PI / 13, z = depths ? i / 7.0f - 0.9f : 0;
        hue(i / 13.0f + turn);
        glVertex3f(0.03f, 0.02f, z);
        glVertex3f(0.93f * cosf(a), 0.93f * sinf(a), -z);
        glVertex3f(0.93f * cosf(b), 0.93f * sinf(b), z);
    }
    glEnd();
}

static void start(void)
{
    clear_all(0.1f, 0.15f, 0.2f, 1);
    unit_square();
    glDisable(GL_DITHER);
}

static void show(GLuint program, int i, int number)
{
    glUniform2f(glGetUniformLocation(program, "cell"), 4 + i % 4 * 64, 4 + i / 4 * 64);
    glUniform1i(glGetUniformLocation(program, "n"), number);
    glViewport(4 + i % 4 * 64, 4 + i / 4 * 64, SIZE, SIZE);
    glBegin(GL_TRIANGLE_STRIP);
    for (int k = 0; k < 4; k++)
        glVertex2f(k & 1 ? 1 : -1, k & 2 ? 1 : -1);
    glEnd();
}

/* Each sample, one that there is not, their mean, a place beyond the texture, a sample for each pixel. */
static void samples(int internal)
{
    static const char *texts[] = {
        HEAD "uniform sampler2DMS s; void main() {" AT "gl_FragColor = texelFetch(s, at, n); }",
        HEAD "uniform sampler2DMS s; void main() {" AT "vec4 sum = vec4(0.0);"
        "for (int k = 0; k < 4; k++) sum += texelFetch(s, at, k); gl_FragColor = sum / 4.0; }",
        HEAD "uniform sampler2DMS s; void main() {" AT "gl_FragColor = texelFetch(s, at + ivec2(n, -n), 2) + vec4(0.1); }",
        HEAD "uniform sampler2DMS s; void main() {" AT "gl_FragColor = texelFetch(s, at, (at.x ^ at.y) - 2 * (at.y & 3)); }",
        HEAD "uniform sampler2DMS s; void main() {" AT "vec4 c = vec4(vec2(textureSize(s)) / 99.0, 0.0, 1.0);"
        "if ((at.x & 8) != 0) c = texelFetch(s, textureSize(s) - 1 - at, n); gl_FragColor = c; }",
    };
    start();
    GLuint name = texture(MS, internal, 1);
    object(GL_COLOR_ATTACHMENT0, name);
    contents(0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    GLuint programs[5];
    for (int i = 0; i < 5; i++)
        programs[i] = use(PLAIN, texts[i]);
    for (int i = 0; i < 12; i++) {
        static const int kinds[] = {0, 0, 0, 0, 0, 0, 1, 2, 2, 3, 4, 4}, numbers[] = {0, 1, 2, 3, 4, -1, 0, 20, -50, 0, 3, 1};
        glUseProgram(programs[kinds[i]]);
        show(programs[kinds[i]], i, numbers[i]);
    }
    whole();
}

/* The layers of an array, drawn one by one and looked at in another order. */
static void layers(int arg)
{
    (void) arg;
    start();
    texture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, GL_RGBA8, 5);
    GLuint name, fbo;
    glGetIntegerv(GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, (GLint *) &name);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glViewport(0, 0, SIZE, SIZE);
    for (int layer = 0; layer < 5; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, layer);
        contents(layer / 5.0f, 0);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    GLuint program = use(PLAIN, HEAD "uniform sampler2DMSArray s; void main() {" AT
        "gl_FragColor = texelFetch(s, ivec3(at, n / 4), n & 3) + vec4(vec3(textureSize(s)) / 600.0, 0.0); }");
    for (int i = 0; i < 12; i++)
        show(program, i, (i * 7 + 3) % 24 - 4);
    whole();
}

/* Depths of samples, and what is drawn behind them. */
static void depths(int internal)
{
    start();
    GLuint name = texture(MS, internal, 1), colors = texture(MS, GL_RGBA8, 1);
    glEnable(GL_DEPTH_TEST);
    object(GL_DEPTH_ATTACHMENT, name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, colors, 0);
    contents(0.3f, 1);
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(MS, name);
    glActiveTexture(GL_TEXTURE0);
    GLuint program = use(PLAIN, HEAD "uniform sampler2DMS s; uniform sampler2DMS d; void main() {" AT
        "float z = texelFetch(d, at, n & 7).r; gl_FragColor = n < 8 ? vec4(z) : texelFetch(s, at, n & 7) * (1.0 - z); }");
    glUniform1i(glGetUniformLocation(program, "d"), 1);
    for (int i = 0; i < 12; i++)
        show(program, i, i < 5 ? i : i + 3);
    whole();
}

/* Whole numbers, a sample's own by the mask. */
static void integers(int internal)
{
    const int is_signed = internal == GL_RGBA8I || internal == GL_RGBA32I;
    start();
    GLuint name = texture(MS, internal, 1);
    object(GL_COLOR_ATTACHMENT0, name);
    GLuint program = use(PLAIN, is_signed ?
        HEAD "varying out ivec4 c; void main() { ivec2 at = ivec2(gl_FragCoord.xy); c = ivec4(at * (n + 1), n - at.x, at.y ^ n); }" :
        HEAD "varying out uvec4 c; void main() { uvec2 at = uvec2(gl_FragCoord.xy); c = uvec4(at * uint(n + 1), at.x, at.y); }");
    glEnable(GL_SAMPLE_MASK);
    for (int k = 0; k < 4; k++) {
        glSampleMaski(0, 1u << k);
        glUniform1i(glGetUniformLocation(program, "n"), k);
        gradient_square(1 - k * 0.1f, 1);
    }
    glDisable(GL_SAMPLE_MASK);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    program = use(PLAIN, is_signed ?
        HEAD "uniform isampler2DMS s; void main() {" AT "gl_FragColor = vec4(texelFetch(s, at, n) & 255) / 255.0; }" :
        HEAD "uniform usampler2DMS s; void main() {" AT "gl_FragColor = vec4(texelFetch(s, at, n) & 255u) / 255.0; }");
    for (int i = 0; i < 6; i++)
        show(program, i, i);
    whole();
}

/* Drawn, looked at, and drawn again, a dozen times; resolved by blits and by hand; looked at by vertices. */
static void changes(int vertices)
{
    start();
    GLuint name = texture(MS, GL_RGBA8, 1), flat, fbos[2];
    glGenTextures(1, &flat);
    glBindTexture(GL_TEXTURE_2D, flat);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(2, fbos);
    glBindFramebuffer(GL_FRAMEBUFFER, fbos[0]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, name, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, fbos[1]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, flat, 0);
    GLuint fetch = vertices ?
        use(HEAD "uniform sampler2DMS s; varying vec4 c; void main() { gl_Position = ftransform();"
            "c = texelFetch(s, ivec2(30.0 + 21.0 * gl_Vertex.xy), n); }", "#version 120\nvarying vec4 c; void main() { gl_FragColor = c; }") :
        use(PLAIN, HEAD "uniform sampler2DMS s; void main() {" AT "gl_FragColor = texelFetch(s, at, n); }");
    for (int i = 0; i < 12; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fbos[0]);
        glViewport(0, 0, SIZE, SIZE);
        if (i % 3 == 2) {
            static const GLubyte texel[] = {200, 90, 30, 255};
            glClearTexSubImage(name, 0, 7, 9, 0, 31, 27, 1, GL_RGBA, GL_UNSIGNED_BYTE, texel);
        } else
            contents(i / 12.0f, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, fbos[1]);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbos[0]);
        glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glUseProgram(fetch);
        show(fetch, i, i & 3);
        glUseProgram(0);
        glEnable(GL_TEXTURE_2D);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
        glViewport(4 + i % 4 * 64, 4 + i / 4 * 64, SIZE / 2, SIZE);
        glBegin(GL_QUADS);
        for (int k = 0; k < 4; k++) {
            const float x = k == 1 || k == 2, y = k > 1;
            glTexCoord2f(x / 2, y);
            glVertex2f(2 * x - 1, 2 * y - 1);
        }
        glEnd();
        glDisable(GL_TEXTURE_2D);
    }
    whole();
}

static const Scene scenes[] = {
    {"multisample_samples", samples, GL_RGBA8, 260, 196, COLOR, 0, 0, 0},
    {"multisample_samples_of_floats", samples, GL_RGBA16F, 260, 196, COLOR, 0, 0, 0},
    {"multisample_samples_of_ten_bits", samples, GL_RGB10_A2, 260, 196, COLOR, 0, 0, 0},
    {"multisample_layers", layers, 0, 260, 196, COLOR, 0, 0, 0},
    {"multisample_depths", depths, GL_DEPTH_COMPONENT24, 260, 196, COLOR, 0, 0, 0},
    {"multisample_depths_of_floats", depths, GL_DEPTH32F_STENCIL8, 260, 196, COLOR, 0, 0, 0},
    {"multisample_integers", integers, GL_RGBA8I, 260, 196, COLOR, 0, 0, 0},
    {"multisample_integers_unsigned", integers, GL_RGBA16UI, 260, 196, COLOR, 0, 0, 0},
    {"multisample_changes", changes, 0, 260, 196, COLOR, 0, 0, 0},
    {"multisample_changes_of_vertices", changes, 1, 260, 196, COLOR, 0, 0, 0},
};
const SceneList multisample_list = {scenes, LENGTH(scenes)};
