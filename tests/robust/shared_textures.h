/* SPDX-License-Identifier: MIT */
/* What shared.c does to textures that all threads know: made, filled, drawn with, copied to, read and
 * deleted by whoever comes along. Each player has one of his own, too, whose texels are checked. */
enum { TEXTURES = 8, TEXELS = 16 };

static GLuint a_texture(void)
{
    return 1 + pick(TEXTURES);
}

/* Of another size, format or number of levels than before, or with none at all. */
static void make_texture(GLuint name)
{
    static const GLenum formats[] = {GL_RGBA8, GL_LUMINANCE8, GL_RGB5, GL_RGBA16F, GL_COMPRESSED_RGB_S3TC_DXT1_EXT};
    static unsigned char texels[128 * 128 * 4];
    GLsizei width = 1 << pick(8), height = 1 << pick(8);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, pick(2));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, pick(2) ? GL_LINEAR : GL_LINEAR_MIPMAP_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, formats[pick(5)], width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pick(3) ? texels : NULL);
}

/* A rectangle from (x, y) to the upper right corner, so many times the texture wide and high. */
static void draw_textured(GLuint name, float x, float y, float times)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    glBindTexture(GL_TEXTURE_2D, name);
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        glTexCoord2f(times * corners[i][0], times * corners[i][1]);
        glVertex2f(corners[i][0] ? 1 : x, corners[i][1] ? 1 : y);
    }
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

static void any_texture_call(void)
{
    GLuint name = a_texture();
    static unsigned char scratch[128 * 128 * 4 * 4];
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0), glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, name);
    switch (pick(9)) {
    case 0: make_texture(name); break;
    case 1: glDeleteTextures(1, &name); break;
    case 2: glTexSubImage2D(GL_TEXTURE_2D, 0, pick(8), pick(8), 1 + pick(64), 1 + pick(64), GL_RGBA, GL_UNSIGNED_BYTE, scratch); break;
    case 3: glCopyTexSubImage2D(GL_TEXTURE_2D, 0, pick(8), pick(8), pick(8), pick(8), 1 + pick(40), 1 + pick(40)); break;
    case 4: glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, 1 << pick(6), 1 << pick(6), 0); break;
    case 5: glGenerateMipmap(GL_TEXTURE_2D); break;
    default: draw_textured(name, -0.1f * pick(10), 0.1f * pick(9), 1 + pick(4));
    }
}

static void fill_own_texture(GLuint name, unsigned *texels)
{
    for (int i = 0; i < TEXELS; i++)
        texels[i] = draw_lot();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* What it holds, and that the pixel in the middle of a square of it shows the texel there. */
static void check_own_texture(GLuint name, const unsigned *texels)
{
    unsigned content[TEXELS], pixel, middle = texels[2 * 4 + 2];
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, name);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, content);
    expect_error(GL_NO_ERROR);
    if (memcmp(content, texels, sizeof content))
        fail("texture %u has other texels", name);
    glColor4f(1, 1, 1, 1);
    draw_textured(name, -1, -1, 1);
    glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixel);
    expect_error(GL_NO_ERROR);
    if ((pixel ^ middle) & 0xFFFFFF)
        fail("texture %u was drawn as %x, not as %x", name, pixel, middle);
}
