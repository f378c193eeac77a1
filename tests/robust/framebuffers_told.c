/* SPDX-License-Identifier: MIT */
/* What a driver says of framebuffer objects, line by line: test_names_peer.py compares the lines with the peer's. Layers that are
 * cleared at once, what has no attachment, contents that are given up, blits of depth and stencil, calls that name framebuffers. */
#include "told.h"

enum { SIZE = 8, LAYERS = 4 };

static GLuint texture(GLenum target, GLenum internal, GLenum format, GLenum type, int layers)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    if (target == GL_TEXTURE_CUBE_MAP)
        for (int face = 0; face < 6; face++)
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, internal, SIZE, SIZE, 0, format, type, NULL);
    else if (target == GL_TEXTURE_1D_ARRAY)
        glTexImage2D(target, 0, internal, SIZE, layers, 0, format, type, NULL);
    else if (target == GL_TEXTURE_2D || target == GL_TEXTURE_RECTANGLE)
        glTexImage2D(target, 0, internal, SIZE, SIZE, 0, format, type, NULL);
    else
        glTexImage3D(target, 0, internal, SIZE, SIZE, layers, 0, format, type, NULL);
    return name;
}

static GLuint plain(GLenum target, int layers)
{
    return texture(target, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, layers);
}

static GLuint framebuffer(void)
{
    GLuint name;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

/* Two pixels of each layer. */
static void layers_told(const char *what, GLuint name, GLenum attachment, int layers, GLenum format, GLenum type)
{
    GLint bound;
    GLuint own;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    own = framebuffer();
    if (attachment != GL_COLOR_ATTACHMENT0) {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    printf("%s:", what);
    for (int layer = 0; layer < layers; layer++) {
        unsigned left = 0x55555555, right = left;
        glFramebufferTextureLayer(GL_FRAMEBUFFER, attachment, name, 0, layer);
        glReadPixels(1, 0, 1, 1, format, type, &left);
        glReadPixels(6, 0, 1, 1, format, type, &right);
        printf(" %x %x", left, right);
    }
    told("", 0);
    glDeleteFramebuffers(1, &own);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint) bound);
}

static void colours_told(const char *what, GLuint name, int layers)
{
    layers_told(what, name, GL_COLOR_ATTACHMENT0, layers, GL_RGBA, GL_UNSIGNED_BYTE);
}

static void layered(GLenum target, int layers)
{
    static const GLfloat RED[] = {1, 0, 0, 1};
    static const GLint WHOLE[] = {5, -6, 7, 8};
    GLuint name = plain(target, LAYERS), whole;
    printf("layers of %x\n", target);
    framebuffer();
    TELL(glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0));
    told("status", glCheckFramebufferStatus(GL_FRAMEBUFFER));
    glClearColor(0.2f, 0.4f, 0.6f, 1);
    TELL(glClear(GL_COLOR_BUFFER_BIT));
    colours_told("cleared", name, layers);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 4, SIZE);
    TELL(glClearBufferfv(GL_COLOR, 0, RED));
    glDisable(GL_SCISSOR_TEST);
    colours_told("half of it", name, layers);
    glColor3f(0, 1, 0);
    glRectf(-1, -1, 1, 1);
    colours_told("drawn", name, layers);
    whole = texture(target, GL_RGBA16I, GL_RGBA_INTEGER, GL_INT, LAYERS);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, whole, 0);
    TELL(glClearBufferiv(GL_COLOR, 0, WHOLE));
    layers_told("whole numbers", whole, GL_COLOR_ATTACHMENT0, layers, GL_RED_INTEGER, GL_INT);
}

/* What goes with what. */
static void together(void)
{
    GLuint array = plain(GL_TEXTURE_2D_ARRAY, LAYERS), less = plain(GL_TEXTURE_2D_ARRAY, 2), volume = plain(GL_TEXTURE_3D, LAYERS);
    GLuint cube = plain(GL_TEXTURE_CUBE_MAP, 6), flat = plain(GL_TEXTURE_2D, 1);
    GLuint depths = texture(GL_TEXTURE_2D_ARRAY, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, LAYERS);
    GLuint others[] = {less, volume, cube, flat, array};
    static const GLenum BUFFERS[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    for (int i = 0; i < COUNT(others); i++) {
        framebuffer();
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, others[i], 0);
        told("two colours", glCheckFramebufferStatus(GL_FRAMEBUFFER));
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, 0, 0);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, others[i], 0, 0);
        told("one of them in layers", glCheckFramebufferStatus(GL_FRAMEBUFFER));
        framebuffer();
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, others[i], 0);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depths, 0);
        told("colour and depth", glCheckFramebufferStatus(GL_FRAMEBUFFER));
    }
    framebuffer();
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, less, 0);
    glDrawBuffers(2, BUFFERS);
    glClearColor(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, 0, 0);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depths, 0);
    glClearDepth(0.25);
    glClear(GL_DEPTH_BUFFER_BIT);
    /* The peer leaves further layers alone (GL 4.6, 9.8: all are cleared; test_geometry.py). */
    colours_told("four layers and two", array, 2);
    colours_told("the two", less, 2);
    layers_told("depths", depths, GL_DEPTH_ATTACHMENT, LAYERS, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
    glClearDepth(1);
}

static void samples_passed(void)
{
    GLuint query, result = 77777;
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glRectf(-1, -1, 0, 1);
    told("drawn to nothing", 0);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
    told("samples", result);
    glDeleteQueries(1, &query);
}

static void without_attachments(void)
{
    static const GLenum NAMES[] = {
        GL_FRAMEBUFFER_DEFAULT_WIDTH, GL_FRAMEBUFFER_DEFAULT_HEIGHT, GL_FRAMEBUFFER_DEFAULT_LAYERS, GL_FRAMEBUFFER_DEFAULT_SAMPLES,
    };
    static const GLint SIZES[][4] = {{16, 16, 0, 0}, {16, 0, 0, 0}, {16, 12, 0, 2}, {16, 16, 4, 0}, {5, 16, 0, 4}};
    GLint value, pixel;
    framebuffer();
    glViewport(0, 0, 16, 16);
    for (int i = 0; i < COUNT(NAMES); i++)
        for (int param = -1; param < 20000; param = param * 3 + 4) {
            glFramebufferParameteri(GL_FRAMEBUFFER, NAMES[i], param);
            told("glFramebufferParameteri", param);
            glGetFramebufferParameteriv(GL_FRAMEBUFFER, NAMES[i], &value);
            told("is", value);
        }
    for (int i = 0; i < COUNT(SIZES); i++) {
        for (unsigned k = 0; k < 4; k++)
            glFramebufferParameteri(GL_FRAMEBUFFER, NAMES[k], SIZES[i][k]);
        told("status", glCheckFramebufferStatus(GL_FRAMEBUFFER));
        samples_passed();
        TELL(glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixel));
        TELL(glClear(GL_COLOR_BUFFER_BIT));
        TELL(glBlitFramebuffer(0, 0, 2, 2, 0, 0, 2, 2, GL_COLOR_BUFFER_BIT, GL_NEAREST));
        glGetIntegerv(GL_SAMPLES, &value);
        told("GL_SAMPLES", value);
        glGetFramebufferParameteriv(GL_FRAMEBUFFER, GL_SAMPLES, &value);
        told("its samples", value);
    }
    glViewport(0, 0, SIZE, SIZE);
}

static void given_up(GLuint name)
{
    static const GLenum ATTACHMENTS[] = {
        GL_COLOR, GL_DEPTH, GL_STENCIL, GL_BACK, GL_FRONT_LEFT, GL_AUX0, GL_ACCUM, GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT0 + 7,
        GL_COLOR_ATTACHMENT0 + 8, GL_DEPTH_ATTACHMENT, GL_DEPTH_STENCIL_ATTACHMENT, GL_NONE,
    };
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    for (int i = 0; i < COUNT(ATTACHMENTS); i++) {
        const GLenum *one = ATTACHMENTS + i;
        printf("%x of %d\n", *one, name != 0);
        TELL(glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, one));
        TELL(glInvalidateSubFramebuffer(GL_READ_FRAMEBUFFER, 1, one, 0, 0, 2, 2));
        TELL(glInvalidateSubFramebuffer(GL_FRAMEBUFFER, 1, one, 0, 0, -2, 2));
        TELL(glInvalidateNamedFramebufferData(name, 1, one));
        TELL(glInvalidateNamedFramebufferSubData(name, 1, one, 0, 0, 2, -2));
    }
    TELL(glInvalidateFramebuffer(GL_FRAMEBUFFER, -1, ATTACHMENTS));
    TELL(glInvalidateFramebuffer(GL_RGBA, 0, ATTACHMENTS));
    TELL(glInvalidateNamedFramebufferData(7654, 0, ATTACHMENTS));
}

static void depth_and_stencil(void)
{
    static const GLenum FORMATS[] = {
        GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F, GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8, GL_STENCIL_INDEX8,
    };
    GLuint names[COUNT(FORMATS)];
    for (int i = 0; i < COUNT(FORMATS); i++) {
        GLuint buffer;
        GLint bits;
        names[i] = framebuffer();
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
        glGenRenderbuffers(1, &buffer);
        glBindRenderbuffer(GL_RENDERBUFFER, buffer);
        glRenderbufferStorage(GL_RENDERBUFFER, FORMATS[i], SIZE, SIZE);
        glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_DEPTH_SIZE, &bits);
        if (bits)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
        glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_STENCIL_SIZE, &bits);
        if (bits)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
        told("status", glCheckFramebufferStatus(GL_FRAMEBUFFER));
    }
    for (int i = 0; i < COUNT(FORMATS) * COUNT(FORMATS); i++) {
        GLuint read = names[i / COUNT(FORMATS)], draw = names[i % COUNT(FORMATS)];
        glBindFramebuffer(GL_READ_FRAMEBUFFER, read);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, draw);
        TELL(glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_DEPTH_BUFFER_BIT, GL_NEAREST));
        TELL(glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_STENCIL_BUFFER_BIT, GL_NEAREST));
        TELL(glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_STENCIL_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST));
    }
}

static void named(void)
{
    static const GLfloat BLUE[] = {0, 0, 1, 1}, FAR = 0.5f;
    static const GLint SEVEN = 7;
    GLuint first = framebuffer(), second = framebuffer(), one = plain(GL_TEXTURE_2D_ARRAY, 2);
    GLuint depths = texture(GL_TEXTURE_2D_ARRAY, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, 1);
    GLint value;
    TELL(glNamedFramebufferTextureLayer(first, GL_COLOR_ATTACHMENT0, one, 0, 0));
    TELL(glNamedFramebufferTextureLayer(second, GL_COLOR_ATTACHMENT0, one, 0, 1));
    TELL(glNamedFramebufferTextureLayer(first, GL_DEPTH_STENCIL_ATTACHMENT, depths, 0, 0));
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    told("status", glCheckNamedFramebufferStatus(first, GL_FRAMEBUFFER));
    TELL(glClearNamedFramebufferfv(first, GL_COLOR, 0, BLUE));
    TELL(glClearNamedFramebufferfv(first, GL_DEPTH, 0, &FAR));
    TELL(glClearNamedFramebufferiv(first, GL_STENCIL, 0, &SEVEN));
    TELL(glClearNamedFramebufferfv(first, GL_STENCIL, 0, &FAR));
    TELL(glClearNamedFramebufferuiv(first, GL_COLOR, 8, (const GLuint *) &SEVEN));
    TELL(glClearNamedFramebufferfi(first, GL_DEPTH_STENCIL, 1, 1, 1));
    TELL(glClearNamedFramebufferfv(4321, GL_COLOR, 0, BLUE));
    colours_told("cleared by name", one, 2);
    layers_told("depth by name", depths, GL_DEPTH_ATTACHMENT, 1, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
    TELL(glBlitNamedFramebuffer(first, second, 0, 0, 4, 8, 0, 0, 4, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST));
    TELL(glBlitNamedFramebuffer(first, 4321, 0, 0, 4, 8, 0, 0, 4, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST));
    TELL(glBlitNamedFramebuffer(first, second, 0, 0, 4, 8, 0, 0, 4, 8, GL_COLOR_BUFFER_BIT, GL_RGBA));
    colours_told("blitted by name", one, 2);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &value);
    told("bound", value);
    TELL(glClearNamedFramebufferfv(0, GL_COLOR, 0, BLUE));
    glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &value);
    told("window", value);
}

static void read_as(GLuint fbo)
{
    GLint format = 0, type = 0;
    TELL(glGetNamedFramebufferParameteriv(fbo, GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format));
    TELL(glGetNamedFramebufferParameteriv(fbo, GL_IMPLEMENTATION_COLOR_READ_TYPE, &type));
    told("format by name", format);
    told("type by name", type);
}

static void what_is_read(void)
{
    GLint value = 0;
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    TELL(glRenderbufferStorageMultisample(GL_RENDERBUFFER, -1, GL_RGBA8, 4, 4));
    TELL(glRenderbufferStorageMultisample(GL_RENDERBUFFER, 0, GL_RGBA8, 4, 4));
    GLuint fbo = framebuffer();
    for (int whole = 0; whole < 2; whole++) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
        if (whole)
            glFramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
        TELL(glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &value));
        told("format", value);
        TELL(glReadBuffer(GL_NONE));
        TELL(glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &value));
        TELL(glGetNamedFramebufferParameteriv(fbo, GL_IMPLEMENTATION_COLOR_READ_TYPE, &value));
        TELL(glReadBuffer(GL_COLOR_ATTACHMENT0));
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        read_as(fbo);
    }
    TELL(glReadBuffer(GL_NONE));
    TELL(glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &value));
    TELL(glGetNamedFramebufferParameteriv(0, GL_IMPLEMENTATION_COLOR_READ_TYPE, &value));
    read_as(fbo);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    TELL(glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &value));
    told("of the object", value);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    TELL(glReadBuffer(GL_BACK));
    TELL(glGetNamedFramebufferParameteriv(0, GL_IMPLEMENTATION_COLOR_READ_TYPE, &value));
    told("of the window", value);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    TELL(glGetFramebufferParameteriv(GL_DRAW_FRAMEBUFFER, GL_IMPLEMENTATION_COLOR_READ_FORMAT, &value));
    told("of the target", value);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    glViewport(0, 0, SIZE, SIZE);
    layered(GL_TEXTURE_2D_ARRAY, LAYERS);
    layered(GL_TEXTURE_3D, LAYERS);
    layered(GL_TEXTURE_CUBE_MAP, 6);
    layered(GL_TEXTURE_1D_ARRAY, LAYERS);
    layered(GL_TEXTURE_2D, 0);
    together();
    without_attachments();
    given_up(0);
    given_up(framebuffer());
    depth_and_stencil();
    named();
    what_is_read();
    drop_rig(&rig);
    return 0;
}
