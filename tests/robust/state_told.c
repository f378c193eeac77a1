/* SPDX-License-Identifier: MIT */
/* What shaders read of OpenGL's state (GLSL 1.20, 7.4 and 7.5), before and after it changes, a number a line: test_names_peer.py
 * compares the lines with the peer's. A program for each kind of state: what is kept true for a program depends on what it reads.
 * All numbers are such that no rounding shows in the digits that are told. */
#include "told.h"

enum { MOST = 64 };

typedef struct {
    const char *name;
    const char *expressions[MOST];
} Group;

#define ROWS(m) m "[0]", m "[1]", m "[2]", m "[3]"
#define KINDS(m) ROWS(m), ROWS(m "Inverse"), ROWS(m "Transpose"), ROWS(m "InverseTranspose")
#define LIGHT(n) "gl_LightSource[" n "]."
#define LIGHTS(n)                                                                                                                  \
    LIGHT(n) "ambient", LIGHT(n) "diffuse", LIGHT(n) "specular", LIGHT(n) "position", LIGHT(n) "halfVector.xyz, 1",                \
        LIGHT(n) "spotDirection, 1", LIGHT(n) "spotExponent", LIGHT(n) "spotCutoff", LIGHT(n) "spotCosCutoff",                     \
        LIGHT(n) "constantAttenuation", LIGHT(n) "linearAttenuation", LIGHT(n) "quadraticAttenuation"
#define MATERIAL(side)                                                                                                             \
    "gl_" side "Material.emission", "gl_" side "Material.ambient", "gl_" side "Material.diffuse", "gl_" side "Material.specular",  \
        "gl_" side "Material.shininess"
#define PRODUCT(side, n)                                                                                                           \
    "gl_" side "LightProduct[" n "].ambient", "gl_" side "LightProduct[" n "].diffuse", "gl_" side "LightProduct[" n "].specular"
#define PLANES(kind, n) kind "S[" n "]", kind "T[" n "]", kind "R[" n "]", kind "Q[" n "]"

static const Group GROUPS[] = {
    {"matrices", {ROWS("gl_ModelViewMatrix"), ROWS("gl_ProjectionMatrix"), ROWS("gl_ModelViewProjectionMatrix"), ROWS("gl_TextureMatrix[1]")}},
    {"of the view", {KINDS("gl_ModelViewMatrix")}},
    {"of the projection", {KINDS("gl_ProjectionMatrix")}},
    {"of both", {KINDS("gl_ModelViewProjectionMatrix")}},
    {"of textures", {KINDS("gl_TextureMatrix[0]"), KINDS("gl_TextureMatrix[1]")}},
    {"of normals", {"gl_NormalMatrix[0], 1", "gl_NormalMatrix[1], 1", "gl_NormalMatrix[2], 1"}},
    {"their scale", {"gl_NormalScale"}},
    {"lights", {LIGHTS("0"), LIGHTS("1"), LIGHTS("7")}},
    {"materials", {MATERIAL("Front"), MATERIAL("Back")}},
    {"products", {PRODUCT("Front", "0"), PRODUCT("Back", "0"), PRODUCT("Front", "1"), PRODUCT("Back", "7")}},
    {"scenes", {"gl_LightModel.ambient", "gl_FrontLightModelProduct.sceneColor", "gl_BackLightModelProduct.sceneColor"}},
    {"points", {"gl_Point.size", "gl_Point.sizeMin", "gl_Point.sizeMax", "gl_Point.fadeThresholdSize",
                "gl_Point.distanceConstantAttenuation", "gl_Point.distanceLinearAttenuation", "gl_Point.distanceQuadraticAttenuation"}},
    {"fog", {"gl_Fog.color", "gl_Fog.density", "gl_Fog.start", "gl_Fog.end", "gl_Fog.scale"}},
    {"depths and planes", {"gl_DepthRange.near", "gl_DepthRange.far", "gl_DepthRange.diff", "gl_ClipPlane[0]", "gl_ClipPlane[5]"}},
    {"units", {"gl_TextureEnvColor[0]", "gl_TextureEnvColor[1]", PLANES("gl_ObjectPlane", "0"), PLANES("gl_EyePlane", "0"),
               PLANES("gl_ObjectPlane", "1"), PLANES("gl_EyePlane", "1")}},
};

static void add(GLuint program, GLenum stage, const char *text)
{
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

static GLuint program(const Group *group)
{
    static char text[20000];
    char *end = text + sprintf(text, "void main() {\nvec4 c = vec4(0.0);\n");
    GLint linked;
    for (int n = 0; n < MOST && group->expressions[n]; n++)
        end += sprintf(end, "if (floor(gl_FragCoord.x) == %d.0) c = vec4(%s);\n", n, group->expressions[n]);
    sprintf(end, "gl_FragColor = c;\n}\n");
    GLuint name = glCreateProgram();
    add(name, GL_FRAGMENT_SHADER, text);
    add(name, GL_VERTEX_SHADER, "void main() { gl_Position = gl_Vertex; }");
    glLinkProgram(name);
    glGetProgramiv(name, GL_LINK_STATUS, &linked);
    told(group->name, linked);
    return name;
}

static void show(const Group *group, GLuint name)
{
    GLfloat values[MOST][4];
    glUseProgram(name);
    glRecti(-1, -1, 1, 1);
    glUseProgram(0);
    glReadPixels(0, 0, MOST, 1, GL_RGBA, GL_FLOAT, values);
    for (int n = 0; n < MOST && group->expressions[n]; n++)
        printf("%s: %.3g %.3g %.3g %.3g\n", group->expressions[n], values[n][0] + 0.0, values[n][1] + 0.0, values[n][2] + 0.0,
               values[n][3] + 0.0);
    told(group->name, 0);
}

static void vector(void (*set)(GLenum, GLenum, const GLfloat *), GLenum which, GLenum what, float x, float y, float z, float w)
{
    const GLfloat four[4] = {x, y, z, w};
    set(which, what, four);
}

static void matrices(float n)
{
    static const GLfloat TURN[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const GLenum UNITS[] = {GL_TEXTURE1, GL_TEXTURE0};
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-2, 2, -1, 1, 1, 3 * n);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(n, 2, -4);
    glScalef(2, 4, 0.5f * n);
    glMultMatrixf(TURN);
    glMatrixMode(GL_TEXTURE);
    for (int unit = 0; unit < COUNT(UNITS); unit++) {
        glActiveTexture(UNITS[unit]);
        glLoadIdentity();
        glTranslatef(n, 1, 8 - unit);
        glScalef(n, 0.25f, 2);
        vector(glTexEnvfv, GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, 0.25f, n / 8, 0.5f, 1);
        for (GLenum coordinate = GL_S; coordinate <= GL_Q; coordinate++) {
            vector(glTexGenfv, coordinate, GL_OBJECT_PLANE, n, unit, coordinate - GL_S, 3);
            vector(glTexGenfv, coordinate, GL_EYE_PLANE, 1, n, coordinate - GL_S, unit);
        }
    }
    glMatrixMode(GL_MODELVIEW);
}

static void lights(float n)
{
    const GLfloat ambient[4] = {0.125f * n, 0.5f, 0.25f, 1};
    for (GLenum light = GL_LIGHT0; light <= GL_LIGHT7; light++) {
        float k = light - GL_LIGHT0;
        vector(glLightfv, light, GL_AMBIENT, 0.125f * n, k / 8, 0.5f, 0.25f);
        vector(glLightfv, light, GL_DIFFUSE, 0.5f, 0.125f * n, k / 8, 0.75f);
        vector(glLightfv, light, GL_SPECULAR, k / 8, 0.25f, 0.125f * n, 1);
        vector(glLightfv, light, GL_POSITION, 0, k ? n : 0, 2, k > 1);
        vector(glLightfv, light, GL_SPOT_DIRECTION, n, k, -1, 0);
        glLightf(light, GL_SPOT_EXPONENT, 2 * n);
        glLightf(light, GL_SPOT_CUTOFF, k ? 60 : 180);
        glLightf(light, GL_CONSTANT_ATTENUATION, n);
        glLightf(light, GL_LINEAR_ATTENUATION, k);
        glLightf(light, GL_QUADRATIC_ATTENUATION, n / 4);
    }
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, ambient);
}

static void materials(float n)
{
    for (GLenum face = GL_FRONT; face <= GL_BACK; face++) {
        float k = face - GL_FRONT;
        vector(glMaterialfv, face, GL_EMISSION, 0.125f * n, 0.25f, k, 0.5f);
        vector(glMaterialfv, face, GL_AMBIENT, k, 0.25f * n, 0.5f, 1);
        vector(glMaterialfv, face, GL_DIFFUSE, 0.5f, k, 0.25f * n, 0.75f);
        vector(glMaterialfv, face, GL_SPECULAR, 0.25f, 0.5f, k, n);
        glMaterialf(face, GL_SHININESS, 8 * n + k);
    }
}

static void the_rest(float n)
{
    const GLfloat attenuation[3] = {n, 0.5f, 0.25f}, color[4] = {0.5f, n / 8, 0.25f, 1};
    const GLdouble plane[4] = {n, 2, -1, 4}, other[4] = {1, n, 8, 0.5};
    glPointSize(n + 1);
    glPointParameterf(GL_POINT_SIZE_MIN, n / 2);
    glPointParameterf(GL_POINT_SIZE_MAX, 16 * n);
    glPointParameterf(GL_POINT_FADE_THRESHOLD_SIZE, 2 * n);
    glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, attenuation);
    glFogfv(GL_FOG_COLOR, color);
    glFogf(GL_FOG_DENSITY, n / 4);
    glFogf(GL_FOG_START, n);
    glFogf(GL_FOG_END, n + 4);
    glDepthRange(0.125 * n, 0.75);
    glClipPlane(GL_CLIP_PLANE0, plane);
    glClipPlane(GL_CLIP_PLANE5, other);
}

int main(void)
{
    static void (*const CHANGES[])(float) = {matrices, lights, materials, the_rest};
    GLuint programs[COUNT(GROUPS)], texture, target;
    Rig rig = make_rig(64, 64);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F_ARB, MOST, 1, 0, GL_RGBA, GL_FLOAT, NULL);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glClampColorARB(GL_CLAMP_FRAGMENT_COLOR_ARB, GL_FALSE);
    glClampColorARB(GL_CLAMP_READ_COLOR_ARB, GL_FALSE);
    glViewport(0, 0, MOST, 1);
    for (int n = 0; n < COUNT(GROUPS); n++)
        programs[n] = program(&GROUPS[n]);
    for (int turn = 0; turn <= COUNT(CHANGES); turn++) {
        if (turn == 0)
            for (int n = 0; n < COUNT(CHANGES); n++)
                CHANGES[n](1);
        else
            CHANGES[turn - 1](2);
        printf("turn %d\n", turn);
        for (int n = 0; n < COUNT(GROUPS); n++)
            show(&GROUPS[n], programs[n]);
    }
    drop_rig(&rig);
    return 0;
}
