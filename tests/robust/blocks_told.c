/* SPDX-License-Identifier: MIT */
/* What a driver says of blocks of compressed images, line by line: test_names_peer.py compares the lines with the peer's. Views
 * share the blocks of their texture, whichever of the two is written; blocks in the program's memory lie as the store parameters
 * say (ARB_compressed_texture_pixel_storage). */
#include "told.h"

enum { SIZE = 16, BLOCK = 8, LAYERS = 6, IMAGE = SIZE / 4 * (SIZE / 4) * BLOCK };

static GLubyte blocks[4096], got[1 << 14];

static void sum(const char *what, int bytes)
{
    unsigned hash = 2166136261u;
    for (int i = 0; i < bytes; i++)
        hash = (hash ^ got[i]) * 16777619u;
    told(what, hash);
    memset(got, 0xAA, sizeof got);
}

static void blocks_of(GLenum target, GLenum bound, GLuint name, GLint level, int bytes)
{
    glBindTexture(bound, name);
    TELL(glGetCompressedTexImage(target, level, got));
    sum("its blocks", bytes);
    GLint size = -1;
    glGetTexLevelParameteriv(target, level, GL_TEXTURE_COMPRESSED_IMAGE_SIZE, &size);
    told("their size", size);
}

/* What is sampled of a 2D view are its blocks: a texture of its own of the same blocks has the same texels. */
static void texels_of(GLuint view, GLenum format)
{
    static GLubyte texels[2][SIZE * SIZE * 4];
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, view);
    glGetCompressedTexImage(GL_TEXTURE_2D, 0, got);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels[0]);
    glBindTexture(GL_TEXTURE_2D, name);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, SIZE, SIZE, 0, IMAGE, got);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels[1]);
    told("the same texels", !memcmp(texels[0], texels[1], sizeof texels[0]));
    glDeleteTextures(1, &name);
}

/* What is refused changes nothing, but for the peer's image, which loses its blocks. */
static int refused(const char *what)
{
    GLenum error = glGetError();
    printf("%s: error 0x%x\n", what, error);
    return error != 0;
}

/* A texture of layers, or of faces, seen as others. */
static void views(GLenum target, GLenum format, GLenum seen)
{
    GLuint names[4];
    glGenTextures(1, names);
    glGenTextures(3, names + 1);
    glBindTexture(target, names[0]);
    int cube = target == GL_TEXTURE_CUBE_MAP;
    if (cube)
        TELL(glTexStorage2D(target, 3, format, SIZE, SIZE));
    else
        TELL(glTexStorage3D(target, 3, format, SIZE, SIZE, LAYERS));
    for (int i = 0; i < 2; i++) {
        if (cube)
            glCompressedTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + 2 + i, 0, 0, 0, SIZE, SIZE, format, IMAGE, blocks + 64 * i);
        else
            glCompressedTexSubImage3D(target, 0, 0, 0, 2 + i, SIZE, SIZE, 1, format, IMAGE, blocks + 64 * i);
        told("written", i);
    }
    glTextureView(names[1], GL_TEXTURE_2D, names[0], seen, 0, 2, 3, 1);
    if (refused("view")) {
        glDeleteTextures(4, names);
        return;
    }
    TELL(glTextureView(names[2], GL_TEXTURE_2D_ARRAY, names[0], seen, 0, 3, 1, 3));
    TELL(glTextureView(names[3], cube ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_CUBE_MAP, names[0], seen, 0, 1, 0, 6));
    blocks_of(GL_TEXTURE_2D, GL_TEXTURE_2D, names[1], 0, IMAGE);
    blocks_of(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D_ARRAY, names[2], 0, IMAGE * 3);
    if (!cube)
        blocks_of(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, GL_TEXTURE_CUBE_MAP, names[3], 0, IMAGE);
    texels_of(names[1], seen);
    glBindTexture(GL_TEXTURE_2D, names[1]); /* through a view: the texture has it */
    TELL(glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 4, 8, 4, seen, 2 * BLOCK, blocks + 300));
    TELL(glCompressedTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 4, 4, seen, BLOCK, blocks + 200));
    blocks_of(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_Y : target, target, names[0], 0, cube ? IMAGE : IMAGE * LAYERS);
    blocks_of(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_Y : target, target, names[0], 1, cube ? IMAGE / 4 : IMAGE / 4 * LAYERS);
    glBindTexture(target, names[0]); /* and the other way round, when the first is gone */
    if (cube)
        TELL(glCompressedTexSubImage2D(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, 0, 0, 0, 4, 4, format, BLOCK, blocks + 90));
    else
        TELL(glCompressedTexSubImage3D(target, 0, 0, 0, 3, 4, 4, 1, format, BLOCK, blocks + 90));
    glDeleteTextures(1, names);
    texels_of(names[1], seen);
    blocks_of(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D_ARRAY, names[2], 0, IMAGE * 3);
    glDeleteTextures(3, names + 1);
}

static void store(GLenum first, GLint width, GLint height, GLint depth, GLint size)
{
    const GLint values[4] = {width, height, depth, size};
    for (int i = 0; i < 4; i++) {
        GLint is = -1;
        glPixelStorei(first + i, values[i]);
        glGetIntegerv(first + i, &is);
        told("block parameter", is);
    }
}

static void skips(int pack, GLint length, GLint height, GLint pixels, GLint rows, GLint images)
{
    glPixelStorei(pack ? GL_PACK_ROW_LENGTH : GL_UNPACK_ROW_LENGTH, length);
    glPixelStorei(pack ? GL_PACK_IMAGE_HEIGHT : GL_UNPACK_IMAGE_HEIGHT, height);
    glPixelStorei(pack ? GL_PACK_SKIP_PIXELS : GL_UNPACK_SKIP_PIXELS, pixels);
    glPixelStorei(pack ? GL_PACK_SKIP_ROWS : GL_UNPACK_SKIP_ROWS, rows);
    glPixelStorei(pack ? GL_PACK_SKIP_IMAGES : GL_UNPACK_SKIP_IMAGES, images);
}

static void flat(void)
{
    GLenum format = GL_COMPRESSED_RGBA_S3TC_DXT1_EXT;
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, SIZE, SIZE, 0, IMAGE, blocks);
    if (refused("image"))
        return;
    TELL(glGetCompressedTexImage(GL_TEXTURE_2D, 0, got));
    sum("all of it", 1024);
    TELL(glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 8, 8, 8, format, 4 * BLOCK, blocks));
    TELL(glGetCompressedTexImage(GL_TEXTURE_2D, 0, got));
    sum("with a part", 1024);
}

static void deep(void)
{
    GLenum format = GL_COMPRESSED_RGBA_S3TC_DXT1_EXT;
    glCompressedTexImage3D(GL_TEXTURE_2D_ARRAY, 0, format, SIZE, SIZE, 3, 0, IMAGE * 3, blocks);
    if (refused("images"))
        return;
    TELL(glGetCompressedTexImage(GL_TEXTURE_2D_ARRAY, 0, got));
    sum("all of it", 2048);
    TELL(glCompressedTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 8, 4, 1, 4, 8, 2, format, 4 * BLOCK, blocks));
    TELL(glGetCompressedTexImage(GL_TEXTURE_2D_ARRAY, 0, got));
    sum("with a part", 2048);
}

static void storages(void)
{
    static const GLint SKIPS[][5] = {
        {0, 0, 0, 0, 0}, {32, 0, 0, 0, 0}, {30, 24, 4, 8, 1}, {0, 0, 8, 0, 0}, {16, 16, 2, 0, 0}, {20, 18, 0, 6, 0},
        {20, 20, 4, 4, 2},
    };
    static const GLint SIZES[][4] = {{4, 4, 1, 8}, {4, 4, 0, 8}, {4, 0, 1, 8}, {0, 4, 1, 8}, {4, 4, 1, 0}};
    GLuint names[2];
    glGenTextures(2, names);
    for (int way = 0; way < 2; way++)
        for (int k = 0; k < COUNT(SIZES); k++)
            for (int i = 0; i < COUNT(SKIPS); i++) {
                glBindTexture(GL_TEXTURE_2D, names[0]);
                glBindTexture(GL_TEXTURE_2D_ARRAY, names[1]);
                store(way ? GL_PACK_COMPRESSED_BLOCK_WIDTH : GL_UNPACK_COMPRESSED_BLOCK_WIDTH, SIZES[k][0], SIZES[k][1], SIZES[k][2],
                      SIZES[k][3]);
                skips(way, SKIPS[i][0], SKIPS[i][1], SKIPS[i][2], SKIPS[i][3], SKIPS[i][4]);
                printf("%d, sizes %d, skips %d\n", way, k, i);
                flat();
                deep();
                skips(way, 0, 0, 0, 0, 0);
                store(way ? GL_PACK_COMPRESSED_BLOCK_WIDTH : GL_UNPACK_COMPRESSED_BLOCK_WIDTH, 0, 0, 0, 0);
            }
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    for (int i = 0; i < COUNT(blocks); i++)
        blocks[i] = i * 37 % 251 ^ i >> 3;
    views(GL_TEXTURE_2D_ARRAY, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT);
    views(GL_TEXTURE_2D_ARRAY, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT);
    views(GL_TEXTURE_CUBE_MAP, GL_COMPRESSED_RED_RGTC1, GL_COMPRESSED_RED_RGTC1);
    views(GL_TEXTURE_2D_ARRAY, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT3_EXT);
    TELL(glPixelStorei(GL_PACK_COMPRESSED_BLOCK_SIZE, -1));
    TELL(glPixelStoref(GL_UNPACK_COMPRESSED_BLOCK_WIDTH, 3.6f));
    store(GL_UNPACK_COMPRESSED_BLOCK_WIDTH, 0, 0, 0, 0);
    storages();
    drop_rig(&rig);
    return 0;
}
