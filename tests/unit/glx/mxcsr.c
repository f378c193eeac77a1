/* SPDX-License-Identifier: MIT */
/* Pictures of a program that has changed how the CPU computes floats: `mxcsr HOW`, a line a picture, "name checksum",
 * and what glGet says of denormals. HOW: plain; up (rounds up); trap (all exceptions unmasked); flush (FTZ and DAZ).
 * The program itself computes with no float that is not exact. */
#define _GNU_SOURCE
#include "window.h"
#include <fenv.h>
#include <immintrin.h>

enum { WIDE = 512, CONTROL = 0xffc0 };
static unsigned control;

static void same(const char *where)
{
    if ((_mm_getcsr() & CONTROL) != control) {
        printf("word %x behind %s\n", _mm_getcsr(), where);
        exit(1);
    }
}

static void picture(const char *name)
{
    static unsigned pixels[WIDE * WIDE];
    unsigned sum = 0;
    glReadPixels(0, 0, WIDE, WIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < WIDE * WIDE; i++)
        sum = sum * 31 + pixels[i];
    printf("%s %08x %x\n", name, sum, glGetError());
    same(name);
}

static void corners(double far)
{
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 12; i++) {
        glColor3ub(i * 83, i * 47, i * 31);
        glNormal3s(i * 900, 32767 - i * 1000, i * 77);
        glTexCoord2d(i * far / 4, i * 0.6875);
        glVertex3d((i * 5 % 12 - 6) * 0.15625, (i * 7 % 12 - 6) * 0.1640625, far * i / 16);
    }
    glEnd();
}

static void fixed_function(void)
{
    glEnable(GL_DEPTH_TEST);
    glRotatef(33, 1, 2, 3);
    glScaled(0.9, 1.1, 0.7);
    corners(0.3125);
    picture("smooth");
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_NORMALIZE);
    glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 7.3f);
    glLightf(GL_LIGHT0, GL_LINEAR_ATTENUATION, 0.3f);
    glNewList(1, GL_COMPILE);
    corners(0.625);
    glEndList();
    glCallList(1);
    picture("lit");
    glDisable(GL_LIGHTING);
    glDepthRange(0, 1e-37);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    corners(0.9375);
    picture("tiny_depths");
    glDepthRange(0, 1);
    glDisable(GL_DEPTH_TEST);
}

static void pixels(void)
{
    static float image[64 * 64 * 4];
    static unsigned char texels[64 * 64 * 4];
    for (int i = 0; i < 64 * 64 * 4; i++)
        image[i] = i % 61 / 64.0f, texels[i] = i * 7;
    glPixelTransferf(GL_RED_SCALE, 0.7f);
    glPixelTransferf(GL_GREEN_BIAS, 0.01f);
    glPixelZoom(3.3f, 2.7f);
    glRasterPos2f(-0.9f, -0.8f);
    glDrawPixels(64, 64, GL_RGBA, GL_FLOAT, image);
    picture("pixels");
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glEnable(GL_TEXTURE_2D);
    corners(5);
    glDisable(GL_TEXTURE_2D);
    picture("textured");
}

static GLuint program(const char *vertex, const char *fragment)
{
    GLuint made = glCreateProgram();
    const char *texts[] = {vertex, fragment};
    GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(kinds[i]);
        glShaderSource(shader, 1, &texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(made, shader);
    }
    glLinkProgram(made);
    glUseProgram(made);
    return made;
}

/* Attributes with denormal gradients, constants that fold to denormals, and a uniform that is one. */
static void shaders(void)
{
    static const unsigned bits[] = {0x000116c2, 0x80000001};
    float given[2], kept[2];
    GLuint made = program("varying vec3 n; void main() {"
                          " n = (gl_Vertex.xyz + 2.0) * 3e-38; gl_Position = gl_Vertex; }",
                          "varying vec3 n; uniform vec2 u; void main() {"
                          " float k = 1e-20 * 1e-19 * 1e30;"
                          " gl_FragColor = vec4(n * 1e37 + k, u.x == 0.0 ? 1.0 : sqrt(0.3)); }");
    memcpy(given, bits, sizeof given);
    glUniform2fv(glGetUniformLocation(made, "u"), 1, given);
    corners(0.3125);
    picture("shader");
    glGetUniformfv(made, glGetUniformLocation(made, "u"), kept);
    printf("uniform %d\n", memcmp(kept, bits, sizeof bits));
    glUseProgram(0);
    glMultiTexCoord4fv(GL_TEXTURE3, (float[4]){0, 0, 0, 1});
    glLoadMatrixf((float[16]){given[0], 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    float matrix[16];
    glGetFloatv(GL_MODELVIEW_MATRIX, matrix);
    printf("matrix %d\n", memcmp(matrix, bits, 4));
    same("glGet");
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    if (!strcmp(how, "up"))
        fesetround(FE_UPWARD);
    if (!strcmp(how, "trap"))
        feenableexcept(FE_ALL_EXCEPT);
    if (!strcmp(how, "flush"))
        _mm_setcsr(_mm_getcsr() | 0x8040);
    control = _mm_getcsr() & CONTROL;
    dpy = XOpenDisplay(NULL);
    same("XOpenDisplay");
    int wanted[] = {GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, None};
    GLXFBConfig fb = first_config(wanted, "any");
    Window window = make_window(fb);
    XResizeWindow(dpy, window, WIDE, WIDE);
    GLXContext context = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, window, context);
    same("glXMakeCurrent");
    glViewport(0, 0, WIDE, WIDE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    fixed_function();
    pixels();
    shaders();
    glXSwapBuffers(dpy, window);
    same("glXSwapBuffers");
    glXMakeCurrent(dpy, None, NULL);
    glXDestroyContext(dpy, context);
    XCloseDisplay(dpy);
    same("XCloseDisplay");
    return 0;
}
