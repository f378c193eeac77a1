/* SPDX-License-Identifier: MIT */
/* Framebuffer objects: what is drawn to them is shown by texture, by blit, or is read back and drawn. */
#include "scenes.h"

#define SIZE 64

static void start(void)
{
    clear_all(0.2f, 0.25f, 0.3f, 1);
    unit_square();
    glColor4f(1, 1, 1, 1);
}

static GLuint target(GLenum kind, GLenum internal, int size, int levels)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(kind, name);
    glTexParameteri(kind, GL_TEXTURE_MIN_FILTER, levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
    glTexParameteri(kind, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(kind, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(kind, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    if (kind == GL_TEXTURE_2D)
        for (int level = 0; level < levels; level++)
            glTexImage2D(kind, level, internal, size >> level, size >> level, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    return name;
}

static GLuint object(void)
{
    GLuint name;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

static GLuint depth_buffer(GLenum internal, int size, GLenum place)
{
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorage(GL_RENDERBUFFER, internal, size, size);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, name);
    return name;
}

/* What goes into each target: a shaded square, and one that depth hides in part. */
static void contents(int size, float turn)
{
    glViewport(0, 0, size, size);
    glDisable(GL_TEXTURE_2D);
    glClearColor(0.5f * turn, 0.1f, 0.5f - 0.5f * turn, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glPushMatrix();
    glRotatef(20 + 90 * turn, 0, 0, 1);
    gradient_square(0.61f, 1);
    glPopMatrix();
    glColor3f(1, 1, 0);
    glBegin(GL_TRIANGLES);
    glVertex3f(-0.93f, -0.91f, -0.5f);
    glVertex3f(0.31f, -0.93f, 0.5f);
    glVertex3f(-0.87f, 0.42f, 0.5f);
    glEnd();
    glColor4f(1, 1, 1, 1);
}

/* The window again, whose cell i shows the texture that is bound. */
static void show(GLenum kind, int i, int columns, int rows)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    cell(i, columns, rows);
    glEnable(kind);
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0); glVertex2f(-0.9f, -0.9f);
    glTexCoord2f(1, 0); glVertex2f(0.9f, -0.9f);
    glTexCoord2f(1, 1); glVertex2f(0.9f, 0.9f);
    glTexCoord2f(0, 1); glVertex2f(-0.9f, 0.9f);
    glEnd();
    glDisable(kind);
    glDisable(GL_SCISSOR_TEST);
}

static const GLenum COLORS[] = {
    GL_RGBA8, GL_RGB8, GL_RGB5_A1, GL_RGBA4, GL_RGB565, GL_RGB10_A2, GL_RGBA16, GL_RGBA16F, GL_RGBA32F,
    GL_R11F_G11F_B10F, GL_R8, GL_RG8,
};

static void colors(int unused)
{
    (void) unused;
    start();
    for (int i = 0; i < LENGTH(COLORS); i++) {
        object();
        GLuint name = target(GL_TEXTURE_2D, COLORS[i], SIZE, 1);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        contents(SIZE, i / 12.0f);
        show(GL_TEXTURE_2D, i, 4, 3);
    }
}

static const struct { GLenum internal, place; } DEPTHS[] = {
    {GL_DEPTH_COMPONENT16, GL_DEPTH_ATTACHMENT}, {GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT},
    {GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT}, {GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT},
    {GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT}, {GL_DEPTH24_STENCIL8, GL_DEPTH_ATTACHMENT},
};

static void depths(int unused)
{
    (void) unused;
    start();
    for (int i = 0; i < LENGTH(DEPTHS); i++) {
        object();
        GLuint name = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, 1);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        depth_buffer(DEPTHS[i].internal, SIZE, DEPTHS[i].place);
        glEnable(GL_DEPTH_TEST);
        glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_EQUAL, 0, 0xff);
        glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
        contents(SIZE, 0.3f);
        glDisable(GL_DEPTH_TEST);
        glDisable(GL_STENCIL_TEST);
        show(GL_TEXTURE_2D, i, 3, 2);
    }
}

/* Two textures that are drawn into each other in turn. */
static void ping_pong(int unused)
{
    (void) unused;
    start();
    object();
    GLuint names[2];
    for (int i = 0; i < 2; i++)
        names[i] = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, 1);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, names[0], 0);
    contents(SIZE, 0);
    for (int i = 0; i < 9; i++) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, names[1 - i % 2], 0);
        glClearColor(0.1f * i, 0.5f, 0.2f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glBindTexture(GL_TEXTURE_2D, names[i % 2]);
        glEnable(GL_TEXTURE_2D);
        glBegin(GL_QUADS);
        glTexCoord2f(0, 0); glVertex2f(-0.9f, -0.8f);
        glTexCoord2f(1, 0); glVertex2f(0.8f, -0.9f);
        glTexCoord2f(1, 1); glVertex2f(0.9f, 0.8f);
        glTexCoord2f(0, 1); glVertex2f(-0.8f, 0.9f);
        glEnd();
    }
    glBindTexture(GL_TEXTURE_2D, names[1]);
    show(GL_TEXTURE_2D, 0, 1, 1);
}

/* Levels of a texture, and the levels that follow from one that was drawn. */
static void levels(int generated)
{
    start();
    object();
    GLuint name = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, generated ? 1 : 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    for (int level = 0; level < (generated ? 1 : 4); level++) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, level);
        contents(SIZE >> level, level / 4.0f);
    }
    if (generated)
        glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    for (int level = 0; level < 4; level++) {
        glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, level);
        glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, level);
        show(GL_TEXTURE_2D, level, 2, 2);
    }
}

static void faces(int unused)
{
    static const float AXES[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    (void) unused;
    start();
    object();
    GLuint name = target(GL_TEXTURE_CUBE_MAP, GL_RGBA8, 0, 1);
    for (int face = 0; face < 6; face++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    for (int face = 0; face < 6; face++) {
        GLenum which = GL_TEXTURE_CUBE_MAP_POSITIVE_X + face;
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, which, name, 0);
        contents(SIZE, face / 6.0f);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_TEXTURE_CUBE_MAP);
    for (int face = 0; face < 6; face++) {
        const float *a = AXES[face];
        cell(face, 3, 2);
        glBegin(GL_QUADS);
        for (int k = 0; k < 4; k++) {
            float u = k == 1 || k == 2 ? 0.97f : -0.97f, v = k > 1 ? 0.97f : -0.97f;
            glTexCoord3f(a[0] + (a[0] ? 0 : u), a[1] + (a[1] ? 0 : a[0] ? u : v), a[2] + (a[2] ? 0 : v));
            glVertex2f(u * 0.9f, v * 0.9f);
        }
        glEnd();
    }
}

static void slices(int unused)
{
    (void) unused;
    start();
    object();
    GLuint name = target(GL_TEXTURE_3D, GL_RGBA8, 0, 1);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, SIZE, SIZE, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    for (int slice = 0; slice < 4; slice++) {
        glFramebufferTexture3D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D, name, 0, slice);
        contents(SIZE, slice / 4.0f);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_TEXTURE_3D);
    for (int slice = 0; slice < 4; slice++) {
        float r = (slice + 0.5f) / 4;
        cell(slice, 2, 2);
        glBegin(GL_QUADS);
        glTexCoord3f(0, 0, r); glVertex2f(-0.9f, -0.9f);
        glTexCoord3f(1, 0, r); glVertex2f(0.9f, -0.9f);
        glTexCoord3f(1, 1, r); glVertex2f(0.9f, 0.9f);
        glTexCoord3f(0, 1, r); glVertex2f(-0.9f, 0.9f);
        glEnd();
    }
}

/* Four targets at once; each is cleared to a colour of its own. */
static void several(int unused)
{
    static const GLenum BUFFERS[] = {GL_COLOR_ATTACHMENT2, GL_NONE, GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT3};
    (void) unused;
    start();
    GLuint names[4];
    object();
    for (int i = 0; i < 4; i++) {
        names[i] = target(GL_TEXTURE_2D, i & 1 ? GL_RGBA16F : GL_RGBA8, SIZE, 1);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, names[i], 0);
        glDrawBuffer(GL_COLOR_ATTACHMENT0 + i);
        glClearColor(0.2f * i, 0.6f, 0.9f - 0.2f * i, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glDrawBuffers(4, BUFFERS);
    glViewport(0, 0, SIZE, SIZE);
    gradient_square(0.61f, 1);
    static const float value[] = {0.25f, 0.5f, 1, 1};
    glEnable(GL_SCISSOR_TEST);
    glScissor(5, 9, 17, 21);
    glClearBufferfv(GL_COLOR, 2, value);
    glDisable(GL_SCISSOR_TEST);
    glColor4f(1, 1, 1, 1);
    for (int i = 0; i < 4; i++) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        show(GL_TEXTURE_2D, i, 2, 2);
    }
}

/* Each of three targets has its own mask, blend functions and equation (EXT_draw_buffers2, ARB_draw_buffers_blend). */
static void apart(int unused)
{
    static const GLenum BUFFERS[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    (void) unused;
    start();
    GLuint names[3];
    object();
    for (int i = 0; i < 3; i++) {
        names[i] = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, 1);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, names[i], 0);
    }
    glDrawBuffers(3, BUFFERS);
    glClearColor(0.3f, 0.4f, 0.5f, 0.6f);
    glClear(GL_COLOR_BUFFER_BIT);
    glViewport(0, 0, SIZE, SIZE);
    glColorMaski(1, 1, 0, 1, 1);
    glEnablei(GL_BLEND, 0);
    glEnablei(GL_BLEND, 2);
    glBlendFunci(0, GL_ONE, GL_ONE);
    glBlendFuncSeparatei(2, GL_DST_COLOR, GL_SRC_ALPHA, GL_ONE, GL_ZERO);
    gradient_square(0.8f, 0.7f);
    glEnable(GL_BLEND);
    glBlendEquationi(0, GL_FUNC_REVERSE_SUBTRACT);
    glBlendEquationi(1, GL_MAX);
    glDisablei(GL_BLEND, 2);
    glColorMaski(2, 0, 1, 0, 1);
    glRotatef(30, 0, 0, 1);
    gradient_square(0.4f, 0.7f);
    glLoadIdentity();
    glClearColor(1, 1, 0, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(5, 9, 17, 21);
    glClear(GL_COLOR_BUFFER_BIT);
    glColorMask(1, 1, 1, 1);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ZERO);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        show(GL_TEXTURE_2D, i, 2, 2);
    }
}

static const GLenum GREYS[] = {
    GL_LUMINANCE8, GL_INTENSITY8, GL_ALPHA8, GL_LUMINANCE8_ALPHA8, GL_LUMINANCE16F_ARB, GL_INTENSITY32F_ARB, GL_ALPHA16,
    GL_LUMINANCE32F_ARB, GL_LUMINANCE_ALPHA16F_ARB,
};

/* Targets of luminance, intensity and alpha: a clear, a mask and two ways to blend; shown as textures, and as read back. */
static void greys(int unused)
{
    static float image[SIZE * SIZE][4];
    (void) unused;
    start();
    for (int i = 0; i < LENGTH(GREYS); i++) {
        object();
        GLuint name = target(GL_TEXTURE_2D, GREYS[i], SIZE, 1);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        glViewport(0, 0, SIZE, SIZE);
        glClearColor(0.25f, 0.5f, 0.75f, 0.4f);
        glClear(GL_COLOR_BUFFER_BIT);
        gradient_square(0.9f, 0.8f);
        glColorMask(i & 1, 1, 1, !(i & 1));
        glRectf(-0.5f, -0.5f, 0.3f, 0.2f);
        glColorMask(1, 1, 1, 1);
        glEnable(GL_BLEND);
        glBlendFunc(GL_DST_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        gradient_square(0.4f, 0.5f);
        glBlendFunc(GL_ONE_MINUS_DST_COLOR, GL_ONE_MINUS_DST_ALPHA);
        glRectf(-0.8f, 0.1f, 0.8f, 0.3f);
        glDisable(GL_BLEND);
        glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_FLOAT, image);
        glColor4f(1, 1, 1, 1);
        show(GL_TEXTURE_2D, i, 6, 3);
        whole();
        glWindowPos2i(i % 6 * 70 + 3, i / 6 * 70 + 145);
        glPixelZoom(0.9f, 0.9f);
        glDrawPixels(SIZE, SIZE, GL_RGBA, GL_FLOAT, image);
        glPixelZoom(1, 1);
    }
}

/* Targets of floats hold what is beyond [0, 1]: clears, textures, environments, blending, fog; shown darker. */
static void beyond(int unused)
{
    static const float texel[] = {2, -0.5f, 0.5f, 1.5f};
    static const GLenum MODES[] = {GL_FIXED_ONLY, GL_TRUE, GL_FALSE};
    (void) unused;
    start();
    for (int i = 0; i < 6; i++) {
        object();
        GLuint name = target(GL_TEXTURE_2D, i & 1 ? GL_RGBA32F : GL_RGBA16F, SIZE, 1);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        glClampColor(GL_CLAMP_VERTEX_COLOR, i < 3 ? GL_TRUE : GL_FALSE);
        glClampColor(GL_CLAMP_FRAGMENT_COLOR, MODES[i % 3]);
        glViewport(0, 0, SIZE, SIZE);
        glClearColor(3, 1.5f, -2, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glColor4f(2.5f, 0.5f, -1, 1);
        glRectf(-0.9f, -0.9f, 0, 0);
        GLuint bright;
        glGenTextures(1, &bright);
        glBindTexture(GL_TEXTURE_2D, bright);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, 1, 1, 0, GL_RGBA, GL_FLOAT, texel);
        glEnable(GL_TEXTURE_2D);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
        glRectf(0.1f, -0.9f, 0.5f, 0);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
        glRectf(0.5f, -0.9f, 0.9f, 0);
        glDisable(GL_TEXTURE_2D);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        gradient_square(0.5f, 1);
        glDisable(GL_BLEND);
        glEnable(GL_FOG);
        glFogi(GL_FOG_MODE, GL_LINEAR);
        glFogf(GL_FOG_START, -1);
        glFogf(GL_FOG_END, 1);
        glFogfv(GL_FOG_COLOR, texel);
        glColor4f(2, 1, 1, 1);
        glRectf(-0.9f, 0.3f, -0.2f, 0.9f);
        glDisable(GL_FOG);
        glClampColor(GL_CLAMP_VERTEX_COLOR, GL_TRUE);
        glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FIXED_ONLY);
        glBindTexture(GL_TEXTURE_2D, name);
        glColor4f(0.25f, 0.25f, 0.25f, 1);
        show(GL_TEXTURE_2D, i, 3, 2);
    }
}

/* Blits to the window: as it is, mirrored, larger, smaller, cut by a scissor, and back to an object. */
static void blits(int filter)
{
    start();
    GLuint fbo = object();
    GLuint name = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, 1);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    contents(SIZE, 0.3f);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 64, 64, 4, 4, 68, 68, GL_COLOR_BUFFER_BIT, filter);
    glBlitFramebuffer(0, 0, 64, 64, 140, 68, 76, 4, GL_COLOR_BUFFER_BIT, filter);
    glBlitFramebuffer(5, 9, 37, 41, 4, 76, 100, 172, GL_COLOR_BUFFER_BIT, filter);
    glBlitFramebuffer(64, 0, 0, 64, 104, 76, 124, 99, GL_COLOR_BUFFER_BIT, filter);
    glEnable(GL_SCISSOR_TEST);
    glScissor(130, 80, 33, 50);
    glBlitFramebuffer(-10, -10, 64, 64, 128, 76, 192, 140, GL_COLOR_BUFFER_BIT, filter);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo);
    glBlitFramebuffer(0, 0, 64, 64, 32, 32, 64, 64, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    show(GL_TEXTURE_2D, 5, 3, 2);
}

/* What is read back of an object is drawn, and copied to a texture. */
static void reads(int unused)
{
    static GLubyte image[SIZE * SIZE][4];
    static float depth[SIZE * SIZE];
    (void) unused;
    start();
    object();
    GLuint name = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, 1);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    depth_buffer(GL_DEPTH_COMPONENT24, SIZE, GL_DEPTH_ATTACHMENT);
    glEnable(GL_DEPTH_TEST);
    contents(SIZE, 0.3f);
    glDisable(GL_DEPTH_TEST);
    glReadPixels(0, 0, SIZE, SIZE, GL_BGRA, GL_UNSIGNED_BYTE, image);
    glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    GLuint copy = target(GL_TEXTURE_2D, GL_RGBA8, SIZE, 1);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 3, 5, 7, 9, 50, 40);
    (void) copy;
    show(GL_TEXTURE_2D, 0, 2, 2);
    whole();
    glWindowPos2i(110, 10);
    glDrawPixels(SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, image);
    glWindowPos2i(10, 100);
    glDrawPixels(SIZE, SIZE, GL_LUMINANCE, GL_FLOAT, depth);
}

static const Scene scenes[] = {
    {"fbo_colors", colors, 0, 240, 180, COLOR},
    {"fbo_depths", depths, 0, 240, 160, COLOR},
    {"fbo_ping_pong", ping_pong, 0, 160, 160, COLOR},
    {"fbo_levels", levels, 0, 160, 160, COLOR},
    {"fbo_generated", levels, 1, 160, 160, COLOR},
    {"fbo_faces", faces, 0, 240, 160, COLOR},
    {"fbo_slices", slices, 0, 160, 160, COLOR},
    {"fbo_several", several, 0, 160, 160, COLOR},
    {"fbo_apart", apart, 0, 160, 160, COLOR},
    {"fbo_greys", greys, 0, 420, 280, COLOR},
    {"fbo_beyond", beyond, 0, 240, 160, COLOR},
    {"fbo_blits", blits, GL_NEAREST, 200, 180, COLOR},
    {"fbo_blits_linear", blits, GL_LINEAR, 200, 180, COLOR},
    {"fbo_reads", reads, 0, 200, 200, COLOR},
};

const SceneList framebuffer_list = {scenes, LENGTH(scenes)};
