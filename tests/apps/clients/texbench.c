/* SPDX-License-Identifier: MIT */
/* texbench: textures and framebuffer objects of a libGL, one figure a line (higher is better).
 * Build: cc -O2 texbench.c -lGL -lX11 -lm   Use: texbench [-t SECONDS] [LINE...]   or: texbench -l
 * What a line prints: bench.h. One whose framebuffer is not complete prints 0. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

typedef struct Line {
    const char *name, *unit;
    double (*run)(const struct Line *line);
    GLenum target, format, filter; /* what they mean depends on `run` */
    GLenum client, type;
    int number;
} Line;

#include "bench.h"

enum { SIZE = 256, LAYERS = 8, IMAGE = 512 };
static unsigned char *texels; /* IMAGE * IMAGE * 16 bytes of something */

static void quad(float repeat, float third)
{
    static const float corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        float s = (corners[i][0] + 1) * 0.5f * repeat, t = (corners[i][1] + 1) * 0.5f * repeat;
        glMultiTexCoord3f(GL_TEXTURE0, s, t, third);
        glMultiTexCoord3f(GL_TEXTURE1, t, s, third);
        glVertex2fv(corners[i]);
    }
    glEnd();
}

/* -- drawing with a texture: `number` is what distinguishes the lines of one format ------------- */

enum { PLAIN, ANISOTROPIC, TWO_UNITS, SHADOW };

static void fill(GLenum target, GLenum internal, GLenum client, GLenum type)
{
    switch (target) {
    case GL_TEXTURE_1D:
        glTexImage1D(target, 0, internal, SIZE, 0, client, type, texels);
        break;
    case GL_TEXTURE_3D:
        glTexImage3D(target, 0, internal, 64, 64, 64, 0, client, type, texels);
        break;
    case GL_TEXTURE_2D_ARRAY:
        glTexImage3D(target, 0, internal, SIZE, SIZE, 4, 0, client, type, texels);
        break;
    case GL_TEXTURE_CUBE_MAP:
        for (int face = 0; face < 6; face++)
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, internal, SIZE, SIZE, 0, client,
                         type, texels);
        break;
    default:
        glTexImage2D(target, 0, internal, SIZE, SIZE, 0, client, type, texels);
    }
}

static GLuint texture(const Line *line)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(line->target, name);
    if (line->filter >= GL_NEAREST_MIPMAP_NEAREST)
        glTexParameteri(line->target, GL_GENERATE_MIPMAP, 1);
    glTexParameteri(line->target, GL_TEXTURE_MIN_FILTER, line->filter);
    glTexParameteri(line->target, GL_TEXTURE_MAG_FILTER,
                    line->filter == GL_NEAREST ? GL_NEAREST : GL_LINEAR);
    if (line->number == ANISOTROPIC)
        glTexParameterf(line->target, GL_TEXTURE_MAX_ANISOTROPY_EXT, 8);
    if (line->number == SHADOW)
        glTexParameteri(line->target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    fill(line->target, line->format, line->client, line->type);
    glEnable(line->target);
    return name;
}

static void layers(const Line *line)
{
    float repeat = line->target == GL_TEXTURE_RECTANGLE ? SIZE : 3;
    for (int i = 0; i < LAYERS; i++)
        quad(repeat, 0.5f);
}

static double t_sample(const Line *line)
{
    GLuint name = texture(line);
    if (line->number == ANISOTROPIC) {
        glMatrixMode(GL_TEXTURE);
        glScalef(6, 1, 1);
        glMatrixMode(GL_MODELVIEW);
    }
    if (line->target == GL_TEXTURE_CUBE_MAP) { /* from -1 to 1 beside the third coordinate */
        glMatrixMode(GL_TEXTURE);
        glTranslatef(-1, -1, 0);
        glScalef(0.66f, 0.66f, 1);
        glMatrixMode(GL_MODELVIEW);
    }
    if (line->number == TWO_UNITS) {
        glActiveTexture(GL_TEXTURE1);
        glBindTexture(line->target, name);
        glEnable(line->target);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_ADD);
        glActiveTexture(GL_TEXTURE0);
    }
    return often(layers, line) * LAYERS * WINDOW * WINDOW / 1e6;
}

/* -- pixels in and out -------------------------------------------------------------------------- */

static void storage(const Line *line)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, line->format, IMAGE, IMAGE, 0, line->client, line->type, texels);
}

static void sub_image(const Line *line)
{
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, IMAGE, IMAGE, line->client, line->type, texels);
}

static void get_image(const Line *line)
{
    glGetTexImage(GL_TEXTURE_2D, 0, line->client, line->type, read_back);
}

static void copy_image(const Line *line)
{
    (void) line;
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, IMAGE, IMAGE);
}

static void mipmaps(const Line *line)
{
    (void) line;
    glGenerateMipmap(GL_TEXTURE_2D);
}

static void (*const MOVES[])(const Line *) = {sub_image, get_image, copy_image, mipmaps};
enum { UPLOAD, GET, COPY, MIPMAP };

static double t_move(const Line *line)
{
    storage(line);
    return often(MOVES[line->number], line) * IMAGE * IMAGE / 1e6;
}

/* Two hundred small textures are made, filled, drawn with and deleted. */
static void come_and_go(const Line *line)
{
    enum { COUNT = 200 };
    GLuint names[COUNT];
    glGenTextures(COUNT, names);
    glEnable(GL_TEXTURE_2D);
    for (int i = 0; i < COUNT; i++) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexImage2D(GL_TEXTURE_2D, 0, line->format, 16, 16, 0, line->client, line->type, texels);
        glViewport(i % 20 * 16, i / 20 * 16, 16, 16);
        quad(1, 0);
    }
    glDeleteTextures(COUNT, names);
    glViewport(0, 0, WINDOW, WINDOW);
}

static double t_frame(const Line *line)
{
    return often(come_and_go, line) * 200 / 1e3;
}

/* -- framebuffer objects: `number` is how many targets or samples ------------------------------- */

static GLuint targets[8], buffers[2];

static int complete(void)
{
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static GLuint target_texture(GLenum format, int attachment)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, format, IMAGE, IMAGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + attachment, GL_TEXTURE_2D, name,
                           0);
    return name;
}

static void ping_pong(const Line *line)
{
    (void) line;
    for (int i = 0; i < LAYERS; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, buffers[i & 1]);
        glBindTexture(GL_TEXTURE_2D, targets[!(i & 1)]);
        quad(1, 0);
    }
}

static double t_ping_pong(const Line *line)
{
    glGenFramebuffers(2, buffers);
    for (int i = 0; i < 2; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, buffers[i]);
        targets[i] = target_texture(line->format, 0);
        if (!complete())
            return 0;
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glEnable(GL_TEXTURE_2D);
    return often(ping_pong, line) * LAYERS * IMAGE * IMAGE / 1e6;
}

static void plain_layers(const Line *line)
{
    (void) line;
    glColor4f(0.2f, 0.5f, 0.7f, 1);
    for (int i = 0; i < LAYERS; i++)
        quad(1, 0);
}

static double t_targets(const Line *line)
{
    GLenum names[8];
    glGenFramebuffers(1, buffers);
    glBindFramebuffer(GL_FRAMEBUFFER, buffers[0]);
    for (int i = 0; i < line->number; i++) {
        target_texture(line->format, i);
        names[i] = GL_COLOR_ATTACHMENT0 + i;
    }
    glDrawBuffers(line->number, names);
    if (!complete())
        return 0;
    glBindTexture(GL_TEXTURE_2D, 0);
    return often(plain_layers, line) * LAYERS * IMAGE * IMAGE / 1e6;
}

static void blit(const Line *line)
{
    int to = line->number ? IMAGE : IMAGE / 2; /* resolves are of one size */
    glBlitFramebuffer(0, 0, IMAGE, IMAGE, 0, 0, to, to, GL_COLOR_BUFFER_BIT, line->filter);
}

static double t_blit(const Line *line)
{
    GLuint storage_name;
    glGenFramebuffers(2, buffers);
    glGenRenderbuffers(1, &storage_name);
    glBindFramebuffer(GL_FRAMEBUFFER, buffers[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, storage_name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, line->number, line->format, IMAGE, IMAGE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, storage_name);
    int whole = complete();
    glClearColor(0.3f, 0.6f, 0.9f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    plain_layers(line);
    glBindFramebuffer(GL_FRAMEBUFFER, buffers[1]);
    target_texture(line->format, 0);
    if (!whole || !complete())
        return 0;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, buffers[0]);
    double rate = often(blit, line) * IMAGE * IMAGE / 1e6;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, buffers[1]); /* what came of it is checked */
    return rate;
}

#define BYTES GL_RGBA, GL_UNSIGNED_BYTE
#define SAMPLE(name, target, ...) {name, "Mpix/s", t_sample, target, __VA_ARGS__}
#define MOVE(name, format, ...) \
    {name, "Mpix/s", t_move, GL_TEXTURE_2D, format, GL_LINEAR, __VA_ARGS__}

static const Line LINES[] = {
    SAMPLE("nearest", GL_TEXTURE_2D, GL_RGBA8, GL_NEAREST, BYTES, PLAIN),
    SAMPLE("bilinear", GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("trilinear", GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR_MIPMAP_LINEAR, BYTES, PLAIN),
    SAMPLE("anisotropic", GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR_MIPMAP_LINEAR, BYTES, ANISOTROPIC),
    SAMPLE("two_units", GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR, BYTES, TWO_UNITS),
    SAMPLE("one_dim", GL_TEXTURE_1D, GL_RGBA8, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("cube", GL_TEXTURE_CUBE_MAP, GL_RGBA8, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("three_dim", GL_TEXTURE_3D, GL_RGBA8, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("rectangle", GL_TEXTURE_RECTANGLE, GL_RGBA8, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("luminance", GL_TEXTURE_2D, GL_LUMINANCE8, GL_LINEAR, GL_LUMINANCE, GL_UNSIGNED_BYTE,
           PLAIN),
    SAMPLE("rgb565", GL_TEXTURE_2D, GL_RGB5, GL_LINEAR, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, PLAIN),
    SAMPLE("s3tc", GL_TEXTURE_2D, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("float", GL_TEXTURE_2D, GL_RGBA32F, GL_LINEAR, GL_RGBA, GL_FLOAT, PLAIN),
    SAMPLE("half", GL_TEXTURE_2D, GL_RGBA16F, GL_LINEAR, BYTES, PLAIN),
    SAMPLE("shadow", GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, GL_LINEAR, GL_DEPTH_COMPONENT,
           GL_UNSIGNED_INT, SHADOW),
    MOVE("up_rgba", GL_RGBA8, BYTES, UPLOAD),
    MOVE("up_bgra", GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, UPLOAD),
    MOVE("up_rgb", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, UPLOAD),
    MOVE("up_565", GL_RGB5, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, UPLOAD),
    MOVE("up_luminance", GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE, UPLOAD),
    MOVE("up_float", GL_RGBA8, GL_RGBA, GL_FLOAT, UPLOAD),
    MOVE("up_float_float", GL_RGBA32F, GL_RGBA, GL_FLOAT, UPLOAD),
    MOVE("up_half", GL_RGBA16F, GL_RGBA, GL_FLOAT, UPLOAD),
    MOVE("up_depth", GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, UPLOAD),
    MOVE("up_s3tc", GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_RGB, GL_UNSIGNED_BYTE, UPLOAD),
    MOVE("get_rgba", GL_RGBA8, BYTES, GET),
    MOVE("get_bgra", GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, GET),
    MOVE("get_float", GL_RGBA8, GL_RGBA, GL_FLOAT, GET),
    MOVE("copy", GL_RGBA8, BYTES, COPY),
    MOVE("mipmap", GL_RGBA8, BYTES, MIPMAP),
    MOVE("mipmap_half", GL_RGBA16F, BYTES, MIPMAP),
    {"come_and_go", "ktex/s", t_frame, GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR, BYTES, 0},
    {"ping_pong", "Mpix/s", t_ping_pong, GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR, BYTES, 0},
    {"target_half", "Mpix/s", t_targets, GL_TEXTURE_2D, GL_RGBA16F, GL_LINEAR, BYTES, 1},
    {"target_float", "Mpix/s", t_targets, GL_TEXTURE_2D, GL_RGBA32F, GL_LINEAR, BYTES, 1},
    {"four_targets", "Mpix/s", t_targets, GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR, BYTES, 4},
    {"blit_nearest", "Mpix/s", t_blit, GL_TEXTURE_2D, GL_RGBA8, GL_NEAREST, BYTES, 0},
    {"blit_linear", "Mpix/s", t_blit, GL_TEXTURE_2D, GL_RGBA8, GL_LINEAR, BYTES, 0},
    {"resolve", "Mpix/s", t_blit, GL_TEXTURE_2D, GL_RGBA8, GL_NEAREST, BYTES, 4},
};
enum { COUNT = sizeof LINES / sizeof LINES[0] };

int main(int argc, char **argv)
{
    texels = malloc(IMAGE * IMAGE * 16);
    if (!texels)
        return 2;
    for (int i = 0; i < IMAGE * IMAGE * 4; i++) { /* as floats they are between 0 and 1 */
        float value = (i * 37 % 1009) / 1009.0f;
        memcpy(texels + 4 * i, &value, 4);
    }
    return bench_main(argc, argv, LINES, COUNT);
}
