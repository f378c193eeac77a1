/* SPDX-License-Identifier: MIT */
/* What a driver says of targets, line by line: test_names_peer.py compares the lines with the peer's. States and functions of colour
 * targets one by one (EXT_draw_buffers2, ARB_draw_buffers_blend), what is read of luminance and intensity, and the errors of these. */
#include "told.h"

/* What each of three targets has. */
static void states(const char *when)
{
    static const GLenum ENUMS[] = {
        GL_BLEND_SRC_RGB, GL_BLEND_DST_RGB, GL_BLEND_SRC_ALPHA, GL_BLEND_DST_ALPHA, GL_BLEND_EQUATION_RGB,
        GL_BLEND_EQUATION_ALPHA, GL_BLEND_SRC, GL_BLEND_DST,
    };
    GLboolean flags[4];
    GLint values[4];
    told(when, 0);
    for (int i = 0; i < 3; i++) {
        glGetBooleani_v(GL_COLOR_WRITEMASK, i, flags);
        glGetIntegeri_v(GL_COLOR_WRITEMASK, i, values);
        printf("%d: mask %d%d%d%d %d%d%d%d, blend %d", i, flags[0], flags[1], flags[2], flags[3], values[0], values[1], values[2],
               values[3], glIsEnabledi(GL_BLEND, i));
        glGetBooleani_v(GL_BLEND, i, flags);
        printf(" %d", flags[0]);
        for (unsigned k = 0; k < sizeof ENUMS / sizeof *ENUMS; k++) {
            glGetIntegeri_v(ENUMS[k], i, values);
            printf(" %x", values[0]);
        }
        putchar('\n');
    }
    glGetBooleanv(GL_COLOR_WRITEMASK, flags);
    glGetIntegerv(GL_BLEND, values);
    printf("all: mask %d%d%d%d, blend %d %d", flags[0], flags[1], flags[2], flags[3], glIsEnabled(GL_BLEND), values[0]);
    glGetIntegerv(GL_BLEND_SRC_RGB, values);
    printf(" %x\n", values[0]);
}

static void one_by_one(void)
{
    states("at first");
    glColorMaski(1, 1, 0, 0, 1);
    states("glColorMaski");
    glEnablei(GL_BLEND, 2);
    states("glEnablei");
    glEnable(GL_BLEND);
    states("glEnable");
    glDisablei(GL_BLEND, 0);
    states("glDisablei");
    glBlendFunci(1, GL_SRC_ALPHA, GL_ONE);
    states("glBlendFunci");
    glBlendFuncSeparatei(0, GL_SRC_ALPHA, GL_ONE, GL_ZERO, GL_ONE);
    states("glBlendFuncSeparatei");
    glBlendEquationi(2, GL_MAX);
    states("glBlendEquationi");
    glBlendEquationSeparatei(1, GL_MIN, GL_MAX);
    states("glBlendEquationSeparatei");
    glPushAttrib(GL_COLOR_BUFFER_BIT);
    glColorMaski(0, 0, 0, 1, 1);
    glBlendFunci(1, GL_ZERO, GL_DST_COLOR);
    states("pushed");
    glPopAttrib();
    states("popped");
    glPushAttrib(GL_ENABLE_BIT);
    glDisablei(GL_BLEND, 1);
    glEnablei(GL_BLEND, 0);
    glPopAttrib();
    states("popped GL_ENABLE_BIT");
    glBlendFunc(GL_ONE, GL_ONE);
    states("glBlendFunc");
    glColorMask(0, 0, 1, 1);
    states("glColorMask");
    glBlendEquation(GL_FUNC_SUBTRACT);
    states("glBlendEquation");
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glColorMaski(1, 0, 1, 0, 1);
    glEnablei(GL_BLEND, 1);
    glBlendFunci(1, GL_DST_COLOR, GL_ZERO);
    glBlendFuncSeparatei(2, GL_DST_COLOR, GL_ZERO, GL_ONE, GL_ONE);
    glBlendEquationi(1, GL_FUNC_ADD);
    glBlendEquationSeparatei(2, GL_FUNC_ADD, GL_MIN);
    glDisablei(GL_BLEND, 2);
    glEndList();
    states("listed");
    glCallList(list);
    states("called");
}

static void mistakes(void)
{
    GLint values[4];
    GLint64 wide[4];
    GLfloat floats[4];
    GLdouble doubles[4];
    GLboolean flags[4];
    TELL(glColorMaski(8, 1, 1, 1, 1));
    TELL(glColorMaski(7, 1, 1, 1, 1));
    TELL(glEnablei(GL_BLEND, 8));
    TELL(glDisablei(GL_BLEND, 8));
    TELL(glEnablei(GL_DEPTH_TEST, 0));
    TELL(glEnablei(GL_DEPTH_TEST, 9));
    TELL(glEnablei(0x7777, 0));
    ASK(glIsEnabledi(GL_BLEND, 8));
    ASK(glIsEnabledi(GL_LIGHTING, 0));
    TELL(glBlendFunci(8, 1, 1));
    TELL(glBlendFunci(0, 77, 1));
    TELL(glBlendFunci(0, 1, 77));
    TELL(glBlendFunci(9, 77, 1));
    TELL(glBlendEquationi(8, GL_MAX));
    TELL(glBlendEquationi(1, 7));
    TELL(glBlendFuncSeparatei(8, 1, 1, 1, 1));
    TELL(glBlendFuncSeparatei(1, 1, 1, 1, 7));
    TELL(glBlendEquationSeparatei(1, 7, GL_MAX));
    TELL(glBlendEquationSeparatei(8, GL_MAX, GL_MAX));
    TELL(glGetIntegeri_v(GL_BLEND_SRC_RGB, 8, values));
    TELL(glGetIntegeri_v(GL_DEPTH_TEST, 0, values));
    TELL(glGetBooleani_v(GL_COLOR_WRITEMASK, 8, flags));
    TELL(glGetInteger64i_v(GL_COLOR_WRITEMASK, 0, wide));
    TELL(glGetFloati_v(0x7777, 0, floats));
    TELL(glGetDoublei_v(0x7777, 0, doubles));
    for (int i = 15; i < 17; i++) {
        TELL(glGetIntegeri_v(GL_VERTEX_BINDING_STRIDE, i, values));
        TELL(glGetIntegeri_v(GL_VERTEX_BINDING_OFFSET, i, values));
        TELL(glGetIntegeri_v(GL_VERTEX_BINDING_DIVISOR, i, values));
    }
    glBegin(GL_POINTS);
    glColorMaski(0, 1, 1, 1, 1);
    glEnablei(GL_BLEND, 0);
    glBlendFunci(0, 1, 1);
    glEnd();
    told("in glBegin", 0);
    states("after mistakes");
}

static void image(GLenum internal, GLenum format, int size)
{
    GLuint name, fbo;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, internal, size, size, 0, format, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
}

/* A fifth, two fifths, three fifths ... are bytes exactly. */
static void colors(const char *what, int format)
{
    float pixel[4] = {-1, -1, -1, -1};
    glReadPixels(0, 0, 1, 1, format, GL_FLOAT, pixel);
    printf("%s %x: %.2f %.2f %.2f %.2f\n", what, format, pixel[0], pixel[1], pixel[2], pixel[3]);
}

static void greys(void)
{
    static const GLenum FORMATS[] = {
        GL_LUMINANCE8, GL_INTENSITY8, GL_ALPHA8, GL_LUMINANCE8_ALPHA8, GL_RGB8, GL_R8, GL_RG8, GL_LUMINANCE16F_ARB,
        GL_INTENSITY32F_ARB, GL_RGB16F, GL_SLUMINANCE8, GL_LUMINANCE16_SNORM,
    };
    static const GLenum READ[] = {GL_RGBA, GL_LUMINANCE, GL_LUMINANCE_ALPHA, GL_ALPHA, GL_RED, GL_RGB, GL_BGRA};
    static const GLenum COPIES[] = {GL_RGBA8, GL_LUMINANCE8, GL_INTENSITY8, GL_ALPHA8, GL_RGB8, GL_LUMINANCE8_ALPHA8};
    static float texels[64][4];
    for (unsigned i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        image(FORMATS[i], GL_RGBA, 8);
        printf("-- %x, status %x\n", FORMATS[i], glCheckFramebufferStatus(GL_FRAMEBUFFER));
        for (int mask = 1; mask < 16; mask++) {
            glColorMask(1, 1, 1, 1);
            glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
            glClear(GL_COLOR_BUFFER_BIT);
            glColorMask(mask & 1, mask & 2, mask & 4, mask & 8);
            glClearColor(1, 0.8f, 0.6f, 0.4f);
            glClear(GL_COLOR_BUFFER_BIT);
            printf("mask %d ", mask);
            colors("cleared", GL_RGBA);
        }
        for (unsigned k = 0; k < sizeof READ / sizeof *READ; k++)
            colors("read", READ[k]);
        for (unsigned k = 0; k < sizeof COPIES / sizeof *COPIES; k++) {
            GLuint name;
            glGenTextures(1, &name);
            glBindTexture(GL_TEXTURE_2D, name);
            glCopyTexImage2D(GL_TEXTURE_2D, 0, COPIES[k], 0, 0, 8, 8, 0);
            glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, texels);
            printf("copied to %x: %.2f %.2f %.2f %.2f\n", COPIES[k], texels[0][0], texels[0][1], texels[0][2], texels[0][3]);
            glDeleteTextures(1, &name);
        }
        GLint fbo, bits[4];
        glGetIntegerv(GL_FRAMEBUFFER_BINDING, &fbo);
        glGetIntegerv(GL_RED_BITS, bits);
        glGetIntegerv(GL_GREEN_BITS, bits + 1);
        glGetIntegerv(GL_BLUE_BITS, bits + 2);
        glGetIntegerv(GL_ALPHA_BITS, bits + 3);
        printf("bits %d %d %d %d\n", bits[0], bits[1], bits[2], bits[3]);
        image(GL_RGBA8, GL_RGBA, 8);
        glViewport(0, 0, 8, 8);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
        glRasterPos2f(-1, -1);
        glCopyPixels(0, 0, 8, 8, GL_COLOR);
        GLint drawn;
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn);
        colors("glCopyPixels", GL_RGBA);
        told("end", 0);
    }
}

/* Framebuffer objects with several samples, and such that are not complete, are not read from. */
static void unreadable(void)
{
    GLuint name, fbo;
    float pixel[4];
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, 0);
        TELL(glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, pixel));
        TELL(glCopyPixels(0, 0, 1, 1, GL_COLOR));
        TELL(glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, 4, 4, 0));
        TELL(glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 1, 1));
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 8, 8);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    }
}

/* EXT_framebuffer_multisample_blit_scaled. */
static void scaled(void)
{
    static const GLenum FILTERS[] = {GL_NEAREST, GL_LINEAR, GL_SCALED_RESOLVE_FASTEST_EXT, GL_SCALED_RESOLVE_NICEST_EXT, 0x7777};
    GLuint names[3], fbos[3];
    glGenRenderbuffers(3, names);
    glGenFramebuffers(3, fbos);
    for (int i = 0; i < 3; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, names[i]);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, i ? 4 : 0, GL_RGBA8, 8, 8);
        glBindFramebuffer(GL_FRAMEBUFFER, fbos[i]);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, names[i]);
        glClearColor(0.2f, 0.4f, 0.6f * i, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++)
            for (unsigned k = 0; k < sizeof FILTERS / sizeof *FILTERS; k++)
                for (int size = 8; size < 18; size += 8) {
                    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbos[from]);
                    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbos[to]);
                    printf("from %d to %d, filter %x, %d: ", from, to, FILTERS[k], size);
                    TELL(glBlitFramebuffer(0, 0, 8, 8, 0, 0, size, size, GL_COLOR_BUFFER_BIT, FILTERS[k]));
                    TELL(glBlitFramebuffer(0, 0, 8, 8, 0, 0, size, size, GL_DEPTH_BUFFER_BIT, FILTERS[k]));
                }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbos[0]);
    colors("blitted", GL_RGBA);
}

static void clamps(const char *when)
{
    GLint values[4];
    float colors[8], color[4];
    glGetIntegerv(GL_CLAMP_VERTEX_COLOR, values);
    glGetIntegerv(GL_CLAMP_FRAGMENT_COLOR, values + 1);
    glGetIntegerv(GL_CLAMP_READ_COLOR, values + 2);
    glGetIntegerv(GL_RGBA_FLOAT_MODE_ARB, values + 3);
    printf("%s: %x %x %x, floats %d", when, values[0], values[1], values[2], values[3]);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, colors);
    glGetFloatv(GL_ALPHA_TEST_REF, colors + 4);
    glGetFloatv(GL_FOG_COLOR, color);
    colors[5] = color[0];
    glGetFloatv(GL_BLEND_COLOR, color);
    colors[6] = color[1];
    glGetTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, color);
    colors[7] = color[3];
    for (int i = 0; i < 8; i++)
        printf(" %.2f", colors[i]);
    told("", 0);
}

/* ARB_color_buffer_float: what is clamped, by targets and glClampColor. */
static void floats(void)
{
    static const GLenum FORMATS[] = {GL_RGBA8, GL_RGBA16F, GL_RGBA8_SNORM, GL_RGBA32F, GL_LUMINANCE16F_ARB};
    static const GLenum MODES[] = {GL_TRUE, GL_FALSE, GL_FIXED_ONLY};
    static const GLbitfield BITS[] = {GL_COLOR_BUFFER_BIT, GL_LIGHTING_BIT, GL_ENABLE_BIT};
    static const float BEYOND[] = {-1, 2, 0.5f, 3};
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    clamps("window");
    glClearColor(-1, 2, 0.5f, 3);
    glBlendColor(-1, 2, 0.5f, 3);
    glAlphaFunc(GL_ALWAYS, 3);
    glFogfv(GL_FOG_COLOR, BEYOND);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, BEYOND);
    clamps("window");
    TELL(glClampColor(GL_CLAMP_VERTEX_COLOR, 7));
    TELL(glClampColor(7, GL_TRUE));
    TELL(glClampColor(GL_CLAMP_FRAGMENT_COLOR, 7));
    TELL(glClampColor(GL_CLAMP_READ_COLOR, 7));
    for (unsigned i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        image(FORMATS[i], GL_RGBA, 8);
        clamps("object");
        glClear(GL_COLOR_BUFFER_BIT);
        for (int k = 0; k < 3; k++) {
            glClampColor(GL_CLAMP_READ_COLOR, MODES[k]);
            colors("cleared", GL_RGBA);
        }
        glClampColor(GL_CLAMP_READ_COLOR, GL_FIXED_ONLY);
        for (int k = 0; k < 3; k++) {
            glClampColor(GL_CLAMP_FRAGMENT_COLOR, MODES[k]);
            clamps("fragments");
        }
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glPopAttrib();
        clamps("popped");
    }
    for (int i = 0; i < 3; i++) {
        glPushAttrib(BITS[i]);
        glClampColor(GL_CLAMP_VERTEX_COLOR, GL_FIXED_ONLY);
        glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_TRUE);
        glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
        glPopAttrib();
        clamps("popped");
    }
}

/* Draws of elements that have none: beyond the end of a buffer, or all of them restarts. */
static void elements(void)
{
    static const GLfloat PLACES[20] = {0};
    const GLushort restarts[2] = {9, 9};
    GLuint buffer;
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, PLACES);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glDrawElements(GL_POINTS, 3, GL_UNSIGNED_SHORT, NULL);
    told("glDrawElements of an empty buffer", 0);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof restarts, restarts, GL_STATIC_DRAW);
    glDrawRangeElements(GL_POINTS, 0, 9, 3, GL_UNSIGNED_SHORT, (void *)sizeof restarts);
    told("glDrawRangeElements beyond a buffer", 0);
    glDrawElements(GL_TRIANGLES, 1, GL_UNSIGNED_SHORT, NULL);
    told("glDrawElements of less than a triangle", 0);
    glEnableClientState(GL_PRIMITIVE_RESTART_NV);
    glPrimitiveRestartIndexNV(9);
    glDrawElements(GL_POINTS, 2, GL_UNSIGNED_SHORT, NULL);
    told("glDrawElements of restarts", 0);
    glDisableClientState(GL_PRIMITIVE_RESTART_NV);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDeleteBuffers(1, &buffer);
}

/* Where drawing to what is not complete is refused: at glBegin already. */
static void incomplete(void)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo);
    glBegin(GL_POINTS);
    told("glBegin, nothing attached", 0);
    glEnd();
    told("its glEnd", 0);
    glRectf(0, 0, 1, 1);
    told("glRectf, nothing attached", 0);
    glDrawArrays(GL_POINTS, 0, 0);
    told("glDrawArrays of nothing", 0);
    glDrawElements(GL_POINTS, 0, GL_UNSIGNED_INT, NULL);
    told("glDrawElements of nothing", 0);
    glDrawArrays(GL_POINTS, 0, 3);
    told("glDrawArrays without arrays", 0);
    elements();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBegin(GL_POINTS);
    glEnd();
    told("glBegin in the window", 0);
    glDeleteFramebuffers(1, &fbo);
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    one_by_one();
    mistakes();
    greys();
    unreadable();
    scaled();
    floats();
    incomplete();
    drop_rig(&rig);
    return 0;
}
