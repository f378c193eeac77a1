/* SPDX-License-Identifier: MIT */
/* Small shapes and set-ups that many scenes use. */
#include "scenes.h"

/* Taylor's series of sine (odd = 1) or cosine (odd = 0) on -pi/4..pi/4: nothing but IEEE operations. */
static double series(double x, int odd)
{
    double square = x * x, sum = 0;
    for (int n = 20 + odd; n > 1; n -= 2)
        sum = (1 + sum) * -square / (n * (n - 1));
    return (1 + sum) * (odd ? x : 1);
}

/* The sine of x plus so many quarter turns. pi/2 is taken away in two parts, the first of 33 bits, so that
 * its products with the quarters of a million turns are exact. */
static double turned(double x, int quarters)
{
    double turns = floor(x * (2 / M_PI) + 0.5);
    double left = (x - turns * 1.57079632673412561417e+00) - turns * 6.07710050650619224932e-11;
    int quarter = ((int) turns + quarters) & 3;
    double found = series(left, !(quarter & 1));
    return quarter & 2 ? -found : found;
}

double sine(double x)
{
    return turned(x, 0);
}

double cosine(double x)
{
    return turned(x, 1);
}

static unsigned long long seed = 88172645463325252ull;

float noise(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (float) (seed >> 40) / 16777216.0f;
}

float between(float low, float high)
{
    return low + (high - low) * noise();
}

void reset_noise(void)
{
    seed = 88172645463325252ull;
}

void hue(float turn)
{
    float h = 6.0f * (turn - floorf(turn));
    float r = fabsf(h - 3) - 1, g = 2 - fabsf(h - 2), b = 2 - fabsf(h - 4);
    glColor3f(fminf(fmaxf(r, 0), 1), fminf(fmaxf(g, 0), 1), fminf(fmaxf(b, 0), 1));
}

void pixels(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, W, 0, H, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

void unit_square(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(-1, 1, -1, 1, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

void perspective(float degrees, float near, float far)
{
    double top = near * tan(degrees * M_PI / 360.0), right = top * W / H;
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-right, right, -top, top, near, far);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

void clear_all(float r, float g, float b, float a)
{
    glClearColor(r, g, b, a);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

void cell(int i, int columns, int rows)
{
    int w = W / columns, h = H / rows;
    int x = (i % columns) * w, y = (i / columns) * h;
    glViewport(x, y, w, h);
    glScissor(x, y, w, h);
    glEnable(GL_SCISSOR_TEST);
}

void whole(void)
{
    glViewport(0, 0, W, H);
    glDisable(GL_SCISSOR_TEST);
}

/* Colours and alphas lie in a plane: along which diagonal a quad is split is the driver's choice. */
void gradient_square(float size, float alpha)
{
    glBegin(GL_QUADS);
    glColor4f(1, 0.2f, 0.1f, alpha * 0.9f);
    glVertex2f(-size, -size);
    glColor4f(0.1f, 1, 0.3f, alpha * 0.25f);
    glVertex2f(size, -size);
    glColor4f(0, 0.9f, 1, alpha * 0.35f);
    glVertex2f(size, size);
    glColor4f(0.9f, 0.1f, 0.8f, alpha);
    glVertex2f(-size, size);
    glEnd();
}

static void sphere_point(double theta, double phi)
{
    float x = cos(theta) * sin(phi), y = sin(theta) * sin(phi), z = cos(phi);
    glNormal3f(x, y, z);
    glVertex3f(x, y, z);
}

void sphere(int slices, int stacks)
{
    for (int j = 0; j < stacks; j++) {
        glBegin(GL_QUAD_STRIP);
        for (int i = 0; i <= slices; i++) {
            double theta = (i % slices) * 2 * M_PI / slices;
            sphere_point(theta, j * M_PI / stacks);
            sphere_point(theta, (j + 1) * M_PI / stacks);
        }
        glEnd();
    }
}

void torus(float inner, float outer, int sides, int rings)
{
    for (int i = 0; i < rings; i++) {
        glBegin(GL_QUAD_STRIP);
        for (int j = 0; j <= sides; j++)
            for (int k = 1; k >= 0; k--) {
                double theta = ((i + k) % rings) * 2 * M_PI / rings;
                double phi = (j % sides) * 2 * M_PI / sides;
                double r = outer + inner * cos(phi);
                glNormal3f(cos(theta) * cos(phi), sin(theta) * cos(phi), sin(phi));
                glVertex3f(cos(theta) * r, sin(theta) * r, inner * sin(phi));
            }
        glEnd();
    }
}

void bar(float x0, float y0, float x1, float y1, float z)
{
    glBegin(GL_QUADS);
    glVertex3f(x0, y0, z);
    glVertex3f(x1, y0, z);
    glVertex3f(x1, y1, z);
    glVertex3f(x0, y1, z);
    glEnd();
}

void wide_lines(void)
{
    for (int i = 0; i < 12; i++) {
        glLineWidth(0.5f + 1.3f * i);
        hue(i / 12.0f);
        glBegin(GL_LINES);
        glVertex2f(15, 10 + 16 * i), glVertex2f(280, 14 + 15.3f * i);
        glEnd();
    }
}

GLuint compiled(const char *vertex, const char *fragment)
{
    GLuint program = glCreateProgram();
    for (int n = 0; n < 2; n++) {
        const char *text = n ? fragment : vertex;
        GLuint shader = glCreateShader(n ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        if (!text)
            continue;
        glShaderSource(shader, 1, &text, NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    return program;
}
