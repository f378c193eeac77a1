/* SPDX-License-Identifier: MIT */
/* statebench: frames of many distinct states, one figure a line (higher is better).
 * Build: cc -O2 statebench.c -lGL -lX11 -lm   Use: statebench [-t SECONDS] [LINE...]
 * What a line prints: bench.h; besides, how long its first frame took, on stderr.
 *
 * A state is a pair: one of FRAGMENTS states of fragments (blending, depth test, alpha test,
 * environment of a texture) and one of VERTICES states of vertices (lights, generated coordinates,
 * matrix of a texture). So many pairs are as many states, but not as many shaders: llvmpipe keeps
 * 1,024 variants of those of fragments, and compiles all of them in every frame if there are more. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

typedef struct Line {
    const char *name, *unit;
    double (*run)(const struct Line *line);
    int states; /* of a frame, each of which draws a square */
    int side;   /* of that, in pixels */
} Line;

#include "bench.h"

enum { FRAGMENTS = 500, VERTICES = 20, SIDE = 64 };

/* -- states -------------------------------------------------------------------------------------- */

static void blending(int n)
{
    static const GLenum factors[][2] = {
        {GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA}, {GL_ONE, GL_ONE}, {GL_SRC_ALPHA, GL_ONE},
        {GL_DST_COLOR, GL_ZERO}, {GL_ZERO, GL_SRC_COLOR}, {GL_ONE, GL_ONE_MINUS_SRC_COLOR},
        {GL_ONE, GL_ONE_MINUS_SRC_ALPHA}, {GL_ONE_MINUS_DST_ALPHA, GL_DST_ALPHA},
        {GL_DST_COLOR, GL_SRC_COLOR}, {GL_ONE, GL_ZERO}};
    glBlendFunc(factors[n][0], factors[n][1]);
}

static void depth(int n)
{
    static const GLenum functions[] = {GL_ALWAYS, GL_LESS, GL_LEQUAL, GL_LEQUAL, GL_NOTEQUAL};
    glDepthFunc(functions[n]);
    glDepthMask(n != 3);
}

static void environment(int n)
{
    static const GLenum modes[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_ADD, GL_BLEND};
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, modes[n]);
}

static void fragment_state(int n)
{
    blending(n % 10);
    depth(n / 10 % 5);
    (n / 50 % 2 ? glEnable : glDisable)(GL_ALPHA_TEST);
    environment(n / 100);
}

static void vertex_state(int n)
{
    static const float moved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.25f, 0.5f, 0, 1};
    int lights = n % 5;
    (lights ? glEnable : glDisable)(GL_LIGHTING);
    for (int i = 0; i < 4; i++)
        (i < lights ? glEnable : glDisable)(GL_LIGHT0 + i);
    (n / 5 % 2 ? glEnable : glDisable)(GL_TEXTURE_GEN_S);
    glMatrixMode(GL_TEXTURE);
    if (n / 10)
        glLoadMatrixf(moved);
    else
        glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
}

/* -- frames -------------------------------------------------------------------------------------- */

typedef struct { float place[3], normal[3], at[2]; GLubyte color[4]; } Vertex;
static Vertex squares[SIDE * SIDE][4];

static void fill_squares(int side)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    float size = 2.0f * side / WINDOW, step = (2 - size) / (SIDE - 1);
    for (int n = 0; n < SIDE * SIDE; n++)
        for (int k = 0; k < 4; k++) {
            const float *c = corners[k];
            Vertex *v = &squares[n][k];
            *v = (Vertex){{n % SIDE * step - 1 + size * c[0], n / SIDE * step - 1 + size * c[1],
                           n % 7 / 7.0f}, {0.6f, 0, 0.8f}, {c[0], c[1]},
                          {90 + 40 * k, 200 - 30 * k, n % 200, 120 + n % 100}};
        }
}

static void begin(const Line *line)
{
    static GLubyte texels[16][16][4];
    GLuint name;
    for (int n = 0; n < 16 * 16; n++)
        memcpy(texels[n / 16][n % 16], (GLubyte[4]){n, 255 - n, 128, 100 + n % 100}, 4);
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glEnable(GL_TEXTURE_2D);
    glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
    glEnable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    glAlphaFunc(GL_GREATER, 0.3f);
    for (int i = 0; i < 4; i++) {
        glLightfv(GL_LIGHT0 + i, GL_POSITION, (float[4]){i - 1.5f, 1, 2, i & 1});
        glLightfv(GL_LIGHT0 + i, GL_DIFFUSE, (float[4]){0.5f, 0.6f, 0.2f * i, 1});
    }
    fill_squares(line->side);
    glVertexPointer(3, GL_FLOAT, sizeof(Vertex), squares[0][0].place);
    glNormalPointer(GL_FLOAT, sizeof(Vertex), squares[0][0].normal);
    glTexCoordPointer(2, GL_FLOAT, sizeof(Vertex), squares[0][0].at);
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof(Vertex), squares[0][0].color);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
}

/* Neighbours in time differ in everything: 211 has no divisor in common with FRAGMENTS. */
static void frame(const Line *line)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int n = 0; n < line->states; n++) {
        fragment_state(n * 211 % FRAGMENTS);
        vertex_state(n / FRAGMENTS);
        glDrawArrays(GL_TRIANGLE_FAN, n * 4 % (SIDE * SIDE * 4), 4);
    }
}

static double t_states(const Line *line)
{
    begin(line);
    double start = now();
    frame(line);
    glFinish();
    fprintf(stderr, "# %s first frame %.1f ms\n", line->name, 1e3 * (now() - start));
    return often(frame, line) * line->states / 1e3;
}

/* -- the table ----------------------------------------------------------------------------------- */

static const Line LINES[] = {
    {"states_500", "kdraws/s", t_states, FRAGMENTS, 8},
    {"states_2000", "kdraws/s", t_states, 4 * FRAGMENTS, 8},
    {"states_2000_mid", "kdraws/s", t_states, 4 * FRAGMENTS, 48},
    {"states_10000", "kdraws/s", t_states, VERTICES * FRAGMENTS, 8},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, LINES, sizeof LINES / sizeof LINES[0]);
}
