/* SPDX-License-Identifier: MIT */
/* What can be done with internal formats: glGetInternalformativ, where the peer follows the
 * specification and neither multisample textures nor images of shaders count. */
#include "told.h"

static const struct { const char *name; GLenum target; } TARGETS[] = {
    {"1D", GL_TEXTURE_1D}, {"1D array", GL_TEXTURE_1D_ARRAY}, {"2D", GL_TEXTURE_2D},
    {"3D", GL_TEXTURE_3D}, {"cube", GL_TEXTURE_CUBE_MAP}, {"rectangle", GL_TEXTURE_RECTANGLE},
    {"renderbuffer", GL_RENDERBUFFER}, {"proxy", GL_PROXY_TEXTURE_2D},
};
#define F(name) {#name, GL_##name}
static const struct { const char *name; GLenum format; } FORMATS[] = {
    F(RGBA8), F(RGB8), F(RGB565), F(RGBA4), F(RGB5_A1), F(RGB10_A2), F(RGBA16), F(RGB16F),
    F(RGBA32F), F(R8), F(RG16), F(R32F), F(RG8_SNORM), F(RGBA8I), F(RGB32UI), F(RGB10_A2UI),
    F(R11F_G11F_B10F), F(ALPHA8), F(LUMINANCE8), F(LUMINANCE16_ALPHA16), F(INTENSITY8),
    F(ALPHA16I_EXT), F(LUMINANCE32F_ARB), F(SRGB8), F(SRGB8_ALPHA8), F(DEPTH_COMPONENT16),
    F(DEPTH_COMPONENT24), F(DEPTH_COMPONENT32F), F(COMPRESSED_RGB_S3TC_DXT1_EXT),
    F(COMPRESSED_RGBA_S3TC_DXT5_EXT), F(COMPRESSED_RED_RGTC1), F(COMPRESSED_RG_RGTC2),
    F(COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT), F(COLOR_INDEX),
};
static const struct { const char *name; GLenum format; } ASKED[] = {
    F(INTERNALFORMAT_RED_SIZE), F(INTERNALFORMAT_GREEN_SIZE), F(INTERNALFORMAT_BLUE_SIZE),
    F(INTERNALFORMAT_ALPHA_SIZE), F(INTERNALFORMAT_DEPTH_SIZE), F(INTERNALFORMAT_STENCIL_SIZE),
    F(INTERNALFORMAT_SHARED_SIZE), F(INTERNALFORMAT_RED_TYPE), F(INTERNALFORMAT_GREEN_TYPE),
    F(INTERNALFORMAT_BLUE_TYPE), F(INTERNALFORMAT_ALPHA_TYPE), F(INTERNALFORMAT_DEPTH_TYPE),
    F(MAX_WIDTH), F(MAX_HEIGHT), F(MAX_DEPTH), F(MAX_LAYERS), F(COLOR_RENDERABLE),
    F(FRAMEBUFFER_RENDERABLE), F(SRGB_READ), F(SRGB_DECODE_ARB), F(VERTEX_TEXTURE),
    F(FRAGMENT_TEXTURE), F(TEXTURE_SHADOW), F(SIMULTANEOUS_TEXTURE_AND_DEPTH_TEST),
    F(VIEW_COMPATIBILITY_CLASS), F(NUM_SAMPLE_COUNTS), F(MANUAL_GENERATE_MIPMAP), F(TEXTURE_2D),
    F(TEXTURE_COMPRESSED), F(TEXTURE_COMPRESSED_BLOCK_SIZE),
};

static void ask(unsigned t, unsigned f, unsigned p)
{
    char what[160];
    GLint value = -7;
    GLint64 wide = -7;
    snprintf(what, sizeof what, "%s %s %s", TARGETS[t].name, FORMATS[f].name, ASKED[p].name);
    glGetInternalformativ(TARGETS[t].target, FORMATS[f].format, ASKED[p].format, 1, &value);
    told(what, value);
    glGetInternalformati64v(TARGETS[t].target, FORMATS[f].format, ASKED[p].format, 1, &wide);
    told("wide", (long) wide);
}

int main(void)
{
    Rig rig = make_rig(8, 8);
    GLint counts[4] = {-7, -7, -7, -7};
    for (int t = 0; t < COUNT(TARGETS); t++)
        for (int f = 0; f < COUNT(FORMATS); f++)
            for (int p = 0; p < COUNT(ASKED); p++)
                ask(t, f, p);
    TELL(glGetInternalformativ(GL_TEXTURE_2D, GL_RGBA8, GL_MAX_WIDTH, -1, counts));
    TELL(glGetInternalformativ(GL_TEXTURE_2D, GL_RGBA8, GL_MAX_WIDTH, 0, counts));
    TELL(glGetInternalformativ(GL_TEXTURE_2D, GL_RGBA8, GL_SAMPLES, 4, counts));
    TELL(glGetInternalformativ(GL_RENDERBUFFER, GL_RGBA8, GL_SAMPLES, 1, counts));
    told("most samples", counts[0]);
    told("no more", counts[1]);
    drop_rig(&rig);
    return 0;
}
