/* SPDX-License-Identifier: MIT */
/* What happens to fragments: blending, depth, stencil, alpha test, logic ops, masks, scissor, clears. */
#include "scenes.h"

static const GLenum factors[] = {
    GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR,
    GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR,
    GL_ONE_MINUS_CONSTANT_COLOR, GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE,
};
static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
static const GLenum functions[] = {
    GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS,
};

static void background(void)
{
    glDisable(GL_BLEND);
    glPushMatrix();
    glRotatef(90, 0, 0, 1);
    gradient_square(1, 0.9f);
    glPopMatrix();
}

/* Every source with every destination factor under one equation (SRC_ALPHA_SATURATE is a source only). */
static void draw_factors(int equation)
{
    clear_all(0, 0, 0, 0);
    unit_square();
    glBlendColor(0.3f, 0.6f, 0.9f, 0.4f);
    glBlendEquation(equation);
    for (int i = 0; i < 15 * 14; i++) {
        cell(i, 15, 14);
        background();
        glEnable(GL_BLEND);
        glBlendFunc(factors[i % 15], factors[i / 15]);
        gradient_square(0.8f, 0.8f);
    }
    whole();
}

static void draw_separate(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 0);
    unit_square();
    glBlendColor(0.3f, 0.6f, 0.9f, 0.4f);
    for (int i = 0; i < 15 * 10; i++) {
        cell(i, 15, 10);
        background();
        glEnable(GL_BLEND);
        glBlendFuncSeparate(factors[i % 15], factors[i * 7 % 14], factors[i * 4 % 15], factors[i * 11 / 3 % 14]);
        glBlendEquationSeparate(equations[i % 5], equations[i / 5 % 5]);
        gradient_square(0.8f, 0.8f);
    }
    whole();
}

/* Many layers of smooth translucent triangles, each on top of the last. */
static void draw_layers(int count)
{
    clear_all(0.2f, 0.1f, 0, 1);
    pixels();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3 * count; i++) {
        glColor4f(noise(), noise(), noise(), between(0.1f, 0.6f));
        glVertex2f(between(-30, W + 30), between(-30, H + 30));
    }
    glEnd();
}

static void draw_depth_functions(int mask)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 8; i++) {
        cell(i, 4, 2);
        glDepthMask(GL_TRUE);
        glDepthFunc(GL_ALWAYS);
        glColor3f(0.2f, 0.2f, 0.6f);
        bar(-0.8f, -0.8f, 0.8f, 0.8f, 0.25f);
        glDepthFunc(functions[i]);
        glDepthMask(mask);
        glBegin(GL_TRIANGLES);
        glColor3f(1, 0.4f, 0), glVertex3f(-1, -0.9f, -1), glVertex3f(1, -0.5f, 1), glVertex3f(0, 0.9f, -0.25f);
        glEnd();
        glColor3f(0, 0.8f, 0.3f);
        bar(-0.3f, -0.9f, 0.3f, 0.4f, 0.25f);
        bar(-0.9f, 0.1f, 0.9f, 0.3f, -0.2f);
    }
    whole();
}

/* The test compares against a ramp of stencil values that bars have left. */
static void stencil_ramp(void)
{
    glEnable(GL_STENCIL_TEST);
    glStencilMask(~0u);
    glStencilOp(GL_REPLACE, GL_REPLACE, GL_REPLACE);
    for (int k = 0; k < 8; k++) {
        glStencilFunc(GL_ALWAYS, k * 36, ~0u);
        glColor3f(0.1f * k, 0.1f, 0.3f);
        bar(-1 + k * 0.25f, -1, -0.75f + k * 0.25f, 1, 0.5f);
    }
}

static void draw_stencil_functions(int mask)
{
    clear_all(0, 0, 0, 1);
    unit_square();
    for (int i = 0; i < 8; i++) {
        cell(i, 4, 2);
        stencil_ramp();
        glStencilFunc(functions[i], 108, mask);
        glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
        glColor3f(1, 0.9f, 0.2f);
        bar(-0.9f, -0.7f, 0.9f, 0.7f, 0);
    }
    whole();
}

/* Every operation in each of the three places; a part fails stencil, a part fails depth, a part passes. */
static void draw_stencil_ops(int write_mask)
{
    static const GLenum ops[] = {
        GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP,
    };
    clear_all(0, 0, 0, 1);
    unit_square();
    for (int i = 0; i < 24; i++) {
        cell(i, 8, 3);
        glDisable(GL_DEPTH_TEST);
        stencil_ramp();
        glEnable(GL_DEPTH_TEST);
        glStencilMask(write_mask);
        glStencilFunc(GL_LEQUAL, 72, ~0u);
        glStencilOp(i / 8 == 0 ? ops[i % 8] : GL_KEEP, i / 8 == 1 ? ops[i % 8] : GL_KEEP,
                    i / 8 == 2 ? ops[i % 8] : GL_KEEP);
        glDepthFunc(GL_LESS);
        glColor3f(1, 0.9f, 0.2f);
        bar(-1, -0.6f, 1, 0.1f, 1);
        bar(-1, -0.2f, 1, 0.6f, 0);
        bar(-1, 0.4f, 1, 0.8f, -0.5f);
        glDisable(GL_DEPTH_TEST);
    }
    whole();
}

/* A shape cut by the silhouette of another: stencil counts layers of triangles. */
static void draw_stencil_count(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    pixels();
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 0, ~0u);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    glColorMask(0, 0, 0, 0);
    draw_layers(0);
    glColor3f(1, 1, 1);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3 * 30; i++)
        glVertex2f(between(-30, W + 30), between(-30, H + 30));
    glEnd();
    glColorMask(1, 1, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glDisable(GL_BLEND);
    for (int i = 0; i < 16; i++) {
        glStencilFunc(GL_EQUAL, i, ~0u);
        hue(i / 16.0f);
        bar(0, 0, W, H, 0);
    }
}

static void draw_logic_ops(int unused)
{
    (void) unused;
    clear_all(0, 0, 0, 1);
    unit_square();
    for (int i = 0; i < 16; i++) {
        cell(i, 4, 4);
        glDisable(GL_COLOR_LOGIC_OP);
        background();
        glEnable(GL_COLOR_LOGIC_OP);
        glLogicOp(GL_CLEAR + i);
        gradient_square(0.7f, 0.6f);
    }
    whole();
}

static void draw_alpha_functions(int unused)
{
    static const float refs[] = {0, 0.3f, 0.5f, 1};
    (void) unused;
    clear_all(0.2f, 0.2f, 0.2f, 1);
    unit_square();
    glEnable(GL_ALPHA_TEST);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 32; i++) {
        cell(i, 8, 4);
        glAlphaFunc(functions[i % 8], refs[i / 8]);
        gradient_square(0.9f, 1);
        glColor4f(1, 1, 1, 0.5f);
        bar(-0.2f, -1, 0.2f, 1, 0.1f);
    }
    whole();
}

static void draw_color_masks(int blended)
{
    clear_all(0.5f, 0.5f, 0.5f, 0.5f);
    unit_square();
    for (int i = 0; i < 16; i++) {
        cell(i, 4, 4);
        glColorMask(i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1);
        if (blended) {
            glEnable(GL_BLEND);
            glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        }
        gradient_square(0.8f, 0.9f);
        glScissor(5 + (i % 4) * 75, 3 + i / 4 * 50, 20, 17);
        glClearColor(1, 0, 1, 0);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    whole();
}

static void draw_scissor(int unused)
{
    static const int boxes[][4] = {
        {-20, -20, 60, 50}, {50, 30, 101, 33}, {64, 64, 64, 64}, {170, 5, 1, 150}, {180, 100, 90, 1},
        {280, 180, 500, 500}, {200, 20, 0, 50}, {207, 120, 61, 67},
    };
    (void) unused;
    clear_all(0, 0, 0.2f, 1);
    unit_square();
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < LENGTH(boxes); i++) {
        glScissor(boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]);
        gradient_square(1, 1);
        glColor3f(0, 0, 0);
        glLineWidth(2);
        glBegin(GL_LINES);
        glVertex2f(-1, -1), glVertex2f(1, 1), glVertex2f(-1, 1), glVertex2f(1, -1);
        glEnd();
    }
}

/* Clears of parts, of single buffers, through masks, of values out of range. */
static void draw_clears(int unused)
{
    (void) unused;
    clear_all(0.3f, 0.3f, 0.3f, 1);
    pixels();
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 30; i++) {
        glScissor(3 + 17 * i % 250, 5 + 29 * i % 170, 7 + i * 3, 5 + i);
        glClearColor(i % 4 * 0.4f - 0.1f, i % 3 * 0.5f, i % 5 * 0.25f, i % 2);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glScissor(20, 20, 150, 100);
    glClearDepth(0.25);
    glClear(GL_DEPTH_BUFFER_BIT);
    glScissor(60, 60, 200, 100);
    glClearStencil(5);
    glStencilMask(6);
    glClear(GL_STENCIL_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 4, ~0u);
    glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
    glColor3f(0, 1, 0);
    bar(0, 0, W, H, 0);
    glStencilFunc(GL_EQUAL, 0, ~0u);
    glColor3f(1, 0, 0);
    bar(30, 30, 230, 140, 0.7f);
}

/* Clear, draw, clear again, draw: only the last counts, also where the first was fast. */
static void draw_clear_twice(int unused)
{
    (void) unused;
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 3; i++) {
        clear_all(0.2f * i, 0.1f, 0.4f - 0.2f * i, 1);
        unit_square();
        glRotatef(30 * i, 0, 0, 1);
        gradient_square(0.6f, 1);
        if (i == 1) {
            GLubyte pixel[4];
            glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        }
    }
    glClear(GL_DEPTH_BUFFER_BIT);
    glColor3f(1, 1, 0);
    bar(-0.2f, -0.9f, 0.2f, 0.9f, -0.5f);
}

static const Scene scenes[] = {
    {"blend_factors_add", draw_factors, GL_FUNC_ADD, 301, 301},
    {"blend_factors_subtract", draw_factors, GL_FUNC_SUBTRACT, 301, 301},
    {"blend_factors_reverse", draw_factors, GL_FUNC_REVERSE_SUBTRACT, 301, 301},
    {"blend_factors_min", draw_factors, GL_MIN, 301, 301},
    {"blend_factors_max", draw_factors, GL_MAX, 301, 301},
    {"blend_separate", draw_separate, 0, 301, 203},
    {"blend_layers", draw_layers, 40, 301, 203},
    {"depth_functions", draw_depth_functions, 1, 301, 203},
    {"depth_functions_z", draw_depth_functions, 1, 301, 203, DEPTH},
    {"depth_functions_no_write", draw_depth_functions, 0, 301, 203},
    {"depth_functions_no_write_z", draw_depth_functions, 0, 301, 203, DEPTH},
    {"stencil_functions", draw_stencil_functions, 255, 301, 203},
    {"stencil_functions_mask", draw_stencil_functions, 0x64, 301, 203},
    {"stencil_functions_s", draw_stencil_functions, 255, 301, 203, STENCIL},
    {"stencil_ops", draw_stencil_ops, 255, 403, 203},
    {"stencil_ops_s", draw_stencil_ops, 255, 403, 203, STENCIL},
    {"stencil_ops_mask_s", draw_stencil_ops, 0x5a, 403, 203, STENCIL},
    {"stencil_ops_z", draw_stencil_ops, 255, 403, 203, DEPTH},
    {"stencil_count", draw_stencil_count, 0, 301, 203},
    {"logic_ops", draw_logic_ops, 0, 301, 203},
    {"alpha_functions", draw_alpha_functions, 0, 401, 203},
    {"color_masks", draw_color_masks, 0, 301, 203},
    {"color_masks_blended", draw_color_masks, 1, 301, 203},
    {"scissor", draw_scissor, 0, 301, 203},
    {"clears", draw_clears, 0, 301, 203},
    {"clears_z", draw_clears, 0, 301, 203, DEPTH},
    {"clears_s", draw_clears, 0, 301, 203, STENCIL},
    {"clear_twice", draw_clear_twice, 0, 301, 203},
};
const SceneList fragment_list = {scenes, LENGTH(scenes)};
