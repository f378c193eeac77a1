/* SPDX-License-Identifier: MIT */
/* Textures of fixed function: formats, filters, wraps, environments, several units, generated coordinates, all targets.
 * Texels are magnified to blocks, or drawn where a texel's colour does not hang on the last bit of a coordinate. */
#include "scenes.h"

static GLubyte texels[64 * 64 * 64][4];

/* size x size (x depth) texels: squares of `step` in two kinds of colours, alphas in four steps. */
static void checks(int w, int h, int d, int step)
{
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                GLubyte *t = texels[(z * h + y) * w + x];
                int odd = (x / step + y / step + z) & 1;
                t[0] = odd ? 255 : 40 + 200 * x / w;
                t[1] = odd ? 255 * y / h : 20;
                t[2] = odd ? 60 : 200 - 180 * y / h;
                t[3] = 255 - 60 * ((x / step) & 3);
            }
}

static void image2d(GLenum target, int level, GLenum internal, int w, int h)
{
    glTexImage2D(target, level, internal, w, h, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static GLuint texture(GLenum target, GLenum filter)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
    int nearest = filter == GL_NEAREST || filter == GL_NEAREST_MIPMAP_NEAREST;
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, nearest ? GL_NEAREST : GL_LINEAR);
    glEnable(target);
    return name;
}

/* The square -1..1 with coordinates from (s0, t0) to (s1, t1). */
static void square(float s0, float t0, float s1, float t1)
{
    glBegin(GL_QUADS);
    glTexCoord2f(s0, t0);
    glVertex2f(-0.913f, -0.913f);
    glTexCoord2f(s1, t0);
    glVertex2f(0.887f, -0.913f);
    glTexCoord2f(s1, t1);
    glVertex2f(0.887f, 0.887f);
    glTexCoord2f(s0, t1);
    glVertex2f(-0.913f, 0.887f);
    glEnd();
}

static void start(void)
{
    clear_all(0.2f, 0.25f, 0.3f, 1);
    unit_square();
    glColor4f(1, 1, 1, 1);
}

static const GLenum WRAPS[] = {
    GL_REPEAT, GL_CLAMP, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_BORDER, GL_MIRRORED_REPEAT, GL_MIRROR_CLAMP_EXT,
    GL_MIRROR_CLAMP_TO_EDGE_EXT, GL_MIRROR_CLAMP_TO_BORDER_EXT,
};
static const GLenum FORMATS[] = {
    GL_RGBA8, GL_RGB8, GL_ALPHA8, GL_LUMINANCE8, GL_LUMINANCE8_ALPHA8, GL_INTENSITY8, GL_RGB5_A1, GL_RGBA4, GL_R3_G3_B2,
    GL_RGB10_A2, GL_RGBA16, GL_RGB5,
};

static void formats(int filter)
{
    start();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    checks(8, 8, 1, 2);
    for (int i = 0; i < LENGTH(FORMATS); i++) {
        cell(i, 4, 3);
        texture(GL_TEXTURE_2D, filter);
        image2d(GL_TEXTURE_2D, 0, FORMATS[i], 8, 8);
        square(0, 0, 1, 1);
    }
    whole();
}

static void wraps(int filter)
{
    static const float border[] = {0.9f, 0.1f, 0.6f, 1};
    start();
    checks(8, 8, 1, 2);
    texture(GL_TEXTURE_2D, filter);
    image2d(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
    for (int i = 0; i < LENGTH(WRAPS); i++) {
        cell(i, 4, 2);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, WRAPS[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, WRAPS[(i + 1) % LENGTH(WRAPS)]);
        square(-1.51f, -1.27f, 2.53f, 2.31f);
    }
    whole();
}

static void modes(int base)
{
    static const GLenum what[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_BLEND, GL_ADD};
    static const GLenum bases[] = {GL_RGBA, GL_RGB, GL_ALPHA, GL_LUMINANCE, GL_LUMINANCE_ALPHA, GL_INTENSITY};
    static const float constant[] = {0.1f, 0.8f, 0.5f, 0.6f};
    start();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    checks(4, 4, 1, 1);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, bases[base], 4, 4);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, constant);
    for (int i = 0; i < LENGTH(what); i++) {
        cell(i, 3, 2);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, what[i]);
        glColor4f(0.9f, 0.7f, 0.3f, 0.8f);
        square(0, 0, 1, 1);
    }
    whole();
}

static void combine(int arg)
{
    static const GLenum functions[] = {GL_REPLACE, GL_MODULATE, GL_ADD, GL_ADD_SIGNED, GL_INTERPOLATE, GL_SUBTRACT,
                                       GL_DOT3_RGB, GL_DOT3_RGBA};
    static const float constant[] = {0.3f, 0.8f, 0.5f, 0.6f};
    start();
    checks(4, 4, 1, 1);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, constant);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
    glTexEnvi(GL_TEXTURE_ENV, GL_SRC1_RGB, arg ? GL_CONSTANT : GL_PRIMARY_COLOR);
    glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND1_RGB, arg ? GL_ONE_MINUS_SRC_COLOR : GL_SRC_COLOR);
    glTexEnvi(GL_TEXTURE_ENV, GL_SRC2_RGB, arg ? GL_TEXTURE : GL_CONSTANT);
    glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND2_RGB, arg ? GL_ONE_MINUS_SRC_ALPHA : GL_SRC_ALPHA);
    glTexEnvi(GL_TEXTURE_ENV, GL_RGB_SCALE, arg ? 2 : 1);
    for (int i = 0; i < LENGTH(functions); i++) {
        cell(i, 4, 2);
        glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, functions[i]);
        glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_ALPHA, i < 6 ? functions[i] : GL_REPLACE);
        glColor4f(0.9f, 0.7f, 0.3f, 0.8f);
        square(0, 0, 1, 1);
    }
    whole();
}

/* Two and three units: light maps, detail, crossbars; a unit between them off. */
static void units(int arg)
{
    start();
    checks(8, 8, 1, 2);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, GL_RGB, 8, 8);
    glActiveTexture(arg == 1 ? GL_TEXTURE3 : GL_TEXTURE1);
    checks(2, 2, 1, 1);
    texture(GL_TEXTURE_2D, GL_LINEAR);
    image2d(GL_TEXTURE_2D, 0, arg == 2 ? GL_ALPHA : GL_LUMINANCE, 2, 2);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    if (arg == 2) {
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
        glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, GL_INTERPOLATE);
        glTexEnvi(GL_TEXTURE_ENV, GL_SRC0_RGB, GL_TEXTURE0);
        glTexEnvi(GL_TEXTURE_ENV, GL_SRC1_RGB, GL_PRIMARY_COLOR);
        glTexEnvi(GL_TEXTURE_ENV, GL_SRC2_RGB, GL_TEXTURE1);
    }
    glColor3f(0.2f, 0.9f, 0.8f);
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        float s = i == 1 || i == 2, t = i >= 2;
        glMultiTexCoord2f(GL_TEXTURE0, s, t);
        glMultiTexCoord2f(arg == 1 ? GL_TEXTURE3 : GL_TEXTURE1, s, t);
        glVertex2f(1.8f * s - 0.913f, 1.8f * t - 0.913f);
    }
    glEnd();
}

static void mipmaps(int filter)
{
    static const GLubyte colors[7][4] = {{255, 40, 40, 255}, {40, 255, 40, 255}, {60, 60, 255, 255},
                                         {255, 255, 40, 255}, {40, 255, 255, 255}, {255, 40, 255, 255},
                                         {255, 255, 255, 255}};
    start();
    texture(GL_TEXTURE_2D, filter);
    for (int level = 0; level < 7; level++) {
        int size = 64 >> level;
        for (int i = 0; i < size * size; i++)
            memcpy(texels[i], colors[level], 4);
        image2d(GL_TEXTURE_2D, level, GL_RGBA8, size, size);
    }
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, i == 3 ? 1.0f : 0.0f);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, i == 4 ? 2 : 0);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, i == 5 ? 1 : 1000);
        float scale = i < 3 ? (float[]) {0.4f, 1.7f, 7.0f}[i] : 3.1f;
        square(0, 0, scale, scale);
    }
    whole();
}

static void floor_of(int filter)
{
    start();
    checks(64, 64, 1, 8);
    texture(GL_TEXTURE_2D, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    image2d(GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64);
    perspective(60, 1, 100);
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0);
    glVertex3f(-8, -1, -1.5f);
    glTexCoord2f(8, 0);
    glVertex3f(8, -1, -1.5f);
    glTexCoord2f(8, 20);
    glVertex3f(8, -1, -40);
    glTexCoord2f(0, 20);
    glVertex3f(-8, -1, -40);
    glEnd();
}

static void one_dimension(int filter)
{
    start();
    checks(8, 1, 1, 1);
    texture(GL_TEXTURE_1D, filter);
    glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    square(-0.23f, 0, 1.31f, 1);
}

static void three_dimensions(int filter)
{
    start();
    checks(8, 8, 8, 2);
    texture(GL_TEXTURE_3D, filter);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA, 8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    for (int i = 0; i < 4; i++) {
        float r = 0.07f + 0.25f * i;
        cell(i, 2, 2);
        glBegin(GL_QUADS);
        glTexCoord3f(0, 0, r);
        glVertex2f(-0.913f, -0.913f);
        glTexCoord3f(1, 0, r);
        glVertex2f(0.887f, -0.913f);
        glTexCoord3f(1, 1, r + 0.1f);
        glVertex2f(0.887f, 0.887f);
        glTexCoord3f(0, 1, r + 0.1f);
        glVertex2f(-0.913f, 0.887f);
        glEnd();
    }
    whole();
}

static void cube(int filter)
{
    start();
    texture(GL_TEXTURE_CUBE_MAP, filter);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    for (int face = 0; face < 6; face++) {
        for (int i = 0; i < 16; i++) {
            texels[i][0] = 255 * (face & 1);
            texels[i][1] = 255 * (face / 2) / 2;
            texels[i][2] = 16 * i;
            texels[i][3] = 255;
        }
        image2d(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 4, 4);
    }
    for (int i = 0; i < 6; i++) {
        cell(i, 3, 2);
        glBegin(GL_QUADS);
        for (int n = 0; n < 4; n++) {
            float s = n == 1 || n == 2 ? 0.93f : -0.91f, t = n >= 2 ? 0.89f : -0.97f;
            float m = i & 1 ? -1 : 1;
            glTexCoord3f(i / 2 == 0 ? m : s, i / 2 == 1 ? m : i / 2 == 0 ? s : t, i / 2 == 2 ? m : t);
            glVertex2f(s, t);
        }
        glEnd();
    }
    whole();
}

static void rectangle(int filter)
{
    start();
    checks(12, 7, 1, 2);
    texture(GL_TEXTURE_RECTANGLE, filter);
    image2d(GL_TEXTURE_RECTANGLE, 0, GL_RGBA, 12, 7);
    square(0, 0, 12, 7);
}

static void odd_sizes(int filter)
{
    start();
    for (int i = 0; i < 4; i++) {
        static const int sizes[][2] = {{5, 3}, {1, 7}, {13, 1}, {1, 1}};
        cell(i, 2, 2);
        checks(sizes[i][0], sizes[i][1], 1, 1);
        texture(GL_TEXTURE_2D, filter);
        image2d(GL_TEXTURE_2D, 0, GL_RGB, sizes[i][0], sizes[i][1]);
        square(0, 0, 1.5f, 1.5f);
    }
    whole();
}

static void generated(int arg)
{
    static const GLenum how[] = {GL_OBJECT_LINEAR, GL_EYE_LINEAR, GL_SPHERE_MAP};
    static const float s[] = {0.7f, 0.2f, 0, 0.5f}, t[] = {-0.1f, 0.6f, 0.3f, 0.5f};
    start();
    checks(8, 8, 1, 2);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, GL_RGB, 8, 8);
    glEnable(GL_DEPTH_TEST);
    glRotatef(30, 1, 0.5f, 0);
    glTexGenfv(GL_S, GL_OBJECT_PLANE, s);
    glTexGenfv(GL_T, GL_OBJECT_PLANE, t);
    glTexGenfv(GL_S, GL_EYE_PLANE, s);
    glTexGenfv(GL_T, GL_EYE_PLANE, t);
    glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, how[arg]);
    glTexGeni(GL_T, GL_TEXTURE_GEN_MODE, how[arg]);
    glEnable(GL_TEXTURE_GEN_S);
    glEnable(GL_TEXTURE_GEN_T);
    glRotatef(40, 0, 1, 0.2f);
    glScalef(0.8f, 0.8f, 0.8f);
    glEnable(GL_NORMALIZE);
    torus(0.3f, 0.7f, 20, 30);
}

static void matrices(int arg)
{
    start();
    checks(8, 8, 1, 2);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, GL_RGB, 8, 8);
    glMatrixMode(GL_TEXTURE);
    glTranslatef(0.5f, 0.5f, 0);
    glRotatef(33, 0, 0, 1);
    glScalef(1.7f, 1.3f, 1);
    if (arg) {  /* the fourth coordinate varies */
        static const float project[] = {1, 0, 0, 0.3f, 0, 1, 0, 0.2f, 0, 0, 1, 0, 0, 0, 0, 1};
        glMultMatrixf(project);
    }
    glMatrixMode(GL_MODELVIEW);
    square(-0.5f, -0.5f, 0.5f, 0.5f);
}

/* Textures that are not complete are off; those of a lower target take their place. */
static void incomplete(int arg)
{
    start();
    glColor3f(0.3f, 0.8f, 0.9f);
    checks(4, 4, 1, 1);
    texture(GL_TEXTURE_2D, arg == 0 ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
    if (arg != 1)
        image2d(GL_TEXTURE_2D, 0, GL_RGB, 4, 4);
    if (arg == 2)
        texture(GL_TEXTURE_3D, GL_NEAREST);
    square(0, 0, 1, 1);
}

/* Draw, change the texels, draw again: each draw sees its own. */
static void changed(int arg)
{
    start();
    texture(GL_TEXTURE_2D, GL_NEAREST);
    for (int i = 0; i < 16; i++) {
        cell(i, 4, 4);
        checks(4, 4, 1, 1 + i % 3);
        for (int n = 0; n < 16; n++)
            texels[n][2] = 16 * i;
        if (arg == 0 || i == 0)
            image2d(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4);
        else
            glTexSubImage2D(GL_TEXTURE_2D, 0, i % 3, i % 2, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        square(0, 0, 1, 1);
    }
    whole();
}

/* Many textures in turns, deleted while what they were drawn with is pending. */
static void many(int arg)
{
    (void) arg;
    start();
    for (int i = 0; i < 64; i++) {
        cell(i, 8, 8);
        checks(4, 4, 1, 1 + i % 2);
        for (int n = 0; n < 16; n++)
            texels[n][1] = 4 * i;
        GLuint name = texture(GL_TEXTURE_2D, GL_NEAREST);
        image2d(GL_TEXTURE_2D, 0, GL_RGB, 4, 4);
        square(0, 0, 1, 1);
        glDeleteTextures(1, &name);
    }
    whole();
}

static void pushed(int arg)
{
    (void) arg;
    start();
    checks(4, 4, 1, 1);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, GL_RGB, 4, 4);
    cell(0, 2, 1);
    glPushAttrib(GL_TEXTURE_BIT | GL_ENABLE_BIT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glColor3f(1, 0.5f, 0.5f);
    square(-0.5f, 0, 1.5f, 1);
    texture(GL_TEXTURE_2D, GL_LINEAR);
    glPopAttrib();
    cell(1, 2, 1);
    square(-0.5f, 0, 1.5f, 1);
    whole();
}

static void swizzled(int arg)
{
    static const GLint turns[][4] = {{GL_BLUE, GL_RED, GL_GREEN, GL_ONE}, {GL_ALPHA, GL_ALPHA, GL_ZERO, GL_ONE},
                                     {GL_ONE, GL_GREEN, GL_ZERO, GL_ALPHA}, {GL_RED, GL_RED, GL_RED, GL_RED}};
    start();
    checks(4, 4, 1, 1);
    texture(GL_TEXTURE_2D, arg);
    image2d(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4);
    for (int i = 0; i < 4; i++) {
        cell(i, 2, 2);
        glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, turns[i]);
        square(0, 0, 1, 1);
    }
    whole();
}

static void depths(int arg)
{
    static const GLenum shown[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA, GL_RED};
    GLfloat values[16];
    start();
    for (int i = 0; i < 16; i++)
        values[i] = i / 15.0f;
    texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 4, 4, 0, GL_DEPTH_COMPONENT, GL_FLOAT, values);
    if (arg)
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    for (int i = 0; i < 4; i++) {
        cell(i, 2, 2);
        glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_TEXTURE_MODE, shown[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, i & 1 ? GL_GEQUAL : GL_LEQUAL);
        glColor4f(0.9f, 0.8f, 0.7f, 1);
        glBegin(GL_QUADS);
        for (int n = 0; n < 4; n++) {
            float s = n == 1 || n == 2, t = n >= 2;
            glTexCoord3f(s, t, 0.47f);
            glVertex2f(1.8f * s - 0.913f, 1.8f * t - 0.913f);
        }
        glEnd();
    }
    whole();
}

/* One texture through several sampler objects, and units that have neither coordinates nor an environment. */
static void sampled(int arg)
{
    static const GLenum turns[][2] = {{GL_NEAREST, GL_REPEAT}, {GL_LINEAR, GL_CLAMP_TO_EDGE},
                                      {GL_NEAREST, GL_MIRRORED_REPEAT}, {GL_LINEAR, GL_CLAMP_TO_BORDER}};
    static const GLfloat border[] = {0.9f, 0.2f, 0.6f, 1};
    GLuint names[4];
    start();
    checks(8, 8, 1, 2);
    glActiveTexture(GL_TEXTURE0 + 15);
    texture(GL_TEXTURE_2D, GL_LINEAR); /* its glEnable has no effect */
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_BLEND);
    glActiveTexture(GL_TEXTURE0);
    texture(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR); /* not complete but for samplers */
    image2d(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8);
    glGenSamplers(4, names);
    for (int i = 0; i < 4; i++) {
        glBindSampler(0, names[i]);
        glSamplerParameteri(names[i], GL_TEXTURE_MIN_FILTER, turns[i][0]);
        glSamplerParameteri(names[i], GL_TEXTURE_MAG_FILTER, turns[i][0]);
        glSamplerParameteri(names[i], GL_TEXTURE_WRAP_S, turns[i][1]);
        glSamplerParameteri(names[i], GL_TEXTURE_WRAP_T, turns[(i + 1) % 4][1]);
        glSamplerParameterfv(names[i], GL_TEXTURE_BORDER_COLOR, border);
        if (arg && i == 2)
            glDeleteSamplers(1, names + i); /* the unit has none, so the texture is not complete */
        cell(i, 2, 2);
        square(-0.51f, -0.27f, 1.53f, 1.31f);
    }
    glBindSampler(0, 0);
    whole();
}

/* Textures copied from what was drawn. */
static void copied(int arg)
{
    start();
    glBegin(GL_TRIANGLE_STRIP);
    glColor3f(1, 0.2f, 0.1f), glVertex2f(-1, -1);
    glColor3f(0.1f, 1, 0.2f), glVertex2f(1, -1);
    glColor3f(1, 1, 0.3f), glVertex2f(-1, 1);
    glColor3f(0.2f, 0.1f, 1), glVertex2f(1, 1);
    glEnd();
    glColor4f(1, 1, 1, 1);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    if (arg) {
        checks(64, 64, 1, 8);
        image2d(GL_TEXTURE_2D, 0, arg == 1 ? GL_RGB8 : GL_LUMINANCE8, 64, 64);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 8, 16, 40, 30, 32, 24);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 40, 44, -8, 170, 24, 20); /* partly outside */
    } else
        glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 20, 40, 64, 64, 0);
    clear_all(0.1f, 0.1f, 0.1f, 1);
    square(0, 0, 1, 1);
    glDisable(GL_TEXTURE_2D);
    texture(GL_TEXTURE_1D, GL_NEAREST);
    glCopyTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA, 8, 90, 32, 0);
    glCopyTexSubImage1D(GL_TEXTURE_1D, 0, 4, 100, 2, 8);
    cell(8, 3, 3);
    square(0, 0, 1, 1);
    whole();
}

/* Images, parameters and environments in display lists; the image is that of the time of compiling. */
static void listed(int arg)
{
    GLuint list = glGenLists(3), name;
    start();
    glGenTextures(1, &name);
    checks(8, 8, 1, 2);
    glNewList(list, GL_COMPILE);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 8); /* is done at once */
    image2d(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8);
    glEndList();
    checks(4, 4, 1, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glNewList(list + 1, GL_COMPILE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 3, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glColor3f(1, 0.7f, 0.7f);
    glEndList();
    glNewList(list + 2, arg ? GL_COMPILE_AND_EXECUTE : GL_COMPILE);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glEndList();
    memset(texels, 128, sizeof texels);
    glCallList(list);
    glCallList(list + 2);
    cell(0, 2, 1);
    square(0, 0, 1, 1);
    glCallList(list + 1);
    cell(1, 2, 1);
    square(0, 0, 1, 1);
    whole();
    glDeleteLists(list, 3);
}

/* Rectangles of pixels and bitmaps are textured with the raster position's coordinates. */
static void textured_pixels(int arg)
{
    static const GLubyte bits[] = {0xf0, 0xcc, 0xaa, 0x3c, 0x81, 0xff, 0x7e, 0x18};
    static GLubyte image[16 * 16][4];
    start();
    checks(4, 4, 1, 1);
    texture(GL_TEXTURE_2D, GL_NEAREST);
    image2d(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4);
    memset(image, 200, sizeof image);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, arg ? GL_DECAL : GL_MODULATE);
    for (int i = 0; i < 16; i++) {
        cell(i, 4, 4);
        glTexCoord2f((i % 4 + 0.5f) / 4, (i / 4 + 0.5f) / 4);
        glColor3f(1, 0.9f, 0.5f);
        glRasterPos2f(-0.8f, -0.7f);
        glDrawPixels(16, 16, GL_RGBA, GL_UNSIGNED_BYTE, image);
        glRasterPos2f(0, 0.3f);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glBitmap(8, 8, 0, 0, 8, 0, bits);
        glTexSubImage2D(GL_TEXTURE_2D, 0, i % 4, i / 4, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
        glBitmap(8, 8, 0, 0, 8, 0, bits);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    }
    whole();
}

#define SCENE(name, function, argument) {"texture_" name, function, argument, 240, 180}
static const Scene scenes[] = {
    SCENE("formats", formats, GL_NEAREST), SCENE("formats_linear", formats, GL_LINEAR),
    SCENE("wraps", wraps, GL_NEAREST), SCENE("wraps_linear", wraps, GL_LINEAR),
    SCENE("modes_rgba", modes, 0), SCENE("modes_rgb", modes, 1), SCENE("modes_alpha", modes, 2),
    SCENE("modes_luminance", modes, 3), SCENE("modes_luminance_alpha", modes, 4), SCENE("modes_intensity", modes, 5),
    SCENE("combine", combine, 0), SCENE("combine_more", combine, 1),
    SCENE("units", units, 0), SCENE("units_apart", units, 1), SCENE("units_crossbar", units, 2),
    SCENE("mip_nearest", mipmaps, GL_NEAREST_MIPMAP_NEAREST), SCENE("mip_linear", mipmaps, GL_LINEAR_MIPMAP_LINEAR),
    SCENE("floor_nearest", floor_of, GL_NEAREST), SCENE("floor", floor_of, GL_LINEAR_MIPMAP_LINEAR),
    SCENE("1d", one_dimension, GL_NEAREST), SCENE("1d_linear", one_dimension, GL_LINEAR),
    SCENE("3d", three_dimensions, GL_NEAREST), SCENE("3d_linear", three_dimensions, GL_LINEAR),
    SCENE("cube", cube, GL_NEAREST), SCENE("cube_linear", cube, GL_LINEAR),
    SCENE("rectangle", rectangle, GL_NEAREST), SCENE("rectangle_linear", rectangle, GL_LINEAR),
    SCENE("odd_sizes", odd_sizes, GL_NEAREST), SCENE("odd_sizes_linear", odd_sizes, GL_LINEAR),
    SCENE("object_linear", generated, 0), SCENE("eye_linear", generated, 1), SCENE("sphere_map", generated, 2),
    SCENE("matrix", matrices, 0), SCENE("matrix_projective", matrices, 1),
    SCENE("incomplete", incomplete, 0), SCENE("no_image", incomplete, 1), SCENE("lower_target", incomplete, 2),
    SCENE("changed", changed, 0), SCENE("changed_part", changed, 1), SCENE("many", many, 0), SCENE("pushed", pushed, 0),
    SCENE("swizzle", swizzled, GL_NEAREST), SCENE("depth", depths, 0), SCENE("compared", depths, 1),
    SCENE("sampler", sampled, 0), SCENE("sampler_deleted", sampled, 1),
    SCENE("copied", copied, 0), SCENE("copied_part", copied, 1), SCENE("copied_luminance", copied, 2),
    SCENE("pixels", textured_pixels, 0), SCENE("pixels_decal", textured_pixels, 1), SCENE("listed", listed, 0), SCENE("listed_executed", listed, 1),
};

const SceneList texture_list = {scenes, LENGTH(scenes)};
