/* SPDX-License-Identifier: MIT */
/* Selection and feedback in random states. FIRST COUNT are seeds, each a scene. What is fed back, vertex by vertex, or hit is printed;
 * test_feedback_peer.py compares it with the peer's. Polygons are plane and convex and come one by one between numbers that pass
 * through, since the peer feeds back the triangles that they are made of. Left to tests/unit/st/test_feedback.py is what the peer has
 * wrong: it leaves flat shading to its rasteriser, and draws no unfilled polygon at all where edge flags come by vertex. */
#include "rig.h"

static unsigned long long state;

static double chance(void) /* 0 to 1 */
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double) (state >> 33) / 2147483648.0;
}

static int below(int n)
{
    return (int) (chance() * n);
}

static float between(double a, double b)
{
    return (float) (a + (b - a) * chance());
}

static void four(float *v, double a, double b)
{
    for (int i = 0; i < 4; i++)
        v[i] = between(a, b);
}

static void toggle(GLenum what, double likely)
{
    (chance() < likely ? glEnable : glDisable)(what);
}

/* -- state -- */

static void lights(void)
{
    float v[4];
    glDisable(GL_COLOR_MATERIAL); /* after arrays it is undefined what materials follow */
    glColor4f(0.75f, 0.5f, 0.25f, 1);
    toggle(GL_LIGHTING, 0.7);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, below(2));
    glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, below(2));
    glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, below(2) ? GL_SINGLE_COLOR : GL_SEPARATE_SPECULAR_COLOR);
    for (int n = 0; n < 3; n++) {
        GLenum light = GL_LIGHT0 + n;
        toggle(light, 0.6);
        for (int k = 0; k < 3; k++) {
            four(v, 0, k == 2 ? 0.25 : 1); /* powers differ from the peer's */
            glLightfv(light, GL_AMBIENT + k, v);
        }
        four(v, -2, 2);
        v[3] = (float) below(2);
        if (v[3] == 0)
            v[2] += 3;
        glLightfv(light, GL_POSITION, v);
        four(v, -1, 1);
        glLightfv(light, GL_SPOT_DIRECTION, v);
        glLightf(light, GL_SPOT_CUTOFF, below(2) ? 180.0f : between(60, 90));
        glLightf(light, GL_SPOT_EXPONENT, (float) below(2));
        glLightf(light, GL_CONSTANT_ATTENUATION, between(0.5, 2));
        glLightf(light, GL_LINEAR_ATTENUATION, between(0, 1));
        glLightf(light, GL_QUADRATIC_ATTENUATION, between(0, 1));
    }
    for (int face = 0; face < 2; face++) {
        static const GLenum names[] = {GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION};
        for (int k = 0; k < 4; k++) {
            four(v, 0, k == 3 ? 0.2 : 0.8);
            glMaterialfv(face ? GL_BACK : GL_FRONT, names[k], v);
        }
        glMaterialf(face ? GL_BACK : GL_FRONT, GL_SHININESS, (float) (1 + below(19)));
    }
    static const GLenum faces[] = {GL_FRONT, GL_BACK, GL_FRONT_AND_BACK};
    static const GLenum modes[] = {GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION, GL_AMBIENT_AND_DIFFUSE};
    glColorMaterial(faces[below(3)], modes[below(5)]);
    toggle(GL_COLOR_MATERIAL, 0.4);
    toggle(GL_NORMALIZE, 0.5);
    toggle(GL_RESCALE_NORMAL, 0.3);
}

static void matrices(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    if (below(2)) {
        glFrustum(-1, 1, -1, 1, 1, 9);
        glTranslatef(0, 0, -4);
    } else {
        glScalef(0.4f, 0.4f, 0.3f);
    }
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glRotatef(between(0, 360), between(-1, 1), between(-1, 1), 1);
    if (below(2))
        glScalef(0.9f, 0.9f, 0.9f);
    glMatrixMode(GL_TEXTURE);
    glLoadIdentity();
    if (below(2)) {
        glTranslatef(0.25f, -0.5f, 1);
        glRotatef(between(0, 360), 1, 0.5f, 0.25f);
        glScalef(1, 2, 0.5f);
    }
    glMatrixMode(GL_MODELVIEW);
    glDepthRange(below(3) ? 0 : 0.25, below(3) ? 1 : 0.75);
    glViewport(below(9) - 4, below(9) - 4, 90 + below(20), 60 + below(20));
}

static void coordinates(void)
{
    static const GLenum modes[] = {GL_OBJECT_LINEAR, GL_EYE_LINEAR, GL_SPHERE_MAP, GL_REFLECTION_MAP, GL_NORMAL_MAP};
    for (int n = 0; n < 4; n++) {
        float plane[4];
        toggle(GL_TEXTURE_GEN_S + n, 0.25);
        glTexGeni(GL_S + n, GL_TEXTURE_GEN_MODE, (int) modes[below(n < 2 ? 5 : n < 3 ? 2 : 1)]);
        four(plane, -1, 1);
        glTexGenfv(GL_S + n, GL_OBJECT_PLANE, plane);
        four(plane, -1, 1);
        glTexGenfv(GL_S + n, GL_EYE_PLANE, plane);
    }
    /* while nothing is sampled Mesa forgets which coordinates are those of the eye, and the texture matrix */
    static const GLubyte texel[4] = {255, 128, 0, 255};
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
    glEnable(GL_TEXTURE_2D);
}

static void rasterisation(int planes)
{
    static const GLenum faces[] = {GL_FRONT, GL_BACK, GL_FRONT_AND_BACK}, modes[] = {GL_FILL, GL_LINE, GL_POINT};
    toggle(GL_CULL_FACE, 0.3);
    glCullFace(faces[below(8) ? below(2) : 2]);
    glFrontFace(below(2) ? GL_CCW : GL_CW);
    /* edges along a plane are cut where the peer's triangles meet */
    int plain = planes || below(2);
    glPolygonMode(GL_FRONT, modes[plain ? 0 : below(3)]);
    glPolygonMode(GL_BACK, modes[plain ? 0 : below(3)]);
    for (int n = 0; n < 6; n++) {
        GLdouble plane[4] = {between(-1, 1), between(-1, 1), between(-1, 1), between(0, 1)};
        glClipPlane(GL_CLIP_PLANE0 + n, plane);
        (planes && n % 2 == 0 && below(3) == 0 ? glEnable : glDisable)(GL_CLIP_PLANE0 + n);
    }
    toggle(GL_LINE_STIPPLE, 0.3);
    glLineStipple(1, 0x0f0f);
    toggle(GL_FOG, 0.3);
    toggle(GL_COLOR_SUM, 0.3);
    toggle(GL_POINT_SMOOTH, 0.3);
    toggle(GL_SCISSOR_TEST, 0.3);
    glScissor(0, 0, 3, 3);
    glLineWidth(between(1, 4));
    glPointSize(between(1, 9));
}

/* -- programs -- */

/* they write all that is fed back: which value of a vertex is current while others are drawn is open */
static const char *VERTEX[] = {
    "void main() { gl_Position = ftransform(); gl_FrontColor = gl_Color.zyxw; gl_BackColor = vec4(1.0) - gl_Color;"
    " gl_TexCoord[0] = gl_MultiTexCoord0.wzyx * shift; gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex; }",
    "void main() { gl_Position = gl_ModelViewProjectionMatrix * (gl_Vertex + vec4(shift.xyz * 0.25, 0.0)); gl_TexCoord[0] = gl_Vertex;"
    " gl_FrontColor = vec4(gl_Normal * 0.5 + 0.5, 1.0); gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex; }",
    "void main() { vec3 n = normalize(gl_NormalMatrix * gl_Normal); gl_Position = ftransform();"
    " for (int k = 0; k < 3; k++) n += shift.xyz * 0.1; gl_FrontColor = vec4(abs(n), 0.5); gl_BackColor = vec4(n, 2.0);"
    " gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0; gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex; }",
};
static const char ASSEMBLY[] =
    "!!ARBvp1.0\nOPTION ARB_position_invariant;\nPARAM c = program.local[1];\nMUL result.color, vertex.color, c;\n"
    "MOV result.color.back, c;\nADD result.texcoord[0], vertex.texcoord[0], vertex.normal;\nEND\n";

static GLuint linked(const char *text, int with_fragments)
{
    char source[2048];
    const char *given = source;
    snprintf(source, sizeof source, "uniform vec4 shift;\n%s\n", text);
    GLuint program = glCreateProgram(), shader = glCreateShader(GL_VERTEX_SHADER);
    glShaderSource(shader, 1, &given, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    if (with_fragments) {
        /* a linker may leave out what no fragment reads */
        given = "void main() { gl_FragColor = gl_Color + gl_TexCoord[0]; }";
        shader = glCreateShader(GL_FRAGMENT_SHADER);
        glShaderSource(shader, 1, &given, NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    return program;
}

static void programs(void)
{
    static GLuint made[6];
    int which = below(10);
    if (!made[0]) {
        for (int n = 0; n < 6; n++)
            made[n] = linked(VERTEX[n / 2], n % 2);
        glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof ASSEMBLY - 1, ASSEMBLY);
    }
    toggle(GL_VERTEX_PROGRAM_TWO_SIDE, 0.5);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glUseProgram(0);
    float v[4];
    four(v, 0, 1);
    if (which < 3) {
        GLuint program = made[below(6)];
        glUseProgram(program);
        glUniform4fv(glGetUniformLocation(program, "shift"), 1, v);
    } else if (which < 4) {
        glEnable(GL_VERTEX_PROGRAM_ARB);
        glProgramLocalParameter4fvARB(GL_VERTEX_PROGRAM_ARB, 1, v);
    }
}

/* -- primitives -- */

typedef struct {
    float place[4], color[4], normal[3], coord[4];
} Vertex;

static const GLenum MODES[] = {GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN,
                               GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
static Vertex vertices[16];

/* Corners of a plane: a convex polygon, or the rungs of a strip of parallelograms. */
static void corners(GLenum mode, int count, double size)
{
    float a[3], b[3], middle[3];
    for (int k = 0; k < 3; k++) {
        a[k] = between(-size, size);
        b[k] = between(-size, size);
        middle[k] = between(-size, size) * 0.5f;
    }
    for (int n = 0; n < count; n++) {
        double u = cos(6.2831853 * n / count), v = sin(6.2831853 * n / count);
        if (mode == GL_QUAD_STRIP || mode == GL_TRIANGLE_STRIP) {
            u = n / 2 * 0.5 - 0.5;
            v = n % 2 - 0.5;
        }
        for (int k = 0; k < 3; k++)
            vertices[n].place[k] = middle[k] + a[k] * (float) u + b[k] * (float) v;
    }
}

static int make(GLenum mode, double size)
{
    static const int counts[] = {5, 6, 5, 5, 3, 6, 6, 4, 6, 6};
    int count = counts[mode];
    for (int n = 0; n < count; n++) {
        Vertex *v = vertices + n;
        four(v->place, -size, size);
        v->place[3] = below(3) ? 1 : between(0.8, 1.3);
        four(v->color, 0, 1);
        four(v->coord, -2, 2);
        for (int k = 0; k < 3; k++)
            v->normal[k] = between(-1, 1);
    }
    if (mode >= GL_TRIANGLES) {
        float w = below(3) ? 1 : between(0.8, 1.3);
        corners(mode, count, size);
        for (int n = 0; n < count; n++)
            vertices[n].place[3] = w;
    }
    return count;
}

static void attributes(const Vertex *v)
{
    glColor4fv(v->color);
    glNormal3fv(v->normal);
    glTexCoord4fv(v->coord);
}

static void by_arrays(GLenum mode, int count, int indexed)
{
    static const GLubyte order[] = {0, 1, 2, 3, 4, 5};
    glVertexPointer(4, GL_FLOAT, sizeof(Vertex), vertices[0].place);
    glColorPointer(4, GL_FLOAT, sizeof(Vertex), vertices[0].color);
    glNormalPointer(GL_FLOAT, sizeof(Vertex), vertices[0].normal);
    glTexCoordPointer(4, GL_FLOAT, sizeof(Vertex), vertices[0].coord);
    static const GLenum arrays[] = {GL_VERTEX_ARRAY, GL_COLOR_ARRAY, GL_NORMAL_ARRAY, GL_TEXTURE_COORD_ARRAY};
    attributes(vertices);
    for (int k = 0; k < 4; k++)
        (k == 0 || below(4) ? glEnableClientState : glDisableClientState)(arrays[k]);
    if (indexed)
        glDrawElements(mode, count, GL_UNSIGNED_BYTE, order);
    else
        glDrawArrays(mode, 0, count);
    for (int k = 0; k < 4; k++)
        glDisableClientState(arrays[k]);
}

static void draw(GLenum mode, double size)
{
    int count = make(mode, size), way = below(4);
    if (way > 1) {
        by_arrays(mode, count, way > 2);
        return;
    }
    if (way)
        glNewList(1, GL_COMPILE);
    glBegin(mode);
    for (int n = 0; n < count; n++) {
        attributes(vertices + n);
        glVertex4fv(vertices[n].place);
    }
    glEnd();
    if (way) {
        glEndList();
        glCallList(1);
    }
}

/* -- what is found -- */

static void told_tokens(const GLfloat *data, int count, int size)
{
    for (int at = 0; at < count;) {
        int token = (int) data[at++], n = 1;
        if (token == GL_PASS_THROUGH_TOKEN) {
            printf("through %g\n", data[at++]);
            continue;
        }
        if (token == GL_LINE_TOKEN || token == GL_LINE_RESET_TOKEN)
            n = 2;
        if (token == GL_POLYGON_TOKEN)
            n = (int) data[at++];
        printf("token %d", token);
        for (int k = 0; k < n * size; k++)
            printf(k % size ? " %.8g" : " : %.8g", data[at++]);
        putchar('\n');
    }
}

static void scene(int seed)
{
    static const int sizes[] = {2, 3, 7, 11, 12};
    static GLfloat data[8192];
    static GLuint names[256];
    state = (unsigned) seed * 2654435761u + 12345;
    chance();
    int type = below(6), selects = type == 5, planes = below(3) == 0;
    int outlines = 0;
    GLint mode[2];
    matrices();
    lights();
    coordinates();
    rasterisation(planes);
    programs();
    glGetIntegerv(GL_POLYGON_MODE, mode);
    outlines = mode[0] != GL_FILL || mode[1] != GL_FILL;
    /* the edges that the volume's sides cut into a polygon are edges (GL 2.1, 2.12); the peer leaves them out */
    double size = outlines ? 0.8 : 1.0 + below(4);
    glFeedbackBuffer(8192, GL_2D + (selects ? 0 : (GLenum) type), data);
    glSelectBuffer(256, names);
    glRenderMode(selects ? GL_SELECT : GL_FEEDBACK);
    glInitNames();
    glPushName(0);
    for (int n = 0; n < 6; n++) {
        glLoadName((GLuint) n);
        glPassThrough((GLfloat) n);
        draw(MODES[below(10)], size);
    }
    int count = glRenderMode(GL_RENDER);
    printf("seed %d type %d cut %d count %d error %x\n", seed, type, size > 0.8, selects ? count : 0, glGetError());
    if (selects)
        for (int n = 0; n < count; n++)
            /* a depth that is rounded below 0 is the greatest number to the peer */
            printf("hit %u : %.8g %.8g\n", names[4 * n + 3],
                   names[4 * n + 1] > names[4 * n + 2] ? 0 : names[4 * n + 1] / 4294967295.0, names[4 * n + 2] / 4294967295.0);
    else
        told_tokens(data, count, sizes[type]);
}

int main(int argc, char **argv)
{
    Rig rig = make_rig(100, 80);
    int first = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 100;
    for (int n = 0; n < count; n++)
        scene(first + n);
    drop_rig(&rig);
    return 0;
}
