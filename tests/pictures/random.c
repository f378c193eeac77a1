/* SPDX-License-Identifier: MIT */
/* Scenes of random state: some batches of primitives a scene, each under a state drawn by lot.
 *
 * All of it depends on the seed alone. State comes in groups, each with a stream of numbers of its own, so that one can
 * be left out and the rest of the picture stays: SCENES_WITHOUT=fog,clip leaves groups out, SCENES_BATCHES=2,5 draws
 * these batches only (narrow.py does both to find what a difference comes from). SCENES_SEED=1000 is added to the seed.
 *
 * What may differ between two right drivers is kept out: concave polygons, equality tests on interpolated values,
 * and logic operations (they turn a last bit into a first one) anywhere but in scenes of flat unblended colours.
 * What the peer gets wrong is kept out by a rule each, marked with a name: docs/avoided.md has the same names, with the
 * test that takes the rule's place. Seeds at least 50 apart share no scene.
 */
#include "scenes.h"
#include <stdint.h>
#include <stdio.h>

enum { BATCHES = 7, MOST = 64 };

static uint64_t stream;

static uint64_t number(void) /* splitmix64 */
{
    uint64_t z = stream += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static void begin_stream(uint64_t seed, uint64_t batch, uint64_t group)
{
    stream = seed * 1000003 + batch * 10007 + group;
    number();
    stream ^= number() << 1;
}

static float lot(float low, float high)
{
    return low + (high - low) * (float) (number() >> 40) / 16777216.0f;
}

static int pick(int n)
{
    return (int) (number() >> 33) % n;
}

static int chance(int percent)
{
    return pick(100) < percent;
}

#define ONE_OF(...) ((const GLenum[]){__VA_ARGS__})[pick(LENGTH(((const GLenum[]){__VA_ARGS__})))]

static int exact;     /* this scene has logic operations and only exact colours */
static GLenum mode;   /* of the batch's primitives */
static int form;      /* how its vertices are handed over */
static GLuint list_name;

static void set_if(GLenum what, int on)
{
    (on ? glEnable : glDisable)(what);
}

static GLenum face(void)
{
    return ONE_OF(GL_FRONT, GL_BACK, GL_FRONT_AND_BACK);
}

static const float *color4(float low, float high)
{
    static float c[4];
    for (int i = 0; i < 4; i++)
        c[i] = lot(low, high);
    return c;
}

/* The groups. Each sets its state once in some scenes and batches; what it leaves alone keeps what it was before. */

static void set_modes(void)
{
    mode = ONE_OF(GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POLYGON,
                  GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_POINTS);
}

static void set_form(void)
{
    form = pick(7);
}

static void set_projection(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    switch (pick(4)) {
    case 0: glOrtho(-1, 1, -1, 1, -1, 1); break;
    case 1: glOrtho(-1.3, 1.1, 1.2, -1, -1.5, 1.5); break;
    case 2: glFrustum(-0.5, 0.5, -0.5, 0.5, 1, 6), glTranslatef(0, 0, -2.2f); break;
    default: glFrustum(-0.7, 0.3, -0.3, 0.5, 0.7, 9), glTranslatef(0, 0, -1.5f); break;
    }
    glMatrixMode(GL_MODELVIEW);
}

static void set_matrix(void)
{
    const float shear[16] = {1, 0.3f, 0, 0, -0.2f, 1, 0.1f, 0, 0, 0.1f, 1, 0, 0.1f, 0, 0, 1};
    for (int i = pick(3); i >= 0; i--)
        switch (pick(4)) {
        case 0: glRotatef(lot(-180, 180), lot(-1, 1), lot(-1, 1), lot(-1, 1)); break;
        case 1: glTranslatef(lot(-0.4f, 0.4f), lot(-0.4f, 0.4f), lot(-0.4f, 0.4f)); break;
        case 2: glScalef(lot(0.5f, 1.3f), lot(0.5f, 1.3f), chance(30) ? lot(-1, -0.5f) : lot(0.5f, 1.3f)); break;
        default: glMultMatrixf(shear); break;
        }
}

static void set_viewport(void)
{
    switch (pick(3)) {
    case 0: glViewport(pick(W / 2), pick(H / 2), W / 2 + pick(W / 2), H / 2 + pick(H / 2)); break;
    case 1: glViewport(-pick(W / 2), -pick(H / 2), W + pick(W), H + pick(H)); break;
    default: glViewport(0, 0, W, H); break;
    }
}

static void set_depth_range(void)
{
    switch (pick(4)) {
    case 0: glDepthRange(1, 0); break;
    case 1: glDepthRange(lot(0, 0.5f), lot(0.5f, 1)); break;
    case 2: glDepthRange(lot(0.5f, 1), lot(0, 0.5f)); break;
    default: glDepthRange(0, 1); break;
    }
}

static void set_clip(void)
{
    for (int i = 0; i < 6; i++) {
        const double plane[4] = {lot(-1, 1), lot(-1, 1), lot(-1, 1), lot(0, 0.8f)};
        if (chance(25)) {
            glClipPlane(GL_CLIP_PLANE0 + i, plane);
            glEnable(GL_CLIP_PLANE0 + i);
        }
    }
}

static void set_depth_clamp(void)
{
    set_if(GL_DEPTH_CLAMP, 1);
}

static void set_lighting(void)
{
    if (exact)
        return;
    glEnable(GL_LIGHTING);
    for (int i = 0; i < 8; i++)
        if (i == 0 || chance(25)) {
            float position[4] = {lot(-2, 2), lot(-2, 2), lot(-0.5f, 3), (float) pick(2)};
            glEnable(GL_LIGHT0 + i);
            glLightfv(GL_LIGHT0 + i, GL_POSITION, position);
            glLightfv(GL_LIGHT0 + i, GL_DIFFUSE, color4(0, 1));
            glLightfv(GL_LIGHT0 + i, GL_SPECULAR, color4(0, 1));
            glLightfv(GL_LIGHT0 + i, GL_AMBIENT, color4(0, 0.3f));
        }
}

static void set_spot(void)
{
    for (int i = 0; i < 8; i++)
        if (chance(50)) {
            const float direction[3] = {lot(-0.5f, 0.5f), lot(-0.5f, 0.5f), lot(-2, -0.5f)};
            glLightfv(GL_LIGHT0 + i, GL_SPOT_DIRECTION, direction);
            glLightf(GL_LIGHT0 + i, GL_SPOT_CUTOFF, chance(20) ? 90 : lot(20, 90));
            glLightf(GL_LIGHT0 + i, GL_SPOT_EXPONENT, chance(30) ? 0 : lot(0, 20));
        }
}

static void set_attenuation(void)
{
    for (int i = 0; i < 8; i++)
        if (chance(50)) {
            glLightf(GL_LIGHT0 + i, GL_CONSTANT_ATTENUATION, lot(0.3f, 1));
            glLightf(GL_LIGHT0 + i, GL_LINEAR_ATTENUATION, lot(0, 0.5f));
            glLightf(GL_LIGHT0 + i, GL_QUADRATIC_ATTENUATION, lot(0, 0.5f));
        }
}

static void set_light_model(void)
{
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, color4(0, 0.4f));
    glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, pick(2));
}

static void set_two_side(void)
{
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
}

static void set_separate_specular(void)
{
    glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, GL_SEPARATE_SPECULAR_COLOR);
}

/* AVOIDS(late_current): the peer's glMaterial and glColor may take effect late: behind a glColorMaterial that lets a
   property follow the colour, behind a glPopAttrib. Asking for the value makes them take effect at once. */
static void settle(GLenum what)
{
    float value[4];
    if (what == GL_CURRENT_COLOR)
        glGetFloatv(what, value);
    else
        glGetMaterialfv(GL_FRONT, what, value);
}

static void set_material(void)
{
    for (int i = 0; i < 4; i++) {
        GLenum which = ONE_OF(GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION, GL_AMBIENT_AND_DIFFUSE);
        glMaterialfv(face(), which, color4(0, which == GL_EMISSION ? 0.2f : 1));
    }
    glMaterialf(face(), GL_SHININESS, lot(1, 60));
    settle(GL_EMISSION);
}

static void set_color_material(void)
{
    /* AVOIDS(color_material_back): with GL_BACK the peer's green and blue are wrong (two-sided, any property). */
    glColorMaterial(ONE_OF(GL_FRONT, GL_FRONT_AND_BACK), ONE_OF(GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION, GL_AMBIENT_AND_DIFFUSE));
    glEnable(GL_COLOR_MATERIAL);
}

static void set_normalize(void)
{
    glEnable(ONE_OF(GL_NORMALIZE, GL_RESCALE_NORMAL));
}

static void set_color_sum(void)
{
    set_if(GL_COLOR_SUM, !exact);
}

static void set_fog(void)
{
    if (exact)
        return;
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, ONE_OF(GL_LINEAR, GL_EXP, GL_EXP2));
    glFogf(GL_FOG_START, lot(-1, 1));
    glFogf(GL_FOG_END, lot(1, 5));
    glFogf(GL_FOG_DENSITY, lot(0.1f, 1));
    glFogfv(GL_FOG_COLOR, color4(0, 1));
    glFogi(GL_FOG_COORD_SRC, chance(30) ? GL_FOG_COORD : GL_FRAGMENT_DEPTH);
}

static void set_shade(void)
{
    glShadeModel(ONE_OF(GL_FLAT, GL_SMOOTH));
}

static void set_provoking(void)
{
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
}

static void set_polygon_mode(void)
{
    /* AVOIDS(stencil_of_edges): for the stencil, lines and points of a polygon are the polygon (GL 2.1, 4.1.5); the
       peer takes them as front. */
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_LINE_STIPPLE);
    /* AVOIDS(polygon_stipple_of_edges): the peer puts it on some edges, too; GL 2.1, 3.5.4: on filled faces. */
    glDisable(GL_POLYGON_STIPPLE);
    glPolygonMode(GL_FRONT, ONE_OF(GL_FILL, GL_LINE, GL_POINT));
    glPolygonMode(GL_BACK, ONE_OF(GL_FILL, GL_LINE, GL_POINT));
}

static void set_cull(void)
{
    glEnable(GL_CULL_FACE);
    glCullFace(chance(5) ? GL_FRONT_AND_BACK : ONE_OF(GL_FRONT, GL_BACK));
}

static void set_front_face(void)
{
    glFrontFace(ONE_OF(GL_CW, GL_CCW));
}

static int unfilled(void)
{
    GLint modes[2];
    glGetIntegerv(GL_POLYGON_MODE, modes);
    return modes[0] != GL_FILL || modes[1] != GL_FILL;
}

static void set_polygon_stipple(void)
{
    GLubyte pattern[128];
    if (unfilled())
        return;
    for (int i = 0; i < 128; i++)
        pattern[i] = number();
    glPolygonStipple(pattern);
    glEnable(GL_POLYGON_STIPPLE);
}

static void set_line_stipple(void)
{
    /* AVOIDS(line_stipple_of_edges): where the pattern of a clipped edge begins is not said (GL 2.1, 2.12). */
    if (unfilled())
        return;
    glLineStipple(1 + pick(4), number());
    glEnable(GL_LINE_STIPPLE);
}

static void set_line_width(void)
{
    glLineWidth(chance(50) ? 1 + pick(6) : lot(0.5f, 8));
}

static void set_point_size(void)
{
    glPointSize(chance(50) ? 1 + pick(12) : lot(0.5f, 14));
}

static void set_point_attenuation(void)
{
    const float factors[3] = {lot(0.2f, 1), lot(0, 0.5f), lot(0, 0.5f)};
    glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, factors);
    glPointParameterf(GL_POINT_SIZE_MIN, lot(0, 3));
}

static void set_offset(void)
{
    glPolygonOffset(lot(-3, 3), lot(-200000, 200000));
    /* AVOIDS(offset_enables): llvmpipe offsets filled polygons where only lines or points should be; where the faces
       have two modes, both of Mesa's drivers let the first polygon of a batch decide for all. */
    const int on = chance(70);
    set_if(GL_POLYGON_OFFSET_FILL, on);
    set_if(GL_POLYGON_OFFSET_LINE, on);
    set_if(GL_POLYGON_OFFSET_POINT, on);
}

#define COLOR_FACTORS \
    GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR, GL_SRC_ALPHA, \
    GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR, \
    GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA

static void set_blend(void)
{
    if (exact)
        return;
    glEnable(GL_BLEND);
    glBlendColor(lot(0, 1), lot(0, 1), lot(0, 1), lot(0, 1));
    if (chance(40))
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    else
        glBlendFuncSeparate(ONE_OF(COLOR_FACTORS, GL_SRC_ALPHA_SATURATE), ONE_OF(COLOR_FACTORS),
                            ONE_OF(COLOR_FACTORS, GL_SRC_ALPHA_SATURATE), ONE_OF(COLOR_FACTORS));
}

#define EQUATIONS GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX

static void set_blend_equation(void)
{
    glBlendEquationSeparate(ONE_OF(EQUATIONS), ONE_OF(EQUATIONS));
}

static void set_logic_op(void)
{
    if (!exact)
        return;
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_CLEAR + pick(16));
    set_if(GL_BLEND, chance(30)); /* without effect */
    glBlendFunc(GL_ONE, GL_ONE);
}

static void set_alpha(void)
{
    glEnable(GL_ALPHA_TEST);
    glAlphaFunc(ONE_OF(GL_LESS, GL_LEQUAL, GL_GREATER, GL_GEQUAL, GL_GREATER, GL_ALWAYS), lot(0.2f, 0.8f));
}

static void set_depth(void)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(chance(60) ? GL_LESS : ONE_OF(GL_LEQUAL, GL_GREATER, GL_GEQUAL, GL_ALWAYS, GL_LESS));
    glDepthMask(chance(85));
}

static GLenum stencil_op(void)
{
    return ONE_OF(GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP);
}

static void set_stencil(void)
{
    const int both = unfilled();
    glEnable(GL_STENCIL_TEST);
    for (int i = 0; i < 2; i++) {
        GLenum side = i ? GL_BACK : GL_FRONT;
        if (i && (chance(40) || both))
            side = GL_FRONT_AND_BACK;
        glStencilFuncSeparate(side, GL_NEVER + (chance(85) ? 1 + pick(7) : 0), pick(4), chance(50) ? 0xff : pick(256));
        glStencilOpSeparate(side, stencil_op(), stencil_op(), stencil_op());
        glStencilMaskSeparate(side, chance(60) ? 0xff : pick(256));
    }
}

static void set_color_mask(void)
{
    glColorMask(chance(70), chance(70), chance(70), chance(70));
}

static void set_scissor(void)
{
    glEnable(GL_SCISSOR_TEST);
    glScissor(pick(W / 2) - 5, pick(H / 2) - 5, W / 3 + pick(W), H / 3 + pick(H));
}

static void set_clear(void)
{
    const float *c = color4(0, 1);
    if (exact)
        glClearColor(pick(16) / 15.0f, pick(16) / 15.0f, pick(16) / 15.0f, pick(16) / 15.0f);
    else
        glClearColor(c[0], c[1], c[2], c[3]);
    glClearDepth(lot(0, 1));
    glClearStencil(pick(4));
    glClear((chance(50) ? GL_DEPTH_BUFFER_BIT : 0) | (chance(50) ? GL_STENCIL_BUFFER_BIT : 0) |
            (chance(30) ? GL_COLOR_BUFFER_BIT : 0));
}

static int keep; /* the batch's state stays for the next */

static void set_keep(void)
{
    keep = 1;
}

static const struct {
    const char *name;
    void (*set)(void);
    int percent; /* of the batches */
} groups[] = {
    {"modes", set_modes, 70},
    {"form", set_form, 70},
    {"projection", set_projection, 70},
    {"matrix", set_matrix, 60},
    {"viewport", set_viewport, 25},
    {"depth_range", set_depth_range, 20},
    {"clip", set_clip, 20},
    {"depth_clamp", set_depth_clamp, 10},
    {"lighting", set_lighting, 50},
    {"spot", set_spot, 30},
    {"attenuation", set_attenuation, 30},
    {"light_model", set_light_model, 30},
    {"two_side", set_two_side, 40},
    {"separate_specular", set_separate_specular, 20},
    {"material", set_material, 50},
    {"color_material", set_color_material, 30},
    {"normalize", set_normalize, 50},
    {"color_sum", set_color_sum, 10},
    {"fog", set_fog, 25},
    {"shade", set_shade, 60},
    {"provoking", set_provoking, 10},
    {"polygon_mode", set_polygon_mode, 30},
    {"cull", set_cull, 30},
    {"front_face", set_front_face, 30},
    {"polygon_stipple", set_polygon_stipple, 10},
    {"line_stipple", set_line_stipple, 20},
    {"line_width", set_line_width, 40},
    {"point_size", set_point_size, 50},
    {"point_attenuation", set_point_attenuation, 8},
    {"offset", set_offset, 20},
    {"blend", set_blend, 40},
    {"blend_equation", set_blend_equation, 20},
    {"logic_op", set_logic_op, 60},
    {"alpha", set_alpha, 15},
    {"depth", set_depth, 60},
    {"stencil", set_stencil, 30},
    {"color_mask", set_color_mask, 15},
    {"scissor", set_scissor, 20},
    {"clear", set_clear, 20},
    {"keep", set_keep, 40},
};

static int listed(const char *variable, const char *word, int otherwise)
{
    const char *text = getenv(variable);
    size_t length = strlen(word);
    if (!text)
        return otherwise;
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ',') && (at[length] == 0 || at[length] == ','))
            return 1;
    return 0;
}

/* Vertices of one batch. */
typedef struct {
    float position[4], normal[3], color[4], second[3], fog;
    GLboolean edge;
} Vertex;

static Vertex vertices[MOST];

static void place(Vertex *v, const float *center, const float *a, const float *b, float angle, float distance)
{
    for (int i = 0; i < 3; i++)
        v->position[i] = center[i] + distance * (a[i] * cosf(angle) + b[i] * sinf(angle));
    v->position[3] = 1;
}

/* `count` corners of a convex polygon in some plane. */
static void convex(Vertex *v, int count)
{
    const float center[3] = {lot(-0.7f, 0.7f), lot(-0.7f, 0.7f), lot(-0.7f, 0.7f)};
    const float size = lot(0.2f, 1.1f), turn = lot(0, 6.3f), sense = chance(50) ? 1 : -1;
    const float a[3] = {size, lot(-0.3f, 0.3f), lot(-0.8f, 0.8f)}, b[3] = {lot(-0.3f, 0.3f), size, lot(-0.8f, 0.8f)};
    for (int i = 0; i < count; i++)
        place(v + i, center, a, b, turn + sense * 6.2832f * i / count, 1);
}

/* A strip that winds through the scene: two vertices a step, quads between them (nearly) planar. */
static void ribbon(Vertex *v, int count)
{
    float start[3] = {lot(-0.9f, 0.9f), lot(-0.9f, 0.9f), lot(-0.7f, 0.7f)};
    const float step[3] = {lot(-0.4f, 0.4f), lot(-0.4f, 0.4f), lot(-0.2f, 0.2f)};
    const float across[3] = {-step[1] + 0.05f, step[0] + 0.3f, lot(-0.3f, 0.3f)};
    for (int i = 0; i < count; i++) {
        const int along = i / 2;
        for (int k = 0; k < 3; k++)
            v[i].position[k] = start[k] + along * step[k] + (i % 2) * across[k];
        v[i].position[3] = 1;
    }
}

static int make_vertices(void)
{
    int count = 4 + pick(20);
    switch (mode) {
    case GL_TRIANGLES:
        count -= count % 3;
        for (int i = 0; i < count; i += 3)
            convex(vertices + i, 3);
        break;
    case GL_QUADS:
        /* AVOIDS(one_quad): the peer cuts a single quad along its other diagonal. */
        count = count < 8 ? 8 : count - count % 4;
        for (int i = 0; i < count; i += 4)
            convex(vertices + i, 4);
        break;
    case GL_QUAD_STRIP:
    case GL_TRIANGLE_STRIP: ribbon(vertices, count); break;
    case GL_POLYGON:
    case GL_TRIANGLE_FAN:
    case GL_LINE_LOOP: convex(vertices, count = 3 + count / 3); break;
    default:
        for (int i = 0; i < count; i++)
            convex(vertices + i, 1);
    }
    /* AVOIDS(lit_eye_w): the peer takes the eye position of lit vertices as it is, GL 2.1, 2.14.1 divides it by w. */
    const int plain = chance(30), flat_quads = mode == GL_QUADS || mode == GL_QUAD_STRIP;
    const int weights = chance(20) && !flat_quads && !glIsEnabled(GL_LIGHTING) && !glIsEnabled(GL_LINE_STIPPLE);
    const float scale = chance(50) ? 1 : lot(0.4f, 2);
    const float *c = color4(0, 1);
    for (int i = 0; i < count; i++) {
        Vertex *v = &vertices[i];
        if (weights) { /* the same place, another w: more work for the clipper */
            const float w = lot(0.5f, 1.5f);
            for (int k = 0; k < 4; k++)
                v->position[k] *= w;
        }
        if (i == 0 || !plain)
            c = color4(0, 1);
        memcpy(v->color, c, sizeof v->color);
        const float n[3] = {lot(-1, 1), lot(-1, 1), lot(0.1f, 1)};
        const float length = scale / sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) {
            v->normal[k] = n[k] * length;
            v->second[k] = lot(0, 0.5f);
        }
        v->fog = lot(0, 3);
        /* AVOIDS(edge_flags_of_strips): the peer heeds the flags of strips and fans, too; GL 2.1, 2.6.2 does not. */
        v->edge = chance(75) || (mode != GL_TRIANGLES && mode != GL_QUADS && mode != GL_POLYGON);
        if (exact) /* sixteenths that every driver turns into the same byte */
            for (int k = 0; k < 4; k++)
                v->color[k] = (int) (v->color[k] * 15.99f) / 15.0f;
    }
    return count;
}

static void immediate(int count)
{
    glBegin(mode);
    for (int i = 0; i < count; i++) {
        const Vertex *v = &vertices[i];
        glNormal3fv(v->normal);
        glColor4fv(v->color);
        glSecondaryColor3fv(v->second);
        glFogCoordf(v->fog);
        glEdgeFlag(v->edge);
        glVertex4fv(v->position);
    }
    glEnd();
}

static void arrays(int count, int buffer)
{
    const char *base = (const char *) vertices;
    GLubyte order[MOST];
    GLuint names[2] = {0, 0};
    if (buffer) {
        glGenBuffers(2, names);
        glBindBuffer(GL_ARRAY_BUFFER, names[0]);
        glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
        base = NULL;
    }
    glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    glVertexPointer(4, GL_FLOAT, sizeof(Vertex), base + offsetof(Vertex, position));
    glNormalPointer(GL_FLOAT, sizeof(Vertex), base + offsetof(Vertex, normal));
    glColorPointer(4, GL_FLOAT, sizeof(Vertex), base + offsetof(Vertex, color));
    glSecondaryColorPointer(3, GL_FLOAT, sizeof(Vertex), base + offsetof(Vertex, second));
    glFogCoordPointer(GL_FLOAT, sizeof(Vertex), base + offsetof(Vertex, fog));
    glEdgeFlagPointer(sizeof(Vertex), base + offsetof(Vertex, edge));
    static const GLenum enables[] = {GL_VERTEX_ARRAY, GL_NORMAL_ARRAY, GL_COLOR_ARRAY, GL_SECONDARY_COLOR_ARRAY,
                                     GL_FOG_COORD_ARRAY, GL_EDGE_FLAG_ARRAY};
    for (int i = 0; i < LENGTH(enables); i++)
        glEnableClientState(enables[i]);
    if (form % 2) {
        glDrawArrays(mode, 0, count);
    } else {
        for (int i = 0; i < count; i++)
            order[i] = i;
        glDrawElements(mode, count, GL_UNSIGNED_BYTE, order);
    }
    glPopClientAttrib();
    glColor4f(0.2f, 0.4f, 0.6f, 0.8f); /* undefined after arrays (GL 2.1, 2.8), and materials may follow it */
    if (buffer) {
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        glDeleteBuffers(2, names);
    }
}

static void draw_vertices(int count)
{
    switch (form) {
    case 1:
    case 2: arrays(count, 0); break;
    case 3:
    case 4: arrays(count, 1); break;
    case 5:
    case 6:
        glNewList(list_name, form == 5 ? GL_COMPILE : GL_COMPILE_AND_EXECUTE);
        immediate(count);
        glEndList();
        if (form == 5)
            glCallList(list_name);
        /* AVOIDS(loop_of_list): behind a list with a line loop the peer's current values are the first vertex's. */
        glColor4fv(vertices[count - 1].color);
        break;
    default: immediate(count);
    }
}

/* SCENES_NUDGE=1,-1 moves all vertices by so many 512ths of a pixel (of the whole window's viewport): less than a
   rasteriser's grid, so a pixel that changes lies on the border of a primitive. */
static void nudge(void)
{
    const char *text = getenv("SCENES_NUDGE");
    float projection[16];
    int x, y;
    if (!text || sscanf(text, "%d,%d", &x, &y) != 2)
        return;
    glGetFloatv(GL_PROJECTION_MATRIX, projection);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glTranslatef(x / 256.0f / W, y / 256.0f / H, 0);
    glMultMatrixf(projection);
    glMatrixMode(GL_MODELVIEW);
}

/* Rules on what several groups, or this batch and one before it, have set. */
static void keep_to_rules(void)
{
    GLint modes[2];
    float projection[16];
    glGetFloatv(GL_PROJECTION_MATRIX, projection);
    /* AVOIDS(stippled_perspective): along stippled lines the peer's colours are linear in the window. */
    if (projection[11] != 0)
        glDisable(GL_LINE_STIPPLE);
    /* AVOIDS(fog_of_sums): the peer does not clamp the sum of the colours before fog, as GL 2.1, 3.9 says. */
    if (glIsEnabled(GL_FOG)) {
        glDisable(GL_COLOR_SUM);
        glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, GL_SINGLE_COLOR);
    }
    /* AVOIDS(offset_of_edges): of stippled polygons it clamps the depth of offset corners, too. (A driver that is asked
       for scenes without that group may not know the word.) */
    if (glIsEnabled(GL_POLYGON_OFFSET_FILL) && glIsEnabled(GL_POLYGON_STIPPLE) &&
        !listed("SCENES_WITHOUT", "depth_clamp", 0))
        glDisable(GL_DEPTH_CLAMP);
    /* AVOIDS(offset_of_edges): the same of all polygons while lines are stippled. */
    if (glIsEnabled(GL_POLYGON_OFFSET_FILL) && mode >= GL_TRIANGLES)
        glDisable(GL_LINE_STIPPLE);
    glGetIntegerv(GL_POLYGON_MODE, modes);
    if (!unfilled())
        return;
    /* AVOIDS(points_at_viewport): the peer cuts points of polygons at the viewport, which is no clip volume. */
    if (modes[0] == GL_POINT || modes[1] == GL_POINT)
        glViewport(0, 0, W, H);
    /* AVOIDS(offset_of_edges): the peer clamps the depth of an offset edge at its ends, GL 2.1, 3.5.5 each fragment's. */
    if (glIsEnabled(GL_POLYGON_OFFSET_LINE)) {
        glDepthRange(0.25, 0.75);
        glPolygonOffset(0, lot(-200000, 200000));
    }
    /* AVOIDS(equal_depths): an edge drawn twice, as a line and as the rim of a face, or of a polygon seen from its side,
       passes or fails the second time by the last bit of its depth. So edges are tested but leave no depth. */
    glDepthMask(GL_FALSE);
}

static void draw_batch(int seed, int batch)
{
    mode = GL_TRIANGLES;
    form = keep = 0;
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(-1, 1, -1, 1, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    /* AVOIDS(pop_attrib): the peer's glPopAttrib leaves these as they are, against GL 2.1, tables 6.8, 6.21 and
       ARB_provoking_vertex. */
    glBlendEquation(GL_FUNC_ADD);
    glDisable(GL_COLOR_SUM);
    glFogi(GL_FOG_COORD_SRC, GL_FRAGMENT_DEPTH);
    /* AVOIDS(shininess_zero): then the peer's specular light is too small where it is attenuated (GL 2.1, 2.14.1: x^0
       is 1). */
    glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 20);
    glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
    if (exact)
        glShadeModel(GL_FLAT);
    for (int i = 0; i < LENGTH(groups); i++) {
        begin_stream(seed, batch, i + 1);
        if (chance(groups[i].percent) && !listed("SCENES_WITHOUT", groups[i].name, 0))
            groups[i].set();
    }
    if (exact)
        glShadeModel(GL_FLAT);
    begin_stream(seed, batch, 1000);
    keep_to_rules();
    nudge();
    draw_vertices(make_vertices());
    settle(GL_CURRENT_COLOR);
    if (keep) { /* nothing is restored; the stack's entry goes all the same at the end of the scene */
        return;
    }
    glPopAttrib();
}

static void draw_random(int arg)
{
    const char *base = getenv("SCENES_SEED");
    const int seed = arg + (base ? atoi(base) : 0);
    list_name = glGenLists(1);
    begin_stream(seed, 0, 0);
    exact = chance(25);
    const float *c = color4(0, 0.5f);
    glClearColor(exact ? 0.2f : c[0], exact ? 0.4f : c[1], exact ? 0.6f : c[2], exact ? 1 : c[3]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    for (int batch = 0; batch < BATCHES; batch++) {
        char text[8];
        snprintf(text, sizeof text, "%d", batch);
        if (listed("SCENES_BATCHES", text, 1))
            draw_batch(seed, batch);
    }
    glDeleteLists(list_name, 1);
}

#define ROW(n) {"random_" #n, draw_random, n, 160, 150}
#define TEN(n) \
    ROW(n##0), ROW(n##1), ROW(n##2), ROW(n##3), ROW(n##4), ROW(n##5), ROW(n##6), ROW(n##7), ROW(n##8), ROW(n##9)

static const Scene scenes[] = {TEN(1), TEN(2), TEN(3), TEN(4)};
const SceneList random_list = {scenes, LENGTH(scenes)};
