/* SPDX-License-Identifier: MIT */
/* Raster positions, bitmaps, glDrawPixels and glCopyPixels with zoom, transfer and tests. */
#include "scenes.h"

/* 8 rows of 9 bits. A row takes 2 bytes, so who draws it unpacks with an alignment of 2: with the usual one of 4
   the last rows would be read from behind the array, where compilers put what they like. */
static const unsigned char glyph[] = {
    0xc3, 0x80, 0xc3, 0x80, 0xc3, 0x80, 0xff, 0x80, 0x66, 0x00, 0x3c, 0x00, 0x18, 0x00, 0x99, 0x80,
};

static unsigned char image[48][64][4];

static void make_image(void)
{
    for (int y = 0; y < 48; y++)
        for (int x = 0; x < 64; x++) {
            image[y][x][0] = (unsigned char) (x * 4);
            image[y][x][1] = (unsigned char) (y * 5);
            image[y][x][2] = (x / 8 + y / 8) % 2 ? 255 : 30;
            image[y][x][3] = (unsigned char) (255 - x * 2);
        }
}

/* Rows of glyphs whose colour, depth and place come from raster positions.
   AVOIDS(lit_raster_color): the peer leaves lit raster colours white. */
static void draw_bitmaps(int unused)
{
    (void) unused;
    clear_all(0.1f, 0.1f, 0.2f, 1);
    perspective(60, 1, 20);
    glEnable(GL_DEPTH_TEST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    for (int i = 0; i < 60; i++) {
        hue(i / 60.0f);
        glRasterPos3f((i % 10 - 4.6f) * 0.41f, (i / 10 - 2.6f) * 0.43f, -3 - i % 7 * 0.5f);
        for (int k = 0; k < 3; k++)
            glBitmap(9, 8, 2.5f, 1.5f, 10.25f, k - 0.5f, glyph);
    }
}

/* Every way an image can be zoomed. */
static void draw_zooms(int unused)
{
    const float zooms[][2] = {{1, 1}, {2, 1.5f}, {-1, 1}, {1, -1}, {0.5f, 0.75f}, {-0.6f, -1.3f}};
    (void) unused;
    clear_all(0.1f, 0.1f, 0.2f, 1);
    make_image();
    for (int i = 0; i < LENGTH(zooms); i++) {
        glWindowPos2i(20 + i % 3 * 90 + (zooms[i][0] < 0 ? 60 : 0),
                      10 + i / 3 * 90 + (zooms[i][1] < 0 ? 60 : 0));
        glPixelZoom(zooms[i][0], zooms[i][1]);
        glDrawPixels(64, 48, GL_RGBA, GL_UNSIGNED_BYTE, image);
    }
}

/* Unpacking, transfer operations, fragment operations.
   AVOIDS(pixel_maps): the peer puts red and green where blue and alpha belong. */
static void draw_transfer(int unused)
{
    (void) unused;
    clear_all(0.4f, 0.1f, 0.2f, 1);
    make_image();
    for (int i = 0; i < 12; i++) {
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        glPushClientAttrib(GL_CLIENT_PIXEL_STORE_BIT);
        GLenum format = GL_RGBA;
        int width = 64;
        switch (i) {
        case 1: glPixelTransferf(GL_RED_SCALE, 0.5f), glPixelTransferf(GL_BLUE_BIAS, -0.3f); break;
        case 2: glPixelTransferf(GL_ALPHA_SCALE, 0.5f), glPixelTransferf(GL_GREEN_BIAS, 0.2f); break;
        case 3: glEnable(GL_BLEND), glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA); break;
        case 4: glEnable(GL_ALPHA_TEST), glAlphaFunc(GL_GREATER, 0.7f); break;
        case 5: glEnable(GL_SCISSOR_TEST), glScissor(100, 60, 30, 20); break;
        case 6: glColorMask(1, 0, 1, 0); break;
        case 7: glEnable(GL_COLOR_LOGIC_OP), glLogicOp(GL_XOR); break;
        case 8: format = GL_LUMINANCE, glPixelStorei(GL_UNPACK_ROW_LENGTH, 256); break;
        case 9: format = GL_BGR, width = 48, glPixelStorei(GL_UNPACK_SKIP_ROWS, 4); break;
        case 10: format = GL_LUMINANCE_ALPHA, glPixelStorei(GL_UNPACK_SKIP_PIXELS, 20); break;
        case 11: format = GL_ALPHA; break;
        }
        glWindowPos2i(4 + i % 4 * 73, 4 + i / 4 * 52);
        glDrawPixels(width, 44, format, GL_UNSIGNED_BYTE, image);
        glPopClientAttrib();
        glPopAttrib();
    }
}

/* Every kind of memory that pixels come from. Numbers are chosen so that all of them say the same colours. */
static void draw_formats(int unused)
{
    static const struct { GLenum format, type; int bytes; } kinds[] = {
        {GL_RGBA, GL_UNSIGNED_BYTE, 4}, {GL_BGRA, GL_UNSIGNED_BYTE, 4}, {GL_RGB, GL_UNSIGNED_BYTE, 3},
        {GL_BGR, GL_UNSIGNED_BYTE, 3}, {GL_ABGR_EXT, GL_UNSIGNED_BYTE, 4}, {GL_RED, GL_UNSIGNED_BYTE, 1},
        {GL_GREEN, GL_UNSIGNED_BYTE, 1}, {GL_LUMINANCE, GL_UNSIGNED_SHORT, 2}, {GL_RGBA, GL_UNSIGNED_SHORT, 8},
        {GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2}, {GL_RGBA, GL_UNSIGNED_INT, 16}, {GL_RGB, GL_UNSIGNED_SHORT, 6},
        {GL_RGB, GL_UNSIGNED_BYTE_3_3_2, 1}, {GL_RGB, GL_UNSIGNED_BYTE_2_3_3_REV, 1},
        {GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2}, {GL_RGB, GL_UNSIGNED_SHORT_5_6_5_REV, 2},
        {GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2}, {GL_BGRA, GL_UNSIGNED_SHORT_4_4_4_4_REV, 2},
        {GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2}, {GL_BGRA, GL_UNSIGNED_SHORT_1_5_5_5_REV, 2},
        {GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, 4}, {GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4},
        {GL_RGBA, GL_UNSIGNED_INT_10_10_10_2, 4}, {GL_BGRA, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    };
    (void) unused;
    clear_all(0.4f, 0.1f, 0.2f, 1);
    make_image();
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (int i = 0; i < LENGTH(kinds) * 2; i++) {
        int kind = i / 2;
        glPixelStorei(GL_UNPACK_SWAP_BYTES, i % 2);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 256 / kinds[kind].bytes);
        glWindowPos2i(3 + i % 12 * 25, 5 + i / 12 * 50);
        glDrawPixels(16, 44, kinds[kind].format, kinds[kind].type, image);
    }
}

/* Colour sum and fog by our own hands: alpha stays. */
static void mix(float *color, const float *added, float distance)
{
    static const float fog[3] = {0.8f, 0.8f, 0.2f};
    const float left = fminf(fmaxf((9 - distance) / (9 - 2), 0), 1);
    for (int c = 0; c < 3; c++)
        color[c] = left * fminf(color[c] + added[c], 1) + (1 - left) * fog[c];
}

static void mix_image(const float *added, float distance)
{
    make_image();
    for (int i = 0; i < 48 * 64; i++) {
        float color[3];
        for (int c = 0; c < 3; c++)
            color[c] = image[i / 64][i % 64][c] / 255.0f;
        mix(color, added, distance);
        for (int c = 0; c < 3; c++)
            image[i / 64][i % 64][c] = (unsigned char) (color[c] * 255 + 0.5f);
    }
}

/* AVOIDS(image_ties): never at .5, the peer moves images whose borders are at the centres of pixels.
   Fog, colour sum and tests by the raster position's values; `mixed`: the same without fog, from mixed colours. */
static void draw_fogged(int mixed)
{
    clear_all(0.1f, 0.1f, 0.2f, 1);
    perspective(60, 1, 20);
    make_image();
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    if (!mixed)
        glEnable(GL_FOG), glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 2), glFogf(GL_FOG_END, 9);
    glFogfv(GL_FOG_COLOR, (const float[]) {0.8f, 0.8f, 0.2f, 1});
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 8; i++) {
        float color[3] = {0.2f, 0.9f, 0.4f};
        const float added[3] = {i < 4 ? 0 : 0.3f, 0, i < 4 ? 0 : 0.4f}, distance = 2.5f + i * 0.6f;
        if (i == 4 && !mixed)
            glEnable(GL_COLOR_SUM), glSecondaryColor3fv(added);
        if (mixed)
            mix(color, added, distance), mix_image(added, distance);
        glColor3fv(color);
        glRasterPos3f((i % 4 - 2) * 0.7f + 0.01f, (i / 4 - 1) * 0.8f + 0.01f, -distance);
        glDrawPixels(40, 40, GL_RGBA, GL_UNSIGNED_BYTE, image);
        for (int k = 0; k < 5; k++)
            glBitmap(9, 8, 0, -42, 10, 0, glyph);
    }
}

/* Copies of what is there, zoomed, and through depth and stencil. */
static void draw_copies(int unused)
{
    float depths[40][40];
    unsigned char marks[40][40];
    (void) unused;
    clear_all(0.1f, 0.2f, 0.2f, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    glPushMatrix();
    glViewport(0, 0, 100, 100);
    gradient_square(0.9f, 1);
    glPopMatrix();
    glViewport(0, 0, W, H);
    glWindowPos2i(110, 5);
    glCopyPixels(10, 10, 80, 80, GL_COLOR);
    glWindowPos2i(5, 200), glPixelZoom(1, -2);
    glCopyPixels(10, 10, 80, 45, GL_COLOR);
    glPixelZoom(1, 1);
    glWindowPos2i(150, 40); /* over itself */
    glCopyPixels(110, 5, 80, 80, GL_COLOR);
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 40; x++) {
            depths[y][x] = (x + y) / 80.0f;
            marks[y][x] = (unsigned char) ((x / 5 + y / 5) % 4);
        }
    glEnable(GL_DEPTH_TEST), glDepthFunc(GL_ALWAYS);
    glColor3f(0.5f, 0.5f, 0.5f);
    glWindowPos2i(240, 20);
    glDrawPixels(40, 40, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    glWindowPos2i(240, 80);
    glCopyPixels(240, 20, 40, 40, GL_DEPTH);
    glDepthFunc(GL_LESS);
    glColor3f(1, 1, 0);
    glWindowPos3f(235, 75, 0.51f);
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 5; x++)
            glWindowPos3f(236 + x * 9, 76 + y * 8, 0.51f), glBitmap(9, 8, 0, 0, 0, 0, glyph);
    glDisable(GL_DEPTH_TEST);
    glWindowPos2i(150, 140);
    glDrawPixels(40, 40, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, marks);
    glWindowPos2i(200, 140);
    glCopyPixels(150, 140, 40, 40, GL_STENCIL);
    glEnable(GL_STENCIL_TEST);
    for (int i = 1; i < 6; i++) {
        glStencilFunc(GL_EQUAL, i, 255);
        hue(i / 6.0f);
        glRectf(-1, -1, 1, 1);
    }
}

static const Scene scenes[] = {
    {"bitmaps", draw_bitmaps, 0, 301, 203},
    {"pixel_zooms", draw_zooms, 0, 301, 203},
    {"pixel_transfer", draw_transfer, 0, 301, 203},
    {"pixel_formats", draw_formats, 0, 301, 203},
    {"pixel_fog", draw_fogged, 0, 301, 203},
    {"pixel_fog_mixed", draw_fogged, 1, 301, 203},
    {"pixel_copies", draw_copies, 0, 301, 203},
    {"pixel_copies_depth", draw_copies, 0, 301, 203, DEPTH},
    {"pixel_copies_stencil", draw_copies, 0, 301, 203, STENCIL},
};
const SceneList pixel_list = {scenes, LENGTH(scenes)};
