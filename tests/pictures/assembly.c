/* SPDX-License-Identifier: MIT */
/* ARB programs: lit shapes by vertex programs, what fragment programs compute and look up, their parameters, options,
 * arrays, and what stands beside fixed function. A program that is refused leaves a magenta window. */
#include "scenes.h"

static int refused;

static void program(GLenum target, const char *text)
{
    GLuint name;
    GLint position;
    glGenProgramsARB(1, &name);
    glBindProgramARB(target, name);
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, strlen(text), text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    refused |= position != -1;
    glEnable(target);
}

static void vertex(const char *text) { program(GL_VERTEX_PROGRAM_ARB, text); }
static void fragment(const char *text) { program(GL_FRAGMENT_PROGRAM_ARB, text); }

/* What every scene begins with; to be called behind its programs. */
static void begin(void)
{
    if (refused)
        clear_all(1, 0, 1, 1);
    else
        clear_all(0.15f, 0.2f, 0.3f, 1);
    refused = 0;
}

static void local(GLenum target, int index, float x, float y, float z, float w)
{
    glProgramLocalParameter4fARB(target, index, x, y, z, w);
}

/* A 16x16 texture of smooth steps on a unit. */
static void texture(GLenum unit, GLenum target)
{
    GLubyte texels[16 * 16][4];
    GLuint name;
    for (int i = 0; i < 256; i++) {
        int x = i & 15, y = i >> 4;
        texels[i][0] = 17 * x;
        texels[i][1] = 17 * y;
        texels[i][2] = (x / 4 + y / 4) % 2 ? 220 : 40;
        texels[i][3] = 255 - 8 * x;
    }
    glActiveTexture(unit);
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(target, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glActiveTexture(GL_TEXTURE0);
}

static void square(void)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        const float *at = corners[i];
        glColor4f(at[0], 1 - at[1], 0.5f * at[1], 0.75f);
        glTexCoord2fv(at);
        glMultiTexCoord3f(GL_TEXTURE1, 2 * at[0] - 1, 2 * at[1] - 1, 1);
        glVertex2f(1.8f * at[0] - 0.9f, 1.8f * at[1] - 0.9f); /* whole pixels a texel */
    }
    glEnd();
}

/* Light and fog by a vertex program: matrices, materials and lights of the state. */
static const char LIT[] =
    "!!ARBvp1.0\n"
    "PARAM mvp[4] = {state.matrix.mvp}; PARAM inv[4] = {state.matrix.modelview.invtrans};\n"
    "TEMP n, t, c; DP4 result.position.x, mvp[0], vertex.position;\n"
    "DP4 result.position.y, mvp[1], vertex.position; DP4 result.position.z, mvp[2], vertex.position;\n"
    "DP4 result.position.w, mvp[3], vertex.position;\n"
    "DP3 n.x, inv[0], vertex.normal; DP3 n.y, inv[1], vertex.normal; DP3 n.z, inv[2], vertex.normal;\n"
    "DP3 n.w, n, n; RSQ n.w, n.w; MUL n.xyz, n, n.w;\n"
    "DP3 t.x, n, state.light[0].position; DP3 t.y, n, state.light[0].half;\n"
    "MOV t.w, state.material.shininess.x; LIT t, t;\n"
    "MOV c, state.lightmodel.scenecolor; MAD c.xyz, t.y, state.lightprod[0].diffuse, c;\n"
    "MAD result.color.xyz, t.z, state.lightprod[0].specular, c; MOV result.color.w, 1;\nEND";

static void lit(int invariant)
{
    static const float light[] = {0.48f, 0.64f, 0.6f, 0}, orange[] = {0.9f, 0.5f, 0.2f, 1}, white[] = {1, 1, 1, 1};
    vertex(invariant ? "!!ARBvp1.0\nOPTION ARB_position_invariant;\n"
                       "MAD result.color, vertex.normal, 0.5, {0.5, 0.5, 0.5, 1};\nEND"
                     : LIT);
    begin();
    perspective(40, 1, 10);
    glTranslatef(0, 0, -4);
    glRotatef(35, 1, 0.4f, 0);
    glLightfv(GL_LIGHT0, GL_POSITION, light);
    glLightfv(GL_LIGHT0, GL_SPECULAR, white);
    glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, orange);
    glMaterialfv(GL_FRONT, GL_SPECULAR, white);
    glMaterialf(GL_FRONT, GL_SHININESS, 20);
    glEnable(GL_DEPTH_TEST);
    torus(0.35f, 0.9f, 24, 40);
    if (invariant) { /* the same places by fixed function: all of it is drawn again */
        glDisable(GL_VERTEX_PROGRAM_ARB);
        glDepthFunc(GL_EQUAL);
        glColor4f(0.2f, 0.2f, 0.4f, 1);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        torus(0.35f, 0.9f, 24, 40);
    }
}

/* Each column another instruction, each row another place of its numbers. */
static void computed(int arg)
{
    static const char *const lines[] = {
        "MUL c, a, b;", "LRP c, a, b, {1, 0.5, 0, 1};", "FRC c, b;", "CMP c, b, a, {0, 1, 0.5, 1};",
        "DST c, a, b;", "SLT c, a, a.yzxw;", "XPD c.xyz, a, b; MOV c.w, 1;", "SWZ c, a, z, -x, 1, 1; ABS c, c;",
        "DPH c, b, a;", "MAD_SAT c, b, 2, -a.zyxw;", "MAX c, b, a.wxyz;", "FLR c, b; ADD c, c, 1; MUL c, c, 0.4;",
    };
    char text[400];
    (void)arg;
    unit_square();
    for (int i = 0; i < LENGTH(lines); i++) {
        cell(i, 4, 3);
        strcpy(text, "!!ARBfp1.0\nTEMP a, b, c; MOV a, fragment.color; MOV b, fragment.texcoord[1];\n");
        strcat(text, lines[i]);
        strcat(text, "\nMOV result.color, c;\nEND");
        fragment(text);
        if (!i || refused)
            begin();
        square();
    }
    whole();
}

/* Lookups: places that are computed of texels, projected and biased ones, rectangles, and what is killed. */
static void lookups(int arg)
{
    static const char *const bodies[] = {
        "TEX t, fragment.texcoord[0], texture[0], 2D; MUL t.xy, t, 0.5; TEX result.color, t, texture[1], 2D;",
        "MOV t, fragment.texcoord[0]; MOV t.w, 2; TXP result.color, t, texture[0], 2D;",
        "MUL t, fragment.texcoord[0], 16; TEX result.color, t, texture[2], RECT;",
        "TEX t, fragment.texcoord[0], texture[0], 2D; SUB t.w, t.z, 0.45; KIL t.w; MOV result.color, t.zxyw;",
    };
    char text[400];
    texture(GL_TEXTURE0, GL_TEXTURE_2D);
    texture(GL_TEXTURE1, GL_TEXTURE_2D);
    texture(GL_TEXTURE2, GL_TEXTURE_RECTANGLE);
    strcpy(text, "!!ARBfp1.0\nTEMP t;");
    strcat(text, bodies[arg]);
    strcat(text, "END");
    fragment(text);
    begin();
    square();
}

/* An array that a number of each vertex chooses from, and parameters that change between draws. */
static void arrays(int arg)
{
    (void)arg;
    vertex("!!ARBvp1.0\nADDRESS A; PARAM p[6] = {program.local[0..3], program.env[4..5]};\n"
           "ARL A.x, vertex.texcoord.x; ADD result.position, vertex.position, program.local[9];\n"
           "MUL result.color, p[A.x + 1], program.local[8];\nEND");
    begin();
    for (int i = 0; i < 4; i++)
        local(GL_VERTEX_PROGRAM_ARB, i, i * 0.3f, 1 - i * 0.25f, 0.2f * i, 1);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 4, 1, 0.2f, 0.4f, 1);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 5, 0.1f, 0.9f, 1, 1);
    glPointSize(9);
    for (int i = 0; i < 12; i++) {
        local(GL_VERTEX_PROGRAM_ARB, 8, 1 - i * 0.05f, 1, 0.4f + i * 0.05f, 1);
        local(GL_VERTEX_PROGRAM_ARB, 9, -0.9f + i * 0.16f, -0.8f, 0, 0);
        glBegin(GL_POINTS);
        for (int k = 0; k < 5; k++) {
            glTexCoord1f(k + 0.4f);
            glVertex2f(0, 0.35f * k);
        }
        glEnd();
    }
}

/* Fog that an option asks for, whose numbers are the state's. */
static void fog(int mode)
{
    static const char *const names[] = {"linear", "exp", "exp2"};
    static const float color[] = {0.8f, 0.9f, 0.6f, 1};
    char text[200];
    strcpy(text, "!!ARBfp1.0\nOPTION ARB_fog_");
    strcat(text, names[mode]);
    strcat(text, ";\nMOV result.color, fragment.color;\nEND");
    fragment(text);
    begin();
    perspective(40, 1, 20);
    glFogfv(GL_FOG_COLOR, color);
    glFogf(GL_FOG_START, 3);
    glFogf(GL_FOG_END, 12);
    glFogf(GL_FOG_DENSITY, 0.15f);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 9; i++) {
        glLoadIdentity();
        glTranslatef(-1.6f + 0.6f * i, 0.9f - 0.25f * i, -2.5f - 1.2f * i);
        hue(i / 9.0f);
        sphere(16, 10);
    }
}

/* Depth that a program gives, two-sided colours of a vertex program, the place in the window. */
static void results(int arg)
{
    if (arg) {
        vertex("!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\n"
               "SUB result.color.back, {1, 1, 1, 2}, vertex.color;\nEND");
        glEnable(GL_VERTEX_PROGRAM_TWO_SIDE_ARB);
    } else
        fragment("!!ARBfp1.0\nTEMP p; MUL p, fragment.position, {0.004, 0.004, 1, 1};\n"
                 "ADD result.depth.z, p.x, -p.y; MOV result.color, fragment.color;\nEND");
    begin();
    unit_square();
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 6; i++) {
        glLoadIdentity();
        glRotatef(60.0f * i + 10, 0, 0, 1);
        hue(i / 6.0f);
        glBegin(GL_TRIANGLES);
        glVertex3f(0, 0, 0.5f);
        glVertex3f(i & 1 ? 0.9f : 0.4f, i & 1 ? 0.2f : 0.8f, 0);
        glVertex3f(i & 1 ? 0.4f : 0.9f, i & 1 ? 0.8f : 0.2f, -0.5f);
        glEnd();
    }
}

static const Scene scenes[] = {
    {"assembly_lit", lit, 0, 200, 200}, {"assembly_invariant", lit, 1, 200, 200},
    {"assembly_computed", computed, 0, 240, 180}, {"assembly_dependent", lookups, 0, 160, 160},
    {"assembly_projected", lookups, 1, 160, 160}, {"assembly_rectangle", lookups, 2, 160, 160},
    {"assembly_killed", lookups, 3, 160, 160}, {"assembly_arrays", arrays, 0, 200, 160},
    {"assembly_fog_linear", fog, 0, 200, 200}, {"assembly_fog_exp", fog, 1, 200, 200},
    {"assembly_fog_exp2", fog, 2, 200, 200}, {"assembly_depth", results, 0, 200, 200},
    {"assembly_two_sides", results, 1, 200, 200},
};

const SceneList assembly_list = {scenes, LENGTH(scenes)};
