/* SPDX-License-Identifier: MIT */
/* Draw buffers: the front, the back, both, none; read from one of them. */
#include "scenes.h"

static const GLubyte letter[] = {0xC3, 0xC3, 0xC3, 0xFF, 0xFF, 0xC3, 0x66, 0x3C};

static void cloud(int n)
{
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3 * n; i++) {
        hue(noise());
        glVertex3f(between(-1, 1), between(-1, 1), between(-1, 1));
    }
    glEnd();
}

static void pixels_in_front(void)
{
    GLubyte image[16 * 16][4];
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 4; c++)
            image[i][c] = (i * (c + 3) * 7) & 255;
    glRasterPos2f(-0.5f, 0.2f);
    glDrawPixels(16, 16, GL_RGBA, GL_UNSIGNED_BYTE, image);
    glColor3f(1, 1, 0);
    glRasterPos2f(0.3f, -0.4f);
    for (int i = 0; i < 5; i++)
        glBitmap(8, 8, 0, 0, 10, 3, letter);
}

/* bits 0..3: draw buffer; 16: the front is read; 32: another buffer is chosen for a while */
static void draw_buffers(int what)
{
    static const GLenum names[] = {GL_BACK, GL_FRONT, GL_FRONT_AND_BACK, GL_LEFT, GL_NONE, GL_BACK_LEFT,
                                   GL_FRONT_LEFT};
    GLenum chosen = names[what & 15];
    glDrawBuffer(GL_FRONT_AND_BACK);
    glClearColor(0.3f, 0.2f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glDrawBuffer(GL_BACK);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, W, H / 2);
    glClearColor(0.1f, 0.2f, 0.4f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    unit_square();
    glEnable(GL_DEPTH_TEST);
    cloud(12); /* into depth, before */
    glDrawBuffer(chosen);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_GREATER, 3, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    cloud(20);
    if (what & 32) {
        glDrawBuffer(GL_FRONT);
        cloud(6);
        glDrawBuffer(chosen);
    }
    cloud(20);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    cloud(8);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_BLEND);
    pixels_in_front();
    glReadBuffer(what & 16 ? GL_FRONT : GL_BACK);
}

#define B(name, what) {"buffers_" name, draw_buffers, what, 203, 151, COLOR}
static const Scene scenes[] = {
    B("back", 0), B("back_front", 16), B("front", 1), B("front_front", 17), B("both", 2), B("both_front", 18),
    B("left", 3), B("left_front", 19), B("none", 4), B("none_front", 20), B("both_turns", 34),
    B("both_turns_front", 50), B("back_left", 5), B("front_left_front", 22),
    {"buffers_both_depth", draw_buffers, 2, 203, 151, DEPTH}, {"buffers_both_stencil", draw_buffers, 34, 203, 151, STENCIL},
};
const SceneList buffer_list = {scenes, LENGTH(scenes)};
