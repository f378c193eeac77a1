/* SPDX-License-Identifier: MIT */
/* Stencil values as texels (ARB_stencil_texturing), line by line: test_names_peer.py compares the lines with the peer's. What a
 * shader of whole numbers reads, by format, mode, filter, swizzle and by what was written: uploaded, or drawn. */
#include "told.h"

enum { SIZE = 8 };

static const char *const FRAGMENT =
    "#version 120\n#extension GL_EXT_gpu_shader4: require\nuniform usampler2D image;\n"
    "void main() { uvec4 v = texture2D(image, gl_TexCoord[0].st); gl_FragColor = vec4(v) / 255.0; }\n";
static const char *const FETCH =
    "#version 120\n#extension GL_EXT_gpu_shader4: require\nuniform usampler2D image;\n"
    "void main() { uvec4 v = texelFetch2D(image, ivec2(gl_FragCoord.xy), 0); gl_FragColor = vec4(v) / 255.0; }\n";
static const char *const DEPTH =
    "#version 120\nuniform sampler2D image;\nvoid main() { gl_FragColor = texture2D(image, gl_TexCoord[0].st); }\n";

static GLuint program_of(const char *text)
{
    GLuint shader = glCreateShader(GL_FRAGMENT_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    told("linked", linked);
    return program;
}

static void quad(void)
{
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        float s = i == 1 || i == 2, t = i > 1;
        glTexCoord2f(s, t);
        glVertex2f(2 * s - 1, 2 * t - 1);
    }
    glEnd();
}

static void look(const char *what, GLuint program)
{
    GLubyte pixels[SIZE * SIZE * 4] = {0};
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    quad();
    glUseProgram(0);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < SIZE * SIZE; i += 2) {
        printf("%s at %d: %d,%d,%d,%d", what, i, pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], pixels[4 * i + 3]);
        told("", 0);
    }
}

static void parameter(GLenum name, GLint value)
{
    GLint is = -1;
    glTexParameteri(GL_TEXTURE_2D, name, value);
    glGetTexParameteriv(GL_TEXTURE_2D, name, &is);
    told("parameter", is);
}

static void drawn(GLuint texture)
{
    GLuint fbo, before;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *) &before);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, texture, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    told("status", glCheckFramebufferStatus(GL_FRAMEBUFFER));
    glClearStencil(77);
    glClearDepth(0.25);
    glClear(GL_STENCIL_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(2, 3, 4, 3);
    glClearStencil(201);
    glClear(GL_STENCIL_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_KEEP, GL_INCR, GL_INCR);
    glStencilFunc(GL_ALWAYS, 0, 255);
    glBegin(GL_TRIANGLES);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    glVertex2f(-1, 1);
    glEnd();
    glDisable(GL_STENCIL_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, before);
    glDeleteFramebuffers(1, &fbo);
}

int main(void)
{
    Rig rig = make_rig(SIZE, SIZE);
    GLuint fbo, color, texture;
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glViewport(0, 0, SIZE, SIZE);
    GLuint sampled = program_of(FRAGMENT), fetched = program_of(FETCH), depth = program_of(DEPTH);
    static const struct { GLenum internal, type; } FORMATS[] = {
        {GL_DEPTH24_STENCIL8, GL_UNSIGNED_INT_24_8}, {GL_DEPTH32F_STENCIL8, GL_FLOAT_32_UNSIGNED_INT_24_8_REV},
    };
    for (int f = 0; f < COUNT(FORMATS); f++) {
        GLuint words[SIZE * SIZE], pairs[SIZE * SIZE * 2];
        for (int i = 0; i < SIZE * SIZE; i++) {
            float z = i / 67.0f;
            words[i] = (GLuint) (z * 0xFFFFFF) << 8 | (i * 37 & 255);
            memcpy(pairs + 2 * i, &z, 4);
            pairs[2 * i + 1] = i * 37 & 255;
        }
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, FORMATS[f].internal, SIZE, SIZE, 0, GL_DEPTH_STENCIL, FORMATS[f].type, f ? pairs : words);
        told("image", f);
        parameter(GL_DEPTH_STENCIL_TEXTURE_MODE, GL_DEPTH_STENCIL);
        parameter(GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        parameter(GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        look("depths", depth);
        parameter(GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX);
        static const GLenum SHOWN[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA, GL_RED};
        for (int i = 0; i < COUNT(SHOWN); i++) {
            parameter(GL_DEPTH_TEXTURE_MODE, SHOWN[i]);
            look("stencil values", sampled);
        }
        look("fetched", fetched);
        parameter(GL_TEXTURE_SWIZZLE_G, GL_RED);
        parameter(GL_TEXTURE_SWIZZLE_R, GL_ZERO);
        look("in green", sampled);
        parameter(GL_TEXTURE_SWIZZLE_G, GL_GREEN);
        parameter(GL_TEXTURE_SWIZZLE_R, GL_RED);
        parameter(GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        look("a comparison of depths", sampled);
        parameter(GL_TEXTURE_COMPARE_MODE, GL_NONE);
        drawn(texture);
        look("drawn", sampled);
        parameter(GL_DEPTH_STENCIL_TEXTURE_MODE, GL_DEPTH_COMPONENT);
        look("depths again", depth);
        glDeleteTextures(1, &texture);
    }
    drop_rig(&rig);
    return 0;
}
