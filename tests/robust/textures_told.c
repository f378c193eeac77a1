/* SPDX-License-Identifier: MIT */
/* What a driver says of images with a generic compressed format, and of how large images may be, line by line: test_names_peer.py
 * compares the lines with the peer's. In targets of lines they are no blocks: parts of any size are changed, and every texel is read
 * as it was written. */
#include "told.h"

enum { WIDTH = 8, HEIGHT = 4 };

static const GLenum FORMATS[] = {
    GL_COMPRESSED_RED, GL_COMPRESSED_RG, GL_COMPRESSED_RGB, GL_COMPRESSED_RGBA, GL_COMPRESSED_SRGB, GL_COMPRESSED_SRGB_ALPHA,
    GL_COMPRESSED_LUMINANCE, GL_COMPRESSED_LUMINANCE_ALPHA, GL_COMPRESSED_ALPHA, GL_COMPRESSED_INTENSITY, GL_COMPRESSED_SLUMINANCE,
    GL_COMPRESSED_SLUMINANCE_ALPHA,
};
static const GLenum TARGETS[] = {GL_TEXTURE_1D, GL_TEXTURE_1D_ARRAY, GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY};

static void image(GLenum target, GLenum format, const GLubyte *texels)
{
    if (target == GL_TEXTURE_1D)
        glTexImage1D(target, 0, format, WIDTH, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else if (target == GL_TEXTURE_2D_ARRAY)
        glTexImage3D(target, 0, format, WIDTH, HEIGHT, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else
        glTexImage2D(target, 0, format, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    told("image", target);
}

static void part(GLenum target, const GLubyte *texels)
{
    if (target == GL_TEXTURE_1D)
        glTexSubImage1D(target, 0, 1, 5, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else if (target == GL_TEXTURE_2D_ARRAY)
        glTexSubImage3D(target, 0, 1, 1, 0, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else
        glTexSubImage2D(target, 0, 1, 1, 5, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    told("part", target);
}

static void parameters(GLenum target)
{
    static const GLenum ASKED[] = {
        GL_TEXTURE_INTERNAL_FORMAT, GL_TEXTURE_COMPRESSED, GL_TEXTURE_RED_SIZE, GL_TEXTURE_LUMINANCE_SIZE, GL_TEXTURE_ALPHA_SIZE,
        GL_TEXTURE_COMPRESSED_IMAGE_SIZE,
    };
    for (int i = 0; i < COUNT(ASKED); i++) {
        GLint value = -1;
        glGetTexLevelParameteriv(target, 0, ASKED[i], &value);
        printf("%x ", ASKED[i]);
        told("is", value);
    }
}

/* What a line compressed to blocks and back would not keep. */
static void texels_told(GLenum target)
{
    GLubyte texels[WIDTH * HEIGHT * 4] = {0};
    int lines = target == GL_TEXTURE_1D ? 1 : HEIGHT;
    glGetTexImage(target, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    for (int i = 0; i < WIDTH * lines * 4; i++)
        printf("%02x", texels[i]);
    told(" are the texels", 0);
}

/* Proxies have a size only if there may be such an image. */
static void sizes_told(void)
{
    static const GLenum KINDS[] = {GL_RGBA8, GL_RGBA16F_ARB, GL_RGBA32F_ARB};
    static const int SIZES[] = {256, 1024, 2048};
    GLint width;
    for (int f = 0; f < COUNT(KINDS); f++) {
        for (int w = 4096; w <= 32768; w *= 2)
            for (int h = 4096; h <= 32768; h *= 2) {
                glTexImage2D(GL_PROXY_TEXTURE_2D, 0, KINDS[f], w, h, 0, GL_RGBA, GL_FLOAT, NULL);
                glGetTexLevelParameteriv(GL_PROXY_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
                printf("%x, %d by %d ", KINDS[f], w, h);
                told("is so wide", width);
            }
        for (int n = 0; n < 27; n++) {
            int w = SIZES[n % 3], h = SIZES[n / 3 % 3], depth = SIZES[n / 9];
            glTexImage3D(GL_PROXY_TEXTURE_3D, 0, KINDS[f], w, h, depth, 0, GL_RGBA, GL_FLOAT, NULL);
            glGetTexLevelParameteriv(GL_PROXY_TEXTURE_3D, 0, GL_TEXTURE_WIDTH, &width);
            printf("%x, %d by %d by %d ", KINDS[f], w, h, depth);
            told("is so wide", width);
        }
    }
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    sizes_told();
    GLubyte noise[WIDTH * HEIGHT * 4];
    unsigned seed = 7;
    for (unsigned i = 0; i < sizeof noise; i++)
        noise[i] = (seed = seed * 1103515245 + 12345) >> 16;
    for (int f = 0; f < COUNT(FORMATS); f++)
        for (int t = 0; t < COUNT(TARGETS); t++) {
            GLuint name;
            int lines = TARGETS[t] == GL_TEXTURE_1D || TARGETS[t] == GL_TEXTURE_1D_ARRAY;
            glGenTextures(1, &name);
            glBindTexture(TARGETS[t], name);
            printf("format %x\n", FORMATS[f]);
            image(TARGETS[t], FORMATS[f], noise);
            part(TARGETS[t], noise + 20);
            parameters(TARGETS[t]);
            if (lines)
                texels_told(TARGETS[t]);
            glDeleteTextures(1, &name);
        }
    drop_rig(&rig);
    return 0;
}
