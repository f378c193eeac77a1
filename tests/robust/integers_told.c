/* SPDX-License-Identifier: MIT */
/* What a driver says of targets and textures of whole numbers (EXT_texture_integer), line by line: test_names_peer.py compares the
 * lines with the peer's. Clears of every kind, reads as every format and type, copies, blits, what fixed function may not do. */
#include "told.h"

typedef struct {
    GLenum internal, format, type;
} Kind;

static const Kind KINDS[] = {
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE},
    {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE},
    {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT},
    {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT},
    {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT},
    {GL_RGB16I, GL_RGB_INTEGER, GL_SHORT},
    {GL_RG32I, GL_RG_INTEGER, GL_INT},
    {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE},
    {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV},
    {GL_ALPHA16I_EXT, GL_ALPHA_INTEGER, GL_SHORT},
    {GL_LUMINANCE8UI_EXT, GL_LUMINANCE_INTEGER_EXT, GL_UNSIGNED_BYTE},
    {GL_LUMINANCE_ALPHA32I_EXT, GL_LUMINANCE_ALPHA_INTEGER_EXT, GL_INT},
    {GL_INTENSITY16UI_EXT, GL_RED_INTEGER, GL_UNSIGNED_SHORT},
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
    {GL_RGBA32F, GL_RGBA, GL_FLOAT},
};
#define KIND_COUNT COUNT(KINDS)

static GLuint textures[KIND_COUNT], framebuffers[KIND_COUNT];
static GLint words[256];

/* A texture with known numbers, drawn to by a framebuffer of its own. */
static void make(unsigned n)
{
    const Kind *kind = KINDS + n;
    for (int i = 0; i < 256; i++)
        words[i] = (i * 0x01234567 + (int) n * 0x7f654321) ^ (i << 28);
    glBindTexture(GL_TEXTURE_2D, textures[n]);
    glTexImage2D(GL_TEXTURE_2D, 0, kind->internal, 4, 4, 0, kind->format, kind->type, kind->type == GL_FLOAT ? NULL : words);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[n]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[n], 0);
}

static GLenum read_type(const Kind *kind)
{
    return kind->format == GL_RGBA && kind->type != GL_FLOAT ? GL_UNSIGNED_BYTE : kind->type == GL_FLOAT ? GL_FLOAT : GL_INT;
}

/* The first pixels of what is read from. */
static void pixels(const char *what, GLenum format, GLenum type)
{
    unsigned seen[16];
    memset(seen, 0x55, sizeof seen);
    glReadPixels(0, 0, 2, 1, format, type, seen);
    printf("%s %x %x:", what, format, type);
    for (unsigned i = 0; i < 9; i++)
        printf(" %x", seen[i]);
    told("", 0);
}

static void clears(unsigned n)
{
    static const GLint INTS[] = {-5, 300, 70000, 7};
    static const GLuint UINTS[] = {0xfffffff0, 300, 70000, 7};
    GLint values[4] = {0};
    printf("clears of %x, status %x\n", KINDS[n].internal, glCheckFramebufferStatus(GL_FRAMEBUFFER));
    TELL(glClearColorIiEXT(INTS[0], INTS[1], INTS[2], INTS[3]));
    glClear(GL_COLOR_BUFFER_BIT);
    pixels("Ii", GL_RGBA_INTEGER, GL_INT);
    TELL(glClearColorIuiEXT(UINTS[0], UINTS[1], UINTS[2], UINTS[3]));
    glClear(GL_COLOR_BUFFER_BIT);
    pixels("Iui", GL_RGBA_INTEGER, GL_UNSIGNED_INT);
    glClearColor(0.25f, 1, -3, 2);
    glClear(GL_COLOR_BUFFER_BIT);
    pixels("floats", GL_RGBA_INTEGER, GL_INT);
    glClearBufferiv(GL_COLOR, 0, INTS);
    pixels("glClearBufferiv", GL_RGBA_INTEGER, GL_INT);
    glClearBufferuiv(GL_COLOR, 0, UINTS);
    pixels("glClearBufferuiv", GL_RGBA_INTEGER, GL_INT);
    glGetIntegerv(GL_RGBA_INTEGER_MODE_EXT, values);
    told("GL_RGBA_INTEGER_MODE_EXT", values[0]);
    glGetIntegerv(GL_RED_BITS, values);
    told("GL_RED_BITS", values[0]);
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, values);
    told("GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE", values[0]);
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, values);
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, values + 1);
    printf("read as %x %x\n", values[0], values[1]);
}

static const GLenum FORMATS[] = {
    GL_RGBA, GL_RED_INTEGER, GL_GREEN_INTEGER, GL_ALPHA_INTEGER, GL_RG_INTEGER, GL_RGB_INTEGER, GL_BGR_INTEGER, GL_RGBA_INTEGER,
    GL_BGRA_INTEGER, GL_LUMINANCE_INTEGER_EXT,
};
static const GLenum TYPES[] = {
    GL_UNSIGNED_BYTE, GL_BYTE, GL_UNSIGNED_SHORT, GL_SHORT, GL_UNSIGNED_INT, GL_INT, GL_FLOAT, GL_UNSIGNED_BYTE_3_3_2,
    GL_UNSIGNED_SHORT_5_6_5_REV, GL_UNSIGNED_SHORT_4_4_4_4, GL_UNSIGNED_SHORT_1_5_5_5_REV, GL_UNSIGNED_INT_8_8_8_8,
    GL_UNSIGNED_INT_2_10_10_10_REV, GL_UNSIGNED_INT_10F_11F_11F_REV, GL_UNSIGNED_INT_5_9_9_9_REV,
};

static void reads(unsigned n)
{
    make(n);
    printf("reads of %x\n", KINDS[n].internal);
    for (int f = 0; f < COUNT(FORMATS); f++)
        for (int t = 0; t < COUNT(TYPES); t++)
            if (KINDS[n].format != GL_RGBA || f)  /* fractions are other tests' */
                pixels("as", FORMATS[f], TYPES[t]);
}

/* Images of many formats and types, as they are stored. */
static void images(unsigned n)
{
    unsigned seen[64];
    glBindTexture(GL_TEXTURE_2D, textures[n]);
    printf("images of %x\n", KINDS[n].internal);
    for (int f = 0; f < COUNT(FORMATS); f++)
        for (int t = 0; t < COUNT(TYPES); t++) {
            glTexImage2D(GL_TEXTURE_2D, 0, KINDS[n].internal, 4, 2, 0, FORMATS[f], TYPES[t], words + 3);
            GLenum error = glGetError();
            printf("%x %x: %x", FORMATS[f], TYPES[t], error);
            if (!error) {
                memset(seen, 0x55, sizeof seen);
                glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA_INTEGER, GL_INT, seen);
                for (unsigned i = 0; i < 12; i++)
                    printf(" %x", seen[i]);
                glGetTexImage(GL_TEXTURE_2D, 0, FORMATS[f], TYPES[t], seen);
                for (unsigned i = 0; i < 3; i++)
                    printf(" %x", seen[i]);
            }
            told("", 0);
        }
}

static void copies(unsigned from)
{
    for (unsigned to = 0; to < KIND_COUNT; to++) {
        const Kind *kind = KINDS + to;
        printf("%x to %x\n", KINDS[from].internal, kind->internal);
        make(from);
        make(to);
        make(from);
        glBindTexture(GL_TEXTURE_2D, textures[to]);
        if (from != to) {
            glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 0, 0, 2, 3);
            told("glCopyTexSubImage2D", 0);
            glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[to]);
            if (kind->format != GL_RGBA)
                pixels("copied", GL_RGBA_INTEGER, read_type(kind));
        }
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[from]);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[to]);
        glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_LINEAR);
        told("linear blit", 0);
        glBlitFramebuffer(0, 0, 3, 4, 4, 0, 1, 2, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        told("nearest blit", 0);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[to]);
        if (kind->format != GL_RGBA)
            pixels("blitted", GL_RGBA_INTEGER, read_type(kind));
    }
}

static void refused(unsigned n)
{
    static const GLubyte BITS[16] = {255, 255};
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[n]);
    printf("drawing to %x\n", KINDS[n].internal);
    glBegin(GL_TRIANGLES);
    told("glBegin", 0);
    glEnd();
    told("glEnd", 0);
    TELL(glRectf(0, 0, 1, 1));
    TELL(glDrawArrays(GL_POINTS, 0, 0));
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_INT, 0, words);
    TELL(glDrawArrays(GL_TRIANGLES, 0, 3));
    glDisableClientState(GL_VERTEX_ARRAY);
    glRasterPos2i(0, 0);
    TELL(glBitmap(8, 1, 0, 0, 0, 0, BITS));
    TELL(glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, words));
    TELL(glDrawPixels(1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, words));
    TELL(glDrawPixels(1, 1, GL_RGBA_INTEGER, GL_FLOAT, words));
    TELL(glCopyPixels(0, 0, 1, 1, GL_COLOR));
    glNewList(1, GL_COMPILE);
    glBegin(GL_POINTS);
    glVertex2i(0, 0);
    glEnd();
    glClearBufferiv(GL_COLOR, 0, words);
    glEndList();
    told("list", 0);
    TELL(glCallList(1));
    glBindTexture(GL_TEXTURE_2D, textures[n]);
    TELL(glGenerateMipmap(GL_TEXTURE_2D));
}

/* Whole numbers beside fractions: what is not drawn to counts, too. */
static void mixed(void)
{
    GLuint fbo;
    GLint value = 0;
    GLfloat color[4];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[KIND_COUNT - 2], 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, textures[4], 0);
    glGetIntegerv(GL_RGBA_INTEGER_MODE_EXT, &value);
    told("mixed", value);
    TELL(glRectf(0, 0, 1, 1));
    TELL(glClear(GL_COLOR_BUFFER_BIT));
    pixels("first", GL_RGBA, GL_UNSIGNED_BYTE);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    pixels("second", GL_RGBA_INTEGER, GL_INT);
    glClearColor(0.5f, 3, -2, 1);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, color);
    printf("%g %g %g %g\n", color[0], color[1], color[2], color[3]);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, color);
    printf("%g %g %g %g\n", color[0], color[1], color[2], color[3]);
    glDeleteFramebuffers(1, &fbo);
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glGenTextures(KIND_COUNT, textures);
    glGenFramebuffers(KIND_COUNT, framebuffers);
    for (unsigned n = 0; n < KIND_COUNT; n++) {
        make(n);
        if (KINDS[n].format != GL_RGBA)
            clears(n);
        reads(n);
        refused(n);
        if (KINDS[n].format != GL_RGBA)
            images(n);
        copies(n);
    }
    mixed();
    drop_rig(&rig);
    return 0;
}
