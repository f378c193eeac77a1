/* SPDX-License-Identifier: MIT */
/* Images of textures and renderbuffers, and pbuffers that are bound to textures. */
#include "egl_parts.h"

#define N 8
typedef void (*target_texture)(GLenum, GLeglImageOES);
static target_texture to_texture, to_renderbuffer;
static unsigned char texels[N][N][4];

static void texture(GLuint name, int side)
{
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (side)
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
}

static unsigned long texel(GLuint name, int s, int t)
{
    unsigned char *p = texels[t][s];
    memset(texels, 0x5A, sizeof texels);
    glBindTexture(GL_TEXTURE_2D, name);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    return p[0] << 16 | p[1] << 8 | p[2];
}

static void part_of(GLuint name, unsigned char value)
{
    unsigned char block[4 * 4];
    memset(block, value, sizeof block);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 3, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, block);
}

/* The whole viewport shows the texture. */
static void draw(GLuint name)
{
    glBindTexture(GL_TEXTURE_2D, name);
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_QUADS);
    glTexCoord2i(0, 0), glVertex2i(-1, -1), glTexCoord2i(1, 0), glVertex2i(1, -1);
    glTexCoord2i(1, 1), glVertex2i(1, 1), glTexCoord2i(0, 1), glVertex2i(-1, 1);
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

static void shared_textures(EGLContext c, EGLContext other)
{
    EGLAttrib level[] = { EGL_GL_TEXTURE_LEVEL, 1, EGL_NONE };
    void *first = (void *)(uintptr_t)1;
    GLuint names[] = { 1, 2, 3 };
    EGLImage image;
    FAILS(eglCreateImage(dpy, c, EGL_GL_TEXTURE_2D, first, 0), EGL_BAD_PARAMETER);
    texture(1, N);
    FAILS(eglCreateImage(dpy, c, EGL_GL_TEXTURE_2D, first, level), EGL_BAD_PARAMETER);
    FAILS(eglCreateImage(dpy, c, EGL_GL_TEXTURE_3D, first, 0), EGL_BAD_PARAMETER);
    FAILS(eglCreateImage(dpy, c, 77, first, 0), EGL_BAD_PARAMETER);
    WORKS(image = eglCreateImage(dpy, c, EGL_GL_TEXTURE_2D, first, 0));
    part_of(1, 0x11);
    WORKS(eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, other));
    texture(2, 0);
    to_texture(GL_TEXTURE_2D, image);
    IS(texel(2, 2, 3), 0x111111);
    IS(texel(2, 4, 3), 0);
    part_of(2, 0x22); /* both have it */
    to_texture(GL_TEXTURE_1D, image);
    IS(glGetError(), GL_INVALID_ENUM);
    to_texture(GL_TEXTURE_2D, &level);
    IS(glGetError(), GL_INVALID_VALUE);
    WORKS(eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, c));
    IS(texel(1, 3, 4), 0x222222);
    texture(1, N); /* an image of its own: the shared one stays */
    WORKS(eglDestroyImage(dpy, image));
    FAILS(eglDestroyImage(dpy, image), EGL_BAD_PARAMETER);
    glDeleteTextures(3, names);
    WORKS(eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, other));
    IS(texel(2, 3, 4), 0x222222);
    glDeleteTextures(3, names);
    WORKS(eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, c));
    IS(glGetError(), 0);
}

/* What is drawn to a renderbuffer is sampled as a texture, and drawn to as that. */
static void shared_renderbuffers(EGLContext c)
{
    GLuint fbo[2], buffers[2];
    EGLImage image;
    PFNGLGENFRAMEBUFFERSPROC gen = (void *)eglGetProcAddress("glGenFramebuffers");
    PFNGLBINDFRAMEBUFFERPROC bind = (void *)eglGetProcAddress("glBindFramebuffer");
    PFNGLGENRENDERBUFFERSPROC gen_rb = (void *)eglGetProcAddress("glGenRenderbuffers");
    PFNGLBINDRENDERBUFFERPROC bind_rb = (void *)eglGetProcAddress("glBindRenderbuffer");
    PFNGLRENDERBUFFERSTORAGEPROC store = (void *)eglGetProcAddress("glRenderbufferStorage");
    PFNGLFRAMEBUFFERRENDERBUFFERPROC attach = (void *)eglGetProcAddress("glFramebufferRenderbuffer");
    gen(2, fbo), gen_rb(2, buffers);
    bind_rb(GL_RENDERBUFFER, buffers[0]);
    store(GL_RENDERBUFFER, GL_RGBA8, N, N);
    for (int n = 0; n < 2; n++) {
        bind(GL_FRAMEBUFFER, fbo[n]);
        attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
    }
    glViewport(0, 0, N, N);
    fill(1, 0.5, 0.25);
    WORKS(image = eglCreateImage(dpy, c, EGL_GL_RENDERBUFFER, (void *)(uintptr_t)buffers[0], 0));
    texture(5, 0);
    to_texture(GL_TEXTURE_2D, image);
    IS(texel(5, 4, 4), 0xFF8040);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, N, N / 2);
    fill(0, 0, 1);
    glDisable(GL_SCISSOR_TEST);
    store(GL_RENDERBUFFER, GL_RGBA8, N, N); /* the same again: it stays what it is */
    bind_rb(GL_RENDERBUFFER, buffers[1]);
    store(GL_RENDERBUFFER, GL_RGBA8, N, N);
    bind(GL_FRAMEBUFFER, fbo[1]);
    attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[1]);
    draw(5);
    IS(read_pixel(1, 1), 0x0000FF);
    IS(read_pixel(6, 6), 0xFF8040);
    texture(6, N);
    part_of(6, 0x77);
    WORKS(eglDestroyImage(dpy, image));
    WORKS(image = eglCreateImage(dpy, c, EGL_GL_TEXTURE_2D, (void *)(uintptr_t)6, 0));
    to_renderbuffer(GL_RENDERBUFFER, image);
    IS(read_pixel(2, 3), 0x777777); /* what is attached is another image now */
    IS(glGetError(), 0);
}

/* Depths lie in another way where nobody samples them. */
static void shared_depths(EGLContext c)
{
    GLuint buffer = 7;
    GLfloat depths[N * N];
    EGLImage image;
    PFNGLBINDRENDERBUFFERPROC bind_rb = (void *)eglGetProcAddress("glBindRenderbuffer");
    PFNGLRENDERBUFFERSTORAGEPROC store = (void *)eglGetProcAddress("glRenderbufferStorage");
    PFNGLFRAMEBUFFERRENDERBUFFERPROC attach = (void *)eglGetProcAddress("glFramebufferRenderbuffer");
    bind_rb(GL_RENDERBUFFER, buffer);
    store(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, N, N);
    attach(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
    glEnable(GL_SCISSOR_TEST);
    glScissor(3, 0, 1, N);
    glClearDepth(0.25);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    WORKS(image = eglCreateImage(dpy, c, EGL_GL_RENDERBUFFER, (void *)(uintptr_t)buffer, 0));
    texture(8, 0);
    to_texture(GL_TEXTURE_2D, image);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    CHECK(depths[3] > 0.2499 && depths[3] < 0.2501 && depths[2] == 0 && depths[4] == 0);
    glClearDepth(1);
    glClear(GL_DEPTH_BUFFER_BIT);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    CHECK(depths[3] == 1 && depths[N * N - 1] == 1);
    IS(glGetError(), 0);
}

static void bound_pbuffers(EGLContext c)
{
    EGLint list[] = { EGL_WIDTH, N, EGL_HEIGHT, N, EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGB,
                      EGL_TEXTURE_TARGET, EGL_TEXTURE_2D, EGL_NONE };
    EGLSurface p, plain = pbuffer(config, N, N);
    PFNGLBINDFRAMEBUFFERPROC bind = (void *)eglGetProcAddress("glBindFramebuffer");
    bind(GL_FRAMEBUFFER, 0);
    IS(get(config, EGL_BIND_TO_TEXTURE_RGB), 1);
    WORKS(p = eglCreatePbufferSurface(dpy, config, list));
    IS(query(p, EGL_TEXTURE_FORMAT), EGL_TEXTURE_RGB);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    fill(1, 0.5, 0.25);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, N, 1);
    fill(0, 1, 0);
    glDisable(GL_SCISSOR_TEST);
    WORKS(eglMakeCurrent(dpy, plain, plain, c));
    texture(9, 0);
    FAILS(eglBindTexImage(dpy, plain, EGL_BACK_BUFFER), EGL_BAD_MATCH);
    FAILS(eglBindTexImage(dpy, p, 5), EGL_BAD_PARAMETER);
    WORKS(eglBindTexImage(dpy, p, EGL_BACK_BUFFER));
    IS(texel(9, 4, 0), 0x00FF00); /* the lowest row */
    IS(texel(9, 4, 1), 0xFF8040);
    IS(texel(9, 4, N - 1), 0xFF8040);
    IS(texels[2][2][3], 0xFF);
    glViewport(0, 0, N, N);
    draw(9);
    IS(read_pixel(2, 0), 0x00FF00);
    IS(read_pixel(2, 2), 0xFF8040);
    WORKS(eglReleaseTexImage(dpy, p, EGL_BACK_BUFFER));
    IS(glGetError(), 0);
}

void part_images(void)
{
    EGLContext c, other;
    EGLSurface p;
    dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0);
    WORKS(eglInitialize(dpy, 0, 0));
    CHECK(strstr(eglQueryString(dpy, EGL_EXTENSIONS), "EGL_KHR_gl_renderbuffer_image"));
    WORKS(eglBindAPI(EGL_OPENGL_API));
    config = choose(EGL_PBUFFER_BIT);
    to_texture = (target_texture)eglGetProcAddress("glEGLImageTargetTexture2DOES");
    to_renderbuffer = (target_texture)eglGetProcAddress("glEGLImageTargetRenderbufferStorageOES");
    WORKS(c = eglCreateContext(dpy, config, 0, 0));
    WORKS(other = eglCreateContext(dpy, config, 0, 0));
    p = pbuffer(config, N, N);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    shared_textures(c, other);
    WORKS(eglMakeCurrent(dpy, p, p, c));
    shared_renderbuffers(c);
    shared_depths(c);
    bound_pbuffers(c);
    WORKS(eglTerminate(dpy));
}
