/* SPDX-License-Identifier: MIT */
/* Windows that can hold sRGB-encoded colours: what is drawn and cleared with GL_FRAMEBUFFER_SRGB on, off and in turns. */
#include "scenes.h"

enum { OFF, ON, BLEND, FACTORS, EQUATIONS, CLEARS, CLEARS_OFF, TURNS, MASKS, PIXELS, COPIES, SMOOTH, PUSHED, EDGES,
       EDGES_OFF, READ };

static void triangle(float r, float g, float b)
{
    glBegin(GL_TRIANGLES);
    glColor4f(r, 0, 0, 1);
    glVertex2f(0.05f * W, 0.05f * H);
    glColor4f(0, g, 0, 0.6f);
    glVertex2f(0.95f * W, 0.1f * H);
    glColor4f(0, 0, b, 0.1f);
    glVertex2f(0.4f * W, 0.95f * H);
    glEnd();
}

static void ramp(float y0, float y1, float alpha)
{
    glBegin(GL_QUADS);
    glColor4f(0, 0, 0, alpha);
    glVertex2f(0, y0);
    glVertex2f(0, y1);
    glColor4f(1, 1, 1, alpha);
    glVertex2f(W, y1);
    glVertex2f(W, y0);
    glEnd();
}

static void bars(void)
{
    for (int i = 0; i < 8; i++) {
        hue(i / 8.0f);
        glRectf(W * i / 8.0f, 0, W * (i + 1) / 8.0f, H);
    }
}

static void veil(int i, float alpha)
{
    glColor4f(0.9f - 0.1f * i, 0.2f + 0.1f * i, 0.5f, alpha);
    glRectf(0, H * i / 8.0f, W, H * (i + 0.8f) / 8.0f);
}

static void fan(int count)
{
    for (int i = 0; i < count; i++) {
        float a = 2 * M_PI * i / count + 0.013f, b = a + 1.3f * M_PI / count, r = 0.48f * H;
        glBegin(GL_TRIANGLES);
        hue(i / (float) count);
        glVertex2f(W / 2.0f, H / 2.0f);
        glVertex2f(W / 2.0f + r * cosf(a), H / 2.0f + r * sinf(a));
        glVertex2f(W / 2.0f + r * cosf(b), H / 2.0f + r * sinf(b));
        glEnd();
    }
}

static void clears(void)
{
    for (int i = 0; i < 16; i++) {
        float v = i / 16.0f;
        cell(i, 4, 4);
        glEnable(GL_SCISSOR_TEST);
        if (i & 1)
            glColorMask(i & 2, GL_TRUE, i & 4, i & 8);
        glClearColor(v, v * v, 1 - v, v);
        glClear(GL_COLOR_BUFFER_BIT);
        glColorMask(1, 1, 1, 1);
    }
    whole();
    glDisable(GL_SCISSOR_TEST);
}

static void image(float x, float y)
{
    static GLubyte rgba[32 * 32 * 4];
    for (int i = 0; i < 32 * 32; i++) {
        rgba[4 * i] = i % 32 * 8;
        rgba[4 * i + 1] = i / 32 * 8;
        rgba[4 * i + 2] = 255 - i / 4;
        rgba[4 * i + 3] = i % 32 * 8;
    }
    glRasterPos2f(x, y);
    glDrawPixels(32, 32, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}

static void draw(int what)
{
    static const GLenum factors[][2] = {
        {GL_ONE, GL_ONE}, {GL_SRC_ALPHA, GL_ONE}, {GL_DST_COLOR, GL_ZERO}, {GL_ONE_MINUS_DST_COLOR, GL_ONE},
        {GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR}, {GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA},
        {GL_ZERO, GL_SRC_COLOR}, {GL_SRC_ALPHA_SATURATE, GL_ONE},
    };
    static const GLenum equations[] = {
        GL_MIN, GL_MAX, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_FUNC_ADD, GL_MIN, GL_MAX, GL_FUNC_ADD,
    };
    int on = what != OFF && what != CLEARS_OFF && what != EDGES_OFF;
    pixels();
    if (on)
        glEnable(GL_FRAMEBUFFER_SRGB);
    clear_all(0.2f, 0.05f, 0.5f, 0.7f);
    switch (what) {
    case OFF:
    case ON:
        ramp(0, 0.2f * H, 1);
        triangle(1, 1, 1);
        break;
    case BLEND:
        bars();
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        ramp(0.1f * H, 0.5f * H, 0.5f);
        triangle(1, 0.5f, 1);
        break;
    case FACTORS:
    case EQUATIONS:
        bars();
        glEnable(GL_BLEND);
        glBlendColor(0.3f, 0.6f, 0.1f, 0.5f);
        for (int i = 0; i < 8; i++) {
            if (what == FACTORS)
                glBlendFunc(factors[i][0], factors[i][1]);
            else
                glBlendEquation(equations[i]);
            veil(i, 0.4f);
        }
        break;
    case CLEARS:
    case CLEARS_OFF:
        clears();
        break;
    case TURNS:
        for (int i = 0; i < 6; i++) {
            (i & 1 ? glEnable : glDisable)(GL_FRAMEBUFFER_SRGB);
            ramp(H * i / 6.0f, H * (i + 1) / 6.0f, 1);
        }
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        for (int i = 0; i < 8; i++) {
            (i & 1 ? glEnable : glDisable)(GL_FRAMEBUFFER_SRGB);
            veil(i, 0.5f);
        }
        break;
    case MASKS:
        for (int i = 0; i < 8; i++) {
            glColorMask(i & 1, i & 2, i & 4, 1);
            ramp(H * i / 8.0f, H * (i + 1) / 8.0f, 0.5f);
        }
        break;
    case PIXELS:
        image(10, 10);
        glPixelZoom(2, 2);
        image(60, 10);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        image(10, 90);
        glPixelTransferf(GL_RED_SCALE, 0.5f);
        image(80, 90);
        glPixelTransferf(GL_RED_SCALE, 1);
        break;
    case COPIES:
        glDisable(GL_FRAMEBUFFER_SRGB);
        triangle(1, 1, 1);
        glRasterPos2f(100, 20);
        glCopyPixels(0, 0, 60, 60, GL_COLOR);
        break;
    case SMOOTH:
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        for (int i = 0; i < 12; i++) {
            hue(i / 12.0f);
            glRectf(10, 12 * i + 10, W - 10, 12 * i + 17.5f);
        }
        break;
    case PUSHED:
        glPushAttrib(GL_COLOR_BUFFER_BIT);
        glDisable(GL_FRAMEBUFFER_SRGB);
        ramp(0, 0.3f * H, 1);
        glPopAttrib();
        ramp(0.3f * H, 0.6f * H, 1);
        glPushAttrib(GL_ENABLE_BIT);
        glDisable(GL_FRAMEBUFFER_SRGB);
        glPopAttrib();
        ramp(0.6f * H, 0.9f * H, 1);
        break;
    case EDGES:
    case EDGES_OFF:
        fan(9);
        break;
    case READ: {
        static GLubyte read[64 * 64 * 4];
        triangle(1, 1, 1);
        glReadPixels(0, 0, 64, 64, GL_RGBA, GL_UNSIGNED_BYTE, read);
        glDisable(GL_FRAMEBUFFER_SRGB);
        glRasterPos2f(100, 20);
        glDrawPixels(64, 64, GL_RGBA, GL_UNSIGNED_BYTE, read);
        break;
    }
    }
}

#define SCENE(name, what) {"srgb_" name, draw, what, 200, 160, COLOR, 0, 0, 1}
#define PLAIN(name, what) {"srgb_" name, draw, what, 200, 160, COLOR, 0, 0, 0}
#define SAMPLES(name, what) {"srgb_" name, draw, what, 200, 160, COLOR, 4, 0, 1}
static const Scene scenes[] = {
    SCENE("off", OFF), SCENE("on", ON), SCENE("blend", BLEND), SCENE("factors", FACTORS),
    SCENE("equations", EQUATIONS), SCENE("clears", CLEARS), SCENE("clears_off", CLEARS_OFF), SCENE("turns", TURNS),
    SCENE("masks", MASKS), SCENE("pixels", PIXELS), SCENE("copies", COPIES), SCENE("smooth", SMOOTH),
    SCENE("pushed", PUSHED), SCENE("read", READ),
    PLAIN("not_capable", ON), PLAIN("not_capable_blend", BLEND), PLAIN("not_capable_clears", CLEARS),
    SAMPLES("samples", EDGES), SAMPLES("samples_off", EDGES_OFF), SAMPLES("samples_blend", BLEND),
    SAMPLES("samples_clears", CLEARS),
};

const SceneList srgb_list = {scenes, LENGTH(scenes)};
