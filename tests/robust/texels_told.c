/* SPDX-License-Identifier: MIT */
/* What a driver says of buffer textures, line by line: test_names_peer.py compares the lines with the peer's. */
#include "told.h"

enum { BYTES = 4096 };

static GLuint buffer, other, texture;
static GLint values[16];

static void get(const char *name, GLenum what)
{
    values[0] = -1;
    glGetIntegerv(what, values);
    told(name, values[0]);
}

#define GET(what) get(#what, what)

static void level(const char *name, GLenum what)
{
    values[0] = -1;
    glGetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, what, values);
    told(name, values[0]);
}

#define LEVEL(what) level(#what, what)

static void levels(void)
{
    LEVEL(GL_TEXTURE_WIDTH);
    LEVEL(GL_TEXTURE_HEIGHT);
    LEVEL(GL_TEXTURE_DEPTH);
    LEVEL(GL_TEXTURE_INTERNAL_FORMAT);
    LEVEL(GL_TEXTURE_RED_SIZE);
    LEVEL(GL_TEXTURE_ALPHA_SIZE);
    LEVEL(GL_TEXTURE_LUMINANCE_SIZE);
    LEVEL(GL_TEXTURE_INTENSITY_SIZE);
    LEVEL(GL_TEXTURE_RED_TYPE);
    LEVEL(GL_TEXTURE_ALPHA_TYPE);
    LEVEL(GL_TEXTURE_BUFFER_DATA_STORE_BINDING);
    LEVEL(GL_TEXTURE_BUFFER_OFFSET);
    LEVEL(GL_TEXTURE_BUFFER_SIZE);
}

/* Every internal format that there is, in the order of its number: which ones buffer textures may have. */
static void formats(void)
{
    static const struct { GLenum first, last; } ranges[] = {
        {1, 4}, {0x1902, 0x190A}, {0x2A10, 0x2A10}, {0x803B, 0x805B}, {0x81A5, 0x81A7}, {0x8225, 0x823C},
        {0x8814, 0x881F}, {0x8C3A, 0x8C43}, {0x8D70, 0x8D97}, {0x8F94, 0x8F9B}, {0x906F, 0x906F}, {0x9010, 0x901B}};
    for (int n = 0; n < COUNT(ranges); n++)
        for (GLenum format = ranges[n].first; format <= ranges[n].last; format++) {
            if (format == GL_RGB32F || format == GL_RGB32I || format == GL_RGB32UI)
                continue;               /* ARB_texture_buffer_object_rgb32, which the peer has */
            printf("%#x ", format);
            TELL(glTexBuffer(GL_TEXTURE_BUFFER, format, buffer));
            GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
            if (values[0] == (GLint) format)
                levels();
        }
}

static void binding(void)
{
    GET(GL_TEXTURE_BUFFER);
    GET(GL_TEXTURE_BINDING_BUFFER);
    GET(GL_TEXTURE_BUFFER_DATA_STORE_BINDING);
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    GET(GL_MAX_TEXTURE_BUFFER_SIZE);
    GET(GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT);
    levels();
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, 0));          /* of texture 0 */
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, 99));
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGB, 99));
    TELL(glTexBuffer(GL_TEXTURE_2D, GL_RGBA8, 0));
    TELL(glTexBuffer(GL_TEXTURE_2D, GL_RGB, 99));
    TELL(glTexBuffer(GL_ARRAY_BUFFER, GL_RGBA8, 0));
    GLuint never;
    glGenBuffers(1, &never);
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, never));
    TELL(glBindTexture(GL_TEXTURE_BUFFER, texture));
    TELL(glBindTexture(GL_TEXTURE_2D, texture));
    levels();
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RG16F, buffer));
    TELL(glBindBuffer(GL_TEXTURE_BUFFER, other));
    GET(GL_TEXTURE_BUFFER);
    GET(GL_TEXTURE_BINDING_BUFFER);
    GET(GL_TEXTURE_BUFFER_DATA_STORE_BINDING);
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    levels();
    TELL(glBufferData(GL_TEXTURE_BUFFER, 100, NULL, GL_STATIC_DRAW));
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, other));
    levels();
    TELL(glDeleteBuffers(1, &other));
    GET(GL_TEXTURE_BUFFER);
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    LEVEL(GL_TEXTURE_WIDTH);
}

static void ranges(void)
{
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, 16, 64));
    levels();
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, 16, 63));
    levels();
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, 8, 64));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, -16, 64));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, 0, 0));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, 0, -1));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, BYTES - 16, 17));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, BYTES, 1));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, buffer, BYTES - 16, 16));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, 0, 3, -7));
    levels();
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGB8, buffer, 0, 16));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGB8, buffer, 3, 16));
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_RGBA8, 99, 0, 16));
    TELL(glTexBufferRange(GL_TEXTURE_2D, GL_RGBA8, buffer, 3, 16));
    levels();
}

/* Calls with images, levels and parameters, of which buffer textures have none. */
static void others(void)
{
    GLfloat floats[4];
    char texels[64] = {0};
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, buffer));
    TELL(glTexParameteri(GL_TEXTURE_BUFFER, GL_TEXTURE_MIN_FILTER, GL_NEAREST));
    TELL(glTexParameterf(GL_TEXTURE_BUFFER, GL_TEXTURE_PRIORITY, 1));
    TELL(glGetTexParameteriv(GL_TEXTURE_BUFFER, GL_TEXTURE_MIN_FILTER, values));
    TELL(glGetTexParameterfv(GL_TEXTURE_BUFFER, GL_TEXTURE_BORDER_COLOR, floats));
    TELL(glGetTexLevelParameteriv(GL_TEXTURE_BUFFER, 1, GL_TEXTURE_WIDTH, values));
    TELL(glGetTexLevelParameteriv(GL_TEXTURE_BUFFER, -1, GL_TEXTURE_WIDTH, values));
    TELL(glGetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_MIN_FILTER, values));
    TELL(glGetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_COMPRESSED_IMAGE_SIZE, values));
    TELL(glTexImage1D(GL_TEXTURE_BUFFER, 0, GL_RGBA8, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTexImage2D(GL_TEXTURE_BUFFER, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTexSubImage1D(GL_TEXTURE_BUFFER, 0, 0, 4, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glGetTexImage(GL_TEXTURE_BUFFER, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glCopyTexImage1D(GL_TEXTURE_BUFFER, 0, GL_RGBA8, 0, 0, 4, 0));
    TELL(glGenerateMipmap(GL_TEXTURE_BUFFER));
    TELL(glTexStorage1D(GL_TEXTURE_BUFFER, 1, GL_RGBA8, 4));
    TELL(glEnable(GL_TEXTURE_BUFFER));
    ASK(glIsTexture(texture));
    GLuint frame;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    TELL(glFramebufferTexture1D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_BUFFER, texture, 0));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0));
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 0));
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    TELL(glCopyImageSubData(texture, GL_TEXTURE_BUFFER, 0, 0, 0, 0, texture, GL_TEXTURE_BUFFER, 0, 0, 0, 0, 1, 1, 1));
    TELL(glClearTexImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
    TELL(glInvalidateTexImage(texture, 0));
    GLuint view;
    glGenTextures(1, &view);
    TELL(glTextureView(view, GL_TEXTURE_BUFFER, texture, GL_RGBA8, 0, 1, 0, 1));
    LEVEL(GL_TEXTURE_WIDTH);
}

/* By name; in lists; what attribute stacks save. */
static void further(void)
{
    GLuint made[3], several;
    TELL(glCreateTextures(GL_TEXTURE_BUFFER, 1, made));
    TELL(glTextureBuffer(made[0], GL_R32F, buffer));
    TELL(glTextureBufferRange(made[0], GL_R32F, buffer, 32, 32));
    TELL(glTextureBuffer(made[0], GL_RGB8, buffer));
    TELL(glTextureBuffer(99, GL_R32F, buffer));
    glGetTextureLevelParameteriv(made[0], 0, GL_TEXTURE_WIDTH, values);
    told("width", values[0]);
    TELL(glTextureParameteri(made[0], GL_TEXTURE_MAX_LEVEL, 3));
    TELL(glGetTextureParameteriv(made[0], GL_TEXTURE_MAX_LEVEL, values));
    TELL(glGetIntegeri_v(GL_TEXTURE_BINDING_2D_MULTISAMPLE, 9, values));
    TELL(glGetIntegeri_v(GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, 999, values));
    glGetTexParameteriv(GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_MIN_FILTER, values);
    told("filter of none", values[0]);
    TELL(glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &several));
    TELL(glGetTextureParameteriv(several, GL_TEXTURE_MIN_FILTER, values));
    told("filter", values[0]);
    for (int level = -1; level < 2; level++) { /* a rectangle has one */
        TELL(glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_BASE_LEVEL, level));
        TELL(glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MAX_LEVEL, level));
    }
    TELL(glCreateTextures(GL_TEXTURE_2D, 1, made + 1));
    TELL(glTextureBuffer(made[1], GL_R32F, buffer));
    TELL(glBindTextureUnit(3, made[0]));
    glActiveTexture(GL_TEXTURE3);
    GET(GL_TEXTURE_BINDING_BUFFER);
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    glGetIntegeri_v(GL_TEXTURE_BINDING_BUFFER, 3, values);
    told("indexed", values[0]);
    glActiveTexture(GL_TEXTURE0);
    glGenTextures(1, made + 2);
    TELL(glTextureBufferEXT(made[2], GL_TEXTURE_BUFFER, GL_R8, buffer));
    TELL(glTextureBufferEXT(made[2], GL_TEXTURE_2D, GL_R8, buffer));
    TELL(glMultiTexBufferEXT(GL_TEXTURE2, GL_TEXTURE_BUFFER, GL_R16, buffer));
    glActiveTexture(GL_TEXTURE2);
    get("of unit 2", GL_TEXTURE_BUFFER_FORMAT_ARB);
    glActiveTexture(GL_TEXTURE0);
    TELL(glPushAttrib(GL_TEXTURE_BIT));
    TELL(glBindTexture(GL_TEXTURE_BUFFER, made[0]));
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA16, buffer));
    TELL(glPopAttrib());
    GET(GL_TEXTURE_BINDING_BUFFER);
    GLuint list = glGenLists(1);
    TELL(glNewList(list, GL_COMPILE));
    TELL(glTexBuffer(GL_TEXTURE_BUFFER, GL_R8, buffer));
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    TELL(glTexBufferRange(GL_TEXTURE_BUFFER, GL_R16, buffer, 16, 16));
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    TELL(glEndList());
    TELL(glCallList(list));
    GET(GL_TEXTURE_BUFFER_FORMAT_ARB);
    levels();
    TELL(glDeleteTextures(1, &texture));
    GET(GL_TEXTURE_BINDING_BUFFER);
}

int main(void)
{
    Rig rig = make_rig(16, 16);
    glGenBuffers(1, &buffer);
    glGenBuffers(1, &other);
    glGenTextures(1, &texture);
    TELL(glBindBuffer(GL_TEXTURE_BUFFER, buffer));
    TELL(glBufferData(GL_TEXTURE_BUFFER, BYTES, NULL, GL_STATIC_DRAW));
    binding();
    formats();
    ranges();
    others();
    further();
    drop_rig(&rig);
    return 0;
}
