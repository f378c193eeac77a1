/* SPDX-License-Identifier: MIT */
/* Windows with four samples a pixel: edges, lines and points; what is each sample's own; operations on coverage. */
#include "scenes.h"

enum { EDGES, SLIVERS, CENTRES, INTERSECTION, STENCILS, BLENDS, LOGIC, SCISSOR, CLEARS, MASKS, OFFSETS, LIT, FLAT,
       LINES, WIDE_LINES, STIPPLED, STRIPS, POINTS, SMOOTH_POINTS, DISCS, FADING_POINTS, FADED_SQUARES, MODES, SMOOTH, ALPHA_COVERAGE, ALPHA_ONE,
       ALPHA_BOTH, COVERAGE, COVERAGE_INVERTED, PUSHED, PIXELS, SWAPPED, FRONT, FRONT_BACK, CLIPPED, STIPPLED_POLYGONS };

static void fan(int count, float r)
{
    for (int i = 0; i < count; i++) {
        float a = 2 * M_PI * i / count + 0.013f, b = a + 1.3f * M_PI / count;
        glBegin(GL_TRIANGLES);
        hue(i / (float) count);
        glVertex3f(W / 2.0f, H / 2.0f, 0);
        glVertex3f(W / 2.0f + r * cosf(a), H / 2.0f + r * sinf(a), 0);
        hue(i / (float) count + 0.3f);
        glVertex3f(W / 2.0f + r * cosf(b), H / 2.0f + r * sinf(b), 0);
        glEnd();
    }
}

static void specks(int count, float size)
{
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < count; i++) {
        float x = between(0, W), y = between(0, H);
        hue(noise());
        for (int k = 0; k < 3; k++)
            glVertex3f(x + between(-size, size), y + between(-size, size), between(-0.9f, 0.9f));
    }
    glEnd();
}

static void star(float inner, int count)
{
    float r = 0.47f * (W < H ? W : H);
    glBegin(GL_LINES);
    for (int i = 0; i < count; i++) {
        float a = 2 * M_PI * i / count + 0.004f;
        hue(i / (float) count);
        glVertex2f(W / 2.0f + r * inner * cosf(a), H / 2.0f + r * inner * sinf(a));
        hue(i / (float) count + 0.3f);
        glVertex2f(W / 2.0f + r * cosf(a), H / 2.0f + r * sinf(a));
    }
    glEnd();
}

static void dots(void)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 6; j++) {
            glPointSize(0.5f + 0.37f * (i + 8 * j));
            hue((i + 8 * j) / 48.0f);
            glBegin(GL_POINTS);
            glVertex2f(20 + 35 * i + 0.13f * j, 20 + 32 * j + 0.21f * i);
            glEnd();
        }
}

/* What dots() draws, as polygons: discs, or squares of at least `least` whose alpha is that of fading points. */
static void shapes_of_dots(int corners, float least)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 6; j++) {
            const float size = fmaxf(0.5f + 0.37f * (i + 8 * j), least ? 0 : 1), drawn = fmaxf(size, least);
            const float x = 20 + 35 * i + 0.13f * j, y = 20 + 32 * j + 0.21f * i, faded = size / drawn;
            const float r = corners == 4 ? drawn * (float) M_SQRT1_2 : drawn / 2;
            GLfloat color[4];
            hue((i + 8 * j) / 48.0f);
            glGetFloatv(GL_CURRENT_COLOR, color);
            glColor4f(color[0], color[1], color[2], faded * faded);
            glBegin(GL_POLYGON);
            for (int k = 0; k < corners; k++)
                glVertex2f(x + r * cosf(M_PI * (2 * k + 1) / corners), y + r * sinf(M_PI * (2 * k + 1) / corners));
            glEnd();
        }
}

static void alpha_ramp(void)
{
    glBegin(GL_QUADS);
    glColor4f(1, 0.5f, 0.2f, 0), glVertex2f(10, 10), glVertex2f(10, H / 2 - 5);
    glColor4f(0.2f, 0.5f, 1, 1), glVertex2f(W - 10, H / 2 - 5), glVertex2f(W - 10, 10);
    glEnd();
    for (int i = 0; i < 17; i++) {
        glColor4f(1, 1, 1, i / 16.0f);
        bar(10 + 16 * i, H / 2 + 5, 24 + 16 * i, H - 10, 0);
    }
}

static void prisms(void)
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            float x = 30 + 60 * i, y = 28 + 50 * j, a = 0.3f * i + 0.7f * j;
            glBegin(GL_TRIANGLES);
            glColor3f(1, 0.2f, 0.1f);
            glVertex3f(x - 24, y - 18, -0.5f), glVertex3f(x + 24, y - 18, -0.5f), glVertex3f(x, y + 22, 0.5f);
            glColor3f(0.1f, 0.4f, 1);
            glVertex3f(x + 26 * cosf(a), y + 20 * sinf(a), 0.4f);
            glVertex3f(x + 26 * cosf(a + 2), y + 20 * sinf(a + 2), -0.6f);
            glVertex3f(x + 26 * cosf(a + 4), y + 20 * sinf(a + 4), 0.1f);
            glEnd();
        }
}

static void three_modes(void)
{
    static const GLenum modes[] = {GL_POINT, GL_LINE, GL_FILL};
    glLineWidth(2.5f);
    glPointSize(5.5f);
    for (int i = 0; i < 6; i++) {
        glPolygonMode(GL_FRONT_AND_BACK, modes[i % 3]);
        glPushMatrix();
        glTranslatef(50 + 95 * (i % 3), 50 + 95 * (i / 3), 0);
        glRotatef(13 * i + 5, 0, 0, 1);
        hue(i / 6.0f);
        glBegin(i & 1 ? GL_QUADS : GL_POLYGON);
        glVertex2f(-35, -35), glVertex2f(35, -35);
        hue(i / 6.0f + 0.4f);
        glVertex2f(35, 35), glVertex2f(-35, 35);
        glEnd();
        glPopMatrix();
    }
}

static void image(void)
{
    static GLubyte rgba[24][32][4], bits[32];
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 32; x++) {
            GLubyte pixel[4] = {x * 8, y * 10, 255 - x * 4, 128 + 4 * x};
            memcpy(rgba[y][x], pixel, 4);
        }
    for (int i = 0; i < 32; i++)
        bits[i] = i * 37 + 11;
    glRasterPos2f(20, 20);
    glDrawPixels(32, 24, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glPixelZoom(3, -2);
    glRasterPos2f(80, 110);
    glDrawPixels(32, 24, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glPixelZoom(1, 1);
    glColor3f(1, 1, 0);
    glRasterPos2f(200, 40);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBitmap(16, 16, 0, 0, 0, 0, bits);
    glRasterPos2f(150, 130);
    glCopyPixels(10, 10, 60, 50, GL_COLOR);
}

static void draw(int what)
{
    clear_all(0.1f, 0.15f, 0.2f, 1);
    pixels();
    switch (what) {
    case EDGES:
        fan(23, 0.48f * H);
        break;
    case SLIVERS:
        specks(500, 6);
        fan(61, 0.3f * H);
        break;
    case CENTRES:
        glDisable(GL_MULTISAMPLE);
        fan(23, 0.48f * H);
        break;
    case INTERSECTION:
        glEnable(GL_DEPTH_TEST);
        prisms();
        break;
    case STENCILS:
        glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_ALWAYS, 1, 255);
        glStencilOp(GL_KEEP, GL_INCR, GL_INCR);
        glColorMask(0, 0, 0, 0);
        specks(60, 60);
        glColorMask(1, 1, 1, 1);
        glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
        for (int i = 1; i < 12; i++) {
            glStencilFunc(GL_EQUAL, i, 255);
            hue(i / 12.0f);
            bar(0, 0, W, H, 0);
        }
        break;
    case BLENDS:
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glColor4f(1, 1, 1, 0.5f);
        glBlendColor(0, 0, 0, 0.4f);
        glBlendFunc(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA);
        specks(200, 40);
        break;
    case LOGIC:
        glEnable(GL_COLOR_LOGIC_OP);
        glLogicOp(GL_XOR);
        specks(100, 50);
        break;
    case SCISSOR:
        glEnable(GL_SCISSOR_TEST);
        glScissor(37, 21, 203, 150);
        fan(23, 0.48f * H);
        break;
    case CLEARS:
        fan(23, 0.48f * H);
        glEnable(GL_SCISSOR_TEST);
        glScissor(37, 21, 103, 50);
        glClearColor(1, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glScissor(100, 60, 103, 70);
        glColorMask(0, 1, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDisable(GL_SCISSOR_TEST);
        break;
    case MASKS:
        glColorMask(1, 0, 1, 1);
        fan(23, 0.48f * H);
        glColorMask(0, 1, 0, 1);
        fan(17, 0.4f * H);
        break;
    case OFFSETS:
        glEnable(GL_DEPTH_TEST);
        prisms();
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(-1, -1);
        glDepthFunc(GL_LESS);
        glPushMatrix();
        glTranslatef(4, 3, 0);
        prisms();
        glPopMatrix();
        break;
    case LIT:
    case FLAT: {
        static const GLfloat place[] = {1, 2, 3, 0};
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        perspective(40, 1, 20);
        glMatrixMode(GL_MODELVIEW);
        glLoadIdentity();
        glTranslatef(0, 0, -5);
        glRotatef(40, 1, 1, 0);
        glShadeModel(what == FLAT ? GL_FLAT : GL_SMOOTH);
        glEnable(GL_DEPTH_TEST);
        glEnable(GL_LIGHTING);
        glEnable(GL_LIGHT0);
        glLightfv(GL_LIGHT0, GL_POSITION, place);
        torus(0.4f, 1.2f, 14, 24);
        break;
    }
    case LINES:
        star(0.25f, 48);
        break;
    case WIDE_LINES:
        wide_lines();
        break;
    case STIPPLED:
        glEnable(GL_LINE_STIPPLE);
        glLineStipple(3, 0x5b6f);
        glLineWidth(3);
        star(0.25f, 24);
        break;
    case STRIPS:
        glLineWidth(6);
        for (int k = 0; k < 6; k++) {
            glBegin(k & 1 ? GL_LINE_LOOP : GL_LINE_STRIP);
            for (int i = 0; i < 5 + 6 * k; i++) {
                float a = 2 * M_PI * i / (5 + 6 * k);
                hue(i / 30.0f + k / 6.0f);
                glVertex2f(50 + (k % 3) * 95 + 40 * cosf(a), 52 + (k / 3) * 100 + 44 * sinf(a));
            }
            glEnd();
        }
        break;
    case FADING_POINTS:
        glPointParameterf(GL_POINT_FADE_THRESHOLD_SIZE, 9);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        dots();
        break;
    case SMOOTH_POINTS:
        glEnable(GL_POINT_SMOOTH);
        dots();
        break;
    case DISCS:
        shapes_of_dots(180, 0);
        break;
    case FADED_SQUARES:
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        shapes_of_dots(4, 9);
        break;
    case POINTS:
        dots();
        break;
    case MODES:
        three_modes();
        break;
    case SMOOTH: /* has no effect while GL_MULTISAMPLE is on */
        glEnable(GL_LINE_SMOOTH);
        glEnable(GL_POLYGON_SMOOTH);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        fan(11, 0.3f * H);
        glLineWidth(2.5f);
        star(0.7f, 30);
        break;
    case ALPHA_COVERAGE:
        glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        alpha_ramp();
        break;
    case ALPHA_ONE:
        glEnable(GL_SAMPLE_ALPHA_TO_ONE);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        alpha_ramp();
        break;
    case ALPHA_BOTH:
        glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        glEnable(GL_SAMPLE_ALPHA_TO_ONE);
        glEnable(GL_DEPTH_TEST);
        alpha_ramp();
        break;
    case COVERAGE:
    case COVERAGE_INVERTED:
        glEnable(GL_SAMPLE_COVERAGE);
        for (int i = 0; i < 18; i++) {
            glSampleCoverage(i / 16.0f - 0.01f, what == COVERAGE_INVERTED);
            hue(i / 18.0f);
            bar(5.3f + 16 * i, 10.6f, 19.8f + 16 * i, H - 10.1f, 0);
        }
        break;
    case PUSHED:
        glSampleCoverage(0.5f, 0);
        glEnable(GL_SAMPLE_COVERAGE);
        glPushAttrib(GL_MULTISAMPLE_BIT);
        glSampleCoverage(0.25f, 1);
        glDisable(GL_MULTISAMPLE);
        fan(7, 0.2f * H);
        glPopAttrib();
        fan(23, 0.48f * H);
        break;
    case PIXELS:
        fan(23, 0.48f * H);
        image();
        break;
    case SWAPPED:
        fan(23, 0.48f * H);
        present();
        clear_all(0.3f, 0, 0.1f, 1);
        fan(9, 0.4f * H);
        glFinish();
        star(0.1f, 30);
        glFlush();
        break;
    case FRONT:
        fan(23, 0.48f * H);
        present();
        glDrawBuffer(GL_FRONT);
        glReadBuffer(GL_FRONT);
        fan(5, 0.3f * H);
        glFlush();
        break;
    case FRONT_BACK: /* what FRONT leaves, by way of the back buffer */
        fan(23, 0.48f * H);
        fan(5, 0.3f * H);
        break;
    case CLIPPED: {
        static const GLdouble plane[] = {0.7, 0.4, 0, -150};
        glEnable(GL_CLIP_PLANE0);
        glClipPlane(GL_CLIP_PLANE0, plane);
        fan(23, 3 * H);
        break;
    }
    case STIPPLED_POLYGONS: {
        static GLubyte pattern[128];
        for (int i = 0; i < 128; i++)
            pattern[i] = i * 29 ^ i >> 2;
        glEnable(GL_POLYGON_STIPPLE);
        glPolygonStipple(pattern);
        fan(9, 0.48f * H);
        break;
    }
    }
}

#define SCENE(name, what) {"samples_" name, draw, what, 300, 200, COLOR, 4}
static const Scene scenes[] = {
    SCENE("edges", EDGES), SCENE("slivers", SLIVERS), SCENE("centres", CENTRES),
    SCENE("intersection", INTERSECTION), SCENE("stencil", STENCILS), SCENE("blend", BLENDS), SCENE("logic", LOGIC),
    SCENE("scissor", SCISSOR), SCENE("clears", CLEARS), SCENE("masks", MASKS), SCENE("offset", OFFSETS),
    SCENE("lit", LIT), SCENE("flat", FLAT), SCENE("lines", LINES), SCENE("wide_lines", WIDE_LINES),
    SCENE("stipple", STIPPLED), SCENE("strips", STRIPS), SCENE("points", POINTS),
    SCENE("smooth_points", SMOOTH_POINTS), SCENE("discs", DISCS), SCENE("fading_points", FADING_POINTS),
    SCENE("faded_squares", FADED_SQUARES), SCENE("front_back", FRONT_BACK),
    SCENE("modes", MODES), SCENE("smooth", SMOOTH),
    SCENE("alpha_coverage", ALPHA_COVERAGE), SCENE("alpha_one", ALPHA_ONE), SCENE("alpha_both", ALPHA_BOTH),
    SCENE("coverage", COVERAGE), SCENE("coverage_inverted", COVERAGE_INVERTED), SCENE("pushed", PUSHED),
    SCENE("pixels", PIXELS), SCENE("swapped", SWAPPED),
    SCENE("clipped", CLIPPED), SCENE("stippled_polygons", STIPPLED_POLYGONS),
    {"samples_front", draw, FRONT, 300, 200, SHOWN, 4},
    {"samples_depth", draw, INTERSECTION, 300, 200, DEPTH, 4},
    {"samples_depth_of_coverage", draw, ALPHA_BOTH, 300, 200, DEPTH, 4},
    {"samples_stencil_values", draw, STENCILS, 300, 200, STENCIL, 4},
};

const SceneList sample_list = {scenes, LENGTH(scenes)};
