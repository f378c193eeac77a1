/* SPDX-License-Identifier: MIT */
/* The accumulation buffer: sums of frames, operations one by one, scissor, masks, clear values. */
#include "scenes.h"

static void frame(float turn)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glPushMatrix();
    glRotatef(turn, 0, 0, 1);
    gradient_square(0.7f, 1);
    glPopMatrix();
}

/* One frame alone, from which oracles.py accumulates: the turn, and for -10 the other background. */
static void draw_frame(int turn)
{
    if (turn < 0)
        clear_all(0.8f, 0.5f, 0, 1);
    else
        clear_all(0.1f, 0.3f, 0.2f, 1);
    frame(turn);
}

/* Motion blur: eight frames, each an eighth. */
static void draw_blur(int unused)
{
    (void) unused;
    clear_all(0.1f, 0.3f, 0.2f, 1);
    glClear(GL_ACCUM_BUFFER_BIT);
    for (int i = 0; i < 8; i++) {
        frame(i * 6.0f);
        glAccum(i ? GL_ACCUM : GL_LOAD, 1.0f / 8);
    }
    glAccum(GL_RETURN, 1);
}

/* Each operation in a cell of its own, which the scissor cuts out. */
static void draw_operations(int unused)
{
    (void) unused;
    clear_all(0.1f, 0.3f, 0.2f, 1);
    frame(20);
    for (int i = 0; i < 12; i++) {
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        glEnable(GL_SCISSOR_TEST);
        glScissor(i % 4 * W / 4, i / 4 * H / 3, W / 4, H / 3);
        glClearAccum(0.25f, -0.5f, 0.125f, 1);
        glClear(GL_ACCUM_BUFFER_BIT);
        switch (i) {
        case 0: glAccum(GL_ACCUM, 0.5f), glAccum(GL_RETURN, 1); break;
        case 1: glAccum(GL_LOAD, 0.75f), glAccum(GL_RETURN, 1.2f); break;
        case 2: glAccum(GL_LOAD, 1), glAccum(GL_MULT, 0.4f), glAccum(GL_RETURN, 1); break;
        case 3: glAccum(GL_LOAD, 1), glAccum(GL_ADD, -0.3f), glAccum(GL_RETURN, 1); break;
        case 4: glAccum(GL_RETURN, 1); break;
        case 5: glAccum(GL_LOAD, -1), glAccum(GL_ADD, 1), glAccum(GL_RETURN, 1); break;
        case 6: glColorMask(1, 0, 1, 0), glAccum(GL_LOAD, 0.3f), glAccum(GL_RETURN, 1); break;
        case 7: glColorMask(0, 1, 0, 1), glAccum(GL_RETURN, -1); break;
        case 8: glAccum(GL_LOAD, 1), glAccum(GL_MULT, -1), glAccum(GL_RETURN, -0.9f); break;
        case 9: glEnable(GL_BLEND), glEnable(GL_ALPHA_TEST), glAccum(GL_ADD, 0.5f), glAccum(GL_RETURN, 1); break;
        case 10: glAccum(GL_LOAD, 0.1f), glAccum(GL_ACCUM, 0.1f), glAccum(GL_RETURN, 3); break;
        case 11: glScissor(W * 3 / 4 + 5, H * 2 / 3 + 7, 33, 21), glAccum(GL_LOAD, 0.5f), glAccum(GL_RETURN, 1); break;
        }
        glPopAttrib();
    }
}

/* From one buffer to the other. */
static void draw_buffers(int unused)
{
    (void) unused;
    clear_all(0.1f, 0.3f, 0.2f, 1);
    frame(30);
    glDrawBuffer(GL_FRONT);
    glClearColor(0.8f, 0.5f, 0, 1);
    frame(-10);
    glReadBuffer(GL_FRONT);
    glAccum(GL_LOAD, 0.5f);
    glReadBuffer(GL_BACK);
    glAccum(GL_ACCUM, 0.5f);
    glDrawBuffer(GL_BACK);
    glAccum(GL_RETURN, 1);
}

#define FRAME(turn) {"accum_frame_" #turn, draw_frame, turn, 301, 203}
static const Scene scenes[] = {
    FRAME(0), FRAME(6), FRAME(12), FRAME(18), FRAME(24), FRAME(30), FRAME(36), FRAME(42), FRAME(20),
    {"accum_frame_front", draw_frame, -10, 301, 203},
    {"accum_blur", draw_blur, 0, 301, 203, .accum = 16},
    {"accum_operations", draw_operations, 0, 301, 203, .accum = 16},
    {"accum_buffers", draw_buffers, 0, 301, 203, .accum = 16},
};
const SceneList accum_list = {scenes, LENGTH(scenes)};
