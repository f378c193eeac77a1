/* SPDX-License-Identifier: MIT */
/* Pixel rectangles are read and written where GL 2.1, 3.6.4 and 4.3.2 say, not a byte more: guard_pixels [SEED [ROUNDS]]. Every
 * format and type that is accepted, odd sizes, alignments, row lengths and skips, swapped bytes and bits, transfer operations
 * and zoom, in lists too, and blocks of compressed images, at the very end and the very beginning of mapped memory (guard.h). */
#include "guard.h"
#include "player.h"

enum { SIZE = 64 };
static Rig rig;
static Area *area;

typedef struct { GLenum type; int size, packed; } Type; /* size in bytes; packed: components of a group that fill it */
static const Type types[] = {
    {GL_BYTE, 1, 0}, {GL_UNSIGNED_BYTE, 1, 0}, {GL_SHORT, 2, 0}, {GL_UNSIGNED_SHORT, 2, 0}, {GL_INT, 4, 0}, {GL_UNSIGNED_INT, 4, 0},
    {GL_FLOAT, 4, 0}, {GL_HALF_FLOAT, 2, 0}, {GL_BITMAP, 0, 0}, {GL_UNSIGNED_BYTE_3_3_2, 1, 3}, {GL_UNSIGNED_BYTE_2_3_3_REV, 1, 3},
    {GL_UNSIGNED_SHORT_5_6_5, 2, 3}, {GL_UNSIGNED_SHORT_5_6_5_REV, 2, 3}, {GL_UNSIGNED_SHORT_4_4_4_4, 2, 4},
    {GL_UNSIGNED_SHORT_4_4_4_4_REV, 2, 4}, {GL_UNSIGNED_SHORT_5_5_5_1, 2, 4}, {GL_UNSIGNED_SHORT_1_5_5_5_REV, 2, 4},
    {GL_UNSIGNED_INT_8_8_8_8, 4, 4}, {GL_UNSIGNED_INT_8_8_8_8_REV, 4, 4}, {GL_UNSIGNED_INT_10_10_10_2, 4, 4},
    {GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4}, {GL_UNSIGNED_INT_10F_11F_11F_REV, 4, 3}, {GL_UNSIGNED_INT_5_9_9_9_REV, 4, 3},
    {GL_UNSIGNED_INT_24_8, 4, 2}, {GL_FLOAT_32_UNSIGNED_INT_24_8_REV, 8, 2}};
static const struct { GLenum format; int components; } formats[] = {
    {GL_RED, 1}, {GL_GREEN, 1}, {GL_BLUE, 1}, {GL_ALPHA, 1}, {GL_RG, 2}, {GL_RGB, 3}, {GL_BGR, 3}, {GL_RGBA, 4}, {GL_BGRA, 4},
    {GL_LUMINANCE, 1}, {GL_LUMINANCE_ALPHA, 2}, {GL_ABGR_EXT, 4}, {GL_STENCIL_INDEX, 1}, {GL_DEPTH_COMPONENT, 1}, {GL_DEPTH_STENCIL, 2},
    {GL_COLOR_INDEX, 1}};
enum { TYPES = sizeof types / sizeof *types, FORMATS = sizeof formats / sizeof *formats };

typedef struct {
    int width, height, alignment, length, skip_pixels, skip_rows, swap, lsb;
    size_t stride, first, row; /* bytes: of a row to the next, to the first pixel, of a row that hold pixels */
} Layout;

static Layout any_layout(const Type *type, int components)
{
    static const int widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50};
    Layout l = {widths[pick(15)], 1 + pick(pick(2) ? 3 : 9), 1 << pick(4), 0, 0, 0, pick(4) == 0, pick(2), 0, 0, 0};
    if (pick(3) == 0)
        l.length = l.width + pick(6);
    if (pick(3) == 0)
        l.skip_pixels = pick(19), l.skip_rows = pick(4);
    int length = l.length ? l.length : l.width;
    size_t a = l.alignment, element = type->size, group = element * (type->packed ? 1 : components);
    if (!element) { /* bits */
        l.stride = (length + 8 * a - 1) / (8 * a) * a;
        l.first = l.skip_rows * l.stride + l.skip_pixels / 8;
        l.row = (l.skip_pixels % 8 + l.width + 7) / 8;
        return l;
    }
    l.stride = element >= a ? group * length : (group * length + a - 1) / a * a;
    l.first = l.skip_rows * l.stride + l.skip_pixels * group;
    l.row = l.width * group;
    return l;
}

static void set_store(const Layout *l, int pack)
{
    static const GLenum names[2][6] = {
        {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SWAP_BYTES, GL_UNPACK_LSB_FIRST},
        {GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_PIXELS, GL_PACK_SKIP_ROWS, GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST}};
    int values[] = {l->alignment, l->length, l->skip_pixels, l->skip_rows, l->swap, l->lsb};
    for (int i = 0; i < 6; i++)
        glPixelStorei(names[pack][i], values[i]);
}

/* Where the image must be said to be, for its first or last byte to be the area's. */
static char *place(const Layout *l, int begin)
{
    size_t whole = (l->height - 1) * l->stride + l->row;
    return (begin ? area->begin : (char *) tail(area, whole)) - l->first;
}

static void note(const char *what, const Type *type, int f, const Layout *l, int begin)
{
    doing("%s of format 0x%x, type 0x%x, %dx%d, alignment %d, length %d, skip %d,%d%s%s at the %s", what,
          f < 0 ? 0 : formats[f].format, type->type, l->width, l->height, l->alignment, l->length, l->skip_pixels, l->skip_rows,
          l->swap ? ", swapped" : "", l->lsb ? ", lsb first" : "", begin ? "beginning" : "end");
}

static void transfer(void)
{
    int on = pick(3) == 0;
    glPixelTransferf(GL_RED_SCALE, on ? 0.5f : 1);
    glPixelTransferf(GL_DEPTH_BIAS, on ? 0.1f : 0);
    glPixelTransferi(GL_MAP_COLOR, pick(5) == 0);
    glPixelTransferi(GL_MAP_STENCIL, pick(5) == 0);
    glPixelTransferi(GL_INDEX_OFFSET, on);
    glPixelZoom(pick(4) ? 1 : 1.7f, pick(4) ? 1 : -2);
    glRasterPos2f(pick(3) ? -0.5f : -1, -0.25f);
}

/* Rows were written, the padding between them and all around was not. */
static void rows_kept(const Layout *l, char *image)
{
    const char *p = area->begin;
    for (int row = 0; row <= l->height; row++) {
        const char *next = row < l->height ? image + l->first + row * l->stride : area->end;
        for (; p < next; p++)
            if (*p != 0x5a) {
                if (faults++ < TOLD)
                    printf("%s: row %d is left at byte %ld\n", deed, row, (long) (p - image));
                return;
            }
        p = next + l->row;
    }
}

static int refused(void) /* GL has said that it does not know this pair */
{
    GLenum error = glGetError();
    while (glGetError())
        ;
    return error == GL_INVALID_ENUM || error == GL_INVALID_OPERATION;
}

static int known_pairs;

static void rectangles(int rounds)
{
    for (int f = 0; f < FORMATS; f++)
        for (int t = 0; t < TYPES; t++)
            for (int way = 0; way < 3; way++) /* draw, read, draw in a list */
                for (int round = 0; round < rounds; round++) {
                    Layout l = any_layout(&types[t], formats[f].components);
                    int begin = round & 1;
                    char *image = place(&l, begin);
                    static const char *const ways[] = {"DrawPixels", "ReadPixels", "DrawPixels in a list"};
                    note(ways[way], &types[t], f, &l, begin);
                    memset(area->begin, 0x5a, area->end - area->begin);
                    set_store(&l, way == 1);
                    transfer();
                    if (way == 1)
                        glReadPixels(pick(4) ? 3 : -2, pick(4) ? 5 : SIZE - 4, l.width, l.height, formats[f].format, types[t].type, image);
                    else {
                        if (way == 2)
                            glNewList(1, GL_COMPILE);
                        glDrawPixels(l.width, l.height, formats[f].format, types[t].type, image);
                        if (way == 2)
                            glEndList();
                    }
                    if (way == 1)
                        rows_kept(&l, image);
                    over(area);
                    if (way == 2 && round % 4 == 0)
                        glCallList(1);
                    if (refused())
                        break;
                    known_pairs += round == 0;
                }
}

static void bitmaps(int rounds)
{
    static const Type bits = {GL_BITMAP, 0, 0};
    for (int round = 0; round < rounds; round++) {
        Layout l = any_layout(&bits, 1);
        int begin = round & 1, listed = round % 3 == 0;
        char *image = place(&l, begin);
        note(listed ? "Bitmap in a list" : "Bitmap", &bits, -1, &l, begin);
        set_store(&l, 0);
        glRasterPos2f(-0.9f + 0.1f * pick(10), -0.3f);
        if (listed)
            glNewList(2, GL_COMPILE);
        glBitmap(l.width, l.height, 0, 0, 1, 1, (GLubyte *) image);
        if (listed)
            glEndList();
        over(area);
        if (listed)
            glCallList(2);
        no_errors();
    }
}

static void stipples(int rounds)
{
    static const Type bits = {GL_BITMAP, 0, 0};
    for (int round = 0; round < rounds; round++) {
        Layout l;
        int begin = round & 1, way = round % 3;
        do
            l = any_layout(&bits, 1);
        while (l.width != 32);
        l.height = 32;
        char *image = place(&l, begin);
        note(way == 1 ? "GetPolygonStipple" : way ? "PolygonStipple in a list" : "PolygonStipple", &bits, -1, &l, begin);
        memset(area->begin, 0x5a, area->end - area->begin);
        set_store(&l, way == 1);
        if (way == 2)
            glNewList(3, GL_COMPILE);
        if (way == 1)
            glGetPolygonStipple((GLubyte *) image), rows_kept(&l, image);
        else
            glPolygonStipple((GLubyte *) image);
        if (way == 2)
            glEndList();
        over(area);
        no_errors();
    }
}

/* A pixel buffer object of exactly the image's size will do, one of a byte less will not. */
static void in_buffers(int rounds)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    for (int round = 0; round < rounds; round++) {
        int f = pick(FORMATS), t = pick(TYPES), pack = round & 1, target = pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER;
        if (!types[t].size)
            continue;
        Layout l = any_layout(&types[t], formats[f].components);
        int align = types[t].size, offset = align * pick(5);
        size_t whole = offset + l.first + (l.height - 1) * l.stride + l.row;
        set_store(&l, pack);
        glPixelTransferf(GL_RED_SCALE, 1);
        glPixelZoom(1, 1);
        glRasterPos2f(-1, -1);
        for (int less = 0; less < 2; less++) {
            glBindBuffer(target, buffer);
            glBufferData(target, whole - less, NULL, GL_STREAM_COPY);
            note(pack ? "ReadPixels into a buffer" : "DrawPixels of a buffer", &types[t], f, &l, 0);
            while (glGetError())
                ;
            if (pack)
                glReadPixels(0, 0, l.width, l.height, formats[f].format, types[t].type, (char *) (size_t) offset);
            else
                glDrawPixels(l.width, l.height, formats[f].format, types[t].type, (char *) (size_t) offset);
            GLenum error = glGetError();
            glBindBuffer(target, 0);
            if (!less && error)
                break; /* the pair is none */
            if (less && error != GL_INVALID_OPERATION && faults++ < TOLD)
                printf("%s, a byte too small: error 0x%x\n", deed, error);
        }
    }
    glDeleteBuffers(1, &buffer);
}

static void block_store(int wide, int length, int pixels, int rows)
{
    static const GLenum names[] = {GL_UNPACK_COMPRESSED_BLOCK_WIDTH, GL_UNPACK_COMPRESSED_BLOCK_HEIGHT, GL_UNPACK_COMPRESSED_BLOCK_DEPTH};
    for (int i = 0; i < 3; i++)
        glPixelStorei(names[i], wide);
    glPixelStorei(GL_UNPACK_COMPRESSED_BLOCK_SIZE, 2 * wide);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, length);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, pixels);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, rows);
}

/* Blocks of a part of an image, at once and in lists, of memory and of a buffer object of just that size: they are those that
 * the store parameters of the call mean (of a list: of when it was compiled). */
static void blocks(int rounds)
{
    enum { BLOCK = 8, ACROSS = 6, WHOLE = ACROSS * ACROSS * BLOCK };
    static const GLenum format = GL_COMPRESSED_RGBA_S3TC_DXT1_EXT;
    static const char *const ways[] = {"Blocks", "Blocks in a list", "Blocks of a buffer", "Blocks of a buffer in a list"};
    unsigned char wanted[WHOLE] = {0}, got[WHOLE];
    GLuint texture, buffer;
    glGenTextures(1, &texture);
    glGenBuffers(1, &buffer);
    glBindTexture(GL_TEXTURE_2D, texture);
    block_store(0, 0, 0, 0);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 4 * ACROSS, 4 * ACROSS, 0, WHOLE, wanted);
    for (int round = 0; round < rounds; round++) {
        int way = round % 4, whole = pick(4) == 0, x = whole ? 0 : pick(ACROSS), y = whole ? 0 : pick(ACROSS);
        int w = whole ? ACROSS : 1 + pick(ACROSS - x), h = whole ? ACROSS : 1 + pick(ACROSS - y);
        int length = pick(2) ? w + pick(4) : 0, left = pick(4), over_it = pick(4), row = (length ? length : w) * BLOCK;
        int first = over_it * row + left * BLOCK, size = first + (h - 1) * row + w * BLOCK;
        doing("%s: %dx%d at %d,%d, length %d, skip %d,%d", ways[way], w, h, x, y, length, left, over_it);
        unsigned char *image = tail(area, size);
        for (int i = 0; i < size; i++)
            image[i] = (unsigned char) pick(256);
        for (int j = 0; j < h; j++)
            memcpy(wanted + ((y + j) * ACROSS + x) * BLOCK, image + first + j * row, w * BLOCK);
        const void *from = image;
        if (way > 1) {
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
            glBufferData(GL_PIXEL_UNPACK_BUFFER, size, image, GL_STREAM_DRAW);
            from = NULL;
        }
        block_store(4, 4 * length, 4 * left, 4 * over_it);
        if (way & 1)
            glNewList(4, GL_COMPILE);
        if (whole)
            glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 4 * w, 4 * h, 0, w * h * BLOCK, from);
        else
            glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4 * x, 4 * y, 4 * w, 4 * h, format, w * h * BLOCK, from);
        if (way & 1)
            glEndList();
        over(area);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        block_store(4 * pick(2), 12, 4, 8);
        if (way & 1)
            glCallList(4);
        glGetCompressedTexImage(GL_TEXTURE_2D, 0, got);
        no_errors();
        if (memcmp(got, wanted, WHOLE) && faults++ < TOLD)
            printf("%s: other blocks\n", deed);
    }
    block_store(0, 0, 0, 0);
    glDeleteTextures(1, &texture);
    glDeleteBuffers(1, &buffer);
}

int main(int count, char **arguments)
{
    dice = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    int rounds = count > 2 ? atoi(arguments[2]) : 24;
    area = make_area(64);
    rig = make_rig(SIZE, SIZE);
    rectangles(rounds);
    bitmaps(20 * rounds);
    stipples(6 * rounds);
    in_buffers(40 * rounds);
    blocks(20 * rounds);
    glFinish();
    drop_rig(&rig);
    printf("%d pairs of format, type and direction\n", known_pairs);
    return result();
}
