/* SPDX-License-Identifier: MIT */
/* What a driver says of textures with several samples (ARB_texture_multisample, ARB_texture_storage_multisample), line by line:
 * test_names_peer.py compares the lines with the peer's. Limits, parameters, what is refused, completeness of framebuffers, what
 * shaders see of each sample and of none, resolves, clears, copies and views. */
#include "told.h"

#define MS GL_TEXTURE_2D_MULTISAMPLE
#define MSA GL_TEXTURE_2D_MULTISAMPLE_ARRAY
#define PMS GL_PROXY_TEXTURE_2D_MULTISAMPLE
#define PMSA GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY

enum { SIZE = 8, LAYERS = 3, SAMPLES = 4 };

static GLint asked(GLenum pname)
{
    GLint value = -7;
    glGetIntegerv(pname, &value);
    return value;
}

static GLint level(GLenum target, GLenum pname)
{
    GLint value = -7;
    glGetTexLevelParameteriv(target, 0, pname, &value);
    return value;
}

static void image_told(const char *what, GLenum target)
{
    static const GLenum PNAMES[] = {
        GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_DEPTH, GL_TEXTURE_INTERNAL_FORMAT, GL_TEXTURE_SAMPLES,
        GL_TEXTURE_FIXED_SAMPLE_LOCATIONS, GL_TEXTURE_RED_SIZE, GL_TEXTURE_ALPHA_TYPE, GL_TEXTURE_DEPTH_SIZE, GL_TEXTURE_COMPRESSED,
    };
    printf("%s:", what);
    for (int n = 0; n < COUNT(PNAMES); n++)
        printf(" %x", level(target, PNAMES[n]));
    told("", 0);
}

static GLuint texture(GLenum target, GLenum internal, GLboolean fixed)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    if (target == MS)
        glTexImage2DMultisample(MS, SAMPLES, internal, SIZE, SIZE, fixed);
    else
        glTexImage3DMultisample(MSA, SAMPLES, internal, SIZE, SIZE, LAYERS, fixed);
    return name;
}

static GLuint framebuffer(void)
{
    GLuint name;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

static void limits(void)
{
    ASK(asked(GL_MAX_COLOR_TEXTURE_SAMPLES));
    ASK(asked(GL_MAX_DEPTH_TEXTURE_SAMPLES));
    ASK(asked(GL_MAX_INTEGER_SAMPLES));
    ASK(asked(GL_MAX_SAMPLE_MASK_WORDS));
    ASK(asked(GL_TEXTURE_BINDING_2D_MULTISAMPLE));
    ASK(asked(GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY));
    ASK(strstr((const char *) glGetString(GL_EXTENSIONS), "GL_ARB_texture_multisample") != NULL);
    ASK(strstr((const char *) glGetString(GL_EXTENSIONS), "GL_ARB_texture_storage_multisample") != NULL);
}

static void parameters(GLenum target)
{
    static const GLenum PNAMES[] = {
        GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER, GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R, GL_TEXTURE_MIN_LOD,
        GL_TEXTURE_MAX_LOD, GL_TEXTURE_LOD_BIAS, GL_TEXTURE_BASE_LEVEL, GL_TEXTURE_MAX_LEVEL, GL_TEXTURE_MAX_ANISOTROPY_EXT,
        GL_TEXTURE_COMPARE_MODE, GL_TEXTURE_COMPARE_FUNC, GL_DEPTH_TEXTURE_MODE, GL_GENERATE_MIPMAP, GL_TEXTURE_PRIORITY,
        GL_TEXTURE_SRGB_DECODE_EXT, GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_CUBE_MAP_SEAMLESS, GL_DEPTH_STENCIL_TEXTURE_MODE,
        GL_TEXTURE_IMMUTABLE_FORMAT, GL_TEXTURE_IMMUTABLE_LEVELS, GL_TEXTURE_RESIDENT,
    };
    static const GLint VALUES[] = {0, 1, -1, GL_NEAREST, GL_LINEAR, GL_CLAMP_TO_EDGE, GL_RED, GL_NONE, 2};
    static const GLfloat BORDER[] = {0.5f, 0, 1, 1};
    GLuint name;
    glGenTextures(1, &name);
    TELL(glBindTexture(target, name));
    TELL(glBindTexture(target == MS ? MSA : MS, name));
    TELL(glBindTexture(GL_TEXTURE_2D, name));
    TELL(glEnable(target));
    for (int n = 0; n < COUNT(PNAMES); n++) {
        GLint value = -7;
        glGetTexParameteriv(target, PNAMES[n], &value);
        printf("%x of %x", PNAMES[n], target);
        told(", at first", value);
        for (int k = 0; k < COUNT(VALUES); k++) {
            glTexParameteri(target, PNAMES[n], VALUES[k]);
            printf("%x = %d", PNAMES[n], VALUES[k]);
            told("", 0);
        }
        glTexParameterf(target, PNAMES[n], 0.0f);
        glGetTexParameteriv(target, PNAMES[n], &value);
        told("then", value);
    }
    TELL(glTexParameterfv(target, GL_TEXTURE_BORDER_COLOR, BORDER));
    TELL(glTexParameteri(target == MS ? PMS : PMSA, GL_TEXTURE_MAX_LEVEL, 0));
    glTexParameteri(target, GL_TEXTURE_SWIZZLE_R, GL_RED);
    glTexParameteri(target, GL_TEXTURE_BASE_LEVEL, 0);
    told("end", 0);
    glBindTexture(target, 0);
    glDeleteTextures(1, &name);
}

static void refused(void)
{
    static const GLenum FORMATS[] = {
        GL_RGBA, GL_RGB, GL_RGBA8, GL_RGB8, GL_RG8, GL_R8, GL_R16, GL_RGBA16, GL_RGBA16_SNORM, GL_RGB10_A2, GL_RGB565, GL_RGB5_A1,
        GL_SRGB8, GL_SRGB8_ALPHA8, GL_RGBA16F, GL_RGB16F, GL_RGBA32F, GL_R32F, GL_R11F_G11F_B10F, GL_RGB9_E5, GL_RGBA8I, GL_RGBA8UI,
        GL_RGBA16I, GL_RGBA32I, GL_RGBA32UI, GL_RG32UI, GL_R8I, GL_RGB32I, GL_RGB10_A2UI, GL_ALPHA8, GL_LUMINANCE8, GL_INTENSITY8,
        GL_LUMINANCE8_ALPHA8, GL_ALPHA, GL_LUMINANCE, GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24,
        GL_DEPTH_COMPONENT32, GL_DEPTH_COMPONENT32F, GL_DEPTH_STENCIL, GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8, GL_STENCIL_INDEX,
        GL_STENCIL_INDEX8, GL_COMPRESSED_RGB, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 4, 0, GL_RGBA_INTEGER, GL_ALPHA8I_EXT,
        GL_LUMINANCE16UI_EXT,
    };
    static const GLint COUNTS[] = {-1, 0, 1, 2, 3, 4, 5, 8, 9, 33};
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(MS, name);
    for (int n = 0; n < COUNT(COUNTS); n++) {
        printf("%d ", COUNTS[n]);
        TELL(glTexImage2DMultisample(MS, COUNTS[n], GL_RGBA8, SIZE, SIZE, GL_TRUE));
        image_told("image", MS);
        TELL(glTexImage2DMultisample(PMS, COUNTS[n], GL_RGBA8, SIZE, SIZE, GL_TRUE));
        image_told("proxy", PMS);
        TELL(glTexImage2DMultisample(MS, COUNTS[n], GL_RGBA8UI, SIZE, SIZE, GL_TRUE));
        TELL(glTexImage2DMultisample(MS, COUNTS[n], GL_DEPTH_COMPONENT24, SIZE, SIZE, GL_TRUE));
    }
    for (int n = 0; n < COUNT(FORMATS); n++) {
        printf("format %x ", FORMATS[n]);
        TELL(glTexImage2DMultisample(MS, SAMPLES, FORMATS[n], SIZE, SIZE + 1, GL_FALSE));
        image_told("image", MS);
        TELL(glTexImage2DMultisample(PMS, SAMPLES, FORMATS[n], SIZE, SIZE, GL_FALSE));
        image_told("proxy", PMS);
        GLuint other;
        glGenTextures(1, &other);
        glBindTexture(MS, other);
        TELL(glTexStorage2DMultisample(MS, SAMPLES, FORMATS[n], SIZE, SIZE, GL_TRUE));
        image_told("storage", MS);
        glBindTexture(MS, name);
        glDeleteTextures(1, &other);
    }
    for (int n = 0; n < 6; n++) {
        static const GLint SIZES[][2] = {{-1, 4}, {4, -1}, {0, 4}, {4, 0}, {16385, 4}, {4, 16385}};
        printf("%d x %d ", SIZES[n][0], SIZES[n][1]);
        TELL(glTexImage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZES[n][0], SIZES[n][1], GL_TRUE));
        image_told("image", MS);
        TELL(glTexImage2DMultisample(PMS, SAMPLES, GL_RGBA8, SIZES[n][0], SIZES[n][1], GL_TRUE));
        image_told("proxy", PMS);
        TELL(glTexStorage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZES[n][0], SIZES[n][1], GL_TRUE));
    }
    TELL(glTexImage2DMultisample(GL_TEXTURE_2D, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexImage2DMultisample(MSA, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexImage2DMultisample(GL_TEXTURE_2D, 0, 0, SIZE, SIZE, GL_TRUE));
    TELL(glTexImage2DMultisample(PMSA, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexImage3DMultisample(MS, SAMPLES, GL_RGBA8, SIZE, SIZE, 1, GL_TRUE));
    TELL(glTexImage3DMultisample(MSA, SAMPLES, GL_RGBA8, SIZE, SIZE, 0, GL_TRUE));
    TELL(glTexImage3DMultisample(MSA, SAMPLES, GL_RGBA8, SIZE, SIZE, -1, GL_TRUE));
    TELL(glTexImage3DMultisample(MSA, SAMPLES, GL_RGBA8, SIZE, SIZE, 99999, GL_TRUE));
    TELL(glTexImage3DMultisample(PMSA, SAMPLES, GL_RGBA8, SIZE, SIZE, 99999, GL_TRUE));
    image_told("proxy", PMSA);
    TELL(glTexImage3DMultisample(PMSA, SAMPLES, GL_RGBA8, SIZE, SIZE, 5, GL_FALSE));
    image_told("proxy", PMSA);
    TELL(glTexImage3DMultisample(PMSA, SAMPLES, GL_RGBA32F, 16384, 16384, 2048, GL_FALSE));
    image_told("proxy", PMSA);
    glBindTexture(MS, 0);
    TELL(glTexStorage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexStorage2DMultisample(PMS, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexStorage3DMultisample(PMSA, SAMPLES, GL_RGBA8, SIZE, SIZE, 2, GL_TRUE));
    TELL(glTexStorage2DMultisample(GL_TEXTURE_2D, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexStorage2DMultisample(MS, 0, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexStorage2DMultisample(MS, 64, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexStorage2DMultisample(MS, 64, GL_RGBA, SIZE, SIZE, GL_TRUE));
    glBindTexture(MS, name);
    TELL(glTexStorage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexStorage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    TELL(glTexImage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    image_told("storage", MS);
    glBindTexture(MS, 0);
    glDeleteTextures(1, &name);
}

static void others(GLenum target)
{
    GLubyte texels[SIZE * SIZE * LAYERS * 4] = {0};
    GLuint name = texture(target, GL_RGBA8, GL_TRUE);
    GLint value = -7;
    TELL(glTexImage2D(target, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTexImage3D(target, 0, GL_RGBA8, SIZE, SIZE, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTexSubImage2D(target, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTexSubImage3D(target, 0, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glCopyTexImage2D(target, 0, GL_RGBA8, 0, 0, 1, 1, 0));
    TELL(glCopyTexSubImage2D(target, 0, 0, 0, 0, 0, 1, 1));
    TELL(glCopyTexSubImage3D(target, 0, 0, 0, 0, 0, 0, 1, 1));
    TELL(glCompressedTexImage2D(target, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 4, 4, 0, 8, texels));
    TELL(glGetTexImage(target, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glGetCompressedTexImage(target, 0, texels));
    TELL(glGetTextureImage(name, 0, GL_RGBA, GL_UNSIGNED_BYTE, sizeof texels, texels));
    TELL(glGetTextureSubImage(name, 0, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, sizeof texels, texels));
    TELL(glGetCompressedTextureImage(name, 0, sizeof texels, texels));
    TELL(glGetCompressedTextureSubImage(name, 0, 0, 0, 0, 1, 1, 1, sizeof texels, texels));
    TELL(glGenerateMipmap(target));
    TELL(glGenerateTextureMipmap(name));
    TELL(glTexStorage2D(target, 1, GL_RGBA8, SIZE, SIZE));
    TELL(glTexStorage3D(target, 1, GL_RGBA8, SIZE, SIZE, 2));
    TELL(glTextureStorage2D(name, 1, GL_RGBA8, SIZE, SIZE));
    TELL(glTextureStorage3D(name, 1, GL_RGBA8, SIZE, SIZE, 2));
    TELL(glTextureSubImage2D(name, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTextureSubImage3D(name, 0, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels));
    TELL(glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST));
    TELL(glTextureParameteri(name, GL_TEXTURE_BASE_LEVEL, 1));
    TELL(glTextureParameteri(name, GL_TEXTURE_MAX_LEVEL, 1));
    TELL(glInvalidateTexImage(name, 0));
    TELL(glInvalidateTexImage(name, 1));
    TELL(glInvalidateTexSubImage(name, 0, 0, 0, 0, 1, 1, 1));
    TELL(glGetTexLevelParameteriv(target, 1, GL_TEXTURE_WIDTH, &value));
    TELL(glGetTextureLevelParameteriv(name, 0, GL_TEXTURE_SAMPLES, &value));
    told("samples", value);
    TELL(glTextureStorage2DMultisample(name, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_FALSE));
    TELL(glTextureStorage3DMultisample(name, SAMPLES, GL_RGBA8, SIZE, SIZE, LAYERS, GL_FALSE));
    image_told("storage", target);
    TELL(glTextureStorage2DMultisample(name, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_FALSE));
    TELL(glTextureStorage2DMultisample(9999, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_FALSE));
    GLuint made, flat;
    glCreateTextures(target, 1, &made);
    glCreateTextures(GL_TEXTURE_2D, 1, &flat);
    TELL(glTextureStorage2DMultisample(flat, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_FALSE));
    TELL(glTextureStorage2DMultisample(made, 0, GL_RGBA8, SIZE, SIZE, GL_FALSE));
    TELL(glTextureStorage2DMultisampleEXT(made, target, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_FALSE));
    TELL(glTextureStorage3DMultisampleEXT(made, target, SAMPLES, GL_RGBA8, SIZE, SIZE, 2, GL_FALSE));
    TELL(glTextureStorage3DMultisampleEXT(made, GL_TEXTURE_2D, SAMPLES, GL_RGBA8, SIZE, SIZE, 2, GL_FALSE));
    glBindTexture(target, 0);
    glDeleteTextures(1, &name);
    glDeleteTextures(1, &made);
    glDeleteTextures(1, &flat);
}

static void status(const char *what)
{
    printf("%s ", what);
    ASK(glCheckFramebufferStatus(GL_FRAMEBUFFER));
}

static GLuint renderbuffer(GLenum internal, int samples)
{
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, internal, SIZE, SIZE);
    return name;
}

static void completeness(void)
{
    GLuint fixed = texture(MS, GL_RGBA8, GL_TRUE), loose = texture(MS, GL_RGBA8, GL_FALSE), array = texture(MSA, GL_RGBA8, GL_TRUE);
    GLuint deep = texture(MS, GL_DEPTH24_STENCIL8, GL_TRUE), loose_deep = texture(MS, GL_DEPTH24_STENCIL8, GL_FALSE), flat, empty;
    GLuint fbo = framebuffer(), several = renderbuffer(GL_RGBA8, SAMPLES), one = renderbuffer(GL_RGBA8, 0);
    GLint value;
    glGenTextures(1, &flat);
    glBindTexture(GL_TEXTURE_2D, flat);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenTextures(1, &empty);
    glBindTexture(MS, empty);
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, fixed, 0));
    status("fixed");
    ASK(asked(GL_SAMPLES));
    ASK(asked(GL_SAMPLE_BUFFERS));
    ASK(asked(GL_RED_BITS));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, fixed, 1));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, fixed, 0));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, flat, 0));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MSA, fixed, 0));
    TELL(glFramebufferTexture3D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MSA, array, 0, 0));
    TELL(glFramebufferTexture1D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, fixed, 0));
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, fixed, 0, 0));
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 1, 0));
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0, -1));
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0, 99999));
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0, LAYERS));
    status("beyond");
    TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0, 2));
    status("layer");
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER, &value);
    told("layer", value);
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, MS, fixed, 0));
    status("layer and fixed");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, loose, 0));
    status("loose and fixed");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, MS, 0, 0));
    status("loose");
    TELL(glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, several));
    status("loose and renderbuffer");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, fixed, 0));
    status("fixed and renderbuffer");
    TELL(glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, one));
    status("fixed and one sample");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, flat, 0));
    status("fixed and flat");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, MS, 0, 0));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, MS, deep, 0));
    status("fixed with depth");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, MS, loose_deep, 0));
    status("fixed with loose depth");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, MS, 0, 0));
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, deep, 0));
    status("depth for colour");
    TELL(glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, empty, 0));
    status("empty");
    glBindTexture(MS, empty);
    TELL(glTexImage2DMultisample(MS, SAMPLES, GL_RGBA8, SIZE, SIZE, GL_TRUE));
    status("filled");
    TELL(glTexImage2DMultisample(MS, SAMPLES, GL_DEPTH_COMPONENT24, SIZE, SIZE, GL_TRUE));
    status("exchanged");
    TELL(glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, fixed, 0));
    status("whole");
    TELL(glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0));
    status("layered");
    TELL(glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 1));
    glDeleteTextures(1, &fixed);
    glDeleteTextures(1, &loose);
    glDeleteTextures(1, &array);
    status("deleted");
    glDeleteTextures(1, &deep);
    glDeleteTextures(1, &loose_deep);
    glDeleteTextures(1, &flat);
    glDeleteTextures(1, &empty);
    glDeleteRenderbuffers(1, &several);
    glDeleteRenderbuffers(1, &one);
    glDeleteFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* A program that shows a texel: its colours, numbers and sizes go to a target of floats. */
static GLuint shown(const char *sampler, const char *color)
{
    static const char *const HEAD =
        "#version 120\n#extension GL_EXT_gpu_shader4 : require\n#extension GL_ARB_texture_multisample : require\n"
        "uniform int sample;\nuniform ivec3 place;\n#define color gl_FragColor\n";
    const char *parts[] = {HEAD, "uniform ", sampler, " s;\nvoid main() { ivec3 at = ivec3(ivec2(gl_FragCoord.xy), 0) + place;\n", color, "}\n"};
    GLuint shader = glCreateShader(GL_FRAGMENT_SHADER), program = glCreateProgram();
    GLint good;
    char log[500];
    glShaderSource(shader, 6, parts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) {
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fail("%s: %s", sampler, log);
    }
    glUseProgram(program);
    return program;
}

static GLuint seen_texture, seen_framebuffer;

/* What the current program shows of a sample: pixels along the diagonal. */
static void look(const char *what, GLuint program, int sample, int x, int y, int layer)
{
    GLfloat pixels[SIZE * SIZE * 4];
    GLint bound;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    glBindFramebuffer(GL_FRAMEBUFFER, seen_framebuffer);
    glUniform1i(glGetUniformLocation(program, "sample"), sample);
    glUniform3i(glGetUniformLocation(program, "place"), x, y, layer);
    glClearColor(9, 9, 9, 9);
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-1, -1, 1, 1);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_FLOAT, pixels);
    printf("%s %d %d %d %d:", what, sample, x, y, layer);
    for (int n = 0; n < SIZE; n += 3)
        for (int k = 0; k < 4; k++)
            printf(" %g", pixels[(n * SIZE + n) * 4 + k]);
    told("", 0);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint) bound);
}

/* Each sample gets a colour of its own, by the sample mask; pixels differ by rectangles. */
static void paint(int layer)
{
    glUseProgram(0);
    glEnable(GL_MULTISAMPLE);
    glEnable(GL_SAMPLE_MASK);
    for (int s = 0; s < SAMPLES; s++) {
        glSampleMaski(0, 1u << s);
        for (int n = 0; n < SIZE; n++) {
            glColor4f((float) s / 4, (float) n / SIZE, (float) layer / 4, 0.5f);
            glRectf(-1 + 2.0f * n / SIZE, -1, -1 + 2.0f * (n + 1) / SIZE, 1);
        }
    }
    glSampleMaski(0, ~0u);
    glDisable(GL_SAMPLE_MASK);
}

static void fetches(GLenum target)
{
    GLuint name = texture(target, GL_RGBA8, GL_TRUE), fbo = framebuffer(), program, sampler;
    int array = target == MSA, layers = array ? LAYERS : 1;
    for (int layer = 0; layer < layers; layer++) {
        if (array)
            glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, layer);
        else
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, name, 0);
        paint(layer);
    }
    told("painted", 0);
    program = array ? shown("sampler2DMSArray", "color = texelFetch(s, at, sample);") :
                      shown("sampler2DMS", "color = texelFetch(s, at.xy, sample);");
    for (int layer = -1; layer <= layers; layer++)
        for (int s = -1; s <= SAMPLES; s++)
            look("texel", program, s, 0, 0, layer);
    look("beyond", program, 0x7fffffff, 0, 0, 0);
    look("beyond", program, (int) 0x80000000, 0, 0, 0);
    look("beside", program, 1, 4, 0, 0);
    look("beside", program, 1, 0, -4, 0);
    look("beside", program, 1, 0x10000000, 0, 0);
    look("beside", program, 1, 0, (int) 0x80000000, 0);
    glGenSamplers(1, &sampler);
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glBindSampler(0, sampler);
    look("with a sampler", program, 2, 0, 0, 0);
    glBindSampler(0, 0);
    glDeleteSamplers(1, &sampler);
    glTexParameteri(target, GL_TEXTURE_SWIZZLE_R, GL_ALPHA);
    glTexParameteri(target, GL_TEXTURE_SWIZZLE_B, GL_ONE);
    look("swizzled", program, 2, 0, 0, 0);
    glDeleteProgram(program);
    program = array ? shown("sampler2DMSArray", "color = vec4(textureSize(s), 1);") :
                      shown("sampler2DMS", "color = vec4(textureSize(s), 0, 1);");
    look("sizes", program, 0, 0, 0, 0);
    glDeleteProgram(program);
    program = array ? shown("sampler2DMSArray", "color = texelFetch(s, at, int(gl_FragCoord.x + gl_FragCoord.y) / 2 - 1);") :
                      shown("sampler2DMS", "color = texelFetch(s, at.xy, int(gl_FragCoord.x + gl_FragCoord.y) / 2 - 1);");
    look("many", program, 0, 0, 0, 0);
    glBindTexture(target, 0);
    look("no texture", program, 0, 0, 0, 0);
    glUseProgram(0);
    glDeleteProgram(program);
    glDeleteTextures(1, &name);
    glDeleteFramebuffers(1, &fbo);
}

static void kinds(void)
{
    static const struct {
        GLenum internal;
        const char *sampler;
        int whole;
    } KINDS[] = {
        {GL_RGBA8, "sampler2DMS", 0}, {GL_RGB8, "sampler2DMS", 0}, {GL_R8, "sampler2DMS", 0}, {GL_RG16, "sampler2DMS", 0},
        {GL_RGB10_A2, "sampler2DMS", 0}, {GL_RGB565, "sampler2DMS", 0},
        {GL_RGBA16F, "sampler2DMS", 0}, {GL_RGBA32F, "sampler2DMS", 0}, {GL_R11F_G11F_B10F, "sampler2DMS", 0},
        {GL_RGBA8_SNORM, "sampler2DMS", 0}, {GL_RGBA8I, "isampler2DMS", 1}, {GL_RGBA32I, "isampler2DMS", 1},
        {GL_RG16I, "isampler2DMS", 1}, {GL_RGBA8UI, "usampler2DMS", 2}, {GL_RGBA16UI, "usampler2DMS", 2}, {GL_R32UI, "usampler2DMS", 2},
        {GL_RGB10_A2UI, "usampler2DMS", 2},
    };
    for (int n = 0; n < COUNT(KINDS); n++) {
        GLuint name = texture(MS, KINDS[n].internal, GL_TRUE), fbo = framebuffer(), program;
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, name, 0);
        printf("%x ", KINDS[n].internal);
        status("");
        glEnable(GL_SAMPLE_MASK);
        if (KINDS[n].whole) {
            const char *source = KINDS[n].whole == 1 ?
                "#version 120\n#extension GL_EXT_gpu_shader4 : require\nuniform ivec4 value;\nvarying out ivec4 color;\n"
                "void main() { color = value; }\n" :
                "#version 120\n#extension GL_EXT_gpu_shader4 : require\nuniform ivec4 value;\nvarying out uvec4 color;\n"
                "void main() { color = uvec4(value); }\n";
            GLuint shader = glCreateShader(GL_FRAGMENT_SHADER);
            program = glCreateProgram();
            glShaderSource(shader, 1, &source, NULL);
            glCompileShader(shader);
            glAttachShader(program, shader);
            glLinkProgram(program);
            glUseProgram(program);
            glClear(GL_COLOR_BUFFER_BIT);
            for (int s = 0; s < SAMPLES; s++) {
                glSampleMaski(0, 1u << s);
                glUniform4i(glGetUniformLocation(program, "value"), s * 40, KINDS[n].whole == 1 ? -s : s, 3, 1);
                glRectf(-1, -1, 1, 1);
            }
            glDeleteProgram(program);
        } else {
            glUseProgram(0);
            for (int s = 0; s < SAMPLES; s++) {
                glSampleMaski(0, 1u << s);
                glColor4f((float) s / 4, 0.25f, 0.75f, 0.5f);
                glRectf(-1, -1, 1, 1);
            }
        }
        glSampleMaski(0, ~0u);
        glDisable(GL_SAMPLE_MASK);
        program = shown(KINDS[n].sampler, "color = vec4(texelFetch(s, at.xy, sample));");
        for (int s = 0; s <= SAMPLES; s++)
            look("kind", program, s, 0, 0, 0);
        glUseProgram(0);
        glDeleteProgram(program);
        glBindTexture(MS, 0);
        glDeleteTextures(1, &name);
        glDeleteFramebuffers(1, &fbo);
    }
}

static void depths(GLenum internal)
{
    GLuint name = texture(MS, internal, GL_TRUE), fbo = framebuffer(), program;
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, MS, name, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    printf("%x ", internal);
    status("depth");
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glClearDepth(0.25);
    TELL(glClear(GL_DEPTH_BUFFER_BIT));
    glEnable(GL_SAMPLE_MASK);
    for (int s = 1; s < SAMPLES; s++) {
        glSampleMaski(0, 1u << s);
        glBegin(GL_QUADS);
        glVertex3f(-1, -1, -0.5f + s * 0.25f);
        glVertex3f(1, -1, -0.5f + s * 0.25f);
        glVertex3f(1, 1, -0.5f + s * 0.25f);
        glVertex3f(-1, 1, -0.5f + s * 0.25f);
        glEnd();
    }
    glSampleMaski(0, ~0u);
    glDisable(GL_SAMPLE_MASK);
    glDisable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    program = shown("sampler2DMS", "color = texelFetch(s, at.xy, sample);");
    for (int s = -1; s <= SAMPLES; s++)
        look("depth", program, s, 0, 0, 0);
    glTexParameteri(MS, GL_DEPTH_TEXTURE_MODE, GL_ALPHA);
    look("alpha", program, 1, 0, 0, 0);
    glUseProgram(0);
    glDeleteProgram(program);
    glBindTexture(MS, 0);
    glDeleteTextures(1, &name);
    glDeleteFramebuffers(1, &fbo);
}

static void moved(void)
{
    static const GLubyte TEXEL[] = {10, 20, 30, 40};
    GLuint name = texture(MS, GL_RGBA8, GL_TRUE), other = texture(MSA, GL_RGBA8, GL_TRUE), fbo = framebuffer(), flat, program, whole;
    GLubyte pixels[SIZE * SIZE * 4];
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, MS, name, 0);
    paint(1);
    TELL(glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels));
    glGenTextures(1, &flat);
    glBindTexture(GL_TEXTURE_2D, flat);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    TELL(glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 1, 1));
    GLuint second = framebuffer();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, flat, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    TELL(glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST));
    TELL(glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE / 2, GL_COLOR_BUFFER_BIT, GL_NEAREST));
    glBindFramebuffer(GL_FRAMEBUFFER, second);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int n = 0; n < SIZE; n++)
        printf(" %d,%d,%d,%d", pixels[n * 36 % 256], pixels[n * 36 % 256 + 1], pixels[n * 36 % 256 + 2], pixels[n * 36 % 256 + 3]);
    told("resolved", 0);
    program = shown("sampler2DMS", "color = texelFetch(s, at.xy, sample);");
    glBindTexture(MS, name);
    TELL(glClearTexSubImage(name, 0, 1, 2, 0, 5, 3, 1, GL_RGBA, GL_UNSIGNED_BYTE, TEXEL));
    for (int s = 0; s < SAMPLES; s++)
        look("cleared", program, s, 0, 0, 0);
    TELL(glClearTexSubImage(name, 0, 1, 2, 0, 8, 3, 1, GL_RGBA, GL_UNSIGNED_BYTE, TEXEL));
    TELL(glClearTexImage(name, 1, GL_RGBA, GL_UNSIGNED_BYTE, TEXEL));
    TELL(glCopyImageSubData(name, MS, 0, 0, 0, 0, other, MSA, 0, 0, 0, 1, SIZE, SIZE, 1));
    TELL(glCopyImageSubData(name, MS, 0, 0, 0, 0, other, MSA, 0, 3, 2, 2, 4, 5, 1));
    TELL(glCopyImageSubData(name, MS, 0, 0, 0, 0, other, MSA, 0, 3, 2, 3, 4, 5, 1));
    TELL(glCopyImageSubData(name, MS, 0, 0, 0, 0, flat, GL_TEXTURE_2D, 0, 0, 0, 0, 4, 4, 1));
    TELL(glCopyImageSubData(name, MS, 1, 0, 0, 0, other, MSA, 0, 0, 0, 0, 4, 4, 1));
    glUseProgram(0);
    glDeleteProgram(program);
    program = shown("sampler2DMSArray", "color = texelFetch(s, at, sample);");
    glBindTexture(MSA, other);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int s = 0; s < SAMPLES; s++)
            look("copied", program, s, 0, 0, layer);
    TELL(glClearTexSubImage(other, 0, 0, 0, 1, 4, 4, 2, GL_RGBA, GL_UNSIGNED_BYTE, TEXEL));
    for (int layer = 0; layer < LAYERS; layer++)
        look("cleared", program, 3, 0, 0, layer);
    glGenTextures(1, &whole);
    TELL(glTextureView(whole, MSA, name, GL_RGBA8, 0, 1, 0, 1));
    glBindTexture(MS, 0);
    glBindTexture(MSA, 0);
    glDeleteTextures(1, &name);
    glGenTextures(1, &name);
    glBindTexture(MSA, name);
    TELL(glTexStorage3DMultisample(MSA, SAMPLES, GL_RGBA8, SIZE, SIZE, LAYERS, GL_TRUE));
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int layer = 0; layer < LAYERS; layer++) {
        TELL(glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, layer));
        paint(layer);
    }
    TELL(glTextureView(whole, GL_TEXTURE_2D, name, GL_RGBA8, 0, 1, 1, 1));
    TELL(glTextureView(whole, GL_TEXTURE_2D_ARRAY, name, GL_RGBA8, 0, 1, 1, 1));
    TELL(glTextureView(whole, MS, name, GL_RGBA8, 0, 1, 1, 2));
    TELL(glTextureView(whole, MS, name, GL_RGBA8, 0, 1, 1, 1));
    glUseProgram(0);
    glDeleteProgram(program);
    program = shown("sampler2DMS", "color = texelFetch(s, at.xy, sample);");
    glBindTexture(MS, whole);
    image_told("view", MS);
    for (int s = 0; s <= SAMPLES; s++)
        look("view", program, s, 0, 0, 0);
    glUseProgram(0);
    glDeleteProgram(program);
    glBindTexture(MS, 0);
    glBindTexture(MSA, 0);
    glDeleteTextures(1, &name);
    glDeleteTextures(1, &other);
    glDeleteTextures(1, &whole);
    glDeleteTextures(1, &flat);
    glDeleteFramebuffers(1, &fbo);
    glDeleteFramebuffers(1, &second);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void queries(void)
{
    static const GLenum FORMATS[] = {GL_RGBA8, GL_RGBA32F, GL_RGBA8I, GL_RGBA32UI, GL_DEPTH_COMPONENT24, GL_DEPTH32F_STENCIL8,
                                     GL_STENCIL_INDEX8, GL_ALPHA8, GL_SRGB8_ALPHA8};
    static const GLenum PNAMES[] = {
        GL_NUM_SAMPLE_COUNTS, GL_SAMPLES, GL_INTERNALFORMAT_SUPPORTED, GL_MAX_WIDTH, GL_MAX_LAYERS, GL_COLOR_RENDERABLE,
        GL_FRAMEBUFFER_RENDERABLE, GL_READ_PIXELS, GL_MIPMAP, GL_MANUAL_GENERATE_MIPMAP, GL_FILTER, GL_VERTEX_TEXTURE,
        GL_TEXTURE_SHADOW, GL_TEXTURE_GATHER, GL_INTERNALFORMAT_RED_SIZE, GL_SRGB_READ,
    };
    for (int t = 0; t < 2; t++)
        for (int n = 0; n < COUNT(FORMATS); n++)
            for (int k = 0; k < COUNT(PNAMES); k++) {
                GLint values[4] = {-7, -7, -7, -7};
                glGetInternalformativ(t ? MSA : MS, FORMATS[n], PNAMES[k], 4, values);
                printf("%d %x %x: %d %d", t, FORMATS[n], PNAMES[k], values[0], values[1]);
                told("", 0);
            }
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    glGenTextures(1, &seen_texture);
    glBindTexture(GL_TEXTURE_2D, seen_texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, SIZE, SIZE, 0, GL_RGBA, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    seen_framebuffer = framebuffer();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, seen_texture, 0);
    glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FALSE);
    glViewport(0, 0, SIZE, SIZE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    limits();
    parameters(MS);
    parameters(MSA);
    refused();
    others(MS);
    others(MSA);
    completeness();
    fetches(MS);
    fetches(MSA);
    kinds();
    depths(GL_DEPTH_COMPONENT24);
    depths(GL_DEPTH_COMPONENT16);
    depths(GL_DEPTH_COMPONENT32F);
    depths(GL_DEPTH24_STENCIL8);
    depths(GL_DEPTH32F_STENCIL8);
    moved();
    queries();
    drop_rig(&rig);
    return 0;
}
