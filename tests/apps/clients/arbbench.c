/* SPDX-License-Identifier: MIT */
/* arbbench: ARB programs of a libGL, one figure a line (higher is better).
 * Build: cc -O2 arbbench.c -lGL -lX11 -lm   Use: arbbench [-t SECONDS] [LINE...]
 * What a line prints: bench.h. One whose programs are refused prints 0. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

typedef struct Line {
    const char *name, *unit;
    double (*run)(const struct Line *line);
    const char *vertex, *fragment; /* NULL: fixed function */
} Line;

#include "bench.h"
#include "mesh.h"

static GLuint program(GLenum target, const char *text)
{
    GLuint name;
    GLint position;
    if (!text)
        return 1;
    glGenProgramsARB(1, &name);
    glBindProgramARB(target, name);
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, strlen(text), text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    if (position != -1) {
        fprintf(stderr, "%s", (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB));
        return 0;
    }
    glEnable(target);
    return name;
}

static int begin(const Line *line)
{
    static const float light[] = {0.48f, 0.64f, 0.6f, 0}, color[] = {0.9f, 0.7f, 0.4f, 1};
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, image());
    glRotatef(20, 1, 0.3f, 0);
    glScalef(0.8f, 0.8f, 0.8f);
    for (int i = 0; i < 2; i++) {
        GLenum target = i ? GL_FRAGMENT_PROGRAM_ARB : GL_VERTEX_PROGRAM_ARB;
        glProgramEnvParameter4fvARB(target, 0, light);
        glProgramEnvParameter4fvARB(target, 1, color);
        if (!program(target, i ? line->fragment : line->vertex))
            return 0;
    }
    return 1;
}

/* -- fragments ----------------------------------------------------------------------------------- */

static void layers(const Line *line)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    (void)line;
    glLoadIdentity();
    glBegin(GL_QUADS);
    for (int i = 0; i < 4 * LAYERS; i++) {
        const float *at = corners[i % 4];
        glTexCoord2fv(at);
        glMultiTexCoord3f(GL_TEXTURE1, at[0] - 0.5f, at[1] - 0.5f, 1);
        glVertex2f(2 * at[0] - 1, 2 * at[1] - 1);
    }
    glEnd();
}

static double t_fill(const Line *line)
{
    return begin(line) ? often(layers, line) * LAYERS * WINDOW * WINDOW / 1e6 : 0;
}

/* -- vertices ------------------------------------------------------------------------------------ */

static double t_mesh(const Line *line)
{
    bind_mesh();
    glVertexPointer(3, GL_FLOAT, MESH_FLOATS * sizeof(float), NULL);
    glNormalPointer(GL_FLOAT, MESH_FLOATS * sizeof(float), (char *)(3 * sizeof(float)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    return begin(line) ? often(draw_mesh, line) * CORNERS / 3 / 1e6 : 0;
}

/* -- calls --------------------------------------------------------------------------------------- */

static GLuint programs[2];

/* Small triangles, each with parameters of its own, every other one by another program. */
static void calls(const Line *line)
{
    (void)line;
    for (int i = 0; i < DRAWS; i++) {
        glBindProgramARB(GL_VERTEX_PROGRAM_ARB, programs[i & 1]);
        glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, (i % 40) / 20.0f - 1,
                                     i / 260.0f - 1, 0, 0);
        glProgramEnvParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 1, i * 0.002f, 0.5f, 0.3f, 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
}

static double t_draws(const Line *line)
{
    static const float triangle[] = {-0.05f, -0.05f, 0.05f, -0.05f, 0, 0.05f};
    if (!begin(line))
        return 0;
    for (int i = 0; i < 2; i++)
        programs[i] = program(GL_VERTEX_PROGRAM_ARB, line->vertex);
    glVertexPointer(2, GL_FLOAT, 0, triangle);
    glEnableClientState(GL_VERTEX_ARRAY);
    return often(calls, line) * DRAWS / 1e3;
}

/* -- the table ----------------------------------------------------------------------------------- */

#define FP(text) "!!ARBfp1.0\n" text "\nEND"
#define VP(text) "!!ARBvp1.0\n" text "\nEND"

static const Line LINES[] = {
    {"fp_color", "Mpix/s", t_fill, NULL,
     FP("MAD result.color, fragment.texcoord[1], 0.5, program.env[1];")},
    {"fp_texture", "Mpix/s", t_fill, NULL,
     FP("TEMP t; TEX t, fragment.texcoord[0], texture[0], 2D; MUL result.color, t, program.env[1];")},
    {"fp_phong", "Mpix/s", t_fill, NULL,
     FP("TEMP n, h, t, c; DP3 n.w, fragment.texcoord[1], fragment.texcoord[1]; RSQ n.w, n.w;"
        "MUL n.xyz, fragment.texcoord[1], n.w; ADD h.xyz, program.env[0], {0, 0, 1, 0};"
        "DP3 h.w, h, h; RSQ h.w, h.w; MUL h.xyz, h, h.w; DP3 t.x, n, program.env[0];"
        "DP3 t.y, n, h; MOV t.w, 24; LIT t, t; TEX c, fragment.texcoord[0], texture[0], 2D;"
        "MUL c, c, program.env[1]; MAD c, c, t.y, {0.1, 0.1, 0.1, 0}; ADD result.color, c, t.z;")},
    {"vp_transform", "Mtri/s", t_mesh,
     VP("PARAM m[4] = {state.matrix.mvp}; ATTRIB p = vertex.position;"
        "DP4 result.position.x, m[0], p; DP4 result.position.y, m[1], p;"
        "DP4 result.position.z, m[2], p; DP4 result.position.w, m[3], p;"
        "MAD result.color, vertex.normal, 0.5, {0.5, 0.5, 0.5, 1};"), NULL},
    {"vp_lit", "Mtri/s", t_mesh,
     VP("OPTION ARB_position_invariant; PARAM i[4] = {state.matrix.modelview.invtrans};"
        "TEMP n, t; DP3 n.x, i[0], vertex.normal; DP3 n.y, i[1], vertex.normal;"
        "DP3 n.z, i[2], vertex.normal; DP3 n.w, n, n; RSQ n.w, n.w; MUL n.xyz, n, n.w;"
        "DP3 t.x, n, program.env[0]; MOV t.y, n.z; MOV t.w, 16; LIT t, t;"
        "MAD result.color, t.y, program.env[1], t.z;"), NULL},
    {"arb_draws", "kdraws/s", t_draws,
     VP("ADD result.position, vertex.position, program.local[0];"),
     FP("MOV result.color, program.env[1];")},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, LINES, sizeof LINES / sizeof LINES[0]);
}
