/* SPDX-License-Identifier: MIT */
/* Draws read of client arrays and index arrays what they draw, not a byte more: guard_arrays [GROUP]. Every array, type, size
 * and some strides, at the very end and the very beginning of mapped memory (guard.h); in compiled lists too. */
#include "guard.h"

static Rig rig;
static Area *area, *index_area, *table_area;

typedef struct { GLenum type; int size; const char *name; } Type; /* bytes of a component; of all, if negative */
static const Type BYTE = {GL_BYTE, 1, "byte"}, UBYTE = {GL_UNSIGNED_BYTE, 1, "ubyte"}, SHORT = {GL_SHORT, 2, "short"},
                  USHORT = {GL_UNSIGNED_SHORT, 2, "ushort"}, INT = {GL_INT, 4, "int"}, UINT = {GL_UNSIGNED_INT, 4, "uint"},
                  FLOAT = {GL_FLOAT, 4, "float"}, DOUBLE = {GL_DOUBLE, 8, "double"}, HALF = {GL_HALF_FLOAT, 2, "half"},
                  PACKED = {GL_INT_2_10_10_10_REV, -4, "packed"}, UPACKED = {GL_UNSIGNED_INT_2_10_10_10_REV, -4, "upacked"},
                  FIXED = {GL_FIXED, 4, "fixed"};

typedef struct {
    const char *name;
    GLenum state; /* 0: a generic attribute */
    int sizes[5]; /* components, or GL_BGRA */
    const Type *types[14];
} Array;

static const Array arrays[] = {
    {"vertex", GL_VERTEX_ARRAY, {2, 3, 4}, {&SHORT, &INT, &FLOAT, &DOUBLE, &HALF, &PACKED, &UPACKED}},
    {"normal", GL_NORMAL_ARRAY, {3}, {&BYTE, &SHORT, &INT, &FLOAT, &DOUBLE, &HALF, &PACKED, &UPACKED}},
    {"color", GL_COLOR_ARRAY, {3, 4, GL_BGRA}, {&BYTE, &UBYTE, &SHORT, &USHORT, &INT, &UINT, &FLOAT, &DOUBLE, &HALF, &PACKED, &UPACKED}},
    {"secondary", GL_SECONDARY_COLOR_ARRAY, {3, GL_BGRA}, {&BYTE, &UBYTE, &SHORT, &USHORT, &INT, &UINT, &FLOAT, &DOUBLE, &HALF}},
    {"fog", GL_FOG_COORD_ARRAY, {1}, {&FLOAT, &DOUBLE, &HALF}},
    {"texcoord", GL_TEXTURE_COORD_ARRAY, {1, 2, 3, 4}, {&SHORT, &INT, &FLOAT, &DOUBLE, &HALF, &PACKED}},
    {"edgeflag", GL_EDGE_FLAG_ARRAY, {1}, {&UBYTE}},
    {"index", GL_INDEX_ARRAY, {1}, {&UBYTE, &SHORT, &INT, &FLOAT, &DOUBLE}},
    {"generic", 0, {1, 2, 3, 4, GL_BGRA}, {&BYTE, &UBYTE, &SHORT, &USHORT, &INT, &UINT, &FLOAT, &DOUBLE, &HALF, &PACKED, &UPACKED, &FIXED}},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays, SLOT = 3 };

static float plain[4096];

static void safe_vertices(void)
{
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, plain);
}

static void point_at(const Array *array, int size, const Type *type, int stride, const void *at)
{
    switch (array->state) {
    case GL_VERTEX_ARRAY: glVertexPointer(size, type->type, stride, at); break;
    case GL_NORMAL_ARRAY: glNormalPointer(type->type, stride, at); break;
    case GL_COLOR_ARRAY: glColorPointer(size, type->type, stride, at); break;
    case GL_SECONDARY_COLOR_ARRAY: glSecondaryColorPointer(size, type->type, stride, at); break;
    case GL_FOG_COORD_ARRAY: glFogCoordPointer(type->type, stride, at); break;
    case GL_TEXTURE_COORD_ARRAY: glTexCoordPointer(size, type->type, stride, at); break;
    case GL_EDGE_FLAG_ARRAY: glEdgeFlagPointer(stride, at); break;
    case GL_INDEX_ARRAY: glIndexPointer(type->type, stride, at); break;
    default: glVertexAttribPointer(SLOT, size, type->type, size == GL_BGRA || type->size == 2, stride, at); break;
    }
}

/* The array, and the state in which a draw needs it. */
static void switch_array(const Array *array, int on)
{
    static float told[1 << 16];
    void (*able)(GLenum) = on ? glEnable : glDisable;
    switch (array->state) {
    case GL_NORMAL_ARRAY: able(GL_LIGHTING), able(GL_LIGHT0); break;
    case GL_SECONDARY_COLOR_ARRAY: able(GL_COLOR_SUM); break;
    case GL_FOG_COORD_ARRAY: able(GL_FOG), glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD); break;
    case GL_EDGE_FLAG_ARRAY: glPolygonMode(GL_FRONT_AND_BACK, on ? GL_LINE : GL_FILL); break;
    case GL_TEXTURE_COORD_ARRAY:
        if (on)
            glFeedbackBuffer(1 << 16, GL_4D_COLOR_TEXTURE, told);
        glRenderMode(on ? GL_FEEDBACK : GL_RENDER);
        break;
    default: break;
    }
    if (array->state)
        (on ? glEnableClientState : glDisableClientState)(array->state);
    else
        (on ? glEnableVertexAttribArray : glDisableVertexAttribArray)(SLOT);
}

/* Draws elements first .. first + count - 1 of the current arrays, one of several ways. */
static const char *const ways[] = {"DrawArrays", "DrawElements", "list", "DrawRangeElements", "ArrayElement", "MultiDrawArrays",
                                   "DrawElementsBaseVertex", "DrawArraysInstanced"};
enum { WAYS = 8 };

static void draw(int way, int first, int count, GLenum mode)
{
    unsigned *indices = tail(index_area, 4 * count);
    for (int i = 0; i < count; i++)
        indices[i] = first + (way == 6 ? -1 : 0) + (i * 7 + 3) % count; /* first and last are among them */
    if (way == 1 || way == 3 || way == 6)
        for (int i = 0, k = way == 6; i < count; i++)
            indices[i] = first - k + i;
    switch (way) {
    case 0: glDrawArrays(mode, first, count); break;
    case 1: glDrawElements(mode, count, GL_UNSIGNED_INT, indices); break;
    case 2:
        glNewList(1, GL_COMPILE);
        glDrawArrays(mode, first, count);
        glEndList();
        break;
    case 3: glDrawRangeElements(mode, first, first + count - 1, count, GL_UNSIGNED_INT, indices); break;
    case 4:
        glBegin(mode);
        for (int i = 0; i < count; i++)
            glArrayElement(first + i);
        glEnd();
        break;
    case 5: {
        int *firsts = tail(table_area, 8), *counts = tail(index_area, 8);
        firsts[0] = first, counts[0] = count / 2, firsts[1] = first + count / 2, counts[1] = count - count / 2;
        glMultiDrawArrays(mode, firsts, counts, 2);
        break;
    }
    case 6: glDrawElementsBaseVertex(mode, count, GL_UNSIGNED_INT, indices, 1); break;
    default: glDrawArraysInstanced(mode, first, count, 2); break;
    }
    over(index_area);
}

static void one_array(const Array *array, int size, const Type *type)
{
    static const int counts[] = {1, 2, 3, 5, 8, 17, 67}, firsts[] = {0, 5};
    int bytes = type->size < 0 ? -type->size : (size == GL_BGRA ? 4 : size) * type->size;
    int strides[] = {0, bytes + 1, bytes + 4, 32, 100};
    switch_array(array, 1);
    for (unsigned s = 0; s < sizeof strides / sizeof *strides; s++)
        for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int way = 0; way < WAYS; way++) {
                if (way && (s + c + way) % 5) /* not every way with everything */
                    continue;
                for (int f = way == 6; f < 2; f++)
                    for (int begin = 0; begin < 2; begin++) {
                        int count = counts[c], first = firsts[f], step = strides[s] ? strides[s] : bytes;
                        size_t whole = (size_t) (count - 1) * step + bytes;
                        char *at = (begin ? area->begin : (char *) tail(area, whole)) - (size_t) first * step;
                        doing("%s of %s array, %s x %d, stride %d, first %d, count %d at the %s", ways[way], array->name,
                              type->name, size, strides[s], first, count, begin ? "beginning" : "end");
                        point_at(array, size, type, strides[s], at);
                        draw(way, first, count, array->state == GL_EDGE_FLAG_ARRAY ? GL_TRIANGLES : GL_POINTS);
                        over(area);
                        no_errors();
                    }
            }
    switch_array(array, 0);
    safe_vertices();
}

static int packs(int size, const Type *type)
{
    return size == GL_BGRA ? type == &UBYTE || type->size < 0 : type->size > 0 || size == 4;
}

static void formats(const char *only)
{
    for (int a = 0; a < ARRAYS; a++) {
        const Array *array = &arrays[a];
        if (only && strcmp(only, array->name))
            continue;
        for (int s = 0; s < 5 && array->sizes[s]; s++)
            for (int t = 0; t < 14 && array->types[t]; t++) {
                const Type *type = array->types[t];
                int normal = array->state == GL_NORMAL_ARRAY && type->size < 0; /* three of its four components */
                if (packs(array->sizes[s], type) || normal)
                    one_array(array, array->sizes[s], type);
            }
    }
}

/* Index arrays of each type and of many lengths. */
static void indices(const char *unused)
{
    static const struct { GLenum type; int size; } types[] = {{GL_UNSIGNED_BYTE, 1}, {GL_UNSIGNED_SHORT, 2}, {GL_UNSIGNED_INT, 4}};
    (void) unused;
    for (int t = 0; t < 3; t++)
        for (int count = 1; count < 300; count += count < 70 ? 1 : 41)
            for (int begin = 0; begin < 2; begin++)
                for (int way = 0; way < 7; way++) {
                    int size = types[t].size, bytes = count * size;
                    char *at = begin ? area->begin : tail(area, bytes);
                    if (way > 2 && count % 8 > 2)
                        continue;
                    for (int i = 0; i < count; i++) {
                        unsigned value = way == 5 && i % 7 == 3 ? 0xffffffff : (unsigned) (i * 13 % 200);
                        memcpy(at + i * size, &value, size);
                    }
                    doing("way %d of %d indices of %d bytes at the %s", way, count, size, begin ? "beginning" : "end");
                    const void *several[] = {at, at + count / 2 * size};
                    int each[] = {count / 2, count - count / 2}, first[] = {0, -5};
                    switch (way) {
                    case 0: glDrawElements(GL_TRIANGLES, count, types[t].type, at); break;
                    case 1: glDrawRangeElements(GL_LINE_STRIP, 0, 199, count, types[t].type, at); break;
                    case 2:
                        glNewList(1, GL_COMPILE);
                        glDrawElements(GL_POINTS, count, types[t].type, at);
                        glEndList();
                        break;
                    case 3: {
                        const void **table = tail(table_area, sizeof several);
                        memcpy(table, several, sizeof several);
                        glMultiDrawElements(GL_QUADS, memcpy(tail(index_area, sizeof each), each, sizeof each), types[t].type, table, 2);
                        over(table_area);
                        break;
                    }
                    case 4: glDrawElementsInstanced(GL_TRIANGLE_FAN, count, types[t].type, at, 3); break;
                    case 5:
                        glEnable(GL_PRIMITIVE_RESTART);
                        glPrimitiveRestartIndex(size == 4 ? 0xffffffff : (1u << 8 * size) - 1);
                        glEnableClientState(0x8558); /* GL_PRIMITIVE_RESTART_NV */
                        glPrimitiveRestartIndexNV(size == 4 ? 0xffffffff : (1u << 8 * size) - 1);
                        glDrawElements(GL_TRIANGLE_STRIP, count, types[t].type, at);
                        glDisableClientState(0x8558);
                        while (glGetError())
                            ;
                        break;
                    default:
                        first[1] = 0;
                        glMultiDrawElementsBaseVertex(GL_LINES, each, types[t].type, several, 2, memcpy(tail(table_area, 8), first, 8));
                        over(table_area);
                    }
                    over(area);
                    no_errors();
                }
}

/* glInterleavedArrays: bytes of an element as GL 2.1, table 2.5 has them. */
static void interleaved(const char *unused)
{
    static const struct { GLenum format; int bytes; } rows[] = {
        {GL_V2F, 8}, {GL_V3F, 12}, {GL_C4UB_V2F, 12}, {GL_C4UB_V3F, 16}, {GL_C3F_V3F, 24}, {GL_N3F_V3F, 24}, {GL_C4F_N3F_V3F, 40},
        {GL_T2F_V3F, 20}, {GL_T4F_V4F, 32}, {GL_T2F_C4UB_V3F, 24}, {GL_T2F_C3F_V3F, 32}, {GL_T2F_N3F_V3F, 32}, {GL_T2F_C4F_N3F_V3F, 48},
        {GL_T4F_C4F_N3F_V4F, 60}};
    (void) unused;
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int more = 0; more < 8; more += 4)
            for (int count = 1; count < 40; count += count < 5 ? 1 : 11)
                for (int way = 0; way < 6; way++)
                    for (int begin = 0; begin < 2; begin++) {
                        int bytes = rows[r].bytes, step = bytes + more;
                        char *at = begin ? area->begin : tail(area, (count - 1) * step + bytes);
                        doing("%s of interleaved 0x%x, count %d, stride %d at the %s", ways[way], rows[r].format, count, more ? step : 0,
                              begin ? "beginning" : "end");
                        glInterleavedArrays(rows[r].format, more ? step : 0, at);
                        draw(way, 0, count, GL_TRIANGLE_STRIP);
                        over(area);
                        no_errors();
                    }
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_NORMAL_ARRAY);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    safe_vertices();
}

/* Arrays that advance an instance at a time have an element for each, not for each vertex. */
static void instanced(const char *unused)
{
    (void) unused;
    glEnableVertexAttribArray(SLOT);
    for (int instances = 1; instances < 40; instances += instances < 6 ? 1 : 7)
        for (int divisor = 1; divisor < 5; divisor++)
            for (int stride = 12; stride < 20; stride += 7)
                for (int begin = 0; begin < 2; begin++) {
                    int elements = (instances + divisor - 1) / divisor;
                    char *at = begin ? area->begin : tail(area, (elements - 1) * stride + 12);
                    doing("%d instances, divisor %d, stride %d at the %s", instances, divisor, stride, begin ? "beginning" : "end");
                    glVertexAttribDivisor(SLOT, divisor);
                    glVertexAttribPointer(SLOT, 3, GL_FLOAT, GL_FALSE, stride, at);
                    glDrawArraysInstanced(GL_TRIANGLES, 3, 30, instances);
                    over(area);
                    no_errors();
                }
    glVertexAttribDivisor(SLOT, 0);
    glDisableVertexAttribArray(SLOT);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*run)(const char *); } groups[] = {
        {"formats", formats}, {"indices", indices}, {"interleaved", interleaved}, {"instanced", instanced}};
    area = make_area(8), index_area = make_area(1), table_area = make_area(1);
    rig = make_rig(64, 64);
    safe_vertices();
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (count < 2 || !strcmp(arguments[1], groups[i].name)) {
            groups[i].run(count > 2 ? arguments[2] : NULL);
            doing("between groups");
        }
    glFinish();
    drop_rig(&rig);
    return result();
}
